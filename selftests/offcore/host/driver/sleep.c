// SPDX-License-Identifier: GPL-2.0-only
/* What offcore_rsp does when the machine sleeps and wakes up, as in S3 */
#include "tests.h"

/* The registers lose what they hold, while nothing of ours counts. */
static void forget(void)
{
	unsigned int i;

	for (i = 0; i < NR_CTRS; i++) {
		if (wrong(hw[0].sel[i]))
			fault("counter %u has an event as the machine sleeps", i);
		hw[0].pmc[i] = 0x555555;
	}
	machine_tick(0, 5);
	*machine_rsp(0, 0) = 0x101;
	if (machine.nr_rsp > 1)
		*machine_rsp(0, 1) = 0x102;
	hw[0].ctrl = 0x700000000ULL;
	hw[0].resets = 0;
}

static void test_sleep(void)
{
	static const unsigned int models[] = { 45, 26, 37 };
	struct perf_event *a, *b;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(models); i++) {
		u64 value = models[i] == 45 ? 0x10001 : 0x201;

		mock_reset();
		machine_choose(models[i]);
		load();
		a = open_on(0, value, NULL);
		b = open_on(0, value, NULL);
		mock_sched_in(a);
		mock_sched_in(b);
		machine_tick(0, 3);
		mock_suspend();
		forget();
		mock_resume();
		if (wrong(*machine_rsp(0, 0) != value || *machine_rsp(0, 1)))
			fault("model %u: the registers are %#llx and %#llx",
			      models[i], (unsigned long long)*machine_rsp(0, 0),
			      (unsigned long long)*machine_rsp(0, 1));
		machine_tick(0, 7);
		mock_read(a, 0);
		mock_read(b, 0);
		if (wrong(a->count.a.a.v != 10 * (long)machine_rate(value, OS | USR) ||
			  b->count.a.a.v != a->count.a.a.v))
			fault("model %u: %ld and %ld were counted", models[i],
			      a->count.a.a.v, b->count.a.a.v);
		mock_close(a);
		mock_close(b);
		unload();
	}
	result("events count on after the machine slept");
}

/* Without an event there is nothing to do. */
static void test_idle(void)
{
	mock_reset();
	machine_choose(26);
	load();
	machine_tally();
	mock_suspend();
	mock_resume();
	if (wrong(machine_reads() || machine_writes()))
		fault("registers are accessed for no event");
	unload();
	result("a sleep without events costs nothing");
}

void test_sleeps(void)
{
	test_sleep();
	test_idle();
}
