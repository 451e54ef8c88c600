// SPDX-License-Identifier: GPL-2.0-only
/*
 * The allocator of offcore response registers against brute force: every sequence of
 * a few events, and long random ones with events that leave.
 */
#include <stdlib.h>
#include <string.h>

#include "offcore/alloc.h"
#include "lib/chance/fuzz.h"
#include "lib/tap.h"

#define MAX_EVENTS	24	/* at a time */
#define MAX_BRUTE	12	/* so many can be tried in all ways */

struct event {
	uint64_t rsp;
	int reg;
};

struct walk {
	struct offcore_regs regs;
	struct event have[MAX_EVENTS];
	unsigned int nr, n;	/* registers, events */
	unsigned long full, placed;
	const char *error;
};

/* All ways to give registers, by counting through them: is there one? */
static bool some_way(const struct walk *w, uint64_t new)
{
	for (unsigned int way = 0; way < 1u << (w->n + 1); way++) {
		bool set[2] = { false, false }, good = true;
		uint64_t rsp[2];

		for (unsigned int i = 0; good && i <= w->n; i++) {
			uint64_t value = i < w->n ? w->have[i].rsp : new;
			unsigned int r = way >> i & 1;

			good = r < w->nr && !(set[r] && rsp[r] != value);
			set[r] = true;
			rsp[r] = value;
		}
		if (good)
			return true;
	}
	return false;
}

/* The same for many: there is a register for each value. */
static bool values_fit(const struct walk *w, uint64_t new)
{
	unsigned int values = 1;

	for (unsigned int i = 0; i < w->n; i++) {
		unsigned int j = 0;

		while (w->have[j].rsp != w->have[i].rsp)
			j++;
		values += j == i && w->have[i].rsp != new;
	}
	return values <= w->nr;
}

/* What may be in the registers at any time */
static const char *broken(const struct walk *w)
{
	unsigned int users[OFFCORE_NR_REGS] = { 0 };

	for (unsigned int i = 0; i < w->n; i++) {
		const struct event *e = &w->have[i];

		if (e->reg >= (int)w->nr)
			return "an event has a register that is not there";
		if (w->regs.rsp[e->reg] != e->rsp)
			return "an event would be counted with another's value";
		users[e->reg]++;
	}
	for (unsigned int r = 0; r < OFFCORE_NR_REGS; r++) {
		if (w->regs.users[r] != users[r])
			return "a register's users are miscounted";
	}
	if (users[0] && users[1] && w->regs.rsp[0] == w->regs.rsp[1])
		return "two registers have one value";
	return NULL;
}

static bool add(struct walk *w, uint64_t rsp)
{
	struct offcore_regs before = w->regs;
	bool fits = values_fit(w, rsp);
	int reg;

	if (w->n < MAX_BRUTE && fits != some_way(w, rsp))
		w->error = "the two ways to know the answer do not agree";
	reg = offcore_get_reg(&w->regs, w->nr, rsp);
	if (reg < 0) {
		w->full++;
		if (fits)
			w->error = "refused, but there is room";
		if (memcmp(&before, &w->regs, sizeof(before)))
			w->error = "a failure changed the registers";
		return !w->error;
	}
	w->placed++;
	if (!fits)
		w->error = "taken, but there is no room";
	w->have[w->n++] = (struct event){ rsp, reg };
	w->error = w->error ?: broken(w);
	return !w->error;
}

static void leave(struct walk *w, unsigned int i)
{
	w->regs.users[w->have[i].reg]--;
	w->have[i] = w->have[--w->n];
}

/* Every sequence of @len events of four values */
static void all_sequences(unsigned int nr, unsigned int len)
{
	struct walk w = { .nr = nr };

	for (unsigned int seq = 0; !w.error && seq < 1u << (2 * len); seq++) {
		memset(&w.regs, 0, sizeof(w.regs));
		w.n = 0;
		for (unsigned int i = 0; i < len && !w.error; i++)
			add(&w, 0x10001 + (seq >> (2 * i) & 3));
	}
	tap(!w.error, "all sequences of %u events, %u register(s): %lu placed, %lu not%s%s",
	    len, nr, w.placed, w.full, w.error ? ": " : "", w.error ?: "");
}

/* An event comes or goes; 0 is a value, too. */
static bool walk_step(struct walk *w, unsigned int most, unsigned int values)
{
	if (w->n && (w->n == most || draw(2))) {
		leave(w, draw(w->n));
		w->error = broken(w);
		return !w->error;
	}
	return add(w, draw(values));
}

/* Few events have little that is in their way, and many have nearly no room. */
static void random_walk(unsigned int seed, unsigned int most, unsigned int values)
{
	struct walk w = { .nr = 1 + seed % 2 };
	unsigned int steps = 20000;

	noise_seed(seed);
	while (steps-- && walk_step(&w, most, values))
		;
	tap(!w.error, "random walk %u of %u events with %u values, %u register(s): %lu placed, %lu not%s%s",
	    seed, most, values, w.nr, w.placed, w.full, w.error ? ": " : "",
	    w.error ?: "");
}

int main(void)
{
	for (unsigned int nr = 1; nr <= 2; nr++) {
		for (unsigned int len = 1; len <= 6; len++)
			all_sequences(nr, len);
	}
	for (unsigned int seed = 1; seed <= 8; seed++)
		random_walk(seed, MAX_BRUTE, 3);
	for (unsigned int seed = 9; seed <= 16; seed++)
		random_walk(seed, MAX_EVENTS, 1 + seed % 4);
	return tap_done();
}

void fuzz_input(void)
{
	unsigned int most = 4 + draw(MAX_EVENTS - 3), values = 1 + draw(5);
	struct walk w = { .nr = 1 + draw(2) };

	while (!draw_over()) {
		if (walk_step(&w, most, values))
			continue;
		printf("# %s\n", w.error);
		fuzz_found();
	}
}
