/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DRIVER_TESTS_H
#define DRIVER_TESTS_H

#include "lib/kernel/testing.h"
#include "machine.h"

/* Parameters of the driver, as the kernel knows them */
extern const struct kernel_param uncore_names_param, unlisted_param,
				 mock_param;
#define snbep_unlisted	(*(bool *)unlisted_param.arg)

/* The box that a test is about */
extern struct hw_box *box;

/* The driver is loaded for a test of a box, and unloaded, with nothing left. */
void begin(unsigned int socket, const char *name);
void end(void);

/* Open an event of a PMU; open_errno says why there is none. */
extern int open_errno;
struct perf_event *open_event(const char *pmu, int cpu, u64 config, u64 config1,
			      u64 config2, struct perf_event *leader);
/* The same for the box; and as above, but one that has to be there and counts */
struct perf_event *try_open(u64 config, u64 config1, struct perf_event *leader);
struct perf_event *open_on(u64 config, u64 config1, struct perf_event *leader);

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
/* The next read finds so many more than the last one, which begin() forgets. */
extern u64 last;
void expect_more(struct perf_event *event, u64 more);

/* The log has the text, or not. */
void expect_log(const char *text, bool want);

/* Where the only event of the box counts, and how many counters are enabled */
unsigned int used_ctr(void);
unsigned int enabled(void);

void test_contract(void);
void test_random(void);
void test_load(void);
void test_life(void);
void test_open(void);
void test_refuse(void);
void test_fault(void);
void test_cost(void);
void test_several(void);

#endif
