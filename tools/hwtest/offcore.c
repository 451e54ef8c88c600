// SPDX-License-Identifier: GPL-2.0-only
/*
 * Offcore response events on counters 4 to 7, which a core has without hyper-threading. Linux's
 * core PMU puts them there; the SDM's table 18-35 has PMC0-3 alone.
 */
#include <stdio.h>
#include <unistd.h>

#include "hwtest.h"

#define PMC0		0xc1
#define PERFEVTSEL0	0x186
#define ENABLED		0x400000
#define OFFCORE_RSP_0	0x1b7
#define ANYTHING	0x18fff		/* any request, any response */
#define NR_CTRS		8
#define NR_OFFCORE	4

/* Read the counters that have the event; returns a mask of them. */
static unsigned int read_counters(int cpu, uint64_t val[NR_CTRS])
{
	unsigned int i, mask = 0;
	uint64_t sel;

	for (i = 0; i < NR_CTRS; i++) {
		if (read_msr(cpu, PERFEVTSEL0 + i, &sel) &&
		    (sel & (ENABLED | 0xffff)) == (ENABLED | OFFCORE_RSP_0) &&
		    read_msr(cpu, PMC0 + i, &val[i]))
			mask |= 1 << i;
	}
	return mask;
}

/* Events of one value fill all counters. */
static bool fill_counters(int cpu, int fd[NR_CTRS])
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW, .size = sizeof(attr), .config = OFFCORE_RSP_0,
		.config1 = ANYTHING,
	};
	unsigned int i;

	for (i = 0; i < NR_CTRS; i++)
		fd[i] = event_open_attr(&attr, cpu, -1);
	return fd[0] >= 0;
}

void check_offcore(unsigned int socket)
{
	static const char *const what = "offcore response events on PMC4 to 7";
	uint64_t before[NR_CTRS], after[NR_CTRS], lines = 0;
	unsigned int has, i, moved = 0;
	int fd[NR_CTRS], cpu = core_of_socket(socket, 0);
	const char *why = NULL;

	run_on(cpu);
	if (!fill_counters(cpu, fd))
		why = "the kernel's core PMU takes no such event";
	has = read_counters(cpu, before);
	if (!why && !(has >> NR_OFFCORE))
		why = "the core has four counters: switch hyper-threading off in the BIOS";
	if (!why)
		why = make_flow(FLOW_READ, socket, socket, &lines);
	has &= read_counters(cpu, after);
	for (i = 0; i < NR_CTRS; i++) {
		if ((has & 1 << i) && after[i] != before[i])
			moved |= 1 << i;
		if (fd[i] >= 0)
			close(fd[i]);
	}
	if (!why && !(moved & ((1 << NR_OFFCORE) - 1)))
		why = "PMC0 to 3 count nothing of this traffic";
	if (why) {
		untold(why, "%s", what);
		return;
	}
	note("socket %u: counters with the event %#x, of which these counted %#x", socket, has,
	     moved);
	answer(!(moved >> NR_OFFCORE), "%s: they count %s", what,
	       moved >> NR_OFFCORE ? "there, too" : "on PMC0 to 3 alone, as in table 18-35");
}
