// SPDX-License-Identifier: GPL-2.0-only
/* Trace buffer records in samples (tables 3-27 to 3-33), decoded and raw */
#include "tests.h"

/* The trace buffer: an entry, and its four bits of PMD39 */
struct entry {
	u64 pmd;
	unsigned int ext;
};

#define SOURCE(ip, slot)	((ip) | 1 | (slot) << 2)
#define MISSED(ip, slot)	((ip) | 3 | (slot) << 2)
#define TARGET(ip)		((ip) | 2)
#define INVALID(ip)		(ip)
#define B1			1u
#define FLUSH			2u

/* Entries that were captured last, the newest at @at - 1 of the buffer's 16 */
static void capture(const struct entry *e, unsigned int nr, unsigned int at)
{
	unsigned int i, k;

	/* Older entries are stale. */
	for (i = 0; i < 16; i++)
		hw[0].mont.pmd[48 + i] = SOURCE(0x666660ULL + 16 * i, 0);
	hw[0].mont.pmd[39] = 0;
	for (i = 0; i < nr; i++) {
		k = (at + 16 - nr + i) % 16;
		hw[0].mont.pmd[48 + k] = e[i].pmd;
		/* Table 3-27: PMD48+k has bits 8k+3:8k, PMD56+k those above. */
		hw[0].mont.pmd[39] |= (u64)e[i].ext << (8 * (k % 8) + (k < 8 ? 0 : 4));
	}
	hw[0].mont.pmd[38] = at % 16 | (nr == 16 ? 0x20 : 0);
}

static const struct {
	struct entry e[16];
	unsigned int nr;
	struct {
		u64 from, to;
		bool missed;
	} br[8];	/* the newest first */
} stacks[] = {
	{ { { SOURCE(UIP, 1), 0 }, { TARGET(0x5000) } }, 2, { { UIP + 1, 0x5000 } } },
	{ { { SOURCE(UIP, 2), B1 | 4 | 8 }, { TARGET(0x5000), 15 } }, 2, { { UIP + 18, 0x5000 } } },
	{ { { MISSED(UIP, 0), FLUSH }, { TARGET(0x5000) } }, 2, { { UIP, 0x5000, true } } },
	/* With two sources in a row, the first branched to the second one's bundle. */
	{ { { SOURCE(UIP, 0) }, { SOURCE(0x5000, 1), B1 }, { TARGET(0x6000) } }, 3,
	  { { 0x5011, 0x6000 }, { UIP, 0x5010 } } },
	/* ... but not that of a branch that was not predicted */
	{ { { MISSED(UIP, 0) }, { SOURCE(0x5000, 1) }, { TARGET(0x6000) } }, 3,
	  { { 0x5001, 0x6000 } } },
	/* Not taken, without a target, a target of nobody, not captured yet */
	{ { { SOURCE(UIP, 3) }, { TARGET(0x6000) } }, 2, { } },
	{ { { SOURCE(UIP, 3) }, { SOURCE(0x5000, 0) }, { TARGET(0x6000) } }, 3,
	  { { 0x5000, 0x6000 } } },
	{ { { SOURCE(UIP, 0) }, { INVALID(0x6000) }, { TARGET(0x7000) } }, 3, { } },
	{ { { TARGET(0x6000) }, { SOURCE(UIP, 0) }, { TARGET(0x7000) },
	    { TARGET(0x8000) } }, 4, { { UIP, 0x7000 } } },
	{ { { SOURCE(UIP, 0) }, { TARGET(0x7000) }, { SOURCE(UIP, 1) } }, 3, { { UIP, 0x7000 } } },
	/* Levels; 3.3.10.1.3: a target in the kernel is the handler of an interrupt. */
	{ { { SOURCE(UIP, 0) }, { TARGET(KIP & ~15ULL) },
	    { SOURCE(KIP & ~15ULL, 2) }, { TARGET(0x7000) } }, 4,
	  { { (KIP & ~15ULL) + 2, 0x7000 } } },
	{ { { SOURCE(UIP, 0) }, { SOURCE(KIP & ~15ULL, 2) }, { TARGET(0x7000) } }, 3,
	  { { (KIP & ~15ULL) + 2, 0x7000 } } },
	/* An exception and its rfi; failed chk and all else within a level stay. */
	{ { { MISSED(UIP, 1) }, { TARGET(KIP & ~15ULL) },
	    { MISSED(KIP & ~15ULL, 2) }, { TARGET(UIP) },
	    { MISSED(UIP, 2) }, { TARGET(0x7000) } }, 6,
	  { { UIP + 2, 0x7000, true } } },
	{ { }, 0, { } },
};

static struct perf_event *start_branches(u64 config, bool user, bool kernel)
{
	return start((struct perf_event_attr){
		.config = config, .exclude_user = !user,
		.exclude_kernel = !kernel,
		.sample_type = PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
				      (user ? PERF_SAMPLE_BRANCH_USER : 0) |
				      (kernel ? PERF_SAMPLE_BRANCH_KERNEL : 0),
	});
}

static bool is_shown(u64 addr, bool user, bool kernel)
{
	return addr < USER_END ? user : kernel;
}

static void expect_branch(unsigned int i, u64 from, u64 to, unsigned int cycles)
{
	EXPECT(got.br[i].from, from);
	EXPECT(got.br[i].to, to);
	EXPECT(got.br[i].cycles, cycles);
}

static void expect_branches(unsigned int nr)
{
	EXPECT(got.n, 1);
	EXPECT(got.nr_br, nr);
}

static void check_stack(bool user, bool kernel)
{
	unsigned int i, k = 0;

	for (i = 0; i < 8 && stacks[row].br[i].from; i++) {
		u64 from = stacks[row].br[i].from, to = stacks[row].br[i].to;

		if (!is_shown(from, user, kernel) || !is_shown(to, user, kernel))
			continue;
		expect_branch(k, from, to, 0);
		EXPECT(got.br[k].mispred, stacks[row].br[i].missed);
		EXPECT(got.br[k].predicted, !stacks[row].br[i].missed);
		k++;
	}
	expect_branches(k);
}

static void test_full(void)
{
	struct perf_event *event = start_branches(0x12, true, true);
	struct entry full[16];
	unsigned int i, k;

	for (i = 0; i < 16; i++)
		full[i] = (struct entry){
			i % 2 ? TARGET(0x8000ULL + 16 * i) :
				SOURCE(0x4000ULL + 16 * i, 0), i / 2 % 2 };
	for (row = 0; row < 16; row++) {
		got.n = 0;
		capture(full, 16, row);
		overflow(event, &user_regs);
		for (i = 0; i < 8; i++) {
			k = 14 - 2 * i;
			expect_branch(i, 0x4000ULL + 16 * k + (k / 2 % 2 ? 16 : 0),
				      0x8000ULL + 16 * (k + 1), 0);
		}
		expect_branches(8);
		EXPECT(hw[0].mont.pmd[38], 0);
	}
	mock_close(event);
}

void test_branches(unsigned int n)
{
	struct perf_event *event;
	unsigned int levels;

	begin();
	for (row = 0; row < ARRAY_SIZE(stacks); row++) {
		for (levels = 1; levels < 4; levels++) {
			event = start_branches(0x12, levels & 1, levels & 2);
			capture(stacks[row].e, stacks[row].nr, stacks[row].nr);
			overflow(event, levels & 2 ? &kernel_regs : &user_regs);
			check_stack(levels & 1, levels & 2);
			mock_close(event);
		}
	}
	test_full();
	/* Beside a record of the data EAR */
	event = start_branches(0xc8 | EAR(1, 0), true, true);
	capture(stacks[0].e, stacks[0].nr, stacks[0].nr);
	hw[0].mont.pmd[33] = 0x4000;
	hw[0].mont.pmd[36] = UIP | 8;
	overflow(event, &user_regs);
	expect_branches(1);
	EXPECT(got.regs.ip, UIP);
	mock_close(event);
	unload();
}

/* Tables 3-31 and 3-33: an instruction, and the cycles since the one before */
static struct entry retired(u64 ip, unsigned int cycles)
{
	return (struct entry){ ip >> 4 | (u64)(cycles & 15) << 60,
			       cycles >> 4 << 2 };
}

/* The delay ran early: fewer bits of the address, and what is left of it */
static struct entry retired_early(u64 ip, unsigned int cycles)
{
	return (struct entry){ ip >> 12 << 8 | 0x5a | (u64)(cycles & 15) << 60,
			       cycles >> 4 << 2 | 1 };
}

void test_ip(unsigned int n)
{
	struct entry e[16];
	struct perf_event *event;
	unsigned int i, nr;

	begin();
	for (i = 0; i < 16; i++)
		e[i] = i == 2 ? retired_early(0x7000, 35) : retired(UIP + 16 * i, i == 3 ? 63 : i);
	/* Number of entries; the newest may be wrong */
	for (nr = 0; nr <= 16; nr++) {
		row = nr;
		event = start_branches(0x12 | EAR(6, 0) | IP_DELAY(200), true, true);
		EXPECT(hw[0].mont.pmc[42], 0x449 | 200 << 11);
		EXPECT(hw[0].mont.pmc[39], 0);
		capture(e, nr, nr == 16 ? 5 : nr);
		overflow(event, &user_regs);
		EXPECT(got.dropped, nr < 2);
		for (i = 0; i + 2 < nr; i++) {
			unsigned int k = nr - 2 - i;

			expect_branch(i, k == 3 ? 0x7000 : UIP + 16 * (k - 1),
				      k == 2 ? 0x7000 : UIP + 16 * k,
				      k == 2 ? 35 : k == 3 ? 63 : k);
			EXPECT(got.br[i].mispred || got.br[i].predicted, 0);
		}
		if (nr >= 2) {
			expect_branches(nr - 2);
			EXPECT(got.regs.ip, user_regs.ip);
		}
		mock_close(event);
	}
	/* Without a stack, and of one level */
	event = start((struct perf_event_attr){ .config = 0x12 | EAR(6, 0) });
	overflow(event, &user_regs);
	EXPECT(got.n, 1);
	EXPECT(got.data.sample_flags, 0);
	EXPECT(hw[0].read_pmd >> 32, 0);
	mock_close(event);
	e[1] = retired(KIP & ~15ULL, 1);
	event = start_branches(0x12 | EAR(6, 0), true, false);
	capture(e, 7, 7);
	overflow(event, &user_regs);
	expect_branches(3);
	EXPECT(got.br[2].from, 0x7000);
	mock_close(event);
	unload();
}

/* Raw records: nothing undefined, stale, or of excluded levels */
static struct perf_event *start_raw(u64 config, bool kernel)
{
	return start((struct perf_event_attr){
		.config = config, .exclude_kernel = !kernel,
		.sample_type = PERF_SAMPLE_RAW });
}

/* An overflow, and its record */
static void expect_raw(struct perf_event *event, unsigned int nr, const u64 *want)
{
	unsigned int i;

	overflow(event, &user_regs);
	EXPECT(got.n, 1);
	EXPECT(got.nr_raw, nr);
	for (i = 0; i < nr; i++)
		EXPECT(got.raw[i], want[i]);
	mock_close(event);
}

static void test_raw_ears(void)
{
	static const struct {
		u64 config;
		bool kernel;
		u64 pmd32;
		unsigned int nr;
		u64 raw[3];
	} ears[] = {
		{ 0xc8 | EAR(3, 0), true, 0x7000, 3, { 0, 0x4000, UIP | 9 } },
		{ 0xc8 | EAR(1, 0), true, 0x7000, 3, { 0x7000, 0x4033, UIP | 9 } },
		{ 0xc8 | EAR(2, 0xe), true, 0x7000, 3, { 0x7000, 0x4000, UIP | 9 } },
		{ 0xc8 | EAR(1, 0), false, KIP, 3, { 0, 0x4033, UIP | 9 } },
		{ 0xc8 | EAR(1, 0), false, 0x7000, 3, { 0x7000, 0x4033, UIP | 9 } },
		{ 0xc8 | EAR(1, 0), true, KIP, 3, { KIP, 0x4033, UIP | 9 } },
		{ 0x43 | EAR(4, 0x40), true, 0, 2, { UIP | 3, 0x1044 } },
		{ 0x43 | EAR(5, 7), true, 0, 2, { UIP | 3, 0 } },
	};

	for (row = 0; row < ARRAY_SIZE(ears); row++) {
		struct perf_event *event = start_raw(ears[row].config, ears[row].kernel);
		const u64 pmd[] = { ears[row].pmd32, 0x4033, UIP | 3, 0x1044, UIP | 9 };

		memcpy(&hw[0].mont.pmd[32], pmd, sizeof(pmd));
		expect_raw(event, ears[row].nr, ears[row].raw);
		/* Undefined registers are not read: the ALAT's address. */
		EXPECT(row == 0 && hw[0].read_pmd & BIT_ULL(32), 0);
	}
}

void test_raw(unsigned int n)
{
	struct entry e[16];
	struct perf_event *event;
	u64 want[18] = { 0x23 };
	unsigned int i;

	begin();
	test_raw_ears();
	/* Four entries, one of them the kernel's, one without a meaning */
	e[0] = (struct entry){ SOURCE(UIP, 1), 0xd };
	e[1] = (struct entry){ TARGET(KIP & ~15ULL), 0xe };
	e[2] = (struct entry){ INVALID(UIP), 0xf };
	e[3] = (struct entry){ SOURCE(UIP, 3), 0x7 };
	for (row = 0; row < 2; row++) {
		event = start_raw(0x11, row);
		capture(e, 4, 4);
		expect_raw(event, 18, (u64[18]) {
			4, 0xdULL | 0x7ULL << 24 | (row ? 0xeULL << 8 : 0), e[0].pmd,
			row ? e[1].pmd : 0, 0, e[3].pmd });
		/* Entries that are not in use are not read. */
		EXPECT(hw[0].read_pmd >> 52, 0);
	}
	/* All sixteen, from the middle on */
	event = start_raw(0x11, true);
	for (i = 0; i < 16; i++) {
		e[i] = (struct entry){ SOURCE(UIP + 16 * i, 0), i };
		want[2 + (i + 3) % 16] = e[i].pmd;
	}
	capture(e, 16, 3);
	want[1] = hw[0].mont.pmd[39];
	expect_raw(event, 18, want);
	/* The IP-EAR's newest entry may be wrong, unless it was early. */
	for (row = 0; row < 2; row++) {
		event = start_raw(0x12 | EAR(6, 0), false);
		e[0] = retired(UIP, 20);
		e[1] = retired(KIP & ~15ULL, 3);
		e[2] = row ? retired_early(0x7000, 9) : retired(UIP, 9);
		capture(e, 3, 3);
		expect_raw(event, 18, (u64[18]) {
			3, (u64)e[0].ext | (row ? (u64)e[2].ext << 16 : 0), e[0].pmd, 0,
			row ? e[2].pmd : 0 });
	}
	/* An event that captures nothing has no record. */
	expect_raw(start_raw(0x12, true), 0, NULL);
	EXPECT(got.data.sample_flags, 0);
	unload();
}
