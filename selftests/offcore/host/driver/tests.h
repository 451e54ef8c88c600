/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DRIVER_TESTS_H
#define DRIVER_TESTS_H

#include "lib/kernel/testing.h"
#include "machine.h"

void test_load(void);
void test_rules(void);

#endif
