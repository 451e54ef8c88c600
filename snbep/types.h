/* SPDX-License-Identifier: GPL-2.0-only */
/* Box types: registers, format fields, filters and events as data */
#ifndef SNBEP_TYPES_H
#define SNBEP_TYPES_H

#include <linux/device.h>
#include <linux/sysfs.h>

#include "events/snbep_events.h"
#include "snbep/sched.h"

enum snbep_type_id {
#define BOX(name, NAME, ...)	SNBEP_ ## NAME,
#include "events/boxes.def"
	SNBEP_NR_TYPES
};

/* ev_sel_ext of the control register, as bit 8 of an event code */
#define SNBEP_SEL_EXT	BIT(8)

/* An event of the guide, or of Intel's event list */
struct snbep_event_desc {
	const char *name;
	u16 sel;	/* event select */
	u8 counters;	/* mask of counters that support the event */
	u16 takes;	/* SNBEP_F_*: filters that apply to every unit mask */
};

/* A unit mask, or the one entry of an event that has none */
struct snbep_umask_desc {
	u8 event;	/* index of its event */
	u8 plain;	/* the event has no unit masks */
	u8 umask;
	u16 needs;	/* SNBEP_F_*: required filters */
};

/* Event codes without a name, whose counters are known */
struct snbep_unlisted_desc {
	u16 first, last;
	u8 counters;
};

/* A file in a PMU's events/ directory */
struct snbep_alias {
	struct device_attribute attr;
	s16 row;	/* index of its unit mask, or -1 */
	const char *text;	/* contents if @row is -1 */
};

/* config, config1 and config2 of struct perf_event_attr */
#define SNBEP_NR_CONFIGS	3
extern const char * const snbep_config_names[SNBEP_NR_CONFIGS];

/* A file in a PMU's format/ directory */
struct snbep_format {
	struct device_attribute attr;
	u8 config;	/* index in snbep_config_names */
	u64 mask;
};

/* What table.h makes of a box type's events and format fields */
struct snbep_table {
	const char *name;	/* suffix of the PMU's name */
	const struct snbep_event_desc *events;
	const struct snbep_umask_desc *umasks;	/* in the order of @events */
	const struct snbep_unlisted_desc *unlisted;
	u16 nr_events;
	u16 nr_umasks;
	u16 nr_unlisted;
	u64 known[SNBEP_NR_CONFIGS];	/* bits of the format fields */
	const struct attribute_group **groups;
};

/* Register addresses: MSR numbers, or offsets in a PCI function */
struct snbep_regs {
	u16 box_ctl;	/* 0: none */
	u16 ctl;	/* control of counter 0 */
	u16 ctr;	/* counter 0 */
	u16 fixed_ctl;
	u16 fixed_ctr;
	/* For config1 31:0, 63:32 and config2 31:0, 63:32; 0: none */
	u16 filter[SNBEP_NR_FILTER_REGS];
	u8 filter_fn;	/* PCI function of @filter if it is a separate one */
	u16 stride;	/* between instances */
	bool pci;
};

/* Control fields of events that depend on an occupancy (PCU) */
struct snbep_occupancy {
	u32 use;	/* bit of the event select */
	u32 sel;	/* occupancy select */
	u32 mods;	/* edge and invert, which need a threshold */
};

struct snbep_box_type {
	const struct snbep_table *table;
	u8 instances;		/* boxes per socket */
	u8 counters;		/* without the fixed counter */
	u8 width;		/* of all counters, in bits */
	u8 box_ctl_reset;	/* box control bits that clear all controls */
	bool ext_probe;		/* ev_sel_ext is reserved in the guide */
	u32 thresh;		/* threshold field */
	struct snbep_occupancy occ;
	struct snbep_regs regs;
	const struct snbep_filter *filters;
	u8 nr_filters;
};

extern const struct snbep_box_type snbep_box_types[SNBEP_NR_TYPES];

/* sysfs.c */
ssize_t snbep_format_show(struct device *dev, struct device_attribute *attr,
			  char *buf);
ssize_t snbep_alias_show(struct device *dev, struct device_attribute *attr,
			 char *buf);
umode_t snbep_alias_visible(struct kobject *kobj, struct attribute *attr,
			    int n);
extern const struct attribute_group snbep_cpumask_group;

#endif /* SNBEP_TYPES_H */
