/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf's timer that has events take turns where there are more than counters, one for
 * each PMU and CPU. perf itself never cancels it. It runs once more after the last of
 * them is gone, perf_event_mux_interval_ms later, which may be seconds, and then ends.
 *
 * - If the PMU was unregistered meanwhile, perf has freed the timer's memory.
 * - If the CPU went offline meanwhile and came back, the timer is on another one now, and
 *   with new events it stays there. Their turns are taken from a CPU that is not
 *   theirs: they are off for good, and perf mixes up the events of the two.
 */
#ifndef SNBEP_COMPAT_ROTATE_H
#define SNBEP_COMPAT_ROTATE_H

#include <linux/cpumask.h>
#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/processor.h>
#include <linux/spinlock.h>

/* The timer was in another structure until 6.2, and is behind a pointer since 6.15. */
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
static inline struct perf_cpu_context *compat_rotation(struct pmu *pmu, int cpu)
{
	/* PMUs of one context shared it, and no PMU took it along. */
	if (pmu->task_ctx_nr != perf_invalid_context)
		return NULL;
	return per_cpu_ptr(pmu->pmu_cpu_context, cpu);
}
#else
static inline struct perf_cpu_pmu_context *compat_rotation(struct pmu *pmu,
							   int cpu)
{
#ifdef KERNEL_HAS_PMU_CONTEXT_POINTERS
	return *per_cpu_ptr(pmu->cpu_pmu_context, cpu);
#else
	return per_cpu_ptr(pmu->cpu_pmu_context, cpu);
#endif
}
#endif

/**
 * compat_end_rotation() - end perf's timer on a CPU, wherever that runs now
 * @pmu: a PMU that is registered
 * @cpu: the CPU, on which the PMU has no event
 * @for_good: perf must not start it again; otherwise it does so as soon as there are
 *	more events than counters, or somebody writes perf_event_mux_interval_ms
 */
static inline void compat_end_rotation(struct pmu *pmu, int cpu, bool for_good)
{
	typeof(compat_rotation(pmu, cpu)) context = compat_rotation(pmu, cpu);
	unsigned long flags;
	bool runs;

	if (!context)
		return;
	do {
		raw_spin_lock_irqsave(&context->hrtimer_lock, flags);
		/* The timer itself takes the lock at its end. */
		runs = hrtimer_try_to_cancel(&context->hrtimer) < 0;
		/* perf does not start one that it takes for started. */
		if (!runs)
			context->hrtimer_active = for_good;
		raw_spin_unlock_irqrestore(&context->hrtimer_lock, flags);
		if (runs)
			cpu_relax();
	} while (runs);
}

/**
 * compat_pmu_unregister() - perf_pmu_unregister() of a PMU that has no event any more
 * @pmu: the PMU
 */
static inline void compat_pmu_unregister(struct pmu *pmu)
{
	int cpu;

	for_each_possible_cpu(cpu)
		compat_end_rotation(pmu, cpu, true);
	perf_pmu_unregister(pmu);
}

#endif
