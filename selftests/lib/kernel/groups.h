/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Groups of events that come and go by chance, and what they should count: for
 * tests of what a driver does whatever perf does.
 */
#ifndef LIB_KERNEL_GROUPS_H
#define LIB_KERNEL_GROUPS_H

#include "testing.h"

struct sample;		/* each program's own */

/* An event that is counted beside the driver */
struct member {
	struct perf_event *event;
	const struct sample *sample;	/* what it counts */
	u64 expect;			/* what it should have counted */
	u64 seen;			/* what it had counted at the last read */
	bool stopped;			/* it has its place, and does not count */
};

#define MAX_GROUPS	10
#define MAX_MEMBERS	5

/* Groups of events that come and go by chance; one without members is not open. */
extern struct group {
	struct member m[MAX_MEMBERS];
	unsigned int n;
} groups[MAX_GROUPS];

/**
 * struct group_rules - what is different from driver to driver
 * @where: what faults are of, for people
 * @rate: what a tick adds to it
 * @has_room: whether a group finds room beside those that are on
 * @unsure: nobody can say so; NULL if that never is
 * @spoilt: somebody else has a hand in the counts, which only may not go back;
 *	NULL if that never is
 * @nr: how many groups there are at a time
 * @disable: perf starts and stops an event with the PMU disabled, which not
 *	every driver needs
 * @goes_on: an event counts also while perf has it stopped
 */
struct group_rules {
	const char *(*where)(void);
	u64 (*rate)(const struct member *m);
	bool (*has_room)(const struct group *g);
	bool (*unsure)(const struct group *g);
	bool (*spoilt)(void);
	unsigned int nr;
	bool disable;
	bool goes_on;
};

extern const struct group_rules *group_rules;

#define for_each_group(g) \
	for (g = groups; g < groups + group_rules->nr; g++)
/* Members of open groups: the next one from @m on, which may be none of *@g */
struct member *groups_next(struct group **g, struct member *m);
#define for_each_member(g, m_) \
	for (g = groups, m_ = groups_next(&g, g->m); m_; \
	     m_ = groups_next(&g, m_ + 1))

/* Time has passed for the events. */
void groups_tick(u64 ticks);
/* An event has counted what it should, as of the last time that it was read. */
void check_count(struct member *m, const char *what);
/* The group is taken if there is room, and not otherwise. */
void group_sched_in(struct group *g);
/* One of its events is stopped, or started again, at its place. */
void group_start_stop(struct group *g);
void group_close(struct group *g);
void groups_close(void);

#endif
