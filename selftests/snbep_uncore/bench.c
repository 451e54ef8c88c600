// SPDX-License-Identifier: GPL-2.0-only
/*
 * bench: cost of single operations on an uncore PMU in instructions and register accesses. Prints a
 * line for each operation: name, reads, writes, those of both through I/O ports, those
 * memory-mapped, and instructions, separated by tabs. Needs a time stamp counter that counts
 * instructions (QEMU's -icount shift=0).
 */
#include <sys/ioctl.h>
#include <x86intrin.h>

#include "kselftest.h"
#include "api/model.h"
#include "api/uncore.h"

#define REPEATS	32

enum operation { OPEN, CLOSE, ENABLE, DISABLE, READ, OPERATIONS };

static const char *const names[OPERATIONS] = {
	[OPEN] = "open, counting",
	[CLOSE] = "close, counting",
	[ENABLE] = "enable",
	[DISABLE] = "disable",
	[READ] = "read()",
};

static void turn(int fd, unsigned long request)
{
	if (ioctl(fd, request, 0))
		ksft_exit_fail_perror("bench: ioctl");
}

/* Time one operation alone; returns instructions. */
static uint64_t once(enum operation op, struct perf_event_attr *attr, struct accesses *n)
{
	uint64_t value, start, end;
	int fd = -1;

	attr->disabled = op == ENABLE;
	if (op != OPEN)
		fd = uncore_open_attr(attr, 0, -1);
	if (op == DISABLE) {
		turn(fd, PERF_EVENT_IOC_DISABLE);
		turn(fd, PERF_EVENT_IOC_ENABLE);
	}
	model("accesses reset");

	start = __rdtsc();
	switch (op) {
	case OPEN:
		fd = uncore_open_attr(attr, 0, -1);
		break;
	case CLOSE:
		close(fd);
		break;
	case ENABLE:
		turn(fd, PERF_EVENT_IOC_ENABLE);
		break;
	case DISABLE:
		turn(fd, PERF_EVENT_IOC_DISABLE);
		break;
	default:
		if (read(fd, &value, sizeof(value)) != sizeof(value))
			ksft_exit_fail_perror("bench: read");
	}
	end = __rdtsc();
	*n = model_accesses();
	if (op != CLOSE)
		close(fd);
	return end - start;
}

static void measure(const char *box, enum operation op, struct perf_event_attr *attr)
{
	uint64_t fewest = UINT64_MAX, instructions;
	struct accesses least = { }, n;
	int i;

	for (i = 0; i < REPEATS; i++) {
		instructions = once(op, attr, &n);
		if (instructions < fewest)
			fewest = instructions;
		if (!i || n.reads + n.writes < least.reads + least.writes)
			least = n;
	}
	printf("%s, %s\t%lu\t%lu\t%lu\t%lu\t%lu\n", box, names[op], least.reads,
	       least.writes, least.ports, least.mapped, fewest);
}

int main(void)
{
	static const struct {
		const char *box;
		uint64_t config;
	} boxes[] = {
		{ "cbox_0", 0x0000 },	/* clockticks: any counter, no filter */
		{ "imc_0", 0x0304 },	/* reads and their prefetches */
		{ "pcu", 0x0000 },
	};
	size_t i;
	int op;

	if (!model_present())
		ksft_exit_skip("counts accesses and instructions of the emulated machine\n");
	uncore_init("uncore_");
	uncore_pin(0);
	for (i = 0; i < ARRAY_SIZE(boxes); i++) {
		struct perf_event_attr attr = {
			.type = uncore_pmu(boxes[i].box)->type, .size = sizeof(attr),
			.config = boxes[i].config,
		};

		for (op = 0; op < OPERATIONS; op++)
			measure(boxes[i].box, op, &attr);
	}
	return 0;
}
