// SPDX-License-Identifier: GPL-2.0-only
/*
 * A socket that goes offline, loads and unloads, and removal of a PCI function. pmu.c and race.c
 * have events that move to another CPU.
 */
#include <fcntl.h>
#include <glob.h>
#include <sys/syscall.h>

#include "api/harness.h"
#include "api/model.h"
#include "api/uncore.h"

#define MODULE	"snbep_uncore"
#define DEVICES	"/sys/bus/event_source/devices"

/* In socket 1, as CPU 0 of socket 0 cannot go offline */
#define SOCKET	1

HARNESS_BEGIN(MODULE "_", "checker")

FIXTURE(hotplug) {
	int cpu[2];
	int fd[UNCORE_MAX_PMUS];
};

FIXTURE_SETUP(hotplug)
{
	int i;

	/* A test that failed may have left a CPU offline. */
	for (i = 1; i < sysconf(_SC_NPROCESSORS_CONF); i++)
		uncore_set_online(i, true);
	uncore_init(MODULE "_");
	if (uncore_nr_sockets <= SOCKET)
		SKIP(return, "needs two sockets, as CPU 0 cannot go offline");
	if (model_present()) {
		ASSERT_EQ(20, uncore_nr_pmus);
	}
	/* The CPU that counts, and another one */
	self->cpu[0] = uncore_pmus[0].cpu[SOCKET];
	for (i = 0; (self->cpu[1] = uncore_socket_cpu(SOCKET, i)) >= 0; i++) {
		if (self->cpu[1] != self->cpu[0])
			break;
	}
	ASSERT_LE(0, self->cpu[0]);
	if (self->cpu[1] < 0)
		SKIP(return, "needs two CPUs in a socket");
}

FIXTURE_TEARDOWN(hotplug)
{
	uncore_set_online(self->cpu[0], true);
	uncore_set_online(self->cpu[1], true);
}

/* What is injected, or a clock, which needs no injection */
static const char *event_of(const struct uncore_pmu *pmu)
{
	const struct uncore_kind *k = uncore_kind(pmu);

	return model_present() ? k->event : k->clock;
}

static void open_all(int *fd, unsigned int socket)
{
	unsigned int i;

	for (i = 0; i < uncore_nr_pmus; i++)
		fd[i] = uncore_open(&uncore_pmus[i], event_of(&uncore_pmus[i]), socket, -1);
}

static void close_all(const int *fd)
{
	unsigned int i;

	for (i = 0; i < uncore_nr_pmus; i++)
		close(fd[i]);
}

static void stim_all(unsigned int socket, unsigned int count)
{
	unsigned int i;

	for (i = 0; model_present() && i < uncore_nr_pmus; i++) {
		struct uncore_pmu *pmu = &uncore_pmus[i];
		const struct uncore_kind *k = uncore_kind(pmu);

		model("stim %u %s %s,count=%u", socket, pmu->box, k->event, count + i);
	}
}

/*
 * Inject a different count for each new event of the socket, and check it. On hardware the events
 * are clocks, and have to count on.
 */
#define stim_and_expect(fd, socket, count)				\
do {									\
	unsigned int i_;						\
									\
	stim_all(socket, count);					\
	for (i_ = 0; i_ < uncore_nr_pmus; i_++) {			\
		if (!model_present()) {					\
			EXPECT_TRUE(uncore_ticks((fd)[i_]))		\
				TH_LOG("%s", uncore_pmus[i_].name);	\
			continue;					\
		}							\
		EXPECT_EQ((count) + i_, uncore_read((fd)[i_]))	\
			TH_LOG("%s", uncore_pmus[i_].name);		\
	}								\
} while (0)

/* CPU of the socket in every PMU's cpumask, or -1 */
#define expect_cpumask(cpu_)						\
do {									\
	unsigned int i_;						\
									\
	uncore_init(MODULE "_");					\
	for (i_ = 0; i_ < uncore_nr_pmus; i_++)				\
		EXPECT_EQ(cpu_, uncore_pmus[i_].cpu[SOCKET])		\
			TH_LOG("%s/cpumask has CPU %d for socket %d, not %d",	\
			       uncore_pmus[i_].name, uncore_pmus[i_].cpu[SOCKET],	\
			       SOCKET, cpu_);					\
} while (0)

/* The last CPU of a socket goes offline: events stop and keep their counts. */
TEST_F(hotplug, whole_socket_offline_and_online)
{
	int other[UNCORE_MAX_PMUS];
	unsigned int i;

	open_all(self->fd, SOCKET);
	open_all(other, 0);
	stim_all(SOCKET, 700);
	ASSERT_TRUE(uncore_set_online(self->cpu[1], false));
	ASSERT_TRUE(uncore_set_online(self->cpu[0], false));
	/* The other socket is not affected. */
	stim_and_expect(other, 0, 50);
	for (i = 0; i < uncore_nr_pmus; i++) {
		uint64_t kept = uncore_read(self->fd[i]);

		if (model_present()) {
			EXPECT_EQ(700 + i, kept) TH_LOG("%s", uncore_pmus[i].name);
		}
		EXPECT_EQ(kept, uncore_read(self->fd[i])) TH_LOG("%s", uncore_pmus[i].name);
		EXPECT_EQ(-ENODEV, uncore_try(&uncore_pmus[i], event_of(&uncore_pmus[i]),
					      SOCKET, -1));
	}
	expect_cpumask(-1);
	close_all(self->fd);
	close_all(other);
	ASSERT_TRUE(uncore_set_online(self->cpu[1], true));
	expect_cpumask(self->cpu[1]);
	open_all(self->fd, SOCKET);
	stim_and_expect(self->fd, SOCKET, 9);
	close_all(self->fd);
}

static int unload(void)
{
	return syscall(SYS_delete_module, MODULE, O_NONBLOCK) ? -errno : 0;
}

static bool load(void)
{
	return !system("modprobe " MODULE);
}

/* Active hrtimers with this function, of all CPUs */
static unsigned int timers(const char *function)
{
	FILE *f = fopen("/proc/timer_list", "r");
	unsigned int n = 0;
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		n += !!strstr(line, function);
	fclose(f);
	return n;
}

/* perf's multiplexing hrtimers, for all PMUs */
#define mux_timers()	timers("perf_mux_hrtimer_handler")

TEST_F(hotplug, unload_leaves_no_multiplexing_timer)
{
	struct uncore_pmu *pmu = uncore_pmu("ha");
	unsigned int i, before = mux_timers();
	int fd[7];	/* on four counters */

	ASSERT_TRUE(write_text("60000", DEVICES "/%s/perf_event_mux_interval_ms", pmu->name));
	for (i = 0; i < ARRAY_SIZE(fd); i++)
		fd[i] = uncore_open(pmu, "event=0x0e", 1, -1);
	EXPECT_LT(before, mux_timers());
	for (i = 0; i < ARRAY_SIZE(fd); i++)
		close(fd[i]);
	ASSERT_EQ(0, unload());
	EXPECT_EQ(before, mux_timers());
	ASSERT_TRUE(load());
}

/* The registers are where they were: counts go on, and a rescan changes nothing. */
TEST_F(hotplug, pci_function_removed_and_rescanned)
{
	struct uncore_pmu pmu = *uncore_pmu("ha");
	glob_t path;
	int fd;

	/* Nor does a test remove devices of a server. */
	SKIP_WITHOUT_MODEL();
	/* In the order of their buses, and so of their sockets */
	ASSERT_EQ(0, glob("/sys/bus/pci/devices/0000:*f:0e.1", 0, NULL, &path));
	fd = uncore_open(&pmu, "event=0x0e", 0, -1);
	model("stim 0 ha event=0x0e,count=21");
	ASSERT_TRUE(write_text("1", "%s/remove", path.gl_pathv[0]));
	model("stim 0 ha event=0x0e,count=500");
	EXPECT_EQ(521, uncore_read(fd));
	ASSERT_TRUE(write_text("1", "/sys/bus/pci/rescan"));
	ASSERT_EQ(0, access(path.gl_pathv[0], F_OK));
	model("stim 0 ha event=0x0e,count=8");
	EXPECT_EQ(529, uncore_read(fd));
	uncore_init(MODULE "_");
	EXPECT_EQ(pmu.cpu[0], uncore_pmu("ha")->cpu[0]);
	close(fd);

	/* Removed before the module is loaded */
	ASSERT_TRUE(write_text("1", "%s/remove", path.gl_pathv[0]));
	ASSERT_EQ(0, unload());
	ASSERT_TRUE(load());
	uncore_init(MODULE "_");
	EXPECT_EQ(-1, uncore_pmu("ha")->cpu[0]);
	EXPECT_LE(0, uncore_pmu("ha")->cpu[1]);
	ASSERT_TRUE(write_text("1", "/sys/bus/pci/rescan"));
	uncore_init(MODULE "_");
	ASSERT_LE(0, uncore_pmu("ha")->cpu[0]);
	fd = uncore_open(uncore_pmu("ha"), "event=0x0e", 0, -1);
	model("stim 0 ha event=0x0e,count=13");
	EXPECT_EQ(13, uncore_read(fd));
	close(fd);
}

#include "api/harness_end.h"
