/* SPDX-License-Identifier: GPL-2.0-only */
/* The uncore's PMUs by sysfs and perf_event_open() */
#ifndef API_UNCORE_H
#define API_UNCORE_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define UNCORE_MAX_PMUS		256	/* intel_uncore has more than 100 on newer processors */
#define UNCORE_MAX_SOCKETS	8
#define UNCORE_MAX_FIELDS	48
#define UNCORE_WORDS		5	/* config, config1, ... config4 */

struct uncore_field {
	char name[32];
	unsigned int word;
	uint64_t mask;
};

/* A PMU of one box */
struct uncore_pmu {
	char name[32];
	char box[16];		/* as the model names it: "cbox_0" */
	char kind[16];		/* the box without its number: "cbox" */
	uint32_t type;
	struct uncore_field field[UNCORE_MAX_FIELDS];	/* what format/ has */
	unsigned int nr_fields;
	int cpu[UNCORE_MAX_SOCKETS];	/* by socket, the CPU that cpumask names, or -1 */
};

struct uncore_enc {
	uint64_t word[UNCORE_WORDS];
};

/*
 * Find the PMUs whose names have this prefix, and the sockets, numbered from 0 as in the
 * model, in the order of their package numbers, which may have gaps.
 */
void uncore_init(const char *prefix);

/* Whether there is a PMU whose name has this prefix */
bool uncore_any(const char *prefix);

/* Name, type and fields of any PMU; false if there is none by that name */
bool uncore_load(struct uncore_pmu *pmu, const char *name);

extern struct uncore_pmu uncore_pmus[UNCORE_MAX_PMUS];
extern unsigned int uncore_nr_pmus;
extern unsigned int uncore_nr_sockets;

/*
 * A type of box, an event of any counter that happens only when injected, and a clock, of any
 * counter where there is one
 */
struct uncore_kind {
	const char *kind, *event, *clock;
	unsigned int counters;		/* number of general counters */
};

/* NULL for one that the Xeon E5-2600 does not have */
const struct uncore_kind *uncore_kind(const struct uncore_pmu *pmu);

/* The PMU of a box; ends the program if there is none */
struct uncore_pmu *uncore_pmu(const char *box);

/* The n-th online CPU of a socket, or -1 */
int uncore_socket_cpu(unsigned int socket, unsigned int n);
bool uncore_set_online(int cpu, bool online);
/* Run on this CPU alone, or end the program. */
void uncore_pin(int cpu);

/* Convert "event=0x34,umask=0x3" to numbers, as perf does; returns an error text or NULL */
const char *uncore_encode(const struct uncore_pmu *pmu, const char *text, struct uncore_enc *enc);

/* Value of a field in an encoding; 0 if the PMU has none of that name */
uint64_t uncore_get(const struct uncore_pmu *pmu, const struct uncore_enc *enc, const char *field);

/* Text of an alias, without the newline; NULL if there is none */
char *uncore_alias(const struct uncore_pmu *pmu, const char *alias);

/* Names of all aliases, sorted, with NULL at the end */
char **uncore_aliases(const struct uncore_pmu *pmu);

struct perf_event_attr uncore_attr(const struct uncore_pmu *pmu, const struct uncore_enc *enc);

/* perf_event_open() of a CPU: the file descriptor or a negative errno */
int uncore_open_attr(const struct perf_event_attr *attr, int cpu, int group);

/*
 * The same with config3 and config4, which the structure has on newer kernels alone: the others
 * refuse one that is longer by what is not 0, with -E2BIG.
 */
int uncore_open_longer(const struct perf_event_attr *attr, uint64_t config3, uint64_t config4,
		       pid_t pid, int cpu);

/* Open "event=..." on the socket's CPU; ends the program if it cannot */
int uncore_open(const struct uncore_pmu *pmu, const char *text, unsigned int socket, int group);

/* The same, but returns a negative errno */
int uncore_try(const struct uncore_pmu *pmu, const char *text, unsigned int socket, int group);

uint64_t uncore_read(int fd);

/* Whether a clock counts on, for up to two seconds */
bool uncore_ticks(int fd);

/* Times that read() returns with the counts of a group, in the order of opening */
struct uncore_times {
	uint64_t enabled, running;
};

void uncore_read_group(int leader, unsigned int n, uint64_t *counts, struct uncore_times *times);

/* perf_event_attr.read_format of all events opened here */
#define UNCORE_READ_FORMAT	(PERF_FORMAT_GROUP |			\
				 PERF_FORMAT_TOTAL_TIME_ENABLED |	\
				 PERF_FORMAT_TOTAL_TIME_RUNNING)

/* A whole file, without its last newline, or NULL */
char *read_text(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
bool write_text(const char *text, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* Follow the kernel's log from here on. */
int kmsg_open(void);
/* Whether a line since the last call has the text; @last gets that line, or the last one */
bool kmsg_has(int fd, const char *text, char *last, size_t size);

uint64_t now_ns(void);

#endif
