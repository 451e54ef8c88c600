/*
 * Commands of the guest for units with discovery tables: events, registers,
 * protocol checker and access counters
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qapi/error.h"
#include "discovery.h"
#include "model-console.h"

static ModelFindings *findings;

void disc_found(Discovery *d, const char *box, const char *op, uint64_t addr,
                uint64_t value, const char *rule)
{
    g_autofree char *where =
        g_strdup_printf("socket=%u box=%s reg=0x%" PRIx64 " op=%s value=0x%08"
                        PRIx64, d->number, box, addr, op, value);

    model_findings_add(findings, where, rule);
}

/* Parse "SOCKET UNIT rest", and move @args to the rest. */
static DiscUnit *parse_unit(const char **args, Error **errp)
{
    g_autoptr(GString) all = g_string_new(NULL);
    g_autofree char *name = NULL;
    unsigned n;
    const char *rest;
    Discovery *d;

    if (model_strtoui(*args, &rest, 10, &n) || *rest++ != ' ' ||
        n >= DISC_MAX_DIES || !disc_die[n]) {
        error_setg(errp, "no socket and unit in '%s'", *args);
        return NULL;
    }
    d = disc_die[n];
    name = g_strndup(rest, strcspn(rest, " "));
    rest += strlen(name);
    *args = rest + (*rest == ' ');
    for (unsigned i = 0; i < d->units; i++) {
        if (!strcmp(d->unit[i].name, name)) {
            return &d->unit[i];
        }
        g_string_append_printf(all, " %s", d->unit[i].name);
    }
    error_setg(errp, "socket %u has no unit '%s', but%s", n, name, all->str);
    return NULL;
}

enum { EVENT, UMASK, COUNT, INC, CTR, VALUE, AFTER, KEYS };

#define EVENTS      BIT(0)      /* of a unit with controls */
#define ALWAYS      BIT(1)      /* of counters that always run */
#define SET         BIT(2)
#define TEAR        BIT(3)

static const ModelKey keys[KEYS] = {
    [EVENT] = { "event", EVENTS, 0xff },
    [UMASK] = { "umask", EVENTS, MAKE_64BIT_MASK(0, 40) },
    [COUNT] = { "count", EVENTS | ALWAYS, UINT64_MAX, 1 },
    [INC] = { "inc", EVENTS, 255, 1 },
    [CTR] = { "ctr", ALWAYS | SET | TEAR, .text = true },
    [VALUE] = { "value", SET | TEAR, UINT64_MAX },
    [AFTER] = { "after", TEAR, .text = true },
};

static void set_counter(DiscUnit *u, const ModelValue *k, unsigned kind,
                        Error **errp)
{
    uint64_t ctr = DISC_FIXED, value = k[VALUE].n;
    bool fixed = u->fixed_ctr && !g_strcmp0(k[CTR].text, "fixed");

    if (!fixed && (!k[CTR].text || model_strtou64(k[CTR].text, NULL, 0, &ctr) ||
                   ctr >= u->counters)) {
        error_setg(errp, "%s has %u counters, and ctr= of 0 is the first one",
                   u->name, u->counters);
    } else if (value & ~disc_unit_mask(u)) {
        error_setg(errp, "the counter has %u bits", u->width);
    } else if (kind == ALWAYS) {
        u->counter[ctr] = (u->counter[ctr] + k[COUNT].n) & disc_unit_mask(u);
    } else if (kind == SET) {
        u->counter[ctr] = value;
    } else if (g_strcmp0(k[AFTER].text, "lo") || u->access == DISC_MSR) {
        error_setg(errp, "%s: after=lo, of a counter that is read in halves",
                   u->name);
    } else {
        u->torn = true;
        u->torn_ctr = ctr;
        u->tear = value;
    }
}

static void change_unit(const char *args, unsigned kind, Error **errp)
{
    DiscUnit *u = parse_unit(&args, errp);
    g_auto(GStrv) items = NULL;
    ModelValue k[KEYS];

    if (!u) {
        return;
    }
    kind = kind == EVENTS && !u->controls ? ALWAYS : kind;
    items = model_parse_keys(keys, KEYS, kind, u->name, args, k, errp);
    if (!items) {
        return;
    }
    disc_unit_sync(u);
    if (kind != EVENTS) {
        set_counter(u, k, kind, errp);
    } else if (!k[EVENT].text) {
        error_setg(errp, "%s: no event given", u->name);
    } else if (u->mhz && k[EVENT].n == !u->e5) {
        error_setg(errp, "%s: event %d is a clock and follows the virtual time",
                   u->name, !u->e5);
    } else {
        disc_unit_happen(u, k[EVENT].n, k[UMASK].n, k[COUNT].n, k[INC].n);
    }
}

/*
 * stim SOCKET UNIT event=E,umask=U,count=N,inc=I, or ctr=C,count=N
 * set SOCKET UNIT ctr=N,value=V, or ctr=fixed,value=V
 * tear SOCKET UNIT ctr=N,value=V,after=lo
 */
static ModelStatus change_command(void *opaque, const char *args, GString *out,
                                  Error **errp)
{
    ERRP_GUARD();

    change_unit(args, GPOINTER_TO_UINT(opaque), errp);
    return *errp ? MODEL_STATUS_ERROR : MODEL_STATUS_OK;
}

/* get SOCKET UNIT: print its registers */
static ModelStatus get_command(void *opaque, const char *args,
                               GString *out, Error **errp)
{
    DiscUnit *u = parse_unit(&args, errp);

    if (!u) {
        return MODEL_STATUS_ERROR;
    }
    disc_unit_sync(u);
    if (u->box) {
        g_string_append_printf(out, "%s_BOX_CTL=0x%08x\n", u->name,
                               u->box_ctl);
    }
    for (int i = 0; i < u->counters; i++) {
        if (u->controls) {
            g_string_append_printf(out, "%s_CTL%d=0x%08" PRIx64 "\n", u->name,
                                   i, u->control[i]);
        }
        g_string_append_printf(out, "%s_CTR%d=0x%012" PRIx64 "\n", u->name, i,
                               u->counter[i]);
    }
    for (int i = 0; i < u->filters; i++) {
        g_string_append_printf(out, "%s_FILTER%d=0x%08" PRIx64 "\n", u->name,
                               i, u->filter[i]);
    }
    return MODEL_STATUS_OK;
}

static ModelStatus accesses_command(void *opaque, const char *args,
                                    GString *out, Error **errp)
{
    if (*args && strcmp(args, "reset")) {
        error_setg(errp, "'%s' is not understood: only 'reset' may follow",
                   args);
        return MODEL_STATUS_ERROR;
    }
    for (int n = 0; n < DISC_MAX_DIES; n++) {
        Discovery *d = disc_die[n];

        for (unsigned i = 0; d && i < d->units; i++) {
            DiscUnit *u = &d->unit[i];

            g_string_append_printf(out, "socket=%d box=%s kind=%s reads=%"
                                   PRIu64 " writes=%" PRIu64 "\n", n, u->name,
                                   disc_access_name[u->access], u->reads,
                                   u->writes);
            if (*args) {
                u->reads = u->writes = 0;
            }
        }
    }
    return MODEL_STATUS_OK;
}

void disc_console_init(void)
{
    findings = model_findings_new();
    model_console_register("stim", change_command, GUINT_TO_POINTER(EVENTS));
    model_console_register("set", change_command, GUINT_TO_POINTER(SET));
    model_console_register("tear", change_command, GUINT_TO_POINTER(TEAR));
    model_console_register("get", get_command, NULL);
    model_console_register("checker", model_findings_answer, findings);
    model_console_register("accesses", accesses_command, NULL);
}
