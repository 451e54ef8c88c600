// SPDX-License-Identifier: GPL-2.0-only
/*
 * Prometheus' text format, which --prometheus and --listen have. Amounts are
 * counters since the start. What is divided is two counters, so that rate() divided by rate() is
 * right for any time; what is divided by time is one, as rate() does that.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "util.h"

static void metadata(const char *name, const char *type, const char *help, FILE *out)
{
	fprintf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

enum form { COUNTER, FRACTION, GAUGE };

/* The sum of differences and of temperatures would be no counter. */
static enum form form_of(const struct metric *m)
{
	if (m->kind == METRIC_AMOUNT)
		return COUNTER;
	if ((m->own && strchr(m->text, '-')) || !strcmp(m->unit, "celsius") ||
	    !strcmp(m->unit, "MB"))
		return GAUGE;
	return value_divides(m) ? FRACTION : COUNTER;
}

static const char * const suffixes[][2] = {
	[COUNTER] = { "_total" },
	[FRACTION] = { "_numerator_total", "_denominator_total" },
	[GAUGE] = { "" },
};

double prometheus_name(const struct metric *m, char name[PROMETHEUS_NAME])
{
	/* Units of what is divided, and a state that promtool reads as minutes */
	static const char * const replaced[][2] = {
		{ "_ns", "_seconds" }, { "_watts", "_joules" },
		{ "_gigatransfers_per_second", "_gigatransfers" },
	};
	enum form form = form_of(m);
	char key[96], *minutes;
	double divisor = 1;
	unsigned int i;
	size_t len, old;

	value_key(m, form == GAUGE ? "ratio" : "", MODE_TOTAL, key);
	minutes = strstr(key, "_m_");
	snprintf(name, PROMETHEUS_NAME, "uncorestat_%.*s%s%s", minutes ? (int)(minutes - key) : 96,
		 key, minutes ? "_modified" : "", minutes ? minutes + 2 : "");
	for (i = 0; i < ARRAY_SIZE(replaced) && form != GAUGE && !m->own; i++) {
		old = strlen(replaced[i][0]);
		len = strlen(name);
		if (len < old || strcmp(name + len - old, replaced[i][0]))
			continue;
		strcpy(name + len - old, replaced[i][1]);
		if (!i)
			divisor = 1e9;
	}
	strcat(name, suffixes[form][0]);
	return divisor;
}

static void sample(const struct scope *s, const char *name, const char *labels, double number,
		   FILE *out)
{
	const char *sep = "";

	fprintf(out, "%s%s", name, s->socket >= 0 || *labels ? "{" : "");
	if (s->socket >= 0)
		fprintf(out, "socket=\"%d\"", s->package);
	if (s->pmu)
		fprintf(out, ",box=\"%s\"", s->pmu->box);
	if (*labels)
		sep = s->socket >= 0 ? "," : "";
	fprintf(out, "%s%s%s %.15g\n", sep, labels, s->socket >= 0 || *labels ? "}" : "", number);
}

/* Print a metric's gauge or counter, or with @part 1 the counter that it is divided by. */
static void print_metric(const struct report *rates, const struct report *totals,
			 unsigned int column, int part, FILE *out)
{
	const struct metric *m = &metrics[rates->view->columns[column].metric];
	enum form form = form_of(m);
	char name[PROMETHEUS_NAME];
	double divisor = prometheus_name(m, name);
	bool any = false;
	unsigned int i;

	if (part)
		strcpy(name + strlen(name) - strlen(suffixes[form][0]), suffixes[form][1]);
	for (i = 0; i < rates->lines; i++) {
		const struct value *v = report_value(form == GAUGE ? rates : totals, i, column);

		/* A counter that stood still would look idle: a gap is a gap. */
		if ((isnan(v->number) && (form == GAUGE || !v->nothing)) || rates->gone[i] ||
		    (!rates->part && value_has(report_value(rates, i, column), '-')))
			continue;
		if (!any)
			metadata(name, form == GAUGE ? "gauge" : "counter",
				 part ? "What the numerator is divided by" : m->desc, out);
		any = true;
		sample(&rates->view->scopes[i], name, "",
		       form == GAUGE ? v->number / divisor : part ? v->den : v->num / divisor, out);
	}
}

/* Print which values of the last interval are marked in a table. */
static void print_marks(const struct report *r, FILE *out)
{
	const struct view *v = r->view;
	static const char * const marks[] = {
		"*sampled", "~multiplexed", "!implausible", "-not_counted" };
	char name[PROMETHEUS_NAME], labels[PROMETHEUS_NAME + 40];
	bool any = false;
	unsigned int i, j, k;

	for (j = 0; j < v->nr_columns; j++) {
		for (i = 0; i < r->lines && !metrics[v->columns[j].metric].lacks; i++) {
			const struct value *value = report_value(r, i, j);

			for (k = 0; k < ARRAY_SIZE(marks); k++) {
				if (!value_has(value, *marks[k]) || r->gone[i])
					continue;
				if (!any)
					metadata("uncorestat_marked", "gauge",
						 "1 for what the last interval did not count in full", out);
				any = true;
				prometheus_name(&metrics[v->columns[j].metric], name);
				snprintf(labels, sizeof(labels), "mark=\"%s\",metric=\"%s\"",
					 marks[k] + 1, name);
				sample(&v->scopes[i], "uncorestat_marked", labels, 1, out);
			}
		}
	}
}

static void print(const struct report *rates, const struct report *totals, FILE *out)
{
	const struct view *v = rates->view;
	unsigned int j;

	metadata("uncorestat_info", "gauge", "The processor and its driver", out);
	fprintf(out, "uncorestat_info{version=\"" VERSION "\",generation=\"%s\",driver=\"%s\"} 1\n",
		generation->name, v->machine->driver);
	for (j = 0; j < v->nr_columns; j++) {
		print_metric(rates, totals, j, 0, out);
		if (form_of(&metrics[v->columns[j].metric]) == FRACTION)
			print_metric(rates, totals, j, 1, out);
	}
	print_marks(rates, out);
}

char *prometheus_text(const struct report *rates, const struct report *totals)
{
	char *text;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (!out)
		die("out of memory");
	print(rates, totals, out);
	if (fclose(out))
		die("out of memory");
	return text;
}
