/* SPDX-License-Identifier: GPL-2.0-only */
/* Offcore events on counters that no core PMU drives */
#ifndef OFFCORE_DIRECT_H
#define OFFCORE_DIRECT_H

#include <linux/types.h>

struct perf_event;
struct pmu;
struct seq_file;

/* There is no core PMU, so the counters are ours. The front door finds out. */
extern bool offcore_direct;
/* Counters of a CPU, reserved or not */
extern unsigned int offcore_nr_ctrs;

int offcore_direct_probe(u64 counter);
void offcore_direct_exit(void);
int offcore_direct_event_init(struct perf_event *event, u64 rsp);
u64 offcore_direct_rsp(struct perf_event *event);
void offcore_direct_disable(struct pmu *pmu);
void offcore_direct_enable(struct pmu *pmu);
int offcore_direct_add(struct perf_event *event, int flags);
void offcore_direct_del(struct perf_event *event, int flags);
void offcore_direct_throttle(struct perf_event *event, int flags);
void offcore_direct_read(struct perf_event *event);
void offcore_direct_show_holders(struct seq_file *m, unsigned int cpu,
				 unsigned int reg);

#endif /* OFFCORE_DIRECT_H */
