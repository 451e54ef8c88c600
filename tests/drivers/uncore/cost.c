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

/* Masks of events that stop and start between one pmu_disable() and pmu_enable(), and accesses */
static const struct {
	unsigned int stop, start, reads, writes;
} changes[] = {
	/* One event needs no freeze, two start and stop together, a reset stops the last ones. */
	{ 0, 0x01, 1, 2 }, { 0, 0x30, 2, 4 }, { 0x30, 0, 2, 4 }, { 0x01, 0, 1, 1 },
	{ 0, 0x30, 2, 4 }, { 0x30, 0x01, 3, 5 }, { 0x01, 0x30, 3, 5 }, { 0x30, 0, 2, 2 },
	/* One counter passes from an event to another one, or two do. */
	{ 0, 0x05, 2, 4 }, { 0x01, 0x02, 2, 2 }, { 0x06, 0x09, 4, 4 }, { 0, 0, 0, 0 },
};

static void test_changes(void)
{
	/* On counters 0 and 1, and on 2 and 3 */
	static const u64 configs[] = {
		0x113, 0x213, 0x01000113, 0x01000213, 0x0300041b, 0x0400041b,
	};
	struct perf_event *events[ARRAY_SIZE(configs)];
	unsigned int i, k;

	begin(0, "cbox_0");
	for (k = 0; k < ARRAY_SIZE(configs); k++)
		events[k] = try_open(configs[k], 0, NULL);
	for (i = 0; i < ARRAY_SIZE(changes); i++) {
		machine_tally(box);
		mock_disable(events[0]->pmu, 0);
		for (k = 0; k < ARRAY_SIZE(configs); k++) {
			if (changes[i].stop & BIT(k))
				mock_sched_out(events[k]);
		}
		for (k = 0; k < ARRAY_SIZE(configs); k++)
			CHECK(!(changes[i].start & BIT(k)) || mock_sched_in(events[k]));
		mock_enable(events[0]->pmu, 0);
		if (wrong(box->reads != changes[i].reads || box->writes != changes[i].writes))
			fault("change %u: %u reads and %u writes", i, box->reads, box->writes);
	}
	for (k = 0; k < ARRAY_SIZE(configs); k++)
		mock_close(events[k]);
	end();
	result("a box is frozen where it has to be");
}

void test_cost(void)
{
	test_events();
	test_changes();
}
