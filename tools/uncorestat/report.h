/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of an interval or of a whole run, as input for all outputs */
#ifndef UNCORESTAT_REPORT_H
#define UNCORESTAT_REPORT_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "value.h"

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_LIVE };

/* What has a line, together */
enum per { PER_SYSTEM = 1, PER_SOCKET = 2, PER_BOX = 4, PER_RESCTRL = 8 };

/* Lines that --live draws as a picture, if they are of the default group */
#define PICTURE_PER	(PER_SOCKET | PER_BOX)

/**
 * struct view - lines and columns to show
 * @columns:	columns from left to right
 * @scopes:	scope of each line
 * @nr_pmus:	PMUs of @machine that are considered
 */
struct view {
	unsigned int per;
	const struct column *columns;
	unsigned int nr_columns;
	struct scope *scopes;
	unsigned int nr_scopes;
	const struct machine *machine;
	unsigned int nr_pmus;
};

enum span {
	MODE_RATE,	/* an interval, amounts per second */
	MODE_TOTAL,	/* since the start */
};

/**
 * struct report - values of a view
 * @view:	the lines and columns
 * @mode:	rates of an interval, or totals
 * @time:	time of day at the end
 * @seconds:	duration
 * @intervals:	number of intervals in totals that have a line
 * @late:	the interval was longer than requested
 * @part:	it ended at once, and is of the totals alone
 * @values:	values, line by line; @nr of them
 * @notes:	remarks, one per line; they have no quotes, backslashes or control characters
 */
struct report {
	const struct view *view;
	enum span mode;
	struct timespec time;
	double seconds;
	unsigned int intervals;
	bool late, part;
	struct value *values;
	unsigned int nr;
	char **notes;
	unsigned int nr_notes;
};

/* Format a number with so many decimals, or with an exponent if it has more than 15 digits. */
void number_text(char *buf, size_t size, int decimals, double number);

/* Round up to 1, 2, 2.5 or 5 times a power of ten. */
double round_up(double max);

/* Return the unit of a column's numbers, "MB/s". */
const char *column_unit(const struct column *c);

/* Return whether a column shows events of a box type. */
bool view_counts(const struct view *v, unsigned int type);

/**
 * struct origin - a run
 * @interval:	in seconds
 * @command:	as of struct options
 */
struct origin {
	struct timespec start;
	const char *host;
	char **command;
	double interval;
};

/* Set up the lines of a view. Returns NULL, or why it has none. */
const char *view_scopes(struct view *v, const struct machine *m);

/* Add lines for what the machine has got since; returns whether there is any. */
bool view_more(struct view *v);

/* Return whether a line's group of resctrl is gone. */
static inline bool scope_gone(const struct scope *s)
{
	return s->pmu && s->pmu->group && s->pmu->cpu[s->socket] < 0;
}

/* Return whether a column applies to a line's boxes. */
static inline bool report_applies(const struct view *v, unsigned int line, unsigned int column)
{
	const struct pmu *pmu = v->scopes[line].pmu;

	return !pmu || metrics[v->columns[column].metric].box == (int)pmu->type;
}

/**
 * scope_label - return "S0", "S1 imc_0" or "all"
 * @buf:	buffer of 40 bytes
 */
#define LABEL	40
const char *scope_label(const struct view *v, const struct scope *s, char *buf);

/**
 * report_make - evaluate all values for the last interval
 * @seconds:	its duration
 * @part:	it is of the totals alone
 */
void report_make(struct report *r, const struct view *v, const struct counting *c, double seconds,
		 bool part);

/* Begin a report of values that are not available. */
void report_begin(struct report *r, const struct view *v, enum span mode);

/* Have such values for lines that the view has got since. */
void report_extend(struct report *r);

/* Add an interval to totals; each is a sum of what it divides. */
void report_add(struct report *total, const struct report *r);

/* Add a remark, unless the report has it already. */
__attribute__((format(printf, 2, 3)))
void report_note(struct report *r, const char *fmt, ...);

void report_free(struct report *r);

static inline const struct value *report_value(const struct report *r, unsigned int line,
					       unsigned int column)
{
	return &r->values[line * r->view->nr_columns + column];
}

/**
 * value_key - return a stable name of a metric and its unit, for programs
 * @ratio:	unit of ratios
 * @buf:	buffer of 96 bytes
 */
const char *value_key(const struct metric *m, const char *ratio, enum span mode, char *buf);

/**
 * report_time - return the time of day as "2026-11-21T20:00:00.123Z"
 * @buf:	buffer of 40 bytes
 */
const char *report_time(const struct report *r, char *buf);

/* Outputs: each prints one report */
struct table;
struct table *table_new(bool repeat_header, double interval);
void table_print(struct table *t, const struct report *r, FILE *out);
void csv_print(const struct report *r, FILE *out, bool header);
void json_print(const struct report *r, FILE *out);

/**
 * prometheus_write - replace a file with the metrics
 * @rates:	report of the last interval, or NULL for a file without metrics
 * @totals:	report since the start
 * @keep:	do not remove the file at the end
 */
void prometheus_write(const char *path, const struct report *rates, const struct report *totals,
		      bool keep);

/* Return the same as text, for free(). */
char *prometheus_text(const struct report *rates, const struct report *totals);

/* Get the name of a metric for Prometheus. Returns the divisor for its unit. */
#define PROMETHEUS_NAME	128
double prometheus_name(const struct metric *m, char name[PROMETHEUS_NAME]);

/* Statistics of all intervals, printed at the end with the means of the totals */
struct summary;
struct summary *summary_new(const struct view *v);
void summary_add(struct summary *s, const struct report *r);
void summary_print(struct summary *s, const struct report *totals, enum format format, FILE *out);

/* Print means of @totals, those of another run, and how they differ. */
void summary_diff(const struct report *totals, const struct report *other, enum format format,
		  FILE *out);

/*
 * A plot, also of a command: add each report, then write it. svg_new() exits if the file is not
 * writable.
 */
struct svg;
struct svg *svg_new(const struct view *v, const char *path, const struct origin *o);
void svg_add(struct svg *s, const struct report *r);
void svg_write(struct svg *s, const struct report *totals);

/**
 * list_print - print groups, and metrics with equation, unit and place in the guide
 * @word:	only those with this word, and events that have it; or NULL
 * Return: false if there is none
 */
bool list_print(const char *word);

#endif
