// SPDX-License-Identifier: GPL-2.0-only
#include "snbep/box.h"
#include "snbep/pmus.h"
#include "tests.h"

struct hw_box *box;
int open_errno;

const char *where(void)
{
	return box ? box->name : "";
}

struct pmu *pmu_of(const char *box)
{
	char name[32];

	snprintf(name, sizeof(name), "%s_%s",
		 mock_pmu("uncore_ha") ? "uncore" : "snbep_uncore", box);
	return mock_pmu(name);
}

void begin(unsigned int socket, const char *name)
{
	mock_reset();
	box = machine_box(socket, name);
	CHECK(!mock_init());
	mock_interrupts();
	log_clear();
}

/* Between two calls no counting box is frozen; dead ones are not checked. */
static void check_rest(bool closed)
{
	struct pmu *pmu = pmu_of(box->name);
	struct snbep_box *inside = pmu ? to_snbep_pmu(pmu)->box[box->socket] : NULL;

	if (!inside || inside->dead)
		return;
	CHECK(!enabled() || !machine_frozen(box));
	CHECK(!closed || !enabled());
}

void end(void)
{
	mock_interrupts();
	check_rest(true);
	unload();
}

int load(void)
{
	int ret;

	mock_calls = 0;
	ret = mock_init();
	mock_interrupts();
	return ret;
}

void unload(void)
{
	mock_cpu = mock_first(mock_online);
	mock_exit();
	mock_check_left();
}

struct perf_event *open_event(const char *box, int cpu, u64 config, u64 config1,
			      u64 config2, struct perf_event *leader)
{
	struct perf_event_attr attr = {
		.config = config, .config1 = config1, .config2 = config2,
	};

	return mock_open(pmu_of(box), &attr, cpu, leader, &open_errno);
}

struct perf_event *try_open(u64 config, u64 config1, struct perf_event *leader)
{
	unsigned int cpu = 2 * box->socket;

	return open_event(box->name, cpu_online(cpu) ? cpu : cpu + 1, config, config1, 0, leader);
}

struct perf_event *open_software(struct perf_event *leader)
{
	static struct pmu software = { .name = "software" };
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE };
	int err;

	return mock_open(&software, &attr, 0, leader, &err);
}

struct perf_event *open_on(u64 config, u64 config1, struct perf_event *leader)
{
	struct perf_event *event = try_open(config, config1, leader);

	if (wrong(!event || (!leader && !mock_sched_in(event))))
		fault("%s: event %#llx: error %d", box->name, (unsigned long long)config,
		      open_errno);
	return event;
}

u64 rate_of(u64 config)
{
	u32 none[4] = { };

	return machine_rate(box, 0, config | EN, none);
}

void pass(u64 ticks)
{
	check_rest(false);
	mock_cycles += ticks * TICK;
	machine_tick(box, ticks);
}

unsigned int used_ctr(void)
{
	unsigned int i;

	for (i = 0; i <= FIXED; i++) {
		if (*box->ctl[i] & EN)
			return i;
	}
	fault("%s: no counter is in use", box->name);
	return 0;
}

const struct plain plain[NR_PLAIN] = {
	{ "cbox_3", 0x00, 0x0100041b }, { "ha", 0x00, 0x0e },
	{ "imc_0", 0x01, 0x304 }, { "pcu", 0x00, 0x01 },
	{ "qpi_0", 0x14, 0x04 }, { "r2pcie", 0x01, 0x01840001 },
	{ "r3qpi_1", 0x01, 0x02000001 }, { "ubox", 0x44, 0x142 },
};

unsigned int enabled(void)
{
	unsigned int i, on = 0;

	for (i = 0; i <= FIXED; i++)
		on += !!(*box->ctl[i] & EN);
	return on;
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	mock_no_hes = true;
	if (argc > 1 && !strcmp(argv[1], "explore")) {
		test_explore(argc > 2 ? argv[2] : NULL);
		return tests_done(false);
	}
	test_probe();
	test_contract();
	test_load();
	test_groups();
	test_refuse();
	test_counters();
	test_hotplug();
	test_fault();
	test_ports();
	test_cost();
	test_random();
	test_explore(NULL);
	return tests_done(true);
}
