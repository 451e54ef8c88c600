// SPDX-License-Identifier: GPL-2.0-only
#include "clock.h"

#include <errno.h>

#define SECOND	UINT64_C(1000000000)

static int64_t read_clock(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * (int64_t)SECOND + t.tv_nsec;
}

uint64_t now_ns(void)
{
	return read_clock(CLOCK_MONOTONIC);
}

int64_t suspended_ns(void)
{
	return read_clock(CLOCK_BOOTTIME) - read_clock(CLOCK_MONOTONIC);
}

struct timespec time_of_day(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t;
}

void sleep_ms(unsigned int ms)
{
	struct timespec t = { ms / 1000, ms % 1000 * 1000000l };

	while (nanosleep(&t, &t) && errno == EINTR)
		;
}

int poll_until(struct pollfd *fds, nfds_t nr, uint64_t deadline)
{
	uint64_t now = now_ns(), left = deadline > now ? deadline - now : 0;
	struct timespec t = { left / SECOND, left % SECOND };

	return ppoll(fds, nr, deadline ? &t : NULL, NULL);
}
