/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef DRIVER_TESTS_H
#define DRIVER_TESTS_H

#include "machine.h"

/* A test has passed if nothing was found fault with since the last one. */
__attribute__((format(printf, 1, 2)))
void result(const char *fmt, ...);

void test_load(void);

#endif
