// SPDX-License-Identifier: GPL-2.0-or-later
/* The event table of Montecito's monitors against the driver's, which was written apart. */
#include <stdio.h>

#include "machine/montecito/monitors.h"

void mont_found(struct mont *m, const char *rule, ...)
{
}

void mont_overflow(struct mont *m, bool froze)
{
}

void mont_withdraw(struct mont *m)
{
}

/* The driver's table */
static const struct {
	unsigned int code, counters;
	unsigned int set, no_all, flags;
	const char *name;
} driver[] = {
#define ANY		0xfff0
#define DUP		0x03f0
#define ONLY10		0x0400
#define NO_SET		0
#define L1D(n)		MONT_L1D(n)
#define L2D(n)		MONT_L2D(n)
#define Q_IAR		(1 << 0)
#define Q_OPC		(1 << 1)
#define Q_DAR		(1 << 2)
#define Q_MESI		(1 << 3)
#define Q_IBRP1		(1 << 4)
#define Q_IBRP01	0
#define Q_IBRP_ALL	0
#define Q_CANCEL	0
#define Q_NO_IBRP1	0
#define Q_SELF_BUS	0
#define Q_SELF_SI	0
#define Q_CLOCK		0
#define A_YES		0
#define A_NO		1
#define A_UNKNOWN	0
#define EVENT(name, code, counters, set, type, inc, all, flags, desc)	\
	{ code, counters, set, all, flags, #name },
#include "events/montecito.def"
};

int main(void)
{
	const int nr = sizeof(driver) / sizeof(driver[0]);
	int code, i, wrong = 0;

	for (code = 0; code < 256; code++) {
		const struct mont_code *c = &mont_codes[code];
		bool same;

		/* Where an event has two rows, the second one may be qualified. */
		for (i = nr; i-- && (int)driver[i].code != code;)
			;
		same = i < 0 ? !c->counters :
		       c->counters == driver[i].counters && c->set == driver[i].set &&
		       c->no_all == driver[i].no_all && c->quals == driver[i].flags;
		if (!same)
			printf("%#x of %s is another event in the model\n", code,
			       i < 0 ? "no event" : driver[i].name);
		wrong += !same;
	}
	return wrong != 0;
}
