/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Registers and fields of the Xeon E5-2600 uncore, under the names and with
 * the tables of the Intel Xeon Processor E5-2600 Product Family Uncore
 * Performance Monitoring Guide, 327043-001.
 */
#ifndef SNBEP_REGS_H
#define SNBEP_REGS_H

#include <linux/bits.h>

/*
 * Box control: the same fields in every box that has one. frz and frz_en are
 * write-only (Table 2-9), so the driver keeps the state of the box (enum
 * snbep_state) and writes the whole register. HA and iMC have no reset bits
 * (Tables 2-34, 2-60).
 */
#define SNBEP_PMON_BOX_CTL_RST_CTRL	BIT(0)
#define SNBEP_PMON_BOX_CTL_RST_CTRS	BIT(1)
#define SNBEP_PMON_BOX_CTL_RST		(SNBEP_PMON_BOX_CTL_RST_CTRL | \
					 SNBEP_PMON_BOX_CTL_RST_CTRS)
#define SNBEP_PMON_BOX_CTL_FRZ		BIT(8)
#define SNBEP_PMON_BOX_CTL_FRZ_EN	BIT(16)

/*
 * Counter control: fields of all boxes; which of them a box has is said by its
 * format table (Tables 2-2, 2-10, 2-35, 2-61, 2-75, 2-86, 2-106, 2-120).
 */
#define SNBEP_PMON_CTL_EV_SEL		GENMASK(7, 0)
#define SNBEP_PMON_CTL_UMASK		GENMASK(15, 8)
#define SNBEP_PMON_CTL_EDGE_DET		BIT(18)
#define SNBEP_CBO_CTL_TID_EN		BIT(19)
#define SNBEP_PMON_CTL_EV_SEL_EXT	BIT(21)
#define SNBEP_PMON_CTL_EN		BIT(22)
#define SNBEP_PMON_CTL_INVERT		BIT(23)
#define SNBEP_PMON_CTL_THRESH		GENMASK(31, 24)
#define SNBEP_PMON_CTL_THRESH5		GENMASK(28, 24)

/* Occupancies of the PCU, Table 2-75 */
#define SNBEP_PCU_CTL_USE_OCC		BIT(7)
#define SNBEP_PCU_CTL_OCC_SEL		GENMASK(15, 14)
#define SNBEP_PCU_CTL_OCC_INVERT	BIT(30)
#define SNBEP_PCU_CTL_OCC_EDGE_DET	BIT(31)

/* MSRs of the UBox, Table 2-1 */
#define SNBEP_U_MSR_PMON_UCLK_FIXED_CTL	0xc08
#define SNBEP_U_MSR_PMON_UCLK_FIXED_CTR	0xc09
#define SNBEP_U_MSR_PMON_CTL0		0xc10
#define SNBEP_U_MSR_PMON_CTR0		0xc16

/* MSRs of the PCU, Table 2-73 */
#define SNBEP_PCU_MSR_PMON_BOX_CTL	0xc24
#define SNBEP_PCU_MSR_PMON_CTL0		0xc30
#define SNBEP_PCU_MSR_PMON_BOX_FILTER	0xc34
#define SNBEP_PCU_MSR_PMON_CTR0		0xc36

/* MSRs of CBo 0, and from one CBo to the next, Table 2-8 */
#define SNBEP_C0_MSR_PMON_BOX_CTL	0xd04
#define SNBEP_C0_MSR_PMON_CTL0		0xd10
#define SNBEP_C0_MSR_PMON_BOX_FILTER	0xd14
#define SNBEP_C0_MSR_PMON_CTR0		0xd16
#define SNBEP_CBO_MSR_STRIDE		0x20

/*
 * All PCI functions with counters have them at the same offsets: Tables 2-33,
 * 2-59, 2-84, 2-104, 2-118. The fixed counter is that of an iMC channel.
 */
#define SNBEP_PCI_PMON_CTR0		0xa0
#define SNBEP_PCI_PMON_FIXED_CTR	0xd0
#define SNBEP_PCI_PMON_CTL0		0xd8
#define SNBEP_PCI_PMON_FIXED_CTL	0xf0
#define SNBEP_PCI_PMON_BOX_CTL		0xf4

/* Filters of the HA, Table 2-33 */
#define SNBEP_HA_PCI_PMON_BOX_ADDRMATCH0	0x40
#define SNBEP_HA_PCI_PMON_BOX_ADDRMATCH1	0x44
#define SNBEP_HA_PCI_PMON_BOX_OPCODEMATCH	0x48

/* Packet filters of a QPI port, in a function of their own, Table 2-84 */
#define SNBEP_Q_PCI_FILTER_FUNCTION	6
#define SNBEP_Q_PCI_PMON_PKT_MATCH0	0x228
#define SNBEP_Q_PCI_PMON_PKT_MATCH1	0x22c
#define SNBEP_Q_PCI_PMON_PKT_MASK0	0x238
#define SNBEP_Q_PCI_PMON_PKT_MASK1	0x23c

/* QPI_RATE_STATUS, Table 2-93 */
#define SNBEP_QPI_RATE_STATUS		0xd4
#define   SNBEP_QPI_RATE_STATUS_RATE	GENMASK(2, 0)
#define     SNBEP_QPI_RATE_5600		2	/* MT/s; one more is 800 more */
#define   SNBEP_QPI_RATE_STATUS_SLOW	BIT(4)

/* UBox: the node of its bus, and the map from nodes to packages */
#define SNBEP_UBOX_NODE_ID		0x40
#define   SNBEP_UBOX_NODE_ID_LOCAL	GENMASK(2, 0)
#define SNBEP_UBOX_NODE_MAP		0x54	/* package n: bits 3n+2:3n */

/*
 * Filter values, in the words of perf_event_attr that have them: config1 is the
 * first two filter registers of a box, config2 the others.
 */

/* Table 2-12 */
#define SNBEP_CBO_FILTER_TID		GENMASK_ULL(4, 0)
#define SNBEP_CBO_FILTER_NID		GENMASK_ULL(17, 10)
#define SNBEP_CBO_FILTER_STATE		GENMASK_ULL(22, 18)	/* MESIF */
#define SNBEP_CBO_FILTER_OPC		GENMASK_ULL(31, 23)
/* An IDI opcode has 7 bits, under two bits that are always set. */
#define SNBEP_CBO_FILTER_OPC_ONES	GENMASK_ULL(31, 30)

/* Tables 2-37 to 2-39 */
#define SNBEP_HA_FILTER_ADDR		GENMASK_ULL(45, 6)
#define SNBEP_HA_FILTER_OPC		GENMASK_ULL(5, 0)

/* Table 2-77 */
#define SNBEP_PCU_FILTER_BAND(n)	(GENMASK_ULL(7, 0) << 8 * (n))

/* Tables 2-88 to 2-91: matches in config1, masks in config2 */
#define SNBEP_QPI_PKT_VNW		GENMASK_ULL(4, 3)
#define SNBEP_QPI_PKT_OPC		GENMASK_ULL(8, 5)
#define SNBEP_QPI_PKT_MC		GENMASK_ULL(12, 9)
#define SNBEP_QPI_PKT_DNID		GENMASK_ULL(17, 13)
#define SNBEP_QPI_PKT_RNID_4		BIT_ULL(31)
#define SNBEP_QPI_PKT_RNID_3_0		GENMASK_ULL(35, 32)
#define SNBEP_QPI_PKT_RDS		GENMASK_ULL(51, 48)
#define SNBEP_QPI_PKT			(SNBEP_QPI_PKT_VNW | SNBEP_QPI_PKT_OPC | \
					 SNBEP_QPI_PKT_MC | SNBEP_QPI_PKT_DNID | \
					 SNBEP_QPI_PKT_RNID_4 | \
					 SNBEP_QPI_PKT_RNID_3_0 | \
					 SNBEP_QPI_PKT_RDS)

#endif /* SNBEP_REGS_H */
