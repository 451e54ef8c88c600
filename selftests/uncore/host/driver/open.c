// SPDX-License-Identifier: GPL-2.0-only
/* Opening events: beside others in a group, while CPUs go, and what is said of refusals */
#include "tests.h"

static void expect_count(struct perf_event *event, u64 want)
{
	mock_read(event, event->cpu);
	if (wrong(event->count.a.a.v != (long)want))
		fault("%s: event %#llx counted %ld, not %llu", box->name,
		      event->attr.config, event->count.a.a.v,
		      (unsigned long long)want);
}

static struct pmu software = { .name = "software" };

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
		if (wrong(!e[i]))
			fault("member %u behind a software event: %d", i,
			      open_errno);
		open_software(leader);
	}
	if (wrong(try_open(0x00, 0, leader) || open_errno != -EINVAL))
		fault("a fifth member: %d", open_errno);
	if (wrong(!mock_sched_in(leader)))
		fault("no room behind a software event");
	machine_tick(box, 9);
	for (i = 0; i < 4; i++)
		expect_count(e[i], 9 * rate_of(0));
	mock_close(leader);

	first = try_open(0x00, 0, NULL);
	open_software(first);
	e[1] = try_open(0x113, 0, first);
	if (wrong(!e[1]))
		fault("a member behind a software one: %d", open_errno);
	mock_sched_in(first);
	machine_tick(box, 9);
	expect_count(e[1], 9 * rate_of(0x113));
	mock_close(first);

	/* A software event is not what looks at counter 0. */
	leader = open_software(NULL);
	if (wrong(try_open(0x0100001f, 0, leader) || open_errno != -EINVAL))
		fault("counter 0's occupancy without the event: %d",
		      open_errno);
	e[0] = try_open(0x836, 0, leader);
	e[1] = try_open(0x0100001f, 0, leader);
	if (wrong(!e[0] || !e[1] || !mock_sched_in(leader)))
		fault("counter 0's occupancy beside the event: %d", open_errno);
	mock_close(leader);
	end();
	result("software events take no counter in a group");
}

/* Section 2.3.2.1: in a group behind an event that is on counter 0 alone */
static void test_counter0(void)
{
	struct perf_event_attr attr = { .config = 0x0100001f, .disabled = 1 };
	struct perf_event *leader, *other, *third;
	struct pmu *pmu;
	int err;

	begin(0, "cbox_4");
	pmu = mock_pmu("snbep_uncore_cbox_4");
	if (wrong(try_open(0x0100001f, 0, NULL) || open_errno != -EINVAL))
		fault("alone: %d", open_errno);
	expect_log("group it with an event that counts on counter 0 alone",
		   true);
	/* On counter 0 or another, which is not enough */
	leader = try_open(0x113, 0, NULL);
	if (wrong(try_open(0x0100001f, 0, leader) || open_errno != -EINVAL))
		fault("behind another event: %d", open_errno);
	mock_close(leader);
	/* The event as the leader, and as a member; never on counter 0 itself */
	leader = try_open(0x836, 0, NULL);
	other = try_open(0x0100001f, 0, leader);
	if (wrong(!other || !mock_sched_in(leader)))
		fault("behind the event: %d", open_errno);
	if (wrong(box->ctl[0] != (0x836 | EN)))
		fault("counter 0 counts %#x", box->ctl[0]);
	machine_tick(box, 2);
	expect_count(other, 2 * rate_of(0x0100001f));
	mock_close(leader);
	leader = try_open(0x0100041b, 0, NULL);
	try_open(0x836, 0, leader);
	other = try_open(0x0100001f, 0, leader);
	if (wrong(!other || !mock_sched_in(leader)))
		fault("behind a member: %d", open_errno);
	machine_tick(box, 3);
	expect_count(other, 3 * rate_of(0x0100001f));
	mock_close(leader);
	/* Before the event, in a group that is not enabled yet */
	leader = mock_open(pmu, &attr, 0, NULL, &err);
	if (wrong(!leader || mock_sched_in(leader)))
		fault("before the event: %d", err);
	other = try_open(0x0100041b, 0, leader);
	if (wrong(mock_sched_in(leader)))
		fault("counted without the event");
	mock_close(other);
	other = try_open(0x836, 0, leader);
	if (wrong(!other || !mock_sched_in(leader)))
		fault("turned away beside the event: %d", open_errno);
	machine_tick(box, 2);
	expect_count(leader, 2 * rate_of(0x0100001f));
	mock_close(leader);
	/* As perf stat opens groups: the leader alone is not enabled yet. */
	attr.config = 0x113;
	leader = mock_open(pmu, &attr, 0, NULL, &err);
	other = try_open(0x0100001f, 0, leader);
	third = try_open(0x836, 0, leader);
	if (wrong(!other || !third || !mock_sched_in(leader)))
		fault("turned away in front of the event: %d", open_errno);
	mock_close(leader);
	/* And a member that is not enabled is one of a group that is. */
	leader = try_open(0x113, 0, NULL);
	attr.config = 0x0100001f;
	if (wrong(mock_open(pmu, &attr, 0, leader, &err) || err != -EINVAL))
		fault("not enabled, in a group that is: %d", err);
	mock_close(leader);
	/* What a software event has is none of ours. */
	leader = mock_open(pmu, &attr, 0, NULL, &err);
	open_software(leader);
	if (wrong(mock_sched_in(leader)))
		fault("counted beside a software event");
	mock_close(leader);
	/* Nor is an occupancy that is counted for another group. */
	leader = mock_open(pmu, &attr, 0, NULL, &err);
	other = open_on(0x836, 0, NULL);
	if (wrong(mock_sched_in(leader)))
		fault("counted beside the event of another group");
	mock_close(other);
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
		if (wrong(log_has("snbep")))
			fault("%s: the log has a warning", box->name);
		mock_close(event);
		end();
	}
	result("counters wrap at the width that the guide has");
}

/* A CPU that has gone, is on its way, or goes with no event open */
static void test_places(void)
{
	struct perf_event *event;

	begin(1, "ha");
	mock_cpu_down(2);
	event = try_open(0x00, 0, NULL);
	if (wrong(!event || event->cpu != 3))
		fault("an event is opened on CPU %d", event ? event->cpu : -1);
	mock_close(event);
	mock_cpu_down(3);
	event = open_event("snbep_uncore_ha", 3, 0x00, 0, 0, NULL);
	if (wrong(event || open_errno != -ENODEV))
		fault("an event is opened on a CPU that has gone: %d",
		      open_errno);
	expect_log("CPU 3 is not online", true);
	/* One that is on its way, before the driver knows */
	log_clear();
	mock_online |= BIT(3);
	event = open_event("snbep_uncore_ha", 3, 0x00, 0, 0, NULL);
	if (wrong(event || open_errno != -ENODEV))
		fault("an event is opened on a CPU that is to come: %d",
		      open_errno);
	expect_log("CPU 3 is not online", true);
	mock_online &= ~BIT(3);
	/* Nobody waits for an event that was not opened. */
	mock_cpu_up(2);
	mock_cpu_up(3);
	log_clear();
	mock_migrations = 0;
	mock_cpu_down(2);
	if (wrong(mock_migrations))
		fault("%u grace periods for no event", mock_migrations);
	/* One that is open, and one that was */
	mock_cpu_up(2);
	event = try_open(0x00, 0, NULL);
	mock_cpu_down(3);
	if (wrong(mock_migrations != 1 || event->cpu != 2))
		fault("%u grace periods for an event", mock_migrations);
	mock_close(event);
	mock_cpu_up(3);
	mock_cpu_down(2);
	if (wrong(mock_migrations != 1))
		fault("a grace period for an event that was closed");
	mock_online = 15;
	end();
	result("an event is opened on the CPU that counts its socket");
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
	if (wrong(try_open(0x200003, 0, NULL) || open_errno != -EOPNOTSUPP))
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
		if (wrong(open_errno != -EINVAL))
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
	if (wrong(try_open(0x00, 0x400, NULL) || open_errno != -EINVAL ||
		  !log_has("filter_nid has no effect on clockticks:")))
		fault("a filter of an event without a unit mask: %d", open_errno);
	log_clear();
	if (wrong(try_open(0x204, 0x400, NULL) || open_errno != -EINVAL))
		fault("a filter of an event with a unit mask: %d", open_errno);
	log_clear();
	if (wrong(try_open(0x0135, 0, NULL) || open_errno != -EINVAL ||
		  !log_has("tor_inserts with umask 0x1 counts nothing without")))
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

		if (wrong(err != uses[i].err))
			fault("log_burst=%s: %d", uses[i].burst, err);
		n = lines();
		if (wrong(n != uses[i].lines))
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
	if (wrong(!log_has("no event 0xfe for the ha")))
		fault("a higher limit has to wait");
	mock_window();
	mock_capabilities = 0;
	if (wrong(lines()))
		fault("lines for somebody who may not have them");
	/* Who has none uses up nobody's: the window is the same as before. */
	for (i = 0; i < 60; i++)
		try_open(0xfe, 0, NULL);
	mock_capabilities = BIT_ULL(CAP_PERFMON);
	n = lines();
	if (wrong(n != 50))
		fault("%u lines after those who may not have them", n);
	mock_capabilities = BIT_ULL(CAP_SYS_ADMIN);
	if (wrong(lines() != 50))
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
	test_places();
	test_attr();
	test_words();
	test_log();
}
