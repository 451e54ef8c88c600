// SPDX-License-Identifier: GPL-2.0-only
#include "wait.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "clock.h"
#include "table.h"
#include "util.h"

static int signals = -1;
static int control = -1, ack = -1;
static int go[2];	/* socket pair to the command's process */
static sigset_t before;

/* SIGTSTP is always blocked: never called */
static void never(int sig)
{
	(void)sig;
}

void wait_init(bool live)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGCHLD);
	sigaddset(&set, SIGINT);
	sigaddset(&set, SIGTERM);
	sigaddset(&set, SIGHUP);
	sigaddset(&set, SIGPIPE);
	if (live) {
		sigaddset(&set, SIGWINCH);
		sigaddset(&set, SIGTSTP);
		/*
		 * Without a handler, curses installs its own and ignores the signal
		 * while it draws, which drops a pending one.
		 */
		signal(SIGTSTP, never);
	}
	sigprocmask(SIG_BLOCK, &set, &before);
	signals = signalfd(-1, &set, SFD_CLOEXEC);
	if (signals < 0)
		die("no signalfd: %s", strerror(errno));
}

enum wake wait_until(uint64_t deadline, bool keys)
{
	struct pollfd fds[] = {
		{ .fd = signals, .events = POLLIN },
		{ .fd = keys ? STDIN_FILENO : -1, .events = POLLIN },
		{ .fd = control, .events = POLLIN },
	};
	struct signalfd_siginfo info;

	/* Not EINTR: signals with a handler are blocked. */
	if (poll_until(fds, ARRAY_SIZE(fds), deadline) < 0)
		die("poll: %s", strerror(errno));
	if (fds[0].revents && read(signals, &info, sizeof(info)) == sizeof(info)) {
		switch (info.ssi_signo) {
		case SIGCHLD:
			return WAKE_CHILD;
		case SIGWINCH:
			return WAKE_RESIZE;
		case SIGTSTP:
			return WAKE_STOP;
		case SIGTERM:
			return WAKE_TERM;
		default:
			return WAKE_END;
		}
	}
	if (fds[2].revents)
		return WAKE_CONTROL;
	return fds[1].revents ? WAKE_KEY : WAKE_DEADLINE;
}

static int control_file(const char *name, bool fd, int flags)
{
	char *end;
	long n = fd ? strtol(name, &end, 10) : open(name, flags | O_CLOEXEC);

	if (fd && (end == name || *end || n != (int)n || fcntl(n, F_GETFD) < 0))
		die("--control: no open file descriptor: %s", name);
	if (n < 0)
		die("--control: cannot open %s: %s", name, strerror(errno));
	return n;
}

void control_open(const char *where)
{
	bool fd = !strncmp(where, "fd:", 3);
	char *name, *second;

	if (!fd && strncmp(where, "fifo:", 5))
		die("--control %s: fd:FD[,ACK-FD] or fifo:FILE[,ACK-FILE]", where);
	name = format("%s", where + (fd ? 3 : 5));
	second = strchr(name, ',');
	if (second)
		*second++ = 0;
	/* For reading and writing, so that a FIFO does not end with its first writer */
	control = control_file(name, fd, O_RDWR | O_NONBLOCK);
	if (second)
		ack = control_file(second, fd, O_RDWR | O_NONBLOCK);
	free(name);
}

enum control control_read(void)
{
	static const char * const commands[] = { "", "enable", "disable", "stop" };
	char line[32];
	size_t len = 0;
	unsigned int i;
	ssize_t n;

	while ((n = read(control, line + len, 1)) == 1 && line[len] != '\n')
		len += len < sizeof(line) - 1;
	if (n <= 0 && !len) {
		/* The other end has gone: wait for nothing more. */
		if (!n)
			control = -1;
		return CONTROL_NONE;
	}
	line[len] = 0;
	for (i = 1; i < ARRAY_SIZE(commands); i++)
		if (!strcmp(line, commands[i]))
			return i;
	if (!strcmp(line, "ping"))
		control_done();
	else
		fprintf(stderr, "uncorestat: --control: no command %s\n", line);
	return CONTROL_NONE;
}

void control_done(void)
{
	if (ack >= 0 && write(ack, "ack\n", 4) != 4)
		die("--control: cannot acknowledge: %s", strerror(errno));
}

pid_t command_fork(char **argv)
{
	pid_t pid;
	char c;

	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, go))
		die("socketpair: %s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid < 0)
		die("fork: %s", strerror(errno));
	if (pid) {
		close(go[1]);
		return pid;
	}
	close(go[0]);
	sigprocmask(SIG_SETMASK, &before, NULL);
	/* EOF: the parent has exited. */
	if (read(go[1], &c, 1) != 1)
		_exit(1);
	execvp(argv[0], argv);
	c = errno == ENOENT ? 127 : 126;
	fprintf(stderr, "uncorestat: %s: %s\n", argv[0], strerror(errno));
	send(go[1], &c, 1, MSG_NOSIGNAL);
	_exit(c);
}

bool command_ran(void)
{
	char c;

	return read(go[0], &c, 1) != 1;
}

void command_go(void)
{
	if (send(go[0], "", 1, MSG_NOSIGNAL) != 1)
		die("the command cannot be started: %s", strerror(errno));
}

int command_status(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, WNOHANG) != pid)
		return -1;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
