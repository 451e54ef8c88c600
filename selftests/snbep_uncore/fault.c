// SPDX-License-Identifier: GPL-2.0-only
/*
 * fault [-n DRAWS] [-s SEED]: let the n-th allocation of a task fail (/proc/PID/fail-nth), for
 * every n that opening an event has, and for DRAWS (20) of the thousands that loading a module has;
 * 0 takes all. The operation fails with ENOMEM or did not need the memory, leaves nothing behind,
 * and an event counts exactly afterwards. Needs CONFIG_FAILSLAB.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "api/canary.h"
#include "api/model.h"
#include "api/offcore.h"
#include "api/test.h"
#include "api/uncore.h"

#define DEBUG_DIR	"/sys/kernel/debug"
#define DEVICES		"/sys/bus/event_source/devices"

/* More allocations than any operation has */
#define MANY		10000000u

#define WANT		1234

enum { UNCORE, OFFCORE, ITANIUM, MODULES };

static const char * const modules[MODULES] = {
	"snbep_uncore", "offcore_rsp", "itanium_pmu",
};

static unsigned int draws = 20;

/* Set and read which allocation of this task fails */
static int open_faults(void)
{
	int fd = open("/proc/self/fail-nth", O_RDWR);

	if (fd < 0)
		ksft_exit_skip("this kernel does not let allocations fail (CONFIG_FAULT_INJECTION)\n");
	return fd;
}

static void set_fault(int fd, unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	if (pwrite(fd, text, len, 0) != len)
		ksft_exit_fail_msg("fail-nth: %s\n", strerror(errno));
}

/* Stop failing; returns how many allocations were still left */
static unsigned int end_fault(int fd)
{
	char text[16];
	ssize_t len = pread(fd, text, sizeof(text) - 1, 0);

	if (len <= 0)
		ksft_exit_fail_msg("fail-nth: %s\n", strerror(errno));
	text[len] = '\0';
	set_fault(fd, 0);
	return strtoul(text, NULL, 0);
}

/* An operation whose allocations fail: load a module, or open an event, alone or in a group */
struct operation {
	unsigned int module;		/* its event has to count afterwards */
	int file;			/* of the module, or 0 */
	struct perf_event_attr attr;
	pid_t pid;
	int cpu, group, fd;
};

/* 0, or a negative errno */
static int run(struct operation *o)
{
	if (o->file)
		return syscall(SYS_finit_module, o->file, "", 0) ? -errno : 0;
	o->fd = syscall(SYS_perf_event_open, &o->attr, o->pid, o->cpu, o->group, 0);
	return o->fd < 0 ? -errno : 0;
}

static void undo(const struct operation *o)
{
	if (!o->file)
		close(o->fd);
	else if (syscall(SYS_delete_module, modules[o->module], O_NONBLOCK))
		ksft_exit_fail_msg("%s does not go: %s\n", modules[o->module], strerror(errno));
}

/* A module that did not load leaves no PMU. */
static bool nothing_left(const char *module)
{
	struct dirent *d;
	DIR *dir = opendir(DEVICES);
	bool good = true;

	while (dir && (d = readdir(dir))) {
		if (strncmp(d->d_name, module, strlen(module)))
			continue;
		ksft_print_msg("%s is left\n", d->d_name);
		good = false;
	}
	if (dir)
		closedir(dir);
	return good;
}

static bool canary(unsigned int module)
{
	static unsigned int turn;
	unsigned int i = turn++;

	switch (module) {
	case UNCORE:
		return canary_uncore(&uncore_pmus[i % uncore_nr_pmus],
				     i / uncore_nr_pmus % uncore_nr_sockets, WANT);
	case OFFCORE:
		return canary_offcore(0, WANT);
	default:
		return canary_itanium(0, WANT);
	}
}

/* Let allocation @nth fail; returns whether the operation behaves */
static bool fail_once(struct operation *o, int fd, unsigned int nth, unsigned int *left)
{
	int ret;

	set_fault(fd, nth);
	ret = run(o);
	*left = end_fault(fd);
	if (!ret)
		undo(o);
	if (ret && (*left || ret != -ENOMEM)) {
		ksft_print_msg("allocation %u: %s\n", nth, strerror(-ret));
		return false;
	}
	if (!o->file || nothing_left(modules[o->module]))
		return true;
	ksft_print_msg("after allocation %u\n", nth);
	return false;
}

/*
 * Let each allocation of an operation fail once, or @most of them, one from each of @most equal
 * parts, if there are more and @most is not 0. A module stays loaded.
 */
static void fail_each(struct operation *o, const char *what, unsigned int most)
{
	int fd = open_faults();
	unsigned int all, i, n, left;
	bool good;

	good = fail_once(o, fd, MANY, &left);
	all = MANY - left;
	n = most && most < all ? most : all;
	for (i = 0; good && i < n; i++) {
		unsigned int from = (uint64_t)all * i / n;
		unsigned int to = (uint64_t)all * (i + 1) / n;

		good = fail_once(o, fd, 1 + from + random() % (to - from), &left);
	}
	close(fd);
	if (o->file && run(o))
		ksft_exit_fail_msg("%s does not load\n", modules[o->module]);
	good &= canary(o->module);
	ksft_test_result(good && all, "%s: %s: %u of %u allocations fail once\n",
			 modules[o->module], what, n, all);
}

static unsigned int nr_kinds(void)
{
	unsigned int i, n = 0;

	for (i = 0; i < uncore_nr_pmus; i++)
		n += !i || strcmp(uncore_pmus[i].kind, uncore_pmus[i - 1].kind);
	return n;
}

/* The events of one type of box, alone and in a group */
static void fail_uncore(void)
{
	struct operation leader = {
		.attr = {
			.type = PERF_TYPE_SOFTWARE, .size = sizeof(leader.attr),
			.config = PERF_COUNT_SW_DUMMY,
		},
		.pid = -1, .cpu = uncore_pmus[0].cpu[0], .group = -1,
	};
	const char *kind = "";
	unsigned int i;

	for (i = 0; i < uncore_nr_pmus; i++) {
		const struct uncore_pmu *pmu = &uncore_pmus[i];
		struct operation o = { .pid = -1, .cpu = pmu->cpu[0], .group = -1 };
		struct uncore_enc enc;

		if (!strcmp(pmu->kind, kind))
			continue;
		kind = pmu->kind;
		uncore_encode(pmu, uncore_kind(pmu)->event, &enc);
		o.attr = uncore_attr(pmu, &enc);
		o.attr.read_format = UNCORE_READ_FORMAT;
		fail_each(&o, kind, 0);
		/* From then on the event belongs to the box's PMU. */
		if (run(&leader))
			ksft_exit_fail_msg("no dummy event\n");
		o.group = leader.fd;
		fail_each(&o, "in a group", 0);
		close(leader.fd);
	}
}

static void fail_core(unsigned int module, struct perf_event_attr attr)
{
	struct operation o = { .module = module, .attr = attr, .pid = -1, .group = -1 };

	fail_each(&o, "of a CPU", 0);
	o.pid = 0;
	o.cpu = -1;
	fail_each(&o, "of a task", 0);
	o.attr.sample_period = 1000;
	o.attr.sample_type = PERF_SAMPLE_IP;
	fail_each(&o, "that samples", 0);
}

static int module_file(const char *name)
{
	char line[256], path[256] = "";
	FILE *f;
	int fd;

	snprintf(line, sizeof(line), "modprobe -D %s", name);
	f = popen(line, "r");
	/* Dependencies first, the module last */
	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "insmod %255s", path);
	if (f)
		pclose(f);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		ksft_exit_fail_msg("where is %s?\n", name);
	return fd;
}

static void fail_load(unsigned int module)
{
	struct operation o = { .module = module, .file = module_file(modules[module]) };

	undo(&o);
	fail_each(&o, "a load", draws);
	close(o.file);
}

/* No failed operation has left a reference. */
static void test_unused(unsigned int module)
{
	struct operation o = { .module = module, .file = module_file(modules[module]) };
	bool gone = false;
	unsigned int i;

	/* perf lets go of some events a moment after they were closed. */
	for (i = 0; !gone && i < 500; i++) {
		gone = !syscall(SYS_delete_module, modules[module], O_NONBLOCK);
		if (!gone)
			usleep(10000);
	}
	ksft_test_result(gone && !run(&o), "nobody uses %s\n", modules[module]);
	close(o.file);
}

/* Let allocations of all sizes fail. */
static void set_up(void)
{
	static const char * const kinds[] = { "failslab", "fail_page_alloc" };
	unsigned int i;

	/* machine/xeon/vm/check-log ignores the kernel's messages about these. */
	write_text("fault: allocations fail from here", "/dev/kmsg");
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!write_text("N", DEBUG_DIR "/%s/ignore-gfp-wait", kinds[i]) || !write_text("0", DEBUG_DIR "/%s/verbose", kinds[i]))
			ksft_exit_fail_msg("%s: %s\n", kinds[i], strerror(errno));
	}
	if (!write_text("N", DEBUG_DIR "/fail_page_alloc/ignore-gfp-highmem") || !write_text("0", DEBUG_DIR "/fail_page_alloc/min-order"))
		ksft_exit_fail_msg("fail_page_alloc: %s\n", strerror(errno));
}

int main(int argc, char **argv)
{
	unsigned int seed = now_ns();
	int opt;

	while ((opt = getopt(argc, argv, "n:s:")) != -1) {
		if (opt == 'n')
			draws = strtoul(optarg, NULL, 0);
		else if (opt == 's')
			seed = strtoul(optarg, NULL, 0);
		else
			ksft_exit_fail_msg("usage: fault [-n DRAWS] [-s SEED]\n");
	}
	test_begin("snbep_uncore_", "checker");
	test_needs_model();
	if (!uncore_any("offcore_rsp") || !uncore_any("itanium"))
		ksft_exit_skip("needs snbep_uncore, offcore_rsp and itanium_pmu\n");
	close(open_faults());
	srandom(seed);
	ksft_print_msg("seed %#x\n", seed);
	set_up();
	uncore_init("snbep_uncore_");
	/* A load of two modules, and their end; events of each type of box, and of two modules */
	test_plan(2 + 2 + 2 * nr_kinds() + 2 * 3);
	canary_init_offcore();
	/*
	 * Not itanium_pmu: its device has an interrupt, and Linux warns when it removes a directory
	 * of /proc/irq that it could not make. tests/drivers/itanium has each failure of a load.
	 */
	fail_load(UNCORE);
	fail_load(OFFCORE);
	uncore_init("snbep_uncore_");
	fail_uncore();
	fail_core(OFFCORE, offcore_encode("dmnd_data_rd,any_response"));
	fail_core(ITANIUM, canary_itanium_attr());
	/* Before 6.2 itanium_pmu stays once it has counted a task. */
	test_unused(UNCORE);
	test_unused(OFFCORE);
	write_text("fault: allocations fail up to here", "/dev/kmsg");
	test_end();
}
