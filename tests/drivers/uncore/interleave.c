// SPDX-License-Identifier: GPL-2.0-only
/*
 * What runs beside each other on a machine with snbep_uncore, for the explorer
 * (mock-kernel/explore.h). The box is a QPI port of socket 1 with its filters; CPUs 2 and 3 are
 * that socket's. The UBoxes are there as well, and the home agents are found later.
 */
#include "mock-kernel/actors.h"
#include "snbep_uncore.h"
#include "tests.h"

#define BOX		"snbep_uncore_qpi_0"
#define HA		"snbep_uncore_ha"

static struct perf_event *other;
/* Whether the socket had no CPU for a time; the box did not answer */
static bool dark, lost;
static struct pci_dev *function;
static struct hw_box *port, *ubox[2], *ha[2];

static struct hw_box *box_of(const struct perf_event *event)
{
	if (!strcmp(event->pmu->name, BOX))
		return port;
	return (strcmp(event->pmu->name, HA) ? ubox : ha)[event->cpu / 2];
}

static u64 rate(const struct perf_event *event)
{
	struct hw_box *b = box_of(event);
	u32 ctl = event->attr.config | EN;
	unsigned int i;

	if (machine_frozen(b) || (b->pdev && !b->pdev->there))
		return 0;
	for (i = 0; i <= FIXED; i++) {
		if (*b->ctl[i] == ctl)
			return machine_rate(b, i, ctl, b->filter);
	}
	return 0;
}

static void tick(void)
{
	machine_tick(port, 1);
	machine_tick(ubox[0], 1);
	machine_tick(ubox[1], 1);
	machine_tick(ha[1], 1);
}

static struct perf_event *open_at(const char *pmu, int cpu, u64 config, u64 config1, u64 config2,
				  struct perf_event *leader, bool disabled)
{
	struct perf_event_attr attr = {
		.config = config, .config1 = config1, .config2 = config2,
	};
	return explore_open(pmu, &attr, cpu, leader, disabled);
}

static void open_enabled(void)
{
	open_at(BOX, 3, 0x04, 0, 0, NULL, false);
}

/* As perf stat does */
static void open_disabled(void)
{
	struct perf_event *event = open_at(BOX, 3, 0x200, 0, 0, NULL, true);

	if (event)
		explore_enable(event, true);
}

static void open_filtered(void)
{
	open_at(BOX, 2, 0x200038, 0x000a000580020108, 0x000f000f8003fff8, NULL, false);
}

static void open_member(void)
{
	if (first)
		open_at(BOX, first->cpu, 0x201, 0, 0, first, false);
}

static void check_dark(void)
{
	dark |= !(mock_online & 12);
}

static void cpu_down(void)
{
	explore_cpu_down(2);
	check_dark();
}

static void cpus_down(void)
{
	explore_cpu_down(3);
	check_dark();
	explore_cpu_down(2);
	check_dark();
}

/* CPU 3 is isolated, and hands over to CPU 2 as that comes back. */
static void cpu_around(void)
{
	explore_cpu_down(2);
	check_dark();
	explore_cpu_up(2);
}

static void cpus_around(void)
{
	cpus_down();
	explore_cpu_up(3);
	explore_cpu_up(2);
}

static void cpus_stay(void)
{
	explore_cpu_down(3);
	check_dark();
	explore_cpu_stays(2, false);
}

static void cpus_stay_late(void)
{
	explore_cpu_down(3);
	/* perf has removed its events. */
	dark = true;
	explore_cpu_stays(2, true);
}

/* A read behind I/O ports takes their lock, which the CPU may hold. */
static void nmi(void)
{
	if (!machine.no_ecam)
		read_in_nmi();
}

/* A user removes the function and finds it again. */
static void function_around(void)
{
	machine_unbind(function);
	machine_bind(function);
}

/* It does not answer any more, before Linux knows. */
static void vanish(void)
{
	lost = true;
	explore_lose(BOX);
	function->there = false;
}

static void override(void)
{
	struct pci_dev *pdev = machine_function(1, 11, 0);

	pdev->overridden = true;
	machine_bind(pdev);
	pdev->overridden = false;
	if (pdev->bound)
		fault("the UBox is bound");
}

/* Users write to drivers_probe, which takes the mutex of one device. */
static void probe(unsigned int socket)
{
	ha[socket]->pdev->there = true;
	machine_bind(ha[socket]->pdev);
	explore_unsettle(NULL);
}

static void probe0(void)
{
	probe(0);
}

static void probe1(void)
{
	probe(1);
}

static void open_ha(void)
{
	open_at(HA, 3, 0x0e, 0, 0, NULL, false);
}

static void lose_registers(void)
{
	machine_scramble(port);
	machine_scramble(ubox[0]);
	machine_scramble(ubox[1]);
}

static void read_cpumask(void)
{
	read_sysfs(BOX, "cpumask");
}

static void load_intel_uncore(void)
{
	if (mock_module_event("intel_uncore", MODULE_STATE_COMING))
		return;
	mock_point(&mock_intel, true);
	mock_intel = true;
	mock_module_event("intel_uncore", MODULE_STATE_LIVE);
}

static void suspend(void)
{
	/* CPUs 2 and 3 go offline. */
	dark = true;
	explore_suspend(lose_registers);
}

static const struct explore_actor actors[] = {
	{ "open", open_enabled, 0, .user = true },
	{ "stat", open_disabled, 1, .user = true },
	{ "filter", open_filtered, 0, .user = true },
	{ "member", open_member, 1, .user = true },
	{ "close", close_second, 3, .user = true },
	{ "toggle", toggle, 1, .user = true },
	{ "read", read_twice, 3, .user = true },
	{ "nmi0", read_away, 0, LEVEL_NMI },
	{ "nmi2", nmi, 2, LEVEL_NMI },
	{ "nmi3", nmi, 3, LEVEL_NMI },
	{ "rotate", rotate, 2, LEVEL_IRQS_OFF },
	{ "timers", timers, 2 },
	{ "down", cpu_down, 0, .user = true, .slow = 2 },
	{ "downs", cpus_down, 0, .user = true, .slow = 2 },
	{ "around", cpu_around, 1, .user = true, .slow = 2 },
	{ "arounds", cpus_around, 1, .user = true, .slow = 2 },
	{ "stay", cpu_stays, 0, .user = true, .slow = 2 },
	{ "last", cpus_stay, 0, .user = true, .slow = 2 },
	{ "late", cpus_stay_late, 1, .user = true, .slow = 2 },
	{ "rescan", function_around, 1, .user = true, .slow = 1 },
	{ "vanish", vanish, 0 },
	{ "override", override, 1, .user = true },
	{ "probe0", probe0, 0, .user = true },
	{ "probe1", probe1, 1, .user = true },
	{ "ha", open_ha, 2, .user = true },
	{ "suspend", suspend, 0 },
	{ "sysfs", read_cpumask, 1, .user = true },
	{ "load", explore_load, 1, .user = true, .slow = 1 },
	{ "intel", load_intel_uncore, 0, .user = true },
	{ "unload", unload_driver, 1, .user = true },
};

/* Only the boxes under test are there, so that loading is quick. */
static void hide_others(void)
{
	unsigned int s, i;

	for (s = 0; s < NR_SOCKETS; s++) {
		for (i = 0; i < NR_BOXES; i++) {
			struct hw_box *b = &hw[s][i];

			if (!strcmp(b->name, "ubox") || (s && !strcmp(b->name, "qpi_0")))
				continue;
			b->absent = !b->pdev;
			if (b->pdev)
				b->pdev->there = false;
		}
	}
}

static void begin_run(bool ports)
{
	unsigned int i;

	noise_seed(1);
	mock_reset();
	hide_others();
	machine.no_ecam = ports;
	function = machine_function(1, 8, 2);
	port = machine_box(1, "qpi_0");
	for (i = 0; i < NR_SOCKETS; i++) {
		ubox[i] = machine_box(i, "ubox");
		ha[i] = machine_box(i, "ha");
	}
	box = port;
	first = NULL;
	second = NULL;
	other = NULL;
	away = NULL;
	dark = false;
	lost = false;
	if (explore_has("around"))
		mock_isolated[HK_TYPE_DOMAIN] = BIT(3);
	if (explore_has("load"))
		return;
	if (load())
		fault("the driver does not load");
	log_clear();
	first = open_on(0x14, 0, NULL);
	/* Its timer stays set. */
	if (explore_has("unload")) {
		mock_close(first);
		first = NULL;
		return;
	}
	second = open_on(0x05, 0, NULL);
	other = open_event("ubox", 2, 0x44, 0, 0, NULL);
	mock_sched_in(other);
	away = open_event("ubox", 0, 0x44, 0, 0, NULL);
	mock_sched_in(away);
}

static bool must_count(const struct perf_event *event)
{
	const struct hw_box *b = box_of(event);

	/* An event that was being opened as its CPU went may be left there. */
	bool opened = event != first && event != second && event != other && event != away;

	if (!event->attached) {
		if (!dark && !opened)
			fault("event %#llx is left on CPU %d, which went offline",
			      (unsigned long long)event->attr.config, event->cpu);
		return false;
	}
	if (opened && event->cpu != (int)snbep_sockets[event->cpu / 2].cpu)
		return false;
	if (!cpu_online(event->cpu))
		fault("event %#llx is on CPU %d, which is offline",
		      (unsigned long long)event->attr.config, event->cpu);
	if (event->cpu != (int)snbep_sockets[event->cpu / 2].cpu)
		fault("event %#llx is on CPU %d, and new ones go elsewhere",
		      (unsigned long long)event->attr.config, event->cpu);
	if (b == port && enabled() == port->counters && !event->on)
		return false;
	return !b->pdev || !lost;
}

static void check_timers(void)
{
	struct snbep_box *b;
	unsigned int s;

	for (s = 0; s < NR_SOCKETS; s++) {
		list_for_each_entry_rcu(b, &snbep_sockets[s].boxes, node, true) {
			if (b->used && !snbep_sockets[s].timer.set)
				fault("a counter of socket %u is used without the hrtimer", s);
		}
	}
}

static void end_run(void)
{
	if (log_has("without a unit mask"))
		fault("an actor's event is invalid");
	if (mock_intel && snbep_open && !mock_module_gone())
		fault("intel_uncore and this driver count");
	if (!mock_module_gone()) {
		mock_timers();
		check_timers();
	}
	mock_cpu = mock_first(mock_online);
	close_and_unload(must_count, tick, unload);
}

static bool is(const struct explore_actor *a, const char *names)
{
	return strstr(names, a->name);
}

/* What has nothing to do with each other, or waits for the other's end */
static bool skips(const struct explore_actor *a, const struct explore_actor *b)
{
	return (is(b, "ha") && !is(a, "probe0 probe1")) || (is(b, "load unload") && is(a, "load")) ||
	       ((is(b, "probe0 probe1") || is(b, "suspend")) && is(a, "rescan override"));
}

void test_explore(const char *what)
{
	static const struct explore_driver driver = {
		.actors = actors, .nr = ARRAY_SIZE(actors), .other = "ports", .begin = begin_run,
		.tick = tick, .rate = rate, .end = end_run, .skips = skips,
	};

	explore_all(&driver, what);
}
