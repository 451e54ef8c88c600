// SPDX-License-Identifier: GPL-2.0-only
/* Detection of boxes and their sockets, and the PMUs' sysfs files */
#include "tests.h"

/*
 * Load the driver on the prepared machine: the CPUs of a PMU's cpumask, or NULL without the PMU,
 * and a log line. Prepares a new machine.
 */
static void found(const char *name, const char *cpumask, const char *log)
{
	EXPECT(load(), 0);
	expect_file(pmu_of(name), "", "cpumask", cpumask);
	if (log)
		expect_log(log, true);
	unload();
	mock_reset();
}

/* Fields as the guide's tables have them: name and bits of config, config1 or config2 */
static const struct {
	const char *box, *fields;
} formats[] = {
	{ "cbox_7", "event :0-7 umask :8-15 edge :18 tid_en :19 inv :23 thresh :24-31"
	  " filter_tid 1:0-4 filter_nid 1:10-17 filter_state 1:18-22"
	  " filter_opc 1:23-31 filter_addr -" },
	{ "ha", "event :0-7 thresh :24-31 tid_en - filter_addr 1:6-45 filter_opc 2:0-5" },
	{ "imc_3", "event :0-7 umask :8-15 edge :18 inv :23 thresh :24-31" },
	{ "pcu", "event :0-7,21 umask - edge :18 inv :23 thresh :24-28 occ_sel :14-15"
	  " occ_invert :30 occ_edge :31 filter_band0 1:0-7 filter_band1 1:8-15"
	  " filter_band2 1:16-23 filter_band3 1:24-31" },
	{ "qpi_1", "event :0-7,21 umask :8-15 thresh :24-31 match_vnw 1:3-4 match_opc 1:5-8"
	  " match_mc 1:9-12 match_dnid 1:13-17 match_rnid4 1:31"
	  " match_rnid30 1:32-35 match_rds 1:48-51 match0 1:0-31 match1 1:32-63"
	  " mask_vnw 2:3-4 mask_opc 2:5-8 mask_mc 2:9-12 mask_dnid 2:13-17"
	  " mask_rnid4 2:31 mask_rnid30 2:32-35 mask_rds 2:48-51 mask0 2:0-31"
	  " mask1 2:32-63" },
	{ "r2pcie", "thresh :24-31" },
	{ "r3qpi_1", "thresh :24-31" },
	{ "ubox", "event :0-7 thresh :24-28" },
};

/* And other files */
static const char * const files[][4] = {
	{ "cbox_7", "events", "llc_lookup_data_read", "event=0x34,umask=0x03\n" },
	{ "cbox_7", "events", "tor_inserts_opcode", "event=0x35,umask=0x01,filter_opc=?\n" },
	{ "pcu", "events", "power_state_occupancy_cores_c6", "event=0x80,occ_sel=3\n" },
	{ "pcu", "events", "core0_transition_cycles", "event=0x103\n" },
	{ "ubox", "events", "uclk", "event=0xff\n" },
	{ "qpi_0", "events", "drs_data.scale", "7.62939453125e-6\n" },
	{ "qpi_0", "events", "drs_data.unit", "MiB\n" },
	{ "imc_0", "events", "cas_count_rd_reg.unit", "MiB\n" },
};

static void test_files(void)
{
	char name[32], bits[32], want[48];
	unsigned int i;
	int n;

	mock_reset();
	EXPECT(load(), 0);
	expect_log("snbep_uncore: 20 PMUs", true);
	expect_log("not there", false);
	EXPECT(mock_nr_pmus(), 20);
	for (i = 0; i < NR_BOXES; i++)
		expect_file(pmu_of(hw[0][i].name), "", "cpumask", "0,2\n");
	for (i = 0; i < ARRAY_SIZE(formats); i++) {
		const char *s = formats[i].fields;

		for (; sscanf(s, "%31s %31s%n", name, bits, &n) == 2; s += n) {
			snprintf(want, sizeof(want), "config%s\n", bits);
			expect_file(pmu_of(formats[i].box), "format", name,
				    *bits == '-' ? NULL : want);
		}
	}
	for (i = 0; i < ARRAY_SIZE(files); i++)
		expect_file(pmu_of(files[i][0]), files[i][1], files[i][2], files[i][3]);
	mock_fail_at = mock_calls + 1;
	expect_file(pmu_of("ha"), "", "cpumask", "error 12");
	mock_fail_at = 0;
	unload();
	result("files of the PMUs have what the guide's tables say");
}

static void test_hidden(void)
{
	unsigned int i;
	char log[160];

	mock_reset();
	EXPECT(load(), 0);
	expect_log("absent or hidden", false);
	unload();
	mock_reset();
	for (i = 0; i < NR_BOXES; i++) {
		if (!hw[1][i].pdev)
			continue;
		hw[1][i].pdev->there = false;
		snprintf(log, sizeof(log),
			 "snbep_uncore: socket 1: absent or hidden by the BIOS: %s; most BIOSes hide QPI",
			 hw[1][i].name);
		found(hw[0][i].name, "0\n", log);

		hw[0][i].pdev->there = false;
		hw[1][i].pdev->there = false;
		found(hw[0][i].name, NULL, "snbep_uncore: 19 PMUs");
	}
	/* An absent CBo: its MSRs fault. */
	machine_box(1, "cbox_6")->absent = true;
	found("cbox_6", "0\n", "socket 1: absent or hidden by the BIOS: cbox_6\n");
	/* A hypervisor that does not report the number of cores */
	mock_cores = 0;
	found("cbox_7", "0,2\n", NULL);
	/* A socket without boxes: the log line has room for all names. */
	mock_reset();
	for (i = 0; i < NR_BOXES; i++) {
		hw[1][i].absent = true;
		if (hw[1][i].pdev)
			hw[1][i].pdev->there = false;
	}
	found("ha", "0\n",
	      "socket 1: absent or hidden by the BIOS: cbox_0 cbox_1 cbox_2 cbox_3 cbox_4 cbox_5 cbox_6 cbox_7 ha imc_0 imc_1 imc_2 imc_3 pcu qpi_0 qpi_1 r2pcie r3qpi_0 r3qpi_1 ubox; most BIOSes");
	result("boxes that are hidden or not there are left out, and named");
}

/* MSR boxes are read; an idle control of the PCU is also written. */
static void test_tried(void)
{
	static const u32 used[] = { EN | 0x0a, 0x0a, EN };
	unsigned int i, n, accesses = 0;
	struct hw_box *pcu;

	mock_reset();
	machine.tidy = true;
	for (i = 0; i < NR_BOXES; i++)
		machine_tally(&hw[1][i]);
	EXPECT(load(), 0);
	for (i = 0; i < NR_BOXES; i++) {
		EXPECT(hw[1][i].writes, strcmp(hw[1][i].name, "pcu") ? 0 : 2);
		accesses += hw[1][i].reads + hw[1][i].writes;
	}
	/* intel_uncore takes 19. */
	CHECK(accesses <= 19);
	unload();
	/* A part with six cores, of a thread or two: it has no other CBos. */
	for (i = 1; i <= 2; i++) {
		mock_reset();
		machine.tidy = true;
		mock_cores = 6;
		mock_threads = i;
		machine_tally(machine_box(0, "cbox_6"));
		EXPECT(load(), 0);
		expect_file(pmu_of("cbox_5"), "", "cpumask", "0,2\n");
		expect_file(pmu_of("cbox_6"), "", "cpumask", NULL);
		EXPECT(machine_box(0, "cbox_6")->reads + machine_box(0, "cbox_6")->writes, 0);
		expect_log("absent or hidden", false);
		unload();
	}
	/* A control in use by another program is not written, even if its enable bit reads as 0. */
	for (i = 0; i < 3; i++) {
		mock_reset();
		machine.tidy = i != 1;
		pcu = machine_box(0, "pcu");
		/* The third time all are in use. */
		for (n = 0; n < pcu->counters; n += i == 2 ? 1 : 3)
			machine_poke(pcu, n, used[i]);
		machine_tally(pcu);
		EXPECT(load(), 0);
		EXPECT(pcu->writes, i == 2 ? 0 : 2);
		EXPECT(*pcu->ctl[0], used[i]);
		EXPECT(*pcu->ctl[3], used[i]);
		expect_log("no extended events: bit 21 of the control register is not writable on this processor, or other programs use all counters", i == 2);
		for (n = 0; n < pcu->counters; n++)
			machine_poke(pcu, n, 0);
		unload();
	}
	result("a load writes an idle control of the PCU, and no control that is in use");
}

static void set_nodes(u32 node0, u32 node1, u32 map)
{
	machine.node[0] = node0;
	machine.node[1] = node1;
	machine.node_map[0] = map;
	machine.node_map[1] = map;
}

/* CPUs of the sockets, as masks of online and present ones */
enum { CPUS_0 = BIT(0) | BIT(1), CPUS_1 = BIT(2) | BIT(3) };

static struct pci_dev *ubox(unsigned int socket)
{
	return machine_function(socket, 11, 0);
}

/* Without a UBox that names it, a function is left out. */
static void unnamed_sockets(void)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		mock_reset();
		if (i)
			ubox(1)->device = 0x1234;	/* another device in the UBox's place */
		else
			ubox(1)->there = false;
		EXPECT(load(), 0);
		expect_file(pmu_of("ha"), "", "cpumask", "0\n");
		expect_log("ignored: unknown socket, as the UBox", true);
		CHECK(!machine_function(1, 14, 1)->bound);
		unload();
	}
	mock_reset();
}

/* The UBox's map has the node of each package. */
static void mapped_sockets(void)
{
	/* A node without a package */
	machine.node[1] = 7;
	found("ha", "0\n", NULL);
	/* All three bits of a node count. */
	set_nodes(2, 6, 2 | 6 << 3);
	found("ha", "0,2\n", NULL);
	/* Two UBoxes with the same node: the box is the function that was found first. */
	machine.node[1] = 3;
	EXPECT(load(), 0);
	expect_file(pmu_of("ha"), "", "cpumask", "0\n");
	expect_log("ignored: another function is this box of socket 0: two UBoxes have the same node ID", true);
	CHECK(!machine_function(1, 14, 1)->bound);
	machine_unbind(machine_function(0, 14, 1));
	machine_bind(machine_function(0, 14, 1));
	CHECK(machine_function(0, 14, 1)->bound);
	unload();
	mock_reset();
}

/* CPUs that come up late, beside absent packages whose entries have the node of a present one */
static void late_packages(void)
{
	unsigned int i;

	set_nodes(3, 6, 3 | 3 << 3 | 6 << 15);
	for (i = 0; i < MOCK_CPUS; i++)
		mock_package[i] = i < 2 ? 1 : 5;
	mock_online = CPUS_0;
	EXPECT(load(), 0);
	expect_file(pmu_of("ha"), "", "cpumask", "0\n");
	mock_cpu_up(2);
	expect_file(pmu_of("ha"), "", "cpumask", "0,2\n");
	unload();

	/*
	 * A package without online CPUs has node 0, as have the entries of absent packages, which
	 * come after it.
	 */
	for (i = 0; i < 2; i++) {
		mock_reset();
		mock_online = i ? CPUS_1 : CPUS_0;
		if (i)
			set_nodes(0, 6, 6 << 3);
		else
			set_nodes(3, 0, 3);
		EXPECT(load(), 0);
		mock_cpu_up(i ? 0 : 2);
		expect_file(pmu_of("ha"), "", "cpumask", "0,2\n");
		mock_cpu_up(i ? 1 : 3);
		unload();
	}

	/* maxcpus=1, packages 0 and 3, with absent ones that seem to be at the node of package 3 */
	mock_reset();
	mock_package[2] = 3;
	mock_package[3] = 3;
	mock_online = BIT(0);
	set_nodes(1, 0, 1);
	EXPECT(load(), 0);
	mock_cpu_up(2);
	expect_file(pmu_of("cbox_0"), "", "cpumask", "0,2\n");
	expect_file(pmu_of("ha"), "", "cpumask", "0,2\n");
	mock_cpu_up(1);
	mock_cpu_up(3);
	unload();
}

/* With more than eight packages, the map may have the node of another one. */
static void many_packages(void)
{
	mock_reset();
	mock_package[2] = 8;
	mock_package[3] = 8;
	EXPECT(load(), 0);
	expect_file(pmu_of("ha"), "", "cpumask", NULL);
	expect_log("ignored: unknown socket, as the UBox", true);
	expect_file(pmu_of("cbox_0"), "", "cpumask", "0\n");
	mock_cpu_down(3);
	mock_cpu_up(3);
	expect_file(pmu_of("cbox_0"), "", "cpumask", "0\n");
	EXPECT_REFUSED(open_event("cbox_0", 2, 0x00, 0, 0, NULL), -ENODEV,
		       "CPU 2 is in socket 8, but the UBox only maps sockets 0 to 7");
	unload();
}

/* Sockets of functions: node 3 is package 0, and node 6 package 1. */
static void test_sockets(void)
{
	unnamed_sockets();
	mapped_sockets();
	late_packages();
	many_packages();

	result("boxes are of the sockets that the UBox names");
}

#define BY_PORTS	"counters are accessed through I/O ports, as memory-mapped configuration space (MMCONFIG) does not cover this bus"

/* An event of a box counts, through I/O ports or without them. */
static void counts(const char *name, int cpu, u64 config, bool ports)
{
	struct perf_event *event = open_event(name, cpu, config, 0, 0, NULL);
	unsigned int was = machine.port_accesses;

	box = machine_box(cpu / 2, name);
	CHECK(event);
	if (!event)
		return;
	CHECK(mock_sched_in(event));
	pass(9);
	EXPECT_COUNT(event, cpu, 9 * rate_of(config));
	EXPECT(machine.port_accesses > was, ports);
	mock_close(event);
}

/* A function without memory-mapped configuration space is accessed through I/O ports. */
static void test_mapping(void)
{
	static const int parts[] = { -15, -1, 1, 15 };
	const struct plain *p;
	unsigned int i;

	for (i = 0; i < 6; i++) {
		mock_reset();
		machine.nommconf = i == 1;
		machine.no_ecam = i == 2;
		/* A mapped page is not configuration space. */
		machine.ecam_lost = i == 3;
		machine.no_ff = i == 4;
		machine.no_mcfg = i == 5;
		EXPECT(load(), 0);
		EXPECT(mock_nr_pmus(), 20);
		expect_log(BY_PORTS, i);
		expect_log("hidden by the BIOS", false);
		for_each_plain(p) {
			bool pci = machine_box(0, p->box)->pdev;

			expect_file(pmu_of(p->box), "", "cpumask", "0,2\n");
			counts(p->box, 0, p->config, pci && i && i != 4);
			counts(p->box, 2, p->config, pci && i);
		}
		unload();
	}
	mock_reset();
	/* A table whose length is no multiple of an entry: what is there in part is none. */
	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		mock_reset();
		machine.short_mcfg = true;
		machine.mcfg_more = parts[i];
		EXPECT(load(), 0);
		expect_log(BY_PORTS, parts[i] < 0);
		unload();
	}
	mock_reset();
	machine.short_mcfg = true;
	found("ha", "0,2\n", "20 PMUs");
	/* The table has the numbers of its buses, but not its segment. */
	machine_function(1, 14, 1)->bus->domain = 2;
	EXPECT(load(), 0);
	expect_log(BY_PORTS, true);
	counts("ha", 0, 0x0e, false);
	counts("ha", 2, 0x0e, true);
	unload();
	/* Out of memory for a page or its filters' is no reason for the ports. */
	for (i = 0; i < 2; i++) {
		mock_reset();
		machine.no_room = machine_function(0, 8, i ? 6 : 2);
		EXPECT(load(), -ENOMEM);
		expect_log(BY_PORTS, false);
		mock_check_left();
	}
	result("a function that cannot be mapped is accessed through I/O ports");
}

/* QPI's filters are in another function, which is used only with a known device ID. */
static void test_filters(void)
{
	static const struct {
		unsigned int device;
		bool there;
		u32 reads;
		const char *why;
	} cases[] = {
		{ 0x3c86, true }, { 0x3c96, true },
		{ 0x3c86, false, 0, "the BIOS hides PCI function 6 of the port, as most do" },
		{ 0x3c87, true, 0, "PCI function 6 of the port has an unknown device ID" },
		{ 0x3c90, true, 0, "PCI function 6 of the port has an unknown device ID" },
		{ 0x3c86, true, ~0u, "PCI function 6 of the port does not respond" },
	};
	const char *why;
	char log[160];
	struct perf_event *event;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		struct pci_dev *fn = machine_function(0, 8, 6);

		mock_reset();
		fn->there = cases[i].there;
		fn->device = cases[i].device;
		machine_box(0, "qpi_0")->filter[0] = cases[i].reads;
		EXPECT(load(), 0);
		/* cto_count, of packets that match some bits */
		event = open_event("qpi_0", 0, 0x200038, 0x000a000580020108,
				   0x000f000f8003fff8, NULL);
		why = cases[i].why;
		EXPECT(open_errno, why ? -EOPNOTSUPP : 0);
		snprintf(log, sizeof(log), "packet filters of socket 0 are not accessible: %s\n",
			 why ? why : "");
		expect_log(log, why);
		if (event)
			mock_close(event);
		unload();
	}
	result("packet filters are those of a function that is known");
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
		EXPECT(load(), 0);
		hooks.logged = NULL;
		EXPECT(told_of_ext, 1);
		expect_log("snbep_uncore_pcu: no extended events: bit 21 of the control register is not writable",
			   true);
		expect_file(pmu_of("pcu"), "format", "event", "config:0-7\n");
		expect_file(pmu_of("pcu"), "format", "filter_band2", "config1:16-23\n");
		expect_file(pmu_of("qpi_0"), "format", "event", "config:0-7,21\n");
		expect_file(pmu_of("pcu"), "events", "core0_transition_cycles", NULL);
		expect_file(pmu_of("pcu"), "events", "prochot_external_cycles", "event=0x0a\n");
		EXPECT(*machine_box(0, "pcu")->ctl[0], 0);
		EXPECT_REFUSED(open_event("pcu", 0, 0x200003, 0, 0, NULL), -EOPNOTSUPP,
			       "event 0x103 needs the extended select");
		unload();
	}
	result("a PCU that does not keep bit 21 has no extended events");
}

/* The files of Linux's snbep_uncore_imc_events and snbep_uncore_qpi_events */
static const struct {
	const char *kind, *file, *text;
} intels[] = {
	{ "imc", "clockticks", "event=0xff,umask=0x00" },
	{ "imc", "cas_count_read", "event=0x04,umask=0x03" },
	{ "imc", "cas_count_read.scale", "6.103515625e-5" },
	{ "imc", "cas_count_read.unit", "MiB" },
	{ "imc", "cas_count_write", "event=0x04,umask=0x0c" },
	{ "imc", "cas_count_write.scale", "6.103515625e-5" },
	{ "imc", "cas_count_write.unit", "MiB" },
	{ "qpi", "clockticks", "event=0x14" },
	{ "qpi", "txl_flits_active", "event=0x00,umask=0x06" },
	{ "qpi", "drs_data", "event=0x102,umask=0x08" },
	{ "qpi", "ncb_data", "event=0x103,umask=0x04" },
};

static void test_names(void)
{
	unsigned int i, k;
	char text[40];

	mock_reset();
	*(bool *)uncore_names_param.arg = true;
	EXPECT(load(), 0);
	expect_file(pmu_of("ha"), "", "cpumask", "0,2\n");
	EXPECT(mock_nr_pmus(), NR_BOXES);
	/* Encodings that intel_uncore has, too */
	for (k = 0; k < ARRAY_SIZE(intels); k++) {
		snprintf(text, sizeof(text), "%s\n", intels[k].text);
		for (i = 0; i < NR_BOXES; i++) {
			if (!strncmp(hw[0][i].name, intels[k].kind, 3))
				expect_file(pmu_of(hw[0][i].name), "events", intels[k].file, text);
		}
	}
	EXPECT_REFUSED(open_event("ha", 0, 0x99, 0, 0, NULL), -EINVAL,
		       "snbep_uncore: uncore_ha: no event 0x99");
	unload();
	*(bool *)uncore_names_param.arg = false;
	result("under intel_uncore's names each box has its files");
}

/* Attributes of the PMU, and module parameters */
static void test_properties(void)
{
	static const struct {
		const struct kernel_param *param;
		int mode;
	} params[] = {
		/* Read once, when the PMUs are found. */
		{ &uncore_names_param, 0444 },
		/* Read at each use. */
		{ &unlisted_param, 0644 },
		{ &mock_param, 0644 },
	};
	const struct attribute_group **g;
	const struct plain *p;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(params); i++)
		EXPECT(params[i].param->mode, params[i].mode);
	mock_reset();
	EXPECT(load(), 0);
	for_each_plain(p) {
		struct pmu *pmu = pmu_of(p->box);

		/* The module stays while an event is open. */
		CHECK(pmu->module == THIS_MODULE);
		EXPECT(pmu->task_ctx_nr, perf_invalid_context);
		/* Then groups of a sampling leader would stop for good. */
		EXPECT(pmu->capabilities, PERF_PMU_CAP_NO_EXCLUDE);
		/* perf only reads the files. */
		for (g = pmu->attr_groups; *g; g++) {
			for (i = 0; (*g)->attrs[i]; i++)
				EXPECT((*g)->attrs[i]->mode, 0444);
		}
	}
	unload();
	result("PMUs, their files and parameters may be used as they should");
}

bool put_term(struct pmu *pmu, const char *term, u64 word[3])
{
	const char *eq = strchr(term, '='), *format;
	unsigned int w, lo, hi;
	char name[32];
	u64 value;

	snprintf(name, sizeof(name), "%.*s", (int)(eq - term), term);
	format = mock_file(pmu, "format", name);
	if (!format)
		return false;
	/* Fields with =?: an opcode has its two highest bits set. */
	value = eq[1] == '?' ? strcmp(name, "filter_opc") ? 1 : 0x182 : strtoull(eq + 1, NULL, 0);
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

/* All aliases of a PMU are events. */
static unsigned int open_aliases(const char *box)
{
	struct pmu *pmu = pmu_of(box);
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
		snprintf(text, sizeof(text), "%s", mock_file(pmu, "events", name));
		for (term = strtok_r(text, ",\n", &save); term; term = strtok_r(NULL, ",\n", &save))
			good &= put_term(pmu, term, word);
		event = open_event(box, 0, word[0], word[1], word[2], NULL);
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
	const struct plain *p;
	unsigned int n = 0;

	mock_reset();
	EXPECT(load(), 0);
	for_each_plain(p)
		n += open_aliases(p->box);
	unload();
	CHECK(n >= 500);
	result("every alias is an event (%u)", n);
}

void test_probe(void)
{
	test_aliases();
	test_files();
	test_hidden();
	test_tried();
	test_sockets();
	test_mapping();
	test_filters();
	test_extended();
	test_names();
	test_properties();
}
