/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef TOOLS_UTIL_H
#define TOOLS_UTIL_H

#include <stddef.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Print an error message and exit with die_status. */
__attribute__((format(printf, 1, 2), noreturn))
void die(const char *fmt, ...);

/* Return zeroed memory for @nr members of @size bytes; exits if there is none. */
void *zalloc(size_t nr, size_t size);

/**
 * grow - make room for another member of an array
 * @array:	the array, NULL at first
 * @nr:		number of members
 * @size:	size of a member
 * Return: the reallocated array, with a zeroed member at @nr
 */
void *grow(void *array, size_t nr, size_t size);

/* 1, or what is more exact */
extern int die_status;

/* Called by die() before it prints, or NULL */
extern void (*die_hook)(void);

#endif
