/* SPDX-License-Identifier: GPL-2.0-only */
/* What the tests of the itanium PMU share */
#ifndef ITANIUM_TEST_H
#define ITANIUM_TEST_H

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "lib/tap.h"
#include "lib/model.h"

#define PMU	"/sys/bus/event_source/devices/itanium"
#define ARRAY(a)	(int)(sizeof(a) / sizeof((a)[0]))
#define EAR(n, umask)	((unsigned long long)(n) << 20 | (unsigned long long)(umask) << 24)

struct reading {
	uint64_t value, enabled, running;
};

static inline long pmu_file(const char *name)
{
	char path[256], text[64] = "";
	int fd;

	snprintf(path, sizeof(path), PMU "/%s", name);
	fd = open(path, O_RDONLY);
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0) {
		printf("Bail out! no %s: is itanium_pmu loaded?\n", path);
		exit(1);
	}
	close(fd);
	return atol(text);
}

/* The PMU's type now, or one that no PMU has: the module may be unloaded */
static inline long pmu_type_now(void)
{
	int fd = open(PMU "/type", O_RDONLY);
	char text[32] = "";
	long type = INT32_MAX;

	if (fd >= 0 && read(fd, text, sizeof(text) - 1) > 0)
		type = atol(text);
	close(fd);
	return type;
}

static inline struct perf_event_attr event_attr(uint64_t config)
{
	static long type;

	if (!type)
		type = pmu_file("type");
	return (struct perf_event_attr){
		.type = type,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

static inline int event_open(struct perf_event_attr *attr, pid_t pid, int cpu,
			     int group)
{
	return syscall(SYS_perf_event_open, attr, pid, cpu, group, 0);
}

static inline struct reading event_read(int fd)
{
	struct reading r = { 0 };

	if (read(fd, &r, sizeof(r)) != sizeof(r))
		r.value = -1;
	return r;
}

static inline uint64_t count_of(int fd)
{
	return event_read(fd).value;
}

/* Where it happens: the model counts a stimulus on the processor that asks. */
static inline void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		printf("Bail out! no processor %d\n", cpu);
		exit(1);
	}
}

static inline void write_file(const char *path, long value)
{
	char text[32];
	int fd = open(path, O_WRONLY);
	int n = snprintf(text, sizeof(text), "%ld", value);

	if (fd < 0 || write(fd, text, n) != n) {
		printf("Bail out! %s = %ld: %s\n", path, value, strerror(errno));
		exit(1);
	}
	close(fd);
}

/*
 * What perf allows for in a second, by the clock and not by how long a slow
 * machine takes for an interrupt.
 */
static inline void sample_rate(long hz)
{
	write_file("/proc/sys/kernel/perf_cpu_time_max_percent", 25);
	write_file("/proc/sys/kernel/perf_event_max_sample_rate", hz);
	write_file("/proc/sys/kernel/perf_cpu_time_max_percent", 0);
}

static inline double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Whether the model's judge has nothing to say; prints what it has. */
static inline bool judge_silent(void)
{
	const char *answer;
	bool silent = !model_try(&answer, "montecito judge");
	char *copy = strdup(answer), *line, *rest = copy;

	while (!silent && (line = strsep(&rest, "\n")) && *line)
		printf("# judge: %s\n", line);
	free(copy);
	model("montecito judge reset");
	return silent;
}

#endif
