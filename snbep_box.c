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
#include <linux/slab.h>

#include "snbep_uncore.h"

/*
 * No counter wraps twice in this time: the fastest is 44 bits wide and counts
 * 32 a cycle (Table 2-122), which at 4 GHz takes 137 s.
 */
#define SNBEP_POLL_NS	(60 * NSEC_PER_SEC)

static struct snbep_event *to_snbep_event(struct snbep_want *w)
{
	return w ? container_of(w, struct snbep_event, want) : NULL;
}

/* What counter @ctr should count now */
static struct snbep_event *snbep_box_target(struct snbep_box *box,
					    unsigned int ctr)
{
	struct snbep_event *se = to_snbep_event(box->sched.on[ctr]);

	return se && se->run ? se : NULL;
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
	type->backend->write_box_ctl(box, val);
	box->ready = true;
	box->frozen = frz;
}

static void snbep_box_write_ctl(struct snbep_box *box, unsigned int ctr,
				u32 val)
{
	if (box->ctl[ctr] == val && (box->ctl_known & BIT(ctr)))
		return;
	box->pmu->type->backend->write_ctl(box, ctr, val);
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
	pr_warn("%s: socket %d does not answer any more; its counts stand still\n",
		box->pmu->name, box->socket->pkg);
}

/* Bring the count of the event on @ctr up to date */
static void snbep_box_update(struct snbep_box *box, unsigned int ctr,
			     bool running)
{
	struct snbep_event *se = box->hw[ctr];
	u64 val;

	if (box->gone)
		return;
	if (box->pmu->type->backend->read(box, ctr, running && !box->frozen,
					  se->prev, &val)) {
		snbep_box_lost(box);
		return;
	}
	local64_add((val - se->prev) & snbep_ctr_mask(box->pmu->type, ctr),
		    &se->event->count);
	se->prev = val;
}

static void snbep_box_write_filters(struct snbep_box *box)
{
	const struct snbep_box_type *type = box->pmu->type;
	unsigned int i, used = 0;

	for (i = 0; i < type->nr_filters; i++)
		used += box->sched.users[i];
	if (!used && !box->filter_known)
		return;
	for (i = 0; i < SNBEP_NR_FILTER_REGS; i++) {
		u32 val = box->sched.filter[i / 2] >> (i % 2 * 32);

		if (!type->regs.filter[i] ||
		    (box->filter_known && box->filter[i] == val))
			continue;
		type->backend->write_filter(box, i, val);
		box->filter[i] = val;
	}
	box->filter_known = true;
}

static bool snbep_in_group(struct snbep_event *se)
{
	return se && se->event->group_leader->nr_siblings;
}

static enum hrtimer_restart snbep_box_poll(struct hrtimer *timer)
{
	struct snbep_box *box = container_of(timer, struct snbep_box, timer);
	enum hrtimer_restart ret = HRTIMER_NORESTART;
	unsigned long flags;
	unsigned int ctr;

	raw_spin_lock_irqsave(&box->lock, flags);
	/* The timer of a CPU that went offline may fire on another. */
	if (smp_processor_id() != box->timer_cpu)
		goto out;
	for (ctr = 0; ctr < SNBEP_NR_CTRS; ctr++) {
		if (!box->hw[ctr])
			continue;
		snbep_box_update(box, ctr, true);
		ret = HRTIMER_RESTART;
	}
	if (ret == HRTIMER_RESTART)
		hrtimer_forward_now(timer, ns_to_ktime(SNBEP_POLL_NS));
	else
		box->timer_cpu = -1;
out:
	raw_spin_unlock_irqrestore(&box->lock, flags);
	return ret;
}

static void snbep_box_start_poll(struct snbep_box *box)
{
	if (box->timer_cpu == smp_processor_id())
		return;
	box->timer_cpu = smp_processor_id();
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
	snbep_box_update(box, ctr, false);
	return box->hw[ctr]->prev;
}

/*
 * Where an idle counter stands. Others may have written it since it was last
 * used, and without reset bits in the box control it may even be running.
 */
static int snbep_box_idle_val(struct snbep_box *box, unsigned int ctr, u64 *val)
{
	int ret;

	if (!(box->ctl_known & BIT(ctr)))
		snbep_box_write_ctl(box, ctr, 0);
	ret = box->pmu->type->backend->read(box, ctr, false, 0, val);
	if (ret)
		snbep_box_lost(box);
	return ret;
}

/* Start the event that is to have @ctr, which stands at @val */
static void snbep_box_start_ctr(struct snbep_box *box, unsigned int ctr,
				u64 val)
{
	struct snbep_event *se = snbep_box_target(box, ctr);

	se->prev = val;
	box->hw[ctr] = se;
	snbep_box_write_ctl(box, ctr, se->want.ctl | SNBEP_PMON_CTL_EN);
}

static void __snbep_box_apply(struct snbep_box *box)
{
	unsigned int ctr, stop = 0, start = 0, run = 0;
	u64 val[SNBEP_NR_CTRS];

	for (ctr = 0; ctr < SNBEP_NR_CTRS; ctr++) {
		struct snbep_event *se = snbep_box_target(box, ctr);

		if (se)
			run |= BIT(ctr);
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

	for (ctr = 0; ctr < SNBEP_NR_CTRS; ctr++) {
		if (stop & BIT(ctr))
			val[ctr] = snbep_box_stop_ctr(box, ctr);
		if (stop & ~start & BIT(ctr)) {
			snbep_box_write_ctl(box, ctr, 0);
			box->hw[ctr] = NULL;
		}
	}
	/* No event counts with the filter of another. */
	snbep_box_write_filters(box);
	for (ctr = 0; ctr < SNBEP_NR_CTRS; ctr++) {
		if (!(start & BIT(ctr)))
			continue;
		if (!(stop & BIT(ctr)) && snbep_box_idle_val(box, ctr, &val[ctr]))
			return;
		snbep_box_start_ctr(box, ctr, val[ctr]);
	}
	if (run) {
		snbep_box_write_frz(box, false);
		snbep_box_start_poll(box);
	}
}

static void snbep_box_changed(struct snbep_box *box)
{
	unsigned long flags;

	if (!box->dirty || box->deferred)
		return;
	box->dirty = false;
	raw_spin_lock_irqsave(&box->lock, flags);
	if (!box->gone)
		__snbep_box_apply(box);
	raw_spin_unlock_irqrestore(&box->lock, flags);
}

/**
 * snbep_box_defer - changes come, write none before snbep_box_apply()
 * @box: the box
 *
 * Nests. Like all that follows but snbep_box_read(), it is called from the CPU
 * that counts the box, with interrupts off.
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
	/* perf may have begun before the box was found */
	if (box->deferred)
		box->deferred--;
	snbep_box_changed(box);
}

/**
 * snbep_box_add - give an event its place in a box
 * @box: the box
 * @se: the event
 * @run: let it count
 *
 * Return: 0, or -EAGAIN if there is no room for it now.
 */
int snbep_box_add(struct snbep_box *box, struct snbep_event *se, bool run)
{
	const struct snbep_box_type *type = box->pmu->type;

	if (snbep_sched_add(&box->sched, type->filters, type->nr_filters,
			    &se->want) != SNBEP_SCHED_OK)
		return -EAGAIN;
	snbep_box_run(box, se, run);
	return 0;
}

/**
 * snbep_box_del - take an event out of its box
 * @box: the box
 * @se: the event; its count is final after the next snbep_box_apply()
 */
void snbep_box_del(struct snbep_box *box, struct snbep_event *se)
{
	const struct snbep_box_type *type = box->pmu->type;

	snbep_box_defer(box);
	snbep_box_run(box, se, false);
	snbep_sched_del(&box->sched, type->filters, type->nr_filters,
			&se->want);
	snbep_box_apply(box);
}

/**
 * snbep_box_run - let an event that has its place count, or not
 * @box: the box
 * @se: the event
 * @run: count
 */
void snbep_box_run(struct snbep_box *box, struct snbep_event *se, bool run)
{
	if (se->msr && run && !se->run) {
		if (snbep_msr_read_free(se->msr, &se->prev))
			snbep_box_lost(box);
	} else if (se->msr && !run && se->run) {
		snbep_box_read(box, se);
	}
	se->run = run;
	box->dirty = true;
	snbep_box_changed(box);
}

/**
 * snbep_box_read - bring the count of an event up to date
 * @box: the box
 * @se: the event
 */
void snbep_box_read(struct snbep_box *box, struct snbep_event *se)
{
	unsigned int ctr, running = 0;
	unsigned long flags;
	u64 val;

	raw_spin_lock_irqsave(&box->lock, flags);
	if (se->msr) {
		if (se->run && !snbep_msr_read_free(se->msr, &val)) {
			local64_add(val - se->prev, &se->event->count);
			se->prev = val;
		}
		goto out;
	}
	ctr = se->want.ctr;
	if (ctr >= SNBEP_NR_CTRS || box->hw[ctr] != se)
		goto out;
	if (box->txn_read && !box->frozen && snbep_in_group(se)) {
		for (ctr = 0; ctr < SNBEP_NR_CTRS; ctr++)
			running += !!box->hw[ctr];
		if (running > 1 && !box->gone) {
			snbep_box_write_frz(box, true);
			box->txn_froze = box->frozen;
		}
	}
	snbep_box_update(box, se->want.ctr, true);
out:
	raw_spin_unlock_irqrestore(&box->lock, flags);
}

/**
 * snbep_box_read_begin - the next reads are of a group
 * @box: the box; frozen at the first of them, if more than one counter runs
 */
void snbep_box_read_begin(struct snbep_box *box)
{
	box->txn_read = true;
}

/**
 * snbep_box_read_end - the group has been read
 * @box: the box
 */
void snbep_box_read_end(struct snbep_box *box)
{
	unsigned long flags;

	box->txn_read = false;
	if (!box->txn_froze)
		return;
	raw_spin_lock_irqsave(&box->lock, flags);
	box->txn_froze = false;
	snbep_box_write_frz(box, false);
	raw_spin_unlock_irqrestore(&box->lock, flags);
}

/**
 * snbep_box_release - leave an unused box as it was found
 * @box: the box; its counters and filters are cleared with their last user
 */
void snbep_box_release(struct snbep_box *box)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&box->lock, flags);
	if (!box->gone && box->frozen)
		snbep_box_write_frz(box, false);
	raw_spin_unlock_irqrestore(&box->lock, flags);
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
	box->timer_cpu = -1;
	raw_spin_unlock_irqrestore(&box->lock, flags);
}

/**
 * snbep_box_alloc - a box that was found
 * @pmu: the PMU that it belongs to
 * @socket: the socket that it is in
 *
 * Return: the box, or NULL if there is no memory.
 */
struct snbep_box *snbep_box_alloc(struct snbep_pmu *pmu,
				  struct snbep_socket *socket)
{
	struct snbep_box *box = kzalloc(sizeof(*box), GFP_KERNEL);

	if (!box)
		return NULL;
	box->pmu = pmu;
	box->socket = socket;
	box->timer_cpu = -1;
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
