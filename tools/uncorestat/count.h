/* SPDX-License-Identifier: GPL-2.0-only */
/* Counting: a perf group for each set of events in each box */
#ifndef UNCORESTAT_COUNT_H
#define UNCORESTAT_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "machine.h"
#include "plan.h"

/**
 * struct counter - an event in a box
 * @event:	index
 * @fd:		of perf
 * @prev:	raw value at the last look
 * @rate:	per second of the last interval
 * @total:	since the start, as if it had counted all the time
 */
struct counter {
	unsigned int event;
	int fd;
	uint64_t prev;
	double rate;
	double total;
};

enum count_state {
	COUNT_OK,
	COUNT_STILL,	/* it did not run in this interval */
	COUNT_OFFLINE,	/* there is no CPU to count from */
	COUNT_GONE,	/* the box went away */
	COUNT_BACKWARD,	/* a value fell: not to be believed */
};

/**
 * struct counted - a perf group
 * @pmu:	the box
 * @socket:	index in machine.sockets
 * @counters:	its events, the leader first
 * @share:	of the last interval in which it counted, 0 to 1
 * @idle:	intervals since it last counted something
 * @state:	of the last interval
 */
struct counted {
	struct pmu *pmu;
	unsigned int socket;
	struct counter counters[MAX_GROUP_EVENTS];
	unsigned int nr;
	uint64_t enabled, running;
	double share;
	unsigned int idle;
	enum count_state state;
};

/**
 * struct refused - an event that a box cannot count
 * @why:	in the user's terms
 */
struct refused {
	struct pmu *pmu;
	unsigned int socket;
	unsigned int event;
	char why[160];
};

/**
 * struct counting - all groups
 * @machine:	whose boxes
 */
struct counting {
	struct machine *machine;
	struct counted *list;
	unsigned int nr;
	struct refused *refused;
	unsigned int nr_refused;
};

/**
 * event_open - perf_event_open() of a box
 * @group:	of a leader, or -1
 */
int event_open(const struct pmu *pmu, int cpu, const uint64_t config[3], int group,
	       bool disabled);

/**
 * count_open - open all groups, counting from now on
 *
 * Dies if the user may not count. What a box refuses is in refused.
 */
void count_open(struct counting *c, struct machine *m, const struct plan *plan);

/**
 * count_start - forget what was counted until now
 */
void count_start(struct counting *c);

/**
 * count_read - one read() for each group; then rate and total are of now
 */
void count_read(struct counting *c);

#endif
