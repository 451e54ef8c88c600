// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another program writes the registers of a box, before and while we count: it
 * is never counted, and counting goes on.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/model.h"
#include "lib/uncore.h"

#define WARNING	"another program writes the registers of this box"

/* Longer than the driver lets a counter stand still without a look at it */
#define QUIET_US	2500000

/* How long a stop takes the registers to be what was written, and a bit more */
#define STOP_US		500000

struct victim {
	struct uncore_pmu *pmu;
	const char *event;
	unsigned int socket;
	int log;
};

/* Box 1 of a kind, with a driver that is new: the log tells of a box once. */
static int set_up(struct victim *v, const char *kind)
{
	char box[16];

	if (system("rmmod snbep_uncore && modprobe snbep_uncore"))
		return -1;
	model_init();
	uncore_init("snbep_uncore_");
	uncore_any_count(false);
	snprintf(box, sizeof(box), kind, 1);
	v->pmu = uncore_pmu(box);
	v->event = uncore_kind(v->pmu)->event;
	v->socket = 1;
	v->log = kmsg_open();
	return 0;
}

FIXTURE(disturb) {
	struct victim v;
};

/*
 * The log tells of a box once, so each test takes another, by its number here.
 * It is put in a state that another program may leave, with a register where
 * the driver had something else.
 */
FIXTURE_VARIANT(disturb) {
	const char *kind, *clock;
	bool box_ctl;
};

FIXTURE_VARIANT_ADD(disturb, cbox) {
	.kind = "cbox_%u", .clock = "event=0x00", .box_ctl = true,
};

FIXTURE_VARIANT_ADD(disturb, ha) {
	.kind = "ha", .clock = "event=0x00", .box_ctl = true,
};

FIXTURE_VARIANT_ADD(disturb, imc) {
	.kind = "imc_%u", .clock = "event=0xff", .box_ctl = true,
};

FIXTURE_VARIANT_ADD(disturb, qpi) {
	.kind = "qpi_%u", .clock = "event=0x14", .box_ctl = true,
};

FIXTURE_VARIANT_ADD(disturb, r2pcie) {
	.kind = "r2pcie", .clock = "event=0x01", .box_ctl = true,
};

FIXTURE_VARIANT_ADD(disturb, pcu) {
	.kind = "pcu", .clock = "event=0x00", .box_ctl = true,
};

FIXTURE_VARIANT_ADD(disturb, ubox) {
	.kind = "ubox", .clock = "event=0xff",
};

FIXTURE_SETUP(disturb)
{
	ASSERT_EQ(0, set_up(&self->v, variant->kind));
}

FIXTURE_TEARDOWN(disturb)
{
	close(self->v.log);
}

/* What not every kind has, or what takes long: one in MSR and one in PCI space do */
FIXTURE(some) {
	struct victim v;
};

FIXTURE_VARIANT(some) {
	const char *kind;
	const char *filtered, *hit, *filter, *value;
};

FIXTURE_VARIANT_ADD(some, cbox) {
	.kind = "cbox_%u",
	.filtered = "event=0x35,umask=0x01,filter_opc=0x182",
	.hit = "event=0x35,umask=0x01,opc=0x182",
	.filter = "filter", .value = "0xcf000000",
};

FIXTURE_VARIANT_ADD(some, qpi) {
	.kind = "qpi_%u",
	.filtered = "event=0x138,match_mc=0xe,mask_mc=0xf",
	.hit = "event=0x138,mc=0xe",
	.filter = "match0", .value = "0",
};

FIXTURE_SETUP(some)
{
	ASSERT_EQ(0, set_up(&self->v, variant->kind));
}

FIXTURE_TEARDOWN(some)
{
	close(self->v.log);
}

/* The counter that counts the only event of the box */
static unsigned int used_ctr(const char *box, unsigned int socket)
{
	char name[8];
	int i;

	for (i = 3; i >= 0; i--) {
		snprintf(name, sizeof(name), "CTL%d", i);
		if (!strcmp(box, "ubox") && i > 1)
			continue;
		if (model_reg(socket, box, name) & 1u << 22)
			break;
	}
	return i;
}

static bool says(int log, const char *name)
{
	char line[512];

	/* The line comes in an interrupt of its own. */
	usleep(100000);
	return kmsg_has(log, WARNING, line, sizeof(line)) && strstr(line, name);
}

/* Nothing is believed of a box that was not in use. */
TEST_F_TIMEOUT(disturb, before, 120)
{
	const char *box = self->v.pmu->box;
	unsigned int round, i;
	int fd;

	for (round = 0; round < 2; round++) {
		fd = uncore_open(self->v.pmu, self->v.event, self->v.socket, -1);
		model("stim %u %s %s,count=7", self->v.socket, box, self->v.event);
		EXPECT_EQ(7, uncore_read(fd)) TH_LOG("round %u", round);
		close(fd);
		for (i = 0; i < 4 && (i < 2 || variant->box_ctl); i++)
			model("poke %u %s ctl%u=0x400001,ctr%u=%#x",
			      self->v.socket, box, i, i, 1u << 30);
		if (variant->box_ctl)
			model("poke %u %s box_ctl=0x10100", self->v.socket, box);
	}
	EXPECT_FALSE(says(self->v.log, self->v.pmu->name));
	for (i = 0; i < 4 && (i < 2 || variant->box_ctl); i++)
		model("poke %u %s ctl%u=0", self->v.socket, box, i);
}

/* A filter that another program changed is written again. */
TEST_F_TIMEOUT(some, filter_before, 120)
{
	const char *box = self->v.pmu->box;
	unsigned int round;
	int fd;

	for (round = 0; round < 2; round++) {
		fd = uncore_open(self->v.pmu, variant->filtered, self->v.socket,
				 -1);
		model("stim %u %s %s,count=7", self->v.socket, box, variant->hit);
		EXPECT_EQ(7, uncore_read(fd)) TH_LOG("round %u", round);
		close(fd);
		model("poke %u %s %s=%s", self->v.socket, box, variant->filter,
		      variant->value);
	}
}

/* A counter that is written while it counts leaps, forward or backward. */
TEST_F_TIMEOUT(disturb, counter, 120)
{
	static const unsigned long long values[] = {
		0, 0x12345678901, 0x5a5a5a5a5a5, 100,
	};
	const char *box = self->v.pmu->box;
	unsigned int ctr, i;
	uint64_t last, n;
	int fd;

	fd = uncore_open(self->v.pmu, self->v.event, self->v.socket, -1);
	model("stim %u %s %s,count=1000", self->v.socket, box, self->v.event);
	last = uncore_read(fd);
	EXPECT_EQ(1000, last);
	for (i = 0; i < sizeof(values) / sizeof(*values); i++) {
		ctr = used_ctr(box, self->v.socket);
		model("poke %u %s ctr%u=%#llx", self->v.socket, box, ctr,
		      values[i]);
		n = uncore_read(fd);
		EXPECT_LE(last, n);
		EXPECT_GE(last + (1 << 25), n)
			TH_LOG("%#llx: %llu, then %llu", values[i],
			       (unsigned long long)last, (unsigned long long)n);
		last = n;
		/* It goes on from here. */
		model("stim %u %s %s,count=50", self->v.socket, box, self->v.event);
		EXPECT_EQ(last + 50, uncore_read(fd)) TH_LOG("%#llx", values[i]);
		last += 50;
	}
	EXPECT_TRUE(says(self->v.log, self->v.pmu->name));
	/* Once is enough. */
	model("poke %u %s ctr%u=0x3333333333", self->v.socket, box,
	      used_ctr(box, self->v.socket));
	uncore_read(fd);
	EXPECT_FALSE(says(self->v.log, self->v.pmu->name));
	close(fd);
}

/* One that stands still does not spoil the count of one that does not. */
TEST_F_TIMEOUT(disturb, quiet_beside_clock, 120)
{
	uint64_t start = now_ns(), n;
	int quiet, clock;

	clock = uncore_open(self->v.pmu, variant->clock, self->v.socket, -1);
	quiet = uncore_open(self->v.pmu, self->v.event, self->v.socket, -1);
	usleep(QUIET_US);
	EXPECT_EQ(0, uncore_read(quiet));
	n = uncore_read(clock);
	/* The slowest clock has 800 MHz. */
	EXPECT_LT(QUIET_US * 750ull, n);
	EXPECT_GT((now_ns() - start) / 1000 * 2100, n);
	EXPECT_FALSE(says(self->v.log, self->v.pmu->name));
	close(clock);
	close(quiet);
}

/* The count when the event is stopped is one as well. */
TEST_F_TIMEOUT(disturb, last_look, 120)
{
	const char *box = self->v.pmu->box;
	int fd;

	fd = uncore_open(self->v.pmu, self->v.event, self->v.socket, -1);
	model("stim %u %s %s,count=30", self->v.socket, box, self->v.event);
	EXPECT_EQ(30, uncore_read(fd));
	model("poke %u %s ctr%u=0x12345678901", self->v.socket, box,
	      used_ctr(box, self->v.socket));
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(30, uncore_read(fd));
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	model("stim %u %s %s,count=4", self->v.socket, box, self->v.event);
	EXPECT_EQ(34, uncore_read(fd));
	EXPECT_TRUE(says(self->v.log, self->v.pmu->name));
	close(fd);
}

/* A control that is overwritten, or a box that is frozen: the count stands. */
TEST_F_TIMEOUT(disturb, control, 120)
{
	const char *box = self->v.pmu->box;
	int fd;

	fd = uncore_open(self->v.pmu, self->v.event, self->v.socket, -1);
	model("stim %u %s %s,count=9", self->v.socket, box, self->v.event);
	EXPECT_EQ(9, uncore_read(fd));
	model("poke %u %s ctl%u=0", self->v.socket, box,
	      used_ctr(box, self->v.socket));
	usleep(QUIET_US);
	EXPECT_EQ(9, uncore_read(fd));
	EXPECT_TRUE(says(self->v.log, self->v.pmu->name));
	model("stim %u %s %s,count=2", self->v.socket, box, self->v.event);
	EXPECT_EQ(11, uncore_read(fd));
	if (variant->box_ctl) {
		model("poke %u %s box_ctl=0x10100", self->v.socket, box);
		usleep(QUIET_US);
		EXPECT_EQ(11, uncore_read(fd));
		model("stim %u %s %s,count=3", self->v.socket, box, self->v.event);
		EXPECT_EQ(14, uncore_read(fd));
	}
	close(fd);
}

/*
 * An event that has counted 9, whose counter then has another event for so many
 * microseconds, and stands at 500: one that no box has, which only this program
 * makes move.
 */
static int open_taken_over(struct __test_metadata *_metadata,
			   const struct victim *v, unsigned int us)
{
	int fd = uncore_open(v->pmu, v->event, v->socket, -1);
	unsigned int ctr;

	model("stim %u %s %s,count=9", v->socket, v->pmu->box, v->event);
	EXPECT_EQ(9, uncore_read(fd));
	ctr = used_ctr(v->pmu->box, v->socket);
	model("poke %u %s ctl%u=0x4000ff", v->socket, v->pmu->box, ctr);
	usleep(us);
	model("poke %u %s ctr%u=500", v->socket, v->pmu->box, ctr);
	return fd;
}

/* A counter that goes on with another's event: seen by a read after a while, */
TEST_F_TIMEOUT(some, other_event, 120)
{
	const char *box = self->v.pmu->box;
	int fd;

	fd = open_taken_over(_metadata, &self->v, QUIET_US);
	EXPECT_EQ(9, uncore_read(fd));
	EXPECT_TRUE(says(self->v.log, self->v.pmu->name));
	model("stim %u %s %s,count=2", self->v.socket, box, self->v.event);
	EXPECT_EQ(11, uncore_read(fd));
	close(fd);
}

/* and as our event stops. */
TEST_F_TIMEOUT(disturb, other_event_stop, 120)
{
	const char *box = self->v.pmu->box;
	int fd;

	fd = open_taken_over(_metadata, &self->v, STOP_US);
	ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(9, uncore_read(fd));
	EXPECT_TRUE(says(self->v.log, self->v.pmu->name));
	ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
	model("stim %u %s %s,count=2", self->v.socket, box, self->v.event);
	EXPECT_EQ(11, uncore_read(fd));
	close(fd);
}

/* Another's event that comes often is not counted at the next read. */
TEST_F_TIMEOUT(disturb, other_clock, 120)
{
	const char *box = self->v.pmu->box;
	unsigned int ctr;
	int fd;

	fd = uncore_open(self->v.pmu, self->v.event, self->v.socket, -1);
	model("stim %u %s %s,count=9", self->v.socket, box, self->v.event);
	EXPECT_EQ(9, uncore_read(fd));
	ctr = used_ctr(box, self->v.socket);
	model("poke %u %s ctl%u=0x4000ff", self->v.socket, box, ctr);
	usleep(200000);
	/* No more than a clock counts in that time */
	model("poke %u %s ctr%u=%#x", self->v.socket, box, ctr, 1u << 26);
	EXPECT_EQ(9, uncore_read(fd));
	EXPECT_TRUE(says(self->v.log, self->v.pmu->name));
	model("stim %u %s %s,count=2", self->v.socket, box, self->v.event);
	EXPECT_EQ(11, uncore_read(fd));
	close(fd);
}

TEST_HARNESS_MAIN
