// SPDX-License-Identifier: GPL-2.0-only
/* The list of PMUs, and the boxes that are found for it */
#include <linux/moduleparam.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "common/compat_rotate.h"
#include "snbep/box.h"
#include "snbep/conflict.h"
#include "snbep/pmus.h"
#include "snbep/sysfs.h"

bool snbep_uncore_names;
module_param_named(uncore_names, snbep_uncore_names, bool, 0444);
MODULE_PARM_DESC(uncore_names,
		 "Name the PMUs uncore_*, as intel_uncore does, for tools that look for those (default: snbep_uncore_*)");

static LIST_HEAD(snbep_pmus);
/* For the list, adding boxes, and choosing the CPU of a socket */
DEFINE_MUTEX(snbep_lock);

/* Callbacks and capabilities of all PMUs */
static const struct pmu *snbep_pmu_ops;

/* The PMUs take events, and are registered as they appear. */
static bool snbep_open;

/*
 * Whether events of a PMU may be opened: perf shows it before its registration
 * is complete, and none may have an event if that of another PMU fails.
 */
bool snbep_pmu_takes_events(struct snbep_pmu *pmu)
{
	bool open, registered;

	/* Pairs with snbep_claim_pmu(). */
	open = smp_load_acquire(&snbep_open);
	/* Pairs with snbep_pmu_register(). */
	registered = smp_load_acquire(&pmu->registered);
	return open && registered;
}

static int snbep_pmu_register(struct snbep_pmu *pmu)
{
	int ret;

	pmu->pmu = *snbep_pmu_ops;
	pmu->pmu.attr_groups = pmu->type->groups;
	ret = perf_pmu_register(&pmu->pmu, pmu->name, -1);
	if (ret) {
		pr_err("%s: not registered: %d\n", pmu->name, ret);
		return ret;
	}
	/* Pairs with snbep_pmu_takes_events(). */
	smp_store_release(&pmu->registered, true);
	return 0;
}

static struct snbep_pmu *snbep_pmu_alloc(enum snbep_type_id id,
					 unsigned int instance)
{
	const struct snbep_box_type *type = &snbep_box_types[id];
	const char *prefix = snbep_uncore_names ? "uncore" : "snbep_uncore";
	struct snbep_pmu *pmu = kzalloc(sizeof(*pmu), GFP_KERNEL);

	if (!pmu)
		return NULL;
	pmu->id = id;
	pmu->type = type;
	pmu->instance = instance;
	if (type->instances > 1)
		snprintf(pmu->name, sizeof(pmu->name), "%s_%s_%u", prefix,
			 type->name, instance);
	else
		snprintf(pmu->name, sizeof(pmu->name), "%s_%s", prefix,
			 type->name);
	list_add_tail_rcu(&pmu->node, &snbep_pmus);
	return pmu;
}

static struct snbep_pmu *snbep_pmu_find(enum snbep_type_id id,
					unsigned int instance)
{
	struct snbep_pmu *pmu;

	lockdep_assert_held(&snbep_lock);
	list_for_each_entry(pmu, &snbep_pmus, node) {
		if (pmu->id == id && pmu->instance == instance)
			return pmu;
	}
	return NULL;
}

/* Take in a box that was found; -EBUSY if it is there already. */
struct snbep_box *snbep_box_found(enum snbep_type_id id, unsigned int instance,
				  struct snbep_socket *socket,
				  struct pci_dev *pdev, void __iomem *map,
				  void __iomem *filter_map)
{
	struct snbep_box *box = ERR_PTR(-ENOMEM);
	bool registered = false, open = false;
	struct snbep_pmu *pmu;

	mutex_lock(&snbep_lock);
	pmu = snbep_pmu_find(id, instance) ?: snbep_pmu_alloc(id, instance);
	if (!pmu)
		goto out;
	if (pmu->box[socket->pkg]) {
		box = ERR_PTR(-EBUSY);
		goto out;
	}
	box = snbep_box_alloc(pmu, socket, pdev, map, filter_map);
	if (!box) {
		box = ERR_PTR(-ENOMEM);
		goto out;
	}
	list_add_tail_rcu(&box->node, &socket->boxes);
	/* Events of a PMU that is there already may come at once. */
	smp_store_release(&pmu->box[socket->pkg], box);
	open = snbep_open;
	registered = pmu->registered;
out:
	mutex_unlock(&snbep_lock);
	if (registered)
		snbep_sysfs_box_found(box);
	else if (open && !xchg(&pmu->claimed, true))
		snbep_pmu_register(pmu);
	return box;
}

/* Tell which boxes a socket lacks: the BIOS may hide those in PCI space. */
static void snbep_report_missing(struct snbep_socket *socket)
{
	unsigned int id, i, pci = 0;
	char list[128] = "";
	int len = 0;

	for (id = 0; id < SNBEP_NR_TYPES; id++) {
		const struct snbep_box_type *type = &snbep_box_types[id];

		for (i = 0; i < type->instances; i++) {
			struct snbep_pmu *pmu = snbep_pmu_find(id, i);

			if (pmu && pmu->box[socket->pkg])
				continue;
			len += scnprintf(list + len, sizeof(list) - len,
					 type->instances > 1 ? " %s_%u" : " %s",
					 type->name, i);
			pci += type->regs.pci;
		}
	}
	if (len)
		pr_notice("snbep_uncore: socket %d: not there or hidden by the BIOS:%s%s\n",
			  socket->pkg, list,
			  pci ? "; the BIOS may have a setting that shows hidden PCI functions" : "");
}

/*
 * Register the PMUs that nobody has registered yet. Not under snbep_lock, which
 * CPUs that go offline wait for: perf itself waits for those.
 */
static int snbep_register_new(void)
{
	struct snbep_pmu *pmu;
	int ret, found = 0;

	/* PMUs are only added, and at the end, until the module goes. */
	list_for_each_entry_rcu(pmu, &snbep_pmus, node, true) {
		if (xchg(&pmu->claimed, true))
			continue;
		ret = snbep_pmu_register(pmu);
		if (ret)
			return ret;
		found++;
	}
	return found;
}

/* Give the PMUs of all boxes that were found to perf. */
int snbep_register_pmus(const struct pmu *ops)
{
	int i, found, late;
	bool taken;

	snbep_pmu_ops = ops;
	found = snbep_register_new();
	if (found < 0)
		return found;
	mutex_lock(&snbep_lock);
	/* It may have been on its way. If it comes later, snbep_close() follows. */
	taken = snbep_uncore_is_taken();
	if (!taken && found) {
		/* Pairs with snbep_pmu_takes_events(). */
		smp_store_release(&snbep_open, true);
	}
	mutex_unlock(&snbep_lock);
	if (taken)
		return -EBUSY;
	if (!found) {
		pr_info("snbep_uncore: no box of the uncore answers: a virtual machine has none, and its host has to count\n");
		return -ENODEV;
	}
	mutex_lock(&snbep_lock);
	for (i = 0; i < SNBEP_MAX_SOCKETS; i++) {
		if (snbep_sockets[i].cpu < nr_cpu_ids)
			snbep_report_missing(&snbep_sockets[i]);
	}
	mutex_unlock(&snbep_lock);
	/* From here on, whoever finds a PMU registers it. */
	late = snbep_register_new();
	pr_info("snbep_uncore: %u PMUs\n", found + max(late, 0));
	return 0;
}

/* Take no event any more. Those that are open go on. */
void snbep_close(void)
{
	mutex_lock(&snbep_lock);
	snbep_open = false;
	mutex_unlock(&snbep_lock);
}

/*
 * After snbep_close(), and when nobody can find a box any more: whoever has found
 * one registers its PMU, or makes a file of it, without a lock.
 */
void snbep_free_pmus(void)
{
	struct snbep_pmu *pmu, *next;
	unsigned int i;

	list_for_each_entry_safe(pmu, next, &snbep_pmus, node) {
		if (pmu->registered)
			compat_pmu_unregister(&pmu->pmu);
		for (i = 0; i < SNBEP_MAX_SOCKETS; i++) {
			if (pmu->box[i])
				snbep_box_free(pmu->box[i]);
		}
		list_del(&pmu->node);
		kfree(pmu);
	}
}
