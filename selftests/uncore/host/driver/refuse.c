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
	{ "imc_0", 0x004, 0, 0, "counts nothing without a unit mask" },
	{ "imc_0", 0x4004, 0, 0, "umask 0x40 is neither a unit mask" },
	/* Those that stand alone: Tables 2-25, 2-29, 2-30 and 2-124 */
	{ "cbox_0", 0x535, CBO_OPC, 0, "umask 0x5 is neither a unit mask" },
	{ "cbox_0", 0x1435, 0, 0, "umask 0x14 is neither a unit mask" },
	{ "cbox_0", 0x311, 0, 0, "umask 0x3 is neither a unit mask" },
	{ "cbox_0", 0x313, 0, 0, "umask 0x3 is neither a unit mask" },
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
	{ "cbox_0", 0x135, 0, 0, "counts nothing without filter_opc" },
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
		struct perf_event *event;
		char name[32];

		begin(0, rules[i].box);
		snprintf(name, sizeof(name), "snbep_uncore_%s", rules[i].box);
		event = open_event(name, 0, rules[i].config, rules[i].config1,
				   rules[i].config2, NULL);
		if (wrong(!event != !!rules[i].log ||
			  (rules[i].log && open_errno != -EINVAL)))
			fault("%s: %#llx, %#llx: error %d", rules[i].box,
			      (unsigned long long)rules[i].config,
			      (unsigned long long)rules[i].config1, open_errno);
		expect_log(rules[i].log ?: "snbep", !!rules[i].log);
		if (event)
			mock_close(event);
		end();
	}
	result("an encoding that breaks a rule is refused, with the rule (%zu)",
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
	if (wrong(try_open(0x55fe | 1 << 18, 0, NULL) || open_errno != -EINVAL))
		fault("edge without a threshold: error %d", open_errno);
	expect_log("edge and inv need a threshold", true);
	event = open_on(0x10055fe | 1 << 18 | 1 << 23, 0, NULL);
	mock_close(event);
	snbep_unlisted = false;
	if (wrong(try_open(0x55fe, 0, NULL) || open_errno != -EINVAL))
		fault("an unlisted event: error %d", open_errno);
	expect_log("the module parameter unlisted=1 allows it", true);
	end();

	/* What is known to be another box's is not unlisted. */
	begin(0, "pcu");
	snbep_unlisted = true;
	if (wrong(try_open(0xfc, 0, NULL) || open_errno != -EINVAL))
		fault("an event of the cores: error %d", open_errno);
	snbep_unlisted = false;
	expect_log("event 0xfc belongs to another box", true);
	end();
	result("an event that no document has counts if that is asked for");
}

static void join(struct perf_event *leader, const char *pmu, int cpu, u64 config,
		 u64 config1, const char *log)
{
	log_clear();
	if (wrong(open_event(pmu, cpu, config, config1, 0, leader) ||
		  open_errno != -EINVAL))
		fault("%s: %#llx in a group: error %d", pmu,
		      (unsigned long long)config, open_errno);
	expect_log(log, true);
}

/* An event of no list has the filters that it is given, and is in nobody's way. */
static void test_unlisted_filters(void)
{
	struct perf_event *leader;

	mock_reset();
	box = machine_box(0, "qpi_0");
	box->filter_pdev->there = false;
	if (wrong(mock_init()))
		fault("the driver does not load");
	mock_interrupts();
	log_clear();
	snbep_unlisted = true;
	leader = open_on(0x77, 0, NULL);
	if (leader)
		mock_close(leader);
	expect_log("packet filters", false);
	/* A filter that is asked for has to be there. */
	if (wrong(open_event("snbep_uncore_qpi_0", 0, 0x77, 0, 0xfULL << 9, NULL) ||
		  open_errno != -EOPNOTSUPP))
		fault("a filter that is hidden: error %d", open_errno);
	end();

	begin(0, "pcu");
	leader = open_on(0x0b, 20, NULL);
	open_on(0x77, 0, leader);
	join(leader, "snbep_uncore_pcu", 0, 0x77, 30,
	     "different values of one filter");
	/* Demotions go by it, whether they are given it or not. */
	join(leader, "snbep_uncore_pcu", 0, 0x1e, 0,
	     "different values of one filter");
	if (wrong((box->filter[0] & 0xff) != 20))
		fault("band 0 is %u", box->filter[0] & 0xff);
	mock_close(leader);
	end();

	begin(0, "qpi_1");
	leader = open_event("snbep_uncore_qpi_1", 0, QPI_MATCH, 0xeULL << 9,
			    0xfULL << 9, NULL);
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
	unsigned int i;

	snbep_unlisted = true;
	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		struct perf_event *event;

		begin(0, "cbox_0");
		box->filter[0] = 0;
		event = open_on(uses[i].config, uses[i].config1, NULL);
		if (wrong((box->filter[0] >> 18 & 0x1f) != uses[i].state))
			fault("event %#llx: state %#x",
			      (unsigned long long)uses[i].config,
			      box->filter[0] >> 18 & 0x1f);
		if (event)
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
	char name[32];
	unsigned int i;

	snbep_unlisted = true;
	for_each_plain(p) {
		begin(0, p->box);
		snprintf(name, sizeof(name), "snbep_uncore_%s", p->box);
		leader = open_on(0x77, 0, NULL);
		for (i = 1; i < box->kind->counters; i++)
			open_on(0x77, 0, leader);
		join(leader, name, 0, 0x77, 0, "more counters than");
		mock_close(leader);
		end();
	}
	snbep_unlisted = false;
	result("events of no list have all general counters of their box");
}

static struct pmu software = { .name = "software" };

static struct perf_event *open_software(struct perf_event *leader)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE };
	int err;

	return mock_open(&software, &attr, 0, leader, &err);
}

static void test_groups(void)
{
	struct perf_event *leader;
	unsigned int i;

	/* A software event may lead events of one box, and comes after the first. */
	begin(0, "cbox_0");
	leader = open_software(NULL);
	open_event("snbep_uncore_cbox_0", 0, 0x00, 0, 0, leader);
	open_software(leader);
	join(leader, "snbep_uncore_cbox_1", 0, 0x00, 0,
	     "events of other boxes, such as snbep_uncore_cbox_0");
	/* One that may count on counter 0 need not do so. */
	join(leader, "snbep_uncore_cbox_0", 0, 0x1f, 0, "counts on counter 0 alone");
	mock_close(leader);
	end();
	begin(0, "cbox_0");
	leader = open_on(0x135, CBO_OPC, NULL);
	join(leader, "snbep_uncore_cbox_1", 0, 0x00, 0,
	     "events of other boxes, such as snbep_uncore_cbox_0");
	join(leader, "snbep_uncore_cbox_0", 2, 0x00, 0, "events of two sockets");
	join(leader, "snbep_uncore_cbox_0", 0, 0x135, 0x180ull << 23,
	     "different values of one filter");
	test_given_up(leader);
	for (i = 1; i < 4; i++)
		open_on(0x00, 0, leader);
	join(leader, "snbep_uncore_cbox_0", 0, 0x00, 0, "more counters than");
	mock_close(leader);
	end();
	/* All counters that a box can have, and the fixed one, and one more */
	begin(0, "imc_3");
	leader = open_on(0xff, 0, NULL);
	for (i = 0; i < 4; i++)
		open_on(0x304, 0, leader);
	join(leader, "snbep_uncore_imc_3", 0, 0x304, 0, "more counters than");
	mock_close(leader);
	end();
	/* Notes of sections 2.8.2 and 2.9.2: the counters of ring events */
	begin(0, "r2pcie");
	leader = open_on(0x107, 0, NULL);
	open_on(0x108, 0, leader);
	join(leader, "snbep_uncore_r2pcie", 0, 0x50a, 0, "more counters than");
	mock_close(leader);
	end();
	begin(0, "r3qpi_1");
	leader = open_on(0x109, 0, NULL);
	join(leader, "snbep_uncore_r3qpi_1", 0, 0xa0a, 0, "more counters than");
	mock_close(leader);
	end();
	/* Table 2-81: demotions go by band 0, but not those of core 2. */
	begin(0, "pcu");
	for (i = 0x1e; i <= 0x25; i++) {
		leader = open_on(0x0b, 20, NULL);
		if (i == 0x20)
			open_on(i, 0, leader);
		else
			join(leader, "snbep_uncore_pcu", 0, i, 0,
			     "different values of one filter");
		mock_close(leader);
	}
	end();
	result("a group that never can be counted is refused");
}

/* A CPU of a package whose number no UBox can name */
static void test_package(void)
{
	mock_reset();
	mock_package[3] = 9;
	box = machine_box(0, "ha");
	if (wrong(mock_init()))
		fault("the driver does not load");
	log_clear();
	if (wrong(open_event("snbep_uncore_ha", 3, 0x0e, 0, 0, NULL) ||
		  open_errno != -ENODEV))
		fault("package 9: error %d", open_errno);
	expect_log("CPU 3 is in socket 9, but the UBox only maps sockets 0 to 7",
		   true);
	end();
	result("a CPU that is in none of eight sockets has no box");
}

void test_refuse(void)
{
	test_rules();
	test_unlisted();
	test_unlisted_filters();
	test_unlisted_counters();
	test_unlisted_umask();
	test_groups();
	test_package();
}
