/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_QEMU_HOST_UTILS_H
#define SHIM_QEMU_HOST_UTILS_H

#include "qemu/bitops.h"

#undef is_power_of_2	/* the mock kernel has one, too */
#define is_power_of_2(v)	((v) && !((v) & ((v) - 1)))
#define muldiv64(a, b, c)	((uint64_t)((__uint128_t)(a) * (b) / (c)))

#endif
