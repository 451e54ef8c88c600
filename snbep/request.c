// SPDX-License-Identifier: GPL-2.0-only
/*
 * Translation of a perf_event_attr to a box and register values. Checks of the
 * rules of Intel's guide return 0, or log the violated rule in terms of the
 * format fields and return an errno.
 */
#define pr_fmt(fmt) "snbep_uncore: " fmt

#include <linux/bitfield.h>
#include <linux/cpu.h>
#include <linux/moduleparam.h>
#include <linux/topology.h>

#include "common/compat_perf.h"
#include "common/group.h"
#include "snbep/event.h"
#include "snbep/regs.h"
#include "snbep_uncore.h"

static bool snbep_unlisted;
module_param_named(unlisted, snbep_unlisted, bool, 0644);
MODULE_PARM_DESC(unlisted,
		 "Allow undocumented event codes and unit masks (default: N)");

/* A decoded perf_event_attr */
struct snbep_enc {
	struct snbep_pmu *pmu;
	u64 config[SNBEP_NR_CONFIGS];
	u16 code;	/* event select from config */
	u16 sel;	/* @code without the PCU's occupancy bit */
	u8 umask;
	bool unlisted;	/* allow undocumented events and unit masks */
	const struct snbep_event_desc *event;
	u8 covered;	/* bits of @umask that unit masks of the event have */
	bool plain;	/* the event has no unit masks */
	u16 needs;	/* required filters of event and unit mask */
	u16 takes;	/* optional filters */
};

#define SNBEP_TEXT_SIZE	64

/* Format the event's name, with its unit mask, for a log message. */
static const char *snbep_event_text(struct snbep_enc *e, char *text)
{
	if (e->umask && !e->pmu->type->occ.sel)
		snprintf(text, SNBEP_TEXT_SIZE, "%s with umask %#x",
			 e->event->name, e->umask);
	else
		snprintf(text, SNBEP_TEXT_SIZE, "%s", e->event->name);
	return text;
}

/* Reject attributes that no uncore event supports. */
static int snbep_check_attr(struct snbep_pmu *pmu, struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;

	if (is_sampling_event(event) || attr->precise_ip)
		return snbep_refuse(pmu, -EOPNOTSUPP, "the uncore has no overflow interrupt: it cannot sample, and has no :p");
	/*
	 * Do not log: perf sets exclude_guest by default and retries without it.
	 * Since 6.13, it also probes so, for a task, after any failed open.
	 */
	if (attr->exclude_guest)
		return -EINVAL;
	if (event->cpu < 0 || (event->attach_state & PERF_ATTACH_TASK))
		return snbep_refuse(pmu, -EINVAL, "the uncore is shared by all tasks of a socket: count a CPU (perf stat -a), not a task");
	/* perf adds :u for users who may not count the kernel. */
	if (attr->exclude_kernel && !perfmon_capable())
		return -EACCES;
	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	    attr->exclude_idle || attr->exclude_host)
		return snbep_refuse(pmu, -EINVAL, "the uncore does not know who caused an event: leave out :u, :k, :h and :G");
	if (has_branch_stack(event))
		return snbep_refuse(pmu, -EOPNOTSUPP, "the uncore has no branch stack");
	if (compat_attr_config34(attr))
		return snbep_refuse(pmu, -EINVAL, "config3 and config4 must be 0");
	return 0;
}

/* Reject bits outside of the box type's format fields. */
static int snbep_check_reserved(struct snbep_enc *e)
{
	const struct snbep_box_type *type = e->pmu->type;
	unsigned int i;

	for (i = 0; i < SNBEP_NR_CONFIGS; i++) {
		u64 bad = e->config[i] & ~type->table->known[i];

		if (bad)
			return snbep_refuse(e->pmu, -EINVAL, "%s bits %#llx are not a field of this box",
					    snbep_config_names[i], bad);
	}
	if (e->pmu->no_ext && (e->config[0] & SNBEP_PMON_CTL_EV_SEL_EXT))
		return snbep_refuse(e->pmu, -EOPNOTSUPP, "event %#x needs the extended select, which is not writable on this processor (config bit 21)",
				    e->code);
	return 0;
}

/* A fixed counter's control has no fields besides .en */
static int snbep_check_fixed(struct snbep_enc *e)
{
	if (e->config[0] == e->sel && !e->config[1] && !e->config[2])
		return 0;
	return snbep_refuse(e->pmu, -EINVAL, "%s has no fields except event=%#x",
			    e->event->name, e->sel);
}

/* The unit mask must be one of the event's, or an OR of combinable ones. */
static int snbep_check_umask(struct snbep_enc *e)
{
	if (e->unlisted)
		return 0;
	if (e->plain && e->umask)
		return snbep_refuse(e->pmu, -EINVAL, "%s has no unit masks: umask %#x must be 0",
				    e->event->name, e->umask);
	if (!e->plain && !e->umask)
		return snbep_refuse(e->pmu, -EINVAL, "%s counts nothing without a unit mask",
				    e->event->name);
	if (e->covered != e->umask)
		return snbep_refuse(e->pmu, -EINVAL, "umask %#x is neither a unit mask of %s nor a valid combination of them; the module parameter unlisted=1 allows it",
				    e->umask, e->event->name);
	return 0;
}

static int snbep_check_threshold(struct snbep_enc *e)
{
	const struct snbep_box_type *type = e->pmu->type;
	u64 both = SNBEP_PMON_CTL_EDGE_DET | SNBEP_PMON_CTL_INVERT;
	u64 config = e->config[0];

	if ((e->takes & SNBEP_F_EDGE_OR_INV) && (config & both) == both)
		return snbep_refuse(e->pmu, -EINVAL, "%s takes edge or inv, but not both",
				    e->event->name);
	if (config & type->thresh)
		return 0;
	if (config & both)
		return snbep_refuse(e->pmu, -EINVAL, "edge and inv need a threshold: set thresh to 1 or more");
	if (config & type->occ.mods)
		return snbep_refuse(e->pmu, -EINVAL, "occ_edge and occ_invert need a threshold: set thresh to 1 or more");
	return 0;
}

/* The occupancy fields apply only to events with bit 7 set (Table 2-75). */
static int snbep_check_occupancy(struct snbep_enc *e)
{
	const struct snbep_occupancy *occ = &e->pmu->type->occ;
	u64 config = e->config[0];
	bool use = config & occ->use;

	if (use && !(config & occ->sel))
		return snbep_refuse(e->pmu, -EINVAL, "event %#x needs occ_sel=1, 2 or 3 for C0, C3 or C6",
				    e->code);
	if (!use && (config & (occ->sel | occ->mods)))
		return snbep_refuse(e->pmu, -EINVAL, "occ_sel, occ_invert and occ_edge need an event with bit 7 set");
	return 0;
}

static int snbep_check_filter(struct snbep_enc *e, const struct snbep_filter *f)
{
	u64 val[2] = { e->config[1] & f->mask[0], e->config[2] & f->mask[1] };
	bool given = val[0] || val[1];
	char text[SNBEP_TEXT_SIZE];

	if (given && !((e->needs | e->takes) & f->flag))
		return snbep_refuse(e->pmu, -EINVAL, "%s has no effect on %s: leave it out%s",
				    f->name, snbep_event_text(e, text),
				    f->hint ?: "");
	if ((e->needs & f->flag) && !given && !f->any && !f->fallback)
		return snbep_refuse(e->pmu, -EINVAL, "%s counts nothing without %s",
				    snbep_event_text(e, text), f->name);
	if (given && (val[0] & f->ones) != f->ones)
		return snbep_refuse(e->pmu, -EINVAL, "%s=%#llx matches nothing: its two highest bits must be set",
				    f->name, val[0] >> __ffs64(f->mask[0]));
	if (f->match && (val[0] & ~val[1]))
		return snbep_refuse(e->pmu, -EINVAL, "match bits %#llx have no mask bit, so they match nothing",
				    val[0] & ~val[1]);
	return 0;
}

/* Check the fields against the event and against each other. */
static int snbep_check_fields(struct snbep_enc *e)
{
	const struct snbep_box_type *type = e->pmu->type;
	unsigned int i;
	int ret;

	ret = snbep_check_occupancy(e) ?:
	      snbep_check_umask(e) ?:
	      snbep_check_threshold(e);
	if (!(e->config[1] | e->config[2] | e->needs))
		return ret;
	for (i = 0; !ret && i < type->nr_filters; i++)
		ret = snbep_check_filter(e, &type->filters[i]);
	return ret;
}

static int snbep_check_filter_access(struct snbep_event *se)
{
	struct snbep_box *box = se->box;

	if (!se->want.filters || !box->no_filters)
		return 0;
	return snbep_refuse(box->pmu, -EOPNOTSUPP, "the packet filters of socket %d are not accessible: %s",
			    box->socket->pkg, box->no_filters);
}

/* A scratch box to schedule a group on */
struct snbep_group_check {
	struct snbep_sched sched;
	struct snbep_want want[SNBEP_NR_CTRS];
	unsigned int nr;
	unsigned int general;	/* events that need a general counter */
};

/* Schedule @event, a member of the group of @se, on the scratch box. */
static int snbep_check_member(struct snbep_group_check *check,
			      struct snbep_event *se, struct perf_event *event)
{
	enum snbep_sched_result result = SNBEP_SCHED_NO_COUNTER;
	struct snbep_event *other = to_snbep_event(event);
	struct snbep_pmu *pmu = se->box->pmu;

	if (is_software_event(event)) {
		/* A sample may interrupt an access, which has a lock. */
		if (snbep_box_uses_ports(se->box) && is_sampling_event(event))
			return snbep_refuse(pmu, -EOPNOTSUPP, "without memory-mapped configuration space (MMCONFIG), no event can sample this box");
		return 0;
	}
	if (event->pmu != &pmu->pmu)
		return snbep_refuse(pmu, -EINVAL, "a group cannot hold events of other boxes, such as %s",
				    event->pmu->name);
	if (other->box != se->box)
		return snbep_refuse(pmu, -EINVAL, "a group cannot hold events of two sockets");
	check->general += other->want.ctr.idxmask != BIT(SNBEP_FIXED_CTR);
	/* perf breaks up weak groups, such as those of metrics, after this. */
	if (check->general > pmu->type->counters) {
		pr_debug_ratelimited("%s: the group has more events than the box has counters\n",
				     pmu->name);
		return -EINVAL;
	}
	if (check->nr < ARRAY_SIZE(check->want)) {
		check->want[check->nr] = other->want;
		result = snbep_sched_add(&check->sched, &check->want[check->nr++]);
	}
	if (result == SNBEP_SCHED_FILTER_TAKEN)
		return snbep_refuse(pmu, -EINVAL, "the group cannot be scheduled: two of its events need different values of one filter");
	if (result == SNBEP_SCHED_NO_COUNTER)
		return snbep_refuse(pmu, -EINVAL, "the group cannot be scheduled: its events need more counters than support them");
	return 0;
}

/* perf schedules a group as a whole: refuse one that can never fit. */
static int snbep_check_group(struct snbep_event *se)
{
	struct perf_event *self = to_perf_event(se);
	struct perf_event *leader = self->group_leader;
	const struct snbep_box_type *type = se->box->pmu->type;
	struct snbep_group_check check = {
		.sched = { .desc = type->filters, .nr_filters = type->nr_filters },
	};
	struct perf_event *event;
	int ret;

	if (leader == self)
		return 0;
	if (!group_leader_attached(self))
		return snbep_refuse(se->box->pmu, -ENODEV, GROUP_LEADER_DETACHED);
	ret = snbep_check_member(&check, se, leader);
	for_each_sibling_event(event, leader)
		ret = ret ?: snbep_check_member(&check, se, event);
	return ret ?: snbep_check_member(&check, se, self);
}

static const struct snbep_event_desc *snbep_find_event(struct snbep_enc *e)
{
	const struct snbep_table *table = e->pmu->type->table;
	unsigned int i;

	for (i = 0; i < table->nr_events; i++) {
		if (table->events[i].sel == e->sel)
			return &table->events[i];
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
	const struct snbep_table *table = e->pmu->type->table;
	unsigned int i;

	for (i = 0; i < table->nr_unlisted; i++) {
		if (e->code >= table->unlisted[i].first &&
		    e->code <= table->unlisted[i].last)
			return table->unlisted[i].counters;
	}
	return GENMASK(e->pmu->type->counters - 1, 0);
}

/*
 * Find the event's unit masks that are subsets of e->umask, and the filters
 * they need. SNBEP_F_ALONE ones match only if they are all of e->umask.
 */
static void snbep_find_umask(struct snbep_enc *e)
{
	const struct snbep_table *table = e->pmu->type->table;
	int event = -1;
	unsigned int i;

	e->takes = e->event->takes;
	if (e->event != &snbep_unlisted_event)
		event = e->event - table->events;
	/* In the order of events; an undocumented one has none. */
	for (i = 0; i < table->nr_umasks && table->umasks[i].event <= event; i++) {
		const struct snbep_umask_desc *u = &table->umasks[i];

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
	if (!e->event)
		return snbep_refuse(e->pmu, -EINVAL, "no event %#x for the %s in the guide or in Intel's list; the module parameter unlisted=1 allows it",
				    e->code, e->pmu->type->table->name);
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
		.config = { attr->config, attr->config1, attr->config2 },
		.code = FIELD_GET(SNBEP_PMON_CTL_EV_SEL, attr->config),
		.umask = FIELD_GET(SNBEP_PMON_CTL_UMASK, attr->config),
		.unlisted = READ_ONCE(snbep_unlisted),
	};

	if (attr->config & SNBEP_PMON_CTL_EV_SEL_EXT)
		e.code |= SNBEP_SEL_EXT;
	return snbep_check_attr(pmu, event) ?:
	       snbep_find_box(pmu, event) ?:
	       snbep_encode(&e, &se->want) ?:
	       snbep_check_filter_access(se) ?:
	       snbep_check_group(se);
}
