// SPDX-License-Identifier: GPL-2.0-only
/* PMUs in sysfs, perf events, and the CPUs of each socket */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "iron.h"

#define DEVICES "/sys/bus/event_source/devices"
#define CPUS	"/sys/devices/system/cpu"

struct pmu pmus[MAX_PMUS];
unsigned int nr_pmus, nr_sockets;

char *read_line(const char *fmt, ...)
{
	char path[256], text[4096];
	va_list ap;
	FILE *f;
	bool ok;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	f = fopen(path, "r");
	if (!f)
		return NULL;
	ok = fgets(text, sizeof(text), f);
	fclose(f);
	if (!ok)
		return NULL;
	text[strcspn(text, "\n")] = 0;
	return strdup(text);
}

static int read_number(const char *fmt, int n)
{
	char path[256], *text;
	int val;

	snprintf(path, sizeof(path), fmt, n);
	text = read_line("%s", path);
	val = text ? atoi(text) : -1;
	free(text);
	return val;
}

int socket_of_cpu(int cpu)
{
	return read_number(CPUS "/cpu%d/topology/physical_package_id", cpu);
}

int cpu_of_socket(unsigned int socket, unsigned int n)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int cpu;

	for (cpu = 0; cpu < cpus; cpu++) {
		if (socket_of_cpu(cpu) == (int)socket && !n--)
			return cpu;
	}
	return -1;
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

void find_sockets(void)
{
	unsigned int i;

	for (i = 0; i < MAX_SOCKETS; i++) {
		if (cpu_of_socket(i, 0) >= 0)
			nr_sockets = i + 1;
	}
}

unsigned int next_socket(unsigned int from)
{
	while (from < nr_sockets && cpu_of_socket(from, 0) < 0)
		from++;
	return from;
}

/* Return whether a list such as "0-7,16-23" has the CPU. */
static bool in_list(const char *list, int cpu)
{
	while (*list) {
		char *end;
		long lo = strtol(list, &end, 10), hi = lo;

		if (end == list)
			return false;
		if (*end == '-')
			hi = strtol(end + 1, &end, 10);
		if (cpu >= lo && cpu <= hi)
			return true;
		list = end + (*end == ',');
	}
	return false;
}

int node_of_socket(unsigned int socket)
{
	int cpu = cpu_of_socket(socket, 0), node;
	unsigned int other;

	for (node = 0; node < 64; node++) {
		char *list = read_line("/sys/devices/system/node/node%d/cpulist", node);
		bool mine = list && in_list(list, cpu);

		for (other = 0; mine && other < nr_sockets; other++) {
			if (other != socket && in_list(list, cpu_of_socket(other, 0)))
				node = 64;
		}
		free(list);
		if (mine)
			return node < 64 ? node : -1;
	}
	return -1;
}

void run_on(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		give_up("CPU %d: %s", cpu, strerror(errno));
}

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC_RAW, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}

uint64_t now_tsc(void)
{
	return __rdtsc();
}

void sleep_ms(unsigned int ms)
{
	struct timespec ts = { ms / 1000, ms % 1000 * 1000000l };

	while (nanosleep(&ts, &ts) && errno == EINTR)
		;
}

static void find_cpus(struct pmu *pmu)
{
	char *mask = read_line(DEVICES "/%s/cpumask", pmu->name);
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int cpu;

	memset(pmu->cpu, -1, sizeof(pmu->cpu));
	for (cpu = 0; mask && cpu < cpus; cpu++) {
		int socket = in_list(mask, cpu) ? socket_of_cpu(cpu) : -1;

		if (socket >= 0 && socket < MAX_SOCKETS)
			pmu->cpu[socket] = cpu;
	}
	free(mask);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct pmu *)a)->name, ((const struct pmu *)b)->name);
}

bool find_pmus(const char *prefix)
{
	struct dirent *d;
	DIR *dir = opendir(DEVICES);

	nr_pmus = 0;
	while (dir && (d = readdir(dir)) && nr_pmus < MAX_PMUS) {
		struct pmu *pmu = &pmus[nr_pmus];
		char *number;

		if (strncmp(d->d_name, prefix, strlen(prefix)))
			continue;
		memset(pmu, 0, sizeof(*pmu));
		snprintf(pmu->name, sizeof(pmu->name), "%.40s", d->d_name);
		snprintf(pmu->box, sizeof(pmu->box), "%.20s", d->d_name + strlen(prefix));
		strcpy(pmu->kind, pmu->box);
		number = strrchr(pmu->kind, '_');
		if (number && isdigit(number[1])) {
			pmu->instance = atoi(number + 1);
			*number = 0;
		}
		number = read_line(DEVICES "/%s/type", pmu->name);
		if (!number)
			continue;
		pmu->type = atoi(number);
		free(number);
		find_cpus(pmu);
		nr_pmus++;
	}
	if (dir)
		closedir(dir);
	qsort(pmus, nr_pmus, sizeof(*pmus), by_name);
	return nr_pmus;
}

struct pmu *pmu_of(const char *kind, unsigned int instance, unsigned int socket)
{
	unsigned int i;

	for (i = 0; i < nr_pmus; i++) {
		if (!strcmp(pmus[i].kind, kind) && pmus[i].instance == instance &&
		    pmus[i].cpu[socket] >= 0)
			return &pmus[i];
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

/* Put the value into the bits of format/NAME, such as "config1:0-7,21". */
static bool set_field(const struct pmu *pmu, const char *name, uint64_t val,
		      struct perf_event_attr *attr)
{
	char *text = read_line(DEVICES "/%s/format/%s", pmu->name, name), *s;
	__u64 *word = &attr->config;

	if (!text)
		return false;
	if (!strncmp(text, "config1:", 8))
		word = (__u64 *)&attr->config1;
	else if (!strncmp(text, "config2:", 8))
		word = (__u64 *)&attr->config2;
	s = strchr(text, ':');
	while (s && *s) {
		long lo = strtol(s + 1, &s, 10), hi = lo;

		if (*s == '-')
			hi = strtol(s + 1, &s, 10);
		for (; lo <= hi && hi < 64; lo++, val >>= 1)
			*word |= (val & 1) << lo;
	}
	free(text);
	return !val;
}

int open_event(const struct pmu *pmu, const char *text, unsigned int socket)
{
	struct perf_event_attr attr = { .type = pmu->type, .size = sizeof(attr) };
	char copy[256], *word, *save;
	int fd;

	snprintf(copy, sizeof(copy), "%s", text);
	for (word = strtok_r(copy, ",", &save); word; word = strtok_r(NULL, ",", &save)) {
		char *eq = strchr(word, '=');
		uint64_t val = eq ? strtoull(eq + 1, NULL, 0) : 1;

		if (eq)
			*eq = 0;
		if (!set_field(pmu, word, val, &attr))
			return -ENOENT;
	}
	fd = syscall(SYS_perf_event_open, &attr, -1, pmu->cpu[socket], -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

uint64_t read_event(int fd)
{
	uint64_t count;

	if (read(fd, &count, sizeof(count)) != sizeof(count))
		give_up("an event cannot be read: %s", strerror(errno));
	return count;
}
