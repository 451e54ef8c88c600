// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The protocol checker of Montecito's monitors, as a host-side unit test: each rule of the
 * manual 308065-001 broken, and kept by what comes next to it.
 */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "scripts/tap.h"
#include "machine/montecito/monitors.h"

#define ARRAY(a)	(int)(sizeof(a) / sizeof((a)[0]))

/* A register and its value: PMCn, IBRn, DBRn */
struct edit {
	int reg;
	uint64_t value;
};

#define IBR(n)		(100 + (n))
#define DBR(n)		(110 + (n))

/* A counter's control: privileged, at both levels, table 3-5 */
#define COUNT(n, code)	{ n, 0x2000049 | (code) << 8 }
#define MORE(n, code, bits)	{ n, 0x2000049 | (code) << 8 | (bits) }
#define UM(u)		((u) << 16)
#define BOTH		(1u << 26)	/* .all */
#define MESI(m)		((uint64_t)(m) << 27)

/* Section 3.3.12 */
#define P32		0x030f01ffffffffffull
#define NO_IG_AD	0x000f01ffffffffffull
#define P38		0xdb6ull
#define P41		0x2078fefefefeull
#define PMC40_ON(bits)	{ 40, 0x2000049 | (bits) }

static struct mont bank;
static uint64_t ibr[8], dbr[8];
static char heard[4096];
static int times;

void mont_found(struct mont *m, const char *rule, ...)
{
	size_t n = strlen(heard);
	va_list ap;

	times++;
	va_start(ap, rule);
	n += vsnprintf(heard + n, sizeof(heard) - n, rule, ap);
	va_end(ap);
	snprintf(heard + n, sizeof(heard) - n, "\n");
}

void mont_overflow(struct mont *m, bool froze)
{
}

void mont_withdraw(struct mont *m)
{
}

static void fresh(void)
{
	int n;

	bank = (struct mont){ .ibr = ibr, .dbr = dbr };
	memset(ibr, 0, sizeof(ibr));
	memset(dbr, 0, sizeof(dbr));
	for (n = 4; n < 16; n++)
		bank.pmc[n] = 0x2000000;
	bank.pmc[32] = P32;
	bank.pmc[34] = P32;
	bank.pmc[36] = 0xfffffff0;
	bank.pmc[38] = P38;
	bank.pmc[40] = 0x2000000;
	bank.pmc[41] = P41;
	heard[0] = 0;
	times = 0;
}

static void set(const struct edit *e)
{
	if (e->reg >= DBR(0))
		dbr[e->reg - DBR(0)] = e->value;
	else if (e->reg >= IBR(0))
		ibr[e->reg - IBR(0)] = e->value;
	else
		bank.pmc[e->reg] = e->value;
}

static void set_up(const struct edit *e, int n)
{
	fresh();
	for (; n-- && e->reg; e++)
		set(e);
}

/* Test that the checker says this once, or nothing (NULL). */
static void heard_once(const char *what, int i, const char *says)
{
	bool good = says ? times == 1 && !!strstr(heard, says) : !times;

	tap(good, "%s %d: %s", what, i, says ?: "nothing to say");
	if (!good)
		printf("# %d: %s", times, heard);
}

/* Settings, and the one finding that the checker reports for them; NULL if it is silent */
static const struct {
	const char *says;
	struct edit e[6];
} setups[] = {
	{ "PMC4 counts event 0x7, which does not exist", { COUNT(4, 0x07) } },
	{ "PMC15 counts event 0xff, which does not exist", { COUNT(15, 0xff) } },
	/* 3.3.3: codes 8x, 9x, ax, bx, ex and fx, and CYCLES_HALTED */
	{ "PMC4 cannot count event 0x18", { COUNT(4, 0x18) } },
	{ "PMC10 cannot count event 0x87", { COUNT(10, 0x87) } },
	{ "PMC15 cannot count event 0xb0", { COUNT(15, 0xb0) } },
	/* 4.8.2: L1D events and PMC5 */
	{ "PMC4 counts L1D event 0xc0, whose set PMC5 does not select",
	  { COUNT(4, 0xc0) } },
	{ "PMC4 counts L1D event 0xc0, whose set PMC5", { COUNT(4, 0xc0),
	  { 5, 0x2000740 } } },	/* nothing that there is */
	{ "PMC9 counts L2D event 0xe6, whose set PMC6", { COUNT(9, 0xe6),
	  { 6, 0x2000740 } } },
	{ "PMC15 counts L1D event 0xc0, whose set PMC5", { COUNT(5, 0xc4),
	  COUNT(15, 0xc0) } },
	{ "PMC10 counts L1D event 0xc0, whose set PMC5", { COUNT(4, 0xe0),
	  COUNT(5, 0xe0 + 1), COUNT(10, 0xc0) } },
	{ NULL, { COUNT(4, 0xc8), PMC40_ON(0) } },	/* in no set */
	/* 4.8.4: L2D events, PMC4 with 5 and 8, PMC6 with 7 and 9 */
	{ NULL, { COUNT(4, 0xe4), COUNT(5, 0xe5), COUNT(6, 0xf2), COUNT(9, 0xf3) } },
	{ "PMC5 counts L2D event 0xe6, whose set PMC4 does not select",
	  { COUNT(5, 0xe6) } },
	{ "PMC10 cannot count event 0xe6", { COUNT(4, 0xe6), COUNT(10, 0xe6) } },
	{ "PMC5 has another unit mask or .all than PMC4",
	  { MORE(4, 0xe6, UM(1)), MORE(5, 0xe6, UM(2)) } },
	{ "PMC9 has another unit mask or .all than PMC6",
	  { MORE(6, 0xe6, BOTH), COUNT(9, 0xe6) } },
	/* Table 3-6 and 4-19 */
	{ "PMC10 has .all, which is PMC4-9's", { MORE(10, 0x00, BOTH) } },
	{ "PMC4 has .all with event 0xe1, which does not support it",
	  { MORE(4, 0xe1, BOTH) } },
	{ "PMC12 counts event 0xdd in no MESI state", { COUNT(12, 0xdd) } },
	{ NULL, { MORE(12, 0xdd, MESI(8)), MORE(13, 0xda, MESI(1)) } },
	/* The events of an EAR count only while it captures. */
	{ "PMC4 counts data EAR captures, and PMC40 is off", { COUNT(4, 0xc8) } },
	{ NULL, { COUNT(4, 0xc8), PMC40_ON(0x90000) } },
	{ "PMC4 counts instruction EAR captures, and PMC37 is off",
	  { COUNT(4, 0x43), PMC40_ON(0) } },
	{ NULL, { COUNT(4, 0x43), { 37, 0x2819 } } },
	{ "more than one L2D_OZQ_CANCELS", { COUNT(4, 0xe0), COUNT(5, 0xe2) } },
	{ NULL, { COUNT(4, 0xe0), COUNT(5, 0xe1), { 8, 0x200e240 } } },
	/* Tables 3-26, 3-30: one user of the trace buffer */
	{ "PMC42.mode=1 is undefined", { { 42, 0x149 } } },
	{ "PMC42.mode=5 is undefined", { { 42, 0x549 } } },
	{ NULL, { { 42, 0x449 } } },
	{ NULL, { { 39, 0x3f49 } } },
	{ "PMC39 is set up and PMC42.mode overrides it", { { 39, 0x3f49 },
	  { 42, 0x449 } } },
	{ "PMC39.ds=1 is reserved", { { 39, 0x3fc9 } } },
	{ NULL, { { 39, 0x3fc0 } } },
	/* 3.3.9 */
	{ "PMC39 is not zero in a TLB or ALAT mode", { { 39, 0x3f49 },
	  PMC40_ON(0x20080) } },
	{ "PMC39 is not zero in a TLB or ALAT mode", { { 39, 0x100 },
	  PMC40_ON(0x100) } },
	{ NULL, { { 39, 0x3f49 }, PMC40_ON(0) } },
	{ NULL, { { 39, 0x3f49 }, { 40, 0x20000c0 } } },
	{ NULL, { PMC40_ON(0x100) } },
	/* Table 3-21 */
	{ NULL, { PMC40_ON(0xa0000) } },
	{ "PMC40's cache unit mask captures nothing", { PMC40_ON(0xb0000) } },
	{ NULL, { PMC40_ON(0xe0080) } },
	{ NULL, { { 40, 0x20b0000 } } },
	/* Table 3-16: masks of the cache mode only */
	{ "PMC37's cache unit mask is undefined", { { 37, 0x2039 } } },
	{ NULL, { { 37, 0x2020 } } },
	{ NULL, { { 37, 0x39 } } },
	{ NULL, { { 37, 0x3039 & ~0x2000ull } } },
	/* Table 3-3, 3.3.7 */
	{ "PMC32.inv is left at its reset value", { { 32, P32 & ~(1ull << 57) } } },
	{ NULL, { { 32, P32 & ~(1ull << 56) } } },
	{ "PMC41[48:45]=0 with PMC32.ig_ad=0 and an instruction range",
	  { { 32, NO_IG_AD }, { 38, P38 & ~2ull }, { 41, P41 & ~(1ull << 45) } } },
	{ "PMC41[48:45]=0 with PMC32.ig_ad=0 and an instruction range",
	  { { 32, NO_IG_AD }, { 38, P38 & ~0x10ull }, { 41, P41 & ~(1ull << 45) } } },
	{ NULL, { { 32, NO_IG_AD }, { 38, P38 & ~2ull } } },
	{ NULL, { { 32, NO_IG_AD }, { 41, P41 & ~(1ull << 45) } } },
	{ NULL, { { 38, P38 & ~2ull }, { 41, P41 & ~(1ull << 45) } } },
	{ NULL, { { 32, NO_IG_AD }, { 38, P38 & ~2ull },
	  { 41, (P41 & ~(1ull << 45)) | 1ull << 48 } } },
	{ NULL, { { 32, NO_IG_AD }, { 38, P38 & ~0x80ull },
	  { 41, P41 & ~(1ull << 45) } } },
	/* 3.3.5: breakpoints that are the debugger's */
	{ "IBRP0 is a debug register", { { 38, P38 & ~2ull }, { IBR(1), 1ull << 63 } } },
	{ "IBRP3 is a debug register", { { 38, P38 & ~0x400ull },
	  { IBR(7), 1ull << 63 } } },
	{ NULL, { { 38, P38 & ~2ull }, { IBR(1), ~0ull >> 1 },
	  { IBR(3), 1ull << 63 } } },
	{ "DBRP0 has .r or .w set", { { 41, P41 & ~8ull }, { DBR(1), 1ull << 62 } } },
	{ "DBRP0 has .r or .w set", { { 41, P41 & ~0x18ull }, { DBR(1), 1ull << 63 } } },
	{ "DBRP3 has .r or .w set", { { 41, (P41 & ~(8ull << 24)) | 1ull << 48 },
	  { DBR(7), 1ull << 62 } } },
	{ NULL, { { 41, P41 & ~8ull }, { DBR(1), ~0ull >> 2 }, { DBR(3), 1ull << 62 } } },
	{ NULL, { { DBR(1), 1ull << 62 } } },		/* tag 11 */
	{ NULL, { { 41, P41 & ~0x10ull }, { DBR(1), 1ull << 62 } } },
	{ NULL, { { 41, P41 & ~(8ull | 1ull << 45) }, { DBR(1), 1ull << 62 } } },
	{ NULL, { { 41, (P41 & ~(8ull | 1ull << 45)) | 1ull << 46 },
	  { DBR(1), 1ull << 62 } } },
	/* Table 3-10: fine ranges, IBRP0 with 2 and IBRP1 with 3 */
#define FINE0		{ 38, (P38 & ~0x82ull) | 0x2000 }
#define FINE1		{ 38, (P38 & ~0x410ull) | 0x2000 }
	{ "IBRP0 and IBRP2 are not both in use", { { 38, (P38 & ~2ull) | 0x2000 },
	  { IBR(0), 0x4010 }, { IBR(4), 0x4030 } } },
	{ "IBRP1 and IBRP3 are not both in use", { { 38, (P38 & ~0x400ull) | 0x2000 },
	  { IBR(2), 0x4010 }, { IBR(6), 0x4030 } } },
	{ "the limits of fine range 0 are not in one 64 KiB page", { FINE0,
	  { IBR(0), 0x4010 }, { IBR(4), 0x14030 } } },
	{ "the limits of fine range 1 are not in one 64 KiB page", { FINE1,
	  { IBR(2), 0x4010 }, { IBR(6), 0x4030 }, { IBR(3), 1 << 16 } } },
	{ NULL, { FINE1, { IBR(2), 0x4010 }, { IBR(6), 0x4030 },
	  { IBR(3), 0xffff } } },
	{ "the upper limit of fine range 0 is not above", { FINE0,
	  { IBR(0), 0x4030 }, { IBR(4), 0x4030 } } },
	{ "the upper limit of fine range 1 is not above", { FINE1,
	  { IBR(2), 0x14030 }, { IBR(6), 0x14010 } } },
	{ "PMC15 counts a tag channel that fine mode leaves undefined",
	  { { 38, P38 | 0x2000 }, MORE(15, 0x08, UM(2)) } },
	{ NULL, { { 38, P38 | 0x2000 }, MORE(4, 0x08, UM(1)), MORE(5, 0x12, UM(2)),
	  { 6, 0x2020840 } } },
};

static void test_setups(void)
{
	int i;

	for (i = 0; i < ARRAY(setups); i++) {
		set_up(setups[i].e, ARRAY(setups[i].e));
		mont_check(&bank, MONT_RELEASE, 0, 0);
		heard_once("set up", i, setups[i].says);
	}
}

/* Table 3-16, bit by bit: the least latency of 01xxxxxx, and of ones from the top; 0: undefined */
static void test_masks(void)
{
	static const unsigned int latency[9] = { 0, 4096, 1024, 256, 128, 32, 16, 8, 4 };
	int umask, ones, wrong = 0;

	for (umask = 0; umask < 256; umask++) {
		unsigned int want = umask >= 0x40 && umask < 0x80;

		for (ones = 1; ones < ARRAY(latency); ones++)
			if (umask == (0xff00 >> ones & 0xff))
				want = latency[ones];
		fresh();
		bank.pmc[37] = 0x2019 | umask << 5;
		mont_check(&bank, MONT_RELEASE, 0, 0);
		wrong += times != (umask && !want) || mont_iear_latency(umask) != want;
	}
	tap(!wrong, "unit masks of the instruction EAR: %d of 256 wrong", wrong);
}

/* Bits that a register must have as they are at reset, others free */
static const struct {
	unsigned int reg;
	uint64_t reset, free;
} registers[] = {
	{ 4, 0x2000000, ~0x3000000ull }, { 15, 0x2000000, ~0x3000000ull },
	{ 36, 0xfffffff0, ~0xfffffff0ull },	/* and 63:32, which are ignored */
	{ 37, 0, ~0xc000ull },
	{ 38, P38, 0x2492 },
	{ 40, 0x2000000, ~0x3000000ull },
	{ 41, P41, 0x1e00018181818 },
	/* These have none. */
	{ 0, 0, ~0ull }, { 3, 0, ~0ull }, { 32, P32, ~0ull },
	{ 35, 0, ~0ull }, { 39, 0, ~0ull }, { 42, 0, ~0ull },
};

static void test_writes(void)
{
	char where[40];
	int i, bit, wrong;

	for (i = 0; i < ARRAY(registers); i++) {
		unsigned int n = registers[i].reg;

		wrong = 0;
		fresh();
		bank.pmc[0] = MONT_FREEZE;
		mont_check(&bank, MONT_WRITE_PMC, n, registers[i].reset);
		wrong += times;
		for (bit = 0; bit < 64; bit++) {
			uint64_t v = registers[i].reset ^ 1ull << bit;
			bool free = registers[i].free >> bit & 1;

			fresh();
			bank.pmc[0] = MONT_FREEZE;
			mont_check(&bank, MONT_WRITE_PMC, n, v);
			snprintf(where, sizeof(where), "PMC%u", n);
			if (times != !free || (!free && !strstr(heard, where))) {
				printf("# PMC%u, bit %d: %s", n, bit, heard);
				wrong++;
			}
		}
		tap(!wrong, "PMC%u: %d bits checked wrong", n, wrong);
	}
}

/*
 * Accesses, one after the other, and what the checker says of them: PMC and PMD written, c and d,
 * and read, C and D; s serializes. Counters 4 and 5 are on, and monitoring is frozen.
 */
static const struct {
	const char *says;
	struct {
		char op;
		unsigned int n;
		uint64_t value;
	} a[5];
} accesses[] = {
	{ NULL, { { 'C', 0 }, { 'C', 15 }, { 'C', 32 }, { 'C', 42 }, { 'C', 1 } } },
	{ NULL, { { 'D', 4 }, { 'D', 15 }, { 'D', 36 }, { 'D', 39 }, { 'D', 63 } } },
	{ "PMC16 is read, which does not exist", { { 'C', 16 } } },
	{ "PMC43 is read, which does not exist", { { 'C', 43 } } },
	{ "PMD3 is read, which does not exist", { { 'D', 3 } } },
	{ "PMD37 is written, which does not exist", { { 'd', 37 } } },
	{ "PMD47 is read, which does not exist", { { 'D', 47 } } },
	{ "PMD64 is written, which does not exist", { { 'd', 64 } } },
	{ "PMD4.ov is written with 1", { { 'd', 4, 1ull << 47 } } },
	{ NULL, { { 'd', 4, 1ull << 46 }, { 'd', 32, 1ull << 47 } } },
	/* While monitoring runs, only PMC0 and counters may be accessed. */
	{ NULL, { { 'c', 0, 0 }, { 's' }, { 'D', 4 }, { 'C', 0 }, { 'c', 0, 1 } } },
	{ "PMD38 is read while monitoring runs", { { 'c', 0, 0 }, { 's' }, { 'D', 38 } } },
	{ "PMD4 is written while monitoring runs", { { 'c', 0, 0 }, { 's' }, { 'd', 4 } } },
	{ "PMC39 is written while monitoring runs", { { 'c', 0, 0 }, { 's' }, { 'c', 39 } } },
	/* Order */
	{ NULL, { { 'c', 4, 0x2000041 }, { 's' }, { 'd', 4, 5 }, { 's' }, { 'D', 4 } } },
	{ "PMD4 is accessed before", { { 'c', 4, 0x2000041 }, { 'd', 4, 5 } } },
	{ "PMD4 is accessed before", { { 'c', 4, 0x2000041 }, { 'D', 4 } } },
	{ NULL, { { 'c', 4, 0x2000041 }, { 'D', 5 }, { 'd', 5 }, { 'C', 5 }, { 'D', 38 } } },
	{ NULL, { { 'c', 4, 0x2000040 }, { 'd', 4, 5 } } },	/* off: it has no value */
	{ "PMD5 is accessed before", { { 'd', 5, 5 }, { 'D', 5 } } },
	{ "PMC32 is accessed before", { { 'c', 32, P32 }, { 'C', 32 } } },
	{ "PMD5 is accessed before", { { 'c', 0, 1 }, { 'D', 5 } } },
	{ "PMC5 is accessed before", { { 'c', 0, 1 }, { 'c', 5, 0x2000041 } } },
	{ "PMC0 is accessed before", { { 'c', 0, 1 }, { 'C', 0 } } },
	{ "PMC0 is accessed before", { { 'c', 5, 0x2000041 }, { 'c', 0, 0 } } },
	{ "PMC0 is accessed before", { { 'd', 5, 5 }, { 'c', 0, 0 } } },
	{ NULL, { { 'd', 5, 5 }, { 'c', 0, 1 } } },
};

static void test_accesses(void)
{
	int i, j;

	for (i = 0; i < ARRAY(accesses); i++) {
		fresh();
		bank.pmc[0] = 1;
		bank.pmc[4] = 0x2000041;
		bank.pmc[5] = 0x2000041;
		for (j = 0; j < ARRAY(accesses[i].a) && accesses[i].a[j].op; j++) {
			unsigned int n = accesses[i].a[j].n;
			uint64_t v = accesses[i].a[j].value;

			switch (accesses[i].a[j].op) {
			case 'c':
				mont_write_pmc(&bank, n, v);
				break;
			case 'd':
				mont_write_pmd(&bank, n, v);
				break;
			case 'C':
				mont_read_pmc(&bank, n);
				break;
			case 'D':
				mont_read_pmd(&bank, n);
				break;
			default:
				mont_serialize(&bank);
			}
		}
		heard_once("accesses", i, accesses[i].says);
	}
}

/* Contexts of an event: a program, the kernel, or PSR.up alone set */
#define USER		.psr = 3ull << 32 | MONT_PSR_PP
#define KERNEL		.psr = MONT_PSR_PP
#define UP		.psr = 3ull << 32 | MONT_PSR_UP
#define AT		.ip = 0x1030, .slot = 2		/* second bundle of a pair */
#define PAIR_AT		0x1020ull
#define RANGE_4K	(0xfull << 56 | 0xfffffffffff000)
#define IBRP(n, addr)	{ IBR(2 * (n)), addr }, { IBR(2 * (n) + 1), RANGE_4K }

/* Each capture unit: what it does with an event, and registers (with a mask) if it takes it */
static const struct {
	const char *what;
	bool (*capture)(struct mont *m, const struct mont_event *e);
	struct edit e[4];
	struct mont_event ev;
	bool taken;
	struct {
		unsigned int n;
		uint64_t value, mask;
	} pmd[3];
} captures[] = {
#define DEAR(bits)	mont_capture_data, { { 40, 0x2000048 | (bits) } }
#define DBRP		{ 41, P41 & ~8ull }, { DBR(0), 0x8000 }, { DBR(1), 0xffffffffff8000 }
	{ "4 cycles", DEAR(0), { USER, AT, .data = 5, .latency = 4, .vl = 1 }, true,
	  { { 32, 5 }, { 33, 0x4004 }, { 36, PAIR_AT | 14 } } },
	{ "3 cycles", DEAR(0), { USER, .latency = 3 } },
	{ "the kernel's", DEAR(0), { KERNEL, .latency = 4 } },
	{ "without psr.pp", DEAR(0), { UP, .latency = 4 } },
	{ "4095 cycles", DEAR(0xa0000), { USER, .latency = 4095 } },
	{ "4096 cycles", DEAR(0xa0000), { USER, .ip = 0x1040, .latency = 4096, .vl = 1 }, true,
	  { { 33, 0x5000 }, { 36, 0x1048 } } },
	{ "without an instruction", DEAR(0), { USER, .latency = 4 }, true, { { 36, 0, 8 } } },
	{ "no such threshold", DEAR(0xb0000), { USER, .latency = 1 << 20 } },
	{ "too many cycles", DEAR(0), { USER, .latency = 0x2003 }, true, { { 33, 0x6003 } } },
	{ "most cycles", DEAR(0), { USER, .latency = 0x1fff }, true, { { 33, 0x5fff } } },
	{ "of the TLB", DEAR(0), { USER, .mode = 1, .latency = 4, .hit = 1 } },
	{ "L2 TLB", DEAR(0x20080), { USER, .mode = 1, .hit = 1, .data = 6 }, true,
	  { { 32, 6 }, { 33, 0x4000, 0xc000 } } },
	{ "VHPT", DEAR(0x20080), { USER, .mode = 1, .hit = 2 } },
	{ "VHPT", DEAR(0x40080), { USER, .mode = 1, .hit = 2 }, true, { { 33, 0x8000, 0xc000 } } },
	{ "ALAT", DEAR(0x100), { USER, .mode = 2, .hit = 3 }, true, { { 33, 0x4000, 0xc000 } } },
	{ "ALAT", DEAR(0x180), { USER, .mode = 2 }, true, { { 33, 0x4000, 0xc000 } } },
	{ "of a cache", DEAR(0x100), { USER, .latency = 4 } },
	{ "in the data range", mont_capture_data, { { 40, 0x2000048 }, DBRP },
	  { USER, .data = 0xfff8, .latency = 4 }, true },
	{ "below the data range", mont_capture_data, { { 40, 0x2000048 }, DBRP },
	  { USER, .data = 0x7fff, .latency = 4 } },
#define IEAR(bits)	mont_capture_code, { { 37, 0x18 | (bits) } }
	{ "a line", IEAR(0x3fe0), { USER, AT, .latency = 4 }, true,
	  { { 34, PAIR_AT | 1 }, { 35, 4 } } },
	{ "3 cycles", IEAR(0x3fe0), { USER, .latency = 3 } },
	{ "the kernel's line", IEAR(0x3fe0), { KERNEL, .latency = 4 } },
	{ "without psr.pp", IEAR(0x3fe0), { UP, .latency = 4 } },
	{ "too many cycles", IEAR(0x3fe0), { USER, .latency = 0x1003 }, true, { { 35, 0x1003 } } },
	{ "most cycles", IEAR(0x3fe0), { USER, .latency = 0xfff }, true, { { 35, 0xfff } } },
	{ "request buffer", IEAR(0x2000), { USER, .rab = 1 }, true },
	{ "no such threshold", IEAR(0x2000 | 0x81 << 5), { USER, .latency = 5000 } },
	{ "of the TLB", IEAR(0x3fe0), { USER, .mode = 1, .latency = 5, .hit = 1 } },
	{ "VHPT", IEAR(0x20), { USER, .mode = 1, .hit = 2 } },
	{ "VHPT", IEAR(0x40), { USER, .mode = 1, .hit = 2 }, true, { { 34, 2 } } },
	{ "a fault", IEAR(0x80), { USER, .mode = 1, .hit = 3 }, true, { { 34, 3 } } },
	{ "no TLB mode", IEAR(0x1020), { USER, .mode = 1, .hit = 1 } },
	{ "of a cache", IEAR(0x20), { USER, .latency = 5 } },
#define BRANCH(bits)	mont_capture_branch, { { 39, 0x48 | (bits) } }
#define GOOD		.taken = 1, .target_ok = 1, .path_ok = 1, .type = 1
	{ "a branch", BRANCH(0x3f00), { USER, AT, .to = 0x5008, GOOD }, true,
	  { { 48, PAIR_AT | 9 }, { 49, 0x5002 }, { 39, 1 } } },
	{ "the kernel's branch", BRANCH(0x3f00), { KERNEL, GOOD } },
	{ "without psr.pp", BRANCH(0x3f00), { UP, GOOD } },
	{ "a wrong target", BRANCH(0x3f00), { USER, .ip = 0x40, .taken = 1, .path_ok = 1 }, true,
	  { { 48, 0x43 }, { 39, 2 }, { 38, 2 } } },
	{ "not taken", BRANCH(0x3f00), { USER, .ip = 0x40, .slot = 1, .target_ok = 1,
	  .path_ok = 1, .type = 1 }, true, { { 48, 0x4d } } },
	{ "not taken, tm=2", BRANCH(0x3e00), { USER, .target_ok = 1, .path_ok = 1, .type = 1 } },
	{ "taken, tm=1", BRANCH(0x3d00), { USER, GOOD } },
	{ "right target, ptm=1", BRANCH(0x3700), { USER, GOOD } },
	{ "right path, ppm=1", BRANCH(0x1f00), { USER, GOOD } },
	{ "wrong path, ppm=1", BRANCH(0x1f00), { USER, .target_ok = 1, .type = 1, .taken = 1 },
	  true },
	{ "wrong path, ppm=2", BRANCH(0x2f00), { USER, .target_ok = 1, .type = 1, .taken = 1 } },
	{ "all wrong, ptm=1, ppm=1", BRANCH(0x1700), { USER, .type = 1, .taken = 1 } },
	{ "all wrong, ptm=3, ppm=1", BRANCH(0x1f00), { USER, .type = 1, .taken = 1 }, true },
	{ "no return, brt=2", BRANCH(0xbf00), { USER, GOOD } },
	{ "IP-relative, brt=1", BRANCH(0x7f00), { USER, GOOD }, true },
	{ "an exception, tm=1, brt=2", BRANCH(0x9500), { USER, .taken = 1 }, true },
	{ "the IP-EAR is on", mont_capture_branch, { { 39, 0x3f48 }, { 42, 0x448 } },
	  { USER, GOOD } },
	{ "outside of the range", mont_capture_branch, { { 39, 0x3f48 }, { 32, NO_IG_AD },
	  { 38, P38 & ~2ull }, { IBR(1), ~0ull >> 4 } }, { USER, .ip = 0x40, GOOD } },
	{ "an IP", mont_capture_ip, { { 42, 0x448 } },
	  { .ip = 0xa00000000000c130, .cycles = 0x35, .flush = 1, .early = 7 }, true,
	  { { 48, 0x5a00000000000c13 }, { 39, 0xe }, { 38, 1 } } },
	{ "an early IP", mont_capture_ip, { { 42, 0x448 } },
	  { .ip = 0xa00000000000c130, .ef = 1, .early = 7 }, true,
	  { { 48, 0x0a00000000000c07 }, { 39, 1 } } },
	{ "no IP-EAR", mont_capture_ip, { { 42, 0x48 } }, { USER } },
};

/* The event, with tags of these registers' ranges */
static struct mont_event happen(const struct edit *e, int n, struct mont_event ev)
{
	set_up(e, n);
	bank.noise = 1;
	ev.unit = MONT_UNIT_I;
	mont_tag(&bank, &ev);
	return ev;
}

static void test_captures(void)
{
	int i, j;

	for (i = 0; i < ARRAY(captures); i++) {
		struct mont_event e = happen(captures[i].e, ARRAY(captures[i].e), captures[i].ev);
		bool good = captures[i].capture(&bank, &e) == captures[i].taken;

		for (j = 0; j < ARRAY(captures[i].pmd) && captures[i].pmd[j].n; j++) {
			uint64_t mask = captures[i].pmd[j].mask ?: ~0ull;
			uint64_t is = bank.pmd[captures[i].pmd[j].n] & mask;

			if (is != captures[i].pmd[j].value) {
				printf("# PMD%u: %#llx\n", captures[i].pmd[j].n,
				       (unsigned long long)is);
				good = false;
			}
		}
		tap(good, "capture %d: %s", i, captures[i].what);
	}
}

/* The buffer wraps, and a source in the last target's bundle now and then replaces the target. */
static void test_buffer(void)
{
	struct mont_event e = { USER, GOOD, .unit = MONT_UNIT_I };
	unsigned int i, seen = 0, wrong = 0;

	fresh();
	bank.noise = 1;
	bank.pmc[39] = 0x3f48;
	for (i = 0; i < 8; i++) {
		e.ip = 0x1010 + 0x20 * i;
		e.to = 0x8000;
		mont_tag(&bank, &e);
		mont_capture_branch(&bank, &e);
	}
	tap(bank.pmd[38] == 0x20 && bank.pmd[63] == 0x8002 && bank.pmd[62] == 0x10e1,
	    "eight branches fill the buffer: %#x", (int)bank.pmd[38]);
	for (i = 0; i < 100; i++) {
		uint64_t was = bank.pmd[38] & 15;

		e.ip = e.to;
		e.to += 0x40;
		mont_capture_branch(&bank, &e);
		was = (bank.pmd[38] - was) & 15;
		seen |= 1 << was;
		/* The first entry's source was in the second bundle. */
		wrong += !i && bank.pmd[39] & 0xf;
		wrong += (bank.pmd[48 + (bank.pmd[38] - 1) % 16] & ~15ull) != e.to ||
			 (bank.pmd[48 + (bank.pmd[38] - 2) % 16] & ~15ull) != e.ip;
	}
	tap(seen == 6 && !wrong && bank.pmd[38] & 0x20,
	    "a source may replace the target: %#x, %d wrong", seen, wrong);
	e.target_ok = 0;
	mont_capture_branch(&bank, &e);
	for (i = 0, seen = 0; i < 20; i++) {
		uint64_t was = bank.pmd[38] & 15;

		e.ip = e.to;
		mont_capture_branch(&bank, &e);
		seen |= 1 << ((bank.pmd[38] - was) & 15);
	}
	tap(seen == 4, "... but not that of a mispredicted branch: %#x", seen);
}

/* Whether counter 4, or @n, counts an event */
static const struct {
	const char *what;
	struct edit e[6];
	struct mont_event ev;
	bool counted;
	unsigned int n;
} counts[] = {
	{ "those of psr.up", { { 4, 0x2000808 } }, { UP }, true },
	{ "a wrong .ism", { { 4, 0x1000849 } }, { USER } },
	{ "another unit mask", { MORE(4, 0x87, UM(2)) }, { USER, .umask = 1 } },
	{ "any unit mask", { MORE(4, 0x87, UM(2)) }, { USER, .umask = MONT_ANY }, true },
	{ "a state", { MORE(12, 0xdd, MESI(8)) }, { USER, .mesi = 8 }, true, 12 },
	{ "another state", { MORE(12, 0xdd, MESI(8)) }, { USER, .mesi = 7 }, false, 12 },
	{ "the other thread", { COUNT(4, 0xdc) }, { USER, .other = 1 } },
	{ "the other thread, with .all", { MORE(9, 0xdc, BOTH) }, { USER, .other = 1 }, true, 9 },
	{ "the other thread, PMC10", { MORE(10, 0xdc, BOTH) }, { USER, .other = 1 }, false, 10 },
	{ "the master's unit mask", { MORE(4, 0xe6, UM(1)), MORE(5, 0xe6, UM(2)) },
	  { USER, .umask = 1 }, true, 5 },
	{ "the master's .all", { MORE(6, 0xe6, BOTH), COUNT(9, 0xe6) }, { USER, .other = 1 }, true,
	  9 },
#define RANGE0		{ 32, NO_IG_AD }, { 38, P38 & ~2ull }, IBRP(0, 0x4000)
	{ "cycles of all", { COUNT(4, 0x12), RANGE0 }, { USER, .ip = 0x5000 }, true },
	{ "qualified cycles", { MORE(4, 0x12, UM(1)), RANGE0 },
	  { USER, .umask = 1, .ip = 0x5000 } },
	{ "a range that is not in use", { COUNT(4, 8), { 32, NO_IG_AD }, IBRP(0, 0x4000) },
	  { USER }, true },
	{ "a debugger's", { COUNT(4, 8), { 32, NO_IG_AD }, { 38, P38 & ~2ull },
	  { IBR(1), ~0ull } }, { USER, .ip = 0x40 }, true },
	{ "a range of the kernel", { COUNT(4, 8), { 32, NO_IG_AD }, { 38, P38 & ~2ull },
	  { IBR(1), 1ull << 56 } }, { USER } },
	{ "the third range", { MORE(4, 8, UM(2)), { 38, P38 & ~0x80ull }, IBRP(2, 0x4000) },
	  { USER, .umask = 2, .ip = 0x8000 } },
	{ "the second range", { COUNT(4, 0x44), { 38, P38 & ~0x10ull }, IBRP(1, 0x4000) },
	  { USER, .ip = 0x8000 } },
	{ "no opcode", { COUNT(4, 0x49), { 32, NO_IG_AD & ~(0xfull << 48) } }, { USER }, true },
	{ "an opcode", { COUNT(4, 8), { 32, 4ull << 48 | 0xff }, { 33, 0x500 } },
	  { USER, .opcode = 0x5aa }, true },
	{ "another opcode", { COUNT(4, 8), { 32, 4ull << 48 | 0xff }, { 33, 0x500 } },
	  { USER, .opcode = 0x100000005aa } },
	{ "another unit", { COUNT(4, 8), { 32, 8ull << 48 | 0x1ffffffffff } }, { USER } },
	{ "ignored opcodes", { COUNT(4, 8), { 32, 8ull << 48 }, { 36, 0xfffffff1 } }, { USER },
	  true },
	{ "any data", { COUNT(4, 0xdc), { 41, P41 & ~(8ull | 1ull << 45) }, { DBR(1), ~0ull } },
	  { USER, .data = 5 }, true },
	{ "data of a filtered instruction", { COUNT(4, 0xdc), { 41, P41 & ~0x10ull }, RANGE0 },
	  { USER, .ip = 0x5000 } },
#define OPCODE1		{ 34, 4ull << 48 | 0xff }, { 35, 0x500 }
#define DBRP1		{ 41, (P41 & ~(3ull << 11 | 1ull << 45)) | 2ull << 11 | 1ull << 46 },	\
			{ DBR(2), 0x3000 }, { DBR(3), ~0xffull }
	{ "the second data range", { COUNT(4, 0xdc), DBRP1 }, { USER, .data = 0x3008 }, true },
	{ "above the second data range", { COUNT(4, 0xdc), DBRP1 }, { USER, .data = 0x3108 } },
	{ "the fourth channel's opcode", { MORE(4, 8, UM(3)), OPCODE1 },
	  { USER, .umask = 3, .opcode = 0x5aa }, true },
	{ "another of its opcodes", { MORE(4, 8, UM(3)), OPCODE1 },
	  { USER, .umask = 3, .opcode = 0x4aa } },
#define INVERTED	{ 32, NO_IG_AD | 1ull << 56 }, { 38, P38 & ~2ull }, IBRP(0, 0x4000)
	{ "inverted", { COUNT(4, 8), INVERTED }, { USER, .ip = 0x5000 }, true },
	{ "inverted, in the range", { COUNT(4, 8), INVERTED }, { USER, .ip = 0x4000 } },
#define FINE(n)		{ 32, NO_IG_AD }, { 38, (P38 & ~(0x82ull << 3 * (n))) | 0x2000 },	\
			{ IBR(2 * (n)), 0x4010 }, { IBR(2 * (n) + 1), ~0ull >> 4 },		\
			{ IBR(2 * (n) + 4), 0x4050 }
	{ "below a fine range", { COUNT(4, 8), FINE(0) }, { USER, .ip = 0x4010 } },
	{ "the first of a fine range", { COUNT(4, 8), FINE(0) }, { USER, .ip = 0x4020 }, true },
	{ "the last of a fine range", { COUNT(4, 8), FINE(0) }, { USER, .ip = 0x4040 }, true },
#define ALIGNED		{ 32, NO_IG_AD }, { 38, (P38 & ~0x82ull) | 0x2000 },	\
			{ IBR(0), 0x4020 }, { IBR(1), ~0ull >> 4 }, { IBR(4), 0x4080 }
	{ "the lower limit", { COUNT(4, 8), ALIGNED }, { USER, .ip = 0x4020 } },
	{ "the upper limit", { COUNT(4, 8), ALIGNED }, { USER, .ip = 0x4080 } },
	{ "another page", { COUNT(4, 8), FINE(0) }, { USER, .ip = 0x14040 } },
	{ "the second fine range", { MORE(4, 8, UM(1)), FINE(1) },
	  { USER, .umask = 1, .ip = 0x4040 }, true },
	{ "above the second fine range", { MORE(4, 8, UM(1)), FINE(1) },
	  { USER, .umask = 1, .ip = 0x4060 } },
};

static void test_counts(void)
{
	int i, j, wrong = 0;

	for (i = 0; i < ARRAY(counts); i++) {
		struct mont_event e = happen(counts[i].e, ARRAY(counts[i].e), counts[i].ev);
		int n = counts[i].n ?: 4;
		struct edit plain[6] = { };
		bool filtered = mont_filtered(&bank);

		tap(mont_counts(&bank, n, &e) == counts[i].counted, "count %d: %s", i,
		    counts[i].what);
		/* The same counters without the registers of filters */
		for (j = 0; j < ARRAY(plain); j++)
			if (counts[i].e[j].reg < 16)
				plain[j] = counts[i].e[j];
		e = happen(plain, ARRAY(plain), counts[i].ev);
		wrong += mont_counts(&bank, n, &e) != counts[i].counted && !filtered;
	}
	tap(!wrong, "filters of which nothing knows: %d", wrong);
}

/* mont_defined() is false for a counter whose finding says that its event cannot count. */
static void test_defined(void)
{
	int i, n, wrong = 0;

	for (i = 0; i < ARRAY(setups); i++) {
		const char *says = setups[i].says;
		bool undefined = false;

		/* Where a counter is spoken of, its value is nobody's. */
		set_up(setups[i].e, ARRAY(setups[i].e));
		for (n = 4; n < 16; n++)
			undefined |= bank.pmc[n] & 0xf && !mont_defined(&bank, n);
		wrong += undefined != (says && (strstr(says, "does not exist") ||
					       strstr(says, "cannot count") ||
					       strstr(says, "whose set")));
	}
	tap(!wrong, "counters that count nothing defined: %d wrong", wrong);
	for (n = 0, wrong = 0; n < 16; n++)
		wrong += mont_l2d_master(n) != (n == 4 || n == 5 || n == 8 ? 4u :
				n == 6 || n == 7 || n == 9 ? 6u : 0u);
	tap(!wrong, "masters of L2D counters: %d wrong", wrong);
}

/* The table of events, for ia64/emulator/tests/test_manual.py */
static int print_codes(void)
{
	int i;

	for (i = 0; i < ARRAY(mont_codes); i++)
		printf("%d %d %d %d %d\n", i, mont_codes[i].counters, mont_codes[i].set,
		       mont_codes[i].quals, mont_codes[i].no_all);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc > 1 && !strcmp(argv[1], "codes"))
		return print_codes();
	test_setups();
	test_masks();
	test_writes();
	test_accesses();
	test_captures();
	test_buffer();
	test_counts();
	test_defined();
	return tap_done();
}
