/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef SHIM_HW_PCI_H
#define SHIM_HW_PCI_H

#include "qemu/osdep.h"

typedef struct PCIDevice {
	int none;
} PCIDevice;

typedef struct MemoryRegion {
	int none;
} MemoryRegion;

#endif
