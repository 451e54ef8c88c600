/*
 * The box types of the Xeon E5-2600 uncore, by generation: registers, fields
 * and widths. v1 has them from the guide's tables; v2, v3 and v4 from Linux's
 * uncore_snbep.c, so they cannot show a fault of that driver.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "uncore.h"

/* thresh, invert, en, edge_det, umask and ev_sel, which all boxes share */
#define CTL_RW(thresh)  ((thresh) | 0x00c40000 | 0x0000ffff)

/*
 * BOX_CTL: frz_en 16, frz 8, rst_ctrs 1 and rst_ctrl 0, all write-only; 17
 * must be 0 (tables 2-9, 2-34, 2-60, ...)
 */
#define BOX_CTL_RESETS  { .wo = 0x00010103, .mbz = 0x00020000 }
#define BOX_CTL_PLAIN   { .wo = 0x00010100, .mbz = 0x00020003 }

/* Fields that a box type has in all generations */

/*
 * Tables 2-1 to 2-5; no box control. The fixed counter has 48 bits in 2.2.2 and
 * in the text of table 2-5, 43:0 in its field column: trait ubox-fixed.
 */
#define UBOX(width_) \
    .name = "ubox", .reg_prefix = "U_MSR_PMON_", .kind = UNCORE_UBOX, \
    .instances = 1, .msr = true, .ctrs = 2, .width = width_, \
    .ctl = { .rw = CTL_RW(0x1f000000), .wo = R_PMON_CTL_RST_MASK, \
             .mbz = 0x00300000 }, \
    .thresh_bits = 5, \
    .fixed_width = 48, \
    .fixed_ctl = { .rw = R_PMON_CTL_EN_MASK, .mbz = 0x00300000 }, \
    .fixed_clock = UNCORE_UCLK
/* Tables 2-8 to 2-12 */
#define CBOX(instances_) \
    .name = "cbox", .reg_prefix = "C%d_MSR_PMON_", .kind = UNCORE_CBOX, \
    .instances = instances_, .numbered = true, .msr = true, .ctrs = 4, \
    .ctl = { .rw = CTL_RW(0xff000000) | R_PMON_CTL_TID_EN_MASK, \
             .wo = R_PMON_CTL_RST_MASK, .mbz = 0x00310000 }, \
    .thresh_bits = 8, .box_ctl = BOX_CTL_RESETS
/* Tables 2-33 to 2-39 */
#define HA \
    .name = "ha", .reg_prefix = "HA_PCI_PMON_", .kind = UNCORE_HA, \
    .instances = 1, .ctrs = 4, .width = 48, \
    .ctl = { .rw = CTL_RW(0xff000000), .mbz = 0x00330000 }, \
    .thresh_bits = 8, PCI_PMON
/* Tables 2-59 to 2-63 */
#define IMC \
    .name = "imc", .reg_prefix = "MC_CH%d_PCI_PMON_", .kind = UNCORE_IMC, \
    .instances = 4, .numbered = true, .ctrs = 4, .width = 48, \
    .ctl = { .rw = CTL_RW(0xff000000), .mbz = 0x00330000 }, \
    .thresh_bits = 8, PCI_PMON, \
    .fixed_ctl_addr = 0xf0, .fixed_ctr_addr = 0xd0, .fixed_width = 48, \
    .fixed_ctl = { .rw = R_PMON_CTL_EN_MASK, .wo = 1u << 19, \
                   .mbz = 0x00b00000 }, \
    .fixed_clock = UNCORE_DCLK
/* Tables 2-73 to 2-77; bit 21: trait pcu-ext */
#define PCU(filter_addr) \
    .name = "pcu", .reg_prefix = "PCU_MSR_PMON_", .kind = UNCORE_PCU, \
    .instances = 1, .msr = true, .ctrs = 4, .width = 48, \
    .ctl = { .rw = R_PMON_CTL_OCC_EDGE_MASK | R_PMON_CTL_OCC_INVERT_MASK | \
                   R_PMON_CTL_INVERT_MASK | R_PMON_CTL_EN_MASK | \
                   R_PMON_CTL_EDGE_DET_MASK | 0x1f00c0ff, \
             .wo = R_PMON_CTL_RST_MASK, .mbz = 0x20300000 }, \
    .thresh_bits = 5, .box_ctl = BOX_CTL_RESETS, \
    .nr_filters = 1, \
    .filter = { \
        { "BOX_FILTER", filter_addr, UNCORE_MSR, { .rw = 0xffffffff } }, \
    }
/* Tables 2-84 to 2-91 */
#define QPI \
    .name = "qpi", .reg_prefix = "Q_P%d_PCI_PMON_", .kind = UNCORE_QPI, \
    .instances = 2, .numbered = true, .ctrs = 4, .width = 48, \
    .ctl = { .rw = CTL_RW(0xff000000) | R_PMON_CTL_EXT_MASK, \
             .wo = R_PMON_CTL_RST_MASK, .mbz = 0x00110000 }, \
    .thresh_bits = 8, PCI_PMON, .box_ctl = BOX_CTL_RESETS, \
    .nr_filters = 4, \
    .filter = { \
        { "PKT_MATCH0", 0x228, UNCORE_EXT, \
          { .rw = 0x8003fff8, .mbz = 0x7ffc0007 } }, \
        { "PKT_MATCH1", 0x22c, UNCORE_EXT, \
          { .rw = 0x000f000f, .mbz = 0xfff0fff0 } }, \
        { "PKT_MASK0", 0x238, UNCORE_EXT, \
          { .rw = 0x8003fff8, .mbz = 0x7ffc0007 } }, \
        { "PKT_MASK1", 0x23c, UNCORE_EXT, \
          { .rw = 0x000f000f, .mbz = 0xfff0fff0 } }, \
    }, \
    .devfn = { UNCORE_DEVFN(8, 2), UNCORE_DEVFN(9, 2) }, \
    .filter_devfn = { UNCORE_DEVFN(8, 6), UNCORE_DEVFN(9, 6) }
/* Tables 2-104 to 2-107 */
#define R2PCIE(width_, dev) \
    .name = "r2pcie", .reg_prefix = "R2_PCI_PMON_", .kind = UNCORE_R2PCIE, \
    .instances = 1, .ctrs = 4, .width = width_, RING_PMON, \
    .devfn = { UNCORE_DEVFN(dev, 1) }
/* Tables 2-118 to 2-121 */
#define R3QPI(width_, dev, fn0, fn1) \
    .name = "r3qpi", .reg_prefix = "R3_L%d_PCI_PMON_", \
    .kind = UNCORE_R3QPI, \
    .instances = 2, .numbered = true, .ctrs = 3, .width = width_, RING_PMON, \
    .devfn = { UNCORE_DEVFN(dev, fn0), UNCORE_DEVFN(dev, fn1) }
#define RING_PMON \
    .ctl = { .rw = CTL_RW(0xff000000), .wo = R_PMON_CTL_RST_MASK, \
             .mbz = 0x00310000 }, \
    .thresh_bits = 8, PCI_PMON, .box_ctl = BOX_CTL_RESETS

/*
 * The registers of CBos of v3, elsewhere. The SDM names the filter and not its
 * fields; events do not depend on it.
 */
#define SBOX(width_) \
    .name = "sbox", .reg_prefix = "S%d_MSR_PMON_", .kind = UNCORE_SBOX, \
    .instances = 4, .numbered = true, .msr = true, .ctrs = 4, .width = width_, \
    .ctl = { .rw = CTL_RW(0xff000000) | R_PMON_CTL_TID_EN_MASK, \
             .wo = R_PMON_CTL_RST_MASK, .mbz = 0x00310000 }, \
    .thresh_bits = 8, .box_ctl = BOX_CTL_RESETS, \
    .ctl_addr = 0x721, .ctr_addr = 0x726, .box_ctl_addr = 0x720, .step = 0xa, \
    .nr_filters = 1, \
    .filter = { { "BOX_FILTER", 0x725, UNCORE_MSR, { .rw = 0xffffffff } } }
/*
 * Counters 0 and 1 are those of the first ring stop, 2 and 3 those of the
 * second: an injected event happens at both.
 */
#define IRP \
    .name = "irp", .reg_prefix = "IRP_PCI_PMON_", .kind = UNCORE_IRP, \
    .instances = 1, .ctrs = 4, .width = 48, RING_PMON, \
    .devfn = { UNCORE_DEVFN(5, 6) }

/* Registers of a PCI function */
#define PCI_PMON \
    .ctl_addr = 0xd8, .ctr_addr = 0xa0, .box_ctl_addr = 0xf4
/* MSRs of v1 and v2 */
#define UBOX_MSRS \
    .ctl_addr = 0xc10, .ctr_addr = 0xc16, \
    .fixed_ctl_addr = 0xc08, .fixed_ctr_addr = 0xc09
#define CBOX_MSRS \
    .ctl_addr = 0xd10, .ctr_addr = 0xd16, .box_ctl_addr = 0xd04, .step = 0x20
#define PCU_MSRS \
    .ctl_addr = 0xc30, .ctr_addr = 0xc36, .box_ctl_addr = 0xc24

/* Filters of the CBos from v2 on, and their fields */
#define CBOX_FILTERS(addr0, bits0, addr1) \
    .nr_filters = 2, \
    .filter = { \
        { "BOX_FILTER0", addr0, UNCORE_MSR, { .rw = bits0 } }, \
        { "BOX_FILTER1", addr1, UNCORE_MSR, { .rw = 0xfff0ffff } }, \
    }
#define CBOX_MATCH(tid, state) \
    .match = { \
        [UNCORE_M_TID] = tid, [UNCORE_M_NID] = 0xffffull << 32, \
        [UNCORE_M_STATE] = state, [UNCORE_M_OPC] = 0x1ffull << 52, \
        [UNCORE_M_NC] = 1ull << 62, \
    }

/* v3 and v4 differ in the width of three counters. */
#define HASWELL_BOXES(cboxes, ubox_width, r3qpi_width, sbox_width) \
    [UNCORE_UBOX] = { \
        UBOX(ubox_width), .ctl_addr = 0x705, .ctr_addr = 0x709, \
        .fixed_ctl_addr = 0x703, .fixed_ctr_addr = 0x704, \
        .nr_filters = 1, \
        .filter = { { "FILTER", 0x707, UNCORE_MSR, { .rw = 0x3f } } }, \
    }, \
    [UNCORE_CBOX] = { \
        CBOX(cboxes), .width = 48, .ctl_addr = 0xe01, .ctr_addr = 0xe08, \
        .box_ctl_addr = 0xe00, .step = 0x10, \
        CBOX_FILTERS(0xe05, 0x00fe03ff, 0xe06), \
        CBOX_MATCH(0x3f, 0x7f << 17), \
    }, \
    [UNCORE_HA] = { \
        HA, .box_ctl = BOX_CTL_RESETS, .devfn = { UNCORE_DEVFN(18, 1) }, \
    }, \
    [UNCORE_IMC] = { \
        IMC, .box_ctl = BOX_CTL_RESETS, \
        .devfn = { UNCORE_DEVFN(20, 0), UNCORE_DEVFN(20, 1), \
                   UNCORE_DEVFN(21, 0), UNCORE_DEVFN(21, 1) }, \
    }, \
    [UNCORE_PCU] = { \
        PCU(0x715), .ctl_addr = 0x711, .ctr_addr = 0x717, \
        .box_ctl_addr = 0x710, \
    }, \
    [UNCORE_QPI] = { QPI }, \
    [UNCORE_R2PCIE] = { R2PCIE(48, 16) }, \
    [UNCORE_R3QPI] = { R3QPI(r3qpi_width, 11, 1, 2) }, \
    [UNCORE_SBOX] = { SBOX(sbox_width) }, \
    [UNCORE_IRP] = { IRP }

/*
 * v2 to v4 have the registers of Linux's intel_uncore, for parts with one home
 * agent and one memory controller, and the CBos of their largest dies. The
 * fields of their home agents' filters differ, but Linux does not write them.
 */
const UncoreBoxType uncore_box_types[UNCORE_GENERATIONS][UNCORE_KINDS] = {
    {
        [UNCORE_UBOX] = { UBOX(44), UBOX_MSRS },
        [UNCORE_CBOX] = {
            CBOX(8), CBOX_MSRS, .width = 44,
            .nr_filters = 1,
            .filter = {
                { "BOX_FILTER", 0xd14, UNCORE_MSR, { .rw = 0xfffffc1f } },
            },
            .match = {
                [UNCORE_M_TID] = 0x1f, [UNCORE_M_NID] = 0xff << 10,
                [UNCORE_M_STATE] = 0x1f << 18, [UNCORE_M_OPC] = 0x1ffu << 23,
            },
        },
        [UNCORE_HA] = {
            HA, .box_ctl = BOX_CTL_PLAIN,
            .nr_filters = 3,
            .filter = {
                { "BOX_ADDRMATCH0", 0x40, UNCORE_PCI, { .rw = 0xffffffc0 } },
                { "BOX_ADDRMATCH1", 0x44, UNCORE_PCI, { .rw = 0x00003fff } },
                { "BOX_OPCODEMATCH", 0x48, UNCORE_PCI, { .rw = 0x0000003f } },
            },
            .devfn = { UNCORE_DEVFN(14, 1) },
        },
        [UNCORE_IMC] = {
            IMC, .box_ctl = BOX_CTL_PLAIN,
            .devfn = { UNCORE_DEVFN(16, 0), UNCORE_DEVFN(16, 1),
                       UNCORE_DEVFN(16, 4), UNCORE_DEVFN(16, 5) },
        },
        [UNCORE_PCU] = { PCU(0xc34), PCU_MSRS },
        [UNCORE_QPI] = { QPI },
        [UNCORE_R2PCIE] = { R2PCIE(44, 19) },
        [UNCORE_R3QPI] = { R3QPI(44, 19, 5, 6) },
    }, {
        [UNCORE_UBOX] = { UBOX(44), UBOX_MSRS },
        [UNCORE_CBOX] = {
            CBOX(15), CBOX_MSRS, .width = 44,
            CBOX_FILTERS(0xd14, 0x007e01ff, 0xd1a),
            CBOX_MATCH(0x1f, 0x3f << 17),
        },
        [UNCORE_HA] = {
            HA, .box_ctl = BOX_CTL_RESETS, .devfn = { UNCORE_DEVFN(14, 1) },
        },
        [UNCORE_IMC] = {
            IMC, .box_ctl = BOX_CTL_RESETS,
            .devfn = { UNCORE_DEVFN(16, 4), UNCORE_DEVFN(16, 5),
                       UNCORE_DEVFN(16, 0), UNCORE_DEVFN(16, 1) },
        },
        [UNCORE_PCU] = { PCU(0xc34), PCU_MSRS },
        [UNCORE_QPI] = { QPI },
        [UNCORE_R2PCIE] = { R2PCIE(44, 19) },
        [UNCORE_R3QPI] = { R3QPI(44, 19, 5, 6) },
        [UNCORE_IRP] = { IRP, .ctr_gap = 1 },
    }, {
        HASWELL_BOXES(18, 44, 44, 44)
    }, {
        HASWELL_BOXES(24, 48, 48, 48)
    },
};

/*
 * CAPID4 of v3 and v4 says which die it is: the smallest one has two SBoxes on
 * v3 and none on v4 (Linux). Trait sboxes.
 */
static unsigned sboxes(const UncoreModel *u)
{
    return !u->trait[UNCORE_T_SBOXES] ? 4 : u->generation == 3 ? 2 : 0;
}

static bool box_present(const UncoreModel *u, UncoreKind kind, unsigned i)
{
    return kind == UNCORE_CBOX ? i < u->cbos :
           kind == UNCORE_SBOX ? i < sboxes(u) : true;
}

void uncore_boxes_make(UncoreSocket *s)
{
    int b = 0;

    for (int kind = 0; kind < UNCORE_KINDS; kind++) {
        unsigned g = s->uncore->generation - 1;
        const UncoreBoxType *t = &uncore_box_types[g][kind];

        for (int i = 0; i < t->instances; i++) {
            UncoreBox *box = &s->box[b++];

            box->type = t;
            box->events = uncore_events(g, kind);
            box->socket = s;
            box->instance = i;
            box->present = box_present(s->uncore, kind, i);
            snprintf(box->name, sizeof(box->name),
                     t->numbered ? "%s_%d" : "%s", t->name, i);
        }
    }
    s->boxes = b;
    assert(b <= UNCORE_MAX_BOXES);
}

UncoreBox *uncore_box_of_kind(UncoreSocket *s, UncoreKind kind,
                              unsigned instance)
{
    for (int b = 0; b < s->boxes; b++) {
        if (s->box[b].type->kind == kind && s->box[b].instance == instance) {
            return &s->box[b];
        }
    }
    g_assert_not_reached();
}

UncoreBox *uncore_box_by_name(UncoreSocket *s, const char *name)
{
    for (int b = 0; b < s->boxes; b++) {
        if (s->box[b].present && !strcmp(s->box[b].name, name)) {
            return &s->box[b];
        }
    }
    return NULL;
}

UncoreBox *uncore_box_at(UncoreSocket *s, uint8_t devfn, bool *filter_fn)
{
    for (int b = 0; b < s->boxes; b++) {
        UncoreBox *box = &s->box[b];

        if (box->type->msr) {
            continue;
        }
        *filter_fn = box->type->filter_devfn[box->instance] == devfn;
        if (*filter_fn || box->type->devfn[box->instance] == devfn) {
            return box;
        }
    }
    return NULL;
}
