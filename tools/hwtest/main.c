// SPDX-License-Identifier: GPL-2.0-only
/*
 * uncore-hwtest-measure: the measurements of the script uncore-hwtest
 *
 *   uncore-hwtest-measure [-w] [-b MIB]     over snbep_uncore
 *   uncore-hwtest-measure -o [-b MIB]       over intel_uncore: what it also counts
 *   uncore-hwtest-measure -r REPORT         copy standard input to the report
 *   uncore-hwtest-measure -c REPORT         fail if that cannot be written
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hwtest.h"
#include "replace.h"

static int write_report(const char *path, bool check)
{
	struct replacement new;
	char buf[4096];
	size_t n;

	replace_open(&new, path);
	if (check) {
		unlink(new.new);
		return 0;
	}
	while ((n = fread(buf, 1, sizeof(buf), stdin)) > 0)
		fwrite(buf, 1, n, new.out);
	replace_finish(&new);
	return 0;
}

int main(int argc, char **argv)
{
	bool may_write = false, others = false;
	unsigned int i, s;
	int opt;

	while ((opt = getopt(argc, argv, "wob:r:c:")) >= 0) {
		switch (opt) {
		case 'w':
			may_write = true;
			break;
		case 'o':
			others = true;
			break;
		case 'b':
			flow_bytes = strtoull(optarg, NULL, 0) << 20;
			if (!flow_bytes)
				die("-b is a number of MiB, not %s", optarg);
			break;
		case 'r':
		case 'c':
			return write_report(optarg, opt == 'c');
		default:
			die("see uncore-hwtest(8)");
		}
	}
	setvbuf(stdout, NULL, _IOLBF, 0);
	find_pmus(others ? "uncore_" : "snbep_uncore_");
	find_functions();
	note("flows of %llu MiB", (unsigned long long)flow_bytes >> 20);
	for (i = 0; i < machine.nr_sockets; i++) {
		s = machine.sockets[i];
		if (!others)
			check_boxes(s);
		check_clocks(s);
		check_flows(s, others);
		if (others)
			continue;
		check_node(s);
		check_victims(s);
		check_filters(s);
		check_pcu_ext(s);
	}
	if (others)
		return report_end();
	check_offcore(machine.sockets[0]);
	/* Last, because it overwrites counters. */
	check_widths(may_write);
	return report_end();
}
