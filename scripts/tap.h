/* SPDX-License-Identifier: GPL-2.0-only */
/* Test Anything Protocol for host-side unit tests */
#ifndef TAP_H
#define TAP_H

#include <stdarg.h>
#include <stdio.h>

static int tap_nr, tap_failed;

__attribute__((format(printf, 2, 3)))
static void tap(int ok, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %d ", ok ? "" : "not ", ++tap_nr);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
	tap_failed += !ok;
}

static int tap_done(void)
{
	printf("1..%d\n", tap_nr);
	return tap_failed != 0;
}

#endif
