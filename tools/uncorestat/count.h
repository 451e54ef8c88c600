/* SPDX-License-Identifier: GPL-2.0-only */
/* Counting with perf groups: one for each set of events and box */
#ifndef UNCORESTAT_COUNT_H
#define UNCORESTAT_COUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "machine.h"
#include "plan.h"

/**
 * struct counter - an event in a box
 * @event:	index of the event
 * @fd:		perf event
 * @prev:	raw value at the last read
 * @rate:	events per second in the last interval
 * @backward:	it decreased in the last interval, and has no rate
 */
struct counter {
	unsigned int event;
	int fd;
	uint64_t prev;
	double rate;
	bool backward;
};

enum count_state {
	COUNT_OK,
	COUNT_NOT_RUN,	/* not scheduled in this interval */
	COUNT_UNREAD,	/* its read() fails */
	COUNT_OFFLINE,	/* all CPUs of the socket are offline */
	COUNT_GONE,	/* the box is gone */
};

/**
 * struct counted - a perf group
 * @pmu:	the box
 * @socket:	index in machine.sockets
 * @counters:	its events, leader first
 * @share:	share of the last interval in which it was scheduled, 0 to 1
 * @seconds:	duration of the last interval, with those before in which it was not scheduled
 * @idle:	number of intervals since a count changed
 * @state:	state in the last interval
 */
struct counted {
	struct pmu *pmu;
	unsigned int socket;
	struct counter counters[MAX_GROUP_EVENTS];
	unsigned int nr;
	uint64_t enabled, running;
	double share, seconds;
	unsigned int idle;
	enum count_state state;
};

/**
 * struct refused - an event that a box cannot count
 * @why:	reason for the user
 */
struct refused {
	struct pmu *pmu;
	unsigned int socket;
	unsigned int event;
	char why[160];
};

/**
 * struct counting - all groups
 * @machine:	the PMUs
 */
struct counting {
	struct machine *machine;
	struct counted *list;
	unsigned int nr;
	struct refused *refused;
	unsigned int nr_refused;
};

/* Open all groups; @c is zeroed. Exits without permission; refused events are in c->refused. */
void count_open(struct counting *c, struct machine *m, const struct plan *plan);

/* Close all groups. */
void count_close(struct counting *c);

/* Start from zero. */
void count_start(struct counting *c);

/* Count groups of resctrl that are new since the last call; returns whether there are any. */
bool count_more(struct counting *c, const struct plan *plan);

/* Read all groups, and update the rates. */
void count_read(struct counting *c);

#endif
