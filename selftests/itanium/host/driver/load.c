// SPDX-License-Identifier: GPL-2.0-only
/* What itanium_pmu finds at load, shows, costs, and leaves */
#include "itanium/pmu.h"
#include "tests.h"

static unsigned int handed;

static void handler(struct perf_event *event, struct perf_sample_data *data,
		    struct pt_regs *regs)
{
	handed += regs->ip == 0x1234 && data->period == 1000;
}

/* On x86 perf_event_overflow() is not there for modules, but the event's handler is. */
static void test_handler(const struct itanium_ops *ops)
{
	struct perf_event event = { .overflow_handler = handler };
	struct perf_sample_data data = { .period = 1000 };
	struct pt_regs regs = { .ip = 0x1234 };

	if (wrong(ops->overflow(&event, &data, &regs) || handed != 1 ||
		  event.pending_kill != POLL_IN || ops->account ||
		  ops->sched_task || ops->sched_inc || ops->sched_dec ||
		  ops->attach))
		fault("what perf gets of a sample: %u times", handed);
}

static void count_on_all(void)
{
	struct perf_event *event;
	unsigned int cpu;

	for (cpu = 0; cpu < MOCK_CPUS; cpu++) {
		if (!cpu_online(cpu))
			continue;
		event = open_on(cpu, 0x12);
		if (wrong(!event || !mock_sched_in(event))) {
			fault("CPU %u: no room", cpu);
			return;
		}
		if (wrong(machine_tick(cpu, 7) != 7))
			fault("CPU %u does not run", cpu);
		mock_read(event, cpu);
		if (wrong(count_of(event) != 7 * machine_rate(want_control(&event->attr)) ||
			  control_of(event) != want_control(&event->attr)))
			fault("CPU %u: counted %llu, with %#llx", cpu,
			      (unsigned long long)count_of(event),
			      (unsigned long long)control_of(event));
		mock_close(event);
	}
}

/* After it has gone no processor may count, or interrupt anybody. */
static void check_quiet(void)
{
	unsigned int cpu, n;

	for (cpu = 0; cpu < MOCK_CPUS; cpu++) {
		if (wrong(!(hw[cpu].pmv & BIT(16))))
			fault("CPU %u is still to interrupt", cpu);
		for (n = FIRST_COUNTER; n <= LAST_COUNTER; n++) {
			if (wrong(!(hw[cpu].pmc[0] & FR) && hw[cpu].pmc[n] & PLM))
				fault("PMC%u of CPU %u counts still", n, cpu);
		}
	}
}

/* Table 3-8 and section 3.3.12: every register of a processor has a value. */
static void check_reset(unsigned int cpu)
{
	static const u64 shared[] = {
		P32, P33, P32, P33, P36, 0, P38, 0, P40, P41, 0,
	};
	struct hw_cpu *c = &hw[cpu];
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(shared); i++) {
		if (wrong(c->pmc[32 + i] != shared[i]))
			fault("PMC%u of CPU %u is %#llx", 32 + i, cpu,
			      (unsigned long long)c->pmc[32 + i]);
	}
	for (i = FIRST_COUNTER; i <= LAST_COUNTER; i++) {
		if (wrong(c->pmc[i] != IDLE))
			fault("PMC%u of CPU %u is %#llx", i, cpu,
			      (unsigned long long)c->pmc[i]);
	}
	if (wrong(c->pmc[0] != FR || c->pmd[33] || c->pmd[34] || c->pmd[36] ||
		  c->pmd[38] || c->pmv & BIT(16) ||
		  machine.affinity[c->pmv & 0xff].bits != BIT(cpu)))
		fault("CPU %u: PMC0 %#llx, PMV %#llx, or old records", cpu,
		      (unsigned long long)c->pmc[0], (unsigned long long)c->pmv);
}

void test_load(unsigned int n)
{
	unsigned int cpu;

	if (wrong(load()))
		fault("it does not load");
	if (!pmu)
		return;
	for (cpu = 0; cpu < MOCK_CPUS; cpu++)
		check_reset(cpu);
	if (wrong(mock_seeded != MOCK_CPUS))
		fault("%u processors have random numbers", mock_seeded);
	if (wrong(pmu->type == PERF_TYPE_RAW || pmu->task_ctx_nr != perf_hw_context ||
		  pmu->capabilities || pmu->module != THIS_MODULE))
		fault("PMU of type %u, capabilities %#x", pmu->type,
		      pmu->capabilities);
	count_on_all();
	test_handler(backend_ops);
	unload();
	check_quiet();
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
	if (wrong(early != -ENODEV))
		fault("an event of a PMU that is not complete: %d", early);
	count_on_all();
	unload();
}

void test_thirteen(unsigned int n)
{
	struct perf_event_attr attr = { .config = 0x12 };
	struct perf_event *event[13];
	unsigned int i, on = 0;
	int err;

	load();
	for (i = 0; i < ARRAY_SIZE(event); i++) {
		event[i] = mock_open(pmu, &attr, 0, NULL, &err);
		on += mock_sched_in(event[i]);
	}
	if (wrong(on != 12))
		fault("%u of 13 events count", on);
	for (i = 0; i < on; i++)
		mock_sched_out(event[i]);
	for (i = 0; i < ARRAY_SIZE(event); i++)
		mock_close(event[i]);
	unload();
}

/* Each call that may fail does once. */
static void fail_one(unsigned int n)
{
	int ret;

	mock_fail_at = n;
	ret = load();
	if (mock_calls < n) {
		/* Device, BAR, vectors, states, PMU */
		if (wrong(n != 11 || ret))
			fault("%u calls may fail", n - 1);
		unload();
		return;
	}
	if (wrong(!ret))
		fault("call %u fails, and it is loaded", n);
	else if (wrong(ret != (machine.error ?: -ENOMEM)))
		fault("call %u fails, and the error is %d", n, ret);
	if (ret == -EIO)
		expect_log("itanium: not loaded: error -5");
	if (wrong(pmu))
		fault("call %u fails, and there is a PMU", n);
	mock_check_left();
	check_quiet();
}

void test_failures(unsigned int n)
{
	for (n = 1; n <= 11; n++)
		in_process(fail_one, n);
}

static void open_without_memory(unsigned int n)
{
	struct perf_event_attr attr = { .config = 0x12 };

	load();
	mock_fail_at = mock_calls + 1;
	if (wrong(open_attr(0, &attr, NULL) || open_errno != -ENOMEM))
		fault("no memory: %d", open_errno);
	unload();
}

void test_hardware(unsigned int n)
{
	machine.absent = true;
	if (wrong(load() != -ENODEV || pmu || log_has(":")))
		fault("without a device it is loaded, or says more");
	mock_check_left();
	machine.absent = false;
	in_process(open_without_memory, 0);
}

/* What format/ has, by the table of Documentation/itanium_pmu.rst */
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
	{ "ppm", "config:60-61\n" }, { "jitter", "config:62\n" },
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
		for (n = 0; (*g)->attrs[n]; n++) {
			if (wrong((*g)->attrs[n]->mode != 0444))
				fault("%s/%s has mode %o", group,
				      (*g)->attrs[n]->name, (*g)->attrs[n]->mode);
		}
	}
	return n;
}

static void check_file(const char *group, const char *name, const char *want)
{
	const char *text = mock_file(pmu, group, name);

	if (wrong(!text || strcmp(text, want)))
		fault("%s/%s is %s", group, name, text ?: "not there");
}

static void check_format(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(formats); i++)
		check_file("format", formats[i].name, formats[i].text);
	if (wrong(files_of("format") != ARRAY_SIZE(formats)))
		fault("%u files in format/", files_of("format"));
}

/* Every alias of the table, and what a user would have to write for it */
static const struct {
	const char *name;
	u8 code, umask, ear;
} aliases[] = {
#define EVENT(name_, code, counters, set, type, inc, all, flags, desc)	\
	{ "", code, 0, 0xff },
#define PLAIN(event)			{ #event, 0, 0, 0 },
#define UMASK(event, name, umask, flags, desc)	{ #event "_" #name, 0, umask, 0 },
#define DEAR_CACHE	1
#define DEAR_TLB	2
#define DEAR_ALAT	3
#define IEAR_CACHE	4
#define IEAR_TLB	5
#undef EAR
#define EAR(name, unit, umask, desc)	{ #name, 0, umask, unit },
#include "events/montecito.def"
};

void test_sysfs(unsigned int n)
{
	unsigned int i, files = 0;
	char want[64];
	u8 code = 0;

	load();
	check_format();
	for (i = 0; i < ARRAY_SIZE(aliases); i++) {
		if (aliases[i].ear == 0xff) {
			code = aliases[i].code;
			continue;
		}
		files++;
		if (aliases[i].ear)
			sprintf(want, "event=0x%02x,ear=%u,ear_umask=0x%x\n",
				aliases[i].ear <= 3 ? 0xc8 : 0x43,
				aliases[i].ear, aliases[i].umask);
		else
			sprintf(want, "event=0x%02x,umask=0x%x\n", code,
				aliases[i].umask);
		check_file("events", aliases[i].name, want);
	}
	check_file("events", "ip_ear", "event=0x12,ear=6,ear_umask=0x0\n");
	check_file("events", "cpu_op_cycles_all", "event=0x12,umask=0x0\n");
	if (wrong(files_of("events") != files + 1))
		fault("%u files in events/, and %u aliases", files_of("events"),
		      files + 1);
	check_file("", "ear_dropped", "0\n");
	/* Lockdep wants to know those that are made in a loop. */
	if (wrong(mock_attributes != files + 1 + ARRAY_SIZE(formats)))
		fault("%u attributes are initialised", mock_attributes);
	unload();
}

static struct perf_event *late;

static void arrive(void)
{
	if (wrong(!mock_sched_in(late)))
		fault("no room on a CPU that comes");
}

/* A processor that comes has nothing of what it had in its registers. */
void test_cpus(unsigned int n)
{
	struct perf_event *event;
	u64 want;

	mock_online = BIT(0) | BIT(1) | BIT(2);
	load();
	if (wrong(hw[3].writes))
		fault("a CPU that is not online is set up");
	event = open_on(1, 0x08);
	mock_sched_in(event);
	machine_tick(1, 9);
	want = 9 * machine_rate(want_control(&event->attr));
	mock_cpu_down(1);
	if (wrong(event->on || count_of(event) != want))
		fault("of %llu the count has %llu", (unsigned long long)want,
		      (unsigned long long)count_of(event));
	if (wrong(!(hw[1].pmv & BIT(16))))
		fault("a CPU that goes is still to interrupt");
	machine_cpu_reset(1);
	mock_cpu_up(1);
	check_reset(1);
	if (wrong(!mock_sched_in(event)))
		fault("no room on a CPU that is back");
	machine_tick(1, 4);
	mock_sched_out(event);
	want += 4 * machine_rate(want_control(&event->attr));
	if (wrong(count_of(event) != want))
		fault("counted %llu of %llu", (unsigned long long)count_of(event),
		      (unsigned long long)want);
	mock_close(event);

	/* perf may be at a CPU that comes before the driver's callback is. */
	late = open_on(3, 0x12);
	hooks.arriving = arrive;
	mock_cpu_up(3);
	if (wrong(hw[3].pmv & BIT(16)))
		fault("a CPU that has come is not to interrupt");
	want = machine_tick(3, 6) * machine_rate(want_control(&late->attr));
	mock_read(late, 3);
	if (wrong(!want || count_of(late) != want))
		fault("early on a CPU: %llu of %llu",
		      (unsigned long long)count_of(late),
		      (unsigned long long)want);
	mock_close(late);
	mock_cpu_down(3);
	hooks.arriving = NULL;
	unload();
	check_quiet();
}

/*
 * A range makes way for another one that differs in its address, in its mask or in
 * both, and an event that has none comes beside it: what differs is written.
 */
static void test_ranges(void)
{
	static const struct {
		u64 addr, mask;
		unsigned int writes;
	} ranges[] = {
		{ 0x9000, 0x7, 7 }, { 0xa000, 0x7, 8 }, { 0xa000, 0xf, 8 },
		{ 0xb000, 0x1f, 9 },
	};
	struct perf_event *event[2], *other = open_on(2, 0x12);
	unsigned int i;

	event[1] = NULL;
	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		struct perf_event_attr attr = {
			.config = 0xc7 | FILTER(4), .config1 = ranges[i].addr,
			.config2 = ranges[i].mask,
		};

		event[0] = open_attr(2, &attr, NULL);
		machine_tally();
		mock_disable(pmu, 2);
		if (event[1])
			mock_sched_out(event[1]);
		mock_sched_in(event[0]);
		mock_enable(pmu, 2);
		if (wrong(hw[2].dbr[0] != ranges[i].addr ||
			  hw[2].dbr[1] != (0x0fffffffffffffffULL & ~ranges[i].mask) ||
			  hw[2].writes != ranges[i].writes))
			fault("range %u: %#llx, %#llx after %u writes", i,
			      (unsigned long long)hw[2].dbr[0],
			      (unsigned long long)hw[2].dbr[1], hw[2].writes);
		if (event[1])
			mock_close(event[1]);
		event[1] = event[0];
	}
	machine_tally();
	mock_sched_in(other);
	if (wrong(hw[2].writes != 5))
		fault("beside a range: %u writes", hw[2].writes);
	mock_close(other);
	mock_close(event[1]);
}

/* A unit that no event has any more is not made ready when a task comes. */
static void test_unit_gone(void)
{
	struct perf_event *event = open_on(3, 0xc8 | 1 << 20);

	mock_sched_in(event);
	mock_close(event);
	mock_attach = PERF_ATTACH_TASK;
	event = open_on(3, 0x12);
	mock_attach = 0;
	machine_tally();
	mock_sched_in(event);
	if (wrong(hw[3].writes != 4))
		fault("a task comes without a unit: %u writes", hw[3].writes);
	mock_close(event);
}

/* Reads and writes of an operation, as few as there have to be */
void test_cost(unsigned int n)
{
	static const struct {
		const char *what;
		unsigned int reads, writes;
	} costs[] = {
		/* The control twice (its event, then running), the value, PMC0 */
		{ "the first event", 1, 4 },
		{ "read", 1, 0 },
		/* PMC0 is read twice; frozen, and released */
		{ "another event", 2, 5 },
		/* ... PMC40, and its record, which is cleared */
		{ "a data EAR", 2, 8 },
		{ "nothing", 2, 2 },
		/* The three counters, that of the overflow, again for a group's sample */
		{ "an overflow", 4, 3 },
		{ "a captured record", 8, 5 },
		{ "the EAR goes", 3, 5 },
		{ "all go", 3, 5 },
	};
	struct perf_event_attr attr = { .config = 0xc8 | 1 << 20 };
	struct perf_event_attr range = {
		.config = 0xc7 | 4ULL << 40, .config1 = 0x9000, .config2 = 7,
	};
	struct perf_event *event[3];
	unsigned int i;

	attr.sample_period = 1000;
	load();
	event[0] = open_on(0, 0x12);
	event[1] = open_on(0, 0x08);
	event[1]->attr.sample_period = 1000;
	event[1]->hw.sample_period = 1000;
	event[1]->hw.period_left.a.a.v = 1000;
	event[2] = open_attr(0, &attr, NULL);
	for (i = 0; i < ARRAY_SIZE(costs); i++) {
		machine_tally();
		switch (i) {
		case 0:
			mock_sched_in(event[0]);
			break;
		case 1:
			mock_read(event[0], 0);
			break;
		case 2:
			mock_sched_in(event[1]);
			break;
		case 3:
			mock_sched_in(event[2]);
			break;
		case 4:
			mock_disable(pmu, 0);
			mock_enable(pmu, 0);
			break;
		case 5:
		case 6:
			hw[0].pmd[event[i - 4]->hw.idx] = BIT_ULL(47) - 1;
			hw[0].pmd[33] = 0x4000;
			hw[0].pmd[36] = 8;
			machine_tick(0, 1);
			machine_interrupts(0, NULL);
			break;
		case 7:
			mock_sched_out(event[2]);
			break;
		case 8:
			mock_disable(pmu, 0);
			mock_sched_out(event[0]);
			mock_sched_out(event[1]);
			mock_enable(pmu, 0);
			break;
		}
		if (wrong(hw[0].reads != costs[i].reads ||
			  hw[0].writes != costs[i].writes))
			fault("%s: %u reads, %u writes", costs[i].what,
			      hw[0].reads, hw[0].writes);
	}
	for (i = 0; i < 3; i++)
		mock_close(event[i]);
	if (wrong(hw[1].reads || hw[1].writes))
		fault("another CPU's registers are accessed");
	test_ranges();
	test_unit_gone();
	/* Control, twice; the range's pair; PMC41; counter; PMC0. Then no pair. */
	for (i = 0; i < 2; i++) {
		event[0] = open_attr(1, &range, NULL);
		machine_tally();
		mock_sched_in(event[0]);
		/* PMC0 twice where there was something before */
		if (wrong(hw[1].reads != 1 + i || hw[1].writes != 7))
			fault("a data range: %u reads, %u writes", hw[1].reads,
			      hw[1].writes);
		mock_close(event[0]);
	}
	unload();
}
