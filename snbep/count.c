// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the counters of a box say: how a counter starts, is read and stops, what
 * it cannot have counted by itself, and what is done then.
 */
#include <linux/timex.h>

#include "snbep/counters.h"
#include "snbep/pmus.h"
#include "snbep/regs.h"

/*
 * A counter that moved by no more than this since the last look is above
 * suspicion. A fast one gets there in some milliseconds.
 */
#define SNBEP_NO_LEAP	BIT_ULL(24)

/*
 * No clock of the uncore is faster than this many times the time stamp counter,
 * which goes at the processor's nominal frequency: 1.8 GHz or more on all
 * E5-2600, while the uncore has 4 GHz at most.
 */
#define SNBEP_CLOCK_RATIO	4

/* A counter that has not moved for so many cycles, about a second, is looked at. */
#define SNBEP_QUIET	BIT_ULL(31)

/* How many locks of boxes this CPU has, or is waiting for */
DEFINE_PER_CPU(unsigned int, snbep_locking);

/* Whether a counter can have moved by @delta since the last look */
static noinline bool snbep_is_plausible(struct snbep_event *se, u64 delta)
{
	u64 elapsed = get_cycles() - snbep_event_seen(se);
	u64 limit = BIT_ULL(63 - se->shift);

	if (!READ_ONCE(snbep_check_counts))
		return true;
	/*
	 * Half of its range is more than any counter moves between two looks, see
	 * SNBEP_POLL_NS. Looks that are closer to each other have a closer limit.
	 * The product fits into 64 bits then.
	 */
	if (elapsed < BIT_ULL(40))
		limit = min(limit, elapsed * se->max_inc * SNBEP_CLOCK_RATIO +
				   SNBEP_NO_LEAP);
	return delta <= limit;
}

/* A function that goes between the two dwords of a counter makes it leap. */
static noinline bool snbep_is_gone(struct snbep_counters *c,
				   struct snbep_event *se)
{
	return c->box.pdev &&
	       snbep_read_ctr(&c->box, se->addr, false, 0) == SNBEP_NO_VALUE;
}

/*
 * Whether the control of the counter still is the event's. Another program may
 * have given the counter to an event that comes far more often, a clock even.
 * If it was only disabled, what it counted before is the event's.
 */
static noinline bool snbep_has_control(struct snbep_counters *c,
				       struct snbep_event *se)
{
	u32 val;

	/* No event comes more often than a clock; and a stopped counter stays. */
	if (se->clock || !(c->ctl[se->ctr] & SNBEP_PMON_CTL_EN))
		return true;
	/* It was looked at a moment ago. */
	if (get_cycles() - READ_ONCE(c->checked) < SNBEP_NO_LEAP)
		return true;
	val = c->backend->read_ctl(&c->box, se->ctr);
	/* A function that went away; the next look at the counter will say so. */
	if (c->box.pdev && PCI_POSSIBLE_ERROR(val))
		return true;
	return !((val ^ c->ctl[se->ctr]) & c->box.pmu->type->known[0]);
}

/*
 * Bring a count up to date; @running: the counter may count meanwhile; @now: the
 * time stamp counter before the read, so that it is never too late for the next.
 *
 * Several may do so at one time. Each adds what the counter has more than @prev,
 * and begins anew if another has changed @prev meanwhile, so that nothing is added
 * twice. Two tries are enough. The reader that spoils the first one may have read
 * the counter before this call began. The one that spoils the second cannot: it
 * found the @prev that the other had left, and read the counter after that. So the
 * event has all that was counted before this call, as soon as the others have added
 * theirs too. More tries might never end: if a
 * tracepoint in the access of a register has the event read, it spoils each of them.
 */
static __always_inline enum snbep_look
snbep_update(struct snbep_counters *c, struct snbep_event *se, bool running,
	     u64 now)
{
	atomic_long_t *prev = snbep_event_prev(se);
	long old = atomic_long_read(prev);
	unsigned int tries = 2;
	u64 val, delta;

	do {
		val = snbep_read_ctr(&c->box, se->addr, running, old);
		if (unlikely(val == SNBEP_NO_VALUE)) {
			snbep_set_dead(c);
			break;
		}
		delta = ((val - old) << se->shift) >> se->shift;
		if (unlikely(!delta))
			return now - snbep_event_seen(se) > SNBEP_QUIET ?
			       SNBEP_LOOK_QUIET : SNBEP_LOOK_GOOD;
		/* If it is not, another reader may have brought @prev up to date. */
		if (unlikely(delta > SNBEP_NO_LEAP) &&
		    (!snbep_is_plausible(se, delta) ||
		     !snbep_has_control(c, se)) &&
		    atomic_long_read(prev) == old) {
			if (!snbep_is_gone(c, se))
				return SNBEP_LOOK_LEAP;
			snbep_set_dead(c);
			break;
		}
		if (likely(atomic_long_try_cmpxchg(prev, &old, val))) {
			/* local64_add() would be for this CPU alone. */
			atomic_long_add(delta, &to_perf_event(se)->count.a.a);
			snbep_set_event_seen(se, now);
			break;
		}
	} while (--tries);
	return SNBEP_LOOK_GOOD;
}

/* A user who has mapped the event finds its count and times there. */
static void snbep_update_page(struct snbep_event *se)
{
	struct perf_event *event = to_perf_event(se);

	if (unlikely(READ_ONCE(event->rb)))
		perf_event_update_userpage(event);
}

/**
 * snbep_stop_ctr - stop the event on a counter, and note where that stands
 * @c: the box, locked
 * @ctr: the counter
 * @foreign: it has counted something else since the last look
 *
 * Return: SNBEP_LOOK_LEAP if what it counted last is not known.
 */
enum snbep_look snbep_stop_ctr(struct snbep_counters *c, unsigned int ctr,
			       bool foreign)
{
	struct snbep_event *se = c->hw[ctr];
	enum snbep_look look = SNBEP_LOOK_LEAP;

	if (!snbep_is_frozen(c))
		snbep_write_ctl(c, ctr, 0);
	if (likely(!foreign))
		look = snbep_update(c, se, false, get_cycles());
	se->active = false;
	snbep_update_page(se);
	c->idle[ctr] = atomic_long_read(snbep_event_prev(se));
	/* After a leap nobody knows where the counter stands. */
	if (look == SNBEP_LOOK_LEAP)
		c->idle_known &= ~BIT(ctr);
	else
		c->idle_known |= BIT(ctr);
	return look;
}

/*
 * Where a counter stands that nobody has read before. One that is read in two
 * halves, the lower first, has carried in between only if that half was so near
 * its end that the counter can have got there meanwhile. Then it is read again,
 * against the first value. The time stamp counter of an emulator is no measure.
 */
static u64 snbep_read_first(struct snbep_counters *c, struct snbep_event *se)
{
	u64 then = get_cycles();
	u64 val = snbep_read_ctr(&c->box, se->addr, false, 0);
	u64 most;

	most = (get_cycles() - then) * se->max_inc * SNBEP_CLOCK_RATIO;
	if (!c->box.pdev || (likely(READ_ONCE(snbep_check_counts)) &&
			     likely(lower_32_bits(val) + most <= U32_MAX)))
		return val;
	return snbep_read_ctr(&c->box, se->addr, true, val);
}

/**
 * snbep_start_ctr - have a counter count an event
 * @c: the box, locked; dead afterwards if it does not answer
 * @ctr: the counter
 * @se: the event
 *
 * Where a counter stands that was not reset or stopped by us is read once it
 * counts the event: it may have counted something else.
 */
void snbep_start_ctr(struct snbep_counters *c, unsigned int ctr,
		     struct snbep_event *se)
{
	const struct snbep_box_type *type = c->box.pmu->type;
	u32 ctl = se->want.ctl | SNBEP_PMON_CTL_EN;
	u64 val = c->idle[ctr];

	se->ctr = ctr;
	se->addr = c->backend->ctr(&c->box, ctr);
	se->shift = 64 - (ctr == SNBEP_FIXED_CTR ? type->fixed_width :
						   type->width);
	snbep_set_event_seen(se, get_cycles());
	if (!(c->idle_known & BIT(ctr))) {
		snbep_write_ctl(c, ctr, ctl);
		val = snbep_read_first(c, se);
		if (val == SNBEP_NO_VALUE) {
			snbep_set_dead(c);
			return;
		}
	}
	atomic_long_set(snbep_event_prev(se), val);
	/* A read that comes in between finds all of the above, or nothing. */
	smp_store_release(&se->active, true);
	snbep_update_page(se);
	c->hw[ctr] = se;
	c->used |= BIT(ctr);
	if (unlikely(c->box.filters_lost) && se->want.filters) {
		/* Not without its filter; snbep_verify() finds it stopped. */
		snbep_write_ctl(c, ctr, 0);
		c->ctl[ctr] = ctl;
		snbep_say(c, SNBEP_NEWS_FILTERS);
	}
	snbep_write_ctl(c, ctr, ctl);
}

/*
 * Set up all registers of a box that is in use, and count from here: for the events
 * that count, which are not those of the schedule while perf changes that.
 */
static void snbep_restore(struct snbep_counters *c)
{
	unsigned long used = c->used;
	u64 value[2] = { 0, 0 };
	unsigned int ctr;
	u16 filters = 0;

	if (unlikely(c->box.filters_lost))
		snbep_pci_resume(&c->box);
	snbep_begin(c, SNBEP_FROZEN);
	for_each_set_bit(ctr, &used, SNBEP_NR_CTRS) {
		filters |= c->hw[ctr]->want.filters;
		value[0] |= c->hw[ctr]->want.filter[0];
		value[1] |= c->hw[ctr]->want.filter[1];
	}
	snbep_write_filters(c, filters, value);
	for_each_set_bit(ctr, &used, SNBEP_NR_CTRS) {
		c->hw[ctr]->active = false;
		snbep_start_ctr(c, ctr, c->hw[ctr]);
	}
	snbep_write_state(c, SNBEP_RUNNING);
}

/**
 * snbep_retake - another program wrote to the box: set it up again
 * @c: the box, locked; what is sure of its counts is kept
 * @foreign: counters that have counted something else since the last look
 */
void snbep_retake(struct snbep_counters *c, u8 foreign)
{
	unsigned long sure = c->used & ~foreign;
	enum snbep_state state = c->state;
	unsigned int ctr;

	if (!c->box.filters_lost)
		snbep_say(c, SNBEP_NEWS_DISTURBED);
	if (!snbep_is_frozen(c))
		snbep_write_box_ctl(c, SNBEP_FROZEN, 0);
	for_each_set_bit(ctr, &sure, SNBEP_NR_CTRS)
		snbep_update(c, c->hw[ctr], !snbep_is_frozen(c), get_cycles());
	if (c->state == SNBEP_DEAD)
		return;
	snbep_restore(c);
	/* A group read goes on, of a box that is not frozen. */
	if (state == SNBEP_READING || state == SNBEP_READING_FROZEN)
		snbep_write_state(c, SNBEP_READING);
}

/*
 * See to it that a box in use counts: compare the registers with what they
 * should hold, and write those that cannot be compared.
 */
static void snbep_verify(struct snbep_counters *c)
{
	u8 foreign;

	if (!snbep_is_intact(c, &foreign))
		snbep_retake(c, foreign);
	else if (!snbep_is_frozen(c) && snbep_go_on(c))
		snbep_say(c, SNBEP_NEWS_DISTURBED);
}

/* Look at a counter in use, and see to it that it counts. */
static void snbep_look(struct snbep_counters *c, struct snbep_event *se)
{
	u64 now = get_cycles();
	u8 foreign;

	if (snbep_is_due(c, now, c->trust) && !snbep_is_intact(c, &foreign))
		snbep_retake(c, foreign);
	if (c->state == SNBEP_DEAD)
		return;
	now = get_cycles();
	switch (snbep_update(c, se, !snbep_is_frozen(c), now)) {
	case SNBEP_LOOK_GOOD:
		break;
	case SNBEP_LOOK_QUIET:
		/* Not again for as long. */
		snbep_set_event_seen(se, now);
		snbep_verify(c);
		break;
	case SNBEP_LOOK_LEAP:
		snbep_retake(c, 0);
		break;
	}
}

static noinline void snbep_read_slow(struct snbep_counters *c,
				     struct snbep_event *se)
{
	unsigned long flags;

	if (this_cpu_read(snbep_locking) || (c->box.pdev && !c->box.map &&
					     in_nmi()))
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
		snbep_look(c, se);
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
	u64 now = get_cycles();

	if (likely(smp_processor_id() == READ_ONCE(c->fast_cpu) &&
		   se->active) &&
	    likely(!snbep_is_due(c, now, READ_ONCE(c->trust))) &&
	    likely(snbep_update(c, se, true, now) == SNBEP_LOOK_GOOD))
		return;
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
 * snbep_box_poll - look at all counters of a box, and at its controls
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
	/* The controls first: a count is good only if its control was. */
	if (used)
		snbep_verify(c);
	for_each_set_bit(ctr, &used, SNBEP_NR_CTRS)
		snbep_look(c, c->hw[ctr]);
	snbep_unlock_box(c);
	return used;
}

/**
 * snbep_box_suspend - the registers may be lost from here on
 * @box: the box
 */
void snbep_box_suspend(struct snbep_box *box)
{
	struct snbep_counters *c = to_counters(box);
	unsigned long used;
	unsigned int ctr;

	snbep_lock_box(c);
	used = c->state == SNBEP_DEAD ? 0 : c->used;
	for_each_set_bit(ctr, &used, SNBEP_NR_CTRS)
		snbep_update(c, c->hw[ctr], true, get_cycles());
	snbep_unlock_box(c);
}

/*
 * The sleep took the mapped page away: events that samples must not read any more
 * stand still, although perf keeps them on.
 */
static void snbep_drop_sampled(struct snbep_counters *c)
{
	unsigned long used = c->used;
	unsigned int ctr;

	for_each_set_bit(ctr, &used, SNBEP_NR_CTRS) {
		if (!snbep_cannot_sample(&c->box, c->hw[ctr]))
			continue;
		c->hw[ctr]->active = false;
		c->hw[ctr] = NULL;
		c->used &= ~BIT(ctr);
		snbep_say(c, SNBEP_NEWS_SAMPLES);
	}
}

/**
 * snbep_box_resume - set the registers up again, whatever they hold
 * @box: the box; its events go on from the counts that they have
 */
void snbep_box_resume(struct snbep_box *box)
{
	struct snbep_counters *c = to_counters(box);

	snbep_lock_box(c);
	if (box->pdev)
		snbep_pci_resume(box);
	snbep_drop_sampled(c);
	if (c->used && c->state != SNBEP_DEAD)
		snbep_restore(c);
	snbep_unlock_box(c);
}
