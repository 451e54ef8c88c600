/* SPDX-License-Identifier: GPL-2.0-only */
/* The uncore PMUs of this machine, from sysfs */
#ifndef TOOLS_MACHINE_H
#define TOOLS_MACHINE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "stat.h"

#define MAX_SOCKETS	64
#define MAX_CPU		65535
#define CPUS		"/sys/devices/system/cpu"

/**
 * struct field - a format field
 * @word:	0: config, 1: config1, 2: config2
 * @mask:	bits of @word
 */
struct field {
	char name[24];
	unsigned int word;
	uint64_t mask;
};

/**
 * struct pmu - a PMU, which covers the same box of all sockets
 * @name:	name in sysfs
 * @box:	name without the driver's prefix, "imc_0"
 * @type:	index of the box type
 * @instance:	index within the type
 * @perf_type:	type of struct perf_event_attr
 * @cpu:	CPU of cpumask in each socket, or -1 without the box
 * @silent:	sockets that show the box and do not have it
 * @hwmon:	not a PMU but coretemp; @cpu has the numbers of hwmon
 * @group:	not a PMU but a group of resctrl, its path; @cpu has an L3 cache
 * @part:	another group counts what this one does, too
 */
struct pmu {
	char name[48];
	const char *box;
	unsigned int type;
	unsigned int instance;
	uint32_t perf_type;
	struct field *fields;
	unsigned int nr_fields;
	int cpu[MAX_SOCKETS];
	uint64_t silent;
	bool hwmon;
	const char *group;
	bool part;
};

/**
 * struct machine - the PMUs and sockets of this machine
 * @sockets:	package IDs, sorted
 * @driver:	"snbep_uncore" or "intel_uncore"
 * @pmus:	sorted by type and instance
 * @groups_type:	box type of resctrl's groups, 0 without them
 * @more_groups:	there are too many of them
 * @all:	also PMUs whose @type is nr_box_types, as no table has it
 */
struct machine {
	int sockets[MAX_SOCKETS];
	unsigned int nr_sockets;
	const char *driver;
	struct pmu *pmus;
	unsigned int nr_pmus;
	unsigned int groups_type;
	bool more_groups;
	bool all;
};

/* Read the first line of a file without its end; returns false if there is none. */
bool read_line(const char *path, char *buf, int size);

/* Parse a number as perf does, decimal or 0x and hexadecimal; returns false for anything else. */
bool parse_number(const char *text, size_t len, uint64_t *value);

/* Parse the next range of a list such as "0-3,8" in a file; returns false at its end. */
bool next_range(const char *path, const char **list, long most, int *lo, int *hi);

/* Return a number of a CPU's topology in sysfs, or -1: an offline CPU has none. */
int cpu_topology(int cpu, const char *what);

/* Return the index of a package ID in m->sockets, or -1. */
int socket_index(const struct machine *m, int package);

/* Set generation and its tables for this processor. */
void machine_generation(void);

/* Return the index of a metric; exits if this processor does not have it. */
unsigned int metric_index(const char *name);

/* Return why a machine lacks boxes of a type, or all but @some: PCI shows what is there. */
const char *box_hidden(unsigned int type, bool some);

/* Parse "imc_0" into type and instance. */
bool box_parse(struct pmu *pmu);

/* Find the uncore PMUs; exits with a hint if there are none. @m is zeroed, but for @all. */
void machine_find(struct machine *m);

/* Of a socket with more memory channels than there can be, drop those whose clock stands still. */
void machine_drop_silent(struct machine *m);

/* Find Linux's power or msr PMU or coretemp, of these box types: msr counts in each CPU. */
void machine_find_linux(struct machine *m, unsigned int type);

/* Add groups of resctrl that are new as boxes of a type; returns how many. */
unsigned int resctrl_find(struct machine *m, unsigned int type);

/* Remove deleted groups, then add those that had no place. Moves PMUs if it returns true. */
bool resctrl_forget(struct machine *m);

/* Return why no group of resctrl was found. */
const char *resctrl_hidden(void);

/* Find the L3 caches of a group again, which has none if it is gone. */
void resctrl_update(const struct machine *m, struct pmu *pmu);

/* Return whether a group has a file for an event, and read it. */
bool resctrl_has(const struct pmu *pmu, unsigned int socket, const char *file);
bool resctrl_read(const struct machine *m, const struct pmu *pmu, unsigned int socket,
		  const char *file, uint64_t *sum);

/* Read a PMU's cpumask again. */
void machine_update(struct machine *m, struct pmu *pmu);

/**
 * pmu_encode - convert an encoding to config, config1 and config2
 * @text:	"event=0x04,umask=0x03"
 * @config:	the result
 * Return: NULL, or the term without a format field in the PMU
 */
const char *pmu_encode(const struct pmu *pmu, const char *text, uint64_t config[3]);

/**
 * event_open - open an event of a box, whose read() has the group and both times
 * @group:	descriptor of the leader, or -1
 */
int event_open(const struct pmu *pmu, int cpu, const uint64_t config[3], int group,
	       bool disabled);

/* The same in two steps, for other attributes */
struct perf_event_attr event_attr(const struct pmu *pmu, const uint64_t config[3]);
int event_open_attr(const struct perf_event_attr *attr, int cpu, int group);

/**
 * denial - return what denies counting to this process
 * @error:	EACCES, EPERM or ENOSYS of event_open()
 */
const char *denial(int error);

/**
 * pmu_alias - read a file of the PMU's events/
 * Return: false if it does not exist
 */
bool pmu_alias(const struct pmu *pmu, const char *alias, char *text, int size);

#endif
