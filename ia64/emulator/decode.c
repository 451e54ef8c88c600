// SPDX-License-Identifier: GPL-2.0-only
/*
 * decode.c: decoding of bundles, and of instructions that both an M unit and an I unit execute
 * (formats A1 to A10)
 */
#include "insn.h"

/* Units of the slots of each template; an empty one is reserved. */
static const char *const templates[32] = {
	"MII", "MII", "MII", "MII", "MLX", "MLX", "", "", "MMI", "MMI", "MMI", "MMI", "MFI", "MFI",
	"MMF", "MMF", "MIB", "MIB", "MBB", "MBB", "", "", "BBB", "BBB", "MMB", "MMB", "", "", "MFB",
	"MFB", "", ""
};

static void decode_slot(struct insn *insn, char unit, uint64_t code)
{
	*insn = (struct insn){
		.code = code, .unit = unit, .op = OP_ILLEGAL, .qp = BITS(code, 5, 0),
		.r1 = BITS(code, 12, 6), .r2 = BITS(code, 19, 13), .r3 = BITS(code, 26, 20),
	};
}

/* Unconditional comparisons clear their target predicates if the qualifying one is false. */
static bool runs_always(const struct insn *insn)
{
	switch (insn->op) {
	case OP_CMP_LT ... OP_TNAT_NZ:
		return insn->x == CTYPE_UNC;
	case OP_FCMP_EQ ... OP_FCLASS:
		return insn->y;
	case OP_FRCPA ... OP_FRSQRTA:
	case OP_BR_WEXIT:
	case OP_BR_WTOP:
		return true;
	}
	return false;
}

void decode_bundle(uint64_t low, uint64_t high, struct bundle *bundle)
{
	const char *units = templates[BITS(low, 4, 0)];
	uint64_t code[3] = {
		BITS(low, 45, 5),
		low >> 46 | BITS(high, 22, 0) << 18,
		BITS(high, 63, 23)
	};
	unsigned int i, next = 0;

	bundle->decoded = true;
	for (i = 0; i < 3; i++) {
		struct insn *insn = &bundle->insn[i];

		decode_slot(insn, *units ? units[i] : '?', code[i]);
		switch (insn->unit) {
		case 'M':
		case 'I':
			if (BITS(code[i], 40, 37) >= 8)
				decode_a(insn);
			else if (insn->unit == 'M')
				decode_m(insn);
			else
				decode_i(insn);
			break;
		case 'F':
			decode_f(insn);
			break;
		case 'B':
			decode_b(insn);
			break;
		case 'L':
			insn->op = OP_L;
			break;
		case 'X':
			decode_x(insn, code[1]);
			break;
		}
		bundle->code[i] = code[i];
		insn->run = op_runs[insn->op];
		insn->always = runs_always(insn);
	}
	/* A third of all slots do nothing: they are skipped, but for one if all are such. */
	for (i = 3; i-- > 0;) {
		struct insn *insn = &bundle->insn[i];

		insn->slot = i;
		insn->test = insn->always ? 0 : insn->qp;
		insn->step = next ? next - i : 0;
		if (insn->op != OP_NOP && insn->op != OP_L) {
			next = i;
			bundle->first = i;
		}
	}
}

/* A1 to A4, and multimedia arithmetic: A9 and A10. */
static void decode_alu(struct insn *insn)
{
	static const uint16_t a1[16][4] = {
		[0x0] = { OP_ADD, OP_ADD1 },
		[0x1] = { OP_SUB1, OP_SUB },
		[0x2] = { OP_ADDP4 },
		[0x3] = { OP_AND, OP_ANDCM, OP_OR, OP_XOR },
		[0x4] = { [0 ... 3] = OP_SHLADD },
		[0x6] = { [0 ... 3] = OP_SHLADDP4 },
		[0x9] = { 0, OP_SUB_IMM },
		[0xb] = { OP_AND_IMM, OP_ANDCM_IMM, OP_OR_IMM, OP_XOR_IMM },
	};
	/* Of each the sum of the element sizes that it supports */
	static const struct {
		uint16_t op;
		uint8_t sizes;
	} a9[16][4] = {
		[0x0] = { { OP_PADD, 7 }, { OP_PADD_SSS, 3 }, { OP_PADD_UUU, 3 },
			  { OP_PADD_UUS, 3 } },
		[0x1] = { { OP_PSUB, 7 }, { OP_PSUB_SSS, 3 }, { OP_PSUB_UUU, 3 },
			  { OP_PSUB_UUS, 3 } },
		[0x2] = { { 0 }, { 0 }, { OP_PAVG, 3 }, { OP_PAVG_RAZ, 3 } },
		[0x3] = { { 0 }, { 0 }, { OP_PAVGSUB, 3 } },
		[0x4] = { [0 ... 3] = { OP_PSHLADD2, 2 } },
		[0x6] = { [0 ... 3] = { OP_PSHRADD2, 2 } },
		[0x9] = { { OP_PCMP_EQ, 7 }, { OP_PCMP_GT, 7 } },
	};
	uint64_t code = insn->code;
	unsigned int x4 = BITS(code, 32, 29);
	unsigned int x2b = BITS(code, 28, 27);
	bool ve = BITS(code, 33, 33);
	bool s = BITS(code, 36, 36);

	switch (BITS(code, 35, 34)) {
	case 0:
		if (ve)
			return;
		insn->op = a1[x4][x2b];
		if (x4 >= 8)
			insn->imm = sign_extend((uint64_t)s << 7 | insn->r2, 8);
		else
			insn->y = x2b + 1;
		break;
	case 1:
		insn->x = 1 << (ve + 2 * s);	/* element size in bytes */
		if (a9[x4][x2b].sizes & insn->x)
			insn->op = a9[x4][x2b].op;
		insn->y = x2b + 1;
		break;
	case 2:
	case 3:
		if (ve)
			return;
		insn->imm = sign_extend((uint64_t)s << 13 | BITS(code, 32, 27) << 7 | insn->r2, 14);
		insn->op = BITS(code, 34, 34) ? OP_ADDP4_IMM : OP_ADDS;
		break;
	}
}

/* A6 to A8; tbit and similar ones are instructions of the I unit. */
static void decode_compare(struct insn *insn, unsigned int which)
{
	static const uint8_t parallel[3] = { CTYPE_AND, CTYPE_OR, CTYPE_OR_ANDCM };
	static const uint16_t normal[2][2][3] = {
		{ { OP_CMP_LT, OP_CMP_LTU, OP_CMP_EQ }, { OP_CMP4_LT, OP_CMP4_LTU, OP_CMP4_EQ } },
		{ { OP_CMP_LT_IMM, OP_CMP_LTU_IMM, OP_CMP_EQ_IMM },
		  { OP_CMP4_LT_IMM, OP_CMP4_LTU_IMM, OP_CMP4_EQ_IMM } },
	};
	static const uint16_t equal[2][2][2] = {
		{ { OP_CMP_EQ, OP_CMP_NE }, { OP_CMP4_EQ, OP_CMP4_NE } },
		{ { OP_CMP_EQ_IMM, OP_CMP_NE_IMM }, { OP_CMP4_EQ_IMM, OP_CMP4_NE_IMM } },
	};
	static const uint16_t zero[2][4] = {
		{ OP_CMP_GT0, OP_CMP_LE0, OP_CMP_GE0, OP_CMP_LT0 },
		{ OP_CMP4_GT0, OP_CMP4_LE0, OP_CMP4_GE0, OP_CMP4_LT0 },
	};
	uint64_t code = insn->code;
	bool imm = BITS(code, 35, 35);
	bool four = BITS(code, 34, 34);
	bool tb = BITS(code, 36, 36);
	bool ta = BITS(code, 33, 33);
	bool c = BITS(code, 12, 12);

	insn->r1 = BITS(code, 11, 6);
	insn->r4 = BITS(code, 32, 27);
	insn->imm = sign_extend((uint64_t)tb << 7 | insn->r2, 8);
	if (imm ? !ta : !tb && !ta) {
		insn->op = normal[imm][four][which];
		insn->x = c ? CTYPE_UNC : CTYPE_NORMAL;
		return;
	}
	insn->x = parallel[which];
	if (imm || !tb)
		insn->op = equal[imm][four][c];
	else
		insn->op = zero[four][2 * ta + c];
}

void decode_a(struct insn *insn)
{
	uint64_t code = insn->code;

	switch (BITS(code, 40, 37)) {
	case 0x8:
		decode_alu(insn);
		break;
	case 0x9:
		insn->r3 = BITS(code, 21, 20);
		insn->imm = sign_extend(BITS(code, 36, 36) << 21 | BITS(code, 26, 22) << 16 |
					BITS(code, 35, 27) << 7 | insn->r2, 22);
		insn->op = OP_ADDL;
		break;
	case 0xc:
	case 0xd:
	case 0xe:
		decode_compare(insn, BITS(code, 40, 37) - 0xc);
		break;
	}
}
