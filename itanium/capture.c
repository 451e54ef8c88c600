// SPDX-License-Identifier: GPL-2.0-only
/*
 * Montecito's captured records as perf samples: data and instruction event
 * address registers, the execution trace buffer and the IP-EAR. Sections 3.3.8
 * to 3.3.10 of the manual 308065-001.
 *
 * A record that the hardware does not mark as valid is no sample.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/perf_event.h>

#include "compat.h"
#include "pmu.h"

#define BUNDLE		16	/* bytes */

/* The registers may be read while PMC0.fr is set, so each one only once. */
static u64 captured(struct itanium_capture *cap, unsigned int n)
{
	if (!(cap->have & BIT_ULL(n))) {
		cap->pmd[n] = cap->ops->read_pmd(n);
		cap->have |= BIT_ULL(n);
	}
	return cap->pmd[n];
}

static void save_weight(struct perf_sample_data *data, u64 latency)
{
	data->weight.full = latency;
	data->sample_flags |= PERF_SAMPLE_WEIGHT_TYPE;
}

static void save_src(struct perf_sample_data *data, u64 src)
{
	data->data_src.val = src;
	data->sample_flags |= PERF_SAMPLE_DATA_SRC;
}

static void save_addr(struct perf_sample_data *data, u64 addr)
{
	data->addr = addr;
	data->sample_flags |= PERF_SAMPLE_ADDR;
}

/* Which translation served an L1 TLB miss: tables 3-19 and 3-24 */
static u64 tlb_src(u8 stat)
{
	static const u64 tlb[] = {
		[EAR_STAT_L2] = PERF_MEM_S(TLB, L2) | PERF_MEM_S(TLB, HIT),
		[EAR_STAT_VHPT] = PERF_MEM_S(TLB, WK) | PERF_MEM_S(TLB, HIT),
		[EAR_STAT_FAULT] = PERF_MEM_S(TLB, OS) | PERF_MEM_S(TLB, HIT),
	};

	return tlb[stat];
}

#define NO_LOCK_NO_SNOOP	(PERF_MEM_S(LOCK, NA) | PERF_MEM_S(SNOOP, NA))
#define NO_TLB			PERF_MEM_S(TLB, NA)
#define L1_MISS			(PERF_MEM_S(LVL, L1) | PERF_MEM_S(LVL, MISS))

/* Tables 3-22, 3-24 and 3-25 */
static bool sample_dear(struct itanium_capture *cap, u64 pmc40,
			struct perf_sample_data *data, struct pt_regs *regs)
{
	u64 stat = captured(cap, PMD33);
	u8 what = FIELD_GET(PMD33_STAT, stat);
	u64 mode = pmc40 & PMC40_MODE;
	u64 ip;

	/* Which of the four values are there depends on the mode. */
	if (what == EAR_STAT_NONE ||
	    (mode != PMC40_MODE_TLB && what != EAR_STAT_L2))
		return false;
	ip = captured(cap, PMD36);
	if (!(ip & PMD36_VL))
		return false;
	cap->ops->sample_regs(regs, (ip & PMD36_ADDRESS) +
			      (ip & PMD36_BN ? BUNDLE : 0) +
			      FIELD_GET(PMD36_SLOT, ip));

	if (mode == PMC40_MODE_CACHE) {
		save_addr(data, captured(cap, PMD32));
		/* An overflowed latency is at least the largest. */
		save_weight(data, stat & PMD33_OV ? PMD33_LATENCY :
				  FIELD_GET(PMD33_LATENCY, stat));
		save_src(data, PERF_MEM_S(OP, LOAD) | L1_MISS | NO_TLB |
			       NO_LOCK_NO_SNOOP);
	} else if (mode == PMC40_MODE_TLB) {
		save_addr(data, captured(cap, PMD32));
		save_src(data, PERF_MEM_S(OP, LOAD) | PERF_MEM_S(OP, STORE) |
			       PERF_MEM_S(LVL, NA) | tlb_src(what) |
			       NO_LOCK_NO_SNOOP);
	} else {
		/* The data address is undefined in this mode. */
		save_src(data, PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, NA) |
			       NO_TLB | NO_LOCK_NO_SNOOP);
	}
	return true;
}

/* Tables 3-17 and 3-19: the address is that of the line, 32 bytes */
static bool sample_iear(struct itanium_capture *cap, u64 pmc37,
			struct perf_sample_data *data, struct pt_regs *regs)
{
	u64 line = captured(cap, PMD34);
	u64 latency;

	if (pmc37 & PMC37_CACHE) {
		if (!(line & PMD34_VALID))
			return false;
		latency = captured(cap, PMD35);
		save_weight(data, latency & PMD35_OV ? PMD35_LATENCY :
				  FIELD_GET(PMD35_LATENCY, latency));
		save_src(data, PERF_MEM_S(OP, EXEC) | L1_MISS | NO_TLB |
			       NO_LOCK_NO_SNOOP);
	} else {
		u8 stat = FIELD_GET(PMD34_STAT, line);

		if (stat == EAR_STAT_NONE)
			return false;
		save_src(data, PERF_MEM_S(OP, EXEC) | PERF_MEM_S(LVL, NA) |
			       tlb_src(stat) | NO_LOCK_NO_SNOOP);
	}
	save_addr(data, line & PMD34_ADDRESS);
	cap->ops->sample_regs(regs, line & PMD34_ADDRESS);
	return true;
}

/* PMD39 holds four bits for each entry, those of PMD48+k and 56+k side by side */
static unsigned int trace_ext(u64 pmd39, unsigned int entry)
{
	return pmd39 >> (8 * (entry % 8) + (entry < 8 ? 0 : 4)) & 0xf;
}

/* Number of entries, and the index of the oldest: table 3-28 */
static unsigned int trace_oldest(struct itanium_capture *cap, unsigned int *nr)
{
	u64 index = captured(cap, PMD38);
	unsigned int next = FIELD_GET(PMD38_EBI, index);

	*nr = index & PMD38_FULL ? ITANIUM_TRACE_ENTRIES : next;
	return index & PMD38_FULL ? next : 0;
}

static u64 source_bundle(u64 entry, unsigned int ext)
{
	return (entry & PMD48_ADDRESS) + (ext & PMD39_EXT_B1 ? BUNDLE : 0);
}

/* Add a branch in front of what is there: perf wants the newest first. */
static void push_branch(struct itanium_capture *cap,
			const struct perf_branch_entry *entry)
{
	struct perf_branch_stack *stack = &cap->brs.stack;

	memmove(&cap->brs.entries[1], &cap->brs.entries[0],
		stack->nr * sizeof(*entry));
	cap->brs.entries[0] = *entry;
	stack->nr++;
}

/*
 * Tables 3-27 and 3-29. A source is followed by its target, or by another
 * source: the target bundle then had a branch of its own, and its address is
 * where the first one went.
 */
static bool sample_etb(struct itanium_capture *cap,
		       struct perf_sample_data *data, struct perf_event *event)
{
	struct perf_branch_entry branch = { 0 };
	unsigned int i, nr, oldest;
	bool open = false;
	u64 pmd39;

	cap->brs.stack.nr = 0;
	cap->brs.stack.hw_idx = -1ULL;
	oldest = trace_oldest(cap, &nr);
	pmd39 = nr ? captured(cap, PMD39) : 0;

	for (i = 0; i < nr; i++) {
		unsigned int k = (oldest + i) % ITANIUM_TRACE_ENTRIES;
		u64 e = captured(cap, PMD48 + k);

		if (!(e & PMD48_S)) {
			if (open && (e & PMD48_MP)) {
				branch.to = e & PMD48_ADDRESS;
				push_branch(cap, &branch);
			}
			open = false;
			continue;
		}
		if (open) {
			branch.to = source_bundle(e, trace_ext(pmd39, k));
			push_branch(cap, &branch);
		}
		branch = (struct perf_branch_entry){
			.from = source_bundle(e, trace_ext(pmd39, k)) +
				FIELD_GET(PMD48_SLOT, e),
			.mispred = !!(e & PMD48_MP),
			.predicted = !(e & PMD48_MP),
		};
		/* Only taken branches have a target to tell. */
		open = FIELD_GET(PMD48_SLOT, e) != PMD48_SLOT_NOT_TAKEN;
	}
	itanium_save_brstack(data, event, &cap->brs.stack);
	return true;
}

/*
 * Tables 3-31 and 3-33: from each retired instruction to the next one, with
 * the cycles in between. The newest entry is left out: its address may be wrong
 * (3.3.10.2.1).
 */
static bool sample_ip(struct itanium_capture *cap,
		      struct perf_sample_data *data, struct perf_event *event)
{
	struct perf_branch_entry step = { 0 };
	unsigned int i, nr, oldest;
	u64 pmd39, last = 0;

	cap->brs.stack.nr = 0;
	cap->brs.stack.hw_idx = -1ULL;
	oldest = trace_oldest(cap, &nr);
	if (nr < 2)
		return false;
	pmd39 = captured(cap, PMD39);

	for (i = 0; i + 1 < nr; i++) {
		unsigned int k = (oldest + i) % ITANIUM_TRACE_ENTRIES;
		unsigned int ext = trace_ext(pmd39, k);
		u64 e = captured(cap, PMD48 + k);
		u64 ip = (ext & PMD39_EXT_EF ? e & PMD48_IP_EF :
					       e & PMD48_IP) << 4;

		if (i) {
			step = (struct perf_branch_entry){
				.from = last,
				.to = ip,
				.cycles = FIELD_GET(PMD39_EXT_CYCL, ext) << 4 |
					  FIELD_GET(PMD48_IP_CYCL, e),
			};
			push_branch(cap, &step);
		}
		last = ip;
	}
	itanium_save_brstack(data, event, &cap->brs.stack);
	return true;
}

/* The registers that hold a unit's record */
static const u64 raw_regs[] = {
	[ITANIUM_RES_DEAR] = BIT_ULL(PMD32) | BIT_ULL(PMD33) | BIT_ULL(PMD36),
	[ITANIUM_RES_IEAR] = BIT_ULL(PMD34) | BIT_ULL(PMD35),
	[ITANIUM_RES_ETB] = BIT_ULL(PMD38) | BIT_ULL(PMD39) | PMD48_TO_63,
	[ITANIUM_RES_IP] = BIT_ULL(PMD38) | BIT_ULL(PMD39) | PMD48_TO_63,
};

/* The record as the hardware has it, for who wants to read it differently */
static void sample_raw(struct itanium_capture *cap, struct perf_event *event,
		       const struct itanium_req *req,
		       struct perf_sample_data *data)
{
	unsigned int n = 0, pmd;
	u64 regs = 0;
	size_t r;

	for (r = 0; r < ARRAY_SIZE(raw_regs); r++)
		if (req->res[r].v[1] & ITANIUM_RES_ON)
			regs |= raw_regs[r];
	for (pmd = 0; pmd < 64; pmd++)
		if (regs & BIT_ULL(pmd))
			cap->raw[n++] = captured(cap, pmd);
	if (!n)
		return;
	cap->raw_record = (struct perf_raw_record){
		.frag = { .data = cap->raw, .size = n * sizeof(u64) },
	};
	itanium_save_raw(data, event, &cap->raw_record);
}

/**
 * itanium_capture_sample() - add what was captured to a sample
 * @cap: the capture registers, read as they are needed
 * @event: whose sample it is
 * @req: what the event set up
 * @data: the sample
 * @regs: those of the interrupted instruction; become those of the captured one
 *
 * Called with the PMU frozen.
 *
 * Return: whether there is a sample; else the record was not valid.
 */
bool itanium_capture_sample(struct itanium_capture *cap,
			    struct perf_event *event,
			    const struct itanium_req *req,
			    struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct itanium_setting *res = req->res;

	if (event->attr.sample_type & PERF_SAMPLE_RAW)
		sample_raw(cap, event, req, data);
	if (has_branch_stack(event)) {
		if (res[ITANIUM_RES_IP].v[1] & ITANIUM_RES_ON) {
			if (!sample_ip(cap, data, event))
				return false;
		} else if (!sample_etb(cap, data, event)) {
			return false;
		}
	}
	if (res[ITANIUM_RES_DEAR].v[1] & ITANIUM_RES_ON)
		return sample_dear(cap, res[ITANIUM_RES_DEAR].v[0], data, regs);
	if (res[ITANIUM_RES_IEAR].v[1] & ITANIUM_RES_ON)
		return sample_iear(cap, res[ITANIUM_RES_IEAR].v[0], data, regs);
	return true;
}

/**
 * itanium_capture_rearm() - make the capture registers ready for the next record
 * @ops: how to reach them
 * @needs: bit n set: enum itanium_res n was captured
 *
 * What is old must not look valid in the next interrupt. Called with the PMU
 * frozen.
 */
void itanium_capture_rearm(const struct itanium_ops *ops, u32 needs)
{
	if (needs & BIT(ITANIUM_RES_DEAR)) {
		ops->write_pmd(PMD33, 0);
		ops->write_pmd(PMD36, 0);
	}
	if (needs & BIT(ITANIUM_RES_IEAR))
		ops->write_pmd(PMD34, 0);
	if (needs & (BIT(ITANIUM_RES_ETB) | BIT(ITANIUM_RES_IP)))
		ops->write_pmd(PMD38, 0);
}
