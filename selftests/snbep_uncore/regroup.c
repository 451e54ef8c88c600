// SPDX-License-Identifier: GPL-2.0-only
/*
 * CPU hotplug while groups of events are open. Linux breaks up groups of a core's PMU and lets new
 * members join, which point to freed memory if the leader is closed first, so our modules refuse
 * them. Events of the uncore move to another CPU, and their group goes on.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/canary.h"
#include "api/model.h"
#include "api/offcore.h"
#include "api/test.h"
#include "api/uncore.h"

#define ROUNDS	4

static void go_and_come(int cpu)
{
	if (!uncore_set_online(cpu, false) || !uncore_set_online(cpu, true))
		ksft_exit_fail_msg("CPU %d does not go or come back\n", cpu);
}

static void test_core(const char *name, const struct perf_event_attr *attr,
		      bool (*canary)(int cpu, unsigned int want))
{
	unsigned int i, refused = 0;

	for (i = 0; i < ROUNDS; i++) {
		int leader = uncore_open_attr(attr, 1, -1);
		int member = uncore_open_attr(attr, 1, leader);
		int late;

		if (leader < 0 || member < 0)
			ksft_exit_fail_msg("%s: no group\n", name);
		go_and_come(1);
		late = uncore_open_attr(attr, 1, leader);
		refused += late == -ENODEV;
		close(leader);
		close(late);
		close(member);
	}
	test_result(refused == ROUNDS && canary(1, 1234), "%s: late members are refused | %u of %u\n", name, refused, ROUNDS);
}

static void test_uncore(void)
{
	const struct uncore_pmu *pmu = uncore_pmu("imc_0");
	int cpu = pmu->cpu[1];
	int leader = uncore_open(pmu, "event=0x04,umask=0x03", 1, -1);
	uint64_t counts[2];
	struct uncore_times t;
	int late;

	if (!uncore_set_online(cpu, false))
		ksft_exit_fail_msg("CPU %d does not go\n", cpu);
	uncore_init("snbep_uncore_");
	late = uncore_try(uncore_pmu("imc_0"), "event=0x04,umask=0x0c", 1, leader);
	uncore_set_online(cpu, true);
	if (late >= 0)
		model("stim 1 imc_0 event=0x04,umask=0x0c,count=77");
	uncore_read_group(leader, late < 0 ? 1 : 2, counts, &t);
	close(leader);
	ksft_test_result(late >= 0 && !counts[0] && counts[1] == 77,
			 "snbep_uncore: a member counts that came when the group had moved\n");
	close(late);
}

int main(void)
{
	struct perf_event_attr itanium = canary_itanium_attr(), offcore;

	test_begin("snbep_uncore_", "checker");
	test_needs_model();
	test_plan(3);
	uncore_init("snbep_uncore_");
	if (uncore_any("itanium"))
		test_core("itanium_pmu", &itanium, canary_itanium);
	else
		ksft_test_result_skip("itanium_pmu: it is not loaded\n");
	if (uncore_any("offcore_rsp")) {
		canary_init_offcore();
		offcore = offcore_encode("dmnd_data_rd,any_response");
		test_core("offcore_rsp", &offcore, canary_offcore);
	} else {
		ksft_test_result_skip("offcore_rsp: it is not loaded\n");
	}
	test_uncore();
	test_end();
}
