/* SPDX-License-Identifier: GPL-2.0-only */
/* Register fields; table numbers are those of Intel's guide, 327043-001. */
#ifndef SNBEP_REGS_H
#define SNBEP_REGS_H

#include <linux/bits.h>

/*
 * Box control, write-only (Table 2-9). HA and iMC have no reset bit (Tables
 * 2-34, 2-60).
 */
#define SNBEP_PMON_BOX_CTL_RST_CTRL	BIT(0)
#define SNBEP_PMON_BOX_CTL_FRZ		BIT(8)
#define SNBEP_PMON_BOX_CTL_FRZ_EN	BIT(16)

/* Counter control: union of all box types, see known[] in types.c */
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

/* UBox: node ID of its bus, and the node IDs of all packages */
#define SNBEP_UBOX_NODE_ID		0x40
#define   SNBEP_UBOX_NODE_ID_LOCAL	GENMASK(2, 0)
#define SNBEP_UBOX_NODE_MAP		0x54	/* package n: bits 3n+2:3n */

/* Filter values, in config1 and config2: Table 2-12 */
#define SNBEP_CBO_FILTER_TID		GENMASK_ULL(4, 0)
#define SNBEP_CBO_FILTER_NID		GENMASK_ULL(17, 10)
#define SNBEP_CBO_FILTER_STATE		GENMASK_ULL(22, 18)	/* MESIF */
#define SNBEP_CBO_FILTER_OPC		GENMASK_ULL(31, 23)
/* IDI opcodes have 7 bits; the upper two bits of the field are always 1. */
#define SNBEP_CBO_FILTER_OPC_ONES	GENMASK_ULL(31, 30)

/* Tables 2-37 to 2-39 */
#define SNBEP_HA_FILTER_ADDR		GENMASK_ULL(45, 6)
#define SNBEP_HA_FILTER_OPC		GENMASK_ULL(5, 0)

/* Table 2-77 */
#define SNBEP_PCU_FILTER_BAND(n)	(GENMASK_ULL(7, 0) << 8 * (n))

#endif /* SNBEP_REGS_H */
