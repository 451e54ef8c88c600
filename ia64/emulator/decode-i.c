// SPDX-License-Identifier: GPL-2.0-only
/*
 * decode-i.c: instructions of the I unit and of MLX (formats I1 to I30, X1 to X5).
 */
#include "insn.h"

/* I18 to I29, and x3 of other formats */
static void decode_misc(struct insn *insn)
{
	static const uint16_t x6[64] = {
		[0x00] = OP_BREAK, OP_NOP, [0x0a] = OP_MOV_AR_IMM_I,
		[0x10] = OP_ZXT1, OP_ZXT2, OP_ZXT4, [0x14] = OP_SXT1, OP_SXT2, OP_SXT4,
		[0x18] = OP_CZX1_L, OP_CZX2_L, [0x1c] = OP_CZX1_R, OP_CZX2_R, [0x2a] = OP_MOV_AR_I,
		[0x30] = OP_MOV_FROM_IP, OP_MOV_FROM_BR, OP_MOV_FROM_AR_I, OP_MOV_FROM_PR,
	};
	uint64_t code = insn->code;
	bool s = BITS(code, 36, 36);

	switch (BITS(code, 35, 33)) {
	case 0:
		insn->op = x6[BITS(code, 32, 27)];
		decode_nop(insn);
		if (insn->op == OP_MOV_AR_IMM_I)
			insn->imm = sign_extend((uint64_t)s << 7 | insn->r2, 8);
		else if (insn->op == OP_MOV_FROM_BR)
			insn->r2 = BITS(code, 15, 13);
		break;
	case 1:
		insn->imm = (uint64_t)s << 20 | BITS(code, 32, 20) << 7 | insn->r1;
		insn->imm = sign_extend(insn->imm, 21) << 4;
		insn->op = OP_CHK_S;
		break;
	case 2:
		insn->imm = sign_extend((uint64_t)s << 27 | BITS(code, 32, 6), 28) << 16;
		insn->op = OP_MOV_PR_ROT;
		break;
	case 3:
		insn->imm = (uint64_t)s << 15 | BITS(code, 31, 24) << 7 | insn->r1;
		insn->imm = sign_extend(insn->imm, 16) << 1;
		insn->op = OP_MOV_PR;
		break;
	case 7:
		insn->r1 = BITS(code, 8, 6);
		insn->op = BITS(code, 21, 20) == 3 ? OP_ILLEGAL : OP_MOV_BR;
		break;
	}
}

/* I10 to I17 */
static void decode_field(struct insn *insn)
{
	uint64_t code = insn->code;
	bool s = BITS(code, 36, 36);
	bool x = BITS(code, 33, 33);

	switch (BITS(code, 35, 34)) {
	case 0: {
		static const uint8_t ctype[4] = {
			CTYPE_NORMAL, CTYPE_AND, CTYPE_OR, CTYPE_OR_ANDCM
		};
		static const uint16_t test[2][2] = {
			{ OP_TBIT_Z, OP_TBIT_NZ }, { OP_TNAT_Z, OP_TNAT_NZ }
		};
		bool c = BITS(code, 12, 12);

		insn->r1 = BITS(code, 11, 6);
		insn->r4 = BITS(code, 32, 27);
		insn->y = BITS(code, 19, 14);
		insn->x = ctype[2 * x + s];
		if (insn->x == CTYPE_NORMAL && c)
			insn->x = CTYPE_UNC;
		insn->op = test[BITS(code, 13, 13)][c && insn->x != CTYPE_UNC];
		break;
	}
	case 1:
		insn->x = BITS(code, 32, 27) + 1;
		if (!x) {
			insn->y = BITS(code, 19, 14);
			insn->op = BITS(code, 13, 13) ? OP_EXTR : OP_EXTR_U;
			break;
		}
		insn->y = 63 - BITS(code, 25, 20);
		if (!BITS(code, 26, 26)) {
			insn->op = OP_DEP_Z;
			break;
		}
		insn->imm = sign_extend((uint64_t)s << 7 | insn->r2, 8);
		insn->op = OP_DEP_Z_IMM;
		break;
	case 3:
		if (!x) {
			insn->y = BITS(code, 32, 27);
			insn->op = OP_SHRP;
			break;
		}
		insn->x = BITS(code, 32, 27) + 1;
		insn->y = 63 - BITS(code, 19, 14);
		insn->imm = s ? ~0ULL : 0;
		insn->op = OP_DEP_IMM;
		break;
	}
}

/* I1 to I9 */
static void decode_multimedia(struct insn *insn)
{
	/* Indices: x2a, x2c, x2b. Of each the sum of the element sizes that it supports. */
	static const struct {
		uint16_t op;
		uint8_t sizes;
	} table[4][4][4] = {
		{ { { OP_PSHR_U, 14 }, { OP_PMPYSHR2_U, 2 }, { OP_PSHR, 14 }, { OP_PMPYSHR2, 2 } },
		  { { OP_PSHL, 14 }, { OP_PMPYSHR2_U, 2 }, { 0 }, { OP_PMPYSHR2, 2 } },
		  { { 0 }, { OP_PMPYSHR2_U, 2 }, { 0 }, { OP_PMPYSHR2, 2 } },
		  { { 0 }, { OP_PMPYSHR2_U, 2 }, { 0 }, { OP_PMPYSHR2, 2 } } },
		{ { { 0 }, { OP_PSHR_U_IMM, 6 }, { 0 }, { OP_PSHR_IMM, 6 } },
		  { { 0 } }, { { 0 }, { OP_POPCNT, 2 } } },
		{ { { OP_PACK_USS, 2 }, { OP_PMIN1_U, 1 }, { OP_PACK_SSS, 6 }, { OP_PMIN2, 2 } },
		  { { OP_UNPACK_H, 7 }, { OP_PMAX1_U, 1 }, { OP_UNPACK_L, 7 }, { OP_PMAX2, 2 } },
		  { { OP_MIX_R, 7 }, { 0 }, { OP_MIX_L, 7 }, { OP_PSAD1, 1 } },
		  { { 0 }, { OP_PMPY2_R, 2 }, { 0 }, { OP_PMPY2_L, 2 } } },
		{ { { 0 } }, { { 0 }, { OP_PSHL_IMM, 6 } }, { { 0 }, { 0 }, { OP_MUX1, 3 } } },
	};
	static const uint8_t counts[4] = { 0, 7, 15, 16 };
	uint64_t code = insn->code;
	unsigned int x2a = BITS(code, 35, 34), x2c = BITS(code, 31, 30), x2b = BITS(code, 29, 28);

	insn->x = 1 << (BITS(code, 36, 36) * 2 + BITS(code, 33, 33));
	if (BITS(code, 32, 32) || !(table[x2a][x2c][x2b].sizes & insn->x))
		return;
	insn->op = table[x2a][x2c][x2b].op;
	insn->y = x2a ? BITS(code, 18, 14) : counts[x2c];
	if (insn->x == 8) {
		insn->op = insn->op == OP_PSHR ? OP_SHR : insn->op == OP_PSHR_U ? OP_SHR_U : OP_SHL;
	} else if (insn->op == OP_PSHL_IMM) {
		insn->y = 31 - BITS(code, 24, 20);
	} else if (insn->op == OP_MUX1) {
		insn->op = insn->x == 1 ? OP_MUX1 : OP_MUX2;
		insn->y = insn->x == 1 ? BITS(code, 23, 20) : BITS(code, 27, 20);
	}
}

void decode_i(struct insn *insn)
{
	switch (BITS(insn->code, 40, 37)) {
	case 0:
		decode_misc(insn);
		break;
	case 4:
		insn->x = BITS(insn->code, 30, 27) + 1;
		insn->y = 63 - BITS(insn->code, 36, 31);
		insn->op = OP_DEP;
		break;
	case 5:
		decode_field(insn);
		break;
	case 7:
		decode_multimedia(insn);
		break;
	}
}

/* @l: the previous slot, with the upper bits of the immediate */
void decode_x(struct insn *insn, uint64_t l)
{
	uint64_t code = insn->code;
	uint64_t i = BITS(code, 36, 36);

	switch (BITS(code, 40, 37)) {
	case 0x0:
		if (BITS(code, 35, 33) || BITS(code, 32, 27) > 1)
			break;
		insn->op = BITS(code, 32, 27) ? OP_NOP : OP_BREAK;
		decode_nop(insn);
		insn->imm |= BITS(l, 40, 0) << 21;
		break;
	case 0x6:
		insn->imm = i << 63 | BITS(l, 40, 0) << 22 | BITS(code, 21, 21) << 21 |
			    BITS(code, 26, 22) << 16 | BITS(code, 35, 27) << 7 | insn->r2;
		insn->op = BITS(code, 20, 20) ? OP_ILLEGAL : OP_MOVL;
		break;
	case 0xc:
	case 0xd:
		insn->imm = (i << 59 | BITS(l, 40, 2) << 20 | BITS(code, 32, 13)) << 4;
		insn->r1 = BITS(code, 8, 6);
		insn->op = BITS(code, 37, 37) ? OP_BRL_CALL : OP_BRL;
		break;
	}
}
