/* SPDX-License-Identifier: GPL-2.0-only */
/* --live: full-screen display. The functions are NULL in a build without ncurses. */
#ifndef UNCORESTAT_LIVE_H
#define UNCORESTAT_LIVE_H

#include "report.h"
#include "wait.h"

/* Set up the terminal; exits on failure. */
__attribute__((weak))
void live_start(const struct machine *m, double interval);

/**
 * live_update - draw the values of the last count_read()
 * @notes:	report of the same interval, for its remarks
 */
__attribute__((weak))
void live_update(const struct report *notes);

/**
 * live_show - show other values from now on
 * @group:	the group, whose "default" is drawn as a picture if it has lines of PICTURE_PER; or
 *		NULL for metrics of -m
 */
__attribute__((weak))
void live_show(const struct view *v, const struct group *group);

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

/* Restore the terminal. */
__attribute__((weak))
void live_end(void);

#endif
