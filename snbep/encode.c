// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a perf_event_attr to what an event wants of its box, or a refusal that
 * says which rule it breaks.
 */
#include <linux/bitfield.h>

#include "common/compat.h"
#include "snbep_uncore.h"

/* An encoding taken apart */
struct snbep_enc {
	struct snbep_pmu *pmu;
	u64 word[3];
	u16 code;			/* as the user gave it */
	u16 sel;			/* as events/ has it, without occupancy */
	u8 umask;
	const struct snbep_event_desc *event;
	u16 needs;
	u16 takes;
	char text[64];
};

/* What a rule is about, as the user knows it */
static const char *snbep_event_text(struct snbep_enc *e)
{
	if (e->umask && !e->pmu->type->occupancy)
		snprintf(e->text, sizeof(e->text), "%s with umask %#x",
			 e->event->name, e->umask);
	else
		snprintf(e->text, sizeof(e->text), "%s", e->event->name);
	return e->text;
}

static int snbep_check_reserved(struct snbep_enc *e)
{
	const struct snbep_box_type *type = e->pmu->type;
	static const char * const name[] = { "config", "config1", "config2" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(name); i++) {
		u64 bad = e->word[i] & ~type->known[i];

		if (bad)
			return snbep_refuse(e->pmu, -EINVAL,
				"%s bits %#llx are no field of this box (%s)",
				name[i], bad, type->table);
	}
	if (e->pmu->no_ext &&
	    (e->word[0] & SNBEP_PMON_CTL_EV_SEL_EXT))
		return snbep_refuse(e->pmu, -EOPNOTSUPP,
			"event %#x needs the extended select, which this processor does not keep (%s, bit 21)",
			e->code, type->table);
	return 0;
}

static int snbep_find_event(struct snbep_enc *e)
{
	const struct snbep_box_type *type = e->pmu->type;
	const struct snbep_events *ev = type->ev;
	unsigned int i;

	for (i = 0; i < ev->nr_events; i++) {
		if (ev->events[i].sel == e->sel) {
			e->event = &ev->events[i];
			return 0;
		}
	}
	return snbep_refuse(e->pmu, -EINVAL,
			    "the guide has no event %#x for the %s",
			    e->code, type->name);
}

/*
 * The unit mask has to be a row of the event, or several ORed that are not to
 * stand alone.
 */
static int snbep_check_umask(struct snbep_enc *e)
{
	const struct snbep_events *ev = e->pmu->type->ev;
	unsigned int i;
	u8 covered = 0;
	bool plain = false;

	e->takes = e->event->takes;
	for (i = e->event->first; i < ev->nr_umasks; i++) {
		const struct snbep_umask_desc *u = &ev->umasks[i];

		if (&ev->events[u->event] != e->event)
			break;
		if ((u->umask & ~e->umask) ||
		    ((u->needs & SNBEP_F_ALONE) && u->umask != e->umask))
			continue;
		covered |= u->umask;
		plain |= u->plain;
		e->needs |= u->needs;
	}
	if (plain && e->umask)
		return snbep_refuse(e->pmu, -EINVAL,
				    "%s has no unit masks: umask %#x must be 0",
				    e->event->name, e->umask);
	if (!plain && !e->umask)
		return snbep_refuse(e->pmu, -EINVAL,
				    "%s counts nothing without a unit mask",
				    e->event->name);
	if (covered != e->umask)
		return snbep_refuse(e->pmu, -EINVAL,
				    "umask %#x is neither a unit mask of %s nor some of them that go together",
				    e->umask, e->event->name);
	return 0;
}

static int snbep_check_threshold(struct snbep_enc *e)
{
	u64 config = e->word[0];
	bool occ = e->pmu->type->occupancy;
	u64 thresh = config & (occ ? SNBEP_PMON_CTL_THRESH5 :
				     SNBEP_PMON_CTL_THRESH);

	if (!thresh && (config & (SNBEP_PMON_CTL_EDGE_DET |
				  SNBEP_PMON_CTL_INVERT)))
		return snbep_refuse(e->pmu, -EINVAL,
				    "edge and inv need a threshold: set thresh to 1 or more (%s)",
				    e->pmu->type->table);
	if (occ && !thresh && (config & (SNBEP_PCU_CTL_OCC_INVERT |
					 SNBEP_PCU_CTL_OCC_EDGE_DET)))
		return snbep_refuse(e->pmu, -EINVAL,
				    "occ_edge and occ_invert need a threshold: set thresh to 1 or more (%s)",
				    e->pmu->type->table);
	return 0;
}

/* Table 2-75: .occ_* belong to events with bit 7 set, and those need .occ_sel */
static int snbep_check_occupancy(struct snbep_enc *e)
{
	u64 config = e->word[0];
	bool use = config & SNBEP_PCU_EV_SEL_OCC;

	if (use && !(config & SNBEP_PCU_OCC_SEL))
		return snbep_refuse(e->pmu, -EINVAL,
				    "event %#x needs occ_sel=1, 2 or 3 for C0, C3 or C6 (Table 2-75)",
				    e->code);
	if (!use && (config & (SNBEP_PCU_OCC_SEL | SNBEP_PCU_CTL_OCC_INVERT |
			       SNBEP_PCU_CTL_OCC_EDGE_DET)))
		return snbep_refuse(e->pmu, -EINVAL,
				    "occ_sel, occ_invert and occ_edge need an event with bit 7 set (Table 2-75)");
	return 0;
}

static int snbep_check_filter(struct snbep_enc *e,
			      const struct snbep_filter *f,
			      struct snbep_want *want)
{
	u64 val[2] = { e->word[1] & f->mask[0], e->word[2] & f->mask[1] };
	bool given = val[0] || val[1];

	if (given && !((e->needs | e->takes) & f->flag))
		return snbep_refuse(e->pmu, -EINVAL,
				    "%s has no effect on %s: leave it out%s",
				    f->name, snbep_event_text(e),
				    f->flag == SNBEP_F_TID ?
				    ", or set tid_en=1" : "");
	if ((e->needs & f->flag) && !given && !f->any) {
		if (!f->fallback)
			return snbep_refuse(e->pmu, -EINVAL,
					    "%s counts nothing without %s",
					    snbep_event_text(e), f->name);
		val[0] = f->fallback;
	}
	if (given && (val[0] & f->ones) != f->ones)
		return snbep_refuse(e->pmu, -EINVAL,
				    "%s=%#llx matches nothing: its two highest bits are always set (Table 2-12)",
				    f->name, val[0] >> __ffs64(f->mask[0]));
	if (f->match && (val[0] & ~val[1]))
		return snbep_refuse(e->pmu, -EINVAL,
				    "match bits %#llx have no mask bit, so they match nothing (Tables 2-88 to 2-91)",
				    val[0] & ~val[1]);

	if (given || (e->needs & f->flag) ||
	    ((e->takes & f->flag) && f->always)) {
		want->filters |= f->flag;
		want->filter[0] |= val[0];
		want->filter[1] |= val[1];
	}
	return 0;
}

static int snbep_check_filters(struct snbep_enc *e, struct snbep_want *want)
{
	const struct snbep_box_type *type = e->pmu->type;
	unsigned int i;
	int ret;

	/* A thread id is only looked at with .tid_en, and then 0 is one. */
	if (e->takes & SNBEP_F_TID) {
		if (e->word[0] & SNBEP_CBO_CTL_TID_EN)
			e->needs |= SNBEP_F_TID;
		else
			e->takes &= ~SNBEP_F_TID;
	}
	if (!(e->word[1] | e->word[2] | e->needs | e->takes))
		return 0;
	for (i = 0; i < type->nr_filters; i++) {
		ret = snbep_check_filter(e, &type->filters[i], want);
		if (ret)
			return ret;
	}
	return 0;
}

/* A counter of its own has no fields but .en */
static int snbep_encode_fixed(struct snbep_enc *e, struct snbep_event *se)
{
	if (e->word[0] != e->sel || e->word[1] || e->word[2])
		return snbep_refuse(e->pmu, -EINVAL,
				    "%s takes nothing but event=%#x",
				    e->event->name, e->sel);
	se->want.ctrs = e->event->counters;
	if (e->event->counters)
		return 0;
	se->free = true;
	se->addr = e->sel == SNBEP_SEL_C3 ? SNBEP_PCU_MSR_CORE_C3_CTR :
					    SNBEP_PCU_MSR_CORE_C6_CTR;
	return 0;
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
	};
	int ret;

	if (attr->config & SNBEP_PMON_CTL_EV_SEL_EXT)
		e.code |= SNBEP_SEL_EXT;
	e.sel = e.code;
	ret = snbep_check_reserved(&e);
	if (ret)
		return ret;
	if (snbep_attr_config3(attr))
		return snbep_refuse(pmu, -EINVAL, "config3 must be 0");

	se->want.ctr = SNBEP_NO_CTR;
	/*
	 * Event 0x80 + n is event n while an occupancy passes the threshold,
	 * but 0x80 is an event of its own, and 0xfc and 0xfd are not of the
	 * PMON logic (Tables 2-80, 2-83).
	 */
	if (type->occupancy && (e.sel & SNBEP_PCU_EV_SEL_OCC) &&
	    e.sel != SNBEP_PCU_EV_SEL_OCC && e.sel != SNBEP_SEL_C3 &&
	    e.sel != SNBEP_SEL_C6) {
		e.sel &= ~SNBEP_PCU_EV_SEL_OCC;
		e.umask = 0;
	}
	ret = snbep_find_event(&e);
	if (ret)
		return ret;
	if (!(e.event->counters & GENMASK(type->counters - 1, 0)))
		return snbep_encode_fixed(&e, se);

	if (type->occupancy) {
		ret = snbep_check_occupancy(&e);
		if (ret)
			return ret;
	}
	ret = snbep_check_umask(&e);
	if (!ret)
		ret = snbep_check_threshold(&e);
	if (!ret)
		ret = snbep_check_filters(&e, &se->want);
	if (ret)
		return ret;

	se->want.ctl = attr->config;
	se->want.ctrs = e.event->counters;
	return 0;
}
