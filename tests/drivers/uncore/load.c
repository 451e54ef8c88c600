// SPDX-License-Identifier: GPL-2.0-only
/* Loads that fail or race with intel_uncore, and PCI functions that are added meanwhile */
#include "tests.h"

static void plug(struct pci_dev *pdev)
{
	pdev->there = true;
	machine_bind(pdev);
}

/* Let each call that may fail do so once. */
static void test_failures(void)
{
	unsigned int n, told = 0;

	for (n = 1; ; n++) {
		mock_reset();
		mock_fail_at = n;
		if (load()) {
			told += log_has(": not registered: -12");
			EXPECT(mock_nr_pmus(), 0);
			mock_check_left();
			continue;
		}
		/* Less than all boxes would pass for hidden ones. */
		CHECK(mock_calls < n);
		unload();
		if (mock_calls < n)
			break;
	}
	EXPECT(told, 20);
	CHECK(n >= 50);
	result("whichever of %u calls fails at load, nothing is left", n - 1);
}

/* perf shows a PMU before its registration is complete. No event opens before all are. */
static unsigned int early;

static void open_early(struct pmu *pmu)
{
	struct perf_event event = { .attr.type = pmu->type, .pmu = pmu };
	struct perf_event first = event;

	event.group_leader = &event;
	early += pmu->event_init(&event) == -ENOENT;
	/* perf offers an event to all PMUs. */
	event.attr.type = PERF_TYPE_HARDWARE;
	EXPECT(pmu->event_init(&event), -ENOENT);
	first.pmu = pmu_of("ha") ?: pmu;
	first.attr.type = first.pmu->type;
	first.attr.config = 0x0e;
	first.group_leader = &first;
	early += first.pmu->event_init(&first) == (first.pmu == pmu ? -ENOENT : -ENODEV);
}

static void test_early(void)
{
	mock_reset();
	hooks.registering = open_early;
	early = 0;
	EXPECT(load(), 0);
	hooks.registering = NULL;
	EXPECT(early, 40);
	unload();
	result("no event is opened before all PMUs are there");
}

/* intel_uncore was loading before us, and registers its driver now, perhaps before its notifier. */
static bool notifies;

static void intel_comes(struct pmu *pmu)
{
	hooks.registering = NULL;
	mock_intel = true;
	if (notifies)
		mock_module_event("intel_uncore", MODULE_STATE_LIVE);
}

/* One that begins to load after this driver is refused, also before it is done. */
static void intel_is_late(struct pmu *pmu)
{
	hooks.registering = NULL;
	EXPECT(mock_module_event("intel_uncore", MODULE_STATE_COMING), notifier_from_errno(-EBUSY));
}

static void test_both(void)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		mock_reset();
		hooks.registering = intel_comes;
		notifies = !i;
		EXPECT(load(), -EBUSY);
		hooks.registering = NULL;
		expect_log("was loaded at the same time", !i);
		expect_log("modprobe -r intel_uncore", true);
		expect_log("PMUs", false);
		mock_check_left();
	}
	mock_reset();
	hooks.registering = intel_is_late;
	EXPECT(load(), 0);
	unload();
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
	static const struct {
		const char *name;
		unsigned long state;
		bool refused;
	} modules[] = {
		{ "e1000", MODULE_STATE_COMING },
		{ "intel_uncore_frequency", MODULE_STATE_COMING },
		{ "intel_uncore", MODULE_STATE_GOING }, { "intel_uncore", MODULE_STATE_LIVE },
		{ "intel_uncore", MODULE_STATE_COMING, true },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(others); i++) {
		mock_reset();
		boot_cpu_data.x86_vendor = others[i].vendor;
		boot_cpu_data.x86 = others[i].family;
		boot_cpu_data.x86_model = others[i].model;
		EXPECT(load(), -ENODEV);
		expect_log(others[i].log, true);
		mock_check_left();
	}
	mock_reset();
	mock_virtual = true;
	EXPECT(load(), -ENODEV);
	expect_log("not loaded: virtual machines have no uncore counters, load the module on the host", true);
	EXPECT(mock_calls, 0);
	mock_reset();
	mock_intel = true;
	EXPECT(load(), -EBUSY);
	expect_log("modprobe -r intel_uncore", true);
	expect_log("initcall_blacklist=intel_uncore_init", true);
	mock_check_left();

	mock_reset();
	EXPECT(load(), 0);
	for (i = 0; i < ARRAY_SIZE(modules); i++)
		EXPECT(mock_module_event(modules[i].name, modules[i].state),
		       modules[i].refused ? notifier_from_errno(-EBUSY) : 0);
	expect_log("intel_uncore not loaded", true);
	expect_log("was loaded at the same time", false);
	mock_intel = true;
	mock_module_event("intel_uncore", MODULE_STATE_LIVE);
	expect_log("was loaded at the same time", true);
	CHECK(!open_event("ha", 0, 0x0e, 0, 0, NULL) && open_errno == -ENODEV);
	unload();
	result("other processors and drivers are told of");
}

static void test_none(void)
{
	unsigned int i;

	mock_reset();
	for (i = 0; i < 2 * NR_BOXES; i++) {
		struct hw_box *b = &hw[i % 2][i / 2];

		b->absent = true;
		if (b->pdev)
			b->pdev->there = false;
	}
	EXPECT(load(), -ENODEV);
	expect_log("no uncore box responds: the firmware hides them all", true);
	mock_check_left();
	result("without a box the module does not load");
}

/* Without memory, a box is left out until it is probed again. */
static void late_without_memory(struct pci_dev *qpi)
{
	mock_reset();
	qpi->there = false;
	EXPECT(load(), 0);
	mock_fail_at = mock_calls + 1;
	plug(qpi);
	EXPECT(machine.probed, -ENOMEM);
	machine_bind(qpi);
	expect_file(pmu_of("qpi_0"), "", "cpumask", "0,2\n");
	unload();
}

/* PCI functions that are added later get a new PMU, or join one. */
static void test_late(void)
{
	struct pci_dev *ha = machine_function(1, 14, 1);
	struct pci_dev *qpi = machine_function(1, 8, 2);
	struct pci_dev *ubox = machine_function(1, 11, 0);
	struct perf_event *event;
	struct pci_dev *imc[2] = {
		machine_function(0, 16, 4), machine_function(1, 16, 4),
	};

	mock_reset();
	ha->there = false;
	qpi->there = false;
	imc[0]->there = false;
	imc[1]->there = false;
	EXPECT(load(), 0);
	expect_file(pmu_of("qpi_0"), "", "cpumask", "0\n");
	plug(ha);
	expect_file(pmu_of("ha"), "", "cpumask", "0,2\n");
	plug(qpi);
	expect_file(pmu_of("qpi_0"), "", "cpumask", "0,2\n");
	mock_fail_at = mock_calls + 1;
	plug(imc[1]);
	CHECK(machine.probed == -ENOMEM && !pmu_of("imc_2"));
	machine_bind(imc[1]);
	expect_file(pmu_of("imc_2"), "", "cpumask", "2\n");
	plug(imc[0]);
	expect_file(pmu_of("imc_2"), "", "cpumask", "0,2\n");
	event = open_event("ha", 2, 0x0e, 0, 0, NULL);
	CHECK(event && mock_sched_in(event));
	mock_close(event);
	/* The UBox is no CBo, whatever driver_override says. */
	ubox->overridden = true;
	machine_bind(ubox);
	ubox->overridden = false;
	EXPECT(machine.probed, -ENODEV);
	unload();

	late_without_memory(qpi);
	result("functions that come later are taken in");
}

void test_load(void)
{
	test_failures();
	test_early();
	test_both();
	test_others();
	test_none();
	test_late();
}
