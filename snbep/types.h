/* SPDX-License-Identifier: GPL-2.0-only */
/* What a kind of box is, as data: its registers, fields, filters and events */
#ifndef SNBEP_TYPES_H
#define SNBEP_TYPES_H

#include <linux/device.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>

#include "snbep/events.h"
#include "snbep/sched.h"

/* An encoding's words: perf_event_attr's config, config1 and config2 */
#define SNBEP_NR_WORDS	3
extern const char * const snbep_word_names[SNBEP_NR_WORDS];

/*
 * A file of a PMU's format/ directory, under the name that the user types. Bits
 * that no format of a box type names are reserved, and refused.
 */
struct snbep_format {
	struct device_attribute attr;
	u8 word;	/* index in snbep_word_names */
	u64 mask;
};

/* Where the registers of a box are: MSR numbers, or offsets in a PCI function */
struct snbep_regs {
	u16 box_ctl;	/* 0: the box has none */
	u16 ctl;	/* control of counter 0 */
	u16 ctr;	/* counter 0 */
	u16 fixed_ctl;
	u16 fixed_ctr;
	/* What config1 31:0, 63:32 and config2 31:0, 63:32 go to; 0: nothing */
	u16 filter[SNBEP_NR_FILTER_REGS];
	u8 filter_fn;	/* the PCI function of @filter, if not that of the rest */
	u16 stride;	/* from one instance to the next */
	bool pci;
};

/* Fields of a box whose events may go by an occupancy */
struct snbep_occupancy {
	u32 use;	/* bit of the event select that makes them */
	u32 sel;	/* which occupancy */
	u32 mods;	/* what looks at it; needs a threshold */
};

/* A kind of box */
struct snbep_box_type {
	const char *name;	/* part of the PMU's name */
	const char *table;	/* of the guide, with the fields of a control */
	u8 instances;		/* in a socket */
	u8 counters;		/* without the fixed one */
	u8 width;		/* bits of a counter, and of the fixed one */
	u8 box_ctl_reset;	/* box control: bits that reset all controls */
	bool ext_unsure;	/* the guide reserves the extended select */
	u32 thresh;		/* the threshold's field */
	struct snbep_occupancy occ;
	struct snbep_regs regs;
	u64 known[SNBEP_NR_WORDS];	/* bits that are in @formats */
	struct attribute_group formats;
	const struct snbep_filter *filters;
	u8 nr_filters;
	const struct snbep_events *ev;
	const struct attribute_group **groups;	/* all directories of a PMU */
};

extern const struct snbep_box_type snbep_box_types[SNBEP_NR_TYPES];

#endif /* SNBEP_TYPES_H */
