/* SPDX-License-Identifier: GPL-2.0-only */
/* Four processors with Montecito's monitors: a PCI device's, or their own (ia64) */
#ifndef ITANIUM_MACHINE_H
#define ITANIUM_MACHINE_H

#include "mock-kernel/kernel.h"
#include "machine/montecito/monitors.h"

#define FIRST_COUNTER	MONT_FIRST
#define LAST_COUNTER	MONT_LAST
#define FR		MONT_FREEZE
#define PLM		0xfULL
#define OI		MONT_OI
#define IDLE		0x2000000ULL	/* only .ism, which is mandatory */

/* Shared registers after reset: section 3.3.12, and 0 for those that are off */
#define P32		0x030f01ffffffffffULL
#define P33		0x000001ffffffffffULL
#define P36		0xfffffff0ULL
#define P38		0xdb6ULL
#define P40		0x2000000ULL
#define P41		0x2078fefefefeULL

struct hw_cpu {
	struct mont mont;
	u64 ibr[8], dbr[8], pmv;
	bool interrupt;			/* pending */
	unsigned int reads, writes;
	u64 read_pmd;			/* bit n set: PMDn was read */
	/* ia64: written, and without effect yet: IBRs; DBRs and PMV */
	bool late_i, late_d;
};

extern struct hw_cpu hw[MOCK_CPUS];
/* The driver uses backend_ia64.c, not backend_model.c. */
extern bool on_ia64;
/* The interrupt is a level (3.3.11): see machine/montecito. */
extern bool level;

extern struct machine {
	bool absent, held, mapped, enabled, master, vectors, level;
	int error;			/* of the call that failed */
	struct cpumask affinity[MOCK_CPUS];
	irq_handler_t handler[MOCK_CPUS];
	unsigned int handling;		/* handlers that run */
	/* ia64: CPUID[3], events with breakpoint registers, if no debugger has them */
	u64 cpuid;
	unsigned int ranges;
	bool debugged, put_off;		/* put_off: perf has work for irq_work_run() */
} machine;

/* Advance time; returns how long the monitors ran. */
unsigned int machine_tick(unsigned int cpu, unsigned int ticks);
/* Amount per unit of time of a counter */
u64 machine_rate(u64 pmc);
/* Deliver pending interrupts, with @regs as interrupted registers. */
void machine_interrupts(unsigned int cpu, struct pt_regs *regs);
void machine_tally(void);
/* ia64: check that every write is serialized */
void machine_serialized(unsigned int cpu, const char *when);
/* A processor after reset */
void machine_cpu_reset(unsigned int cpu);

/* Hooks that capture or advance time at chosen points */
extern struct machine_hooks {
	void (*read_pmc0)(unsigned int cpu);	/* after it was read, running */
	void (*capture)(unsigned int cpu);	/* before an overflow freezes */
	int (*sample)(struct perf_event *event, struct perf_sample_data *data,
		      struct pt_regs *regs);
	int (*account)(struct perf_event *event);
} machine_hooks;

#endif
