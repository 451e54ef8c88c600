/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UNCORE_TESTS_H
#define UNCORE_TESTS_H

#include "mock-kernel/testing.h"
#include "machine.h"

/* A check in one line; a fault has its place and box. */
#define CHECK(condition)						\
do {									\
	if (wrong(!(condition)))					\
		fault("%s:%d: %s: not so: %s", __FILE__, __LINE__,	\
		      where(), #condition);		\
} while (0)

/* The driver's module parameters */
extern const struct kernel_param uncore_names_param, unlisted_param,
				 mock_param;
#define snbep_unlisted	(*(bool *)unlisted_param.arg)

/* The box under test */
extern struct hw_box *box;

/* The package ID of the socket of box */
int box_package(void);
/* A line of the log about it, with its number in place of %d */
const char *of_socket(const char *fmt);
/* Load the driver for a test of a box; unload it, and check that nothing is left. */
void begin(unsigned int socket, const char *name);
void end(void);

/* The PMU of a box, or NULL */
struct pmu *pmu_of(const char *box);

/* The same without a box; load may fail. */
int load(void);
void unload(void);

/* Open an event of a box's PMU; NULL with open_errno if it is refused. */
extern int open_errno;
struct perf_event *open_event(const char *box, int cpu, u64 config, u64 config1,
			      u64 config2, struct perf_event *leader);
/* The same for the box under test; open_on() also schedules it, and faults if it cannot. */
struct perf_event *try_open(u64 config, u64 config1, struct perf_event *leader);
struct perf_event *open_on(u64 config, u64 config1, struct perf_event *leader);
/* A software event, alone or in a group */
struct perf_event *open_software(struct perf_event *leader);

/* Check that an open failed with this error and log line. */
#define EXPECT_REFUSED(event, err, text)				\
do {									\
	CHECK(!(event));						\
	EXPECT(open_errno, err);					\
	expect_log(text, true);						\
	log_clear();							\
} while (0)

/* Read an event's count on a CPU. */
#define EXPECT_COUNT(event, cpu, want)					\
do {									\
	mock_read(event, cpu);						\
	EXPECT(count_of(event), want);					\
} while (0)

/* The amount per tick of an event without a filter */
u64 rate_of(u64 config);

/* Two events of each box type that any counter supports */
#define NR_PLAIN	8
extern const struct plain {
	const char *box;
	u64 config, other;
} plain[NR_PLAIN];

#define for_each_plain(p) \
	for (p = plain; p < plain + NR_PLAIN; p++)

/* Advance the box's counters by ticks. */
void pass(u64 ticks);

/* Set the field of a term, such as "umask=0x3", by format/; false without such a field */
bool put_term(struct pmu *pmu, const char *term, u64 word[3]);

/* Counter of the box's only event; number of enabled counters */
unsigned int used_ctr(void);
unsigned int enabled(void);

void test_contract(void);
void test_probe(void);
void test_load(void);
void test_groups(void);
void test_refuse(void);
void test_counters(void);
void test_hotplug(void);
void test_ports(void);
void test_cost(void);
void test_random(void);
void test_explore(const char *what);

#endif
