// SPDX-License-Identifier: GPL-2.0-only
/*
 * disasm.c: text of an instruction, for traces, as GNU objdump has it but for pseudo-operations
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "insn.h"

#define OP(id, name, operands, function) { name, operands },
const struct op_text op_texts[OP_COUNT] = {
#include "ops.def"
};

#undef OP

struct text {
	char *at;
	size_t left;
};

static __attribute__((format(printf, 2, 3))) void add(struct text *text, const char *format, ...)
{
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text->at, text->left, format, args);
	va_end(args);
	if (n > 0 && (size_t)n < text->left) {
		text->at += n;
		text->left -= n;
	}
}

static void named(struct text *text, const char *file, const char *name, unsigned int r)
{
	if (name)
		add(text, "%s.%s", file, name);
	else
		add(text, "%s%u", file, r);
}

static void application(struct text *text, unsigned int r)
{
	static const char *const names[128] = {
		[0] = "k0", [1] = "k1", [2] = "k2", [3] = "k3", [4] = "k4", [5] = "k5", [6] = "k6",
		[7] = "k7", [16] = "rsc", [17] = "bsp", [18] = "bspstore", [19] = "rnat",
		[21] = "fcr", [24] = "eflag", [25] = "csd", [26] = "ssd", [27] = "cflg",
		[28] = "fsr", [29] = "fir", [30] = "fdr", [32] = "ccv", [36] = "unat",
		[40] = "fpsr", [44] = "itc", [45] = "ruc", [64] = "pfs", [65] = "lc", [66] = "ec",
	};

	named(text, "ar", names[r], r);
}

static void control(struct text *text, unsigned int r)
{
	static const char *const names[128] = {
		[0] = "dcr", [1] = "itm", [2] = "iva", [8] = "pta", [16] = "ipsr", [17] = "isr",
		[19] = "iip", [20] = "ifa", [21] = "itir", [22] = "iipa", [23] = "ifs",
		[24] = "iim", [25] = "iha", [26] = "iib0", [27] = "iib1", [64] = "lid",
		[65] = "ivr", [66] = "tpr", [67] = "eoi", [68] = "irr0", [69] = "irr1",
		[70] = "irr2", [71] = "irr3", [72] = "itv", [73] = "pmv", [74] = "cmcv",
		[80] = "lrr0", [81] = "lrr1",
	};

	named(text, "cr", names[r], r);
}

static void branch_hint(struct text *text, const struct insn *insn, bool call)
{
	static const char *const whether[4] = { ".sptk", ".spnt", ".dptk", ".dpnt" };
	unsigned int which = call ? insn->x >> 5 & 3 : insn->x >> 1 & 3;

	add(text, "%s%s%s", whether[which], insn->x & 1 ? ".many" : ".few",
	    insn->x & 8 ? ".clr" : "");
}

static void memory_hint(struct text *text, const struct insn *insn)
{
	static const char *const hints[4] = { "", ".nt1", ".nt2", ".nta" };

	add(text, "%s", hints[insn->x >> 4 & 3]);
}

/* Expand a letter after % in the mnemonic. */
static void completer(struct text *text, const struct insn *insn, char what)
{
	static const char *const ctypes[] = { "", ".unc", ".and", ".or", ".or.andcm" };
	static const char *const loads[16] = {
		"", ".s", ".a", ".sa", ".bias", ".acq", ".fill", "?", ".c.clr", ".c.nc",
		".c.clr.acq", "?", "", ".rel", ".spill", "?"
	};
	static const char *const predictions[4] = { ".sptk", "", ".dptk", "?" };
	static const char *const prefetch[4] = { "", ".excl", ".fault", ".fault.excl" };

	switch (what) {
	case 'a':
		add(text, "%s", insn->y ? ".rel" : ".acq");
		memory_hint(text, insn);
		break;
	case 'b':
		branch_hint(text, insn, false);
		break;
	case 'c':
		add(text, "%s", ctypes[insn->x]);
		break;
	case 'd':
		branch_hint(text, insn, true);
		break;
	case 'e':
		add(text, "%u", insn->x);
		break;
	case 'f':
		add(text, "%s", prefetch[insn->x & 3]);
		memory_hint(text, insn);
		break;
	case 'h':
		memory_hint(text, insn);
		break;
	case 'k':
		add(text, "%s", insn->x & 8 ? ".clr" : "");
		break;
	case 'l':
		add(text, "%s", loads[insn->x & 15]);
		memory_hint(text, insn);
		break;
	case 'n':
		add(text, "%s", insn->x ? ".clr" : ".nc");
		break;
	case 'o':
		add(text, "%s", insn->y ? ".rel" : "");
		memory_hint(text, insn);
		break;
	case 'q':
		add(text, "%s", insn->y ? ".acq" : "");
		memory_hint(text, insn);
		break;
	case 'r':
		if (insn->x & 4)
			add(text, ".ret");
		if (insn->imm || insn->x & 3 || insn->x & 4)
			add(text, "%s", predictions[insn->x & 3]);
		if (insn->x & 8)
			add(text, ".imp");
		break;
	case 's':
		add(text, ".s%u", insn->x);
		break;
	case 'u':
		add(text, ".%c", insn->unit == 'X' ? 'x' : insn->unit - 'A' + 'a');
		break;
	case 'y':
		add(text, "%s", insn->y ? ".unc" : "");
		break;
	}
}

static void mux1_type(struct text *text, unsigned int type)
{
	static const char *const names[16] = {
		[0] = "@brcst", [8] = "@mix", [9] = "@shuf", [10] = "@alt", [11] = "@rev"
	};

	add(text, "%s", names[type] ?: "?");
}

static void operand(struct text *text, const struct insn *insn, uint64_t ip, char what)
{
	static const char letters[] = "abcABCDpquv", files[] = "rrrffffppbb";
	const unsigned int number[] = {
		insn->r1, insn->r2, insn->r3, insn->r1, insn->r2, insn->r3, insn->r4, insn->r1,
		insn->r4, insn->r1, insn->r2,
	};
	const char *letter = strchr(letters, what);

	if (letter)
		add(text, "%c%u", files[letter - letters], number[letter - letters]);
	switch (what) {
	case 'F':
		add(text, "%u,%u,%u", insn->r2, insn->r3, insn->r4);
		break;
	case 'M':
		mux1_type(text, insn->y);
		break;
	case 'N':
		add(text, "0x%x", insn->y);
		break;
	case 'P':
		if (insn->y)
			add(text, ",%" PRIu64, insn->imm);
		break;
	case 'R':
		control(text, insn->r3);
		break;
	case 'S':
		add(text, "0x%" PRIx64 ",0x%" PRIx64, insn->imm & 127, insn->imm >> 7);
		break;
	case 'T':
		if (insn->imm && insn->x != 1)
			add(text, ",%" PRIx64, ip + insn->imm);
		break;
	case 'X':
	case 'x':
		add(text, "0x%" PRIx64, insn->imm);
		break;
	case 'i':
		add(text, "%" PRId64, (int64_t)insn->imm);
		break;
	case 'l':
		add(text, "%u", insn->x);
		break;
	case 'm':
		add(text, "[r%u]", insn->r3);
		break;
	case 'n':
		add(text, "%u", insn->y);
		break;
	case 'r':
		application(text, insn->r3);
		break;
	case 't':
		add(text, "%" PRIx64, ip + insn->imm);
		break;
	case '+':
	case '-':
		if (insn->y == UPDATE_IMMEDIATE)
			add(text, ",%" PRId64, (int64_t)insn->imm);
		else if (insn->y == UPDATE_REGISTER)
			add(text, ",r%u", insn->r2);
		break;
	}
}

/* Expand letters between words to operands. */
static void operands(struct text *text, const struct insn *insn, uint64_t ip, const char *format)
{
	static const char *const words[] = {
		"ar.pfs", "ar.csd", "ar.ccv", "ip", "psr.l", "psr.um", "psr", "pr.rot", "pr", "rr[",
		"dbr[", "ibr[", "pkr[", "pmc[", "pmd[", "cpuid[", "dtr[", "itr[", "r0,", NULL
	};

	while (*format) {
		const char *const *word;
		size_t length = 0;

		for (word = words; *word; word++)
			if (!strncmp(format, *word, strlen(*word)))
				break;
		if (*word)
			length = strlen(*word);
		if (length) {
			add(text, "%s", *word);
			format += length;
		} else if (strchr("=,[]0123456789", *format)) {
			add(text, "%c", *format++);
		} else {
			operand(text, insn, ip, *format++);
		}
	}
}

void disassemble(const struct insn *insn, uint64_t ip, char *buffer, size_t size)
{
	struct text text = { buffer, size };
	struct op_text op = op_texts[insn->op];

	*buffer = 0;
	if (insn->qp)
		add(&text, "(p%02u) ", insn->qp);
	while (*op.name) {
		if (*op.name == '%') {
			completer(&text, insn, op.name[1]);
			op.name += 2;
		} else {
			add(&text, "%c", *op.name++);
		}
	}
	if (*op.operands)
		add(&text, " ");
	operands(&text, insn, ip, op.operands);
}
