// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPU hotplug, removal of PCI functions and loss of memory-mapped configuration space while events
 * count
 */
#include "snbep_uncore.h"
#include "tests.h"

static struct perf_event *ev[8];

/* An event is closed while it migrates. */
static unsigned int steps;

static void close_on_the_way(void)
{
	unsigned int back = mock_cpu;

	/* It was removed from the old CPU. */
	if (++steps == 2)
		mock_close(ev[1]);
	mock_cpu = back;
}

static void disable_on_the_way(void)
{
	if (++steps == 2)
		ev[1]->disabled = true;
}

static void check_inside(void)
{
	EXPECT(ev[0]->cpu, snbep_sockets[box_package()].cpu);
}

static void test_closed(void)
{
	const struct plain *p;

	for_each_plain(p) {
		unsigned int i;

		begin(1, p->box);
		ev[0] = open_on(p->config, 0, NULL);
		ev[1] = open_on(p->other, 0, NULL);
		pass(3);
		steps = 0;
		hooks.migrating = close_on_the_way;
		mock_cpu_down(2);
		hooks.migrating = NULL;
		EXPECT(enabled(), 1);
		pass(3);
		EXPECT_COUNT(ev[0], 3, 6 * rate_of(p->config));
		/* Its counter is free again. */
		for (i = 1; i < box->counters; i++)
			ev[i] = open_on(p->config, 0, NULL);
		for (i = 1; i < box->counters; i++)
			mock_close(ev[i]);
		/* Likewise for an event that is disabled */
		mock_cpu_up(2);
		/* The socket keeps its CPU when the first one comes back. */
		expect_file(pmu_of(box->name), "", "cpumask", "0,3\n");
		ev[1] = open_on(p->other, 0, NULL);
		steps = 0;
		hooks.migrating = disable_on_the_way;
		mock_cpu_down(3);
		hooks.migrating = NULL;
		EXPECT(enabled(), 1);
		mock_close(ev[0]);
		mock_timers();
		mock_cpu_up(3);
		mock_cpu_down(2);
		CHECK(!mock_timer_on(2) && mock_timer_on(3));
		mock_close(ev[1]);
		end();
	}
	result("an event that is closed while it migrates leaves its counter");
}

/* All CPUs of a socket go offline and online. */
static void test_cpus(void)
{
	const struct plain *p;
	unsigned int i;

	for_each_plain(p) {
		begin(1, p->box);
		ev[0] = open_event(p->box, 2, p->config, 0, 0, NULL);
		check_inside();
		mock_close(ev[0]);
		/*
		 * Opened on any CPU of the socket, an event counts on the owner, and any CPU reads
		 * it.
		 */
		ev[0] = open_event(p->box, 3, p->config, 0, 0, NULL);
		EXPECT(ev[0]->cpu, 2);
		CHECK(ev[0]->event_caps & PERF_EV_CAP_READ_ACTIVE_PKG);
		mock_sched_in(ev[0]);
		pass(3);
		mock_cpu_down(2);
		CHECK(ev[0]->cpu == 3 && ev[0]->on);
		/* The socket of an offline CPU may be any. */
		EXPECT_REFUSED(open_event(p->box, 2, p->config, 0, 0, NULL), -ENODEV,
			       "CPU 2 is not online");
		pass(3);
		EXPECT_COUNT(ev[0], 3, 6 * rate_of(p->config));
		CHECK(mock_timer_on(3));
		expect_log("snbep", false);
		/* Counters are in use: nothing is probed again. */
		for (i = 0; i < NR_BOXES; i++)
			machine_tally(&hw[1][i]);
		mock_cpu_stays(3, NULL);
		for (i = 0; i < NR_BOXES; i++)
			EXPECT(hw[1][i].writes, 0);
		/* The line is true of a CPU that stays online, too. */
		expect_log(of_socket("socket %d: events end when CPU 3, its last one, goes offline"), true);
		log_clear();
		pass(3);
		EXPECT_COUNT(ev[0], 3, 9 * rate_of(p->config));
		mock_cpu_down(3);
		expect_log(of_socket("snbep_uncore: socket %d: events end when CPU 3, its last one, goes offline"), true);
		log_clear();
		expect_file(pmu_of(p->box), "", "cpumask", "0\n");
		CHECK(!snbep_sockets[box_package()].timer.set);
		EXPECT_REFUSED(open_event(p->box, 3, p->config, 0, 0, NULL), -ENODEV,
			       "CPU 3 is not online");
		/* Nor on a CPU that is online before the driver's callback ran */
		mock_online |= BIT(3);
		EXPECT_REFUSED(open_event(p->box, 3, p->config, 0, 0, NULL), -ENODEV,
			       "CPU 3 is not online");
		mock_online &= ~BIT(3);
		mock_close(ev[0]);
		mock_cpu_up(3);
		mock_cpu_down(3);
		expect_log(of_socket("socket %d"), false);
		mock_cpu_up(2);
		expect_file(pmu_of(p->box), "", "cpumask", "0,2\n");
		mock_cpu_up(3);
		ev[0] = open_on(p->config, 0, NULL);
		check_inside();
		mock_close(ev[0]);
		mock_cpu_down(2);
		ev[0] = open_on(p->config, 0, NULL);
		EXPECT(ev[0]->cpu, 3);
		pass(3);
		EXPECT_COUNT(ev[0], 3, 3 * rate_of(p->config));
		mock_cpu_up(2);
		check_inside();
		/* The event stays on the owner. */
		EXPECT(ev[0]->cpu, 3);
		mock_close(ev[0]);
		end();
		mock_online = 15;
	}
	result("events go along with CPUs, up to the last one");
}

/* Only open events make hotplug wait for a grace period. */
static void test_waits(void)
{
	unsigned int i;

	begin(1, "ha");
	for (i = 0; i < 3; i++) {
		mock_migrations = 0;
		ev[0] = i ? try_open(0x00, 0, NULL) : NULL;
		if (i == 2)
			mock_close(ev[0]);
		mock_cpu_down(2 + i % 2);
		EXPECT(mock_migrations, i == 1);
		if (i == 1) {
			EXPECT(ev[0]->cpu, 2);
			mock_close(ev[0]);
		}
		mock_cpu_up(2 + i % 2);
	}
	end();
	result("a CPU that goes waits a grace period if an event is open");
}

static void lose_filter_function(void)
{
	mock_reset();
	machine_function(0, 8, 6)->there = false;
	box = machine_box(0, "qpi_0");
	EXPECT(load(), 0);
	ev[0] = open_on(0x14, 0, NULL);
	mock_online = BIT(0);
	mock_suspend();
	machine.ecam_lost = true;
	mock_resume();
	mock_online = 15;
	expect_log("snbep_uncore_qpi_0: socket 0 no longer responds", true);
	mock_close(ev[0]);
	end();
}

static void lose_and_unload(void)
{
	begin(0, "imc_0");
	ev[0] = open_on(0x304, 0, NULL);
	machine_unbind(box->pdev);
	mock_close(ev[0]);
	mock_online = BIT(0);
	mock_suspend();
	mock_resume();
	mock_online = 15;
	mock_interrupts();
	expect_log(of_socket("socket %d no longer responds"), true);
	/* Only a function can answer at a resume. */
	EXPECT_REFUSED(try_open(0x304, 0, NULL), -ENODEV, "does not respond");
	end();
}

/* Suspend, after which the firmware does not restore memory-mapped configuration space */
static void test_lost(void)
{
	u64 n;

	begin(0, "qpi_0");
	ev[0] = open_on(0x14, 0, NULL);
	pass(2);
	mock_online = BIT(0);
	mock_suspend();
	n = count_of(ev[0]);
	machine_scramble(box);
	machine.ecam_lost = true;
	mock_resume();
	mock_online = 15;
	expect_log(of_socket("socket %d no longer responds"), true);
	pass(3);
	EXPECT(n, 2 * rate_of(0x14));
	EXPECT_COUNT(ev[0], 0, n);
	EXPECT_REFUSED(try_open(0x14, 0, NULL), -ENODEV, "does not respond");
	/* Configuration space is back after the driver's resume, which alone looks. */
	machine.ecam_lost = false;
	machine_tally(box);
	pass(3);
	mock_timers();
	EXPECT_COUNT(ev[0], 0, n);
	mock_sched_out(ev[0]);
	mock_sched_in(ev[0]);
	EXPECT(box->reads + box->writes, 0);
	EXPECT(count_of(ev[0]), n);
	EXPECT_REFUSED(open_event("imc_0", 0, 0x304, 0, 0, NULL), -ENODEV, "does not respond");
	ev[1] = open_event("ubox", 0, 0x44, 0, 0, NULL);
	CHECK(ev[1] && mock_sched_in(ev[1]));
	mock_close(ev[1]);
	/* Its mapping stays until its function goes: no other one takes its place. */
	box->pdev->bound = false;
	machine_bind(box->pdev);
	EXPECT(machine.probed, -EBUSY);
	box->pdev->bound = true;
	EXPECT_COUNT(ev[0], 0, n);
	log_clear();
	mock_online = BIT(0);
	mock_suspend();
	machine_scramble(box);
	mock_resume();
	mock_online = 15;
	expect_log("snbep", false);
	expect_file(pmu_of("qpi_0"), "", "cpumask", "0,2\n");
	pass(3);
	EXPECT_COUNT(ev[0], 0, n + 3 * rate_of(0x14));
	ev[1] = open_on(0x14, 0, NULL);
	mock_close(ev[1]);
	mock_close(ev[0]);
	end();
	/* The same where the BIOS hides the port's filter function. */
	lose_filter_function();
	/* The driver is unloaded with such a box. */
	lose_and_unload();
	result("a box that suspend takes away stops counting until a resume brings it back");
}

/* CPU 0 is offline when the driver loads, and goes offline last. */
static void test_cpu0(void)
{
	const struct plain *p;

	for_each_plain(p) {
		u64 rate;

		mock_reset();
		mock_online = 14;
		mock_cpu = 1;
		box = machine_box(0, p->box);
		EXPECT(load(), 0);
		log_clear();
		rate = rate_of(p->config);
		expect_file(pmu_of(p->box), "", "cpumask", "1,2\n");
		EXPECT_REFUSED(open_event(p->box, 0, p->config, 0, 0, NULL), -ENODEV,
			       "CPU 0 is not online");
		ev[0] = open_on(p->config, 0, NULL);
		EXPECT(ev[0]->cpu, 1);
		pass(3);
		mock_cpu_up(0);
		EXPECT(ev[0]->cpu, 1);
		mock_cpu_down(1);
		CHECK(ev[0]->cpu == 0 && ev[0]->on && mock_timer_on(0) && !mock_timer_on(1));
		expect_file(pmu_of(p->box), "", "cpumask", "0,2\n");
		pass(3);
		EXPECT_COUNT(ev[0], 0, 6 * rate);
		/* Suspend runs on the first CPU, which is the other socket's now. */
		mock_cpu_down(0);
		expect_log("socket 0: events end when CPU 0, its last one, goes offline", true);
		expect_file(pmu_of(p->box), "", "cpumask", "2\n");
		machine_tally(box);
		mock_online = BIT(2);
		mock_suspend();
		mock_resume();
		mock_online = 12;
		EXPECT(box->reads + box->writes, 0);
		mock_close(ev[0]);
		mock_cpu_up(1);
		ev[0] = open_on(p->config, 0, NULL);
		pass(3);
		EXPECT_COUNT(ev[0], 1, 3 * rate);
		mock_close(ev[0]);
		end();
	}
	result("CPU 0 may be offline");
}

/* The other CPUs of the socket read while the removal waits for them. */
static unsigned int waits;

static void read_elsewhere(void)
{
	unsigned int back = mock_cpu;

	waits++;
	machine_tally(box);
	mock_read(ev[0], 2);
	mock_read(ev[0], 3);
	EXPECT(box->reads + box->writes, 0);
	CHECK(box->pdev->maps);
	mock_cpu = back;
}

static void remove_box(void)
{
	hooks.grace = read_elsewhere;
	waits = 0;
	machine_unbind(box->pdev);
	EXPECT(waits, 1);
	hooks.grace = NULL;
	box->pdev->there = false;
	EXPECT(box->pdev->maps + box->pdev->refs, 0);
	mock_interrupts();
	expect_log(of_socket("socket %d no longer responds; its events keep their counts until it is back"), true);
	log_clear();
}

static void return_box(void)
{
	machine_scramble(box);
	box->pdev->there = true;
	machine_bind(box->pdev);
	EXPECT(machine.probed, 0);
	mock_interrupts();
	expect_log("snbep", false);
}

/*
 * A removed box has no CPU, and its events keep their counts. After a rescan, they count on, and so
 * do new ones.
 */
static void test_removed(void)
{
	const struct plain *p;
	unsigned int alone;

	for_each_plain(p) {
		for (alone = 0; machine_box(1, p->box)->pdev && alone < 2; alone++) {
			begin(1, p->box);
			ev[0] = open_on(p->config, 0, NULL);
			ev[1] = open_on(p->other, 0, NULL);
			ev[2] = open_event(p->box, 0, p->config, 0, 0, NULL);
			mock_sched_in(ev[2]);
			/* A disabled event */
			ev[3] = try_open(p->config, 0, NULL);
			/* Each CPU may own a socket. */
			if (alone) {
				mock_cpu_down(1);
				mock_cpu_down(3);
			}
			pass(3);
			remove_box();
			CHECK(ev[0]->on && ev[1]->on && !ev[3]->on);
			CHECK(ev[0]->cpu == 2 && ev[1]->cpu == 2 && ev[2]->cpu == 0 && ev[2]->on);
			expect_file(pmu_of(p->box), "", "cpumask", "0\n");
			EXPECT_REFUSED(open_event(p->box, 2, p->config, 0, 0, NULL), -ENODEV,
				       of_socket("socket %d has no such box, or it does not respond"));
			if (!alone) {
				mock_cpu_down(2);
				EXPECT(ev[0]->cpu, 3);
			}
			mock_sched_out(ev[0]);
			CHECK(mock_sched_in(ev[0]));
			mock_timers();
			EXPECT_COUNT(ev[0], 3, 3 * rate_of(p->config));
			/* The last count is read as the function goes. */
			EXPECT(count_of(ev[1]), 3 * rate_of(p->other));
			mock_close(ev[1]);
			return_box();
			CHECK(!ev[3]->on);
			expect_file(pmu_of(p->box), "", "cpumask", alone ? "0,2\n" : "0,3\n");
			CHECK(mock_sched_in(ev[0]));
			ev[1] = open_on(p->other, 0, NULL);
			pass(5);
			EXPECT_COUNT(ev[0], 3, 8 * rate_of(p->config));
			EXPECT_COUNT(ev[1], 3, 5 * rate_of(p->other));
			/* And once more, with nothing scheduled and no CPU in the socket */
			mock_sched_out(ev[0]);
			mock_close(ev[1]);
			mock_cpu_down(2 + !alone);
			log_clear();
			remove_box();
			return_box();
			mock_cpu_up(2);
			expect_file(pmu_of(p->box), "", "cpumask", "0,2\n");
			ev[1] = open_on(p->other, 0, NULL);
			pass(5);
			EXPECT_COUNT(ev[1], 2, 5 * rate_of(p->other));
			mock_close(ev[1]);
			mock_close(ev[2]);
			mock_close(ev[3]);
			/* Gone as the driver goes */
			remove_box();
			mock_close(ev[0]);
			end();
			mock_online = 15;
		}
	}
	result("a removed box stops counting, and counts on after a rescan");
}

/* The box comes back, but the function with its filters does not. */
static void test_removed_filters(void)
{
	u64 n;

	begin(1, "qpi_0");
	ev[0] = open_event("qpi_0", 2, 0x200038, 0x000a000580020108, 0x000f000f8003fff8, NULL);
	ev[1] = open_on(0x14, 0, NULL);
	CHECK(ev[0] && mock_sched_in(ev[0]));
	pass(1);
	remove_box();
	n = count_of(ev[0]);
	box->filter_pdev->there = false;
	return_box();
	EXPECT(box->filter_pdev->maps, 0);
	CHECK(ev[0]->on && ev[1]->on);
	EXPECT(enabled(), 1);
	pass(2);
	EXPECT_COUNT(ev[0], 2, n);
	EXPECT_COUNT(ev[1], 2, 3 * rate_of(0x14));
	remove_box();
	box->filter_pdev->there = true;
	return_box();
	EXPECT(enabled(), 2);
	mock_close(ev[0]);
	mock_close(ev[1]);
	end();
	result("an event with a packet filter waits for the filter's function");
}

/*
 * While events of one box migrate, those of another are still on the old CPU. They count there, and
 * so do new ones on the next CPU, also of the same box.
 */
static unsigned int turns;

static void open_on_the_way(void)
{
	unsigned int back = mock_cpu, i;

	if (turns++)
		return;
	mock_sched_out(ev[1]);
	CHECK(mock_sched_in(ev[1]));
	for (i = 2; i < 4; i++) {
		ev[i] = open_event(i == 2 ? "qpi_0" : "ubox", 3, i == 2 ? 0x14 : 0x44, 0, 0, NULL);
		EXPECT(ev[i]->cpu, 3);
		CHECK(mock_sched_in(ev[i]));
	}
	/* A member of a group goes where its leader is. */
	ev[4] = open_event("qpi_0", 3, 0x14, 0, 0, ev[0]);
	EXPECT(ev[4]->cpu, 2);
	pass(2);
	mock_cpu = back;
}

static void test_opened_on_the_way(void)
{
	unsigned int i;

	begin(1, "ubox");
	ev[0] = open_event("qpi_0", 2, 0x14, 0, 0, NULL);
	mock_sched_in(ev[0]);
	ev[1] = open_on(0x44, 0, NULL);
	pass(1);
	turns = 0;
	hooks.migrating = open_on_the_way;
	mock_cpu_down(2);
	hooks.migrating = NULL;
	CHECK(turns);
	pass(4);
	EXPECT_COUNT(ev[1], 3, 7 * rate_of(0x44));
	EXPECT_COUNT(ev[3], 3, 6 * rate_of(0x44));
	for (i = 0; i < 5; i++)
		CHECK(ev[i]->cpu == 3 && ev[i]->on);
	for (i = 4; i--;)
		mock_close(ev[i]);
	mock_cpu_up(2);
	end();
	result("an event that is opened while boxes get another CPU counts");
}

/* A CPU goes offline between event_init() and the rest of perf_event_open(). */
static struct perf_event *opening;

static void install(void)
{
	unsigned int back = mock_cpu;
	int err;

	if (turns++ == 2 && opening)
		opening = mock_install(opening, &err);
	mock_cpu = back;
}

static void test_overtaken(void)
{
	struct perf_event_attr attr = { .size = sizeof(attr) };
	const struct plain *p;
	unsigned int last;
	int err;

	for_each_plain(p) {
		for (last = 0; last < 2; last++) {
			begin(1, p->box);
			attr.config = p->config;
			if (last)
				mock_cpu_down(3);
			opening = mock_alloc(pmu_of(p->box), &attr, 2, NULL, &err);
			CHECK(opening);
			turns = 0;
			hooks.sleeping = install;
			mock_cpu_down(2);
			hooks.sleeping = NULL;
			EXPECT(turns, 3);
			if (last) {
				CHECK(!opening->on);
				expect_log(of_socket("socket %d: events end when CPU 2"), true);
				log_clear();
				mock_cpu_up(3);
			} else {
				EXPECT(opening->cpu, 3);
				CHECK(opening->on || mock_sched_in(opening));
			}
			mock_close(opening);
			mock_cpu_up(2);
			end();
			mock_online = 15;
		}
	}
	/* The opener does not get to run before the CPU is back. */
	begin(1, "ha");
	attr.config = 0;
	opening = mock_alloc(pmu_of("ha"), &attr, 2, NULL, &err);
	mock_cpu_down(2);
	mock_cpu_up(2);
	EXPECT(opening->cpu, 2);
	CHECK(mock_install(opening, &err) && mock_sched_in(opening));
	pass(3);
	EXPECT_COUNT(opening, 3, 3 * rate_of(0));
	expect_file(pmu_of("ha"), "", "cpumask", "0,3\n");
	mock_cpu_down(2);
	EXPECT(opening->cpu, 3);
	pass(3);
	EXPECT_COUNT(opening, 3, 6 * rate_of(0));
	mock_close(opening);
	mock_cpu_up(2);
	end();
	result("an event whose CPU goes offline while it is opened moves to the next one");
}

/* A group whose leader is a software event */
static void test_leader_elsewhere(void)
{
	begin(1, "ha");
	ev[0] = open_software(NULL);
	ev[0]->cpu = 3;
	EXPECT_REFUSED(try_open(0, 0, ev[0]), -EINVAL,
		       of_socket("its group is on CPU 3, but CPU 2 counts for socket %d: open the whole group there"));
	ev[0]->cpu = 2;
	ev[1] = try_open(0, 0, ev[0]);
	CHECK(ev[1] && mock_sched_in(ev[0]));
	mock_close(ev[1]);
	mock_close(ev[0]);
	end();
	result("a group on a CPU that does not count for the socket is refused with the one that does");
}

void test_hotplug(void)
{
	test_cpus();
	test_closed();
	test_opened_on_the_way();
	test_overtaken();
	test_leader_elsewhere();
	test_waits();
	test_lost();
	test_cpu0();
	test_removed();
	test_removed_filters();
}
