// SPDX-License-Identifier: GPL-2.0-only
/*
 * snbep/sched.c against brute force: every state that the counters of a box
 * can be in, with every event that may come next; and every short sequence of
 * events with filters coming and going.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/chance/fuzz.h"
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
		if ((masks[0] & ~taken & (1u << ctr)) &&
		    fits(masks + 1, n - 1, taken | 1u << ctr))
			return true;
	}
	return false;
}

/* Each of the wants has a counter of its own that it may have, and no other */
static bool consistent(const struct snbep_sched *s,
		       struct snbep_want *const *wants, unsigned int n)
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
		      hint, want ? "turned away" : "taken");
		return;
	}
	if (!got) {
		if (memcmp(&st, &was, sizeof(st)))
			FAULT("state %u, counters %#x: changed though refused",
			      code, mask);
		return;
	}
	st.in[st.n++] = w;
	if (!consistent(&st.sched, st.in, st.n))
		FAULT("state %u, counters %#x: badly placed", code, mask);
	/* An event that can be where it last was need not be programmed anew. */
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
	result("an event is turned away only if no arrangement has room");
}

static void test_del(void)
{
	unsigned int code, i, j;

	for (code = 0; code < NR_STATES; code++) {
		struct state st;

		make_state(&st, code);
		for (i = 0; i < st.n; i++) {
			struct state t;

			make_state(&t, code);
			snbep_sched_del(&t.sched, t.in[i]);
			cases++;
			for (j = 0; j < t.n; j++) {
				struct match_item *on =
					t.sched.assigned[t.in[j]->ctr.idx];

				if (on != (i == j ? NULL : &t.in[j]->ctr))
					FAULT("state %u: del %u changes %u",
					      code, i, j);
			}
		}
	}
	result("an event that leaves frees its counter and no other");
}

/* All orders in which up to five events can come */
static void add_all(unsigned int depth, struct snbep_sched *s,
		    struct snbep_want **in, unsigned int *masks,
		    unsigned int n)
{
	unsigned int mask, i;

	if (depth == 5)
		return;
	for (mask = 1; mask <= FIXED_MASK; mask++) {
		struct snbep_want w = {
			.ctr = { .idxmask = mask, .idx = MATCH_NONE },
		};
		unsigned char ctrs[SNBEP_NR_CTRS];
		struct snbep_sched copy = *s;
		bool got;

		for (i = 0; i < n; i++)
			ctrs[i] = in[i]->ctr.idx;
		masks[n] = mask;
		in[n] = &w;
		got = snbep_sched_add(s, &w) == SNBEP_SCHED_OK;
		cases++;
		if (got != fits(masks, n + 1, 0))
			FAULT("after %u events counters %#x: %s", n, mask,
			      got ? "taken" : "turned away");
		if (got && !consistent(s, in, n + 1))
			FAULT("after %u events counters %#x: badly placed", n,
			      mask);
		/* One that was refused leaves all as it was: no need to go on. */
		if (got)
			add_all(depth + 1, s, in, masks, n + 1);
		*s = copy;
		for (i = 0; i < n; i++)
			in[i]->ctr.idx = ctrs[i];
	}
}

static void test_orders(void)
{
	struct snbep_want *in[6];
	struct snbep_sched s = { };
	unsigned int masks[6];

	add_all(0, &s, in, masks, 0);
	result("so it is for up to five events in any order");
}

/* Two filters: one in config1 alone, one in both words */
static const struct snbep_filter filters[] = {
	{ .name = "a", .flag = 1, .mask = { 0x0f } },
	{ .name = "b", .flag = 2, .mask = { 0xf0, 0xff } },
};

#define NR_FILTERS	2
#define FILTERED	{ .desc = filters, .nr_filters = NR_FILTERS }
#define NR_KINDS	16	/* each filter unused, or 0, 1 or 2 */
#define MAX_IN		4
#define MAX_OPS		5

static void make_filtered(struct snbep_want *w, unsigned int kind)
{
	unsigned int a = kind % 4, b = kind / 4;

	*w = (struct snbep_want){ .ctr = { .idxmask = 0xf, .idx = MATCH_NONE } };
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

static void check_filters(const struct snbep_sched *s,
			  struct snbep_want *const *in, unsigned int n)
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

static void filter_ops(unsigned int depth, const struct snbep_sched *s,
		       struct snbep_want *const *in, unsigned int n);

static void filter_add(unsigned int depth, const struct snbep_sched *s,
		       struct snbep_want *const *in, unsigned int n,
		       unsigned int kind)
{
	enum snbep_sched_result want = SNBEP_SCHED_OK, got;
	struct snbep_sched copy = *s;
	struct snbep_want *now[MAX_IN + 1];
	unsigned char ctr[MAX_IN];
	struct snbep_want w;
	unsigned int i;

	make_filtered(&w, kind);
	for (i = 0; i < n; i++) {
		now[i] = in[i];
		ctr[i] = in[i]->ctr.idx;
		if (at_odds(in[i], &w))
			want = SNBEP_SCHED_FILTER_TAKEN;
	}
	got = snbep_sched_add(&copy, &w);
	cases++;
	if (got != want)
		FAULT("kind %u beside %u others: %d, not %d", kind, n, got,
		      want);
	if (got == SNBEP_SCHED_OK) {
		now[n] = &w;
		check_filters(&copy, now, n + 1);
		filter_ops(depth + 1, &copy, now, n + 1);
	} else if (memcmp(&copy, s, sizeof(copy))) {
		FAULT("kind %u: changed though refused", kind);
	}
	for (i = 0; i < n; i++)
		in[i]->ctr.idx = ctr[i];
}

static void filter_del(unsigned int depth, const struct snbep_sched *s,
		       struct snbep_want *const *in, unsigned int n,
		       unsigned int gone)
{
	struct snbep_sched copy = *s;
	struct snbep_want *now[MAX_IN + 1];
	unsigned int i, m = 0;

	snbep_sched_del(&copy, in[gone]);
	cases++;
	for (i = 0; i < n; i++) {
		if (i != gone)
			now[m++] = in[i];
	}
	check_filters(&copy, now, m);
	filter_ops(depth + 1, &copy, now, m);
}

static void filter_ops(unsigned int depth, const struct snbep_sched *s,
		       struct snbep_want *const *in, unsigned int n)
{
	unsigned int i;

	if (depth == MAX_OPS)
		return;
	for (i = 0; i < NR_KINDS && n < MAX_IN; i++)
		filter_add(depth, s, in, n, i);
	for (i = 0; i < n; i++)
		filter_del(depth, s, in, n, i);
}

static void test_filters(void)
{
	struct snbep_sched s = FILTERED;

	filter_ops(0, &s, NULL, 0);
	result("filters are shared by value and cleared with their last user");
}

/* The counters are full: that must not leave a filter behind. */
static void test_refused_filter(void)
{
	unsigned int kind, i;

	for (kind = 0; kind < NR_KINDS; kind++) {
		struct snbep_want w[GENERAL + 1], *in[GENERAL];
		struct snbep_sched s = FILTERED;

		for (i = 0; i < GENERAL; i++) {
			make_filtered(&w[i], 0);
			in[i] = &w[i];
			if (snbep_sched_add(&s, &w[i]))
				FAULT("%u: no room", i);
		}
		make_filtered(&w[i], kind);
		cases++;
		if (snbep_sched_add(&s, &w[i]) !=
		    SNBEP_SCHED_NO_COUNTER)
			FAULT("a fifth event is taken");
		check_filters(&s, in, GENERAL);
	}
	result("an event without a counter leaves no filter");
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
	unsigned int masks[NR_WALKERS], i, last = want->ctr.idx;
	enum snbep_sched_result expect, got;
	struct walk was;
	bool odds = false;

	make_filtered(want, draw(NR_KINDS));
	want->ctr.idxmask = 1 + draw(BIT(SNBEP_NR_CTRS) - 1);
	want->ctr.idx = last;
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
	result("events of any counters and filters come and go");
}

int main(void)
{
	test_add();
	test_orders();
	test_del();
	test_filters();
	test_refused_filter();
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
