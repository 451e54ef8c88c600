// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampling with the itanium PMU: N overflows give N samples, and what each capture unit has is in
 * them. tests/drivers/itanium has every bit of a record.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <time.h>

#include "api/ring.h"
#include "itanium.h"

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
	begin(HAS_MODEL ? 1 : 8);
	sample_rate(RATE);
	test_exact();
#ifdef __ia64__
	test_itanium();
	test_signals();
	test_tasks();
#endif
	finish();
}
