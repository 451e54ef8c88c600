/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocation of offcore response registers. Any register works for any event, so
 * events never have to move to another register.
 */
#ifndef OFFCORE_ALLOC_H
#define OFFCORE_ALLOC_H

#include <linux/types.h>

#define OFFCORE_NR_REGS		2

/* A set of response registers */
struct offcore_regs {
	u8 users[OFFCORE_NR_REGS];	/* events that use each register */
	u64 rsp[OFFCORE_NR_REGS];	/* value of each register with users */
};

/*
 * Get one of @nr registers that has the value @rsp, or else an unused one.
 * Returns its index, or -1.
 */
static inline int offcore_get_reg(struct offcore_regs *regs, unsigned int nr,
				  u64 rsp)
{
	unsigned int i;
	int reg = -1;

	for (i = nr; i--;) {
		if (!regs->users[i])
			reg = i;
	}
	for (i = 0; i < nr; i++) {
		if (regs->users[i] && regs->rsp[i] == rsp)
			reg = i;
	}
	if (reg < 0)
		return reg;
	regs->users[reg]++;
	regs->rsp[reg] = rsp;
	return reg;
}

#endif /* OFFCORE_ALLOC_H */
