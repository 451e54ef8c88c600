// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmu-events.c: what an interpreter can count exactly of the events of Montecito (chapter 4). It
 * has no pipeline, so that there are none of stalls and bubbles; its caches are those of
 * pmu-capture.c. An event that is not here counts nothing, and is told once.
 */
#include "platform.h"

#define NO_SET	(-1)

enum memory_kind { ANY_DATA, LOADS, LOADS_UC, LOADS_UNALIGNED, LOADS_INTEGER, LOADS_MISSED, STORES,
		   STORES_UC, STORES_UNALIGNED };

/*
 * The events besides instructions and cycles: those of memory and the set of events of the first
 * level data cache they are in (tables 4-11 to 4-16). Only one such set can be counted at a time,
 * the one that PMC5 has an event of.
 */
static const struct {
	uint8_t event;
	int8_t set;
	enum memory_kind kind;
} memory_events[] = {
	{ 0xc2, 0, LOADS },			/* L1D_READS_SET0 */
	{ 0xc3, 0, ANY_DATA },			/* DATA_REFERENCES_SET0 */
	{ 0xc4, 1, LOADS },			/* L1D_READS_SET1 */
	{ 0xc5, 1, ANY_DATA },			/* DATA_REFERENCES_SET1 */
	{ 0xc7, 1, LOADS_MISSED },		/* L1D_READ_MISSES */
	{ 0xcd, 3, LOADS },			/* LOADS_RETIRED */
	{ 0xce, 3, LOADS_UNALIGNED },		/* MISALIGNED_LOADS_RETIRED */
	{ 0xcf, 3, LOADS_UC },			/* UC_LOADS_RETIRED */
	{ 0xd0, 4, STORES_UC },			/* UC_STORES_RETIRED */
	{ 0xd1, 4, STORES },			/* STORES_RETIRED */
	{ 0xd2, 4, STORES_UNALIGNED },		/* MISALIGNED_STORES_RETIRED */
	{ 0xd8, 6, LOADS_INTEGER },		/* LOADS_RETIRED_INTG */
};

enum {
	IA64_INST_RETIRED = 0x08,
	BRANCH_EVENT = 0x11,
	CPU_OP_CYCLES = 0x12,
	CYCLES_HALTED = 0x18,
	L1I_EAR_EVENTS = 0x43,
	NOPS_RETIRED = 0x50,
	DATA_EAR_EVENTS = 0xc8,
};

static int memory_event(unsigned int event)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(memory_events); i++)
		if (memory_events[i].event == event)
			return i;
	return -1;
}

static int set_of(unsigned int event)
{
	int i = memory_event(event);

	return i < 0 ? NO_SET : memory_events[i].set;
}

/*
 * Section 3.3.3: PMD10 has the cycles of a halt; events of the second level cache, the system
 * interface and the bus are only in the first six counters; and 4.8.2 for those of the first
 * level cache.
 */
static bool allowed(const struct pmu *pmu, unsigned int index)
{
	unsigned int event = PMC_EVENT(pmu->pmc[index]);
	int set = set_of(event);

	if (event == CYCLES_HALTED)
		return index == 10;
	switch (event >> 4) {
	case 0x8 ... 0xb:
	case 0xe ... 0xf:
		return index <= 9;
	}
	return set == NO_SET || set_of(PMC_EVENT(pmu->pmc[5])) == set;
}

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

static bool unaligned(const struct pmu_memory *memory)
{
	return memory->address & (memory->size - 1);
}

static bool memory_counts(const struct cpu *cpu, const struct pmu_insn *insn, enum memory_kind kind)
{
	const struct pmu_memory *m = &insn->memory;
	unsigned int op = insn->retired->code >> 37;

	if (!m->valid || !insn->data_tag)
		return false;
	switch (kind) {
	case ANY_DATA:
		return true;
	case LOADS:
		return m->load;
	case LOADS_UC:
		return m->load && uncached(cpu, m->physical);
	case LOADS_UNALIGNED:
		return m->load && unaligned(m);
	case LOADS_INTEGER:
		/* Major operations 6 and 7 are those of floating-point registers. */
		return m->load && op != 6 && op != 7;
	case LOADS_MISSED:
		return m->load && insn->data_missed;
	case STORES:
		return m->store;
	case STORES_UC:
		return m->store && uncached(cpu, m->physical);
	case STORES_UNALIGNED:
		return m->store && unaligned(m);
	}
	return false;
}

uint64_t pmu_event(struct pmu *pmu, struct cpu *cpu, const struct pmu_insn *insn,
		   unsigned int index)
{
	unsigned int umask = PMC_UMASK(pmu->pmc[index]);
	unsigned int event = PMC_EVENT(pmu->pmc[index]);
	int memory;

	if (!allowed(pmu, index))
		return 0;
	switch (event) {
	case IA64_INST_RETIRED:
		/* The unit mask is the number of the channel. */
		return insn->tags >> (umask & 3) & 1;
	case CPU_OP_CYCLES:
		return umask & 1 && !(insn->tags & 1) ? 0 : insn->cycles;
	case CYCLES_HALTED:
		return insn->halted;
	case NOPS_RETIRED:
		return (insn->tags & 1) && is_nop(insn->retired);
	case BRANCH_EVENT:
		return insn->traced;
	case L1I_EAR_EVENTS:
		return insn->code_ear;
	case DATA_EAR_EVENTS:
		return insn->data_ear;
	}
	memory = memory_event(event);
	return memory >= 0 && memory_counts(cpu, insn, memory_events[memory].kind);
}

static bool known(unsigned int event)
{
	switch (event) {
	case 0:		/* none */
	case IA64_INST_RETIRED:
	case CPU_OP_CYCLES:
	case CYCLES_HALTED:
	case NOPS_RETIRED:
	case BRANCH_EVENT:
	case L1I_EAR_EVENTS:
	case DATA_EAR_EVENTS:
		return true;
	}
	return memory_event(event) >= 0;
}

void pmu_check_events(struct pmu *pmu)
{
	unsigned int i, event;

	for (i = FIRST_COUNTER; i <= LAST_COUNTER; i++) {
		event = PMC_EVENT(pmu->pmc[i]);
		if (!PMC_PLM(pmu->pmc[i]))
			continue;
		if (!allowed(pmu, i))
			pmu_tell(pmu, TELL_COUNTER, "event %#x cannot be counted in PMD%u%s", event,
				 i, set_of(event) == NO_SET ? "" :
							      " without one of its set in PMC5");
		else if (!known(event))
			pmu_tell(pmu, TELL_SUPPORT, "event %#x is not one that this machine has",
				 event);
	}
}
