/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tables of box type BOX with the format fields FIELDS(), see types.c; included
 * once per type, hence no guard.
 */
#define BOX_DEF_(box)			__stringify(events/snbep_ ## box.def)
#define BOX_DEF__(box)			BOX_DEF_(box)
#define BOX_DEF				BOX_DEF__(BOX)
#define BOX_ID__(box, kind, name)	box ## _ ## kind ## _ ## name
#define BOX_ID_(box, kind, name)	BOX_ID__(box, kind, name)
#define BOX_ID(kind, name)		BOX_ID_(BOX, kind, name)

/* Index of each event */
enum {
#define EVENT(name, ...)		BOX_ID(id, name),
#define EVENT_PLAIN(name, ...)		BOX_ID(id, name),
#define FIXED(name, ...)		BOX_ID(id, name),
#include BOX_DEF
};

/* Index of each unit mask */
enum {
#define EVENT_PLAIN(name, ...)		BOX_ID(row, name),
#define UMASK(event, name, ...)		BOX_ID(row, event ## _ ## name),
#define FIXED(name, ...)		BOX_ID(row, name),
#include BOX_DEF
};

static const struct snbep_event_desc BOX_ID(table, events)[] = {
#define EVENT(name, sel, counters, max_inc, takes, desc)		\
	{ #name, sel, counters, takes },
#define EVENT_PLAIN(name, sel, counters, max_inc, takes, needs, desc)	\
	{ #name, sel, counters, takes },
#define FIXED(name, sel, desc)						\
	{ #name, sel, BIT(SNBEP_FIXED_CTR), 0 },
#include BOX_DEF
};

static const struct snbep_umask_desc BOX_ID(table, umasks)[] = {
#define EVENT_PLAIN(name, sel, counters, max_inc, takes, needs, desc)	\
	{ BOX_ID(id, name), 1, 0, needs },
#define UMASK(event, name, umask, needs, desc)				\
	{ BOX_ID(id, event), 0, umask, needs },
#define FIXED(name, sel, desc)						\
	{ BOX_ID(id, name), 1, 0, 0 },
#include BOX_DEF
};

static const struct snbep_unlisted_desc BOX_ID(table, unlisted)[] = {
#define UNLISTED(first, last, counters)					\
	{ first, last, counters },
#include BOX_DEF
};

/* Cast away const for struct attribute_group; sysfs does not write. */
#define FORMAT(n, w, m)							\
	(struct attribute *)&((const struct snbep_format[]){ {		\
		.attr = __ATTR(n, 0444, snbep_format_show, NULL),	\
		.config = w, .mask = m,					\
	} })[0].attr.attr,

static struct attribute *BOX_ID(table, formats)[] = {
	FIELDS(FORMAT, FORMAT)
	NULL
};

#define BOX_ALIAS(file, r, t)						\
	(struct attribute *)&((const struct snbep_alias[]){ {		\
		.attr = { .attr = { .name = file, .mode = 0444 },	\
			  .show = snbep_alias_show },			\
		.row = r, .text = t,					\
	} })[0].attr.attr,

static struct attribute *BOX_ID(table, aliases)[] = {
#define EVENT_PLAIN(name, ...)						\
	BOX_ALIAS(#name, BOX_ID(row, name), NULL)
#define UMASK(event, name, ...)						\
	BOX_ALIAS(#event "_" #name, BOX_ID(row, event ## _ ## name), NULL)
#define FIXED(name, ...)						\
	BOX_ALIAS(#name, BOX_ID(row, name), NULL)
#define ALIAS(name, encoding, desc)					\
	BOX_ALIAS(#name, -1, encoding)
#define SCALE(alias, scale, unit)					\
	BOX_ALIAS(#alias ".scale", -1, scale)
#include BOX_DEF
#define SCALE(alias, scale, unit)					\
	BOX_ALIAS(#alias ".unit", -1, unit)
#include BOX_DEF
	NULL
};

static const struct attribute_group *BOX_ID(table, groups)[] = {
	&(const struct attribute_group){
		.name = "format",
		.attrs = BOX_ID(table, formats),
	},
	&(const struct attribute_group){
		.name = "events",
		.attrs = BOX_ID(table, aliases),
		.is_visible = snbep_alias_visible,
	},
	&snbep_cpumask_group,
	NULL
};

#define KNOWN0(n, w, m)	| ((w) == 0 ? (m) : 0)
#define KNOWN1(n, w, m)	| ((w) == 1 ? (m) : 0)
#define KNOWN2(n, w, m)	| ((w) == 2 ? (m) : 0)
#define NOTHING(n, w, m)

#define BOX_TABLE_(box)			snbep_ ## box ## _table
#define BOX_TABLE(box)			BOX_TABLE_(box)
static const struct snbep_table BOX_TABLE(BOX) = {
	.name = __stringify(BOX),
	.events = BOX_ID(table, events),
	.umasks = BOX_ID(table, umasks),
	.unlisted = BOX_ID(table, unlisted),
	.nr_events = ARRAY_SIZE(BOX_ID(table, events)),
	.nr_umasks = ARRAY_SIZE(BOX_ID(table, umasks)),
	.nr_unlisted = ARRAY_SIZE(BOX_ID(table, unlisted)),
	.known = {
		0 FIELDS(KNOWN0, NOTHING),
		0 FIELDS(KNOWN1, NOTHING),
		0 FIELDS(KNOWN2, NOTHING),
	},
	.groups = BOX_ID(table, groups),
};

#undef FIELDS
#undef BOX
