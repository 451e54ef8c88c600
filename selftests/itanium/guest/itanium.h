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
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kselftest.h"
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
	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		ksft_exit_fail_msg("no %s: is itanium_pmu loaded?\n", path);
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

/*
 * Where format/ says that a field is, as perf reads it.
 * Return: its bits; @word is 0 for config, 1 for config1, 2 for config2.
 */
static inline uint64_t format_mask(const char *name, unsigned int *word)
{
	unsigned int lo, hi;
	char path[256], text[64] = "";
	char digit[2] = "0";
	int fd, n;

	snprintf(path, sizeof(path), PMU "/format/%s", name);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return 0;
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return 0;
	if (sscanf(text, "config%1[12]:", digit) == 1)
		n = sscanf(text, "config%*c:%u-%u", &lo, &hi);
	else
		n = sscanf(text, "config:%u-%u", &lo, &hi);
	if (n == 1)
		hi = lo;
	if (n < 1 || hi < lo || hi > 63)
		return 0;
	*word = digit[0] - '0';
	return (~0ULL << lo) & (~0ULL >> (63 - hi));
}

/*
 * Set fields by their names, as in "event=0x08,threshold=5".
 * Return: whether all of them exist and hold the values.
 */
static inline bool event_terms(struct perf_event_attr *attr, const char *terms)
{
	char name[32];
	int len;

	while (sscanf(terms, "%31[a-z_]=%n", name, &len) == 1) {
		unsigned int word = 0;
		uint64_t mask, v;
		char *end;
		int shift;

		v = strtoull(terms + len, &end, 0);
		mask = format_mask(name, &word);
		if (!mask) {
			ksft_print_msg("format/ has no %s\n", name);
			return false;
		}
		shift = __builtin_ctzll(mask);
		if ((v << shift & mask) >> shift != v) {
			ksft_print_msg("%s does not hold %#llx\n", name, (unsigned long long)v);
			return false;
		}
		*(word ? word == 1 ? &attr->config1 : &attr->config2 : &attr->config) |=
			v << shift;
		terms = end + (*end == ',');
	}
	return !*terms;
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
	if (sched_setaffinity(0, sizeof(set), &set))
		ksft_exit_fail_msg("no processor %d\n", cpu);
}

static inline void write_file(const char *path, long value)
{
	char text[32];
	int fd = open(path, O_WRONLY);
	int n = snprintf(text, sizeof(text), "%ld", value);

	if (fd < 0 || write(fd, text, n) != n)
		ksft_exit_fail_msg("%s = %ld: %s\n", path, value, strerror(errno));
	close(fd);
}

/* A file of one number */
static inline long read_file(const char *path)
{
	char text[32] = "";
	int fd = open(path, O_RDONLY);

	if (fd < 0 || read(fd, text, sizeof(text) - 1) <= 0)
		ksft_exit_fail_msg("%s: %s\n", path, strerror(errno));
	close(fd);
	return strtol(text, NULL, 10);
}

/*
 * What perf allows for in a second, by the clock and not by how long a slow
 * machine takes for an interrupt. The rate can be written only while perf looks
 * at that time as well, and an interrupt of any PMU that comes just then (the
 * watchdog's is enough) lowers it again: it is written until it stays.
 */
static inline void sample_rate(long hz)
{
	const char *rate = "/proc/sys/kernel/perf_event_max_sample_rate";
	const char *percent = "/proc/sys/kernel/perf_cpu_time_max_percent";
	int tries = 50;

	do {
		if (!tries--)
			ksft_exit_fail_msg("%s does not stay at %ld\n", rate, hz);
		write_file(percent, 25);
		write_file(rate, hz);
		write_file(percent, 0);
		/* An interrupt that began before the last write may end now. */
		usleep(1000);
	} while (read_file(rate) != hz);
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
		ksft_print_msg("judge: %s\n", line);
	free(copy);
	model("montecito judge reset");
	return silent;
}

#endif
