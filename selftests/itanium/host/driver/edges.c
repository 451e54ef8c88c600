// SPDX-License-Identifier: GPL-2.0-only
/*
 * Every mask that a capture unit has, rights at every level, ranges from 0 on, and
 * samples where a task is a thread of the kernel, or another one than before
 */
#include "itanium/pmu.h"
#include "sample.h"

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
		/* Bit 6 alone decides over those that are no latency. */
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

static void test_masks(void)
{
	static const u64 code[] = { 0, 0xc8, 0xc8, 0xc8, 0x43, 0x43, 0x12 };
	/* Where the register of the unit has the mask */
	static const unsigned int reg[] = { 0, 40, 40, 40, 37, 37, 42 };
	static const unsigned int shift[] = { 0, 16, 16, 16, 5, 5, 0 };
	unsigned int ear, mask;

	for (ear = 1; ear <= 6; ear++) {
		for (mask = 0; mask < 256; mask++) {
			struct perf_event_attr attr = {
				.config = code[ear] | EAR(ear, mask),
			};
			struct perf_event *event = open_attr(0, &attr, NULL);
			u64 field;

			if (wrong(!event != !has_mask(ear, mask) ||
				  (!event && open_errno != -EINVAL)))
				fault("ear=%u with mask %#x: %d", ear, mask,
				      open_errno);
			if (!event)
				continue;
			come(event);
			field = ear == 4 ? 0xff : ear == 5 ? 7 : ear == 6 ? 0 : 0xf;
			if (wrong((hw[0].pmc[reg[ear]] >> shift[ear] & field) != mask))
				fault("ear=%u with mask %#x: PMC%u is %#llx", ear,
				      mask, reg[ear],
				      (unsigned long long)hw[0].pmc[reg[ear]]);
			mock_close(event);
		}
	}
}

/* The other thread's program is as little one's business as its kernel. */
static void test_all(void)
{
	struct perf_event_attr attr = { .config = 0x8049 };
	struct perf_event *event;
	unsigned int level;

	for (level = 0; level < 3; level++) {
		attr.exclude_user = level == 1;
		attr.exclude_kernel = level == 2;
		mock_capabilities = 0;
		if (wrong(open_attr(0, &attr, NULL) || open_errno != -EACCES))
			fault("levels %u of the other thread, for anybody: %d",
			      level, open_errno);
		mock_capabilities = BIT_ULL(CAP_PERFMON);
		event = open_attr(0, &attr, NULL);
		if (wrong(!event))
			fault("levels %u of the other thread: %d", level,
			      open_errno);
		else
			mock_close(event);
	}
	mock_capabilities = ~0ULL;
}

/*
 * A debugger had the pair before. Where the address of the range is 0, as that of a
 * pair that is not in use, it is written all the same.
 */
static void test_from_zero(void)
{
	static const struct perf_event_attr ranges[] = {
		{ .config = 0x08 | FILTER(2), .config2 = 0xfff },
		{ .config = 0x108 | FILTER(2), .config2 = 0xfff },
		{ .config = 0xc7 | FILTER(4), .config2 = 0xfff },
	};
	struct perf_event *event;
	unsigned int i, round;

	for (i = 0; i < ARRAY_SIZE(ranges); i++) {
		u64 *pair = i == 2 ? hw[0].dbr : hw[0].ibr + 2 * i;

		for (round = 0; round < 2; round++) {
			event = open_attr(0, &ranges[i], NULL);
			pair[0] = 0x7ff000;
			pair[1] = 0;
			come(event);
			if (wrong(pair[0] || pair[1] != 0x0ffffffffffff000ULL))
				fault("range %u is %#llx with %#llx", i,
				      (unsigned long long)pair[0],
				      (unsigned long long)pair[1]);
			mock_close(event);
		}
	}
}

/*
 * A thread of the kernel has no registers of a program. What is where they would be
 * is left over from somebody.
 */
static void test_kthread(void)
{
	static struct task_struct thread = {
		.pid = 9, .flags = PF_KTHREAD,
		.regs = { 0x666660, __USER_CS, 0x246 },
	};
	struct perf_event *event;

	mock_task[0] = &thread;
	event = start((struct perf_event_attr){
		.config = 0x12, .exclude_kernel = 1 });
	overflow(event, &kernel_regs);
	if (wrong(got.n || got.dropped != 1))
		fault("a sample of a thread of the kernel is at %#llx",
		      (unsigned long long)got.regs.ip);
	mock_close(event);
	/* An instruction of the program that ran before it, captured late */
	event = start((struct perf_event_attr){ .config = 0xc8 | EAR(1, 0) });
	hw[0].pmd[33] = 0x4000;
	hw[0].pmd[36] = UIP | 8;
	overflow(event, &kernel_regs);
	if (wrong(got.n != 1 || got.regs.ip != UIP ||
		  got.regs.flags != PERF_EFLAGS_EXACT))
		fault("%u samples, with flags %#llx", got.n,
		      (unsigned long long)got.regs.flags);
	mock_close(event);
	mock_task[0] = &tasks[0];
}

/*
 * The processor's own PMU, which says that one thread is in use: nothing happens in
 * the background then. And a generic event is one of its group like any other.
 */
static bool one_thread(void)
{
	return false;
}

static void test_processor(unsigned int n)
{
	struct perf_event_attr attr = { .config = 0xdc };
	struct perf_event generic = {
		.attr = { .type = PERF_TYPE_HW_CACHE,
			  .config = PERF_COUNT_HW_CACHE_L1D },
		.hw.idx = -1,
	};
	struct perf_event *event[12];
	struct itanium_ops own;
	unsigned int i;
	int err;

	load();
	own = *itanium_ops;
	own.type = PERF_TYPE_RAW;
	own.threads = one_thread;
	itanium_ops = &own;
	pmu->type = PERF_TYPE_RAW;
	for (i = 0; i < ARRAY_SIZE(event); i++) {
		event[i] = open_attr(0, &attr, NULL);
		if (wrong(!event[i] || !mock_sched_in(event[i])))
			fault("no room for event %u with one thread in use", i + 1);
	}
	for (i = 0; i < ARRAY_SIZE(event); i++)
		mock_close(event[i]);

	/* Of L1D sets 0 and 1, with the generic one in the group of the other */
	attr.config = 0xc0;
	event[0] = open_attr(0, &attr, NULL);
	generic.group_leader = event[0];
	generic.pmu = pmu;
	log_clear();
	err = mock_event_init(&generic);
	if (wrong(err != -EINVAL))
		fault("two L1D sets in a group: %d", err);
	expect_log("L1D events of one set at a time");
	if (!err)
		generic.destroy(&generic);
	mock_close(event[0]);
	unload();
}

void test_edges(unsigned int n)
{
	in_process(test_processor, 0);
	begin();
	test_masks();
	test_all();
	test_from_zero();
	test_kthread();
	unload();
}
