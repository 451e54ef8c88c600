// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Power, load and temperature beside what is injected: all sequences of four changes, reads and
 * resets, with time between them. Counters follow what was injected at each time, and only a write
 * or a reset takes them back.
 */
#include "bench.h"
#include "x86-msr-hook.h"
#include "power.h"

#define STEPS	4
#define NS	1234567
#define CPUS	3

enum { MPERF = 0xe7, APERF, TEMPERATURE = 0x19c, LIMIT = 0x610, ENERGY, DRAM_ENERGY = 0x619,
	PP0_LIMIT = 0x638, PP0_ENERGY };
enum { ENERGY_OF, DRAM_OF, MPERF_OF, APERF_OF, LIMIT_OF, COUNTERS };
/* In parts of 1 J: of packages and cores, and of memory */
enum { UNIT = 1 << 14, DRAM_UNIT = 1 << 16, DRAM_WATTS = 20 };
enum { HOT, LAZY, FAST, OTHER, WRITE_MPERF, WRITE_APERF, READ, RESET, OPS };

static const X86MSRHookOps *hook;
static void *device;
static void (*reset_power)(void *opaque);

int64_t cpus_get_elapsed_ticks(void)
{
	return 2 * shim_now;
}

void qemu_register_reset(void (*fn)(void *opaque), void *opaque)
{
	reset_power = fn;
}

void x86_msr_hook_register(uint32_t first, uint32_t last, const X86MSRHookOps *ops, void *opaque)
{
	hook = ops;
}

static uint64_t get(X86CPU *cpu, uint32_t msr)
{
	uint64_t v = 0xbad;

	return hook->read(device, cpu, msr, &v) == X86_MSR_DONE ? v : 0xdead;
}

/* The first package: watts, percent, and thousands of nanojoules or ticks of the counters */
static struct {
	unsigned int watts, busy, speed;
	double sum[COUNTERS];
} ref;

static void pass(void)
{
	shim_advance(shim_now + NS);
	ref.sum[ENERGY_OF] += (double)ref.watts * NS * UNIT / 1e9;
	ref.sum[DRAM_OF] += (double)DRAM_WATTS * NS * DRAM_UNIT / 1e9;
	ref.sum[MPERF_OF] += 2.0 * NS * ref.busy / 100;
	ref.sum[APERF_OF] += 2.0 * NS * ref.busy * ref.speed / 10000;
}

static void check(unsigned int n, unsigned int step)
{
	static const uint32_t msrs[COUNTERS] = { ENERGY, DRAM_ENERGY, MPERF, APERF, LIMIT };

	for (unsigned int i = 0; i < COUNTERS; i++) {
		double diff = get(X86_CPU(first_cpu), msrs[i]) - ref.sum[i];

		bench_cases++;
		/* What is less than a unit is not reset with the counter. */
		if (diff < -1.01 || diff > 1.01)
			differs("sequence %u, step %u, MSR 0x%x: off by %f", n, step, msrs[i], diff);
	}
}

static void inject(const char *what)
{
	bench_cases++;
	if (say("power %s", what) != MODEL_STATUS_OK)
		differs("%s: %s", what, said);
}

static void start(void)
{
	reset_power(device);
	inject("package=0,pkg=95,busy=100,speed=100");
	memset(&ref, 0, sizeof(ref));
	ref.watts = 95;
	ref.busy = ref.speed = 100;
}

static void step(unsigned int op)
{
	switch (op) {
	case HOT:
		ref.watts = ref.watts == 95 ? 300 : 95;
		inject(ref.watts == 95 ? "package=0,pkg=95" : "pkg=300");
		ref.sum[LIMIT_OF] = ref.watts;
		hook->write(device, X86_CPU(first_cpu), LIMIT, ref.watts);
		break;
	case LAZY:
		ref.busy = ref.busy == 100 ? 7 : 100;
		inject(ref.busy == 100 ? "package=0,busy=100" : "package=0,busy=7");
		break;
	case FAST:
		ref.speed = ref.speed == 100 ? 133 : 100;
		inject(ref.speed == 100 ? "package=0,speed=100" : "speed=133");
		break;
	case OTHER:
		inject("package=1,pkg=1,busy=1,speed=1");
		break;
	case WRITE_MPERF:
	case WRITE_APERF:
		ref.sum[op == WRITE_MPERF ? MPERF_OF : APERF_OF] = 5;
		hook->write(device, X86_CPU(first_cpu), op == WRITE_MPERF ? MPERF : APERF, 5);
		break;
	case RESET:
		memset(ref.sum, 0, sizeof(ref.sum));
		reset_power(device);
	}
}

static void test_sequences(void)
{
	for (unsigned int n = 0; n < OPS * OPS * OPS * OPS; n++) {
		start();
		for (unsigned int i = 0, rest = n; i < STEPS; i++, rest /= OPS) {
			step(rest % OPS);
			pass();
			/* A read must not change what later ones see. */
			if (rest % OPS == READ || i == STEPS - 1)
				check(n, i);
		}
	}
	bench_test("all sequences of four changes, writes, reads and resets");
}

static void is(bool right, const char *what)
{
	bench_cases++;
	if (!right)
		differs("%s", what);
}

static void test_registers(void)
{
	X86CPU *here = X86_CPU(first_cpu), *there = X86_CPU(qemu_get_cpu(CPUS - 1));

	hook->write(device, here, LIMIT, 0x1234);
	is(get(here, LIMIT) == 0x1234 && !get(there, LIMIT), "a limit is held, of its package");
	inject("package=1,temp=61");
	is((get(there, TEMPERATURE) >> 16 & 0x7f) == 29 &&
	   (get(here, TEMPERATURE) >> 16 & 0x7f) == 40, "the temperature is its package's");
	is(hook->write(device, here, ENERGY, 1) == X86_MSR_FAULT, "energy is read-only");
	hook->write(device, here, PP0_LIMIT, 3);
	is(get(here, PP0_LIMIT) == 3 && get(here, PP0_ENERGY) != 0xdead, "cores have power");
	*(bool *)((char *)device + shim_properties[2].at) = false;
	is(hook->write(device, here, PP0_LIMIT, 3) == X86_MSR_FAULT &&
	   get(here, PP0_LIMIT) == 0xdead && get(here, PP0_ENERGY) == 0xdead,
	   "registers of cores fault where they have none");
	is(say("power pkg=0") == MODEL_STATUS_OK && say("power pkg=1001") == MODEL_STATUS_ERROR &&
	   say("power package=9,pkg=1") == MODEL_STATUS_ERROR, "refused values");
	bench_test("registers of packages, and of cores where they have power");
}

int main(int argc, char **argv)
{
	Error *err = NULL;

	bench_begin(argc, argv);
	shim_types();
	device = g_malloc0(bench_type->instance_size);
	*(uint32_t *)((char *)device + shim_properties[0].at) = 14;
	*(uint32_t *)((char *)device + shim_properties[1].at) = 16;
	*(bool *)((char *)device + shim_properties[2].at) = true;
	for (unsigned int i = 0; i < CPUS; i++)
		bench_cpu(i == CPUS - 1, 0, i);
	bench_class->realize(device, &err);
	is(!err, "the device is taken");
	test_sequences();
	test_registers();
	return bench_done();
}
