/*
 * Devices of the uncore of Xeon E5-2600 sockets
 *
 *   -device snbep-uncore,sockets=2,cbos=8
 *   -device snbep-uncore-pci,bus=BUS,addr=DEV.FN,multifunction=on,socket=N
 *
 * The first device models all sockets; the others are their PCI functions.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "sysemu/reset.h"
#include "snbep.h"
#include "traffic.h"

static SnbepUncore *the_uncore;

SnbepUncore *snbep_uncore(void)
{
    return the_uncore;
}

/* Devices without a bus are not in the reset tree. */
static void snbep_uncore_reset(void *opaque)
{
    SnbepUncore *u = opaque;

    for (unsigned s = 0; s < u->sockets; s++) {
        snbep_socket_reset(&u->socket[s]);
        snbep_cstate_boot(&u->socket[s]);
    }
    snbep_variant_boot(u);
}

static void snbep_uncore_realize(DeviceState *dev, Error **errp)
{
    SnbepUncore *u = SNBEP_UNCORE(dev);

    if (the_uncore) {
        error_setg(errp, "a machine has one " TYPE_SNBEP_UNCORE);
        return;
    }
    if (!u->sockets || u->sockets > SNBEP_MAX_SOCKETS) {
        error_setg(errp, "sockets is 1 to %d", SNBEP_MAX_SOCKETS);
        return;
    }
    if (!u->generation || u->generation > SNBEP_GENERATIONS ||
        (u->generation > 1 && u->traffic)) {
        error_setg(errp, "generation is 1 to %d, traffic is for the first",
                   SNBEP_GENERATIONS);
        return;
    }
    if (u->generation > 1) {
        snbep_boxes_become(u->generation);
        snbep_events_become(u->generation);
    }
    if (!u->cbos || u->cbos > snbep_box_types[SNBEP_CBOX].instances) {
        error_setg(errp, "cbos is 1 to %d",
                   snbep_box_types[SNBEP_CBOX].instances);
        return;
    }
    if (!u->mhz[SNBEP_UCLK] || !u->mhz[SNBEP_DCLK]) {
        error_setg(errp, "a clock has a frequency");
        return;
    }
    /* 2.6.7: "fixed 800 MHz clock" */
    u->mhz[SNBEP_PCLK] = 800;
    if (!snbep_variant_realize(u, errp) ||
        !snbep_ports_realize(u, errp)) {
        return;
    }
    if (u->rules_off_name &&
        !snbep_rules_set(u, u->rules_off_name, false, errp)) {
        return;
    }

    for (unsigned s = 0; s < u->sockets; s++) {
        u->socket[s].uncore = u;
        u->socket[s].id = s;
        snbep_boxes_make(&u->socket[s]);
    }
    the_uncore = u;
    snbep_check_init(u);
    snbep_stim_init(u);
    snbep_poke_init(u);
    snbep_msr_init(u);
    snbep_cstate_init(u);
    traffic_init(u);
    qemu_register_reset(snbep_uncore_reset, u);
}

#define TRAIT(name, t) \
    DEFINE_PROP_STRING(name, SnbepUncore, trait_name[t])

static Property snbep_uncore_properties[] = {
    DEFINE_PROP_UINT32("sockets", SnbepUncore, sockets, 1),
    DEFINE_PROP_UINT32("cbos", SnbepUncore, cbos, 8),
    DEFINE_PROP_UINT32("generation", SnbepUncore, generation, 1),
    DEFINE_PROP_UINT32("uclk", SnbepUncore, mhz[SNBEP_UCLK], 2000),
    DEFINE_PROP_UINT32("dclk", SnbepUncore, mhz[SNBEP_DCLK], 800),
    DEFINE_PROP_STRING("qpi-rate", SnbepUncore, qpi_rate_name),
    DEFINE_PROP_STRING("packages", SnbepUncore, packages_name),
    DEFINE_PROP_STRING("nodes", SnbepUncore, nodes_name),
    DEFINE_PROP_STRING("checker-off", SnbepUncore, rules_off_name),
    DEFINE_PROP_UINT64("seed", SnbepUncore, seed, 0),
    DEFINE_PROP_BOOL("traffic", SnbepUncore, traffic, false),
    TRAIT("noise", SNBEP_T_NOISE),
    TRAIT("wo", SNBEP_T_WO),
    TRAIT("pcu-ext", SNBEP_T_PCU_EXT),
    TRAIT("pcu-filter", SNBEP_T_PCU_FILTER),
    TRAIT("residency", SNBEP_T_RESIDENCY),
    TRAIT("ubox-fixed", SNBEP_T_UBOX_FIXED),
    TRAIT("missing-cbos", SNBEP_T_MISSING_CBOS),
    TRAIT("firmware", SNBEP_T_FIRMWARE),
    TRAIT("msrs", SNBEP_T_MSRS),
    TRAIT("ctl-en", SNBEP_T_CTL_EN),
    DEFINE_PROP_END_OF_LIST(),
};

static const VMStateDescription vmstate_snbep_uncore = {
    .name = TYPE_SNBEP_UNCORE,
    .unmigratable = 1,
};

static void snbep_uncore_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->desc = "uncore of Xeon E5-2600 sockets";
    dc->realize = snbep_uncore_realize;
    dc->vmsd = &vmstate_snbep_uncore;
    dc->hotpluggable = false;
    dc->user_creatable = true;
    device_class_set_props(dc, snbep_uncore_properties);
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
}

static const TypeInfo snbep_uncore_types[] = {
    {
        .name = TYPE_SNBEP_UNCORE,
        .parent = TYPE_DEVICE,
        .instance_size = sizeof(SnbepUncore),
        .class_init = snbep_uncore_class_init,
    },
};

DEFINE_TYPES(snbep_uncore_types)
