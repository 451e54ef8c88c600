// SPDX-License-Identifier: GPL-2.0-only
/*
 * A sample of the itanium PMU shows nothing of a privilege level that its event does not count,
 * however late the interrupt is and whoever asks.
 */
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "guest/itanium/ring.h"

#define USER_TOP	0xa000000000080000ULL
#define NOBODY		65534

/* Another processor injects overflows at any time. */
static pid_t disturb(const char *stim)
{
	pid_t pid = fork();

	if (pid)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin(1);
	for (;;)
		model("montecito cpu=0 %s", stim);
}

struct seen {
	int n, wrong;
};

/* Samples while this task enters and leaves the kernel */
static struct seen look(struct perf_event_attr *attr, int want, int rounds, bool stop)
{
	struct ring r = ring_open(attr);
	struct seen seen = { 0 };
	double end = now() + 20;
	int k;

	while (seen.n < want && rounds-- && now() < end) {
		if (stop) {
			ioctl(r.fd, PERF_EVENT_IOC_DISABLE, 0);
			ioctl(r.fd, PERF_EVENT_IOC_ENABLE, 0);
		} else {
			syscall(SYS_getppid);
		}
		ring_take(&r);
		for (k = 0; k < nr_samples; k++) {
			bool kernel = samples[k].ip >= USER_TOP;
			int mode = samples[k].misc & PERF_RECORD_MISC_CPUMODE_MASK;
			unsigned int b;

			seen.n++;
			seen.wrong += mode != (kernel ? PERF_RECORD_MISC_KERNEL :
							PERF_RECORD_MISC_USER) ||
				      (kernel ? attr->exclude_kernel : attr->exclude_user);
			for (b = 0; b < samples[k].nr; b++)
				seen.wrong += attr->exclude_kernel &&
					      (samples[k].branch[b].from >= USER_TOP ||
					       samples[k].branch[b].to >= USER_TOP);
			seen.wrong += attr->exclude_kernel && samples[k].addr >= USER_TOP;
		}
	}
	ring_close(&r);
	return seen;
}

static void test_late(void)
{
	static const struct {
		const char *who;
		bool user, kernel, stop;
		int cpl;
	} kinds[] = {
		{ ":k", false, true, false, 0 },
		{ ":k, stopped and started", false, true, true, 0 },
		{ ":u", true, false, false, 3 },
		{ ":u, stopped and started", true, false, true, 3 },
		{ "both, stopped and started", true, true, true, 3 },
	};
	char stim[64];
	int i;

	for (i = 0; i < ARRAY(kinds); i++) {
		struct perf_event_attr attr = sample_attr(0x08, 1);
		struct seen seen;
		pid_t child;

		attr.exclude_user = !kinds[i].user;
		attr.exclude_kernel = !kinds[i].kernel;
		snprintf(stim, sizeof(stim), "event event=8,cpl=%d", kinds[i].cpl);
		child = disturb(stim);
		seen = look(&attr, 500, 1000000, kinds[i].stop);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		ksft_test_result(seen.n && !seen.wrong,
				 "late overflows of %s: %d samples, %d at another level\n", kinds[i].who,
				 seen.n, seen.wrong);
	}
}

/* An unprivileged user sees addresses of the user's half only. */
static int as_nobody(void)
{
	static const uint64_t config[] = {
		0x08, 0xc8 | EAR(1, 0), 0xc8 | EAR(3, 0), 0x43 | EAR(4, 0xff), 0x12 | EAR(6, 0),
	};
	struct perf_event_attr attr;
	int i, wrong = 0, n = 0;

	if (setuid(NOBODY))
		return 1;
	for (i = 0; i < ARRAY(config); i++) {
		pid_t child;
		struct seen seen;

		child = disturb("branch cpl=3,ip=0x400100,to=0xffffffff81000000"
				" branch cpl=3,ip=0x400100,to=0x400300"
				" retire ip=0x400110 retire ip=0xffffffff81000010 retire ip=0x400120"
				" event event=8 event event=0x12"
				" dear latency=9,ip=0x400140,data=0xffff888000000000"
				" dear latency=9,ip=0xffffffff81000140,data=0x400000"
				" dear mode=2,ip=0x400140,data=0x7000"
				" iear latency=9,ip=0xffffffff81000200 iear latency=9,ip=0x400200");
		attr = sample_attr(config[i], 1);
		attr.exclude_kernel = 1;
		attr.exclude_hv = 1;
		if (i == 0 || i == 4) {
			attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
			attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
		}
		seen = look(&attr, 200, 1000000, i & 1);
		kill(child, SIGKILL);
		waitpid(child, NULL, 0);
		if (!seen.n || seen.wrong)
			ksft_print_msg("%#llx: %d samples, %d wrong\n",
				       (unsigned long long)config[i], seen.n, seen.wrong);
		wrong += seen.wrong + !seen.n;
		n += seen.n;
	}
	return !n || wrong;
}

static void test_nobody(void)
{
	pid_t pid;
	int status;

	write_file("/proc/sys/kernel/perf_event_paranoid", 2);
	pid = fork();
	if (!pid)
		_exit(as_nobody());
	ksft_test_result(waitpid(pid, &status, 0) == pid && !status,
			 "a user without rights has samples of the user's half alone\n");
}

int main(void)
{
	model_init();
	ksft_print_header();
	pin(0);
	model("montecito checker reset");
	sample_rate(RATE);
	test_late();
	test_nobody();
	ksft_test_result(checker_silent(), "the protocol checker objects to no access for a sample\n");
	ksft_set_plan(ksft_test_num());
	ksft_finished();
}
