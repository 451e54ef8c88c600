// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another program has written the registers of a box that is idle: the next event has
 * all programmed that it needs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/model.h"
#include "lib/uncore.h"

struct victim {
	struct uncore_pmu *pmu;
	const char *event;
	unsigned int socket;
};

/* Box 1 of a kind, with a driver that is new */
static int set_up(struct victim *v, const char *kind)
{
	char box[16];

	if (system("rmmod snbep_uncore && modprobe snbep_uncore"))
		return -1;
	model_init();
	uncore_init("snbep_uncore_");
	snprintf(box, sizeof(box), kind, 1);
	v->pmu = uncore_pmu(box);
	v->event = uncore_kind(v->pmu)->event;
	v->socket = 1;
	return 0;
}

FIXTURE(disturb) {
	struct victim v;
};

FIXTURE_VARIANT(disturb) {
	const char *kind;
	bool box_ctl;
};

FIXTURE_VARIANT_ADD(disturb, cbox) {
	.kind = "cbox_%u", .box_ctl = true,
};

FIXTURE_VARIANT_ADD(disturb, ha) {
	.kind = "ha", .box_ctl = true,
};

FIXTURE_VARIANT_ADD(disturb, imc) {
	.kind = "imc_%u", .box_ctl = true,
};

FIXTURE_VARIANT_ADD(disturb, qpi) {
	.kind = "qpi_%u", .box_ctl = true,
};

FIXTURE_VARIANT_ADD(disturb, r2pcie) {
	.kind = "r2pcie", .box_ctl = true,
};

FIXTURE_VARIANT_ADD(disturb, pcu) {
	.kind = "pcu", .box_ctl = true,
};

FIXTURE_VARIANT_ADD(disturb, ubox) {
	.kind = "ubox",
};

FIXTURE_SETUP(disturb)
{
	ASSERT_EQ(0, set_up(&self->v, variant->kind));
}

FIXTURE_TEARDOWN(disturb)
{
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

TEST_HARNESS_MAIN
