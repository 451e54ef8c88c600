/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "qemu/osdep.h"
#define MiB	0x100000
