/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets, and the steps of module init */
#ifndef SNBEP_UNCORE_H
#define SNBEP_UNCORE_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/perf_event.h>

#include "snbep/event.h"
#include "snbep/types.h"

struct snbep_socket {
	int pkg;		/* physical package ID, index in snbep_sockets */
	unsigned int cpu;	/* of new events; >= nr_cpu_ids: none */
	bool probed;		/* for boxes in MSR space */
	struct hrtimer timer;	/* reads counters in use before they wrap, on @cpu */
	struct list_head boxes;	/* boxes are added, but never removed */
};

/* snbep_uncore.c */
extern const struct pmu snbep_pmu_ops;	/* template of all PMUs */

/* request.c */
int snbep_request(struct snbep_pmu *pmu, struct perf_event *event);

/* pmus.c */
extern struct snbep_socket snbep_sockets[SNBEP_MAX_SOCKETS];
struct snbep_socket *snbep_socket_get(int pkg);
int snbep_cpu_package(unsigned int cpu);
int snbep_socket_place_event(struct perf_event *event);
void snbep_socket_start_timer(struct snbep_socket *socket);
void snbep_sockets_prepare(void);
int snbep_sockets_init(void);
void snbep_sockets_exit(void);
extern bool snbep_open;
struct snbep_box *snbep_box_create(enum snbep_type_id id, unsigned int instance,
				   struct snbep_socket *socket,
				   struct pci_dev *pdev);
void snbep_pmu_register(struct snbep_pmu *pmu);
int snbep_open_pmus(void);
void snbep_close(void);
void snbep_free_pmus(void);

/* msr.c, on a CPU of the socket */
void snbep_msr_probe(struct snbep_socket *socket);
unsigned int snbep_box_instances(enum snbep_type_id id);

/* conflict.c */
bool snbep_intel_uncore_active(void);
int snbep_conflict_init(void);
void snbep_conflict_exit(void);

#endif /* SNBEP_UNCORE_H */
