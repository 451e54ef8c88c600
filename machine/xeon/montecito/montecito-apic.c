/*
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/i386/apic_internal.h"
#include "hw/pci/msi.h"
#include "hw/pci/msix.h"
#include "cpu.h"
#include "montecito-apic.h"

void montecito_withdraw(PCIDevice *dev, unsigned entry)
{
    X86CPU *cpu = X86_CPU(current_cpu);
    APICCommonState *apic = APIC_COMMON(cpu->apic_state);
    unsigned vector = msix_get_message(dev, entry).data & 0xff;

    apic->irr[vector / 32] &= ~BIT(vector % 32);
    apic_poll_irq(cpu->apic_state);
}
