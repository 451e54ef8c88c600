/* SPDX-License-Identifier: GPL-2.0-only */
/* The tables of events/snbep_*.def as one array per box, for host programs */
#ifndef EVENTS_TABLE_H
#define EVENTS_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "../snbep_events.h"

enum row_kind {
	ROW_EVENT,	/* an event with unit masks: no alias itself */
	ROW_PLAIN,	/* an event without */
	ROW_UMASK,
	ROW_FIXED,
	ROW_ALIAS,
	ROW_SCALE,
};

/**
 * struct row - one line of a .def file
 * @kind:	which macro it stands in; the fields that it lacks are 0
 * @event:	name of the event, fixed counter, alias or, of a SCALE, alias
 * @umask_name:	name of the unit mask
 * @sel:	ev_sel in bits 7:0, extended select in bit 8
 * @umask:	control register bits 15:8
 * @counters:	bit n set: may count on counter n; 0 of an ALIAS: those of its event
 * @max_inc:	largest increment per cycle, 0 if the guide gives none
 * @takes:	SNBEP_F_* that may be given
 * @needs:	SNBEP_F_* that must be given
 * @encoding:	text of an ALIAS
 * @scale:	of a SCALE
 * @unit:	of a SCALE
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
 * @name:	as in the PMU's name
 * @title:	as the guide calls it
 * @chapter:	the guide's section on its events
 * @counters:	mask of its general counters
 * @width:	of these counters, in bits
 * @instances:	boxes per socket
 * @formats:	fields of format/, each "name:bits " with its width; NULL if not known
 * @rows:	lines of its .def
 * @nr_rows:	number of them
 */
struct box {
	const char *name;
	const char *title;
	const char *chapter;
	unsigned int counters;
	unsigned int width;
	unsigned int instances;
	const char *formats;
	const struct row *rows;
	size_t nr_rows;
};

extern const struct box boxes[];
extern const size_t nr_boxes;

/* Every row of every box */
#define for_each_row(box, row) \
	for ((box) = boxes; (box) < boxes + nr_boxes; (box)++) \
		for ((row) = (box)->rows; \
		     (row) < (box)->rows + (box)->nr_rows; (row)++)

/* Longest alias name and encoding, terminating zero included */
#define ALIAS_NAME_MAX	64
#define ENCODING_MAX	160

/**
 * row_event - the EVENT that a UMASK row belongs to, or the row itself
 */
const struct row *row_event(const struct box *box, const struct row *row);

/**
 * row_is_listed - whether the guide lacks it, and another list has it
 */
bool row_is_listed(const struct box *box, const struct row *row);

/**
 * row_alias - name of the alias that a row makes, in a static buffer
 * Return: NULL if the row makes none.
 */
const char *row_alias(const struct row *row);

/**
 * row_encoding - what the alias stands for, in a static buffer
 */
const char *row_encoding(const struct box *box, const struct row *row);

/**
 * row_counters - names of its counters as "0-3", "0" or "fixed"
 */
const char *row_counters(const struct box *box, const struct row *row);

/**
 * filter_name - format field (or group of fields) of a single SNBEP_F_* bit
 * Return: NULL if the bit is no filter.
 */
const char *filter_name(unsigned int flag);

/**
 * box_find_alias - the row that makes an alias
 */
const struct row *box_find_alias(const struct box *box, const char *alias);

/**
 * box_scale - the SCALE row of an alias, or NULL
 */
const struct row *box_scale(const struct box *box, const char *alias);

/**
 * encoding_check - does each field of an encoding exist and hold its value?
 * Return: NULL, or what is wrong with it in a static buffer.
 */
const char *encoding_check(const struct box *box, const char *encoding);

/**
 * encoding_value - the value of a field in an encoding
 * Return: false if the field is not in it or has no number.
 */
bool encoding_value(const char *encoding, const char *field,
		    unsigned long long *value);

#endif
