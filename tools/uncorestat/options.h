/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UNCORESTAT_OPTIONS_H
#define UNCORESTAT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "report.h"

enum format { FORMAT_TABLE, FORMAT_CSV, FORMAT_JSON, FORMAT_LIVE };

/**
 * struct options - the command line
 * @interval:	nanoseconds
 * @given:	was there an -i?
 * @count:	intervals, 0 for no end
 * @command:	NULL-terminated, or NULL
 */
struct options {
	uint64_t interval;
	bool given;
	unsigned long count;
	enum format format;
	const char *output;
	const char *openmetrics;
	const char *svg;
	bool list;
	const char *why;
	char **command;
	struct view view;
};

/**
 * options_get - parse, or print help and exit, or die
 */
void options_get(struct options *o, int argc, char **argv);

#endif
