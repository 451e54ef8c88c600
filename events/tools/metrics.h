/* SPDX-License-Identifier: GPL-2.0-only */
/* events/snbep_metrics.def as an array */
#ifndef EVENTS_METRICS_H
#define EVENTS_METRICS_H

#include "table.h"

enum guide_kind {
	METRIC_EXPR,
	METRIC_NOTE_TEXT,
	METRIC_NOT_OFFERED,
};

/**
 * struct guide_metric - one line of snbep_metrics.def
 * @kind:	its macro
 * @box:	name of the box type
 * @guide:	name in the guide's table
 * @name:	name that perf shows
 * @scale:	perf's ScaleUnit, "" for none
 * @expr:	with events in brackets
 * @text:	description, note or reason
 */
struct guide_metric {
	enum guide_kind kind;
	const char *box;
	const char *guide;
	const char *name;
	const char *scale;
	const char *expr;
	const char *text;
};

extern const struct guide_metric guide_metrics[];
extern const size_t nr_guide_metrics;

/* Return the box type with a name, or NULL. */
const struct box *box_find(const char *name);

/**
 * event_encoding - return the encoding of an event in brackets
 * Return: an allocated string, or NULL after a message on stderr
 */
char *event_encoding(const struct box *box, const char *event);

/**
 * metric_expr - return the expression in perf's metric grammar
 * @prefix: prefix of PMU names, "snbep_uncore_" or "uncore_"
 * @backslash: escape sequence for a backslash (doubled in JSON)
 * Return: an allocated string, or NULL after a message on stderr
 */
char *metric_expr(const struct guide_metric *m, const char *prefix,
		  const char *backslash);

#endif
