/* SPDX-License-Identifier: GPL-2.0-only */
/* The numbers of one interval, or of a whole run, as all outputs take them */
#ifndef UNCORESTAT_REPORT_H
#define UNCORESTAT_REPORT_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "value.h"

enum per { PER_SYSTEM, PER_SOCKET, PER_BOX };

/**
 * struct view - what the user wants to see
 * @columns:	in order
 * @scopes:	a line for each
 */
struct view {
	enum per per;
	const struct column *columns;
	unsigned int nr_columns;
	struct scope *scopes;
	unsigned int nr_scopes;
	const struct machine *machine;
};

/**
 * struct report - numbers for a view
 * @view:	the lines and columns
 * @mode:	rates of an interval, or totals
 * @time:	of day, at its end
 * @seconds:	that it took
 * @values:	line after line
 * @notes:	what has to be said about it, one a line
 */
struct report {
	const struct view *view;
	enum span mode;
	struct timespec time;
	double seconds;
	struct value *values;
	char **notes;
	unsigned int nr_notes;
};

/**
 * view_scopes - fill in the lines of a view
 */
void view_scopes(struct view *v, const struct machine *m);

/**
 * report_applies - is a column about a line's boxes?
 */
static inline bool report_applies(const struct view *v, unsigned int line, unsigned int column)
{
	const struct pmu *pmu = v->scopes[line].pmu;

	return !pmu || metrics[v->columns[column].metric].box == (int)pmu->type;
}

/**
 * scope_label - "S0", "S1 imc_0", "all"
 * @buf:	room for 32 bytes
 */
const char *scope_label(const struct view *v, const struct scope *s, char *buf);

/**
 * report_make - evaluate all
 * @seconds:	that the interval, or the run, took
 */
void report_make(struct report *r, const struct view *v, const struct counting *c, enum span mode,
		 double seconds);

/**
 * report_note - add a remark, unless it is there
 */
__attribute__((format(printf, 2, 3)))
void report_note(struct report *r, const char *fmt, ...);

/**
 * report_free - give the memory back
 */
void report_free(struct report *r);

/**
 * report_value - a cell
 */
static inline const struct value *report_value(const struct report *r, unsigned int line,
					       unsigned int column)
{
	return &r->values[line * r->view->nr_columns + column];
}

/**
 * value_key - stable name of a metric with its unit, for programs
 * @ratio:	unit of a ratio
 * @buf:	room for 96 bytes
 */
const char *value_key(const struct metric *m, const char *ratio, enum span mode, char *buf);

/**
 * report_time - time of day as "2026-11-21T20:00:00.123Z"
 * @buf:	room for 40 bytes
 */
const char *report_time(const struct report *r, char *buf);

/* Outputs: each prints one report */
struct table;
struct table *table_new(bool repeat_header);
void table_print(struct table *t, const struct report *r, FILE *out);
void csv_print(const struct report *r, FILE *out, bool header);
void json_print(const struct report *r, FILE *out);

/**
 * openmetrics_write - amounts since the start and the rest of the last interval, in a new file
 * under the old name
 * @rates:	of the last interval
 * @totals:	of the run until now
 */
void openmetrics_write(const char *path, const struct report *rates, const struct report *totals);

/* A plot: give it each report, then have it written. svg_new() dies if the file cannot be. */
struct svg;
struct svg *svg_new(const struct view *v, const char *path);
void svg_add(struct svg *s, const struct report *r);
void svg_write(const struct svg *s);

/**
 * list_print - every group and metric, with equation, unit and where the guide has it
 */
void list_print(void);

#endif
