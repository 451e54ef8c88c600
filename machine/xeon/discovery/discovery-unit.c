/*
 * Registers of a unit, counting, and the protocol checker's rules for them
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/host-utils.h"
#include "qemu/range.h"
#include "qemu/timer.h"
#include "discovery.h"
#include "uncore.h"

/* The unit's control, as Linux has it (uncore_discovery.h) */
#define BOX_FRZ             BIT(0)
#define BOX_RST_CTRL        BIT(8)
#define BOX_RST_CTRS        BIT(9)
/* Without discovery tables (uncore_snbep.c), up to Ice Lake */
#define BOX_E5_FRZ          BIT(8)
#define BOX_E5_RST_CTRL     BIT(0)
#define BOX_E5_RST_CTRS     BIT(1)

/* Event of a clock */
static unsigned clock_event(const DiscUnit *u)
{
    return u->e5 ? 0 : 1;
}

typedef struct DiscReg {
    enum { BOX_CTL, CONTROL, COUNTER, FILTER } kind;
    unsigned index;
    unsigned shift;         /* of the access in the register, in bits */
} DiscReg;

/* Registers of a kind: @index is that of the first one, at offset @first. */
typedef struct DiscRegs {
    unsigned kind, index, first, nr, size;
} DiscRegs;

#define RANGES      6

uint64_t disc_unit_mask(const DiscUnit *u)
{
    return MAKE_64BIT_MASK(0, u->width);
}

static void registers(const DiscUnit *u, DiscRegs regs[RANGES])
{
    unsigned ctr_size = u->access == DISC_MSR ? 1 : 8;
    unsigned fixed = !!u->fixed_ctr, controls = u->controls ? u->counters : 0;
    unsigned box_size = u->access == DISC_MSR ? 1 : 4;
    const DiscRegs all[RANGES] = {
        { BOX_CTL, 0, u->box_ctl_off, u->box, box_size },
        { CONTROL, 0, u->ctl, controls, u->step },
        { FILTER, 0, u->filter_off, u->filters, box_size },
        { COUNTER, 0, u->ctr, u->counters, ctr_size },
        { CONTROL, DISC_FIXED, u->fixed_ctl, fixed, MIN(u->step, 4) },
        { COUNTER, DISC_FIXED, u->fixed_ctr, fixed, ctr_size },
    };

    memcpy(regs, all, sizeof(all));
}

unsigned disc_unit_extent(const DiscUnit *u)
{
    DiscRegs regs[RANGES];
    unsigned end = 0;

    registers(u, regs);
    for (int i = 0; i < RANGES; i++) {
        if (regs[i].nr) {
            end = MAX(end, regs[i].first + regs[i].nr * regs[i].size);
        }
    }
    return end;
}

static bool overlap(const DiscRegs *a, uint64_t a_addr, const DiscRegs *b,
                    uint64_t b_addr)
{
    return a->nr && b->nr &&
           ranges_overlap(a_addr + a->first, a->nr * a->size,
                          b_addr + b->first, b->nr * b->size);
}

bool disc_unit_overlaps(const DiscUnit *u)
{
    DiscRegs regs[RANGES];

    registers(u, regs);
    for (int i = 0; i < RANGES; i++) {
        for (int j = 0; j < i; j++) {
            if (overlap(&regs[i], 0, &regs[j], 0)) {
                return true;
            }
        }
    }
    return false;
}

bool disc_units_overlap(const DiscUnit *a, const DiscUnit *b)
{
    DiscRegs ra[RANGES], rb[RANGES];

    registers(a, ra);
    registers(b, rb);
    for (int i = 0; i < RANGES; i++) {
        for (int j = 0; j < RANGES; j++) {
            if (overlap(&ra[i], a->addr, &rb[j], b->addr)) {
                return true;
            }
        }
    }
    return false;
}

/* Find the register in which @size bytes at @off are, or the MSR at @off. */
static bool find_reg(const DiscUnit *u, uint64_t off, unsigned size,
                     DiscReg *reg)
{
    DiscRegs regs[RANGES];

    registers(u, regs);
    for (const DiscRegs *r = regs; r < regs + RANGES; r++) {
        uint64_t from = off - r->first;

        if (off >= r->first && from / r->size < r->nr) {
            unsigned at = from % r->size;

            *reg = (DiscReg) { r->kind, r->index + from / r->size, 8 * at };
            return at + size <= r->size || !size;
        }
    }
    return false;
}

bool disc_unit_has(const DiscUnit *u, uint64_t off)
{
    DiscReg reg;

    return find_reg(u, off, 0, &reg);
}

bool disc_unit_runs(const DiscUnit *u, unsigned i)
{
    bool enable = i == DISC_FIXED || u->e5;

    if (!u->controls && i != DISC_FIXED) {
        return true;
    }
    return !(u->listed && u->die->table[u->table].frozen) &&
           !(u->box_ctl & (u->e5 ? BOX_E5_FRZ : BOX_FRZ)) &&
           (enable ? u->control[i] & R_PMON_CTL_EN_MASK : u->control[i]);
}

static void add(DiscUnit *u, unsigned i, uint64_t n)
{
    u->counter[i] = (u->counter[i] + n) & disc_unit_mask(u);
}

static unsigned thresh(uint64_t control)
{
    return FIELD_EX64(control, PMON_CTL, THRESH);
}

/* Advance the counters of clocks. */
void disc_unit_sync(DiscUnit *u)
{
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    uint64_t n = muldiv64(now, u->mhz, 1000) -
                 muldiv64(u->synced, u->mhz, 1000);

    u->synced = now;
    for (int i = 0; u->mhz && i < u->counters; i++) {
        uint64_t c = u->control[i];

        if (disc_unit_runs(u, i) &&
            (!u->controls ||
             (FIELD_EX64(c, PMON_CTL, EV_SEL) == clock_event(u) &&
              !(c & R_PMON_CTL_EDGE_DET_MASK) &&
              uncore_cycle_adds(thresh(c), c, 1)))) {
            add(u, i, n);
        }
    }
    if (u->fixed_ctr && disc_unit_runs(u, DISC_FIXED)) {
        add(u, DISC_FIXED, n);
    }
}

void disc_unit_happen(DiscUnit *u, unsigned event, uint64_t umask,
                      uint64_t count, unsigned inc)
{
    for (int i = 0; i < u->counters; i++) {
        uint64_t c = u->control[i];
        uint64_t selected = FIELD_EX64(c, PMON_CTL, UMASK) | c >> 32 << 8;

        if (disc_unit_runs(u, i) && FIELD_EX64(c, PMON_CTL, EV_SEL) == event &&
            (!umask || (umask & selected))) {
            add(u, i, count * uncore_cycle_adds(thresh(c), c, inc));
        }
    }
}

/* NULL: the unit's control */
static uint64_t *value_of(DiscUnit *u, DiscReg reg)
{
    return reg.kind == BOX_CTL ? NULL :
           reg.kind == CONTROL ? &u->control[reg.index] :
           reg.kind == FILTER ? &u->filter[reg.index] :
                                &u->counter[reg.index];
}

bool disc_unit_read(DiscUnit *u, uint64_t off, unsigned size, uint64_t *value)
{
    DiscReg reg;
    uint64_t *from;

    if (!find_reg(u, off, size, &reg)) {
        return false;
    }
    u->reads++;
    disc_unit_sync(u);
    from = value_of(u, reg);
    *value = from ? *from : u->box_ctl;
    *value = extract64(*value, reg.shift, size ? 8 * size : 64);
    /* A counter that is read in two halves runs on between them. */
    if (u->torn && reg.kind == COUNTER && reg.index == u->torn_ctr &&
        !reg.shift) {
        u->torn = false;
        u->counter[reg.index] = u->tear;
    }
    return true;
}

static void check(DiscUnit *u, const char *name, uint64_t off, uint64_t value,
                  uint64_t bits)
{
    if (value & ~bits) {
        g_autofree char *rule = g_strdup_printf("reserved bits 0x%" PRIx64
                                                " of a %s", value & ~bits,
                                                name);

        disc_found(u->die, u->name, "write", off, value, rule);
    }
}

static void write_box(DiscUnit *u, uint64_t off, uint64_t value)
{
    uint32_t frz = u->e5 ? BOX_E5_FRZ : BOX_FRZ;
    uint32_t rst_ctrl = u->e5 ? BOX_E5_RST_CTRL : BOX_RST_CTRL;
    uint32_t rst_ctrs = u->e5 ? BOX_E5_RST_CTRS : BOX_RST_CTRS;

    check(u, "unit's control", off, value, frz | rst_ctrl | rst_ctrs);
    if (value & rst_ctrl) {
        memset(u->control, 0, sizeof(u->control));
    }
    if (value & rst_ctrs) {
        memset(u->counter, 0, sizeof(u->counter));
    }
    u->box_ctl = value & frz;
}

bool disc_unit_write(DiscUnit *u, uint64_t off, unsigned size, uint64_t value)
{
    DiscReg reg;
    uint64_t *to, bits;

    if (!find_reg(u, off, size, &reg)) {
        return false;
    }
    u->writes++;
    disc_unit_sync(u);
    to = value_of(u, reg);
    value = deposit64(to ? *to : u->box_ctl, reg.shift, size ? 8 * size : 64,
                      value);
    if (reg.kind == BOX_CTL) {
        write_box(u, off, value);
        return true;
    }
    if (reg.kind == FILTER) {
        bits = UINT64_MAX;
    } else if (reg.kind == CONTROL) {
        bits = reg.index == DISC_FIXED ? R_PMON_CTL_EN_MASK : u->bits;
        check(u, "control", off, value, bits);
    } else {
        bits = disc_unit_mask(u);
        check(u, "counter", off, value, bits);
        if (disc_unit_runs(u, reg.index)) {
            disc_found(u->die, u->name, "write", off, value,
                       "the counter is changed while it counts");
        }
    }
    *to = value & bits;
    return true;
}

void disc_unit_reset(DiscUnit *u)
{
    memset(&u->reset_fields, 0, offsetof(DiscUnit, end_reset_fields) -
                                offsetof(DiscUnit, reset_fields));
    for (unsigned i = 0; i < u->counters; i++) {
        u->counter[i] = u->value & disc_unit_mask(u);
    }
    u->synced = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
}
