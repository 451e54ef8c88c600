// SPDX-License-Identifier: GPL-2.0-only
/* Groups with software events, the occupancy of counter 0, and groups that cannot be scheduled */
#include "tests.h"

#define CBO_OPC		(0x182ull << 23)

/*
 * Section 2.3.2.1: counters 1 to 3 see the occupancy that counter 0 counts, whoever's it is. perf
 * opens leaders disabled, and disables members: that is no reason for ->add to fail, as it would
 * keep other events of the box from counting.
 */
static void test_counter0(void)
{
	struct perf_event_attr attr = { .config = 0x0100001f, .disabled = 1 };
	struct perf_event *leader, *other, *e[3];
	unsigned int i;

	begin(0, "cbox_4");
	/* Alone, as perf stat opens it; never on counter 0 itself */
	leader = mock_open(pmu_of("cbox_4"), &attr, 0, NULL, &open_errno);
	CHECK(leader && mock_sched_in(leader) && !(*box->ctl[0] & EN));
	for (i = 0; i < 3; i++)
		e[i] = open_on(0x00, 0, NULL);
	machine_tick(box, 2);
	EXPECT_COUNT(leader, 0, 2 * rate_of(0x0100001f));
	for (i = 0; i < 3; i++) {
		EXPECT_COUNT(e[i], 0, 2 * rate_of(0x00));
		mock_close(e[i]);
	}
	mock_close(leader);
	/* In a group with the occupancy, which may be disabled, with or without a software event */
	leader = open_software(NULL);
	e[0] = try_open(0x0100001f, 0, leader);
	other = try_open(0x836, 0, leader);
	CHECK(e[0] && other && mock_sched_in(leader));
	EXPECT(*box->ctl[0], 0x836 | EN);
	machine_tick(box, 2);
	EXPECT_COUNT(e[0], 0, 2 * rate_of(0x0100001f));
	mock_sched_out(leader);
	other->disabled = true;
	CHECK(mock_sched_in(leader));
	mock_close(leader);
	/* More than three never fit. */
	leader = try_open(0x1f, 0, NULL);
	try_open(0x1f, 0, leader);
	try_open(0x1f, 0, leader);
	EXPECT_REFUSED(try_open(0x1f, 0, leader), -EINVAL, "more counters than");
	mock_close(leader);
	end();
	result("the occupancy of counter 0 counts as any other event, with or without one there");
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
	test_counter0();
	test_impossible();
}
