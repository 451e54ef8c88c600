// SPDX-License-Identifier: GPL-2.0-only
/*
 * Montecito's event table, and the way from a user's request to register
 * values. Everything that one event alone can get wrong is found here; what
 * events can get wrong together is sched.c's.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "event.h"
#include "regs.h"

#define ANY		ITANIUM_COUNTERS_ANY
#define DUP		ITANIUM_COUNTERS_DUP
#define ONLY10		ITANIUM_COUNTERS_10
#define NO_SET		ITANIUM_SET_NONE, 0
#define L1D(n)		ITANIUM_SET_L1D, n
#define L2D(n)		ITANIUM_SET_L2D, n

#define EAR_DATA	0xc8	/* DATA_EAR_EVENTS */
#define EAR_INST	0x43	/* L1I_EAR_EVENTS */
#define BRANCH_EVENT	0x11	/* what the trace buffer captures */
#define CPU_OP_CYCLES	0x12

static const struct itanium_event itanium_events[] = {
/* The set stands for two fields, so that the row is expanded once more. */
#define ROW(name_, code_, counters_, kind_, set_, type_, inc_, all_, flags_) {	\
	.name = name_,								\
	.counters = counters_,							\
	.flags = flags_,							\
	.code = code_,								\
	.type = ITANIUM_TYPE_##type_,						\
	.all = ITANIUM_##all_,							\
	.set_kind = kind_,							\
	.set = set_,								\
	.max_inc = inc_,							\
},
#define EVENT(name, code, counters, set, type, inc, all, flags, desc)		\
	ROW(#name, code, counters, set, type, inc, all, flags)
#include "events/montecito.def"
#undef ROW
};

/* The event of a code, or NULL if none has it */
const struct itanium_event *itanium_event(u8 code)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(itanium_events); i++)
		if (itanium_events[i].code == code)
			return &itanium_events[i];
	return NULL;
}

/*
 * The counters that give a right count (C1 to C6): what the event takes, less
 * the banked ones where both threads are counted or where the event may happen
 * while its thread is in the background (3.3.2, 4.2.1). With one thread in use
 * nothing happens in the background.
 */
static u16 itanium_counters(const struct itanium_event *ev,
			    const struct itanium_attr *attr)
{
	bool background = ev->type != ITANIUM_TYPE_A && attr->threads;
	u16 counters = ev->counters;

	/* The one causal event that counts right in either kind, 4.2.1 */
	if (ev->code == CPU_OP_CYCLES)
		background = false;
	/* Its only counter is a banked one, table 4-33 */
	if (ev->counters == ITANIUM_COUNTERS_10)
		background = false;

	if (background || ITANIUM_GET(attr, all))
		counters &= ITANIUM_COUNTERS_DUP;
	return counters;
}

static int breaks(const char **why, const char *rule)
{
	*why = rule;
	return -EINVAL;
}

static void itanium_set(struct itanium_req *req, enum itanium_res res,
			u64 v0, u64 v1)
{
	req->needs |= BIT(res);
	req->res[res].v[0] = v0;
	req->res[res].v[1] = v1 | ITANIUM_RES_ON;
}

/* The event counts right only while @res is off. */
static void itanium_off(struct itanium_req *req, enum itanium_res res)
{
	req->needs |= BIT(res);
}

static const struct {
	u8 code;		/* the event that counts the captures; 0: any */
	u8 umask_valid;		/* bits of the field ear_umask */
	u8 umask_max;
	bool umask_any;		/* 0: a mask of 0 captures nothing */
	u8 res;
	u64 base;		/* register value less the umask */
	u64 umask_field;
	bool etb_off;
} itanium_ears[ITANIUM_EAR_NR] = {
	[ITANIUM_EAR_DEAR_CACHE] = {
		.code = EAR_DATA, .umask_valid = 0xf, .umask_max = 0xa,
		.umask_any = true, .res = ITANIUM_RES_DEAR,
		.base = PMC40_MODE_CACHE | PMC40_ISM_IA64,
		.umask_field = PMC40_UMASK,
	},
	/* PMC39 must be zero in these two modes, 3.3.9.2 and 3.3.9.3 */
	[ITANIUM_EAR_DEAR_TLB] = {
		.code = EAR_DATA, .umask_valid = 0xe, .umask_max = 0xe,
		.res = ITANIUM_RES_DEAR,
		.base = PMC40_MODE_TLB | PMC40_ISM_IA64,
		.umask_field = PMC40_UMASK, .etb_off = true,
	},
	[ITANIUM_EAR_DEAR_ALAT] = {
		.code = EAR_DATA, .umask_any = true, .res = ITANIUM_RES_DEAR,
		.base = PMC40_MODE_ALAT | PMC40_ISM_IA64,
		.umask_field = PMC40_UMASK, .etb_off = true,
	},
	[ITANIUM_EAR_IEAR_CACHE] = {
		.code = EAR_INST, .umask_valid = 0xff, .umask_max = 0xff,
		.umask_any = true, .res = ITANIUM_RES_IEAR,
		.base = PMC37_CACHE, .umask_field = PMC37_CACHE_UMASK,
	},
	[ITANIUM_EAR_IEAR_TLB] = {
		.code = EAR_INST, .umask_valid = 0x7, .umask_max = 0x7,
		.res = ITANIUM_RES_IEAR, .umask_field = PMC37_TLB_UMASK,
	},
	[ITANIUM_EAR_IP] = {
		.umask_any = true, .res = ITANIUM_RES_IP,
		.base = PMC42_MODE_IP,
		.etb_off = true,
	},
};

/* Table 3-16: the latency steps are runs of ones from the top. */
static bool itanium_iear_umask_ok(u8 umask)
{
	u8 rest = ~umask;

	return !(rest & (rest + 1)) || (umask & 0xc0) == 0x40;
}

static int itanium_encode_ear(const struct itanium_attr *attr, u8 code,
			      struct itanium_req *req, const char **why)
{
	u8 ear = ITANIUM_GET(attr, ear);
	u8 umask = ITANIUM_GET(attr, ear_umask);
	u8 delay = ITANIUM_GET(attr, ip_delay);
	u64 v;

	if (ear >= ITANIUM_EAR_NR)
		return breaks(why, "ear= above 6: no such capture unit");
	if (delay && ear != ITANIUM_EAR_IP)
		return breaks(why, "ip_delay= without ear=6 (IP-EAR)");
	if (ear == ITANIUM_EAR_NONE) {
		if (umask)
			return breaks(why, "ear_umask= without ear=");
		return 0;
	}
	if (itanium_ears[ear].code && itanium_ears[ear].code != code)
		return breaks(why, itanium_ears[ear].code == EAR_DATA ?
		       "data EAR captures are counted by event=0xc8 only" :
		       "instruction EAR captures are counted by event=0x43 only");
	if ((umask & ~itanium_ears[ear].umask_valid) ||
	    umask > itanium_ears[ear].umask_max)
		return breaks(why,
			      "ear_umask= is not one that this EAR mode has (tables 3-16, 3-18, 3-21, 3-23)");
	if (!umask && !itanium_ears[ear].umask_any)
		return breaks(why,
			      "ear_umask=0 captures nothing in a TLB mode (tables 3-18, 3-23)");
	if (ear == ITANIUM_EAR_IEAR_CACHE && !itanium_iear_umask_ok(umask))
		return breaks(why, "ear_umask= is not one of table 3-16");
	if (itanium_ears[ear].etb_off && attr->etb)
		return breaks(why, ear == ITANIUM_EAR_IP ?
		       "the IP-EAR is in the trace buffer: no branch stack with it (3.3.10.2)" :
		       "data EAR TLB and ALAT modes need PMC39 = 0: no branch stack with them (3.3.9)");

	v = itanium_ears[ear].base;
	if (itanium_ears[ear].umask_field)
		v |= (u64)umask << __builtin_ctzll(itanium_ears[ear].umask_field);
	if (ear == ITANIUM_EAR_IP)
		v |= FIELD_PREP(PMC42_DELAY, delay);
	/* All of them are privileged monitors, like the counters. */
	switch (itanium_ears[ear].res) {
	case ITANIUM_RES_IEAR:
		v |= FIELD_PREP(PMC37_PLM, attr->plm) | PMC37_PM;
		break;
	default:
		v |= FIELD_PREP(PMC40_PLM, attr->plm) | PMC40_PM;
		break;
	}
	itanium_set(req, itanium_ears[ear].res, v, 0);
	if (itanium_ears[ear].etb_off)
		itanium_off(req, ITANIUM_RES_ETB);
	return 0;
}

/*
 * What the trace buffer records: what the branch stack asks for, or else all,
 * and what the user selects by taken, target and path (table 3-26).
 */
static u64 itanium_etb(const struct itanium_attr *attr)
{
	u8 tm = ITANIUM_GET(attr, tm);
	u8 ptm = ITANIUM_GET(attr, ptm);
	u8 ppm = ITANIUM_GET(attr, ppm);
	u64 v = attr->etb ?: PMC39_TM | PMC39_PTM | PMC39_PPM;

	if (tm)
		v = (v & ~PMC39_TM) | FIELD_PREP(PMC39_TM, tm);
	if (ptm)
		v = (v & ~PMC39_PTM) | FIELD_PREP(PMC39_PTM, ptm);
	if (ppm)
		v = (v & ~PMC39_PPM) | FIELD_PREP(PMC39_PPM, ppm);
	return v;
}

static int itanium_encode_etb(const struct itanium_attr *attr, u8 code,
			      struct itanium_req *req, const char **why)
{
	u64 v;

	if (code == BRANCH_EVENT && (req->needs & BIT(ITANIUM_RES_IP)))
		return breaks(why,
			      "BRANCH_EVENT counts the trace buffer's branches, which the IP-EAR replaces");
	if (code != BRANCH_EVENT && !attr->etb) {
		if (attr->config & (ITANIUM_MASK(tm) | ITANIUM_MASK(ptm) |
				    ITANIUM_MASK(ppm)))
			return breaks(why,
				      "tm=, ptm= and ppm= select the trace buffer's branches: with a branch stack or event=0x11");
		return 0;
	}
	v = itanium_etb(attr);
	/* 3.3.10.1.1: these settings leave the buffer empty */
	if (!FIELD_GET(PMC39_TM, v) || !FIELD_GET(PMC39_PTM, v) ||
	    !FIELD_GET(PMC39_PPM, v) ||
	    (FIELD_GET(PMC39_PTM, v) == 1 && FIELD_GET(PMC39_PPM, v) == 1))
		return breaks(why, "this branch filter captures nothing (3.3.10.1.1)");
	v |= FIELD_PREP(PMC39_PLM, attr->plm) | PMC39_PM;
	itanium_set(req, ITANIUM_RES_ETB, v, 0);
	itanium_off(req, ITANIUM_RES_IP);
	return 0;
}

/* The tag channel that qualifies the event: 3.3.5.1 to 3.3.5.3 */
static unsigned int itanium_channel(const struct itanium_req *req)
{
	if (req->flags & Q_IBRP_ALL)
		return req->umask;
	return req->flags & Q_IBRP1 ? 1 : 0;
}

static int itanium_encode_opcode(const struct itanium_attr *attr,
				 struct itanium_req *req, const char **why)
{
	unsigned int ch = itanium_channel(req);

	if (!(req->flags & Q_OPC))
		return breaks(why, "this event cannot be qualified by opcode");
	if ((attr->config1 & ~(ITANIUM_MASK(opc_match) | ITANIUM_MASK(opc_type))) ||
	    (attr->config2 & ~ITANIUM_MASK(opc_mask)))
		return breaks(why, "an opcode has 41 bits (table 3-11)");
	if (!ITANIUM_GET(attr, opc_type))
		return breaks(why,
			      "opc_type=0 matches no instruction: name at least one of M, I, F, B");
	if (ITANIUM_GET(attr, opc_match) & ITANIUM_GET(attr, opc_mask))
		return breaks(why, "opc_match= sets bits that opc_mask= has ignored");
	itanium_set(req, ITANIUM_RES_OPCM0 + ch % ITANIUM_MATCHERS,
		    attr->config1, attr->config2);
	itanium_set(req, ITANIUM_RES_OPC0 + ch, 0, 0);
	return 0;
}

#define BUNDLE		16ULL
#define FINE_PAGE	GENMASK_ULL(15, 0)

/*
 * Fine mode, 3.3.5.4. Compared are fetch addresses, those of pairs of bundles (libpfm4).
 * The manual has both limits outside of the range, libpfm4 inside: on the second bundle
 * of a pair, an address that is never compared, they are right in both.
 */
static int itanium_encode_fine(const struct itanium_attr *attr,
			       struct itanium_req *req, const char **why)
{
	unsigned int ch = itanium_channel(req);
	u64 lower = attr->config1 - BUNDLE, upper = attr->config2 - BUNDLE;

	if (ch > 1)
		return breaks(why, "fine=1 leaves tag channels 2 and 3 undefined (table 3-10)");
	if ((attr->config1 | attr->config2) & (2 * BUNDLE - 1))
		return breaks(why,
			      "fine=1 sees pairs of bundles: addr= and addr_end= are multiples of 32");
	if (attr->config2 <= attr->config1 || (lower ^ upper) & ~FINE_PAGE)
		return breaks(why,
			      "fine=1 takes a range within 64 KiB, from its second pair of bundles on, and addr_end= is behind it (table 3-10)");
	itanium_set(req, ITANIUM_RES_FINE, 0, 0);
	itanium_set(req, ITANIUM_RES_IBRP0 + ch, lower,
		    (upper & FINE_PAGE) | ITANIUM_RES_LIMITS);
	return 0;
}

static int itanium_encode_range(struct itanium_req *req, enum itanium_res res,
				u64 addr, u64 mask, const char **why)
{
	if (mask & ~ITANIUM_MASK(addr_mask))
		return breaks(why, "addr_mask= has 56 bits");
	if (addr & mask)
		return breaks(why, "an address sets bits that its mask or size has ignored");
	if (res != ITANIUM_RES_DBRP0 && (addr & (BUNDLE - 1)))
		return breaks(why, "addr= of an instruction is that of a 16-byte bundle");
	itanium_set(req, res, addr, mask);
	return 0;
}

/* An instruction range, a data range, or both, which leaves masks no room */
static int itanium_encode_ranges(const struct itanium_attr *attr, u8 filter,
				 struct itanium_req *req, const char **why)
{
	enum itanium_res ibrp = ITANIUM_RES_IBRP0 + itanium_channel(req);
	u8 addr_bits = ITANIUM_GET(attr, addr_bits);
	u8 data_bits = ITANIUM_GET(attr, data_bits);
	int err;

	if ((filter & ITANIUM_FILTER_DATA) && !(req->flags & Q_DAR))
		return breaks(why, "this event cannot be qualified by data address");
	if (filter & ITANIUM_FILTER_INST) {
		if (!(req->flags & Q_IAR))
			return breaks(why, "this event cannot be qualified by instruction address");
		if (req->flags & Q_IBRP01)
			return breaks(why,
				      "this event is tagged by IBRP0 or IBRP1 by the kind of fetch: one range does not qualify it");
		/* Ranges 2 and 3 are the others' limits then. */
		if (!ITANIUM_GET(attr, fine))
			itanium_off(req, ITANIUM_RES_FINE);
	}
	if (ITANIUM_GET(attr, fine))
		return itanium_encode_fine(attr, req, why);
	if (filter == ITANIUM_FILTER_INST)
		return itanium_encode_range(req, ibrp, attr->config1,
					    attr->config2, why);
	if (filter == ITANIUM_FILTER_DATA)
		return itanium_encode_range(req, ITANIUM_RES_DBRP0,
					    attr->config1, attr->config2, why);

	if (!addr_bits || !data_bits)
		return breaks(why, "filter=6 takes the ranges' sizes as addr_bits= and data_bits=");
	err = itanium_encode_range(req, ibrp, attr->config1,
				   BIT_ULL(addr_bits) - 1, why);
	if (err)
		return err;
	return itanium_encode_range(req, ITANIUM_RES_DBRP0, attr->config2,
				    BIT_ULL(data_bits) - 1, why);
}

static int itanium_encode_filter(const struct itanium_attr *attr,
				 struct itanium_req *req, const char **why)
{
	u8 filter = ITANIUM_GET(attr, filter);
	unsigned int ch = itanium_channel(req);

	if (!filter && (attr->config1 || attr->config2))
		return breaks(why, "config1 and config2 belong to filter=, which is 0");
	if ((filter & ITANIUM_FILTER_OPCODE) && filter != ITANIUM_FILTER_OPCODE)
		return breaks(why,
			      "an opcode leaves no room for an address: filter= is 1, 2, 4 or 6");
	if (ITANIUM_GET(attr, fine) && filter != ITANIUM_FILTER_INST)
		return breaks(why, "fine=1 is for instruction ranges: filter=2");
	if ((ITANIUM_GET(attr, addr_bits) || ITANIUM_GET(attr, data_bits)) &&
	    filter != (ITANIUM_FILTER_INST | ITANIUM_FILTER_DATA))
		return breaks(why,
			      "addr_bits= and data_bits= are for filter=6; addr_mask= is for one range");

	/* A filter that others set would filter this event too. */
	if (req->flags & Q_OPC)
		itanium_off(req, ITANIUM_RES_OPC0 + ch);
	if (req->flags & Q_IAR)
		itanium_off(req, ITANIUM_RES_IBRP0 + ch);
	if (req->flags & (Q_IBRP01 | Q_QUAL))
		itanium_off(req, ITANIUM_RES_IBRP0 + 1);
	if (req->flags & Q_DAR)
		itanium_off(req, ITANIUM_RES_DBRP0);
	if (ch > 1)
		itanium_off(req, ITANIUM_RES_FINE);
	/* ... and the branches of its trace buffer, 3.3.10.1.1 */
	if (req->res[ITANIUM_RES_ETB].v[1] & ITANIUM_RES_ON) {
		itanium_off(req, ITANIUM_RES_OPC0);
		itanium_off(req, ITANIUM_RES_IBRP0);
	}

	if (filter == ITANIUM_FILTER_OPCODE)
		return itanium_encode_opcode(attr, req, why);
	if (filter)
		return itanium_encode_ranges(attr, filter, req, why);
	return 0;
}

/* The units that an event has set up: bit n set for each enum itanium_res that is on */
u32 itanium_units(const struct itanium_req *req)
{
	u32 units = 0;
	int r;

	for (r = 0; r < ITANIUM_RES_NR; r++)
		if (req->res[r].v[1] & ITANIUM_RES_ON)
			units |= BIT(r);
	return units;
}

/* Check one event and say what it needs; @why is the rule that was broken, with -EINVAL. */
int itanium_encode(const struct itanium_attr *attr, struct itanium_req *req,
		   const char **why)
{
	u8 threshold = ITANIUM_GET(attr, threshold);
	u8 mesi = ITANIUM_GET(attr, mesi);
	u8 code = ITANIUM_GET(attr, event);
	const struct itanium_event *ev = itanium_event(code);
	bool all = ITANIUM_GET(attr, all);
	int err;

	*req = (struct itanium_req){ 0 };

	if (attr->config & ~ITANIUM_CFG_VALID)
		return breaks(why, "reserved bits of config are set");
	if (!ev)
		return breaks(why, "no event has this code (chapter 4)");
	if (ITANIUM_GET(attr, jitter) && attr->period < ITANIUM_JITTER_PART)
		return breaks(why,
			      "jitter= varies a fixed sampling period (perf record -c) of 8 or more");
	if (!attr->plm)
		return breaks(why, "no privilege level is left to count");
	if (mesi && !(ev->flags & Q_MESI))
		return breaks(why, "mesi= on an event without MESI filtering (table 4-31)");
	/* Table 3-6: the other thread has its own filters and captures. */
	if (all && (ITANIUM_GET(attr, filter) || ITANIUM_GET(attr, ear)))
		return breaks(why,
			      "all= counts the other thread, which heeds no filter= or ear= of this one (table 3-6)");
	if (all && code == BRANCH_EVENT)
		return breaks(why,
			      "all= counts the other thread, and BRANCH_EVENT this thread's branches in its trace buffer");
	if (threshold && threshold >= ev->max_inc)
		return breaks(why,
			      "threshold= is never exceeded: above what the event counts in a cycle");
	if (all && ev->all == ITANIUM_A_NO)
		return breaks(why, "all= on an event that does not support it (table 4-19)");

	req->umask = ITANIUM_GET(attr, umask);
	req->all = all;
	req->jitter = ITANIUM_GET(attr, jitter);
	req->flags = ev->flags;
	if ((req->flags & Q_QUAL) && !req->umask)
		req->flags &= ~(Q_IAR | Q_OPC | Q_QUAL);
	req->set_kind = ev->set_kind;
	req->set = ev->set;
	req->counters = itanium_counters(ev, attr);

	if (ev->flags & Q_IBRP_ALL && req->umask > 3)
		return breaks(why, "tag channels are 0 to 3");
	if (code == EAR_DATA || code == EAR_INST) {
		if (req->umask)
			return breaks(why, "EAR events take their mask in ear_umask=");
		if (ITANIUM_GET(attr, ear) == ITANIUM_EAR_NONE ||
		    ITANIUM_GET(attr, ear) == ITANIUM_EAR_IP)
			return breaks(why,
				      "EAR events count what a data or instruction EAR captures: give ear=1 to 5, or use an alias");
	}

	err = itanium_encode_ear(attr, code, req, why);
	if (err)
		return err;
	err = itanium_encode_etb(attr, code, req, why);
	if (err)
		return err;
	err = itanium_encode_filter(attr, req, why);
	if (err)
		return err;

	/* An empty mask counts nothing; all states is what a user means. */
	if ((ev->flags & Q_MESI) && !mesi)
		mesi = 0xf;

	req->pmc = FIELD_PREP(PMC_PLM, attr->plm) | PMC_PM |
		   FIELD_PREP(PMC_ES, code) |
		   FIELD_PREP(PMC_UMASK, req->umask) |
		   FIELD_PREP(PMC_THRESHOLD, threshold) |
		   FIELD_PREP(PMC_ISM, PMC_ISM_IA64) |
		   (all ? PMC_ALL : 0) |
		   FIELD_PREP(PMC_MESI, mesi);
	return 0;
}
