/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of a fake machine, by LD_PRELOAD: paths that begin with one of FAKE_ROOTS are below
 * $FAKE/, if it is set. Include it first.
 *
 * Time stands still but for sleeps, and FAKE_TICK nanoseconds for each look at the clock. It begins
 * in 2026. $REAL: it is the machine's.
 */
#ifndef TOOLS_FAKE_H
#define TOOLS_FAKE_H

#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* The C library's function */
#define REAL(name)	((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

static const char *fake_path(const char *path, char *buf, size_t size)
{
	static const char * const roots[] = { FAKE_ROOTS };
	unsigned int i;

	for (i = 0; getenv("FAKE") && i < sizeof(roots) / sizeof(roots[0]); i++) {
		if (strncmp(path, roots[i], strlen(roots[i])))
			continue;
		snprintf(buf, size, "%s%s", getenv("FAKE"), path);
		return buf;
	}
	return path;
}

FILE *fopen(const char *path, const char *mode)
{
	char buf[512];

	return REAL(fopen)(fake_path(path, buf, sizeof(buf)), mode);
}

DIR *opendir(const char *path)
{
	char buf[512];

	return REAL(opendir)(fake_path(path, buf, sizeof(buf)));
}

static int64_t fake_now = 1000000000, fake_suspended;

/* From CLOCK_MONOTONIC to the time of day: 2026-01-01 00:00:00 UTC is where it begins. */
#define FAKE_DAY	(INT64_C(1767225600) - 1)

int clock_gettime(clockid_t id, struct timespec *t)
{
	int64_t now = __atomic_add_fetch(&fake_now, FAKE_TICK, __ATOMIC_RELAXED);

	if (!getenv("FAKE") || getenv("REAL"))
		return REAL(clock_gettime)(id, t);
	now += id == CLOCK_BOOTTIME ? fake_suspended : 0;
	t->tv_sec = now / 1000000000 + (id == CLOCK_REALTIME ? FAKE_DAY : 0);
	t->tv_nsec = now % 1000000000;
	return 0;
}

int nanosleep(const struct timespec *t, struct timespec *left)
{
	if (!getenv("FAKE") || getenv("REAL"))
		return REAL(nanosleep)(t, left);
	__atomic_add_fetch(&fake_now, t->tv_sec * INT64_C(1000000000) + t->tv_nsec,
			   __ATOMIC_RELAXED);
	return 0;
}

/* Open a file of the test itself, $FAKE/NAME. */
static FILE *file(const char *name, const char *mode)
{
	char path[1024];

	snprintf(path, sizeof(path), "%s/%s", getenv("FAKE"), name);
	return fopen(path, mode);
}

/* The fake's own system calls: returns false for the others. */
static bool fake_syscall(long number, const long a[6], long *ret);

long syscall(long number, ...)
{
	va_list ap;
	long a[6], ret;
	int i;

	va_start(ap, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (getenv("FAKE") && fake_syscall(number, a, &ret))
		return ret;
	return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

#endif
