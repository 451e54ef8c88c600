/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TOOLS_REPLACE_H
#define TOOLS_REPLACE_H

#include <stdbool.h>
#include <stdio.h>

/* A file that replaces @path once it is complete, in whoever's directory that is */
struct replacement {
	const char *path;
	char *to, *new;
	int at;
	FILE *out;
};

/**
 * replace_open - create a new file beside the one that it is to replace
 * @r:		the replacement; write to @r->out
 * @path:	the file's name, which is kept
 *
 * Exits if @path is not a regular file, or cannot be written.
 */
void replace_open(struct replacement *r, const char *path);

/**
 * write_file - open a file for writing, and cut nothing off
 * @private:	a new one is for its owner alone, who is the user that called sudo
 *
 * Where others can change a directory, it follows no link of theirs, and takes an existing file
 * only if that is a regular one of ours without another name. Exits if it cannot.
 */
FILE *write_file(const char *path, bool private);

/* Rename the complete file to its path; exits if anything could not be written. */
void replace_finish(struct replacement *r);

#endif
