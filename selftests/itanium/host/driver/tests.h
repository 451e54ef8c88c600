/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DRIVER_TESTS_H
#define DRIVER_TESTS_H

#include "lib/kernel/testing.h"
#include "machine.h"

/* How a user writes an event: the table of Documentation/itanium_pmu.rst */
#define FILTER(n)	((unsigned long long)(n) << 40)
#define FINE		(1ULL << 43)
#define ADDR_BITS(n)	((unsigned long long)(n) << 44)
#define DATA_BITS(n)	((unsigned long long)(n) << 50)
#define TM(n)		((unsigned long long)(n) << 56)
#define PTM(n)		((unsigned long long)(n) << 58)
#define PPM(n)		((unsigned long long)(n) << 60)
#define JITTER		(1ULL << 62)
#define EAR(n, umask)	((unsigned long long)(n) << 20 | (unsigned long long)(umask) << 24)
#define IP_DELAY(n)	((unsigned long long)(n) << 32)

/* Compare two values; a fault has the row of the table that they belong to. */
extern unsigned int row;
#define EXPECT(got, want)						\
	do {								\
		unsigned long long got_ = (got), want_ = (want);	\
									\
		if (wrong(got_ != want_))				\
			fault("%s, row %u: " #got " is %#llx, not %#llx", \
			      __func__, row, got_, want_);		\
	} while (0)

/*
 * A module is loaded once in each process: @test runs in one of its own, and what
 * is found fault with there is found fault with here.
 */
void in_process(void (*test)(unsigned int n), unsigned int n);

/* The driver, loaded; its PMU, or NULL, and what its backend gave it */
extern const struct itanium_ops *backend_ops;
extern struct pmu *pmu;
int load(void);
void unload(void);
/* The scheduler puts another task on a processor, and perf tells the driver. */
void task_comes(unsigned int cpu, struct task_struct *next);
void expect_log(const char *text);

/* An event of a processor, and what perf said if there is none */
extern int open_errno;
struct perf_event *open_attr(unsigned int cpu, const struct perf_event_attr *attr,
			     struct perf_event *leader);
struct perf_event *open_on(unsigned int cpu, u64 config);
static inline u64 count_of(const struct perf_event *event)
{
	return event->count.a.a.v;
}

/* The control of the counter that an event has */
static inline u64 control_of(const struct perf_event *event)
{
	return hw[event->cpu].pmc[event->hw.idx];
}

/* What the manual wants in it, of a running event: tables 3-5 and 3-6 */
u64 want_control(const struct perf_event_attr *attr);

void test_load(unsigned int n);
void test_early(unsigned int n);
void test_processors(unsigned int n);
void test_failures(unsigned int n);
void test_sysfs(unsigned int n);
void test_cpus(unsigned int n);
void test_cost(unsigned int n);
void test_refused(unsigned int n);
void test_groups(unsigned int n);
void test_rights(unsigned int n);
void test_inherited(unsigned int n);
void test_background(unsigned int n);
void test_debugger(unsigned int n);
void test_periods(unsigned int n);
void test_late(unsigned int n);
void test_throttled(unsigned int n);
void test_running(unsigned int n);
void test_group_throttled(unsigned int n);
void test_dear(unsigned int n);
void test_iear(unsigned int n);
void test_branches(unsigned int n);
void test_ip(unsigned int n);
void test_raw(unsigned int n);
void test_registers(unsigned int n);
void test_tasks(unsigned int n);
void test_encode(unsigned int n);
void test_generic(unsigned int n);
void test_random(unsigned int seed);

#endif
