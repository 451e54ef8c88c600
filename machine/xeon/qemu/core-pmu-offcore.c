/*
 * Offcore response: registers of each processor, and matching of transactions
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "qemu/bitops.h"
#include "core-pmu.h"

#define REQ(name, bit)  { name, OFFCORE_REQUEST, BIT_ULL(bit) }
#define RSP(name, bit)  { name, OFFCORE_RESPONSE, BIT_ULL(bit) }
#define SNP(name, bit)  { name, OFFCORE_SNOOP, BIT_ULL(bit) }

/*
 * Requests of these three are from SDM table 18-26, responses from Intel's
 * event lists in perf (nehalemep, nehalemex, westmereex; westmereep-sp;
 * westmereep-dp). SDM figure 18-24 only has the first one, and reserves bit
 * 11, which all of the lists use.
 */
static const OffcoreField nehalem[] = {
    REQ("dmnd_data_rd", 0),
    REQ("dmnd_rfo", 1),
    REQ("dmnd_ifetch", 2),
    REQ("wb", 3),
    REQ("pf_data_rd", 4),
    REQ("pf_rfo", 5),
    REQ("pf_ifetch", 6),
    REQ("other", 7),
    RSP("uncore_hit", 8),
    RSP("other_core_hit_snp", 9),
    RSP("other_core_hitm", 10),
    RSP("remote_cache_hitm", 11),
    RSP("remote_cache_fwd", 12),
    RSP("remote_dram", 13),
    RSP("local_dram", 14),
    RSP("non_dram", 15),
    { }
};

static const OffcoreField westmere[] = {
    REQ("dmnd_data_rd", 0),
    REQ("dmnd_rfo", 1),
    REQ("dmnd_ifetch", 2),
    REQ("wb", 3),
    REQ("pf_data_rd", 4),
    REQ("pf_rfo", 5),
    REQ("pf_ifetch", 6),
    REQ("other", 7),
    RSP("uncore_hit", 8),
    RSP("other_core_hit_snp", 9),
    RSP("other_core_hitm", 10),
    RSP("remote_cache_hitm", 11),
    RSP("remote_cache_fwd", 12),
    RSP("local_dram", 13),
    RSP("remote_dram", 14),
    RSP("non_dram", 15),
    { }
};

static const OffcoreField westmere_ep[] = {
    REQ("dmnd_data_rd", 0),
    REQ("dmnd_rfo", 1),
    REQ("dmnd_ifetch", 2),
    REQ("wb", 3),
    REQ("pf_data_rd", 4),
    REQ("pf_rfo", 5),
    REQ("pf_ifetch", 6),
    REQ("other", 7),
    RSP("uncore_hit", 8),
    RSP("other_core_hit_snp", 9),
    RSP("other_core_hitm", 10),
    RSP("remote_cache_hitm", 11),
    RSP("local_dram_and_remote_cache_hit", 12),
    RSP("remote_dram", 13),
    RSP("other_local_dram", 14),
    RSP("non_dram", 15),
    { }
};

/* SDM tables 18-36 to 18-38; "remote" is the EP part's, and comes first */
static const OffcoreField sandy_bridge_ep[] = {
    { "remote", OFFCORE_RESPONSE, 0xffull << 23 },
    REQ("dmnd_data_rd", 0),
    REQ("dmnd_rfo", 1),
    REQ("dmnd_ifetch", 2),
    REQ("wb", 3),
    REQ("pf_data_rd", 4),
    REQ("pf_rfo", 5),
    REQ("pf_ifetch", 6),
    REQ("pf_llc_data_rd", 7),
    REQ("pf_llc_rfo", 8),
    REQ("pf_llc_ifetch", 9),
    REQ("bus_locks", 10),
    REQ("strm_st", 11),
    REQ("other", 15),
    { "any_response", OFFCORE_ANY, BIT_ULL(16) },
    RSP("no_supp", 17),
    RSP("llc_hitm", 18),
    RSP("llc_hite", 19),
    RSP("llc_hits", 20),
    RSP("llc_hitf", 21),
    RSP("local", 22),
    SNP("snp_none", 31),
    SNP("snp_not_needed", 32),
    SNP("snp_miss", 33),
    SNP("snp_no_fwd", 34),
    SNP("snp_fwd", 35),
    SNP("hitm", 36),
    SNP("non_dram", 37),
    { }
};

static const CorePmuModel models[] = {
    { "Nehalem", { 26, 30, 31, 46 }, 1, true, true, nehalem },
    { "Westmere", { 37 }, 2, true, true, westmere },
    { "Westmere-EP", { 44 }, 2, true, true, westmere_ep },
    { "Westmere-EX", { 47 }, 2, true, true, nehalem },
    { "Sandy Bridge", { 42 }, 2, false, false, sandy_bridge_ep + 1 },
    { "Sandy Bridge-EP", { 45 }, 2, false, false, sandy_bridge_ep },
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

uint64_t offcore_mask(const CorePmuModel *m, OffcoreKind kind)
{
    uint64_t mask = 0;

    for (const OffcoreField *f = m->fields; f->name; f++) {
        if (f->kind == kind) {
            mask |= f->mask;
        }
    }
    return mask;
}

/* Return the valid bits; others fault. */
uint64_t offcore_kept(const CorePmuModel *m)
{
    uint64_t mask = 0;

    for (const OffcoreField *f = m->fields; f->name; f++) {
        mask |= f->mask;
    }
    return mask;
}

uint64_t offcore_named(const CorePmuModel *m, OffcoreKind kind,
                       const char *name)
{
    for (const OffcoreField *f = m->fields; f->name; f++) {
        if (f->kind == kind && !strcmp(f->name, name)) {
            return f->mask;
        }
    }
    return 0;
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
