// SPDX-License-Identifier: GPL-2.0-only
/*
 * "gen stat": uncorestat's tables in C, for each generation: box types, metrics,
 * events with their counters, and columns.
 */
#define _GNU_SOURCE
#include "gen.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static const struct generation {
	unsigned int bit;
	unsigned int model;
	const char *name, *drivers, *proof, *rates;
} generations[] = {
#define GENERATION(b, m, n, d, p, r)	{ b, m, n, d, p, r },
#include "../e5_generations.def"
};

/* A row of e5_generations.def; @kind is the first letter of its macro */
static const struct generation_row {
	char kind;
	unsigned int gens;
	const char *name, *alias, *text, *note;
	unsigned int counters, instances;
} generation_rows[] = {
#define BOX(g, b, c, i)		{ 'b', g, #b, 0, 0, 0, c, i },
#define CODE(g, b, a, c, e)	{ 'c', g, #b, #a, e, 0, c, 0 },
#define EQUATION(g, m, e, n)	{ 'e', g, #m, 0, e, n, 0, 0 },
#define LACKS(g, m, r)		{ 'l', g, #m, 0, r, 0, 0, 0 },
#include "../e5_generations.def"
};

/* The current generation and its box types */
static const struct generation *gen;
static const struct box *gen_boxes;
static size_t nr_gen_boxes;

/* Return the current generation's row of a kind after @r, or the first one. */
static const struct generation_row *next_row(const struct generation_row *r, char kind)
{
	for (r = r ? r + 1 : generation_rows; r < generation_rows + COUNT(generation_rows); r++)
		if (r->kind == kind && (r->gens & gen->bit))
			return r;
	return NULL;
}

static const struct generation_row *find_row(char kind, const char *name)
{
	const struct generation_row *r = next_row(NULL, kind);

	while (r && strcmp(r->name, name))
		r = next_row(r, kind);
	return r;
}

/* A row of snbep_metrics.def that only uncorestat uses */
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

#define HIGH(m, t)		{ #m, t, 0, 0, 0, 0, 0 },
static const struct stat_row highs[] = {
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

/* Unique events of all expressions: box, text in brackets, encoding */
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

static const struct box *find_box(const char *name)
{
	const struct box *b;

	for (b = gen_boxes; b < gen_boxes + nr_gen_boxes; b++)
		if (!strcmp(b->name, name))
			return b;
	return NULL;
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

/* Print an expression with {N} for events; *one is the only box type, or NULL. */
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
		at = strchr(text, ':');
		if (at) {
			*at++ = 0;
			of = find_box(text);
		} else {
			at = text;
		}
		if (!of) {
			fprintf(stderr, "%s: no box in [%s]\n", name, text);
			failed = true;
			return;
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
	return box ? (int)(box - gen_boxes) : -1;
}

static unsigned int counters_mask(const struct box *box, const struct row *row)
{
	unsigned int lo, hi;
	int n;

	if (row->kind == ROW_ALIAS && row->counters)
		return row->counters;
	n = sscanf(row_counters(box, row), "%u-%u", &lo, &hi);
	if (n < 1)
		return 0;
	if (n == 1)
		hi = lo;
	return (2u << hi) - (1u << lo);
}

/*
 * Print the filter settings of an encoding. The fields of QPI's packet filter are
 * one setting, as masks that are not given are 0.
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

	printf("static const struct event events_%u[] = {\n", gen->model);
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
		/* Only this driver has fixed counters with other codes. */
		if (row->kind == ROW_FIXED && encoding_value(enc, "event", &sel) &&
		    sel != SNBEP_SEL_FIXED)
			printf(", \"%s\" },\n", alias);
		else
			printf(", \"\" },\n");
		free(alias);
	}
	printf("};\n\n");
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

/* Metric names in the order of the printed table, for COLUMN */
static const char *names[MAX_EVENTS];
static size_t nr_names;

/* v2 to v4 only have the metrics of columns: the others are not verified. */
static bool is_offered(const char *name)
{
	size_t i;

	for (i = 0; i < COUNT(columns) && strcmp(columns[i].b, name); i++)
		;
	return gen == generations || i < COUNT(columns);
}

static void field(const char *name, const char *text)
{
	if (!text)
		return;
	printf("\t\t.%s = ", name);
	string(text);
	printf(",\n");
}

static void print_metric(const char *name, const char *unit, const char *expr,
			 const struct box *box, const char *guide, const char *desc,
			 const char *note)
{
	const struct generation_row *equation = find_row('e', name), *lacks = find_row('l', name);
	const char *kind = "METRIC_AMOUNT";
	const struct box *one = box;
	size_t i;

	if (!is_offered(name))
		return;
	if (!strcmp(unit, "%"))
		kind = "METRIC_RATIO";
	else if (!*unit || !strcmp(unit, "GT/s"))
		kind = "METRIC_LEVEL";
	if (gen != generations) {
		guide = NULL;
		note = equation ? equation->note : NULL;
	}
	if (equation)
		expr = equation->text;
	names[nr_names++] = name;
	printf("\t{\n\t\t.name = \"%s\", .kind = %s, .unit = \"%s\",\n", name, kind, unit);
	if (lacks) {
		field("lacks", lacks->text);
		expr = "";
	}
	printf("\t\t.expr = ");
	expression(name, expr, box, &one);
	printf(",\n\t\t.box = %d,\n", box_index(one));
	field("text", expr);
	field("guide", guide);
	field("desc", desc);
	for (i = 0; i < COUNT(highs) && !lacks; i++)
		if (!strcmp(highs[i].a, name))
			field("high", highs[i].b);
	field("note", note);
	printf("\t},\n");
}

static void print_guide_metric(const struct metric *m)
{
	const struct stat_row *source = NULL;
	const char *unit = m->scale;
	char guide[200];
	size_t i;

	if (!strcmp(m->scale, "100%"))
		unit = "%";
	else if (!strcmp(m->scale, "1Bytes"))
		unit = "bytes";
	else if (*unit == '1')
		unit++;
	for (i = 0; i < COUNT(sources); i++)
		if (!strcmp(sources[i].a, m->box))
			source = &sources[i];
	if (!source) {
		fprintf(stderr, "%s: no METRIC_SOURCE\n", m->name);
		failed = true;
		return;
	}
	snprintf(guide, sizeof(guide), "%s of section %s, Table %s", m->guide, source->b,
		 source->c);
	print_metric(m->name, unit, m->expr, find_box(m->box), guide, m->text, metric_note(m));
}

static void print_all_metrics(void)
{
	char guide[40];
	size_t i;

	printf("static const struct metric metrics_%u[] = {\n", gen->model);
	for (i = 0; i < COUNT(stats); i++) {
		snprintf(guide, sizeof(guide), "section %s", stats[i].c);
		print_metric(stats[i].a, stats[i].b, stats[i].d, NULL, guide, stats[i].e, NULL);
	}
	for (i = 0; i < nr_metrics; i++)
		if (metrics[i].kind == METRIC_EXPR)
			print_guide_metric(&metrics[i]);
	printf("};\n\n");
}

static void print_left_outs(void)
{
	size_t i;

	printf("const struct left_out left_outs[] = {\n");
	for (i = 0; i < nr_metrics; i++)
		if (metrics[i].kind == METRIC_NOT_OFFERED)
			printf("\t{ \"%s\", \"%s\", \"%s\" },\n", metrics[i].box, metrics[i].guide,
			       metrics[i].text);
	printf("};\nconst unsigned int nr_left_outs = sizeof(left_outs) / sizeof(left_outs[0]);\n\n");
}

/* Print the format fields of SNBEP_F_* flags, each followed by a comma. */
static void print_fields(unsigned int flags)
{
	unsigned int bit;

	printf(", \"");
	for (bit = 1; bit && bit <= flags; bit <<= 1)
		if ((flags & bit) && filter_name(bit))
			printf("filter_%s,", filter_name(bit));
	printf("\"");
}

static void print_guide_rows(void)
{
	const struct row *row, *event;
	const struct box *box;

	printf("const struct guide_row guide_rows[] = {\n");
	for_each_row(box, row) {
		if (row->kind != ROW_PLAIN && row->kind != ROW_UMASK && row->kind != ROW_FIXED)
			continue;
		event = row_event(box, row);
		printf("\t{ %td, \"%s\", \"%s\", 0x%x, 0x%x", box - boxes, event->event,
		       row->umask_name ? row->umask_name : "", event->sel, row->umask);
		print_fields(row->needs);
		print_fields(event->takes);
		printf(" },\n");
	}
	printf("};\nconst unsigned int nr_guide_rows = sizeof(guide_rows) / sizeof(guide_rows[0]);\n\n");
}

static void print_groups(void)
{
	size_t i;

	printf("const struct group groups[] = {\n");
	for (i = 0; i < COUNT(groups); i++)
		printf("\t{ \"%s\", \"%s\", \"%s\" },\n", groups[i].a, groups[i].b, groups[i].c);
	printf("};\nconst unsigned int nr_groups = %zu;\n\n", COUNT(groups));
}

static void print_columns(void)
{
	size_t i, g, m;

	printf("static const struct column columns_%u[] = {\n", gen->model);
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
	printf("};\n\n");
}

static void print_boxes(void)
{
	const struct box *box;
	size_t i;

	printf("static const struct box_type box_types_%u[] = {\n", gen->model);
	for (box = gen_boxes; box < gen_boxes + nr_gen_boxes; box++) {
		bool spread = false;

		for (i = 0; i < COUNT(spreads); i++)
			spread |= !strcmp(spreads[i].a, box->name);
		printf("\t{ \"%s\", \"%s\", 0x%x, %u, %s },\n", box->name, box->title,
		       box->counters, box->instances, spread ? "true" : "false");
	}
	printf("};\n\n");
}

/* Set up box types from the CODE rows; the first generation uses snbep_*.def. */
static void find_boxes(void)
{
	const struct generation_row *r, *code;
	struct box *found;

	gen_boxes = boxes;
	nr_gen_boxes = nr_boxes;
	if (gen == generations)
		return;
	found = calloc(COUNT(generation_rows), sizeof(*found));
	gen_boxes = found;
	nr_gen_boxes = 0;
	for (r = next_row(NULL, 'b'); r; r = next_row(r, 'b')) {
		struct row *rows = calloc(COUNT(generation_rows), sizeof(*rows));
		struct box *b = &found[nr_gen_boxes++];

		*b = *box_find(r->name);
		b->counters = r->counters;
		b->instances = r->instances;
		b->formats = NULL;
		b->rows = rows;
		b->nr_rows = 0;
		for (code = next_row(NULL, 'c'); code; code = next_row(code, 'c'))
			if (!strcmp(code->name, r->name))
				rows[b->nr_rows++] = (struct row){
					.kind = ROW_ALIAS, .event = code->alias,
					.encoding = code->text, .counters = code->counters,
				};
	}
}

static void print_generations(void)
{
	static const char * const tables[] = { "box_types", "events", "metrics", "columns" };
	size_t i;

	printf("const struct generation generations[] = {\n");
	for (gen = generations; gen < generations + COUNT(generations); gen++) {
		printf("\t{\n\t\t.model = %u, .name = \"%s\", .drivers = \"%s\",\n", gen->model,
		       gen->name, gen->drivers);
		printf("\t\t.proof = \"%s\", .rates = \"%s\",\n", gen->proof, gen->rates);
		for (i = 0; i < COUNT(tables); i++)
			printf("\t\t.%s = %s_%u, .nr_%s = sizeof(%s_%u) / sizeof(%s_%u[0]),\n",
			       tables[i], tables[i], gen->model, tables[i], tables[i], gen->model,
			       tables[i], gen->model);
		printf("\t},\n");
	}
	printf("};\nconst unsigned int nr_generations = %zu;\n", COUNT(generations));
}

int print_stat(const char *arg)
{
	(void)arg;
	printf("/* Made by \"gen stat\" from events/ */\n#include \"table.h\"\n\n");
	print_groups();
	print_left_outs();
	print_guide_rows();
	for (gen = generations; gen < generations + COUNT(generations); gen++) {
		nr_events = 0;
		nr_names = 0;
		find_boxes();
		print_boxes();
		print_all_metrics();
		print_events();
		print_columns();
	}
	print_generations();
	return failed;
}
