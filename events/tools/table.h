/* SPDX-License-Identifier: GPL-2.0-only */
/* events/snbep_*.def as arrays of rows */
#ifndef EVENTS_TABLE_H
#define EVENTS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "../snbep_events.h"

enum row_kind {
	ROW_EVENT,	/* event with unit masks; no alias */
	ROW_PLAIN,	/* event without unit masks */
	ROW_UMASK,
	ROW_FIXED,
	ROW_ALIAS,
	ROW_SCALE,
};

/**
 * struct row - one line of a .def file
 * @kind:	its macro; members that the macro lacks are 0
 * @event:	name of the event, fixed counter or alias
 * @umask_name:	name of the unit mask
 * @sel:	ev_sel in bits 7:0, extended select in bit 8
 * @umask:	control register bits 15:8
 * @counters:	mask of counters; 0 for an ALIAS: those of its event
 * @max_inc:	largest increment per cycle; 0: unknown
 * @takes:	SNBEP_F_* of optional filters
 * @needs:	SNBEP_F_* of required filters
 * @encoding:	text of an ALIAS
 * @scale:	contents of .scale
 * @unit:	contents of .unit
 * @desc:	description
 */
struct row {
	enum row_kind kind;
	const char *event;
	const char *umask_name;
	unsigned int sel;
	unsigned int umask;
	unsigned int counters;
	unsigned int max_inc;
	unsigned int takes;
	unsigned int needs;
	const char *encoding;
	const char *scale;
	const char *unit;
	const char *desc;
};

/**
 * struct box - a box type
 * @name:	suffix of the PMU's name
 * @title:	name in the guide
 * @chapter:	section of the guide
 * @counters:	mask of general counters
 * @width:	counter width in bits
 * @instances:	boxes per socket
 * @rows:	lines of its .def
 * @nr_rows:	number of @rows
 * @spread:	the hardware hashes addresses over the boxes of this type, so counts of
 *		some boxes can be extrapolated to all
 */
struct box {
	const char *name;
	const char *title;
	const char *chapter;
	unsigned int counters;
	unsigned int width;
	unsigned int instances;
	const struct row *rows;
	size_t nr_rows;
	bool spread;
};

extern const struct box boxes[];
extern const size_t nr_boxes;

/* Iterate over all rows of all boxes. */
#define for_each_row(box, row) \
	for ((box) = boxes; (box) < boxes + nr_boxes; (box)++) \
		for ((row) = (box)->rows; \
		     (row) < (box)->rows + (box)->nr_rows; (row)++)

/* Print a message of the tables' fault, and exit. */
__attribute__((format(printf, 1, 2), noreturn)) void fail(const char *fmt, ...);

/* Return formatted text, which nobody frees: the tables are made once. */
__attribute__((format(printf, 1, 2))) char *format(const char *fmt, ...);

#define ALIAS_NAME_MAX	64

/* Return the EVENT row of a UMASK row, or @row itself. */
const struct row *row_event(const struct row *row);

/* Return the alias of a row in a static buffer, or NULL. */
const char *row_alias(const struct row *row);

/* Return the encoding of a row's alias. */
const char *row_encoding(const struct box *box, const struct row *row);

#define FIXED_COUNTER	0x80000000u

/* Return the mask of a row's counters, FIXED_COUNTER, or 0 if it encodes no event. */
unsigned int row_mask(const struct box *box, const struct row *row);

/* Return the counters of a row as "0-3", "0" or "fixed". */
const char *row_counters(const struct box *box, const struct row *row);

/* Return the format field of an SNBEP_F_* bit, or NULL if it is not a filter. */
const char *filter_name(unsigned int flag);

/* Return the row of an alias, or NULL. */
const struct row *box_find_alias(const struct box *box, const char *alias);

/* Return the SCALE row of an alias, or NULL. */
const struct row *box_scale(const struct box *box, const char *alias);

/* Return where an encoding has the field of "field" or "field=value", or NULL. */
const char *encoding_field(const char *encoding, const char *field);

/**
 * encoding_value - get the value of a field in an encoding
 * Return: false if the field is missing or has no number
 */
bool encoding_value(const char *encoding, const char *field, unsigned long long *value);

#endif
