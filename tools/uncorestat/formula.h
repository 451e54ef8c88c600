/* SPDX-License-Identifier: GPL-2.0-only */
/* Expressions of metrics, parsed */
#ifndef UNCORESTAT_FORMULA_H
#define UNCORESTAT_FORMULA_H

#include <stdbool.h>

#include "stat.h"

#define MAX_METRIC_EVENTS	32

/* Maximum number of brackets in each other */
#define MAX_DEPTH	100

/* An operation */
struct op {
	enum { NUMBER, EVENT, PACKAGES, BOXES, ADD, SUBTRACT, MULTIPLY, DIVIDE } kind;
	unsigned int event;
	double number;
};

/**
 * struct formula - an expression
 * @expr:	its text
 * @wrong:	what is wrong with it, or NULL
 * @ops:	operations in postfix order
 * @events:	its events
 * @divides:	a divisor has counts, so that an average needs both sums
 */
struct formula {
	const char *expr, *wrong;
	struct op *ops;
	unsigned int nr;
	unsigned int events[MAX_METRIC_EVENTS], nr_events;
	bool divides;
};

/* Return a metric's formula, which is parsed when it is first asked for, as a column is chosen. */
const struct formula *formula_of(const struct metric *m);

#endif
