/*
 * Commands of the guest: event injection into a core, and its registers
 *
 *   offcore request=NAME,response=NAME[,cpu=N][,count=N][,kernel=1]
 *   offcore request=NAME,supplier=NAME,snoop=NAME[,...]     Sandy Bridge
 *   core-pmu get [cpu=N]
 *   core-pmu expect usr=0|1,os=0|1,rsp=V
 *   core-pmu expect reset
 *   core-pmu checker [reset]
 *   core-pmu accesses [reset]
 *
 * Default of cpu= is the CPU that issues the command. With expect, the protocol
 * checker also compares the response register with RSP whenever a counter with
 * these USR and OS bits is enabled.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qemu/bitops.h"
#include "hw/core/cpu.h"
#include "core-pmu.h"
#include "model-console.h"

typedef enum Key {
    K_CPU, K_COUNT, K_KERNEL,
    K_USR, K_OS, K_RSP,
    K_REQUEST, K_RESPONSE, K_SUPPLIER, K_SNOOP,
    K_MAX
} Key;

static const struct {
    const char *name;
    bool text;
    uint64_t max;
} keys[K_MAX] = {
    [K_CPU] = { "cpu", false, CORE_PMU_MAX_CPUS - 1 },
    [K_COUNT] = { "count", false, UINT64_MAX },
    [K_KERNEL] = { "kernel", false, 1 },
    [K_USR] = { "usr", false, 1 },
    [K_OS] = { "os", false, 1 },
    [K_RSP] = { "rsp", false, UINT64_MAX },
    [K_REQUEST] = { "request", true },
    [K_RESPONSE] = { "response", true },
    [K_SUPPLIER] = { "supplier", true },
    [K_SNOOP] = { "snoop", true },
};

typedef struct Keys {
    bool given[K_MAX];
    uint64_t value[K_MAX];
    char *text[K_MAX];
} Keys;

static void keys_clear(Keys *k)
{
    for (int i = 0; i < K_MAX; i++) {
        g_free(k->text[i]);
    }
}

G_DEFINE_AUTO_CLEANUP_CLEAR_FUNC(Keys, keys_clear)

static bool parse_key(const char *item, uint32_t allowed, Keys *k, Error **errp)
{
    const char *eq = strchr(item, '=');
    size_t len = eq ? eq - item : strlen(item);

    for (int i = 0; i < K_MAX; i++) {
        if (!(allowed & BIT(i)) || strlen(keys[i].name) != len ||
            strncmp(keys[i].name, item, len)) {
            continue;
        }
        if (k->given[i]) {
            error_setg(errp, "%s: given twice", item);
            return false;
        }
        if (!eq || (!keys[i].text &&
                    (qemu_strtou64(eq + 1, NULL, 0, &k->value[i]) ||
                     k->value[i] > keys[i].max))) {
            error_setg(errp, "%s: no value of %s", item, keys[i].name);
            return false;
        }
        k->given[i] = true;
        if (keys[i].text) {
            k->text[i] = g_strdup(eq + 1);
        }
        return true;
    }
    error_setg(errp, "'%.*s' is not understood", (int)len, item);
    return false;
}

static bool parse_keys(const char *args, uint32_t allowed, Keys *k,
                       Error **errp)
{
    g_auto(GStrv) items = g_strsplit(args, ",", -1);

    for (char **i = items; *i; i++) {
        if (!parse_key(*i, allowed, k, errp)) {
            return false;
        }
    }
    return true;
}

static uint64_t value_or(const Keys *k, Key key, uint64_t otherwise)
{
    return k->given[key] ? k->value[key] : otherwise;
}

static CorePmuCPU *chosen_cpu(CorePmu *pmu, const Keys *k, Error **errp)
{
    CPUState *cs = current_cpu;

    if (k->given[K_CPU]) {
        cs = model_cpu_numbered(k->value[K_CPU]);
    }
    if (!cs) {
        error_setg(errp, "no such CPU in this machine");
        return NULL;
    }
    return core_pmu_cpu(pmu, X86_CPU(cs));
}

static bool find_field(const CorePmuModel *m, OffcoreKind kind,
                       const char *what, const char *name, uint64_t *mask,
                       Error **errp)
{
    *mask = name ? offcore_named(m, kind, name) : 0;
    if (*mask) {
        return true;
    }
    error_setg(errp, "%s: %s has no %s '%s'", what, m->name, what,
               name ?: "(none given)");
    return false;
}

/* offcore ...: an offcore transaction */
static bool offcore_command(void *opaque, const char *args, GString *out,
                            Error **errp)
{
    g_auto(Keys) k = { };
    CorePmuStim stim = { };
    const CorePmuModel *m;
    CorePmuCPU *c;
    bool snoops;

    if (!parse_keys(args, BIT(K_CPU) | BIT(K_COUNT) | BIT(K_KERNEL) |
                    BIT(K_REQUEST) | BIT(K_RESPONSE) | BIT(K_SUPPLIER) |
                    BIT(K_SNOOP), &k, errp)) {
        return false;
    }
    c = chosen_cpu(opaque, &k, errp);
    if (!c) {
        return false;
    }
    m = core_pmu_model(c);
    if (!m) {
        error_setg(errp, "this processor's offcore responses are not known");
        return false;
    }
    snoops = offcore_mask(m, OFFCORE_SNOOP);
    if (k.given[snoops ? K_RESPONSE : K_SUPPLIER] ||
        (!snoops && k.given[K_SNOOP])) {
        error_setg(errp, "%s has %s", m->name, snoops ?
                   "supplier= and snoop=" : "response=");
        return false;
    }
    if (!find_field(m, OFFCORE_REQUEST, "request", k.text[K_REQUEST],
                    &stim.transaction.request, errp) ||
        !find_field(m, OFFCORE_RESPONSE, snoops ? "supplier" : "response",
                    k.text[snoops ? K_SUPPLIER : K_RESPONSE],
                    &stim.transaction.response, errp) ||
        (snoops && !find_field(m, OFFCORE_SNOOP, "snoop", k.text[K_SNOOP],
                               &stim.transaction.snoop, errp))) {
        return false;
    }
    stim.count = value_or(&k, K_COUNT, 1);
    stim.kernel = value_or(&k, K_KERNEL, 0);
    core_pmu_happen(c, &stim);
    return false;
}

static bool expect_command(CorePmu *pmu, const char *args, GString *out,
                           Error **errp)
{
    g_auto(Keys) k = { };
    unsigned who;

    if (!strcmp(args, "reset")) {
        memset(pmu->expects, 0, sizeof(pmu->expects));
        return false;
    }
    if (!parse_keys(args, BIT(K_USR) | BIT(K_OS) | BIT(K_RSP), &k, errp)) {
        return false;
    }
    who = k.value[K_USR] | k.value[K_OS] << 1;
    if (!who || !k.given[K_RSP]) {
        error_setg(errp, "usr=1 or os=1 or both, and rsp=V, are needed");
        return false;
    }
    pmu->expects[who] = true;
    pmu->expected[who] = k.value[K_RSP];
    return false;
}

static void dump(GString *out, const char *name, int index, uint64_t value)
{
    g_string_append(out, name);
    if (index >= 0) {
        g_string_append_printf(out, "%d", index);
    }
    g_string_append_printf(out, "=0x%" PRIx64 "\n", value);
}

static bool get_command(CorePmu *pmu, const char *args, GString *out,
                        Error **errp)
{
    g_auto(Keys) k = { };
    CorePmuCPU *c;
    const CorePmuModel *m;

    if (*args && !parse_keys(args, BIT(K_CPU), &k, errp)) {
        return false;
    }
    c = chosen_cpu(pmu, &k, errp);
    if (!c) {
        return false;
    }
    m = core_pmu_model(c);
    core_pmu_sync(c);
    for (unsigned i = 0; i < pmu->counters; i++) {
        dump(out, "PERFEVTSEL", i, c->evtsel[i]);
        dump(out, "PMC", i, c->ctr[i]);
    }
    for (unsigned i = 0; i < CORE_PMU_FIXED; i++) {
        dump(out, "FIXED_CTR", i, c->ctr[CORE_PMU_FIXED0 + i]);
    }
    for (unsigned i = 0; m && i < m->rsps; i++) {
        dump(out, "OFFCORE_RSP_", i, core_pmu_rsp_home(c)->rsp[i]);
    }
    dump(out, "FIXED_CTR_CTRL", -1, c->fixed_ctrl);
    dump(out, "GLOBAL_CTRL", -1, c->ctrl);
    dump(out, "GLOBAL_STATUS", -1, c->status);
    dump(out, "interrupts", -1, c->interrupts);
    return false;
}

static bool accesses_command(CorePmu *pmu, const char *args, GString *out,
                             Error **errp)
{
    static const char *const names[CORE_PMU_REGS] = {
        [CORE_PMU_PMC] = "PMC",
        [CORE_PMU_EVTSEL] = "PERFEVTSEL",
        [CORE_PMU_FIXED_CTR] = "FIXED_CTR",
        [CORE_PMU_FIXED_CTRL] = "FIXED_CTR_CTRL",
        [CORE_PMU_STATUS] = "GLOBAL_STATUS",
        [CORE_PMU_CTRL] = "GLOBAL_CTRL",
        [CORE_PMU_OVF_CTRL] = "GLOBAL_OVF_CTRL",
        [CORE_PMU_RSP] = "OFFCORE_RSP",
    };
    bool reset = !strcmp(args, "reset");

    if (*args && !reset) {
        error_setg(errp, "accesses takes nothing but reset");
        return false;
    }
    for (int i = 0; i < CORE_PMU_MAX_CPUS; i++) {
        CorePmuCPU *c = pmu->cpu[i];

        for (int r = 0; c && r < CORE_PMU_REGS; r++) {
            if (c->reads[r] || c->writes[r]) {
                g_string_append_printf(out, "cpu %u %s reads=%" PRIu64
                                       " writes=%" PRIu64 "\n",
                                       model_cpu_number(CPU(c->cpu)), names[r],
                                       c->reads[r], c->writes[r]);
            }
            if (reset) {
                c->reads[r] = 0;
                c->writes[r] = 0;
            }
        }
    }
    return false;
}

static const struct {
    const char *word;
    bool (*fn)(CorePmu *pmu, const char *args, GString *out, Error **errp);
} commands[] = {
    { "get", get_command },
    { "expect", expect_command },
    { "checker", core_pmu_check_answer },
    { "accesses", accesses_command },
};

static bool core_pmu_command(void *opaque, const char *args, GString *out,
                             Error **errp)
{
    g_auto(GStrv) w = g_strsplit(args, " ", 2);

    for (int i = 0; i < ARRAY_SIZE(commands); i++) {
        if (w[0] && !strcmp(w[0], commands[i].word)) {
            return commands[i].fn(opaque, w[1] ?: "", out, errp);
        }
    }
    error_setg(errp, "core-pmu takes get, expect, checker or accesses");
    return false;
}

void core_pmu_console_init(CorePmu *pmu)
{
    model_console_register("offcore", offcore_command, pmu);
    model_console_register("core-pmu", core_pmu_command, pmu);
}
