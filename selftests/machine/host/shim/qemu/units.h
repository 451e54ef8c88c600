/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_QEMU_UNITS_H
#define SHIM_QEMU_UNITS_H

#include "qemu/osdep.h"

#endif
