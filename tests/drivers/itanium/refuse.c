// SPDX-License-Identifier: GPL-2.0-only
/* Accepted and refused attributes, users and groups, with the reasons */
#include "itanium/pmu.h"
#include "tests.h"

#define BRANCHES(f)	.sample_type = PERF_SAMPLE_BRANCH_STACK,		\
			.branch_sample_type = PERF_SAMPLE_BRANCH_ ## f
#define U		PERF_SAMPLE_BRANCH_USER
#define K		PERF_SAMPLE_BRANCH_KERNEL
#define TAKEN(...)	.attr = { __VA_ARGS__ }
#define REFUSED(code, why, ...)	.attr = { __VA_ARGS__ }, .err = -(code), .log = (why)
#define LEVELS		"at the privilege levels of the event only"
#define NO_FILTER	"no such branch filter"
#define INEXACT		"only the data EAR knows"

static const struct refusal attributes[] = {
	{ TAKEN(.config = 0x12, .exclude_hv = 1, .exclude_guest = 1) },
	{ REFUSED(EINVAL, "no privilege level is left", .config = 0x12, .exclude_kernel = 1,
	  .exclude_user = 1) },
	{ REFUSED(EOPNOTSUPP,
	  "itanium: event=0x12 refused: the PMU cannot exclude host or idle time\n",
	  .config = 0x12, .exclude_host = 1) },
	{ REFUSED(EOPNOTSUPP, "cannot exclude host or idle time", .config = 0x12,
	  .exclude_idle = 1) },
#ifdef PERF_ATTR_SIZE_VER8
	{ REFUSED(EINVAL, "config3 and config4", .config = 0x12, .config3 = 1) },
#endif
	{ TAKEN(.config = 0xc8 | EAR(1, 0), .precise_ip = 1) },
	{ TAKEN(.config = 0xc8 | EAR(2, 2), .precise_ip = 2) },
	{ TAKEN(.config = 0xc8 | EAR(3, 0), .precise_ip = 3) },
	{ REFUSED(EOPNOTSUPP, INEXACT, .config = 0x43 | EAR(4, 0), .precise_ip = 1) },
	{ REFUSED(EOPNOTSUPP, "itanium: event=0x43,ear=0x5,ear_umask=0x1 refused: precise_ip: " INEXACT,
	  .config = 0x43 | EAR(5, 1), .precise_ip = 1) },
	/* Branches */
	{ TAKEN(.config = 0x12, BRANCHES(ANY) | U | K | PERF_SAMPLE_BRANCH_HV) },
	{ TAKEN(.config = 0x12, BRANCHES(IND_CALL) | U | K) },
	{ TAKEN(.config = 0x12, BRANCHES(IND_CALL) | U | K | PERF_SAMPLE_BRANCH_IND_JUMP) },
	{ TAKEN(.config = 0x12,
	  BRANCHES(ANY) | U | K | PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES) },
	{ REFUSED(EOPNOTSUPP, NO_FILTER, .config = 0x12, BRANCHES(IND_JUMP) | U | K) },
	{ REFUSED(EOPNOTSUPP, NO_FILTER, .config = 0x12, BRANCHES(ANY_CALL) | U | K) },
	{ REFUSED(EOPNOTSUPP, NO_FILTER, .config = 0x12,
	  BRANCHES(ANY) | U | K | PERF_SAMPLE_BRANCH_ANY_RETURN) },
	{ REFUSED(EOPNOTSUPP, NO_FILTER, .config = 0x12,
	  BRANCHES(ANY) | U | K | PERF_SAMPLE_BRANCH_CALL_STACK) },
	{ REFUSED(EOPNOTSUPP, LEVELS, .config = 0x12, BRANCHES(ANY) | U) },
	{ REFUSED(EOPNOTSUPP, LEVELS, .config = 0x12, BRANCHES(ANY) | K) },
	{ REFUSED(EOPNOTSUPP, LEVELS, .config = 0x12, BRANCHES(ANY) | U | K, .exclude_user = 1) },
	{ REFUSED(EOPNOTSUPP, LEVELS, .config = 0x12, BRANCHES(ANY) | U | K, .exclude_kernel = 1) },
	{ TAKEN(.config = 0x12, BRANCHES(ANY) | U, .exclude_kernel = 1) },
	{ TAKEN(.config = 0x12, BRANCHES(ANY) | K, .exclude_user = 1) },
	{ TAKEN(.config = 0x12 | EAR(6, 0), BRANCHES(ANY) | U | K) },
	{ REFUSED(EOPNOTSUPP, "no branch filter but any", .config = 0x12 | EAR(6, 0),
	  BRANCHES(ANY_RETURN) | U | K) },
	{ TAKEN(.config = 0xc8 | EAR(1, 0), BRANCHES(ANY) | U | K) },
	{ REFUSED(EINVAL, "PMC39 = 0: no branch stack with them", .config = 0xc8 | EAR(2, 2),
	  BRANCHES(ANY) | U | K) },
	/* A range is the whole of two words. */
	{ TAKEN(.config = 0x08 | FILTER(2), .config1 = 0x4000, .config2 = 0xfff) },
};

/* Single events that are refused: words of the reason, and the request */
static const struct {
	const char *rule;
	u64 config, config1, config2;
} refused[] = {
	{ "reserved bits", 1ULL << 63 },
	{ "reserved bits", 1ULL << 62 },
	{ "MESI", 0x10012 },
	{ "MESI", 0xf00dc },
	{ "never exceeded", 0x1012 },
	{ "never exceeded", 0x6008 },
	{ "all=", 0x80e1 },
	{ "all=", 0x80e3 },
	{ "no such unit mask", 0x4e },
	{ "ear_umask=", 0x1c8 | EAR(1, 0) },
	{ "give ear=", 0xc8 },
	{ "give ear=", 0x43 },
	{ "no such capture unit", 0xc8 | EAR(7, 0) },
	{ "no such capture unit", 0xc8 | EAR(15, 0) },
	{ "without ear=", 0x12 | EAR(0, 1) },
	{ "ip_delay=", 0x12 | 1ULL << 32 },
	{ "ip_delay=", 0xc8 | EAR(1, 0) | 1ULL << 32 },
	{ "event=0xc8", 0x12 | EAR(1, 0) },
	{ "event=0xc8", 0x43 | EAR(2, 2) },
	{ "event=0x43", 0xc8 | EAR(4, 0) },
	{ "tables 3-16", 0xc8 | EAR(1, 0xb) },
	{ "captures nothing", 0xc8 | EAR(2, 0) },
	{ "table 3-16", 0x43 | EAR(4, 0x81) },
	{ "IP-EAR replaces", 0x11 | EAR(6, 0) },
	{ "belong to filter=", 0x08, 1 },
	{ "belong to filter=", 0x08, 0ULL, 1 },
	{ "by opcode", 0x40 | FILTER(1), 15ULL << 41 },
	{ "41 bits", 0x08 | FILTER(1), 1ULL << 45 },
	{ "41 bits", 0x08 | FILTER(1), 15ULL << 41, 1ULL << 41 },
	{ "opc_type=0", 0x08 | FILTER(1), 1 },
	{ "opc_mask=", 0x08 | FILTER(1), 1 | 15ULL << 41, 1 },
	{ "by instruction address", 0x49 | FILTER(2) },
	{ "by instruction address", 0x12 | FILTER(2), 0x4000 },
	{ "by opcode", 0x12 | FILTER(1), 15ULL << 41 },
	{ "by the kind of fetch", 0x41 | FILTER(2) },
	{ "by the kind of fetch", 0x46 | FILTER(2) },
	{ "by the kind of fetch", 0x65 | FILTER(2) },
	{ "by the kind of fetch", 0x66 | FILTER(2) },
	{ "by data address", 0x08 | FILTER(4) },
	{ "56 bits", 0x08 | FILTER(2), 0ULL, 1ULL << 56 },
	{ "size ignores", 0x08 | FILTER(2), 0x10, 0xff },
	{ "bundle", 0x08 | FILTER(2), 8 },
	{ "no room for a range", 0x08 | FILTER(3) | ADDR_BITS(4), 15ULL << 41 },
	{ "no room for a range", 0xc7 | FILTER(5) | DATA_BITS(4), 15ULL << 41 },
	{ "fine=1 is for", 0x08 | FINE },
	{ "fine=1 is for", 0xc7 | FILTER(4) | FINE },
	{ "channels 2 and 3", 0x208 | FILTER(2) | FINE, 0x10, 0x20 },
	{ "multiples of 32", 0x08 | FILTER(2) | FINE, 0x30, 0x60 },
	{ "multiples of 32", 0x08 | FILTER(2) | FINE, 0x20, 0x50 },
	{ "within 64 KiB", 0x08 | FILTER(2) | FINE, 0x20, 0x20 },
	{ "within 64 KiB", 0x08 | FILTER(2) | FINE, 0x20, 0x10020 },
	{ "second pair", 0x08 | FILTER(2) | FINE, 0x10000, 0x10040 },
	{ "no filter= or ear=", 0x80cd | FILTER(2), 0x4000 },
	{ "no filter= or ear=", 0x80cd | FILTER(4), 0x4000 },
	{ "no filter= or ear=", 0x80c8 | EAR(1, 0) },
	{ "this thread's branches", 0x8011 },
	{ "this thread's branches", 0x8011 | PPM(1) },
	{ "with a branch stack", 0x08 | TM(1) },
	{ "with a branch stack", 0x08 | PTM(1) },
	{ "with a branch stack", 0x12 | EAR(6, 0) | PPM(1) },
	{ "captures nothing (3.3.10", 0x11 | PTM(1) | PPM(1) },
	{ "filter=6", 0x08 | FILTER(2) | ADDR_BITS(4) },
	{ "filter=6", 0xc7 | FILTER(4) | DATA_BITS(4) },
	{ "takes its size", 0xc7 | FILTER(6) | ADDR_BITS(4) },
	{ "takes its size", 0xc7 | FILTER(6) | DATA_BITS(4) },
	{ "by data address", 0x08 | FILTER(6) | ADDR_BITS(4) | DATA_BITS(4) },
	{ "56 bits", 0xc7 | FILTER(6) | ADDR_BITS(57) | DATA_BITS(4) },
	{ "size ignores", 0xc7 | FILTER(6) | ADDR_BITS(5) | DATA_BITS(4), 0ULL, 8 },
};

void test_refused(unsigned int n)
{
	unsigned int i;

	load();
	test_refusals(pmu, 0, attributes, ARRAY_SIZE(attributes));
	for (i = 0; i < ARRAY_SIZE(refused) && !faults; i++) {
		struct refusal refusal = {
			.attr = {
				.config = refused[i].config,
				.config1 = refused[i].config1,
				.config2 = refused[i].config2,
			},
			.err = -EINVAL, .log = refused[i].rule,
		};

		mock_window();
		test_refusals(pmu, 0, &refusal, 1);
		if (faults)
			printf("# rule %u: %s\n", i, refused[i].rule);
	}
	unload();
}

/* Groups whose last event does not fit, and the most likely rule */
static const struct {
	const char *why;
	u64 config[14];		/* ended by 0 */
} groups_refused[] = {
	{ "there are only twelve counters", { 0x49, 0x49, 0x49, 0x49, 0x49, 0x49, 0x49, 0x49, 0x49, 0x49,
					 0x49, 0x49, 0x49 } },
	{ "more events than counters that count them correctly",
	  { 0x87, 0x1e6, 0x1e6, 0x1e6, 0x2e6, 0x1e6 } },
	{ "more events than counters that count them correctly",
	  { 0x1e6, 0x87, 0x87, 0x87, 0x87, 0x87, 0x87 } },
	{ "CYCLES_HALTED can only be counted by PMD10", { 0x1e6, 0x18, 0x18 } },
	{ "L2D events of two sets at a time", { 0x1e6, 0xf3, 0xe4 } },
	{ "two different unit masks or .all at a time", { 0x1e6, 0x81e6, 0x2e6 } },
	{ "two different unit masks or .all at a time", { 0xe4, 0x1e4, 0xf3 } },
	{ "L1D events of one set at a time", { 0xc0, 0x3e6, 0x3e6, 0xc4 } },
	{ "more events than counters that count them correctly",
	  { 0x87, 0x18, 0x87, 0x87, 0x87, 0x87, 0x87, 0x87 } },
};

/* Events of other PMUs are ignored. */
static void test_other_pmu(void)
{
	static const struct perf_event_attr raw = {
		.type = PERF_TYPE_RAW, .config = 0x108 | FILTER(2), .config1 = 0x4000,
		.config2 = 0xfff,
	}, lat4 = { .config = 0xc8 | EAR(1, 0) }, lat8 = { .config = 0xc8 | EAR(1, 1) };
	struct pmu core = { .name = "cpu", .type = PERF_TYPE_RAW };
	struct perf_event *leader, *event, *second;

	leader = mock_open(&core, &raw, 0, NULL, &open_errno);
	event = open_attr(0, &lat8, leader);
	mock_open(&core, &raw, 0, leader, &open_errno);
	second = open_attr(0, &lat8, leader);
	EXPECT(event && second, 1);
	EXPECT(!open_attr(0, &lat4, leader), 1);
	EXPECT(mock_sched_in(leader) && event->on && second->on, 1);
	mock_close(leader);
}

void test_groups(unsigned int n)
{
	struct perf_event *leader, *event;
	unsigned int i;

	load();
	for (row = 0; row < ARRAY_SIZE(groups_refused); row++) {
		const u64 *config = groups_refused[row].config;

		mock_window();
		log_clear();
		leader = NULL;
		for (i = 0; config[i]; i++) {
			struct perf_event_attr attr = { .config = config[i] };

			event = open_attr(0, &attr, leader);
			EXPECT(!event, !config[i + 1]);
			leader = leader ?: event;
		}
		EXPECT(open_errno, -EINVAL);
		expect_log(groups_refused[row].why, true);
		EXPECT(mock_sched_in(leader), 1);
		mock_close(leader);
	}
	leader = open_on(0, 0xc8 | EAR(1, 0));
	test_given_up(leader);
	mock_close(leader);
	test_other_pmu();
	unload();
}

/* How many background events find room: 6 with both threads in use (4.2.1) */
static const struct {
	bool ia64;
	int threads, of_core;
	unsigned int room;
} cores[] = {
	/* The stimuli of the emulated machine may be of either thread. */
	{ false, -1, 1, 6 }, { false, 0, 2, 12 }, { false, 1, 1, 6 },
	{ true, -1, 1, 12 }, { true, -1, 2, 6 }, { true, 0, 2, 12 },
};

static void background(unsigned int n)
{
	struct perf_event *event[13];
	struct perf_event_attr attr = { .config = 0xdc };
	unsigned int i, room = 0;

	row = n;
	EXPECT(*mock_param_threads, -1);
	*mock_param_threads = cores[n].threads;
	mock_cpuinfo.threads_per_core = cores[n].of_core;
	on_ia64 = cores[n].ia64;
	load();
	for (i = 0; i < ARRAY_SIZE(event); i++) {
		event[i] = open_attr(0, &attr, NULL);
		room += mock_sched_in(event[i]);
	}
	EXPECT(room, cores[n].room);
	for (i = 0; i < ARRAY_SIZE(event); i++)
		mock_close(event[i]);
	unload();
}

void test_background(unsigned int n)
{
	for (n = 0; n < ARRAY_SIZE(cores); n++)
		in_process(background, n);
}

/* An inherited event keeps the parent's permission. */
void test_inherited(unsigned int n)
{
	struct perf_event_attr all = { .config = 0x8049 };
	struct perf_event *parent, *child;

	load();
	mock_attach = PERF_ATTACH_TASK;
	parent = open_attr(0, &all, NULL);
	mock_capabilities = 0;
	mock_parent = parent;
	child = open_attr(1, &all, NULL);
	EXPECT(child && mock_sched_in(child), 1);
	if (child)
		EXPECT(control_of(child), want_control(&all));
	mock_parent = NULL;
	mock_close(parent);
	mock_close(child);
	mock_attach = 0;
	unload();
}

/* The type is taken by another driver, so perf assigns a free one. */
static void take_type(struct pmu *itanium)
{
	itanium->type = 42;
}

static void test_taken(unsigned int n)
{
	hooks.registering = take_type;
	EXPECT(load(), -EBUSY);
	EXPECT(mock_nr_pmus(), 0);
	hooks.registering = NULL;
	expect_log("the kernel already has a PMU driver", true);
	EXPECT(load(), 0);
	unload();
}

/* ia64: events with ranges share the breakpoint registers with debuggers. */
void test_debugger(unsigned int n)
{
	static const struct {
		u64 config, config1;
		bool ranges;
	} events[] = {
		{ 0x008 | FILTER(2), 0x4000, true }, { 0x108 | FILTER(2), 0x4000, true },
		{ 0x208 | FILTER(2), 0x4000, true }, { 0x308 | FILTER(2), 0x4000, true },
		{ 0x0c7 | FILTER(4), 0x4000, true }, { 0x08 | FILTER(1), 15ULL << 41 },
		{ 0x12 }, { 0x11 }, { 0xc8 | EAR(1, 0) }, { 0x12 | EAR(6, 0) },
		{ 0x43 | EAR(4, 0) },
	};
	struct perf_event *event;

	on_ia64 = true;
	in_process(test_taken, 0);
	load();
	for (row = 0; row < ARRAY_SIZE(events); row++) {
		struct perf_event_attr attr = {
			.config = events[row].config, .config1 = events[row].config1,
		};

		event = open_attr(0, &attr, NULL);
		EXPECT(!!event, 1);
		EXPECT(machine.ranges, events[row].ranges);
		mock_close(event);
		EXPECT(machine.ranges, 0);
		machine.debugged = true;
		log_clear();
		event = open_attr(0, &attr, NULL);
		EXPECT(open_errno, events[row].ranges ? -EBUSY : 0);
		if (events[row].ranges)
			expect_log("which a debugger is using", true);
		else
			mock_close(event);
		machine.debugged = false;
	}
	unload();
}
