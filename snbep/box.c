// SPDX-License-Identifier: GPL-2.0-only
/*
 * One box: from what perf wants to what the registers hold.
 *
 * perf adds and removes events between pmu_disable and pmu_enable. Nothing is
 * written in between; snbep_box_apply() then compares what each counter counts
 * with what it should, and touches only what differs. An event that is taken
 * off and put back, as perf does with all events of a CPU when one is added,
 * costs no access and loses no count.
 */
#include <linux/indirect_call_wrapper.h>
#include <linux/slab.h>

#include "snbep_uncore.h"

/*
 * No counter wraps twice in this time: the fastest is 44 bits wide and counts
 * 32 a cycle (Table 2-122), which at 4 GHz takes 137 s.
 */
#define SNBEP_POLL_NS	(60 * NSEC_PER_SEC)

/* What counter @ctr should count now */
static struct snbep_event *snbep_box_target(struct snbep_box *box,
					    unsigned int ctr)
{
	struct snbep_want *w = box->sched.on[ctr];
	struct snbep_event *se;

	if (!w)
		return NULL;
	se = container_of(w, struct snbep_event, want);
	return se->run ? se : NULL;
}

/*
 * The first write to a box also resets it: nobody knows what the firmware or
 * another tool left there.
 */
static void snbep_box_write_frz(struct snbep_box *box, bool frz)
{
	const struct snbep_box_type *type = box->pmu->type;
	u32 val = SNBEP_PMON_BOX_CTL_FRZ_EN;

	if (!type->regs.box_ctl || (box->ready && box->frozen == frz))
		return;
	if (frz)
		val |= SNBEP_PMON_BOX_CTL_FRZ;
	if (!box->ready) {
		val |= type->box_ctl_reset;
		box->ctl_known = type->box_ctl_reset ? U8_MAX : 0;
	}
	box->backend->write_box_ctl(box, val);
	box->ready = true;
	box->frozen = frz;
}

static void snbep_box_write_ctl(struct snbep_box *box, unsigned int ctr,
				u32 val)
{
	if (box->ctl[ctr] == val && (box->ctl_known & BIT(ctr)))
		return;
	box->backend->write_ctl(box, ctr, val);
	box->ctl[ctr] = val;
	box->ctl_known |= BIT(ctr);
}

/**
 * snbep_box_lost - note that a box stopped to answer
 * @box: the box; its events keep the counts they have
 */
void snbep_box_lost(struct snbep_box *box)
{
	if (box->gone)
		return;
	box->gone = true;
	box->fast_cpu = -1;
	pr_warn("%s: socket %d does not answer any more; its counts stand still\n",
		box->pmu->name, box->socket->pkg);
}

/*
 * Bring a count up to date; @running: the counter may count meanwhile. What
 * one CPU has added another does not add again, see snbep_box_read().
 */
static __always_inline void snbep_box_update(struct snbep_box *box,
					     struct snbep_event *se,
					     bool running)
{
	u64 prev = READ_ONCE(se->prev);
	u64 val;

	do {
		val = INDIRECT_CALL_2(box->backend->read, snbep_pci_read,
				      snbep_msr_read, box, se->addr, running,
				      prev);
		if (unlikely(val == SNBEP_LOST)) {
			snbep_box_lost(box);
			return;
		}
	} while (unlikely(!try_cmpxchg64(&se->prev, &prev, val)));
	/* local64_add() would be for this CPU alone */
	atomic_long_add(((val - prev) << se->shift) >> se->shift,
			&to_perf_event(se)->count.a.a);
}

static void snbep_box_write_filters(struct snbep_box *box)
{
	const struct snbep_box_type *type = box->pmu->type;
	unsigned int i;

	for (i = 0; i < SNBEP_NR_FILTER_REGS; i++) {
		u32 val = box->sched.filter[i / 2] >> (i % 2 * 32);

		if (!type->regs.filter[i] ||
		    (box->filter_known && box->filter[i] == val))
			continue;
		box->backend->write_filter(box, i, val);
		box->filter[i] = val;
	}
	box->filter_known = true;
	box->filters_dirty = false;
}

static bool snbep_in_group(struct snbep_event *se)
{
	return se && to_perf_event(se)->group_leader->nr_siblings;
}

static enum hrtimer_restart snbep_box_poll(struct hrtimer *timer)
{
	struct snbep_box *box = container_of(timer, struct snbep_box, timer);
	enum hrtimer_restart ret = HRTIMER_NORESTART;
	unsigned long used;
	unsigned int ctr;

	raw_spin_lock(&box->lock);
	used = box->used;
	if (box->gone || !used)
		box->polled = false;
	if (box->polled) {
		for_each_set_bit(ctr, &used, SNBEP_NR_CTRS)
			snbep_box_update(box, box->hw[ctr], true);
		hrtimer_forward_now(timer, ns_to_ktime(SNBEP_POLL_NS));
		ret = HRTIMER_RESTART;
	}
	raw_spin_unlock(&box->lock);
	return ret;
}

static void snbep_box_start_poll(struct snbep_box *box)
{
	/* A CPU that is going leaves it to the one that takes over. */
	if (box->polled || box->cpu != READ_ONCE(box->socket->cpu))
		return;
	box->polled = true;
	hrtimer_start(&box->timer, ns_to_ktime(SNBEP_POLL_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/*
 * Whether counters change together and have to do so at one instant: those of
 * a group, or more than one that passes from one event to another, where
 * freezing is also the cheaper way.
 */
static bool snbep_box_wants_freeze(struct snbep_box *box, unsigned int stop,
				   unsigned int start)
{
	unsigned int ctr, grouped = 0;

	if (!((stop | start) & ((stop | start) - 1)))
		return false;
	/* an event on its way from one counter to another misses nothing */
	for (ctr = 0; stop && start && ctr < SNBEP_NR_CTRS; ctr++) {
		if ((start & BIT(ctr)) && snbep_box_target(box, ctr)->live)
			return true;
	}
	/* one at most of each */
	if (!(stop & (stop - 1)) && !(start & (start - 1)))
		return false;
	for (ctr = 0; ctr < SNBEP_NR_CTRS; ctr++) {
		if ((stop & BIT(ctr)) && snbep_in_group(box->hw[ctr]))
			grouped++;
		if ((start & BIT(ctr)) &&
		    snbep_in_group(snbep_box_target(box, ctr)))
			grouped++;
	}
	return grouped > 1 || hweight8(stop & start) > 1;
}

/* Stop the event on @ctr, and return where the counter stands */
static u64 snbep_box_stop_ctr(struct snbep_box *box, unsigned int ctr)
{
	if (!box->frozen)
		snbep_box_write_ctl(box, ctr, 0);
	snbep_box_update(box, box->hw[ctr], false);
	box->hw[ctr]->live = false;
	return box->hw[ctr]->prev;
}

/*
 * Where an idle counter stands. Others may have written it since it was last
 * used, and without reset bits in the box control it may even be running.
 */
static u64 snbep_box_idle_val(struct snbep_box *box, unsigned int ctr)
{
	if (!(box->ctl_known & BIT(ctr)))
		snbep_box_write_ctl(box, ctr, 0);
	return box->backend->read(box, box->backend->ctr(box, ctr), false, 0);
}

/* Start the event that is to have @ctr, which stands at @val */
static void snbep_box_start_ctr(struct snbep_box *box, unsigned int ctr,
				u64 val)
{
	const struct snbep_box_type *type = box->pmu->type;
	struct snbep_event *se = snbep_box_target(box, ctr);

	se->prev = val;
	se->addr = box->backend->ctr(box, ctr);
	se->shift = 64 - (ctr == SNBEP_FIXED_CTR ? type->fixed_width :
						   type->width);
	/* An NMI that reads it here finds all of the above, or nothing. */
	smp_store_release(&se->live, true);
	box->hw[ctr] = se;
	box->used |= BIT(ctr);
	snbep_box_write_ctl(box, ctr, se->want.ctl | SNBEP_PMON_CTL_EN);
}

static void __snbep_box_apply(struct snbep_box *box)
{
	unsigned long changed = box->sched.changed, stop = 0, start = 0;
	unsigned int ctr;
	u64 val[SNBEP_NR_CTRS];

	box->sched.changed = 0;
	for_each_set_bit(ctr, &changed, SNBEP_NR_CTRS) {
		struct snbep_event *se = snbep_box_target(box, ctr);

		if (se == box->hw[ctr])
			continue;
		if (se)
			start |= BIT(ctr);
		if (box->hw[ctr])
			stop |= BIT(ctr);
	}

	if (start || stop)
		snbep_box_write_frz(box, box->frozen ||
				    snbep_box_wants_freeze(box, stop, start));

	for_each_set_bit(ctr, &stop, SNBEP_NR_CTRS) {
		val[ctr] = snbep_box_stop_ctr(box, ctr);
		if (!(start & BIT(ctr))) {
			snbep_box_write_ctl(box, ctr, 0);
			box->hw[ctr] = NULL;
			box->used &= ~BIT(ctr);
		}
	}
	/* No event counts with the filter of another. */
	if (box->filters_dirty)
		snbep_box_write_filters(box);
	for_each_set_bit(ctr, &start, SNBEP_NR_CTRS) {
		if (!(stop & BIT(ctr)))
			val[ctr] = snbep_box_idle_val(box, ctr);
		if (val[ctr] == SNBEP_LOST) {
			snbep_box_lost(box);
			return;
		}
		snbep_box_start_ctr(box, ctr, val[ctr]);
	}
	if (box->used) {
		snbep_box_write_frz(box, false);
		snbep_box_start_poll(box);
	}
	box->fast_cpu = box->frozen ? -1 : box->cpu;
}

static void snbep_box_changed(struct snbep_box *box)
{
	if (!box->sched.changed || box->deferred)
		return;
	raw_spin_lock(&box->lock);
	if (!box->gone)
		__snbep_box_apply(box);
	/* Events may go now: nothing looks at them through the box. */
	if (unlikely(box->gone)) {
		memset(box->hw, 0, sizeof(box->hw));
		box->used = 0;
		box->fast_cpu = -1;
	}
	raw_spin_unlock(&box->lock);
}

/**
 * snbep_box_defer - changes come, write none before snbep_box_apply()
 * @box: the box
 *
 * Nests. Like all that follows but what reads, it is called from the CPU
 * that the box belongs to, with interrupts off.
 */
void snbep_box_defer(struct snbep_box *box)
{
	box->deferred++;
}

/**
 * snbep_box_apply - make the registers what the schedule says
 * @box: the box
 *
 * Ends one snbep_box_defer(); the outermost writes.
 */
void snbep_box_apply(struct snbep_box *box)
{
	/* perf may have begun before the box came to this CPU */
	if (box->deferred & ~SNBEP_MOVING)
		box->deferred--;
	snbep_box_changed(box);
}

/* A register that runs by itself: only the event starts and stops */
static void snbep_box_run_free(struct snbep_box *box, struct snbep_event *se,
			       bool run)
{
	raw_spin_lock(&box->lock);
	if (se->run)
		snbep_box_update(box, se, true);
	else if (run && !((box->deferred & SNBEP_MOVING) && se->prev))
		se->prev = box->backend->read(box, se->addr, true, 0);
	se->run = run;
	/* An NMI that reads it here finds both, or nothing. */
	smp_store_release(&se->live, run);
	/* One that is stopped, and not on its way, is to begin anew. */
	if (!run && !(box->deferred & SNBEP_MOVING))
		se->prev = 0;
	raw_spin_unlock(&box->lock);
}

/**
 * snbep_box_add - give an event its place in a box
 * @box: the box
 * @se: the event
 * @run: let it count
 *
 * Return: 0, or -EAGAIN if there is no room for it now, or none for events of
 * this CPU.
 */
int snbep_box_add(struct snbep_box *box, struct snbep_event *se, bool run)
{
	const struct snbep_box_type *type = box->pmu->type;

	if (!snbep_box_is_here(box))
		return -EAGAIN;
	if (se->free) {
		snbep_box_run_free(box, se, run);
		return 0;
	}
	if (snbep_sched_add(&box->sched, type->filters, type->nr_filters,
			    &se->want) != SNBEP_SCHED_OK)
		return -EAGAIN;
	if (se->want.filters)
		box->filters_dirty = true;
	se->run = run;
	snbep_box_changed(box);
	return 0;
}

/*
 * The box goes to the other CPU as the last event leaves this one, so that no
 * two CPUs change it at a time: the other has events too as soon as some are
 * opened there.
 */
static void snbep_box_hand_over(struct snbep_box *box)
{
	unsigned int to = READ_ONCE(box->socket->cpu);
	unsigned int ctr;

	for (ctr = 0; ctr < SNBEP_NR_CTRS; ctr++) {
		if (box->sched.on[ctr])
			return;
	}
	if (box->cpu == to)
		return;
	/* This CPU's pmu_enable() will find nothing to undo. */
	box->deferred = SNBEP_MOVING;
	/* a reader of a third CPU may be about to copy box->cpu to fast_cpu */
	raw_spin_lock(&box->lock);
	box->fast_cpu = -1;
	/* after all that this CPU did to the box; pairs with snbep_box_is_here() */
	smp_store_release(&box->cpu, to);
	raw_spin_unlock(&box->lock);
}

/**
 * snbep_box_del - take an event out of its box
 * @box: the box
 * @se: the event; its count is final after the next snbep_box_apply()
 */
void snbep_box_del(struct snbep_box *box, struct snbep_event *se)
{
	const struct snbep_box_type *type = box->pmu->type;

	if (se->free) {
		snbep_box_run_free(box, se, false);
		return;
	}
	se->run = false;
	snbep_sched_del(&box->sched, type->filters, type->nr_filters,
			&se->want);
	if (se->want.filters)
		box->filters_dirty = true;
	snbep_box_changed(box);
	if (unlikely(box->deferred & SNBEP_MOVING))
		snbep_box_hand_over(box);
}

/**
 * snbep_box_run - let an event that has its place count, or not
 * @box: the box
 * @se: the event
 * @run: count
 */
void snbep_box_run(struct snbep_box *box, struct snbep_event *se, bool run)
{
	if (se->free) {
		snbep_box_run_free(box, se, run);
		return;
	}
	se->run = run;
	box->sched.changed |= BIT(se->want.ctr);
	snbep_box_changed(box);
}

/* A group is read at one instant: freeze the box at its first member */
static void snbep_box_freeze_group(struct snbep_box *box,
				   struct snbep_event *se)
{
	/* one that counts alone has no company to be early or late for */
	if (box->frozen || se->free || !(box->used & (box->used - 1)) ||
	    !snbep_in_group(se))
		return;
	snbep_box_write_frz(box, true);
	box->txn_froze = box->frozen;
}

static noinline void snbep_box_read_slow(struct snbep_box *box,
					 struct snbep_event *se)
{
	/*
	 * An NMI may have come while this CPU holds the lock; the count is then
	 * as of the last look.
	 */
	if (!in_nmi())
		raw_spin_lock(&box->lock);
	else if (!raw_spin_trylock(&box->lock))
		return;
	if (se->live && !box->gone) {
		if (box->txn_read)
			snbep_box_freeze_group(box, se);
		snbep_box_update(box, se, !box->frozen);
	}
	raw_spin_unlock(&box->lock);
}

/**
 * snbep_box_read - bring the count of an event up to date
 * @event: the event
 *
 * Any CPU of the socket, with interrupts off. perf lets one CPU at a time do
 * this or change the box, but BPF programs may read from others. So they take
 * the lock; the CPU that changes the box need not, as it cannot interrupt
 * itself.
 */
void snbep_box_read(struct perf_event *event)
{
	struct snbep_event *se = to_snbep_event(event);
	struct snbep_box *box = se->box;

	if (likely(smp_processor_id() == box->fast_cpu && se->live))
		snbep_box_update(box, se, true);
	else
		snbep_box_read_slow(box, se);
}

/**
 * snbep_box_read_begin - the next reads are of a group
 * @box: the box; frozen at the first of them, if more than one counter runs
 */
void snbep_box_read_begin(struct snbep_box *box)
{
	box->txn_read = true;
	box->fast_cpu = -1;
}

/**
 * snbep_box_read_end - the group has been read
 * @box: the box
 */
void snbep_box_read_end(struct snbep_box *box)
{
	raw_spin_lock(&box->lock);
	box->txn_read = false;
	if (box->txn_froze)
		snbep_box_write_frz(box, false);
	box->txn_froze = false;
	if (!box->gone && !box->frozen)
		box->fast_cpu = box->cpu;
	raw_spin_unlock(&box->lock);
}

/**
 * snbep_box_forget - before an event is freed
 * @box: the box
 * @se: the event, which perf took off while the box was moving to another CPU,
 *	so that its counter was not stopped yet
 * @here: this is a CPU of the socket, which can stop it
 */
void snbep_box_forget(struct snbep_box *box, struct snbep_event *se, bool here)
{
	unsigned long flags;
	unsigned int ctr;

	raw_spin_lock_irqsave(&box->lock, flags);
	for (ctr = 0; ctr < SNBEP_NR_CTRS; ctr++) {
		if (box->hw[ctr] != se)
			continue;
		if (here && !box->gone)
			snbep_box_write_ctl(box, ctr, 0);
		box->hw[ctr] = NULL;
		box->used &= ~BIT(ctr);
	}
	se->live = false;
	raw_spin_unlock_irqrestore(&box->lock, flags);
}

/**
 * snbep_box_release - leave an unused box as it was found
 * @box: the box; its counters and filters are cleared with their last user
 */
void snbep_box_release(struct snbep_box *box)
{
	raw_spin_lock(&box->lock);
	if (!box->gone && box->frozen)
		snbep_box_write_frz(box, false);
	raw_spin_unlock(&box->lock);
}

/**
 * snbep_box_stop_poll - before the events of a box move to another CPU
 * @box: the box
 */
void snbep_box_stop_poll(struct snbep_box *box)
{
	unsigned long flags;

	hrtimer_cancel(&box->timer);
	raw_spin_lock_irqsave(&box->lock, flags);
	box->polled = false;
	box->fast_cpu = -1;
	raw_spin_unlock_irqrestore(&box->lock, flags);
}

/**
 * snbep_box_move_begin - the events of this CPU are going to that of the socket
 * @box: the box; its registers stay as they are until snbep_box_move_end()
 */
void snbep_box_move_begin(struct snbep_box *box)
{
	box->deferred |= SNBEP_MOVING;
	snbep_box_hand_over(box);
}

/**
 * snbep_box_move_end - the events have moved to this CPU
 * @box: the box
 */
void snbep_box_move_end(struct snbep_box *box)
{
	box->deferred &= ~SNBEP_MOVING;
	snbep_box_changed(box);
}

/**
 * snbep_box_alloc - a box that was found
 * @pmu: the PMU that it belongs to
 * @socket: the socket that it is in
 * @pdev: its PCI function, or NULL
 * @filter_pdev: that of its filters, or NULL
 *
 * Return: the box, or NULL if there is no memory.
 */
struct snbep_box *snbep_box_alloc(struct snbep_pmu *pmu,
				  struct snbep_socket *socket,
				  struct pci_dev *pdev,
				  struct pci_dev *filter_pdev)
{
	struct snbep_box *box = kzalloc(sizeof(*box), GFP_KERNEL);

	if (!box)
		return NULL;
	box->pmu = pmu;
	box->backend = pmu->type->backend;
	box->socket = socket;
	box->pdev = pci_dev_get(pdev);
	box->filter_pdev = pci_dev_get(filter_pdev);
	box->cpu = socket->cpu;
	box->fast_cpu = -1;
	box->msr_base = pmu->instance * pmu->type->regs.stride;
	raw_spin_lock_init(&box->lock);
	hrtimer_init(&box->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	box->timer.function = snbep_box_poll;
	return box;
}

/**
 * snbep_box_free - forget a box
 * @box: the box, without events
 */
void snbep_box_free(struct snbep_box *box)
{
	hrtimer_cancel(&box->timer);
	pci_dev_put(box->filter_pdev);
	pci_dev_put(box->pdev);
	kfree(box);
}
