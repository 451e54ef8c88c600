/* SPDX-License-Identifier: GPL-2.0-only */
/* common/refuse.h for host-side unit tests: the reason is kept for the caller. */
#ifndef COMMON_REFUSE_H
#define COMMON_REFUSE_H

#include <stdio.h>

extern char refusal[512];

#define refuse(pmu, err, fmt, ...)					\
	(snprintf(refusal, sizeof(refusal), "%s: " fmt, pmu, ##__VA_ARGS__), (err))

#endif
