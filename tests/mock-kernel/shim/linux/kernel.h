/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef SHIM_LINUX_KERNEL_H
#define SHIM_LINUX_KERNEL_H
#include <stddef.h>
#define ARRAY_SIZE(a)		(sizeof(a) / sizeof((a)[0]))
#define container_of(p, type, member)	((type *)((char *)(p) - offsetof(type, member)))
#endif
