// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which counter and which filter an event gets. Counters are matched to events
 * by common/match.h, so that an event is turned away only if no arrangement has
 * room for all. Filters are shared by value.
 */
#include <linux/bits.h>

#include "snbep/sched.h"

/* Whether the filters that @w wants are free, or have the values it wants */
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

/* Give an event a counter and its filters; others may move to another counter. */
enum snbep_sched_result snbep_sched_add(struct snbep_sched *s,
					struct snbep_want *w)
{
	unsigned int i;

	if (!snbep_filters_agree(s, w))
		return SNBEP_SCHED_FILTER_TAKEN;
	if (!match_add(s->on, SNBEP_NR_CTRS, &w->ctr))
		return SNBEP_SCHED_NO_COUNTER;
	for (i = 0; i < s->nr_filters; i++) {
		if (w->filters & s->desc[i].flag)
			s->users[i]++;
	}
	s->filter[0] |= w->filter[0];
	s->filter[1] |= w->filter[1];
	return SNBEP_SCHED_OK;
}

/* @w->ctr.at stays, as the counter to prefer next time. */
void snbep_sched_del(struct snbep_sched *s, struct snbep_want *w)
{
	unsigned int i;

	s->on[w->ctr.at] = NULL;
	for (i = 0; i < s->nr_filters; i++) {
		if (!(w->filters & s->desc[i].flag) || --s->users[i])
			continue;
		s->filter[0] &= ~s->desc[i].mask[0];
		s->filter[1] &= ~s->desc[i].mask[1];
	}
}
