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
 *   RUNNING <--group read begins, ends--> READING
 *     ^  |                                   | first member
 *     |  | enable(), for as long             v
 *     |  v as it writes                READING_FROZEN --read ends--> RUNNING
 *   FROZEN
 *
 * FROZEN also is where a box without reset bits stays whose last events were
 * stopped while it was frozen. Any state becomes DEAD when the box does not
 * answer any more, and DEAD is the end.
 *
 * Others write these registers, too: firmware, a tool that knows nothing of
 * perf. So nothing is believed of a box that no event of ours counts in: its
 * first event has the box control written, with a reset where there is one, and
 * then all registers that it needs. While a box is in use, what was written is
 * taken to be there, until a count says otherwise: it moved by more than the
 * counter can have counted since the last look, or it has not moved for a
 * second. Then, and once a minute, the registers are compared with what they
 * should hold (snbep_is_intact()), and set up again if need be.
 */
#include <linux/io.h>
#include <linux/irq_work.h>
#include <linux/slab.h>
#include <linux/timex.h>

#include "snbep/box.h"
#include "snbep/hotplug.h"
#include "snbep/pmus.h"
#include "snbep/regs.h"
#include "snbep_uncore.h"

/**
 * enum snbep_state - what a box is doing
 * @SNBEP_RUNNING: its counters count what their controls say
 * @SNBEP_READING: the same, and a group is being read: the first of its members
 *	freezes the box
 * @SNBEP_READING_FROZEN: frozen by a group read
 * @SNBEP_FROZEN: frozen by the CPU that changes it
 * @SNBEP_DEAD: it does not answer any more
 */
enum snbep_state {
	SNBEP_RUNNING,
	SNBEP_READING,
	SNBEP_READING_FROZEN,
	SNBEP_FROZEN,
	SNBEP_DEAD,
};

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

/* What a look at a counter says */
enum snbep_look {
	SNBEP_LOOK_GOOD,
	SNBEP_LOOK_QUIET,	/* it has not moved for long */
	SNBEP_LOOK_LEAP,	/* it moved by more than it can have counted */
};

/* What the log is to be told, once it can be: in snbep_counters.news */
#define SNBEP_NEWS_DEAD		0
#define SNBEP_NEWS_DISTURBED	1
#define SNBEP_NEWS_COUNTER0	2

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
 * @idle: where each idle counter stands
 * @idle_known: counters that @idle is true of
 * @ctl: what each control register holds
 * @ctl_known: control registers that @ctl is true of
 * @filter: what each filter register holds
 * @filter_known: filter registers that @filter is true of
 * @filter_left: filter registers that we wrote, and did not clear since
 * @filters_changed: filters came since the registers were written
 * @news: SNBEP_NEWS_* bits, of what there is to say
 * @told: SNBEP_NEWS_* bits, of what has been said
 * @tell: says it
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
	u8 idle_known;
	u8 ctl_known;
	u8 filter_known;
	u8 filter_left;
	bool filters_changed;
	u64 idle[SNBEP_NR_CTRS];
	u32 ctl[SNBEP_NR_CTRS];
	u32 filter[SNBEP_NR_FILTER_REGS];
	unsigned long news;
	unsigned long told;
	struct irq_work tell;
};

/* How many locks of boxes this CPU has, or is waiting for */
static DEFINE_PER_CPU(unsigned int, snbep_locking);

static struct snbep_counters *to_counters(struct snbep_box *box)
{
	return container_of(box, struct snbep_counters, box);
}

/* With interrupts off */
static void snbep_lock_box(struct snbep_counters *c) __acquires(&c->lock)
{
	/* A read on this CPU finds this, or the lock is not yet taken. */
	this_cpu_inc(snbep_locking);
	raw_spin_lock(&c->lock);
}

static void snbep_unlock_box(struct snbep_counters *c) __releases(&c->lock)
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

/* The log may take locks that this CPU holds, so it is told afterwards. */
static void snbep_tell(struct irq_work *work)
{
	struct snbep_counters *c = container_of(work, struct snbep_counters,
						tell);
	struct snbep_box *box = &c->box;

	if (test_and_clear_bit(SNBEP_NEWS_DEAD, &c->news))
		pr_warn("%s: socket %d does not answer any more; its counts stand still\n",
			box->pmu->name, box->socket->pkg);
	if (test_and_clear_bit(SNBEP_NEWS_DISTURBED, &c->news))
		pr_warn("%s: socket %d: another program writes the registers of this box; counting goes on, but what happened since the last look is not counted\n",
			box->pmu->name, box->socket->pkg);
	if (test_and_clear_bit(SNBEP_NEWS_COUNTER0, &c->news))
		pr_notice("%s: an event that sees the occupancy that counter 0 counts is not counted: put it into a group with an event that counts on counter 0 alone, such as tor_occupancy\n",
			  box->pmu->name);
}

static void snbep_say(struct snbep_counters *c, unsigned int news)
{
	if (test_and_set_bit(news, &c->told))
		return;
	set_bit(news, &c->news);
	irq_work_queue(&c->tell);
}

static void snbep_set_dead(struct snbep_counters *c)
{
	if (c->state == SNBEP_DEAD)
		return;
	snbep_set_state(c, SNBEP_DEAD);
	WRITE_ONCE(c->box.dead, true);
	snbep_say(c, SNBEP_NEWS_DEAD);
}

/*
 * Write the box control with @reset bits, whatever it holds. A box without one
 * cannot be frozen.
 */
static void snbep_write_box_ctl(struct snbep_counters *c,
				enum snbep_state state, u32 reset)
{
	const struct snbep_regs *regs = &c->box.pmu->type->regs;
	u32 val = SNBEP_PMON_BOX_CTL_FRZ_EN | reset;

	if (c->state == SNBEP_DEAD)
		return;
	snbep_set_state(c, regs->box_ctl ? state : SNBEP_RUNNING);
	if (!regs->box_ctl)
		return;
	if (snbep_is_frozen(c))
		val |= SNBEP_PMON_BOX_CTL_FRZ;
	c->backend->write_box_ctl(&c->box, val);
	if (!reset)
		return;
	memset(c->ctl, 0, sizeof(c->ctl));
	memset(c->idle, 0, sizeof(c->idle));
	c->ctl_known = U8_MAX;
	c->idle_known = U8_MAX;
}

/* Freeze or unfreeze the box, if it is not so already. */
static void snbep_write_state(struct snbep_counters *c, enum snbep_state state)
{
	bool frozen = state == SNBEP_FROZEN || state == SNBEP_READING_FROZEN;

	if (frozen != snbep_is_frozen(c))
		snbep_write_box_ctl(c, state, 0);
	else if (c->state != SNBEP_DEAD)
		snbep_set_state(c, state);
}

/* Forget what the registers held: others may have written them since. */
static void snbep_begin(struct snbep_counters *c, enum snbep_state state)
{
	c->ctl_known = 0;
	c->idle_known = 0;
	c->filter_known = 0;
	c->filters_changed = c->sched.filters;
	snbep_write_box_ctl(c, state, c->box.pmu->type->box_ctl_reset);
}

static void snbep_write_ctl(struct snbep_counters *c, unsigned int ctr, u32 val)
{
	if (c->ctl[ctr] == val && (c->ctl_known & BIT(ctr)))
		return;
	c->backend->write_ctl(&c->box, ctr, val);
	c->ctl[ctr] = val;
	c->ctl_known |= BIT(ctr);
}

/* Bits of filter register @reg that an event in the box depends on */
static u32 snbep_filter_needs(struct snbep_counters *c, unsigned int reg)
{
	const struct snbep_box_type *type = c->box.pmu->type;
	u64 mask = 0;
	unsigned int i;

	for (i = 0; i < type->nr_filters; i++) {
		if (c->sched.users[i])
			mask |= type->filters[i].mask[reg / 2];
	}
	return mask >> (reg % 2 * 32);
}

/*
 * Write the filters that events depend on. What others left in the rest has no
 * effect on them, and goes when the register is written for another reason.
 */
static void snbep_write_filters(struct snbep_counters *c)
{
	const struct snbep_box_type *type = c->box.pmu->type;
	unsigned int i;

	c->filters_changed = false;
	for (i = 0; i < SNBEP_NR_FILTER_REGS && type->regs.filter[i]; i++) {
		u32 val = c->sched.filter[i / 2] >> (i % 2 * 32);
		u32 needs = snbep_filter_needs(c, i);

		if (!needs || ((c->filter_known & BIT(i)) &&
			       !((c->filter[i] ^ val) & needs)))
			continue;
		c->backend->write_filter(&c->box, i, val);
		c->filter[i] = val;
		c->filter_known |= BIT(i);
		c->filter_left &= ~BIT(i);
		if (val)
			c->filter_left |= BIT(i);
	}
}

/* Whether a counter can have moved by @delta since the last look */
static noinline bool snbep_is_plausible(struct snbep_event *se, u64 delta)
{
	u64 elapsed = get_cycles() - snbep_event_seen(se);
	u64 limit = BIT_ULL(63 - se->shift);

	if (!READ_ONCE(snbep_check_counts))
		return true;
	/* In a minute no counter gets half round: see SNBEP_POLL_NS. */
	if (elapsed < BIT_ULL(40))
		limit = min(limit, elapsed * se->max_inc * SNBEP_CLOCK_RATIO +
				   SNBEP_NO_LEAP);
	return delta <= limit;
}

/*
 * Bring a count up to date; @running: the counter may count meanwhile. What
 * one reader has added another does not add again: it finds that @prev has
 * changed. One more try is enough then. If that fails too, somebody began to
 * read the counter and was done with it after we began, which is as good. And
 * it has to be enough: each try may be what makes the other read.
 */
static __always_inline enum snbep_look
snbep_update(struct snbep_counters *c, struct snbep_event *se, bool running)
{
	atomic_long_t *prev = snbep_event_prev(se);
	long old = atomic_long_read(prev);
	unsigned int tries = 2;
	u64 now, val, delta;

	do {
		/* Before the read, so that it is never too late for the next. */
		now = get_cycles();
		val = snbep_read_ctr(&c->box, se->addr, running, old);
		if (unlikely(val == SNBEP_NO_VALUE)) {
			snbep_set_dead(c);
			break;
		}
		delta = ((val - old) << se->shift) >> se->shift;
		if (unlikely(!delta))
			return now - snbep_event_seen(se) > SNBEP_QUIET ?
			       SNBEP_LOOK_QUIET : SNBEP_LOOK_GOOD;
		/* If it is none for us, it may be one that another has seen. */
		if (unlikely(delta > SNBEP_NO_LEAP) &&
		    !snbep_is_plausible(se, delta) &&
		    atomic_long_read(prev) == old)
			return SNBEP_LOOK_LEAP;
		if (likely(atomic_long_try_cmpxchg(prev, &old, val))) {
			/* local64_add() would be for this CPU alone. */
			atomic_long_add(delta, &to_perf_event(se)->count.a.a);
			snbep_set_event_seen(se, now);
			break;
		}
	} while (--tries);
	return SNBEP_LOOK_GOOD;
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

/* A user who has mapped the event finds its count and times there. */
static void snbep_update_page(struct snbep_event *se)
{
	struct perf_event *event = to_perf_event(se);

	if (unlikely(READ_ONCE(event->rb)))
		perf_event_update_userpage(event);
}

/* Stop the event on @ctr, and note where the counter stands. */
static enum snbep_look snbep_stop_ctr(struct snbep_counters *c,
				      unsigned int ctr)
{
	struct snbep_event *se = c->hw[ctr];
	enum snbep_look look;

	if (!snbep_is_frozen(c))
		snbep_write_ctl(c, ctr, 0);
	look = snbep_update(c, se, false);
	se->active = false;
	snbep_update_page(se);
	c->idle[ctr] = atomic_long_read(snbep_event_prev(se));
	/* After a leap nobody knows. */
	if (look == SNBEP_LOOK_LEAP)
		c->idle_known &= ~BIT(ctr);
	else
		c->idle_known |= BIT(ctr);
	return look;
}

/*
 * Have @ctr count @se. Where a counter stands that was not reset or stopped by
 * us is read once it counts the event: it may have counted something else. One
 * that is read in two halves has to stand still for that.
 */
static void snbep_start_ctr(struct snbep_counters *c, unsigned int ctr,
			    struct snbep_event *se)
{
	const struct snbep_box_type *type = c->box.pmu->type;
	u64 val = c->idle[ctr];

	se->addr = c->backend->ctr(&c->box, ctr);
	se->shift = 64 - (ctr == SNBEP_FIXED_CTR ? type->fixed_width :
						   type->width);
	snbep_set_event_seen(se, get_cycles());
	if (!(c->idle_known & BIT(ctr))) {
		snbep_write_ctl(c, ctr, c->box.pdev && !snbep_is_frozen(c) ? 0 :
				se->want.ctl | SNBEP_PMON_CTL_EN);
		val = snbep_read_ctr(&c->box, se->addr, false, 0);
		if (val == SNBEP_NO_VALUE) {
			snbep_set_dead(c);
			return;
		}
	}
	atomic_long_set(snbep_event_prev(se), val);
	c->idle_known &= ~BIT(ctr);
	/* A read that comes in between finds all of the above, or nothing. */
	smp_store_release(&se->active, true);
	snbep_update_page(se);
	c->hw[ctr] = se;
	c->used |= BIT(ctr);
	snbep_write_ctl(c, ctr, se->want.ctl | SNBEP_PMON_CTL_EN);
}

/* Set up all registers of a box that is in use, and count from here. */
static void snbep_restore(struct snbep_counters *c)
{
	unsigned long used = c->used;
	unsigned int ctr;

	snbep_begin(c, SNBEP_FROZEN);
	snbep_write_filters(c);
	for_each_set_bit(ctr, &used, SNBEP_NR_CTRS) {
		c->hw[ctr]->active = false;
		snbep_start_ctr(c, ctr, c->hw[ctr]);
	}
	snbep_write_state(c, SNBEP_RUNNING);
}

/* Whether the registers hold what was written to them */
static bool snbep_is_intact(struct snbep_counters *c)
{
	const struct snbep_backend *backend = c->backend;
	const struct snbep_box_type *type = c->box.pmu->type;
	u32 fields = type->known[0] | SNBEP_PMON_CTL_EN;
	unsigned long used = c->used;
	unsigned int i;
	u32 needs;

	for_each_set_bit(i, &used, SNBEP_NR_CTRS) {
		needs = i == SNBEP_FIXED_CTR ? SNBEP_PMON_CTL_EN : fields;
		if ((backend->read_ctl(&c->box, i) ^ c->ctl[i]) & needs)
			return false;
	}
	for (i = 0; i < SNBEP_NR_FILTER_REGS && type->regs.filter[i]; i++) {
		needs = snbep_filter_needs(c, i);
		if (needs && (c->filter_known & BIT(i)) &&
		    ((backend->read_filter(&c->box, i) ^ c->filter[i]) & needs))
			return false;
	}
	/*
	 * The box control need not read back, and is noise then. But nothing
	 * else than a freeze looks like this.
	 */
	return snbep_is_frozen(c) || !type->regs.box_ctl ||
	       (backend->read_box_ctl(&c->box) & ~SNBEP_PMON_BOX_CTL_FRZ_EN) !=
	       SNBEP_PMON_BOX_CTL_FRZ;
}

/* Another program wrote to the box: keep what is sure, and set it up again. */
static void snbep_retake(struct snbep_counters *c)
{
	unsigned long used = c->used;
	enum snbep_state state = c->state;
	unsigned int ctr;

	snbep_say(c, SNBEP_NEWS_DISTURBED);
	if (!snbep_is_frozen(c))
		snbep_write_box_ctl(c, SNBEP_FROZEN, 0);
	for_each_set_bit(ctr, &used, SNBEP_NR_CTRS)
		snbep_update(c, c->hw[ctr], !snbep_is_frozen(c));
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
	if (!snbep_is_intact(c))
		snbep_retake(c);
	else if (!snbep_is_frozen(c))
		snbep_write_box_ctl(c, c->state, 0);
}

/* Look at a counter in use, and see to it that it counts. */
static void snbep_look(struct snbep_counters *c, struct snbep_event *se)
{
	u64 now = get_cycles();

	switch (snbep_update(c, se, !snbep_is_frozen(c))) {
	case SNBEP_LOOK_GOOD:
		break;
	case SNBEP_LOOK_QUIET:
		/* Not again for as long. */
		snbep_set_event_seen(se, now);
		snbep_verify(c);
		break;
	case SNBEP_LOOK_LEAP:
		snbep_retake(c);
		break;
	}
}

/* Make the registers what the schedule says. */
static void snbep_apply(struct snbep_counters *c)
{
	const struct snbep_box_type *type = c->box.pmu->type;
	unsigned long changed = c->sched.changed, stop = 0, start = 0;
	enum snbep_state state = SNBEP_RUNNING;
	bool leap = false;
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
	if (!start && !stop)
		return;

	/*
	 * Where a counter stands that no reset clears is read at its start. It
	 * may come in two halves, so it should stand still.
	 */
	if (snbep_wants_freeze(c, stop, start) ||
	    (!c->used && !type->box_ctl_reset))
		state = SNBEP_FROZEN;
	if (!c->used)
		snbep_begin(c, state);
	else
		snbep_write_state(c, snbep_is_frozen(c) ? SNBEP_FROZEN : state);

	for_each_set_bit(ctr, &stop, SNBEP_NR_CTRS) {
		leap |= snbep_stop_ctr(c, ctr) == SNBEP_LOOK_LEAP;
		c->hw[ctr] = NULL;
		c->used &= ~BIT(ctr);
	}
	if (!c->used && !start && snbep_is_frozen(c) && type->box_ctl_reset) {
		/* One write, instead of one for each control. */
		snbep_write_box_ctl(c, SNBEP_RUNNING, type->box_ctl_reset);
		stop = 0;
	}
	for_each_set_bit(ctr, &stop, SNBEP_NR_CTRS) {
		if (!(start & BIT(ctr)))
			snbep_write_ctl(c, ctr, 0);
	}
	/* No event counts with the filter of another. */
	if (start && c->filters_changed)
		snbep_write_filters(c);
	for_each_set_bit(ctr, &start, SNBEP_NR_CTRS) {
		snbep_start_ctr(c, ctr, snbep_target(c, ctr));
		if (c->state == SNBEP_DEAD)
			return;
	}
	if (leap)
		snbep_say(c, SNBEP_NEWS_DISTURBED);
	if (!c->used)
		return;
	if (leap)
		snbep_retake(c);
	snbep_write_state(c, SNBEP_RUNNING);
	snbep_start_poll(&c->box);
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
	if (unlikely(se->counter0) && !snbep_has_counter0(se)) {
		snbep_say(c, SNBEP_NEWS_COUNTER0);
		return -EAGAIN;
	}
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

	if (likely(smp_processor_id() == c->fast_cpu && se->active) &&
	    likely(snbep_update(c, se, true) == SNBEP_LOOK_GOOD))
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
	for_each_set_bit(ctr, &used, SNBEP_NR_CTRS)
		snbep_look(c, c->hw[ctr]);
	if (used && c->state != SNBEP_DEAD)
		snbep_verify(c);
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
		snbep_update(c, c->hw[ctr], true);
	snbep_unlock_box(c);
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
	if (c->used && c->state != SNBEP_DEAD)
		snbep_restore(c);
	snbep_unlock_box(c);
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
 * snbep_box_clean_up - leave an unused box as it was found
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
	c->filter_left = 0;
	c->filter_known = 0;
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
	c->state = SNBEP_RUNNING;
	c->fast_cpu = -1;
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
