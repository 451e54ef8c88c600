// SPDX-License-Identifier: GPL-2.0-only
/*
 * Tests for a machine with a Montecito, or an emulator: the module loads, counts, samples, unloads
 * and loads again. TAP goes to standard output.
 *
 * Without a C library: only system calls.
 */
#include <asm/signal.h>
#include <asm/unistd.h>
#include <linux/errno.h>
#include <linux/fcntl.h>
#include <linux/mman.h>
#include <linux/perf_event.h>
#include <linux/utsname.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "port.h"

#define PMU		"/sys/bus/event_source/devices/itanium"
#define ROUNDS		65536
#define RING_BYTES	65536
#define KERNEL_STAYS	(6 * 1000 + 2)	/* Before Linux 6.2, a PMU that has counted tasks stays. */

/* Fields of perf_event_attr.config, see Documentation/itanium_pmu.rst */
#define CYCLES		0x12
#define INSTRUCTIONS	0x08
#define LOADS		0xcd
#define DATA_EAR_LAT4	(0xc8 | 1 << 20)
#define FILTER_CODE	(2ULL << 40)

static unsigned int nr_tests, nr_failed;

static void put(const char *text, size_t n)
{
	while (n) {
		long done = sys(__NR_write, 1, text, n);

		if (done <= 0)
			return;
		text += done;
		n -= done;
	}
}

/* %s, %d (long, decimal), %x (unsigned long, hexadecimal) */
static void vprint(const char *format, va_list ap)
{
	char line[512], digits[24];
	size_t n = 0;

	for (; *format && n < sizeof(line) - sizeof(digits); format++) {
		const char *text;
		unsigned long v;
		int i = sizeof(digits) - 1, base = 10;
		bool minus = false;

		if (*format != '%') {
			line[n++] = *format;
			continue;
		}
		digits[i] = 0;
		format++;
		if (*format == 's') {
			text = va_arg(ap, const char *);
		} else {
			v = va_arg(ap, unsigned long);
			if (*format == 'x') {
				base = 16;
			} else if ((long)v < 0) {
				minus = true;
				v = -v;
			}
			do {
				digits[--i] = "0123456789abcdef"[v % base];
				v /= base;
			} while (v);
			if (minus)
				digits[--i] = '-';
			text = digits + i;
		}
		while (*text && n < sizeof(line) - sizeof(digits))
			line[n++] = *text++;
	}
	put(line, n);
}

static void print(const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	vprint(format, ap);
	va_end(ap);
}

static void verdict(bool ok, const char *format, ...)
{
	va_list ap;

	nr_tests++;
	nr_failed += !ok;
	print("%sok %d - ", ok ? "" : "not ", (long)nr_tests);
	va_start(ap, format);
	vprint(format, ap);
	va_end(ap);
	print("\n");
}

/* Number in a file, or a negative error */
static long number_in(const char *path)
{
	long fd = sys(__NR_openat, AT_FDCWD, path, O_RDONLY, 0);
	char text[32];
	long n, i, v = 0;

	if (fd < 0)
		return fd;
	n = sys(__NR_read, fd, text, sizeof(text));
	sys(__NR_close, fd);
	for (i = 0; i < n && text[i] >= '0' && text[i] <= '9'; i++)
		v = 10 * v + text[i] - '0';
	return n < 0 ? n : v;
}

static void write_to(const char *path, const char *text, size_t n)
{
	long fd = sys(__NR_openat, AT_FDCWD, path, O_WRONLY, 0);

	if (fd < 0 || sys(__NR_write, fd, text, n) != (long)n)
		print("# cannot write to %s\n", path);
	sys(__NR_close, fd);
}

/* Linux 6.1 is 6001. */
static long kernel_version(void)
{
	struct new_utsname name = { .release = "" };
	const char *p = name.release;
	long part[2] = { 0, 0 };
	int i;

	sys(__NR_uname, &name);
	for (i = 0; i < 2; i++, p++)
		for (; *p >= '0' && *p <= '9'; p++)
			part[i] = 10 * part[i] + *p - '0';
	print("# Linux %s, %s\n", name.release, name.machine);
	return 1000 * part[0] + part[1];
}

static long load(const char *module)
{
	long fd = sys(__NR_openat, AT_FDCWD, module, O_RDONLY, 0);
	long err = fd;

	if (fd >= 0) {
		err = sys(__NR_finit_module, fd, "", 0);
		sys(__NR_close, fd);
	}
	return err;
}

static long unload(void)
{
	return sys(__NR_delete_module, "itanium_pmu", O_NONBLOCK);
}

static struct perf_event_attr event(unsigned long config)
{
	return (struct perf_event_attr){
		.type = number_in(PMU "/type"),
		.size = PERF_ATTR_SIZE_VER5,
		.config = config,
		.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

/* @cpu: CPU, or -1 for this task on any CPU */
static long open_event(const struct perf_event_attr *attr, int cpu, long group)
{
	long fd = sys(__NR_perf_event_open, attr, cpu < 0 ? 0 : -1, cpu, group, 0);

	if (fd < 0)
		print("# event %x: error %d\n", attr->config, -fd);
	return fd;
}

static unsigned long count_of(long fd)
{
	unsigned long value[3] = { 0, 0, 0 };

	sys(__NR_read, fd, value, sizeof(value));
	return value[0];
}

/* Count of an event in and around some rounds of work */
static unsigned long count_work(struct perf_event_attr *attr, int cpu, unsigned long rounds)
{
	static char data[4096];
	long fd = open_event(attr, cpu, -1);
	unsigned long count;

	if (fd < 0)
		return 0;
	work(rounds, data, 0);
	count = count_of(fd);
	sys(__NR_close, fd);
	return count;
}

/* Within a thousandth, as some processors count instructions again after an interrupt. */
static bool near(unsigned long value, unsigned long wanted)
{
	unsigned long margin = wanted >> 10;

	return value + margin >= wanted && value <= wanted + margin;
}

/* Count per round of work, from the difference of two counts */
static void test_rounds(const char *what, unsigned long config, unsigned long each)
{
	struct perf_event_attr attr = event(config);
	unsigned long once, twice;

	attr.exclude_kernel = 1;
	once = count_work(&attr, -1, ROUNDS);
	twice = count_work(&attr, -1, 2 * ROUNDS);
	verdict(once && near(twice - once, each * ROUNDS),
		"a task's %s: %d rounds more are %d more, of %d", what, (long)ROUNDS,
		twice - once, each * ROUNDS);
}

static void test_processor(const char *when)
{
	struct perf_event_attr attr = event(INSTRUCTIONS);
	unsigned long count = count_work(&attr, 0, ROUNDS);

	verdict(count >= WORK_INSNS * ROUNDS,
		"a processor's instructions, %s: %d, %d of them known", when, count,
		(long)WORK_INSNS * ROUNDS);
}

/* Both count for the same time, and user and kernel counts differ. */
static void test_group(void)
{
	struct perf_event_attr attr = event(CYCLES);
	unsigned long user[3] = { 0, 0, 0 }, kernel[3] = { 0, 0, 0 };
	long leader, fd;

	attr.exclude_kernel = 1;
	leader = open_event(&attr, -1, -1);
	attr = event(INSTRUCTIONS);
	attr.exclude_user = 1;
	fd = open_event(&attr, -1, leader);
	if (leader >= 0 && fd >= 0) {
		work(ROUNDS, user, 0);
		kernel_work(10);
		sys(__NR_read, leader, user, sizeof(user));
		sys(__NR_read, fd, kernel, sizeof(kernel));
	}
	verdict(user[0] && kernel[0] && user[1] && user[1] == user[2] && kernel[1] == kernel[2],
		"a group: %d cycles of the program, %d instructions of the kernel", user[0],
		kernel[0]);
	sys(__NR_close, fd);
	sys(__NR_close, leader);
}

/* The program's code alone: the rounds, and at most a bundle at the end */
static void test_range(void)
{
	struct perf_event_attr attr = event(INSTRUCTIONS | FILTER_CODE);
	unsigned long count;

	attr.exclude_kernel = 1;
	attr.config1 = (unsigned long)work_start;
	attr.config2 = 2 * WORK_BYTES - 1;
	count = count_work(&attr, -1, ROUNDS);
	verdict(count >= WORK_INSNS * ROUNDS && near(count, WORK_INSNS * ROUNDS),
		"instructions in the range of a loop: %d of %d", count, (long)WORK_INSNS * ROUNDS);
}

struct ring {
	long fd;
	struct perf_event_mmap_page *page;
	unsigned long bytes, tail;
	/* A sample, whose contents depend on the event */
	unsigned long word[512];
};

static bool ring_open(struct ring *ring, const struct perf_event_attr *attr)
{
	long at;

	ring->fd = open_event(attr, -1, -1);
	if (ring->fd < 0)
		return false;
	ring->bytes = page_size + (page_size > RING_BYTES ? page_size : RING_BYTES);
	at = sys(__NR_mmap, 0, ring->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (at < 0 && at > -4096) {
		print("# no ring: error %d\n", -at);
		sys(__NR_close, ring->fd);
		return false;
	}
	ring->page = (void *)at;
	ring->tail = 0;
	return true;
}

static void ring_close(struct ring *ring)
{
	sys(__NR_munmap, ring->page, ring->bytes);
	sys(__NR_close, ring->fd);
}

/* Stop sampling first, as reading the ring executes instructions, too. */
static void ring_stop(struct ring *ring)
{
	sys(__NR_ioctl, ring->fd, PERF_EVENT_IOC_DISABLE, 0);
}

/* Copy the next sample to ring->word; returns false without one. */
static bool ring_next(struct ring *ring)
{
	const char *data = (char *)ring->page + page_size;
	unsigned long size = ring->bytes - page_size;
	unsigned long head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);

	while (ring->tail < head) {
		struct perf_event_header h;
		unsigned int i;

		/* A header does not wrap: records are multiples of eight bytes. */
		h = *(struct perf_event_header *)(data + (ring->tail & (size - 1)));
		for (i = sizeof(h); i < h.size && i < sizeof(ring->word); i++)
			((char *)ring->word)[i - sizeof(h)] = data[(ring->tail + i) & (size - 1)];
		ring->tail += h.size;
		if (h.type == PERF_RECORD_SAMPLE)
			return true;
	}
	return false;
}

/* Kernel addresses are in the upper half. */
static bool of_kernel(unsigned long addr)
{
	return (long)addr < 0;
}

static bool in_loop(unsigned long addr)
{
	return addr >= (unsigned long)work_start && addr < (unsigned long)work_start + WORK_BYTES;
}

/* As many samples as fit, most in the loop, none in the kernel, each the end of its call chain */
static void test_samples(void)
{
	struct perf_event_attr attr = event(INSTRUCTIONS);
	unsigned long nr = 0, loop = 0, kernel = 0, chains = 0;
	struct ring ring;

	attr.exclude_kernel = 1;
	attr.sample_period = ROUNDS * WORK_INSNS / 64;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	if (ring_open(&ring, &attr)) {
		work(ROUNDS, &attr, 0);
		ring_stop(&ring);
		while (ring_next(&ring)) {
			nr++;
			loop += in_work(ring.word[0]);
			kernel += of_kernel(ring.word[0]);
			chains += ring.word[1] >= 2 && ring.word[2] == PERF_CONTEXT_USER &&
				  ring.word[3] == ring.word[0];
		}
		ring_close(&ring);
	}
	verdict(nr >= 62 && nr <= 68 && loop + 4 >= nr && !kernel && chains == nr,
		"samples: %d of 64, %d in the loop, %d in the kernel, %d with a call chain", nr,
		loop, kernel, chains);
}

/* The kernel's function is several calls deep. */
static void test_kernel_samples(void)
{
	struct perf_event_attr attr = event(INSTRUCTIONS);
	unsigned long nr = 0, user = 0, deep = 0, i, contexts = 0;
	struct ring ring;

	if (!samples_of_kernel) {
		verdict(true, "samples of the kernel # SKIP no interrupt comes there");
		return;
	}
	attr.exclude_user = 1;
	attr.sample_period = 5000;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN;
	attr.exclude_callchain_user = 1;
	if (ring_open(&ring, &attr)) {
		kernel_work(200);
		ring_stop(&ring);
		while (ring_next(&ring)) {
			nr++;
			user += !of_kernel(ring.word[0]);
			contexts += ring.word[2] == PERF_CONTEXT_KERNEL;
			deep += ring.word[1] > 3;
			for (i = 1; i < ring.word[1] && i < 100; i++)
				user += !of_kernel(ring.word[2 + i]);
		}
		ring_close(&ring);
	}
	verdict(nr && !user && contexts == nr && deep,
		"samples of the kernel: %d, %d with callers, %d addresses of the program", nr, deep,
		user);
}

/* Words of a sample with PERF_SAMPLE_IP and PERF_SAMPLE_BRANCH_STACK: ip, number, entries */
static void test_branches(void)
{
	struct perf_event_attr attr = event(INSTRUCTIONS);
	unsigned long nr = 0, entries = 0, loop = 0, kernel = 0, i;
	struct ring ring;

	attr.exclude_kernel = 1;
	attr.sample_period = ROUNDS * WORK_INSNS / 64;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_ANY;
	if (ring_open(&ring, &attr)) {
		work(ROUNDS, &attr, 0);
		ring_stop(&ring);
		while (ring_next(&ring)) {
			nr++;
			for (i = 0; i < ring.word[1] && i < 16; i++) {
				unsigned long from = ring.word[2 + 3 * i];
				unsigned long to = ring.word[3 + 3 * i];

				entries++;
				kernel += of_kernel(from) || of_kernel(to);
				loop += in_loop(from) && to == (unsigned long)work_start;
			}
		}
		ring_close(&ring);
	}
	verdict(nr >= 62 && loop && loop + 16 >= entries && !kernel,
		"branches: %d in %d samples, %d of them the loop's, %d of the kernel", entries, nr,
		loop, kernel);
}

/* Loads that miss: each from another line of memory larger than a first-level cache */
static void test_data_ear(void)
{
	struct perf_event_attr attr = event(DATA_EAR_LAT4);
	unsigned long nr = 0, right = 0, misses, rounds = 4096, i;
	static char data[8 << 20];
	long step = sizeof(data) / rounds;
	struct ring ring;

	for (i = 0; i < sizeof(data); i += 4096)
		data[i] = 1;
	attr.exclude_kernel = 1;
	attr.sample_period = 16;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_ADDR | PERF_SAMPLE_WEIGHT;
	if (!ring_open(&ring, &attr)) {
		verdict(false, "data EAR: not opened");
		return;
	}
	work(rounds, data, step);
	ring_stop(&ring);
	while (ring_next(&ring)) {
		unsigned long offset = ring.word[1] - (unsigned long)data;

		nr++;
		/* There are few loads outside of the loop. */
		right += in_loop(ring.word[0]) && offset < sizeof(data) && !(offset & (step - 1)) &&
			 ring.word[2] >= 4;
	}
	misses = count_of(ring.fd);
	ring_close(&ring);
	if (!misses)
		verdict(true, "data EAR # SKIP this processor has no load that misses");
	else
		verdict(nr && nr <= misses / attr.sample_period && right + 4 >= nr,
			"data EAR: %d of %d loads that missed, %d of them the loop's", nr, misses,
			right);
}

/*
 * A signal for each sample arrives before the next sample, and not at the next tick: perf sends it
 * after the overflow interrupt.
 */
static void test_wakeups(void)
{
	struct perf_event_attr attr = event(INSTRUCTIONS);
	unsigned long set = 1UL << (SIGIO - 1), now[2] = { 0, 0 }, nr = 0, i;
	struct ring ring;

	attr.exclude_kernel = 1;
	attr.sample_period = 1024 * WORK_INSNS;
	attr.sample_type = PERF_SAMPLE_IP;
	attr.wakeup_events = 1;
	/* It stays pending until it is waited for. */
	sys(__NR_rt_sigprocmask, SIG_BLOCK, &set, NULL, sizeof(set));
	if (ring_open(&ring, &attr)) {
		sys(__NR_fcntl, ring.fd, F_SETOWN, sys(__NR_getpid));
		sys(__NR_fcntl, ring.fd, F_SETFL, FASYNC);
		for (i = 0; i < 64; i++) {
			work(1024, &attr, 0);
			nr += sys(__NR_rt_sigtimedwait, &set, NULL, now, sizeof(set)) == SIGIO;
		}
		ring_close(&ring);
	}
	verdict(nr == 64, "signals that come with their samples: %d of 64", nr);
}

/* Before Linux 6.2 the module stays once it has counted a task. */
static void test_unload_again(bool stays)
{
	long err = unload();

	if (stays)
		verdict(err == -EAGAIN, "after a task was counted the module stays: error %d",
			-err);
	else
		verdict(!err, "unloaded after a task was counted: error %d", -err);
}

int boot_tests(const char *module)
{
	unsigned long processor[16] = { 1 };
	bool stays;
	long err;

	print("TAP version 13\n");
	stays = kernel_version() < KERNEL_STAYS;
	/* Run on one CPU; a slow one may be late with interrupts. */
	sys(__NR_sched_setaffinity, 0, sizeof(processor), processor);
	write_to("/proc/sys/kernel/perf_cpu_time_max_percent", "0", 1);

	err = load(module);
	verdict(!err, "%s is loaded: error %d", module, -err);
	verdict(number_in(PMU "/type") > 0, "its PMU has a type: %d", number_in(PMU "/type"));
	test_processor("the first time");
	err = unload();
	verdict(!err && number_in(PMU "/type") < 0, "unloaded: error %d", -err);
	err = load(module);
	verdict(!err, "loaded again: error %d", -err);
	test_processor("the second time");
	test_rounds("instructions", INSTRUCTIONS, WORK_INSNS);
	test_rounds("loads", LOADS, 1);
	test_group();
	test_range();
	test_samples();
	test_kernel_samples();
	test_branches();
	test_data_ear();
	test_wakeups();
	test_unload_again(stays);
	print("1..%d\n# %d passed, %d failed\n", (long)nr_tests, (long)(nr_tests - nr_failed),
	      (long)nr_failed);
	return !!nr_failed;
}
