/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Macros of events/snbep_*.def, one file per box type of the Xeon E5-2600 uncore.
 * Names, codes and rules are those of the uncore guide, 327043-001, corrected as
 * described in Documentation/snbep-guide-errata.rst. Events with SNBEP_F_LIST, at
 * the end of each file, are only in Intel's event list for this processor (Linux,
 * tools/perf/pmu-events/arch/x86/jaketown).
 *
 * Define the macros that you need and include a .def. It defines the others as
 * empty, and undefines all of them at the end:
 *
 *	#define EVENT(...)		...
 *	#define EVENT_PLAIN(...)	...
 *	#define UMASK(...)		...
 *	#include "events/snbep_cbox.def"
 *
 * EVENT(name, sel, counters, max_inc, takes, desc)
 *	An event with unit masks, followed by its UMASK rows
 * EVENT_PLAIN(name, sel, counters, max_inc, takes, needs, desc)
 *	An event without unit masks
 * UMASK(event, name, umask, needs, desc)
 *	A unit mask of the preceding EVENT, with the alias event_name
 * FIXED(name, sel, desc)
 *	A fixed counter, with the pseudo event code sel
 * ALIAS(name, encoding, desc)
 *	An additional alias; encoding is its text in sysfs
 * SCALE(alias, scale, unit)
 *	Contents of the files .scale and .unit of an alias
 * UNLISTED(first, last, counters)
 *	Event codes without a name of which Linux's intel_uncore knows the
 *	counters
 *
 * name	   the guide's name in lower case, a C identifier
 * sel	   ev_sel in bits 7:0, extended select (.ev_sel_ext, config bit 21) in
 *	   bit 8
 * counters   mask of counters that support the event
 * max_inc    largest increment per cycle; 0: unknown
 * takes   SNBEP_F_* filters that apply to the event with any unit mask, and
 *	   other flags of the event
 * needs   SNBEP_F_* filters that this row requires ("Filter Dep" in the
 *	   guide). An encoding requires the filters of all its unit masks, and
 *	   accepts these and the ones of takes.
 * umask   bits 15:8 of the control register. In the PCU, bits 15:14 are .occ_sel
 *	   and bits 13:8 are reserved, so 0x40 is occ_sel=1.
 *
 * Required fields are in an alias as "field=?", except filter_state, for which
 * the driver has a default (all five states).
 */
#ifndef SNBEP_EVENTS_H
#define SNBEP_EVENTS_H

/* Filters: one format field each; for SNBEP_F_PKT, all match_ and mask_ fields */
#define SNBEP_F_NONE	0
/* Cn_MSR_PMON_BOX_FILTER, Table 2-12; tid also needs .tid_en */
#define SNBEP_F_TID	(1u << 0)
#define SNBEP_F_NID	(1u << 1)
#define SNBEP_F_STATE	(1u << 2)
#define SNBEP_F_OPC	(1u << 3)
/* PCU_MSR_PMON_BOX_FILTER, Table 2-77 */
#define SNBEP_F_BAND0	(1u << 4)
#define SNBEP_F_BAND1	(1u << 5)
#define SNBEP_F_BAND2	(1u << 6)
#define SNBEP_F_BAND3	(1u << 7)
/* HA_PCI_PMON_BOX_ADDRMATCH{0,1} and _OPCODEMATCH, Tables 2-37 to 2-39 */
#define SNBEP_F_ADDR	(1u << 8)
#define SNBEP_F_HAOPC	(1u << 9)
/* Q_Py_PCI_PMON_PKT_{MATCH,MASK}{0,1}, Tables 2-88 to 2-91 */
#define SNBEP_F_PKT	(1u << 10)

/* In needs: the unit mask cannot be ORed with others of its event. */
#define SNBEP_F_ALONE	(1u << 11)

/*
 * In takes or needs: the event or unit mask is not in the guide's tables, but in
 * its text, in Intel's list or in libpfm4.
 */
#define SNBEP_F_LIST		(1u << 12)

/* In takes: edge and inv exclude each other. */
#define SNBEP_F_EDGE_OR_INV	(1u << 13)

#endif /* SNBEP_EVENTS_H */
