/* SPDX-License-Identifier: GPL-2.0-only */
/* Assignment of counters to events */
#ifndef ITANIUM_SCHED_H
#define ITANIUM_SCHED_H

#include "event.h"

int itanium_assign(const struct itanium_req *const *req, int n, s8 *counter,
		   const char **why);

#endif /* ITANIUM_SCHED_H */
