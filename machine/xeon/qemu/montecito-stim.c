/*
 * Montecito: commands of the guest
 *
 *   montecito [cpu=N] event KEY=VALUE,...    events
 *   montecito [cpu=N] dear KEY=VALUE,...     misses for the data EAR
 *   montecito [cpu=N] iear KEY=VALUE,...     misses for the instruction EAR
 *   montecito [cpu=N] branch KEY=VALUE,...   branches
 *   montecito [cpu=N] retire KEY=VALUE,...   retired instructions, for IP-EAR
 *   montecito [cpu=N] set ibr=N,value=V      a breakpoint register's, or dbr=N
 *   montecito checker [reset]
 *   montecito accesses [reset]
 *
 * Default of cpu= is the CPU that issues the command.
 *
 * Several of the first five may stand in one command:
 *
 *   montecito branch ip=0x400,to=0x500 branch ip=0x510,to=0x600 event event=8
 *
 * They are executed in this order, without interruption by the guest except
 * for interrupts of their own overflows. Between separate commands, the guest
 * may run another task.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qapi/error.h"
#include "hw/core/cpu.h"
#include "montecito.h"
#include "model-console.h"

#define EVENT   BIT(MONT_EVENT)
#define DEAR    BIT(MONT_DEAR)
#define IEAR    BIT(MONT_IEAR)
#define BRANCH  BIT(MONT_BRANCH)
#define RETIRE  BIT(MONT_RETIRE)
#define EVERY   (EVENT | DEAR | IEAR | BRANCH | RETIRE)

static const struct {
    const char *name;
    unsigned kinds;
    uint64_t max;
    uint64_t value;     /* if not given */
} keys[K_MAX] = {
    [K_EVENT] = { "event", EVENT, 0xff, 0 },
    [K_UMASK] = { "umask", EVENT, 0xf, 0 },
    [K_COUNT] = { "count", EVERY, UINT64_MAX, 1 },
    [K_INC] = { "inc", EVENT, 7, 1 },
    [K_CPL] = { "cpl", EVERY, 3, 3 },
    [K_MESI] = { "mesi", EVENT, 0xf, 0xf },
    [K_OTHER] = { "other", EVENT, 1, 0 },   /* the core's other thread */
    [K_IP] = { "ip", EVERY, UINT64_MAX, 0 },
    [K_SLOT] = { "slot", DEAR | BRANCH, 2, 0 },
    [K_DATA] = { "data", EVENT | DEAR, UINT64_MAX, 0 },
    [K_OPCODE] = { "opcode", EVENT | DEAR | BRANCH, (1ull << 41) - 1, 0 },
    [K_ITYPE] = { "itype", EVENT | DEAR | BRANCH, 0xf, 8 }, /* m, i, f, b */
    [K_STEP] = { "step", DEAR, UINT64_MAX, 0 },     /* of data */
    [K_MODE] = { "mode", DEAR | IEAR, 2, 0 },       /* cache, tlb, alat */
    [K_LATENCY] = { "latency", DEAR | IEAR, UINT32_MAX, 0 },
    [K_HIT] = { "hit", DEAR | IEAR, 3, 1 },         /* l2, vhpt, fault */
    [K_RAB] = { "rab", IEAR, 1, 0 },
    [K_VL] = { "vl", DEAR, 1, 1 },
    [K_TO] = { "to", BRANCH, UINT64_MAX, 0 },
    [K_TAKEN] = { "taken", BRANCH, 1, 1 },
    [K_TARGET] = { "target_ok", BRANCH, 1, 1 },
    [K_PATH] = { "path_ok", BRANCH, 1, 1 },
    [K_BRT] = { "type", BRANCH, 3, 1 },     /* IP-relative, return, indirect */
    [K_NEXT] = { "next", BRANCH, 1, 0 },
    [K_BUNDLE1] = { "bundle1", DEAR | BRANCH, 1, 0 },
    [K_FLUSH] = { "flush", BRANCH | RETIRE, 1, 0 },
    [K_CYCLES] = { "cycles", RETIRE, 63, 1 },
    [K_EF] = { "ef", RETIRE, 1, 0 },
};

static const char *const kinds[] = {
    [MONT_EVENT] = "event",
    [MONT_DEAR] = "dear",
    [MONT_IEAR] = "iear",
    [MONT_BRANCH] = "branch",
    [MONT_RETIRE] = "retire",
};

static bool parse_item(MontStim *s, const char *item, Error **errp)
{
    const char *eq = strchr(item, '=');
    size_t len = eq ? eq - item : strlen(item);

    for (unsigned k = 0; k < K_MAX; k++) {
        if (strlen(keys[k].name) != len || strncmp(keys[k].name, item, len) ||
            !(keys[k].kinds & BIT(s->kind))) {
            continue;
        }
        if (!eq || qemu_strtou64(eq + 1, NULL, 0, &s->v[k]) ||
            s->v[k] > keys[k].max) {
            error_setg(errp, "%s is a number up to 0x%" PRIx64, keys[k].name,
                       keys[k].max);
            return false;
        }
        return true;
    }
    error_setg(errp, "%s has no key '%.*s'", kinds[s->kind], (int)len, item);
    return false;
}

static int kind_of(const char *word)
{
    for (unsigned k = 0; k < ARRAY_SIZE(kinds); k++) {
        if (!strcmp(word, kinds[k])) {
            return k;
        }
    }
    return -1;
}

static char *next_word(const char **text)
{
    char *word = g_strndup(*text, strcspn(*text, " "));

    *text += strlen(word);
    *text += strspn(*text, " ");
    return word;
}

static bool parse_stim(MontStim *s, const char *args, Error **errp)
{
    g_auto(GStrv) items = g_strsplit(args, ",", -1);

    for (unsigned k = 0; k < K_MAX; k++) {
        s->v[k] = keys[k].value;
    }
    for (char **i = items; *i; i++) {
        if (**i && !parse_item(s, *i, errp)) {
            return false;
        }
    }
    if (s->kind == MONT_EVENT && !mont_event(s->v[K_EVENT])) {
        error_setg(errp, "no event has code 0x%" PRIx64, s->v[K_EVENT]);
        return false;
    }
    return true;
}

/* Parse a command, and append its injections to @row. */
static bool parse_row(GQueue *row, const char *args, Error **errp)
{
    do {
        g_autofree char *word = next_word(&args);
        const char *after = args;
        g_autofree char *items = next_word(&after);
        bool given = kind_of(items) < 0;
        int kind = kind_of(word);
        MontStim *s;

        if (kind < 0) {
            error_setg(errp, "montecito [cpu=N] event|dear|iear|branch|retire|"
                       "checker|accesses");
            return false;
        }
        if (given) {
            args = after;
        }
        s = g_new0(MontStim, 1);
        s->kind = kind;
        g_queue_push_tail(row, s);
        if (!parse_stim(s, given ? items : "", errp)) {
            return false;
        }
    } while (*args);
    return true;
}

/*
 * Parse the whole command before executing any of it. Injections that an
 * overflow stops are queued, and continue after the interrupt.
 */
static void happen(MontBank *b, const char *args, Error **errp)
{
    GQueue *row = g_queue_new();

    if (parse_row(row, args, errp)) {
        MontStim *s;

        while ((s = g_queue_pop_head(row))) {
            if (s->v[K_COUNT]) {
                g_queue_push_tail(b->work, s);
            } else {
                g_free(s);
            }
        }
        mont_run(b);
    }
    g_queue_free_full(row, g_free);
}

static bool accesses(MontecitoPmu *pmu, const char *args, GString *out,
                  Error **errp)
{
    if (*args && strcmp(args, "reset")) {
        error_setg(errp, "accesses [reset]");
        return false;
    }
    for (unsigned i = 0; i < pmu->cpus; i++) {
        MontBank *b = &pmu->bank[i];

        g_string_append_printf(out, "cpu %u reads %" PRIu64 " writes %" PRIu64
                               " interrupts %" PRIu64 "\n", i, b->reads,
                               b->writes, b->interrupts);
        if (*args) {
            b->reads = 0;
            b->writes = 0;
            b->interrupts = 0;
        }
    }
    return false;
}

static bool list(GString *out)
{
    for (unsigned code = 0; code < 256; code++) {
        const MontEvent *e = mont_event(code);

        if (e) {
            g_string_append_printf(out, "code=0x%x counters=0x%x set=%s "
                                   "quals=%s\n", code, e->counters, e->set,
                                   e->quals);
        }
    }
    return false;
}

/* What a debugger leaves in the breakpoint registers */
static bool set_breakpoint(MontBank *b, const char *args)
{
    uint64_t value;
    int len = 0;
    char kind;
    unsigned n;

    if (sscanf(args, "%cbr=%u,value=%n", &kind, &n, &len) != 2 || !len ||
        (kind != 'i' && kind != 'd') || n >= ARRAY_SIZE(b->ibr) ||
        qemu_strtou64(args + len, NULL, 0, &value)) {
        return false;
    }
    (kind == 'i' ? b->ibr : b->dbr)[n] = value;
    return true;
}

static bool command(void *opaque, const char *args, GString *out, Error **errp)
{
    MontecitoPmu *pmu = opaque;
    unsigned cpu = current_cpu ? model_cpu_number(current_cpu) : 0;
    g_autofree char *word = NULL;
    const char *rest;
    MontBank *b;

    if (!strncmp(args, "cpu=", 4)) {
        const char *end;

        if (qemu_strtoui(args + 4, &end, 0, &cpu) == -EINVAL) {
            error_setg(errp, "cpu= is a number");
            return false;
        }
        args = end + strspn(end, " ");
    }
    if (cpu >= pmu->cpus) {
        error_setg(errp, "there are %u processors", pmu->cpus);
        return false;
    }
    b = &pmu->bank[cpu];
    rest = args;
    word = next_word(&rest);

    if (!strcmp(word, "checker") || !strcmp(word, "judge")) {
        return model_findings_answer(pmu->findings, rest, out, errp);
    }
    if (!strcmp(word, "accesses") || !strcmp(word, "tally")) {
        return accesses(pmu, rest, out, errp);
    }
    if (!strcmp(word, "events")) {
        return list(out);
    }
    if (!strcmp(word, "set")) {
        if (!set_breakpoint(b, rest)) {
            error_setg(errp, "set ibr=0..7 or dbr=0..7, value=V");
        }
        return false;
    }
    happen(b, args, errp);
    return false;
}

void mont_stim_init(MontecitoPmu *pmu)
{
    model_console_register("montecito", command, pmu);
}
