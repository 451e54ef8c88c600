// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmu-misses.c: what misses and what is mispredicted is told by small models of caches, of the
 * first level TLBs and of branch prediction. They see what happens while a monitor needs them, and
 * start empty. They do not slow the processor down: a bundle takes a cycle whatever it does.
 */
#include "platform.h"

/* Cycles until data or code come from there */
#define LATENCY_L2D		5		/* of a floating-point register one more */
#define LATENCY_L2I		7
#define LATENCY_L3		14
#define LATENCY_MEMORY		200

#define DEAR_APART		7		/* cycles between two that are captured */
#define IPEAR_CYCLES		63		/* the count stays there */
#define TLB_L2			1		/* where the translation is found */
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

/* Whether the line was there; now it is, and was used last. */
static bool find(struct pmu *pmu, unsigned int nr, uint64_t address)
{
	struct pmu_cache *c = &pmu->cache[nr];
	uint64_t line = (address >> c->line_bits) + 1, *set, last;	/* 0 is none */
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
	if (find(pmu, second, address))
		return second == CACHE_L2D ? LATENCY_L2D : LATENCY_L2I;
	return find(pmu, CACHE_L3, address) ? LATENCY_L3 : LATENCY_MEMORY;
}

static bool is_float(const struct retired *retired)
{
	unsigned int op = retired->code >> 37;

	return op == 6 || op == 7;
}

/* Loads of floating-point registers do not look into the first level; stores are not tracked. */
static void data(struct pmu *pmu, struct cpu *cpu, struct pmu_insn *insn, bool frozen)
{
	uint64_t physical = insn->memory.physical & PHYS_MASK;
	bool tlb_hit, fp = is_float(insn->retired);
	struct mont_event *e = &insn->event;

	if (!insn->memory.valid || !insn->memory.load || physical >= cpu->machine->ram_size)
		return;
	tlb_hit = fp || find(pmu, CACHE_DTLB, insn->memory.address);
	insn->data_missed = !fp && !find(pmu, CACHE_L1D, physical);
	e->latency = fp || insn->data_missed ? latency_behind(pmu, CACHE_L2D, physical) + fp : 0;
	e->mode = MONT_DEAR_MODE(pmu->mont.pmc[PMC_DEAR]) == MONT_MISS_TLB && !tlb_hit ?
		  MONT_MISS_TLB : MONT_MISS_CACHE;
	e->hit = TLB_L2;
	if (frozen || cpu->cycles < pmu->dear_ready)
		return;
	insn->data_ear = mont_capture_data(&pmu->mont, e);
	if (insn->data_ear)
		pmu->dear_ready = cpu->cycles + DEAR_APART;
}

static void code(struct pmu *pmu, struct pmu_insn *insn, bool frozen)
{
	uint64_t ip = insn->retired->ip;
	struct mont_event *e = &insn->event;
	bool tlb_hit;

	if (!insn->new_bundle)
		return;
	tlb_hit = find(pmu, CACHE_ITLB, ip);
	e->latency = find(pmu, CACHE_L1I, ip) ? 0 : latency_behind(pmu, CACHE_L2I, ip);
	e->mode = pmu->mont.pmc[PMC_IEAR] & MONT_IEAR_CACHE || tlb_hit ? MONT_MISS_CACHE :
									  MONT_MISS_TLB;
	e->hit = TLB_L2;
	if (!frozen)
		insn->code_ear = mont_capture_code(&pmu->mont, e);
}

/* Two-bit counters say whether a branch is taken, and where indirect ones went is remembered. */
static void predict(struct pmu *pmu, const struct pmu_insn *insn, bool *path, bool *target)
{
	unsigned int n = (insn->retired->ip / BUNDLE * 3 + insn->retired->slot) % PREDICTIONS;
	bool taken = insn->flow.taken, always = !(insn->retired->code & 0x3f);
	uint8_t *counter = &pmu->path[n];

	/* A branch without a predicate is taken; those that count loops have none, but may not. */
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

/* A branch whose predicate is false; the kind and the target would be those of one taken. */
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

/* The counters see what is captured as it was then, qualified already. */
static void capture_branch(struct pmu *pmu, struct mont_event e)
{
	const struct mont *m = &pmu->mont;
	unsigned int i;

	if (!mont_capture_branch(&pmu->mont, &e))
		return;
	e.ranges = ~0U;
	e.opcodes = ~0U;
	for (i = MONT_FIRST; i <= MONT_LAST; i++)
		if (MONT_ES(m->pmc[i]) == MONT_BRANCH_EVENT && mont_counts(&pmu->mont, i, &e))
			pmu_add(pmu, i, 1);
}

/* One entry for a bundle: a branch not taken is one if no other of it is captured. */
static void end_untaken(struct pmu *pmu, uint64_t ip)
{
	if (!pmu->untaken_valid || ip == pmu->untaken.ip)
		return;
	pmu->untaken_valid = false;
	capture_branch(pmu, pmu->untaken);
}

/* Once frozen, only the IP-EAR goes on, and then there is no trace. */
static void trace(struct pmu *pmu, struct pmu_insn *insn)
{
	struct mont_event *e = &insn->event;
	bool path = false, target = false;

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

/* The instructions that retire; after a freeze for so long, or until they are not to be seen */
static void ips(struct pmu *pmu, const struct cpu *cpu, struct pmu_insn *insn, bool frozen)
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
	if (pmu->data)
		data(pmu, cpu, insn, frozen);
	if (pmu->code)
		code(pmu, insn, frozen);
	if (pmu->trace)
		trace(pmu, insn);
	if (pmu->ips)
		ips(pmu, cpu, insn, frozen);
}
