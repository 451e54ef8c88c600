// SPDX-License-Identifier: GPL-2.0-only
/* Opening events: beside others in a group, while CPUs go, and what is said of refusals */
#include "tests.h"

static void expect_count(struct perf_event *event, u64 want)
{
	mock_read(event, event->cpu);
	if (event->count.a.a.v != (long)want)
		fault("%s: event %#llx counted %ld, not %llu", box->name,
		      event->attr.config, event->count.a.a.v,
		      (unsigned long long)want);
}

static struct pmu software = { .name = "software" };
/* Since 6.5 the clocks are PMUs, and perf gives their events the PMU's type. */
static struct pmu cpu_clock = { .name = "cpu_clock", .type = 8 };
static struct pmu task_clock = { .name = "task_clock", .type = 9 };
static struct pmu uprobe = { .name = "uprobe", .type = 10 };

static struct perf_event *open_software(struct perf_event *leader)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE };
	int err;

	return mock_open(&software, &attr, 0, leader, &err);
}

/* Events of the kernel need no counter, as members and as leaders. */
static void test_software(void)
{
	struct perf_event *leader, *first, *e[6];
	unsigned int i;

	begin(0, "cbox_1");
	leader = open_software(NULL);
	for (i = 0; i < 4; i++) {
		e[i] = try_open(0x00, 0, leader);
		if (!e[i])
			fault("member %u behind a software event: %d", i,
			      open_errno);
		open_software(leader);
	}
	if (try_open(0x00, 0, leader) || open_errno != -EINVAL)
		fault("a fifth member: %d", open_errno);
	if (!mock_sched_in(leader))
		fault("no room behind a software event");
	machine_tick(box, 9);
	for (i = 0; i < 4; i++)
		expect_count(e[i], 9 * rate_of(0));
	mock_close(leader);

	first = try_open(0x00, 0, NULL);
	open_software(first);
	e[1] = try_open(0x113, 0, first);
	if (!e[1])
		fault("a member behind a software one: %d", open_errno);
	mock_sched_in(first);
	machine_tick(box, 9);
	expect_count(e[1], 9 * rate_of(0x113));
	mock_close(first);

	/* A software event is not what looks at counter 0. */
	leader = open_software(NULL);
	if (try_open(0x0100001f, 0, leader) || open_errno != -EINVAL)
		fault("counter 0's occupancy without the event: %d",
		      open_errno);
	e[0] = try_open(0x836, 0, leader);
	e[1] = try_open(0x0100001f, 0, leader);
	if (!e[0] || !e[1] || !mock_sched_in(leader))
		fault("counter 0's occupancy beside the event: %d", open_errno);
	mock_close(leader);
	end();
	result("software events take no counter in a group");
}

/* Section 2.3.2.1: in a group with an event that is on counter 0 alone */
static void test_counter0(void)
{
	struct perf_event_attr attr = { .config = 0x0100001f, .disabled = 1 };
	struct pmu *pmu;
	struct perf_event *leader, *other, *third, *first;
	int err;

	begin(0, "cbox_4");
	pmu = mock_pmu("snbep_uncore_cbox_4");
	if (try_open(0x0100001f, 0, NULL) || open_errno != -EINVAL)
		fault("alone: %d", open_errno);
	if (!log_has("put it into a group behind an event that counts on counter 0 alone"))
		fault("no word of counter 0");
	/* On counter 0 or another, which is not enough */
	leader = try_open(0x113, 0, NULL);
	if (try_open(0x0100001f, 0, leader) || open_errno != -EINVAL)
		fault("behind another event: %d", open_errno);
	mock_close(leader);
	/* Before the event, in a group that is not enabled yet */
	leader = mock_open(pmu, &attr, 0, NULL, &err);
	if (!leader) {
		result("counter 0's occupancy: not enabled, error %d", err);
		abort();
	}
	log_clear();
	if (mock_sched_in(leader))
		fault("counted alone");
	mock_interrupts();
	if (!log_has("is not counted: put it into a group with"))
		fault("no word of an event that is not counted");
	other = try_open(0x836, 0, leader);
	if (!other || !mock_sched_in(leader))
		fault("turned away beside the event: %d", open_errno);
	machine_tick(box, 2);
	expect_count(leader, 2 * rate_of(0x0100001f));
	mock_close(leader);
	/* Behind it */
	leader = try_open(0x836, 0, NULL);
	other = try_open(0x0100001f, 0, leader);
	if (!other || !mock_sched_in(leader))
		fault("turned away behind the event: %d", open_errno);
	mock_close(leader);
	/* As perf stat opens groups: the leader alone is not enabled yet. */
	attr.config = 0x113;
	leader = mock_open(pmu, &attr, 0, NULL, &err);
	other = try_open(0x0100001f, 0, leader);
	third = try_open(0x836, 0, leader);
	if (!other || !third || !mock_sched_in(leader))
		fault("turned away in front of the event: %d", open_errno);
	mock_close(leader);
	/* And a member that is not enabled is one of a group that is. */
	leader = try_open(0x113, 0, NULL);
	attr.config = 0x0100001f;
	if (mock_open(pmu, &attr, 0, leader, &err) || err != -EINVAL)
		fault("not enabled, in a group that is: %d", err);
	mock_close(leader);
	/* What a software event has is none of ours. */
	leader = mock_open(pmu, &attr, 0, NULL, &err);
	open_software(leader);
	if (mock_sched_in(leader))
		fault("counted beside a software event");
	mock_close(leader);
	/* The event on counter 0 goes first, and others take that and counter 1. */
	leader = mock_open(pmu, &attr, 0, NULL, &err);
	other = try_open(0x836, 0, leader);
	if (!mock_sched_in(leader))
		fault("no room for the two");
	machine_tick(box, 3);
	mock_close(other);
	if (enabled())
		fault("%u counters go on without the event on counter 0",
		      enabled());
	other = open_on(0x113, 0, NULL);
	third = open_on(0x213, 0, NULL);
	if (!(box->ctl[0] & EN) || enabled() != 2)
		fault("another event on counter 0 is looked at");
	machine_tick(box, 5);
	expect_count(leader, 3 * rate_of(0x0100001f));
	expect_count(other, 5 * rate_of(0x113));
	mock_close(other);
	mock_close(third);
	/* Nor is an occupancy that is counted for somebody else. */
	other = open_on(0x836, 0, NULL);
	if (!(box->ctl[0] & EN) || enabled() != 1)
		fault("an occupancy of no member of its group is looked at");
	machine_tick(box, 6);
	expect_count(leader, 3 * rate_of(0x0100001f));
	mock_close(other);
	/* A member that any counter takes comes to counter 0: it is not looked at. */
	mock_close(leader);
	attr.config = 0x0100001f;
	leader = mock_open(pmu, &attr, 0, NULL, &err);
	other = try_open(0x836, 0, leader);
	if (!try_open(0x00, 0, leader) || !mock_sched_in(leader))
		fault("no room for the three");
	mock_close(other);
	other = open_on(0x0100041b, 0, NULL);
	first = open_on(0x0200041b, 0, NULL);
	if (box->ctl[0] != EN || enabled() != 3)
		fault("%u counters count, and counter 0 %#x", enabled(),
		      box->ctl[0]);
	mock_close(first);
	mock_close(other);
	mock_close(leader);
	leader = mock_open(pmu, &attr, 0, NULL, &err);
	other = try_open(0x836, 0, leader);
	mock_sched_in(leader);
	machine_tick(box, 3);
	mock_close(other);
	/* It comes back: both count. */
	other = try_open(0x836, 0, leader);
	machine_tick(box, 7);
	expect_count(leader, 10 * rate_of(0x0100001f));
	expect_count(other, 7 * rate_of(0x836));
	mock_close(leader);
	end();
	result("who looks at counter 0 is with who counts there");
}

/* Nothing counts round and back between two looks: at the width of each */
static void test_wrap(void)
{
	static const struct {
		const char *box;
		u64 config;
		unsigned int width;
	} uses[] = {
		{ "cbox_0", 0x00, 44 }, { "ha", 0x00, 48 }, { "imc_1", 0x01, 48 },
		{ "imc_1", 0xff, 48 }, { "pcu", 0x00, 48 }, { "qpi_0", 0x14, 48 },
		{ "r2pcie", 0x01, 44 }, { "r3qpi_0", 0x01, 44 },
		{ "ubox", 0x44, 44 }, { "ubox", 0xff, 44 },
	};
	unsigned int i, c;

	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		struct perf_event *event;
		u64 end_of = 1ull << uses[i].width, n = 0;

		begin(1, uses[i].box);
		for (c = 0; c <= FIXED; c++)
			box->ctr[c] = end_of - 5000;
		event = try_open(uses[i].config, 0, NULL);
		mock_sched_in(event);
		expect_count(event, 0);
		for (c = 0; c <= FIXED; c++) {
			if (box->ctl[c] & EN)
				break;
		}
		n = end_of - box->ctr[c];
		/* In steps of less than half of its way round */
		while (n > end_of / 4) {
			mock_cycles += 1ull << 41;
			box->ctr[c] += end_of / 4;
			n -= end_of / 4;
			mock_read(event, event->cpu);
		}
		mock_cycles += 1ull << 41;
		box->ctr[c] = end_of - 7;
		mock_read(event, event->cpu);
		n = event->count.a.a.v;
		mock_cycles += 1000;
		box->ctr[c] = 12;
		expect_count(event, n + 19);
		mock_interrupts();
		if (log_has("snbep"))
			fault("%s: the log has a warning", box->name);
		mock_close(event);
		end();
	}
	result("counters wrap at the width that the guide has");
}

/* A CPU goes while an event is opened on it, or comes while it is asked for. */
static unsigned int goes;

static void cpu_goes(void)
{
	unsigned int cpu = goes, back = mock_cpu;

	if (!cpu)
		return;
	goes = 0;
	mock_cpu_down(cpu);
	mock_cpu = back == cpu ? mock_cpu : back;
}

/* Whoever opens an event meanwhile waits, unless perf holds its group. */
static struct perf_event *leader;

static void open_meanwhile(void)
{
	struct perf_event *event;
	unsigned int back = mock_cpu;

	if (!mock_barriers)
		fault("a CPU that goes looks for events before it says so");
	mock_may_wait = true;
	mock_waited = 0;
	event = try_open(0x0e, 0, NULL);
	if (!event || !mock_waited)
		fault("a leader does not wait for events that migrate");
	mock_waited = 0;
	if (!try_open(0x0e, 0, event) || mock_waited)
		fault("a member waits for events that migrate");
	mock_may_wait = false;
	mock_waited = 0;
	mock_close(event);
	mock_cpu = back;
	hooks.migrating = NULL;
}

static void test_races(void)
{
	struct perf_event *event;

	begin(1, "ha");
	/* Each writes first and looks then, or neither may see the other. */
	mock_barriers = 0;
	leader = try_open(0x00, 0, NULL);
	if (!mock_barriers)
		fault("an event looks for a CPU before it is counted");
	hooks.migrating = open_meanwhile;
	mock_barriers = 0;
	mock_cpu_down(2);
	if (hooks.migrating)
		fault("nothing has migrated");
	mock_waited = 0;
	mock_close(leader);
	mock_cpu_up(2);
	mock_may_wait = true;
	mock_close(try_open(0x00, 0, NULL));
	if (mock_waited)
		fault("an event waits for nothing");
	mock_may_wait = false;
	end();

	begin(1, "ha");
	hooks.opened = cpu_goes;
	goes = 2;
	event = try_open(0x00, 0, NULL);
	if (!event || event->cpu != 3)
		fault("an event is opened on CPU %d, which has gone",
		      event ? event->cpu : -1);
	if (event)
		mock_close(event);
	goes = 3;
	mock_cpu = 3;
	event = open_event("snbep_uncore_ha", 3, 0x00, 0, 0, NULL);
	if (event || open_errno != -ENODEV)
		fault("an event is opened on a CPU that has gone: %d",
		      open_errno);
	if (!log_has("CPU 3 is not online"))
		fault("no word of a CPU that is not online");
	hooks.opened = NULL;
	/* One that is on its way, before the driver knows */
	log_clear();
	mock_online |= BIT(3);
	event = open_event("snbep_uncore_ha", 3, 0x00, 0, 0, NULL);
	if (event || open_errno != -ENODEV)
		fault("an event is opened on a CPU that is to come: %d",
		      open_errno);
	if (!log_has("CPU 3 is not online"))
		fault("no word of a CPU that is to come");
	mock_online &= ~BIT(3);
	/* Nobody waits for an event that was not opened. */
	mock_cpu_up(2);
	mock_cpu_up(3);
	log_clear();
	mock_migrations = 0;
	mock_cpu_down(2);
	if (mock_migrations)
		fault("%u grace periods for no event", mock_migrations);
	mock_online = 15;
	end();
	result("a CPU that goes while an event is opened takes nothing with it");
}

/*
 * Where each access takes the lock of configuration space, nobody who may have it
 * already can read: samples of tracepoints, and of what BPF programs make.
 */
#define NO_SAMPLES	"could read the box in the middle of another access"
#define NOT_COUNTED	"an event is not counted, as samples of its group"

/* perf sets both for :S. */
#define READ	PERF_SAMPLE_READ
#define GROUP	PERF_FORMAT_GROUP

static const struct sampler {
	u32 type;
	u64 config, period, sample_type, read_format;
	bool refused;
	struct pmu *pmu;
} samplers[] = {
	{ PERF_TYPE_TRACEPOINT, 77, 1, READ, GROUP, true },
	{ PERF_TYPE_TRACEPOINT, 77, 1, PERF_SAMPLE_IP | READ, GROUP, true },
	{ PERF_TYPE_TRACEPOINT, PERF_COUNT_SW_CPU_CLOCK, 1, READ, GROUP, true },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_BPF_OUTPUT, 1, READ, GROUP, true },
	{ 10, 0, 1, READ, GROUP, true, &uprobe },
	{ PERF_TYPE_TRACEPOINT, 77, 0, READ, GROUP, false },
	{ PERF_TYPE_TRACEPOINT, 77, 1, PERF_SAMPLE_IP, GROUP, false },
	/* It reads no other event. */
	{ PERF_TYPE_TRACEPOINT, 77, 1, READ, 0, false },
	{ PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1, READ, GROUP, false },
	{ 8, PERF_COUNT_SW_CPU_CLOCK, 1, READ, GROUP, false, &cpu_clock },
	{ 9, PERF_COUNT_SW_TASK_CLOCK, 1, READ, GROUP, false, &task_clock },
};

static struct perf_event *open_sampler(const struct sampler *s,
				       struct perf_event *leader)
{
	struct perf_event_attr attr = {
		.type = s->type, .config = s->config,
		.sample_period = s->period, .sample_type = s->sample_type,
		.read_format = s->read_format,
	};
	int err;

	return mock_open(s->pmu ?: &software, &attr, 0, leader, &err);
}

static void test_sampled(void)
{
	static const struct {
		const char *box;
		u64 config;
		bool no_ecam;
	} uses[] = {
		{ "imc_0", 0x304, true }, { "imc_0", 0x304, false },
		{ "cbox_0", 0x113, true },
	};
	struct perf_event *group;
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(uses) * ARRAY_SIZE(samplers); i++) {
		const struct sampler *s = &samplers[i % ARRAY_SIZE(samplers)];
		struct perf_event *e, *of;
		bool bad;

		j = i / ARRAY_SIZE(samplers);
		bad = s->refused && uses[j].no_ecam && strcmp(uses[j].box, "cbox_0");
		mock_reset();
		machine.no_ecam = uses[j].no_ecam;
		mock_init();
		mock_interrupts();
		log_clear();
		box = machine_box(0, uses[j].box);
		/* As the leader of the group, and as another member */
		of = open_sampler(s, NULL);
		e = try_open(uses[j].config, 0, of);
		if (!e != bad || (bad && open_errno != -EOPNOTSUPP))
			fault("%s, sampler %u leads: error %d", box->name,
			      i, open_errno);
		mock_close(of);
		of = open_software(NULL);
		open_sampler(s, of);
		e = try_open(uses[j].config, 0, of);
		if (!e != bad || (bad && open_errno != -EOPNOTSUPP))
			fault("%s, sampler %u is a member: error %d", box->name,
			      i, open_errno);
		mock_close(of);
		expect_log(NO_SAMPLES, bad);
		/* It joins a group that counts. */
		e = open_on(uses[j].config, 0, NULL);
		machine_tick(box, 3);
		of = open_sampler(s, e);
		if (e->on == bad)
			fault("%s, sampler %u has joined: %s", box->name, i,
			      bad ? "counts" : "does not count");
		expect_log(NOT_COUNTED, bad);
		/* And leaves it again. */
		mock_close(of);
		if (!mock_sched_in(e))
			fault("%s, sampler %u has gone: no room", box->name, i);
		machine_tick(box, 4);
		expect_count(e, 7 * rate_of(uses[j].config));
		mock_close(e);
		expect_log(WARNING, false);
		end();
	}
	/*
	 * The sleep takes the mapped page away. perf does not put the group off, or
	 * puts it on again; another group goes on.
	 */
	for (i = 0; i < 2; i++) {
		struct perf_event *other, *e;

		begin(0, "imc_0");
		group = open_sampler(&samplers[0], NULL);
		e = try_open(0x304, 0, group);
		other = open_on(0xc04, 0, NULL);
		if (!mock_sched_in(group))
			fault("a sample may not read a mapped page");
		mock_online = BIT(0);
		mock_suspend();
		machine_scramble(box);
		machine.ecam_lost = true;
		mock_resume();
		mock_online = 15;
		if (i) {
			mock_sched_out(group);
			if (mock_sched_in(group))
				fault("a sample may read where the page was lost");
		} else {
			machine_tick(box, 5);
			machine_tally(box);
			mock_read(e, 0);
			if (box->reads)
				fault("a sample reads %u registers where the page was lost",
				      box->reads);
			expect_count(other, 5 * rate_of(0xc04));
			/* What it stopped at is nobody's. */
			mock_sched_out(group);
			if (e->count.a.a.v)
				fault("%ld is counted where nobody could read",
				      e->count.a.a.v);
		}
		expect_log(WARNING, false);
		expect_log(NOT_COUNTED, true);
		mock_close(group);
		mock_close(other);
		end();
	}
	result("no sample reads a box that is reached under a lock it may hold");
}

/* What no event of the uncore can have */
static void test_attr(void)
{
	static const struct refusal uses[] = {
		{ { .sample_period = 1 }, 0, -EOPNOTSUPP, 0, "cannot sample" },
		{ { }, -1, -EINVAL, 0, "not a task" },
		{ { }, 0, -EINVAL, PERF_ATTACH_TASK, "not a task" },
		{ { .exclude_user = 1 }, 0, -EINVAL, 0, "who caused" },
		{ { .exclude_kernel = 1 }, 0, -EINVAL, 0, "who caused" },
		{ { .exclude_hv = 1 }, 0, -EINVAL, 0, "who caused" },
		{ { .exclude_idle = 1 }, 0, -EINVAL, 0, "who caused" },
		{ { .exclude_host = 1 }, 0, -EINVAL, 0, "who caused" },
		{ { .exclude_guest = 1 }, 0, -EINVAL, 0, NULL },
		{ { .sample_type = PERF_SAMPLE_BRANCH_STACK }, 0, -EOPNOTSUPP, 0,
		  "no branch stack" },
		{ { .config = 1 << 16 }, 0, -EINVAL, 0, "config bits 0x10000" },
		{ { .config1 = 1 }, 0, -EINVAL, 0, "config1 bits 0x1" },
		{ { .config2 = 1ull << 63 }, 0, -EINVAL, 0, "config2 bits 0x8" },
		{ { }, 0, 0, 0, NULL },
	};
	begin(0, "imc_0");
	test_refusals(mock_pmu("snbep_uncore_imc_0"), 0x01, uses,
		      ARRAY_SIZE(uses));
	end();
	/* A PCU without the extended select */
	mock_reset();
	machine.ext = EXT_DROP;
	mock_init();
	box = machine_box(0, "pcu");
	if (try_open(0x200003, 0, NULL) || open_errno != -EOPNOTSUPP)
		fault("an extended event: %d", open_errno);
	end();
	result("what the uncore cannot do is refused");
}

/* As many lines as the user wants, for who may have them */
static unsigned int lines(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < 60; i++) {
		log_clear();
		try_open(0xfe, 0, NULL);
		n += log_has("no event 0xfe for the ha");
		if (open_errno != -EINVAL)
			fault("error %d", open_errno);
	}
	mock_window();
	return n;
}

/* What a line calls an event: its name, and its unit mask if it has one */
static void test_words(void)
{
	begin(0, "cbox_1");
	log_clear();
	if (try_open(0x00, 0x400, NULL) || open_errno != -EINVAL ||
	    !log_has("filter_nid has no effect on clockticks:"))
		fault("a filter of an event without a unit mask: %d", open_errno);
	log_clear();
	if (try_open(0x204, 0x400, NULL) || open_errno != -EINVAL)
		fault("a filter of an event with a unit mask: %d", open_errno);
	log_clear();
	if (try_open(0x0135, 0, NULL) || open_errno != -EINVAL ||
	    !log_has("tor_inserts with umask 0x1 counts nothing without"))
		fault("no filter of an event with a unit mask: %d", open_errno);
	end();
	result("lines call an event by its name and unit mask");
}

static void test_log(void)
{
	static const struct {
		const char *burst;
		int err;
		unsigned int lines;
	} uses[] = {
		{ NULL, 0, 50 }, { "3", 0, 3 }, { "-1", -EINVAL, 3 },
		{ "2147483647", 0, 60 }, { "2147483648", -EINVAL, 60 },
		{ "0", 0, 0 }, { "50", 0, 50 },
	};
	unsigned int i, n;

	begin(0, "ha");
	mock_window();
	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		int err = uses[i].burst ? mock_set_param("log_burst",
							 uses[i].burst) : 0;

		if (err != uses[i].err)
			fault("log_burst=%s: %d", uses[i].burst, err);
		n = lines();
		if (n != uses[i].lines)
			fault("log_burst=%s: %u lines", uses[i].burst, n);
	}
	/* A limit of another height counts at once. */
	mock_set_param("log_burst", "1");
	for (i = 0; i < 3; i++) {
		log_clear();
		try_open(0xfe, 0, NULL);
		if (i == 1)
			mock_set_param("log_burst", "50");
	}
	if (!log_has("no event 0xfe for the ha"))
		fault("a higher limit has to wait");
	mock_window();
	mock_capabilities = 0;
	if (lines())
		fault("lines for somebody who may not have them");
	/* Who has none uses up nobody's: the window is the same as before. */
	for (i = 0; i < 60; i++)
		try_open(0xfe, 0, NULL);
	mock_capabilities = BIT_ULL(CAP_PERFMON);
	n = lines();
	if (n != 50)
		fault("%u lines after those who may not have them", n);
	mock_capabilities = BIT_ULL(CAP_SYS_ADMIN);
	if (lines() != 50)
		fault("none for CAP_SYS_ADMIN");
	mock_capabilities = BIT_ULL(CAP_PERFMON);
	end();
	result("the log has as many lines as log_burst says");
}

void test_open(void)
{
	test_software();
	test_counter0();
	test_wrap();
	test_races();
	test_sampled();
	test_attr();
	test_words();
	test_log();
}
