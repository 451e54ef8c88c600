// SPDX-License-Identifier: GPL-2.0-only
/* Unload the module while events are multiplexed at long intervals: no hrtimer may be left. */
#include "kselftest.h"
#include "api/model.h"
#include "api/rotation.h"
#include "api/uncore.h"

#define BOX		"ha"
#define INTERVAL	\
	"/sys/bus/event_source/devices/snbep_uncore_" BOX "/perf_event_mux_interval_ms"
#define EVENTS		7	/* on four counters */
#define SOCKET		1

#define UNLOADS		5

int main(void)
{
	unsigned int before, during, after = 0, i, gone;
	int fd[EVENTS];

	ksft_print_header();
	ksft_set_plan(1);
	model_init();
	uncore_init("snbep_uncore_");
	before = rotation_timers();
	if (!write_text("60000", INTERVAL))
		ksft_exit_fail_msg("no interval for " BOX "\n");
	for (i = 0; i < EVENTS; i++)
		fd[i] = uncore_open(uncore_pmu(BOX), "event=0x0e", SOCKET, -1);
	during = rotation_timers();
	for (i = 0; i < EVENTS; i++)
		close(fd[i]);
	for (i = gone = 0; i < UNLOADS; i++) {
		gone += !system("rmmod snbep_uncore");
		if (rotation_timers() > after)
			after = rotation_timers();
		if (system("modprobe snbep_uncore"))
			ksft_exit_fail_msg("the module does not come back\n");
	}
	ksft_test_result(gone == UNLOADS && during > before && after == before,
			 "an unload leaves no multiplexing hrtimer: %u of %u times, %u, %u and %u timers\n",
			 gone, UNLOADS, before, during, after);
	ksft_finished();
}
