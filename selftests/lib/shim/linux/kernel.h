/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_LINUX_KERNEL_H
#define SHIM_LINUX_KERNEL_H
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#endif
