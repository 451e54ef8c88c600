/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a test that has done its worst asks at the end: whether a new event of a
 * driver still counts exactly what is made to happen.
 */
#ifndef LIB_CANARY_H
#define LIB_CANARY_H

#include <stdbool.h>

#include "lib/uncore.h"

/* Whether @want events in a box of a socket are counted; if not, a diagnostic says how many */
bool canary_uncore(const struct uncore_pmu *pmu, unsigned int socket,
		   unsigned int want);

/* The same of itanium_pmu, on a CPU where this task runs meanwhile */
bool canary_itanium(int cpu, unsigned int want);

/* And of offcore_rsp; offcore_init() or canary_init_offcore() comes before. */
bool canary_offcore(int cpu, unsigned int want);

/* offcore_init() for a program whose arguments do not say how it counts */
void canary_init_offcore(void);

#endif
