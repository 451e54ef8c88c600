// SPDX-License-Identifier: GPL-2.0-only
/*
 * Montecito's performance monitors: qualification by address ranges of the breakpoint registers
 * and by opcodes (3.3.5 to 3.3.7). Tag channel n has the range of IBRs 2n and 2n + 1, and the
 * opcodes of PMC32/33 or, if odd, of PMC34/35.
 */
#include "monitors.h"

#define CHANNELS		4

/* Tables 3-10, 3-11, 3-13 and 3-14 */
#define OPCODE_BITS		((1ULL << 41) - 1)		/* PMC32 to PMC35 */
#define UNITS(v)		((v) >> 48 & 0xf)
#define ALL_UNITS		0xfULL
#define INVERT			(1ULL << 56)			/* PMC32 */
#define IGNORE_ADDRESS		(1ULL << 57)
#define IGNORE_OPCODE(n)	(1ULL << (n))			/* PMC36 */
#define DATA_TAG(v, n)		((v) >> (8 * (n) + 3) & 3)	/* PMC41 */
#define DATA_ENABLE(n)		(1ULL << (45 + (n)))

/* Odd breakpoint registers */
#define BREAK_MASK		((1ULL << 56) - 1)
#define BREAK_PLM(v)		((v) >> 56 & 0xf)
#define BREAK_X			(1ULL << 63)

/* Ignored bits of an instruction's breakpoint (architecture manual, volume 2, 7.1.1) */
#define IN_BUNDLE		0xfULL
/* Fine mode compares addresses of fetched pairs of bundles, in a page of 64 KB. */
#define IN_PAIR			0x1fULL
#define IN_PAGE			0xffffULL

static bool in_range(const uint64_t *pair, uint64_t address, uint64_t ignored)
{
	return !((address ^ pair[0]) & ((pair[1] & BREAK_MASK) | ~BREAK_MASK) & ~ignored);
}

/* 3.3.5.1: pairs n and n + 2 are the limits, which are outside. */
static bool in_limits(const uint64_t *ibr, unsigned int n, uint64_t ip)
{
	uint64_t at = ip & IN_PAGE & ~IN_PAIR, low = ibr[2 * n], high = ibr[2 * n + 4];

	/* Channels 2 and 3 are undefined: no match. */
	return n < 2 && in_range(&ibr[2 * n], ip, IN_PAGE) &&
	       at > (low & IN_PAGE & ~IN_BUNDLE) && at < (high & IN_PAGE & ~IN_BUNDLE);
}

bool mont_ibrp_on(const struct mont *m, unsigned int pair)
{
	return !(m->pmc[PMC_IBR] >> (3 * pair + 1) & 1);
}

/* With its x bit, a pair is the debugger's. */
static bool has_range(const struct mont *m, unsigned int n)
{
	return mont_ibrp_on(m, n) && !(m->ibr[2 * n + 1] & BREAK_X);
}

static bool range_tag(const struct mont *m, const struct mont_event *e, unsigned int n)
{
	const uint64_t *pair = &m->ibr[2 * n];
	bool match;

	if (!has_range(m, n))
		return true;
	match = m->pmc[PMC_IBR] & MONT_FINE ? in_limits(m->ibr, n, e->ip) :
					      in_range(pair, e->ip, IN_BUNDLE);
	match = match && BREAK_PLM(pair[1]) >> MONT_PSR_CPL(e->psr) & 1;
	return n == 0 && m->pmc[PMC_OPCODE0] & INVERT ? !match : match;
}

static bool opcode_tag(const struct mont *m, const struct mont_event *e, unsigned int n)
{
	const uint64_t *matcher = &m->pmc[PMC_OPCODE0 + 2 * (n & 1)];

	if (m->pmc[PMC_OPCODE_CONFIG] & IGNORE_OPCODE(n))
		return true;
	return UNITS(matcher[0]) & e->unit &&
	       !((e->opcode ^ matcher[1]) & ~matcher[0] & OPCODE_BITS);
}

void mont_tag(const struct mont *m, struct mont_event *e)
{
	bool ignore = m->pmc[PMC_OPCODE0] & IGNORE_ADDRESS;
	unsigned int n;

	/* Table 3-3: PMC32.ig_ad ignores channel 0 as a whole. */
	e->ranges = ignore;
	e->opcodes = ignore;
	for (n = ignore; n < CHANNELS; n++) {
		e->ranges |= range_tag(m, e, n) << n;
		e->opcodes |= opcode_tag(m, e, n) << n;
	}
}

bool mont_filtered(const struct mont *m)
{
	unsigned int n;

	for (n = 0; n < CHANNELS; n++) {
		uint64_t units = UNITS(m->pmc[PMC_OPCODE0 + 2 * (n & 1)]);
		uint64_t mask = m->pmc[PMC_OPCODE0 + 2 * (n & 1)] & OPCODE_BITS;

		if (has_range(m, n) || (m->pmc[PMC_DBR] & DATA_ENABLE(n) &&
					!(DATA_TAG(m->pmc[PMC_DBR], n) & 1)))
			return true;
		if (!(m->pmc[PMC_OPCODE_CONFIG] & IGNORE_OPCODE(n)) &&
		    (units != ALL_UNITS || mask != OPCODE_BITS))
			return true;
	}
	return false;
}

/* Table 3-14: what an enabled data range passes, counts, and everything if there is none. */
static bool data_tag(const struct mont *m, const struct mont_event *e)
{
	uint64_t pmc = m->pmc[PMC_DBR];
	bool enabled = false;
	unsigned int n;

	for (n = 0; n < CHANNELS; n++) {
		unsigned int tag = DATA_TAG(pmc, n);

		if (!(pmc & DATA_ENABLE(n)))
			continue;
		enabled = true;
		if ((tag & 1 || in_range(&m->dbr[2 * n], e->data, 0)) &&
		    (tag & 2 || e->ranges & e->opcodes & 1U << n))
			return true;
	}
	return !enabled;
}

bool mont_qualified(const struct mont *m, const struct mont_event *e, unsigned int code,
		    unsigned int umask)
{
	unsigned int quals = mont_codes[code].quals, channel = 0;

	if (quals & MONT_IBRP1)
		return e->ranges >> 1 & 1;
	/* libpfm4: CPU_OP_CYCLES.ALL is not filtered. */
	if (code == MONT_CYCLES && !umask)
		return true;
	if (quals & MONT_DAR)
		return data_tag(m, e);
	if (code == MONT_INST_RETIRED)
		channel = umask & 3;
	return (!(quals & MONT_IAR) || e->ranges >> channel & 1) &&
	       (!(quals & MONT_OPC) || e->opcodes >> channel & 1);
}
