// SPDX-License-Identifier: GPL-2.0-only
/*
 * --prometheus: Prometheus' text format for node_exporter's textfile collector. Amounts are
 * counters since the start, others gauges of the last interval.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "replace.h"
#include "report.h"

static const char *written;

static void metadata(const char *name, const char *type, const char *help, FILE *out)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

double prometheus_name(const struct metric *m, char name[PROMETHEUS_NAME])
{
	char key[96], *minutes;

	value_key(m, "ratio", MODE_TOTAL, key);
	/* The M state; promtool would read minutes. */
	minutes = strstr(key, "_m_");
	snprintf(name, PROMETHEUS_NAME, "uncorestat_%.*s%s%s%s",
		 minutes ? (int)(minutes - key) : 96, key, minutes ? "_modified" : "",
		 minutes ? minutes + 2 : "", m->kind == METRIC_AMOUNT ? "_total" : "");
	if (strcmp(name + strlen(name) - 3, "_ns"))
		return 1;
	strcpy(name + strlen(name) - 2, "seconds");
	return 1e9;
}

static void sample(const struct view *v, const struct scope *s, const char *name, double number,
		   FILE *out)
{
	fputs(name, out);
	if (s->socket >= 0)
		fprintf(out, "{socket=\"%d\"", v->machine->sockets[s->socket]);
	if (s->pmu)
		fprintf(out, ",box=\"%s\"", s->pmu->box);
	fprintf(out, "%s %.15g\n", s->socket >= 0 ? "}" : "", number);
}

static void print(const struct report *rates, const struct report *totals, FILE *out)
{
	const struct view *v = rates->view;
	unsigned int i, j;

	metadata("uncorestat_info", "gauge", "The processor and its driver", out);
	fprintf(out, "uncorestat_info{version=\"" VERSION "\",generation=\"%s\",driver=\"%s\"} 1\n",
		generation->name, v->machine->driver);
	for (j = 0; j < v->nr_columns; j++) {
		const struct metric *m = &metrics[v->columns[j].metric];
		bool counter = m->kind == METRIC_AMOUNT, any = false;
		char name[PROMETHEUS_NAME];
		double divisor = prometheus_name(m, name);

		for (i = 0; i < v->nr_scopes; i++) {
			const struct value *value = report_value(counter ? totals : rates, i, j);

			if (isnan(value->number))
				continue;
			if (!any)
				metadata(name, counter ? "counter" : "gauge", m->desc, out);
			any = true;
			sample(v, &v->scopes[i], name, value->number / divisor, out);
		}
	}
}

/* Values of a program that has ended would look like those of now. */
static void remove_written(void)
{
	unlink(written);
}

/* The new file's name is not *.prom, so that the collector does not read a partial file. */
void prometheus_write(const char *path, const struct report *rates, const struct report *totals)
{
	struct replacement new;

	replace_open(&new, path);
	if (rates)
		print(rates, totals, new.out);
	replace_finish(&new);
	if (!written)
		atexit(remove_written);
	written = path;
}
