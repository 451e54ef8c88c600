/* SPDX-License-Identifier: GPL-2.0-only */
/* Montecito: the registers that events share. Pure logic without I/O. */
#ifndef ITANIUM_SETUP_H
#define ITANIUM_SETUP_H

#include "event.h"
#include "regs.h"

#define ITANIUM_FIRST_SHARED	PMC32
#define ITANIUM_NR_SHARED	(PMC42 - PMC32 + 1)
#define ITANIUM_NR_IBR		8
#define ITANIUM_NR_DBR		2	/* DBRP0 */

/**
 * struct itanium_setup - the registers that events share
 * @pmc: PMC32-42, indexed from 0
 * @ibr: IBR0-7; both of a pair that is not used are zero, and the second of one
 *	that is used never is
 * @dbr: DBR0-1, likewise
 */
struct itanium_setup {
	u64 pmc[ITANIUM_NR_SHARED];
	u64 ibr[ITANIUM_NR_IBR];
	u64 dbr[ITANIUM_NR_DBR];
};

void itanium_setup(const struct itanium_req *const *req, int n,
		   struct itanium_setup *s);

#endif /* ITANIUM_SETUP_H */
