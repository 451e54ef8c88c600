// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench: what single operations on an uncore PMU cost, in instructions and in
 * register accesses. For each operation one line: name, reads, writes, those of
 * both that came through I/O ports, those that were memory-mapped, instructions,
 * separated by tabs. Runs where the time stamp counter counts instructions
 * (QEMU's -icount shift=0).
 */

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define REPEATS	32

struct cost {
	uint64_t instructions;
	unsigned long reads, writes, ports, mapped;
};

static void die(const char *what)
{
	fprintf(stderr, "bench: %s: %s\n", what, strerror(errno));
	exit(1);
}

/* Sum of the model's tally since the last reset. */
static void tally(struct cost *cost)
{
	FILE *in = popen("uncore-stim tally", "r");
	unsigned long reads, writes, ports;
	char line[200], *at;

	if (!in)
		die("uncore-stim");
	cost->reads = 0;
	cost->writes = 0;
	cost->ports = 0;
	cost->mapped = 0;
	while (fgets(line, sizeof(line), in)) {
		at = strstr(line, "reads=");
		if (!at || sscanf(at, "reads=%lu writes=%lu", &reads, &writes) != 2)
			continue;
		cost->reads += reads;
		cost->writes += writes;
		/* An MSR has no line for its ports. */
		at = strstr(line, "ports=");
		if (!at || sscanf(at, "ports=%lu", &ports) != 1)
			continue;
		cost->ports += ports;
		cost->mapped += reads + writes - ports;
	}
	if (pclose(in))
		die("uncore-stim tally");
}

static void tally_reset(void)
{
	if (system("uncore-stim tally reset > /dev/null"))
		die("uncore-stim tally reset");
}

static int pmu_type(const char *pmu)
{
	char path[200];
	FILE *in;
	int type;

	snprintf(path, sizeof(path), "/sys/bus/event_source/devices/%s/type", pmu);
	in = fopen(path, "r");
	if (!in || fscanf(in, "%d", &type) != 1)
		die(path);
	fclose(in);
	return type;
}

static int event_open(int type, uint64_t config, int disabled)
{
	struct perf_event_attr attr = {
		.type = type,
		.size = sizeof(attr),
		.config = config,
		.disabled = disabled,
	};
	int fd = syscall(__NR_perf_event_open, &attr, -1, 0, -1, 0);

	if (fd < 0)
		die("perf_event_open");
	return fd;
}

static uint64_t now(void)
{
	uint32_t low, high;

	asm volatile("rdtsc" : "=a"(low), "=d"(high) : : "memory");
	return (uint64_t)high << 32 | low;
}

enum operation { OPEN, CLOSE, ENABLE, DISABLE, READ, OPERATIONS };

static const char *const names[OPERATIONS] = {
	[OPEN] = "open, counting",
	[CLOSE] = "close, counting",
	[ENABLE] = "enable",
	[DISABLE] = "disable",
	[READ] = "read()",
};

/* One operation, timed; everything around it is not. */
static uint64_t once(enum operation op, int type, uint64_t config)
{
	uint64_t value, start, end;
	int fd = -1;

	if (op != OPEN)
		fd = event_open(type, config, op == ENABLE);
	if (op == DISABLE && ioctl(fd, PERF_EVENT_IOC_DISABLE, 0))
		die("disable");
	if (op == DISABLE && ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		die("enable");
	tally_reset();

	start = now();
	switch (op) {
	case OPEN:
		fd = event_open(type, config, 0);
		break;
	case CLOSE:
		close(fd);
		break;
	case ENABLE:
		if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
			die("enable");
		break;
	case DISABLE:
		if (ioctl(fd, PERF_EVENT_IOC_DISABLE, 0))
			die("disable");
		break;
	default:
		if (read(fd, &value, sizeof(value)) != sizeof(value))
			die("read");
	}
	end = now();
	return end - start;
}

static void measure(const char *box, enum operation op, int type, uint64_t config)
{
	struct cost least = { .instructions = UINT64_MAX }, cost;
	int i, fd;

	for (i = 0; i < REPEATS; i++) {
		/* Descriptors that once() leaves open are closed after the tally. */
		fd = dup(0);
		close(fd);
		cost.instructions = once(op, type, config);
		tally(&cost);
		if (op != CLOSE)
			close(fd);
		if (cost.instructions < least.instructions)
			least.instructions = cost.instructions;
		if (!i || cost.reads + cost.writes < least.reads + least.writes) {
			least.reads = cost.reads;
			least.writes = cost.writes;
			least.ports = cost.ports;
			least.mapped = cost.mapped;
		}
	}
	printf("%s, %s\t%lu\t%lu\t%lu\t%lu\t%llu\n", box, names[op], least.reads, least.writes,
	       least.ports, least.mapped, (unsigned long long)least.instructions);
}

int main(void)
{
	static const struct {
		const char *pmu;
		uint64_t config;
	} boxes[] = {
		{ "uncore_cbox_0", 0x0000 },	/* clockticks: any counter, no filter */
		{ "uncore_imc_0", 0x0304 },	/* reads and their prefetches */
		{ "uncore_pcu", 0x0000 },
	};
	cpu_set_t cpus;
	size_t i;
	int op, type;

	CPU_ZERO(&cpus);
	CPU_SET(0, &cpus);
	if (sched_setaffinity(0, sizeof(cpus), &cpus))
		die("sched_setaffinity");
	for (i = 0; i < sizeof(boxes) / sizeof(boxes[0]); i++) {
		type = pmu_type(boxes[i].pmu);
		for (op = 0; op < OPERATIONS; op++)
			measure(boxes[i].pmu + strlen("uncore_"), op, type, boxes[i].config);
	}
	return 0;
}
