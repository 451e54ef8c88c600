/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef UNCORESTAT_UTIL_H
#define UNCORESTAT_UTIL_H

#include <stddef.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/**
 * die - say what to do, in one line, and exit with 1
 */
__attribute__((format(printf, 1, 2), noreturn))
void die(const char *fmt, ...);

/**
 * grow - room for one more in an array
 * @array:	the array, NULL at first
 * @nr:		members that it has
 * @size:	of a member
 * Return: the array, perhaps elsewhere, with a zeroed member at @nr.
 */
void *grow(void *array, size_t nr, size_t size);

/**
 * at_exit_of_die - what die() does before it prints; NULL for nothing
 */
extern void (*at_exit_of_die)(void);

#endif
