/*
 * Protocol checker of the core PMU: programming that the SDM calls reserved,
 * that counts nothing, or that uses the response register of another event
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qapi/error.h"
#include "core-pmu.h"
#include "model-console.h"

static void G_GNUC_PRINTF(4, 5) found(CorePmuCPU *c, const char *reg,
                                      uint64_t value, const char *fmt, ...)
{
    g_autofree char *rule = NULL;
    g_autofree char *where = NULL;
    va_list ap;

    va_start(ap, fmt);
    rule = g_strdup_vprintf(fmt, ap);
    va_end(ap);
    where = g_strdup_printf("cpu=%u reg=%s value=0x%" PRIx64,
                            model_cpu_number(CPU(c->cpu)), reg, value);
    model_findings_add(c->pmu->findings, where, rule);
}

static void check_value(CorePmuCPU *c, unsigned reg, uint64_t value)
{
    const CorePmuModel *m = core_pmu_model(c);
    g_autofree char *name = g_strdup_printf("OFFCORE_RSP_%u", reg);
    uint64_t snoops = offcore_mask(m, OFFCORE_SNOOP);
    uint64_t remote = offcore_named(m, OFFCORE_RESPONSE, "remote");
    uint64_t partial = value & remote;

    if (!(value & offcore_mask(m, OFFCORE_REQUEST))) {
        found(c, name, value, "no request bit: counts nothing");
    }
    if (!(value & offcore_mask(m, OFFCORE_ANY)) &&
        (!(value & offcore_mask(m, OFFCORE_RESPONSE)) ||
         (snoops && !(value & snoops)))) {
        found(c, name, value, snoops ?
              "neither any_response nor a supplier and a snoop bit: "
              "counts nothing" : "no response bit: counts nothing");
    }
    if (partial && partial != remote) {
        found(c, name, value, "remote is all ones or all zeros");
    }
}

/*
 * "core-pmu expect" sets the value for each combination of USR and OS, which
 * identifies the event.
 */
static void check_owner(CorePmuCPU *c, unsigned i, unsigned reg)
{
    g_autofree char *name = g_strdup_printf("OFFCORE_RSP_%u", reg);
    uint64_t value = core_pmu_rsp_home(c)->rsp[reg];
    unsigned who = extract64(c->evtsel[i], 16, 2);

    if (c->pmu->expects[who] && c->pmu->expected[who] != value) {
        found(c, name, value, "counter %u (usr=%u,os=%u) runs, whose "
              "value is 0x%" PRIx64, i, who & 1, who >> 1,
              c->pmu->expected[who]);
    }
}

/*
 * Errata AAK100 (Nehalem-EP), AAP53 (Nehalem) and BD53 (Westmere-EP): before a
 * counter gets another event, the counters are to be reset by letting events
 * B5H, D2H and B1H run, one after the other on one counter or on several at
 * once. Software does so on all Nehalem and Westmere. Only offcore events are
 * checked: other counters may have other users.
 */
static void check_reset(CorePmuCPU *c)
{
    static const uint8_t events[] = { 0xb5, 0xd2, 0xb1 };

    for (unsigned i = 0; i < c->pmu->counters; i++) {
        uint64_t sel = c->evtsel[i];
        const uint8_t *event = memchr(events, FIELD_EX64(sel, EVTSEL, EVENT),
                                      sizeof(events));

        if (!core_pmu_runs(c, i)) {
            continue;
        }
        if (event && !FIELD_EX64(sel, EVTSEL, UMASK)) {
            c->resetting |= 1 << (event - events);
            if (c->resetting == 7) {
                c->resetting = 0;
                c->fresh = 0xff;
            }
            continue;
        }
        if (sel != c->ran[i] && !(c->fresh & 1 << i) &&
            offcore_register(sel) >= 0) {
            found(c, "PERFEVTSEL", sel, "counter %u gets another "
                  "event without a reset by events 0xb5, 0xd2 and "
                  "0xb1", i);
        }
        c->ran[i] = sel;
        c->fresh &= ~(1 << i);
    }
}

/* Check all enabled offcore counters after a write. */
static void check_running(CorePmuCPU *c)
{
    const CorePmuModel *m = core_pmu_model(c);

    if (m && m->resets) {
        check_reset(c);
    }

    for (unsigned i = 0; m && i < c->pmu->counters; i++) {
        uint64_t sel = c->evtsel[i];
        int reg = offcore_register(sel);

        if (reg < 0 || !core_pmu_runs(c, i)) {
            continue;
        }
        if (reg >= m->rsps) {
            found(c, "PERFEVTSEL", sel, "%s has no OFFCORE_RSP_%d",
                  m->name, reg);
            continue;
        }
        if (i >= CORE_PMU_OFFCORE) {
            found(c, "PERFEVTSEL", sel,
                  "counter %u does not count offcore responses", i);
        }
        if (FIELD_EX64(sel, EVTSEL, UMASK) != 1) {
            found(c, "PERFEVTSEL", sel,
                  "offcore response has unit mask 1");
        }
        check_value(c, reg, core_pmu_rsp_home(c)->rsp[reg]);
        check_owner(c, i, reg);
    }
}

/* Before a write to a response register: is an enabled counter using it? */
static void check_rsp(CorePmuCPU *c, unsigned reg, uint64_t value)
{
    g_autofree char *name = g_strdup_printf("OFFCORE_RSP_%u", reg);
    CorePmuCPU *home = core_pmu_rsp_home(c);
    CPUState *cs;

    if (home->rsp[reg] == value) {
        return;
    }
    CPU_FOREACH(cs) {
        CorePmuCPU *user = core_pmu_cpu(c->pmu, X86_CPU(cs));

        if (core_pmu_rsp_home(user) != home) {
            continue;
        }
        for (unsigned i = 0; i < c->pmu->counters; i++) {
            if (core_pmu_runs(user, i) &&
                offcore_register(user->evtsel[i]) == reg) {
                found(c, name, value,
                      "changed from 0x%" PRIx64 " while counter %u "
                      "of cpu %u counts it", home->rsp[reg], i,
                      model_cpu_number(cs));
            }
        }
    }
}

static void check_write(CorePmuCPU *c, CorePmuStage stage,
                        const CorePmuWrite *w)
{
    g_autofree char *name = g_strdup_printf("MSR 0x%x", w->msr);

    if (stage == CORE_PMU_WRITTEN) {
        check_running(c);
    } else if (w->read_only) {
        found(c, name, w->value, "is read-only: the write faults");
    } else if (w->reserved) {
        found(c, name, w->value,
              "reserved bits 0x%" PRIx64 ": the write faults", w->reserved);
    } else if (w->reg == CORE_PMU_RSP) {
        check_rsp(c, w->index, w->value);
    }
}

void core_pmu_check_init(CorePmu *pmu)
{
    pmu->findings = model_findings_new();
    pmu->subscriber = check_write;
}

ModelStatus core_pmu_check_answer(CorePmu *pmu, const char *args, GString *out,
                                  Error **errp)
{
    return model_findings_answer(pmu->findings, args, out, errp);
}
