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

#endif
