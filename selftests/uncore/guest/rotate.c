// SPDX-License-Identifier: GPL-2.0-only
/*
 * More events than counters, which take turns at long intervals. Their CPU goes, comes
 * back and gets them again, before perf's timer for its turns has noticed: that is on
 * another CPU now. They go on, and go on taking turns. And the module goes before that
 * timer has come: nothing of it is left.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "kselftest.h"
#include "lib/model.h"
#include "lib/rotation.h"
#include "lib/uncore.h"

#define BOX		"ha"
#define EVENTS		7	/* on four counters */
#define SOCKET		1

/* Long enough for two CPUs to go and one to come, if no debug kernel is slow */
#define INTERVAL_MS	1500

static int fd[EVENTS];

static void open_all(unsigned int interval)
{
	const struct uncore_pmu *pmu = uncore_pmu(BOX);
	char text[16];
	unsigned int i;

	snprintf(text, sizeof(text), "%u", interval);
	if (!write_text(text, "/sys/bus/event_source/devices/%s/perf_event_mux_interval_ms",
			pmu->name))
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

static void running(uint64_t *ns)
{
	struct uncore_times times;
	unsigned int i;
	uint64_t count;

	for (i = 0; i < EVENTS; i++) {
		uncore_read_group(fd[i], 1, &count, &times);
		ns[i] = times.running;
	}
}

/* How many have counted in that many intervals */
static unsigned int have_counted(unsigned int intervals)
{
	uint64_t before[EVENTS], after[EVENTS];
	unsigned int i, n = 0;

	running(before);
	usleep(intervals * INTERVAL_MS * 1000);
	running(after);
	for (i = 0; i < EVENTS; i++)
		n += after[i] != before[i];
	return n;
}

static void test_cpus(void)
{
	int cpu[2] = { uncore_pmu(BOX)->cpu[SOCKET] };
	uint64_t begin, ms;
	unsigned int i, n;

	for (i = 0; (cpu[1] = uncore_socket_cpu(SOCKET, i)) == cpu[0]; i++)
		;
	if (cpu[1] < 0)
		ksft_exit_fail_msg("socket %u has one CPU\n", SOCKET);
	open_all(INTERVAL_MS);
	begin = now_ns();
	if (!uncore_set_online(cpu[0], false) ||
	    !uncore_set_online(cpu[0], true) ||
	    !uncore_set_online(cpu[1], false))
		ksft_exit_fail_msg("CPUs do not go and come\n");
	ms = (now_ns() - begin) / 1000000;
	/* If it has ended up elsewhere, the timer comes in this time. */
	usleep(2 * INTERVAL_MS * 1000);
	n = have_counted(EVENTS);
	ksft_test_result(n == EVENTS,
			 "%u of %u events take turns on a CPU that was back after %llu ms\n",
			 n, EVENTS, (unsigned long long)ms);
	uncore_set_online(cpu[1], true);
	close_all();
}

static void test_unload(void)
{
	unsigned int before = rotation_timers(), during, after;
	bool gone;

	open_all(60000);
	during = rotation_timers();
	close_all();
	gone = !system("rmmod snbep_uncore");
	after = rotation_timers();
	ksft_test_result(gone && during > before && after == before,
			 "the module has taken its timer along: %u, %u and %u\n",
			 before, during, after);
	if (system("modprobe snbep_uncore"))
		ksft_exit_fail_msg("the module does not come back\n");
}

int main(void)
{
	ksft_print_header();
	ksft_set_plan(2);
	model_init();
	uncore_init("snbep_uncore_");
	test_unload();
	uncore_init("snbep_uncore_");
	test_cpus();
	ksft_finished();
}
