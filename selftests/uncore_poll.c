// SPDX-License-Identifier: GPL-2.0-only
/*
 * No counter wraps unseen: the driver looks at each in time, so that one which
 * goes nearly round twice between two reads of ours still adds up. Takes more
 * than a minute of doing nothing.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest.h"
#include "lib/model.h"
#include "lib/uncore.h"

/* Of 4 GHz and 32 increments a cycle, 44 bits last 137 s: look twice in that */
#define WAIT	68

static const struct kind {
	const char *box, *event, *stim;
	unsigned int width;
} kinds[] = {
	{ "cbox_7", "event=0x13,umask=0x01", "event=0x13,umask=0x01", 44 },
	{ "ubox", "event=0x44", "event=0x44", 44 },
	{ "r3qpi_0", "event=0x31", "event=0x31", 44 },
	{ "r2pcie", "event=0x12", "event=0x12", 44 },
	{ "imc_2", "event=0x01", "event=0x01", 48 },
	{ "ha", "event=0x0e", "event=0x0e", 48 },
	{ "qpi_0", "event=0x04", "event=0x04", 48 },
	{ "pcu", "event=0x05", "event=0x05", 48 },
};

int main(void)
{
	struct tally before[ARRAY_SIZE(kinds)], after;
	int fd[ARRAY_SIZE(kinds)];
	unsigned int i, s;

	ksft_print_header();
	model_init();
	uncore_init("snbep_uncore_");
	ksft_set_plan(2 * ARRAY_SIZE(kinds));
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		s = i % uncore_nr_sockets;
		fd[i] = uncore_open(uncore_pmu(kinds[i].box), kinds[i].event, s,
				    -1);
		before[i] = model_tally(s, kinds[i].box, NULL);
		model("stim %u %s %s,count=%llu", s, kinds[i].box,
		      kinds[i].stim, (1ull << kinds[i].width) - 1);
	}
	sleep(WAIT);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		uint64_t n;

		s = i % uncore_nr_sockets;
		after = model_tally(s, kinds[i].box, NULL);
		model("stim %u %s %s,count=%llu", s, kinds[i].box,
		      kinds[i].stim, (1ull << kinds[i].width) - 1);
		n = uncore_read(fd[i]);
		ksft_test_result(n == (2ull << kinds[i].width) - 2,
				 "%s: twice 2^%u - 1 is %llu\n", kinds[i].box,
				 kinds[i].width, (unsigned long long)n);
		/* One look at one counter, whose high half has changed */
		ksft_test_result(after.reads > before[i].reads &&
				 after.reads - before[i].reads <= 4 &&
				 after.writes == before[i].writes,
				 "%s: meanwhile %llu reads, %llu writes\n",
				 kinds[i].box,
				 (unsigned long long)(after.reads -
						      before[i].reads),
				 (unsigned long long)(after.writes -
						      before[i].writes));
	}
	ksft_finished();
}
