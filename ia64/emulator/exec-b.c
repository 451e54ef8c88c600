// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec-b.c: branches.
 */
#include "exec.h"

static enum next branch(struct cpu *cpu, enum branch_kind kind, uint64_t target)
{
	cpu->target = target & ~15ULL;
	if (cpu->pmu_active)
		pmu_branch(cpu, kind, cpu->target, true);
	return NEXT_BRANCH;
}

static enum next branch_if(struct cpu *cpu, const struct insn *insn, bool taken)
{
	if (taken)
		return branch(cpu, BRANCH_RELATIVE, cpu->ip + insn->imm);
	if (cpu->pmu_active)
		pmu_branch(cpu, BRANCH_RELATIVE, cpu->ip + insn->imm, false);
	return NEXT_SLOT;
}

enum next x_br(struct cpu *cpu, const struct insn *insn)
{
	return branch(cpu, BRANCH_RELATIVE, cpu->ip + insn->imm);
}

enum next x_br_indirect(struct cpu *cpu, const struct insn *insn)
{
	return branch(cpu, BRANCH_INDIRECT, cpu->br[insn->r2]);
}

enum next x_br_call(struct cpu *cpu, const struct insn *insn)
{
	cpu->br[insn->r1] = cpu->ip + 16;
	rse_call(cpu);
	return branch(cpu, BRANCH_RELATIVE, cpu->ip + insn->imm);
}

enum next x_br_call_indirect(struct cpu *cpu, const struct insn *insn)
{
	uint64_t target = cpu->br[insn->r2];

	cpu->br[insn->r1] = cpu->ip + 16;
	rse_call(cpu);
	return branch(cpu, BRANCH_INDIRECT, target);
}

enum next x_br_ret(struct cpu *cpu, const struct insn *insn)
{
	uint64_t target = cpu->br[insn->r2];
	uint64_t pfs = cpu->pfs;
	enum next next = branch(cpu, BRANCH_RETURN, target);

	rse_return(cpu, pfs);
	cpu->ec = pfs >> 52 & 63;
	if (cpu_cpl(cpu) < pfs >> 62)
		psr_write(cpu, (cpu->psr & ~PSR_CPL) | (pfs >> 62) << PSR_CPL_SHIFT);
	return next;
}

enum next x_br_cloop(struct cpu *cpu, const struct insn *insn)
{
	bool taken = cpu->lc;

	if (taken)
		cpu->lc--;
	return branch_if(cpu, insn, taken);
}

/* Rotating loops: return whether another iteration, of the loop or of its epilog, follows. */
static bool epilog_again(struct cpu *cpu)
{
	bool again = cpu->ec > 1;

	if (cpu->ec) {
		cpu->ec--;
		rse_rotate(cpu);
	}
	pr_write(cpu, 16, false);
	return again;
}

static bool counted_again(struct cpu *cpu)
{
	if (!cpu->lc)
		return epilog_again(cpu);
	cpu->lc--;
	rse_rotate(cpu);
	pr_write(cpu, 16, true);	/* what was p63 */
	return true;
}

enum next x_br_ctop(struct cpu *cpu, const struct insn *insn)
{
	return branch_if(cpu, insn, counted_again(cpu));
}

enum next x_br_cexit(struct cpu *cpu, const struct insn *insn)
{
	return branch_if(cpu, insn, !counted_again(cpu));
}

static bool while_again(struct cpu *cpu, const struct insn *insn)
{
	if (!pr_read(cpu, insn->qp))
		return epilog_again(cpu);
	rse_rotate(cpu);
	pr_write(cpu, 16, false);
	return true;
}

enum next x_br_wtop(struct cpu *cpu, const struct insn *insn)
{
	return branch_if(cpu, insn, while_again(cpu, insn));
}

enum next x_br_wexit(struct cpu *cpu, const struct insn *insn)
{
	return branch_if(cpu, insn, !while_again(cpu, insn));
}

/* Return from interruption to the slot in cr.ipsr. */
enum next x_rfi(struct cpu *cpu, const struct insn *insn)
{
	need_privilege(cpu);
	pmu_serialize(cpu, true);
	if (cpu->pmu_active)
		pmu_branch(cpu, BRANCH_RFI, cpu->iip, true);
	cpu->ip = cpu->iip & ~15ULL;
	rse_rfi(cpu);
	cpu->slot = cpu->ipsr >> PSR_RI_SHIFT & 3;
	/* No bundle has a slot 3, but a program's signal frame may name it. */
	if (cpu->slot == 3) {
		cpu->slot = 0;
		cpu->ip += 16;
	}
	psr_write(cpu, cpu->ipsr & ~PSR_RI);
	return NEXT_BUNDLE;
}

enum next x_bsw(struct cpu *cpu, const struct insn *insn)
{
	need_privilege(cpu);
	psr_write(cpu, insn->op == OP_BSW1 ? cpu->psr | PSR_BN : cpu->psr & ~PSR_BN);
	return NEXT_SLOT;
}

/* Enter privileged code: the current page gives the privilege level. */
enum next x_epc(struct cpu *cpu, const struct insn *insn)
{
	unsigned int pl = cpu->psr & PSR_IT ? cpu->code.pl : 0;

	if (cpu->pfs >> 62 < cpu_cpl(cpu))
		illegal_operation(cpu);
	if (pl < cpu_cpl(cpu))
		psr_write(cpu, (cpu->psr & ~PSR_CPL) | (uint64_t)pl << PSR_CPL_SHIFT);
	return NEXT_SLOT;
}
