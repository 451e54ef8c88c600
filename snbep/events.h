/* SPDX-License-Identifier: GPL-2.0-only */
/* The event tables: what events/snbep_*.def say of each box type */
#ifndef SNBEP_EVENT_TABLES_H
#define SNBEP_EVENT_TABLES_H

#include <linux/device.h>
#include <linux/sysfs.h>

#include "events/snbep_events.h"

enum snbep_type_id {
	SNBEP_CBOX, SNBEP_HA, SNBEP_IMC, SNBEP_PCU, SNBEP_QPI, SNBEP_R2PCIE,
	SNBEP_R3QPI, SNBEP_UBOX, SNBEP_NR_TYPES
};

/* Extended select in a perf event code */
#define SNBEP_SEL_EXT	BIT(8)

/* An event of the guide's tables, or of another list */
struct snbep_event_desc {
	const char *name;
	u16 sel;	/* event select */
	u8 counters;	/* bit n set if counter n can count it */
	u16 takes;	/* SNBEP_F_*: filters that every unit mask takes */
	u16 first;	/* its first unit mask; the others follow */
};

/* A unit mask, or the only form of an event */
struct snbep_umask_desc {
	u8 event;	/* index of its event */
	u8 plain;	/* the event has no unit masks */
	u8 umask;
	u16 needs;	/* SNBEP_F_*: filters without which it counts nothing */
};

/* A code that people try, and whose event is elsewhere */
struct snbep_elsewhere {
	u16 sel;
	const char *where;
};

/* A file of a PMU's events/ directory */
struct snbep_alias {
	struct device_attribute attr;
	s16 row;	/* unit mask that it stands for, or -1 */
	bool own;	/* not there under intel_uncore's names */
	const char *text;	/* what it holds if @row is -1 */
};

/* The events of one box type */
struct snbep_events {
	const struct snbep_event_desc *events;
	const struct snbep_umask_desc *umasks;	/* in the order of @events */
	const struct snbep_elsewhere *elsewhere;
	u16 nr_events;
	u16 nr_umasks;
	u16 nr_elsewhere;
	struct attribute_group aliases;
};

extern const struct snbep_events snbep_cbox_table, snbep_ha_table,
	snbep_imc_table, snbep_pcu_table, snbep_qpi_table, snbep_r2pcie_table,
	snbep_r3qpi_table, snbep_ubox_table;

#endif /* SNBEP_EVENT_TABLES_H */
