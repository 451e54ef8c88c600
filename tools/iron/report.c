// SPDX-License-Identifier: GPL-2.0-only
/* What was found, in the Test Anything Protocol */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "iron.h"

static unsigned int nr_tests, nr_failed;

static void line(bool ok, const char *what, const char *fmt, va_list ap)
{
	printf("%sok %u - %s", ok ? "" : "not ", ++nr_tests, what);
	vprintf(fmt, ap);
	if (!ok)
		nr_failed++;
}

void test(bool ok, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line(ok, "", fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
}

void answer(bool fits, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line(fits, "question: ", fmt, ap);
	va_end(ap);
	printf("\n");
	fflush(stdout);
}

void untold(const char *why, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	line(true, "", fmt, ap);
	va_end(ap);
	printf(" # SKIP could not be told: %s\n", why);
	fflush(stdout);
}

void note(const char *fmt, ...)
{
	va_list ap;

	printf("# ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

void give_up(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fprintf(stderr, "uncore-iron: ");
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fprintf(stderr, "\n");
	exit(1);
}

int report_end(void)
{
	printf("1..%u\n", nr_tests);
	fflush(stdout);
	return nr_failed != 0;
}
