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

/* One of each kind, in socket 0 and 1 by turns */
static const char * const boxes[] = {
	"cbox_7", "ubox", "r3qpi_0", "r2pcie", "imc_2", "ha", "qpi_0", "pcu",
};

#define NR_BOXES	(sizeof(boxes) / sizeof(*boxes))

static void set_online(const int *cpus, unsigned int nr, bool online)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (!uncore_set_online(cpus[i], online))
			ksft_exit_fail_msg("CPU %d does not go on- or offline\n",
					   cpus[i]);
	}
}

/* So many that twice as many are nearly two rounds of a counter */
static void half_round(unsigned int socket, const struct uncore_pmu *pmu)
{
	const struct uncore_kind *k = uncore_kind(pmu);

	model("stim %u %s %s,count=%llu", socket, pmu->box, k->event,
	      (1ull << k->width) - 1);
}

/*
 * While the last CPU of a socket goes, its events still take turns, so that
 * the box is changed to the end. Nothing of that is to be in the way when the
 * socket is back.
 */
static void socket_comes_and_goes(unsigned int socket)
{
	unsigned int i, j, nr;
	int fd[NR_BOXES][6];
	int cpu[64];

	for (nr = 0; nr < 64; nr++) {
		cpu[nr] = uncore_socket_cpu(socket, nr);
		if (cpu[nr] < 0)
			break;
	}
	for (i = 0; i < NR_BOXES; i++) {
		struct uncore_pmu *pmu = uncore_pmu(boxes[i]);

		write_text("1", "/sys/bus/event_source/devices/%s/perf_event_mux_interval_ms",
			   pmu->name);
		for (j = 0; j < 6; j++)
			fd[i][j] = uncore_open(pmu, uncore_kind(pmu)->event,
					       socket, -1);
	}
	set_online(cpu, nr, false);
	for (i = 0; i < NR_BOXES; i++) {
		for (j = 0; j < 6; j++)
			close(fd[i][j]);
	}
	set_online(cpu, nr, true);
	uncore_init("snbep_uncore_");
}

/* A box that goes while it counts, and whose event is closed before the look */
static void box_goes(void)
{
	struct uncore_pmu *pmu = uncore_pmu("imc_3");
	int fd = uncore_open(pmu, uncore_kind(pmu)->event, 0, -1);
	char path[PCI_PATH_SIZE];

	if (!uncore_find_function(path, "10.5", "0x3cb5") ||
	    !write_text("1", "%s/remove", path))
		ksft_exit_fail_msg("channel 3 cannot be removed\n");
	close(fd);
}

int main(void)
{
	struct tally before[NR_BOXES], after;
	int fd[NR_BOXES];
	unsigned int i, s;

	ksft_print_header();
	model_init();
	uncore_init("snbep_uncore_");
	if (uncore_nr_sockets < 2)
		ksft_exit_fail_msg("there is no second socket to go offline\n");
	ksft_set_plan(2 * NR_BOXES);
	socket_comes_and_goes(1);
	box_goes();
	for (i = 0; i < NR_BOXES; i++) {
		struct uncore_pmu *pmu = uncore_pmu(boxes[i]);

		s = i % 2;
		fd[i] = uncore_open(pmu, uncore_kind(pmu)->event, s, -1);
		before[i] = model_tally(s, boxes[i], NULL);
		half_round(s, pmu);
	}
	sleep(WAIT);
	for (i = 0; i < NR_BOXES; i++) {
		struct uncore_pmu *pmu = uncore_pmu(boxes[i]);
		unsigned int width = uncore_kind(pmu)->width;
		uint64_t n;

		s = i % 2;
		after = model_tally(s, boxes[i], NULL);
		half_round(s, pmu);
		n = uncore_read(fd[i]);
		ksft_test_result(n == (2ull << width) - 2,
				 "%s: twice 2^%u - 1 is %llu\n", boxes[i],
				 width, (unsigned long long)n);
		/* One read of one counter, whose high half has changed */
		ksft_test_result(after.reads > before[i].reads &&
				 after.reads - before[i].reads <= 4 &&
				 after.writes == before[i].writes,
				 "%s: meanwhile %llu reads, %llu writes\n",
				 boxes[i],
				 (unsigned long long)(after.reads -
						      before[i].reads),
				 (unsigned long long)(after.writes -
						      before[i].writes));
	}
	ksft_finished();
}
