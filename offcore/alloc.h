/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Which offcore response register an event gets: pure logic, proven outside the
 * kernel. Any register will do for any event, so no event ever has to move.
 */
#ifndef OFFCORE_ALLOC_H
#define OFFCORE_ALLOC_H

#include <linux/types.h>

#define OFFCORE_NR_REGS		2

/**
 * struct offcore_regs - a set of response registers
 * @users: events of each
 * @rsp: value of each, if it has users
 */
struct offcore_regs {
	u8 users[OFFCORE_NR_REGS];
	u64 rsp[OFFCORE_NR_REGS];
};

/**
 * offcore_get_reg - take the register that has a value, or else a free one
 * @regs: the registers; unchanged if there is none
 * @nr: how many there are, 1 to OFFCORE_NR_REGS
 * @rsp: the value
 *
 * Return: the register, or -1.
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
