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

#include <linux/build_bug.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/spinlock.h>

#include "snbep/sched.h"

struct pci_dev;
struct snbep_pmu;
struct snbep_socket;

/*
 * Per-event data, stored in the extra_reg and branch_reg members of struct
 * hw_perf_event, which only core PMUs use
 */
struct snbep_event {
	struct snbep_want want;
	struct snbep_box *box;
};

static_assert(sizeof(struct snbep_event) <=
	      2 * sizeof(struct hw_perf_event_extra));
static_assert(offsetof(struct hw_perf_event, branch_reg) ==
	      offsetof(struct hw_perf_event, extra_reg) +
	      sizeof(struct hw_perf_event_extra));

static inline struct snbep_event *to_snbep_event(struct perf_event *event)
{
	return (struct snbep_event *)&event->hw.extra_reg;
}

static inline struct perf_event *to_perf_event(struct snbep_event *se)
{
	return container_of((struct hw_perf_event_extra *)se,
			    struct perf_event, hw.extra_reg);
}

struct snbep_box {
	struct snbep_pmu *pmu;
	struct snbep_socket *socket;
	struct list_head node;		/* entry of socket->boxes */
	struct list_head events;	/* open events, active or not */
	raw_spinlock_t lock;		/* taken with interrupts disabled */
	bool dead;			/* no hardware, or it does not respond */
	struct pci_dev *pdev;		/* NULL for MSR boxes */
	void __iomem *map;		/* PCI configuration space */
	void __iomem *filter_map;	/* of the function with the filters */
	u16 msr_base;			/* offset to the type's MSR numbers */
	struct snbep_sched sched;	/* counter assignment perf asked for */
	struct snbep_event *hw[SNBEP_NR_CTRS];	/* event of each counter */
	u8 used;			/* mask of programmed counters */
	struct irq_work dead_work;	/* logs that the box died */
};

/* Return whether @box is in PCI space that is not memory-mapped. */
static inline bool snbep_box_uses_ports(const struct snbep_box *box)
{
	return !box->map && box->pdev;
}

struct snbep_box *snbep_box_alloc(struct snbep_pmu *pmu,
				  struct snbep_socket *socket);
void snbep_box_free(struct snbep_box *box);
void snbep_box_attach(struct snbep_box *box, struct pci_dev *pdev,
		      void __iomem *map, void __iomem *filter_map);
void snbep_box_detach(struct snbep_box *box);
bool snbep_box_has_filters(const struct snbep_box *box);

/* Called with interrupts disabled, on a CPU of the socket */
int snbep_box_add(struct snbep_box *box, struct snbep_event *se);
void snbep_box_del(struct snbep_box *box, struct snbep_event *se);
void snbep_box_enable(struct snbep_box *box);
void snbep_box_poll(struct snbep_box *box);
void snbep_box_suspend(struct snbep_box *box);
void snbep_box_resume(struct snbep_box *box);
void snbep_box_read(struct perf_event *event);

#endif /* SNBEP_BOX_H */
