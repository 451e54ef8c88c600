// SPDX-License-Identifier: GPL-2.0-only
/*
 * What one box alone does not show: several boxes, sockets or readers at a time,
 * sockets of other numbers, and what the module says of itself to the kernel.
 */
#include "tests.h"

static struct perf_event *ev[4];

static void load(void)
{
	if (wrong(mock_init()))
		fault("the driver does not load");
	mock_interrupts();
}

static void unload(void)
{
	mock_cpu = mock_first(mock_online);
	mock_exit();
	mock_check_left();
}

/* A file of a PMU, or "" */
static void expect_text(const char *name, const char *group, const char *file,
			const char *want)
{
	struct pmu *pmu = mock_pmu(name);
	const char *got = pmu ? mock_file(pmu, group, file) : NULL;

	if (wrong(strcmp(got ?: "", want)))
		fault("%s/%s/%s is %s, not %s", name, group, file, got, want);
}

/*
 * While events of one box leave a CPU, those of another are still on it. One that is
 * taken off there does not come back, but counts on the next CPU.
 */
static unsigned int turns;

static void take_turns(void)
{
	unsigned int back = mock_cpu;

	if (!turns++) {
		mock_sched_out(ev[1]);
		if (wrong(mock_sched_in(ev[1])))
			fault("CPU 2 starts an event after it has handed over");
	}
	mock_cpu = back;
}

static void test_leaving(void)
{
	begin(1, "ubox");
	ev[0] = open_event("snbep_uncore_qpi_0", 2, 0x14, 0, 0, NULL);
	mock_sched_in(ev[0]);
	ev[1] = open_on(0x44, 0, NULL);
	turns = 0;
	hooks.migrating = take_turns;
	mock_cpu_down(2);
	hooks.migrating = NULL;
	if (wrong(!turns || ev[0]->cpu != 3 || ev[1]->cpu != 3 || !ev[0]->on ||
		  !mock_sched_in(ev[1])))
		fault("events have not migrated");
	if (wrong(mock_timer_on(2)))
		fault("the timer is set on a CPU that goes");
	if (wrong(!mock_timer_on(3)))
		fault("nobody reads the counters");
	mock_close(ev[0]);
	mock_close(ev[1]);
	mock_cpu_up(2);
	end();
	/* Nobody else writes what the CPU that counts has not enabled yet. */
	begin(0, "cbox_0");
	ev[0] = try_open(0x113, 0, NULL);
	mock_disable(ev[0]->pmu, 0);
	mock_sched_in(ev[0]);
	machine_tally(box);
	mock_disable(ev[0]->pmu, 1);
	mock_enable(ev[0]->pmu, 1);
	if (wrong(box->writes))
		fault("CPU 1 has written %u registers", box->writes);
	mock_enable(ev[0]->pmu, 0);
	if (wrong(!box->writes))
		fault("CPU 0 has written nothing");
	mock_close(ev[0]);
	end();
	result("a box is changed by one CPU at a time");
}

/* Sockets whose numbers are not 0 and 1 */
static void test_numbers(void)
{
	unsigned int i;

	mock_reset();
	for (i = 0; i < MOCK_CPUS; i++)
		mock_package[i] = 2 + i / 2;
	for (i = 0; i < NR_SOCKETS; i++)
		machine.node_map[i] = 1 | 2 << 3 | 3 << 6 | 6 << 9;
	machine_function(1, 9, 2)->there = false;
	load();
	expect_text("snbep_uncore_qpi_0", "rate", "socket2", "6400\n");
	expect_text("snbep_uncore_qpi_0", "rate", "socket3", "7200\n");
	expect_text("snbep_uncore_qpi_0", "rate", "socket0", "");
	expect_text("snbep_uncore_qpi_1", "rate", "socket2", "8000\n");
	expect_text("snbep_uncore_qpi_1", "rate", "socket3", "error 19");
	expect_text("snbep_uncore_cbox_3", "", "cpumask", "0,2\n");
	ev[0] = open_event("snbep_uncore_imc_1", 3, 0x304, 0, 0, NULL);
	if (wrong(!ev[0] || ev[0]->cpu != 2 || !mock_sched_in(ev[0])))
		fault("an event in socket 3: error %d", open_errno);
	if (ev[0])
		mock_close(ev[0]);
	unload();

	/* The firmware's tables have a node 0. */
	mock_reset();
	machine_function(0, 11, 0)->there = false;
	machine_function(0, 11, 0)->bus->node = 0;
	load();
	expect_text("snbep_uncore_ha", "", "cpumask", "0,2\n");
	unload();

	/*
	 * No CPU of the package is there yet, and its node is the 0 that the entries
	 * of packages hold which never are there: those come behind it.
	 */
	mock_reset();
	mock_online = 3;
	machine.node[1] = 0;
	machine.node_map[0] = 3;
	machine.node_map[1] = 3;
	load();
	mock_cpu_up(2);
	expect_text("snbep_uncore_ha", "", "cpumask", "0,2\n");
	mock_cpu_up(3);
	unload();

	/* The same of package 0 */
	mock_reset();
	mock_online = 12;
	machine.node[0] = 0;
	machine.node_map[0] = 6 << 3;
	machine.node_map[1] = 6 << 3;
	load();
	mock_cpu_up(0);
	expect_text("snbep_uncore_ha", "", "cpumask", "0,2\n");
	mock_cpu_up(1);
	unload();
	result("sockets have the numbers of their packages");
}

/* Nothing of a socket is there: the line has room for all names. */
static void test_nothing(void)
{
	unsigned int i;

	mock_reset();
	for (i = 0; i < NR_BOXES; i++) {
		hw[1][i].absent = true;
		if (hw[1][i].pdev)
			hw[1][i].pdev->there = false;
	}
	load();
	expect_log("socket 1: absent or hidden by the BIOS: cbox_0 cbox_1 cbox_2 cbox_3 cbox_4 cbox_5 cbox_6 cbox_7 ha imc_0 imc_1 imc_2 imc_3 pcu qpi_0 qpi_1 r2pcie r3qpi_0 r3qpi_1 ubox; the BIOS",
		   true);
	unload();
	result("all boxes that a socket lacks are named");
}

/* Without memory-mapped configuration space there are no PCI boxes, and a line says so. */
static void test_nommconf(void)
{
	unsigned int i;

	for (i = 0; i < 3; i++) {
		mock_reset();
		machine.nommconf = i == 0;
		machine.no_ecam = i == 1;
		/* What is mapped is none of it. */
		machine.ecam_lost = i == 2;
		load();
		if (wrong(mock_pmu("snbep_uncore_ha") || !mock_pmu("snbep_uncore_pcu") ||
			  mock_nr_pmus() != 10))
			fault("%u PMUs", mock_nr_pmus());
		expect_log("PCI boxes ignored: they need memory-mapped configuration space (MMCONFIG): boot without pci=nommconf",
			   true);
		unload();
	}
	mock_reset();
	machine.short_mcfg = true;
	load();
	if (wrong(mock_nr_pmus() != 20))
		fault("%u PMUs with a short table", mock_nr_pmus());
	unload();
	result("without memory-mapped configuration space PCI boxes are left out");
}

/* A function that cannot be mapped is left out; filters that cannot are refused. */
static void test_unmapped(void)
{
	struct perf_event_attr attr = {
		.config = 0x200038, .config1 = 0x000a000580020108,
		.config2 = 0x000f000f8003fff8,
	};
	int err;

	mock_reset();
	machine.no_room = machine_function(0, 8, 6);
	load();
	if (wrong(mock_open(mock_pmu("snbep_uncore_qpi_0"), &attr, 0, NULL, &err) ||
		  err != -EOPNOTSUPP))
		fault("a filter that is not mapped: error %d", err);
	expect_log("packet filters of socket 0 are not accessible", true);
	unload();

	mock_reset();
	machine.no_room = machine_function(1, 14, 1);
	load();
	expect_text("snbep_uncore_ha", "", "cpumask", "0\n");
	unload();
	result("a function that cannot be mapped is left out");
}

/*
 * Another reader has read the counter before this one began, and adds what it found
 * while this one is about to do so: this one still has all that was counted before.
 */
static u64 found;

static void add_what_was_found(void)
{
	atomic_long_t *prev = &ev[0]->hw.prev_count.a.a;
	u64 mask = BIT_ULL(box->kind->width) - 1;

	hooks.race = NULL;
	/* What is above the counter's width says where it is. */
	ev[0]->count.a.a.v += (found - prev->v) & mask;
	prev->v = (prev->v & ~mask) | (found & mask);
}

static void test_slow(void)
{
	const struct plain *p;
	unsigned int cpu;

	for_each_plain(p) {
		for (cpu = 0; cpu < 2; cpu++) {
			begin(0, p->box);
			ev[0] = open_on(p->config, 0, NULL);
			pass(3);
			found = box->ctr[used_ctr()];
			pass(2);
			hooks.race = add_what_was_found;
			mock_read(ev[0], cpu);
			if (wrong(hooks.race))
				fault("%s: nothing is added", box->name);
			if (wrong(count(ev[0]) != 5 * rate_of(p->config)))
				fault("%s: counted %llu, not %llu", box->name,
				      (unsigned long long)count(ev[0]),
				      (unsigned long long)(5 * rate_of(p->config)));
			mock_close(ev[0]);
			end();
		}
	}
	result("a read has all that was counted before, whoever else reads");
}

/*
 * While another reader has read the counter and not added yet, the event stops, and
 * starts on the same counter or on another one: nothing is added twice.
 */
static unsigned int moves;

static void move(void)
{
	unsigned int back = mock_cpu, off = mock_irqs_off;

	hooks.race = NULL;
	mock_irqs_off = 0;
	mock_sched_out(ev[0]);
	if (moves) {
		mock_close(ev[1]);
		ev[1] = open_on(0x0100041b, 0, NULL);
	}
	pass(2);
	mock_sched_in(ev[0]);
	mock_cpu = back;
	mock_irqs_off = off;
}

static void test_moved(void)
{
	static const char * const boxes[] = { "cbox_1", "ha" };
	unsigned int i;

	for (i = 0; i < 2 * ARRAY_SIZE(boxes); i++) {
		begin(0, boxes[i / 2]);
		moves = i % 2 && !(i / 2);
		ev[1] = moves ? open_on(0x113, 0, NULL) : NULL;
		ev[0] = open_on(0x00, 0, NULL);
		pass(3);
		hooks.race = move;
		mock_read(ev[0], 1);
		if (wrong(hooks.race))
			fault("%s: it has not moved", box->name);
		pass(4);
		mock_read(ev[0], 0);
		if (wrong(count(ev[0]) != 7 * rate_of(0x00)))
			fault("%s: counted %llu, not %llu", box->name,
			      (unsigned long long)count(ev[0]),
			      (unsigned long long)(7 * rate_of(0x00)));
		if (ev[1])
			mock_close(ev[1]);
		mock_close(ev[0]);
		end();
	}
	result("an event that moves while it is read counts nothing twice");
}

/* An event stops, and another has its counter, in the middle of a read. */
static void replace(void)
{
	unsigned int back = mock_cpu, off = mock_irqs_off;

	hooks.race = NULL;
	mock_irqs_off = 0;
	pass(1);
	mock_sched_out(ev[0]);
	ev[1] = open_on(0x00, 0, NULL);
	pass(4);
	mock_cpu = back;
	mock_irqs_off = off;
}

static void test_replaced(void)
{
	static const char * const boxes[] = { "cbox_1", "ha" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(boxes); i++) {
		begin(0, boxes[i]);
		ev[0] = open_on(0x00, 0, NULL);
		pass(3);
		hooks.race = replace;
		mock_read(ev[0], 1);
		if (wrong(hooks.race))
			fault("%s: it has not stopped", box->name);
		if (wrong(count(ev[0]) != 4 * rate_of(0x00)))
			fault("%s: counted %llu, not %llu", box->name,
			      (unsigned long long)count(ev[0]),
			      (unsigned long long)(4 * rate_of(0x00)));
		mock_close(ev[1]);
		mock_close(ev[0]);
		end();
	}
	result("an event that stops while it is read counts nothing of the next one");
}

/* What an event may be asked for on: a CPU that is offline is none of its socket's. */
static void test_place(void)
{
	begin(1, "ha");
	mock_cpu_down(3);
	if (wrong(open_event("snbep_uncore_ha", 3, 0x00, 0, 0, NULL) ||
		  open_errno != -ENODEV))
		fault("on a CPU that is offline: error %d", open_errno);
	expect_log("snbep_uncore_ha: CPU 3 is not online", true);
	mock_cpu_up(3);
	ev[0] = open_event("snbep_uncore_ha", 3, 0x00, 0, 0, NULL);
	if (wrong(!ev[0] || ev[0]->cpu != 2))
		fault("on a CPU that came back: error %d", open_errno);
	/* perf reads it on any CPU of the socket then, and interrupts none. */
	if (wrong(!(ev[0]->event_caps & PERF_EV_CAP_READ_ACTIVE_PKG)))
		fault("only one CPU can read it");
	mock_close(ev[0]);
	end();
	result("an event is for a CPU that is there, and read on any of its socket");
}

/* The end of a box is reported once, whoever finds out. */
static void test_once(void)
{
	begin(0, "imc_0");
	ev[0] = open_on(0x304, 0, NULL);
	machine_unbind(box->pdev);
	expect_log("socket 0 no longer responds", true);
	log_clear();
	box->pdev->there = false;
	mock_read(ev[0], 0);
	mock_timers();
	mock_close(ev[0]);
	expect_log("no longer responds", false);
	end();
	result("a box that has gone is reported once");
}

/* What the kernel makes of a PMU and of a parameter */
static void test_properties(void)
{
	static const struct {
		const struct kernel_param *param;
		int mode;
	} params[] = {
		/* The PMUs have their names from it once, as they are found. */
		{ &uncore_names_param, 0444 },
		/* These are looked at each time. */
		{ &unlisted_param, 0644 },
		{ &mock_param, 0644 },
	};
	const struct attribute_group **g;
	const struct plain *p;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(params); i++) {
		if (wrong(params[i].param->mode != params[i].mode))
			fault("%s has mode %o", params[i].param->name,
			      params[i].param->mode);
	}
	mock_reset();
	load();
	for_each_plain(p) {
		struct pmu *pmu;
		char name[32];

		snprintf(name, sizeof(name), "snbep_uncore_%s", p->box);
		pmu = mock_pmu(name);
		/* It stays while an event is open. */
		if (wrong(pmu->module != THIS_MODULE))
			fault("%s is of no module", name);
		if (wrong(pmu->task_ctx_nr != perf_invalid_context))
			fault("%s can count tasks", name);
		/* Then groups of a sampling leader would stop for good. */
		if (wrong(pmu->capabilities != PERF_PMU_CAP_NO_EXCLUDE))
			fault("%s has capabilities %#x", name,
			      pmu->capabilities);
		/* perf only reads the files. */
		for (g = pmu->attr_groups; *g; g++) {
			for (i = 0; (*g)->attrs[i]; i++) {
				if (wrong((*g)->attrs[i]->mode != 0444))
					fault("%s: %s has mode %o", name,
					      (*g)->attrs[i]->name,
					      (*g)->attrs[i]->mode);
			}
		}
	}
	unload();
	result("PMUs, their files and parameters may be used as they should");
}

void test_several(void)
{
	test_leaving();
	test_numbers();
	test_nothing();
	test_nommconf();
	test_unmapped();
	test_slow();
	test_moved();
	test_replaced();
	test_place();
	test_once();
	test_properties();
}
