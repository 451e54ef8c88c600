// SPDX-License-Identifier: GPL-2.0-only
/*
 * common/match.h against brute force: random items come and go; each is placed
 * if and only if some arrangement has room for all.
 */
#include <stdlib.h>
#include <string.h>

#include "common/match.h"
#include "fuzzing/draw.h"
#include "scripts/tap.h"

#define ROUNDS	20000
#define ITEMS	8

/* Whether all @n items can have a slot outside of @used */
static bool room(const u16 *idxmask, unsigned int n, unsigned int nr, u16 used)
{
	unsigned int slot;

	if (!n)
		return true;
	for (slot = 0; slot < nr; slot++) {
		if ((idxmask[0] & ~used & BIT(slot)) &&
		    room(idxmask + 1, n - 1, nr, used | BIT(slot)))
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
	bool exact, held, stayed, lowest;
} found = { .exact = true, .held = true, .stayed = true, .lowest = true };

static void check(const struct world *w, struct match_item *const *before)
{
	unsigned int slot;

	for (slot = 0; slot < w->nr; slot++) {
		if (before[slot] && before[slot] != w->on[slot])
			found.moved++;
		if (w->on[slot] && (w->on[slot]->idx != slot ||
				    !(w->on[slot]->idxmask & BIT(slot))))
			found.held = false;
	}
}

static void add(struct world *w, unsigned int i)
{
	struct match_item *before[MATCH_SLOTS], *it = &w->item[i];
	u8 last = it->idx;
	u16 idxmask[ITEMS + 1];
	unsigned int n = 0, k, lowest;
	bool was_free, fits;

	for (k = 0; k < ITEMS; k++) {
		if (w->in[k])
			idxmask[n++] = w->item[k].idxmask;
	}
	idxmask[n++] = it->idxmask;
	fits = room(idxmask, n, w->nr, 0);
	was_free = last < w->nr && (it->idxmask & BIT(last)) && !w->on[last];
	for (k = 0; k < w->nr && (w->on[k] || !(it->idxmask & BIT(k))); k++)
		;
	lowest = k;
	memcpy(before, w->on, sizeof(before));
	w->in[i] = match_add(w->on, w->nr, it);
	if (w->in[i] != fits)
		found.exact = false;
	if (it->lowest_first && lowest < w->nr && it->idx != lowest)
		found.lowest = false;
	if (!it->lowest_first && was_free && it->idx != last)
		found.stayed = false;
	check(w, before);
	if (w->in[i])
		found.placed++;
	else
		found.refused++;
}

static void new_world(struct world *w)
{
	unsigned int i;

	*w = (struct world){ .nr = 1 + draw(6) };
	for (i = 0; i < ITEMS; i++) {
		w->item[i].idxmask = draw(BIT(w->nr));
		w->item[i].idx = MATCH_NONE;
		w->item[i].lowest_first = draw(2);
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
	tap(found.exact, "an item is placed if and only if there is room (%lu were, %lu not)",
	    found.placed, found.refused);
	tap(found.held, "each item has a slot of its idxmask (%lu moves)", found.moved);
	tap(found.stayed, "an item returns to its last slot if that is free");
	tap(found.lowest, "or gets the lowest free one, if it prefers that");
	tap(found.placed > 100000 && found.refused > 10000 && found.moved > 10000,
	    "many items were placed, refused and moved");
	return tap_done();
}
