// SPDX-License-Identifier: GPL-2.0-only
/* What takes CAP_PERFMON: events that count others, and lines in the log */
#include <fnmatch.h>

#include "tests.h"

/*
 * Unit masks that count what others do, by name; the first pattern decides. 4.2.1: a causal event
 * belongs to no thread, nor does a self-floating one without .self. 4.11.1: snoops are of others.
 */
static const struct {
	const char *pattern;
	bool others;
} whose[] = {
	{ "bus_data_cycle_*", true }, { "bus_b2b_data_cycles_*", true },
	{ "bus_*_self", false }, { "bus_*", true }, { "mem_read_current_*", true },
	{ "si_cycles", false }, { "si_scb_*", true }, { "si_*_inserts*_self", false },
	{ "si_*", true },
	{ "er_mem_read_out_*", false }, { "er_brq_req_inserted", false }, { "er_*", true },
	{ "l1i_purge", true }, { "l1i_rab_*", true }, { "l1i_snoop", true },
	{ "l2i_snoop_hits", true },
	{ "*", false },
};

#undef EAR
static const struct {
	const char *name;
	u8 code, umask;
} masks[] = {
#define EVENT(name_, code, counters, set, type, inc, all, flags, desc)	\
	{ NULL, code, 0 },
#define PLAIN(event)			{ #event, 0, 0 },
#define UMASK(event, name, umask, desc)	{ #event "_" #name, 0, umask },
#include "events/montecito.def"
};

/* Without a capability, a user opens what counts the own task alone. */
static void test_others(void)
{
	unsigned int opened = 0, denied = 0, i, k;
	u16 known[256] = { };
	u8 code = 0;

	for (i = 0; i < ARRAY_SIZE(masks); i++) {
		struct perf_event_attr attr = {
			.config = masks[i].umask << 8, .exclude_kernel = 1,
		};
		struct perf_event *event;

		if (!masks[i].name) {
			code = masks[i].code;
			continue;
		}
		attr.config |= code;
		known[code] |= BIT(masks[i].umask);
		for (k = 0; fnmatch(whose[k].pattern, masks[i].name, 0); k++)
			;
		event = open_attr(0, &attr, NULL);
		EXPECT(open_errno, whose[k].others ? -EACCES : 0);
		if (faults)
			printf("# %s\n", masks[i].name);
		opened += !!event;
		denied += !event;
		if (event)
			mock_close(event);
	}
	EXPECT(opened > 300 && denied > 100, true);
	for (row = 0; row < 4096; row++) {
		struct perf_event_attr attr = { .config = row, .exclude_kernel = 1 };

		if (known[row & 0xff] & BIT(row >> 8))
			continue;
		open_attr(0, &attr, NULL);
		EXPECT(open_errno, -EINVAL);
	}
}

void test_rights(unsigned int n)
{
	static const struct perf_event_attr all = { .config = 0x8000 },
		wrong_code = { .config = 0x07 };
	struct perf_event *event;
	unsigned int i;

	load();
	mock_capabilities = 0;
	open_attr(0, &all, NULL);
	EXPECT(open_errno, -EACCES);
	open_attr(0, &wrong_code, NULL);
	EXPECT(open_errno, -EINVAL);
	test_others();
	EXPECT(log_has("itanium"), 0);
	mock_close(open_on(0, 0x12));
	for (row = 0; row < 2; row++) {
		mock_capabilities = BIT_ULL(row ? CAP_SYS_ADMIN : CAP_PERFMON);
		event = open_on(0, all.config);
		EXPECT(open_errno, 0);
		if (!event)
			break;
		EXPECT(mock_sched_in(event), 1);
		EXPECT(control_of(event), want_control(&all));
		mock_close(event);
		log_clear();
		open_attr(0, &wrong_code, NULL);
		expect_log("itanium: event=0x7 refused: no event has this code", true);
	}
	/* log_burst limits the lines of a window. */
	for (row = 0; row < 2; row++) {
		mock_window();
		for (i = 0; i <= 50; i++) {
			log_clear();
			open_attr(0, &wrong_code, NULL);
			EXPECT(log_has("itanium"), i < (row ? 1 : 50));
		}
		mock_set_param("log_burst", "1");
	}
	EXPECT(mock_set_param("log_burst", "-1"), -EINVAL);
	unload();
}
