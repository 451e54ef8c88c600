/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_QEMU_CUTILS_H
#define SHIM_QEMU_CUTILS_H

#include "qemu/osdep.h"

/* 0, or what is wrong with the number; without @end it is all of the text */
int qemu_strtou64(const char *text, const char **end, int base, uint64_t *v);
int qemu_strtoui(const char *text, const char **end, int base, unsigned int *v);

#endif
