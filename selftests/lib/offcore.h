/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The PMU offcore_rsp as any user sees it, and the transactions of the model's
 * cores. What a name means is said here once more, by the manual and not by the
 * module's tables.
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

/**
 * struct offcore_part - a processor by its names
 * @models: its model numbers, of family 6
 * @requests: kinds of requests
 * @suppliers: responses; who answered, where there are snoops
 * @snoops: results of the snoop, if they are told apart
 * @sets: names for several
 * @local: the response that stands for local DRAM in the tests
 */
struct offcore_part {
	unsigned int models[6];
	const char *requests[OFFCORE_MAX_NAMES];
	const char *suppliers[OFFCORE_MAX_NAMES];
	const char *snoops[OFFCORE_MAX_NAMES];
	struct offcore_set sets[16];
	const char *local;
};

/* Set by offcore_init() */
extern const struct offcore_part *part;
extern unsigned int regs;	/* response registers */
extern unsigned int threads;	/* of a core */
extern bool direct;		/* no core PMU: the module's own counters */

/**
 * offcore_init - find the PMU and the processor
 * @argc: of main()
 * @argv: "kernel" or "direct" is the only argument
 */
void offcore_init(int argc, char **argv);

/* Words of an event, separated by commas */
struct offcore_names {
	char text[1024];
	const char *name[OFFCORE_MAX_NAMES];
	unsigned int nr;
};

/*
 * Terms of an event, sets written out as well; a supplier without the result of
 * a snoop has all of them.
 */
void offcore_expand(struct offcore_names *n, const char *terms);
bool offcore_has(const struct offcore_names *n, const char *name);

/*
 * From terms to config and config1, as perf does it with format/. local_dram is
 * part->local where no response is called that.
 */
struct perf_event_attr offcore_encode(const char *terms);
/* The same as the register's value */
uint64_t offcore_value(const char *terms);

/* Of a CPU: the file descriptor or a negative errno */
int offcore_try(const char *terms, int cpu, int group);
/* The same, but ends the program if it cannot */
int offcore_open(const char *terms, int cpu, int group);
/* The kernel's own way to the same register value */
struct perf_event_attr offcore_kernels(uint64_t rsp);

/* Of a task, as PID: the file descriptor or a negative errno */
int offcore_open_task(const struct perf_event_attr *attr, int pid, int group);

/* This task runs there from now on. */
void pin(int cpu);

/**
 * happen - transactions of a CPU
 * @cpu: the CPU; this task is pinned to it
 * @request: one of part->requests
 * @supplier: one of part->suppliers
 * @snoop: one of part->snoops, if there are any
 * @count: how many
 * @kernel: in ring 0
 *
 * The CPU that counts makes them itself: its counters stand still while it is
 * in an NMI or perf changes its events, and what another CPU made for it
 * meanwhile would be lost.
 */
void happen(int cpu, const char *request, const char *supplier,
	    const char *snoop, unsigned int count, bool kernel);

/* Requests of user mode to local DRAM: what most of the tests count */
void local_dram(int cpu, const char *request, unsigned int count);

/**
 * offcore_writes - writes so far to the registers that an offcore event needs
 * @with_ctrl: IA32_PERF_GLOBAL_CTRL, too; others write it, at any time
 */
uint64_t offcore_writes(bool with_ctrl);

struct offcore_reading {
	uint64_t count;
	struct uncore_times t;
};

struct offcore_reading offcore_reading(int fd);

/* A register of a CPU's counters, by the model's name for it */
bool offcore_reg(unsigned int cpu, const char *name, uint64_t *value);

/* CPU 1 and the like; what the kernel says of it is not checked */
bool cpu_online(unsigned int cpu, bool on);

#endif
