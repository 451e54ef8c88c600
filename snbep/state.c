// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the registers of a box hold: writes of them, none that changes nothing,
 * and the comparison with what was written.
 */
#include <linux/timex.h>

#include "snbep/counters.h"
#include "snbep/hotplug.h"
#include "snbep/pmus.h"
#include "snbep/regs.h"

/*
 * A box control that shows so many times what was written to it reads back. If
 * its two bits were noise, one of 2^32 would do so.
 */
#define SNBEP_BELIEF	16

/**
 * snbep_tell - put into the log what snbep_say() noted
 * @work: snbep_counters.tell
 *
 * The log may take locks that this CPU holds, so it is told afterwards.
 */
void snbep_tell(struct irq_work *work)
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
	if (test_and_clear_bit(SNBEP_NEWS_FILTERS, &c->news))
		pr_warn("%s: socket %d: after the sleep its packet filters are out of reach, as the firmware did not set up memory-mapped configuration space (MMCONFIG) again; events that need them stand still\n",
			box->pmu->name, box->socket->pkg);
	if (test_and_clear_bit(SNBEP_NEWS_SAMPLES, &c->news))
		pr_warn("%s: socket %d: an event is not counted, as samples of its group could read it in the middle of another access of configuration space, and wait for ever: memory-mapped configuration space (MMCONFIG) is off; leave out :S\n",
			box->pmu->name, box->socket->pkg);
	if (test_and_clear_bit(SNBEP_NEWS_COUNTER0, &c->news))
		pr_notice("%s: an event that sees the occupancy that counter 0 counts is not counted: put it into a group with an event that counts on counter 0 alone, such as tor_occupancy\n",
			  box->pmu->name);
}

/**
 * snbep_say - have the log told something, once in the life of the box
 * @c: the box
 * @news: SNBEP_NEWS_*. Once another program was noticed, reads look for it more
 *	often.
 */
void snbep_say(struct snbep_counters *c, unsigned int news)
{
	if (test_and_set_bit(news, &c->told))
		return;
	if (news == SNBEP_NEWS_DISTURBED)
		WRITE_ONCE(c->trust, SNBEP_TRUST_STOP);
	set_bit(news, &c->news);
	irq_work_queue(&c->tell);
}

/**
 * snbep_set_dead - the box does not answer, and is not asked again
 * @c: the box, locked by this CPU or on the CPU that changes it
 */
void snbep_set_dead(struct snbep_counters *c)
{
	if (c->state == SNBEP_DEAD)
		return;
	snbep_set_state(c, SNBEP_DEAD);
	WRITE_ONCE(c->box.dead, true);
	snbep_say(c, SNBEP_NEWS_DEAD);
}

/**
 * snbep_write_box_ctl - write the box control, whatever it holds
 * @c: the box, locked
 * @state: frozen or not. A box without a box control cannot be frozen.
 * @reset: SNBEP_PMON_BOX_CTL_RST_* bits
 */
void snbep_write_box_ctl(struct snbep_counters *c, enum snbep_state state,
			 u32 reset)
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

/**
 * snbep_write_state - freeze or unfreeze the box, if it is not so already
 * @c: the box, locked
 * @state: what it does from now on
 */
void snbep_write_state(struct snbep_counters *c, enum snbep_state state)
{
	bool frozen = state == SNBEP_FROZEN || state == SNBEP_READING_FROZEN;

	if (frozen != snbep_is_frozen(c))
		snbep_write_box_ctl(c, state, 0);
	else if (c->state != SNBEP_DEAD)
		snbep_set_state(c, state);
}

/**
 * snbep_begin - begin to use a box: others may have written its registers
 * @c: the box, locked
 * @state: what it does from now on
 */
void snbep_begin(struct snbep_counters *c, enum snbep_state state)
{
	WRITE_ONCE(c->checked, get_cycles());
	c->ctl_known = 0;
	c->idle_known = 0;
	c->filter_known = 0;
	snbep_write_box_ctl(c, state, c->box.pmu->type->box_ctl_reset);
}

/**
 * snbep_write_ctl - write the control of a counter, if it does not hold this
 * @c: the box, locked
 * @ctr: the counter, or SNBEP_FIXED_CTR
 * @val: all of the register
 */
void snbep_write_ctl(struct snbep_counters *c, unsigned int ctr, u32 val)
{
	if (c->ctl[ctr] == val && (c->ctl_known & BIT(ctr)))
		return;
	c->backend->write_ctl(&c->box, ctr, val);
	c->ctl[ctr] = val;
	c->ctl_known |= BIT(ctr);
}

/* What @filters, as SNBEP_F_*, have of filter register @reg */
static u32 snbep_filter_bits(struct snbep_counters *c, u16 filters,
			     unsigned int reg)
{
	const struct snbep_box_type *type = c->box.pmu->type;
	u64 mask = 0;
	unsigned int i;

	for (i = 0; i < type->nr_filters; i++) {
		if (filters & type->filters[i].flag)
			mask |= type->filters[i].mask[reg / 2];
	}
	return mask >> (reg % 2 * 32);
}

/**
 * snbep_write_filters - write the filters that some events depend on
 * @c: the box, locked
 * @filters: SNBEP_F_* of these filters
 * @value: their values, as config1 and config2 have them; other bits are 0
 *
 * The events are those that are scheduled, or those that count: between
 * snbep_box_disable() and snbep_box_enable() these are not the same.
 *
 * What others left in the rest has no effect on the events, and goes when the
 * register is written for another reason.
 */
void snbep_write_filters(struct snbep_counters *c, u16 filters,
			 const u64 *value)
{
	const struct snbep_box_type *type = c->box.pmu->type;
	unsigned int i;

	for (i = 0; i < SNBEP_NR_FILTER_REGS && type->regs.filter[i]; i++) {
		u32 val = value[i / 2] >> (i % 2 * 32);
		u32 needs = snbep_filter_bits(c, filters, i);

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

/**
 * snbep_is_intact - compare the registers with what was written to them
 * @c: the box, locked
 * @foreign: set to the counters whose control or filter holds something else
 *
 * The filters are those of events that count, which perf may have taken off
 * already. The box control is not looked at: see snbep_go_on().
 *
 * Return: whether nothing differs that the events in use depend on.
 */
bool snbep_is_intact(struct snbep_counters *c, u8 *foreign)
{
	const struct snbep_backend *backend = c->backend;
	const struct snbep_box_type *type = c->box.pmu->type;
	u32 fields = type->known[0] | SNBEP_PMON_CTL_EN;
	unsigned long used = c->used;
	unsigned int i, ctr;
	u16 filters = 0;
	u32 needs, val;

	*foreign = 0;
	WRITE_ONCE(c->checked, get_cycles());
	for_each_set_bit(i, &used, SNBEP_NR_CTRS) {
		filters |= c->hw[i]->want.filters;
		needs = i == SNBEP_FIXED_CTR ? SNBEP_PMON_CTL_EN : fields;
		val = backend->read_ctl(&c->box, i);
		/* A function that went away; the counter will say so. */
		if (c->box.pdev && PCI_POSSIBLE_ERROR(val))
			return true;
		if ((val ^ c->ctl[i]) & needs)
			*foreign |= BIT(i);
	}
	for (i = 0; i < SNBEP_NR_FILTER_REGS && type->regs.filter[i]; i++) {
		if (!snbep_filter_bits(c, filters, i))
			continue;
		val = backend->read_filter(&c->box, i) ^ c->filter[i];
		for_each_set_bit(ctr, &used, SNBEP_NR_CTRS) {
			needs = c->hw[ctr]->want.filters;
			if (val & snbep_filter_bits(c, needs, i))
				*foreign |= BIT(ctr);
		}
	}
	return !*foreign;
}

/* Bits of the box control that its type has; the others may be noise */
static u32 snbep_read_box_ctl(struct snbep_counters *c)
{
	return c->backend->read_box_ctl(&c->box) &
	       (SNBEP_PMON_BOX_CTL_FRZ_EN | SNBEP_PMON_BOX_CTL_FRZ |
		c->box.pmu->type->box_ctl_reset);
}

/**
 * snbep_go_on - write the box control of a box that should count
 * @c: the box, locked and not frozen by us
 *
 * Its bits are write-only (Table 2-9), so what they read as may be nothing. A
 * freeze is believed only where the register reads back: it shows what is
 * written then, and shows it each time.
 *
 * Return: whether somebody else had frozen it, as far as that can be known.
 */
bool snbep_go_on(struct snbep_counters *c)
{
	unsigned int i;
	bool frozen;

	if (!c->box.pmu->type->regs.box_ctl)
		return false;
	frozen = (snbep_read_box_ctl(c) & ~SNBEP_PMON_BOX_CTL_FRZ_EN) ==
		 SNBEP_PMON_BOX_CTL_FRZ;
	snbep_write_box_ctl(c, c->state, 0);
	for (i = 0; frozen && i < SNBEP_BELIEF; i++)
		frozen = snbep_read_box_ctl(c) == SNBEP_PMON_BOX_CTL_FRZ_EN;
	return frozen;
}
