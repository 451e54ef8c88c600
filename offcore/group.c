// SPDX-License-Identifier: GPL-2.0-only
/*
 * Refusal of groups that can never be scheduled, when a member is opened. The
 * core PMU does the same, but without a reason in the log.
 */
#include <linux/perf_event.h>

#include <asm/msr-index.h>

#include "common/group.h"
#include "common/refuse.h"
#include "offcore/alloc.h"
#include "offcore/model.h"

/* Resources of a group's events */
struct offcore_group {
	struct offcore_regs regs;
	unsigned int events;
};

static int offcore_group_add(struct offcore_group *g, u64 rsp, unsigned int ctrs)
{
	if (offcore_get_reg(&g->regs, offcore_model->nr_regs, rsp) < 0)
		return refuse(OFFCORE_NAME, -EINVAL,
			      "the group cannot be scheduled: it has more values than %s has response registers (%u); each LLC-* and node-* event takes one, too",
			      offcore_model->name, offcore_model->nr_regs);
	if (++g->events > ctrs)
		return refuse(OFFCORE_NAME, -EINVAL,
			      "the group cannot be scheduled: it has more events than there are free counters (%u)",
			      ctrs);
	return 0;
}

/*
 * Add @event if it uses a response register: an event of this PMU, or of the core
 * PMU, such as LLC-loads (hw_cache_extra_regs) and raw events.
 */
static int offcore_group_add_event(struct offcore_group *g, struct perf_event *us,
				   struct perf_event *event, unsigned int ctrs)
{
	const struct hw_perf_event_extra *extra = &event->hw.extra_reg;

	if (event->pmu != us->pmu && event->pmu->type != PERF_TYPE_RAW)
		return 0;
	if (extra->reg != MSR_OFFCORE_RSP_0 && extra->reg != MSR_OFFCORE_RSP_1)
		return 0;
	return offcore_group_add(g, extra->config, ctrs);
}

/* Check @event with value @rsp against its group; logs refusals. */
int offcore_check_group(struct perf_event *event, u64 rsp, unsigned int ctrs)
{
	struct perf_event *sibling, *leader = event->group_leader;
	struct offcore_group g = { };
	int ret;

	if (!group_leader_attached(event))
		return refuse(OFFCORE_NAME, -ENODEV, GROUP_LEADER_DETACHED);
	ret = offcore_group_add(&g, rsp, ctrs);
	if (leader == event || ret)
		return ret;
	ret = offcore_group_add_event(&g, event, leader, ctrs);
	for_each_sibling_event(sibling, leader)
		ret = ret ?: offcore_group_add_event(&g, event, sibling, ctrs);
	return ret;
}
