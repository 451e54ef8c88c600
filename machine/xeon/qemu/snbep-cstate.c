/*
 * C3 and C6 residency. The guide describes these two MSRs as PCU registers that
 * count while any core of the socket is in the state (2.6.3.3), the SDM as
 * per-core registers with the same numbers. They are per core here, unless the
 * machine has residency=socket.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qemu/timer.h"
#include "snbep.h"
#include "x86-msr-hook.h"
#include "model-console.h"
#include "traffic.h"

#define MSR_CORE_C3     0x3fc
#define MSR_CORE_C6     0x3fd

/* Initial values, different for each core */
#define SLEPT(n)        (((n) + 1) * 1000003ull)

static uint64_t *counter(SnbepUncore *u, const X86CPU *cpu, SnbepCState c)
{
    SnbepSocket *s = snbep_socket_of_package(u, cpu->socket_id);

    if (!s || cpu->core_id < 0 || cpu->core_id >= SNBEP_MAX_CORES) {
        return NULL;
    }
    return &s->residency[c][u->trait[SNBEP_T_RESIDENCY] ? 0 : cpu->core_id];
}

static SnbepBox *pcu(SnbepUncore *u, const X86CPU *cpu)
{
    return snbep_box_of_kind(snbep_socket_of_package(u, cpu->socket_id),
                             SNBEP_PCU, 0);
}

static X86MSRResult msr_read(void *opaque, X86CPU *cpu, uint32_t msr,
                             uint64_t *value)
{
    SnbepUncore *u = opaque;
    uint64_t *ctr = counter(u, cpu, msr - MSR_CORE_C3);

    if (u->trait[SNBEP_T_MSRS]) {
        *value = 0;
        return X86_MSR_DONE;
    }
    if (!ctr) {
        return X86_MSR_FAULT;
    }
    pcu(u, cpu)->reads[SNBEP_MSR]++;
    traffic_power_drain(pcu(u, cpu)->socket->id,
                        qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL));
    *value = *ctr;
    return X86_MSR_DONE;
}

static X86MSRResult msr_write(void *opaque, X86CPU *cpu, uint32_t msr,
                              uint64_t value)
{
    SnbepUncore *u = opaque;
    uint64_t *ctr = counter(u, cpu, msr - MSR_CORE_C3);

    if (u->trait[SNBEP_T_MSRS]) {
        return X86_MSR_DONE;
    }
    if (!ctr) {
        return X86_MSR_FAULT;
    }
    pcu(u, cpu)->writes[SNBEP_MSR]++;
    *ctr = value;
    return X86_MSR_DONE;
}

static const X86MSRHookOps msr_ops = {
    .read = msr_read,
    .write = msr_write,
};

void snbep_cstate_slept(SnbepSocket *s, unsigned core, SnbepCState c,
                        uint64_t cycles)
{
    bool shared = s->uncore->trait[SNBEP_T_RESIDENCY];

    s->residency[c][shared ? 0 : core] += cycles;
}

void snbep_cstate_boot(SnbepSocket *s)
{
    for (int i = 0; i < SNBEP_MAX_CORES; i++) {
        unsigned n = s->id * SNBEP_MAX_CORES + i;

        s->residency[SNBEP_C3][i] = SLEPT(2 * n);
        s->residency[SNBEP_C6][i] = SLEPT(2 * n + 1);
    }
}

static void list(SnbepUncore *u, GString *out)
{
    CPUState *cs;

    CPU_FOREACH(cs) {
        X86CPU *cpu = X86_CPU(cs);
        uint64_t *c3 = counter(u, cpu, SNBEP_C3);
        uint64_t *c6 = counter(u, cpu, SNBEP_C6);

        if (c3) {
            g_string_append_printf(out, "cpu=%u socket=%u core=%d c3=%" PRIu64
                                   " c6=%" PRIu64 "\n", model_cpu_number(cs),
                                   snbep_socket_of_package(u, cpu->socket_id)
                                       ->id, cpu->core_id, *c3, *c6);
        }
    }
}

static const ModelKey keys[] = {
    [SNBEP_C3] = { "c3", 1, .text = true },
    [SNBEP_C6] = { "c6", 1, .text = true },
    [SNBEP_C_STATES] = { "cpu", 1, UINT32_MAX },
};

/* residency [cpu=N,c3=[+]V,c6=[+]V]: set a core's residency, or list all */
static bool residency_command(void *opaque, const char *args, GString *out,
                              Error **errp)
{
    SnbepUncore *u = opaque;
    g_auto(GStrv) items = NULL;
    ModelValue v[ARRAY_SIZE(keys)];
    CPUState *cs;

    if (!*args) {
        list(u, out);
        return false;
    }
    items = model_parse_keys(keys, ARRAY_SIZE(keys), 1, "residency", args, v,
                             errp);
    if (!items) {
        return false;
    }
    cs = v[SNBEP_C_STATES].text ?
         model_cpu_numbered(v[SNBEP_C_STATES].n) : NULL;
    if (!cs || !counter(u, X86_CPU(cs), SNBEP_C3)) {
        error_setg(errp, "no CPU %" PRIu64 " in this machine: residency takes "
                   "cpu=N,c3=V,c6=V; +V advances", v[SNBEP_C_STATES].n);
        return false;
    }
    for (int c = 0; c < SNBEP_C_STATES; c++) {
        const char *text = v[c].text;

        if (text && qemu_strtou64(text + (*text == '+'), NULL, 0, &v[c].n)) {
            error_setg(errp, "'%s=%s' is not understood", keys[c].name, text);
            return false;
        }
    }
    for (int c = 0; c < SNBEP_C_STATES; c++) {
        uint64_t *ctr = counter(u, X86_CPU(cs), c);

        if (v[c].text) {
            *ctr = (*v[c].text == '+' ? *ctr : 0) + v[c].n;
        }
    }
    return false;
}

void snbep_cstate_init(SnbepUncore *u)
{
    x86_msr_hook_register(MSR_CORE_C3, MSR_CORE_C6, &msr_ops, u);
    model_console_register("residency", residency_command, u);
}
