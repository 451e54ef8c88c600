/*
 * What all devices of the models have in common
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_I386_MODEL_DEVICE_H
#define HW_I386_MODEL_DEVICE_H

#include "hw/pci/pci.h"

/* No migration, no hotplug. @props: its properties, or NULL */
void model_class_init(ObjectClass *klass, const char *desc, Property *props);

/* The same for a PCI function of Intel's */
PCIDeviceClass *model_pci_class_init(ObjectClass *klass, const char *desc,
                                     Property *props, uint16_t device_id);

/* A TypeInfo of a PCI function on a root bus; @type: the C type of its state */
#define MODEL_PCI_TYPE(name_, type, init) { \
        .name = name_, .parent = TYPE_PCI_DEVICE, \
        .instance_size = sizeof(type), .class_init = init, \
        .interfaces = (InterfaceInfo[]) { { INTERFACE_PCIE_DEVICE }, { } }, \
    }

#endif
