/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which counter and which filter an event gets. Pure logic: no register, no
 * perf, no lock, so that it can be proven outside the kernel.
 */
#ifndef SNBEP_SCHED_H
#define SNBEP_SCHED_H

#include <linux/types.h>

#include "common/match.h"

/* Four general counters at most, then the fixed one */
#define SNBEP_FIXED_CTR		4
#define SNBEP_NR_CTRS		5
#define SNBEP_NR_FILTERS	4
#define SNBEP_NR_FILTER_REGS	4

/**
 * struct snbep_filter - a filter of a box, shared by its events
 * @name: format field that sets it
 * @flag: its SNBEP_F_* bit
 * @mask: its bits in config1 and config2
 * @fallback: value in config1 if an event uses it and gives none; 0 for none
 * @any: zero is a value like any other, so an event may need it and give none
 * @always: an event that takes it uses it even if it gives none
 * @match: config1 is a value to match, config2 the bits of it that count
 * @ones: bits in config1 that any value has set
 * @hint: what to do instead, for the line that refuses the filter; may be NULL
 */
struct snbep_filter {
	const char *name;
	u16 flag;
	u64 mask[2];
	u64 fallback;
	bool any;
	bool always;
	bool match;
	u64 ones;
	const char *hint;
};

/**
 * struct snbep_want - what an event asks of its box
 * @filter: values of its filters, as config1 and config2 have them; other bits
 *	are 0
 * @ctl: control register, without .en
 * @filters: SNBEP_F_* of the filters that it uses
 * @ctr: the counters that will do, and the one that it has or last had
 */
struct snbep_want {
	u64 filter[2];
	u32 ctl;
	u16 filters;
	struct match_item ctr;
};

/**
 * struct snbep_sched - the counters and filters of one box
 * @on: who has each counter: the @ctr of a struct snbep_want
 * @users: how many use each filter
 * @filters: SNBEP_F_* of the filters in use
 * @filter: values of the filters in use, as config1 and config2 have them
 * @changed: bit n set if counter n may have come to another since the bit was
 *	cleared
 */
struct snbep_sched {
	struct match_item *on[SNBEP_NR_CTRS];
	u8 users[SNBEP_NR_FILTERS];
	u16 filters;
	u64 filter[2];
	u8 changed;
};

enum snbep_sched_result {
	SNBEP_SCHED_OK,
	SNBEP_SCHED_NO_COUNTER,
	SNBEP_SCHED_FILTER_TAKEN,
};

enum snbep_sched_result snbep_sched_add(struct snbep_sched *s,
					const struct snbep_filter *filters,
					unsigned int nr_filters,
					struct snbep_want *w);
void snbep_sched_del(struct snbep_sched *s,
		     const struct snbep_filter *filters,
		     unsigned int nr_filters, struct snbep_want *w);

#endif /* SNBEP_SCHED_H */
