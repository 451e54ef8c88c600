/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ia64-monitors.h: the performance monitors of the emulated Itanium, without a processor: tests
 * tell them of instructions, and look what the manual (Intel 308065-001) says of the registers
 * then.
 */
#ifndef IA64_MONITORS_H
#define IA64_MONITORS_H

#include <string.h>

#include "scripts/tap.h"
#include "ia64/emulator/platform.h"

#define COUNTER_ON	(2ULL << 24)		/* the instruction set mask */
#define USER		0x8
#define KERNEL		0x1
#define PM		(1ULL << 6)
#define OI		(1ULL << 5)
#define EVENT(n)	((uint64_t)(n) << 8)	/* and its unit mask */
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
static struct cpu *const cpus = platform.machine.cpu;
/* The processor that the functions below are for */
static struct cpu *cpu = platform.machine.cpu;
static unsigned int raised;

/* The monitors' only call of the rest of the machine */
void cpu_raise(struct cpu *to, unsigned int vector)
{
	raised = vector;
	to->irr[vector >> 6] |= 1ULL << (vector & 63);
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
static void reset_to(uint64_t seed, unsigned int cores, unsigned int threads)
{
	unsigned int i;

	memset(&platform, 0, sizeof(platform));
	platform.machine.ram_size = 1ULL << 32;
	platform.machine.cpus = cores * threads;
	raised = 0;
	for (i = 0; i < cores * threads; i++) {
		cpus[i].machine = &platform.machine;
		cpus[i].nr = i;
		cpus[i].sibling = threads > 1 ? &cpus[i ^ 1] : NULL;
		cpus[i].pmv = 0xee;
		cpus[i].psr = PSR_USER & ~PSR_CPL;
		pmu_init(&cpus[i], seed);
	}
	for (cpu = cpus + cores * threads; cpu-- > cpus;) {
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
	cpu = cpus;
}

static void reset(void)
{
	reset_to(0, 1, 1);
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

	tap(is == want && !*platform.pmu[0].found[0], "%s: %d", what, (int)is);
}

/* The predicate of what retires */
static bool executed = true;

/* An instruction retires; the first of its bundle is a cycle later than the one before. */
static void retire(uint64_t ip, unsigned int slot, char unit, uint64_t code, uint64_t psr)
{
	struct retired retired = {
		.ip = ip, .slot = slot, .unit = unit, .code = code, .psr = psr,
		.executed = executed,
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

#endif
