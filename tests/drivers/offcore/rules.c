// SPDX-License-Identifier: GPL-2.0-only
/*
 * Refusal of response register values that count nothing, or not what their names say (SDM 18.8.1.3
 * and 18.9.5); contents of the PMU's sysfs files
 */
#include "tests.h"

/* Sandy Bridge-EP: bits of config1 */
#define LOCAL_DRAM	BIT_ULL(0)
#define LLC_HIT		BIT_ULL(1)
#define SNP_ANY		BIT_ULL(2)
#define REMOTE		BIT_ULL(4)

static const struct rule {
	unsigned int model;
	u64 config, config1;
	const char *log;	/* NULL: accepted */
} rules[] = {
	{ 45, 0x10001, 0, NULL },
	{ 45, 0x10001 | 1ull << 38, 0,
	  "bits 0x4000000000 of the response register are reserved on Sandy Bridge-EP" },
	{ 45, 0x10001 | 1 << 12, 0, "bits 0x1000 of the response register are reserved" },
	/* Only some of the remote bits */
	{ 45, 0x0000001 | 1 << 23, 0, "remote needs all of the bits 0x7f800000: 0x800001 has" },
	{ 45, 1, REMOTE, NULL },
	{ 45, 0x10000, 0, "counts nothing without a request" },
	{ 45, 1, 0, "0x1 counts nothing without a response" },
	{ 45, 1ull << 36 | 1, 0, "counts nothing without a supplier" },
	{ 45, 1, SNP_ANY, "counts nothing without a supplier" },
	{ 45, 1 << 22 | 1, 0, NULL },
	{ 45, 1ull << 36 | 1, LLC_HIT, NULL },
	{ 45, 0x10001, REMOTE, "another response beside any_response" },
	/* ... the same by number */
	{ 45, 0x7f810001, 0, "0x7f810001 has another response beside any_response" },
	/* Bits of config1 that are not fields, with and without one in config */
	{ 45, 0x10001, BIT_ULL(16), "bits 0x10000 of config1 are not a field" },
	{ 45, 1, BIT_ULL(20) | LLC_HIT, "bits 0x100000 of config1 are not a field" },
	{ 45, 1, LOCAL_DRAM | LLC_HIT,
	  "also counts supplier 0x40000 with snoop 0x200000000, which none of its responses has" },
	/* Nehalem: any_response is all responses, and has no bit of its own. */
	{ 26, 0x0001, BIT_ULL(0), NULL },
	{ 26, 0xff01, 0, NULL },
	{ 26, 0x0101, BIT_ULL(0), "0xff01 has another response beside any_response" },
	{ 26, 0x0001, BIT_ULL(0) | BIT_ULL(4), "another response beside any_response" },
	{ 26, 0x0000, BIT_ULL(0), "counts nothing without a request" },
	{ 26, 0x0001, 0, "counts nothing without a response" },
	{ 26, 0x10001, 0, "bits 0x10000 of the response register are reserved on Nehalem" },
};

static void test_values(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		const struct rule *r = &rules[i];
		struct perf_event_attr attr = {
			.config = r->config, .config1 = r->config1,
		};
		struct perf_event *event;
		int err = 0;

		load_on(r->model);
		log_clear();
		machine.writes = 0;
		event = mock_open(mock_pmu("offcore_rsp"), &attr, 0, NULL, &err);
		EXPECT(machine.writes, 0);
		if (wrong(!event != !!r->log || (!event && err != -EINVAL) ||
			  (r->log ? !log_has(r->log) : log_has("offcore"))))
			fault("row %u: error %d, or the log is not '%s'", i, err, r->log ?: "");
		if (event)
			mock_close(event);
		unload();
	}
	result("a value that counts nothing, or more than it says, is refused (%zu)",
	       ARRAY_SIZE(rules));
}

/*
 * E5-2600: names for several bits of the register (supplier, snoop result, or both), with the
 * values of Intel's event lists
 */
static const struct {
	unsigned int bit;
	bool pairs;
	u64 value;
} sets[] = {
	{ 0, true, 0x0600400000 }, { 1, false, 0x00003c0000 },
	{ 2, false, 0x3f80000000 }, { 4, false, 0x007f800000 },
	{ 5, true, 0x067f800000 }, { 10, true, 0x3fffc20000 },
	{ 11, true, 0x067fc00000 }, { 12, true, 0x107fc00000 },
};

#define SUPPLIERS	GENMASK_ULL(30, 17)
#define SNOOPS		GENMASK_ULL(37, 31)

/* Return whether the combined register value counts no more than its sets. */
static bool is_product(unsigned int chosen, u64 all)
{
	unsigned int i, s, n;
	bool pairs = false;

	for (i = 0; i < ARRAY_SIZE(sets); i++)
		pairs |= chosen & BIT(i) && sets[i].pairs;
	for (s = 17; pairs && s <= 30; s++) {
		for (n = 31; n <= 37; n++) {
			u64 both = BIT_ULL(s) | BIT_ULL(n);
			bool covered = (all & both) != both;

			for (i = 0; i < ARRAY_SIZE(sets); i++)
				covered |= chosen & BIT(i) && sets[i].pairs &&
					   (sets[i].value & both) == both;
			if (!covered)
				return false;
		}
	}
	return all & SUPPLIERS;
}

static void test_products(void)
{
	unsigned int chosen, i, good = 0;

	load_on(45);
	for (chosen = 0; chosen < BIT(ARRAY_SIZE(sets)); chosen++) {
		struct perf_event_attr attr = { .config = 1 };
		struct perf_event *event;
		u64 want = 1;
		int err = 0;

		for (i = 0; i < ARRAY_SIZE(sets); i++) {
			if (chosen & BIT(i)) {
				attr.config1 |= BIT_ULL(sets[i].bit);
				want |= sets[i].value;
			}
		}
		event = mock_open(mock_pmu("offcore_rsp"), &attr, 0, NULL, &err);
		EXPECT(err, is_product(chosen, want) ? 0 : -EINVAL);
		if (!event)
			continue;
		good++;
		/* A supplier alone counts all snoop results. */
		if (!(want & SNOOPS))
			want |= SNOOPS;
		EXPECT(mock_sched_in(event), true);
		EXPECT(*machine_rsp(0, 0), want);
		mock_close(event);
	}
	EXPECT(good > 0, true);
	unload();
	result("sets of responses count what they say, or are refused");
}

static void test_files(void)
{
	struct pmu *pmu;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		processor(45);
		/* With a core PMU that accepts offcore events, and without one */
		mock_core_pmu = i ? -ENOENT : 0;
		load();
		pmu = mock_pmu("offcore_rsp");
		expect_file(pmu, "caps", "mode", i ? "direct\n" : "kernel\n");
		/* Only the core PMU counts tasks; perf opens other events on these CPUs. */
		expect_file(pmu, "", "cpumask", i ? "0,1,2,3\n" : NULL);
		mock_cpu_down(1);
		expect_file(pmu, "", "cpumask", i ? "0,2,3\n" : NULL);
		mock_cpu_up(1);
		expect_file(pmu, "format", "dmnd_data_rd", "config:0\n");
		/* All bits, so that perf passes reserved ones on and the driver logs them. */
		expect_file(pmu, "format", "rsp", "config:0-63\n");
		expect_file(pmu, "format", "remote_cache", "config1:14\n");
		expect_file(pmu, "events", "data_reads", "dmnd_data_rd,any_response\n");
		/* A bit of Nehalem alone */
		expect_file(pmu, "format", "uncore_hit", NULL);
		expect_file(pmu, "events", "data_reads_miss", "dmnd_data_rd,llc_miss\n");
		unload();
	}
	result("the sysfs files have the processor's names, its CPUs and the mode");
}

void test_rules(void)
{
	test_values();
	test_products();
	test_files();
}
