// SPDX-License-Identifier: GPL-2.0-only
/*
 * Assignment of counters and filters to the events of a box. Counters are
 * assigned by bipartite matching, so an event is rejected only if no assignment
 * exists. Events with equal filter values share the filter.
 */
#include <linux/bits.h>

#include "snbep/sched.h"

/* Return whether all filters of @w are free or already hold its values. */
static bool snbep_filters_agree(const struct snbep_sched *s,
				const struct snbep_want *w)
{
	unsigned int i;

	for (i = 0; i < s->nr_filters; i++) {
		const struct snbep_filter *f = &s->desc[i];

		if (!(w->filters & f->flag) || !s->users[i])
			continue;
		if (((s->filter[0] ^ w->filter[0]) & f->mask[0]) ||
		    ((s->filter[1] ^ w->filter[1]) & f->mask[1]))
			return false;
	}
	return true;
}

/* Assign a counter and filters to @w; other events may change counters. */
enum snbep_sched_result snbep_sched_add(struct snbep_sched *s,
					struct snbep_want *w)
{
	unsigned int i;

	if (!snbep_filters_agree(s, w))
		return SNBEP_SCHED_FILTER_TAKEN;
	if (!match_add(s->assigned, SNBEP_NR_CTRS, &w->ctr))
		return SNBEP_SCHED_NO_COUNTER;
	for (i = 0; i < s->nr_filters; i++) {
		if (w->filters & s->desc[i].flag)
			s->users[i]++;
	}
	s->filter[0] |= w->filter[0];
	s->filter[1] |= w->filter[1];
	return SNBEP_SCHED_OK;
}

/* Keep w->ctr.idx, so that the next add prefers the same counter. */
void snbep_sched_del(struct snbep_sched *s, struct snbep_want *w)
{
	unsigned int i;

	s->assigned[w->ctr.idx] = NULL;
	for (i = 0; i < s->nr_filters; i++) {
		if (!(w->filters & s->desc[i].flag) || --s->users[i])
			continue;
		s->filter[0] &= ~s->desc[i].mask[0];
		s->filter[1] &= ~s->desc[i].mask[1];
	}
}
