/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by all drivers' tests under the mock kernel: TAP, checks, and the log */
#ifndef MOCK_KERNEL_TESTING_H
#define MOCK_KERNEL_TESTING_H

#include "kernel.h"
#include "fuzzing/draw.h"

/*
 * A check is "if (wrong(CONDITION)) fault(...)". Each has to run before tests_done(),
 * and at least one before each result.
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

/* Where a test is, for its faults: each program's own */
const char *where(void);

/* Compare two values. */
#define EXPECT(got, want)						\
do {									\
	long long got_ = (got), want_ = (want);				\
									\
	if (wrong(got_ != want_))					\
		fault("%s:%d: %s: %s is %lld (%#llx), not %lld",	\
		      __FILE__, __LINE__, where(), #got, got_, got_, want_);	\
} while (0)

static inline u64 count_of(const struct perf_event *event)
{
	return event->count.a.a.v;
}

/* Check a file of a PMU; @want NULL: no such file or PMU. */
void expect_file(struct pmu *pmu, const char *group, const char *file, const char *want);
/* Check whether the log has the text. */
void expect_log(const char *text, bool want);

/* A result passes with at least one check and no fault. */
__attribute__((format(printf, 1, 2)))
void result(const char *fmt, ...);

/* An event on a CPU, or of a task (-1), and what event_init() returns and logs */
struct refusal {
	struct perf_event_attr attr;
	int cpu, err;
	unsigned int attach;	/* its attach_state */
	const char *log;	/* NULL: no line is allowed */
};

/* Try events with @config set; those of another PMU are not claimed. */
void test_refusals(struct pmu *pmu, u64 config, const struct refusal *list, unsigned int n);

/* Break up the group, as CPU hotplug does: a new member is refused, an inherited one is not. */
void test_given_up(struct perf_event *leader);

/* After the last test: returns main()'s result; @all: whether every test ran */
int tests_done(bool all);

#endif
