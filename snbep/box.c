// SPDX-License-Identifier: GPL-2.0-only
/*
 * One box: from what perf wants to what the registers hold.
 *
 * perf adds and removes events between pmu_disable and pmu_enable. Nothing is
 * written in between; snbep_box_enable() then compares what each counter counts
 * with what it should, and touches only what differs. An event that is taken
 * off and put back, as perf does with all events of a CPU when one is added,
 * costs no access and loses no count.
 *
 * What may be done when, and by whom, stands in counters.h.
 */
#include <linux/io.h>
#include <linux/irq_work.h>
#include <linux/slab.h>

#include "snbep/counters.h"
#include "snbep/hotplug.h"
#include "snbep/pmus.h"
#include "snbep/regs.h"

/* What counter @ctr has been given to */
static struct snbep_event *snbep_wanted(struct snbep_counters *c,
					unsigned int ctr)
{
	struct match_item *item = c->sched.on[ctr];

	return item ? container_of(item, struct snbep_event, want.ctr) : NULL;
}

/*
 * What counter @ctr should count now. An event that looks at what counter 0
 * counts has nothing to see there once the other member of its group is gone,
 * which may be closed first. What comes to counter 0 then is another's.
 *
 * One that stands still since a sleep does so on another counter, too: see
 * snbep_drop_sampled().
 */
static struct snbep_event *snbep_target(struct snbep_counters *c,
					unsigned int ctr)
{
	struct snbep_event *se = snbep_wanted(c, ctr), *zero;

	if (se && unlikely(snbep_cannot_sample(&c->box, se)))
		return NULL;
	if (likely(!c->companions) || !se || !se->counter0)
		return se;
	zero = snbep_wanted(c, 0);
	if (zero && zero->want.ctr.may == BIT(0) && snbep_same_group(se, zero))
		return se;
	return NULL;
}

/*
 * Whether counters change together and have to do so at one instant: those of
 * a group, or more than one that passes from one event to another, where
 * freezing is also the cheaper way.
 */
static bool snbep_wants_freeze(struct snbep_counters *c, unsigned int stop,
			       unsigned int start)
{
	unsigned int ctr, stops = 0, starts = 0;

	for (ctr = 0; ctr < SNBEP_NR_CTRS; ctr++) {
		if (stop & BIT(ctr))
			stops += snbep_in_group(c->hw[ctr]);
		if (!(start & BIT(ctr)))
			continue;
		/* One that moves to another counter misses nothing meanwhile. */
		if (snbep_target(c, ctr)->active)
			return true;
		starts += snbep_in_group(snbep_target(c, ctr));
	}
	return stops > 1 || starts > 1 || hweight8(stop & start) > 1;
}

/* Make the registers what the schedule says. */
static void snbep_apply(struct snbep_counters *c)
{
	const struct snbep_box_type *type = c->box.pmu->type;
	unsigned long changed = c->sched.changed, stop = 0, start = 0;
	enum snbep_state state = SNBEP_RUNNING;
	unsigned int ctr;
	bool leap = false;
	u8 foreign = 0;

	c->sched.changed = 0;
	/* Whether they count depends on counter 0. */
	if (unlikely(c->companions))
		changed = GENMASK(SNBEP_NR_CTRS - 1, 0);
	for_each_set_bit(ctr, &changed, SNBEP_NR_CTRS) {
		struct snbep_event *se = snbep_target(c, ctr);

		if (se == c->hw[ctr])
			continue;
		if (se)
			start |= BIT(ctr);
		if (c->hw[ctr])
			stop |= BIT(ctr);
	}
	if (!start && !stop)
		return;

	if (snbep_wants_freeze(c, stop, start))
		state = SNBEP_FROZEN;
	/* A filter that is written below shows no more that it was another's. */
	if ((stop || (c->used && c->sched.filters)) &&
	    snbep_is_due(c, get_cycles(), SNBEP_TRUST_STOP))
		leap = !snbep_is_intact(c, &foreign);
	if (!c->used)
		snbep_begin(c, state);
	else
		snbep_write_state(c, snbep_is_frozen(c) ? SNBEP_FROZEN : state);

	/* From the last to the first: what looks at counter 0 stops before it. */
	for (ctr = SNBEP_NR_CTRS; ctr--;) {
		if (!(stop & BIT(ctr)))
			continue;
		leap |= snbep_stop_ctr(c, ctr, foreign & BIT(ctr)) ==
			SNBEP_LOOK_LEAP;
		c->hw[ctr] = NULL;
		c->used &= ~BIT(ctr);
	}
	if (!c->used && !start && snbep_is_frozen(c) && type->box_ctl_reset) {
		/* One write, instead of one for each control below. */
		snbep_write_box_ctl(c, SNBEP_RUNNING, type->box_ctl_reset);
	}
	for_each_set_bit(ctr, &stop, SNBEP_NR_CTRS) {
		if (!(start & BIT(ctr)))
			snbep_write_ctl(c, ctr, 0);
	}
	/* No event counts with the filter of another. */
	if (start)
		snbep_write_filters(c, c->sched.filters, c->sched.filter);
	for_each_set_bit(ctr, &start, SNBEP_NR_CTRS) {
		snbep_start_ctr(c, ctr, snbep_target(c, ctr));
		if (c->state == SNBEP_DEAD)
			return;
	}
	if (leap && likely(!c->box.filters_lost))
		snbep_say(c, SNBEP_NEWS_DISTURBED);
	if (!c->used)
		return;
	if (leap)
		snbep_retake(c, foreign);
	snbep_write_state(c, SNBEP_RUNNING);
	snbep_start_poll(&c->box);
}

static void snbep_changed(struct snbep_counters *c)
{
	if (!c->sched.changed || c->disabled || c->migrating)
		return;
	snbep_lock_box(c);
	if (c->state != SNBEP_DEAD)
		snbep_apply(c);
	snbep_unlock_box(c);
}

/**
 * snbep_box_disable - changes come, write none before snbep_box_enable()
 * @box: the box
 *
 * Nests. The counters go on with what they have.
 */
void snbep_box_disable(struct snbep_box *box)
{
	to_counters(box)->disabled++;
}

/**
 * snbep_box_enable - make the registers what perf wants
 * @box: the box
 *
 * Ends one snbep_box_disable(); the outermost writes.
 */
void snbep_box_enable(struct snbep_box *box)
{
	struct snbep_counters *c = to_counters(box);

	/* perf may have disabled it before the box came to this CPU. */
	if (c->disabled)
		c->disabled--;
	snbep_changed(c);
}

/* Whether the group of an event that looks at counter 0 has one that is there */
static bool snbep_has_counter0(struct snbep_event *se)
{
	struct perf_event *self = to_perf_event(se);
	struct perf_event *leader = self->group_leader;
	struct perf_event *event;

	if (leader->pmu == self->pmu &&
	    to_snbep_event(leader)->want.ctr.may == BIT(0))
		return true;
	for_each_sibling_event(event, leader) {
		if (event->pmu == self->pmu &&
		    to_snbep_event(event)->want.ctr.may == BIT(0))
			return true;
	}
	return false;
}

/**
 * snbep_cannot_sample - whether samples of an event's group must not read its box
 * @box: the box
 * @se: the event
 *
 * What takes samples may have joined a group that this event leads, or a sleep took
 * the mapped page away.
 *
 * Return: true if one could wait for a lock of its own CPU.
 */
bool snbep_cannot_sample(struct snbep_box *box, struct snbep_event *se)
{
	struct perf_event *leader = to_perf_event(se)->group_leader;
	struct perf_event *event;

	if (likely(!box->pdev || box->map))
		return false;
	if (snbep_pci_cannot_sample(box, leader))
		return true;
	for_each_sibling_event(event, leader) {
		if (snbep_pci_cannot_sample(box, event))
			return true;
	}
	return false;
}

/**
 * snbep_box_add - give an event its place in a box
 * @box: the box
 * @se: the event, which counts from the next snbep_box_enable() on: perf adds an
 *	event while the PMU is disabled
 *
 * Return: 0, or -EAGAIN if there is no room for it now, or none for events of
 * this CPU.
 */
int snbep_box_add(struct snbep_box *box, struct snbep_event *se)
{
	const struct snbep_box_type *type = box->pmu->type;
	struct snbep_counters *c = to_counters(box);

	if (!snbep_box_is_here(box))
		return -EAGAIN;
	if (unlikely(se->counter0) && !snbep_has_counter0(se)) {
		snbep_say(c, SNBEP_NEWS_COUNTER0);
		return -EAGAIN;
	}
	if (unlikely(snbep_cannot_sample(box, se))) {
		snbep_say(c, SNBEP_NEWS_SAMPLES);
		return -EAGAIN;
	}
	if (snbep_sched_add(&c->sched, type->filters, type->nr_filters,
			    &se->want) != SNBEP_SCHED_OK)
		return -EAGAIN;
	c->companions += se->counter0;
	return 0;
}

/*
 * The box goes to the other CPU as the last event leaves this one, so that no
 * two CPUs change it at a time: the other has events too as soon as some are
 * opened there.
 */
static void snbep_hand_over(struct snbep_counters *c)
{
	unsigned int to = READ_ONCE(c->box.socket->cpu);
	unsigned int ctr;

	for (ctr = 0; ctr < SNBEP_NR_CTRS; ctr++) {
		if (c->sched.on[ctr])
			return;
	}
	if (c->box.cpu == to)
		return;
	/* This CPU's snbep_box_enable() will find nothing to undo. */
	c->disabled = 0;
	/* A reader of a third CPU may be about to copy box.cpu to fast_cpu. */
	snbep_lock_box(c);
	WRITE_ONCE(c->fast_cpu, -1);
	/*
	 * After all that this CPU did to the box; pairs with
	 * snbep_box_is_here().
	 */
	smp_store_release(&c->box.cpu, to);
	snbep_unlock_box(c);
}

/**
 * snbep_box_del - take an event out of its box
 * @box: the box
 * @se: the event; its count is final after the next snbep_box_enable()
 */
void snbep_box_del(struct snbep_box *box, struct snbep_event *se)
{
	const struct snbep_box_type *type = box->pmu->type;
	struct snbep_counters *c = to_counters(box);

	c->companions -= se->counter0;
	snbep_sched_del(&c->sched, type->filters, type->nr_filters, &se->want);
	if (unlikely(c->migrating))
		snbep_hand_over(c);
}

/**
 * snbep_box_detach - before an event is freed
 * @box: the box
 * @se: the event, which perf took off while the box was migrating, so that its
 *	counter was not stopped yet
 * @here: this is a CPU of the socket, which can stop it
 */
void snbep_box_detach(struct snbep_box *box, struct snbep_event *se, bool here)
{
	struct snbep_counters *c = to_counters(box);
	unsigned long flags;
	unsigned int ctr;

	local_irq_save(flags);
	snbep_lock_box(c);
	for (ctr = 0; ctr < SNBEP_NR_CTRS; ctr++) {
		if (c->hw[ctr] != se)
			continue;
		if (here && c->state != SNBEP_DEAD)
			snbep_write_ctl(c, ctr, 0);
		c->hw[ctr] = NULL;
		c->used &= ~BIT(ctr);
	}
	se->active = false;
	snbep_unlock_box(c);
	local_irq_restore(flags);
}

/**
 * snbep_box_set_dead - note that a box is not there any more
 * @box: the box; its events keep the counts that they have
 */
void snbep_box_set_dead(struct snbep_box *box)
{
	struct snbep_counters *c = to_counters(box);
	unsigned long flags;

	local_irq_save(flags);
	snbep_lock_box(c);
	snbep_set_dead(c);
	snbep_unlock_box(c);
	local_irq_restore(flags);
}

/**
 * snbep_box_clean_up - leave a box as it was found, before it is freed
 * @box: the box; its counters are stopped already
 */
void snbep_box_clean_up(struct snbep_box *box)
{
	struct snbep_counters *c = to_counters(box);
	unsigned int i;

	snbep_lock_box(c);
	if (snbep_is_frozen(c))
		snbep_write_state(c, SNBEP_RUNNING);
	for (i = 0; i < SNBEP_NR_FILTER_REGS; i++) {
		if (c->state != SNBEP_DEAD && (c->filter_left & BIT(i)))
			c->backend->write_filter(box, i, 0);
	}
	snbep_unlock_box(c);
}

/**
 * snbep_box_migrate_begin - the events of this CPU are going to the socket's
 * @box: the box; its registers stay as they are until snbep_box_migrate_end()
 * @events: there are any. If not, this is all.
 */
void snbep_box_migrate_begin(struct snbep_box *box, bool events)
{
	struct snbep_counters *c = to_counters(box);

	c->migrating = events;
	snbep_hand_over(c);
}

/**
 * snbep_box_migrate_end - the events have migrated to this CPU
 * @box: the box
 */
void snbep_box_migrate_end(struct snbep_box *box)
{
	struct snbep_counters *c = to_counters(box);

	c->migrating = false;
	snbep_changed(c);
	snbep_lock_box(c);
	/* This CPU may read without the lock now. */
	snbep_set_state(c, c->state);
	if (c->used && c->state != SNBEP_DEAD)
		snbep_start_poll(box);
	snbep_unlock_box(c);
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
	struct snbep_counters *c = kzalloc(sizeof(*c), GFP_KERNEL);

	if (!c)
		return NULL;
	c->backend = pmu->type->backend;
	c->fast_cpu = -1;
	c->trust = SNBEP_TRUST_READ;
	init_irq_work(&c->tell, snbep_tell);
	raw_spin_lock_init(&c->lock);
	c->box.pmu = pmu;
	c->box.socket = socket;
	c->box.pdev = pci_dev_get(pdev);
	c->box.filter_pdev = pci_dev_get(filter_pdev);
	c->box.maps[0] = snbep_pci_map(pdev);
	c->box.maps[1] = snbep_pci_map(filter_pdev);
	c->box.map = c->box.maps[0];
	c->box.filter_map = c->box.maps[1];
	c->box.cpu = socket->cpu;
	c->box.msr_base = pmu->instance * pmu->type->regs.stride;
	return &c->box;
}

/**
 * snbep_box_free - forget a box
 * @box: the box, without events
 */
void snbep_box_free(struct snbep_box *box)
{
	unsigned int i;

	irq_work_sync(&to_counters(box)->tell);
	for (i = 0; i < ARRAY_SIZE(box->maps); i++) {
		if (box->maps[i])
			iounmap(box->maps[i]);
	}
	pci_dev_put(box->filter_pdev);
	pci_dev_put(box->pdev);
	kfree(to_counters(box));
}
