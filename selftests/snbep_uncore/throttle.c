// SPDX-License-Identifier: GPL-2.0-only
/*
 * A sampling event of another PMU leads a group, and each sample reads the group. perf throttles a
 * clock that samples too often: it stops the clock until the next tick, since 6.16 with the whole
 * group. The group has to resume. A tracepoint samples in the middle of the driver's register
 * writes. The uncore events must not lose counts.
 */
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include "api/model.h"
#include "api/ring.h"
#include "api/test.h"
#include "api/uncore.h"

#define PERCENT		"/proc/sys/kernel/perf_cpu_time_max_percent"
#define RATE		"/proc/sys/kernel/perf_event_max_sample_rate"
#define TRACING		"/sys/kernel/tracing"
#define ROUNDS		20
#define ROUND_NS	20000000

/* Keep the CPU busy: ticks unthrottle events, and an idle CPU has none. */
static void spin(void)
{
	uint64_t end = now_ns() + ROUND_NS;

	while (now_ns() < end)
		;
}

/* Return whether an event counts exactly in the group of @leader; a clock has to be throttled. */
static bool counts_beside(struct perf_event_attr leader, const char *box, const char *text)
{
	struct uncore_pmu *pmu = uncore_pmu(box);
	uint64_t expect = 0, counts[2] = { };
	bool clock = leader.type == PERF_TYPE_SOFTWARE;
	unsigned int i, n, total = 0;
	struct ring ring;
	int event;

	leader.size = sizeof(leader);
	leader.sample_type = PERF_SAMPLE_READ;
	leader.read_format = UNCORE_READ_FORMAT;
	uncore_pin(pmu->cpu[0]);
	ring = ring_open_on(&leader, -1, pmu->cpu[0]);
	event = uncore_open(pmu, text, 0, ring.fd);
	for (i = 1; counts[1] == expect && (i <= ROUNDS || (clock && !ring.unthrottles)); i++) {
		model("stim 0 %s %s,count=%u", box, text, i);
		expect += i;
		/* Without a restart of the group, samples stop for good. */
		do {
			ioctl(event, PERF_EVENT_IOC_DISABLE, 0);
			ioctl(event, PERF_EVENT_IOC_ENABLE, 0);
			spin();
			n = ring_take(&ring);
		} while (!n);
		total += n;
		uncore_read_group(ring.fd, 2, counts, NULL);
	}
	close(event);
	ring_close(&ring);
	ksft_print_msg("%u samples, throttled %u times, unthrottled %u times; counted %llu of %llu\n",
		       total, ring.throttles, ring.unthrottles, (unsigned long long)counts[1],
		       (unsigned long long)expect);
	return counts[1] == expect && (ring.throttles || !clock);
}

int main(void)
{
	struct perf_event_attr clock = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_period = 100000,
	}, write = { .type = PERF_TYPE_TRACEPOINT, .sample_period = 1 };
	char *rate = read_text(RATE), *percent = read_text(PERCENT), *id;

	test_begin("snbep_uncore_", "checker");
	test_needs_model();
	test_plan(3);
	uncore_init("snbep_uncore_");
	/* A few samples in each tick; the rate can be written only while there is a time limit. */
	write_text("25", PERCENT);
	if (!write_text("1000", RATE))
		ksft_exit_fail_msg("the sample rate cannot be set\n");
	ksft_test_result(counts_beside(clock, "cbox_0", "event=0x13,umask=0x01"),
			 "a group in MSR space with a throttled leader resumes and loses no counts\n");
	ksft_test_result(counts_beside(clock, "imc_0", "event=0x04,umask=0x03"),
			 "a group in PCI space with a throttled leader resumes and loses no counts\n");
	write_text(rate, RATE);
	write_text(percent, PERCENT);
	system("mount -t tracefs none " TRACING " 2> /dev/null");
	id = read_text(TRACING "/events/msr/write_msr/id");
	if (id) {
		write.config = atoi(id);
		ksft_test_result(counts_beside(write, "cbox_0", "event=0x13,umask=0x01"),
				 "an event that is read at each MSR write loses no counts\n");
	} else {
		ksft_test_result_skip("an event that is read at each MSR write (this kernel has no tracepoints)\n");
	}
	test_end();
}
