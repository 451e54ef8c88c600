/* SPDX-License-Identifier: GPL-2.0-only */
/* Keys of --live. The functions are NULL in a build without it. */
#ifndef UNCORESTAT_LIVE_H
#define UNCORESTAT_LIVE_H

#include "report.h"
#include "wait.h"

/* Show a line until the next key. */
__attribute__((weak))
void live_say(const char *text);

/**
 * live_wake - handle a key, WAKE_RESIZE or WAKE_STOP
 * Return: LIVE_STAY, LIVE_QUIT, or the index of a group to show
 */
#define LIVE_STAY	-1
#define LIVE_QUIT	-2
__attribute__((weak))
int live_wake(enum wake wake);

#endif
