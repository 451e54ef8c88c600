// SPDX-License-Identifier: GPL-2.0-only
/*
 * A group counts as a whole or not at all. One that can never be counted is
 * refused when its last event is opened.
 */
#include <linux/perf_event.h>

#include <asm/perf_event.h>

#include "alloc.h"
#include "common/group.h"
#include "common/refuse.h"
#include "direct.h"
#include "group.h"
#include "model.h"

/*
 * Is it an offcore event, ours or one that the core PMU has, and which? The event
 * code of a register that is not there is any other event's.
 */
static bool offcore_is_ours(const struct perf_event *us,
			    struct perf_event *event, u64 *rsp)
{
	u64 config = event->attr.config & (ARCH_PERFMON_EVENTSEL_EVENT |
					   ARCH_PERFMON_EVENTSEL_UMASK);

	if (offcore_direct) {
		if (event->pmu != us->pmu)
			return false;
		*rsp = offcore_direct_rsp(event);
		return true;
	}
	*rsp = event->attr.config1;
	return event->attr.type == PERF_TYPE_RAW &&
	       (config == OFFCORE_CONFIG(0) ||
		(offcore_model->nr_regs > 1 && config == OFFCORE_CONFIG(1)));
}

/* An empty core, and what the group's events want of it */
struct offcore_group_check {
	struct offcore_core core;
	struct offcore_want want[OFFCORE_NR_CTRS];
	unsigned int nr;
};

static int offcore_check_member(struct offcore_group_check *check, u64 rsp,
				u8 ctrs)
{
	struct offcore_want *w = &check->want[check->nr];

	if (check->nr == ARRAY_SIZE(check->want))
		return refuse(OFFCORE_NAME, -EINVAL,
			      "the group can never be counted: more than %u offcore events",
			      check->nr);
	check->nr++;
	offcore_want_init(w, rsp);
	switch (offcore_alloc_add(&check->core, offcore_model->nr_regs, ctrs, w)) {
	case OFFCORE_OK:
		return 0;
	case OFFCORE_NO_REGISTER:
		return refuse(OFFCORE_NAME, -EINVAL,
			      "the group can never be counted: it has more values than %s has response registers (%u)",
			      offcore_model->name,
			      offcore_model->nr_regs);
	case OFFCORE_NO_COUNTER:
		break;
	}
	return refuse(OFFCORE_NAME, -EINVAL,
			      "the group can never be counted: it has more events than there are free counters (%u)",
			      hweight8(ctrs));
}

/**
 * offcore_check_group - refuse a group that never can be counted as a whole
 * @event: the event that joins it; alone, it is a group as well
 * @rsp: the register value that it wants
 * @ctrs: counters that can be had, as a mask
 *
 * Return: 0, or -EINVAL, or -ENODEV if there is no group any more, after a line in
 * the log that says why.
 */
int offcore_check_group(struct perf_event *event, u64 rsp, u8 ctrs)
{
	struct perf_event *sibling, *leader = event->group_leader;
	struct offcore_group_check check = { };
	u64 other;
	int ret;

	if (!group_is_there(event))
		return refuse(OFFCORE_NAME, -ENODEV, GROUP_IS_GONE);
	ret = offcore_check_member(&check, rsp, ctrs);
	if (leader == event || ret)
		return ret;
	if (offcore_is_ours(event, leader, &other))
		ret = offcore_check_member(&check, other, ctrs);
	for_each_sibling_event(sibling, leader) {
		if (!ret && offcore_is_ours(event, sibling, &other))
			ret = offcore_check_member(&check, other, ctrs);
	}
	return ret;
}
