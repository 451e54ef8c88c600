/* SPDX-License-Identifier: GPL-2.0-only */
/* The uncore PMUs of this machine, as sysfs has them */
#ifndef UNCORESTAT_MACHINE_H
#define UNCORESTAT_MACHINE_H

#include <stdbool.h>
#include <stdint.h>

#include "table.h"

#define MAX_SOCKETS	64

/**
 * struct field - a name in format/ and its bits
 * @word:	0 to 2: config, config1, config2
 * @mask:	its bits there
 */
struct field {
	char name[24];
	unsigned int word;
	uint64_t mask;
};

/**
 * struct pmu - one PMU: the box of one place in all sockets
 * @name:	in sysfs
 * @box:	the same without the driver's prefix: "imc_0"
 * @type:	index of the box type
 * @instance:	which of this type
 * @perf_type:	attr.type
 * @cpu:	for each socket the CPU that counts, or -1 if it lacks the box
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
};

/**
 * struct machine - all of them
 * @sockets:	package ids in order
 * @pmus:	by type and instance
 */
struct machine {
	int sockets[MAX_SOCKETS];
	unsigned int nr_sockets;
	struct pmu *pmus;
	unsigned int nr_pmus;
};

/**
 * machine_generation - which processor this is: sets generation and its tables
 */
void machine_generation(void);

/**
 * machine_find - look at sysfs; dies with a hint if there is no uncore PMU
 */
void machine_find(struct machine *m);

/**
 * machine_update - read a PMU's cpumask again
 */
void machine_update(struct machine *m, struct pmu *pmu);

/**
 * pmu_encode - an encoding as the PMU's words
 * @text:	"event=0x04,umask=0x03"
 * @config:	the three words
 * Return: NULL, or the term that the PMU cannot express.
 */
const char *pmu_encode(const struct pmu *pmu, const char *text, uint64_t config[3]);

/**
 * pmu_alias - what a name of the PMU's events/ stands for
 * Return: false if there is none.
 */
bool pmu_alias(const struct pmu *pmu, const char *alias, char *text, int size);

#endif
