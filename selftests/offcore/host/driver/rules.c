// SPDX-License-Identifier: GPL-2.0-only
/*
 * Values of the response register that mean nothing, or not what their names
 * say: sections 18.8.1.3 and 18.9.5 of the manual. And the files of the PMU.
 */
#include "tests.h"

/* Sandy Bridge-EP: bits of config1 */
#define LOCAL_DRAM	BIT_ULL(0)
#define LLC_HIT		BIT_ULL(1)
#define SNP_ANY		BIT_ULL(2)
#define REMOTE		BIT_ULL(4)
#define REMOTE_DRAM	BIT_ULL(5)
#define REMOTE_HITM	BIT_ULL(12)

struct rule {
	u64 config, config1;
	const char *log;	/* NULL: it is an event */
};

static const struct rule sandy_bridge[] = {
	{ 0x10001, 0, NULL },
	{ 0x10001 | 1ull << 38, 0, "bits 0x4000000000 of the response register are reserved on Sandy Bridge-EP" },
	{ 0x10001 | 1 << 12, 0, "bits 0x1000 of the response register are reserved" },
	/* Some of the remote bits are not remote. */
	{ 0x0000001 | 1 << 23, 0, "remote is all of the bits 0x7f800000: 0x800001 has" },
	{ 1, REMOTE, NULL },
	{ 0x10000, 0, "counts nothing without a request" },
	{ 1, 0, "0x1 counts nothing without a response" },
	{ 1ull << 36 | 1, 0, "counts nothing without a supplier" },
	{ 1, SNP_ANY, "counts nothing without a supplier" },
	/* A supplier alone is one with any result of the snoop. */
	{ 1 << 22 | 1, 0, NULL },
	{ 1, LLC_HIT, NULL },
	{ 1ull << 36 | 1, LLC_HIT, NULL },
	{ 0x10001, REMOTE, "another response beside any_response" },
	/* ... and the same without its name */
	{ 0x7f810001, 0, "0x7f810001 has another response beside any_response" },
	/* A bit of config1 that is no field, where config has one that is */
	{ 0x10001, BIT_ULL(16), "bits 0x10000 of config1 are no field" },
	/* Sets that are a product of suppliers and snoops, and what is more */
	{ 1, LOCAL_DRAM, NULL },
	{ 1, LOCAL_DRAM | REMOTE_DRAM, NULL },
	{ 1, LOCAL_DRAM | LLC_HIT, "counts more than its responses one by one, as it has supplier 0x40000 with snoop 0x200000000" },
	{ 1, LOCAL_DRAM | REMOTE_HITM, "with snoop 0x200000000" },
	{ 1, REMOTE_DRAM | REMOTE_HITM, "supplier 0x400000 with snoop 0x200000000" },
};

/* Nehalem: any_response is all that there are, and has no bit of its own. */
static const struct rule nehalem[] = {
	{ 0x0001, BIT_ULL(0), NULL },
	{ 0xff01, 0, NULL },
	{ 0x0101, BIT_ULL(0), "0xff01 has another response beside any_response" },
	{ 0x0001, BIT_ULL(0) | BIT_ULL(4), "another response beside any_response" },
	{ 0x0000, BIT_ULL(0), "counts nothing without a request" },
	{ 0x0001, 0, "counts nothing without a response" },
	{ 0x10001, 0, "bits 0x10000 of the response register are reserved on Nehalem" },
};

static void try_rules(unsigned int model, const struct rule *rules, size_t n)
{
	unsigned int i;

	mock_reset();
	machine_choose(model);
	if (wrong(mock_init()))
		fault("not loaded");
	for (i = 0; i < n; i++) {
		struct perf_event_attr attr = {
			.config = rules[i].config, .config1 = rules[i].config1,
		};
		struct perf_event *event;
		int err;

		log_clear();
		event = mock_open(mock_pmu("offcore_rsp"), &attr, 0, NULL, &err);
		if (wrong(!event != !!rules[i].log || (!event && err != -EINVAL)))
			fault("%#llx, %#llx: error %d",
			      (unsigned long long)rules[i].config,
			      (unsigned long long)rules[i].config1, err);
		if (wrong(rules[i].log ? !log_has(rules[i].log) : log_has("offcore")))
			fault("%#llx, %#llx: the log says nothing, or too much",
			      (unsigned long long)rules[i].config,
			      (unsigned long long)rules[i].config1);
		if (event)
			mock_close(event);
	}
	mock_interrupts();
	mock_exit();
	mock_check_left();
}

static void test_values(void)
{
	try_rules(45, sandy_bridge, ARRAY_SIZE(sandy_bridge));
	try_rules(26, nehalem, ARRAY_SIZE(nehalem));
	result("a value that counts nothing, or more than it says, is refused (%zu)",
	       ARRAY_SIZE(sandy_bridge) + ARRAY_SIZE(nehalem));
}

static void expect_file(const char *group, const char *file, const char *want)
{
	const char *text = mock_file(mock_pmu("offcore_rsp"), group, file);

	if (wrong(!text != !want || (text && strcmp(text, want))))
		fault("%s/%s: %s", group, file, text ?: "not shown");
}

static void test_files(void)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		mock_reset();
		/* With a core PMU that takes offcore events, and without one */
		mock_core_pmu = i ? -ENOENT : 0;
		if (wrong(mock_init()))
			fault("not loaded");
		expect_file("caps", "mode", i ? "direct\n" : "kernel\n");
		/* Tasks are the core PMU's; perf opens the others on these CPUs. */
		expect_file("", "cpumask", i ? "0,1,2,3\n" : NULL);
		expect_file("format", "dmnd_data_rd", "config:0\n");
		/* All bits, so that it is the driver that refuses some. */
		expect_file("format", "rsp", "config:0-63\n");
		expect_file("format", "remote_cache", "config1:14\n");
		expect_file("events", "data_reads", "dmnd_data_rd,any_response\n");
		/* Nehalem's */
		expect_file("format", "uncore_hit", NULL);
		expect_file("events", "data_reads_miss", "dmnd_data_rd,llc_miss\n");
		mock_interrupts();
		mock_exit();
		mock_check_left();
	}
	result("files have the names of the processor, and whose the counters are");
}

void test_rules(void)
{
	test_values();
	test_files();
}
