// SPDX-License-Identifier: GPL-2.0-only
/*
 * Montecito's performance monitors: the events of chapter 4, and the protocol checker of what
 * the manual calls reserved, illegal or undefined
 */
#include "monitors.h"

#define CYCLES_HALTED		0x18
#define L2D_OZQ_CANCELS0	0xe0
#define L2D_OZQ_CANCELS1	0xe2

/* Tables 3-11, 3-14, 3-15, 3-21, 3-26 */
#define INV			(1ULL << 56)
#define IG_AD			(1ULL << 57)
#define NO_DBRP0		(1ULL << 3)
#define EN_DBRP0		(1ULL << 45)
#define IEAR_UMASK		0x1fe0ULL
#define DEAR_UMASK_LAST		10
#define ETB_DS			(1ULL << 7)

/* Odd breakpoint registers */
#define BREAK_RW		(3ULL << 62)
#define BREAK_X			(1ULL << 63)

/* Codes and qualifications of tables 4-1 to 4-39; counters of section 3.3.3 */
#define ANY			0xfff0
#define DUP			0x03f0
#define I			MONT_IAR
#define P			MONT_IBRP1
#define M			MONT_HAS_MESI
#define IO			(MONT_IAR | MONT_OPC)
#define IOD			(MONT_IAR | MONT_OPC | MONT_DAR)
#define ROW(code, ...)							\
	[code] = { __VA_ARGS__ }
#define E(code, quals)		ROW(code, ANY, 0, quals, 0)
#define L1D(code, n, quals)	ROW(code, ANY, MONT_L1D(n), quals, 0)
#define L2D(code, n, quals, a)	ROW(code, DUP, MONT_L2D(n), quals, a)
#define BUS(code)		ROW(code, DUP, 0, 0, 0)

const struct mont_code mont_codes[256] = {
	/* 4-1, 4-3 */
	E(0x12, IO), E(0x08, IO), E(0x49, 0), E(0x4d, I), E(0x4e, I), E(0x4f, I),
	/* 4-4 */
	E(0x58, IOD), E(0x06, I), E(0x05, I), E(0x0b, I), E(0x09, I), E(0x03, I), E(0x56, IOD),
	E(0x57, IOD), E(0x55, 0), E(0x50, IO), E(0x51, IO),
	/* 4-6 */
	E(0x00, 0), E(0x02, 0), E(0x04, 0), E(0x72, 0), E(0x01, 0), E(0x71, 0), E(0x70, 0),
	E(0x73, 0),
	/* 4-7 */
	E(0x61, IO), E(0x11, IO), E(0x5b, IO), E(0x68, IO), E(0x54, IO), E(0x6a, IO), E(0x63, IO),
	/* 4-8; 3.3.5.2 for prefetches */
	E(0x46, I), E(0x43, I), E(0x66, I), E(0x65, I), E(0x41, I), E(0x44, I | P), E(0x67, 0),
	E(0x4b, I), E(0x69, 0), E(0x64, 0), E(0x60, 0), E(0x40, I), E(0x4a, IOD), E(0x5f, I | P),
	E(0x42, I), E(0x45, I | P),
	/* 4-10 to 4-16 */
	E(0xc8, IOD), E(0xc9, IOD), E(0xc6, IOD), L1D(0xc0, 0, IOD), L1D(0xc1, 0, IOD),
	L1D(0xc2, 0, IOD), L1D(0xc3, 0, IOD), L1D(0xc4, 1, IOD), L1D(0xc5, 1, IOD),
	L1D(0xc7, 1, IOD), L1D(0xca, 2, 0), L1D(0xcd, 3, IOD), L1D(0xce, 3, IOD), L1D(0xcf, 3, IOD),
	L1D(0xd0, 4, IOD), L1D(0xd1, 4, IOD), L1D(0xd2, 4, IOD), L1D(0xd8, 6, IOD),
	L1D(0xd9, 6, IOD),
	/* 4-17 */
	E(0x78, IO), E(0x79, IO), E(0x7a, IO), E(0x7b, IO), E(0x7c, IO), E(0x7d, IO), E(0x7e, IO),
	E(0x7f, IO),
	/* 4-19 to 4-30 */
	L2D(0xe0, 0, IOD, 0), L2D(0xe1, 0, 0, 1), L2D(0xe3, 0, 0, 1), L2D(0xe2, 0, IOD, 0),
	L2D(0xe4, 1, IOD, 0), L2D(0xe5, 1, 0, 1), L2D(0xe6, 2, IOD, 0), L2D(0xe8, 3, IOD, 1),
	L2D(0xe9, 3, 0, 0), L2D(0xea, 4, IOD, 0), L2D(0xeb, 4, IOD, 0), L2D(0xec, 5, IOD, 0),
	L2D(0xed, 5, IOD, 0), L2D(0xef, 6, 0, 0), L2D(0xf0, 7, IOD, 1), L2D(0xf1, 7, 0, 1),
	L2D(0xf2, 8, IOD, 0), L2D(0xf3, 8, 0, 0),
	ROW(0xcb, DUP, 0, IOD, 0), ROW(0xb0, DUP, 0, IOD, 0), ROW(0xb1, DUP, 0, IOD, 0),
	/* 4-31 */
	E(0xdf, M), E(0xdc, IOD), E(0xdd, IOD | M), E(0xdb, IOD), E(0xde, IOD | M),
	E(0xda, IOD | M),
	/* 4-33, 4-35 */
	E(0x13, 0), E(0x52, 0), E(0x53, 0),
	ROW(CYCLES_HALTED, 1 << 10, 0, 0, 1),
	E(0x2d, IOD), E(0x48, I), E(0x47, I),
	/* 4-37 */
	BUS(0x80), BUS(0x81), BUS(0x82), BUS(0x83), BUS(0x84), BUS(0x87), BUS(0x88), BUS(0x89),
	BUS(0x8a), BUS(0x8b), BUS(0x8c), BUS(0x8d), BUS(0x8e), BUS(0x8f), BUS(0x90), BUS(0x91),
	BUS(0x92), BUS(0x93), BUS(0x97), BUS(0x98), BUS(0x9e), BUS(0x9f), BUS(0xa0), BUS(0xa1),
	BUS(0xa2), BUS(0xa3), BUS(0xa4), BUS(0xa5), BUS(0xa6), BUS(0xa7), BUS(0xa8), BUS(0xaa),
	BUS(0xab), BUS(0xac), BUS(0xad), BUS(0xae), BUS(0xaf), BUS(0xb4), BUS(0xb5), BUS(0xb6),
	BUS(0xb7), BUS(0xb8), BUS(0xb9), BUS(0xba), BUS(0xbb), BUS(0xbc), BUS(0xbd), BUS(0xbe),
	/* 4-39, and events of the missing pages */
	E(0x2b, 0), E(0x2a, 0), E(0x26, 0), E(0x29, 0), E(0x28, 0), E(0x24, 0), E(0x32, 0),
	E(0x20, IOD), E(0x0c, 0), E(0x0d, 0), E(0x0e, 0), E(0x0f, 0),
};

unsigned int mont_l2d_master(unsigned int n)
{
	switch (n) {
	case 4:
	case 5:
	case 8:
		return 4;
	case 6:
	case 7:
	case 9:
		return 6;
	}
	return 0;
}

/* Return the event that counter @n selects. */
static const struct mont_code *selected(const struct mont *m, unsigned int n)
{
	return &mont_codes[MONT_ES(m->pmc[n])];
}

bool mont_defined(const struct mont *m, unsigned int n)
{
	const struct mont_code *code = selected(m, n);
	unsigned int master = mont_l2d_master(n);

	if (!(code->counters >> n & 1))
		return false;
	if (code->set >= MONT_L2D(0))
		return code->set == selected(m, master)->set;
	return !code->set || code->set == selected(m, 5)->set;
}

static void check_counter(struct mont *m, unsigned int n)
{
	const struct mont_code *code = selected(m, n);
	unsigned int es = MONT_ES(m->pmc[n]), master = mont_l2d_master(n);
	bool all = MONT_ALL(m->pmc[n]), l2d = code->set >= MONT_L2D(0);

	if (!code->counters) {
		mont_found(m, "PMC%u counts event 0x%x, which does not exist (chapter 4)", n, es);
		return;
	}
	if (!(code->counters >> n & 1))
		mont_found(m, "PMC%u cannot count event 0x%x (3.3.3)", n, es);
	else if (l2d && !mont_defined(m, n))
		mont_found(m, "PMC%u counts L2D event 0x%x, whose set PMC%u does not select (4.8.4)",
			   n, es, master);
	else if (!mont_defined(m, n))
		mont_found(m, "PMC%u counts L1D event 0x%x, whose set PMC5 does not select (4.8.2)",
			   n, es);
	else if (l2d && (MONT_UMASK(m->pmc[n]) != MONT_UMASK(m->pmc[master]) ||
			 all != MONT_ALL(m->pmc[master])))
		mont_found(m, "PMC%u has another unit mask or .all than PMC%u, whose hold for it (4.8.4)",
			   n, master);
	if (all && n > 9)
		mont_found(m, "PMC%u has .all, which is PMC4-9's (table 3-6)", n);
	if (all && code->no_all)
		mont_found(m, "PMC%u has .all with event 0x%x, which does not support it (table 4-19)",
			   n, es);
	if (code->quals & MONT_HAS_MESI && !MONT_MESI(m->pmc[n]))
		mont_found(m, "PMC%u counts event 0x%x in no MESI state (table 3-6)", n, es);
	if (es == MONT_DEAR_EVENTS && !MONT_PLM(m->pmc[PMC_DEAR]))
		mont_found(m, "PMC%u counts data EAR captures, and PMC40 is off", n);
	if (es == MONT_IEAR_EVENTS && !MONT_PLM(m->pmc[PMC_IEAR]))
		mont_found(m, "PMC%u counts instruction EAR captures, and PMC37 is off", n);
}

static void check_units(struct mont *m)
{
	uint64_t iear = m->pmc[PMC_IEAR], etb = m->pmc[PMC_ETB], dear = m->pmc[PMC_DEAR];
	unsigned int mode = MONT_IPEAR_MODE(m->pmc[PMC_IPEAR]);

	if (mode && mode != MONT_IPEAR_ON)
		mont_found(m, "PMC42.mode=%u is undefined (table 3-30)", mode);
	if (MONT_PLM(etb) && mode)
		mont_found(m, "PMC39 is set up and PMC42.mode overrides it (3.3.10.2)");
	if (MONT_PLM(etb) && etb & ETB_DS)
		mont_found(m, "PMC39.ds=1 is reserved (table 3-26)");
	if (MONT_PLM(iear) && iear & MONT_IEAR_CACHE && iear & IEAR_UMASK &&
	    !mont_iear_latency((iear & IEAR_UMASK) >> 5))
		mont_found(m, "PMC37's cache unit mask is undefined (table 3-16)");
	if (!MONT_PLM(dear))
		return;
	if (etb && MONT_DEAR_MODE(dear))
		mont_found(m, "PMC39 is not zero in a TLB or ALAT mode of the data EAR (3.3.9)");
	if (!MONT_DEAR_MODE(dear) && MONT_UMASK(dear) > DEAR_UMASK_LAST)
		mont_found(m, "PMC40's cache unit mask captures nothing (table 3-21)");
}

/* Table 3-10 */
static void check_fine(struct mont *m)
{
	unsigned int n;

	for (n = 0; n < 2; n++) {
		const uint64_t *low = &m->ibr[2 * n], *high = &m->ibr[2 * n + 4];

		if (mont_ibrp_on(m, n) != mont_ibrp_on(m, n + 2))
			mont_found(m, "IBRP%u and IBRP%u are not both in use for a fine range", n,
				   n + 2);
		if (!mont_ibrp_on(m, n))
			continue;
		if ((low[0] ^ high[0]) >> 16 || (low[1] ^ high[1]) >> 16)
			mont_found(m, "the limits of fine range %u are not in one 64 KiB page", n);
		if ((high[0] & 0xffff) <= (low[0] & 0xffff))
			mont_found(m, "the upper limit of fine range %u is not above the lower", n);
	}
	for (n = MONT_FIRST; n <= MONT_LAST; n++)
		if (MONT_PLM(m->pmc[n]) && MONT_ES(m->pmc[n]) == MONT_INST_RETIRED &&
		    MONT_UMASK(m->pmc[n]) & 2)
			mont_found(m, "PMC%u counts a tag channel that fine mode leaves undefined",
				   n);
}

static void check_filters(struct mont *m)
{
	bool ig_ad = m->pmc[PMC_OPCODE0] & IG_AD;
	uint64_t pmc41 = m->pmc[PMC_DBR];
	unsigned int n;

	if (!(pmc41 >> 45 & 0xf) && !ig_ad && (mont_ibrp_on(m, 0) || mont_ibrp_on(m, 1)))
		mont_found(m, "PMC41[48:45]=0 with PMC32.ig_ad=0 and an instruction range (3.3.7)");
	if (!ig_ad && m->pmc[PMC_OPCODE0] & INV)
		mont_found(m, "PMC32.inv is left at its reset value and inverts (table 3-3)");
	for (n = 0; n < 4; n++)
		if (mont_ibrp_on(m, n) && m->ibr[2 * n + 1] & BREAK_X)
			mont_found(m, "IBRP%u is a debug register, its x bit is set (3.3.5)", n);
	if (m->pmc[PMC_IBR] & MONT_FINE)
		check_fine(m);
	if (m->dbr[1] & BREAK_RW && pmc41 & EN_DBRP0 && !(pmc41 & NO_DBRP0))
		mont_found(m, "DBRP0 has .r or .w set (3.3.7)");
}

void mont_check_setup(struct mont *m)
{
	unsigned int n, cancels = 0;

	for (n = MONT_FIRST; n <= MONT_LAST; n++) {
		unsigned int es = MONT_ES(m->pmc[n]);

		if (!MONT_PLM(m->pmc[n]))
			continue;
		check_counter(m, n);
		cancels += es == L2D_OZQ_CANCELS0 || es == L2D_OZQ_CANCELS1;
	}
	if (cancels > 1)
		mont_found(m, "more than one L2D_OZQ_CANCELS event is counted");
	check_units(m);
	check_filters(m);
}

/* Reserved bits and their required values (3.3.12) */
static const struct {
	uint64_t mask, value;
	const char *table;
} reserved[MONT_PMCS] = {
	[36] = { 0xfffffff0, 0xfffffff0, "table 3-13" },
	[37] = { 0xc000, 0, "table 3-15" },
	[38] = { ~0x2492ULL, 0xdb6 & ~0x2492ULL, "table 3-10" },
	[41] = { ~0x1e00018181818ULL, 0x2078fefefefe & ~0x1e00018181818ULL, "table 3-14" },
};

void mont_check_write(struct mont *m, unsigned int n, uint64_t v)
{
	if ((v & reserved[n].mask) != reserved[n].value)
		mont_found(m, "PMC%u written with 0x%llx: reserved bits are changed (%s)", n,
			   (unsigned long long)v, reserved[n].table);
	if ((mont_is_counter(n) || n == PMC_DEAR) && MONT_ISM(v) != MONT_ISM_IA64)
		mont_found(m, "PMC%u.ism is not '10 (table 3-5)", n);
}
