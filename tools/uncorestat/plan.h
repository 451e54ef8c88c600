/* SPDX-License-Identifier: GPL-2.0-only */
/* Selection of events that are counted together */
#ifndef UNCORESTAT_PLAN_H
#define UNCORESTAT_PLAN_H

#include <stdbool.h>

#include "formula.h"

#define MAX_GROUP_EVENTS	8

/**
 * struct set - events that a box can count together
 * @type:	index of the box type
 */
struct set {
	unsigned int type;
	unsigned int events[MAX_GROUP_EVENTS];
	unsigned int nr;
};

/**
 * struct plan - sets of events for some metrics
 * @sets:	sorted by box type
 */
struct plan {
	struct set *sets;
	unsigned int nr;
};

/* Return whether a box can count the set: counters and filter values suffice. */
bool set_fits(const struct set *set);

/**
 * plan_make - make sets of events for metrics
 * @plan:	zeroed
 *
 * Events of a metric in one box type are in the same set if they fit. Metrics
 * share sets if they fit.
 */
void plan_make(struct plan *plan, const unsigned int *which, unsigned int nr);

/**
 * plan_counts - return whether a box counts a set
 * @set:	index of the set
 * @place:	index of the box among the present ones of its type in the socket
 * @present:	number of boxes of its type in the socket
 *
 * If a type with @spread has several sets, and not more than boxes, each box
 * counts one of them. Otherwise, all boxes count all sets, multiplexed.
 */
bool plan_counts(const struct plan *plan, unsigned int set, unsigned int place,
		 unsigned int present);

#endif
