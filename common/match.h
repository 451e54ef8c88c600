/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Assignment of items to slots, each of which holds one item: bipartite matching
 * with augmenting paths. A new item may displace others, so it is rejected only
 * if no assignment of all items exists. Also compiles in userspace.
 */
#ifndef COMMON_MATCH_H
#define COMMON_MATCH_H

#include <linux/bits.h>
#include <linux/types.h>

#define MATCH_SLOTS	16
#define MATCH_NONE	0xff

/**
 * struct match_item - an item that needs one slot
 * @idxmask: mask of slots that the item can use
 * @idx: current or last slot, MATCH_NONE at first
 * @lowest_first: prefer the lowest slot instead
 */
struct match_item {
	u16 idxmask;
	u8 idx;
	bool lowest_first;
};

/*
 * Return the slot that an item tries as number @i: first its last slot, to save
 * register writes, then from the highest slot down, as restricted items tend to
 * need the lowest ones.
 */
static inline unsigned int match_nth_slot(const struct match_item *item,
					  unsigned int nr, unsigned int i)
{
	unsigned int slot;

	if (item->lowest_first)
		return i;
	if (item->idx >= nr)
		return nr - 1 - i;
	if (i == 0)
		return item->idx;
	slot = nr - i;
	return slot > item->idx ? slot : slot - 1;
}

/**
 * match_add - assign a slot to an item, moving as few others as possible
 * @on: item of each slot, or NULL; unchanged on failure
 * @nr: number of slots, at most MATCH_SLOTS
 * @item: the new item; @item->idx is set to its slot
 *
 * Return: whether an assignment exists
 */
static inline bool match_add(struct match_item **on, unsigned int nr,
			     struct match_item *item)
{
	u8 via[MATCH_SLOTS];	/* slot whose item would move here */
	u8 queue[MATCH_SLOTS];	/* occupied slots to be searched */
	unsigned int head = 0, tail = 0, i, slot;
	struct match_item *mover = item;
	u8 from = MATCH_NONE;
	u16 seen = 0;

	for (;;) {
		for (i = 0; i < nr; i++) {
			slot = match_nth_slot(mover, nr, i);
			if (!(mover->idxmask & ~seen & BIT(slot)))
				continue;
			seen |= BIT(slot);
			via[slot] = from;
			if (!on[slot])
				goto found;
			queue[tail++] = slot;
		}
		if (head == tail)
			return false;
		from = queue[head++];
		mover = on[from];
	}

found:
	for (; via[slot] != MATCH_NONE; slot = via[slot]) {
		on[slot] = on[via[slot]];
		on[slot]->idx = slot;
	}
	on[slot] = item;
	item->idx = slot;
	return true;
}

#endif /* COMMON_MATCH_H */
