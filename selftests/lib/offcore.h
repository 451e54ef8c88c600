/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PMU offcore_rsp as any user sees it, and the transactions of the model's cores. What a
 * name means is said here once more, by the manual and not by the module's tables.
 */
#ifndef LIB_OFFCORE_H
#define LIB_OFFCORE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdint.h>

#include "lib/uncore.h"

#define OFFCORE_DIR		"/sys/bus/event_source/devices/offcore_rsp"
#define OFFCORE_MAX_NAMES	32

/* A name for several: those of @of, and all of a kind */
struct offcore_set {
	const char *name;
	const char *of[10];
	bool requests, suppliers, snoops;
};

struct offcore_part {
	unsigned int models[6];		/* of family 6 */
	const char *requests[OFFCORE_MAX_NAMES];
	const char *suppliers[OFFCORE_MAX_NAMES];	/* responses, where there are no snoops */
	const char *snoops[OFFCORE_MAX_NAMES];
	struct offcore_set sets[16];
	const char *local;		/* the response that is local DRAM in the tests */
};

/* Set by offcore_init() */
extern const struct offcore_part *part;
extern unsigned int regs;	/* response registers */
extern unsigned int threads;	/* of a core */
extern bool direct;		/* no core PMU: the module's own counters */

/* Find the PMU and the processor; "kernel" or "direct" is the only argument of main(). */
void offcore_init(int argc, char **argv);

/* Words of an event, separated by commas */
struct offcore_names {
	char text[1024];
	const char *name[OFFCORE_MAX_NAMES];
	unsigned int nr;
};

/* Terms of an event, sets written out as well; a supplier without a snoop has all of them. */
void offcore_expand(struct offcore_names *n, const char *terms);
bool offcore_has(const struct offcore_names *n, const char *name);

/* From terms to config and config1, as perf does it with format/, and to the register's value */
struct perf_event_attr offcore_encode(const char *terms);
uint64_t offcore_value(const char *terms);

/* An event of a CPU: the file descriptor or a negative errno; or the end of the program */
int offcore_try(const char *terms, int cpu, int group);
int offcore_open(const char *terms, int cpu, int group);
/* The kernel's own way to the same register value */
struct perf_event_attr offcore_kernels(uint64_t rsp);
/* Of a task, as PID: the file descriptor or a negative errno */
int offcore_open_task(const struct perf_event_attr *attr, int pid, int group);

/* This task runs there from now on. */
void pin(int cpu);

/*
 * Transactions of a CPU, by the words of @part. The CPU that counts makes them itself: its
 * counters stand still while it is in an NMI or perf changes its events, and what another CPU
 * made for it meanwhile would be lost.
 */
void happen(int cpu, const char *request, const char *supplier,
	    const char *snoop, unsigned int count, bool kernel);
/* Requests of user mode to local DRAM */
void local_dram(int cpu, const char *request, unsigned int count);

/* Writes so far to the registers that an offcore event needs, but for the global control */
uint64_t offcore_writes(void);

struct offcore_reading {
	uint64_t count;
	struct uncore_times t;
};

struct offcore_reading offcore_reading(int fd);

/* A register of a CPU's counters, by the model's name for it */
bool offcore_reg(unsigned int cpu, const char *name, uint64_t *value);

#endif
