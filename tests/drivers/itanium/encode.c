// SPDX-License-Identifier: GPL-2.0-only
/*
 * From a request to register values, computed by hand from the manual's tables; conflicts of two
 * events; and generic events
 */
#include "itanium/pmu.h"
#include "tests.h"

#define RANGE(code, at, mask)	.config = (code) | FILTER(2),			\
				.config1 = (at), .config2 = (mask)
#define OPCODE(code, type)	.config = (code) | FILTER(1), .config1 = (type) << 41
#define MATCH(code, type)	.config = (code) | FILTER(1),			\
				.config1 = 0x123 | (type) << 41, .config2 = 0x1fffffff000ULL
#define PAIR(code, from, to)	.config = (code) | FILTER(2) | FINE,		\
				.config1 = (from), .config2 = (to)
#define FILTERED(kinds)		.sample_type = PERF_SAMPLE_BRANCH_STACK,	\
				.branch_sample_type = BRANCHES | (kinds)
#define STACK			FILTERED(PERF_SAMPLE_BRANCH_ANY)
#define RETURNS			FILTERED(PERF_SAMPLE_BRANCH_ANY_RETURN)
#define CALLS			PERF_SAMPLE_BRANCH_IND_CALL
#define BRANCHES		(PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL)
#define GATE			0xa000000100010000ULL
#define IBR			100

/* An event, and the expected value of a PMC or IBR, where none of random.c's events has it */
static const struct {
	struct perf_event_attr attr;
	unsigned int reg;
	u64 val;
} encodings[] = {
	{ { .config = 0x12, RETURNS }, 39, 0xbe49 },
	{ { .config = 0x12, FILTERED(CALLS | PERF_SAMPLE_BRANCH_IND_JUMP) }, 39, 0xfe49 },
	{ { .config = 0x12 | PPM(1), STACK }, 39, 0x1e49 },
	/* Opcodes: the matcher, its value and its channel */
	{ { MATCH(0x112, 9ULL) }, 36, 0xfffffff4ULL },
	{ { MATCH(0x308, 1ULL) }, 34, 0x030101fffffff000ULL },
	{ { MATCH(0x308, 1ULL) }, 35, 0x123 },
	{ { OPCODE(0x308, 15ULL) }, 36, 0xfffffff2ULL },
	{ { OPCODE(0x208, 2ULL) }, 32, 0x0302000000000000ULL },
	/* Ranges by channel, and one of code with one of data */
	{ { RANGE(0x112, 0x4000, 0xfff) }, 38, 0xdb4 },
	{ { RANGE(0x108, 0x4000, 0) }, 38, 0xda6 },
	{ { RANGE(0x208, 0x4000, 0) }, 38, 0xd36 },
	{ { RANGE(0x308, 0x4000, 0) }, 38, 0x9b6 },
	{ { .config = 0xc7 | FILTER(6) | ADDR_BITS(12) | DATA_BITS(3), .config1 = 0x4000,
	    .config2 = 0x8008 }, 41, 0x2078fefefee6ULL },
	/* Fine ranges: limits lie within pairs of bundles. */
	{ { PAIR(0x44, 0x4020, 0x4080) }, 38, 0x29a6 },
	{ { PAIR(8, GATE + 0x4020, GATE + 0x10000) }, IBR + 4, GATE + 0xfff0 },
};

static void test_encodings(void)
{
	for (row = 0; row < ARRAY_SIZE(encodings); row++) {
		struct perf_event *event = open_attr(0, &encodings[row].attr, NULL);
		unsigned int reg = encodings[row].reg;

		EXPECT(!!event, 1);
		if (!event)
			continue;
		EXPECT(mock_sched_in(event), 1);
		EXPECT(control_of(event), want_control(&event->attr));
		EXPECT(reg < IBR ? hw[0].mont.pmc[reg] : hw[0].ibr[reg - IBR], encodings[row].val);
		mock_close(event);
	}
}

/* Tables 3-16, 3-18, 3-21 and 3-23 */
static bool has_mask(unsigned int ear, unsigned int mask)
{
	unsigned int ones;

	switch (ear) {
	case 1:
		return mask <= 10;
	case 2:
		return mask && !(mask & ~0xeu);
	case 4:
		/* Values that are not latencies depend on bit 6 alone. */
		if ((mask & 0xc0) == 0x40)
			return true;
		/* Ones from the top on, none to all of them */
		for (ones = 0; ones <= 8; ones++) {
			if (mask == (0xff00u >> ones & 0xff))
				return true;
		}
		return false;
	case 5:
		return mask && mask <= 7;
	default:
		return !mask;
	}
}

static void test_ear_masks(void)
{
	static const struct {
		u64 config;
		/* Position of the mask in the unit's register */
		unsigned int reg, shift, field;
	} ears[] = {
		{ 0xc8 | EAR(1, 0), 40, 16, 0xf }, { 0xc8 | EAR(2, 0), 40, 16, 0xf },
		{ 0xc8 | EAR(3, 0), 40, 16, 0xf }, { 0x43 | EAR(4, 0), 37, 5, 0xff },
		{ 0x43 | EAR(5, 0), 37, 5, 7 }, { 0x12 | EAR(6, 0), 42, 0, 0 },
	};
	unsigned int i, mask;

	for (i = 0; i < ARRAY_SIZE(ears); i++) {
		for (mask = 0; mask < 256; mask++) {
			struct perf_event_attr attr = { .config = ears[i].config | EAR(0, mask) };
			struct perf_event *event = open_attr(0, &attr, NULL);

			row = 256 * i + mask;
			EXPECT(open_errno, has_mask(i + 1, mask) ? 0 : -EINVAL);
			if (!event)
				continue;
			mock_sched_in(event);
			EXPECT(hw[0].mont.pmc[ears[i].reg] >> ears[i].shift & ears[i].field, mask);
			mock_close(event);
		}
	}
}

static const struct {
	const char *rule;	/* NULL: they may be counted together */
	struct perf_event_attr a, b;
} pairs[] = {
	{ "one data EAR", { .config = 0xc8 | EAR(1, 2) }, { .config = 0xc8 | EAR(1, 3) } },
	{ "one instruction EAR", { .config = 0x43 | EAR(4, 0) }, { .config = 0x43 | EAR(5, 7) } },
	{ "trace buffer", { .config = 0xc8 | EAR(2, 2) }, { .config = 0x12, STACK } },
	{ "IP-EAR", { .config = 0x12 | EAR(6, 0) }, { .config = 0x08 | EAR(6, 0) | IP_DELAY(1) } },
	/* Filters apply to the trace buffer, whatever its event. */
	{ "instruction range", { RANGE(8, 0, 0xfff) }, { .config = 0, STACK } },
	{ "opcode filter", { OPCODE(8, 15ULL) }, { .config = 0, STACK } },
	{ NULL, { OPCODE(8, 15ULL) }, { .config = 0x208 } },
	{ "tag channel", { RANGE(0x44, 0, 0) }, { .config = 0x41 } },
	{ "tag channel", { RANGE(0x44, 0, 0) }, { .config = 0x108 } },
	/* CPU_OP_CYCLES.QUAL is no good while range 2 is in use. */
	{ "tag channel", { RANGE(0x44, 0, 0) }, { RANGE(0x112, 0, 0) } },
	/* Each channel has its own range, two have one matcher. */
	{ NULL, { RANGE(8, 0, 0) }, { RANGE(0x208, 16, 0) } },
	{ "channels 0 and 2", { OPCODE(8, 15ULL) }, { OPCODE(0x208, 7ULL) } },
	{ "channels 1 and 3", { OPCODE(0x108, 15ULL) }, { OPCODE(0x308, 7ULL) } },
	{ NULL, { OPCODE(0x308, 15ULL) }, { .config = 0x108 } },
	{ NULL, { PAIR(8, 32, 64) }, { PAIR(0x44, 96, 128) } },
	{ NULL, { PAIR(8, 32, 64) }, { .config = 0x108 } },
	{ "fine=1", { PAIR(8, 32, 64) }, { .config = 0x208 } },
	{ "fine=1", { PAIR(0x44, 32, 64) }, { OPCODE(0x308, 15ULL) } },
	{ "data range", { .config = 0xc7 | FILTER(6) | ADDR_BITS(4) | DATA_BITS(4) },
	  { RANGE(0xc7, 0, 15) } },
	{ NULL, { .config = 0xc7 | FILTER(6) | ADDR_BITS(4) | DATA_BITS(4) }, { RANGE(8, 0, 15) } },
	{ "CANCELS", { .config = 0xe0 }, { .config = 0xe2 } },
	{ "CYCLES_HALTED can only be counted by PMD10", { .config = 0x18 }, { .config = 0x18 } },
	/* Accesses and misses, which perf stat -d has side by side */
	{ NULL, { .config = 0xc4 }, { .config = 0xc7 } },
	{ NULL, { .config = 0xbdd }, { .config = 0xadd } },
};

static void test_pairs(void)
{
	for (row = 0; row < ARRAY_SIZE(pairs); row++) {
		const char *rule = pairs[row].rule;
		struct perf_event *leader = open_attr(0, &pairs[row].a, NULL);

		EXPECT(!!leader, 1);
		if (!leader)
			continue;
		mock_window();
		log_clear();
		open_attr(0, &pairs[row].b, leader);
		EXPECT(open_errno, rule ? -EINVAL : 0);
		EXPECT(rule ? log_has(rule) : !log_has("itanium"), 1);
		EXPECT(mock_sched_in(leader), 1);
		mock_close(leader);
	}
}

/*
 * Counters of events that come one by one: one that has a counter keeps it, unless another needs
 * it, and the last one has this error.
 */
static const struct {
	int err;
	u64 config[8];		/* ended by 0 */
	s8 counter[7];
} assigned[] = {
	/* PMC5 has an L1D event, and stays with the first. */
	{ 0, { 0xc1, 0xc1, 0xc1 }, { 5, 15, 14 } },
	/* ... but is that of the one that takes PMC4 to 9 alone, if these are needed */
	{ 0, { 0xc1, 0x80c0, 0xb1, 0xb1, 0xb1, 0xb1, 0xb1 }, { 15, 5, 8, 7, 6, 4, 9 } },
	{ 0, { 0x1e6, 0x2e6, 0x1e6, 0x2e6 }, { 4, 6, 8, 9 } },
	{ -ENOSPC, { 0x18, 0x18 }, { 10, -1 } },
	{ -ENOSPC, { 0x1e6, 0x2e6, 0x3e6 }, { 4, 6, -1 } },
	{ -EINVAL, { 0xe0, 0xe0 }, { 4, -1 } },
	{ -EINVAL, { 0xc0, 0xc4 }, { 5, -1 } },
};

/* Assignments that hold, in any order of the events */
static const struct {
	u64 config[5];
	s8 counter[4];
} kept[] = {
	{ { 0xc1, 0xc1 }, { 15, 5 } },
	{ { 0xc1, 0xc1, 0xc1 }, { 7, 11, 5 } },
	{ { 0x1e6, 0x2e6, 0x1e6, 0x2e6 }, { 8, 9, 4, 6 } },
	{ { 0x12, 0x12, 0xb1 }, { 4, 15, 9 } },
};

static void test_kept(void)
{
	struct itanium_req reqs[4];
	const struct itanium_req *req[4];
	const char *why;
	s8 counter[4];
	unsigned int i, n;

	for (row = 0; row < ARRAY_SIZE(kept); row++) {
		for (n = 0; kept[row].config[n]; n++) {
			struct itanium_attr attr = {
				.config = kept[row].config[n], .plm = 9, .threads = true,
			};

			EXPECT(itanium_encode(&attr, &reqs[n], &why), 0);
			req[n] = &reqs[n];
			counter[n] = kept[row].counter[n];
		}
		EXPECT(itanium_assign(req, n, counter, &why), 0);
		for (i = 0; i < n; i++)
			EXPECT(counter[i], kept[row].counter[i]);
	}
}

static void test_assigned(void)
{
	struct itanium_req reqs[8];
	const struct itanium_req *req[8];
	const char *why;
	s8 counter[8];
	unsigned int i;

	for (row = 0; row < ARRAY_SIZE(assigned); row++) {
		const u64 *config = assigned[row].config;

		for (i = 0; config[i]; i++) {
			struct itanium_attr attr = {
				.config = config[i], .plm = 9, .threads = true,
			};

			EXPECT(itanium_encode(&attr, &reqs[i], &why), 0);
			req[i] = &reqs[i];
			counter[i] = -1;
			EXPECT(itanium_assign(req, i + 1, counter, &why),
			       config[i + 1] ? 0 : assigned[row].err);
		}
		while (i--)
			EXPECT(counter[i], assigned[row].counter[i]);
	}
	test_kept();
}

/*
 * The events that perf's generic ones are, by the manual's codes (tables 4-1 to
 * 4-38) and libpfm4's unit mask
 */
static const struct {
	u32 type;
	u64 generic, config;
} means[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, 0x12 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, 0x08 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, 0xdb },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, 0xdc },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, 0x5b },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, 0x8e },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, 0x100 },
	/* cache, operation << 8, result << 16 */
	{ PERF_TYPE_HW_CACHE, 0x000000, 0xc4 }, { PERF_TYPE_HW_CACHE, 0x010000, 0xc7 },
	{ PERF_TYPE_HW_CACHE, 0x000100, 0xd1 }, { PERF_TYPE_HW_CACHE, 0x000001, 0x40 },
	{ PERF_TYPE_HW_CACHE, 0x010001, 0x42 }, { PERF_TYPE_HW_CACHE, 0x000201, 0x44 },
	{ PERF_TYPE_HW_CACHE, 0x010201, 0x45 }, { PERF_TYPE_HW_CACHE, 0x000002, 0xbdd },
	{ PERF_TYPE_HW_CACHE, 0x010002, 0xadd }, { PERF_TYPE_HW_CACHE, 0x000102, 0x7de },
	{ PERF_TYPE_HW_CACHE, 0x010102, 0x6de }, { PERF_TYPE_HW_CACHE, 0x000004, 0x40 },
	{ PERF_TYPE_HW_CACHE, 0x010004, 0x347 }, { PERF_TYPE_HW_CACHE, 0x000005, 0x5b },
};

/* A generic event, alone or in a group; its other config words are ignored. */
static int open_generic(struct perf_event *event, u32 type, u64 config, struct perf_event *leader)
{
	*event = (struct perf_event){
		.attr = { .type = type, .config = config, .config1 = 5, .config2 = 5 },
		.pmu = pmu, .hw.idx = -1, .group_leader = leader ?: event,
	};
	log_clear();
	return mock_event_init(event);
}

void test_generic(unsigned int n)
{
	struct perf_event_attr l1d = { .config = 0xc0 };
	struct perf_event event, *leader;
	unsigned int found = 0;
	u64 g;

	on_ia64 = true;
	load();
	for (row = 0; row < ARRAY_SIZE(means); row++) {
		struct perf_event_attr meant = { .config = means[row].config };

		EXPECT(open_generic(&event, means[row].type, means[row].generic, NULL), 0);
		EXPECT(log_has("itanium"), 0);
		EXPECT(mock_sched_in(&event), 1);
		EXPECT(control_of(&event), want_control(&meant));
		mock_sched_out(&event);
		event.destroy(&event);
		/* perf tries how precise its default event can be. */
		event.attr.precise_ip = 1;
		EXPECT(mock_event_init(&event), -EOPNOTSUPP);
		EXPECT(log_has("itanium"), 0);
	}
	for (g = 0; g < 0x30000; g++) {
		found += itanium_generic(PERF_TYPE_HARDWARE, g) >= 0;
		found += itanium_generic(PERF_TYPE_HW_CACHE, g) >= 0;
	}
	EXPECT(found, ARRAY_SIZE(means));
	EXPECT(open_generic(&event, PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES, NULL),
	       -ENOENT);
	event.attr.precise_ip = 1;
	EXPECT(mock_event_init(&event), -ENOENT);
	EXPECT(open_generic(&event, PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_NODE, NULL), -ENOENT);
	EXPECT(open_generic(&event, PERF_TYPE_SOFTWARE, 0, NULL), -ENOENT);
	EXPECT(open_generic(&event, PERF_TYPE_TRACEPOINT, 0x12, NULL), -ENOENT);
	/* One of L1D set 1 in a group of set 0 */
	leader = open_attr(0, &l1d, NULL);
	EXPECT(open_generic(&event, PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_L1D, leader), -EINVAL);
	expect_log("itanium: generic event 0 refused: L1D events of one set at a time", true);
	mock_close(leader);
	unload();
}

void test_encode(unsigned int n)
{
	load();
	test_encodings();
	test_ear_masks();
	test_pairs();
	test_assigned();
	unload();
}
