/*
 * The uncore of a machine's Xeon E5-2600 sockets.
 *
 *   -device snbep-uncore,sockets=2,cbos=8
 *   -device snbep-uncore-pci,bus=BUS,addr=DEV.FN,multifunction=on,socket=N
 *
 * The first is the whole of every socket; each of the others is a PCI
 * function through which a part of it is reached.
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

static SnbepUncore *the_uncore;

SnbepUncore *snbep_uncore(void)
{
    return the_uncore;
}

SnbepBox *snbep_box_of_kind(SnbepSocket *s, SnbepKind kind, unsigned instance)
{
    for (int b = 0; b < SNBEP_BOXES; b++) {
        if (s->box[b].type->kind == kind && s->box[b].instance == instance) {
            return &s->box[b];
        }
    }
    g_assert_not_reached();
}

SnbepBox *snbep_box_by_name(SnbepSocket *s, const char *name)
{
    for (int b = 0; b < SNBEP_BOXES; b++) {
        if (s->box[b].present && !strcmp(s->box[b].name, name)) {
            return &s->box[b];
        }
    }
    return NULL;
}

static void make_boxes(SnbepSocket *s)
{
    int b = 0;

    for (int kind = 0; kind < SNBEP_KINDS; kind++) {
        const SnbepBoxType *t = &snbep_box_types[kind];

        for (int i = 0; i < t->instances; i++) {
            SnbepBox *box = &s->box[b++];

            box->type = t;
            box->socket = s;
            box->instance = i;
            box->present = kind != SNBEP_CBOX || i < s->uncore->cbos;
            snprintf(box->name, sizeof(box->name),
                     t->numbered ? "%s_%d" : "%s", t->name, i);
        }
    }
    assert(b == SNBEP_BOXES);
}

static bool parse_pcu_ext(SnbepUncore *u, Error **errp)
{
    static const char *const names[] = {
        [SNBEP_EXT_STICK] = "stick",
        [SNBEP_EXT_DROP] = "drop",
        [SNBEP_EXT_FAULT] = "fault",
    };

    if (!u->pcu_ext_name) {
        return true;
    }
    for (int i = 0; i < ARRAY_SIZE(names); i++) {
        if (!strcmp(u->pcu_ext_name, names[i])) {
            u->pcu_ext = i;
            return true;
        }
    }
    error_setg(errp, "pcu-ext is stick, drop or fault, not '%s'",
               u->pcu_ext_name);
    return false;
}

void snbep_socket_reset(SnbepSocket *s)
{
    for (int b = 0; b < SNBEP_BOXES; b++) {
        snbep_pmon_reset(&s->box[b]);
    }
    snbep_cstate_set(s, SNBEP_C3, 0);
    snbep_cstate_set(s, SNBEP_C6, 0);
}

/* A device without a bus is on no reset tree: registered by hand. */
static void snbep_uncore_reset(void *opaque)
{
    SnbepUncore *u = opaque;

    for (unsigned s = 0; s < u->sockets; s++) {
        snbep_socket_reset(&u->socket[s]);
        snbep_cstate_boot(&u->socket[s]);
    }
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
    if (!u->cbos || u->cbos > snbep_box_types[SNBEP_CBOX].instances) {
        error_setg(errp, "cbos is 1 to %d",
                   snbep_box_types[SNBEP_CBOX].instances);
        return;
    }
    if (u->qpi_rate < 2 || u->qpi_rate > 7) {
        error_setg(errp, "qpi-rate is 2 (5.6 GT/s) to 7 (9.6 GT/s)");
        return;
    }
    if (!u->mhz[SNBEP_UCLK] || !u->mhz[SNBEP_DCLK]) {
        error_setg(errp, "a clock has a frequency");
        return;
    }
    if (!parse_pcu_ext(u, errp)) {
        return;
    }
    u->msrs_drop = !g_strcmp0(u->msrs_name, "drop");
    if (u->msrs_name && !u->msrs_drop && strcmp(u->msrs_name, "there")) {
        error_setg(errp, "msrs is there or drop, not '%s'", u->msrs_name);
        return;
    }
    u->residency_of_socket = !g_strcmp0(u->residency_name, "socket");
    if (u->residency_name && !u->residency_of_socket &&
        strcmp(u->residency_name, "core")) {
        error_setg(errp, "residency is core or socket, not '%s'",
                   u->residency_name);
        return;
    }
    /* 2.6.7: "fixed 800 MHz clock"; 2.7.7: an eighth of the GT/s */
    u->mhz[SNBEP_PCLK] = 800;
    u->mhz[SNBEP_QFCLK] = (4000 + 800 * u->qpi_rate) / 8;

    for (unsigned s = 0; s < u->sockets; s++) {
        u->socket[s].uncore = u;
        u->socket[s].id = s;
        make_boxes(&u->socket[s]);
    }
    the_uncore = u;
    snbep_judge_init(u);
    snbep_stim_init(u);
    snbep_poke_init(u);
    snbep_msr_init(u);
    snbep_cstate_init(u);
    qemu_register_reset(snbep_uncore_reset, u);
}

static Property snbep_uncore_properties[] = {
    DEFINE_PROP_UINT32("sockets", SnbepUncore, sockets, 1),
    DEFINE_PROP_UINT32("cbos", SnbepUncore, cbos, 8),
    DEFINE_PROP_STRING("pcu-ext", SnbepUncore, pcu_ext_name),
    DEFINE_PROP_STRING("msrs", SnbepUncore, msrs_name),
    DEFINE_PROP_STRING("residency", SnbepUncore, residency_name),
    DEFINE_PROP_UINT32("uclk", SnbepUncore, mhz[SNBEP_UCLK], 2000),
    DEFINE_PROP_UINT32("dclk", SnbepUncore, mhz[SNBEP_DCLK], 800),
    DEFINE_PROP_UINT32("qpi-rate", SnbepUncore, qpi_rate, 5),
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

static const TypeInfo snbep_uncore_info = {
    .name = TYPE_SNBEP_UNCORE,
    .parent = TYPE_DEVICE,
    .instance_size = sizeof(SnbepUncore),
    .class_init = snbep_uncore_class_init,
};

static void snbep_uncore_register(void)
{
    type_register_static(&snbep_uncore_info);
}

type_init(snbep_uncore_register)
