// SPDX-License-Identifier: GPL-2.0-only
/*
 * When itanium_pmu has samples, and what is in those of its event address
 * registers: tables 3-17 to 3-25 of the manual.
 */
#include "sample.h"

#define EDGE		(USER_END - 0x20)	/* the program's last addresses */
#define LONGEST		(BIT_ULL(63) - 1)	/* period that perf takes */
#define LAST		(BIT_ULL(47) - 1)

struct pt_regs user_regs = { 0x401000, __USER_CS, 0x200 };
struct pt_regs kernel_regs = { 0xffffffff81000000ULL, __KERNEL_CS, 2 };
struct task_struct tasks[2] = {
	{ .pid = 1, .regs = { 0x402000, __USER_CS, 0x246 } },
	{ .pid = 2, .regs = { 0x403000, __USER_CS, 0x246 } },
};

struct taken got;

static int take(struct perf_event *event, struct perf_sample_data *data,
		struct pt_regs *regs)
{
	unsigned int i;

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
		if (wrong(got.nr_br > 16 || data->br_stack->hw_idx != ~0ULL))
			fault("%u branches, index %#llx", got.nr_br,
			      (unsigned long long)data->br_stack->hw_idx);
		for (i = 0; i < got.nr_br && i < 16; i++)
			got.br[i] = data->br_stack->entries[i];
	}
	return got.verdict;
}

static int count_dropped(struct perf_event *event)
{
	got.dropped++;
	return got.verdict;
}

void begin(void)
{
	load();
	machine_hooks.sample = take;
	machine_hooks.account = count_dropped;
	mock_task[0] = &tasks[0];
}

bool come(struct perf_event *event)
{
	return mock_sched_in(event);
}

struct perf_event *start(struct perf_event_attr attr)
{
	struct perf_event *event;

	if (!attr.sample_period)
		attr.sample_period = 1;
	event = open_attr(0, &attr, NULL);
	if (wrong(!event || !come(event))) {
		fault("%#llx: not counted: %d", (unsigned long long)attr.config,
		      open_errno);
		abort();
	}
	memset(&got, 0, sizeof(got));
	return event;
}

void overflow(struct perf_event *event, struct pt_regs *regs)
{
	hw[event->cpu].pmd[event->hw.idx] = LAST;
	machine_tally();
	machine_tick(event->cpu, 1);
	machine_interrupts(event->cpu, regs);
	if (wrong(hw[event->cpu].pmc[0]))
		fault("monitoring stays frozen: %#llx",
		      (unsigned long long)hw[event->cpu].pmc[0]);
}

/* Periods */
static void check_preload(struct perf_event *event, u64 left)
{
	u64 want = BIT_ULL(47) - left;

	if (wrong(hw[event->cpu].pmd[event->hw.idx] != want))
		fault("%llu are left until the next overflow, not %llu",
		      (unsigned long long)(BIT_ULL(47) -
					   hw[event->cpu].pmd[event->hw.idx]),
		      (unsigned long long)left);
}

static void jitter(u64 period, u32 chance, u64 want)
{
	struct perf_event *event = start((struct perf_event_attr){
		.config = 0x12 | JITTER, .sample_period = period });

	/* The first one is as asked for. */
	check_preload(event, period);
	mock_chance = chance;
	hw[0].pmd[event->hw.idx] = BIT_ULL(47) -
				   machine_rate(want_control(&event->attr));
	machine_tick(0, 1);
	machine_interrupts(0, &user_regs);
	check_preload(event, want);
	if (wrong(got.n != 1 || got.data.period != period))
		fault("jitter: %u samples, of a period of %llu", got.n,
		      (unsigned long long)got.data.period);
	overflow(event, &user_regs);
	if (wrong(got.n != 2 || got.data.period != want))
		fault("jitter: %u samples, of a period of %llu", got.n,
		      (unsigned long long)got.data.period);
	mock_close(event);
}

/* With PERF_EVENT_IOC_PERIOD perf stops an event, and its period begins anew. */
static void change_period(u64 period, u32 chance, u64 want)
{
	struct perf_event *event = start((struct perf_event_attr){
		.config = 0x12 | JITTER, .sample_period = 8 });
	unsigned int samples;

	mock_chance = chance;
	mock_disable(pmu, 0);
	pmu->stop(event, PERF_EF_UPDATE);
	event->attr.sample_period = period;
	event->hw.sample_period = period;
	event->hw.period_left.a.a.v = 0;
	pmu->start(event, 0);
	mock_enable(pmu, 0);
	if (wrong((u64)event->hw.last_period != want))
		fault("a period of %#llx is %#llx", (unsigned long long)period,
		      (unsigned long long)event->hw.last_period);
	check_preload(event, min_t(u64, want, BIT_ULL(46)));
	hw[0].pmd[event->hw.idx] = LAST;
	machine_tick(0, 1);
	machine_interrupts(0, &user_regs);
	/* The longest ones take more overflows. */
	samples = want < BIT_ULL(46);
	if (wrong(got.n != samples))
		fault("%u samples in a period of %#llx", got.n,
		      (unsigned long long)period);
	mock_close(event);
}

void test_periods(unsigned int n)
{
	struct perf_event_attr attr = { .config = 0x12, .sample_period = 1000 };
	struct perf_event *event, *plain;
	u64 rate, ticks, i;

	begin();
	event = start(attr);
	rate = machine_rate(want_control(&event->attr));
	check_preload(event, 1000);
	for (ticks = 0; ticks < 5000; ticks += i) {
		i = machine_tick(0, 1 + draw(20));
		machine_interrupts(0, &user_regs);
		if (wrong(got.n != (ticks + i) * rate / 1000))
			fault("%u samples at %llu", got.n,
			      (unsigned long long)((ticks + i) * rate));
		check_preload(event, 1000 - (ticks + i) * rate % 1000);
	}
	mock_read(event, 0);
	if (wrong(count_of(event) != ticks * rate || got.data.period != 1000 ||
		  got.event != event))
		fault("counted %llu of %llu, in periods of %llu",
		      (unsigned long long)count_of(event),
		      (unsigned long long)(ticks * rate),
		      (unsigned long long)got.data.period);
	/* More than a period at once is one sample, and the next is whole. */
	hw[0].pmd[event->hw.idx] = 5000;
	hw[0].pmc[0] |= FR | BIT_ULL(event->hw.idx);
	hw[0].interrupt = true;
	i = got.n;
	machine_interrupts(0, &user_regs);
	check_preload(event, 1000);
	if (wrong(got.n != i + 1))
		fault("%llu samples of one overflow",
		      (unsigned long long)(got.n - i));
	/* ... and so is it when just a second one has passed. */
	hw[0].pmd[event->hw.idx] = 1000;
	hw[0].pmc[0] |= FR | BIT_ULL(event->hw.idx);
	hw[0].interrupt = true;
	machine_interrupts(0, &user_regs);
	check_preload(event, 1000);
	/* A user's page is brought up to date by each of what changes it. */
	event->pages = 0;
	mock_sched_out(event);
	if (wrong(event->pages != 1))
		fault("%u times up to date when it has left", event->pages);
	mock_sched_in(event);
	if (wrong(event->pages != 3))
		fault("%u times up to date when it starts again", event->pages);
	mock_close(event);

	/* Longer than a counter tells apart: overflows without a sample */
	attr.sample_period = 3 * BIT_ULL(46);
	event = start(attr);
	for (i = 0; i < 3; i++) {
		check_preload(event, BIT_ULL(46));
		if (wrong(got.n))
			fault("a sample before its time");
		hw[0].pmd[event->hw.idx] = BIT_ULL(47) - rate;
		machine_tick(0, 1);
		machine_interrupts(0, &user_regs);
	}
	if (wrong(got.n != 1))
		fault("%u samples of a long period", got.n);
	mock_close(event);

	/* One that is only counted wraps without one. */
	attr.sample_period = 0;
	plain = open_attr(0, &attr, NULL);
	mock_sched_in(plain);
	memset(&got, 0, sizeof(got));
	for (i = 1; i < 6; i++) {
		check_preload(plain, BIT_ULL(46));
		hw[0].pmd[plain->hw.idx] = BIT_ULL(47) - rate;
		machine_tick(0, 1);
		machine_interrupts(0, &user_regs);
		if (wrong(count_of(plain) != i << 46 || got.n || got.dropped))
			fault("counted %#llx, with %u samples",
			      (unsigned long long)count_of(plain), got.n);
	}
	if (wrong(!plain->pages))
		fault("a user's page is never brought up to date");
	mock_close(plain);

	jitter(800, 0, 700);
	jitter(800, 0xffffffff, 900);
	jitter(800, 0x80000000, 800);
	jitter(8, 0, 7);
	jitter(8, 0xffffffff, 9);
	jitter(15, 0, 14);
	/* The longest that perf takes is not made longer, and the mean stays. */
	change_period(LONGEST, 0xffffffff, LONGEST);
	change_period(LONGEST, 0, LONGEST);
	change_period(LONGEST - 100, 0xffffffff, LONGEST);
	change_period(LONGEST - 100, 0, LONGEST - 200);
	change_period(800, 0xffffffff, 900);
	/* One of which there is no eighth does not vary. */
	change_period(7, 0xffffffff, 7);
	change_period(1, 0, 1);
	mock_chance = 0;
	unload();
}

/* Overflows whose interrupt does not come before perf changes something */
static struct perf_event *racing[2];

static void wrap(unsigned int cpu)
{
	unsigned int i;

	machine_hooks.read_pmc0 = NULL;
	for (i = 0; i < 2 && racing[i]; i++)
		hw[cpu].pmd[racing[i]->hw.idx] = LAST;
	machine_tick(cpu, 1);
}

static void check_late(const char *what, unsigned int n)
{
	if (wrong(got.n != n))
		fault("%s: %u samples of %u", what, got.n, n);
	machine_interrupts(0, &user_regs);
	if (wrong(hw[0].pmc[0]))
		fault("%s: PMC0 is %#llx", what, (unsigned long long)hw[0].pmc[0]);
}

void test_late(unsigned int n)
{
	struct perf_event *event, *other;
	unsigned int i;

	begin();
	event = start((struct perf_event_attr){ .config = 0x12, .sample_period = 500 });
	other = start((struct perf_event_attr){ .config = 0x08, .sample_period = 700 });
	hw[0].pmd[event->hw.idx] = LAST;
	machine_tick(0, 1);
	mock_disable(pmu, 0);
	mock_enable(pmu, 0);
	if (wrong(!(hw[0].pmc[0] & FR)))
		fault("it goes on with an overflow to be taken");
	check_late("before the interrupt", 0);
	/* One that comes with the PMU running and nothing to tell */
	hw[0].interrupt = true;
	check_late("with the interrupt", 1);
	/* Frozen it stays, whatever comes. */
	mock_disable(pmu, 0);
	hw[0].interrupt = true;
	machine_interrupts(0, &kernel_regs);
	if (wrong(hw[0].pmc[0] != FR))
		fault("PMC0 is %#llx", (unsigned long long)hw[0].pmc[0]);
	mock_enable(pmu, 0);

	/* Between the read of PMC0 and its freeze, one event and two */
	for (i = 0; i < 2; i++) {
		racing[0] = event;
		racing[1] = i ? other : NULL;
		machine_hooks.read_pmc0 = wrap;
		mock_disable(pmu, 0);
		mock_enable(pmu, 0);
		check_late("at the freeze", 1 + i);
	}
	check_late("two at the freeze", 4);

	/* Both at once; one that has left has no sample, and says so. */
	hw[0].pmd[other->hw.idx] = LAST;
	hw[0].pmd[event->hw.idx] = LAST;
	machine_tick(0, 1);
	machine_interrupts(0, &user_regs);
	check_late("two overflows", 6);
	hw[0].pmd[event->hw.idx] = LAST;
	machine_tick(0, 1);
	mock_disable(pmu, 0);
	mock_sched_out(event);
	mock_enable(pmu, 0);
	check_late("of one that leaves", 6);
	if (wrong(event->lost_samples.v != 1 || other->lost_samples.v))
		fault("%ld and %ld samples are lost", event->lost_samples.v,
		      other->lost_samples.v);
	mock_close(event);
	mock_close(other);
	unload();
}

void test_throttled(unsigned int n)
{
	struct perf_event_attr attr = { .config = 0xc8 | EAR(1, 0),
					.sample_period = 10 };
	struct perf_event *event, *child;
	u64 was;

	begin();
	event = start(attr);
	hw[0].pmd[33] = 0x4001;
	hw[0].pmd[36] = UIP | 8;
	got.verdict = 1;
	overflow(event, &user_regs);
	was = count_of(event);
	if (wrong(got.n != 1 || !(event->hw.state & PERF_HES_STOPPED) ||
		  control_of(event) & (PLM | OI)))
		fault("a throttled event goes on: %#llx",
		      (unsigned long long)control_of(event));
	machine_tick(0, 10);
	mock_read(event, 0);
	if (wrong(count_of(event) != was))
		fault("a stopped event counts");
	mock_disable(pmu, 0);
	mock_irqs_off++;
	pmu->start(event, 0);
	mock_irqs_off--;
	mock_enable(pmu, 0);
	/* Invalid records count as interrupts, and throttle as well. */
	got.verdict = 0;
	overflow(event, &user_regs);
	if (wrong(got.n != 1 || got.dropped != 1 || event->hw.state ||
		  event->lost_samples.v != 1 ||
		  strcmp(mock_file(pmu, "", "ear_dropped"), "1\n")))
		fault("%u samples, %u dropped, %ld lost, in all %s", got.n,
		      got.dropped, event->lost_samples.v,
		      mock_file(pmu, "", "ear_dropped"));
	got.verdict = 1;
	overflow(event, &user_regs);
	if (wrong(got.dropped != 2 || !(event->hw.state & PERF_HES_STOPPED)))
		fault("dropped records go on");
	mock_close(event);
	/* An inherited event's are its parent's. */
	attr.config = 0x12 | EAR(6, 0);
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
				  PERF_SAMPLE_BRANCH_USER |
				  PERF_SAMPLE_BRANCH_KERNEL;
	event = open_attr(0, &attr, NULL);
	mock_parent = event;
	child = start(attr);
	mock_parent = NULL;
	overflow(child, &user_regs);
	if (wrong(event->lost_samples.v != 1 || child->lost_samples.v || got.n))
		fault("%ld lost of the parent, %ld of the child",
		      event->lost_samples.v, child->lost_samples.v);
	mock_close(child);
	mock_close(event);
	unload();
}

/* Linux 6.16 and later throttle a group as a whole, whoever leads it. */
static unsigned int ran;

static void pass(void)
{
	hooks.race = NULL;
	ran += machine_tick(0, 1);
}

static void check_all(const char *what, struct perf_event *event)
{
	u64 want = ran * machine_rate(want_control(&event->attr));

	if (wrong(count_of(event) != want))
		fault("%s, it has %llu of %llu", what,
		      (unsigned long long)count_of(event),
		      (unsigned long long)want);
}

/* An access of the driver's is traced, by an event that is throttled with its group. */
static struct perf_event *traced;
static unsigned int accesses;

static void stop_traced(void)
{
	if (accesses && !--accesses)
		pmu->stop(traced, 0);
}

static void test_traced(void)
{
	struct perf_event *wide;
	unsigned int i, left = 0;

	for (i = 1; !left; i++) {
		traced = open_on(0, 0x12);
		wide = open_on(0, 0xc8 | EAR(1, 0));
		mock_sched_in(traced);
		ran = machine_tick(0, 5);
		accesses = i;
		machine_hooks.frozen = stop_traced;
		mock_sched_in(wide);
		machine_hooks.frozen = NULL;
		left = accesses;
		if (!left)
			machine_tick(0, 5);
		mock_read(traced, 0);
		check_all("traced", traced);
		mock_close(traced);
		mock_close(wide);
	}
	if (wrong(i < 8))
		fault("%u accesses to put an event on a processor", i);
}

/* A software event is throttled: perf stops and starts the others as they count. */
void test_running(unsigned int n)
{
	struct perf_event *event, *other;

	begin();
	event = start((struct perf_event_attr){ .config = 0x12, .sample_period = 500 });
	ran = machine_tick(0, 5);
	hooks.race = pass;
	mock_stop(event);
	hooks.race = NULL;
	check_all("stopped", event);
	if (wrong(hw[0].pmc[0]))
		fault("stopped, PMC0 is %#llx", (unsigned long long)hw[0].pmc[0]);
	machine_tick(0, 5);
	mock_start(event);
	ran += machine_tick(0, 5);
	mock_read(event, 0);
	check_all("started", event);
	if (wrong(ran < 10))
		fault("it ran for %u ticks", ran);
	/* An overflow whose interrupt is still to come has no sample. */
	hw[0].pmd[event->hw.idx] = LAST;
	machine_tick(0, 1);
	mock_stop(event);
	if (wrong(got.n || event->lost_samples.v != 1))
		fault("%u samples of an event that is stopped", got.n);
	machine_interrupts(0, &user_regs);
	mock_start(event);
	/* Where perf has frozen the PMU, nothing is done twice. */
	other = start((struct perf_event_attr){ .config = 0x08 });
	mock_disable(pmu, 0);
	machine_tally();
	mock_stop(event);
	if (wrong(hw[0].reads != 1 || hw[0].writes != 1))
		fault("a stop takes %u reads and %u writes", hw[0].reads,
		      hw[0].writes);
	machine_tally();
	mock_start(event);
	if (wrong(hw[0].reads || hw[0].writes != 2 || hw[0].pmc[0] != FR))
		fault("a start takes %u reads and %u writes, PMC0 is %#llx",
		      hw[0].reads, hw[0].writes,
		      (unsigned long long)hw[0].pmc[0]);
	mock_enable(pmu, 0);
	mock_close(event);
	mock_close(other);
	test_traced();
	unload();
}

static struct perf_event *members[4];

static int throttle_group(struct perf_event *event, struct perf_sample_data *data,
			  struct pt_regs *regs)
{
	unsigned int i;

	take(event, data, regs);
	for (i = 0; i < ARRAY_SIZE(members); i++)
		pmu->stop(members[i], 0);
	if (wrong(!(hw[0].pmc[0] & FR)))
		fault("what a sample stops lets the PMU run");
	return 1;
}

/* All of a group overflow at once, and the first one's sample throttles them. */
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
		/* The data EAR's counts, and what is counted beside them */
		attr.config = i ? 0x12 : 0xc8 | EAR(1, 0);
	}
	memset(&got, 0, sizeof(got));
	machine_hooks.sample = throttle_group;
	for (i = 0; i < ARRAY_SIZE(members); i++)
		hw[0].pmd[members[i]->hw.idx] = LAST;
	/* The second one's period is just over. */
	hw[0].pmd[members[1]->hw.idx] -= machine_rate(control_of(members[1])) - 1;
	hw[0].pmd[33] = 0x4001;
	hw[0].pmd[36] = UIP | 8;
	machine_tally();
	machine_tick(0, 1);
	machine_interrupts(0, &user_regs);
	/* Each looked at, the first sampled, all stopped; PMC0 twice, and the record */
	if (wrong(hw[0].reads != 4 + 2 + 3 + 4 || hw[0].writes != 2 + 1 + 2 + 4))
		fault("%u reads and %u writes of a group", hw[0].reads,
		      hw[0].writes);
	if (wrong(got.n != 1 || got.event != members[0] || hw[0].pmc[0] ||
		  hw[0].pmd[33] || hw[0].pmd[36]))
		fault("%u samples of a group that is throttled", got.n);
	for (i = 0; i < ARRAY_SIZE(members); i++) {
		/* A period has passed of the second one only, without a sample. */
		long lost = i == 1;

		if (wrong(members[i]->lost_samples.v != lost ||
			  !(members[i]->hw.state & PERF_HES_STOPPED)))
			fault("member %u: %ld samples are lost", i,
			      members[i]->lost_samples.v);
	}
	if (wrong(strcmp(mock_file(pmu, "", "ear_dropped"), "1\n") || got.dropped))
		fault("%u interrupts without a sample, and in all %s", got.dropped,
		      mock_file(pmu, "", "ear_dropped"));
	machine_hooks.sample = take;
	for (i = 0; i < ARRAY_SIZE(members); i++)
		mock_start(members[i]);
	hw[0].pmd[33] = 0x4001;
	hw[0].pmd[36] = UIP | 8;
	overflow(members[1], &user_regs);
	if (wrong(got.n != 2 || members[1]->lost_samples.v != 1))
		fault("%u samples when they are started again", got.n);
	for (i = 0; i < ARRAY_SIZE(members); i++)
		mock_close(members[i]);
	unload();
}

/* Event address registers */
#define SRC(op, lvl, tlb)	((op) | (lvl) | (tlb) |				\
				 PERF_MEM_S(LOCK, NA) | PERF_MEM_S(SNOOP, NA))
#define LOAD		PERF_MEM_S(OP, LOAD)
#define LOAD_STORE	(PERF_MEM_S(OP, LOAD) | PERF_MEM_S(OP, STORE))
#define EXEC		PERF_MEM_S(OP, EXEC)
#define L1_MISS		(PERF_MEM_S(LVL, L1) | PERF_MEM_S(LVL, MISS))
#define NO_LEVEL	PERF_MEM_S(LVL, NA)
#define NO_TLB		PERF_MEM_S(TLB, NA)
#define TLB_BY(who)	(PERF_MEM_S(TLB, who) | PERF_MEM_S(TLB, HIT))
#define NOTHING		0xdeadULL	/* the sample has no such field */

static const struct {
	u64 config;
	unsigned int user:1, kernel:1;	/* not counted */
	u64 pmd32, pmd33, pmd36;
	u64 ip, addr, weight, src;	/* ip 0: no sample */
	u64 read;			/* of the capture registers */
} dear[] = {
#define D		0xc8 | EAR(1, 0)
#define R3(a, b, c)	(1ULL << (a) | 1ULL << (b) | 1ULL << (c))
	{ D, 0, 0, 0x7000, 0x4000 | 40, UIP | 8, UIP, 0x7000, 40,
	  SRC(LOAD, NO_LEVEL, NO_TLB), R3(32, 33, 36) },
	{ D, 0, 0, ~0ULL, 0x4000 | 0x1fff, UIP | 8 | 2, UIP + 2, ~0ULL, 0x1fff,
	  SRC(LOAD, NO_LEVEL, NO_TLB), R3(32, 33, 36) },
	{ D, 0, 0, 0x7000, 0x4000 | 0x2000 | 5, UIP | 8 | 4 | 1, UIP + 17, 0x7000,
	  0x1fff, SRC(LOAD, NO_LEVEL, NO_TLB), R3(32, 33, 36) },
	{ D, 0, 0, 0x7000, 0xffff0000ULL | 0x4000, KIP | 8, KIP, 0x7000, 0,
	  SRC(LOAD, NO_LEVEL, NO_TLB), R3(32, 33, 36) },
	/* Not valid, or of no instruction */
	{ D, 0, 0, 0x7000, 40, UIP | 8, 0, .read = BIT_ULL(33) },
	{ D, 0, 0, 0x7000, 0x8000, UIP | 8, 0, .read = BIT_ULL(33) },
	{ D, 0, 0, 0x7000, 0xc000, UIP | 8, 0, .read = BIT_ULL(33) },
	{ D, 0, 0, 0x7000, 0x4000, UIP | 7, 0, .read = R3(33, 33, 36) },
	/* Of a level that is not counted: the instruction's, the data's */
	{ D, 0, 1, 0x7000, 0x4000, KIP | 8, 0, .read = R3(33, 33, 36) },
	{ D, 1, 0, 0x7000, 0x4000, UIP | 8, 0, .read = R3(33, 33, 36) },
	{ D, 1, 0, 0x7000, 0x4000, KIP | 8, KIP, 0x7000, 0,
	  SRC(LOAD, NO_LEVEL, NO_TLB), R3(32, 33, 36) },
	{ D, 0, 1, 0x7000, 0x4000, UIP | 8, UIP, 0x7000, 0,
	  SRC(LOAD, NO_LEVEL, NO_TLB), R3(32, 33, 36) },
	{ D, 0, 1, KIP, 0x4000, UIP | 8, UIP, NOTHING, 0,
	  SRC(LOAD, NO_LEVEL, NO_TLB), R3(32, 33, 36) },
	{ D, 1, 0, KIP, 0x4000, KIP | 8, KIP, KIP, 0,
	  SRC(LOAD, NO_LEVEL, NO_TLB), R3(32, 33, 36) },
	{ D, 0, 1, USER_END - 1, 0x4000, EDGE | 8, EDGE, USER_END - 1,
	  0, SRC(LOAD, NO_LEVEL, NO_TLB), R3(32, 33, 36) },
	{ D, 0, 1, USER_END, 0x4000, EDGE | 8, EDGE, NOTHING, 0,
	  SRC(LOAD, NO_LEVEL, NO_TLB), R3(32, 33, 36) },
	{ D, 0, 1, 0, 0x4000, USER_END | 8, 0, .read = R3(33, 33, 36) },
	/* TLB */
	{ 0xc8 | EAR(2, 0xe), 0, 0, 0x7000, 0x4000 | 9, UIP | 8, UIP, 0x7000,
	  NOTHING, SRC(LOAD_STORE, NO_LEVEL, TLB_BY(L2)), R3(32, 33, 36) },
	{ 0xc8 | EAR(2, 0xe), 0, 0, 0x7000, 0x8000, UIP | 8, UIP, 0x7000,
	  NOTHING, SRC(LOAD_STORE, NO_LEVEL, TLB_BY(WK)), R3(32, 33, 36) },
	{ 0xc8 | EAR(2, 0xe), 0, 0, 0x7000, 0xc000, UIP | 8, UIP, 0x7000,
	  NOTHING, SRC(LOAD_STORE, NO_LEVEL, TLB_BY(OS)), R3(32, 33, 36) },
	{ 0xc8 | EAR(2, 0xe), 0, 0, 0x7000, 0, UIP | 8, 0, .read = BIT_ULL(33) },
	{ 0xc8 | EAR(2, 0xe), 0, 1, KIP, 0xc000, UIP | 8, UIP, NOTHING,
	  NOTHING, SRC(LOAD_STORE, NO_LEVEL, TLB_BY(OS)), R3(32, 33, 36) },
	/* ALAT: the address is undefined, and so is the latency */
	{ 0xc8 | EAR(3, 0), 0, 0, 0x7000, 0x4000 | 9, UIP | 8, UIP, NOTHING,
	  NOTHING, SRC(LOAD, NO_LEVEL, NO_TLB), R3(33, 33, 36) },
	{ 0xc8 | EAR(3, 0), 0, 0, 0x7000, 0x8000, UIP | 8, 0,
	  .read = BIT_ULL(33) },
};

static void check_fields(unsigned int i, u64 addr, u64 weight, u64 src)
{
	u64 want = PERF_SAMPLE_DATA_SRC |
		   (addr == NOTHING ? 0 : PERF_SAMPLE_ADDR) |
		   (weight == NOTHING ? 0 : PERF_SAMPLE_WEIGHT_TYPE);

	if (wrong(got.data.sample_flags != want || got.data.data_src.val != src ||
		  (addr != NOTHING && got.data.addr != addr) ||
		  (weight != NOTHING && got.data.weight.full != weight)))
		fault("record %u: fields %#llx, address %#llx, weight %#llx, source %#llx",
		      i, (unsigned long long)got.data.sample_flags,
		      (unsigned long long)got.data.addr,
		      (unsigned long long)got.data.weight.full,
		      (unsigned long long)got.data.data_src.val);
}

static void check_regs(unsigned int i, u64 ip)
{
	bool user = ip < USER_END;

	if (wrong(got.regs.ip != ip || user_mode(&got.regs) != user ||
		  !(got.regs.flags & PERF_EFLAGS_EXACT)))
		fault("record %u: instruction %#llx, segment %#llx, flags %#llx",
		      i, (unsigned long long)got.regs.ip,
		      (unsigned long long)got.regs.cs,
		      (unsigned long long)got.regs.flags);
}

static void check_sample(unsigned int i, bool want, u64 read)
{
	const u64 captured = ~0xffffffffULL;

	if (wrong(got.n != want || got.dropped != !want))
		fault("record %u: %u samples, %u dropped", i, got.n, got.dropped);
	if (wrong((hw[0].read_pmd & captured) != read))
		fault("record %u: registers %#llx are read", i,
		      (unsigned long long)(hw[0].read_pmd & captured));
}

void test_dear(unsigned int n)
{
	struct perf_event *event;
	unsigned int i;

	begin();
	for (i = 0; i < ARRAY_SIZE(dear); i++) {
		event = start((struct perf_event_attr){
			.config = dear[i].config, .exclude_user = dear[i].user,
			.exclude_kernel = dear[i].kernel });
		hw[0].pmd[32] = dear[i].pmd32;
		hw[0].pmd[33] = dear[i].pmd33;
		hw[0].pmd[36] = dear[i].pmd36;
		overflow(event, i % 2 ? &kernel_regs : &user_regs);
		check_sample(i, dear[i].ip, dear[i].read);
		if (dear[i].ip) {
			check_fields(i, dear[i].addr, dear[i].weight, dear[i].src);
			check_regs(i, dear[i].ip);
		}
		if (wrong(hw[0].pmd[33] || hw[0].pmd[36]))
			fault("record %u looks valid still", i);
		mock_close(event);
	}
	unload();
}

static const struct {
	u64 config;
	unsigned int user:1, kernel:1;
	u64 pmd34, pmd35;
	u64 ip, weight, src;
	u64 read;
} iear[] = {
#define I		0x43 | EAR(4, 0x40)
	{ I, 0, 0, UIP | 1, 77, UIP, 77, SRC(EXEC, L1_MISS, NO_TLB), R3(34, 34, 35) },
	{ I, 0, 0, UIP | 0x1f, 0xf000 | 0xfff, UIP, 0xfff,
	  SRC(EXEC, L1_MISS, NO_TLB), R3(34, 34, 35) },
	{ I, 0, 0, UIP | 1, 0x1000 | 3, UIP, 0xfff, SRC(EXEC, L1_MISS, NO_TLB),
	  R3(34, 34, 35) },
	{ I, 0, 0, KIP | 1, 0xe000 | 3, KIP & ~0x1fULL, 3,
	  SRC(EXEC, L1_MISS, NO_TLB), R3(34, 34, 35) },
	{ I, 0, 0, UIP | 2, 77, 0, .read = BIT_ULL(34) },
	{ I, 0, 0, UIP, 77, 0, .read = BIT_ULL(34) },
	{ I, 0, 1, KIP | 1, 77, 0, .read = BIT_ULL(34) },
	{ I, 1, 0, UIP | 1, 77, 0, .read = BIT_ULL(34) },
	{ 0x43 | EAR(5, 7), 0, 0, UIP | 1, 77, UIP, NOTHING,
	  SRC(EXEC, NO_LEVEL, TLB_BY(L2)), BIT_ULL(34) },
	{ 0x43 | EAR(5, 7), 0, 1, UIP | 2, 77, UIP, NOTHING,
	  SRC(EXEC, NO_LEVEL, TLB_BY(WK)), BIT_ULL(34) },
	{ 0x43 | EAR(5, 7), 1, 0, KIP | 3, 77, KIP & ~0x1fULL, NOTHING,
	  SRC(EXEC, NO_LEVEL, TLB_BY(OS)), BIT_ULL(34) },
	{ 0x43 | EAR(5, 7), 0, 0, UIP, 77, 0, .read = BIT_ULL(34) },
};

void test_iear(unsigned int n)
{
	struct perf_event *event;
	unsigned int i;

	begin();
	for (i = 0; i < ARRAY_SIZE(iear); i++) {
		event = start((struct perf_event_attr){
			.config = iear[i].config, .exclude_user = iear[i].user,
			.exclude_kernel = iear[i].kernel });
		hw[0].pmd[34] = iear[i].pmd34;
		hw[0].pmd[35] = iear[i].pmd35;
		overflow(event, i % 2 ? &kernel_regs : &user_regs);
		check_sample(i, iear[i].ip, iear[i].read);
		if (iear[i].ip) {
			check_fields(i, iear[i].ip, iear[i].weight, iear[i].src);
			check_regs(i, iear[i].ip);
		}
		if (wrong(hw[0].pmd[34]))
			fault("record %u looks valid still", i);
		mock_close(event);
	}
	unload();
}

/*
 * The interrupt may be late, and find another level than overflowed. The sample
 * has registers of a level that is counted, or there is none.
 */
void test_registers(unsigned int n)
{
	static struct task_struct thread = { .pid = 9, .flags = PF_KTHREAD };
	static struct task_struct light = { .pid = 8 };
	struct {
		bool user, kernel, kthread;
		struct pt_regs *regs;
		u64 ip;		/* 0: dropped */
	} cases[] = {
		{ true, true, false, &user_regs, user_regs.ip },
		{ true, true, false, &kernel_regs, kernel_regs.ip },
		{ true, false, false, &user_regs, user_regs.ip },
		{ true, false, false, &kernel_regs, tasks[0].regs.ip },
		{ true, false, true, &kernel_regs, 0 },
		/* A light system call: the interrupt's frame is where the task's is. */
		{ true, false, false, &light.regs, 0 },
		{ true, true, false, &light.regs, kernel_regs.ip },
		{ false, true, false, &user_regs, 0 },
		{ false, true, false, &kernel_regs, kernel_regs.ip },
		{ false, true, true, &kernel_regs, kernel_regs.ip },
		/* Where ia64 takes what is pending on a processor that goes */
		{ true, true, false, NULL, 0 },
		{ true, false, false, NULL, 0 },
	};
	struct perf_event *event;
	unsigned int i;
	bool user;

	begin();
	light.regs = kernel_regs;
	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		mock_task[0] = &tasks[0];
		if (cases[i].kthread)
			mock_task[0] = &thread;
		if (cases[i].regs == &light.regs)
			mock_task[0] = &light;
		event = start((struct perf_event_attr){
			.config = 0x12, .exclude_user = !cases[i].user,
			.exclude_kernel = !cases[i].kernel });
		overflow(event, cases[i].regs);
		if (wrong(got.n != !!cases[i].ip || got.dropped == got.n))
			fault("case %u: %u samples, %u dropped", i, got.n,
			      got.dropped);
		user = cases[i].ip < USER_END;
		if (wrong(cases[i].ip && (got.regs.ip != cases[i].ip ||
					  got.regs.flags & PERF_EFLAGS_EXACT ||
					  user_mode(&got.regs) != user)))
			fault("case %u: at %#llx, segment %#llx", i,
			      (unsigned long long)got.regs.ip,
			      (unsigned long long)got.regs.cs);
		mock_close(event);
	}
	/* A captured instruction of the program, with the kernel's registers at hand */
	for (i = 0; i < 2; i++) {
		mock_task[0] = i ? &thread : &tasks[0];
		event = start((struct perf_event_attr){ .config = 0xc8 | EAR(1, 0) });
		hw[0].pmd[33] = 0x4000;
		hw[0].pmd[36] = UIP | 8;
		overflow(event, &kernel_regs);
		if (wrong(got.regs.ip != UIP || got.regs.cs != __USER_CS ||
			  got.regs.flags != ((i ? 0 : tasks[0].regs.flags) |
					     PERF_EFLAGS_EXACT)))
			fault("a program's sample has %#llx, %#llx, %#llx",
			      (unsigned long long)got.regs.ip,
			      (unsigned long long)got.regs.cs,
			      (unsigned long long)got.regs.flags);
		mock_close(event);
	}
	mock_task[0] = &tasks[0];
	event = start((struct perf_event_attr){ .config = 0xc8 | EAR(1, 0) });
	hw[0].pmd[33] = 0x4000;
	hw[0].pmd[36] = KIP | 8;
	overflow(event, &kernel_regs);
	if (wrong(got.regs.cs != __KERNEL_CS ||
		  got.regs.flags != (kernel_regs.flags | PERF_EFLAGS_EXACT)))
		fault("the kernel's sample has %#llx, %#llx",
		      (unsigned long long)got.regs.cs,
		      (unsigned long long)got.regs.flags);
	mock_close(event);
	unload();
}
