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

/* What a core has */
struct machine {
	unsigned int regs;
	u8 ctrs;
};

struct check {
	unsigned long adds, full;
	char error[256];
};

/* The two ways to know the answer, below, do not agree */
static bool oracles_differ;

/* All ways to give registers, by counting through them: is there one? */
static bool registers_fit(struct offcore_want *const *w, unsigned int n,
			  unsigned int regs)
{
	for (unsigned int way = 0; way < 1u << n; way++) {
		uint64_t rsp[2];
		bool set[2] = { false, false }, good = true;

		for (unsigned int i = 0; good && i < n; i++) {
			unsigned int r = way >> i & 1;

			good = r < regs && !(set[r] && rsp[r] != w[i]->rsp);
			set[r] = true;
			rsp[r] = w[i]->rsp;
		}
		if (good)
			return true;
	}
	return false;
}

/* The same for many: there is a register for each value. */
static bool values_fit(struct offcore_want *const *w, unsigned int n,
		       unsigned int regs)
{
	unsigned int values = 0;

	for (unsigned int i = 0; i < n; i++) {
		unsigned int j = 0;

		while (w[j]->rsp != w[i]->rsp)
			j++;
		values += j == i;
	}
	return values <= regs;
}

static bool fits(const struct machine *m, struct offcore_want *const *have,
		 unsigned int n, struct offcore_want *new, bool *regs_fit)
{
	struct offcore_want *all[MAX_WANTS + 1];
	unsigned int of_thread = 0;

	for (unsigned int i = 0; i <= n; i++) {
		all[i] = i < n ? have[i] : new;
		of_thread += all[i]->thread == new->thread;
	}
	*regs_fit = values_fit(all, n + 1, m->regs);
	if (n < MAX_BRUTE)
		oracles_differ |= *regs_fit != registers_fit(all, n + 1, m->regs);
	return *regs_fit && of_thread <= (unsigned int)__builtin_popcount(m->ctrs);
}

/* What may be on a core at any time */
static const char *broken(const struct machine *m,
			  const struct offcore_core *core,
			  struct offcore_want *const *have, unsigned int n)
{
	unsigned int users[OFFCORE_NR_REGS] = { 0 }, on = 0;

	for (unsigned int i = 0; i < n; i++) {
		const struct offcore_want *w = have[i];

		if (w->ctr >= OFFCORE_NR_CTRS || !(m->ctrs & 1u << w->ctr) ||
		    core->on[w->thread][w->ctr] != w)
			return "an event is not on its counter";
		if (w->reg >= m->regs)
			return "an event has a register that is not there";
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
		for (unsigned int s = 0; s < r; s++) {
			if (users[r] && users[s] && core->rsp[r] == core->rsp[s])
				return "two registers have one value";
		}
	}
	return NULL;
}

static bool fail(struct check *k, const struct offcore_want *w,
		 unsigned int n, const char *what)
{
	snprintf(k->error, sizeof(k->error),
		 "event %u (rsp %#llx, thread %u): %s", n,
		 (unsigned long long)w->rsp, w->thread, what);
	return false;
}

/* Add @w to a core that has the @n events of @have; compare with brute force. */
static bool add(struct check *k, const struct machine *m,
		struct offcore_core *core, struct offcore_want **have,
		unsigned int *n, struct offcore_want *w)
{
	struct offcore_core before = *core;
	struct offcore_want old[MAX_WANTS] = { };
	u8 last = w->reg;
	bool regs_fit, expect, added;
	enum offcore_result got;
	const char *what;

	expect = fits(m, have, *n, w, &regs_fit);
	for (unsigned int i = 0; i < *n; i++)
		old[i] = *have[i];
	got = offcore_alloc_add(core, m->regs, m->ctrs, w);
	added = got == OFFCORE_OK;
	k->adds++;
	if (added != expect)
		return fail(k, w, *n, expect ? "refused, but there is room" :
						"taken, but there is no room");
	for (unsigned int i = 0; i < *n; i++) {
		if (memcmp(&old[i], have[i], sizeof(old[i])))
			return fail(k, w, *n, "another was moved");
	}
	if (!added) {
		k->full++;
		if (got != (regs_fit ? OFFCORE_NO_COUNTER : OFFCORE_NO_REGISTER))
			return fail(k, w, *n, "the wrong reason");
		if (memcmp(&before, core, sizeof(before)))
			return fail(k, w, *n, "a failure changed the core");
		return true;
	}
	if (!before.users[w->reg] && last < m->regs && !before.users[last] &&
	    w->reg != last)
		return fail(k, w, *n, "did not get its last register, which is free");
	have[(*n)++] = w;
	what = broken(m, core, have, *n);
	return what ? fail(k, w, *n, what) : true;
}

/* Kind @kind of @threads * 3 values, with a register that it had before or none */
static void want_kind(struct offcore_want *w, unsigned int kind)
{
	offcore_want_init(w, 0x10001 + kind % 3);
	w->thread = kind / 9;
	w->reg = kind / 3 % 3 < 2 ? kind / 3 % 3 : OFFCORE_NONE;
}

/* Every sequence of @len events, on threads of a core. */
static void all_sequences(struct machine m, unsigned int threads,
			  unsigned int len)
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
			want_kind(&w[i], rest % kinds);
			rest /= kinds;
			good = add(&k, &m, &core, have, &n, &w[i]);
		}
	}
	tap(good, "all sequences of %u events, %u thread(s), %u register(s), counters %#x: %lu placed, %lu not%s%s",
	    len, threads, m.regs, m.ctrs, k.adds - k.full, k.full,
	    good ? "" : ": ", k.error);
}

static void leave(struct offcore_core *core, struct offcore_want **have,
		  unsigned int *n, unsigned int i)
{
	offcore_alloc_del(core, have[i]);
	have[i] = have[--*n];
}

struct walk {
	struct machine m;
	struct offcore_want pool[MAX_WANTS], *have[MAX_WANTS];
	struct offcore_core core;
	struct check k;
	unsigned int n;
};

static void walk_init(struct walk *w)
{
	memset(w, 0, sizeof(*w));
	w->m.regs = 1 + draw(2);
	w->m.ctrs = 1 + draw(255);
	for (unsigned int i = 0; i < MAX_WANTS; i++)
		offcore_want_init(&w->pool[i], 0);
}

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
		what = broken(&w->m, &w->core, w->have, w->n);
		return what ? fail(&w->k, want, w->n, what) : true;
	}
	want->rsp = 1 + draw(values);
	want->thread = draw(2);
	return add(&w->k, &w->m, &w->core, w->have, &w->n, want);
}

/*
 * Events come and go, at most @nr at a time. Few of them have little that is in
 * their way, and many have nearly no room.
 */
static void random_walk(unsigned int seed, unsigned int steps, unsigned int nr,
			unsigned int values)
{
	struct walk w;
	bool good = true;

	noise_seed(seed);
	walk_init(&w);
	for (unsigned int s = 0; good && s < steps; s++)
		good = walk_step(&w, nr, values);
	tap(good, "random walk %u of %u events with %u values, %u register(s), counters %#x: %lu placed, %lu not%s%s",
	    seed, nr, values, w.m.regs, w.m.ctrs, w.k.adds - w.k.full, w.k.full,
	    good ? "" : ": ", w.k.error);
	while (w.n)
		leave(&w.core, w.have, &w.n, w.n - 1);
	tap(!broken(&w.m, &w.core, w.have, 0),
	    "random walk %u: nothing is left behind", seed);
}

/* Three events of two values count, a third value does not. */
static void two_values(void)
{
	struct offcore_core core = { 0 };
	struct offcore_want w[5];

	for (unsigned int i = 0; i < 5; i++) {
		offcore_want_init(&w[i], i < 3 ? 0x10001 + i % 2 : 0x10011);
		w[i].thread = i & 1;
	}
	for (unsigned int i = 0; i < 3; i++)
		tap(offcore_alloc_add(&core, 2, 0xf, &w[i]) == OFFCORE_OK,
		    "event %u of three with two values", i);
	tap(offcore_alloc_add(&core, 2, 0xf, &w[3]) == OFFCORE_NO_REGISTER,
	    "a third value on either thread finds no register");
	offcore_alloc_del(&core, &w[1]);
	tap(offcore_alloc_add(&core, 2, 0xf, &w[4]) == OFFCORE_OK,
	    "but does when a value has lost its only user");
}

int main(void)
{
	two_values();
	for (unsigned int regs = 1; regs <= 2; regs++) {
		for (unsigned int len = 1; len <= 4; len++) {
			all_sequences((struct machine){ regs, 0xf }, 1, len);
			all_sequences((struct machine){ regs, 0x5 }, 1, len);
			all_sequences((struct machine){ regs, 0xf }, 2, len);
			all_sequences((struct machine){ regs, 0x80 }, 2, len);
		}
	}
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
	struct walk w;

	walk_init(&w);
	while (!draw_over()) {
		if (walk_step(&w, nr, values) && !oracles_differ)
			continue;
		printf("# %s\n", oracles_differ ? "the oracles differ" : w.k.error);
		fuzz_found();
	}
}
