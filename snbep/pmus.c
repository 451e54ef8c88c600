// SPDX-License-Identifier: GPL-2.0-only
/* The list of PMUs, and the boxes that are found for it */
#include <linux/moduleparam.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "common/compat_rotate.h"
#include "snbep/box.h"
#include "snbep/conflict.h"
#include "snbep/pmus.h"

bool snbep_uncore_names;
module_param_named(uncore_names, snbep_uncore_names, bool, 0444);
MODULE_PARM_DESC(uncore_names,
		 "Name the PMUs uncore_*, as intel_uncore does, for tools that look for those (default: snbep_uncore_*)");

static LIST_HEAD(snbep_pmus);
/* For the list, adding boxes, and choosing the CPU of a socket */
DEFINE_MUTEX(snbep_lock);

/* Events may be opened: the load is through, and intel_uncore is not here. */
bool snbep_open;

/*
 * Once a box of it is found, and what its files say is known. Not under snbep_lock:
 * CPUs that go offline wait for that, and perf for them.
 */
void snbep_pmu_register(struct snbep_pmu *pmu)
{
	if (xchg(&pmu->claimed, true))
		return;
	pmu->pmu = snbep_pmu_ops;
	pmu->pmu.attr_groups = pmu->type->groups;
	pmu->err = perf_pmu_register(&pmu->pmu, pmu->name, -1);
	if (pmu->err)
		pr_err("%s: not registered: %d\n", pmu->name, pmu->err);
}

static struct snbep_pmu *snbep_pmu_alloc(enum snbep_type_id id,
					 unsigned int instance)
{
	const struct snbep_box_type *type = &snbep_box_types[id];
	const char *prefix = snbep_uncore_names ? "uncore" : "snbep_uncore";
	struct snbep_pmu *pmu = kzalloc(sizeof(*pmu), GFP_KERNEL);
	int len;

	if (!pmu)
		return NULL;
	pmu->id = id;
	pmu->type = type;
	pmu->instance = instance;
	len = scnprintf(pmu->name, sizeof(pmu->name), "%s_%s", prefix, type->name);
	if (type->instances > 1)
		snprintf(pmu->name + len, sizeof(pmu->name) - len, "_%u", instance);
	list_add_tail(&pmu->node, &snbep_pmus);
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
	struct snbep_pmu *pmu;

	mutex_lock(&snbep_lock);
	pmu = snbep_pmu_find(id, instance) ?: snbep_pmu_alloc(id, instance);
	if (pmu && pmu->box[socket->pkg])
		box = ERR_PTR(-EBUSY);
	else if (pmu)
		box = snbep_box_alloc(pmu, socket, pdev, map, filter_map);
	if (!IS_ERR(box)) {
		list_add_tail_rcu(&box->node, &socket->boxes);
		/* Events of a PMU that is there already may come at once. */
		smp_store_release(&pmu->box[socket->pkg], box);
	}
	mutex_unlock(&snbep_lock);
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

/* At the end of the load: let events in, or return why not. */
int snbep_open_pmus(void)
{
	unsigned int i, found = 0;
	struct snbep_pmu *pmu;
	int ret = 0;

	mutex_lock(&snbep_lock);
	list_for_each_entry(pmu, &snbep_pmus, node) {
		found += pmu->claimed;
		ret = ret ?: pmu->err;
	}
	/* It may have been on its way. If it comes later, snbep_close() follows. */
	if (!ret && snbep_uncore_is_taken())
		ret = -EBUSY;
	if (!ret && !found)
		ret = -ENODEV;
	for (i = 0; !ret && i < SNBEP_MAX_SOCKETS; i++) {
		if (snbep_sockets[i].cpu < nr_cpu_ids)
			snbep_report_missing(&snbep_sockets[i]);
	}
	WRITE_ONCE(snbep_open, !ret);
	mutex_unlock(&snbep_lock);
	if (!ret)
		pr_info("snbep_uncore: %u PMUs\n", found);
	else if (ret == -ENODEV)
		pr_info("snbep_uncore: no box of the uncore answers: a virtual machine has none, and its host has to count\n");
	return ret;
}

/* Take no event any more. Those that are open go on. */
void snbep_close(void)
{
	mutex_lock(&snbep_lock);
	WRITE_ONCE(snbep_open, false);
	mutex_unlock(&snbep_lock);
}

/* When nobody can find a box any more */
void snbep_free_pmus(void)
{
	struct snbep_pmu *pmu, *next;
	unsigned int i;

	list_for_each_entry_safe(pmu, next, &snbep_pmus, node) {
		if (pmu->claimed && !pmu->err)
			compat_pmu_unregister(&pmu->pmu);
		for (i = 0; i < SNBEP_MAX_SOCKETS; i++) {
			if (pmu->box[i])
				snbep_box_free(pmu->box[i]);
		}
		list_del(&pmu->node);
		kfree(pmu);
	}
}
