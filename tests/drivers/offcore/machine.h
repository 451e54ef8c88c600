/* SPDX-License-Identifier: GPL-2.0-only */
/* Four CPUs of two cores, with counters and offcore response registers */
#ifndef OFFCORE_MACHINE_H
#define OFFCORE_MACHINE_H

#include "mock-kernel/kernel.h"

#define NR_CTRS		8
/* Offcore responses are counted by PMC0-3 alone: Table 18-35 */
#define OFFCORE_CTRS	4
#define EN		0x400000u
#define OS		0x20000u
#define USR		0x10000u

struct hw_cpu {
	u64 sel[NR_CTRS], pmc[NR_CTRS], ctrl;
	u64 rsp[2];		/* the first thread's, if shared by the core */
	/* How many counters have run the erratum's reset events since one of ours ran */
	unsigned int resets;
	u64 counted;		/* by all counters */
};

extern struct hw_cpu hw[MOCK_CPUS];

extern struct machine {
	unsigned int model, width, nr_rsp;
	unsigned int ctrs;	/* in CPUID: four, or eight without hyper-threading */
	bool shared, resets;
	/* The version of CPUID leaf 0xa */
	unsigned int version;
	/* Counters reserved by others: by counter or by control register */
	unsigned int held_ctr, held_sel;
	/* Counters reserved by the driver */
	unsigned int our_ctr, our_sel;
	/* Accesses of all CPUs */
	unsigned int reads, writes;
} machine;

void machine_choose(unsigned int model);
/* Inject responses on a CPU: its counters count those that their registers select. */
void machine_tick(unsigned int cpu, u64 ticks);
u64 machine_rate(u64 rsp, u64 sel);
u64 *machine_rsp(unsigned int cpu, unsigned int reg);

#endif
