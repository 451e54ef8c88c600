/* SPDX-License-Identifier: GPL-2.0-only */
/* Assignment of counters and filters to the events of a box */
#ifndef SNBEP_SCHED_H
#define SNBEP_SCHED_H

#include <linux/types.h>

#include "common/match.h"

/* Up to four general counters; the fixed one has index 4 */
#define SNBEP_FIXED_CTR		4
#define SNBEP_NR_CTRS		5
#define SNBEP_NR_FILTERS	4
#define SNBEP_NR_FILTER_REGS	4

/* A filter of a box, shared by its events */
struct snbep_filter {
	const char *name;	/* format field */
	u16 flag;		/* SNBEP_F_* */
	u64 mask[2];		/* its bits in config1 and config2 */
	u64 fallback;		/* default value in config1 */
	bool any;		/* 0 is a valid value */
	bool always;		/* reserved by every event that takes it */
	bool match;		/* config1 is the match, config2 the mask */
	u64 ones;		/* config1 bits that must be 1 */
	const char *hint;	/* added to the log message, or NULL */
};

/* The register values and the counter constraint of an event */
struct snbep_want {
	u64 filter[2];	/* filter values, laid out as config1 and config2 */
	u32 ctl;	/* control register without .en */
	u16 filters;	/* SNBEP_F_* in use */
	struct match_item ctr;
};

/* Counter and filter assignment of one box */
struct snbep_sched {
	const struct snbep_filter *desc;	/* the box type's filters */
	unsigned int nr_filters;
	struct match_item *assigned[SNBEP_NR_CTRS];	/* by counter */
	u8 users[SNBEP_NR_FILTERS];
	u64 filter[2];	/* values of the filters in use */
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
