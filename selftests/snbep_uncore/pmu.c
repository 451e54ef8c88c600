// SPDX-License-Identifier: GPL-2.0-only
/*
 * What each uncore PMU has to do on any machine, without injected events: its sysfs files, clocks,
 * groups, refusals, CPU hotplug, unloading. The PMUs are those of snbep_uncore, or of
 * intel_uncore, also on other processors.
 */
#include <fcntl.h>
#include <sys/syscall.h>

#include "api/harness.h"
#include "api/uncore.h"

#define DEVICES		"/sys/bus/event_source/devices"
#define ONLINE		"/sys/devices/system/cpu/cpu%d/online"

static const char *prefix, *module;

static void __attribute__((constructor)) find_driver(void)
{
	bool ours = uncore_any("snbep_uncore_");

	prefix = ours ? "snbep_uncore_" : "uncore_";
	module = !access("/sys/module/snbep_uncore", F_OK) ? "snbep_uncore" : "intel_uncore";
	test_begin(prefix, "checker");
	/* intel_uncore breaks rules of the guide, which lab/smoke knows. */
	if (strcmp(module, "snbep_uncore"))
		test_checker = NULL;
}

FIXTURE(pmu) {
	unsigned int nr_pmus;
};

FIXTURE_SETUP(pmu)
{
	uncore_init(prefix);
	self->nr_pmus = uncore_nr_pmus;
	ASSERT_LT(0, uncore_nr_pmus);
}

FIXTURE_TEARDOWN(pmu)
{
}

#define for_each_pmu(pmu)						\
	for (struct uncore_pmu *pmu = uncore_pmus; pmu < uncore_pmus + uncore_nr_pmus; pmu++)
#define for_each_box(pmu, socket)					\
	for_each_pmu(pmu)						\
		for (unsigned int socket = 0; socket < uncore_nr_sockets; socket++)	\
			if (pmu->cpu[socket] >= 0)

/* A clock, or NULL */
static const char *clock_of(const struct uncore_pmu *pmu)
{
	const struct uncore_kind *k = uncore_kind(pmu);

	return k ? k->clock : uncore_alias(pmu, "clockticks");
}

static bool is_fixed(const char *clock)
{
	return !strcmp(clock, "event=0xff");
}

/* uncore_init() has read format/, and one CPU of each socket in cpumask. */
TEST_F(pmu, sysfs_has_a_type_and_online_cpus)
{
	for_each_box(pmu, socket) {
		char *online = read_text(ONLINE, pmu->cpu[socket]);

		EXPECT_LT(PERF_TYPE_BREAKPOINT, pmu->type) TH_LOG("%s", pmu->name);
		EXPECT_TRUE(!online || !strcmp(online, "1"))
			TH_LOG("%s: CPU %d is offline", pmu->name, pmu->cpu[socket]);
		free(online);
		for_each_pmu(other) {
			EXPECT_TRUE(other == pmu || other->type != pmu->type)
				TH_LOG("%s and %s", pmu->name, other->name);
		}
	}
}

TEST_F(pmu, aliases_have_fields_of_format)
{
	for_each_pmu(pmu) {
		char path[300], **alias;

		snprintf(path, sizeof(path), DEVICES "/%.31s/events", pmu->name);
		if (access(path, F_OK))
			continue;
		for (alias = uncore_aliases(pmu); *alias; alias++) {
			char *text = uncore_alias(pmu, *alias), *ask;
			struct uncore_enc enc;
			const char *why;

			ASSERT_NE(NULL, text);
			/* perf asks its user for a value. */
			while ((ask = strchr(text, '?')))
				*ask = '1';
			why = uncore_encode(pmu, text, &enc);
			EXPECT_EQ(NULL, why) TH_LOG("%s/%s/: %s", pmu->name, *alias, why);
			free(text);
		}
	}
}

TEST_F(pmu, clocks_tick_and_never_go_back)
{
	unsigned int clocks = 0, i;

	for_each_box(pmu, socket) {
		const char *clock = clock_of(pmu);
		uint64_t last = 0, now;
		int fd;

		if (!clock)
			continue;
		fd = uncore_try(pmu, clock, socket, -1);
		ASSERT_LE(0, fd) TH_LOG("%s/%s/: %s", pmu->name, clock, strerror(-fd));
		EXPECT_TRUE(uncore_ticks(fd)) TH_LOG("%s/%s/ on socket %u", pmu->name, clock, socket);
		for (i = 0; i < 100; i++, last = now) {
			now = uncore_read(fd);
			ASSERT_LE(last, now) TH_LOG("%s", pmu->name);
		}
		close(fd);
		clocks++;
	}
	if (!clocks)
		SKIP(return, "no PMU has an event clockticks");
}

TEST_F(pmu, a_group_counts_all_the_time)
{
	for_each_box(pmu, socket) {
		const char *clock = clock_of(pmu);
		struct uncore_times times;
		uint64_t counts[2] = { };
		unsigned int i;
		int fd[2];

		if (!clock || is_fixed(clock))
			continue;
		fd[0] = uncore_open(pmu, clock, socket, -1);
		fd[1] = uncore_try(pmu, clock, socket, fd[0]);
		/* A fixed or free-running counter is alone. */
		if (fd[1] >= 0) {
			for (i = 0; i < 200 && !(counts[0] && counts[1]); i++) {
				usleep(10000);
				uncore_read_group(fd[0], 2, counts, &times);
			}
			EXPECT_TRUE(counts[0] && counts[1] && times.running == times.enabled)
				TH_LOG("%s: %llu and %llu, %llu of %llu ns", pmu->name,
				       (unsigned long long)counts[0], (unsigned long long)counts[1],
				       (unsigned long long)times.running,
				       (unsigned long long)times.enabled);
		}
		close(fd[1]);
		close(fd[0]);
	}
}

TEST_F(pmu, samples_and_tasks_are_refused)
{
	for_each_box(pmu, socket) {
		struct perf_event_attr attr = { .type = pmu->type, .size = sizeof(attr) };
		const char *clock = clock_of(pmu);
		struct uncore_enc enc;
		int sampling, task;

		if (!clock || uncore_encode(pmu, clock, &enc))
			continue;
		attr = uncore_attr(pmu, &enc);
		task = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
		attr.sample_period = 1000;
		sampling = uncore_open_attr(&attr, pmu->cpu[socket], -1);
		EXPECT_GT(0, task) TH_LOG("%s: of a task", pmu->name);
		EXPECT_GT(0, sampling) TH_LOG("%s: with samples", pmu->name);
		close(task);
		close(sampling);
	}
}

/* A CPU that counts and can go offline, in a socket with another one; -1 if there is none */
static int movable_cpu(unsigned int *socket)
{
	for_each_box(pmu, s) {
		int cpu = pmu->cpu[s];

		if (uncore_socket_cpu(s, 1) < 0)
			continue;
		*socket = s;
		if (uncore_set_online(cpu, false)) {
			uncore_set_online(cpu, true);
			uncore_init(prefix);
			return uncore_pmus[pmu - uncore_pmus].cpu[s];
		}
	}
	return -1;
}

TEST_F(pmu, events_move_to_another_cpu_of_the_socket)
{
	int fd[UNCORE_MAX_PMUS], cpu;
	unsigned int socket, i;

	cpu = movable_cpu(&socket);
	if (cpu < 0)
		SKIP(return, "no CPU that counts can go offline");
	for (i = 0; i < uncore_nr_pmus; i++) {
		struct uncore_pmu *pmu = &uncore_pmus[i];
		const char *clock = clock_of(pmu);

		fd[i] = clock && pmu->cpu[socket] == cpu ? uncore_open(pmu, clock, socket, -1) : -1;
	}
	ASSERT_TRUE(uncore_set_online(cpu, false));
	for (i = 0; i < uncore_nr_pmus; i++) {
		EXPECT_TRUE(fd[i] < 0 || uncore_ticks(fd[i]))
			TH_LOG("%s: offline", uncore_pmus[i].name);
	}
	uncore_init(prefix);
	EXPECT_EQ(self->nr_pmus, uncore_nr_pmus);
	for_each_pmu(pmu) {
		EXPECT_NE(cpu, pmu->cpu[socket]) TH_LOG("%s", pmu->name);
		EXPECT_LE(0, pmu->cpu[socket]) TH_LOG("%s", pmu->name);
	}
	ASSERT_TRUE(uncore_set_online(cpu, true));
	for (i = 0; i < uncore_nr_pmus; i++) {
		EXPECT_TRUE(fd[i] < 0 || uncore_ticks(fd[i])) TH_LOG("%s: online", uncore_pmus[i].name);
		close(fd[i]);
	}
}

static int unload(void)
{
	return syscall(SYS_delete_module, module, O_NONBLOCK) ? -errno : 0;
}

TEST_F(pmu, module_stays_while_an_event_is_open)
{
	struct uncore_pmu *pmu = uncore_pmus;
	char path[300], command[64];
	const char *clock;
	int fd = -1;

	snprintf(path, sizeof(path), "/sys/module/%s/refcnt", module);
	if (access(path, F_OK))
		SKIP(return, "the driver is built in");
	for (; fd < 0 && pmu < uncore_pmus + uncore_nr_pmus; pmu++) {
		clock = clock_of(pmu);
		fd = clock && pmu->cpu[0] >= 0 ? uncore_open(pmu, clock, 0, -1) : -1;
	}
	if (fd < 0)
		SKIP(return, "no PMU has an event clockticks");
	EXPECT_EQ(-EWOULDBLOCK, unload());
	EXPECT_TRUE(uncore_ticks(fd));
	close(fd);
	ASSERT_EQ(0, unload()) TH_LOG("%s is in use by another program", module);
	EXPECT_FALSE(uncore_any(prefix));
	snprintf(command, sizeof(command), "modprobe %s", module);
	ASSERT_EQ(0, system(command));
	uncore_init(prefix);
	EXPECT_EQ(self->nr_pmus, uncore_nr_pmus);
}

#include "api/harness_end.h"
