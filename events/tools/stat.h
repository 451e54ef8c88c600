/* SPDX-License-Identifier: GPL-2.0-only */
/* uncorestat's tables: box types, events and metrics of a processor generation */
#ifndef EVENTS_STAT_H
#define EVENTS_STAT_H

#include "metrics.h"

#define MAX_STAT_EVENTS		512
#define MAX_STAT_METRICS	256

/**
 * struct event - an event of a metric
 * @type:	index of its box type
 * @name:	for messages
 * @encoding:	"event=0x04,umask=0x03"
 * @counters:	mask of counters that support it, 0 for a fixed counter
 * @filters:	filter settings, each followed by a comma; events with different
 *		values for a filter cannot be counted together
 */
struct event {
	unsigned int type;
	const char *name;
	const char *encoding;
	unsigned int counters;
	const char *filters;
};

enum metric_kind {
	METRIC_AMOUNT,	/* accumulates; shown per second, or as a total */
	METRIC_RATIO,	/* 0 to 1 */
	METRIC_LEVEL,	/* an average */
};

/**
 * struct metric - a metric
 * @name:	argument of -m
 * @kind:	METRIC_*
 * @unit:	"bytes" of an amount; "GT/s" or "" of a level
 * @box:	box type of all its events, or -1
 * @expr:	equation, where {N} is event N
 * @text:	equation with event names
 * @guide:	place in the guide, or NULL
 * @desc:	description
 * @note:	difference from the guide or the first generation, or NULL
 * @high:	meaning of a high value, or NULL
 * @lacks:	why this generation does not have it, or NULL
 * @own:	defined by the user
 * @most:	what it cannot exceed, an amount in each box; or 0
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
	bool own;
	double most;
};

/* struct group - an argument of -g */
struct group {
	const char *name;
	const char *per;
	const char *desc;
};

/**
 * struct column - a metric in a group
 * @group:	name of the group
 * @name:	name of the metric
 * @title:	first line of the heading, which adjacent columns may share
 * @heading:	second line
 * @decimals:	digits after the decimal point
 * @divisor:	divisor of the printed value
 * @metric:	index of the metric, for use by uncorestat
 * @gens:	generations on which the group has it
 */
struct column {
	const char *group;
	const char *name;
	const char *title;
	const char *heading;
	int decimals;
	double divisor;
	unsigned int metric;
	unsigned int gens;
};

/**
 * struct generation - a processor generation
 * @bit:	V1 to V4
 * @model:	model number in family 6
 * @name:	"Xeon E5-2600 v3 (Haswell-EP)"
 * @drivers:	drivers that support it
 * @proof:	how the counts were verified
 * @rates:	highest rates of a memory channel and a QPI link
 */
struct generation {
	unsigned int bit;
	unsigned int model;
	const char *name;
	const char *drivers;
	const char *proof;
	const char *rates;
};

extern const struct generation generations[];
extern const unsigned int nr_generations;
extern const struct group groups[];
extern const unsigned int nr_groups;
extern const struct column columns[];
extern const unsigned int nr_columns;

/* Tables of a generation */
extern const struct generation *generation;
extern const struct box *box_types;
extern unsigned int nr_box_types;
extern struct event events[MAX_STAT_EVENTS];
extern unsigned int nr_events;
extern struct metric metrics[MAX_STAT_METRICS];
extern unsigned int nr_metrics;

/**
 * metric_define - add a metric
 * @name:	its name, of @len characters, which may end in a unit in brackets
 * @expr:	as in STAT(); names of metrics and [box:event=N,...] are taken, too. Exits if it has
 *		an event that is not in the tables.
 */
const struct metric *metric_define(const char *name, int len, const char *expr);

/* Add the metric freq_NNNN, the time at or above NNNN MHz. Returns NULL if it cannot be had. */
const struct metric *metric_freq(const char *name);

/* Return the PCI device IDs of a box type, "" without any. */
const char *box_pci(const char *box);

/* Return the index of a box type, or -1. */
int box_index(const char *name);

/* Return what another processor's box of this name is here, or NULL. */
const char *box_other(const char *box);

/* Return a known fault of intel_uncore with an event that @has some fields, or NULL. */
const char *box_fault(const char *box, bool (*has)(const void *data, const char *field),
		      const void *data);

/* Fill the tables; exits if the .def files do not fit together. */
void stat_init(const struct generation *g);

#endif
