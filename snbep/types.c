// SPDX-License-Identifier: GPL-2.0-only
/* Box types: registers, format fields, filters and events as data */
#include <linux/stringify.h>

#include "snbep/regs.h"
#include "snbep/types.h"

const char * const snbep_config_names[SNBEP_NR_CONFIGS] = {
	"config", "config1", "config2"
};

/*
 * Format fields of the next table.h: F(name, index of config, bits). R() is a
 * format for a whole register, whose undefined bits remain invalid.
 */
#define PLAIN_FIELDS(F, ext)						\
	F(event, 0, SNBEP_PMON_CTL_EV_SEL | (ext))			\
	F(umask, 0, SNBEP_PMON_CTL_UMASK)				\
	F(edge, 0, SNBEP_PMON_CTL_EDGE_DET)				\
	F(inv, 0, SNBEP_PMON_CTL_INVERT)				\
	F(thresh, 0, SNBEP_PMON_CTL_THRESH)

/* Tables 2-10 and 2-12 */
#define BOX	cbox
#define FIELDS(F, R)							\
	PLAIN_FIELDS(F, 0)						\
	F(tid_en, 0, SNBEP_CBO_CTL_TID_EN)				\
	F(filter_tid, 1, SNBEP_CBO_FILTER_TID)				\
	F(filter_nid, 1, SNBEP_CBO_FILTER_NID)				\
	F(filter_state, 1, SNBEP_CBO_FILTER_STATE)			\
	F(filter_opc, 1, SNBEP_CBO_FILTER_OPC)
#include "table.h"

/* Tables 2-35 and 2-37 to 2-39 */
#define BOX	ha
#define FIELDS(F, R)							\
	PLAIN_FIELDS(F, 0)						\
	F(filter_addr, 1, SNBEP_HA_FILTER_ADDR)				\
	F(filter_opc, 2, SNBEP_HA_FILTER_OPC)
#include "table.h"

/* Table 2-61 */
#define BOX	imc
#define FIELDS(F, R)	PLAIN_FIELDS(F, 0)
#include "table.h"

/* Tables 2-75 and 2-77 */
#define BOX	pcu
#define FIELDS(F, R)							\
	F(event, 0, SNBEP_PMON_CTL_EV_SEL | SNBEP_PMON_CTL_EV_SEL_EXT)	\
	F(edge, 0, SNBEP_PMON_CTL_EDGE_DET)				\
	F(inv, 0, SNBEP_PMON_CTL_INVERT)				\
	F(thresh, 0, SNBEP_PMON_CTL_THRESH5)				\
	F(occ_sel, 0, SNBEP_PCU_CTL_OCC_SEL)				\
	F(occ_invert, 0, SNBEP_PCU_CTL_OCC_INVERT)			\
	F(occ_edge, 0, SNBEP_PCU_CTL_OCC_EDGE_DET)			\
	F(filter_band0, 1, SNBEP_PCU_FILTER_BAND(0))			\
	F(filter_band1, 1, SNBEP_PCU_FILTER_BAND(1))			\
	F(filter_band2, 1, SNBEP_PCU_FILTER_BAND(2))			\
	F(filter_band3, 1, SNBEP_PCU_FILTER_BAND(3))
#include "table.h"

/* Tables 2-88 to 2-91: matches in config1, masks in config2 */
#define PACKET_FIELDS(F, R, m, w)					\
	F(m ## _vnw, w, GENMASK_ULL(4, 3))				\
	F(m ## _opc, w, GENMASK_ULL(8, 5))				\
	F(m ## _mc, w, GENMASK_ULL(12, 9))				\
	F(m ## _dnid, w, GENMASK_ULL(17, 13))				\
	F(m ## _rnid4, w, BIT_ULL(31))					\
	F(m ## _rnid30, w, GENMASK_ULL(35, 32))				\
	F(m ## _rds, w, GENMASK_ULL(51, 48))				\
	R(m ## 0, w, GENMASK_ULL(31, 0))				\
	R(m ## 1, w, GENMASK_ULL(63, 32))

/* Table 2-86 */
#define BOX	qpi
#define FIELDS(F, R)							\
	PLAIN_FIELDS(F, SNBEP_PMON_CTL_EV_SEL_EXT)			\
	PACKET_FIELDS(F, R, match, 1)					\
	PACKET_FIELDS(F, R, mask, 2)
#include "table.h"

/* Table 2-106 */
#define BOX	r2pcie
#define FIELDS(F, R)	PLAIN_FIELDS(F, 0)
#include "table.h"

/* Table 2-120 */
#define BOX	r3qpi
#define FIELDS(F, R)	PLAIN_FIELDS(F, 0)
#include "table.h"

/* Table 2-2 */
#define BOX	ubox
#define FIELDS(F, R)							\
	F(event, 0, SNBEP_PMON_CTL_EV_SEL)				\
	F(umask, 0, SNBEP_PMON_CTL_UMASK)				\
	F(edge, 0, SNBEP_PMON_CTL_EDGE_DET)				\
	F(inv, 0, SNBEP_PMON_CTL_INVERT)				\
	F(thresh, 0, SNBEP_PMON_CTL_THRESH5)
#include "table.h"

static const struct snbep_filter snbep_cbox_filters[] = {
	{ "filter_tid", SNBEP_F_TID, { SNBEP_CBO_FILTER_TID }, .any = true,
	  .hint = ", or set tid_en=1" },
	{ "filter_nid", SNBEP_F_NID, { SNBEP_CBO_FILTER_NID } },
	/* .always, for undocumented unit masks, whose filters are unknown */
	{ "filter_state", SNBEP_F_STATE, { SNBEP_CBO_FILTER_STATE },
	  .fallback = SNBEP_CBO_FILTER_STATE, .always = true },
	{ "filter_opc", SNBEP_F_OPC, { SNBEP_CBO_FILTER_OPC },
	  .ones = SNBEP_CBO_FILTER_OPC_ONES },
};

static const struct snbep_filter snbep_ha_filters[] = {
	{ "filter_addr", SNBEP_F_ADDR, { SNBEP_HA_FILTER_ADDR } },
	{ "filter_opc", SNBEP_F_HAOPC, { 0, SNBEP_HA_FILTER_OPC }, .any = true },
};

static const struct snbep_filter snbep_pcu_filters[] = {
	/*
	 * .always: the guide lists band 0 as a filter of the demotion events,
	 * but they also count without one, that is with band 0 at 0.
	 */
	{ "filter_band0", SNBEP_F_BAND0, { SNBEP_PCU_FILTER_BAND(0) },
	  .always = true },
	{ "filter_band1", SNBEP_F_BAND1, { SNBEP_PCU_FILTER_BAND(1) } },
	{ "filter_band2", SNBEP_F_BAND2, { SNBEP_PCU_FILTER_BAND(2) } },
	{ "filter_band3", SNBEP_F_BAND3, { SNBEP_PCU_FILTER_BAND(3) } },
};

#define ANY(n, w, m)	| (m)

static const struct snbep_filter snbep_qpi_filters[] = {
	{ "packet filter", SNBEP_F_PKT,
	  { 0 PACKET_FIELDS(ANY, NOTHING, match, 1),
	    0 PACKET_FIELDS(ANY, NOTHING, mask, 2) },
	  .always = true, .match = true },
};

#define FILTERS(f)	.filters = f, .nr_filters = ARRAY_SIZE(f)

#define RESET_THRESH							\
	.box_ctl_reset = SNBEP_PMON_BOX_CTL_RST_CTRL,			\
	.thresh = SNBEP_PMON_CTL_THRESH

/* Tables 2-33, 2-59, 2-84, 2-104, 2-118: the same offsets in all functions */
#define PCI_REGS	.pci = true, .box_ctl = 0xf4, .ctl = 0xd8, .ctr = 0xa0

enum {
#define BOX(name, NAME, title, section, nr, ctrs, bits, spread)		\
	INSTANCES_ ## NAME = (nr), COUNTERS_ ## NAME = (ctrs),			\
	WIDTH_ ## NAME = (bits),
#include "events/boxes.def"
};

#define SIZES(NAME)	.instances = INSTANCES_ ## NAME,			\
	.counters = COUNTERS_ ## NAME, .width = WIDTH_ ## NAME

const struct snbep_box_type snbep_box_types[SNBEP_NR_TYPES] = {
	[SNBEP_CBOX] = {	/* Table 2-8 */
		.table = &snbep_cbox_table, RESET_THRESH,
		SIZES(CBOX),
		.regs = {
			.box_ctl = 0xd04, .ctl = 0xd10, .ctr = 0xd16,
			.filter = { 0xd14 }, .stride = 0x20,
		},
		FILTERS(snbep_cbox_filters),
	},
	[SNBEP_HA] = {
		.table = &snbep_ha_table, .thresh = SNBEP_PMON_CTL_THRESH,
		SIZES(HA),
		.regs = { PCI_REGS, .filter = { 0x40, 0x44, 0x48 } },
		FILTERS(snbep_ha_filters),
	},
	[SNBEP_IMC] = {
		.table = &snbep_imc_table, .thresh = SNBEP_PMON_CTL_THRESH,
		SIZES(IMC),
		.regs = { PCI_REGS, .fixed_ctl = 0xf0, .fixed_ctr = 0xd0 },
	},
	[SNBEP_PCU] = {		/* Table 2-73 */
		.table = &snbep_pcu_table, .thresh = SNBEP_PMON_CTL_THRESH5,
		.box_ctl_reset = SNBEP_PMON_BOX_CTL_RST_CTRL,
		SIZES(PCU),
		.ext_probe = true,
		.occ = {
			.use = SNBEP_PCU_CTL_USE_OCC,
			.sel = SNBEP_PCU_CTL_OCC_SEL,
			.mods = SNBEP_PCU_CTL_OCC_INVERT |
				SNBEP_PCU_CTL_OCC_EDGE_DET,
		},
		.regs = {
			.box_ctl = 0xc24, .ctl = 0xc30, .ctr = 0xc36,
			.filter = { 0xc34 },
		},
		FILTERS(snbep_pcu_filters),
	},
	[SNBEP_QPI] = {
		.table = &snbep_qpi_table, RESET_THRESH,
		SIZES(QPI),
		.regs = {
			PCI_REGS, .filter = { 0x228, 0x22c, 0x238, 0x23c },
			.filter_fn = 6,
		},
		FILTERS(snbep_qpi_filters),
	},
	[SNBEP_R2PCIE] = {
		.table = &snbep_r2pcie_table, RESET_THRESH,
		SIZES(R2PCIE),
		.regs = { PCI_REGS },
	},
	[SNBEP_R3QPI] = {
		.table = &snbep_r3qpi_table, RESET_THRESH,
		SIZES(R3QPI),
		.regs = { PCI_REGS },
	},
	[SNBEP_UBOX] = {	/* Table 2-1 */
		.table = &snbep_ubox_table, .thresh = SNBEP_PMON_CTL_THRESH5,
		SIZES(UBOX),
		.regs = {
			.ctl = 0xc10, .ctr = 0xc16,
			.fixed_ctl = 0xc08, .fixed_ctr = 0xc09,
		},
	},
};
