// SPDX-License-Identifier: GPL-2.0-only
/* Load, sysfs files, register accesses and unload of itanium_pmu */
#include "itanium/pmu.h"
#include "tests.h"

static unsigned int handed;

static void handler(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	handed += regs->ip == 0x1234 && data->period == 1000;
}

/* On x86 perf_event_overflow() is not there for modules, but the event's handler is. */
static void test_handler(const struct itanium_ops *ops)
{
	struct perf_event event = { .overflow_handler = handler };
	struct perf_sample_data data = { .period = 1000 };
	struct pt_regs regs = { .ip = 0x1234 };

	EXPECT(ops->overflow(&event, &data, &regs), 0);
	EXPECT(handed, 1);
	EXPECT(event.pending_kill, POLL_IN);
	EXPECT(!ops->account && !ops->sched_task && !ops->sched_inc && !ops->sched_dec &&
	       !ops->attach, 1);
}

static void check_serialized(unsigned int cpu)
{
	mock_cpu = cpu;
	itanium_ops->irq(false);
	machine_serialized(cpu, "with its interrupt off");
	EXPECT(hw[cpu].pmv & BIT(16), BIT(16));
	itanium_ops->irq(true);
	machine_serialized(cpu, "with its interrupt on");
	EXPECT(hw[cpu].pmv & BIT(16), 0);
}

static void count_on_all(void)
{
	struct perf_event *event;
	unsigned int cpu;

	for (cpu = 0; cpu < MOCK_CPUS; cpu++) {
		if (!cpu_online(cpu))
			continue;
		event = open_on(cpu, 0x12);
		EXPECT(mock_sched_in(event), 1);
		EXPECT(machine_tick(cpu, 7), 7);
		mock_read(event, cpu);
		EXPECT(count_of(event), 7 * machine_rate(want_control(&event->attr)));
		EXPECT(control_of(event), want_control(&event->attr));
		mock_close(event);
	}
}

/* After unload no processor may count or interrupt. */
static void check_quiet(void)
{
	unsigned int cpu, n;

	for (cpu = 0; cpu < MOCK_CPUS; cpu++) {
		EXPECT(hw[cpu].pmv & BIT(16), BIT(16));
		for (n = FIRST_COUNTER; n <= LAST_COUNTER; n++)
			EXPECT(!(hw[cpu].mont.pmc[0] & FR) && hw[cpu].mont.pmc[n] & PLM, 0);
	}
}

/* Table 3-8 and section 3.3.12: every register of a processor has a value. */
static void check_reset(unsigned int cpu)
{
	static const u64 shared[] = {
		P32, P33, P32, P33, P36, 0, P38, 0, P40, P41, 0,
	};
	struct hw_cpu *c = &hw[cpu];

	for (row = 0; row < ARRAY_SIZE(shared); row++)
		EXPECT(c->mont.pmc[32 + row], shared[row]);
	for (row = FIRST_COUNTER; row <= LAST_COUNTER; row++)
		EXPECT(c->mont.pmc[row], IDLE);
	row = cpu;
	EXPECT(c->mont.pmc[0], FR);
	EXPECT(c->mont.pmd[33] | c->mont.pmd[34] | c->mont.pmd[36] | c->mont.pmd[38], 0);
	if (on_ia64)
		EXPECT(c->pmv, IA64_PERFMON_VECTOR);
	else
		EXPECT(!(c->pmv & ~0xffULL) ? machine.affinity[c->pmv].bits : 0, BIT(cpu));
}

void test_load(unsigned int n)
{
	unsigned int cpu;

	EXPECT(load(), 0);
	if (!pmu)
		return;
	for (cpu = 0; cpu < MOCK_CPUS; cpu++) {
		check_reset(cpu);
		check_serialized(cpu);
	}
	EXPECT(pmu->type == PERF_TYPE_RAW, on_ia64);
	EXPECT(pmu->task_ctx_nr, perf_hw_context);
	EXPECT(pmu->capabilities, PERF_PMU_CAP_NO_NMI);
	EXPECT(pmu->module == THIS_MODULE, 1);
	count_on_all();
	if (!on_ia64)
		test_handler(backend_ops);
	unload();
	check_quiet();
}

/* Families and models in CPUID[3] */
static const struct {
	u64 cpuid;
	int err;
} processors[] = {
	{ 0x20000104, 0 }, { 0x20010104, 0 }, { 0x20020104, -ENODEV },
	{ 0x1f000104, -ENODEV }, { 0x21000104, -ENODEV },
};

static void test_processor(unsigned int n)
{
	row = n;
	on_ia64 = true;
	machine.cpuid = processors[n].cpuid;
	EXPECT(load(), processors[n].err);
	if (pmu)
		unload();
	else
		expect_log("is neither Montecito nor Montvale", true);
}

void test_processors(unsigned int n)
{
	for (n = 0; n < ARRAY_SIZE(processors); n++)
		in_process(test_processor, n);
}

static int early;

static void open_early(struct pmu *itanium)
{
	struct perf_event event = {
		.attr = { .type = itanium->type, .config = 0x12 },
		.pmu = itanium,
	};

	event.group_leader = &event;
	early = mock_event_init(&event);
}

void test_early(unsigned int n)
{
	hooks.registering = open_early;
	load();
	hooks.registering = NULL;
	EXPECT(early, -ENOENT);
	count_on_all();
	unload();
}

/* Let each call that may fail do so once. */
static void fail_one(unsigned int n)
{
	int ret;

	mock_fail_at = n;
	ret = load();
	row = n;
	if (mock_calls < n) {
		/* Device, BAR, vectors, states, PMU */
		EXPECT(n, on_ia64 ? 5 : 11);
		EXPECT(ret, 0);
		mock_fail_at = mock_calls + 1;
		EXPECT(!open_attr(0, &(struct perf_event_attr){ .config = 0x12 }, NULL), 1);
		EXPECT(open_errno, -ENOMEM);
		unload();
		return;
	}
	EXPECT(ret, machine.error ?: -ENOMEM);
	if (ret == -EIO)
		expect_log("itanium: not loaded: error -5", true);
	EXPECT(!pmu, 1);
	mock_check_left();
	check_quiet();
}

void test_failures(unsigned int n)
{
	for (n = 1; n <= (on_ia64 ? 5 : 11); n++)
		in_process(fail_one, n);
	machine.absent = !on_ia64;
	machine.cpuid = 0;
	EXPECT(load(), -ENODEV);
	EXPECT(!pmu, 1);
	EXPECT(log_has("not loaded"), 0);
	mock_check_left();
}

/* The files of format/, from the table of Documentation/itanium_pmu.rst */
static const struct {
	const char *name, *text;
} formats[] = {
	{ "event", "config:0-7\n" }, { "umask", "config:8-11\n" },
	{ "threshold", "config:12-14\n" }, { "all", "config:15\n" },
	{ "mesi", "config:16-19\n" }, { "ear", "config:20-23\n" },
	{ "ear_umask", "config:24-31\n" }, { "ip_delay", "config:32-39\n" },
	{ "filter", "config:40-42\n" }, { "fine", "config:43\n" },
	{ "addr_bits", "config:44-49\n" }, { "data_bits", "config:50-55\n" },
	{ "tm", "config:56-57\n" }, { "ptm", "config:58-59\n" },
	{ "ppm", "config:60-61\n" },
	{ "opc_match", "config1:0-40\n" }, { "opc_type", "config1:41-44\n" },
	{ "opc_mask", "config2:0-40\n" }, { "addr", "config1:0-63\n" },
	{ "addr_mask", "config2:0-55\n" }, { "addr_end", "config2:0-63\n" },
	{ "data", "config2:0-63\n" },
};

static unsigned int files_of(const char *group)
{
	const struct attribute_group **g;
	unsigned int n = 0;

	for (g = pmu->attr_groups; *g; g++) {
		if (strcmp((*g)->name ?: "", group))
			continue;
		for (n = 0; (*g)->attrs[n]; n++)
			EXPECT((*g)->attrs[n]->mode, 0444);
	}
	return n;
}

/* Aliases of each kind */
static const struct {
	const char *name, *text;
} aliases[] = {
	{ "cpu_op_cycles_all", "event=0x12,umask=0x0\n" },
	{ "cpu_op_cycles_qual", "event=0x12,umask=0x1\n" },
	{ "data_ear_cache_lat4", "event=0xc8,ear=1,ear_umask=0x0\n" },
	{ "data_ear_alat", "event=0xc8,ear=3,ear_umask=0x0\n" },
	{ "ip_ear", "event=0x12,ear=6,ear_umask=0x0\n" },
};

void test_sysfs(unsigned int n)
{
	unsigned int i;

	load();
	for (i = 0; i < ARRAY_SIZE(formats); i++)
		expect_file(pmu, "format", formats[i].name, formats[i].text);
	EXPECT(files_of("format"), ARRAY_SIZE(formats));
	for (i = 0; i < ARRAY_SIZE(aliases); i++)
		expect_file(pmu, "events", aliases[i].name, aliases[i].text);
	EXPECT(files_of("events") > 500, true);
	/* The test device on x86 is not the cores' PMU. */
	expect_file(pmu, "", "cpus", on_ia64 ? "0,1,2,3\n" : NULL);
	unload();
}

static struct perf_event *late;

static void arrive(void)
{
	late = open_on(3, 0x12);
	EXPECT(mock_sched_in(late), 1);
	EXPECT(hw[3].pmv & BIT(16), 0);
}

/* An event is scheduled on a CPU before the driver's online callback ran. */
void test_cpus(unsigned int n)
{
	u64 want;

	mock_online = BIT(0) | BIT(1) | BIT(2);
	load();
	EXPECT(hw[3].writes, 0);
	hooks.arriving = arrive;
	mock_cpu_up(3);
	EXPECT(hw[3].pmv & BIT(16), 0);
	want = machine_tick(3, 6) * machine_rate(want_control(&late->attr));
	mock_read(late, 3);
	EXPECT(want && count_of(late) == want, 1);
	mock_close(late);
	mock_cpu_down(3);
	hooks.arriving = NULL;
	unload();
	check_quiet();
}

/*
 * A range makes way for another one that differs in its address, in its mask or in both, and an
 * event that has none comes beside it: a pair that differs is written, as is the first one from
 * address 0, that of a pair that is not in use.
 */
static void test_ranges(void)
{
	static const struct {
		u64 addr, mask;
	} ranges[] = {
		{ 0, 0x7 }, { 0xa000, 0x7 }, { 0xa000, 0xf }, { 0xb000, 0x1f },
	};
	struct perf_event *event, *before = NULL, *other = open_on(2, 0x12);

	for (row = 0; row < ARRAY_SIZE(ranges); row++) {
		struct perf_event_attr attr = {
			.config = 0xc7 | FILTER(4), .config1 = ranges[row].addr,
			.config2 = ranges[row].mask,
		};

		event = open_attr(2, &attr, NULL);
		machine_tally();
		mock_disable(pmu, 2);
		if (before)
			mock_sched_out(before);
		mock_sched_in(event);
		mock_enable(pmu, 2);
		EXPECT(hw[2].dbr[0], ranges[row].addr);
		EXPECT(hw[2].dbr[1], 0x0fffffffffffffffULL & ~ranges[row].mask);
		EXPECT(hw[2].writes, before ? 9 : 7);
		if (before)
			mock_close(before);
		before = event;
	}
	machine_tally();
	mock_sched_in(other);
	EXPECT(hw[2].writes, 5);
	mock_close(other);
	mock_close(event);
}

static void cost(unsigned int n, unsigned int reads, unsigned int writes)
{
	row = n;
	EXPECT(hw[0].reads, reads);
	EXPECT(hw[0].writes, writes);
	machine_tally();
}

static void interrupt_of(const struct perf_event *event)
{
	hw[0].mont.pmd[event->hw.idx] = BIT_ULL(47) - 1;
	hw[0].mont.pmd[33] = 0x4000;
	hw[0].mont.pmd[36] = 8;
	machine_tick(0, 1);
	machine_interrupts(0, NULL);
}

/* The minimum of reads and writes of an operation */
void test_cost(unsigned int n)
{
	struct perf_event_attr attr = { .config = 0xc8 | EAR(1, 0), .sample_period = 1000 };
	struct perf_event *event[3];
	unsigned int i;

	load();
	event[0] = open_on(0, 0x12);
	event[2] = open_attr(0, &attr, NULL);
	attr.config = 0x08;
	event[1] = open_attr(0, &attr, NULL);
	machine_tally();
	/* The control twice (its event, then running), the value, PMC0 */
	mock_sched_in(event[0]);
	cost(0, 1, 4);
	mock_read(event[0], 0);
	cost(1, 1, 0);
	/* Both counters are looked at; PMC0 is frozen, and released */
	mock_sched_in(event[1]);
	cost(2, 2, 5);
	/* ... PMC40, and its record, which is cleared */
	mock_sched_in(event[2]);
	cost(3, 3, 8);
	mock_disable(pmu, 0);
	mock_enable(pmu, 0);
	cost(4, 3, 2);
	/* The three counters, that of the overflow, again for a group's sample */
	interrupt_of(event[1]);
	cost(5, 4, 3);
	interrupt_of(event[2]);
	cost(6, 8, 5);
	mock_sched_out(event[2]);
	cost(7, 3, 5);
	mock_disable(pmu, 0);
	mock_sched_out(event[0]);
	mock_sched_out(event[1]);
	mock_enable(pmu, 0);
	cost(8, 2, 5);
	for (i = 0; i < 3; i++)
		mock_close(event[i]);
	EXPECT(hw[1].reads + hw[1].writes, 0);
	test_ranges();
	unload();
}
