// SPDX-License-Identifier: GPL-2.0-only
/* uncorestat's tables, from snbep_*.def, e5_generations.def and e5_lists.def */
#include "stat.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LETTERS		"abcdefghijklmnopqrstuvwxyz"
#define CAPITALS	"ABCDEFGHIJKLMNOPQRSTUVWXYZ"
#define DIGITS		"0123456789"
#define MAX_NAME	32
#define MAX_UNIT	10

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

const struct generation generations[] = {
#define GENERATION(b, m, n, d, p, r)	{ b, m, n, d, p, r },
#include "../e5_generations.def"
};

const unsigned int nr_generations = ARRAY_SIZE(generations);

/* A row of e5_generations.def; @kind is the first letter of its macro */
static const struct generation_row {
	char kind;
	unsigned int gens;
	const char *name, *alias, *text, *note;
	unsigned int counters, instances;
} generation_rows[] = {
#define PCI(g, b, d)		{ 'p', g, #b, 0, d, 0, 0, 0 },
#define FAULT(g, b, f, w, t)	{ 'f', g, #b, f, t, w, 0, 0 },
#define LIMIT(g, m, n)		{ 'm', g, #m, 0, #n, 0, 0, 0 },
#define OTHER(g, b, t)		{ 'o', g, #b, 0, t, 0, 0, 0 },
#define BOX(g, b, c, i)		{ 'b', g, #b, 0, 0, 0, c, i },
#define CODE(g, b, a, c, e)	{ 'c', g, #b, #a, e, 0, c, 0 },
#define EQUATION(g, m, e, n)	{ 'e', g, #m, 0, e, n, 0, 0 },
#define LACKS(g, m, r)		{ 'l', g, #m, 0, r, 0, 0, 0 },
#include "../e5_generations.def"
};

/* A row of e5_lists.def */
static const struct listed {
	unsigned int gens;
	const char *box;
	unsigned int sel, counters;
	const char *name, *umasks;
} listed[] = {
#define LISTED(g, b, s, c, n, u)	{ g, #b, s, c, n, u },
#include "../e5_lists.def"
};

const struct group groups[] = {
#define GROUP(n, p, d)		{ #n, p, d },
#include "../snbep_metrics.def"
};

const unsigned int nr_groups = ARRAY_SIZE(groups);

const struct column columns[] = {
#define COLUMN(g, m, t, h, n, d)	{ #g, #m, t, h, n, d, 0, ALL },
#define COLUMN_OF(gens, g, m, t, h, n, d)	{ #g, #m, t, h, n, d, 0, gens },
#include "../snbep_metrics.def"
};

const unsigned int nr_columns = ARRAY_SIZE(columns);

/* Rows of snbep_metrics.def that only uncorestat uses */
static const struct stat_row {
	const char *name, *unit, *guide, *expr, *desc;
} stats[] = {
#define STAT(n, u, g, e, d)	{ #n, u, g, e, d },
#include "../snbep_metrics.def"
};

static const struct {
	const char *box, *section, *table;
} sources[] = {
#define METRIC_SOURCE(b, s, t)	{ #b, s, t },
#include "../snbep_metrics.def"
};

static const struct {
	const char *metric, *text;
} highs[] = {
#define HIGH(m, t)		{ #m, t },
#include "../snbep_metrics.def"
};

const struct generation *generation = generations;
const struct box *box_types;
struct event events[MAX_STAT_EVENTS];
struct metric metrics[MAX_STAT_METRICS];
unsigned int nr_box_types, nr_events, nr_metrics;

/* Return the generation's row of a kind after @r, or the first one. */
static const struct generation_row *next_row(const struct generation_row *r, char kind)
{
	const struct generation_row *end = generation_rows + ARRAY_SIZE(generation_rows);

	for (r = r ? r + 1 : generation_rows; r < end; r++)
		if (r->kind == kind && (r->gens & generation->bit))
			return r;
	return NULL;
}

static const struct generation_row *find_row(char kind, const char *name)
{
	const struct generation_row *r = next_row(NULL, kind);

	/* Boxes of others' lists may be in capitals. */
	while (r && strcasecmp(r->name, name))
		r = next_row(r, kind);
	return r;
}

const char *box_pci(const char *box)
{
	const struct generation_row *r = find_row('p', box);

	return r ? r->text : "";
}

const char *box_other(const char *box)
{
	const struct generation_row *r = find_row('o', box);

	return r ? r->text : NULL;
}

const char *box_fault(const char *box, bool (*has)(const void *data, const char *field),
		      const void *data)
{
	const struct generation_row *r;

	for (r = next_row(NULL, 'f'); r; r = next_row(r, 'f'))
		if (!strcmp(r->name, box) && has(data, r->alias) &&
		    !(*r->note && has(data, r->note)))
			return r->text;
	return NULL;
}

int box_index(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_box_types; i++)
		if (!strcmp(box_types[i].name, name))
			return i;
	return -1;
}

/*
 * Return the filter settings of an encoding. The fields of QPI's packet filter are
 * one setting, as masks that are not given are 0.
 */
static char *filter_settings(const char *encoding)
{
	char *save, *term, *buf;
	bool packet = false;
	size_t size;
	FILE *out = open_memstream(&buf, &size);

	for (term = strtok_r(strdup(encoding), ",", &save); term; term = strtok_r(NULL, ",", &save)) {
		if (!strncmp(term, "filter_", 7)) {
			fprintf(out, "%s,", term);
		} else if (!strncmp(term, "match_", 6) || !strncmp(term, "mask_", 5)) {
			fprintf(out, "%s%s;", packet ? "" : "packet=", term);
			packet = true;
		}
	}
	fprintf(out, "%s", packet ? "," : "");
	fclose(out);
	return buf;
}

/* Return the index of an event in brackets, which is added if it is new. */
static unsigned int event_index(unsigned int type, const char *text)
{
	const struct box *box = &box_types[type];
	bool raw = !strncmp(text, "event=", 6);
	const char *alias = format("%.*s", (int)strcspn(text, ","), text), *encoding;
	const struct row *row = raw ? NULL : box_find_alias(box, alias);
	struct event *e = &events[nr_events];
	unsigned int i;

	if (!raw && !row)
		fail("%s has no alias %s", box->name, alias);
	encoding = raw ? strdup(text) : event_encoding(box, text);
	/* Two events of a fixed counter would be multiplexed. */
	if (!strcmp(encoding, "event=0xff,umask=0x00"))
		encoding = "event=0xff";
	if (nr_events == MAX_STAT_EVENTS)
		fail("[%s:%s]: too many events", box->name, text);
	for (i = 0; i < nr_events; i++)
		if (events[i].type == type && !strcmp(events[i].encoding, encoding))
			return i;
	e->type = type;
	e->name = strdup(text);
	e->encoding = encoding;
	e->counters = raw ? box->counters : row_mask(box, row) & ~FIXED_COUNTER;
	e->filters = filter_settings(encoding);
	return nr_events++;
}

/* Return an expression with {N} for events; m->box is the only box type, or -1. */
static char *expression(struct metric *m, int box)
{
	const char *p = m->text;
	char text[256], *buf, *at;
	int type, seen = 0;
	size_t size, len;
	FILE *out = open_memstream(&buf, &size);

	m->box = box;
	for (;;) {
		len = strcspn(p, "[");
		fprintf(out, "%.*s", (int)len, p);
		p += len;
		if (!*p)
			break;
		len = strcspn(++p, "]");
		if (!p[len] || len >= sizeof(text))
			fail("%s: an event that has no end, or is too long: [%s", m->name, p);
		snprintf(text, sizeof(text), "%.*s", (int)len, p);
		p += len + 1;
		at = strchr(text, ':');
		if (at)
			*at++ = 0;
		type = at ? box_index(text) : box;
		if (type < 0)
			fail("%s: no box type, such as imc, in [%s]", m->name, text);
		m->box = !seen++ || m->box == type ? type : -1;
		fprintf(out, "{%u}", event_index(type, at ? at : text));
	}
	fclose(out);
	return buf;
}

/* Return whether the generation has all events of a metric. */
static bool is_offered(const struct metric *m, int box)
{
	char name[64], *alias;
	const char *p = m->text;
	int type;

	while ((p = strchr(p, '['))) {
		p++;
		snprintf(name, sizeof(name), "%.*s", (int)strcspn(p, ",]"), p);
		alias = strchr(name, ':');
		if (alias)
			*alias++ = 0;
		type = alias ? box_index(name) : box;
		if (type < 0 || !box_find_alias(&box_types[type], alias ? alias : name))
			return false;
	}
	return true;
}

static void add_metric(struct metric new, int box)
{
	const struct generation_row *equation = find_row('e', new.name);
	const struct generation_row *lacks = find_row('l', new.name);
	const struct generation_row *limit = find_row('m', new.name);
	size_t i;

	if (!strcmp(new.unit, "%"))
		new.kind = METRIC_RATIO;
	else if (strstr(" GT/s watts celsius GHz ns MB ", format(" %s ", new.unit)) || !*new.unit)
		new.kind = METRIC_LEVEL;
	if (generation != generations) {
		new.guide = NULL;
		new.note = equation ? equation->note : NULL;
	}
	if (equation)
		new.text = equation->text;
	if (lacks) {
		new.lacks = lacks->text;
		new.text = "";
	}
	if (limit)
		new.most = strtod(limit->text, NULL);
	if (!is_offered(&new, box))
		return;
	new.expr = expression(&new, box);
	for (i = 0; i < ARRAY_SIZE(highs) && !lacks; i++)
		if (!strcmp(highs[i].metric, new.name))
			new.high = highs[i].text;
	if (nr_metrics == MAX_STAT_METRICS)
		fail("more than %d metrics", MAX_STAT_METRICS);
	metrics[nr_metrics++] = new;
}

static const char *metric_note(const struct guide_metric *m)
{
	size_t i;

	for (i = 0; i < nr_guide_metrics; i++)
		if (guide_metrics[i].kind == METRIC_NOTE_TEXT &&
		    !strcmp(guide_metrics[i].box, m->box) &&
		    !strcmp(guide_metrics[i].guide, m->guide))
			return guide_metrics[i].text;
	return NULL;
}

/* Put the expressions of metrics in place of their names; @box becomes that of all, or -1. */
static const char *put_metrics(const char *expr, int *box)
{
	char *buf;
	size_t size, len, i;
	FILE *out = open_memstream(&buf, &size);
	bool any = strchr(expr, '{');

	for (; *expr; expr += len) {
		len = strspn(expr, LETTERS DIGITS "_");
		for (i = 0; len && strchr(LETTERS, *expr) && i < nr_metrics; i++)
			if (strlen(metrics[i].name) == len && !memcmp(metrics[i].name, expr, len))
				break;
		if (len && strchr(LETTERS, *expr) && i < nr_metrics) {
			if (metrics[i].lacks)
				fail("%s: %s", metrics[i].name, metrics[i].lacks);
			*box = !any || *box == metrics[i].box ? metrics[i].box : -1;
			any = true;
			fprintf(out, "(%s)", metrics[i].expr);
			/* Metrics of metrics grow by powers. */
			if (ftell(out) > 1 << 20)
				fail("%s: too long with the expressions of metrics", metrics[i].name);
			continue;
		}
		len += !len;
		fprintf(out, "%.*s", (int)len, expr);
	}
	fclose(out);
	return buf;
}

/* Add a metric of no guide, with or without names of others. */
static const struct metric *define(struct metric new, bool names)
{
	new.expr = expression(&new, -1);
	if (names)
		new.expr = put_metrics(new.expr, &new.box);
	if (nr_metrics == MAX_STAT_METRICS)
		fail("more than %d metrics", MAX_STAT_METRICS);
	metrics[nr_metrics] = new;
	return &metrics[nr_metrics++];
}

const struct metric *metric_define(const char *name, int len, const char *expr)
{
	const char *unit = memchr(name, '(', len);
	int size = unit ? unit - name : len;
	struct metric new = {
		.name = format("%.*s", size, name), .unit = "", .kind = METRIC_LEVEL,
		.text = expr, .desc = expr, .own = true,
	};
	const char *wrong = expr + strspn(expr, LETTERS CAPITALS DIGITS "_#.,:=+-*/()[] ");
	unsigned int i;

	for (i = 0; i < nr_metrics; i++)
		if (!strcmp(metrics[i].name, new.name))
			fail("%s: there is a metric of this name", new.name);
	if (unit) {
		new.unit = format("%.*s", len - size - 2, unit + 1);
		if (name[len - 1] != ')' || !*new.unit || strlen(new.unit) > MAX_UNIT ||
		    new.unit[strspn(new.unit, LETTERS CAPITALS DIGITS "/%")])
			fail("%s: a unit in brackets has letters, digits, / and %%, %d at most",
			     new.name, MAX_UNIT);
		if (!strcmp(new.unit, "%"))
			new.kind = METRIC_RATIO;
	}
	if (!strchr(LETTERS, *new.name) || size > MAX_NAME || !size ||
	    new.name[strspn(new.name, LETTERS DIGITS "_")])
		fail("%s: not a name of lower case letters, digits and _, a letter first, %d at most",
		     new.name, MAX_NAME);
	/* Quotes and ends of lines are those of the outputs, {N} is an event of expression(). */
	if (*wrong)
		fail(*wrong > ' ' && *wrong < 127 ? "%s: no '%c' in an expression" :
		     "%s: no character 0x%02x in an expression", new.name, (unsigned char)*wrong);
	return define(new, true);
}

static bool is_field(const void *name, const char *field)
{
	return !strcmp(name, field);
}

const struct metric *metric_freq(const char *name)
{
	struct metric new = { .name = strdup(name), .unit = "%", .kind = METRIC_RATIO };
	static unsigned int band;
	unsigned int mhz;
	char rest;

	if (sscanf(name, "freq_%4u%c", &mhz, &rest) != 1 || strlen(name) != 9 || mhz < 100 ||
	    mhz % 100 || !box_find_alias(&box_types[box_index("pcu")], "freq_band0_cycles"))
		return NULL;
	/* Bands take turns, as each has one value; Linux loses some generations' values. */
	if (!box_find_alias(&box_types[box_index("pcu")], format("freq_band%u_cycles", band)) ||
	    box_fault("pcu", is_field, format("filter_band%u", band)))
		band = 0;
	new.text = format("d_ratio([pcu:freq_band%u_cycles,filter_band%u=%#x], [pcu:clockticks])",
			  band, band, mhz / 100);
	new.desc = format("Time at or above %u.%u GHz", mhz / 1000, mhz / 100 % 10);
	band++;
	return define(new, false);
}

static void add_guide_metric(const struct guide_metric *m)
{
	struct metric new = {
		.name = m->name, .unit = m->scale, .text = m->expr, .desc = m->text,
		.note = metric_note(m),
	};
	size_t i;

	if (!strcmp(m->scale, "100%"))
		new.unit = "%";
	else if (!strcmp(m->scale, "1Bytes"))
		new.unit = "bytes";
	else if (*m->scale == '1')
		new.unit++;
	for (i = 0; i < ARRAY_SIZE(sources) && strcmp(sources[i].box, m->box); i++)
		;
	if (i == ARRAY_SIZE(sources))
		fail("%s: no METRIC_SOURCE", m->name);
	new.guide = format("%s of section %s, Table %s", m->guide, sources[i].section,
			   sources[i].table);
	add_metric(new, box_index(m->box));
}

/* Add an event of a perf list to a box, unless it has one of this name. */
static void add_listed(struct box *b, const struct listed *l, const char *umask)
{
	const char *suffix = umask + strcspn(umask, ". "), *terms;
	int len = strcspn(umask, " "), own = strcspn(umask, ",");
	struct row row = { .kind = ROW_ALIAS, .counters = l->counters };
	char *alias, *p;

	terms = own < len ? format("%.*s", len - own, umask + own) : "";
	alias = format("%s%.*s", l->name, (int)(umask + (own < len ? own : len) - suffix), suffix);
	for (p = alias; *p; p++)
		*p = *p == '.' ? '_' : tolower((unsigned char)*p);
	if (box_find_alias(b, alias))
		return;
	row.event = alias;
	row.encoding = format("event=0x%02x%s%s", l->sel,
			      strncmp(umask, "00", 2) ? format(",umask=0x%.2s", umask) : "", terms);
	b->rows = realloc((void *)b->rows, (b->nr_rows + 1) * sizeof(row));
	((struct row *)b->rows)[b->nr_rows++] = row;
}

/* Add the events of perf's list for this generation. */
static void add_list(struct box *b)
{
	const struct listed *l;
	const char *p;

	for (l = listed; l < listed + ARRAY_SIZE(listed); l++)
		if ((l->gens & generation->bit) && !strcmp(l->box, b->name))
			for (p = l->umasks; *p; p += strcspn(p, " "), p += strspn(p, " "))
				add_listed(b, l, p);
}

/* Add box types from the BOX and CODE rows; the first generation has those of snbep_*.def. */
static void find_boxes(void)
{
	const struct generation_row *r, *code;
	size_t first = generation == generations ? nr_boxes : 0, i;
	struct box *found = calloc(nr_boxes + ARRAY_SIZE(generation_rows), sizeof(*found));

	box_types = found;
	nr_box_types = first;
	for (i = 0; i < first; i++) {
		struct row *rows = calloc(boxes[i].nr_rows, sizeof(*rows));

		memcpy(rows, boxes[i].rows, boxes[i].nr_rows * sizeof(*rows));
		found[i] = boxes[i];
		found[i].rows = rows;
		add_list(&found[i]);
	}
	for (r = next_row(NULL, 'b'); r; r = next_row(r, 'b')) {
		struct row *rows = calloc(ARRAY_SIZE(generation_rows), sizeof(*rows));
		struct box *b = &found[nr_box_types++];

		b->name = r->name;
		for (i = 0; i < nr_boxes; i++)
			if (!strcmp(boxes[i].name, r->name))
				*b = boxes[i];
		b->counters = r->counters;
		b->instances = r->instances;
		b->rows = rows;
		b->nr_rows = 0;
		for (code = next_row(NULL, 'c'); code; code = next_row(code, 'c'))
			if (!strcmp(code->name, r->name))
				rows[b->nr_rows++] = (struct row){
					.kind = ROW_ALIAS, .event = code->alias,
					.encoding = code->text, .counters = code->counters,
				};
		add_list(b);
	}
}

void stat_init(const struct generation *g)
{
	size_t i;

	generation = g;
	nr_events = 0;
	nr_metrics = 0;
	find_boxes();
	for (i = 0; i < ARRAY_SIZE(stats); i++) {
		struct metric new = {
			.name = stats[i].name, .unit = stats[i].unit, .text = stats[i].expr,
			.desc = stats[i].desc,
			.guide = stats[i].guide ? format("section %s", stats[i].guide) : NULL,
		};

		add_metric(new, -1);
	}
	for (i = 0; i < nr_guide_metrics; i++)
		if (guide_metrics[i].kind == METRIC_EXPR)
			add_guide_metric(&guide_metrics[i]);
}
