// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conversion of captured records to perf samples: data and instruction event
 * address registers (EAR), execution trace buffer and IP-EAR (3.3.8 to 3.3.10).
 *
 * Invalid records give no sample. Addresses at privilege levels that the event
 * excludes are removed: the trace buffer filters only the source of a branch, not
 * its target (table 3-26).
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>

#include "compat.h"
#include "pmu.h"

#define BUNDLE		16	/* bytes */

/*
 * Return whether @event counts the privilege level of @addr. x86 applies the same
 * rule to both ends of a branch record.
 */
static bool addr_allowed(const struct perf_event *event, u64 addr)
{
	return itanium_user_addr(addr) ? !event->attr.exclude_user :
					   !event->attr.exclude_kernel;
}

static void save_weight(struct perf_sample_data *data, u64 latency)
{
	compat_sample_weight(data) = latency;
	compat_sample_set(data, PERF_SAMPLE_WEIGHT_TYPE);
}

static void save_src(struct perf_sample_data *data, u64 src)
{
	data->data_src.val = src;
	compat_sample_set(data, PERF_SAMPLE_DATA_SRC);
}

static void save_addr(struct perf_sample_data *data, u64 addr)
{
	data->addr = addr;
	compat_sample_set(data, PERF_SAMPLE_ADDR);
}

/* Level that served an L1 TLB miss, tables 3-19 and 3-24 */
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

/* Kernel data addresses are only for events that count the kernel. */
static void save_data_addr(const struct perf_event *event,
			   struct perf_sample_data *data)
{
	u64 addr = itanium_ops->read(PMD32);

	if (!event->attr.exclude_kernel || itanium_user_addr(addr))
		save_addr(data, addr);
}

/* Tables 3-22, 3-24 and 3-25 */
static bool sample_dear(const struct perf_event *event, u64 pmc40,
			struct perf_sample_data *data, struct pt_regs *regs)
{
	u64 stat = itanium_ops->read(PMD33);
	u8 what = FIELD_GET(PMD33_STAT, stat);
	u64 mode = pmc40 & PMC40_MODE;
	u64 ip;

	/* Cache and ALAT mode have one valid value, TLB mode three. */
	if (what == EAR_STAT_NONE ||
	    (mode != PMC40_MODE_TLB && what != EAR_STAT_L2))
		return false;
	ip = itanium_ops->read(PMD36);
	if (!(ip & PMD36_VL))
		return false;
	ip = (ip & PMD36_ADDRESS) + (ip & PMD36_BN ? BUNDLE : 0) +
	     FIELD_GET(PMD36_SLOT, ip);
	if (!addr_allowed(event, ip))
		return false;
	itanium_ops->sample_regs(regs, ip);

	/* The data address is undefined in ALAT mode. */
	if (mode != PMC40_MODE_ALAT)
		save_data_addr(event, data);
	/* On overflow, report the maximum. */
	if (mode == PMC40_MODE_CACHE)
		save_weight(data, stat & PMD33_OV ? PMD33_LATENCY :
				  FIELD_GET(PMD33_LATENCY, stat));
	/* No level: floating-point loads bypass L1D. */
	save_src(data, PERF_MEM_S(OP, LOAD) | PERF_MEM_S(LVL, NA) | NO_LOCK_NO_SNOOP |
		       (mode == PMC40_MODE_TLB ? PERF_MEM_S(OP, STORE) | tlb_src(what) : NO_TLB));
	return true;
}

/* Tables 3-17 and 3-19; the address is that of the 32-byte line */
static bool sample_iear(const struct perf_event *event, u64 pmc37,
			struct perf_sample_data *data, struct pt_regs *regs)
{
	u64 line = itanium_ops->read(PMD34);
	u64 latency;

	if (!addr_allowed(event, line & PMD34_ADDRESS))
		return false;
	if (pmc37 & PMC37_CACHE) {
		if (!(line & PMD34_VALID))
			return false;
		latency = itanium_ops->read(PMD35);
		save_weight(data, latency & PMD35_OV ? PMD35_LATENCY :
				  FIELD_GET(PMD35_LATENCY, latency));
		save_src(data, PERF_MEM_S(OP, EXEC) | PERF_MEM_S(LVL, L1) |
			       PERF_MEM_S(LVL, MISS) | NO_TLB | NO_LOCK_NO_SNOOP);
	} else {
		u8 stat = FIELD_GET(PMD34_STAT, line);

		if (stat == EAR_STAT_NONE)
			return false;
		save_src(data, PERF_MEM_S(OP, EXEC) | PERF_MEM_S(LVL, NA) |
			       tlb_src(stat) | NO_LOCK_NO_SNOOP);
	}
	save_addr(data, line & PMD34_ADDRESS);
	itanium_ops->sample_regs(regs, line & PMD34_ADDRESS);
	return true;
}

/* Entries of the trace buffer that are in use, the oldest first */
struct trace {
	u64 index;		/* PMD38 */
	unsigned int nr, first;
	u64 entry[ITANIUM_TRACE_ENTRIES];
	u8 ext[ITANIUM_TRACE_ENTRIES];
};

/* PMD39 has four bits per entry; those of PMD48+k and PMD56+k are adjacent */
static unsigned int trace_ext_shift(unsigned int k)
{
	return 8 * (k % 8) + (k < 8 ? 0 : 4);
}

/* Return the number of an entry: it is in PMD48 + k. */
static unsigned int trace_k(const struct trace *t, unsigned int i)
{
	return (t->first + i) % ITANIUM_TRACE_ENTRIES;
}

/* Table 3-28 */
static void read_trace(struct trace *t)
{
	unsigned int i, next;
	u64 pmd39;

	t->index = itanium_ops->read(PMD38);
	next = FIELD_GET(PMD38_EBI, t->index);
	t->nr = t->index & PMD38_FULL ? ITANIUM_TRACE_ENTRIES : next;
	t->first = t->index & PMD38_FULL ? next : 0;
	pmd39 = t->nr ? itanium_ops->read(PMD39) : 0;
	for (i = 0; i < t->nr; i++) {
		t->entry[i] = itanium_ops->read(PMD48 + trace_k(t, i));
		t->ext[i] = pmd39 >> trace_ext_shift(trace_k(t, i)) & 0xf;
	}
}

static u64 source_bundle(u64 entry, unsigned int ext)
{
	return (entry & PMD48_ADDRESS) + (ext & PMD39_EXT_B1 ? BUNDLE : 0);
}

static u64 retired_ip(u64 entry, unsigned int ext)
{
	return (ext & PMD39_EXT_EF ? entry & PMD48_IP_EF :
				     entry & PMD48_IP) << 4;
}

static void start_branches(struct itanium_capture *cap)
{
	cap->brs.stack.nr = 0;
	cap->brs.stack.hw_idx = -1ULL;
}

/*
 * Insert a branch at the front, as perf expects the newest first. Skip branches from or
 * to excluded privilege levels, into the kernel, which are exceptions and interrupts
 * (3.3.10.1.3), and rfi, a mispredicted one out of it (table 3-27).
 */
static void push_branch(struct itanium_capture *cap,
			const struct perf_event *event,
			const struct perf_branch_entry *entry)
{
	struct perf_branch_stack *stack = &cap->brs.stack;

	if (!addr_allowed(event, entry->from) || !addr_allowed(event, entry->to))
		return;
	if (itanium_user_addr(entry->from) != itanium_user_addr(entry->to) &&
	    (entry->mispred || itanium_user_addr(entry->from)))
		return;
	memmove(&cap->brs.entries[1], &cap->brs.entries[0],
		stack->nr * sizeof(*entry));
	cap->brs.entries[0] = *entry;
	stack->nr++;
}

/*
 * Tables 3-27 and 3-29. A source entry is followed by its target, or by another
 * source in the target bundle, except that a mispredicted branch may lack its target
 * (footnote in 3.3.10.1.2).
 */
static void sample_etb(struct itanium_capture *cap, const struct trace *t,
		       struct perf_sample_data *data, struct perf_event *event)
{
	struct perf_branch_entry branch = { 0 };
	bool open = false;
	unsigned int i;

	start_branches(cap);
	for (i = 0; i < t->nr; i++) {
		u64 e = t->entry[i];

		if (!(e & PMD48_S)) {
			if (open && (e & PMD48_MP)) {
				branch.to = e & PMD48_ADDRESS;
				push_branch(cap, event, &branch);
			}
			open = false;
			continue;
		}
		if (open && !branch.mispred) {
			branch.to = source_bundle(e, t->ext[i]);
			push_branch(cap, event, &branch);
		}
		branch = (struct perf_branch_entry){
			.from = source_bundle(e, t->ext[i]) + FIELD_GET(PMD48_SLOT, e),
			.mispred = !!(e & PMD48_MP),
			.predicted = !(e & PMD48_MP),
		};
		/* Only taken branches have a target. */
		open = FIELD_GET(PMD48_SLOT, e) != PMD48_SLOT_NOT_TAKEN;
	}
	perf_sample_save_brstack(data, event, &cap->brs.stack, NULL);
}

/*
 * Tables 3-31 and 3-33. Report each step from one retired instruction to the next,
 * with cycles. Skip the newest entry, as its address may be wrong (3.3.10.2.1).
 */
static bool sample_ip(struct itanium_capture *cap, const struct trace *t,
		      struct perf_sample_data *data, struct perf_event *event)
{
	unsigned int i;

	start_branches(cap);
	if (t->nr < 2)
		return false;
	for (i = 1; i + 1 < t->nr; i++) {
		struct perf_branch_entry step = {
			.from = retired_ip(t->entry[i - 1], t->ext[i - 1]),
			.to = retired_ip(t->entry[i], t->ext[i]),
			.cycles = FIELD_GET(PMD39_EXT_CYCL, t->ext[i]) << 4 |
				  FIELD_GET(PMD48_IP_CYCL, t->entry[i]),
		};

		push_branch(cap, event, &step);
	}
	perf_sample_save_brstack(data, event, &cap->brs.stack, NULL);
	return true;
}

static void put_raw(struct itanium_capture *cap, u64 v)
{
	cap->raw[cap->nr_raw++] = v;
}

/* PMD32, 33 and 36; bits that are undefined in the mode are 0 (3.3.9) */
static void raw_dear(struct itanium_capture *cap,
		     const struct perf_event *event, u64 pmc40)
{
	u64 mode = pmc40 & PMC40_MODE;
	u64 addr = 0, stat = itanium_ops->read(PMD33);

	if (mode != PMC40_MODE_ALAT)
		addr = itanium_ops->read(PMD32);
	if (event->attr.exclude_kernel && !itanium_user_addr(addr))
		addr = 0;
	if (mode != PMC40_MODE_CACHE)
		stat &= PMD33_STAT;
	put_raw(cap, addr);
	put_raw(cap, stat);
	put_raw(cap, itanium_ops->read(PMD36));
}

/* PMD34 and 35; the latency is undefined in TLB mode (table 3-19) */
static void raw_iear(struct itanium_capture *cap, u64 pmc37)
{
	put_raw(cap, itanium_ops->read(PMD34));
	put_raw(cap, pmc37 & PMC37_CACHE ? itanium_ops->read(PMD35) : 0);
}

/* Return whether @event may report this trace buffer entry. */
static bool raw_entry(const struct perf_event *event, bool ip, u64 e,
		      unsigned int ext)
{
	if (ip)
		return addr_allowed(event, retired_ip(e, ext));
	return e & (PMD48_S | PMD48_MP) &&
	       addr_allowed(event, e & PMD48_ADDRESS);
}

/*
 * PMD38, 39 and 48-63. Old entries, those of excluded levels, and the newest one of the
 * IP-EAR, whose address may be wrong, are 0.
 */
static void raw_trace(struct itanium_capture *cap, const struct trace *t,
		      const struct perf_event *event, bool ip)
{
	u64 entry[ITANIUM_TRACE_ENTRIES] = { 0 };
	unsigned int i, k;
	u64 pmd39 = 0;

	for (i = 0; i < t->nr; i++) {
		if (ip && i + 1 == t->nr && !(t->ext[i] & PMD39_EXT_EF))
			continue;
		if (!raw_entry(event, ip, t->entry[i], t->ext[i]))
			continue;
		k = trace_k(t, i);
		entry[k] = t->entry[i];
		pmd39 |= (u64)t->ext[i] << trace_ext_shift(k);
	}
	put_raw(cap, t->index);
	put_raw(cap, pmd39);
	for (k = 0; k < ITANIUM_TRACE_ENTRIES; k++)
		put_raw(cap, entry[k]);
}

/* Add the registers as raw data (PERF_SAMPLE_RAW). */
static void sample_raw(struct itanium_capture *cap, const struct trace *t,
		       struct perf_event *event, const struct itanium_req *req,
		       struct perf_sample_data *data)
{
	const struct itanium_use *res = req->res;
	u32 units = itanium_units(req);

	cap->nr_raw = 0;
	if (units & BIT(ITANIUM_RES_DEAR))
		raw_dear(cap, event, res[ITANIUM_RES_DEAR].v[0]);
	if (units & BIT(ITANIUM_RES_IEAR))
		raw_iear(cap, res[ITANIUM_RES_IEAR].v[0]);
	if (units & ITANIUM_TRACE)
		raw_trace(cap, t, event, units & BIT(ITANIUM_RES_IP));
	if (!cap->nr_raw)
		return;
	cap->raw_record = (struct perf_raw_record){
		.frag = { .data = cap->raw, .size = cap->nr_raw * sizeof(u64) },
	};
	perf_sample_save_raw_data(data, event, &cap->raw_record);
}

/*
 * Add the captured record to a sample, and set @regs to the captured instruction. Returns
 * false if the record is invalid, or if there is no record and @regs is 0. Called with the
 * PMU frozen.
 */
bool itanium_capture_sample(struct itanium_capture *cap,
			    struct perf_event *event,
			    const struct itanium_req *req,
			    struct perf_sample_data *data, struct pt_regs *regs)
{
	const struct itanium_use *res = req->res;
	u32 units = itanium_units(req);
	struct trace t = { .nr = 0 };

	if (units & ITANIUM_TRACE &&
	    event->attr.sample_type & (PERF_SAMPLE_RAW | PERF_SAMPLE_BRANCH_STACK))
		read_trace(&t);
	if (event->attr.sample_type & PERF_SAMPLE_RAW)
		sample_raw(cap, &t, event, req, data);
	if (has_branch_stack(event)) {
		if (!(units & BIT(ITANIUM_RES_IP)))
			sample_etb(cap, &t, data, event);
		else if (!sample_ip(cap, &t, data, event))
			return false;
	}
	if (units & BIT(ITANIUM_RES_DEAR))
		return sample_dear(event, res[ITANIUM_RES_DEAR].v[0], data, regs);
	if (units & BIT(ITANIUM_RES_IEAR))
		return sample_iear(event, res[ITANIUM_RES_IEAR].v[0], data, regs);
	return instruction_pointer(regs);
}

/* Invalidate old records. Called with the PMU frozen, and before a sync. */
void itanium_capture_rearm(u32 units)
{
	if (units & BIT(ITANIUM_RES_DEAR)) {
		itanium_ops->write(PMD33, 0);
		itanium_ops->write(PMD36, 0);
	}
	if (units & BIT(ITANIUM_RES_IEAR))
		itanium_ops->write(PMD34, 0);
	if (units & ITANIUM_TRACE)
		itanium_ops->write(PMD38, 0);
}
