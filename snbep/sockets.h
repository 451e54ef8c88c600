/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets and the CPU that owns their boxes */
#ifndef SNBEP_SOCKETS_H
#define SNBEP_SOCKETS_H

#include <linux/list.h>
#include <linux/types.h>

/* The UBox maps node IDs to eight packages. */
#define SNBEP_MAX_SOCKETS	8

struct snbep_box;

struct snbep_socket {
	int pkg;		/* physical package ID, index in snbep_sockets */
	unsigned int cpu;	/* owner of the boxes; >= nr_cpu_ids: none */
	struct list_head boxes;	/* boxes are added, but never removed */
};

extern struct snbep_socket snbep_sockets[SNBEP_MAX_SOCKETS];

struct snbep_socket *snbep_socket_get(int pkg);
int snbep_cpu_package(unsigned int cpu);
void snbep_sockets_prepare(void);
int snbep_sockets_init(void);
void snbep_sockets_exit(void);

#endif /* SNBEP_SOCKETS_H */
