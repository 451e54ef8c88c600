// SPDX-License-Identifier: GPL-2.0-only
/*
 * Let each allocation of perf_event_open() fail once (/proc/PID/fail-nth), before and after a
 * driver's event_init(). It fails with ENOMEM or did not need the memory, nobody uses the module
 * afterwards, and an event counts exactly. tests/drivers/ has each failure of a load. Needs
 * CONFIG_FAILSLAB.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>

#include "api/canary.h"
#include "api/model.h"
#include "api/offcore.h"
#include "api/test.h"
#include "api/uncore.h"

#define DEBUG_DIR	"/sys/kernel/debug"
#define WANT		1234

static int nth_fd;

static void set_nth(unsigned int nth)
{
	char text[16];
	int len = snprintf(text, sizeof(text), "%u", nth);

	if (pwrite(nth_fd, text, len, 0) != len)
		ksft_exit_fail_msg("fail-nth: %s\n", strerror(errno));
}

/* Stop; return whether the allocation that was to fail was never made. */
static bool end_nth(void)
{
	char text[16] = "";

	if (pread(nth_fd, text, sizeof(text) - 1, 0) <= 0)
		ksft_exit_fail_msg("fail-nth: %s\n", strerror(errno));
	set_nth(0);
	return atoi(text);
}

static void fail_each(const char *what, const struct perf_event_attr *attr, pid_t pid, int cpu,
		      int group)
{
	unsigned int nth = 0;
	int fd, err;
	bool end;

	do {
		set_nth(++nth);
		fd = syscall(SYS_perf_event_open, attr, pid, cpu, group, 0);
		err = fd < 0 ? errno : 0;
		end = end_nth();
		if (fd >= 0)
			close(fd);
	} while (!end && (!err || err == ENOMEM));
	test_result(end && !err && nth > 1, "%s: each allocation of an open fails once | %u, last error %d\n",
		    what, nth - 1, err);
}

/* perf lets go of some events a moment after they were closed. */
static void test_unused(const char *module, bool counts)
{
	bool used = true;
	unsigned int i;

	for (i = 0; used && i < 500; i++) {
		char *n = read_text("/sys/module/%s/refcnt", module);

		used = !n || strcmp(n, "0");
		free(n);
		if (used)
			usleep(10000);
	}
	ksft_test_result(!used && counts, "%s is not in use, and counts exactly\n", module);
}

/* Let allocations of all sizes fail. */
static void set_up(void)
{
	static const char * const kinds[] = { "failslab", "fail_page_alloc" };
	unsigned int i;

	nth_fd = open("/proc/self/fail-nth", O_RDWR);
	if (nth_fd < 0)
		ksft_exit_skip("this kernel does not let allocations fail (CONFIG_FAULT_INJECTION)\n");
	/* machine/xeon/vm/check-log ignores the kernel's messages about these. */
	write_text("fault: allocations fail from here", "/dev/kmsg");
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!write_text("N", DEBUG_DIR "/%s/ignore-gfp-wait", kinds[i]) ||
		    !write_text("0", DEBUG_DIR "/%s/verbose", kinds[i]))
			ksft_exit_fail_msg("%s: %s\n", kinds[i], strerror(errno));
	}
	if (!write_text("N", DEBUG_DIR "/fail_page_alloc/ignore-gfp-highmem") ||
	    !write_text("0", DEBUG_DIR "/fail_page_alloc/min-order"))
		ksft_exit_fail_msg("fail_page_alloc: %s\n", strerror(errno));
}

int main(void)
{
	struct perf_event_attr dummy = {
		.type = PERF_TYPE_SOFTWARE, .size = sizeof(dummy), .config = PERF_COUNT_SW_DUMMY,
	};
	struct perf_event_attr attr;
	struct uncore_pmu *pmu;
	struct uncore_enc enc;
	int leader;

	test_begin("snbep_uncore_", "checker");
	test_needs_model();
	if (!uncore_any("offcore_rsp") || !uncore_any("itanium"))
		ksft_exit_skip("needs snbep_uncore, offcore_rsp and itanium_pmu\n");
	set_up();
	uncore_init("snbep_uncore_");
	canary_init_offcore();
	test_plan(8);
	pmu = uncore_pmu("ha");
	uncore_encode(pmu, uncore_kind(pmu)->event, &enc);
	attr = uncore_attr(pmu, &enc);
	attr.read_format = UNCORE_READ_FORMAT;
	fail_each("snbep_uncore", &attr, -1, pmu->cpu[0], -1);
	/* From then on the event belongs to the box's PMU. */
	leader = uncore_open_attr(&dummy, pmu->cpu[0], -1);
	fail_each("snbep_uncore, in a group", &attr, -1, pmu->cpu[0], leader);
	close(leader);
	test_unused("snbep_uncore", canary_uncore(pmu, 0, WANT));
	attr = offcore_encode("dmnd_data_rd,any_response");
	fail_each("offcore_rsp", &attr, -1, 0, -1);
	fail_each("offcore_rsp, of a task", &attr, 0, -1, -1);
	test_unused("offcore_rsp", canary_offcore(0, WANT));
	attr = canary_itanium_attr();
	attr.sample_period = 1000;
	attr.sample_type = PERF_SAMPLE_IP;
	fail_each("itanium_pmu, with samples", &attr, -1, 0, -1);
	test_unused("itanium_pmu", canary_itanium(0, WANT));
	write_text("fault: allocations fail up to here", "/dev/kmsg");
	test_end();
}
