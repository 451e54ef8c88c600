// SPDX-License-Identifier: GPL-2.0-only
/* --csv: comma-separated values, RFC 4180 */
#include <math.h>

#include "report.h"

void csv_print(const struct report *r, FILE *out, bool header)
{
	const struct view *v = r->view;
	unsigned int i, j;
	char buf[96];

	if (header) {
		fprintf(out, "time,interval_seconds,socket,box");
		for (j = 0; j < v->nr_columns; j++)
			fprintf(out, ",%s", value_key(&metrics[v->columns[j].metric], "percent",
						      r->mode, buf));
		fprintf(out, ",notes\n");
	}
	for (i = 0; i < v->nr_scopes; i++) {
		const struct scope *s = &v->scopes[i];

		if (r->mode == MODE_RATE && scope_gone(s))
			continue;
		fprintf(out, "%s,%.6f,", report_time(r, buf), r->seconds);
		if (s->socket >= 0)
			fprintf(out, "%d", v->machine->sockets[s->socket]);
		fprintf(out, ",%s", s->pmu ? s->pmu->box : "");
		for (j = 0; j < v->nr_columns; j++) {
			const struct value *value = report_value(r, i, j);
			double scale = metrics[v->columns[j].metric].kind == METRIC_RATIO ? 100 : 1;

			fputc(',', out);
			if (!isnan(value->number))
				fprintf(out, "%.15g", value->number * scale);
		}
		fputc(',', out);
		/* Remarks are for all lines: print them with the first. */
		for (j = 0; !i && j < r->nr_notes; j++)
			fprintf(out, "%s%s", j ? "; " : "\"", r->notes[j]);
		fputs(j ? "\"\n" : "\n", out);
	}
	fflush(out);
}
