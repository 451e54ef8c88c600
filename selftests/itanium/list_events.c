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
#define DEAR_CACHE	"dear_cache"
#define DEAR_TLB	"dear_tlb"
#define DEAR_ALAT	"dear_alat"
#define IEAR_CACHE	"iear_cache"
#define IEAR_TLB	"iear_tlb"

static void row(const char *alias, unsigned int umask, unsigned int code,
		unsigned int counters, const char *set, char type,
		unsigned int inc, unsigned int flags)
{
	printf("%s code=%#x umask=%#x counters=%#x set=%s type=%c max_inc=%u quals=%#x\n",
	       alias, code, umask, counters, set, type, inc, flags);
}

/* Each alias calls its event's function, which has the event's columns. */
#define EVENT(name, code, counters, set, type, inc, all, flags, desc)	\
static inline void event_##name(const char *alias, unsigned int umask)		\
{									\
	row(alias, umask, code, counters, set, #type[0], inc, flags);	\
}
#include "events/montecito.def"

int main(void)
{
#define PLAIN(event)			event_##event(#event, 0);
#define UMASK(event, name, umask, flags, desc)				\
	event_##event(#event "_" #name, umask);
#define EAR(name, unit, umask, desc)					\
	printf("%s unit=%s umask=%#x\n", #name, unit, umask);
#include "events/montecito.def"
	return 0;
}
