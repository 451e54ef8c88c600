/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Up to 7.3 at least, perf_pmu_unregister() does not cancel the PMU's multiplexing
 * hrtimers, but frees the memory that they are in.
 */
#ifndef SNBEP_COMPAT_ROTATE_H
#define SNBEP_COMPAT_ROTATE_H

#include <linux/hrtimer.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>

/* Where the hrtimer of a CPU is; it is behind a pointer since 6.15. */
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS		/* until 6.2 */
#define compat_mux(pmu, cpu)	per_cpu_ptr((pmu)->pmu_cpu_context, cpu)
/* PMUs that count tasks shared one, which stays. */
#define compat_frees_mux(pmu)	((pmu)->task_ctx_nr == perf_invalid_context)
#elif defined(KERNEL_HAS_PMU_CONTEXT_POINTERS)
#define compat_mux(pmu, cpu)	(*per_cpu_ptr((pmu)->cpu_pmu_context, cpu))
#else
#define compat_mux(pmu, cpu)	per_cpu_ptr((pmu)->cpu_pmu_context, cpu)
#endif
#ifndef compat_frees_mux
#define compat_frees_mux(pmu)	true
#endif

/* perf_pmu_unregister() of a PMU that has no event any more */
static inline void compat_pmu_unregister(struct pmu *pmu)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (compat_frees_mux(pmu))
			hrtimer_cancel(&compat_mux(pmu, cpu)->hrtimer);
	}
	perf_pmu_unregister(pmu);
}

#endif
