// SPDX-License-Identifier: GPL-2.0-only
/*
 * share [kernel|direct]: events of offcore_rsp in groups with others, and more values than
 * registers. The protocol checker reports a register that changes under a running counter.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/model.h"
#include "api/offcore.h"
#include "api/test.h"

static int open_or_die(struct perf_event_attr *attr, int cpu, int group)
{
	int fd = uncore_open_attr(attr, cpu, group);

	if (fd < 0)
		ksft_exit_fail_msg("type %u, config %#llx on CPU %d: %s\n",
				   attr->type, (unsigned long long)attr->config,
				   cpu, strerror(-fd));
	return fd;
}

static struct perf_event_attr attr_of(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr) {
		.type = type,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.read_format = UNCORE_READ_FORMAT,
	};
}

/* Groups of an offcore_rsp event and another PMU's, with either as leader */
static void test_mixed_group(const char *what, uint32_t type, uint64_t config)
{
	struct perf_event_attr other = attr_of(type, config);
	struct perf_event_attr ours = offcore_encode("dmnd_data_rd,any_response");

	for (int lead = 0; lead < 2; lead++) {
		struct uncore_times t;
		uint64_t counts[2];
		int leader, second;

		leader = open_or_die(lead ? &ours : &other, 0, -1);
		second = open_or_die(lead ? &other : &ours, 0, leader);
		offcore_inject_any(0, "dmnd_data_rd", 1234, false);
		/* A clock of the guest may pause for some milliseconds. */
		do {
			uncore_read_group(leader, 2, counts, &t);
		} while (!(counts[lead] && t.running) && t.enabled < 10000000000ull);
		test_result(counts[!lead] == 1234 && counts[lead] &&
			    t.enabled == t.running && t.running,
			    "%s and an offcore event in one group, %s leads | %llu of 1234, and %llu\n",
			    what, lead ? "offcore" : what,
			    (unsigned long long)counts[!lead],
			    (unsigned long long)counts[lead]);
		close(second);
		close(leader);
	}
}

/*
 * Groups with other users of the registers: a raw event, of the second register if there is one,
 * and LLC-loads with LLC-load-misses. One value more than registers is refused with a reason.
 */
static void test_kernels_groups(void)
{
	struct perf_event_attr raw = attr_of(PERF_TYPE_RAW, 0x1bb);
	int leader, ours, llc[2] = { -1, -1 }, log = kmsg_open();
	struct uncore_times t;
	uint64_t counts[2];
	char last[256];

	/* Nehalem has no second register: 0x1bb is an ordinary event there. */
	if (offcore_nr_regs > 1)
		raw.config1 = offcore_value("dmnd_rfo");
	leader = open_or_die(&raw, 0, -1);
	ours = offcore_open("dmnd_data_rd,any_response", 0, leader);
	offcore_inject_any(0, "dmnd_data_rd", 12, false);
	offcore_inject_any(0, "dmnd_rfo", 34, false);
	uncore_read_group(leader, 2, counts, &t);
	ksft_test_result(counts[1] == 12 && counts[0] == (offcore_nr_regs > 1 ? 34 : 0) &&
			 t.enabled == t.running,
			 "the kernel's raw 0x1bb and an offcore event count in one group\n");
	ksft_test_result(offcore_try("wb,any_response", 0, leader) == -EINVAL,
			 "one value more than registers is refused there\n");
	close(ours);
	close(leader);
	for (unsigned int i = 0; i < offcore_nr_regs; i++) {
		struct perf_event_attr attr = attr_of(PERF_TYPE_HW_CACHE,
						      PERF_COUNT_HW_CACHE_LL | i << 16);

		llc[i] = open_or_die(&attr, 0, i ? llc[0] : -1);
	}
	ksft_test_result(offcore_try("wb,any_response", 0, llc[0]) == -EINVAL &&
			 kmsg_has(log, "each LLC-* and node-* event takes one", last, sizeof(last)),
			 "one value more beside LLC events is refused with a reason\n");
	for (unsigned int i = offcore_nr_regs; i--;)
		close(llc[i]);
	close(log);
	/* Ignore the finding that Nehalem has no such register. */
	if (offcore_nr_regs < 2)
		model("core-pmu checker reset");
}

/* Three values whose counters the model distinguishes by their ring */
static const struct {
	const char *request;
	bool usr, os;
} three[] = {
	{ "dmnd_data_rd", true, true },
	{ "dmnd_rfo", true, false },
	{ "wb", false, true },
};

#define ROUNDS	150

static struct perf_event_attr one_of_three(unsigned int i)
{
	struct perf_event_attr attr;
	char terms[64];

	snprintf(terms, sizeof(terms), "%s,any_response", three[i].request);
	attr = offcore_encode(terms);
	attr.exclude_user = !three[i].usr;
	attr.exclude_kernel = !three[i].os;
	model("core-pmu expect usr=%d,os=%d,rsp=%#llx", three[i].usr,
	      three[i].os, (unsigned long long)offcore_value(three[i].request));
	return attr;
}

/*
 * Three values on each CPU, more than registers, are multiplexed, and no counter ever runs with
 * another's value. If two threads share one register, not all of @all are scheduled: neither thread
 * gives way to the other's value.
 */
static void test_multiplex(unsigned int cpus)
{
	unsigned int nr = ARRAY_SIZE(three), waited = 0, counted = 0;
	int fd[2][ARRAY_SIZE(three)];
	bool possible = true, silent;

	model_silent("core-pmu checker");
	for (unsigned int c = 0; c < cpus; c++) {
		for (unsigned int i = 0; i < nr; i++) {
			struct perf_event_attr attr = one_of_three(i);

			fd[c][i] = open_or_die(&attr, c, -1);
		}
	}
	for (int k = 0; k < ROUNDS; k++) {
		for (unsigned int c = 0; c < cpus; c++) {
			for (unsigned int i = 0; i < nr; i++)
				offcore_inject_any(c, three[i].request, 1, !three[i].usr);
		}
		usleep(2000);
	}
	for (unsigned int c = 0; c < cpus; c++) {
		for (unsigned int i = 0; i < nr; i++) {
			struct uncore_times t;
			uint64_t count;

			uncore_read_group(fd[c][i], 1, &count, &t);
			waited += t.running < t.enabled;
			counted += count > 0;
			possible &= count <= ROUNDS && !!count <= !!t.running;
			close(fd[c][i]);
		}
	}
	silent = model_silent("core-pmu checker");
	test_result(waited >= nr - offcore_nr_regs && counted >= nr && possible && silent,
		    "of three values on each CPU those without a register wait, and each counts its own | %u CPU(s), %u register(s): %u of %u waited, %u counted\n",
		    cpus, offcore_nr_regs, waited, cpus * nr, counted);
	model("core-pmu expect reset");
}

int main(int argc, char **argv)
{
	test_begin("offcore_rsp", "core-pmu checker");
	test_needs_model();
	offcore_init(argc, argv);
	test_plan(offcore_direct ? 4 : 9);
	test_mixed_group("task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
	if (!offcore_direct) {
		test_mixed_group("cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES);
		test_kernels_groups();
	}
	test_multiplex(1);
	test_multiplex(2);
	test_end();
}
