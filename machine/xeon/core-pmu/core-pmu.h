/*
 * Performance monitoring of a processor core: internal interfaces.
 * "SDM" is Intel's Software Developer's Manual, volume 3B, chapter 18.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_I386_MODEL_CORE_PMU_H
#define HW_I386_MODEL_CORE_PMU_H

#include "cpu.h"
#include "qom/object.h"
#include "hw/qdev-core.h"
#include "qemu/timer.h"
#include "hw/registerfields.h"
#include "model-findings.h"

#define CORE_PMU_MAX_CPUS   256
#define CORE_PMU_MAX_GP     8
#define CORE_PMU_FIXED      3
#define CORE_PMU_FIXED0     32      /* counters as in GLOBAL_CTRL */
#define CORE_PMU_CTRS       (CORE_PMU_FIXED0 + CORE_PMU_FIXED)
#define CORE_PMU_WIDTH      48      /* of a fixed counter */
#define CORE_PMU_RSPS       2
/*
 * Offcore responses have the first four general counters: SDM 18.8.1.3 and,
 * with hyper-threading off and eight counters, table 18-35
 */
#define CORE_PMU_OFFCORE    4

/* IA32_PERFEVTSELx, SDM figure 18-6 and, for AnyThread, 18-9 */
FIELD(EVTSEL, EVENT, 0, 8)
FIELD(EVTSEL, UMASK, 8, 8)
FIELD(EVTSEL, USR, 16, 1)
FIELD(EVTSEL, OS, 17, 1)
FIELD(EVTSEL, EDGE, 18, 1)
FIELD(EVTSEL, INT, 20, 1)
FIELD(EVTSEL, ANY, 21, 1)
FIELD(EVTSEL, EN, 22, 1)
FIELD(EVTSEL, INV, 23, 1)
FIELD(EVTSEL, CMASK, 24, 8)

typedef enum OffcoreKind {
    OFFCORE_REQUEST,
    OFFCORE_RESPONSE,       /* with a snoop group: the supplier */
    OFFCORE_SNOOP,
    OFFCORE_ANY,            /* whatever the response */
    OFFCORE_ALL,            /* all of these */
} OffcoreKind;

typedef struct CorePmuModel {
    const char *name;
    uint8_t models[4];      /* of family 6 */
    uint8_t rsps;           /* OFFCORE_RSP registers */
    bool shared;            /* one set for the threads of a core */
    bool resets;            /* has the errata of core-pmu-checker.c */
    uint8_t part;           /* which fields its registers have */
} CorePmuModel;

/* Response to an offcore request, as bits of the register */
typedef struct OffcoreTransaction {
    uint64_t request;
    uint64_t response;
    uint64_t snoop;
} OffcoreTransaction;

typedef struct CorePmuStim {
    OffcoreTransaction transaction;
    bool kernel;            /* happens in ring 0 */
    uint64_t count;         /* cycles */
} CorePmuStim;

typedef enum CorePmuReg {
    CORE_PMU_PMC,
    CORE_PMU_EVTSEL,
    CORE_PMU_FIXED_CTR,
    CORE_PMU_FIXED_CTRL,
    CORE_PMU_STATUS,
    CORE_PMU_CTRL,
    CORE_PMU_OVF_CTRL,
    CORE_PMU_RSP,
    CORE_PMU_REGS
} CorePmuReg;

typedef struct CorePmu CorePmu;

typedef struct CorePmuCPU {
    uint64_t ctr[CORE_PMU_CTRS];
    uint64_t evtsel[CORE_PMU_MAX_GP];
    uint64_t fixed_ctrl;
    uint64_t status;
    uint64_t rsp[CORE_PMU_RSPS];    /* a shared set is the first thread's */
    /* Protocol checker: last events, reset counters, reset events seen */
    uint64_t ran[CORE_PMU_MAX_GP];
    uint8_t fresh;
    uint8_t resetting;
    struct {} end_reset_fields;

    CorePmu *pmu;
    X86CPU *cpu;
    uint64_t ctrl;
    int64_t synced;         /* virtual time to which clocks are counted */
    QEMUTimer *timer;       /* next overflow of a clock */
    uint64_t interrupts;
    uint64_t reads[CORE_PMU_REGS];
    uint64_t writes[CORE_PMU_REGS];
} CorePmuCPU;

/* A write by the guest */
typedef struct CorePmuWrite {
    CorePmuReg reg;
    uint32_t msr;
    unsigned index;         /* of @reg */
    uint64_t value;
    bool read_only;
    uint64_t reserved;      /* bits of @value that make the write fault */
} CorePmuWrite;

/* The subscriber is called when the guest will write, and has written. */
typedef enum CorePmuStage {
    CORE_PMU_WRITE,
    CORE_PMU_WRITTEN,
} CorePmuStage;

typedef void CorePmuSubscriber(CorePmuCPU *c, CorePmuStage stage,
                               const CorePmuWrite *w);

struct CorePmu {
    DeviceState parent_obj;

    uint32_t counters;
    uint32_t width;         /* of a general counter */
    CorePmuCPU *cpu[CORE_PMU_MAX_CPUS];
    CorePmuSubscriber *subscriber;
    ModelFindings *findings;
    /* Expected response register values, by USR and OS of the event select */
    bool expects[4];
    uint64_t expected[4];
};

#define TYPE_CORE_PMU "core-pmu"
OBJECT_DECLARE_SIMPLE_TYPE(CorePmu, CORE_PMU)

/* core-pmu.c: called for CPUID and RDPMC if the device exists */
bool core_pmu_present(void);
void core_pmu_cpuid(uint32_t *eax, uint32_t *ebx, uint32_t *ecx,
                    uint32_t *edx);
/* false if there is no counter @index: the instruction faults */
bool core_pmu_rdpmc(X86CPU *cpu, uint32_t index, uint64_t *value);

CorePmuCPU *core_pmu_cpu(CorePmu *pmu, X86CPU *cpu);
CorePmuCPU *core_pmu_rsp_home(CorePmuCPU *c);
bool core_pmu_same_core(const CorePmuCPU *a, X86CPU *b);
bool core_pmu_runs(const CorePmuCPU *c, unsigned i);
void core_pmu_sync(CorePmuCPU *c);
void core_pmu_arm(CorePmuCPU *c);
void core_pmu_happen(CorePmuCPU *c, const CorePmuStim *stim);

/* core-pmu-offcore.c */
const CorePmuModel *core_pmu_model(const CorePmuCPU *c);
/* Return the bits of a name, or of all if NULL; 0: not on this processor */
uint64_t offcore_named(const CorePmuModel *m, OffcoreKind kind,
                       const char *name);
#define offcore_mask(m, kind)   offcore_named(m, kind, NULL)
int offcore_register(uint64_t evtsel);
bool offcore_match(const CorePmuModel *m, uint64_t value,
                   const OffcoreTransaction *t);

/* core-pmu-checker.c */
void core_pmu_check_init(CorePmu *pmu);
ModelStatus core_pmu_check_answer(CorePmu *pmu, const char *args, GString *out,
                                  Error **errp);

/* core-pmu-console.c */
void core_pmu_console_init(CorePmu *pmu);

#endif
