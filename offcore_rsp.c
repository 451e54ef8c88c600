// SPDX-License-Identifier: GPL-2.0-only
/*
 * Offcore response events of Nehalem, Westmere and Sandy Bridge by name.
 *
 * Where the kernel's core PMU drives the counters, an event is checked here and
 * handed over to it as the raw event that it stands for: the kernel's users and
 * ours get counters and response registers from one allocator, and sampling,
 * tasks and groups with other events work as ever. Where there is no core PMU,
 * offcore_direct.c counts.
 */
#include <linux/cpu.h>
#include <linux/module.h>
#include <linux/perf_event.h>
#include <linux/ratelimit.h>

#include <asm/cpu_device_id.h>
#include <asm/perf_event.h>

#include "offcore/offcore.h"
#include "common/compat.h"

/* Refusals in the log: so many in five seconds */
static DEFINE_RATELIMIT_STATE(offcore_refusals, 5 * HZ, 50);
module_param_named(log_burst, offcore_refusals.burst, int, 0644);
MODULE_PARM_DESC(log_burst,
		 "Refused events that may be explained in the kernel log within 5 s (default: 50)");

const struct offcore_model *offcore_model;
bool offcore_direct;
/* perf_pmu_register() shows a PMU before it is complete. */
static bool offcore_registered;

bool offcore_may_log(void)
{
	return __ratelimit(&offcore_refusals);
}

/* Is it an offcore event, ours or one that the kernel's PMU has, and which? */
static bool offcore_is_ours(struct perf_event *event, u64 *rsp)
{
	u64 config = event->attr.config & (ARCH_PERFMON_EVENTSEL_EVENT |
					   ARCH_PERFMON_EVENTSEL_UMASK);

	if (offcore_direct)
		return event->pmu == &offcore_pmu &&
		       !offcore_encode(&event->attr, rsp);
	*rsp = event->attr.config1;
	return event->attr.type == PERF_TYPE_RAW &&
	       (config == OFFCORE_CONFIG(0) || config == OFFCORE_CONFIG(1));
}

/* An empty core, and what the group's events want of it */
struct offcore_group_check {
	struct offcore_core core;
	struct offcore_want want[OFFCORE_NR_CTRS];
	unsigned int nr;
};

static int offcore_check_member(struct offcore_group_check *check, u64 rsp,
				u8 ctrs)
{
	struct offcore_want *w = &check->want[check->nr];

	if (check->nr == ARRAY_SIZE(check->want))
		return offcore_refuse(-EINVAL,
				      "the group can never be counted: more than %u offcore events",
				      check->nr);
	check->nr++;
	offcore_want_init(w, rsp, GENMASK(offcore_model->nr_regs - 1, 0), ctrs);
	switch (offcore_alloc_add(&check->core, w, true)) {
	case OFFCORE_OK:
		return 0;
	case OFFCORE_NO_REGISTER:
		return offcore_refuse(-EINVAL,
				      "the group can never be counted: it has more values than %s has response registers (%u)",
				      offcore_model->name,
				      offcore_model->nr_regs);
	case OFFCORE_NO_COUNTER:
		break;
	}
	return offcore_refuse(-EINVAL,
			      "the group can never be counted: it has more events than there are free counters (%u)",
			      hweight8(ctrs));
}

/**
 * offcore_check_group - refuse a group that never can be counted as a whole
 * @event: the event that joins it; alone, it is a group as well
 * @rsp: the register value that it wants
 * @ctrs: counters that can be had, as a mask
 *
 * Return: 0, or -EINVAL after a line in the log that says why.
 */
int offcore_check_group(struct perf_event *event, u64 rsp, u8 ctrs)
{
	struct perf_event *sibling, *leader = event->group_leader;
	struct offcore_group_check check = { };
	u64 other;
	int ret;

	ret = offcore_check_member(&check, rsp, ctrs);
	if (leader == event || ret)
		return ret;
	if (offcore_is_ours(leader, &other))
		ret = offcore_check_member(&check, other, ctrs);
	for_each_sibling_event(sibling, leader) {
		if (!ret && offcore_is_ours(sibling, &other))
			ret = offcore_check_member(&check, other, ctrs);
	}
	return ret;
}

/*
 * Make it the core PMU's event: perf looks at the type again when that has
 * changed and the answer is -ENOENT.
 */
static int offcore_hand_over(struct perf_event *event, u64 rsp)
{
	event->attr.type = PERF_TYPE_RAW;
	event->attr.config = OFFCORE_CONFIG(0);
	event->attr.config1 = rsp;
	return -ENOENT;
}

static int offcore_event_init(struct perf_event *event)
{
	u64 rsp;
	struct x86_pmu_capability cap;
	int ret;

	if (event->attr.type != offcore_pmu.type)
		return -ENOENT;
	/* Pairs with offcore_init() */
	if (!smp_load_acquire(&offcore_registered))
		return -ENODEV;
	ret = offcore_encode(&event->attr, &rsp);
	if (ret)
		return ret;
	if (offcore_direct)
		return offcore_direct_event_init(event, rsp);
	/* What else the group has the core PMU checks itself, without a word. */
	perf_get_x86_pmu_capability(&cap);
	ret = offcore_check_group(event, rsp,
				  GENMASK(min(cap.num_counters_gp,
					      OFFCORE_NR_CTRS) - 1, 0));
	return ret ?: offcore_hand_over(event, rsp);
}

/* With a core PMU no event gets past event_init(). */
struct pmu offcore_pmu = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_invalid_context,
	.capabilities = PERF_PMU_CAP_NO_INTERRUPT,
	.event_init = offcore_event_init,
	.add = offcore_direct_add,
	.del = offcore_direct_del,
	.start = offcore_direct_start,
	.stop = offcore_direct_stop,
	.read = offcore_direct_read,
};

/* Does the kernel's core PMU take offcore events? */
static int offcore_kernel_probe(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = OFFCORE_CONFIG(0),
		.config1 = offcore_model->probe,
		.disabled = 1,
	};
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr,
						 cpumask_first(cpu_online_mask),
						 NULL, NULL, NULL);
	if (IS_ERR(event)) {
		pr_info("offcore_rsp: the kernel's core PMU takes no offcore events (%ld)\n",
			PTR_ERR(event));
		return -ENODEV;
	}
	perf_event_release_kernel(event);
	return 0;
}

static const struct x86_cpu_id offcore_cpu_ids[] = {
	SNBEP_MATCH_INTEL(NEHALEM, &offcore_nehalem),
	SNBEP_MATCH_INTEL(NEHALEM_G, &offcore_nehalem),
	SNBEP_MATCH_INTEL(NEHALEM_EP, &offcore_nehalem),
	SNBEP_MATCH_INTEL(NEHALEM_EX, &offcore_nehalem),
	SNBEP_MATCH_INTEL(WESTMERE, &offcore_westmere),
	SNBEP_MATCH_INTEL(WESTMERE_EP, &offcore_westmere),
	SNBEP_MATCH_INTEL(WESTMERE_EX, &offcore_westmere),
	SNBEP_MATCH_INTEL(SANDYBRIDGE, &offcore_sandybridge),
	SNBEP_MATCH_INTEL(SANDYBRIDGE_X, &offcore_sandybridge_ep),
	{ }
};
MODULE_DEVICE_TABLE(x86cpu, offcore_cpu_ids);

static int __init offcore_init(void)
{
	const struct x86_cpu_id *id = x86_match_cpu(offcore_cpu_ids);
	struct x86_pmu_capability cap;
	int ret;

	if (!id) {
		pr_info("offcore_rsp: not a Nehalem, Westmere or Sandy Bridge\n");
		return -ENODEV;
	}
	offcore_model = (const struct offcore_model *)id->driver_data;

	perf_get_x86_pmu_capability(&cap);
	offcore_direct = !cap.version;
	ret = offcore_direct ? offcore_direct_probe() : offcore_kernel_probe();
	if (ret)
		return ret;

	offcore_pmu.attr_groups = offcore_sysfs_init();
	ret = -ENOMEM;
	if (!offcore_pmu.attr_groups)
		goto err_sysfs;
	ret = perf_pmu_register(&offcore_pmu, "offcore_rsp", -1);
	if (ret)
		goto err_sysfs;
	/* Pairs with offcore_event_init() */
	smp_store_release(&offcore_registered, true);
	offcore_debugfs_init();
	pr_info("offcore_rsp: %s, %u register%s, %s counters\n",
		offcore_model->name, offcore_model->nr_regs,
		offcore_model->nr_regs > 1 ? "s" : "",
		offcore_direct ? "its own" : "the kernel's");
	return 0;

err_sysfs:
	offcore_sysfs_exit();
	if (offcore_direct)
		offcore_direct_exit();
	return ret;
}
module_init(offcore_init);

static void __exit offcore_exit(void)
{
	offcore_debugfs_exit();
	perf_pmu_unregister(&offcore_pmu);
	offcore_sysfs_exit();
	if (offcore_direct)
		offcore_direct_exit();
}
module_exit(offcore_exit);

MODULE_DESCRIPTION("Offcore response events of Nehalem, Westmere and Sandy Bridge");
MODULE_LICENSE("GPL");
