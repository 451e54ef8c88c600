/*
 * Architectural performance monitoring of the processor cores, version 3:
 * general and fixed counters, global control, overflow interrupts, and the
 * offcore response registers of Nehalem, Westmere and Sandy Bridge.
 *
 *   -device core-pmu,counters=4,width=48
 *
 * Cycles follow the virtual clock, and so do instructions, one each virtual
 * nanosecond; both count whatever the ring. Offcore responses are
 * injected; other events never happen.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "qemu/host-utils.h"
#include "qemu/main-loop.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "hw/core/cpu.h"
#include "hw/i386/apic.h"
#include "hw/i386/apic_internal.h"
#include "hw/qdev-properties.h"
#include "sysemu/reset.h"
#include "core-pmu.h"
#include "model-device.h"
#include "x86-msr-hook.h"

#define MSR_PMC0            0x0c1
#define MSR_EVTSEL0         0x186
#define MSR_RSP_0           0x1a6
#define MSR_FIXED_CTR0      0x309
#define MSR_FIXED_CTRL      0x38d
#define MSR_STATUS          0x38e
#define MSR_CTRL            0x38f
#define MSR_OVF_CTRL        0x390


/* Unhalted cycles; the machine never halts. Instructions: as under -icount */
#define MHZ                 2000
#define REF_MHZ             100
#define MIPS                1000

static CorePmu *the_pmu;

static uint64_t ctr_mask(const CorePmuCPU *c, unsigned i)
{
    return MAKE_64BIT_MASK(0, i < CORE_PMU_FIXED0 ? c->pmu->width
                                                  : CORE_PMU_WIDTH);
}

static uint64_t ctrl_mask(const CorePmu *pmu)
{
    return MAKE_64BIT_MASK(0, pmu->counters) |
           MAKE_64BIT_MASK(CORE_PMU_FIXED0, CORE_PMU_FIXED);
}

static void cpu_reset_state(CorePmuCPU *c)
{
    memset(c, 0, offsetof(CorePmuCPU, end_reset_fields));
    /* SDM 18.2.2: the general counters' bits are set at power-up */
    c->ctrl = MAKE_64BIT_MASK(0, c->pmu->counters);
    c->synced = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    timer_del(c->timer);
}

static void clock_overflows(void *opaque)
{
    core_pmu_sync(opaque);
    core_pmu_arm(opaque);
}

CorePmuCPU *core_pmu_cpu(CorePmu *pmu, X86CPU *cpu)
{
    int index = CPU(cpu)->cpu_index;
    CorePmuCPU *c;

    assert(index < CORE_PMU_MAX_CPUS);
    c = pmu->cpu[index];
    if (!c) {
        c = g_new0(CorePmuCPU, 1);
        c->pmu = pmu;
        c->cpu = cpu;
        c->timer = timer_new_ns(QEMU_CLOCK_VIRTUAL, clock_overflows, c);
        cpu_reset_state(c);
        pmu->cpu[index] = c;
    }
    return c;
}

bool core_pmu_same_core(const CorePmuCPU *a, X86CPU *b)
{
    return a->cpu->socket_id == b->socket_id &&
           a->cpu->die_id == b->die_id && a->cpu->core_id == b->core_id;
}

/* Return the owner of this thread's response registers. */
CorePmuCPU *core_pmu_rsp_home(CorePmuCPU *c)
{
    const CorePmuModel *m = core_pmu_model(c);
    CPUState *cs;

    if (m && m->shared) {
        CPU_FOREACH(cs) {
            if (core_pmu_same_core(c, X86_CPU(cs))) {
                return core_pmu_cpu(c->pmu, X86_CPU(cs));
            }
        }
    }
    return c;
}

/* Control bits of a fixed counter: OS, USR, AnyThread, PMI */
static unsigned fixed_field(const CorePmuCPU *c, unsigned i)
{
    return extract64(c->fixed_ctrl, 4 * (i - CORE_PMU_FIXED0), 4);
}

bool core_pmu_runs(const CorePmuCPU *c, unsigned i)
{
    if (!(c->ctrl & 1ull << i)) {
        return false;
    }
    if (i >= CORE_PMU_FIXED0) {
        return fixed_field(c, i) & 3;
    }
    return (c->evtsel[i] & R_EVTSEL_EN_MASK) &&
           (c->evtsel[i] & (R_EVTSEL_USR_MASK | R_EVTSEL_OS_MASK));
}

/* Return whether an overflow of a counter raises an interrupt. */
static bool has_pmi(const CorePmuCPU *c, unsigned i)
{
    return i < CORE_PMU_FIXED0 ? c->evtsel[i] & R_EVTSEL_INT_MASK
                               : fixed_field(c, i) & 8;
}

/* Delivery sets the mask bit of the LVT entry, until software clears it. */
static void interrupt(CorePmuCPU *c)
{
    APICCommonState *apic = APIC_COMMON(c->cpu->apic_state);
    uint32_t *lvt = &apic->lvt[APIC_LVT_PERFORM];
    unsigned mode = extract32(*lvt, APIC_LVT_DELIV_MOD_SHIFT, 3);

    if (*lvt & APIC_LVT_MASKED) {
        return;
    }
    *lvt |= APIC_LVT_MASKED;
    c->interrupts++;
    if (mode == APIC_DM_NMI) {
        cpu_interrupt(CPU(c->cpu), CPU_INTERRUPT_NMI);
    } else if (mode == APIC_DM_FIXED) {
        apic_deliver_irq(apic->id, 0, APIC_DM_FIXED, *lvt & 0xff, 0);
    }
}

static void add(CorePmuCPU *c, unsigned i, uint64_t n)
{
    uint64_t mask = ctr_mask(c, i);
    bool over = n > mask - c->ctr[i];

    c->ctr[i] = (c->ctr[i] + n) & mask;
    if (over) {
        c->status |= 1ull << i;
        if (has_pmi(c, i)) {
            interrupt(c);
        }
    }
}

/* Return the rate of a clock event (SDM table 18-1), or 0. */
static uint32_t ctr_mhz(const CorePmuCPU *c, unsigned i)
{
    uint64_t sel = i < CORE_PMU_FIXED0 ? c->evtsel[i] : 0;
    unsigned cmask = FIELD_EX64(sel, EVTSEL, CMASK);
    uint32_t mhz = 0;

    if (i >= CORE_PMU_FIXED0) {
        return i == CORE_PMU_FIXED0 ? MIPS : MHZ;
    }
    switch (extract64(sel, 0, 16)) {
    case 0x003c:
        mhz = MHZ;
        break;
    case 0x013c:
        mhz = REF_MHZ;
        break;
    case 0x00c0:
        mhz = MIPS;
        break;
    }
    if (sel & R_EVTSEL_EDGE_MASK) {
        return 0;
    }
    /* At most one per cycle: a threshold above 1 is never reached. */
    if (cmask && (sel & R_EVTSEL_INV_MASK)) {
        return cmask == 1 && mhz ? MHZ - MIN(mhz, MHZ)
                                 : MHZ;
    }
    return cmask > 1 ? 0 : mhz;
}

/* Return the ticks between two times, without accumulating rounding errors. */
static uint64_t ticks(int64_t from, int64_t to, uint32_t mhz)
{
    return muldiv64(to, mhz, 1000) - muldiv64(from, mhz, 1000);
}

void core_pmu_sync(CorePmuCPU *c)
{
    int64_t now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    int64_t from = c->synced;

    c->synced = now;
    for (unsigned i = 0; i < CORE_PMU_CTRS; i++) {
        if (core_pmu_runs(c, i)) {
            add(c, i, ticks(from, now, ctr_mhz(c, i)));
        }
    }
}

/* Set the timer to the next overflow with PMI. Called after a sync. */
void core_pmu_arm(CorePmuCPU *c)
{
    int64_t when = INT64_MAX;

    for (unsigned i = 0; i < CORE_PMU_CTRS; i++) {
        if (core_pmu_runs(c, i) && has_pmi(c, i)) {
            uint64_t left = ctr_mask(c, i) - c->ctr[i];
            uint32_t mhz = ctr_mhz(c, i);

            if (mhz) {
                when = MIN(when, (int64_t)muldiv64(left + 1, 1000, mhz) + 1);
            }
        }
    }
    if (when == INT64_MAX) {
        timer_del(c->timer);
    } else {
        timer_mod(c->timer, c->synced + when);
    }
}

/* Return how often counter @i of @c counts @stim. */
static uint64_t counts(CorePmuCPU *c, unsigned i, const CorePmuStim *stim)
{
    const CorePmuModel *m = core_pmu_model(c);
    uint64_t sel = c->evtsel[i];
    unsigned cmask = FIELD_EX64(sel, EVTSEL, CMASK);
    int reg = offcore_register(sel);

    if (!(sel & (stim->kernel ? R_EVTSEL_OS_MASK : R_EVTSEL_USR_MASK))) {
        return 0;
    }
    if (!m || reg < 0 || reg >= m->rsps || i >= CORE_PMU_OFFCORE ||
        FIELD_EX64(sel, EVTSEL, UMASK) != 1 ||
        !offcore_match(m, core_pmu_rsp_home(c)->rsp[reg],
                       &stim->transaction)) {
        return 0;
    }
    /* Transactions are cycles apart. Without a threshold INV has no effect. */
    return (cmask && (sel & R_EVTSEL_INV_MASK)) || cmask > 1 ? 0 : stim->count;
}

void core_pmu_happen(CorePmuCPU *c, const CorePmuStim *stim)
{
    CPUState *cs;

    CPU_FOREACH(cs) {
        CorePmuCPU *user = core_pmu_cpu(c->pmu, X86_CPU(cs));

        if (user != c && !core_pmu_same_core(c, X86_CPU(cs))) {
            continue;
        }
        core_pmu_sync(user);
        for (unsigned i = 0; i < c->pmu->counters; i++) {
            if (core_pmu_runs(user, i) &&
                (user == c || (user->evtsel[i] & R_EVTSEL_ANY_MASK))) {
                add(user, i, counts(user, i, stim));
            }
        }
        core_pmu_arm(user);
    }
}

typedef struct Register {
    uint32_t first;
    unsigned nr;
    CorePmuReg reg;
    uint64_t *at;           /* NULL: reads as 0 */
    uint64_t valid;         /* writes of other bits fault */
} Register;

/* Look up a register; returns false if the access faults. */
static bool find(CorePmuCPU *c, uint32_t msr, Register *r)
{
    const CorePmuModel *m = core_pmu_model(c);
    uint64_t ctrl = ctrl_mask(c->pmu);
    const Register regs[] = {
        { MSR_PMC0, c->pmu->counters, CORE_PMU_PMC, c->ctr, UINT64_MAX },
        { MSR_EVTSEL0, c->pmu->counters, CORE_PMU_EVTSEL, c->evtsel,
          UINT32_MAX },
        { MSR_RSP_0, m ? m->rsps : 0, CORE_PMU_RSP, core_pmu_rsp_home(c)->rsp,
          m ? offcore_mask(m, OFFCORE_ALL) : 0 },
        { MSR_FIXED_CTR0, CORE_PMU_FIXED, CORE_PMU_FIXED_CTR,
          c->ctr + CORE_PMU_FIXED0, UINT64_MAX },
        { MSR_FIXED_CTRL, 1, CORE_PMU_FIXED_CTRL, &c->fixed_ctrl,
          MAKE_64BIT_MASK(0, 4 * CORE_PMU_FIXED) },
        { MSR_STATUS, 1, CORE_PMU_STATUS, &c->status, 0 },
        { MSR_CTRL, 1, CORE_PMU_CTRL, &c->ctrl, ctrl },
        { MSR_OVF_CTRL, 1, CORE_PMU_OVF_CTRL, NULL, ctrl | 3ull << 62 },
    };

    for (int i = 0; i < ARRAY_SIZE(regs); i++) {
        if (msr >= regs[i].first && msr - regs[i].first < regs[i].nr) {
            *r = regs[i];
            if (r->at) {
                r->at += msr - r->first;
            }
            return true;
        }
    }
    return false;
}

static X86MSRResult msr_read(void *opaque, X86CPU *cpu, uint32_t msr,
                             uint64_t *value)
{
    CorePmuCPU *c = core_pmu_cpu(opaque, cpu);
    Register r;

    if (!find(c, msr, &r)) {
        return X86_MSR_FAULT;
    }
    c->reads[r.reg]++;
    core_pmu_sync(c);
    *value = r.at ? *r.at : 0;
    return X86_MSR_DONE;
}

static X86MSRResult msr_write(void *opaque, X86CPU *cpu, uint32_t msr,
                              uint64_t value)
{
    CorePmuCPU *c = core_pmu_cpu(opaque, cpu);
    CorePmuWrite w;
    Register r;

    if (!find(c, msr, &r)) {
        return X86_MSR_FAULT;
    }
    c->writes[r.reg]++;
    w = (CorePmuWrite) {
        .reg = r.reg, .msr = msr, .index = msr - r.first, .value = value,
        .read_only = r.reg == CORE_PMU_STATUS, .reserved = value & ~r.valid,
    };
    c->pmu->subscriber(c, CORE_PMU_WRITE, &w);
    if (w.read_only || w.reserved) {
        return X86_MSR_FAULT;
    }
    core_pmu_sync(c);
    switch (r.reg) {
    case CORE_PMU_PMC:
        /* SDM 18.2.1: 32 bits are written, and bit 31 extends them */
        *r.at = (int64_t)(int32_t)value & ctr_mask(c, 0);
        break;
    case CORE_PMU_FIXED_CTR:
        *r.at = value & ctr_mask(c, CORE_PMU_FIXED0);
        break;
    case CORE_PMU_OVF_CTRL:
        c->status &= ~value;
        break;
    default:
        *r.at = value;
    }
    c->pmu->subscriber(c, CORE_PMU_WRITTEN, &w);
    core_pmu_arm(c);
    return X86_MSR_DONE;
}

static const X86MSRHookOps msr_ops = {
    .read = msr_read,
    .write = msr_write,
};

bool core_pmu_present(void)
{
    return the_pmu;
}

/* CPUID leaf 0xa, SDM 18.2: all seven architectural events are there. */
void core_pmu_cpuid(uint32_t *eax, uint32_t *ebx, uint32_t *ecx, uint32_t *edx)
{
    *eax = 3 | the_pmu->counters << 8 | the_pmu->width << 16 | 7 << 24;
    *ebx = 0;
    *ecx = 0;
    *edx = CORE_PMU_FIXED | CORE_PMU_WIDTH << 5;
}

bool core_pmu_rdpmc(X86CPU *cpu, uint32_t index, uint64_t *value)
{
    bool fixed = index & 1u << 30;
    bool found;

    index &= ~(1u << 30);
    found = index < (fixed ? CORE_PMU_FIXED : the_pmu->counters);
    if (found) {
        CorePmuCPU *c;

        qemu_mutex_lock_iothread();
        c = core_pmu_cpu(the_pmu, cpu);
        c->reads[fixed ? CORE_PMU_FIXED_CTR : CORE_PMU_PMC]++;
        core_pmu_sync(c);
        *value = c->ctr[index + (fixed ? CORE_PMU_FIXED0 : 0)];
        qemu_mutex_unlock_iothread();
    }
    return found;
}

static void core_pmu_reset(void *opaque)
{
    CorePmu *pmu = opaque;

    for (int i = 0; i < CORE_PMU_MAX_CPUS; i++) {
        if (pmu->cpu[i]) {
            cpu_reset_state(pmu->cpu[i]);
        }
    }
}

static void core_pmu_realize(DeviceState *dev, Error **errp)
{
    CorePmu *pmu = CORE_PMU(dev);
    static const uint32_t ranges[][2] = {
        { MSR_PMC0, MSR_PMC0 + CORE_PMU_MAX_GP - 1 },
        { MSR_EVTSEL0, MSR_EVTSEL0 + CORE_PMU_MAX_GP - 1 },
        { MSR_RSP_0, MSR_RSP_0 + CORE_PMU_RSPS - 1 },
        { MSR_FIXED_CTR0, MSR_FIXED_CTR0 + CORE_PMU_FIXED - 1 },
        { MSR_FIXED_CTRL, MSR_OVF_CTRL },
    };

    if (the_pmu) {
        error_setg(errp, "a machine has one " TYPE_CORE_PMU);
        return;
    }
    if (pmu->counters < 2 || pmu->counters > CORE_PMU_MAX_GP) {
        error_setg(errp, "counters is 2 to %d", CORE_PMU_MAX_GP);
        return;
    }
    if (pmu->width < 32 || pmu->width > 48) {
        error_setg(errp, "width is 32 to 48");
        return;
    }
    core_pmu_check_init(pmu);
    the_pmu = pmu;
    for (int i = 0; i < ARRAY_SIZE(ranges); i++) {
        x86_msr_hook_register(ranges[i][0], ranges[i][1], &msr_ops, pmu);
    }
    core_pmu_console_init(pmu);
    qemu_register_reset(core_pmu_reset, pmu);
}

static Property core_pmu_properties[] = {
    DEFINE_PROP_UINT32("counters", CorePmu, counters, 4),
    DEFINE_PROP_UINT32("width", CorePmu, width, 48),
    DEFINE_PROP_END_OF_LIST(),
};

static void core_pmu_class_init(ObjectClass *klass, void *data)
{
    model_class_init(klass, "performance monitoring of the processor cores",
                     core_pmu_properties);
    DEVICE_CLASS(klass)->realize = core_pmu_realize;
}

static const TypeInfo core_pmu_types[] = {
    {
        .name = TYPE_CORE_PMU,
        .parent = TYPE_DEVICE,
        .instance_size = sizeof(CorePmu),
        .class_init = core_pmu_class_init,
    },
};

DEFINE_TYPES(core_pmu_types)
