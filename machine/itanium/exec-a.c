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
UNARY(clz, b ? (uint64_t)__builtin_clzll(b) : 64)

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

enum next x_dep_z_imm(struct cpu *cpu, const struct insn *insn)
{
	wr(cpu, insn->r1, (insn->imm & low(length(insn))) << insn->y, false);
	return NEXT_SLOT;
}

enum next x_movl(struct cpu *cpu, const struct insn *insn)
{
	wr(cpu, insn->r1, insn->imm, false);
	return NEXT_SLOT;
}

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
enum next x_cmp_##name(struct cpu *cpu, const struct insn *insn)				\
{												\
	unsigned int i2 = gr_index(cpu, insn->r2);						\
	unsigned int i3 = gr_index(cpu, insn->r3);						\
	type a = cpu->gr[i2];									\
	type b = cpu->gr[i3];									\
												\
	return set_predicates(cpu, insn, a operator b, cpu->nat[i2] | cpu->nat[i3]);		\
}												\
enum next x_cmp_##name##_imm(struct cpu *cpu, const struct insn *insn)				\
{												\
	unsigned int i3 = gr_index(cpu, insn->r3);						\
	type a = insn->imm;									\
	type b = cpu->gr[i3];									\
												\
	return set_predicates(cpu, insn, a operator b, cpu->nat[i3]);				\
}

#define COMPARE4(name, type, operator)								\
enum next x_cmp4_##name(struct cpu *cpu, const struct insn *insn)				\
{												\
	unsigned int i2 = gr_index(cpu, insn->r2);						\
	unsigned int i3 = gr_index(cpu, insn->r3);						\
	type a = cpu->gr[i2];									\
	type b = cpu->gr[i3];									\
												\
	return set_predicates(cpu, insn, a operator b, cpu->nat[i2] | cpu->nat[i3]);		\
}												\
enum next x_cmp4_##name##_imm(struct cpu *cpu, const struct insn *insn)				\
{												\
	unsigned int i3 = gr_index(cpu, insn->r3);						\
	type a = insn->imm;									\
	type b = cpu->gr[i3];									\
												\
	return set_predicates(cpu, insn, a operator b, cpu->nat[i3]);				\
}

COMPARE(lt, int64_t, <)
COMPARE(ltu, uint64_t, <)
COMPARE(eq, uint64_t, ==)
COMPARE(ne, uint64_t, !=)
COMPARE4(lt, int32_t, <)
COMPARE4(ltu, uint32_t, <)
COMPARE4(eq, uint32_t, ==)
COMPARE4(ne, uint32_t, !=)

#define COMPARE_ZERO(name, type, operator)							\
enum next x_##name(struct cpu *cpu, const struct insn *insn)					\
{												\
	unsigned int i3 = gr_index(cpu, insn->r3);						\
	type b = cpu->gr[i3];									\
												\
	return set_predicates(cpu, insn, 0 operator b, cpu->nat[i3]);				\
}

COMPARE_ZERO(cmp_gt0, int64_t, >)
COMPARE_ZERO(cmp_le0, int64_t, <=)
COMPARE_ZERO(cmp_ge0, int64_t, >=)
COMPARE_ZERO(cmp_lt0, int64_t, <)
COMPARE_ZERO(cmp4_gt0, int32_t, >)
COMPARE_ZERO(cmp4_le0, int32_t, <=)
COMPARE_ZERO(cmp4_ge0, int32_t, >=)
COMPARE_ZERO(cmp4_lt0, int32_t, <)

enum next x_tbit_z(struct cpu *cpu, const struct insn *insn)
{
	return set_predicates(cpu, insn, !(rd(cpu, insn->r3) >> insn->y & 1),
			      rd_nat(cpu, insn->r3));
}

enum next x_tbit_nz(struct cpu *cpu, const struct insn *insn)
{
	return set_predicates(cpu, insn, rd(cpu, insn->r3) >> insn->y & 1, rd_nat(cpu, insn->r3));
}

enum next x_tnat_z(struct cpu *cpu, const struct insn *insn)
{
	return set_predicates(cpu, insn, !rd_nat(cpu, insn->r3), false);
}

enum next x_tnat_nz(struct cpu *cpu, const struct insn *insn)
{
	return set_predicates(cpu, insn, rd_nat(cpu, insn->r3), false);
}

enum next x_tf_z(struct cpu *cpu, const struct insn *insn)
{
	return set_predicates(cpu, insn, !(cpu->cpuid[4] >> insn->y & 1), false);
}

enum next x_tf_nz(struct cpu *cpu, const struct insn *insn)
{
	return set_predicates(cpu, insn, cpu->cpuid[4] >> insn->y & 1, false);
}
