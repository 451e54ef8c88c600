// SPDX-License-Identifier: GPL-2.0-only
/* What offcore_rsp finds at load, refuses, costs, shows, and leaves */
#include "tests.h"

int load(void)
{
	mock_calls = 0;
	mock_interval = (BIT_ULL(machine.width) - 1) / 8;
	return mock_init();
}

void unload(void)
{
	mock_exit();
	mock_check_left();
}

static void expect_log(const char *text)
{
	if (wrong(!log_has(text)))
		fault("the log has no '%s'", text);
}

static int open_errno;

struct perf_event *open_on(unsigned int cpu, u64 config,
			   struct perf_event *leader)
{
	struct perf_event_attr attr = { .config = config };

	return mock_open(mock_pmu("offcore_rsp"), &attr, cpu, leader,
			 &open_errno);
}

struct perf_event *open_core(struct pmu *core, u64 config, u64 value,
			     struct perf_event *leader)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_RAW, .config = config };
	struct perf_event *event = mock_open(core, &attr, 0, leader, &open_errno);
	unsigned int code = config & 0xffff;

	event->hw.extra_reg = (struct hw_perf_event_extra){
		.config = value, .idx = -1,
		.reg = code == 0x1b7 ? 0x1a6 :
		       code == 0x1bb && machine.nr_rsp > 1 ? 0x1a7 : 0,
	};
	return event;
}

static void test_models(void)
{
	static const struct {
		unsigned int model;
		const char *log;
	} models[] = {
		{ 26, "Nehalem, 1 register, its own counters" },
		{ 30, "Nehalem, 1 register," }, { 31, "Nehalem, 1 register," },
		{ 46, "Nehalem, 1 register," },
		{ 37, "Westmere, 2 registers, its own counters" },
		{ 44, "Westmere-EP, 2 registers" },
		{ 47, "Westmere-EX, 2 registers" },
		{ 42, "Sandy Bridge, 2 registers" },
		{ 45, "Sandy Bridge-EP, 2 registers" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		mock_reset();
		machine_choose(models[i].model);
		if (wrong(load()))
			fault("model %u is refused", models[i].model);
		expect_log(models[i].log);
		unload();
	}
	mock_reset();
	machine_choose(58);
	if (wrong(load() != -ENODEV))
		fault("Ivy Bridge is taken");
	expect_log("not a Nehalem, Westmere or Sandy Bridge");
	mock_check_left();
	/* No counters, none of version 2, and neither, as a hypervisor may say */
	for (i = 0; i < 3; i++) {
		mock_reset();
		if (i != 1)
			machine.ctrs = 0;
		if (i != 0)
			machine.version = 1;
		if (wrong(load() != -ENODEV))
			fault("%u counters of version %u are taken",
			      machine.ctrs, machine.version);
		expect_log("shows no performance counters");
		mock_check_left();
	}
	/* The oldest version that will do, with one counter */
	mock_reset();
	machine.version = 2;
	machine.ctrs = 1;
	if (wrong(load()))
		fault("a counter of version 2 is refused");
	unload();
	mock_reset();
	machine.no_rsp = true;
	if (wrong(load() != -ENODEV))
		fault("a processor without the registers is taken");
	expect_log("MSR_OFFCORE_RSP_0 does not answer");
	mock_check_left();
	mock_reset();
	machine.nr_rsp = 1;
	if (wrong(load() != -ENODEV))
		fault("a processor with one of two registers is taken");
	expect_log("MSR_OFFCORE_RSP_1 does not answer");
	mock_check_left();
	result("processors are known, and what they lack");
}

/*
 * Of E5-2600: what stands for several bits of the register, as a supplier, the
 * result of a snoop, or both. Intel's event lists have them with these values.
 */
static const struct {
	unsigned int bit;
	bool pairs;
	u64 value;
} sets[] = {
	{ 0, true, 0x0600400000 }, { 1, false, 0x00003c0000 },
	{ 2, false, 0x3f80000000 }, { 4, false, 0x007f800000 },
	{ 5, true, 0x067f800000 }, { 10, true, 0x3fffc20000 },
	{ 11, true, 0x067fc00000 }, { 12, true, 0x107fc00000 },
};

#define SUPPLIERS	GENMASK_ULL(30, 17)
#define SNOOPS		GENMASK_ULL(37, 31)

/* Whether the register counts no more than the sets one by one */
static bool is_product(unsigned int chosen)
{
	unsigned int i, s, n;
	bool pairs = false;
	u64 all = 0;

	for (i = 0; i < ARRAY_SIZE(sets); i++) {
		if (chosen & BIT(i)) {
			all |= sets[i].value;
			pairs |= sets[i].pairs;
		}
	}
	for (s = 17; pairs && s <= 30; s++) {
		for (n = 31; n <= 37; n++) {
			u64 both = BIT_ULL(s) | BIT_ULL(n);
			bool covered = (all & both) != both;

			for (i = 0; i < ARRAY_SIZE(sets); i++)
				covered |= chosen & BIT(i) && sets[i].pairs &&
					   (sets[i].value & both) == both;
			if (!covered)
				return false;
		}
	}
	return all & SUPPLIERS;
}

static void test_products(void)
{
	unsigned int chosen, i, good = 0;

	mock_reset();
	load();
	for (chosen = 0; chosen < BIT(ARRAY_SIZE(sets)); chosen++) {
		struct perf_event_attr attr = { .config = 1 };
		struct perf_event *event;
		u64 want = 1;
		int err;

		for (i = 0; i < ARRAY_SIZE(sets); i++) {
			if (chosen & BIT(i)) {
				attr.config1 |= BIT_ULL(sets[i].bit);
				want |= sets[i].value;
			}
		}
		/* A supplier alone is one with any result. */
		if (!(want & SNOOPS))
			want |= SNOOPS;
		event = mock_open(mock_pmu("offcore_rsp"), &attr, 0, NULL, &err);
		if (wrong(!event == is_product(chosen) || (!event && err != -EINVAL)))
			fault("sets %#llx: %d", (unsigned long long)attr.config1,
			      err);
		if (!event)
			continue;
		good++;
		if (wrong(!mock_sched_in(event) || *machine_rsp(0, 0) != want))
			fault("sets %#llx: the register is %#llx",
			      (unsigned long long)attr.config1,
			      (unsigned long long)*machine_rsp(0, 0));
		mock_close(event);
	}
	if (wrong(!good))
		fault("no sets are taken");
	unload();
	result("sets of responses count what they say, or are refused");
}

/* What the core PMU is asked: one request, and any response that there is */
static void test_asked(void)
{
	static const unsigned int models[] = { 26, 37, 44, 47, 42, 45 };
	struct pmu core = { .name = "cpu", .type = PERF_TYPE_RAW };
	struct perf_event event = { .attr.config = 0x10001 };
	struct perf_event *leader;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		mock_reset();
		machine_choose(models[i]);
		mock_core_pmu = 0;
		mock_core_config1 = 0;
		load();
		if (wrong(mock_core_config1 != (models[i] == 42 || models[i] == 45 ?
						0x10001 : 0x101)))
			fault("model %u: the core PMU is asked for %#llx",
			      models[i], (unsigned long long)mock_core_config1);
		unload();
	}
	/* Without Hyper-Threading it has eight counters, and not more. */
	mock_reset();
	machine.ctrs = 8;
	mock_core_pmu = 0;
	load();
	leader = open_core(&core, 0x1b7, 0x10001, NULL);
	for (i = 1; i < 8; i++)
		open_core(&core, 0x1b7, 0x10001, leader);
	event.pmu = mock_pmu("offcore_rsp");
	event.attr.type = event.pmu->type;
	event.group_leader = leader;
	log_clear();
	if (wrong(event.pmu->event_init(&event) != -EINVAL))
		fault("nine events in a group");
	expect_log("more events than there are free counters (8)");
	mock_close(leader);
	unload();
	result("what the kernel's core PMU is asked for");
}

/* With a core PMU every event becomes one of that. */
static void test_kernel(void)
{
	struct perf_event event = { .attr.config = 0x10001 };
	struct perf_event *leader;
	struct pmu core = { .name = "cpu", .type = PERF_TYPE_RAW };
	unsigned int i;
	int err;

	mock_reset();
	mock_core_pmu = 0;
	if (wrong(load()))
		fault("beside a core PMU it does not load");
	expect_log("the kernel's counters");
	event.pmu = mock_pmu("offcore_rsp");
	event.group_leader = &event;
	event.attr.type = event.pmu->type;
	event.attr.config1 = 0;
	err = event.pmu->event_init(&event);
	if (wrong(err != -ENOENT || event.attr.type != PERF_TYPE_RAW ||
		  event.attr.config != 0x1b7 || event.attr.config1 != 0x10001))
		fault("error %d, type %u, config %#llx, config1 %#llx", err,
		      event.attr.type, event.attr.config, event.attr.config1);
	/* What perf sets unasked is the core PMU's to know, which has tasks. */
	event.attr.type = event.pmu->type;
	event.attr.config = 0x10001;
	event.attr.config1 = 0;
	event.attr.exclude_guest = 1;
	event.attach_state = PERF_ATTACH_TASK;
	err = event.pmu->event_init(&event);
	if (wrong(err != -ENOENT || event.attr.type != PERF_TYPE_RAW))
		fault("a task without guests: error %d", err);
	event.attr.exclude_guest = 0;
	event.attach_state = 0;
	/* Two registers: a third value has no room beside two of the kernel's. */
	leader = open_core(&core, 0x1b7, 0x10002, NULL);
	open_core(&core, 0x1bb, 0x10004, leader);
	for (i = 0; i < 3; i++) {
		struct perf_event third = {
			.attr = { .type = event.pmu->type,
				  .config = i ? 0x10000 | 2 * i : 0x10001, },
			.pmu = event.pmu, .group_leader = leader,
		};

		err = event.pmu->event_init(&third);
		if (wrong(err != (i ? -ENOENT : -EINVAL)))
			fault("value %u beside two of the kernel's: %d", i, err);
	}
	expect_log("more values than Sandy Bridge-EP has response registers (2)");
	/* Other events of the kernel have no value, or one of another register. */
	leader->hw.extra_reg.reg = 0x3f6;
	event.attr.type = event.pmu->type;
	event.attr.config = 0x10001;
	event.attr.config1 = 0;
	event.group_leader = leader;
	err = event.pmu->event_init(&event);
	if (wrong(err != -ENOENT))
		fault("a third value beside one: %d", err);
	mock_close(leader);
	if (wrong(hw[0].writes || machine.our_ctr))
		fault("a register is written, or a counter reserved");
	unload();
	mock_reset();
	mock_core_pmu = -EINVAL;
	if (wrong(load() != -ENODEV))
		fault("loaded with a core PMU that takes no such events");
	expect_log("the kernel's core PMU takes no offcore events (-22)");
	mock_check_left();
	mock_reset();
	mock_core_pmu = -ENOMEM;
	if (wrong(load() != -ENOMEM))
		fault("loaded, or another error, without memory for an event");
	mock_check_left();
	/* On Nehalem 0xbb is any other event's code. */
	mock_reset();
	machine_choose(26);
	mock_core_pmu = 0;
	load();
	leader = open_core(&core, 0x1bb, 0x102, NULL);
	event = (struct perf_event){
		.pmu = mock_pmu("offcore_rsp"), .group_leader = leader,
		.attr.config = 0x101,
	};
	event.attr.type = event.pmu->type;
	if (wrong(event.pmu->event_init(&event) != -ENOENT))
		fault("an event of code 0xbb takes a register that is not there");
	mock_close(leader);
	unload();
	result("with a core PMU an event becomes one of that");
}

/* Each call that may fail does once. */
static void fail_each(unsigned int model)
{
	unsigned int n;
	int err;

	for (n = 1; ; n++) {
		mock_reset();
		machine_choose(model);
		mock_fail_at = n;
		err = load();
		if (wrong(err && err != -ENOMEM))
			fault("no memory for call %u: error %d", n, err);
		if (err)
			mock_check_left();
		else
			unload();
		if (mock_calls < n || faults)
			break;
	}
	if (wrong(n < 3))
		fault("model %u: %u calls may fail", model, n);
}

static void test_failures(void)
{
	struct perf_event *event;

	fail_each(45);
	fail_each(26);
	mock_reset();
	load();
	event = open_on(0, 0x10001, NULL);
	if (wrong(!event || machine.our_ctr != 0xf || machine.our_sel != 0xf))
		fault("counters %#x, %#x are reserved", machine.our_ctr,
		      machine.our_sel);
	/* One that is refused leaves what the other has. */
	if (wrong(open_on(0, 0x10000, NULL) || open_errno != -EINVAL ||
		  machine.our_ctr != 0xf))
		fault("refused: %d", open_errno);
	mock_close(event);
	if (wrong(machine.our_ctr || machine.our_sel))
		fault("counters are not released with the last event");
	unload();
	result("whichever call fails, nothing is left");
}

/* What others have reserved they keep. */
static void test_reserved(void)
{
	struct perf_event *event;
	unsigned int held;

	for (held = 0; held < 256; held++) {
		mock_reset();
		machine.held_ctr = held & 15;
		machine.held_sel = held >> 4;
		load();
		event = open_on(1, 0x10001, NULL);
		if (wrong(!event != ((machine.held_ctr | machine.held_sel) == 0xf)))
			fault("held %#x: %d", held, open_errno);
		if (!event) {
			expect_log("all 4 counters are reserved by somebody else");
			if (wrong(open_errno != -EBUSY))
				fault("error %d", open_errno);
		} else {
			if (wrong(machine.our_ctr != machine.our_sel))
				fault("halves of counters are reserved");
			if (wrong(!mock_sched_in(event)))
				fault("held %#x: no room", held);
			mock_close(event);
		}
		unload();
	}
	/* A group that has more events than there are free counters */
	mock_reset();
	machine.held_ctr = 5;
	load();
	event = open_on(1, 0x10001, NULL);
	open_on(1, 0x10001, event);
	if (wrong(open_on(1, 0x10001, event) || open_errno != -EINVAL))
		fault("three events on two counters: %d", open_errno);
	expect_log("more events than there are free counters (2)");
	mock_close(event);
	unload();
	result("counters that others have are left to them");
}

static void test_refused(void)
{
	static const struct refusal uses[] = {
		{ { .sample_period = 1 }, 0, -EOPNOTSUPP, 0, "no sampling" },
		{ { }, -1, -EINVAL, 0, "no counting of a task" },
		{ { }, 0, -EINVAL, PERF_ATTACH_TASK, "no counting of a task" },
		{ { .sample_type = PERF_SAMPLE_BRANCH_STACK }, 0, -EOPNOTSUPP, 0,
		  "no branch stack" },
		{ { .precise_ip = 1 }, 0, -EOPNOTSUPP, 0, "no precise event" },
		{ { .exclude_host = 1 }, 0, -EINVAL, 0, "exclude_host and" },
		{ { .exclude_idle = 1 }, 0, -EINVAL, 0, "exclude_idle" },
		{ { .exclude_user = 1, .exclude_kernel = 1 }, 0, -EINVAL, 0,
		  "nothing is left to count" },
		{ { .config2 = 1 }, 0, -EINVAL, 0, "config2" },
		/* local_dram, llc_hit and any_request; and what is no field */
		{ { .config1 = 1 << 0 }, 0, -EINVAL, 0,
		  "another response beside any_response" },
		{ { .config1 = 1 << 1 | 1 << 3 }, 0, -EINVAL, 0,
		  "another response beside any_response" },
		{ { .config1 = 1 << 20 }, 0, -EINVAL, 0,
		  "bits 0x100000 of config1 are no field" },
		{ { .config1 = 1 << 20 | 1 << 1 }, 0, -EINVAL, 0,
		  "bits 0x100000 of config1 are no field" },
		{ { }, 3, -ENODEV, 0, "CPU 3 is not online" },
		{ { .exclude_user = 1 }, 0, 0, 0, NULL },
		{ { .exclude_kernel = 1, .exclude_guest = 1, .exclude_hv = 1 },
		  2, 0, 0, NULL },
	};
	struct perf_event *leader;

	mock_reset();
	load();
	mock_cpu_down(3);
	test_refusals(mock_pmu("offcore_rsp"), 0x10001, uses,
		      ARRAY_SIZE(uses));
	leader = open_on(0, 0x10001, NULL);
	test_given_up(leader);
	mock_close(leader);
	unload();
	result("what the counters cannot do is refused");
}

/* Accesses: start, read, stop, start anew, with another one there, close */
static void test_cost(void)
{
	static const struct {
		unsigned int model;
		unsigned int cost[6][2];
	} costs[] = {
		/* Global control, register, event, counter; once each */
		{ 45, { { 1, 4 }, { 1, 0 }, { 1, 2 }, { 1, 3 }, { 1, 3 },
			{ 2, 4 } } },
		/*
		 * And 8 writes of reset events, 4 of the global control, one
		 * for each counter that is not in use; the other one stops.
		 */
		{ 26, { { 1, 18 }, { 1, 0 }, { 1, 2 }, { 1, 18 }, { 2, 19 },
			{ 2, 3 } } },
	};
	struct perf_event *event, *other;
	unsigned int i, step;

	for (i = 0; i < ARRAY_SIZE(costs); i++) {
		mock_reset();
		machine_choose(costs[i].model);
		load();
		event = open_on(0, costs[i].model == 45 ? 0x10001 : 0x101, NULL);
		other = open_on(0, costs[i].model == 45 ? 0x10002 : 0x101, NULL);
		for (step = 0; step < 6; step++) {
			machine_tally();
			if (step == 0 || step == 3)
				mock_sched_in(event);
			if (step == 1)
				mock_read(event, 0);
			if (step == 2)
				mock_sched_out(event);
			if (step == 4)
				mock_sched_in(other);
			if (step == 5) {
				mock_close(event);
				mock_close(other);
			}
			if (wrong(machine_reads() != costs[i].cost[step][0] ||
				  machine_writes() != costs[i].cost[step][1]))
				fault("model %u, step %u: %u reads, %u writes",
				      costs[i].model, step, machine_reads(),
				      machine_writes());
		}
		unload();
	}
	result("an event costs as many accesses as it has to");
}

/* Others switch counters of theirs on and off while we count. */
static void test_others(void)
{
	struct perf_event *event;

	mock_reset();
	machine.held_ctr = 1;
	hw[2].ctrl = 0x100000002;
	load();
	event = open_on(2, 0x10001, NULL);
	mock_sched_in(event);
	if (wrong(hw[2].ctrl != 0x10000000e))
		fault("the global control is %#llx",
		      (unsigned long long)hw[2].ctrl);
	hw[2].ctrl |= 0x200000001;
	hw[2].ctrl &= ~0x100000000ull;
	mock_close(event);
	if (wrong(hw[2].ctrl != 0x20000000f))
		fault("the global control is left as %#llx",
		      (unsigned long long)hw[2].ctrl);
	if (wrong(mock_timer_set(0) || mock_timer_set(1)))
		fault("read without need");
	unload();
	result("bits of the global control that are others' are theirs");
}

/* What debugfs shows of the registers */
static void test_debugfs(void)
{
	static const char unused[] =
		"Sandy Bridge-EP: our own counters, 4 of each CPU; registers of each";
	static const char used[] =
		" OFFCORE_RSP_0=0x10001 dmnd_data_rd,any_response counters 0 1\n";
	struct perf_event *event;
	const char *text;

	mock_reset();
	load();
	text = mock_debugfs();
	if (wrong(!strstr(text, unused) ||
		  !strstr(text, "cpu 3 OFFCORE_RSP_1=0 free\n")))
		fault("unused: %s", text);
	event = open_on(1, 0x10001, NULL);
	mock_sched_in(event);
	open_on(1, 0x10001, event);
	text = mock_debugfs();
	if (wrong(!strstr(text, used) || strncmp(strstr(text, used) - 5, "cpu 1", 5) ||
		  !strstr(text, "cpu 0 OFFCORE_RSP_0=0 free\n") ||
		  !strstr(text, "cpu 1 OFFCORE_RSP_1=0 free\n")))
		fault("in use: %s", text);
	mock_close(event);
	/* All eight bits of the remote supplier, and a request */
	*machine_rsp(3, 0) = 0x7f800002;
	text = mock_debugfs();
	if (wrong(!strstr(text, "cpu 3 OFFCORE_RSP_0=0x7f800002 dmnd_rfo,remote free\n")))
		fault("remote: %s", text);
	*machine_rsp(3, 0) = 0;
	machine.no_rsp = true;
	text = mock_debugfs();
	if (wrong(!strstr(text, "cpu 2 OFFCORE_RSP_1 does not answer\n")))
		fault("gone: %s", text);
	machine.no_rsp = false;
	unload();
	mock_reset();
	machine_choose(37);
	load();
	if (wrong(!strstr(mock_debugfs(), "registers shared by the threads of a core")))
		fault("shared: %s", mock_debugfs());
	unload();
	result("debugfs shows who has which register");
}

static struct perf_event *late;

static void start_early(void)
{
	if (wrong(mock_sched_in(late)))
		fault("an event counts on a CPU that the driver does not know");
}

static void test_cpus(void)
{
	struct perf_event *event;

	mock_reset();
	mock_online = 3;
	load();
	*machine_rsp(2, 1) = 0x77;
	mock_cpu_up(2);
	if (wrong(*machine_rsp(2, 1)))
		fault("what firmware left in a register stays");
	event = open_on(2, 0x10001, NULL);
	if (wrong(!event || !mock_sched_in(event)))
		fault("not counted on a CPU that came later: %d", open_errno);
	if (event)
		mock_close(event);
	/* perf may be told before the driver is. */
	late = open_on(0, 0x10001, NULL);
	late->cpu = 3;
	hooks.arriving = start_early;
	mock_cpu_up(3);
	hooks.arriving = NULL;
	if (wrong(!mock_sched_in(late)))
		fault("not counted once the driver knows the CPU");
	mock_close(late);
	unload();
	result("CPUs that come later count");
}

/* The timer comes often enough that a counter wraps once between two looks. */
static void test_wraps(void)
{
	struct perf_event *event;
	u64 ticks, rate = machine_rate(0x10001, OS | USR);
	unsigned int i;

	mock_reset();
	machine.width = 32;
	load();
	event = open_on(2, 0x10001, NULL);
	mock_sched_in(event);
	ticks = BIT_ULL(32) / rate * 3 / 4;
	for (i = 0; i < 18; i++) {
		machine_tick(2, ticks);
		mock_timers();
	}
	mock_read(event, 2);
	if (wrong(event->count.a.a.v != 18 * (s64)(ticks * rate)))
		fault("%lld counted of %llu", (long long)event->count.a.a.v,
		      (unsigned long long)(18 * ticks * rate));
	mock_close(event);
	unload();
	result("a counter that wraps goes on");
}

/*
 * Threads of a core that are never online at one time before both count. Cores are
 * told from each other by package, by number, or by die.
 */
static void test_strangers(void)
{
	static const char *const by[] = { "package", "number", "die" };
	static const u64 values[MOCK_CPUS] = { 0x401, 0x801, 0x101, 0x201 };
	struct perf_event *event[MOCK_CPUS];
	unsigned int i, told;

	for (told = 0; told < 3; told++) {
		mock_reset();
		machine_choose(37);
		for (i = 0; told && i < MOCK_CPUS; i++) {
			mock_package[i] = 1;
			mock_core[i] = told == 1 ? i / 2 : 0;
			mock_die[i] = told == 2 ? i / 2 : 0;
		}
		mock_online = 7;
		load();
		mock_cpu_down(2);
		mock_cpu_up(3);
		mock_cpu_up(2);
		/* As many values as the two cores have registers */
		for (i = 0; i < MOCK_CPUS; i++) {
			event[i] = open_on(i, values[i], NULL);
			if (wrong(!mock_sched_in(event[i])))
				fault("told by %s: not counted on CPU %u", by[told], i);
		}
		for (i = 0; i < MOCK_CPUS; i++) {
			machine_tick(i, 10);
			mock_read(event[i], i);
			if (wrong(event[i]->count.a.a.v !=
				  10 * (long)machine_rate(values[i], OS | USR)))
				fault("told by %s: CPU %u has %ld", by[told], i,
				      event[i]->count.a.a.v);
		}
		for (i = 0; i < MOCK_CPUS; i++)
			mock_close(event[i]);
		unload();
	}
	result("threads share their core's registers, whoever came first");
}

/*
 * An access to an MSR is a tracepoint, and its users read events of this CPU: a
 * sample of a group, a BPF program. Responses come meanwhile, too.
 */
static struct perf_event *traced[2];
static s64 traced_last[2];
static unsigned int traced_times, traced_every;

static void read_traced(void)
{
	unsigned int i;

	traced_times++;
	for (i = 0; i < ARRAY_SIZE(traced); i++) {
		machine_tick(2, 1);
		if (traced_times % traced_every)
			continue;
		traced[i]->pmu->read(traced[i]);
		if (wrong(traced[i]->count.a.a.v < traced_last[i]))
			fault("the count of a traced event goes back");
		traced_last[i] = traced[i]->count.a.a.v;
	}
	machine_tick(2, 1);
}

static void test_traced(void)
{
	static const unsigned int models[] = { 26, 37, 45, 26, 37, 45 };
	unsigned int i, round;
	s64 sum;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		mock_reset();
		machine_choose(models[i]);
		load();
		traced_every = i < 3 ? 1 : 2 + i;
		memset(traced_last, 0, sizeof(traced_last));
		traced[0] = open_on(2, models[i] == 45 ? 0x10001 : 0x101, NULL);
		traced[1] = open_on(2, models[i] == 45 ? 0x10001 : 0x101, NULL);
		machine.traced = read_traced;
		for (round = 0; round < 20; round++) {
			mock_sched_in(traced[round & 1]);
			machine_tick(2, 3);
			mock_sched_in(traced[!(round & 1)]);
			mock_read(traced[0], 2);
			mock_throttle(traced[1], true);
			mock_timers();
			mock_throttle(traced[1], false);
			mock_sched_out(traced[0]);
			machine_tick(2, 5);
			mock_sched_out(traced[1]);
		}
		machine.traced = NULL;
		sum = traced[0]->count.a.a.v + traced[1]->count.a.a.v;
		if (wrong(!sum || sum != (s64)machine_counted(2)))
			fault("model %u: %lld counted of %lld", models[i],
			      (long long)sum, (long long)machine_counted(2));
		mock_close(traced[0]);
		mock_close(traced[1]);
		unload();
	}
	result("events that are read by a tracepoint of any access count exactly");
}

/*
 * From 6.16 on perf stops and starts all events of a group whose leader takes too
 * many samples, and the access may be what it samples. Its tick lets the leader go
 * on, but not if the group has an event of a PMU without an interrupt.
 */
static void throttle_traced(void)
{
	unsigned int i;

	traced_times++;
	for (i = 0; i < ARRAY_SIZE(traced); i++) {
		machine_tick(2, 1);
		if (traced[i]->on)
			mock_throttle(traced[i], traced_times % traced_every);
	}
}

static void test_throttled(void)
{
	static const unsigned int models[] = { 26, 37, 45, 26, 37, 45 };
	unsigned int i, j, round;
	s64 sum;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		u64 value = models[i] == 45 ? 0x10001 : 0x101;

		mock_reset();
		machine_choose(models[i]);
		load();
		if (wrong(mock_pmu("offcore_rsp")->capabilities &
			  PERF_PMU_CAP_NO_INTERRUPT))
			fault("perf's tick does not look at the PMU");
		traced_every = 2 + i;
		for (j = 0; j < ARRAY_SIZE(traced); j++)
			traced[j] = open_on(2, value, NULL);
		machine.traced = throttle_traced;
		for (round = 0; round < 20; round++) {
			mock_sched_in(traced[round & 1]);
			machine_tick(2, 3);
			mock_sched_in(traced[!(round & 1)]);
			mock_timers();
			mock_read(traced[0], 2);
			sum = traced[0]->count.a.a.v;
			machine.traced = NULL;
			mock_throttle(traced[0], true);
			machine_tick(2, 100);
			mock_read(traced[0], 2);
			machine.traced = throttle_traced;
			if (wrong(traced[0]->count.a.a.v - sum <
				  100 * (s64)machine_rate(value, OS | USR)))
				fault("a throttled event counted %lld",
				      (long long)(traced[0]->count.a.a.v - sum));
			mock_sched_out(traced[0]);
			mock_sched_out(traced[1]);
		}
		machine.traced = NULL;
		sum = traced[0]->count.a.a.v + traced[1]->count.a.a.v;
		if (wrong(sum != (s64)machine_counted(2)))
			fault("model %u: %lld counted of %lld", models[i],
			      (long long)sum, (long long)machine_counted(2));
		mock_close(traced[0]);
		mock_close(traced[1]);
		unload();
	}
	result("a group that is throttled by a sample of any access counts on exactly");
}

void test_load(void)
{
	test_wraps();
	test_strangers();
	test_traced();
	test_throttled();
	test_models();
	test_kernel();
	test_asked();
	test_products();
	test_failures();
	test_reserved();
	test_refused();
	test_cost();
	test_others();
	test_debugfs();
	test_cpus();
}
