// SPDX-License-Identifier: GPL-2.0-only
/*
 * One box: from what perf wants to what the registers hold, and back.
 *
 * perf adds and removes events between pmu_disable and pmu_enable. Nothing is
 * written in between; snbep_box_enable() then changes the counters that differ.
 * An event that is taken off and put back costs no access and loses no count.
 */
#include <linux/io.h>
#include <linux/pci.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "common/compat.h"
#include "snbep/box.h"
#include "snbep/pci.h"
#include "snbep/pmus.h"
#include "snbep/regs.h"
#include "snbep/sockets.h"

/*
 * The fastest counter of 44 bits counts 32 a cycle (Table 2-122), which at
 * 4 GHz takes 137 s to wrap.
 */
#define SNBEP_POLL_NS	(60 * NSEC_PER_SEC)

/* All ones is no counter, as those have 48 bits at most: the box is gone. */
#define SNBEP_NO_VALUE	U64_MAX

/*
 * hw.prev_count: address of the counter, and its value when last read. 0 while
 * no counter counts the event. Both are in one word, and counters are never
 * reset, so a compare-and-exchange tells whether the event was moved meanwhile.
 */
#define SNBEP_PREV_ADDR	48

static atomic_long_t *snbep_prev(struct snbep_event *se)
{
	return &to_perf_event(se)->hw.prev_count.a.a;
}

static u64 snbep_ctr_mask(struct snbep_box *box)
{
	return GENMASK_ULL(box->pmu->type->width - 1, 0);
}

static void snbep_write(struct snbep_box *box, void __iomem *map, u16 addr,
			u32 val)
{
	if (map)
		writel(val, map + addr);
	else
		wrmsrq(box->msr_base + addr, val);
}

static void snbep_write_ctl(struct snbep_box *box, unsigned int ctr, u32 val)
{
	const struct snbep_regs *regs = &box->pmu->type->regs;

	snbep_write(box, box->map, ctr == SNBEP_FIXED_CTR ? regs->fixed_ctl :
		    regs->ctl + ctr * (regs->pci ? 4 : 1), val);
}

static void snbep_write_box_ctl(struct snbep_box *box, u32 val)
{
	u16 addr = box->pmu->type->regs.box_ctl;

	if (addr)
		snbep_write(box, box->map, addr,
			    SNBEP_PMON_BOX_CTL_FRZ_EN | val);
}

static u16 snbep_ctr_addr(struct snbep_box *box, unsigned int ctr)
{
	const struct snbep_regs *regs = &box->pmu->type->regs;

	return box->msr_base + (ctr == SNBEP_FIXED_CTR ? regs->fixed_ctr :
				regs->ctr + ctr * (regs->pci ? 8 : 1));
}

/*
 * Read the counter at @addr. Bits above its width may be anything. @hi is the
 * high dword when last read: see snbep_pci_read().
 */
static u64 snbep_read_ctr(struct snbep_box *box, u16 addr, u32 hi)
{
	u64 val;

	if (box->map)
		return snbep_pci_read(box->map + addr, hi,
				      upper_32_bits(snbep_ctr_mask(box)));
	rdmsrq(addr, val);
	return val;
}

static void snbep_warn_dead(struct irq_work *work)
{
	struct snbep_box *box = container_of(work, struct snbep_box, warn_dead);

	pr_warn("%s: socket %d does not answer any more; its counts stand still\n",
		box->pmu->name, box->socket->pkg);
}

/*
 * Stop using a box that is not there any more. The warning is deferred:
 * printk() may take locks that this CPU holds.
 */
void snbep_box_set_dead(struct snbep_box *box)
{
	if (!xchg(&box->dead, true))
		irq_work_queue(&box->warn_dead);
}

/*
 * Bring the count of an event up to date. Retry once: if the cmpxchg fails
 * twice, the second winner read the counter after we were called, so its
 * update covers ours.
 */
void snbep_box_read(struct snbep_event *se)
{
	atomic_long_t *prev = snbep_prev(se);
	struct snbep_box *box = se->box;
	u64 mask = snbep_ctr_mask(box);
	long old = atomic_long_read(prev);
	unsigned int tries = 2;
	u64 val;

	do {
		if (!old || READ_ONCE(box->dead))
			return;
		val = snbep_read_ctr(box, (u64)old >> SNBEP_PREV_ADDR,
				     upper_32_bits(old));
		if (unlikely(val == SNBEP_NO_VALUE)) {
			snbep_box_set_dead(box);
			return;
		}
		if (likely(atomic_long_try_cmpxchg(prev, &old, (old & ~mask) |
							       (val & mask)))) {
			/* local64_add() is not atomic between CPUs. */
			atomic_long_add((val - old) & mask,
					&to_perf_event(se)->count.a.a);
			return;
		}
	} while (--tries);
}

/* The event that counter @ctr has been given to */
static struct snbep_event *snbep_wanted(struct snbep_box *box, unsigned int ctr)
{
	struct match_item *item = box->sched.on[ctr];

	return item ? container_of(item, struct snbep_event, want.ctr) : NULL;
}

/* The event's control is 0, or its box is frozen. */
static void snbep_stop_ctr(struct snbep_box *box, unsigned int ctr)
{
	struct snbep_event *se = box->hw[ctr];

	snbep_box_read(se);
	atomic_long_set(snbep_prev(se), 0);
	perf_event_update_userpage(to_perf_event(se));
	box->hw[ctr] = NULL;
	box->used &= ~BIT(ctr);
}

static void snbep_start_ctr(struct snbep_box *box, unsigned int ctr)
{
	struct snbep_event *se = snbep_wanted(box, ctr);
	u16 addr = snbep_ctr_addr(box, ctr);
	u32 hi = 0;
	u64 val;

	snbep_write_ctl(box, ctr, se->want.ctl | SNBEP_PMON_CTL_EN);
	if (box->map)
		hi = readl(box->map + addr + 4);
	val = snbep_read_ctr(box, addr, hi);
	if (val == SNBEP_NO_VALUE) {
		snbep_box_set_dead(box);
		return;
	}
	box->hw[ctr] = se;
	box->used |= BIT(ctr);
	atomic_long_set(snbep_prev(se), (u64)addr << SNBEP_PREV_ADDR |
					(val & snbep_ctr_mask(box)));
	perf_event_update_userpage(to_perf_event(se));
}

/* Write the box's filters if an event that is about to start looks at one. */
static void snbep_write_filters(struct snbep_box *box, unsigned long start)
{
	const u16 *addr = box->pmu->type->regs.filter;
	unsigned int i;
	u16 uses = 0;

	for_each_set_bit(i, &start, SNBEP_NR_CTRS)
		uses |= snbep_wanted(box, i)->want.filters;
	for (i = 0; uses && i < SNBEP_NR_FILTER_REGS && addr[i]; i++)
		snbep_write(box, box->filter_map, addr[i],
			    box->sched.filter[i / 2] >> (i % 2 * 32));
}

/* Make the counters @stop stop, and @start count what was scheduled. */
static void snbep_change(struct snbep_box *box, unsigned long stop,
			 unsigned long start)
{
	const struct snbep_box_type *type = box->pmu->type;
	/* What changes together does so at one instant: groups, events that move */
	bool freeze = type->regs.box_ctl && hweight8(stop | start) > 1;
	/* One write, instead of one for each control */
	bool reset = freeze && type->box_ctl_reset && stop == box->used && !start;
	u32 frz = freeze ? SNBEP_PMON_BOX_CTL_FRZ : 0;
	unsigned int ctr;

	if (!box->used) {
		/* Others may have written any register while it was idle. */
		snbep_write_box_ctl(box, frz | type->box_ctl_reset);
		hrtimer_start(&box->timer, ns_to_ktime(SNBEP_POLL_NS),
			      HRTIMER_MODE_REL_PINNED_HARD);
	} else if (freeze) {
		snbep_write_box_ctl(box, frz);
	}
	for_each_set_bit(ctr, &stop, SNBEP_NR_CTRS) {
		if (!reset && !(freeze && (start & BIT(ctr))))
			snbep_write_ctl(box, ctr, 0);
		snbep_stop_ctr(box, ctr);
	}
	/* Filters first: no event counts with the filter of another. */
	snbep_write_filters(box, start);
	for_each_set_bit(ctr, &start, SNBEP_NR_CTRS)
		snbep_start_ctr(box, ctr);
	if (!box->used)
		hrtimer_cancel(&box->timer);
	if (reset)
		snbep_write_box_ctl(box, type->box_ctl_reset);
	else if (freeze && box->used)
		snbep_write_box_ctl(box, 0);
}

/* Give a box without events to its socket's CPU. */
static void snbep_box_hand_over(struct snbep_box *box)
{
	if (memchr_inv(box->sched.on, 0, sizeof(box->sched.on)))
		return;
	/* Pairs with snbep_box_is_owner(). */
	smp_store_release(&box->cpu, READ_ONCE(box->socket->cpu));
}

/* Make the registers what perf wants. */
void snbep_box_enable(struct snbep_box *box)
{
	unsigned long stop = 0, start = 0;
	unsigned int ctr;

	for (ctr = 0; ctr < SNBEP_NR_CTRS; ctr++) {
		struct snbep_event *se = snbep_wanted(box, ctr);

		if (se == box->hw[ctr])
			continue;
		if (se)
			start |= BIT(ctr);
		if (box->hw[ctr])
			stop |= BIT(ctr);
	}
	if ((start || stop) && !READ_ONCE(box->dead))
		snbep_change(box, stop, start);
	if (unlikely(READ_ONCE(box->socket->cpu) != box->cpu))
		snbep_box_hand_over(box);
}

/*
 * Before perf takes the events off this CPU one by one: all stop at one instant.
 * The next start on the other CPU writes the box control again.
 */
void snbep_box_leave(struct snbep_box *box)
{
	if (box->used && !READ_ONCE(box->dead))
		snbep_write_box_ctl(box, SNBEP_PMON_BOX_CTL_FRZ);
	snbep_box_hand_over(box);
}

/* Give an event a counter; it counts from the next snbep_box_enable() on. */
int snbep_box_add(struct snbep_box *box, struct snbep_event *se)
{
	if (!snbep_box_is_owner(box) ||
	    snbep_sched_add(&box->sched, &se->want) != SNBEP_SCHED_OK)
		return -EAGAIN;
	return 0;
}

/* Its count is final after the next snbep_box_enable(). */
void snbep_box_del(struct snbep_box *box, struct snbep_event *se)
{
	snbep_sched_del(&box->sched, &se->want);
}

static enum hrtimer_restart snbep_poll(struct hrtimer *timer)
{
	struct snbep_box *box = container_of(timer, struct snbep_box, timer);
	unsigned long used = box->used;
	unsigned int ctr;

	/* Events of a dead box may be closed already. */
	if (READ_ONCE(box->dead))
		return HRTIMER_NORESTART;
	for_each_set_bit(ctr, &used, SNBEP_NR_CTRS)
		snbep_box_read(box->hw[ctr]);
	hrtimer_forward_now(timer, ns_to_ktime(SNBEP_POLL_NS));
	return HRTIMER_RESTART;
}

/* The registers may be lost until snbep_box_resume(). */
void snbep_box_suspend(struct snbep_box *box)
{
	unsigned long used = box->used;
	unsigned int ctr;

	if (!used || READ_ONCE(box->dead))
		return;
	hrtimer_cancel(&box->timer);
	for_each_set_bit(ctr, &used, SNBEP_NR_CTRS)
		snbep_stop_ctr(box, ctr);
}

/* Program the box in full; its events go on from the counts that they have. */
void snbep_box_resume(struct snbep_box *box)
{
	if (box->map && !snbep_pci_answers(box->pdev, box->map))
		snbep_box_set_dead(box);
	snbep_box_enable(box);
}

/* The maps go with the box. */
struct snbep_box *snbep_box_alloc(struct snbep_pmu *pmu,
				  struct snbep_socket *socket,
				  struct pci_dev *pdev, void __iomem *map,
				  void __iomem *filter_map)
{
	const struct snbep_regs *regs = &pmu->type->regs;
	struct snbep_box *box = kzalloc(sizeof(*box), GFP_KERNEL);

	if (!box)
		return ERR_PTR(-ENOMEM);
	box->pmu = pmu;
	box->socket = socket;
	box->sched.desc = pmu->type->filters;
	box->sched.nr_filters = pmu->type->nr_filters;
	box->cpu = socket->cpu;
	box->pdev = pci_dev_get(pdev);
	box->map = map;
	box->filter_map = regs->filter_fn ? filter_map : map;
	box->msr_base = pmu->instance * regs->stride;
	init_irq_work(&box->warn_dead, snbep_warn_dead);
	hrtimer_setup(&box->timer, snbep_poll, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	return box;
}

void snbep_box_free(struct snbep_box *box)
{
	irq_work_sync(&box->warn_dead);
	hrtimer_cancel(&box->timer);
	if (box->filter_map && box->filter_map != box->map)
		iounmap(box->filter_map);
	if (box->map)
		iounmap(box->map);
	pci_dev_put(box->pdev);
	kfree(box);
}
