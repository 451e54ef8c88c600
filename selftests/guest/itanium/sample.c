// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampling with the itanium PMU on the model: N overflows give N samples, and what
 * each capture unit has is in them. cases/itanium has every bit of a record.
 */
#include <sys/ioctl.h>

#include "guest/itanium/ring.h"

static void test_exact(void)
{
	struct perf_event_attr attr = sample_attr(0x08, 7);
	struct ring r = ring_open(&attr);
	uint64_t period = 10;
	int k, before, after, bad = 0;

	model("montecito event event=8,count=706");
	before = ring_take(&r);
	for (k = 0; k < before; k++)
		bad += samples[k].period != 7;
	if (ioctl(r.fd, PERF_EVENT_IOC_PERIOD, &period))
		before = -1;
	/* A changed period starts from its beginning. */
	model("montecito event event=8,count=109");
	after = ring_take(&r);
	ksft_test_result(before == 100 && after == 10 && !bad && event_read(r.fd).value == 815,
			 "700 events with period 7 give %d samples, 100 with period 10 give %d\n",
			 before, after);
	ring_close(&r);
}

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
			 "the pages' addresses of an Itanium with :u give %d sample\n", nr_samples);
	ring_close(&r);
}

static void test_dear(void)
{
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
		      (samples[k].misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
		      PERF_RECORD_MISC_USER;
	ksft_test_result(n == 50 && ok, "50 misses of the data cache are %d samples with their addresses\n",
			 n);

	k = read_file(PMU "/ear_dropped");
	model("montecito dear latency=40,ip=0x404010,data=8,vl=0,count=3");
	n = ring_take(&r);
	ksft_test_result(n == 0 && read_file(PMU "/ear_dropped") == k + 3,
			 "records without an instruction are dropped and counted\n");
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

	model("montecito branch ip=0x400100,slot=2,to=0x400200"
	      " branch ip=0x400210,slot=1,to=0x400300,target_ok=0"
	      " branch ip=0x400310,taken=0,to=0 event event=8");
	ring_take(&r);
	ksft_test_result(nr_samples == 1 && samples[0].nr == 2 &&
			 branch_is(0, 0x400211, 0x400300, true) &&
			 branch_is(1, 0x400102, 0x400200, false),
			 "a branch stack has the newest branch first, with its target\n");

	/* The second overflow is the first thing after the first one's interrupt. */
	model("montecito branch ip=0x400100,to=0x400200 event event=8 event event=8");
	ring_take(&r);
	ksft_test_result(nr_samples == 2 && samples[0].nr == 1 && samples[1].nr == 0,
			 "a branch stack has no branch from before the last sample\n");
	ring_close(&r);

	r = branch_ring(0x08, PERF_SAMPLE_BRANCH_ANY_RETURN);
	model("montecito branch ip=0x400100,to=0x400200,type=1"
	      " branch ip=0x400110,to=0x400210,type=2"
	      " branch ip=0x400120,to=0x400220,type=3 event event=8");
	ring_take(&r);
	ksft_test_result(nr_samples == 1 && samples[0].nr == 1 &&
			 branch_is(0, 0x400110, 0x400210, false), "a branch stack of any_ret has returns only\n");
	ring_close(&r);
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

int main(void)
{
	model_init();
	ksft_print_header();
	pin(0);
	model("montecito checker reset");
	sample_rate(RATE);
	test_exact();
	test_pages();
	test_dear();
	test_branches();
	test_frequency();
	ksft_test_result(checker_silent(), "the protocol checker objects to no sample\n");
	ksft_set_plan(ksft_test_num());
	ksft_finished();
}
