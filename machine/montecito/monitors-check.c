// SPDX-License-Identifier: GPL-2.0-only
/*
 * Montecito's performance monitors: the protocol checker of what the manual calls reserved,
 * illegal or undefined
 */
#include "monitors.h"

/* Tables 3-11, 3-14, 3-15, 3-21, 3-26 */
#define INV			(1ULL << 56)
#define IG_AD			(1ULL << 57)
#define NO_DBRP(n)		(1ULL << (8 * (n) + 3))
#define EN_DBRP(n)		(1ULL << (45 + (n)))
#define IEAR_UMASK		0x1fe0ULL
#define DEAR_UMASK_LAST		10
#define ETB_DS			(1ULL << 7)

/* Odd breakpoint registers */
#define BREAK_RW		(3ULL << 62)
#define BREAK_X			(1ULL << 63)

static void check_counter(struct mont *m, unsigned int n)
{
	const struct mont_code *code = &mont_codes[MONT_ES(m->pmc[n])];
	unsigned int es = MONT_ES(m->pmc[n]), master = mont_l2d_master(n);
	bool all = MONT_ALL(m->pmc[n]), l2d = code->set >= MONT_L2D(0);

	if (!code->counters) {
		mont_found(m, "PMC%u counts event 0x%x, which does not exist (chapter 4)", n, es);
		return;
	}
	if (!(code->counters >> n & 1))
		mont_found(m, "PMC%u cannot count event 0x%x (3.3.3)", n, es);
	else if (l2d && !mont_defined(m, n))
		mont_found(m,
			   "PMC%u counts L2D event 0x%x, whose set PMC%u does not select (4.8.4)",
			   n, es, master);
	else if (!mont_defined(m, n))
		mont_found(m, "PMC%u counts L1D event 0x%x, whose set PMC5 does not select (4.8.2)",
			   n, es);
	else if (l2d && (MONT_UMASK(m->pmc[n]) != MONT_UMASK(m->pmc[master]) ||
			 all != MONT_ALL(m->pmc[master])))
		mont_found(m,
			   "PMC%u has another unit mask or .all than PMC%u, whose hold for it (4.8.4)",
			   n, master);
	if (all && n > 9)
		mont_found(m, "PMC%u has .all, which is PMC4-9's (table 3-6)", n);
	if (all && code->no_all)
		mont_found(m,
			   "PMC%u has .all with event 0x%x, which does not support it (table 4-19)",
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
	for (n = 0; n < 4; n++) {
		if (mont_ibrp_on(m, n) && m->ibr[2 * n + 1] & BREAK_X)
			mont_found(m, "IBRP%u is a debug register, its x bit is set (3.3.5)", n);
		if (m->dbr[2 * n + 1] & BREAK_RW && pmc41 & EN_DBRP(n) && !(pmc41 & NO_DBRP(n)))
			mont_found(m, "DBRP%u has .r or .w set (3.3.7)", n);
	}
	if (m->pmc[PMC_IBR] & MONT_FINE)
		check_fine(m);
}

static void check_setup(struct mont *m)
{
	unsigned int n, cancels = 0;

	for (n = MONT_FIRST; n <= MONT_LAST; n++) {
		unsigned int es = MONT_ES(m->pmc[n]);

		if (!MONT_PLM(m->pmc[n]))
			continue;
		check_counter(m, n);
		cancels += es == MONT_L2D_OZQ_CANCELS0 || es == MONT_L2D_OZQ_CANCELS1;
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

static void check_value(struct mont *m, unsigned int n, uint64_t v)
{
	if ((v & reserved[n].mask) != reserved[n].value)
		mont_found(m, "PMC%u written with 0x%llx: reserved bits are changed (%s)", n,
			   (unsigned long long)v, reserved[n].table);
	if ((mont_is_counter(n) || n == PMC_DEAR) && MONT_ISM(v) != MONT_ISM_IA64)
		mont_found(m, "PMC%u.ism is not '10 (table 3-5)", n);
}

/* Table 3-4 */
static bool check_exists(struct mont *m, enum mont_access access, unsigned int n)
{
	bool pmc = access == MONT_READ_PMC || access == MONT_WRITE_PMC;
	bool reads = access == MONT_READ_PMC || access == MONT_READ_PMD;

	if (pmc ? mont_pmc_exists(n) : mont_pmd_exists(n))
		return true;
	mont_found(m, "%s%u is %s, which does not exist (table 3-4)", pmc ? "PMC" : "PMD", n,
		   reads ? "read" : "written");
	return false;
}

/* Architecture manual, volume 2, 7.2: what depends on a write comes after its serialization. */
static void check_order(struct mont *m, const char *what, unsigned int n, bool late)
{
	if (late || m->pmc_written & 1)
		mont_found(m, "%s%u is accessed before what it depends on is serialized", what, n);
}

/* PMDn depends on a write of PMCn that turns it on. */
static bool control_is_late(const struct mont *m, unsigned int n)
{
	return mont_is_counter(n) && m->pmc_written >> n & 1 && MONT_PLM(m->next_pmc[n]);
}

static void check_pmc_write(struct mont *m, unsigned int n, uint64_t v)
{
	check_value(m, n, v);
	if (n && !mont_frozen(m))
		mont_found(m, "PMC%u is written while monitoring runs", n);
	/* Monitoring is released when all else has taken effect. */
	check_order(m, "PMC", n, !n && !(v & MONT_FREEZE) && (m->pmc_written || m->pmd_written));
}

static void check_pmd_read(struct mont *m, unsigned int n)
{
	check_order(m, "PMD", n, m->pmd_written >> n & 1 || control_is_late(m, n));
	if (!mont_is_counter(n) && !mont_frozen(m))
		mont_found(m, "PMD%u is read while monitoring runs (3.3.1)", n);
}

static void check_pmd_write(struct mont *m, unsigned int n, uint64_t v)
{
	if (!mont_frozen(m))
		mont_found(m, "PMD%u is written while monitoring runs", n);
	if (mont_is_counter(n) && v >> MONT_COUNT_BITS & 1)
		mont_found(m, "PMD%u.ov is written with 1 (table 3-7)", n);
	check_order(m, "PMD", n, control_is_late(m, n));
}

static void check_release(struct mont *m)
{
	check_setup(m);
	if (m->asking)
		mont_found(m,
			   "PMD%u: monitoring is released before its interrupt is cleared (3.3.11)",
			   (unsigned int)__builtin_ctzll(m->asking));
}

void mont_check(struct mont *m, enum mont_access access, unsigned int n, uint64_t v)
{
	if (access != MONT_RELEASE && !check_exists(m, access, n))
		return;
	switch (access) {
	case MONT_READ_PMC:
		check_order(m, "PMC", n, m->pmc_written >> n & 1);
		break;
	case MONT_WRITE_PMC:
		check_pmc_write(m, n, v);
		break;
	case MONT_READ_PMD:
		check_pmd_read(m, n);
		break;
	case MONT_WRITE_PMD:
		check_pmd_write(m, n, v);
		break;
	case MONT_RELEASE:
		check_release(m);
		break;
	}
}
