/* SPDX-License-Identifier: GPL-2.0-only */
/* Event tables of box type BOX; included once per type, hence no guard. */
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

/*
 * Index of each unit mask (row_), and of each event's first one (first_). An
 * EVENT has no entry of its own, so back_ undoes the increment of first_.
 */
enum {
#define EVENT(name, ...)						\
	BOX_ID(first, name),						\
	BOX_ID(back, name) = (int)BOX_ID(first, name) - 1,
#define EVENT_PLAIN(name, ...)						\
	BOX_ID(row, name), BOX_ID(first, name) = BOX_ID(row, name),
#define UMASK(event, name, ...)		BOX_ID(row, event ## _ ## name),
#define FIXED(name, ...)						\
	BOX_ID(row, name), BOX_ID(first, name) = BOX_ID(row, name),
#include BOX_DEF
};

static const struct snbep_event_desc BOX_ID(table, events)[] = {
#define EVENT(name, sel, counters, max_inc, takes, desc)		\
	{ #name, sel, counters, takes, BOX_ID(first, name) },
#define EVENT_PLAIN(name, sel, counters, max_inc, takes, needs, desc)	\
	{ #name, sel, counters, takes, BOX_ID(first, name) },
#define FIXED(name, sel, desc)						\
	{ #name, sel, BIT(SNBEP_FIXED_CTR), 0, BOX_ID(first, name) },
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

static const struct snbep_elsewhere BOX_ID(table, elsewhere)[] = {
#define ELSEWHERE(sel, where)						\
	{ sel, where },
#include BOX_DEF
};

/* Cast away const for struct attribute_group; sysfs does not write. */
#define BOX_ALIAS_(file, r, t, o)					\
	(struct attribute *)&((const struct snbep_alias[]){ {		\
		.attr = { .attr = { .name = file, .mode = 0444 },	\
			  .show = snbep_alias_show },			\
		.row = r, .text = t, .own = o,				\
	} })[0].attr.attr,
#define BOX_ALIAS(file, r, t)		BOX_ALIAS_(file, r, t, false)

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
#define OWN_SCALE(alias, scale, unit)					\
	BOX_ALIAS_(#alias ".scale", -1, scale, true)
#include BOX_DEF
#define SCALE(alias, scale, unit)					\
	BOX_ALIAS(#alias ".unit", -1, unit)
#define OWN_SCALE(alias, scale, unit)					\
	BOX_ALIAS_(#alias ".unit", -1, unit, true)
#include BOX_DEF
	NULL
};

#define BOX_TABLE_(box)			snbep_ ## box ## _table
#define BOX_TABLE(box)			BOX_TABLE_(box)
const struct snbep_events BOX_TABLE(BOX) = {
	.events = BOX_ID(table, events),
	.umasks = BOX_ID(table, umasks),
	.unlisted = BOX_ID(table, unlisted),
	.elsewhere = BOX_ID(table, elsewhere),
	.nr_events = ARRAY_SIZE(BOX_ID(table, events)),
	.nr_umasks = ARRAY_SIZE(BOX_ID(table, umasks)),
	.nr_unlisted = ARRAY_SIZE(BOX_ID(table, unlisted)),
	.nr_elsewhere = ARRAY_SIZE(BOX_ID(table, elsewhere)),
	.aliases = {
		.name = "events",
		.attrs = BOX_ID(table, aliases),
		.is_visible = snbep_alias_visible,
	},
};

#undef BOX_ALIAS_
#undef BOX_ALIAS
#undef BOX
