// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec-f.c: instructions of the F unit. Floating-point exceptions set their flags; an exception
 * whose trap ar.fpsr enables stops the machine. Cases that a processor leaves to software
 * assistance are computed here.
 */
#include <math.h>

#include "exec.h"
#include "fp.h"

/* ar.fpsr: status field n has seven bits of controls, and six flags above them. */
#define FIELD_SHIFT(n)		(6 + 13 * (n))
#define CONTROL_BITS		0x7f
#define FLAG_SHIFT		7
#define FLAG_BITS		0x3f
#define CONTROL_FTZ		(1 << 0)
#define CONTROL_WIDE		(1 << 1)	/* exponents use all bits of a register */
#define CONTROL_PRECISION(v)	((v) >> 2 & 3)
#define CONTROL_ROUND(v)	((v) >> 4 & 3)
#define CONTROL_NO_TRAPS	(1 << 6)

#define SINGLE_RANGE		127
#define DOUBLE_RANGE		1023
#define EXTENDED_RANGE		16383

#define HIGH(v)			((uint64_t)(v) >> 32)
#define LOW(v)			((uint64_t)(v) & 0xffffffff)
#define PAIR(high, low)		((uint64_t)(high) << 32 | LOW(low))
#define SIGN32			0x80000000ULL

static unsigned int status_field(const struct cpu *cpu, unsigned int n)
{
	return cpu->fpsr >> FIELD_SHIFT(n);
}

static void raise_flags(struct cpu *cpu, const struct insn *insn, unsigned int flags)
{
	if (flags & ~cpu->fpsr && !(status_field(cpu, insn->x) & CONTROL_NO_TRAPS))
		cannot_go_on(cpu, insn, " has a floating-point exception that is enabled");
	cpu->fpsr |= (uint64_t)flags << FLAG_SHIFT << FIELD_SHIFT(insn->x);
}

/*
 * @bits: the instruction's precision, or 0 for that of the status field
 * @range: the instruction's exponent range; with @wide, the field's wre bit widens it
 */
static struct fp_mode mode_of(const struct cpu *cpu, const struct insn *insn, unsigned int bits,
			      int32_t range, bool wide)
{
	static const uint8_t precision[4] = { 24, 64, 53, 64 };
	unsigned int field = status_field(cpu, insn->x);
	struct fp_mode mode = {
		.bits = bits ? bits : precision[CONTROL_PRECISION(field)],
		.round = CONTROL_ROUND(field),
		.flush = field & CONTROL_FTZ,
	};

	if (wide && field & CONTROL_WIDE) {
		mode.min = 1;
		mode.max = FP_EXP_MAX - 1;
	} else {
		mode.min = FP_EXP_BIAS - range + 1;
		mode.max = FP_EXP_BIAS + range;
	}
	return mode;
}

static enum next write_result(struct cpu *cpu, const struct insn *insn, struct fr value,
			      unsigned int flags)
{
	fr_write(cpu, insn->r1, value);
	raise_flags(cpu, insn, flags);
	return NEXT_SLOT;
}

/* Instructions on significands; a NaTVal operand gives a NaTVal. */
static enum next write_sig(struct cpu *cpu, const struct insn *insn, bool natval, uint64_t sig,
			   unsigned int flags)
{
	return write_result(cpu, insn, natval ? FP_NATVAL : fp_from_integer(sig),
			    natval ? 0 : flags);
}

enum next x_fma(struct cpu *cpu, const struct insn *insn)
{
	static const struct {
		unsigned int bits;
		int32_t range;
	} modes[] = { { 0, EXTENDED_RANGE }, { 24, SINGLE_RANGE }, { 53, DOUBLE_RANGE } };
	unsigned int which = insn->op - OP_FMA;
	bool subtract = which / 3 == 1, negate = which / 3 == 2;
	struct fr a = fr_read(cpu, insn->r3), b = fr_read(cpu, insn->r4);
	struct fr c = fr_read(cpu, insn->r2), result;
	struct fp_mode mode = mode_of(cpu, insn, modes[which % 3].bits, modes[which % 3].range,
				      true);

	/* With f0 as addend this is a multiplication, and the product keeps its sign. */
	if (insn->r2 == 0)
		c.sign = a.sign ^ b.sign ^ negate ^ subtract;
	result = fp_multiply_add(&mode, a, b, c, subtract, negate);
	return write_result(cpu, insn, result, mode.flags);
}

/* Each half of a register is a single-precision number. The halves of f1 are -0 and 0, not 1. */
static struct fr half_of(struct fr f, bool high)
{
	return fp_from_single(high ? HIGH(f.sig) : LOW(f.sig));
}

enum next x_fpma(struct cpu *cpu, const struct insn *insn)
{
	bool subtract = insn->op == OP_FPMS, negate = insn->op == OP_FPNMA;
	struct fr a = fr_read(cpu, insn->r3), b = fr_read(cpu, insn->r4);
	struct fr c = fr_read(cpu, insn->r2);
	bool natval = fp_is_natval(a) || fp_is_natval(b) || fp_is_natval(c);
	unsigned int i, flags = 0;
	uint32_t half[2];

	for (i = 0; i < 2; i++) {
		struct fr x = half_of(a, i), y = half_of(b, i), z = half_of(c, i);
		struct fp_mode mode = mode_of(cpu, insn, 24, SINGLE_RANGE, false);

		if (insn->r2 == 0)
			z.sign = x.sign ^ y.sign ^ negate ^ subtract;
		half[i] = fp_to_single(fp_multiply_add(&mode, x, y, z, subtract, negate));
		flags |= mode.flags;
	}
	return write_sig(cpu, insn, natval, PAIR(half[1], half[0]), flags);
}

enum next x_xma(struct cpu *cpu, const struct insn *insn)
{
	unsigned __int128 sum;
	struct fr a = fr_read(cpu, insn->r3), b = fr_read(cpu, insn->r4);
	struct fr c = fr_read(cpu, insn->r2);
	bool natval = fp_is_natval(a) || fp_is_natval(b) || fp_is_natval(c);

	if (insn->op == OP_XMA_H)
		sum = (unsigned __int128)((__int128)(int64_t)a.sig * (int64_t)b.sig) + c.sig;
	else
		sum = (unsigned __int128)a.sig * b.sig + c.sig;
	return write_sig(cpu, insn, natval, insn->op == OP_XMA_L ? sum : sum >> 64, 0);
}

enum next x_fselect(struct cpu *cpu, const struct insn *insn)
{
	struct fr a = fr_read(cpu, insn->r3), b = fr_read(cpu, insn->r4);
	struct fr mask = fr_read(cpu, insn->r2);

	return write_sig(cpu, insn, fp_is_natval(a) || fp_is_natval(b) || fp_is_natval(mask),
			 (a.sig & mask.sig) | (b.sig & ~mask.sig), 0);
}

/* Write both predicates; an unconditional comparison that is not executed clears them. */
static enum next write_predicates(struct cpu *cpu, const struct insn *insn, bool none, bool result)
{
	if (insn->r1 == insn->r4)
		illegal_operation(cpu);
	pr_write(cpu, insn->r1, !none && result);
	pr_write(cpu, insn->r4, !none && !result);
	return NEXT_SLOT;
}

enum next x_fcmp(struct cpu *cpu, const struct insn *insn)
{
	/* Results of fp_compare() that each relation accepts: bit 0 less, 1 equal, 3 unordered */
	static const uint8_t orders[] = { 2, 1, 3, 8 };
	unsigned int flags;
	struct fr a, b;
	int order;

	if (insn->always && !pr_read(cpu, insn->qp))
		return write_predicates(cpu, insn, true, false);
	a = fr_read(cpu, insn->r2);
	b = fr_read(cpu, insn->r3);
	if (fp_is_natval(a) || fp_is_natval(b))
		return write_predicates(cpu, insn, true, false);
	order = fp_compare(a, b, &flags);
	if (order == 2 && (insn->op == OP_FCMP_LT || insn->op == OP_FCMP_LE))
		flags = FP_INVALID;
	raise_flags(cpu, insn, flags);
	return write_predicates(cpu, insn, false, orders[insn->op - OP_FCMP_EQ] >> (order + 1) & 1);
}

enum next x_fclass(struct cpu *cpu, const struct insn *insn)
{
	const unsigned int signs = FP_IS_POSITIVE | FP_IS_NEGATIVE;
	unsigned int class;

	if (insn->always && !pr_read(cpu, insn->qp))
		return write_predicates(cpu, insn, true, false);
	class = fp_class(fr_read(cpu, insn->r2));
	if (class == FP_IS_NATVAL)
		return write_predicates(cpu, insn, !(insn->imm & FP_IS_NATVAL), true);
	/* Match one of the requested classes, and its sign unless it is a NaN. */
	return write_predicates(cpu, insn, false, class & insn->imm & ~signs &&
				(!(class & signs) || class & insn->imm & signs));
}

/* Approximate 1 / f for 1 <= f < 2 at the midpoint of the 1/256-wide interval that holds f. */
static uint64_t reciprocal(uint64_t sig)
{
	unsigned int i = sig >> 55 & 0xff;
	uint64_t middle = 2 * (256 + i) + 1;

	/* 2 / f - 1, rounded to a multiple of 1/1024 */
	return FP_TOP | ((2 * 1024 * 512 + middle / 2) / middle - 1024) << 53;
}

/* Compute the quotient of special operands; return false if it has to be approximated. */
static bool special_quotient(struct fr a, struct fr b, struct fr *quotient, unsigned int *flags)
{
	unsigned int x = fp_class(fp_normal(a)), y = fp_class(fp_normal(b));
	bool sign = a.sign ^ b.sign;

	if (fp_special(a, b, b, quotient, flags))
		return true;
	if ((x & y) & (FP_IS_ZERO | FP_IS_INFINITY)) {
		*quotient = FP_DEFAULT_NAN;
		*flags = FP_INVALID;
	} else if ((x & FP_IS_INFINITY) || (y & FP_IS_ZERO)) {
		*quotient = fp_make(sign, FP_EXP_MAX, FP_TOP);
		if (!(x & FP_IS_INFINITY))
			*flags = FP_DIVIDE;
	} else if ((x & FP_IS_ZERO) || (y & FP_IS_INFINITY)) {
		*quotient = fp_make(sign, 0, 0);
	} else {
		return false;
	}
	return true;
}

/* The predicate says whether @result is an approximation. */
static enum next write_approximation(struct cpu *cpu, const struct insn *insn, struct fr result,
				     unsigned int flags, bool special)
{
	write_result(cpu, insn, result, flags);
	pr_write(cpu, insn->r4, !special);
	return NEXT_SLOT;
}

enum next x_frcpa(struct cpu *cpu, const struct insn *insn)
{
	struct fr a, b, result;
	unsigned int flags;
	bool special;

	if (!pr_read(cpu, insn->qp)) {
		pr_write(cpu, insn->r4, false);
		return NEXT_SLOT;
	}
	a = fr_read(cpu, insn->r2);
	b = fr_read(cpu, insn->r3);
	special = special_quotient(a, b, &result, &flags);
	b = fp_normal(b);
	if (!special)
		result = fp_make(b.sign, FP_EXP_MAX - 2 - b.exp, reciprocal(b.sig));
	return write_approximation(cpu, insn, result, flags, special);
}

enum next x_frsqrta(struct cpu *cpu, const struct insn *insn)
{
	struct fr f, result;
	unsigned int flags;
	bool special = true;

	if (!pr_read(cpu, insn->qp)) {
		pr_write(cpu, insn->r4, false);
		return NEXT_SLOT;
	}
	f = fr_read(cpu, insn->r3);
	if (fp_special(f, f, f, &result, &flags))
		return write_approximation(cpu, insn, result, flags, special);
	f = fp_normal(f);
	if (f.sign && f.sig) {
		flags = FP_INVALID;
		result = FP_DEFAULT_NAN;
	} else if (!f.sig || f.exp == FP_EXP_MAX) {
		result = f;
	} else {
		/*
		 * Approximate 1/sqrt at the midpoint of the 1/128-wide interval that holds
		 * the significand, which takes the factor of 2 of an odd exponent.
		 */
		double middle = ((f.sig >> 56) * 2 + 1) / 256.0 * (f.exp & 1 ? 1 : 2);
		uint64_t root = 2048 / sqrt(middle) + 0.5;

		result = fp_make(false, FP_EXP_BIAS - 1 - (((int32_t)f.exp - FP_EXP_BIAS) >> 1),
				 root << 53);
		special = false;
	}
	return write_approximation(cpu, insn, result, flags, special);
}

enum next x_fminmax(struct cpu *cpu, const struct insn *insn)
{
	struct fr a = fr_read(cpu, insn->r2), b = fr_read(cpu, insn->r3), x = a, y = b;
	bool greater = insn->op == OP_FMAX || insn->op == OP_FAMIN;
	unsigned int flags;
	int order;

	if (fp_is_natval(a) || fp_is_natval(b))
		return write_result(cpu, insn, FP_NATVAL, 0);
	if (insn->op == OP_FAMIN || insn->op == OP_FAMAX) {
		/* The lesser magnitude is the greater one of negative numbers. */
		x.sign = true;
		y.sign = true;
	}
	order = fp_compare(x, y, &flags);
	return write_result(cpu, insn, order == (greater ? 1 : -1) ? a : b,
			    order == 2 ? FP_INVALID : flags);
}

enum next x_fmerge(struct cpu *cpu, const struct insn *insn)
{
	struct fr a = fr_read(cpu, insn->r2), b = fr_read(cpu, insn->r3);

	if (fp_is_natval(a) || fp_is_natval(b))
		return write_result(cpu, insn, FP_NATVAL, 0);
	if (insn->op == OP_FMERGE_SE)
		return write_result(cpu, insn, fp_make(a.sign, a.exp, b.sig), 0);
	b.sign = a.sign ^ (insn->op == OP_FMERGE_NS);
	return write_result(cpu, insn, b, 0);
}

/* Operations on the significands of two registers, or on their halves */
#define SIGNIFICANDS(name, expression)								\
enum next x_##name(struct cpu *cpu, const struct insn *insn)					\
{												\
	struct fr first = fr_read(cpu, insn->r2), second = fr_read(cpu, insn->r3);		\
	uint64_t a = first.sig, b = second.sig;							\
												\
	return write_sig(cpu, insn, fp_is_natval(first) || fp_is_natval(second), expression, 0); \
}

#define MERGE(mask, a, b)	(((a) & (mask)) | ((b) & ~(mask)))
#define SIGNS			PAIR(SIGN32, SIGN32)

SIGNIFICANDS(fpmerge_s, MERGE(SIGNS, a, b))
SIGNIFICANDS(fpmerge_ns, MERGE(SIGNS, ~a, b))
SIGNIFICANDS(fpmerge_se, MERGE(PAIR(0xff800000, 0xff800000), a, b))
SIGNIFICANDS(fmix_lr, PAIR(HIGH(a), LOW(b)))
SIGNIFICANDS(fmix_r, PAIR(LOW(a), LOW(b)))
SIGNIFICANDS(fmix_l, PAIR(HIGH(a), HIGH(b)))
SIGNIFICANDS(fsxt_r, PAIR(a & SIGN32 ? ~0U : 0, LOW(b)))
SIGNIFICANDS(fsxt_l, PAIR(a >> 63 ? ~0U : 0, HIGH(b)))
SIGNIFICANDS(fswap, PAIR(LOW(b), HIGH(a)))
SIGNIFICANDS(fswap_nl, PAIR(LOW(b) ^ SIGN32, HIGH(a)))
SIGNIFICANDS(fswap_nr, PAIR(LOW(b), HIGH(a) ^ SIGN32))
SIGNIFICANDS(fand, a & b)
SIGNIFICANDS(fandcm, a & ~b)
SIGNIFICANDS(for, a | b)
SIGNIFICANDS(fxor, a ^ b)

enum next x_fpack(struct cpu *cpu, const struct insn *insn)
{
	struct fr a = fr_read(cpu, insn->r2), b = fr_read(cpu, insn->r3);

	return write_sig(cpu, insn, fp_is_natval(a) || fp_is_natval(b),
			 PAIR(fp_to_single(a), fp_to_single(b)), 0);
}

enum next x_fcvt_fx(struct cpu *cpu, const struct insn *insn)
{
	struct fr f = fr_read(cpu, insn->r2);
	struct fp_mode mode = mode_of(cpu, insn, 64, EXTENDED_RANGE, false);
	uint64_t value;

	if (insn->op == OP_FCVT_FX_TRUNC || insn->op == OP_FCVT_FXU_TRUNC)
		mode.round = FP_CHOP;
	value = fp_to_integer(&mode, f, insn->op == OP_FCVT_FXU || insn->op == OP_FCVT_FXU_TRUNC);
	return write_sig(cpu, insn, fp_is_natval(f), value, mode.flags);
}

enum next x_fcvt_xf(struct cpu *cpu, const struct insn *insn)
{
	struct fr f = fr_read(cpu, insn->r2);
	bool sign = f.sig >> 63;

	if (fp_is_natval(f))
		return write_result(cpu, insn, f, 0);
	return write_result(cpu, insn, fp_normal(fp_make(sign, FP_EXP_INTEGER,
							 sign ? -f.sig : f.sig)), 0);
}

/* Copy the controls of field 0, with some bits cleared and some set. */
enum next x_fsetc(struct cpu *cpu, const struct insn *insn)
{
	unsigned int set = insn->imm >> 7 & CONTROL_BITS, shift = FIELD_SHIFT(insn->x);
	uint64_t controls = (status_field(cpu, 0) & insn->imm & CONTROL_BITS) | set;

	if (CONTROL_PRECISION(controls) == 1 || (insn->x == 0 && controls & CONTROL_NO_TRAPS))
		reserved_field(cpu);
	cpu->fpsr &= ~((uint64_t)CONTROL_BITS << shift);
	cpu->fpsr |= controls << shift;
	return NEXT_SLOT;
}

enum next x_fclrf(struct cpu *cpu, const struct insn *insn)
{
	cpu->fpsr &= ~((uint64_t)FLAG_BITS << FLAG_SHIFT << FIELD_SHIFT(insn->x));
	return NEXT_SLOT;
}

/* Branch to recovery code if a flag is set that field 0 lacks, or whose trap is enabled. */
enum next x_fchkf(struct cpu *cpu, const struct insn *insn)
{
	unsigned int flags = status_field(cpu, insn->x) >> FLAG_SHIFT & FLAG_BITS;
	unsigned int known = status_field(cpu, 0) >> FLAG_SHIFT & FLAG_BITS;
	unsigned int masked = cpu->fpsr & FLAG_BITS;

	if (!(flags & ~masked) && !(flags & ~known))
		return NEXT_SLOT;
	cpu->target = cpu->ip + insn->imm;
	return NEXT_BRANCH;
}
