/* SPDX-License-Identifier: GPL-2.0-only */
/* Direct mode: offcore events without a core PMU */
#ifndef OFFCORE_DIRECT_H
#define OFFCORE_DIRECT_H

#include <linux/types.h>

struct perf_event;

/*
 * PMC0-3 alone count offcore events (Tables 18-25 and 18-35), also where CPUID reports
 * eight counters: Sandy Bridge without hyper-threading.
 */
#define OFFCORE_NR_CTRS		4u

/* Direct mode is active */
extern bool offcore_direct;
/* Number of counters of a CPU that count offcore events */
extern unsigned int offcore_nr_ctrs;

int offcore_direct_init(unsigned int width);
void offcore_direct_exit(void);

/* Callbacks of the PMU */
int offcore_direct_event_init(struct perf_event *event, u64 rsp);
int offcore_direct_add(struct perf_event *event, int flags);
void offcore_direct_del(struct perf_event *event, int flags);
void offcore_direct_throttle(struct perf_event *event, int flags);
void offcore_direct_read(struct perf_event *event);

#endif /* OFFCORE_DIRECT_H */
