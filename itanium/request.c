// SPDX-License-Identifier: GPL-2.0-only
/*
 * From what perf asks for to what an event needs of the PMU: the request of one
 * event, and whether the events of a group can be counted together. What is
 * refused comes back with the rule that it breaks.
 */
#include <linux/bitfield.h>
#include <linux/capability.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/perf_event.h>

#include "common/compat_perf.h"
#include "common/group.h"
#include "pmu.h"
#include "sched.h"

#define NR		ITANIUM_NR_COUNTERS

static int threads = -1;
module_param(threads, int, 0444);
MODULE_PARM_DESC(threads, "Whether both hardware threads of the cores are in use: events that may happen in the background are kept to PMC4-9 then (1 or 0; default: -1, as the processor says)");

/*
 * Branch filters that PMC39 can do. Indirect branches that are no returns are
 * one class to the hardware: calls and jumps come together.
 */
static const struct {
	u64 type;
	u64 brt;
} itanium_branches[] = {
	{ PERF_SAMPLE_BRANCH_ANY, PMC39_BRT_ALL },
	{ PERF_SAMPLE_BRANCH_ANY_RETURN, PMC39_BRT_RETURN },
	{ PERF_SAMPLE_BRANCH_IND_CALL, PMC39_BRT_INDIRECT },
	{ PERF_SAMPLE_BRANCH_IND_CALL | PERF_SAMPLE_BRANCH_IND_JUMP,
	  PMC39_BRT_INDIRECT },
};

/* What is no filter; flags and cycles are there all the same. */
#define BRANCH_OPTIONS	(PERF_SAMPLE_BRANCH_PLM_ALL |		\
			 PERF_SAMPLE_BRANCH_NO_FLAGS |		\
			 PERF_SAMPLE_BRANCH_NO_CYCLES)

/*
 * PMC39 of a branch stack: taken branches, right or wrong predicted. The IP-EAR's
 * record is shown as a branch stack too, and has no filter.
 */
static int itanium_branch_filter(const struct perf_event_attr *attr, u8 ear,
				 u64 *pmc39, const char **why)
{
	u64 type = attr->branch_sample_type & ~BRANCH_OPTIONS;
	u64 plm = attr->branch_sample_type & PERF_SAMPLE_BRANCH_PLM_ALL;
	size_t i;

	if ((attr->exclude_user ? 0 : PERF_SAMPLE_BRANCH_USER) !=
	    (plm & PERF_SAMPLE_BRANCH_USER) ||
	    (attr->exclude_kernel ? 0 : PERF_SAMPLE_BRANCH_KERNEL) !=
	    (plm & PERF_SAMPLE_BRANCH_KERNEL)) {
		*why = "branches are recorded at the privilege levels of the event, no others";
		return -EOPNOTSUPP;
	}
	if (ear == ITANIUM_EAR_IP) {
		if (type == PERF_SAMPLE_BRANCH_ANY)
			return 0;
		*why = "the IP-EAR records every instruction: no branch filter but any";
		return -EOPNOTSUPP;
	}
	for (i = 0; i < ARRAY_SIZE(itanium_branches); i++) {
		if (itanium_branches[i].type != type)
			continue;
		*pmc39 = FIELD_PREP(PMC39_TM, PMC39_TM_TAKEN) |
			 FIELD_PREP(PMC39_PTM, PMC39_ANY) |
			 FIELD_PREP(PMC39_PPM, PMC39_ANY) |
			 FIELD_PREP(PMC39_BRT, itanium_branches[i].brt);
		return 0;
	}
	*why = "no such branch filter: any, any_ret, ind_call, ind_call with ind_jmp (table 3-26)";
	return -EOPNOTSUPP;
}

/* What perf offers and this PMU does not have */
static int itanium_check_attr(const struct perf_event_attr *attr, u8 ear,
			      const char **why)
{
	if (compat_attr_unknown(attr)) {
		*why = "config3 and config4 have no field";
		return -EINVAL;
	}
	if (attr->exclude_host || attr->exclude_idle) {
		*why = "the PMU cannot tell a host or idle time apart";
		return -EOPNOTSUPP;
	}
	/* The instruction EAR has the line that missed, the IP-EAR skids. */
	if (attr->precise_ip && ear != ITANIUM_EAR_DEAR_CACHE &&
	    ear != ITANIUM_EAR_DEAR_TLB && ear != ITANIUM_EAR_DEAR_ALAT) {
		*why = "only the data EAR knows the exact instruction";
		return -EOPNOTSUPP;
	}
	return 0;
}

/* @why is the rule that was broken, or NULL where there is no more to say. */
int itanium_request(struct perf_event *event, struct itanium_req *req,
		    const char **why)
{
	const struct perf_event_attr *attr = &event->attr;
	struct itanium_attr want = {
		.config = attr->config,
		.config1 = attr->config1,
		.config2 = attr->config2,
		.plm = (attr->exclude_kernel ? 0 : BIT(0)) |
		       (attr->exclude_user ? 0 : BIT(3)),
		.period = attr->freq ? 0 : attr->sample_period,
		.threads = threads < 0 ? itanium_ops->threads() : threads,
	};
	u8 ear = ITANIUM_GET(attr, ear);
	s64 generic;
	int err;

	if (attr->type == PERF_TYPE_HARDWARE ||
	    attr->type == PERF_TYPE_HW_CACHE) {
		generic = itanium_generic(attr->type, attr->config);
		if (generic < 0)
			return generic;
		want.config = generic;
		want.config1 = 0;
		want.config2 = 0;
		ear = ITANIUM_EAR_NONE;
	}
	err = itanium_check_attr(attr, ear, why);
	if (err)
		return err;
	if (has_branch_stack(event)) {
		err = itanium_branch_filter(attr, ear, &want.etb, why);
		if (err)
			return err;
	}
	/*
	 * The other thread may run anybody's program. perf asks for this right where
	 * it counts a whole processor.
	 */
	if (ITANIUM_GET(&want, all) && !perfmon_capable()) {
		*why = "all= counts the core's other thread too, which takes CAP_PERFMON";
		return -EACCES;
	}
	return itanium_encode(&want, req, why);
}

/* Whether @event, which needs @own, can be counted with the others of its group */
int itanium_check_group(struct perf_event *event, const struct itanium_req *own,
			const char **why)
{
	const struct itanium_req *req[NR + 1] = { own };
	struct perf_event *leader = event->group_leader, *sibling;
	s8 counter[NR + 1] = { -1 };
	int i, n = 1;

	if (!group_is_there(event)) {
		*why = GROUP_IS_GONE;
		return -ENODEV;
	}
	/* A leader has no context yet, whose lock its list of siblings needs. */
	if (leader == event)
		return itanium_assign(req, n, counter, why) ? -EINVAL : 0;

	if (leader->pmu == event->pmu)
		req[n++] = itanium_req_of(leader);
	for_each_sibling_event(sibling, leader) {
		if (n > NR)
			break;
		if (sibling->pmu == event->pmu)
			req[n++] = itanium_req_of(sibling);
	}
	for (i = 0; i < n; i++)
		counter[i] = -1;
	return itanium_assign(req, n, counter, why) ? -EINVAL : 0;
}
