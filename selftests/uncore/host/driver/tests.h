/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DRIVER_TESTS_H
#define DRIVER_TESTS_H

#include "lib/kernel/testing.h"
#include "machine.h"

/* A check in one line: what is wrong is said with its place and box. */
#define CHECK(condition)						\
do {									\
	if (wrong(!(condition)))					\
		fault("%s:%d: %s: not so: %s", __FILE__, __LINE__,	\
		      box ? box->name : "", #condition);		\
} while (0)

#define EXPECT(got, want)						\
do {									\
	long long got_ = (got), want_ = (want);				\
									\
	if (wrong(got_ != want_))					\
		fault("%s:%d: %s: %s is %lld (%#llx), not %lld",	\
		      __FILE__, __LINE__, box ? box->name : "", #got,	\
		      got_, got_, want_);				\
} while (0)

/* Parameters of the driver, as the kernel knows them */
extern const struct kernel_param uncore_names_param, unlisted_param,
				 mock_param;
#define snbep_unlisted	(*(bool *)unlisted_param.arg)

/* The box that a test is about */
extern struct hw_box *box;

/* The driver is loaded for a test of a box, and unloaded, with nothing left. */
void begin(unsigned int socket, const char *name);
void end(void);

/* The same without a box, and whatever the driver says to that */
int load(void);
void unload(void);

/* Open an event of a box's PMU; open_errno says why there is none. */
extern int open_errno;
struct perf_event *open_event(const char *box, int cpu, u64 config, u64 config1,
			      u64 config2, struct perf_event *leader);
/* The same for the box; and as above, but one that has to be there and counts */
struct perf_event *try_open(u64 config, u64 config1, struct perf_event *leader);
struct perf_event *open_on(u64 config, u64 config1, struct perf_event *leader);
/* An event of the kernel's own, alone or in a group */
struct perf_event *open_software(struct perf_event *leader);

/* That failed, with this error and line of the log */
#define EXPECT_REFUSED(event, err, text)				\
do {									\
	CHECK(!(event));						\
	EXPECT(open_errno, err);					\
	expect_log(text, true);						\
	log_clear();							\
} while (0)

/* What an event has counted by now, read on a CPU */
#define EXPECT_COUNT(event, cpu, want)					\
do {									\
	mock_read(event, cpu);						\
	EXPECT(count(event), want);					\
} while (0)

/* What an event has counted, and what it counts with each tick without a filter */
u64 count(const struct perf_event *event);
u64 rate_of(u64 config);

/* Two events of a box of each kind that any of its counters takes */
#define NR_PLAIN	8
extern const struct plain {
	const char *box;
	u64 config, other;
} plain[NR_PLAIN];

#define for_each_plain(p) \
	for (p = plain; p < plain + NR_PLAIN; p++)

/* Time passes, and the counters of the box go on by so many ticks. */
void pass(u64 ticks);
/* A file of a PMU has this; NULL: there is no such file, or no such PMU. */
void expect_file(const char *box, const char *group, const char *file, const char *want);

/* Put the value of a term, as "umask=0x3", where format/ says; false if there is no such field. */
bool put_term(struct pmu *pmu, const char *term, u64 word[3]);

/* The log has the text, or not. */
void expect_log(const char *text, bool want);

/* Where the only event of the box counts, and how many counters are enabled */
unsigned int used_ctr(void);
unsigned int enabled(void);

void test_contract(void);
void test_probe(void);
void test_load(void);
void test_groups(void);
void test_refuse(void);
void test_counters(void);
void test_hotplug(void);
void test_fault(void);
void test_cost(void);
void test_random(void);

#endif
