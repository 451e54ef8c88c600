// SPDX-License-Identifier: GPL-2.0-only
#include "report.h"

#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "util.h"

void number_text(char *buf, size_t size, int decimals, double number)
{
	bool wide = fabs(number) >= 1e15;

	snprintf(buf, size, wide ? "%.*g" : "%.*f", wide ? 6 : decimals, number);
}

double round_up(double max)
{
	double power;

	if (!(max > 0))
		return 1;
	power = pow(10, floor(log10(max)));
	return power * (max <= power ? 1 : max <= 2 * power ? 2 : max <= 2.5 * power ? 2.5 :
			max <= 5 * power ? 5 : 10);
}

const char *column_unit(const struct column *c)
{
	const struct metric *m = &metrics[c->metric];
	const char *unit = strrchr(c->title, ' ');

	unit = unit ? unit + 1 : c->title;
	return m->kind == METRIC_RATIO ? "%" : strstr(unit, "/s") ? unit : m->unit;
}

void view_add(struct view *v, int socket, const struct pmu *pmu)
{
	size_t len = pmu ? strlen(pmu->box) : 0;
	struct scope *s;

	v->scopes = grow(v->scopes, v->nr_scopes, sizeof(*v->scopes));
	s = &v->scopes[v->nr_scopes++];
	s->socket = socket;
	s->package = socket < 0 ? -1 : v->machine->sockets[socket];
	s->pmu = pmu;
	/* Of a long name, the end tells it from others. */
	if (socket < 0)
		strcpy(s->label, "all");
	else
		snprintf(s->label, LABEL, "S%d%s%s%s", s->package, pmu ? " " : "",
			 len > 32 ? ".." : "", pmu ? pmu->box + (len > 32 ? len - 30 : 0) : "");
}

/* Return whether a column is for this box type only. */
static bool type_shown(const struct view *v, unsigned int type)
{
	unsigned int i;

	for (i = 0; i < v->nr_columns; i++)
		if (metrics[v->columns[i].metric].box == (int)type)
			return true;
	return false;
}

/* Add a line for each box of a socket, from the @first PMU on. */
static void add_boxes(struct view *v, int socket, unsigned int first)
{
	const struct pmu *pmu;

	for (pmu = v->machine->pmus + first; pmu < v->machine->pmus + v->machine->nr_pmus; pmu++)
		if ((v->per & (pmu->group ? PER_RESCTRL : PER_BOX)) && pmu->cpu[socket] >= 0 &&
		    type_shown(v, pmu->type))
			view_add(v, socket, pmu);
}

void view_more(struct view *v)
{
	unsigned int s;

	for (s = 0; s < v->machine->nr_sockets; s++)
		add_boxes(v, s, v->nr_pmus);
	v->nr_pmus = v->machine->nr_pmus;
}

bool view_counts(const struct view *v, unsigned int type)
{
	unsigned int i, j;

	for (i = 0; i < v->nr_columns; i++) {
		const struct formula *f = formula_of(&metrics[v->columns[i].metric]);

		for (j = 0; j < f->nr_events; j++)
			if (events[f->events[j]].type == type)
				return true;
	}
	return false;
}

const char *view_scopes(struct view *v, const struct machine *m)
{
	unsigned int s, i;

	v->machine = m;
	v->scopes = NULL;
	v->nr_scopes = 0;
	v->nr_pmus = m->nr_pmus;
	for (s = 0; s < m->nr_sockets; s++) {
		if (v->per & PER_SOCKET)
			view_add(v, s, NULL);
		add_boxes(v, s, 0);
	}
	if (v->per & PER_SYSTEM)
		view_add(v, -1, NULL);
	if (v->nr_scopes)
		return NULL;
	for (i = 0; i < nr_box_types; i++)
		if (type_shown(v, i) && (v->per & PER_BOX || !strcmp(box_types[i].name, "resctrl")))
			return format("this machine has no %s box: %s", box_types[i].name,
				      box_hidden(i, false));
	return "none of these metrics is per box: leave out --per box";
}

/* Return whether a line's group of resctrl is gone. */
static bool is_gone(const struct scope *s)
{
	return s->pmu && s->pmu->group && s->pmu->cpu[s->socket] < 0;
}

/* Most remarks of a report: of more, nobody reads the rest. */
#define MAX_NOTES	1000

void report_note(struct report *r, const char *fmt, ...)
{
	char note[400];
	va_list ap;
	unsigned int i;

	va_start(ap, fmt);
	vsnprintf(note, sizeof(note), fmt, ap);
	va_end(ap);
	if (r->nr_notes == MAX_NOTES)
		return;
	for (i = 0; i < r->nr_notes; i++)
		if (!strcmp(r->notes[i], note))
			return;
	r->notes = grow(r->notes, r->nr_notes, sizeof(*r->notes));
	r->notes[r->nr_notes++] = format("%s", note);
}

/* Add remarks for a value. */
static void note_value(struct report *r, const struct value *v, const struct column *col,
		       const struct scope *s)
{
	const struct metric *m = &metrics[col->metric];

	if (m->lacks)
		report_note(r, "- %s: %s", m->name, m->lacks);
	else if (*v->why)
		report_note(r, "%c %s %s: %s", isnan(v->number) && !r->part ? '-' : '!',
			    s->label, m->name, v->why);
}

/* Add one remark for each box type that is not complete. A processor may have fewer slices. */
static void note_boxes(struct report *r, const struct counting *c)
{
	const struct machine *m = c->machine;
	unsigned int type, s, i, has[MAX_SOCKETS];

	for (type = 0; type < nr_box_types; type++) {
		const struct box *t = &box_types[type];
		unsigned int all = 0, differ = 0;

		if (!view_counts(r->view, type))
			continue;
		for (s = 0; s < m->nr_sockets; s++) {
			has[s] = boxes_present(c, type, s);
			all += has[s];
			differ |= has[s] ^ has[0];
		}
		if (!all)
			report_note(r, "- this machine has no %s box: %s", t->name, box_hidden(type, false));
		else if (!differ && !t->spread && has[0] < t->instances)
			report_note(r, "! %u of %u %s boxes in each socket: the rest is absent or hidden by the BIOS",
				    has[0], t->instances, t->name);
		for (s = 0; all && differ && s < m->nr_sockets; s++)
			if (!has[s] || (has[s] < t->instances && !t->spread))
				report_note(r, "%c socket %d has %u of %u %s boxes: the rest is absent or hidden by the BIOS",
					    has[s] ? '!' : '-', m->sockets[s], has[s], t->instances,
					    t->name);
	}
	for (i = 0; i < m->nr_pmus; i++)
		if (m->pmus[i].silent && view_counts(r->view, m->pmus[i].type))
			report_note(r, "! PCI shows %s, which the processor does not have: its clock stands still",
				    m->pmus[i].box);
}

/* Add one remark for each mark in use. */
static void note_marks(struct report *r)
{
	bool sampled = false, elsewhere = false, nothing = false, implausible = false;
	double share = 1;
	unsigned int i;

	for (i = 0; i < r->nr; i++) {
		sampled |= r->values[i].sampled;
		elsewhere |= r->values[i].elsewhere;
		implausible |= r->values[i].implausible;
		nothing |= r->values[i].nothing && !*r->values[i].why;
		if (r->values[i].share < share)
			share = r->values[i].share;
	}
	if (sampled)
		report_note(r, "* from some LLC slices, scaled to all: a slice has too few counters");
	if (elsewhere)
		report_note(r, "- in a slice: it counts other columns meanwhile");
	if (nothing)
		report_note(r, "- in a ratio or average: there was nothing to divide by");
	if (implausible)
		report_note(r, "! behind a number: more than the hardware can do, as a group counted for too short a time");
	if (share < 1)
		report_note(r, "~ multiplexed and scaled: more events than counters, here or in other programs");
}

bool report_has(const struct report *r, unsigned int column, char mark)
{
	unsigned int i;

	for (i = 0; i < r->lines; i++)
		if (value_has(report_value(r, i, column), mark))
			return true;
	return false;
}

/* Have values that are not available for all lines of the view. */
static void extend(struct report *r)
{
	unsigned int across = r->view->nr_columns;

	for (; r->lines < r->view->nr_scopes; r->lines++)
		r->gone = grow(r->gone, r->lines, sizeof(*r->gone));
	while (r->nr < r->lines * across) {
		r->values = grow(r->values, r->nr, sizeof(*r->values));
		r->values[r->nr].applies = report_applies(r->view, r->nr / across, r->nr % across);
		r->values[r->nr].number = NAN;
		r->values[r->nr++].share = 1;
	}
}

void report_begin(struct report *r, const struct view *v, enum span mode)
{
	memset(r, 0, sizeof(*r));
	r->view = v;
	r->mode = mode;
	r->time = time_of_day();
	extend(r);
}

static void add_value(struct value *sum, const struct value *v, const struct metric *m)
{
	bool nothing = sum->nothing || v->nothing;

	sum->applies = v->applies;
	sum->sampled |= v->sampled;
	sum->elsewhere |= v->elsewhere;
	sum->implausible |= v->implausible;
	sum->share = fmin(sum->share, v->share);
	/* Differences of boxes may be below 0: a counter may not go back. */
	sum->num += m->own ? v->num : fmax(v->num, 0);
	sum->den += v->den;
	value_divide(sum, m, true);
	sum->nothing = nothing && isnan(sum->number);
	if (*v->why && !*sum->why)
		snprintf(sum->why, sizeof(sum->why), "%s", v->why);
}

void report_add(struct report *total, const struct report *r)
{
	const struct view *v = total->view;
	unsigned int i;

	extend(total);
	for (i = 0; i < r->nr; i++)
		add_value(&total->values[i], &r->values[i],
			  &metrics[v->columns[i % v->nr_columns].metric]);
	for (i = 0; i < r->nr_notes; i++)
		if (!strstr(r->notes[i], ": this interval has "))
			report_note(total, "%s", r->notes[i]);
	/* Its own dashes are in no line. */
	if (r->part)
		note_marks(total);
	total->seconds += r->seconds;
	total->intervals += !r->part;
	total->time = r->time;
}

void report_make(struct report *r, const struct view *v, const struct counting *c, double seconds,
		 bool part)
{
	unsigned int i, j;

	report_begin(r, v, MODE_RATE);
	r->seconds = seconds;
	r->part = part;
	for (i = 0; i < r->lines; i++) {
		r->gone[i] = is_gone(&v->scopes[i]);
		for (j = 0; j < v->nr_columns; j++) {
			struct value *value = &r->values[i * v->nr_columns + j];

			value_get(value, c, &metrics[v->columns[j].metric], &v->scopes[i], seconds);
			if (!r->gone[i])
				note_value(r, value, &v->columns[j], &v->scopes[i]);
		}
	}
	note_boxes(r, c);
	if (c->machine->more_groups)
		report_note(r, "! resctrl has more groups than a run can have: start again");
	if (!part)
		note_marks(r);
}

void report_free(struct report *r)
{
	unsigned int i;

	for (i = 0; i < r->nr_notes; i++)
		free(r->notes[i]);
	free(r->notes);
	free(r->gone);
	free(r->values);
}

/* Return the length of a name without its unit: 3 for "llc_lookup" and "lookups" */
static int key_stem(const struct metric *m, const char *unit)
{
	const char *word = strrchr(m->name, '_');

	if (word && word[1] && *unit && !strncasecmp(word + 1, unit, strlen(word + 1)))
		return word - m->name;
	return strlen(m->name);
}

const char *value_key(const struct metric *m, const char *ratio, enum span mode, char *buf)
{
	const char *unit = m->unit, *per = "";
	char *p;

	if (m->kind == METRIC_RATIO)
		unit = ratio;
	else if (m->own)
		unit = "";
	else if (!strcmp(unit, "GT/s"))
		unit = "gigatransfers_per_second";
	if (m->kind == METRIC_AMOUNT && mode == MODE_RATE)
		per = "_per_second";
	snprintf(buf, 96, "%.*s%s%s%s", key_stem(m, unit), m->name, *unit ? "_" : "", unit, per);
	for (p = buf; *p; p++)
		*p = tolower((unsigned char)*p);
	return buf;
}

const char *report_time(const struct report *r, char *buf)
{
	struct tm tm;
	size_t len;

	gmtime_r(&r->time.tv_sec, &tm);
	len = strftime(buf, 40, "%Y-%m-%dT%H:%M:%S", &tm);
	snprintf(buf + len, 40 - len, ".%03ldZ", r->time.tv_nsec / 1000000);
	return buf;
}
