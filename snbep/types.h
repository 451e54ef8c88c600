/* SPDX-License-Identifier: GPL-2.0-only */
/* Box types: registers, format fields, filters and events as data */
#ifndef SNBEP_TYPES_H
#define SNBEP_TYPES_H

#include <linux/device.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>

#include "snbep/events.h"
#include "snbep/sched.h"

/* config, config1 and config2 of struct perf_event_attr */
#define SNBEP_NR_CONFIGS	3
extern const char * const snbep_config_names[SNBEP_NR_CONFIGS];

/* A file in a PMU's format/ directory */
struct snbep_format {
	struct device_attribute attr;
	u8 config;	/* index in snbep_config_names */
	u64 mask;
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
	const char *name;	/* suffix of the PMU's name */
	u8 instances;		/* boxes per socket */
	u8 counters;		/* without the fixed counter */
	u8 width;		/* of all counters, in bits */
	u8 box_ctl_reset;	/* box control bits that clear all controls */
	bool ext_probe;		/* ev_sel_ext is reserved in the guide */
	u32 thresh;		/* threshold field */
	struct snbep_occupancy occ;
	struct snbep_regs regs;
	u64 known[SNBEP_NR_CONFIGS];	/* valid bits */
	struct attribute_group formats;
	const struct snbep_filter *filters;
	u8 nr_filters;
	const struct snbep_events *ev;
	const struct attribute_group **groups;
};

extern const struct snbep_box_type snbep_box_types[SNBEP_NR_TYPES];

#endif /* SNBEP_TYPES_H */
