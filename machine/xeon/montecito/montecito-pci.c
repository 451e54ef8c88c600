/*
 * Montecito's performance monitors (machine/montecito) as a PCI device, with a
 * register file and an MSI-X vector for each CPU. PMV selects the MSI-X vector
 * of a CPU's overflow interrupt.
 *
 *   -device montecito-pmu,cpus=N[,level=on]
 *
 * level=on: the interrupt is a level (3.3.11), which software can take back
 * while it is pending in the local APIC. Otherwise it is latched there.
 *
 * Commands of the guest:
 *
 *   montecito [cpu=N] event KEY=VALUE,...    events
 *   montecito [cpu=N] dear KEY=VALUE,...     misses for the data EAR
 *   montecito [cpu=N] iear KEY=VALUE,...     misses for the instruction EAR
 *   montecito [cpu=N] branch KEY=VALUE,...   branches
 *   montecito [cpu=N] retire KEY=VALUE,...   retired instructions, for IP-EAR
 *   montecito checker [reset]
 *   montecito accesses [reset]
 *
 * Default of cpu= is the CPU that issues the command. Several of the first five
 * may stand in one command. They are executed in this order, without
 * interruption by the guest except for interrupts of their own overflows.
 * Between separate commands, the guest may run another task.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/module.h"
#include "qapi/error.h"
#include "hw/core/cpu.h"
#include "hw/pci/msix.h"
#include "hw/pci/pci.h"
#include "hw/qdev-properties.h"
#include "qom/object.h"
#include "model-console.h"
#include "model-device.h"
#include "model-findings.h"
#include "montecito-apic.h"
#include "monitors.h"

#define TYPE_MONTECITO_PMU "montecito-pmu"
OBJECT_DECLARE_SIMPLE_TYPE(MontecitoPmu, MONTECITO_PMU)

#define MONT_VENDOR     0x1234
#define MONT_DEVICE     0x4d43
#define MONT_MAX_CPUS   64

/* One page of BAR 0 for each processor */
#define BANK_PAGE       0x1000
#define BANK_PMC        0x000
#define BANK_PMD        0x200
#define BANK_IBR        0x400
#define BANK_DBR        0x440
#define BANK_PMV        0x480
#define PMV_VECTOR      MAKE_64BIT_MASK(0, 8)
#define PMV_M           BIT_ULL(16)

/**
 * Bank: one processor's monitors
 *
 * @work: injections (Stim), held while an overflow has frozen the monitors
 * @held: the interrupt of an overflow is to come
 */
typedef struct Bank {
    struct mont mont;
    MontecitoPmu *pmu;
    unsigned cpu;
    uint64_t ibr[8];
    uint64_t dbr[8];
    uint64_t pmv;
    GQueue *work;
    bool held;
    uint64_t reads;
    uint64_t writes;
    uint64_t interrupts;
} Bank;

struct MontecitoPmu {
    PCIDevice parent_obj;

    MemoryRegion bar;
    uint32_t cpus;
    bool level;
    Bank *bank;
    ModelFindings *findings;
};

/* Captures of an injection, each of which is a step of its own */
#define MAX_CAPTURES 1000000
/* Injections that wait for a guest's interrupt handler */
#define MAX_WAITING 10000

/* An injection */
typedef enum Kind { EVENT, DEAR, IEAR, BRANCH, RETIRE } Kind;

typedef struct Stim {
    Kind kind;
    struct mont_event e;
    uint64_t event, count, inc, cpl, step;
} Stim;

void mont_found(struct mont *m, const char *rule, ...)
{
    Bank *b = container_of(m, Bank, mont);
    g_autofree char *where = g_strdup_printf("cpu=%u", b->cpu);
    g_autofree char *text = NULL;
    va_list ap;

    va_start(ap, rule);
    text = g_strdup_vprintf(rule, ap);
    va_end(ap);
    model_findings_add(b->pmu->findings, where, text);
}

/* Unless it is masked; invalid vectors are ignored. */
static void request_interrupt(Bank *b)
{
    if (!(b->pmv & PMV_M)) {
        b->interrupts++;
        msix_notify(PCI_DEVICE(b->pmu), b->pmv & PMV_VECTOR);
    }
}

void mont_withdraw(struct mont *m)
{
    Bank *b = container_of(m, Bank, mont);
    unsigned entry = b->pmv & PMV_VECTOR;

    if (!(b->pmv & PMV_M) && entry < b->pmu->cpus) {
        montecito_withdraw(PCI_DEVICE(b->pmu), entry);
        b->held = false;
    }
}

void mont_overflow(struct mont *m, bool froze)
{
    Bank *b = container_of(m, Bank, mont);

    if (froze) {
        /* 3.3.10.2.1: the last entry's address may be wrong: make it wrong. */
        struct mont_event last = { .ip = mont_noise(m) };

        b->held = !(b->pmv & PMV_M);
        mont_capture_ip(m, &last);
    }
    request_interrupt(b);
}

/* Count up to @n events, and up to the first overflow in one step. */
static uint64_t count(Bank *b, const Stim *s, unsigned code, uint64_t n)
{
    struct mont *m = &b->mont;
    uint64_t inc[MONT_LAST + 1] = { 0 };

    for (unsigned i = MONT_FIRST; i <= MONT_LAST; i++) {
        unsigned threshold = MONT_THRESHOLD(m->pmc[i]);

        if (MONT_ES(m->pmc[i]) != code || !mont_counts(m, i, &s->e)) {
            continue;
        }
        inc[i] = threshold ? s->inc > threshold : s->inc;
        if (inc[i]) {
            n = MIN(n, DIV_ROUND_UP(MONT_COUNT + 1 - m->pmd[i], inc[i]));
        }
    }
    for (unsigned i = MONT_FIRST; i <= MONT_LAST; i++) {
        if (inc[i]) {
            mont_add(m, i, inc[i] * n);
        }
    }
    return n;
}

/* Events of a capture unit count if they are captured. */
static uint64_t run_some(Bank *b, Stim *s)
{
    struct mont *m = &b->mont;

    mont_tag(m, &s->e);
    switch (s->kind) {
    case EVENT:
        return count(b, s, s->event, s->count);
    case DEAR:
        if (mont_capture_data(m, &s->e)) {
            count(b, s, MONT_DEAR_EVENTS, 1);
        }
        s->e.data += s->step;
        break;
    case IEAR:
        if (mont_capture_code(m, &s->e)) {
            count(b, s, MONT_IEAR_EVENTS, 1);
        }
        break;
    case BRANCH:
        if (mont_capture_branch(m, &s->e)) {
            count(b, s, MONT_BRANCH_EVENT, 1);
        }
        break;
    case RETIRE:
        s->e.early = MONT_IPEAR_DELAY(m->pmc[PMC_IPEAR]);
        if (mont_enabled(m, PMC_IPEAR, s->e.psr)) {
            mont_capture_ip(m, &s->e);
        }
        break;
    }
    return 1;
}

/* Execute queued injections up to the next overflow. */
static void run(Bank *b)
{
    Stim *s;

    while (!mont_frozen(&b->mont) && (s = g_queue_peek_head(b->work))) {
        s->count -= run_some(b, s);
        if (!s->count) {
            g_free(g_queue_pop_head(b->work));
        }
    }
    /*
     * Queue injections between an overflow and the end of its interrupt, as if
     * the program did not run. Drop those while software has frozen the PMU.
     */
    if (mont_frozen(&b->mont) && !b->held) {
        g_queue_clear_full(b->work, g_free);
    }
}

static uint64_t bank_read(void *opaque, hwaddr addr, unsigned size)
{
    MontecitoPmu *pmu = opaque;
    Bank *b = &pmu->bank[addr / BANK_PAGE];
    unsigned reg = addr % BANK_PAGE;

    if (addr / BANK_PAGE >= pmu->cpus) {
        return 0;
    }
    b->reads++;
    if (reg < BANK_PMD) {
        return mont_read_pmc(&b->mont, reg / 8);
    }
    if (reg < BANK_IBR) {
        return mont_read_pmd(&b->mont, (reg - BANK_PMD) / 8);
    }
    if (reg < BANK_DBR) {
        return b->ibr[(reg - BANK_IBR) / 8];
    }
    if (reg < BANK_PMV) {
        return b->dbr[(reg - BANK_DBR) / 8];
    }
    return reg == BANK_PMV ? b->pmv : 0;
}

static void write_pmv(Bank *b, uint64_t v)
{
    b->pmv = v;
    if (!(v & PMV_M) && (v & PMV_VECTOR) >= b->pmu->cpus) {
        mont_found(&b->mont, "PMV names vector %u of %u",
                   (unsigned)(v & PMV_VECTOR), b->pmu->cpus);
    }
    /* No interrupt will follow: continue. */
    if (v & PMV_M) {
        b->held = false;
        run(b);
    } else if (mont_asks(&b->mont)) {
        b->held = true;
        request_interrupt(b);
    }
}

static void bank_write(void *opaque, hwaddr addr, uint64_t v, unsigned size)
{
    MontecitoPmu *pmu = opaque;
    Bank *b = &pmu->bank[addr / BANK_PAGE];
    unsigned reg = addr % BANK_PAGE;

    if (addr / BANK_PAGE >= pmu->cpus) {
        return;
    }
    b->writes++;
    if (reg < BANK_PMD) {
        mont_write_pmc(&b->mont, reg / 8, v);
    } else if (reg < BANK_IBR) {
        mont_write_pmd(&b->mont, (reg - BANK_PMD) / 8, v);
    } else if (reg < BANK_DBR) {
        b->ibr[(reg - BANK_IBR) / 8] = v;
    } else if (reg < BANK_PMV) {
        b->dbr[(reg - BANK_DBR) / 8] = v;
    } else if (reg == BANK_PMV) {
        write_pmv(b, v);
    }
    mont_serialize(&b->mont);
    /* Unfrozen; or frozen by software, with nothing queued */
    if (reg == BANK_PMC &&
        (!mont_frozen(&b->mont) || g_queue_is_empty(b->work))) {
        b->held = false;
        run(b);
    }
}

static const MemoryRegionOps bank_ops = {
    .read = bank_read,
    .write = bank_write,
    .endianness = DEVICE_LITTLE_ENDIAN,
    .valid = { .min_access_size = 8, .max_access_size = 8 },
    .impl = { .min_access_size = 8, .max_access_size = 8 },
};

/* Commands */
#define EVERY (BIT(EVENT) | BIT(DEAR) | BIT(IEAR) | BIT(BRANCH) | BIT(RETIRE))
#define CODE  (BIT(EVENT) | BIT(DEAR) | BIT(BRANCH))
#define MISS  (BIT(DEAR) | BIT(IEAR))

static const ModelKey keys[] = {
    { "event", BIT(EVENT), 0xff, 0, offsetof(Stim, event) },
    { "umask", BIT(EVENT), 0xf, 0, offsetof(Stim, e.umask) },
    { "count", EVERY, UINT64_MAX, 1, offsetof(Stim, count) },
    { "inc", BIT(EVENT), 7, 1, offsetof(Stim, inc) },
    { "cpl", EVERY, 3, 3, offsetof(Stim, cpl) },
    { "mesi", BIT(EVENT), 0xf, 0xf, offsetof(Stim, e.mesi) },
    { "other", BIT(EVENT), 1, 0, offsetof(Stim, e.other) },
    { "ip", EVERY, UINT64_MAX, 0, offsetof(Stim, e.ip) },
    { "slot", BIT(DEAR) | BIT(BRANCH), 2, 0, offsetof(Stim, e.slot) },
    { "data", BIT(EVENT) | BIT(DEAR), UINT64_MAX, 0, offsetof(Stim, e.data) },
    { "opcode", CODE, (1ull << 41) - 1, 0, offsetof(Stim, e.opcode) },
    { "itype", CODE, 0xf, MONT_UNIT_M, offsetof(Stim, e.unit) },
    { "step", BIT(DEAR), UINT64_MAX, 0, offsetof(Stim, step) },
    { "mode", MISS, MONT_MISS_ALAT, 0, offsetof(Stim, e.mode) },
    { "latency", MISS, UINT32_MAX, 0, offsetof(Stim, e.latency) },
    { "hit", MISS, 3, 1, offsetof(Stim, e.hit) },
    { "rab", BIT(IEAR), 1, 0, offsetof(Stim, e.rab) },
    { "vl", BIT(DEAR), 1, 1, offsetof(Stim, e.vl) },
    { "to", BIT(BRANCH), UINT64_MAX, 0, offsetof(Stim, e.to) },
    { "taken", BIT(BRANCH), 1, 1, offsetof(Stim, e.taken) },
    { "target_ok", BIT(BRANCH), 1, 1, offsetof(Stim, e.target_ok) },
    { "path_ok", BIT(BRANCH), 1, 1, offsetof(Stim, e.path_ok) },
    { "type", BIT(BRANCH), 3, 1, offsetof(Stim, e.type) },
    { "flush", BIT(RETIRE), 1, 0, offsetof(Stim, e.flush) },
    { "cycles", BIT(RETIRE), 63, 1, offsetof(Stim, e.cycles) },
    { "ef", BIT(RETIRE), 1, 0, offsetof(Stim, e.ef) },
};

static const char *const kinds[] = {
    "event", "dear", "iear", "branch", "retire"
};

static int kind_of(const char *word)
{
    for (unsigned k = 0; k < ARRAY_SIZE(kinds); k++) {
        if (!strcmp(word, kinds[k])) {
            return k;
        }
    }
    return -1;
}

static bool parse_stim(Stim *s, const char *args, Error **errp)
{
    ModelValue v[ARRAY_SIZE(keys)];
    g_auto(GStrv) items = model_parse_keys(keys, ARRAY_SIZE(keys),
                                           BIT(s->kind), kinds[s->kind], args,
                                           v, errp);

    if (!items) {
        return false;
    }
    for (unsigned k = 0; k < ARRAY_SIZE(keys); k++) {
        *(uint64_t *)((char *)s + keys[k].at) = v[k].n;
    }
    /* PSR.pp is on, PSR.up is off. */
    s->e.psr = s->cpl << MONT_PSR_CPL_SHIFT | MONT_PSR_PP;
    if (s->kind == EVENT && !mont_codes[s->event].counters) {
        error_setg(errp, "no event has code 0x%" PRIx64, s->event);
        return false;
    }
    if (s->kind != EVENT && s->count > MAX_CAPTURES) {
        error_setg(errp, "%s: count is at most %u", kinds[s->kind],
                   MAX_CAPTURES);
        return false;
    }
    return true;
}

/* Parse a command, and append its injections to @row. */
static bool parse_row(GQueue *row, char **words, Error **errp)
{
    do {
        int kind = *words ? kind_of(*words++) : -1;
        bool keys_follow = *words && kind_of(*words) < 0;
        Stim *s;

        if (kind < 0) {
            error_setg(errp, "montecito [cpu=N] event|dear|iear|branch|retire|"
                       "checker|accesses");
            return false;
        }
        s = g_new0(Stim, 1);
        s->kind = kind;
        g_queue_push_tail(row, s);
        if (!parse_stim(s, keys_follow ? *words++ : "", errp)) {
            return false;
        }
    } while (*words);
    return true;
}

/*
 * Parse the whole command before executing any of it. Injections that an
 * overflow stops are queued, and continue after the interrupt.
 */
static ModelStatus inject(Bank *b, char **words, Error **errp)
{
    GQueue *row = g_queue_new();
    bool parsed = parse_row(row, words, errp);

    if (parsed && g_queue_get_length(b->work) > MAX_WAITING) {
        error_setg(errp, "more than %u injections wait for the end of an "
                   "overflow's interrupt", MAX_WAITING);
        parsed = false;
    }
    if (parsed) {
        Stim *s;

        while ((s = g_queue_pop_head(row))) {
            if (s->count) {
                g_queue_push_tail(b->work, s);
            } else {
                g_free(s);
            }
        }
        run(b);
    }
    g_queue_free_full(row, g_free);
    return parsed ? MODEL_STATUS_OK : MODEL_STATUS_ERROR;
}

static ModelStatus accesses(MontecitoPmu *pmu, const char *args, GString *out,
                            Error **errp)
{
    if (*args && strcmp(args, "reset")) {
        error_setg(errp, "accesses [reset]");
        return MODEL_STATUS_ERROR;
    }
    for (unsigned i = 0; i < pmu->cpus; i++) {
        Bank *b = &pmu->bank[i];

        g_string_append_printf(out, "cpu %u reads %" PRIu64 " writes %" PRIu64
                               " interrupts %" PRIu64 "\n", i, b->reads,
                               b->writes, b->interrupts);
        if (*args) {
            b->reads = 0;
            b->writes = 0;
            b->interrupts = 0;
        }
    }
    return MODEL_STATUS_OK;
}

static ModelStatus command(void *opaque, const char *args, GString *out,
                           Error **errp)
{
    g_auto(GStrv) words = g_strsplit(args, " ", -1);
    MontecitoPmu *pmu = opaque;
    unsigned cpu = current_cpu ? model_cpu_number(current_cpu) : 0;
    char **w = words;
    const char *rest;

    if (*w && g_str_has_prefix(*w, "cpu=") &&
        model_strtoui(*w++ + 4, NULL, 0, &cpu)) {
        error_setg(errp, "cpu= is a number");
        return MODEL_STATUS_ERROR;
    }
    if (cpu >= pmu->cpus) {
        error_setg(errp, "there are %u processors", pmu->cpus);
        return MODEL_STATUS_ERROR;
    }
    rest = *w && w[1] ? w[1] : "";
    if (!g_strcmp0(*w, "checker")) {
        return model_findings_answer(pmu->findings, rest, out, errp);
    }
    if (!g_strcmp0(*w, "accesses")) {
        return accesses(pmu, rest, out, errp);
    }
    return inject(&pmu->bank[cpu], w, errp);
}

/* The device */
static void pmu_reset(DeviceState *dev)
{
    MontecitoPmu *pmu = MONTECITO_PMU(dev);

    for (unsigned i = 0; i < pmu->cpus; i++) {
        Bank *b = &pmu->bank[i];

        g_queue_clear_full(b->work, g_free);
        *b = (Bank) { .pmu = pmu, .cpu = i, .work = b->work, .pmv = PMV_M };
        mont_reset(&b->mont, i + 1);
        b->mont.level = pmu->level;
        b->mont.ibr = b->ibr;
        b->mont.dbr = b->dbr;
    }
    model_findings_clear(pmu->findings);
}

static void pmu_realize(PCIDevice *pci, Error **errp)
{
    MontecitoPmu *pmu = MONTECITO_PMU(pci);

    if (!pmu->cpus || pmu->cpus > MONT_MAX_CPUS) {
        error_setg(errp, "cpus is 1 to %d", MONT_MAX_CPUS);
        return;
    }
    if (msix_init_exclusive_bar(pci, pmu->cpus, 1, errp)) {
        return;
    }
    pmu->bank = g_new0(Bank, pmu->cpus);
    for (unsigned i = 0; i < pmu->cpus; i++) {
        msix_vector_use(pci, i);
        pmu->bank[i].work = g_queue_new();
    }
    pmu->findings = model_findings_new();
    memory_region_init_io(&pmu->bar, OBJECT(pmu), &bank_ops, pmu,
                          TYPE_MONTECITO_PMU,
                          pow2ceil(pmu->cpus * BANK_PAGE));
    pci_register_bar(pci, 0, PCI_BASE_ADDRESS_SPACE_MEMORY, &pmu->bar);
    model_console_register("montecito", command, pmu);
}

static Property pmu_properties[] = {
    DEFINE_PROP_UINT32("cpus", MontecitoPmu, cpus, 1),
    DEFINE_PROP_BOOL("level", MontecitoPmu, level, false),
    DEFINE_PROP_END_OF_LIST(),
};

static void pmu_class_init(ObjectClass *klass, void *data)
{
    PCIDeviceClass *pc = model_pci_class_init(klass, "monitors of Montecito, "
                                              "the dual-core Itanium 2",
                                              pmu_properties, MONT_DEVICE);

    pc->realize = pmu_realize;
    pc->vendor_id = MONT_VENDOR;
    pc->class_id = PCI_CLASS_OTHERS;
    DEVICE_CLASS(klass)->reset = pmu_reset;
}

static const TypeInfo pmu_types[] = {
    MODEL_PCI_TYPE(TYPE_MONTECITO_PMU, MontecitoPmu, pmu_class_init),
};

DEFINE_TYPES(pmu_types)
