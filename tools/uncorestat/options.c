// SPDX-License-Identifier: GPL-2.0-only
#include "options.h"

#include <fnmatch.h>
#include <getopt.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util.h"

static const char usage[] =
"usage: uncorestat [OPTION]... [SECONDS [COUNT]] [-- COMMAND [ARGUMENT]...]\n"
"What the sockets of a Xeon E5-2600 (to v4) are doing, from the kernel's perf events.\n"
"\n"
"  -i, --interval SECONDS    between two lines (1)\n"
"  -n, --count COUNT         end after so many\n"
"  -g, --group GROUP,...     default, mem, llc, qpi, pcie, power, latency,\n"
"                            total, resctrl, numa\n"
"  -m, --metric METRIC,...   any of those that --list explains, 'mem_*', freq_2900,\n"
"                            or 'name=expression' as its equations are\n"
"      --per system|socket|box|resctrl,...\n"
"                            a line for each (as the group has it)\n"
"      --list [WORD]         explain groups and metrics; with WORD, events, too\n"
"      --why EVENT           why the driver refuses an event\n"
"      --live                a picture in the terminal\n"
"      --csv, --json         for programs\n"
"      --prometheus FILE     rewrite FILE after each interval\n"
"      --listen [ADDRESS:]PORT   an endpoint for Prometheus\n"
"      --control fd:FD[,ACK-FD]|fifo:FILE[,ACK-FILE]\n"
"                            count between enable and disable, as perf stat does\n"
"      --summary             minimum, mean, maximum and 99 % at the end\n"
"      --svg FILE            plot the run into FILE at its end\n"
"      --record FILE         write the run, for\n"
"      --replay FILE         the other outputs of a recording, and\n"
"      --diff FILE FILE      how a second one differs\n"
"  -o, --output FILE         not to standard output (with COMMAND: error)\n"
"  -h, --help\n"
"  -V, --version\n"
"\n"
"With COMMAND: its totals at its end, and its exit status; with -i, lines\n"
"meanwhile. Marks: - not available, * from some of the slices, ~ multiplexed.\n";

/* An output is OPT_OUTPUT and its number. */
enum { OPT_PER = 256, OPT_LIST, OPT_WHY, OPT_CONTROL, OPT_REPLAY, OPT_DIFF, OPT_OUTPUT };

static const struct option longs[] = {
	{ "interval", required_argument, NULL, 'i' },
	{ "count", required_argument, NULL, 'n' },
	{ "group", required_argument, NULL, 'g' },
	{ "metric", required_argument, NULL, 'm' },
	{ "per", required_argument, NULL, OPT_PER },
	{ "list", optional_argument, NULL, OPT_LIST },
	{ "live", no_argument, NULL, OPT_OUTPUT + OUT_LIVE },
	{ "csv", no_argument, NULL, OPT_OUTPUT + OUT_CSV },
	{ "json", no_argument, NULL, OPT_OUTPUT + OUT_JSON },
	{ "prometheus", required_argument, NULL, OPT_OUTPUT + OUT_PROMETHEUS },
	{ "openmetrics", required_argument, NULL, OPT_OUTPUT + OUT_PROMETHEUS },
	{ "listen", required_argument, NULL, OPT_OUTPUT + OUT_LISTEN },
	{ "control", required_argument, NULL, OPT_CONTROL },
	{ "summary", no_argument, NULL, OPT_OUTPUT + OUT_SUMMARY },
	{ "svg", required_argument, NULL, OPT_OUTPUT + OUT_SVG },
	{ "record", required_argument, NULL, OPT_OUTPUT + OUT_RECORD },
	{ "replay", required_argument, NULL, OPT_REPLAY },
	{ "diff", required_argument, NULL, OPT_DIFF },
	{ "why", required_argument, NULL, OPT_WHY },
	{ "output", required_argument, NULL, 'o' },
	{ "help", no_argument, NULL, 'h' },
	{ "version", no_argument, NULL, 'V' },
	{ }
};

static unsigned int parse_per(const char *list)
{
	static const char * const names[] = { "system", "socket", "box", "resctrl" };
	char *words = format("%s", list), *rest = words, *word;
	unsigned int per = 0, i;

	while ((word = strsep(&rest, ","))) {
		for (i = 0; i < ARRAY_SIZE(names) && strcmp(word, names[i]); i++)
			;
		if (i == ARRAY_SIZE(names))
			die("--per %s: system, socket, box or resctrl", word);
		per |= 1 << i;
	}
	free(words);
	return per;
}

/* Columns chosen so far */
static struct column *chosen;
static unsigned int nr_chosen;
static bool chosen_per, per_given;
static unsigned int group_per;
static const struct group *only_group;
static unsigned int nr_offered;	/* metrics that are not defined by an option */

static void choose(struct column c)
{
	unsigned int i;

	if (!c.group || !only_group || strcmp(c.group, only_group->name))
		only_group = NULL;
	c.metric = metric_index(c.name);
	formula_of(&metrics[c.metric]);
	for (i = 0; i < nr_chosen; i++)
		if (chosen[i].metric == c.metric)
			return;
	chosen = grow(chosen, nr_chosen, sizeof(*chosen));
	chosen[nr_chosen++] = c;
}

const char *group_lacks(const struct group *g)
{
	unsigned int i;

	/* The first column is what the group is for. */
	for (i = 0; strcmp(columns[i].group, g->name); i++)
		;
	return metrics[metric_index(columns[i].name)].lacks;
}

static void choose_group(const char *name)
{
	unsigned int per, i, g;

	for (g = 0; g < nr_groups && strcmp(groups[g].name, name); g++)
		;
	if (g == nr_groups)
		die("no group %s: see --list", name);
	if (group_lacks(&groups[g]))
		die("-g %s: %s", name, group_lacks(&groups[g]));
	only_group = nr_chosen ? NULL : &groups[g];
	per = parse_per(groups[g].per);
	/* With groups of different --per, default to sockets. */
	group_per = chosen_per && group_per != per ?
		PER_SOCKET | ((group_per | per) & PER_RESCTRL) : per;
	chosen_per = true;
	/* --list says why this processor lacks one. */
	for (i = 0; i < nr_columns; i++)
		if (!strcmp(columns[i].group, name) && (columns[i].gens & generation->bit) &&
		    !metrics[metric_index(columns[i].name)].lacks)
			choose(columns[i]);
}

/* Add a column for a metric of -m. */
static void choose_one(const struct metric *m)
{
	struct column c = { .name = m->name, .heading = m->name, .decimals = 2, .divisor = 1 };

	c.title = m->unit;
	if (m->kind == METRIC_RATIO) {
		c.title = "%";
		c.divisor = 0.01;
	} else if (m->kind == METRIC_AMOUNT && !strcmp(m->unit, "bytes")) {
		c.title = "MB/s";
		c.divisor = 1e6;
		c.decimals = 3;
	} else if (m->kind == METRIC_AMOUNT) {
		c.title = format("%s/s", m->unit);
		c.decimals = 0;
	}
	choose(c);
}

/* Add a metric by its name, those that a pattern matches, or one that is defined here. */
static void choose_metric(const char *text)
{
	const char *expr = strchr(text, '='), *wrong;
	bool any = false;
	const struct metric *m;
	unsigned int i;

	if (expr) {
		m = metric_define(text, expr - text, expr + 1);
		wrong = formula_of(m)->wrong;
		if (wrong)
			die("-m %s: %s", text, wrong);
		choose_one(m);
		return;
	}
	for (i = 0; i < nr_metrics; i++) {
		if (fnmatch(text, metrics[i].name, 0))
			continue;
		any = true;
		choose_one(&metrics[i]);
	}
	m = any ? NULL : metric_freq(text);
	if (m)
		choose_one(m);
	else if (!any && !strncmp(text, "freq_", 5) && metrics[metric_index("freq_2000")].lacks)
		die("no metric %s: %s", text, metrics[metric_index("freq_2000")].lacks);
	else if (!any)
		die("no metric %s: see --list", text);
}

/* Call a function for each word of a list, whose commas in brackets do not part words. */
static void each_word(char *list, void (*f)(const char *))
{
	int depth = 0;
	char *p;

	for (p = list; ; p++) {
		depth += (*p == '[' || *p == '(') - (*p == ']' || *p == ')');
		if (*p && (*p != ',' || depth > 0))
			continue;
		if (!*p) {
			f(list);
			return;
		}
		*p = 0;
		f(list);
		list = p + 1;
	}
}

/* Return whether an output would have two values of the same name. */
static bool same_name(const struct metric *a, const struct metric *b)
{
	char x[PROMETHEUS_NAME], y[PROMETHEUS_NAME];

	prometheus_name(a, x);
	prometheus_name(b, y);
	return !strcmp(x, y) ||
	       !strcmp(value_key(a, "percent", MODE_RATE, x), value_key(b, "percent", MODE_RATE, y)) ||
	       !strcmp(value_key(a, "percent", MODE_TOTAL, x), value_key(b, "percent", MODE_TOTAL, y));
}

/* Exit if a metric of -m NAME=EXPRESSION has the name of something else in an output. */
static void check_name(unsigned int column)
{
	static const char * const others[] = {
		"time", "interval_seconds", "total_seconds", "socket", "box", "marks", "notes",
		"sampled", "multiplexed", "implausible", "info", "marked"
	};
	const struct metric *m = &metrics[chosen[column].metric];
	struct metric other = { .unit = "", .kind = METRIC_LEVEL, .lacks = "" };
	/* A name in Prometheus' format */
	bool taken = strstr(m->name, "_denominator");
	unsigned int i;

	for (i = 0; i < nr_chosen; i++)
		taken |= i != column && same_name(m, &metrics[chosen[i].metric]);
	for (i = 0; i < ARRAY_SIZE(others); i++) {
		other.name = others[i];
		taken |= same_name(m, &other);
	}
	if (taken)
		die("-m %s: the output has another column of this name", m->name);
}

void options_columns(struct view *v)
{
	unsigned int i;

	if (!nr_chosen)
		choose_group("default");
	for (i = nr_chosen; i-- > 0; )
		if (chosen[i].metric >= nr_offered)
			check_name(i);
	if (!per_given)
		v->per = chosen_per ? group_per : PER_SOCKET;
	v->group = only_group;
	v->columns = chosen;
	v->nr_columns = nr_chosen;
}

void options_no_columns(void)
{
	chosen = NULL;
	nr_chosen = 0;
	nr_offered = nr_metrics;
	chosen_per = false;
	only_group = NULL;
}

bool options_column(const char *metric, const char *group)
{
	unsigned int before = nr_chosen, i;

	if (!group && (strchr(metric, '=') || !strpbrk(metric, "*?[")))
		choose_metric(metric);
	for (i = 0; group && i < nr_groups && !nr_chosen; i++)
		if (!strcmp(groups[i].name, group))
			only_group = &groups[i];
	for (i = 0; group && i < nr_columns; i++)
		if (!strcmp(columns[i].group, group) && !strcmp(columns[i].name, metric))
			choose(columns[i]);
	return nr_chosen == before + 1;
}

void options_group(struct view *v, const struct group *g)
{
	options_no_columns();
	choose_group(g->name);
	options_columns(v);
	if (g == groups && !per_given)
		v->per = PICTURE_PER;
}

static void choose_format(struct options *o, enum output format)
{
	if (o->format != OUT_TABLE && o->format != format)
		die("--live, --csv, --json: one of them");
	o->format = format;
}

static bool is_number(const char *s)
{
	char *end;

	strtod(s, &end);
	return end != s && !*end;
}

static double number(const char *opt, const char *s, double least)
{
	char *end;
	double d = strtod(s, &end);

	if (end == s || *end || !(d >= least) || d > 1e9)
		die("%s %s: a number from %g on", opt, s, least);
	return d;
}

const struct output_row outputs[NR_OUTPUTS] = {
	[OUT_TABLE] = { out_table, "table", "" },
	[OUT_CSV] = { out_csv, "csv", "" },
	[OUT_JSON] = { out_json, "json", "" },
	[OUT_LIVE] = { out_live, "live", "libncurses-dev" },
	[OUT_SUMMARY] = { out_summary, "summary", "" },
	[OUT_SVG] = { out_svg, "svg", "" },
	[OUT_RECORD] = { out_record, "record, --replay, --diff", "libjansson-dev" },
	[OUT_PROMETHEUS] = { out_prometheus, "prometheus", "" },
	[OUT_LISTEN] = { out_listen, "listen", "" },
};

/* Print what this build lacks. */
static void print_missing(void)
{
	const struct output_row *o;

	for (o = outputs; o < outputs + NR_OUTPUTS; o++)
		if (!o->put)
			printf("Not in this build: --%s%s%s\n", o->option,
			       *o->needs ? ": build it with " : "", o->needs);
}

static void print_version(void)
{
	const struct generation *g;

	puts("uncorestat " VERSION);
	print_missing();
	for (g = generations; g < generations + nr_generations; g++)
		printf("%s, model %u: %s\n", g->name, g->model, g->proof);
}

/* Exit if this build lacks an output. */
static void need(enum output i)
{
	if (!outputs[i].put)
		die("--%s: not in this build%s%s", outputs[i].option,
		    *outputs[i].needs ? ": build it with " : "", outputs[i].needs);
}

static void check(struct options *o)
{
	bool of_file = o->replay || o->diff, live = o->format == OUT_LIVE;
	enum output i;

	if (o->list && o->command && (o->word || o->command[1]))
		die("--list takes one word");
	/* The lines of a summary for programs are not those of intervals. */
	if (!o->to[OUT_SUMMARY] || o->format == OUT_TABLE)
		o->to[o->format] = "";
	for (i = 0; i < NR_OUTPUTS; i++)
		if (o->to[i])
			need(i);
	if (of_file)
		need(OUT_RECORD);
	if (o->diff && (!o->second || o->command))
		die("--diff takes two recordings");
	if (of_file && (nr_chosen || per_given))
		die("a recording has its own lines and columns: leave out -g, -m and --per");
	if (of_file && (o->to[OUT_RECORD] || o->to[OUT_LISTEN] || o->control || o->command))
		die("a recording is not counted: leave out --record, --listen, --control and the command");
	if (o->diff && (o->replay || o->to[OUT_SUMMARY] || o->to[OUT_SVG] ||
			o->to[OUT_PROMETHEUS] || live))
		die("--diff prints a table, or with --csv or --json lines for programs, alone");
	if (live && o->command)
		die("--live has the terminal to itself: run the command in another one");
	if (live && o->to[OUT_SUMMARY])
		die("--summary follows lines: leave out --live");
	if (live && o->control)
		die("--live has no use for --control");
	if (live && o->output)
		die("--live has no lines for --output");
}

static unsigned long whole_number(const char *opt, const char *s)
{
	double d = number(opt, s, 1);

	if (d != floor(d))
		die("%s %s: a whole number", opt, s);
	return d;
}

/* Take "SECONDS COUNT" of vmstat and its kind; returns whether options may follow. */
static bool operands(struct options *o, char **argv)
{
	if (o->diff && !o->second && argv[optind]) {
		o->second = argv[optind++];
		return true;
	}
	if (o->list || !argv[optind] || !strcmp(argv[optind - 1], "--") || !is_number(argv[optind]))
		return false;
	o->interval = number("interval", argv[optind++], 0.01) * 1e9;
	o->given = true;
	if (argv[optind] && is_number(argv[optind]))
		o->count = whole_number("count", argv[optind++]);
	return true;
}

static void get_options(struct options *o, int argc, char **argv)
{
	int c;

	while ((c = getopt_long(argc, argv, "+i:n:g:m:o:hV", longs, NULL)) >= 0) {
		switch (c) {
		case 'i':
			o->interval = number("-i", optarg, 0.01) * 1e9;
			o->given = true;
			break;
		case 'n':
			o->count = whole_number("-n", optarg);
			break;
		case 'g':
			each_word(optarg, choose_group);
			break;
		case 'm':
			each_word(optarg, choose_metric);
			break;
		case OPT_PER:
			o->view.per = parse_per(optarg);
			per_given = true;
			break;
		case OPT_LIST:
			o->list = true;
			o->word = optarg;
			break;
		case OPT_OUTPUT ... OPT_OUTPUT + NR_LINE_OUTPUTS - 1:
			choose_format(o, c - OPT_OUTPUT);
			break;
		case OPT_OUTPUT + NR_LINE_OUTPUTS ... OPT_OUTPUT + NR_OUTPUTS - 1:
			o->to[c - OPT_OUTPUT] = optarg ?: "";
			break;
		case OPT_WHY:
			o->why = optarg;
			break;
		case OPT_CONTROL:
			o->control = optarg;
			break;
		case OPT_REPLAY:
			o->replay = optarg;
			break;
		case OPT_DIFF:
			o->diff = optarg;
			break;
		case 'o':
			o->output = optarg;
			break;
		case 'h':
			fputs(usage, stdout);
			print_missing();
			exit(0);
		case 'V':
			print_version();
			exit(0);
		default:
			fputs("Try uncorestat --help.\n", stderr);
			exit(1);
		}
	}
}

void options_get(struct options *o, int argc, char **argv)
{
	machine_generation();
	nr_offered = nr_metrics;
	memset(o, 0, sizeof(*o));
	o->interval = 1000000000;
	do
		get_options(o, argc, argv);
	while (operands(o, argv));
	if (argv[optind])
		o->command = &argv[optind];
	check(o);
	if (o->list && o->command)
		o->word = *o->command;
	options_columns(&o->view);
	if (o->format == OUT_LIVE && o->view.group == groups && !per_given)
		o->view.per = PICTURE_PER;
}
