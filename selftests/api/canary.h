/* SPDX-License-Identifier: GPL-2.0-only */
/* After a stress test: whether a new event counts @want injected events exactly */
#ifndef API_CANARY_H
#define API_CANARY_H

#include <stdbool.h>

#include "api/uncore.h"

bool canary_uncore(const struct uncore_pmu *pmu, unsigned int socket, unsigned int want);

/* IA64_INST_RETIRED of itanium_pmu */
struct perf_event_attr canary_itanium_attr(void);
bool canary_itanium(int cpu, unsigned int want);

/* Needs offcore_init() or canary_init_offcore() */
bool canary_offcore(int cpu, unsigned int want);

/* offcore_init(), with or without a core PMU */
void canary_init_offcore(void);

#endif
