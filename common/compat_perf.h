/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences of the perf API from 5.10 on */
#ifndef SNBEP_COMPAT_PERF_H
#define SNBEP_COMPAT_PERF_H

#include <linux/perf_event.h>
#include "compat.h"

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

/*
 * Before 6.2, all PMUs with perf_hw_context shared one context, and a second
 * one needed this capability. Since then each PMU has its own context.
 */
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
#define COMPAT_PMU_CAPS		PERF_PMU_CAP_HETEROGENEOUS_CPUS
#else
#define COMPAT_PMU_CAPS		0
#endif

#endif /* SNBEP_COMPAT_PERF_H */
