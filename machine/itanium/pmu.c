// SPDX-License-Identifier: GPL-2.0-only
/*
 * pmu.c: the registers of the performance monitors, and the counters.
 */
#include <stdarg.h>
#include <stdio.h>

#include "platform.h"

/* Table 3-4, and which bits of a register can be written; others are ignored and read as zero. */
static const uint64_t pmc_writable[PMC_COUNT] = {
	[0] = 0xfff1,
	[4 ... 9] = 0x7f7fff7f,
	[10 ... 15] = 0x7b7fff7f,		/* without .all */
	[32] = 0x030f01ffffffffff,
	[33] = 0x000001ffffffffff,
	[34] = 0x000f01ffffffffff,
	[35] = 0x000001ffffffffff,
	[36] = 0xffffffff,
	[37] = 0x3fff,
	[38] = ~0ULL,
	[39] = 0xffcf,
	[40] = 0x030f01cf,
	[41] = ~0ULL,
	[42] = 0x7ff4f,
};

#define PMC_THERE	(0xffffULL | 0x7ffULL << 32)
#define PMD_THERE	(0xfff0ULL | 0xdfULL << 32 | 0xffffULL << 48)

static const uint64_t pmd_writable[PMD_COUNT] = {
	[4 ... 15] = COUNTER_MASK,
	[32] = ~0ULL,
	[33] = 0xffff,
	[34] = ~0x1cULL,
	[35] = 0x1fff,
	[36] = ~0ULL,
	[38] = 0x2f,
	[39] = 0x3333333333333333,
	[48 ... 63] = ~0ULL,
};

/* Registers with reserved bits, which have to keep the value of the reset (3.3.12) */
static const struct {
	uint8_t pmc;
	uint64_t fields, value;
} reserved[] = {
	{ 36, 0xf, 0xfffffff0 },
	{ 38, 0x2492, 0xdb6 },
	{ 41, 0x1e00018181818, 0x2078fefefefe },
};

static struct pmu *pmu_of(struct cpu *cpu)
{
	return &platform_of(cpu->machine)->pmu;
}

void pmu_tell(struct pmu *pmu, unsigned int nr, const char *format, ...)
{
	va_list ap;

	if (pmu->told & 1U << nr)
		return;
	pmu->told |= 1U << nr;
	fputs("ia64-machine: monitors: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
}

uint64_t pmu_noise(struct pmu *pmu)
{
	pmu->noise ^= pmu->noise << 13;
	pmu->noise ^= pmu->noise >> 7;
	pmu->noise ^= pmu->noise << 17;
	return pmu->noise;
}

static bool counter(unsigned int index)
{
	return index >= FIRST_COUNTER && index <= LAST_COUNTER;
}

/*
 * 3.3.1, without the freeze: a monitor is enabled by its privilege levels, and by psr.up or, if
 * it is a privileged one, psr.pp. Those without an instruction set mask need not have it right.
 */
bool pmu_enabled(const struct pmu *pmu, unsigned int index, uint64_t psr)
{
	uint64_t pmc = pmu->pmc[index];
	uint64_t pm = index == PMC_IEAR ? 1 << 4 : PMC_PM;

	if (!(PMC_PLM(pmc) >> (psr >> PSR_CPL_SHIFT & 3) & 1))
		return false;
	if ((counter(index) || index == PMC_DEAR) && PMC_ISM(pmc) != ISM_RIGHT)
		return false;
	return psr & (pmc & pm ? PSR_PP : PSR_UP);
}

/* The processor is to tell of its instructions while a monitor could want to know. */
static void update_active(struct pmu *pmu, struct cpu *cpu)
{
	unsigned int i;
	bool active = false;

	for (i = FIRST_COUNTER; i < PMC_COUNT; i++)
		if (counter(i) || i == PMC_IEAR || i == PMC_ETB || i == PMC_DEAR || i == PMC_IPEAR)
			active |= PMC_PLM(pmu->pmc[i]) != 0;
	if (pmu->pmc[0] & PMC0_FREEZE)
		active = pmu_ipear_runs(pmu, cpu);
	if (active && !cpu->pmu_active) {
		pmu->cycles = cpu->cycles;
		pmu->bundle = ~0ULL;
		pmu->halted = false;
		pmu->memory.valid = false;
		pmu->flow.valid = false;
	}
	cpu->pmu_active = active;
}

static void overflow(struct pmu *pmu, struct cpu *cpu, unsigned int index)
{
	pmu->pmc[0] |= 1ULL << index;
	if (!(pmu->pmc[index] & PMC_OI))
		return;
	if (!(pmu->pmc[0] & PMC0_FREEZE))
		pmu_ipear_freeze(pmu, cpu);
	pmu->pmc[0] |= PMC0_FREEZE;
	/* Bit 16 of cr.pmv masks it. */
	if (!(cpu->pmv >> 16 & 1))
		cpu_raise(cpu, cpu->pmv & 0xff);
	update_active(pmu, cpu);
}

static void add(struct pmu *pmu, struct cpu *cpu, unsigned int index, uint64_t n)
{
	uint64_t value = pmu->pmd[index] + n;

	pmu->pmd[index] = value & COUNTER_MASK;
	if (value > COUNTER_MASK)
		overflow(pmu, cpu, index);
}

/* A counter with a threshold gets one for each cycle in which the event was more than that. */
static void end_cycle(struct pmu *pmu, struct cpu *cpu)
{
	unsigned int i;

	for (i = FIRST_COUNTER; i <= LAST_COUNTER; i++) {
		uint64_t value = pmu->in_cycle[i - FIRST_COUNTER];

		pmu->in_cycle[i - FIRST_COUNTER] = 0;
		if (value > PMC_THRESHOLD(pmu->pmc[i]))
			add(pmu, cpu, i, 1);
	}
}

void pmu_retire(struct cpu *cpu, const struct retired *retired)
{
	struct pmu *pmu = pmu_of(cpu);
	struct pmu_insn insn = {
		.retired = retired,
		.memory = pmu->memory,
		.flow = pmu->flow,
		.cycles = cpu->cycles - pmu->cycles,
		.new_bundle = retired->ip != pmu->bundle || cpu->cycles != pmu->cycles,
	};
	uint64_t grown[COUNTERS] = { 0 };
	unsigned int i;

	pmu->memory.valid = false;
	pmu->flow.valid = false;
	pmu->cycles = cpu->cycles;
	pmu->bundle = retired->ip;
	/* The call of firmware that sends it to sleep is in the same cycle yet, or in the next. */
	if (pmu->halted && insn.cycles > 1) {
		insn.halted = insn.cycles - 1;
		insn.cycles = 1;
		pmu->halted = false;
	}

	pmu_filter(pmu, cpu, &insn);
	pmu_capture(pmu, cpu, &insn);
	if (pmu->pmc[0] & PMC0_FREEZE) {
		update_active(pmu, cpu);
		return;
	}
	if (insn.new_bundle)
		end_cycle(pmu, cpu);
	/* All counters see the instruction, and then one of them may freeze them all. */
	for (i = FIRST_COUNTER; i <= LAST_COUNTER; i++)
		if (PMC_PLM(pmu->pmc[i]) && pmu_enabled(pmu, i, retired->psr))
			grown[i - FIRST_COUNTER] = pmu_event(pmu, cpu, &insn, i);
	for (i = FIRST_COUNTER; i <= LAST_COUNTER; i++) {
		uint64_t n = grown[i - FIRST_COUNTER];

		if (!n)
			continue;
		if (PMC_THRESHOLD(pmu->pmc[i]))
			pmu->in_cycle[i - FIRST_COUNTER] += n;
		else
			add(pmu, cpu, i, n);
	}
}

void pmu_branch(struct cpu *cpu, enum branch_kind kind, uint64_t ip, unsigned int slot,
		uint64_t target, bool taken)
{
	struct pmu *pmu = pmu_of(cpu);

	if (kind == BRANCH_EXCEPTION) {
		pmu->memory.valid = false;
		pmu->flow.valid = false;
		pmu_capture_exception(pmu, cpu, ip, slot, target);
		return;
	}
	pmu->flow = (struct pmu_flow){
		.valid = true, .taken = taken, .kind = kind, .target = target,
	};
}

void pmu_access(struct cpu *cpu, uint64_t ip, unsigned int slot, uint64_t address,
		uint64_t physical, unsigned int size, bool load, bool store)
{
	(void)ip;
	(void)slot;
	pmu_of(cpu)->memory = (struct pmu_memory){
		.valid = true, .load = load, .store = store,
		.address = address, .physical = physical, .size = size,
	};
}

void pmu_halt(struct cpu *cpu)
{
	pmu_of(cpu)->halted = true;
}

uint64_t pmu_pmc_read(struct cpu *cpu, unsigned int index)
{
	struct pmu *pmu = pmu_of(cpu);

	if (index >= PMC_COUNT || !(PMC_THERE >> index & 1)) {
		pmu_tell(pmu, TELL_UNKNOWN, "PMC%u was read, and there is none", index);
		return 0;
	}
	return pmu->pmc[index];
}

void pmu_pmc_write(struct cpu *cpu, unsigned int index, uint64_t value)
{
	struct pmu *pmu = pmu_of(cpu);
	size_t i;

	if (index >= PMC_COUNT || !(PMC_THERE >> index & 1)) {
		pmu_tell(pmu, TELL_UNKNOWN, "PMC%u was written, and there is none", index);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(reserved); i++)
		if (reserved[i].pmc == index && ((value ^ reserved[i].value) & ~reserved[i].fields &
						 pmc_writable[index]))
			pmu_tell(pmu, TELL_RESERVED, "PMC%u with %#llx: its reserved bits are %#llx",
				 index, (unsigned long long)value,
				 (unsigned long long)reserved[i].value);
	pmu->next_pmc[index] = value & pmc_writable[index];
	pmu->pmc_written |= 1ULL << index;
}

/* The PMC whose privilege a captured register has */
static unsigned int owner(unsigned int pmd)
{
	switch (pmd) {
	case PMD_DEAR_ADDRESS:
	case PMD_DEAR_LATENCY:
	case PMD_DEAR_IP:
		return PMC_DEAR;
	case PMD_IEAR_ADDRESS:
	case PMD_IEAR_LATENCY:
		return PMC_IEAR;
	}
	return counter(pmd) ? pmd : PMC_ETB;
}

uint64_t pmu_pmd_read(struct cpu *cpu, unsigned int index)
{
	struct pmu *pmu = pmu_of(cpu);
	uint64_t pm;

	if (index >= PMD_COUNT || !(PMD_THERE >> index & 1)) {
		pmu_tell(pmu, TELL_UNKNOWN, "PMD%u was read, and there is none", index);
		return 0;
	}
	pm = owner(index) == PMC_IEAR ? 1 << 4 : PMC_PM;
	if (cpu_cpl(cpu) && ((cpu->psr & PSR_SP) || (pmu->pmc[owner(index)] & pm)))
		return 0;
	if (!counter(index)) {
		if (pmu->pmc[0] & PMC0_FREEZE)
			return pmu->pmd[index];
		pmu_tell(pmu, TELL_EARLY, "PMD%u was read while the monitors are not frozen",
			 index);
		return pmu_noise(pmu);
	}
	/* 3.3.1: a monitor without a privilege level does not keep its value. */
	if (!PMC_PLM(pmu->pmc[index]))
		return pmu_noise(pmu);
	return (int64_t)(pmu->pmd[index] << (64 - COUNTER_BITS)) >> (64 - COUNTER_BITS);
}

void pmu_pmd_write(struct cpu *cpu, unsigned int index, uint64_t value)
{
	struct pmu *pmu = pmu_of(cpu);

	if (index >= PMD_COUNT || !(PMD_THERE >> index & 1)) {
		pmu_tell(pmu, TELL_UNKNOWN, "PMD%u was written, and there is none", index);
		return;
	}
	if (counter(index) && (value >> COUNTER_BITS & 1))
		pmu_tell(pmu, TELL_BIT47, "PMD%u with %#llx: bit 47 has to be 0", index,
			 (unsigned long long)value);
	pmu->next_pmd[index] = value & pmd_writable[index];
	pmu->pmd_written |= 1ULL << index;
}

static void check(struct pmu *pmu)
{
	unsigned int i;

	if (pmu->pmc[0] & PMC0_FREEZE)
		return;
	for (i = FIRST_COUNTER; i <= PMC_DEAR; i++)
		if ((counter(i) || i == PMC_DEAR) && PMC_PLM(pmu->pmc[i]) &&
		    PMC_ISM(pmu->pmc[i]) != ISM_RIGHT)
			pmu_tell(pmu, TELL_ISM, "PMC%u is on with an instruction set mask of %llu",
				 i, (unsigned long long)PMC_ISM(pmu->pmc[i]));
	pmu_check_events(pmu);
	pmu_check_filter(pmu);
	pmu_check_capture(pmu);
}

void pmu_serialize(struct cpu *cpu)
{
	struct pmu *pmu = pmu_of(cpu);
	unsigned int i;

	if (!pmu->pmc_written && !pmu->pmd_written)
		return;
	for (i = 0; i < PMC_COUNT; i++) {
		if (!(pmu->pmc_written >> i & 1))
			continue;
		/* What a counter had is lost if it comes without a new value. */
		if (counter(i) && !PMC_PLM(pmu->pmc[i]) && PMC_PLM(pmu->next_pmc[i]))
			pmu->pmd[i] = pmu_noise(pmu) & COUNTER_MASK;
		pmu->pmc[i] = pmu->next_pmc[i];
	}
	for (i = 0; i < PMD_COUNT; i++)
		if (pmu->pmd_written >> i & 1)
			pmu->pmd[i] = pmu->next_pmd[i];
	/* A buffer whose index was set has no last entry. */
	if (pmu->pmd_written >> PMD_ETB_INDEX & 1)
		pmu->etb_target_valid = false;
	pmu->pmc_written = 0;
	pmu->pmd_written = 0;
	check(pmu);
	update_active(pmu, cpu);
}

/* 3.3.12: what PAL sets; ev and oi are 0; all else is undefined. */
void pmu_init(struct cpu *cpu)
{
	struct pmu *pmu = pmu_of(cpu);
	unsigned int i;

	pmu->noise = 0x9e3779b97f4a7c15;
	for (i = 0; i < PMD_COUNT; i++)
		pmu->pmd[i] = pmu_noise(pmu) & pmd_writable[i];
	for (i = FIRST_COUNTER; i <= LAST_COUNTER; i++)
		pmu->pmc[i] = pmu_noise(pmu) & pmc_writable[i] & ~0x30ULL;
	for (i = 0; i < 4; i++)
		pmu->pmc[PMC_OPCODE0 + i] = pmc_writable[PMC_OPCODE0 + i];
	for (i = 0; i < ARRAY_SIZE(reserved); i++)
		pmu->pmc[reserved[i].pmc] = reserved[i].value;
	pmu->pmc[PMC_ETB] = pmu_noise(pmu) & pmc_writable[PMC_ETB];
	pmu->pmc[PMC_IPEAR] = pmu_noise(pmu) & pmc_writable[PMC_IPEAR];
	pmu_capture_init(pmu);
}
