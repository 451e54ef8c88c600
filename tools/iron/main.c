// SPDX-License-Identifier: GPL-2.0-only
/*
 * uncore-iron-measure: the measurements of uncore-iron, which is a script and asks before this
 * program is run.
 *
 *   uncore-iron-measure [-w] [-s SOURCE] [-b MIB]     with snbep_uncore
 *   uncore-iron-measure -o [-s SOURCE] [-b MIB]       the part of it that also holds for
 * intel_uncore uncore-iron-measure -t read|write|stream -c SOCKET -m SOCKET   one flow and nothing
 * else, to look at with perf
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "iron.h"

static const char usage[] =
	"usage: uncore-iron-measure [-w] [-s program|stimulus] [-b MIB]\n"
	"       uncore-iron-measure -o [-s program|stimulus] [-b MIB]\n"
	"       uncore-iron-measure -t read|write|stream [-c SOCKET] [-m SOCKET] [-b MIB]\n";

static int one_flow(const char *name, unsigned int socket, unsigned int home)
{
	static const char *const names[] = { "read", "write", "stream" };
	uint64_t lines = 0;
	const char *why;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		if (strcmp(name, names[i]))
			continue;
		why = source->flow(i, socket, home, &lines);
		if (why)
			give_up("%s", why);
		printf("%llu lines\n", (unsigned long long)lines);
		return 0;
	}
	give_up("-t is read, write or stream, not %s", name);
}

int main(int argc, char **argv)
{
	unsigned int socket = 0, home = 0;
	bool may_write = false, others = false;
	const char *flow = NULL;
	int opt;

	while ((opt = getopt(argc, argv, "wos:b:t:c:m:")) >= 0) {
		switch (opt) {
		case 'w':
			may_write = true;
			break;
		case 'o':
			others = true;
			break;
		case 's':
			if (!strcmp(optarg, stimulus_source.name))
				source = &stimulus_source;
			else if (strcmp(optarg, program_source.name))
				give_up("-s is program or stimulus, not %s", optarg);
			break;
		case 'b':
			flow_bytes = strtoull(optarg, NULL, 0) << 20;
			if (!flow_bytes)
				give_up("-b is a number of MiB, not %s", optarg);
			break;
		case 't':
			flow = optarg;
			break;
		case 'c':
			socket = strtoul(optarg, NULL, 0);
			break;
		case 'm':
			home = strtoul(optarg, NULL, 0);
			break;
		default:
			fputs(usage, stderr);
			return 1;
		}
	}
	if (optind != argc || socket >= MAX_SOCKETS || home >= MAX_SOCKETS) {
		fputs(usage, stderr);
		return 1;
	}
	find_sockets();
	if (flow)
		return one_flow(flow, socket, home);
	if (geteuid())
		give_up("run it as root: counters of all CPUs and the registers need that");
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!find_pmus(others ? "uncore_" : "snbep_uncore_"))
		give_up(others ? "intel_uncore is not loaded" :
				 "the driver is not loaded: modprobe snbep_uncore");
	find_functions();
	note("traffic by %s, flows of %llu MiB", source->name,
	     (unsigned long long)flow_bytes >> 20);
	if (!others)
		check_boxes();
	check_clocks();
	check_flows(others);
	if (others)
		return report_end();
	check_nodes();
	check_filters();
	check_registers();
	check_residency();
	check_undescribed();
	/* Last, as it leaves counters where nobody expects them. */
	check_widths(may_write);
	return report_end();
}
