/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * --record and --replay: JSON lines, a head and then each interval. A value is [NUMERATOR,
 * DENOMINATOR, "MARKS", SHARE], so that averages are those of the run. The functions are NULL in a
 * build without jansson.
 */
#ifndef UNCORESTAT_RECORD_H
#define UNCORESTAT_RECORD_H

#include "report.h"

/**
 * replay_start - read the head of a file
 * @v:	gets its lines and columns
 * @o:	gets its origin
 * Exits if it is no recording of this version. The processor's tables are those of the file.
 */
__attribute__((weak))
void replay_start(const char *path, struct view *v, struct origin *o);

/**
 * replay_next - read the next interval
 * @r:	gets its values, for report_free()
 * Return: false at the end, which a line is that was not written in full. Exits if another line is
 * wrong.
 */
__attribute__((weak))
bool replay_next(struct report *r);

#endif
