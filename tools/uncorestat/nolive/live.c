// SPDX-License-Identifier: GPL-2.0-only
/* In place of live*.c where ncurses was not there to build with */
#include "live.h"

#include "util.h"

void live_start(const struct machine *m, const struct counting *c, double interval)
{
	(void)m;
	(void)c;
	(void)interval;
	die("--live is not in this build: build it where ncurses is (libncurses-dev)");
}

void live_update(const struct report *notes)
{
	(void)notes;
}

bool live_wake(enum wake wake)
{
	(void)wake;
	return false;
}

void live_end(void)
{
}
