// SPDX-License-Identifier: GPL-2.0-only
#include "value.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

/* State of an evaluation: of rates, or, with @amounts, of what was counted */
struct eval {
	const struct counting *c;
	const struct formula *formula;
	const struct scope *scope;
	double seconds;
	bool amounts;
	struct value *v;
	double packages, boxes;
};

static bool in_scope(const struct eval *e, const struct pmu *pmu, unsigned int socket)
{
	return (e->scope->socket < 0 || (unsigned int)e->scope->socket == socket) &&
	       (e->scope->pmu ? e->scope->pmu == pmu : !pmu->part);
}

static const struct counter *find_counter(const struct counted *g, unsigned int event)
{
	unsigned int i;

	for (i = 0; i < g->nr; i++)
		if (g->counters[i].event == event)
			return &g->counters[i];
	return NULL;
}

/* Return whether a group has all events of the metric in this box type. */
static bool is_full(const struct eval *e, const struct counted *g)
{
	unsigned int i;

	for (i = 0; i < e->formula->nr_events; i++) {
		unsigned int event = e->formula->events[i];

		if (events[event].type == g->pmu->type && !find_counter(g, event))
			return false;
	}
	return true;
}

__attribute__((format(printf, 2, 3)))
static void why(struct eval *e, const char *fmt, ...)
{
	va_list ap;

	if (*e->v->why)
		return;
	va_start(ap, fmt);
	vsnprintf(e->v->why, sizeof(e->v->why), fmt, ap);
	va_end(ap);
}

static const char *state_text(enum count_state state)
{
	switch (state) {
	case COUNT_OFFLINE:
		return "all CPUs of its socket are offline";
	case COUNT_GONE:
		return "the box is gone";
	case COUNT_UNREAD:
		return "it cannot be read";
	default:
		return "not scheduled in this interval";
	}
}

/* Explain why a box that is present does not count an event. */
static void explain_box(struct eval *e, unsigned int event, const struct pmu *pmu,
			unsigned int socket)
{
	const struct machine *m = e->c->machine;
	unsigned int i;

	for (i = 0; i < e->c->nr_refused; i++) {
		const struct refused *r = &e->c->refused[i];

		if (r->pmu == pmu && r->socket == socket && r->event == event) {
			why(e, "socket %d %s: %s", m->sockets[socket], pmu->box, r->why);
			return;
		}
	}
	e->v->elsewhere |= e->scope->pmu == pmu;
}

unsigned int boxes_present(const struct counting *c, unsigned int type, unsigned int socket)
{
	const struct machine *m = c->machine;
	unsigned int present = 0, i, j;

	for (i = 0; i < m->nr_pmus; i++) {
		if (m->pmus[i].type != type)
			continue;
		/* A socket whose CPUs are offline keeps its groups. */
		for (j = 0; j < c->nr; j++)
			if (c->list[j].pmu == &m->pmus[i] && c->list[j].socket == socket)
				break;
		present += j < c->nr || m->pmus[i].cpu[socket] >= 0;
	}
	return present;
}

/* What the boxes of a scope counted of an event */
struct tally {
	unsigned int present, used;
	bool unknown;
	double sum;
};

/* Return the group of a box that counts an event; with @full, one that is_full(). */
static const struct counted *find_group(const struct eval *e, const struct pmu *pmu,
					unsigned int socket, unsigned int event, bool full)
{
	unsigned int i;

	for (i = 0; i < e->c->nr; i++) {
		const struct counted *g = &e->c->list[i];

		if (g->pmu == pmu && g->socket == socket && (!full || is_full(e, g)) &&
		    find_counter(g, event))
			return g;
	}
	return NULL;
}

/* Add the count of a group, or explain why it has none. */
static void add_group(struct eval *e, struct tally *t, const struct counted *g, unsigned int event)
{
	const struct counter *counter = find_counter(g, event);

	if (g->state != COUNT_OK || counter->backward) {
		why(e, "socket %d %s: %s", e->c->machine->sockets[g->socket], g->pmu->box,
		    g->state == COUNT_OK ? "its count decreased, and is discarded" :
		    state_text(g->state));
		/* Spread boxes are extrapolated; a box that is gone counts 0. */
		t->unknown |= !box_types[g->pmu->type].spread && g->state != COUNT_GONE;
		return;
	}
	t->used++;
	t->sum += counter->rate * (e->amounts ? g->seconds : 1);
	e->seconds = fmax(e->seconds, g->seconds);
	e->v->share = fmin(e->v->share, g->share);
}

/* Return the sum of an event over the boxes of the scope, or NAN without any. */
static double event_value(struct eval *e, unsigned int event)
{
	const struct machine *m = e->c->machine;
	unsigned int type = events[event].type, s, i;
	struct tally t = { 0 };
	bool full = false;

	for (i = 0; i < e->c->nr && !full; i++)
		full = e->c->list[i].pmu->type == type && is_full(e, &e->c->list[i]);
	for (s = 0; s < m->nr_sockets; s++) {
		for (i = 0; i < m->nr_pmus; i++) {
			const struct pmu *pmu = &m->pmus[i];
			const struct counted *g;

			if (pmu->type != type || !in_scope(e, pmu, s))
				continue;
			g = find_group(e, pmu, s, event, full);
			if (!g && pmu->cpu[s] < 0)
				continue;
			t.present++;
			if (g)
				add_group(e, &t, g, event);
			else
				explain_box(e, event, pmu, s);
		}
	}
	e->packages = (double)t.present / box_types[type].instances;
	e->boxes = t.present;
	if (!t.used || t.unknown)
		return NAN;
	if (t.used < t.present && box_types[type].spread) {
		e->v->sampled = true;
		t.sum *= (double)t.present / t.used;
	}
	return t.sum;
}

/* Reads of two boxes, or of a counter and the clock, are some time apart. */
#define TOLERANCE	1.05

/*
 * A value during the evaluation: @n / @d, where only a division by counts gives a @d that is not
 * 1. @counts: it depends on counts.
 */
struct part {
	double n, d;
	bool counts, divided;
};

/* No format for programs has a number for infinity. */
static double finite_or_nan(struct eval *e, double d)
{
	if (!isinf(d))
		return d;
	why(e, "too large a number");
	return NAN;
}

/* Nothing has a share of nothing, and no average. */
static void reduce(struct eval *e, struct part *a)
{
	e->v->nothing |= a->d == 0;
	a->n = a->d == 0 ? NAN : a->n / a->d;
	a->d = 1;
	a->divided = false;
}

static void divide(struct eval *e, struct part *a, struct part *b)
{
	/* A divisor that is itself a quotient by 0 has no value. */
	if (b->counts && !a->divided && b->d != 0) {
		a->n *= b->d;
		a->d = b->n;
		a->divided = true;
		return;
	}
	reduce(e, b);
	e->v->nothing |= b->n == 0;
	a->n = b->n == 0 ? NAN : a->n / b->n;
}

static void operate(struct eval *e, const struct op *op, struct part *a, struct part *b)
{
	switch (op->kind) {
	case ADD:
	case SUBTRACT:
		if (a->divided && b->divided && a->d != b->d) {
			reduce(e, a);
			reduce(e, b);
		}
		if (b->divided && !a->divided) {
			a->n *= b->d;
			a->d = b->d;
			a->divided = true;
		} else if (a->divided && !b->divided) {
			b->n *= a->d;
		}
		a->n += op->kind == ADD ? b->n : -b->n;
		break;
	case MULTIPLY:
		if (a->divided)
			reduce(e, b);
		a->n *= b->n;
		a->d *= b->d;
		a->divided |= b->divided;
		break;
	default:
		divide(e, a, b);
	}
	a->counts |= b->counts;
}

static struct part run(struct eval *e)
{
	const struct formula *p = e->formula;
	struct part stack[4 * MAX_DEPTH];
	const struct op *op;
	int at = -1;

	for (op = p->ops; op < p->ops + p->nr; op++) {
		struct part new = { .n = op->number, .d = 1 };

		switch (op->kind) {
		case EVENT:
			new.n = event_value(e, op->event);
			new.counts = true;
			break;
		case PACKAGES:
			new.n = e->packages;
			break;
		case BOXES:
			new.n = e->boxes;
			break;
		case NUMBER:
			break;
		default:
			at--;
			operate(e, op, &stack[at], &stack[at + 1]);
			stack[at].n = finite_or_nan(e, stack[at].n);
			stack[at].d = finite_or_nan(e, stack[at].d);
			continue;
		}
		new.n = finite_or_nan(e, new.n);
		stack[++at] = new;
	}
	return stack[0];
}

bool value_divides(const struct metric *m)
{
	return !m->lacks && m->kind != METRIC_AMOUNT && formula_of(m)->divides;
}

void value_divide(struct value *v, const struct metric *m, bool total)
{
	v->nothing |= v->den == 0;
	v->number = total && m->kind == METRIC_AMOUNT ? v->num : v->num / v->den;
	if (v->den == 0)
		v->number = NAN;
	/* Ratios are printed in percent. */
	if (isinf(v->number * 100))
		v->number = NAN;
	/* Boxes are not read at the same time: differences may be below 0. This takes -0, too. */
	if (v->number <= 0 && !(m->own && v->number < 0))
		v->number = 0;
}

void value_get(struct value *v, const struct counting *c, const struct metric *m,
	       const struct scope *scope, double seconds)
{
	struct eval e = { .c = c, .scope = scope, .v = v };
	struct part part;
	double most;

	memset(v, 0, sizeof(*v));
	v->share = 1;
	v->applies = !scope->pmu || m->box == (int)scope->pmu->type;
	v->number = NAN;
	if (!v->applies || m->lacks)
		return;
	e.formula = formula_of(m);
	part = run(&e);
	if (m->kind == METRIC_AMOUNT)
		reduce(&e, &part);
	if (isnan(part.n) || isnan(part.d))
		return;
	/* The longest time of a group: those with a rate over several intervals have more. */
	if (e.seconds > 0)
		seconds = e.seconds;
	v->num = part.n;
	v->den = part.d;
	value_divide(v, m, false);
	v->num *= seconds;
	v->den *= seconds;
	if (isnan(v->number) && !v->nothing)
		why(&e, "too large a number");
	if (v->num < 0 && !m->own)
		why(&e, "below 0, shown as 0: boxes are not read at the same instant");
	most = m->most * (m->kind == METRIC_AMOUNT ? e.boxes : 1);
	v->implausible = most && v->number > most * TOLERANCE;
	/* Groups do not start and stop together: a total is exact by what each has counted. */
	if (m->kind == METRIC_AMOUNT && v->number != 0) {
		e.amounts = true;
		part = run(&e);
		reduce(&e, &part);
		v->num = part.n;
		v->den = v->num / v->number;
	}
	/* As a recording of both has it, to the last bit */
	value_divide(v, m, false);
}
