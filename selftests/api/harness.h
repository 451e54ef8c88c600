/* SPDX-License-Identifier: GPL-2.0-only */
/* kselftest_harness.h for programs that begin and end as api/test.h has it */
#ifndef API_HARNESS_H
#define API_HARNESS_H

#include "kselftest_harness.h"
#include "api/test.h"

/* The limit only ends what hangs: a busy host reaches the harness's 30 seconds. */
#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	300	/* seconds */

/* test_begin() before the harness prints its plan */
#define HARNESS_BEGIN(pmu, checker)					\
	static void __attribute__((constructor)) harness_begin(void)	\
	{								\
		test_begin(pmu, checker);				\
	}

/* Skip a test where events cannot be injected. */
#define SKIP_WITHOUT_MODEL()						\
do {									\
	if (!model_present())						\
		SKIP(return, "injects events: this machine is no emulated one");	\
} while (0)

/* The last test, in the last fixture, asks the protocol checker. */
#define HARNESS_END							\
	FIXTURE(protocol_checker) { };					\
	FIXTURE_SETUP(protocol_checker) { }				\
	FIXTURE_TEARDOWN(protocol_checker) { }				\
	TEST_F(protocol_checker, reports_nothing)			\
	{								\
		SKIP_WITHOUT_MODEL();					\
		if (!test_checker)					\
			SKIP(return, "this driver does not follow the guide");	\
		EXPECT_TRUE(model_silent(test_checker));		\
	}								\
	TEST_HARNESS_MAIN

#endif
