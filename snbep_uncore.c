// SPDX-License-Identifier: GPL-2.0-only
/*
 * Intel Xeon E5-2600 (Sandy Bridge-EP) uncore PMU driver: module and PMU
 * callbacks.
 *
 * One PMU covers the same box of all sockets. event_init() moves an event to the
 * one CPU of its socket that is listed in cpumask.
 */
#define pr_fmt(fmt) "snbep_uncore: " fmt

#include <linux/module.h>
#include <linux/pci.h>

#include <asm/cpu_device_id.h>

#include "common/compat.h"
#include "snbep/event.h"
#include "snbep/pci.h"
#include "snbep_uncore.h"

DEFINE_REFUSE;

static void snbep_pmu_enable(struct pmu *pmu)
{
	int pkg = topology_physical_package_id(smp_processor_id());
	struct snbep_socket *socket = snbep_socket_get(pkg);
	struct snbep_box *box;

	box = socket ? READ_ONCE(to_snbep_pmu(pmu)->box[pkg]) : NULL;
	if (box)
		snbep_box_enable(box);
}

/* Counters run on: snbep_pmu_enable() writes only the ones that changed. */
static void snbep_pmu_disable(struct pmu *pmu)
{
}

/*
 * Since 6.16, perf calls ->stop for non-sampling group members too when it
 * throttles another member. Keep counting, as before 6.16.
 */
static void snbep_event_start(struct perf_event *event, int flags)
{
}

static void snbep_event_stop(struct perf_event *event, int flags)
{
}

static int snbep_event_init(struct perf_event *event)
{
	int ret;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (!READ_ONCE(snbep_open))
		return -ENODEV;
	ret = snbep_request(to_snbep_pmu(event->pmu), event) ?:
	      snbep_socket_place_event(event);
	/* Any CPU of the socket can read the counters: avoid an IPI. */
	event->event_caps |= PERF_EV_CAP_READ_ACTIVE_PKG;
	return ret;
}

const struct pmu snbep_pmu_ops = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_invalid_context,
	/*
	 * Not PERF_PMU_CAP_NO_INTERRUPT: with it, perf never unthrottles a
	 * sampling event whose group has an event of this PMU.
	 */
	.capabilities = PERF_PMU_CAP_NO_EXCLUDE,
	.pmu_enable = snbep_pmu_enable,
	.pmu_disable = snbep_pmu_disable,
	.event_init = snbep_event_init,
	.add = snbep_event_add,
	.del = snbep_event_del,
	.start = snbep_event_start,
	.stop = snbep_event_stop,
	.read = snbep_event_read,
};

static const struct x86_cpu_id snbep_cpu_ids[] = {
	X86_MATCH_VFM(INTEL_SANDYBRIDGE_X, NULL),
	{ }
};
MODULE_DEVICE_TABLE(x86cpu, snbep_cpu_ids);

static void snbep_exit(void)
{
	snbep_sockets_exit();
	pci_unregister_driver(&snbep_pci_driver);
	snbep_free_pmus();
	snbep_conflict_exit();
}
module_exit(snbep_exit);

static int __init snbep_init(void)
{
	const struct cpuinfo_x86 *c = &boot_cpu_data;
	int ret;

	if (!x86_match_cpu(snbep_cpu_ids)) {
		pr_info("not a Xeon E5-2600 (family 6, model 45) but %s, family %u, model %u: intel_uncore may support its uncore\n",
			c->x86_vendor_id, c->x86, c->x86_model);
		return -ENODEV;
	}
	if (boot_cpu_has(X86_FEATURE_HYPERVISOR)) {
		pr_info("not loaded: virtual machines have no uncore counters, load the module on the host\n");
		return -ENODEV;
	}
	ret = snbep_conflict_init();
	if (ret)
		return ret;
	snbep_sockets_prepare();
	ret = pci_register_driver(&snbep_pci_driver);
	if (ret)
		goto err_pci;
	ret = snbep_sockets_init();
	if (ret)
		goto err_sockets;
	ret = snbep_open_pmus();
	if (ret)
		snbep_exit();
	return ret;

err_sockets:
	pci_unregister_driver(&snbep_pci_driver);
err_pci:
	snbep_free_pmus();
	snbep_conflict_exit();
	return ret;
}
module_init(snbep_init);

MODULE_DESCRIPTION("Intel Xeon E5-2600 (Sandy Bridge-EP) uncore PMU driver");
MODULE_LICENSE("GPL");
#ifdef DRIVER_VERSION
MODULE_VERSION(DRIVER_VERSION);
#endif
