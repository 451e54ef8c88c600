// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prints what users and tools read from the event tables: perf JSON, the event
 * reference, a CSV, and checks of the tables themselves.
 */
#include "metrics.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_PREFIX "snbep_uncore_"

static void print_filters(unsigned int flags, const char *between,
			  const char *none)
{
	const char *sep = "";
	unsigned int bit;

	if (!flags)
		printf("%s", none);
	for (bit = 1; bit && bit <= flags; bit <<= 1) {
		if (!(flags & bit))
			continue;
		printf("%s%s", sep, filter_name(bit));
		sep = between;
	}
}

static int print_csv(const char *arg)
{
	size_t b, i;

	(void)arg;
	printf("box,alias,encoding,counters,filter\n");
	for (b = 0; b < nr_boxes; b++) {
		const struct box *box = &boxes[b];

		for (i = 0; i < box->nr_rows; i++) {
			const struct row *row = &box->rows[i];
			const char *alias = row_alias(row);

			if (!alias)
				continue;
			printf("%s,%s,\"%s\",%s,", box->name, alias,
			       row_encoding(box, row), row_counters(box, row));
			print_filters(row->needs, "+", "");
			printf("\n");
		}
	}
	return 0;
}

/* A JSON string; the texts have no control characters */
static void json_field(const char *key, const char *fmt, ...)
{
	char buf[1024];
	va_list ap;
	char *p;

	va_start(ap, fmt);
	vsnprintf(buf, sizeof(buf), fmt, ap);
	va_end(ap);
	printf(",\n        \"%s\": \"", key);
	for (p = buf; *p; p++) {
		if (*p == '"' || *p == '\\')
			putchar('\\');
		putchar(*p);
	}
	putchar('"');
}

/* Fields other than event and umask: the format's Filter */
static void json_filter(const char *encoding)
{
	char buf[ENCODING_MAX] = "", *copy = strdup(encoding), *save, *term;

	for (term = strtok_r(copy, ",", &save); term;
	     term = strtok_r(NULL, ",", &save)) {
		if (!strncmp(term, "event=", 6) || !strncmp(term, "umask=", 6))
			continue;
		if (*buf)
			strcat(buf, ",");
		strcat(buf, term);
	}
	free(copy);
	if (*buf)
		json_field("Filter", "%s", buf);
}

static void json_counters(const char *counters)
{
	unsigned int lo, hi;

	if (sscanf(counters, "%u-%u", &lo, &hi) == 2) {
		char buf[32] = "";

		for (; lo <= hi; lo++)
			sprintf(buf + strlen(buf), "%s%u", *buf ? "," : "", lo);
		json_field("Counter", "%s", buf);
	} else {
		json_field("Counter", "%s", counters);
	}
}

static int print_json(const char *prefix)
{
	const char *sep = "";
	size_t b, i;

	printf("[");
	for (b = 0; b < nr_boxes; b++) {
		const struct box *box = &boxes[b];

		for (i = 0; i < box->nr_rows; i++) {
			const struct row *row = &box->rows[i], *scale;
			const char *alias = row_alias(row), *enc;
			unsigned long long value;

			if (!alias)
				continue;
			printf("%s\n    {\n        \"EventName\": \"%s\"", sep,
			       alias);
			sep = ",";
			enc = row_encoding(box, row);
			if (encoding_value(enc, "event", &value)) {
				json_field("EventCode", "0x%02llx",
					   value & 0xff);
				if (value >> 8)
					json_field("ExtSel", "1");
			}
			if (encoding_value(enc, "umask", &value))
				json_field("UMask", "0x%02llx", value);
			json_filter(enc);
			json_counters(row_counters(box, row));
			scale = box_scale(box, alias);
			if (scale)
				json_field("ScaleUnit", "%s%s", scale->scale,
					   scale->unit);
			if (row->kind == ROW_UMASK)
				json_field("BriefDescription", "%s: %s",
					   row_event(box, row)->desc,
					   row->desc);
			else
				json_field("BriefDescription", "%s", row->desc);
			json_field("PerPkg", "1");
			json_field("Unit", "%s%s", prefix, box->name);
			printf("\n    }");
		}
	}
	printf("\n]\n");
	return 0;
}

static int print_metrics(const char *prefix)
{
	const char *sep = "";
	size_t i;

	printf("[");
	for (i = 0; i < nr_metrics; i++) {
		const struct metric *m = &metrics[i];
		char *expr;

		if (m->kind != METRIC_EXPR)
			continue;
		/* json_field() escapes: one backslash here */
		expr = metric_expr(m, prefix, "\\");
		if (!expr)
			return 1;
		printf("%s\n    {\n        \"MetricName\": \"%s\"", sep,
		       m->name);
		sep = ",";
		json_field("MetricExpr", "%s", expr);
		json_field("MetricGroup", "snbep_%s", m->box);
		if (*m->scale)
			json_field("ScaleUnit", "%s", m->scale);
		json_field("BriefDescription", "%s", m->text);
		printf("\n    }");
		free(expr);
	}
	printf("\n]\n");
	return 0;
}

static int print_metric_names(const char *arg)
{
	size_t i;

	(void)arg;
	for (i = 0; i < nr_metrics; i++)
		if (metrics[i].kind == METRIC_EXPR)
			printf("%s\n", metrics[i].name);
	return 0;
}

static void underline(const char *title, char c)
{
	size_t i;

	printf("\n%s\n", title);
	for (i = 0; i < strlen(title); i++)
		putchar(c);
	printf("\n\n");
}

static void rst_row(const struct box *box, const struct row *row)
{
	const char *alias = row_alias(row);
	const struct row *scale = box_scale(box, alias);

	printf("   * - ``%s``\n", alias);
	printf("     - ``%s``\n", row_encoding(box, row));
	printf("     - %s\n", row_counters(box, row));
	printf("     - %s", row->desc);
	if (scale)
		printf(" [%s]", scale->unit);
	printf("\n");
}

static void rst_table_head(void)
{
	printf(".. list-table::\n   :header-rows: 1\n   :widths: 25 35 8 32\n\n"
	       "   * - Alias\n     - Encoding\n     - Counters\n     - Counts\n");
}

static void rst_event(const struct box *box, const struct row *event)
{
	const struct row *row;

	printf("\n**%s**: %s. ", event->event, event->desc);
	printf("Event 0x%02x", event->sel & 0xff);
	if (event->sel >> 8)
		printf(" with the extended select");
	printf(", counters %s, ", row_counters(box, event));
	if (event->max_inc)
		printf("at most %u a cycle", event->max_inc);
	else
		printf("increment not given");
	if (event->takes) {
		printf("; may be filtered by ");
		print_filters(event->takes, ", ", "");
	}
	printf(".\n\n");
	rst_table_head();
	if (event->kind == ROW_PLAIN) {
		rst_row(box, event);
		return;
	}
	for (row = event + 1; row < box->rows + box->nr_rows &&
	     row->kind == ROW_UMASK; row++)
		rst_row(box, row);
}

static void rst_box(const struct box *box)
{
	bool head = false;
	size_t i;

	underline(box->title, '=');
	printf("PMU ``snbep_uncore_%s%s``, %u counters of %u bits, guide section %s.\n",
	       box->name, box->instances > 1 ? "_N" : "",
	       __builtin_popcount(box->counters), box->width, box->chapter);
	for (i = 0; i < box->nr_rows; i++)
		if (box->rows[i].kind <= ROW_PLAIN)
			rst_event(box, &box->rows[i]);
	for (i = 0; i < box->nr_rows; i++) {
		const struct row *row = &box->rows[i];

		if (row->kind != ROW_FIXED && row->kind != ROW_ALIAS)
			continue;
		if (!head) {
			printf("\nFixed counters and ready-made aliases:\n\n");
			rst_table_head();
			head = true;
		}
		rst_row(box, row);
	}
}

static void rst_metrics(void)
{
	size_t i, j;

	underline("Metrics", '=');
	printf("The guide's derived events, for ``perf stat -M``. ``[alias]`` stands for that\n"
	       "event on all instances of its box. ``selftests/perf/build`` makes a perf that has\n"
	       "them, from Debian's kernel source; ``selftests/perf/metrics.sh`` tries every one.\n"
	       "Events of one box that need different filter values cannot count at one time:\n"
	       "perf then takes turns, and short runs are estimates.\n\n"
	       ".. list-table::\n   :header-rows: 1\n   :widths: 25 45 30\n\n"
	       "   * - Metric\n     - Expression\n     - Meaning\n");
	for (i = 0; i < nr_metrics; i++) {
		const struct metric *m = &metrics[i];

		if (m->kind != METRIC_EXPR)
			continue;
		printf("   * - ``%s``\n     - ``%s``\n     - %s%s%s%s\n",
		       m->name, m->expr, m->text, *m->scale ? " [" : "",
		       *m->scale ? m->scale + strspn(m->scale, "0123456789") : "",
		       *m->scale ? "]" : "");
	}
	underline("Where they differ from the guide", '-');
	for (i = 0; i < nr_metrics; i++)
		if (metrics[i].kind == METRIC_NOTE_TEXT)
			printf("- %s %s: %s\n", metrics[i].box,
			       metrics[i].guide, metrics[i].text);
	underline("Left out", '-');
	for (j = 0; j < nr_metrics; j++)
		if (metrics[j].kind == METRIC_NOT_OFFERED)
			printf("- %s %s: %s.\n", metrics[j].box,
			       metrics[j].guide, metrics[j].text);
}

static int print_rst(const char *arg)
{
	size_t b;

	(void)arg;
	/* In two pieces, for those who look for licences of files */
	printf(".. %s-License-Identifier: GPL-2.0-only\n"
	       ".. Made by events/tools/gen from events/*.def: change those.\n\n"
	       "===================================\n"
	       "Xeon E5-2600 uncore event reference\n"
	       "===================================\n\n"
	       "Names, codes and rules are those of the uncore guide 327043-001, with its\n"
	       "misprints mended (snbep-guide-errata.rst). ``field=?`` in an encoding has to be\n"
	       "given by the user, as in ``alias,field=0x182``.\n", "SPDX");
	for (b = 0; b < nr_boxes; b++)
		rst_box(&boxes[b]);
	rst_metrics();
	return 0;
}

/* Different names of a box's derived events in the guide */
static unsigned int guide_metrics(const char *box, bool left_out)
{
	unsigned int nr = 0;
	size_t i, j;

	for (i = 0; i < nr_metrics; i++) {
		enum metric_kind kind = left_out ? METRIC_NOT_OFFERED :
						   METRIC_EXPR;

		if (strcmp(metrics[i].box, box) || metrics[i].kind != kind)
			continue;
		for (j = 0; j < i; j++)
			if (metrics[j].kind == kind &&
			    !strcmp(metrics[j].box, box) &&
			    !strcmp(metrics[j].guide, metrics[i].guide))
				break;
		nr += j == i;
	}
	return nr;
}

/* One line per box: events, rows, rows with the extended select, metrics */
static int print_totals(const char *arg)
{
	size_t b, i;

	(void)arg;
	for (b = 0; b < nr_boxes; b++) {
		const struct box *box = &boxes[b];
		unsigned int events = 0, rows = 0, ext = 0;

		for (i = 0; i < box->nr_rows; i++) {
			const struct row *row = &box->rows[i];

			events += row->kind == ROW_EVENT ||
				  row->kind == ROW_PLAIN;
			if (row->kind == ROW_UMASK || row->kind == ROW_PLAIN) {
				rows++;
				ext += row_event(box, row)->sel >> 8;
			}
		}
		printf("%s %u %u %u %u %u\n", box->name, events, rows, ext,
		       guide_metrics(box->name, false),
		       guide_metrics(box->name, true));
	}
	return 0;
}

/* One line per row of the guide: box, alias, event with ext, umask, counters */
static int print_rows(const char *arg)
{
	size_t b, i;

	(void)arg;
	for (b = 0; b < nr_boxes; b++) {
		const struct box *box = &boxes[b];

		for (i = 0; i < box->nr_rows; i++) {
			const struct row *row = &box->rows[i];

			if (row->kind != ROW_UMASK && row->kind != ROW_PLAIN &&
			    row->kind != ROW_FIXED)
				continue;
			printf("%s %s 0x%02x 0x%02x %s\n", box->name,
			       row_alias(row), row_event(box, row)->sel,
			       row->umask, row_counters(box, row));
		}
	}
	return 0;
}

static int print_scales(const char *arg)
{
	size_t b, i;

	(void)arg;
	for (b = 0; b < nr_boxes; b++) {
		const struct box *box = &boxes[b];

		for (i = 0; i < box->nr_rows; i++) {
			const struct row *row = &box->rows[i];

			if (row->kind == ROW_SCALE)
				printf("%s %s %s %s\n", box->name, row->event,
				       row->scale, row->unit);
		}
	}
	return 0;
}

static unsigned int nr_errors;

static void wrong(const struct box *box, const struct row *row, const char *what)
{
	fprintf(stderr, "%s %s%s%s: %s\n", box->name, row->event,
		row->umask_name ? "." : "",
		row->umask_name ? row->umask_name : "", what);
	nr_errors++;
}

static void check_row(const struct box *box, const struct row *row)
{
	const struct row *event = row_event(box, row), *other;
	const char *alias = row_alias(row), *err;
	char name[ALIAS_NAME_MAX];

	if (!event) {
		wrong(box, row, "not after its event");
		return;
	}
	if (row->kind == ROW_EVENT &&
	    (row + 1 == box->rows + box->nr_rows ||
	     row[1].kind != ROW_UMASK))
		wrong(box, row, "has no unit mask");
	if (row->kind <= ROW_PLAIN) {
		if (!row->counters || row->counters & ~box->counters)
			wrong(box, row, "is on counters that the box lacks");
		if (row->sel >> 9)
			wrong(box, row, "code is too large");
		for (other = box->rows; other < row; other++)
			if (other->kind <= ROW_PLAIN && other->sel == row->sel)
				wrong(box, row, "code is another's too");
	}
	if (row->kind == ROW_UMASK) {
		if (!row->umask || row->umask >> 8)
			wrong(box, row, "unit mask is not in 0x01-0xff");
		for (other = event + 1; other < row; other++)
			if (other->umask == row->umask)
				wrong(box, row, "unit mask is another's too");
	}
	if (row->kind == ROW_SCALE) {
		if (!box_find_alias(box, row->event))
			wrong(box, row, "scale of no alias");
		if (box_scale(box, row->event) != row)
			wrong(box, row, "has two scales");
		if (strtod(row->scale, NULL) <= 0)
			wrong(box, row, "scale is not positive");
		return;
	}
	if (!row->desc || !*row->desc)
		wrong(box, row, "lacks a description");
	if (!alias)
		return;
	strcpy(name, alias);
	if (box_find_alias(box, name) != row)
		wrong(box, row, "alias is another's too");
	err = encoding_check(box, row_encoding(box, row));
	if (err)
		wrong(box, row, err);
	if (row->kind != ROW_FIXED && !strcmp(row_counters(box, row), "?"))
		wrong(box, row, "encodes no event");
}

static int check(const char *arg)
{
	size_t b, i, j;

	(void)arg;
	for (b = 0; b < nr_boxes; b++)
		for (i = 0; i < boxes[b].nr_rows; i++)
			check_row(&boxes[b], &boxes[b].rows[i]);

	for (i = 0; i < nr_metrics; i++) {
		char *expr;

		if (metrics[i].kind != METRIC_EXPR)
			continue;
		expr = metric_expr(&metrics[i], DEFAULT_PREFIX, "\\");
		nr_errors += !expr;
		free(expr);
		for (j = 0; j < i; j++) {
			if (metrics[j].kind != METRIC_EXPR ||
			    strcmp(metrics[i].name, metrics[j].name))
				continue;
			fprintf(stderr, "two metrics %s\n", metrics[i].name);
			nr_errors++;
		}
	}
	return !!nr_errors;
}

static const struct {
	const char *name;
	int (*run)(const char *prefix);
	const char *help;
} commands[] = {
	{ "csv", print_csv, "box,alias,encoding,counters,filter" },
	{ "json", print_json, "events in perf's pmu-events format" },
	{ "metrics", print_metrics, "metrics in perf's pmu-events format" },
	{ "metric-names", print_metric_names, "one a line" },
	{ "rst", print_rst, "the event reference" },
	{ "rows", print_rows, "box alias event umask counters" },
	{ "scales", print_scales, "box alias scale unit" },
	{ "totals", print_totals, "box events rows ext metrics left-out" },
	{ "check", check, "are the tables consistent?" },
};

int main(int argc, char **argv)
{
	const char *prefix = argc == 3 ? argv[2] : DEFAULT_PREFIX;
	size_t i;

	for (i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(prefix);

	fprintf(stderr, "usage: gen COMMAND [PMU-PREFIX]\n");
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(stderr, "  %-12s %s\n", commands[i].name,
			commands[i].help);
	return 2;
}
