// SPDX-License-Identifier: GPL-2.0-only
/*
 * What Montecito's shared registers hold for a set of events that
 * itanium_assign() has accepted. Every value is one that the manual 308065-001
 * allows: reserved bits as it demands them, and none of its illegal
 * combinations (3.3.5, 3.3.7, 3.3.9, 3.3.10).
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/kernel.h>

#include "itanium_setup.h"

#define IBR_MASK	GENMASK_ULL(55, 0)	/* a 1 compares the bit */
#define IBR_PLM		GENMASK_ULL(59, 56)

static const u64 defaults[ITANIUM_NR_SHARED] = {
	[PMC32 - PMC32] = PMC32_DEFAULT,
	[PMC33 - PMC32] = PMC33_DEFAULT,
	/* .inv and .ig_ad are ignored in PMC34, and reset to ones as well. */
	[PMC34 - PMC32] = PMC32_DEFAULT,
	[PMC35 - PMC32] = PMC33_DEFAULT,
	[PMC36 - PMC32] = PMC36_DEFAULT,
	[PMC38 - PMC32] = PMC38_DEFAULT,
	[PMC40 - PMC32] = PMC40_ISM_IA64,
	[PMC41 - PMC32] = PMC41_DEFAULT,
};

static void set_dtag(struct itanium_setup *s, u64 tag)
{
	u64 *pmc41 = &s->pmc[PMC41 - PMC32];

	*pmc41 = (*pmc41 & ~PMC41_CFGDTAG0) | FIELD_PREP(PMC41_CFGDTAG0, tag);
}

static void set_range(u64 *br, const struct itanium_setting *v)
{
	br[0] = v->v[0];
	br[1] = (~v->v[1] & IBR_MASK) | IBR_PLM;
}

/*
 * Table 3-3, "opcode match only": channel 0 is tagged by OpCM0, the address is
 * not looked at. Channel 2 has the same matcher and is told to ignore it.
 */
static void set_opcode(struct itanium_setup *s, const struct itanium_setting *v)
{
	u64 type = FIELD_GET(ITANIUM_CFG1_OPC_TYPE, v->v[0]);

	/* .inv resets to 1, and would invert now that .ig_ad is 0 */
	s->pmc[PMC32 - PMC32] = FIELD_PREP(PMC32_MIFB, type) |
				FIELD_PREP(PMC32_MASK, v->v[1]);
	s->pmc[PMC33 - PMC32] = FIELD_GET(ITANIUM_CFG1_OPC_MATCH, v->v[0]);
	s->pmc[PMC36 - PMC32] = PMC36_DEFAULT | PMC36_IG_OPC(2);
	set_dtag(s, PMC41_DTAG_IBR_OPC);
}

/* Table 3-3, "instruction address range only", with tag 01 as table 3-14 says */
static void set_ibrp0(struct itanium_setup *s, const struct itanium_setting *v)
{
	s->pmc[PMC32 - PMC32] = PMC32_MASK | PMC32_MIFB;
	s->pmc[PMC36 - PMC32] = PMC36_DEFAULT | PMC36_IG_OPC(0);
	s->pmc[PMC38 - PMC32] &= ~PMC38_IG_IBRP(0);
	set_dtag(s, PMC41_DTAG_IBR_OPC);
	set_range(&s->ibr[0], v);
}

/* 3.3.5.2: prefetches are qualified by their target, in channel 1 */
static void set_ibrp1(struct itanium_setup *s, const struct itanium_setting *v)
{
	s->pmc[PMC38 - PMC32] &= ~PMC38_IG_IBRP(1);
	set_range(&s->ibr[2], v);
}

static void set_dbrp0(struct itanium_setup *s, const struct itanium_setting *v)
{
	set_dtag(s, PMC41_DTAG_DBR);
	set_range(s->dbr, v);
	/* .x, .r and .w stay 0, .plm is ignored (3.3.7) */
	s->dbr[1] &= IBR_MASK;
}

static void set_dear(struct itanium_setup *s, const struct itanium_setting *v)
{
	s->pmc[PMC40 - PMC32] = v->v[0];
}

static void set_iear(struct itanium_setup *s, const struct itanium_setting *v)
{
	s->pmc[PMC37 - PMC32] = v->v[0];
}

static void set_etb(struct itanium_setup *s, const struct itanium_setting *v)
{
	s->pmc[PMC39 - PMC32] = v->v[0];
}

static void set_ip(struct itanium_setup *s, const struct itanium_setting *v)
{
	s->pmc[PMC42 - PMC32] = v->v[0];
}

static void (*const setters[ITANIUM_RES_NR])(struct itanium_setup *s,
					     const struct itanium_setting *v) = {
	[ITANIUM_RES_DEAR] = set_dear,
	[ITANIUM_RES_IEAR] = set_iear,
	[ITANIUM_RES_ETB] = set_etb,
	[ITANIUM_RES_IP] = set_ip,
	[ITANIUM_RES_OPC] = set_opcode,
	[ITANIUM_RES_IBRP0] = set_ibrp0,
	[ITANIUM_RES_IBRP1] = set_ibrp1,
	[ITANIUM_RES_DBRP0] = set_dbrp0,
};

/**
 * itanium_setup() - the shared registers for a set of events
 * @req: what the events need; itanium_assign() has accepted them
 * @n: how many there are
 * @s: the register values
 */
void itanium_setup(const struct itanium_req *const *req, int n,
		   struct itanium_setup *s)
{
	u32 done = 0;
	size_t k;
	int i, r;

	*s = (struct itanium_setup){ .ibr = { 0 } };
	for (k = 0; k < ARRAY_SIZE(defaults); k++)
		s->pmc[k] = defaults[k];

	for (i = 0; i < n; i++) {
		for (r = 0; r < ITANIUM_RES_NR; r++) {
			if (!(req[i]->res[r].v[1] & ITANIUM_RES_ON) ||
			    (done & BIT(r)))
				continue;
			setters[r](s, &req[i]->res[r]);
			done |= BIT(r);
		}
	}
}
