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

/* A result passes with at least one check and no fault. */
__attribute__((format(printf, 1, 2)))
void result(const char *fmt, ...);

/* An event on a CPU, or of a task (-1), and what event_init() returns and logs */
struct refusal {
	struct perf_event_attr attr;
	int cpu, err;
	unsigned int attach;	/* its attach_state */
	const char *log;	/* NULL: it has to be silent */
};

/* Try events with @config set; those of another PMU are not claimed. */
void test_refusals(struct pmu *pmu, u64 config, const struct refusal *list,
		   unsigned int n);

/* Break up the group, as CPU hotplug does: a new member is refused, a child's is not. */
void test_given_up(struct perf_event *leader);

/* After the last test: what main() returns; @all: was none left out? */
int tests_done(bool all);

#endif
