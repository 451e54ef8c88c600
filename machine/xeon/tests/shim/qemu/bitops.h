/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_QEMU_BITOPS_H
#define SHIM_QEMU_BITOPS_H

#include <assert.h>

#include "qemu/osdep.h"

#define MAKE_64BIT_MASK(at, len)    ((~0ULL >> (64 - (len))) << (at))

#define ctpop64(v)		__builtin_popcountll(v)
#define ctz64(v)		__builtin_ctzll(v)

static inline uint64_t extract64(uint64_t v, int at, int len)
{
	assert(at >= 0 && len > 0 && len <= 64 - at);
	return v >> at & (~0ULL >> (64 - len));
}

static inline uint64_t deposit64(uint64_t v, int at, int len, uint64_t field)
{
	uint64_t mask;

	assert(at >= 0 && len > 0 && len <= 64 - at);
	mask = MAKE_64BIT_MASK(at, len);
	return (v & ~mask) | (field << at & mask);
}

static inline uint32_t deposit32(uint32_t v, int at, int len, uint32_t field)
{
	return deposit64(v, at, len, field);
}

static inline uint32_t extract32(uint32_t v, int at, int len)
{
	assert(at + len <= 32);
	return extract64(v, at, len);
}

#endif
