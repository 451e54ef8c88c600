/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DRIVER_TESTS_H
#define DRIVER_TESTS_H

#include "kernel/testing.h"
#include "machine.h"

/* Compare two values; a difference is a fault with place, processor and values. */
#define EXPECT(got, want) do {						\
	long long got_ = (got), want_ = (want);				\
									\
	if (wrong(got_ != want_))					\
		fault("%s:%d: model %u: %s is %#llx, not %#llx",		\
		      __FILE__, __LINE__, machine.model, #got, got_, want_);	\
} while (0)
#define EXPECT_LOG(text) do {						\
	if (wrong(!log_has(text)))					\
		fault("%s:%d: model %u: the log has no '%s'", __FILE__,		\
		      __LINE__, machine.model, text);			\
} while (0)

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
struct perf_event *open_on(unsigned int cpu, u64 config,
			   struct perf_event *leader);

void test_load(void);
void test_rules(void);
void test_core_pmu(void);

#endif
