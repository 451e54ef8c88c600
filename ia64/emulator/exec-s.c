// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec-s.c: moves to and from application, control and indirect registers and the processor status.
 */
#include "exec.h"

#define USER_MASK	(PSR_BE | PSR_UP | PSR_AC | PSR_MFL | PSR_MFH)

enum {
	AR_RSC = 16, AR_BSP = 17, AR_BSPSTORE = 18, AR_RNAT = 19, AR_ITC = 44, AR_RUC = 45,
	 AR_PFS = 64, AR_EC = 66
};

/* 0 stands for no register: struct cpu begins with others. */
#define OFFSET(register)	offsetof(struct cpu, register)

static uint64_t *register_at(struct cpu *cpu, unsigned int offset)
{
	return offset ? (uint64_t *)((char *)cpu + offset) : NULL;
}

/* Return the address of an application register, or NULL if there is none. */
static uint64_t *application_register(struct cpu *cpu, unsigned int r)
{
	static const uint16_t offsets[128] = {
		[AR_RSC] = OFFSET(rsc), OFFSET(bsp), OFFSET(bspstore), OFFSET(rnat),
		[25] = OFFSET(csd), OFFSET(ssd), [32] = OFFSET(ccv), [36] = OFFSET(unat),
		[40] = OFFSET(fpsr),
		[AR_PFS] = OFFSET(pfs), OFFSET(lc), OFFSET(ec),
	};

	if ((r == AR_BSPSTORE || r == AR_RNAT) && cpu->rsc & 3)
		illegal_operation(cpu);
	return r < 8 ? &cpu->kr[r] : register_at(cpu, offsets[r]);
}

/* A move to a general register, whose checks come first */
#define READ(name, is_privileged, value)						\
enum next x_##name(struct cpu *cpu, const struct insn *insn)				\
{											\
	target_index(cpu, insn->r1);							\
	if (is_privileged)								\
		need_privilege(cpu);							\
	wr(cpu, insn->r1, value, false);						\
	return NEXT_SLOT;								\
}

static void write_ar(struct cpu *cpu, unsigned int r, uint64_t value)
{
	uint64_t *at = application_register(cpu, r);

	switch (r) {
	case 0 ... 7:
	case AR_ITC:
	case AR_RUC:
		if (cpu_cpl(cpu))
			fault(cpu, VECTOR_GENERAL, GENERAL_PRIVILEGED_REG);
		if (at)
			break;
		cpu->itc_offset = value - cpu->cycles;
		cpu->next_check = 0;
		return;
	case AR_RSC:
		/* rsc.pl cannot be more privileged than the program. */
		if ((value >> 2 & 3) < cpu_cpl(cpu))
			value = (value & ~0xcULL) | cpu_cpl(cpu) << 2;
		value &= 0x3fff001f;
		break;
	case AR_BSPSTORE:
		rse_set_bspstore(cpu, value);
		return;
	case AR_PFS:
		value &= 0xc3f0003fffffffffULL;
		break;
	case AR_EC:
		value &= 63;
		break;
	case 48 ... 63:
	case 112 ... 127:
		return;		/* ignored registers */
	}
	if (!at || r == AR_BSP)
		illegal_operation(cpu);
	*at = value;
}

static uint64_t read_ar(struct cpu *cpu, unsigned int r)
{
	const uint64_t *at = application_register(cpu, r);

	switch (r) {
	case AR_ITC:
	case AR_RUC:
		if (cpu->psr & PSR_SI && cpu_cpl(cpu))
			fault(cpu, VECTOR_GENERAL, GENERAL_PRIVILEGED_REG);
		return cpu_itc(cpu);
	case 48 ... 63:
	case 112 ... 127:
		return 0;
	}
	if (!at)
		illegal_operation(cpu);
	return *at;
}

enum next x_mov_ar(struct cpu *cpu, const struct insn *insn)
{
	write_ar(cpu, insn->r3, rd_whole(cpu, insn->r2));
	return NEXT_SLOT;
}

enum next x_mov_ar_imm(struct cpu *cpu, const struct insn *insn)
{
	write_ar(cpu, insn->r3, insn->imm);
	return NEXT_SLOT;
}

READ(mov_from_ar, false, read_ar(cpu, insn->r3))

enum {
	CR_ITM = 1, CR_IVA = 2, CR_PTA = 8, CR_IPSR = 16, CR_IHA = 25, CR_LID = 64,
	CR_IVR = 65, CR_TPR = 66, CR_EOI = 67, CR_IRR0 = 68, CR_IRR3 = 71, CR_ITV = 72, CR_PMV = 73,
	CR_CMCV = 74, CR_LRR0 = 80
};

static uint64_t *control_register(struct cpu *cpu, unsigned int r)
{
	static const uint16_t offsets[128] = {
		OFFSET(dcr), OFFSET(itm), OFFSET(iva), [CR_PTA] = OFFSET(pta),
		[CR_IPSR] = OFFSET(ipsr), OFFSET(isr), [19] = OFFSET(iip), OFFSET(ifa),
		OFFSET(itir), OFFSET(iipa), OFFSET(ifs), OFFSET(iim), OFFSET(iha),
		[CR_LID] = OFFSET(lid),
		[CR_TPR] = OFFSET(tpr), [CR_ITV] = OFFSET(itv), OFFSET(pmv), OFFSET(cmcv),
		[CR_LRR0] = OFFSET(lrr[0]), OFFSET(lrr[1]),
		[CR_IRR0] = OFFSET(irr[0]), OFFSET(irr[1]), OFFSET(irr[2]), OFFSET(irr[3]),
	};

	return register_at(cpu, offsets[r]);
}

/* Interruption registers fault while interruption collection is on. */
static void check_collection(struct cpu *cpu, unsigned int r)
{
	if (r >= CR_IPSR && r <= CR_IHA && cpu->psr & PSR_IC)
		illegal_operation(cpu);
}

enum next x_mov_cr(struct cpu *cpu, const struct insn *insn)
{
	unsigned int r = insn->r3;
	uint64_t *control = control_register(cpu, r);
	bool read_only = r >= CR_IRR0 && r <= CR_IRR3;
	uint64_t value;

	check_collection(cpu, r);
	if (r != CR_EOI && (!control || read_only))
		illegal_operation(cpu);
	need_privilege(cpu);
	value = rd_whole(cpu, insn->r2);
	if (r == CR_EOI) {
		interrupt_end(cpu);
		return NEXT_SLOT;
	}
	switch (r) {
	case CR_IVA:
		value &= ~0x7fffULL;
		break;
	case CR_PTA:
		if (value >> 8 & 1)
			cannot_go_on(cpu, insn, " asks for a long-format VHPT");
		value &= ~0x7e00ULL;
		break;
	case CR_TPR:
		value &= 0x100f0;
		break;
	case CR_ITV:
	case CR_PMV:
	case CR_CMCV:
		value &= 0x100ff;
		break;
	case CR_ITM:
		cpu->itm_pending = (int64_t)(value - cpu_itc(cpu)) > 0;
		break;
	}
	*control = value;
	cpu->next_check = 0;
	return NEXT_SLOT;
}

enum next x_mov_from_cr(struct cpu *cpu, const struct insn *insn)
{
	unsigned int r = insn->r3;
	uint64_t *control = control_register(cpu, r);

	check_collection(cpu, r);
	if (!control && r != CR_IVR && r != CR_EOI)
		illegal_operation(cpu);
	target_index(cpu, insn->r1);
	need_privilege(cpu);
	wr(cpu, insn->r1, control ? *control : r == CR_IVR ? interrupt_take(cpu) : 0, false);
	return NEXT_SLOT;
}

/* The processor status. */

enum next x_mov_psr_l(struct cpu *cpu, const struct insn *insn)
{
	need_privilege(cpu);
	psr_write(cpu, (cpu->psr & ~0xffffffffULL) | (uint32_t)rd_whole(cpu, insn->r2));
	return NEXT_SLOT;
}

READ(mov_from_psr, true, cpu->psr & (0xffffffffULL | PSR_MC | PSR_IT))

/* With psr.sp, a program may not change psr.up, which enables its monitors. */
static uint64_t user_bits(const struct cpu *cpu)
{
	return cpu->psr & PSR_SP ? USER_MASK & ~PSR_UP : USER_MASK;
}

enum next x_mov_um(struct cpu *cpu, const struct insn *insn)
{
	uint64_t bits = user_bits(cpu);

	psr_write(cpu, (cpu->psr & ~bits) | (rd_whole(cpu, insn->r2) & bits));
	return NEXT_SLOT;
}

MOVE(mov_from_um, cpu->psr & USER_MASK)

enum next x_mask(struct cpu *cpu, const struct insn *insn)
{
	bool user = insn->op == OP_SUM || insn->op == OP_RUM;
	uint64_t bits = insn->imm & (user ? user_bits(cpu) : ~0ULL);

	if (!user)
		need_privilege(cpu);
	psr_write(cpu, insn->op == OP_SUM || insn->op == OP_SSM ? cpu->psr | bits :
								  cpu->psr & ~bits);
	return NEXT_SLOT;
}

enum next x_srlz(struct cpu *cpu, const struct insn *insn)
{
	if (insn->op == OP_SRLZ_I)
		need_privilege(cpu);
	pmu_serialize(cpu, insn->op == OP_SRLZ_I);
	return NEXT_SLOT;
}

/* Registers that another register's value indexes */

static uint64_t *indirect(struct cpu *cpu, unsigned int op, uint64_t index)
{
	index &= 0xff;
	if (index >= 8)
		reserved_field(cpu);
	return op == OP_MOV_DBR || op == OP_MOV_FROM_DBR ? &cpu->dbr[index] : &cpu->ibr[index];
}

enum next x_mov_indirect(struct cpu *cpu, const struct insn *insn)
{
	uint64_t index, value;

	need_privilege(cpu);
	index = rd_whole(cpu, insn->r3);
	value = rd_whole(cpu, insn->r2);
	switch (insn->op) {
	case OP_MOV_RR:
		if (cpu->rr[index >> 61] != value) {
			cpu->rr[index >> 61] = value;
			fast_flush(cpu);
		}
		break;
	case OP_MOV_PMC:
		pmu_pmc_write(cpu, index & 0xff, value);
		break;
	case OP_MOV_PMD:
		pmu_pmd_write(cpu, index & 0xff, value);
		break;
	default:
		*indirect(cpu, insn->op, index) = value;
	}
	return NEXT_SLOT;
}

static uint64_t read_indirect(struct cpu *cpu, unsigned int op, uint64_t index)
{
	switch (op) {
	case OP_MOV_FROM_RR:
		return cpu->rr[index >> 61];
	case OP_MOV_FROM_PMC:
		return pmu_pmc_read(cpu, index & 0xff);
	case OP_MOV_FROM_PMD:
		return pmu_pmd_read(cpu, index & 0xff);
	case OP_MOV_FROM_CPUID:
		if ((index & 0xff) > 4)
			reserved_field(cpu);
		return cpu->cpuid[index & 0xff];
	}
	return *indirect(cpu, op, index);
}

READ(mov_from_indirect, true, read_indirect(cpu, insn->op, rd_whole(cpu, insn->r3)))
/* Programs may read PMDs and CPUID. */
READ(mov_from_open, false, read_indirect(cpu, insn->op, rd_whole(cpu, insn->r3)))
