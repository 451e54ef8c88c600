/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"

static inline bool ranges_overlap(uint64_t a, uint64_t na, uint64_t b, uint64_t nb)
{
	return !(a + na - 1 < b || b + nb - 1 < a);
}
