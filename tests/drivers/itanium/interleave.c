// SPDX-License-Identifier: GPL-2.0-only
/*
 * What runs beside each other on a machine with itanium_pmu, for the explorer
 * (mock-kernel/explore.h): events on CPUs 2 and 3, one of which overflows every few steps. ia64
 * has no NMI that reads events.
 */
#include "mock-kernel/actors.h"
#include "tests.h"

#define PMU		"itanium"

static struct perf_event *sampled;
static struct task_struct task = { .pid = 1 };

static void tick(void)
{
	unsigned int cpu;

	if (!machine.mapped)
		return;
	for (cpu = 2; cpu < MOCK_CPUS; cpu++)
		machine_tick(cpu, 1);
}

static u64 rate(const struct perf_event *event)
{
	struct mont *m = &hw[event->cpu].mont;
	u64 want = want_control(&event->attr);
	unsigned int n;

	for (n = FIRST_COUNTER; n <= LAST_COUNTER && !mont_frozen(m); n++) {
		if (m->pmc[n] == want)
			return machine_rate(want);
	}
	return 0;
}

static void open_at(int cpu, u64 config, bool disabled)
{
	struct perf_event_attr attr = { .config = config };
	struct perf_event *event = explore_open(PMU, &attr, cpu, NULL, disabled);

	if (event && disabled)
		explore_enable(event, true);
}

static void open_enabled(void)
{
	open_at(2, 0x08, false);
}

static void open_disabled(void)
{
	open_at(3, 0x08, true);
}

/* The interrupt of an overflow; several, if more come */
static void interrupt(void)
{
	unsigned int i, cpu = mock_cpu;

	for (i = 0; i < 3 && cpu_online(cpu) && !(hw[cpu].pmv & BIT(16)) &&
	     machine.handler[hw[cpu].pmv & 0xff]; i++)
		machine_interrupts(cpu, &user_regs);
	mock_cpu = cpu;
}

static void cpu_down(void)
{
	explore_cpu_down(2);
}

static void cpu_around(void)
{
	explore_cpu_down(2);
	explore_cpu_up(2);
}

static void reset_this_cpu(void)
{
	machine_cpu_reset(mock_cpu);
}

static const struct explore_actor actors[] = {
	{ "open", open_enabled, 0, .user = true },
	{ "stat", open_disabled, 1, .user = true },
	{ "close", close_second, 0, .user = true },
	{ "toggle", toggle, 0, .user = true },
	{ "read", read_twice, 3, .user = true },
	{ "rotate", rotate, 2, LEVEL_IRQS_OFF },
	{ "pmi", interrupt, 2, LEVEL_IRQS_OFF },
	{ "down", cpu_down, 0, .user = true, .slow = 1 },
	{ "around", cpu_around, 1, .user = true, .slow = 1 },
	{ "stay", cpu_stays, 1, .user = true, .slow = 1 },
	{ "late", cpu_stays_late, 1, .user = true, .slow = 1 },
	{ "unload", unload_driver, 1, .user = true },
};

static struct perf_event *open_now(unsigned int cpu, u64 config, u64 period)
{
	struct perf_event_attr attr = { .config = config, .sample_period = period };
	struct perf_event *event = open_attr(cpu, &attr, NULL);

	if (!event || !mock_sched_in(event))
		fault("an event is not scheduled at the beginning");
	return event;
}

static void begin_run(bool other)
{
	unsigned int i;

	noise_seed(1);
	mock_reset();
	hooks.arriving = reset_this_cpu;
	for (i = 0; i < MOCK_CPUS; i++)
		mock_task[i] = &task;
	if (load())
		fault("the driver does not load");
	first = NULL;
	second = NULL;
	if (explore_has("unload"))
		return;
	first = open_now(2, 0x12, 0);
	second = open_now(3, 0x12, 0);
	sampled = open_now(2, 0x49, 100);
}

/* An event is left on a CPU that goes offline. */
static bool must_count(const struct perf_event *event)
{
	return event->attached && cpu_online(event->cpu);
}

static void interrupt_all(void)
{
	for (mock_cpu = 2; mock_cpu < MOCK_CPUS; mock_cpu++)
		interrupt();
	mock_cpu = 0;
}

static void tick_and_interrupt(void)
{
	tick();
	interrupt_all();
}

static void end_run(void)
{
	interrupt_all();
	close_and_unload(must_count, tick_and_interrupt, unload);
}

void test_explore(const char *what)
{
	static const struct explore_driver driver = {
		.actors = actors, .nr = ARRAY_SIZE(actors), .begin = begin_run, .tick = tick,
		.rate = rate, .end = end_run,
	};

	on_ia64 = false;
	explore_all(&driver, what);
}
