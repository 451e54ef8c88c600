/* SPDX-License-Identifier: GPL-2.0-only */
/* Waiting for the end of an interval, a key, a signal or the command */
#ifndef UNCORESTAT_WAIT_H
#define UNCORESTAT_WAIT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

enum wake {
	WAKE_DEADLINE,
	WAKE_KEY,
	WAKE_CHILD,	/* the command has ended */
	WAKE_RESIZE,
	WAKE_STOP,	/* the user wants the terminal back for a while */
	WAKE_END,	/* the user, or the system, wants an end */
};

/**
 * wait_init - take signals as wake-ups
 * @live:	resizing and stopping, too
 */
void wait_init(bool live);

/**
 * wait_until - sleep
 * @deadline:	CLOCK_MONOTONIC in nanoseconds, or 0 for none
 * @keys:	wake for standard input
 */
enum wake wait_until(uint64_t deadline, bool keys);

/**
 * command_fork - a process that will become the command
 * Return: its id; it waits for command_go().
 */
pid_t command_fork(char **argv);
void command_go(void);

/**
 * command_ran - was there such a program? Once the process has ended.
 */
bool command_ran(void);

/**
 * command_status - exit status as a shell has it, or -1 while it runs
 */
int command_status(pid_t pid);

/* CLOCK_MONOTONIC, and how much longer the machine is up than it ran */
uint64_t now_ns(void);
int64_t suspended_ns(void);

#endif
