// SPDX-License-Identifier: GPL-2.0-only
/*
 * More events than counters, which take turns at long intervals. Their CPU goes, comes
 * back and gets them again, before perf's timer for its turns has noticed: that is on
 * another CPU now. They go on, and go on taking turns. And the module goes before that
 * timer has come, while somebody writes the interval, which sets it: nothing is left.
 */
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
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
	char text[16];

	snprintf(text, sizeof(text), "%u", INTERVAL_MS);
	for (i = 0; (cpu[1] = uncore_socket_cpu(SOCKET, i)) == cpu[0]; i++)
		;
	if (cpu[1] < 0)
		ksft_exit_fail_msg("socket %u has one CPU\n", SOCKET);
	open_all(text);
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

/* Write another interval all the time, from when @go is set until that fails */
static void keep_writing(atomic_bool *go)
{
	unsigned int turn = 0;

	for (;;) {
		if (!*go)
			usleep(1000);
		else if (!set_interval(turn++ % 2 ? "60000" : "60001"))
			*go = false;
	}
}

static void test_unload(void)
{
	unsigned int before = rotation_timers(), during, after = 0, i, gone;
	atomic_bool *go = mmap(NULL, sizeof(*go), PROT_READ | PROT_WRITE,
			       MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	/*
	 * perf_pmu_unregister() removes the file under a mutex that a CPU which comes
	 * waits for, and who writes the file waits for that CPU: Linux's own circle.
	 */
	bool lockdep = !access("/proc/lockdep", F_OK);
	pid_t child;

	if (lockdep)
		ksft_print_msg("nobody writes the interval meanwhile, as lockdep warns of Linux then\n");
	if (go == MAP_FAILED)
		ksft_exit_fail_msg("no memory\n");
	open_all("60000");
	during = rotation_timers();
	close_all();
	child = fork();
	if (!child)
		keep_writing(go);
	for (i = gone = 0; i < UNLOADS; i++) {
		*go = !lockdep;
		gone += !system("rmmod snbep_uncore");
		if (rotation_timers() > after)
			after = rotation_timers();
		/* perf shows the file before it can take a value. */
		while (*go)
			usleep(1000);
		if (system("modprobe snbep_uncore"))
			ksft_exit_fail_msg("the module does not come back\n");
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ksft_test_result(gone == UNLOADS && during > before && after == before,
			 "the module has taken its timer along %u of %u times: %u, %u and %u\n",
			 gone, UNLOADS, before, during, after);
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
