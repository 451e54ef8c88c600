// SPDX-License-Identifier: GPL-2.0-only
/* Boxes without memory-mapped configuration space */
#include "tests.h"

/* A sample may interrupt an access of its CPU, which has the lock of the ports. */
static void sampled(const char *name, bool ports)
{
	static struct pmu pmu = { .name = "other" };
	struct perf_event_attr attr = { .type = PERF_TYPE_TRACEPOINT };
	struct perf_event *leader, *event;
	unsigned int place, samples;

	for (place = 0; place < 2; place++) {
		for (samples = 0; samples < 2; samples++) {
			attr.sample_period = samples;
			begin(0, name);
			/* The sampler leads the group, or is another member. */
			leader = place ? try_open(0x00, 0, NULL) :
				 mock_open(&pmu, &attr, 0, NULL, &open_errno);
			if (place)
				mock_open(&pmu, &attr, 0, leader, &open_errno);
			event = try_open(0x00, 0, leader);
			if (ports && samples) {
				EXPECT_REFUSED(event, -EOPNOTSUPP,
					       "without memory-mapped configuration space (MMCONFIG), no event can sample this box");
			} else {
				CHECK(event && mock_sched_in(leader));
				pass(3);
				EXPECT_COUNT(event, 0, 3 * rate_of(0x00));
			}
			mock_close(leader);
			end();
		}
	}
}

/* Filters below 0x100 work, and those above are refused. */
static void filters(void)
{
	static const u32 addr = 0xabcde000;
	struct perf_event *event;

	begin(0, "ha");
	event = open_event("ha", 0, 0x320, addr, 0x2d, NULL);
	CHECK(event && mock_sched_in(event));
	EXPECT(box->filter[0], addr);
	EXPECT(box->filter[2], 0x2d);
	mock_close(event);
	EXPECT_REFUSED(open_event("qpi_0", 0, 0x200038, 0x20, 0x20, NULL), -EOPNOTSUPP,
		       of_socket("the packet filters of socket %d are not accessible: they need memory-mapped configuration space (MMCONFIG)"));
	event = open_event("qpi_0", 0, 0x04, 0, 0, NULL);
	CHECK(event && mock_sched_in(event));
	mock_close(event);
	end();
}

void test_ports(void)
{
	unsigned int ports;

	for (ports = 0; ports < 2; ports++) {
		without_mmconfig = ports;
		sampled("ha", ports);
		/* Boxes in MSR space have no such rule. */
		sampled("cbox_0", false);
	}
	result("behind I/O ports no event samples a group");
	filters();
	without_mmconfig = false;
	result("boxes behind I/O ports have their filters, and are missed when they go");
}
