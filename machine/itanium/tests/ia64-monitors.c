// SPDX-License-Identifier: GPL-2.0-only
/*
 * The performance monitors of the emulated Itanium, without a processor: this tells them of
 * instructions, and looks what the manual (Intel 308065-001) says of the registers then.
 */
#include <string.h>

#include "scripts/tap.h"
#include "machine/itanium/platform.h"

#define COUNTER_ON	(2ULL << 24)		/* the instruction set mask */
#define USER		0x8
#define KERNEL		0x1
#define PM		(1ULL << 6)
#define OI		(1ULL << 5)
#define EVENT(n)	((uint64_t)(n) << 8)
#define THRESHOLD(n)	((uint64_t)(n) << 20)
#define INSTRUCTIONS	EVENT(0x08)
#define CYCLES		EVENT(0x12)
#define LOADS		EVENT(0xcd)
#define DATA_EAR	EVENT(0xc8)
#define NO_FILTER	0x030f01ffffffffffULL	/* PMC32 */
#define PMC41_DEFAULT	0x2078fefefefeULL

#define PSR_USER	(3ULL << PSR_CPL_SHIFT | PSR_UP | PSR_PP)
#define CODE		0x4000000000001000ULL
#define NOP_B		(2ULL << 37)
#define BR_RELATIVE	(4ULL << 37)

static struct platform platform;
static struct cpu *const cpu = &platform.machine.cpu;
static unsigned int raised;

/* What the monitors use of the rest of the machine */
void cpu_raise(struct cpu *to, unsigned int vector)
{
	raised = vector;
}

static void sync_now(void)
{
	/* srlz.d, which does not serialize IBRs */
	pmu_serialize(cpu, false);
	/* The next bundle is watched. */
	cpu->pmu_active = cpu->pmu_wanted;
}

static void pmc(unsigned int n, uint64_t value)
{
	pmu_pmc_write(cpu, n, value);
}

/* A counter's control has to be on for its value to be kept. */
static void pmd(unsigned int n, uint64_t value)
{
	sync_now();
	pmu_pmd_write(cpu, n, value);
}

/* Count @event from 0. */
static void counter(unsigned int n, uint64_t event)
{
	pmc(n, COUNTER_ON | event);
	pmd(n, 0);
}

/* Frozen, with nothing on and no filter: the sequence that a driver begins with */
static void reset(void)
{
	unsigned int i;

	memset(&platform, 0, sizeof(platform));
	platform.machine.ram_size = 1ULL << 32;
	cpu->machine = &platform.machine;
	cpu->pmv = 0xee;
	cpu->psr = PSR_USER & ~PSR_CPL;
	raised = 0;
	pmu_init(cpu);
	pmc(0, 1);
	sync_now();
	for (i = 4; i <= 15; i++)
		counter(i, 0);
	pmc(37, 0);
	pmc(39, 0);
	pmc(40, COUNTER_ON);
	pmc(42, 0);
	pmd(38, 0);
	sync_now();
}

static void go(void)
{
	sync_now();
	pmc(0, 0);
	sync_now();
}

static uint64_t stop(unsigned int n)
{
	pmc(0, 1);
	sync_now();
	return pmu_pmd_read(cpu, n);
}

static void counted(unsigned int n, uint64_t want, const char *what)
{
	uint64_t is = stop(n);

	tap(is == want, "%s: %d", what, (int)is);
}

/* An instruction retires; the first of its bundle is a cycle later than the one before. */
static void retire(uint64_t ip, unsigned int slot, char unit, uint64_t code, uint64_t psr)
{
	struct retired retired = {
		.ip = ip, .slot = slot, .unit = unit, .code = code, .psr = psr, .executed = true,
	};

	if (slot == 0)
		cpu->cycles++;
	if (cpu->pmu_active)
		pmu_retire(cpu, &retired);
}

static void bundle(uint64_t ip, uint64_t psr)
{
	retire(ip, 0, 'M', 1, psr);
	retire(ip, 1, 'I', 1, psr);
	retire(ip, 2, 'B', NOP_B, psr);
}

static void load(uint64_t ip, uint64_t address, uint64_t psr)
{
	if (cpu->pmu_active)
		pmu_access(cpu, address, address, 8, true, false);
	retire(ip, 0, 'M', 4ULL << 37, psr);
}

static void branch(uint64_t ip, unsigned int slot, uint64_t to, uint64_t psr)
{
	if (slot)
		retire(ip, 0, 'M', 1, psr);
	if (cpu->pmu_active)
		pmu_branch(cpu, BRANCH_RELATIVE, to, true);
	retire(ip, slot, 'B', BR_RELATIVE, psr);
}

static void test_counting(void)
{
	unsigned int i;

	reset();
	counter(4, INSTRUCTIONS | USER);
	counter(5, INSTRUCTIONS | KERNEL | PM);
	counter(6, CYCLES | USER);
	counter(7, INSTRUCTIONS | USER | THRESHOLD(2));
	counter(8, INSTRUCTIONS | USER | THRESHOLD(3));
	counter(9, EVENT(0x50) | USER);
	sync_now();
	bundle(CODE, PSR_USER);
	go();
	for (i = 0; i < 10; i++)
		bundle(CODE + 16 * i, PSR_USER);
	for (i = 0; i < 5; i++)
		bundle(CODE + 16 * i, PSR_PP);
	bundle(CODE, PSR_USER & ~PSR_UP);
	bundle(CODE, 0);
	counted(4, 30, "instructions of a program, as psr.up is on");
	counted(5, 15, "instructions of the kernel, as psr.pp is on");
	counted(6, 10, "a cycle for each bundle");
	counted(7, 10, "more than two in a cycle");
	counted(8, 0, "more than three");
	counted(9, 10, "nops");
	/* A cycle ends before the freeze, and its counter is programmed again. */
	go();
	bundle(CODE, PSR_USER);
	stop(8);
	counter(8, EVENT(0x50) | USER);
	go();
	bundle(CODE, 0);
	counted(8, 0, "instructions of a cycle before the freeze");
}

static void test_overflow(void)
{
	reset();
	pmc(4, COUNTER_ON | INSTRUCTIONS | USER | OI);
	pmc(5, COUNTER_ON | INSTRUCTIONS | USER);
	pmd(4, (1ULL << 47) - 7);
	pmd(5, (1ULL << 47) - 2);
	sync_now();
	tap(pmu_pmd_read(cpu, 4) == (uint64_t)-7, "a counter below its end reads as negative");
	go();
	bundle(CODE, PSR_USER);
	tap(pmu_pmc_read(cpu, 0) == 1 << 5 && !raised,
	    "without PMC.oi an overflow is in PMC0, and nothing else");
	bundle(CODE, PSR_USER);
	bundle(CODE, PSR_USER);
	tap(pmu_pmc_read(cpu, 0) == (1 << 5 | 1 << 4 | 1) && raised == 0xee,
	    "with it the monitors freeze, and cr.pmv's vector is requested");
	tap(!pmu_pmd_read(cpu, 4) && pmu_pmd_read(cpu, 5) == 5,
	    "all have seen the instruction that did it, and none the next: %d and %d",
	    (int)pmu_pmd_read(cpu, 4), (int)pmu_pmd_read(cpu, 5));
}

static void test_freeze(void)
{
	reset();
	pmc(4, COUNTER_ON | INSTRUCTIONS | USER | THRESHOLD(2) | OI);
	counter(5, INSTRUCTIONS | USER);
	pmd(4, (1ULL << 47) - 1);
	go();
	bundle(CODE, PSR_USER);
	bundle(CODE, PSR_USER);
	counted(5, 3, "a cycle that freezes counts, and the next one does not");
	counter(6, INSTRUCTIONS | USER);
	go();
	bundle(CODE, PSR_USER);
	counted(6, 3, "a counter that is programmed then");
}

/* Loads of a line, with one of a device between, and a bundle, which has another line of code */
static void test_misses(void)
{
	unsigned int i;

	reset();
	pmc(37, USER | 0x2800);
	counter(4, EVENT(0x43) | USER);
	counter(5, EVENT(0xc7) | USER);
	go();
	load(CODE, 0x1000, PSR_USER);
	load(CODE, 1ULL << 40, PSR_USER);
	load(CODE, 0x1008, PSR_USER);
	bundle(CODE + 64, PSR_USER);
	counted(4, 2, "misses of instructions");
	counted(5, 1, "misses of data");
	counter(6, LOADS | USER);
	go();
	for (i = 0; i < 64; i++)
		load(CODE, 0x1000, PSR_USER);
	stop(6);
	i = pmu_pmd_read(cpu, 6);
	tap(i && i < 64, "loads, but with the set of another event: %u", i);
}

/* Event 0 is one of a pipeline. */
static void test_unknown(void)
{
	reset();
	pmc(4, COUNTER_ON | USER);
	go();
	tap(platform.pmu.found[0] && strstr(platform.pmu.found[0], "this machine has"),
	    "an event that the machine does not have is reported");
}

static void test_serialization(void)
{
	reset();
	counter(4, INSTRUCTIONS | USER);
	sync_now();
	pmc(0, 0);
	bundle(CODE, PSR_USER);
	tap(pmu_pmc_read(cpu, 0) == 1 && !cpu->pmu_active, "what is written waits");
	sync_now();
	bundle(CODE, PSR_USER);
	pmc(0, 1);
	bundle(CODE, PSR_USER);
	sync_now();
	bundle(CODE, PSR_USER);
	tap(pmu_pmd_read(cpu, 4) == 6, "until it is serialized: %d", (int)pmu_pmd_read(cpu, 4));
	pmc(4, COUNTER_ON | INSTRUCTIONS);
	sync_now();
	tap(pmu_pmd_read(cpu, 4) != 6 || pmu_pmd_read(cpu, 4) != 6,
	    "without a privilege level the value is lost");
}

/* Filters of channel 0, IBR0 and 1, PMC32 and 33, for three instructions and a load */
static void test_filters(void)
{
	static const struct {
		uint64_t pmc32, pmc38, pmc41;
		unsigned int instructions, loads;
		const char *what;
	} row[] = {
		{ 0, 0, 0, 4, 1, "no filter" },
		{ 1, 0, 0, 2, 1, "a bit of the opcode" },
		{ 8ULL << 48, 0, 0, 2, 1, "a unit" },
		{ 0, 1 << 1, 0, 3, 1, "instruction addresses" },
		{ 0, 0, 1 << 3, 4, 0, "data addresses" },
		{ 0, 1 << 1, 3 << 3, 3, 0, "both addresses" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		reset();
		cpu->ibr[0] = CODE;
		cpu->ibr[1] = (0xfULL << 56) | (((1ULL << 56) - 1) & ~0x1fULL);
		cpu->dbr[0] = 0x2000;
		cpu->dbr[1] = (1ULL << 56) - 1;
		pmu_serialize(cpu, true);
		pmc(32, NO_FILTER & ~(3ULL << 56 | row[i].pmc32));
		pmc(33, 0);
		pmc(38, 0xdb6 & ~row[i].pmc38);
		pmc(41, PMC41_DEFAULT & ~row[i].pmc41);
		counter(4, INSTRUCTIONS | USER);
		counter(5, LOADS | USER);
		go();
		bundle(CODE, PSR_USER);
		load(CODE + 32, 0x1000, PSR_USER);
		counted(4, row[i].instructions, row[i].what);
		counted(5, row[i].loads, row[i].what);
	}
	cpu->ibr[0] = CODE + 32;
	go();
	cpu->dbr[0] = 0x1000;
	load(CODE, 0x1000, PSR_USER);
	counted(5, 0, "a DBR takes effect after srlz.d");
	counted(4, 4, "an IBR takes effect after srlz.i, and not after srlz.d");
	go();
	load(CODE, 0x1000, PSR_USER);
	cpu->dbr[0] = 0x2000;
	pmu_serialize(cpu, false);
	load(CODE, 0x1000, PSR_USER);
	pmu_serialize(cpu, true);
	load(CODE, 0x2000, PSR_USER);
	counted(5, 1, "both, with no other register");
}

static void test_data_ear(void)
{
	uint64_t ip;

	reset();
	pmc(40, COUNTER_ON | USER);
	counter(4, DATA_EAR | USER);
	go();
	load(CODE + 16, 0x12340, PSR_USER);
	load(CODE + 32, 0x12348, PSR_USER);
	load(CODE + 32, 0x55540, PSR_USER);
	tap(stop(4) == 1, "one that missed is captured; a hit, and one too soon, are not");
	tap(pmu_pmd_read(cpu, 32) == 0x12340, "its data address: %#lx",
	    (unsigned long)pmu_pmd_read(cpu, 32));
	tap((pmu_pmd_read(cpu, 33) & 0xc000) == 0x4000 && (pmu_pmd_read(cpu, 33) & 0x1fff) >= 4,
	    "its latency: %d", (int)(pmu_pmd_read(cpu, 33) & 0x1fff));
	ip = pmu_pmd_read(cpu, 36);
	tap((ip & 8) && (ip & ~0xfULL) + (ip & 4 ? 16 : 0) == CODE + 16 && (ip & ~0x1fULL) == CODE,
	    "its bundle is the second of a window: %#lx", (unsigned long)ip);
	go();
	tap(pmu_pmd_read(cpu, 32) != 0x12340 || pmu_pmd_read(cpu, 32) != 0x12340,
	    "while the monitors are not frozen it reads as noise");
}

/* Three bundles in a loop: one branch each round, on the second bundle of a window */
static void test_trace(void)
{
	unsigned int i, sources = 0, wrong = 0, next;
	uint64_t index, extension;

	reset();
	pmc(39, USER | 3 << 8 | 3 << 10 | 3 << 12);
	counter(4, EVENT(0x11) | USER | OI);
	go();
	for (i = 0; i < 20; i++) {
		bundle(CODE, PSR_USER);
		branch(CODE + 16, 2, CODE, PSR_USER);
	}
	branch(CODE + 16, 2, CODE, PSR_PP);
	counted(4, 20, "branches of a program that are captured");
	index = pmu_pmd_read(cpu, 38);
	next = index & 0xf;
	extension = pmu_pmd_read(cpu, 39);
	tap(index & 1 << 5, "the buffer was full");
	for (i = 0; i < 16; i++) {
		unsigned int n = (next + i) % 16;
		uint64_t e = pmu_pmd_read(cpu, 48 + n);
		unsigned int ext = extension >> (8 * (n % 8) + (n < 8 ? 0 : 4)) & 0xf;

		if (e & 1) {
			sources++;
			wrong += (e & ~0xfULL) != CODE || (e >> 2 & 3) != 2 || !(ext & 1);
		} else {
			wrong += (e & ~0xfULL) != CODE || !(e & 2);
		}
	}
	tap(sources == 8 && !wrong, "sources with their slot and bundle, and targets: %d and %d",
	    sources, 16 - sources);
	pmd(38, 0);
	go();
	pmu_branch(cpu, BRANCH_RELATIVE, 0, false);
	retire(CODE, 2, 'B', BR_RELATIVE, PSR_USER);
	stop(4);
	pmd(38, 0);
	go();
	bundle(CODE + 16, PSR_USER);
	stop(4);
	tap(!pmu_pmd_read(cpu, 38), "a branch before the freeze is not in the buffer after it");
	pmd(4, (1ULL << 47) - 2);
	go();
	pmu_branch(cpu, BRANCH_RELATIVE, 0, false);
	retire(CODE, 2, 'B', BR_RELATIVE, PSR_USER);
	cpu->psr = PSR_USER;
	cpu->ip = CODE + 32;
	pmu_branch(cpu, BRANCH_EXCEPTION, 0x9000, true);
	cpu->psr = PSR_PP;
	tap(pmu_pmc_read(cpu, 0) & 1 && !pmu_pmd_read(cpu, 4),
	    "a branch that is not taken and an exception, of a program, are counted at once");
	tap((pmu_pmd_read(cpu, 48) & ~2) == (CODE | 3 << 2 | 1) &&
	    pmu_pmd_read(cpu, 50) == (CODE + 32) + 3, "the exception is behind the branch");
}

static void test_ip(void)
{
	uint64_t index, last, entry;
	unsigned int i, n;

	reset();
	pmc(42, USER | PM | 4ULL << 8 | 6ULL << 11);
	pmc(4, COUNTER_ON | INSTRUCTIONS | USER | OI);
	pmd(4, (1ULL << 47) - 9);
	go();
	for (i = 0; i < 5; i++) {
		cpu->cycles += i == 1 ? 99 : 0;
		bundle(CODE + 16 * i, PSR_USER);
	}
	bundle(0xa000000000003000, PSR_PP);
	bundle(0xa000000000003010, PSR_PP);
	index = pmu_pmd_read(cpu, 38) & 0xf;
	n = index - 1;
	last = pmu_pmd_read(cpu, 48 + n);
	entry = pmu_pmd_read(cpu, 48);
	tap(index == 6, "bundles up to the freeze, those within the delay, and the last: %d",
	    (int)index);
	tap((entry & ((1ULL << 60) - 1)) == CODE >> 4, "the first of them");
	tap(pmu_pmd_read(cpu, 49) >> 60 == 15 && pmu_pmd_read(cpu, 50) >> 60 == 1 &&
	    (pmu_pmd_read(cpu, 39) >> 8 & 0xf0f) == 0xc, "cycles from one to the next, 63 at most");
	tap((pmu_pmd_read(cpu, 39) >> 8 * n & 1) && (last & 0xff) < 6,
	    "the last says that it froze early, and what was left of the delay: %d",
	    (int)(last & 0xff));
	cpu->psr = PSR_USER;
	tap(!pmu_pmd_read(cpu, 48) && !pmu_pmd_read(cpu, 38),
	    "a program cannot read what a privileged IP-EAR captured");
}

int main(void)
{
	test_counting();
	test_overflow();
	test_freeze();
	test_misses();
	test_unknown();
	test_serialization();
	test_filters();
	test_data_ear();
	test_trace();
	test_ip();
	return tap_done();
}
