/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One box of one socket and its events.
 *
 * Only the owner CPU (box.cpu) modifies a box, with interrupts disabled, so
 * there is no lock. Any CPU of the socket may read a counter at any time, even
 * from an NMI or a tracepoint while the owner reprograms the box.
 */
#ifndef SNBEP_BOX_H
#define SNBEP_BOX_H

#include <linux/build_bug.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/workqueue.h>

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
	unsigned int cpu;		/* owner; >= nr_cpu_ids: none */
	atomic_t events;		/* open events, active or not */
	bool dead;			/* no hardware, or it does not respond */
	bool late;			/* perf added an event on another CPU */
	struct pci_dev *pdev;		/* NULL for MSR boxes */
	void __iomem *map;		/* PCI configuration space */
	void __iomem *filter_map;	/* of the function with the filters */
	u16 msr_base;			/* offset to the type's MSR numbers */
	struct snbep_sched sched;	/* counter assignment perf asked for */
	struct snbep_event *hw[SNBEP_NR_CTRS];	/* event of each counter */
	u8 used;			/* mask of programmed counters */
	struct hrtimer timer;		/* reads counters before they wrap */
	struct irq_work dead_irq_work;	/* queues dead_work */
	struct work_struct dead_work;
};

/* Return whether this CPU owns @box. */
static inline bool snbep_box_is_owner(struct snbep_box *box)
{
	/* Pairs with smp_store_release() in snbep_box_update_owner() */
	return smp_load_acquire(&box->cpu) == smp_processor_id();
}

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
bool snbep_box_init_unschedule(struct perf_event *event);

/* Called on the owner CPU with interrupts disabled */
int snbep_box_add(struct snbep_box *box, struct snbep_event *se);
void snbep_box_del(struct snbep_box *box, struct snbep_event *se);
void snbep_box_enable(struct snbep_box *box);
void snbep_box_update_owner(struct snbep_box *box);
void snbep_box_suspend(struct snbep_box *box);
void snbep_box_resume(struct snbep_box *box);

/* Called on any CPU of the socket with interrupts disabled */
void snbep_box_read(struct perf_event *event);

#endif /* SNBEP_BOX_H */
