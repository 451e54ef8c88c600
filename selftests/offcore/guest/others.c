// SPDX-License-Identifier: GPL-2.0-only
/*
 * others kernel|direct: offcore_rsp beside another user of the counters
 * in the kernel, /extra/offcore_holder.ko, and counters that wrap.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest.h"
#include "lib/model.h"
#include "lib/offcore.h"

static unsigned int counters;	/* of a CPU */
static unsigned int width;	/* of a counter */

static __attribute__((format(printf, 1, 2))) bool shell(const char *fmt, ...)
{
	char line[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	return !system(line);
}

static void hold(const char *fmt, unsigned long long value)
{
	char what[64];

	snprintf(what, sizeof(what), fmt, value);
	if (!shell("insmod /extra/offcore_holder.ko %s", what))
		ksft_exit_fail_msg("the holder does not load: %s\n", what);
}

static void let_go(void)
{
	if (!shell("rmmod offcore_holder"))
		ksft_exit_fail_msg("the holder does not unload\n");
}

static uint64_t reg(const char *name, unsigned int i)
{
	char full[32];
	uint64_t value;

	snprintf(full, sizeof(full), "%s%u", name, i);
	if (!offcore_reg(0, full, &value))
		ksft_exit_fail_msg("no register %s\n", full);
	return value;
}

/* What the holder's counters count goes on whatever we do. */
static bool holders_count(unsigned int mask, unsigned int expect)
{
	bool good = true;

	for (unsigned int i = 0; i < counters; i++) {
		if (!(mask & 1u << i) || reg("PMC", i) == 0x1000 + expect)
			continue;
		ksft_print_msg("the holder's counter %u has %#llx, and not %#x\n",
			       i, (unsigned long long)reg("PMC", i),
			       0x1000 + expect);
		good = false;
	}
	return good;
}

static void misses(unsigned int count)
{
	pin(0);
	model("core-pmu event cpu=0,event=0x2e,umask=0x41,count=%u", count);
}

/* Two counters are somebody else's: events use the other two, and no more. */
static void test_some_held(int log)
{
	int fd[3];
	uint64_t enabled = 0, running = 0;
	char last[256];
	bool good = true;

	hold("ctrs=%#llx", 0x5);
	misses(5);
	for (int i = 0; i < 2; i++)
		fd[i] = offcore_open("dmnd_data_rd,local_dram", 0,
				     i ? fd[0] : -1);
	fd[2] = offcore_try("dmnd_data_rd,local_dram", 0, fd[0]);
	ksft_test_result(fd[2] == -EINVAL &&
			 kmsg_has(log, "more events than there are free counters (2)",
				  last, sizeof(last)),
			 "a group of more events than free counters is refused\n");
	fd[2] = offcore_open("dmnd_data_rd,local_dram", 0, -1);
	local_dram(0, "dmnd_data_rd", 50);
	misses(6);
	usleep(50000);
	close(fd[2]);
	{
		uint64_t counts[2];
		struct uncore_times t;

		uncore_read_group(fd[0], 2, counts, &t);
		enabled = t.enabled;
		running = t.running;
		good = counts[0] <= 50 && counts[1] == counts[0];
	}
	ksft_test_result(good && running && running <= enabled,
			 "events count on the counters that are left\n");
	good = !shell("insmod /extra/offcore_holder.ko ctrs=0x2 2> /dev/null");
	ksft_test_result(good && shell("[ -d /sys/module/offcore_holder ]"),
			 "nobody can reserve a counter that is in use\n");
	close(fd[1]);
	close(fd[0]);
	misses(7);
	ksft_test_result(holders_count(0x5, 18) && !reg("PERFEVTSEL", 1) &&
			 !reg("PERFEVTSEL", 3),
			 "the other user's counters were left alone\n");
	let_go();
}

static void test_selects_held(void)
{
	int fd;

	/* All event selects but that of counter 2 */
	hold("selects=%#llx", (1ull << counters) - 1 - 4);
	fd = offcore_open("dmnd_data_rd,local_dram", 0, -1);
	local_dram(0, "dmnd_data_rd", 44);
	ksft_test_result(uncore_read(fd) == 44 && reg("PERFEVTSEL", 2),
			 "the one free counter is found\n");
	close(fd);
	let_go();
	hold("ctrs=%#llx", (1ull << counters) - 1);
	ksft_test_result(holders_count((1u << counters) - 1, 0),
			 "nothing stays reserved after the last event\n");
	let_go();
}

static void test_all_held(int log)
{
	uint64_t before;
	char last[256];
	int fd;

	hold("ctrs=%#llx", (1ull << counters) - 1);
	before = offcore_writes(false);
	fd = offcore_try("dmnd_data_rd,local_dram", 0, -1);
	ksft_test_result(fd == -EBUSY && offcore_writes(false) == before &&
			 kmsg_has(log, "counters are reserved by somebody else",
				  last, sizeof(last)),
			 "without a free counter an event is refused, with the reason\n");
	let_go();
	fd = offcore_open("dmnd_data_rd,local_dram", 0, -1);
	local_dram(0, "dmnd_data_rd", 45);
	ksft_test_result(uncore_read(fd) == 45,
			 "and taken when the others have gone\n");
	close(fd);
}

static void write_ctrl(uint64_t value)
{
	int msr = open("/dev/cpu/0/msr", O_WRONLY);

	if (msr < 0 || pwrite(msr, &value, sizeof(value), 0x38f) != sizeof(value))
		ksft_exit_fail_msg("IA32_PERF_GLOBAL_CTRL: %s\n", strerror(errno));
	close(msr);
}

static uint64_t read_ctrl(void)
{
	uint64_t value;

	if (!offcore_reg(0, "GLOBAL_CTRL", &value))
		ksft_exit_fail_msg("no register GLOBAL_CTRL\n");
	return value;
}

/*
 * IA32_PERF_GLOBAL_CTRL is everybody's: others have counters 0 and 2 and the
 * fixed ones on, and ours are off until they are needed.
 */
static void test_ctrl(void)
{
	const uint64_t ours = ((1ull << counters) - 1) & ~5ull;
	const uint64_t fixed = 7ull << 32, others = fixed | 5;
	uint64_t before = read_ctrl(), got;
	int fd;

	hold("ctrs=%#llx", 0x5);
	write_ctrl(others);
	fd = offcore_open("dmnd_data_rd,local_dram", 0, -1);
	local_dram(0, "dmnd_data_rd", 46);
	misses(7);
	got = uncore_read(fd);
	ksft_test_result(got == 46 && read_ctrl() == (others | ours),
			 "counters that were off are put on: %llu of 46, %#llx\n",
			 (unsigned long long)got,
			 (unsigned long long)read_ctrl());
	/* Somebody else lets go of a fixed counter meanwhile. */
	write_ctrl(read_ctrl() & ~(1ull << 33));
	close(fd);
	ksft_test_result((read_ctrl() & ~ours) == (others & ~(1ull << 33)),
			 "and the others' bits stay as they are: %#llx\n",
			 (unsigned long long)read_ctrl());
	write_ctrl(others | ours);
	fd = offcore_open("dmnd_data_rd,local_dram", 0, -1);
	close(fd);
	ksft_test_result(read_ctrl() == (others | ours),
			 "what was on stays on: %#llx\n",
			 (unsigned long long)read_ctrl());
	ksft_test_result(holders_count(0x5, 7),
			 "the other user's counters ran all the time\n");
	write_ctrl(before);
	let_go();
}

/* A counter that goes over its end between two reads */
static void test_wrap(void)
{
	uint64_t end = 1ull << width;
	int fd = offcore_open("dmnd_data_rd,local_dram", 0, -1);
	unsigned int i;
	uint64_t got;

	for (i = 0; i < counters && !reg("PERFEVTSEL", i); i++)
		;
	pin(0);
	model("core-pmu set cpu=0,ctr=%u,value=%#llx", i,
	      (unsigned long long)(end - 10));
	got = uncore_read(fd);
	local_dram(0, "dmnd_data_rd", 25);
	ksft_test_result(got == end - 10 && uncore_read(fd) == end + 15,
			 "a counter of %u bits counts on over its end\n", width);
	close(fd);
}

/* Nobody reads, and the counter goes round more than once. */
static void test_poll(void)
{
	uint64_t expect = 0, got;
	int fd;

	if (width > 32) {
		ksft_test_result_skip("a counter of %u bits takes hours to wrap\n",
				      width);
		return;
	}
	fd = offcore_open("dmnd_data_rd,local_dram", 0, -1);
	/* 32 bits are looked at every 0.54 s. */
	for (int i = 0; i < 3; i++) {
		local_dram(0, "dmnd_data_rd", 4000000000u);
		expect += 4000000000u;
		usleep(1100000);
	}
	got = uncore_read(fd);
	ksft_test_result(got == expect,
			 "a counter that wraps between reads: %llu of %llu\n",
			 (unsigned long long)got, (unsigned long long)expect);
	close(fd);
}

struct held {
	unsigned long long count, enabled, running;
};

static struct held held(void)
{
	char *text = read_text("/sys/module/offcore_holder/parameters/counts");
	struct held h;

	if (!text || sscanf(text, "%llu %llu %llu", &h.count, &h.enabled,
			    &h.running) != 3)
		ksft_exit_fail_msg("the holder says nothing\n");
	free(text);
	return h;
}

/* A kernel counter of another module: one allocator for it and for ours */
static void test_kernel_counter(void)
{
	static const char *const others[] = {
		"dmnd_rfo,local_dram", "wb,local_dram",
	};
	int fd[3] = { -1, -1, -1 };
	unsigned int waited = 0;
	struct held h;
	uint64_t a, b;

	pin(0);
	hold("rsp=%#llx", offcore_value("dmnd_data_rd,local_dram"));
	fd[0] = offcore_open("dmnd_data_rd,local_dram", 0, -1);
	if (regs > 1)
		fd[1] = offcore_open(others[0], 0, -1);
	local_dram(0, "dmnd_data_rd", 111);
	local_dram(0, "dmnd_rfo", 222);
	h = held();
	a = uncore_read(fd[0]);
	b = regs > 1 ? uncore_read(fd[1]) : 222;
	ksft_test_result(h.count == 111 && h.enabled == h.running && a == 111 &&
			 b == 222,
			 "a kernel counter and an event of its value share a register: %llu and %llu of 111\n",
			 h.count, (unsigned long long)a);
	close(fd[0]);
	close(fd[1]);
	let_go();

	hold("rsp=%#llx", offcore_value("dmnd_data_rd,local_dram"));
	for (unsigned int i = 0; i < regs; i++)
		fd[i] = offcore_open(others[i], 0, -1);
	for (int k = 0; k < 100; k++) {
		local_dram(0, "dmnd_data_rd", 1);
		usleep(2000);
	}
	h = held();
	a = 0;
	for (unsigned int i = 0; i < regs; i++) {
		struct offcore_reading r = offcore_reading(fd[i]);

		waited += r.t.running < r.t.enabled;
		a += r.count;
		close(fd[i]);
	}
	/* The kernel counter's owner alone can see that it waited. */
	ksft_test_result(!a && h.count && h.count <= 100 &&
			 h.running <= h.enabled &&
			 waited + (h.running < h.enabled),
			 "with one value too many they take turns: the kernel counter has %llu of 100 in %llu%% of the time, as only its owner can see\n",
			 h.count, h.running * 100 / h.enabled);
	let_go();
}

int main(int argc, char **argv)
{
	const char *answer;
	int log;

	ksft_print_header();
	offcore_init(argc, argv);
	/* CPUID leaf 0xa */
	{
		uint32_t eax = 0xa, ebx, ecx = 0, edx;

		asm volatile("cpuid" : "+a" (eax), "=b" (ebx), "+c" (ecx), "=d" (edx));
		counters = eax >> 8 & 0xff;
		width = eax >> 16 & 0xff;
	}
	ksft_print_msg("%u counters of %u bits\n", counters, width);
	log = kmsg_open();
	if (direct) {
		test_some_held(log);
		test_selects_held();
		test_all_held(log);
		test_ctrl();
		test_wrap();
		test_poll();
	} else {
		test_kernel_counter();
	}
	close(log);
	ksft_test_result(!model_try(&answer, "core-pmu judge"),
			 "the judge has nothing to say\n");
	if (*answer)
		ksft_print_msg("%s", answer);
	ksft_set_plan(ksft_test_num());
	ksft_finished();
}
