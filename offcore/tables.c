// SPDX-License-Identifier: GPL-2.0-only
/* The tables of events/offcore_*.def, as data of the module */
#include "offcore.h"

#define OFFCORE_FILE(file, fn)						\
	.attr = { .attr = { .name = #file, .mode = 0444 }, .show = fn }

#define OFFCORE_FIELD(name, k, n, desc)					\
	{ OFFCORE_FILE(name, offcore_format_show),			\
	  .kind = OFFCORE_KIND_ ## k, .word = 0, .bit = n,		\
	  .rsp = BIT_ULL(n) },

#define OFFCORE_SET(name, k, n, bits, desc)				\
	{ OFFCORE_FILE(name, offcore_format_show),			\
	  .kind = OFFCORE_KIND_ ## k, .word = 1, .bit = n, .rsp = bits },

#define OFFCORE_ALIAS(name, text, desc)					\
	{ OFFCORE_FILE(name, offcore_alias_show), .terms = text },

static struct offcore_field offcore_nehalem_fields[] = {
#define FIELD(...)	OFFCORE_FIELD(__VA_ARGS__)
#define SET(...)	OFFCORE_SET(__VA_ARGS__)
#include "events/offcore_nehalem.def"
};

static struct offcore_alias offcore_nehalem_aliases[] = {
#define ALIAS(...)	OFFCORE_ALIAS(__VA_ARGS__)
#include "events/offcore_nehalem.def"
};

static struct offcore_field offcore_sandybridge_fields[] = {
#define FIELD(...)	OFFCORE_FIELD(__VA_ARGS__)
#define SET(...)	OFFCORE_SET(__VA_ARGS__)
#include "events/offcore_sandybridge.def"
};

static struct offcore_alias offcore_sandybridge_aliases[] = {
#define ALIAS(...)	OFFCORE_ALIAS(__VA_ARGS__)
#include "events/offcore_sandybridge.def"
};

static struct offcore_field offcore_sandybridge_ep_fields[] = {
#define FIELD(...)	OFFCORE_FIELD(__VA_ARGS__)
#define SET(...)	OFFCORE_SET(__VA_ARGS__)
#define EP_SET(...)	OFFCORE_SET(__VA_ARGS__)
#include "events/offcore_sandybridge.def"
};

static struct offcore_alias offcore_sandybridge_ep_aliases[] = {
#define ALIAS(...)	OFFCORE_ALIAS(__VA_ARGS__)
#define EP_ALIAS(...)	OFFCORE_ALIAS(__VA_ARGS__)
#include "events/offcore_sandybridge.def"
};

#define OFFCORE_TABLES(t)						\
	.fields = t ## _fields, .nr_fields = ARRAY_SIZE(t ## _fields),	\
	.aliases = t ## _aliases, .nr_aliases = ARRAY_SIZE(t ## _aliases)

/* Nehalem has one register (18.8.1.3), the others have two (18.8.3, 18.9.5). */
const struct offcore_model offcore_nehalem = {
	.name = "Nehalem", .nr_regs = 1, .shared = true, .probe = 0x0101,
	OFFCORE_TABLES(offcore_nehalem),
};

const struct offcore_model offcore_westmere = {
	.name = "Westmere", .nr_regs = 2, .shared = true, .probe = 0x0101,
	OFFCORE_TABLES(offcore_nehalem),
};

const struct offcore_model offcore_sandybridge = {
	.name = "Sandy Bridge", .nr_regs = 2, .probe = 0x10001,
	OFFCORE_TABLES(offcore_sandybridge),
};

const struct offcore_model offcore_sandybridge_ep = {
	.name = "Sandy Bridge-EP", .nr_regs = 2, .probe = 0x10001,
	.whole = GENMASK_ULL(30, 23),
	OFFCORE_TABLES(offcore_sandybridge_ep),
};
