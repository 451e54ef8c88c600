// SPDX-License-Identifier: GPL-2.0-only
/*
 * Offcore response events of Intel Nehalem, Westmere and Sandy Bridge by name.
 *
 * event_init() validates an event and converts it to a raw event of the core PMU,
 * which allocates counters and response registers and takes samples. Without a
 * core PMU, offcore/direct.c programs the counters.
 */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/perf_event.h>

#include "common/compat.h"
#include "common/compat_perf.h"
#include "common/refuse.h"
#include "common/register.h"
#include "offcore/direct.h"
#include "offcore/model.h"

DEFINE_REFUSE;

/* On -ENOENT with a changed type, perf retries with the PMU of that type. */
static int offcore_forward(struct perf_event *event, u64 rsp)
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

	if (attr->type != event->pmu->type)
		return -ENOENT;
	/*
	 * Do not log: since 6.13, perf probes with exclude_guest set, for a task,
	 * after any failed open.
	 */
	if (offcore_direct && attr->exclude_guest &&
	    (event->attach_state & PERF_ATTACH_TASK))
		return -EINVAL;
	if (attr->config2 || compat_attr_config34(attr))
		return refuse(OFFCORE_NAME, -EINVAL,
			      "config2, config3 and config4 must be 0");
	if (attr->precise_ip)
		return refuse(OFFCORE_NAME, -EOPNOTSUPP,
			      "no precise event (:p): offcore events have no PEBS");
	if (attr->exclude_idle)
		return refuse(OFFCORE_NAME, -EINVAL,
			      "the counters do not support exclude_idle (:I)");
	if (attr->exclude_user && attr->exclude_kernel)
		return refuse(OFFCORE_NAME, -EINVAL,
			      "user and kernel are both excluded: nothing is left to count");
	ret = offcore_encode(attr->config, attr->config1, &rsp);
	if (ret)
		return ret;
	if (offcore_direct)
		return offcore_direct_event_init(event, rsp);
	ret = offcore_check_group(event, rsp, offcore_nr_ctrs);
	return ret ?: offcore_forward(event, rsp);
}

/*
 * Not PERF_PMU_CAP_NO_INTERRUPT: with it, perf of 6.12 and later never unthrottles
 * a software event that leads a group with an event of this PMU.
 */
static const struct pmu offcore_kernel_ops = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_invalid_context,
	.attr_groups = offcore_groups,
	.event_init = offcore_event_init,
};

static const struct pmu offcore_direct_ops = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_invalid_context,
	.attr_groups = offcore_groups,
	.event_init = offcore_event_init,
	.add = offcore_direct_add,
	.del = offcore_direct_del,
	.start = offcore_direct_throttle,
	.stop = offcore_direct_throttle,
	.read = offcore_direct_read,
};

static struct pmu offcore_pmu;

/*
 * Probe for offcore support in the core PMU. Returns 0, -ENOENT without a core
 * PMU, -ENODEV if it rejects offcore events, or -ENOMEM.
 */
static int __init offcore_kernel_probe(void)
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
	if (event == ERR_PTR(-ENOENT) || event == ERR_PTR(-ENOMEM))
		return PTR_ERR(event);
	if (IS_ERR(event)) {
		pr_info(OFFCORE_NAME ": the kernel's core PMU rejects offcore events (%ld)\n",
			PTR_ERR(event));
		return -ENODEV;
	}
	perf_event_release_kernel(event);
	return 0;
}

#define OFFCORE_CPUS(ID)						\
	ID(INTEL_NEHALEM, &offcore_nehalem),				\
	ID(INTEL_NEHALEM_G, &offcore_nehalem),				\
	ID(INTEL_NEHALEM_EP, &offcore_nehalem),				\
	ID(INTEL_NEHALEM_EX, &offcore_nehalem),				\
	ID(INTEL_WESTMERE, &offcore_westmere),				\
	ID(INTEL_WESTMERE_EP, &offcore_westmere_ep),			\
	ID(INTEL_WESTMERE_EX, &offcore_westmere_ex),			\
	ID(INTEL_SANDYBRIDGE, &offcore_sandybridge),			\
	ID(INTEL_SANDYBRIDGE_X, &offcore_sandybridge_ep), { }

static const struct x86_cpu_id offcore_cpu_ids[] = {
	OFFCORE_CPUS(X86_MATCH_VFM)
};

/* udev loads by CPU: not in virtual machines without performance counters */
static const struct x86_cpu_id __maybe_unused offcore_autoload[] = {
	OFFCORE_CPUS(COMPAT_MATCH_PERFMON)
};
MODULE_DEVICE_TABLE(x86cpu, offcore_autoload);

static int __init offcore_init(void)
{
	const struct x86_cpu_id *id = x86_match_cpu(offcore_cpu_ids);
	const struct cpuinfo_x86 *c = &boot_cpu_data;
	unsigned int leaf = cpuid_eax(0xa);
	int ret;

	if (!id) {
		pr_info(OFFCORE_NAME ": not a Nehalem, Westmere or Sandy Bridge but %s, family %u, model %u: later Intel cores have cpu/event=0xb7,umask=1,offcore_rsp=.../\n",
			c->x86_vendor_id, c->x86, c->x86_model);
		return -ENODEV;
	}
	offcore_model = (const struct offcore_model *)id->driver_data;

	offcore_nr_ctrs = min((leaf >> 8) & 0xff, OFFCORE_NR_CTRS);
	if ((leaf & 0xff) < 2 || !offcore_nr_ctrs) {
		pr_info(OFFCORE_NAME ": the processor reports no performance counters (CPUID leaf 0xa); most virtual machines have none\n");
		return -ENODEV;
	}
	ret = offcore_kernel_probe();
	offcore_direct = ret == -ENOENT;
	if (offcore_direct)
		ret = offcore_direct_init((leaf >> 16) & 0xff);
	if (ret)
		return ret;

	offcore_pmu = offcore_direct ? offcore_direct_ops : offcore_kernel_ops;
	ret = compat_pmu_register(&offcore_pmu, OFFCORE_NAME, -1);
	if (ret) {
		if (offcore_direct)
			offcore_direct_exit();
		return ret;
	}
	pr_info(OFFCORE_NAME ": %s, %u register%s, %s counters\n",
		offcore_model->name, offcore_model->nr_regs,
		offcore_model->nr_regs > 1 ? "s" : "",
		offcore_direct ? "its own" : "the kernel's");
	return 0;
}
module_init(offcore_init);

static void __exit offcore_exit(void)
{
	compat_pmu_unregister(&offcore_pmu);
	if (offcore_direct)
		offcore_direct_exit();
}
module_exit(offcore_exit);

MODULE_DESCRIPTION("Offcore response events of Intel Nehalem, Westmere and Sandy Bridge");
MODULE_LICENSE("GPL");
#ifdef DRIVER_VERSION
MODULE_VERSION(DRIVER_VERSION);
#endif
