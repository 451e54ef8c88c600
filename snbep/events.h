/* SPDX-License-Identifier: GPL-2.0-only */
/* Event tables generated from events/snbep_*.def */
#ifndef SNBEP_EVENT_TABLES_H
#define SNBEP_EVENT_TABLES_H

#include <linux/device.h>
#include <linux/sysfs.h>

#include "events/snbep_events.h"

enum snbep_type_id {
	SNBEP_CBOX, SNBEP_HA, SNBEP_IMC, SNBEP_PCU, SNBEP_QPI, SNBEP_R2PCIE,
	SNBEP_R3QPI, SNBEP_UBOX, SNBEP_NR_TYPES
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

/* An event code of another box type, and a hint for the log */
struct snbep_elsewhere {
	u16 sel;
	const char *where;
};

/* A file in a PMU's events/ directory */
struct snbep_alias {
	struct device_attribute attr;
	s16 row;	/* index of its unit mask, or -1 */
	const char *text;	/* contents if @row is -1 */
};

/* The events of one box type */
struct snbep_events {
	const struct snbep_event_desc *events;
	const struct snbep_umask_desc *umasks;	/* in the order of @events */
	const struct snbep_unlisted_desc *unlisted;
	const struct snbep_elsewhere *elsewhere;
	u16 nr_events;
	u16 nr_umasks;
	u16 nr_unlisted;
	u16 nr_elsewhere;
	struct attribute_group aliases;
};

extern const struct snbep_events snbep_cbox_table, snbep_ha_table,
	snbep_imc_table, snbep_pcu_table, snbep_qpi_table, snbep_r2pcie_table,
	snbep_r3qpi_table, snbep_ubox_table;

#endif /* SNBEP_EVENT_TABLES_H */
