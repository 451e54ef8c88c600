/* SPDX-License-Identifier: GPL-2.0-only */
/* The PMU offcore_rsp by perf_event_open(), and injected responses of the model's cores */
#ifndef API_OFFCORE_H
#define API_OFFCORE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "api/uncore.h"

#define OFFCORE_DIR		"/sys/bus/event_source/devices/offcore_rsp"
#define OFFCORE_MAX_NAMES	32

/* Bits of the register by kind; Nehalem has no snoops. */
extern struct offcore_names {
	const char *request[OFFCORE_MAX_NAMES];
	const char *supplier[OFFCORE_MAX_NAMES];
	const char *snoop[OFFCORE_MAX_NAMES];
} offcore_names;

/* Set by offcore_init() */
extern unsigned int offcore_nr_regs;	/* response registers of the model */
extern bool offcore_direct;	/* no core PMU: the module's own counters */

/*
 * Find the PMU, its names and whether there is a core PMU; main() may have an argument, "kernel" or
 * "direct", by which there has to be one or not.
 */
void offcore_init(int argc, char **argv);

/* Convert terms to config and config1, as perf does with format/ */
struct perf_event_attr offcore_encode(const char *terms);
/* The register's value for "REQUEST,any_response": SDM tables 18-26 and 18-36 */
uint64_t offcore_value(const char *request);

/* Returns a negative errno; offcore_open() ends the program instead. */
int offcore_try(const char *terms, int cpu, int group);
int offcore_open(const char *terms, int cpu, int group);

/* Inject on the CPU that counts: from others, events get lost while it is in an NMI. */
void offcore_inject(int cpu, const char *request, const char *supplier,
		    const char *snoop, unsigned int count, bool kernel);
/* The same with any response; both pin the task to the CPU. */
void offcore_inject_any(int cpu, const char *request, unsigned int count, bool kernel);

#endif
