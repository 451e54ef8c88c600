// SPDX-License-Identifier: GPL-2.0-only
/*
 * Filters: what they let through, who shares them, who has to wait, and what
 * they leave behind.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest_harness.h"
#include "lib/model.h"
#include "lib/uncore.h"

FIXTURE(filter) {
	struct uncore_pmu *cbox, *ha, *pcu, *qpi;
};

FIXTURE_SETUP(filter)
{
	model_init();
	/* A user may filter by more than one thing, and have more than one filter. */
	model("judge off one-filter-user:one-criterion");
	uncore_init("snbep_uncore_");
	self->cbox = uncore_pmu("cbox_4");
	self->ha = uncore_pmu("ha");
	self->pcu = uncore_pmu("pcu");
	self->qpi = uncore_pmu("qpi_1");
}

FIXTURE_TEARDOWN(filter)
{
}

/* The registers by the ends of their names in the guide */
static uint64_t cbox_filter(void)
{
	return model_reg(0, "cbox_4", "BOX_FILTER");
}

/* Each value of a field, one stimulus for each: only its own is counted. */
TEST_F_TIMEOUT(filter, tid, 120)
{
	unsigned int tid, other;
	char text[64];

	for (tid = 0; tid < 32; tid++) {
		int fd;

		snprintf(text, sizeof(text),
			 "event=0x13,umask=0x05,tid_en=1,filter_tid=%u", tid);
		fd = uncore_open(self->cbox, text, 0, -1);
		for (other = 0; other < 32; other++)
			model("stim 0 cbox_4 event=0x13,umask=0x04,tid=%u,count=%u",
			      other, other == tid ? 77 : 100000);
		EXPECT_EQ(77, uncore_read(fd)) TH_LOG("thread %u", tid);
		close(fd);
	}
}

/* An event without tid_en beside it sees all threads. */
TEST_F_TIMEOUT(filter, tid_beside_all, 120)
{
	uint64_t n[2];
	int lookup = uncore_open(self->cbox,
				 "event=0x34,umask=0x03,tid_en=1,filter_tid=6,filter_state=0x1f",
				 0, -1);
	int all = uncore_open(self->cbox,
			      "event=0x34,umask=0x03,filter_state=0x1f", 0,
			      lookup);

	model("stim 0 cbox_4 event=0x34,umask=0x02,tid=6,count=50");
	model("stim 0 cbox_4 event=0x34,umask=0x02,tid=7,count=600");
	uncore_read_group(lookup, 2, n, NULL);
	EXPECT_EQ(50, n[0]);
	EXPECT_EQ(650, n[1]);
	close(all);
	close(lookup);
}

TEST_F_TIMEOUT(filter, state, 120)
{
	unsigned int states, state;
	char text[64];

	/* All 31 sets of states; none of them stands for all. */
	for (states = 0; states < 32; states++) {
		unsigned int want = 0;
		int fd;

		snprintf(text, sizeof(text),
			 "event=0x34,umask=0x05,filter_state=%#x", states);
		fd = uncore_open(self->cbox, text, 0, -1);
		for (state = 0; state < 5; state++) {
			model("stim 0 cbox_4 event=0x34,umask=0x04,state=%#x,count=%u",
			      1u << state, 1u << 2 * state);
			if (!states || (states & (1u << state)))
				want += 1u << 2 * state;
		}
		EXPECT_EQ(want, uncore_read(fd)) TH_LOG("states %#x", states);
		close(fd);
	}
}

TEST_F_TIMEOUT(filter, nid, 120)
{
	unsigned int nids, nid;
	char text[64];

	for (nids = 1; nids < 256; nids += nids < 16 ? 1 : 37) {
		unsigned int want = 0;
		int fd;

		snprintf(text, sizeof(text),
			 "event=0x35,umask=0x48,filter_nid=%#x", nids);
		fd = uncore_open(self->cbox, text, 0, -1);
		for (nid = 0; nid < 8; nid++) {
			model("stim 0 cbox_4 event=0x35,umask=0x00,nid=%u,count=%u",
			      nid, 1u << 2 * nid);
			if (nids & (1u << nid))
				want += 1u << 2 * nid;
		}
		EXPECT_EQ(want, uncore_read(fd)) TH_LOG("nodes %#x", nids);
		close(fd);
	}
}

/* Table 2-13 */
TEST_F_TIMEOUT(filter, opcodes, 120)
{
	static const unsigned int opcodes[] = {
		0x180, 0x181, 0x182, 0x187, 0x18c, 0x18d, 0x190, 0x191, 0x192,
		0x194, 0x195, 0x19c, 0x19e, 0x1c4, 0x1c5, 0x1c8, 0x1e4, 0x1e5,
		0x1e6,
	};
	unsigned int i, j;
	char text[64];

	for (i = 0; i < ARRAY_SIZE(opcodes); i++) {
		int fd;

		snprintf(text, sizeof(text),
			 "event=0x35,umask=0x03,filter_opc=%#x", opcodes[i]);
		fd = uncore_open(self->cbox, text, 0, -1);
		for (j = 0; j < ARRAY_SIZE(opcodes); j++)
			model("stim 0 cbox_4 event=0x35,umask=0x03,opc=%#x,count=%u",
			      opcodes[j], i == j ? 55 : 1000);
		EXPECT_EQ(55, uncore_read(fd)) TH_LOG("opcode %#x", opcodes[i]);
		close(fd);
	}
}

/* Bands 0 to 3 at once, each with a frequency of its own; also occupied */
TEST_F_TIMEOUT(filter, bands, 120)
{
	int leader = uncore_open(self->pcu, "event=0x0b,filter_band0=12", 0, -1);
	uint64_t n[4];

	uncore_open(self->pcu, "event=0x0c,filter_band1=16", 0, leader);
	uncore_open(self->pcu, "event=0x0d,filter_band2=20", 0, leader);
	uncore_open(self->pcu,
		    "event=0x8e,filter_band3=24,occ_sel=1,thresh=2", 0,
		    leader);
	EXPECT_EQ(0x1814100c, model_reg(0, "pcu", "BOX_FILTER"));
	model("stim 0 pcu event=0x0b,freq=1200,count=1");
	model("stim 0 pcu event=0x0b,freq=1100,count=10");
	model("stim 0 pcu event=0x0c,freq=1600,count=2");
	model("stim 0 pcu event=0x0c,freq=1599,count=20");
	model("stim 0 pcu event=0x0d,freq=3000,count=3");
	model("stim 0 pcu event=0x0d,freq=1900,count=30");
	model("stim 0 pcu event=0x0e,freq=2400,c0=2,count=4");
	model("stim 0 pcu event=0x0e,freq=2400,c0=1,count=40");
	model("stim 0 pcu event=0x0e,freq=2300,c0=2,count=40");
	uncore_read_group(leader, 4, n, NULL);
	EXPECT_EQ(1, n[0]);
	EXPECT_EQ(2, n[1]);
	EXPECT_EQ(3, n[2]);
	EXPECT_EQ(4, n[3]);
}

/* Demotions are under band 0 too, as the guide has it, but for core 2's. */
TEST_F_TIMEOUT(filter, demotions, 120)
{
	int leader = uncore_open(self->pcu, "event=0x0b,filter_band0=12", 0, -1);
	uint64_t n[3];

	uncore_open(self->pcu, "event=0x1e,filter_band0=12", 0, leader);
	uncore_open(self->pcu, "event=0x20", 0, leader);
	EXPECT_EQ(12, model_reg(0, "pcu", "BOX_FILTER"));
	model("stim 0 pcu event=0x0b,freq=1200,count=1");
	model("stim 0 pcu event=0x1e,freq=1200,count=2");
	model("stim 0 pcu event=0x20,freq=1100,count=3");
	uncore_read_group(leader, 3, n, NULL);
	EXPECT_EQ(1, n[0]);
	EXPECT_EQ(2, n[1]);
	EXPECT_EQ(3, n[2]);
}

/* Every bit of the address from 12 on, and of the opcode */
TEST_F_TIMEOUT(filter, home_agent, 120)
{
	const unsigned long long addr = 0x2a55aa55a040;
	unsigned int bit;
	char text[96];
	int fd;

	snprintf(text, sizeof(text),
		 "event=0x20,umask=0x03,filter_addr=%#llx,filter_opc=0x2d",
		 addr >> 6);
	fd = uncore_open(self->ha, text, 0, -1);
	EXPECT_EQ(addr & 0xffffffc0, model_reg(0, "ha", "ADDRMATCH0"));
	EXPECT_EQ(addr >> 32, model_reg(0, "ha", "ADDRMATCH1"));
	EXPECT_EQ(0x2d, model_reg(0, "ha", "OPCODEMATCH"));
	model("stim 0 ha event=0x20,addr=%#llx,opc=0x2d,count=3", addr);
	for (bit = 12; bit < 46; bit++)
		model("stim 0 ha event=0x20,addr=%#llx,opc=0x2d,count=1000",
		      addr ^ 1ull << bit);
	for (bit = 0; bit < 6; bit++)
		model("stim 0 ha event=0x20,addr=%#llx,opc=%#x,count=1000",
		      addr, 0x2d ^ 1u << bit);
	EXPECT_EQ(3, uncore_read(fd));
	close(fd);
}

/* The lowest page and opcode 0 are like others: bits 11:6 say that there is an address. */
TEST_F_TIMEOUT(filter, home_agent_zero, 120)
{
	int fd = uncore_open(self->ha, "event=0x20,umask=0x03,filter_addr=1", 0, -1);

	model("stim 0 ha event=0x20,addr=0x0,opc=0,count=5");
	model("stim 0 ha event=0x20,addr=0x1000,opc=0,count=70");
	model("stim 0 ha event=0x20,addr=0x0,opc=1,count=70");
	EXPECT_EQ(5, uncore_read(fd));
	close(fd);
}

/* The mask of a packet filter says which fields are looked at. */
TEST_F_TIMEOUT(filter, packet, 120)
{
	static const struct {
		const char *fields, *hit, *miss;
	} packets[] = {
		{ "mask_mc=0xf,match_mc=0xe", "mc=0xe,opc=3", "mc=0xc" },
		{ "mask_opc=0xf,match_opc=0x9", "opc=9", "opc=8" },
		{ "mask_vnw=3,match_vnw=2", "vnw=2,mc=3", "vnw=3" },
		{ "mask_dnid=0x1f,match_dnid=0x15", "dnid=0x15", "dnid=0x14" },
		{ "mask_rnid30=0xf,match_rnid30=0xa", "rnid=0x1a",
		  "rnid=0x1b" },
		{ "mask_rnid4=1,match_rnid4=1", "rnid=0x1f", "rnid=0xf" },
		{ "mask_rds=0xf,match_rds=8", "rds=8", "rds=0" },
		{ "mask_mc=0x8,match_mc=0x8", "mc=0xf", "mc=0x7" },
		/* zeroes to match, and the registers as a whole */
		{ "mask_mc=0xf", "mc=0,opc=0xf", "mc=1" },
		{ "match0=0x1c00,mask0=0x1e00", "mc=0xe", "mc=0xf" },
		{ "match1=0x80000,mask1=0xf0000", "rds=8", "rds=9" },
	};
	unsigned int i;
	char text[96];

	for (i = 0; i < ARRAY_SIZE(packets); i++) {
		int fd;

		snprintf(text, sizeof(text), "event=0x138,%s",
			 packets[i].fields);
		fd = uncore_open(self->qpi, text, 0, -1);
		model("stim 0 qpi_1 event=0x38,ext=1,%s,count=9",
		      packets[i].hit);
		model("stim 0 qpi_1 event=0x38,ext=1,%s,count=1000",
		      packets[i].miss);
		EXPECT_EQ(9, uncore_read(fd)) TH_LOG("%s", packets[i].fields);
		close(fd);
	}
}

/* Two users of one value, and two of other fields, count side by side. */
TEST_F_TIMEOUT(filter, shared_by_value, 120)
{
	static const char * const texts[] = {
		"event=0x35,umask=0x43,filter_opc=0x182,filter_nid=1",
		"event=0x36,umask=0x03,filter_opc=0x182",
		"event=0x00,tid_en=1,filter_tid=5",
	};
	int fd[3], i;

	for (i = 0; i < 3; i++)
		fd[i] = uncore_open(self->cbox, texts[i], 0, -1);
	EXPECT_EQ(0x182ull << 23 | 1 << 10 | 5, cbox_filter());
	for (i = 0; i < 3; i++) {
		uint64_t n;
		struct uncore_times t;

		usleep(10000);
		uncore_read_group(fd[i], 1, &n, &t);
		EXPECT_EQ(t.enabled, t.running) TH_LOG("%s", texts[i]);
	}
	model("stim 0 cbox_4 event=0x35,umask=0x03,opc=0x182,nid=0,count=10");
	model("stim 0 cbox_4 event=0x35,umask=0x03,opc=0x182,nid=1,count=100");
	model("stim 0 cbox_4 event=0x36,umask=0x03,opc=0x182,nid=1,count=7");
	EXPECT_EQ(10, uncore_read(fd[0]));
	EXPECT_EQ(7, uncore_read(fd[1]));

	/* Users go: the values of the others stay. */
	close(fd[0]);
	EXPECT_EQ(0x182ull << 23 | 5, cbox_filter() & (0x1ffull << 23 | 0x1f));
	close(fd[2]);
	EXPECT_EQ(0x182ull << 23, cbox_filter() & 0x1ffull << 23);
	model("stim 0 cbox_4 event=0x36,umask=0x03,opc=0x182,count=7");
	EXPECT_EQ(14, uncore_read(fd[1]));
	close(fd[1]);
	/* What is left does not keep out or filter those who come later. */
	fd[0] = uncore_open(self->cbox, "event=0x35,umask=0x04", 0, -1);
	fd[1] = uncore_open(self->cbox, "event=0x35,umask=0x43,filter_opc=0x180,filter_nid=2",
			    0, -1);
	EXPECT_EQ(0x180ull << 23 | 2 << 10, cbox_filter());
	model("stim 0 cbox_4 event=0x35,umask=0x04,opc=0x1e6,nid=3,tid=9,count=6");
	model("stim 0 cbox_4 event=0x35,umask=0x03,opc=0x180,nid=1,tid=9,count=8");
	EXPECT_EQ(6, uncore_read(fd[0]));
	EXPECT_EQ(8, uncore_read(fd[1]));
	close(fd[0]);
	close(fd[1]);
}

/*
 * Two values outside a group: both run by turns, and neither ever with the
 * other's. What happens all the time is what the first one looks for.
 */
TEST_F_TIMEOUT(filter, two_values_by_turns, 120)
{
	int a = uncore_open(self->cbox, "event=0x35,umask=0x03,filter_opc=0x182",
			    0, -1);
	int b = uncore_open(self->cbox, "event=0x35,umask=0x03,filter_opc=0x19e",
			    0, -1);
	struct uncore_times ta, tb;
	uint64_t na, nb, sent = 0;
	uint64_t end = now_ns() + 120000000;

	while (now_ns() < end) {
		model("stim 0 cbox_4 event=0x35,umask=0x03,opc=0x182,count=10");
		sent += 10;
	}
	uncore_read_group(a, 1, &na, &ta);
	uncore_read_group(b, 1, &nb, &tb);
	EXPECT_LT(0, na);
	EXPECT_LT(na, sent);
	EXPECT_EQ(0, nb);
	EXPECT_LT(ta.running, ta.enabled);
	EXPECT_LT(0, tb.running);
	close(a);
	close(b);
}

/* The same for packets, whose filter is in another function */
TEST_F_TIMEOUT(filter, two_packets_by_turns, 120)
{
	int a = uncore_open(self->qpi, "event=0x138,match_mc=0xe,mask_mc=0xf",
			    0, -1);
	int b = uncore_open(self->qpi, "event=0x138,match_mc=0xc,mask_mc=0xf",
			    0, -1);
	uint64_t end = now_ns() + 60000000, sent = 0, na, nb;
	struct uncore_times ta, tb;

	while (now_ns() < end) {
		model("stim 0 qpi_1 event=0x38,ext=1,mc=0xc,count=10");
		sent += 10;
	}
	uncore_read_group(a, 1, &na, &ta);
	uncore_read_group(b, 1, &nb, &tb);
	EXPECT_EQ(0, na);
	EXPECT_LT(0, ta.running);
	EXPECT_LT(0, nb);
	EXPECT_LT(nb, sent);
	close(a);
	close(b);
}

/* A disabled user keeps no other out. */
TEST_F_TIMEOUT(filter, disabled_user, 120)
{
	int a = uncore_open(self->cbox, "event=0x35,umask=0x03,filter_opc=0x182",
			    0, -1);
	int b = uncore_open(self->cbox, "event=0x36,umask=0x03,filter_opc=0x180",
			    0, -1);

	ioctl(a, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(b, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(b, PERF_EVENT_IOC_ENABLE, 0);
	EXPECT_EQ(0x180ull << 23, cbox_filter());
	model("stim 0 cbox_4 event=0x36,umask=0x03,opc=0x180,inc=2,count=8");
	EXPECT_EQ(16, uncore_read(b));
	ioctl(b, PERF_EVENT_IOC_DISABLE, 0);
	ioctl(a, PERF_EVENT_IOC_ENABLE, 0);
	model("stim 0 cbox_4 event=0x35,umask=0x03,opc=0x182,count=8");
	EXPECT_EQ(8, uncore_read(a));
	close(a);
	close(b);
}

/* Sockets have filters of their own. */
TEST_F_TIMEOUT(filter, each_socket, 120)
{
	int a = uncore_open(self->cbox, "event=0x35,umask=0x03,filter_opc=0x182",
			    0, -1);
	int b = uncore_open(self->cbox, "event=0x35,umask=0x03,filter_opc=0x19e",
			    1, -1);
	struct uncore_times t;
	uint64_t n;

	usleep(20000);
	model("stim 0 cbox_4 event=0x35,umask=0x03,opc=0x182,count=3");
	model("stim 1 cbox_4 event=0x35,umask=0x03,opc=0x182,count=50");
	model("stim 1 cbox_4 event=0x35,umask=0x03,opc=0x19e,count=4");
	uncore_read_group(a, 1, &n, &t);
	EXPECT_EQ(3, n);
	EXPECT_EQ(t.enabled, t.running);
	uncore_read_group(b, 1, &n, &t);
	EXPECT_EQ(4, n);
	EXPECT_EQ(t.enabled, t.running);
}

TEST_HARNESS_MAIN
