/* SPDX-License-Identifier: GPL-2.0-only */
/* perf's multiplexing hrtimers */
#ifndef LIB_ROTATION_H
#define LIB_ROTATION_H

#include <stdio.h>
#include <string.h>

#include "kselftest.h"

/* How many are active, on all CPUs and for all PMUs */
static inline unsigned int rotation_timers(void)
{
	FILE *f = fopen("/proc/timer_list", "r");
	unsigned int n = 0;
	char line[256];

	if (!f)
		ksft_exit_fail_msg("no /proc/timer_list\n");
	while (fgets(line, sizeof(line), f))
		n += !!strstr(line, "perf_mux_hrtimer_handler");
	fclose(f);
	return n;
}

#endif
