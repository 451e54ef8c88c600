// SPDX-License-Identifier: GPL-2.0-only
/* offcore_rsp with its own counters: load, refusals, register accesses, sysfs and unload */
#include "tests.h"

int open_errno;

void processor(unsigned int model)
{
	mock_reset();
	machine_choose(model);
}

int load(void)
{
	mock_calls = 0;
	mock_interval = (BIT_ULL(machine.width) - 1) / 8;
	return mock_init();
}

void load_on(unsigned int model)
{
	processor(model);
	EXPECT(load(), 0);
}

void unload(void)
{
	mock_exit();
	mock_check_left();
}

u64 value(unsigned int request)
{
	return BIT_ULL(request) | (machine.shared ? 0x100 : 0x10000);
}

struct perf_event *open_on(unsigned int cpu, u64 config, struct perf_event *leader)
{
	struct perf_event_attr attr = { .config = config };

	return mock_open(mock_pmu("offcore_rsp"), &attr, cpu, leader, &open_errno);
}

static void test_models(void)
{
	static const struct {
		unsigned int model, version, ctrs, nr_rsp;
		int err;
		const char *log;
	} rows[] = {
		{ 26, 3, 4, 1, 0, "Nehalem, 1 register, its own counters" },
		{ 30, 3, 4, 1, 0, "Nehalem, 1 register," },
		{ 31, 3, 4, 1, 0, "Nehalem, 1 register," },
		{ 46, 3, 4, 1, 0, "Nehalem, 1 register," },
		{ 37, 3, 4, 2, 0, "Westmere, 2 registers, its own counters" },
		{ 44, 3, 4, 2, 0, "Westmere-EP, 2 registers" },
		{ 47, 3, 4, 2, 0, "Westmere-EX, 2 registers" },
		{ 42, 3, 4, 2, 0, "Sandy Bridge, 2 registers" },
		{ 45, 3, 4, 2, 0, "Sandy Bridge-EP, 2 registers" },
		{ 58, 3, 4, 2, -ENODEV, "Sandy Bridge but GenuineIntel, family 6, model 58: later" },
		/* Hypervisors may report none; version 2 is the oldest supported one. */
		{ 45, 3, 0, 2, -ENODEV, "reports no performance counters" },
		{ 45, 1, 4, 2, -ENODEV, "reports no performance counters" },
		{ 45, 2, 1, 2, 0, "Sandy Bridge-EP" },
		{ 45, 3, 4, 0, -ENODEV, "MSR_OFFCORE_RSP_0 is not accessible" },
		{ 45, 3, 4, 1, -ENODEV, "MSR_OFFCORE_RSP_1 is not accessible" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		processor(rows[i].model);
		machine.version = rows[i].version;
		machine.ctrs = rows[i].ctrs;
		machine.nr_rsp = rows[i].nr_rsp;
		EXPECT(load(), rows[i].err);
		expect_log(rows[i].log, true);
		if (rows[i].err)
			mock_check_left();
		else
			unload();
	}
	result("processors are known, and what they lack");
}

/* Let each call that may fail do so once. */
static void fail_each(unsigned int model)
{
	unsigned int n;
	int err;

	for (n = 1; ; n++) {
		processor(model);
		mock_fail_at = n;
		err = load();
		EXPECT(err, err ? -ENOMEM : 0);
		if (err)
			mock_check_left();
		else
			unload();
		if (mock_calls < n || faults)
			break;
	}
	EXPECT(n >= 3, true);
}

static void test_failures(void)
{
	struct perf_event *event;

	fail_each(45);
	fail_each(26);
	load_on(45);
	event = open_on(0, 0x10001, NULL);
	EXPECT(machine.our_ctr, 0xf);
	EXPECT(machine.our_sel, 0xf);
	/* A refused module leaves the other one's reservation. */
	EXPECT(!open_on(0, 0x10000, NULL), true);
	EXPECT(open_errno, -EINVAL);
	EXPECT(machine.our_ctr, 0xf);
	mock_close(event);
	EXPECT(machine.our_ctr | machine.our_sel, 0);
	unload();
	/* Counters that count no offcore event are left to others. */
	processor(45);
	machine.ctrs = 8;
	load();
	event = open_on(0, 0x10001, NULL);
	EXPECT(machine.our_ctr, 0xf);
	EXPECT(machine.our_sel, 0xf);
	mock_close(event);
	unload();
	result("whichever call fails, nothing is left");
}

/* Reservations of others are kept. */
static void test_reserved(void)
{
	struct perf_event *event;
	unsigned int held;

	for (held = 0; held < 256; held++) {
		bool room = ((held | held >> 4) & 15) != 15;

		processor(45);
		machine.held_ctr = held & 15;
		machine.held_sel = held >> 4;
		load();
		event = open_on(1, 0x10001, NULL);
		EXPECT(!event, !room);
		if (!event) {
			expect_log("all 4 counters are reserved by other users", true);
			EXPECT(open_errno, -EBUSY);
		} else {
			EXPECT(machine.our_ctr, machine.our_sel);
			EXPECT(mock_sched_in(event), true);
			mock_close(event);
		}
		unload();
	}
	/* A group with more events than free counters */
	processor(45);
	machine.held_ctr = 5;
	load();
	event = open_on(1, 0x10001, NULL);
	open_on(1, 0x10001, event);
	EXPECT(!open_on(1, 0x10001, event), true);
	EXPECT(open_errno, -EINVAL);
	expect_log("more events than there are free counters (2)", true);
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
		/* perf's probes of what a refused event lacks */
		{ { .exclude_guest = 1 }, 0, -EINVAL, PERF_ATTACH_TASK, NULL },
		{ { .sample_type = PERF_SAMPLE_BRANCH_STACK }, 0, -EOPNOTSUPP, 0,
		  "no branch stack" },
		{ { .precise_ip = 1 }, 0, -EOPNOTSUPP, 0, "no precise event" },
		{ { .exclude_host = 1 }, 0, -EINVAL, 0, "exclude_host (:G)" },
		{ { .exclude_idle = 1 }, 0, -EINVAL, 0, "exclude_idle" },
		{ { .exclude_user = 1, .exclude_kernel = 1 }, 0, -EINVAL, 0,
		  "nothing is left to count" },
		{ { .config2 = 1 }, 0, -EINVAL, 0, "config2" },
		{ { }, 3, -ENODEV, 0, "CPU 3 is not online" },
		{ { .exclude_user = 1 }, 0, 0, 0, NULL },
		{ { .exclude_kernel = 1, .exclude_guest = 1, .exclude_hv = 1 }, 2, 0, 0, NULL },
	};
	struct perf_event *leader;

	load_on(45);
	mock_cpu_down(3);
	test_refusals(mock_pmu("offcore_rsp"), 0x10001, uses, ARRAY_SIZE(uses));
	leader = open_on(0, 0x10001, NULL);
	test_given_up(leader);
	mock_close(leader);
	unload();
	result("what the counters cannot do is refused");
}

/* Accesses: start, read, stop, restart, with another event, close; suspend without events */
static void test_cost(void)
{
	static const struct {
		unsigned int model;
		unsigned int cost[7][2];
	} costs[] = {
		/* Global control, register, event, counter; once each */
		{ 45, { { 1, 4 }, { 1, 0 }, { 1, 2 }, { 1, 3 }, { 1, 3 }, { 2, 4 }, { 0, 0 } } },
		/*
		 * And 8 writes of reset events, 4 of the global control, one for each unused
		 * counter; the other one stops.
		 */
		{ 26, { { 1, 18 }, { 1, 0 }, { 1, 2 }, { 1, 18 }, { 2, 19 }, { 2, 3 }, { 0, 0 } } },
	};
	struct perf_event *event, *other;
	unsigned int i, step;

	for (i = 0; i < ARRAY_SIZE(costs); i++) {
		load_on(costs[i].model);
		event = open_on(0, value(0), NULL);
		other = open_on(0, machine.nr_rsp > 1 ? value(1) : value(0), NULL);
		for (step = 0; step < 7; step++) {
			machine.reads = 0;
			machine.writes = 0;
			switch (step) {
			case 0:
			case 3:
				mock_sched_in(event);
				break;
			case 1:
				mock_read(event, 0);
				break;
			case 2:
				mock_sched_out(event);
				break;
			case 4:
				mock_sched_in(other);
				break;
			case 5:
				mock_close(event);
				mock_close(other);
				break;
			case 6:
				mock_suspend();
				mock_resume();
				break;
			}
			EXPECT(machine.reads, costs[i].cost[step][0]);
			EXPECT(machine.writes, costs[i].cost[step][1]);
		}
		unload();
	}
	result("an event costs as many accesses as it has to, and a sleep without one none");
}

/* perf finds the PMU before it can open events, and this one opens as soon as it can. */
static int early;

static void open_early(struct pmu *pmu)
{
	struct perf_event event = {
		.attr = { .type = pmu->type, .config = 0x10001 },
		.pmu = pmu,
	};

	event.group_leader = &event;
	early = mock_event_init(&event);
}

static void test_early(void)
{
	struct perf_event *event;

	processor(45);
	hooks.registering = open_early;
	EXPECT(load(), 0);
	hooks.registering = NULL;
	EXPECT(early, -ENOENT);
	event = open_on(0, 0x10001, NULL);
	EXPECT(mock_sched_in(event), true);
	mock_close(event);
	unload();
	result("no event is opened while the PMU is being registered");
}

static struct perf_event *late;

static void start_early(void)
{
	EXPECT(mock_sched_in(late), false);
}

static void test_cpus(void)
{
	struct perf_event *event;

	processor(45);
	mock_online = 3;
	load();
	*machine_rsp(2, 1) = 0x77;
	mock_cpu_up(2);
	/* The firmware's value of the register is overwritten. */
	EXPECT(*machine_rsp(2, 1), 0);
	/* With it, a throttled group with such an event would stop for good. */
	EXPECT(mock_pmu("offcore_rsp")->capabilities & PERF_PMU_CAP_NO_INTERRUPT, 0);
	event = open_on(2, 0x10001, NULL);
	EXPECT(mock_sched_in(event), true);
	mock_close(event);
	/* perf's hotplug callback may run before the driver's. */
	late = open_on(0, 0x10001, NULL);
	late->cpu = 3;
	hooks.arriving = start_early;
	mock_cpu_up(3);
	hooks.arriving = NULL;
	EXPECT(mock_sched_in(late), true);
	mock_close(late);
	unload();
	result("CPUs that come later count");
}

/* The hrtimer runs often enough that a counter wraps at most once between two reads. */
static void test_wraps(void)
{
	struct perf_event *event;
	u64 ticks, rate = machine_rate(0x10001, OS | USR);
	unsigned int i;

	processor(45);
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
	EXPECT(count_of(event), 18 * ticks * rate);
	mock_close(event);
	unload();
	result("a counter that wraps goes on");
}

/*
 * Threads of a core that are never online together until both count. Cores are identified by
 * package, die and core number.
 */
static void test_threads(void)
{
	static const u64 values[MOCK_CPUS] = { 0x401, 0x801, 0x101, 0x201 };
	struct perf_event *event[MOCK_CPUS];
	unsigned int i, by;

	for (by = 0; by < 3; by++) {
		processor(37);
		for (i = 0; by && i < MOCK_CPUS; i++) {
			mock_package[i] = 1;
			mock_core[i] = by == 1 ? i / 2 : 0;
			mock_die[i] = by == 2 ? i / 2 : 0;
		}
		mock_online = 7;
		load();
		mock_cpu_down(2);
		mock_cpu_up(3);
		mock_cpu_up(2);
		/* Schedule one value for each register of the two cores. */
		for (i = 0; i < MOCK_CPUS; i++) {
			event[i] = open_on(i, values[i], NULL);
			EXPECT(mock_sched_in(event[i]), true);
		}
		for (i = 0; i < MOCK_CPUS; i++) {
			machine_tick(i, 10);
			mock_read(event[i], i);
			EXPECT(count_of(event[i]), 10 * machine_rate(values[i], OS | USR));
		}
		for (i = 0; i < MOCK_CPUS; i++)
			mock_close(event[i]);
		unload();
	}
	result("threads share their core's registers, whoever came first");
}

void test_load(void)
{
	test_wraps();
	test_threads();
	test_models();
	test_failures();
	test_reserved();
	test_refused();
	test_cost();
	test_early();
	test_cpus();
}
