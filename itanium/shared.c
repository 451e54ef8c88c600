// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values of the shared registers for events that itanium_assign() has accepted,
 * with reserved bits as the manual requires (3.3.5, 3.3.7, 3.3.9, 3.3.10).
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/kernel.h>

#include "event.h"

#define BR_MASK		GENMASK_ULL(55, 0)	/* 1: compare the bit */
#define BR_PLM		GENMASK_ULL(59, 56)
#define IBR_LIMIT	GENMASK_ULL(15, 0)	/* in fine mode */

static const u64 defaults[ITANIUM_NR_SHARED] = {
	[PMC32 - PMC32] = PMC32_DEFAULT,
	[PMC33 - PMC32] = PMC33_MATCH,
	/* .inv and .ig_ad have no effect in PMC34, but also reset to 1 */
	[PMC34 - PMC32] = PMC32_DEFAULT,
	[PMC35 - PMC32] = PMC33_MATCH,
	[PMC36 - PMC32] = PMC36_DEFAULT,
	[PMC38 - PMC32] = PMC38_DEFAULT,
	[PMC40 - PMC32] = PMC40_ISM_IA64,
	[PMC41 - PMC32] = PMC41_DEFAULT,
};

/*
 * Set a pair of breakpoint registers; .x, .r and .w stay 0 (3.3.5, 3.3.7). With
 * .plm, br[1] is never 0: see struct itanium_shared.
 */
static void fill_range(u64 *br, u64 addr, u64 mask)
{
	br[0] = addr;
	br[1] = (~mask & BR_MASK) | BR_PLM;
}

/* Each opcode matcher serves two tag channels, 3.3.6 */
static void fill_matcher(struct itanium_shared *s, unsigned int matcher,
			 const struct itanium_use *v)
{
	u64 *pmc = &s->pmc[PMC32 - PMC32 + 2 * matcher];

	pmc[0] = (pmc[0] & (PMC32_INV | PMC32_IG_AD)) |
		 FIELD_PREP(PMC32_MIFB,
			    FIELD_GET(ITANIUM_MASK(opc_type), v->v[0])) |
		 FIELD_PREP(PMC32_MASK, v->v[1]);
	pmc[1] = FIELD_GET(ITANIUM_MASK(opc_match), v->v[0]);
}

/* Set range @n (3.3.5). In fine mode, @n is 0 or 1, and @n + 2 is its upper limit. */
static void fill_ibrp(struct itanium_shared *s, unsigned int n,
		      const struct itanium_use *v)
{
	u64 *pmc38 = &s->pmc[PMC38 - PMC32];

	*pmc38 &= ~PMC38_IG_IBRP(n);
	if (!(v->v[1] & ITANIUM_RES_LIMITS)) {
		fill_range(&s->ibr[2 * n], v->v[0], v->v[1]);
		return;
	}
	*pmc38 &= ~PMC38_IG_IBRP(n + 2);
	*pmc38 |= PMC38_FINE;
	fill_range(&s->ibr[2 * n], v->v[0], 0);
	fill_range(&s->ibr[2 * n + 4],
		   (v->v[0] & ~IBR_LIMIT) | (v->v[1] & IBR_LIMIT), 0);
}

/*
 * Set up the tag channels for the resources in use, on[]. Table 3-3, but with
 * tag 01 of table 3-14 for "instruction address range only".
 */
static void fill_channels(struct itanium_shared *s,
			  const struct itanium_use *const *on)
{
	bool channel0 = on[ITANIUM_RES_OPC0] || on[ITANIUM_RES_IBRP0];
	unsigned int i;
	u64 tag;

	for (i = 0; i < ITANIUM_MATCHERS; i++)
		if (on[ITANIUM_RES_OPCM0 + i])
			fill_matcher(s, i, on[ITANIUM_RES_OPCM0 + i]);

	for (i = 0; i < ITANIUM_CHANNELS; i++) {
		if (on[ITANIUM_RES_IBRP0 + i])
			fill_ibrp(s, i, on[ITANIUM_RES_IBRP0 + i]);
		if (on[ITANIUM_RES_OPC0 + i])
			continue;
		if (on[ITANIUM_RES_IBRP0 + i] ||
		    on[ITANIUM_RES_OPCM0 + i % ITANIUM_MATCHERS])
			s->pmc[PMC36 - PMC32] |= PMC36_IG_OPC(i);
	}

	/* .inv resets to 1, and takes effect with .ig_ad = 0. */
	if (channel0)
		s->pmc[PMC32 - PMC32] &= ~(PMC32_IG_AD | PMC32_INV);

	if (on[ITANIUM_RES_DBRP0])
		tag = channel0 ? PMC41_DTAG_IBR_OPC_DBR : PMC41_DTAG_DBR;
	else
		tag = channel0 ? PMC41_DTAG_IBR_OPC : PMC41_DTAG_NONE;
	s->pmc[PMC41 - PMC32] &= ~PMC41_CFGDTAG0;
	s->pmc[PMC41 - PMC32] |= FIELD_PREP(PMC41_CFGDTAG0, tag);
}

/* Resources with one register */
static const u8 units[] = {
	[ITANIUM_RES_DEAR] = PMC40,
	[ITANIUM_RES_IEAR] = PMC37,
	[ITANIUM_RES_ETB] = PMC39,
	[ITANIUM_RES_IP] = PMC42,
};

/* Compute the shared registers for @n events. */
void itanium_shared_values(const struct itanium_req *const *req, int n,
			   struct itanium_shared *s)
{
	const struct itanium_use *on[ITANIUM_RES_NR] = { NULL };
	size_t k;
	int i, r;

	*s = (struct itanium_shared){ .ibr = { 0 } };
	for (k = 0; k < ARRAY_SIZE(defaults); k++)
		s->pmc[k] = defaults[k];

	for (i = 0; i < n; i++)
		for (r = 0; r < ITANIUM_RES_NR; r++)
			if (req[i]->res[r].v[1] & ITANIUM_RES_ON)
				on[r] = &req[i]->res[r];

	for (k = 0; k < ARRAY_SIZE(units); k++)
		if (on[k])
			s->pmc[units[k] - PMC32] = on[k]->v[0];
	fill_channels(s, on);
	if (on[ITANIUM_RES_DBRP0])
		fill_range(s->dbr, on[ITANIUM_RES_DBRP0]->v[0],
			   on[ITANIUM_RES_DBRP0]->v[1]);
}
