// SPDX-License-Identifier: GPL-2.0-only
/* From a perf_event_attr to what an event wants of its box */
#include <linux/bitfield.h>

#include "common/compat_perf.h"
#include "snbep/check.h"
#include "snbep/encode.h"
#include "snbep/pmus.h"
#include "snbep/regs.h"
#include "snbep_uncore.h"

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

/*
 * An event that no list has. It may be given any filter, and has those that it is
 * given. It counts on any counter: how many there are is the box type's to say, see
 * snbep_encode().
 */
static const struct snbep_event_desc snbep_unlisted_event = {
	.name = "an event that is in no list",
	.takes = U16_MAX,
	.first = U16_MAX,
};

/*
 * What an event has of its unit mask: the rows whose bits it holds, of which
 * some have to stand alone, and the filters of these.
 */
static void snbep_find_umask(struct snbep_enc *e)
{
	const struct snbep_events *ev = e->pmu->type->ev;
	unsigned int i;

	e->takes = e->event->takes;
	for (i = e->event->first; i < ev->nr_umasks; i++) {
		const struct snbep_umask_desc *u = &ev->umasks[i];

		if (&ev->events[u->event] != e->event)
			break;
		if ((u->umask & ~e->umask) ||
		    ((u->needs & SNBEP_F_ALONE) && u->umask != e->umask))
			continue;
		e->covered |= u->umask;
		e->plain |= u->plain;
		e->needs |= u->needs;
	}
	/* A thread id is only looked at with .tid_en, and then 0 is one. */
	if (e->takes & SNBEP_F_TID) {
		if (e->word[0] & SNBEP_CBO_CTL_TID_EN)
			e->needs |= SNBEP_F_TID;
		else
			e->takes &= ~SNBEP_F_TID;
	}
}

static void snbep_want_filters(struct snbep_enc *e, struct snbep_want *want)
{
	const struct snbep_box_type *type = e->pmu->type;
	/* Nobody knows what an event of no list has to do with a filter. */
	u16 takes = e->event == &snbep_unlisted_event ? 0 : e->takes;
	const struct snbep_filter *f;

	if (!(e->needs | e->takes))
		return;
	for (f = type->filters; f < type->filters + type->nr_filters; f++) {
		u64 val[2] = {
			e->word[1] & f->mask[0], e->word[2] & f->mask[1]
		};
		bool uses = (e->needs & f->flag) ||
			    (f->always && (takes & f->flag));

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

/**
 * snbep_encode - what an event wants of its box
 * @pmu: the PMU
 * @attr: the event as the user gave it
 * @se: where to put it
 *
 * Return: 0; -EINVAL if a rule of the guide is broken, or -EOPNOTSUPP if this
 * processor cannot do it, after a line in the log that says which.
 */
int snbep_encode(struct snbep_pmu *pmu, const struct perf_event_attr *attr,
		 struct snbep_event *se)
{
	const struct snbep_box_type *type = pmu->type;
	struct snbep_enc e = {
		.pmu = pmu,
		.word = { attr->config, attr->config1, attr->config2 },
		.code = FIELD_GET(SNBEP_PMON_CTL_EV_SEL, attr->config),
		.umask = FIELD_GET(SNBEP_PMON_CTL_UMASK, attr->config),
		.unlisted = READ_ONCE(snbep_unlisted),
	};
	int ret;

	if (attr->config & SNBEP_PMON_CTL_EV_SEL_EXT)
		e.code |= SNBEP_SEL_EXT;
	e.sel = e.code;
	ret = snbep_check_reserved(&e);
	if (ret)
		return ret;
	if (compat_attr_unknown(attr))
		return snbep_refuse(pmu, -EINVAL, "config3 and config4 must be 0");

	e.event = snbep_find_event(&e);
	/*
	 * Event 0x80 + n is event n while an occupancy passes the threshold
	 * (Table 2-80). 0x80 is an event of its own.
	 */
	if (!e.event && (e.sel & type->occ.use)) {
		e.sel &= ~type->occ.use;
		e.umask = 0;
		e.event = snbep_find_event(&e);
	}
	if (!e.event && e.unlisted)
		e.event = &snbep_unlisted_event;
	ret = snbep_check_event(&e);
	if (ret)
		return ret;
	se->want.ctr = (struct match_item){
		.may = e.event->counters, .at = MATCH_NONE,
	};
	if (e.event == &snbep_unlisted_event)
		se->want.ctr.may = GENMASK(type->counters - 1, 0);
	/* Some are not known; none of the others is larger than this. */
	se->max_inc = e.event->max_inc ?: SNBEP_MAX_INC;
	se->clock = e.event->counters == BIT(SNBEP_FIXED_CTR) ||
		    e.code == type->clock;
	/* A counter of its own has no fields but .en. */
	if (e.event->counters == BIT(SNBEP_FIXED_CTR))
		return snbep_check_fixed(&e);

	snbep_find_umask(&e);
	ret = snbep_check_fields(&e);
	if (ret)
		return ret;
	se->counter0 = !!(e.needs & SNBEP_F_COUNTER0);
	se->want.ctl = attr->config;
	snbep_want_filters(&e, &se->want);
	return 0;
}
