/* SPDX-License-Identifier: GPL-2.0-only */
/* intel_uncore, which programs the same registers */
#ifndef SNBEP_CONFLICT_H
#define SNBEP_CONFLICT_H

#include <linux/types.h>

bool snbep_uncore_is_taken(void);
int snbep_conflict_init(void);
void snbep_conflict_exit(void);

#endif /* SNBEP_CONFLICT_H */
