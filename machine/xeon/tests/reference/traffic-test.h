/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A machine in traffic mode and the events of its reference model */
#ifndef REFERENCE_TRAFFIC_TEST_H
#define REFERENCE_TRAFFIC_TEST_H

#include "bench.h"
#include "traffic.h"
#include "uncore-model.h"

#define CORES	8
#define SOCKETS	2

struct way {
	uint64_t line;
	unsigned int state, cores;
};

struct set {
	struct way way[20];
	unsigned int n;
};

struct core {
	struct set l1d[64], l1i[64], l2[512];
	struct {
		uint64_t host_line, bytes;
	} wc[10];
	unsigned int next, socket, id;
	X86CPU *cpu;
};

extern struct core core[SOCKETS][CORES];
extern unsigned int sockets, cores;

/* Events, each with a box and what its filters see */
struct event {
	unsigned int socket, kind, instance, code, umask, state, nid, tid, opc, mhz, c0, c3, c6;
};

struct count {
	struct event e;
	uint64_t n;
};

extern struct count got[400], want[400];
extern unsigned int nr_got, nr_want;
void happens(struct count *counts, unsigned int *nr, struct event e, uint64_t n);
/* Compare the events of one access. */
void compare(const char *what, const struct core *c, uint64_t line);

/* A machine for "traffic on"; packages and node numbers are not the sockets' numbers. */
void shape(unsigned int nr_sockets, unsigned int nr_cores, unsigned int threads);

/* traffic-idle-test.c */
void test_power(void);

#endif
