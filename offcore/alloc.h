/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which offcore response register and which counter an event gets. Pure logic:
 * no register, no perf, no lock, so that it can be proven outside the kernel.
 */
#ifndef OFFCORE_ALLOC_H
#define OFFCORE_ALLOC_H

#include <linux/kernel.h>
#include <linux/types.h>

#define OFFCORE_NR_REGS		2
#define OFFCORE_NR_CTRS		8
#define OFFCORE_NR_THREADS	2
#define OFFCORE_NONE		0xff

/**
 * struct offcore_want - what an event asks of its core
 * @rsp: value of the response register
 * @thread: thread of the core that it counts on
 * @ctr: counter that it has
 * @reg: register that it has or last had, OFFCORE_NONE at first
 */
struct offcore_want {
	u64 rsp;
	u8 thread;
	u8 ctr;
	u8 reg;
};

/**
 * struct offcore_core - threads that share a set of response registers
 * @on: who has each counter of each thread
 * @users: how many events use each register
 * @rsp: value of each register, 0 while nobody uses it
 */
struct offcore_core {
	struct offcore_want *on[OFFCORE_NR_THREADS][OFFCORE_NR_CTRS];
	u8 users[OFFCORE_NR_REGS];
	u64 rsp[OFFCORE_NR_REGS];
};

enum offcore_result {
	OFFCORE_OK,
	OFFCORE_NO_COUNTER,
	OFFCORE_NO_REGISTER,
};

enum offcore_result offcore_alloc_add(struct offcore_core *core,
				      unsigned int nr_regs, u8 ctrs,
				      struct offcore_want *want);
void offcore_alloc_del(struct offcore_core *core, struct offcore_want *want);

/**
 * offcore_want_init - an event that has neither register nor counter yet
 * @want: the event
 * @rsp: value of the response register
 */
static inline void offcore_want_init(struct offcore_want *want, u64 rsp)
{
	*want = (struct offcore_want){ .rsp = rsp, .reg = OFFCORE_NONE };
}

#endif /* OFFCORE_ALLOC_H */
