// SPDX-License-Identifier: GPL-2.0-only
/* --json: JSON Lines, one object per line of the table */
#include "report.h"

/* Print the names of marked columns, if any. */
static void marked(const struct report *r, unsigned int line, const char *key, char mark, FILE *out)
{
	const char *sep = "";
	unsigned int j;
	char buf[96];

	for (j = 0; j < r->view->nr_columns; j++) {
		const struct value *v = report_value(r, line, j);

		if (!value_has(v, mark))
			continue;
		if (!*sep)
			fprintf(out, ",\"%s\":[", key);
		fprintf(out, "%s\"%s\"", sep,
			value_key(&metrics[r->view->columns[j].metric], "percent", r->mode, buf));
		sep = ",";
	}
	if (*sep)
		fputc(']', out);
}

static void print(const struct report *r, FILE *out)
{
	const struct view *v = r->view;
	unsigned int i, j;
	char buf[96];

	for (i = 0; i < r->lines; i++) {
		const struct scope *s = &v->scopes[i];

		if (r->gone[i])
			continue;
		fprintf(out, "{\"time\":\"%s\",\"%s\":%.6f", report_time(r, buf),
			r->mode == MODE_RATE ? "interval_seconds" : "total_seconds", r->seconds);
		if (s->socket >= 0)
			fprintf(out, ",\"socket\":%d", s->package);
		if (s->pmu)
			fprintf(out, ",\"box\":\"%s\"", s->pmu->box);
		for (j = 0; j < v->nr_columns; j++) {
			const struct metric *m = &metrics[v->columns[j].metric];
			const struct value *value = report_value(r, i, j);

			if (!value->applies)
				continue;
			fprintf(out, ",\"%s\":", value_key(m, "percent", r->mode, buf));
			if (isnan(value->number))
				fprintf(out, "null");
			else
				fprintf(out, "%.15g",
					value->number * (m->kind == METRIC_RATIO ? 100 : 1));
		}
		marked(r, i, "sampled", '*', out);
		marked(r, i, "multiplexed", '~', out);
		marked(r, i, "implausible", '!', out);
		if (!i && r->nr_notes) {
			fprintf(out, ",\"notes\":[");
			for (j = 0; j < r->nr_notes; j++)
				fprintf(out, "%s\"%s\"", j ? "," : "", r->notes[j]);
			fputc(']', out);
		}
		fprintf(out, "}\n");
	}
	fflush(out);
}

void out_json(const struct interval *i)
{
	if (i->shown)
		print(i->shown, i->out);
}
