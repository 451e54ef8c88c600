/* SPDX-License-Identifier: GPL-2.0-only */
/* Commands of gen: they take its argument, "" without one, and return the exit status. */
#ifndef EVENTS_GEN_H
#define EVENTS_GEN_H

#include "stat.h"

int print_csv(const char *arg);
int print_json(const char *arg);
int print_metrics(const char *arg);
int print_rst(const char *name);
int print_rows(const char *arg);
int print_stat(const char *model);
int print_events(const char *arg);

/**
 * print_filters - print the filter names of SNBEP_F_* flags
 * @flags:	mask of flags
 * @between:	separator
 */
void print_filters(unsigned int flags, const char *between);

#endif
