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
 * @group:	the only group, or NULL
 * @command:	NULL-terminated arguments, or NULL
 */
struct options {
	uint64_t interval;
	bool given;
	unsigned long count;
	enum format format;
	const char *output;
	const char *prometheus;
	const char *listen;
	const char *svg;
	const char *control;
	bool list, summary;
	const char *why;
	const struct group *group;
	char **command;
	struct view view;
};

/* Return why this processor has nothing of a group, or NULL. */
const char *group_lacks(const struct group *g);

/* Make the columns of a view those of a group. */
void options_group(struct view *v, const struct group *g);

/* Parse the command line; exits after --help or on errors. */
void options_get(struct options *o, int argc, char **argv);

#endif
