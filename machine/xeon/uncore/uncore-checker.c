/*
 * Protocol checker: reports accesses that the guide calls reserved or
 * undefined, with the rule. Also counts PMON accesses.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/host-utils.h"
#include "uncore-checker.h"
#include "model-console.h"

/* Format reserved bits as in the guide's tables. */
static void check_fields(UncoreBox *box, UncoreReg reg, uint64_t value,
                         uint32_t also)
{
    const UncoreFields *f = uncore_reg_fields(box, reg);
    uint32_t mbz = value & f->mbz & ~also;
    uint32_t rsv = value & ~(f->rw | f->wo | f->mbz | also);

    if (mbz) {
        uncore_found(box, reg, "write", value,
                     "reserved bits 0x%08x: SW must write to 0", mbz);
    }
    if (rsv) {
        uncore_found(box, reg, "write", value, "reserved bits 0x%08x", rsv);
    }
    if (value >> 32) {
        uncore_found(box, reg, "write", value,
                     "the register has 32 bits");
    }
}

static bool umask_known(const UncoreEvent *e, uint8_t um)
{
    if (e->umask == UNCORE_UM_LOOKUP && !(um & 1)) {
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
static void check_threshold(UncoreBox *box, UncoreReg reg, uint32_t value,
                            const UncoreEvent *e, bool occ)
{
    unsigned thresh = extract32(value, R_PMON_CTL_THRESH_SHIFT,
                                box->type->thresh_bits);
    unsigned max = occ ? 8 : e->max_inc;

    if (thresh > max && (occ || !e->max_inc_blank) &&
        uncore_rule(box->socket->uncore, UNCORE_RULE_THRESHOLD)) {
        uncore_found(box, reg, "write", value,
                     "thresh %u is above %u, the most that %s adds in a cycle",
                     thresh, max, e->name);
    }
}

/* Check a control register when its counter is enabled. */
static void check_event(UncoreBox *box, UncoreReg reg, uint32_t value)
{
    const UncoreBoxType *t = box->type;
    const UncoreEvent *e = uncore_ctl_event(box, value);
    unsigned code = FIELD_EX32(value, PMON_CTL, EV_SEL);
    uint8_t um = FIELD_EX32(value, PMON_CTL, UMASK);
    bool pcu = t->kind == UNCORE_PCU;
    bool occ = pcu && (code & 0x80);

    if (!e) {
        /* 2.1.1: a UBox control may idle with ev_sel 0 */
        if (t->kind != UNCORE_UBOX || code) {
            uncore_found(box, reg, "write", value,
                         "event 0x%02x%s is undocumented", code,
                         value & R_PMON_CTL_EXT_MASK ? " with ev_sel_ext" : "");
        }
        return;
    }
    if (!(e->ctrs & 1u << reg.index)) {
        uncore_found(box, reg, "write", value,
                     "%s cannot be counted on counter %d", e->name, reg.index);
    }
    /* The PCU has occ_sel and reserved bits instead, checked above. */
    if (!pcu && !umask_known(e, um)) {
        uncore_found(box, reg, "write", value,
                     "%s has no unit mask 0x%02x", e->name, um);
    }
    if (occ && !FIELD_EX32(value, PMON_CTL, OCC_SEL)) {
        uncore_found(box, reg, "write", value,
                     "occ_sel 0 selects no occupancy counter");
    }
    check_threshold(box, reg, value, e, occ);
    if (!extract32(value, R_PMON_CTL_THRESH_SHIFT, t->thresh_bits) &&
        (occ ? value & (R_PMON_CTL_OCC_EDGE_MASK | R_PMON_CTL_OCC_INVERT_MASK)
             : value & (R_PMON_CTL_EDGE_DET_MASK | R_PMON_CTL_INVERT_MASK))) {
        uncore_found(box, reg, "write", value,
                     "thresh must be non-0 with edge_det or invert");
    }
}

static void check_ctl(UncoreBox *box, UncoreReg reg, uint64_t value)
{
    uint32_t also = 0;

    /*
     * Table 2-75 reserves bit 21 of the PCU, but twelve PCU events need it. If
     * it is not writable, allow a driver's probe: setting it with .en = 0.
     */
    if (box->type->kind == UNCORE_PCU &&
        (box->socket->uncore->trait[UNCORE_T_PCU_EXT] == UNCORE_EXT_STICK ||
         !(value & R_PMON_CTL_EN_MASK))) {
        also = R_PMON_CTL_EXT_MASK;
    }
    check_fields(box, reg, value, also);
    if (reg.index != UNCORE_FIXED && (value & R_PMON_CTL_EN_MASK)) {
        check_event(box, reg, value);
    }
}

static void check_ctr(UncoreBox *box, UncoreReg reg, uint64_t value)
{
    uint64_t mask = uncore_ctr_mask(box, reg.index);

    if (!box->type->msr) {
        mask = reg.high ? mask >> 32 : (uint32_t)mask;
    }
    if (value & ~mask) {
        uncore_found(box, reg, "write", value,
                     "the counter has %d bits, the rest is reserved",
                     uncore_ctr_width(box, reg.index));
    }
}

static void check_write(UncoreBox *box, UncoreReg reg, uint64_t value)
{
    if (reg.bytes) {
        uncore_found(box, reg, "write", value,
                     "%d bytes written to a register of 32 bits", reg.bytes);
    }
    switch (reg.kind) {
    case UNCORE_R_BOX_CTL:
        check_fields(box, reg, value, 0);
        break;
    case UNCORE_R_CTL:
        check_ctl(box, reg, value);
        break;
    case UNCORE_R_FILTER:
        check_fields(box, reg, value, 0);
        uncore_check_filter(box, reg, value);
        break;
    case UNCORE_R_CTR:
        check_ctr(box, reg, value);
        break;
    case UNCORE_R_NONE:
        uncore_found(box, reg, "write", value, "no register at this offset");
        break;
    }
}

/* Tables 2-9, 2-34 and others: frz_en, frz and the resets are WO. */
static void check_read(UncoreBox *box, UncoreReg reg)
{
    if (reg.kind == UNCORE_R_BOX_CTL &&
        uncore_rule(box->socket->uncore, UNCORE_RULE_WO_READ)) {
        uncore_found(box, reg, "read", 0, "its bits are write-only");
    }
    if (reg.kind == UNCORE_R_CTR) {
        box->check.ctr_fresh[reg.index] = true;
    }
    if (reg.kind == UNCORE_R_NONE) {
        uncore_found(box, reg, "read", 0, "no register at this offset");
    }
}

/* Follow what a write has reset, and who has written a register last. */
static void follow_write(UncoreBox *box, UncoreReg reg, uint64_t value,
                         bool poked)
{
    UncoreCheck *c = &box->check;
    uint32_t resets;

    switch (reg.kind) {
    case UNCORE_R_BOX_CTL:
        resets = value & uncore_reg_fields(box, reg)->wo;
        if (resets & R_BOX_CTL_RST_CTRL_MASK) {
            memset(c->ctl_poked, false, box->type->ctrs);
        }
        if (resets & R_BOX_CTL_RST_CTRS_MASK) {
            memset(c->ctr_fresh, true, box->type->ctrs);
        }
        break;
    case UNCORE_R_CTL:
        c->ctl_poked[reg.index] = poked;
        /* rst is the only bit of a control that is write-only. */
        if (value & uncore_reg_fields(box, reg)->wo) {
            c->ctr_fresh[reg.index] = true;
        }
        break;
    case UNCORE_R_CTR:
        c->ctr_fresh[reg.index] = true;
        break;
    case UNCORE_R_FILTER:
        c->filter_poked[reg.index] = poked;
        break;
    case UNCORE_R_NONE:
        break;
    }
}

static void check_access(UncoreBox *box, UncoreStage stage, UncoreReg reg,
                         uint64_t value)
{
    switch (stage) {
    case UNCORE_READ:
        check_read(box, reg);
        break;
    case UNCORE_WRITE:
        check_write(box, reg, value);
        break;
    case UNCORE_WRITTEN:
        follow_write(box, reg, value, false);
        uncore_check_running(box);
        break;
    case UNCORE_POKED:
        follow_write(box, reg, value, true);
        break;
    }
}

/* checker [reset|rules|on RULE|off RULE] */
static ModelStatus checker_command(void *opaque, const char *args, GString *out,
                                   Error **errp)
{
    UncoreModel *u = opaque;
    bool on = g_str_has_prefix(args, "on ");

    if (!strcmp(args, "rules")) {
        uncore_rules_print(u, out);
        return MODEL_STATUS_OK;
    }
    if (on || g_str_has_prefix(args, "off ")) {
        return uncore_rules_set(u, strchr(args, ' ') + 1, on, errp) ?
               MODEL_STATUS_OK : MODEL_STATUS_ERROR;
    }
    return model_findings_answer(u->findings, args, out, errp);
}

static void print_accesses(UncoreBox *box, bool reset, GString *out)
{
    static const char *const space_name[UNCORE_SPACES] = {
        [UNCORE_MSR] = "msr", [UNCORE_PCI] = "pci", [UNCORE_EXT] = "ext",
    };

    for (int sp = 0; sp < UNCORE_SPACES; sp++) {
        bool has = box->type->msr ? sp == UNCORE_MSR
                 : sp == UNCORE_PCI ||
                   (sp == UNCORE_EXT && box->type->kind == UNCORE_QPI);

        if (has) {
            g_string_append_printf(out, "socket=%u box=%s kind=%s reads=%"
                                   PRIu64 " writes=%" PRIu64,
                                   box->socket->id, box->name, space_name[sp],
                                   box->reads[sp], box->writes[sp]);
            if (sp != UNCORE_MSR) {
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

static ModelStatus accesses_command(void *opaque, const char *args,
                                    GString *out, Error **errp)
{
    UncoreModel *u = opaque;
    bool reset = !strcmp(args, "reset");

    if (*args && !reset) {
        error_setg(errp, "'%s' is not understood: only 'reset' may follow",
                   args);
        return MODEL_STATUS_ERROR;
    }
    for (unsigned s = 0; s < u->sockets; s++) {
        for (int b = 0; b < u->socket[s].boxes; b++) {
            if (u->socket[s].box[b].present) {
                print_accesses(&u->socket[s].box[b], reset, out);
            }
        }
    }
    return MODEL_STATUS_OK;
}

void uncore_check_init(UncoreModel *u)
{
    u->findings = model_findings_new();
    u->subscriber = check_access;
    model_console_register("checker", checker_command, u);
    model_console_register("accesses", accesses_command, u);
}
