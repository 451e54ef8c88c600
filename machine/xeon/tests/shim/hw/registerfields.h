/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_HW_REGISTERFIELDS_H
#define SHIM_HW_REGISTERFIELDS_H

#include "qemu/bitops.h"

#define FIELD(reg, field, at, len)					\
	enum {								\
		R_ ## reg ## _ ## field ## _SHIFT = (at),		\
		R_ ## reg ## _ ## field ## _LENGTH = (len),		\
		R_ ## reg ## _ ## field ## _MASK = MAKE_64BIT_MASK(at, len), \
	};

#define FIELD_EX64(v, reg, field)					\
	extract64(v, R_ ## reg ## _ ## field ## _SHIFT,			\
		  R_ ## reg ## _ ## field ## _LENGTH)
#define FIELD_EX32(v, reg, field)	((uint32_t)FIELD_EX64(v, reg, field))

#endif
