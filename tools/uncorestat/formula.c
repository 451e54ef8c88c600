// SPDX-License-Identifier: GPL-2.0-only
#include "formula.h"

#include <stdlib.h>
#include <string.h>

#include "util.h"

/* State of the parser */
struct parser {
	struct formula *formula;
	const char *p;
	const char *wrong;
	unsigned int depth;
};

static bool word(struct parser *s, const char *w)
{
	while (*s->p == ' ')
		s->p++;
	if (strncmp(s->p, w, strlen(w)))
		return false;
	s->p += strlen(w);
	return true;
}

static void wrong(struct parser *s)
{
	if (!s->wrong)
		s->wrong = s->p;
}

static void expect(struct parser *s, const char *w)
{
	if (!word(s, w))
		wrong(s);
}

static void emit(struct parser *s, struct op op)
{
	struct formula *p = s->formula;

	p->ops = grow(p->ops, p->nr, sizeof(op));
	p->ops[p->nr++] = op;
}

static void add_event(struct formula *f, unsigned int event)
{
	unsigned int i;

	for (i = 0; i < f->nr_events && f->events[i] != event; i++)
		;
	if (i == MAX_METRIC_EVENTS)
		f->wrong = format("more than %d events", MAX_METRIC_EVENTS);
	else
		f->events[i] = event;
	f->nr_events += i == f->nr_events && i < MAX_METRIC_EVENTS;
}

static void sum(struct parser *s);

static void nested_sum(struct parser *s)
{
	if (s->depth++ < MAX_DEPTH)
		sum(s);
	else
		s->p += strlen(s->p);
	if (s->depth <= MAX_DEPTH)
		s->depth--;
}

static void factor(struct parser *s)
{
	struct op op = { NUMBER, 0, 1 };
	char *end;

	word(s, "");
	if (word(s, "{")) {
		op = (struct op){ EVENT, strtoul(s->p, &end, 10), 0 };
		s->p = end + 1;
		add_event(s->formula, op.event);
	} else if (word(s, "d_ratio(")) {
		nested_sum(s);
		expect(s, ",");
		nested_sum(s);
		expect(s, ")");
		op.kind = DIVIDE;
	} else if (word(s, "(")) {
		nested_sum(s);
		expect(s, ")");
		return;
	} else if (word(s, "#num_packages")) {
		op.kind = PACKAGES;
	} else if (word(s, "#num_boxes")) {
		op.kind = BOXES;
	} else if (!word(s, "duration_time")) {
		/* Counts are rates, of a second. strtod() takes blanks, a sign, inf and nan. */
		op.number = strchr(".0123456789", *s->p) ? strtod(s->p, &end) : 0;
		if (!strchr(".0123456789", *s->p) || !*s->p || end == s->p)
			wrong(s);
		else
			s->p = end;
	}
	emit(s, op);
}

static void product(struct parser *s)
{
	factor(s);
	for (;;) {
		bool divide = word(s, "/");

		if (!divide && !word(s, "*"))
			return;
		factor(s);
		emit(s, (struct op){ divide ? DIVIDE : MULTIPLY, 0, 0 });
	}
}

static void sum(struct parser *s)
{
	product(s);
	for (;;) {
		bool subtract = word(s, "-");

		if (!subtract && !word(s, "+"))
			return;
		product(s);
		emit(s, (struct op){ subtract ? SUBTRACT : ADD, 0, 0 });
	}
}

/* Return whether an average needs the sums of both sides of a division: see divide() of value.c. */
static bool divides(const struct formula *f)
{
	bool counts[4 * MAX_DEPTH], divided[4 * MAX_DEPTH];
	const struct op *op;
	int at = -1;

	for (op = f->ops; op < f->ops + f->nr; op++) {
		if (op->kind < ADD) {
			counts[++at] = op->kind == EVENT;
			divided[at] = false;
			continue;
		}
		at--;
		divided[at] |= op->kind == DIVIDE ? counts[at + 1] : divided[at + 1];
		counts[at] |= counts[at + 1];
	}
	return divided[at];
}

static void parse(struct formula *f)
{
	struct parser s = { .formula = f, .p = f->expr };

	sum(&s);
	word(&s, "");
	if (!s.wrong && *s.p)
		s.wrong = s.p;
	if (s.depth > MAX_DEPTH)
		f->wrong = "nested too deeply";
	else if (s.wrong)
		f->wrong = *s.wrong ? format("wrong from here on: %s", s.wrong) : "wrong at its end";
	if (!f->wrong)
		f->divides = divides(f);
}

const struct formula *formula_of(const struct metric *m)
{
	static struct formula formulas[MAX_STAT_METRICS];
	struct formula *f = &formulas[m - metrics];

	if (f->expr != m->expr) {
		*f = (struct formula){ .expr = m->expr };
		parse(f);
	}
	return f;
}
