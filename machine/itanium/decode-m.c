// SPDX-License-Identifier: GPL-2.0-only
/*
 * decode-m.c: instructions of the M unit (formats M1 to M48).
 */
#include "insn.h"

/* M20 to M47, major opcode 0 */
static void decode_system0(struct insn *insn)
{
	static const uint16_t table[4][16] = {
		{ [0x0] = OP_BREAK, [0x1] = OP_NOP, [0xa] = OP_LOADRS, [0xc] = OP_FLUSHRS },
		{ [0x0] = OP_INVALA, [0x2] = OP_INVALA_E, [0x3] = OP_INVALA_EF },
		{ [0x0] = OP_FWB, [0x2] = OP_MF, [0x3] = OP_MF_A, [0x8] = OP_MOV_AR_IMM_M },
		{ [0x0] = OP_SRLZ_D, [0x1] = OP_SRLZ_I, [0x3] = OP_SYNC_I },
	};
	static const uint16_t mask[4] = { OP_SUM, OP_RUM, OP_SSM, OP_RSM };
	uint64_t code = insn->code;
	uint64_t s = BITS(code, 36, 36);
	unsigned int x4 = BITS(code, 30, 27);
	unsigned int x3 = BITS(code, 35, 33);

	if (x3 >= 4) {
		insn->imm = sign_extend(s << 20 | BITS(code, 32, 13), 21) << 4;
		insn->op = x3 >= 6 ? OP_CHK_AF : OP_CHK_A;
		insn->x = x3 & 1;
		return;
	}
	if (x3)
		return;
	if (x4 >= 4 && x4 < 8) {
		insn->imm = s << 23 | BITS(code, 32, 31) << 21 | BITS(code, 26, 6);
		insn->op = mask[x4 - 4];
		return;
	}
	insn->op = table[BITS(code, 32, 31)][x4];
	if (insn->op == OP_LOADRS || insn->op == OP_FLUSHRS)
		insn->qp = 0;
	insn->imm = s << 20 | BITS(code, 25, 6);
	if (insn->op == OP_NOP && BITS(code, 26, 26))
		insn->op = OP_HINT;
	if (insn->op == OP_MOV_AR_IMM_M)
		insn->imm = sign_extend(s << 7 | insn->r2, 8);
}

/* Major opcode 1 */
static void decode_system1(struct insn *insn)
{
	static const uint16_t x6[64] = {
		[0x00] = OP_MOV_RR, [0x01] = OP_MOV_DBR, [0x02] = OP_MOV_IBR, [0x03] = OP_MOV_PKR,
		[0x04] = OP_MOV_PMC, [0x05] = OP_MOV_PMD, [0x09] = OP_PTC_L, [0x0a] = OP_PTC_G,
		[0x0b] = OP_PTC_GA, [0x0c] = OP_PTR_D,
		[0x0d] = OP_PTR_I, [0x0e] = OP_ITR_D, [0x0f] = OP_ITR_I, [0x10] = OP_MOV_FROM_RR,
		[0x11] = OP_MOV_FROM_DBR,
		[0x12] = OP_MOV_FROM_IBR, [0x13] = OP_MOV_FROM_PKR, [0x14] = OP_MOV_FROM_PMC,
		[0x15] = OP_MOV_FROM_PMD, [0x17] = OP_MOV_FROM_CPUID, [0x18] = OP_PROBE_R_IMM,
		[0x19] = OP_PROBE_W_IMM, [0x1a] = OP_THASH,
		[0x1b] = OP_TTAG, [0x1e] = OP_TPA, [0x1f] = OP_TAK, [0x21] = OP_MOV_FROM_UM,
		[0x22] = OP_MOV_FROM_AR_M,
		[0x24] = OP_MOV_FROM_CR, [0x25] = OP_MOV_FROM_PSR, [0x29] = OP_MOV_UM,
		[0x2a] = OP_MOV_AR_M,
		[0x2c] = OP_MOV_CR, [0x2d] = OP_MOV_PSR_L, [0x2e] = OP_ITC_D, [0x2f] = OP_ITC_I,
		[0x30] = OP_FC,
		[0x31] = OP_PROBE_RW_FAULT, [0x32] = OP_PROBE_R_FAULT, [0x33] = OP_PROBE_W_FAULT,
		[0x34] = OP_PTC_E, [0x38] = OP_PROBE_R, [0x39] = OP_PROBE_W,
	};
	uint64_t code = insn->code;
	uint64_t s = BITS(code, 36, 36);

	switch (BITS(code, 35, 33)) {
	case 0:
		insn->op = x6[BITS(code, 32, 27)];
		insn->imm = BITS(code, 14, 13);
		if (insn->op == OP_FC && s)
			insn->op = OP_FC_I;
		break;
	case 1:
	case 3:
		insn->imm = sign_extend(s << 20 | BITS(code, 32, 20) << 7 | insn->r1, 21) << 4;
		insn->op = BITS(code, 34, 34) ? OP_CHK_SF : OP_CHK_S;
		break;
	case 6:
		insn->r2 = BITS(code, 19, 13);	/* size of the frame */
		insn->r3 = BITS(code, 26, 20);	/* of its locals */
		insn->r4 = BITS(code, 30, 27) << 3;	/* rotating */
		insn->op = insn->qp ? OP_ILLEGAL : OP_ALLOC;
		break;
	}
}

/* Integer loads and stores */
static void decode_integer(struct insn *insn, unsigned int x6, enum update update)
{
	static const uint16_t load[4] = { OP_LD1, OP_LD2, OP_LD4, OP_LD8 };
	static const uint16_t store[4] = { OP_ST1, OP_ST2, OP_ST4, OP_ST8 };
	unsigned int type = x6 >> 2;

	insn->x |= type;
	insn->y = update;
	if (x6 >= 0x30) {
		if (update == UPDATE_REGISTER)
			return;
		insn->imm = sign_extend(BITS(insn->code, 36, 36) << 8 |
					BITS(insn->code, 27, 27) << 7 | insn->r1, 9);
		if (x6 < 0x38)
			insn->op = store[x6 & 3];
		else if (x6 == 0x3b)
			insn->op = OP_ST8_SPILL;
		return;
	}
	if (type == LOAD_FILL)
		insn->op = x6 == 0x1b ? OP_LD8_FILL : OP_ILLEGAL;
	else if (type <= LOAD_C_CLR_ACQ && type != 7)
		insn->op = load[x6 & 3];
}

static void decode_semaphore(struct insn *insn, unsigned int x6)
{
	static const uint16_t table[64] = {
		[0x00] = OP_CMPXCHG1, [0x01] = OP_CMPXCHG2, [0x02] = OP_CMPXCHG4,
		[0x03] = OP_CMPXCHG8, [0x04] = OP_CMPXCHG1, [0x05] = OP_CMPXCHG2,
		[0x06] = OP_CMPXCHG4, [0x07] = OP_CMPXCHG8, [0x08] = OP_XCHG1, [0x09] = OP_XCHG2,
		[0x0a] = OP_XCHG4, [0x0b] = OP_XCHG8, [0x12] = OP_FETCHADD4, [0x13] = OP_FETCHADD8,
		[0x16] = OP_FETCHADD4,
		[0x17] = OP_FETCHADD8, [0x1c] = OP_GETF_SIG, [0x1d] = OP_GETF_EXP,
		[0x1e] = OP_GETF_S, [0x1f] = OP_GETF_D, [0x20] = OP_CMP8XCHG16,
		[0x24] = OP_CMP8XCHG16, [0x28] = OP_LD16, [0x2c] = OP_LD16, [0x30] = OP_ST16,
		[0x34] = OP_ST16,
	};
	static const uint8_t increment[4] = { 16, 8, 4, 1 };

	insn->op = table[x6];
	insn->y = x6 >> 2 & 1;	/* release; of ld16, acquire */
	if (insn->op == OP_FETCHADD4 || insn->op == OP_FETCHADD8) {
		insn->imm = increment[insn->r2 & 3];
		if (insn->r2 & 4)
			insn->imm = -insn->imm;
	}
}

/* Floating-point loads, stores and lfetch */
static void decode_float(struct insn *insn, unsigned int x6, enum update update)
{
	static const uint16_t load[4] = { OP_LDFE, OP_LDF8, OP_LDFS, OP_LDFD };
	static const uint16_t store[4] = { OP_STFE, OP_STF8, OP_STFS, OP_STFD };
	unsigned int type = x6 >> 2;

	insn->y = update;
	if (x6 >= 0x2c && x6 < 0x30) {
		insn->x |= x6 & 3;
		insn->op = OP_LFETCH;
		return;
	}
	insn->x |= type;
	if (x6 >= 0x30) {
		if (update == UPDATE_REGISTER)
			return;
		insn->imm = sign_extend(BITS(insn->code, 36, 36) << 8 |
					BITS(insn->code, 27, 27) << 7 | insn->r1, 9);
		if (x6 < 0x34)
			insn->op = store[x6 & 3];
		else if (x6 == 0x3b)
			insn->op = OP_STF_SPILL;
		return;
	}
	if (type == LOAD_FILL)
		insn->op = x6 == 0x1b ? OP_LDF_FILL : OP_ILLEGAL;
	else if (type <= LOAD_SA || type == LOAD_C_CLR || type == LOAD_C_NC)
		insn->op = load[x6 & 3];
}

static void decode_float_pair(struct insn *insn, unsigned int x6, bool update)
{
	static const uint16_t pair[4] = { OP_ILLEGAL, OP_LDFP8, OP_LDFPS, OP_LDFPD };
	static const uint16_t set[4] = { OP_SETF_SIG, OP_SETF_EXP, OP_SETF_S, OP_SETF_D };
	unsigned int type = x6 >> 2;

	if (!update && type == 7) {
		insn->op = set[x6 & 3];
		return;
	}
	insn->x |= type;
	insn->y = update ? UPDATE_IMMEDIATE : UPDATE_NONE;
	if (type <= LOAD_SA || type == LOAD_C_CLR || type == LOAD_C_NC)
		insn->op = pair[x6 & 3];
	insn->imm = insn->op == OP_LDFPS ? 8 : 16;
}

void decode_m(struct insn *insn)
{
	uint64_t code = insn->code;
	unsigned int x6 = BITS(code, 35, 30);
	bool m = BITS(code, 36, 36);
	bool x = BITS(code, 27, 27);

	insn->x = BITS(code, 29, 28) << 4;
	insn->imm = sign_extend((uint64_t)m << 8 | (uint64_t)x << 7 | insn->r2, 9);
	switch (BITS(code, 40, 37)) {
	case 0:
		decode_system0(insn);
		break;
	case 1:
		decode_system1(insn);
		break;
	case 4:
		if (!x)
			decode_integer(insn, x6, m ? UPDATE_REGISTER : UPDATE_NONE);
		else if (!m)
			decode_semaphore(insn, x6);
		break;
	case 5:
		decode_integer(insn, x6, UPDATE_IMMEDIATE);
		break;
	case 6:
		if (!x)
			decode_float(insn, x6, m ? UPDATE_REGISTER : UPDATE_NONE);
		else
			decode_float_pair(insn, x6, m);
		break;
	case 7:
		decode_float(insn, x6, UPDATE_IMMEDIATE);
		break;
	}
}
