// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec-p.c: parallel arithmetic: elements of 1, 2 or 4 bytes of two general registers.
 */
#include "exec.h"

static int64_t element(uint64_t value, unsigned int size, unsigned int i, bool is_signed)
{
	uint64_t e = value >> (8 * size * i) & (~0ULL >> (64 - 8 * size));

	return is_signed ? (int64_t)sign_extend(e, 8 * size) : (int64_t)e;
}

static uint64_t place(int64_t value, unsigned int size, unsigned int i)
{
	return ((uint64_t)value & ~0ULL >> (64 - 8 * size)) << (8 * size * i);
}

static int64_t saturate(int64_t value, unsigned int size, bool is_signed)
{
	int64_t highest = is_signed ? (1LL << (8 * size - 1)) - 1 : (1LL << (8 * size)) - 1;
	int64_t lowest = is_signed ? -(1LL << (8 * size - 1)) : 0;

	return value > highest ? highest : value < lowest ? lowest : value;
}

static enum next result(struct cpu *cpu, const struct insn *insn, uint64_t value)
{
	wr(cpu, insn->r1, value, rd_nat(cpu, insn->r2) || rd_nat(cpu, insn->r3));
	return NEXT_SLOT;
}

static enum next result1(struct cpu *cpu, const struct insn *insn, unsigned int source,
			 uint64_t value)
{
	wr(cpu, insn->r1, value, rd_nat(cpu, source));
	return NEXT_SLOT;
}

/* An operation on elements @x and @y of two registers */
#define EACH(name, size, is_signed, expression)						\
enum next x_##name(struct cpu *cpu, const struct insn *insn)				\
{											\
	uint64_t a = rd(cpu, insn->r2);							\
	uint64_t b = rd(cpu, insn->r3);							\
	uint64_t value = 0;								\
	unsigned int i;									\
											\
	for (i = 0; i < 8u / (size); i++) {						\
		int64_t x = element(a, size, i, is_signed);				\
		int64_t y = element(b, size, i, is_signed);				\
											\
		value |= place(expression, size, i);					\
	}										\
	return result(cpu, insn, value);						\
}

/* padd and psub, of unsigned elements */
static int64_t add(const struct insn *insn, int64_t x, int64_t y)
{
	bool signed_x = insn->op == OP_PADD_SSS || insn->op == OP_PSUB_SSS;
	int64_t sum;

	if (signed_x)
		x = sign_extend(x, 8 * insn->x);
	if (signed_x || insn->op == OP_PADD_UUS || insn->op == OP_PSUB_UUS)
		y = sign_extend(y, 8 * insn->x);
	sum = insn->op >= OP_PSUB ? x - y : x + y;
	return insn->op == OP_PADD || insn->op == OP_PSUB ? sum : saturate(sum, insn->x, signed_x);
}

/* Round away from zero, or the lowest bit is that of either. */
static int64_t average(const struct insn *insn, int64_t x, int64_t y)
{
	int64_t sum = insn->op == OP_PAVGSUB ? x - y : x + y;

	return insn->op == OP_PAVG_RAZ ? (sum + 1) >> 1 : sum >> 1 | (sum & 1);
}

EACH(padd, insn->x, false, add(insn, x, y))
EACH(pavg, insn->x, false, average(insn, x, y))
EACH(pshladd2, 2, true, saturate(saturate(x * (1 << insn->y), 2, true) + y, 2, true))
EACH(pshradd2, 2, true, saturate((x >> insn->y) + y, 2, true))
EACH(pcmp, insn->x, true, insn->op == OP_PCMP_EQ ? -(x == y) : -(x > y))
EACH(pmpyshr2, 2, insn->op == OP_PMPYSHR2, x * y >> insn->y)
EACH(pmin1_u, 1, false, x < y ? x : y)
EACH(pmax1_u, 1, false, x > y ? x : y)
EACH(pmin2, 2, true, x < y ? x : y)
EACH(pmax2, 2, true, x > y ? x : y)

enum next x_pmpy2(struct cpu *cpu, const struct insn *insn)
{
	unsigned int from = insn->op == OP_PMPY2_L;
	uint64_t a = rd(cpu, insn->r2);
	uint64_t b = rd(cpu, insn->r3);
	int64_t first = element(a, 2, from, true) * element(b, 2, from, true);
	int64_t second = element(a, 2, from + 2, true) * element(b, 2, from + 2, true);

	return result(cpu, insn, place(first, 4, 0) | place(second, 4, 1));
}

enum next x_mix(struct cpu *cpu, const struct insn *insn)
{
	uint64_t a = rd(cpu, insn->r2);
	uint64_t b = rd(cpu, insn->r3);
	unsigned int from = insn->op == OP_MIX_L;
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < 8u / insn->x; i += 2)
		value |= place(element(b, insn->x, i + from, false), insn->x, i) |
			 place(element(a, insn->x, i + from, false), insn->x, i + 1);
	return result(cpu, insn, value);
}

enum next x_pack(struct cpu *cpu, const struct insn *insn)
{
	uint64_t a = rd(cpu, insn->r2);
	uint64_t b = rd(cpu, insn->r3);
	unsigned int half = insn->x / 2;
	unsigned int count = 8 / insn->x;
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < count; i++)
		value |= place(saturate(element(a, insn->x, i, true), half,
					insn->op == OP_PACK_SSS), half, i) |
			 place(saturate(element(b, insn->x, i, true), half,
					insn->op == OP_PACK_SSS), half, i + count);
	return result(cpu, insn, value);
}

enum next x_unpack(struct cpu *cpu, const struct insn *insn)
{
	uint64_t a = rd(cpu, insn->r2);
	uint64_t b = rd(cpu, insn->r3);
	unsigned int count = 4 / insn->x;
	unsigned int from = insn->op == OP_UNPACK_H ? count : 0;
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < count; i++)
		value |= place(element(b, insn->x, i + from, false), insn->x, 2 * i) |
			 place(element(a, insn->x, i + from, false), insn->x, 2 * i + 1);
	return result(cpu, insn, value);
}

enum next x_psad1(struct cpu *cpu, const struct insn *insn)
{
	uint64_t a = rd(cpu, insn->r2);
	uint64_t b = rd(cpu, insn->r3);
	uint64_t sum = 0;
	unsigned int i;

	for (i = 0; i < 8; i++) {
		int64_t difference = element(a, 1, i, false) - element(b, 1, i, false);

		sum += difference < 0 ? -difference : difference;
	}
	return result(cpu, insn, sum);
}

/* Source of each byte of the result, lowest first */
enum next x_mux1(struct cpu *cpu, const struct insn *insn)
{
	static const uint8_t source[16][8] = {
		[8] = { 0, 4, 2, 6, 1, 5, 3, 7 },	/* mix */
		[9] = { 0, 4, 1, 5, 2, 6, 3, 7 },	/* shuf */
		[10] = { 0, 2, 4, 6, 1, 3, 5, 7 },	/* alt */
		[11] = { 7, 6, 5, 4, 3, 2, 1, 0 },	/* rev */
	};
	uint64_t a = rd(cpu, insn->r2);
	uint64_t value = 0;
	unsigned int i;

	if (insn->y && (insn->y < 8 || insn->y > 11))
		illegal_operation(cpu);
	for (i = 0; i < 8; i++)
		value |= place(element(a, 1, source[insn->y][i], false), 1, i);
	return result1(cpu, insn, insn->r2, value);
}

enum next x_mux2(struct cpu *cpu, const struct insn *insn)
{
	uint64_t a = rd(cpu, insn->r2);
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < 4; i++)
		value |= place(element(a, 2, insn->y >> (2 * i) & 3, false), 2, i);
	return result1(cpu, insn, insn->r2, value);
}

enum next x_pshift(struct cpu *cpu, const struct insn *insn)
{
	bool left = insn->op == OP_PSHL || insn->op == OP_PSHL_IMM;
	bool is_signed = insn->op == OP_PSHR || insn->op == OP_PSHR_IMM;
	bool imm = insn->op == OP_PSHL_IMM || insn->op == OP_PSHR_IMM || insn->op == OP_PSHR_U_IMM;
	unsigned int from = left ? insn->r2 : insn->r3;
	unsigned int by = left ? insn->r3 : insn->r2;
	uint64_t a = rd(cpu, from);
	uint64_t count = imm ? insn->y : rd(cpu, by);
	unsigned int bits = 8 * insn->x;
	uint64_t value = 0;
	unsigned int i;

	for (i = 0; i < 8u / insn->x; i++) {
		int64_t e = element(a, insn->x, i, is_signed);

		if (count >= bits)
			e = is_signed && e < 0 ? -1 : 0;
		else
			e = left ? e << count : e >> count;
		value |= place(e, insn->x, i);
	}
	if (imm)
		return result1(cpu, insn, from, value);
	return result(cpu, insn, value);
}

/* Index of the first zero element, from the left or from the right */
enum next x_czx(struct cpu *cpu, const struct insn *insn)
{
	bool left = insn->op == OP_CZX1_L || insn->op == OP_CZX2_L;
	unsigned int size = insn->op == OP_CZX1_L || insn->op == OP_CZX1_R ? 1 : 2;
	uint64_t a = rd(cpu, insn->r3);
	unsigned int count = 8 / size;
	unsigned int i;

	for (i = 0; i < count; i++)
		if (!element(a, size, left ? count - 1 - i : i, false))
			break;
	return result1(cpu, insn, insn->r3, i);
}
