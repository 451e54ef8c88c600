/*
 * Guest commands for event injection: events, raw counter values and torn
 * reads; and a dump of a box's registers
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/host-utils.h"
#include "uncore.h"
#include "model-console.h"

/* Mask of box types that support a key */
#define ANY     (BIT(UNCORE_KINDS) - 1)
#define CBOX    BIT(UNCORE_CBOX)
#define HA      BIT(UNCORE_HA)
#define PCU     BIT(UNCORE_PCU)
#define QPI     BIT(UNCORE_QPI)

typedef enum Key {
    K_EVENT, K_EXT, K_UMASK, K_COUNT, K_INC,
    K_TID, K_STATE, K_NID, K_NC, K_OPC, K_ADDR,
    K_RDS, K_RNID, K_DNID, K_MC, K_VNW,
    K_FREQ, K_C0, K_C3, K_C6,
    K_MAX
} Key;

static const ModelKey keys[K_MAX] = {
    [K_EVENT] = { "event", ANY, 0x1ff },
    [K_EXT] = { "ext", PCU | QPI, 1 },
    [K_UMASK] = { "umask", ANY, 0xff },
    [K_COUNT] = { "count", ANY, UINT64_MAX, 1 },
    [K_INC] = { "inc", ANY, 255, 1 },
    [K_TID] = { "tid", CBOX },
    [K_STATE] = { "state", CBOX, .text = true },
    [K_NID] = { "nid", CBOX },
    [K_NC] = { "nc", CBOX },
    [K_OPC] = { "opc", CBOX | HA | QPI, 0x1ff },
    [K_ADDR] = { "addr", HA, (1ull << 46) - 1 },
    [K_RDS] = { "rds", QPI, 0xf },
    [K_RNID] = { "rnid", QPI, 0x1f },
    [K_DNID] = { "dnid", QPI, 0x1f },
    [K_MC] = { "mc", QPI, 0xf },
    [K_VNW] = { "vnw", QPI, 3 },
    [K_FREQ] = { "freq", PCU, 25500 },
    [K_C0] = { "c0", PCU, 8 },
    [K_C3] = { "c3", PCU, 8 },
    [K_C6] = { "c6", PCU, 8 },
};

/* Set the maxima of the keys that have a field in the CBo's filter. */
static void set_maxima(const UncoreBox *box, ModelKey *k)
{
    const uint64_t *m = box->type->match;

    memcpy(k, keys, sizeof(keys));
    if (box->type->kind == UNCORE_CBOX) {
        k[K_TID].max = m[UNCORE_M_TID] >> ctz64(m[UNCORE_M_TID]);
        k[K_NID].max = ctpop64(m[UNCORE_M_NID]) - 1;
        k[K_NC].max = ctpop64(m[UNCORE_M_NC]);
    }
}

static uint64_t value_or(const ModelValue *k, Key key, uint64_t otherwise)
{
    return k[key].text ? k[key].n : otherwise;
}

/* Parse a letter, or a bit of the filter's field. */
static bool stim_state(const UncoreBox *box, const char *text, UncoreStim *stim,
                       Error **errp)
{
    static const char states[] = "ISEMF";   /* bit 0 to 4 */
    const char *letter = *text && !text[1] ? strchr(states, *text) : NULL;
    uint64_t mask = box->type->match[UNCORE_M_STATE];
    uint64_t bit = letter ? 1u << (letter - states) : 0;

    if (!letter && (model_strtou64(text, NULL, 0, &bit) ||
                    bit > mask >> ctz64(mask) || ctpop64(bit) != 1)) {
        error_setg(errp, "a line is in one state: I, S, E, M or F");
        return false;
    }
    stim->state = bit;
    return true;
}

static bool stim_event(UncoreBox *box, const ModelValue *k, UncoreStim *stim,
                       Error **errp)
{
    UncoreKind kind = box->type->kind;
    uint64_t code = k[K_EVENT].n;
    bool ext = value_or(k, K_EXT, code >> 8);
    const UncoreEvent *e;

    if (!k[K_EVENT].text) {
        error_setg(errp, "%s: no event given", box->name);
        return false;
    }
    if ((code >> 8) && (k[K_EXT].text || (kind != UNCORE_PCU &&
                                            kind != UNCORE_QPI))) {
        error_setg(errp, "event is 0 to 0xff, with ext beside it");
        return false;
    }
    code &= 0xff;
    e = uncore_event_find(box, code, ext);
    if (!e && kind == UNCORE_PCU && (code & 0x80)) {
        e = uncore_event_find(box, code & 0x7f, ext);
        stim->occupancy = true;
    }
    if (!e) {
        error_setg(errp, "%s: event 0x%02x%s is undocumented", box->name,
                   (unsigned)code, ext ? " with ext" : "");
        return false;
    }
    if (e->clock) {
        error_setg(errp, "%s: %s is a clock and follows the virtual time",
                   box->name, e->name);
        return false;
    }
    stim->event = e;
    return true;
}

static bool stim_umask(UncoreBox *box, const ModelValue *k, UncoreStim *stim,
                       Error **errp)
{
    const UncoreEvent *e = stim->event;
    uint8_t bits = stim->occupancy ? 0xc0 : e->umask_bits;

    bits |= e->list_umask;
    stim->umask = value_or(k, K_UMASK, e->umask == UNCORE_UM_BITS ? bits : 0);
    if (stim->umask & ~bits) {
        error_setg(errp, "%s: %s has no unit mask bits 0x%02x", box->name,
                   e->name, stim->umask & ~bits);
        return false;
    }
    if (!k[K_UMASK].text && bits && e->umask != UNCORE_UM_BITS &&
        e->umask != UNCORE_UM_OCC_SEL && !stim->occupancy) {
        error_setg(errp, "%s: %s needs a umask: what happened", box->name,
                   e->name);
        return false;
    }
    return true;
}

/* For occupancy events, inc is the occupancy that the umask selects. */
static void stim_occupancy(const ModelValue *k, UncoreStim *stim)
{
    if (stim->event->umask == UNCORE_UM_OCC_SEL || stim->occupancy) {
        stim->occ[stim->umask >> 6] = stim->inc;
        stim->occ[0] = 0;
        stim->inc = 1;
    }
    stim->occ[1] = value_or(k, K_C0, stim->occ[1]);
    stim->occ[2] = value_or(k, K_C3, stim->occ[2]);
    stim->occ[3] = value_or(k, K_C6, stim->occ[3]);
}

static bool stim_fill(UncoreBox *box, const ModelValue *k, UncoreStim *stim,
                      Error **errp)
{
    unsigned max;

    if (!stim_event(box, k, stim, errp) || !stim_umask(box, k, stim, errp)) {
        return false;
    }
    stim->count = k[K_COUNT].n;
    stim->inc = k[K_INC].n;
    max = stim->occupancy ? 8 : stim->event->max_inc;
    if (stim->inc > max) {
        error_setg(errp, "%s: %s increments by at most %u per cycle",
                   box->name, stim->event->name, max);
        return false;
    }

    stim->tid = k[K_TID].n;
    stim->nid = k[K_NID].n;
    stim->nc = k[K_NC].n;
    stim->opc = value_or(k, K_OPC, box->type->kind == UNCORE_CBOX ? 0x182 : 0);
    stim->addr = k[K_ADDR].n;
    stim->mhz = value_or(k, K_FREQ, box->socket->uncore->mhz[UNCORE_UCLK]);
    stim_occupancy(k, stim);

    if (k[K_STATE].text && !stim_state(box, k[K_STATE].text, stim, errp)) {
        return false;
    }
    if (stim->opc > (box->type->kind == UNCORE_CBOX ? 0x1ff :
                     box->type->kind == UNCORE_HA ? 0x3f : 0xf)) {
        error_setg(errp, "%s: opc 0x%x is too wide", box->name, stim->opc);
        return false;
    }
    /* Tables 2-88 and 2-89 */
    stim->packet[0] = k[K_RNID].n >> 4 << 31 |
                      k[K_DNID].n << 13 |
                      k[K_MC].n << 9 |
                      k[K_OPC].n << 5 |
                      k[K_VNW].n << 3;
    stim->packet[1] = k[K_RDS].n << 16 |
                      (k[K_RNID].n & 0xf);
    return true;
}

UncoreSocket *uncore_parse_socket(UncoreModel *u, const char **args,
                                  Error **errp)
{
    unsigned socket;
    const char *end;

    if (model_strtoui(*args, &end, 10, &socket) || (*end && *end != ' ')) {
        error_setg(errp, "socket and box are missing");
        return NULL;
    }
    if (socket >= u->sockets) {
        error_setg(errp, "no socket %u in this machine", socket);
        return NULL;
    }
    *args = end + (*end == ' ');
    return &u->socket[socket];
}

UncoreBox *uncore_parse_box(UncoreModel *u, const char **args, Error **errp)
{
    UncoreSocket *s = uncore_parse_socket(u, args, errp);
    size_t len = strcspn(*args, " ");
    g_autofree char *name = g_strndup(*args, len);
    UncoreBox *box;

    if (!s) {
        return NULL;
    }
    if (!len) {
        error_setg(errp, "socket and box are missing");
        return NULL;
    }
    box = uncore_box_by_name(s, name);
    if (!box) {
        error_setg(errp, "socket %u has no box '%s'", s->id, name);
        return NULL;
    }
    *args += len + ((*args)[len] == ' ');
    return box;
}

/* stim SOCKET BOX KEY=VALUE,... */
static ModelStatus stim_command(void *opaque, const char *args, GString *out,
                                Error **errp)
{
    UncoreBox *box = uncore_parse_box(opaque, &args, errp);
    g_auto(GStrv) items = NULL;
    UncoreStim stim = { .state = 1 << 2 };
    ModelKey maxima[K_MAX];
    ModelValue k[K_MAX];

    if (!box) {
        return MODEL_STATUS_ERROR;
    }
    set_maxima(box, maxima);
    items = model_parse_keys(maxima, K_MAX, BIT(box->type->kind), box->name,
                             args, k, errp);
    if (!items) {
        return MODEL_STATUS_ERROR;
    }
    if (k[K_FREQ].text && !items[1]) {
        uncore_pcu_frequency(box->socket, k[K_FREQ].n);
        return MODEL_STATUS_OK;
    }
    if (!stim_fill(box, k, &stim, errp)) {
        return MODEL_STATUS_ERROR;
    }
    uncore_pmon_sync(box);
    uncore_pmon_happen(box, &stim);
    return MODEL_STATUS_OK;
}

enum { CTR, VALUE, AFTER };

static const ModelKey ctr_keys[] = {
    [CTR] = { "ctr", BIT(false) | BIT(true), .text = true },
    [VALUE] = { "value", BIT(false) | BIT(true), UINT64_MAX },
    [AFTER] = { "after", BIT(true), .text = true },
};

/* Change a counter now, or if @tear, after a read of one half. */
static ModelStatus change(UncoreModel *u, const char *args, bool tear,
                          Error **errp)
{
    UncoreBox *box = uncore_parse_box(u, &args, errp);
    g_auto(GStrv) items = NULL;
    ModelValue k[ARRAY_SIZE(ctr_keys)];
    unsigned ctr = UNCORE_FIXED;
    bool high;

    if (box) {
        items = model_parse_keys(ctr_keys, ARRAY_SIZE(ctr_keys), BIT(tear),
                                 box->name, args, k, errp);
    }
    if (!items) {
        return MODEL_STATUS_ERROR;
    }
    if (!k[CTR].text || !k[VALUE].text) {
        error_setg(errp, "ctr=N,value=V is missing");
        return MODEL_STATUS_ERROR;
    }
    if ((!box->type->fixed_ctl_addr || strcmp(k[CTR].text, "fixed")) &&
        (model_strtoui(k[CTR].text, NULL, 10, &ctr) ||
         ctr >= box->type->ctrs)) {
        error_setg(errp, "%s has no counter '%s'", box->name, k[CTR].text);
        return MODEL_STATUS_ERROR;
    }
    if (k[VALUE].n & ~uncore_ctr_mask(box, ctr)) {
        error_setg(errp, "the counter has %u bits", uncore_ctr_width(box, ctr));
        return MODEL_STATUS_ERROR;
    }
    if (!tear) {
        uncore_pmon_sync(box);
        box->ctr[ctr] = k[VALUE].n;
        return MODEL_STATUS_OK;
    }
    high = !g_strcmp0(k[AFTER].text, "hi");
    if (box->type->msr || (!high && g_strcmp0(k[AFTER].text, "lo"))) {
        error_setg(errp, box->type->msr ?
                   "%s: an MSR is read whole, there is nothing to tear" :
                   "%s: after=lo or after=hi is missing", box->name);
        return MODEL_STATUS_ERROR;
    }
    box->tear[ctr] = (UncoreTear) {
        .armed = true, .high = high, .value = k[VALUE].n,
    };
    return MODEL_STATUS_OK;
}

/* set SOCKET BOX ctr=N,value=V */
static ModelStatus set_command(void *opaque, const char *args, GString *out,
                               Error **errp)
{
    return change(opaque, args, false, errp);
}

/* tear SOCKET BOX ctr=N,value=V,after=lo|hi */
static ModelStatus tear_command(void *opaque, const char *args, GString *out,
                                Error **errp)
{
    return change(opaque, args, true, errp);
}

/* get SOCKET BOX: print all registers, without access counters or torn reads */
static ModelStatus get_command(void *opaque, const char *args, GString *out,
                               Error **errp)
{
    UncoreBox *box = uncore_parse_box(opaque, &args, errp);
    UncoreReg regs[UNCORE_MAX_REGS];
    unsigned n;

    if (!box) {
        return MODEL_STATUS_ERROR;
    }
    if (*args) {
        error_setg(errp, "get takes a box and nothing else");
        return MODEL_STATUS_ERROR;
    }
    n = uncore_box_regs(box, regs);
    for (unsigned i = 0; i < n; i++) {
        uncore_print_reg(box, regs[i], out);
    }
    return MODEL_STATUS_OK;
}

/* events: print the event table, for comparison with other lists */
static ModelStatus events_command(void *opaque, const char *args, GString *out,
                                  Error **errp)
{
    UncoreModel *u = opaque;
    unsigned g = u->generation - 1;

    for (int kind = 0; kind < UNCORE_KINDS; kind++) {
        for (const UncoreEvent *e = uncore_events(g, kind); e->name; e++) {
            g_autofree char *name = g_ascii_strdown(e->name, -1);

            g_string_append_printf(out, "%s %s ext=%u code=0x%02x ctrs=0x%x ",
                                   uncore_box_types[g][kind].name, name, e->ext,
                                   e->code, e->note_ctrs ?: e->ctrs);
            if (e->max_inc_blank) {
                g_string_append(out, "max_inc=? ");
            } else {
                g_string_append_printf(out, "max_inc=%u ", e->max_inc);
            }
            g_string_append_printf(out, "umasks=0x%02x%s\n",
                                   e->umask_bits | e->list_umask,
                                   e->list ? " list" : "");
        }
    }
    return MODEL_STATUS_OK;
}

void uncore_stim_init(UncoreModel *u)
{
    model_console_register("events", events_command, u);
    model_console_register("stim", stim_command, u);
    model_console_register("set", set_command, u);
    model_console_register("tear", tear_command, u);
    model_console_register("get", get_command, u);
}
