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
	if (wrong(err != -EINVAL || !log_has(log)))
		fault("%s: error %d, or the log has no '%s'", what, err, log);
}

/* Levels: the core PMU takes an event that counts at none of them. */
static void test_levels(void)
{
	struct perf_event_attr attr = { .config = 0x10001, .exclude_user = 1 };

	if (wrong(ask(NULL, &attr) != -ENOENT))
		fault("the kernel alone is refused");
	attr.exclude_kernel = 1;
	refused("at no level", ask(NULL, &attr), "nothing is left to count");
	attr.exclude_user = 0;
	if (wrong(ask(NULL, &attr) != -ENOENT))
		fault("the program alone is refused");
}

/* As many events as the processor has counters, with one value, and one more */
static void test_counters(struct pmu *core)
{
	struct perf_event_attr ours = { .config = 0x10001 };
	struct perf_event *leader;
	unsigned int i;

	leader = open_core(core, 0x1b7, 0x10001, NULL);
	for (i = 1; i < NR_CTRS; i++) {
		if (wrong(ask(leader, &ours) != -ENOENT))
			fault("event %u of %u is refused", i + 1, NR_CTRS);
		open_core(core, 0x1b7, 0x10001, leader);
	}
	refused("five events on four counters", ask(leader, &ours),
		"more events than there are free counters (4)");
	mock_close(leader);
}

/*
 * LLC-loads and its like have a register as well, and by no raw code: the core PMU
 * says which value. What another PMU has in the same place is not looked at.
 */
static void test_cache(struct pmu *core)
{
	struct pmu other = { .name = "msr", .type = 9 };
	struct perf_event_attr ours = { .config = 0x10004 };
	struct perf_event *leader, *misses;

	leader = open_core(core, 0x1b7, 0x3f80080091, NULL);
	leader->attr.type = PERF_TYPE_HW_CACHE;
	if (wrong(ask(leader, &ours) != -ENOENT))
		fault("a second value is refused");
	misses = open_core(core, 0x1b7, 0x600400091, leader);
	misses->attr.type = PERF_TYPE_HW_CACHE;
	refused("a third value", ask(leader, &ours),
		"more values than Sandy Bridge-EP has response registers (2); each LLC-* and node-* event takes one");
	misses->pmu = &other;
	if (wrong(ask(leader, &ours) != -ENOENT))
		fault("another PMU's event takes a register");
	misses->pmu = core;
	mock_close(leader);
}

void test_beside(void)
{
	struct pmu core = { .name = "cpu", .type = PERF_TYPE_RAW };

	mock_reset();
	mock_core_pmu = 0;
	if (wrong(load()))
		fault("beside a core PMU it does not load");
	/* A context of its own: it is none of the processor's PMU, nor of tasks. */
	if (wrong(mock_pmu("offcore_rsp")->task_ctx_nr != perf_invalid_context ||
		  mock_pmu("offcore_rsp")->module != THIS_MODULE))
		fault("its events are tasks', or do not hold the module");
	test_levels();
	test_counters(&core);
	test_cache(&core);
	unload();
	result("beside a core PMU what can never count is refused with a reason");
}
