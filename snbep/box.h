/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One box of one socket and its events.
 *
 * box.lock serializes changes, which any CPU of the socket may make. Any of them
 * may also read a counter at any time, even from an NMI or a tracepoint in the
 * middle of a change: a read takes no lock.
 */
#ifndef SNBEP_BOX_H
#define SNBEP_BOX_H

#include <linux/list.h>
#include <linux/spinlock.h>

#include "snbep/sched.h"

struct pci_dev;
struct perf_event;
struct snbep_box_type;
struct snbep_event;
struct snbep_pmu;
struct snbep_socket;

struct snbep_box {
	struct snbep_pmu *pmu;
	const struct snbep_box_type *type;
	u64 ctr_mask;			/* width of the counters */
	struct snbep_socket *socket;
	struct list_head node;		/* entry of socket->boxes */
	raw_spinlock_t lock;		/* taken with interrupts disabled */
	bool dead;			/* it read as all ones, for good */
	struct pci_dev *pdev;		/* NULL for MSR boxes */
	void __iomem *map;		/* PCI configuration space */
	void __iomem *filter_map;	/* of the function with the filters */
	const char *no_filters;		/* why they are not accessible, or NULL */
	u16 msr_base;			/* offset to the type's MSR numbers */
	struct snbep_sched sched;	/* counter assignment perf asked for */
	struct snbep_event *hw[SNBEP_NR_CTRS];	/* event of each counter */
	u8 used;			/* mask of programmed counters */
};

/* Return whether @box is in PCI space that is not memory-mapped. */
static inline bool snbep_box_uses_ports(const struct snbep_box *box)
{
	return !box->map && box->pdev;
}

struct snbep_box *snbep_box_alloc(const struct snbep_box_type *type,
				  unsigned int instance,
				  struct snbep_socket *socket);
void snbep_box_free(struct snbep_box *box);

/* Called with interrupts disabled, on a CPU of the socket */
void snbep_box_enable(struct snbep_box *box);
bool snbep_box_poll(struct snbep_box *box);
void snbep_box_suspend(struct snbep_box *box);
void snbep_box_resume(struct snbep_box *box);

/* PMU callbacks */
int snbep_event_add(struct perf_event *event, int flags);
void snbep_event_del(struct perf_event *event, int flags);
void snbep_event_read(struct perf_event *event);

#endif /* SNBEP_BOX_H */
