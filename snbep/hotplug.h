/* SPDX-License-Identifier: GPL-2.0-only */
/* Sockets, and the CPU that does the work for each */
#ifndef SNBEP_HOTPLUG_H
#define SNBEP_HOTPLUG_H

#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/percpu.h>

#include "snbep/pmus.h"

struct snbep_box;

/**
 * struct snbep_socket - a processor package
 * @pkg: physical package id, as CPUs and the UBox's map have it, and index in
 *	snbep_sockets
 * @cpu: the CPU that does the work for its boxes; nr_cpu_ids or more: none
 * @migrating: its events are on their way to @cpu
 * @msr_kept: one of its MSRs kept what was written
 * @msr_probed: its MSR boxes were looked for
 * @boxes: its boxes, which come one by one and stay
 * @timer: looks at the counters before they can wrap twice
 * @polled: the timer is set
 */
struct snbep_socket {
	int pkg;
	unsigned int cpu;
	bool migrating;
	bool msr_kept;
	bool msr_probed;
	struct list_head boxes;
	struct hrtimer timer;
	bool polled;
};

extern struct snbep_socket snbep_sockets[SNBEP_MAX_SOCKETS];
DECLARE_PER_CPU(unsigned int, snbep_cpu_pkg);

struct snbep_socket *snbep_socket_get(int pkg);
void snbep_socket_settle(struct snbep_socket *socket);
void snbep_start_poll(struct snbep_box *box);
void snbep_hotplug_prepare(void);
int snbep_hotplug_init(void);
void snbep_hotplug_exit(void);

#endif /* SNBEP_HOTPLUG_H */
