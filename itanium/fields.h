/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Format fields: name, member of perf_event_attr and bits. Masks and the files of
 * format/ are derived from this table.
 */
#ifndef ITANIUM_FIELDS_H
#define ITANIUM_FIELDS_H

#include <linux/bits.h>

/* ITANIUM_FLD_name: member, lowest bit, highest bit */
#define ITANIUM_FLD_event	config, 0, 7	/* PMC.es */
#define ITANIUM_FLD_umask	config, 8, 11	/* PMC.umask */
#define ITANIUM_FLD_threshold	config, 12, 14	/* PMC.threshold */
#define ITANIUM_FLD_all		config, 15, 15	/* PMC.all */
#define ITANIUM_FLD_mesi	config, 16, 19	/* PMC.mesi */
#define ITANIUM_FLD_ear		config, 20, 23	/* enum itanium_ear */
#define ITANIUM_FLD_ear_umask	config, 24, 31	/* PMC37.umask, PMC40.umask */
#define ITANIUM_FLD_ip_delay	config, 32, 39	/* PMC42.delay */
#define ITANIUM_FLD_filter	config, 40, 42	/* ITANIUM_FILTER_* */
#define ITANIUM_FLD_fine	config, 43, 43	/* PMC38.fine */
#define ITANIUM_FLD_addr_bits	config, 44, 49
#define ITANIUM_FLD_data_bits	config, 50, 55
#define ITANIUM_FLD_tm		config, 56, 57	/* PMC39.tm */
#define ITANIUM_FLD_ptm		config, 58, 59	/* PMC39.ptm */
#define ITANIUM_FLD_ppm		config, 60, 61	/* PMC39.ppm */

/*
 * Depending on filter=, config1 and config2 hold an opcode, an address with its
 * mask or end, or two addresses.
 */
#define ITANIUM_FLD_opc_match	config1, 0, 40	/* PMC33.match */
#define ITANIUM_FLD_opc_type	config1, 41, 44	/* PMC32.mifb: b, f, i, m */
#define ITANIUM_FLD_opc_mask	config2, 0, 40	/* PMC32.mask */
#define ITANIUM_FLD_addr	config1, 0, 63
#define ITANIUM_FLD_addr_mask	config2, 0, 55
#define ITANIUM_FLD_addr_end	config2, 0, 63
#define ITANIUM_FLD_data	config2, 0, 63

/* Invoke F for each field of config, and for each field. */
#define ITANIUM_CONFIG_FIELDS(F)					\
	F(event) F(umask) F(threshold) F(all) F(mesi)			\
	F(ear) F(ear_umask) F(ip_delay)					\
	F(filter) F(fine) F(addr_bits) F(data_bits)			\
	F(tm) F(ptm) F(ppm)
#define ITANIUM_FIELDS(F)						\
	ITANIUM_CONFIG_FIELDS(F)					\
	F(opc_match) F(opc_type) F(opc_mask)				\
	F(addr) F(addr_mask) F(addr_end) F(data)

/* Expand ITANIUM_FLD_name before @macro takes its three arguments. */
#define ITANIUM_ROW(macro, ...)			macro(__VA_ARGS__)

#define ITANIUM_ROW_MASK(word, lo, hi)		GENMASK_ULL(hi, lo)

/* Mask of a field */
#define ITANIUM_MASK(name)	ITANIUM_ROW(ITANIUM_ROW_MASK, ITANIUM_FLD_##name)

/* Union of all fields of config */
#define ITANIUM_OR_MASK(name)	ITANIUM_MASK(name) |
#define ITANIUM_CFG_VALID	(ITANIUM_CONFIG_FIELDS(ITANIUM_OR_MASK) 0)

/* Value of a field in @attr, a struct perf_event_attr or itanium_attr */
#define ITANIUM_GET(attr, name)	\
	ITANIUM_ROW(ITANIUM_ROW_GET, attr, ITANIUM_FLD_##name)
#define ITANIUM_ROW_GET(attr, word, lo, hi)	\
	FIELD_GET(GENMASK_ULL(hi, lo), (attr)->word)

#endif /* ITANIUM_FIELDS_H */
