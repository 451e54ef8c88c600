/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences of the perf API from 5.10 on */
#ifndef SNBEP_COMPAT_PERF_H
#define SNBEP_COMPAT_PERF_H

#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/perf_event.h>

/* config3 and config4 of an event; 0 on kernels without them, which reject both */
#ifdef PERF_ATTR_SIZE_VER8	/* 6.3 */
#define compat_attr_config3(attr)	((attr)->config3)
#else
#define compat_attr_config3(attr)	0ULL
#endif
#ifdef PERF_ATTR_SIZE_VER9
#define compat_attr_config4(attr)	((attr)->config4)
#else
#define compat_attr_config4(attr)	0ULL
#endif

static inline u64 compat_attr_config34(const struct perf_event_attr *attr)
{
	return compat_attr_config3(attr) | compat_attr_config4(attr);
}

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

/* Missing, or with other arguments, before 6.12 */
#ifndef KERNEL_HAS_SAMPLE_SAVE
static inline void perf_sample_save_brstack(struct perf_sample_data *data,
					    struct perf_event *event,
					    struct perf_branch_stack *brs,
					    u64 *counters)
{
	data->br_stack = brs;
	compat_sample_set(data, PERF_SAMPLE_BRANCH_STACK);
}

static inline void perf_sample_save_raw_data(struct perf_sample_data *data,
					     struct perf_event *event,
					     struct perf_raw_record *raw)
{
	data->raw = raw;
	compat_sample_set(data, PERF_SAMPLE_RAW);
}
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
 * Before 6.2, all PMUs with perf_hw_context shared one context, and a second
 * one needed this capability. Since then each PMU has its own context.
 */
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
#define COMPAT_PMU_CAPS		PERF_PMU_CAP_HETEROGENEOUS_CPUS
#else
#define COMPAT_PMU_CAPS		0
#endif

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

#endif /* SNBEP_COMPAT_PERF_H */
