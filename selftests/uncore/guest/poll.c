// SPDX-License-Identifier: GPL-2.0-only
/*
 * No counter wraps unseen: the driver reads each in time, so that one which
 * goes nearly round twice between two reads of ours still adds up. Takes more
 * than a minute of doing nothing.
 */
#include <string.h>

#include "kselftest.h"
#include "lib/model.h"
#include "lib/uncore.h"

/* Of 4 GHz and 32 increments a cycle, 44 bits last 137 s: read twice in that */
#define WAIT	68

/* One of each kind, alternately in socket 0 and 1 */
static const char * const boxes[] = {
	"cbox_7", "ubox", "r3qpi_0", "r2pcie", "imc_2", "ha", "qpi_0", "pcu",
};

#define NR_BOXES	(sizeof(boxes) / sizeof(*boxes))

/* So many that twice as many are nearly two rounds of a counter */
static void half_round(unsigned int socket, const struct uncore_pmu *pmu)
{
	const struct uncore_kind *k = uncore_kind(pmu);

	model("stim %u %s %s,count=%llu", socket, pmu->box, k->event, (1ull << k->width) - 1);
}

int main(void)
{
	int fd[NR_BOXES];
	unsigned int i, s;

	ksft_print_header();
	model_init();
	uncore_init("snbep_uncore_");
	ksft_set_plan(NR_BOXES);
	for (i = 0; i < NR_BOXES; i++) {
		struct uncore_pmu *pmu = uncore_pmu(boxes[i]);

		s = i % 2;
		fd[i] = uncore_open(pmu, uncore_kind(pmu)->event, s, -1);
		half_round(s, pmu);
	}
	sleep(WAIT);
	for (i = 0; i < NR_BOXES; i++) {
		struct uncore_pmu *pmu = uncore_pmu(boxes[i]);
		unsigned int width = uncore_kind(pmu)->width;
		uint64_t n;

		s = i % 2;
		half_round(s, pmu);
		n = uncore_read(fd[i]);
		ksft_test_result(n == (2ull << width) - 2,
				 "%s: twice 2^%u - 1 is %llu\n", boxes[i],
				 width, (unsigned long long)n);
	}
	ksft_finished();
}
