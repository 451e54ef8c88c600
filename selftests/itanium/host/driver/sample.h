/* SPDX-License-Identifier: GPL-2.0-only */
/* Samples of events on CPU 0, as perf gets them */
#ifndef DRIVER_SAMPLE_H
#define DRIVER_SAMPLE_H

#include "tests.h"

/* Instructions of the program and of the kernel */
#define UIP		0x400100ULL
#define KIP		0xffffffff81234560ULL

/* What interrupts find, and the tasks that run */
extern struct pt_regs user_regs, kernel_regs;
extern struct task_struct tasks[2];

/**
 * struct taken - the last sample
 * @n: how many there were since the event was opened
 * @dropped: overflows without one
 * @verdict: what perf says to them: 1 throttles the event
 */
extern struct taken {
	unsigned int n, dropped, verdict;
	struct perf_event *event;
	struct perf_sample_data data;
	struct pt_regs regs;
	u64 raw[40];
	unsigned int nr_raw;
	struct perf_branch_entry br[16];
	unsigned int nr_br;
} got;

void begin(void);
/* An event that counts, sampled by each one that it counts if it says nothing else */
struct perf_event *start(struct perf_event_attr attr);
/* It overflows, and the interrupt finds @regs. */
void overflow(struct perf_event *event, struct pt_regs *regs);

#endif
