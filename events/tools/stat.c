// SPDX-License-Identifier: GPL-2.0-only
/*
 * The tables of tools/uncorestat in C: metrics, their events with the guide's
 * rules for counters, groups and columns.
 */
#define _GNU_SOURCE
#include "gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

/* A row of snbep_metrics.def that perf's lists have no use for */
struct stat_row {
	const char *a, *b, *c, *d, *e;
	int decimals;
	double divisor;
};

#define STAT(n, u, g, e, d)	{ #n, u, g, e, d, 0, 0 },
static const struct stat_row stats[] = {
#include "../snbep_metrics.def"
};

#define METRIC_SOURCE(b, s, t)	{ #b, s, t, 0, 0, 0, 0 },
static const struct stat_row sources[] = {
#include "../snbep_metrics.def"
};

#define SPREAD(b)		{ #b, 0, 0, 0, 0, 0, 0 },
static const struct stat_row spreads[] = {
#include "../snbep_metrics.def"
};

#define GROUP(n, p, d)		{ #n, p, d, 0, 0, 0, 0 },
static const struct stat_row groups[] = {
#include "../snbep_metrics.def"
};

#define COLUMN(g, m, t, h, n, d)	{ #g, #m, t, h, 0, n, d },
static const struct stat_row columns[] = {
#include "../snbep_metrics.def"
};

#define MAX_EVENTS	1024

/* The events of all expressions, each once: box, text in the bracket, what that stands for */
static struct {
	const struct box *box;
	char *text;
	char *encoding;
} events[MAX_EVENTS];

static size_t nr_events;
static bool failed;

static void string(const char *s)
{
	putchar('"');
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			putchar('\\');
		putchar(*s);
	}
	putchar('"');
}

static size_t event_index(const struct box *box, const char *text)
{
	char *encoding = event_encoding(box, text);
	size_t i;

	if (!encoding) {
		failed = true;
		return 0;
	}
	for (i = 0; i < nr_events; i++) {
		if (events[i].box == box && !strcmp(events[i].encoding, encoding)) {
			free(encoding);
			return i;
		}
	}
	if (nr_events == MAX_EVENTS) {
		fprintf(stderr, "more than %d events in the metrics\n", MAX_EVENTS);
		exit(2);
	}
	events[nr_events].box = box;
	events[nr_events].text = strdup(text);
	events[nr_events].encoding = encoding;
	return nr_events++;
}

/* The expression with {N} for an event; *one is the box of all, or NULL */
static void expression(const char *name, const char *expr, const struct box *box,
		       const struct box **one)
{
	const struct box *of, *seen = NULL;
	char text[256], *at;
	size_t len;

	*one = box;
	putchar('"');
	while (*expr) {
		len = strcspn(expr, "[");
		printf("%.*s", (int)len, expr);
		expr += len;
		if (!*expr)
			break;
		len = strcspn(++expr, "]");
		snprintf(text, sizeof(text), "%.*s", (int)len, expr);
		expr += len + 1;
		of = box;
		at = text;
		if (!box) {
			at = strchr(text, ':');
			if (at)
				*at++ = 0;
			of = at ? box_find(text) : NULL;
			if (!of) {
				fprintf(stderr, "%s: no box in [%s]\n", name, text);
				failed = true;
				return;
			}
		}
		if (!seen)
			*one = of;
		else if (seen != of)
			*one = NULL;
		seen = of;
		printf("{%zu}", event_index(of, at));
	}
	putchar('"');
}

static int box_index(const struct box *box)
{
	return box ? (int)(box - boxes) : -1;
}

static unsigned int counters_mask(const struct box *box, const struct row *row)
{
	const char *text = row_counters(box, row);
	unsigned int lo, hi;
	int n = sscanf(text, "%u-%u", &lo, &hi);

	if (n < 1)
		return 0;
	if (n == 1)
		hi = lo;
	return (2u << hi) - (1u << lo);
}

/*
 * Filter settings of an encoding. The fields of QPI's packet filter are one
 * setting: a mask that is left out is 0, which is a value, too.
 */
static void print_filter_settings(const char *encoding)
{
	char *copy = strdup(encoding), *save, *term;
	bool packet = false;

	putchar('"');
	for (term = strtok_r(copy, ",", &save); term; term = strtok_r(NULL, ",", &save)) {
		if (!strncmp(term, "filter_", 7)) {
			printf("%s,", term);
		} else if (!strncmp(term, "match_", 6) || !strncmp(term, "mask_", 5)) {
			printf("%s%s;", packet ? "" : "packet=", term);
			packet = true;
		}
	}
	printf("%s\"", packet ? "," : "");
	free(copy);
}

static void print_events(void)
{
	size_t i;

	printf("const struct event events[] = {\n");
	for (i = 0; i < nr_events; i++) {
		const struct box *box = events[i].box;
		char *alias = strdup(events[i].text), *enc = events[i].encoding;
		const struct row *row;
		unsigned long long sel;

		alias[strcspn(alias, ",")] = 0;
		row = box_find_alias(box, alias);
		printf("\t{ %d, ", box_index(box));
		string(events[i].text);
		printf(", ");
		string(enc);
		printf(", 0x%x, ", counters_mask(box, row));
		print_filter_settings(enc);
		/* Every driver has DCLK and UCLK under this code, only ours the others */
		if (row->kind == ROW_FIXED && encoding_value(enc, "event", &sel) &&
		    sel != SNBEP_SEL_FIXED)
			printf(", \"%s\" },\n", alias);
		else
			printf(", \"\" },\n");
		free(alias);
	}
	printf("};\nconst unsigned int nr_events = %zu;\n\n", nr_events);
}

static const char *metric_note(const struct metric *m)
{
	size_t i;

	for (i = 0; i < nr_metrics; i++)
		if (metrics[i].kind == METRIC_NOTE_TEXT &&
		    !strcmp(metrics[i].box, m->box) && !strcmp(metrics[i].guide, m->guide))
			return metrics[i].text;
	return NULL;
}

/* Names in the order of the table that is printed, for COLUMN */
static const char *names[MAX_EVENTS];
static size_t nr_names;

static void print_metric(const char *name, const char *kind, const char *unit, const char *expr,
			 const struct box *box)
{
	const struct box *one;

	names[nr_names++] = name;
	printf("\t{\n\t\t.name = \"%s\", .kind = %s, .unit = \"%s\",\n\t\t.expr = ", name, kind,
	       unit);
	expression(name, expr, box, &one);
	printf(",\n\t\t.box = %d, .text = ", box_index(one));
	string(expr);
}

static void print_guide_metric(const struct metric *m)
{
	const struct box *box = box_find(m->box);
	const char *kind = "METRIC_LEVEL", *unit = m->scale;
	const struct stat_row *source = NULL;
	size_t i;

	if (!strcmp(m->scale, "100%")) {
		kind = "METRIC_RATIO";
		unit = "%";
	} else if (!strcmp(m->scale, "1Bytes")) {
		kind = "METRIC_AMOUNT";
		unit = "bytes";
	} else if (*unit == '1') {
		unit++;
	}
	for (i = 0; i < COUNT(sources); i++)
		if (!strcmp(sources[i].a, m->box))
			source = &sources[i];
	if (!box || !source) {
		fprintf(stderr, "%s: no METRIC_SOURCE\n", m->name);
		failed = true;
		return;
	}
	print_metric(m->name, kind, unit, m->expr, box);
	printf(",\n\t\t.guide = \"%s of section %s, Table %s\",\n\t\t.desc = ", m->guide, source->b,
	       source->c);
	string(m->text);
	if (metric_note(m)) {
		printf(",\n\t\t.note = ");
		string(metric_note(m));
	}
	printf("\n\t},\n");
}

static void print_stat_metric(const struct stat_row *s)
{
	const char *kind = "METRIC_AMOUNT";

	if (!strcmp(s->b, "%"))
		kind = "METRIC_RATIO";
	else if (!*s->b)
		kind = "METRIC_LEVEL";
	print_metric(s->a, kind, s->b, s->d, NULL);
	printf(",\n\t\t.guide = \"section %s\",\n\t\t.desc = ", s->c);
	string(s->e);
	printf("\n\t},\n");
}

static void print_all_metrics(void)
{
	size_t i;

	printf("const struct metric metrics[] = {\n");
	for (i = 0; i < COUNT(stats); i++)
		print_stat_metric(&stats[i]);
	for (i = 0; i < nr_metrics; i++)
		if (metrics[i].kind == METRIC_EXPR)
			print_guide_metric(&metrics[i]);
	printf("};\nconst unsigned int nr_metrics = %zu;\n\n", nr_names);

	printf("const struct left_out left_outs[] = {\n");
	for (i = 0; i < nr_metrics; i++)
		if (metrics[i].kind == METRIC_NOT_OFFERED)
			printf("\t{ \"%s\", \"%s\", \"%s\" },\n", metrics[i].box, metrics[i].guide,
			       metrics[i].text);
	printf("};\nconst unsigned int nr_left_outs = sizeof(left_outs) / sizeof(left_outs[0]);\n\n");
}

static void print_columns(void)
{
	size_t i, g, m;

	printf("const struct group groups[] = {\n");
	for (i = 0; i < COUNT(groups); i++)
		printf("\t{ \"%s\", \"%s\", \"%s\" },\n", groups[i].a, groups[i].b, groups[i].c);
	printf("};\nconst unsigned int nr_groups = %zu;\n\n", COUNT(groups));

	printf("const struct column columns[] = {\n");
	for (i = 0; i < COUNT(columns); i++) {
		for (g = 0; g < COUNT(groups) && strcmp(groups[g].a, columns[i].a); g++)
			;
		for (m = 0; m < nr_names && strcmp(names[m], columns[i].b); m++)
			;
		if (g == COUNT(groups) || m == nr_names) {
			fprintf(stderr, "COLUMN(%s, %s): no such %s\n", columns[i].a, columns[i].b,
				m == nr_names ? "metric" : "group");
			failed = true;
		}
		printf("\t{ %zu, %zu, \"%s\", \"%s\", %d, %.17g },\n", g, m, columns[i].c,
		       columns[i].d, columns[i].decimals, columns[i].divisor);
	}
	printf("};\nconst unsigned int nr_columns = %zu;\n", COUNT(columns));
}

int print_stat(const char *arg)
{
	const struct box *box;
	size_t i;

	(void)arg;
	printf("/* Made by \"gen stat\" from events/snbep_*.def */\n#include \"table.h\"\n\n");
	printf("const struct box_type box_types[] = {\n");
	for (box = boxes; box < boxes + nr_boxes; box++) {
		bool spread = false;

		for (i = 0; i < COUNT(spreads); i++)
			spread |= !strcmp(spreads[i].a, box->name);
		printf("\t{ \"%s\", \"%s\", 0x%x, %u, %s },\n", box->name, box->title,
		       box->counters, box->instances, spread ? "true" : "false");
	}
	printf("};\nconst unsigned int nr_box_types = %zu;\n\n", nr_boxes);
	print_all_metrics();
	print_events();
	print_columns();
	return failed;
}
