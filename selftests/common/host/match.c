// SPDX-License-Identifier: GPL-2.0-only
/*
 * common/match.h against brute force: random items come and go; each is placed
 * if and only if some arrangement has room for all, and what moved is reported.
 */
#include <stdlib.h>
#include <string.h>

#include "common/match.h"
#include "lib/random/fuzz.h"
#include "lib/tap.h"

#define ROUNDS	20000
#define ITEMS	8

/* Whether items @n and on can have slots that are not in @used. */
static bool room(const u16 *may, unsigned int n, unsigned int nr, u16 used)
{
	unsigned int slot;

	if (!n)
		return true;
	for (slot = 0; slot < nr; slot++) {
		if ((may[0] & ~used & BIT(slot)) &&
		    room(may + 1, n - 1, nr, used | BIT(slot)))
			return true;
	}
	return false;
}

struct world {
	struct match_item item[ITEMS];
	bool in[ITEMS];
	struct match_item *on[MATCH_SLOTS];
	unsigned int nr;
};

static struct {
	unsigned long placed, refused, moved;
	bool exact, reported, held, stayed;
} seen = { .exact = true, .reported = true, .held = true, .stayed = true };

static void look(const struct world *w, struct match_item *const *before,
		 u16 changed)
{
	unsigned int slot;

	for (slot = 0; slot < w->nr; slot++) {
		bool other = before[slot] != w->on[slot];

		if (other != !!(changed & BIT(slot)))
			seen.reported = false;
		if (before[slot] && before[slot] != w->on[slot])
			seen.moved++;
		if (w->on[slot] && (w->on[slot]->idx != slot ||
				    !(w->on[slot]->idxmask & BIT(slot))))
			seen.held = false;
	}
}

static void add(struct world *w, unsigned int i)
{
	struct match_item *before[MATCH_SLOTS], *it = &w->item[i];
	u8 last = it->idx;
	u16 may[ITEMS + 1], changed;
	unsigned int n = 0, k;
	bool was_free, fits;

	for (k = 0; k < ITEMS; k++) {
		if (w->in[k])
			may[n++] = w->item[k].idxmask;
	}
	may[n++] = it->idxmask;
	fits = room(may, n, w->nr, 0);
	was_free = last < w->nr && (it->idxmask & BIT(last)) && !w->on[last];
	memcpy(before, w->on, sizeof(before));
	changed = match_add(w->on, w->nr, it);
	if (!!changed != fits)
		seen.exact = false;
	if (was_free && it->idx != last)
		seen.stayed = false;
	look(w, before, changed);
	w->in[i] = changed;
	if (changed)
		seen.placed++;
	else
		seen.refused++;
}

static void new_world(struct world *w)
{
	unsigned int i;

	*w = (struct world){ .nr = 1 + draw(6) };
	for (i = 0; i < ITEMS; i++) {
		w->item[i].idxmask = draw(BIT(w->nr));
		w->item[i].idx = MATCH_NONE;
	}
}

static void step(struct world *w)
{
	unsigned int i = draw(ITEMS);

	if (!w->in[i]) {
		add(w, i);
		return;
	}
	w->on[w->item[i].idx] = NULL;
	w->in[i] = false;
}

int main(void)
{
	unsigned int round, i;
	struct world w;

	for (round = 0; round < ROUNDS; round++) {
		new_world(&w);
		for (i = 0; i < 24; i++)
			step(&w);
	}
	tap(seen.exact, "placed if and only if there is room (%lu were, %lu not)",
	    seen.placed, seen.refused);
	tap(seen.reported, "the slots that changed are those reported (%lu moves)",
	    seen.moved);
	tap(seen.held, "everybody has a slot that will do");
	tap(seen.stayed, "an item comes back to its slot if that is free");
	tap(seen.placed > 100000 && seen.refused > 10000 && seen.moved > 10000,
	    "there was something to see");
	return tap_done();
}

void fuzz_input(void)
{
	struct world w;

	new_world(&w);
	while (!draw_over()) {
		step(&w);
		if (!seen.exact || !seen.reported || !seen.held || !seen.stayed) {
			printf("# exact %d, reported %d, held %d, stayed %d\n",
			       seen.exact, seen.reported, seen.held, seen.stayed);
			fuzz_found();
		}
	}
}
