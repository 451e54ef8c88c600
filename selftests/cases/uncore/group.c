// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups with software events, with the occupancy of counter 0, and groups that cannot be scheduled
 */
#include "tests.h"

#define CBO_OPC		(0x182ull << 23)

/* Software events, as members or leader, need no counter. */
static void test_software(void)
{
	struct perf_event *leader, *first, *e[6];
	unsigned int i;

	begin(0, "cbox_1");
	leader = open_software(NULL);
	for (i = 0; i < 4; i++) {
		e[i] = try_open(0x00, 0, leader);
		CHECK(e[i]);
		open_software(leader);
	}
	EXPECT_REFUSED(try_open(0x00, 0, leader), -EINVAL, "more counters than");
	CHECK(mock_sched_in(leader));
	machine_tick(box, 9);
	for (i = 0; i < 4; i++)
		EXPECT_COUNT(e[i], 0, 9 * rate_of(0));
	mock_close(leader);

	first = try_open(0x00, 0, NULL);
	open_software(first);
	e[1] = try_open(0x113, 0, first);
	CHECK(e[1]);
	mock_sched_in(first);
	machine_tick(box, 9);
	EXPECT_COUNT(e[1], 0, 9 * rate_of(0x113));
	mock_close(first);

	/* A software event is not counter 0's occupancy. */
	leader = open_software(NULL);
	EXPECT_REFUSED(try_open(0x0100001f, 0, leader), -EINVAL, "counts on counter 0 alone");
	e[0] = try_open(0x836, 0, leader);
	e[1] = try_open(0x0100001f, 0, leader);
	CHECK(e[0] && e[1] && mock_sched_in(leader));
	mock_close(leader);
	end();
	result("software events take no counter in a group");
}

static struct perf_event *open_disabled(u64 config, struct perf_event *leader)
{
	struct perf_event_attr attr = { .config = config, .disabled = 1 };

	return mock_open(pmu_of("cbox_4"), &attr, 0, leader, &open_errno);
}

/* Section 2.3.2.1: in a group after an event that is fixed to counter 0 */
static void test_counter0(void)
{
	struct perf_event *leader, *other, *third;

	begin(0, "cbox_4");
	/* The event as the leader, and as a member; never on counter 0 itself */
	leader = try_open(0x836, 0, NULL);
	other = try_open(0x0100001f, 0, leader);
	CHECK(other && mock_sched_in(leader));
	EXPECT(*box->ctl[0], 0x836 | EN);
	machine_tick(box, 2);
	EXPECT_COUNT(other, 0, 2 * rate_of(0x0100001f));
	mock_close(leader);
	leader = try_open(0x0100041b, 0, NULL);
	try_open(0x836, 0, leader);
	other = try_open(0x0100001f, 0, leader);
	CHECK(other && mock_sched_in(leader));
	machine_tick(box, 3);
	EXPECT_COUNT(other, 0, 3 * rate_of(0x0100001f));
	mock_close(leader);
	/* Before the event, in a group that is not enabled yet */
	leader = open_disabled(0x0100001f, NULL);
	CHECK(leader && !mock_sched_in(leader));
	other = try_open(0x0100041b, 0, leader);
	CHECK(!mock_sched_in(leader));
	mock_close(other);
	other = try_open(0x836, 0, leader);
	CHECK(other && mock_sched_in(leader));
	machine_tick(box, 2);
	EXPECT_COUNT(leader, 0, 2 * rate_of(0x0100001f));
	mock_sched_out(leader);
	mock_close(leader);
	/* As perf stat opens groups: the leader alone is not enabled yet. */
	leader = open_disabled(0x113, NULL);
	other = try_open(0x0100001f, 0, leader);
	third = try_open(0x836, 0, leader);
	CHECK(other && third && mock_sched_in(leader));
	mock_sched_out(leader);
	mock_close(leader);
	/* A disabled member in an enabled group */
	leader = try_open(0x113, 0, NULL);
	EXPECT_REFUSED(open_disabled(0x0100001f, leader), -EINVAL, "counts on counter 0 alone");
	mock_close(leader);
	/* Ignore the config of a software event. */
	leader = open_disabled(0x0100001f, NULL);
	open_software(leader);
	CHECK(!mock_sched_in(leader));
	mock_close(leader);
	/* Ignore an occupancy of another group. */
	leader = open_disabled(0x0100001f, NULL);
	other = open_on(0x836, 0, NULL);
	CHECK(!mock_sched_in(leader));
	mock_close(other);
	mock_close(leader);
	end();
	result("the occupancy of counter 0 counts in a group with an event that is there");
}

static void test_impossible(void)
{
	struct perf_event *leader;
	unsigned int i;

	/* A software event may lead events of one box, or be a member. */
	begin(0, "cbox_0");
	leader = open_software(NULL);
	open_event("cbox_0", 0, 0x00, 0, 0, leader);
	open_software(leader);
	EXPECT_REFUSED(open_event("cbox_1", 0, 0x00, 0, 0, leader), -EINVAL,
		       "events of other boxes, such as snbep_uncore_cbox_0");
	/* An event that may use counter 0 may use another one. */
	EXPECT_REFUSED(try_open(0x1f, 0, leader), -EINVAL, "counts on counter 0 alone");
	mock_close(leader);
	end();
	begin(0, "cbox_0");
	leader = open_on(0x135, CBO_OPC, NULL);
	EXPECT_REFUSED(open_event("cbox_1", 0, 0x00, 0, 0, leader), -EINVAL,
		       "events of other boxes, such as snbep_uncore_cbox_0");
	EXPECT_REFUSED(open_event("cbox_0", 2, 0x00, 0, 0, leader), -EINVAL,
		       "events of two sockets");
	test_given_up(leader);
	mock_close(leader);
	end();
	/* Table 2-81: demotions use band 0, except core 2's. */
	begin(0, "pcu");
	for (i = 0x1e; i <= 0x25; i++) {
		leader = open_on(0x0b, 20, NULL);
		if (i == 0x20)
			open_on(i, 0, leader);
		else
			EXPECT_REFUSED(try_open(i, 0, leader), -EINVAL,
				       "different values of one filter");
		mock_close(leader);
	}
	end();
	result("a group that never can be counted is refused");
}

void test_groups(void)
{
	test_software();
	test_counter0();
	test_impossible();
}
