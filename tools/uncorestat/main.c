// SPDX-License-Identifier: GPL-2.0-only
/*
 * uncorestat: memory, LLC, QPI, PCIe and power statistics of each socket.
 *
 * options -> plan (sets of events) -> count (perf groups) -> value (metrics) ->
 * report -> outputs
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live.h"
#include "options.h"
#include "util.h"
#include "wait.h"
#include "why.h"

/* State of the program */
struct run {
	struct options o;
	struct machine machine;
	struct plan plan;
	struct counting counting;
	FILE *out;
	struct table *table;
	struct svg *svg;
	struct summary *summary;
	bool header, paused, live;
	uint64_t start, last, deadline, counted;
	int64_t suspended;
	pid_t child;
};

static void make_plan(struct run *r)
{
	const struct view *v = &r->o.view;
	unsigned int *which = zalloc(v->nr_columns, sizeof(*which)), i;

	for (i = 0; i < v->nr_columns; i++)
		which[i] = v->columns[i].metric;
	free(r->plan.sets);
	memset(&r->plan, 0, sizeof(r->plan));
	plan_make(&r->plan, which, v->nr_columns);
	free(which);
}

static void set_up(struct run *r)
{
	struct options *o = &r->o;
	const char *none;
	unsigned int type;

	machine_find(&r->machine);
	/* --live may need Linux's PMUs later. */
	for (type = 0; type < nr_box_types; type++)
		if (!box_types[type].instances && (r->live || view_counts(&o->view, type)))
			machine_find_linux(&r->machine, type);
	none = view_scopes(&o->view, &r->machine);
	if (none)
		die("%s", none);
	make_plan(r);
	r->out = o->command ? stderr : stdout;
	if (o->output) {
		r->out = fopen(o->output, "we");
		if (!r->out)
			die("cannot write %s: %s", o->output, strerror(errno));
	}
	r->header = true;
	r->table = table_new(r->out == stdout && isatty(STDOUT_FILENO));
	if (o->summary)
		r->summary = summary_new(&o->view);
	if (o->svg)
		r->svg = svg_new(&o->view, o->svg);
	/* Fail before the run if the file is not writable. */
	if (o->prometheus)
		prometheus_write(o->prometheus, NULL, NULL);
}

static void print(struct run *r, const struct report *report)
{
	switch (r->o.format) {
	case FORMAT_CSV:
		csv_print(report, r->out, r->header);
		break;
	case FORMAT_JSON:
		json_print(report, r->out);
		break;
	case FORMAT_LIVE:
		live_update(report);
		break;
	default:
		table_print(r->table, report, r->out);
	}
	r->header = false;
	/* After EPIPE, SIGPIPE ends the run. */
	if (r->o.format != FORMAT_LIVE && ferror(r->out) && errno != EPIPE) {
		int error = errno;

		if (r->svg)
			svg_write(r->svg);
		die("cannot write the output: %s", strerror(error));
	}
}

/* Add a remark if the interval was longer than requested. */
static void note_time(struct run *r, struct report *report, uint64_t now)
{
	int64_t asleep = suspended_ns() - r->suspended;
	uint64_t took = now - r->last;

	if (asleep > 100000000)
		report_note(report, "! the machine was suspended for %.1f s", asleep / 1e9);
	report->late = took > r->o.interval + r->o.interval / 10 + 10000000;
	if (report->late)
		report_note(report, "! late: this interval has %.2f s", took / 1e9);
	r->suspended = suspended_ns();
}

/* Return the seconds for which it has counted. */
static double elapsed(const struct run *r, uint64_t now)
{
	return (r->counted + (r->paused ? 0 : now - r->start)) / 1e9;
}

/* End an interval: read, report, print. */
static void tick(struct run *r)
{
	struct report rates, totals;
	uint64_t now;

	count_read(&r->counting);
	now = now_ns();
	report_make(&rates, &r->o.view, &r->counting, MODE_RATE, (now - r->last) / 1e9);
	note_time(r, &rates, now);
	if (r->svg)
		svg_add(r->svg, &rates);
	if (r->summary)
		summary_add(r->summary, &rates);
	if (!r->o.command || r->o.given)
		print(r, &rates);
	if (r->o.prometheus) {
		report_make(&totals, &r->o.view, &r->counting, MODE_TOTAL, elapsed(r, now));
		prometheus_write(r->o.prometheus, &rates, &totals);
		report_free(&totals);
	}
	report_free(&rates);
	r->last = now;
	/* Skip intervals that were missed. */
	do {
		r->deadline += r->o.interval;
	} while (r->deadline <= now);
}

static void begin(struct run *r)
{
	r->suspended = suspended_ns();
	count_start(&r->counting);
	r->start = now_ns();
	r->last = r->start;
	r->deadline = r->start + r->o.interval;
}

/* Obey a command of --control; returns false to end. */
static bool obey(struct run *r)
{
	enum control c = control_read();

	if (c == CONTROL_ENABLE && r->paused) {
		r->paused = false;
		begin(r);
	} else if (c == CONTROL_DISABLE && !r->paused) {
		count_read(&r->counting);
		r->counted += now_ns() - r->start;
		r->paused = true;
	}
	if (c != CONTROL_NONE)
		control_done();
	return c != CONTROL_STOP;
}

/* Count another group, and show it from now on. */
static void show_group(struct run *r, const struct group *g)
{
	struct view v = r->o.view;
	const char *none;

	if (r->svg || r->o.prometheus) {
		live_say("the files of --svg and --prometheus have this group: start again for another one");
		return;
	}
	options_group(&v, g);
	none = view_scopes(&v, &r->machine);
	if (none) {
		live_say(none);
		return;
	}
	free(r->o.view.scopes);
	r->o.view = v;
	count_close(&r->counting);
	make_plan(r);
	count_open(&r->counting, &r->machine, &r->plan);
	begin(r);
	live_show(&r->o.view, g);
}

static void print_totals(struct run *r)
{
	struct report totals;

	if (!r->paused)
		count_read(&r->counting);
	report_make(&totals, &r->o.view, &r->counting, MODE_TOTAL, elapsed(r, now_ns()));
	r->header = true;
	print(r, &totals);
	report_free(&totals);
}

/* Run until the count is reached, the command has ended, or the user quits. */
static int loop(struct run *r)
{
	bool ticks = !r->o.command || r->o.given || r->svg || r->summary || r->o.prometheus;
	unsigned long done = 0;
	enum wake wake;
	int status = 0, key;

	for (;;) {
		wake = wait_until(ticks && !r->paused ? r->deadline : 0, r->live);
		switch (wake) {
		case WAKE_DEADLINE:
			tick(r);
			if (++done == r->o.count && !r->o.command)
				return 0;
			ticks = !r->o.count || done < r->o.count;
			break;
		case WAKE_CONTROL:
			if (!obey(r) && !r->o.command)
				return 0;
			break;
		case WAKE_CHILD:
			status = r->o.command ? command_status(r->child) : -1;
			if (status >= 0 && !command_ran())
				exit(status);
			if (status >= 0) {
				if ((r->svg || r->o.prometheus) && !r->paused)
					tick(r);
				print_totals(r);
				return status;
			}
			break;
		case WAKE_TERM:
		case WAKE_END:
			if (!r->o.command)
				return 0;
			/* The command gets the others from the terminal. */
			if (wake == WAKE_TERM)
				kill(r->child, SIGTERM);
			break;
		default:
			key = live_wake(wake);
			if (key == LIVE_QUIT)
				return 0;
			if (key != LIVE_STAY)
				show_group(r, &groups[key]);
		}
	}
}

int main(int argc, char **argv)
{
	struct run r = { .child = 0 };
	int status;

	options_get(&r.o, argc, argv);
	if (r.o.list) {
		list_print(r.o.command ? *r.o.command : NULL);
		return fflush(stdout) || ferror(stdout);
	}
	if (r.o.why)
		return why(r.o.why);
	r.live = r.o.format == FORMAT_LIVE;
	set_up(&r);
	wait_init(r.live);
	if (r.o.control) {
		control_open(r.o.control);
		r.paused = true;
	}
	if (r.o.command)
		r.child = command_fork(r.o.command);
	count_open(&r.counting, &r.machine, &r.plan);
	if (r.live) {
		live_start(&r.machine, &r.counting, r.o.interval / 1e9);
		live_show(&r.o.view, r.o.group);
	}
	begin(&r);
	if (r.o.command)
		command_go();
	status = loop(&r);
	if (r.live)
		live_end();
	if (r.summary)
		summary_print(r.summary, r.out);
	if (r.svg)
		svg_write(r.svg);
	return status;
}
