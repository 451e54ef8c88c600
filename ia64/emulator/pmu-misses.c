// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmu-misses.c: small models of the caches, the first-level TLBs and the branch predictor, for the
 * events and captures of misses. They start empty and run only while a monitor needs them. A miss
 * costs no time: each bundle takes a cycle.
 */
#include "platform.h"

/* Latencies in cycles */
#define LATENCY_L2D		5		/* one more for a floating-point register */
#define LATENCY_L2I		7
#define LATENCY_L3		14
#define LATENCY_MEMORY		200

#define DEAR_APART		7		/* minimum of cycles between two captured loads */
#define IPEAR_CYCLES		63		/* maximum of the cycle count in an IP-EAR entry */
#define TLB_L2			1		/* the L2 TLB has the translation */
#define BUNDLE			16

static const struct pmu_cache caches[CACHE_COUNT] = {
	[CACHE_L1D] = { .line_bits = 6, .sets = 64, .ways = 4 },
	[CACHE_L1I] = { .line_bits = 6, .sets = 64, .ways = 4 },
	[CACHE_L2D] = { .line_bits = 7, .sets = 256, .ways = 8 },
	[CACHE_L2I] = { .line_bits = 7, .sets = 1024, .ways = 8 },
	[CACHE_L3] = { .line_bits = 7, .sets = 8192, .ways = 12 },
	/* TLBs of the first level: 32 pages of 4 KB */
	[CACHE_DTLB] = { .line_bits = 12, .sets = 1, .ways = 32 },
	[CACHE_ITLB] = { .line_bits = 12, .sets = 1, .ways = 32 },
};

void pmu_misses_init(struct pmu *pmu)
{
	uint64_t *line = pmu->line;
	unsigned int i;

	for (i = 0; i < CACHE_COUNT; i++) {
		struct pmu_cache *c = &pmu->cache[i];

		*c = caches[i];
		c->line = line;
		line += c->sets * c->ways;
	}
}

/* Access a line: return whether it was there, and make it the most recently used one. */
static bool access_line(struct pmu *pmu, unsigned int nr, uint64_t address)
{
	struct pmu_cache *c = &pmu->cache[nr];
	uint64_t line = (address >> c->line_bits) + 1, *set, last;	/* 0: empty */
	unsigned int way;

	set = c->line + (line % c->sets) * c->ways;
	for (way = 0; way < c->ways - 1 && set[way] != line; way++)
		;
	last = set[way];
	for (; way; way--)
		set[way] = set[way - 1];
	set[0] = line;
	return last == line;
}

static unsigned int latency_behind(struct pmu *pmu, unsigned int second, uint64_t address)
{
	if (access_line(pmu, second, address))
		return second == CACHE_L2D ? LATENCY_L2D : LATENCY_L2I;
	return access_line(pmu, CACHE_L3, address) ? LATENCY_L3 : LATENCY_MEMORY;
}

/* Loads that the first level does not have are the second one's; stores are not tracked. */
static void data_access(struct pmu *pmu, struct cpu *cpu, struct pmu_insn *insn, bool frozen)
{
	uint64_t physical = insn->memory.physical & PHYS_MASK;
	bool tlb_hit, fp = pmu_is_float(insn), l1d = pmu_reads_l1d(cpu, insn);
	struct mont_event *e = &insn->event;

	if (!insn->memory.valid || !insn->memory.load || pmu_uncached(cpu, insn))
		return;
	tlb_hit = fp || access_line(pmu, CACHE_DTLB, insn->memory.address);
	insn->data_missed = l1d && !access_line(pmu, CACHE_L1D, physical);
	e->latency = !l1d || insn->data_missed ? latency_behind(pmu, CACHE_L2D, physical) + fp : 0;
	e->mode = MONT_DEAR_MODE(pmu->mont.pmc[PMC_DEAR]) == MONT_MISS_TLB && !tlb_hit ?
		  MONT_MISS_TLB : MONT_MISS_CACHE;
	e->hit = TLB_L2;
	if (frozen || cpu->cycles < pmu->dear_ready)
		return;
	insn->data_ear = mont_capture_data(&pmu->mont, e);
	if (insn->data_ear)
		pmu->dear_ready = cpu->cycles + DEAR_APART;
}

static void code_access(struct pmu *pmu, struct pmu_insn *insn, bool frozen)
{
	uint64_t ip = insn->retired->ip;
	struct mont_event *e = &insn->event;
	bool tlb_hit;

	if (!insn->new_bundle)
		return;
	tlb_hit = access_line(pmu, CACHE_ITLB, ip);
	e->latency = access_line(pmu, CACHE_L1I, ip) ? 0 : latency_behind(pmu, CACHE_L2I, ip);
	e->mode = pmu->mont.pmc[PMC_IEAR] & MONT_IEAR_CACHE || tlb_hit ? MONT_MISS_CACHE :
									  MONT_MISS_TLB;
	e->hit = TLB_L2;
	if (!frozen)
		insn->code_ear = mont_capture_code(&pmu->mont, e);
}

/* Predict the path by a two-bit counter, and an indirect branch's target by its last one. */
static void predict(struct pmu *pmu, const struct pmu_insn *insn, bool *path, bool *target)
{
	unsigned int n = (insn->retired->ip / BUNDLE * 3 + insn->retired->slot) % PREDICTIONS;
	bool taken = insn->flow.taken, always = !(insn->retired->code & 0x3f);
	uint8_t *counter = &pmu->path[n];

	/* Without a predicate, a branch is taken, except for those that count loops. */
	*path = (always && taken) || (*counter >= 2) == taken;
	if (taken && *counter < 3)
		(*counter)++;
	else if (!taken && *counter)
		(*counter)--;
	*target = !taken || insn->flow.kind == BRANCH_RELATIVE ||
		  pmu->target[n] == insn->flow.target;
	if (taken)
		pmu->target[n] = insn->flow.target;
}

/* Return whether an instruction is a branch whose predicate is false, and set its kind. */
static bool not_executed(const struct retired *retired, struct pmu_flow *flow)
{
	unsigned int op = retired->code >> 37, extension = retired->code >> 27 & 0x3f;

	if (retired->executed)
		return false;
	flow->taken = false;
	flow->kind = BRANCH_RELATIVE;
	if (retired->unit == 'X')
		return op == 0xc || op == 0xd;
	if (retired->unit != 'B')
		return false;
	if (op == 4 || op == 5)
		return true;
	flow->kind = op == 0 && extension == 0x21 ? BRANCH_RETURN : BRANCH_INDIRECT;
	return op == 1 || (op == 0 && (extension == 0x20 || extension == 0x21));
}

/* Capture a branch, and count BRANCH_EVENT for it; the capture has qualified it. */
static void capture_branch(struct pmu *pmu, struct mont_event e)
{
	const struct mont *m = &pmu->mont;
	unsigned int i;

	if (!mont_capture_branch(&pmu->mont, &e))
		return;
	pmu->at_target = e.taken;
	e.ranges = ~0U;
	e.opcodes = ~0U;
	for (i = MONT_FIRST; i <= MONT_LAST; i++)
		if (MONT_ES(m->pmc[i]) == MONT_BRANCH_EVENT && mont_counts(&pmu->mont, i, &e))
			pmu_add(pmu, i, 1);
}

/* The trace buffer has one entry for a bundle: an untaken branch if no other was captured. */
static void end_untaken(struct pmu *pmu, uint64_t ip)
{
	if (!pmu->untaken_valid || ip == pmu->untaken.ip)
		return;
	pmu->untaken_valid = false;
	capture_branch(pmu, pmu->untaken);
}

/* No check for a freeze: only the IP-EAR goes on then, and the trace buffer is off with it. */
static void trace_branch(struct pmu *pmu, struct pmu_insn *insn)
{
	struct mont_event *e = &insn->event;
	bool path = false, target = false;

	pmu->at_target = false;
	if (!insn->flow.valid)
		insn->flow.valid = not_executed(insn->retired, &insn->flow);
	end_untaken(pmu, e->ip);
	if (!insn->flow.valid)
		return;
	if (insn->flow.kind != BRANCH_RFI) {
		e->type = insn->flow.kind + 1;
		predict(pmu, insn, &path, &target);
	}
	pmu->flushed |= !path || !target;
	e->taken = insn->flow.taken;
	e->to = e->taken ? insn->flow.target : e->ip + BUNDLE;
	e->path_ok = path;
	e->target_ok = target;
	if (!mont_branch_wanted(&pmu->mont, e))
		return;
	pmu->untaken_valid = !e->taken;
	if (e->taken)
		capture_branch(pmu, *e);
	else
		pmu->untaken = *e;
}

void pmu_exception(struct pmu *pmu, struct cpu *cpu, uint64_t target)
{
	struct mont_event e = {
		.psr = cpu->psr, .ip = cpu->ip, .slot = cpu->slot, .to = target, .taken = true,
	};

	pmu->flushed = true;
	end_untaken(pmu, ~0ULL);
	capture_branch(pmu, e);
}

void pmu_interrupt(struct pmu *pmu, uint64_t handler)
{
	if (pmu->at_target && !mont_frozen(&pmu->mont))
		mont_capture_handler(&pmu->mont, handler);
	pmu->at_target = false;
}

/* Capture a retired bundle; after a freeze, until ipear_until or a disabled privilege level. */
static void trace_ip(struct pmu *pmu, const struct cpu *cpu, struct pmu_insn *insn, bool frozen)
{
	bool enabled = mont_enabled(&pmu->mont, PMC_IPEAR, insn->retired->psr);
	bool over = frozen && cpu->cycles >= pmu->ipear_until;
	uint64_t since = cpu->cycles - pmu->ipear_last;
	struct mont_event *e = &insn->event;

	if (!insn->new_bundle || (frozen ? !pmu->ipear_until : !enabled))
		return;
	e->ef = frozen && !enabled && !over;
	e->early = pmu->ipear_until - cpu->cycles;
	e->cycles = since < IPEAR_CYCLES ? since : IPEAR_CYCLES;
	e->flush = pmu->flushed;
	if (mont_capture_ip(&pmu->mont, e)) {
		pmu->flushed = false;
		pmu->ipear_last = cpu->cycles;
	}
	if (frozen && (!enabled || over))
		pmu->ipear_until = 0;
}

void pmu_misses(struct pmu *pmu, struct cpu *cpu, struct pmu_insn *insn, bool frozen)
{
	if (pmu->data || pmu->others)
		data_access(pmu, cpu, insn, frozen);
	if (pmu->code)
		code_access(pmu, insn, frozen);
	if (pmu->trace && !insn->stack)
		trace_branch(pmu, insn);
	if (pmu->ips)
		trace_ip(pmu, cpu, insn, frozen);
}
