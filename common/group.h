/* SPDX-License-Identifier: GPL-2.0-only */
/* Check of an event's group in event_init() */
#ifndef COMMON_GROUP_H
#define COMMON_GROUP_H

#include <linux/perf_event.h>

#define GROUP_LEADER_DETACHED	"its group was broken up when its CPU went offline"

/*
 * Return whether the leader of @event, in event_init(), can have members. CPU
 * offline dissolves groups. Up to 7.3 at least, perf still accepts members for
 * such a leader, which point to freed memory after it is closed.
 */
static inline bool group_leader_attached(const struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader;

	return leader == event || event->parent ||
	       (leader->attach_state & PERF_ATTACH_GROUP);
}

#endif
