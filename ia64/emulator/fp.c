// SPDX-License-Identifier: GPL-2.0-only
/*
 * fp.c: floating-point arithmetic. Registers have a significand of 64 bits, the first before the
 * point, and an exponent of 17. Intermediate results have 192 bits and a sticky bit, so that they
 * are rounded once.
 */
#include "fp.h"

#define EXTENDED_BIAS	16383
#define QUIET		(1ULL << 62)
#define SIG_BITS	64

/* Register exponent for the zero exponent of the extended format */
#define EXTENDED_TINY	(FP_EXP_BIAS - EXTENDED_BIAS + 1)

/* From a format with @bits of exponent, whose bias is half their range */
static struct fr from_memory(bool sign, uint32_t exp, uint64_t fraction, unsigned int bits)
{
	uint32_t bias = (1U << (bits - 1)) - 1;

	if (exp == 2 * bias + 1)
		return fp_make(sign, FP_EXP_MAX, fraction | FP_TOP);
	if (!exp)
		return fp_make(sign, fraction ? FP_EXP_BIAS - bias + 1 : 0, fraction);
	return fp_make(sign, exp - bias + FP_EXP_BIAS, fraction | FP_TOP);
}

struct fr fp_from_single(uint32_t value)
{
	return from_memory(value >> 31, value >> 23 & 0xff, (uint64_t)(value & 0x7fffff) << 40, 8);
}

struct fr fp_from_double(uint64_t value)
{
	return from_memory(value >> 63, value >> 52 & 0x7ff, (value & 0xfffffffffffff) << 11, 11);
}

struct fr fp_from_integer(uint64_t value)
{
	return fp_make(false, FP_EXP_INTEGER, value);
}

struct fr fp_from_extended(uint64_t sig, uint16_t sign_exp)
{
	uint32_t exp = sign_exp & 0x7fff;

	if (exp)
		exp = exp == 0x7fff ? FP_EXP_MAX : exp - EXTENDED_BIAS + FP_EXP_BIAS;
	return fp_make(sign_exp >> 15, exp, sig);
}

/* A store copies bits and does not round: a value that does not fit is the program's error. */
static uint32_t memory_exponent(struct fr f, unsigned int bits)
{
	uint32_t top = 1U << (bits - 1);

	if (!(f.sig & FP_TOP))
		return 0;
	return (f.exp & (top - 1)) | (f.exp >> (FP_EXP_BITS - bits) & top);
}

uint32_t fp_to_single(struct fr f)
{
	return (uint32_t)f.sign << 31 | memory_exponent(f, 8) << 23 | (f.sig >> 40 & 0x7fffff);
}

uint64_t fp_to_double(struct fr f)
{
	return (uint64_t)f.sign << 63 | (uint64_t)memory_exponent(f, 11) << 52 |
	       (f.sig >> 11 & 0xfffffffffffff);
}

void fp_to_extended(struct fr f, uint64_t *sig, uint16_t *sign_exp)
{
	uint32_t exp = (f.exp & 0x3fff) | (f.exp >> 2 & 0x4000);

	*sig = f.sig;
	*sign_exp = f.sign << 15 | exp;
}

void fp_spill(struct fr f, uint64_t out[2])
{
	out[0] = f.sig;
	out[1] = (uint64_t)f.sign << FP_EXP_BITS | f.exp;
}

struct fr fp_fill(const uint64_t in[2])
{
	return fp_make(in[1] >> FP_EXP_BITS & 1, in[1] & FP_EXP_MAX, in[0]);
}

unsigned int fp_class(struct fr f)
{
	unsigned int class = f.sign ? FP_IS_NEGATIVE : FP_IS_POSITIVE;

	if (fp_is_natval(f))
		return FP_IS_NATVAL;
	if (f.exp == FP_EXP_MAX) {
		if (!(f.sig & FP_TOP))
			return FP_IS_UNSUPPORTED;
		if (!(f.sig << 1))
			return class | FP_IS_INFINITY;
		return f.sig & QUIET ? FP_IS_QNAN : FP_IS_SNAN;
	}
	if (!f.sig && !f.exp)
		return class | FP_IS_ZERO;
	return class | (f.exp && f.sig & FP_TOP ? FP_IS_NORMAL : FP_IS_UNNORMAL);
}

static bool is_nan(struct fr f)
{
	return fp_class(f) & (FP_IS_SNAN | FP_IS_QNAN);
}

bool fp_special(struct fr a, struct fr b, struct fr c, struct fr *result, unsigned int *flags)
{
	unsigned int class = fp_class(a) | fp_class(b) | fp_class(c);

	*flags = class & (FP_IS_UNSUPPORTED | FP_IS_SNAN) ? FP_INVALID : 0;
	if (class & FP_IS_NATVAL) {
		*flags = 0;
		*result = FP_NATVAL;
	} else if (class & FP_IS_UNSUPPORTED) {
		*result = FP_DEFAULT_NAN;
	} else if (class & (FP_IS_SNAN | FP_IS_QNAN)) {
		*result = is_nan(a) ? a : is_nan(b) ? b : c;
		result->sig |= QUIET;
	} else {
		*flags = class & FP_IS_UNNORMAL ? FP_DENORMAL : 0;
		return false;
	}
	return true;
}

/* With the exponent that a zero exponent stands for */
static int32_t exponent(struct fr f)
{
	return f.exp ? f.exp : EXTENDED_TINY;
}

struct fr fp_normal(struct fr f)
{
	unsigned int zeros;
	int32_t exp;

	if (f.exp == FP_EXP_MAX)
		return f;
	if (!f.sig)
		return fp_make(f.sign, 0, 0);
	zeros = __builtin_clzll(f.sig);
	exp = exponent(f) - zeros;
	/* Denormal: keep the significand. */
	return exp > 0 ? fp_make(f.sign, exp, f.sig << zeros) : f;
}

/*
 * An intermediate result: the fraction w, with the point after its first bit, times 2 to the
 * exponent. w[0] is the most significant word; sticky: there were ones after w[2].
 */
struct wide {
	bool sign, sticky;
	int32_t exp;
	uint64_t w[3];
};

static bool wide_zero(const struct wide *a)
{
	return !a->w[0] && !a->w[1] && !a->w[2];
}

/* With a spare bit at the top */
static struct wide widen(struct fr f)
{
	return (struct wide){
		.sign = f.sign, .exp = exponent(f) + 1, .w = { f.sig >> 1, f.sig << 63 },
	};
}

static void shift_right(struct wide *a, unsigned int n)
{
	a->exp += n;
	for (; n >= 64; n -= 64) {
		a->sticky |= a->w[2] != 0;
		a->w[2] = a->w[1];
		a->w[1] = a->w[0];
		a->w[0] = 0;
	}
	if (!n)
		return;
	a->sticky |= a->w[2] << (64 - n) != 0;
	a->w[2] = a->w[2] >> n | a->w[1] << (64 - n);
	a->w[1] = a->w[1] >> n | a->w[0] << (64 - n);
	a->w[0] >>= n;
}

static void normalize(struct wide *a)
{
	unsigned int n;

	while (!a->w[0] && (a->w[1] || a->w[2])) {
		a->w[0] = a->w[1];
		a->w[1] = a->w[2];
		a->w[2] = 0;
		a->exp -= 64;
	}
	if (!a->w[0])
		return;
	n = __builtin_clzll(a->w[0]);
	if (!n)
		return;
	a->w[0] = a->w[0] << n | a->w[1] >> (64 - n);
	a->w[1] = a->w[1] << n | a->w[2] >> (64 - n);
	a->w[2] <<= n;
	a->exp -= n;
}

/* Whether the magnitude of @a is less: what lost bits to its sticky one is far smaller. */
static bool less(const struct wide *a, const struct wide *b)
{
	unsigned int i = 0;

	while (i < 2 && a->w[i] == b->w[i])
		i++;
	return a->w[i] < b->w[i];
}

/* Both have a spare bit at the top. */
static struct wide add_wide(struct wide a, struct wide b, enum fp_round round)
{
	unsigned __int128 sum;
	struct wide r;
	bool add, carry;
	int i;

	if (wide_zero(&a) && wide_zero(&b)) {
		a.sign = a.sign == b.sign ? a.sign : round == FP_DOWN;
		return a;
	}
	if (wide_zero(&b))
		return a;
	if (wide_zero(&a))
		return b;
	if (a.exp < b.exp)
		shift_right(&a, b.exp - a.exp);
	else
		shift_right(&b, a.exp - b.exp);
	add = a.sign == b.sign;
	if (!add && less(&a, &b)) {
		r = a;
		a = b;
		b = r;
	}
	/* The bits of b after the last one cause a borrow. */
	r = a;
	r.sticky = a.sticky | b.sticky;
	carry = !add && b.sticky;
	for (i = 2; i >= 0; i--) {
		sum = a.w[i];
		sum = add ? sum + b.w[i] + carry : sum - b.w[i] - carry;
		r.w[i] = sum;
		carry = sum >> 64 & 1;
	}
	if (wide_zero(&r))
		r.sign = round == FP_DOWN;
	return r;
}

/* Round the fraction of @a; a carry out leaves zero. */
static uint64_t round_fraction(const struct fp_mode *mode, struct wide a, bool *inexact)
{
	unsigned int unused = SIG_BITS - mode->bits;
	bool half, rest, up;

	shift_right(&a, unused);
	half = a.w[1] >> 63;
	rest = a.w[1] << 1 || a.w[2] || a.sticky;
	*inexact = half || rest;
	up = mode->round == FP_NEAREST ? half && (rest || a.w[0] & 1) :
	     *inexact && mode->round == (a.sign ? FP_DOWN : FP_UP);
	return (a.w[0] + up) << unused;
}

static struct fr too_large(struct fp_mode *mode, bool sign)
{
	mode->flags |= FP_OVERFLOW | FP_INEXACT;
	if (mode->round == FP_CHOP || mode->round == (sign ? FP_UP : FP_DOWN))
		return fp_make(sign, mode->max, ~0ULL << (SIG_BITS - mode->bits));
	return fp_make(sign, FP_EXP_MAX, FP_TOP);
}

static struct fr round_wide(struct fp_mode *mode, struct wide a)
{
	bool inexact, tiny;
	uint64_t sig;

	normalize(&a);
	if (!a.w[0])
		return fp_make(a.sign, 0, 0);
	sig = round_fraction(mode, a, &inexact);
	tiny = a.exp + !sig < mode->min;
	if (tiny && mode->flush) {
		mode->flags |= FP_UNDERFLOW | FP_INEXACT;
		return fp_make(a.sign, 0, 0);
	}
	if (tiny) {
		shift_right(&a, mode->min - a.exp);
		sig = round_fraction(mode, a, &inexact);
	} else if (!sig) {
		sig = FP_TOP;
		a.exp++;
	}
	if (inexact)
		mode->flags |= FP_INEXACT | (tiny ? FP_UNDERFLOW : 0);
	if (a.exp > mode->max)
		return too_large(mode, a.sign);
	/* A denormal of the extended format has an exponent of zero. */
	if (!sig || (mode->min == EXTENDED_TINY && !(sig & FP_TOP)))
		a.exp = 0;
	return fp_make(a.sign, a.exp, sig);
}

struct fr fp_multiply_add(struct fp_mode *mode, struct fr a, struct fr b, struct fr c,
			  bool subtract, bool negate)
{
	unsigned __int128 product = (unsigned __int128)a.sig * b.sig;
	bool sign = a.sign ^ b.sign ^ negate;
	struct wide p = { .sign = sign }, q = widen(c);
	struct fr result;

	q.sign ^= subtract;
	if (fp_special(b, c, a, &result, &mode->flags))
		return result;
	/* No NaN is left: the largest exponent is infinity's. */
	if (a.exp == FP_EXP_MAX || b.exp == FP_EXP_MAX) {
		if (!a.sig || !b.sig || (c.exp == FP_EXP_MAX && q.sign != sign)) {
			mode->flags = FP_INVALID;
			return FP_DEFAULT_NAN;
		}
		return fp_make(sign, FP_EXP_MAX, FP_TOP);
	}
	if (c.exp == FP_EXP_MAX)
		return fp_make(q.sign, FP_EXP_MAX, FP_TOP);
	/* The product has two bits before the point; the sum needs another one. */
	p.exp = exponent(a) + exponent(b) - FP_EXP_BIAS + 2;
	p.w[0] = product >> 65;
	p.w[1] = product >> 1;
	p.w[2] = (uint64_t)product << 63;
	return round_wide(mode, add_wide(p, q, mode->round));
}

int fp_compare(struct fr a, struct fr b, unsigned int *flags)
{
	struct wide difference;
	struct fr nan;

	if (fp_special(a, b, b, &nan, flags))
		return 2;
	/* Infinities compare as numbers with their exponent do. */
	b.sign = !b.sign;
	difference = add_wide(widen(a), widen(b), FP_NEAREST);
	return wide_zero(&difference) ? 0 : difference.sign ? -1 : 1;
}

uint64_t fp_to_integer(struct fp_mode *mode, struct fr f, bool is_unsigned)
{
	struct wide a = widen(f);
	int32_t top = FP_EXP_BIAS + 63;
	bool inexact;
	uint64_t n;

	mode->flags = fp_class(f) & FP_IS_UNNORMAL ? FP_DENORMAL : 0;
	if (f.exp != FP_EXP_MAX && !f.sig)
		return 0;
	normalize(&a);
	if (a.exp > top)
		goto invalid;
	shift_right(&a, top - a.exp);
	n = round_fraction(mode, a, &inexact);
	if (!n && a.w[0])
		goto invalid;
	if (is_unsigned ? f.sign && n : n > FP_TOP - !f.sign)
		goto invalid;
	if (inexact)
		mode->flags |= FP_INEXACT;
	return f.sign ? -n : n;
invalid:
	mode->flags = FP_INVALID;
	return FP_TOP;
}
