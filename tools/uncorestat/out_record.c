// SPDX-License-Identifier: GPL-2.0-only
#include "record.h"

#include <ctype.h>
#include <errno.h>
#include <float.h>
#include <jansson.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "replace.h"
#include "util.h"

/* Of the file's format; another one cannot be read. */
#define VERSION_OF_FILE	1

#define MAX_LINE	(1 << 24)
#define MAX_CELLS	100000
#define MAX_BOXES	1024
#define MIN_SECONDS	(1 / 1e9)	/* of a clock of nanoseconds */
#define MAX_SECONDS	1e9
#define MAX_TIME	INT64_C(253402300799999)

static const char marks[] = "*!-0";

static FILE *out;
static unsigned int lines_written;

/* Return a string without control characters, as a plot has it, and what is no ASCII. */
static json_t *text(const char *s)
{
	char *plain = zalloc(strlen(s) + 1, 1), *p = plain;
	json_t *json;

	for (; *s; s++)
		if (!iscntrl((unsigned char)*s))
			*p++ = isprint((unsigned char)*s) ? *s : '?';
	json = json_string(plain);
	free(plain);
	return json;
}

static json_t *milliseconds(const struct timespec *t)
{
	return json_integer(t->tv_sec * INT64_C(1000) + t->tv_nsec / 1000000);
}

/* Return the lines of a view that the file does not have yet. */
static json_t *lines(const struct view *v)
{
	json_t *list = json_array();

	for (; lines_written < v->nr_scopes; lines_written++) {
		const struct scope *s = &v->scopes[lines_written];
		json_t *line = json_object();

		if (s->socket >= 0)
			json_object_set_new(line, "socket", json_integer(s->package));
		if (s->pmu)
			json_object_set_new(line, "box", json_string(s->pmu->box));
		json_array_append_new(list, line);
	}
	return list;
}

static void write_line(json_t *line)
{
	if (json_dumpf(line, out, JSON_COMPACT | JSON_REAL_PRECISION(17)) ||
	    fputc('\n', out) == EOF || fflush(out))
		die("--record: cannot write: %s", strerror(errno));
	json_decref(line);
}

static void start(const char *path, const struct view *v, const struct origin *o)
{
	json_t *columns = json_array(), *sockets = json_array(), *head;
	unsigned int i;

	out = write_file(path, true);
	/* Devices and pipes have nothing to cut off. */
	if (ftruncate(fileno(out), 0) && errno != EINVAL)
		die("--record: cannot write %s: %s", path, strerror(errno));
	for (i = 0; i < v->nr_columns; i++) {
		const struct column *c = &v->columns[i];
		const struct metric *m = &metrics[c->metric];
		char *own = format("%s%s%s%s=%s", m->name, *m->unit ? "(" : "", m->unit,
				   *m->unit ? ")" : "", m->text);

		json_array_append_new(columns, json_pack("{s:s, s:s*}", "metric", m->own ? own : m->name,
							 "group", c->group));
		free(own);
	}
	for (i = 0; i < v->machine->nr_sockets; i++)
		json_array_append_new(sockets, json_integer(v->machine->sockets[i]));
	head = json_pack("{s:i, s:o, s:f, s:o, s:i, s:s, s:o, s:o, s:o}",
			 "uncorestat_record", VERSION_OF_FILE, "start_ms", milliseconds(&o->start),
			 "interval_seconds", o->interval, "host", text(o->host), "model",
			 generation->model, "driver", v->machine->driver, "sockets", sockets, "columns",
			 columns, "lines", lines(v));
	if (o->command)
		json_object_set_new(head, "command", text(o->command));
	write_line(head);
}

static json_t *value(const struct value *v)
{
	const bool set[] = { v->sampled, v->implausible, v->elsewhere, v->nothing };
	json_t *json = json_array();
	char buf[sizeof(marks)];
	unsigned int i, nr = 0;

	for (i = 0; i < ARRAY_SIZE(set); i++)
		if (set[i])
			buf[nr++] = marks[i];
	buf[nr] = 0;
	json_array_append_new(json, json_real(isfinite(v->num) ? v->num : 0));
	json_array_append_new(json, json_real(isfinite(v->den) ? v->den : 0));
	if (nr || v->share < 1)
		json_array_append_new(json, json_string(buf));
	if (v->share < 1)
		json_array_append_new(json, json_real(v->share));
	return json;
}

static void add(const struct report *r)
{
	const struct view *v = r->view;
	json_t *line, *all = json_array(), *notes = json_array();
	unsigned int i, j;

	for (i = 0; i < r->lines; i++) {
		json_t *values = r->gone[i] ? json_null() : json_array();

		for (j = 0; json_is_array(values) && j < v->nr_columns; j++)
			json_array_append_new(values, value(report_value(r, i, j)));
		json_array_append_new(all, values);
	}
	for (i = 0; i < r->nr_notes; i++)
		json_array_append_new(notes, json_string(r->notes[i]));
	line = json_pack("{s:o, s:f}", "time_ms", milliseconds(&r->time), "seconds", r->seconds);
	if (r->late)
		json_object_set_new(line, "late", json_true());
	if (r->part)
		json_object_set_new(line, "part", json_true());
	if (lines_written < v->nr_scopes)
		json_object_set_new(line, "lines", lines(v));
	json_object_set_new(line, "values", all);
	if (r->nr_notes)
		json_object_set_new(line, "notes", notes);
	else
		json_decref(notes);
	write_line(line);
}

void out_record(const struct interval *i)
{
	if (i->moment == RUN_BEGINS)
		start(i->to, i->totals->view, i->origin);
	else if (i->rates)
		add(i->rates);
}

/* The file that is read; nothing in it is trusted. */
static struct {
	const char *path;
	FILE *in;
	unsigned int nr;
	struct machine machine;
	struct view *view;
} file;

__attribute__((format(printf, 1, 2), noreturn))
static void wrong(const char *fmt, ...)
{
	char what[200], *p;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(what, sizeof(what), fmt, ap);
	va_end(ap);
	for (p = what; *p; p++)
		if (!isprint((unsigned char)*p))
			*p = '?';
	die("%s:%u: %s", file.path, file.nr, what);
}

/* Return the next line, or NULL at the end or where a line has none. */
static json_t *next_line(void)
{
	static char text[MAX_LINE];
	json_error_t error;
	json_t *line;
	size_t len;

	if (!fgets(text, MAX_LINE, file.in)) {
		if (ferror(file.in))
			die("cannot read %s: %s", file.path, strerror(errno));
		return NULL;
	}
	file.nr++;
	len = strlen(text);
	if (!len || text[len - 1] != '\n') {
		if (!feof(file.in))
			wrong("no line of a recording: it has a NUL, or more than %d MiB", MAX_LINE >> 20);
		fprintf(stderr, "uncorestat: %s:%u: the last line was not written in full, and is left out\n",
			file.path, file.nr);
		return NULL;
	}
	line = json_loads(text, JSON_REJECT_DUPLICATES, &error);
	if (!line)
		wrong("%s", error.text);
	return line;
}

static void unpack(json_t *json, const char *fmt, ...)
{
	json_error_t error;
	va_list ap;

	va_start(ap, fmt);
	if (json_vunpack_ex(json, &error, 0, fmt, ap))
		wrong("%s", error.text);
	va_end(ap);
}

/* Return a string for all outputs: it ends no field, no line, and moves no cursor. */
static const char *plain(json_t *json, const char *without)
{
	const char *s = json_string_value(json), *p;

	if (!s)
		wrong("a string is missing");
	for (p = s; *p; p++)
		if (!isprint((unsigned char)*p) || strchr(without, *p))
			wrong("a string has character 0x%02x", (unsigned char)*p);
	return format("%s", s);
}

static double number(json_t *json, double least, double most)
{
	double d = json_number_value(json);

	if (!json_is_number(json) || !(d >= least && d <= most))
		wrong("no number from %g to %g", least, most);
	return d;
}

static void set_time(struct timespec *t, json_int_t ms)
{
	if (ms < 0 || ms > MAX_TIME)
		wrong("no time: %lld ms", (long long)ms);
	t->tv_sec = ms / 1000;
	t->tv_nsec = ms % 1000 * 1000000;
}

/* Return a PMU of the file's machine, which is made when its box is first named. */
static const struct pmu *find_pmu(const char *box, int socket)
{
	struct machine *m = &file.machine;
	struct pmu pmu = { .box = box };
	struct pmu *p;

	for (p = m->pmus; p < m->pmus + m->nr_pmus; p++)
		if (!strcmp(p->box, box)) {
			p->cpu[socket] = 0;
			return p;
		}
	for (pmu.type = 0; *box == '/' && strcmp(box_types[pmu.type].name, "resctrl"); )
		if (++pmu.type == nr_box_types)
			wrong("this processor has no groups of resctrl: %s", box);
	if (*box == '/')
		pmu.group = box;
	else if (!box_parse(&pmu))
		wrong("no box: %s", box);
	if (m->nr_pmus == MAX_BOXES)
		wrong("too many boxes");
	memset(pmu.cpu, 0xff, sizeof(pmu.cpu));
	pmu.cpu[socket] = 0;
	m->pmus[m->nr_pmus] = pmu;
	return &m->pmus[m->nr_pmus++];
}

/* Add lines; of those that come after an interval, a later one may not be of other sockets. */
static void add_lines(json_t *list, bool later)
{
	struct view *v = file.view;
	json_t *line, *box;
	int package, socket;
	size_t i;

	if (!json_is_array(list))
		wrong("no list of lines");
	json_array_foreach(list, i, line) {
		package = -1;
		box = NULL;
		unpack(line, "{s?i, s?o}", "socket", &package, "box", &box);
		socket = package < 0 ? -1 : socket_index(&file.machine, package);
		if ((socket < 0 && (package >= 0 || box)) || (later && !box) ||
		    v->nr_scopes * v->nr_columns >= MAX_CELLS)
			wrong("line %zu: its socket is missing, or there are too many lines", i);
		v->per |= socket < 0 ? PER_SYSTEM : !box ? PER_SOCKET : PER_BOX;
		view_add(v, socket, box ? find_pmu(plain(box, " \"\\,;{}<>&"), socket) : NULL);
	}
}

void replay_start(const char *path, struct view *v, struct origin *o)
{
	json_t *head, *sockets, *columns, *list, *host, *driver, *command = NULL, *item, *group;
	json_int_t start;
	int version = 0, model;
	size_t i;

	memset(&file, 0, sizeof(file));
	memset(v, 0, sizeof(*v));
	file.path = path;
	file.view = v;
	/* Lines point to them: there is no growing. */
	file.machine.pmus = zalloc(MAX_BOXES, sizeof(*file.machine.pmus));
	file.in = fopen(path, "re");
	if (!file.in)
		die("cannot read %s: %s", path, strerror(errno));
	head = next_line();
	if (!head)
		die("%s: no recording: it is empty", path);
	if (json_unpack(head, "{s:i}", "uncorestat_record", &version))
		wrong("no recording of uncorestat --record");
	if (version != VERSION_OF_FILE)
		wrong("a recording of format %d, and this uncorestat reads format %d", version,
		      VERSION_OF_FILE);
	unpack(head, "{s:I, s:F, s:o, s:i, s:o, s:o, s:o, s:o, s?o}", "start_ms", &start,
	       "interval_seconds", &o->interval, "host", &host, "model", &model, "driver", &driver,
	       "sockets", &sockets, "columns", &columns, "lines", &list, "command", &command);
	for (i = 0; i < nr_generations && (int)generations[i].model != model; )
		i++;
	if (i == nr_generations)
		wrong("no processor of uncorestat's: model %d", model);
	stat_init(&generations[i]);
	set_time(&o->start, start);
	if (!(o->interval >= 0.001 && o->interval <= MAX_SECONDS))
		wrong("no interval: %g seconds", o->interval);
	o->host = plain(host, "");
	file.machine.driver = plain(driver, "\"\\");
	json_array_foreach(sockets, i, item) {
		if (i == MAX_SOCKETS || !json_is_integer(item))
			wrong("no list of up to %d sockets", MAX_SOCKETS);
		file.machine.sockets[i] = number(item, 0, MAX_CPU);
		file.machine.nr_sockets++;
	}
	options_no_columns();
	json_array_foreach(columns, i, item) {
		json_t *metric;

		group = NULL;
		unpack(item, "{s:o, s?o}", "metric", &metric, "group", &group);
		if (!options_column(plain(metric, "\"\\"), group ? plain(group, "\"\\") : NULL))
			wrong("no metric of this version, or twice: %s", json_string_value(metric));
	}
	if (!i)
		wrong("no columns");
	options_columns(v);
	o->command = NULL;
	o->ends = true;
	/* Format 1 had the arguments, too. */
	if (command)
		o->command = plain(json_is_array(command) ? json_array_get(command, 0) : command, "");
	v->machine = &file.machine;
	v->per = 0;
	add_lines(list, false);
	if (!v->nr_scopes)
		wrong("no lines");
	json_decref(head);
}

static void read_value(struct value *v, json_t *json, const struct metric *m)
{
	bool * const set[] = { &v->sampled, &v->implausible, &v->elsewhere, &v->nothing };
	size_t nr = json_array_size(json);
	const char *s;
	unsigned int i;

	if (nr < 2 || nr > 4)
		wrong("no value");
	v->num = number(json_array_get(json, 0), -DBL_MAX, DBL_MAX);
	v->den = number(json_array_get(json, 1), m->own ? -DBL_MAX : 0, DBL_MAX);
	v->share = nr > 3 ? number(json_array_get(json, 3), 0, 1) : 1;
	value_divide(v, m, false);
	v->nothing = false;
	s = nr > 2 ? json_string_value(json_array_get(json, 2)) : "";
	for (i = 0; i < ARRAY_SIZE(set); i++)
		*set[i] = s && strchr(s, marks[i]);
}

bool replay_next(struct report *r)
{
	json_t *line = next_line(), *all, *list = NULL, *notes = NULL, *values, *item;
	struct view *v = file.view;
	json_int_t ms;
	double seconds;
	int late = 0, part = 0;
	size_t i, j;

	if (!line)
		return false;
	unpack(line, "{s:I, s:F, s?b, s?b, s?o, s:o, s?o}", "time_ms", &ms, "seconds", &seconds,
	       "late", &late, "part", &part, "lines", &list, "values", &all, "notes", &notes);
	if (list)
		add_lines(list, true);
	report_begin(r, v, MODE_RATE);
	set_time(&r->time, ms);
	if (!(seconds >= MIN_SECONDS && seconds <= MAX_SECONDS))
		wrong("no length of an interval: %g seconds", seconds);
	r->seconds = seconds;
	r->late = late;
	r->part = part;
	if (json_array_size(all) != v->nr_scopes)
		wrong("%zu lines of values, not %u", json_array_size(all), v->nr_scopes);
	json_array_foreach(all, i, values) {
		const struct pmu *pmu = v->scopes[i].pmu;

		/* A group of resctrl that is gone */
		r->gone[i] = json_is_null(values) && pmu && pmu->group;
		if (r->gone[i])
			continue;
		if (json_array_size(values) != v->nr_columns)
			wrong("%zu values in line %zu, not %u", json_array_size(values), i, v->nr_columns);
		json_array_foreach(values, j, item) {
			struct value *value = &r->values[i * v->nr_columns + j];

			if (value->applies && !metrics[v->columns[j].metric].lacks)
				read_value(value, item, &metrics[v->columns[j].metric]);
		}
	}
	json_array_foreach(notes, i, item)
		report_note(r, "%s", plain(item, "\"\\"));
	json_decref(line);
	return true;
}
