// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which counter and which filter an event gets.
 *
 * Counters are a bipartite matching: a new event takes a free counter, or one
 * whose holder can move to another, so that an event is turned away only if no
 * arrangement has room for all. Filters are shared by value.
 */
#include <linux/bits.h>

#include "sched.h"

/*
 * Try order of counters: where it was last, so that its control register need
 * not be written again, then from the highest down: the lowest are those that
 * restricted events need.
 */
static unsigned int snbep_try(const struct snbep_want *w, unsigned int i)
{
	unsigned int ctr;

	if (w->ctr >= SNBEP_NR_CTRS)
		return SNBEP_NR_CTRS - 1 - i;
	if (i == 0)
		return w->ctr;
	ctr = SNBEP_NR_CTRS - i;
	return ctr > w->ctr ? ctr : ctr - 1;
}

/*
 * Find a counter for @w, moving others if need be. Recursion is as deep as
 * there are counters: each level marks one in @seen.
 */
static bool snbep_place(struct snbep_sched *s, struct snbep_want *w,
			unsigned int *seen)
{
	unsigned int ctr, i;

	for (i = 0; i < SNBEP_NR_CTRS; i++) {
		ctr = snbep_try(w, i);
		if ((w->ctrs & BIT(ctr)) && !s->on[ctr])
			goto found;
	}
	for (i = 0; i < SNBEP_NR_CTRS; i++) {
		ctr = snbep_try(w, i);
		if (!(w->ctrs & BIT(ctr)) || (*seen & BIT(ctr)))
			continue;
		*seen |= BIT(ctr);
		if (snbep_place(s, s->on[ctr], seen))
			goto found;
	}
	return false;

found:
	s->on[ctr] = w;
	s->changed |= BIT(ctr);
	w->ctr = ctr;
	return true;
}

/* Whether the filters that @w wants are free, or have the values it wants */
static bool snbep_filters_agree(const struct snbep_sched *s,
				const struct snbep_filter *filters,
				unsigned int nr_filters,
				const struct snbep_want *w)
{
	unsigned int i;

	for (i = 0; i < nr_filters; i++) {
		const struct snbep_filter *f = &filters[i];

		if (!(w->filters & f->flag) || !s->users[i])
			continue;
		if (((s->filter[0] ^ w->filter[0]) & f->mask[0]) ||
		    ((s->filter[1] ^ w->filter[1]) & f->mask[1]))
			return false;
	}
	return true;
}

/**
 * snbep_sched_add - give an event a counter and its filters
 * @s: the box; unchanged if there is no room
 * @filters: filters of the box
 * @nr_filters: entries in @filters
 * @w: the event; @w->ctr is its counter afterwards, and that of others may
 *	have changed
 *
 * Return: SNBEP_SCHED_OK, or what is in the way.
 */
enum snbep_sched_result snbep_sched_add(struct snbep_sched *s,
					const struct snbep_filter *filters,
					unsigned int nr_filters,
					struct snbep_want *w)
{
	unsigned int i, seen = 0;

	if (w->filters && !snbep_filters_agree(s, filters, nr_filters, w))
		return SNBEP_SCHED_FILTER_TAKEN;
	if (w->ctrs && !snbep_place(s, w, &seen))
		return SNBEP_SCHED_NO_COUNTER;
	if (!w->filters)
		return SNBEP_SCHED_OK;

	for (i = 0; i < nr_filters; i++) {
		if (w->filters & filters[i].flag)
			s->users[i]++;
	}
	s->filter[0] |= w->filter[0];
	s->filter[1] |= w->filter[1];
	return SNBEP_SCHED_OK;
}

/**
 * snbep_sched_del - take back what snbep_sched_add() gave
 * @s: the box
 * @filters: filters of the box
 * @nr_filters: entries in @filters
 * @w: the event; @w->ctr stays, as the counter to prefer next time
 */
void snbep_sched_del(struct snbep_sched *s,
		     const struct snbep_filter *filters,
		     unsigned int nr_filters, struct snbep_want *w)
{
	unsigned int i;

	if (w->ctrs) {
		s->on[w->ctr] = NULL;
		s->changed |= BIT(w->ctr);
	}
	if (!w->filters)
		return;

	for (i = 0; i < nr_filters; i++) {
		if (!(w->filters & filters[i].flag) || --s->users[i])
			continue;
		s->filter[0] &= ~filters[i].mask[0];
		s->filter[1] &= ~filters[i].mask[1];
	}
}
