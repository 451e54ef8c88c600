// SPDX-License-Identifier: GPL-2.0-only
#include "fuzzing/draw.h"

static uint64_t state = 88172645463325252ULL;
static const uint8_t *bytes;
static size_t left;

void noise_seed(uint64_t seed)
{
	state = (seed + 1) * 0x9e3779b97f4a7c15ULL;
}

uint64_t noise(void)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static unsigned int next_byte(void)
{
	if (!left)
		return 0;
	left--;
	return *bytes++;
}

unsigned int draw(unsigned int n)
{
	unsigned int most, val = 0;

	if (!bytes)
		return (noise() >> 24) % n;
	/* Consume only as many bytes as @n needs, so that short inputs go far. */
	for (most = n - 1; most; most >>= 8)
		val = val << 8 | next_byte();
	return val % n;
}

uint64_t draw_bits(void)
{
	uint64_t val = 0;
	unsigned int i;

	if (!bytes)
		return noise();
	for (i = 0; i < sizeof(val); i++)
		val = val << 8 | next_byte();
	return val;
}

void draw_from(const uint8_t *from, size_t size)
{
	bytes = from;
	left = size;
}

bool draw_over(void)
{
	return bytes && !left;
}
