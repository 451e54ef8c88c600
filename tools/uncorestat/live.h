/* SPDX-License-Identifier: GPL-2.0-only */
/* --live: a picture of the sockets in the terminal */
#ifndef UNCORESTAT_LIVE_H
#define UNCORESTAT_LIVE_H

#include "report.h"
#include "wait.h"

/**
 * live_start - take the terminal; dies if it cannot be had
 */
void live_start(const struct machine *m, const struct counting *c, double interval);

/**
 * live_update - count_read() was done: draw it
 * @notes:	the report of the same interval, for its remarks
 */
void live_update(const struct report *notes);

/**
 * live_wake - a key, a new size, or the wish to stop
 * Return: false to quit.
 */
bool live_wake(enum wake wake);

/**
 * live_end - give the terminal back as it was
 */
void live_end(void);

#endif
