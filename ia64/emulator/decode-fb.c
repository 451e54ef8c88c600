// SPDX-License-Identifier: GPL-2.0-only
/*
 * decode-fb.c: instructions of the F unit and of the B unit (formats F1 to F16, B1 to B9).
 */
#include "insn.h"

/* Major opcodes 0 and 1: F6 to F16 */
static void decode_misc(struct insn *insn, bool parallel)
{
	static const uint16_t scalar[64] = {
		[0x00] = OP_BREAK, OP_NOP, [0x04] = OP_FSETC, OP_FCLRF, [0x08] = OP_FCHKF,
		[0x10] = OP_FMERGE_S, OP_FMERGE_NS, OP_FMERGE_SE,
		[0x14] = OP_FMIN, OP_FMAX, OP_FAMIN, OP_FAMAX, OP_FCVT_FX, OP_FCVT_FXU,
		OP_FCVT_FX_TRUNC, OP_FCVT_FXU_TRUNC, OP_FCVT_XF,
		[0x28] = OP_FPACK, [0x2c] = OP_FAND, OP_FANDCM, OP_FOR, OP_FXOR,
		[0x34] = OP_FSWAP, OP_FSWAP_NL, OP_FSWAP_NR,
		[0x39] = OP_FMIX_LR, OP_FMIX_R, OP_FMIX_L, OP_FSXT_R, OP_FSXT_L,
	};
	static const uint16_t pair[64] = {
		[0x10] = OP_FPMERGE_S, OP_FPMERGE_NS, OP_FPMERGE_SE,
		[0x14 ... 0x1b] = OP_MISSING, [0x30 ... 0x37] = OP_MISSING,
	};
	uint64_t code = insn->code;
	bool q = BITS(code, 36, 36);

	insn->x = BITS(code, 35, 34);
	if (BITS(code, 33, 33)) {
		insn->r4 = BITS(code, 32, 27);
		insn->op = parallel ? OP_MISSING : q ? OP_FRSQRTA : OP_FRCPA;
		return;
	}
	insn->op = parallel ? pair[BITS(code, 32, 27)] : scalar[BITS(code, 32, 27)];
	switch (insn->op) {
	case OP_BREAK:
	case OP_NOP:
		decode_nop(insn);
		break;
	case OP_FCHKF:
		insn->imm = sign_extend((uint64_t)q << 20 | BITS(code, 25, 6), 21) << 4;
		break;
	case OP_FSETC:
		insn->imm = BITS(code, 19, 13) | BITS(code, 26, 20) << 7;
		break;
	}
}

void decode_f(struct insn *insn)
{
	static const uint16_t arithmetic[6][2] = {
		{ OP_FMA, OP_FMA_S }, { OP_FMA_D, OP_FPMA }, { OP_FMS, OP_FMS_S },
		{ OP_FMS_D, OP_FPMS }, { OP_FNMA, OP_FNMA_S }, { OP_FNMA_D, OP_FPNMA }
	};
	static const uint16_t compare[4] = { OP_FCMP_EQ, OP_FCMP_LT, OP_FCMP_LE, OP_FCMP_UNORD };
	static const uint16_t xma[4] = { OP_XMA_L, OP_ILLEGAL, OP_XMA_HU, OP_XMA_H };
	uint64_t code = insn->code;
	unsigned int major = BITS(code, 40, 37);
	bool x = BITS(code, 36, 36);

	insn->x = BITS(code, 35, 34);
	switch (major) {
	case 0x0:
	case 0x1:
		decode_misc(insn, major);
		break;
	case 0x4:
	case 0x5:
		insn->op = major == 4 ? compare[2 * BITS(code, 33, 33) + x] : OP_FCLASS;
		insn->y = BITS(code, 12, 12);
		insn->imm = major == 4 ? 0 : insn->r3 << 2 | BITS(code, 34, 33);
		insn->r1 = BITS(code, 11, 6);
		insn->r4 = BITS(code, 32, 27);
		break;
	case 0x8 ... 0xd:
		insn->op = arithmetic[major - 8][x];
		insn->r4 = BITS(code, 33, 27);
		break;
	case 0xe:
		insn->r4 = BITS(code, 33, 27);
		insn->op = x ? xma[insn->x] : OP_FSELECT;
		break;
	}
}

static void decode_indirect(struct insn *insn)
{
	static const uint16_t x6[64] = {
		[0x00] = OP_BREAK, [0x02] = OP_COVER, [0x04] = OP_CLRRRB, OP_CLRRRB_PR,
		[0x08] = OP_RFI, [0x0c] = OP_BSW0, OP_BSW1, [0x10] = OP_EPC,
		[0x18] = OP_MISSING, OP_MISSING, [0x20] = OP_BR_INDIRECT, OP_BR_RET,
	};
	uint64_t code = insn->code;
	unsigned int btype = BITS(code, 8, 6);

	insn->op = x6[BITS(code, 32, 27)];
	switch (insn->op) {
	case OP_COVER ... OP_CLRRRB_PR:
	case OP_RFI ... OP_EPC:
		insn->qp = 0;		/* they have none */
		break;
	case OP_BR_INDIRECT:
		if (btype == 1)
			insn->op = OP_MISSING;
		else if (btype)
			insn->op = OP_ILLEGAL;
		break;
	case OP_BR_RET:
		if (btype != 4)
			insn->op = OP_ILLEGAL;
		break;
	}
}

void decode_b(struct insn *insn)
{
	static const uint16_t relative[8] = {
		OP_BR, OP_ILLEGAL, OP_BR_WEXIT, OP_BR_WTOP, OP_ILLEGAL, OP_BR_CLOOP, OP_BR_CEXIT,
		OP_BR_CTOP
	};
	uint64_t code = insn->code;

	insn->imm = sign_extend(BITS(code, 36, 36) << 20 | BITS(code, 32, 13), 21) << 4;
	insn->r1 = BITS(code, 8, 6);
	insn->r2 = BITS(code, 15, 13);
	switch (BITS(code, 40, 37)) {
	case 0:
		decode_indirect(insn);
		break;
	case 1:
		insn->op = OP_BR_CALL_INDIRECT;
		break;
	case 2:
		if (BITS(code, 32, 28) == 0)
			insn->op = BITS(code, 27, 27) ? OP_HINT : OP_NOP;
		else if (BITS(code, 32, 28) == 8)
			insn->op = OP_BRP_INDIRECT;
		break;
	case 4:
		insn->op = relative[insn->r1];
		/* Counted loops have no predicate. */
		if (insn->r1 >= 5 && insn->qp)
			insn->op = OP_ILLEGAL;
		break;
	case 5:
		insn->op = OP_BR_CALL;
		break;
	case 7:
		insn->op = OP_BRP;
		break;
	}
}
