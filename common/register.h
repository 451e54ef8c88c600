/* SPDX-License-Identifier: GPL-2.0-only */
/* Registration of PMUs, with guards against two faults of perf */
#ifndef COMMON_REGISTER_H
#define COMMON_REGISTER_H

#include <linux/device.h>
#include <linux/errno.h>
#include <linux/sysfs.h>

#include "common/compat_perf.h"

#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS		/* until 6.2 */
#define compat_mux(pmu, cpu)	per_cpu_ptr((pmu)->pmu_cpu_context, cpu)
#elif !defined(KERNEL_HAS_PMU_CONTEXT_POINTERS)	/* until 6.15 */
#define compat_mux(pmu, cpu)	per_cpu_ptr((pmu)->cpu_pmu_context, cpu)
#else
#define compat_mux(pmu, cpu)	(*per_cpu_ptr((pmu)->cpu_pmu_context, cpu))
#endif

/*
 * perf_pmu_unregister() of 5.10 to 7.3 frees multiplexing hrtimers that may
 * still be active: cancel them. Before 6.2, PMUs with perf_hw_context share
 * those of the core PMU, which are not freed.
 */
static inline void compat_pmu_unregister(struct pmu *pmu)
{
	static const struct attribute interval = {
		.name = "perf_event_mux_interval_ms",
	};
	int cpu;

	/* A write to this file starts them. Its removal waits for writers. */
	if (pmu->dev)
		sysfs_remove_file(&pmu->dev->kobj, &interval);
	for_each_possible_cpu(cpu) {
		if (!COMPAT_PMU_CAPS || pmu->task_ctx_nr == perf_invalid_context)
			hrtimer_cancel(&compat_mux(pmu, cpu)->hrtimer);
	}
	perf_pmu_unregister(pmu);
}

/* ->event_init of a PMU that is being registered */
static inline int compat_no_event_init(struct perf_event *event)
{
	return -ENOENT;
}

/*
 * perf_pmu_register(). Meanwhile perf of 5.10 to 6.1 finds the PMU by its type,
 * and would open events on contexts that do not exist yet. Returns -EBUSY if @type
 * is another PMU's, where perf_pmu_register() chooses another type.
 */
static inline int compat_pmu_register(struct pmu *pmu, const char *name, int type)
{
	int (*event_init)(struct perf_event *event) = pmu->event_init;
	int err;

	pmu->event_init = compat_no_event_init;
	err = perf_pmu_register(pmu, name, type);
	if (!err && type >= 0 && pmu->type != type) {
		compat_pmu_unregister(pmu);
		err = -EBUSY;
	}
	/* A CPU that sees this also sees the contexts. */
	smp_store_release(&pmu->event_init, event_init);
	return err;
}

#endif /* COMMON_REGISTER_H */
