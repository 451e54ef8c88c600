/*
 * Protocol checker, findings, and rules on sequences of accesses: filters of
 * enabled counters, counters that depend on each other, stale values; and
 * switches for the rules
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "uncore-checker.h"
#include "model-console.h"

void uncore_found(UncoreBox *box, UncoreReg reg, const char *op, uint64_t value,
                  const char *fmt, ...)
{
    g_autofree char *name = uncore_reg_name(box, reg);
    g_autofree char *where =
        g_strdup_printf("socket=%u box=%s reg=%s op=%s value=0x%08" PRIx64,
                        box->socket->id, box->name, name, op, value);
    g_autofree char *rule = NULL;
    va_list ap;

    va_start(ap, fmt);
    rule = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    model_findings_add(box->socket->uncore->findings, where, rule);
}

/* Names of the rules in commands and properties */
static const struct {
    const char *name;
    const char *what;
} rules[UNCORE_RULES] = {
    [UNCORE_RULE_WO_READ] = {
        "wo-read", "a register is read whose bits are all write-only"
    },
    [UNCORE_RULE_STALE] = {
        "stale-counter", "a counter runs that was neither reset nor read at "
                         "its start (2.1.1 e)"
    },
    [UNCORE_RULE_FILTER_CHANGE] = {
        "filter-change", "a filter changes while a counter uses it"
    },
    [UNCORE_RULE_ONE_CRITERION] = {
        "one-criterion", "a CBo counter filters by its thread and by something "
                         "else (2.3.3.3)"
    },
    [UNCORE_RULE_ONE_USER] = {
        "one-filter-user", "two CBo counters filter by different criteria "
                           "(2.3.2, 2.3.3.3)"
    },
    [UNCORE_RULE_COUNTER0] = {
        "counter0", "COUNTER0_OCCUPANCY runs and counter 0 has no occupancy"
    },
    [UNCORE_RULE_BAND_0] = {
        "band-0", "a frequency band event runs and its band is 0"
    },
    [UNCORE_RULE_THRESHOLD] = {
        "threshold", "a threshold is above what the event adds in a cycle"
    },
};

bool uncore_rule(const UncoreModel *u, UncoreRule rule)
{
    return !(u->rules_off & 1u << rule);
}

static bool rule_by_name(const char *name, UncoreRule *rule, Error **errp)
{
    for (int r = 0; r < UNCORE_RULES; r++) {
        if (!strcmp(rules[r].name, name)) {
            *rule = r;
            return true;
        }
    }
    error_setg(errp, "the checker has no rule '%s' that can be left out", name);
    return false;
}

void uncore_rules_print(const UncoreModel *u, GString *out)
{
    for (int r = 0; r < UNCORE_RULES; r++) {
        g_string_append_printf(out, "%s %s: %s\n", rules[r].name,
                               uncore_rule(u, r) ? "on" : "off", rules[r].what);
    }
}

bool uncore_rules_set(UncoreModel *u, const char *names, bool on, Error **errp)
{
    g_auto(GStrv) words = g_strsplit(names, ":", -1);

    for (char **w = words; *w; w++) {
        UncoreRule rule;

        if (!rule_by_name(*w, &rule, errp)) {
            return false;
        }
        u->rules_off = deposit32(u->rules_off, rule, 1, !on);
    }
    return true;
}

/* Criteria of the CBo's filter: mask of its fields */
#define BY_OPC      BIT(UNCORE_M_OPC)
#define BY_STATE    BIT(UNCORE_M_STATE)
#define BY_NID      BIT(UNCORE_M_NID)
#define BY_TID      BIT(UNCORE_M_TID)

static uint32_t cbo_criteria(uint32_t ctl, const UncoreEvent *e)
{
    uint8_t um = FIELD_EX32(ctl, PMON_CTL, UMASK);
    uint32_t by = ctl & R_PMON_CTL_TID_EN_MASK ? BY_TID : 0;

    switch (e->umask) {
    case UNCORE_UM_LOOKUP:
        return by | BY_STATE | (um & 0x40 ? BY_NID : 0);
    case UNCORE_UM_VICTIMS:
        return by | (um & 0x40 ? BY_NID : 0);
    case UNCORE_UM_TOR:
        return by | (um & 0x40 ? BY_NID : 0) | (um & 1 ? BY_OPC : 0);
    default:
        return by;
    }
}

/* Return the bits of filter register @i that a counter uses. */
static uint32_t filter_bits(const UncoreBox *box, uint32_t ctl,
                            const UncoreEvent *e, unsigned i)
{
    if (box->type->kind == UNCORE_CBOX) {
        uint32_t by = cbo_criteria(ctl, e);
        uint64_t bits = 0;

        for (int m = 0; m < UNCORE_MATCHES; m++) {
            bits |= by & BIT(m) ? box->type->match[m] : 0;
        }
        return bits >> 32 * i;
    }
    if (uncore_filter_is_band(e)) {
        return 0xffu << 8 * (e->filter - UNCORE_F_BAND0);
    }
    return e->filter == UNCORE_F_NONE ? 0 : UINT32_MAX;
}

/* Return whether the guest enabled a counter, and it is not frozen. */
static bool runs(const UncoreBox *box, unsigned i)
{
    return !uncore_box_frozen(box) && (box->ctl[i] & R_PMON_CTL_EN_MASK) &&
           !box->check.ctl_poked[i];
}

/* Return the event of a counter that runs, or NULL. */
static const UncoreEvent *running(const UncoreBox *box, unsigned i)
{
    return runs(box, i) ? uncore_ctl_event(box, box->ctl[i]) : NULL;
}

/* Called before a write to a filter */
void uncore_check_filter(UncoreBox *box, UncoreReg reg, uint32_t value)
{
    uint32_t changed = box->filter[reg.index] ^ value;

    if (!uncore_rule(box->socket->uncore, UNCORE_RULE_FILTER_CHANGE) ||
        box->check.filter_poked[reg.index]) {
        return;
    }
    for (int i = 0; i < box->type->ctrs; i++) {
        const UncoreEvent *e = running(box, i);

        if (e && (filter_bits(box, box->ctl[i], e, reg.index) & changed)) {
            uncore_found(box, reg, "write", value, "changed while counter %d "
                         "runs, whose %s uses it", i, e->name);
        }
    }
}

/* 2.3.7, LLC_LOOKUP and TOR_INSERTS: filters that their unit masks need */
static void check_cbo_values(UncoreBox *box, UncoreReg reg,
                             const UncoreEvent *e)
{
    uint32_t ctl = box->ctl[reg.index];
    uint32_t by = cbo_criteria(ctl, e);

    if ((by & BY_STATE) && !uncore_cbo_match(box, UNCORE_M_STATE)) {
        uncore_found(box, reg, "run", ctl,
                     "%s must have a state in the filter", e->name);
    }
    if ((by & BY_NID) && !uncore_cbo_match(box, UNCORE_M_NID)) {
        uncore_found(box, reg, "run", ctl,
                     "%s with a node match must have a node in the filter",
                     e->name);
    }
    if ((by & BY_OPC) && !uncore_cbo_match(box, UNCORE_M_OPC)) {
        uncore_found(box, reg, "run", ctl,
                     "%s with an opcode match must have an opcode in the "
                     "filter", e->name);
    }
}

/*
 * "Only one of these filtering criteria may be applied at a time" (2.3.3.3);
 * the two of a unit mask such as TOR_INSERTS.NID_OPCODE count as one. "Allows
 * only one such event be programmed at a given time" (2.3.2); events with equal
 * filters count as one.
 */
static void check_cbo_criteria(UncoreBox *box, UncoreReg reg,
                               const UncoreEvent *e)
{
    const UncoreModel *u = box->socket->uncore;
    uint32_t ctl = box->ctl[reg.index], by = cbo_criteria(ctl, e);

    if ((by & BY_TID) && by != BY_TID &&
        uncore_rule(u, UNCORE_RULE_ONE_CRITERION)) {
        uncore_found(box, reg, "run", ctl, "%s filters by thread and by more: "
                     "only one criterion at a time", e->name);
    }
    for (int i = 0; i < reg.index; i++) {
        const UncoreEvent *o = running(box, i);
        uint32_t also = o ? cbo_criteria(box->ctl[i], o) : 0;

        if (by && also && by != also &&
            uncore_rule(u, UNCORE_RULE_ONE_USER)) {
            uncore_found(box, reg, "run", ctl, "%s and counter %d's %s filter "
                         "by different criteria: only one such event at a time",
                         e->name, i, o->name);
        }
    }
}

static void check_counter0(UncoreBox *box, UncoreReg reg, const UncoreEvent *e)
{
    const UncoreEvent *zero = uncore_ctl_event(box, box->ctl[0]);

    if (e->code == 0x1f && uncore_rule(box->socket->uncore,
                                       UNCORE_RULE_COUNTER0) &&
        (!zero || zero->max_inc < 2 || !(box->ctl[0] & R_PMON_CTL_EN_MASK))) {
        uncore_found(box, reg, "run", box->ctl[reg.index], "%s counts nothing: "
                     "counter 0 has no occupancy event", e->name);
    }
}

/*
 * "Reset counters in each box to ensure no stale values have been acquired"
 * (2.1.1 e). Reading the counter is equivalent. A counter that cannot be frozen
 * may be read after it was enabled, until the next write to the box.
 */
static void check_stale(UncoreBox *box, unsigned i, bool runs)
{
    bool stale = runs && !box->check.ctr_fresh[i];

    if (stale && box->check.ctr_stale[i] &&
        uncore_rule(box->socket->uncore, UNCORE_RULE_STALE)) {
        uncore_found(box, (UncoreReg) { UNCORE_R_CTL, i }, "run", box->ctl[i],
                     "the counter was neither reset nor written, nor read at "
                     "its start (2.1.1 e)");
    }
    box->check.ctr_stale[i] = stale;
}

/* Check all enabled counters after a write. */
void uncore_check_running(UncoreBox *box)
{
    for (int i = 0; i < box->type->ctrs; i++) {
        UncoreReg reg = { UNCORE_R_CTL, i };
        const UncoreEvent *e = running(box, i);

        check_stale(box, i, e);
        if (!e) {
            continue;
        }
        if (box->type->kind == UNCORE_CBOX) {
            check_cbo_criteria(box, reg, e);
            check_counter0(box, reg, e);
            if (!box->check.filter_poked[0]) {
                check_cbo_values(box, reg, e);
            }
        }
        if (uncore_filter_is_band(e) && !box->check.filter_poked[0] &&
            !(filter_bits(box, box->ctl[i], e, 0) & box->filter[0]) &&
            uncore_rule(box->socket->uncore, UNCORE_RULE_BAND_0)) {
            uncore_found(box, reg, "run", box->ctl[i], "%s with a band of 0 "
                         "counts every cycle", e->name);
        }
    }
    check_stale(box, UNCORE_FIXED, runs(box, UNCORE_FIXED));
}
