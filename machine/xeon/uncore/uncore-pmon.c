/*
 * PMON block of a box: registers and counting logic
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/host-utils.h"
#include "qemu/timer.h"
#include "uncore.h"

unsigned uncore_ctr_width(const UncoreBox *box, unsigned i)
{
    if (i == UNCORE_FIXED && box->type->kind == UNCORE_UBOX &&
        box->socket->uncore->trait[UNCORE_T_UBOX_FIXED]) {
        return 44;
    }
    return i == UNCORE_FIXED ? box->type->fixed_width : box->type->width;
}

uint64_t uncore_ctr_mask(const UncoreBox *box, unsigned i)
{
    return MAKE_64BIT_MASK(0, uncore_ctr_width(box, i));
}

static void ctr_add(UncoreBox *box, unsigned i, uint64_t n)
{
    box->ctr[i] = (box->ctr[i] + n) & uncore_ctr_mask(box, i);
}

/*
 * Section 2.1.1: frz takes effect only with frz_en. The UBox has neither. On
 * v2, Linux does not set frz_en.
 */
bool uncore_box_frozen(const UncoreBox *box)
{
    uint32_t bits = R_BOX_CTL_FRZ_MASK;

    if (box->socket->uncore->generation < 2) {
        bits |= R_BOX_CTL_FRZ_EN_MASK;
    }
    return (box->box_ctl & bits) == bits;
}

static unsigned ctl_thresh(const UncoreBox *box, uint32_t ctl)
{
    return extract32(ctl, R_PMON_CTL_THRESH_SHIFT, box->type->thresh_bits);
}

/* Return the event that a control register selects, or NULL. */
const UncoreEvent *uncore_ctl_event(const UncoreBox *box, uint32_t ctl)
{
    UncoreKind kind = box->type->kind;
    uint8_t code = FIELD_EX32(ctl, PMON_CTL, EV_SEL);
    bool ext = ctl & R_PMON_CTL_EXT_MASK;
    const UncoreEvent *e;

    if (ext && kind != UNCORE_QPI && kind != UNCORE_PCU) {
        return NULL;
    }
    e = uncore_event_find(box, code, ext);
    /* Table 2-75: bit 7 of ev_sel combines an event with an occupancy. */
    if (!e && kind == UNCORE_PCU && (code & 0x80)) {
        e = uncore_event_find(box, code & 0x7f, ext);
    }
    return e;
}

/*
 * Return the amount that a cycle adds: threshold, then invert, then edge
 * (section 1.4). Idle cycles separate injected ones, so each cycle above the
 * threshold is an edge. Edge and invert have no effect without threshold.
 */
uint64_t uncore_cycle_adds(unsigned thresh, uint32_t ctl, uint32_t inc)
{
    if (!thresh) {
        return ctl & (R_PMON_CTL_EDGE_DET_MASK | R_PMON_CTL_INVERT_MASK) ?
               0 : inc;
    }
    if ((ctl & R_PMON_CTL_INVERT_MASK) && !(ctl & R_PMON_CTL_EDGE_DET_MASK)) {
        return inc < thresh;
    }
    return inc >= thresh;
}

static uint64_t ctl_adds(const UncoreBox *box, uint32_t ctl, uint32_t inc)
{
    return uncore_cycle_adds(ctl_thresh(box, ctl), ctl, inc);
}

/* Clocks occur in every cycle and have no edges. */
static bool ctl_clock_counts(const UncoreBox *box, uint32_t ctl)
{
    return !(ctl & R_PMON_CTL_EDGE_DET_MASK) && ctl_adds(box, ctl, 1);
}

/*
 * PCU with ev_sel[7] (section 2.6.3.2 and table 2-80): the threshold applies
 * to the selected occupancy, invert to the event, and the cycle counts when
 * both hold; without a threshold it adds the occupancy.
 */
static uint64_t occ_adds(const UncoreBox *box, uint32_t ctl, bool active,
                         const UncoreStim *stim)
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
static bool ctl_edges(const UncoreBox *box, uint32_t ctl)
{
    uint32_t edge = R_PMON_CTL_EDGE_DET_MASK;

    if (box->type->kind == UNCORE_PCU && (ctl & 0x80)) {
        edge |= R_PMON_CTL_OCC_EDGE_MASK;
    }
    return ctl & edge;
}

static uint64_t cycle_adds(const UncoreBox *box, uint32_t ctl,
                           const UncoreEvent *event, const UncoreStim *stim)
{
    uint32_t inc = stim->inc;

    if (stim->lasts && ctl_edges(box, ctl)) {
        return 0;
    }
    /* Below the band's frequency, the event does not occur. */
    if (uncore_filter_is_band(event) &&
        !uncore_filter_band(box, event, stim->mhz)) {
        inc = 0;
    }
    if (box->type->kind == UNCORE_PCU && (ctl & 0x80)) {
        return occ_adds(box, ctl, event->code == 0x80 || inc, stim);
    }
    return ctl_adds(box, ctl, inc);
}

uint64_t uncore_clock_cycles(const UncoreBox *box, UncoreClock clock,
                             int64_t ns)
{
    const UncoreModel *u = box->socket->uncore;

    /* QPI ports may have different rates. */
    return muldiv64(ns, clock == UNCORE_QFCLK ? u->qpi_mhz[box->instance]
                                             : u->mhz[clock], 1000);
}

/* Update the counters of clock events and of pending ones. */
void uncore_pmon_sync(UncoreBox *box)
{
    const UncoreModel *u = box->socket->uncore;
    int64_t then = box->synced;
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);

    if (u->pending) {
        now = u->pending(box, now);
    }
    box->synced = now;
    if (uncore_box_frozen(box) || now <= then) {
        return;
    }
    for (int i = 0; i < box->type->ctrs; i++) {
        uint32_t ctl = box->ctl[i];
        const UncoreEvent *e;

        if (!(ctl & R_PMON_CTL_EN_MASK)) {
            continue;
        }
        e = uncore_ctl_event(box, ctl);
        if (e && e->clock && (e->ctrs & 1u << i) &&
            !(box->type->kind == UNCORE_PCU && (ctl & 0x80)) &&
            ctl_clock_counts(box, ctl)) {
            ctr_add(box, i, uncore_clock_cycles(box, e->clock, now) -
                            uncore_clock_cycles(box, e->clock, then));
        }
    }
    if (box->ctl[UNCORE_FIXED] & R_PMON_CTL_EN_MASK) {
        UncoreClock c = box->type->fixed_clock;

        ctr_add(box, UNCORE_FIXED, uncore_clock_cycles(box, c, now) -
                                  uncore_clock_cycles(box, c, then));
    }
}

/*
 * COUNTER0_OCCUPANCY (2.3.2.1): counters 1-3 see the occupancy that counter 0
 * captures, ahead of counter 0's own threshold.
 */
static bool counter0_captures(const UncoreBox *box, const UncoreStim *stim)
{
    uint32_t ctl = box->ctl[0];
    const UncoreEvent *e = uncore_ctl_event(box, ctl);

    return (ctl & R_PMON_CTL_EN_MASK) && e == stim->event && e->max_inc > 1 &&
           uncore_filter_match(box, ctl, e, stim);
}

/*
 * FREQ_BANDn_CYCLES (2.6.7): "The PMON control registers in the PCU only update
 * on a frequency transition". Trait pcu-filter: the filter takes effect then.
 */
void uncore_pcu_frequency(UncoreSocket *s, uint32_t mhz)
{
    UncoreBox *pcu = uncore_box_of_kind(s, UNCORE_PCU, 0);

    if (s->mhz != mhz) {
        s->mhz = mhz;
        pcu->bands = pcu->filter[0];
    }
}

void uncore_pmon_happen(UncoreBox *box, const UncoreStim *stim)
{
    if (box->type->kind == UNCORE_PCU) {
        uncore_pcu_frequency(box->socket, stim->mhz);
    }
    if (uncore_box_frozen(box)) {
        return;
    }
    for (int i = 0; i < box->type->ctrs; i++) {
        uint32_t ctl = box->ctl[i];
        const UncoreEvent *e = uncore_ctl_event(box, ctl);
        bool hit;

        if (!(ctl & R_PMON_CTL_EN_MASK) || !e || !(e->ctrs & 1u << i)) {
            continue;
        }
        hit = e == stim->event && uncore_filter_match(box, ctl, e, stim);
        if (box->type->kind == UNCORE_CBOX && e->code == 0x1f) {
            hit = hit || counter0_captures(box, stim);
        }
        if (hit) {
            ctr_add(box, i, stim->count * cycle_adds(box, ctl, e, stim));
        }
    }
}

/* @addr: offset in a function, or an MSR of the first instance */
static bool find_reg(const UncoreBoxType *t, bool filter_fn, uint32_t addr,
                     UncoreReg *reg)
{
    const struct {
        UncoreRegKind kind;
        unsigned index;
        uint32_t first;
        unsigned nr;
    } ranges[] = {
        { UNCORE_R_CTL, 0, t->ctl_addr, t->ctrs },
        { UNCORE_R_CTR, 0, t->ctr_addr, t->ctr_gap ?: t->ctrs },
        { UNCORE_R_CTR, t->ctr_gap, t->ctr_addr + 8 * (t->ctr_gap + 1),
          t->ctr_gap ? t->ctrs - t->ctr_gap : 0 },
        { UNCORE_R_BOX_CTL, 0, t->box_ctl_addr, !!t->box_ctl_addr },
        { UNCORE_R_CTL, UNCORE_FIXED, t->fixed_ctl_addr, !!t->fixed_ctl_addr },
        { UNCORE_R_CTR, UNCORE_FIXED, t->fixed_ctr_addr, !!t->fixed_ctl_addr },
    };

    for (int i = 0; !filter_fn && i < ARRAY_SIZE(ranges); i++) {
        bool ctr = ranges[i].kind == UNCORE_R_CTR;
        unsigned size = t->msr ? 1 : ctr ? 8 : 4;
        uint32_t from = addr - ranges[i].first;

        if (from / size < ranges[i].nr && (ctr || !(from % size))) {
            *reg = (UncoreReg) {
                ranges[i].kind, ranges[i].index + from / size, from % size >= 4
            };
            return true;
        }
    }
    for (int i = 0; i < t->nr_filters; i++) {
        if (addr == t->filter[i].addr &&
            filter_fn == (t->filter[i].space == UNCORE_EXT)) {
            *reg = (UncoreReg) { UNCORE_R_FILTER, i };
            return true;
        }
    }
    return false;
}

bool uncore_find_msr(UncoreSocket *s, uint32_t msr, UncoreBox **box,
                     UncoreReg *reg)
{
    for (*box = s->box; *box < s->box + s->boxes; (*box)++) {
        const UncoreBoxType *t = (*box)->type;

        if (t->msr &&
            find_reg(t, false, msr - t->step * (*box)->instance, reg)) {
            return true;
        }
    }
    return false;
}

bool uncore_find_pci(UncoreBox *box, bool filter_fn, uint32_t addr,
                     UncoreReg *reg)
{
    return find_reg(box->type, filter_fn, addr, reg);
}

char *uncore_reg_name(const UncoreBox *box, UncoreReg reg)
{
    const UncoreBoxType *t = box->type;
    g_autofree char *n = g_strdup_printf("%d", box->instance);
    char **parts = g_strsplit(t->reg_prefix, "%d", 2);
    g_autofree char *prefix = g_strjoinv(n, parts);
    const char *what = reg.kind == UNCORE_R_CTR ? "CTR" : "CTL";

    g_strfreev(parts);
    if (reg.kind == UNCORE_R_NONE) {
        return g_strdup_printf("offset_0x%x", reg.offset);
    }
    if (reg.kind == UNCORE_R_BOX_CTL) {
        return g_strdup_printf("%sBOX_CTL", prefix);
    }
    if (reg.kind == UNCORE_R_FILTER) {
        return g_strdup_printf("%s%s", prefix, t->filter[reg.index].name);
    }
    if (reg.index == UNCORE_FIXED) {
        return g_strdup_printf("%s%sFIXED_%s", prefix,
                               t->kind == UNCORE_UBOX ? "UCLK_" : "", what);
    }
    return g_strdup_printf("%s%s%d", prefix, what, reg.index);
}

unsigned uncore_box_regs(const UncoreBox *box, UncoreReg regs[UNCORE_MAX_REGS])
{
    const UncoreBoxType *t = box->type;
    unsigned n = 0;

    if (t->box_ctl_addr) {
        regs[n++] = (UncoreReg) { UNCORE_R_BOX_CTL };
    }
    for (int i = 0; i < t->ctrs; i++) {
        regs[n++] = (UncoreReg) { UNCORE_R_CTL, i };
    }
    for (int i = 0; i < t->ctrs; i++) {
        regs[n++] = (UncoreReg) { UNCORE_R_CTR, i };
    }
    if (t->fixed_ctl_addr) {
        regs[n++] = (UncoreReg) { UNCORE_R_CTL, UNCORE_FIXED };
        regs[n++] = (UncoreReg) { UNCORE_R_CTR, UNCORE_FIXED };
    }
    for (int i = 0; i < t->nr_filters; i++) {
        regs[n++] = (UncoreReg) { UNCORE_R_FILTER, i };
    }
    return n;
}

static uint64_t half(const UncoreBox *box, UncoreReg reg, uint64_t v)
{
    if (box->type->msr) {
        return v;
    }
    return reg.high ? v >> 32 : (uint32_t)v;
}

uint64_t uncore_reg_peek(UncoreBox *box, UncoreReg reg)
{
    switch (reg.kind) {
    case UNCORE_R_BOX_CTL:
        return box->box_ctl;
    case UNCORE_R_CTL:
        return box->ctl[reg.index];
    case UNCORE_R_CTR:
        uncore_pmon_sync(box);
        return box->ctr[reg.index];
    case UNCORE_R_FILTER:
        return box->filter[reg.index];
    default:
        g_assert_not_reached();
    }
}

static uint64_t ctr_read(UncoreBox *box, UncoreReg reg)
{
    UncoreTear *tear = &box->tear[reg.index];
    uint64_t v;

    v = half(box, reg, uncore_noisy(box->socket->uncore,
                                    uncore_reg_peek(box, reg),
                                    uncore_ctr_mask(box, reg.index)));

    if (tear->armed && tear->high == reg.high) {
        tear->armed = false;
        box->ctr[reg.index] = tear->value;
    }
    return v;
}

const UncoreFields *uncore_reg_fields(const UncoreBox *box, UncoreReg reg)
{
    const UncoreBoxType *t = box->type;

    switch (reg.kind) {
    case UNCORE_R_BOX_CTL:
        return &t->box_ctl;
    case UNCORE_R_CTL:
        return reg.index == UNCORE_FIXED ? &t->fixed_ctl : &t->ctl;
    case UNCORE_R_FILTER:
        return &t->filter[reg.index].fields;
    default:
        g_assert_not_reached();
    }
}

uint64_t uncore_reg_read(UncoreBox *box, UncoreReg reg)
{
    UncoreModel *u = box->socket->uncore;
    const UncoreFields *f;
    uint64_t v, defined;

    u->subscriber(box, UNCORE_READ, reg, 0);
    if (reg.kind == UNCORE_R_CTR) {
        return ctr_read(box, reg);
    }
    f = uncore_reg_fields(box, reg);
    v = uncore_reg_peek(box, reg);
    defined = f->rw | f->wo;
    /* Trait pcu-ext: bit 21 of the PCU reads as 0. */
    if (box->type->kind == UNCORE_PCU && reg.kind == UNCORE_R_CTL) {
        defined |= R_PMON_CTL_EXT_MASK;
    }
    /* The stored value is in effect, independent of the value read. */
    if (u->trait[UNCORE_T_CTL_EN] && reg.kind == UNCORE_R_CTL) {
        v &= ~(uint64_t)R_PMON_CTL_EN_MASK;
    }
    v = (v & ~(uint64_t)f->wo) | uncore_write_only(u, v & f->wo, f->wo);
    return half(box, reg, uncore_noisy(u, v, defined));
}

/* Table 2-9 and others: both reset bits clear themselves. */
static void box_ctl_store(UncoreBox *box, uint32_t value)
{
    const UncoreFields *f = &box->type->box_ctl;

    if (value & f->wo & R_BOX_CTL_RST_CTRL_MASK) {
        memset(box->ctl, 0, box->type->ctrs * sizeof(box->ctl[0]));
    }
    if (value & f->wo & R_BOX_CTL_RST_CTRS_MASK) {
        memset(box->ctr, 0, box->type->ctrs * sizeof(box->ctr[0]));
    }
    box->box_ctl = value & (R_BOX_CTL_FRZ_EN_MASK | R_BOX_CTL_FRZ_MASK);
}

static void ctl_store(UncoreBox *box, UncoreReg reg, uint32_t value)
{
    const UncoreFields *f = uncore_reg_fields(box, reg);
    uint32_t rw = f->rw;

    if (box->type->kind == UNCORE_PCU &&
        box->socket->uncore->trait[UNCORE_T_PCU_EXT] == UNCORE_EXT_STICK) {
        rw |= R_PMON_CTL_EXT_MASK;
    }
    /* rst is the only bit of a control that is write-only. */
    if (value & f->wo) {
        box->ctr[reg.index] = 0;
    }
    box->ctl[reg.index] = value & rw;
}

/* Effect of a write. Counters are written as a whole. */
static void reg_store(UncoreBox *box, UncoreReg reg, uint64_t value)
{
    uncore_pmon_sync(box);
    switch (reg.kind) {
    case UNCORE_R_BOX_CTL:
        box_ctl_store(box, value);
        break;
    case UNCORE_R_CTL:
        ctl_store(box, reg, value);
        break;
    case UNCORE_R_CTR:
        box->ctr[reg.index] = value & uncore_ctr_mask(box, reg.index);
        break;
    case UNCORE_R_FILTER:
        box->filter[reg.index] = value & uncore_reg_fields(box, reg)->rw;
        if (!box->socket->uncore->trait[UNCORE_T_PCU_FILTER]) {
            box->bands = box->filter[0];
        }
        break;
    case UNCORE_R_NONE:
        g_assert_not_reached();
    }
}

void uncore_reg_poke(UncoreBox *box, UncoreReg reg, uint64_t value)
{
    reg_store(box, reg, value);
    box->socket->uncore->subscriber(box, UNCORE_POKED, reg, value);
}

void uncore_reg_write(UncoreBox *box, UncoreReg reg, uint64_t value)
{
    UncoreModel *u = box->socket->uncore;

    u->subscriber(box, UNCORE_WRITE, reg, value);
    if (!box->type->msr && reg.kind == UNCORE_R_CTR) {
        value = deposit64(uncore_reg_peek(box, reg), reg.high ? 32 : 0, 32,
                          value);
    }
    reg_store(box, reg, value);
    u->subscriber(box, UNCORE_WRITTEN, reg, value);
}

/* Hardware reset: every register of the guide is 0. */
void uncore_pmon_reset(UncoreBox *box)
{
    memset(&box->reset_fields, 0,
           offsetof(UncoreBox, end_reset_fields) -
           offsetof(UncoreBox, reset_fields));
    box->synced = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}

void uncore_socket_reset(UncoreSocket *s)
{
    for (int b = 0; b < s->boxes; b++) {
        uncore_pmon_reset(&s->box[b]);
    }
}
