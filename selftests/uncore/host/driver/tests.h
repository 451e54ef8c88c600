/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DRIVER_TESTS_H
#define DRIVER_TESTS_H

#include "machine.h"

/* A test has passed if nothing was found fault with since the last one. */
__attribute__((format(printf, 1, 2)))
void result(const char *fmt, ...);

/* Open an event of a PMU; open_errno says why there is none. */
extern int open_errno;
struct perf_event *open_event(const char *pmu, int cpu, u64 config, u64 config1,
			      u64 config2, struct perf_event *leader);

void test_random(void);
void test_load(void);
void test_life(void);
void test_open(void);
void test_cost(void);

#endif
