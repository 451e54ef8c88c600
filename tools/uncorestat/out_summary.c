// SPDX-License-Identifier: GPL-2.0-only
/* --summary: minimum, mean, maximum and 99th percentile of each value over the intervals */
#include <math.h>
#include <stdlib.h>

#include "report.h"
#include "util.h"

/**
 * struct summary - values of all intervals
 * @values:	for each value of the view, those of the intervals that have one
 * @nr:		their number
 */
struct summary {
	const struct view *view;
	double **values;
	unsigned int *nr, intervals;
};

struct summary *summary_new(const struct view *v)
{
	struct summary *s = grow(NULL, 0, sizeof(*s));
	unsigned int cells = v->nr_scopes * v->nr_columns;

	s->view = v;
	s->values = zalloc(cells, sizeof(*s->values));
	s->nr = zalloc(cells, sizeof(*s->nr));
	return s;
}

void summary_add(struct summary *s, const struct report *r)
{
	unsigned int i;

	s->intervals++;
	for (i = 0; i < s->view->nr_scopes * s->view->nr_columns; i++) {
		if (isnan(r->values[i].number))
			continue;
		s->values[i] = grow(s->values[i], s->nr[i], sizeof(double));
		s->values[i][s->nr[i]++] = r->values[i].number;
	}
}

static int compare(const void *a, const void *b)
{
	const double *p = a, *q = b;

	return (*p > *q) - (*p < *q);
}

/* Get minimum, mean, maximum and 99th percentile of at least one value. */
static void statistics(double *values, unsigned int nr, double result[4])
{
	double sum = 0;
	unsigned int i;

	qsort(values, nr, sizeof(*values), compare);
	for (i = 0; i < nr; i++)
		sum += values[i];
	result[0] = values[0];
	result[1] = sum / nr;
	result[2] = values[nr - 1];
	result[3] = values[(unsigned int)ceil(0.99 * nr) - 1];
}

void summary_print(struct summary *s, FILE *out)
{
	static const char * const names[] = { "min", "mean", "max", "99%" };
	const struct view *v = s->view;
	unsigned int i, j, k;
	double result[4];
	char label[32], number[40];

	fprintf(out, "\n%u intervals\n%-17s", s->intervals, "");
	for (j = 0; j < 2 * v->nr_columns; j++) {
		if (j == v->nr_columns)
			fprintf(out, "\n%-17s", "");
		fprintf(out, " %11.11s", j < v->nr_columns ? v->columns[j].title :
			v->columns[j - v->nr_columns].heading);
	}
	fputc('\n', out);
	for (i = 0; i < v->nr_scopes; i++) {
		for (k = 0; k < ARRAY_SIZE(names); k++) {
			fprintf(out, "%-6s%-11s", names[k], scope_label(v, &v->scopes[i], label));
			for (j = 0; j < v->nr_columns; j++) {
				unsigned int cell = i * v->nr_columns + j;
				const struct column *c = &v->columns[j];

				if (!s->nr[cell]) {
					fprintf(out, " %11s", report_applies(v, i, j) ? "-" : "");
					continue;
				}
				statistics(s->values[cell], s->nr[cell], result);
				number_text(number, sizeof(number), c->decimals,
					    result[k] / c->divisor);
				fprintf(out, " %11s", number);
			}
			fputc('\n', out);
		}
	}
	fflush(out);
}
