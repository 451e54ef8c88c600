/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * uncore-iron: what a real Xeon E5-2600 does, compared with what the drivers of this tree take for
 * true
 */
#ifndef IRON_H
#define IRON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MAX_SOCKETS 8
#define MAX_PMUS    24
#define NR_CBOXES   8

/* Results, as TAP: report.c */

/* A line of the report; use these: */
void report(bool ok, const char *what, const char *why, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* A test: did the hardware do what the guide and the driver say? */
#define test(ok, ...)		report(ok, "", NULL, __VA_ARGS__)
/* An open question that was answered; @fits: the driver is right with this answer */
#define answer(fits, ...)	report(fits, "question: ", NULL, __VA_ARGS__)
/* A test or a question that has no answer here, and why */
#define untold(why, ...)	report(true, "", why, __VA_ARGS__)
/* A line for who reads the report */
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* The end of the program: one line that says what to do */
void give_up(const char *fmt, ...) __attribute__((format(printf, 1, 2), noreturn));
/* The plan; returns the exit status */
int report_end(void);

/* PMUs and events: uncore.c */

/* A PMU of one box */
struct pmu {
	char name[48];		/* in sysfs */
	char box[24];		/* the same without the driver's prefix: "cbox_0" */
	char kind[24];		/* the box without its number: "cbox" */
	unsigned int instance;	/* its number, or 0 */
	uint32_t type;		/* for perf_event_attr */
	int cpu[MAX_SOCKETS];	/* the CPU that counts, or -1 if the socket has no such box */
};

extern struct pmu pmus[MAX_PMUS];
extern unsigned int nr_pmus, nr_sockets;

/* Find the PMUs whose names begin with @prefix; false if there is none. */
bool find_pmus(const char *prefix);
void find_sockets(void);
/* The PMU if this socket has the box, or NULL */
struct pmu *pmu_of(const char *kind, unsigned int instance, unsigned int socket);
/* Boxes of a kind in a socket */
unsigned int count_boxes(const char *kind, unsigned int socket);

/*
 * Open "event=0x1,umask=0x2": a file descriptor, or a negative errno; -ENOENT for a field that the
 * PMU has not.
 */
int open_event(const struct pmu *pmu, const char *text, unsigned int socket);
uint64_t read_event(int fd);

/* The first socket from this one on that has a CPU online, or nr_sockets */
unsigned int next_socket(unsigned int from);

/* The socket of a CPU, and a CPU of a socket: the n-th one that is online, or -1 */
int socket_of_cpu(int cpu);
int cpu_of_socket(unsigned int socket, unsigned int n);
/* The same, but no two of one core */
int core_of_socket(unsigned int socket, unsigned int n);
/* The NUMA node of a socket, or -1 if no node is its alone */
int node_of_socket(unsigned int socket);
void run_on(int cpu);

/* A file's first line, or NULL */
char *read_line(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Nanoseconds of CLOCK_MONOTONIC_RAW, and the time stamp counter */
uint64_t now_ns(void);
uint64_t now_tsc(void);
void sleep_ms(unsigned int ms);

/* Registers: regs.c */

bool read_msr(int cpu, uint32_t msr, uint64_t *val);
bool write_msr(int cpu, uint32_t msr, uint64_t val);
/* PCI functions of the uncore: find them, and whose they are */
void find_functions(void);
/* The id of a socket's function, or 0 if it is hidden */
unsigned int function_id(unsigned int socket, unsigned int dev, unsigned int fn);
bool read_pci(unsigned int socket, unsigned int dev, unsigned int fn, unsigned int reg,
	      uint32_t *val);
bool write_pci(unsigned int socket, unsigned int dev, unsigned int fn, unsigned int reg,
	       uint32_t val);
/* The node id that the socket's UBox has, or -1 */
int ubox_node(unsigned int socket);

/* Where a box has its registers: numbers of MSRs, or offsets in a PCI function */
struct regs {
	bool msr;
	unsigned int dev, fn;
	unsigned int box_ctl;		/* or 0 */
	unsigned int ctl;		/* the next is one (MSR) or four (PCI) further */
	unsigned int ctr;		/* the next is one or eight further */
	unsigned int counters;
	unsigned int fixed_ctl, fixed_ctr;	/* or 0 */
};

#define FIXED (-1)

bool regs_of(const struct pmu *pmu, struct regs *r);
bool read_box_ctl(const struct pmu *pmu, unsigned int socket, uint64_t *val);
bool read_ctl(const struct pmu *pmu, unsigned int socket, int ctr, uint64_t *val);
bool read_ctr(const struct pmu *pmu, unsigned int socket, int ctr, uint64_t *val);
bool write_ctr(const struct pmu *pmu, unsigned int socket, int ctr, uint64_t val);

/* Traffic: program.c and stimulus.c */

enum flow_kind {
	FLOW_READ, /* each line read once, from memory */
	FLOW_WRITE, /* each line written once by ordinary stores, which read it first */
	FLOW_STREAM, /* each line written once by stores that do not read it */
};

/**
 * struct source - what makes things happen; each of these is NULL if it cannot do that
 * @name: for the report
 * @flow: a flow between the cores of one socket and the memory of another, or of the same;
 *	how many lines it was goes to *@lines
 * @page: reads of the lines of one 4 KiB page of the socket's memory, each from memory,
 *	*@times in all; where that page is goes to *@addr
 * @interrupts: *@times interrupts from one CPU of the socket to another one of it
 * @cycles: let the PCU see cycles at any frequency, *@times of them or as many as there are
 * Return of all: NULL, or why it could not.
 */
struct source {
	const char *name;
	const char *(*flow)(enum flow_kind kind, unsigned int socket, unsigned int home,
			    uint64_t *lines);
	const char *(*page)(unsigned int socket, uint64_t *addr, uint64_t *times);
	const char *(*interrupts)(unsigned int socket, uint64_t *times);
	const char *(*cycles)(unsigned int socket, uint64_t *times);
};

extern const struct source program_source, stimulus_source;
extern const struct source *source;

/* Bytes of a flow, as the user wants it */
extern uint64_t flow_bytes;

/* Checks of a socket, or of the first one, one or more tests each */
void check_boxes(unsigned int socket);
void check_clocks(unsigned int socket);
void check_flows(unsigned int socket, bool memory_alone);
void check_filters(unsigned int socket);
void check_registers(unsigned int socket);
void check_residency(unsigned int socket);
void check_node(unsigned int socket);
void check_messages(unsigned int socket);
void check_undescribed(void);
void check_widths(bool may_write);

#endif
