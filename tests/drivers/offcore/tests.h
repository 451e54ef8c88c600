/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OFFCORE_TESTS_H
#define OFFCORE_TESTS_H

#include "mock-kernel/testing.h"
#include "machine.h"

/* Restart with a processor of this model. */
void processor(unsigned int model);
/* The same, and load the driver. */
void load_on(unsigned int model);
/* Load the driver; unload it and check that nothing is left. */
int load(void);
void unload(void);
/* A request with all responses of the processor: Tables 18-26, 18-36 */
u64 value(unsigned int request);
extern int open_errno;
struct perf_event *open_on(unsigned int cpu, u64 config, struct perf_event *leader);

void test_load(void);
void test_rules(void);
void test_core_pmu(void);
void test_explore(const char *what);

#endif
