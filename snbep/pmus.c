// SPDX-License-Identifier: GPL-2.0-only
/* Creation and registration of PMUs and boxes */
#define pr_fmt(fmt) "snbep_uncore: " fmt

#include <linux/moduleparam.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <asm/processor.h>

#include "common/register.h"
#include "snbep/box.h"
#include "snbep/conflict.h"
#include "snbep/pmus.h"

bool snbep_uncore_names;
module_param_named(uncore_names, snbep_uncore_names, bool, 0444);
MODULE_PARM_DESC(uncore_names,
		 "Name the PMUs uncore_* like intel_uncore, for tools that expect these names (default: N, snbep_uncore_*)");

static LIST_HEAD(snbep_pmus);
/* Protects snbep_pmus, the lists of boxes and a box's hardware */
DEFINE_MUTEX(snbep_lock);

/* Out of memory for a box, which is not to pass for a hidden one */
static int snbep_err;

/* Events may be opened: module init is complete and intel_uncore not loaded. */
bool snbep_open;

/*
 * Register @pmu with perf when its first box exists. Called without snbep_lock:
 * perf waits for CPU hotplug, whose callbacks take it.
 */
void snbep_pmu_register(struct snbep_pmu *pmu)
{
	if (xchg(&pmu->registered, true))
		return;
	pmu->pmu = snbep_pmu_ops;
	pmu->pmu.attr_groups = pmu->type->groups;
	pmu->err = compat_pmu_register(&pmu->pmu, pmu->name, -1);
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
		if (pmu->type == &snbep_box_types[id] && pmu->instance == instance)
			return pmu;
	}
	return NULL;
}

/*
 * Add a box to its PMU and socket, or give one that was removed its hardware
 * back; -EBUSY if they have it already.
 */
struct snbep_box *snbep_box_create(enum snbep_type_id id, unsigned int instance,
				   struct snbep_socket *socket,
				   struct pci_dev *pdev, void __iomem *map,
				   void __iomem *filter_map)
{
	struct snbep_box *box = NULL;
	struct snbep_pmu *pmu;

	mutex_lock(&snbep_lock);
	pmu = snbep_pmu_find(id, instance) ?: snbep_pmu_alloc(id, instance);
	if (pmu)
		box = pmu->box[socket->pkg] ?: snbep_box_alloc(pmu, socket);
	if (!box) {
		snbep_err = -ENOMEM;
		box = ERR_PTR(snbep_err);
	} else if (!READ_ONCE(box->dead) || box->pdev) {
		box = ERR_PTR(-EBUSY);
	} else {
		snbep_box_attach(box, pdev, map, filter_map);
		if (!pmu->box[socket->pkg])
			list_add_tail_rcu(&box->node, &socket->boxes);
		/* A registered PMU may open events on the box right away. */
		smp_store_release(&pmu->box[socket->pkg], box);
	}
	mutex_unlock(&snbep_lock);
	return box;
}

/* The PCI function is removed. The box stays allocated: events point to it. */
void snbep_box_remove(struct snbep_box *box)
{
	mutex_lock(&snbep_lock);
	snbep_box_detach(box);
	mutex_unlock(&snbep_lock);
}

/* The model is also that of processors for one socket, and of E5-2400. */
static unsigned int snbep_qpi_ports(void)
{
	const char *name = boot_cpu_data.x86_model_id;

	if (strstr(name, "E5-24"))
		return 1;
	return strstr(name, "E5-16") || strstr(name, " i7-") ? 0 : 2;
}

/* Log the boxes that a socket lacks: the BIOS may hide PCI functions. */
static void snbep_report_missing(struct snbep_socket *socket)
{
	unsigned int id, i, pci = 0;
	char list[128] = "";
	int len = 0;

	for (id = 0; id < SNBEP_NR_TYPES; id++) {
		const struct snbep_box_type *type = &snbep_box_types[id];
		unsigned int nr = type->instances;

		if (id == SNBEP_QPI)
			nr = min(nr, snbep_qpi_ports());
		for (i = 0; i < nr; i++) {
			struct snbep_pmu *pmu = snbep_pmu_find(id, i);

			if (pmu && snbep_live_box(pmu, socket->pkg))
				continue;
			len += scnprintf(list + len, sizeof(list) - len,
					 type->instances > 1 ? " %s_%u" : " %s",
					 type->name, i);
			pci += type->regs.pci;
		}
	}
	if (len)
		pr_notice("socket %d: absent or hidden by the BIOS:%s%s\n",
			  socket->pkg, list,
			  pci ? "; most BIOSes hide QPI's, and some have a setting that shows hidden PCI functions" : "");
}

/* Allow events to be opened, as the last step of module init. */
int snbep_open_pmus(void)
{
	unsigned int i, found = 0;
	struct snbep_pmu *pmu;
	int ret;

	mutex_lock(&snbep_lock);
	ret = snbep_err;
	list_for_each_entry(pmu, &snbep_pmus, node) {
		found += pmu->registered;
		ret = ret ?: pmu->err;
	}
	/* If intel_uncore appears later, the notifier calls snbep_close(). */
	if (!ret && snbep_intel_uncore_active())
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
		pr_info("%u PMUs\n", found);
	else if (ret == -ENODEV)
		pr_info("no uncore box responds: virtual machines have none, load the module on the host\n");
	return ret;
}

/* Refuse new events; open ones keep counting. */
void snbep_close(void)
{
	mutex_lock(&snbep_lock);
	WRITE_ONCE(snbep_open, false);
	mutex_unlock(&snbep_lock);
}

/* Called after the hotplug, PCI and suspend callbacks are unregistered */
void snbep_free_pmus(void)
{
	struct snbep_pmu *pmu, *next;
	unsigned int i;

	snbep_err = 0;
	list_for_each_entry_safe(pmu, next, &snbep_pmus, node) {
		if (pmu->registered && !pmu->err)
			compat_pmu_unregister(&pmu->pmu);
		for (i = 0; i < SNBEP_MAX_SOCKETS; i++) {
			if (pmu->box[i])
				snbep_box_free(pmu->box[i]);
		}
		list_del(&pmu->node);
		kfree(pmu);
	}
}
