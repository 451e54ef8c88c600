/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pmu.h: interface between the processor and its performance monitors (machine/montecito). pmu.c
 * has register access and passes retired instructions on, pmu-events.c the occurrences of each
 * event in an instruction, pmu-misses.c models of caches, TLBs and the branch predictor.
 */
#ifndef IA64_MACHINE_PMU_H
#define IA64_MACHINE_PMU_H

#include "../../machine/montecito/monitors.h"
#include "cpu.h"

/* Memory access of the retiring instruction: a load, a store, or both (a semaphore) */
struct pmu_memory {
	bool valid, load, store;
	uint64_t address, physical;
	unsigned int size;
};

struct pmu_flow {
	bool valid, taken;
	enum branch_kind kind;
	uint64_t target;
};

#define PMU_L1D_READ_MISSES	0xc7

/* An instruction, and what it did. Only filters and captures look at @event. */
struct pmu_insn {
	const struct retired *retired;
	struct mont_event event;
	struct pmu_memory memory;
	struct pmu_flow flow;
	uint64_t cycles, halted;	/* cycles since the last instruction: running, halted */
	bool new_bundle;
	bool stack;				/* the register stack engine's access */
	bool data_missed;			/* missed the first-level data cache */
	bool data_ear, code_ear;		/* captured by the data or instruction EAR */
};

/* A cache or TLB: the lines of each set, most recently used first */
struct pmu_cache {
	unsigned int line_bits, sets, ways;
	uint64_t *line;
};

#define CACHE_LINES	109120		/* sum over all caches and TLBs */

enum {
	CACHE_L1D, CACHE_L1I, CACHE_L2D, CACHE_L2I, CACHE_L3, CACHE_DTLB, CACHE_ITLB,
	CACHE_COUNT,
};

#define PREDICTIONS	1024
#define FINDINGS	1000

/* The monitors of a processor */
struct pmu {
	struct mont mont;		/* first, so that both have the same address */
	struct cpu *cpu;
	char found[FINDINGS][120];	/* reported so far, each once; the last one is reused */
	uint64_t ibr[8], dbr[8];	/* as of the last srlz.i and srlz.d */

	/*
	 * Masks of counters: with a privilege level; that count under @psr (up, pp and cpl); that
	 * count both threads (PMC.all); and the other thread's that do.
	 */
	unsigned int on, enabled, all, others;
	uint64_t psr;
	bool active;			/* a monitor is on */
	bool filtered;			/* an address range or opcode qualifies events */
	bool qualify;			/* each occurrence of an event has to be qualified */
	bool data, code;		/* misses are captured or counted */
	bool trace, ips;		/* branches or instructions are captured, or those alone */
	bool thresholds;		/* a counter has one */
	uint64_t cycles, bundle;	/* of the last retired instruction */
	bool halted;			/* and no instruction has retired since */
	uint64_t in_cycle[MONT_LAST + 1];	/* increments, for counters with a threshold */
	struct pmu_insn insn;		/* that is executed */
	uint64_t dear_ready;		/* first cycle in which the data EAR may capture a load */
	struct pmu_cache cache[CACHE_COUNT];
	uint64_t line[CACHE_LINES];
	uint8_t path[PREDICTIONS];	/* two-bit counters */
	uint64_t target[PREDICTIONS];	/* last taken one of each branch */
	bool flushed;			/* mispredicted since the last entry of the IP-EAR */
	bool at_target;			/* the last branch was taken and captured */
	/* The last untaken branch, captured if no branch of its bundle is taken */
	bool untaken_valid;
	struct mont_event untaken;
	/* Up to when the IP-EAR captures after a freeze, or 0; and when it did last */
	uint64_t ipear_until, ipear_last;
};

/* pmu.c: add @n to counter @i. */
void pmu_add(struct pmu *pmu, unsigned int i, uint64_t n);

/* pmu-events.c: occurrences of the event of @pmc in an instruction, before any qualification */
uint64_t pmu_occurrences(const struct cpu *cpu, const struct pmu_insn *insn, uint64_t pmc);
bool pmu_uncached(const struct cpu *cpu, const struct pmu_insn *insn);
/* Major operations 6 and 7 are those of floating-point registers. */
bool pmu_is_float(const struct pmu_insn *insn);
/* 4.8.2: the first level has cacheable loads of integers and of the register stack alone. */
bool pmu_reads_l1d(const struct cpu *cpu, const struct pmu_insn *insn);
/* Report enabled events and modes that this machine does not model. */
void pmu_check_support(struct pmu *pmu);

/* pmu-misses.c: find out what an instruction missed, and capture it. */
void pmu_misses_init(struct pmu *pmu);
void pmu_misses(struct pmu *pmu, struct cpu *cpu, struct pmu_insn *insn, bool frozen);
/* Capture an interruption as a branch from the interrupted instruction to @target. */
void pmu_exception(struct pmu *pmu, struct cpu *cpu, uint64_t target);
/* 3.3.10.1.3: an interrupt where a captured branch goes: its handler is the target. */
void pmu_interrupt(struct pmu *pmu, uint64_t handler);

#endif
