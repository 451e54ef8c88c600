// SPDX-License-Identifier: GPL-2.0-only
/*
 * The event tables of events/snbep_*.def, as data of the module. All PMUs of a
 * box type share one set.
 */
#include "snbep/events.h"
#include "snbep/sched.h"
#include "snbep/sysfs.h"

#define BOX	cbox
#define BOX_DEF	"events/snbep_cbox.def"
#include "table.h"
#define BOX	ha
#define BOX_DEF	"events/snbep_ha.def"
#include "table.h"
#define BOX	imc
#define BOX_DEF	"events/snbep_imc.def"
#include "table.h"
#define BOX	pcu
#define BOX_DEF	"events/snbep_pcu.def"
#include "table.h"
#define BOX	qpi
#define BOX_DEF	"events/snbep_qpi.def"
#include "table.h"
#define BOX	r2pcie
#define BOX_DEF	"events/snbep_r2pcie.def"
#include "table.h"
#define BOX	r3qpi
#define BOX_DEF	"events/snbep_r3qpi.def"
#include "table.h"
#define BOX	ubox
#define BOX_DEF	"events/snbep_ubox.def"
#include "table.h"

#define SNBEP_EVENTS(box) {						\
	.events = box ## _table_events,					\
	.umasks = box ## _table_umasks,					\
	.elsewhere = box ## _table_elsewhere,				\
	.nr_events = ARRAY_SIZE(box ## _table_events),			\
	.nr_umasks = ARRAY_SIZE(box ## _table_umasks),			\
	.nr_elsewhere = ARRAY_SIZE(box ## _table_elsewhere),		\
	.aliases = {							\
		.name = "events",					\
		.attrs = box ## _table_aliases,				\
		.is_visible = snbep_alias_visible,			\
	},								\
}

const struct snbep_events snbep_events[SNBEP_NR_TYPES] = {
	[SNBEP_CBOX] = SNBEP_EVENTS(cbox),
	[SNBEP_HA] = SNBEP_EVENTS(ha),
	[SNBEP_IMC] = SNBEP_EVENTS(imc),
	[SNBEP_PCU] = SNBEP_EVENTS(pcu),
	[SNBEP_QPI] = SNBEP_EVENTS(qpi),
	[SNBEP_R2PCIE] = SNBEP_EVENTS(r2pcie),
	[SNBEP_R3QPI] = SNBEP_EVENTS(r3qpi),
	[SNBEP_UBOX] = SNBEP_EVENTS(ubox),
};
