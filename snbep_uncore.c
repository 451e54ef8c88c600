// SPDX-License-Identifier: GPL-2.0-only
/*
 * Performance monitoring of the Xeon E5-2600 uncore: the module, and what its
 * PMUs do for perf.
 *
 * One PMU stands for the box of one place in all sockets. A socket's boxes are
 * counted from one of its CPUs, which cpumask names; an event that is opened on
 * another CPU of the socket moves there.
 */
#include <linux/cpu.h>
#include <linux/module.h>
#include <linux/pci.h>

#include <asm/cpu_device_id.h>

#include "common/compat.h"
#include "common/refuse.h"
#include "snbep/box.h"
#include "snbep/check.h"
#include "snbep/encode.h"
#include "snbep/hotplug.h"
#include "snbep/pmus.h"
#include "snbep_uncore.h"

DEFINE_REFUSE;

bool snbep_uncore_names;
module_param_named(uncore_names, snbep_uncore_names, bool, 0444);
MODULE_PARM_DESC(uncore_names,
		 "Name the PMUs uncore_*, as intel_uncore does, for tools that look for those (default: snbep_uncore_*)");

bool snbep_check_counts = true;
module_param_named(check_counts, snbep_check_counts, bool, 0644);
MODULE_PARM_DESC(check_counts,
		 "Leave out what no counter can have counted in the time, and say that another program writes the registers (default: Y)");

bool snbep_unlisted;
module_param_named(unlisted, snbep_unlisted, bool, 0644);
MODULE_PARM_DESC(unlisted,
		 "Let any event code and unit mask count, also those that no list has (default: N)");

/* What perf is in, PERF_PMU_TXN_* */
static DEFINE_PER_CPU(unsigned int, snbep_txn);

/* The box of @pmu that this CPU may read */
static struct snbep_box *snbep_near_box(struct pmu *pmu)
{
	/* One may be found at any time: see snbep_box_found(). */
	return READ_ONCE(to_snbep_pmu(pmu)->box[this_cpu_read(snbep_cpu_pkg)]);
}

/* The box of @pmu that this CPU may change */
static struct snbep_box *snbep_this_box(struct pmu *pmu)
{
	struct snbep_box *box = snbep_near_box(pmu);

	return box && snbep_box_is_here(box) ? box : NULL;
}

static void snbep_pmu_enable(struct pmu *pmu)
{
	struct snbep_box *box = snbep_this_box(pmu);

	if (box)
		snbep_box_enable(box);
}

static void snbep_pmu_disable(struct pmu *pmu)
{
	struct snbep_box *box = snbep_this_box(pmu);

	if (box)
		snbep_box_disable(box);
}

static int snbep_event_add(struct perf_event *event, int flags)
{
	struct snbep_event *se = to_snbep_event(event);
	int ret;

	ret = snbep_box_add(se->box, se);
	if (!ret)
		event->hw.state = 0;
	return ret;
}

static void snbep_event_del(struct perf_event *event, int flags)
{
	struct snbep_event *se = to_snbep_event(event);

	snbep_box_del(se->box, se);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

/*
 * Of an event without samples perf asks this since 6.16, for a group of which
 * another event takes too many samples: all members stop until the next tick. One
 * that only counts goes on instead, as it did before 6.16, so that it misses
 * nothing. And perf may ask in the middle of an access of ours, which is a
 * tracepoint: whoever stopped a counter here would wait for a lock of this CPU.
 */
static void snbep_event_start(struct perf_event *event, int flags)
{
}

static void snbep_event_stop(struct perf_event *event, int flags)
{
}

/*
 * Transactions: perf announces a group that it adds, or one that it reads, and
 * that on any CPU of the socket.
 */
static void snbep_start_txn(struct pmu *pmu, unsigned int flags)
{
	struct snbep_box *box;

	this_cpu_write(snbep_txn, flags);
	if (flags & PERF_PMU_TXN_ADD) {
		snbep_pmu_disable(pmu);
		return;
	}
	box = snbep_near_box(pmu);
	if (box)
		snbep_box_read_begin(box);
}

static void snbep_cancel_txn(struct pmu *pmu)
{
	struct snbep_box *box;

	if (this_cpu_read(snbep_txn) & PERF_PMU_TXN_ADD) {
		snbep_pmu_enable(pmu);
		return;
	}
	box = snbep_near_box(pmu);
	if (box)
		snbep_box_read_end(box);
}

static int snbep_commit_txn(struct pmu *pmu)
{
	snbep_cancel_txn(pmu);
	return 0;
}

static int snbep_find_box(struct snbep_pmu *pmu, struct snbep_event *se,
			  unsigned int cpu)
{
	struct snbep_socket *socket = NULL;

	if (cpu_online(cpu)) {
		socket = snbep_socket_get(topology_physical_package_id(cpu));
		if (IS_ERR(socket))
			return snbep_refuse(pmu, -ENODEV,
					    "CPU %u is in socket %d, and the UBox knows sockets 0 to %d",
					    cpu,
					    topology_physical_package_id(cpu),
					    SNBEP_MAX_SOCKETS - 1);
	}
	if (!socket)
		return snbep_refuse(pmu, -ENODEV, "CPU %u is not online", cpu);
	se->box = READ_ONCE(pmu->box[socket->pkg]);
	if (!se->box || READ_ONCE(se->box->dead))
		return snbep_refuse(pmu, -ENODEV,
				    "socket %d has no such box, or it does not answer",
				    socket->pkg);
	return 0;
}

static void snbep_detach_here(void *data)
{
	struct snbep_event *se = data;

	snbep_box_detach(se->box, se, true);
}

static void snbep_event_destroy(struct perf_event *event)
{
	struct snbep_event *se = to_snbep_event(event);

	/* perf may have taken it off while the box was migrating. */
	if (se->active &&
	    smp_call_function_single(READ_ONCE(se->box->socket->cpu),
				     snbep_detach_here, se, true))
		snbep_box_detach(se->box, se, false);
	atomic_dec(&se->box->events);
}

/* Have the event counted on the CPU that does the work for its box. */
static int snbep_place_event(struct perf_event *event, struct snbep_event *se)
{
	struct snbep_socket *socket = se->box->socket;
	unsigned int cpu;

	atomic_inc(&se->box->events);
	/*
	 * Pairs with snbep_cpu_offline(), which names the next CPU and then looks
	 * for events: it takes this one along, or the CPU below is the next one.
	 */
	smp_mb__after_atomic();
	/*
	 * perf holds the leader's context while a member of its group is opened,
	 * and needs it to migrate the events. Only a leader can be pinned.
	 */
	if (event->group_leader == event)
		snbep_socket_settle(socket);
	cpu = READ_ONCE(socket->cpu);
	if (cpu >= nr_cpu_ids) {
		atomic_dec(&se->box->events);
		return snbep_refuse(se->box->pmu, -ENODEV,
				    "CPU %d is not online", event->cpu);
	}
	event->cpu = cpu;
	event->destroy = snbep_event_destroy;
	return 0;
}

static int snbep_event_init(struct perf_event *event)
{
	struct snbep_pmu *pmu = to_snbep_pmu(event->pmu);
	struct snbep_event *se = to_snbep_event(event);
	int ret;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (!snbep_pmu_takes_events(pmu))
		return -ENODEV;

	*se = (struct snbep_event){ };
	ret = snbep_check_attr(pmu, event);
	if (!ret)
		ret = snbep_find_box(pmu, se, event->cpu);
	if (!ret)
		ret = snbep_encode(pmu, &event->attr, se);
	if (!ret)
		ret = snbep_check_reach(se);
	if (!ret)
		ret = snbep_check_group(se);
	if (!ret)
		ret = snbep_place_event(event, se);
	/* Any CPU of the socket can read: no need to interrupt ours. */
	if (!ret)
		event->event_caps |= PERF_EV_CAP_READ_ACTIVE_PKG;
	return ret;
}

const struct pmu snbep_pmu_ops = {
	.module = THIS_MODULE,
	.task_ctx_nr = perf_invalid_context,
	/*
	 * Not PERF_PMU_CAP_NO_INTERRUPT: with it perf does not let an event that
	 * takes samples go on, in whose group an event of this PMU is, once it
	 * had taken too many.
	 */
	.capabilities = PERF_PMU_CAP_NO_EXCLUDE,
	.pmu_enable = snbep_pmu_enable,
	.pmu_disable = snbep_pmu_disable,
	.event_init = snbep_event_init,
	.add = snbep_event_add,
	.del = snbep_event_del,
	.start = snbep_event_start,
	.stop = snbep_event_stop,
	.read = snbep_box_read,
	.start_txn = snbep_start_txn,
	.commit_txn = snbep_commit_txn,
	.cancel_txn = snbep_cancel_txn,
};

/*
 * intel_uncore programs the same registers without asking; whoever comes
 * second would count what the other one set up. Its PCI driver has this name,
 * and no module as its owner if it is built into the kernel.
 */
static struct device_driver *snbep_intel_uncore(void)
{
	return driver_find("snbep_uncore", &pci_bus_type);
}

/**
 * snbep_uncore_is_taken - whether intel_uncore has the uncore
 *
 * The log then says what can be done about it.
 *
 * Return: true if it has.
 */
bool snbep_uncore_is_taken(void)
{
	struct device_driver *other = snbep_intel_uncore();

	if (!other)
		return false;
	if (other->owner)
		pr_err("snbep_uncore: intel_uncore holds the uncore: unload it first (modprobe -r intel_uncore); \"blacklist intel_uncore\" in a file of /etc/modprobe.d keeps it away at boot\n");
	else
		pr_err("snbep_uncore: intel_uncore is built into this kernel and holds the uncore: boot with initcall_blacklist=intel_uncore_init\n");
	return true;
}

static int snbep_module_event(struct notifier_block *nb, unsigned long action,
			      void *data)
{
	struct module *mod = data;

	if (strcmp(mod->name, "intel_uncore"))
		return NOTIFY_DONE;
	if (action == MODULE_STATE_COMING) {
		pr_warn("snbep_uncore: intel_uncore not loaded: the uncore is in use; unload snbep_uncore first\n");
		return notifier_from_errno(-EBUSY);
	}
	/* It was on its way before we could keep it out. */
	if (action == MODULE_STATE_LIVE && snbep_intel_uncore()) {
		pr_err("snbep_uncore: intel_uncore came at the same time and holds the uncore; no events here until this one is loaded anew without it\n");
		snbep_close();
	}
	return NOTIFY_DONE;
}

static struct notifier_block snbep_module_nb = {
	.notifier_call = snbep_module_event,
};

static const struct x86_cpu_id snbep_cpu_ids[] = {
	X86_MATCH_VFM(INTEL_SANDYBRIDGE_X, NULL),
	{ }
};
MODULE_DEVICE_TABLE(x86cpu, snbep_cpu_ids);

/*
 * Other processors whose name somebody may take for an E5-2600's, or who runs
 * one beside it. Linux's own driver has their uncore.
 */
static const struct {
	u8 model;
	const char *name;
} snbep_others[] = {
	{ 26, "Nehalem-EP" },
	{ 30, "Nehalem" },
	{ 37, "Westmere" },
	{ 42, "Sandy Bridge" },
	{ 44, "Westmere-EP" },
	{ 46, "Nehalem-EX" },
	{ 47, "Westmere-EX" },
	{ 58, "Ivy Bridge" },
	{ 62, "Ivy Bridge-EP" },
	{ 63, "Haswell-EP" },
	{ 79, "Broadwell-EP" },
	{ 85, "Skylake-SP or Cascade Lake-SP" },
	{ 106, "Ice Lake-SP" },
	{ 143, "Sapphire Rapids" },
};

/* Say which processor it is instead, and which driver to take. */
static void __init snbep_wrong_cpu(void)
{
	const struct cpuinfo_x86 *c = &boot_cpu_data;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(snbep_others); i++) {
		if (c->x86_vendor != X86_VENDOR_INTEL || c->x86 != 6 ||
		    c->x86_model != snbep_others[i].model)
			continue;
		pr_info("snbep_uncore: not a Xeon E5-2600 (family 6, model 45) but model %u, %s: use the kernel's intel_uncore\n",
			c->x86_model, snbep_others[i].name);
		return;
	}
	pr_info("snbep_uncore: not a Xeon E5-2600 (family 6, model 45) but %s, family %u, model %u\n",
		c->x86_vendor_id, c->x86, c->x86_model);
}

static int __init snbep_init(void)
{
	int ret;

	if (!x86_match_cpu(snbep_cpu_ids)) {
		snbep_wrong_cpu();
		return -ENODEV;
	}
	/*
	 * First keep intel_uncore out, then see whether it is in. If it was on
	 * its way already it may still come: snbep_register_pmus() looks again
	 * before it lets the first event in.
	 */
	ret = register_module_notifier(&snbep_module_nb);
	if (ret)
		return ret;
	if (snbep_uncore_is_taken()) {
		ret = -EBUSY;
		goto err_notifier;
	}
	snbep_hotplug_prepare();
	ret = snbep_pci_init();
	if (ret)
		goto err_pci;
	ret = snbep_hotplug_init();
	if (ret)
		goto err_hotplug;
	ret = snbep_register_pmus();
	if (ret)
		goto err_pmus;
	return 0;

err_pmus:
	snbep_close();
	snbep_hotplug_exit();
err_hotplug:
	snbep_pci_exit();
err_pci:
	snbep_free_pmus();
err_notifier:
	unregister_module_notifier(&snbep_module_nb);
	return ret;
}
module_init(snbep_init);

static void __exit snbep_exit(void)
{
	snbep_close();
	snbep_clean_up_boxes();
	snbep_hotplug_exit();
	snbep_pci_exit();
	snbep_free_pmus();
	unregister_module_notifier(&snbep_module_nb);
}
module_exit(snbep_exit);

MODULE_DESCRIPTION("Performance monitoring of the Xeon E5-2600 uncore");
MODULE_LICENSE("GPL");
