// SPDX-License-Identifier: GPL-2.0-only
/* --csv: comma-separated values, RFC 4180 */
#include "report.h"

static void print_header(const struct report *r, FILE *out)
{
	const struct view *v = r->view;
	unsigned int j;
	char key[96];

	fprintf(out, "time,interval_seconds,socket,box");
	for (j = 0; j < v->nr_columns; j++)
		fprintf(out, ",%s", value_key(&metrics[v->columns[j].metric], "percent", r->mode, key));
	fprintf(out, ",marks,notes\n");
}

/* Print "mem_read_bytes_per_second~ llc_misses_per_second*": the line's values that have marks. */
static void print_marks(const struct report *r, unsigned int line, FILE *out)
{
	const char *sep = "", *mark;
	char key[96], marks[4], *p;
	unsigned int j;

	for (j = 0; j < r->view->nr_columns; j++) {
		for (p = marks, mark = "*~!"; *mark; mark++)
			if (value_has(report_value(r, line, j), *mark))
				*p++ = *mark;
		*p = 0;
		if (p == marks)
			continue;
		fprintf(out, "%s%s%s", sep, value_key(&metrics[r->view->columns[j].metric], "percent",
						      r->mode, key), marks);
		sep = " ";
	}
}

static void print(const struct report *r, FILE *out)
{
	const struct view *v = r->view;
	unsigned int i, j;
	char buf[40];

	for (i = 0; i < r->lines; i++) {
		const struct scope *s = &v->scopes[i];

		if (r->gone[i])
			continue;
		fprintf(out, "%s,%.6f,", report_time(r, buf), r->seconds);
		if (s->socket >= 0)
			fprintf(out, "%d", s->package);
		fprintf(out, ",%s", s->pmu ? s->pmu->box : "");
		for (j = 0; j < v->nr_columns; j++) {
			const struct value *value = report_value(r, i, j);
			double scale = metrics[v->columns[j].metric].kind == METRIC_RATIO ? 100 : 1;

			fputc(',', out);
			if (!isnan(value->number))
				fprintf(out, "%.15g", value->number * scale);
		}
		fputc(',', out);
		print_marks(r, i, out);
		fputc(',', out);
		/* Remarks are for all lines: print them with the first. */
		for (j = 0; !i && j < r->nr_notes; j++)
			fprintf(out, "%s%s", j ? "; " : "\"", r->notes[j]);
		fputs(j ? "\"\n" : "\n", out);
	}
	fflush(out);
}

void out_csv(const struct interval *i)
{
	static bool headed;

	if (!i->shown)
		return;
	/* The totals have other names. */
	if (!headed || i->moment == COMMAND_ENDS)
		print_header(i->shown, i->out);
	headed = true;
	print(i->shown, i->out);
}
