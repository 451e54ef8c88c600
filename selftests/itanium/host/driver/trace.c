// SPDX-License-Identifier: GPL-2.0-only
/*
 * What samples of itanium_pmu show of the trace buffer (tables 3-27 to 3-33 of the
 * manual) and undecoded, and that nothing is there of who is not counted.
 */
#include "sample.h"

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

	/* The rest is what was captured long ago. */
	for (i = 0; i < 16; i++)
		hw[0].pmd[48 + i] = SOURCE(0x666660ULL + 16 * i, 0);
	hw[0].pmd[39] = 0;
	for (i = 0; i < nr; i++) {
		k = (at + 16 - nr + i) % 16;
		hw[0].pmd[48 + k] = e[i].pmd;
		/* Table 3-27: PMD48+k has bits 8k+3:8k, PMD56+k those above. */
		hw[0].pmd[39] |= (u64)e[i].ext << (8 * (k % 8) + (k < 8 ? 0 : 4));
	}
	hw[0].pmd[38] = at % 16 | (nr == 16 ? 0x20 : 0);
}

static const struct {
	struct entry e[16];
	unsigned int nr;
	struct {
		u64 from, to;
		bool missed;
	} br[8];	/* the newest first */
} stacks[] = {
	{ { { SOURCE(UIP, 1), 0 }, { TARGET(0x5000) } }, 2,
	  { { UIP + 1, 0x5000 } } },
	{ { { SOURCE(UIP, 2), B1 | 4 | 8 }, { TARGET(0x5000), 15 } }, 2,
	  { { UIP + 18, 0x5000 } } },
	{ { { MISSED(UIP, 0), FLUSH }, { TARGET(0x5000) } }, 2,
	  { { UIP, 0x5000, true } } },
	/* Of two sources the second one's bundle is where the first one went. */
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
	{ { { SOURCE(UIP, 0) }, { TARGET(0x7000) }, { SOURCE(UIP, 1) } }, 3,
	  { { UIP, 0x7000 } } },
	/* Levels */
	{ { { SOURCE(UIP, 0) }, { TARGET(KIP & ~15ULL) },
	    { SOURCE(KIP & ~15ULL, 2) }, { TARGET(0x7000) } }, 4,
	  { { (KIP & ~15ULL) + 2, 0x7000 }, { UIP, KIP & ~15ULL } } },
	/* An exception and its rfi; failed chk and all else within a level stay. */
	{ { { MISSED(UIP, 1) }, { TARGET(KIP & ~15ULL) },
	    { MISSED(KIP & ~15ULL, 2) }, { TARGET(UIP) },
	    { MISSED(UIP, 2) }, { TARGET(0x7000) } }, 6,
	  { { UIP + 2, 0x7000, true } } },
	{ { }, 0, { } },
};

static struct perf_event *start_branches(u64 config, bool user, bool kernel,
					 u64 more)
{
	return start((struct perf_event_attr){
		.config = config, .exclude_user = !user,
		.exclude_kernel = !kernel,
		.sample_type = PERF_SAMPLE_BRANCH_STACK,
		.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | more |
				      (user ? PERF_SAMPLE_BRANCH_USER : 0) |
				      (kernel ? PERF_SAMPLE_BRANCH_KERNEL : 0),
	});
}

static bool is_shown(u64 addr, bool user, bool kernel)
{
	return addr < USER_END ? user : kernel;
}

static void check_stack(unsigned int i, bool user, bool kernel)
{
	unsigned int j, k = 0;

	for (j = 0; j < 8 && stacks[i].br[j].from; j++) {
		if (!is_shown(stacks[i].br[j].from, user, kernel) ||
		    !is_shown(stacks[i].br[j].to, user, kernel))
			continue;
		if (wrong(got.br[k].from != stacks[i].br[j].from ||
			  got.br[k].to != stacks[i].br[j].to ||
			  got.br[k].mispred != stacks[i].br[j].missed ||
			  got.br[k].predicted == stacks[i].br[j].missed ||
			  got.br[k].cycles))
			fault("stack %u: branch %u is from %#llx to %#llx, %s",
			      i, k, (unsigned long long)got.br[k].from,
			      (unsigned long long)got.br[k].to,
			      got.br[k].mispred ? "missed" : "predicted");
		k++;
	}
	if (wrong(got.nr_br != k || got.n != 1))
		fault("stack %u: %u branches, %u samples", i, got.nr_br, got.n);
}

static struct entry full[16];

static void test_full(void)
{
	struct perf_event *event = start_branches(0x12, true, true, 0);
	unsigned int at, i;

	for (i = 0; i < 16; i++)
		full[i] = (struct entry){
			i % 2 ? TARGET(0x8000ULL + 16 * i) :
				SOURCE(0x4000ULL + 16 * i, 0), i / 2 % 2 };
	for (at = 0; at < 16; at++) {
		capture(full, 16, at);
		overflow(event, &user_regs);
		for (i = 0; i < 8; i++) {
			unsigned int k = 14 - 2 * i;

			if (wrong(got.br[i].from != 0x4000ULL + 16 * k +
						    (k / 2 % 2 ? 16 : 0) ||
				  got.br[i].to != 0x8000ULL + 16 * (k + 1)))
				fault("full up to %u: branch %u is from %#llx to %#llx",
				      at, i, (unsigned long long)got.br[i].from,
				      (unsigned long long)got.br[i].to);
		}
		if (wrong(got.nr_br != 8 || hw[0].pmd[38]))
			fault("full up to %u: %u branches, index %#llx", at,
			      got.nr_br, (unsigned long long)hw[0].pmd[38]);
	}
	mock_close(event);
}

/* Table 3-26: taken branches, all of them or one kind, at both levels */
static void test_filters(void)
{
	static const struct {
		u64 filter, pmc39;
	} filters[] = {
		{ PERF_SAMPLE_BRANCH_ANY, 0x3e49 },
		{ PERF_SAMPLE_BRANCH_ANY_RETURN, 0xbe49 },
		{ PERF_SAMPLE_BRANCH_IND_CALL, 0xfe49 },
		{ PERF_SAMPLE_BRANCH_IND_CALL | PERF_SAMPLE_BRANCH_IND_JUMP, 0xfe49 },
	};
	struct perf_event *event;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(filters); i++) {
		event = start((struct perf_event_attr){
			.config = 0x12, .sample_type = PERF_SAMPLE_BRANCH_STACK,
			.branch_sample_type = filters[i].filter |
					      PERF_SAMPLE_BRANCH_USER |
					      PERF_SAMPLE_BRANCH_KERNEL });
		if (wrong(hw[0].pmc[39] != filters[i].pmc39 || hw[0].pmc[42]))
			fault("filter %u: PMC39 is %#llx", i,
			      (unsigned long long)hw[0].pmc[39]);
		mock_close(event);
	}
}

void test_branches(unsigned int n)
{
	struct perf_event *event;
	unsigned int i, levels;

	begin();
	test_filters();
	for (i = 0; i < ARRAY_SIZE(stacks); i++) {
		for (levels = 1; levels < 4; levels++) {
			event = start_branches(0x12, levels & 1, levels & 2, 0);
			capture(stacks[i].e, stacks[i].nr, stacks[i].nr);
			overflow(event, levels & 2 ? &kernel_regs : &user_regs);
			check_stack(i, levels & 1, levels & 2);
			mock_close(event);
		}
	}
	test_full();
	/* Beside a record of the data EAR */
	event = start_branches(0xc8 | EAR(1, 0), true, true, 0);
	capture(stacks[0].e, stacks[0].nr, stacks[0].nr);
	hw[0].pmd[33] = 0x4000;
	hw[0].pmd[36] = UIP | 8;
	overflow(event, &user_regs);
	if (wrong(got.n != 1 || got.nr_br != 1 || got.regs.ip != UIP))
		fault("%u branches of a load at %#llx", got.nr_br,
		      (unsigned long long)got.regs.ip);
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
		e[i] = i == 2 ? retired_early(0x7000, 35) :
				retired(UIP + 16 * i, i == 3 ? 63 : i);
	/* So many entries, the newest of which may be wrong */
	for (nr = 0; nr <= 16; nr++) {
		event = start_branches(0x12 | EAR(6, 0) | IP_DELAY(200), true,
				       true, 0);
		if (wrong(hw[0].pmc[42] != (0x449 | 200 << 11) || hw[0].pmc[39]))
			fault("PMC42 is %#llx", (unsigned long long)hw[0].pmc[42]);
		capture(e, nr, nr == 16 ? 5 : nr);
		overflow(event, &user_regs);
		if (nr < 2) {
			if (wrong(got.n || got.dropped != 1))
				fault("a sample of %u instructions", nr);
			mock_close(event);
			continue;
		}
		if (wrong(got.n != 1 || got.nr_br != nr - 2))
			fault("%u steps of %u instructions", got.nr_br, nr);
		for (i = 0; i < got.nr_br; i++) {
			unsigned int k = nr - 2 - i;
			u64 to = k == 2 ? 0x7000 : UIP + 16 * k;
			u64 from = k == 3 ? 0x7000 : UIP + 16 * (k - 1);

			if (wrong(got.br[i].from != from || got.br[i].to != to ||
				  got.br[i].cycles != (k == 2 ? 35 : k == 3 ? 63 : k) ||
				  got.br[i].mispred || got.br[i].predicted))
				fault("step %u of %u is from %#llx to %#llx, %u cycles",
				      i, nr, (unsigned long long)got.br[i].from,
				      (unsigned long long)got.br[i].to,
				      (unsigned int)got.br[i].cycles);
		}
		if (wrong(got.regs.ip != user_regs.ip))
			fault("the sample is at %#llx",
			      (unsigned long long)got.regs.ip);
		mock_close(event);
	}
	/* Without a stack, and of one level */
	event = start((struct perf_event_attr){ .config = 0x12 | EAR(6, 0) });
	overflow(event, &user_regs);
	if (wrong(got.n != 1 || got.data.sample_flags || hw[0].read_pmd >> 32))
		fault("%u samples without a stack, of %#llx", got.n,
		      (unsigned long long)hw[0].read_pmd);
	mock_close(event);
	e[1] = retired(KIP & ~15ULL, 1);
	event = start_branches(0x12 | EAR(6, 0), true, false, 0);
	capture(e, 7, 7);
	overflow(event, &user_regs);
	if (wrong(got.nr_br != 3 || got.br[2].from != 0x7000))
		fault("%u steps of the program", got.nr_br);
	mock_close(event);
	unload();
}

/* Undecoded records: nothing undefined, nothing old, nothing of who is not counted */
static struct perf_event *start_raw(u64 config, bool kernel)
{
	return start((struct perf_event_attr){
		.config = config, .exclude_kernel = !kernel,
		.sample_type = PERF_SAMPLE_RAW });
}

static void check_raw(const char *what, unsigned int nr, const u64 *want)
{
	unsigned int i;

	if (wrong(got.n != 1 || got.nr_raw != nr))
		fault("%s: %u words in %u samples", what, got.nr_raw, got.n);
	for (i = 0; i < nr; i++) {
		if (wrong(got.raw[i] != want[i]))
			fault("%s: word %u is %#llx, not %#llx", what, i,
			      (unsigned long long)got.raw[i],
			      (unsigned long long)want[i]);
	}
}

static void raw_ear(const char *what, u64 config, bool kernel, const u64 *pmd,
		    unsigned int nr, u64 a, u64 b, u64 c)
{
	struct perf_event *event = start_raw(config, kernel);
	unsigned int i;

	for (i = 0; i < 5; i++)
		hw[0].pmd[32 + i] = pmd[i];
	overflow(event, &user_regs);
	check_raw(what, nr, (u64 []){ a, b, c });
	mock_close(event);
}

void test_raw(unsigned int n)
{
	static const u64 pmd[] = { 0x7000, 0x4033, UIP | 3, 0x1044, UIP | 9 };
	static const u64 secret[] = { KIP, 0x4033, UIP | 3, 0x1044, UIP | 9 };
	struct entry e[16];
	struct perf_event *event;
	u64 want[18];
	unsigned int i;

	begin();
	raw_ear("cache", 0xc8 | EAR(1, 0), true, pmd, 3, 0x7000, 0x4033, UIP | 9);
	raw_ear("TLB", 0xc8 | EAR(2, 0xe), true, pmd, 3, 0x7000, 0x4000, UIP | 9);
	raw_ear("ALAT", 0xc8 | EAR(3, 0), true, pmd, 3, 0, 0x4000, UIP | 9);
	if (wrong(hw[0].read_pmd & BIT_ULL(32)))
		fault("what is undefined is read");
	raw_ear("the kernel's data", 0xc8 | EAR(1, 0), false, secret, 3, 0, 0x4033,
		UIP | 9);
	raw_ear("the program's data", 0xc8 | EAR(1, 0), false, pmd, 3, 0x7000,
		0x4033, UIP | 9);
	raw_ear("both", 0xc8 | EAR(1, 0), true, secret, 3, KIP, 0x4033, UIP | 9);
	raw_ear("fetches", 0x43 | EAR(4, 0x40), true, pmd, 2, UIP | 3, 0x1044, 0);
	raw_ear("fetches' TLB", 0x43 | EAR(5, 7), true, pmd, 2, UIP | 3, 0, 0);

	/* Four entries, one of them the kernel's, one without a meaning */
	e[0] = (struct entry){ SOURCE(UIP, 1), 0xd };
	e[1] = (struct entry){ TARGET(KIP & ~15ULL), 0xe };
	e[2] = (struct entry){ INVALID(UIP), 0xf };
	e[3] = (struct entry){ SOURCE(UIP, 3), 0x7 };
	for (i = 0; i < 2; i++) {
		event = start_raw(0x11, i);
		capture(e, 4, 4);
		overflow(event, &user_regs);
		memset(want, 0, sizeof(want));
		want[0] = 4;
		want[1] = 0xdULL | 0x7ULL << 24 | (i ? 0xeULL << 8 : 0);
		want[2] = e[0].pmd;
		want[3] = i ? e[1].pmd : 0;
		want[5] = e[3].pmd;
		check_raw("branches", 18, want);
		if (wrong(hw[0].read_pmd >> 52))
			fault("entries are read that are not in use");
		mock_close(event);
	}
	/* All sixteen, from the middle on */
	event = start_raw(0x11, true);
	for (i = 0; i < 16; i++)
		e[i] = (struct entry){ SOURCE(UIP + 16 * i, 0), i };
	capture(e, 16, 3);
	memset(want, 0, sizeof(want));
	want[0] = 0x23;
	want[1] = hw[0].pmd[39];
	for (i = 0; i < 16; i++)
		want[2 + (i + 3) % 16] = e[i].pmd;
	overflow(event, &user_regs);
	check_raw("a full buffer", 18, want);
	mock_close(event);
	/* The IP-EAR's newest entry may be wrong, unless it was early. */
	for (i = 0; i < 2; i++) {
		event = start_raw(0x12 | EAR(6, 0), false);
		e[0] = retired(UIP, 20);
		e[1] = retired(KIP & ~15ULL, 3);
		e[2] = i ? retired_early(0x7000, 9) : retired(UIP, 9);
		capture(e, 3, 3);
		overflow(event, &user_regs);
		memset(want, 0, sizeof(want));
		want[0] = 3;
		want[1] = (u64)e[0].ext | (i ? (u64)e[2].ext << 16 : 0);
		want[2] = e[0].pmd;
		want[4] = i ? e[2].pmd : 0;
		check_raw("the IP-EAR", 18, want);
		mock_close(event);
	}
	/* An event that captures nothing has no record. */
	event = start_raw(0x12, true);
	overflow(event, &user_regs);
	if (wrong(got.n != 1 || got.data.sample_flags))
		fault("a record of nothing");
	mock_close(event);
	unload();
}

static const struct entry one[] = { { SOURCE(UIP, 0) }, { TARGET(0x5000) } };

/* What the next sample has in its stack */
static unsigned int branches_of(struct perf_event *event)
{
	got.nr_br = 99;
	overflow(event, &user_regs);
	return got.nr_br;
}

/* Units that are set up anew begin with nothing, whoever ran before. */
static void test_units(void)
{
	static const u64 configs[] = {
		0xc8 | EAR(1, 0), 0x43 | EAR(4, 0x40), 0x11, 0x12 | EAR(6, 0),
	};
	struct perf_event *event[2];
	unsigned int i, j;

	for (i = 0; i < 4; i++) {
		for (j = 0; j < i; j++) {
			struct perf_event_attr attr = { .config = configs[j] };
			struct perf_event *first = start_raw(0x11, true);

			/* The task that runs is known by then. */
			overflow(first, &user_regs);
			mock_close(first);
			event[0] = open_attr(0, &attr, NULL);
			attr.config = configs[i];
			event[1] = open_attr(0, &attr, event[0]);
			hw[0].pmd[33] = 0x4000;
			hw[0].pmd[36] = 8;
			hw[0].pmd[34] = 3;
			hw[0].pmd[38] = 7;
			machine_tally();
			if (wrong(!mock_sched_in(event[0])))
				fault("units %u and %u: no room", i, j);
			if (wrong((j == 0 && (hw[0].pmd[33] || hw[0].pmd[36])) ||
				  ((i == 1 || j == 1) && hw[0].pmd[34]) ||
				  (i > 1 && event[1] && hw[0].pmd[38])))
				fault("units %u and %u have old records", i, j);
			mock_close(event[0]);
		}
	}
}

/* Two units whose records overflow at once: both are read, and both made ready. */
static void test_both(void)
{
	struct perf_event *data, *inst;

	data = start((struct perf_event_attr){ .config = 0xc8 | EAR(1, 0) });
	inst = start((struct perf_event_attr){ .config = 0x43 | EAR(4, 0x40) });
	hw[0].pmd[33] = 0x4000;
	hw[0].pmd[36] = UIP | 8;
	hw[0].pmd[34] = UIP | 1;
	hw[0].pmd[data->hw.idx] = BIT_ULL(47) - 1;
	overflow(inst, &user_regs);
	if (wrong(got.n != 2 || hw[0].pmd[33] || hw[0].pmd[36] || hw[0].pmd[34]))
		fault("%u samples of two records, and old ones are left", got.n);
	mock_close(data);
	mock_close(inst);
}

/* Records and branches of a task are not the next one's, nor a processor's event's. */
void test_tasks(unsigned int n)
{
	struct perf_event *wide, *own;

	begin();
	test_units();
	test_both();
	wide = start_branches(0x12, true, true, 0);
	capture(one, 2, 2);
	mock_disable(pmu, 0);
	mock_enable(pmu, 0);
	if (wrong(branches_of(wide) != 1))
		fault("%u branches when perf has looked", got.nr_br);
	capture(one, 2, 2);
	task_comes(0, &tasks[1]);
	if (wrong(branches_of(wide)))
		fault("%u branches of a task that has made way", got.nr_br);
	/* An event that comes begins with nothing, whoever shares its setting. */
	own = open_attr(0, &wide->attr, NULL);
	capture(one, 2, 2);
	mock_sched_in(own);
	if (wrong(branches_of(own)))
		fault("%u branches of before the event came", got.nr_br);
	mock_close(own);
	mock_close(wide);
	/* Nobody is told once no event captures. */
	capture(one, 2, 2);
	machine_tally();
	task_comes(0, &tasks[0]);
	if (wrong(hw[0].writes))
		fault("tasks are watched for nobody");
	unload();
}
