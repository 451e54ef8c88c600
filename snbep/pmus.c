// SPDX-License-Identifier: GPL-2.0-only
/* The list of PMUs, and the boxes that are found for it */
#include <linux/cpu.h>
#include <linux/slab.h>

#include "common/compat_rotate.h"
#include "snbep/box.h"
#include "snbep/hotplug.h"
#include "snbep/pmus.h"
#include "snbep/sysfs.h"
#include "snbep_uncore.h"

LIST_HEAD(snbep_pmus);
/* For the list snbep_pmus, adding boxes, and choosing the CPU of a socket */
DEFINE_MUTEX(snbep_lock);

/* The PMUs take events, and are registered as they appear. */
static bool snbep_open;

/**
 * snbep_pmu_takes_events - whether events of a PMU may be opened
 * @pmu: the PMU
 *
 * perf shows a PMU before its registration is complete. And if the registration
 * of one fails at load, none may have an event.
 *
 * Return: true if they may.
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

	pmu->pmu = snbep_pmu_ops;
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

/**
 * snbep_box_found - take in a box that was found
 * @id: its type
 * @instance: which of its kind
 * @socket: the socket that it is in
 * @pdev: its PCI function, or NULL
 * @filter_pdev: that of its filters, or NULL
 *
 * Return: the box, or an error pointer; -EBUSY if it is there already.
 */
struct snbep_box *snbep_box_found(enum snbep_type_id id, unsigned int instance,
				  struct snbep_socket *socket,
				  struct pci_dev *pdev,
				  struct pci_dev *filter_pdev)
{
	struct snbep_box *box = ERR_PTR(-ENOMEM);
	bool registered = false, late = false;
	struct snbep_pmu *pmu;

	mutex_lock(&snbep_lock);
	pmu = snbep_pmu_find(id, instance) ?: snbep_pmu_alloc(id, instance);
	if (!pmu)
		goto out;
	if (pmu->box[socket->pkg]) {
		box = ERR_PTR(-EBUSY);
		goto out;
	}
	box = snbep_box_alloc(pmu, socket, pdev, filter_pdev);
	if (!box) {
		box = ERR_PTR(-ENOMEM);
		goto out;
	}
	list_add_tail_rcu(&box->node, &socket->boxes);
	/* Events of a PMU that is there already may come at once. */
	smp_store_release(&pmu->box[socket->pkg], box);
	late = snbep_open && !pmu->claimed;
	if (late)
		pmu->claimed = true;
	registered = pmu->registered;
out:
	mutex_unlock(&snbep_lock);
	if (registered)
		snbep_sysfs_box_found(box);
	else if (late)
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
			pci += type->backend == &snbep_pci_backend;
		}
	}
	if (len)
		pr_notice("snbep_uncore: socket %d: not there or hidden by the BIOS:%s%s\n",
			  socket->pkg, list,
			  pci ? "; the BIOS may have a setting that shows hidden PCI functions" : "");
}

/*
 * The next PMU that nobody has registered yet. If there is none, this lets events
 * in, and PMUs that come later are registered by who finds them.
 *
 * intel_uncore may have come meanwhile, if it was on its way before we could keep
 * it out: then no event is let in, and this is an error. None is let in either if
 * nothing was @found, as the module goes then. If it comes later than
 * this, snbep_close() comes after it, as that takes the same lock.
 */
static struct snbep_pmu *snbep_claim_pmu(bool found)
{
	struct snbep_pmu *pmu, *claimed = NULL;

	mutex_lock(&snbep_lock);
	list_for_each_entry(pmu, &snbep_pmus, node) {
		if (!pmu->claimed) {
			claimed = pmu;
			break;
		}
	}
	if (claimed)
		claimed->claimed = true;
	else if (snbep_uncore_is_taken())
		claimed = ERR_PTR(-EBUSY);
	else if (found)
		/* Pairs with snbep_pmu_takes_events(). */
		smp_store_release(&snbep_open, true);
	mutex_unlock(&snbep_lock);
	return claimed;
}

/**
 * snbep_register_pmus - give the PMUs of all boxes that were found to perf
 *
 * Not under snbep_lock, which CPUs that go offline wait for: perf itself waits
 * for those.
 *
 * Return: 0, or a negative errno: -ENODEV if there are none, -EBUSY if
 * intel_uncore has come meanwhile.
 */
int snbep_register_pmus(void)
{
	unsigned int i, found = 0;
	struct snbep_pmu *pmu;
	int ret;

	while ((pmu = snbep_claim_pmu(found))) {
		if (IS_ERR(pmu))
			return PTR_ERR(pmu);
		ret = snbep_pmu_register(pmu);
		if (ret)
			return ret;
		found++;
	}
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
	pr_info("snbep_uncore: %u PMUs\n", found);
	return 0;
}

/**
 * snbep_close - take no event any more
 *
 * Those that are open go on.
 */
void snbep_close(void)
{
	mutex_lock(&snbep_lock);
	snbep_open = false;
	mutex_unlock(&snbep_lock);
}

static void snbep_clean_up_here(void *box)
{
	snbep_box_clean_up(box);
}

/**
 * snbep_clean_up_boxes - leave the boxes as they were found
 *
 * After snbep_close(), with no event left, and while each socket still has its CPU.
 * The CPUs stay online meanwhile, as each clears its own registers.
 */
void snbep_clean_up_boxes(void)
{
	struct snbep_socket *socket;
	struct snbep_box *box;

	cpus_read_lock();
	for (socket = snbep_sockets; socket < snbep_sockets + SNBEP_MAX_SOCKETS;
	     socket++) {
		if (socket->cpu >= nr_cpu_ids)
			continue;
		list_for_each_entry(box, &socket->boxes, node)
			smp_call_function_single(socket->cpu,
						 snbep_clean_up_here, box,
						 true);
	}
	cpus_read_unlock();
}

/**
 * snbep_free_pmus - take the PMUs from perf, and forget them and their boxes
 *
 * After snbep_close(), and when nobody can find a box any more: whoever has found one
 * registers its PMU, or makes a file of it, without a lock.
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
