/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UNIT_LINUX_BITS_H
#define UNIT_LINUX_BITS_H

#define BIT(n)	(1ul << (n))

#endif
