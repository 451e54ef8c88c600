/* SPDX-License-Identifier: GPL-2.0-only */
/* What a kind of box is, as data: its registers, fields, filters and events */
#ifndef SNBEP_TYPES_H
#define SNBEP_TYPES_H

#include <linux/device.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>

#include "events/snbep_events.h"
#include "snbep/sched.h"

enum snbep_type_id {
	SNBEP_CBOX,
	SNBEP_HA,
	SNBEP_IMC,
	SNBEP_PCU,
	SNBEP_QPI,
	SNBEP_R2PCIE,
	SNBEP_R3QPI,
	SNBEP_UBOX,
	SNBEP_NR_TYPES
};

/* An encoding's words: perf_event_attr's config, config1 and config2 */
#define SNBEP_NR_WORDS	3
extern const char * const snbep_word_names[SNBEP_NR_WORDS];

/* Extended select in a perf event code */
#define SNBEP_SEL_EXT	BIT(8)

/**
 * struct snbep_format - one file of a PMU's format/ directory
 * @attr: the file, under the name that the user types
 * @word: index in snbep_word_names
 * @mask: the bits
 *
 * Bits that no format of a box type names are reserved, and refused.
 */
struct snbep_format {
	struct device_attribute attr;
	u8 word;
	u64 mask;
};

/* Largest increment per cycle of all events */
#define SNBEP_MAX_INC	128

/**
 * struct snbep_event_desc - an event of the guide's tables, or of another list
 * @name: in lower case
 * @sel: event select; bit 8 is the extended select
 * @counters: bit n set if counter n can count it; bit SNBEP_FIXED_CTR alone for
 *	the fixed counter
 * @max_inc: largest increment per cycle, 0 where it is not known
 * @takes: filters (SNBEP_F_*) that every unit mask takes, and SNBEP_F_LIST if
 *	the guide lacks it
 * @first: its first unit mask; the others follow
 */
struct snbep_event_desc {
	const char *name;
	u16 sel;
	u8 counters;
	u8 max_inc;
	u16 takes;
	u16 first;
};

/**
 * struct snbep_umask_desc - a unit mask, or the only form of an event
 * @event: index of its event
 * @plain: the event has no unit masks
 * @umask: bits 15:8 of the control register
 * @needs: filters (SNBEP_F_*) without whose value it counts nothing, and
 *	SNBEP_F_ALONE if it cannot be ORed with others
 */
struct snbep_umask_desc {
	u8 event;
	u8 plain;
	u8 umask;
	u16 needs;
};

/**
 * struct snbep_elsewhere - a code that people try, and whose event is not here
 * @sel: event select
 * @where: where it is, for the line that refuses it
 */
struct snbep_elsewhere {
	u16 sel;
	const char *where;
};

/**
 * struct snbep_alias - a file of a PMU's events/ directory
 * @attr: the file
 * @row: unit mask that it stands for, or -1
 * @text: what it holds if @row is -1
 * @own: not there under intel_uncore's names
 */
struct snbep_alias {
	struct device_attribute attr;
	s16 row;
	bool own;
	const char *text;
};

/**
 * struct snbep_events - what events/snbep_*.def say of one box type
 * @events: event table
 * @umasks: unit mask table, in the order of @events
 * @elsewhere: codes with a refusal of their own
 * @nr_events: entries in @events
 * @nr_umasks: entries in @umasks
 * @nr_elsewhere: entries in @elsewhere
 * @aliases: the events/ directory
 */
struct snbep_events {
	const struct snbep_event_desc *events;
	const struct snbep_umask_desc *umasks;
	const struct snbep_elsewhere *elsewhere;
	u16 nr_events;
	u16 nr_umasks;
	u16 nr_elsewhere;
	struct attribute_group aliases;
};

extern const struct snbep_events snbep_events[SNBEP_NR_TYPES];

/**
 * struct snbep_regs - where the registers of a box are
 * @box_ctl: box control, 0 if the box has none
 * @ctl: control of counter 0
 * @ctr: counter 0
 * @fixed_ctl: control of the fixed counter, 0 if the box has none
 * @fixed_ctr: fixed counter
 * @filter: registers that take config1 31:0, config1 63:32, config2 31:0 and
 *	config2 63:32; 0 for none
 * @filter_fn: the PCI function that has them, if it is not that of the rest
 * @stride: from one instance to the next
 *
 * MSR numbers, or offsets in the configuration space of a PCI function.
 */
struct snbep_regs {
	u16 box_ctl;
	u16 ctl;
	u16 ctr;
	u16 fixed_ctl;
	u16 fixed_ctr;
	u16 filter[SNBEP_NR_FILTER_REGS];
	u8 filter_fn;
	u16 stride;
};

/**
 * struct snbep_occupancy - fields of a box whose events may go by an occupancy
 * @use: bit of the event select that makes them
 * @sel: field that says which occupancy
 * @mods: fields that look at it; they need a threshold
 */
struct snbep_occupancy {
	u32 use;
	u32 sel;
	u32 mods;
};

struct snbep_backend;

/**
 * struct snbep_box_type - a kind of box
 * @name: part of the PMU's name
 * @table: where the guide has the fields of its control register
 * @instances: boxes of this kind in a socket
 * @counters: general counters in a box
 * @width: bits of a counter
 * @fixed_width: bits of the fixed counter
 * @box_ctl_reset: reset bits of the box control
 * @rate: it has a QPI_RATE_STATUS
 * @ext_unsure: the guide lists extended events, but reserves the bit
 * @clock: event select of its clock
 * @thresh: the threshold's field
 * @occ: its occupancies, or all 0
 * @backend: how its registers are reached
 * @regs: where they are
 * @known: bits of each word that are in @formats
 * @formats: the format/ directory, made of struct snbep_format
 * @filters: filters of the box
 * @nr_filters: entries in @filters
 * @ev: its events
 * @groups: all directories of its PMUs
 */
struct snbep_box_type {
	const char *name;
	const char *table;
	u8 instances;
	u8 counters;
	u8 width;
	u8 fixed_width;
	u8 box_ctl_reset;
	bool rate;
	bool ext_unsure;
	u8 clock;
	u32 thresh;
	struct snbep_occupancy occ;
	const struct snbep_backend *backend;
	struct snbep_regs regs;
	u64 known[SNBEP_NR_WORDS];
	struct attribute_group formats;
	const struct snbep_filter *filters;
	u8 nr_filters;
	const struct snbep_events *ev;
	const struct attribute_group **groups;
};

extern const struct snbep_box_type snbep_box_types[SNBEP_NR_TYPES];

#endif /* SNBEP_TYPES_H */
