// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmu-events.c: what an interpreter can count exactly of the events of Montecito (chapter 4). It
 * has no pipeline, so that there are none of stalls and bubbles; its caches are those of
 * pmu-misses.c. An event that is not here counts nothing, and is reported once.
 */
#include "platform.h"

enum {
	DATA_REFERENCES_SET0 = 0xc3, DATA_REFERENCES_SET1 = 0xc5, L1D_READS_SET0 = 0xc2,
	L1D_READS_SET1 = 0xc4, LOADS_RETIRED = 0xcd,
	MISALIGNED_LOADS_RETIRED = 0xce, UC_LOADS_RETIRED = 0xcf, UC_STORES_RETIRED = 0xd0,
	STORES_RETIRED = 0xd1, MISALIGNED_STORES_RETIRED = 0xd2, LOADS_RETIRED_INTG = 0xd8,
	CYCLES_HALTED = 0x18, NOPS_RETIRED = 0x50,
};

#define RSE_FILL	1		/* L1D_READ_MISSES' unit mask (libpfm4) */

static bool is_nop(const struct retired *retired)
{
	uint64_t code = retired->code;
	unsigned int op = code >> 37, extension = code >> 27 & 0x3f;

	if (retired->unit == 'B')
		return op == 2 && !extension;
	/* A hint differs by bit 26. */
	return !op && !(code >> 33 & 7) && extension == 1 && !(code >> 26 & 1);
}

bool pmu_uncached(const struct cpu *cpu, const struct pmu_insn *insn)
{
	uint64_t physical = insn->memory.physical;

	return physical >> 63 || (physical & PHYS_MASK) >= cpu->machine->ram_size;
}

bool pmu_is_float(const struct pmu_insn *insn)
{
	unsigned int op = insn->retired->code >> 37;

	return op == 6 || op == 7;
}

bool pmu_reads_l1d(const struct cpu *cpu, const struct pmu_insn *insn)
{
	const struct pmu_memory *m = &insn->memory;

	return m->valid && m->load && !m->store && !pmu_is_float(insn) && !pmu_uncached(cpu, insn);
}

/* Return whether @insn makes a memory event; @known: the machine has the event. */
static bool accesses(const struct cpu *cpu, const struct pmu_insn *insn, uint64_t pmc,
		     bool *known)
{
	const struct pmu_memory *m = &insn->memory;
	bool load = m->valid && m->load, store = m->valid && m->store;
	bool unaligned = m->address & (m->size - 1);

	switch (MONT_ES(pmc)) {
	case DATA_REFERENCES_SET0:
	case DATA_REFERENCES_SET1:
		return m->valid;
	case L1D_READS_SET0:
	case L1D_READS_SET1:
		return pmu_reads_l1d(cpu, insn);
	case LOADS_RETIRED:
		return load;
	case UC_LOADS_RETIRED:
		return load && pmu_uncached(cpu, insn);
	case MISALIGNED_LOADS_RETIRED:
		return load && unaligned;
	case LOADS_RETIRED_INTG:
		return load && !pmu_is_float(insn);
	case PMU_L1D_READ_MISSES:
		return insn->data_missed && (MONT_UMASK(pmc) != RSE_FILL || insn->stack);
	case STORES_RETIRED:
		return store;
	case UC_STORES_RETIRED:
		return store && pmu_uncached(cpu, insn);
	case MISALIGNED_STORES_RETIRED:
		return store && unaligned;
	}
	*known = false;
	return false;
}

static uint64_t occurrences(const struct cpu *cpu, const struct pmu_insn *insn, uint64_t pmc,
			    bool *known)
{
	switch (MONT_ES(pmc)) {
	case MONT_INST_RETIRED:
		return !insn->stack;	/* 4.3 */
	case MONT_CYCLES:
		return insn->cycles;
	case CYCLES_HALTED:
		return insn->halted;
	case NOPS_RETIRED:
		return is_nop(insn->retired);
	case MONT_BRANCH_EVENT:
		return 0;	/* counted when it is captured */
	case MONT_IEAR_EVENTS:
		return insn->code_ear;
	case MONT_DEAR_EVENTS:
		return insn->data_ear;
	}
	return accesses(cpu, insn, pmc, known);
}

uint64_t pmu_occurrences(const struct cpu *cpu, const struct pmu_insn *insn, uint64_t pmc)
{
	bool known = true;

	return occurrences(cpu, insn, pmc, &known);
}

void pmu_check_support(struct pmu *pmu)
{
	const struct pmu_insn none = { .retired = &(struct retired){ 0 } };
	const struct mont *m = &pmu->mont;
	unsigned int i;

	for (i = MONT_FIRST; i <= MONT_LAST; i++) {
		bool known = true;

		if (!MONT_PLM(m->pmc[i]))
			continue;
		occurrences(pmu->cpu, &none, m->pmc[i], &known);
		if (!known)
			mont_found(&pmu->mont, "event 0x%x is not one that this machine has",
				   (unsigned int)MONT_ES(m->pmc[i]));
	}
	if (MONT_PLM(m->pmc[PMC_DEAR]) && MONT_DEAR_MODE(m->pmc[PMC_DEAR]) >= MONT_MISS_ALAT)
		mont_found(&pmu->mont, "this machine does not capture ALAT misses");
}
