/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Per-event data, stored in the extra_reg and branch_reg members of struct
 * hw_perf_event, which only core PMUs use
 */
#ifndef SNBEP_EVENT_H
#define SNBEP_EVENT_H

#include <linux/build_bug.h>
#include <linux/perf_event.h>

#include "snbep/sched.h"

struct snbep_box;

struct snbep_event {
	struct snbep_want want;
	struct snbep_box *box;
};

static_assert(sizeof(struct snbep_event) <=
	      2 * sizeof(struct hw_perf_event_extra));
static_assert(offsetof(struct hw_perf_event, branch_reg) ==
	      offsetof(struct hw_perf_event, extra_reg) +
	      sizeof(struct hw_perf_event_extra));

static inline struct snbep_event *to_snbep_event(struct perf_event *event)
{
	return (struct snbep_event *)&event->hw.extra_reg;
}

static inline struct perf_event *to_perf_event(struct snbep_event *se)
{
	return container_of((struct hw_perf_event_extra *)se,
			    struct perf_event, hw.extra_reg);
}

#endif /* SNBEP_EVENT_H */
