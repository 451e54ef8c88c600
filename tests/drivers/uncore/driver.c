// SPDX-License-Identifier: GPL-2.0-only
/*
 * snbep_uncore on registers that count (machine.c): loads, failures, and whatever perf does
 *
 * driver [SEED]: only the random operations, with that seed
 * explore [deep|SCENARIO]: see mock-kernel/explore.h
 */
#include "snbep_uncore.h"
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

/* Package IDs of the two sockets: each begin() has the next ones. */
static void number_packages(void)
{
	static const u8 numbers[][NR_SOCKETS] = { { 0, 1 }, { 1, 0 }, { 7, 3 }, { 0, 7 } };
	static unsigned int turn;
	const u8 *number = numbers[turn++ % ARRAY_SIZE(numbers)];
	unsigned int i;

	for (i = 0; i < MOCK_CPUS; i++)
		mock_package[i] = number[i / 2];
	/* The entries of absent packages have node 1. */
	for (i = 0; i < NR_SOCKETS; i++)
		machine.node_map[i] = (011111111 & ~(7 << 3 * number[0] | 7 << 3 * number[1])) |
				      machine.node[0] << 3 * number[0] |
				      machine.node[1] << 3 * number[1];
}

void begin(unsigned int socket, const char *name)
{
	mock_reset();
	number_packages();
	box = machine_box(socket, name);
	CHECK(!mock_init());
	log_clear();
}

int box_package(void)
{
	return mock_package[2 * box->socket];
}

const char *of_socket(const char *fmt)
{
	static char text[200];

	snprintf(text, sizeof(text), fmt, box_package());
	return text;
}

/* Between two calls no counting box is frozen; dead ones are not checked. */
static void check_rest(bool closed)
{
	struct pmu *pmu = pmu_of(box->name);
	struct snbep_box *inside = pmu ? to_snbep_pmu(pmu)->box[box_package()] : NULL;

	if (!inside || inside->dead)
		return;
	CHECK(!enabled() || !machine_frozen(box));
	CHECK(!closed || !enabled());
}

void end(void)
{
	check_rest(true);
	unload();
}

int load(void)
{
	int ret;

	mock_calls = 0;
	ret = mock_init();
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
	if (!strcmp(program_invocation_short_name, "explore")) {
		test_explore(argv[1]);
		return tests_done(false);
	}
	test_probe();
	test_contract();
	test_load();
	test_groups();
	test_refuse();
	test_counters();
	test_hotplug();
	test_ports();
	test_cost();
	test_random();
	return tests_done(true);
}
