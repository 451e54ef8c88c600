// SPDX-License-Identifier: GPL-2.0-only
/*
 * How the PMUs count: threshold, invert, edge, occupancy, wrap, torn reads,
 * groups, multiplexing, several users.
 */
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/model.h"
#include "lib/uncore.h"

FIXTURE(uncore) {
	int none;
};

FIXTURE_SETUP(uncore)
{
	self->none = 0;
	model_init();
	/* A threshold that nothing reaches is among what is tried. */
	model("judge off threshold");
	uncore_init("snbep_uncore_");
	ASSERT_LT(0, uncore_nr_pmus);
}

FIXTURE_TEARDOWN(uncore)
{
	/* As it is shipped, for the programs that come next */
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set)) {
		printf("# cannot run on CPU %d\n", cpu);
		exit(1);
	}
}

/*
 * One event of each kind of box that adds up to @max in a cycle, and a clock
 * of it. @width is that of its counters.
 */
static const struct kind {
	const char *box;
	const char *event;	/* for perf */
	const char *stim;	/* for the model */
	unsigned int max, thresh, width;
	const char *clock;	/* none in the UBox, one in the iMC is fixed */
} kinds[] = {
	{ "cbox_5", "event=0x11,umask=0x04", "event=0x11,umask=0x04", 20, 7,
	  44, "event=0x00" },
	{ "ha", "event=0x15,umask=0x02", "event=0x15,umask=0x02", 4, 3, 48,
	  "event=0x00" },
	{ "imc_3", "event=0x81", "event=0x81", 32, 20, 48, NULL },
	{ "pcu", "event=0x05", "event=0x05", 1, 1, 48, "event=0x00" },
	{ "qpi_0", "event=0x118", "event=0x18,ext=1", 128, 100, 48,
	  "event=0x14" },
	{ "r2pcie", "event=0x12", "event=0x12", 1, 1, 44, "event=0x01" },
	{ "r3qpi_1", "event=0x13,umask=0x20", "event=0x13,umask=0x20", 32, 32,
	  44, "event=0x01" },
	{ "ubox", "event=0x44", "event=0x44", 1, 1, 44, NULL },
};

#define for_each_kind(k)						\
	for (k = kinds; k < kinds + ARRAY_SIZE(kinds); k++)

static int open_with(const struct kind *k, const char *more,
		     unsigned int socket)
{
	char text[128];

	snprintf(text, sizeof(text), "%s%s", k->event, more);
	return uncore_open(uncore_pmu(k->box), text, socket, -1);
}

#define stim(k, socket, inc, count)					\
	model("stim %u %s %s,inc=%u,count=%llu", socket, (k)->box,	\
	      (k)->stim, inc, (unsigned long long)(count))

/* Below the threshold, at it, and at the largest increment there is */
#define BELOW	101
#define AT	10007
#define MAX	1000003

static void three_levels(const struct kind *k)
{
	stim(k, 0, k->thresh - 1, BELOW);
	stim(k, 0, k->thresh, AT);
	stim(k, 0, k->max, MAX);
}

TEST_F_TIMEOUT(uncore, increments, 120)
{
	const struct kind *k;

	for_each_kind(k) {
		int fd = open_with(k, "", 0);

		three_levels(k);
		ASSERT_EQ((uint64_t)BELOW * (k->thresh - 1) +
			  (uint64_t)AT * k->thresh + (uint64_t)MAX * k->max,
			  uncore_read(fd))
			TH_LOG("%s", k->box);
		close(fd);
	}
}

/* What is counted of the three levels with a threshold and @more */
static void check_threshold(struct __test_metadata *_metadata, const char *more,
			    uint64_t want)
{
	const struct kind *k;
	char text[48];

	for_each_kind(k) {
		int fd;

		snprintf(text, sizeof(text), ",thresh=%u%s", k->thresh, more);
		fd = open_with(k, text, 0);
		three_levels(k);
		ASSERT_EQ(want, uncore_read(fd)) TH_LOG("%s", k->box);
		close(fd);
	}
}

TEST_F_TIMEOUT(uncore, threshold, 120)
{
	check_threshold(_metadata, "", AT + MAX);
}

TEST_F_TIMEOUT(uncore, invert, 120)
{
	check_threshold(_metadata, ",inv=1", BELOW);
}

/* The machine idles between two occurrences: each is an edge of its own. */
TEST_F_TIMEOUT(uncore, edge, 120)
{
	check_threshold(_metadata, ",edge=1", AT + MAX);
}

TEST_F_TIMEOUT(uncore, falling_edge, 120)
{
	check_threshold(_metadata, ",inv=1,edge=1", AT + MAX);
}

/* A clock adds one in each cycle: it passes a threshold of 1 and not of 2. */
TEST_F_TIMEOUT(uncore, clock_threshold, 120)
{
	const struct kind *k;

	for_each_kind(k) {
		struct uncore_pmu *pmu = uncore_pmu(k->box);
		char text[64];
		int all, none;

		if (!k->clock)
			continue;
		snprintf(text, sizeof(text), "%s,thresh=2,inv=1", k->clock);
		all = uncore_open(pmu, text, 0, -1);
		snprintf(text, sizeof(text), "%s,thresh=2", k->clock);
		none = uncore_open(pmu, text, 0, -1);
		usleep(1000);
		EXPECT_LT(700000, uncore_read(all)) TH_LOG("%s", k->box);
		EXPECT_EQ(0, uncore_read(none)) TH_LOG("%s", k->box);
		close(all);
		close(none);
	}
}

/* Section 2.6.3.2 and Table 2-80 */
TEST_F_TIMEOUT(uncore, pcu_occupancy, 120)
{
	static const struct {
		const char *event;
		/* c0=3, c0=4, c0=5 each beside event 3; c0=5 beside none */
		unsigned int n[4];
	} uses[] = {
		/* occupancy is added up while the event lasts */
		{ "event=0x83,occ_sel=1", { 3, 4, 5, 0 } },
		{ "event=0x83,occ_sel=2", { 0, 0, 0, 0 } },
		{ "event=0x83,occ_sel=1,thresh=4", { 0, 1, 1, 0 } },
		{ "event=0x83,occ_sel=1,thresh=4,occ_invert=1",
		  { 1, 0, 0, 0 } },
		{ "event=0x83,occ_sel=1,thresh=4,occ_edge=1", { 0, 1, 1, 0 } },
		{ "event=0x83,occ_sel=1,thresh=9,occ_invert=1",
		  { 1, 1, 1, 0 } },
		/* inv is about the event */
		{ "event=0x83,occ_sel=1,thresh=4,inv=1", { 0, 0, 0, 1 } },
		/* the event by itself does not look at occupancy */
		{ "event=0x03", { 1, 1, 1, 0 } },
	};
	static const unsigned int count[] = { 1, 100, 10000, 1000000 };
	struct uncore_pmu *pmu = uncore_pmu("pcu");
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		int fd = uncore_open(pmu, uses[i].event, 0, -1);
		uint64_t want = 0;

		for (j = 0; j < 4; j++) {
			model("stim 0 pcu event=0x03,c0=%u,inc=%u,count=%u",
			      j < 3 ? 3 + j : 5, j < 3, count[j]);
			want += (uint64_t)uses[i].n[j] * count[j];
		}
		EXPECT_EQ(want, uncore_read(fd)) TH_LOG("%s", uses[i].event);
		close(fd);
	}
}

/* A user who maps an event finds in the page what was counted at the end. */
TEST_F_TIMEOUT(uncore, mapped_page, 120)
{
	struct uncore_pmu *pmu = uncore_pmu("ha");
	struct perf_event_mmap_page *page;
	int fd = uncore_open(pmu, "event=0x0e", 0, -1);

	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	ASSERT_NE(MAP_FAILED, page);
	model("stim 0 ha event=0x0e,count=123");
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(0, page->index);
	EXPECT_EQ(123, page->offset);
	EXPECT_LT(0, page->time_running);
	munmap(page, sysconf(_SC_PAGESIZE));
	close(fd);
}

/* Section 2.3.2.1: the queue that counter 0 counts, with other thresholds */
TEST_F_TIMEOUT(uncore, counter0_occupancy, 120)
{
	struct uncore_pmu *pmu = uncore_pmu("cbox_0");
	uint64_t n[3];
	int leader, member[2];

	leader = uncore_open(pmu, "event=0x36,umask=0x08", 1, -1);
	member[0] = uncore_open(pmu, "event=0x1f,thresh=10", 1, leader);
	member[1] = uncore_open(pmu, "event=0x1f,thresh=3,inv=1", 1, leader);
	model("stim 1 cbox_0 event=0x36,umask=0x00,inc=2,count=5");
	model("stim 1 cbox_0 event=0x36,umask=0x00,inc=9,count=70");
	model("stim 1 cbox_0 event=0x36,umask=0x00,inc=10,count=900");
	uncore_read_group(leader, 3, n, NULL);
	EXPECT_EQ(2 * 5 + 9 * 70 + 10 * 900, n[0]);
	EXPECT_EQ(900, n[1]);
	EXPECT_EQ(5, n[2]);
	/* Without its leader a member would be in the way of the next group. */
	close(member[0]);
	close(member[1]);
	close(leader);
}

static unsigned int nr_ctrs(const char *box)
{
	return !strcmp(box, "ubox") ? 2 : !strncmp(box, "r3qpi", 5) ? 3 : 4;
}

/* Give all general counters of a box a value, whichever it counts with */
static void set_ctrs(const char *box, uint64_t value)
{
	unsigned int i;

	for (i = 0; i < nr_ctrs(box); i++)
		model("set 0 %s ctr=%u,value=%#llx", box, i,
		      (unsigned long long)value);
}

/* The counter that counts: its control register is enabled */
static unsigned int used_ctr(const char *box)
{
	unsigned int i;
	char name[8];

	for (i = 0; i < nr_ctrs(box); i++) {
		snprintf(name, sizeof(name), "CTL%u", i);
		if (model_reg(0, box, name) & 1u << 22)
			return i;
	}
	printf("# no counter of %s counts\n", box);
	exit(1);
}

TEST_F_TIMEOUT(uncore, wrap_from_before, 120)
{
	const struct kind *k;

	for_each_kind(k) {
		int fd;

		/* The first use of a box resets it: have that behind us. */
		close(open_with(k, "", 0));
		set_ctrs(k->box, (1ull << k->width) - 5);
		fd = open_with(k, "", 0);
		EXPECT_EQ(0, uncore_read(fd)) TH_LOG("%s", k->box);
		stim(k, 0, 1, 4);
		EXPECT_EQ(4, uncore_read(fd)) TH_LOG("%s", k->box);
		stim(k, 0, 1, 1);
		EXPECT_EQ(5, uncore_read(fd)) TH_LOG("%s", k->box);
		stim(k, 0, 1, 1000000);
		EXPECT_EQ(1000005, uncore_read(fd)) TH_LOG("%s", k->box);
		close(fd);
	}
}

TEST_F_TIMEOUT(uncore, wrap_while_counting, 120)
{
	const struct kind *k;

	for_each_kind(k) {
		int fd = open_with(k, "", 0);
		uint64_t at;

		set_ctrs(k->box, (1ull << k->width) - 1);
		at = uncore_read(fd);
		stim(k, 0, 1, 3);
		EXPECT_EQ(at + 3, uncore_read(fd)) TH_LOG("%s", k->box);
		/* nearly all the way round, once more */
		stim(k, 0, 1, (1ull << k->width) - 1);
		EXPECT_EQ(at + 2 + (1ull << k->width), uncore_read(fd))
			TH_LOG("%s", k->box);
		close(fd);
	}
}

/* The fixed counters wrap at 44 and 48 bits. */
TEST_F_TIMEOUT(uncore, wrap_fixed, 120)
{
	static const struct {
		const char *box;
		unsigned int width, mhz;
	} fixed[] = { { "ubox", 44, 2000 }, { "imc_1", 48, 800 } };
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(fixed); i++) {
		struct uncore_pmu *pmu = uncore_pmu(fixed[i].box);
		uint64_t start, n, most;
		int fd;

		close(uncore_open(pmu, "event=0xff", 0, -1));
		model("set 0 %s ctr=fixed,value=%#llx", fixed[i].box,
		      (1ull << fixed[i].width) - 1000);
		start = now_ns();
		fd = uncore_open(pmu, "event=0xff", 0, -1);
		usleep(2000);
		n = uncore_read(fd);
		most = (now_ns() - start) * fixed[i].mhz / 1000;
		EXPECT_LT(1000, n) TH_LOG("%s", fixed[i].box);
		EXPECT_GE(most + most / 20, n) TH_LOG("%s", fixed[i].box);
		close(fd);
	}
}

/*
 * A counter in PCI space is read in two halves, and carries between them: the
 * read has to be one of the two values, and the next one exact.
 */
static uint64_t torn_by(struct __test_metadata *_metadata, const char *box,
			int fd, const char *ctr, const char *after)
{
	const uint64_t before = 0x1fffffff0, later = 0x200000005;
	uint64_t at, torn;

	model("set 0 %s ctr=%s,value=%#llx", box, ctr,
	      (unsigned long long)before);
	at = uncore_read(fd);
	model("tear 0 %s ctr=%s,value=%#llx,after=%s", box, ctr,
	      (unsigned long long)later, after);
	torn = uncore_read(fd) - at;
	EXPECT_TRUE(torn == 0 || torn == later - before)
		TH_LOG("%s, after %s: off by %#llx", box, after,
		       (unsigned long long)torn);
	torn = uncore_read(fd) - at;
	EXPECT_EQ(later - before, torn) TH_LOG("%s, after %s", box, after);
	return torn;
}

TEST_F_TIMEOUT(uncore, torn_read, 120)
{
	static const char * const pci[] = {
		"ha", "imc_3", "qpi_0", "r2pcie", "r3qpi_1",
	};
	const struct kind *k;
	unsigned int i;
	char ctr[8];

	for (i = 0; i < ARRAY_SIZE(pci); i++) {
		int fd;

		for_each_kind(k) {
			if (!strcmp(k->box, pci[i]))
				break;
		}
		fd = open_with(k, "", 0);
		snprintf(ctr, sizeof(ctr), "%u", used_ctr(pci[i]));
		torn_by(_metadata, pci[i], fd, ctr, "hi");
		torn_by(_metadata, pci[i], fd, ctr, "lo");
		close(fd);
	}
}

/*
 * The fixed counter of an iMC channel runs all the time: a second passes
 * before it would carry by itself.
 */
TEST_F_TIMEOUT(uncore, torn_read_fixed, 120)
{
	int fd = uncore_open(uncore_pmu("imc_0"), "event=0xff", 0, -1);
	static const char * const after[] = { "lo", "hi" };
	unsigned int i;

	for (i = 0; i < 2; i++) {
		uint64_t at, n;

		model("set 0 imc_0 ctr=fixed,value=0x1c0000000");
		at = uncore_read(fd);
		model("tear 0 imc_0 ctr=fixed,value=0x200000005,after=%s",
		      after[i]);
		/* a torn value is off by 2^32 */
		n = uncore_read(fd) - at;
		EXPECT_GT(1ull << 31, n) TH_LOG("after %s: %llu", after[i],
						(unsigned long long)n);
		n = uncore_read(fd) - at;
		EXPECT_LE(0x5, n) TH_LOG("after %s", after[i]);
		EXPECT_GT(1ull << 31, n) TH_LOG("after %s: %llu", after[i],
						(unsigned long long)n);
	}
	close(fd);
}

/* A running counter is never seen to go back. */
TEST_F_TIMEOUT(uncore, never_backward, 120)
{
	static const char * const ticking[] = {
		"imc_0", "event=0xff", "ha", "event=0x00", "qpi_1",
		"event=0x14", "cbox_1", "event=0x00", "ubox", "event=0xff",
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(ticking); i += 2) {
		int fd = uncore_open(uncore_pmu(ticking[i]), ticking[i + 1], 0,
				     -1);
		uint64_t last = 0, n;
		char ctr[8] = "fixed";

		if (strcmp(ticking[i + 1], "event=0xff"))
			snprintf(ctr, sizeof(ctr), "%u",
				 used_ctr(ticking[i]));
		/* Let it carry into the high half again and again. */
		for (j = 0; j < 200; j++) {
			if (j % 20 == 0)
				model("set 0 %s ctr=%s,value=%#llx",
				      ticking[i], ctr,
				      (j + 1ull) << 32 | 0xfffff000);
			n = uncore_read(fd);
			ASSERT_LE(last, n) TH_LOG("%s", ticking[i]);
			last = n;
		}
		close(fd);
	}
}

/* Two copies of a clock in a group are started and stopped as one. */
TEST_F_TIMEOUT(uncore, group_at_one_instant, 120)
{
	const struct kind *k;
	unsigned int i;

	for_each_kind(k) {
		struct uncore_pmu *pmu = uncore_pmu(k->box);
		struct perf_event_attr attr;
		struct uncore_enc enc;
		int leader, sibling;
		uint64_t n[2];

		if (!k->clock)
			continue;
		uncore_encode(pmu, k->clock, &enc);
		attr = uncore_attr(pmu, &enc);
		attr.disabled = 1;
		leader = uncore_open_attr(&attr, pmu->cpu[0], -1);
		attr.disabled = 0;
		sibling = uncore_open_attr(&attr, pmu->cpu[0], leader);
		ASSERT_LE(0, leader);
		ASSERT_LE(0, sibling);
		for (i = 0; i < 20; i++) {
			pin(i % sysconf(_SC_NPROCESSORS_ONLN));
			ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
			uncore_read_group(leader, 2, n, NULL);
			/* Read one after the other */
			ASSERT_LE(n[0], n[1]) TH_LOG("%s: read %u", k->box, i);
			ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
			uncore_read_group(leader, 2, n, NULL);
			ASSERT_EQ(n[0], n[1]) TH_LOG("%s: read %u", k->box, i);
			ASSERT_LT(0, n[0]) TH_LOG("%s", k->box);
		}
		close(sibling);
		close(leader);
	}
}

/* While an event is disabled it does not count, and nothing is lost. */
TEST_F_TIMEOUT(uncore, enable_disable_reset, 120)
{
	const struct kind *k;

	for_each_kind(k) {
		int fd = open_with(k, "", 1);

		stim(k, 1, 1, 11);
		ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
		stim(k, 1, 1, 500);
		EXPECT_EQ(11, uncore_read(fd)) TH_LOG("%s", k->box);
		ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		stim(k, 1, 1, 22);
		EXPECT_EQ(33, uncore_read(fd)) TH_LOG("%s", k->box);
		ioctl(fd, PERF_EVENT_IOC_RESET, 0);
		EXPECT_EQ(0, uncore_read(fd)) TH_LOG("%s", k->box);
		stim(k, 1, 1, 44);
		EXPECT_EQ(44, uncore_read(fd)) TH_LOG("%s", k->box);
		close(fd);
	}
}

/*
 * Whether each of these groups of so many events has counted for some time, and
 * not all of it
 */
static bool took_turns(const int *fd, unsigned int groups, unsigned int events)
{
	struct uncore_times t;
	uint64_t n[3];
	unsigned int i;

	for (i = 0; i < groups; i++) {
		uncore_read_group(fd[i], events, n, &t);
		if (!t.running || t.running >= t.enabled)
			return false;
	}
	return true;
}

/*
 * More events than counters. Perf multiplexes them in an interrupt of the PMU's CPU, and
 * so what happens by a command of that CPU is counted by as many as there are counters.
 */
TEST_F_TIMEOUT(uncore, multiplexing, 300)
{
	static const struct {
		const char *box;
		unsigned int ctrs;	/* that take the event of lib/uncore.c, by the guide */
	} boxes[] = {
		{ "cbox_5", 2 }, { "ha", 4 }, { "imc_3", 4 }, { "pcu", 4 },
		{ "qpi_0", 4 }, { "r2pcie", 1 }, { "r3qpi_1", 2 }, { "ubox", 2 },
	};
	unsigned int b;

	for (b = 0; b < ARRAY_SIZE(boxes); b++) {
		struct uncore_pmu *pmu = uncore_pmu(boxes[b].box);
		unsigned int i, events = boxes[b].ctrs + 2;
		const char *event = uncore_kind(pmu)->event;
		uint64_t made = 0, sum = 0;
		int fd[8];

		pin(pmu->cpu[0]);
		for (i = 0; i < events; i++)
			fd[i] = uncore_open(pmu, event, 0, -1);
		while (made < 20000 || !took_turns(fd, events, 1)) {
			model("stim 0 %s %s,count=1000", boxes[b].box, event);
			made += 1000;
			usleep(1000);
		}
		for (i = 0; i < events; i++) {
			uint64_t n = uncore_read(fd[i]);

			EXPECT_GT(made, n) TH_LOG("%s: %u", boxes[b].box, i);
			sum += n;
			close(fd[i]);
		}
		EXPECT_EQ(made * boxes[b].ctrs, sum) TH_LOG("%s", boxes[b].box);
	}
}

/* A group runs as a whole or not at all: its two clocks agree at the end. */
TEST_F_TIMEOUT(uncore, multiplexed_groups, 300)
{
	struct uncore_pmu *pmu = uncore_pmu("cbox_2");
	int leader[3], sibling[3], third[3];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		struct perf_event_attr attr;
		struct uncore_enc enc;

		uncore_encode(pmu, "event=0x00", &enc);
		attr = uncore_attr(pmu, &enc);
		attr.disabled = 1;
		leader[i] = uncore_open_attr(&attr, pmu->cpu[0], -1);
		attr.disabled = 0;
		sibling[i] = uncore_open_attr(&attr, pmu->cpu[0], leader[i]);
		third[i] = uncore_open_attr(&attr, pmu->cpu[0], leader[i]);
		ASSERT_LE(0, third[i]);
	}
	for (i = 0; i < 3; i++)
		ioctl(leader[i], PERF_EVENT_IOC_ENABLE, 0);
	while (!took_turns(leader, 3, 3))
		usleep(10000);
	for (i = 0; i < 3; i++) {
		struct uncore_times t;
		uint64_t n[3];

		ioctl(leader[i], PERF_EVENT_IOC_DISABLE, 0);
		uncore_read_group(leader[i], 3, n, &t);
		EXPECT_LT(0, t.running);
		EXPECT_LT(t.running, t.enabled);
		EXPECT_EQ(n[0], n[1]);
		EXPECT_EQ(n[0], n[2]);
		close(sibling[i]);
		close(third[i]);
		close(leader[i]);
	}
}

/* An event that comes or goes disturbs no other. */
TEST_F_TIMEOUT(uncore, neighbours_come_and_go, 120)
{
	const struct kind *k;
	unsigned int i;

	for_each_kind(k) {
		struct uncore_pmu *pmu = uncore_pmu(k->box);
		int fd = open_with(k, "", 0);
		const char *other = k->clock ? k->clock : "event=0xff";

		for (i = 0; i < 10; i++) {
			int beside;

			stim(k, 0, 1, 1000);
			beside = uncore_open(pmu, other, 0, -1);
			stim(k, 0, 1, 300);
			uncore_read(beside);
			stim(k, 0, 1, 50);
			close(beside);
			stim(k, 0, 1, 7);
		}
		EXPECT_EQ(13570, uncore_read(fd)) TH_LOG("%s", k->box);
		close(fd);
	}
}

/* Two processes count the same thing. */
TEST_F_TIMEOUT(uncore, two_users, 120)
{
	/* box, event for perf, event for the model */
	static const char * const texts[] = {
		"cbox_6", "event=0x13,umask=0x01", "event=0x13,umask=0x01",
		"imc_0", "event=0x04,umask=0x0f", "event=0x04,umask=0x01",
		"ubox", "event=0x44", "event=0x44",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(texts); i += 3) {
		struct uncore_pmu *pmu = uncore_pmu(texts[i]);
		int to_child[2], to_parent[2], fd, status;
		char c;
		pid_t child;

		ASSERT_EQ(0, pipe(to_child));
		ASSERT_EQ(0, pipe(to_parent));
		child = fork();
		ASSERT_LE(0, child);
		fd = uncore_open(pmu, texts[i + 1], 0, -1);
		if (!child) {
			uint64_t n;

			write(to_parent[1], "r", 1);
			read(to_child[0], &c, 1);
			n = uncore_read(fd);
			_exit(n != 4321);
		}
		ASSERT_EQ(1, read(to_parent[0], &c, 1));
		model("stim 0 %s %s,count=4321", texts[i], texts[i + 2]);
		EXPECT_EQ(4321, uncore_read(fd)) TH_LOG("%s", texts[i]);
		ASSERT_EQ(1, write(to_child[1], "r", 1));
		ASSERT_EQ(child, waitpid(child, &status, 0));
		EXPECT_EQ(0, status) TH_LOG("%s: the other process", texts[i]);
		/* The other one has gone; this one goes on. */
		model("stim 0 %s %s,count=1000", texts[i], texts[i + 2]);
		EXPECT_EQ(5321, uncore_read(fd)) TH_LOG("%s", texts[i]);
		close(fd);
	}
}

/*
 * Readers on all CPUs, while things happen and other events come and go: no
 * count goes back, and nothing is added twice or lost.
 */
TEST_F_TIMEOUT(uncore, concurrent_readers, 120)
{
	static const char * const boxes[] = {
		"cbox_1", "event=0x13,umask=0x01", "event=0x00",
		"imc_1", "event=0x01", "event=0xff",
	};
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	unsigned int b, i;

	for (b = 0; b < ARRAY_SIZE(boxes); b += 3) {
		struct uncore_pmu *pmu = uncore_pmu(boxes[b]);
		int exact = uncore_open(pmu, boxes[b + 1], 0, -1);
		int clock = uncore_open(pmu, boxes[b + 2], 0, -1);
		uint64_t sent = 0;
		int cpu, status;

		for (cpu = 0; cpu < cpus; cpu++) {
			uint64_t last[2] = { 0, 0 }, n;
			pid_t child = fork();

			ASSERT_LE(0, child);
			if (child)
				continue;
			pin(cpu);
			for (i = 0; i < 400; i++) {
				n = uncore_read(i & 1 ? clock : exact);
				if (n < last[i & 1])
					_exit(2);
				last[i & 1] = n;
			}
			_exit(0);
		}
		for (i = 0; i < 100; i++) {
			int beside;

			model("stim 0 %s %s,count=%u", boxes[b], boxes[b + 1],
			      1 + i);
			sent += 1 + i;
			beside = uncore_open(pmu, boxes[b + 1], 0, -1);
			model("stim 0 %s %s,count=1000", boxes[b],
			      boxes[b + 1]);
			sent += 1000;
			close(beside);
		}
		for (cpu = 0; cpu < cpus; cpu++) {
			ASSERT_LE(0, wait(&status));
			EXPECT_EQ(0, status) TH_LOG("%s went back", boxes[b]);
		}
		EXPECT_EQ(sent, uncore_read(exact)) TH_LOG("%s", boxes[b]);
		close(exact);
		close(clock);
	}
}

/* It does not matter where one reads, or which CPU of a socket is named. */
TEST_F_TIMEOUT(uncore, from_any_cpu, 120)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN);
	const struct kind *k;
	int cpu, fd;

	for_each_kind(k) {
		struct uncore_pmu *pmu = uncore_pmu(k->box);
		uint64_t want = 0;

		for (cpu = 0; cpu < cpus; cpu++) {
			struct perf_event_attr attr;
			struct uncore_enc enc;
			int socket = uncore_cpu_socket(cpu), reader;

			uncore_encode(pmu, k->event, &enc);
			attr = uncore_attr(pmu, &enc);
			fd = uncore_open_attr(&attr, cpu, -1);
			ASSERT_LE(0, fd) TH_LOG("%s: CPU %d", k->box, cpu);
			want = 0;
			for (reader = 0; reader < cpus; reader++) {
				pin(reader);
				stim(k, socket, 1, 100 + reader);
				want += 100 + reader;
				stim(k, !socket, 1, 10000);
				ASSERT_EQ(want, uncore_read(fd))
					TH_LOG("%s: of CPU %d from CPU %d",
					       k->box, cpu, reader);
			}
			close(fd);
		}
	}
}

TEST_F_TIMEOUT(uncore, cpumask, 120)
{
	unsigned int i, s;

	for (i = 0; i < uncore_nr_pmus; i++) {
		for (s = 0; s < uncore_nr_sockets; s++) {
			EXPECT_LE(0, uncore_pmus[i].cpu[s])
				TH_LOG("%s: no CPU of socket %u",
				       uncore_pmus[i].name, s);
		}
	}
	EXPECT_LT(1, uncore_nr_sockets);
	EXPECT_EQ(20, uncore_nr_pmus);
}

TEST_F_TIMEOUT(uncore, qpi_rate, 120)
{
	static const char dir[] = "/sys/bus/event_source/devices";
	unsigned int port, s;

	for (port = 0; port < 2; port++) {
		for (s = 0; s < uncore_nr_sockets; s++) {
			char *rate = read_text("%s/snbep_uncore_qpi_%u/rate/socket%u",
					       dir, port, s);

			ASSERT_NE(NULL, rate);
			EXPECT_STREQ("8000", rate);
			free(rate);
		}
		EXPECT_EQ(NULL, read_text("%s/snbep_uncore_qpi_%u/rate/socket%u",
					  dir, port, uncore_nr_sockets));
	}
}

/* Bytes of a line, of a flit, and MiB of both */
TEST_F_TIMEOUT(uncore, scale_and_unit, 120)
{
	static const struct {
		const char *box, *alias;
		double scale;
		const char *unit;
	} scaled[] = {
		{ "imc_0", "cas_count_read", 64.0 / 1048576, "MiB" },
		{ "imc_3", "cas_count_write", 64.0 / 1048576, "MiB" },
		{ "qpi_0", "drs_data", 8.0 / 1048576, "MiB" },
		{ "qpi_1", "ncb_data", 8.0 / 1048576, "MiB" },
		{ "qpi_1", "txl_flits_g0_data", 8.0 / 1048576, "MiB" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(scaled); i++) {
		struct uncore_pmu *pmu = uncore_pmu(scaled[i].box);
		char name[64], *text;

		snprintf(name, sizeof(name), "%s.scale", scaled[i].alias);
		text = uncore_alias(pmu, name);
		ASSERT_NE(NULL, text) TH_LOG("%s", name);
		EXPECT_TRUE(strtod(text, NULL) == scaled[i].scale)
			TH_LOG("%s is %s", name, text);
		snprintf(name, sizeof(name), "%s.unit", scaled[i].alias);
		text = uncore_alias(pmu, name);
		ASSERT_NE(NULL, text) TH_LOG("%s", name);
		EXPECT_STREQ(scaled[i].unit, text);
	}
}

TEST_HARNESS_MAIN
