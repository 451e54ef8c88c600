/*
 * C3 and C6 residency. The guide describes these two MSRs as PCU registers that
 * count while any core of the socket is in the state (2.6.3.3), the SDM as
 * per-core registers with the same numbers. They are per core here, unless the
 * machine has residency=socket.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "uncore.h"
#include "x86-msr-hook.h"
#include "model-console.h"

#define MSR_CORE_C3     0x3fc
#define MSR_CORE_C6     0x3fd

/* Initial values, different for each core */
#define SLEPT(n)        (((n) + 1) * 1000003ull)

static uint64_t *counter(UncoreModel *u, const X86CPU *cpu, UncoreCState c)
{
    UncoreSocket *s = uncore_socket_of_package(u, cpu->socket_id);

    if (!s || cpu->core_id < 0 || cpu->core_id >= UNCORE_MAX_CORES) {
        return NULL;
    }
    return &s->residency[c][u->trait[UNCORE_T_RESIDENCY] ? 0 : cpu->core_id];
}

static UncoreBox *pcu(UncoreModel *u, const X86CPU *cpu)
{
    return uncore_box_of_kind(uncore_socket_of_package(u, cpu->socket_id),
                              UNCORE_PCU, 0);
}

static X86MSRResult access_msr(UncoreModel *u, X86CPU *cpu, uint32_t msr,
                               uint64_t *value, bool write)
{
    uint64_t *ctr = counter(u, cpu, msr - MSR_CORE_C3);

    if (!ctr) {
        return X86_MSR_FAULT;
    }
    (write ? pcu(u, cpu)->writes : pcu(u, cpu)->reads)[UNCORE_MSR]++;
    *(write ? ctr : value) = *(write ? value : ctr);
    return X86_MSR_DONE;
}

static X86MSRResult msr_read(void *opaque, X86CPU *cpu, uint32_t msr,
                             uint64_t *value)
{
    return access_msr(opaque, cpu, msr, value, false);
}

static X86MSRResult msr_write(void *opaque, X86CPU *cpu, uint32_t msr,
                              uint64_t value)
{
    return access_msr(opaque, cpu, msr, &value, true);
}

static const X86MSRHookOps msr_ops = {
    .read = msr_read,
    .write = msr_write,
};

void uncore_cstate_boot(UncoreSocket *s)
{
    for (int i = 0; i < UNCORE_MAX_CORES; i++) {
        unsigned n = s->id * UNCORE_MAX_CORES + i;

        s->residency[UNCORE_C3][i] = SLEPT(2 * n);
        s->residency[UNCORE_C6][i] = SLEPT(2 * n + 1);
    }
}

static void list(UncoreModel *u, GString *out)
{
    CPUState *cs;

    CPU_FOREACH(cs) {
        X86CPU *cpu = X86_CPU(cs);
        uint64_t *c3 = counter(u, cpu, UNCORE_C3);
        uint64_t *c6 = counter(u, cpu, UNCORE_C6);

        if (c3) {
            g_string_append_printf(out, "cpu=%u socket=%u core=%d c3=%" PRIu64
                                   " c6=%" PRIu64 "\n", model_cpu_number(cs),
                                   uncore_socket_of_package(u, cpu->socket_id)
                                       ->id, cpu->core_id, *c3, *c6);
        }
    }
}

static const ModelKey keys[] = {
    [UNCORE_C3] = { "c3", 1, .text = true },
    [UNCORE_C6] = { "c6", 1, .text = true },
    [UNCORE_C_STATES] = { "cpu", 1, UINT32_MAX },
};

/* residency [cpu=N,c3=[+]V,c6=[+]V]: set a core's residency, or list all */
static ModelStatus residency_command(void *opaque, const char *args,
                                     GString *out, Error **errp)
{
    UncoreModel *u = opaque;
    g_auto(GStrv) items = NULL;
    ModelValue v[ARRAY_SIZE(keys)];
    CPUState *cs;

    if (!*args) {
        list(u, out);
        return MODEL_STATUS_OK;
    }
    items = model_parse_keys(keys, ARRAY_SIZE(keys), 1, "residency", args, v,
                             errp);
    if (!items) {
        return MODEL_STATUS_ERROR;
    }
    cs = v[UNCORE_C_STATES].text ?
         model_cpu_numbered(v[UNCORE_C_STATES].n) : NULL;
    if (!cs || !counter(u, X86_CPU(cs), UNCORE_C3)) {
        error_setg(errp, "no CPU %" PRIu64 " in this machine: residency takes "
                   "cpu=N,c3=V,c6=V; +V advances", v[UNCORE_C_STATES].n);
        return MODEL_STATUS_ERROR;
    }
    for (int c = 0; c < UNCORE_C_STATES; c++) {
        const char *text = v[c].text;

        if (text && model_strtou64(text + (*text == '+'), NULL, 0, &v[c].n)) {
            error_setg(errp, "'%s=%s' is not understood", keys[c].name, text);
            return MODEL_STATUS_ERROR;
        }
    }
    for (int c = 0; c < UNCORE_C_STATES; c++) {
        uint64_t *ctr = counter(u, X86_CPU(cs), c);

        if (v[c].text) {
            *ctr = (*v[c].text == '+' ? *ctr : 0) + v[c].n;
        }
    }
    return MODEL_STATUS_OK;
}

void uncore_cstate_init(UncoreModel *u)
{
    x86_msr_hook_register(MSR_CORE_C3, MSR_CORE_C6, &msr_ops, u);
    model_console_register("residency", residency_command, u);
}
