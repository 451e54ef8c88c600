// SPDX-License-Identifier: GPL-2.0-only
/*
 * What perf's core makes of the PMUs: enabling and resetting, groups, multiplexing, readers
 * on all CPUs; and threshold, invert, edge and filters as the hardware takes them.
 */
#include <sys/ioctl.h>

#include "kselftest_harness.h"
#include "lib/model.h"
#include "lib/uncore.h"

FIXTURE(uncore) {
};

FIXTURE_SETUP(uncore)
{
	model_init();
	/* A user may filter by more than one thing, and have more than one filter. */
	model("checker off threshold:one-filter-user:one-criterion");
	uncore_init("snbep_uncore_");
}

FIXTURE_TEARDOWN(uncore)
{
}

/*
 * One event of each kind of box that adds up to @max in a cycle, and a clock
 * of it.
 */
static const struct kind {
	const char *box;
	const char *event;	/* for perf */
	const char *stim;	/* for the model */
	unsigned int max, thresh;
	const char *clock;	/* none in the UBox, one in the iMC is fixed */
} kinds[] = {
	{ "cbox_5", "event=0x11,umask=0x04", "event=0x11,umask=0x04", 20, 7, "event=0x00" },
	{ "ha", "event=0x15,umask=0x02", "event=0x15,umask=0x02", 4, 3, "event=0x00" },
	{ "imc_3", "event=0x81", "event=0x81", 32, 20, NULL },
	{ "pcu", "event=0x05", "event=0x05", 1, 1, "event=0x00" },
	{ "qpi_0", "event=0x118", "event=0x18,ext=1", 128, 100, "event=0x14" },
	{ "r2pcie", "event=0x12", "event=0x12", 1, 1, "event=0x01" },
	{ "r3qpi_1", "event=0x13,umask=0x20", "event=0x13,umask=0x20", 32, 32,
	  "event=0x01" },
	{ "ubox", "event=0x44", "event=0x44", 1, 1, NULL },
};

#define for_each_kind(k)						\
	for (k = kinds; k < kinds + ARRAY_SIZE(kinds); k++)

#define stim(k, socket, inc, count)					\
	model("stim %u %s %s,inc=%u,count=%u", socket, (k)->box, (k)->stim, inc, count)

/* Below the threshold, at it, and at the largest increment there is */
#define BELOW	101
#define AT	10007
#define MAX	1000003

/* The machine idles between two occurrences: each is an edge of its own. */
TEST_F_TIMEOUT(uncore, threshold_invert_and_edge, 120)
{
	static const struct {
		const char *fields;
		unsigned int want;
	} forms[] = {
		{ "", AT + MAX }, { ",inv=1", BELOW }, { ",edge=1", AT + MAX },
		{ ",inv=1,edge=1", AT + MAX },
	};
	const struct kind *k;
	unsigned int i;
	char text[96];

	for_each_kind(k) {
		for (i = 0; i < ARRAY_SIZE(forms); i++) {
			int fd;

			snprintf(text, sizeof(text), "%s,thresh=%u%s", k->event,
				 k->thresh, forms[i].fields);
			fd = uncore_open(uncore_pmu(k->box), text, 0, -1);
			stim(k, 0, k->thresh - 1, BELOW);
			stim(k, 0, k->thresh, AT);
			stim(k, 0, k->max, MAX);
			EXPECT_EQ(forms[i].want, uncore_read(fd))
				TH_LOG("%s/%s/", k->box, text);
			close(fd);
		}
	}
}

/* Section 2.3.2.1: the queue that counter 0 counts, with other thresholds */
TEST_F_TIMEOUT(uncore, occupancy_of_counter_0, 120)
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

/* Two copies of a clock in a group start and stop together. */
TEST_F_TIMEOUT(uncore, group_starts_and_stops_atomically, 120)
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
			uncore_pin(i % sysconf(_SC_NPROCESSORS_ONLN));
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

/* A disabled event does not count and keeps its count. */
TEST_F_TIMEOUT(uncore, enable_disable_and_reset, 120)
{
	const struct kind *k;

	for_each_kind(k) {
		int fd = uncore_open(uncore_pmu(k->box), k->event, 1, -1);

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

/* Whether each of these events has counted for some time, and not all of it */
static bool is_multiplexed(const int *fd, unsigned int events)
{
	struct uncore_times t;
	unsigned int i;
	uint64_t n;

	for (i = 0; i < events; i++) {
		uncore_read_group(fd[i], 1, &n, &t);
		if (!t.running || t.running >= t.enabled)
			return false;
	}
	return true;
}

/*
 * More events than counters. Perf multiplexes them in an interrupt of the PMU's CPU, and
 * so what happens by a command of that CPU is counted by as many as there are counters.
 */
TEST_F_TIMEOUT(uncore, more_events_than_counters, 300)
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

		uncore_pin(pmu->cpu[0]);
		for (i = 0; i < events; i++)
			fd[i] = uncore_open(pmu, event, 0, -1);
		while (made < 20000 || !is_multiplexed(fd, events)) {
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

/*
 * Two values of a filter outside a group are multiplexed, and neither event counts with
 * the other's. What happens all the time is what the first one looks for.
 */
TEST_F_TIMEOUT(uncore, two_values_of_a_filter_are_multiplexed, 120)
{
	static const char * const uses[][4] = {
		{ "cbox_4", "event=0x35,umask=0x03,filter_opc=0x182",
		  "event=0x35,umask=0x03,filter_opc=0x19e", "event=0x35,umask=0x03,opc=0x182" },
		{ "qpi_1", "event=0x138,match_mc=0xe,mask_mc=0xf",
		  "event=0x138,match_mc=0xc,mask_mc=0xf", "event=0x38,ext=1,mc=0xe" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		struct uncore_pmu *pmu = uncore_pmu(uses[i][0]);
		uint64_t sent = 0, n;
		int fd[2];

		fd[0] = uncore_open(pmu, uses[i][1], 0, -1);
		fd[1] = uncore_open(pmu, uses[i][2], 0, -1);
		do {
			model("stim 0 %s %s,count=10", uses[i][0], uses[i][3]);
			sent += 10;
			n = uncore_read(fd[0]);
		} while (!n || n == sent || !is_multiplexed(fd, 2));
		EXPECT_EQ(0, uncore_read(fd[1])) TH_LOG("%s", uses[i][0]);
		close(fd[0]);
		close(fd[1]);
	}
}

/*
 * Readers on all CPUs, while events are injected and others opened and closed: no count
 * decreases, and nothing is added twice or lost.
 */
TEST_F_TIMEOUT(uncore, readers_on_all_cpus, 120)
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
			uncore_pin(cpu);
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

			model("stim 0 %s %s,count=%u", boxes[b], boxes[b + 1], 1 + i);
			sent += 1 + i;
			beside = uncore_open(pmu, boxes[b + 1], 0, -1);
			model("stim 0 %s %s,count=1000", boxes[b], boxes[b + 1]);
			sent += 1000;
			close(beside);
		}
		for (cpu = 0; cpu < cpus; cpu++) {
			ASSERT_LE(0, wait(&status));
			EXPECT_EQ(0, status) TH_LOG("%s decreased", boxes[b]);
		}
		EXPECT_EQ(sent, uncore_read(exact)) TH_LOG("%s", boxes[b]);
		close(exact);
		close(clock);
	}
}

/* An event counts from any CPU of its socket, and can be read on all CPUs. */
TEST_F_TIMEOUT(uncore, counts_from_any_cpu_of_the_socket, 120)
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
				uncore_pin(reader);
				stim(k, socket, 1, 100 + reader);
				want += 100 + reader;
				stim(k, !socket, 1, 10000);
				ASSERT_EQ(want, uncore_read(fd))
					TH_LOG("%s: of CPU %d from CPU %d", k->box, cpu, reader);
			}
			close(fd);
		}
	}
}

TEST_HARNESS_MAIN
