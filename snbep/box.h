/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * One box of one socket, and the events that it counts.
 *
 * Only the CPU that owns the box (box.cpu) changes it, with interrupts off, so
 * there is no lock. Any CPU of the socket may read a counter at any time, also
 * in an NMI or from a tracepoint in the middle of a change.
 */
#ifndef SNBEP_BOX_H
#define SNBEP_BOX_H

#include <linux/build_bug.h>
#include <linux/hrtimer.h>
#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/perf_event.h>

#include "snbep/sched.h"

struct pci_dev;
struct snbep_pmu;
struct snbep_socket;

/*
 * What the driver keeps of a perf event, where struct hw_perf_event has the extra
 * registers of core PMUs
 */
struct snbep_event {
	struct snbep_want want;
	struct snbep_box *box;
	bool counter0;		/* it sees the occupancy that counter 0 counts */
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
	struct list_head node;		/* in the socket's boxes */
	unsigned int cpu;		/* owner; nr_cpu_ids or more: none */
	atomic_t events;		/* that are open, counting or not */
	bool dead;			/* it does not answer any more */
	struct pci_dev *pdev;		/* NULL for MSRs */
	void __iomem *map;		/* its configuration space */
	void __iomem *filter_map;	/* with the filters: @map, or another */
	u16 msr_base;			/* added to the type's MSR numbers */
	struct snbep_sched sched;	/* which event perf wants where */
	struct snbep_event *hw[SNBEP_NR_CTRS];	/* what each counter counts */
	u8 used;			/* bit n set if counter n counts */
	struct hrtimer timer;		/* reads counters before they wrap */
	struct irq_work warn_dead;
};

/* Whether this CPU owns the box */
static inline bool snbep_box_is_owner(struct snbep_box *box)
{
	/* Pairs with smp_store_release() in snbep_box_hand_over() */
	return smp_load_acquire(&box->cpu) == smp_processor_id();
}

struct snbep_box *snbep_box_alloc(struct snbep_pmu *pmu,
				  struct snbep_socket *socket,
				  struct pci_dev *pdev, void __iomem *map,
				  void __iomem *filter_map);
void snbep_box_free(struct snbep_box *box);
void snbep_box_set_dead(struct snbep_box *box);

/* On the CPU that owns the box, with interrupts off */
int snbep_box_add(struct snbep_box *box, struct snbep_event *se);
void snbep_box_del(struct snbep_box *box, struct snbep_event *se);
void snbep_box_enable(struct snbep_box *box);
void snbep_box_leave(struct snbep_box *box);
void snbep_box_suspend(struct snbep_box *box);
void snbep_box_resume(struct snbep_box *box);

/* On any CPU of the socket, with interrupts off */
void snbep_box_read(struct snbep_event *se);

#endif /* SNBEP_BOX_H */
