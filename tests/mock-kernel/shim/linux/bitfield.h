/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_LINUX_BITFIELD_H
#define SHIM_LINUX_BITFIELD_H
#define FIELD_PREP(mask, v)	(((unsigned long long)(v) << __builtin_ctzll(mask)) & (mask))
#define FIELD_GET(mask, v)	(((v) & (mask)) >> __builtin_ctzll(mask))
#endif
