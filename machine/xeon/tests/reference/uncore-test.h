/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tests of the uncore's boxes, each beside a reference from the guide */
#ifndef REFERENCE_UNCORE_TEST_H
#define REFERENCE_UNCORE_TEST_H

#include "bench.h"
#include "uncore-model.h"

#define EDGE	(1u << 18)
#define TID_EN	(1u << 19)
#define EN	(1u << 22)
#define INV	(1u << 23)

void test_checker(void);
void test_console(void);

#endif
