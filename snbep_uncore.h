/* SPDX-License-Identifier: GPL-2.0-only */
/* What the front door of the uncore driver offers to the files behind it */
#ifndef SNBEP_UNCORE_H
#define SNBEP_UNCORE_H

#include <linux/build_bug.h>
#include <linux/perf_event.h>

#include "snbep/sched.h"

struct snbep_box;

/**
 * struct snbep_event - what the driver keeps of a perf event
 * @want: what it asks of a box
 * @box: where it counts
 * @addr: of the counter, while it has one
 * @ctr: the counter, likewise
 * @shift: 64 less the bits of the counter
 * @max_inc: it counts no more than this in a cycle
 * @clock: it counts each cycle
 * @counter0: it looks at what counter 0 counts
 * @active: a counter counts it
 *
 * In the place that struct hw_perf_event has for the extra registers of core
 * PMUs, so that no event needs memory of its own.
 */
struct snbep_event {
	struct snbep_want want;
	struct snbep_box *box;
	u16 addr;
	u8 ctr;
	u8 shift;
	u8 max_inc;
	u8 clock : 1;
	u8 counter0 : 1;
	bool active;
};

static_assert(sizeof(struct snbep_event) <=
	      2 * sizeof(struct hw_perf_event_extra));

static inline struct snbep_event *to_snbep_event(struct perf_event *event)
{
	return (struct snbep_event *)&event->hw.extra_reg;
}

static inline struct perf_event *to_perf_event(struct snbep_event *se)
{
	return container_of((struct hw_perf_event_extra *)se,
			    struct perf_event, hw.extra_reg);
}

/*
 * Value of the counter when it was last looked at. Any CPU of the socket may
 * look, so it takes more than what local64_t does.
 */
static inline atomic_long_t *snbep_event_prev(struct snbep_event *se)
{
	return &to_perf_event(se)->hw.prev_count.a.a;
}

/* The time stamp counter when it was last looked at, or a little before */
static inline u64 snbep_event_seen(struct snbep_event *se)
{
	return READ_ONCE(to_perf_event(se)->hw.event_base);
}

static inline void snbep_set_event_seen(struct snbep_event *se, u64 now)
{
	WRITE_ONCE(to_perf_event(se)->hw.event_base, now);
}

/* Callbacks and capabilities of all PMUs, without what each has of its own */
extern const struct pmu snbep_pmu_ops;

bool snbep_uncore_is_taken(void);

/* Whether a count that no counter can have reached is taken for another's write */
extern bool snbep_check_counts;

/* Whether events and unit masks count that the guide does not have */
extern bool snbep_unlisted;

/* Whether the PMUs have intel_uncore's names */
extern bool snbep_uncore_names;

#endif /* SNBEP_UNCORE_H */
