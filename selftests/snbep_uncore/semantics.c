// SPDX-License-Identifier: GPL-2.0-only
/*
 * Test what only a real kernel does: multiplex events, isolate CPUs, and take longer attributes.
 * race.c reads on all CPUs; the mock kernel's tests cover enabling, groups, CPUs and refusals.
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

/* Whether each of these events ran for a part of the time, and missed some of what was made */
static bool is_multiplexed(const int *fd, unsigned int events, uint64_t made)
{
	struct uncore_times t;
	unsigned int i;
	uint64_t n;

	for (i = 0; i < events; i++) {
		uncore_read_group(fd[i], 1, &n, &t);
		if (!t.running || t.running >= t.enabled || n >= made)
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
		while (made < 20000 || !is_multiplexed(fd, events, made)) {
			model("stim 0 %s %s,count=1000", boxes[b].box, event);
			made += 1000;
			usleep(1000);
		}
		for (i = 0; i < events; i++) {
			sum += uncore_read(fd[i]);
			close(fd[i]);
		}
		EXPECT_EQ(made * boxes[b].ctrs, sum) TH_LOG("%s", boxes[b].box);
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

/* tests/drivers/uncore/refuse.c has the other refusals. */
TEST_F(uncore, config3_and_config4_are_refused)
{
	const struct uncore_pmu *pmu = uncore_pmu("ha");
	struct perf_event_attr attr = { .type = pmu->type, .config = 0x0e };
	const char *const words[] = { "config3", "config4" };
	int i, fd, log = kmsg_open();
	char line[512];

	for (i = 0; i < 2; i++) {
		fd = uncore_open_longer(&attr, !i, i, -1, pmu->cpu[0]);
		if (fd == -E2BIG)
			SKIP(return, "this kernel has no %s", words[i]);
		EXPECT_EQ(-EINVAL, fd);
		EXPECT_TRUE(kmsg_has(log, words[i], line, sizeof(line))) TH_LOG("%s", line);
	}
	close(log);
}

#include "api/harness_end.h"
