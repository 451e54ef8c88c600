/* SPDX-License-Identifier: GPL-2.0-only */
/* Helpers of the tests of the itanium PMU */
#ifndef ITANIUM_TEST_H
#define ITANIUM_TEST_H

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/test.h"
#include "api/uncore.h"
#include "work.h"

#define PMU	"/sys/bus/event_source/devices/itanium"
#define ARRAY(a)	((int)(sizeof(a) / sizeof((a)[0])))
#define EAR(n, umask)	((unsigned long long)(n) << 20 | (unsigned long long)(umask) << 24)
#define LOADS		0xcd
#define USER_TOP	0xa000000000080000ULL	/* behind the gate page */
/* Sample rate limit: high enough that a late tick on a busy host throttles nothing */
#define RATE		1000000000
#define IN_RANGE	(2ULL << 40)	/* config1 and config2 have a range of code */

struct reading {
	uint64_t value, enabled, running;
};

/* Read a file with a number. */
static inline long read_file(const char *path)
{
	char *text = read_text("%s", path);
	long value = text ? strtol(text, NULL, 10) : -1;

	if (!text)
		ksft_exit_fail_msg("%s: %s\n", path, strerror(errno));
	free(text);
	return value;
}

static inline void write_file(const char *path, long value)
{
	char text[32];

	snprintf(text, sizeof(text), "%ld", value);
	if (!write_text(text, "%s", path))
		ksft_exit_fail_msg("%s = %ld: %s\n", path, value, strerror(errno));
}

/* Files to restore at the end, and what they had */
static struct {
	const char *path;
	long value;
} changed[4];
static int nr_changed;

static inline void restore_files(void)
{
	char text[32];

	while (nr_changed--) {
		snprintf(text, sizeof(text), "%ld", changed[nr_changed].value);
		write_text(text, "%s", changed[nr_changed].path);
	}
}

/* Write a number to a file until the program ends. */
static inline void change_file(const char *path, long value)
{
	if (!nr_changed)
		atexit(restore_files);
	changed[nr_changed].path = path;
	changed[nr_changed++].value = read_file(path);
	write_file(path, value);
}

/* Current type of the PMU, or one that no PMU has, as the module may be unloaded */
static inline long pmu_type_now(void)
{
	char *text = read_text(PMU "/type");
	long type = text ? atol(text) : INT32_MAX;

	free(text);
	return type;
}

static inline struct perf_event_attr event_attr(uint64_t config)
{
	static long type;

	if (!type)
		type = read_file(PMU "/type");
	return (struct perf_event_attr){
		.type = type,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

/* Return the attributes of an event that counts in the loop of loads() and load_lines() alone. */
static inline struct perf_event_attr loop_attr(uint64_t config)
{
	struct perf_event_attr attr = event_attr(config | IN_RANGE);

	attr.config1 = (uintptr_t)work_start;
	attr.config2 = 2 * BUNDLE - 1;
	return attr;
}

static inline int event_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group)
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

/*
 * Raise perf's sample rate limit, as interrupts take long on a slow machine. It can be written only
 * while the CPU time limit is set, and an interrupt of any PMU (the watchdog's) lowers it again:
 * write until it stays.
 */
static inline void sample_rate(long hz)
{
	const char *rate = "/proc/sys/kernel/perf_event_max_sample_rate";
	const char *percent = "/proc/sys/kernel/perf_cpu_time_max_percent";
	int tries = 50;

	/* Restored in reverse: a limit, the rate, and the limit as it was. */
	change_file(percent, 25);
	change_file(rate, hz);
	change_file(percent, 25);
	do {
		if (!tries--)
			ksft_exit_fail_msg("%s does not stay at %ld\n", rate, hz);
		write_file(percent, 25);
		write_file(rate, hz);
		write_file(percent, 0);
		/* An interrupt that began before the last write may lower it now. */
		usleep(1000);
	} while (read_file(rate) != hz);
}

static inline double now(void)
{
	return now_ns() / 1e9;
}

/* Set up a program of so many results, without that of finish(), and its model. */
static inline void begin(unsigned int results)
{
	test_begin("itanium", "montecito checker");
	/* An Itanium does what on x86 the model is told of. */
	if (HAS_MODEL)
		test_needs_model();
	test_plan(results);
	/* The model injects on the CPU that asks. */
	uncore_pin(0);
	if (HAS_MODEL)
		model("montecito checker reset");
}

/* Whether to run a test, which is reported as skipped where @possible is false */
static inline bool can_run(const char *test, bool possible, const char *why)
{
	if (!possible)
		ksft_test_result_skip("%s: %s\n", test, why);
	return possible;
}

/* The emulated Itanium's checker writes to the host, where ia64/tests/test_guest.py reads it. */
static inline void finish(void)
{
	test_end();
}

#endif
