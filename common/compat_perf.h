/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs in perf between the kernels that the drivers are built for */
#ifndef SNBEP_COMPAT_PERF_H
#define SNBEP_COMPAT_PERF_H

#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/perf_event.h>

/**
 * compat_attr_unknown() - the words of an event that no driver here has a field in
 * @attr: what perf was asked for
 *
 * Return: config3 and config4 in one, as far as this kernel knows them: 0 where
 * nothing is set. The kernel refuses what it does not know.
 */
static inline u64 compat_attr_unknown(const struct perf_event_attr *attr)
{
	u64 rest = 0;

#ifdef PERF_ATTR_SIZE_VER8	/* 6.3 */
	rest |= attr->config3;
#endif
#ifdef PERF_ATTR_SIZE_VER9
	rest |= attr->config4;
#endif
	return rest;
}

/* Samples say what they have in them since 6.1 */
#ifdef KERNEL_HAS_SAMPLE_FLAGS
#define compat_sample_has(data, flag)	((data)->sample_flags |= (flag))
#else
#define compat_sample_has(data, flag)	do { } while (0)
#endif

/* One of several weights since 5.12 */
#ifdef PERF_SAMPLE_WEIGHT_TYPE
#define compat_sample_weight(data)	((data)->weight.full)
#else
#define PERF_SAMPLE_WEIGHT_TYPE		PERF_SAMPLE_WEIGHT
#define compat_sample_weight(data)	((data)->weight)
#endif

/* Functions that count the sample's size with it, with these arguments since 6.12 */
#ifndef KERNEL_HAS_SAMPLE_SAVE
static inline void perf_sample_save_brstack(struct perf_sample_data *data,
					    struct perf_event *event,
					    struct perf_branch_stack *brs,
					    u64 *counters)
{
	data->br_stack = brs;
	compat_sample_has(data, PERF_SAMPLE_BRANCH_STACK);
}

static inline void perf_sample_save_raw_data(struct perf_sample_data *data,
					     struct perf_event *event,
					     struct perf_raw_record *raw)
{
	data->raw = raw;
	compat_sample_has(data, PERF_SAMPLE_RAW);
}
#endif

/* Samples that there should have been are counted since 6.0 */
static inline void compat_count_lost(struct perf_event *event)
{
#ifdef KERNEL_HAS_LOST_SAMPLES
	if (event->parent)
		event = event->parent;
	atomic64_inc(&event->lost_samples);
#endif
}

/*
 * Until 6.2 all PMUs of the hardware context were one per processor, and a second
 * one beside the processor's own had to say that it is meant. Now each has its
 * own context.
 */
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
#define COMPAT_PMU_CAPS		PERF_PMU_CAP_HETEROGENEOUS_CPUS
#else
#define COMPAT_PMU_CAPS		0
#endif

/*
 * With the shared context a task that has ever had an event keeps one that points
 * to the event's PMU, and looks at it in every context switch until it exits. A
 * PMU in a module then has to stay.
 */
static inline void compat_keep_for_tasks(struct perf_event *event)
{
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
	static atomic_t kept = ATOMIC_INIT(0);

	if ((event->attach_state & PERF_ATTACH_TASK) &&
	    !atomic_xchg(&kept, 1)) {
		__module_get(THIS_MODULE);
		pr_info("itanium: a task is counted: the module stays until the next boot, as tasks of kernels before 6.2 keep the PMUs that they had\n");
	}
#endif
}

#endif /* SNBEP_COMPAT_PERF_H */
