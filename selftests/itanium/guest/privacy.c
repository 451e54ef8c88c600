// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a sample of the itanium PMU must not hold: anything of another task, of
 * another privilege level than the event counts, or what was never captured.
 */
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "itanium/guest/ring.h"

#define USER_TOP	0xa000000000080000ULL
#define NOBODY		65534

static int cpumode(const struct sample *s)
{
	return s->misc & PERF_RECORD_MISC_CPUMODE_MASK;
}

static struct perf_event_attr branch_attr(uint64_t config)
{
	struct perf_event_attr attr = event_attr(config);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_RAW;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	return attr;
}

/* How many entries of the trace buffer are not 0; @skip words are of an EAR. */
static int entries_set(const struct sample *s, int skip)
{
	int i, n = 0;

	for (i = skip + 2; i < skip + 18; i++)
		n += s->raw[i] != 0;
	return n;
}

/* Undecoded records hold what is valid, and nothing that was there before. */
static void test_stale(void)
{
	struct perf_event_attr attr = branch_attr(0x08);
	struct ring r = ring_open(&attr);

	model("montecito branch ip=0x400100,to=0x400200,count=8 event event=8"
	      " branch ip=0x400100,to=0x400200 event event=8");
	ring_take(&r);
	ksft_test_result(nr_samples == 2 && entries_set(&samples[0], 0) == 16 &&
			 entries_set(&samples[1], 0) == 2 && samples[1].raw[0] == 2,
			 "undecoded branches: %d and %d entries of 16 and 2\n",
			 entries_set(&samples[0], 0), entries_set(&samples[1], 0));
	ring_close(&r);

	attr = sample_attr(0xc8 | EAR(3, 0), 1);
	attr.sample_type |= PERF_SAMPLE_RAW;
	r = ring_open(&attr);
	model("montecito dear mode=2,ip=0x404020,slot=1,data=0x7000");
	ring_take(&r);
	ksft_test_result(nr_samples == 1 && samples[0].raw[0] == 0 && samples[0].raw[1] == 0x4000,
			 "undecoded ALAT record: no data address: %#llx\n",
			 (unsigned long long)samples[0].raw[0]);
	ring_close(&r);

	attr = event_attr(0x12 | EAR(6, 0));
	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW;
	r = ring_open(&attr);
	model("montecito retire ip=0x400100 retire ip=0x400110 event event=0x12");
	ring_take(&r);
	ksft_test_result(nr_samples == 1 &&
			 entries_set(&samples[0], 0) == 2 && samples[0].raw[4] == 0,
			 "undecoded IP-EAR: not the entry that may be wrong: %#llx\n",
			 (unsigned long long)samples[0].raw[4]);
	ring_close(&r);
}

/* A branch crosses privilege levels: it belongs to who counts both. */
static void test_levels(void)
{
	static const struct {
		const char *who;
		bool user;
		uint64_t from, ip;
	} kinds[] = {
		{ ":u", true, 0x400100, 0x400300 },
		{ ":k", false, 0xffffffff81000100, 0xffffffff81000300 },
	};
	int i;

	for (i = 0; i < ARRAY(kinds); i++) {
		/* The data EAR's sample has an address of either level. */
		struct perf_event_attr attr = branch_attr(0xc8 | EAR(1, 0));
		struct ring r;

		attr.exclude_user = !kinds[i].user;
		attr.exclude_kernel = kinds[i].user;
		r = ring_open(&attr);
		model("montecito branch cpl=3,ip=0x400100,to=0x400200"
		      " branch cpl=3,ip=0x400210,slot=1,to=0xffffffff81000000"
		      " branch cpl=0,ip=0xffffffff81000100,to=0xffffffff81000200"
		      " branch cpl=0,ip=0xffffffff81000210,to=0x400220"
		      " dear latency=9,cpl=%d,ip=%#llx,data=0x5000", kinds[i].user ? 3 : 0,
		      (unsigned long long)kinds[i].ip);
		ring_take(&r);
		ksft_test_result(nr_samples == 1 &&
				 samples[0].nr == 1 && entries_set(&samples[0], 3) == 3 &&
				 samples[0].branch[0].from == kinds[i].from &&
				 samples[0].ip == kinds[i].ip &&
				 samples[0].raw[0] == 0x5000,
				 "branches of %s: %d of 1, undecoded %d of 3, ip %#llx\n",
				 kinds[i].who,
				 (int)samples[0].nr, entries_set(&samples[0], 3), samples[0].ip);
		ring_close(&r);
	}
}

/* Run @child in another process on this processor, and wait for it. */
static int in_child(int (*child)(void *), void *arg)
{
	pid_t pid = fork();
	int status;

	if (!pid) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		_exit(child(arg));
	}
	return waitpid(pid, &status, 0) == pid && WIFEXITED(status) ? WEXITSTATUS(status) : 255;
}

static int child_branches(void *arg)
{
	model("montecito %s", (char *)arg);
	return 0;
}

/* A task's event has its setting in common with one of the whole processor. */
static void test_shared(void)
{
	struct perf_event_attr all = branch_attr(0x12), own = branch_attr(0x08);
	struct ring everybody, r;
	int first, more;

	all.sample_period = 1ULL << 40;
	everybody = ring_open_on(&all, -1, 0);
	r = ring_open(&own);
	in_child(child_branches, "branch ip=0x400100,to=0x400200,count=3");
	model("montecito event event=8");
	ring_take(&r);
	first = nr_samples ? (int)samples[0].nr : -1;
	model("montecito branch ip=0x400300,to=0x400400 event event=8");
	ring_take(&r);
	more = nr_samples ? (int)samples[0].nr : -1;
	ksft_test_result(first == 0 && more == 1,
			 "a setting in common with a processor's event: %d branches of 0, then %d of 1\n",
			 first, more);
	ring_close(&r);
	ring_close(&everybody);
}

/* Records that the hardware does not mark as valid, of each unit */
static void test_invalid(void)
{
	static const struct {
		const char *what;
		uint64_t config;
		const char *stim;
	} cases[] = {
		{ "data EAR", 0xc8 | EAR(1, 0), "event event=0xc8" },
		{ "data EAR, TLB", 0xc8 | EAR(2, 0xe), "event event=0xc8" },
		{ "data EAR, ALAT", 0xc8 | EAR(3, 0), "event event=0xc8" },
		{ "data EAR without an instruction", 0xc8 | EAR(1, 0),
		  "dear latency=9,ip=0x400000,data=8,vl=0" },
		{ "instruction EAR", 0x43 | EAR(4, 0xff), "event event=0x43" },
		{ "instruction EAR, TLB", 0x43 | EAR(5, 7), "event event=0x43" },
	};
	int i;

	for (i = 0; i < ARRAY(cases); i++) {
		struct perf_event_attr attr = sample_attr(cases[i].config, 1);
		long before = pmu_file("ear_dropped");
		struct ring r = ring_open(&attr);

		model("montecito %s", cases[i].stim);
		ring_take(&r);
		ksft_test_result(!nr_samples && pmu_file("ear_dropped") == before + 1,
				 "invalid: %s: %d samples, %ld dropped\n", cases[i].what,
				 nr_samples,
				 pmu_file("ear_dropped") - before);
		ring_close(&r);
	}
}

/* Latencies that overflow, and an IP-EAR that was frozen early */
static void test_edges(void)
{
	struct perf_event_attr attr = sample_attr(0x43 | EAR(4, 0xff), 1);
	struct ring r = ring_open(&attr);

	model("montecito iear latency=5000,ip=0x404020");
	ring_take(&r);
	ksft_test_result(nr_samples == 1 && samples[0].weight == 0xfff,
			 "instruction EAR: a latency that overflowed is the largest: %llu\n",
			 samples[0].weight);
	ring_close(&r);

	attr = branch_attr(0x12 | EAR(6, 0) | 0x5aULL << 32);
	r = ring_open(&attr);
	model("montecito retire ip=0x4012340,cycles=3 retire ip=0x4056780,cycles=33,ef=1"
	      " event event=0x12");
	ring_take(&r);
	ksft_test_result(nr_samples == 1 &&
			 samples[0].nr == 1 && samples[0].branch[0].from == 0x4012340 &&
			 samples[0].branch[0].to == 0x4056000 && samples[0].branch[0].cycles == 33,
			 "IP-EAR: frozen early, the address is that of 4 KiB: %#llx, %d cycles\n",
			 samples[0].branch[0].to, (int)samples[0].branch[0].cycles);
	ring_close(&r);
}

/* A branch whose target is missing went somewhere, but nobody knows where. */
static void test_missing_target(void)
{
	struct perf_event_attr attr = branch_attr(0x08);
	struct ring r = ring_open(&attr);

	model("montecito branch ip=0x400100,path_ok=0,next=1"
	      " branch ip=0x400500,to=0x400600 event event=8");
	ring_take(&r);
	ksft_test_result(nr_samples == 1 &&
			 samples[0].nr == 1 && samples[0].branch[0].from == 0x400500 &&
			 samples[0].branch[0].to == 0x400600,
			 "a branch without its target: %d branches of 1, the oldest to %#llx\n",
			 (int)samples[0].nr, samples[0].branch[samples[0].nr - 1].to);
	ring_close(&r);
}

/* Overflows that another processor makes happen, at any time */
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

/* Which samples there are while this task is in the kernel, and out of it again */
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
			int mode = cpumode(&samples[k]);
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
				 "samples of %s: %d, %d at another level\n", kinds[i].who,
				 seen.n, seen.wrong);
	}
}

/* Somebody without rights sees what is in the user's half, whatever happens. */
static int as_nobody(void *unused)
{
	(void)unused;
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

static int open_as(void *arg)
{
	struct perf_event_attr attr = event_attr(0x80dc);

	attr.exclude_kernel = 1;
	if (arg && setuid(NOBODY))
		return 1;
	return event_open(&attr, 0, -1, -1) < 0 ? errno : 0;
}

static void test_nobody(void)
{
	int root, nobody;

	write_file("/proc/sys/kernel/perf_event_paranoid", 2);
	ksft_test_result(!in_child(as_nobody, NULL), "nobody's samples are of the user's half\n");
	root = in_child(open_as, NULL);
	nobody = in_child(open_as, "");
	ksft_test_result(!root && nobody == EACCES,
			 "all=1 takes the right to count a processor: %s, %s\n",
			 strerror(root), strerror(nobody));
}

/* A record that is never valid is counted as lost. */
static int storm(void *arg)
{
	struct perf_event_attr attr = sample_attr(0xc8 | EAR(1, 0), 1);
	unsigned long long lost[4] = { 0 };
	long got = 0, before = pmu_file("ear_dropped"), dropped;
	bool *has_lost = arg;
	double end = now() + 5;
	struct ring r;

	attr.exclude_kernel = 1;
	if (setuid(NOBODY))
		return 1;
	if (*has_lost)
		attr.read_format |= 1U << 4;	/* PERF_FORMAT_LOST */
	r = ring_open(&attr);
	while (now() < end) {
		model("montecito dear latency=9,ip=0x400000,data=8,vl=0,count=5000");
		got += ring_take(&r);
	}
	dropped = pmu_file("ear_dropped") - before;
	if (read(r.fd, lost, sizeof(lost)) < 0)
		return 1;
	ksft_print_msg("%ld dropped, %llu lost\n", dropped, lost[3]);
	return !(dropped && !got && (!*has_lost || (long)lost[3] == dropped));
}

static void test_storm(void)
{
	struct utsname u;
	int major = 0;
	bool has_lost;

	has_lost = !uname(&u) && sscanf(u.release, "%d.", &major) == 1 && major >= 6;
	ksft_test_result(!in_child(storm, &has_lost),
			 "overflows without a sample are dropped%s\n",
			 has_lost ? " and lost" : "");
}

int main(void)
{
	model_init();
	ksft_print_header();
	pin(0);
	model("montecito judge reset");
	sample_rate(RATE);
	test_stale();
	test_levels();
	test_shared();
	ksft_test_result_skip("tasks under an event of a processor take sched_task(): on ia64 alone\n");
	test_invalid();
	test_edges();
	test_missing_target();
	test_late();
	test_nobody();
	test_storm();
	ksft_test_result(judge_silent(), "nothing to object to\n");
	ksft_set_plan(ksft_test_num());
	ksft_finished();
}
