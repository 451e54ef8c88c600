// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generic perf events that map to one Montecito event. Not supported:
 *
 * - branch-misses: BR_MISPRED_DETAIL has separate wrong path and wrong target
 * - stalled-cycles-backend: BACK_END_BUBBLE.ALL includes the front end
 * - data TLB: no event counts only loads or only stores
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/perf_event.h>

#include "event.h"

#define CACHE(cache, op, result)					\
	PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_##cache |		\
	PERF_COUNT_HW_CACHE_OP_##op << 8 | PERF_COUNT_HW_CACHE_RESULT_##result << 16
#define HARDWARE(name)		PERF_TYPE_HARDWARE, PERF_COUNT_HW_##name

static const struct {
	u32 type;
	u32 generic;
	u16 config;
} generics[] = {
	{ HARDWARE(CPU_CYCLES), 0x012 },		/* CPU_OP_CYCLES.ALL */
	{ HARDWARE(INSTRUCTIONS), 0x008 },		/* IA64_INST_RETIRED */
	{ HARDWARE(CACHE_REFERENCES), 0x0db },		/* L3_REFERENCES */
	{ HARDWARE(CACHE_MISSES), 0x0dc },		/* L3_MISSES */
	{ HARDWARE(BRANCH_INSTRUCTIONS), 0x05b },	/* BR_MISPRED_DETAIL.ALL.ALL_PRED */
	{ HARDWARE(BUS_CYCLES), 0x08e },		/* SI_CYCLES */
	{ HARDWARE(STALLED_CYCLES_FRONTEND), 0x100 },	/* BACK_END_BUBBLE.FE */
	/* L1D reads and their misses are in the same L1D set */
	{ CACHE(L1D, READ, ACCESS), 0x0c4 },	/* L1D_READS_SET1 */
	{ CACHE(L1D, READ, MISS), 0x0c7 },	/* L1D_READ_MISSES.ALL */
	{ CACHE(L1D, WRITE, ACCESS), 0x0d1 },	/* STORES_RETIRED */
	{ CACHE(L1I, READ, ACCESS), 0x040 },	/* L1I_READS */
	{ CACHE(L1I, READ, MISS), 0x042 },	/* L2I_DEMAND_READS */
	{ CACHE(L1I, PREFETCH, ACCESS), 0x044 },	/* L1I_PREFETCHES */
	{ CACHE(L1I, PREFETCH, MISS), 0x045 },	/* L2I_PREFETCHES */
	/* Table 4-32: neither instruction fetches nor L2's write-backs */
	{ CACHE(LL, READ, ACCESS), 0xbdd },	/* L3_READS.DATA_READ.ALL */
	{ CACHE(LL, READ, MISS), 0xadd },	/* L3_READS.DATA_READ.MISS */
	{ CACHE(LL, WRITE, ACCESS), 0x7de },	/* L3_WRITES.DATA_WRITE.ALL */
	{ CACHE(LL, WRITE, MISS), 0x6de },	/* L3_WRITES.DATA_WRITE.MISS */
	{ CACHE(ITLB, READ, ACCESS), 0x040 },	/* L1I_READS */
	{ CACHE(ITLB, READ, MISS), 0x347 },	/* ITLB_MISSES_FETCH.ALL */
	{ CACHE(BPU, READ, ACCESS), 0x05b },	/* BR_MISPRED_DETAIL.ALL.ALL_PRED */
};

/* Return the config of the Montecito event, or -ENOENT. */
s64 itanium_generic(u32 type, u64 config)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(generics); i++)
		if (generics[i].type == type && generics[i].generic == config)
			return generics[i].config;
	return -ENOENT;
}
