/* SPDX-License-Identifier: GPL-2.0-only */
/* PMUs and events: what perf's structures hold of the driver's */
#ifndef SNBEP_EVENT_H
#define SNBEP_EVENT_H

#include <linux/build_bug.h>
#include <linux/perf_event.h>

#include "common/refuse.h"
#include "snbep/box.h"

/* The UBox maps node IDs to eight packages. */
#define SNBEP_MAX_SOCKETS	8

/* One PMU: the same box in all sockets */
struct snbep_pmu {
	struct pmu pmu;
	struct list_head node;
	const struct snbep_box_type *type;
	u8 instance;		/* index within its type */
	bool no_ext;		/* ev_sel_ext is not writable */
	bool claimed;		/* perf_pmu_register() was called */
	bool registered;	/* and succeeded */
	char name[32];
	struct snbep_box *box[SNBEP_MAX_SOCKETS];
};

static inline struct snbep_pmu *to_snbep_pmu(struct pmu *pmu)
{
	return container_of(pmu, struct snbep_pmu, pmu);
}

/* Return the box of @pmu in a socket, or NULL if it has none that responds. */
static inline struct snbep_box *snbep_live_box(struct snbep_pmu *pmu, int pkg)
{
	struct snbep_box *box = READ_ONCE(pmu->box[pkg]);

	return box && !READ_ONCE(box->dead) ? box : NULL;
}

/* Log why an event is refused; evaluates to @err. */
#define snbep_refuse(p, err, fmt, ...)					\
	refuse((p)->name, err, fmt, ##__VA_ARGS__)

/*
 * Per-event data, stored in the extra_reg and branch_reg members of struct
 * hw_perf_event, which only core PMUs use
 */
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
