/*
 * Offcore responses for MSR_OFFCORE_RSP: request, supplier and snoop result of
 * each request of a core. Recorded together with the flow of the CBo's lookup,
 * so that core and uncore counts match.
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#include "qemu/osdep.h"
#include "core-pmu.h"
#include "traffic.h"

/* The names of Sandy Bridge-EP's bits, SDM tables 18-36 to 18-38 */
static const char *const asks[TRAFFIC_ASKS] = {
    [ASK_DATA_RD] = "dmnd_data_rd", [ASK_RFO] = "dmnd_rfo",
    [ASK_IFETCH] = "dmnd_ifetch", [ASK_WB] = "wb", [ASK_STREAM] = "strm_st",
};

static const char *const suppliers[TRAFFIC_SUPPLIERS] = {
    [FROM_NOWHERE] = "no_supp",
    [FROM_LLC_S] = "llc_hits", [FROM_LLC_F] = "llc_hitf",
    [FROM_LLC_E] = "llc_hite", [FROM_LLC_M] = "llc_hitm",
    [FROM_LOCAL] = "local", [FROM_REMOTE] = "remote",
};

static const char *const snoops[TRAFFIC_SNOOPS] = {
    [SNOOP_NONE] = "snp_none", [SNOOP_NOT_NEEDED] = "snp_not_needed",
    [SNOOP_MISS] = "snp_miss", [SNOOP_HIT] = "snp_no_fwd",
    [SNOOP_FORWARD] = "snp_fwd", [SNOOP_HITM] = "hitm",
};

void traffic_offcore(TrafficCore *c, TrafficAsk ask, TrafficSupplier supplier,
                     TrafficSnoop snoop)
{
    bool kernel = (c->env->hflags & HF_CPL_MASK) != 3;

    if (core_pmu_present()) {
        c->offcore[kernel][ask][supplier][snoop]++;
        qatomic_set(&c->offcore_new, true);
    }
}

static void tell(CorePmuCPU *pmu, bool kernel, TrafficAsk ask,
                 TrafficSupplier supplier, TrafficSnoop snoop, uint64_t count)
{
    const CorePmuModel *m = core_pmu_model(pmu);
    CorePmuStim stim = {
        .kernel = kernel, .count = count,
        .transaction.request = offcore_named(m, OFFCORE_REQUEST, asks[ask]),
        .transaction.response = offcore_named(m, OFFCORE_RESPONSE,
                                              suppliers[supplier]),
        .transaction.snoop = offcore_named(m, OFFCORE_SNOOP, snoops[snoop]),
    };

    core_pmu_happen(pmu, &stim);
}

static void drain(CorePmuCPU *pmu)
{
    int index = CPU(pmu->cpu)->cpu_index;
    TrafficCore *c = traffic.cores ? traffic.cores[index] : NULL;
    uint64_t now[2][TRAFFIC_ASKS][TRAFFIC_SUPPLIERS][TRAFFIC_SNOOPS];

    if (!c || !qatomic_read(&c->offcore_new)) {
        return;
    }
    qemu_mutex_lock(&traffic.lock);
    memcpy(now, c->offcore, sizeof(now));
    memset(c->offcore, 0, sizeof(c->offcore));
    qatomic_set(&c->offcore_new, false);
    qemu_mutex_unlock(&traffic.lock);
    /* Other processors have different bits. */
    if (!core_pmu_model(pmu) ||
        !offcore_named(core_pmu_model(pmu), OFFCORE_RESPONSE, "remote")) {
        return;
    }
    for (unsigned kernel = 0; kernel < 2; kernel++) {
        for (unsigned ask = 0; ask < TRAFFIC_ASKS; ask++) {
            for (unsigned from = 0; from < TRAFFIC_SUPPLIERS; from++) {
                for (unsigned snoop = 0; snoop < TRAFFIC_SNOOPS; snoop++) {
                    uint64_t count = now[kernel][ask][from][snoop];

                    if (count) {
                        tell(pmu, kernel, ask, from, snoop, count);
                    }
                }
            }
        }
    }
}

void traffic_offcore_init(void)
{
    core_pmu_drain = drain;
}
