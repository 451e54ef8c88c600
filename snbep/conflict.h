/* SPDX-License-Identifier: GPL-2.0-only */
/* Mutual exclusion with intel_uncore, which programs the same registers */
#ifndef SNBEP_CONFLICT_H
#define SNBEP_CONFLICT_H

#include <linux/types.h>

bool snbep_intel_uncore_active(void);
int snbep_conflict_init(void);
void snbep_conflict_exit(void);

#endif /* SNBEP_CONFLICT_H */
