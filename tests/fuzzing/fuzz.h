/* SPDX-License-Identifier: GPL-2.0-only */
/* A host-side unit test under libFuzzer: see tests/fuzzing/fuzz */
#ifndef FUZZING_FUZZ_H
#define FUZZING_FUZZ_H

#include "fuzzing/draw.h"

/*
 * Each program defines it: set up, run operations drawn from the input until draw_over(),
 * and tear down. Calls fuzz_found() when a check fails.
 */
void fuzz_input(void);

/* Whether libFuzzer runs this program, and not its tests */
extern bool fuzzing;
void fuzz_found(void);

#endif
