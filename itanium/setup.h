/* SPDX-License-Identifier: GPL-2.0-only */
/* Values of the registers that events share */
#ifndef ITANIUM_SETUP_H
#define ITANIUM_SETUP_H

#include "event.h"
#include "regs.h"

#define ITANIUM_FIRST_SHARED	PMC32
#define ITANIUM_NR_SHARED	(PMC42 - PMC32 + 1)
#define ITANIUM_NR_IBR		8
#define ITANIUM_NR_DBR		2	/* DBRP0 */

/**
 * struct itanium_setup - values of the shared registers
 * @pmc: PMC32-42
 * @ibr: IBR0-7; the second register of a pair is 0 if and only if it is unused
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
