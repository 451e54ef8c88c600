/*
 * Commands of the guest: event injection into a core, its registers, and what
 * its response registers are to hold. See Documentation/model.rst.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
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

/* Commands that have a key */
#define OFFCORE     BIT(0)
#define EXPECT      BIT(1)
#define GET         BIT(2)

static const ModelKey keys[K_MAX] = {
    [K_CPU] = { "cpu", OFFCORE | GET, CORE_PMU_MAX_CPUS - 1 },
    [K_COUNT] = { "count", OFFCORE, UINT64_MAX, 1 },
    [K_KERNEL] = { "kernel", OFFCORE, 1 },
    [K_USR] = { "usr", EXPECT, 1 },
    [K_OS] = { "os", EXPECT, 1 },
    [K_RSP] = { "rsp", EXPECT, UINT64_MAX },
    [K_REQUEST] = { "request", OFFCORE, .text = true },
    [K_RESPONSE] = { "response", OFFCORE, .text = true },
    [K_SUPPLIER] = { "supplier", OFFCORE, .text = true },
    [K_SNOOP] = { "snoop", OFFCORE, .text = true },
};

static CorePmuCPU *chosen_cpu(CorePmu *pmu, const ModelValue *k, Error **errp)
{
    CPUState *cs = current_cpu;

    if (k[K_CPU].text) {
        cs = model_cpu_numbered(k[K_CPU].n);
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
static ModelStatus offcore_command(void *opaque, const char *args, GString *out,
                                   Error **errp)
{
    ModelValue k[K_MAX];
    g_auto(GStrv) items = model_parse_keys(keys, K_MAX, OFFCORE, "offcore",
                                           args, k, errp);
    CorePmuStim stim = { };
    const CorePmuModel *m;
    CorePmuCPU *c;
    bool snoops;

    c = items ? chosen_cpu(opaque, k, errp) : NULL;
    if (!c) {
        return MODEL_STATUS_ERROR;
    }
    m = core_pmu_model(c);
    if (!m) {
        error_setg(errp, "this processor's offcore responses are not known");
        return MODEL_STATUS_ERROR;
    }
    snoops = offcore_mask(m, OFFCORE_SNOOP);
    if (k[snoops ? K_RESPONSE : K_SUPPLIER].text ||
        (!snoops && k[K_SNOOP].text)) {
        error_setg(errp, "%s has %s", m->name, snoops ?
                   "supplier= and snoop=" : "response=");
        return MODEL_STATUS_ERROR;
    }
    if (!find_field(m, OFFCORE_REQUEST, "request", k[K_REQUEST].text,
                    &stim.transaction.request, errp) ||
        !find_field(m, OFFCORE_RESPONSE, snoops ? "supplier" : "response",
                    k[snoops ? K_SUPPLIER : K_RESPONSE].text,
                    &stim.transaction.response, errp) ||
        (snoops && !find_field(m, OFFCORE_SNOOP, "snoop", k[K_SNOOP].text,
                               &stim.transaction.snoop, errp))) {
        return MODEL_STATUS_ERROR;
    }
    stim.count = k[K_COUNT].n;
    stim.kernel = k[K_KERNEL].n;
    core_pmu_happen(c, &stim);
    return MODEL_STATUS_OK;
}

static ModelStatus expect_command(CorePmu *pmu, const char *args, GString *out,
                                  Error **errp)
{
    ModelValue k[K_MAX];
    g_auto(GStrv) items = NULL;
    unsigned who;

    if (!strcmp(args, "reset")) {
        memset(pmu->expects, 0, sizeof(pmu->expects));
        return MODEL_STATUS_OK;
    }
    items = model_parse_keys(keys, K_MAX, EXPECT, "expect", args, k, errp);
    if (!items) {
        return MODEL_STATUS_ERROR;
    }
    who = k[K_USR].n | k[K_OS].n << 1;
    if (!who || !k[K_RSP].text) {
        error_setg(errp, "usr=1 or os=1 or both, and rsp=V, are needed");
        return MODEL_STATUS_ERROR;
    }
    pmu->expects[who] = true;
    pmu->expected[who] = k[K_RSP].n;
    return MODEL_STATUS_OK;
}

static void dump(GString *out, const char *name, int index, uint64_t value)
{
    g_string_append(out, name);
    if (index >= 0) {
        g_string_append_printf(out, "%d", index);
    }
    g_string_append_printf(out, "=0x%" PRIx64 "\n", value);
}

static ModelStatus get_command(CorePmu *pmu, const char *args, GString *out,
                               Error **errp)
{
    ModelValue k[K_MAX];
    g_auto(GStrv) items = model_parse_keys(keys, K_MAX, GET, "get", args, k,
                                           errp);
    CorePmuCPU *c = items ? chosen_cpu(pmu, k, errp) : NULL;
    const CorePmuModel *m;

    if (!c) {
        return MODEL_STATUS_ERROR;
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
    return MODEL_STATUS_OK;
}

static ModelStatus accesses_command(CorePmu *pmu, const char *args,
                                    GString *out, Error **errp)
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
        return MODEL_STATUS_ERROR;
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
    return MODEL_STATUS_OK;
}

static const struct {
    const char *word;
    ModelStatus (*fn)(CorePmu *pmu, const char *args, GString *out,
                      Error **errp);
} commands[] = {
    { "get", get_command },
    { "expect", expect_command },
    { "checker", core_pmu_check_answer },
    { "accesses", accesses_command },
};

static ModelStatus core_pmu_command(void *opaque, const char *args,
                                    GString *out, Error **errp)
{
    g_auto(GStrv) w = g_strsplit(args, " ", 2);

    for (int i = 0; i < ARRAY_SIZE(commands); i++) {
        if (w[0] && !strcmp(w[0], commands[i].word)) {
            return commands[i].fn(opaque, w[1] ?: "", out, errp);
        }
    }
    error_setg(errp, "core-pmu takes get, expect, checker or accesses");
    return MODEL_STATUS_ERROR;
}

void core_pmu_console_init(CorePmu *pmu)
{
    model_console_register("offcore", offcore_command, pmu);
    model_console_register("core-pmu", core_pmu_command, pmu);
}
