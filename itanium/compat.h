/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences of perf's sampling API from 5.10 on; Kbuild sets KERNEL_HAS_* */
#ifndef ITANIUM_COMPAT_H
#define ITANIUM_COMPAT_H

#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/perf_event.h>

#include "common/compat_perf.h"

/* perf_sample_data.sample_flags, 6.1 */
#ifdef KERNEL_HAS_SAMPLE_FLAGS
#define compat_sample_set(data, flag)	((data)->sample_flags |= (flag))
#else
#define compat_sample_set(data, flag)	do { } while (0)
#endif

/* PERF_SAMPLE_WEIGHT_STRUCT made weight a union in 5.12 */
#ifdef PERF_SAMPLE_WEIGHT_TYPE
#define compat_sample_weight(data)	((data)->weight.full)
#else
#define PERF_SAMPLE_WEIGHT_TYPE		PERF_SAMPLE_WEIGHT
#define compat_sample_weight(data)	((data)->weight)
#endif

/* 6.3; the branch counters are an argument since 6.8 */
#ifndef KERNEL_HAS_SAMPLE_SAVE_BRSTACK
static inline void perf_sample_save_brstack(struct perf_sample_data *data,
					    struct perf_event *event,
					    struct perf_branch_stack *brs,
					    u64 *counters)
{
	data->br_stack = brs;
	compat_sample_set(data, PERF_SAMPLE_BRANCH_STACK);
}
#elif !defined(KERNEL_HAS_SAMPLE_BRSTACK_COUNTERS)
#define perf_sample_save_brstack(data, event, brs, counters)		\
	perf_sample_save_brstack(data, event, brs)
#endif

/* 6.3; the event is an argument since 6.13 and in stable 6.12 */
#ifndef KERNEL_HAS_SAMPLE_SAVE_RAW
static inline void perf_sample_save_raw_data(struct perf_sample_data *data,
					     struct perf_event *event,
					     struct perf_raw_record *raw)
{
	data->raw = raw;
	compat_sample_set(data, PERF_SAMPLE_RAW);
}
#elif !defined(KERNEL_HAS_SAMPLE_SAVE_RAW_EVENT)
#define perf_sample_save_raw_data(data, event, raw)			\
	perf_sample_save_raw_data(data, raw)
#endif

/* PERF_FORMAT_LOST, 6.0 */
static inline void compat_count_lost(struct perf_event *event)
{
#ifdef KERNEL_HAS_LOST_SAMPLES
	if (event->parent)
		event = event->parent;
	atomic64_inc(&event->lost_samples);
#endif
}

/*
 * Before 6.2, a task that had an event keeps a context that points to the
 * event's PMU until it exits, so the module must not be unloaded any more.
 */
static inline void compat_pin_module(struct perf_event *event)
{
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
	static atomic_t kept = ATOMIC_INIT(0);

	if ((event->attach_state & PERF_ATTACH_TASK) &&
	    !atomic_xchg(&kept, 1)) {
		__module_get(THIS_MODULE);
		pr_info("itanium: module pinned until the next boot: before 6.2, tasks keep a pointer to the PMU of their events\n");
	}
#endif
}

#endif /* ITANIUM_COMPAT_H */
