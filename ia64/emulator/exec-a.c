// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec-a.c: integer arithmetic, logic, comparisons, shifts and fields.
 */
#include "exec.h"

/* Operations on two registers, or on an immediate and a register */
#define BINARY(name, expression)								\
enum next x_##name(struct cpu *cpu, const struct insn *insn)					\
{												\
	unsigned int i2 = gr_index(cpu, insn->r2);						\
	unsigned int i3 = gr_index(cpu, insn->r3);						\
	uint64_t a = cpu->gr[i2];								\
	uint64_t b = cpu->gr[i3];								\
												\
	wr(cpu, insn->r1, expression, cpu->nat[i2] | cpu->nat[i3]);				\
	return NEXT_SLOT;									\
}

#define IMMEDIATE(name, expression)								\
enum next x_##name(struct cpu *cpu, const struct insn *insn)					\
{												\
	unsigned int i3 = gr_index(cpu, insn->r3);						\
	uint64_t a = insn->imm;									\
	uint64_t b = cpu->gr[i3];								\
												\
	wr(cpu, insn->r1, expression, cpu->nat[i3]);						\
	return NEXT_SLOT;									\
}

#define UNARY(name, expression)									\
enum next x_##name(struct cpu *cpu, const struct insn *insn)					\
{												\
	unsigned int i3 = gr_index(cpu, insn->r3);						\
	uint64_t b = cpu->gr[i3];								\
												\
	wr(cpu, insn->r1, expression, cpu->nat[i3]);						\
	return NEXT_SLOT;									\
}

/* A 32-bit pointer: its upper two bits choose the region. */
static uint64_t pointer(uint64_t sum, uint64_t base)
{
	return (sum & 0xffffffff) | (base >> 30 & 3) << 61;
}

BINARY(add, a + b)
BINARY(add1, a + b + 1)
BINARY(sub, a - b)
BINARY(sub1, a - b - 1)
BINARY(addp4, pointer(a + b, b))
BINARY(and, a & b)
BINARY(andcm, a & ~b)
BINARY(or, a | b)
BINARY(xor, a ^ b)
BINARY(shladd, (a << insn->y) + b)
BINARY(shladdp4, pointer((a << insn->y) + b, b))
IMMEDIATE(sub_imm, a - b)
IMMEDIATE(and_imm, a & b)
IMMEDIATE(andcm_imm, a & ~b)
IMMEDIATE(or_imm, a | b)
IMMEDIATE(xor_imm, a ^ b)
IMMEDIATE(adds, a + b)
IMMEDIATE(addp4_imm, pointer(a + b, b))
BINARY(shl, b > 63 ? 0 : a << b)
BINARY(shr, (uint64_t)((int64_t)b >> (a > 63 ? 63 : a)))
BINARY(shr_u, a > 63 ? 0 : b >> a)
BINARY(shrp, insn->y ? b >> insn->y | a << (64 - insn->y) : b)
UNARY(zxt1, (uint8_t)b)
UNARY(zxt2, (uint16_t)b)
UNARY(zxt4, (uint32_t)b)
UNARY(sxt1, sign_extend(b, 8))
UNARY(sxt2, sign_extend(b, 16))
UNARY(sxt4, sign_extend(b, 32))
UNARY(popcnt, (uint64_t)__builtin_popcountll(b))

/* The lowest @count bits, 1 to 64 */
static uint64_t low(unsigned int count)
{
	return ~0ULL >> (64 - count);
}

/* Limit the length of a field to bit 63. */
static unsigned int length(const struct insn *insn)
{
	return insn->x + insn->y > 64 ? 64 - insn->y : insn->x;
}

UNARY(extr, sign_extend(b >> insn->y, length(insn)))
UNARY(extr_u, b >> insn->y & low(length(insn)))
IMMEDIATE(dep_imm, (b & ~(low(length(insn)) << insn->y)) | (a & low(length(insn))) << insn->y)
BINARY(dep, (b & ~(low(length(insn)) << insn->y)) | (a & low(length(insn))) << insn->y)

enum next x_dep_z(struct cpu *cpu, const struct insn *insn)
{
	wr(cpu, insn->r1, (rd(cpu, insn->r2) & low(length(insn))) << insn->y,
	   rd_nat(cpu, insn->r2));
	return NEXT_SLOT;
}

MOVE(dep_z_imm, (insn->imm & low(length(insn))) << insn->y)
MOVE(movl, insn->imm)

/* Comparisons. */

/* Write the predicates of a comparison with this @result, or with NaT operands. */
static enum next set_predicates(struct cpu *cpu, const struct insn *insn, bool result, bool nat)
{
	if (insn->always) {
		bool own = pr_read(cpu, insn->qp);

		if (insn->r1 == insn->r4)
			illegal_operation(cpu);
		pr_write(cpu, insn->r1, own && !nat && result);
		pr_write(cpu, insn->r4, own && !nat && !result);
		return NEXT_SLOT;
	}
	if (insn->r1 == insn->r4)
		illegal_operation(cpu);
	switch (insn->x) {
	case CTYPE_NORMAL:
		pr_write(cpu, insn->r1, !nat && result);
		pr_write(cpu, insn->r4, !nat && !result);
		break;
	case CTYPE_AND:
		if (nat || !result) {
			pr_write(cpu, insn->r1, false);
			pr_write(cpu, insn->r4, false);
		}
		break;
	case CTYPE_OR:
		if (!nat && result) {
			pr_write(cpu, insn->r1, true);
			pr_write(cpu, insn->r4, true);
		}
		break;
	case CTYPE_OR_ANDCM:
		if (!nat && result) {
			pr_write(cpu, insn->r1, true);
			pr_write(cpu, insn->r4, false);
		}
		break;
	}
	return NEXT_SLOT;
}

#define COMPARE(name, type, operator)								\
enum next x_##name(struct cpu *cpu, const struct insn *insn)					\
{												\
	unsigned int i2 = gr_index(cpu, insn->r2);						\
	unsigned int i3 = gr_index(cpu, insn->r3);						\
	type a = cpu->gr[i2];									\
	type b = cpu->gr[i3];									\
												\
	return set_predicates(cpu, insn, a operator b, cpu->nat[i2] | cpu->nat[i3]);		\
}												\
COMPARE_CONSTANT(name##_imm, type, insn->imm, operator)

#define COMPARE_CONSTANT(name, type, constant, operator)					\
enum next x_##name(struct cpu *cpu, const struct insn *insn)					\
{												\
	unsigned int i3 = gr_index(cpu, insn->r3);						\
	type a = constant;									\
	type b = cpu->gr[i3];									\
												\
	return set_predicates(cpu, insn, a operator b, cpu->nat[i3]);				\
}

COMPARE(cmp_lt, int64_t, <)
COMPARE(cmp_ltu, uint64_t, <)
COMPARE(cmp_eq, uint64_t, ==)
COMPARE(cmp_ne, uint64_t, !=)
COMPARE(cmp4_lt, int32_t, <)
COMPARE(cmp4_ltu, uint32_t, <)
COMPARE(cmp4_eq, uint32_t, ==)
COMPARE(cmp4_ne, uint32_t, !=)
COMPARE_CONSTANT(cmp_gt0, int64_t, 0, >)
COMPARE_CONSTANT(cmp_le0, int64_t, 0, <=)
COMPARE_CONSTANT(cmp_ge0, int64_t, 0, >=)
COMPARE_CONSTANT(cmp_lt0, int64_t, 0, <)
COMPARE_CONSTANT(cmp4_gt0, int32_t, 0, >)
COMPARE_CONSTANT(cmp4_le0, int32_t, 0, <=)
COMPARE_CONSTANT(cmp4_ge0, int32_t, 0, >=)
COMPARE_CONSTANT(cmp4_lt0, int32_t, 0, <)

/* Whether a bit is 0, and whether it is 1 */
#define TEST(name, bit, nat)									\
enum next x_##name##_z(struct cpu *cpu, const struct insn *insn)				\
{												\
	return set_predicates(cpu, insn, !(bit), nat);						\
}												\
enum next x_##name##_nz(struct cpu *cpu, const struct insn *insn)				\
{												\
	return set_predicates(cpu, insn, bit, nat);						\
}

TEST(tbit, rd(cpu, insn->r3) >> insn->y & 1, rd_nat(cpu, insn->r3))
TEST(tnat, rd_nat(cpu, insn->r3), false)
