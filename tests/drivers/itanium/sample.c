// SPDX-License-Identifier: GPL-2.0-only
/* When samples are taken, and the contents of EAR samples: tables 3-17 to 3-25 */
#include "tests.h"

#define EDGE		(USER_END - 0x20)	/* the program's last addresses */
#define LAST		(BIT_ULL(47) - 1)

struct pt_regs user_regs = { 0x401000, __USER_CS, 0x200 };
struct pt_regs kernel_regs = { 0xffffffff81000000ULL, __KERNEL_CS, 2 };
static struct task_struct task = { .pid = 1, .regs = { 0x402000, __USER_CS, 0x246 } };
/* Where a task has its user registers, the stack of a kernel thread may have anything. */
static struct task_struct kthread = {
	.pid = 9, .flags = PF_KTHREAD, .regs = { 0x403000, __USER_CS, 0x246 },
};

struct taken got;

static int take(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	got.n++;
	got.event = event;
	got.data = *data;
	got.regs = *regs;
	got.nr_raw = 0;
	got.nr_br = 0;
	if (data->sample_flags & PERF_SAMPLE_RAW) {
		got.nr_raw = data->raw->frag.size / 8;
		memcpy(got.raw, data->raw->frag.data, data->raw->frag.size);
	}
	if (data->sample_flags & PERF_SAMPLE_BRANCH_STACK) {
		got.nr_br = data->br_stack->nr;
		EXPECT(got.nr_br <= ARRAY_SIZE(got.br), 1);
		EXPECT(data->br_stack->hw_idx, ~0ULL);
		memcpy(got.br, data->br_stack->entries, sizeof(got.br));
	}
	return 0;
}

static int count_dropped(struct perf_event *event)
{
	got.dropped++;
	return 0;
}

void begin(void)
{
	load();
	machine_hooks.sample = take;
	machine_hooks.account = count_dropped;
	mock_task[0] = &task;
}

struct perf_event *start(struct perf_event_attr attr)
{
	struct perf_event *event;

	if (!attr.sample_period)
		attr.sample_period = 1;
	event = open_attr(0, &attr, NULL);
	EXPECT(event && mock_sched_in(event), 1);
	if (!event)
		abort();
	memset(&got, 0, sizeof(got));
	return event;
}

static u64 *counter_of(const struct perf_event *event)
{
	return &hw[event->cpu].mont.pmd[event->hw.idx];
}

/* Inject overflows, with @regs as interrupted registers. */
static void tick(struct pt_regs *regs)
{
	machine_tick(0, 1);
	machine_interrupts(0, regs);
}

void overflow(struct perf_event *event, struct pt_regs *regs)
{
	*counter_of(event) = LAST;
	machine_tally();
	tick(regs);
	EXPECT(hw[0].mont.pmc[0], 0);
}

static void expect_samples(unsigned int n, unsigned int dropped)
{
	EXPECT(got.n, n);
	EXPECT(got.dropped, dropped);
}

/* Periods: what is left until the next overflow */
static void expect_left(struct perf_event *event, u64 left)
{
	EXPECT(BIT_ULL(47) - *counter_of(event), left);
}

static void test_period(void)
{
	struct perf_event *event = start((struct perf_event_attr){
		.config = 0x12, .sample_period = 1000 });
	unsigned int n;

	/* More than a period at once is one sample, and so is just a second one. */
	for (row = 1; row <= 2; row++) {
		n = got.n;
		*counter_of(event) = row == 1 ? 5000 : 1000;
		hw[0].mont.pmc[0] |= FR | BIT_ULL(event->hw.idx);
		hw[0].interrupt = true;
		machine_interrupts(0, &user_regs);
		expect_left(event, 1000);
		expect_samples(n + 1, 0);
	}
	/* A user's page is brought up to date by each of what changes it. */
	event->pages = 0;
	mock_sched_out(event);
	EXPECT(event->pages, 1);
	mock_sched_in(event);
	EXPECT(event->pages, 3);
	/* With a frequency perf changes the period: the sample has the one that has passed. */
	event->hw.sample_period = 2000;
	*counter_of(event) = LAST;
	tick(&user_regs);
	EXPECT(got.data.period, 1000);
	EXPECT(event->hw.last_period, 2000);
	mock_close(event);
}

/* Longer than a counter tells apart: overflows without a sample, as of a count */
static void test_long_period(u64 period, unsigned int samples)
{
	struct perf_event_attr attr = { .config = 0x12, .sample_period = period };
	struct perf_event *event = open_attr(0, &attr, NULL);

	mock_sched_in(event);
	memset(&got, 0, sizeof(got));
	for (row = 1; row <= 3; row++) {
		expect_left(event, BIT_ULL(46));
		expect_samples(0, 0);
		*counter_of(event) = BIT_ULL(47) - machine_rate(want_control(&attr));
		tick(&user_regs);
		EXPECT(count_of(event), (u64)row << 46);
	}
	expect_samples(samples, 0);
	EXPECT(!!event->pages, 1);
	mock_close(event);
}

void test_periods(unsigned int n)
{
	begin();
	test_period();
	test_long_period(3 * BIT_ULL(46), 1);
	test_long_period(0, 0);
	unload();
}

/* An interrupt that is late, has nothing to tell, or comes while perf has disabled the PMU */
void test_late(unsigned int n)
{
	struct perf_event *event;

	begin();
	event = start((struct perf_event_attr){ .config = 0x12, .sample_period = 500 });
	overflow(event, &user_regs);
	expect_samples(1, 0);
	hw[0].interrupt = true;
	machine_interrupts(0, &user_regs);
	EXPECT(hw[0].mont.pmc[0], 0);
	mock_disable(pmu, 0);
	hw[0].interrupt = true;
	machine_interrupts(0, &kernel_regs);
	EXPECT(hw[0].mont.pmc[0], FR);
	mock_enable(pmu, 0);
	EXPECT(hw[0].mont.pmc[0], 0);
	expect_samples(1, 0);
	mock_close(event);
	/* Late, in the kernel: a task's sample has its user registers, a kernel thread has none. */
	event = start((struct perf_event_attr){ .config = 0x12, .exclude_kernel = 1 });
	overflow(event, &kernel_regs);
	expect_samples(1, 0);
	EXPECT(got.regs.ip, task.regs.ip);
	mock_task[0] = &kthread;
	overflow(event, &kernel_regs);
	expect_samples(1, 1);
	mock_close(event);
	unload();
}

static void set_data_record(u64 pmd33, u64 pmd36)
{
	hw[0].mont.pmd[33] = pmd33;
	hw[0].mont.pmd[36] = pmd36;
}

static struct perf_event *members[4];

static int throttle_group(struct perf_event *event, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	unsigned int i;

	take(event, data, regs);
	for (i = 0; i < ARRAY_SIZE(members); i++)
		pmu->stop(members[i], 0);
	EXPECT(hw[0].mont.pmc[0] & FR, FR);
	return 1;
}

/*
 * Linux 6.16 and later throttle a group as a whole. All of it overflow at once, and the first one's
 * sample throttles them.
 */
void test_group_throttled(unsigned int n)
{
	static const u64 periods[] = { 500, 700, 0, 3 * BIT_ULL(46) };
	struct perf_event_attr attr = { .config = 0xc8 | EAR(1, 0) };
	unsigned int i;

	begin();
	for (i = 0; i < ARRAY_SIZE(members); i++) {
		attr.sample_period = periods[i];
		members[i] = open_attr(0, &attr, NULL);
		mock_sched_in(members[i]);
		*counter_of(members[i]) = LAST;
		/* The data EAR's counts, and what is counted beside them */
		attr.config = 0x12;
	}
	memset(&got, 0, sizeof(got));
	machine_hooks.sample = throttle_group;
	/* The second one's period is just over. */
	*counter_of(members[1]) -= machine_rate(control_of(members[1])) - 1;
	set_data_record(0x4001, UIP | 8);
	machine_tally();
	tick(&user_regs);
	/* Each looked at, the first sampled, all stopped; PMC0 twice, and the record */
	EXPECT(hw[0].reads, 4 + 2 + 3 + 4);
	EXPECT(hw[0].writes, 2 + 1 + 2 + 4);
	expect_samples(1, 0);
	EXPECT(got.event == members[0], 1);
	EXPECT(hw[0].mont.pmc[0] | hw[0].mont.pmd[33] | hw[0].mont.pmd[36], 0);
	for (row = 0; row < ARRAY_SIZE(members); row++)
		EXPECT(members[row]->hw.state & PERF_HES_STOPPED, PERF_HES_STOPPED);
	machine_hooks.sample = take;
	for (i = 0; i < ARRAY_SIZE(members); i++)
		mock_start(members[i]);
	/* A period has passed of the second one only: its sample comes with the next event. */
	expect_left(members[1], 1);
	set_data_record(0x4001, UIP | 8);
	tick(&user_regs);
	expect_samples(2, 0);
	EXPECT(got.event == members[1], 1);
	for (i = 0; i < ARRAY_SIZE(members); i++)
		EXPECT(members[i]->lost_samples.v, 0);
	for (i = 0; i < ARRAY_SIZE(members); i++)
		mock_close(members[i]);
	unload();
}

/* Event address registers */
#define SRC(op, lvl, tlb)	((op) | (lvl) | (tlb) |				\
				 PERF_MEM_S(LOCK, NA) | PERF_MEM_S(SNOOP, NA))
#define NO_LEVEL	PERF_MEM_S(LVL, NA)
#define NO_TLB		PERF_MEM_S(TLB, NA)
#define TLB_BY(who)	(PERF_MEM_S(TLB, who) | PERF_MEM_S(TLB, HIT))
#define LOAD		SRC(PERF_MEM_S(OP, LOAD), NO_LEVEL, NO_TLB)
#define MEM(who)	SRC(PERF_MEM_S(OP, LOAD) | PERF_MEM_S(OP, STORE), NO_LEVEL, TLB_BY(who))
#define L1_MISS		(PERF_MEM_S(LVL, L1) | PERF_MEM_S(LVL, MISS))
#define FETCH		SRC(PERF_MEM_S(OP, EXEC), L1_MISS, NO_TLB)
#define EXEC(who)	SRC(PERF_MEM_S(OP, EXEC), NO_LEVEL, TLB_BY(who))
#define NOTHING		0xdeadULL	/* the sample has no such field */
/* Capture registers that are read */
#define ALL		(BIT_ULL(32) | BIT_ULL(33) | BIT_ULL(36))
#define NO_ADDR		(BIT_ULL(33) | BIT_ULL(36))
#define STATE		BIT_ULL(33)

static const struct {
	u64 config;
	unsigned int user:1, kernel:1;	/* not counted */
	u64 a, b, c, read;		/* PMD32, 33, 36; PMD34, 35 */
	u64 ip, addr, weight, src;	/* ip 0: no sample */
} records[] = {
#define D		(0xc8 | EAR(1, 0))
#define T		(0xc8 | EAR(2, 0xe))
#define A		(0xc8 | EAR(3, 0))
	{ D, 0, 0, 0x7000, 0x4000 | 40, UIP | 8, ALL, UIP, 0x7000, 40, LOAD },
	{ D, 0, 0, ~0ULL, 0x4000 | 0x1fff, UIP | 8 | 2, ALL, UIP + 2, ~0ULL, 0x1fff, LOAD },
	{ D, 0, 0, 0x7000, 0x4000 | 0x2005, UIP | 13, ALL, UIP + 17, 0x7000, 0x1fff, LOAD },
	{ D, 0, 0, 0x7000, 0xffff0000ULL | 0x4000, KIP | 8, ALL, KIP, 0x7000, 0, LOAD },
	/* Not valid, or of no instruction */
	{ D, 0, 0, 0x7000, 40, UIP | 8, STATE },
	{ D, 0, 0, 0x7000, 0x8000, UIP | 8, STATE },
	{ D, 0, 0, 0x7000, 0xc000, UIP | 8, STATE },
	{ D, 0, 0, 0x7000, 0x4000, UIP | 7, NO_ADDR },
	/* The instruction or the data address has a privilege level that is not counted. */
	{ D, 0, 1, 0x7000, 0x4000, KIP | 8, NO_ADDR },
	{ D, 1, 0, 0x7000, 0x4000, UIP | 8, NO_ADDR },
	{ D, 1, 0, 0x7000, 0x4000, KIP | 8, ALL, KIP, 0x7000, 0, LOAD },
	{ D, 0, 1, 0x7000, 0x4000, UIP | 8, ALL, UIP, 0x7000, 0, LOAD },
	{ D, 0, 1, KIP, 0x4000, UIP | 8, ALL, UIP, NOTHING, 0, LOAD },
	{ D, 1, 0, KIP, 0x4000, KIP | 8, ALL, KIP, KIP, 0, LOAD },
	{ D, 0, 1, USER_END - 1, 0x4000, EDGE | 8, ALL, EDGE, USER_END - 1, 0, LOAD },
	{ D, 0, 1, USER_END, 0x4000, EDGE | 8, ALL, EDGE, NOTHING, 0, LOAD },
	{ D, 0, 1, 0, 0x4000, USER_END | 8, NO_ADDR },
	/* TLB */
	{ T, 0, 0, 0x7000, 0x4000 | 9, UIP | 8, ALL, UIP, 0x7000, NOTHING, MEM(L2) },
	{ T, 0, 0, 0x7000, 0x8000, UIP | 8, ALL, UIP, 0x7000, NOTHING, MEM(WK) },
	{ T, 0, 0, 0x7000, 0xc000, UIP | 8, ALL, UIP, 0x7000, NOTHING, MEM(OS) },
	{ T, 0, 0, 0x7000, 0, UIP | 8, STATE },
	{ T, 0, 1, KIP, 0xc000, UIP | 8, ALL, UIP, NOTHING, NOTHING, MEM(OS) },
	/* ALAT: the address is undefined, and so is the latency */
	{ A, 0, 0, 0x7000, 0x4000 | 9, UIP | 8, NO_ADDR, UIP, NOTHING, NOTHING, LOAD },
	{ A, 0, 0, 0x7000, 0x8000, UIP | 8, STATE },
	/* Fetches, by cache and TLB */
#define I		(0x43 | EAR(4, 0x40))
#define L		(0x43 | EAR(5, 7))
#define BOTH		(BIT_ULL(34) | BIT_ULL(35))
#define LINE		BIT_ULL(34)
	{ I, 0, 0, UIP | 1, 77, 0, BOTH, UIP, UIP, 77, FETCH },
	{ I, 0, 0, UIP | 0x1f, 0xf000 | 0xfff, 0, BOTH, UIP, UIP, 0xfff, FETCH },
	{ I, 0, 0, UIP | 1, 0x1000 | 3, 0, BOTH, UIP, UIP, 0xfff, FETCH },
	{ I, 0, 0, KIP | 1, 0xe000 | 3, 0, BOTH, KIP & ~0x1fULL, KIP & ~0x1fULL, 3, FETCH },
	{ I, 0, 0, UIP | 2, 77, 0, LINE },
	{ I, 0, 0, UIP, 77, 0, LINE },
	{ I, 0, 1, KIP | 1, 77, 0, LINE },
	{ I, 1, 0, UIP | 1, 77, 0, LINE },
	{ L, 0, 0, UIP | 1, 77, 0, LINE, UIP, UIP, NOTHING, EXEC(L2) },
	{ L, 0, 1, UIP | 2, 77, 0, LINE, UIP, UIP, NOTHING, EXEC(WK) },
	{ L, 1, 0, KIP | 3, 77, 0, LINE, KIP & ~0x1fULL, KIP & ~0x1fULL, NOTHING, EXEC(OS) },
	{ L, 0, 0, UIP, 77, 0, LINE },
};

/* Check a sample at @ip with these fields (@ip 0: none) and the capture registers read. */
static void expect_record(u64 ip, u64 addr, u64 weight, u64 src, u64 read)
{
	expect_samples(!!ip, !ip);
	EXPECT(hw[0].read_pmd & ~0xffffffffULL, read);
	if (!ip)
		return;
	EXPECT(got.data.sample_flags, PERF_SAMPLE_DATA_SRC |
	       (addr == NOTHING ? 0 : PERF_SAMPLE_ADDR) |
	       (weight == NOTHING ? 0 : PERF_SAMPLE_WEIGHT_TYPE));
	EXPECT(got.data.data_src.val, src);
	if (addr != NOTHING)
		EXPECT(got.data.addr, addr);
	if (weight != NOTHING)
		EXPECT(got.data.weight.full, weight);
	EXPECT(instruction_pointer(&got.regs), ip);
	EXPECT(user_mode(&got.regs), ip < USER_END);
	EXPECT(on_ia64 || got.regs.flags & PERF_EFLAGS_EXACT, 1);
}

void test_ears(unsigned int n)
{
	struct perf_event *event;

	begin();
	for (row = 0; row < ARRAY_SIZE(records); row++) {
		bool fetch = (records[row].config & 0xff) == 0x43;

		event = start((struct perf_event_attr){
			.config = records[row].config, .exclude_user = records[row].user,
			.exclude_kernel = records[row].kernel });
		hw[0].mont.pmd[fetch ? 34 : 32] = records[row].a;
		hw[0].mont.pmd[fetch ? 35 : 33] = records[row].b;
		if (!fetch)
			hw[0].mont.pmd[36] = records[row].c;
		overflow(event, row % 2 ? &kernel_regs : &user_regs);
		expect_record(records[row].ip, records[row].addr, records[row].weight,
			      records[row].src, records[row].read);
		EXPECT(fetch ? hw[0].mont.pmd[34] : hw[0].mont.pmd[33] | hw[0].mont.pmd[36], 0);
		mock_close(event);
	}
	unload();
}

/* Registers of a sample whose instruction was captured */
static const struct {
	u64 pmd36, cs, flags;
	struct task_struct *task;
	struct pt_regs *regs;
} captured[] = {
	{ UIP | 8, __USER_CS, 0x200 | PERF_EFLAGS_EXACT, &task, &user_regs },
	{ UIP | 8, __USER_CS, 0x246 | PERF_EFLAGS_EXACT, &task, &kernel_regs },
	{ UIP | 8, __USER_CS, PERF_EFLAGS_EXACT, &kthread, &kernel_regs },
	{ KIP | 8, __KERNEL_CS, 2 | PERF_EFLAGS_EXACT, &task, &kernel_regs },
};

/* Two units that are scheduled in one pass hold records of another task: both are made invalid. */
static void two_units(u64 first, u64 second)
{
	struct perf_event_attr attr = { .sample_period = 1000 };
	struct perf_event *event[2];
	unsigned int i;

	for (i = 0; i < 2; i++) {
		attr.config = i ? second : first;
		event[i] = open_attr(0, &attr, NULL);
	}
	mock_disable(pmu, 0);
	set_data_record(0x4000, UIP | 8);
	hw[0].mont.pmd[34] = UIP | 3;
	for (i = 0; i < 2; i++)
		EXPECT(event[i] && mock_sched_in(event[i]), 1);
	mock_enable(pmu, 0);
	EXPECT(hw[0].mont.pmd[33] | hw[0].mont.pmd[34] | hw[0].mont.pmd[36], 0);
	for (i = 0; i < 2; i++)
		mock_close(event[i]);
}

void test_captured(unsigned int n)
{
	struct perf_event_attr attr = { .config = 0xc8 | EAR(1, 0) };
	struct perf_event *event, *child;

	begin();
	for (row = 0; row < ARRAY_SIZE(captured); row++) {
		mock_task[0] = captured[row].task;
		event = start(attr);
		set_data_record(0x4000, captured[row].pmd36);
		overflow(event, captured[row].regs);
		expect_samples(1, 0);
		EXPECT(got.regs.ip, captured[row].pmd36 & ~8ULL);
		EXPECT(got.regs.cs, captured[row].cs);
		EXPECT(got.regs.flags, captured[row].flags);
		mock_close(event);
	}
	/* Dropped samples of an inherited event count for its parent. */
	event = open_attr(0, &attr, NULL);
	mock_parent = event;
	child = start(attr);
	mock_parent = NULL;
	overflow(child, &user_regs);
	expect_samples(0, 1);
	EXPECT(event->lost_samples.v, 1);
	EXPECT(child->lost_samples.v, 0);
	mock_close(child);
	mock_close(event);
	two_units(D, I);
	two_units(I, D);
	unload();
}
