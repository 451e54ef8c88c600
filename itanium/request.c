// SPDX-License-Identifier: GPL-2.0-only
/*
 * Conversion of a perf_event_attr to a struct itanium_req, and checks of an event
 * and its group. On refusal, @why is the violated rule.
 */
#include <linux/bitfield.h>
#include <linux/capability.h>
#include <linux/kernel.h>
#include <linux/moduleparam.h>
#include <linux/perf_event.h>
#include <linux/string.h>

#include "common/compat_perf.h"
#include "common/group.h"
#include "pmu.h"

static int threads = -1;
module_param(threads, int, 0444);
MODULE_PARM_DESC(threads, "Both threads of a core are in use: restrict events that may occur in the background to PMC4-9 (0 or 1; default: -1, detect)");

/* Branch filters of PMC39, which cannot separate indirect calls and jumps */
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

/* Not filters; flags and cycles are always recorded */
#define BRANCH_OPTIONS	(PERF_SAMPLE_BRANCH_PLM_ALL |		\
			 PERF_SAMPLE_BRANCH_NO_FLAGS |		\
			 PERF_SAMPLE_BRANCH_NO_CYCLES)

/*
 * Set @pmc39 for a branch stack of taken branches, predicted correctly or not. The
 * IP-EAR's records are also reported as branch stack, without a filter.
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
	    (plm & PERF_SAMPLE_BRANCH_KERNEL))
		return itanium_refuse(why, -EOPNOTSUPP, "branches are recorded at the privilege levels of the event only");
	if (ear == ITANIUM_EAR_IP)
		return type == PERF_SAMPLE_BRANCH_ANY ? 0 :
		       itanium_refuse(why, -EOPNOTSUPP, "the IP-EAR records every instruction: no branch filter but any");
	for (i = 0; i < ARRAY_SIZE(itanium_branches); i++) {
		if (itanium_branches[i].type != type)
			continue;
		*pmc39 = FIELD_PREP(PMC39_TM, PMC39_TM_TAKEN) |
			 FIELD_PREP(PMC39_PTM, PMC39_ANY) |
			 FIELD_PREP(PMC39_PPM, PMC39_ANY) |
			 FIELD_PREP(PMC39_BRT, itanium_branches[i].brt);
		return 0;
	}
	return itanium_refuse(why, -EOPNOTSUPP, "no such branch filter: use any, any_ret, ind_call, or ind_call with ind_jmp (table 3-26)");
}

static const struct {
	const char *name;
	u64 mask;
} itanium_fields[] = {
#define FIELD(name) { #name, ITANIUM_MASK(name) },
	ITANIUM_CONFIG_FIELDS(FIELD)
};

/* Write an event as it is typed, such as event=0xc8,ear=0x1,ear_umask=0x2. */
void itanium_event_text(const struct perf_event *event, char *text, size_t size)
{
	const struct perf_event_attr *attr = &event->attr;
	size_t i, n = 0;
	u64 v;

	if (attr->type != event->pmu->type) {
		scnprintf(text, size, "generic event %#llx", attr->config);
		return;
	}
	for (i = 0; i < ARRAY_SIZE(itanium_fields); i++) {
		v = (attr->config & itanium_fields[i].mask) >>
		    __builtin_ctzll(itanium_fields[i].mask);
		if (!i || v)
			n += scnprintf(text + n, size - n, "%s%s=%#llx", i ? "," : "",
				       itanium_fields[i].name, v);
	}
}

/* Refuse attributes that this PMU does not support. */
static int itanium_check_attr(const struct perf_event_attr *attr, u8 ear,
			      const char **why)
{
	if (attr->exclude_host || attr->exclude_idle)
		return itanium_refuse(why, -EOPNOTSUPP, "the PMU cannot exclude host or idle time");
	/* The instruction EAR only has the cache line, and the IP-EAR skids. */
	if (attr->precise_ip && ear != ITANIUM_EAR_DEAR_CACHE &&
	    ear != ITANIUM_EAR_DEAR_TLB && ear != ITANIUM_EAR_DEAR_ALAT)
		return itanium_refuse(why, -EOPNOTSUPP, "precise_ip: only the data EAR knows the exact instruction");
	return 0;
}

/* On error, @why is the violated rule, or NULL for unsupported generic events. */
int itanium_request(struct perf_event *event, struct itanium_req *req,
		    const char **why)
{
	const struct perf_event_attr *attr = &event->attr;
	struct itanium_attr want = {
		.config = attr->config,
		.plm = (attr->exclude_kernel ? 0 : BIT(0)) |
		       (attr->exclude_user ? 0 : BIT(3)),
		.threads = threads < 0 ? itanium_ops->threads() : threads,
	};
	s64 generic;
	int err;
	u8 ear;

	if (attr->type == event->pmu->type) {
		want.config1 = attr->config1;
		want.config2 = attr->config2;
		if (compat_attr_config34(attr))
			return itanium_refuse(why, -EINVAL, "config3 and config4 must be 0");
	} else {
		generic = itanium_generic(attr->type, attr->config);
		if (generic < 0)
			return generic;
		/* perf tries how precise its default event can be: no log */
		if (attr->precise_ip)
			return -EOPNOTSUPP;
		want.config = generic;
	}
	ear = ITANIUM_GET(&want, ear);
	err = itanium_check_attr(attr, ear, why);
	if (!err && has_branch_stack(event))
		err = itanium_branch_filter(attr, ear, &want.etb, why);
	if (!err)
		err = itanium_encode(&want, req, why);
	if (err)
		return err;
	/*
	 * Others may be any user's tasks. Modules cannot ask for perf_event_paranoid, which
	 * may allow CPU-wide events to all users. No log line: only users with CAP_PERFMON
	 * get one.
	 */
	return req->others && !perfmon_capable() ? -EACCES : 0;
}

/* Check whether @event, encoded in @own, can be scheduled with its group. */
int itanium_check_group(struct perf_event *event, const struct itanium_req *own,
			const char **why)
{
	const struct itanium_req *req[ITANIUM_NR_COUNTERS + 1] = { own };
	struct perf_event *leader = event->group_leader, *sibling;
	s8 counter[ITANIUM_NR_COUNTERS + 1];
	int n = 1;

	if (!group_leader_attached(event))
		return itanium_refuse(why, -ENODEV, GROUP_LEADER_DETACHED);
	/* A new leader has no context: for_each_sibling_event() would warn. */
	if (leader != event) {
		if (leader->pmu == event->pmu)
			req[n++] = itanium_req_of(leader);
		for_each_sibling_event(sibling, leader)
			if (sibling->pmu == event->pmu && n <= ITANIUM_NR_COUNTERS)
				req[n++] = itanium_req_of(sibling);
	}
	memset(counter, -1, sizeof(counter));
	return itanium_assign(req, n, counter, why) ? -EINVAL : 0;
}
