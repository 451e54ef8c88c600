/* SPDX-License-Identifier: GPL-2.0-only */
/* Actors of the explorer for any driver */
#ifndef MOCK_KERNEL_ACTORS_H
#define MOCK_KERNEL_ACTORS_H

#include "explore.h"
#include "testing.h"

/* Events that are open at the beginning, or NULL; @away is not of CPU 2 or 3. */
static struct perf_event *first, *second, *away;

static inline void close_second(void)
{
	struct perf_event *event = second;

	second = NULL;
	if (event)
		explore_close(event);
}

static inline void toggle(void)
{
	if (!first)
		return;
	explore_enable(first, false);
	explore_enable(first, true);
}

static inline void read_twice(void)
{
	u64 was;

	if (!first)
		return;
	was = explore_read(first);
	if (explore_read(first) < was)
		fault("a count goes backward");
}

static inline void read_in_nmi(void)
{
	if (first)
		explore_read_local(first);
}

static inline void read_away(void)
{
	if (away)
		explore_read_local(away);
}

static inline void rotate(void)
{
	if (first)
		explore_rotate(first->pmu);
}

/* The explorer fires them. */
static inline void timers(void)
{
}

static inline void cpu_stays(void)
{
	explore_cpu_stays(2, false);
}

static inline void cpu_stays_late(void)
{
	explore_cpu_stays(3, true);
}

static inline void unload_driver(void)
{
	explore_unload();
}

static inline void read_sysfs(const char *pmu, const char *file)
{
	if (mock_pmu(pmu))
		mock_file(mock_pmu(pmu), "", file);
}

/* As a run ends */
static inline void close_and_unload(bool (*must_count)(const struct perf_event *event),
				    void (*tick)(void), void (*unload)(void))
{
	explore_close_all(must_count, tick);
	if (!mock_module_gone())
		unload();
	else
		mock_check_left();
}

#endif
