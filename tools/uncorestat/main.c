// SPDX-License-Identifier: GPL-2.0-only
/*
 * uncorestat: memory, LLC, QPI, PCIe and power statistics of each socket.
 *
 * options -> plan (sets of events) -> count (perf groups) -> value (metrics) ->
 * report -> outputs, of which one is a recording: its reports go to the others
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "clock.h"
#include "live.h"
#include "options.h"
#include "record.h"
#include "replace.h"
#include "util.h"
#include "wait.h"
#include "why.h"

/* The shortest part of an interval that has a line of its own, in seconds */
#define SHORTEST	0.01

/* State of the program */
struct run {
	struct options o;
	struct machine machine;
	struct plan plan;
	struct counting counting;
	FILE *out;
	struct origin origin;
	struct report total;
	bool paused, live, ticks;
	uint64_t last, deadline;
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

/* Find what this machine has to count. */
static void set_up(struct run *r)
{
	static struct utsname host;
	struct options *o = &r->o;
	const char *none;
	unsigned int type;

	uname(&host);
	r->origin = (struct origin){
		.start = time_of_day(), .host = host.nodename, .interval = o->interval / 1e9,
		.command = o->command ? *o->command : NULL, .ends = o->count,
	};
	machine_find(&r->machine);
	machine_drop_silent(&r->machine);
	/* --live may need Linux's PMUs later. */
	for (type = 0; type < nr_box_types; type++)
		if (!box_types[type].instances && (r->live || view_counts(&o->view, type)))
			machine_find_linux(&r->machine, type);
	none = view_scopes(&o->view, &r->machine);
	if (none)
		die("%s", none);
	make_plan(r);
}

static void open_output(struct run *r)
{
	r->out = r->o.command ? stderr : stdout;
	if (!r->o.output)
		return;
	r->out = write_file(r->o.output, false);
	if (ftruncate(fileno(r->out), 0) && errno != EINVAL)
		die("cannot write %s: %s", r->o.output, strerror(errno));
}

/* Give the outputs a moment of the run; @rates: values of an interval that has ended, or NULL. */
static void emit(struct run *r, enum moment now, const struct report *rates)
{
	struct interval i = {
		.moment = now, .rates = rates, .totals = &r->total, .origin = &r->origin,
		.format = r->o.format, .out = r->out,
	};
	enum output o;
	int error = 0;

	if (now == COMMAND_ENDS)
		i.shown = &r->total;
	else if (now == INTERVAL_ENDS && (!r->o.command || r->o.given))
		i.shown = rates;
	for (o = 0; o < NR_OUTPUTS; o++) {
		i.to = r->o.to[o];
		if (i.to)
			outputs[o].put(&i);
		if (!error && ferror(r->out))
			error = errno;
	}
	/* After EPIPE, SIGPIPE ends the run. */
	if (r->live || !error || error == EPIPE)
		return;
	if (now != RUN_ENDS)
		emit(r, RUN_ENDS, NULL);
	die("cannot write the output: %s", strerror(error));
}

/* Add a remark if the interval was longer than requested, or ended before its time. */
static void note_time(struct run *r, struct report *report, uint64_t now, bool early)
{
	int64_t asleep = suspended_ns() - r->suspended;
	uint64_t took = now - r->last;

	if (asleep > 100000000)
		report_note(report, "! the machine was suspended for %.1f s", asleep / 1e9);
	report->late = took > r->o.interval + r->o.interval / 10 + 10000000;
	if (report->late || (early && took < r->o.interval - r->o.interval / 10))
		report_note(report, "! %s: this interval has %.2f s",
			    report->late ? "late" : "ended early", took / 1e9);
	r->suspended = suspended_ns();
}

/* Give an interval to the totals and the outputs. */
static void put(struct run *r, struct report *rates)
{
	report_add(&r->total, rates);
	emit(r, rates->part ? PART_ENDS : INTERVAL_ENDS, rates);
	report_free(rates);
}

/* End an interval: read, report, print. */
static void end_interval(struct run *r, bool early)
{
	struct report rates;
	double seconds;
	uint64_t now;

	count_read(&r->counting);
	now = now_ns();
	seconds = (now - r->last) / 1e9;
	report_make(&rates, &r->o.view, &r->counting, seconds,
		    early && r->total.intervals && seconds < SHORTEST);
	if (r->ticks)
		note_time(r, &rates, now, early);
	put(r, &rates);
	r->last = now;
	if (count_more(&r->counting, &r->plan))
		view_more(&r->o.view);
}

/* End the last interval before its time. */
static void end_early(struct run *r)
{
	if (!r->paused && now_ns() > r->last)
		end_interval(r, true);
}

static void begin(struct run *r)
{
	r->suspended = suspended_ns();
	count_start(&r->counting);
	r->last = now_ns();
	r->deadline = r->last + r->o.interval;
}

/* Begin anew with other lines and columns; returns NULL, or why there are none. */
static const char *set_view(struct run *r, struct view v)
{
	const char *none = view_scopes(&v, &r->machine);

	if (none)
		return none;
	free(r->o.view.scopes);
	r->o.view = v;
	report_free(&r->total);
	report_begin(&r->total, &r->o.view, MODE_TOTAL);
	count_close(&r->counting);
	make_plan(r);
	count_open(&r->counting, &r->machine, &r->plan);
	begin(r);
	return NULL;
}

/*
 * Deleted groups of resctrl keep their places for their totals. When no place is left, restart the
 * counters without them, unless an output is about the whole run.
 */
static void make_room(struct run *r)
{
	const char *none;

	if (!r->machine.more_groups || r->o.to[OUT_SVG] || r->o.to[OUT_SUMMARY] ||
	    r->o.to[OUT_RECORD] || r->o.command || r->live || !resctrl_forget(&r->machine))
		return;
	none = set_view(r, r->o.view);
	if (none)
		die("%s", none);
}

static void tick(struct run *r)
{
	end_interval(r, false);
	/* Skip intervals that were missed. */
	do {
		r->deadline += r->o.interval;
	} while (r->deadline <= r->last);
	make_room(r);
}

/* Obey a command of --control; returns false to end. */
static bool obey(struct run *r)
{
	enum control c = control_read();

	if (c == CONTROL_ENABLE && r->paused) {
		r->paused = false;
		begin(r);
	} else if (c == CONTROL_DISABLE && !r->paused) {
		end_early(r);
		r->paused = true;
	}
	if (c != CONTROL_NONE)
		control_done();
	return c != CONTROL_STOP;
}

/* Return whether there are outputs beside the lines. */
static bool others(const struct run *r)
{
	enum output o;

	for (o = NR_LINE_OUTPUTS; o < NR_OUTPUTS && !r->o.to[o]; o++)
		;
	return o < NR_OUTPUTS;
}

/* Count another group, and show it from now on. */
static void show_group(struct run *r, const struct group *g)
{
	struct view v = r->o.view;
	const char *none;

	if (others(r) || r->o.replay) {
		live_say("the other outputs and a recording have this group: start again for another one");
		return;
	}
	none = group_lacks(g);
	if (none) {
		live_say(none);
		return;
	}
	options_group(&v, g);
	none = set_view(r, v);
	if (none) {
		live_say(none);
		return;
	}
	emit(r, VIEW_CHANGES, NULL);
}

/* Run until the count is reached, the command has ended, or the user quits. */
static int loop(struct run *r)
{
	unsigned long done = 0;
	enum wake wake;
	int status = 0, key;

	r->ticks = !r->o.command || r->o.given || others(r);
	for (;;) {
		wake = wait_until(r->ticks && !r->paused ? r->deadline : 0, r->live);
		switch (wake) {
		case WAKE_DEADLINE:
			tick(r);
			if (++done == r->o.count && !r->o.command)
				return 0;
			r->ticks = !r->o.count || done < r->o.count;
			break;
		case WAKE_CONTROL:
			if (!obey(r) && !r->o.command) {
				end_early(r);
				return 0;
			}
			break;
		case WAKE_CHILD:
			status = r->o.command ? command_status(r->child) : -1;
			if (status >= 0 && !command_ran())
				exit(status);
			if (status < 0)
				break;
			end_early(r);
			emit(r, COMMAND_ENDS, NULL);
			return status;
		case WAKE_TERM:
		case WAKE_END:
			if (!r->o.command) {
				end_early(r);
				return 0;
			}
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

/* Show a picture until the next one, or the user quits; returns false then. */
static bool show_until(struct run *r, uint64_t deadline)
{
	enum wake wake;
	int key;

	do {
		wake = wait_until(deadline, true);
		if (wake == WAKE_TERM || wake == WAKE_END)
			return false;
		key = wake == WAKE_DEADLINE ? LIVE_STAY : live_wake(wake);
		if (key == LIVE_QUIT)
			return false;
		if (key != LIVE_STAY)
			show_group(r, &groups[key]);
	} while (wake != WAKE_DEADLINE);
	return true;
}

/* Give the outputs what a file has; --live shows each interval for its time, or that of -i. */
static void replay(struct run *r)
{
	unsigned long done = 0;
	struct report rates;
	double seconds;

	while ((!r->o.count || done < r->o.count) && replay_next(&rates)) {
		done += !rates.part;
		seconds = r->o.given ? r->o.interval / 1e9 : rates.seconds;
		put(r, &rates);
		if (r->live && !rates.part && !show_until(r, now_ns() + (uint64_t)(seconds * 1e9)))
			return;
	}
	if (r->live)
		show_until(r, 0);
	else if (r->origin.command)
		emit(r, COMMAND_ENDS, NULL);
}

/* Return the totals of a file, and set what it is. */
static struct report total_of(const char *path, struct view *v, char **about)
{
	struct report total, rates;
	struct origin origin;

	replay_start(path, v, &origin);
	report_begin(&total, v, MODE_TOTAL);
	while (replay_next(&rates)) {
		report_add(&total, &rates);
		report_free(&rates);
	}
	*about = format("%s: %s, %s, %u intervals, %.2f s", path, origin.host, generation->name,
			total.intervals, total.seconds);
	return total;
}

/* Return the whole name of a line, of which scope_label() may have the end alone. */
static char *line_name(const struct view *v, const struct scope *s)
{
	return format("%d %s", s->socket < 0 ? -1 : v->machine->sockets[s->socket],
		      s->pmu ? s->pmu->box : "");
}

/* Return the place of a text in a list, or -1. */
static int place_of(char **list, unsigned int nr, const char *text)
{
	while (nr-- > 0)
		if (!strcmp(list[nr], text))
			return nr;
	return -1;
}

/* Compare two files, in the columns and lines that both have. */
static void diff(struct run *r)
{
	struct view a, b, both = { 0 };
	struct report first, second, x, y;
	char *abouts[2], **names, **lines;
	unsigned int i, j, cell = 0;
	struct column *columns;

	/* What belongs to the first file that is read goes with the next one. */
	second = total_of(r->o.second, &b, &abouts[1]);
	names = zalloc(b.nr_columns, sizeof(*names));
	lines = zalloc(b.nr_scopes, sizeof(*lines));
	for (j = 0; j < b.nr_columns; j++)
		names[j] = format("%s", metrics[b.columns[j].metric].name);
	for (i = 0; i < b.nr_scopes; i++)
		lines[i] = line_name(&b, &b.scopes[i]);
	first = total_of(r->o.diff, &a, &abouts[0]);
	both.machine = a.machine;
	columns = zalloc(a.nr_columns, sizeof(*columns));
	both.columns = columns;
	both.scopes = zalloc(a.nr_scopes, sizeof(*both.scopes));
	for (j = 0; j < a.nr_columns; j++)
		if (place_of(names, b.nr_columns, metrics[a.columns[j].metric].name) >= 0)
			columns[both.nr_columns++] = a.columns[j];
	for (i = 0; i < a.nr_scopes; i++)
		if (place_of(lines, b.nr_scopes, line_name(&a, &a.scopes[i])) >= 0)
			both.scopes[both.nr_scopes++] = a.scopes[i];
	if (!both.nr_columns || !both.nr_scopes)
		die("--diff: the recordings have no line and column in common");
	report_begin(&x, &both, MODE_TOTAL);
	report_begin(&y, &both, MODE_TOTAL);
	for (i = 0; i < a.nr_scopes; i++) {
		int k = place_of(lines, b.nr_scopes, line_name(&a, &a.scopes[i]));

		for (j = 0; k >= 0 && j < a.nr_columns; j++) {
			int l = place_of(names, b.nr_columns, metrics[a.columns[j].metric].name);

			if (l < 0)
				continue;
			x.values[cell] = *report_value(&first, i, j);
			y.values[cell++] = *report_value(&second, k, l);
		}
	}
	if (!summary_diff)
		die("this build has no --summary, and so no --diff");
	open_output(r);
	fprintf(r->o.format == OUT_TABLE ? r->out : stderr, "A: %s\nB: %s\n", abouts[0], abouts[1]);
	summary_diff(&x, &y, r->o.format, r->out);
}

int main(int argc, char **argv)
{
	struct run r = { .child = 0 };
	int status;

	options_get(&r.o, argc, argv);
	if (r.o.list) {
		status = !list_print(r.o.word);
		return fflush(stdout) || ferror(stdout) || status;
	}
	if (r.o.why)
		return why(r.o.why);
	if (r.o.diff) {
		diff(&r);
		return fflush(r.out) || ferror(r.out);
	}
	r.live = r.o.format == OUT_LIVE;
	if (r.o.replay)
		replay_start(r.o.replay, &r.o.view, &r.origin);
	else
		set_up(&r);
	report_begin(&r.total, &r.o.view, MODE_TOTAL);
	open_output(&r);
	if (!r.o.replay || r.live)
		wait_init(r.live);
	if (r.o.control) {
		control_open(r.o.control);
		r.paused = true;
	}
	if (r.o.command)
		r.child = command_fork(r.o.command);
	if (!r.o.replay)
		count_open(&r.counting, &r.machine, &r.plan);
	/* Signals are blocked: no thread gets any. */
	emit(&r, RUN_BEGINS, NULL);
	if (r.o.replay) {
		replay(&r);
		status = 0;
	} else {
		begin(&r);
		if (r.o.command)
			command_go();
		status = loop(&r);
	}
	emit(&r, RUN_ENDS, NULL);
	return status;
}
