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

/* Return the box type with a name; exits if there is none. */
const struct box *box_find(const char *name);

/* Return the encoding of an event in brackets; exits if there is none. */
const char *event_encoding(const struct box *box, const char *event);

/* Return the expression in perf's metric grammar. */
const char *metric_expr(const struct guide_metric *m);

#endif
