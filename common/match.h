/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which slot each item gets, where an item can use some slots and a slot holds
 * one item: a bipartite matching, found with augmenting paths. Pure logic that
 * also compiles outside of the kernel.
 *
 * A new item takes a free slot, or one whose holder can move on, and so forth,
 * so that an item is turned away only if no arrangement has room for all.
 */
#ifndef COMMON_MATCH_H
#define COMMON_MATCH_H

#include <linux/bits.h>
#include <linux/types.h>

#define MATCH_SLOTS	16
#define MATCH_NONE	0xff

/**
 * struct match_item - what takes one slot
 * @may: bit n set if slot n will do
 * @at: the slot that it has or last had, MATCH_NONE at first
 */
struct match_item {
	u16 may;
	u8 at;
};

/*
 * The order in which an item tries the slots: first where it was last, so that
 * nothing has to be written again; then from the highest down, because the
 * lowest are those that restricted items need.
 */
static inline unsigned int match_try(const struct match_item *item,
				     unsigned int nr, unsigned int i)
{
	unsigned int slot;

	if (item->at >= nr)
		return nr - 1 - i;
	if (i == 0)
		return item->at;
	slot = nr - i;
	return slot > item->at ? slot : slot - 1;
}

/**
 * match_add - give an item a slot, moving others if need be
 * @on: who has each slot, or NULL; unchanged if there is no room
 * @nr: slots, MATCH_SLOTS at most
 * @item: the new one; afterwards @item->at is its slot
 *
 * As few others as possible move.
 *
 * Return: bit n set for each slot that has another holder than before; 0 if no
 * arrangement has room for all.
 */
static inline u16 match_add(struct match_item **on, unsigned int nr,
			    struct match_item *item)
{
	u8 via[MATCH_SLOTS];	/* whose holder would move here */
	u8 queue[MATCH_SLOTS];	/* slots that are taken, to be made free */
	unsigned int head = 0, tail = 0, i, slot;
	struct match_item *mover = item;
	u8 from = MATCH_NONE;
	u16 seen = 0, changed = 0;

	for (;;) {
		for (i = 0; i < nr; i++) {
			slot = match_try(mover, nr, i);
			if (!(mover->may & ~seen & BIT(slot)))
				continue;
			seen |= BIT(slot);
			via[slot] = from;
			if (!on[slot])
				goto found;
			queue[tail++] = slot;
		}
		if (head == tail)
			return 0;
		from = queue[head++];
		mover = on[from];
	}

found:
	for (; via[slot] != MATCH_NONE; slot = via[slot]) {
		on[slot] = on[via[slot]];
		on[slot]->at = slot;
		changed |= BIT(slot);
	}
	on[slot] = item;
	item->at = slot;
	return changed | BIT(slot);
}

#endif /* COMMON_MATCH_H */
