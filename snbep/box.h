/* SPDX-License-Identifier: GPL-2.0-only */
/* One box of one socket, and what perf's callbacks ask of it */
#ifndef SNBEP_BOX_H
#define SNBEP_BOX_H

#include <linux/list.h>
#include <linux/pci.h>
#include <linux/types.h>

#include "common/compat.h"

struct perf_event;
struct snbep_event;
struct snbep_pmu;
struct snbep_socket;

/**
 * struct snbep_box - one box of one socket, as seen from outside of counters.h
 * @pmu: the PMU that it belongs to
 * @socket: the socket that it is in
 * @node: in the list of the socket's boxes
 * @cpu: the one CPU whose events the box takes; nr_cpu_ids or more: none
 * @events: how many are open, counting or not
 * @dead: it does not answer any more
 * @msr_base: added to the MSR numbers of the type
 * @pdev: PCI function of the PMON registers
 * @filter_pdev: PCI function of the filter registers, NULL if it has none of
 *	its own or cannot be reached
 * @map: configuration space of @pdev, while it is to be used
 * @filter_map: that of @filter_pdev
 * @maps: both, as they were mapped, or NULL
 * @filters_lost: @filter_pdev cannot be reached any more since a sleep
 */
struct snbep_box {
	struct snbep_pmu *pmu;
	struct snbep_socket *socket;
	struct list_head node;
	int cpu;
	atomic_t events;
	bool dead;
	u16 msr_base;
	struct pci_dev *pdev;
	struct pci_dev *filter_pdev;
	void __iomem *map;
	void __iomem *filter_map;
	void __iomem *maps[2];
	bool filters_lost;
};

/* No value of a counter, as those have 48 bits at most: the box is dead. */
#define SNBEP_NO_VALUE	U64_MAX

/**
 * struct snbep_backend - how registers are reached
 * @ctr: address of counter @ctr
 * @read_ctl: value of the control register of counter @ctr
 * @write_ctl: write it
 * @read_filter: value of filter register @reg
 * @write_filter: write it
 * @read_box_ctl: value of the box control, which may be anything
 * @write_box_ctl: write it
 *
 * Called with interrupts off, on a CPU of the box's socket.
 */
struct snbep_backend {
	u16 (*ctr)(struct snbep_box *box, unsigned int ctr);
	u32 (*read_ctl)(struct snbep_box *box, unsigned int ctr);
	void (*write_ctl)(struct snbep_box *box, unsigned int ctr, u32 val);
	u32 (*read_filter)(struct snbep_box *box, unsigned int reg);
	void (*write_filter)(struct snbep_box *box, unsigned int reg, u32 val);
	u32 (*read_box_ctl)(struct snbep_box *box);
	void (*write_box_ctl)(struct snbep_box *box, u32 val);
};

/* snbep/msr.c */
extern const struct snbep_backend snbep_msr_backend;
void snbep_msr_probe(struct snbep_socket *socket);

/* snbep/pci.c */
extern const struct snbep_backend snbep_pci_backend;
u64 snbep_pci_read(struct snbep_box *box, u32 addr, bool running, u64 prev);
bool snbep_pci_cannot_sample(struct snbep_box *box, struct perf_event *event);
void __iomem *snbep_pci_map(struct pci_dev *pdev);
void snbep_pci_resume(struct snbep_box *box);
int snbep_pci_qpi_rate(struct snbep_box *box, u32 *status);
int snbep_pci_init(void);
void snbep_pci_exit(void);

/*
 * Value of the counter at @addr, or SNBEP_NO_VALUE. Bits above its width are
 * undefined. @running says that it may count meanwhile, and @prev is then the
 * value that it last had. It is inline, and no call of the backend, as every read
 * of an event comes here.
 */
static __always_inline u64 snbep_read_ctr(struct snbep_box *box, u32 addr,
					  bool running, u64 prev)
{
	u64 val;

	if (box->pdev)
		return snbep_pci_read(box, addr, running, prev);
	rdmsrq(addr, val);
	return val;
}

/* Whether this CPU is the one that may change the box */
static inline bool snbep_box_is_here(struct snbep_box *box)
{
	/* Pairs with snbep_hand_over() in snbep/box.c. */
	return smp_load_acquire(&box->cpu) == smp_processor_id();
}

struct snbep_box *snbep_box_alloc(struct snbep_pmu *pmu,
				  struct snbep_socket *socket,
				  struct pci_dev *pdev,
				  struct pci_dev *filter_pdev);
void snbep_box_free(struct snbep_box *box);

/* On the CPU of the box, with interrupts off */
int snbep_box_add(struct snbep_box *box, struct snbep_event *se);
void snbep_box_del(struct snbep_box *box, struct snbep_event *se);
void snbep_box_disable(struct snbep_box *box);
void snbep_box_enable(struct snbep_box *box);
void snbep_box_clean_up(struct snbep_box *box);
void snbep_box_migrate_begin(struct snbep_box *box, bool events);
void snbep_box_migrate_end(struct snbep_box *box);
bool snbep_box_poll(struct snbep_box *box);

/* On the CPU of the box, the last one that is awake */
void snbep_box_suspend(struct snbep_box *box);
void snbep_box_resume(struct snbep_box *box);

/* On any CPU of the socket, with interrupts off */
void snbep_box_read(struct perf_event *event);
void snbep_box_read_begin(struct snbep_box *box);
void snbep_box_read_end(struct snbep_box *box);

/* Anywhere */
void snbep_box_set_dead(struct snbep_box *box);
void snbep_box_detach(struct snbep_box *box, struct snbep_event *se, bool here);

#endif /* SNBEP_BOX_H */
