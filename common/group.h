/* SPDX-License-Identifier: GPL-2.0-only */
/* What the drivers ask of a group that an event is to join */
#ifndef COMMON_GROUP_H
#define COMMON_GROUP_H

#include <linux/perf_event.h>

#define GROUP_IS_GONE	"the leader of its group was given up when its CPU went offline"

/**
 * group_is_there - whether the leader of an event can have members
 * @event: the event, in event_init(), where the leader's context is locked
 *
 * When a CPU goes offline perf takes its events off and breaks up their groups, for
 * good. Up to 7.3 at least it does not look at that when a member is opened for such
 * a leader, once the CPU is back: as nobody takes the two apart any more, the member
 * goes on to point to the leader when that is freed. Linux's own software events
 * show it with KASAN.
 *
 * Return: true if it can; always for a leader, and for an event that is inherited.
 */
static inline bool group_is_there(const struct perf_event *event)
{
	const struct perf_event *leader = event->group_leader;

	return leader == event || event->parent ||
	       (leader->attach_state & PERF_ATTACH_GROUP);
}

#endif
