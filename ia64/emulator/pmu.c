// SPDX-License-Identifier: GPL-2.0-only
/* pmu.c: access to the performance monitors, and the instructions that they see */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "platform.h"

static struct pmu *pmu_of(struct cpu *cpu)
{
	return &platform_of(cpu->machine)->pmu[cpu->nr];
}

void mont_found(struct mont *m, const char *rule, ...)
{
	struct pmu *pmu = (struct pmu *)m;
	char text[sizeof(pmu->found[0])];
	unsigned int i;
	va_list ap;

	va_start(ap, rule);
	vsnprintf(text, sizeof(text), rule, ap);
	va_end(ap);
	for (i = 0; i < FINDINGS - 1 && *pmu->found[i]; i++)
		if (!strcmp(pmu->found[i], text))
			return;
	strcpy(pmu->found[i], text);
	fprintf(stderr, "ia64-machine: monitors: %s\n", text);
}

/*
 * Let the processor report instructions only while a monitor is on: one of its own, or one that
 * counts both threads of the core.
 */
static void watch(struct pmu *pmu, struct cpu *cpu)
{
	bool active;

	pmu->others = cpu->sibling ? pmu_of(cpu->sibling)->all : 0;
	active = pmu->active || pmu->others;
	if (active && !cpu->pmu_wanted) {
		cpu->next_check = 0;
		pmu->cycles = cpu->cycles;
		pmu->bundle = ~0ULL;
		pmu->halted = false;
		pmu->insn.memory.valid = false;
		pmu->insn.flow.valid = false;
		pmu->untaken_valid = false;
		pmu->flushed = false;
		memset(pmu->in_cycle, 0, sizeof(pmu->in_cycle));
	}
	cpu->pmu_wanted = active;
	cpu->pmu_active &= active;
}

/* After a register has changed: find out which properties of instructions the monitors use. */
static void update(struct pmu *pmu, struct cpu *cpu)
{
	const struct mont *m = &pmu->mont;
	uint64_t ipear = m->pmc[PMC_IPEAR];
	unsigned int i;

	pmu->filtered = mont_filtered(m);
	pmu->qualify = pmu->filtered;
	pmu->data = MONT_PLM(m->pmc[PMC_DEAR]);
	pmu->code = MONT_PLM(m->pmc[PMC_IEAR]);
	pmu->ips = MONT_IPEAR_MODE(ipear) == MONT_IPEAR_ON && MONT_PLM(ipear);
	pmu->trace = pmu->ips || MONT_PLM(m->pmc[PMC_ETB]);
	pmu->thresholds = false;
	pmu->on = 0;
	pmu->all = 0;
	pmu->psr = ~0ULL;
	pmu->at_target = false;
	for (i = MONT_FIRST; i <= MONT_LAST; i++) {
		if (!MONT_PLM(m->pmc[i]))
			continue;
		pmu->on |= 1U << i;
		pmu->qualify |= !mont_defined(m, i);
		pmu->thresholds |= MONT_THRESHOLD(m->pmc[i]) > 0;
		pmu->data |= MONT_ES(m->pmc[i]) == PMU_L1D_READ_MISSES;
		if (MONT_ALL(m->pmc[i]) && !mont_frozen(m))
			pmu->all |= 1U << i;
	}
	pmu->active = mont_frozen(m) ? pmu->ipear_until :
				       pmu->on || pmu->data || pmu->code || pmu->trace;
	watch(pmu, cpu);
	if (cpu->sibling)
		watch(pmu_of(cpu->sibling), cpu->sibling);
}

/* Bit 16 of cr.pmv masks the interrupt. */
static void interrupt(struct cpu *cpu)
{
	if (!(cpu->pmv >> 16 & 1))
		cpu_raise(cpu, cpu->pmv & 0xff);
}

void mont_withdraw(struct mont *m)
{
	struct cpu *cpu = ((struct pmu *)m)->cpu;
	unsigned int vector = cpu->pmv & 0xff;

	cpu->irr[vector >> 6] &= ~(1ULL << (vector & 63));
}

/* The IP-EAR goes on for a while after a freeze. */
void mont_overflow(struct mont *m, bool froze)
{
	struct pmu *pmu = (struct pmu *)m;

	if (froze && pmu->ips)
		pmu->ipear_until = pmu->cpu->cycles + MONT_IPEAR_DELAY(m->pmc[PMC_IPEAR]);
	interrupt(pmu->cpu);
	update(pmu, pmu->cpu);
}

/* Add 1 to each counter with a threshold whose event exceeded it in the cycle that ends. */
static void end_cycle(struct pmu *pmu)
{
	unsigned int i;

	for (i = MONT_FIRST; i <= MONT_LAST; i++) {
		if (pmu->in_cycle[i] > MONT_THRESHOLD(pmu->mont.pmc[i]))
			mont_add(&pmu->mont, i, 1);
		pmu->in_cycle[i] = 0;
	}
}

static unsigned int unit_of(char unit)
{
	switch (unit) {
	case 'M':
		return MONT_UNIT_M;
	case 'F':
		return MONT_UNIT_F;
	case 'B':
		return MONT_UNIT_B;
	}
	return MONT_UNIT_I;		/* L+X as well */
}

void pmu_add(struct pmu *pmu, unsigned int i, uint64_t n)
{
	if (MONT_THRESHOLD(pmu->mont.pmc[i]))
		pmu->in_cycle[i] += n;
	else
		mont_add(&pmu->mont, i, n);
}

/* Find the counters that are enabled with the processor status of an instruction. */
static void enable(struct pmu *pmu, uint64_t psr)
{
	unsigned int i;

	pmu->psr = psr;
	pmu->enabled = 0;
	for (i = MONT_FIRST; i <= MONT_LAST; i++)
		if (pmu->on >> i & 1 && mont_enabled(&pmu->mont, i, psr))
			pmu->enabled |= 1U << i;
}

/* Collect what filters and captures need to know about an instruction. */
static void look_at(struct pmu *pmu, struct cpu *cpu, struct pmu_insn *insn, bool frozen)
{
	const struct retired *retired = insn->retired;

	insn->event = (struct mont_event){
		.psr = retired->psr, .umask = MONT_ANY, .mesi = MONT_ANY,
		.ip = retired->ip, .slot = retired->slot, .opcode = retired->code,
		.unit = unit_of(retired->unit), .data = insn->memory.address, .vl = !insn->stack,
		.ranges = ~0U, .opcodes = ~0U,
	};
	if (pmu->filtered)
		mont_tag(&pmu->mont, &insn->event);
	pmu_misses(pmu, cpu, insn, frozen);
}

/*
 * Count an instruction in the other thread's monitors, too, at its own privilege level, while
 * their psr.up or psr.pp is on. 4.2.1: while the monitoring thread's task is there.
 */
static void count_in_other(struct pmu *pmu, struct pmu *other, const struct pmu_insn *insn)
{
	struct mont_event e = insn->event;
	unsigned int left;

	/* 3.3.12: a thread that halts freezes its monitors. */
	if (other->cpu->halted)
		return;
	if (insn->new_bundle && other->thresholds)
		end_cycle(other);
	e.psr = (e.psr & PSR_CPL) | (other->cpu->psr & (MONT_PSR_UP | MONT_PSR_PP));
	e.other = true;
	e.filters = &pmu->mont;
	for (left = pmu->others; left; left &= left - 1) {
		unsigned int i = __builtin_ctz(left);
		uint64_t n = pmu_occurrences(pmu->cpu, insn, other->mont.pmc[i]);

		if (n && mont_counts(&other->mont, i, &e))
			pmu_add(other, i, n);
	}
}

/* Count and capture an instruction, or an access of the register stack engine. */
static void report(struct pmu *pmu, struct cpu *cpu, struct pmu_insn *insn)
{
	uint64_t psr = insn->retired->psr & (MONT_PSR_UP | MONT_PSR_PP | PSR_CPL);
	bool frozen = mont_frozen(&pmu->mont);
	unsigned int left;

	if (pmu->qualify || pmu->others || pmu->trace || (pmu->data && insn->memory.valid) ||
	    (pmu->code && insn->new_bundle))
		look_at(pmu, cpu, insn, frozen);
	if (frozen && pmu->active)
		update(pmu, cpu);
	else if (psr != pmu->psr)
		enable(pmu, psr);
	/* All counters see the instruction, also if one of them freezes them all. */
	for (left = frozen ? 0 : pmu->enabled; left; left &= left - 1) {
		unsigned int i = __builtin_ctz(left);
		uint64_t n = pmu_occurrences(cpu, insn, pmu->mont.pmc[i]);

		if (n && (!pmu->qualify || mont_counts(&pmu->mont, i, &insn->event)))
			pmu_add(pmu, i, n);
	}
	if (pmu->others)
		count_in_other(pmu, pmu_of(cpu->sibling), insn);
}

void pmu_retire(struct cpu *cpu, const struct retired *retired)
{
	struct pmu *pmu = pmu_of(cpu);
	struct pmu_insn *insn = &pmu->insn;

	insn->retired = retired;
	insn->cycles = cpu->cycles - pmu->cycles;
	insn->new_bundle = retired->ip != pmu->bundle || insn->cycles;
	insn->halted = 0;
	insn->data_missed = false;
	insn->data_ear = false;
	insn->code_ear = false;
	pmu->cycles = cpu->cycles;
	pmu->bundle = retired->ip;
	/* The PAL_HALT_LIGHT call itself retires in the same cycle, or in the next. */
	if (pmu->halted && insn->cycles > 1) {
		insn->halted = insn->cycles - 1;
		insn->cycles = 1;
		pmu->halted = false;
	}

	if (insn->new_bundle && pmu->thresholds && !mont_frozen(&pmu->mont))
		end_cycle(pmu);
	report(pmu, cpu, insn);
	insn->memory.valid = false;
	insn->flow.valid = false;
}

void pmu_branch(struct cpu *cpu, enum branch_kind kind, uint64_t target, bool taken)
{
	struct pmu *pmu = pmu_of(cpu);

	if (kind == BRANCH_INTERRUPT) {
		pmu_interrupt(pmu, target);
		return;
	}
	if (kind == BRANCH_EXCEPTION) {
		pmu->insn.memory.valid = false;
		pmu->insn.flow.valid = false;
		pmu_exception(pmu, cpu, target);
		return;
	}
	pmu->insn.flow = (struct pmu_flow){
		.valid = true, .taken = taken, .kind = kind, .target = target,
	};
}

void pmu_access(struct cpu *cpu, uint64_t address, uint64_t physical, unsigned int size, bool load,
		bool store)
{
	struct pmu_memory *memory = &pmu_of(cpu)->insn.memory;

	if (memory->valid) {
		memory->size += size;
		return;
	}
	*memory = (struct pmu_memory){
		.valid = true, .load = load, .store = store,
		.address = address, .physical = physical, .size = size,
	};
}

void pmu_stack_access(struct cpu *cpu, uint64_t address, uint64_t physical, bool store)
{
	const struct retired retired = {
		.ip = cpu->ip, .slot = cpu->slot, .unit = 'M', .executed = true, .psr = cpu->psr,
	};
	struct pmu_insn insn = {
		.retired = &retired, .stack = true,
		.memory = {
			.valid = true, .load = !store, .store = store,
			.address = address, .physical = physical, .size = 8,
		},
	};

	report(pmu_of(cpu), cpu, &insn);
}

void pmu_halt(struct cpu *cpu)
{
	pmu_of(cpu)->halted = true;
}

uint64_t pmu_pmc_read(struct cpu *cpu, unsigned int index)
{
	return mont_read_pmc(&pmu_of(cpu)->mont, index);
}

void pmu_pmc_write(struct cpu *cpu, unsigned int index, uint64_t value)
{
	mont_write_pmc(&pmu_of(cpu)->mont, index, value);
}

/* The PMC whose privilege a captured register has */
static unsigned int owner(const struct mont *m, unsigned int pmd)
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
	if (mont_is_counter(pmd))
		return pmd;
	return MONT_IPEAR_MODE(m->pmc[PMC_IPEAR]) ? PMC_IPEAR : PMC_ETB;
}

uint64_t pmu_pmd_read(struct cpu *cpu, unsigned int index)
{
	struct mont *m = &pmu_of(cpu)->mont;

	if (cpu_cpl(cpu) && (cpu->psr & PSR_SP || mont_privileged(m, owner(m, index))))
		return 0;
	return mont_read_pmd(m, index);
}

void pmu_pmd_write(struct cpu *cpu, unsigned int index, uint64_t value)
{
	mont_write_pmd(&pmu_of(cpu)->mont, index, value);
}

void pmu_serialize(struct cpu *cpu, bool fetch)
{
	struct pmu *pmu = pmu_of(cpu);

	if (mont_asks(&pmu->mont))
		interrupt(cpu);
	if (!memcmp(pmu->dbr, cpu->dbr, sizeof(pmu->dbr)) &&
	    !(fetch && memcmp(pmu->ibr, cpu->ibr, sizeof(pmu->ibr))) &&
	    !pmu->mont.pmc_written && !pmu->mont.pmd_written)
		return;
	memcpy(pmu->dbr, cpu->dbr, sizeof(pmu->dbr));
	if (fetch)
		memcpy(pmu->ibr, cpu->ibr, sizeof(pmu->ibr));
	mont_serialize(&pmu->mont);
	if (!mont_frozen(&pmu->mont)) {
		/* Nothing goes on after the freeze any more. */
		pmu->ipear_until = 0;
		pmu_check_support(pmu);
	}
	update(pmu, cpu);
}

void pmu_init(struct cpu *cpu, uint64_t seed)
{
	struct pmu *pmu = pmu_of(cpu);

	memset(pmu, 0, sizeof(*pmu));
	pmu->cpu = cpu;
	mont_reset(&pmu->mont, seed);
	pmu->mont.ibr = pmu->ibr;
	pmu->mont.dbr = pmu->dbr;
	pmu_misses_init(pmu);
}
