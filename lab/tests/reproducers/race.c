// SPDX-License-Identifier: GPL-2.0-only
/*
 * race SECONDS: count the clock ticks of uncore_ha with four events on CPU 0,
 * and read them on CPU 1 in a loop. Then stop them, and print their counts.
 */
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define COUNTERS 4

int main(int argc, char **argv)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.read_format = PERF_FORMAT_GROUP,
		.disabled = 1,
	};
	FILE *type = fopen("/sys/bus/event_source/devices/uncore_ha/type", "r");
	time_t end = time(NULL) + (argc == 2 ? atoi(argv[1]) : 0);
	uint64_t counts[1 + COUNTERS];
	unsigned long reads = 0;
	cpu_set_t other;
	int leader = -1;

	CPU_ZERO(&other);
	CPU_SET(1, &other);
	if (!type || fscanf(type, "%u", &attr.type) != 1 ||
	    sched_setaffinity(0, sizeof(other), &other))
		return 2;
	for (int i = 0; i < COUNTERS; i++) {
		int fd = syscall(SYS_perf_event_open, &attr, -1, 0, leader, 0);

		if (fd < 0)
			return 2;
		if (leader < 0)
			leader = fd;
		attr.disabled = 0;
	}
	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	for (; time(NULL) < end; reads++) {
		if (read(leader, counts, sizeof(counts)) != sizeof(counts))
			return 2;
	}
	ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
	if (read(leader, counts, sizeof(counts)) != sizeof(counts))
		return 2;
	fprintf(stderr, "%lu reads\n", reads);
	for (int i = 1; i <= COUNTERS; i++)
		printf("%llu\n", (unsigned long long)counts[i]);
	return 0;
}
