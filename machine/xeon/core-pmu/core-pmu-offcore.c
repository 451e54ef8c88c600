/*
 * Offcore response: registers of each processor, and matching of transactions
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "core-pmu.h"

/* Processors whose registers have a field */
#define NHM     BIT(0)      /* Nehalem and Westmere-EX */
#define WSM     BIT(1)
#define WSM_EP  BIT(2)
#define SNB     BIT(3)
#define SNB_EP  BIT(4)
#define OLD     (NHM | WSM | WSM_EP)
#define NEW     (SNB | SNB_EP)

#define REQ(parts, name, bit)   { parts, name, OFFCORE_REQUEST, BIT_ULL(bit) }
#define RSP(parts, name, bit)   { parts, name, OFFCORE_RESPONSE, BIT_ULL(bit) }
#define SNP(name, bit)          { NEW, name, OFFCORE_SNOOP, BIT_ULL(bit) }

/*
 * OLD: requests are from SDM table 18-26, responses from Intel's event lists in
 * perf (nehalemep, nehalemex, westmereex; westmereep-sp; westmereep-dp). SDM
 * figure 18-24 only has the first one, and reserves bit 11, which all of the
 * lists use. NEW: SDM tables 18-36 to 18-38.
 */
static const struct {
    uint8_t parts;
    const char *name;
    OffcoreKind kind;
    uint64_t mask;
} fields[] = {
    REQ(OLD | NEW, "dmnd_data_rd", 0),
    REQ(OLD | NEW, "dmnd_rfo", 1),
    REQ(OLD | NEW, "dmnd_ifetch", 2),
    REQ(OLD | NEW, "wb", 3),
    REQ(OLD | NEW, "pf_data_rd", 4),
    REQ(OLD | NEW, "pf_rfo", 5),
    REQ(OLD | NEW, "pf_ifetch", 6),
    REQ(OLD, "other", 7),
    REQ(NEW, "pf_llc_data_rd", 7),
    REQ(NEW, "pf_llc_rfo", 8),
    REQ(NEW, "pf_llc_ifetch", 9),
    REQ(NEW, "bus_locks", 10),
    REQ(NEW, "strm_st", 11),
    REQ(NEW, "other", 15),
    RSP(OLD, "uncore_hit", 8),
    RSP(OLD, "other_core_hit_snp", 9),
    RSP(OLD, "other_core_hitm", 10),
    RSP(OLD, "remote_cache_hitm", 11),
    RSP(NHM | WSM, "remote_cache_fwd", 12),
    RSP(WSM_EP, "local_dram_and_remote_cache_hit", 12),
    RSP(NHM | WSM_EP, "remote_dram", 13),
    RSP(WSM, "local_dram", 13),
    RSP(NHM, "local_dram", 14),
    RSP(WSM, "remote_dram", 14),
    RSP(WSM_EP, "other_local_dram", 14),
    RSP(OLD, "non_dram", 15),
    { NEW, "any_response", OFFCORE_ANY, BIT_ULL(16) },
    RSP(NEW, "no_supp", 17),
    RSP(NEW, "llc_hitm", 18),
    RSP(NEW, "llc_hite", 19),
    RSP(NEW, "llc_hits", 20),
    RSP(NEW, "llc_hitf", 21),
    RSP(NEW, "local", 22),
    { SNB_EP, "remote", OFFCORE_RESPONSE, 0xffull << 23 },
    SNP("snp_none", 31),
    SNP("snp_not_needed", 32),
    SNP("snp_miss", 33),
    SNP("snp_no_fwd", 34),
    SNP("snp_fwd", 35),
    SNP("hitm", 36),
    SNP("non_dram", 37),
};

static const CorePmuModel models[] = {
    { "Nehalem", { 26, 30, 31, 46 }, 1, true, true, NHM },
    { "Westmere", { 37 }, 2, true, true, WSM },
    { "Westmere-EP", { 44 }, 2, true, true, WSM_EP },
    { "Westmere-EX", { 47 }, 2, true, true, NHM },
    { "Sandy Bridge", { 42 }, 2, false, false, SNB },
    { "Sandy Bridge-EP", { 45 }, 2, false, false, SNB_EP },
};

/* NULL: processor without known registers; accesses fault. */
const CorePmuModel *core_pmu_model(const CorePmuCPU *c)
{
    uint32_t v = c->cpu->env.cpuid_version;
    unsigned family = extract32(v, 8, 4);
    unsigned model = extract32(v, 16, 4) << 4 | extract32(v, 4, 4);

    for (int i = 0; family == 6 && i < ARRAY_SIZE(models); i++) {
        if (model && memchr(models[i].models, model,
                            sizeof(models[i].models))) {
            return &models[i];
        }
    }
    return NULL;
}

uint64_t offcore_named(const CorePmuModel *m, OffcoreKind kind,
                       const char *name)
{
    uint64_t mask = 0;

    for (int i = 0; i < ARRAY_SIZE(fields); i++) {
        if ((fields[i].parts & m->part) &&
            (kind == OFFCORE_ALL || fields[i].kind == kind) &&
            (!name || !strcmp(fields[i].name, name))) {
            mask |= fields[i].mask;
        }
    }
    return mask;
}

/* Return the register of an event select, or -1. */
int offcore_register(uint64_t evtsel)
{
    switch (FIELD_EX64(evtsel, EVTSEL, EVENT)) {
    case 0xb7:
        return 0;
    case 0xbb:
        return 1;
    }
    return -1;
}

/*
 * A transaction matches if its request and response are selected. On processors
 * with a snoop group, both supplier and snoop result are needed, unless any
 * response is selected.
 */
bool offcore_match(const CorePmuModel *m, uint64_t value,
                   const OffcoreTransaction *t)
{
    if (!(value & t->request)) {
        return false;
    }
    if (value & offcore_mask(m, OFFCORE_ANY)) {
        return true;
    }
    return (value & t->response) &&
           (!offcore_mask(m, OFFCORE_SNOOP) || (value & t->snoop));
}
