/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UNCORESTAT_OPTIONS_H
#define UNCORESTAT_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "report.h"

/**
 * struct options - the command line
 * @interval:	interval in nanoseconds
 * @given:	-i was given
 * @count:	number of intervals, 0 for unlimited
 * @format:	of the lines: OUT_TABLE, OUT_CSV, OUT_JSON or OUT_LIVE
 * @output:	file of the lines, or NULL
 * @to:		arguments of the other outputs' options, NULL if they are not chosen
 * @second:	the other file of --diff
 * @word:	word of --list, or NULL
 * @command:	NULL-terminated arguments, or NULL
 */
struct options {
	uint64_t interval;
	bool given;
	unsigned long count;
	enum output format;
	const char *output;
	const char *to[NR_OUTPUTS];
	const char *replay, *diff, *second;
	const char *control;
	bool list;
	const char *word;
	const char *why;
	char **command;
	struct view view;
};

/* Return why this processor has nothing of a group, or NULL. */
const char *group_lacks(const struct group *g);

/* Begin with no columns, add one of -m or of a group, and have those of a view. */
void options_no_columns(void);
bool options_column(const char *metric, const char *group);
void options_columns(struct view *v);

/* Make the columns of a view those of a group. */
void options_group(struct view *v, const struct group *g);

/* Parse the command line; exits after --help or on errors. */
void options_get(struct options *o, int argc, char **argv);

#endif
