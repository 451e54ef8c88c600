/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets and the CPU that counts for each */
#ifndef SNBEP_SOCKETS_H
#define SNBEP_SOCKETS_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/types.h>

/* The UBox maps node IDs to eight packages. */
#define SNBEP_MAX_SOCKETS	8

struct perf_event;

struct snbep_socket {
	int pkg;		/* physical package ID, index in snbep_sockets */
	unsigned int cpu;	/* of new events; >= nr_cpu_ids: none */
	bool probed;		/* for boxes in MSR space */
	struct hrtimer timer;	/* reads counters before they wrap, on @cpu */
	struct list_head boxes;	/* boxes are added, but never removed */
};

extern struct snbep_socket snbep_sockets[SNBEP_MAX_SOCKETS];

struct snbep_socket *snbep_socket_get(int pkg);
int snbep_cpu_package(unsigned int cpu);
int snbep_socket_add_event(struct perf_event *event);
void snbep_socket_remove_event(struct perf_event *event);
void snbep_sockets_prepare(void);
int snbep_sockets_init(void);
void snbep_sockets_exit(void);

#endif /* SNBEP_SOCKETS_H */
