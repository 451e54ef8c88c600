/* SPDX-License-Identifier: GPL-2.0-only */
/* events/snbep_metrics.def as an array, for host programs */
#ifndef EVENTS_METRICS_H
#define EVENTS_METRICS_H

#include "table.h"

enum metric_kind {
	METRIC_EXPR,
	METRIC_NOTE_TEXT,
	METRIC_NOT_OFFERED,
};

/**
 * struct metric - one line of snbep_metrics.def
 * @kind:	which macro it stands in
 * @box:	name of the box type
 * @guide:	name in the guide's table
 * @name:	name that perf shows
 * @scale:	perf's ScaleUnit, "" for none
 * @expr:	with events in brackets
 * @text:	description, note or reason
 */
struct metric {
	enum metric_kind kind;
	const char *box;
	const char *guide;
	const char *name;
	const char *scale;
	const char *expr;
	const char *text;
};

extern const struct metric metrics[];
extern const size_t nr_metrics;

/**
 * box_find - the box type of a name, or NULL
 */
const struct box *box_find(const char *name);

/**
 * event_encoding - what the text in a bracket of an expression stands for
 * Return: a string to be freed, or NULL after a message on stderr.
 */
char *event_encoding(const struct box *box, const char *event);

/**
 * metric_expr - the expression with each bracket replaced by perf's event
 * @prefix: of the PMU's name: "snbep_uncore_" or "uncore_"
 * @backslash: what stands for a backslash (doubled in JSON)
 * Return: a string to be freed, or NULL after a message on stderr.
 */
char *metric_expr(const struct metric *m, const char *prefix,
		  const char *backslash);

#endif
