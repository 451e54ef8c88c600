// SPDX-License-Identifier: GPL-2.0-only
/*
 * Event table, and encoding and checks of single events. sched.c checks events
 * against each other.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/errno.h>
#include <linux/kernel.h>

#include "event.h"

#define ANY		GENMASK(15, 4)
#define DUP		ITANIUM_COUNTERS_DUP
#define ONLY10		ITANIUM_COUNTERS_10
#define NO_SET		0
#define L1D(n)		ITANIUM_L1D(n)
#define L2D(n)		ITANIUM_L2D(n)

#define EAR_DATA	itanium_code_data_ear_events
#define EAR_INST	itanium_code_l1i_ear_events
#define BRANCH_EVENT	itanium_code_branch_event	/* trace buffer captures */

static const struct itanium_event itanium_events[] = {
#define EVENT(name, code_, counters_, set_, type_, inc, all_, flags_, desc) {	\
	.counters = counters_,							\
	.flags = flags_,							\
	.code = code_,								\
	.type = ITANIUM_TYPE_##type_,						\
	.all = ITANIUM_##all_,							\
	.set = set_,								\
	.max_inc = inc,								\
},
#include "events/montecito.def"
};

/* The unit masks of each event; EAR events have none. */
static const struct {
	u8 code, umask;
} itanium_umasks[] = {
#define PLAIN(event)			{ itanium_code_##event, 0 },
#define UMASK(event, name, umask, desc)	{ itanium_code_##event, umask },
#include "events/montecito.def"
};

static bool itanium_has_umask(u8 code, u8 umask)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(itanium_umasks); i++)
		if (itanium_umasks[i].code == code && itanium_umasks[i].umask == umask)
			return true;
	return false;
}

/* Return the event with a code, or NULL. A second row has unit masks other than 0. */
static const struct itanium_event *itanium_event(u8 code, u8 umask)
{
	const struct itanium_event *ev = NULL;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(itanium_events); i++)
		if (itanium_events[i].code == code && (!ev || umask))
			ev = &itanium_events[i];
	return ev;
}

/*
 * Return the counters that count an event correctly: not the banked PMC10-15 if
 * both threads are counted, or if the event may occur while its thread is in the
 * background (3.3.2, 4.2.1).
 */
static u16 itanium_counters(const struct itanium_event *ev,
			    const struct itanium_attr *attr)
{
	bool background = ev->type != ITANIUM_TYPE_A && attr->threads;
	u16 counters = ev->counters;

	/* The only causal event that banked counters count correctly, 4.2.1 */
	if (ev->code == itanium_code_cpu_op_cycles)
		background = false;
	/* CYCLES_HALTED has no other counter, table 4-33 */
	if (ev->counters == ITANIUM_COUNTERS_10)
		background = false;

	if (background || ITANIUM_GET(attr, all))
		counters &= ITANIUM_COUNTERS_DUP;
	return counters;
}

/*
 * Return whether an event is of its thread alone, 4.2.1. A causal event belongs to no
 * thread: it counts what other threads, cores and devices do. A self-floating one is
 * causal unless its unit mask is .self.
 */
static bool itanium_is_own(const struct itanium_event *ev, u8 umask)
{
	switch (ev->type) {
	case ITANIUM_TYPE_C:
		return ev->flags & Q_CLOCK;
	case ITANIUM_TYPE_S:
		return ev->flags & Q_SELF_BUS ? (umask & 3) == 2 : umask & 1;
	default:
		return true;
	}
}

static int reject(const char **why, const char *rule)
{
	return itanium_refuse(why, -EINVAL, rule);
}

static void itanium_require(struct itanium_req *req, enum itanium_res res,
			    u64 v0, u64 v1)
{
	req->needs |= BIT(res);
	req->res[res].v[0] = v0;
	req->res[res].v[1] = v1 | ITANIUM_RES_ON;
}

/* Require @res to be off. */
static void itanium_require_off(struct itanium_req *req, enum itanium_res res)
{
	req->needs |= BIT(res);
}

static const struct {
	u8 code;		/* required event code; 0: any */
	u8 umask_valid;		/* valid bits of ear_umask= */
	bool umask_any;		/* ear_umask=0 is valid */
	u8 res;
	bool etb_off;		/* PMC39 must be zero, 3.3.9.2 and 3.3.9.3 */
	u64 base;		/* register value without the unit mask */
	u64 umask_field;
} itanium_ears[ITANIUM_EAR_NR] = {
	[ITANIUM_EAR_DEAR_CACHE] = { EAR_DATA, 0xf, true, ITANIUM_RES_DEAR, false,
				     PMC40_MODE_CACHE | PMC40_ISM_IA64, PMC40_UMASK },
	[ITANIUM_EAR_DEAR_TLB] = { EAR_DATA, 0xe, false, ITANIUM_RES_DEAR, true,
				   PMC40_MODE_TLB | PMC40_ISM_IA64, PMC40_UMASK },
	[ITANIUM_EAR_DEAR_ALAT] = { EAR_DATA, 0, true, ITANIUM_RES_DEAR, true,
				    PMC40_MODE_ALAT | PMC40_ISM_IA64, PMC40_UMASK },
	[ITANIUM_EAR_IEAR_CACHE] = { EAR_INST, 0xff, true, ITANIUM_RES_IEAR, false,
				     PMC37_CACHE, PMC37_CACHE_UMASK },
	[ITANIUM_EAR_IEAR_TLB] = { EAR_INST, 0x7, false, ITANIUM_RES_IEAR, false,
				   0, PMC37_TLB_UMASK },
	[ITANIUM_EAR_IP] = { 0, 0, true, ITANIUM_RES_IP, true, PMC42_MODE_IP, 0 },
};

/* Table 3-16: latency thresholds are runs of ones from the top. */
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
		return reject(why, "ear= above 6: no such capture unit");
	if (delay && ear != ITANIUM_EAR_IP)
		return reject(why, "ip_delay= without ear=6 (IP-EAR)");
	if (ear == ITANIUM_EAR_NONE) {
		if (umask)
			return reject(why, "ear_umask= without ear=");
		return 0;
	}
	if (itanium_ears[ear].code && itanium_ears[ear].code != code)
		return reject(why, itanium_ears[ear].code == EAR_DATA ?
		       "data EAR captures are counted by event=0xc8 only" :
		       "instruction EAR captures are counted by event=0x43 only");
	if ((umask & ~itanium_ears[ear].umask_valid) ||
	    (ear == ITANIUM_EAR_DEAR_CACHE && umask > 0xa))
		return reject(why, "ear_umask= is invalid in this EAR mode (tables 3-16, 3-18, 3-21, 3-23)");
	if (!umask && !itanium_ears[ear].umask_any)
		return reject(why, "ear_umask=0 captures nothing in a TLB mode (tables 3-18, 3-23)");
	if (ear == ITANIUM_EAR_IEAR_CACHE && !itanium_iear_umask_ok(umask))
		return reject(why, "ear_umask= is invalid (table 3-16)");
	if (itanium_ears[ear].etb_off && attr->etb)
		return reject(why, ear == ITANIUM_EAR_IP ?
		       "the IP-EAR uses the trace buffer: no branch stack with it (3.3.10.2)" :
		       "data EAR TLB and ALAT modes need PMC39 = 0: no branch stack with them (3.3.9)");

	v = itanium_ears[ear].base;
	if (itanium_ears[ear].umask_field)
		v |= (u64)umask << __builtin_ctzll(itanium_ears[ear].umask_field);
	if (ear == ITANIUM_EAR_IP)
		v |= FIELD_PREP(PMC42_DELAY, delay);
	/* Privileged monitors, like the counters */
	v |= FIELD_PREP(PMC_PLM, attr->plm) |
	     (itanium_ears[ear].res == ITANIUM_RES_IEAR ? PMC37_PM : PMC_PM);
	itanium_require(req, itanium_ears[ear].res, v, 0);
	if (itanium_ears[ear].etb_off)
		itanium_require_off(req, ITANIUM_RES_ETB);
	return 0;
}

/*
 * Return PMC39: the branch stack's filter, or all branches, overridden by tm=,
 * ptm= and ppm= (table 3-26).
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
		return reject(why, "BRANCH_EVENT counts the trace buffer's branches, which the IP-EAR replaces");
	if (code != BRANCH_EVENT && !attr->etb) {
		if (attr->config & (ITANIUM_MASK(tm) | ITANIUM_MASK(ptm) |
				    ITANIUM_MASK(ppm)))
			return reject(why, "tm=, ptm= and ppm= select the trace buffer's branches: with a branch stack or event=0x11");
		return 0;
	}
	v = itanium_etb(attr);
	/* These settings capture nothing, 3.3.10.1.1 */
	if (!FIELD_GET(PMC39_TM, v) || !FIELD_GET(PMC39_PTM, v) ||
	    !FIELD_GET(PMC39_PPM, v) ||
	    (FIELD_GET(PMC39_PTM, v) == 1 && FIELD_GET(PMC39_PPM, v) == 1))
		return reject(why, "this branch filter captures nothing (3.3.10.1.1)");
	v |= FIELD_PREP(PMC_PLM, attr->plm) | PMC_PM;
	itanium_require(req, ITANIUM_RES_ETB, v, 0);
	itanium_require_off(req, ITANIUM_RES_IP);
	return 0;
}

/* Return the tag channel of an event, 3.3.5.1 to 3.3.5.3. */
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
		return reject(why, "this event cannot be qualified by opcode");
	if ((attr->config1 & ~(ITANIUM_MASK(opc_match) | ITANIUM_MASK(opc_type))) ||
	    (attr->config2 & ~ITANIUM_MASK(opc_mask)))
		return reject(why, "an opcode has 41 bits (table 3-11)");
	if (!ITANIUM_GET(attr, opc_type))
		return reject(why, "opc_type=0 matches no instruction: name at least one of M, I, F, B");
	if (ITANIUM_GET(attr, opc_match) & ITANIUM_GET(attr, opc_mask))
		return reject(why, "opc_match= has bits that opc_mask= ignores");
	itanium_require(req, ITANIUM_RES_OPCM0 + ch % ITANIUM_MATCHERS,
			attr->config1, attr->config2);
	itanium_require(req, ITANIUM_RES_OPC0 + ch, 0, 0);
	return 0;
}

#define BUNDLE		16ULL
#define FINE_PAGE	GENMASK_ULL(15, 0)

/*
 * Fine mode, 3.3.5.4, compares the addresses of pairs of bundles. Limits are exclusive
 * according to the manual, inclusive in libpfm4: a limit on the second bundle of a pair,
 * whose address is never compared, is correct for both.
 */
static int itanium_encode_fine(const struct itanium_attr *attr,
			       struct itanium_req *req, const char **why)
{
	unsigned int ch = itanium_channel(req);
	u64 lower = attr->config1 - BUNDLE, upper = attr->config2 - BUNDLE;

	if (ch > 1)
		return reject(why, "fine=1 leaves tag channels 2 and 3 undefined (table 3-10)");
	if ((attr->config1 | attr->config2) & (2 * BUNDLE - 1))
		return reject(why, "fine=1 compares pairs of bundles: addr= and addr_end= must be multiples of 32");
	if (attr->config2 <= attr->config1 || (lower ^ upper) & ~FINE_PAGE)
		return reject(why, "fine=1 needs addr= below addr_end=, both within 64 KiB and from its second pair of bundles on (table 3-10)");
	itanium_require(req, ITANIUM_RES_FINE, 0, 0);
	itanium_require(req, ITANIUM_RES_IBRP0 + ch, lower,
			(upper & FINE_PAGE) | ITANIUM_RES_LIMITS);
	return 0;
}

static int itanium_encode_range(struct itanium_req *req, enum itanium_res res,
				u64 addr, u64 mask, const char **why)
{
	if (mask & ~ITANIUM_MASK(addr_mask))
		return reject(why, "addr_mask= has 56 bits");
	if (addr & mask)
		return reject(why, "an address has bits that its mask or size ignores");
	if (res != ITANIUM_RES_DBRP0 && (addr & (BUNDLE - 1)))
		return reject(why, "addr= of an instruction range must be a bundle, a multiple of 16");
	itanium_require(req, res, addr, mask);
	return 0;
}

/* One of two ranges, with its size instead of a mask */
static int itanium_encode_sized(struct itanium_req *req, enum itanium_res res, u64 addr,
				u8 bits, const char **why)
{
	if (!bits)
		return reject(why, "each of two ranges takes its size: addr_bits= and data_bits=");
	return itanium_encode_range(req, res, addr, BIT_ULL(bits) - 1, why);
}

/* An instruction range, a data range, or both */
static int itanium_encode_ranges(const struct itanium_attr *attr, u8 filter,
				 struct itanium_req *req, const char **why)
{
	enum itanium_res ibrp = ITANIUM_RES_IBRP0 + itanium_channel(req);
	int err;

	if ((filter & ITANIUM_FILTER_DATA) && !(req->flags & Q_DAR))
		return reject(why, "this event cannot be qualified by data address");
	if (filter & ITANIUM_FILTER_INST) {
		if (!(req->flags & Q_IAR))
			return reject(why, "this event cannot be qualified by instruction address");
		if (req->flags & Q_IBRP01)
			return reject(why, "this event uses IBRP0 or IBRP1 by the kind of fetch: one range cannot qualify it");
		/* Fine mode uses ranges 2 and 3 as upper limits. */
		if (!ITANIUM_GET(attr, fine))
			itanium_require_off(req, ITANIUM_RES_FINE);
	}
	if (ITANIUM_GET(attr, fine))
		return itanium_encode_fine(attr, req, why);
	if (filter == ITANIUM_FILTER_INST)
		return itanium_encode_range(req, ibrp, attr->config1,
					    attr->config2, why);
	if (filter == ITANIUM_FILTER_DATA)
		return itanium_encode_range(req, ITANIUM_RES_DBRP0,
					    attr->config1, attr->config2, why);

	err = itanium_encode_sized(req, ibrp, attr->config1,
				   ITANIUM_GET(attr, addr_bits), why);
	return err ?: itanium_encode_sized(req, ITANIUM_RES_DBRP0, attr->config2,
					   ITANIUM_GET(attr, data_bits), why);
}

static int itanium_encode_filter(const struct itanium_attr *attr,
				 struct itanium_req *req, const char **why)
{
	u8 filter = ITANIUM_GET(attr, filter);
	bool two = filter == (ITANIUM_FILTER_INST | ITANIUM_FILTER_DATA);
	unsigned int ch = itanium_channel(req);

	if (!filter && (attr->config1 || attr->config2))
		return reject(why, "config1 and config2 belong to filter=, which is 0");
	if ((filter & ITANIUM_FILTER_OPCODE) && filter != ITANIUM_FILTER_OPCODE)
		return reject(why, "an opcode leaves no room for a range: filter=1");
	if (ITANIUM_GET(attr, fine) && filter != ITANIUM_FILTER_INST)
		return reject(why, "fine=1 is for instruction ranges: filter=2");
	if (!two && (ITANIUM_GET(attr, addr_bits) || ITANIUM_GET(attr, data_bits)))
		return reject(why, "addr_bits= and data_bits= are for two ranges, filter=6; addr_mask= is for one");

	/* Filters of other events on the same resources would apply. */
	if (req->flags & Q_OPC)
		itanium_require_off(req, ITANIUM_RES_OPC0 + ch);
	if (req->flags & Q_IAR)
		itanium_require_off(req, ITANIUM_RES_IBRP0 + ch);
	if (req->flags & (Q_IBRP01 | Q_NO_IBRP1))
		itanium_require_off(req, ITANIUM_RES_IBRP0 + 1);
	if (req->flags & Q_DAR)
		itanium_require_off(req, ITANIUM_RES_DBRP0);
	if (ch > 1)
		itanium_require_off(req, ITANIUM_RES_FINE);
	/* They also filter the trace buffer, 3.3.10.1.1 */
	if (req->res[ITANIUM_RES_ETB].v[1] & ITANIUM_RES_ON) {
		itanium_require_off(req, ITANIUM_RES_OPC0);
		itanium_require_off(req, ITANIUM_RES_IBRP0);
	}

	if (filter == ITANIUM_FILTER_OPCODE)
		return itanium_encode_opcode(attr, req, why);
	return filter ? itanium_encode_ranges(attr, filter, req, why) : 0;
}

/* Return the mask of enum itanium_res that an event uses. */
u32 itanium_units(const struct itanium_req *req)
{
	u32 units = 0;
	int r;

	for (r = 0; r < ITANIUM_RES_NR; r++)
		if (req->res[r].v[1] & ITANIUM_RES_ON)
			units |= BIT(r);
	return units;
}

/* Encode and check an event; on -EINVAL, @why is the violated rule. */
int itanium_encode(const struct itanium_attr *attr, struct itanium_req *req,
		   const char **why)
{
	u8 threshold = ITANIUM_GET(attr, threshold);
	u8 mesi = ITANIUM_GET(attr, mesi);
	u8 code = ITANIUM_GET(attr, event);
	const struct itanium_event *ev = itanium_event(code, ITANIUM_GET(attr, umask));
	bool all = ITANIUM_GET(attr, all);
	int err;

	*req = (struct itanium_req){ 0 };

	if (attr->config & ~ITANIUM_CFG_VALID)
		return reject(why, "reserved bits of config are set");
	if (!ev)
		return reject(why, "no event has this code (chapter 4)");
	if (!attr->plm)
		return reject(why, "no privilege level is left to count");
	if (mesi && !(ev->flags & Q_MESI))
		return reject(why, "mesi= on an event without MESI filtering (table 4-31)");
	/* The other thread has its own filters and capture units, table 3-6 */
	if (all && (ITANIUM_GET(attr, filter) || ITANIUM_GET(attr, ear)))
		return reject(why, "all= also counts the other thread, which has no filter= or ear= (table 3-6)");
	if (all && code == BRANCH_EVENT)
		return reject(why, "all= also counts the other thread, but BRANCH_EVENT only this thread's branches");
	if (threshold && threshold >= ev->max_inc)
		return reject(why, "threshold= is never exceeded: it must be below the event's maximum per cycle");
	if (all && ev->all == ITANIUM_A_NO)
		return reject(why, "all= on an event that does not support it (table 4-19)");

	req->umask = ITANIUM_GET(attr, umask);
	req->all = all;
	req->others = all || !itanium_is_own(ev, req->umask);
	req->flags = ev->flags;
	req->set = ev->set;
	req->counters = itanium_counters(ev, attr);
	if ((req->set & ITANIUM_SET_KIND) == ITANIUM_L1D(0))
		itanium_require(req, ITANIUM_RES_L1D, req->set, 0);

	if (code == EAR_DATA || code == EAR_INST) {
		if (req->umask)
			return reject(why, "EAR events use ear_umask=, not umask=");
		if (ITANIUM_GET(attr, ear) == ITANIUM_EAR_NONE ||
		    ITANIUM_GET(attr, ear) == ITANIUM_EAR_IP)
			return reject(why, "EAR events count what a data or instruction EAR captures: give ear=1 to 5, or use an alias");
	} else if (!itanium_has_umask(code, req->umask)) {
		return reject(why, "the event has no such unit mask: events/ lists those it has");
	}

	err = itanium_encode_ear(attr, code, req, why) ?:
	      itanium_encode_etb(attr, code, req, why) ?:
	      itanium_encode_filter(attr, req, why);
	if (err)
		return err;

	/* No state selected counts nothing: default to all states. */
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
