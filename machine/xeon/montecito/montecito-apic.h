/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_I386_MODEL_MONTECITO_APIC_H
#define HW_I386_MODEL_MONTECITO_APIC_H

#include "hw/pci/pci.h"

/*
 * Take back the interrupt of an MSI-X entry while it is pending in the local
 * APIC of the CPU that accesses the device. A real MSI cannot be taken back: it
 * stands for a line within the processor.
 */
void montecito_withdraw(PCIDevice *dev, unsigned entry);

#endif
