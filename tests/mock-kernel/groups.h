/* SPDX-License-Identifier: GPL-2.0-only */
/* Random operations on groups of events, and what the events should count */
#ifndef MOCK_KERNEL_GROUPS_H
#define MOCK_KERNEL_GROUPS_H

#include "testing.h"

struct sample;		/* each program's own */

/* An event, and its expected count */
struct member {
	struct perf_event *event;
	const struct sample *sample;	/* what it counts */
	u64 expect;			/* what it should have counted */
	bool stopped;			/* scheduled, but stopped */
};

#define MAX_GROUPS	10
#define MAX_MEMBERS	5

/* A group without members is not open. */
extern struct group {
	struct member m[MAX_MEMBERS];
	unsigned int n;
} groups[MAX_GROUPS];

/**
 * struct group_rules - differences between drivers
 * @rate: increment of an event's count per tick
 * @has_room: whether a group can be scheduled beside the scheduled ones
 * @unsure: whether has_room() cannot tell; or NULL
 * @nr: number of groups
 * @disable: start and stop events with the PMU disabled
 * @goes_on: a stopped event continues to count
 * @uses: number of machines that groups_random() and groups_fuzz() try, for @rounds each
 * @begin: load the driver on one of them
 * @operation: a random operation
 * @check: check the invariants between two operations
 * @end: unload the driver
 */
struct group_rules {
	u64 (*rate)(const struct member *m);
	bool (*has_room)(const struct group *g);
	bool (*unsure)(const struct group *g);
	unsigned int nr;
	bool disable;
	bool goes_on;
	unsigned int uses, rounds;
	void (*begin)(unsigned int use, unsigned int round);
	void (*operation)(void);
	void (*check)(void);
	void (*end)(unsigned int use);
};

extern const struct group_rules *group_rules;

/* Random operations, with a result for each use; those of a fuzzer */
void groups_random(const struct group_rules *rules);
void groups_fuzz(const struct group_rules *rules);

#define for_each_group(g) \
	for (g = groups; g < groups + group_rules->nr; g++)
/* The next member of open groups, from @m on */
struct member *groups_next(struct group **g, struct member *m);
#define for_each_member(g, m_) \
	for (g = groups, m_ = groups_next(&g, g->m); m_; \
	     m_ = groups_next(&g, m_ + 1))

/* Add @ticks to what scheduled events should have counted */
void groups_tick(u64 ticks);
/* Check the count of the last read */
void check_count(struct member *m, const char *what);
/* Schedule a group, and check that it is rejected if there is no room */
void group_sched_in(struct group *g);
/* Stop or start one of its events, on its counter */
void group_start_stop(struct group *g);
void group_close(struct group *g);
void groups_close(void);

#endif
