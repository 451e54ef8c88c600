// SPDX-License-Identifier: GPL-2.0-only
/*
 * The itanium PMU with many users, CPU hotplug, and overflows at any time. Afterwards events count
 * exactly.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "api/ring.h"
#include "itanium.h"

static bool exited_well(pid_t child)
{
	int status;

	return waitpid(child, &status, 0) == child && !status;
}

static struct perf_event_attr loop_samples(uint64_t period)
{
	struct perf_event_attr attr = loop_attr(LOADS);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
	return attr;
}

/*
 * A task samples itself on any CPU while CPU 1 goes offline and online. If an event leaves its CPU
 * between its overflow and the interrupt, the sample comes with the next event: one may be due.
 */
static void test_hotplug(int times)
{
	struct perf_event_attr attr = loop_samples(10);
	int stop[2], i, k, bad = 0;
	pid_t child[2];
	char c;

	if (pipe(stop))
		return;
	for (i = 0; i < ARRAY(child); i++) {
		child[i] = fork();
		if (!child[i]) {
			struct ring r = ring_open(&attr);
			unsigned long long asked = 0, got = 0;
			cpu_set_t set;

			close(stop[1]);
			fcntl(stop[0], F_SETFL, O_NONBLOCK);
			while (read(stop[0], &c, 1) < 0) {
				CPU_ZERO(&set);
				CPU_SET(asked / 30 % 2, &set);
				/* Fails while CPU 1 is offline */
				sched_setaffinity(0, sizeof(set), &set);
				for (k = 0; k < 3; k++)
					loads(10);
				asked += 30;
				got += ring_take(&r);
			}
			bad = count_of(r.fd) != asked || asked / 10 - got > 1;
			if (bad)
				ksft_print_msg("task %d: %lld of %llu, %llu samples\n", i,
					       (long long)count_of(r.fd), asked, got);
			_exit(bad);
		}
	}
	close(stop[0]);
	for (k = 0; k < times; k++) {
		struct ring all = ring_open_on(&attr, -1, 1);
		int counting = event_open(&attr, -1, 1, -1);

		usleep(20000);
		write_file("/sys/devices/system/cpu/cpu1/online", 0);
		/* One is closed while its CPU is offline, and one comes back first. */
		ring_close(&all);
		write_file("/sys/devices/system/cpu/cpu1/online", 1);
		close(counting);
	}
	close(stop[1]);
	for (i = 0; i < ARRAY(child); i++)
		bad += !exited_well(child[i]);
	test_result(!bad, "two tasks that sample while a CPU goes offline | %d times, %d wrong\n", times,
		    bad);
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 20;

	begin(1);
	sample_rate(RATE);
	if (can_run("CPU hotplug", sysconf(_SC_NPROCESSORS_ONLN) > 1, "there is one processor"))
		test_hotplug(times);
	finish();
}
