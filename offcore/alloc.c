// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which offcore response register and which counter an event gets.
 *
 * The two choices are independent, because any counter takes the event code of
 * either register, and any register and any counter will do for any
 * event. So whoever is there never has to move: with a register for each value
 * that is in use, there is room for a new value or there is none.
 */
#include <linux/bits.h>

#include "alloc.h"

/*
 * The register that has the value already; else a free one, and that which the
 * event had the last time before others: it may still hold the value.
 */
static unsigned int offcore_find_reg(const struct offcore_core *core,
				     unsigned int nr_regs,
				     const struct offcore_want *want)
{
	unsigned int reg, found = OFFCORE_NONE;

	for (reg = 0; reg < nr_regs; reg++) {
		if (core->users[reg] && core->rsp[reg] == want->rsp)
			return reg;
		if (!core->users[reg] &&
		    (found == OFFCORE_NONE || reg == want->reg))
			found = reg;
	}
	return found;
}

/**
 * offcore_alloc_add - give an event a register and a counter
 * @core: the core; unchanged if there is no room
 * @nr_regs: response registers of the core, 1 to OFFCORE_NR_REGS
 * @ctrs: counters that may be used, bit n for counter n
 * @want: the event, which has neither yet, or not any more
 *
 * Return: OFFCORE_OK, or what is in the way.
 */
enum offcore_result offcore_alloc_add(struct offcore_core *core,
				      unsigned int nr_regs, u8 ctrs,
				      struct offcore_want *want)
{
	unsigned int reg = offcore_find_reg(core, nr_regs, want), ctr;

	if (reg == OFFCORE_NONE)
		return OFFCORE_NO_REGISTER;
	for (ctr = 0; ctr < OFFCORE_NR_CTRS; ctr++) {
		if ((ctrs & BIT(ctr)) && !core->on[want->thread][ctr])
			break;
	}
	if (ctr == OFFCORE_NR_CTRS)
		return OFFCORE_NO_COUNTER;
	core->on[want->thread][ctr] = want;
	core->users[reg]++;
	core->rsp[reg] = want->rsp;
	want->ctr = ctr;
	want->reg = reg;
	return OFFCORE_OK;
}

/**
 * offcore_alloc_del - take back what offcore_alloc_add() gave
 * @core: the core; a register without users has the value 0 again
 * @want: the event; its register stays, as the one to prefer next time
 */
void offcore_alloc_del(struct offcore_core *core, struct offcore_want *want)
{
	core->on[want->thread][want->ctr] = NULL;
	if (!--core->users[want->reg])
		core->rsp[want->reg] = 0;
}
