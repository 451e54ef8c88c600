// SPDX-License-Identifier: GPL-2.0-only
/*
 * The performance monitors of the emulated Itanium, without a processor: this tells them of
 * instructions, and looks what the manual (Intel 308065-001) says of the registers then.
 */
#include <string.h>

#include "scripts/tap.h"
#include "ia64/emulator/platform.h"

#define COUNTER_ON	(2ULL << 24)		/* the instruction set mask */
#define USER		0x8
#define KERNEL		0x1
#define PM		(1ULL << 6)
#define OI		(1ULL << 5)
#define EVENT(n)	((uint64_t)(n) << 8)	/* and its unit mask */
#define THRESHOLD(n)	((uint64_t)(n) << 20)
#define INSTRUCTIONS	EVENT(0x08)
#define CYCLES		EVENT(0x12)
#define LOADS		EVENT(0xcd)
#define DATA_EAR	EVENT(0xc8)
#define NO_FILTER	0x030f01ffffffffffULL	/* PMC32 */
#define PMC41_DEFAULT	0x2078fefefefeULL

#define PSR_USER	(3ULL << PSR_CPL_SHIFT | PSR_UP | PSR_PP)
#define CODE		0x4000000000001000ULL
#define NOP_B		(2ULL << 37)
#define BR_RELATIVE	(4ULL << 37)

static struct platform platform;
static struct cpu *const cpu = platform.machine.cpu;
static unsigned int raised;

/* The monitors' only call of the rest of the machine */
void cpu_raise(struct cpu *to, unsigned int vector)
{
	raised = vector;
	to->irr[vector >> 6] |= 1ULL << (vector & 63);
}

static bool pending(void)
{
	return cpu->irr[0xee >> 6] >> (0xee & 63) & 1;
}

static void sync_now(void)
{
	/* srlz.d, which does not serialize IBRs */
	pmu_serialize(cpu, false);
	/* The next bundle is watched. */
	cpu->pmu_active = cpu->pmu_wanted;
}

static void pmc(unsigned int n, uint64_t value)
{
	pmu_pmc_write(cpu, n, value);
}

/* A counter's control has to be on for its value to be kept. */
static void pmd(unsigned int n, uint64_t value)
{
	sync_now();
	pmu_pmd_write(cpu, n, value);
}

/* Count @event from 0. */
static void counter(unsigned int n, uint64_t event)
{
	pmc(n, COUNTER_ON | event);
	pmd(n, 0);
}

/* Frozen, with nothing on and no filter: the sequence that a driver begins with */
static void reset_to(uint64_t seed)
{
	unsigned int i;

	memset(&platform, 0, sizeof(platform));
	platform.machine.ram_size = 1ULL << 32;
	cpu->machine = &platform.machine;
	cpu->pmv = 0xee;
	cpu->psr = PSR_USER & ~PSR_CPL;
	raised = 0;
	memset(cpu->irr, 0, sizeof(cpu->irr));
	pmu_init(cpu, seed);
	pmc(0, 1);
	sync_now();
	for (i = 4; i <= 15; i++)
		counter(i, 0);
	pmc(37, 0);
	pmc(39, 0);
	pmc(40, COUNTER_ON);
	pmc(42, 0);
	pmd(38, 0);
	sync_now();
}

static void reset(void)
{
	reset_to(0);
}

static void go(void)
{
	sync_now();
	pmc(0, 0);
	sync_now();
}

static uint64_t stop(unsigned int n)
{
	pmc(0, 1);
	sync_now();
	return pmu_pmd_read(cpu, n);
}

static void counted(unsigned int n, uint64_t want, const char *what)
{
	uint64_t is = stop(n);

	tap(is == want && !*platform.pmu[0].found[0], "%s: %d", what, (int)is);
}

/* The predicate of what retires */
static bool executed = true;

/* An instruction retires; the first of its bundle is a cycle later than the one before. */
static void retire(uint64_t ip, unsigned int slot, char unit, uint64_t code, uint64_t psr)
{
	struct retired retired = {
		.ip = ip, .slot = slot, .unit = unit, .code = code, .psr = psr,
		.executed = executed,
	};

	if (slot == 0)
		cpu->cycles++;
	if (cpu->pmu_active)
		pmu_retire(cpu, &retired);
}

static void bundle(uint64_t ip, uint64_t psr)
{
	retire(ip, 0, 'M', 1, psr);
	retire(ip, 1, 'I', 1, psr);
	retire(ip, 2, 'B', NOP_B, psr);
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

static void branch(uint64_t ip, unsigned int slot, uint64_t to, uint64_t psr)
{
	if (slot)
		retire(ip, 0, 'M', 1, psr);
	if (cpu->pmu_active)
		pmu_branch(cpu, BRANCH_RELATIVE, to, true);
	retire(ip, slot, 'B', BR_RELATIVE, psr);
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
	counter(6, CYCLES | USER);
	counter(15, INSTRUCTIONS | USER | THRESHOLD(2));
	counter(8, INSTRUCTIONS | USER | THRESHOLD(3));
	counter(9, EVENT(0x50) | USER);
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
	counted(6, 10, "a cycle for each bundle");
	counted(15, 10, "more than two in a cycle");
	counted(8, 0, "more than three");
	counted(9, 10, "nops");
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
	pmd(36, ~0xfULL);
	pmd(48, 5);
	sync_now();
	cpu->psr = PSR_USER;
	tap(pmu_pmd_read(cpu, 4) == 4 && !pmu_pmd_read(cpu, 5) && !pmu_pmd_read(cpu, 36) &&
	    !pmu_pmd_read(cpu, 48),
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
	reset_to(seed);
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
	tap(pending(), "a latched interrupt stays when its counters are written");
	overflow_both(1);
	pmd(4, 0);
	sync_now();
	tap(pending(), "a level stays while one of two counters asks for it");
	pmc(5, COUNTER_ON | INSTRUCTIONS | USER);
	sync_now();
	tap(!pending(), "and goes when the other one's PMC.oi is cleared");
	overflow_both(1);
	cpu->pmv = 1 << 16 | 0xee;
	memset(cpu->irr, 0, sizeof(cpu->irr));
	sync_now();
	tap(!pending(), "a level is masked by cr.pmv");
	cpu->pmv = 0xee;
	sync_now();
	tap(pending(), "and is there when it is no longer masked");
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
		{ 0xc2, 5, "reads of the first level" }, { 0xc4, 5, "reads of the first level, set 1" },
		{ 0xc3, 15, "references" }, { 0xc5, 15, "references, set 1" },
		{ 0xc7, 2, "misses of reads" }, { 0x1c7, 1, "misses of fills of the register stack" },
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
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(when); i++) {
		trace(0);
		go();
		branch(CODE, 2, CODE + 64, PSR_USER);
		if (i == 1)
			retire(CODE + 64, 0, 'M', 1, PSR_USER);
		if (i > 1)
			stop(4);
		if (i == 3) {
			pmc(39, 0);
			go();
		}
		pmu_branch(cpu, BRANCH_INTERRUPT, 0xa000000000003000, true);
		stop(4);
		tap(pmu_pmd_read(cpu, 38) == 2 && pmu_pmd_read(cpu, 48) == (CODE | 2 << 2 | 1) &&
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
	test_trace();
	test_prediction();
	test_untaken();
	test_branches_of_bundle();
	test_interrupted_branch();
	test_ip_cycles();
	test_ip_freeze();
	return tap_done();
}
