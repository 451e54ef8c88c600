/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DRIVER_TESTS_H
#define DRIVER_TESTS_H

#include "lib/kernel/testing.h"
#include "machine.h"

/* The driver comes, and goes and leaves nothing behind. */
int load(void);
void unload(void);
struct perf_event *open_on(unsigned int cpu, u64 config,
			   struct perf_event *leader);
/* An event of the core PMU's: 0x1b7 and 0x1bb have a response register. */
struct perf_event *open_core(struct pmu *core, u64 config, u64 value,
			     struct perf_event *leader);

void test_load(void);
void test_sleeps(void);
void test_rules(void);
void test_beside(void);

#endif
