/* SPDX-License-Identifier: GPL-2.0-only */
/* Evaluation of metrics */
#ifndef UNCORESTAT_VALUE_H
#define UNCORESTAT_VALUE_H

#include <math.h>

#include "count.h"
#include "formula.h"

#define LABEL	40

/**
 * struct scope - the boxes of a line
 * @socket:	index of the socket, or -1 for all
 * @package:	its ID, or -1
 * @pmu:	a box, or NULL for all
 * @label:	"S0", "S1 imc_0" or "all"
 */
struct scope {
	int socket, package;
	const struct pmu *pmu;
	char label[LABEL];
};

/**
 * struct value - value of a metric in a scope
 * @number:	value in its unit, 0 to 1 for a ratio, NAN if not available
 * @num, @den:	what it is the quotient of: @den is seconds, unless the metric divides by counts.
 *		Over several intervals, the value is the quotient of both sums.
 * @applies:	false if the scope is a box of another type
 * @sampled:	extrapolated from some boxes to all
 * @elsewhere:	the box counts another set of events
 * @nothing:	a ratio of nothing: its denominator was 0
 * @implausible:	more than the hardware can do
 * @share:	share of the time in which its events were counted
 * @why:	why the value is incomplete or not available, or ""
 */
struct value {
	double number, num, den;
	bool applies;
	bool sampled;
	bool elsewhere;
	bool nothing;
	bool implausible;
	double share;
	char why[200];
};

/* Return whether a value has a mark: '*', '~' or '!', or '-' if it was not counted */
static inline bool value_has(const struct value *v, char mark)
{
	if (mark == '-')
		return v->applies && isnan(v->number) && !v->nothing && !v->elsewhere;
	return mark == '*' ? v->sampled : mark == '~' ? v->share < 1 : v->implausible;
}

/* Return whether the metric divides by counts, so that its average needs them. */
bool value_divides(const struct metric *m);

/* Return how many boxes of a type a socket has. */
unsigned int boxes_present(const struct counting *c, unsigned int type, unsigned int socket);

/**
 * value_get - evaluate a metric for the last interval
 * @seconds:	its duration, for metrics without events
 */
void value_get(struct value *v, const struct counting *c, const struct metric *m,
	       const struct scope *scope, double seconds);

/* Compute the number from the sums; @total: of an amount since the start, not per second. */
void value_divide(struct value *v, const struct metric *m, bool total);

#endif
