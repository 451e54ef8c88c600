// SPDX-License-Identifier: GPL-2.0-only
/*
 * What is refused, and why: each function is one rule, or a family of them.
 * They return 0, or a negative errno after a line in the log that names the
 * rule in the user's terms.
 */
#include "common/group.h"
#include "snbep/box.h"
#include "snbep/check.h"
#include "snbep/encode.h"
#include "snbep/hotplug.h"
#include "snbep/pmus.h"
#include "snbep/regs.h"
#include "snbep_uncore.h"

/* Room for what snbep_event_text() makes */
#define SNBEP_TEXT_SIZE	64

/* What a rule is about, as the user knows it */
static const char *snbep_event_text(struct snbep_enc *e, char *text)
{
	if (e->umask && !e->pmu->type->occ.sel)
		snprintf(text, SNBEP_TEXT_SIZE, "%s with umask %#x",
			 e->event->name, e->umask);
	else
		snprintf(text, SNBEP_TEXT_SIZE, "%s", e->event->name);
	return text;
}

/**
 * snbep_check_attr - what the uncore can do for no event at all
 * @pmu: the PMU
 * @event: the event
 *
 * Return: 0, or a negative errno after a line in the log; exclude_guest has none.
 */
int snbep_check_attr(struct snbep_pmu *pmu, struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;

	if (is_sampling_event(event))
		return snbep_refuse(pmu, -EOPNOTSUPP,
				    "the uncore has no overflow interrupt: it counts, but cannot sample");
	/*
	 * Not worth a line: perf sets it unasked, and tries again without. perf 6.13
	 * and later also asks so, in the name of a task, what an event that was
	 * refused may lack.
	 */
	if (attr->exclude_guest)
		return -EINVAL;
	if (event->cpu < 0 || (event->attach_state & PERF_ATTACH_TASK))
		return snbep_refuse(pmu, -EINVAL,
				    "the uncore is shared by all tasks of a socket: count a CPU (perf stat -a), not a task");
	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	    attr->exclude_idle || attr->exclude_host)
		return snbep_refuse(pmu, -EINVAL,
				    "the uncore does not know who caused an event: leave out :u, :k, :h and :G");
	if (has_branch_stack(event))
		return snbep_refuse(pmu, -EOPNOTSUPP,
				    "the uncore has no branch stack");
	return 0;
}

/**
 * snbep_check_reserved - bits that are no field of the box
 * @e: the encoding
 *
 * Return: 0, or a negative errno after a line in the log.
 */
int snbep_check_reserved(struct snbep_enc *e)
{
	const struct snbep_box_type *type = e->pmu->type;
	unsigned int i;

	for (i = 0; i < SNBEP_NR_WORDS; i++) {
		u64 bad = e->word[i] & ~type->known[i];

		if (bad)
			return snbep_refuse(e->pmu, -EINVAL,
				"%s bits %#llx are no field of this box (%s)",
				snbep_word_names[i], bad, type->table);
	}
	if (e->pmu->no_ext && (e->word[0] & SNBEP_PMON_CTL_EV_SEL_EXT))
		return snbep_refuse(e->pmu, -EOPNOTSUPP,
			"event %#x needs the extended select, which this processor does not keep (%s, bit 21)",
			e->code, type->table);
	return 0;
}

/**
 * snbep_check_event - whether the code is an event of the box
 * @e: the encoding; @e->event is NULL if it is not
 *
 * Return: 0, or a negative errno after a line in the log.
 */
int snbep_check_event(struct snbep_enc *e)
{
	const struct snbep_events *ev = e->pmu->type->ev;
	unsigned int i;

	for (i = 0; i < ev->nr_elsewhere; i++) {
		if (ev->elsewhere[i].sel == e->code)
			return snbep_refuse(e->pmu, -EINVAL,
					    "event %#x is not of this box: %s",
					    e->code, ev->elsewhere[i].where);
	}
	if (e->event)
		return 0;
	return snbep_refuse(e->pmu, -EINVAL,
			    "no event %#x for the %s in the guide or in Intel's list; the module's parameter unlisted=1 lets it count",
			    e->code, e->pmu->type->name);
}

/**
 * snbep_check_fixed - a fixed counter has no fields
 * @e: the encoding
 *
 * Return: 0, or a negative errno after a line in the log.
 */
int snbep_check_fixed(struct snbep_enc *e)
{
	if (e->word[0] == e->sel && !e->word[1] && !e->word[2])
		return 0;
	return snbep_refuse(e->pmu, -EINVAL, "%s takes nothing but event=%#x",
			    e->event->name, e->sel);
}

/*
 * The unit mask has to be a row of the event, or several ORed that are not to
 * stand alone.
 */
static int snbep_check_umask(struct snbep_enc *e)
{
	if (e->unlisted)
		return 0;
	if (e->plain && e->umask)
		return snbep_refuse(e->pmu, -EINVAL,
				    "%s has no unit masks: umask %#x must be 0",
				    e->event->name, e->umask);
	if (!e->plain && !e->umask)
		return snbep_refuse(e->pmu, -EINVAL,
				    "%s counts nothing without a unit mask",
				    e->event->name);
	if (e->covered != e->umask)
		return snbep_refuse(e->pmu, -EINVAL,
				    "umask %#x is neither a unit mask of %s nor some of them that go together; the module's parameter unlisted=1 lets it count",
				    e->umask, e->event->name);
	return 0;
}

static int snbep_check_threshold(struct snbep_enc *e)
{
	const struct snbep_box_type *type = e->pmu->type;
	u64 config = e->word[0];

	if (config & type->thresh)
		return 0;
	if (config & (SNBEP_PMON_CTL_EDGE_DET | SNBEP_PMON_CTL_INVERT))
		return snbep_refuse(e->pmu, -EINVAL,
				    "edge and inv need a threshold: set thresh to 1 or more (%s)",
				    type->table);
	if (config & type->occ.mods)
		return snbep_refuse(e->pmu, -EINVAL,
				    "occ_edge and occ_invert need a threshold: set thresh to 1 or more (%s)",
				    type->table);
	return 0;
}

/* The fields of an occupancy belong to events that go by one. */
static int snbep_check_occupancy(struct snbep_enc *e)
{
	const struct snbep_box_type *type = e->pmu->type;
	const struct snbep_occupancy *occ = &type->occ;
	u64 config = e->word[0];
	bool use = config & occ->use;

	if (use && !(config & occ->sel))
		return snbep_refuse(e->pmu, -EINVAL,
				    "event %#x needs occ_sel=1, 2 or 3 for C0, C3 or C6 (%s)",
				    e->code, type->table);
	if (!use && (config & (occ->sel | occ->mods)))
		return snbep_refuse(e->pmu, -EINVAL,
				    "occ_sel, occ_invert and occ_edge need an event with bit 7 set (%s)",
				    type->table);
	return 0;
}

static int snbep_check_filter(struct snbep_enc *e, const struct snbep_filter *f)
{
	u64 val[2] = { e->word[1] & f->mask[0], e->word[2] & f->mask[1] };
	bool given = val[0] || val[1];
	char text[SNBEP_TEXT_SIZE];

	if (given && !((e->needs | e->takes) & f->flag))
		return snbep_refuse(e->pmu, -EINVAL,
				    "%s has no effect on %s: leave it out%s",
				    f->name, snbep_event_text(e, text),
				    f->hint ?: "");
	if ((e->needs & f->flag) && !given && !f->any && !f->fallback)
		return snbep_refuse(e->pmu, -EINVAL,
				    "%s counts nothing without %s",
				    snbep_event_text(e, text), f->name);
	if (given && (val[0] & f->ones) != f->ones)
		return snbep_refuse(e->pmu, -EINVAL,
				    "%s=%#llx matches nothing: its two highest bits are always set (Table 2-12)",
				    f->name, val[0] >> __ffs64(f->mask[0]));
	if (f->match && (val[0] & ~val[1]))
		return snbep_refuse(e->pmu, -EINVAL,
				    "match bits %#llx have no mask bit, so they match nothing (Tables 2-88 to 2-91)",
				    val[0] & ~val[1]);
	return 0;
}

/**
 * snbep_check_fields - whether the fields go with the event, and together
 * @e: the encoding, with its filters
 *
 * Return: 0, or a negative errno after a line in the log.
 */
int snbep_check_fields(struct snbep_enc *e)
{
	const struct snbep_box_type *type = e->pmu->type;
	unsigned int i;
	int ret;

	ret = snbep_check_occupancy(e);
	if (!ret)
		ret = snbep_check_umask(e);
	if (!ret)
		ret = snbep_check_threshold(e);
	if (!(e->word[1] | e->word[2] | e->needs))
		return ret;
	for (i = 0; !ret && i < type->nr_filters; i++)
		ret = snbep_check_filter(e, &type->filters[i]);
	return ret;
}

/**
 * snbep_check_reach - whether the filters that an event wants can be reached
 * @se: the event
 *
 * The packet filters of the QPI ports are in a function that the BIOS may hide,
 * and at offsets that are only reached through memory-mapped configuration
 * space.
 *
 * Return: 0, or a negative errno after a line in the log.
 */
int snbep_check_reach(struct snbep_event *se)
{
	struct snbep_box *box = se->box;

	if (!se->want.filters || !box->pmu->type->regs.filter_fn ||
	    (box->filter_pdev && !READ_ONCE(box->filters_lost)))
		return 0;
	return snbep_refuse(box->pmu, -EOPNOTSUPP,
			    "the packet filters of socket %d cannot be reached: function 6 of the port is hidden, or memory-mapped configuration space (MMCONFIG) is off",
			    box->socket->pkg);
}

static int snbep_refuse_counter0(struct snbep_event *se)
{
	return snbep_refuse(se->box->pmu, -EINVAL,
			    "this event sees the occupancy that counter 0 counts: put it into a group behind an event that counts on counter 0 alone, such as tor_occupancy");
}

/* An empty box, and copies of what its events would want */
struct snbep_group_check {
	struct snbep_sched sched;
	struct snbep_want want[SNBEP_NR_CTRS];
	unsigned int nr;
	bool counter0;		/* one of them counts on counter 0 alone */
};

/* Put an event of the group that is being opened on the scratch box. */
static int snbep_check_member(struct snbep_group_check *check,
			      struct snbep_event *se, struct perf_event *event)
{
	struct snbep_event *other = to_snbep_event(event);
	struct snbep_pmu *pmu = se->box->pmu;
	struct snbep_want *want;

	if (is_software_event(event)) {
		if (!snbep_pci_cannot_sample(se->box, event))
			return 0;
		return snbep_refuse(pmu, -EOPNOTSUPP,
				    "samples of this group could read the box in the middle of another access of configuration space, and wait for ever: memory-mapped configuration space (MMCONFIG) is off; leave out :S");
	}
	if (event->pmu != &pmu->pmu)
		return snbep_refuse(pmu, -EINVAL,
				    "a group cannot hold events of other boxes, such as %s",
				    event->pmu->name);
	if (other->box != se->box)
		return snbep_refuse(pmu, -EINVAL,
				    "a group cannot hold events of two sockets");
	if (check->nr == ARRAY_SIZE(check->want))
		goto no_counter;
	want = &check->want[check->nr++];
	*want = other->want;
	check->counter0 |= want->ctr.may == BIT(0);

	switch (snbep_sched_add(&check->sched, pmu->type->filters,
				pmu->type->nr_filters, want)) {
	case SNBEP_SCHED_OK:
		return 0;
	case SNBEP_SCHED_FILTER_TAKEN:
		return snbep_refuse(pmu, -EINVAL,
				    "the group can never be counted: two of its events want different values of one filter");
	case SNBEP_SCHED_NO_COUNTER:
		break;
	}
no_counter:
	return snbep_refuse(pmu, -EINVAL,
			    "the group can never be counted: its events need more counters than may count them");
}

static int snbep_check_members(struct snbep_event *se,
			       struct perf_event *self)
{
	struct perf_event *leader = self->group_leader;
	struct snbep_group_check check = { };
	struct perf_event *event;
	int ret;

	ret = snbep_check_member(&check, se, leader);
	if (ret)
		return ret;
	for_each_sibling_event(event, leader) {
		ret = snbep_check_member(&check, se, event);
		if (ret)
			return ret;
	}
	ret = snbep_check_member(&check, se, self);
	if (ret || !se->counter0 || check.counter0 || leader->attr.disabled)
		return ret;
	return snbep_refuse_counter0(se);
}

/**
 * snbep_check_group - a group counts as a whole or not at all
 * @se: the event that is to join it, or its leader
 *
 * Members that look at counter 0 may come before the one that counts there, if
 * the group is not enabled yet: snbep_box_add() looks again.
 *
 * Return: 0, or a negative errno after a line in the log.
 */
int snbep_check_group(struct snbep_event *se)
{
	struct perf_event *self = to_perf_event(se);

	if (!group_is_there(self))
		return snbep_refuse(se->box->pmu, -ENODEV, GROUP_IS_GONE);
	if (self->group_leader != self)
		return snbep_check_members(se, self);
	if (se->counter0 && !self->attr.disabled)
		return snbep_refuse_counter0(se);
	return 0;
}
