// SPDX-License-Identifier: GPL-2.0-only
/*
 * Which offcore response register and which counter an event gets.
 *
 * The two choices are independent, because any counter takes the event code of
 * either register. Counters of a thread are slots that hold one event each:
 * common/match.h. A register holds one value for all events that use it, and
 * there are few of them: a search over the registers that are still to be
 * filled is exact and short.
 */
#include <linux/bits.h>

#include "alloc.h"

/* A choice of registers. It is made aside, so that a failure changes nothing. */
struct offcore_plan {
	struct offcore_want *want[OFFCORE_NR_WANTS + 1];
	u8 reg[OFFCORE_NR_WANTS + 1];
	unsigned int nr;
	u64 rsp[OFFCORE_NR_REGS];
	u8 filled;			/* bit n set if register n has a value */
};

static bool offcore_shares(const struct offcore_plan *p,
			   const struct offcore_want *w, unsigned int reg)
{
	return (w->regs & p->filled & BIT(reg)) && p->rsp[reg] == w->rsp;
}

/*
 * A register that already has the value of @w: the one that @w has now, if that
 * is one of them, so that nothing moves without need.
 */
static unsigned int offcore_shared_reg(const struct offcore_plan *p,
				       const struct offcore_want *w)
{
	unsigned int reg;

	if (w->reg < OFFCORE_NR_REGS && offcore_shares(p, w, w->reg))
		return w->reg;
	for (reg = 0; reg < OFFCORE_NR_REGS; reg++) {
		if (offcore_shares(p, w, reg))
			return reg;
	}
	return OFFCORE_NONE;
}

/*
 * Choose registers from event @i on. An event that shares changes nothing for
 * those after it, so only the filling of a register has to be tried both ways,
 * and each level of the recursion fills one.
 */
static bool offcore_choose(struct offcore_plan *p, unsigned int i)
{
	struct offcore_want *w;
	unsigned int n, reg;

	for (; i < p->nr; i++) {
		reg = offcore_shared_reg(p, p->want[i]);
		if (reg == OFFCORE_NONE)
			break;
		p->reg[i] = reg;
	}
	if (i == p->nr)
		return true;

	w = p->want[i];
	for (n = 0; n < OFFCORE_NR_REGS; n++) {
		/* The register that it has comes first: fewer moves. */
		reg = w->reg < OFFCORE_NR_REGS ? (w->reg + n) % OFFCORE_NR_REGS
					       : n;
		if (!(w->regs & BIT(reg)) || (p->filled & BIT(reg)))
			continue;
		p->filled |= BIT(reg);
		p->rsp[reg] = w->rsp;
		p->reg[i] = reg;
		if (offcore_choose(p, i + 1))
			return true;
		p->filled &= ~BIT(reg);
	}
	return false;
}

/*
 * Events of threads that do not move fill their registers first; those of the
 * others, and the new one, are then given registers from the start.
 */
static bool offcore_plan(struct offcore_plan *p, const struct offcore_core *core,
			 struct offcore_want *want, const bool *moves)
{
	unsigned int t, c;

	p->nr = 0;
	p->filled = 0;
	for (t = 0; t < OFFCORE_NR_THREADS; t++) {
		for (c = 0; c < OFFCORE_NR_CTRS; c++) {
			struct offcore_want *w = offcore_want_on(core, t, c);

			if (!w)
				continue;
			if (moves[t]) {
				p->want[p->nr++] = w;
			} else {
				p->filled |= BIT(w->reg);
				p->rsp[w->reg] = w->rsp;
			}
		}
	}
	p->want[p->nr++] = want;
	return offcore_choose(p, 0);
}

static bool offcore_place_reg(struct offcore_plan *p,
			      const struct offcore_core *core,
			      struct offcore_want *want, bool move_others)
{
	bool moves[OFFCORE_NR_THREADS] = { };
	unsigned int t;

	if (offcore_plan(p, core, want, moves))
		return true;
	for (t = 0; t < OFFCORE_NR_THREADS; t++)
		moves[t] = move_others || t == want->thread;
	return offcore_plan(p, core, want, moves);
}

static void offcore_commit(struct offcore_plan *p, struct offcore_core *core)
{
	unsigned int t, c, i;

	for (i = 0; i < p->nr; i++)
		p->want[i]->reg = p->reg[i];
	for (i = 0; i < OFFCORE_NR_REGS; i++) {
		core->users[i] = 0;
		core->rsp[i] = 0;
	}
	for (t = 0; t < OFFCORE_NR_THREADS; t++) {
		for (c = 0; c < OFFCORE_NR_CTRS; c++) {
			struct offcore_want *w = offcore_want_on(core, t, c);

			if (!w)
				continue;
			core->users[w->reg]++;
			core->rsp[w->reg] = w->rsp;
		}
	}
}

/**
 * offcore_alloc_add - give an event a register and a counter
 * @core: the core; unchanged if there is no room
 * @want: the event, which has neither yet, or not any more
 * @move_others: events of the other thread may get another register. Without,
 *	only those of @want's thread move.
 *
 * An assignment is found whenever there is one. Afterwards @want and any event
 * that moved hold their new register and counter.
 *
 * Return: OFFCORE_OK, or what is in the way.
 */
enum offcore_result offcore_alloc_add(struct offcore_core *core,
				      struct offcore_want *want,
				      bool move_others)
{
	struct offcore_plan plan;

	if (!offcore_place_reg(&plan, core, want, move_others))
		return OFFCORE_NO_REGISTER;
	if (!match_add(core->on[want->thread], OFFCORE_NR_CTRS, &want->ctr))
		return OFFCORE_NO_COUNTER;
	offcore_commit(&plan, core);
	return OFFCORE_OK;
}

/**
 * offcore_alloc_del - take back what offcore_alloc_add() gave
 * @core: the core; a register without users has the value 0 again
 * @want: the event; its counter and its register stay, as those to prefer next
 *	time
 */
void offcore_alloc_del(struct offcore_core *core, struct offcore_want *want)
{
	core->on[want->thread][want->ctr.at] = NULL;
	if (!--core->users[want->reg])
		core->rsp[want->reg] = 0;
}
