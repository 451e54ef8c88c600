// SPDX-License-Identifier: GPL-2.0-only
/*
 * What the PMUs refuse: one case for each rule and box type. Each checks the
 * errno, that the kernel's log names the PMU and the rule, and that no
 * register was written.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest.h"
#include "lib/model.h"
#include "lib/uncore.h"

/*
 * What the guide says of each kind of box: bits of the control register that
 * a user may choose (.en, .rst and .ov_en are not his), and filter bits as
 * config1 and config2 have them. And two events: one with unit masks, of
 * which @no_umask are none, and one without.
 */
static const struct kind {
	const char *box;
	uint64_t bits[UNCORE_WORDS];
	const char *event, *plain;
	const char *name, *plain_name;	/* as the log has them */
	const char *table;
	unsigned int no_code;		/* not an event */
	unsigned int counters;
} kinds[] = {
	/* Tables 2-10, 2-12 */
	{ "cbox_3", { 0xff8cffff, 0xfffffc1f }, "event=0x13,umask=0x01",
	  "event=0x04", "rxr_inserts", "txr_ads_used", "Table 2-10", 0x08, 4 },
	/* Tables 2-35, 2-37 to 2-39 */
	{ "ha", { 0xff84ffff, 0x3fffffffffc0, 0x3f }, "event=0x0b,umask=0x01",
	  "event=0x0e", "conflict_cycles", "txr_ak_ndr", "Table 2-35", 0x02, 4 },
	/* Table 2-61 */
	{ "imc_2", { 0xff84ffff }, "event=0x05,umask=0x02", "event=0x01",
	  "dram_refresh", "act_count", "Table 2-61", 0x03, 4 },
	/* Tables 2-75, 2-77; bit 21 by section 2.6.6 */
	{ "pcu", { 0xdfa4c0ff, 0xffffffff }, NULL, "event=0x01", NULL,
	  "volt_trans_cycles_increase", "Table 2-75", 0x10, 4 },
	/* Tables 2-86, 2-88 to 2-91 */
	{ "qpi_1", { 0xffa4ffff, 0x000f000f8003fff8, 0x000f000f8003fff8 },
	  "event=0x00,umask=0x02", "event=0x04", "txl_flits_g0",
	  "txl_inserts", "Table 2-86", 0x33, 4 },
	/* Table 2-106 */
	{ "r2pcie", { 0xff84ffff }, "event=0x10,umask=0x08", "event=0x12",
	  "rxr_cycles_ne", "rxr_ak_bounces", "Table 2-106", 0x00, 4 },
	/* Table 2-120 */
	{ "r3qpi_1", { 0xff84ffff }, "event=0x11,umask=0x01", "event=0x31",
	  "rxr_inserts", "vna_credit_cycles_out", "Table 2-120", 0x00, 3 },
	/* Table 2-2 */
	{ "ubox", { 0x1f84ffff }, "event=0x42,umask=0x01", "event=0x44",
	  "event_msg", "lock_cycles", "Table 2-2", 0x40, 2 },
};

/* Refusals of a single encoding, with EINVAL */
static const struct refusal {
	const char *box, *text;
	const char *log;
} refusals[] = {
	/* Events that have no such code; ext where there is no such field */
	{ "pcu", "event=0x10c", "no event 0x10c" },
	{ "pcu", "event=0x90,occ_sel=1", "no event 0x90 " },
	{ "pcu", "event=0x18c,occ_sel=1", "no event 0x18c " },
	{ "pcu", "event=0x26", "no event 0x26" },
	{ "qpi_0", "event=0x38", "no event 0x38" },
	{ "qpi_0", "event=0x114", "no event 0x114" },
	{ "qpi_0", "event=0x1ff", "no event 0x1ff" },
	{ "cbox_0", "event=0xff", "no event 0xff" },
	{ "imc_0", "event=0x03", "no event 0x3" },

	/* The occupancy that counter 0 counts, where it counts none */
	{ "cbox_0", "event=0x1f,thresh=1", "event that counts on counter 0" },
	{ "ha", "event=0xff", "no event 0xff" },
	{ "ubox", "event=0x00", "no event 0" },
	{ "r2pcie", "event=0xff", "no event 0xff" },
	{ "r3qpi_0", "event=0xff", "no event 0xff" },

	/* Unit masks that are none, also ORed */
	{ "cbox_0", "event=0x34,umask=0x02", "umask 0x2" },
	{ "cbox_0", "event=0x34,umask=0x13", "umask 0x13" },
	{ "cbox_0", "event=0x34,umask=0x40,filter_nid=1", "umask 0x40" },
	{ "cbox_0", "event=0x35,umask=0x02", "umask 0x2" },
	{ "cbox_0", "event=0x35,umask=0x40,filter_nid=1", "umask 0x40" },
	{ "cbox_0", "event=0x36,umask=0x10", "umask 0x10" },
	{ "cbox_0", "event=0x37,umask=0x10", "umask 0x10" },
	{ "cbox_0", "event=0x05,umask=0x01", "umask 0x1" },
	{ "cbox_0", "event=0x1e,umask=0x01", "umask 0x1" },
	{ "ha", "event=0x20,umask=0x01,filter_addr=1", "umask 0x1" },
	{ "imc_0", "event=0x05,umask=0x01", "umask 0x1" },
	{ "imc_0", "event=0x04,umask=0x10", "umask 0x10" },
	{ "qpi_0", "event=0x102,umask=0x20", "umask 0x20" },
	{ "qpi_0", "event=0x138,umask=0x01", "umask 0x1" },
	{ "r2pcie", "event=0x10,umask=0x01", "umask 0x1" },
	{ "r2pcie", "event=0x24,umask=0x01", "umask 0x1" },
	{ "r3qpi_0", "event=0x20,umask=0x01", "umask 0x1" },
	{ "r3qpi_0", "event=0x12,umask=0x02", "umask 0x2" },

	/* Unit masks that do not go together, each of which is one by itself */
	{ "cbox_0", "event=0x35,umask=0x0f,filter_opc=0x182", "umask 0xf" },
	{ "cbox_0", "event=0x35,umask=0x05,filter_opc=0x182", "umask 0x5" },
	{ "cbox_0", "event=0x35,umask=0x14", "umask 0x14" },
	{ "cbox_0", "event=0x35,umask=0x4e,filter_nid=1", "umask 0x4e" },
	{ "cbox_0", "event=0x36,umask=0x0c", "umask 0xc" },
	{ "cbox_0", "event=0x11,umask=0x03", "umask 0x3" },
	{ "cbox_0", "event=0x13,umask=0x06", "umask 0x6" },
	{ "r3qpi_0", "event=0x20,umask=0x18", "umask 0x18" },
	{ "r3qpi_0", "event=0x21,umask=0x30", "umask 0x30" },
	{ "r3qpi_0", "event=0x22,umask=0x38", "umask 0x38" },
	{ "r2pcie", "event=0x23,umask=0x03", "umask 0x3" },
	{ "r2pcie", "event=0x10,umask=0x18", "umask 0x18" },
	{ "r3qpi_0", "event=0x10,umask=0x03", "umask 0x3" },
	{ "r3qpi_0", "event=0x11,umask=0x30", "umask 0x30" },
	{ "r3qpi_0", "event=0x13,umask=0x0c", "umask 0xc" },

	/* Counters of their own take no field */
	{ "ubox", "event=0xff,umask=1", "uclk has no fields" },
	{ "ubox", "event=0xff,thresh=1", "uclk has no fields" },
	{ "ubox", "event=0xff,edge=1,thresh=1", "uclk has no fields" },
	{ "imc_1", "event=0xff,umask=1", "dclk has no fields" },
	{ "imc_1", "event=0xff,thresh=1", "dclk has no fields" },
	{ "imc_1", "event=0xff,inv=1,thresh=1", "dclk has no fields" },
	/* MSRs 0x3fc and 0x3fd are of one core, whatever the guide says. */
	{ "pcu", "event=0xfc", "cstate_core/c3-residency/" },
	{ "pcu", "event=0xfd", "cstate_core/c6-residency/" },
	{ "pcu", "event=0x1fc", "no event 0x1fc " },
	{ "pcu", "event=0x1fd", "no event 0x1fd " },

	/* Table 2-75: occupancy */
	{ "pcu", "event=0x80", "occ_sel" },
	{ "pcu", "event=0x80,thresh=1", "occ_sel" },
	{ "pcu", "event=0x83,thresh=5", "event 0x83 needs occ_sel" },
	{ "pcu", "event=0x183,thresh=5", "event 0x183 needs occ_sel" },
	{ "pcu", "event=0x8b,thresh=4,filter_band0=0x14", "occ_sel" },
	{ "pcu", "event=0x01,occ_sel=1", "bit 7" },
	{ "pcu", "event=0x00,occ_sel=3,thresh=1", "bit 7" },
	{ "pcu", "event=0x01,occ_invert=1,thresh=1", "bit 7" },
	{ "pcu", "event=0x01,occ_edge=1,thresh=1", "bit 7" },
	{ "pcu", "event=0x80,occ_sel=1,occ_invert=1", "thresh" },
	{ "pcu", "event=0x80,occ_sel=1,occ_edge=1", "thresh" },
	{ "pcu", "event=0x83,occ_sel=2,occ_edge=1", "thresh" },
	{ "pcu", "event=0x80,occ_sel=1,filter_band0=1", "filter_band0" },

	/* Filters on events that do not look at them */
	{ "cbox_0", "event=0x13,umask=0x01,filter_tid=1", "tid_en" },
	{ "cbox_0", "event=0x34,umask=0x03,filter_tid=0x1f", "tid_en" },
	{ "cbox_0", "event=0x00,filter_tid=1", "tid_en" },
	{ "cbox_0", "event=0x13,umask=0x01,filter_nid=1", "filter_nid" },
	{ "cbox_0", "event=0x13,umask=0x01,filter_state=1", "filter_state" },
	{ "cbox_0", "event=0x13,umask=0x01,filter_opc=0x182", "filter_opc" },
	{ "cbox_0", "event=0x34,umask=0x03,filter_nid=1",
	  "filter_nid has no effect on llc_lookup with umask 0x3: " },
	{ "cbox_0", "event=0x34,umask=0x03,filter_opc=0x182", "filter_opc" },
	{ "cbox_0", "event=0x35,umask=0x03,filter_opc=0x182,filter_state=1",
	  "filter_state" },
	{ "cbox_0", "event=0x35,umask=0x03,filter_opc=0x182,filter_nid=1",
	  "filter_nid" },
	{ "cbox_0", "event=0x35,umask=0x04,filter_opc=0x182", "filter_opc" },
	{ "cbox_0", "event=0x35,umask=0x0a,filter_opc=0x182", "filter_opc" },
	{ "cbox_0", "event=0x35,umask=0x4a,filter_nid=1,filter_opc=0x182",
	  "filter_opc" },
	{ "cbox_0", "event=0x36,umask=0x08,filter_nid=1", "filter_nid" },
	{ "cbox_0", "event=0x37,umask=0x01,filter_nid=1", "filter_nid" },
	{ "cbox_0", "event=0x37,umask=0x01,filter_state=8", "filter_state" },
	{ "ha", "event=0x01,umask=0x03,filter_addr=1", "filter_addr" },
	{ "ha", "event=0x01,umask=0x03,filter_opc=1", "filter_opc" },
	{ "ha", "event=0x00,filter_addr=0x1000", "filter_addr" },
	{ "pcu", "event=0x01,filter_band0=1",
	  "filter_band0 has no effect on volt_trans_cycles_increase: " },
	{ "pcu", "event=0x0b,filter_band0=1,filter_band1=1", "filter_band1" },
	{ "pcu", "event=0x0c,filter_band0=1,filter_band1=1", "filter_band0" },
	{ "pcu", "event=0x0d,filter_band2=1,filter_band3=1", "filter_band3" },
	{ "pcu", "event=0x0e,filter_band3=1,filter_band2=1", "filter_band2" },
	{ "pcu", "event=0x103,filter_band0=1", "filter_band0" },
	{ "qpi_0", "event=0x04,match_mc=1,mask_mc=1", "packet filter" },
	{ "qpi_0", "event=0x14,mask_opc=1", "packet filter" },
	{ "qpi_0", "event=0x102,umask=0x08,mask_rds=0xf", "packet filter" },

	/* Filters that are needed, and not there */
	{ "ha", "event=0x20,umask=0x03", "without filter_addr" },
	{ "ha", "event=0x20,umask=0x03,filter_opc=0x2d", "without filter_addr" },
	{ "cbox_0", "event=0x34,umask=0x41", "without filter_nid" },
	{ "cbox_0", "event=0x35,umask=0x01",
	  "tor_inserts with umask 0x1 counts nothing without filter_opc" },
	{ "cbox_0", "event=0x35,umask=0x03", "without filter_opc" },
	{ "cbox_0", "event=0x35,umask=0x48", "without filter_nid" },
	{ "cbox_0", "event=0x35,umask=0x43,filter_nid=1",
	  "without filter_opc" },
	{ "cbox_0", "event=0x35,umask=0x41,filter_opc=0x182",
	  "without filter_nid" },
	{ "cbox_0", "event=0x36,umask=0x01", "without filter_opc" },
	{ "cbox_0", "event=0x36,umask=0x44", "without filter_nid" },
	{ "cbox_0", "event=0x37,umask=0x40", "without filter_nid" },
	{ "pcu", "event=0x0b", "without filter_band0" },
	{ "pcu", "event=0x0c", "without filter_band1" },
	{ "pcu", "event=0x0d", "without filter_band2" },
	{ "pcu", "event=0x0e", "without filter_band3" },
	{ "pcu", "event=0x8b,occ_sel=1,thresh=4,inv=1",
	  "without filter_band0" },

	/* Table 2-12: an opcode has its two highest bits set */
	{ "cbox_0", "event=0x35,umask=0x01,filter_opc=0x02", "highest bits" },
	{ "cbox_0", "event=0x35,umask=0x03,filter_opc=0x082",
	  "highest bits" },
	{ "cbox_0", "event=0x36,umask=0x03,filter_opc=0x102",
	  "highest bits" },

	/* Tables 2-88 to 2-91: a match outside its mask never matches */
	{ "qpi_0", "event=0x138,match_mc=0xe", "no mask bit" },
	{ "qpi_0", "event=0x138,match_mc=0xe,mask_mc=0x7", "no mask bit" },
	{ "qpi_0", "event=0x138,match_rds=1,mask_mc=0xf", "no mask bit" },
	{ "qpi_0", "event=0x138,match_rnid4=1,mask_rnid30=0xf",
	  "no mask bit" },

	/* Section 2.5.8 */
	{ "imc_0", "event=0x83,umask=0x01,thresh=1,edge=1,inv=1", "not both" },

	/* Threshold with the events that have more than one increment */
	{ "imc_0", "event=0x81,edge=1", "thresh" },
	{ "r3qpi_0", "event=0x13,umask=0x01,inv=1,edge=1", "thresh" },
	{ "qpi_0", "event=0x0b,inv=1", "thresh" },
};

/* Groups whose last event is refused */
static const struct group_refusal {
	const char *box;
	const char *text[6];
	const char *log;
} groups[] = {
	/* Counters: Tables 2-14, 2-108, 2-122 */
	{ "cbox_0", { "event=0x34,umask=3", "event=0x13,umask=1",
		      "event=0x02,umask=1" }, "more counters" },
	{ "cbox_0", { "event=0x11,umask=1", "event=0x36,umask=8" },
	  "more counters" },
	{ "cbox_0", { "event=0x36,umask=8", "event=0x34,umask=3",
		      "event=0x13,umask=1" }, "more counters" },
	{ "cbox_0", { "event=0x1b,umask=1", "event=0x1c,umask=1",
		      "event=0x1d,umask=1" }, "more counters" },
	{ "cbox_0", { "event=0x36,umask=8", "event=0x1f,thresh=1",
		      "event=0x1f,thresh=2", "event=0x1f,thresh=3",
		      "event=0x00" }, "more counters" },
	{ "cbox_0", { "event=0x34,umask=3", "event=0x1f,thresh=1" },
	  "event that counts on counter 0" },
	{ "r2pcie", { "event=0x12", "event=0x24" }, "more counters" },
	{ "r2pcie", { "event=0x10,umask=8", "event=0x10,umask=0x10",
		      "event=0x12" }, "more counters" },
	{ "r2pcie", { "event=0x07,umask=1", "event=0x08,umask=1",
		      "event=0x0a,umask=5" }, "more counters" },
	{ "r3qpi_0", { "event=0x13,umask=1", "event=0x13,umask=2" },
	  "more counters" },
	{ "r3qpi_0", { "event=0x09,umask=1", "event=0x0a,umask=0xa" },
	  "more counters" },
	{ "r3qpi_0", { "event=0x10,umask=1", "event=0x11,umask=1",
		       "event=0x31" }, "more counters" },
	{ "imc_0", { "event=0xff", "event=0xff" }, "more counters" },
	{ "ubox", { "event=0xff", "event=0xff" }, "more counters" },
	{ "ubox", { "event=0x44", "event=0xff", "event=0x42,umask=1",
		    "event=0x42,umask=2" }, "more counters" },

	/* Two values of one filter */
	{ "cbox_0", { "event=0x00,tid_en=1,filter_tid=2",
		      "event=0x13,umask=1,tid_en=1,filter_tid=3" },
	  "different values" },
	{ "cbox_0", { "event=0x00,tid_en=1,filter_tid=2",
		      "event=0x13,umask=1,tid_en=1" }, "different values" },
	{ "cbox_0", { "event=0x34,umask=3,filter_state=1",
		      "event=0x34,umask=3,filter_state=2" },
	  "different values" },
	{ "cbox_0", { "event=0x34,umask=3,filter_state=1",
		      "event=0x34,umask=5" }, "different values" },
	{ "cbox_0", { "event=0x35,umask=3,filter_opc=0x182",
		      "event=0x36,umask=3,filter_opc=0x180" },
	  "different values" },
	{ "cbox_0", { "event=0x35,umask=0x48,filter_nid=1",
		      "event=0x37,umask=0x40,filter_nid=2" },
	  "different values" },
	{ "cbox_0", { "event=0x35,umask=0x43,filter_nid=1,filter_opc=0x182",
		      "event=0x00",
		      "event=0x36,umask=0x43,filter_nid=2,filter_opc=0x182" },
	  "different values" },
	{ "ha", { "event=0x20,umask=3,filter_addr=1,filter_opc=1",
		  "event=0x20,umask=3,filter_addr=2,filter_opc=1" },
	  "different values" },
	{ "ha", { "event=0x20,umask=3,filter_addr=1,filter_opc=1",
		  "event=0x20,umask=3,filter_addr=1,filter_opc=2" },
	  "different values" },
	{ "pcu", { "event=0x0b,filter_band0=10", "event=0x0b,filter_band0=11" },
	  "different values" },
	{ "pcu", { "event=0x0c,filter_band1=10",
		   "event=0x8c,occ_sel=1,filter_band1=11" },
	  "different values" },
	{ "pcu", { "event=0x0d,filter_band2=10", "event=0x0d,filter_band2=11" },
	  "different values" },
	{ "pcu", { "event=0x0e,filter_band3=10", "event=0x0e,filter_band3=11" },
	  "different values" },
	/* PCUFilter[7:0] is a filter of demotions, but not of core 2's */
	{ "pcu", { "event=0x1e", "event=0x0b,filter_band0=10" },
	  "different values" },
	{ "pcu", { "event=0x0b,filter_band0=10", "event=0x20",
		   "event=0xa5,occ_sel=1,thresh=1" }, "different values" },
	{ "pcu", { "event=0x1f,filter_band0=9", "event=0x21" },
	  "different values" },
	{ "qpi_0", { "event=0x138,match_mc=0xe,mask_mc=0xf",
		     "event=0x138,match_mc=0xc,mask_mc=0xf" },
	  "different values" },
	{ "qpi_0", { "event=0x138,match_mc=0xe,mask_mc=0xf",
		     "event=0x138,match_mc=0xe,mask_mc=0xe" },
	  "different values" },
	{ "qpi_0", { "event=0x138", "event=0x138,mask_mc=0xf" },
	  "different values" },
};

/* What no event of any box can have */
enum how {
	SAMPLE, FREQ, TASK, TASK_ON_CPU, EXCL_USER, EXCL_KERNEL, EXCL_HV,
	EXCL_IDLE, EXCL_HOST, BRANCH, OFFLINE, OTHER_BOX, OTHER_SOCKET,
	CONFIG3, CONFIG4,
	NR_HOW
};

static const struct attr_rule {
	const char *what, *log;
	int err;
} attr_rules[NR_HOW] = {
	[SAMPLE] = { "a sample period", "cannot sample", EOPNOTSUPP },
	[FREQ] = { "a sample frequency", "cannot sample", EOPNOTSUPP },
	[TASK] = { "a task", "not a task", EINVAL },
	[TASK_ON_CPU] = { "a task on a CPU", "not a task", EINVAL },
	[EXCL_USER] = { "exclude_user", "who caused", EINVAL },
	[EXCL_KERNEL] = { "exclude_kernel", "who caused", EINVAL },
	[EXCL_HV] = { "exclude_hv", "who caused", EINVAL },
	[EXCL_IDLE] = { "exclude_idle", "who caused", EINVAL },
	[EXCL_HOST] = { "exclude_host", "who caused", EINVAL },
	[BRANCH] = { "a branch stack", "branch stack", EOPNOTSUPP },
	[OFFLINE] = { "a CPU that is offline", "not online", ENODEV },
	[OTHER_BOX] = { "a group with another box", "other boxes", EINVAL },
	[OTHER_SOCKET] = { "a group with another socket", "two sockets",
			   EINVAL },
	[CONFIG3] = { "config3", "config3", EINVAL },
	[CONFIG4] = { "config4", "config4", EINVAL },
};

static int kmsg;
static unsigned int max_tests;
static int offline_cpu = -1;

/* Around one refusal: what must not happen, and what must be said */
struct watch {
	struct tally before;
};

static void watch_begin(struct watch *w)
{
	char none[2];

	kmsg_has(kmsg, NULL, none, sizeof(none));
	w->before = model_tally(-1, NULL, NULL);
}

/* Say what is wrong with the outcome of an open that should be refused */
static bool watch_end(struct watch *w, const struct uncore_pmu *pmu, int fd,
		      int err, const char *log)
{
	struct tally after = model_tally(-1, NULL, NULL);
	char line[512], want[64];
	bool good = true;

	if (fd >= 0) {
		ksft_print_msg("taken\n");
		close(fd);
		return false;
	}
	if (fd != -err) {
		ksft_print_msg("errno %d (%s), not %d (%s)\n", -fd,
			       strerror(-fd), err, strerror(err));
		good = false;
	}
	if (!kmsg_has(kmsg, log, line, sizeof(line))) {
		ksft_print_msg("the log says '%s', and nothing of '%s'\n",
			       line, log);
		good = false;
	}
	snprintf(want, sizeof(want), "%s: ", pmu->name);
	if (strncmp(line, want, strlen(want))) {
		ksft_print_msg("the log says '%s': not of %s\n", line,
			       pmu->name);
		good = false;
	}
	if (after.writes != w->before.writes) {
		ksft_print_msg("%llu registers were written\n",
			       (unsigned long long)(after.writes -
						    w->before.writes));
		good = false;
	}
	return good;
}

static bool refused(const char *box, const char *text, int err,
		    const char *log)
{
	const struct uncore_pmu *pmu = uncore_pmu(box);
	struct watch w;

	watch_begin(&w);
	return watch_end(&w, pmu, uncore_try(pmu, text, 0, -1), err, log);
}

static void test_refusals(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(refusals); i++) {
		const struct refusal *r = &refusals[i];

		ksft_test_result(refused(r->box, r->text, EINVAL, r->log),
				 "%s/%s/: %s\n", r->box, r->text, r->log);
	}
}

static void test_groups(void)
{
	unsigned int i, n, j;

	for (i = 0; i < ARRAY_SIZE(groups); i++) {
		const struct group_refusal *r = &groups[i];
		const struct uncore_pmu *pmu = uncore_pmu(r->box);
		struct watch w;
		int fd[6];

		fd[0] = -1;
		for (n = 0; r->text[n + 1]; n++)
			fd[n] = uncore_open(pmu, r->text[n], 0,
					    n ? fd[0] : -1);
		watch_begin(&w);
		ksft_test_result(watch_end(&w, pmu,
					   uncore_try(pmu, r->text[n], 0,
						      fd[0]),
					   EINVAL, r->log),
				 "%s: {%s,...} with %s: %s\n", r->box,
				 r->text[0], r->text[n], r->log);
		/* What looks at counter 0 is gone before what counts there. */
		for (j = n; j--;)
			close(fd[j]);
	}
}

/* Every bit that is no field is refused on its own. */
static void test_reserved(const struct kind *k, unsigned int word)
{
	static const char * const name[] = { "config", "config1", "config2" };
	const struct uncore_pmu *pmu = uncore_pmu(k->box);
	unsigned int bit, n = 0;
	bool good = true;
	char log[32];

	snprintf(log, sizeof(log), "%s bits 0x", name[word]);
	for (bit = 0; bit < 64; bit++) {
		struct perf_event_attr attr;
		struct uncore_enc enc;
		struct watch w;
		char exact[64];

		if (k->bits[word] & (1ull << bit))
			continue;
		uncore_encode(pmu, k->plain, &enc);
		enc.word[word] |= 1ull << bit;
		attr = uncore_attr(pmu, &enc);
		snprintf(exact, sizeof(exact), "%s%llx ", log, 1ull << bit);
		watch_begin(&w);
		if (!watch_end(&w, pmu, uncore_open_attr(&attr, pmu->cpu[0], -1),
			       EINVAL, exact)) {
			ksft_print_msg("%s: bit %u of %s\n", k->box, bit,
				       name[word]);
			good = false;
		}
		n++;
	}
	ksft_test_result(good && n, "%s: %u reserved bits of %s\n", k->box, n,
			 name[word]);
}

static void check(const struct kind *k, const char *text, const char *log,
		  const char *what)
{
	ksft_test_result(refused(k->box, text, EINVAL, log), "%s/%s/: %s\n",
			 k->box, text, what);
}

/* Rules that all kinds share */
static void test_kind(const struct kind *k)
{
	char text[64], log[128];

	snprintf(text, sizeof(text), "event=%#x", k->no_code);
	check(k, text, "no event", "no event of the guide");

	snprintf(text, sizeof(text), "%s,edge=1", k->plain);
	check(k, text, k->table, "edge without a threshold");
	snprintf(text, sizeof(text), "%s,inv=1", k->plain);
	check(k, text, "thresh", "inv without a threshold");
	snprintf(text, sizeof(text), "%s,inv=1,edge=1", k->plain);
	check(k, text, "thresh", "both without a threshold");

	if (!k->event)
		return;
	snprintf(text, sizeof(text), "%.*s", (int)strcspn(k->event, ","),
		 k->event);
	snprintf(log, sizeof(log), "%s counts nothing without a unit mask",
		 k->name);
	check(k, text, log, "no unit mask");
	snprintf(text, sizeof(text), "%s,umask=0x80", k->event);
	snprintf(log, sizeof(log), "neither a unit mask of %s", k->name);
	check(k, text, log, "a unit mask that the event has not");
	snprintf(text, sizeof(text), "%s,umask=0x1", k->plain);
	snprintf(log, sizeof(log), "%s has no unit masks", k->plain_name);
	check(k, text, log, "a unit mask of an event without");
}

/* One event more than there are counters */
static void test_too_many(const struct kind *k)
{
	static const char * const any[] = {
		"cbox", "event=0x00", "ha", "event=0x0e", "imc", "event=0x01",
		"pcu", "event=0x01", "qpi", "event=0x04",
		"r2pcie", "event=0x01", "r3qpi", "event=0x01",
		"ubox", "event=0x44",
	};
	const struct uncore_pmu *pmu = uncore_pmu(k->box);
	const char *text = NULL;
	unsigned int i;
	struct watch w;
	int fd[4];

	for (i = 0; i < ARRAY_SIZE(any); i += 2) {
		if (!strcmp(any[i], pmu->kind))
			text = any[i + 1];
	}
	for (i = 0; i < k->counters; i++)
		fd[i] = uncore_open(pmu, text, 0, i ? fd[0] : -1);
	watch_begin(&w);
	ksft_test_result(watch_end(&w, pmu, uncore_try(pmu, text, 0, fd[0]),
				   EINVAL, "more counters"),
			 "%s: a group of %u\n", k->box, k->counters + 1);
	for (i = 0; i < k->counters; i++)
		close(fd[i]);
}

static bool set_how(struct perf_event_attr *attr, enum how how)
{
	switch (how) {
	case SAMPLE:
		attr->sample_period = 100000;
		return true;
	case FREQ:
		attr->freq = 1;
		attr->sample_freq = 100;
		return true;
	case EXCL_USER:
		attr->exclude_user = 1;
		return true;
	case EXCL_KERNEL:
		attr->exclude_kernel = 1;
		return true;
	case EXCL_HV:
		attr->exclude_hv = 1;
		return true;
	case EXCL_IDLE:
		attr->exclude_idle = 1;
		return true;
	case EXCL_HOST:
		attr->exclude_host = 1;
		return true;
	case BRANCH:
		attr->sample_type = PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = PERF_SAMPLE_BRANCH_ANY;
		return true;
	default:
		return false;
	}
}

/*
 * The structure of newer kernels has config3 after its first 128 bytes, and
 * config4 after 136.
 */
static int open_longer(const struct perf_event_attr *attr, enum how how, int cpu)
{
	size_t at = how == CONFIG3 ? 128 : 136;
	union {
		struct perf_event_attr attr;
		unsigned char bytes[144];
	} big;

	memset(&big, 0, sizeof(big));
	memcpy(big.bytes, attr, 128);
	big.attr.size = at + 8;
	big.bytes[at] = 1;
	return uncore_open_attr(&big.attr, cpu, -1);
}

/* Whether this kernel knows the word: it refuses a structure too long for it */
static bool have_word(const struct uncore_pmu *pmu, struct perf_event_attr *attr,
		      enum how how)
{
	int fd = open_longer(attr, how, pmu->cpu[0]);

	if (fd >= 0)
		close(fd);
	return fd != -E2BIG;
}

/* Leader of the group that the event is to join, or -1 */
static int open_leader(const struct uncore_pmu *pmu,
		       const struct perf_event_attr *attr, enum how how)
{
	const struct uncore_pmu *other;

	if (how == OTHER_SOCKET)
		return uncore_open_attr(attr, pmu->cpu[1], -1);
	if (how != OTHER_BOX)
		return -1;
	other = uncore_pmu(strcmp(pmu->kind, "ha") ? "ha" : "r2pcie");
	return uncore_open(other, "event=0x12", 0, -1);
}

static int open_how(const struct uncore_pmu *pmu,
		    const struct perf_event_attr *attr, enum how how,
		    int leader)
{
	int fd;

	switch (how) {
	case TASK:
	case TASK_ON_CPU:
		fd = syscall(SYS_perf_event_open, attr, 0,
			     how == TASK ? -1 : pmu->cpu[0], -1, 0);
		return fd < 0 ? -errno : fd;
	case OFFLINE:
		return uncore_open_attr(attr, offline_cpu, -1);
	case CONFIG3:
	case CONFIG4:
		return open_longer(attr, how, pmu->cpu[0]);
	default:
		return uncore_open_attr(attr, pmu->cpu[0], leader);
	}
}

static void test_attr(const struct kind *k, enum how how)
{
	const struct uncore_pmu *pmu = uncore_pmu(k->box);
	const struct attr_rule *rule = &attr_rules[how];
	struct perf_event_attr attr;
	struct uncore_enc enc;
	struct watch w;
	int leader;

	uncore_encode(pmu, k->plain, &enc);
	attr = uncore_attr(pmu, &enc);
	set_how(&attr, how);
	if ((how == CONFIG3 || how == CONFIG4) && !have_word(pmu, &attr, how)) {
		ksft_test_result_skip("%s: %s (this kernel has none)\n",
				      k->box, rule->what);
		return;
	}
	if (how == OTHER_SOCKET && uncore_nr_sockets < 2) {
		ksft_test_result_skip("%s: another socket (there is one)\n",
				      k->box);
		return;
	}
	leader = open_leader(pmu, &attr, how);
	watch_begin(&w);
	ksft_test_result(watch_end(&w, pmu, open_how(pmu, &attr, how, leader),
				   rule->err, rule->log),
			 "%s: %s\n", k->box, rule->what);
	if (leader >= 0)
		close(leader);
}

/*
 * perf sets it unasked, so it is refused without a word. perf 6.13 and later also
 * ask so, in the name of a task, what an event that was refused may lack: the
 * log's last line is to be about the event.
 */
static void test_exclude_guest(void)
{
	const struct uncore_pmu *pmu = uncore_pmu("ha");
	struct perf_event_attr attr;
	struct uncore_enc enc;
	char line[256];
	int fd;

	uncore_encode(pmu, "event=0x00", &enc);
	attr = uncore_attr(pmu, &enc);
	attr.exclude_guest = 1;
	kmsg_has(kmsg, NULL, line, sizeof(line));
	fd = uncore_open_attr(&attr, pmu->cpu[0], -1);
	ksft_test_result(fd == -EINVAL && !kmsg_has(kmsg, "snbep", line,
						    sizeof(line)),
			 "exclude_guest: refused, without a line in the log\n");
	if (fd >= 0)
		close(fd);

	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	ksft_test_result(fd < 0 && errno == EINVAL &&
			 !kmsg_has(kmsg, "snbep", line, sizeof(line)),
			 "exclude_guest of a task: refused, without a line in the log\n");
	if (fd >= 0)
		close(fd);
}

/* What all these cases differ from is taken. */
static void test_taken(const struct kind *k)
{
	const struct uncore_pmu *pmu = uncore_pmu(k->box);
	bool good = true;
	unsigned int i;

	for (i = 0; i < 2; i++) {
		const char *text = i ? k->plain : k->event;
		int fd;

		if (!text)
			continue;
		fd = uncore_try(pmu, text, 0, -1);
		if (fd < 0) {
			ksft_print_msg("%s/%s/: %s\n", pmu->name, text,
				       strerror(-fd));
			good = false;
		} else {
			close(fd);
		}
	}
	ksft_test_result(good, "%s: its events are taken\n", k->box);
}

/* Without the bit in the PCU (pcu-ext=drop and fault of the model) */
static void test_no_ext(void)
{
	const struct uncore_pmu *pmu = uncore_pmu("pcu");
	char *format = read_text("/sys/bus/event_source/devices/%s/format/event",
				 pmu->name);
	char **alias, text[64], log[64];
	unsigned int code, listed = 0;

	ksft_set_plan(12 + 3);
	for (code = 0x00; code <= 0x0b; code++) {
		struct watch w;

		snprintf(text, sizeof(text), "config=%#x",
			 1u << 21 | code);
		snprintf(log, sizeof(log), "event %#x needs the extended select",
			 0x100 | code);
		watch_begin(&w);
		ksft_test_result(watch_end(&w, pmu,
					   uncore_try(pmu, text, 0, -1),
					   EOPNOTSUPP, log),
				 "pcu: extended event %#x\n", code);
	}
	ksft_test_result(format && !strcmp(format, "config:0-7"),
			 "pcu: format/event is config:0-7 (%s)\n", format);
	for (alias = uncore_aliases(pmu); *alias; alias++) {
		char *s = uncore_alias(pmu, *alias);

		if (strtoul(s + strlen("event="), NULL, 0) > 0xff) {
			ksft_print_msg("%s is listed\n", *alias);
			listed++;
		}
		free(s);
	}
	ksft_test_result(!listed, "pcu: no extended event is listed\n");
	ksft_test_result(uncore_open(pmu, "event=0x03", 0, -1) >= 0,
			 "pcu: event 0x03, without the bit, is taken\n");
}

/* A port whose filters cannot be reached: the BIOS hides their function */
static void test_no_filter(const char *box)
{
	static const char * const texts[] = {
		"event=0x138", "event=0x138,match_mc=0xe,mask_mc=0xf",
		"event=0x138,mask_rds=0xf",
	};
	const struct uncore_pmu *pmu = uncore_pmu(box);
	unsigned int i;
	int fd;

	ksft_set_plan(ARRAY_SIZE(texts) + 1);
	for (i = 0; i < ARRAY_SIZE(texts); i++)
		ksft_test_result(refused(box, texts[i], EOPNOTSUPP,
					 "packet filters of socket 0 are not accessible"),
				 "%s/%s/: filters out of reach\n", box,
				 texts[i]);
	fd = uncore_open(pmu, "event=0x102,umask=0x08", 0, -1);
	model("stim 0 %s event=0x02,ext=1,umask=0x08,count=77", box);
	ksft_test_result(uncore_read(fd) == 77,
			 "%s: other events are counted\n", box);
	close(fd);
}

/* A number of lines is none that is below zero or too large to be stored. */
static void test_log_burst(void)
{
	static const char burst[] =
		"/sys/module/snbep_uncore/parameters/log_burst";
	static const char * const bad[] = { "-1", "0x80000000", "many" };
	unsigned int i, taken = 0;
	char *text;

	for (i = 0; i < ARRAY_SIZE(bad); i++)
		taken += write_text(bad[i], burst);
	text = read_text(burst);
	ksft_test_result(!taken && text && !strcmp(text, "100000"),
			 "log_burst: %u bad values are taken, and it is %s\n",
			 taken, text);
	free(text);
}

/* perf asks the driver first, and then whether the user may count at all. */
static void test_nobody(void)
{
	const struct uncore_pmu *pmu = uncore_pmu("cbox_0");
	unsigned int i, refused = 0;
	char line[256];
	int status;
	pid_t pid;

	write_text("2", "/proc/sys/kernel/perf_event_paranoid");
	kmsg_has(kmsg, NULL, NULL, 0);
	pid = fork();
	if (!pid) {
		if (setgid(65534) || setuid(65534))
			_exit(100);
		for (i = 0; i < 10; i++)
			refused += uncore_try(pmu, "event=0xff", 0, -1) < 0;
		_exit(refused);
	}
	waitpid(pid, &status, 0);
	ksft_test_result(WEXITSTATUS(status) == 10 &&
			 !kmsg_has(kmsg, "snbep_uncore", line, sizeof(line)),
			 "nobody's mistakes do not fill the log: %s\n", line);
	uncore_try(pmu, "event=0xff", 0, -1);
	ksft_test_result(kmsg_has(kmsg, "no event 0xff", line, sizeof(line)),
			 "root's are in it\n");
}

/* What no list has counts if the user insists. */
static void test_unlisted(void)
{
	static const char parameter[] =
		"/sys/module/snbep_uncore/parameters/unlisted";
	static const struct {
		const char *box, *text;
	} uses[] = {
		{ "cbox_0", "event=0x15,umask=0x01" },
		{ "ha", "event=0x3d,umask=0x0f" },
		{ "imc_0", "event=0x03" },
		{ "qpi_0", "event=0x36,umask=0x80" },
		{ "r2pcie", "event=0x27,umask=0x08" },
		{ "r3qpi_1", "event=0x27,umask=0x08" },
		{ "ubox", "event=0x40,umask=0x10" },
		{ "pcu", "event=0x77" },
		{ "cbox_0", "event=0x34,umask=0x1d" },
		{ "ha", "event=0x3e,umask=0x1f" },
	};
	unsigned int i, before = 0, with = 0, after = 0;
	struct perf_event_attr attr;
	char line[256] = "";
	struct uncore_enc enc;
	int fd;

	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		const struct uncore_pmu *pmu = uncore_pmu(uses[i].box);

		kmsg_has(kmsg, NULL, NULL, 0);
		uncore_encode(pmu, uses[i].text, &enc);
		attr = uncore_attr(pmu, &enc);
		/* Not counted, as the model's judge knows no more. */
		attr.disabled = 1;
		before += uncore_open_attr(&attr, pmu->cpu[0], -1) == -EINVAL &&
			  kmsg_has(kmsg, "unlisted=1", line, sizeof(line));
		write_text("Y", parameter);
		fd = uncore_open_attr(&attr, pmu->cpu[0], -1);
		with += fd >= 0;
		close(fd);
		write_text("N", parameter);
		after += uncore_open_attr(&attr, pmu->cpu[0], -1) == -EINVAL;
	}
	ksft_test_result(before == i && after == i,
			 "what no list has is refused, and unlisted=1 named (%u, %u of %u): %s\n",
			 before, after, i, line);
	ksft_test_result(with == i, "with it they are taken (%u of %u)\n",
			 with, i);
}

static void test_all(void)
{
	unsigned int i, how;

	max_tests = ARRAY_SIZE(refusals) + ARRAY_SIZE(groups) + 7;
	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		max_tests += 1 + UNCORE_WORDS + 4 + !!kinds[i].event * 3 + 1 +
			     NR_HOW;
	ksft_set_plan(max_tests);

	for (i = 0; i < ARRAY_SIZE(kinds); i++)
		test_taken(&kinds[i]);
	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		unsigned int word;

		for (word = 0; word < UNCORE_WORDS; word++)
			test_reserved(&kinds[i], word);
		test_kind(&kinds[i]);
		test_too_many(&kinds[i]);
	}
	test_refusals();
	test_groups();
	test_exclude_guest();
	test_log_burst();
	test_nobody();
	test_unlisted();

	/* A CPU that is not the one that counts */
	offline_cpu = uncore_socket_cpu(0, 1);
	if (offline_cpu < 0 ||
	    !write_text("0", "/sys/devices/system/cpu/cpu%d/online",
			offline_cpu))
		ksft_exit_fail_msg("no second CPU in socket 0 that can go offline\n");
	for (how = 0; how < NR_HOW; how++) {
		for (i = 0; i < ARRAY_SIZE(kinds); i++)
			test_attr(&kinds[i], how);
	}
	write_text("1", "/sys/devices/system/cpu/cpu%d/online", offline_cpu);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	ksft_print_header();
	model_init();
	uncore_init("snbep_uncore_");
	/* Every refusal is to be read in the log. */
	if (!write_text("100000",
			"/sys/module/snbep_uncore/parameters/log_burst"))
		ksft_exit_fail_msg("log_burst cannot be set\n");
	kmsg = kmsg_open();
	if (argc == 2 && !strcmp(argv[1], "no-ext"))
		test_no_ext();
	else if (argc == 3 && !strcmp(argv[1], "no-filter"))
		test_no_filter(argv[2]);
	else
		test_all();
	ksft_finished();
}
