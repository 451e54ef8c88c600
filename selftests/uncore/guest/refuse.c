// SPDX-License-Identifier: GPL-2.0-only
/*
 * Refusals as a program meets them: the errno, a line of the kernel's log that names the
 * PMU and the rule, and no register written. Here is one of each kind;
 * uncore/host/driver/refuse.c has every rule and box.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "kselftest.h"
#include "lib/model.h"
#include "lib/uncore.h"

#define PARAMETER	"/sys/module/snbep_uncore/parameters/"

/* An event, or a group whose last member is refused, with EINVAL */
static const struct {
	const char *box, *text[4], *log;
} encodings[] = {
	{ "ubox", { "config1=0x1" }, "config1 bits 0x1 are not a field of this box (Table 2-2)" },
	{ "cbox_3", { "event=0x08" }, "no event 0x8" },
	{ "pcu", { "event=0xfc" }, "cstate_core/c3-residency/" },
	{ "ha", { "event=0x0b" }, "conflict_cycles counts nothing without a unit mask" },
	{ "r3qpi_1", { "event=0x11,umask=0x81" }, "neither a unit mask of rxr_inserts" },
	{ "r2pcie", { "event=0x12,umask=0x1" }, "rxr_ak_bounces has no unit masks" },
	{ "imc_1", { "event=0xff,thresh=1" }, "dclk has no fields" },
	{ "qpi_1", { "event=0x04,edge=1" }, "Table 2-86" },
	{ "imc_0", { "event=0x83,umask=0x01,thresh=1,edge=1,inv=1" }, "not both" },
	{ "pcu", { "event=0x80" }, "occ_sel" },
	{ "pcu", { "event=0x01,occ_sel=1" }, "bit 7" },
	{ "cbox_0", { "event=0x13,umask=0x01,filter_tid=1" }, "tid_en" },
	{ "cbox_0", { "event=0x35,umask=0x01" },
	  "tor_inserts with umask 0x1 counts nothing without filter_opc" },
	{ "cbox_0", { "event=0x35,umask=0x01,filter_opc=0x02" }, "highest bits" },
	{ "qpi_0", { "event=0x138,match_mc=0xe,mask_mc=0x7" }, "no mask bit" },
	{ "cbox_0", { "event=0x1f,thresh=1" }, "event that counts on counter 0" },
	{ "cbox_0", { "event=0x11,umask=1", "event=0x36,umask=8" }, "more counters" },
	{ "cbox_0", { "event=0x35,umask=3,filter_opc=0x182", "event=0x00",
		      "event=0x36,umask=3,filter_opc=0x180" }, "different values" },
};

/* What no event of the uncore can have */
static const struct {
	const char *what;
	struct perf_event_attr attr;
	int err;
	const char *log;
} attrs[] = {
	{ "a sample period", { .sample_period = 100000 }, EOPNOTSUPP, "cannot sample" },
	{ "a sample frequency", { .freq = 1, .sample_freq = 100 }, EOPNOTSUPP,
	  "cannot sample" },
	{ "a branch stack", { .sample_type = PERF_SAMPLE_BRANCH_STACK,
			      .branch_sample_type = PERF_SAMPLE_BRANCH_ANY },
	  EOPNOTSUPP, "branch stack" },
	{ "exclude_user", { .exclude_user = 1 }, EINVAL, "who caused" },
	{ "exclude_kernel", { .exclude_kernel = 1 }, EINVAL, "who caused" },
	{ "exclude_hv", { .exclude_hv = 1 }, EINVAL, "who caused" },
	{ "exclude_idle", { .exclude_idle = 1 }, EINVAL, "who caused" },
	{ "exclude_host", { .exclude_host = 1 }, EINVAL, "who caused" },
};

static int kmsg;
static struct accesses before;

static void watch(void)
{
	kmsg_has(kmsg, NULL, NULL, 0);
	before = model_accesses(-1, NULL, NULL);
}

/* The result of an open since watch(), which should have failed */
#define expect_refused(pmu, fd, err, log, ...)				\
	ksft_test_result(refused(pmu, fd, err, log), __VA_ARGS__)

static bool refused(const struct uncore_pmu *pmu, int fd, int err, const char *log)
{
	struct accesses after = model_accesses(-1, NULL, NULL);
	char line[512];
	bool said = kmsg_has(kmsg, log, line, sizeof(line)) &&
		    !strncmp(line, pmu->name, strlen(pmu->name));

	if (fd >= 0)
		close(fd);
	if (fd == -err && said && after.writes == before.writes)
		return true;
	ksft_print_msg("%s: %d, not %d; %llu registers written; the log says '%s', not '%s'\n",
		       pmu->name, fd, -err,
		       (unsigned long long)(after.writes - before.writes), line, log);
	return false;
}

static void test_encodings(void)
{
	unsigned int i, n, j;
	int fd[4];

	for (i = 0; i < ARRAY_SIZE(encodings); i++) {
		const struct uncore_pmu *pmu = uncore_pmu(encodings[i].box);
		const char *const *text = encodings[i].text;

		fd[0] = -1;
		for (n = 0; text[n + 1]; n++)
			fd[n] = uncore_open(pmu, text[n], 0, n ? fd[0] : -1);
		watch();
		expect_refused(pmu, uncore_try(pmu, text[n], 0, fd[0]), EINVAL,
			       encodings[i].log, "%s/%s/%s is refused: %s\n",
			       encodings[i].box, text[n], n ? " in a group" : "",
			       encodings[i].log);
		for (j = n; j--;)
			close(fd[j]);
	}
}

/*
 * The structure of newer kernels has config3 after its first 128 bytes, and
 * config4 after 136; one that does not know them refuses a longer structure.
 */
static void test_longer(const struct uncore_pmu *pmu, const char *word, size_t at)
{
	union {
		struct perf_event_attr attr;
		unsigned char bytes[144];
	} big = { .attr = { .type = pmu->type, .config = 0x0e } };
	int fd;

	big.attr.size = at + 8;
	big.bytes[at] = 1;
	watch();
	fd = uncore_open_attr(&big.attr, pmu->cpu[0], -1);
	if (fd == -E2BIG)
		ksft_test_result_skip("an event with %s is refused (this kernel has none)\n", word);
	else
		expect_refused(pmu, fd, EINVAL, word, "an event with %s is refused\n", word);
}

static void test_attrs(void)
{
	const struct uncore_pmu *pmu = uncore_pmu("ha");
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(attrs); i++) {
		struct perf_event_attr attr = attrs[i].attr;

		attr.type = pmu->type;
		attr.size = sizeof(attr);
		attr.config = 0x0e;
		watch();
		expect_refused(pmu, uncore_open_attr(&attr, pmu->cpu[0], -1), attrs[i].err,
			       attrs[i].log, "an event with %s is refused\n",
			       attrs[i].what);
	}
	test_longer(pmu, "config3", 128);
	test_longer(pmu, "config4", 136);
}

/* Where an event is to count, and beside what */
static void test_places(void)
{
	const struct uncore_pmu *pmu = uncore_pmu("ha");
	struct perf_event_attr attr = {
		.type = pmu->type, .size = sizeof(attr), .config = 0x0e,
	};
	int cpu = uncore_socket_cpu(0, 1), i, fd, leader;

	for (i = 0; i < 2; i++) {
		watch();
		fd = syscall(SYS_perf_event_open, &attr, 0, i ? pmu->cpu[0] : -1, -1, 0);
		expect_refused(pmu, fd < 0 ? -errno : fd, EINVAL, "not a task",
			       "an event of a task%s is refused\n", i ? " on a CPU" : "");
	}
	leader = uncore_open(uncore_pmu("r2pcie"), "event=0x12", 0, -1);
	watch();
	expect_refused(pmu, uncore_try(pmu, "event=0x0e", 0, leader), EINVAL, "other boxes",
		       "a group of two boxes is refused\n");
	close(leader);
	leader = uncore_open(pmu, "event=0x0e", 1, -1);
	watch();
	expect_refused(pmu, uncore_try(pmu, "event=0x0e", 0, leader), EINVAL, "two sockets",
		       "a group of two sockets is refused\n");
	close(leader);
	if (cpu < 0 || !uncore_set_online(cpu, false))
		ksft_exit_fail_msg("no second CPU in socket 0 that can go offline\n");
	watch();
	expect_refused(pmu, uncore_open_attr(&attr, cpu, -1), ENODEV, "not online",
		       "an event on a CPU that is offline is refused\n");
	uncore_set_online(cpu, true);
}

/*
 * perf sets it unasked, so it is refused without a word. perf 6.13 and later also
 * ask so, in the name of a task, what an event that was refused may lack: the
 * log's last line is to be about the event.
 */
static void test_exclude_guest(void)
{
	const struct uncore_pmu *pmu = uncore_pmu("ha");
	struct perf_event_attr attr;
	struct uncore_enc enc;
	char line[256];
	int fd;

	uncore_encode(pmu, "event=0x00", &enc);
	attr = uncore_attr(pmu, &enc);
	attr.exclude_guest = 1;
	kmsg_has(kmsg, NULL, line, sizeof(line));
	fd = uncore_open_attr(&attr, pmu->cpu[0], -1);
	ksft_test_result(fd == -EINVAL && !kmsg_has(kmsg, "snbep", line, sizeof(line)),
			 "exclude_guest is refused without a line in the log\n");
	if (fd >= 0)
		close(fd);

	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	ksft_test_result(fd < 0 && errno == EINVAL &&
			 !kmsg_has(kmsg, "snbep", line, sizeof(line)),
			 "exclude_guest of a task is refused without a line in the log\n");
	if (fd >= 0)
		close(fd);
}

/* perf asks the driver first, and then whether the user may count at all. */
static void test_nobody(void)
{
	const struct uncore_pmu *pmu = uncore_pmu("cbox_0");
	unsigned int i, failed = 0;
	char line[256];
	int status;
	pid_t pid;

	write_text("2", "/proc/sys/kernel/perf_event_paranoid");
	kmsg_has(kmsg, NULL, NULL, 0);
	pid = fork();
	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(100);
		for (i = 0; i < 10; i++)
			failed += uncore_try(pmu, "event=0xff", 0, -1) < 0;
		_exit(failed);
	}
	waitpid(pid, &status, 0);
	ksft_test_result(WEXITSTATUS(status) == 10 &&
			 !kmsg_has(kmsg, "snbep_uncore", line, sizeof(line)),
			 "refusals of a user who may not count leave no line in the log\n");
	uncore_try(pmu, "event=0xff", 0, -1);
	ksft_test_result(kmsg_has(kmsg, "no event 0xff", line, sizeof(line)),
			 "refusals of root leave a line in the log\n");
}

/* unlisted=1, set while the module is loaded, lets undocumented events count. */
static void test_unlisted(void)
{
	const struct uncore_pmu *pmu = uncore_pmu("ha");
	struct perf_event_attr attr = {
		/* Off, as the protocol checker reports such an event */
		.type = pmu->type, .size = sizeof(attr), .config = 0x0f3d, .disabled = 1,
	};
	int fd;

	watch();
	expect_refused(pmu, uncore_open_attr(&attr, pmu->cpu[0], -1), EINVAL, "unlisted=1",
		       "an undocumented event is refused\n");
	write_text("Y", PARAMETER "unlisted");
	fd = uncore_open_attr(&attr, pmu->cpu[0], -1);
	write_text("N", PARAMETER "unlisted");
	ksft_test_result(fd >= 0, "with unlisted=1 an undocumented event is opened\n");
	close(fd);
}

int main(void)
{
	ksft_print_header();
	model_init();
	uncore_init("snbep_uncore_");
	/* Every refusal is to be read in the log. */
	if (!write_text("100000", PARAMETER "log_burst"))
		ksft_exit_fail_msg("log_burst cannot be set\n");
	kmsg = kmsg_open();
	ksft_set_plan(ARRAY_SIZE(encodings) + ARRAY_SIZE(attrs) + 13);
	test_encodings();
	test_attrs();
	test_places();
	test_exclude_guest();
	test_nobody();
	test_unlisted();
	ksft_finished();
}
