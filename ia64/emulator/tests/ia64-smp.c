// SPDX-License-Identifier: GPL-2.0-only
/*
 * Several processors of the emulated Itanium, on its platform: interrupts from one to the other,
 * purges and stores that others have to see, and how firmware starts and stops processors; and a
 * serial port.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "scripts/tap.h"
#include "ia64/emulator/exec.h"
#include "ia64/emulator/platform.h"

#define CODE	0x2000000	/* of processor 0; of the next ones 64 KB later each */
#define IVA	0x2080000
#define DATA	0x2100000
#define VA	(5ULL << 61 | 0x123450000ULL)
#define RID	0x1234
#define PAGE	14

#define NOP		(1ULL << 27)
#define NOP_B		(2ULL << 37)
#define SELF		(4ULL << 37)	/* br.few of this bundle */
#define TEMPLATE_MIB	0x10
#define TEMPLATE_MII	0x01
#define END	(1ULL << 36 | ((FIRMWARE_BREAK + CALL_RETURN) & 0xfffff) << 6)

/* Instructions of r8, r9, r10 */
#define LD8		0x080c0900200ULL	/* ld8 r8=[r9] */
#define LD8_A		0x082c0900200ULL	/* ld8.a r8=[r9] */
#define LD8_C_CLR	0x088c0900200ULL	/* ld8.c.clr r8=[r9] */
#define ST8		0x08cc0914000ULL	/* st8 [r9]=r10 */
#define ITC_D		0x02170014000ULL	/* itc.d r10 */
#define PTC_L		0x02048914000ULL	/* ptc.l r9,r10 */
#define PTC_G		0x02050914000ULL
#define PTC_GA		0x02058914000ULL
#define PTC_E		0x021a0900000ULL	/* ptc.e r9 */

static struct platform platform;
static struct machine *const machine = &platform.machine;
static struct cpu *const cpus = platform.machine.cpu;

void die(const char *format, ...)
{
	abort();
}

static void put_bundle(uint64_t at, unsigned int template, uint64_t slot0, uint64_t slot2)
{
	uint64_t words[2] = { template | slot0 << 5 | NOP << 46, NOP >> 18 | slot2 << 23 };

	memcpy(phys_memory(machine, at, sizeof(words)), words, sizeof(words));
}

static uint64_t code_of(unsigned int nr)
{
	return CODE + 0x10000 * nr;
}

/* All processors loop in a bundle of their own. */
static void build(unsigned int cores, unsigned int threads)
{
	unsigned int nr, at;

	free(machine->code);
	if (machine->ram)
		munmap(machine->ram, machine->ram_size);
	memset(&platform, 0, sizeof(platform));
	machine->cpus = cores * threads;
	machine->threads = threads;
	platform_build(&platform, MIN_RAM_MIB, 0);
	/* END is a call of firmware everywhere. */
	machine->firmware_base = 0;
	machine->firmware_size = machine->ram_size;
	for (at = 0; at < 0x6100; at += 0x100)
		put_bundle(IVA + at, TEMPLATE_MII, END, NOP);
	for (nr = 0; nr < machine->cpus; nr++) {
		put_bundle(code_of(nr), TEMPLATE_MIB, NOP, SELF);
		cpus[nr].ip = code_of(nr);
		cpus[nr].iva = IVA;
		cpus[nr].rr[5] = RID << 8 | PAGE << 2;
		cpus[nr].bspstore = DATA + 0x10000 * (nr + 1);
		cpus[nr].bsp = cpus[nr].bspstore;
	}
}

/* Run some turns. */
static enum stop run(void)
{
	return cpu_run(machine, cpus->cycles + 5000);
}

/* A processor executes one instruction, while the others loop. Whether it has not faulted */
static bool step(unsigned int nr, uint64_t code, uint64_t r9, uint64_t r10)
{
	struct cpu *cpu = &cpus[nr];
	uint64_t at = code_of(nr) + 0x1000;
	bool right;

	gr_set(cpu, 9, r9);
	gr_set(cpu, 10, r10);
	put_bundle(at, TEMPLATE_MII, code, NOP);
	put_bundle(at + 16, TEMPLATE_MII, END, NOP);
	cpu->ip = at;
	cpu->slot = 0;
	right = run() == STOP_RESET && cpu->ip == at + 32;
	cpu->ip = code_of(nr);
	cpu->slot = 0;
	return right;
}

static bool pending(unsigned int nr, unsigned int vector)
{
	return cpus[nr].irr[vector >> 6] >> (vector & 63) & 1;
}

static void test_interrupts(void)
{
	unsigned int nr, got;

	build(2, 2);
	for (nr = 0; nr < 4; nr++)
		phys_write(machine, IPI_BASE + (nr << 12), 8, 0x41 + nr);
	for (nr = 0, got = 0; nr < 4; nr++)
		got += pending(nr, 0x41 + nr) && cpus[nr].irr[1] == 2ULL << nr;
	tap(got == 4, "an interrupt goes to the processor of its address alone: %u of 4", got);
	phys_write(machine, IPI_BASE + (4 << 12), 8, 0x50);
	phys_write(machine, IPI_BASE + (1 << 4), 8, 0x50);
	phys_write(machine, IPI_BASE + (1 << 12), 8, 0x250);
	for (nr = 0, got = 0; nr < 4; nr++)
		got += pending(nr, 0x50);
	tap(!got, "one for an id or eid that is not there, or that is no interrupt, goes nowhere");
	/* The entry of pin 7, and its edge */
	phys_write(machine, IOSAPIC_BASE, 4, 0x10 + 2 * 7 + 1);
	phys_write(machine, IOSAPIC_BASE + 0x10, 4, 2 << 24);
	phys_write(machine, IOSAPIC_BASE, 4, 0x10 + 2 * 7);
	phys_write(machine, IOSAPIC_BASE + 0x10, 4, 0x60);
	iosapic_set(&platform, 7, true);
	for (nr = 0, got = 0; nr < 4; nr++)
		got |= pending(nr, 0x60) << nr;
	tap(got == 1 << 2, "a device's goes to the processor of its entry: %#x", got);
}

/* Processor @nr has a translation of VA, and has used it. */
static void map(unsigned int nr, uint64_t va)
{
	uint64_t off = cpus[nr].psr & ~(PSR_IC | PSR_DT);

	psr_write(&cpus[nr], off);
	cpus[nr].ifa = va;
	cpus[nr].itir = PAGE << 2;
	if (!step(nr, ITC_D, 0, DATA | 2 << 9 | 1 << 6 | 1 << 5 | 1))
		tap(false, "a translation is inserted");
	psr_write(&cpus[nr], off | PSR_IC | PSR_DT);
	if (!step(nr, LD8, va, 0))
		tap(false, "a page is read");
}

static void test_purge(void)
{
	static const struct {
		uint64_t code;
		unsigned int threads;
		bool gone;
		const char *what;
	} purges[] = {
		{ PTC_L, 1, false, "ptc.l purges nothing of another processor" },
		{ PTC_G, 1, true, "ptc.g purges a page of all processors" },
		{ PTC_GA, 1, true, "and so does ptc.ga" },
		{ PTC_E, 1, false, "ptc.e purges nothing of another core" },
		{ PTC_E, 2, true, "but all of the other thread" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(purges); i++) {
		build(3 - purges[i].threads, purges[i].threads);
		map(0, VA);
		map(1, VA);
		tap(step(0, purges[i].code, VA, PAGE << 2) && !step(0, LD8, VA, 0) &&
		    step(1, LD8, VA, 0) == !purges[i].gone, "%s", purges[i].what);
	}
	/* Another number of the region, as of a kernel that has set up another task there */
	build(2, 1);
	cpus[1].rr[3] = cpus[1].rr[5];
	cpus[1].rr[5] = 0x99 << 8 | PAGE << 2;
	map(0, VA);
	map(1, VA - (2ULL << 61));
	map(1, VA);
	tap(step(0, PTC_G, VA, PAGE << 2) && !step(1, LD8, VA - (2ULL << 61), 0) &&
	    step(1, LD8, VA, 0), "ptc.g is of a region's identifier, not of its number");
}

static void test_memory(void)
{
	uint64_t code;
	bool right;

	build(2, 1);
	right = step(1, LD8_A, DATA, 0) && step(0, ST8, DATA, 0x55) && step(1, LD8_C_CLR, DATA, 0);
	tap(right && gr_get(&cpus[1], 8) == 0x55, "an advanced load sees another's store");

	/* Processor 1 has written to the page before 0 executes in it. The new one never ends. */
	code = code_of(0) + 0x2000;
	put_bundle(code, TEMPLATE_MII, END, NOP);
	right = step(1, ST8, code + 0x100, 0);
	cpus[0].ip = code;
	right &= run() == STOP_RESET;
	cpus[0].ip = code_of(0);
	put_bundle(code + 0x100, TEMPLATE_MIB, NOP, SELF);
	right &= step(1, ST8, code, *(uint64_t *)(machine->ram + code + 0x100));
	right &= step(1, ST8, code + 8, *(uint64_t *)(machine->ram + code + 0x108));
	cpus[0].ip = code;
	tap(right && run() == STOP_LIMIT && cpus[0].ip == code,
	    "another's store changes code that was executed");
}

static void test_turns(void)
{
	unsigned int nr;
	bool right = true;

	build(2, 2);
	right = cpu_run(machine, 12345) == STOP_LIMIT;
	for (nr = 0; nr < 4; nr++)
		right &= cpus[nr].cycles == 12345;
	tap(right, "time is the same on all processors");
	/* One that sleeps is late by less than a turn. */
	cpus[2].halted = true;
	cpus[2].itv = 0x41;
	cpus[2].itm = 20000;
	cpus[2].itm_pending = true;
	right = cpu_run(machine, 19999) == STOP_LIMIT && cpus[2].halted;
	tap(right && cpu_run(machine, 20001) == STOP_LIMIT && !cpus[2].halted && pending(2, 0x41),
	    "a timer wakes its processor up on time");
}

static int64_t call(unsigned int nr, unsigned int what, uint64_t function, uint64_t first,
		    uint64_t second, uint64_t third)
{
	struct cpu *cpu = &cpus[nr];
	unsigned int from = what == CALL_SAL ? 32 : 28;

	gr_set(cpu, from, function);
	gr_set(cpu, from + 1, first);
	gr_set(cpu, from + 2, second);
	gr_set(cpu, from + 3, third);
	firmware_call(cpu, what);
	return gr_get(cpu, 8);
}

#define SAL_SET_VECTORS		0x01000000
#define PAL_HALT		28
#define PAL_TO_PHYSICAL		42
#define PAL_CACHE_SHARED	43
#define WAKEUP			0xf0

static void test_rendezvous(void)
{
	uint64_t entry, start = code_of(1);
	unsigned int i;

	build(2, 1);
	entry = platform.code_next - 16 + CODE_BASE;
	cpus[1].ip = entry;
	tap(run() == STOP_LIMIT && cpus[1].halted && cpus[1].ip == entry,
	    "a processor waits in firmware");
	call(0, CALL_SAL, SAL_SET_VECTORS, 2, start, 0x2200000);
	call(0, CALL_SAL, SAL_SET_VECTORS, 0, 0x2300000, 0x2400000);
	phys_write(machine, IPI_BASE + (1 << 12), 8, 0x41);
	tap(run() == STOP_LIMIT && cpus[1].halted && cpus[1].ip == entry,
	    "and goes on waiting after another interrupt");
	for (i = 0; i < 2; i++) {
		cpus[1].tpr = 1 << 16;
		cpus[1].in_service[3] = 1ULL << 63;
		cpus[1].ip = entry;
		cpus[1].halted = false;
		run();
		gr_set(&cpus[1], 1, 0);
		phys_write(machine, IPI_BASE + (1 << 12), 8, WAKEUP);
		tap(run() == STOP_LIMIT && cpus[1].ip == start && !cpus[1].halted &&
		    gr_get(&cpus[1], 1) == 0x2200000 && cpus[1].br[0] == entry &&
		    !pending(1, WAKEUP),
		    i ? "after its return it can be started again" : "the wake-up starts it");
	}
	call(1, CALL_PAL, PAL_HALT, 0, 0, 0);
	tap(run() == STOP_LIMIT && cpus[1].halted, "PAL_HALT stops one processor");
	call(0, CALL_PAL, PAL_HALT, 0, 0, 0);
	tap(machine->stop == STOP_POWER_OFF, "and the machine when it is the last one");
}

static void test_topology(void)
{
	unsigned int nr, right = 0;

	build(2, 2);
	for (nr = 0; nr < 4; nr++)
		right += !call(nr, CALL_PAL, PAL_TO_PHYSICAL, ~0ULL, 0, 0) &&
			 gr_get(&cpus[nr], 9) == (4 | 2ULL << 16 | 2ULL << 32) &&
			 gr_get(&cpus[nr], 10) == (nr & 1) + ((uint64_t)nr / 2 << 32) &&
			 gr_get(&cpus[nr], 11) == nr << 8;
	tap(right == 4, "PAL says of each processor where it is: %u of 4", right);
	tap(!call(0, CALL_PAL, PAL_TO_PHYSICAL, 3, 0, 0) &&
	    gr_get(cpus, 10) == (1 | 1ULL << 32) && call(0, CALL_PAL, PAL_TO_PHYSICAL, 4, 0, 0),
	    "and of another one, if it is there");
	tap(!call(3, CALL_PAL, PAL_CACHE_SHARED, 0, 1, 0) && gr_get(&cpus[3], 9) == 2 &&
	    gr_get(&cpus[3], 10) == 1ULL << 32 && call(3, CALL_PAL, PAL_CACHE_SHARED, 0, 1, 2),
	    "caches are of both threads of a core");
}

/* A serial port's input waits in the host's file. Registers: 0 data, 1 IER, 5 LSR */
static void test_uart(void)
{
	unsigned int i, right = 0;
	uint8_t c[150];
	int in[2];

	build(1, 1);
	for (i = 0; i < sizeof(c); i++)
		c[i] = i + 1;
	if (pipe(in) || write(in[1], c, sizeof(c)) != sizeof(c))
		abort();
	uart_add(&platform, in[0], stdout);
	uart_poll(&platform);
	right = !(uart_read(&platform, platform.uart, 5) & 1);
	uart_write(&platform, platform.uart, 1, 1);
	for (i = 0; i < sizeof(c); i++) {
		if (i % 40 == 0)
			uart_poll(&platform);
		right += uart_read(&platform, platform.uart, 5) & 1;
		right += uart_read(&platform, platform.uart, 0) == c[i];
	}
	tap(right == 1 + 2 * sizeof(c), "a serial port loses no input: %u of %zu", right,
	    1 + 2 * sizeof(c));
}

int main(void)
{
	test_uart();
	test_interrupts();
	test_purge();
	test_memory();
	test_turns();
	test_rendezvous();
	test_topology();
	return tap_done();
}
