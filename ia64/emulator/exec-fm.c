// SPDX-License-Identifier: GPL-2.0-only
/* exec-fm.c: moves of floating-point registers from and to memory and general registers */
#include "exec.h"
#include "fp.h"

static const struct fr natval = { .exp = 0x1fffe };

static bool read_word(struct cpu *cpu, uint64_t va, unsigned int size, unsigned int type,
		      uint64_t *value)
{
	if (speculative(type))
		return load_slow(cpu, va, size, ACCESS_READ | ACCESS_SPECULATIVE, value);
	*value = load(cpu, va, size);
	return true;
}

static void check_aligned(struct cpu *cpu, uint64_t va, unsigned int size, uint64_t isr)
{
	if (va & (size - 1) && cpu->psr & PSR_AC)
		fault_address(cpu, VECTOR_UNALIGNED, isr, va);
}

/* Load the value at @va in the format of @op; returns false if the load is deferred. */
static bool read_value(struct cpu *cpu, unsigned int op, uint64_t va, unsigned int type,
		       struct fr *fr)
{
	uint64_t words[2];

	if (op == OP_LDF_FILL || (op == OP_LDFE && !speculative(type)))
		check_aligned(cpu, va, 16, ISR_R);
	if (!read_word(cpu, va, op == OP_LDFS || op == OP_LDFPS ? 4 : 8, type, words))
		return false;
	switch (op) {
	case OP_LDFS:
	case OP_LDFPS:
		*fr = fp_from_single(words[0]);
		break;
	case OP_LDFD:
	case OP_LDFPD:
		*fr = fp_from_double(words[0]);
		break;
	case OP_LDF8:
	case OP_LDFP8:
		*fr = fp_from_integer(words[0]);
		break;
	case OP_LDFE:
		if (!read_word(cpu, va + 8, 2, type, words + 1))
			return false;
		*fr = fp_from_extended(words[0], words[1]);
		break;
	case OP_LDF_FILL:
		words[1] = load(cpu, va + 8, 8);
		*fr = fp_fill(words);
		break;
	}
	return true;
}

/* Loads of one register, or of a pair */
enum next x_ldf(struct cpu *cpu, const struct insn *insn)
{
	static const uint8_t sizes[] = { 16, 8, 4, 8, 16, 8, 16, 16 };	/* LDFE to LDFP8 */
	unsigned int base = gr_index(cpu, insn->r3);
	unsigned int type = insn->x & 15;
	uint64_t va = cpu->gr[base], tag = alat_fr(cpu, insn->r1);
	bool base_nat = cpu->nat[base], nat = base_nat;
	unsigned int size = sizes[insn->op - OP_LDFE];
	struct fr first = natval, second = natval;
	bool pair = insn->op >= OP_LDFPS;

	fr_check(cpu, insn->r1);
	if (pair)
		fr_check(cpu, insn->r2);
	if (insn->y)
		target_index(cpu, insn->r3);
	if (nat && !speculative(type))
		nat_consumption(cpu, ISR_R);
	if (!alat_checked(cpu, type, tag)) {
		if (pair && !speculative(type))
			check_aligned(cpu, va, size, ISR_R);
		if (!nat && (!read_value(cpu, insn->op, va, type, &first) ||
			     (pair && !read_value(cpu, insn->op, va + size / 2, type, &second))))
			nat = true;
		alat_advance(cpu, type, tag, va, size, nat);
		fr_write(cpu, insn->r1, nat ? natval : first);
		if (pair)
			fr_write(cpu, insn->r2, nat ? natval : second);
	}
	update_base(cpu, insn, base_nat);
	return NEXT_SLOT;
}

enum next x_stf(struct cpu *cpu, const struct insn *insn)
{
	struct fr fr = fr_read(cpu, insn->r2);
	uint64_t va = rd(cpu, insn->r3);
	uint64_t words[2];
	uint16_t sign_exponent;

	if (rd_nat(cpu, insn->r3) || (insn->op != OP_STF_SPILL && fp_is_natval(fr)))
		nat_consumption(cpu, ISR_W);
	if (insn->y)
		target_index(cpu, insn->r3);
	switch (insn->op) {
	case OP_STFS:
		store(cpu, va, 4, fp_to_single(fr));
		break;
	case OP_STFD:
		store(cpu, va, 8, fp_to_double(fr));
		break;
	case OP_STF8:
		store(cpu, va, 8, fr.sig);
		break;
	case OP_STFE:
		check_aligned(cpu, va, 16, ISR_W);
		fp_to_extended(fr, words, &sign_exponent);
		store(cpu, va, 8, words[0]);
		store(cpu, va + 8, 2, sign_exponent);
		break;
	case OP_STF_SPILL:
		check_aligned(cpu, va, 16, ISR_W);
		fp_spill(fr, words);
		store(cpu, va, 8, words[0]);
		store(cpu, va + 8, 8, words[1]);
		break;
	}
	if (insn->y)
		wr(cpu, insn->r3, va + insn->imm, false);
	return NEXT_SLOT;
}

#define GETF(name, value)									\
enum next x_getf_##name(struct cpu *cpu, const struct insn *insn)				\
{												\
	struct fr fr = fr_read(cpu, insn->r2);							\
												\
	wr(cpu, insn->r1, value, fp_is_natval(fr));						\
	return NEXT_SLOT;									\
}

GETF(sig, fr.sig)
GETF(exp, fr.exp | (uint64_t)fr.sign << 17)
GETF(s, fp_to_single(fr))
GETF(d, fp_to_double(fr))

#define SETF(name, number)									\
enum next x_setf_##name(struct cpu *cpu, const struct insn *insn)				\
{												\
	uint64_t value = rd(cpu, insn->r2);							\
												\
	fr_write(cpu, insn->r1, rd_nat(cpu, insn->r2) ? natval : (number));			\
	return NEXT_SLOT;									\
}

SETF(sig, fp_from_integer(value))
SETF(exp, fp_make(value >> 17 & 1, value & 0x1ffff, 1ULL << 63))
SETF(s, fp_from_single(value))
SETF(d, fp_from_double(value))
