// SPDX-License-Identifier: GPL-2.0-only
/* PMUs in sysfs, perf events, and the CPUs of each socket */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "iron.h"

#define CPUS "/sys/devices/system/cpu"

struct machine machine;
unsigned int nr_sockets;

static int read_number(const char *fmt, int n)
{
	char path[256];
	int val = -1;
	FILE *f;

	snprintf(path, sizeof(path), fmt, n);
	f = fopen(path, "r");
	if (f && fscanf(f, "%d", &val) != 1)
		val = -1;
	if (f)
		fclose(f);
	return val;
}

static int socket_of_cpu(int cpu)
{
	return read_number(CPUS "/cpu%d/topology/physical_package_id", cpu);
}

int core_of_socket(unsigned int socket, unsigned int n)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	unsigned long seen = 0;
	int cpu;

	for (cpu = 0; cpu < cpus; cpu++) {
		int core = read_number(CPUS "/cpu%d/topology/core_id", cpu);

		if (socket_of_cpu(cpu) != (int)socket || core < 0 || core > 63 ||
		    (seen & 1ul << core))
			continue;
		seen |= 1ul << core;
		if (!n--)
			return cpu;
	}
	return -1;
}

unsigned int next_socket(unsigned int from)
{
	while (from < nr_sockets && core_of_socket(from, 0) < 0)
		from++;
	return from;
}

static bool node_has(int node, int cpu)
{
	char path[100];

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpu%d", node, cpu);
	return !access(path, F_OK);
}

int node_of_socket(unsigned int socket)
{
	unsigned int other;
	int node = 0;

	while (node < 64 && !node_has(node, core_of_socket(socket, 0)))
		node++;
	for (other = 0; other < nr_sockets; other++)
		if (other != socket && node_has(node, core_of_socket(other, 0)))
			return -1;
	return node < 64 ? node : -1;
}

void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		die("CPU %d: %s", cpu, strerror(errno));
}

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

void sleep_ms(unsigned int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000l };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

void find_pmus(const char *prefix)
{
	struct pmu *pmu;
	int s, cpu;

	machine_generation();
	machine_find(&machine);
	if (strncmp(machine.pmus->name, prefix, strlen(prefix)))
		die("the driver with %s* is not loaded", prefix);
	nr_sockets = machine.sockets[machine.nr_sockets - 1] + 1;
	/* Package IDs are not below their indices. */
	for (pmu = machine.pmus; pmu < machine.pmus + machine.nr_pmus; pmu++) {
		for (s = machine.nr_sockets - 1; s >= 0; s--) {
			cpu = pmu->cpu[s];
			pmu->cpu[s] = -1;
			pmu->cpu[machine.sockets[s]] = cpu;
		}
	}
}

struct pmu *pmu_of(const char *kind, unsigned int instance, unsigned int socket)
{
	unsigned int i;

	for (i = 0; i < machine.nr_pmus; i++) {
		struct pmu *pmu = &machine.pmus[i];

		if (!strcmp(box_types[pmu->type].name, kind) && pmu->instance == instance &&
		    pmu->cpu[socket] >= 0)
			return pmu;
	}
	return NULL;
}

unsigned int count_boxes(const char *kind, unsigned int socket)
{
	unsigned int i, n = 0;

	for (i = 0; i < NR_CBOXES; i++)
		n += !!pmu_of(kind, i, socket);
	return n;
}

int open_event(const struct pmu *pmu, const char *text, unsigned int socket)
{
	uint64_t config[3];
	int fd;

	if (pmu_encode(pmu, text, config))
		return -ENOENT;
	fd = event_open(pmu, pmu->cpu[socket], config, -1, false);
	return fd < 0 ? -errno : fd;
}

uint64_t read_event(int fd)
{
	/* Number of events, two times, count */
	uint64_t values[4];

	if (read(fd, values, sizeof(values)) != sizeof(values))
		die("an event cannot be read: %s", strerror(errno));
	return values[3];
}
