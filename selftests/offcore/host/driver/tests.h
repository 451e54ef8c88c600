/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DRIVER_TESTS_H
#define DRIVER_TESTS_H

#include "lib/kernel/testing.h"
#include "machine.h"

/* What is not so fails, with its place, the model, and what it is instead. */
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

/* Start again with a processor of this model. */
void processor(unsigned int model);
/* The driver comes, and goes and leaves nothing behind. */
int load(void);
void unload(void);
/* A request with any response that the processor has: Tables 18-26, 18-36 */
u64 value(unsigned int request);
extern int open_errno;
struct perf_event *open_on(unsigned int cpu, u64 config,
			   struct perf_event *leader);

void test_load(void);
void test_rules(void);
void test_core_pmu(void);

#endif
