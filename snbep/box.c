// SPDX-License-Identifier: GPL-2.0-only
/*
 * Programming and reading the counters of one box.
 *
 * Between pmu_disable and pmu_enable, ->add and ->del only update box->sched.
 * snbep_box_enable() then writes the counters that differ from box->hw, so an
 * event that is removed and added again costs no access and loses no count.
 */
#define pr_fmt(fmt) "snbep_uncore: " fmt

#include <linux/io.h>
#include <linux/pci.h>
#include <linux/slab.h>

#include "common/compat.h"
#include "snbep/event.h"
#include "snbep/pci.h"
#include "snbep/regs.h"
#include "snbep_uncore.h"

/* Counters have at most 48 bits: all ones means that the device is gone. */
#define SNBEP_NO_VALUE	U64_MAX

/*
 * hw.prev_count holds the counter's address in bits 63:48 and its last value
 * below, or 0 while the event has no counter. With both in one word, cmpxchg
 * detects an event that was moved to another counter.
 */
#define SNBEP_PREV_ADDR	48

static atomic_long_t *snbep_prev(struct snbep_event *se)
{
	return &to_perf_event(se)->hw.prev_count.a.a;
}

static void snbep_write(struct snbep_box *box, void __iomem *map, u16 addr,
			u32 val)
{
	if (!box->type->regs.pci)
		wrmsrq(box->msr_base + addr, val);
	else if (likely(map))
		writel(val, map + addr);
	else
		snbep_port_write(box->pdev, addr, val);
}

static void snbep_write_ctl(struct snbep_box *box, unsigned int ctr, u32 val)
{
	const struct snbep_regs *regs = &box->type->regs;

	snbep_write(box, box->map, ctr == SNBEP_FIXED_CTR ? regs->fixed_ctl :
		    regs->ctl + ctr * (regs->pci ? 4 : 1), val);
}

static void snbep_write_box_ctl(struct snbep_box *box, u32 val)
{
	u16 addr = box->type->regs.box_ctl;

	if (addr)
		snbep_write(box, box->map, addr,
			    SNBEP_PMON_BOX_CTL_FRZ_EN | val);
}

static u16 snbep_ctr_addr(struct snbep_box *box, unsigned int ctr)
{
	const struct snbep_regs *regs = &box->type->regs;

	return box->msr_base + (ctr == SNBEP_FIXED_CTR ? regs->fixed_ctr :
				regs->ctr + ctr * (regs->pci ? 8 : 1));
}

static __always_inline u32 snbep_pci_read(struct snbep_box *box, u16 addr)
{
	return likely(box->map) ? readl(box->map + addr) :
				  snbep_port_read(box->pdev, addr);
}

/*
 * Read a counter of two dwords. If the high dword changed since the last read
 * (@hi), read again until two reads agree, as the low one may have carried.
 * Returns all ones if the function is gone. noinline: MSR reads need no stack.
 */
static noinline u64 snbep_pci_read_ctr(struct snbep_box *box, u16 addr, u32 hi)
{
	u32 bits = upper_32_bits(box->ctr_mask);
	u32 lo, last;

	do {
		last = hi;
		lo = snbep_pci_read(box, addr);
		hi = snbep_pci_read(box, addr + 4);
	} while (unlikely((hi ^ last) & bits));
	return (u64)hi << 32 | lo;
}

/* Read a counter with this last value; bits above its width are undefined. */
static __always_inline u64 snbep_read_ctr(struct snbep_box *box, u16 addr,
					  u64 last)
{
	u64 val;

	if (box->type->regs.pci)
		return snbep_pci_read_ctr(box, addr, upper_32_bits(last));
	rdmsrq(addr, val);
	return val;
}

/* Read a counter whose last value is not known. */
static u64 snbep_first_read_ctr(struct snbep_box *box, u16 addr)
{
	u64 hi = box->type->regs.pci ? snbep_pci_read(box, addr + 4) : 0;

	return snbep_read_ctr(box, addr, hi << 32);
}

/*
 * Update the count of an event. Retry once: if the cmpxchg fails twice, the
 * second winner read the counter after we were called, and adds its delta, if
 * only after we return.
 */
static __always_inline void snbep_update(struct snbep_event *se)
{
	atomic_long_t *prev = snbep_prev(se);
	struct snbep_box *box = se->box;
	u64 mask = box->ctr_mask;
	long old = atomic_long_read(prev);
	unsigned int tries = 2;
	u64 val;

	do {
		if (!old || READ_ONCE(box->dead))
			return;
		val = snbep_read_ctr(box, (u64)old >> SNBEP_PREV_ADDR, old);
		/* For good: after a reset, the counter would go backward. */
		if (unlikely(val == SNBEP_NO_VALUE)) {
			WRITE_ONCE(box->dead, true);
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

void snbep_event_read(struct perf_event *event)
{
	snbep_update(to_snbep_event(event));
}

/* Return the event that counter @ctr is assigned to, or NULL. */
static struct snbep_event *snbep_assigned(struct snbep_box *box, unsigned int ctr)
{
	struct match_item *item = box->sched.assigned[ctr];

	return item ? container_of(item, struct snbep_event, want.ctr) : NULL;
}

/* Read the count for the last time; the caller has stopped the counter. */
static void snbep_stop_ctr(struct snbep_box *box, unsigned int ctr)
{
	struct snbep_event *se = box->hw[ctr];

	snbep_update(se);
	atomic_long_set(snbep_prev(se), 0);
	box->hw[ctr] = NULL;
	box->used &= ~BIT(ctr);
}

static void snbep_start_ctr(struct snbep_box *box, unsigned int ctr)
{
	struct snbep_event *se = snbep_assigned(box, ctr);
	u16 addr = snbep_ctr_addr(box, ctr);
	u64 val;

	snbep_write_ctl(box, ctr, se->want.ctl | SNBEP_PMON_CTL_EN);
	val = snbep_first_read_ctr(box, addr);
	if (val == SNBEP_NO_VALUE) {
		WRITE_ONCE(box->dead, true);
		return;
	}
	box->hw[ctr] = se;
	box->used |= BIT(ctr);
	atomic_long_set(snbep_prev(se), (u64)addr << SNBEP_PREV_ADDR |
					(val & box->ctr_mask));
}

/* Write the filter registers if one of the counters @start uses a filter. */
static void snbep_write_filters(struct snbep_box *box, unsigned long start)
{
	const u16 *addr = box->type->regs.filter;
	unsigned int i;
	u16 uses = 0;

	for_each_set_bit(i, &start, SNBEP_NR_CTRS)
		uses |= snbep_assigned(box, i)->want.filters;
	for (i = 0; uses && i < SNBEP_NR_FILTER_REGS && addr[i]; i++)
		snbep_write(box, box->filter_map, addr[i],
			    box->sched.filter[i / 2] >> (i % 2 * 32));
}

/* Stop the counters in @stop and program those in @start as scheduled. */
static void snbep_reprogram(struct snbep_box *box, unsigned long stop,
			    unsigned long start)
{
	const struct snbep_box_type *type = box->type;
	/* Groups and moved events start and stop together. */
	bool freeze = type->regs.box_ctl && hweight8(stop | start) > 1;
	/* One write of the box control clears all counter controls. */
	bool reset = freeze && type->box_ctl_reset && stop == box->used && !start;
	u32 frz = freeze ? SNBEP_PMON_BOX_CTL_FRZ : 0;
	unsigned int ctr;

	if (!box->used) {
		/* Firmware or other software may have changed the idle box. */
		snbep_write_box_ctl(box, frz | type->box_ctl_reset);
	} else if (freeze) {
		snbep_write_box_ctl(box, frz);
	}
	for_each_set_bit(ctr, &stop, SNBEP_NR_CTRS) {
		if (!reset && !(freeze && (start & BIT(ctr))))
			snbep_write_ctl(box, ctr, 0);
		snbep_stop_ctr(box, ctr);
	}
	/* Filters first, so that no event counts with a stale filter. */
	snbep_write_filters(box, start);
	for_each_set_bit(ctr, &start, SNBEP_NR_CTRS)
		snbep_start_ctr(box, ctr);
	if (reset)
		snbep_write_box_ctl(box, type->box_ctl_reset);
	else if (freeze && box->used)
		snbep_write_box_ctl(box, 0);
}

/* Stop the counters in @stop without a write to their controls. */
static void snbep_stop_ctrs(struct snbep_box *box, unsigned long stop)
{
	unsigned int ctr;

	for_each_set_bit(ctr, &stop, SNBEP_NR_CTRS)
		snbep_stop_ctr(box, ctr);
}

/* Program the counters whose assignment changed since the last call. */
void snbep_box_enable(struct snbep_box *box)
{
	unsigned long stop = 0, start = 0;
	unsigned int ctr;
	bool used;

	raw_spin_lock(&box->lock);
	for (ctr = 0; ctr < SNBEP_NR_CTRS; ctr++) {
		struct snbep_event *se = snbep_assigned(box, ctr);

		if (se == box->hw[ctr])
			continue;
		stop |= box->hw[ctr] ? BIT(ctr) : 0;
		start |= se ? BIT(ctr) : 0;
	}
	if (unlikely(READ_ONCE(box->dead)))
		snbep_stop_ctrs(box, stop);
	else if (stop || start)
		snbep_reprogram(box, stop, start);
	used = box->used;
	raw_spin_unlock(&box->lock);
	if (used)
		snbep_socket_start_timer(box->socket);
}

/* Assign a counter to @event; snbep_box_enable() programs it. */
int snbep_event_add(struct perf_event *event, int flags)
{
	struct snbep_event *se = to_snbep_event(event);
	struct snbep_box *box = se->box;
	enum snbep_sched_result result;

	raw_spin_lock(&box->lock);
	result = snbep_sched_add(&box->sched, &se->want);
	raw_spin_unlock(&box->lock);
	return result == SNBEP_SCHED_OK ? 0 : -EAGAIN;
}

/* Release the counter of @event; snbep_box_enable() stops it. */
void snbep_event_del(struct perf_event *event, int flags)
{
	struct snbep_event *se = to_snbep_event(event);
	struct snbep_box *box = se->box;

	raw_spin_lock(&box->lock);
	snbep_sched_del(&box->sched, &se->want);
	raw_spin_unlock(&box->lock);
}

/* Count up to here; return whether the box is in use. */
bool snbep_box_poll(struct snbep_box *box)
{
	unsigned long used;
	unsigned int ctr;

	raw_spin_lock(&box->lock);
	used = box->used;
	for_each_set_bit(ctr, &used, SNBEP_NR_CTRS)
		snbep_update(box->hw[ctr]);
	raw_spin_unlock(&box->lock);
	return used;
}

/* Save the counts: suspend may clear the registers. */
void snbep_box_suspend(struct snbep_box *box)
{
	raw_spin_lock(&box->lock);
	snbep_stop_ctrs(box, box->used);
	raw_spin_unlock(&box->lock);
}

/*
 * Program all counters again after suspend; counts continue. The firmware may
 * not have restored memory-mapped configuration space.
 */
void snbep_box_resume(struct snbep_box *box)
{
	if (box->pdev && !snbep_pci_answers(box->pdev, box->map))
		WRITE_ONCE(box->dead, true);
	snbep_box_enable(box);
}

struct snbep_box *snbep_box_alloc(const struct snbep_box_type *type,
				  unsigned int instance,
				  struct snbep_socket *socket)
{
	struct snbep_box *box = kzalloc(sizeof(*box), GFP_KERNEL);

	if (!box)
		return NULL;
	box->type = type;
	box->ctr_mask = GENMASK_ULL(type->width - 1, 0);
	box->socket = socket;
	box->sched.desc = type->filters;
	box->sched.nr_filters = type->nr_filters;
	box->msr_base = instance * type->regs.stride;
	raw_spin_lock_init(&box->lock);
	return box;
}

void snbep_box_free(struct snbep_box *box)
{
	if (box->filter_map && box->filter_map != box->map)
		iounmap(box->filter_map);
	if (box->map)
		iounmap(box->map);
	pci_dev_put(box->pdev);
	kfree(box);
}
