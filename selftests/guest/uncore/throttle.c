// SPDX-License-Identifier: GPL-2.0-only
/*
 * The sampling software clock that leads a group is throttled: perf stops it until the next tick,
 * since 6.16 with its group. It has to resume, and the uncore events must not lose counts.
 */
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include "kselftest_harness.h"
#include "api/model.h"
#include "api/uncore.h"

#define RATE		"/proc/sys/kernel/perf_event_max_sample_rate"
#define PERIOD_NS	100000
#define RING_PAGES	64
#define ROUNDS		20
#define ROUND_NS	20000000

struct records {
	unsigned int samples, throttles, unthrottles;
};

FIXTURE(throttle) {
	struct uncore_pmu *pmu;
	int clock, event;
	struct perf_event_mmap_page *ring;
	struct records records;
	char *rate;
};

FIXTURE_VARIANT(throttle) {
	const char *box, *event;
};

FIXTURE_VARIANT_ADD(throttle, msr) {
	.box = "cbox_0", .event = "event=0x13,umask=0x01",
};

FIXTURE_VARIANT_ADD(throttle, pci) {
	.box = "imc_0", .event = "event=0x04,umask=0x03",
};

FIXTURE_SETUP(throttle)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE, .config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr), .sample_period = PERIOD_NS,
		.sample_type = PERF_SAMPLE_READ,
		.read_format = UNCORE_READ_FORMAT, .disabled = 1,
	};

	model_init();
	uncore_init("snbep_uncore_");
	self->rate = read_text(RATE);
	ASSERT_NE(NULL, self->rate);
	/* A few samples in each tick */
	ASSERT_TRUE(write_text("1000", RATE));
	self->pmu = uncore_pmu(variant->box);
	uncore_pin(self->pmu->cpu[0]);
	self->clock = uncore_open_attr(&attr, self->pmu->cpu[0], -1);
	ASSERT_LE(0, self->clock);
	self->event = uncore_open(self->pmu, variant->event, 0, self->clock);
	self->ring = mmap(NULL, (1 + RING_PAGES) * sysconf(_SC_PAGESIZE),
			  PROT_READ | PROT_WRITE, MAP_SHARED, self->clock, 0);
	ASSERT_NE(MAP_FAILED, self->ring);
	ASSERT_EQ(0, ioctl(self->clock, PERF_EVENT_IOC_ENABLE, 0));
}

FIXTURE_TEARDOWN(throttle)
{
	close(self->event);
	close(self->clock);
	EXPECT_TRUE(write_text(self->rate, RATE));
	free(self->rate);
}

/* Keep the CPU busy: ticks unthrottle events, and an idle CPU has none. */
static void spin(void)
{
	uint64_t end = now_ns() + ROUND_NS;

	while (now_ns() < end)
		;
}

static void drain(struct perf_event_mmap_page *ring, struct records *records)
{
	const char *data = (const char *)ring + ring->data_offset;
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);

	while (ring->data_tail < head) {
		const struct perf_event_header *h =
			(const void *)(data + ring->data_tail % ring->data_size);

		records->samples += h->type == PERF_RECORD_SAMPLE;
		records->throttles += h->type == PERF_RECORD_THROTTLE;
		records->unthrottles += h->type == PERF_RECORD_UNTHROTTLE;
		ring->data_tail += h->size;
	}
}

TEST_F_TIMEOUT(throttle, throttled_group_resumes_and_loses_no_counts, 300)
{
	struct records *records = &self->records;
	unsigned int i, before = 0;
	uint64_t expect = 0, counts[2];

	for (i = 1; i <= ROUNDS || !records->unthrottles; i++) {
		model("stim 0 %s %s,count=%u", variant->box, variant->event, i);
		expect += i;
		/* Without a restart of the group, samples stop for good. */
		do {
			spin();
			drain(self->ring, records);
		} while (records->samples == before);
		before = records->samples;
		uncore_read_group(self->clock, 2, counts, NULL);
		EXPECT_EQ(expect, counts[1]);
	}
	printf("# %u samples, %u times throttled, and let go on %u times\n",
	       records->samples, records->throttles, records->unthrottles);
	EXPECT_LT(0, records->throttles);
}

TEST_HARNESS_MAIN
