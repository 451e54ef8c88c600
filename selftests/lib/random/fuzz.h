/* SPDX-License-Identifier: GPL-2.0-only */
/* A host-side unit test under libFuzzer: see selftests/fuzz */
#ifndef LIB_RANDOM_FUZZ_H
#define LIB_RANDOM_FUZZ_H

#include "lib/random/draw.h"

/*
 * Each program has its own: from nothing to nothing by way of operations that are
 * drawn, until draw_over(). It calls fuzz_found() as soon as something is wrong.
 */
void fuzz_input(void);

/* Whether libFuzzer runs this program, and not its tests */
extern bool fuzzing;
void fuzz_found(void);

#endif
