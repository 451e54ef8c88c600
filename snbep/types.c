// SPDX-License-Identifier: GPL-2.0-only
/*
 * The eight box types as data: registers, widths, fields, filters.
 */
#include "snbep_uncore.h"

#define FORMAT(n, w, m)							\
	{ .attr = { .attr = { .name = #n, .mode = 0444 },		\
		    .show = snbep_format_show },			\
	  .word = w, .mask = m }

#define FORMAT_WHOLE(n, w, m)						\
	{ .attr = { .attr = { .name = #n, .mode = 0444 },		\
		    .show = snbep_format_show },			\
	  .word = w, .mask = m, .whole = true }

#define FORMAT_EVENT	FORMAT(event, 0, SNBEP_PMON_CTL_EV_SEL)
#define FORMAT_EVENT_EXT						\
	FORMAT(event, 0, SNBEP_PMON_CTL_EV_SEL | SNBEP_PMON_CTL_EV_SEL_EXT)
#define FORMAT_UMASK	FORMAT(umask, 0, SNBEP_PMON_CTL_UMASK)
#define FORMAT_EDGE	FORMAT(edge, 0, SNBEP_PMON_CTL_EDGE_DET)
#define FORMAT_INV	FORMAT(inv, 0, SNBEP_PMON_CTL_INVERT)
#define FORMAT_THRESH	FORMAT(thresh, 0, SNBEP_PMON_CTL_THRESH)
#define FORMAT_THRESH5	FORMAT(thresh, 0, SNBEP_PMON_CTL_THRESH5)

/* Tables 2-10 and 2-12 */
#define CBO_FILTER_TID		GENMASK_ULL(4, 0)
#define CBO_FILTER_NID		GENMASK_ULL(17, 10)
#define CBO_FILTER_STATE	GENMASK_ULL(22, 18)	/* all five: MESIF */
#define CBO_FILTER_OPC		GENMASK_ULL(31, 23)

static struct snbep_format snbep_cbox_formats[] = {
	FORMAT_EVENT, FORMAT_UMASK, FORMAT_EDGE, FORMAT_INV, FORMAT_THRESH,
	FORMAT(tid_en, 0, SNBEP_CBO_CTL_TID_EN),
	FORMAT(filter_tid, 1, CBO_FILTER_TID),
	FORMAT(filter_nid, 1, CBO_FILTER_NID),
	FORMAT(filter_state, 1, CBO_FILTER_STATE),
	FORMAT(filter_opc, 1, CBO_FILTER_OPC),
};

static const struct snbep_filter snbep_cbox_filters[] = {
	{ "filter_tid", SNBEP_F_TID, { CBO_FILTER_TID }, .any = true },
	{ "filter_nid", SNBEP_F_NID, { CBO_FILTER_NID } },
	{ "filter_state", SNBEP_F_STATE, { CBO_FILTER_STATE },
	  .fallback = CBO_FILTER_STATE },
	/* Table 2-12: an IDI opcode of 7 bits under two bits that are set */
	{ "filter_opc", SNBEP_F_OPC, { CBO_FILTER_OPC },
	  .ones = GENMASK_ULL(31, 30) },
};

/* Table 2-35, and Tables 2-37 to 2-39, in the places of the registers' halves */
#define HA_ADDRMATCH		GENMASK_ULL(45, 6)
#define HA_OPCODEMATCH		GENMASK_ULL(5, 0)

static struct snbep_format snbep_ha_formats[] = {
	FORMAT_EVENT, FORMAT_UMASK, FORMAT_EDGE, FORMAT_INV, FORMAT_THRESH,
	FORMAT(filter_addr, 1, HA_ADDRMATCH),
	FORMAT(filter_opc, 2, HA_OPCODEMATCH),
};

static const struct snbep_filter snbep_ha_filters[] = {
	{ "filter_addr", SNBEP_F_ADDR, { HA_ADDRMATCH }, .any = true },
	{ "filter_opc", SNBEP_F_HAOPC, { 0, HA_OPCODEMATCH }, .any = true },
};

/* Tables 2-61, 2-106, 2-120: iMC, R2PCIe, R3QPI */
static struct snbep_format snbep_plain_formats[] = {
	FORMAT_EVENT, FORMAT_UMASK, FORMAT_EDGE, FORMAT_INV, FORMAT_THRESH,
};

/* Tables 2-75 and 2-77 */
#define PCU_FILTER_BAND(n)	(GENMASK_ULL(7, 0) << 8 * (n))

static struct snbep_format snbep_pcu_formats[] = {
	FORMAT_EVENT_EXT, FORMAT_EDGE, FORMAT_INV, FORMAT_THRESH5,
	FORMAT(occ_sel, 0, SNBEP_PCU_OCC_SEL),
	FORMAT(occ_invert, 0, SNBEP_PCU_CTL_OCC_INVERT),
	FORMAT(occ_edge, 0, SNBEP_PCU_CTL_OCC_EDGE_DET),
	FORMAT(filter_band0, 1, PCU_FILTER_BAND(0)),
	FORMAT(filter_band1, 1, PCU_FILTER_BAND(1)),
	FORMAT(filter_band2, 1, PCU_FILTER_BAND(2)),
	FORMAT(filter_band3, 1, PCU_FILTER_BAND(3)),
};

static const struct snbep_filter snbep_pcu_filters[] = {
	/* demotions are under it, whether a band is given or not */
	{ "filter_band0", SNBEP_F_BAND0, { PCU_FILTER_BAND(0) },
	  .always = true },
	{ "filter_band1", SNBEP_F_BAND1, { PCU_FILTER_BAND(1) } },
	{ "filter_band2", SNBEP_F_BAND2, { PCU_FILTER_BAND(2) } },
	{ "filter_band3", SNBEP_F_BAND3, { PCU_FILTER_BAND(3) } },
};

/*
 * Tables 2-88 to 2-91: match registers in config1, masks in config2, each with
 * register 0 in the low half.
 */
#define QPI_PKT_VNW		GENMASK_ULL(4, 3)
#define QPI_PKT_OPC		GENMASK_ULL(8, 5)
#define QPI_PKT_MC		GENMASK_ULL(12, 9)
#define QPI_PKT_DNID		GENMASK_ULL(17, 13)
#define QPI_PKT_RNID_4		BIT_ULL(31)
#define QPI_PKT_RNID_3_0	GENMASK_ULL(35, 32)
#define QPI_PKT_RDS		GENMASK_ULL(51, 48)
#define QPI_PKT_0		(QPI_PKT_VNW | QPI_PKT_OPC | QPI_PKT_MC | \
				 QPI_PKT_DNID | QPI_PKT_RNID_4)
#define QPI_PKT_1		(QPI_PKT_RNID_3_0 | QPI_PKT_RDS)

static struct snbep_format snbep_qpi_formats[] = {
	FORMAT_EVENT_EXT, FORMAT_UMASK, FORMAT_EDGE, FORMAT_INV, FORMAT_THRESH,
	FORMAT(match_vnw, 1, QPI_PKT_VNW),
	FORMAT(match_opc, 1, QPI_PKT_OPC),
	FORMAT(match_mc, 1, QPI_PKT_MC),
	FORMAT(match_dnid, 1, QPI_PKT_DNID),
	FORMAT(match_rnid4, 1, QPI_PKT_RNID_4),
	FORMAT(match_rnid30, 1, QPI_PKT_RNID_3_0),
	FORMAT(match_rds, 1, QPI_PKT_RDS),
	FORMAT_WHOLE(match0, 1, GENMASK_ULL(31, 0)),
	FORMAT_WHOLE(match1, 1, GENMASK_ULL(63, 32)),
	FORMAT(mask_vnw, 2, QPI_PKT_VNW),
	FORMAT(mask_opc, 2, QPI_PKT_OPC),
	FORMAT(mask_mc, 2, QPI_PKT_MC),
	FORMAT(mask_dnid, 2, QPI_PKT_DNID),
	FORMAT(mask_rnid4, 2, QPI_PKT_RNID_4),
	FORMAT(mask_rnid30, 2, QPI_PKT_RNID_3_0),
	FORMAT(mask_rds, 2, QPI_PKT_RDS),
	FORMAT_WHOLE(mask0, 2, GENMASK_ULL(31, 0)),
	FORMAT_WHOLE(mask1, 2, GENMASK_ULL(63, 32)),
};

static const struct snbep_filter snbep_qpi_filters[] = {
	{ "packet filter", SNBEP_F_PKT,
	  { QPI_PKT_0 | QPI_PKT_1, QPI_PKT_0 | QPI_PKT_1 },
	  .any = true, .always = true, .match = true },
};

/* Table 2-2 */
static struct snbep_format snbep_ubox_formats[] = {
	FORMAT_EVENT, FORMAT_UMASK, FORMAT_EDGE, FORMAT_INV, FORMAT_THRESH5,
};

#define FORMATS(f)	.formats = f, .nr_formats = ARRAY_SIZE(f)
#define FILTERS(f)	.filters = f, .nr_filters = ARRAY_SIZE(f)

#define BOX_CTL_RST	(SNBEP_PMON_BOX_CTL_RST_CTRS | \
			 SNBEP_PMON_BOX_CTL_RST_CTRL)

/* All PCI functions with counters have them at the same offsets. */
#define PCI_REGS	.box_ctl = 0xf4, .ctl = 0xd8, .ctr = 0xa0

struct snbep_box_type snbep_box_types[SNBEP_NR_TYPES] = {
	[SNBEP_CBOX] = {
		.name = "cbox", .table = "Table 2-10",
		.instances = 8, .counters = 4, .width = 44,
		.box_ctl_reset = BOX_CTL_RST,
		.backend = &snbep_msr_backend,
		/* Table 2-8 */
		.regs = { .box_ctl = 0xd04, .ctl = 0xd10, .ctr = 0xd16,
			  .filter = { 0xd14 }, .stride = 0x20 },
		FORMATS(snbep_cbox_formats), FILTERS(snbep_cbox_filters),
		.ev = &snbep_events[SNBEP_CBOX],
	},
	[SNBEP_HA] = {
		.name = "ha", .table = "Table 2-35",
		.instances = 1, .counters = 4, .width = 48,
		.backend = &snbep_pci_backend,
		/* Table 2-33 */
		.regs = { PCI_REGS, .filter = { 0x40, 0x44, 0x48 } },
		FORMATS(snbep_ha_formats), FILTERS(snbep_ha_filters),
		.ev = &snbep_events[SNBEP_HA],
	},
	[SNBEP_IMC] = {
		.name = "imc", .table = "Table 2-61",
		.instances = 4, .counters = 4, .width = 48, .fixed_width = 48,
		.backend = &snbep_pci_backend,
		/* Table 2-59 */
		.regs = { PCI_REGS, .fixed_ctl = 0xf0, .fixed_ctr = 0xd0 },
		FORMATS(snbep_plain_formats),
		.ev = &snbep_events[SNBEP_IMC],
	},
	[SNBEP_PCU] = {
		.name = "pcu", .table = "Table 2-75",
		.instances = 1, .counters = 4, .width = 48,
		.box_ctl_reset = BOX_CTL_RST,
		.ext_unsure = true, .occupancy = true,
		.backend = &snbep_msr_backend,
		/* Table 2-73 */
		.regs = { .box_ctl = 0xc24, .ctl = 0xc30, .ctr = 0xc36,
			  .filter = { 0xc34 } },
		FORMATS(snbep_pcu_formats), FILTERS(snbep_pcu_filters),
		.ev = &snbep_events[SNBEP_PCU],
	},
	[SNBEP_QPI] = {
		.name = "qpi", .table = "Table 2-86",
		.instances = 2, .counters = 4, .width = 48,
		.box_ctl_reset = BOX_CTL_RST,
		.rate = true,
		.backend = &snbep_pci_backend,
		/* Table 2-84; the filters are in a function of their own */
		.regs = { PCI_REGS, .filter = { 0x228, 0x22c, 0x238, 0x23c } },
		FORMATS(snbep_qpi_formats), FILTERS(snbep_qpi_filters),
		.ev = &snbep_events[SNBEP_QPI],
	},
	[SNBEP_R2PCIE] = {
		.name = "r2pcie", .table = "Table 2-106",
		.instances = 1, .counters = 4, .width = 44,
		.box_ctl_reset = BOX_CTL_RST,
		.backend = &snbep_pci_backend,
		/* Table 2-104 */
		.regs = { PCI_REGS },
		FORMATS(snbep_plain_formats),
		.ev = &snbep_events[SNBEP_R2PCIE],
	},
	[SNBEP_R3QPI] = {
		.name = "r3qpi", .table = "Table 2-120",
		.instances = 2, .counters = 3, .width = 44,
		.box_ctl_reset = BOX_CTL_RST,
		.backend = &snbep_pci_backend,
		/* Table 2-118 */
		.regs = { PCI_REGS },
		FORMATS(snbep_plain_formats),
		.ev = &snbep_events[SNBEP_R3QPI],
	},
	[SNBEP_UBOX] = {
		.name = "ubox", .table = "Table 2-2",
		.instances = 1, .counters = 2, .width = 44,
		/*
		 * Table 2-5 says 48 bits in words and 44 in its field. Modulo
		 * 2^44 differences are right for both.
		 */
		.fixed_width = 44,
		.backend = &snbep_msr_backend,
		/* Table 2-1 */
		.regs = { .ctl = 0xc10, .ctr = 0xc16,
			  .fixed_ctl = 0xc08, .fixed_ctr = 0xc09 },
		FORMATS(snbep_ubox_formats),
		.ev = &snbep_events[SNBEP_UBOX],
	},
};

/** snbep_boxes_init - note which bits of an encoding mean something */
void snbep_boxes_init(void)
{
	struct snbep_box_type *type;
	unsigned int i;

	for (type = snbep_box_types; type < snbep_box_types + SNBEP_NR_TYPES;
	     type++) {
		for (i = 0; i < type->nr_formats; i++) {
			if (!type->formats[i].whole)
				type->known[type->formats[i].word] |=
					type->formats[i].mask;
		}
	}
}
