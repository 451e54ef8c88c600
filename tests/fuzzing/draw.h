/* SPDX-License-Identifier: GPL-2.0-only */
/* Random numbers from a seed, or from a fuzzer's bytes */
#ifndef FUZZING_DRAW_H
#define FUZZING_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Random bits that no fuzzer controls */
void noise_seed(uint64_t seed);
uint64_t noise(void);

/* A number below @n, and 64 bits, which a fuzzer controls */
unsigned int draw(unsigned int n);
uint64_t draw_bits(void);

/* Take numbers from @bytes, then 0; NULL: random ones again */
void draw_from(const uint8_t *bytes, size_t size);
bool draw_over(void);

#endif
