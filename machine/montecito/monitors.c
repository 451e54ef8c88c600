// SPDX-License-Identifier: GPL-2.0-only
/* Montecito's performance monitors: registers and counters */
#include "monitors.h"

/* Writable bits; others are ignored and read as 0. */
static const uint64_t pmc_fields[MONT_PMCS] = {
	[0] = 0xfff1,
	[4 ... 15] = 0x7f7fff7f,
	[32] = 0x030f01ffffffffff,
	[33] = 0x000001ffffffffff,
	[34] = 0x030f01ffffffffff,
	[35] = 0x000001ffffffffff,
	[36] = 0xffffffff,
	[37] = 0x3fff,
	[38] = ~0ULL,
	[39] = 0xffcf,
	[40] = 0x030f01cf,
	[41] = ~0ULL,
	[42] = 0x7ff4f,
};

static const uint64_t pmd_fields[MONT_PMDS] = {
	[4 ... 15] = MONT_COUNT,
	[32] = ~0ULL,
	[33] = 0xffff,
	[34] = ~0x1cULL,
	[35] = 0x1fff,
	[36] = ~0ULL,
	[38] = 0x2f,
	[39] = ~0ULL,
	[48 ... 63] = ~0ULL,
};

uint64_t mont_noise(struct mont *m)
{
	m->noise ^= m->noise << 13;
	m->noise ^= m->noise >> 7;
	m->noise ^= m->noise << 17;
	return m->noise;
}

/* Table 3-4 */
bool mont_pmc_exists(unsigned int n)
{
	return n <= MONT_LAST || (n >= PMC_OPCODE0 && n <= PMC_IPEAR);
}

bool mont_pmd_exists(unsigned int n)
{
	return n < MONT_PMDS && pmd_fields[n];
}

uint64_t mont_read_pmc(struct mont *m, unsigned int n)
{
	mont_check(m, MONT_READ_PMC, n, 0);
	return mont_pmc_exists(n) ? m->pmc[n] : 0;
}

uint64_t mont_read_pmd(struct mont *m, unsigned int n)
{
	mont_check(m, MONT_READ_PMD, n, 0);
	if (!mont_pmd_exists(n))
		return 0;
	/* 3.3.1: without a privilege level, a monitor does not keep its value. */
	if (mont_is_counter(n) ? !MONT_PLM(m->pmc[n]) : !mont_frozen(m))
		return mont_noise(m);
	if (!mont_is_counter(n))
		return m->pmd[n];
	return (int64_t)(m->pmd[n] << (64 - MONT_COUNT_BITS)) >> (64 - MONT_COUNT_BITS);
}

void mont_write_pmc(struct mont *m, unsigned int n, uint64_t v)
{
	mont_check(m, MONT_WRITE_PMC, n, v);
	if (!mont_pmc_exists(n))
		return;
	m->next_pmc[n] = v & pmc_fields[n];
	m->pmc_written |= 1ULL << n;
}

void mont_write_pmd(struct mont *m, unsigned int n, uint64_t v)
{
	mont_check(m, MONT_WRITE_PMD, n, v);
	if (!mont_pmd_exists(n))
		return;
	m->next_pmd[n] = v & pmd_fields[n];
	m->pmd_written |= 1ULL << n;
}

/* 3.3.11: what clears the interrupt of an overflow */
static void clear_overflows(struct mont *m)
{
	bool asked = mont_asks(m);
	unsigned int n;

	for (n = MONT_FIRST; n <= MONT_LAST; n++)
		if (m->pmd_written >> n & 1 || !(m->pmc[n] & MONT_OI))
			m->asking &= ~(1ULL << n);
	if (asked && !m->asking)
		mont_withdraw(m);
}

void mont_serialize(struct mont *m)
{
	bool was_frozen = mont_frozen(m);
	unsigned int n;

	for (n = 0; n < MONT_PMCS; n++)
		if (m->pmc_written >> n & 1)
			m->pmc[n] = m->next_pmc[n];
	for (n = 0; n < MONT_PMDS; n++) {
		if (m->pmd_written >> n & 1)
			m->pmd[n] = m->next_pmd[n];
		if (mont_is_counter(n) && !MONT_PLM(m->pmc[n]))
			m->pmd[n] = mont_noise(m) & MONT_COUNT;
	}
	if (m->pmd_written >> PMD_ETB_INDEX & 1)
		m->last_target_valid = false;
	clear_overflows(m);
	m->pmc_written = 0;
	m->pmd_written = 0;
	if (was_frozen && !mont_frozen(m))
		mont_check(m, MONT_RELEASE, 0, 0);
}

/* 3.3.12: what PAL sets; .ev and .oi are 0; the rest is undefined. */
void mont_reset(struct mont *m, uint64_t seed)
{
	unsigned int n;

	*m = (struct mont){ .noise = seed | 1, .level = seed * 0x9e3779b97f4a7c15 >> 63 };
	for (n = 0; n < MONT_PMDS; n++)
		m->pmd[n] = mont_noise(m) & pmd_fields[n];
	for (n = MONT_FIRST; n < MONT_PMCS; n++)
		m->pmc[n] = mont_noise(m) & pmc_fields[n];
	for (n = MONT_FIRST; n <= MONT_LAST; n++)
		m->pmc[n] &= ~0x30ULL;
	for (n = PMC_OPCODE0; n < PMC_OPCODE_CONFIG; n++)
		m->pmc[n] = pmc_fields[n];
	m->pmc[PMC_OPCODE_CONFIG] = 0xfffffff0;
	m->pmc[PMC_IEAR] = 0;
	m->pmc[PMC_IBR] = 0xdb6;
	m->pmc[PMC_DEAR] = 0;
	m->pmc[PMC_DBR] = 0x2078fefefefe;
}

bool mont_privileged(const struct mont *m, unsigned int n)
{
	return m->pmc[n] & (n == PMC_IEAR ? 1 << 4 : MONT_PM);
}

/* Only the counters and the data EAR have an instruction set mask. */
bool mont_enabled(const struct mont *m, unsigned int n, uint64_t psr)
{
	uint64_t pmc = m->pmc[n];

	if (!(MONT_PLM(pmc) >> MONT_PSR_CPL(psr) & 1))
		return false;
	if ((mont_is_counter(n) || n == PMC_DEAR) && MONT_ISM(pmc) != MONT_ISM_IA64)
		return false;
	return psr & (mont_privileged(m, n) ? MONT_PSR_PP : MONT_PSR_UP);
}

bool mont_counts(struct mont *m, unsigned int n, const struct mont_event *e)
{
	const struct mont_code *code = &mont_codes[MONT_ES(m->pmc[n])];
	unsigned int umask = MONT_UMASK(m->pmc[n]);
	bool all = n <= 9 && MONT_ALL(m->pmc[n]);

	if (!mont_enabled(m, n, e->psr))
		return false;
	if (!mont_defined(m, n))
		return mont_noise(m) & 1;
	/* 4.8.4 */
	if (code->set >= MONT_L2D(0)) {
		umask = MONT_UMASK(m->pmc[mont_l2d_master(n)]);
		all = MONT_ALL(m->pmc[mont_l2d_master(n)]);
	}
	if ((e->umask != MONT_ANY && e->umask != umask) || (e->other && !all) ||
	    (code->quals & MONT_HAS_MESI && !(MONT_MESI(m->pmc[n]) & e->mesi)))
		return false;
	return mont_qualified(e->filters ?: m, e, MONT_ES(m->pmc[n]), umask);
}

void mont_add(struct mont *m, unsigned int n, uint64_t amount)
{
	bool froze = !mont_frozen(m);
	uint64_t sum = m->pmd[n] + amount;

	m->pmd[n] = sum & MONT_COUNT;
	if (sum <= MONT_COUNT)
		return;
	m->pmc[0] |= 1ULL << n;
	if (!(m->pmc[n] & MONT_OI))
		return;
	m->pmc[0] |= MONT_FREEZE;
	m->asking |= 1ULL << n;
	mont_overflow(m, froze);
}
