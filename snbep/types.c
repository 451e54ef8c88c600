// SPDX-License-Identifier: GPL-2.0-only
/* The eight box types as data: registers, widths, fields, filters */
#include "snbep/box.h"
#include "snbep/regs.h"
#include "snbep/sysfs.h"
#include "snbep/types.h"

const char * const snbep_word_names[SNBEP_NR_WORDS] = {
	"config", "config1", "config2"
};

/*
 * Fields of each box type: F(name, word, bits), and R() for a register as a
 * whole, which also covers bits that are no field.
 */
#define PLAIN_FIELDS(F)							\
	F(event, 0, SNBEP_PMON_CTL_EV_SEL)				\
	F(umask, 0, SNBEP_PMON_CTL_UMASK)				\
	F(edge, 0, SNBEP_PMON_CTL_EDGE_DET)				\
	F(inv, 0, SNBEP_PMON_CTL_INVERT)				\
	F(thresh, 0, SNBEP_PMON_CTL_THRESH)

/* Tables 2-10 and 2-12 */
#define CBOX_FIELDS(F, R)						\
	PLAIN_FIELDS(F)							\
	F(tid_en, 0, SNBEP_CBO_CTL_TID_EN)				\
	F(filter_tid, 1, SNBEP_CBO_FILTER_TID)				\
	F(filter_nid, 1, SNBEP_CBO_FILTER_NID)				\
	F(filter_state, 1, SNBEP_CBO_FILTER_STATE)			\
	F(filter_opc, 1, SNBEP_CBO_FILTER_OPC)

/* Tables 2-35 and 2-37 to 2-39 */
#define HA_FIELDS(F, R)							\
	PLAIN_FIELDS(F)							\
	F(filter_addr, 1, SNBEP_HA_FILTER_ADDR)				\
	F(filter_opc, 2, SNBEP_HA_FILTER_OPC)

/* Tables 2-61, 2-106 and 2-120 */
#define IMC_FIELDS(F, R)	PLAIN_FIELDS(F)
#define R2PCIE_FIELDS(F, R)	PLAIN_FIELDS(F)
#define R3QPI_FIELDS(F, R)	PLAIN_FIELDS(F)

/* Tables 2-75 and 2-77 */
#define PCU_FIELDS(F, R)						\
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

/* Tables 2-86 and 2-88 to 2-91 */
#define QPI_FIELDS(F, R)						\
	F(event, 0, SNBEP_PMON_CTL_EV_SEL | SNBEP_PMON_CTL_EV_SEL_EXT)	\
	F(umask, 0, SNBEP_PMON_CTL_UMASK)				\
	F(edge, 0, SNBEP_PMON_CTL_EDGE_DET)				\
	F(inv, 0, SNBEP_PMON_CTL_INVERT)				\
	F(thresh, 0, SNBEP_PMON_CTL_THRESH)				\
	F(match_vnw, 1, SNBEP_QPI_PKT_VNW)				\
	F(match_opc, 1, SNBEP_QPI_PKT_OPC)				\
	F(match_mc, 1, SNBEP_QPI_PKT_MC)				\
	F(match_dnid, 1, SNBEP_QPI_PKT_DNID)				\
	F(match_rnid4, 1, SNBEP_QPI_PKT_RNID_4)				\
	F(match_rnid30, 1, SNBEP_QPI_PKT_RNID_3_0)			\
	F(match_rds, 1, SNBEP_QPI_PKT_RDS)				\
	R(match0, 1, GENMASK_ULL(31, 0))				\
	R(match1, 1, GENMASK_ULL(63, 32))				\
	F(mask_vnw, 2, SNBEP_QPI_PKT_VNW)				\
	F(mask_opc, 2, SNBEP_QPI_PKT_OPC)				\
	F(mask_mc, 2, SNBEP_QPI_PKT_MC)					\
	F(mask_dnid, 2, SNBEP_QPI_PKT_DNID)				\
	F(mask_rnid4, 2, SNBEP_QPI_PKT_RNID_4)				\
	F(mask_rnid30, 2, SNBEP_QPI_PKT_RNID_3_0)			\
	F(mask_rds, 2, SNBEP_QPI_PKT_RDS)				\
	R(mask0, 2, GENMASK_ULL(31, 0))					\
	R(mask1, 2, GENMASK_ULL(63, 32))

/* Table 2-2 */
#define UBOX_FIELDS(F, R)						\
	F(event, 0, SNBEP_PMON_CTL_EV_SEL)				\
	F(umask, 0, SNBEP_PMON_CTL_UMASK)				\
	F(edge, 0, SNBEP_PMON_CTL_EDGE_DET)				\
	F(inv, 0, SNBEP_PMON_CTL_INVERT)				\
	F(thresh, 0, SNBEP_PMON_CTL_THRESH5)

static const struct snbep_filter snbep_cbox_filters[] = {
	{ "filter_tid", SNBEP_F_TID, { SNBEP_CBO_FILTER_TID }, .any = true,
	  .hint = ", or set tid_en=1" },
	{ "filter_nid", SNBEP_F_NID, { SNBEP_CBO_FILTER_NID } },
	/* Also with a unit mask that no list has, which does not say what it needs */
	{ "filter_state", SNBEP_F_STATE, { SNBEP_CBO_FILTER_STATE },
	  .fallback = SNBEP_CBO_FILTER_STATE, .always = true },
	{ "filter_opc", SNBEP_F_OPC, { SNBEP_CBO_FILTER_OPC },
	  .ones = SNBEP_CBO_FILTER_OPC_ONES },
};

static const struct snbep_filter snbep_ha_filters[] = {
	{ "filter_addr", SNBEP_F_ADDR, { SNBEP_HA_FILTER_ADDR }, .any = true },
	{ "filter_opc", SNBEP_F_HAOPC, { 0, SNBEP_HA_FILTER_OPC }, .any = true },
};

static const struct snbep_filter snbep_pcu_filters[] = {
	/*
	 * The guide has band 0 as a filter of demotions, which need not name
	 * one: then they count with band 0 at 0.
	 */
	{ "filter_band0", SNBEP_F_BAND0, { SNBEP_PCU_FILTER_BAND(0) },
	  .always = true },
	{ "filter_band1", SNBEP_F_BAND1, { SNBEP_PCU_FILTER_BAND(1) } },
	{ "filter_band2", SNBEP_F_BAND2, { SNBEP_PCU_FILTER_BAND(2) } },
	{ "filter_band3", SNBEP_F_BAND3, { SNBEP_PCU_FILTER_BAND(3) } },
};

static const struct snbep_filter snbep_qpi_filters[] = {
	{ "packet filter", SNBEP_F_PKT, { SNBEP_QPI_PKT, SNBEP_QPI_PKT },
	  .always = true, .match = true },
};

/* A line of @formats. sysfs does not write to it, but its types have no const. */
#define FORMAT(n, w, m)							\
	(struct attribute *)&((const struct snbep_format[]){ {		\
		.attr = __ATTR(n, 0444, snbep_format_show, NULL),	\
		.word = w, .mask = m,					\
	} })[0].attr.attr,

#define KNOWN0(n, w, m)	| ((w) == 0 ? (m) : 0)
#define KNOWN1(n, w, m)	| ((w) == 1 ? (m) : 0)
#define KNOWN2(n, w, m)	| ((w) == 2 ? (m) : 0)
#define NOTHING(n, w, m)

#define FILES(box, id, more)						\
static struct attribute *snbep_ ## box ## _formats[] = {		\
	id ## _FIELDS(FORMAT, FORMAT)					\
	NULL								\
};									\
static const struct attribute_group *snbep_ ## box ## _groups[] = {	\
	&snbep_box_types[SNBEP_ ## id].formats,				\
	&snbep_events[SNBEP_ ## id].aliases,				\
	&snbep_cpumask_group,						\
	more,								\
	NULL								\
}

FILES(cbox, CBOX, NULL);
FILES(ha, HA, NULL);
FILES(imc, IMC, NULL);
FILES(pcu, PCU, NULL);
FILES(qpi, QPI, &snbep_rate_group);
FILES(r2pcie, R2PCIE, NULL);
FILES(r3qpi, R3QPI, NULL);
FILES(ubox, UBOX, NULL);

/* What follows from the fields, the files and the event tables */
#define TYPE(box, id)							\
	.name = #box,							\
	.known = {							\
		0 id ## _FIELDS(KNOWN0, NOTHING),			\
		0 id ## _FIELDS(KNOWN1, NOTHING),			\
		0 id ## _FIELDS(KNOWN2, NOTHING),			\
	},								\
	.formats = {							\
		.name = "format", .attrs = snbep_ ## box ## _formats,	\
	},								\
	.groups = snbep_ ## box ## _groups,				\
	.ev = &snbep_events[SNBEP_ ## id]

#define FILTERS(f)	.filters = f, .nr_filters = ARRAY_SIZE(f)

#define PCI_REGS							\
	.box_ctl = SNBEP_PCI_PMON_BOX_CTL,				\
	.ctl = SNBEP_PCI_PMON_CTL0,					\
	.ctr = SNBEP_PCI_PMON_CTR0

const struct snbep_box_type snbep_box_types[SNBEP_NR_TYPES] = {
	[SNBEP_CBOX] = {
		TYPE(cbox, CBOX),
		.table = "Table 2-10",
		.instances = 8, .counters = 4, .width = 44,
		.box_ctl_reset = SNBEP_PMON_BOX_CTL_RST,
		.thresh = SNBEP_PMON_CTL_THRESH,
		.backend = &snbep_msr_backend,
		.regs = {
			.box_ctl = SNBEP_C0_MSR_PMON_BOX_CTL,
			.ctl = SNBEP_C0_MSR_PMON_CTL0,
			.ctr = SNBEP_C0_MSR_PMON_CTR0,
			.filter = { SNBEP_C0_MSR_PMON_BOX_FILTER },
			.stride = SNBEP_CBO_MSR_STRIDE,
		},
		FILTERS(snbep_cbox_filters),
	},
	[SNBEP_HA] = {
		TYPE(ha, HA),
		.table = "Table 2-35",
		.instances = 1, .counters = 4, .width = 48,
		.thresh = SNBEP_PMON_CTL_THRESH,
		.backend = &snbep_pci_backend,
		.regs = {
			PCI_REGS,
			.filter = {
				SNBEP_HA_PCI_PMON_BOX_ADDRMATCH0,
				SNBEP_HA_PCI_PMON_BOX_ADDRMATCH1,
				SNBEP_HA_PCI_PMON_BOX_OPCODEMATCH,
			},
		},
		FILTERS(snbep_ha_filters),
	},
	[SNBEP_IMC] = {
		TYPE(imc, IMC),
		.table = "Table 2-61",
		.instances = 4, .counters = 4, .width = 48, .fixed_width = 48,
		.thresh = SNBEP_PMON_CTL_THRESH,
		.backend = &snbep_pci_backend,
		.regs = {
			PCI_REGS,
			.fixed_ctl = SNBEP_PCI_PMON_FIXED_CTL,
			.fixed_ctr = SNBEP_PCI_PMON_FIXED_CTR,
		},
	},
	[SNBEP_PCU] = {
		TYPE(pcu, PCU),
		.table = "Table 2-75",
		.instances = 1, .counters = 4, .width = 48,
		.box_ctl_reset = SNBEP_PMON_BOX_CTL_RST,
		.ext_unsure = true,
		.thresh = SNBEP_PMON_CTL_THRESH5,
		.occ = {
			.use = SNBEP_PCU_CTL_USE_OCC,
			.sel = SNBEP_PCU_CTL_OCC_SEL,
			.mods = SNBEP_PCU_CTL_OCC_INVERT |
				SNBEP_PCU_CTL_OCC_EDGE_DET,
		},
		.backend = &snbep_msr_backend,
		.regs = {
			.box_ctl = SNBEP_PCU_MSR_PMON_BOX_CTL,
			.ctl = SNBEP_PCU_MSR_PMON_CTL0,
			.ctr = SNBEP_PCU_MSR_PMON_CTR0,
			.filter = { SNBEP_PCU_MSR_PMON_BOX_FILTER },
		},
		FILTERS(snbep_pcu_filters),
	},
	[SNBEP_QPI] = {
		TYPE(qpi, QPI),
		.table = "Table 2-86",
		.instances = 2, .counters = 4, .width = 48,
		.box_ctl_reset = SNBEP_PMON_BOX_CTL_RST,
		.rate = true,
		.clock = 0x14,
		.thresh = SNBEP_PMON_CTL_THRESH,
		.backend = &snbep_pci_backend,
		.regs = {
			PCI_REGS,
			.filter = {
				SNBEP_Q_PCI_PMON_PKT_MATCH0,
				SNBEP_Q_PCI_PMON_PKT_MATCH1,
				SNBEP_Q_PCI_PMON_PKT_MASK0,
				SNBEP_Q_PCI_PMON_PKT_MASK1,
			},
			.filter_fn = SNBEP_Q_PCI_FILTER_FUNCTION,
		},
		FILTERS(snbep_qpi_filters),
	},
	[SNBEP_R2PCIE] = {
		TYPE(r2pcie, R2PCIE),
		.table = "Table 2-106",
		.instances = 1, .counters = 4, .width = 44,
		.box_ctl_reset = SNBEP_PMON_BOX_CTL_RST,
		.clock = 0x01,
		.thresh = SNBEP_PMON_CTL_THRESH,
		.backend = &snbep_pci_backend,
		.regs = { PCI_REGS },
	},
	[SNBEP_R3QPI] = {
		TYPE(r3qpi, R3QPI),
		.table = "Table 2-120",
		.instances = 2, .counters = 3, .width = 44,
		.box_ctl_reset = SNBEP_PMON_BOX_CTL_RST,
		.clock = 0x01,
		.thresh = SNBEP_PMON_CTL_THRESH,
		.backend = &snbep_pci_backend,
		.regs = { PCI_REGS },
	},
	[SNBEP_UBOX] = {
		TYPE(ubox, UBOX),
		.table = "Table 2-2",
		.instances = 1, .counters = 2, .width = 44,
		/*
		 * Table 2-5 says 48 bits in words and 44 in its field. Modulo
		 * 2^44 differences are right for both.
		 */
		.fixed_width = 44,
		.thresh = SNBEP_PMON_CTL_THRESH5,
		.backend = &snbep_msr_backend,
		.regs = {
			.ctl = SNBEP_U_MSR_PMON_CTL0,
			.ctr = SNBEP_U_MSR_PMON_CTR0,
			.fixed_ctl = SNBEP_U_MSR_PMON_UCLK_FIXED_CTL,
			.fixed_ctr = SNBEP_U_MSR_PMON_UCLK_FIXED_CTR,
		},
	},
};
