// SPDX-License-Identifier: GPL-2.0-only
/*
 * Generates perf JSON, the event reference, a CSV and uncorestat's tables from the
 * event tables.
 */
#include "gen.h"

#include <stdio.h>
#include <string.h>

void print_filters(unsigned int flags, const char *between)
{
	const char *sep = "";
	unsigned int bit;

	for (bit = 1; bit && bit <= flags; bit <<= 1) {
		/* Some flags are not filters. */
		if (!(flags & bit) || !filter_name(bit))
			continue;
		printf("%s%s", sep, filter_name(bit));
		sep = between;
	}
}

static const struct {
	const char *name;
	int (*run)(const char *arg);
	const char *help;
} commands[] = {
	{ "csv", print_csv, "box,alias,encoding,counters,filter,scale,unit" },
	{ "events", print_events, "events as the model of the machine prints its own" },
	{ "json", print_json, "events in perf's pmu-events format" },
	{ "metrics", print_metrics, "metrics in perf's pmu-events format" },
	{ "rst", print_rst, "a page of the event reference: box, metrics or index" },
	{ "rows", print_rows, "box alias event umask counters" },
	{ "stat", print_stat, "uncorestat's events and metrics on a processor MODEL" },
};

int main(int argc, char **argv)
{
	const char *arg = argc == 3 ? argv[2] : "";
	size_t i;

	for (i = 0; argc > 1 && i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(arg);

	fprintf(stderr, "usage: gen COMMAND [PAGE|MODEL]\n");
	for (i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(stderr, "  %-12s %s\n", commands[i].name,
			commands[i].help);
	return 2;
}
