/* SPDX-License-Identifier: GPL-2.0-only */
/* The equations, over what was counted */
#ifndef UNCORESTAT_VALUE_H
#define UNCORESTAT_VALUE_H

#include "count.h"

/**
 * struct scope - what a line is about
 * @socket:	index, or -1 for all
 * @pmu:	a box, or NULL for all of them
 */
struct scope {
	int socket;
	const struct pmu *pmu;
};

enum span {
	MODE_RATE,	/* the last interval, amounts per second */
	MODE_TOTAL,	/* since the start */
};

/**
 * struct value - a metric of a scope
 * @number:	in its unit; a ratio is 0 to 1; NAN if it cannot be had
 * @applies:	false if the scope is a box of another type
 * @sampled:	some boxes stood for all
 * @elsewhere:	the box counts other events, for other metrics
 * @share:	less than 1: its events took turns with others
 * @why:	if it cannot be had, or is not of all boxes; "" otherwise
 */
struct value {
	double number;
	bool applies;
	bool sampled;
	bool elsewhere;
	double share;
	char why[200];
};

/**
 * value_get - evaluate a metric
 * @seconds:	since the start, for MODE_TOTAL
 */
void value_get(struct value *v, const struct counting *c, const struct metric *m,
	       const struct scope *scope, enum span mode, double seconds);

#endif
