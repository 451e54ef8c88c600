// SPDX-License-Identifier: GPL-2.0-only
/*
 * traced direct: an event in a group whose leader is the kernel's tracepoint for
 * writes of MSRs. Each sample reads the event, in the middle of what the driver
 * does on this CPU: it must not wait for a lock that its own CPU holds, and counts
 * stay exact.
 */
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kselftest.h"
#include "lib/offcore.h"

#define TERMS		"dmnd_data_rd,local_dram"
#define ROUNDS		40
#define RING_PAGES	8

static int open_trace(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
		.sample_period = 1, .sample_type = PERF_SAMPLE_READ,
		.read_format = UNCORE_READ_FORMAT, .disabled = 1,
	};
	char *id;
	int fd;

	system("mount -t tracefs none /sys/kernel/tracing 2> /dev/null");
	id = read_text("/sys/kernel/tracing/events/msr/write_msr/id");
	if (!id)
		ksft_exit_fail_msg("the kernel has no tracepoint msr:write_msr\n");
	attr.config = atoi(id);
	fd = uncore_open_attr(&attr, 0, -1);
	if (fd < 0)
		ksft_exit_fail_msg("msr:write_msr: %s\n", strerror(-fd));
	return fd;
}

int main(int argc, char **argv)
{
	unsigned int good = 0, expect = 0, i;
	struct perf_event_mmap_page *ring;
	struct offcore_reading r;
	int trace, member, other;
	uint64_t counts[2];

	ksft_print_header();
	offcore_init(argc, argv);
	if (!direct)
		ksft_exit_fail_msg("this is about the driver's own counters\n");
	ksft_set_plan(3);
	pin(0);
	trace = open_trace();
	member = offcore_open(TERMS, 0, trace);
	/* One that is only read takes no notice of who does so. */
	ring = mmap(NULL, (1 + RING_PAGES) * sysconf(_SC_PAGESIZE), PROT_READ,
		    MAP_SHARED, trace, 0);
	if (ring == MAP_FAILED)
		ksft_exit_fail_msg("the ring is not mapped\n");
	ioctl(trace, PERF_EVENT_IOC_ENABLE, 0);
	other = offcore_open(TERMS, 0, -1);
	for (i = 1; i <= ROUNDS; i++) {
		local_dram(0, "dmnd_data_rd", i);
		expect += i;
		r = offcore_reading(other);
		good += r.count == expect;
		ioctl(other, PERF_EVENT_IOC_DISABLE, 0);
		ioctl(other, PERF_EVENT_IOC_ENABLE, 0);
		close(offcore_open(TERMS, 0, -1));
	}
	uncore_read_group(trace, 2, counts, NULL);
	ksft_test_result(good == ROUNDS, "%u of %u reads of another event are exact\n",
			 good, ROUNDS);
	ksft_test_result(counts[1] == expect, "the member of the group counted %llu of %u\n",
			 (unsigned long long)counts[1], expect);
	ksft_test_result(counts[0] >= ROUNDS && ring->data_head,
			 "%llu writes of MSRs were sampled\n",
			 (unsigned long long)counts[0]);
	close(other);
	close(member);
	close(trace);
	ksft_finished();
}
