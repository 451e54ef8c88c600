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
	WAKE_CONTROL,
	WAKE_CHILD,	/* the command has ended */
	WAKE_RESIZE,
	WAKE_STOP,	/* SIGTSTP */
	WAKE_TERM,	/* SIGTERM */
	WAKE_END,	/* SIGINT, SIGHUP or SIGPIPE */
};

/**
 * wait_init - block signals, and receive them in wait_until()
 * @live:	also SIGWINCH and SIGTSTP
 */
void wait_init(bool live);

/**
 * control_open - receive commands, as perf stat --control does
 * @where:	"fd:FD[,ACK-FD]" or "fifo:FILE[,ACK-FILE]"
 */
void control_open(const char *where);

enum control { CONTROL_NONE, CONTROL_ENABLE, CONTROL_DISABLE, CONTROL_STOP };

/* Return the next command that has come; control_done() acknowledges it. */
enum control control_read(void);
void control_done(void);

/**
 * wait_until - wait for a deadline, a signal or input
 * @deadline:	of now_ns(), or 0 for none
 * @keys:	wait for standard input
 */
enum wake wait_until(uint64_t deadline, bool keys);

/**
 * command_fork - fork a process that executes the command after command_go()
 * Return: its process ID
 */
pid_t command_fork(char **argv);
void command_go(void);

/* Return whether exec succeeded. Call after the process has ended. */
bool command_ran(void);

/* Return the exit status as in a shell, or -1 while the command runs. */
int command_status(pid_t pid);

#endif
