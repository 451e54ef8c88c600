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
 * Who may change what. The CPU that the box belongs to (box.cpu) changes
 * everything below, always with interrupts off, so that it does not interrupt
 * itself; and it does so with the lock held wherever another CPU could look.
 * Other CPUs of the socket only read counts, and freeze the box for a group
 * read: they hold the lock for both. Only while events migrate do two CPUs
 * have events in a box; then neither writes a register, and the box passes on
 * with the last event of the old one.
 *
 * A read can come at any point of this: in an NMI, or because a tracepoint or
 * a probe in the access of a register has a sample taken. So a CPU that holds
 * the lock of any box says so in snbep_locking, and a read that comes in between
 * takes no lock: the count is then as of the last look.
 *
 * States of a box:
 *
 *   UNTOUCHED --first use--> RUNNING <--group read begins, ends--> READING
 *                             ^   |                                   |
 *                 enable(), in|   |enable(), for as long        first |
 *              use again      |   v as it writes               member |
 *                            FROZEN                                   v
 *                                       RUNNING <--read ends-- READING_FROZEN
 *
 * FROZEN also is where a box stays whose last events were stopped while it was
 * frozen. Any state becomes DEAD when the box does not answer any more, and
 * DEAD is the end.
 */
#include <linux/indirect_call_wrapper.h>
#include <linux/slab.h>

#include "snbep/box.h"
#include "snbep/hotplug.h"
#include "snbep/pmus.h"
#include "snbep/regs.h"
#include "snbep_uncore.h"

/**
 * enum snbep_state - what a box is doing
 * @SNBEP_UNTOUCHED: nothing was written since it was found
 * @SNBEP_RUNNING: its counters count what their controls say
 * @SNBEP_READING: the same, and a group is being read: the first of its members
 *	freezes the box
 * @SNBEP_READING_FROZEN: frozen by a group read
 * @SNBEP_FROZEN: frozen by the CPU that changes it
 * @SNBEP_DEAD: it does not answer any more
 */
enum snbep_state {
	SNBEP_UNTOUCHED,
	SNBEP_RUNNING,
	SNBEP_READING,
	SNBEP_READING_FROZEN,
	SNBEP_FROZEN,
	SNBEP_DEAD,
};

/**
 * struct snbep_counters - the inside of a box
 * @box: what others know of it
 * @backend: of its type
 * @lock: against CPUs that read
 * @state: what it is doing
 * @fast_cpu: box.cpu while it may read without the lock, else -1
 * @disabled: how many calls of snbep_box_disable() want changes written later
 * @migrating: its events are on their way to another CPU
 * @sched: what perf wants on which counter; its @changed are those that the
 *	registers may not show yet
 * @hw: what each counter counts
 * @used: bit n set if counter n counts
 * @ctl: what each control register holds
 * @ctl_known: control registers that @ctl is true of
 * @filter: what each filter register holds, once written
 * @filter_known: the filter registers have been written
 * @filters_changed: filters came or went since the registers were written
 */
struct snbep_counters {
	struct snbep_box box;
	const struct snbep_backend *backend;
	raw_spinlock_t lock;
	enum snbep_state state;
	int fast_cpu;
	unsigned int disabled;
	bool migrating;
	struct snbep_sched sched;
	struct snbep_event *hw[SNBEP_NR_CTRS];
	u8 used;
	u8 ctl_known;
	bool filter_known;
	bool filters_changed;
	u32 ctl[SNBEP_NR_CTRS];
	u32 filter[SNBEP_NR_FILTER_REGS];
};

/* How many locks of boxes this CPU has, or is waiting for */
static DEFINE_PER_CPU(unsigned int, snbep_locking);

static struct snbep_counters *to_counters(struct snbep_box *box)
{
	return container_of(box, struct snbep_counters, box);
}

/* With interrupts off */
static void snbep_lock_box(struct snbep_counters *c)
{
	/* A read on this CPU finds this, or the lock is not yet taken. */
	this_cpu_inc(snbep_locking);
	raw_spin_lock(&c->lock);
}

static void snbep_unlock_box(struct snbep_counters *c)
{
	raw_spin_unlock(&c->lock);
	this_cpu_dec(snbep_locking);
}

static bool snbep_is_frozen(const struct snbep_counters *c)
{
	return c->state == SNBEP_FROZEN || c->state == SNBEP_READING_FROZEN;
}

static void snbep_set_state(struct snbep_counters *c, enum snbep_state state)
{
	c->state = state;
	c->fast_cpu = state == SNBEP_RUNNING ? c->box.cpu : -1;
}

/* What counter @ctr should count now */
static struct snbep_event *snbep_target(struct snbep_counters *c,
					unsigned int ctr)
{
	struct match_item *item = c->sched.on[ctr];
	struct snbep_event *se;

	if (!item)
		return NULL;
	se = container_of(item, struct snbep_event, want.ctr);
	return se->started ? se : NULL;
}

/*
 * Freeze or unfreeze the box. The first write to a box also resets it: nobody
 * knows what the firmware or another tool left there.
 */
static void snbep_write_state(struct snbep_counters *c, enum snbep_state state)
{
	const struct snbep_box_type *type = c->box.pmu->type;
	u32 val = SNBEP_PMON_BOX_CTL_FRZ_EN;
	bool was_frozen = snbep_is_frozen(c);
	bool untouched = c->state == SNBEP_UNTOUCHED;

	if (c->state == SNBEP_DEAD)
		return;
	if (!type->regs.box_ctl)
		state = SNBEP_RUNNING;
	snbep_set_state(c, state);
	if (!type->regs.box_ctl ||
	    (!untouched && snbep_is_frozen(c) == was_frozen))
		return;
	if (snbep_is_frozen(c))
		val |= SNBEP_PMON_BOX_CTL_FRZ;
	if (untouched) {
		val |= type->box_ctl_reset;
		c->ctl_known = type->box_ctl_reset ? U8_MAX : 0;
	}
	c->backend->write_box_ctl(&c->box, val);
}

static void snbep_write_ctl(struct snbep_counters *c, unsigned int ctr, u32 val)
{
	if (c->ctl[ctr] == val && (c->ctl_known & BIT(ctr)))
		return;
	c->backend->write_ctl(&c->box, ctr, val);
	c->ctl[ctr] = val;
	c->ctl_known |= BIT(ctr);
}

static void snbep_set_dead(struct snbep_counters *c)
{
	if (c->state == SNBEP_DEAD)
		return;
	snbep_set_state(c, SNBEP_DEAD);
	WRITE_ONCE(c->box.dead, true);
	pr_warn("%s: socket %d does not answer any more; its counts stand still\n",
		c->box.pmu->name, c->box.socket->pkg);
}

/*
 * Bring a count up to date; @running: the counter may count meanwhile. What
 * one reader has added another does not add again: it finds that @prev has
 * changed. One more try is enough then. If that fails too, somebody began to
 * read the counter and was done with it after we began, which is as good. And
 * it has to be enough: each try may be what makes the other read.
 */
static __always_inline void snbep_update(struct snbep_counters *c,
					 struct snbep_event *se, bool running)
{
	atomic_long_t *prev = snbep_event_prev(se);
	long old = atomic_long_read(prev);
	unsigned int tries = 2;
	u64 val;

	do {
		val = INDIRECT_CALL_2(c->backend->read, snbep_pci_read,
				      snbep_msr_read, &c->box, se->addr,
				      running, old);
		if (unlikely(val == SNBEP_NO_VALUE)) {
			snbep_set_dead(c);
			return;
		}
		if (likely(atomic_long_try_cmpxchg(prev, &old, val))) {
			/* local64_add() would be for this CPU alone. */
			atomic_long_add(((val - old) << se->shift) >> se->shift,
					&to_perf_event(se)->count.a.a);
			return;
		}
	} while (--tries);
}

static void snbep_write_filters(struct snbep_counters *c)
{
	const struct snbep_box_type *type = c->box.pmu->type;
	unsigned int i;

	for (i = 0; i < SNBEP_NR_FILTER_REGS; i++) {
		u32 val = c->sched.filter[i / 2] >> (i % 2 * 32);

		if (!type->regs.filter[i] ||
		    (c->filter_known && c->filter[i] == val))
			continue;
		c->backend->write_filter(&c->box, i, val);
		c->filter[i] = val;
	}
	c->filter_known = true;
	c->filters_changed = false;
}

static bool snbep_in_group(struct snbep_event *se)
{
	return se && to_perf_event(se)->group_leader->nr_siblings;
}

/*
 * Whether counters change together and have to do so at one instant: those of
 * a group, or more than one that passes from one event to another, where
 * freezing is also the cheaper way.
 */
static bool snbep_wants_freeze(struct snbep_counters *c, unsigned int stop,
			       unsigned int start)
{
	unsigned int ctr, grouped = 0;

	if (!((stop | start) & ((stop | start) - 1)))
		return false;
	/* An event on its way from one counter to another misses nothing. */
	for (ctr = 0; stop && start && ctr < SNBEP_NR_CTRS; ctr++) {
		if ((start & BIT(ctr)) && snbep_target(c, ctr)->active)
			return true;
	}
	/* No more than one stops, and no more than one starts. */
	if (!(stop & (stop - 1)) && !(start & (start - 1)))
		return false;
	for (ctr = 0; ctr < SNBEP_NR_CTRS; ctr++) {
		if ((stop & BIT(ctr)) && snbep_in_group(c->hw[ctr]))
			grouped++;
		if ((start & BIT(ctr)) && snbep_in_group(snbep_target(c, ctr)))
			grouped++;
	}
	return grouped > 1 || hweight8(stop & start) > 1;
}

/* Stop the event on @ctr, and return where the counter stands. */
static u64 snbep_stop_ctr(struct snbep_counters *c, unsigned int ctr)
{
	if (!snbep_is_frozen(c))
		snbep_write_ctl(c, ctr, 0);
	snbep_update(c, c->hw[ctr], false);
	c->hw[ctr]->active = false;
	return atomic_long_read(snbep_event_prev(c->hw[ctr]));
}

/*
 * Where an idle counter stands. Others may have written it since it was last
 * used, and without reset bits in the box control it may even be running.
 */
static u64 snbep_idle_val(struct snbep_counters *c, unsigned int ctr)
{
	if (!(c->ctl_known & BIT(ctr)))
		snbep_write_ctl(c, ctr, 0);
	return c->backend->read(&c->box, c->backend->ctr(&c->box, ctr), false,
				0);
}

/* Start the event that is to have @ctr, which stands at @val. */
static void snbep_start_ctr(struct snbep_counters *c, unsigned int ctr, u64 val)
{
	const struct snbep_box_type *type = c->box.pmu->type;
	struct snbep_event *se = snbep_target(c, ctr);

	atomic_long_set(snbep_event_prev(se), val);
	se->addr = c->backend->ctr(&c->box, ctr);
	se->shift = 64 - (ctr == SNBEP_FIXED_CTR ? type->fixed_width :
						   type->width);
	/* An NMI that reads it here finds all of the above, or nothing. */
	smp_store_release(&se->active, true);
	c->hw[ctr] = se;
	c->used |= BIT(ctr);
	snbep_write_ctl(c, ctr, se->want.ctl | SNBEP_PMON_CTL_EN);
}

/* Make the registers what the schedule says. */
static void snbep_apply(struct snbep_counters *c)
{
	unsigned long changed = c->sched.changed, stop = 0, start = 0;
	u64 val[SNBEP_NR_CTRS];
	unsigned int ctr;

	c->sched.changed = 0;
	for_each_set_bit(ctr, &changed, SNBEP_NR_CTRS) {
		struct snbep_event *se = snbep_target(c, ctr);

		if (se == c->hw[ctr])
			continue;
		if (se)
			start |= BIT(ctr);
		if (c->hw[ctr])
			stop |= BIT(ctr);
	}

	if (start || stop)
		snbep_write_state(c, snbep_is_frozen(c) ||
				  snbep_wants_freeze(c, stop, start) ?
				  SNBEP_FROZEN : SNBEP_RUNNING);

	for_each_set_bit(ctr, &stop, SNBEP_NR_CTRS) {
		val[ctr] = snbep_stop_ctr(c, ctr);
		if (!(start & BIT(ctr))) {
			snbep_write_ctl(c, ctr, 0);
			c->hw[ctr] = NULL;
			c->used &= ~BIT(ctr);
		}
	}
	/* No event counts with the filter of another. */
	if (c->filters_changed)
		snbep_write_filters(c);
	for_each_set_bit(ctr, &start, SNBEP_NR_CTRS) {
		if (!(stop & BIT(ctr)))
			val[ctr] = snbep_idle_val(c, ctr);
		if (val[ctr] == SNBEP_NO_VALUE) {
			snbep_set_dead(c);
			return;
		}
		snbep_start_ctr(c, ctr, val[ctr]);
	}
	if (c->used) {
		snbep_write_state(c, SNBEP_RUNNING);
		snbep_start_poll(&c->box);
	}
}

/* Events may go now: nothing looks at them through a dead box. */
static void snbep_drop_events(struct snbep_counters *c)
{
	memset(c->hw, 0, sizeof(c->hw));
	c->used = 0;
}

static void snbep_changed(struct snbep_counters *c)
{
	if (!c->sched.changed || c->disabled || c->migrating)
		return;
	snbep_lock_box(c);
	if (c->state != SNBEP_DEAD)
		snbep_apply(c);
	if (unlikely(c->state == SNBEP_DEAD))
		snbep_drop_events(c);
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

/**
 * snbep_box_add - give an event its place in a box
 * @box: the box
 * @se: the event
 * @start: let it count
 *
 * Return: 0, or -EAGAIN if there is no room for it now, or none for events of
 * this CPU.
 */
int snbep_box_add(struct snbep_box *box, struct snbep_event *se, bool start)
{
	const struct snbep_box_type *type = box->pmu->type;
	struct snbep_counters *c = to_counters(box);

	if (!snbep_box_is_here(box))
		return -EAGAIN;
	if (snbep_sched_add(&c->sched, type->filters, type->nr_filters,
			    &se->want) != SNBEP_SCHED_OK)
		return -EAGAIN;
	if (se->want.filters)
		c->filters_changed = true;
	se->started = start;
	snbep_changed(c);
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
	c->fast_cpu = -1;
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

	se->started = false;
	snbep_sched_del(&c->sched, type->filters, type->nr_filters, &se->want);
	if (se->want.filters)
		c->filters_changed = true;
	snbep_changed(c);
	if (unlikely(c->migrating))
		snbep_hand_over(c);
}

static void snbep_set_started(struct snbep_box *box, struct snbep_event *se,
			      bool started)
{
	struct snbep_counters *c = to_counters(box);

	se->started = started;
	c->sched.changed |= BIT(se->want.ctr.at);
	snbep_changed(c);
}

/**
 * snbep_box_start - let an event that has its place count
 * @box: the box
 * @se: the event
 */
void snbep_box_start(struct snbep_box *box, struct snbep_event *se)
{
	snbep_set_started(box, se, true);
}

/**
 * snbep_box_stop - let an event keep its place without counting
 * @box: the box
 * @se: the event
 */
void snbep_box_stop(struct snbep_box *box, struct snbep_event *se)
{
	snbep_set_started(box, se, false);
}

static noinline void snbep_read_slow(struct snbep_counters *c,
				     struct snbep_event *se)
{
	unsigned long flags;

	if (this_cpu_read(snbep_locking))
		return;
	local_irq_save(flags);
	snbep_lock_box(c);
	if (se->active && c->state != SNBEP_DEAD) {
		/*
		 * A group is read at one instant. One counter alone needs no
		 * freeze for that.
		 */
		if (c->state == SNBEP_READING && (c->used & (c->used - 1)) &&
		    snbep_in_group(se))
			snbep_write_state(c, SNBEP_READING_FROZEN);
		snbep_update(c, se, !snbep_is_frozen(c));
	}
	snbep_unlock_box(c);
	local_irq_restore(flags);
}

/**
 * snbep_box_read - bring the count of an event up to date
 * @event: the event
 *
 * perf lets one CPU at a time do this or change the box, but BPF programs may
 * read from others. So they take the lock. The CPU that changes the box need
 * not: it changes nothing meanwhile.
 */
void snbep_box_read(struct perf_event *event)
{
	struct snbep_event *se = to_snbep_event(event);
	struct snbep_counters *c = to_counters(se->box);

	if (likely(smp_processor_id() == c->fast_cpu && se->active))
		snbep_update(c, se, true);
	else
		snbep_read_slow(c, se);
}

/**
 * snbep_box_read_begin - the next reads are of a group
 * @box: the box; frozen at the first of them, if more than one counter runs
 */
void snbep_box_read_begin(struct snbep_box *box)
{
	struct snbep_counters *c = to_counters(box);

	snbep_lock_box(c);
	if (c->state == SNBEP_RUNNING)
		snbep_set_state(c, SNBEP_READING);
	snbep_unlock_box(c);
}

/**
 * snbep_box_read_end - the group has been read
 * @box: the box
 */
void snbep_box_read_end(struct snbep_box *box)
{
	struct snbep_counters *c = to_counters(box);

	snbep_lock_box(c);
	if (c->state == SNBEP_READING || c->state == SNBEP_READING_FROZEN)
		snbep_write_state(c, SNBEP_RUNNING);
	snbep_unlock_box(c);
}

/**
 * snbep_box_poll - look at all counters of a box
 * @box: the box
 *
 * Return: whether there are any to be looked at again.
 */
bool snbep_box_poll(struct snbep_box *box)
{
	struct snbep_counters *c = to_counters(box);
	unsigned long used;
	unsigned int ctr;

	snbep_lock_box(c);
	used = c->state == SNBEP_DEAD ? 0 : c->used;
	for_each_set_bit(ctr, &used, SNBEP_NR_CTRS)
		snbep_update(c, c->hw[ctr], true);
	snbep_unlock_box(c);
	return used;
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
 * snbep_box_unfreeze - leave an unused box as it was found
 * @box: the box; its counters and filters are cleared with their last user
 */
void snbep_box_unfreeze(struct snbep_box *box)
{
	struct snbep_counters *c = to_counters(box);

	snbep_lock_box(c);
	if (snbep_is_frozen(c))
		snbep_write_state(c, SNBEP_RUNNING);
	snbep_unlock_box(c);
}

/**
 * snbep_box_pause - before the events of a box migrate to another CPU
 * @box: the box; nobody reads it without the lock any more
 */
void snbep_box_pause(struct snbep_box *box)
{
	struct snbep_counters *c = to_counters(box);
	unsigned long flags;

	local_irq_save(flags);
	snbep_lock_box(c);
	c->fast_cpu = -1;
	snbep_unlock_box(c);
	local_irq_restore(flags);
}

/**
 * snbep_box_migrate_begin - the events of this CPU are going to the socket's
 * @box: the box; its registers stay as they are until snbep_box_migrate_end()
 */
void snbep_box_migrate_begin(struct snbep_box *box)
{
	struct snbep_counters *c = to_counters(box);

	c->migrating = true;
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
	c->state = SNBEP_UNTOUCHED;
	c->fast_cpu = -1;
	raw_spin_lock_init(&c->lock);
	c->box.pmu = pmu;
	c->box.socket = socket;
	c->box.pdev = pci_dev_get(pdev);
	c->box.filter_pdev = pci_dev_get(filter_pdev);
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
	pci_dev_put(box->filter_pdev);
	pci_dev_put(box->pdev);
	kfree(to_counters(box));
}
