/*
 * Classes of the models' devices
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "model-device.h"

static const VMStateDescription vmstate_model = {
    .name = "model",
    .unmigratable = 1,
};

void model_class_init(ObjectClass *klass, const char *desc, Property *props)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->desc = desc;
    dc->vmsd = &vmstate_model;
    dc->hotpluggable = false;
    dc->user_creatable = true;
    if (props) {
        device_class_set_props(dc, props);
    }
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
}

PCIDeviceClass *model_pci_class_init(ObjectClass *klass, const char *desc,
                                     Property *props, uint16_t device_id)
{
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);

    model_class_init(klass, desc, props);
    pc->vendor_id = PCI_VENDOR_ID_INTEL;
    pc->device_id = device_id;
    return pc;
}
