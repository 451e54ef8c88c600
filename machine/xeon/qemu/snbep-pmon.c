/*
 * PMON block of a box: registers and counting logic
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "qemu/timer.h"
#include "snbep.h"
#include "traffic.h"

unsigned snbep_ctr_width(const SnbepBox *box, unsigned i)
{
    if (i == SNBEP_FIXED && box->type->kind == SNBEP_UBOX &&
        box->socket->uncore->trait[SNBEP_T_UBOX_FIXED]) {
        return 44;
    }
    return i == SNBEP_FIXED ? box->type->fixed_width : box->type->width;
}

uint64_t snbep_ctr_mask(const SnbepBox *box, unsigned i)
{
    return MAKE_64BIT_MASK(0, snbep_ctr_width(box, i));
}

static void ctr_add(SnbepBox *box, unsigned i, uint64_t n)
{
    box->ctr[i] = (box->ctr[i] + n) & snbep_ctr_mask(box, i);
}

/*
 * Section 2.1.1: frz takes effect only with frz_en. The UBox has neither. On
 * v2, Linux does not set frz_en.
 */
bool snbep_box_frozen(const SnbepBox *box)
{
    uint32_t bits = R_BOX_CTL_FRZ_MASK;

    if (box->socket->uncore->generation < 2) {
        bits |= R_BOX_CTL_FRZ_EN_MASK;
    }
    return (box->box_ctl & bits) == bits;
}

static unsigned ctl_thresh(const SnbepBox *box, uint32_t ctl)
{
    return extract32(ctl, R_PMON_CTL_THRESH_SHIFT, box->type->thresh_bits);
}

/* Return the event that a control register selects, or NULL. */
const SnbepEvent *snbep_ctl_event(const SnbepBox *box, uint32_t ctl)
{
    SnbepKind kind = box->type->kind;
    uint8_t code = FIELD_EX32(ctl, PMON_CTL, EV_SEL);
    bool ext = ctl & R_PMON_CTL_EXT_MASK;
    const SnbepEvent *e;

    if (ext && kind != SNBEP_QPI && kind != SNBEP_PCU) {
        return NULL;
    }
    e = snbep_event_find(kind, code, ext);
    /* Table 2-75: bit 7 of ev_sel combines an event with an occupancy. */
    if (!e && kind == SNBEP_PCU && (code & 0x80)) {
        e = snbep_event_find(kind, code & 0x7f, ext);
    }
    return e;
}

/*
 * Return the amount that a cycle adds: threshold, then invert, then edge
 * (section 1.4). Idle cycles separate injected ones, so each cycle above the
 * threshold is an edge. Edge and invert have no effect without threshold.
 */
static uint64_t ctl_adds(const SnbepBox *box, uint32_t ctl, uint32_t inc)
{
    unsigned thresh = ctl_thresh(box, ctl);

    if (!thresh) {
        return ctl & (R_PMON_CTL_EDGE_DET_MASK | R_PMON_CTL_INVERT_MASK) ?
               0 : inc;
    }
    if ((ctl & R_PMON_CTL_INVERT_MASK) && !(ctl & R_PMON_CTL_EDGE_DET_MASK)) {
        return inc < thresh;
    }
    return inc >= thresh;
}

/* Clocks occur in every cycle and have no edges. */
static bool ctl_clock_counts(const SnbepBox *box, uint32_t ctl)
{
    return !(ctl & R_PMON_CTL_EDGE_DET_MASK) && ctl_adds(box, ctl, 1);
}

/*
 * PCU with ev_sel[7] (section 2.6.3.2 and table 2-80): the threshold applies
 * to the selected occupancy, invert to the event, and the cycle counts when
 * both hold; without a threshold it adds the occupancy.
 */
static uint64_t occ_adds(const SnbepBox *box, uint32_t ctl, bool active,
                         const SnbepStim *stim)
{
    unsigned sel = FIELD_EX32(ctl, PMON_CTL, OCC_SEL);
    unsigned thresh = ctl_thresh(box, ctl);
    uint32_t occ = stim->occ[sel];

    if (ctl & R_PMON_CTL_INVERT_MASK) {
        active = !active;
    }
    if (!sel || !active) {
        return 0;
    }
    if (!thresh) {
        if (ctl & (R_PMON_CTL_OCC_EDGE_MASK | R_PMON_CTL_OCC_INVERT_MASK)) {
            return 0;
        }
        return ctl & R_PMON_CTL_EDGE_DET_MASK ? occ > 0 : occ;
    }
    if ((ctl & R_PMON_CTL_OCC_INVERT_MASK) &&
        !(ctl & R_PMON_CTL_OCC_EDGE_MASK)) {
        return occ < thresh;
    }
    return occ >= thresh;
}

/* Return whether a counter counts edges of the condition, not its cycles. */
static bool ctl_edges(const SnbepBox *box, uint32_t ctl)
{
    uint32_t edge = R_PMON_CTL_EDGE_DET_MASK;

    if (box->type->kind == SNBEP_PCU && (ctl & 0x80)) {
        edge |= R_PMON_CTL_OCC_EDGE_MASK;
    }
    return ctl & edge;
}

/* Cases 3 and 4 of table 2-80 */
static bool occ_passes(const SnbepBox *box, uint32_t ctl,
                       const uint32_t occ[4])
{
    unsigned sel = FIELD_EX32(ctl, PMON_CTL, OCC_SEL);
    bool passes = sel && occ[sel] >= MAX(ctl_thresh(box, ctl), 1);

    return ctl & R_PMON_CTL_OCC_INVERT_MASK ? !passes : passes;
}

static uint64_t cycle_adds(const SnbepBox *box, uint32_t ctl,
                           const SnbepEvent *event, const SnbepStim *stim)
{
    uint32_t inc = stim->inc;

    if (stim->changes) {
        return ctl_edges(box, ctl) && occ_passes(box, ctl, stim->occ) &&
               !occ_passes(box, ctl, stim->occ_before);
    }
    if (stim->lasts && ctl_edges(box, ctl)) {
        return 0;
    }
    /* Below the band's frequency, the event does not occur. */
    if (snbep_filter_is_band(event) &&
        !snbep_filter_band(box, event, stim->mhz)) {
        inc = 0;
    }
    if (box->type->kind == SNBEP_PCU && (ctl & 0x80)) {
        return occ_adds(box, ctl, event->code == 0x80 || inc, stim);
    }
    return ctl_adds(box, ctl, inc);
}

uint64_t snbep_clock_cycles(const SnbepBox *box, SnbepClock clock, int64_t ns)
{
    const SnbepUncore *u = box->socket->uncore;

    /* QPI ports may have different rates. */
    return muldiv64(ns, clock == SNBEP_QFCLK ? u->qpi_mhz[box->instance]
                                             : u->mhz[clock], 1000);
}

/* Update the counters of clock events and of the guest's traffic. */
void snbep_pmon_sync(SnbepBox *box)
{
    int64_t then = box->synced;
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    traffic_drain();
    if (box->type->kind == SNBEP_PCU) {
        now = traffic_power_drain(box->socket->id, now);
    }
    box->synced = now;
    if (snbep_box_frozen(box) || now <= then) {
        return;
    }
    for (int i = 0; i < box->type->ctrs; i++) {
        uint32_t ctl = box->ctl[i];
        const SnbepEvent *e;

        if (!(ctl & R_PMON_CTL_EN_MASK)) {
            continue;
        }
        e = snbep_ctl_event(box, ctl);
        if (e && e->clock && (e->ctrs & 1u << i) &&
            !(box->type->kind == SNBEP_PCU && (ctl & 0x80)) &&
            ctl_clock_counts(box, ctl)) {
            ctr_add(box, i, snbep_clock_cycles(box, e->clock, now) -
                            snbep_clock_cycles(box, e->clock, then));
        }
    }
    if (box->ctl[SNBEP_FIXED] & R_PMON_CTL_EN_MASK) {
        SnbepClock c = box->type->fixed_clock;

        ctr_add(box, SNBEP_FIXED, snbep_clock_cycles(box, c, now) -
                                  snbep_clock_cycles(box, c, then));
    }
}

/*
 * COUNTER0_OCCUPANCY (2.3.2.1): counters 1-3 see the occupancy that counter 0
 * captures, ahead of counter 0's own threshold.
 */
static bool counter0_captures(const SnbepBox *box, const SnbepStim *stim)
{
    uint32_t ctl = box->ctl[0];
    const SnbepEvent *e = snbep_ctl_event(box, ctl);

    return (ctl & R_PMON_CTL_EN_MASK) && e == stim->event && e->max_inc > 1 &&
           snbep_filter_match(box, ctl, e, stim);
}

/*
 * FREQ_BANDn_CYCLES (2.6.7): "The PMON control registers in the PCU only update
 * on a frequency transition". Trait pcu-filter: the filter takes effect then.
 */
void snbep_pcu_frequency(SnbepSocket *s, uint32_t mhz)
{
    SnbepBox *pcu = snbep_box_of_kind(s, SNBEP_PCU, 0);

    if (s->mhz != mhz) {
        s->mhz = mhz;
        pcu->bands = pcu->filter[0];
    }
}

void snbep_pmon_happen(SnbepBox *box, const SnbepStim *stim)
{
    if (box->type->kind == SNBEP_PCU) {
        snbep_pcu_frequency(box->socket, stim->mhz);
    }
    if (snbep_box_frozen(box)) {
        return;
    }
    for (int i = 0; i < box->type->ctrs; i++) {
        uint32_t ctl = box->ctl[i];
        const SnbepEvent *e = snbep_ctl_event(box, ctl);
        bool hit;

        if (!(ctl & R_PMON_CTL_EN_MASK) || !e || !(e->ctrs & 1u << i)) {
            continue;
        }
        hit = e == stim->event && snbep_filter_match(box, ctl, e, stim);
        if (box->type->kind == SNBEP_CBOX && e->code == 0x1f) {
            hit = hit || counter0_captures(box, stim);
        }
        if (hit) {
            ctr_add(box, i, stim->count * cycle_adds(box, ctl, e, stim));
        }
    }
}

/* @addr: offset in a function, or an MSR of the first instance */
static bool find_reg(const SnbepBoxType *t, bool filter_fn, uint32_t addr,
                     SnbepReg *reg)
{
    const struct {
        SnbepRegKind kind;
        unsigned index;
        uint32_t first;
        unsigned nr;
    } ranges[] = {
        { SNBEP_R_CTL, 0, t->ctl_addr, t->ctrs },
        { SNBEP_R_CTR, 0, t->ctr_addr, t->ctrs },
        { SNBEP_R_BOX_CTL, 0, t->box_ctl_addr, !!t->box_ctl_addr },
        { SNBEP_R_CTL, SNBEP_FIXED, t->fixed_ctl_addr, !!t->fixed_ctl_addr },
        { SNBEP_R_CTR, SNBEP_FIXED, t->fixed_ctr_addr, !!t->fixed_ctl_addr },
    };

    for (int i = 0; !filter_fn && i < ARRAY_SIZE(ranges); i++) {
        bool ctr = ranges[i].kind == SNBEP_R_CTR;
        unsigned size = t->msr ? 1 : ctr ? 8 : 4;
        uint32_t from = addr - ranges[i].first;

        if (from / size < ranges[i].nr && (ctr || !(from % size))) {
            *reg = (SnbepReg) {
                ranges[i].kind, ranges[i].index + from / size, from % size >= 4
            };
            return true;
        }
    }
    for (int i = 0; i < t->nr_filters; i++) {
        if (addr == t->filter[i].addr &&
            filter_fn == (t->filter[i].space == SNBEP_EXT)) {
            *reg = (SnbepReg) { SNBEP_R_FILTER, i };
            return true;
        }
    }
    return false;
}

bool snbep_find_msr(SnbepSocket *s, uint32_t msr, SnbepBox **box,
                    SnbepReg *reg)
{
    for (*box = s->box; *box < s->box + SNBEP_BOXES; (*box)++) {
        const SnbepBoxType *t = (*box)->type;

        if (t->msr &&
            find_reg(t, false, msr - t->step * (*box)->instance, reg)) {
            return true;
        }
    }
    return false;
}

bool snbep_find_pci(SnbepBox *box, bool filter_fn, uint32_t addr,
                    SnbepReg *reg)
{
    return find_reg(box->type, filter_fn, addr, reg);
}

char *snbep_reg_name(const SnbepBox *box, SnbepReg reg)
{
    const SnbepBoxType *t = box->type;
    g_autofree char *n = g_strdup_printf("%d", box->instance);
    char **parts = g_strsplit(t->reg_prefix, "%d", 2);
    g_autofree char *prefix = g_strjoinv(n, parts);
    const char *what = reg.kind == SNBEP_R_CTR ? "CTR" : "CTL";

    g_strfreev(parts);
    if (reg.kind == SNBEP_R_BOX_CTL) {
        return g_strdup_printf("%sBOX_CTL", prefix);
    }
    if (reg.kind == SNBEP_R_FILTER) {
        return g_strdup_printf("%s%s", prefix, t->filter[reg.index].name);
    }
    if (reg.index == SNBEP_FIXED) {
        return g_strdup_printf("%s%sFIXED_%s", prefix,
                               t->kind == SNBEP_UBOX ? "UCLK_" : "", what);
    }
    return g_strdup_printf("%s%s%d", prefix, what, reg.index);
}

unsigned snbep_box_regs(const SnbepBox *box, SnbepReg regs[SNBEP_MAX_REGS])
{
    const SnbepBoxType *t = box->type;
    unsigned n = 0;

    if (t->box_ctl_addr) {
        regs[n++] = (SnbepReg) { SNBEP_R_BOX_CTL };
    }
    for (int i = 0; i < t->ctrs; i++) {
        regs[n++] = (SnbepReg) { SNBEP_R_CTL, i };
    }
    for (int i = 0; i < t->ctrs; i++) {
        regs[n++] = (SnbepReg) { SNBEP_R_CTR, i };
    }
    if (t->fixed_ctl_addr) {
        regs[n++] = (SnbepReg) { SNBEP_R_CTL, SNBEP_FIXED };
        regs[n++] = (SnbepReg) { SNBEP_R_CTR, SNBEP_FIXED };
    }
    for (int i = 0; i < t->nr_filters; i++) {
        regs[n++] = (SnbepReg) { SNBEP_R_FILTER, i };
    }
    return n;
}

static uint64_t half(const SnbepBox *box, SnbepReg reg, uint64_t v)
{
    if (box->type->msr) {
        return v;
    }
    return reg.high ? v >> 32 : (uint32_t)v;
}

uint64_t snbep_reg_peek(SnbepBox *box, SnbepReg reg)
{
    switch (reg.kind) {
    case SNBEP_R_BOX_CTL:
        return box->box_ctl;
    case SNBEP_R_CTL:
        return box->ctl[reg.index];
    case SNBEP_R_CTR:
        snbep_pmon_sync(box);
        return box->ctr[reg.index];
    case SNBEP_R_FILTER:
        return box->filter[reg.index];
    }
    g_assert_not_reached();
}

static uint64_t ctr_read(SnbepBox *box, SnbepReg reg)
{
    SnbepTear *tear = &box->tear[reg.index];
    uint64_t v;

    box->ctr_fresh[reg.index] = true;
    v = half(box, reg, snbep_noisy(box->socket->uncore,
                                   snbep_reg_peek(box, reg),
                                   snbep_ctr_mask(box, reg.index)));

    if (tear->armed && tear->high == reg.high) {
        tear->armed = false;
        box->ctr[reg.index] = tear->value;
    }
    return v;
}

const SnbepFields *snbep_reg_fields(const SnbepBox *box, SnbepReg reg)
{
    const SnbepBoxType *t = box->type;

    switch (reg.kind) {
    case SNBEP_R_BOX_CTL:
        return &t->box_ctl;
    case SNBEP_R_CTL:
        return reg.index == SNBEP_FIXED ? &t->fixed_ctl : &t->ctl;
    case SNBEP_R_FILTER:
        return &t->filter[reg.index].fields;
    default:
        g_assert_not_reached();
    }
}

uint64_t snbep_reg_read(SnbepBox *box, SnbepReg reg)
{
    SnbepUncore *u = box->socket->uncore;
    const SnbepFields *f;
    uint64_t v, defined;

    u->subscriber(box, SNBEP_READ, reg, 0);
    if (reg.kind == SNBEP_R_CTR) {
        return ctr_read(box, reg);
    }
    f = snbep_reg_fields(box, reg);
    v = snbep_reg_peek(box, reg);
    defined = f->rw | f->wo;
    /* Trait pcu-ext: bit 21 of the PCU reads as 0. */
    if (box->type->kind == SNBEP_PCU && reg.kind == SNBEP_R_CTL) {
        defined |= R_PMON_CTL_EXT_MASK;
    }
    /* The stored value is in effect, independent of the value read. */
    if (u->trait[SNBEP_T_CTL_EN] && reg.kind == SNBEP_R_CTL) {
        v &= ~(uint64_t)R_PMON_CTL_EN_MASK;
    }
    v = (v & ~(uint64_t)f->wo) | snbep_write_only(u, v & f->wo, f->wo);
    return half(box, reg, snbep_noisy(u, v, defined));
}

/* Table 2-9 and others: both reset bits clear themselves. */
static void box_ctl_store(SnbepBox *box, uint32_t value)
{
    const SnbepFields *f = &box->type->box_ctl;

    if (value & f->wo & R_BOX_CTL_RST_CTRL_MASK) {
        memset(box->ctl, 0, box->type->ctrs * sizeof(box->ctl[0]));
        memset(box->ctl_poked, false, box->type->ctrs);
    }
    if (value & f->wo & R_BOX_CTL_RST_CTRS_MASK) {
        memset(box->ctr, 0, box->type->ctrs * sizeof(box->ctr[0]));
        memset(box->ctr_fresh, true, box->type->ctrs);
    }
    box->box_ctl = value & (R_BOX_CTL_FRZ_EN_MASK | R_BOX_CTL_FRZ_MASK);
}

static void ctl_store(SnbepBox *box, SnbepReg reg, uint32_t value)
{
    const SnbepFields *f = snbep_reg_fields(box, reg);
    uint32_t rw = f->rw;

    if (box->type->kind == SNBEP_PCU &&
        box->socket->uncore->trait[SNBEP_T_PCU_EXT] == SNBEP_EXT_STICK) {
        rw |= R_PMON_CTL_EXT_MASK;
    }
    /* rst is the only bit of a control that is write-only. */
    if (value & f->wo) {
        box->ctr[reg.index] = 0;
        box->ctr_fresh[reg.index] = true;
    }
    box->ctl[reg.index] = value & rw;
}

/* Effect of a write. Counters are written as a whole. */
static void reg_store(SnbepBox *box, SnbepReg reg, uint64_t value, bool poked)
{
    snbep_pmon_sync(box);
    switch (reg.kind) {
    case SNBEP_R_BOX_CTL:
        box_ctl_store(box, value);
        break;
    case SNBEP_R_CTL:
        ctl_store(box, reg, value);
        box->ctl_poked[reg.index] = poked;
        break;
    case SNBEP_R_CTR:
        box->ctr_fresh[reg.index] = true;
        box->ctr[reg.index] = value & snbep_ctr_mask(box, reg.index);
        break;
    case SNBEP_R_FILTER:
        box->filter[reg.index] = value & snbep_reg_fields(box, reg)->rw;
        box->filter_poked[reg.index] = poked;
        if (!box->socket->uncore->trait[SNBEP_T_PCU_FILTER]) {
            box->bands = box->filter[0];
        }
        break;
    }
}

void snbep_reg_poke(SnbepBox *box, SnbepReg reg, uint64_t value)
{
    reg_store(box, reg, value, true);
}

void snbep_reg_write(SnbepBox *box, SnbepReg reg, uint64_t value)
{
    SnbepUncore *u = box->socket->uncore;

    u->subscriber(box, SNBEP_WRITE, reg, value);
    if (!box->type->msr && reg.kind == SNBEP_R_CTR) {
        value = deposit64(snbep_reg_peek(box, reg), reg.high ? 32 : 0, 32,
                          value);
    }
    reg_store(box, reg, value, false);
    u->subscriber(box, SNBEP_WRITTEN, reg, value);
}

/* Hardware reset: every register of the guide is 0. */
void snbep_pmon_reset(SnbepBox *box)
{
    memset(&box->reset_fields, 0,
           offsetof(SnbepBox, end_reset_fields) -
           offsetof(SnbepBox, reset_fields));
    box->synced = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

void snbep_socket_reset(SnbepSocket *s)
{
    traffic_drain();
    for (int b = 0; b < SNBEP_BOXES; b++) {
        snbep_pmon_reset(&s->box[b]);
    }
    memset(s->residency, 0, sizeof(s->residency));
}
