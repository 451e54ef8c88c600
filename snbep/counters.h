/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The inside of a box: its states, and who may change what. For box.c (what
 * perf wants), count.c (what the counters say) and state.c (what the registers
 * hold) only; the rest of the driver sees box.h.
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
 *
 * A counter that moves does not show that its control or filter is another's
 * now. So an event's last look compares them as well, unless that was done or
 * all was written a moment before (SNBEP_TRUST_STOP), and a read does so if it
 * was longer ago (SNBEP_TRUST_READ), as to do it each time would double what a
 * read costs. Once another program was noticed, a read compares as often as a
 * stop does.
 */
#ifndef SNBEP_COUNTERS_H
#define SNBEP_COUNTERS_H

#include <linux/irq_work.h>
#include <linux/percpu.h>

#include "snbep/box.h"
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
#define SNBEP_NEWS_FILTERS	3
#define SNBEP_NEWS_SAMPLES	4

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
 * @companions: how many events in it look at what counter 0 counts
 * @hw: what each counter counts
 * @used: bit n set if counter n counts
 * @idle: where each idle counter stands
 * @idle_known: counters that @idle is true of, if they are idle
 * @checked: the time stamp counter when the registers were last compared, or
 *	all written
 * @trust: for how long a read takes them to be the same after that, in cycles of
 *	the time stamp counter
 * @ctl: what each control register holds
 * @ctl_known: control registers that @ctl is true of
 * @filter: what each filter register holds
 * @filter_known: filter registers that @filter is true of
 * @filter_left: filter registers that we wrote, and did not clear since
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
	u8 companions;
	u8 used;
	u8 idle_known;
	u8 ctl_known;
	u8 filter_known;
	u8 filter_left;
	u64 idle[SNBEP_NR_CTRS];
	u64 checked;
	u64 trust;
	u32 ctl[SNBEP_NR_CTRS];
	u32 filter[SNBEP_NR_FILTER_REGS];
	unsigned long news;
	unsigned long told;
	struct irq_work tell;
};

/* How many locks of boxes this CPU has, or is waiting for */
DECLARE_PER_CPU(unsigned int, snbep_locking);

static inline struct snbep_counters *to_counters(struct snbep_box *box)
{
	return container_of(box, struct snbep_counters, box);
}

/* With interrupts off */
static inline void snbep_lock_box(struct snbep_counters *c)
	__acquires(&c->lock)
{
	/* A read on this CPU finds this, or the lock is not yet taken. */
	this_cpu_inc(snbep_locking);
	raw_spin_lock(&c->lock);
}

static inline void snbep_unlock_box(struct snbep_counters *c)
	__releases(&c->lock)
{
	raw_spin_unlock(&c->lock);
	this_cpu_dec(snbep_locking);
}

static inline bool snbep_is_frozen(const struct snbep_counters *c)
{
	return c->state == SNBEP_FROZEN || c->state == SNBEP_READING_FROZEN;
}

static inline void snbep_set_state(struct snbep_counters *c,
				   enum snbep_state state)
{
	c->state = state;
	/* snbep_box_read() looks without the lock. */
	WRITE_ONCE(c->fast_cpu, state == SNBEP_RUNNING ? READ_ONCE(c->box.cpu) :
							 -1);
}

/*
 * What was written is taken to be there for so many cycles: 1.2 s to 2.4 s on
 * the E5-2600 by a read, and a sixteenth of that as an event stops, so that
 * events that take turns each few milliseconds pay for it now and then only.
 */
#define SNBEP_TRUST_READ	BIT_ULL(32)
#define SNBEP_TRUST_STOP	BIT_ULL(28)

/*
 * Whether it is time to compare the registers: @now is the time stamp counter,
 * @trust one of the above
 */
static inline bool snbep_is_due(const struct snbep_counters *c, u64 now,
				u64 trust)
{
	return now - READ_ONCE(c->checked) > trust;
}

static inline bool snbep_in_group(struct snbep_event *se)
{
	return to_perf_event(se)->group_leader->nr_siblings;
}

static inline bool snbep_same_group(struct snbep_event *a,
				    struct snbep_event *b)
{
	return to_perf_event(a)->group_leader == to_perf_event(b)->group_leader;
}

/* snbep/state.c */
void snbep_tell(struct irq_work *work);
void snbep_say(struct snbep_counters *c, unsigned int news);
void snbep_set_dead(struct snbep_counters *c);
void snbep_write_box_ctl(struct snbep_counters *c, enum snbep_state state,
			 u32 reset);
void snbep_write_state(struct snbep_counters *c, enum snbep_state state);
void snbep_begin(struct snbep_counters *c, enum snbep_state state);
void snbep_write_ctl(struct snbep_counters *c, unsigned int ctr, u32 val);
void snbep_write_filters(struct snbep_counters *c, u16 filters,
			 const u64 *value);
bool snbep_is_intact(struct snbep_counters *c, u8 *foreign);
bool snbep_go_on(struct snbep_counters *c);

/* snbep/box.c */
bool snbep_cannot_sample(struct snbep_box *box, struct snbep_event *se);

/* snbep/count.c */
enum snbep_look snbep_stop_ctr(struct snbep_counters *c, unsigned int ctr,
			       bool foreign);
void snbep_start_ctr(struct snbep_counters *c, unsigned int ctr,
		     struct snbep_event *se);
void snbep_retake(struct snbep_counters *c, u8 foreign);

#endif /* SNBEP_COUNTERS_H */
