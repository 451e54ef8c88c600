/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of an interval or of a whole run, as input for all outputs */
#ifndef UNCORESTAT_REPORT_H
#define UNCORESTAT_REPORT_H

#include <stdbool.h>
#include <stdio.h>
#include <time.h>

#include "value.h"

/* Outputs, of which the first ones print lines, and one of them alone */
enum output { OUT_TABLE, OUT_CSV, OUT_JSON, OUT_LIVE, OUT_SUMMARY, OUT_SVG, OUT_RECORD,
	OUT_PROMETHEUS, OUT_LISTEN, NR_OUTPUTS };
#define NR_LINE_OUTPUTS	OUT_SUMMARY

/* What has a line, together */
enum per { PER_SYSTEM = 1, PER_SOCKET = 2, PER_BOX = 4, PER_RESCTRL = 8 };

/* Lines that --live draws as a picture, if they are of the default group */
#define PICTURE_PER	(PER_SOCKET | PER_BOX)

/**
 * struct view - lines and columns to show
 * @group:	the only group that they are of, or NULL
 * @columns:	columns from left to right
 * @scopes:	scope of each line
 * @nr_pmus:	PMUs of @machine that are considered
 */
struct view {
	unsigned int per;
	const struct group *group;
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
 * @view:	the lines and columns; it may get more lines later
 * @mode:	rates of an interval, or totals
 * @time:	time of day at the end
 * @seconds:	duration
 * @intervals:	number of intervals in totals that have a line
 * @late:	the interval was longer than requested
 * @part:	it ended at once, and is of the totals alone
 * @lines:	number of lines
 * @gone:	of each line, whether its group of resctrl is gone
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
	unsigned int lines, nr;
	bool *gone;
	struct value *values;
	char **notes;
	unsigned int nr_notes;
};

/**
 * struct origin - a run
 * @interval:	in seconds
 * @command:	the program, without its arguments, or NULL
 * @ends:	the run ends by itself, so that what it wrote is of use afterwards
 */
struct origin {
	struct timespec start;
	const char *host, *command;
	double interval;
	bool ends;
};

enum moment {
	RUN_BEGINS,
	VIEW_CHANGES,	/* from now on, lines and columns are others */
	INTERVAL_ENDS,
	PART_ENDS,	/* of an interval, too short for a line */
	COMMAND_ENDS,
	RUN_ENDS,
};

/**
 * struct interval - what an output gets at each moment of a run
 * @rates:	values of the interval, or NULL if none ended
 * @totals:	values since the start
 * @shown:	those of both that are printed now, or NULL
 * @origin:	the run
 * @to:		argument of the output's option
 * @format:	of what is printed: OUT_TABLE, OUT_CSV or OUT_JSON
 * @out:	where
 */
struct interval {
	enum moment moment;
	const struct report *rates, *totals, *shown;
	const struct origin *origin;
	const char *to;
	enum output format;
	FILE *out;
};

/* An output is one function; a build may be without any of them. */
#define OUTPUT(name)	__attribute__((weak)) void name(const struct interval *i)
OUTPUT(out_table);
OUTPUT(out_csv);
OUTPUT(out_json);
OUTPUT(out_live);
OUTPUT(out_summary);
OUTPUT(out_svg);
OUTPUT(out_record);
OUTPUT(out_prometheus);
OUTPUT(out_listen);

/**
 * outputs - the outputs
 * @option:	"csv" of --csv
 * @needs:	Debian's package to build it with
 */
extern const struct output_row {
	void (*put)(const struct interval *i);
	const char *option, *needs;
} outputs[NR_OUTPUTS];

/* Format a number with so many decimals, or with an exponent if it has more than 15 digits. */
void number_text(char *buf, size_t size, int decimals, double number);

/* Round up to 1, 2, 2.5 or 5 times a power of ten. */
double round_up(double max);

/* Return the unit of a column's numbers, "MB/s". */
const char *column_unit(const struct column *c);

/* Return whether a column shows events of a box type. */
bool view_counts(const struct view *v, unsigned int type);

/* Set up the lines of a view. Returns NULL, or why it has none. */
const char *view_scopes(struct view *v, const struct machine *m);

/* Add a line: of a socket or, with -1, of all; of a box or, with NULL, of all. */
void view_add(struct view *v, int socket, const struct pmu *pmu);

/* Add lines for what the machine has got since. */
void view_more(struct view *v);

/* Return whether a column applies to a line's boxes. */
static inline bool report_applies(const struct view *v, unsigned int line, unsigned int column)
{
	const struct pmu *pmu = v->scopes[line].pmu;

	return !pmu || metrics[v->columns[column].metric].box == (int)pmu->type;
}

/**
 * report_make - evaluate all values for the last interval
 * @seconds:	its duration
 * @part:	it is of the totals alone
 */
void report_make(struct report *r, const struct view *v, const struct counting *c, double seconds,
		 bool part);

/* Begin a report of values that are not available. */
void report_begin(struct report *r, const struct view *v, enum span mode);

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

/* Return whether any line of a column has a mark. */
bool report_has(const struct report *r, unsigned int column, char mark);

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

/* Return Prometheus' text format of an interval, for free(). */
char *prometheus_text(const struct report *rates, const struct report *totals);

/* Get the name of a metric for Prometheus. Returns the divisor for its unit. */
#define PROMETHEUS_NAME	128
double prometheus_name(const struct metric *m, char name[PROMETHEUS_NAME]);

/* Print means of @totals, those of another run, and how they differ. */
__attribute__((weak))
void summary_diff(const struct report *totals, const struct report *other, enum output format,
		  FILE *out);

/**
 * list_print - print groups, and metrics with equation, unit and place in the guide
 * @word:	only those with this word, and events that have it; or NULL
 * Return: false if there is none
 */
bool list_print(const char *word);

#endif
