// SPDX-License-Identifier: GPL-2.0-only
/* The monitors of the emulated Itanium: the trace buffer, of branches (ETB) or bundles (IP-EAR) */
#include "ia64-monitors.h"

static void branch(uint64_t ip, unsigned int slot, uint64_t to, uint64_t psr)
{
	if (slot)
		retire(ip, 0, 'M', 1, psr);
	if (cpu->pmu_active)
		pmu_branch(cpu, BRANCH_RELATIVE, to, true);
	retire(ip, slot, 'B', BR_RELATIVE, psr);
}

/* Three bundles in a loop: one branch each round, on the second bundle of a window */
static void test_trace(void)
{
	unsigned int i;

	reset();
	pmc(39, USER | 3 << 8 | 3 << 10 | 3 << 12);
	counter(4, EVENT(0x11) | USER | OI);
	go();
	for (i = 0; i < 20; i++) {
		bundle(CODE, PSR_USER);
		branch(CODE + 16, 2, CODE, PSR_USER);
	}
	branch(CODE + 16, 2, CODE, PSR_PP);
	counted(4, 20, "branches of a program that are captured");
	pmd(38, 0);
	go();
	pmu_branch(cpu, BRANCH_RELATIVE, 0, false);
	retire(CODE, 2, 'B', BR_RELATIVE, PSR_USER);
	stop(4);
	pmd(38, 0);
	go();
	bundle(CODE + 16, PSR_USER);
	stop(4);
	tap(!pmu_pmd_read(cpu, 38), "a branch before the freeze is not in the buffer after it");
	pmd(4, (1ULL << 47) - 2);
	go();
	pmu_branch(cpu, BRANCH_RELATIVE, 0, false);
	retire(CODE, 2, 'B', BR_RELATIVE, PSR_USER);
	cpu->psr = PSR_USER;
	cpu->ip = CODE + 32;
	pmu_branch(cpu, BRANCH_EXCEPTION, 0x9000, true);
	cpu->psr = PSR_PP;
	tap(pmu_pmc_read(cpu, 0) & 1 && !pmu_pmd_read(cpu, 4),
	    "a branch that is not taken and an exception, of a program, are counted at once");
	tap((pmu_pmd_read(cpu, 48) & ~2) == (CODE | 3 << 2 | 1) &&
	    pmu_pmd_read(cpu, 50) == (CODE + 32) + 3, "the exception is behind the branch");
}

/* Trace branches of type @brt (table 3-26; 0: all) from now on. */
static void trace(unsigned int brt)
{
	reset();
	pmc(39, USER | 3 << 8 | 3 << 10 | 3 << 12 | brt << 14);
}

/*
 * The predictor's verdict: two-bit counters for branches with a predicate or a count, the last
 * target of those that are not IP-relative
 */
static void test_prediction(void)
{
	static const struct {
		unsigned int qp;
		enum branch_kind kind;
		bool taken;
		unsigned int to;
		bool mispredicted;
	} row[] = {
		{ 6, BRANCH_RELATIVE, true, 0, true }, { 6, BRANCH_RELATIVE, true, 0, true },
		{ 6, BRANCH_RELATIVE, true, 0x40, false }, { 6, BRANCH_RELATIVE, true, 0, false },
		{ 6, BRANCH_RELATIVE, false, 0, true }, { 6, BRANCH_RELATIVE, true, 0, false },
		{ 6, BRANCH_RELATIVE, false, 0, true }, { 6, BRANCH_RELATIVE, false, 0, true },
		{ 6, BRANCH_RELATIVE, false, 0, false }, { 0, BRANCH_RELATIVE, true, 0, false },
		{ 0, BRANCH_RELATIVE, false, 0, false }, { 6, BRANCH_RELATIVE, false, 0, false },
		{ 6, BRANCH_RELATIVE, true, 0, true }, { 0, BRANCH_INDIRECT, true, 0x80, true },
		{ 0, BRANCH_INDIRECT, true, 0x80, false },
		{ 0, BRANCH_INDIRECT, false, 0xc0, true },
		{ 0, BRANCH_RETURN, true, 0x80, false }, { 0, BRANCH_RETURN, true, 0xc0, true },
		{ 0, BRANCH_RFI, true, 0xc0, true }, { 0, BRANCH_INDIRECT, true, 0xc0, false },
	};
	unsigned int i, right = 0;

	trace(0);
	for (i = 0; i < ARRAY_SIZE(row); i++) {
		uint64_t to = CODE + 0x1000 + row[i].to;

		pmd(38, 0);
		go();
		pmu_branch(cpu, row[i].kind, to, row[i].taken);
		retire(CODE, 1, 'B', row[i].qp, PSR_USER);
		bundle(CODE + 16, PSR_USER);
		stop(4);
		if (pmu_pmd_read(cpu, 38) == 2 &&
		    pmu_pmd_read(cpu, 48) == (CODE | (row[i].taken ? 1 : 3) << 2 |
					      row[i].mispredicted << 1 | 1) &&
		    (pmu_pmd_read(cpu, 39) & 0xf0f) == 2ULL * row[i].mispredicted &&
		    pmu_pmd_read(cpu, 49) == ((row[i].taken ? to : CODE + 16) | 2))
			right++;
		else
			printf("# %u: %#lx\n", i, (unsigned long)pmu_pmd_read(cpu, 48));
	}
	tap(right == i, "branches that are predicted, and not: %u of %u", right, i);
}

/* A branch whose predicate is false, as its type says it (table 3-26), and what is none */
static void test_untaken(void)
{
	static const struct {
		char unit;
		uint64_t code;
		unsigned int type;
	} row[] = {
		/* br.cond, br.call; brl.cond, brl.call, movl; br.ret, br.cond and br.call by b0 */
		{ 'B', 4ULL << 37, 1 }, { 'B', 5ULL << 37, 1 },
		{ 'X', 12ULL << 37, 1 }, { 'X', 13ULL << 37, 1 }, { 'X', 6ULL << 37, 0 },
		{ 'B', 0x21ULL << 27, 2 }, { 'B', 0x20ULL << 27, 3 }, { 'B', 1ULL << 37, 3 },
		{ 'B', 1ULL << 37 | 0x21ULL << 27, 3 },
		/* break.b, nop.b with an immediate, brp; ld8, adds, xma */
		{ 'B', 0, 0 }, { 'B', NOP_B | 0x20 << 6, 0 }, { 'B', 7ULL << 37, 0 },
		{ 'M', 4ULL << 37, 0 }, { 'I', 5ULL << 37, 0 }, { 'F', 13ULL << 37, 0 },
	};
	unsigned int i, type, right = 0;

	for (i = 0; i < ARRAY_SIZE(row); i++)
		for (type = 1; type <= 3; type++) {
			bool captured = type == row[i].type;

			trace(type);
			counter(15, EVENT(0x11) | USER);
			go();
			/* A return in the kernel, which is not captured */
			pmu_branch(cpu, BRANCH_RETURN, CODE, true);
			retire(CODE - 16, 1, 'B', 0x21ULL << 27, PSR_PP);
			executed = false;
			retire(CODE, 1, row[i].unit, row[i].code | 6, PSR_USER);
			executed = true;
			bundle(CODE + 16, PSR_USER);
			if (stop(15) == captured && pmu_pmd_read(cpu, 38) == 2U * captured &&
			    (!captured || (pmu_pmd_read(cpu, 48) == (CODE | 3 << 2 | 1) &&
					   pmu_pmd_read(cpu, 49) == ((CODE + 16) | 2))))
				right++;
			else
				printf("# %u, brt %u: %d\n", i, type, (int)pmu_pmd_read(cpu, 38));
		}
	tap(right == 3 * i, "branches that are not executed: %u of %u", right, 3 * i);
	/* A branch that is executed has told, or is a check or brp. */
	trace(0);
	go();
	retire(CODE, 2, 'B', BR_RELATIVE, PSR_USER);
	bundle(CODE + 16, PSR_USER);
	stop(4);
	tap(!pmu_pmd_read(cpu, 38), "what did not tell of a branch is none");
}

/* A bundle has one entry: that of the branch that is taken, or one for all that are not. */
static void test_branches_of_bundle(void)
{
	unsigned int i;

	trace(0);
	go();
	for (i = 0; i < 2; i++) {
		pmu_branch(cpu, BRANCH_RELATIVE, CODE, false);
		retire(CODE, 0, 'B', BR_RELATIVE, PSR_USER);
		pmu_branch(cpu, BRANCH_RELATIVE, CODE + 32, !i);
		retire(CODE, 2, 'B', BR_RELATIVE, PSR_USER);
		bundle(CODE + 32, PSR_USER);
	}
	bundle(CODE, PSR_USER);
	stop(4);
	tap(pmu_pmd_read(cpu, 38) == 4 && pmu_pmd_read(cpu, 48) == (CODE | 2 << 2 | 1) &&
	    (pmu_pmd_read(cpu, 50) & ~2) == (CODE | 3 << 2 | 1),
	    "two branches of a bundle: %d entries", (int)pmu_pmd_read(cpu, 38));
	/* One at the freeze is forgotten with it, and so is one that did not end before it. */
	pmd(38, 0);
	go();
	retire(CODE, 0, 'M', 1, PSR_USER);
	pmu_branch(cpu, BRANCH_RELATIVE, CODE, false);
	retire(CODE, 1, 'B', BR_RELATIVE, PSR_USER);
	retire(CODE, 2, 'B', NOP_B, PSR_USER);
	stop(4);
	go();
	bundle(CODE + 16, PSR_USER);
	pmu_branch(cpu, BRANCH_RELATIVE, CODE, true);
	cpu->psr = PSR_USER;
	pmu_branch(cpu, BRANCH_EXCEPTION, CODE + 64, true);
	cpu->psr = PSR_PP;
	retire(CODE + 64, 0, 'B', BR_RELATIVE, PSR_USER);
	stop(4);
	tap(pmu_pmd_read(cpu, 38) == 2 && (pmu_pmd_read(cpu, 49) & ~15ULL) == CODE + 64,
	    "a branch before a freeze, and one that faults: %d", (int)pmu_pmd_read(cpu, 38));
}

/* 3.3.10.1.3: an interrupt where a captured branch goes, and where its handler is not captured */
static void test_interrupted_branch(void)
{
	static const char *const when[] = {
		"at its target", "behind its target", "after the freeze", "without a trace",
		"behind an untaken one",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(when); i++) {
		trace(0);
		go();
		branch(CODE, 2, CODE + 64, PSR_USER);
		if (i == 1)
			retire(CODE + 64, 0, 'M', 1, PSR_USER);
		if (i == 2 || i == 3)
			stop(4);
		if (i == 4) {
			pmu_branch(cpu, BRANCH_RELATIVE, 0, false);
			retire(CODE + 64, 2, 'B', BR_RELATIVE, PSR_USER);
			retire(CODE + 80, 0, 'M', 1, PSR_USER);
		}
		if (i == 3) {
			pmc(39, 0);
			go();
		}
		pmu_branch(cpu, BRANCH_INTERRUPT, 0xa000000000003000, true);
		stop(4);
		tap(pmu_pmd_read(cpu, 38) == (i == 4 ? 4 : 2) &&
		    pmu_pmd_read(cpu, 48) == (CODE | 2 << 2 | 1) &&
		    (i != 4 || pmu_pmd_read(cpu, 51) == ((CODE + 80) | 2)) &&
		    pmu_pmd_read(cpu, 49) == (i ? (CODE + 64) | 2 : 0xa000000000003002),
		    "a branch, and %s an interrupt", when[i]);
	}
}

/* Table 3-31: cycles since the last entry, up to 63, and whether the pipeline was flushed */
static void test_ip_cycles(void)
{
	static const struct {
		/* 1: one predicted, 2: one mispredicted and one predicted, 3: an exception */
		unsigned int cycles, branch;
	} row[] = {
		{ 63, 0 }, { 16, 2 }, { 1, 0 }, { 62, 3 }, { 63, 1 }, { 64, 0 }, { 999, 2 },
		{ 5, 1 },
	};
	unsigned int i, n, right = 0;
	uint64_t entry, extension;

	reset();
	pmc(42, USER | 4ULL << 8 | 6ULL << 11);
	go();
	bundle(CODE, PSR_USER);
	for (i = 0; i < ARRAY_SIZE(row); i++) {
		if (row[i].branch == 3)
			pmu_branch(cpu, BRANCH_EXCEPTION, CODE, true);
		for (n = row[i].branch % 3; n; n--) {
			pmu_branch(cpu, BRANCH_RELATIVE, CODE, n == 2);
			retire(CODE + 16 * i, n, 'B', BR_RELATIVE | 6, PSR_USER);
		}
		cpu->cycles += row[i].cycles - 1;
		bundle(CODE + 16 + 16 * i, PSR_USER);
	}
	stop(4);
	extension = pmu_pmd_read(cpu, 39);
	for (i = 0; i < ARRAY_SIZE(row); i++) {
		unsigned int cycles = row[i].cycles > 63 ? 63 : row[i].cycles, nibble;

		n = i + 1;
		nibble = extension >> (8 * (n % 8) + (n < 8 ? 0 : 4)) & 0xf;
		entry = pmu_pmd_read(cpu, 48 + n);
		if (entry == ((uint64_t)(cycles & 0xf) << 60 | (CODE + 16 * n) >> 4) &&
		    nibble == (cycles >> 4 << 2 | (row[i].branch > 1 ? 2 : 0)))
			right++;
		else
			printf("# %u: %#lx, %#x\n", i, (unsigned long)entry, nibble);
	}
	tap(right == i, "cycles and flushes between instructions: %u of %u", right, i);
}

/* Freeze in a program's second bundle: how long the IP-EAR goes on, and what its last entry has */
static void test_ip_freeze(void)
{
	static const struct {
		uint64_t pmc42;
		unsigned int user, kernel, entries;
		uint64_t last, early;
		const char *what;
	} row[] = {
		{ USER | 4ULL << 8 | 3ULL << 11, 6, 0, 5, 4, 0, "the delay's end" },
		{ USER | 4ULL << 8, 4, 0, 3, 2, 0, "no delay" },
		{ USER | 4ULL << 8 | 255ULL << 11, 1, 3, 4, 3, 253, "another privilege level" },
		{ USER | 4ULL << 8 | 1ULL << 11, 0, 3, 3, 2, 0, "both at once" },
		{ 4ULL << 8 | 255ULL << 11, 2, 2, 0, 0, 0, "no privilege level" },
		{ USER, 2, 2, 0, 0, 0, "no IP-EAR" },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		unsigned int is;
		uint64_t last;

		reset();
		pmc(42, row[i].pmc42);
		pmc(4, COUNTER_ON | INSTRUCTIONS | USER | OI);
		pmd(4, (1ULL << 47) - 6);
		go();
		for (j = 0; j < 2 + row[i].user; j++)
			bundle(CODE + 16 * j, PSR_USER);
		for (; j < 2 + row[i].user + row[i].kernel; j++)
			bundle(CODE + 16 * j, PSR_PP & ~PSR_CPL);
		is = pmu_pmd_read(cpu, 38);
		last = is ? pmu_pmd_read(cpu, 48 + is - 1) & ~(0xfULL << 60) : 0;
		tap(is == row[i].entries &&
		    last == (!is ? 0 : row[i].early ? CODE >> 12 << 8 | row[i].early :
						      (CODE + 16 * row[i].last) >> 4),
		    "freeze of the IP-EAR, %s: %u entries, last %#lx", row[i].what, is,
		    (unsigned long)last);
	}
}

int main(void)
{
	test_trace();
	test_prediction();
	test_untaken();
	test_branches_of_bundle();
	test_interrupted_branch();
	test_ip_cycles();
	test_ip_freeze();
	return tap_done();
}
