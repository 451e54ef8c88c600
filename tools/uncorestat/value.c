// SPDX-License-Identifier: GPL-2.0-only
#include "value.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Maximum number of brackets in each other */
#define MAX_DEPTH	100

/* State of an evaluation; @events are those of the metric */
struct eval {
	const struct counting *c;
	const struct metric *m;
	unsigned int events[MAX_METRIC_EVENTS], nr_events;
	const struct scope *scope;
	enum span mode;
	double seconds;
	struct value *v;
	const char *p;
	const char *wrong;
	unsigned int depth;
	double packages, boxes;
};

static bool in_scope(const struct eval *e, const struct pmu *pmu, unsigned int socket)
{
	return (e->scope->socket < 0 || (unsigned int)e->scope->socket == socket) &&
	       (!e->scope->pmu || e->scope->pmu == pmu);
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

	for (i = 0; i < e->nr_events; i++)
		if (events[e->events[i]].type == g->pmu->type && !find_counter(g, e->events[i]))
			return false;
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
	case COUNT_BACKWARD:
		return "its count decreased, and is discarded";
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

/* Return the share of the time in which a group was counted. */
static double group_share(const struct counted *g, enum span mode)
{
	if (mode == MODE_RATE)
		return g->share;
	return g->enabled ? (double)g->running / g->enabled : 1;
}

/* Add the count of a group, or explain why it has none. */
static void add_group(struct eval *e, struct tally *t, const struct counted *g, unsigned int event)
{
	const struct counter *counter = find_counter(g, event);
	int package = e->c->machine->sockets[g->socket];

	/* A temperature's total is an average: it would be too low. */
	if (g->state != COUNT_OK && (e->mode == MODE_RATE || g->pmu->hwmon)) {
		why(e, "socket %d %s: %s", package, g->pmu->box, state_text(g->state));
		/* Spread boxes are extrapolated; a box that is gone counts 0. */
		t->unknown |= !box_types[g->pmu->type].spread && g->state != COUNT_GONE;
		return;
	}
	if (g->state == COUNT_OFFLINE || g->state == COUNT_GONE)
		why(e, "socket %d %s: incomplete: %s", package, g->pmu->box, state_text(g->state));
	t->used++;
	t->sum += e->mode == MODE_RATE ? counter->rate : counter->total;
	e->v->share = fmin(e->v->share, group_share(g, e->mode));
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
			const struct counted *g = find_group(e, pmu, s, event, full);

			if (pmu->type != type || !in_scope(e, pmu, s) || (!g && pmu->cpu[s] < 0))
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

static double sum(struct eval *e);

static bool word(struct eval *e, const char *w)
{
	while (*e->p == ' ')
		e->p++;
	if (strncmp(e->p, w, strlen(w)))
		return false;
	e->p += strlen(w);
	return true;
}

static void wrong(struct eval *e)
{
	if (!e->wrong)
		e->wrong = e->p;
}

static void expect(struct eval *e, const char *w)
{
	if (!word(e, w))
		wrong(e);
}

/* No format for programs has a number for infinity. */
static double finite_or_nan(struct eval *e, double d)
{
	if (!isinf(d))
		return d;
	why(e, "too large a number");
	return NAN;
}

/* Nothing has a share of nothing, and no average. */
static double quotient(struct eval *e, double a, double b)
{
	e->v->nothing |= b == 0;
	return b == 0 ? NAN : finite_or_nan(e, a / b);
}

static double nested_sum(struct eval *e)
{
	double a = NAN;

	if (e->depth++ < MAX_DEPTH)
		a = sum(e);
	else
		e->p += strlen(e->p);
	if (e->depth <= MAX_DEPTH)
		e->depth--;
	return a;
}

static double factor(struct eval *e)
{
	double a, b;
	char *end;

	if (word(e, "{")) {
		unsigned int event = strtoul(e->p, &end, 10);

		e->p = end + 1;
		return e->c ? event_value(e, event) : 1;
	}
	if (word(e, "d_ratio(")) {
		a = nested_sum(e);
		expect(e, ",");
		b = nested_sum(e);
		expect(e, ")");
		return quotient(e, a, b);
	}
	if (word(e, "(")) {
		a = nested_sum(e);
		expect(e, ")");
		return a;
	}
	if (word(e, "duration_time"))
		return e->mode == MODE_RATE ? 1 : e->seconds;
	if (word(e, "#num_packages"))
		return e->packages;
	if (word(e, "#num_boxes"))
		return e->boxes;
	word(e, "");
	/* strtod() takes blanks, a sign, inf and nan. */
	if (!strchr(".0123456789", *e->p) || !*e->p) {
		wrong(e);
		return NAN;
	}
	a = strtod(e->p, &end);
	if (end == e->p)
		wrong(e);
	e->p = end;
	return finite_or_nan(e, a);
}

static double product(struct eval *e)
{
	double a = factor(e);

	for (;;) {
		if (word(e, "*"))
			a = finite_or_nan(e, a * factor(e));
		else if (word(e, "/"))
			a = quotient(e, a, factor(e));
		else
			return a;
	}
}

static double sum(struct eval *e)
{
	double a = product(e);

	for (;;) {
		if (word(e, "+"))
			a = finite_or_nan(e, a + product(e));
		else if (word(e, "-"))
			a = finite_or_nan(e, a - product(e));
		else
			return a;
	}
}

const char *value_wrong(const struct metric *m)
{
	struct value v = { .share = 1 };
	struct eval e = { .m = m, .v = &v, .p = m->expr };

	sum(&e);
	word(&e, "");
	if (e.depth > MAX_DEPTH)
		return "nested too deeply";
	if (!e.wrong && *e.p)
		e.wrong = e.p;
	if (!e.wrong)
		return NULL;
	return *e.wrong ? format("wrong from here on: %s", e.wrong) : "wrong at its end";
}

void value_get(struct value *v, const struct counting *c, const struct metric *m,
	       const struct scope *scope, enum span mode, double seconds)
{
	struct eval e = {
		.c = c, .m = m, .scope = scope, .mode = mode, .seconds = seconds, .v = v,
		.p = m->expr,
	};

	memset(v, 0, sizeof(*v));
	v->share = 1;
	v->applies = !scope->pmu || m->box == (int)scope->pmu->type;
	v->number = NAN;
	if (!v->applies || m->lacks)
		return;
	e.nr_events = metric_events(m, e.events);
	v->number = sum(&e);
	/* Boxes are not read at the same time: differences may be below 0. This takes -0, too. */
	if (v->number <= 0)
		v->number = 0;
}
