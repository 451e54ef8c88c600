// SPDX-License-Identifier: GPL-2.0-only
/*
 * Load the module while another process opens events of its PMUs in a loop: perf shows
 * a PMU before its registration is complete.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "kselftest.h"
#include "api/model.h"
#include "api/uncore.h"

#define ROUNDS	4

/* Shared by the opening and the loading process */
static volatile struct shared {
	bool ready, go, end;
	unsigned int busy, taken;
} *shared;

/* PMUs get their previous types again. */
static void open_without_pause(void)
{
	struct perf_event_attr attr[UNCORE_MAX_PMUS];
	unsigned int i;
	int fd;

	for (i = 0; i < uncore_nr_pmus; i++) {
		const struct uncore_pmu *pmu = &uncore_pmus[i];
		struct uncore_enc enc;

		uncore_encode(pmu, uncore_kind(pmu)->event, &enc);
		attr[i] = uncore_attr(pmu, &enc);
	}
	shared->ready = true;
	while (!shared->end) {
		shared->busy = shared->go;
		for (i = 0; shared->busy && i < uncore_nr_pmus; i++) {
			fd = uncore_open_attr(&attr[i], uncore_pmus[i].cpu[0], -1);
			if (fd < 0)
				continue;
			shared->taken++;
			close(fd);
		}
	}
}

/* Wait for the other process, a minute at most */
#define wait_until(condition) ({					\
	unsigned int ms_;						\
									\
	for (ms_ = 0; ms_ < 60000 && !(condition); ms_++)		\
		usleep(1000);						\
	ms_ < 60000;							\
})

int main(void)
{
	unsigned int i;
	pid_t child;
	int fd;

	ksft_print_header();
	model_init();
	uncore_init("snbep_uncore_");
	ksft_set_plan(ROUNDS);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE,
		      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (shared == MAP_FAILED)
		ksft_exit_fail_msg("no memory to share\n");
	child = fork();
	if (child < 0)
		ksft_exit_fail_msg("no second process\n");
	if (!child) {
		open_without_pause();
		_exit(0);
	}
	if (!wait_until(shared->ready))
		ksft_exit_fail_msg("the other process does not begin\n");
	for (i = 0; i < ROUNDS; i++) {
		unsigned int taken = shared->taken;

		if (syscall(SYS_delete_module, "snbep_uncore", O_NONBLOCK))
			ksft_exit_fail_msg("the module does not go\n");
		shared->go = true;
		if (system("modprobe snbep_uncore"))
			ksft_exit_fail_msg("the module does not come\n");
		taken = wait_until(shared->taken > taken);
		shared->go = false;
		if (!wait_until(!shared->busy))
			ksft_exit_fail_msg("the other process hangs\n");
		fd = uncore_open(uncore_pmu("ha"), "event=0x0e", 0, -1);
		model("stim 0 ha event=0x0e,count=4711");
		ksft_test_result(taken && uncore_read(fd) == 4711,
				 "loaded while events are opened, the module counts\n");
		close(fd);
	}
	shared->end = true;
	waitpid(child, NULL, 0);
	ksft_finished();
}
