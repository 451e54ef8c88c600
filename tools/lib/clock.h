/* SPDX-License-Identifier: GPL-2.0-only */
/* The only place that asks the kernel for the time, so that tests can replace it */
#ifndef TOOLS_CLOCK_H
#define TOOLS_CLOCK_H

#include <poll.h>
#include <stdint.h>
#include <time.h>

/* CLOCK_MONOTONIC, and the time spent in suspend, in nanoseconds */
uint64_t now_ns(void);
int64_t suspended_ns(void);

struct timespec time_of_day(void);

void sleep_ms(unsigned int ms);

/* Wait for a file or until now_ns() is @deadline, 0 for never. Returns as poll() does. */
int poll_until(struct pollfd *fds, nfds_t nr, uint64_t deadline);

#endif
