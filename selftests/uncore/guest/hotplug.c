// SPDX-License-Identifier: GPL-2.0-only
/* CPUs and the module itself come and go. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/model.h"
#include "lib/uncore.h"

#define MODULE	"snbep_uncore"

/* Seconds: CPUs and modules wait for grace periods, and a debug kernel waits */
#define LONG	300

/* Socket 1: CPU 0, of socket 0, cannot go offline. */
#define SOCKET	1

FIXTURE(hotplug) {
	int cpu[2];
	int fd[UNCORE_MAX_PMUS];
};

FIXTURE_SETUP(hotplug)
{
	unsigned int i;

	model_init();
	uncore_init(MODULE "_");
	ASSERT_EQ(20, uncore_nr_pmus);
	/* The one that counts, and another */
	self->cpu[0] = uncore_pmus[0].cpu[SOCKET];
	for (i = 0; (self->cpu[1] = uncore_socket_cpu(SOCKET, i)) >= 0; i++) {
		if (self->cpu[1] != self->cpu[0])
			break;
	}
	ASSERT_LE(0, self->cpu[0]);
	ASSERT_LE(0, self->cpu[1]);
}

FIXTURE_TEARDOWN(hotplug)
{
	uncore_set_online(self->cpu[0], true);
	uncore_set_online(self->cpu[1], true);
}

static void open_all(int *fd, unsigned int socket)
{
	unsigned int i;

	for (i = 0; i < uncore_nr_pmus; i++) {
		struct uncore_pmu *pmu = &uncore_pmus[i];

		fd[i] = uncore_open(pmu, uncore_kind(pmu)->event, socket, -1);
	}
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

	for (i = 0; i < uncore_nr_pmus; i++) {
		struct uncore_pmu *pmu = &uncore_pmus[i];
		const struct uncore_kind *k = uncore_kind(pmu);

		model("stim %u %s %s,count=%u", socket, pmu->box, k->event,
		      count + i);
	}
}

/* How many counters are enabled, where none should be */
static unsigned int left_behind(void)
{
	unsigned int i, ctr, s, left = 0;

	for (i = 0; i < uncore_nr_pmus; i++) {
		struct uncore_pmu *pmu = &uncore_pmus[i];

		for (s = 0; s < 2; s++) {
			for (ctr = 0; ctr < uncore_kind(pmu)->counters; ctr++) {
				char name[16];

				snprintf(name, sizeof(name), "CTL%u", ctr);
				if (!(model_reg(s, pmu->box, name) & 1u << 22))
					continue;
				printf("# %s of socket %u: counter %u is enabled\n",
				       pmu->box, s, ctr);
				left++;
			}
		}
	}
	return left;
}

TEST_F_TIMEOUT(hotplug, counting_cpu_goes, LONG)
{
	unsigned int i;

	open_all(self->fd, SOCKET);
	stim_all(SOCKET, 1000);
	ASSERT_TRUE(uncore_set_online(self->cpu[0], false));
	stim_all(SOCKET, 20000);
	for (i = 0; i < uncore_nr_pmus; i++)
		EXPECT_EQ(21000 + 2 * i, uncore_read(self->fd[i]))
			TH_LOG("%s: offline", uncore_pmus[i].name);
	ASSERT_TRUE(uncore_set_online(self->cpu[0], true));
	stim_all(SOCKET, 300000);
	for (i = 0; i < uncore_nr_pmus; i++)
		EXPECT_EQ(321000 + 3 * i, uncore_read(self->fd[i]))
			TH_LOG("%s: online again", uncore_pmus[i].name);
	/* Now the one that took over */
	ASSERT_TRUE(uncore_set_online(self->cpu[1], false));
	stim_all(SOCKET, 4000000);
	for (i = 0; i < uncore_nr_pmus; i++)
		EXPECT_EQ(4321000 + 4 * i, uncore_read(self->fd[i]))
			TH_LOG("%s: the other offline", uncore_pmus[i].name);
	close_all(self->fd);
	EXPECT_EQ(0, left_behind());
}

/* The box whose events are the last to move, being that of the last PMU */
#define LAST	"ubox"

/* Use it without a pause, from whichever CPU counts it at the time. */
static void open_and_close(int stop)
{
	struct uncore_pmu *pmu = uncore_pmu(LAST);
	char c;

	fcntl(stop, F_SETFL, O_NONBLOCK);
	while (read(stop, &c, 1) < 0) {
		int i, fd = uncore_try(pmu, uncore_kind(pmu)->event, SOCKET, -1);

		for (i = 0; fd >= 0 && i < 100; i++) {
			ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
			ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
		}
		if (fd >= 0)
			close(fd);
	}
	_exit(0);
}

/* Both CPUs have events of a box while it goes from one to the other. */
TEST_F_TIMEOUT(hotplug, opened_on_the_way, LONG)
{
	const struct uncore_kind *k = uncore_kind(uncore_pmu(LAST));
	int i, stop[2], status;
	struct uncore_times t;
	pid_t child[3];
	uint64_t n[2];

	open_all(self->fd, SOCKET);
	ASSERT_EQ(0, pipe(stop));
	for (i = 0; i < 3; i++) {
		child[i] = fork();
		ASSERT_LE(0, child[i]);
		if (!child[i]) {
			close(stop[1]);
			open_and_close(stop[0]);
		}
	}
	for (i = 0; i < 6; i++) {
		ASSERT_TRUE(uncore_set_online(self->cpu[i & 1], false));
		ASSERT_TRUE(uncore_set_online(self->cpu[i & 1], true));
	}
	close(stop[1]);
	for (i = 0; i < 3; i++) {
		waitpid(child[i], &status, 0);
		EXPECT_EQ(0, status);
	}
	close_all(self->fd);
	EXPECT_EQ(0, left_behind());
	/* Those who come now find all counters, and they count. */
	for (i = 0; i < 2; i++)
		self->fd[i] = uncore_open(uncore_pmu(LAST), k->event, SOCKET,
					  i ? self->fd[0] : -1);
	model("stim %u " LAST " %s,count=60", SOCKET, k->event);
	uncore_read_group(self->fd[0], 2, n, &t);
	EXPECT_EQ(60, n[0]);
	EXPECT_EQ(60, n[1]);
	EXPECT_EQ(t.enabled, t.running);
	for (i = 0; i < 2; i++)
		close(self->fd[i]);
}

/* A group stays one: its two clocks agree wherever they are counted from. */
TEST_F_TIMEOUT(hotplug, group_moves_as_one, LONG)
{
	struct uncore_pmu *pmu = uncore_pmu("cbox_3");
	struct perf_event_attr attr;
	struct uncore_enc enc;
	int leader, sibling, i;
	uint64_t n[2], last = 0;

	uncore_encode(pmu, "event=0x00", &enc);
	attr = uncore_attr(pmu, &enc);
	attr.disabled = 1;
	leader = uncore_open_attr(&attr, pmu->cpu[SOCKET], -1);
	attr.disabled = 0;
	sibling = uncore_open_attr(&attr, pmu->cpu[SOCKET], leader);
	ASSERT_LE(0, sibling);
	ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
	for (i = 0; i < 4; i++) {
		uncore_set_online(self->cpu[i & 1], false);
		/* Stopped, as members are read one after the other. */
		ioctl(leader, PERF_EVENT_IOC_DISABLE, 0);
		uncore_read_group(leader, 2, n, NULL);
		EXPECT_EQ(n[0], n[1]);
		EXPECT_LT(last, n[0]);
		ioctl(leader, PERF_EVENT_IOC_ENABLE, 0);
		last = n[0];
		uncore_set_online(self->cpu[i & 1], true);
	}
}

TEST_F_TIMEOUT(hotplug, cpumask_follows, LONG)
{
	unsigned int i;

	ASSERT_TRUE(uncore_set_online(self->cpu[0], false));
	uncore_init(MODULE "_");
	for (i = 0; i < uncore_nr_pmus; i++)
		EXPECT_EQ(self->cpu[1], uncore_pmus[i].cpu[SOCKET])
			TH_LOG("%s", uncore_pmus[i].name);
	/* The first one is back, and the second one goes on. */
	ASSERT_TRUE(uncore_set_online(self->cpu[0], true));
	uncore_init(MODULE "_");
	for (i = 0; i < uncore_nr_pmus; i++)
		EXPECT_EQ(self->cpu[1], uncore_pmus[i].cpu[SOCKET])
			TH_LOG("%s", uncore_pmus[i].name);
	ASSERT_TRUE(uncore_set_online(self->cpu[0], false));
	ASSERT_TRUE(uncore_set_online(self->cpu[1], false));
	uncore_init(MODULE "_");
	for (i = 0; i < uncore_nr_pmus; i++)
		EXPECT_EQ(-1, uncore_pmus[i].cpu[SOCKET])
			TH_LOG("%s", uncore_pmus[i].name);
	ASSERT_TRUE(uncore_set_online(self->cpu[0], true));
	uncore_init(MODULE "_");
	for (i = 0; i < uncore_nr_pmus; i++)
		EXPECT_EQ(self->cpu[0], uncore_pmus[i].cpu[SOCKET])
			TH_LOG("%s", uncore_pmus[i].name);
}

/* The last CPU of a socket: the events stop, with the counts they have. */
TEST_F_TIMEOUT(hotplug, whole_socket_goes, LONG)
{
	int other[UNCORE_MAX_PMUS];
	unsigned int i;

	open_all(self->fd, SOCKET);
	open_all(other, 0);
	stim_all(SOCKET, 700);
	ASSERT_TRUE(uncore_set_online(self->cpu[1], false));
	ASSERT_TRUE(uncore_set_online(self->cpu[0], false));
	/* The other socket is none the wiser. */
	stim_all(0, 50);
	for (i = 0; i < uncore_nr_pmus; i++) {
		EXPECT_EQ(700 + i, uncore_read(self->fd[i]))
			TH_LOG("%s", uncore_pmus[i].name);
		EXPECT_EQ(50 + i, uncore_read(other[i]))
			TH_LOG("%s of socket 0", uncore_pmus[i].name);
		EXPECT_EQ(-ENODEV, uncore_try(&uncore_pmus[i],
					      uncore_kind(&uncore_pmus[i])->event,
					      SOCKET, -1));
	}
	close_all(self->fd);
	close_all(other);
	EXPECT_EQ(0, left_behind());
	/* And back: it counts as before. */
	ASSERT_TRUE(uncore_set_online(self->cpu[1], true));
	uncore_init(MODULE "_");
	open_all(self->fd, SOCKET);
	stim_all(SOCKET, 9);
	for (i = 0; i < uncore_nr_pmus; i++)
		EXPECT_EQ(9 + i, uncore_read(self->fd[i]))
			TH_LOG("%s is back", uncore_pmus[i].name);
	close_all(self->fd);
}

static int unload(void)
{
	return syscall(SYS_delete_module, MODULE, O_NONBLOCK) ? -errno : 0;
}

static bool load(const char *parameters)
{
	char command[128];

	snprintf(command, sizeof(command), "modprobe " MODULE " %s",
		 parameters);
	return system(command) == 0;
}

FIXTURE(module) {
	int fd[UNCORE_MAX_PMUS];
};

FIXTURE_SETUP(module)
{
	model_init();
	uncore_init(MODULE "_");
	ASSERT_EQ(20, uncore_nr_pmus);
}

FIXTURE_TEARDOWN(module)
{
}

TEST_F_TIMEOUT(module, stays_while_in_use, LONG)
{
	self->fd[0] = uncore_open(uncore_pmu("imc_0"), "event=0x01", 0, -1);
	EXPECT_EQ(-EWOULDBLOCK, unload());
	ioctl(self->fd[0], PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(-EWOULDBLOCK, unload());
	ioctl(self->fd[0], PERF_EVENT_IOC_ENABLE, 0);
	model("stim 0 imc_0 event=0x01,count=6");
	EXPECT_EQ(6, uncore_read(self->fd[0]));
	close(self->fd[0]);
}

TEST_F_TIMEOUT(module, unload_and_reload, LONG)
{
	unsigned int round, i;

	for (round = 0; round < 2; round++) {
		open_all(self->fd, round & 1);
		stim_all(round & 1, 10);
		for (i = 0; i < uncore_nr_pmus; i++)
			EXPECT_EQ(10 + i, uncore_read(self->fd[i]))
				TH_LOG("%s, round %u", uncore_pmus[i].name,
				       round);
		close_all(self->fd);
		EXPECT_EQ(0, left_behind());
		ASSERT_EQ(0, unload());
		EXPECT_EQ(-1, access("/sys/bus/event_source/devices/snbep_uncore_ha",
				     F_OK));
		ASSERT_TRUE(load(""));
		uncore_init(MODULE "_");
		ASSERT_EQ(20, uncore_nr_pmus);
	}
}

/* Write a register as firmware or another tool may have done */
static bool poke_msr(unsigned int msr, uint64_t val)
{
	int fd = open("/dev/cpu/0/msr", O_RDWR);
	bool ok = fd >= 0 && pwrite(fd, &val, sizeof(val), msr) == sizeof(val);

	close(fd);
	return ok;
}

/* PMON functions by their place in a socket and their id */
static const char ha[] = "0e.1", ha_id[] = "0x3c46";
static const char qpi_0[] = "08.2", qpi_0_id[] = "0x3c41";

static bool poke_ha(unsigned int reg, uint32_t val)
{
	char path[PCI_PATH_SIZE], config[PCI_PATH_SIZE + 8];
	bool ok;
	int fd;

	if (!uncore_find_function(path, ha, ha_id))
		return false;
	snprintf(config, sizeof(config), "%s/config", path);
	fd = open(config, O_RDWR);
	ok = fd >= 0 && pwrite(fd, &val, sizeof(val), reg) == sizeof(val);
	close(fd);
	return ok;
}

/* Counters that somebody left running do not disturb ours. */
TEST_F_TIMEOUT(module, finds_counters_running, LONG)
{
	static const struct {
		const char *box, *event, *stim;
	} uses[] = {
		{ "cbox_0", "event=0x04", "event=0x04" },
		{ "ubox", "event=0x44", "event=0x44" },
		{ "ha", "event=0x0e", "event=0x0e" },
	};
	unsigned int ctr, i;

	ASSERT_EQ(0, unload());
	/* Somebody who begins with counters that are reset (2.1.1 e) */
	for (ctr = 0; ctr < 4; ctr++) {
		ASSERT_TRUE(poke_msr(0xd16 + ctr, 0));
		ASSERT_TRUE(poke_msr(0xd10 + ctr, 0x400000));
		ASSERT_TRUE(poke_ha(0xa0 + 8 * ctr, 0));
		ASSERT_TRUE(poke_ha(0xa4 + 8 * ctr, 0));
		ASSERT_TRUE(poke_ha(0xd8 + 4 * ctr, 0x40000e));
		if (ctr < 2) {
			ASSERT_TRUE(poke_msr(0xc16 + ctr, 0));
			ASSERT_TRUE(poke_msr(0xc10 + ctr, 0x400044));
		}
	}
	ASSERT_EQ(0x400000, model_reg(0, "cbox_0", "CTL0"));
	ASSERT_EQ(0x400044, model_reg(0, "ubox", "CTL1"));
	ASSERT_EQ(0x40000e, model_reg(0, "ha", "CTL3"));
	ASSERT_TRUE(load(""));
	uncore_init(MODULE "_");
	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		struct uncore_pmu *pmu = uncore_pmu(uses[i].box);
		int fd[2];

		fd[0] = uncore_open(pmu, uses[i].event, 0, -1);
		model("stim 0 %s %s,count=40", uses[i].box, uses[i].stim);
		fd[1] = uncore_open(pmu, uses[i].event, 0, -1);
		model("stim 0 %s %s,count=2", uses[i].box, uses[i].stim);
		EXPECT_EQ(42, uncore_read(fd[0])) TH_LOG("%s", uses[i].box);
		EXPECT_EQ(2, uncore_read(fd[1])) TH_LOG("%s", uses[i].box);
		close(fd[0]);
		close(fd[1]);
	}
	/* Those of the HA that were not needed are still as they were. */
	for (ctr = 0; ctr < 4; ctr++)
		ASSERT_TRUE(poke_ha(0xd8 + 4 * ctr, 0));
	EXPECT_EQ(0, left_behind());
}

/* A box that goes while it counts: its counts stand still. */
TEST_F_TIMEOUT(module, pci_function_goes, LONG)
{
	struct uncore_pmu *pmu = uncore_pmu("ha");
	char path[PCI_PATH_SIZE];
	int fd, other;

	ASSERT_TRUE(uncore_find_function(path, ha, ha_id));
	fd = uncore_open(pmu, "event=0x0e", 0, -1);
	other = uncore_open(pmu, "event=0x0e", 1, -1);
	model("stim 0 ha event=0x0e,count=21");
	EXPECT_EQ(21, uncore_read(fd));
	ASSERT_TRUE(write_text("1", "%s/remove", path));
	model("stim 0 ha event=0x0e,count=500");
	model("stim 1 ha event=0x0e,count=8");
	EXPECT_EQ(21, uncore_read(fd));
	EXPECT_EQ(8, uncore_read(other));
	EXPECT_EQ(-ENODEV, uncore_try(pmu, "event=0x0e", 0, -1));
	close(fd);
	close(other);
	/* It comes back, and counts when the module is loaded anew. */
	ASSERT_TRUE(write_text("1", "/sys/bus/pci/rescan"));
	ASSERT_EQ(0, access(path, F_OK));
	ASSERT_EQ(0, unload());
	ASSERT_TRUE(load(""));
	uncore_init(MODULE "_");
	fd = uncore_open(uncore_pmu("ha"), "event=0x0e", 0, -1);
	model("stim 0 ha event=0x0e,count=4");
	EXPECT_EQ(4, uncore_read(fd));
	close(fd);
}

/* A box that comes after the module */
TEST_F_TIMEOUT(module, pci_function_comes, LONG)
{
	char path[PCI_PATH_SIZE];
	int fd;

	ASSERT_TRUE(uncore_find_function(path, ha, ha_id));
	ASSERT_EQ(0, unload());
	ASSERT_TRUE(write_text("1", "%s/remove", path));
	ASSERT_TRUE(load(""));
	uncore_init(MODULE "_");
	ASSERT_EQ(20, uncore_nr_pmus);
	EXPECT_EQ(-1, uncore_pmu("ha")->cpu[0]);
	EXPECT_LE(0, uncore_pmu("ha")->cpu[1]);
	uncore_pmu("ha")->cpu[0] = uncore_pmu("pcu")->cpu[0];
	EXPECT_EQ(-ENODEV, uncore_try(uncore_pmu("ha"), "event=0x0e", 0, -1));
	ASSERT_TRUE(write_text("1", "/sys/bus/pci/rescan"));
	uncore_init(MODULE "_");
	ASSERT_LE(0, uncore_pmu("ha")->cpu[0]);
	fd = uncore_open(uncore_pmu("ha"), "event=0x0e", 0, -1);
	model("stim 0 ha event=0x0e,count=13");
	EXPECT_EQ(13, uncore_read(fd));
	close(fd);
}

/* Whether the rate of a socket's port 0 has its file, with the model's rate */
static bool has_rate(unsigned int socket)
{
	char *rate = read_text("/sys/bus/event_source/devices/" MODULE
			       "_qpi_0/rate/socket%u", socket);
	bool good = rate && !strcmp(rate, "8000");

	free(rate);
	return good;
}

/* The same for a QPI port, whose rate comes with it */
TEST_F_TIMEOUT(module, qpi_port_comes, LONG)
{
	char path[PCI_PATH_SIZE];

	ASSERT_TRUE(uncore_find_function(path, qpi_0, qpi_0_id));
	EXPECT_TRUE(has_rate(0));
	ASSERT_EQ(0, unload());
	ASSERT_TRUE(write_text("1", "%s/remove", path));
	ASSERT_TRUE(load(""));
	EXPECT_FALSE(has_rate(0));
	EXPECT_TRUE(has_rate(1));
	ASSERT_TRUE(write_text("1", "/sys/bus/pci/rescan"));
	EXPECT_TRUE(has_rate(0));
	EXPECT_TRUE(has_rate(1));
	ASSERT_EQ(0, unload());
	ASSERT_TRUE(load(""));
	EXPECT_TRUE(has_rate(0));
}

/* Other names, for tools that look for those */
TEST_F_TIMEOUT(module, drop_in_names, LONG)
{
	ASSERT_EQ(0, unload());
	ASSERT_TRUE(load("uncore_names=1"));
	uncore_init("uncore_");
	EXPECT_EQ(20, uncore_nr_pmus);
	self->fd[0] = uncore_open(uncore_pmu("imc_1"),
				  uncore_alias(uncore_pmu("imc_1"),
					       "cas_count_read"), 1, -1);
	model("stim 1 imc_1 event=0x04,umask=0x01,count=12");
	EXPECT_EQ(12, uncore_read(self->fd[0]));
	close(self->fd[0]);
	EXPECT_EQ(0, unload());
	EXPECT_TRUE(load(""));
}

TEST_HARNESS_MAIN
