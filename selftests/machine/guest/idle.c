// SPDX-License-Identifier: GPL-2.0-only
/*
 * The machine is suspended to idle while events of all our modules that are loaded
 * count. Registers keep what they have, so that counts go on, and so does a clock.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kselftest.h"
#include "lib/canary.h"
#include "lib/model.h"
#include "lib/sleep.h"
#include "lib/uncore.h"

/* Frequency of the UBox's fixed counter, in events per microsecond */
#define UCLK		2000

#define EVENTS		(UNCORE_MAX_PMUS * UNCORE_MAX_SOCKETS)

static struct {
	const struct uncore_pmu *pmu;
	unsigned int socket;
	int fd;
} event[EVENTS];

static unsigned int nr_events;

static void count_more(unsigned int i, unsigned int n)
{
	model("stim %u %s %s,count=%u", event[i].socket, event[i].pmu->box,
	      uncore_kind(event[i].pmu)->event, n);
}

static void open_all(void)
{
	unsigned int i, s;

	for (i = 0; i < uncore_nr_pmus; i++) {
		for (s = 0; s < uncore_nr_sockets; s++) {
			const struct uncore_pmu *pmu = &uncore_pmus[i];

			event[nr_events].pmu = pmu;
			event[nr_events].socket = s;
			event[nr_events].fd = uncore_open(pmu,
							  uncore_kind(pmu)->event,
							  s, -1);
			nr_events++;
		}
	}
}

int main(void)
{
	uint64_t ticks, before[2], after[2], least, most;
	bool offcore, itanium;
	unsigned int i, wrong = 0;
	int uclk, o = -1, m = -1;

	ksft_print_header();
	model_init();
	uncore_init("snbep_uncore_");
	offcore = !access("/sys/bus/event_source/devices/offcore_rsp", F_OK);
	itanium = !access("/sys/bus/event_source/devices/itanium", F_OK);
	ksft_set_plan(3 + 2 * offcore + 2 * itanium);
	if (offcore) {
		canary_init_offcore();
		o = canary_open_offcore(0);
		ksft_test_result(canary_count_offcore(o, 0, 55, 55),
				 "offcore_rsp counts\n");
	}
	if (itanium) {
		m = canary_open_itanium(0);
		ksft_test_result(canary_count_itanium(m, 0, 55, 55),
				 "itanium counts\n");
	}
	open_all();
	uclk = uncore_open(uncore_pmu("ubox"), "event=0xff", 0, -1);
	for (i = 0; i < nr_events; i++)
		count_more(i, 100 + i);
	before[0] = now_ns();
	ticks = uncore_read(uclk);
	before[1] = now_ns();

	errno = 0;
	ksft_test_result(sleep_idle(), "it slept and woke up: %s\n",
			 strerror(errno));

	after[0] = now_ns();
	ticks = uncore_read(uclk) - ticks;
	after[1] = now_ns();
	/* One percent for what Linux takes the frequency of its clock to be */
	least = (after[0] - before[1]) / 1000 * UCLK / 100 * 99;
	most = (after[1] - before[0]) / 1000 * UCLK / 100 * 101;
	ksft_test_result(least <= ticks && ticks <= most,
			 "a clock went on: %llu ticks, of %llu to %llu\n",
			 (unsigned long long)ticks, (unsigned long long)least,
			 (unsigned long long)most);
	for (i = 0; i < nr_events; i++) {
		uint64_t count;

		count_more(i, 7);
		count = uncore_read(event[i].fd);
		if (count == 107 + i)
			continue;
		wrong++;
		ksft_print_msg("%s, socket %u: %llu, not %u\n",
			       event[i].pmu->name, event[i].socket,
			       (unsigned long long)count, 107 + i);
	}
	ksft_test_result(nr_events && !wrong, "%u events of %u count on\n",
			 nr_events - wrong, nr_events);
	if (offcore)
		ksft_test_result(canary_count_offcore(o, 0, 77, 55 + 77),
				 "offcore_rsp counts on\n");
	if (itanium)
		ksft_test_result(canary_count_itanium(m, 0, 77, 55 + 77),
				 "itanium counts on\n");
	ksft_finished();
}
