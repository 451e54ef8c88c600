/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Montecito performance monitor registers; names, sections and tables are those
 * of the manual, 308065-001, section 3.3.
 */
#ifndef ITANIUM_REGS_H
#define ITANIUM_REGS_H

#include <linux/bits.h>

/* Numbers of registers in struct itanium_ops; PMCn is n. */
#define ITANIUM_PMD(n)			(64 + (n))
#define ITANIUM_IBR(n)			(128 + (n))
#define ITANIUM_DBR(n)			(136 + (n))

/* PMC0: freeze, table 3-8 */
#define PMC0				0
#define   PMC0_FR			BIT_ULL(0)

/* PMC4-15: table 3-6; .plm and .pm are at the same place in PMC39, 40 and 42 */
#define PMC_PLM				GENMASK_ULL(3, 0)
#define PMC_OI				BIT_ULL(5)
#define PMC_PM				BIT_ULL(6)
#define PMC_ES				GENMASK_ULL(15, 8)
#define PMC_UMASK			GENMASK_ULL(19, 16)
#define PMC_THRESHOLD			GENMASK_ULL(22, 20)
#define PMC_ISM				GENMASK_ULL(25, 24)
#define   PMC_ISM_IA64			2	/* only valid value, 3.2.3.3 */
#define PMC_ALL				BIT_ULL(26)
#define PMC_MESI			GENMASK_ULL(30, 27)

/* PMD4-15: table 3-7. Bits 63:47 read as bit 46 and are written as 0. */
#define PMD_COUNT			GENMASK_ULL(46, 0)
#define PMD_COUNT_WIDTH			47

/* PMC32-35: opcode matchers, tables 3-11 and 3-12 */
#define PMC32				32
#define PMC33				33
#define PMC34				34
#define PMC35				35
#define   PMC32_MASK			GENMASK_ULL(40, 0)
#define   PMC32_MIFB			GENMASK_ULL(51, 48)
#define   PMC32_INV			BIT_ULL(56)
#define   PMC32_IG_AD			BIT_ULL(57)
#define   PMC33_MATCH			GENMASK_ULL(40, 0)
#define   PMC32_DEFAULT			(PMC32_MASK | PMC32_MIFB | PMC32_INV | \
					 PMC32_IG_AD)

/* PMC36: table 3-13; bits 31:4 keep their reset value */
#define PMC36				36
#define   PMC36_IG_OPC(ch)		BIT_ULL(ch)
#define   PMC36_DEFAULT			0xfffffff0ULL

/* PMC37: instruction EAR, table 3-15 */
#define PMC37				37
#define   PMC37_PM			BIT_ULL(4)
#define   PMC37_CACHE			BIT_ULL(13)
#define   PMC37_CACHE_UMASK		GENMASK_ULL(12, 5)
#define   PMC37_TLB_UMASK		GENMASK_ULL(7, 5)

/* PMC38: instruction address ranges, table 3-10; the rest is mandatory */
#define PMC38				38
#define   PMC38_IG_IBRP(n)		BIT_ULL(1 + 3 * (n))
#define   PMC38_FINE			BIT_ULL(13)
#define   PMC38_DEFAULT			0xdb6ULL

/* PMC39: execution trace buffer, table 3-26 */
#define PMC39				39
#define   PMC39_TM			GENMASK_ULL(9, 8)
#define     PMC39_TM_TAKEN		2
#define   PMC39_PTM			GENMASK_ULL(11, 10)
#define   PMC39_PPM			GENMASK_ULL(13, 12)
#define     PMC39_ANY			3	/* in tm, ptm and ppm */
#define   PMC39_BRT			GENMASK_ULL(15, 14)
#define     PMC39_BRT_ALL		0
#define     PMC39_BRT_RETURN		2
#define     PMC39_BRT_INDIRECT		3

/* PMC40: data EAR, table 3-20 */
#define PMC40				40
#define   PMC40_MODE			GENMASK_ULL(8, 7)
#define     PMC40_MODE_CACHE		0x00ULL
#define     PMC40_MODE_TLB		0x80ULL
#define     PMC40_MODE_ALAT		0x100ULL
#define   PMC40_UMASK			GENMASK_ULL(19, 16)
#define   PMC40_ISM_IA64		0x2000000ULL

/* PMC41: memory pipeline event constraints, table 3-14 and figure 3-18 */
#define PMC41				41
#define   PMC41_CFGDTAG0		GENMASK_ULL(4, 3)
#define     PMC41_DTAG_IBR_OPC_DBR	0
#define     PMC41_DTAG_IBR_OPC		1
#define     PMC41_DTAG_DBR		2
#define     PMC41_DTAG_NONE		3
#define   PMC41_DEFAULT			0x2078fefefefeULL

/* PMC42: IP-EAR, table 3-30 */
#define PMC42				42
#define     PMC42_MODE_IP		0x400ULL
#define   PMC42_DELAY			GENMASK_ULL(18, 11)

/* PMD32, 33, 36: data EAR, tables 3-22, 3-24 and 3-25 */
#define PMD32				ITANIUM_PMD(32)
#define PMD33				ITANIUM_PMD(33)
#define   PMD33_LATENCY			GENMASK_ULL(12, 0)
#define   PMD33_OV			BIT_ULL(13)
#define   PMD33_STAT			GENMASK_ULL(15, 14)
#define     EAR_STAT_NONE		0
#define     EAR_STAT_L2			1	/* TLB: hit in the second level */
#define     EAR_STAT_VHPT		2
#define     EAR_STAT_FAULT		3
#define PMD36				ITANIUM_PMD(36)
#define   PMD36_SLOT			GENMASK_ULL(1, 0)
#define   PMD36_BN			BIT_ULL(2)
#define   PMD36_VL			BIT_ULL(3)
#define   PMD36_ADDRESS			GENMASK_ULL(63, 4)

/* PMD34, 35: instruction EAR, tables 3-17 and 3-19 */
#define PMD34				ITANIUM_PMD(34)
#define   PMD34_STAT			GENMASK_ULL(1, 0)
#define   PMD34_VALID			BIT_ULL(0)	/* cache mode */
#define   PMD34_ADDRESS			GENMASK_ULL(63, 5)
#define PMD35				ITANIUM_PMD(35)
#define   PMD35_LATENCY			GENMASK_ULL(11, 0)
#define   PMD35_OV			BIT_ULL(12)

/* PMD38, 39, 48-63: execution trace buffer, tables 3-27 to 3-33 */
#define PMD38				ITANIUM_PMD(38)
#define   PMD38_EBI			GENMASK_ULL(3, 0)
#define   PMD38_FULL			BIT_ULL(5)
#define PMD39				ITANIUM_PMD(39)
#define   PMD39_EXT_B1			BIT(0)
#define   PMD39_EXT_CYCL		GENMASK(3, 2)
#define   PMD39_EXT_EF			BIT(0)
#define PMD48				ITANIUM_PMD(48)
#define ITANIUM_TRACE_ENTRIES		16
#define   PMD48_S			BIT_ULL(0)
#define   PMD48_MP			BIT_ULL(1)
#define   PMD48_SLOT			GENMASK_ULL(3, 2)
#define     PMD48_SLOT_NOT_TAKEN	3
#define   PMD48_ADDRESS			GENMASK_ULL(63, 4)
#define   PMD48_IP_CYCL			GENMASK_ULL(63, 60)
#define   PMD48_IP			GENMASK_ULL(59, 0)
#define   PMD48_IP_EF			GENMASK_ULL(59, 8)

#endif /* ITANIUM_REGS_H */
