// SPDX-License-Identifier: GPL-2.0-only
/*
 * What one box alone does not show: several boxes, sockets or readers at a time,
 * sockets of other numbers, and what the module says of itself to the kernel.
 */
#include "snbep/counters.h"
#include "snbep/pmus.h"
#include "tests.h"

static struct perf_event *ev[4];

static void load(void)
{
	if (mock_init())
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

	if (strcmp(got ?: "", want))
		fault("%s/%s/%s is %s, not %s", name, group, file, got, want);
}

/*
 * While events of one box leave a CPU, those of another are still on it, and take
 * turns. Nobody sets the timer there once more: it would go off on a CPU of another
 * socket when this one has gone.
 */
static unsigned int turns;

static void take_turns(void)
{
	unsigned int back = mock_cpu;

	if (!turns++) {
		mock_sched_out(ev[1]);
		mock_sched_in(ev[1]);
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
	if (!turns || ev[1]->cpu != 3 || !ev[1]->on)
		fault("events have not migrated");
	if (mock_timer_on(2))
		fault("the timer is set on a CPU that goes");
	if (!mock_timer_on(3))
		fault("nobody looks at the counters");
	mock_close(ev[0]);
	mock_close(ev[1]);
	mock_cpu_up(2);
	end();
	result("the timer of a socket is on the CPU that counts");
}

/* A socket without CPUs is before the one whose boxes are to be cleaned up. */
static void test_second(void)
{
	mock_reset();
	load();
	box = machine_box(1, "pcu");
	mock_close(open_on(0x0b, 20, NULL));
	if (!box->filter[0])
		fault("the filter was not used");
	mock_cpu_down(0);
	mock_cpu_down(1);
	unload();
	mock_online = 15;
	if (box->filter[0])
		fault("the filter is left as %#x", box->filter[0]);
	result("each socket that has a CPU is cleaned up");
}

/* A box that has gone is not written any more, not even to clean it up. */
static void test_gone(void)
{
	begin(0, "ha");
	mock_close(open_event("snbep_uncore_ha", 0, 0x320, 0x1000, 0x15, NULL));
	ev[0] = open_event("snbep_uncore_ha", 0, 0x320, 0x1000, 0x15, NULL);
	mock_sched_in(ev[0]);
	mock_close(ev[0]);
	machine_unbind(box->pdev);
	expect_log("socket 0 does not answer any more", true);
	machine_tally(box);
	end();
	if (box->reads || box->writes)
		fault("%u reads and %u writes of a box that has gone",
		      box->reads, box->writes);
	result("a box that has gone is not cleaned up");
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
	expect_text("snbep_uncore_qpi_1", "rate", "socket3", "");
	expect_text("snbep_uncore_cbox_3", "", "cpumask", "0,2\n");
	ev[0] = open_event("snbep_uncore_imc_1", 3, 0x304, 0, 0, NULL);
	if (!ev[0] || ev[0]->cpu != 2 || !mock_sched_in(ev[0]))
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
	expect_log("socket 1: not there or hidden by the BIOS: cbox_0 cbox_1 cbox_2 cbox_3 cbox_4 cbox_5 cbox_6 cbox_7 ha imc_0 imc_1 imc_2 imc_3 pcu qpi_0 qpi_1 r2pcie r3qpi_0 r3qpi_1 ubox; the BIOS",
		   true);
	unload();
	result("all boxes that a socket lacks are named");
}

/* With pci=nommconf the page is not mapped, although the firmware tells of it. */
static void test_nommconf(void)
{
	mock_reset();
	machine.nommconf = true;
	load();
	box = machine_box(0, "ha");
	if (box->pdev->maps || machine_function(0, 8, 6)->maps)
		fault("configuration space is mapped");
	last = 0;
	ev[0] = open_on(0x0e, 0, NULL);
	pass(3);
	expect_more(ev[0], 3 * rate_of(0x0e));
	mock_close(ev[0]);
	unload();
	result("configuration space is not mapped where the kernel does not");
}

/* A function that cannot be mapped is reached in another way, packet filters too. */
static void test_unmapped(void)
{
	struct perf_event_attr attr = {
		.config = 0x200038, .config1 = 0x000a000580020108,
		.config2 = 0x000f000f8003fff8,
	};
	int err;

	mock_reset();
	machine.no_room = machine_function(0, 8, 6);
	machine.ports = true;
	load();
	box = machine_box(0, "qpi_0");
	if (machine.no_room->maps)
		fault("the function is mapped");
	ev[0] = mock_open(mock_pmu("snbep_uncore_qpi_0"), &attr, 0, NULL, &err);
	if (!ev[0] || !mock_sched_in(ev[0]))
		fault("error %d", err);
	if (box->filter[0] != 0x80020108 || box->filter[1] != 0x000a0005)
		fault("filters %#x and %#x", box->filter[0], box->filter[1]);
	mock_close(ev[0]);
	unload();
	result("packet filters are written where they cannot be mapped");
}

/* Lines name the box and its socket, and not the CPU that found it out. */
static void test_lines(void)
{
	begin(1, "imc_2");
	ev[0] = open_on(0x304, 0, NULL);
	box->ctr[used_ctr()] -= 7;
	mock_read(ev[0], 2);
	expect_log("snbep_uncore_imc_2: socket 1: another program writes", true);
	mock_close(ev[0]);
	end();

	begin(1, "qpi_1");
	ev[0] = open_on(0x200038, 0, NULL);
	ev[1] = open_on(0x04, 0, NULL);
	mock_online = BIT(2);
	mock_suspend();
	machine.ecam_lost = true;
	machine.no_ecam = true;
	mock_resume();
	mock_online = 15;
	expect_log("snbep_uncore_qpi_1: socket 1: after the sleep its packet filters are out of reach",
		   true);
	/* What stands still since then is no other program's work. */
	mock_cycles += BIT_ULL(33);
	mock_timers();
	mock_read(ev[1], 2);
	mock_cycles += BIT_ULL(33);
	mock_sched_out(ev[1]);
	mock_sched_in(ev[1]);
	mock_sched_out(ev[0]);
	expect_log("another program", false);
	mock_close(ev[0]);
	mock_close(ev[1]);
	end();

	begin(1, "imc_0");
	ev[0] = open_on(0x304, 0, NULL);
	ev[0]->attr.sample_period = 1;
	ev[0]->attr.sample_type = PERF_SAMPLE_READ;
	ev[0]->attr.read_format = PERF_FORMAT_GROUP;
	mock_online = BIT(2);
	mock_suspend();
	machine.ecam_lost = true;
	mock_resume();
	mock_online = 15;
	expect_log("snbep_uncore_imc_0: socket 1: an event is not counted, as samples",
		   true);
	mock_close(ev[0]);
	end();
	result("lines name the socket");
}

/* Another reader is quicker: what it has counted is no leap for the slower one. */
static bool quick;

static void read_first(struct hw_box *b)
{
	if (b != box || quick)
		return;
	quick = true;
	mock_read(ev[0], 0);
	mock_cpu = 1;
}

static void test_quick(void)
{
	static const char * const boxes[] = { "cbox_1", "ha" };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(boxes); i++) {
		begin(0, boxes[i]);
		machine.tidy = true;
		ev[0] = open_on(0x00, 0, NULL);
		/* Too much to be believed without a look, unless time has passed */
		mock_cycles += BIT(26);
		box->ctr[used_ctr()] += BIT(25);
		quick = false;
		machine.access = read_first;
		mock_read(ev[0], 1);
		machine.access = NULL;
		if (!quick || count(ev[0]) != BIT(25))
			fault("%s: counted %llu", box->name,
			      (unsigned long long)count(ev[0]));
		expect_log(WARNING, false);
		mock_close(ev[0]);
		end();
	}
	result("a reader that was too slow does not take it for a leap");
}

/*
 * Another reader has read the counter before this one began, and adds what it found
 * while this one is about to do so: this one still has all that was counted before.
 */
static u64 found;

static void add_what_was_found(void)
{
	struct snbep_event *se = to_snbep_event(ev[0]);
	atomic_long_t *prev = snbep_event_prev(se);

	hooks.race = NULL;
	/* What is above the counter's width is noise. */
	ev[0]->count.a.a.v += ((found - prev->v) << se->shift) >> se->shift;
	prev->v = found;
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
			if (hooks.race)
				fault("%s: nothing is added", box->name);
			if (count(ev[0]) != 5 * rate_of(p->config))
				fault("%s: counted %llu, not %llu", box->name,
				      (unsigned long long)count(ev[0]),
				      (unsigned long long)(5 * rate_of(p->config)));
			mock_close(ev[0]);
			end();
		}
	}
	result("a read has all that was counted before, whoever else reads");
}

/* Only another program makes reads look more often, and no other news. */
static void test_news(void)
{
	struct perf_event_attr attr = { .config = 0x0100001f, .disabled = 1 };
	int err;

	begin(0, "cbox_4");
	machine.tidy = true;
	ev[1] = mock_open(mock_pmu("snbep_uncore_cbox_4"), &attr, 0, NULL, &err);
	mock_sched_in(ev[1]);
	expect_log("is not counted: put it into a group with", true);
	ev[0] = open_on(0x113, 0, NULL);
	mock_cycles += BIT(30);
	box->ctr[used_ctr()]++;
	machine_tally(box);
	mock_read(ev[0], 0);
	if (box->reads != 1)
		fault("%u reads where nothing is known of another program",
		      box->reads);
	mock_close(ev[0]);
	mock_close(ev[1]);
	end();
	result("other news do not make reads look more often");
}

/*
 * Another program changes the filter of an event that counts. An event of another
 * field starts, for which the driver writes that register once more: what the first
 * one counted meanwhile is not taken for its own all the same.
 */
static void test_hidden_change(void)
{
	static const struct {
		const char *box;
		u64 config, config1, other, other1;
		u32 bit;
	} uses[] = {
		{ "cbox_0", 0x335, 0x182ull << 23, 1 << 19, 3, 1 << 30 },
		{ "pcu", 0x0b, 12, 0x0c, 14 << 8, 1 << 7 },
	};
	unsigned int i, stop;

	for (i = 0; i < 2 * ARRAY_SIZE(uses); i++) {
		u64 n;

		stop = i % 2;
		begin(0, uses[i / 2].box);
		ev[0] = open_on(uses[i / 2].config, uses[i / 2].config1, NULL);
		pass(3);
		mock_read(ev[0], 0);
		n = count(ev[0]);
		box->filter[0] ^= uses[i / 2].bit;
		mock_cycles += BIT_ULL(33);
		pass(5);
		ev[1] = open_on(uses[i / 2].other, uses[i / 2].other1, NULL);
		if (stop)
			mock_sched_out(ev[0]);
		else
			mock_read(ev[0], 0);
		expect_log("another program", true);
		if (count(ev[0]) != n)
			fault("%s: counted %llu with another's filter", box->name,
			      (unsigned long long)(count(ev[0]) - n));
		mock_close(ev[0]);
		mock_close(ev[1]);
		end();
	}
	result("an event that starts does not hide that a filter was another's");
}

/*
 * An event that looks at counter 0 finds no room, again and again: nobody who does
 * have room is forgotten because of that.
 */
static void test_companions(void)
{
	struct perf_event_attr attr = { .config = 0x0100001f, .disabled = 1 };
	struct perf_event *zero;
	unsigned int i;
	struct pmu *pmu;
	int err;

	begin(0, "cbox_4");
	pmu = mock_pmu("snbep_uncore_cbox_4");
	ev[0] = mock_open(pmu, &attr, 0, NULL, &err);
	zero = try_open(0x836, 0, ev[0]);
	if (!zero || !mock_sched_in(ev[0]))
		fault("no room for the two");
	ev[1] = open_on(0x00, 0, NULL);
	ev[2] = open_on(0x00, 0, NULL);
	ev[3] = mock_open(pmu, &attr, 0, NULL, &err);
	try_open(0x836, 0, ev[3]);
	for (i = 0; i < 255; i++) {
		if (mock_sched_in(ev[3]))
			fault("room for a fifth event");
	}
	mock_close(zero);
	if (enabled() != 2)
		fault("%u counters go on without the event on counter 0",
		      enabled());
	for (i = 0; i < 4; i++)
		mock_close(ev[i]);
	end();
	result("who looks at counter 0 is known, whoever found no room");
}

/*
 * The socket's CPU looks at a box, and sets it up again, after another one has begun
 * to read a group and before it reads the first member.
 */
static void test_begun(void)
{
	struct pmu *pmu;

	begin(0, "cbox_3");
	machine.tidy = true;
	pmu = mock_pmu("snbep_uncore_cbox_3");
	ev[0] = try_open(0x00, 0, NULL);
	ev[1] = try_open(0x00, 0, ev[0]);
	mock_sched_in(ev[0]);
	mock_read_group(ev[0], 0);

	mock_cpu = 1;
	mock_irqs_off++;
	pmu->start_txn(pmu, PERF_PMU_TXN_READ);
	mock_irqs_off--;
	box->ctl[used_ctr()] ^= 0x01000000;
	mock_timers();
	expect_log(WARNING, true);
	machine.creeps = true;
	mock_read(ev[0], 1);
	mock_read(ev[1], 1);
	machine.creeps = false;
	mock_irqs_off++;
	pmu->commit_txn(pmu);
	mock_irqs_off--;
	if (!count(ev[0]) || count(ev[0]) != count(ev[1]))
		fault("members counted %llu and %llu",
		      (unsigned long long)count(ev[0]),
		      (unsigned long long)count(ev[1]));
	mock_close(ev[0]);
	end();
	result("a group read goes on of a box that is set up again meanwhile");
}

/*
 * A counter passes from one event to the next, and had counted something else before.
 * Not even a read in the middle of that takes it for the next one's.
 */
static void read_next(struct hw_box *b)
{
	unsigned int cpu = mock_cpu;

	if (b != box || mock_nmi || !ev[1]->on)
		return;
	mock_nmi = true;
	mock_read(ev[1], cpu);
	mock_nmi = false;
}

static void test_next(void)
{
	begin(0, "cbox_0");
	ev[0] = open_on(0x113, 0, NULL);
	ev[1] = try_open(0x213, 0, NULL);
	pass(3);
	box->ctl[used_ctr()] = 0x01000413 | EN;
	mock_cycles += BIT_ULL(33);
	pass(5);
	mock_disable(ev[0]->pmu, 0);
	mock_sched_out(ev[0]);
	mock_sched_in(ev[1]);
	machine.access = read_next;
	mock_enable(ev[0]->pmu, 0);
	machine.access = NULL;
	expect_log(WARNING, true);
	if (box->ctl[used_ctr()] != (0x213 | EN))
		fault("the counter did not pass");
	expect_more(ev[1], 0);
	pass(2);
	expect_more(ev[1], 2 * rate_of(0x213));
	mock_close(ev[0]);
	mock_close(ev[1]);
	end();
	result("what another program counted is not the next event's, whoever reads");
}

/* A filter that is there already is not written again for who shares it, or for others. */
static void test_shared(void)
{
	static const struct {
		const char *box;
		u64 config, config1, others[2], others1[2];
	} uses[] = {
		{ "cbox_0", 0x334, 0x1f << 18, { 0x534, 0x00 }, { 0x1f << 18 } },
		{ "pcu", 0x0b, 12, { 0x0100000b, 0x01 }, { 12 } },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		begin(0, uses[i].box);
		machine.tidy = true;
		ev[0] = open_on(uses[i].config, uses[i].config1, NULL);
		for (j = 0; j < 2; j++) {
			machine_tally(box);
			ev[1 + j] = open_on(uses[i].others[j],
					    uses[i].others1[j], NULL);
			if (box->reads || box->writes != 1)
				fault("%s: event %#llx: %u reads and %u writes",
				      box->name,
				      (unsigned long long)uses[i].others[j],
				      box->reads, box->writes);
		}
		for (j = 0; j < 3; j++)
			mock_close(ev[j]);
		end();
	}
	result("a filter that is there is not written again");
}

/* A processor without a CBo has nothing in its place, although others keep values. */
static void test_smaller(void)
{
	mock_reset();
	machine.tidy = true;
	machine_box(1, "cbox_6")->deaf = true;
	load();
	expect_text("snbep_uncore_cbox_5", "", "cpumask", "0,2\n");
	expect_text("snbep_uncore_cbox_6", "", "cpumask", "0\n");
	expect_text("snbep_uncore_cbox_7", "", "cpumask", "0,2\n");
	unload();
	result("each CBo is tried, whatever the others keep");
}

/* What an event may be asked for on: a CPU that is offline is none of its socket's. */
static void test_place(void)
{
	begin(1, "ha");
	mock_cpu_down(3);
	if (open_event("snbep_uncore_ha", 3, 0x00, 0, 0, NULL) ||
	    open_errno != -ENODEV)
		fault("on a CPU that is offline: error %d", open_errno);
	expect_log("snbep_uncore_ha: CPU 3 is not online", true);
	mock_cpu_up(3);
	ev[0] = open_event("snbep_uncore_ha", 3, 0x00, 0, 0, NULL);
	if (!ev[0] || ev[0]->cpu != 2)
		fault("on a CPU that came back: error %d", open_errno);
	/* perf reads it on any CPU of the socket then, and interrupts none. */
	if (!(ev[0]->event_caps & PERF_EV_CAP_READ_ACTIVE_PKG))
		fault("only one CPU can read it");
	mock_close(ev[0]);
	end();
	result("an event is for a CPU that is there, and read on any of its socket");
}

/* The end of a box is told once, whatever there is to tell of it later. */
static void test_once(void)
{
	static struct pmu tracepoints = { .name = "tracepoint" };
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .sample_period = 1,
		.sample_type = PERF_SAMPLE_READ,
		.read_format = PERF_FORMAT_GROUP,
	};
	int err;

	mock_reset();
	machine.no_ecam = true;
	load();
	box = machine_box(0, "imc_0");
	ev[0] = open_on(0x304, 0, NULL);
	machine_unbind(box->pdev);
	expect_log("socket 0 does not answer any more", true);
	log_clear();
	mock_open(&tracepoints, &attr, 0, ev[0], &err);
	expect_log("an event is not counted, as samples of its group", true);
	expect_log("does not answer any more", false);
	mock_close(ev[0]);
	end();
	result("a box that has gone is told of once");
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
		{ &check_counts_param, 0644 }, { &unlisted_param, 0644 },
		{ &mock_param, 0644 },
	};
	const struct attribute_group **g;
	const struct plain *p;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(params); i++) {
		if (params[i].param->mode != params[i].mode)
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
		if (pmu->module != THIS_MODULE)
			fault("%s is of no module", name);
		if (pmu->task_ctx_nr != perf_invalid_context)
			fault("%s can count tasks", name);
		/* Then groups of a sampling leader would stop for good. */
		if (pmu->capabilities != PERF_PMU_CAP_NO_EXCLUDE)
			fault("%s has capabilities %#x", name,
			      pmu->capabilities);
		/* perf only reads the files. */
		for (g = pmu->attr_groups; *g; g++) {
			for (i = 0; (*g)->attrs[i]; i++) {
				if ((*g)->attrs[i]->mode != 0444)
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
	test_second();
	test_gone();
	test_numbers();
	test_nothing();
	test_nommconf();
	test_unmapped();
	test_lines();
	test_quick();
	test_slow();
	test_hidden_change();
	test_news();
	test_companions();
	test_begun();
	test_next();
	test_shared();
	test_smaller();
	test_place();
	test_once();
	test_properties();
}
