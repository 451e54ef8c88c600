// SPDX-License-Identifier: GPL-2.0-only
/* cpu.c: reset and main loop of the processor */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "exec.h"

#define OP(id, name, function) function,
insn_run * const op_runs[OP_COUNT] = {
#include "ops.def"
};

#undef OP
#define OP(id, name, function) name,
static const char *const op_names[OP_COUNT] = {
#include "ops.def"
};

#undef OP

/* Cycles that a processor runs while the others wait */
#define TURN	500

static void reset(struct machine *machine, unsigned int nr)
{
	struct cpu *cpu = &machine->cpu[nr];
	int i;

	memset(cpu, 0, sizeof(*cpu));
	cpu->machine = machine;
	cpu->nr = nr;
	cpu->sibling = machine->threads > 1 ? &machine->cpu[nr ^ 1] : NULL;
	cpu->pr = 1;
	cpu->psr = PSR_BN;
	cpu->fpsr = 0x9804c0270033fULL;
	cpu->fr[1] = (struct fr){ .sig = 1ULL << 63, .exp = 0xffff };
	for (i = 0; i < RR_COUNT; i++)
		cpu->rr[i] = 12 << 2;
	cpu->pta = 15 << 2;
	cpu->lid = (uint64_t)nr << LID_ID_SHIFT;
	cpu->itv = 1 << 16;
	cpu->pmv = 1 << 16;
	cpu->cmcv = 1 << 16;
	cpu->lrr[0] = 1 << 16;
	cpu->lrr[1] = 1 << 16;
	memcpy(&cpu->cpuid[0], "GenuineI", 8);
	memcpy(&cpu->cpuid[1], "ntel\0\0\0", 8);
	cpu->cpuid[3] = 4 | 0x07 << 8 | 0x01 << 16 | 0x20 << 24;
	cpu->cpuid[4] = 0x7;	/* long branches, spontaneous deferral, 16-byte atomic operations */
	fast_modes(cpu);
	rse_init(cpu);
}

void cpu_init(struct machine *machine)
{
	unsigned int nr;

	machine->code = calloc(machine->ram_size >> 12, sizeof(*machine->code));
	if (!machine->code)
		abort();
	for (nr = 0; nr < machine->cpus; nr++)
		reset(machine, nr);
	machine->running = machine->cpu;
}

uint64_t gr_get(const struct cpu *cpu, unsigned int r)
{
	return rd(cpu, r);
}

void gr_set(struct cpu *cpu, unsigned int r, uint64_t value)
{
	unsigned int i = gr_index(cpu, r);

	cpu->gr[i] = value;
	cpu->nat[i] = 0;
}

void cpu_dump(struct cpu *cpu)
{
	unsigned int i;

	fprintf(stderr, "ip %016" PRIx64 ".%u psr %016" PRIx64 " pr %016" PRIx64 "\n",
		cpu->ip, cpu->slot, cpu->psr, cpu->pr);
	fprintf(stderr, "iip %016" PRIx64 " ipsr %016" PRIx64 " isr %016" PRIx64 "\n",
		cpu->iip, cpu->ipsr, cpu->isr);
	fprintf(stderr, "ifa %016" PRIx64 " iipa %016" PRIx64 " cycles %" PRIu64 "\n",
		cpu->ifa, cpu->iipa, cpu->cycles);
	fprintf(stderr, "bsp %016" PRIx64 " bspstore %016" PRIx64 " pfs %016" PRIx64 "\n",
		cpu->bsp, cpu->bspstore, cpu->pfs);
	fprintf(stderr, "cfm %u,%u,%u dirty %d rsc %" PRIx64 "\n", cpu->cfm.sof, cpu->cfm.sol,
		cpu->cfm.sor, cpu->dirty, cpu->rsc);
	for (i = 0; i < 32u + cpu->cfm.sof; i++)
		fprintf(stderr, "r%-3u%c%016" PRIx64 "%s", i, rd_nat(cpu, i) ? '*' : ' ',
			rd(cpu, i), i % 4 == 3 ? "\n" : " ");
	for (i = 0; i < 8; i++)
		fprintf(stderr, "%sb%u  %016" PRIx64, i % 4 ? " " : "\n", i, cpu->br[i]);
	fprintf(stderr, "\n");
}

void cpu_print(const struct cpu *cpu, const struct insn *insn, const char *what)
{
	fprintf(stderr, "%016" PRIx64 ".%u %c %011" PRIx64 " %s%s\n", cpu->ip, insn->slot,
		insn->unit, cpu->code.code->bundle[cpu->ip >> 4 & 0xff].code[insn->slot],
		op_names[insn->op], what);
}

/* Handle what is due between two bundles. */
static void check(struct cpu *cpu)
{
	uint64_t due = cpu->machine->until;
	unsigned int vector;

	cpu->next_check = ~0ULL;
	if (cpu->itm_pending && (int64_t)(cpu_itc(cpu) - cpu->itm) >= 0) {
		cpu->itm_pending = false;
		if (!(cpu->itv >> 16 & 1))
			cpu_raise(cpu, cpu->itv);
	}
	if (cpu->itm_pending && cpu->itm - cpu->itc_offset < due)
		due = cpu->itm - cpu->itc_offset;
	if (external_pending(cpu, &vector)) {
		cpu->halted = false;
		if (cpu->psr & PSR_I && cpu->psr & PSR_IC)
			deliver_external(cpu);
	}
	/* Unless there is something new */
	if (cpu->next_check)
		cpu->next_check = due;
	if (cpu->halted && cpu->cycles < due)
		cpu->cycles = due;
}

/* Raise a debugger's traps after an instruction; returns NEXT_BUNDLE if there is one. */
static enum next trap(struct cpu *cpu, uint64_t psr, enum next next)
{
	unsigned int slot = cpu->slot;
	uint64_t ip = cpu->ip;
	unsigned int code = 0;

	cpu->psr &= ~(psr & PSR_ONCE);
	if (psr & PSR_LP && (cpu->psr & PSR_CPL) > (psr & PSR_CPL))
		code |= TRAP_LOWER_PRIVILEGE;
	if (psr & PSR_TB && next == NEXT_BRANCH)
		code |= TRAP_TAKEN_BRANCH;
	if (psr & PSR_SS)
		code |= TRAP_SINGLE_STEP;
	if (!code)
		return next;
	if (next == NEXT_BRANCH || slot == 2) {
		cpu->ip = next == NEXT_BRANCH ? cpu->target : ip + 16;
		cpu->slot = 0;
	} else {
		cpu->slot++;
	}
	deliver_trap(cpu, code, ip, slot);
	return NEXT_BUNDLE;
}

/* Execute a bundle and report each instruction to the monitors, a debugger or the trace */
static enum next run_watched(struct cpu *cpu, struct bundle *bundle)
{
	enum next next = NEXT_SLOT;

	cpu->pmu_active = cpu->pmu_wanted;
	for (; cpu->slot < 3 && next == NEXT_SLOT; cpu->slot++) {
		const struct insn *insn = &bundle->insn[cpu->slot];
		bool executed = pr_read(cpu, insn->qp);
		struct retired retired = {
			.ip = cpu->ip,
			.slot = cpu->slot,
			.unit = insn->unit,
			.executed = executed,
			.code = bundle->code[cpu->slot],
			.psr = cpu->psr,
		};

		if (cpu->trace)
			cpu_print(cpu, insn, "");
		if (cpu->psr & PSR_DB && !(cpu->psr & PSR_ID) &&
		    breakpoint(cpu, cpu->ibr, cpu->ip, 16, BREAKPOINT_READ))
			fault_address(cpu, VECTOR_DEBUG, ISR_X, cpu->ip);
		if (executed || insn->always)
			next = insn->run(cpu, insn);
		if (cpu->pmu_active && insn->op != OP_L)
			pmu_retire(cpu, &retired);
		if (retired.psr & PSR_WATCH && next != NEXT_BUNDLE && insn->op != OP_L)
			next = trap(cpu, retired.psr, next);
		if (next == NEXT_BUNDLE)
			return next;
	}
	return next;
}

static void watch_bundle(struct cpu *cpu, struct bundle *bundle)
{
	uint64_t ip = cpu->ip;
	enum next next = run_watched(cpu, bundle);

	cpu->cycles++;
	cpu->last_ip = ip;
	if (next == NEXT_BUNDLE)
		return;
	cpu->ip = next == NEXT_SLOT ? ip + 16 : cpu->target;
	cpu->slot = 0;
}

static inline enum next run_bundle(struct cpu *cpu, struct bundle *bundle)
{
	const struct insn *insn = &bundle->insn[cpu->slot ?: bundle->first];

	for (;; insn += insn->step) {
		cpu->slot = insn->slot;
		if (!insn->test || pr_read(cpu, insn->test)) {
			enum next next = insn->run(cpu, insn);

			if (next != NEXT_SLOT)
				return next;
		}
		if (!insn->step)
			return NEXT_SLOT;
	}
}

/* Execute bundles of a page until something has to be checked between two */
static void run_page(struct cpu *cpu, struct bundle *bundle)
{
	struct bundle *bundles = cpu->code.code->bundle;
	uint64_t ip = cpu->ip;

	do {
		enum next next = run_bundle(cpu, bundle);

		cpu->cycles++;
		cpu->last_ip = ip;
		if (next == NEXT_BUNDLE)
			return;
		cpu->ip = next == NEXT_SLOT ? ip + 16 : cpu->target;
		cpu->slot = 0;
		if ((ip ^ cpu->ip) >> 12)
			return;
		ip = cpu->ip;
		bundle = &bundles[ip >> 4 & 0xff];
	} while (bundle->decoded && cpu->cycles < cpu->next_check);
}

/* Execute until the end of the turn, or of the machine */
static void run(struct cpu *cpu)
{
	cpu->machine->running = cpu;
	setjmp(cpu->fault);	/* faults jump here, with ip at their handler */
	for (;;) {
		struct bundle *bundle;

		if (__builtin_expect(cpu->cycles >= cpu->next_check, 0)) {
			if (cpu->machine->stop || cpu->cycles >= cpu->machine->until)
				return;
			check(cpu);
			if (cpu->halted)
				continue;
			if (cpu->load_frame)
				rse_load_frame(cpu);
		}
		bundle = fetch(cpu);
		if (__builtin_expect(cpu->trace || cpu->pmu_wanted || cpu->psr & PSR_WATCH, 0))
			watch_bundle(cpu, bundle);
		else
			run_page(cpu, bundle);
	}
}

enum stop cpu_run(struct machine *machine, uint64_t limit)
{
	uint64_t now = machine->cpu->cycles;
	unsigned int nr;

	for (machine->stop = STOP_NONE; !machine->stop; now = machine->until) {
		if (now >= limit)
			machine->stop = STOP_LIMIT;
		if (now >= machine->next_event)
			platform_event(machine);
		machine->until = limit < machine->next_event ? limit : machine->next_event;
		if (machine->cpus > 1 && machine->until > now + TURN)
			machine->until = now + TURN;
		for (nr = 0; nr < machine->cpus && !machine->stop; nr++) {
			struct cpu *cpu = &machine->cpu[nr];

			cpu->next_check = 0;
			/* Entries may go at any time, and do not see others' stores. */
			if (machine->cpus > 1)
				cpu->alat_valid = 0;
			run(cpu);
		}
	}
	return machine->stop;
}
