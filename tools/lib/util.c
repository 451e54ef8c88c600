// SPDX-License-Identifier: GPL-2.0-only
#include "util.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void (*die_hook)(void);
int die_status = 1;

void die(const char *fmt, ...)
{
	va_list ap;

	if (die_hook)
		die_hook();
	fflush(stdout);
	fprintf(stderr, "%s: ", program_invocation_short_name);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
	exit(die_status);
}

void *zalloc(size_t nr, size_t size)
{
	void *p = calloc(nr, size);

	if (!p)
		die("out of memory");
	return p;
}

void *grow(void *array, size_t nr, size_t size)
{
	/* Double the size when @nr reaches a power of two. */
	if (!(nr & (nr - 1))) {
		array = realloc(array, (nr ? 2 * nr : 1) * size);
		if (!array)
			die("out of memory");
	}
	memset((char *)array + nr * size, 0, size);
	return array;
}
