// SPDX-License-Identifier: GPL-2.0-only
/*
 * Montecito's performance monitors: event address registers (3.3.8 and 3.3.9), and the execution
 * trace buffer in its two modes (3.3.10)
 */
#include "monitors.h"

/* Tables 3-20 to 3-25 */
#define DEAR_UMASK_LAST		10		/* at least 4 << 10 cycles */
#define DEAR_LATENCY		0x1fffULL
#define DEAR_OVERFLOW		(1ULL << 13)
#define DEAR_STAT(n)		((uint64_t)(n) << 14)
#define DEAR_SECOND		(1ULL << 2)
#define DEAR_VALID		(1ULL << 3)

/* Tables 3-15 to 3-19 */
#define IEAR_TLB_OFF		(1ULL << 12)
#define IEAR_UMASK(v)		((v) >> 5 & 0xff)
#define IEAR_LATENCY		0xfffULL
#define IEAR_OVERFLOW		(1ULL << 12)
#define IEAR_LINE		0x1fULL

/* Tables 3-26 to 3-29 */
#define ETB_TM(v)		((v) >> 8 & 3)
#define ETB_PTM(v)		((v) >> 10 & 3)
#define ETB_PPM(v)		((v) >> 12 & 3)
#define ETB_BRT(v)		((v) >> 14 & 3)
#define ETB_MISPREDICTED	1
#define ENTRIES			16
#define ENTRY_SOURCE		1ULL
#define ENTRY_MP		2ULL	/* mispredicted, or a target that is valid */
#define ENTRY_SLOT(n)		((uint64_t)(n) << 2)
#define SLOT_NOT_TAKEN		3
#define EXTENSION_SECOND	1	/* the second bundle of the pair */
#define EXTENSION_FLUSH		2
#define INDEX_FULL		(1ULL << 5)
#define EXTENSION_EARLY		1	/* tables 3-31 to 3-33 */

/* Two bundles are dispersed together, and only the address of the first is captured. */
#define PAIR			(~0x1fULL)
#define BUNDLE			(~0xfULL)
#define SECOND			0x10

/* Table 3-21: four times two to the power of the unit mask; 3-23: a bit for each level */
static bool data_wanted(const struct mont *m, const struct mont_event *e)
{
	uint64_t pmc = m->pmc[PMC_DEAR];
	unsigned int mode = MONT_DEAR_MODE(pmc), umask = MONT_UMASK(pmc);

	if (e->mode != (mode & MONT_MISS_ALAT ? MONT_MISS_ALAT : mode))
		return false;
	if (mode == MONT_MISS_CACHE)
		return umask <= DEAR_UMASK_LAST && e->latency >= 4ULL << umask;
	return mode != MONT_MISS_TLB || umask >> e->hit & 1;
}

bool mont_capture_data(struct mont *m, const struct mont_event *e)
{
	uint64_t latency = mont_noise(m) & (DEAR_LATENCY | DEAR_OVERFLOW);

	if (!mont_enabled(m, PMC_DEAR, e->psr) || !data_wanted(m, e) ||
	    !mont_qualified(m, e, MONT_DEAR_EVENTS, 0))
		return false;
	if (e->mode == MONT_MISS_CACHE)
		latency = (e->latency & DEAR_LATENCY) |
			  (e->latency > DEAR_LATENCY ? DEAR_OVERFLOW : 0);
	m->pmd[PMD_DEAR_ADDRESS] = e->mode == MONT_MISS_ALAT ? mont_noise(m) : e->data;
	m->pmd[PMD_DEAR_LATENCY] = latency | DEAR_STAT(e->mode == MONT_MISS_TLB ? e->hit : 1);
	m->pmd[PMD_DEAR_IP] = e->vl ? (e->ip & PAIR) | (e->ip & SECOND ? DEAR_SECOND : 0) |
				      e->slot | DEAR_VALID : mont_noise(m) & ~DEAR_VALID;
	return true;
}

unsigned int mont_iear_latency(unsigned int umask)
{
	switch (umask) {
	case 0x40 ... 0x7f:
		return 1;
	case 0xff:
		return 4;
	case 0xfe:
		return 8;
	case 0xfc:
		return 16;
	case 0xf8:
		return 32;
	case 0xf0:
		return 128;
	case 0xe0:
		return 256;
	case 0xc0:
		return 1024;
	case 0x80:
		return 4096;
	}
	return 0;
}

static bool code_wanted(uint64_t pmc, const struct mont_event *e)
{
	unsigned int umask = IEAR_UMASK(pmc), least = mont_iear_latency(umask);

	if (e->mode != (pmc & MONT_IEAR_CACHE ? MONT_MISS_CACHE : MONT_MISS_TLB))
		return false;
	if (e->mode == MONT_MISS_CACHE)
		return umask ? least && e->latency >= least : e->rab;
	return !(pmc & IEAR_TLB_OFF) && umask << 1 >> e->hit & 1;
}

bool mont_capture_code(struct mont *m, const struct mont_event *e)
{
	bool cache = e->mode == MONT_MISS_CACHE;

	if (!mont_enabled(m, PMC_IEAR, e->psr) || !code_wanted(m->pmc[PMC_IEAR], e) ||
	    !mont_qualified(m, e, MONT_IEAR_EVENTS, 0))
		return false;
	m->pmd[PMD_IEAR_ADDRESS] = (e->ip & ~IEAR_LINE) | (cache ? 1 : e->hit);
	m->pmd[PMD_IEAR_LATENCY] = !cache ? mont_noise(m) & (IEAR_LATENCY | IEAR_OVERFLOW) :
		(e->latency & IEAR_LATENCY) | (e->latency > IEAR_LATENCY ? IEAR_OVERFLOW : 0);
	return true;
}

/* Figure 3-26: the extensions of the lower and the upper eight entries alternate in PMD39. */
static void put_entry(struct mont *m, uint64_t entry, uint64_t extension)
{
	uint64_t *index = &m->pmd[PMD_ETB_INDEX];
	unsigned int n = *index % ENTRIES;
	unsigned int shift = 8 * (n % 8) + (n < 8 ? 0 : 4);

	m->pmd[PMD_ETB + n] = entry;
	m->pmd[PMD_ETB_EXTENSION] &= ~(0xfULL << shift);
	m->pmd[PMD_ETB_EXTENSION] |= extension << shift;
	*index = (n + 1) % ENTRIES | (n + 1 == ENTRIES ? INDEX_FULL : *index & INDEX_FULL);
}

static bool has(unsigned int field, bool bit1)
{
	return field >> bit1 & 1;
}

/* 3.3.10.1.1: only branches are subject to more than the privilege levels. */
bool mont_branch_wanted(const struct mont *m, const struct mont_event *e)
{
	uint64_t pmc = m->pmc[PMC_ETB];

	if (MONT_IPEAR_MODE(m->pmc[PMC_IPEAR]) || !mont_enabled(m, PMC_ETB, e->psr))
		return false;
	if (!e->type)
		return true;
	return (!ETB_BRT(pmc) || ETB_BRT(pmc) == e->type) && has(ETB_TM(pmc), e->taken) &&
	       has(ETB_PTM(pmc), e->target_ok) && has(ETB_PPM(pmc), e->path_ok) &&
	       !(ETB_PTM(pmc) == ETB_MISPREDICTED && ETB_PPM(pmc) == ETB_MISPREDICTED) &&
	       mont_qualified(m, e, MONT_BRANCH_EVENT, 0);
}

/*
 * The source, and its target behind it. A source in the bundle of the last target may replace
 * that, if the branch before was predicted (3.3.10): here, now and then.
 */
bool mont_capture_branch(struct mont *m, const struct mont_event *e)
{
	bool mispredicted = !e->target_ok || !e->path_ok;
	uint64_t *index = &m->pmd[PMD_ETB_INDEX];

	if (!mont_branch_wanted(m, e))
		return false;
	if (m->last_target_valid && m->last_target == (e->ip & BUNDLE) && mont_noise(m) & 1)
		*index = (*index & INDEX_FULL) | (*index - 1) % ENTRIES;
	put_entry(m, (e->ip & PAIR) | ENTRY_SLOT(e->taken ? e->slot : SLOT_NOT_TAKEN) |
		  ENTRY_SOURCE | (mispredicted ? ENTRY_MP : 0),
		  (e->ip & SECOND ? EXTENSION_SECOND : 0) | (mispredicted ? EXTENSION_FLUSH : 0));
	put_entry(m, (e->to & BUNDLE) | ENTRY_MP, 0);
	m->last_target = e->to & BUNDLE;
	m->last_target_valid = !mispredicted;
	return true;
}

void mont_capture_handler(struct mont *m, uint64_t handler)
{
	m->last_target = handler & BUNDLE;
	m->pmd[PMD_ETB + (m->pmd[PMD_ETB_INDEX] - 1) % ENTRIES] = m->last_target | ENTRY_MP;
}

/* 3.3.10.2.1. The machine knows what is captured between a freeze and the end of the delay. */
bool mont_capture_ip(struct mont *m, const struct mont_event *e)
{
	if (MONT_IPEAR_MODE(m->pmc[PMC_IPEAR]) != MONT_IPEAR_ON)
		return false;
	put_entry(m, (e->cycles & 0xf) << 60 | (e->ef ? e->ip >> 12 << 8 | e->early : e->ip >> 4),
		  e->cycles >> 4 << 2 | (e->flush ? EXTENSION_FLUSH : 0) |
		  (e->ef ? EXTENSION_EARLY : 0));
	return true;
}
