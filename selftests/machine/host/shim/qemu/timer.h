/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_QEMU_TIMER_H
#define SHIM_QEMU_TIMER_H

#include "qemu/osdep.h"

enum { QEMU_CLOCK_VIRTUAL };
int64_t qemu_clock_get_ns(int clock);

#endif
