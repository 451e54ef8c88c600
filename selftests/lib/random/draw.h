/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a test leaves to chance: random numbers, the same ones in each run of a
 * seed, or bytes that somebody else has chosen, such as a fuzzer.
 */
#ifndef LIB_RANDOM_DRAW_H
#define LIB_RANDOM_DRAW_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bits by chance, also where there is a fuzzer: what means nothing */
void noise_seed(uint64_t seed);
uint64_t noise(void);

/* A number below @n, which decides about what is done */
unsigned int draw(unsigned int n);
/* 64 bits in the same way */
uint64_t draw_bits(void);

/* From now on these decide, and 0 when they are used up; NULL: chance again */
void draw_from(const uint8_t *bytes, size_t size);
/* They are used up. */
bool draw_over(void);

#endif
