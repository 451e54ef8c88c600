// SPDX-License-Identifier: GPL-2.0-only
/*
 * More than an Itanium is asked when it boots: filters, thresholds and event address registers, by
 * the driver as a module of a kernel for ia64, and what firmware says of the processor. It runs as
 * the first program on the emulated Itanium, where each count is known. As that of the initramfs,
 * which it has everything from but the tests, it has no C library.
 */
#include <asm/ptrace_offsets.h>
#include <linux/auxvec.h>
#include <linux/poll.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

#define boot_tests	tests_of_boot
#include "../../../itanium/ia64/boot/tests.c"
#undef boot_tests

/* Fields of perf_event_attr.config, as Documentation/itanium_pmu.rst has them */
#define BRANCH_EVENT	0x11UL
#define TAG(n)		((unsigned long)(n) << 8)
#define ABOVE(n)	((unsigned long)(n) << 12)
#define EAR(n)		((unsigned long)(n) << 20)
#define EAR_UMASK(n)	((unsigned long)(n) << 24)
#define FILTER(n)	((unsigned long)(n) << 40)
#define FINE		(1UL << 43)
#define ADDR_BITS(n)	((unsigned long)(n) << 44)
#define DATA_BITS(n)	((unsigned long)(n) << 50)
#define TAKEN_MASK(n)	((unsigned long)(n) << 56)

#define FILTER_OPCODE	FILTER(1)
#define FILTER_DATA	FILTER(4)
#define FILTER_BOTH	FILTER(6)

#define EAR_DATA_TLB	(0xc8UL | EAR(2) | EAR_UMASK(2))
#define EAR_CODE	(0x43UL | EAR(4) | EAR_UMASK(0x40))
#define EAR_IP		(0x08UL | EAR(6))

/* The loop's branch: major opcode 4, type 5, in a B slot; the other bits are ignored. */
#define CLOOP		(4UL << 37 | 5UL << 6)
#define CLOOP_IGNORED	(((1UL << 41) - 1) & ~(0xfUL << 37 | 7UL << 6))
#define SLOT_B		(1UL << 41)

#define LINE		64
#define STEP		8

static char data[1 << 20] __attribute__((aligned(4096)));

/*
 * void odd_work(unsigned long rounds, const void *from): work() again, in two bundles. Load and
 * branch are in the second one of a pair, which the monitors say with a bit of its own.
 */
void odd_work(unsigned long rounds, const void *from);
extern const char odd_start[];

__asm__(".pushsection .text\n"
	".align 64\n"
	".global odd_work\n"
	".global odd_start\n"
	".proc odd_work\n"
	"odd_work:\n"
	".prologue\n"
	"alloc r14 = ar.pfs, 2, 0, 0, 0\n"
	".save ar.lc, r15\n"
	"mov r15 = ar.lc\n"
	"adds r16 = -1, r32\n"
	".body\n"
	";;\n"
	"mov ar.lc = r16\n"
	"mov r17 = r33\n"
	";;\n"
	".align 32\n"
	"odd_start:\n"
	"{ .mii\n"
	"nop.m 0\n"
	"nop.i 0\n"
	"nop.i 0 ;;\n"
	"}\n"
	"{ .mib\n"
	"ld8 r18 = [r17], 128\n"
	"nop.i 0\n"
	"br.cloop.sptk.few odd_start ;;\n"
	"}\n"
	"mov ar.lc = r15\n"
	"br.ret.sptk.many b0\n"
	".endp odd_work\n"
	".popsection\n");

/* What is counted of so many rounds, each of which loads the next eight bytes */
static unsigned long count(unsigned long config, unsigned long config1, unsigned long config2,
			   unsigned long rounds)
{
	struct perf_event_attr attr = event(config);
	unsigned long n;
	long fd;

	attr.config1 = config1;
	attr.config2 = config2;
	attr.exclude_kernel = 1;
	fd = open_event(&attr, -1, -1);
	if (fd < 0)
		return -1UL;
	work(rounds, data, STEP);
	n = count_of(fd);
	sys(__NR_close, fd);
	return n;
}

static void test_count(const char *what, unsigned long config, unsigned long config1,
		       unsigned long config2, unsigned long least, unsigned long most)
{
	unsigned long n = count(config, config1, config2, ROUNDS);

	verdict(n >= least && n <= most, "%s: %d of %d to %d", what, n, least, most);
}

static void test_filters(void)
{
	unsigned long loop = (unsigned long)work_start, pair = 2 * WORK_BYTES;

	test_count("loads by the loop", LOADS | FILTER_CODE, loop, pair - 1, ROUNDS, ROUNDS);
	test_count("loads by other code", LOADS | FILTER_CODE, loop + 4096, pair - 1, 0, 0);
	/* The bundle in front of the range and the last one may count: one or two more in all */
	test_count("instructions of a range from bundle to bundle",
		   INSTRUCTIONS | FILTER_CODE | FINE, loop, loop + pair, WORK_INSNS * ROUNDS,
		   WORK_INSNS * ROUNDS + 6);
	test_count("instructions with an opcode", INSTRUCTIONS | FILTER_OPCODE, CLOOP | SLOT_B,
		   CLOOP_IGNORED, ROUNDS, ROUNDS + 4);
	test_count("loads from a line of data", LOADS | FILTER_DATA, (unsigned long)data + LINE,
		   LINE - 1, LINE / STEP, LINE / STEP);
	test_count("loads by the loop from a line", LOADS | FILTER_BOTH | ADDR_BITS(5) |
		   DATA_BITS(6), loop, (unsigned long)data + LINE, LINE / STEP, LINE / STEP);
	test_count("loads by other code from a line", LOADS | FILTER_BOTH | ADDR_BITS(5) |
		   DATA_BITS(6), loop + 4096, (unsigned long)data + LINE, 0, 0);
	test_count("an opcode of the third channel", INSTRUCTIONS | TAG(2) | FILTER_OPCODE,
		   CLOOP | SLOT_B, CLOOP_IGNORED, ROUNDS, ROUNDS + 4);
	test_count("cycles of more than two instructions", INSTRUCTIONS | ABOVE(2), 0, 0, ROUNDS,
		   ROUNDS + ROUNDS / 100);
	test_count("cycles of more than three", INSTRUCTIONS | ABOVE(3), 0, 0, 0, 0);
	test_count("branches that were taken", BRANCH_EVENT | TAKEN_MASK(2), 0, 0, ROUNDS - 1,
		   ROUNDS + 20);
	test_count("branches that were not", BRANCH_EVENT | TAKEN_MASK(1), 0, 0, 1, 20);
}

struct found {
	unsigned long samples, right, entries;
};

static void run_lines(void)
{
	work(sizeof(data) / 256, data, 256);
}

static void run_odd(void)
{
	odd_work(sizeof(data) / 128, data);
}

static void run_kernel(void)
{
	kernel_work(20);
}

/* Samples of the kernel, if that is run, or of a program; @right says whether one is. */
static struct found sample(unsigned long config, unsigned long period, unsigned long type,
			   void (*run)(void), bool (*right)(const unsigned long *word))
{
	bool kernel = run == run_kernel;
	struct perf_event_attr attr = event(config);
	struct found found = { 0, 0, 0 };
	/* Words that a kernel forgets to write are 0 then. */
	static struct ring ring;

	attr.exclude_kernel = !kernel;
	attr.exclude_user = kernel;
	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | type;
	attr.branch_sample_type = type & PERF_SAMPLE_BRANCH_STACK ?
				  PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY : 0;
	if (!ring_open(&ring, &attr))
		return found;
	run();
	ring_stop(&ring);
	while (ring_next(&ring)) {
		found.samples++;
		found.right += right(ring.word);
		if (type & PERF_SAMPLE_BRANCH_STACK)
			found.entries += ring.word[1];
	}
	ring_close(&ring);
	return found;
}

static bool of_data(const unsigned long *word)
{
	return in_loop(word[0]) && word[1] - (unsigned long)data < sizeof(data);
}

/* The kernel's instruction is in the line whose address is the sample's. */
static bool of_code(const unsigned long *word)
{
	return of_kernel(word[0]) && (word[0] & ~(LINE / 2 - 1UL)) == (word[1] & ~(LINE / 2 - 1UL));
}

/* Each step goes from a bundle of the loop to the next, which is the same one. */
static bool of_steps(const unsigned long *word)
{
	unsigned long i, loop = 0;

	for (i = 0; i < word[1]; i++)
		loop += in_loop(word[2 + 3 * i]) && in_loop(word[3 + 3 * i]);
	return word[1] > 8 && loop + 2 >= word[1];
}

/* The load, in slot 0 of the loop's second bundle */
static bool of_odd_load(const unsigned long *word)
{
	return word[0] == (unsigned long)odd_start + WORK_BYTES && word[2] >= 4 &&
	       word[1] - (unsigned long)data < sizeof(data) && !(word[1] & 127);
}

/* The branches, in slot 2; the last of them may be of what is around the loop. */
static bool of_odd_branches(const unsigned long *word)
{
	unsigned long i, loop = 0;

	for (i = 0; i < word[1]; i++)
		loop += word[2 + 3 * i] == (unsigned long)odd_start + WORK_BYTES + 2 &&
			word[3 + 3 * i] == (unsigned long)odd_start;
	return word[1] >= 4 && loop == word[1];
}

static void test_samples_of_ears(void)
{
	struct found f = sample(EAR_DATA_TLB, 4, PERF_SAMPLE_ADDR, run_lines, of_data);

	verdict(f.samples > 4 && f.right + 1 >= f.samples,
		"loads that missed a TLB: %d, %d of them the loop's", f.samples, f.right);
	f = sample(EAR_CODE, 16, PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT, run_kernel, of_code);
	verdict(f.samples > 16 && f.right == f.samples,
		"code of the kernel that missed: %d, %d right", f.samples, f.right);
	f = sample(EAR_IP, 1000, PERF_SAMPLE_BRANCH_STACK, run_lines, of_steps);
	verdict(f.samples > 8 && f.right + 2 >= f.samples && f.entries > 8 * f.samples,
		"instructions before an overflow: %d samples of %d steps, %d right", f.samples,
		f.entries, f.right);
	f = sample(DATA_EAR_LAT4, 16, PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT, run_odd, of_odd_load);
	verdict(f.samples > 16 && f.right + 1 >= f.samples,
		"loads of the second bundle of a pair: %d, %d right", f.samples, f.right);
	f = sample(INSTRUCTIONS, 1000, PERF_SAMPLE_BRANCH_STACK, run_odd, of_odd_branches);
	verdict(f.samples > 16 && f.right + 2 >= f.samples,
		"branches of the second bundle of a pair: %d samples of %d, %d right", f.samples,
		f.entries, f.right);
}

/* System calls are in the trace buffer, and no branches. */
static void test_calls(void)
{
	struct perf_event_attr attr = event(INSTRUCTIONS);
	unsigned long entries = 0, kernel = 0, calls = 0, i;
	static struct ring ring;

	/* An interrupt has instructions of its own. */
	attr.sample_period = 20011;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL |
				  PERF_SAMPLE_BRANCH_ANY;
	if (ring_open(&ring, &attr)) {
		for (i = 0; i < 2000; i++)
			sys(__NR_getpid);
		ring_stop(&ring);
		while (ring_next(&ring)) {
			for (i = 0; i < ring.word[1] && i < 16; i++) {
				bool from = of_kernel(ring.word[2 + 3 * i]);

				entries++;
				kernel += from;
				calls += from != of_kernel(ring.word[3 + 3 * i]);
			}
		}
		ring_close(&ring);
	}
	verdict(kernel && entries > kernel && !calls,
		"branches of both levels: %d, %d of the kernel, %d between the two", entries,
		kernel, calls);
}

/* All monitors are privileged ones: a program that reads them itself sees 0. */
static void test_privileged(void)
{
	struct perf_event_attr attr = event(CYCLES);
	unsigned long n, value, seen = 0;
	long fd;

	attr.exclude_kernel = 1;
	fd = open_event(&attr, -1, -1);
	work(ROUNDS, data, STEP);
	for (n = 4; n < 16; n++) {
		asm volatile("mov %0 = pmd[%1]" : "=r"(value) : "r"(n));
		seen |= value;
	}
	verdict(fd >= 0 && !seen && count_of(fd) >= ROUNDS, "a program reads 0 of a counter: %x",
		seen);
	sys(__NR_close, fd);
}

/* Sixteen events are multiplexed on twelve counters. */
static void test_turns(void)
{
	struct perf_event_attr attr = event(INSTRUCTIONS);
	unsigned long value[3], i, right = 0;
	long fd[16];

	attr.exclude_kernel = 1;
	for (i = 0; i < 16; i++)
		fd[i] = open_event(&attr, -1, -1);
	work(128 * ROUNDS, data, 0);
	for (i = 0; i < 16; i++) {
		/* Three instructions in ten nanoseconds, less what the kernel takes to turn */
		right += sys(__NR_read, fd[i], value, sizeof(value)) == sizeof(value) &&
			 value[2] < value[1] && 10 * value[0] <= 3 * value[2] &&
			 10 * value[0] > 2 * value[2];
		sys(__NR_close, fd[i]);
	}
	verdict(right == 16, "multiplexed events: %d of 16 have their share", right);
}

/* Files of /proc for which the kernel calls PAL */
static void test_firmware(void)
{
	static const char * const paths[] = {
		"bus_info", "cache_info", "frequency_info", "power_info",
		[4] = "processor_info", "register_info", "tr_info", "version_info", "vm_info",
	};
	unsigned long i, nr = sizeof(paths) / sizeof(paths[0]), good = 0;
	long dir = sys(__NR_openat, AT_FDCWD, "/proc/pal/cpu0", O_RDONLY | O_DIRECTORY, 0);

	for (i = 0; i < nr; i++) {
		long fd = sys(__NR_openat, dir, paths[i], O_RDONLY, 0), n, bytes = 0;

		while ((n = sys(__NR_read, fd, data, sizeof(data))) > 0)
			bytes += n;
		sys(__NR_close, fd);
		/* A processor without features that can be switched has nothing to say of them. */
		if (!n && (bytes || i == 4))
			good++;
		else
			print("# %s: %d bytes, %d\n", paths[i], bytes, n);
	}
	sys(__NR_close, dir);
	verdict(good == nr, "what PAL says of the processor: %d of %d pages", good, nr);
}

/* What boot.t types is there. */
static void test_console(void)
{
	struct pollfd console = { .fd = 0, .events = POLLIN };
	char line[16] = "";
	long n = 0;

	if (sys(__NR_poll, &console, 1, 5000) == 1)
		n = sys(__NR_read, 0, line, sizeof(line) - 1);
	verdict(n == 6 && line[0] == 't' && line[4] == 'd', "what is typed: %d characters", n);
}

/*
 * void fsys_work(unsigned long rounds, unsigned long gate): getpid() by way of the gate page, which
 * stays on the program's stack at the kernel's privilege level.
 */
void fsys_work(unsigned long rounds, unsigned long gate);

__asm__(".pushsection .text\n"
	".align 64\n"
	".global fsys_work\n"
	".proc fsys_work\n"
	"fsys_work:\n"
	"alloc r14 = ar.pfs, 2, 0, 0, 0\n"
	"1: mov r15 = 1041\n"		/* __NR_getpid */
	"mov b7 = r33\n"
	"mov r11 = ar.pfs\n"
	";;\n"
	"br.call.sptk.many b6 = b7\n"
	";;\n"
	"mov ar.pfs = r11\n"
	"adds r32 = -1, r32\n"
	";;\n"
	"cmp.ne p6, p0 = r0, r32\n"
	"(p6) br.cond.sptk.few 1b\n"
	"br.ret.sptk.many b0\n"
	".endp fsys_work\n"
	".popsection\n");

static unsigned long gate_page(void)
{
	unsigned long pair[2] = { 1, 0 };
	long fd = sys(__NR_openat, AT_FDCWD, "/proc/self/auxv", O_RDONLY, 0);

	while (pair[0] != AT_SYSINFO && sys(__NR_read, fd, pair, sizeof(pair)) == sizeof(pair))
		;
	sys(__NR_close, fd);
	return pair[1];
}

/* Events of the program count nothing of the kernel, not even in light system calls. */
static void test_light_calls(void)
{
	struct perf_event_attr attr = event(INSTRUCTIONS);
	unsigned long gate = gate_page(), nr = 0, kernel = 0;
	static struct ring ring;

	attr.exclude_kernel = 1;
	attr.sample_period = 61;
	attr.sample_type = PERF_SAMPLE_IP;
	if (gate && ring_open(&ring, &attr)) {
		fsys_work(20000, gate);
		ring_stop(&ring);
		while (ring_next(&ring)) {
			nr++;
			/* The gate page is the program's. */
			kernel += ring.word[0] >= 0xa000000000080000;
		}
		ring_close(&ring);
	}
	verdict(nr && !kernel, "light system calls: %d samples, %d of the kernel", nr, kernel);
}

static long open_range(int cpu)
{
	struct perf_event_attr attr = event(LOADS | FILTER_DATA);

	attr.config1 = (unsigned long)data;
	attr.config2 = LINE - 1;
	attr.inherit = 1;
	return sys(__NR_perf_event_open, &attr, cpu < 0 ? 0 : -1, cpu, -1, 0);
}

static long range_event(int cpu)
{
	long fd = open_range(cpu);

	if (fd >= 0)
		sys(__NR_close, fd);
	return fd < 0 ? fd : 0;
}

/* Only a breakpoint takes the breakpoint registers: from its task, and from CPU-wide events. */
static void test_debugger(void)
{
	/* The child inherits the event, too. It ends for both as they share their files. */
	long fd = open_range(-1);
	long child = sys(__NR_clone, SIGCHLD | CLONE_FILES, 0, 0, 0, 0);
	long looked, own, all, gone;
	unsigned long value = 0x1000;

	if (!child)
		for (;;)
			sys(__NR_poll, NULL, 0, -1);
	sys(__NR_close, fd);
	sys(__NR_ptrace, PTRACE_ATTACH, child, 0, 0);
	sys(__NR_wait4, child, NULL, 0, NULL);
	sys(__NR_ptrace, PTRACE_PEEKUSR, child, PT_DBR, 0);
	sys(__NR_ptrace, PTRACE_POKEUSR, child, PT_DBR, 0);
	looked = range_event(0);
	sys(__NR_ptrace, PTRACE_POKEUSR, child, PT_DBR, value);
	value = sys(__NR_ptrace, PTRACE_PEEKUSR, child, PT_DBR, 0);
	own = range_event(-1);
	all = range_event(0);
	sys(__NR_kill, child, SIGKILL);
	sys(__NR_wait4, child, NULL, 0, NULL);
	gone = range_event(0);
	verdict(child > 0 && value == 0x1000 && !looked && !own && all == -EBUSY && !gone,
		"ranges and a debugger: errors %d, %d, %d and %d", looked, own, all, gone);
}

int boot_tests(const char *module)
{
	unsigned long processor[16] = { 1 };
	long err;

	print("TAP version 13\n");
	test_console();
	test_firmware();
	sys(__NR_sched_setaffinity, 0, sizeof(processor), processor);
	write_to("/proc/sys/kernel/perf_cpu_time_max_percent", "0", 1);
	err = load(module);
	verdict(!err, "%s is loaded: error %d", module, -err);
	test_filters();
	test_samples_of_ears();
	test_calls();
	test_privileged();
	test_turns();
	test_light_calls();
	test_debugger();
	print("1..%d\n# %d passed, %d failed\n", (long)nr_tests, (long)(nr_tests - nr_failed),
	      (long)nr_failed);
	return !!nr_failed;
}
