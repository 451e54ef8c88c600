// SPDX-License-Identifier: GPL-2.0-only
/*
 * Intel Itanium 2 9000 (Montecito) PMU driver: module, event_init() and CPU
 * hotplug. itanium/request.c encodes events, cpu.c schedules and programs them,
 * interrupt.c handles overflows and capture.c creates samples. Registers are
 * accessed through struct itanium_ops.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "common/compat.h"
#include "common/refuse.h"
#include "common/register.h"
#include "itanium/compat.h"
#include "itanium/pmu.h"

DEFINE_REFUSE;

const struct itanium_ops *itanium_ops;
static enum cpuhp_state itanium_hp_prepare, itanium_hp_online;

/* Address ranges use the breakpoint registers, which debuggers also use. */
static bool itanium_uses_breakpoints(const struct itanium_req *req)
{
	return itanium_ops->get_ranges &&
	       itanium_units(req) & (GENMASK(ITANIUM_RES_IBRP3, ITANIUM_RES_IBRP0) |
				     BIT(ITANIUM_RES_DBRP0));
}

static int itanium_get_ranges(struct perf_event *event,
			      const struct itanium_req *req, const char **why)
{
	if (!itanium_uses_breakpoints(req) ||
	    itanium_ops->get_ranges(event->hw.target))
		return 0;
	return itanium_refuse(why, -EBUSY, "address ranges need the breakpoint registers, which a debugger is using");
}

static void itanium_event_destroy(struct perf_event *event)
{
	if (itanium_uses_breakpoints(itanium_req_of(event)))
		itanium_ops->put_ranges(event->hw.target);
	kfree(itanium_req_of(event));
}

static int itanium_event_init(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	struct itanium_req *req;
	const char *why = NULL;
	char text[256];
	int err = 0;

	if (event->attr.type != event->pmu->type &&
	    !(itanium_ops->type == PERF_TYPE_RAW &&
	      (event->attr.type == PERF_TYPE_HARDWARE ||
	       event->attr.type == PERF_TYPE_HW_CACHE)))
		return -ENOENT;

	req = kzalloc(sizeof(*req), GFP_KERNEL);
	if (!req)
		return -ENOMEM;
	/*
	 * Inherited events copy the parent's request: the permissions of the forking
	 * task and the parent's group may differ from those at open.
	 */
	if (event->parent)
		*req = *itanium_req_of(event->parent);
	else
		err = itanium_request(event, req, &why);
	err = err ?: itanium_check_group(event, req, &why) ?:
		     itanium_get_ranges(event, req, &why);
	if (err) {
		kfree(req);
		if (!why)
			return err;
		itanium_event_text(event, text, sizeof(text));
		return refuse(ITANIUM_PMU_NAME, err, "%s refused: %s", text, why);
	}

	compat_pin_module(event);
	event->pmu_private = req;
	event->destroy = itanium_event_destroy;
	if (itanium_units(req) & ITANIUM_CAPTURES)
		event->attach_state |= itanium_ops->attach;
	if (!hwc->sample_period) {
		hwc->sample_period = ITANIUM_MAX_COUNT;
		hwc->last_period = hwc->sample_period;
		local64_set(&hwc->period_left, hwc->sample_period);
	}
	return 0;
}

static struct pmu itanium_pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_hw_context,
	.attr_groups	= itanium_attr_groups,
	/* Overflow interrupts can be masked: perf record -k takes any clock. */
	.capabilities	= COMPAT_PMU_CAPS | PERF_PMU_CAP_NO_NMI,
	.pmu_enable	= itanium_pmu_enable,
	.pmu_disable	= itanium_pmu_disable,
	.event_init	= itanium_event_init,
	.add		= itanium_pmu_add,
	.del		= itanium_pmu_del,
	.start		= itanium_pmu_start,
	.stop		= itanium_pmu_stop,
	.read		= itanium_pmu_read,
};

static int itanium_cpu_prepare(unsigned int cpu)
{
	per_cpu(itanium_cpus, cpu).ready = false;
	return 0;
}

static int itanium_cpu_online(unsigned int cpu)
{
	struct itanium_cpu *c = this_cpu_ptr(&itanium_cpus);
	unsigned long flags;

	local_irq_save(flags);
	if (!c->ready) {
		itanium_cpu_reset(c);
	} else {
		/* The CPU did not go offline, and its overflows were discarded. */
		itanium_ops->irq(true);
		itanium_pmu_disable(&itanium_pmu);
		itanium_pmu_enable(&itanium_pmu);
	}
	local_irq_restore(flags);
	return 0;
}

/* perf's own callback removes the remaining events, with pending overflows. */
static int itanium_cpu_offline(unsigned int cpu)
{
	itanium_ops->irq(false);
	return 0;
}

int itanium_pmu_init(const struct itanium_ops *ops)
{
	int state, err;

	itanium_ops = ops;
	itanium_pmu.sched_task = ops->sched_task;
	state = cpuhp_setup_state(CPUHP_BP_PREPARE_DYN, "perf/itanium:prepare",
				  itanium_cpu_prepare, NULL);
	if (state < 0)
		return state;
	itanium_hp_prepare = state;
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/itanium:online",
				  itanium_cpu_online, itanium_cpu_offline);
	if (state < 0) {
		err = state;
		goto out_prepare;
	}
	itanium_hp_online = state;

	err = compat_pmu_register(&itanium_pmu, ITANIUM_PMU_NAME, ops->type);
	if (!err)
		return 0;
	if (err == -EBUSY)
		pr_err("itanium: the kernel already has a PMU driver for this processor\n");

	cpuhp_remove_state(itanium_hp_online);
out_prepare:
	cpuhp_remove_state(itanium_hp_prepare);
	return err;
}

void itanium_pmu_exit(void)
{
	compat_pmu_unregister(&itanium_pmu);
	cpuhp_remove_state(itanium_hp_online);
	cpuhp_remove_state(itanium_hp_prepare);
}

static int __init itanium_module_init(void)
{
	int err = itanium_backend_init();

	if (err && err != -ENODEV)
		pr_err("itanium: not loaded: error %d\n", err);
	return err;
}
module_init(itanium_module_init);

static void __exit itanium_module_exit(void)
{
	itanium_backend_exit();
}
module_exit(itanium_module_exit);

MODULE_DESCRIPTION("Intel Itanium 2 9000 (Montecito) PMU driver");
MODULE_LICENSE("GPL");
#ifdef DRIVER_VERSION
MODULE_VERSION(DRIVER_VERSION);
#endif
