// SPDX-License-Identifier: GPL-2.0-only
/* Events and groups that break a rule of the guide: the error, and the rule in the log */
#include "tests.h"

static const struct rule {
	const char *box, *text, *log;
} rules[] = {
#define REFUSED(...)	{ __VA_ARGS__ },
#define ACCEPTED(...)	{ __VA_ARGS__ },
#include "selftests/snbep_uncore/refuse.def"
};

/* Other rules still apply to undocumented events, which the parameter unlisted allows. */
static const struct rule unlisted[] = {
	ACCEPTED("r3qpi_0", "event=0xfe,umask=0x55")
	ACCEPTED("r3qpi_0", "event=0xfe,umask=0x55,edge=1,inv=1,thresh=1")
	REFUSED("r3qpi_0", "event=0xfe,umask=0x55,edge=1", "edge and inv need a threshold")
	/* They use the filters that they are given, and block no other event. */
	REFUSED("pcu", "event=0x0b,filter_band0=20 event=0x77,filter_band0=30",
		"different values of one filter")
	/* Demotions use band 0, given or not. */
	REFUSED("pcu", "event=0x0b,filter_band0=20 event=0x1e", "different values of one filter")
	ACCEPTED("qpi_1", "event=0x138,match_mc=0xe,mask_mc=0xf event=0x77")
};

/* Parse "event=0x04,umask=0x3" with format/; "config=" is for bits that are not a field. */
static struct perf_event *open_text(const char *name, char *text, struct perf_event *leader)
{
	char *term, *save = NULL;
	u64 word[3] = { };

	for (term = strtok_r(text, ",", &save); term; term = strtok_r(NULL, ",", &save)) {
		if (!strncmp(term, "config", 6))
			word[term[6] == '=' ? 0 : term[6] - '0'] |=
				strtoull(strchr(term, '=') + 1, NULL, 0);
		else
			CHECK(put_term(pmu_of(name), term, word));
	}
	return open_event(name, 0, word[0], word[1], word[2], leader);
}

static void test_rules(const struct rule *rule, unsigned int n)
{
	for (; n--; rule++) {
		struct perf_event *leader = NULL, *event = NULL;
		char text[160], prefix[64], *save = NULL, *member;
		const char *log = rule->log;

		begin(0, rule->box);
		machine_tally(box);
		snprintf(text, sizeof(text), "%s", rule->text);
		for (member = strtok_r(text, " ", &save); member;
		     member = strtok_r(NULL, " ", &save)) {
			event = open_text(rule->box, member, leader);
			leader = leader ?: event;
		}
		if (wrong(open_errno != (log ? -EINVAL : 0) || log_has(log ?: "snbep") != !!log))
			fault("%s/%s/: error %d, and %s '%s' in the log", rule->box, rule->text,
			      open_errno, log ? "no" : "a", log ?: "snbep");
		snprintf(prefix, sizeof(prefix), "snbep_uncore: snbep_uncore_%s: ", rule->box);
		CHECK(!log || (log_has(prefix) && !box->writes));
		CHECK(log || mock_sched_in(leader));
		if (leader)
			mock_close(leader);
		end();
	}
}

static void test_unlisted(void)
{
	struct perf_event *event;

	begin(0, "r3qpi_0");
	snbep_unlisted = true;
	event = open_on(0x55fe, 0, NULL);
	pass(7);
	EXPECT_COUNT(event, 0, 7 * rate_of(0x55fe));
	mock_close(event);
	snbep_unlisted = false;
	EXPECT_REFUSED(try_open(0x55fe, 0, NULL), -EINVAL,
		       "the module parameter unlisted=1 allows it");
	end();

	snbep_unlisted = true;
	test_rules(unlisted, ARRAY_SIZE(unlisted));
	snbep_unlisted = false;
	result("an event that no document has counts if that is asked for");
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
		/* These are not lookups. */
		{ 0x0077, 0, 0 }, { 0x8035, 0, 0 }, { 0x0077, 2 << 18, 2 },
		/* Any filter may be given. */
		{ 0x2135, 0x182ULL << 23, 0 }, { 0x2a35, 1 << 10, 0 }, { 0x1037, 2 << 18, 2 },
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
	result("a lookup with an undocumented unit mask counts all states, too");
}

/*
 * Codes that no list has, but of which Linux's intel_uncore knows the counters. Others prefer the
 * lowest one, on which all of these count.
 */
static void test_unlisted_constraints(void)
{
	static const struct {
		const char *box;
		u64 config;
		u32 counters;
	} codes[] = {
		{ "cbox_0", 0x01, 1 }, { "cbox_0", 0x09, 3 }, { "cbox_0", 0x23, 3 },
		{ "cbox_0", 0x38, 3 }, { "cbox_0", 0x3b, 1 }, { "cbox_0", 0x3a, 15 },
		{ "r2pcie", 0x11, 3 }, { "r2pcie", 0x0f, 15 },
		{ "r3qpi_1", 0x27, 7 }, { "r3qpi_1", 0x28, 3 }, { "r3qpi_1", 0x2f, 3 },
		{ "r3qpi_1", 0x30, 3 }, { "r3qpi_1", 0x35, 7 }, { "r3qpi_1", 0x38, 3 },
		{ "r3qpi_1", 0x39, 3 }, { "r3qpi_1", 0x3a, 7 },
	};
	struct perf_event *e[4];
	unsigned int i, j, n;

	snbep_unlisted = true;
	for (i = 0; i < ARRAY_SIZE(codes); i++) {
		begin(0, codes[i].box);
		n = hweight8(codes[i].counters);
		for (j = 0; j < n; j++) {
			e[j] = open_on(codes[i].config, 0, NULL);
			EXPECT(*box->ctl[j], codes[i].config | EN);
		}
		CHECK(j == box->counters || (e[j] = try_open(codes[i].config, 0, NULL)));
		if (j < box->counters) {
			CHECK(!mock_sched_in(e[j]));
			mock_close(e[j]);
		}
		while (j--)
			mock_close(e[j]);
		end();
	}
	/* Counter 0 is left to an event that counts nowhere else. */
	begin(0, "cbox_0");
	e[0] = open_on(0x3a, 0, NULL);
	e[1] = open_on(0x836, 0, NULL);
	EXPECT(*box->ctl[0], 0x836 | EN);
	EXPECT(*box->ctl[1], 0x3a | EN);
	mock_close(e[0]);
	mock_close(e[1]);
	end();
	snbep_unlisted = false;
	result("undocumented events have the counters that Linux knows, and else the lowest");
}

/* Attributes that no uncore event supports */
static void test_attr(void)
{
	static const struct refusal uses[] = {
		{ { .sample_period = 1 }, 0, -EOPNOTSUPP, 0, "cannot sample" },
		{ { .precise_ip = 1 }, 0, -EOPNOTSUPP, 0, "has no :p" },
		{ { }, -1, -EINVAL, 0, "not a task" },
		{ { }, 0, -EINVAL, PERF_ATTACH_TASK, "not a task" },
		{ { .exclude_user = 1 }, 0, -EINVAL, 0, "who caused" },
		{ { .exclude_kernel = 1 }, 0, -EINVAL, 0, "who caused" },
		{ { .exclude_hv = 1 }, 0, -EINVAL, 0, "who caused" },
		{ { .exclude_idle = 1 }, 0, -EINVAL, 0, "who caused" },
		{ { .exclude_host = 1 }, 0, -EINVAL, 0, "who caused" },
		/* perf sets it by default; since 6.13 it also probes, for a task. */
		{ { .exclude_guest = 1 }, 0, -EINVAL, 0, NULL },
		{ { .exclude_guest = 1 }, -1, -EINVAL, PERF_ATTACH_TASK, NULL },
		{ { .sample_type = PERF_SAMPLE_BRANCH_STACK }, 0, -EOPNOTSUPP, 0,
		  "no branch stack" },
		{ { .config = 1 << 16 }, 0, -EINVAL, 0, "config bits 0x10000" },
		{ { .config1 = 1 }, 0, -EINVAL, 0, "config1 bits 0x1" },
		{ { .config2 = 1ull << 63 }, 0, -EINVAL, 0, "config2 bits 0x8" },
		{ { }, 0, 0, 0, NULL },
	};
	static const struct refusal nobody[] = {
		{ { .exclude_kernel = 1 }, 0, -EACCES, 0, NULL },
		{ { .exclude_kernel = 1, .exclude_hv = 1 }, 0, -EACCES, 0, NULL },
		{ { .exclude_guest = 1, .exclude_kernel = 1 }, 0, -EINVAL, 0, NULL },
	};

	begin(0, "imc_0");
	test_refusals(pmu_of("imc_0"), 0x01, uses, ARRAY_SIZE(uses));
	/* perf excludes the kernel if the user may not count it. */
	mock_capabilities = 0;
	test_refusals(pmu_of("imc_0"), 0x01, nobody, ARRAY_SIZE(nobody));
	mock_capabilities = BIT_ULL(CAP_PERFMON);
	end();
	result("what the uncore cannot do is refused");
}

/* Return the number of lines in the log for 60 refusals; log_burst limits it. */
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
		{ "2147483647", 0, 60 }, { "2147483648", -ERANGE, 60 },
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
	/* A changed limit applies at once. */
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
	/* Users without the capability do not use up the window. */
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
	test_rules(rules, ARRAY_SIZE(rules));
	result("an encoding that breaks a rule is refused with the rule (%zu)", ARRAY_SIZE(rules));
	test_attr();
	test_unlisted();
	test_unlisted_constraints();
	test_unlisted_umask();
	test_log();
}
