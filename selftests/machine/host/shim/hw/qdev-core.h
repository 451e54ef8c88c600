/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_HW_QDEV_CORE_H
#define SHIM_HW_QDEV_CORE_H

#include "qemu/bitops.h"

typedef struct DeviceState {
	int none;
} DeviceState;

#endif
