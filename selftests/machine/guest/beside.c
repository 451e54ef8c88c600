// SPDX-License-Identifier: GPL-2.0-only
/*
 * beside: a task whose first event is itanium_pmu's has a group of the
 * processor's own PMU that does not fit. Kernels before 6.2 keep events of both
 * in one context, and begin the transaction of one PMU for each group. Were that
 * the wrong one, the processor's PMU would take another event for the member of
 * the group that is taken off again, and stop it. Such a machine is an emulated
 * one: an Itanium has no other PMU.
 */
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest.h"
#include "lib/model.h"
#include "lib/uncore.h"

/* Not the first one, which has more of the kernel's own work */
#define CPU		1
/* Whether no other task comes between is chance. */
#define TRIES		100
/* Counters of a thread of a Sandy Bridge-EP */
#define COUNTERS	4

/* LLC references, which any general counter can count, and no fixed one */
#define EVENT		0x4f2e

static uint32_t itanium;
static unsigned int opened;

static int open_event(uint32_t type, uint64_t config, pid_t pid, int cpu,
		      int leader, bool pinned)
{
	struct perf_event_attr attr = {
		.type = type, .config = config, .size = sizeof(attr),
		.pinned = pinned,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};

	return syscall(SYS_perf_event_open, &attr, pid, cpu, leader, 0);
}

static void *task(void *unused)
{
	int fd[3 + COUNTERS], *pinned = fd + 3, i;

	fd[0] = open_event(itanium, 0xdc, 0, -1, -1, false);
	fd[1] = open_event(PERF_TYPE_RAW, EVENT, 0, -1, -1, false);
	/* It gets out of the way of these, and then has no counter. */
	for (i = 0; i < COUNTERS; i++)
		pinned[i] = open_event(PERF_TYPE_RAW, EVENT, -1, CPU, -1, true);
	/* Now there is one for it, and none for who comes with it. */
	close(pinned[0]);
	fd[2] = open_event(PERF_TYPE_RAW, EVENT, 0, -1, fd[1], false);
	opened += fd[0] >= 0 && fd[1] >= 0 && fd[2] >= 0 &&
		  pinned[COUNTERS - 1] >= 0;
	close(fd[2]);
	close(fd[1]);
	close(fd[0]);
	for (i = 1; i < COUNTERS; i++)
		close(pinned[i]);
	return unused;
}

int main(void)
{
	char *type, line[256] = "";
	cpu_set_t cpus;
	pthread_t t;
	int log, i;

	ksft_print_header();
	ksft_set_plan(2);
	type = read_text("/sys/bus/event_source/devices/itanium/type");
	if (!type || access("/sys/bus/event_source/devices/cpu", F_OK))
		ksft_exit_fail_msg("it takes both PMUs\n");
	itanium = atoi(type);
	CPU_ZERO(&cpus);
	CPU_SET(CPU, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		ksft_exit_fail_perror("sched_setaffinity");
	log = kmsg_open();
	for (i = 0; i < TRIES; i++) {
		if (pthread_create(&t, NULL, task, NULL))
			ksft_exit_fail_perror("pthread_create");
		pthread_join(t, NULL);
	}
	ksft_test_result(opened == TRIES,
			 "a group is there that does not fit: %u of %u\n",
			 opened, TRIES);
	ksft_test_result(!kmsg_has(log, "WARNING:", line, sizeof(line)),
			 "the processor's PMU takes off what it has put on\n");
	if (strstr(line, "WARNING:"))
		ksft_print_msg("%s\n", line);
	ksft_finished();
}
