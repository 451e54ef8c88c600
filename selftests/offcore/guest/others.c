// SPDX-License-Identifier: GPL-2.0-only
/*
 * others direct: offcore_rsp beside another user of the counters in the kernel,
 * /extra/offcore_holder.ko, and beside who writes IA32_PERF_GLOBAL_CTRL; and counters
 * that wrap between two reads.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest.h"
#include "lib/model.h"
#include "lib/offcore.h"

#define HOLDER		"/extra/offcore_holder.ko"

static unsigned int counters;	/* of a CPU */
static unsigned int width;	/* of a counter */

static void hold(unsigned int ctrs)
{
	char line[64];

	snprintf(line, sizeof(line), "insmod " HOLDER " ctrs=%u", ctrs);
	if (system(line))
		ksft_exit_fail_msg("the holder does not load: %s\n", line);
}

static void let_go(void)
{
	if (system("rmmod offcore_holder"))
		ksft_exit_fail_msg("the holder does not unload\n");
}

static uint64_t reg(const char *fmt, unsigned int i)
{
	char name[32];
	uint64_t value;

	snprintf(name, sizeof(name), fmt, i);
	if (!offcore_reg(0, name, &value))
		ksft_exit_fail_msg("no register %s\n", name);
	return value;
}

static void write_ctrl(uint64_t value)
{
	int msr = open("/dev/cpu/0/msr", O_WRONLY);

	if (msr < 0 || pwrite(msr, &value, sizeof(value), 0x38f) != sizeof(value))
		ksft_exit_fail_msg("IA32_PERF_GLOBAL_CTRL: %s\n", strerror(errno));
	close(msr);
}

/*
 * Counters 0 and 2 and the fixed ones are others', and on; the rest is off until an
 * event needs it. Somebody stops a fixed counter while the events count.
 */
static void test_some_held(int log)
{
	const uint64_t ours = ((1ull << counters) - 1) & ~5ull, others = 7ull << 32 | 5;
	uint64_t before = reg("GLOBAL_CTRL", 0), counts[2];
	struct uncore_times t;
	char last[256];
	int a, b;

	hold(5);
	write_ctrl(others);
	a = offcore_open("dmnd_data_rd,local_dram", 0, -1);
	b = offcore_open("dmnd_data_rd,local_dram", 0, a);
	ksft_test_result(offcore_try("dmnd_data_rd,local_dram", 0, a) == -EINVAL &&
			 kmsg_has(log, "more events than there are free counters (2)",
				  last, sizeof(last)),
			 "a group of more events than free counters is refused\n");
	local_dram(0, "dmnd_data_rd", 50);
	model("core-pmu event cpu=0,event=0x2e,umask=0x41,count=18");
	uncore_read_group(a, 2, counts, &t);
	ksft_test_result(counts[0] == 50 && counts[1] == 50 && t.running == t.enabled &&
			 reg("GLOBAL_CTRL", 0) == (others | ours),
			 "events count on the counters that others leave\n");
	ksft_test_result(system("insmod " HOLDER " ctrs=2 2> /dev/null"),
			 "nobody can reserve a counter that is in use\n");
	write_ctrl(reg("GLOBAL_CTRL", 0) & ~(1ull << 33));
	close(b);
	close(a);
	ksft_test_result((reg("GLOBAL_CTRL", 0) & ~ours) == (others & ~(1ull << 33)) &&
			 reg("PMC%u", 0) == 0x1000 + 18 && reg("PMC%u", 2) == 0x1000 + 18 &&
			 !reg("PERFEVTSEL%u", 1) && !reg("PERFEVTSEL%u", 3),
			 "others' counters and global control bits are left alone\n");
	let_go();
	write_ctrl(before);
}

static void test_all_held(int log)
{
	uint64_t before;
	char last[256];
	int fd;

	/* All of them: the last event has left none reserved */
	hold((1u << counters) - 1);
	before = offcore_writes();
	fd = offcore_try("dmnd_data_rd,local_dram", 0, -1);
	ksft_test_result(fd == -EBUSY && offcore_writes() == before &&
			 kmsg_has(log, "counters are reserved by other users",
				  last, sizeof(last)),
			 "without a free counter an event is refused, with the reason\n");
	let_go();
	fd = offcore_open("dmnd_data_rd,local_dram", 0, -1);
	local_dram(0, "dmnd_data_rd", 45);
	ksft_test_result(uncore_read(fd) == 45, "an event counts once others let go\n");
	close(fd);
}

/* Nobody reads, and the counter wraps more than once. */
static void test_poll(void)
{
	const uint64_t step = width > 32 ? 45 : 4000000000u;
	int fd = offcore_open("dmnd_data_rd,local_dram", 0, -1);
	uint64_t got;

	/* 32 bits are polled every 0.54 s; 48 would take hours. */
	for (int i = 0; i < 3; i++) {
		local_dram(0, "dmnd_data_rd", step);
		usleep(width > 32 ? 0 : 1100000);
	}
	got = uncore_read(fd);
	ksft_test_result(got == 3 * step,
			 "a counter of %u bits that nobody reads: %llu of %llu\n", width,
			 (unsigned long long)got, (unsigned long long)(3 * step));
	close(fd);
}

int main(int argc, char **argv)
{
	uint32_t eax = 0xa, ebx, ecx = 0, edx;
	const char *answer;
	int log;

	ksft_print_header();
	offcore_init(argc, argv);
	if (!direct)
		ksft_exit_fail_msg("this is about the driver's own counters\n");
	asm volatile("cpuid" : "+a" (eax), "=b" (ebx), "+c" (ecx), "=d" (edx));
	counters = eax >> 8 & 0xff;
	width = eax >> 16 & 0xff;
	pin(0);
	log = kmsg_open();
	test_some_held(log);
	test_all_held(log);
	test_poll();
	close(log);
	ksft_test_result(!model_try(&answer, "core-pmu judge"),
			 "the protocol checker has nothing to say\n");
	if (*answer)
		ksft_print_msg("%s", answer);
	ksft_set_plan(ksft_test_num());
	ksft_finished();
}
