/*
 * Montecito's performance monitors as a PCI device, with a register file and an
 * MSI-X vector for each CPU. PMV selects the MSI-X vector of a CPU's overflow
 * interrupt.
 *
 *   -device montecito-pmu,cpus=N
 *
 * Events are injected through the model's console.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "hw/pci/msix.h"
#include "hw/qdev-properties.h"
#include "migration/vmstate.h"
#include "montecito.h"

#define MONT_VENDOR     0x1234
#define MONT_DEVICE     0x4d43

#define COUNT_MASK      MAKE_64BIT_MASK(0, MONT_COUNT_BITS)
#define PMV_VECTOR      MAKE_64BIT_MASK(0, 8)
#define PMV_M           BIT_ULL(16)

/* Value of undefined registers, which tests recognize */
#define UNDEFINED       0x5a5a5a5a5a5aull

/* Defined fields, tables of section 3.3; others read as 0. */
static uint64_t pmc_fields(unsigned n)
{
    switch (n) {
    case 0:
        return 0xfff1;
    case 4 ... 15:
        return 0x7f7fff7f;
    case 32:
    case 34:
        return 0x030f01ffffffffff;
    case 33:
    case 35:
        return 0x000001ffffffffff;
    case 36:
        return 0xffffffff;
    case 37:
        return 0x3fff;
    case 38:
        return UINT64_MAX;
    case 39:
        return 0xffcf;
    case 40:
        return 0x030f01cf;
    case 41:
        return UINT64_MAX;
    case 42:
        return 0x7ff4f;
    }
    return 0;
}

static bool pmc_exists(unsigned n)
{
    return n <= 15 || (n >= 32 && n <= 42);
}

static bool pmd_is_counter(unsigned n)
{
    return n >= 4 && n <= 15;
}

static bool pmd_exists(unsigned n)
{
    return pmd_is_counter(n) || (n >= 32 && n <= 36) || n == 38 || n == 39 ||
           n >= 48;
}

static bool frozen(const MontBank *b)
{
    return FIELD_EX64(b->pmc[0], PMC0, FR);
}

static void write_pmc(MontBank *b, unsigned n, uint64_t v)
{
    bool was_frozen = frozen(b);

    if (!pmc_exists(n)) {
        mont_found(b, "PMC%u is written, which does not exist (table 3-4)", n);
        return;
    }
    mont_check_write_pmc(b, n, v);
    b->pmc[n] = v & pmc_fields(n);
    if (n && !was_frozen) {
        mont_found(b, "PMC%u is written while monitoring runs", n);
    }
    /* Table 3-5: without a privilege level, the monitor loses its value. */
    if (n >= 4 && n <= 15 && !FIELD_EX64(v, PMC4, PLM)) {
        b->pmd[n] = UNDEFINED;
    }
    /* Frozen by software, or no queued injections */
    if (n == 0 && g_queue_is_empty(b->work)) {
        b->held = false;
    }
    if (n == 0 && was_frozen && !frozen(b)) {
        b->held = false;
        mont_check_setup(b);
        mont_run(b);
    }
}

static void write_pmd(MontBank *b, unsigned n, uint64_t v)
{
    if (!pmd_exists(n)) {
        mont_found(b, "PMD%u is written, which does not exist (table 3-4)", n);
        return;
    }
    if (!pmd_is_counter(n)) {
        if (!frozen(b)) {
            mont_found(b, "PMD%u is written while monitoring runs", n);
        }
        b->pmd[n] = v;
        return;
    }
    if (v >> MONT_COUNT_BITS & 1) {
        mont_found(b, "PMD%u.ov is written with 1 (table 3-7)", n);
    }
    b->pmd[n] = FIELD_EX64(b->pmc[n], PMC4, PLM) ? v & COUNT_MASK : UNDEFINED;
}

static uint64_t read_pmd(MontBank *b, unsigned n)
{
    if (!pmd_exists(n)) {
        mont_found(b, "PMD%u is read, which does not exist (table 3-4)", n);
        return 0;
    }
    if (pmd_is_counter(n)) {
        /* Table 3-7: .ov and .sxt47 read as bit 46 */
        return sextract64(b->pmd[n], 0, MONT_COUNT_BITS);
    }
    if (!frozen(b)) {
        mont_found(b, "PMD%u is read while monitoring runs (3.3.1)", n);
        return UNDEFINED;
    }
    return b->pmd[n];
}

static uint64_t mont_read(void *opaque, hwaddr addr, unsigned size)
{
    MontecitoPmu *pmu = opaque;
    MontBank *b = &pmu->bank[addr / MONT_PAGE];
    unsigned reg = addr % MONT_PAGE;

    if (addr / MONT_PAGE >= pmu->cpus) {
        return 0;
    }
    b->reads++;
    if (reg < MONT_PMD) {
        return b->pmc[reg / 8];
    }
    if (reg < MONT_IBR) {
        return read_pmd(b, (reg - MONT_PMD) / 8);
    }
    if (reg < MONT_DBR) {
        return b->ibr[(reg - MONT_IBR) / 8];
    }
    if (reg < MONT_PMV) {
        return b->dbr[(reg - MONT_DBR) / 8];
    }
    return reg == MONT_PMV ? b->pmv : 0;
}

static void mont_write(void *opaque, hwaddr addr, uint64_t v, unsigned size)
{
    MontecitoPmu *pmu = opaque;
    MontBank *b = &pmu->bank[addr / MONT_PAGE];
    unsigned reg = addr % MONT_PAGE;

    if (addr / MONT_PAGE >= pmu->cpus) {
        return;
    }
    b->writes++;
    if (reg < MONT_PMD) {
        write_pmc(b, reg / 8, v);
    } else if (reg < MONT_IBR) {
        write_pmd(b, (reg - MONT_PMD) / 8, v);
    } else if (reg < MONT_DBR) {
        b->ibr[(reg - MONT_IBR) / 8] = v;
    } else if (reg < MONT_PMV) {
        b->dbr[(reg - MONT_DBR) / 8] = v;
    } else if (reg == MONT_PMV) {
        b->pmv = v;
        if (!(v & PMV_M) && (v & PMV_VECTOR) >= pmu->cpus) {
            mont_found(b, "PMV names vector %u of %u",
                       (unsigned)(v & PMV_VECTOR), pmu->cpus);
        }
        /* No interrupt will follow: continue. */
        if (v & PMV_M) {
            b->held = false;
            mont_run(b);
        }
    }
}

static const MemoryRegionOps mont_ops = {
    .read = mont_read,
    .write = mont_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 8, .max_access_size = 8 },
    .impl = { .min_access_size = 8, .max_access_size = 8 },
};

/* Compute the increment of each counter for an event. */
static void increments(MontBank *b, const MontStim *s, uint8_t code,
                       uint64_t umask, uint64_t *inc)
{
    const MontEvent *e = mont_event(code);
    /* CPU_OP_CYCLES.ALL is not filtered (libpfm4). */
    bool qualified = (code == 0x12 && !umask) || mont_qualified(b, s, code);

    for (unsigned n = 4; n < 16; n++) {
        uint64_t pmc = b->pmc[n];
        unsigned m = mont_l2d_master(n);
        unsigned threshold = FIELD_EX64(pmc, PMC4, THRESHOLD);
        unsigned want = FIELD_EX64(pmc, PMC4, UMASK);
        bool all = n <= 9 && FIELD_EX64(pmc, PMC4, ALL);

        inc[n] = 0;
        /* PSR.pp is on, PSR.up is off. */
        if (FIELD_EX64(pmc, PMC4, ES) != code ||
            !(FIELD_EX64(pmc, PMC4, PLM) >> s->v[K_CPL] & 1) ||
            !FIELD_EX64(pmc, PMC4, PM) || FIELD_EX64(pmc, PMC4, ISM) != 2) {
            continue;
        }
        if (!mont_defined(b, n)) {
            inc[n] = 3;     /* undefined: a wrong value */
            continue;
        }
        if (e->set[0] == '2') {
            want = FIELD_EX64(b->pmc[m], PMC4, UMASK);
            all = FIELD_EX64(b->pmc[m], PMC4, ALL);
        }
        if (want != umask || (s->v[K_OTHER] && !all) ||
            (mont_has(e, 'm') &&
             !(FIELD_EX64(pmc, PMC4, MESI) & s->v[K_MESI])) ||
            !qualified) {
            continue;
        }
        inc[n] = threshold ? s->v[K_INC] > threshold : s->v[K_INC];
    }
}

static void overflow(MontBank *b, unsigned n)
{
    b->pmc[0] |= BIT_ULL(n);
    if (!FIELD_EX64(b->pmc[n], PMC4, OI)) {
        return;
    }
    if (!frozen(b)) {
        b->pmc[0] = FIELD_DP64(b->pmc[0], PMC0, FR, 1);
        b->held = !(b->pmv & PMV_M);
        mont_ip_freeze(b);
    }
    if (!(b->pmv & PMV_M)) {
        b->interrupts++;
        /* Ignore invalid vectors. */
        msix_notify(PCI_DEVICE(b->pmu), b->pmv & PMV_VECTOR);
    }
}

uint64_t mont_count(MontBank *b, const MontStim *s, uint8_t code,
                    uint64_t umask, uint64_t n)
{
    uint64_t inc[16];
    uint64_t step = n;

    increments(b, s, code, umask, inc);
    /* Count up to the first overflow in one step. */
    for (unsigned i = 4; i < 16; i++) {
        if (inc[i]) {
            step = MIN(step, DIV_ROUND_UP(COUNT_MASK + 1 - b->pmd[i], inc[i]));
        }
    }
    for (unsigned i = 4; i < 16; i++) {
        uint64_t sum = b->pmd[i] + inc[i] * step;

        if (!inc[i]) {
            continue;
        }
        b->pmd[i] = sum & COUNT_MASK;
        if (sum > COUNT_MASK) {
            overflow(b, i);
        }
    }
    return step;
}

/* Events of a capture unit count if they are captured. */
static uint64_t run_some(MontBank *b, MontStim *s)
{
    static const uint8_t counts[] = {
        [MONT_DEAR] = 0xc8,
        [MONT_IEAR] = 0x43,
        [MONT_BRANCH] = 0x11,
    };

    if (s->kind == MONT_EVENT) {
        return mont_count(b, s, s->v[K_EVENT], s->v[K_UMASK], s->v[K_COUNT]);
    }
    if (mont_capture(b, s) && s->kind != MONT_RETIRE) {
        mont_count(b, s, counts[s->kind], 0, 1);
    }
    s->v[K_DATA] += s->v[K_STEP];
    return 1;
}

void mont_run(MontBank *b)
{
    MontStim *s;

    while (!frozen(b) && (s = g_queue_peek_head(b->work))) {
        s->v[K_COUNT] -= run_some(b, s);
        if (!s->v[K_COUNT]) {
            g_free(g_queue_pop_head(b->work));
        }
    }
    /*
     * Queue injections between an overflow and the end of its interrupt, as if
     * the program did not run. Drop those while software has frozen the PMU.
     */
    if (frozen(b) && !b->held) {
        g_queue_clear_full(b->work, g_free);
    }
}

/* Section 3.3.12; undefined registers get recognizable values. */
static void mont_reset_bank(MontBank *b)
{
    memset(b->ibr, 0, sizeof(b->ibr));
    memset(b->dbr, 0, sizeof(b->dbr));
    for (unsigned n = 0; n < MONT_REGS; n++) {
        b->pmc[n] = UNDEFINED & pmc_fields(n);
        b->pmd[n] = UNDEFINED;
    }
    b->pmc[0] = 0;
    for (unsigned n = 4; n < 16; n++) {
        b->pmc[n] &= ~(R_PMC4_OI_MASK | R_PMC4_EV_MASK);
    }
    for (unsigned n = 32; n < 36; n++) {
        b->pmc[n] = pmc_fields(n);
    }
    b->pmc[36] = 0xfffffff0;
    b->pmc[37] = 0;
    b->pmc[38] = 0xdb6;
    b->pmc[40] = 0;
    b->pmc[41] = 0x2078fefefefe;
    b->pmv = PMV_M;
    b->held = false;
    b->reads = 0;
    b->writes = 0;
    b->interrupts = 0;
    g_queue_clear_full(b->work, g_free);
}

static void mont_reset(DeviceState *dev)
{
    MontecitoPmu *pmu = MONTECITO_PMU(dev);

    for (unsigned i = 0; i < pmu->cpus; i++) {
        mont_reset_bank(&pmu->bank[i]);
    }
    model_findings_clear(pmu->findings);
}

static void mont_realize(PCIDevice *pci, Error **errp)
{
    MontecitoPmu *pmu = MONTECITO_PMU(pci);

    if (!pmu->cpus || pmu->cpus > MONT_MAX_CPUS) {
        error_setg(errp, "cpus is 1 to %d", MONT_MAX_CPUS);
        return;
    }
    if (msix_init_exclusive_bar(pci, pmu->cpus, 1, errp)) {
        return;
    }
    for (unsigned i = 0; i < pmu->cpus; i++) {
        msix_vector_use(pci, i);
    }
    pmu->bank = g_new0(MontBank, pmu->cpus);
    for (unsigned i = 0; i < pmu->cpus; i++) {
        pmu->bank[i].pmu = pmu;
        pmu->bank[i].cpu = i;
        pmu->bank[i].work = g_queue_new();
    }
    pmu->findings = model_findings_new();
    memory_region_init_io(&pmu->bar, OBJECT(pmu), &mont_ops, pmu,
                          TYPE_MONTECITO_PMU,
                          pow2ceil(pmu->cpus * MONT_PAGE));
    pci_register_bar(pci, 0, PCI_BASE_ADDRESS_SPACE_MEMORY, &pmu->bar);
    mont_stim_init(pmu);
}

static Property mont_properties[] = {
    DEFINE_PROP_UINT32("cpus", MontecitoPmu, cpus, 1),
    DEFINE_PROP_END_OF_LIST(),
};

static const VMStateDescription mont_vmstate = {
    .name = TYPE_MONTECITO_PMU,
    .unmigratable = 1,
};

static void mont_class_init(ObjectClass *klass, void *data)
{
    DeviceClass *dc = DEVICE_CLASS(klass);
    PCIDeviceClass *pc = PCI_DEVICE_CLASS(klass);

    dc->desc = "Performance monitors of Montecito, the dual-core Itanium 2";
    dc->reset = mont_reset;
    dc->vmsd = &mont_vmstate;
    dc->hotpluggable = false;
    device_class_set_props(dc, mont_properties);
    pc->realize = mont_realize;
    pc->vendor_id = MONT_VENDOR;
    pc->device_id = MONT_DEVICE;
    pc->class_id = PCI_CLASS_OTHERS;
}

static const TypeInfo mont_info = {
    .name = TYPE_MONTECITO_PMU,
    .parent = TYPE_PCI_DEVICE,
    .instance_size = sizeof(MontecitoPmu),
    .class_init = mont_class_init,
    .interfaces = (InterfaceInfo[]) {
        { INTERFACE_CONVENTIONAL_PCI_DEVICE },
        { }
    },
};

static void mont_register_types(void)
{
    type_register_static(&mont_info);
}

type_init(mont_register_types)
