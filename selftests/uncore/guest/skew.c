// SPDX-License-Identifier: GPL-2.0-only
/*
 * What a read of a group gives and what a freeze around it would cost: how far apart
 * the members of a group are read, and how many counts are lost, with and without a
 * freeze that this program writes. The counters are of one clock, so that exact
 * numbers come of it; what time a register access takes is the emulator's.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "kselftest.h"
#include "lib/model.h"
#include "lib/uncore.h"

#define MEMBERS		4
#define CBOX_0_BOX_CTL	0xd04	/* Table 2-8 */
#define FRZ_EN		0x10000ull
#define FRZ		0x100ull

static int group[MEMBERS], uclk, msr;

static void freeze(uint64_t frz)
{
	uint64_t val = FRZ_EN | frz;

	if (pwrite(msr, &val, sizeof(val), CBOX_0_BOX_CTL) != sizeof(val))
		ksft_exit_fail_msg("box control: %s\n", strerror(errno));
}

/* The first count of the group, and between which two values of UCLK it was read */
struct moment {
	uint64_t before, count, after, skew;
};

static void take(struct moment *m, bool frozen)
{
	uint64_t counts[MEMBERS];
	struct uncore_times times;

	m->before = uncore_read(uclk);
	if (frozen)
		freeze(FRZ);
	uncore_read_group(group[0], MEMBERS, counts, &times);
	if (frozen)
		freeze(0);
	m->after = uncore_read(uclk);
	m->count = counts[0];
	m->skew = counts[MEMBERS - 1] - counts[0];
}

static void measure(bool frozen, unsigned int hz)
{
	unsigned int i, reads = 2 * hz, same = 0;
	struct moment first, now;
	uint64_t most = 0, sum = 0, least, passed;

	take(&first, false);
	for (i = 0; i < reads; i++) {
		usleep(1000000 / hz);
		take(&now, frozen);
		same += !now.skew;
		sum += now.skew;
		if (now.skew > most)
			most = now.skew;
	}
	take(&now, false);
	passed = now.count - first.count;
	/* At least so many cycles went by between the two counts, and at most. */
	least = now.before - first.after;
	printf("# %u reads/s, %s: members %llu cycles apart, %llu at most; %.1f of a million counts lost\n",
	       hz, frozen ? "frozen" : "not frozen",
	       (unsigned long long)(sum / reads), (unsigned long long)most,
	       passed < least ? 1e6 * (least - passed) / least : 0.);
	if (frozen)
		ksft_test_result(same == reads,
				 "%u reads/s: members of a frozen box are read at one instant\n", hz);
	else
		ksft_test_result(passed + 2 >= least &&
				 passed <= now.after - first.before + 2,
				 "%u reads/s: a group read loses no counts\n", hz);
}

int main(void)
{
	unsigned int i;

	ksft_print_header();
	ksft_set_plan(4);
	model_init();
	uncore_init("snbep_uncore_");
	msr = open("/dev/cpu/0/msr", O_RDWR);
	if (msr < 0)
		ksft_exit_fail_msg("/dev/cpu/0/msr: %s\n", strerror(errno));
	uclk = uncore_open(uncore_pmu("ubox"), "event=0xff", 0, -1);
	for (i = 0; i < MEMBERS; i++)
		group[i] = uncore_open(uncore_pmu("cbox_0"), "event=0x0", 0,
				       i ? group[0] : -1);
	/* All begin at 0, and at one instant, as the leader comes last. */
	if (ioctl(group[0], PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP) ||
	    ioctl(group[0], PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP))
		ksft_exit_fail_perror("the group does not stop");
	for (i = MEMBERS; i--;) {
		if (ioctl(group[i], PERF_EVENT_IOC_ENABLE, 0))
			ksft_exit_fail_perror("the group does not start");
	}
	for (i = 0; i < 2; i++) {
		measure(i, 1);
		measure(i, 1000);
	}
	ksft_finished();
}
