// SPDX-License-Identifier: GPL-2.0-only
/*
 * Encodings that break a rule of the guide, one for each rule, and groups that
 * never can be counted. The log names the rule.
 */
#include "tests.h"

/* An occurrence of the QPI packet match, its opcode 0x182 of CBo's filter */
#define QPI_MATCH	0x200038
#define CBO_OPC		(0x182ull << 23)

static const struct {
	const char *box;
	u64 config, config1, config2;
	const char *log;	/* NULL: it is an event */
} rules[] = {
	/* Tables 2-11, 2-36, 2-60, 2-76, 2-87: what is no field */
	{ "cbox_0", 1 << 20, 0, 0, "config bits 0x100000 are not a field of this box" },
	{ "imc_0", 4, 1, 0, "config1 bits 0x1 are not a field of this box (Table 2-61)" },
	{ "cbox_0", 0, 0, 1, "not a field of this box (Table 2-10)" },
	{ "ha", 0, 1, 0, "not a field of this box (Table 2-35)" },
	{ "pcu", 0, 0, 1, "not a field of this box (Table 2-75)" },
	{ "qpi_0", 1 << 20, 0, 0, "not a field of this box (Table 2-86)" },
	{ "r2pcie", 0, 1, 0, "not a field of this box (Table 2-106)" },
	{ "r3qpi_0", 0, 1, 0, "not a field of this box (Table 2-120)" },
	{ "ubox", 0, 1, 0, "not a field of this box (Table 2-2)" },
	{ "ha", 1, 0, 1ull << 63, "config2 bits 0x8000000000000000 are not a field" },
	/* Events of the box, with their unit masks */
	{ "imc_0", 0x304, 0, 0, NULL },
	{ "imc_0", 0xfe, 0, 0, "no event 0xfe for the" },
	{ "pcu", 0xfc, 0, 0, "event 0xfc belongs to another box: C3 residency" },
	/* The same with the extended select is none that anybody tries. */
	{ "pcu", 0x2000fc, 0, 0, "no event 0x1fc for the pcu" },
	{ "pcu", 0x4090, 0, 0, "no event 0x90 for the pcu" },
	/* There is one with the extended select. */
	{ "qpi_0", 0x38, 0, 0, "no event 0x38 for the qpi" },
	{ "imc_0", 0x004, 0, 0, "counts nothing without a unit mask" },
	{ "imc_0", 0x4004, 0, 0, "umask 0x40 is neither a unit mask" },
	/* Those that stand alone: Tables 2-25, 2-29, 2-30 and 2-124 */
	{ "cbox_0", 0x535, CBO_OPC, 0, "umask 0x5 is neither a unit mask" },
	{ "cbox_0", 0x1435, 0, 0, "umask 0x14 is neither a unit mask" },
	{ "cbox_0", 0x311, 0, 0, "umask 0x3 is neither a unit mask" },
	{ "cbox_0", 0x313, 0, 0, "umask 0x3 is neither a unit mask" },
	{ "ha", 0x0120, 0x40, 0, "umask 0x1 is neither a unit mask" },
	{ "cbox_0", 0x0c36, 0, 0, "umask 0xc is neither a unit mask" },
	{ "r3qpi_0", 0x3822, 0, 0, "umask 0x38 is neither a unit mask" },
	{ "r3qpi_0", 0x1820, 0, 0, "umask 0x18 is neither a unit mask" },
	{ "r2pcie", 0x101, 0, 0, "has no unit masks: umask 0x1 must be 0" },
	/* One queue for each counter: sections 2.8.7 and 2.9.7 */
	{ "r2pcie", 0x0123, 0, 0, NULL },
	{ "r2pcie", 0x0323, 0, 0, "umask 0x3 is neither a unit mask" },
	{ "r2pcie", 0x1810, 0, 0, "umask 0x18 is neither a unit mask" },
	{ "r2pcie", 0x0325, 0, 0, NULL },
	{ "r3qpi_0", 0x0310, 0, 0, "umask 0x3 is neither a unit mask" },
	{ "r3qpi_0", 0x0311, 0, 0, "umask 0x3 is neither a unit mask" },
	{ "r3qpi_0", 0x0313, 0, 0, "umask 0x3 is neither a unit mask" },
	{ "r3qpi_0", 0x0337, 0, 0, NULL },
	/* The IV ring, by polarity: sections 2.3.7, 2.8.7 and 2.9.7 */
	{ "cbox_0", 0x051e, 0, 0, NULL },
	{ "cbox_0", 0x0a1e, 0, 0, NULL },
	{ "cbox_0", 0x0f1e, 0, 0, NULL },
	{ "cbox_0", 0x011e, 0, 0, "umask 0x1 is neither a unit mask" },
	{ "r2pcie", 0x050a, 0, 0, NULL },
	{ "r2pcie", 0x0a0a, 0, 0, NULL },
	{ "r2pcie", 0x030a, 0, 0, "umask 0x3 is neither a unit mask" },
	{ "r3qpi_0", 0x050a, 0, 0, NULL },
	{ "r3qpi_0", 0x0a0a, 0, 0, NULL },
	{ "r3qpi_0", 0x0c0a, 0, 0, "umask 0xc is neither a unit mask" },
	/* Fixed counters */
	{ "imc_0", 0xff, 0, 0, NULL },
	{ "imc_0", 0x1ff, 0, 0, "has no fields except event=0xff" },
	{ "ubox", 0x10000ff, 0, 0, "has no fields except event=0xff" },
	/* Thresholds: 2.3.3.2 and Table 2-76 */
	{ "cbox_0", 0x1000000 | 1 << 18, 0, 0, NULL },
	{ "cbox_0", 1 << 18, 0, 0, "edge and inv need a threshold" },
	{ "cbox_0", 1 << 23, 0, 0, "edge and inv need a threshold" },
	{ "pcu", 0x4080 | 1u << 30, 0, 0, "occ_edge and occ_invert need a threshold" },
	{ "pcu", 0x4080 | 1u << 31, 0, 0, "occ_edge and occ_invert need a threshold" },
	{ "pcu", 0x0080, 0, 0, "needs occ_sel=1, 2 or 3" },
	/* Section 2.5.8: inverted or its edges, but not both */
	{ "imc_0", 0x1000183 | 1 << 18, 0, 0, NULL },
	{ "imc_0", 0x1000183 | 1 << 23, 0, 0, NULL },
	{ "imc_0", 0x1000183 | 1 << 18 | 1 << 23, 0, 0,
	  "power_cke_cycles takes edge or inv, but not both" },
	{ "imc_0", 0x1000001 | 1 << 18 | 1 << 23, 0, 0, NULL },
	{ "pcu", 0x4000, 0, 0, "need an event with bit 7 set" },
	/* Filters: Tables 2-12, 2-37, 2-77, 2-88 */
	{ "cbox_0", 0x135, CBO_OPC, 0, NULL },
	{ "cbox_0", 0x135, 0, 0, "tor_inserts with umask 0x1 counts nothing without filter_opc" },
	{ "cbox_0", 0x00, 0x400, 0, "filter_nid has no effect on clockticks:" },
	{ "cbox_0", 0x135, 0x82ull << 23, 0, "filter_opc=0x82 matches nothing" },
	{ "cbox_0", 0x135, 0x102ull << 23, 0, "filter_opc=0x102 matches nothing" },
	/* One filter of two is missing. */
	{ "cbox_0", 0x135 | 1 << 19, CBO_OPC | 3, 0, NULL },
	{ "cbox_0", 0x135 | 1 << 19, 3, 0, "counts nothing without filter_opc" },
	{ "cbox_0", 0x135, CBO_OPC | 3, 0, "filter_tid has no effect on" },
	{ "cbox_0", 0x4135, CBO_OPC, 0, "counts nothing without filter_nid" },
	{ "cbox_0", 0x4135, 5 << 10, 0, "counts nothing without filter_opc" },
	{ "cbox_0", 0x00, CBO_OPC, 0, "filter_opc has no effect on" },
	{ "cbox_0", 0x334, CBO_OPC, 0, "with umask 0x3" },
	/* The lowest page has an address, too: its bits 11:6 are not compared. */
	{ "ha", 0x0320, 0x40, 0, NULL },
	{ "ha", 0x0320, 0, 0x2d, "addr_opc_match with umask 0x3 counts nothing without filter_addr" },
	{ "pcu", 0x0b, 0, 0, "counts nothing without filter_band0" },
	{ "pcu", 0x0b, 1 | 1 << 8, 0, "filter_band1 has no effect on" },
	{ "pcu", 0x0c, 0, 0, "counts nothing without filter_band1" },
	{ "pcu", 0x0d, 0, 0, "counts nothing without filter_band2" },
	{ "pcu", 0x0e, 0, 0, "counts nothing without filter_band3" },
	{ "pcu", 0x4080, 1, 0,
	  "filter_band0 has no effect on power_state_occupancy:" },
	{ "qpi_0", QPI_MATCH, 1 << 5, 0, "match bits 0x20 have no mask bit" },
	{ "qpi_0", QPI_MATCH, 1 << 5, 1 << 5, NULL },
	{ "qpi_0", QPI_MATCH, 1ull << 48, 0, "match bits 0x1000000000000 have no mask bit" },
	{ "qpi_0", QPI_MATCH, 1ull << 48, 1ull << 48, NULL },
};

static void test_rules(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rules); i++) {
		const char *log = rules[i].log;
		struct perf_event *event;

		begin(0, rules[i].box);
		event = open_event(rules[i].box, 0, rules[i].config, rules[i].config1,
				   rules[i].config2, NULL);
		if (wrong(open_errno != (log ? -EINVAL : 0) || log_has(log ?: "snbep") != !!log))
			fault("%s: %#llx, %#llx: error %d, and %s '%s' in the log",
			      rules[i].box, rules[i].config, rules[i].config1, open_errno,
			      log ? "no" : "a", log ?: "snbep");
		if (event)
			mock_close(event);
		end();
	}
	result("an encoding that breaks a rule is refused with the rule (%zu)",
	       ARRAY_SIZE(rules));
}

static void test_unlisted(void)
{
	struct perf_event *event;

	begin(0, "r3qpi_0");
	snbep_unlisted = true;
	event = open_on(0x55fe, 0, NULL);
	pass(7);
	expect_more(event, 7 * rate_of(0x55fe));
	mock_close(event);
	/* The rules hold all the same. */
	EXPECT_REFUSED(try_open(0x55fe | 1 << 18, 0, NULL), -EINVAL,
		       "edge and inv need a threshold");
	event = open_on(0x10055fe | 1 << 18 | 1 << 23, 0, NULL);
	mock_close(event);
	snbep_unlisted = false;
	EXPECT_REFUSED(try_open(0x55fe, 0, NULL), -EINVAL,
		       "the module parameter unlisted=1 allows it");
	end();

	/* What is known to be another box's is not unlisted. */
	begin(0, "pcu");
	snbep_unlisted = true;
	EXPECT_REFUSED(try_open(0xfc, 0, NULL), -EINVAL, "event 0xfc belongs to another box");
	snbep_unlisted = false;
	end();
	result("an event that no document has counts if that is asked for");
}

/* An event of no list has the filters that it is given, and is in nobody's way. */
static void test_unlisted_filters(void)
{
	struct perf_event *leader;

	mock_reset();
	box = machine_box(0, "qpi_0");
	box->filter_pdev->there = false;
	EXPECT(load(), 0);
	log_clear();
	snbep_unlisted = true;
	mock_close(open_on(0x77, 0, NULL));
	expect_log("packet filters", false);
	/* A filter that is asked for has to be there. */
	EXPECT_REFUSED(open_event("qpi_0", 0, 0x77, 0, 0xfULL << 9, NULL), -EOPNOTSUPP,
		       "packet filters");
	end();

	begin(0, "pcu");
	leader = open_on(0x0b, 20, NULL);
	open_on(0x77, 0, leader);
	EXPECT_REFUSED(open_event("pcu", 0, 0x77, 30, 0, leader), -EINVAL,
		       "different values of one filter");
	/* Demotions go by it, whether they are given it or not. */
	EXPECT_REFUSED(open_event("pcu", 0, 0x1e, 0, 0, leader), -EINVAL,
		       "different values of one filter");
	EXPECT(box->filter[0] & 0xff, 20);
	mock_close(leader);
	end();

	begin(0, "qpi_1");
	leader = open_event("qpi_1", 0, QPI_MATCH, 0xeULL << 9, 0xfULL << 9, NULL);
	open_on(0x77, 0, leader);
	mock_close(leader);
	end();
	snbep_unlisted = false;
	result("an event that no document has needs no filter");
}

/* Table 2-16: a lookup counts with a state, whatever its unit mask */
static void test_unlisted_umask(void)
{
	static const struct {
		u64 config, config1;
		u32 state;
	} uses[] = {
		{ 0x1134, 0, 0x1f }, { 0x0034, 0, 0x1f }, { 0x1134, 2 << 18, 2 },
		{ 0x0334, 0, 0x1f }, { 0x0334, 4 << 18, 4 },
		/* These are no lookups. */
		{ 0x0077, 0, 0 }, { 0x8035, 0, 0 }, { 0x0077, 2 << 18, 2 },
	};
	struct perf_event *event;
	unsigned int i;

	snbep_unlisted = true;
	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		begin(0, "cbox_0");
		box->filter[0] = 0;
		event = open_on(uses[i].config, uses[i].config1, NULL);
		EXPECT(box->filter[0] >> 18 & 0x1f, uses[i].state);
		mock_close(event);
		end();
	}
	snbep_unlisted = false;
	result("a lookup with a unit mask of no list is of all states, too");
}

/* They have the general counters of their box, and no other. */
static void test_unlisted_counters(void)
{
	struct perf_event *leader;
	const struct plain *p;
	unsigned int i;

	snbep_unlisted = true;
	for_each_plain(p) {
		begin(0, p->box);
		leader = open_on(0x77, 0, NULL);
		for (i = 1; i < box->kind->counters; i++)
			open_on(0x77, 0, leader);
		EXPECT_REFUSED(try_open(0x77, 0, leader), -EINVAL, "more counters than");
		mock_close(leader);
		end();
	}
	snbep_unlisted = false;
	result("events of no list have all general counters of their box");
}

/* What no event of the uncore can have */
static void test_attr(void)
{
	static const struct refusal uses[] = {
		{ { .sample_period = 1 }, 0, -EOPNOTSUPP, 0, "cannot sample" },
		{ { }, -1, -EINVAL, 0, "not a task" },
		{ { }, 0, -EINVAL, PERF_ATTACH_TASK, "not a task" },
		{ { .exclude_user = 1 }, 0, -EINVAL, 0, "who caused" },
		{ { .exclude_kernel = 1 }, 0, -EINVAL, 0, "who caused" },
		{ { .exclude_hv = 1 }, 0, -EINVAL, 0, "who caused" },
		{ { .exclude_idle = 1 }, 0, -EINVAL, 0, "who caused" },
		{ { .exclude_host = 1 }, 0, -EINVAL, 0, "who caused" },
		{ { .exclude_guest = 1 }, 0, -EINVAL, 0, NULL },
		{ { .sample_type = PERF_SAMPLE_BRANCH_STACK }, 0, -EOPNOTSUPP, 0,
		  "no branch stack" },
		{ { .config = 1 << 16 }, 0, -EINVAL, 0, "config bits 0x10000" },
		{ { .config1 = 1 }, 0, -EINVAL, 0, "config1 bits 0x1" },
		{ { .config2 = 1ull << 63 }, 0, -EINVAL, 0, "config2 bits 0x8" },
		{ { }, 0, 0, 0, NULL },
	};
	begin(0, "imc_0");
	test_refusals(mock_pmu("snbep_uncore_imc_0"), 0x01, uses, ARRAY_SIZE(uses));
	end();
	result("what the uncore cannot do is refused");
}

/* As many lines as the user wants, for who may have them */
static unsigned int lines(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < 60; i++) {
		log_clear();
		try_open(0xfe, 0, NULL);
		n += log_has("no event 0xfe for the ha");
		EXPECT(open_errno, -EINVAL);
	}
	mock_window();
	return n;
}

static void test_log(void)
{
	static const struct {
		const char *burst;
		int err;
		unsigned int lines;
	} uses[] = {
		{ NULL, 0, 50 }, { "3", 0, 3 }, { "-1", -EINVAL, 3 },
		{ "2147483647", 0, 60 }, { "2147483648", -EINVAL, 60 },
		{ "0", 0, 0 }, { "50", 0, 50 },
	};
	unsigned int i;

	begin(0, "ha");
	mock_window();
	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		if (uses[i].burst)
			EXPECT(mock_set_param("log_burst", uses[i].burst), uses[i].err);
		EXPECT(lines(), uses[i].lines);
	}
	/* A limit of another height counts at once. */
	mock_set_param("log_burst", "1");
	for (i = 0; i < 3; i++) {
		log_clear();
		try_open(0xfe, 0, NULL);
		if (i == 1)
			mock_set_param("log_burst", "50");
	}
	CHECK(log_has("no event 0xfe for the ha"));
	mock_window();
	mock_capabilities = 0;
	EXPECT(lines(), 0);
	/* Who has none uses up nobody's: the window is the same as before. */
	for (i = 0; i < 60; i++)
		try_open(0xfe, 0, NULL);
	mock_capabilities = BIT_ULL(CAP_PERFMON);
	EXPECT(lines(), 50);
	mock_capabilities = BIT_ULL(CAP_SYS_ADMIN);
	EXPECT(lines(), 50);
	mock_capabilities = BIT_ULL(CAP_PERFMON);
	end();
	result("the log has as many lines as log_burst says");
}

void test_refuse(void)
{
	test_rules();
	test_attr();
	test_unlisted();
	test_unlisted_filters();
	test_unlisted_counters();
	test_unlisted_umask();
	test_log();
}
