/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef ITANIUM_TESTS_H
#define ITANIUM_TESTS_H

#include "mock-kernel/testing.h"
#include "machine.h"

/* Format fields, from the table of Documentation/itanium_pmu.rst */
#define FILTER(n)	((unsigned long long)(n) << 40)
#define FINE		(1ULL << 43)
#define ADDR_BITS(n)	((unsigned long long)(n) << 44)
#define DATA_BITS(n)	((unsigned long long)(n) << 50)
#define TM(n)		((unsigned long long)(n) << 56)
#define PTM(n)		((unsigned long long)(n) << 58)
#define PPM(n)		((unsigned long long)(n) << 60)
#define EAR(n, umask)	((unsigned long long)(n) << 20 | (unsigned long long)(umask) << 24)
#define IP_DELAY(n)	((unsigned long long)(n) << 32)

/* The row of a table that a fault belongs to, or a random operation */
extern unsigned int row;
/*
 * Run @test in a process of its own, as a module can be loaded once per process; its faults count
 * here.
 */
void in_process(void (*test)(unsigned int n), unsigned int n);

/* Load the driver; its PMU, or NULL, and its backend's operations */
extern const struct itanium_ops *backend_ops;
extern struct pmu *pmu;
int load(void);
void unload(void);
/* Switch a CPU to another task, with ->sched_task. */
void task_comes(unsigned int cpu, struct task_struct *next);

/* Both backends, by the names that the Makefile gives their functions */
int backend_model_init(void);
int backend_ia64_init(void);
void backend_model_exit(void);
void backend_ia64_exit(void);

/* An event of a processor, and what perf said if there is none */
extern int open_errno;
struct perf_event *open_attr(unsigned int cpu, const struct perf_event_attr *attr,
			     struct perf_event *leader);
struct perf_event *open_on(unsigned int cpu, u64 config);

/* The control of the counter that an event has */
static inline u64 control_of(const struct perf_event *event)
{
	return hw[event->cpu].mont.pmc[event->hw.idx];
}

/* Expected control of a running event: tables 3-5 and 3-6 */
u64 want_control(const struct perf_event_attr *attr);

/* Samples of events on CPU 0, as perf gets them */

/* Instructions of the program and of the kernel */
#define UIP		0x400100ULL
#define KIP		0xffffffff81234560ULL

/* Interrupted registers */
extern struct pt_regs user_regs, kernel_regs;

/**
 * struct taken - the last sample
 * @n: how many there were since the event was opened
 * @dropped: overflows without one
 */
extern struct taken {
	unsigned int n, dropped;
	struct perf_event *event;
	struct perf_sample_data data;
	struct pt_regs regs;
	u64 raw[40];
	unsigned int nr_raw;
	struct perf_branch_entry br[16];
	unsigned int nr_br;
} got;

void begin(void);
/* An event that counts, sampled by each one that it counts if it says nothing else */
struct perf_event *start(struct perf_event_attr attr);
/* Overflow it, with @regs as interrupted registers. */
void overflow(struct perf_event *event, struct pt_regs *regs);

/* Tests: with either backend (BOTH), with that for x86 (X86), or as they choose (X86) */
#define TESTS(BOTH, X86)							\
	BOTH(load, "a loaded module counts, and an unloaded one leaves nothing")	\
	X86(processors, "the module loads on Montecito and Montvale, and on no other")	\
	BOTH(early, "an event opened while the PMU is registered is refused")	\
	BOTH(failures, "whichever call fails at load, nothing is left")		\
	BOTH(sysfs, "sysfs has the fields and the aliases, and names the cores' PMU")	\
	BOTH(cpus, "events go offline and come back with their CPU")		\
	BOTH(cost, "no operation accesses more registers than it has to")	\
	BOTH(encode, "an event sets up the registers that the manual wants")	\
	X86(generic, "perf's generic events count what they say")		\
	X86(refused, "what the monitors cannot do is refused, with the reason")	\
	BOTH(groups, "groups that never count are refused, with the reason")	\
	BOTH(rights, "all=1 and lines in the log take CAP_PERFMON")		\
	BOTH(inherited, "an inherited event has what its parent was granted")	\
	X86(background, "with both threads in use six counters have background events") \
	X86(debugger, "ranges and debuggers exclude each other on ia64")	\
	BOTH(periods, "a sample comes with each period, however long")		\
	BOTH(late, "an interrupt of an overflow may be late, or have nothing to tell")	\
	BOTH(group_throttled, "a group is throttled as a whole")		\
	BOTH(ears, "samples of the EARs have what these captured")		\
	BOTH(branches, "branch stacks have what the trace buffer captured")	\
	BOTH(ip, "branch stacks of the IP-EAR have each instruction")		\
	BOTH(raw, "raw records have nothing undefined, old or not counted")	\
	X86(captured, "a sample of a captured instruction has registers of its level")

#define DECLARE_TEST(name, what)	void test_##name(unsigned int n);
TESTS(DECLARE_TEST, DECLARE_TEST)
void test_random(unsigned int seed);
void test_explore(const char *what);

#endif
