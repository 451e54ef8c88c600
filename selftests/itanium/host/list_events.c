// SPDX-License-Identifier: GPL-2.0-only
/* Prints events/montecito.def, an alias a line, for comparisons. */
#include <stdio.h>

#define ANY		0xfff0
#define DUP		0x03f0
#define ONLY10		0x0400
#define NO_SET		"-"
#define L1D(n)		"l1d" #n
#define L2D(n)		"l2d" #n
#define Q_IAR		(1 << 0)
#define Q_OPC		(1 << 1)
#define Q_DAR		(1 << 2)
#define Q_MESI		(1 << 4)
#define Q_IBRP1		0
#define Q_IBRP01	0
#define Q_IBRP_ALL	0
#define Q_CANCEL	0
#define Q_NOT_M		0
#define Q_QUAL		(1 << 8)	/* none of libpfm4's: see row() */
#define DEAR_CACHE	"dear_cache"
#define DEAR_TLB	"dear_tlb"
#define DEAR_ALAT	"dear_alat"
#define IEAR_CACHE	"iear_cache"
#define IEAR_TLB	"iear_tlb"

/* An alias's row needs its event's: each event becomes an entry by name. */
struct event {
	unsigned int code, counters;
	const char *set;
	char type;
	unsigned int inc, flags;
};

static const struct {
	struct event
#define EVENT(name, code, counters, set, type, inc, all, flags, desc)	\
	name,
#include "events/montecito.def"
	none;
} events = {
#define EVENT(name, code, counters, set, type, inc, all, flags, desc)	\
	.name = { code, counters, set, #type[0], inc, flags },
#include "events/montecito.def"
};

static void row(const char *alias, unsigned int umask, const struct event *e)
{
	unsigned int quals = e->flags & ~Q_QUAL;

	if ((e->flags & Q_QUAL) && !umask)
		quals &= ~(Q_IAR | Q_OPC);
	printf("%s code=%#x umask=%#x counters=%#x set=%s type=%c max_inc=%u quals=%#x\n",
	       alias, e->code, umask, e->counters, e->set, e->type, e->inc,
	       quals);
}

static const struct alias {
	const char *name;
	unsigned int umask;
	const struct event *event;
	const char *unit;
} aliases[] = {
#define PLAIN(event)			{ #event, 0, &events.event, NULL },
#define UMASK(event, name, umask, flags, desc)				\
	{ #event "_" #name, umask, &events.event, NULL },
#define EAR(name, unit, umask, desc)	{ #name, umask, NULL, unit },
#include "events/montecito.def"
};

int main(void)
{
	const struct alias *a;

	for (a = aliases; a < aliases + sizeof(aliases) / sizeof(*a); a++) {
		if (a->unit)
			printf("%s unit=%s umask=%#x\n", a->name, a->unit,
			       a->umask);
		else
			row(a->name, a->umask, a->event);
	}
	return 0;
}
