/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which events are counted together, by the guide's rules: a counter for each
 * event among those that may count it, and one value in a filter register.
 */
#ifndef UNCORESTAT_PLAN_H
#define UNCORESTAT_PLAN_H

#include <stdbool.h>

#include "table.h"

#define MAX_GROUP_EVENTS	8

/**
 * struct set - events that a box can count at one time
 * @type:	index of the box type
 */
struct set {
	unsigned int type;
	unsigned int events[MAX_GROUP_EVENTS];
	unsigned int nr;
};

/**
 * struct plan - what to count for some metrics
 * @sets:	by box type
 */
struct plan {
	struct set *sets;
	unsigned int nr;
};

/**
 * metric_events - the events of a metric's equation
 * @events:	room for MAX_METRIC_EVENTS
 * Return: how many.
 */
#define MAX_METRIC_EVENTS	32
unsigned int metric_events(const struct metric *m, unsigned int *events);

/**
 * set_fits - could a box count these at one time?
 */
bool set_fits(const struct set *set);

/**
 * plan_make - sets for these metrics
 *
 * The events of a metric that are in boxes of one type come into one set if
 * they fit, and metrics share sets as long as these fit.
 */
void plan_make(struct plan *plan, const unsigned int *which, unsigned int nr);

/**
 * plan_counts - does a box count a set?
 * @set:	index
 * @place:	which of its type in the socket, of those that are there
 * @present:	how many are there
 *
 * With more than one set of a type, each box counts one of them if the type is
 * one whose boxes are alike and are enough. Otherwise all boxes count all sets,
 * by turns.
 */
bool plan_counts(const struct plan *plan, unsigned int set, unsigned int place,
		 unsigned int present);

#endif
