// SPDX-License-Identifier: GPL-2.0-only
/* exec-i.c: moves between registers, speculation checks, nops */
#include <stdio.h>

#include "exec.h"

enum next x_illegal(struct cpu *cpu, const struct insn *insn)
{
	illegal_operation(cpu);
}

enum next x_missing(struct cpu *cpu, const struct insn *insn)
{
	cannot_go_on(cpu, insn, " is not implemented");
}

enum next x_nop(struct cpu *cpu, const struct insn *insn)
{
	return NEXT_SLOT;
}

enum next x_break(struct cpu *cpu, const struct insn *insn)
{
	const struct machine *machine = cpu->machine;
	uint64_t nr = insn->imm - FIRMWARE_BREAK;
	uint64_t pa = cpu->code.pa + (cpu->ip & 0xfff);

	if (insn->unit == 'M' && nr < FIRMWARE_CALLS && !cpu_cpl(cpu) &&
	    pa - machine->firmware_base < machine->firmware_size) {
		firmware_call(cpu, nr);
		return NEXT_SLOT;
	}
	if (cpu->psr & PSR_IC)
		cpu->iim = insn->unit == 'B' ? 0 : insn->imm;
	fault(cpu, VECTOR_BREAK, 0);
}

static enum next recover(struct cpu *cpu, const struct insn *insn)
{
	cpu->target = cpu->ip + insn->imm;
	if (cpu->pmu_active)
		pmu_branch(cpu, BRANCH_EXCEPTION, cpu->target, true);
	return NEXT_BRANCH;
}

enum next x_chk_s(struct cpu *cpu, const struct insn *insn)
{
	return rd_nat(cpu, insn->r2) ? recover(cpu, insn) : NEXT_SLOT;
}

enum next x_chk_sf(struct cpu *cpu, const struct insn *insn)
{
	const struct fr *fr = &cpu->fr[fr_index(cpu, insn->r2)];

	return fr->exp == 0x1fffe && !fr->sig ? recover(cpu, insn) : NEXT_SLOT;
}

static enum next check_advanced(struct cpu *cpu, const struct insn *insn, uint64_t tag)
{
	if (!alat_holds(cpu, tag))
		return recover(cpu, insn);
	if (insn->x)
		alat_remove(cpu, tag);
	return NEXT_SLOT;
}

enum next x_chk_a(struct cpu *cpu, const struct insn *insn)
{
	return check_advanced(cpu, insn, alat_gr(cpu, insn->r1));
}

enum next x_chk_af(struct cpu *cpu, const struct insn *insn)
{
	return check_advanced(cpu, insn, alat_fr(cpu, insn->r1));
}

enum next x_invala(struct cpu *cpu, const struct insn *insn)
{
	cpu->alat_valid = 0;
	return NEXT_SLOT;
}

enum next x_invala_e(struct cpu *cpu, const struct insn *insn)
{
	alat_remove(cpu, alat_gr(cpu, insn->r1));
	return NEXT_SLOT;
}

enum next x_invala_ef(struct cpu *cpu, const struct insn *insn)
{
	alat_remove(cpu, alat_fr(cpu, insn->r1));
	return NEXT_SLOT;
}

MOVE(mov_from_ip, cpu->ip)
MOVE(mov_from_br, cpu->br[insn->r2])
/* Predicates are moved without rotation. */
MOVE(mov_from_pr, cpu->pr)

enum next x_mov_br(struct cpu *cpu, const struct insn *insn)
{
	cpu->br[insn->r1] = rd_whole(cpu, insn->r2);
	return NEXT_SLOT;
}

enum next x_mov_pr(struct cpu *cpu, const struct insn *insn)
{
	uint64_t value = rd_whole(cpu, insn->r2);

	cpu->pr = (cpu->pr & ~insn->imm) | (value & insn->imm);
	return NEXT_SLOT;
}

enum next x_mov_pr_rot(struct cpu *cpu, const struct insn *insn)
{
	cpu->pr = (cpu->pr & 0xffff) | (insn->imm & ~0xffffULL);
	return NEXT_SLOT;
}
