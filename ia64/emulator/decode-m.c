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
	decode_nop(insn);
	if (insn->op == OP_MOV_AR_IMM_M)
		insn->imm = sign_extend(s << 7 | insn->r2, 8);
}

/* Major opcode 1 */
static void decode_system1(struct insn *insn)
{
	static const uint16_t x6[64] = {
		[0x00] = OP_MOV_RR, OP_MOV_DBR, OP_MOV_IBR, OP_MISSING, OP_MOV_PMC, OP_MOV_PMD,
		[0x09] = OP_PTC_L, OP_PTC_G, OP_PTC_GA, OP_PTR_D, OP_PTR_I, OP_ITR_D, OP_ITR_I,
		OP_MOV_FROM_RR, OP_MOV_FROM_DBR, OP_MOV_FROM_IBR, OP_MISSING,
		OP_MOV_FROM_PMC, OP_MOV_FROM_PMD, [0x17] = OP_MOV_FROM_CPUID,
		OP_PROBE_R_IMM, OP_PROBE_W_IMM, OP_THASH, OP_MISSING, [0x1e] = OP_TPA, OP_MISSING,
		[0x21] = OP_MOV_FROM_UM, OP_MOV_FROM_AR_M, [0x24] = OP_MOV_FROM_CR, OP_MOV_FROM_PSR,
		[0x29] = OP_MOV_UM, OP_MOV_AR_M, [0x2c] = OP_MOV_CR, OP_MOV_PSR_L, OP_ITC_D,
		OP_ITC_I, OP_FC, OP_PROBE_RW_FAULT, OP_PROBE_R_FAULT, OP_PROBE_W_FAULT, OP_PTC_E,
		[0x38] = OP_PROBE_R, OP_PROBE_W,
	};
	uint64_t code = insn->code;
	uint64_t s = BITS(code, 36, 36);

	switch (BITS(code, 35, 33)) {
	case 0:
		insn->op = x6[BITS(code, 32, 27)];
		break;
	case 1:
	case 3:
		insn->imm = sign_extend(s << 20 | BITS(code, 32, 20) << 7 | insn->r1, 21) << 4;
		insn->op = BITS(code, 34, 34) ? OP_CHK_SF : OP_CHK_S;
		break;
	case 6:
		/* r2 is the size of the frame, r3 of its locals, r4 of what rotates. */
		insn->r4 = BITS(code, 30, 27) << 3;
		insn->op = insn->qp ? OP_ILLEGAL : OP_ALLOC;
		break;
	}
}

/* A bit for each type of load (bits 5:2 of x6) of a floating-point register */
#define FLOAT_LOADS	(1 << LOAD_PLAIN | 1 << LOAD_S | 1 << LOAD_A | 1 << LOAD_SA | \
			 1 << LOAD_C_CLR | 1 << LOAD_C_NC)
#define STORES		(1 << 12)
#define STORES_RELEASE	(1 << 13)

/* Loads and stores of integers (0) and of floating-point registers (1); lfetch */
static void decode_access(struct insn *insn, unsigned int x6, enum update update, bool is_float)
{
	static const struct {
		uint16_t load[4], store[4], fill, spill, types;
	} kinds[2] = {
		{ { OP_LD1, OP_LD2, OP_LD4, OP_LD8 }, { OP_ST1, OP_ST2, OP_ST4, OP_ST8 },
		  OP_LD8_FILL, OP_ST8_SPILL, FLOAT_LOADS | 1 << LOAD_BIAS | 1 << LOAD_ACQ |
					     1 << LOAD_C_CLR_ACQ | STORES | STORES_RELEASE },
		{ { OP_LDFE, OP_LDF8, OP_LDFS, OP_LDFD }, { OP_STFE, OP_STF8, OP_STFS, OP_STFD },
		  OP_LDF_FILL, OP_STF_SPILL, FLOAT_LOADS | STORES },
	};
	unsigned int type = x6 >> 2;

	insn->y = update;
	if (is_float && type == 11) {
		insn->x = x6 & 3;
		insn->op = OP_LFETCH;
		return;
	}
	insn->x = type;
	if (x6 >= 0x30) {
		if (update == UPDATE_REGISTER)
			return;
		insn->imm = sign_extend(BITS(insn->code, 36, 36) << 8 |
					BITS(insn->code, 27, 27) << 7 | insn->r1, 9);
	}
	if (x6 == 0x1b)
		insn->op = kinds[is_float].fill;
	else if (x6 == 0x3b)
		insn->op = kinds[is_float].spill;
	else if (kinds[is_float].types >> type & 1)
		insn->op = x6 >= 0x30 ? kinds[is_float].store[x6 & 3] :
					kinds[is_float].load[x6 & 3];
}

static void decode_semaphore(struct insn *insn, unsigned int x6)
{
	static const uint16_t table[64] = {
		[0x00] = OP_CMPXCHG1, OP_CMPXCHG2, OP_CMPXCHG4, OP_CMPXCHG8,
		OP_CMPXCHG1, OP_CMPXCHG2, OP_CMPXCHG4, OP_CMPXCHG8,
		OP_XCHG1, OP_XCHG2, OP_XCHG4, OP_XCHG8, [0x12] = OP_FETCHADD4, OP_FETCHADD8,
		[0x16] = OP_FETCHADD4, OP_FETCHADD8,
		[0x1c] = OP_GETF_SIG, OP_GETF_EXP, OP_GETF_S, OP_GETF_D, OP_CMP8XCHG16,
		[0x24] = OP_CMP8XCHG16, [0x28] = OP_LD16, [0x2c] = OP_LD16, [0x30] = OP_ST16,
		[0x34] = OP_ST16,
	};
	static const uint8_t increment[4] = { 16, 8, 4, 1 };

	insn->op = table[x6];
	if (insn->op == OP_FETCHADD4 || insn->op == OP_FETCHADD8) {
		insn->imm = increment[insn->r2 & 3];
		if (insn->r2 & 4)
			insn->imm = -insn->imm;
	}
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
	insn->x = type;
	insn->y = update ? UPDATE_IMMEDIATE : UPDATE_NONE;
	if (FLOAT_LOADS >> type & 1)
		insn->op = pair[x6 & 3];
	insn->imm = insn->op == OP_LDFPS ? 8 : 16;
}

void decode_m(struct insn *insn)
{
	uint64_t code = insn->code;
	unsigned int x6 = BITS(code, 35, 30);
	bool m = BITS(code, 36, 36);
	bool x = BITS(code, 27, 27);

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
			decode_access(insn, x6, m ? UPDATE_REGISTER : UPDATE_NONE, false);
		else if (!m)
			decode_semaphore(insn, x6);
		break;
	case 5:
		decode_access(insn, x6, UPDATE_IMMEDIATE, false);
		break;
	case 6:
		if (!x)
			decode_access(insn, x6, m ? UPDATE_REGISTER : UPDATE_NONE, true);
		else
			decode_float_pair(insn, x6, m);
		break;
	case 7:
		decode_access(insn, x6, UPDATE_IMMEDIATE, true);
		break;
	}
}
