// SPDX-License-Identifier: GPL-2.0-only
/* Montecito's performance monitors: the events of chapter 4 */
#include "monitors.h"

/* Codes and qualifications of tables 4-1 to 4-39; counters of section 3.3.3 */
#define ALL_COUNTERS		0xfff0
#define DUPLICATED		0x03f0	/* one for each thread */
#define IAR			MONT_IAR
#define IBRP1			MONT_IBRP1
#define MESI			MONT_HAS_MESI
#define IAR_OPC			(MONT_IAR | MONT_OPC)
#define IAR_OPC_DAR		(MONT_IAR | MONT_OPC | MONT_DAR)
#define ROW(code, ...)							\
	[code] = { __VA_ARGS__ }
#define EVENT(code, quals)	ROW(code, ALL_COUNTERS, 0, quals, 0)
#define L1D(code, n, quals)	ROW(code, ALL_COUNTERS, MONT_L1D(n), quals, 0)
#define L2D(code, n, quals, no_all)					\
	ROW(code, DUPLICATED, MONT_L2D(n), quals, no_all)
#define BUS(code)		ROW(code, DUPLICATED, 0, 0, 0)

const struct mont_code mont_codes[256] = {
	/* Tables 4-1, 4-3 */
	EVENT(0x12, IAR_OPC),			/* CPU_OP_CYCLES */
	EVENT(0x08, IAR_OPC),			/* IA64_INST_RETIRED */
	EVENT(0x49, 0),				/* DISP_STALLED */
	EVENT(0x4d, IAR),			/* INST_DISPERSED */
	EVENT(0x4e, IAR),			/* SYLL_NOT_DISPERSED */
	EVENT(0x4f, IAR),			/* SYLL_OVERCOUNT */
	/* Table 4-4 */
	EVENT(0x58, IAR_OPC_DAR),		/* ALAT_CAPACITY_MISS */
	EVENT(0x06, IAR),			/* FP_FAILED_FCHKF */
	EVENT(0x05, IAR),			/* FP_FALSE_SIRSTALL */
	EVENT(0x0b, IAR),			/* FP_FLUSH_TO_ZERO */
	EVENT(0x09, IAR),			/* FP_OPS_RETIRED */
	EVENT(0x03, IAR),			/* FP_TRUE_SIRSTALL */
	EVENT(0x56, IAR_OPC_DAR),		/* INST_CHKA_LDC_ALAT */
	EVENT(0x57, IAR_OPC_DAR),		/* INST_FAILED_CHKA_LDC_ALAT */
	EVENT(0x55, 0),				/* INST_FAILED_CHKS_RETIRED */
	EVENT(0x50, IAR_OPC),			/* NOPS_RETIRED */
	EVENT(0x51, IAR_OPC),			/* PREDICATE_SQUASHED_RETIRED */
	/* Table 4-6 */
	EVENT(0x00, 0),				/* BACK_END_BUBBLE */
	EVENT(0x02, 0),				/* BE_EXE_BUBBLE */
	EVENT(0x04, 0),				/* BE_FLUSH_BUBBLE */
	EVENT(0x72, 0),				/* BE_LOST_BW_DUE_TO_FE */
	EVENT(0x01, 0),				/* BE_RSE_BUBBLE */
	EVENT(0x71, 0),				/* FE_BUBBLE */
	EVENT(0x70, 0),				/* FE_LOST_BW */
	EVENT(0x73, 0),				/* IDEAL_BE_LOST_BW_DUE_TO_FE */
	/* Table 4-7 */
	EVENT(0x61, IAR_OPC),			/* BE_BR_MISPRED_DETAIL */
	EVENT(0x11, IAR_OPC),			/* BRANCH_EVENT */
	EVENT(0x5b, IAR_OPC),			/* BR_MISPRED_DETAIL */
	EVENT(0x68, IAR_OPC),			/* BR_MISPRED_DETAIL2 */
	EVENT(0x54, IAR_OPC),			/* BR_PATH_PRED */
	EVENT(0x6a, IAR_OPC),			/* BR_PATH_PRED2 */
	EVENT(0x63, IAR_OPC),			/* ENCBR_MISPRED_DETAIL */
	/* Table 4-8; 3.3.5.2 for prefetches */
	EVENT(0x46, IAR),			/* ISB_BUNPAIRS_IN */
	EVENT(0x43, IAR),			/* L1I_EAR_EVENTS */
	EVENT(0x66, IAR),			/* L1I_FETCH_ISB_HIT */
	EVENT(0x65, IAR),			/* L1I_FETCH_RAB_HIT */
	EVENT(0x41, IAR),			/* L1I_FILLS */
	EVENT(0x44, IAR | IBRP1),		/* L1I_PREFETCHES */
	EVENT(0x67, 0),				/* L1I_PREFETCH_STALL */
	EVENT(0x4b, IAR),			/* L1I_PURGE */
	EVENT(0x69, 0),				/* L1I_PVAB_OVERFLOW */
	EVENT(0x64, 0),				/* L1I_RAB_ALMOST_FULL */
	EVENT(0x60, 0),				/* L1I_RAB_FULL */
	EVENT(0x40, IAR),			/* L1I_READS */
	EVENT(0x4a, IAR_OPC_DAR),		/* L1I_SNOOP */
	EVENT(0x5f, IAR | IBRP1),		/* L1I_STRM_PREFETCHES */
	EVENT(0x42, IAR),			/* L2I_DEMAND_READS */
	EVENT(0x45, IAR | IBRP1),		/* L2I_PREFETCHES */
	/* Tables 4-10 to 4-16 */
	EVENT(0xc8, IAR_OPC_DAR),		/* DATA_EAR_EVENTS */
	EVENT(0xc9, IAR_OPC_DAR),		/* DTLB_INSERTS_HPW */
	EVENT(0xc6, IAR_OPC_DAR),		/* DATA_DEBUG_REGISTER_MATCHES */
	L1D(0xc0, 0, IAR_OPC_DAR),		/* L1DTLB_TRANSFER */
	L1D(0xc1, 0, IAR_OPC_DAR),		/* L2DTLB_MISSES */
	L1D(0xc2, 0, IAR_OPC_DAR),		/* L1D_READS_SET0 */
	L1D(0xc3, 0, IAR_OPC_DAR),		/* DATA_REFERENCES_SET0 */
	L1D(0xc4, 1, IAR_OPC_DAR),		/* L1D_READS_SET1 */
	L1D(0xc5, 1, IAR_OPC_DAR),		/* DATA_REFERENCES_SET1 */
	L1D(0xc7, 1, IAR_OPC_DAR),		/* L1D_READ_MISSES */
	L1D(0xca, 2, 0),			/* BE_L1D_FPU_BUBBLE */
	L1D(0xcd, 3, IAR_OPC_DAR),		/* LOADS_RETIRED */
	L1D(0xce, 3, IAR_OPC_DAR),		/* MISALIGNED_LOADS_RETIRED */
	L1D(0xcf, 3, IAR_OPC_DAR),		/* UC_LOADS_RETIRED */
	L1D(0xd0, 4, IAR_OPC_DAR),		/* UC_STORES_RETIRED */
	L1D(0xd1, 4, IAR_OPC_DAR),		/* STORES_RETIRED */
	L1D(0xd2, 4, IAR_OPC_DAR),		/* MISALIGNED_STORES_RETIRED */
	L1D(0xd8, 6, IAR_OPC_DAR),		/* LOADS_RETIRED_INTG */
	L1D(0xd9, 6, IAR_OPC_DAR),		/* SPEC_LOADS_NATTED */
	/* Table 4-17 */
	EVENT(0x78, IAR_OPC),			/* L2I_READS */
	EVENT(0x79, IAR_OPC),			/* L2I_UC_READS */
	EVENT(0x7a, IAR_OPC),			/* L2I_VICTIMIZATIONS */
	EVENT(0x7b, IAR_OPC),			/* L2I_RECIRCULATES */
	EVENT(0x7c, IAR_OPC),			/* L2I_L3_REJECTS */
	EVENT(0x7d, IAR_OPC),			/* L2I_HIT_CONFLICTS */
	EVENT(0x7e, IAR_OPC),			/* L2I_SPEC_ABORTS */
	EVENT(0x7f, IAR_OPC),			/* L2I_SNOOP_HITS */
	/* Tables 4-19 to 4-30 */
	L2D(MONT_L2D_OZQ_CANCELS0, 0, IAR_OPC_DAR, 0),
	L2D(0xe1, 0, 0, 1),			/* L2D_OZQ_FULL */
	L2D(0xe3, 0, 0, 1),			/* L2D_OZQ_FULL */
	L2D(MONT_L2D_OZQ_CANCELS1, 0, IAR_OPC_DAR, 0),
	L2D(0xe4, 1, IAR_OPC_DAR, 0),		/* L2D_BYPASS */
	L2D(0xe5, 1, 0, 1),			/* L2D_OZQ_RELEASE */
	L2D(0xe6, 2, IAR_OPC_DAR, 0),		/* L2D_REFERENCES */
	L2D(0xe8, 3, IAR_OPC_DAR, 1),		/* L2D_L3ACCESS_CANCEL */
	L2D(0xe9, 3, 0, 0),			/* L2D_OZDB_FULL */
	L2D(0xea, 4, IAR_OPC_DAR, 0),		/* L2D_FORCE_RECIRC */
	L2D(0xeb, 4, IAR_OPC_DAR, 0),		/* L2D_ISSUED_RECIRC_OZQ_ACC */
	L2D(0xec, 5, IAR_OPC_DAR, 0),		/* L2D_BAD_LINES_SELECTED */
	L2D(0xed, 5, IAR_OPC_DAR, 0),		/* L2D_STORE_HIT_SHARED */
	L2D(0xef, 6, 0, 0),			/* L2D_OZQ_ACQUIRE */
	L2D(0xf0, 7, IAR_OPC_DAR, 1),		/* L2D_OPS_ISSUED */
	L2D(0xf1, 7, 0, 1),			/* L2D_FILLB_FULL */
	L2D(0xf2, 8, IAR_OPC_DAR, 0),		/* L2D_FILL_MESI_STATE */
	L2D(0xf3, 8, 0, 0),			/* L2D_VICTIMB_FULL */
	ROW(0xcb, DUPLICATED, 0, IAR_OPC_DAR, 0),	/* L2D_MISSES */
	ROW(0xb0, DUPLICATED, 0, IAR_OPC_DAR, 0),	/* L2D_INSERT_MISSES */
	ROW(0xb1, DUPLICATED, 0, IAR_OPC_DAR, 0),	/* L2D_INSERT_HITS */
	/* Table 4-31 */
	EVENT(0xdf, MESI),			/* L3_LINES_REPLACED */
	EVENT(0xdc, IAR_OPC_DAR),		/* L3_MISSES */
	EVENT(0xdd, IAR_OPC_DAR | MESI),	/* L3_READS */
	EVENT(0xdb, IAR_OPC_DAR),		/* L3_REFERENCES */
	EVENT(0xde, IAR_OPC_DAR | MESI),	/* L3_WRITES */
	EVENT(0xda, IAR_OPC_DAR | MESI),	/* L3_INSERTS */
	/* Tables 4-33, 4-35 */
	EVENT(0x13, 0),				/* CPU_CPL_CHANGES */
	EVENT(0x52, 0),				/* DATA_DEBUG_REGISTER_FAULT */
	EVENT(0x53, 0),				/* SERIALIZATION_EVENTS */
	ROW(0x18, 1 << 10, 0, 0, 1),		/* CYCLES_HALTED */
	EVENT(0x2d, IAR_OPC_DAR),		/* HPW_DATA_REFERENCES */
	EVENT(0x48, IAR),			/* L1ITLB_INSERTS_HPW */
	EVENT(0x47, IAR),			/* ITLB_MISSES_FETCH */
	/* Table 4-37 */
	BUS(0x80),				/* BUS_RD_HIT */
	BUS(0x81),				/* BUS_RD_HITM */
	BUS(0x82),				/* BUS_RD_INVAL_HITM */
	BUS(0x83),				/* BUS_RD_INVAL_BST_HITM */
	BUS(0x84),				/* BUS_HITM */
	BUS(0x87),				/* BUS_ALL */
	BUS(0x88),				/* BUS_DATA_CYCLE */
	BUS(0x89),				/* MEM_READ_CURRENT */
	BUS(0x8a),				/* BUS_MEMORY */
	BUS(0x8b),				/* BUS_MEM_READ */
	BUS(0x8c),				/* BUS_RD_DATA */
	BUS(0x8d),				/* BUS_RD_PRTL */
	BUS(0x8e),				/* SI_CYCLES */
	BUS(0x8f),				/* BUS_SNOOP_STALL_CYCLES */
	BUS(0x90),				/* BUS_IO */
	BUS(0x91),				/* BUS_RD_IO */
	BUS(0x92),				/* BUS_WR_WB */
	BUS(0x93),				/* BUS_B2B_DATA_CYCLES */
	BUS(0x97),				/* SI_IOQ_LIVE_REQ_LO */
	BUS(0x98),				/* SI_IOQ_LIVE_REQ_HI */
	BUS(0x9e),				/* SI_RQ_INSERTS */
	BUS(0x9f),				/* SI_RQ_LIVE_REQ_LO */
	BUS(0xa0),				/* SI_RQ_LIVE_REQ_HI */
	BUS(0xa1),				/* SI_WRITEQ_INSERTS */
	BUS(0xa2),				/* SI_WRITEQ_LIVE_REQ_LO */
	BUS(0xa3),				/* SI_WRITEQ_LIVE_REQ_HI */
	BUS(0xa4),				/* SI_WAQ_COLLISIONS */
	BUS(0xa5),				/* SI_CCQ_INSERTS */
	BUS(0xa6),				/* SI_CCQ_LIVE_REQ_LO */
	BUS(0xa7),				/* SI_CCQ_LIVE_REQ_HI */
	BUS(0xa8),				/* SI_CCQ_COLLISIONS */
	BUS(0xaa),				/* SI_IOQ_COLLISIONS */
	BUS(0xab),				/* SI_SCB_INSERTS */
	BUS(0xac),				/* SI_SCB_LIVE_REQ_LO */
	BUS(0xad),				/* SI_SCB_LIVE_REQ_HI */
	BUS(0xae),				/* SI_SCB_SIGNOFFS */
	BUS(0xaf),				/* SI_WDQ_ECC_ERRORS */
	BUS(0xb4),				/* ER_MEM_READ_OUT_HI */
	BUS(0xb5),				/* ER_MEM_READ_OUT_LO */
	BUS(0xb6),				/* ER_SNOOPQ_REQ_HI */
	BUS(0xb7),				/* ER_SNOOPQ_REQ_LO */
	BUS(0xb8),				/* ER_BRQ_LIVE_REQ_HI */
	BUS(0xb9),				/* ER_BRQ_LIVE_REQ_LO */
	BUS(0xba),				/* ER_BRQ_REQ_INSERTED */
	BUS(0xbb),				/* ER_BKSNP_ME_ACCEPTED */
	BUS(0xbc),				/* ER_REJECT_ALL_L1_REQ */
	BUS(0xbd),				/* ER_REJECT_ALL_L1D_REQ */
	BUS(0xbe),				/* ER_REJECT_ALL_L1I_REQ */
	/* Tables 4-39, and events of the missing pages */
	EVENT(0x2b, 0),				/* RSE_CURRENT_REGS_2_TO_0 */
	EVENT(0x2a, 0),				/* RSE_CURRENT_REGS_5_TO_3 */
	EVENT(0x26, 0),				/* RSE_CURRENT_REGS_6 */
	EVENT(0x29, 0),				/* RSE_DIRTY_REGS_2_TO_0 */
	EVENT(0x28, 0),				/* RSE_DIRTY_REGS_5_TO_3 */
	EVENT(0x24, 0),				/* RSE_DIRTY_REGS_6 */
	EVENT(0x32, 0),				/* RSE_EVENT_RETIRED */
	EVENT(0x20, IAR_OPC_DAR),		/* RSE_REFERENCES_RETIRED */
	EVENT(0x0c, 0),				/* THREAD_SWITCH_EVENTS */
	EVENT(0x0d, 0),				/* THREAD_SWITCH_GATED */
	EVENT(0x0e, 0),				/* THREAD_SWITCH_CYCLE */
	EVENT(0x0f, 0),				/* THREAD_SWITCH_STALL */
};

unsigned int mont_l2d_master(unsigned int n)
{
	switch (n) {
	case 4:
	case 5:
	case 8:
		return 4;
	case 6:
	case 7:
	case 9:
		return 6;
	}
	return 0;
}

/* Return the event that counter @n selects. */
static const struct mont_code *selected(const struct mont *m, unsigned int n)
{
	return &mont_codes[MONT_ES(m->pmc[n])];
}

bool mont_defined(const struct mont *m, unsigned int n)
{
	const struct mont_code *code = selected(m, n);
	unsigned int master = mont_l2d_master(n);

	if (!(code->counters >> n & 1))
		return false;
	if (code->set >= MONT_L2D(0))
		return code->set == selected(m, master)->set;
	return !code->set || code->set == selected(m, 5)->set;
}
