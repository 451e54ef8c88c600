/* SPDX-License-Identifier: GPL-2.0-only */
/* What uncorestat knows: made from events/ by "gen stat", at build time */
#ifndef UNCORESTAT_TABLE_H
#define UNCORESTAT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

/**
 * struct box_type - a kind of box
 * @name:	as in the PMU's name
 * @title:	as the guide calls it
 * @counters:	mask of its general counters
 * @instances:	boxes of this kind in a socket with all its cores
 * @spread:	some of them can stand for all: addresses are hashed over them
 */
struct box_type {
	const char *name;
	const char *title;
	unsigned int counters;
	unsigned int instances;
	bool spread;
};

/**
 * struct event - an event that some metric uses
 * @type:	index of its box type
 * @name:	for messages
 * @encoding:	in the terms of the PMU's format/: "event=0x04,umask=0x03"
 * @counters:	mask of the counters that may count it, 0 if it has its own
 * @filters:	settings of the box's filter registers, each with a comma
 *		after it; two events with other values for one cannot count at
 *		a time
 * @alias:	if it has its own counter, its name in events/ where the driver
 *		has it; "" if every driver does
 */
struct event {
	unsigned int type;
	const char *name;
	const char *encoding;
	unsigned int counters;
	const char *filters;
	const char *alias;
};

enum metric_kind {
	METRIC_AMOUNT,	/* counted up; shown per second, or in all */
	METRIC_RATIO,	/* 0 to 1 */
	METRIC_LEVEL,	/* an average */
};

/**
 * struct metric - a number that uncorestat can show
 * @name:	as in -m
 * @kind:	what sort of a number
 * @unit:	of an amount: "bytes"; of a level: "GT/s" or ""
 * @box:	type of all its events, or -1
 * @expr:	the equation; {N} is event N
 * @text:	the equation with events by their names
 * @guide:	where the guide has it, or NULL
 * @desc:	description
 * @note:	where it differs from the guide, or the first generation, and why; or NULL
 * @high:	what a high value says, or NULL
 * @lacks:	why this generation cannot have it, or NULL
 */
struct metric {
	const char *name;
	enum metric_kind kind;
	const char *unit;
	int box;
	const char *expr;
	const char *text;
	const char *guide;
	const char *desc;
	const char *note;
	const char *high;
	const char *lacks;
};

/* struct left_out - a metric of the guide that cannot be had */
struct left_out {
	const char *box;
	const char *guide;
	const char *reason;
};

/**
 * struct guide_row - an event of the first generation's guide with one of its unit masks
 * @type:	index of its box type
 * @event:	name
 * @umask_name:	"" if the event has none
 * @sel:	code, with the extended select in bit 8
 * @umask:	bits 15:8 of the control register
 * @needs:	filters without which it counts nothing, each with a comma after it
 * @takes:	filters that it may have
 */
struct guide_row {
	unsigned int type;
	const char *event;
	const char *umask_name;
	unsigned int sel;
	unsigned int umask;
	const char *needs;
	const char *takes;
};

/* struct group - what -g shows */
struct group {
	const char *name;
	const char *per;
	const char *desc;
};

/**
 * struct column - a metric in a group
 * @group:	index
 * @metric:	index
 * @title:	first line of the heading, which neighbours may share
 * @heading:	second line
 * @decimals:	digits after the point
 * @divisor:	what is printed is the value divided by this
 */
struct column {
	unsigned int group;
	unsigned int metric;
	const char *title;
	const char *heading;
	int decimals;
	double divisor;
};

/**
 * struct generation - a processor, and what is known of it
 * @model:	of family 6
 * @name:	"Xeon E5-2600 v3 (Haswell-EP)"
 * @drivers:	that have its PMUs
 * @proof:	what has confirmed the counts
 */
struct generation {
	unsigned int model;
	const char *name;
	const char *drivers;
	const char *proof;
	const struct box_type *box_types;
	unsigned int nr_box_types;
	const struct event *events;
	unsigned int nr_events;
	const struct metric *metrics;
	unsigned int nr_metrics;
	const struct column *columns;
	unsigned int nr_columns;
};

extern const struct generation generations[];
extern const unsigned int nr_generations;
extern const struct left_out left_outs[];
extern const unsigned int nr_left_outs;
extern const struct guide_row guide_rows[];
extern const unsigned int nr_guide_rows;
extern const struct group groups[];
extern const unsigned int nr_groups;

/* That of this machine, or else the first; see machine_generation() */
extern const struct generation *generation;
extern const struct box_type *box_types;
extern const struct event *events;
extern const struct metric *metrics;

#endif
