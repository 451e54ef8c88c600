// SPDX-License-Identifier: GPL-2.0-only
/*
 * snbep/sched.c against brute force: every state that the counters of a box can be in, with
 * every event that may come next; and random events with filters.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/random/fuzz.h"
#include "lib/tap.h"
#include "snbep/sched.h"

#define GENERAL		4	/* counters 0 to 3 */
#define FIXED_MASK	(1u << SNBEP_FIXED_CTR)

static unsigned long cases, faults;

/* One line for the first faults of a test, not a million */
#define FAULT(...)							\
do {									\
	if (faults++ < 5) {						\
		printf("# ");						\
		printf(__VA_ARGS__);					\
		printf("\n");						\
	}								\
	if (fuzzing)							\
		fuzz_found();						\
} while (0)

static void result(const char *what)
{
	tap(cases && !faults, "%s (%lu cases)", what, cases);
	cases = 0;
	faults = 0;
}

/* Whether events with these counters fit at once: all arrangements, tried */
static bool fits(const unsigned int *masks, unsigned int n, unsigned int taken)
{
	unsigned int ctr;

	if (!n)
		return true;
	for (ctr = 0; ctr < SNBEP_NR_CTRS; ctr++) {
		if ((masks[0] & ~taken & (1u << ctr)) && fits(masks + 1, n - 1, taken | 1u << ctr))
			return true;
	}
	return false;
}

/* Each of the wants has a counter of its own that it may have, and no other */
static bool consistent(const struct snbep_sched *s, struct snbep_want *const *wants, unsigned int n)
{
	unsigned int ctr, i, used = 0;

	for (ctr = 0; ctr < SNBEP_NR_CTRS; ctr++)
		used += !!s->assigned[ctr];
	for (i = 0; i < n; i++) {
		const struct snbep_want *w = wants[i];

		if (w->ctr.idx >= SNBEP_NR_CTRS || s->assigned[w->ctr.idx] != &w->ctr ||
		    !(w->ctr.idxmask & (1u << w->ctr.idx)))
			return false;
		used--;
	}
	return used == 0;
}

/*
 * A state: for each general counter, 0 for free or 1 + which of the eight
 * masks with its bit the event on it has; for the fixed one, whether it is in
 * use.
 */
struct state {
	struct snbep_sched sched;
	struct snbep_want want[SNBEP_NR_CTRS + 1];
	struct snbep_want *in[SNBEP_NR_CTRS + 1];
	unsigned int masks[SNBEP_NR_CTRS + 1];
	unsigned int n;
};

static unsigned int mask_with(unsigned int ctr, unsigned int which)
{
	unsigned int low = which & ((1u << ctr) - 1);

	return (which >> ctr) << (ctr + 1) | 1u << ctr | low;
}

static void put(struct state *st, unsigned int ctr, unsigned int mask)
{
	struct snbep_want *w = &st->want[st->n];

	*w = (struct snbep_want){ .ctr = { .idxmask = mask, .idx = ctr } };
	st->sched.assigned[ctr] = &w->ctr;
	st->in[st->n] = w;
	st->masks[st->n++] = mask;
}

static void make_state(struct state *st, unsigned int code)
{
	unsigned int ctr;

	memset(st, 0, sizeof(*st));
	for (ctr = 0; ctr < GENERAL; ctr++) {
		if (code % 9)
			put(st, ctr, mask_with(ctr, code % 9 - 1));
		code /= 9;
	}
	if (code)
		put(st, SNBEP_FIXED_CTR, FIXED_MASK);
}

#define NR_STATES	(9 * 9 * 9 * 9 * 2)

static void check_add(unsigned int code, unsigned int mask, unsigned int hint)
{
	struct snbep_want *w;
	struct state st, was;
	bool want, got;

	make_state(&st, code);
	st.masks[st.n] = mask;
	want = fits(st.masks, st.n + 1, 0);
	w = &st.want[st.n];
	*w = (struct snbep_want){ .ctr = { .idxmask = mask, .idx = hint } };
	was = st;
	got = snbep_sched_add(&st.sched, w) == SNBEP_SCHED_OK;
	cases++;
	if (got != want) {
		FAULT("state %u, counters %#x, last on %u: %s", code, mask,
		      hint, want ? "rejected" : "taken");
		return;
	}
	if (!got) {
		if (memcmp(&st, &was, sizeof(st)))
			FAULT("state %u, counters %#x: changed though refused", code, mask);
		return;
	}
	st.in[st.n++] = w;
	if (!consistent(&st.sched, st.in, st.n))
		FAULT("state %u, counters %#x: badly placed", code, mask);
	/* An event that can be where it last was need not be programmed again. */
	if (hint < SNBEP_NR_CTRS && (mask & (1u << hint)) &&
	    !was.sched.assigned[hint] && w->ctr.idx != hint)
		FAULT("state %u, counters %#x: on %u, not on its free %u",
		      code, mask, w->ctr.idx, hint);
}

static void test_add(void)
{
	unsigned int code, mask, hint;

	for (code = 0; code < NR_STATES; code++) {
		for (mask = 1; mask <= FIXED_MASK; mask++) {
			for (hint = 0; hint < SNBEP_NR_CTRS; hint++)
				check_add(code, mask, hint);
			check_add(code, mask, MATCH_NONE);
		}
	}
	result("an event is rejected only if no arrangement has room");
}

/* Two filters: one in config1 alone, one in both words */
static const struct snbep_filter filters[] = {
	{ .name = "a", .flag = 1, .mask = { 0x0f } },
	{ .name = "b", .flag = 2, .mask = { 0xf0, 0xff } },
};

#define NR_FILTERS	2
#define FILTERED	{ .desc = filters, .nr_filters = NR_FILTERS }
#define NR_KINDS	16	/* each filter unused, or 0, 1 or 2 */

static void make_filtered(struct snbep_want *w, unsigned int kind)
{
	unsigned int a = kind % 4, b = kind / 4;

	*w = (struct snbep_want){ .ctr.idx = w->ctr.idx };
	if (a) {
		w->filters |= 1;
		w->filter[0] |= a - 1;
	}
	if (b) {
		/* 1 and 2 differ in one word only, each in another */
		w->filters |= 2;
		w->filter[0] |= b == 2 ? 0x50 : 0;
		w->filter[1] |= b == 3 ? 0x0a : 0;
	}
}

static bool at_odds(const struct snbep_want *a, const struct snbep_want *b)
{
	unsigned int i;

	for (i = 0; i < NR_FILTERS; i++) {
		const struct snbep_filter *f = &filters[i];

		if ((a->filters & b->filters & f->flag) &&
		    (((a->filter[0] ^ b->filter[0]) & f->mask[0]) ||
		     ((a->filter[1] ^ b->filter[1]) & f->mask[1])))
			return true;
	}
	return false;
}

static void check_filters(const struct snbep_sched *s, struct snbep_want *const *in, unsigned int n)
{
	unsigned int i, j;
	u64 value[2] = { };

	for (i = 0; i < NR_FILTERS; i++) {
		unsigned int users = 0;

		for (j = 0; j < n; j++)
			users += !!(in[j]->filters & filters[i].flag);
		if (s->users[i] != users)
			FAULT("filter %s: %u users counted, %u there",
			      filters[i].name, s->users[i], users);
	}
	for (j = 0; j < n; j++) {
		value[0] |= in[j]->filter[0];
		value[1] |= in[j]->filter[1];
	}
	if (s->filter[0] != value[0] || s->filter[1] != value[1])
		FAULT("filters hold %#llx %#llx, not %#llx %#llx",
		      (unsigned long long)s->filter[0],
		      (unsigned long long)s->filter[1],
		      (unsigned long long)value[0],
		      (unsigned long long)value[1]);
	if (!consistent(s, in, n))
		FAULT("badly placed");
}

#define NR_WALKERS	8

/* Events of any counters and filters, of which some are in */
struct walk {
	struct snbep_sched sched;
	struct snbep_want want[NR_WALKERS], *in[NR_WALKERS];
	unsigned int n;
};

static void walk_add(struct walk *w, struct snbep_want *want)
{
	unsigned int masks[NR_WALKERS], i;
	enum snbep_sched_result expect, got;
	struct walk was;
	bool odds = false;

	make_filtered(want, draw(NR_KINDS));
	want->ctr.idxmask = 1 + draw(BIT(SNBEP_NR_CTRS) - 1);
	was = *w;
	for (i = 0; i < w->n; i++) {
		masks[i] = w->in[i]->ctr.idxmask;
		odds |= at_odds(w->in[i], want);
	}
	masks[w->n] = want->ctr.idxmask;
	expect = odds ? SNBEP_SCHED_FILTER_TAKEN :
		 fits(masks, w->n + 1, 0) ? SNBEP_SCHED_OK :
					    SNBEP_SCHED_NO_COUNTER;
	got = snbep_sched_add(&w->sched, want);
	cases++;
	if (got != expect)
		FAULT("counters %#x beside %u others: %d, not %d",
		      want->ctr.idxmask, w->n, got, expect);
	if (got == SNBEP_SCHED_OK)
		w->in[w->n++] = want;
	else if (memcmp(w, &was, sizeof(was)))
		FAULT("counters %#x: changed though refused", want->ctr.idxmask);
}

static void walk_step(struct walk *w)
{
	struct snbep_want *want = &w->want[draw(NR_WALKERS)];
	unsigned int i;

	for (i = 0; i < w->n && w->in[i] != want; i++)
		;
	if (i == w->n) {
		walk_add(w, want);
	} else {
		snbep_sched_del(&w->sched, want);
		w->in[i] = w->in[--w->n];
	}
	check_filters(&w->sched, w->in, w->n);
}

static void walk_begin(struct walk *w)
{
	unsigned int i;

	*w = (struct walk){ .sched = FILTERED };
	for (i = 0; i < NR_WALKERS; i++)
		w->want[i].ctr.idx = MATCH_NONE;
}

static void test_walk(void)
{
	unsigned int i;
	struct walk w;

	walk_begin(&w);
	for (i = 0; i < 200000; i++)
		walk_step(&w);
	result("events that come and go share filters by value, and leave none behind");
}

int main(void)
{
	test_add();
	test_walk();
	return tap_done();
}

void fuzz_input(void)
{
	struct walk w;

	walk_begin(&w);
	while (!draw_over())
		walk_step(&w);
}
