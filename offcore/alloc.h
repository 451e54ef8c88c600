/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which offcore response register and which counter an event gets. Pure logic:
 * no register, no perf, no lock, so that it can be proven outside the kernel.
 */
#ifndef OFFCORE_ALLOC_H
#define OFFCORE_ALLOC_H

#include <linux/kernel.h>
#include <linux/types.h>

#include "common/match.h"

#define OFFCORE_NR_REGS		2
#define OFFCORE_NR_CTRS		8
#define OFFCORE_NR_THREADS	2
#define OFFCORE_NR_WANTS	(OFFCORE_NR_THREADS * OFFCORE_NR_CTRS)
#define OFFCORE_NONE		0xff

/**
 * struct offcore_want - what an event asks of its core
 * @ctr: the counters of its thread that will do, and the one that it has
 * @rsp: value of the response register
 * @regs: bit n set if register n will do
 * @thread: thread of the core that it counts on
 * @reg: register that it has or last had, OFFCORE_NONE at first
 */
struct offcore_want {
	struct match_item ctr;
	u64 rsp;
	u8 regs;
	u8 thread;
	u8 reg;
};

/**
 * struct offcore_core - threads that share a set of response registers
 * @on: who has each counter of each thread
 * @users: how many events use each register
 * @rsp: value of each register, 0 while nobody uses it
 */
struct offcore_core {
	struct match_item *on[OFFCORE_NR_THREADS][OFFCORE_NR_CTRS];
	u8 users[OFFCORE_NR_REGS];
	u64 rsp[OFFCORE_NR_REGS];
};

enum offcore_result {
	OFFCORE_OK,
	OFFCORE_NO_COUNTER,
	OFFCORE_NO_REGISTER,
};

enum offcore_result offcore_alloc_add(struct offcore_core *core,
				      struct offcore_want *want,
				      bool move_others);
void offcore_alloc_del(struct offcore_core *core, struct offcore_want *want);

/**
 * offcore_want_on - who has a counter
 * @core: the core
 * @thread: thread of the core
 * @ctr: counter of the thread
 *
 * Return: the event, or NULL.
 */
static inline struct offcore_want *
offcore_want_on(const struct offcore_core *core, unsigned int thread,
		unsigned int ctr)
{
	struct match_item *item = core->on[thread][ctr];

	return item ? container_of(item, struct offcore_want, ctr) : NULL;
}

/**
 * offcore_want_init - an event that has neither register nor counter yet
 * @want: the event
 * @rsp: value of the response register
 * @regs: bit n set if register n will do
 * @ctrs: bit n set if counter n will do
 */
static inline void offcore_want_init(struct offcore_want *want, u64 rsp,
				     u8 regs, u8 ctrs)
{
	*want = (struct offcore_want){
		.ctr = { .may = ctrs, .at = MATCH_NONE },
		.rsp = rsp, .regs = regs, .reg = OFFCORE_NONE,
	};
}

#endif /* OFFCORE_ALLOC_H */
