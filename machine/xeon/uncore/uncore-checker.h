/*
 * Protocol checker: what its two files share. Registers and buses only publish
 * accesses (UncoreSubscriber).
 *
 * SPDX-License-Identifier: GPL-2.0-or-later
 */

#ifndef HW_I386_MODEL_UNCORE_CHECKER_H
#define HW_I386_MODEL_UNCORE_CHECKER_H

#include "uncore.h"

/* Findings, and rules on sequences of accesses */
void uncore_found(UncoreBox *box, UncoreReg reg, const char *op, uint64_t value,
                  const char *fmt, ...) G_GNUC_PRINTF(5, 6);
void uncore_check_running(UncoreBox *box);
void uncore_check_filter(UncoreBox *box, UncoreReg reg, uint32_t value);
void uncore_rules_print(const UncoreModel *u, GString *out);

#endif
