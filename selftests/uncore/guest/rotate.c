// SPDX-License-Identifier: GPL-2.0-only
/*
 * More events than counters, which are multiplexed at long intervals. The module is
 * unloaded before the multiplexing hrtimer expires: none is left.
 */
#include <stdio.h>
#include <unistd.h>

#include "kselftest.h"
#include "lib/model.h"
#include "lib/rotation.h"
#include "lib/uncore.h"

#define BOX		"ha"
#define EVENTS		7	/* on four counters */
#define SOCKET		1

#define UNLOADS		5

static int fd[EVENTS];

static bool set_interval(const char *ms)
{
	return write_text(ms, "/sys/bus/event_source/devices/snbep_uncore_" BOX "/perf_event_mux_interval_ms");
}

static void open_all(const char *interval)
{
	const struct uncore_pmu *pmu = uncore_pmu(BOX);
	unsigned int i;

	if (!set_interval(interval))
		ksft_exit_fail_msg("no interval for " BOX "\n");
	for (i = 0; i < EVENTS; i++)
		fd[i] = uncore_open(pmu, "event=0x0e", SOCKET, -1);
}

static void close_all(void)
{
	unsigned int i;

	for (i = 0; i < EVENTS; i++)
		close(fd[i]);
}

static void test_unload(void)
{
	unsigned int before = rotation_timers(), during, after = 0, i, gone;

	open_all("60000");
	during = rotation_timers();
	close_all();
	for (i = gone = 0; i < UNLOADS; i++) {
		gone += !system("rmmod snbep_uncore");
		if (rotation_timers() > after)
			after = rotation_timers();
		if (system("modprobe snbep_uncore"))
			ksft_exit_fail_msg("the module does not come back\n");
	}
	ksft_test_result(gone == UNLOADS && during > before && after == before,
			 "the module has taken its timer along %u of %u times: %u, %u and %u\n",
			 gone, UNLOADS, before, during, after);
}

int main(void)
{
	ksft_print_header();
	ksft_set_plan(1);
	model_init();
	uncore_init("snbep_uncore_");
	test_unload();
	ksft_finished();
}
