// SPDX-License-Identifier: GPL-2.0-only
/*
 * The monitors of the emulated Itanium: counters, their overflow, filters, event address registers,
 * several processors.
 */
#include "ia64-monitors.h"

static bool interrupted(unsigned int nr)
{
	return cpus[nr].irr[0xee >> 6] >> (0xee & 63) & 1;
}

static void load(uint64_t ip, uint64_t address, uint64_t psr)
{
	if (cpu->pmu_active)
		pmu_access(cpu, address, address, 8, true, false);
	retire(ip, 0, 'M', 4ULL << 37, psr);
}

/* The register stack engine, in a program */
static void stack(uint64_t address, uint64_t physical, bool store)
{
	uint64_t was = cpu->psr;

	cpu->psr = PSR_USER;
	pmu_stack_access(cpu, address, physical, store);
	cpu->psr = was;
}

/* 3.3.12 */
static void test_reset(void)
{
	static const uint64_t want[] = {
		NO_FILTER | 3ULL << 56, (1ULL << 41) - 1, NO_FILTER | 3ULL << 56, (1ULL << 41) - 1,
		0xfffffff0, 0, 0xdb6,
	};
	unsigned int i, wrong;

	reset();
	pmu_init(cpu, 0);
	wrong = pmu_pmc_read(cpu, 40) != 0 || pmu_pmc_read(cpu, 41) != PMC41_DEFAULT;
	for (i = 0; i < ARRAY_SIZE(want); i++)
		wrong += pmu_pmc_read(cpu, 32 + i) != want[i];
	for (i = 4; i <= 15; i++)
		wrong += (pmu_pmc_read(cpu, i) & 0x30) != 0;
	tap(!wrong, "registers after a reset: %u are wrong", wrong);
}

static void test_counting(void)
{
	unsigned int i;

	reset();
	counter(4, INSTRUCTIONS | USER);
	counter(5, INSTRUCTIONS | KERNEL | PM);
	counter(15, INSTRUCTIONS | USER | THRESHOLD(2));
	counter(8, INSTRUCTIONS | USER | THRESHOLD(3));
	sync_now();
	bundle(CODE, PSR_USER);
	go();
	for (i = 0; i < 10; i++)
		bundle(CODE + 16 * i, PSR_USER);
	for (i = 0; i < 5; i++)
		bundle(CODE + 16 * i, PSR_PP);
	bundle(CODE, PSR_USER & ~PSR_UP);
	bundle(CODE, 0);
	counted(4, 30, "instructions of a program, as psr.up is on");
	counted(5, 15, "instructions of the kernel, as psr.pp is on");
	counted(15, 10, "more than two in a cycle");
	counted(8, 0, "more than three");
	/* A cycle ends before the freeze, and its counter is programmed again. */
	go();
	bundle(CODE, PSR_USER);
	stop(8);
	counter(8, EVENT(0x50) | USER);
	go();
	bundle(CODE, 0);
	counted(8, 0, "instructions of a cycle before the freeze");
}

static void test_overflow(void)
{
	reset();
	pmc(4, COUNTER_ON | INSTRUCTIONS | USER | OI);
	pmc(5, COUNTER_ON | INSTRUCTIONS | USER);
	pmd(4, (1ULL << 47) - 7);
	pmd(5, (1ULL << 47) - 2);
	sync_now();
	tap(pmu_pmd_read(cpu, 4) == (uint64_t)-7, "a counter below its end reads as negative");
	go();
	bundle(CODE, PSR_USER);
	tap(pmu_pmc_read(cpu, 0) == 1 << 5 && !raised,
	    "without PMC.oi an overflow is in PMC0, and nothing else");
	bundle(CODE, PSR_USER);
	bundle(CODE, PSR_USER);
	tap(pmu_pmc_read(cpu, 0) == (1 << 5 | 1 << 4 | 1) && raised == 0xee && !cpu->pmu_active,
	    "with it the monitors freeze, and cr.pmv's vector is requested");
	tap(!pmu_pmd_read(cpu, 4) && pmu_pmd_read(cpu, 5) == 5,
	    "all have seen the instruction that did it, and none the next: %d and %d",
	    (int)pmu_pmd_read(cpu, 4), (int)pmu_pmd_read(cpu, 5));
}

/* Counter 5 and the data EAR are privileged, and PSR.sp makes all of them so. */
static void test_rights(void)
{
	reset();
	counter(5, INSTRUCTIONS | PM);
	counter(4, INSTRUCTIONS | USER);
	pmc(40, COUNTER_ON | PM);
	pmc(42, PM | 4ULL << 8);
	pmd(4, 4);
	pmd(34, 0x60);
	pmd(36, ~0xfULL);
	pmd(48, 5);
	sync_now();
	cpu->psr = PSR_USER;
	tap(pmu_pmd_read(cpu, 4) == 4 && !pmu_pmd_read(cpu, 5) && !pmu_pmd_read(cpu, 36) &&
	    !pmu_pmd_read(cpu, 48) && pmu_pmd_read(cpu, 34) == 0x60,
	    "a program reads what is not privileged");
	cpu->psr |= PSR_SP;
	tap(!pmu_pmd_read(cpu, 4), "and nothing with psr.sp");
}

/* The call of firmware that puts it to sleep may end in the next cycle. */
static void test_halt(void)
{
	unsigned int i;

	reset();
	counter(10, EVENT(0x18) | USER);
	counter(4, CYCLES | USER);
	cpu->next_check = 1;
	go();
	tap(!cpu->next_check, "the next bundle is watched");
	for (i = 0; i < 2; i++) {
		pmu_halt(cpu);
		bundle(CODE, PSR_USER);
		cpu->cycles += 99;
		bundle(CODE + 16, PSR_USER);
		cpu->cycles += 9;
		bundle(CODE + 32, PSR_USER);
	}
	counted(10, 2 * 99, "cycles halted");
	counted(4, 2 * 12, "and those at work");
}

static void test_freeze(void)
{
	reset();
	pmc(4, COUNTER_ON | INSTRUCTIONS | USER | THRESHOLD(2) | OI);
	counter(5, INSTRUCTIONS | USER);
	pmd(4, (1ULL << 47) - 1);
	go();
	bundle(CODE, PSR_USER);
	bundle(CODE, PSR_USER);
	counted(5, 3, "a cycle that freezes counts, and the next one does not");
}

/* Two overflows at once */
static void overflow_both(uint64_t seed)
{
	reset_to(seed, 1, 1);
	pmc(4, COUNTER_ON | INSTRUCTIONS | USER | OI);
	pmc(5, COUNTER_ON | INSTRUCTIONS | USER | OI);
	pmd(4, (1ULL << 47) - 1);
	pmd(5, (1ULL << 47) - 1);
	go();
	bundle(CODE, PSR_USER);
}

/* 3.3.11, read as a latch (seed 0) and as a level (seed 1) */
static void test_interrupt(void)
{
	overflow_both(0);
	pmd(4, 0);
	pmd(5, 0);
	sync_now();
	tap(interrupted(0), "a latched interrupt stays when its counters are written");
	overflow_both(1);
	pmd(4, 0);
	sync_now();
	tap(interrupted(0), "a level stays while one of two counters asks for it");
	pmc(5, COUNTER_ON | INSTRUCTIONS | USER);
	sync_now();
	tap(!interrupted(0), "and goes when the other one's PMC.oi is cleared");
	overflow_both(1);
	cpu->pmv = 1 << 16 | 0xee;
	memset(cpu->irr, 0, sizeof(cpu->irr));
	sync_now();
	tap(!interrupted(0), "a level is masked by cr.pmv");
	cpu->pmv = 0xee;
	sync_now();
	tap(interrupted(0), "and is there when it is no longer masked");
	go();
	tap(!!strstr(platform.pmu[0].found[0], "before its interrupt is cleared"),
	    "monitoring is not to be released before: %s", platform.pmu[0].found[0]);
}

/* Loads of a line, with one of a device between, and a bundle, which has another line of code */
static void test_misses(void)
{
	unsigned int i;

	reset();
	pmc(37, USER | 0x2800);
	counter(4, EVENT(0x43) | USER);
	counter(5, EVENT(0xc7) | USER);
	go();
	load(CODE, 0x1000, PSR_USER);
	load(CODE, 1ULL << 32, PSR_USER);
	load(CODE, 0x1008, PSR_USER);
	bundle(CODE + 64, PSR_USER);
	counted(4, 2, "misses of instructions");
	counted(5, 1, "misses of data");
	counter(6, LOADS | USER);
	go();
	for (i = 0; i < 64; i++)
		load(CODE, 0x1000, PSR_USER);
	stop(6);
	i = pmu_pmd_read(cpu, 6);
	tap(i && i < 64, "loads, but with the set of another event: %u", i);
}

/*
 * Events of single instructions: their counts in insns[], each of which is in a cycle of its own.
 * Unit S is the register stack engine, which is in no cycle and no instruction.
 */
static void test_events(void)
{
#define DEVICE	(1ULL << 32)		/* the end of memory */
#define UC	(1ULL << 63)
#define INSN(of, bits)	{ .unit = of, .code = bits }
	static const struct {
		char unit;
		uint64_t code;
		bool load, store;
		uint64_t at, physical;
		unsigned int size;
	} insns[] = {
		/* nop.m, hint.m, break.m; nop.x; nop.b, brp, br.call b0; what is no nop of F */
		INSN('M', 1 << 27), INSN('M', 3 << 26), INSN('M', 0), INSN('X', 1 << 27),
		INSN('B', NOP_B), INSN('B', NOP_B | 0x10 << 27), INSN('B', 1ULL << 37),
		INSN('F', 1ULL << 33 | 1 << 27),
		/* ld8, of which the second and the fourth are not aligned, ld4; ldfd, ldfd */
		{ 'M', 4ULL << 37, true, false, 0x1000, 0x1000, 8 },
		{ 'M', 4ULL << 37, true, false, 0x1004, 0x1004, 8 },
		{ 'M', 4ULL << 37, true, false, 0x1004, 0x1004, 4 },
		{ 'M', 5ULL << 37, true, false, 0x1001, DEVICE, 2 },
		{ 'M', 4ULL << 37, true, false, 0x1000, UC | 0x1000, 8 },
		{ 'M', 6ULL << 37, true, false, 0x1000, 0x1000, 8 },
		{ 'M', 7ULL << 37, true, false, 0x1000, 0x1000, 8 },
		INSN('I', 8ULL << 37),
		/* st8, st4 that is not aligned, st8; xchg8 */
		{ 'M', 4ULL << 37, false, true, 0x1008, 0x1008, 8 },
		{ 'M', 4ULL << 37, false, true, 0x1002, 0x1002, 4 },
		{ 'M', 4ULL << 37, false, true, 0x1000, DEVICE, 8 },
		INSN('I', 8ULL << 37),
		{ 'M', 4ULL << 37, true, true, 0x1000, 0x1000, 8 },
		INSN('I', 8ULL << 37),
		/* A fill that misses, one that hits and one of a device; a spill */
		{ 'S', 0, true, false, 0x2000, 0x2000, 8 },
		{ 'S', 0, true, false, 0x2008, 0x2008, 8 },
		{ 'S', 0, true, false, 0x2000, DEVICE, 8 },
		{ 'S', 0, false, true, 0x2010, 0x2010, 8 },
	};
	static const struct {
		unsigned int event, count;
		const char *what;
	} row[] = {
		{ 0x08, 22, "instructions" }, { 0x12, 22, "cycles" }, { 0x50, 3, "nops" },
		{ 0xc2, 5, "reads of the first level" },
		{ 0xc4, 5, "reads of the first level, set 1" },
		{ 0xc3, 15, "references" }, { 0xc5, 15, "references, set 1" },
		{ 0xc7, 2, "misses of reads" },
		{ 0x1c7, 1, "misses of fills of the register stack" },
		{ 0xcd, 11, "loads" }, { 0xce, 2, "misaligned loads" },
		{ 0xcf, 3, "uncacheable loads" }, { 0xd8, 9, "loads of integers" },
		{ 0xd1, 5, "stores" }, { 0xd2, 1, "misaligned stores" },
		{ 0xd0, 1, "uncacheable stores" }, { 0x18, 0, "cycles halted" },
		{ 0x11, 0, "branches, with nothing that captures them" },
	};
	unsigned int i, j, n;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		n = row[i].event == 0x18 ? 10 : 5;
		reset();
		counter(n, EVENT(row[i].event) | USER);
		go();
		for (j = 0; j < ARRAY_SIZE(insns); j++) {
			if (insns[j].unit == 'S') {
				stack(insns[j].at, insns[j].physical, insns[j].store);
				continue;
			}
			if (insns[j].size)
				pmu_access(cpu, insns[j].at, insns[j].physical, insns[j].size,
					   insns[j].load, insns[j].store);
			retire(CODE + 16 * j, 0, insns[j].unit, insns[j].code, PSR_USER);
		}
		counted(n, row[i].count, row[i].what);
	}
}

/*
 * Access @at, and return what the EAR captures: the latency, or for TLBs the level at which the
 * miss was resolved; 0 for no miss.
 */
static unsigned int touch(bool code, bool tlb, uint64_t at)
{
	unsigned int stat;

	/* Another miss is not captured within 7 cycles. */
	cpu->cycles += 6;
	pmd(code ? 34 : 33, 0);
	go();
	if (code)
		bundle(at, PSR_USER);
	else
		load(CODE, at, PSR_USER);
	stop(4);
	stat = code ? pmu_pmd_read(cpu, 34) & 3 : pmu_pmd_read(cpu, 33) >> 14;
	if (!stat)
		return 0;
	if (pmu_pmd_read(cpu, code ? 34 : 32) != (code ? (at & ~31ULL) | stat : at))
		return ~0U;
	return tlb ? stat : pmu_pmd_read(cpu, code ? 35 : 33) & 0xfff;
}

/* Table 2-9, and first-level TLBs of 32 pages of 4 KB: lines of one set, more and more of them */
static void test_caches(void)
{
	static const struct {
		const char *what;
		bool code, tlb;
		unsigned int set, ways, line, hit, miss, cold;
	} row[] = {
		{ "L1D", false, false, 4 << 10, 4, 64, 0, 5, 200 },
		{ "L1I", true, false, 4 << 10, 4, 64, 0, 7, 200 },
		{ "L2D", false, false, 32 << 10, 8, 128, 5, 14, 200 },
		{ "L2I", true, false, 128 << 10, 8, 128, 7, 14, 200 },
		{ "L3", false, false, 1 << 20, 12, 0, 14, 200, 200 },
		{ "DTLB", false, true, 4 << 10, 32, 4096, 0, 1, 1 },
		{ "ITLB", true, true, 4 << 10, 32, 4096, 0, 1, 1 },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		bool code = row[i].code, tlb = row[i].tlb;
		unsigned int seen[6], n = row[i].ways;

		reset();
		pmc(37, code ? USER | (tlb ? 0x20 : 0x2800) : 0);
		pmc(40, COUNTER_ON | (code ? 0 : USER | tlb << 7 | tlb << 17));
		seen[0] = touch(code, tlb, 0);
		seen[1] = row[i].line ? touch(code, tlb, row[i].line - 1) : row[i].hit;
		seen[2] = row[i].line ? touch(code, tlb, row[i].line) : row[i].miss;
		for (j = 1; j < n; j++)
			touch(code, tlb, j * row[i].set);
		seen[3] = touch(code, tlb, 0);
		for (j = n; j < 2 * n - 1; j++)
			touch(code, tlb, j * row[i].set);
		seen[4] = touch(code, tlb, 0);
		for (j = 2 * n; j < 3 * n; j++)
			touch(code, tlb, j * row[i].set);
		seen[5] = touch(code, tlb, 0);
		tap(seen[0] == row[i].cold && seen[1] == row[i].hit &&
		    seen[2] == (row[i].line < 128 ? row[i].miss : row[i].cold) &&
		    seen[3] == row[i].hit && seen[4] == row[i].hit && seen[5] == row[i].miss,
		    "%s: %u, in the line %u, the next %u, all ways %u, %u, one more %u",
		    row[i].what, seen[0], seen[1], seen[2], seen[3], seen[4], seen[5]);
	}
}

/* Events 0 and 1 are of a pipeline. */
static void test_unknown(void)
{
	static const char *const want[] = {
		"event 0x0 is not one that this machine has",
		"event 0x1 is not one that this machine has",
		"this machine does not capture ALAT misses", "",
	};
	unsigned int i, wrong = 0;
	uint64_t count;

	reset();
	counter(15, USER);
	go();
	bundle(CODE, PSR_USER);
	count = stop(15);
	counter(14, EVENT(1) | USER);
	pmc(40, COUNTER_ON | USER | 2 << 7);
	go();
	for (i = 0; i < ARRAY_SIZE(want); i++)
		wrong += !!strcmp(platform.pmu[0].found[i], want[i]);
	tap(!count && !wrong, "what the machine does not have is reported once: %u wrong", wrong);
}

static void test_serialization(void)
{
	reset();
	counter(4, INSTRUCTIONS | USER);
	sync_now();
	pmc(0, 0);
	bundle(CODE, PSR_USER);
	tap(pmu_pmc_read(cpu, 0) == 1 && !cpu->pmu_active, "what is written waits");
	sync_now();
	bundle(CODE, PSR_USER);
	pmc(0, 1);
	bundle(CODE, PSR_USER);
	sync_now();
	bundle(CODE, PSR_USER);
	tap(pmu_pmd_read(cpu, 4) == 6, "until it is serialized: %d", (int)pmu_pmd_read(cpu, 4));
	pmc(4, COUNTER_ON | INSTRUCTIONS);
	sync_now();
	tap(pmu_pmd_read(cpu, 4) != 6 || pmu_pmd_read(cpu, 4) != 6,
	    "without a privilege level the value is lost");
}

/* Filters of channel 0, IBR0 and 1, PMC32 and 33, for three instructions and a load */
static void test_filters(void)
{
	static const struct {
		uint64_t pmc32, pmc38, pmc41;
		unsigned int instructions, loads;
		const char *what;
	} row[] = {
		{ 0, 0, 0, 4, 1, "no filter" },
		{ 1, 0, 0, 2, 1, "a bit of the opcode" },
		{ 0, 1 << 1, 0, 3, 1, "instruction addresses" },
		{ 0, 0, 1 << 3, 4, 0, "data addresses" },
		{ 0, 1 << 1, 3 << 3, 3, 0, "both addresses" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		reset();
		cpu->ibr[0] = CODE;
		cpu->ibr[1] = (0xfULL << 56) | (((1ULL << 56) - 1) & ~0x1fULL);
		cpu->dbr[0] = 0x2000;
		cpu->dbr[1] = (1ULL << 56) - 1;
		pmu_serialize(cpu, true);
		pmc(32, NO_FILTER & ~(3ULL << 56 | row[i].pmc32));
		pmc(33, 0);
		pmc(38, 0xdb6 & ~row[i].pmc38);
		pmc(41, PMC41_DEFAULT & ~row[i].pmc41);
		counter(4, INSTRUCTIONS | USER);
		counter(5, LOADS | USER);
		go();
		bundle(CODE, PSR_USER);
		load(CODE + 32, 0x1000, PSR_USER);
		counted(4, row[i].instructions, row[i].what);
		counted(5, row[i].loads, row[i].what);
	}
	cpu->ibr[0] = CODE + 32;
	go();
	cpu->dbr[0] = 0x1000;
	load(CODE, 0x1000, PSR_USER);
	counted(5, 0, "a DBR takes effect after srlz.d");
	counted(4, 4, "an IBR takes effect after srlz.i, and not after srlz.d");
	go();
	load(CODE, 0x1000, PSR_USER);
	cpu->dbr[0] = 0x2000;
	pmu_serialize(cpu, false);
	load(CODE, 0x1000, PSR_USER);
	pmu_serialize(cpu, true);
	load(CODE, 0x2000, PSR_USER);
	counted(5, 1, "both, with no other register");
}

static void test_data_ear(void)
{
	uint64_t ip, op;

	reset();
	pmc(40, COUNTER_ON | USER);
	counter(4, DATA_EAR | USER);
	go();
	load(CODE + 16, 0x12340, PSR_USER);
	load(CODE + 32, 0x12348, PSR_USER);
	cpu->cycles += 4;
	load(CODE + 32, 0x55540, PSR_USER);
	counted(4, 1, "one that missed is captured; a hit, and one too soon, are not");
	tap(pmu_pmd_read(cpu, 32) == 0x12340 && pmu_pmd_read(cpu, 33) == (0x4000 | 200),
	    "its data address and latency");
	ip = pmu_pmd_read(cpu, 36);
	tap((ip & 8) && (ip & ~0xfULL) + (ip & 4 ? 16 : 0) == CODE + 16 && (ip & ~0x1fULL) == CODE,
	    "its bundle is the second of a window: %#lx", (unsigned long)ip);
	for (op = 6; op <= 7; op++) {
		pmd(4, 0);
		go();
		cpu->cycles += 6;
		load(CODE, 0x12340, PSR_USER);
		load(CODE, 0x10000 * op, PSR_USER);
		cpu->cycles += 6;
		pmu_access(cpu, 0x20000 * op, 0x20000 * op, 8, false, true);
		retire(CODE, 0, 'M', 4ULL << 37, PSR_USER);
		load(CODE, 0x20000 * op, PSR_USER);
		cpu->cycles += 6;
		pmu_access(cpu, 0x20008 * op, 0x20008 * op, 8, true, false);
		retire(CODE, 0, 'M', op << 37, PSR_USER);
		counted(4, 3,
			"a miss behind a hit or a store, and a load that passes the first level");
		tap((pmu_pmd_read(cpu, 33) & 0x1fff) == 6, "its latency: %d",
		    (int)(pmu_pmd_read(cpu, 33) & 0x1fff));
	}
	go();
	cpu->cycles += 7;
	stack(0x77770, 0x77770, true);
	stack(0x66660, 0x66660, false);
	stop(4);
	tap(pmu_pmd_read(cpu, 32) == 0x66660 && pmu_pmd_read(cpu, 33) >> 14 == 1 &&
	    !(pmu_pmd_read(cpu, 36) & 8), "a fill of the register stack has no instruction");
	go();
	tap(pmu_pmd_read(cpu, 32) != 0x12340 || pmu_pmd_read(cpu, 32) != 0x12340,
	    "while the monitors are not frozen it reads as noise");
}

/* Monitors of several processors */

#define ALL	(1ULL << 26)

/* All go on. */
static void release(void)
{
	for (cpu = cpus + platform.machine.cpus; cpu-- > cpus;)
		go();
	cpu = cpus;
}

/* @n bundles of three instructions, and a load that is another one, on a processor */
static void work(unsigned int nr, unsigned int n, uint64_t ip, uint64_t psr)
{
	cpu = &cpus[nr];
	while (n--) {
		cpu->pmu_active = cpu->pmu_wanted;
		bundle(ip, psr);
		load(ip + 16, 0x1000, psr);
	}
	cpu = cpus;
}

static unsigned int value(unsigned int nr, unsigned int n)
{
	return pmu_pmd_read(&cpus[nr], n);
}

/* 3.3.2: each has its own. */
static void test_processors(void)
{
	reset_to(0, 2, 1);
	counter(4, INSTRUCTIONS | USER | ALL);
	cpu = &cpus[1];
	counter(5, LOADS | USER);
	pmc(4, COUNTER_ON | INSTRUCTIONS | USER | OI);
	pmd(4, (1ULL << 47) - 8);
	release();
	work(0, 5, CODE, PSR_USER);
	work(1, 1, CODE, PSR_USER);
	tap(value(0, 4) == 20 && value(1, 5) == 1,
	    "each processor has its monitors: %u instructions, and %u loads", value(0, 4),
	    value(1, 5));
	work(1, 1, CODE, PSR_USER);
	work(0, 1, CODE, PSR_USER);
	tap(interrupted(1) && !interrupted(0) && value(0, 4) == 24,
	    "an overflow interrupts its processor, and freezes its monitors alone");
}

static void test_both_threads(void)
{
	unsigned int i;

	reset_to(0, 2, 2);
	counter(4, INSTRUCTIONS | USER | ALL);
	counter(5, LOADS | USER | ALL);
	counter(6, INSTRUCTIONS | USER);
	/* Reported, as PMD10 has none */
	counter(10, INSTRUCTIONS | USER | ALL);
	counter(7, INSTRUCTIONS | USER | ALL | THRESHOLD(2));
	counter(8, INSTRUCTIONS | USER | ALL | THRESHOLD(3));
	release();
	cpu->psr = PSR_USER;
	for (i = 0; i < 10; i++) {
		work(0, 1, CODE, PSR_USER);
		work(1, 2, CODE, PSR_USER);
		work(2, 1, CODE, PSR_USER);
	}
	/* A kernel's instruction of the other thread, and one while the monitoring task is away */
	work(1, 1, CODE, PSR_USER & ~PSR_CPL);
	cpu->psr &= ~PSR_UP;
	work(1, 1, CODE, PSR_USER);
	cpu->psr |= PSR_UP;
	tap(value(0, 4) == 120 && value(0, 5) == 30, ".all counts both threads: %u, %u loads",
	    value(0, 4), value(0, 5));
	tap(value(0, 6) == 40 && value(0, 10) == 40, "without it, or in PMD10, one: %u and %u",
	    value(0, 6), value(0, 10));
	tap(value(0, 7) == 30 && !value(0, 8),
	    "a cycle is one thread's: %u with more than two, %u with more than three", value(0, 7),
	    value(0, 8));
	/* 3.3.12 */
	cpu->halted = true;
	work(1, 1, CODE, PSR_USER);
	cpu->halted = false;
	tap(value(0, 4) == 120 && value(0, 7) == 30,
	    "a thread that halts freezes its monitors: %u", value(0, 4));

	/* Filters are the thread's own. */
	reset_to(0, 1, 2);
	for (; cpu < cpus + 2; cpu++) {
		cpu->ibr[0] = CODE + 0x1000 * cpu->nr;
		cpu->ibr[1] = 0xfULL << 56 | ((1ULL << 56) - 0x1000);
		pmc(32, NO_FILTER & ~(3ULL << 56));
		pmc(38, 0xdb4);
		pmu_serialize(cpu, true);
	}
	cpu = cpus;
	counter(4, INSTRUCTIONS | USER | ALL);
	release();
	cpu->psr = PSR_USER;
	work(0, 1, CODE, PSR_USER);
	work(0, 1, CODE + 0x1000, PSR_USER);
	work(1, 3, CODE + 0x1000, PSR_USER);
	work(1, 1, CODE, PSR_USER);
	tap(value(0, 4) == 16, "with the filters of the thread of each event: %u", value(0, 4));

	/* The other thread's event overflows this one's counter. */
	reset_to(0, 1, 2);
	pmc(4, COUNTER_ON | INSTRUCTIONS | USER | ALL | OI);
	pmd(4, (1ULL << 47) - 2);
	release();
	cpu->psr = PSR_USER;
	work(1, 2, CODE, PSR_USER);
	tap(!value(0, 4) && interrupted(0) && !interrupted(1) && !cpus[1].pmu_wanted,
	    "an overflow by the other thread interrupts the monitoring one: %u", value(0, 4));
}

int main(void)
{
	test_reset();
	test_counting();
	test_overflow();
	test_interrupt();
	test_rights();
	test_halt();
	test_freeze();
	test_misses();
	test_events();
	test_caches();
	test_unknown();
	test_serialization();
	test_filters();
	test_data_ear();
	test_processors();
	test_both_threads();
	return tap_done();
}
