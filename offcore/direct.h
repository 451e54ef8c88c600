/* SPDX-License-Identifier: GPL-2.0-only */
/* Direct mode: offcore events without a core PMU */
#ifndef OFFCORE_DIRECT_H
#define OFFCORE_DIRECT_H

#include <linux/types.h>

struct perf_event;
struct pmu;

#define OFFCORE_NR_CTRS		8

/* Direct mode is active */
extern bool offcore_direct;
/* Number of general counters of a CPU */
extern unsigned int offcore_nr_ctrs;

int offcore_direct_init(struct pmu *pmu, unsigned int width);
void offcore_direct_exit(void);
int offcore_direct_event_init(struct perf_event *event, u64 rsp);

#endif /* OFFCORE_DIRECT_H */
