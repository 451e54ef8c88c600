// SPDX-License-Identifier: GPL-2.0-only
/*
 * What runs beside each other on a machine with offcore_rsp, for the explorer
 * (mock-kernel/explore.h). CPUs 2 and 3 are threads that share their two response registers; each
 * has events of its own, of two values.
 */
#include "mock-kernel/actors.h"
#include "tests.h"

#define PMU		"offcore_rsp"

static void tick(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < MOCK_CPUS; cpu++)
		machine_tick(cpu, 1);
}

static u64 rate(const struct perf_event *event)
{
	const struct hw_cpu *c = &hw[event->cpu];
	unsigned int i;

	for (i = 0; i < NR_CTRS; i++) {
		unsigned int code = c->sel[i] & 0xff;

		if ((c->sel[i] & EN) && (c->ctrl & BIT(i)) && (code == 0xb7 || code == 0xbb) &&
		    *machine_rsp(event->cpu, code == 0xbb) == event->attr.config)
			return machine_rate(event->attr.config, c->sel[i]);
	}
	return 0;
}

static struct perf_event *open_at(int cpu, u64 config, bool disabled)
{
	struct perf_event_attr attr = { .config = config };

	return explore_open(PMU, &attr, cpu, NULL, disabled);
}

static void open2(void)
{
	open_at(2, value(1), false);
}

static void open3(void)
{
	open_at(3, value(2), false);
}

/* The first and the last event of all, where no others are open */
static void open_and_close(void)
{
	struct perf_event *event = open_at(1, value(1), false);

	if (event)
		explore_close(event);
}

static void cpu_down(void)
{
	explore_cpu_down(2);
}

static void cpu_around(void)
{
	explore_cpu_down(3);
	explore_cpu_up(3);
}

static void read_files(void)
{
	read_sysfs(PMU, "cpumask");
}

static void lose_registers(void)
{
	unsigned int cpu, i;

	for (cpu = 0; cpu < MOCK_CPUS; cpu++) {
		for (i = 0; i < NR_CTRS; i++)
			hw[cpu].pmc[i] = noise() & (BIT_ULL(machine.width) - 1);
		for (i = 0; i < machine.nr_rsp; i++)
			*machine_rsp(cpu, i) = 0;
		hw[cpu].ctrl = 0;
		hw[cpu].resets = 0;
	}
}

static void suspend(void)
{
	explore_suspend(lose_registers);
}

static const struct explore_actor actors[] = {
	{ "open2", open2, 0, .user = true },
	{ "open3", open3, 1, .user = true },
	{ "once", open_and_close, 1, .user = true },
	{ "close", close_second, 1, .user = true },
	{ "toggle", toggle, 3, .user = true },
	{ "read", read_twice, 3, .user = true },
	{ "nmi0", read_away, 0, LEVEL_NMI },
	{ "nmi2", read_in_nmi, 2, LEVEL_NMI },
	{ "rotate2", rotate, 2, LEVEL_IRQS_OFF },
	{ "rotate3", rotate, 3, LEVEL_IRQS_OFF },
	{ "timers", timers, 2 },
	{ "down", cpu_down, 0, .user = true, .slow = 1 },
	{ "around", cpu_around, 1, .user = true, .slow = 1 },
	{ "stay", cpu_stays, 1, .user = true, .slow = 1 },
	{ "late", cpu_stays_late, 1, .user = true, .slow = 1 },
	{ "suspend", suspend, 0, .slow = 1 },
	{ "load", explore_load, 1, .user = true, .slow = 1 },
	{ "sysfs", read_files, 3, .user = true },
	{ "unload", unload_driver, 1, .user = true },
};

static struct perf_event *open_now(unsigned int cpu, u64 config)
{
	struct perf_event *event = open_on(cpu, config, NULL);

	if (!event || !mock_sched_in(event))
		fault("an event is not scheduled at the beginning");
	return event;
}

static void begin_run(bool other)
{
	noise_seed(1);
	processor(44);
	first = NULL;
	second = NULL;
	away = NULL;
	if (explore_has("load"))
		return;
	if (load())
		fault("the driver does not load");
	if (explore_has("unload") || explore_has("once"))
		return;
	first = open_now(2, value(0));
	second = open_now(3, value(1));
	away = open_now(0, value(0));
}

/* Three values of a core's events do not fit: any event may be left out. */
static bool must_count(const struct perf_event *event)
{
	if (!event->attached)
		return false;
	if (!cpu_online(event->cpu))
		fault("an event is on CPU %d, which is offline", event->cpu);
	return event->on || !explore_has("open3");
}

static void end_run(void)
{
	close_and_unload(must_count, tick, unload);
}

static bool skips(const struct explore_actor *a, const struct explore_actor *b)
{
	return a->run == explore_load && (b->run == explore_load || b->run == unload_driver);
}

void test_explore(const char *what)
{
	static const struct explore_driver driver = {
		.actors = actors, .nr = ARRAY_SIZE(actors), .begin = begin_run, .tick = tick,
		.rate = rate, .end = end_run, .skips = skips,
	};

	explore_all(&driver, what);
}
