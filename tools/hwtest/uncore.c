// SPDX-License-Identifier: GPL-2.0-only
/* PMUs in sysfs, perf events, and the CPUs of each socket */
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "hwtest.h"

struct machine machine;

/* Package and core of each CPU that is online, or -1; CPU_SETSIZE is the limit of run_on(). */
static struct {
	int package, core;
} cpus[CPU_SETSIZE];

static void find_cpus(void)
{
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		cpus[cpu].package = cpu_topology(cpu, "physical_package_id");
		cpus[cpu].core = cpu_topology(cpu, "core_id");
	}
}

static bool is_first_thread(int cpu)
{
	int other = 0;

	while (other < cpu && (cpus[other].package != cpus[cpu].package ||
			       cpus[other].core != cpus[cpu].core))
		other++;
	return other == cpu;
}

int core_of_socket(unsigned int socket, unsigned int n)
{
	int cpu;

	for (cpu = 0; cpu < CPU_SETSIZE; cpu++) {
		if (cpus[cpu].package == (int)socket && is_first_thread(cpu) && !n--)
			return cpu;
	}
	return -1;
}

unsigned int other_socket(unsigned int socket)
{
	return machine.sockets[(socket_index(&machine, socket) + 1) % machine.nr_sockets];
}

int box_cpu(const struct pmu *pmu, unsigned int socket)
{
	int i = socket_index(&machine, socket);

	return i < 0 ? -1 : pmu->cpu[i];
}

static bool node_has(int node, int cpu)
{
	char path[100];

	snprintf(path, sizeof(path), "/sys/devices/system/node/node%d/cpu%d", node, cpu);
	return !access(path, F_OK);
}

int node_of_socket(unsigned int socket)
{
	unsigned int i;
	int node = 0;

	while (node < 64 && !node_has(node, core_of_socket(socket, 0)))
		node++;
	for (i = 0; i < machine.nr_sockets; i++) {
		if (machine.sockets[i] != (int)socket &&
		    node_has(node, core_of_socket(machine.sockets[i], 0)))
			return -1;
	}
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

void find_pmus(const char *prefix)
{
	machine_generation();
	machine_find(&machine);
	if (strncmp(machine.pmus->name, prefix, strlen(prefix)))
		die("the driver with %s* is not loaded", prefix);
	find_cpus();
}

struct pmu *pmu_of(const char *kind, unsigned int instance, unsigned int socket)
{
	unsigned int i;

	for (i = 0; i < machine.nr_pmus; i++) {
		struct pmu *pmu = &machine.pmus[i];

		if (!strcmp(box_types[pmu->type].name, kind) && pmu->instance == instance &&
		    box_cpu(pmu, socket) >= 0)
			return pmu;
	}
	return NULL;
}

struct pmu *first_pmu(const char *kind, unsigned int socket)
{
	struct pmu *pmu = NULL;
	unsigned int i;

	for (i = 0; i < NR_CBOXES && !pmu; i++)
		pmu = pmu_of(kind, i, socket);
	return pmu;
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
	fd = event_open(pmu, box_cpu(pmu, socket), config, -1, false);
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
