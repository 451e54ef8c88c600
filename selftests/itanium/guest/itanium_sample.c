// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sampling with the itanium PMU on the model: N overflows give N samples, and
 * what the address registers and the trace buffer captured is in them, with
 * the addresses, latencies and flags of the stimulus.
 */
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>

#include "itanium/guest/itanium.h"

#define PAGES	64
#define MAX	20000

struct sample {
	unsigned long long ip, addr, period, weight, src;
	unsigned long long nr;
	struct perf_branch_entry branch[16];
	uint16_t misc;
};

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
	uint64_t type;
};

static struct sample samples[MAX];
static int nr_samples, nr_throttled, nr_lost;

static struct ring ring_open_on(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	struct ring r = { .type = attr->sample_type };

	r.fd = event_open(attr, pid, cpu, -1);
	if (r.fd < 0) {
		printf("Bail out! %#llx: %s\n", attr->config, strerror(errno));
		exit(1);
	}
	r.page = mmap(NULL, (PAGES + 1) * 4096, PROT_READ | PROT_WRITE,
		      MAP_SHARED, r.fd, 0);
	if (r.page == MAP_FAILED) {
		printf("Bail out! mmap: %s\n", strerror(errno));
		exit(1);
	}
	return r;
}

static struct ring ring_open(struct perf_event_attr *attr)
{
	return ring_open_on(attr, 0, -1);
}

static void ring_close(struct ring *r)
{
	munmap(r->page, (PAGES + 1) * 4096);
	close(r->fd);
}

static void copy(struct ring *r, uint64_t pos, void *to, size_t n)
{
	const char *data = (char *)r->page + r->page->data_offset;
	size_t i;

	for (i = 0; i < n; i++)
		((char *)to)[i] = data[(pos + i) % r->page->data_size];
}

static uint64_t word(uint64_t **p)
{
	return *(*p)++;
}

/* In the order of perf_event.h's PERF_RECORD_SAMPLE */
static void parse(struct ring *r, uint64_t *p, uint16_t misc)
{
	struct sample *s = &samples[nr_samples];

	if (nr_samples == MAX)
		return;
	nr_samples++;
	memset(s, 0, sizeof(*s));
	s->misc = misc;
	if (r->type & PERF_SAMPLE_IP)
		s->ip = word(&p);
	if (r->type & PERF_SAMPLE_ADDR)
		s->addr = word(&p);
	if (r->type & PERF_SAMPLE_PERIOD)
		s->period = word(&p);
	if (r->type & PERF_SAMPLE_BRANCH_STACK) {
		s->nr = word(&p);
		memcpy(s->branch, p, s->nr * sizeof(*s->branch));
		p += s->nr * sizeof(*s->branch) / 8;
	}
	if (r->type & PERF_SAMPLE_WEIGHT)
		s->weight = word(&p);
	if (r->type & PERF_SAMPLE_DATA_SRC)
		s->src = word(&p);
}

/* Take what is in the ring. Return: the number of samples. */
static int ring_take(struct ring *r)
{
	uint64_t head = __atomic_load_n(&r->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = r->page->data_tail;
	uint64_t record[4096 / 8];

	nr_samples = 0;
	nr_throttled = 0;
	nr_lost = 0;
	while (tail < head) {
		struct perf_event_header h;

		copy(r, tail, &h, sizeof(h));
		copy(r, tail, record, h.size < sizeof(record) ? h.size : sizeof(record));
		if (h.type == PERF_RECORD_SAMPLE)
			parse(r, record + 1, h.misc);
		else if (h.type == PERF_RECORD_THROTTLE)
			nr_throttled++;
		else if (h.type == PERF_RECORD_LOST)
			nr_lost++;
		tail += h.size;
	}
	__atomic_store_n(&r->page->data_tail, tail, __ATOMIC_RELEASE);
	return nr_samples;
}

static struct perf_event_attr sample_attr(uint64_t config, uint64_t period)
{
	struct perf_event_attr attr = event_attr(config);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR |
			   PERF_SAMPLE_PERIOD | PERF_SAMPLE_WEIGHT |
			   PERF_SAMPLE_DATA_SRC;
	return attr;
}

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
		tap(got == 100 && ok &&
		    event_read(r.fd).value == (uint64_t)n + periods[i] - 1,
		    "period %d: %d samples of 100, %llu counted", periods[i],
		    got, (unsigned long long)event_read(r.fd).value);
		ring_close(&r);
	}
}

static bool src_is(uint64_t src, uint64_t op, uint64_t lvl, uint64_t tlb)
{
	union perf_mem_data_src s = { .val = src };

	return s.mem_op == op && s.mem_lvl == lvl && s.mem_dtlb == tlb &&
	       s.mem_lock == PERF_MEM_LOCK_NA && s.mem_snoop == PERF_MEM_SNOOP_NA;
}

#define L1_MISS	(PERF_MEM_LVL_L1 | PERF_MEM_LVL_MISS)

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
		      src_is(samples[k].src, PERF_MEM_OP_LOAD, L1_MISS, PERF_MEM_TLB_NA) &&
		      (samples[k].misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
		      PERF_RECORD_MISC_USER;
	tap(n == 50 && ok, "data EAR: ip %#llx addr %#llx weight %llu src %#llx",
	    samples[n - 1].ip, samples[n - 1].addr, samples[n - 1].weight, samples[n - 1].src);

	model("montecito dear latency=16,ip=0xffffffff81000030,bundle1=1,slot=1,data=0xffff888000000008");
	n = ring_take(&r);
	tap(n == 1 && samples[0].ip == 0xffffffff81000031 &&
	    samples[0].addr == 0xffff888000000008 &&
	    (samples[0].misc & PERF_RECORD_MISC_CPUMODE_MASK) ==
	    PERF_RECORD_MISC_KERNEL, "data EAR: kernel, second bundle: ip %#llx",
	    samples[0].ip);

	model("montecito dear latency=100000,ip=0x404010,data=8");
	n = ring_take(&r);
	tap(n == 1 && samples[0].weight == 0x1fff,
	    "data EAR: a latency that overflowed is the largest");

	k = pmu_file("ear_dropped");
	model("montecito dear latency=40,ip=0x404010,data=8,vl=0,count=3");
	n = ring_take(&r);
	tap(n == 0 && pmu_file("ear_dropped") == k + 3,
	    "data EAR: records without an instruction are dropped and counted");
	ring_close(&r);

	attr = sample_attr(0xc8 | EAR(2, 0xe), 1);
	r = ring_open(&attr);
	for (k = 0; k < ARRAY(levels); k++) {
		model("montecito dear mode=1,hit=%d,ip=0x404000,data=0x7000", levels[k].hit);
		n = ring_take(&r);
		tap(n == 1 && samples[0].addr == 0x7000 && samples[0].ip == 0x404000 &&
		    !samples[0].weight &&
		    src_is(samples[0].src, PERF_MEM_OP_LOAD | PERF_MEM_OP_STORE,
			   PERF_MEM_LVL_NA, levels[k].tlb),
		    "data EAR: TLB level %d: src %#llx", levels[k].hit,
		    samples[0].src);
	}
	ring_close(&r);

	attr = sample_attr(0xc8 | EAR(3, 0), 1);
	r = ring_open(&attr);
	model("montecito dear mode=2,ip=0x404020,slot=1,data=0x7000");
	n = ring_take(&r);
	tap(n == 1 && samples[0].ip == 0x404021 && !samples[0].addr,
	    "data EAR: ALAT has no data address");
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
	tap(n == 5 && samples[4].ip == 0x404020 && samples[4].addr == 0x404020 &&
	    samples[4].weight == 77 &&
	    src_is(samples[4].src, PERF_MEM_OP_EXEC, L1_MISS, PERF_MEM_TLB_NA),
	    "instruction EAR: %d samples of 5, line %#llx", n, samples[0].ip);
	ring_close(&r);

	attr = sample_attr(0x43 | EAR(5, 7), 1);
	r = ring_open(&attr);
	model("montecito iear mode=1,hit=2,ip=0x404040");
	n = ring_take(&r);
	tap(n == 1 && samples[0].ip == 0x404040 && !samples[0].weight &&
	    src_is(samples[0].src, PERF_MEM_OP_EXEC, PERF_MEM_LVL_NA,
		   PERF_MEM_TLB_WK | PERF_MEM_TLB_HIT),
	    "instruction EAR: TLB");
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
	printf("# branch %d of %d: %#llx to %#llx mispred %d\n", i,
	       (int)samples[0].nr, b->from, b->to, (int)b->mispred);
	return false;
}

static void test_branches(void)
{
	struct ring r = branch_ring(0x08, PERF_SAMPLE_BRANCH_ANY);
	bool ok;
	int k;

	model("montecito branch ip=0x400100,slot=2,to=0x400200");
	model("montecito branch ip=0x400210,slot=1,bundle1=1,to=0x400300,target_ok=0");
	model("montecito branch ip=0x400310,taken=0,to=0");
	model("montecito event event=8");
	ring_take(&r);
	tap(nr_samples == 1 && samples[0].nr == 2 &&
	    branch_is(0, 0x400211, 0x400300, true) &&
	    branch_is(1, 0x400102, 0x400200, false),
	    "branches: the newest first, with their targets");

	model("montecito branch ip=0x400100,to=0x400200,next=1");
	model("montecito branch ip=0x400200,slot=1,to=0x400300,path_ok=0");
	model("montecito event event=8");
	ring_take(&r);
	tap(nr_samples == 1 && samples[0].nr == 2 &&
	    branch_is(0, 0x400201, 0x400300, true) &&
	    branch_is(1, 0x400100, 0x400200, false),
	    "branches: the target is a branch itself");

	/* 16 entries hold eight branches; these are more. */
	for (k = 0; k < 20; k++)
		model("montecito branch ip=%#x,to=%#x", 0x400000 + 0x100 * k,
		      0x500000 + 0x100 * k);
	model("montecito event event=8");
	ring_take(&r);
	ok = nr_samples == 1 && samples[0].nr == 8;
	for (k = 0; ok && k < 8; k++)
		ok = branch_is(k, 0x400000 + 0x100 * (19 - k),
			       0x500000 + 0x100 * (19 - k), false);
	tap(ok, "branches: the last eight of twenty");

	model("montecito event event=8");
	ring_take(&r);
	tap(nr_samples == 1 && samples[0].nr == 0,
	    "branches: none since the last sample");
	ring_close(&r);

	r = branch_ring(0x08, PERF_SAMPLE_BRANCH_ANY_RETURN);
	model("montecito branch ip=0x400100,to=0x400200,type=1");
	model("montecito branch ip=0x400110,to=0x400210,type=2");
	model("montecito branch ip=0x400120,to=0x400220,type=3");
	model("montecito event event=8");
	ring_take(&r);
	tap(nr_samples == 1 && samples[0].nr == 1 &&
	    branch_is(0, 0x400110, 0x400210, false), "branches: returns only");
	ring_close(&r);

	r = branch_ring(0x08, PERF_SAMPLE_BRANCH_IND_CALL);
	model("montecito branch ip=0x400110,to=0x400210,type=2");
	model("montecito branch ip=0x400120,to=0x400220,type=3");
	model("montecito event event=8");
	ring_take(&r);
	tap(nr_samples == 1 && samples[0].nr == 1 &&
	    branch_is(0, 0x400120, 0x400220, false), "branches: indirect only");
	ring_close(&r);
}

static void test_ip_ear(void)
{
	struct ring r = branch_ring(0x12 | EAR(6, 0) | 16ULL << 32,
				    PERF_SAMPLE_BRANCH_ANY);
	bool ok;
	int k;

	for (k = 0; k < 30; k++)
		model("montecito retire ip=%#x,cycles=%d", 0x400000 + 0x10 * k,
		      k == 28 ? 63 : k % 4 + 1);
	model("montecito event event=0x12");
	ring_take(&r);
	/* One of sixteen is the frozen one, which is not to be trusted. */
	ok = nr_samples == 1 && samples[0].nr == 14;
	for (k = 0; ok && k < 14; k++) {
		const struct perf_branch_entry *b = &samples[0].branch[k];
		uint64_t to = 0x400000 + 0x10 * (29 - k);

		ok = b->to == to && b->from == to - 0x10 &&
		     b->cycles == (29 - k == 28 ? 63 : (29 - k) % 4 + 1);
	}
	tap(ok, "IP-EAR: %d steps of 14, from %#llx to %#llx in %d cycles",
	    (int)samples[0].nr, samples[0].branch[0].from,
	    samples[0].branch[0].to, (int)samples[0].branch[0].cycles);
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
	tap(na == 300 && nb == 200, "two events that overflow together: %d and %d",
	    na, nb);
	ring_close(&ra);
	ring_close(&rb);
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

/* Far more overflows than perf takes, and then some that it has to take */
static void test_throttle(int seconds)
{
	struct perf_event_attr attr = sample_attr(0x08, 1);
	struct ring r = ring_open(&attr);
	double end = now() + seconds;
	long asked = 0, got = 0, throttled = 0, before, after;
	int i;

	while (now() < end) {
		model("montecito event event=8,count=5000");
		asked += 5000;
		got += ring_take(&r);
		throttled += nr_throttled;
	}
	/* Whoever was throttled starts again with the tick. */
	usleep(100000);
	before = event_read(r.fd).value;
	for (i = 0; i < 10; i++) {
		model("montecito event event=8,count=1");
		usleep(2000);
	}
	after = ring_take(&r);
	tap(throttled && got > 1000 && after == 10 &&
	    event_read(r.fd).value == (uint64_t)before + 10,
	    "%ld overflows in %d s: %ld samples, %ld times throttled, then %ld of 10",
	    asked, seconds, got, throttled, after);
	ring_close(&r);
}

static void test_frequency(void)
{
	struct perf_event_attr attr = sample_attr(0x12, 0);
	double end = now() + 2;
	struct ring r;
	int n = 0;

	attr.freq = 1;
	attr.sample_freq = 100;
	r = ring_open(&attr);
	while (now() < end) {
		model("montecito event event=0x12,count=1000");
		n += ring_take(&r);
	}
	/* On a busy host the loop is slow, and perf adapts to that late. */
	tap(n > 10 && n < 1000, "a hundred samples a second are asked for: %d in 2 s",
	    n);
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
	tap(!bad, "four tasks on one processor, 500 samples each: %d wrong", bad);
}

/*
 * What one overflow costs: PMC0 and the counter, each read and written, and
 * the capture registers that hold what is asked for. Others' accesses to the
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
		{ "a counter", 0x08, "event event=8", 2, 2 },
		/* PMD32, 33 and 36 read; 33 and 36 cleared */
		{ "data EAR", 0xc8 | EAR(1, 0), "dear latency=9,ip=64,data=8", 5, 4 },
		/* No PMD32 */
		{ "data EAR, ALAT", 0xc8 | EAR(3, 0), "dear mode=2,ip=64", 4, 4 },
		/* PMD34 and 35 read; 34 cleared */
		{ "instruction EAR", 0x43 | EAR(4, 0xff), "iear latency=9,ip=64", 4, 3 },
		/* PMD34 only */
		{ "instruction EAR, TLB", 0x43 | EAR(5, 7), "iear mode=1,ip=64", 3, 3 },
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
		tap(fd >= 0 && reads == cases[i].reads && writes == cases[i].writes,
		    "an overflow of %s: %d registers read, %d written", cases[i].what,
		    reads, writes);
		close(fd);
	}
}

static void online(const char *what)
{
	int fd = open("/sys/devices/system/cpu/cpu1/online", O_WRONLY);

	if (fd < 0 || write(fd, what, 1) != 1) {
		printf("Bail out! processor 1: %s\n", strerror(errno));
		exit(1);
	}
	close(fd);
}

/* A processor that was gone counts and interrupts again. */
static void test_hotplug(void)
{
	struct perf_event_attr attr = sample_attr(0x08, 10);
	struct ring r = ring_open_on(&attr, -1, 1);
	int n, back;

	model("montecito cpu=1 event event=8,count=100");
	usleep(50000);
	n = ring_take(&r);
	online("0");
	model("montecito cpu=1 event event=8,count=100");
	usleep(50000);
	n += ring_take(&r) * 1000;
	ring_close(&r);
	online("1");
	r = ring_open_on(&attr, -1, 1);
	model("montecito cpu=1 event event=8,count=200");
	usleep(50000);
	back = ring_take(&r);
	tap(n == 10 && back == 20 && event_read(r.fd).value == 200,
	    "a processor goes and comes back: %d samples of 10, then %d of 20", n,
	    back);
	ring_close(&r);
}

int main(int argc, char **argv)
{
	model_init();
	pin(0);
	model("montecito judge reset");
	test_exact();
	test_dear();
	test_iear();
	test_branches();
	test_ip_ear();
	test_two();
	test_accesses();
	test_frequency();
	test_crowd();
	test_hotplug();
	test_throttle(argc > 1 ? atoi(argv[1]) : 10);
	tap(judge_silent(), "nothing to object to the samples");
	return tap_done();
}
