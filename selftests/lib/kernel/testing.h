/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of a driver share under the mock kernel, whatever the driver */
#ifndef LIB_KERNEL_TESTING_H
#define LIB_KERNEL_TESTING_H

#include "kernel.h"
#include "lib/random/draw.h"

/*
 * A check is "if (wrong(CONDITION)) fault(...)". Each has to be made before
 * tests_done(), and one of them at least before each result.
 */
struct check {
	const char *file;
	int line;
};

extern unsigned int checks;
void checked(const struct check *check);
#define wrong(condition) ({						\
	static const struct check check_				\
		__attribute__((section("check_sites"), used, aligned(16))) = {		\
		__FILE__, __LINE__					\
	};								\
	checked(&check_);						\
	(condition);							\
})

/* A test has passed if it checked something, and found fault with nothing. */
__attribute__((format(printf, 1, 2)))
void result(const char *fmt, ...);

/* An event that is tried, on a CPU or as a task's (-1), and what event_init() and the log say */
struct refusal {
	struct perf_event_attr attr;
	int cpu, err;
	unsigned int attach;	/* its attach_state */
	const char *log;	/* NULL: it has to be silent */
};

/* Try events; @config is set in all of them. Those of other PMUs are not taken. */
void test_refusals(struct pmu *pmu, u64 config, const struct refusal *list,
		   unsigned int n);

/*
 * Have perf give up the group of @leader, as it does when the group's CPU goes
 * offline, and open a member like it: that is refused, but a child's is not.
 */
void test_given_up(struct perf_event *leader);

/* After the last test: what main() returns; @all: was none left out? */
int tests_done(bool all);

#endif
