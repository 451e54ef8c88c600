/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of a driver in a program of the host share, whatever the driver */
#ifndef LIB_KERNEL_TESTING_H
#define LIB_KERNEL_TESTING_H

#include "kernel.h"
#include "lib/chance/draw.h"

/* A test has passed if nothing was found fault with since the last one. */
__attribute__((format(printf, 1, 2)))
void result(const char *fmt, ...);

/**
 * struct refusal - an event that is tried, and what becomes of it
 * @attr: the event
 * @cpu: where it is to count, or -1 for a task
 * @err: what event_init() says
 * @attach: its attach_state
 * @log: what the log says, or NULL if it has to be silent
 */
struct refusal {
	struct perf_event_attr attr;
	int cpu, err;
	unsigned int attach;
	const char *log;
};

/* Try events; @config is set in all of them. Those of other PMUs are not taken. */
void test_refusals(struct pmu *pmu, u64 config, const struct refusal *list,
		   unsigned int n);

/*
 * Have perf give up the group of @leader, as it does when the group's CPU goes
 * offline, and open a member like it: that is refused, but a child's is not.
 */
void test_given_up(struct perf_event *leader);

/* After the last test: what main() returns */
int tests_done(void);

#endif
