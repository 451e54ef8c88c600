/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Files of a fake machine, by LD_PRELOAD: paths that begin with one of FAKE_ROOTS are below
 * $FAKE/, if it is set. Include it first.
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
