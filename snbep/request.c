// SPDX-License-Identifier: GPL-2.0-only
/* Translation of a perf_event_attr to a box and register values */
#define pr_fmt(fmt) "snbep_uncore: " fmt

#include <linux/bitfield.h>
#include <linux/cpu.h>
#include <linux/moduleparam.h>
#include <linux/topology.h>

#include "common/compat_perf.h"
#include "snbep/box.h"
#include "snbep/check.h"
#include "snbep/pmus.h"
#include "snbep/regs.h"
#include "snbep/request.h"

static bool snbep_unlisted;
module_param_named(unlisted, snbep_unlisted, bool, 0644);
MODULE_PARM_DESC(unlisted,
		 "Allow undocumented event codes and unit masks (default: N)");

static const struct snbep_event_desc *snbep_find_event(struct snbep_enc *e)
{
	const struct snbep_events *ev = e->pmu->type->ev;
	unsigned int i;

	for (i = 0; i < ev->nr_events; i++) {
		if (ev->events[i].sel == e->sel)
			return &ev->events[i];
	}
	return NULL;
}

/* Undocumented events and unit masks may use any filter given for them. */
static const struct snbep_event_desc snbep_unlisted_event = {
	.name = "an undocumented event",
	.takes = U16_MAX & ~SNBEP_F_EDGE_OR_INV,
};

/* Return the counters that support an undocumented event code, or all. */
static u16 snbep_unlisted_counters(struct snbep_enc *e)
{
	const struct snbep_events *ev = e->pmu->type->ev;
	unsigned int i;

	for (i = 0; i < ev->nr_unlisted; i++) {
		if (e->code >= ev->unlisted[i].first &&
		    e->code <= ev->unlisted[i].last)
			return ev->unlisted[i].counters;
	}
	return GENMASK(e->pmu->type->counters - 1, 0);
}

/*
 * Find the event's unit masks that are subsets of e->umask, and the filters
 * they need. SNBEP_F_ALONE ones match only if they are all of e->umask.
 */
static void snbep_find_umask(struct snbep_enc *e)
{
	const struct snbep_events *ev = e->pmu->type->ev;
	int event = -1;
	unsigned int i;

	e->takes = e->event->takes;
	if (e->event != &snbep_unlisted_event)
		event = e->event - ev->events;
	/* In the order of events; an undocumented one has none. */
	for (i = 0; i < ev->nr_umasks && ev->umasks[i].event <= event; i++) {
		const struct snbep_umask_desc *u = &ev->umasks[i];

		if (u->event != event || (u->umask & ~e->umask) ||
		    ((u->needs & SNBEP_F_ALONE) && u->umask != e->umask))
			continue;
		e->covered |= u->umask;
		e->plain |= u->plain;
		e->needs |= u->needs;
	}
	if (e->unlisted && e->covered != e->umask)
		e->takes |= snbep_unlisted_event.takes;
	/* filter_tid applies only with .tid_en, and 0 is a valid thread ID. */
	if (e->takes & SNBEP_F_TID) {
		if (e->config[0] & SNBEP_CBO_CTL_TID_EN)
			e->needs |= SNBEP_F_TID;
		else
			e->takes &= ~SNBEP_F_TID;
	}
}

static void snbep_want_filters(struct snbep_enc *e, struct snbep_want *want)
{
	const struct snbep_box_type *type = e->pmu->type;
	/* Do not reserve default filters for undocumented events. */
	u16 takes = e->event == &snbep_unlisted_event ? 0 : e->event->takes;
	const struct snbep_filter *f;

	if (!(e->needs | e->takes))
		return;
	for (f = type->filters; f < type->filters + type->nr_filters; f++) {
		u64 val[2] = {
			e->config[1] & f->mask[0], e->config[2] & f->mask[1]
		};
		bool uses = (e->needs & f->flag) ||
			    (f->always && (takes & f->flag));

		/* One that another event of the group has, and this one ignores */
		if (!((e->needs | e->takes) & f->flag))
			continue;
		if (val[0] || val[1])
			uses = true;
		else if (uses)
			val[0] = f->fallback;
		if (!uses)
			continue;
		want->filters |= f->flag;
		want->filter[0] |= val[0];
		want->filter[1] |= val[1];
	}
}

/* Look up the event of e->code, with or without the occupancy bit. */
static void snbep_find_code(struct snbep_enc *e)
{
	u32 use = e->pmu->type->occ.use;

	e->sel = e->code;
	e->event = snbep_find_event(e);
	/*
	 * Event 0x80 + n counts event n while an occupancy exceeds the threshold
	 * (Table 2-80). 0x80 itself is a separate event.
	 */
	if (!e->event && (e->sel & use)) {
		e->sel &= ~use;
		e->umask = 0;
		e->event = snbep_find_event(e);
	}
	if (!e->event && e->unlisted)
		e->event = &snbep_unlisted_event;
}

/* Encode the control and filter values, and the counter constraint. */
static int snbep_encode(struct snbep_enc *e, struct snbep_want *want)
{
	int ret = snbep_check_reserved(e);

	if (ret)
		return ret;
	snbep_find_code(e);
	ret = snbep_check_event(e);
	if (ret)
		return ret;
	want->ctr = (struct match_item){
		.idxmask = e->event->counters, .idx = MATCH_NONE,
	};
	if (e->event == &snbep_unlisted_event) {
		want->ctr.idxmask = snbep_unlisted_counters(e);
		/* Few events count on the highest counter alone. */
		want->ctr.lowest_first = true;
	}
	/* The control of a fixed counter has only .en. */
	if (e->event->counters == BIT(SNBEP_FIXED_CTR))
		return snbep_check_fixed(e);

	snbep_find_umask(e);
	ret = snbep_check_fields(e);
	if (ret)
		return ret;
	want->ctl = e->config[0];
	snbep_want_filters(e, want);
	return 0;
}

/* Find the box of event->cpu. */
static int snbep_find_box(struct snbep_pmu *pmu, struct perf_event *event)
{
	int pkg = topology_physical_package_id(event->cpu);
	struct snbep_event *se = to_snbep_event(event);

	/* The socket of an offline CPU is not known. */
	if (!cpu_online(event->cpu))
		return snbep_refuse(pmu, -ENODEV, "CPU %d is not online",
				    event->cpu);
	if (!snbep_socket_get(pkg))
		return snbep_refuse(pmu, -ENODEV, "CPU %d is in socket %d, but the UBox only maps sockets 0 to %d",
				    event->cpu, pkg, SNBEP_MAX_SOCKETS - 1);
	se->box = snbep_live_box(pmu, pkg);
	if (!se->box)
		return snbep_refuse(pmu, -ENODEV, "socket %d has no such box, or it does not respond",
				    pkg);
	return 0;
}

/* Fill the struct snbep_event of @event, or log why it is refused. */
int snbep_request(struct snbep_pmu *pmu, struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;
	struct snbep_event *se = to_snbep_event(event);
	struct snbep_enc e = {
		.pmu = pmu,
		.self = event,
		.config = { attr->config, attr->config1, attr->config2 },
		.code = FIELD_GET(SNBEP_PMON_CTL_EV_SEL, attr->config),
		.umask = FIELD_GET(SNBEP_PMON_CTL_UMASK, attr->config),
		.unlisted = READ_ONCE(snbep_unlisted),
	};
	int ret;

	if (attr->config & SNBEP_PMON_CTL_EV_SEL_EXT)
		e.code |= SNBEP_SEL_EXT;
	ret = snbep_check_attr(pmu, event);
	if (!ret)
		ret = snbep_find_box(pmu, event);
	if (!ret)
		ret = snbep_encode(&e, &se->want);
	if (!ret)
		ret = snbep_check_filter_access(se);
	if (!ret)
		ret = snbep_check_group(se);
	return ret;
}
