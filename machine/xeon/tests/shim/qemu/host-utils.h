/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_QEMU_HOST_UTILS_H
#define SHIM_QEMU_HOST_UTILS_H

#include "qemu/bitops.h"

#define muldiv64(a, b, c)	((uint64_t)((__uint128_t)(a) * (b) / (c)))

#endif
