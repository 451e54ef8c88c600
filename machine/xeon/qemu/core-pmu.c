/*
 * Architectural performance monitoring of the processor cores, version 3:
 * general and fixed counters, global control, overflow interrupts, and the
 * offcore response registers of Nehalem, Westmere and Sandy Bridge.
 *
 *   -device core-pmu,counters=4,width=48,mhz=2000
 *
 * Cycles follow the virtual clock, and so do instructions, one each virtual
 * nanosecond; both count whatever the ring. Offcore responses come
 * from stimulus and from the guest's own traffic; other events never happen.
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
#include "migration/vmstate.h"
#include "sysemu/reset.h"
#include "core-pmu.h"
#include "traffic-hook.h"
#include "x86-msr-hook.h"

#define MSR_PMC0            0x0c1
#define MSR_EVTSEL0         0x186
#define MSR_RSP_0           0x1a6
#define MSR_FIXED_CTR0      0x309
#define MSR_FIXED_CTRL      0x38d
#define MSR_STATUS          0x38e
#define MSR_CTRL            0x38f
#define MSR_OVF_CTRL        0x390

#define EVTSEL_RESERVED     (~0ull << 32)
#define FIXED_MASK          MAKE_64BIT_MASK(0, CORE_PMU_WIDTH)
#define FIXED_BIT(i)        (1ull << (32 + (i)))

/* Poll offcore counters each POLL_NS when less than SOON from overflow. */
#define OFFCORE_SOON        (1ull << 32)
#define OFFCORE_POLL_NS     100000

static CorePmu *the_pmu;
void (*core_pmu_drain)(CorePmuCPU *c);

static uint64_t gp_mask(const CorePmuCPU *c)
{
    return MAKE_64BIT_MASK(0, c->pmu->width);
}

static uint64_t ctrl_mask(const CorePmu *pmu)
{
    return MAKE_64BIT_MASK(0, pmu->counters) |
           MAKE_64BIT_MASK(32, CORE_PMU_FIXED);
}

static void cpu_reset_state(CorePmuCPU *c)
{
    memset(c->pmc, 0, sizeof(c->pmc));
    memset(c->evtsel, 0, sizeof(c->evtsel));
    memset(c->fixed, 0, sizeof(c->fixed));
    memset(c->rsp, 0, sizeof(c->rsp));
    memset(c->ran, 0, sizeof(c->ran));
    c->fresh = 0;
    c->resetting = 0;
    c->fixed_ctrl = 0;
    c->status = 0;
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

bool core_pmu_runs(const CorePmuCPU *c, unsigned i)
{
    return (c->evtsel[i] & R_EVTSEL_EN_MASK) &&
           (c->evtsel[i] & (R_EVTSEL_USR_MASK | R_EVTSEL_OS_MASK)) &&
           (c->ctrl & 1ull << i);
}

/* Control bits of each fixed counter: OS, USR, AnyThread, PMI */
static unsigned fixed_field(const CorePmuCPU *c, unsigned i)
{
    return extract64(c->fixed_ctrl, 4 * i, 4);
}

static bool fixed_runs(const CorePmuCPU *c, unsigned i)
{
    return (fixed_field(c, i) & 3) && (c->ctrl & FIXED_BIT(i));
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

/* Add to a counter; returns whether it overflowed. */
static bool add(uint64_t *ctr, uint64_t mask, uint64_t n)
{
    bool over = n > mask - *ctr;

    *ctr = (*ctr + n) & mask;
    return over;
}

static void add_gp(CorePmuCPU *c, unsigned i, uint64_t n)
{
    if (add(&c->pmc[i], gp_mask(c), n)) {
        c->status |= 1ull << i;
        if (c->evtsel[i] & R_EVTSEL_INT_MASK) {
            interrupt(c);
        }
    }
}

static void add_fixed(CorePmuCPU *c, unsigned i, uint64_t n)
{
    if (add(&c->fixed[i], FIXED_MASK, n)) {
        c->status |= FIXED_BIT(i);
        if (fixed_field(c, i) & 8) {
            interrupt(c);
        }
    }
}

/* Return the rate of a clock event (SDM table 18-1), or 0. */
static uint32_t gp_mhz(const CorePmuCPU *c, uint64_t sel)
{
    unsigned cmask = FIELD_EX64(sel, EVTSEL, CMASK);
    uint32_t mhz = 0;

    switch (extract64(sel, 0, 16)) {
    case 0x003c:
        mhz = c->pmu->mhz;
        break;
    case 0x013c:
        mhz = c->pmu->ref_mhz;
        break;
    case 0x00c0:
        mhz = c->pmu->mips;
        break;
    }
    if (sel & R_EVTSEL_EDGE_MASK) {
        return 0;
    }
    /* At most one per cycle: a threshold above 1 is never reached. */
    if (cmask && (sel & R_EVTSEL_INV_MASK)) {
        return cmask == 1 && mhz ? c->pmu->mhz - MIN(mhz, c->pmu->mhz)
                                 : c->pmu->mhz;
    }
    return cmask > 1 ? 0 : mhz;
}

static uint32_t fixed_mhz(const CorePmuCPU *c, unsigned i)
{
    const uint32_t mhz[CORE_PMU_FIXED] = {
        c->pmu->mips, c->pmu->mhz, c->pmu->mhz,
    };

    return mhz[i];
}

/* Return the ticks between two times, without accumulating rounding errors. */
static uint64_t ticks(int64_t from, int64_t to, uint32_t mhz)
{
    return muldiv64(to, mhz, 1000) - muldiv64(from, mhz, 1000);
}

void core_pmu_sync(CorePmuCPU *c)
{
    int64_t now, from;

    if (core_pmu_drain) {
        core_pmu_drain(c);
    }
    now = qemu_clock_get_ns(QEMU_CLOCK_VIRTUAL);
    from = c->synced;
    c->synced = now;
    for (unsigned i = 0; i < c->pmu->counters; i++) {
        if (core_pmu_runs(c, i)) {
            add_gp(c, i, ticks(from, now, gp_mhz(c, c->evtsel[i])));
        }
    }
    for (unsigned i = 0; i < CORE_PMU_FIXED; i++) {
        if (fixed_runs(c, i)) {
            add_fixed(c, i, ticks(from, now, fixed_mhz(c, i)));
        }
    }
}

static void sooner(int64_t *when, uint64_t left, uint32_t mhz)
{
    if (mhz) {
        int64_t ns = muldiv64(left + 1, 1000, mhz) + 1;

        *when = MIN(*when, ns);
    }
}

/* Set the timer to the next overflow with PMI. Called after a sync. */
void core_pmu_arm(CorePmuCPU *c)
{
    int64_t when = INT64_MAX;

    for (unsigned i = 0; i < c->pmu->counters; i++) {
        if (core_pmu_runs(c, i) && (c->evtsel[i] & R_EVTSEL_INT_MASK)) {
            uint64_t left = gp_mask(c) - c->pmc[i];

            sooner(&when, left, gp_mhz(c, c->evtsel[i]));
            /* Traffic is only accounted on a sync. */
            if (traffic_on && offcore_register(c->evtsel[i]) >= 0 &&
                left < OFFCORE_SOON) {
                when = MIN(when, OFFCORE_POLL_NS);
            }
        }
    }
    for (unsigned i = 0; i < CORE_PMU_FIXED; i++) {
        if (fixed_runs(c, i) && (fixed_field(c, i) & 8)) {
            sooner(&when, FIXED_MASK - c->fixed[i], fixed_mhz(c, i));
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
    if (!m || reg < 0 || reg >= m->rsps ||
        FIELD_EX64(sel, EVTSEL, UMASK) != 1 ||
        !offcore_match(m, core_pmu_rsp_home(c)->rsp[reg],
                       &stim->transaction)) {
        return 0;
    }
    /* Transactions are cycles apart. */
    return (sel & R_EVTSEL_INV_MASK) || cmask > 1 ? 0 : stim->count;
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
                add_gp(user, i, counts(user, i, stim));
            }
        }
        core_pmu_arm(user);
    }
}

/* Look up a register; returns false if the access faults. */
static bool find(CorePmuCPU *c, uint32_t msr, CorePmuReg *reg, unsigned *index)
{
    const CorePmuModel *m = core_pmu_model(c);
    const struct {
        uint32_t first;
        unsigned nr;
        CorePmuReg reg;
    } regs[] = {
        { MSR_PMC0, c->pmu->counters, CORE_PMU_PMC },
        { MSR_EVTSEL0, c->pmu->counters, CORE_PMU_EVTSEL },
        { MSR_RSP_0, m ? m->rsps : 0, CORE_PMU_RSP },
        { MSR_FIXED_CTR0, CORE_PMU_FIXED, CORE_PMU_FIXED_CTR },
        { MSR_FIXED_CTRL, 1, CORE_PMU_FIXED_CTRL },
        { MSR_STATUS, 1, CORE_PMU_STATUS },
        { MSR_CTRL, 1, CORE_PMU_CTRL },
        { MSR_OVF_CTRL, 1, CORE_PMU_OVF_CTRL },
    };

    for (int i = 0; i < ARRAY_SIZE(regs); i++) {
        if (msr >= regs[i].first && msr - regs[i].first < regs[i].nr) {
            *reg = regs[i].reg;
            *index = msr - regs[i].first;
            return true;
        }
    }
    return false;
}

static X86MSRResult msr_read(void *opaque, X86CPU *cpu, uint32_t msr,
                             uint64_t *value)
{
    CorePmuCPU *c = core_pmu_cpu(opaque, cpu);
    CorePmuReg reg;
    unsigned i;

    if (!find(c, msr, &reg, &i)) {
        return X86_MSR_FAULT;
    }
    c->reads[reg]++;
    core_pmu_sync(c);
    switch (reg) {
    case CORE_PMU_PMC:
        *value = c->pmc[i];
        break;
    case CORE_PMU_EVTSEL:
        *value = c->evtsel[i];
        break;
    case CORE_PMU_FIXED_CTR:
        *value = c->fixed[i];
        break;
    case CORE_PMU_FIXED_CTRL:
        *value = c->fixed_ctrl;
        break;
    case CORE_PMU_STATUS:
        *value = c->status;
        break;
    case CORE_PMU_CTRL:
        *value = c->ctrl;
        break;
    case CORE_PMU_OVF_CTRL:
        *value = 0;
        break;
    case CORE_PMU_RSP:
        *value = core_pmu_rsp_home(c)->rsp[i];
        break;
    default:
        g_assert_not_reached();
    }
    return X86_MSR_DONE;
}

/* Return the valid bits of a register; writes of others fault. */
static uint64_t writable(CorePmuCPU *c, CorePmuReg reg)
{
    switch (reg) {
    case CORE_PMU_PMC:
    case CORE_PMU_FIXED_CTR:
        return UINT64_MAX;
    case CORE_PMU_EVTSEL:
        return ~EVTSEL_RESERVED;
    case CORE_PMU_FIXED_CTRL:
        return MAKE_64BIT_MASK(0, 4 * CORE_PMU_FIXED);
    case CORE_PMU_CTRL:
        return ctrl_mask(c->pmu);
    case CORE_PMU_OVF_CTRL:
        return ctrl_mask(c->pmu) | 3ull << 62;
    case CORE_PMU_RSP:
        return offcore_kept(core_pmu_model(c));
    default:
        return 0;
    }
}

static void store(CorePmuCPU *c, CorePmuReg reg, unsigned i, uint64_t value)
{
    switch (reg) {
    case CORE_PMU_PMC:
        /* SDM 18.2.1: 32 bits are written, and bit 31 extends them */
        c->pmc[i] = (int64_t)(int32_t)value & gp_mask(c);
        break;
    case CORE_PMU_EVTSEL:
        c->evtsel[i] = value;
        break;
    case CORE_PMU_FIXED_CTR:
        c->fixed[i] = value & FIXED_MASK;
        break;
    case CORE_PMU_FIXED_CTRL:
        c->fixed_ctrl = value;
        break;
    case CORE_PMU_CTRL:
        c->ctrl = value;
        break;
    case CORE_PMU_OVF_CTRL:
        c->status &= ~value;
        break;
    case CORE_PMU_RSP:
        core_pmu_check_rsp(c, i, value);
        core_pmu_rsp_home(c)->rsp[i] = value;
        break;
    default:
        g_assert_not_reached();
    }
}

static X86MSRResult msr_write(void *opaque, X86CPU *cpu, uint32_t msr,
                              uint64_t value)
{
    CorePmuCPU *c = core_pmu_cpu(opaque, cpu);
    CorePmuReg reg;
    unsigned i;

    if (!find(c, msr, &reg, &i)) {
        return X86_MSR_FAULT;
    }
    c->writes[reg]++;
    if (reg == CORE_PMU_STATUS || (value & ~writable(c, reg))) {
        g_autofree char *name = g_strdup_printf("MSR 0x%x", msr);

        core_pmu_found(c, name, value, reg == CORE_PMU_STATUS ?
                       "is read-only: the write faults" :
                       "reserved bits 0x%" PRIx64 ": the write faults",
                       value & ~writable(c, reg));
        return X86_MSR_FAULT;
    }
    core_pmu_sync(c);
    store(c, reg, i, value);
    core_pmu_check_running(c);
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
        *value = fixed ? c->fixed[index] : c->pmc[index];
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
    if (!pmu->mhz || !pmu->ref_mhz) {
        error_setg(errp, "a clock has a frequency");
        return;
    }
    pmu->mips = 1000;
    pmu->findings = model_findings_new();
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
    DEFINE_PROP_UINT32("mhz", CorePmu, mhz, 2000),
    DEFINE_PROP_UINT32("ref-mhz", CorePmu, ref_mhz, 100),
    DEFINE_PROP_END_OF_LIST(),
};

static const VMStateDescription vmstate_core_pmu = {
    .name = TYPE_CORE_PMU,
    .unmigratable = 1,
};

static void core_pmu_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);

    dc->desc = "performance monitoring of the processor cores";
    dc->realize = core_pmu_realize;
    dc->vmsd = &vmstate_core_pmu;
    dc->hotpluggable = false;
    dc->user_creatable = true;
    device_class_set_props(dc, core_pmu_properties);
    set_bit(DEVICE_CATEGORY_MISC, dc->categories);
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
