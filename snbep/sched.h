/* SPDX-License-Identifier: GPL-2.0-only */
/* Which counter and which filter an event gets: see sched.c */
#ifndef SNBEP_SCHED_H
#define SNBEP_SCHED_H

#include <linux/types.h>

#include "common/match.h"

/* Four general counters at most, then the fixed one */
#define SNBEP_FIXED_CTR		4
#define SNBEP_NR_CTRS		5
#define SNBEP_NR_FILTERS	4
#define SNBEP_NR_FILTER_REGS	4

/* A filter of a box, shared by its events */
struct snbep_filter {
	const char *name;	/* format field that sets it */
	u16 flag;		/* SNBEP_F_* */
	u64 mask[2];		/* its bits in config1 and config2 */
	u64 fallback;		/* config1 if an event uses it and gives none */
	bool any;		/* zero is a value like any other */
	bool always;		/* an event that takes it uses it in any case */
	bool match;		/* config2 says which bits of config1 count */
	u64 ones;		/* config1 bits that any value has set */
	const char *hint;	/* what to do instead, or NULL */
};

/* What an event asks of its box */
struct snbep_want {
	u64 filter[2];	/* values, as config1 and config2; other bits are 0 */
	u32 ctl;	/* control register, without .en */
	u16 filters;	/* SNBEP_F_* that it uses */
	struct match_item ctr;
};

/* The counters and filters of one box */
struct snbep_sched {
	const struct snbep_filter *desc;	/* filters that there are */
	unsigned int nr_filters;
	struct match_item *on[SNBEP_NR_CTRS];	/* who has each counter */
	u8 users[SNBEP_NR_FILTERS];
	u64 filter[2];	/* values of those in use */
};

enum snbep_sched_result {
	SNBEP_SCHED_OK,
	SNBEP_SCHED_NO_COUNTER,
	SNBEP_SCHED_FILTER_TAKEN,
};

enum snbep_sched_result snbep_sched_add(struct snbep_sched *s,
					struct snbep_want *w);
void snbep_sched_del(struct snbep_sched *s, struct snbep_want *w);

#endif /* SNBEP_SCHED_H */
