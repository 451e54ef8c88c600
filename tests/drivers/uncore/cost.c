// SPDX-License-Identifier: GPL-2.0-only
/* The exact number of register accesses of each operation; a box is frozen only where necessary. */
#include "tests.h"

static struct perf_event *ev[4];

/* Accesses for one event, exactly: open, read, disable, enable, close */
static void test_events(void)
{
	static const struct {
		const char *box;
		u64 config, config1;
		unsigned int cost[5][2];	/* reads, writes */
	} costs[] = {
		{ "cbox_0", 0x00, 0, { { 1, 2 }, { 1, 0 }, { 1, 1 }, { 1, 2 }, { 1, 1 } } },
		{ "cbox_0", 0x335, 0x182ull << 23,
		  { { 1, 3 }, { 1, 0 }, { 1, 1 }, { 1, 3 }, { 1, 1 } } },
		{ "pcu", 0x01, 0, { { 1, 2 }, { 1, 0 }, { 1, 1 }, { 1, 2 }, { 1, 1 } } },
		{ "ubox", 0x44, 0, { { 1, 1 }, { 1, 0 }, { 1, 1 }, { 1, 1 }, { 1, 1 } } },
		{ "ubox", 0xff, 0, { { 1, 1 }, { 1, 0 }, { 1, 1 }, { 1, 1 }, { 1, 1 } } },
		/* The high dword twice, as the low one may carry at the start */
		{ "ha", 0x00, 0, { { 3, 2 }, { 2, 0 }, { 2, 1 }, { 3, 2 }, { 2, 1 } } },
		{ "imc_0", 0xff, 0, { { 3, 2 }, { 2, 0 }, { 2, 1 }, { 3, 2 }, { 2, 1 } } },
		{ "qpi_0", 0x14, 0, { { 3, 2 }, { 2, 0 }, { 2, 1 }, { 3, 2 }, { 2, 1 } } },
		{ "r2pcie", 0x01, 0, { { 3, 2 }, { 2, 0 }, { 2, 1 }, { 3, 2 }, { 2, 1 } } },
	};
	unsigned int i, step;

	for (i = 0; i < ARRAY_SIZE(costs); i++) {
		begin(0, costs[i].box);
		machine.tidy = true;
		/* The first use costs as much as later ones. */
		mock_close(open_on(costs[i].config, costs[i].config1, NULL));
		for (step = 0; step < 5; step++) {
			machine_tally(box);
			if (step == 0)
				ev[0] = open_on(costs[i].config, costs[i].config1, NULL);
			else if (step == 1)
				mock_read(ev[0], 0);
			else if (step == 2)
				mock_sched_out(ev[0]);
			else if (step == 3)
				mock_sched_in(ev[0]);
			else
				mock_close(ev[0]);
			EXPECT(box->reads, costs[i].cost[step][0]);
			EXPECT(box->writes, costs[i].cost[step][1]);
		}
		end();
	}
	result("an event costs as many accesses as it has to");
}

/* Events of a group start and stop together: the box is frozen. */
static struct perf_event *group_of(u64 first, u64 second)
{
	struct perf_event *leader = try_open(first, 0, NULL);

	if (second == ~0ull)
		open_software(leader);
	else if (second)
		try_open(second, 0, leader);
	return leader;
}

/* Remove some scheduled events and add others in one transaction. */
static void change(struct perf_event **out, struct perf_event **in,
		   unsigned int reads, unsigned int writes, const char *what)
{
	machine_tally(box);
	mock_disable(pmu_of("cbox_0"), 0);
	mock_enable(pmu_of("cbox_0"), 0);
	mock_disable(ev[0]->pmu, 0);
	for (; out && *out; out++)
		mock_sched_out(*out);
	for (; in && *in; in++)
		CHECK(mock_sched_in(*in));
	mock_enable(ev[0]->pmu, 0);
	if (wrong(box->reads != reads || box->writes != writes))
		fault("%s: %u reads and %u writes, not %u and %u", what, box->reads,
		      box->writes, reads, writes);
}

/* Reads and writes of a box as events start and stop between one pmu_disable() and pmu_enable() */
static void test_changes(void)
{
	struct perf_event *a[] = { NULL, NULL, NULL };
	struct perf_event *b[] = { NULL, NULL, NULL };

	/* One event of a group alone needs no freeze. */
	begin(0, "cbox_0");
	ev[0] = group_of(0x113, ~0ull);
	a[0] = ev[0];
	change(NULL, a, 1, 2, "one starts, in a group with a software event");
	machine_tally(box);
	mock_read_group(a[0], 0);
	CHECK(box->reads == 1 && !box->writes);
	b[0] = group_of(0x0200041b, ~0ull);
	change(a, b, 2, 4, "one such stops, another starts elsewhere");
	mock_close(b[0]);
	/* Two events that are added together freeze it, too. */
	b[0] = group_of(0x0300041b, 0);
	b[1] = group_of(0x0400041b, 0);
	change(NULL, b, 2, 4, "two start");
	change(b, NULL, 2, 2, "two stop");
	change(NULL, b, 2, 4, "they start again");
	change(NULL, a, 1, 1, "another one starts");
	change(b, NULL, 2, 4, "two stop, and one goes on");
	/* PERF_FORMAT_GROUP on a single event */
	change(NULL, b, 2, 4, "they start beside it");
	machine_tally(box);
	mock_read_group(b[0], 0);
	CHECK(box->reads == 1 && !box->writes);
	change(a, NULL, 1, 1, "one stops, and two go on");
	change(b, NULL, 2, 2, "and then these");
	mock_close(b[1]);
	mock_close(b[0]);
	/* A group is. */
	b[0] = group_of(0x0300041b, 0x0400041b);
	b[1] = NULL;
	change(NULL, b, 2, 4, "a group starts");
	change(b, a, 3, 5, "a group stops, and one event starts elsewhere");
	change(a, b, 3, 5, "the same the other way round");
	change(b, NULL, 2, 2, "a group stops, and nothing else is there");
	mock_close(b[0]);
	mock_close(a[0]);
	/* Reprogram one counter, then two. */
	a[0] = group_of(0x113, 0);
	b[0] = group_of(0x213, 0);
	ev[0] = a[0];
	a[1] = group_of(0x01000113, 0);
	change(NULL, a, 2, 4, "two start on the lowest counters");
	a[2] = a[1];
	a[1] = NULL;
	change(a, b, 2, 2, "one counter passes");
	a[1] = a[2];
	a[2] = NULL;
	change(b, a, 2, 2, "and back");
	b[1] = group_of(0x01000213, 0);
	change(a, b, 4, 4, "two counters pass");
	mock_close(a[0]);
	mock_close(a[1]);
	ev[0] = b[0];
	change(NULL, NULL, 0, 0, "nothing changes");
	mock_close(b[0]);
	mock_close(b[1]);
	end();
	result("a box is frozen where it has to be");
}

void test_cost(void)
{
	test_events();
	test_changes();
}
