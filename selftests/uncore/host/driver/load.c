// SPDX-License-Identifier: GPL-2.0-only
/* What is found at load, what is shown of it, and what is left afterwards */
#include <pthread.h>
#include <semaphore.h>

#include "tests.h"

static int load(void)
{
	int ret;

	mock_calls = 0;
	ret = mock_init();
	mock_interrupts();
	return ret;
}

static void unload(void)
{
	mock_cpu = mock_first(mock_online);
	mock_exit();
	mock_check_left();
}

static void loads(void)
{
	int ret = load();

	if (wrong(ret))
		fault("the driver does not load: %d", ret);
}

/* A file of a PMU has this; NULL: there is no such file, or no such PMU. */
static void expect_file(const char *box, const char *group, const char *file,
			const char *want)
{
	const char *got;
	struct pmu *pmu;
	char name[32];

	snprintf(name, sizeof(name), "%s_%s",
		 mock_pmu("uncore_ha") ? "uncore" : "snbep_uncore", box);
	pmu = mock_pmu(name);
	got = pmu ? mock_file(pmu, group, file) : NULL;
	if (wrong(got && want ? strcmp(got, want) : got != want))
		fault("%s/%s/%s is %s, not %s", name, group, file, got, want);
}

/* Fields as the guide's tables have them, and at the end an event */
static const char * const files[][4] = {
	{ "cbox_7", "format", "event", "config:0-7\n" },
	{ "cbox_7", "format", "umask", "config:8-15\n" },
	{ "cbox_7", "format", "edge", "config:18\n" },
	{ "cbox_7", "format", "tid_en", "config:19\n" },
	{ "cbox_7", "format", "inv", "config:23\n" },
	{ "cbox_7", "format", "thresh", "config:24-31\n" },
	{ "cbox_7", "format", "filter_tid", "config1:0-4\n" },
	{ "cbox_7", "format", "filter_nid", "config1:10-17\n" },
	{ "cbox_7", "format", "filter_state", "config1:18-22\n" },
	{ "cbox_7", "format", "filter_opc", "config1:23-31\n" },
	{ "cbox_7", "format", "filter_addr", NULL },
	{ "ha", "format", "event", "config:0-7\n" },
	{ "ha", "format", "thresh", "config:24-31\n" },
	{ "ha", "format", "tid_en", NULL },
	{ "ha", "format", "filter_addr", "config1:6-45\n" },
	{ "ha", "format", "filter_opc", "config2:0-5\n" },
	{ "imc_3", "format", "event", "config:0-7\n" },
	{ "imc_3", "format", "umask", "config:8-15\n" },
	{ "imc_3", "format", "edge", "config:18\n" },
	{ "imc_3", "format", "inv", "config:23\n" },
	{ "imc_3", "format", "thresh", "config:24-31\n" },
	{ "pcu", "format", "event", "config:0-7,21\n" },
	{ "pcu", "format", "umask", NULL },
	{ "pcu", "format", "edge", "config:18\n" },
	{ "pcu", "format", "inv", "config:23\n" },
	{ "pcu", "format", "thresh", "config:24-28\n" },
	{ "pcu", "format", "occ_sel", "config:14-15\n" },
	{ "pcu", "format", "occ_invert", "config:30\n" },
	{ "pcu", "format", "occ_edge", "config:31\n" },
	{ "pcu", "format", "filter_band0", "config1:0-7\n" },
	{ "pcu", "format", "filter_band1", "config1:8-15\n" },
	{ "pcu", "format", "filter_band2", "config1:16-23\n" },
	{ "pcu", "format", "filter_band3", "config1:24-31\n" },
	{ "qpi_1", "format", "event", "config:0-7,21\n" },
	{ "qpi_1", "format", "umask", "config:8-15\n" },
	{ "qpi_1", "format", "thresh", "config:24-31\n" },
	{ "qpi_1", "format", "match_vnw", "config1:3-4\n" },
	{ "qpi_1", "format", "match_opc", "config1:5-8\n" },
	{ "qpi_1", "format", "match_mc", "config1:9-12\n" },
	{ "qpi_1", "format", "match_dnid", "config1:13-17\n" },
	{ "qpi_1", "format", "match_rnid4", "config1:31\n" },
	{ "qpi_1", "format", "match_rnid30", "config1:32-35\n" },
	{ "qpi_1", "format", "match_rds", "config1:48-51\n" },
	{ "qpi_1", "format", "match0", "config1:0-31\n" },
	{ "qpi_1", "format", "match1", "config1:32-63\n" },
	{ "qpi_1", "format", "mask_vnw", "config2:3-4\n" },
	{ "qpi_1", "format", "mask_opc", "config2:5-8\n" },
	{ "qpi_1", "format", "mask_mc", "config2:9-12\n" },
	{ "qpi_1", "format", "mask_dnid", "config2:13-17\n" },
	{ "qpi_1", "format", "mask_rnid4", "config2:31\n" },
	{ "qpi_1", "format", "mask_rnid30", "config2:32-35\n" },
	{ "qpi_1", "format", "mask_rds", "config2:48-51\n" },
	{ "qpi_1", "format", "mask0", "config2:0-31\n" },
	{ "qpi_1", "format", "mask1", "config2:32-63\n" },
	{ "r2pcie", "format", "thresh", "config:24-31\n" },
	{ "r3qpi_1", "format", "thresh", "config:24-31\n" },
	{ "ubox", "format", "event", "config:0-7\n" },
	{ "ubox", "format", "thresh", "config:24-28\n" },
	{ "cbox_7", "events", "llc_lookup_data_read",
	  "event=0x34,umask=0x03\n" },
	{ "cbox_7", "events", "tor_inserts_opcode",
	  "event=0x35,umask=0x01,filter_opc=?\n" },
	{ "pcu", "events", "power_state_occupancy_cores_c6",
	  "event=0x80,occ_sel=3\n" },
	{ "pcu", "events", "core0_transition_cycles", "event=0x103\n" },
	{ "ubox", "events", "uclk", "event=0xff\n" },
	{ "qpi_0", "events", "drs_data.scale", "7.62939453125e-6\n" },
	{ "qpi_0", "events", "drs_data.unit", "MiB\n" },
	{ "imc_0", "events", "cas_count_rd_reg.unit", "MiB\n" },
	{ "qpi_0", "rate", "socket0", "6400\n" },
	{ "qpi_0", "rate", "socket1", "7200\n" },
	{ "qpi_1", "rate", "socket0", "8000\n" },
	{ "qpi_1", "rate", "socket1", "8000 slow\n" },
	{ "qpi_1", "rate", "socket2", NULL },
};

static void test_files(void)
{
	static const char * const boxes[] = {
		"cbox_0", "cbox_7", "ha", "imc_0", "imc_3", "pcu", "qpi_0",
		"qpi_1", "r2pcie", "r3qpi_0", "r3qpi_1", "ubox",
	};
	unsigned int i;

	mock_reset();
	loads();
	expect_log("snbep_uncore: 20 PMUs", true);
	expect_log("absent", false);
	if (wrong(mock_nr_pmus() != 20))
		fault("%u PMUs", mock_nr_pmus());
	for (i = 0; i < ARRAY_SIZE(boxes); i++)
		expect_file(boxes[i], "", "cpumask", "0,2\n");
	for (i = 0; i < ARRAY_SIZE(files); i++)
		expect_file(files[i][0], files[i][1], files[i][2], files[i][3]);
	/* Table 2-93: 2 is 5.6 GT/s, and one more is 0.8 more. */
	for (i = 0; i < 8; i++) {
		static const char * const rates[] = {
			"error 61", "error 61", "5600\n", "6400\n", "7200\n",
			"8000\n", "8800\n", "9600\n",
		};

		/* Other bits of the register have other meanings. */
		machine.rate[0][1] = i | 0x0fffffe8;
		expect_file("qpi_1", "rate", "socket0", rates[i]);
	}
	machine.rate[0][1] = ~0u;
	expect_file("qpi_1", "rate", "socket0", "error 19");
	mock_fail_at = mock_calls + 1;
	expect_file("ha", "", "cpumask", "error 12");
	mock_fail_at = 0;
	/* The function with the register goes alone. */
	machine_function(0, 9, 0)->there = false;
	expect_file("qpi_1", "rate", "socket0", "error 19");
	expect_file("qpi_0", "rate", "socket0", "6400\n");
	unload();
	result("files have what the guide's tables say");
}

/* Which socket lacks what, and what is said of it */
static void test_hidden(void)
{
	static const struct {
		const char *box;
		unsigned int slot, fn;
	} functions[] = {
		{ "ha", 14, 1 }, { "imc_0", 16, 0 }, { "imc_1", 16, 1 },
		{ "imc_2", 16, 4 }, { "imc_3", 16, 5 }, { "qpi_0", 8, 2 },
		{ "qpi_1", 9, 2 }, { "r2pcie", 19, 1 }, { "r3qpi_0", 19, 5 },
		{ "r3qpi_1", 19, 6 },
	};
	unsigned int i, accesses = 0;
	char log[160];

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		mock_reset();
		machine_function(1, functions[i].slot,
				 functions[i].fn)->there = false;
		loads();
		expect_file(functions[i].box, "", "cpumask", "0\n");
		snprintf(log, sizeof(log),
			 "snbep_uncore: socket 1: absent or hidden by the BIOS: %s; the BIOS may",
			 functions[i].box);
		expect_log(log, true);
		expect_log("socket 0: absent", false);
		unload();

		mock_reset();
		machine_function(0, functions[i].slot,
				 functions[i].fn)->there = false;
		machine_function(1, functions[i].slot,
				 functions[i].fn)->there = false;
		loads();
		expect_file(functions[i].box, "", "cpumask", NULL);
		expect_log("snbep_uncore: 19 PMUs", true);
		unload();
	}
	/* A CBo that is not there: its MSRs fault. */
	mock_reset();
	machine_box(1, "cbox_6")->absent = true;
	loads();
	expect_file("cbox_6", "", "cpumask", "0\n");
	expect_file("cbox_7", "", "cpumask", "0,2\n");
	expect_log("socket 1: absent or hidden by the BIOS: cbox_6\n", true);
	unload();
	/* The first CBo keeps what is written, so that the others are only read. */
	mock_reset();
	machine.tidy = true;
	for (i = 0; i < NR_BOXES; i++)
		machine_tally(&hw[1][i]);
	loads();
	for (i = 0; i < NR_BOXES; i++) {
		bool tried = !strcmp(hw[1][i].name, "cbox_0") ||
			     !strcmp(hw[1][i].name, "pcu");

		if (wrong(hw[1][i].writes != (tried ? 2 : 0)))
			fault("%s: %u writes at load", hw[1][i].name,
			      hw[1][i].writes);
		accesses += hw[1][i].reads + hw[1][i].writes;
	}
	/* With two reads of filters of the ports; intel_uncore takes 19. */
	if (wrong(accesses > 19))
		fault("%u accesses at load", accesses);
	unload();
	/* A part with six cores: the others are not tried. */
	mock_reset();
	machine.tidy = true;
	mock_cores = 6;
	machine_tally(machine_box(0, "cbox_6"));
	loads();
	expect_file("cbox_5", "", "cpumask", "0,2\n");
	expect_file("cbox_6", "", "cpumask", NULL);
	if (wrong(machine_box(0, "cbox_6")->reads || machine_box(0, "cbox_6")->writes))
		fault("a CBo without a core is tried");
	expect_log("socket 0: absent or hidden by the BIOS: cbox_6 cbox_7\n",
		   true);
	unload();
	/* A hypervisor that does not say how many cores there are */
	mock_reset();
	mock_cores = 0;
	loads();
	expect_file("cbox_7", "", "cpumask", "0,2\n");
	unload();
	/* One that is in use by somebody: it is not written. */
	mock_reset();
	machine.tidy = true;
	machine_box(0, "cbox_0")->ctl[0] = EN;
	machine_tally(machine_box(0, "cbox_0"));
	machine_tally(machine_box(0, "cbox_4"));
	loads();
	if (wrong(machine_box(0, "cbox_0")->writes ||
		  machine_box(0, "cbox_4")->writes ||
		  machine_box(0, "cbox_0")->ctl[0] != EN))
		fault("a box that answers is written");
	if (wrong(machine_box(1, "cbox_0")->ctl[0] ||
		  machine_box(1, "pcu")->ctl[0]))
		fault("what was tried is left in a control");
	if (wrong(machine_box(0, "ubox")->writes))
		fault("the UBox is tried, where an MSR has kept a value");
	unload();
	/* A machine whose MSRs are all there, and none is. */
	mock_reset();
	for (i = 0; i < NR_BOXES; i++) {
		hw[0][i].deaf = true;
		hw[1][i].deaf = true;
	}
	loads();
	expect_file("cbox_0", "", "cpumask", NULL);
	expect_file("pcu", "", "cpumask", NULL);
	expect_file("ubox", "", "cpumask", NULL);
	expect_file("ha", "", "cpumask", "0,2\n");
	unload();
	result("boxes that are hidden or not there are left out, and named");
}

/* Whose box a function is: node 3 is package 0, and node 6 package 1. */
static void test_sockets(void)
{
	struct pci_dev *ubox = machine_function(1, 11, 0);
	unsigned int i;

	mock_reset();
	ubox->there = false;
	loads();
	expect_file("ha", "", "cpumask", "0\n");
	expect_log("ignored: unknown socket, as the UBox", true);
	if (wrong(machine_function(1, 14, 1)->bound))
		fault("a function that is left out is the driver's");
	unload();

	/* Another device is in its place. */
	mock_reset();
	ubox->device = 0x1234;
	loads();
	expect_file("ha", "", "cpumask", "0\n");
	unload();

	/* The firmware's tables tell. */
	mock_reset();
	ubox->there = false;
	ubox->bus->node = 1;
	loads();
	expect_file("ha", "", "cpumask", "0,2\n");
	unload();

	/* They name a node without CPUs. */
	mock_reset();
	ubox->there = false;
	ubox->bus->node = 1;
	mock_online = 3;
	loads();
	expect_file("ha", "", "cpumask", "0\n");
	expect_log("ignored: unknown socket, as the UBox", true);
	unload();

	/* No package has this node. */
	mock_reset();
	machine.node[1] = 7;
	loads();
	expect_file("ha", "", "cpumask", "0\n");
	unload();

	/* All three bits of a node tell. */
	mock_reset();
	machine.node[0] = 2;
	machine.node_map[0] = 2 | 6 << 3;
	machine.node_map[1] = 2 | 6 << 3;
	loads();
	expect_file("ha", "", "cpumask", "0,2\n");
	unload();

	/* Two say that they are the same. */
	mock_reset();
	machine.node[1] = 3;
	loads();
	expect_file("ha", "", "cpumask", "0\n");
	expect_log("this socket already has the box", true);
	unload();

	/* A package that is not there has the node of one that is. */
	mock_reset();
	machine.node_map[0] = 3 | 3 << 3 | 6 << 15;
	machine.node_map[1] = machine.node_map[0];
	machine.node[1] = 6;
	for (i = 0; i < MOCK_CPUS; i++)
		mock_package[i] = i < 2 ? 1 : 5;
	mock_online = 3;
	loads();
	expect_file("ha", "", "cpumask", "0\n");
	mock_cpu_up(2);
	expect_file("ha", "", "cpumask", "0,2\n");
	unload();

	/* One package, no UBox: whose else can it be? */
	mock_reset();
	machine_function(0, 11, 0)->there = false;
	ubox->there = false;
	machine_function(1, 14, 1)->there = false;
	mock_package[2] = 0;
	mock_package[3] = 0;
	loads();
	expect_file("ha", "", "cpumask", "0\n");
	unload();

	/* A socket whose CPUs have all gone */
	mock_reset();
	loads();
	mock_cpu_down(2);
	expect_file("ha", "", "cpumask", "0,3\n");
	mock_cpu_down(3);
	expect_file("ha", "", "cpumask", "0\n");
	mock_cpu_up(2);
	expect_file("ha", "", "cpumask", "0,2\n");
	mock_cpu_up(3);
	unload();

	/* A CPU in a socket that the UBox has no number for */
	mock_reset();
	mock_package[3] = 9;
	loads();
	expect_file("ha", "", "cpumask", "0,2\n");
	mock_cpu_down(3);
	mock_cpu_up(3);
	expect_file("ha", "", "cpumask", "0,2\n");
	unload();
	result("boxes are of the sockets that the UBox names");
}

/* Filters of QPI are in another function, whose device is known or is not used. */
static void test_filters(void)
{
	static const struct {
		unsigned int device;
		bool there;
		int err;
		u32 reads;
	} cases[] = {
		{ 0x3c86, true, 0 }, { 0x3c96, true, 0 },
		{ 0x3c86, false, -EOPNOTSUPP }, { 0x3c87, true, -EOPNOTSUPP },
		{ 0x3c90, true, -EOPNOTSUPP },
		{ 0x3c86, true, -EOPNOTSUPP, ~0u },
	};
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct perf_event_attr attr = {
			/* cto_count, of packets that match some bits */
			.config = 0x200038, .config1 = 0x000a000580020108,
			.config2 = 0x000f000f8003fff8,
		};
		struct pci_dev *fn;
		struct perf_event *event;

		mock_reset();
		fn = machine_function(0, 8, 6);
		fn->there = cases[i].there;
		fn->device = cases[i].device;
		machine_box(0, "qpi_0")->filter[0] = cases[i].reads;
		loads();
		event = mock_open(mock_pmu("snbep_uncore_qpi_0"), &attr, 0,
				  NULL, &err);
		if (wrong(err != cases[i].err))
			fault("filters in device %#x: %d", cases[i].device, err);
		expect_file("qpi_0", "rate", "socket0", "6400\n");
		if (event)
			mock_close(event);
		unload();
	}
	result("filters are those of a function that is known");
}

static unsigned int told_of_ext;

static void count_ext(const char *fmt)
{
	told_of_ext += !!strstr(fmt, "no extended events");
}

static void test_extended(void)
{
	unsigned int i;

	for (i = EXT_DROP; i <= EXT_FAULT; i++) {
		mock_reset();
		machine.ext = i;
		told_of_ext = 0;
		hooks.logged = count_ext;
		loads();
		hooks.logged = NULL;
		if (wrong(told_of_ext != 1))
			fault("the log tells it %u times", told_of_ext);
		expect_log("snbep_uncore_pcu: no extended events: bit 21 of the control register is not writable",
			   true);
		expect_file("pcu", "format", "event", "config:0-7\n");
		expect_file("pcu", "format", "filter_band2", "config1:16-23\n");
		expect_file("qpi_0", "format", "event", "config:0-7,21\n");
		expect_file("pcu", "events", "core0_transition_cycles", NULL);
		expect_file("pcu", "events", "prochot_external_cycles",
			    "event=0x0a\n");
		if (wrong(machine_box(0, "pcu")->ctl[0]))
			fault("what was tried is left in a control");
		unload();
	}
	result("a PCU that does not keep bit 21 has no extended events");
}

/* Each call that may fail does once. */
static void test_failures(void)
{
	unsigned int n, told = 0;

	for (n = 1; ; n++) {
		mock_reset();
		mock_fail_at = n;
		if (load()) {
			told += log_has(": not registered: -12");
			if (wrong(mock_nr_pmus()))
				fault("failure %u: %u PMUs are left", n,
				      mock_nr_pmus());
			mock_check_left();
		} else {
			if (mock_calls < n) {
				unload();
				break;
			}
			unload();
		}
		if (faults) {
			printf("# failure %u of the load\n", n);
			break;
		}
	}
	if (wrong(told != 20))
		fault("the log tells of %u PMUs that are not registered", told);
	if (wrong(n < 50))
		fault("%u calls may fail", n);
	result("whichever of %u calls fails at load, nothing is left", n - 1);
}

/* perf shows a PMU before it is complete. Nobody counts on any before all are. */
static unsigned int early;

static void open_early(struct pmu *pmu)
{
	struct perf_event event = { .attr.type = pmu->type, .pmu = pmu };
	struct perf_event first = event;

	event.group_leader = &event;
	early += pmu->event_init(&event) == -ENODEV;
	/* perf asks all PMUs whose event it is. */
	event.attr.type = PERF_TYPE_HARDWARE;
	if (wrong(pmu->event_init(&event) != -ENOENT))
		fault("an event of another PMU is refused");
	first.pmu = mock_pmu("snbep_uncore_ha") ?: pmu;
	first.attr.type = first.pmu->type;
	first.attr.config = 0x0e;
	first.group_leader = &first;
	early += first.pmu->event_init(&first) == -ENODEV;
}

static void test_early(void)
{
	mock_reset();
	hooks.registering = open_early;
	early = 0;
	loads();
	hooks.registering = NULL;
	if (wrong(early != 40))
		fault("%u of 40 events are refused while PMUs are registered",
		      early);
	unload();
	result("no event is opened before all PMUs are there");
}

/* intel_uncore was on its way when we began to load, and gets there now. */
static void intel_comes(struct pmu *pmu)
{
	hooks.registering = NULL;
	mock_intel = true;
	mock_module_event("intel_uncore", MODULE_STATE_LIVE);
}

/* The same, but it has not come so far that it would be told of. */
static void intel_begins(struct pmu *pmu)
{
	hooks.registering = NULL;
	mock_intel = true;
}

static void test_both(void)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		mock_reset();
		hooks.registering = i ? intel_begins : intel_comes;
		if (wrong(load() != -EBUSY))
			fault("loaded while intel_uncore comes");
		hooks.registering = NULL;
		expect_log("was loaded at the same time", !i);
		expect_log("modprobe -r intel_uncore", true);
		expect_log("PMUs", false);
		mock_check_left();
	}
	result("of two drivers that load at the same time one gives way");
}

static void test_others(void)
{
	static const struct {
		unsigned int vendor, family, model;
		const char *log;
	} others[] = {
		{ 0, 6, 0x3e, "family 6, model 62: intel_uncore" },
		{ 0, 15, 45, "family 15, model 45" },
		{ 2, 6, 45, "family 6, model 45:" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		mock_reset();
		boot_cpu_data.x86_vendor = others[i].vendor;
		boot_cpu_data.x86 = others[i].family;
		boot_cpu_data.x86_model = others[i].model;
		if (wrong(load() != -ENODEV))
			fault("loaded on model %u", others[i].model);
		expect_log(others[i].log, true);
		mock_check_left();
	}
	mock_reset();
	mock_intel = true;
	if (wrong(load() != -EBUSY))
		fault("loaded beside intel_uncore");
	expect_log("modprobe -r intel_uncore", true);
	expect_log("initcall_blacklist=intel_uncore_init", true);
	mock_check_left();
	/* No box answers. */
	mock_reset();
	for (i = 0; i < NR_BOXES; i++) {
		hw[0][i].absent = true;
		hw[1][i].absent = true;
		if (!hw[0][i].pdev)
			continue;
		hw[0][i].pdev->there = false;
		hw[1][i].pdev->there = false;
	}
	if (wrong(load() != -ENODEV))
		fault("loaded without a box");
	expect_log("no uncore box responds", true);
	mock_check_left();

	mock_reset();
	loads();
	if (wrong(mock_module_event("e1000", MODULE_STATE_COMING) ||
		  mock_module_event("intel_uncore_frequency", MODULE_STATE_COMING) ||
		  mock_module_event("intel_uncore", MODULE_STATE_GOING) ||
		  mock_module_event("intel_uncore", MODULE_STATE_LIVE) ||
		  mock_module_event("intel_uncore", MODULE_STATE_COMING) !=
		  notifier_from_errno(-EBUSY)))
		fault("another module is turned away, or intel_uncore is not");
	expect_log("intel_uncore not loaded", true);
	expect_log("was loaded at the same time", false);
	mock_intel = true;
	mock_module_event("intel_uncore", MODULE_STATE_LIVE);
	expect_log("was loaded at the same time", true);
	if (wrong(open_event("snbep_uncore_ha", 0, 0x0e, 0, 0, NULL) ||
		  open_errno != -ENODEV))
		fault("error %d beside intel_uncore", open_errno);
	unload();
	result("other processors and drivers are told of");
}

static struct perf_event *of_late;

/* A function is plugged in as the load is about to fail. */
static void comes_at_last(const char *fmt)
{
	struct pci_dev *ha = machine_function(0, 14, 1);

	if (!strstr(fmt, "no uncore box responds"))
		return;
	hooks.logged = NULL;
	ha->there = true;
	machine_bind(ha);
	if (mock_pmu("snbep_uncore_ha"))
		of_late = open_event("snbep_uncore_ha", 0, 0x0e, 0, 0, NULL);
}

/* The home agent goes when all PMUs are there, and before events are let in. */
static void goes_at_last(struct pmu *pmu)
{
	struct pci_dev *ha = machine_function(0, 14, 1);

	if (mock_nr_pmus() < 20)
		return;
	hooks.registering = NULL;
	ha->there = false;
	machine_unbind(ha);
}

static void test_last(void)
{
	unsigned int i;

	mock_reset();
	for (i = 0; i < 2 * NR_BOXES; i++) {
		struct hw_box *b = &hw[i % 2][i / 2];

		b->absent = true;
		if (b->pdev)
			b->pdev->there = false;
	}
	hooks.logged = comes_at_last;
	of_late = NULL;
	if (wrong(load() != -ENODEV || hooks.logged))
		fault("loaded without a box");
	if (wrong(of_late))
		fault("an event is open, and its box is freed");

	mock_reset();
	hooks.registering = goes_at_last;
	loads();
	if (wrong(hooks.registering))
		fault("the function has not gone");
	if (wrong(open_event("snbep_uncore_ha", 0, 0x0e, 0, 0, NULL) ||
		  open_errno != -ENODEV))
		fault("an event of a function that has gone: error %d",
		      open_errno);
	unload();
	result("functions that come or go as the load ends");
}

extern bool snbep_uncore_names;

static void test_names(void)
{
	mock_reset();
	snbep_uncore_names = true;
	loads();
	expect_file("ha", "", "cpumask", "0,2\n");
	expect_file("imc_0", "events", "clockticks", "event=0xff,umask=0x00");
	expect_file("imc_0", "events", "cas_count_read.scale",
		    "6.103515625e-5");
	expect_file("qpi_0", "events", "drs_data.scale", NULL);
	expect_file("qpi_0", "events", "ncb_data.scale", NULL);
	expect_file("qpi_0", "events", "ncb_data.unit", NULL);
	unload();
	snbep_uncore_names = false;
	result("under intel_uncore's names its files are there byte for byte");
}

/* The other socket's function comes while the PMU of both is registered. */
static void other_comes(struct pmu *pmu)
{
	struct pci_dev *imc = machine_function(0, 16, 4);

	hooks.registering = NULL;
	imc->there = true;
	machine_bind(imc);
}

/* PCI functions that come later: a PMU of their own, or a box for one */
static void test_late(void)
{
	struct pci_dev *ha = machine_function(1, 14, 1);
	struct pci_dev *qpi = machine_function(1, 8, 2);
	struct perf_event *event;
	struct pci_dev *imc[2] = {
		machine_function(0, 16, 4), machine_function(1, 16, 4),
	};

	mock_reset();
	ha->there = false;
	qpi->there = false;
	imc[0]->there = false;
	imc[1]->there = false;
	loads();
	expect_file("qpi_0", "rate", "socket1", "error 19");
	ha->there = true;
	machine_bind(ha);
	expect_file("ha", "", "cpumask", "0,2\n");
	qpi->there = true;
	machine_bind(qpi);
	expect_file("qpi_0", "rate", "socket1", "7200\n");
	imc[1]->there = true;
	mock_fail_at = mock_calls + 1;
	machine_bind(imc[1]);
	if (wrong(machine.probed != -ENOMEM || mock_pmu("snbep_uncore_imc_2")))
		fault("no memory for a PMU: %d", machine.probed);
	machine_bind(imc[1]);
	expect_file("imc_2", "", "cpumask", "2\n");
	imc[0]->there = true;
	machine_bind(imc[0]);
	expect_file("imc_2", "", "cpumask", "0,2\n");
	event = open_event("snbep_uncore_ha", 2, 0x0e, 0, 0, NULL);
	if (wrong(!event || !mock_sched_in(event)))
		fault("one that came late does not count: %d", open_errno);
	else
		mock_close(event);
	/* It comes back: events may hold the one that was there. */
	machine_unbind(ha);
	mock_interrupts();
	expect_log("snbep_uncore_ha: socket 1 no longer responds", true);
	machine_bind(ha);
	if (wrong(machine.probed != -EBUSY))
		fault("one that came back: %d", machine.probed);
	expect_log("this socket already has the box", true);
	if (wrong(open_event("snbep_uncore_ha", 2, 0x0e, 0, 0, NULL) ||
		  open_errno != -ENODEV))
		fault("an event of a function that went is taken: %d",
		      open_errno);
	expect_log("socket 1 has no such box, or it does not respond", true);
	unload();

	mock_reset();
	imc[0]->there = false;
	imc[1]->there = false;
	loads();
	imc[1]->there = true;
	hooks.registering = other_comes;
	machine_bind(imc[1]);
	if (wrong(hooks.registering))
		fault("a PMU that comes late is not registered");
	hooks.registering = NULL;
	expect_file("imc_2", "", "cpumask", "0,2\n");
	unload();

	/* Without memory a box is left out for now. */
	mock_reset();
	qpi->there = false;
	loads();
	qpi->there = true;
	mock_fail_at = mock_calls + 1;
	machine_bind(qpi);
	if (wrong(machine.probed != -ENOMEM))
		fault("no memory for a box: %d", machine.probed);
	machine_bind(qpi);
	expect_file("qpi_0", "", "cpumask", "0,2\n");
	unload();
	result("functions that come later are taken in");
}

/*
 * A function comes just before the driver goes, and is half taken in then: in a thread
 * of its own, which goes on when the driver waits for it. Only one of them runs at a time.
 */
static sem_t half, whole;

static void register_half(struct pmu *pmu)
{
	hooks.registering = NULL;
	sem_post(&half);
	sem_wait(&whole);
}

static void *bind_thread(void *pdev)
{
	machine_bind(pdev);
	sem_post(&half);
	return NULL;
}

static void finish_thread(void)
{
	sem_post(&whole);
	sem_wait(&half);
}

static void test_going(void)
{
	struct pci_dev *comes = machine_function(1, 14, 1);
	pthread_t thread;

	sem_init(&half, 0, 0);
	sem_init(&whole, 0, 0);
	mock_reset();
	comes->there = false;
	machine_function(0, 14, 1)->there = false;
	loads();
	log_clear();
	comes->there = true;
	hooks.registering = register_half;
	pthread_create(&thread, NULL, bind_thread, comes);
	sem_wait(&half);
	if (wrong(hooks.registering))
		fault("a function that comes is taken in as a whole");
	machine.leaving = finish_thread;
	unload();
	machine.leaving = NULL;
	pthread_join(thread, NULL);
	mock_interrupts();
	expect_log("snbep", false);
	result("a function that comes as the driver goes is taken in before");
}

/* Put the value of a term, as "umask=0x3", where the PMU's format/ says. */
static bool put_term(struct pmu *pmu, const char *term, u64 word[3])
{
	const char *eq = strchr(term, '='), *format;
	unsigned int w, lo, hi;
	char name[32];
	u64 value;

	snprintf(name, sizeof(name), "%.*s", (int)(eq - term), term);
	format = mock_file(pmu, "format", name);
	if (!format)
		return false;
	/* What is asked of the user: an opcode has its two highest bits set. */
	value = eq[1] == '?' ? strcmp(name, "filter_opc") ? 1 : 0x182 :
			       strtoull(eq + 1, NULL, 0);
	w = format[6] == ':' ? 0 : format[6] - '0';
	for (format = strchr(format, ':'); *format == ':' || *format == ',';) {
		char *end;

		lo = strtoul(format + 1, &end, 10);
		hi = *end == '-' ? strtoul(end + 1, &end, 10) : lo;
		word[w] |= (value & (BIT_ULL(hi - lo + 1) - 1)) << lo;
		value >>= hi - lo + 1;
		format = end;
	}
	return true;
}

/* Whether an event of a CBo looks at a field, and has nothing there */
static bool asks(u64 config, u64 config1, u32 field)
{
	const struct kind *cbox = machine_box(0, "cbox_0")->kind;

	return (machine_looks_at(cbox, config, 0) & field) && !(config1 & field);
}

/* All aliases of a PMU are events. */
static unsigned int open_aliases(struct pmu *pmu)
{
	const struct attribute_group **g;
	unsigned int i, n = 0;

	for (g = pmu->attr_groups; *g && strcmp((*g)->name ?: "", "events"); g++)
		;
	for (i = 0; *g && (*g)->attrs[i]; i++) {
		const char *name = (*g)->attrs[i]->name;
		char text[256], *term, *save = NULL;
		struct perf_event *event;
		bool good = true;
		u64 word[3] = { };

		if (strchr(name, '.'))
			continue;
		snprintf(text, sizeof(text), "%s",
			 mock_file(pmu, "events", name));
		for (term = strtok_r(text, ",\n", &save); term;
		     term = strtok_r(NULL, ",\n", &save))
			good &= put_term(pmu, term, word);
		/* This one looks at what another counts. */
		if (!strcmp(name, "counter0_occupancy"))
			continue;
		event = open_event(pmu->name, 0, word[0], word[1], word[2],
				   NULL);
		/* What it looks at is asked for: an opcode, a node */
		if (wrong(!strncmp(pmu->name, "snbep_uncore_cbox", 17) &&
			  (asks(word[0], word[1], 0xff << 10) ||
			   asks(word[0], word[1], 0x1ffu << 23))))
			fault("%s/%s/ lacks a filter", pmu->name, name);
		if (!good || !event) {
			fault("%s/%s/: error %d", pmu->name, name, open_errno);
			continue;
		}
		n++;
		mock_close(event);
	}
	return n;
}

static void test_aliases(void)
{
	static const char * const boxes[] = {
		"cbox_0", "ha", "imc_0", "pcu", "qpi_0", "r2pcie", "r3qpi_0",
		"ubox",
	};
	unsigned int i, n = 0;
	char name[32];

	mock_reset();
	loads();
	for (i = 0; i < ARRAY_SIZE(boxes); i++) {
		snprintf(name, sizeof(name), "snbep_uncore_%s", boxes[i]);
		n += open_aliases(mock_pmu(name));
	}
	unload();
	if (wrong(n < 500))
		fault("%u aliases", n);
	result("every alias is an event (%u)", n);
}

void test_load(void)
{
	test_aliases();
	test_files();
	test_hidden();
	test_sockets();
	test_filters();
	test_extended();
	test_failures();
	test_early();
	test_both();
	test_others();
	test_last();
	test_names();
	test_late();
	test_going();
}
