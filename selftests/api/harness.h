/* SPDX-License-Identifier: GPL-2.0-only */
/* kselftest_harness.h, whose limit of 30 seconds a busy host reaches: this one only ends what hangs. */
#ifndef API_HARNESS_H
#define API_HARNESS_H

#include "kselftest_harness.h"

#undef TEST_TIMEOUT_DEFAULT
#define TEST_TIMEOUT_DEFAULT	300	/* seconds */

#endif
