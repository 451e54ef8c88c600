/*
 * Devices of the uncore of Xeon E5-2600 sockets
 *
 *   -device xeon-uncore,sockets=2,cbos=8
 *   -device xeon-uncore-pci,bus=BUS,addr=DEV.FN,multifunction=on,socket=N
 *
 * The first device models all sockets; the others are their PCI functions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "hw/qdev-properties.h"
#include "sysemu/reset.h"
#include "model-device.h"
#include "uncore.h"
#include "traffic.h"

static UncoreModel *the_uncore;

UncoreModel *uncore_model(void)
{
    return the_uncore;
}

/* Devices without a bus are not in the reset tree. */
static void uncore_model_reset(void *opaque)
{
    UncoreModel *u = opaque;

    for (unsigned s = 0; s < u->sockets; s++) {
        uncore_socket_reset(&u->socket[s]);
    }
    uncore_variant_boot(u);
}

static void uncore_model_realize(DeviceState *dev, Error **errp)
{
    UncoreModel *u = UNCORE_MODEL(dev);
    unsigned cbos;

    if (the_uncore) {
        error_setg(errp, "a machine has one " TYPE_UNCORE_MODEL);
        return;
    }
    if (!u->sockets || u->sockets > UNCORE_MAX_SOCKETS) {
        error_setg(errp, "sockets is 1 to %d", UNCORE_MAX_SOCKETS);
        return;
    }
    if (!u->generation || u->generation > UNCORE_GENERATIONS ||
        (u->generation > 1 && u->traffic)) {
        error_setg(errp, "generation is 1 to %d, traffic is for the first",
                   UNCORE_GENERATIONS);
        return;
    }
    cbos = uncore_box_types[u->generation - 1][UNCORE_CBOX].instances;
    if (!u->cbos || u->cbos > cbos) {
        error_setg(errp, "cbos is 1 to %u", cbos);
        return;
    }
    if (!u->mhz[UNCORE_UCLK] || !u->mhz[UNCORE_DCLK]) {
        error_setg(errp, "a clock has a frequency");
        return;
    }
    /* 2.6.7: "fixed 800 MHz clock" */
    u->mhz[UNCORE_PCLK] = 800;
    if (!uncore_variant_realize(u, errp) ||
        !uncore_ports_realize(u, errp)) {
        return;
    }
    if (u->rules_off_name &&
        !uncore_rules_set(u, u->rules_off_name, false, errp)) {
        return;
    }

    for (unsigned s = 0; s < u->sockets; s++) {
        u->socket[s].uncore = u;
        u->socket[s].id = s;
        uncore_boxes_make(&u->socket[s]);
    }
    the_uncore = u;
    uncore_check_init(u);
    uncore_stim_init(u);
    uncore_poke_init(u);
    uncore_msr_init(u);
    traffic_init(u);
    qemu_register_reset(uncore_model_reset, u);
}

static Property uncore_model_properties[] = {
    DEFINE_PROP_UINT32("sockets", UncoreModel, sockets, 1),
    DEFINE_PROP_UINT32("cbos", UncoreModel, cbos, 8),
    DEFINE_PROP_UINT32("generation", UncoreModel, generation, 1),
    DEFINE_PROP_UINT32("uclk", UncoreModel, mhz[UNCORE_UCLK], 2000),
    DEFINE_PROP_UINT32("dclk", UncoreModel, mhz[UNCORE_DCLK], 800),
    DEFINE_PROP_STRING("qpi-rate", UncoreModel, qpi_rate_name),
    DEFINE_PROP_STRING("packages", UncoreModel, packages_name),
    DEFINE_PROP_STRING("nodes", UncoreModel, nodes_name),
    DEFINE_PROP_STRING("checker-off", UncoreModel, rules_off_name),
    DEFINE_PROP_UINT64("seed", UncoreModel, seed, 0),
    DEFINE_PROP_BOOL("traffic", UncoreModel, traffic, false),
#define UNCORE_TRAIT(id, name, values, drawn, help) \
    DEFINE_PROP_STRING(name, UncoreModel, trait_name[UNCORE_T_##id])
#include "uncore-traits.def"
#undef UNCORE_TRAIT
    DEFINE_PROP_END_OF_LIST(),
};

static void uncore_model_class_init(ObjectClass *klass, void *data)
{
    model_class_init(klass, "uncore of Xeon E5-2600 sockets",
                     uncore_model_properties);
    DEVICE_CLASS(klass)->realize = uncore_model_realize;
}

static const TypeInfo uncore_model_types[] = {
    {
        .name = TYPE_UNCORE_MODEL,
        .parent = TYPE_DEVICE,
        .instance_size = sizeof(UncoreModel),
        .class_init = uncore_model_class_init,
    },
};

DEFINE_TYPES(uncore_model_types)
