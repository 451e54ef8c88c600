// SPDX-License-Identifier: GPL-2.0-only
/* What itanium_pmu takes of what perf asks for, of whom, and how it refuses the rest */
#include "itanium/guest/wrong.h"
#include "itanium/pmu.h"
#include "tests.h"

#define BRANCHES(f)	.sample_type = PERF_SAMPLE_BRANCH_STACK,		\
			.branch_sample_type = PERF_SAMPLE_BRANCH_ ## f
#define U		PERF_SAMPLE_BRANCH_USER
#define K		PERF_SAMPLE_BRANCH_KERNEL
#define HV		PERF_SAMPLE_BRANCH_HV

static const struct refusal attributes[] = {
	{ .attr = { .config = 0x12 } },
	{ .attr = { .config = 0x12, .exclude_hv = 1, .exclude_guest = 1 } },
	{ .attr = { .config = 0x12, .sample_period = 1 } },
	{ .attr = { .config = 0x12, .exclude_user = 1 } },
	{ .attr = { .config = 0x12, .exclude_kernel = 1 } },
	{ .attr = { .config = 0x12, .exclude_kernel = 1, .exclude_user = 1 },
	  .err = -EINVAL, .log = "no privilege level is left" },
	{ .attr = { .config = 0x12, .exclude_host = 1 }, .err = -EOPNOTSUPP,
	  .log = "itanium: config=0x12 refused: the PMU cannot exclude host or idle time\n" },
	{ .attr = { .config = 0x12, .exclude_idle = 1 }, .err = -EOPNOTSUPP,
	  .log = "cannot exclude host or idle time" },
#ifdef PERF_ATTR_SIZE_VER8
	{ .attr = { .config = 0x12, .config3 = 1 }, .err = -EINVAL,
	  .log = "config3 and config4" },
#endif
	{ .attr = { .config = 0xc8 | EAR(1, 0), .precise_ip = 1 } },
	{ .attr = { .config = 0xc8 | EAR(2, 2), .precise_ip = 2 } },
	{ .attr = { .config = 0xc8 | EAR(3, 0), .precise_ip = 3 } },
	{ .attr = { .config = 0x12, .precise_ip = 1 }, .err = -EOPNOTSUPP,
	  .log = "only the data EAR knows" },
	{ .attr = { .config = 0x43 | EAR(4, 0), .precise_ip = 1 },
	  .err = -EOPNOTSUPP, .log = "only the data EAR knows" },
	{ .attr = { .config = 0x43 | EAR(5, 1), .precise_ip = 1 },
	  .err = -EOPNOTSUPP, .log = "only the data EAR knows" },
	{ .attr = { .config = 0x12 | EAR(6, 0), .precise_ip = 1 },
	  .err = -EOPNOTSUPP, .log = "only the data EAR knows" },
	/* Branches */
	{ .attr = { .config = 0x12, BRANCHES(ANY) | U | K } },
	{ .attr = { .config = 0x12, BRANCHES(ANY) | U | K | HV } },
	{ .attr = { .config = 0x12, BRANCHES(ANY_RETURN) | U | K } },
	{ .attr = { .config = 0x12, BRANCHES(IND_CALL) | U | K } },
	{ .attr = { .config = 0x12, BRANCHES(IND_CALL) | U | K |
		    PERF_SAMPLE_BRANCH_IND_JUMP } },
	{ .attr = { .config = 0x12, BRANCHES(ANY) | U | K |
		    PERF_SAMPLE_BRANCH_NO_FLAGS | PERF_SAMPLE_BRANCH_NO_CYCLES } },
	{ .attr = { .config = 0x12, BRANCHES(IND_JUMP) | U | K },
	  .err = -EOPNOTSUPP, .log = "no such branch filter" },
	{ .attr = { .config = 0x12, BRANCHES(ANY_CALL) | U | K },
	  .err = -EOPNOTSUPP, .log = "no such branch filter" },
	{ .attr = { .config = 0x12, BRANCHES(ANY) | U | K |
		    PERF_SAMPLE_BRANCH_ANY_RETURN },
	  .err = -EOPNOTSUPP, .log = "no such branch filter" },
	{ .attr = { .config = 0x12, BRANCHES(ANY) | U | K |
		    PERF_SAMPLE_BRANCH_CALL_STACK },
	  .err = -EOPNOTSUPP, .log = "no such branch filter" },
	{ .attr = { .config = 0x12, BRANCHES(ANY) | U }, .err = -EOPNOTSUPP,
	  .log = "at the privilege levels of the event only" },
	{ .attr = { .config = 0x12, BRANCHES(ANY) | K }, .err = -EOPNOTSUPP,
	  .log = "at the privilege levels of the event only" },
	{ .attr = { .config = 0x12, BRANCHES(ANY) | U | K, .exclude_user = 1 },
	  .err = -EOPNOTSUPP,
	  .log = "at the privilege levels of the event only" },
	{ .attr = { .config = 0x12, BRANCHES(ANY) | U | K, .exclude_kernel = 1 },
	  .err = -EOPNOTSUPP,
	  .log = "at the privilege levels of the event only" },
	{ .attr = { .config = 0x12, BRANCHES(ANY) | U, .exclude_kernel = 1 } },
	{ .attr = { .config = 0x12, BRANCHES(ANY) | K, .exclude_user = 1 } },
	{ .attr = { .config = 0x12 | EAR(6, 0), BRANCHES(ANY) | U | K } },
	{ .attr = { .config = 0x12 | EAR(6, 0), BRANCHES(ANY_RETURN) | U | K },
	  .err = -EOPNOTSUPP, .log = "no branch filter but any" },
	{ .attr = { .config = 0x12 | EAR(6, 0), BRANCHES(ANY) | U },
	  .err = -EOPNOTSUPP, .log = "at the privilege levels of the event" },
	{ .attr = { .config = 0xc8 | EAR(1, 0), BRANCHES(ANY) | U | K } },
	{ .attr = { .config = 0xc8 | EAR(2, 2), BRANCHES(ANY) | U | K },
	  .err = -EINVAL, .log = "PMC39 = 0: no branch stack with them" },
	/* Jitter is of a fixed period of 8 or more. */
	{ .attr = { .config = 0x12 | JITTER, .sample_period = 8 } },
	{ .attr = { .config = 0x12 | JITTER, .sample_period = 7 },
	  .err = -EINVAL, .log = "fixed sampling period" },
	{ .attr = { .config = 0x12 | JITTER, .sample_freq = 1000, .freq = 1 },
	  .err = -EINVAL, .log = "fixed sampling period" },
	/* A range is the whole of two words. */
	{ .attr = { .config = 0x08 | FILTER(2), .config1 = 0x4000, .config2 = 0xfff } },
	{ .attr = { .config = 0x08 | FILTER(3), .config1 = 15ULL << 41 },
	  .err = -EINVAL, .log = "an opcode leaves no room for an address" },
};

void test_refused(unsigned int n)
{
	unsigned int i;

	load();
	test_refusals(pmu, 0, attributes, ARRAY_SIZE(attributes));
	for (i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct refusal refusal = {
			.attr = {
				.config = wrong[i].config,
				.config1 = wrong[i].config1,
				.config2 = wrong[i].config2,
			},
			.err = -EINVAL, .log = wrong[i].rule,
		};
		char line[64];

		test_refusals(pmu, 0, &refusal, 1);
		refusal.log = line;
		snprintf(line, sizeof(line), "itanium: config=0x%llx refused: ",
			 wrong[i].config);
		/* Lines are limited, and counted anew. */
		mock_window();
		test_refusals(pmu, 0, &refusal, 1);
		if (faults) {
			printf("# rule %u: %s\n", i, wrong[i].rule);
			break;
		}
	}
	unload();
}

/* What a member is told, of a group whose leader has @leader */
static void member(const struct perf_event_attr *leader,
		   const struct perf_event_attr *attr, const char *why)
{
	struct perf_event *first = open_attr(0, leader, NULL);

	mock_window();
	log_clear();
	if (wrong(!first)) {
		fault("leader %#llx is refused", (unsigned long long)leader->config);
		return;
	}
	if (wrong(!open_attr(0, attr, first) != !!why ||
		  open_errno != (why ? -EINVAL : 0)))
		fault("%#llx beside %#llx: %d", (unsigned long long)attr->config,
		      (unsigned long long)leader->config, open_errno);
	if (wrong(why ? !log_has(why) : log_has("itanium")))
		fault("%#llx beside %#llx: the log has %s '%s'",
		      (unsigned long long)attr->config,
		      (unsigned long long)leader->config,
		      why ? "no" : "a line, and no", why ?: "silence");
	mock_close(first);
}

/* Counters that there are not, by the rule that is most likely meant */
static void full(u64 a, u64 b, u64 c, u64 d, const char *why)
{
	const u64 config[] = { a, b, c, d };
	struct perf_event *first = NULL, *event = NULL;
	unsigned int i;

	log_clear();
	for (i = 0; i < 4 && config[i]; i++) {
		struct perf_event_attr attr = { .config = config[i] };

		event = open_attr(0, &attr, first);
		if (!event)
			break;
		first = first ?: event;
	}
	if (wrong(event || open_errno != -EINVAL || !log_has(why)))
		fault("event %#llx has room, or the log has no '%s'",
		      (unsigned long long)config[i], why);
	mock_close(first);
}

static void fill(u64 config, unsigned int room, const char *why)
{
	struct perf_event_attr attr = { .config = config };
	struct perf_event *first = open_attr(0, &attr, NULL);
	unsigned int i;

	for (i = 1; i < room; i++) {
		if (wrong(!open_attr(0, &attr, first)))
			fault("%#llx: %u are too many",
			      (unsigned long long)config, i + 1);
	}
	mock_window();
	log_clear();
	if (wrong(open_attr(0, &attr, first) || open_errno != -EINVAL || !log_has(why)))
		fault("%#llx: %u are not too many", (unsigned long long)config,
		      room + 1);
	if (wrong(!mock_sched_in(first)))
		fault("%#llx: no room for %u", (unsigned long long)config, room);
	mock_close(first);
}

/* A group of @n has room, and for one more like the first of its events it has not. */
static void crowd(const u64 *config, unsigned int n, const char *why)
{
	struct perf_event_attr attr = { .config = config[0] };
	struct perf_event *first = open_attr(0, &attr, NULL);
	unsigned int i;

	for (i = 1; i < n; i++) {
		attr.config = config[i];
		if (wrong(!open_attr(0, &attr, first)))
			fault("%#llx as number %u: %d",
			      (unsigned long long)config[i], i + 1, open_errno);
	}
	attr.config = config[0];
	mock_window();
	log_clear();
	if (wrong(open_attr(0, &attr, first) || open_errno != -EINVAL || !log_has(why)))
		fault("another %#llx: %d, and not \"%s\"",
		      (unsigned long long)config[0], open_errno, why);
	mock_close(first);
}

void test_groups(unsigned int n)
{
	static const u64 l2d[] = { 0xe6, 0xe6, 0xe6, 0x1e6, 0x1e6, 0x1e6 },
		one_halted[] = { 0x87, 0x18, 0x87, 0x87, 0x87, 0x87, 0x87 },
		eleven[] = { 0x87, 0x49, 0x49, 0x49, 0x49, 0x49, 0x87, 0x87,
			     0x87, 0x87, 0x87 };
	static const struct perf_event_attr dear = { .config = 0xc8 | EAR(1, 0) },
		dear2 = { .config = 0xc8 | EAR(1, 1) }, l1d0 = { .config = 0xc0 },
		l1d1 = { .config = 0xc4 }, halted = { .config = 0x18 },
		range = { .config = 0x108 | FILTER(2), .config1 = 0x4000,
			  .config2 = 0xfff },
		opcode = { .config = 0x08 | FILTER(1), .config1 = 15ULL << 41 },
		raw = { .type = PERF_TYPE_RAW, .config = 0x108 | FILTER(2),
			.config1 = 0x4000, .config2 = 0xfff };
	struct pmu core = { .name = "cpu", .type = PERF_TYPE_RAW };
	struct perf_event *leader, *event, *second;

	load();
	member(&dear, &dear, NULL);
	member(&dear, &dear2, "one data EAR setting at a time");
	member(&l1d0, &l1d1, "L1D events of one set at a time");
	member(&halted, &halted, "CYCLES_HALTED can only be counted by PMD10");
	member(&range, &opcode, NULL);
	fill(0x49, 12, "there are only twelve counters");
	fill(0xe6, 6, "L2D sets only have PMC4, 5, 8 and PMC6, 7, 9: not enough");
	full(0xe6, 0xf3, 0xe4, 0, "L2D events of two sets at a time");
	full(0xe6, 0xf3, 0xea, 0, "L2D events of two sets at a time");
	full(0x0e6, 0x1e6, 0x2e6, 0, "two different unit masks or .all at a time");
	full(0x0e6, 0x80e6, 0x1e6, 0, "two different unit masks or .all at a time");
	full(0x0e4, 0x1e5, 0xf3, 0x2f3, "two different unit masks or .all at a time");
	full(0xc0, 0x2e6, 0x2e6, 0xc4, "L1D events of one set at a time");
	full(0x18, 0x49, 0x18, 0, "CYCLES_HALTED can only be counted by PMD10");
	crowd(l2d, ARRAY_SIZE(l2d), "L2D sets only have PMC4, 5, 8 and PMC6, 7, 9: not enough");
	crowd(one_halted, ARRAY_SIZE(one_halted), "more events than counters that count them correctly");
	crowd(eleven, ARRAY_SIZE(eleven), "more events than counters that count them correctly");
	fill(0x87, 6, "more events than counters that count them correctly");

	leader = open_attr(0, &dear, NULL);
	test_given_up(leader);
	mock_close(leader);

	/* Others' events have no place here, whatever they look like. */
	leader = mock_open(&core, &raw, 0, NULL, &open_errno);
	event = open_attr(0, &dear2, leader);
	mock_open(&core, &raw, 0, leader, &open_errno);
	second = open_attr(0, &dear2, leader);
	if (wrong(!event || !second)) {
		fault("beside another PMU's events: %d", open_errno);
		return;
	}
	if (wrong(open_attr(0, &dear, leader)))
		fault("two settings beside another PMU's events");
	if (wrong(!mock_sched_in(leader) || !event->on || !second->on))
		fault("not counted beside another PMU's events");
	mock_close(leader);
	unload();
}

void test_rights(unsigned int n)
{
	static const struct perf_event_attr all = { .config = 0x8000 },
		wrong_code = { .config = 0x07 };
	struct perf_event *event;
	unsigned int i;

	load();
	mock_capabilities = 0;
	if (wrong(open_attr(0, &all, NULL) || open_errno != -EACCES))
		fault("the other thread is counted for anybody: %d", open_errno);
	if (wrong(open_attr(0, &wrong_code, NULL) || open_errno != -EINVAL ||
		  log_has("itanium")))
		fault("anybody fills the log: %d", open_errno);
	event = open_on(0, 0x12);
	mock_close(event);
	for (i = 0; i < 2; i++) {
		mock_capabilities = BIT_ULL(i ? CAP_SYS_ADMIN : CAP_PERFMON);
		event = open_attr(0, &all, NULL);
		if (wrong(!event || !mock_sched_in(event) || control_of(event) !=
			  want_control(&all)))
			fault("the other thread is not counted: %d", open_errno);
		mock_close(event);
		log_clear();
		open_attr(0, &wrong_code, NULL);
		expect_log("itanium: config=0x7 refused: no event has this code");
	}
	/* So many lines, and as many as the parameter says */
	mock_window();
	for (i = 1; i <= 51; i++) {
		bool silent = i > 50;

		log_clear();
		open_attr(0, &wrong_code, NULL);
		if (wrong(log_has("itanium") == silent))
			fault("line %u", i);
	}
	mock_set_param("log_burst", "1");
	mock_window();
	open_attr(0, &wrong_code, NULL);
	expect_log("itanium: ");
	log_clear();
	open_attr(0, &wrong_code, NULL);
	if (wrong(log_has("itanium")))
		fault("more lines than the parameter says");
	if (wrong(mock_set_param("log_burst", "-1") != -EINVAL))
		fault("less than no lines");
	unload();
}

/* Both threads in use, or not: events that happen in the background, 4.2.1 */
static void background(unsigned int n)
{
	struct perf_event *event[12];
	struct perf_event_attr attr = { .config = 0xdc };
	unsigned int i, room = 0;

	if (n)
		*mock_param_threads = n - 1;
	else if (wrong(*mock_param_threads != -1))
		fault("threads=%d is the default", *mock_param_threads);
	load();
	for (i = 0; i < 12; i++) {
		event[i] = open_attr(0, &attr, NULL);
		room += mock_sched_in(event[i]);
	}
	/* The stimuli of the emulated machine may be of either thread. */
	if (wrong(room != (n == 1 ? 12 : 6)))
		fault("threads=%d: room for %u events", *mock_param_threads, room);
	for (i = 0; i < 12; i++)
		mock_close(event[i]);
	unload();
}

/* Whoever forks: a child's event has what the parent's was granted. */
void test_inherited(unsigned int n)
{
	struct perf_event_attr all = { .config = 0x8049 };
	struct perf_event *parent, *child;

	for (n = 0; n < 3; n++)
		in_process(background, n);
	load();
	mock_attach = PERF_ATTACH_TASK;
	parent = open_attr(0, &all, NULL);
	mock_capabilities = 0;
	mock_parent = parent;
	child = open_attr(1, &all, NULL);
	if (wrong(!child || !mock_sched_in(child)))
		fault("a child is refused: %d", open_errno);
	else if (wrong(control_of(child) != want_control(&all)))
		fault("a child's control is %#llx",
		      (unsigned long long)control_of(child));
	mock_parent = NULL;
	mock_close(parent);
	mock_close(child);
	mock_attach = 0;
	unload();
}

/* As on Itanium: the processor's own PMU, with registers that others share */
static unsigned int ranges;
static bool debugged;

static bool get_ranges(struct task_struct *task)
{
	if (debugged)
		return false;
	ranges++;
	return true;
}

static void put_ranges(struct task_struct *task)
{
	ranges--;
}

static int generic(u32 type, u64 config, u64 want)
{
	struct perf_event event = {
		.attr = { .type = type, .config = config, .config1 = 5,
			  .config2 = 5 },
		.pmu = pmu, .cpu = 0, .hw.idx = -1,
	};
	struct perf_event_attr meant = { .config = want };
	int err;

	event.group_leader = &event;
	log_clear();
	err = mock_event_init(&event);
	if (wrong(log_has("itanium")))
		fault("type %u, %#llx: the log has a line", type,
		      (unsigned long long)config);
	if (err)
		return err;
	if (wrong(!mock_sched_in(&event) || control_of(&event) != want_control(&meant)))
		fault("type %u, %#llx: %#llx", type, (unsigned long long)config,
		      (unsigned long long)control_of(&event));
	mock_sched_out(&event);
	event.destroy(&event);
	return 0;
}

/* Another driver has the number already: perf gives the next one that is free. */
static void take_type(struct pmu *itanium)
{
	itanium->type = 42;
}

static void test_taken(unsigned int n)
{
	struct itanium_ops own;
	int ret;

	load();
	own = *itanium_ops;
	own.type = PERF_TYPE_RAW;
	itanium_pmu_exit();
	pmu = NULL;
	hooks.registering = take_type;
	ret = itanium_pmu_init(&own);
	hooks.registering = NULL;
	if (wrong(ret != -EBUSY || mock_nr_pmus()))
		fault("beside another PMU of the processor: %d", ret);
	expect_log("the kernel already has a PMU driver");
	if (wrong(itanium_pmu_init(&own)))
		fault("not registered with the number free again");
	unload();
}

void test_own(unsigned int n)
{
	static const struct perf_event_attr sharing[] = {
		{ .config = 0x08 | FILTER(2), .config1 = 0x4000, .config2 = 0xf },
		{ .config = 0x108 | FILTER(2), .config1 = 0x4000, .config2 = 0xf },
		{ .config = 0x208 | FILTER(2), .config1 = 0x4000, .config2 = 0xf },
		{ .config = 0x308 | FILTER(2), .config1 = 0x4000, .config2 = 0xf },
		{ .config = 0xc7 | FILTER(4), .config1 = 0x4000, .config2 = 0xf },
	}, alone[] = {
		{ .config = 0x12 }, { .config = 0xc8 | EAR(1, 0) },
		{ .config = 0x08 | FILTER(1), .config1 = 15ULL << 41 },
		{ .config = 0x11 }, { .config = 0x12 | EAR(6, 0) },
		{ .config = 0x43 | EAR(4, 0) },
	};
	struct itanium_ops own;
	struct perf_event *event;
	unsigned int i;

	in_process(test_taken, 0);
	load();
	own = *itanium_ops;
	own.type = PERF_TYPE_RAW;
	own.get_ranges = get_ranges;
	own.put_ranges = put_ranges;
	itanium_ops = &own;
	pmu->type = PERF_TYPE_RAW;
	if (wrong(generic(PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0x12) ||
		  generic(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0x08) ||
		  generic(PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_LL |
			  PERF_COUNT_HW_CACHE_RESULT_MISS << 16, 0xedd)))
		fault("a generic event is not taken");
	if (wrong(generic(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, 0) != -ENOENT ||
		  generic(PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_NODE, 0) != -ENOENT ||
		  generic(PERF_TYPE_SOFTWARE, 0, 0) != -ENOENT ||
		  generic(PERF_TYPE_TRACEPOINT, 0x12, 0) != -ENOENT))
		fault("an event is taken that there is not");
	for (i = 0; i < ARRAY_SIZE(sharing); i++) {
		debugged = false;
		event = open_attr(0, &sharing[i], NULL);
		if (wrong(!event || ranges != 1))
			fault("range %u: %u events have registers", i, ranges);
		debugged = true;
		log_clear();
		if (wrong(open_attr(0, &sharing[i], NULL) || open_errno != -EBUSY))
			fault("range %u beside a debugger: %d", i, open_errno);
		expect_log("which a debugger is using");
		mock_close(event);
		if (wrong(ranges))
			fault("range %u: the registers are not given back", i);
	}
	for (i = 0; i < ARRAY_SIZE(alone); i++) {
		event = open_attr(0, &alone[i], NULL);
		if (wrong(!event || ranges))
			fault("event %u is refused, or takes registers", i);
		if (event)
			mock_close(event);
	}
	unload();
}
