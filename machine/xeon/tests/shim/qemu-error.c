// SPDX-License-Identifier: GPL-2.0-or-later
/* QEMU's functions that the models call, for host-side unit tests */
#include <errno.h>
#include <limits.h>

#include "qemu/osdep.h"

void error_setg(Error **errp, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	*errp = g_new(Error, 1);
	(*errp)->text = g_strdup_vprintf(fmt, ap);
	va_end(ap);
}

void error_propagate_prepend(Error **errp, Error *err, const char *fmt, ...)
{
	g_autofree char *text = err->text;
	g_autofree char *before = NULL;
	va_list ap;

	va_start(ap, fmt);
	before = g_strdup_vprintf(fmt, ap);
	va_end(ap);
	err->text = g_strconcat(before, text, NULL);
	*errp = err;
}

int qemu_strtou64(const char *text, const char **end, int base, uint64_t *v)
{
	char *rest;

	errno = 0;
	*v = strtoull(text, &rest, base);
	if (end)
		*end = rest;
	return errno ? -errno : rest == text || (!end && *rest) ? -EINVAL : 0;
}

int qemu_strtoui(const char *text, const char **end, int base, unsigned int *v)
{
	uint64_t all = 0;
	int ret = qemu_strtou64(text, end, base, &all);

	*v = all;
	return ret ? ret : all > UINT_MAX ? -ERANGE : 0;
}
