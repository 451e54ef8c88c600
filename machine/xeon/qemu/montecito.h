/*
 * Montecito's performance monitors for x86 machines: internal interfaces. From
 * chapter 3 of the manual, 308065-001.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_I386_MODEL_MONTECITO_H
#define HW_I386_MODEL_MONTECITO_H

#include "hw/pci/pci.h"
#include "hw/registerfields.h"
#include "qom/object.h"
#include "model-findings.h"

#define TYPE_MONTECITO_PMU "montecito-pmu"
OBJECT_DECLARE_SIMPLE_TYPE(MontecitoPmu, MONTECITO_PMU)

#define MONT_MAX_CPUS       64
#define MONT_REGS           64      /* of PMC and of PMD */
#define MONT_COUNT_BITS     47
#define MONT_ENTRIES        16      /* of the trace buffer: PMD48-63 */

/* One page of BAR 0 for each processor */
#define MONT_PAGE           0x1000
#define MONT_PMC            0x000
#define MONT_PMD            0x200
#define MONT_IBR            0x400
#define MONT_DBR            0x440
#define MONT_PMV            0x480

/* Table 3-8 */
FIELD(PMC0, FR, 0, 1)
FIELD(PMC0, OVERFLOW, 4, 12)
/* Table 3-6 */
FIELD(PMC4, PLM, 0, 4)
FIELD(PMC4, EV, 4, 1)
FIELD(PMC4, OI, 5, 1)
FIELD(PMC4, PM, 6, 1)
FIELD(PMC4, ES, 8, 8)
FIELD(PMC4, UMASK, 16, 4)
FIELD(PMC4, THRESHOLD, 20, 3)
FIELD(PMC4, ISM, 24, 2)
FIELD(PMC4, ALL, 26, 1)
FIELD(PMC4, MESI, 27, 4)
/* Tables 3-11 and 3-12 */
FIELD(PMC32, MASK, 0, 41)
FIELD(PMC32, MIFB, 48, 4)
FIELD(PMC32, INV, 56, 1)
FIELD(PMC32, IG_AD, 57, 1)
FIELD(PMC33, MATCH, 0, 41)
/* Table 3-15; .ct = 1x leaves bit 12 to the unit mask */
FIELD(PMC37, PLM, 0, 4)
FIELD(PMC37, TLB_UMASK, 5, 3)
FIELD(PMC37, CACHE_UMASK, 5, 8)
FIELD(PMC37, CT, 12, 2)
/* Table 3-10 */
FIELD(PMC38, FINE, 13, 1)
/* Table 3-26 */
FIELD(PMC39, PLM, 0, 4)
FIELD(PMC39, DS, 7, 1)
FIELD(PMC39, TM, 8, 2)
FIELD(PMC39, PTM, 10, 2)
FIELD(PMC39, PPM, 12, 2)
FIELD(PMC39, BRT, 14, 2)
/* Table 3-20 */
FIELD(PMC40, PLM, 0, 4)
FIELD(PMC40, MODE, 7, 2)
FIELD(PMC40, UMASK, 16, 4)
FIELD(PMC40, ISM, 24, 2)
/* Table 3-14, with the layout of figure 3-18 */
FIELD(PMC41, CFGDTAG0, 3, 2)
FIELD(PMC41, EN_DBRP, 45, 4)
/* Table 3-30 */
FIELD(PMC42, PLM, 0, 4)
FIELD(PMC42, MODE, 8, 3)
FIELD(PMC42, DELAY, 11, 8)
/* Tables 3-22 and 3-25 */
FIELD(PMD33, LATENCY, 0, 13)
FIELD(PMD33, OV, 13, 1)
FIELD(PMD33, STAT, 14, 2)
FIELD(PMD36, SLOT, 0, 2)
FIELD(PMD36, BN, 2, 1)
FIELD(PMD36, VL, 3, 1)
/* Table 3-17 */
FIELD(PMD34, STAT, 0, 2)
FIELD(PMD35, LATENCY, 0, 12)
FIELD(PMD35, OV, 12, 1)
/* Table 3-28 */
FIELD(PMD38, EBI, 0, 4)
FIELD(PMD38, FULL, 5, 1)
/* Tables 3-27 and 3-31 */
FIELD(PMD48, S, 0, 1)
FIELD(PMD48, MP, 1, 1)
FIELD(PMD48, SLOT, 2, 2)

/* An injection */
typedef enum MontKind {
    MONT_EVENT,
    MONT_DEAR,
    MONT_IEAR,
    MONT_BRANCH,
    MONT_RETIRE,
} MontKind;

typedef enum MontKey {
    K_EVENT, K_UMASK, K_COUNT, K_INC, K_CPL, K_MESI, K_OTHER,
    K_IP, K_SLOT, K_DATA, K_OPCODE, K_ITYPE, K_STEP,
    K_MODE, K_LATENCY, K_HIT, K_RAB, K_VL,
    K_TO, K_TAKEN, K_TARGET, K_PATH, K_BRT, K_NEXT, K_BUNDLE1, K_FLUSH,
    K_CYCLES, K_EF,
    K_MAX
} MontKey;

typedef struct MontStim {
    MontKind kind;
    uint64_t v[K_MAX];
} MontStim;

/* One processor's monitors */
typedef struct MontBank {
    MontecitoPmu *pmu;
    unsigned cpu;
    uint64_t pmc[MONT_REGS];
    uint64_t pmd[MONT_REGS];
    uint64_t ibr[8];
    uint64_t dbr[8];
    uint64_t pmv;
    GQueue *work;           /* MontStim, held while an overflow has frozen */
    bool held;
    uint64_t reads;
    uint64_t writes;
    uint64_t interrupts;
} MontBank;

struct MontecitoPmu {
    PCIDevice parent_obj;

    MemoryRegion bar;
    uint32_t cpus;
    MontBank *bank;
    ModelFindings *findings;
};

/**
 * MontEvent: an event code of chapter 4
 *
 * @counters: bit n: PMDn supports it
 * @set: 'd' and a digit for an L1D set, '2' and a digit for an L2D set
 * @quals: letters i, o, d: instruction address, opcode, data address;
 *         m: MESI; p: its instruction range is IBRP1
 * @all: 'n' if table 4-19 does not support .all
 */
typedef struct MontEvent {
    bool exists;
    uint16_t counters;
    const char *set;
    const char *quals;
    char all;
} MontEvent;

const MontEvent *mont_event(uint8_t code);
bool mont_has(const MontEvent *e, char qual);

/* Return the L2D master (PMC4 or 6) of a counter, or 0. */
unsigned mont_l2d_master(unsigned counter);

/* Add a finding of the protocol checker. */
void G_GNUC_PRINTF(2, 3) mont_found(MontBank *b, const char *rule, ...);
void mont_check_write_pmc(MontBank *b, unsigned n, uint64_t v);
/* Check all registers when the PMU is unfrozen. */
void mont_check_setup(MontBank *b);
/* Return whether the count of counter @n is defined. */
bool mont_defined(const MontBank *b, unsigned n);

/* Count up to @n events; returns the number counted before an overflow. */
uint64_t mont_count(MontBank *b, const MontStim *s, uint8_t code,
                    uint64_t umask, uint64_t n);
/* Return whether tag and data range pass an event of @code. */
bool mont_qualified(const MontBank *b, const MontStim *s, uint8_t code);

/* Return whether an instruction range is enabled: PMC38.ig_ibrp0 to ig_ibrp3 */
bool mont_ibrp_on(const MontBank *b, unsigned pair);

/* Capture functions; they return whether the event was captured. */
bool mont_capture(MontBank *b, const MontStim *s);
/* Add the IP-EAR's last entry after its delay. */
void mont_ip_freeze(MontBank *b);

/* Execute queued injections up to the next overflow. */
void mont_run(MontBank *b);

/* Console */
void mont_stim_init(MontecitoPmu *pmu);

#endif
