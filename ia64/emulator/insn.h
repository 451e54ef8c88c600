/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * insn.h: a decoded instruction, and what decoder and execution share.
 */
#ifndef IA64_MACHINE_INSN_H
#define IA64_MACHINE_INSN_H

#include "cpu.h"

/* Results of an executed instruction */
enum next { NEXT_SLOT, NEXT_BRANCH, NEXT_BUNDLE };

typedef enum next insn_run(struct cpu *cpu, const struct insn *insn);

/**
 * struct insn - an instruction
 * @run: function that executes it
 * @code: its 41 bits, while it is decoded
 * @imm: immediate; of a branch, the distance of its target from the bundle
 * @op: operation, of enum op
 * @qp: qualifying predicate
 * @r1: first operand: a register, or the first predicate of a comparison
 * @r2, @r3: second and third
 * @r4: fourth: f4, or the second predicate
 * @x: completer: comparison's type, status field, memory hint, type of load, bits of a branch hint
 * @y: another one: position, count
 * @unit: 'M', 'I', 'F', 'B', 'X'
 * @slot: its own
 * @step: slots to the next instruction that does something, or 0
 * @always: it is executed whatever its predicate is, and looks at that itself
 * @test: the predicate that it is executed with, if it is not always
 */
struct insn {
	union {
		insn_run *run;
		uint64_t code;
	};
	uint64_t imm;
	uint16_t op;
	uint8_t qp, r1, r2, r3, r4;
	uint8_t x, y;
	char unit;
	uint8_t slot, step;
	bool always;
	uint8_t test;
};

/**
 * struct bundle - three of them. What runs a bundle comes first: it is what the host's caches hold.
 * @decoded: the rest is valid
 * @first: the first slot whose instruction does something
 * @insn: slots; of MLX the second one is a nop that is not counted
 * @code: their 41 bits each
 */
struct bundle {
	bool decoded;
	uint8_t first;
	struct insn insn[3];
	uint64_t code[3];
};

#define CODE_BUNDLES 256

/* The bundles of a page of 4 KB. */
struct code_page {
	struct bundle bundle[CODE_BUNDLES];
};

#define OP(id, name, function) OP_##id,
enum op {
#include "ops.def"
	OP_COUNT
};

#undef OP

extern insn_run * const op_runs[OP_COUNT];

/* Types of comparison, in insn.x */
enum ctype { CTYPE_NORMAL, CTYPE_UNC, CTYPE_AND, CTYPE_OR, CTYPE_OR_ANDCM };

/* Types of load, in insn.x: bits 5:2 of x6, and the hint above. */
enum load_type {
	LOAD_PLAIN = 0, LOAD_S = 1, LOAD_A = 2, LOAD_SA = 3, LOAD_BIAS = 4, LOAD_ACQ = 5,
	LOAD_FILL = 6, LOAD_C_CLR = 8,
	LOAD_C_NC = 9, LOAD_C_CLR_ACQ = 10
};

/* Updates of a memory instruction's address register, in insn.y */
enum update { UPDATE_NONE, UPDATE_REGISTER, UPDATE_IMMEDIATE };

#define BITS(value, high, low) ((value) >> (low) & ((2ULL << ((high) - (low))) - 1))

static inline uint64_t sign_extend(uint64_t value, unsigned int bits)
{
	return (uint64_t)((int64_t)(value << (64 - bits)) >> (64 - bits));
}

/* The immediate of break, nop and hint, and which of the last two it is */
static inline void decode_nop(struct insn *insn)
{
	insn->imm = BITS(insn->code, 36, 36) << 20 | BITS(insn->code, 25, 6);
	if (insn->op == OP_NOP && BITS(insn->code, 26, 26))
		insn->op = OP_HINT;
}

void decode_bundle(uint64_t low, uint64_t high, struct bundle *bundle);
void decode_a(struct insn *insn);
void decode_i(struct insn *insn);
void decode_m(struct insn *insn);
void decode_f(struct insn *insn);
void decode_b(struct insn *insn);
void decode_x(struct insn *insn, uint64_t l);

#endif
