/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between the kernels that the Itanium driver is built for */
#ifndef ITANIUM_COMPAT_H
#define ITANIUM_COMPAT_H

#include <linux/atomic.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/version.h>

/* config3 came with 6.3. */
static inline u64 itanium_attr_config3(const struct perf_event_attr *attr)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	return attr->config3;
#else
	return 0;
#endif
}

/* 6.3 made it a function, which also counts the sample's size. */
static inline void itanium_save_brstack(struct perf_sample_data *data,
					struct perf_event *event,
					struct perf_branch_stack *brs)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	perf_sample_save_brstack(data, event, brs, NULL);
#else
	data->br_stack = brs;
	data->sample_flags |= PERF_SAMPLE_BRANCH_STACK;
#endif
}

/* And this. */
static inline void itanium_save_raw(struct perf_sample_data *data,
				    struct perf_event *event,
				    struct perf_raw_record *raw)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	perf_sample_save_raw_data(data, event, raw);
#else
	data->raw = raw;
	data->sample_flags |= PERF_SAMPLE_RAW;
#endif
}

/* Samples that there should have been are counted since 6.0. */
static inline void itanium_count_lost(struct perf_event *event)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 0, 0)
	if (event->parent)
		event = event->parent;
	atomic64_inc(&event->lost_samples);
#endif
}

/*
 * Before 6.2 all PMUs of the hardware context are one per processor; a second
 * one beside the processor's own has to say that it is meant.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define ITANIUM_PMU_CAPS	PERF_PMU_CAP_HETEROGENEOUS_CPUS
#else
#define ITANIUM_PMU_CAPS	0
#endif

/*
 * Before 6.2 a task that has ever had an event keeps a context that points to
 * the event's PMU, and looks at it in every context switch until it exits. A
 * PMU in a module then has to stay.
 */
static inline void itanium_keep_for_tasks(struct perf_event *event)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
	static atomic_t kept = ATOMIC_INIT(0);

	if ((event->attach_state & PERF_ATTACH_TASK) &&
	    !atomic_xchg(&kept, 1)) {
		__module_get(THIS_MODULE);
		pr_info("itanium: a task is counted: the module stays until the next boot, as tasks of kernels before 6.2 keep the PMUs that they had\n");
	}
#endif
}

/*
 * What pmu->swap_task_ctx() gets: contexts per PMU came with 6.2. Since then it is
 * called only where an event has data of its task.
 */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 2, 0)
#define itanium_task_ctx	perf_event_context
#define ITANIUM_TELL_OF_SWAP	0
#else
#define itanium_task_ctx	perf_event_pmu_context
#define ITANIUM_TELL_OF_SWAP	PERF_ATTACH_TASK_DATA
#endif

#endif /* ITANIUM_COMPAT_H */
