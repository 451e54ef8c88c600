/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pmu.h: what the processor tells its performance monitors (../montecito). pmu.c has the
 * instructions that access them and tells them of those that retire, pmu-events.c by how much
 * these let an event grow, pmu-misses.c what missed and what was mispredicted.
 */
#ifndef IA64_MACHINE_PMU_H
#define IA64_MACHINE_PMU_H

#include "../montecito/monitors.h"
#include "cpu.h"

/* A load, store or semaphore of the instruction that retires */
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
	uint64_t cycles, halted;	/* since the one before: at work, and asleep */
	bool new_bundle;
	bool data_missed;			/* the first-level cache */
	bool data_ear, code_ear;		/* captured it */
};

/* A cache: which lines are there, of each set the one that was used last first */
struct pmu_cache {
	unsigned int line_bits, sets, ways;
	uint64_t *line;
};

#define CACHE_LINES	109120		/* of all */

enum {
	CACHE_L1D, CACHE_L1I, CACHE_L2D, CACHE_L2I, CACHE_L3, CACHE_DTLB, CACHE_ITLB,
	CACHE_COUNT,
};

#define PREDICTIONS	1024
#define FINDINGS	1000

/**
 * struct pmu - the monitors of a processor
 * @mont: first, so that its address is that of the whole
 * @cpu: the processor
 * @found: findings that were reported, each once, until there is no room
 * @ibr: the processor's breakpoint registers as they were serialized
 * @dbr: see there
 * @cycles: cpu.cycles up to where they are counted
 * @bundle: address of the last instruction's bundle
 * @halted: the processor was told to sleep, and has not done anything since
 * @on: counters with a privilege level
 * @psr: processor status by which @enabled is: psr.up, pp and cpl
 * @enabled: counters that are then
 * @filtered: a range or an opcode qualifies events
 * @qualify: events have to be qualified one by one
 * @data: something captures or counts misses of data
 * @code: and of instructions
 * @trace: and branches
 * @ips: and retired instructions
 * @thresholds: a counter has one
 * @in_cycle: increments of this cycle, for counters with a threshold
 * @insn: the instruction that is executed
 * @dear_ready: cycle from which on a load may be captured
 * @path: counters of the model of a branch predictor
 * @target: and the target that a branch had when it was taken last
 * @flushed: a branch was mispredicted since the last entry of the IP-EAR
 * @untaken: the last branch, which was not taken: it is captured if none of its bundle is
 * @untaken_valid: see there
 * @ipear_until: cycle up to which instructions are captured after a freeze, or 0
 * @ipear_last: cycle of the last captured instruction
 */
struct pmu {
	struct mont mont;
	struct cpu *cpu;
	char found[FINDINGS][120];
	uint64_t ibr[8], dbr[8];
	unsigned int on, enabled;
	uint64_t psr;
	bool filtered, qualify, data, code, trace, ips, thresholds;
	uint64_t cycles, bundle;
	bool halted;
	uint64_t in_cycle[MONT_LAST + 1];
	struct pmu_insn insn;
	uint64_t dear_ready;
	struct pmu_cache cache[CACHE_COUNT];
	uint64_t line[CACHE_LINES];
	uint8_t path[PREDICTIONS];
	uint64_t target[PREDICTIONS];
	bool flushed, untaken_valid;
	struct mont_event untaken;
	uint64_t ipear_until, ipear_last;
};

/* pmu.c: let counter @i grow. */
void pmu_add(struct pmu *pmu, unsigned int i, uint64_t n);

/* pmu-events.c: how often the event @code occurs in an instruction, whoever is to count it */
uint64_t pmu_occurrences(const struct cpu *cpu, const struct pmu_insn *insn, unsigned int code);
/* Report the events and modes that are on, and that this machine does not have. */
void pmu_check_support(struct pmu *pmu);

/* pmu-misses.c: look what an instruction missed, and capture that. */
void pmu_misses_init(struct pmu *pmu);
void pmu_misses(struct pmu *pmu, struct cpu *cpu, struct pmu_insn *insn, bool frozen);
/* An interruption that is no instruction's: it has a source and a target. */
void pmu_exception(struct pmu *pmu, struct cpu *cpu, uint64_t target);

#endif
