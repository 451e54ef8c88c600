// SPDX-License-Identifier: GPL-2.0-only
/*
 * Refusals that need a real kernel: longer attributes, and users who may not count.
 * tests/drivers/uncore/refuse.c has all rules.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>

#include "api/model.h"
#include "api/test.h"
#include "api/uncore.h"

#define PARANOID	"/proc/sys/kernel/perf_event_paranoid"
#define PARAMETER	"/sys/module/snbep_uncore/parameters/"

static int kmsg;

static void test_longer(const char *word, uint64_t config3, uint64_t config4)
{
	const struct uncore_pmu *pmu = uncore_pmu("ha");
	struct perf_event_attr attr = { .type = pmu->type, .config = 0x0e };
	char line[512];
	int fd;

	kmsg_has(kmsg, NULL, NULL, 0);
	fd = uncore_open_longer(&attr, config3, config4, -1, pmu->cpu[0]);
	if (fd == -E2BIG)
		ksft_test_result_skip("an event with %s is refused (this kernel has none)\n", word);
	else
		ksft_test_result(fd == -EINVAL && kmsg_has(kmsg, word, line, sizeof(line)),
				 "an event with %s is refused\n", word);
	close(fd);
}

/* perf calls the driver before it checks the user's permission. */
static void test_nobody(void)
{
	const struct uncore_pmu *pmu = uncore_pmu("cbox_0");
	char line[256], *paranoid = read_text(PARANOID);
	unsigned int i, failed = 0;
	int status;
	pid_t pid;

	write_text("2", PARANOID);
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
	/* perf opens with exclude_kernel after EACCES; this user may not count the kernel. */
	pid = fork();
	if (!pid) {
		struct perf_event_attr attr = { .type = pmu->type, .exclude_kernel = 1 };

		if (setgid(65534) || setuid(65534))
			_exit(100);
		_exit(-uncore_open_attr(&attr, pmu->cpu[0], -1));
	}
	waitpid(pid, &status, 0);
	test_result(WEXITSTATUS(status) == EACCES,
		    "a user who may not count is told so, also with :u | %d\n",
		    WEXITSTATUS(status));
	uncore_try(pmu, "event=0xff", 0, -1);
	ksft_test_result(kmsg_has(kmsg, "no event 0xff", line, sizeof(line)),
			 "refusals of root leave a line in the log\n");
	write_text(paranoid, PARANOID);
	free(paranoid);
}

int main(void)
{
	char *burst = read_text(PARAMETER "log_burst");

	test_begin("snbep_uncore_", "checker");
	uncore_init("snbep_uncore_");
	test_plan(5);
	/* Log every refusal. */
	if (!burst || !write_text("100000", PARAMETER "log_burst"))
		ksft_exit_fail_msg("log_burst cannot be set\n");
	kmsg = kmsg_open();
	test_longer("config3", 1, 0);
	test_longer("config4", 0, 1);
	test_nobody();
	/* Later programs run with the module's own setting. */
	write_text(burst, PARAMETER "log_burst");
	test_end();
}
