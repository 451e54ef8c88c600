// SPDX-License-Identifier: GPL-2.0-only
/* --summary: minimum, mean, maximum and 99th percentile of each value over the intervals */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "util.h"

/* A value of an interval, and how long that was */
struct point {
	double number, seconds;
};

/**
 * struct summary - values of all intervals
 * @other:	totals of another run to compare with, or NULL
 * @values:	for each value of the view, those of the intervals that have one
 * @nr:		their number
 * @cells:	values of the view
 */
struct summary {
	const struct report *other;
	struct point **values;
	unsigned int *nr, cells;
};

static void add(struct summary *s, const struct report *r)
{
	unsigned int i;

	for (; s->cells < r->nr; s->cells++) {
		s->values = grow(s->values, s->cells, sizeof(*s->values));
		s->nr = grow(s->nr, s->cells, sizeof(*s->nr));
	}
	for (i = 0; i < r->nr; i++) {
		if (isnan(r->values[i].number))
			continue;
		s->values[i] = grow(s->values[i], s->nr[i], sizeof(struct point));
		s->values[i][s->nr[i]++] = (struct point){ r->values[i].number, r->seconds };
	}
}

static int compare(const void *a, const void *b)
{
	const struct point *p = a, *q = b;

	return (p->number > q->number) - (p->number < q->number);
}

#define NR	4

/* What a line has of each value: over intervals, or to compare two runs, for people and programs */
static const char * const names[][NR] = {
	{ "min", "mean", "max", "99%" }, { "A", "B", "B - A", "%" },
};

static const char * const keys[][NR] = {
	{ "min", "mean", "max", "percentile_99" }, { "a", "b", "difference", "change_percent" },
};

/* A quotient that can be printed in percent, or NAN */
static double quotient(double a, double b)
{
	return isfinite(a / b * 100) ? a / b : NAN;
}

/* Get the statistics of a cell; returns false if no interval has a value. */
static bool statistics(struct summary *s, const struct report *totals, unsigned int cell,
		       double result[NR])
{
	/* Less by what the sum of many lengths is rounded by */
	const double part = 0.989999999;
	struct point *values = cell < s->cells ? s->values[cell] : NULL;
	unsigned int nr = values ? s->nr[cell] : 0, i;
	double all = 0, sum = 0;

	if (s->other) {
		const struct value *a = &totals->values[cell], *b = &s->other->values[cell];

		result[0] = quotient(a->num, a->den);
		result[1] = quotient(b->num, b->den);
		result[2] = result[1] - result[0];
		result[3] = quotient(result[2] * 100, fabs(result[0]));
		return true;
	}
	if (!nr)
		return false;
	qsort(values, nr, sizeof(*values), compare);
	for (i = 0; i < nr; i++)
		all += values[i].seconds;
	for (i = 0; i < nr - 1 && (sum += values[i].seconds) < part * all; )
		i++;
	result[0] = values[0].number;
	result[1] = quotient(totals->values[cell].num, totals->values[cell].den);
	result[2] = values[nr - 1].number;
	result[3] = values[i].number;
	return true;
}

/* Width of a line, and of a number that needs no more */
#define LINE	80
#define NUMBER	6

/* Format a number of a column, without decimals if it is long; @change is one in percent. */
static int cell_text(char *buf, size_t size, const struct column *c, double number, bool change)
{
	static const struct column percent = { .decimals = 1, .divisor = 1 };

	if (isnan(number))
		return sprintf(buf, "-");
	c = change ? &percent : c;
	number_text(buf, size, c->decimals, number / c->divisor);
	if (strlen(buf) > NUMBER)
		number_text(buf, size, 0, number / c->divisor);
	return strlen(buf);
}

/* Print "llc_miss*", with the marks that any line has. */
static void print_name(const struct report *totals, unsigned int column, int width, FILE *out)
{
	const struct column *c = &totals->view->columns[column];

	fprintf(out, "%-*s %-7.7s", width, format("%s%s%s", metrics[c->metric].name,
						  report_has(totals, column, '*') ? "*" : "",
						  report_has(totals, column, '~') ? "~" : ""),
		column_unit(c));
}

static void print_heading(const struct summary *s, const struct view *v, unsigned int first,
			  unsigned int end, int name, int width, FILE *out)
{
	static const char line[] = "------------------------------------------------------------";
	unsigned int i, k;

	fprintf(out, "\n%*s", name + 8, "");
	for (i = first; i < end; i++) {
		const char *label = v->scopes[i].label;
		int len = strlen(label);
		int dashes = (width + 1) * 4 - 3 - len;

		fprintf(out, " %.*s %s %.*s", dashes / 2, line, label, dashes - dashes / 2, line);
	}
	fprintf(out, "\n%*s", name + 8, "");
	for (i = first; i < end; i++)
		for (k = 0; k < NR; k++)
			fprintf(out, " %*s", width, names[!!s->other][k]);
	fputc('\n', out);
}

/* Print the lines of some scopes beside each other. */
static void print_block(struct summary *s, const struct report *totals, unsigned int first,
			unsigned int end, int name, int width, FILE *out)
{
	const struct view *v = totals->view;
	unsigned int i, j, k;
	double result[NR];
	char buf[40];

	print_heading(s, v, first, end, name, width, out);
	for (j = 0; j < v->nr_columns; j++) {
		for (i = first; i < end && !report_applies(v, i, j); i++)
			;
		if (i == end)
			continue;
		print_name(totals, j, name, out);
		for (i = first; i < end; i++) {
			bool any = statistics(s, totals, i * v->nr_columns + j, result);

			for (k = 0; k < NR; k++) {
				strcpy(buf, report_applies(v, i, j) ? "-" : "");
				if (any)
					cell_text(buf, sizeof(buf), &v->columns[j], result[k],
						  s->other && k == NR - 1);
				fprintf(out, " %*s", width, buf);
			}
		}
		fputc('\n', out);
	}
}

static void print_table(struct summary *s, const struct report *totals, FILE *out)
{
	const struct view *v = totals->view;
	unsigned int i, k, across;
	int name = 0, width = NUMBER, len;
	double result[NR];
	char buf[40];

	for (i = 0; i < totals->nr; i++) {
		const struct column *c = &v->columns[i % v->nr_columns];

		len = strlen(metrics[c->metric].name) + totals->values[i].sampled +
		      (totals->values[i].share < 1);
		name = len > name ? len : name;
		for (k = 0; k < NR && statistics(s, totals, i, result); k++) {
			len = cell_text(buf, sizeof(buf), c, result[k],
					s->other && k == NR - 1);
			width = len > width ? len : width;
		}
	}
	across = (LINE - name - 8) / (4 * (width + 1));
	if (!s->other)
		fprintf(out, "\n%u intervals, %.2f seconds\n", totals->intervals, totals->seconds);
	across = across ?: 1;
	for (i = 0; i < totals->lines; i += across)
		print_block(s, totals, i, i + across < totals->lines ? i + across : totals->lines,
			    name, width, out);
}

/* Print a line for each value: CSV, or with @json an object. */
static void print_for_programs(struct summary *s, const struct report *totals, bool json, FILE *out)
{
	const struct view *v = totals->view;
	unsigned int i, j, k;
	double result[NR];
	char key[96];

	if (!json) {
		fprintf(out, "name,socket,box");
		for (k = 0; k < NR; k++)
			fprintf(out, ",%s", keys[!!s->other][k]);
		fprintf(out, s->other ? ",marks\n" : ",intervals,seconds,marks\n");
	}
	for (i = 0; i < totals->lines; i++) {
		const struct scope *scope = &v->scopes[i];
		int socket = scope->package;

		for (j = 0; j < v->nr_columns; j++) {
			const struct metric *m = &metrics[v->columns[j].metric];
			const struct value *value = report_value(totals, i, j);
			bool any = statistics(s, totals, i * v->nr_columns + j, result);
			bool ratio = m->kind == METRIC_RATIO;
			const char *marks = format("%s%s", value->sampled ? "*" : "",
						   value->share < 1 ? "~" : "");

			if (!report_applies(v, i, j))
				continue;
			value_key(m, "percent", MODE_RATE, key);
			fprintf(out, json ? "{\"name\":\"%s\"" : "%s", key);
			if (json && socket >= 0)
				fprintf(out, ",\"socket\":%d", socket);
			if (json && scope->pmu)
				fprintf(out, ",\"box\":\"%s\"", scope->pmu->box);
			if (!json)
				fprintf(out, socket < 0 ? ",%.0d,%s" : ",%d,%s", socket < 0 ? 0 : socket,
					scope->pmu ? scope->pmu->box : "");
			for (k = 0; k < NR; k++) {
				fprintf(out, json ? ",\"%s\":" : ",", keys[!!s->other][k]);
				if (any && !isnan(result[k]))
					fprintf(out, "%.15g", result[k] *
						(ratio && !(s->other && k == NR - 1) ? 100 : 1));
				else if (json)
					fprintf(out, "null");
			}
			/* Two runs have two lengths, which the line of each has. */
			if (!s->other)
				fprintf(out, json ? ",\"intervals\":%u,\"seconds\":%.6f" : ",%u,%.6f",
					totals->intervals, totals->seconds);
			fprintf(out, json ? ",\"marks\":\"%s\"}\n" : ",%s\n", marks);
		}
	}
}

static void print(struct summary *s, const struct report *totals, enum output format, FILE *out)
{
	if (format == OUT_TABLE)
		print_table(s, totals, out);
	else
		print_for_programs(s, totals, format == OUT_JSON, out);
	fflush(out);
}

void out_summary(const struct interval *i)
{
	static struct summary summary;

	if (i->moment == RUN_BEGINS)
		memset(&summary, 0, sizeof(summary));
	else if (i->moment == INTERVAL_ENDS)
		add(&summary, i->rates);
	else if (i->moment == RUN_ENDS)
		print(&summary, i->totals, i->format, i->out);
}

void summary_diff(const struct report *totals, const struct report *other, enum output format,
		  FILE *out)
{
	struct summary s = { .other = other };

	print(&s, totals, format, out);
}
