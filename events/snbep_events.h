/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * How to read events/snbep_*.def, one file per box type of the Xeon E5-2600
 * uncore. The files are the only place where an event's name, code, unit
 * masks, counters, filters and description stand. Names, codes and rules are
 * those of the uncore guide 327043-001, its scan's misprints mended as
 * Documentation/snbep-guide-errata.rst says. At the end of each file is what the
 * guide lacks and Intel's own list for this processor has, marked SNBEP_F_LIST.
 * That list is in Linux, tools/perf/pmu-events/arch/x86/jaketown. It names code,
 * unit mask and counters, but no increment. Whether the hardware counts these
 * events is not documented.
 *
 * Define the macros that you want, then include a .def; the others default to
 * nothing, and all are undefined again at its end:
 *
 *	#define EVENT(...)		...
 *	#define EVENT_PLAIN(...)	...
 *	#define UMASK(...)		...
 *	#include "events/snbep_cbox.def"
 *
 * EVENT(name, sel, counters, max_inc, takes, desc)
 *	An event with unit masks; UMASK rows for it follow.
 * EVENT_PLAIN(name, sel, counters, max_inc, takes, needs, desc)
 *	An event without unit masks: counts with umask 0.
 * UMASK(event, name, umask, needs, desc)
 *	A unit mask of the EVENT before it. One alias: event_name.
 * FIXED(name, sel, desc)
 *	A counter of its own, chosen by a pseudo event code that no event has.
 * ALIAS(name, encoding, desc)
 *	A ready-made alias. encoding is its text in sysfs, in the terms of the
 *	PMU's format/ directory.
 * SCALE(alias, scale, unit)
 *	alias (one of any kind above) counts units of size scale: both strings
 *	are what .scale and .unit hold.
 * OWN_SCALE(alias, scale, unit)
 *	The same, of an alias that intel_uncore has, too, without a scale. Under
 *	its names it has none here either.
 * ELSEWHERE(sel, where)
 *	A code that people try on this box although its event is somewhere else.
 *	where says so to the user.
 *
 * name	   lower case C identifier, the guide's name. #name and ##name work.
 * sel	   the event as typed by the user: ev_sel in bits 7:0, and in bit 8 the
 *	   extended select (.ev_sel_ext, config bit 21).
 * counters   bit n set: may count on counter n.
 * max_inc    largest increment per cycle. 0: it is not said, or not to be believed.
 * takes   SNBEP_F_* filter fields that the event may be given with any umask.
 *	   SNBEP_F_LIST here marks an event that is not the guide's.
 * needs   SNBEP_F_* filter fields that this row depends on ("Filter Dep" in
 *	   the guide): without a value it counts nothing or something else.
 *	   What an encoding must be given is the union over the rows of its
 *	   event whose umask bits it holds; what it may be given is that and
 *	   takes. Every other filter field is without effect on it.
 * umask   value of the control register's bits 15:8. In the PCU bits 15:14 are
 *	   .occ_sel and bits 13:8 are reserved, so 0x40 there is occ_sel=1.
 *
 * An alias' needed fields appear in its text as "field=?", except one for which
 * the driver has a default: filter_state, all five states.
 */
#ifndef SNBEP_EVENTS_H
#define SNBEP_EVENTS_H

/*
 * Filter fields, in all box types. One bit is one format field of the PMU, or
 * for the packet filter all match_ and mask_ fields.
 */
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

/*
 * No filter, but may stand in the needs of a UMASK row: it cannot be ORed with
 * others of its event.
 */
#define SNBEP_F_ALONE	(1u << 11)

/*
 * No filter either: looks at what counter 0 counts, so there has to be an event
 * in its group that counts on counter 0 alone.
 */
#define SNBEP_F_COUNTER0	(1u << 12)

/* Pseudo event code of FIXED counters */
#define SNBEP_SEL_FIXED	0xff	/* UCLK of the UBox, DCLK of an iMC channel */

/*
 * No filter either: no table of the guide has the event or unit mask, but its
 * text, another list of Intel's, or libpfm4.
 */
#define SNBEP_F_LIST		(1u << 13)

/* No filter either: in takes, if the event takes edge or inv, but not both */
#define SNBEP_F_EDGE_OR_INV	(1u << 14)

#endif /* SNBEP_EVENTS_H */
