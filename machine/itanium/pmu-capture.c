// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmu-capture.c: what is captured of single events: the event address registers of data and of
 * code (sections 3.3.8 and 3.3.9), and the execution trace buffer in its two modes (3.3.10).
 *
 * What misses and what is mispredicted is told by small models of caches, of the first level
 * TLBs and of branch prediction. They see what happens while monitors are on, and start empty.
 * They do not slow the processor down: a bundle takes a cycle whatever it does.
 */
#include <stdlib.h>

#include "platform.h"

/* Cycles until data or code come from there */
#define LATENCY_L2		5
#define LATENCY_L3		14
#define LATENCY_MEMORY		200

/* Table 3-20 to 3-24 */
#define DEAR_MODE(v)		((v) >> 7 & 3)
enum { DEAR_CACHE, DEAR_TLB, DEAR_ALAT };
#define DEAR_UMASK(v)		((v) >> 16 & 0xf)
#define DEAR_UMASK_LAST		10		/* at least 4 << 10 cycles */
#define DEAR_UMASK_L2_TLB	(1 << 1)
#define DEAR_STAT		(1ULL << 14)	/* valid; of a TLB, found in its second level */
#define DEAR_VALID		(1ULL << 3)
#define DEAR_SECOND		(1ULL << 2)
#define DEAR_APART		7		/* cycles between two that are captured */

/* Tables 3-15 to 3-19 */
#define IEAR_CACHE		(1ULL << 13)
#define IEAR_TLB_OFF		(1ULL << 12)
#define IEAR_UMASK(v)		((v) >> 5 & 0xff)
#define IEAR_UMASK_L2_TLB	(1ULL << 5)
#define IEAR_STAT		1

/* Tables 3-26 to 3-29 */
#define ETB_DS			(1ULL << 7)
#define ETB_TM(v)		((v) >> 8 & 3)
#define ETB_PTM(v)		((v) >> 10 & 3)
#define ETB_PPM(v)		((v) >> 12 & 3)
#define ETB_BRT(v)		((v) >> 14 & 3)
#define MASK_YES		2	/* taken; predicted */
#define MASK_NO			1	/* not taken; mispredicted */
#define MASK_ALL		3
#define ENTRY_SOURCE		1ULL
#define ENTRY_MP		2ULL	/* mispredicted, or a target that is valid */
#define ENTRY_SLOT(n)		((uint64_t)(n) << 2)
#define SLOT_NOT_TAKEN		3
#define EXTENSION_SECOND	1	/* the second bundle of the window */
#define EXTENSION_FLUSH		2
#define INDEX_FULL		(1ULL << 5)

/* Tables 3-30 to 3-33 */
#define IPEAR_MODE(v)		((v) >> 8 & 7)
#define IPEAR_ON		4
#define IPEAR_DELAY(v)		((v) >> 11 & 0xff)
#define IPEAR_CYCLES		63	/* the count stays there */
#define EXTENSION_EARLY		1

/* Two bundles are dispersed together, and only the address of the first is captured. */
#define WINDOW			32
#define BUNDLE			16

static const struct {
	unsigned int bytes, line_bits, ways;
} caches[CACHE_COUNT] = {
	[CACHE_L1D] = { 16 << 10, 6, 4 },
	[CACHE_L1I] = { 16 << 10, 6, 4 },
	[CACHE_L2D] = { 256 << 10, 7, 8 },
	[CACHE_L2I] = { 1 << 20, 7, 8 },
	[CACHE_L3] = { 12 << 20, 7, 12 },
	/* TLBs of the first level: 32 pages of 4 KB */
	[CACHE_DTLB] = { 32 << 12, 12, 32 },
	[CACHE_ITLB] = { 32 << 12, 12, 32 },
};

void pmu_capture_init(struct pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < CACHE_COUNT; i++) {
		struct pmu_cache *c = &pmu->cache[i];

		c->line_bits = caches[i].line_bits;
		c->ways = caches[i].ways;
		c->sets = (caches[i].bytes >> c->line_bits) / c->ways;
		c->line = calloc((size_t)c->sets * c->ways, sizeof(*c->line));
		if (!c->line)
			die("there is no memory for the monitors");
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
		return LATENCY_L2;
	return find(pmu, CACHE_L3, address) ? LATENCY_L3 : LATENCY_MEMORY;
}

static bool is_float(const struct retired *retired)
{
	unsigned int op = retired->code >> 37;

	return op == 6 || op == 7;
}

static void put_data_ear(struct pmu *pmu, struct pmu_insn *insn, uint64_t now, uint64_t latency)
{
	const struct retired *r = insn->retired;

	pmu->pmd[PMD_DEAR_ADDRESS] = insn->memory.address;
	pmu->pmd[PMD_DEAR_LATENCY] = latency | DEAR_STAT;
	pmu->pmd[PMD_DEAR_IP] = (r->ip & ~(uint64_t)(WINDOW - 1)) | DEAR_VALID | r->slot |
				(r->ip & BUNDLE ? DEAR_SECOND : 0);
	pmu->dear_ready = now + DEAR_APART;
	insn->data_ear = true;
}

/* Loads of floating-point registers do not look into the first level; stores are not tracked. */
static void data(struct pmu *pmu, struct cpu *cpu, struct pmu_insn *insn, bool frozen)
{
	uint64_t pmc = pmu->pmc[PMC_DEAR], physical = insn->memory.physical & PHYS_MASK;
	bool tlb_hit, fp = is_float(insn->retired);
	unsigned int latency = 0;

	if (!insn->memory.valid || !insn->memory.load || physical >= cpu->machine->ram_size)
		return;
	tlb_hit = fp || find(pmu, CACHE_DTLB, insn->memory.address);
	insn->data_missed = !fp && !find(pmu, CACHE_L1D, physical);
	if (fp || insn->data_missed)
		latency = latency_behind(pmu, CACHE_L2D, physical);

	if (frozen || !pmu_enabled(pmu, PMC_DEAR, insn->retired->psr) || !insn->data_tag ||
	    cpu->cycles < pmu->dear_ready)
		return;
	if (DEAR_MODE(pmc) == DEAR_CACHE) {
		if (DEAR_UMASK(pmc) <= DEAR_UMASK_LAST && latency >= 4U << DEAR_UMASK(pmc))
			put_data_ear(pmu, insn, cpu->cycles, latency);
	} else if (DEAR_MODE(pmc) == DEAR_TLB) {
		/* The latency is undefined. */
		if (!tlb_hit && (DEAR_UMASK(pmc) & DEAR_UMASK_L2_TLB))
			put_data_ear(pmu, insn, cpu->cycles, pmu_noise(pmu) & 0x3fff);
	}
}

/* Table 3-16; 0 is for an unknown one, and for a mode that this machine has not. */
static unsigned int iear_threshold(uint64_t umask)
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

static void code(struct pmu *pmu, struct pmu_insn *insn, bool frozen)
{
	uint64_t pmc = pmu->pmc[PMC_IEAR], ip = insn->retired->ip;
	unsigned int latency = 0, threshold = iear_threshold(IEAR_UMASK(pmc));
	bool tlb_hit, wanted;

	if (!insn->new_bundle)
		return;
	tlb_hit = find(pmu, CACHE_ITLB, ip);
	if (!find(pmu, CACHE_L1I, ip))
		latency = latency_behind(pmu, CACHE_L2I, ip);
	if (frozen || !pmu_enabled(pmu, PMC_IEAR, insn->retired->psr) || !(insn->tags & 1))
		return;
	if (pmc & IEAR_CACHE)
		wanted = threshold && latency >= threshold;
	else
		wanted = !(pmc & IEAR_TLB_OFF) && !tlb_hit && (pmc & IEAR_UMASK_L2_TLB);
	if (!wanted)
		return;
	pmu->pmd[PMD_IEAR_ADDRESS] = (ip & ~0x1fULL) | IEAR_STAT;
	pmu->pmd[PMD_IEAR_LATENCY] = pmc & IEAR_CACHE ? latency : pmu_noise(pmu) & 0x1fff;
	insn->code_ear = true;
}

/* Where the extension of entry @n is in PMD39: the lower and the upper eight alternate */
static unsigned int extension_shift(unsigned int n)
{
	return 8 * (n % 8) + (n < 8 ? 0 : 4);
}

static void put_entry(struct pmu *pmu, uint64_t entry, uint64_t extension)
{
	unsigned int n = pmu->pmd[PMD_ETB_INDEX] % ETB_ENTRIES;
	unsigned int shift = extension_shift(n);

	pmu->pmd[PMD_ETB + n] = entry;
	pmu->pmd[PMD_ETB_EXTENSION] &= ~(0xfULL << shift);
	pmu->pmd[PMD_ETB_EXTENSION] |= extension << shift;
	pmu->pmd[PMD_ETB_INDEX] = (n + 1) % ETB_ENTRIES |
				  (n + 1 == ETB_ENTRIES ? INDEX_FULL :
				   pmu->pmd[PMD_ETB_INDEX] & INDEX_FULL);
}

/*
 * The source goes into the buffer, and the target behind it. If the last entry is the target of
 * the flow before, and this source is in its bundle, then the processor may have the source in
 * its place, or both (3.3.10): here it is now so, now so.
 */
static void put_flow(struct pmu *pmu, uint64_t ip, unsigned int slot, uint64_t target,
		     bool mispredicted)
{
	uint64_t source = (ip & ~(uint64_t)(WINDOW - 1)) | ENTRY_SLOT(slot) | ENTRY_SOURCE |
			  (mispredicted ? ENTRY_MP : 0);

	if (pmu->etb_target_valid && pmu->etb_target == ip && (pmu_noise(pmu) & 1)) {
		uint64_t index = pmu->pmd[PMD_ETB_INDEX];

		pmu->pmd[PMD_ETB_INDEX] = (index & INDEX_FULL) | (index - 1) % ETB_ENTRIES;
	}
	put_entry(pmu, source, (ip & BUNDLE ? EXTENSION_SECOND : 0) |
			       (mispredicted ? EXTENSION_FLUSH : 0));
	put_entry(pmu, (target & ~0xfULL) | ENTRY_MP, 0);
	/* Behind a mispredicted branch the pipeline restarts: the next clock is empty. */
	pmu->etb_target = target & ~0xfULL;
	pmu->etb_target_valid = !mispredicted;
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

static bool mask_has(unsigned int mask, bool yes)
{
	return mask & (yes ? MASK_YES : MASK_NO);
}

/* Table 3-26. If the path is mispredicted nothing is known of the target. */
static bool flow_wanted(const struct pmu *pmu, const struct pmu_insn *insn, bool path, bool target)
{
	static const uint8_t type[] = {
		[BRANCH_RELATIVE] = 1, [BRANCH_RETURN] = 2, [BRANCH_INDIRECT] = 3,
	};
	uint64_t pmc = pmu->pmc[PMC_ETB];

	if (!mask_has(ETB_TM(pmc), insn->flow.taken) || !mask_has(ETB_PPM(pmc), path))
		return false;
	if (path ? !mask_has(ETB_PTM(pmc), target) : ETB_PTM(pmc) != MASK_ALL)
		return false;
	if (ETB_PTM(pmc) == MASK_NO && ETB_PPM(pmc) == MASK_NO)
		return false;
	if (ETB_BRT(pmc) && ETB_BRT(pmc) != type[insn->flow.kind])
		return false;
	return insn->tags & 1;
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

static void trace(struct pmu *pmu, struct pmu_insn *insn, bool frozen)
{
	const struct retired *r = insn->retired;
	bool path, target;

	if (!insn->flow.valid)
		insn->flow.valid = not_executed(r, &insn->flow);

	/* One entry for a bundle: a branch not taken is one if none behind it is taken. */
	if (pmu->etb_untaken && r->ip != pmu->etb_untaken_ip) {
		pmu->etb_untaken = false;
		if (!frozen) {
			put_flow(pmu, pmu->etb_untaken_ip, SLOT_NOT_TAKEN,
				 pmu->etb_untaken_ip + BUNDLE, pmu->etb_untaken_mp);
			insn->traced = true;
		}
	}
	if (!insn->flow.valid)
		return;
	if (insn->flow.kind == BRANCH_RFI) {
		path = false;
		target = false;
	} else {
		predict(pmu, insn, &path, &target);
	}
	pmu->flushed |= !path || !target;
	if (frozen || IPEAR_MODE(pmu->pmc[PMC_IPEAR]) ||
	    !pmu_enabled(pmu, PMC_ETB, r->psr) ||
	    (insn->flow.kind != BRANCH_RFI && !flow_wanted(pmu, insn, path, target)))
		return;
	if (!insn->flow.taken) {
		pmu->etb_untaken = true;
		pmu->etb_untaken_ip = r->ip;
		pmu->etb_untaken_mp = !path;
		return;
	}
	pmu->etb_untaken = false;
	put_flow(pmu, r->ip, r->slot, insn->flow.target, !path || !target);
	insn->traced = true;
}

void pmu_capture_exception(struct pmu *pmu, struct cpu *cpu, uint64_t ip, unsigned int slot,
			   uint64_t target)
{
	if (!(pmu->pmc[0] & PMC0_FREEZE) && !IPEAR_MODE(pmu->pmc[PMC_IPEAR]) &&
	    pmu_enabled(pmu, PMC_ETB, cpu->psr))
		put_flow(pmu, ip, slot, target, true);
	pmu->flushed = true;
}

static void put_ip(struct pmu *pmu, const struct cpu *cpu, uint64_t ip, bool early)
{
	uint64_t since = cpu->cycles - pmu->ipear_last;
	uint64_t count = since < IPEAR_CYCLES ? since : IPEAR_CYCLES;
	uint64_t entry = early ? ip >> 12 << 8 | (pmu->ipear_until - cpu->cycles) : ip >> 4;

	put_entry(pmu, (count & 0xf) << 60 | entry,
		  count >> 4 << 2 | (pmu->flushed ? EXTENSION_FLUSH : 0) |
		  (early ? EXTENSION_EARLY : 0));
	pmu->flushed = false;
	pmu->ipear_last = cpu->cycles;
}

/* The instructions that retire; after a freeze for so long, or until they are not to be seen */
static void ips(struct pmu *pmu, const struct cpu *cpu, const struct pmu_insn *insn, bool frozen)
{
	bool enabled = pmu_enabled(pmu, PMC_IPEAR, insn->retired->psr);

	if (IPEAR_MODE(pmu->pmc[PMC_IPEAR]) != IPEAR_ON || !insn->new_bundle)
		return;
	if (!frozen) {
		if (enabled)
			put_ip(pmu, cpu, insn->retired->ip, false);
	} else if (pmu->ipear_until) {
		bool over = cpu->cycles >= pmu->ipear_until;

		put_ip(pmu, cpu, insn->retired->ip, !enabled && !over);
		if (!enabled || over)
			pmu->ipear_until = 0;
	}
}

bool pmu_ipear_runs(const struct pmu *pmu, const struct cpu *cpu)
{
	(void)cpu;
	return pmu->ipear_until;
}

void pmu_ipear_freeze(struct pmu *pmu, const struct cpu *cpu)
{
	uint64_t pmc = pmu->pmc[PMC_IPEAR];

	if (IPEAR_MODE(pmc) == IPEAR_ON && PMC_PLM(pmc))
		pmu->ipear_until = cpu->cycles + IPEAR_DELAY(pmc);
}

void pmu_capture(struct pmu *pmu, struct cpu *cpu, struct pmu_insn *insn)
{
	bool frozen = pmu->pmc[0] & PMC0_FREEZE;

	data(pmu, cpu, insn, frozen);
	code(pmu, insn, frozen);
	trace(pmu, insn, frozen);
	ips(pmu, cpu, insn, frozen);
}

void pmu_check_capture(struct pmu *pmu)
{
	uint64_t iear = pmu->pmc[PMC_IEAR], etb = pmu->pmc[PMC_ETB];
	uint64_t dear = pmu->pmc[PMC_DEAR], ipear = pmu->pmc[PMC_IPEAR];

	/* Nothing goes on after the freeze any more. */
	pmu->ipear_until = 0;
	if (PMC_PLM(iear) && (iear & IEAR_CACHE) && IEAR_UMASK(iear) &&
	    !iear_threshold(IEAR_UMASK(iear)))
		pmu_tell(pmu, TELL_IEAR, "PMC37 has a unit mask that is not defined");
	if (PMC_PLM(etb) && (etb & ETB_DS))
		pmu_tell(pmu, TELL_DS, "PMC39.ds is reserved");
	if (PMC_PLM(dear) && DEAR_MODE(dear) != DEAR_CACHE && etb)
		pmu_tell(pmu, TELL_ETB, "PMC39 has to be 0 while PMC40 captures TLB or ALAT misses");
	if (PMC_PLM(dear) && DEAR_MODE(dear) >= DEAR_ALAT)
		pmu_tell(pmu, TELL_SUPPORT, "this machine does not capture ALAT misses");
	if (IPEAR_MODE(ipear) && IPEAR_MODE(ipear) != IPEAR_ON)
		pmu_tell(pmu, TELL_MODE, "PMC42 has a mode that is not defined");
}
