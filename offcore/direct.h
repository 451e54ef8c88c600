/* SPDX-License-Identifier: GPL-2.0-only */
/* Offcore events on counters that no core PMU drives */
#ifndef OFFCORE_DIRECT_H
#define OFFCORE_DIRECT_H

#include <linux/types.h>

struct perf_event;
struct pmu;

#define OFFCORE_NR_CTRS		8

/* There is no core PMU, so the counters are ours. */
extern bool offcore_direct;
/* Counters of a CPU, reserved or not */
extern unsigned int offcore_nr_ctrs;

int offcore_direct_init(struct pmu *pmu, unsigned int width);
void offcore_direct_exit(void);
int offcore_direct_event_init(struct perf_event *event, u64 rsp);

#endif /* OFFCORE_DIRECT_H */
