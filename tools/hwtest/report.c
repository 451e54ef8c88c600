// SPDX-License-Identifier: GPL-2.0-only
/* Output in TAP */
#include <stdarg.h>
#include <stdio.h>

#include "hwtest.h"

static unsigned int nr_tests, nr_failed;

void report(bool ok, const char *what, const char *why, const char *fmt, ...)
{
	va_list ap;

	printf("%sok %u - %s", ok ? "" : "not ", ++nr_tests, what);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	if (why)
		printf(" # SKIP could not be told: %s", why);
	printf("\n");
	fflush(stdout);
	nr_failed += !ok;
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

int report_end(void)
{
	printf("1..%u\n", nr_tests);
	fflush(stdout);
	return nr_failed != 0;
}
