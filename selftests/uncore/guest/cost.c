// SPDX-License-Identifier: GPL-2.0-only
/*
 * Register accesses of each operation: never more than the figures that stand
 * here, which are what the driver needs. What they come to is printed.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kselftest.h"
#include "lib/model.h"
#include "lib/uncore.h"

struct limit {
	unsigned int reads, writes;
};

/*
 * To start an event in a box that is idle: its box control, where it has one, the
 * event's control and its filter, and a read of the counter; of a PCI counter the high
 * dword is read twice, as it may carry. To stop it: its control, and a read.
 */
static const struct kind {
	const char *box, *event;
	const char *fixed;
	struct limit start, stop, read;
} kinds[] = {
	{ "cbox_0", "event=0x34,umask=0x03", NULL, { 1, 3 }, { 1, 1 }, { 1, 0 } },
	{ "pcu", "event=0x0b,filter_band0=12", NULL, { 1, 3 }, { 1, 1 }, { 1, 0 } },
	{ "ubox", "event=0x44", "event=0xff", { 1, 1 }, { 1, 1 }, { 1, 0 } },
	{ "ha", "event=0x01,umask=0x03", NULL, { 3, 2 }, { 2, 1 }, { 2, 0 } },
	{ "imc_0", "event=0x04,umask=0x03", "event=0xff",
	  { 3, 2 }, { 2, 1 }, { 2, 0 } },
	{ "qpi_0", "event=0x102,umask=0x08", NULL, { 3, 2 }, { 2, 1 }, { 2, 0 } },
	{ "r2pcie", "event=0x01", NULL, { 3, 2 }, { 2, 1 }, { 2, 0 } },
	{ "r3qpi_0", "event=0x01", NULL, { 3, 2 }, { 2, 1 }, { 2, 0 } },
};

static struct tally mark;

static void begin(void)
{
	mark = model_tally(-1, NULL, NULL);
}

static void end(struct limit limit, const char *box, const char *what)
{
	struct tally now = model_tally(-1, NULL, NULL);
	unsigned long long reads = now.reads - mark.reads;
	unsigned long long writes = now.writes - mark.writes;

	ksft_test_result(reads <= limit.reads && writes <= limit.writes,
			 "%s: %s: %llu reads, %llu writes (at most %u, %u)\n",
			 box, what, reads, writes, limit.reads, limit.writes);
}

#define KIND_TESTS	6

static void test_kind(const struct kind *k, const char *text)
{
	const struct uncore_pmu *pmu = uncore_pmu(k->box);
	struct perf_event_attr attr;
	struct uncore_enc enc;
	int fd;

	uncore_encode(pmu, text, &enc);
	attr = uncore_attr(pmu, &enc);

	begin();
	fd = uncore_open_attr(&attr, pmu->cpu[0], -1);
	end(k->start, k->box, "open");
	if (fd < 0)
		ksft_exit_fail_msg("%s/%s/: %s\n", k->box, text, strerror(-fd));
	begin();
	uncore_read(fd);
	end(k->read, k->box, "read");
	begin();
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	end(k->stop, k->box, "disable");
	begin();
	uncore_read(fd);
	end((struct limit){ 0, 0 }, k->box, "read while disabled");
	begin();
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	end(k->start, k->box, "enable");
	begin();
	close(fd);
	end(k->stop, k->box, "close");
}

/* perf stat on the CPU of socket 0; perf reads each count once more at the end. */
static const struct stat_run {
	const char *what, *events;
	struct limit limit;
	const char *seconds;	/* for the others it does not matter */
} stat_runs[] = {
	{ "one CBo event", "snbep_uncore_cbox_1/event=0x34,umask=0x3/",
	  { 1 + 1, 4 }, "0.1" },
	{ "four CBo events",
	  "snbep_uncore_cbox_1/event=0x34,umask=0x3/,"
	  "snbep_uncore_cbox_1/event=0x35,umask=0xa/,"
	  "snbep_uncore_cbox_1/event=0x1b,umask=0x1/,"
	  "snbep_uncore_cbox_1/event=0x0/", { 4 + 4, 10 }, "0.1" },
	{ "four CBo events in a group",
	  "{snbep_uncore_cbox_1/event=0x34,umask=0x3/,"
	  "snbep_uncore_cbox_1/event=0x35,umask=0xa/,"
	  "snbep_uncore_cbox_1/event=0x1b,umask=0x1/,"
	  "snbep_uncore_cbox_1/event=0x0/}", { 4 + 4, 9 }, "0.1" },
	{ "four iMC events",
	  "snbep_uncore_imc_1/event=0x4,umask=0x3/,"
	  "snbep_uncore_imc_1/event=0x4,umask=0xc/,"
	  "snbep_uncore_imc_1/event=0x1/,snbep_uncore_imc_1/event=0x10/",
	  { 12 + 8, 9 }, "0.1" },
	{ "six CBo events by turns on four counters",
	  "snbep_uncore_cbox_1/event=0x0/,snbep_uncore_cbox_1/event=0x0/,"
	  "snbep_uncore_cbox_1/event=0x0/,snbep_uncore_cbox_1/event=0x0/,"
	  "snbep_uncore_cbox_1/event=0x0/,snbep_uncore_cbox_1/event=0x0/",
	  { 600, 600 }, "1" },
	{ "one QPI packet filter",
	  "snbep_uncore_qpi_1/event=0x138,match_mc=0xe,mask_mc=0xf/",
	  { 3 + 2, 7 }, "0.1" },
};

static void test_stat(const struct stat_run *run)
{
	char command[512];

	snprintf(command, sizeof(command),
		 "perf stat -C %d -e '%s' sleep %s > /tmp/stat 2>&1",
		 uncore_pmu("cbox_1")->cpu[0], run->events, run->seconds);
	begin();
	if (system(command)) {
		system("sed 's/^/# /' /tmp/stat");
		ksft_exit_fail_msg("%s failed\n", command);
	}
	end(run->limit, "perf stat", run->what);
}

/* What others used before is forgotten with the module. */
static void load_anew(void)
{
	if (syscall(SYS_delete_module, "snbep_uncore", O_NONBLOCK) ||
	    system("modprobe snbep_uncore"))
		ksft_exit_fail_msg("the module cannot be loaded anew\n");
}

static void test_load(void)
{
	begin();
	load_anew();
	/*
	 * Per socket: a read of each of 10 MSR boxes and of two filters of QPI
	 * ports, and a try of the first CBo and of the PCU whether an MSR keeps
	 * a value: 18, where intel_uncore takes 19.
	 */
	end((struct limit){ 14 * uncore_nr_sockets, 4 * uncore_nr_sockets },
	    "module", "unload and load");
}

int main(void)
{
	unsigned int i, nr_fixed = 0;

	ksft_print_header();
	model_init();
	load_anew();
	uncore_init("snbep_uncore_");
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		nr_fixed += !!kinds[i].fixed;
	ksft_set_plan((ARRAY_SIZE(kinds) + nr_fixed) * KIND_TESTS +
		      ARRAY_SIZE(stat_runs) + 1);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		test_kind(&kinds[i], kinds[i].event);
		if (kinds[i].fixed)
			test_kind(&kinds[i], kinds[i].fixed);
	}
	for (i = 0; i < ARRAY_SIZE(stat_runs); i++)
		test_stat(&stat_runs[i]);
	test_load();
	ksft_finished();
}
