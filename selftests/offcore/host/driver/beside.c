// SPDX-License-Identifier: GPL-2.0-only
/*
 * Where the counters are the kernel's: what is refused before the core PMU gets to
 * see it, because that says nothing or takes what counts nothing.
 */
#include "tests.h"

/* perf asks for an event of ours, alone or in the group of @leader. */
static int ask(struct perf_event *leader, const struct perf_event_attr *attr)
{
	struct perf_event event = {
		.attr = *attr, .pmu = mock_pmu("offcore_rsp"),
	};

	event.attr.type = event.pmu->type;
	event.group_leader = leader ?: &event;
	log_clear();
	return event.pmu->event_init(&event);
}

static void refused(const char *what, int err, const char *log)
{
	if (err != -EINVAL || !log_has(log))
		fault("%s: error %d, or the log has no '%s'", what, err, log);
}

/* Levels: the core PMU takes an event that counts at none of them. */
static void test_levels(void)
{
	struct perf_event_attr attr = { .config = 0x10001, .exclude_user = 1 };

	if (ask(NULL, &attr) != -ENOENT)
		fault("the kernel alone is refused");
	attr.exclude_kernel = 1;
	refused("at no level", ask(NULL, &attr), "nothing is left to count");
	attr.exclude_user = 0;
	if (ask(NULL, &attr) != -ENOENT)
		fault("the program alone is refused");
}

/* As many events as the processor has counters, with one value, and one more */
static void test_counters(struct pmu *core)
{
	struct perf_event_attr ours = { .config = 0x10001 }, raw = {
		.type = PERF_TYPE_RAW, .config = 0x1b7, .config1 = 0x10001,
	};
	struct perf_event *leader;
	unsigned int i;
	int err;

	leader = mock_open(core, &raw, 0, NULL, &err);
	for (i = 1; i < NR_CTRS; i++) {
		if (ask(leader, &ours) != -ENOENT)
			fault("event %u of %u is refused", i + 1, NR_CTRS);
		mock_open(core, &raw, 0, leader, &err);
	}
	refused("five events on four counters", ask(leader, &ours),
		"more events than there are free counters (4)");
	mock_close(leader);
}

/*
 * A raw event has a register by its code and unit mask, whatever else it asks of its
 * counter: edges, inversion, a threshold.
 */
static void test_more_bits(struct pmu *core)
{
	static const u64 more[] = { 1 << 18, 1 << 23, 3 << 24 };
	struct perf_event_attr ours = { .config = 0x10004 }, raw = {
		.type = PERF_TYPE_RAW,
	};
	struct perf_event *leader;
	unsigned int i;
	int err;

	for (i = 0; i < ARRAY_SIZE(more); i++) {
		raw.config = 0x1b7 | more[i];
		raw.config1 = 0x10001;
		leader = mock_open(core, &raw, 0, NULL, &err);
		raw.config = 0x1bb | more[i];
		raw.config1 = 0x10002;
		mock_open(core, &raw, 0, leader, &err);
		refused("a third value", ask(leader, &ours),
			"more values than Sandy Bridge-EP has");
		/* The same code with another unit mask has none. */
		leader->attr.config = 0x2b7 | more[i];
		if (ask(leader, &ours) != -ENOENT)
			fault("unit mask 2 takes a register");
		mock_close(leader);
	}
}

void test_beside(void)
{
	struct pmu core = { .name = "cpu", .type = PERF_TYPE_RAW };

	mock_reset();
	mock_core_pmu = 0;
	if (load())
		fault("beside a core PMU it does not load");
	/* A context of its own: it is none of the processor's PMU, nor of tasks. */
	if (mock_pmu("offcore_rsp")->task_ctx_nr != perf_invalid_context ||
	    mock_pmu("offcore_rsp")->module != THIS_MODULE)
		fault("its events are tasks', or do not hold the module");
	test_levels();
	test_counters(&core);
	test_more_bits(&core);
	unload();
	result("beside a core PMU what can never count is refused with a reason");
}
