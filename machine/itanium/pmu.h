/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * pmu.h: the performance monitors of Montecito, from chapter 3 of its reference manual (Intel
 * 308065-001), whose tables are cited. pmu.c has the registers and the counters, pmu-events.c
 * what an event is, pmu-filter.c address ranges and opcodes, pmu-capture.c the event address
 * registers and the trace buffer.
 *
 * It is as adversarial as the manual allows: a write takes effect when it is serialized and not
 * before, and what the manual leaves undefined is noise and is told on standard error, once.
 */
#ifndef IA64_MACHINE_PMU_H
#define IA64_MACHINE_PMU_H

#include "cpu.h"

#define PMC_COUNT	43
#define PMD_COUNT	64
#define FIRST_COUNTER	4
#define LAST_COUNTER	15
#define COUNTERS	(LAST_COUNTER - FIRST_COUNTER + 1)

/* Tables 3-5 and 3-6: fields that a counter's PMC has, and others have at the same place */
#define PMC_PLM(v)		((v) & 0xf)
#define PMC_OI			(1ULL << 5)
#define PMC_PM			(1ULL << 6)
#define PMC_EVENT(v)		((v) >> 8 & 0xff)
#define PMC_UMASK(v)		((v) >> 16 & 0xf)
#define PMC_THRESHOLD(v)	((v) >> 20 & 7)
#define PMC_ISM(v)		((v) >> 24 & 3)
#define ISM_RIGHT		2

/* Table 3-8 */
#define PMC0_FREEZE		1ULL

/* Table 3-7: 47 bits count; the others read as the highest of them. */
#define COUNTER_BITS		47
#define COUNTER_MASK		((1ULL << COUNTER_BITS) - 1)

/* Numbers of registers that are not counters */
enum {
	PMC_OPCODE0 = 32, PMC_OPCODE_CONFIG = 36, PMC_IEAR = 37, PMC_IBR = 38, PMC_ETB = 39,
	PMC_DEAR = 40, PMC_DBR = 41, PMC_IPEAR = 42,
	PMD_DEAR_ADDRESS = 32, PMD_DEAR_LATENCY = 33, PMD_IEAR_ADDRESS = 34, PMD_IEAR_LATENCY = 35,
	PMD_DEAR_IP = 36, PMD_ETB_INDEX = 38, PMD_ETB_EXTENSION = 39, PMD_ETB = 48,
};

#define ETB_ENTRIES		16

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

/* An instruction, and what it did */
struct pmu_insn {
	const struct retired *retired;
	struct pmu_memory memory;
	struct pmu_flow flow;
	uint64_t cycles, halted;	/* since the one before: at work, and asleep */
	bool new_bundle;
	unsigned int tags;		/* bit n: channel n */
	bool data_tag;
	bool data_missed;			/* the first-level cache */
	bool data_ear, code_ear, traced;	/* what was captured */
};

/* A cache: which lines are there, of each set the one that was used last first */
struct pmu_cache {
	unsigned int line_bits, sets, ways;
	uint64_t *line;
};

enum {
	CACHE_L1D, CACHE_L1I, CACHE_L2D, CACHE_L2I, CACHE_L3, CACHE_DTLB, CACHE_ITLB,
	CACHE_COUNT,
};

#define PREDICTIONS	1024

/**
 * struct pmu - the monitors of a processor
 * @pmc: what the registers hold, as far as the processor knows
 * @pmd: see there
 * @next_pmc: what was written and is not serialized
 * @next_pmd: see there
 * @pmc_written: bit n: @next_pmc n is valid
 * @pmd_written: see there
 * @cycles: cpu.cycles up to where they are counted
 * @bundle: of the last instruction
 * @halted: the processor was told to sleep, and has not done anything since
 * @in_cycle: what events have added in this cycle to counters with a threshold
 * @memory: of the instruction that is executed
 * @flow: see there
 * @noise: state of the generator of noise
 * @told: bit n: complaint n was made
 * @dear_ready: cycle from which on a load may be captured
 * @path: counters of the model of a branch predictor
 * @target: and the target that a branch had when it was taken last
 * @flushed: a branch was mispredicted since the last entry of the IP-EAR
 * @etb_target: where the last entry of the trace buffer goes to
 * @etb_target_valid: and whether it is one that goes somewhere
 * @etb_untaken: a branch was not taken in this bundle
 * @etb_untaken_ip: which is this
 * @etb_untaken_mp: and that was mispredicted
 * @ipear_until: cycle up to which instructions are captured after a freeze, or 0
 * @ipear_last: cycle of the last captured instruction
 */
struct pmu {
	uint64_t pmc[PMC_COUNT], pmd[PMD_COUNT];
	uint64_t next_pmc[PMC_COUNT], next_pmd[PMD_COUNT];
	uint64_t pmc_written, pmd_written;
	uint64_t cycles, bundle;
	bool halted;
	uint64_t in_cycle[COUNTERS];
	struct pmu_memory memory;
	struct pmu_flow flow;
	uint64_t noise;
	uint32_t told;
	uint64_t dear_ready;
	struct pmu_cache cache[CACHE_COUNT];
	uint8_t path[PREDICTIONS];
	uint64_t target[PREDICTIONS];
	bool flushed, etb_target_valid, etb_untaken, etb_untaken_mp;
	uint64_t etb_target, etb_untaken_ip;
	uint64_t ipear_until, ipear_last;
};

/* pmu.c: complain of what the manual does not allow; each @nr is heard once. */
enum {
	TELL_UNKNOWN, TELL_RESERVED, TELL_ISM, TELL_EARLY, TELL_ANCHOR, TELL_COUNTER, TELL_EVENT,
	TELL_BIT47, TELL_TAGS, TELL_ETB, TELL_DS, TELL_IEAR, TELL_MODE, TELL_SUPPORT,
};

void pmu_tell(struct pmu *pmu, unsigned int nr, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
uint64_t pmu_noise(struct pmu *pmu);
/* Whether the monitor of PMC @index is on, with processor status @psr */
bool pmu_enabled(const struct pmu *pmu, unsigned int index, uint64_t psr);

/* pmu-events.c: by how much an instruction lets the event of PMC @index grow */
uint64_t pmu_event(struct pmu *pmu, struct cpu *cpu, const struct pmu_insn *insn,
		   unsigned int index);
/* Look whether the manual allows the events that are on. */
void pmu_check_events(struct pmu *pmu);

/* pmu-filter.c */
void pmu_filter(const struct pmu *pmu, const struct cpu *cpu, struct pmu_insn *insn);
void pmu_check_filter(struct pmu *pmu);

/* pmu-capture.c */
void pmu_capture_init(struct pmu *pmu);
void pmu_check_capture(struct pmu *pmu);
void pmu_capture(struct pmu *pmu, struct cpu *cpu, struct pmu_insn *insn);
/* An interruption that is no instruction's: it has a source and a target. */
void pmu_capture_exception(struct pmu *pmu, struct cpu *cpu, uint64_t ip, unsigned int slot,
			   uint64_t target);
/* Whether the IP-EAR goes on for a while after a freeze; with the latter, that there was one. */
bool pmu_ipear_runs(const struct pmu *pmu, const struct cpu *cpu);
void pmu_ipear_freeze(struct pmu *pmu, const struct cpu *cpu);

#endif
