// SPDX-License-Identifier: GPL-2.0-only
/*
 * Reload the module between events. Has to be the first test: before 6.2, tasks keep the PMUs of
 * their events.
 */
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "itanium.h"

/* The module can be reloaded between events, and not while one is open. */
static void test_unload(int times, bool tasks)
{
	int k, gone = 0, bad = 0, status;
	pid_t child = fork();

	if (!child) {
		for (;;) {
			struct perf_event_attr attr = loop_attr(LOADS);
			int fd;

			attr.type = pmu_type_now();
			attr.sample_period = 10;
			fd = event_open(&attr, tasks ? 0 : -1, tasks ? -1 : 0, -1);
			if (fd < 0)
				continue;
			loads(25);
			if (count_of(fd) != 25)
				_exit(1);
			close(fd);
			usleep(2000);
		}
	}
	/* On a busy host, each of them may meet an open event. */
	for (k = 0; k < times || !gone; k++) {
		if (system("rmmod itanium_pmu 2> /dev/null"))
			continue;
		gone++;
		bad += system(HAS_MODEL ? "modprobe itanium_pmu" :
					  "insmod /lib/modules/itanium_pmu.ko") != 0;
	}
	if (waitpid(child, &status, WNOHANG))
		bad++;
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	test_result(!bad, "unloaded beside somebody who counts %s | %d of %d times, %d wrong\n",
		    tasks ? "a task" : "a processor", gone, k, bad);
}

/* Whether the kernel's tasks release the PMUs of their closed events */
static bool tasks_let_go(void)
{
	struct utsname u;
	int major, minor;

	if (uname(&u) || sscanf(u.release, "%d.%d", &major, &minor) != 2)
		return false;
	return major > 6 || (major == 6 && minor >= 2);
}

static void test_keep(void)
{
	struct perf_event_attr attr = event_attr(0x08);
	int fd = event_open(&attr, 0, -1, -1);

	close(fd);
	ksft_test_result(fd >= 0 && system("rmmod itanium_pmu 2> /dev/null") &&
			 !system("dmesg | grep -q 'itanium: module pinned'"),
			 "the module stays where a task has had an event, and says so\n");
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 20;

	begin(2);
	sample_rate(RATE);
	test_unload(times, false);
	if (tasks_let_go())
		test_unload(times, true);
	else
		test_keep();
	finish();
}
