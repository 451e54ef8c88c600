/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * perf_pmu_unregister() of 5.10 to 7.3 frees multiplexing hrtimers that may
 * still be active: cancel them. Before 6.2, PMUs with perf_hw_context share
 * those of the core PMU, which are not freed.
 */
#include "common/compat_perf.h"

#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS		/* until 6.2 */
#define compat_mux(pmu, cpu)	per_cpu_ptr((pmu)->pmu_cpu_context, cpu)
#elif !defined(KERNEL_HAS_PMU_CONTEXT_POINTERS)	/* until 6.15 */
#define compat_mux(pmu, cpu)	per_cpu_ptr((pmu)->cpu_pmu_context, cpu)
#else
#define compat_mux(pmu, cpu)	(*per_cpu_ptr((pmu)->cpu_pmu_context, cpu))
#endif

static inline void compat_pmu_unregister(struct pmu *pmu)
{
	int cpu;

	for_each_possible_cpu(cpu) {
		if (!COMPAT_PMU_CAPS || pmu->task_ctx_nr == perf_invalid_context)
			hrtimer_cancel(&compat_mux(pmu, cpu)->hrtimer);
	}
	perf_pmu_unregister(pmu);
}
