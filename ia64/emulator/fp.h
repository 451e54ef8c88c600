/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * fp.h: values of floating-point registers (Itanium Architecture Software Developer's Manual,
 * volume 1, chapter 5): memory formats and arithmetic
 */
#ifndef IA64_MACHINE_FP_H
#define IA64_MACHINE_FP_H

#include "cpu.h"

#define FP_EXP_BITS	17
#define FP_EXP_MAX	0x1ffff		/* of infinities and NaNs */
#define FP_EXP_BIAS	0xffff
#define FP_EXP_NATVAL	0x1fffe
#define FP_EXP_INTEGER	0x1003e		/* of an integer in the significand */
#define FP_TOP		(1ULL << 63)	/* of a significand: the integer bit */
#define FP_NATVAL	fp_make(false, FP_EXP_NATVAL, 0)
#define FP_DEFAULT_NAN	fp_make(true, FP_EXP_MAX, 3ULL << 62)

/* Classes, as fclass has them */
#define FP_IS_POSITIVE	0x001
#define FP_IS_NEGATIVE	0x002
#define FP_IS_ZERO		0x004
#define FP_IS_UNNORMAL	0x008
#define FP_IS_NORMAL	0x010
#define FP_IS_INFINITY	0x020
#define FP_IS_SNAN		0x040
#define FP_IS_QNAN		0x080
#define FP_IS_NATVAL	0x100
#define FP_IS_UNSUPPORTED	0x200	/* none of them */

/* Flags, as a status field of ar.fpsr has them */
#define FP_INVALID	0x01
#define FP_DENORMAL	0x02
#define FP_DIVIDE	0x04
#define FP_OVERFLOW	0x08
#define FP_UNDERFLOW	0x10
#define FP_INEXACT	0x20

enum fp_round { FP_NEAREST, FP_DOWN, FP_UP, FP_CHOP };

/**
 * struct fp_mode - format and direction of rounding
 * @bits: width of the significand
 * @min: smallest exponent of a normal number, and
 * @max: largest one, both with the bias of registers
 * @round: direction
 * @flush: a result that is less than @min's is zero
 * @flags: exceptions so far, FP_INVALID to FP_INEXACT
 */
struct fp_mode {
	unsigned int bits;
	int32_t min, max;
	enum fp_round round;
	bool flush;
	unsigned int flags;
};

static inline struct fr fp_make(bool sign, uint32_t exp, uint64_t sig)
{
	return (struct fr){ .sig = sig, .exp = exp, .sign = sign };
}

static inline bool fp_is_natval(struct fr f)
{
	return f.exp == FP_EXP_NATVAL && !f.sig && !f.sign;
}

/* Memory's forms */
struct fr fp_from_single(uint32_t value);
struct fr fp_from_double(uint64_t value);
struct fr fp_from_integer(uint64_t value);
struct fr fp_from_extended(uint64_t sig, uint16_t sign_exp);
uint32_t fp_to_single(struct fr f);
uint64_t fp_to_double(struct fr f);
void fp_to_extended(struct fr f, uint64_t *sig, uint16_t *sign_exp);
/* A whole register in 16 bytes */
void fp_spill(struct fr f, uint64_t out[2]);
struct fr fp_fill(const uint64_t in[2]);

unsigned int fp_class(struct fr f);
/* Whether NaTVal, a NaN (the first) or an unsupported operand decides on @result. Sets @flags. */
bool fp_special(struct fr a, struct fr b, struct fr c, struct fr *result, unsigned int *flags);
/* @a times @b plus @c, rounded once; @subtract: minus @c; @negate: the product is negative */
struct fr fp_multiply_add(struct fp_mode *mode, struct fr a, struct fr b, struct fr c,
			  bool subtract, bool negate);
/* -1, 0, 1, or 2 if they are not ordered; sets @flags */
int fp_compare(struct fr a, struct fr b, unsigned int *flags);
/* Convert to an integer; invalid operations give the indefinite value */
uint64_t fp_to_integer(struct fp_mode *mode, struct fr f, bool is_unsigned);
/* Normalize @f: its significand begins with a one, or is zero. */
struct fr fp_normal(struct fr f);

#endif
