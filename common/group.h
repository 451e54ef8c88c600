/* SPDX-License-Identifier: GPL-2.0-only */
/* Check of an event's group in event_init() */
#ifndef COMMON_GROUP_H
#define COMMON_GROUP_H

#include <linux/perf_event.h>

#define GROUP_LEADER_DETACHED	"its group was broken up when its CPU went offline"

/**
 * group_leader_attached - return whether the leader can have further members
 * @event: the event, in event_init(), where the leader's context is locked
 *
 * CPU offline removes events and dissolves their groups. Up to 7.3 at least,
 * perf still accepts new members for such a leader, and never detaches them:
 * they point to freed memory after the leader is closed. KASAN reports this
 * with software events, too.
 *
 * Return: true for leaders, inherited events and leaders in a context
 */
static inline bool group_leader_attached(const struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader;

	return leader == event || event->parent ||
	       (leader->attach_state & PERF_ATTACH_GROUP);
}

#endif
