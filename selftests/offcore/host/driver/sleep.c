// SPDX-License-Identifier: GPL-2.0-only
/* What offcore_rsp does when the machine sleeps and wakes, and CPUs go and come */
#include "tests.h"

/* An event that comes while the CPUs are put to sleep waits until they wake. */
static struct perf_event *late;

static void start_late(void)
{
	if (late && !late->on)
		mock_sched_in(late);
}

static void test_sleep(void)
{
	unsigned int i, j;

	mock_reset();
	load();
	late = open_on(2, 0x10001, NULL);
	hooks.everywhere = start_late;
	mock_pm(PM_SUSPEND_PREPARE);
	hooks.everywhere = NULL;
	for (i = 0; i < MOCK_CPUS; i++) {
		for (j = 0; j < NR_CTRS; j++) {
			if (hw[i].sel[j])
				fault("CPU %u counts as the machine sleeps", i);
		}
	}
	machine_tick(2, 5);
	for (i = 0; i < MOCK_CPUS; i++)
		memset(hw[i].pmc, 0x55, sizeof(hw[i].pmc));
	mock_pm(PM_POST_SUSPEND);
	machine_tick(2, 7);
	mock_read(late, 2);
	if (late->count.a.a.v != 7 * (long)machine_rate(0x10001, OS | USR))
		fault("it counted %ld", late->count.a.a.v);
	/* Other news of that kind mean nothing. */
	machine_tally();
	mock_pm(17);
	if (machine_reads() || machine_writes())
		fault("registers are accessed for other news");
	mock_close(late);
	late = NULL;
	unload();
	result("an event that comes as the machine goes to sleep counts afterwards");
}

/* Sleeps after which the registers are as they were: our bits are not others'. */
static void test_kept(void)
{
	static const u64 before = 0x70000000aULL;
	unsigned int opened;

	for (opened = 0; opened < 3; opened++) {
		mock_reset();
		hw[2].ctrl = before;
		load();
		late = open_on(2, 0x10001, NULL);
		if (opened == 0)
			mock_sched_in(late);
		hooks.everywhere = opened == 1 ? start_late : NULL;
		mock_pm(PM_SUSPEND_PREPARE);
		hooks.everywhere = NULL;
		if (hw[2].ctrl != before)
			fault("the machine sleeps with %#llx",
			      (unsigned long long)hw[2].ctrl);
		mock_pm(PM_POST_SUSPEND);
		start_late();
		machine_tick(2, 7);
		mock_read(late, 2);
		if (late->count.a.a.v !=
		    7 * (long)machine_rate(0x10001, OS | USR))
			fault("it counted %ld", late->count.a.a.v);
		mock_close(late);
		late = NULL;
		if (hw[2].ctrl != before)
			fault("%#llx is left of %#llx",
			      (unsigned long long)hw[2].ctrl,
			      (unsigned long long)before);
		/* What others set afterwards is theirs. */
		hw[2].ctrl = 0xf;
		mock_pm(PM_SUSPEND_PREPARE);
		mock_pm(PM_POST_SUSPEND);
		if (hw[2].ctrl != 0xf)
			fault("%#llx is left of others' bits",
			      (unsigned long long)hw[2].ctrl);
		unload();
	}
	result("the global control is others' again after a sleep that kept it");
}

static const u64 others = 0x700000000ULL;

/* What is left of @late, which counted for 7 ticks after the machine woke */
static void end_late(u64 value, const char *when)
{
	machine_tick(2, 7);
	mock_read(late, 2);
	if (late->count.a.a.v != 7 * (long)machine_rate(value, OS | USR))
		fault("%s: it counted %ld", when, late->count.a.a.v);
	mock_close(late);
	late = NULL;
	if (hw[2].ctrl != others)
		fault("%s: %#llx is left of %#llx", when,
		      (unsigned long long)hw[2].ctrl,
		      (unsigned long long)others);
}

static void start_waking(void)
{
	if (!mock_holds_cpus())
		fault("a CPU may come as the others are told, and hear nothing");
	start_late();
}

/*
 * User space runs again before the CPUs are told that the machine is awake: an
 * event starts on one that does not know yet. Its register may have lost its value.
 */
static void test_waking(void)
{
	static const struct {
		unsigned int model;
		/* Another one is there already, or this one came and went. */
		bool old, came;
		const char *when;
	} rounds[] = {
		{ 45, false, false, "Sandy Bridge" },
		{ 37, false, false, "Westmere" },
		{ 45, true, false, "Sandy Bridge, another event" },
		{ 37, true, false, "Westmere, another event" },
		{ 37, true, true, "Westmere, it came and went" },
	};
	struct perf_event *old;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rounds); i++) {
		u64 value = rounds[i].model == 45 ? 0x10001 : 0x101;

		mock_reset();
		machine_choose(rounds[i].model);
		hw[2].ctrl = others;
		load();
		late = open_on(2, value, NULL);
		old = rounds[i].old ? open_on(2, value, NULL) : NULL;
		if (old)
			mock_sched_in(old);
		mock_pm(PM_SUSPEND_PREPARE);
		if (rounds[i].came) {
			mock_sched_in(late);
			mock_sched_out(late);
		}
		if (hw[2].ctrl != others)
			fault("%s: the machine sleeps with %#llx", rounds[i].when,
			      (unsigned long long)hw[2].ctrl);
		*machine_rsp(2, 0) = 0;
		hooks.asking = start_waking;
		mock_pm(PM_POST_SUSPEND);
		hooks.asking = NULL;
		if (old)
			mock_sched_out(old);
		end_late(value, rounds[i].when);
		if (old)
			mock_close(old);
		unload();
	}
	result("an event that comes as the machine wakes counts, and leaves others' bits");
}

/* A CPU is away as the others go to sleep, as they sleep, or as they wake. */
static void test_away(void)
{
	static const struct {
		/* When it goes and comes: before, in, or after the sleep */
		unsigned int goes, comes;
		/* It comes, and has an event before the driver knows. */
		bool early;
		const char *when;
	} rounds[] = {
		{ 0, 1, false, "away at first" },
		{ 0, 1, true, "away at first, early" },
		{ 1, 1, false, "away in between" },
		{ 1, 1, true, "away in between, early" },
		{ 1, 2, false, "away as it ended" },
		{ 1, 2, true, "away as it ended, early" },
		{ 0, 2, false, "away all the time" },
		{ 0, 2, true, "away all the time, early" },
	};
	unsigned int i, step;

	for (i = 0; i < ARRAY_SIZE(rounds); i++) {
		mock_reset();
		hw[2].ctrl = others;
		load();
		late = open_on(2, 0x10001, NULL);
		for (step = 0; step < 3; step++) {
			if (step == 1)
				mock_pm(PM_SUSPEND_PREPARE);
			if (step == 2)
				mock_pm(PM_POST_SUSPEND);
			if (step == rounds[i].goes)
				mock_cpu_down(2);
			hooks.arriving = rounds[i].early ? start_late : NULL;
			if (step == rounds[i].comes)
				mock_cpu_up(2);
			hooks.arriving = NULL;
			if (step == rounds[i].comes)
				start_late();
			if (step == 1)
				machine_tick(2, 5);
			if (step == 1 && hw[2].ctrl != others)
				fault("%s: the machine sleeps with %#llx",
				      rounds[i].when,
				      (unsigned long long)hw[2].ctrl);
		}
		end_late(0x10001, rounds[i].when);
		unload();
	}
	result("a CPU that is away for a part of a sleep counts afterwards");
}

void test_sleeps(void)
{
	test_sleep();
	test_kept();
	test_waking();
	test_away();
}
