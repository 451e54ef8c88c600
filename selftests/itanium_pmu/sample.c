// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampling with the itanium PMU: N overflows give N samples, and what each capture unit has is in
 * them. tests/drivers/itanium has every bit of a record.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <time.h>

#include "ring.h"

static char array[1 << 20] __attribute__((aligned(4096)));

static void test_exact(void)
{
	struct perf_event_attr attr = loop_attr(LOADS);
	uint64_t period = 10;
	int k, before, after, bad = 0;
	struct ring r;

	attr.sample_period = 7;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
	r = ring_open(&attr);
	loads(706);
	before = ring_take(&r);
	for (k = 0; k < before; k++)
		bad += samples[k].period != 7;
	if (ioctl(r.fd, PERF_EVENT_IOC_PERIOD, &period))
		before = -1;
	/* A changed period starts from its beginning. */
	loads(109);
	after = ring_take(&r);
	test_result(before == 100 && after == 10 && !bad && event_read(r.fd).value == 815,
		    "700 events with period 7 give 100 samples, 100 with period 10 give 10 | %d and %d\n",
		    before, after);
	ring_close(&r);
}

static struct ring ear_ring(uint64_t config)
{
	struct perf_event_attr attr = loop_attr(config);

	attr.sample_period = 1;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT;
	return ring_open(&attr);
}

static void test_dear(void)
{
	struct ring r = ear_ring(0xc8 | EAR(1, 2));
	bool ok = true;
	int k, n;

	load_lines(array, 50);
	n = ring_take(&r);
	for (k = 0; k < n; k++)
		ok &= samples[k].ip == (uintptr_t)work_start &&
		      samples[k].addr == (uintptr_t)array + LINE * k &&
		      samples[k].weight == 200 &&
		      (samples[k].misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
		      PERF_RECORD_MISC_USER;
	test_result(n == 50 && ok, "50 misses of the data cache are 50 samples with their addresses | %d\n",
		    n);
	ring_close(&r);
}

/* Branches of the last sample, of which @right says whether it is from and to the right places */
static int branches(bool (*right)(uint64_t from, uint64_t to))
{
	const struct sample *s = &samples[nr_samples - 1];
	int n = 0;
	unsigned int i;

	for (i = 0; nr_samples && i < s->nr; i++) {
		unsigned long long from = s->branch[i].from, to = s->branch[i].to;

		n += right(from, to);
		if (!right(from, to))
			ksft_print_msg("branch %u of %llu: %#llx to %#llx\n", i, s->nr, from, to);
	}
	return n;
}

static bool of_loop(uint64_t from, uint64_t to)
{
	return from == (uintptr_t)work_start + 2 && to == (uintptr_t)work_start;
}

static bool not_of_loop(uint64_t from, uint64_t to)
{
	return !of_loop(from, to);
}

static void test_branches(void)
{
	struct perf_event_attr attr = loop_attr(LOADS);
	struct ring r;
	int n;

	attr.sample_period = 100;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	r = ring_open(&attr);
	loads(100);
	ring_take(&r);
	n = branches(of_loop);
	test_result(nr_samples == 1 && n >= 7 && (unsigned int)n == samples[0].nr,
		    "a branch stack has the last branches | %d of the loop\n", n);
	ring_close(&r);

	/* The range is of what is recorded, too. */
	attr.config = LOADS;
	attr.config1 = 0;
	attr.config2 = 0;
	attr.exclude_kernel = 1;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY_RETURN;
	r = ring_open(&attr);
	calls(200);
	ring_take(&r);
	n = branches(not_of_loop);
	test_result(nr_samples && n && (unsigned int)n == samples[nr_samples - 1].nr,
		    "a branch stack of any_ret has returns, and no other branch | %d\n", n);
	ring_close(&r);
}

/* perf record -k: perf takes clocks that are not safe in NMIs if the PMU has none. */
static void test_clocks(void)
{
	static const int clocks[] = { CLOCK_REALTIME, CLOCK_BOOTTIME, CLOCK_TAI };
	struct perf_event_attr attr = sample_attr(0x08, 1000);
	int i, fd, refused = 0;

	attr.use_clockid = 1;
	for (i = 0; i < ARRAY(clocks); i++) {
		attr.clockid = clocks[i];
		fd = event_open(&attr, 0, -1, -1);
		refused += fd < 0;
		close(fd);
	}
	test_result(!refused, "samples have the times of any clock | %d refused\n", refused);
}

/* With a frequency perf finds the period. None is counted twice. */
static void test_frequency(void)
{
	struct perf_event_attr attr = loop_attr(LOADS);
	unsigned long long sum = 0, first = 0, last = 0, value;
	double end = now() + 60;
	struct ring r;
	int i, n = 0;

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
	attr.freq = 1;
	attr.sample_freq = 100;
	r = ring_open(&attr);
	while ((n < 10 || last == first) && now() < end) {
		loads(1000);
		ring_take(&r);
		for (i = 0; i < nr_samples; i++) {
			last = samples[i].period;
			sum += last;
			if (!n++)
				first = last;
		}
	}
	value = event_read(r.fd).value;
	test_result(n >= 10 && last != first && sum <= value,
		    "100 samples a second asked for | %d, period %llu to %llu, %llu of %llu events\n",
		    n, first, last, sum, value);
	ring_close(&r);
}

#ifdef __ia64__
/* On an Itanium: each kind of event with its work, and a check of its samples */
static void run_lines(void)
{
	work(sizeof(array) / 256, array, 256);
}

static void run_odd(void)
{
	odd_work(sizeof(array) / LINE, array);
}

/* Opening a file takes many functions of the kernel. */
static void run_kernel(void)
{
	int i;

	for (i = 0; i < 20; i++)
		read_file(PMU "/type");
}

static bool is_loop(uint64_t ip)
{
	return ip - (uintptr_t)work_start < BUNDLE;
}

static bool in_array(uint64_t addr)
{
	return addr - (uintptr_t)array < sizeof(array);
}

static bool of_data(const struct sample *s)
{
	return is_loop(s->ip) && in_array(s->addr);
}

/* The kernel's instruction is in the line whose address is the sample's. */
static bool of_code(const struct sample *s)
{
	return (long long)s->ip < 0 && s->ip >> 5 == s->addr >> 5;
}

/* Each step goes from a bundle of the loop to the next, which is the same one. */
static bool of_steps(const struct sample *s)
{
	unsigned int i, loop = 0;

	for (i = 0; i < s->nr; i++)
		loop += is_loop(s->branch[i].from) && is_loop(s->branch[i].to);
	return s->nr > 8 && loop + 2 >= s->nr;
}

/* The load, in slot 0 of the loop's second bundle */
static bool of_odd_load(const struct sample *s)
{
	return s->ip == (uintptr_t)odd_start + BUNDLE && s->weight >= 4 && in_array(s->addr) &&
	       !(s->addr % LINE);
}

/* The branches, in slot 2; the last of them may be of what is around the loop. */
static bool of_odd_branches(const struct sample *s)
{
	unsigned int i, loop = 0;

	for (i = 0; i < s->nr; i++)
		loop += s->branch[i].from == (uintptr_t)odd_start + BUNDLE + 2 &&
			s->branch[i].to == (uintptr_t)odd_start;
	return s->nr >= 4 && loop == s->nr;
}

static void test_itanium(void)
{
	static const struct {
		const char *what;
		uint64_t config, period, type;
		void (*run)(void);
		bool (*right)(const struct sample *s);
	} kinds[] = {
		{ "loads that missed a TLB", 0xc8 | EAR(2, 2), 4, PERF_SAMPLE_ADDR, run_lines,
		  of_data },
		{ "code of the kernel that missed", 0x43 | EAR(4, 0x40), 16, PERF_SAMPLE_ADDR,
		  run_kernel, of_code },
		{ "instructions before an overflow", 0x08 | EAR(6, 0), 1000,
		  PERF_SAMPLE_BRANCH_STACK, run_lines, of_steps },
		{ "loads of the second bundle of a pair", 0xc8 | EAR(1, 0), 16,
		  PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT, run_odd, of_odd_load },
		{ "branches of the second bundle of a pair", 0x08, 1000,
		  PERF_SAMPLE_BRANCH_STACK, run_odd, of_odd_branches },
	};
	int i, k, right;

	for (i = 0; i < ARRAY(kinds); i++) {
		struct perf_event_attr attr = event_attr(kinds[i].config);
		struct ring r;

		attr.exclude_kernel = kinds[i].run != run_kernel;
		attr.exclude_user = !attr.exclude_kernel;
		attr.sample_period = kinds[i].period;
		attr.sample_type = PERF_SAMPLE_IP | kinds[i].type;
		if (kinds[i].type & PERF_SAMPLE_BRANCH_STACK)
			attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
		r = ring_open(&attr);
		kinds[i].run();
		ioctl(r.fd, PERF_EVENT_IOC_DISABLE, 0);
		ring_take(&r);
		for (k = 0, right = 0; k < nr_samples; k++)
			right += kinds[i].right(&samples[k]);
		/* The first and the last sample may be from around the loop. */
		test_result(nr_samples > 4 && right + 2 >= nr_samples, "%s | %d samples, %d right\n",
			    kinds[i].what, nr_samples, right);
		ring_close(&r);
	}
}

static void run_yield(void)
{
	sched_yield();
	usleep(1000);
}

/* Call chains of the kernel begin with the sample's instruction, where that was captured, too. */
static void test_chains(void)
{
	static const struct {
		const char *what;
		uint64_t config, period;
		unsigned int max, least, most;	/* addresses */
		void (*run)(void);
		bool user, software;
	} kinds[] = {
		{ "callers", 0x08, 5000, 127, 4, 127, run_kernel, false, false },
		{ "no more callers than perf wants", 0x08, 5000, 3, 3, 3, run_kernel, false,
		  false },
		{ "callers of code that was captured", 0x43 | EAR(4, 0x40), 16, 127, 4, 127,
		  run_kernel, false, false },
		{ "no callers of a program", LOADS, 100, 127, 1, 1, run_lines, true, false },
		{ "no callers of a tracepoint", PERF_COUNT_SW_CONTEXT_SWITCHES, 1, 127, 1, 1,
		  run_yield, false, true },
	};
	int i, k;

	for (i = 0; i < ARRAY(kinds); i++) {
		struct perf_event_attr attr = event_attr(kinds[i].config);
		unsigned long long most = 0, right = 0, b;
		struct ring r;

		if (kinds[i].software)
			attr.type = PERF_TYPE_SOFTWARE;
		attr.exclude_user = !kinds[i].software && !kinds[i].user;
		attr.exclude_kernel = kinds[i].user;
		attr.exclude_callchain_user = !kinds[i].user;
		attr.sample_period = kinds[i].period;
		attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
		attr.sample_max_stack = kinds[i].max;
		r = ring_open(&attr);
		kinds[i].run();
		ioctl(r.fd, PERF_EVENT_IOC_DISABLE, 0);
		ring_take(&r);
		for (k = 0; k < nr_samples; k++) {
			const struct sample *s = &samples[k];
			bool ok = s->nr_ips > 1 && s->ips[1] == s->ip &&
				  s->ips[0] == (kinds[i].user ? PERF_CONTEXT_USER :
								PERF_CONTEXT_KERNEL);

			for (b = 1; b < s->nr_ips && b < ARRAY(s->ips); b++)
				ok &= (s->ips[b] < USER_TOP) == kinds[i].user;
			right += ok;
			most = s->nr_ips > most ? s->nr_ips : most;
		}
		/* The first word is PERF_CONTEXT_KERNEL. */
		test_result(right && (int)right == nr_samples && most > kinds[i].least &&
			    most <= kinds[i].most + 1,
			    "%s: samples of its addresses | %d samples, %llu right, of %llu addresses at most\n",
			    kinds[i].what, nr_samples, right, most - 1);
		ring_close(&r);
	}
}

/* perf's signal for a sample arrives before the next one, and not at the next tick. */
static void test_signals(void)
{
	struct perf_event_attr attr = loop_attr(LOADS);
	struct timespec none = { 0 };
	struct ring r;
	sigset_t set;
	int i, n = 0;

	sigemptyset(&set);
	sigaddset(&set, SIGIO);
	sigprocmask(SIG_BLOCK, &set, NULL);
	attr.sample_period = 1024;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.wakeup_events = 1;
	r = ring_open(&attr);
	fcntl(r.fd, F_SETOWN, getpid());
	fcntl(r.fd, F_SETFL, O_ASYNC);
	for (i = 0; i < 64; i++) {
		loads(1024);
		n += sigtimedwait(&set, NULL, &none) == SIGIO;
	}
	test_result(n == 64, "signals come with their samples | %d of 64\n", n);
	ring_close(&r);
}

/* Both tasks have the same event, so that perf leaves it on when one follows the other. */
static void test_tasks(void)
{
	struct perf_event_attr attr = event_attr(LOADS);
	int i, k, both = 0, others = 0;
	unsigned int b;
	pid_t child;
	struct ring r;

	attr.inherit = 1;
	attr.exclude_kernel = 1;
	attr.sample_period = 50;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
	r = ring_open_on(&attr, 0, 0);
	child = fork();
	for (i = 0; i < 500; i++) {
		if (child)
			work(60, array, 0);
		else
			odd_work(60, array);
		sched_yield();
	}
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
	ring_take(&r);
	for (k = 0; k < nr_samples; k++) {
		bool mine = is_loop(samples[k].ip), seen = false;
		uintptr_t other = (uintptr_t)(mine ? odd_start : work_start);

		if (!mine && samples[k].ip - (uintptr_t)odd_start >= 2 * BUNDLE)
			continue;
		both |= mine ? 1 : 2;
		for (b = 0; b < samples[k].nr; b++)
			seen |= samples[k].branch[b].from - other < (mine ? 2 : 1) * BUNDLE;
		others += seen;
	}
	test_result(both == 3 && !others,
		    "two tasks with one event have branches of their own | %d samples, %d with the other's\n",
		    nr_samples, others);
	ring_close(&r);
}
#endif

int main(void)
{
	/* Pages that were never written are all the same one. */
	memset(array, 1, sizeof(array));
	begin(HAS_MODEL ? 6 : 18);
	sample_rate(RATE);
	test_exact();
	test_dear();
	test_branches();
	test_frequency();
	test_clocks();
#ifdef __ia64__
	test_itanium();
	test_chains();
	test_signals();
	test_tasks();
#endif
	finish();
}
