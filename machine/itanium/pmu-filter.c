// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmu-filter.c: which instructions and which data are counted: address ranges of the breakpoint
 * registers, and opcodes (sections 3.3.5 to 3.3.7). There are four channels of tags: channel n
 * has the range of IBRs 2n and 2n + 1, and the opcodes of PMC32/33 or, odd ones, PMC34/35.
 */
#include "platform.h"

#define CHANNELS		4

/* Tables 3-10, 3-11, 3-13 and 3-14 */
#define IGNORE_RANGE(n)		(1ULL << (3 * (n) + 1))		/* PMC38 */
#define FINE			(1ULL << 13)
#define OPCODE_BITS		((1ULL << 41) - 1)		/* PMC32 to PMC35 */
#define UNIT_B			(1ULL << 48)
#define UNIT_F			(1ULL << 49)
#define UNIT_I			(1ULL << 50)
#define UNIT_M			(1ULL << 51)
#define INVERT			(1ULL << 56)			/* PMC32 */
#define IGNORE_ADDRESS		(1ULL << 57)
#define IGNORE_OPCODE(n)	(1ULL << (n))			/* PMC36 */
#define DATA_TAG(v, n)		((v) >> (8 * (n) + 3) & 3)	/* PMC41 */
#define DATA_ENABLE(n)		(1ULL << (45 + (n)))

/* Odd breakpoint registers */
#define BREAK_MASK		((1ULL << 56) - 1)
#define BREAK_PLM(v)		((v) >> 56 & 0xf)
#define BREAK_X			(1ULL << 63)

#define PAGE_MASK		0xffffULL			/* of fine mode */

static bool in_range(const uint64_t *pair, uint64_t address)
{
	return !((address ^ pair[0]) & ((pair[1] & BREAK_MASK) | ~BREAK_MASK));
}

/*
 * Fine mode: pairs n and n + 2 are the limits, in a page of 64 KB. The manual's formula leaves
 * both limits out; libpfm4, which was written on the processor, has them in.
 */
static bool in_limits(const uint64_t *ibr, unsigned int n, uint64_t ip)
{
	uint64_t low = ibr[2 * n], high = ibr[2 * n + 4];

	return !((ip ^ low) & ~PAGE_MASK) && (ip & PAGE_MASK) >= (low & PAGE_MASK) &&
	       (ip & PAGE_MASK) <= (high & PAGE_MASK);
}

static bool range_tag(const struct pmu *pmu, const struct cpu *cpu, const struct pmu_insn *insn,
		      unsigned int n)
{
	uint64_t pmc38 = pmu->pmc[PMC_IBR], opcode0 = pmu->pmc[PMC_OPCODE0];
	const uint64_t *pair = &cpu->ibr[2 * n];
	bool match;

	if (n == 0 && (opcode0 & IGNORE_ADDRESS))
		return true;
	/* With its x bit it is a debugger's. */
	if ((pmc38 & IGNORE_RANGE(n)) || (pair[1] & BREAK_X))
		return true;
	if (pmc38 & FINE)
		match = n < 2 && in_limits(cpu->ibr, n, insn->retired->ip);
	else
		match = in_range(pair, insn->retired->ip);
	match = match && (BREAK_PLM(pair[1]) >> (insn->retired->psr >> PSR_CPL_SHIFT & 3) & 1);
	return n == 0 && (opcode0 & INVERT) ? !match : match;
}

static bool opcode_tag(const struct pmu *pmu, const struct retired *retired, unsigned int n)
{
	uint64_t mask = pmu->pmc[PMC_OPCODE0 + 2 * (n & 1)];
	uint64_t match = pmu->pmc[PMC_OPCODE0 + 2 * (n & 1) + 1];
	uint64_t unit = UNIT_I;		/* L+X as well */

	if (n == 0 && (pmu->pmc[PMC_OPCODE0] & IGNORE_ADDRESS))
		return true;
	if (pmu->pmc[PMC_OPCODE_CONFIG] & IGNORE_OPCODE(n))
		return true;
	if (retired->unit == 'M')
		unit = UNIT_M;
	else if (retired->unit == 'F')
		unit = UNIT_F;
	else if (retired->unit == 'B')
		unit = UNIT_B;
	return (mask & unit) && !((retired->code ^ match) & ~mask & OPCODE_BITS);
}

/* Data ranges that are enabled; the memory event counts if one of them has it, or if none is. */
static bool data_tag(const struct pmu *pmu, const struct cpu *cpu, const struct pmu_insn *insn)
{
	uint64_t pmc = pmu->pmc[PMC_DBR];
	bool enabled = false;
	unsigned int n;

	for (n = 0; n < CHANNELS; n++) {
		unsigned int tag = DATA_TAG(pmc, n);
		bool match = true;

		if (!(pmc & DATA_ENABLE(n)))
			continue;
		enabled = true;
		if (!(tag & 1))
			match = in_range(&cpu->dbr[2 * n], insn->memory.address);
		if (!(tag & 2))
			match = match && (insn->tags >> n & 1);
		if (match)
			return true;
	}
	return !enabled;
}

void pmu_filter(const struct pmu *pmu, const struct cpu *cpu, struct pmu_insn *insn)
{
	unsigned int n;

	insn->tags = 0;
	for (n = 0; n < CHANNELS; n++)
		if (range_tag(pmu, cpu, insn, n) && opcode_tag(pmu, insn->retired, n))
			insn->tags |= 1 << n;
	insn->data_tag = insn->memory.valid && data_tag(pmu, cpu, insn);
}

/* What 3.3.5.2 and 3.3.7 call illegal: ranges of instructions, and no data constraint enabled */
void pmu_check_filter(struct pmu *pmu)
{
	uint64_t ranges = IGNORE_RANGE(0) | IGNORE_RANGE(1);

	if (!(pmu->pmc[PMC_DBR] >> 45 & 0xf) && !(pmu->pmc[PMC_OPCODE0] & IGNORE_ADDRESS) &&
	    (pmu->pmc[PMC_IBR] & ranges) != ranges)
		pmu_tell(pmu, TELL_TAGS, "an instruction range with PMC41[48:45] = 0 is illegal");
}
