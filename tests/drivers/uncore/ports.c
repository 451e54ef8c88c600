// SPDX-License-Identifier: GPL-2.0-only
/* Boxes without memory-mapped configuration space: the lock of I/O ports is never met twice */
#include "tests.h"

/* Samplers of a group, and whether they sample while this CPU may hold the ports' lock */
static const struct {
	const char *what;
	unsigned int type;
	u64 config, period, sample;
	bool anywhere;
} samplers[] = {
	{ "a tracepoint", PERF_TYPE_TRACEPOINT, 0, 1, PERF_SAMPLE_READ, true },
	{ "context switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES, 1, PERF_SAMPLE_READ, true },
	{ "page faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 1, PERF_SAMPLE_READ, true },
	{ "a breakpoint", PERF_TYPE_BREAKPOINT, 1, 1, PERF_SAMPLE_READ, true },
	{ "a clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, 1000, PERF_SAMPLE_READ | PERF_SAMPLE_IP },
	{ "a task's clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK, 1000, PERF_SAMPLE_READ },
	{ "samples without the group", PERF_TYPE_TRACEPOINT, 0, 1, PERF_SAMPLE_IP },
	{ "an event that counts", PERF_TYPE_TRACEPOINT, 0, 0, PERF_SAMPLE_READ },
};

static const char only_clocks[] =
	"without memory-mapped configuration space (MMCONFIG), only cpu-clock and task-clock can sample this box";

static struct perf_event *open_sampler(unsigned int i, struct perf_event *leader)
{
	static struct pmu pmu = { .name = "other" };
	struct perf_event_attr attr = {
		.type = samplers[i].type, .config = samplers[i].config,
		.sample_period = samplers[i].period, .sample_type = samplers[i].sample,
	};
	int err;

	return mock_open(&pmu, &attr, 0, leader, &err);
}

/* Open an event in a group that another one samples, and count. */
static void lead(const char *name, unsigned int i, bool ports)
{
	struct perf_event *leader, *event;

	begin(0, name);
	leader = open_sampler(i, NULL);
	event = try_open(0x00, 0, leader);
	if (ports && samplers[i].anywhere) {
		EXPECT_REFUSED(event, -EOPNOTSUPP, only_clocks);
	} else {
		CHECK(event && mock_sched_in(leader));
		/* perf_event_read_local(), which BPF programs call, refuses these. */
		EXPECT(event->attr.inherit, ports);
		pass(3);
		EXPECT_COUNT(event, 0, 3 * rate_of(0x00));
		mock_close(event);
	}
	mock_close(leader);
	end();
}

/* A group of the box that gets a sampler later, which the driver is not asked about */
static void join(unsigned int i)
{
	struct perf_event *ev[3];
	unsigned int was;

	begin(0, "ha");
	ev[0] = try_open(0x00, 0, NULL);
	ev[1] = try_open(0x0e, 0, ev[0]);
	ev[2] = open_sampler(i, ev[0]);
	CHECK(mock_sched_in(ev[0]));
	pass(2);
	was = machine.port_accesses;
	/* The sample interrupts an access of this CPU: machine.c faults at another one. */
	machine.port_lock = samplers[i].anywhere;
	mock_read_group(ev[0], 0);
	machine.port_lock = false;
	EXPECT(machine.port_accesses > was, !samplers[i].anywhere);
	EXPECT(count_of(ev[1]), samplers[i].anywhere ? 0 : 2 * rate_of(0x0e));
	/* The hrtimer may access the ports, and so may perf as the event stops. */
	mock_timers();
	EXPECT(count_of(ev[1]), 2 * rate_of(0x0e));
	pass(1);
	mock_sched_out(ev[0]);
	EXPECT(count_of(ev[0]), 3 * rate_of(0x00));
	EXPECT(count_of(ev[1]), 3 * rate_of(0x0e));
	mock_close(ev[2]);
	mock_close(ev[1]);
	mock_close(ev[0]);
	end();
}

static struct perf_event *sampled;

/* Take a sample while the driver has the lock of the ports. */
static void sample(struct hw_box *at)
{
	if (at == box && machine.port_lock)
		mock_read(sampled, 0);
}

static void own_accesses(void)
{
	struct perf_event *event, *sampler;

	begin(0, "imc_0");
	event = try_open(0x01, 0, NULL);
	sampled = try_open(0x304, 0, NULL);
	sampler = open_sampler(0, sampled);
	CHECK(mock_sched_in(sampled));
	machine.access = sample;
	machine.accessed = sample;
	CHECK(mock_sched_in(event));
	pass(5);
	mock_timers();
	EXPECT_COUNT(event, 0, 5 * rate_of(0x01));
	EXPECT(count_of(sampled), 5 * rate_of(0x304));
	mock_sched_out(event);
	mock_suspend();
	mock_resume();
	machine.access = NULL;
	machine.accessed = NULL;
	mock_close(sampler);
	mock_close(sampled);
	mock_close(event);
	end();
}

/* Filters below 0x100 work, and those above are refused. */
static void filters(void)
{
	static const u32 addr = 0xabcde000;
	struct perf_event *event;

	begin(0, "ha");
	event = open_event("ha", 0, 0x320, addr, 0x2d, NULL);
	CHECK(event && mock_sched_in(event));
	EXPECT(box->filter[0], addr);
	EXPECT(box->filter[2], 0x2d);
	mock_close(event);
	EXPECT_REFUSED(open_event("qpi_0", 0, 0x200038, 0x20, 0x20, NULL), -EOPNOTSUPP,
		       of_socket("the packet filters of socket %d need memory-mapped configuration space (MMCONFIG)"));
	event = open_event("qpi_0", 0, 0x04, 0, 0, NULL);
	CHECK(event && mock_sched_in(event));
	mock_close(event);
	end();
}

/* A function that goes is missed, as is one that does not answer after suspend. */
static void gone(void)
{
	struct pci_dev *twin = machine_function(0, 9, 6);
	struct perf_event *event;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		begin(0, "r2pcie");
		event = open_on(0x01, 0, NULL);
		pass(4);
		mock_read(event, 1);
		EXPECT(count_of(event), 4 * rate_of(0x01));
		box->pdev->there = false;
		if (i) {
			mock_suspend();
			mock_resume();
		} else {
			mock_read(event, 0);
		}
		mock_interrupts();
		EXPECT(count_of(event), 4 * rate_of(0x01));
		expect_log(of_socket("snbep_uncore_r2pcie: socket %d no longer responds"), true);
		/* Until it is removed, the box has its function. */
		box->pdev->there = true;
		twin->device = box->pdev->device;
		machine_bind(twin);
		expect_log("ignored: this socket already has the box", true);
		machine_unbind(box->pdev);
		machine_poke(box, used_ctr(), 0);
		machine_bind(box->pdev);
		CHECK(box->pdev->bound);
		mock_close(event);
		end();
	}
}

/* The function of an open event is found again, and cannot be mapped: BPF programs may read it. */
static void unmapped(void)
{
	struct perf_event *event;

	begin(0, "ha");
	event = open_on(0x00, 0, NULL);
	machine_unbind(box->pdev);
	mock_interrupts();
	machine.nommconf = true;
	machine_bind(box->pdev);
	CHECK(mock_sched_in(event));
	pass(2);
	machine.port_lock = true;
	EXPECT_COUNT(event, 0, 0);
	machine.port_lock = false;
	mock_sched_out(event);
	EXPECT(count_of(event), 2 * rate_of(0x00));
	mock_close(event);
	end();
}

void test_ports(void)
{
	unsigned int i, ports;

	for (ports = 0; ports < 2; ports++) {
		without_mmconfig = ports;
		for (i = 0; i < ARRAY_SIZE(samplers); i++) {
			lead("ha", i, ports);
			/* Boxes in MSR space have no such rule. */
			lead("cbox_0", i, false);
		}
	}
	for (i = 0; i < ARRAY_SIZE(samplers); i++)
		join(i);
	own_accesses();
	without_mmconfig = false;
	unmapped();
	without_mmconfig = true;
	result("a read that may interrupt an access through I/O ports makes none");
	filters();
	gone();
	without_mmconfig = false;
	result("boxes behind I/O ports have their filters, and are missed when they go");
}
