// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampling with the itanium PMU on the model: N overflows give N samples, and
 * what the address registers and the trace buffer captured is in them, with
 * the addresses, latencies and flags of the stimulus.
 */
#include <asm/perf_regs.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "itanium/guest/ring.h"

static void test_exact(void)
{
	static const int periods[] = { 1, 7, 10, 1000 };
	int i, k;

	for (i = 0; i < ARRAY(periods); i++) {
		struct perf_event_attr attr = sample_attr(0x08, periods[i]);
		struct ring r = ring_open(&attr);
		int n = periods[i] * 100, got;
		bool ok = true;

		model("montecito event event=8,count=%d", n + periods[i] - 1);
		got = ring_take(&r);
		for (k = 0; k < got; k++)
			ok &= samples[k].period == (uint64_t)periods[i];
		ksft_test_result(got == 100 && ok &&
				 event_read(r.fd).value == (uint64_t)n + periods[i] - 1,
				 "period %d: %d samples of 100, %llu counted\n", periods[i],
				 got, (unsigned long long)event_read(r.fd).value);
		ring_close(&r);
	}
}

/* Longer than what a counter holds, or all but */
static void test_long(void)
{
	static const uint64_t periods[] = {
		1ULL << 46, (1ULL << 46) + 1, (1ULL << 47) - 1, (1ULL << 50) + 3,
	};
	int i;

	for (i = 0; i < ARRAY(periods); i++) {
		struct perf_event_attr attr = sample_attr(0x08, periods[i]);
		struct ring r = ring_open(&attr);
		int early, n;

		model("montecito event event=8,count=%llu",
		      (unsigned long long)periods[i] - 1);
		early = ring_take(&r);
		model("montecito event event=8,count=%llu",
		      (unsigned long long)periods[i] * 2 + 1);
		n = ring_take(&r);
		ksft_test_result(!early && n == 3 && samples[2].period == periods[i] &&
				 event_read(r.fd).value == 3 * periods[i],
				 "period %#llx: %d samples of 3, %d early\n",
				 (unsigned long long)periods[i], n, early);
		ring_close(&r);
	}
}

/* A period that changes starts anew. */
static void test_change(void)
{
	struct perf_event_attr attr = sample_attr(0x08, 100);
	struct ring r = ring_open(&attr);
	uint64_t period = 7;
	int before, after;

	model("montecito event event=8,count=250");
	before = ring_take(&r);
	if (ioctl(r.fd, PERF_EVENT_IOC_PERIOD, &period))
		before = -1;
	model("montecito event event=8,count=70");
	after = ring_take(&r);
	ksft_test_result(before == 2 && after == 10 && event_read(r.fd).value == 320,
			 "a period that is changed: %d samples of 2, then %d of 10\n", before,
			 after);
	ring_close(&r);
}

/*
 * Periods that differ: each sample says how many events it stands for, an eighth
 * more or less than asked for, and as often the one as the other.
 */
static void test_jitter(void)
{
	struct perf_event_attr attr = sample_attr(0x08 | 1ULL << 62, 80);
	struct ring r = ring_open(&attr);
	int i, n = 0, wrong = 0, shorter = 0, longer = 0, since = 0, sum = 0;

	for (i = 0; i < 4000; i++) {
		model("montecito event event=8");
		since++;
		if (!ring_take(&r))
			continue;
		/* perf sets the first period up, as it was asked for. */
		if (n++) {
			shorter += since < 80;
			longer += since > 80;
			sum += since;
		}
		wrong += nr_samples != 1 || samples[0].period != (uint64_t)since ||
			 since < 70 || since > 90;
		since = 0;
	}
	ksft_test_result(!wrong && shorter > 5 && longer > 5 && sum > 76 * (n - 1) &&
			 sum < 84 * (n - 1) && event_read(r.fd).value == 4000,
			 "jitter: %d samples, %d wrong, %d early, %d late, %d events between\n",
			 n, wrong, shorter, longer, n > 1 ? sum / (n - 1) : 0);
	ring_close(&r);
}

static bool src_is(uint64_t src, uint64_t op, uint64_t lvl, uint64_t tlb)
{
	union perf_mem_data_src s = { .val = src };

	return s.mem_op == op && s.mem_lvl == lvl && s.mem_dtlb == tlb &&
	       s.mem_lock == PERF_MEM_LOCK_NA && s.mem_snoop == PERF_MEM_SNOOP_NA;
}

#define L1_MISS	(PERF_MEM_LVL_L1 | PERF_MEM_LVL_MISS)

/* What the pages have: an Itanium's addresses are the program's, for :u too. */
static void test_pages(void)
{
	struct perf_event_attr attr = sample_attr(0xc8 | EAR(1, 2), 1);
	struct ring r;

	attr.exclude_kernel = 1;
	r = ring_open(&attr);
	model("montecito dear latency=40,cpl=3,ip=0x4000000000001000,data=0x6000000000008040");
	ring_take(&r);
	ksft_test_result(nr_samples == 1 && samples[0].ip == 0x4000000000001000 &&
			 samples[0].addr == 0x6000000000008040 &&
			 (samples[0].misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
			 PERF_RECORD_MISC_USER,
			 "an Itanium's addresses with :u: %d samples\n", nr_samples);
	ring_close(&r);
}

static void test_dear(void)
{
	static const struct {
		int hit;
		uint64_t tlb;
	} levels[] = {
		{ 1, PERF_MEM_TLB_L2 | PERF_MEM_TLB_HIT },
		{ 2, PERF_MEM_TLB_WK | PERF_MEM_TLB_HIT },
		{ 3, PERF_MEM_TLB_OS | PERF_MEM_TLB_HIT },
	};
	struct perf_event_attr attr = sample_attr(0xc8 | EAR(1, 2), 1);
	struct ring r = ring_open(&attr);
	bool ok = true;
	int k, n;

	model("montecito dear latency=40,ip=0x404010,slot=2,data=0x5000,step=8,count=50");
	n = ring_take(&r);
	for (k = 0; k < n; k++)
		ok &= samples[k].ip == 0x404012 &&
		      samples[k].addr == 0x5000 + 8ULL * k &&
		      samples[k].weight == 40 &&
		      src_is(samples[k].src, PERF_MEM_OP_LOAD, PERF_MEM_LVL_NA, PERF_MEM_TLB_NA) &&
		      (samples[k].misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
		      PERF_RECORD_MISC_USER;
	ksft_test_result(n == 50 && ok, "data EAR: ip %#llx addr %#llx weight %llu src %#llx\n",
			 samples[n - 1].ip, samples[n - 1].addr, samples[n - 1].weight,
			 samples[n - 1].src);

	model("montecito dear latency=16,ip=0xffffffff81000030,bundle1=1,slot=1,data=0xffff888000000008");
	n = ring_take(&r);
	ksft_test_result(n == 1 && samples[0].ip == 0xffffffff81000031 &&
			 samples[0].addr == 0xffff888000000008 &&
			 (samples[0].misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
			 PERF_RECORD_MISC_KERNEL, "data EAR: kernel, second bundle: ip %#llx\n",
			 samples[0].ip);

	model("montecito dear latency=100000,ip=0x404010,data=8");
	n = ring_take(&r);
	ksft_test_result(n == 1 && samples[0].weight == 0x1fff,
			 "data EAR: a latency that overflowed is the largest\n");

	k = pmu_file("ear_dropped");
	model("montecito dear latency=40,ip=0x404010,data=8,vl=0,count=3");
	n = ring_take(&r);
	ksft_test_result(n == 0 && pmu_file("ear_dropped") == k + 3,
			 "data EAR: records without an instruction are dropped and counted\n");
	ring_close(&r);

	attr = sample_attr(0xc8 | EAR(2, 0xe), 1);
	r = ring_open(&attr);
	for (k = 0; k < ARRAY(levels); k++) {
		model("montecito dear mode=1,hit=%d,ip=0x404000,data=0x7000", levels[k].hit);
		n = ring_take(&r);
		ksft_test_result(n == 1 && samples[0].addr == 0x7000 && samples[0].ip == 0x404000 &&
				 !samples[0].weight &&
				 src_is(samples[0].src, PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE,
					PERF_MEM_LVL_NA, levels[k].tlb),
				 "data EAR: TLB level %d: src %#llx\n", levels[k].hit,
				 samples[0].src);
	}
	ring_close(&r);

	attr = sample_attr(0xc8 | EAR(3, 0), 1);
	r = ring_open(&attr);
	model("montecito dear mode=2,ip=0x404020,slot=1,data=0x7000");
	n = ring_take(&r);
	ksft_test_result(n == 1 && samples[0].ip == 0x404021 && !samples[0].addr,
			 "data EAR: ALAT has no data address\n");
	ring_close(&r);
}

static void test_iear(void)
{
	struct perf_event_attr attr = sample_attr(0x43 | EAR(4, 0xf8), 2);
	struct ring r = ring_open(&attr);
	int n;

	model("montecito iear latency=31,ip=0x404020,count=9");
	model("montecito iear latency=77,ip=0x404028,count=10");
	n = ring_take(&r);
	ksft_test_result(n == 5 && samples[4].ip == 0x404020 && samples[4].addr == 0x404020 &&
			 samples[4].weight == 77 &&
			 src_is(samples[4].src, PERF_MEM_OP_EXEC, L1_MISS, PERF_MEM_TLB_NA),
			 "instruction EAR: %d samples of 5, line %#llx\n", n, samples[0].ip);
	ring_close(&r);

	attr = sample_attr(0x43 | EAR(5, 7), 1);
	r = ring_open(&attr);
	model("montecito iear mode=1,hit=2,ip=0x404040");
	n = ring_take(&r);
	ksft_test_result(n == 1 && samples[0].ip == 0x404040 && !samples[0].weight &&
			 src_is(samples[0].src, PERF_MEM_OP_EXEC, PERF_MEM_LVL_NA,
				PERF_MEM_TLB_WK | PERF_MEM_TLB_HIT),
			 "instruction EAR: TLB\n");
	ring_close(&r);
}

static struct ring branch_ring(uint64_t config, uint64_t filter)
{
	struct perf_event_attr attr = event_attr(config);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = filter;
	return ring_open(&attr);
}

static bool branch_is(int i, uint64_t from, uint64_t to, bool mispred)
{
	const struct perf_branch_entry *b = &samples[0].branch[i];

	if (b->from == from && b->to == to && b->mispred == mispred &&
	    b->predicted == !mispred)
		return true;
	ksft_print_msg("branch %d of %d: %#llx to %#llx mispred %d\n", i,
		       (int)samples[0].nr, b->from, b->to, (int)b->mispred);
	return false;
}

/*
 * What a sample is to show is one command to the model, together with the overflow:
 * another task may run between two commands, a thread of the kernel's for one, and
 * the driver empties the trace buffer then.
 */
static void test_branches(void)
{
	struct ring r = branch_ring(0x08, PERF_SAMPLE_BRANCH_ANY);
	char many[2048];
	int k, len = 0;
	bool ok;

	model("montecito branch ip=0x400100,slot=2,to=0x400200"
	      " branch ip=0x400210,slot=1,bundle1=1,to=0x400300,target_ok=0"
	      " branch ip=0x400310,taken=0,to=0 event event=8");
	ring_take(&r);
	ksft_test_result(nr_samples == 1 && samples[0].nr == 2 &&
			 branch_is(0, 0x400211, 0x400300, true) &&
			 branch_is(1, 0x400102, 0x400200, false),
			 "branches: the newest first, with their targets\n");

	model("montecito branch ip=0x400100,to=0x400200,next=1"
	      " branch ip=0x400200,slot=1,to=0x400300,path_ok=0 event event=8");
	ring_take(&r);
	ksft_test_result(nr_samples == 1 && samples[0].nr == 2 &&
			 branch_is(0, 0x400201, 0x400300, true) &&
			 branch_is(1, 0x400100, 0x400200, false),
			 "branches: the target is a branch itself\n");

	/* 16 entries hold eight branches; these are more. */
	for (k = 0; k < 20; k++)
		len += sprintf(many + len, " branch ip=%#x,to=%#x", 0x400000 + 0x100 * k,
			       0x500000 + 0x100 * k);
	model("montecito%s event event=8", many);
	ring_take(&r);
	ok = nr_samples == 1 && samples[0].nr == 8;
	for (k = 0; ok && k < 8; k++)
		ok = branch_is(k, 0x400000 + 0x100 * (19 - k),
			       0x500000 + 0x100 * (19 - k), false);
	ksft_test_result(ok, "branches: the last eight of twenty\n");

	/* The second overflow is the first thing after the first one's interrupt. */
	model("montecito branch ip=0x400100,to=0x400200 event event=8 event event=8");
	ring_take(&r);
	ksft_test_result(nr_samples == 2 && samples[0].nr == 1 && samples[1].nr == 0,
			 "branches: none since the last sample\n");
	ring_close(&r);

	r = branch_ring(0x08, PERF_SAMPLE_BRANCH_ANY_RETURN);
	model("montecito branch ip=0x400100,to=0x400200,type=1"
	      " branch ip=0x400110,to=0x400210,type=2"
	      " branch ip=0x400120,to=0x400220,type=3 event event=8");
	ring_take(&r);
	ksft_test_result(nr_samples == 1 && samples[0].nr == 1 &&
			 branch_is(0, 0x400110, 0x400210, false), "branches: returns only\n");
	ring_close(&r);

	r = branch_ring(0x08, PERF_SAMPLE_BRANCH_IND_CALL);
	model("montecito branch ip=0x400110,to=0x400210,type=2"
	      " branch ip=0x400120,to=0x400220,type=3 event event=8");
	ring_take(&r);
	ksft_test_result(nr_samples == 1 && samples[0].nr == 1 &&
			 branch_is(0, 0x400120, 0x400220, false), "branches: indirect only\n");
	ring_close(&r);

	r = branch_ring(0x08 | 1ULL << 60, PERF_SAMPLE_BRANCH_ANY);
	model("montecito branch ip=0x400110,to=0x400210"
	      " branch ip=0x400120,to=0x400220,path_ok=0"
	      " branch ip=0x400130,to=0x400230,target_ok=0 event event=8");
	ring_take(&r);
	ksft_test_result(nr_samples == 1 && samples[0].nr == 1 &&
			 branch_is(0, 0x400120, 0x400220, true),
			 "branches: with ppm=1, wrong paths only\n");
	ring_close(&r);
}

/* A task that was away finds none of its own branches, either. */
static void test_branches_away(void)
{
	struct ring r = branch_ring(0x08, PERF_SAMPLE_BRANCH_ANY);
	int status = -1;
	pid_t child;

	model("montecito branch ip=0x400100,to=0x400200");
	/* The child is on the same processor, so it ends while we are away. */
	child = fork();
	if (!child)
		_exit(0);
	waitpid(child, &status, 0);
	model("montecito branch ip=0x400110,to=0x400210 event event=8");
	ring_take(&r);
	ksft_test_result(!status && nr_samples == 1 && samples[0].nr == 1 &&
			 branch_is(0, 0x400110, 0x400210, false),
			 "branches: none from before the task was away\n");
	ring_close(&r);
}

/*
 * A capture of the program that is told while the processor is in the kernel: the
 * registers of the sample are the program's, not the kernel's.
 */
static void test_user_regs(int rounds)
{
	struct perf_event_attr attr = sample_attr(0xc8 | EAR(1, 0), 1);
	unsigned long long n = 0, seen = 0, bad = 0;
	pid_t child = fork();
	struct ring r;
	int k;

	if (!child) {
		pin(1);
		for (;;)
			model("montecito cpu=0 dear latency=9,ip=0x404010,data=8");
	}
	attr.sample_type |= PERF_SAMPLE_REGS_USER;
	attr.sample_regs_user = 1ULL << PERF_REG_X86_SP;
	r = ring_open_on(&attr, -1, 0);
	while (n < (unsigned long long)rounds) {
		syscall(SYS_getppid);
		if (!ring_take(&r))
			continue;
		for (k = 0; k < nr_samples; k++) {
			seen += samples[k].sp != 0;
			bad += samples[k].sp >> 47 != 0;
		}
		n += nr_samples;
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ksft_test_result(seen && !bad,
			 "user's registers: %llu samples, %llu with any, %llu with the kernel's\n",
			 n, seen, bad);
	ring_close(&r);
}

static void test_ip_ear(void)
{
	struct ring r = branch_ring(0x12 | EAR(6, 0) | 16ULL << 32,
				    PERF_SAMPLE_BRANCH_ANY);
	char many[2048];
	int k, len = 0;
	bool ok;

	/* One command, as in test_branches(): the trace buffer is the same one. */
	for (k = 0; k < 30; k++)
		len += sprintf(many + len, " retire ip=%#x,cycles=%d", 0x400000 + 0x10 * k,
			       k == 28 ? 63 : k % 4 + 1);
	model("montecito%s event event=0x12", many);
	ring_take(&r);
	/* One of sixteen is the frozen one, which is not to be trusted. */
	ok = nr_samples == 1 && samples[0].nr == 14;
	for (k = 0; ok && k < 14; k++) {
		const struct perf_branch_entry *b = &samples[0].branch[k];
		uint64_t to = 0x400000 + 0x10 * (29 - k);

		ok = b->to == to && b->from == to - 0x10 &&
		     b->cycles == (29 - k == 28 ? 63 : (29 - k) % 4 + 1);
	}
	ksft_test_result(ok, "IP-EAR: %d steps of 14, from %#llx to %#llx in %d cycles\n",
			 (int)samples[0].nr, samples[0].branch[0].from,
			 samples[0].branch[0].to, (int)samples[0].branch[0].cycles);
	ring_close(&r);
}

/* The same record as it is in PMD38, 39 and 48-63 */
static void test_raw(void)
{
	struct perf_event_attr attr = event_attr(0x12 | EAR(6, 0));
	struct ring r;
	char many[512];
	int k, len = 0;
	bool ok;

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_RAW;
	r = ring_open(&attr);
	for (k = 0; k < 5; k++)
		len += sprintf(many + len, " retire ip=%#x,cycles=%d,flush=%d",
			       0x400000 + 0x10 * k, 0x11 * (k % 4), k == 3);
	model("montecito%s event event=0x12", many);
	ring_take(&r);
	/* Six entries with the frozen one; the size counts what fills it up. */
	ok = nr_samples == 1 && samples[0].raw_size == 18 * 8 + 4 &&
	     samples[0].raw[0] == 6;
	for (k = 0; ok && k < 5; k++)
		ok = samples[0].raw[2 + k] == (((uint64_t)k % 4) << 60 | (0x40000 + k)) &&
		     (samples[0].raw[1] >> (8 * k) & 0xf) ==
		     (unsigned int)((k % 4) << 2 | (k == 3) << 1);
	ksft_test_result(ok, "IP-EAR, undecoded: %d samples, %u bytes, PMD38 %#llx PMD39 %#llx\n",
			 nr_samples, samples[0].raw_size, (unsigned long long)samples[0].raw[0],
			 (unsigned long long)samples[0].raw[1]);
	ring_close(&r);

	attr = sample_attr(0xc8 | EAR(1, 0), 1);
	attr.sample_type |= PERF_SAMPLE_RAW;
	r = ring_open(&attr);
	model("montecito dear latency=40,ip=0x404010,slot=2,data=0x5000");
	ring_take(&r);
	ksft_test_result(nr_samples == 1 && samples[0].raw_size == 3 * 8 + 4 &&
			 samples[0].raw[0] == 0x5000 && samples[0].raw[1] == 0x4028 &&
			 samples[0].raw[2] == 0x40401a && samples[0].ip == 0x404012,
			 "data EAR, undecoded: PMD32 %#llx PMD33 %#llx PMD36 %#llx\n",
			 (unsigned long long)samples[0].raw[0],
			 (unsigned long long)samples[0].raw[1],
			 (unsigned long long)samples[0].raw[2]);
	ring_close(&r);
}

static void test_two(void)
{
	struct perf_event_attr a = sample_attr(0x08, 10), b = sample_attr(0x08, 15);
	struct ring ra = ring_open(&a), rb = ring_open(&b);
	int na, nb;

	model("montecito event event=8,count=3000");
	na = ring_take(&ra);
	nb = ring_take(&rb);
	ksft_test_result(na == 300 && nb == 200, "two events that overflow together: %d and %d\n",
			 na, nb);
	ring_close(&ra);
	ring_close(&rb);
}

/* With a frequency perf finds the period. None is counted twice. */
static void test_frequency(void)
{
	struct perf_event_attr attr = sample_attr(0x12, 0);
	unsigned long long sum = 0, first = 0, last = 0, value;
	double end = now() + 60;
	struct ring r;
	int i, n = 0;

	attr.freq = 1;
	attr.sample_freq = 100;
	r = ring_open(&attr);
	while ((n < 10 || last == first) && now() < end) {
		model("montecito event event=0x12,count=1000");
		ring_take(&r);
		for (i = 0; i < nr_samples; i++) {
			last = samples[i].period;
			sum += last;
			if (!n++)
				first = last;
		}
	}
	value = event_read(r.fd).value;
	ksft_test_result(n >= 10 && last != first && sum <= value,
			 "100 samples a second asked for: %d, period %llu to %llu, %llu of %llu events\n",
			 n, first, last, sum, value);
	ring_close(&r);
}

/* A processor's worth of other users of the PMU does not lose samples. */
static void test_crowd(void)
{
	struct perf_event_attr attr = sample_attr(0x08, 5);
	pid_t child[4];
	int i, bad = 0, status;

	for (i = 0; i < ARRAY(child); i++) {
		child[i] = fork();
		if (!child[i]) {
			struct ring r = ring_open(&attr);
			int k, n = 0;

			for (k = 0; k < 50; k++) {
				model("montecito event event=8,count=50");
				n += ring_take(&r);
				sched_yield();
			}
			_exit(n != 500);
		}
	}
	for (i = 0; i < ARRAY(child); i++) {
		waitpid(child[i], &status, 0);
		bad += status != 0;
	}
	ksft_test_result(!bad, "four tasks on one processor, 500 samples each: %d wrong\n", bad);
}

/*
 * What one overflow costs: the counter is read twice and written, PMC0 is written
 * twice, and the capture registers that hold what is asked for. Others' accesses to the
 * processor's registers would add to it, so the least of several is taken.
 */
static void test_accesses(void)
{
	static const struct {
		const char *what;
		uint64_t config;
		const char *stim;
		int reads, writes;
	} cases[] = {
		{ "a counter", 0x08, "event event=8", 2, 3 },
		/* PMD32, 33 and 36 read; 33 and 36 cleared */
		{ "data EAR", 0xc8 | EAR(1, 0), "dear latency=9,ip=64,data=8", 5, 5 },
		/* No PMD32 */
		{ "data EAR, ALAT", 0xc8 | EAR(3, 0), "dear mode=2,ip=64", 4, 5 },
		/* PMD34 and 35 read; 34 cleared */
		{ "instruction EAR", 0x43 | EAR(4, 0xff), "iear latency=9,ip=64", 4, 4 },
		/* PMD34 only */
		{ "instruction EAR, TLB", 0x43 | EAR(5, 7), "iear mode=1,ip=64", 3, 4 },
	};
	int i, k;

	for (i = 0; i < ARRAY(cases); i++) {
		struct perf_event_attr attr = sample_attr(cases[i].config, 1);
		int fd = event_open(&attr, -1, 0, -1), reads = 1000, writes = 1000;

		for (k = 0; k < 20; k++) {
			int r0, w0, r1, w1;

			if (sscanf(model("montecito tally"), "cpu 0 reads %d writes %d",
				   &r0, &w0) != 2)
				break;
			model("montecito %s", cases[i].stim);
			if (sscanf(model("montecito tally"), "cpu 0 reads %d writes %d",
				   &r1, &w1) != 2)
				break;
			if (r1 - r0 + w1 - w0 < reads + writes) {
				reads = r1 - r0;
				writes = w1 - w0;
			}
		}
		ksft_test_result(fd >= 0 && reads == cases[i].reads && writes == cases[i].writes,
				 "an overflow of %s: %d registers read, %d written\n",
				 cases[i].what,
				 reads, writes);
		close(fd);
	}
}

static void online(int on)
{
	write_file("/sys/devices/system/cpu/cpu1/online", on);
}

/*
 * A processor that was gone counts and interrupts again. It gets its vector
 * back with the first interrupt, so the samples may take their time.
 */
static void test_hotplug(void)
{
	struct perf_event_attr attr = sample_attr(0x08, 10);
	struct ring r = ring_open_on(&attr, -1, 1);
	double end = now() + 60;
	int n, back = 0;

	pin(1);
	model("montecito event event=8,count=100");
	n = ring_take(&r);
	pin(0);
	online(0);
	model("montecito cpu=1 event event=8,count=100");
	n += ring_take(&r) * 1000;
	ring_close(&r);

	online(1);
	r = ring_open_on(&attr, -1, 1);
	pin(1);
	model("montecito event event=8,count=200");
	while (back < 20 && now() < end)
		back += ring_take(&r);
	ksft_test_result(n == 10 && back == 20 && event_read(r.fd).value == 200,
			 "a processor goes and comes back: %d samples of 10, then %d of 20\n", n,
			 back);
	pin(0);
	ring_close(&r);
}

int main(void)
{
	model_init();
	ksft_print_header();
	pin(0);
	model("montecito judge reset");
	sample_rate(RATE);
	test_exact();
	test_long();
	test_change();
	test_jitter();
	test_pages();
	test_dear();
	test_iear();
	test_branches();
	test_branches_away();
	test_user_regs(1000);
	test_ip_ear();
	test_raw();
	test_two();
	test_accesses();
	test_frequency();
	test_crowd();
	test_hotplug();
	ksft_test_result_skip("throttling takes perf_event_overflow(): on ia64 alone\n");
	ksft_test_result_skip("equal events of two tasks take sched_task(): on ia64 alone\n");
	ksft_test_result(judge_silent(), "nothing to object to the samples\n");
	ksft_set_plan(ksft_test_num());
	ksft_finished();
}
