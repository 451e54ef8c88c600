/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Allocation of offcore response registers. Any register works for any event, so
 * events never have to move to another register.
 */
#ifndef OFFCORE_ALLOC_H
#define OFFCORE_ALLOC_H

#include <linux/types.h>

#define OFFCORE_NR_REGS		2

/**
 * struct offcore_regs - a set of response registers
 * @users: number of events that use each register
 * @rsp: value of each register with users
 */
struct offcore_regs {
	u8 users[OFFCORE_NR_REGS];
	u64 rsp[OFFCORE_NR_REGS];
};

/**
 * offcore_get_reg - get a register with a value, or else an unused one
 * @regs: the registers; unchanged on failure
 * @nr: number of registers, 1 to OFFCORE_NR_REGS
 * @rsp: the value
 *
 * Return: index of the register, or -1
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
