/*
 * Guest commands for event injection: events, raw counter values and torn
 * reads; and a dump of a box's registers
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qemu/bitops.h"
#include "qemu/host-utils.h"
#include "snbep.h"
#include "model-console.h"

/* Mask of box types that support a key */
#define ANY     (BIT(SNBEP_KINDS) - 1)
#define CBOX    BIT(SNBEP_CBOX)
#define HA      BIT(SNBEP_HA)
#define PCU     BIT(SNBEP_PCU)
#define QPI     BIT(SNBEP_QPI)

typedef enum Key {
    K_EVENT, K_EXT, K_UMASK, K_COUNT, K_INC,
    K_TID, K_STATE, K_NID, K_NC, K_OPC, K_ADDR,
    K_RDS, K_RNID, K_DNID, K_MC, K_VNW,
    K_FREQ, K_C0, K_C3, K_C6,
    K_MAX
} Key;

static const struct {
    const char *name;
    uint32_t kinds;
    uint64_t max;
} keys[K_MAX] = {
    [K_EVENT] = { "event", ANY, 0x1ff },
    [K_EXT] = { "ext", PCU | QPI, 1 },
    [K_UMASK] = { "umask", ANY, 0xff },
    [K_COUNT] = { "count", ANY, UINT64_MAX },
    [K_INC] = { "inc", ANY, 255 },
    [K_TID] = { "tid", CBOX },
    [K_STATE] = { "state", CBOX },
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

typedef struct Keys {
    uint64_t value[K_MAX];
    bool given[K_MAX];
} Keys;

static const char names_state[] = "ISEMF";   /* bit 0 to 4 */

static bool parse_value(Key k, const char *s, uint64_t *v)
{
    if (k == K_STATE && s[0] && !s[1] && strchr(names_state, s[0])) {
        *v = 1u << (strchr(names_state, s[0]) - names_state);
        return true;
    }
    return !qemu_strtou64(s, NULL, 0, v);
}

/* Return the maximum value of a key. */
static uint64_t key_max(const SnbepBox *box, Key k)
{
    const uint64_t *m = box->type->match;

    switch (box->type->kind == SNBEP_CBOX ? k : K_MAX) {
    case K_TID:
        return m[SNBEP_M_TID] >> ctz64(m[SNBEP_M_TID]);
    case K_STATE:
        return m[SNBEP_M_STATE] >> ctz64(m[SNBEP_M_STATE]);
    case K_NID:
        return ctpop64(m[SNBEP_M_NID]) - 1;
    case K_NC:
        return ctpop64(m[SNBEP_M_NC]);
    default:
        return keys[k].max;
    }
}

static bool parse_key(SnbepBox *box, const char *item, Keys *keys_out,
                      Error **errp)
{
    const char *eq = strchr(item, '=');
    size_t len = eq ? eq - item : strlen(item);

    for (int k = 0; k < K_MAX; k++) {
        uint64_t *v = &keys_out->value[k];

        if (strlen(keys[k].name) != len || strncmp(keys[k].name, item, len) ||
            !(keys[k].kinds & BIT(box->type->kind))) {
            continue;
        }
        if (!eq || !parse_value(k, eq + 1, v)) {
            error_setg(errp, "%s: no value of %s", item, keys[k].name);
            return false;
        }
        if (*v > key_max(box, k)) {
            error_setg(errp, "%s: at most 0x%" PRIx64, item, key_max(box, k));
            return false;
        }
        if (keys_out->given[k]) {
            error_setg(errp, "%s: given twice", item);
            return false;
        }
        keys_out->given[k] = true;
        return true;
    }
    error_setg(errp, "%s knows no '%.*s'", box->name, (int)len, item);
    return false;
}

static uint64_t value_or(const Keys *k, Key key, uint64_t otherwise)
{
    return k->given[key] ? k->value[key] : otherwise;
}

static bool stim_event(SnbepBox *box, const Keys *k, SnbepStim *stim,
                       Error **errp)
{
    SnbepKind kind = box->type->kind;
    uint64_t code = k->value[K_EVENT];
    bool ext = value_or(k, K_EXT, code >> 8);
    const SnbepEvent *e;

    if (!k->given[K_EVENT]) {
        error_setg(errp, "%s: no event given", box->name);
        return false;
    }
    if ((code >> 8) && (k->given[K_EXT] || (kind != SNBEP_PCU &&
                                            kind != SNBEP_QPI))) {
        error_setg(errp, "event is 0 to 0xff, with ext beside it");
        return false;
    }
    code &= 0xff;
    e = snbep_event_find(kind, code, ext);
    if (!e && kind == SNBEP_PCU && (code & 0x80)) {
        e = snbep_event_find(kind, code & 0x7f, ext);
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

static bool stim_umask(SnbepBox *box, const Keys *k, SnbepStim *stim,
                       Error **errp)
{
    const SnbepEvent *e = stim->event;
    uint8_t bits = stim->occupancy ? 0xc0 : e->umask_bits;

    bits |= e->list_umask;
    stim->umask = value_or(k, K_UMASK, e->umask == SNBEP_UM_BITS ? bits : 0);
    if (stim->umask & ~bits) {
        error_setg(errp, "%s: %s has no unit mask bits 0x%02x", box->name,
                   e->name, stim->umask & ~bits);
        return false;
    }
    if (!k->given[K_UMASK] && bits && e->umask != SNBEP_UM_BITS &&
        e->umask != SNBEP_UM_OCC_SEL && !stim->occupancy) {
        error_setg(errp, "%s: %s needs a umask: what happened", box->name,
                   e->name);
        return false;
    }
    return true;
}

/* For occupancy events, inc is the occupancy that the umask selects. */
static void stim_occupancy(const Keys *k, SnbepStim *stim)
{
    if (stim->event->umask == SNBEP_UM_OCC_SEL || stim->occupancy) {
        stim->occ[stim->umask >> 6] = stim->inc;
        stim->occ[0] = 0;
        stim->inc = 1;
    }
    stim->occ[1] = value_or(k, K_C0, stim->occ[1]);
    stim->occ[2] = value_or(k, K_C3, stim->occ[2]);
    stim->occ[3] = value_or(k, K_C6, stim->occ[3]);
}

static bool stim_fill(SnbepBox *box, const Keys *k, SnbepStim *stim,
                      Error **errp)
{
    unsigned max;

    if (!stim_event(box, k, stim, errp) || !stim_umask(box, k, stim, errp)) {
        return false;
    }
    stim->count = value_or(k, K_COUNT, 1);
    stim->inc = value_or(k, K_INC, 1);
    max = stim->occupancy ? 8 : stim->event->max_inc;
    if (stim->inc > max) {
        error_setg(errp, "%s: %s increments by at most %u per cycle",
                   box->name, stim->event->name, max);
        return false;
    }

    stim->tid = value_or(k, K_TID, 0);
    stim->state = value_or(k, K_STATE, 1 << 2);
    stim->nid = value_or(k, K_NID, 0);
    stim->nc = value_or(k, K_NC, 0);
    stim->opc = value_or(k, K_OPC, box->type->kind == SNBEP_CBOX ? 0x182 : 0);
    stim->addr = value_or(k, K_ADDR, 0);
    stim->mhz = value_or(k, K_FREQ, box->socket->uncore->mhz[SNBEP_UCLK]);
    stim_occupancy(k, stim);

    if (ctpop8(stim->state) != 1) {
        error_setg(errp, "a line is in one state: I, S, E, M or F");
        return false;
    }
    if (stim->opc > (box->type->kind == SNBEP_CBOX ? 0x1ff :
                     box->type->kind == SNBEP_HA ? 0x3f : 0xf)) {
        error_setg(errp, "%s: opc 0x%x is too wide", box->name, stim->opc);
        return false;
    }
    /* Tables 2-88 and 2-89 */
    stim->packet[0] = value_or(k, K_RNID, 0) >> 4 << 31 |
                      value_or(k, K_DNID, 0) << 13 |
                      value_or(k, K_MC, 0) << 9 |
                      value_or(k, K_OPC, 0) << 5 |
                      value_or(k, K_VNW, 0) << 3;
    stim->packet[1] = value_or(k, K_RDS, 0) << 16 |
                      (value_or(k, K_RNID, 0) & 0xf);
    return true;
}

SnbepSocket *snbep_parse_socket(SnbepUncore *u, const char **args,
                                Error **errp)
{
    unsigned socket;
    const char *end;

    if (qemu_strtoui(*args, &end, 10, &socket) || (*end && *end != ' ')) {
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

SnbepBox *snbep_parse_box(SnbepUncore *u, const char **args, Error **errp)
{
    SnbepSocket *s = snbep_parse_socket(u, args, errp);
    size_t len = strcspn(*args, " ");
    g_autofree char *name = g_strndup(*args, len);
    SnbepBox *box;

    if (!s) {
        return NULL;
    }
    if (!len) {
        error_setg(errp, "socket and box are missing");
        return NULL;
    }
    box = snbep_box_by_name(s, name);
    if (!box) {
        error_setg(errp, "socket %u has no box '%s'", s->id, name);
        return NULL;
    }
    *args += len + ((*args)[len] == ' ');
    return box;
}

/* stim SOCKET BOX KEY=VALUE,... */
static bool stim_command(void *opaque, const char *args, GString *out,
                         Error **errp)
{
    SnbepBox *box = snbep_parse_box(opaque, &args, errp);
    g_auto(GStrv) items = NULL;
    SnbepStim stim = { 0 };
    Keys k = { 0 };

    if (!box) {
        return false;
    }
    items = g_strsplit(args, ",", -1);
    for (char **i = items; *i; i++) {
        if (!parse_key(box, *i, &k, errp)) {
            return false;
        }
    }
    if (k.given[K_FREQ] && !items[1]) {
        snbep_pcu_frequency(box->socket, k.value[K_FREQ]);
    } else if (stim_fill(box, &k, &stim, errp)) {
        snbep_pmon_sync(box);
        snbep_pmon_happen(box, &stim);
    }
    return false;
}

typedef struct CtrKeys {
    int ctr;            /* SNBEP_MAX_CTRS: the fixed counter */
    uint64_t value;
    bool high;
    bool has_ctr, has_value, has_after;
} CtrKeys;

static bool parse_ctr_key(SnbepBox *box, const char *item, CtrKeys *k)
{
    unsigned ctr;

    if (g_str_has_prefix(item, "value=")) {
        k->has_value = !qemu_strtou64(item + 6, NULL, 0, &k->value);
        return k->has_value;
    }
    if (g_str_has_prefix(item, "after=")) {
        k->has_after = true;
        k->high = !strcmp(item + 6, "hi");
        return k->high || !strcmp(item + 6, "lo");
    }
    if (!g_str_has_prefix(item, "ctr=")) {
        return false;
    }
    item += 4;
    k->has_ctr = true;
    if (!strcmp(item, "fixed")) {
        k->ctr = SNBEP_MAX_CTRS;
        return box->type->fixed_ctl_addr;
    }
    k->ctr = qemu_strtoui(item, NULL, 10, &ctr) ? -1 : ctr;
    return k->ctr >= 0 && k->ctr < box->type->ctrs;
}

static bool parse_ctr_keys(SnbepBox *box, const char *args, CtrKeys *k,
                           Error **errp)
{
    g_auto(GStrv) items = g_strsplit(args, ",", -1);
    bool fixed;

    for (char **i = items; *i; i++) {
        if (!parse_ctr_key(box, *i, k)) {
            error_setg(errp, "%s: '%s' is not understood", box->name, *i);
            return false;
        }
    }
    if (!k->has_ctr || !k->has_value) {
        error_setg(errp, "ctr=N,value=V is missing");
        return false;
    }
    fixed = k->ctr == SNBEP_MAX_CTRS;
    if (k->value & ~snbep_ctr_mask(box, fixed)) {
        error_setg(errp, "the counter has %d bits",
                   fixed ? box->type->fixed_width : box->type->width);
        return false;
    }
    return true;
}

/* set SOCKET BOX ctr=N,value=V */
static bool set_command(void *opaque, const char *args, GString *out,
                        Error **errp)
{
    SnbepBox *box = snbep_parse_box(opaque, &args, errp);
    CtrKeys k = { 0 };

    if (!box || !parse_ctr_keys(box, args, &k, errp)) {
        return false;
    }
    if (k.has_after) {
        error_setg(errp, "after is for tear");
        return false;
    }
    snbep_pmon_sync(box);
    if (k.ctr == SNBEP_MAX_CTRS) {
        box->fixed_ctr = k.value;
    } else {
        box->ctr[k.ctr] = k.value;
    }
    return false;
}

/* tear SOCKET BOX ctr=N,value=V,after=lo|hi */
static bool tear_command(void *opaque, const char *args, GString *out,
                         Error **errp)
{
    SnbepBox *box = snbep_parse_box(opaque, &args, errp);
    CtrKeys k = { 0 };

    if (!box || !parse_ctr_keys(box, args, &k, errp)) {
        return false;
    }
    if (box->type->msr || !k.has_after) {
        error_setg(errp, box->type->msr ?
                   "%s: an MSR is read whole, there is nothing to tear" :
                   "%s: after=lo or after=hi is missing", box->name);
        return false;
    }
    box->tear[k.ctr] = (SnbepTear) {
        .armed = true, .high = k.high, .value = k.value,
    };
    return false;
}

/* get SOCKET BOX: print all registers, without access counters or torn reads */
static bool get_command(void *opaque, const char *args, GString *out,
                        Error **errp)
{
    SnbepBox *box = snbep_parse_box(opaque, &args, errp);
    SnbepReg regs[SNBEP_MAX_REGS];
    unsigned n;

    if (!box) {
        return false;
    }
    if (*args) {
        error_setg(errp, "get takes a box and nothing else");
        return false;
    }
    n = snbep_box_regs(box, regs);
    for (unsigned i = 0; i < n; i++) {
        snbep_print_reg(box, regs[i], out);
    }
    return false;
}

/* events: print the event table, for comparison with other lists */
static bool events_command(void *opaque, const char *args, GString *out,
                           Error **errp)
{
    for (int kind = 0; kind < SNBEP_KINDS; kind++) {
        for (const SnbepEvent *e = snbep_events[kind]; e->name; e++) {
            g_autofree char *name = g_ascii_strdown(e->name, -1);

            g_string_append_printf(out, "%s %s ext=%u code=0x%02x ctrs=0x%x ",
                                   snbep_box_types[kind].name, name, e->ext,
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
    return false;
}

void snbep_stim_init(SnbepUncore *u)
{
    model_console_register("events", events_command, u);
    model_console_register("stim", stim_command, u);
    model_console_register("set", set_command, u);
    model_console_register("tear", tear_command, u);
    model_console_register("get", get_command, u);
}
