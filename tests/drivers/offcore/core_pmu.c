// SPDX-License-Identifier: GPL-2.0-only
/*
 * With a core PMU: events become the core PMU's. What that would refuse without a reason, or accept
 * although it counts nothing, is refused first.
 */
#include "tests.h"

static struct pmu core = { .name = "cpu", .type = PERF_TYPE_RAW };

/* Raw events of the core PMU: 0x1b7 and 0x1bb have a response register. */
static struct perf_event *open_core(u64 config, u64 rsp, struct perf_event *leader)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_RAW, .config = config };
	struct perf_event *event = mock_open(&core, &attr, 0, leader, &open_errno);

	event->hw.extra_reg = (struct hw_perf_event_extra){
		.config = rsp, .idx = -1,
		.reg = config == 0x1b7 ? 0x1a6 : config == 0x1bb && machine.nr_rsp > 1 ? 0x1a7 : 0,
	};
	return event;
}

/* perf opens an offcore_rsp event, alone or in the group of @leader. */
static int ask(struct perf_event *event, u64 config, struct perf_event *leader)
{
	event->pmu = mock_pmu("offcore_rsp");
	event->attr.type = event->pmu->type;
	event->attr.config = config;
	event->attr.config1 = 0;
	event->group_leader = leader ?: event;
	log_clear();
	return mock_event_init(event);
}

static void start(unsigned int model, unsigned int ctrs)
{
	processor(model);
	machine.ctrs = ctrs;
	mock_core_pmu = 0;
	mock_core_config1 = 0;
	EXPECT(load(), 0);
}

/* The probe's event is on a CPU that is online, whichever it is. */
static void test_cpu_0_offline(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < MOCK_CPUS; cpu++) {
		processor(45);
		mock_core_pmu = 0;
		mock_online = BIT(cpu);
		mock_cpu = cpu;
		EXPECT(load(), 0);
		expect_log("the kernel's counters", true);
		unload();
	}
	processor(45);
}

static void test_becomes(void)
{
	static const unsigned int models[] = { 26, 37, 44, 47, 42, 45 };
	struct perf_event event = { };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		start(models[i], 4);
		EXPECT(mock_core_config1, value(0));
		unload();
	}
	test_cpu_0_offline();
	start(45, 4);
	expect_log("the kernel's counters", true);
	/* Its events have no task context, and hold the module. */
	EXPECT(mock_pmu("offcore_rsp")->task_ctx_nr, perf_invalid_context);
	EXPECT(mock_pmu("offcore_rsp")->module == THIS_MODULE, true);
	EXPECT(ask(&event, 0x10001, NULL), -ENOENT);
	EXPECT(event.attr.type, PERF_TYPE_RAW);
	EXPECT(event.attr.config, 0x1b7);
	EXPECT(event.attr.config1, 0x10001);
	/* Attributes that perf sets by default are passed on, as the core PMU counts tasks. */
	event.attr.exclude_guest = 1;
	event.attach_state = PERF_ATTACH_TASK;
	EXPECT(ask(&event, 0x10001, NULL), -ENOENT);
	EXPECT(event.attr.type, PERF_TYPE_RAW);
	/* The core PMU accepts an event that excludes user and kernel. */
	event = (struct perf_event){ .attr.exclude_user = 1 };
	EXPECT(ask(&event, 0x10001, NULL), -ENOENT);
	event.attr.exclude_kernel = 1;
	EXPECT(ask(&event, 0x10001, NULL), -EINVAL);
	expect_log("nothing is left to count", true);
	event.attr.exclude_user = 0;
	EXPECT(ask(&event, 0x10001, NULL), -ENOENT);
	/* The core PMU refuses :p without a reason, and ignores :I. */
	event = (struct perf_event){ .attr.precise_ip = 1 };
	EXPECT(ask(&event, 0x10001, NULL), -EOPNOTSUPP);
	expect_log("offcore_rsp: no precise event (:p)", true);
	event = (struct perf_event){ .attr.exclude_idle = 1 };
	EXPECT(ask(&event, 0x10001, NULL), -EINVAL);
	expect_log("offcore_rsp: the counters do not support exclude_idle (:I)", true);
	/* With KVM it counts the host or guests alone. */
	event = (struct perf_event){ .attr.exclude_host = 1, .attr.exclude_hv = 1 };
	EXPECT(ask(&event, 0x10001, NULL), -ENOENT);
	EXPECT(machine.writes || machine.our_ctr, false);
	unload();
	result("beside a core PMU an event becomes that one's, or is refused with a reason");
}

/* Two registers: no third value beside two of the kernel's events */
static void test_values(void)
{
	struct pmu msr = { .name = "msr", .type = 9 };
	struct perf_event event = { }, *leader, *second;

	start(45, 4);
	leader = open_core(0x1b7, 0x10002, NULL);
	second = open_core(0x1bb, 0x10004, leader);
	EXPECT(ask(&event, 0x10002, leader), -ENOENT);
	EXPECT(ask(&event, 0x10004, leader), -ENOENT);
	EXPECT(ask(&event, 0x10001, leader), -EINVAL);
	expect_log("more values than Sandy Bridge-EP has response registers (2); each LLC-* and node-* event takes one",
		   true);
	/* LLC-loads and similar events use a register without a raw code. */
	second->attr.type = PERF_TYPE_HW_CACHE;
	EXPECT(ask(&event, 0x10001, leader), -EINVAL);
	/* Ignore the same bits of another PMU's event. */
	second->pmu = &msr;
	EXPECT(ask(&event, 0x10001, leader), -ENOENT);
	second->pmu = &core;
	/* Other events of the kernel use no response register, or another one. */
	leader->hw.extra_reg.reg = 0x3f6;
	EXPECT(ask(&event, 0x10001, leader), -ENOENT);
	mock_close(leader);
	unload();
	/* On Nehalem 0xbb is an ordinary event code. */
	start(26, 4);
	leader = open_core(0x1bb, 0x102, NULL);
	EXPECT(ask(&event, 0x101, leader), -ENOENT);
	mock_close(leader);
	unload();
	result("beside the kernel's events a group has at most a value for each register");
}

/* Without hyper-threading the processor has eight counters, of which four count the events. */
static void test_counters(unsigned int ctrs, unsigned int fit, const char *log)
{
	struct perf_event event = { }, *leader;
	unsigned int i;

	start(45, ctrs);
	leader = open_core(0x1b7, 0x10001, NULL);
	for (i = 1; i < fit; i++) {
		EXPECT(ask(&event, 0x10001, leader), -ENOENT);
		open_core(0x1b7, 0x10001, leader);
	}
	EXPECT(ask(&event, 0x10001, leader), -EINVAL);
	expect_log(log, true);
	mock_close(leader);
	unload();
}

static void test_refuses(void)
{
	processor(45);
	mock_core_pmu = -EINVAL;
	EXPECT(load(), -ENODEV);
	expect_log("the kernel's core PMU rejects offcore events (-22)", true);
	mock_check_left();
	processor(45);
	mock_core_pmu = -ENOMEM;
	EXPECT(load(), -ENOMEM);
	mock_check_left();
	result("what the core PMU refuses at load is the driver's error");
}

void test_core_pmu(void)
{
	test_becomes();
	test_values();
	test_counters(2, 2, "more events than there are free counters (2)");
	test_counters(4, 4, "more events than there are free counters (4)");
	test_counters(8, 4, "more events than there are free counters (4)");
	result("beside the kernel's events a group has at most as many events as counters that count them");
	test_refuses();
}
