/* SPDX-License-Identifier: GPL-2.0-only */
/* uncore-hwtest: compares a real Xeon E5-2600 with what snbep_uncore assumes */
#ifndef HWTEST_H
#define HWTEST_H

#include "clock.h"
#include "machine.h"
#include "util.h"

#define MAX_PMUS    24
#define NR_CBOXES   8

/* report.c: results as TAP */

/* Print a result; called by the macros below. */
void report(bool ok, const char *what, const char *why, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));
/* Result of a test: the hardware does what the guide and the driver say */
#define test(ok, ...)		report(ok, "", NULL, __VA_ARGS__)
/* Answer to a question that the guide leaves open; @fits: the driver is right with it */
#define answer(fits, ...)	report(fits, "question: ", NULL, __VA_ARGS__)
/* Skipped test or question, with the reason */
#define untold(why, ...)	report(true, "", why, __VA_ARGS__)
/* Print a comment. */
void note(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* Print the plan, and return the exit status. */
int report_end(void);

/*
 * uncore.c: PMUs, events and CPUs. A socket is a package ID here, which may have gaps:
 * machine.sockets lists those that have a CPU online.
 */

extern struct machine machine;

/* Find sockets and PMUs; exits without PMUs of this prefix. */
void find_pmus(const char *prefix);
/* Return the PMU if the socket has the box, or NULL. */
struct pmu *pmu_of(const char *kind, unsigned int instance, unsigned int socket);
/* Return the first PMU of a kind that the socket has, or NULL. */
struct pmu *first_pmu(const char *kind, unsigned int socket);
/* Return the number of boxes of a kind in a socket. */
unsigned int count_boxes(const char *kind, unsigned int socket);

/* Open "event=0x1,umask=0x2". Returns a negative errno: -ENOENT if the PMU lacks a field. */
int open_event(const struct pmu *pmu, const char *text, unsigned int socket);
uint64_t read_event(int fd);

/* Return the socket after this one; after the last, the first. */
unsigned int other_socket(unsigned int socket);
/* Return the CPU that counts for a box, or -1 if the socket has no such box. */
int box_cpu(const struct pmu *pmu, unsigned int socket);

/* Return the first online CPU of the socket's n-th core, or -1. */
int core_of_socket(unsigned int socket, unsigned int n);
/* Return the NUMA node of a socket, or -1 if it shares its node. */
int node_of_socket(unsigned int socket);
void run_on(int cpu);

/* regs.c: registers */

bool read_msr(int cpu, uint32_t msr, uint64_t *val);
/* Find the PCI functions of the uncore, and their sockets. */
void find_functions(void);
/* Return a function's device ID, or 0 if it is hidden. */
unsigned int function_id(unsigned int socket, unsigned int dev, unsigned int fn);
bool read_pci(unsigned int socket, unsigned int dev, unsigned int fn, unsigned int reg,
	      uint32_t *val);
/* Return the node ID in the socket's UBox, or -1. */
int ubox_node(unsigned int socket);

/* Registers of a box: MSR addresses, or offsets in a PCI function */
struct regs {
	bool msr;
	unsigned int dev, fn;
	unsigned int ctl;		/* step 1 (MSR) or 4 (PCI) */
	unsigned int ctr;		/* step 1 or 8 */
	unsigned int counters;
	unsigned int fixed_ctl, fixed_ctr;	/* or 0 */
};

#define FIXED (-1)

struct regs regs_of(const struct pmu *pmu);
bool read_ctl(const struct pmu *pmu, unsigned int socket, int ctr, uint64_t *val);
bool read_ctr(const struct pmu *pmu, unsigned int socket, int ctr, uint64_t *val);
bool write_ctr(const struct pmu *pmu, unsigned int socket, int ctr, uint64_t val);

/* program.c: traffic by loads and stores; all return NULL or an error message */

enum flow_kind {
	FLOW_READ, /* read each line once, from memory */
	FLOW_WRITE, /* write each line once by ordinary stores, which read it first */
	FLOW_STREAM, /* write each line once by non-temporal stores */
};

/* Let a core of @socket go through the memory of @home; sets *@lines. */
const char *make_flow(enum flow_kind kind, unsigned int socket, unsigned int home,
		      uint64_t *lines);
/* Read lines of a 4 KiB page *@times from memory; sets its physical address. */
const char *read_page(unsigned int socket, uint64_t *addr, uint64_t *times);

/* Bytes of a flow (-b) */
extern uint64_t flow_bytes;

/* Checks of one socket, or of the first; each prints results */
void check_boxes(unsigned int socket);
void check_clocks(unsigned int socket);
void check_flows(unsigned int socket, bool memory_alone);
void check_filters(unsigned int socket);
void check_pcu_ext(unsigned int socket);
void check_node(unsigned int socket);
void check_victims(unsigned int socket);
void check_offcore(unsigned int socket);
void check_widths(bool may_write);

#endif
