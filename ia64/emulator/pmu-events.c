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

static bool is_nop(const struct retired *retired)
{
	uint64_t code = retired->code;
	unsigned int op = code >> 37, extension = code >> 27 & 0x3f;

	if (retired->unit == 'B')
		return op == 2 && !extension;
	/* A hint differs by bit 26. */
	return !op && !(code >> 33 & 7) && extension == 1 && !(code >> 26 & 1);
}

static bool uncached(const struct cpu *cpu, uint64_t physical)
{
	return physical >> 63 || (physical & PHYS_MASK) >= cpu->machine->ram_size;
}

/* Return whether @insn makes a memory event; @known: the machine has the event. */
static bool accesses(const struct cpu *cpu, const struct pmu_insn *insn, unsigned int code,
		     bool *known)
{
	const struct pmu_memory *m = &insn->memory;
	bool load = m->valid && m->load, store = m->valid && m->store;
	bool unaligned = m->address & (m->size - 1);
	unsigned int op = insn->retired->code >> 37;

	switch (code) {
	case DATA_REFERENCES_SET0:
	case DATA_REFERENCES_SET1:
		return m->valid;
	case L1D_READS_SET0:
	case L1D_READS_SET1:
	case LOADS_RETIRED:
		return load;
	case UC_LOADS_RETIRED:
		return load && uncached(cpu, m->physical);
	case MISALIGNED_LOADS_RETIRED:
		return load && unaligned;
	case LOADS_RETIRED_INTG:
		/* Major operations 6 and 7 are those of floating-point registers. */
		return load && op != 6 && op != 7;
	case PMU_L1D_READ_MISSES:
		return load && insn->data_missed;
	case STORES_RETIRED:
		return store;
	case UC_STORES_RETIRED:
		return store && uncached(cpu, m->physical);
	case MISALIGNED_STORES_RETIRED:
		return store && unaligned;
	}
	*known = false;
	return false;
}

static uint64_t occurrences(const struct cpu *cpu, const struct pmu_insn *insn, unsigned int code,
			    bool *known)
{
	switch (code) {
	case MONT_INST_RETIRED:
		return 1;
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
	return accesses(cpu, insn, code, known);
}

uint64_t pmu_occurrences(const struct cpu *cpu, const struct pmu_insn *insn, unsigned int code)
{
	bool known = true;

	return occurrences(cpu, insn, code, &known);
}

void pmu_check_support(struct pmu *pmu)
{
	const struct pmu_insn none = { .retired = &(struct retired){ 0 } };
	const struct mont *m = &pmu->mont;
	unsigned int i;

	for (i = MONT_FIRST; i <= MONT_LAST; i++) {
		unsigned int code = MONT_ES(m->pmc[i]);
		bool known = true;

		if (!MONT_PLM(m->pmc[i]))
			continue;
		occurrences(pmu->cpu, &none, code, &known);
		if (!known)
			mont_found(&pmu->mont, "event 0x%x is not one that this machine has",
				   code);
	}
	if (MONT_PLM(m->pmc[PMC_DEAR]) && MONT_DEAR_MODE(m->pmc[PMC_DEAR]) >= MONT_MISS_ALAT)
		mont_found(&pmu->mont, "this machine does not capture ALAT misses");
}
