// SPDX-License-Identifier: GPL-2.0-only
/*
 * A sample of the itanium PMU shows nothing of a privilege level that its event does not count,
 * however late the interrupt is and whoever asks.
 */
#include <signal.h>
#include <sys/auxv.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "api/ring.h"
#include "itanium.h"

#define NOBODY		65534

/*
 * Overflows come at any time: on x86 another processor injects them, an Itanium's are its own. The
 * pause leaves this processor time between its interrupts where the host has little of it.
 */
static pid_t disturb(const char *stim)
{
	pid_t pid = HAS_MODEL ? fork() : 0;

	if (pid || !HAS_MODEL)
		return pid;
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	uncore_pin(1);
	for (;;) {
		/* Refused if too many wait: this process may not end, which restores sysctls. */
		model_try(NULL, "montecito cpu=0 %s", stim);
		usleep(1000);
	}
}

static struct perf_event_attr sample_attr(uint64_t config, uint64_t period)
{
	struct perf_event_attr attr = event_attr(config);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR |
			   PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT | PERF_SAMPLE_DATA_SRC;
	return attr;
}

struct seen {
	int n, wrong;
};

static void undisturb(pid_t pid)
{
	if (pid) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
	}
}

/* By those of an Itanium, which makes its way from one interrupt to the next */
#define PERIOD	(HAS_MODEL ? 1 : 997)
#define ROUNDS	(HAS_MODEL ? 1000000 : 3000)

/* Samples while this task enters and leaves the kernel */
static struct seen look(struct perf_event_attr *attr, int want, bool stop)
{
	static char array[ROUNDS * LINE];
	struct ring r = ring_open(attr);
	struct seen seen = { 0 };
	double end = now() + 20;
	int k, round;

	for (round = 0; seen.n < want && round < ROUNDS && now() < end; round++) {
		if (!HAS_MODEL)
			load_lines(array + round * LINE, 1);
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

/* Branches, instructions and misses of each kind, with addresses of either level */
#define CAPTURES							\
	"branch cpl=3,ip=0x400100,to=0xffffffff81000000"		\
	" branch cpl=3,ip=0x400100,to=0x400300"				\
	" retire ip=0x400110 retire ip=0xffffffff81000010 retire ip=0x400120"	\
	" event event=8 event event=0x12"				\
	" dear latency=9,ip=0x400140,data=0xffff888000000000"		\
	" dear latency=9,ip=0xffffffff81000140,data=0x400000"		\
	" dear mode=2,ip=0x400140,data=0x7000"				\
	" iear latency=9,ip=0xffffffff81000200 iear latency=9,ip=0x400200"
#define COUNTED(cpl)	"event event=8,cpl=" #cpl

static void test_late(int want)
{
	static const struct {
		const char *who, *stim;
		uint64_t config, period;
		bool user, kernel, stop, branches;
	} kinds[] = {
		{ ":k", COUNTED(0), 0x08, PERIOD, .kernel = true },
		{ ":k, stopped and started", COUNTED(0), 0x08, PERIOD, .kernel = true, .stop = true },
		{ ":u", COUNTED(3), 0x08, PERIOD, .user = true },
		{ ":u, stopped and started", COUNTED(3), 0x08, PERIOD, .user = true, .stop = true },
		{ "both, stopped and started", COUNTED(3), 0x08, PERIOD, .user = true, .kernel = true,
		  .stop = true },
		{ ":u with branches", CAPTURES, 0x08, PERIOD, .user = true, .branches = true },
		{ ":u with instructions", CAPTURES, 0x12 | EAR(6, 0), PERIOD, .user = true,
		  .stop = true, .branches = true },
		{ "data misses of :u", CAPTURES, 0xc8 | EAR(1, 0), 1, .user = true, .stop = true },
		{ "code misses of :u", CAPTURES, 0x43 | EAR(4, 0xff), 1, .user = true },
		/* The last, as the emulated Itanium captures none */
		{ "ALAT misses of :u", CAPTURES, 0xc8 | EAR(3, 0), 1, .user = true },
	};
	int i;

	change_file("/proc/sys/kernel/perf_event_paranoid", 2);
	for (i = 0; i < ARRAY(kinds) - !HAS_MODEL; i++) {
		struct perf_event_attr attr = sample_attr(kinds[i].config, kinds[i].period);
		struct seen seen;
		pid_t child;

		attr.exclude_user = !kinds[i].user;
		attr.exclude_kernel = !kinds[i].kernel;
		if (kinds[i].branches) {
			attr.sample_type |= PERF_SAMPLE_BRANCH_STACK;
			attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
		}
		child = disturb(kinds[i].stim);
		/* An event that counts user space alone needs no privilege. */
		attr.exclude_hv = !kinds[i].kernel;
		if (!kinds[i].kernel && seteuid(NOBODY))
			ksft_exit_fail_msg("cannot become another user\n");
		seen = look(&attr, want, kinds[i].stop);
		if (seteuid(0))
			ksft_exit_fail_msg("cannot become root again\n");
		undisturb(child);
		test_result(seen.n && !seen.wrong,
			    "late overflows of %s are at its level | %d samples, %d at another level\n",
			    kinds[i].who, seen.n, seen.wrong);
	}
}

#ifdef __ia64__
/* System calls are in the trace buffer, and no branches. */
static void test_calls(void)
{
	/* An interrupt has instructions of its own. */
	struct perf_event_attr attr = sample_attr(0x08, 20011);
	int k, entries = 0, kernel = 0, calls = 0;
	unsigned int b;
	struct ring r;

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	r = ring_open(&attr);
	for (k = 0; k < 2000; k++)
		syscall(SYS_getpid);
	ioctl(r.fd, PERF_EVENT_IOC_DISABLE, 0);
	ring_take(&r);
	for (k = 0; k < nr_samples; k++) {
		for (b = 0; b < samples[k].nr; b++) {
			bool from = samples[k].branch[b].from >= USER_TOP;

			entries++;
			kernel += from;
			calls += from != (samples[k].branch[b].to >= USER_TOP);
		}
	}
	test_result(kernel && entries > kernel && !calls,
		    "branches of both levels, and none between the two | %d, %d of the kernel, %d between\n",
		    entries, kernel, calls);
	ring_close(&r);
}

/* Not even in light system calls has :u samples of the kernel; the gate page is the program's. */
static void test_light_calls(void)
{
	struct perf_event_attr attr = sample_attr(0x08, 61);
	int k, kernel = 0;
	struct ring r;

	attr.sample_type = PERF_SAMPLE_IP;
	attr.exclude_kernel = 1;
	r = ring_open(&attr);
	fsys_work(20000, getauxval(AT_SYSINFO));
	ioctl(r.fd, PERF_EVENT_IOC_DISABLE, 0);
	ring_take(&r);
	for (k = 0; k < nr_samples; k++)
		kernel += samples[k].ip >= USER_TOP ||
			  (samples[k].misc & PERF_RECORD_MISC_CPUMODE_MASK) !=
			  PERF_RECORD_MISC_USER;
	test_result(nr_samples && !kernel, "light system calls have no sample of the kernel | %d samples, %d of the kernel\n",
		    nr_samples, kernel);
	ring_close(&r);
}
#endif

int main(int argc, char **argv)
{
	begin(HAS_MODEL ? 10 : 9 + 2);
	sample_rate(RATE);
	/* As many samples of each kind */
	test_late(argc > 1 ? atoi(argv[1]) : 500);
#ifdef __ia64__
	test_calls();
	test_light_calls();
#endif
	finish();
}
