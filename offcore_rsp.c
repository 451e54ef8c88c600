// SPDX-License-Identifier: GPL-2.0-only
/*
 * Offcore response events of Nehalem, Westmere and Sandy Bridge by name.
 *
 * Where the kernel's core PMU drives the counters, an event is checked here and
 * handed over to it as the raw event that it stands for: the kernel's users and
 * ours get counters and response registers from one allocator, and sampling,
 * tasks and groups with other events work as ever. Where there is no core PMU,
 * offcore/direct.c counts.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/module.h>
#include <linux/perf_event.h>

#include <asm/cpu_device_id.h>
#include <asm/perf_event.h>

#include "common/compat.h"
#include "common/compat_perf.h"
#include "common/compat_rotate.h"
#include "common/refuse.h"
#include "offcore/alloc.h"
#include "offcore/debugfs.h"
#include "offcore/direct.h"
#include "offcore/encode.h"
#include "offcore/group.h"
#include "offcore/model.h"
#include "offcore/sysfs.h"

DEFINE_REFUSE;

/* perf_pmu_register() shows a PMU before it is complete. */
static bool offcore_registered;
static struct pmu offcore_pmu;

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
	const struct perf_event_attr *attr = &event->attr;
	u64 rsp;
	int ret;

	if (attr->type != offcore_pmu.type)
		return -ENOENT;
	/* Pairs with offcore_init() */
	if (!smp_load_acquire(&offcore_registered))
		return -ENODEV;
	/*
	 * Not worth a line: perf sets exclude_guest unasked, and tries again
	 * without. perf 6.13 and later also asks so, in the name of a task and
	 * without config1, what an event that was refused may lack.
	 */
	if (offcore_direct && attr->exclude_guest &&
	    (event->attach_state & PERF_ATTACH_TASK))
		return -EINVAL;
	if (attr->config2 || compat_attr_unknown(attr))
		return refuse(OFFCORE_NAME, -EINVAL,
			      "config2, config3 and config4 have no field");
	if (attr->exclude_user && attr->exclude_kernel)
		return refuse(OFFCORE_NAME, -EINVAL,
			      "user and kernel are both excluded: nothing is left to count");
	ret = offcore_encode(attr->config, attr->config1, &rsp);
	if (ret)
		return ret;
	if (offcore_direct)
		return offcore_direct_event_init(event, rsp);
	/* What else the group has the core PMU checks itself, without a word. */
	ret = offcore_check_group(event, rsp, GENMASK(offcore_nr_ctrs - 1, 0));
	return ret ?: offcore_hand_over(event, rsp);
}

/*
 * With a core PMU no event gets past event_init(). Without one that refuses to
 * sample, as PERF_PMU_CAP_NO_INTERRUPT would. But with that, perf of 6.12 and later
 * throttles a software event that leads a group with ours, and never lets it go on.
 */
static struct pmu offcore_pmu = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_invalid_context,
	.attr_groups = offcore_groups,
	.event_init = offcore_event_init,
	.pmu_disable = offcore_direct_disable,
	.pmu_enable = offcore_direct_enable,
	.add = offcore_direct_add,
	.del = offcore_direct_del,
	.start = offcore_direct_throttle,
	.stop = offcore_direct_throttle,
	.read = offcore_direct_read,
};

/*
 * Does the kernel's core PMU take offcore events? Return: 0; -ENOENT if there is
 * none, -ENODEV after a line in the log, -ENOMEM.
 */
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
	/* For want of memory nothing was learnt, and there is nothing to say. */
	if (event == ERR_PTR(-ENOENT) || event == ERR_PTR(-ENOMEM))
		return PTR_ERR(event);
	if (IS_ERR(event)) {
		pr_info(OFFCORE_NAME ": the kernel's core PMU takes no offcore events (%ld)\n",
			PTR_ERR(event));
		return -ENODEV;
	}
	perf_event_release_kernel(event);
	return 0;
}

static const struct x86_cpu_id offcore_cpu_ids[] = {
	X86_MATCH_VFM(INTEL_NEHALEM, &offcore_nehalem),
	X86_MATCH_VFM(INTEL_NEHALEM_G, &offcore_nehalem),
	X86_MATCH_VFM(INTEL_NEHALEM_EP, &offcore_nehalem),
	X86_MATCH_VFM(INTEL_NEHALEM_EX, &offcore_nehalem),
	X86_MATCH_VFM(INTEL_WESTMERE, &offcore_westmere),
	X86_MATCH_VFM(INTEL_WESTMERE_EP, &offcore_westmere_ep),
	X86_MATCH_VFM(INTEL_WESTMERE_EX, &offcore_westmere_ex),
	X86_MATCH_VFM(INTEL_SANDYBRIDGE, &offcore_sandybridge),
	X86_MATCH_VFM(INTEL_SANDYBRIDGE_X, &offcore_sandybridge_ep),
	{ }
};
MODULE_DEVICE_TABLE(x86cpu, offcore_cpu_ids);

static enum cpuhp_state offcore_prepare;

/* Before a CPU comes, which may have been here before, and had events */
static int offcore_cpu_prepare(unsigned int cpu)
{
	/* Pairs with offcore_init() */
	if (smp_load_acquire(&offcore_registered))
		compat_end_rotation(&offcore_pmu, cpu, false);
	return 0;
}

static int __init offcore_init(void)
{
	const struct x86_cpu_id *id = x86_match_cpu(offcore_cpu_ids);
	unsigned int leaf = cpuid_eax(0xa);
	int ret;

	if (!id) {
		pr_info(OFFCORE_NAME ": not a Nehalem, Westmere or Sandy Bridge\n");
		return -ENODEV;
	}
	offcore_model = (const struct offcore_model *)id->driver_data;

	offcore_nr_ctrs = min((leaf >> 8) & 0xff, OFFCORE_NR_CTRS);
	if ((leaf & 0xff) < 2 || !offcore_nr_ctrs) {
		pr_info(OFFCORE_NAME ": the processor shows no performance counters (CPUID leaf 0xa); most virtual machines have none\n");
		return -ENODEV;
	}
	ret = offcore_kernel_probe();
	offcore_direct = ret == -ENOENT;
	if (offcore_direct)
		ret = offcore_direct_probe(GENMASK_ULL(((leaf >> 16) & 0xff) - 1, 0));
	if (ret)
		return ret;
	if (offcore_direct) {
		ret = cpuhp_setup_state_nocalls(CPUHP_BP_PREPARE_DYN,
						"perf/x86/offcore_rsp:prepare",
						offcore_cpu_prepare, NULL);
		if (ret < 0) {
			offcore_direct_exit();
			return ret;
		}
		offcore_prepare = ret;
	}

	ret = perf_pmu_register(&offcore_pmu, OFFCORE_NAME, -1);
	if (ret)
		goto err_register;
	/* Pairs with offcore_event_init() and offcore_cpu_prepare() */
	smp_store_release(&offcore_registered, true);
	offcore_debugfs_init();
	pr_info(OFFCORE_NAME ": %s, %u register%s, %s counters\n",
		offcore_model->name, offcore_model->nr_regs,
		offcore_model->nr_regs > 1 ? "s" : "",
		offcore_direct ? "its own" : "the kernel's");
	return 0;

err_register:
	if (offcore_direct) {
		cpuhp_remove_state_nocalls(offcore_prepare);
		offcore_direct_exit();
	}
	return ret;
}
module_init(offcore_init);

static void __exit offcore_exit(void)
{
	offcore_debugfs_exit();
	if (offcore_direct)
		cpuhp_remove_state_nocalls(offcore_prepare);
	compat_pmu_unregister(&offcore_pmu);
	if (offcore_direct)
		offcore_direct_exit();
}
module_exit(offcore_exit);

MODULE_DESCRIPTION("Offcore response events of Nehalem, Westmere and Sandy Bridge");
MODULE_LICENSE("GPL");
