// SPDX-License-Identifier: GPL-2.0-only
#include "plan.h"

#include <string.h>

#include "util.h"

/* Return whether @a and @b have different values for a filter. */
static bool filters_differ(const char *a, const char *b)
{
	while (*a) {
		size_t len = strcspn(a, ","), name = strcspn(a, "=") + 1;
		const char *q = b;

		while (*q) {
			size_t other = strcspn(q, ",");

			if (!strncmp(a, q, name) && (len != other || memcmp(a, q, len)))
				return true;
			q += other + 1;
		}
		a += len + 1;
	}
	return false;
}

/* Return whether events @i and following can be assigned to the @free counters. */
static bool assign(const struct set *set, unsigned int i, unsigned int free)
{
	unsigned int counters, bit;

	if (i == set->nr)
		return true;
	counters = events[set->events[i]].counters;
	if (!counters)
		return assign(set, i + 1, free);
	for (bit = 1; bit <= free; bit <<= 1)
		if ((counters & free & bit) && assign(set, i + 1, free & ~bit))
			return true;
	return false;
}

bool set_fits(const struct set *set)
{
	unsigned int i, j;

	for (i = 0; i < set->nr; i++)
		for (j = 0; j < i; j++)
			if (filters_differ(events[set->events[i]].filters,
					   events[set->events[j]].filters))
				return false;
	return assign(set, 0, box_types[set->type].counters);
}

static bool set_has(const struct set *set, unsigned int event)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		if (set->events[i] == event)
			return true;
	return false;
}

/* Add all events to a set if they fit. */
static bool add_events(struct set *set, const unsigned int *list, unsigned int nr)
{
	struct set bigger = *set;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (set_has(&bigger, list[i]))
			continue;
		if (bigger.nr == MAX_GROUP_EVENTS)
			return false;
		bigger.events[bigger.nr++] = list[i];
	}
	if (!set_fits(&bigger))
		return false;
	*set = bigger;
	return true;
}

/* Add events to the first set of the type that they fit in, or to a new one. */
static bool place(struct plan *plan, unsigned int type, const unsigned int *list, unsigned int nr)
{
	struct set set = { .type = type };
	unsigned int i;

	for (i = 0; i < plan->nr; i++)
		if (plan->sets[i].type == type && add_events(&plan->sets[i], list, nr))
			return true;
	if (!add_events(&set, list, nr))
		return false;
	plan->sets = grow(plan->sets, plan->nr, sizeof(set));
	plan->sets[plan->nr++] = set;
	return true;
}

/* Get the events of a metric in one box type. */
static unsigned int events_of_type(const struct metric *m, unsigned int type, unsigned int *list)
{
	const struct formula *f = formula_of(m);
	unsigned int i, n = 0;

	for (i = 0; i < f->nr_events; i++)
		if (events[f->events[i]].type == type)
			list[n++] = f->events[i];
	return n;
}

/* Add the metric to further sets that it fits in, so that more boxes count it. */
static void fill(struct plan *plan, const struct metric *m, unsigned int type)
{
	unsigned int list[MAX_METRIC_EVENTS], nr = events_of_type(m, type, list), i;

	for (i = 0; i < plan->nr; i++)
		if (plan->sets[i].type == type)
			add_events(&plan->sets[i], list, nr);
}

void plan_make(struct plan *plan, const unsigned int *which, unsigned int nr)
{
	unsigned int list[MAX_METRIC_EVENTS], n, i, j, type;

	for (type = 0; type < nr_box_types; type++) {
		for (i = 0; i < nr; i++) {
			n = events_of_type(&metrics[which[i]], type, list);
			if (!n || place(plan, type, list, n))
				continue;
			/* Too many events for one set: use as few sets as possible. */
			for (j = 0; j < n; j++)
				place(plan, type, &list[j], 1);
		}
		for (i = 0; box_types[type].spread && i < nr; i++)
			fill(plan, &metrics[which[i]], type);
	}
}

bool plan_counts(const struct plan *plan, unsigned int set, unsigned int place,
		 unsigned int present)
{
	unsigned int type = plan->sets[set].type, first = set, nr = 0, i;

	for (i = 0; i < plan->nr; i++) {
		if (plan->sets[i].type != type)
			continue;
		if (!nr++)
			first = i;
	}
	set -= first;
	if (nr == 1 || !box_types[type].spread || nr > present)
		return true;
	/* The first set has the first columns: give it half of the boxes if possible. */
	if (nr - 1 <= present / 2)
		return set == (place % 2 ? 1 + place / 2 % (nr - 1) : 0);
	return set == place % nr;
}
