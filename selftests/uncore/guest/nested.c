// SPDX-License-Identifier: GPL-2.0-only
/*
 * A read within another access of the same CPU: a sample of the kernel's MSR tracepoints reads the
 * members of its group. It must not wait for a lock that its own CPU holds, and counts stay exact.
 */
#include <linux/perf_event.h>
#include <sys/ioctl.h>

#include "kselftest_harness.h"
#include "lib/model.h"
#include "lib/uncore.h"

#define BOX	"cbox_0"
#define CLOCK	"event=0x00"
#define STIM	"event=0x13,umask=0x01"

#define RING_PAGES	64
#define ROUNDS		40

FIXTURE(nested) {
	struct uncore_pmu *pmu;
	int trace, clock[2], other;
	uint64_t start;
	struct perf_event_mmap_page *ring;
	uint64_t last, samples;
};

FIXTURE_VARIANT(nested) {
	const char *tracepoint;
	int clocks;		/* with two the box is frozen as they start */
};

FIXTURE_VARIANT_ADD(nested, write) {
	.tracepoint = "msr/write_msr", .clocks = 1,
};

FIXTURE_VARIANT_ADD(nested, write_frozen) {
	.tracepoint = "msr/write_msr", .clocks = 2,
};

FIXTURE_VARIANT_ADD(nested, read) {
	.tracepoint = "msr/read_msr", .clocks = 1,
};

FIXTURE_VARIANT_ADD(nested, read_frozen) {
	.tracepoint = "msr/read_msr", .clocks = 2,
};

FIXTURE_SETUP(nested)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr),
		.sample_period = 1, .sample_type = PERF_SAMPLE_READ,
		.read_format = UNCORE_READ_FORMAT, .disabled = 1,
	};
	char *id;
	int i;

	model_init();
	uncore_init("snbep_uncore_");
	system("mount -t tracefs none /sys/kernel/tracing 2> /dev/null");
	id = read_text("/sys/kernel/tracing/events/%s/id", variant->tracepoint);
	ASSERT_NE(NULL, id);
	attr.config = atoi(id);
	self->pmu = uncore_pmu(BOX);
	uncore_pin(self->pmu->cpu[0]);
	self->trace = uncore_open_attr(&attr, self->pmu->cpu[0], -1);
	ASSERT_LE(0, self->trace);
	for (i = 0; i < variant->clocks; i++)
		self->clock[i] = uncore_open(self->pmu, CLOCK, 0, self->trace);
	self->ring = mmap(NULL, (1 + RING_PAGES) * sysconf(_SC_PAGESIZE),
			  PROT_READ | PROT_WRITE, MAP_SHARED, self->trace, 0);
	ASSERT_NE(MAP_FAILED, self->ring);
	/* The first use of the box is the first that is sampled. */
	self->start = now_ns();
	ASSERT_EQ(0, ioctl(self->trace, PERF_EVENT_IOC_ENABLE, 0));
	self->other = uncore_open(self->pmu, STIM, 0, -1);
}

FIXTURE_TEARDOWN(nested)
{
	int i;

	for (i = 0; i < variant->clocks; i++)
		close(self->clock[i]);
	close(self->trace);
	close(self->other);
}

/* Counts of the clock in the samples so far; false if one goes backward */
static bool drain(struct perf_event_mmap_page *ring, uint64_t *last, uint64_t *samples)
{
	const char *data = (const char *)ring + ring->data_offset;
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	bool good = true;

	while (ring->data_tail < head) {
		/* Sizes are multiples of 8, so no field goes round the end. */
		uint64_t at = ring->data_tail % ring->data_size;
		const struct perf_event_header *h = (const void *)(data + at);
		uint64_t count, n;

		n = *(const uint64_t *)(data + (at + 8) % ring->data_size);
		/* After the two times, and the count of the tracepoint */
		count = *(const uint64_t *)(data + (at + 40) % ring->data_size);
		if (h->type == PERF_RECORD_SAMPLE && n >= 2) {
			good &= count >= *last;
			*last = count;
			++*samples;
		}
		ring->data_tail += h->size;
	}
	return good;
}

/* All operations on a box, with a sample at each register access */
TEST_F_TIMEOUT(nested, reads_within_accesses_count_exactly, 120)
{
	uint64_t expect = 0, group[3];
	int i, fd, members = 1 + variant->clocks;

	for (i = 0; i < ROUNDS; i++) {
		model("stim 0 " BOX " " STIM ",count=%d", i);
		expect += i;
		EXPECT_EQ(expect, uncore_read(self->other));
		ioctl(self->other, PERF_EVENT_IOC_DISABLE, 0);
		ioctl(self->other, PERF_EVENT_IOC_ENABLE, 0);
		fd = uncore_open(self->pmu, STIM, 0, -1);
		close(fd);
		uncore_read_group(self->trace, members, group, NULL);
		ASSERT_TRUE(drain(self->ring, &self->last, &self->samples));
	}
	ioctl(self->trace, PERF_EVENT_IOC_DISABLE, 0);
	ASSERT_TRUE(drain(self->ring, &self->last, &self->samples));
	printf("# %llu samples\n", (unsigned long long)self->samples);
	EXPECT_LE(ROUNDS, self->samples);
	EXPECT_LT(0, self->last);
	uncore_read_group(self->trace, members, group, NULL);
	EXPECT_LE(self->last, group[1]);
	/* At 2 GHz it cannot have counted more than since it began. */
	EXPECT_GE((now_ns() - self->start) / 100 * 210, group[1]);
}

TEST_HARNESS_MAIN
