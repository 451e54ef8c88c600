// SPDX-License-Identifier: GPL-2.0-only
/*
 * The allocator of offcore response registers against brute force: every
 * sequence of a few events, and long random ones with events that leave.
 */
#include <stdlib.h>
#include <string.h>

#include "offcore/alloc.h"
#include "lib/chance/fuzz.h"
#include "lib/tap.h"

#define MAX_WANTS	24	/* at a time */
#define MAX_BRUTE	12	/* so many can be tried in all ways */

struct check {
	unsigned long adds, full, greedy_full;
	char error[256];
};

/* The two ways to know the answer, below, do not agree */
static bool oracles_differ;

/* All ways to give counters: is there one? */
static bool counters_fit(struct offcore_want *const *w, unsigned int n,
			 unsigned int taken)
{
	if (!n)
		return true;
	for (unsigned int c = 0; c < OFFCORE_NR_CTRS; c++) {
		if ((w[0]->ctr.may & ~taken & 1u << c) &&
		    counters_fit(w + 1, n - 1, taken | 1u << c))
			return true;
	}
	return false;
}

/* All ways to give registers, by counting through them: is there one? */
static bool registers_fit(struct offcore_want *const *w, unsigned int n,
			  const bool *fixed)
{
	for (unsigned int way = 0; way < 1u << n; way++) {
		uint64_t rsp[2];
		bool set[2] = { false, false }, good = true;

		for (unsigned int i = 0; good && i < n; i++) {
			unsigned int r = way >> i & 1;

			good = (w[i]->regs & 1u << r) &&
			       !(set[r] && rsp[r] != w[i]->rsp) &&
			       !(fixed[i] && w[i]->reg != r);
			set[r] = true;
			rsp[r] = w[i]->rsp;
		}
		if (good)
			return true;
	}
	return false;
}

/*
 * The same for many: each register has the value of one of the events, or none.
 * An event finds a place if a register that does for it has its value.
 */
static bool registers_fit_values(struct offcore_want *const *w, unsigned int n,
				 const bool *fixed)
{
	for (unsigned int a = 0; a < n; a++) {
		for (unsigned int b = 0; b < n; b++) {
			const uint64_t rsp[2] = { w[a]->rsp, w[b]->rsp };
			bool good = true;

			for (unsigned int i = 0; good && i < n; i++) {
				u8 regs = fixed[i] ? 1u << w[i]->reg : w[i]->regs;

				good = ((regs & 1) && rsp[0] == w[i]->rsp) ||
				       ((regs & 2) && rsp[1] == w[i]->rsp);
			}
			if (good)
				return true;
		}
	}
	return false;
}

/* Counters for many, by Hall: any few events have at least as many counters */
static bool counters_fit_hall(struct offcore_want *const *w, unsigned int n)
{
	if (n > OFFCORE_NR_CTRS)
		return false;
	for (unsigned int some = 0; some < 1u << n; some++) {
		unsigned int have = 0;

		for (unsigned int i = 0; i < n; i++) {
			if (some & 1u << i)
				have |= w[i]->ctr.may;
		}
		if (__builtin_popcount(have) < __builtin_popcount(some))
			return false;
	}
	return true;
}

static bool fits(struct offcore_want *const *have, unsigned int n,
		 struct offcore_want *new, bool move_others, bool *regs_fit)
{
	struct offcore_want *all[MAX_WANTS + 1], *thread[MAX_WANTS + 1];
	bool fixed[MAX_WANTS + 1] = { false };
	unsigned int of_thread = 0;

	for (unsigned int i = 0; i <= n; i++) {
		all[i] = i < n ? have[i] : new;
		fixed[i] = i < n && !move_others && all[i]->thread != new->thread;
		if (all[i]->thread == new->thread)
			thread[of_thread++] = all[i];
	}
	*regs_fit = registers_fit_values(all, n + 1, fixed);
	if (n < MAX_BRUTE) {
		oracles_differ |= *regs_fit != registers_fit(all, n + 1, fixed);
		oracles_differ |= counters_fit(thread, of_thread, 0) !=
				  counters_fit_hall(thread, of_thread);
	}
	return *regs_fit && counters_fit_hall(thread, of_thread);
}

/* What may be on a core at any time */
static const char *broken(const struct offcore_core *core,
			  struct offcore_want *const *have, unsigned int n)
{
	unsigned int users[OFFCORE_NR_REGS] = { 0 }, on = 0;

	for (unsigned int i = 0; i < n; i++) {
		const struct offcore_want *w = have[i];

		if (w->ctr.at >= OFFCORE_NR_CTRS ||
		    !(w->ctr.may & 1u << w->ctr.at) ||
		    offcore_want_on(core, w->thread, w->ctr.at) != w)
			return "an event is not on its counter";
		if (w->reg >= OFFCORE_NR_REGS || !(w->regs & 1u << w->reg))
			return "an event has a register that does not do for it";
		if (core->rsp[w->reg] != w->rsp)
			return "an event would be counted with another's value";
		users[w->reg]++;
	}
	for (unsigned int t = 0; t < OFFCORE_NR_THREADS; t++) {
		for (unsigned int c = 0; c < OFFCORE_NR_CTRS; c++)
			on += !!core->on[t][c];
	}
	if (on != n)
		return "a counter is held by nobody's event";
	for (unsigned int r = 0; r < OFFCORE_NR_REGS; r++) {
		if (core->users[r] != users[r])
			return "a register's users are miscounted";
		if (!users[r] && core->rsp[r])
			return "a register without users keeps a value";
	}
	return NULL;
}

/* What one that moves nobody and tries the registers in order would do */
static bool greedy_fits(const struct offcore_core *core,
			const struct offcore_want *w)
{
	for (unsigned int r = 0; r < OFFCORE_NR_REGS; r++) {
		if ((w->regs & 1u << r) &&
		    (!core->users[r] || core->rsp[r] == w->rsp))
			return true;
	}
	return false;
}

static bool fail(struct check *k, const struct offcore_want *w,
		 unsigned int n, const char *what)
{
	snprintf(k->error, sizeof(k->error),
		 "event %u (rsp %#llx, regs %#x, ctrs %#x, thread %u): %s", n,
		 (unsigned long long)w->rsp, w->regs, w->ctr.may, w->thread, what);
	return false;
}

/* Add @w to a core that has the @n events of @have; compare with brute force. */
static bool add(struct check *k, struct offcore_core *core,
		struct offcore_want **have, unsigned int *n,
		struct offcore_want *w, bool move_others)
{
	struct offcore_core before = *core;
	struct offcore_want old[MAX_WANTS] = { };
	bool regs_fit, expect, placed, greedy = greedy_fits(core, w);
	enum offcore_result got;
	const char *what;

	expect = fits(have, *n, w, move_others, &regs_fit);
	for (unsigned int i = 0; i < *n; i++)
		old[i] = *have[i];
	got = offcore_alloc_add(core, w, move_others);
	k->adds++;
	placed = got == OFFCORE_OK;
	if (placed != expect)
		return fail(k, w, *n, expect ? "refused, but there is room" :
						"taken, but there is no room");
	if (got != OFFCORE_OK) {
		k->full++;
		if (got != (regs_fit ? OFFCORE_NO_COUNTER : OFFCORE_NO_REGISTER))
			return fail(k, w, *n, "the wrong reason");
		if (memcmp(&before, core, sizeof(before)))
			return fail(k, w, *n, "a failure changed the core");
		for (unsigned int i = 0; i < *n; i++) {
			if (memcmp(&old[i], have[i], sizeof(old[i])))
				return fail(k, w, *n, "a failure moved another");
		}
		return true;
	}
	k->greedy_full += !greedy;
	for (unsigned int i = 0; i < *n; i++) {
		if (greedy && old[i].reg != have[i]->reg)
			return fail(k, w, *n, "moved one without need");
		if (!move_others && have[i]->thread != w->thread &&
		    (old[i].reg != have[i]->reg ||
		     old[i].ctr.at != have[i]->ctr.at))
			return fail(k, w, *n, "moved one of the other thread");
	}
	have[(*n)++] = w;
	what = broken(core, have, *n);
	return what ? fail(k, w, *n, what) : true;
}

static void want_init(struct offcore_want *w, uint64_t rsp, u8 regs, u8 ctrs,
		      u8 thread)
{
	offcore_want_init(w, rsp, regs, ctrs);
	w->thread = thread;
}

/* Kind @kind of @threads * 9: three values, three sets of registers */
static void want_kind(struct offcore_want *w, unsigned int kind, u8 ctrs)
{
	want_init(w, 0x10001 + kind % 3, 1 + kind / 3 % 3, ctrs, kind / 9);
}

/* Every sequence of @len events, on threads with counters @ctrs. */
static void all_sequences(unsigned int threads, unsigned int len, u8 ctrs,
			  bool move_others)
{
	unsigned long kinds = 9 * threads, total = 1;
	struct check k = { 0 };
	bool good = true;

	for (unsigned int i = 0; i < len; i++)
		total *= kinds;
	for (unsigned long seq = 0; good && seq < total; seq++) {
		struct offcore_core core = { 0 };
		struct offcore_want w[MAX_WANTS], *have[MAX_WANTS];
		unsigned long rest = seq;
		unsigned int n = 0;

		for (unsigned int i = 0; good && i < len; i++) {
			want_kind(&w[i], rest % kinds, ctrs);
			rest /= kinds;
			good = add(&k, &core, have, &n, &w[i], move_others);
		}
	}
	tap(good, "all sequences of %u events, %u thread(s), counters %#x%s: %lu placed, %lu not%s%s",
	    len, threads, ctrs, move_others ? ", moving the other's" : "",
	    k.adds - k.full, k.full, good ? "" : ": ", k.error);
	if (len > 2 && __builtin_popcount(ctrs) > 2)
		tap(k.greedy_full > 0, "%lu of them only by moving others",
		    k.greedy_full);
}

/* Every choice of counters for up to four events of one value. */
static void all_counter_masks(void)
{
	struct check k = { 0 };
	bool good = true;

	for (unsigned int seq = 0; good && seq < 1u << 16; seq++) {
		struct offcore_core core = { 0 };
		struct offcore_want w[4], *have[4];
		unsigned int n = 0;

		for (unsigned int i = 0; good && i < 4; i++) {
			if (!(seq >> 4 * i & 0xf))
				continue;
			want_init(&w[i], 1, 3, seq >> 4 * i & 0xf, 0);
			good = add(&k, &core, have, &n, &w[i], false);
		}
	}
	tap(good, "all counter masks of four events: %lu placed, %lu not%s%s",
	    k.adds - k.full, k.full, good ? "" : ": ", k.error);
}

static void leave(struct offcore_core *core, struct offcore_want **have,
		  unsigned int *n, unsigned int i)
{
	offcore_alloc_del(core, have[i]);
	have[i] = have[--*n];
}

struct walk {
	struct offcore_want pool[MAX_WANTS], *have[MAX_WANTS];
	struct offcore_core core;
	struct check k;
	unsigned int n;
};

/* One of @nr events comes or goes. */
static bool walk_step(struct walk *w, unsigned int nr, unsigned int values)
{
	struct offcore_want *want = &w->pool[draw(nr)];
	const char *what;
	unsigned int j;

	for (j = 0; j < w->n && w->have[j] != want; j++)
		;
	if (j < w->n) {
		leave(&w->core, w->have, &w->n, j);
		what = broken(&w->core, w->have, w->n);
		return what ? fail(&w->k, want, w->n, what) : true;
	}
	want_init(want, 1 + draw(values), 1 + draw(3), 1 + draw(255), draw(2));
	return add(&w->k, &w->core, w->have, &w->n, want, draw(2));
}

/*
 * Events come and go, at most @nr at a time. Few of them have little that is in
 * their way, and many have nearly no room.
 */
static void random_walk(unsigned int seed, unsigned int steps, unsigned int nr,
			unsigned int values)
{
	struct walk w = { 0 };
	bool good = true;

	noise_seed(seed);
	for (unsigned int s = 0; good && s < steps; s++)
		good = walk_step(&w, nr, values);
	tap(good, "random walk %u of %u events with %u values: %lu placed, %lu not, %lu by moving others%s%s",
	    seed, nr, values, w.k.adds - w.k.full, w.k.full, w.k.greedy_full,
	    good ? "" : ": ", w.k.error);
	while (w.n)
		leave(&w.core, w.have, &w.n, w.n - 1);
	tap(!broken(&w.core, w.have, 0), "random walk %u: nothing is left behind",
	    seed);
}

/* The machine of the issue: three events of two values count, a third does not. */
static void two_values(void)
{
	struct offcore_core core = { 0 };
	struct offcore_want w[5];

	for (unsigned int i = 0; i < 5; i++)
		want_init(&w[i], i < 3 ? 0x10001 + i % 2 : 0x10011, 3, 0xf, i & 1);
	for (unsigned int i = 0; i < 3; i++)
		tap(offcore_alloc_add(&core, &w[i], false) == OFFCORE_OK,
		    "event %u of three with two values", i);
	tap(offcore_alloc_add(&core, &w[3], false) == OFFCORE_NO_REGISTER,
	    "a third value on either thread finds no register");
	offcore_alloc_del(&core, &w[1]);
	tap(offcore_alloc_add(&core, &w[4], false) == OFFCORE_OK,
	    "but does when a value has lost its only user");
}

int main(void)
{
	two_values();
	for (unsigned int len = 1; len <= 5; len++) {
		all_sequences(1, len, 0xf, false);
		all_sequences(1, len, 0x3, false);
	}
	for (unsigned int len = 1; len <= 4; len++) {
		all_sequences(2, len, 0xf, false);
		all_sequences(2, len, 0xf, true);
		all_sequences(2, len, 0x1, true);
	}
	all_counter_masks();
	for (unsigned int seed = 1; seed <= 8; seed++)
		random_walk(seed, 20000, MAX_BRUTE, 3);
	for (unsigned int seed = 9; seed <= 24; seed++)
		random_walk(seed, 20000, MAX_WANTS, 1 + seed % 4);
	tap(!oracles_differ, "the two ways to know the right answer agree");
	return tap_done();
}

void fuzz_input(void)
{
	unsigned int nr = 4 + draw(MAX_WANTS - 3), values = 1 + draw(5);
	struct walk w = { 0 };

	while (!draw_over()) {
		if (walk_step(&w, nr, values) && !oracles_differ)
			continue;
		printf("# %s\n", oracles_differ ? "the oracles differ" : w.k.error);
		fuzz_found();
	}
}
