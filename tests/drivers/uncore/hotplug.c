// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPU hotplug, isolated CPUs, removal of PCI functions and loss of memory-mapped configuration
 * space while events count
 */
#include "snbep_uncore.h"
#include "tests.h"

static struct perf_event *ev[8];

static void check_inside(void)
{
	EXPECT(ev[0]->cpu, snbep_sockets[box_package()].cpu);
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
		CHECK(mock_timer_on(3) && !mock_timer_on(2));
		expect_log("snbep", false);
		/* Counters are in use: nothing is probed again. */
		for (i = 0; i < NR_BOXES; i++)
			machine_tally(&hw[1][i]);
		mock_cpu_stays(3, NULL);
		for (i = 0; i < NR_BOXES; i++)
			EXPECT(hw[1][i].writes, 0);
		CHECK(mock_timer_on(3));
		pass(3);
		EXPECT_COUNT(ev[0], 3, 9 * rate_of(p->config));
		mock_cpu_down(3);
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

/* Load with isolated CPUs; the CPUs that count are as cpumask shows. */
static void isolate(unsigned long domain, unsigned long timer, const char *cpumask)
{
	begin(1, "ha");
	unload();
	mock_isolated[HK_TYPE_DOMAIN] = domain;
	mock_isolated[HK_TYPE_TIMER] = timer;
	EXPECT(load(), 0);
	expect_file(pmu_of("ha"), "", "cpumask", cpumask);
}

static void test_isolated(void)
{
	static const struct {
		unsigned long domain, timer;
		const char *cpumask;
	} uses[] = {
		{ 0, 0, "0,2\n" }, { BIT(0), 0, "1,2\n" }, { BIT(0), BIT(2), "1,3\n" },
		/* Each of its CPUs is isolated in one way or the other. */
		{ BIT(0), BIT(1), "0,2\n" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		isolate(uses[i].domain, uses[i].timer, uses[i].cpumask);
		end();
	}
	isolate(BIT(2), 0, "0,3\n");
	ev[0] = open_on(0x00, 0, NULL);
	pass(2);
	/* Only an isolated CPU is left, until the other one is back. */
	mock_cpu_down(3);
	CHECK(ev[0]->cpu == 2 && mock_timer_on(2));
	pass(2);
	mock_cpu_up(3);
	CHECK(ev[0]->cpu == 3 && mock_timer_on(3) && !mock_timer_on(2));
	pass(2);
	EXPECT_COUNT(ev[0], 3, 6 * rate_of(0x00));
	mock_cpu_down(2);
	EXPECT(ev[0]->cpu, 3);
	mock_cpu_up(2);
	EXPECT(ev[0]->cpu, 3);
	mock_close(ev[0]);
	end();
	result("isolated CPUs are left alone where the socket has another one");
}

/* An event that perf installs on a CPU which no longer counts starts the other one's timer. */
static struct perf_event *opening;

static void install_late(unsigned int cpu)
{
	int err;

	opening = mock_install(opening, &err);
	CHECK(opening && mock_sched_in(opening) && !mock_timer_on(cpu) && mock_timer_on(cpu ^ 1));
}

static void test_late_install(void)
{
	struct perf_event_attr attr = { .config = 0x44, .size = sizeof(attr) };
	int err;

	begin(1, "ubox");
	opening = mock_alloc(pmu_of("ubox"), &attr, 2, NULL, &err);
	mock_cpu_stays(2, install_late);
	EXPECT(snbep_sockets[box_package()].cpu, 3);
	mock_close(opening);
	end();

	/* An isolated CPU hands over, and stays online. */
	isolate(BIT(2), 0, "0,3\n");
	mock_cpu_down(3);
	opening = mock_alloc(pmu_of("ubox"), &attr, 2, NULL, &err);
	mock_cpu_up(3);
	install_late(2);
	mock_close(opening);
	end();
	result("an event that is installed late starts the hrtimer of the CPU that counts");
}

/* A timer reads the counters of the socket, runs only with an event, and goes with no CPU. */
static void test_timer(void)
{
	begin(1, "ha");
	ev[0] = try_open(0x0e, 0, NULL);
	CHECK(!mock_timer_on(2));
	mock_sched_in(ev[0]);
	CHECK(mock_timer_on(2) && !mock_timer_on(0));
	machine_tally(box);
	mock_timers();
	CHECK(box->reads && mock_timer_on(2));
	mock_close(ev[0]);
	mock_timers();
	CHECK(!mock_timer_on(2));
	mock_cpu_down(2);
	CHECK(!mock_timer_on(3));
	mock_cpu_up(2);
	end();
	result("the hrtimer of a socket runs while a counter is in use");
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
	pass(3);
	EXPECT(n, 2 * rate_of(0x14));
	EXPECT_COUNT(ev[0], 0, n);
	EXPECT_REFUSED(try_open(0x14, 0, NULL), -ENODEV, "does not respond");
	machine.ecam_lost = false;
	machine_tally(box);
	pass(3);
	mock_timers();
	EXPECT_COUNT(ev[0], 0, n);
	mock_sched_out(ev[0]);
	CHECK(mock_sched_in(ev[0]));
	EXPECT(box->reads + box->writes, 0);
	EXPECT(count_of(ev[0]), n);
	EXPECT_REFUSED(open_event("imc_0", 0, 0x304, 0, 0, NULL), -ENODEV, "does not respond");
	ev[1] = open_event("ubox", 0, 0x44, 0, 0, NULL);
	CHECK(ev[1] && mock_sched_in(ev[1]));
	mock_close(ev[1]);
	mock_close(ev[0]);
	end();
	result("a box that suspend takes away stops counting");
}

/*
 * A user removes the function and finds it again: its registers are where they were. Then the
 * hardware goes, and comes back as after a reset.
 */
static void test_removed(void)
{
	const struct plain *p;

	for_each_plain(p) {
		u64 n;

		if (!machine_box(1, p->box)->pdev)
			continue;
		begin(1, p->box);
		ev[0] = open_on(p->config, 0, NULL);
		pass(3);
		machine_unbind(box->pdev);
		pass(3);
		EXPECT_COUNT(ev[0], 2, 6 * rate_of(p->config));
		ev[1] = open_on(p->other, 0, NULL);
		machine_bind(box->pdev);
		EXPECT(machine.probed, 0);
		CHECK(box->pdev->bound);
		expect_log("snbep", false);
		pass(3);
		EXPECT_COUNT(ev[0], 3, 9 * rate_of(p->config));
		EXPECT_COUNT(ev[1], 3, 3 * rate_of(p->other));
		mock_close(ev[1]);

		box->pdev->there = false;
		n = count_of(ev[0]);
		EXPECT_COUNT(ev[0], 2, n);
		expect_file(pmu_of(p->box), "", "cpumask", "0\n");
		EXPECT_REFUSED(try_open(p->config, 0, NULL), -ENODEV,
			       of_socket("socket %d has no such box, or it does not respond"));
		machine_unbind(box->pdev);
		box->pdev->there = true;
		machine_poke(box, used_ctr(), 0);
		machine_bind(box->pdev);
		mock_timers();
		mock_sched_out(ev[0]);
		CHECK(mock_sched_in(ev[0]));
		EXPECT_COUNT(ev[0], 3, n);
		EXPECT_REFUSED(try_open(p->config, 0, NULL), -ENODEV, "does not respond");
		mock_close(ev[0]);
		end();
		/* It counts again after a reload. */
		EXPECT(load(), 0);
		ev[0] = open_on(p->config, 0, NULL);
		pass(2);
		EXPECT_COUNT(ev[0], 2, 2 * rate_of(p->config));
		mock_close(ev[0]);
		/* The hardware goes before an event starts. */
		ev[0] = try_open(p->config, 0, NULL);
		box->pdev->there = false;
		CHECK(mock_sched_in(ev[0]));
		box->pdev->there = true;
		pass(2);
		EXPECT_COUNT(ev[0], 2, 0);
		EXPECT_REFUSED(try_open(p->config, 0, NULL), -ENODEV, "does not respond");
		mock_close(ev[0]);
		end();
	}
	result("a function that is removed and found again counts on, and one that was lost does not");
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
	test_isolated();
	test_late_install();
	test_timer();
	test_leader_elsewhere();
	test_lost();
	test_removed();
}
