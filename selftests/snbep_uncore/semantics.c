// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test what only a real kernel does: multiplex events, and read on all CPUs at once. The mock
 * kernel's tests cover enabling, groups and CPUs, with the same callbacks.
 */
#include "api/harness.h"
#include "api/model.h"
#include "api/uncore.h"

HARNESS_BEGIN("snbep_uncore_", "checker")

FIXTURE(uncore) {
};

FIXTURE_SETUP(uncore)
{
	uncore_init("snbep_uncore_");
}

FIXTURE_TEARDOWN(uncore)
{
}

/* Whether each of these events was scheduled for a part of the time */
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
TEST_F(uncore, more_events_than_counters)
{
	static const struct {
		const char *box;
		unsigned int ctrs;	/* that take the event of api/uncore.c, by the guide */
	} boxes[] = {
		{ "cbox_5", 2 }, { "ha", 4 }, { "imc_3", 4 }, { "pcu", 4 },
		{ "qpi_0", 4 }, { "r2pcie", 1 }, { "r3qpi_1", 2 }, { "ubox", 2 },
	};
	unsigned int b;

	SKIP_WITHOUT_MODEL();
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

static void inject(const char *box, const char *event, unsigned int count)
{
	if (model_present())
		model("stim 0 %s %s,count=%u", box, event, count);
}

/*
 * Read on all CPUs while events are injected and others opened and closed: no count decreases, and
 * nothing is lost or added twice.
 */
TEST_F(uncore, readers_on_all_cpus)
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

			inject(boxes[b], boxes[b + 1], 1 + i);
			sent += 1 + i;
			beside = uncore_open(pmu, boxes[b + 1], 0, -1);
			inject(boxes[b], boxes[b + 1], 1000);
			sent += 1000;
			close(beside);
		}
		for (cpu = 0; cpu < cpus; cpu++) {
			ASSERT_LE(0, wait(&status));
			EXPECT_EQ(0, status) TH_LOG("%s decreased", boxes[b]);
		}
		if (model_present()) {
			EXPECT_EQ(sent, uncore_read(exact)) TH_LOG("%s", boxes[b]);
		}
		close(exact);
		close(clock);
	}
}

/* With isolcpus=N,M, where each socket has a CPU that is not isolated */
TEST_F(uncore, isolated_cpus_do_not_count)
{
	char *isolated = read_text("/sys/devices/system/cpu/isolated"), *cpu, *save = NULL;
	unsigned int i;

	if (!isolated || !*isolated)
		SKIP(return, "needs isolated CPUs (isolcpus=)");
	for (cpu = strtok_r(isolated, ",", &save); cpu; cpu = strtok_r(NULL, ",", &save)) {
		for (i = 0; i < uncore_nr_pmus * uncore_nr_sockets; i++)
			EXPECT_NE(atoi(cpu),
				  uncore_pmus[i / uncore_nr_sockets].cpu[i % uncore_nr_sockets]);
	}
	free(isolated);
}

#include "api/harness_end.h"
