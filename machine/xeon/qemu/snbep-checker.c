/*
 * Protocol checker: reports accesses that the guide calls reserved or
 * undefined, with the rule. Also counts PMON accesses.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/host-utils.h"
#include "snbep.h"
#include "model-console.h"

/* Format reserved bits as in the guide's tables. */
static void check_fields(SnbepBox *box, SnbepReg reg, uint64_t value,
                         uint32_t also)
{
    const SnbepFields *f = snbep_reg_fields(box, reg);
    uint32_t mbz = value & f->mbz & ~also;
    uint32_t rsv = value & ~(f->rw | f->wo | f->mbz | also);

    if (mbz) {
        snbep_found(box, reg, "write", value,
                    "reserved bits 0x%08x: SW must write to 0", mbz);
    }
    if (rsv) {
        snbep_found(box, reg, "write", value, "reserved bits 0x%08x", rsv);
    }
    if (value >> 32) {
        snbep_found(box, reg, "write", value,
                    "the register has 32 bits");
    }
}

static bool umask_known(const SnbepEvent *e, uint8_t um)
{
    if (e->umask == SNBEP_UM_LOOKUP && !(um & 1)) {
        return false;
    }
    if (e->list_umask && um == e->list_umask) {
        return true;
    }
    if (!e->umask_values) {
        return !(um & ~e->umask_bits);
    }
    for (const uint8_t *v = e->umask_values; *v; v++) {
        if (um == *v) {
            return true;
        }
    }
    return false;
}

/* @occ: the threshold is for the PCU's occupancy, 4 bits for up to 8 cores */
static void check_threshold(SnbepBox *box, SnbepReg reg, uint32_t value,
                            const SnbepEvent *e, bool occ)
{
    unsigned thresh = extract32(value, R_PMON_CTL_THRESH_SHIFT,
                                box->type->thresh_bits);
    unsigned max = occ ? 8 : e->max_inc;

    if (thresh > max && (occ || !e->max_inc_blank) &&
        snbep_rule(box->socket->uncore, SNBEP_RULE_THRESHOLD)) {
        snbep_found(box, reg, "write", value, "thresh %u is above %u, the most "
                    "that %s adds in a cycle", thresh, max, e->name);
    }
}

/* Check a control register when its counter is enabled. */
static void check_event(SnbepBox *box, SnbepReg reg, uint32_t value)
{
    const SnbepBoxType *t = box->type;
    const SnbepEvent *e = snbep_ctl_event(box, value);
    unsigned code = FIELD_EX32(value, PMON_CTL, EV_SEL);
    uint8_t um = FIELD_EX32(value, PMON_CTL, UMASK);
    bool pcu = t->kind == SNBEP_PCU;
    bool occ = pcu && (code & 0x80);

    if (!e) {
        /* 2.1.1: a UBox control may idle with ev_sel 0 */
        if (t->kind != SNBEP_UBOX || code) {
            snbep_found(box, reg, "write", value,
                        "event 0x%02x%s is undocumented", code,
                        value & R_PMON_CTL_EXT_MASK ? " with ev_sel_ext" : "");
        }
        return;
    }
    if (!(e->ctrs & 1u << reg.index)) {
        snbep_found(box, reg, "write", value,
                    "%s cannot be counted on counter %d", e->name, reg.index);
    }
    /* The PCU has occ_sel and reserved bits instead, checked above. */
    if (!pcu && !umask_known(e, um)) {
        snbep_found(box, reg, "write", value,
                    "%s has no unit mask 0x%02x", e->name, um);
    }
    if (occ && !FIELD_EX32(value, PMON_CTL, OCC_SEL)) {
        snbep_found(box, reg, "write", value,
                    "occ_sel 0 selects no occupancy counter");
    }
    check_threshold(box, reg, value, e, occ);
    if (!extract32(value, R_PMON_CTL_THRESH_SHIFT, t->thresh_bits) &&
        (occ ? value & (R_PMON_CTL_OCC_EDGE_MASK | R_PMON_CTL_OCC_INVERT_MASK)
             : value & (R_PMON_CTL_EDGE_DET_MASK | R_PMON_CTL_INVERT_MASK))) {
        snbep_found(box, reg, "write", value,
                    "thresh must be non-0 with edge_det or invert");
    }
}

static void check_ctl(SnbepBox *box, SnbepReg reg, uint64_t value)
{
    uint32_t also = 0;

    /*
     * Table 2-75 reserves bit 21 of the PCU, but twelve PCU events need it. If
     * it is not writable, allow a driver's probe: setting it with .en = 0.
     */
    if (box->type->kind == SNBEP_PCU &&
        (box->socket->uncore->trait[SNBEP_T_PCU_EXT] == SNBEP_EXT_STICK ||
         !(value & R_PMON_CTL_EN_MASK))) {
        also = R_PMON_CTL_EXT_MASK;
    }
    check_fields(box, reg, value, also);
    if (reg.index != SNBEP_FIXED && (value & R_PMON_CTL_EN_MASK)) {
        check_event(box, reg, value);
    }
}

static void check_ctr(SnbepBox *box, SnbepReg reg, uint64_t value)
{
    uint64_t mask = snbep_ctr_mask(box, reg.index);

    if (!box->type->msr) {
        mask = reg.high ? mask >> 32 : (uint32_t)mask;
    }
    if (value & ~mask) {
        snbep_found(box, reg, "write", value,
                    "the counter has %d bits, the rest is reserved",
                    snbep_ctr_width(box, reg.index));
    }
}

static void check_write(SnbepBox *box, SnbepReg reg, uint64_t value)
{
    switch (reg.kind) {
    case SNBEP_R_BOX_CTL:
        check_fields(box, reg, value, 0);
        break;
    case SNBEP_R_CTL:
        check_ctl(box, reg, value);
        break;
    case SNBEP_R_FILTER:
        check_fields(box, reg, value, 0);
        snbep_check_filter(box, reg, value);
        break;
    case SNBEP_R_CTR:
        check_ctr(box, reg, value);
        break;
    }
}

/* Tables 2-9, 2-34 and others: frz_en, frz and the resets are WO. */
static void check_read(SnbepBox *box, SnbepReg reg)
{
    if (reg.kind == SNBEP_R_BOX_CTL &&
        snbep_rule(box->socket->uncore, SNBEP_RULE_WO_READ)) {
        snbep_found(box, reg, "read", 0, "its bits are write-only");
    }
}

static void check_access(SnbepBox *box, SnbepStage stage, SnbepReg reg,
                         uint64_t value)
{
    switch (stage) {
    case SNBEP_READ:
        check_read(box, reg);
        break;
    case SNBEP_WRITE:
        check_write(box, reg, value);
        break;
    case SNBEP_WRITTEN:
        snbep_check_running(box);
        break;
    }
}

/* checker [reset|rules|on RULE|off RULE] */
static bool checker_command(void *opaque, const char *args, GString *out,
                            Error **errp)
{
    SnbepUncore *u = opaque;
    bool on = g_str_has_prefix(args, "on ");

    if (!strcmp(args, "rules")) {
        snbep_rules_print(u, out);
        return false;
    }
    if (on || g_str_has_prefix(args, "off ")) {
        snbep_rules_set(u, strchr(args, ' ') + 1, on, errp);
        return false;
    }
    return model_findings_answer(u->findings, args, out, errp);
}

static void print_accesses(SnbepBox *box, bool reset, GString *out)
{
    static const char *const space_name[SNBEP_SPACES] = {
        [SNBEP_MSR] = "msr", [SNBEP_PCI] = "pci", [SNBEP_EXT] = "ext",
    };

    for (int sp = 0; sp < SNBEP_SPACES; sp++) {
        bool has = box->type->msr ? sp == SNBEP_MSR
                 : sp == SNBEP_PCI ||
                   (sp == SNBEP_EXT && box->type->kind == SNBEP_QPI);

        if (has) {
            g_string_append_printf(out, "socket=%u box=%s kind=%s reads=%"
                                   PRIu64 " writes=%" PRIu64,
                                   box->socket->id, box->name, space_name[sp],
                                   box->reads[sp], box->writes[sp]);
            if (sp != SNBEP_MSR) {
                g_string_append_printf(out, " ports=%" PRIu64,
                                       box->ports[sp]);
            }
            g_string_append_c(out, '\n');
        }
        if (reset) {
            box->reads[sp] = box->writes[sp] = box->ports[sp] = 0;
        }
    }
}

static bool accesses_command(void *opaque, const char *args, GString *out,
                             Error **errp)
{
    SnbepUncore *u = opaque;
    bool reset = !strcmp(args, "reset");

    if (*args && !reset) {
        error_setg(errp, "'%s' is not understood: only 'reset' may follow",
                   args);
        return false;
    }
    for (unsigned s = 0; s < u->sockets; s++) {
        for (int b = 0; b < SNBEP_BOXES; b++) {
            if (u->socket[s].box[b].present) {
                print_accesses(&u->socket[s].box[b], reset, out);
            }
        }
    }
    return false;
}

void snbep_check_init(SnbepUncore *u)
{
    u->findings = model_findings_new();
    u->subscriber = check_access;
    model_console_register("checker", checker_command, u);
    model_console_register("accesses", accesses_command, u);
}
