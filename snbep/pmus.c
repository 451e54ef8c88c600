// SPDX-License-Identifier: GPL-2.0-only
/* Sockets with the CPU that counts for each, their boxes, and the PMUs */
#define pr_fmt(fmt) "snbep_uncore: " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>

#include <asm/processor.h>

#include "common/compat.h"
#include "common/register.h"
#include "snbep/event.h"
#include "snbep/pci.h"
#include "snbep_uncore.h"

static bool snbep_uncore_names;
module_param_named(uncore_names, snbep_uncore_names, bool, 0444);
MODULE_PARM_DESC(uncore_names,
		 "Name the PMUs uncore_* like intel_uncore, for tools that expect these names (default: N, snbep_uncore_*)");

struct snbep_socket snbep_sockets[SNBEP_MAX_SOCKETS];
static enum cpuhp_state snbep_cpuhp;

/* Returns NULL for package IDs that the UBox cannot map. */
struct snbep_socket *snbep_socket_get(int pkg)
{
	return pkg >= 0 && pkg < SNBEP_MAX_SOCKETS ? &snbep_sockets[pkg] : NULL;
}

/* The package of a CPU that was never online is in its APIC ID alone. */
int snbep_cpu_package(unsigned int cpu)
{
	unsigned int shift, ebx, ecx, edx;

	if (cpu_online(cpu))
		return topology_physical_package_id(cpu);
	cpuid_count(0xb, 1, &shift, &ebx, &ecx, &edx);
	return cpu_physical_id(cpu) >> (shift & 0x1f);
}

/*
 * Move @event to the CPU that counts for its socket, where perf then opens it.
 * While that CPU goes offline, perf may miss the event.
 */
int snbep_socket_place_event(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;
	struct snbep_box *box = to_snbep_event(event)->box;
	unsigned int cpu = READ_ONCE(box->socket->cpu);

	if (cpu >= nr_cpu_ids)
		return snbep_refuse(box->pmu, -ENODEV, "CPU %d is not online",
				    event->cpu);
	if (leader != event && leader->cpu != cpu)
		return snbep_refuse(box->pmu, -EINVAL, "its group is on CPU %d, but CPU %u counts for socket %d: open the whole group there",
				    leader->cpu, cpu, box->socket->pkg);
	event->cpu = cpu;
	return 0;
}

/* 44 bits at up to 32 per cycle (Table 2-122) wrap after 137 s at 4 GHz. */
#define SNBEP_POLL_NS	(60 * NSEC_PER_SEC)

/* Return whether a counter is in use. Called on the CPU that counts. */
static bool snbep_poll_boxes(struct snbep_socket *socket)
{
	struct snbep_box *box;
	bool used = false;

	list_for_each_entry_rcu(box, &socket->boxes, node, true)
		used |= snbep_box_poll(box);
	return used;
}

static enum hrtimer_restart snbep_poll(struct hrtimer *timer)
{
	hrtimer_forward_now(timer, ns_to_ktime(SNBEP_POLL_NS));
	return snbep_poll_boxes(container_of(timer, struct snbep_socket, timer)) ?
	       HRTIMER_RESTART : HRTIMER_NORESTART;
}

static void snbep_start_timer(struct snbep_socket *socket)
{
	hrtimer_start(&socket->timer, ns_to_ktime(SNBEP_POLL_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/*
 * Called on the CPU that counts, or did as it was called; counters may not have
 * been read for a while. Unregistering a PMU waits for a call under way.
 */
static void snbep_poll_now(void *data)
{
	struct snbep_socket *socket = data;

	if (smp_processor_id() == READ_ONCE(socket->cpu) &&
	    snbep_poll_boxes(socket))
		snbep_start_timer(socket);
}

/* Of the CPU that calls, as nobody else may use it meanwhile */
static DEFINE_PER_CPU(call_single_data_t, snbep_csd);

/* Called when a box is in use, with interrupts disabled */
void snbep_socket_start_timer(struct snbep_socket *socket)
{
	call_single_data_t *csd = this_cpu_ptr(&snbep_csd);
	unsigned int cpu = READ_ONCE(socket->cpu);

	/* perf may install an event on a CPU that has just handed over. */
	if (smp_processor_id() != cpu) {
		csd->func = snbep_poll_now;
		csd->info = socket;
		smp_call_function_single_async(cpu, csd);
	} else if (!hrtimer_active(&socket->timer)) {
		snbep_start_timer(socket);
	}
}

/* Let CPU @to count for a socket, or no CPU any more. */
static void snbep_socket_set_cpu(struct snbep_socket *socket, unsigned int to)
{
	unsigned int from = socket->cpu;
	struct snbep_box *box;

	/* Events can be opened in this socket from here on. */
	WRITE_ONCE(socket->cpu, to);
	list_for_each_entry_rcu(box, &socket->boxes, node, true) {
		if (from >= nr_cpu_ids || to >= nr_cpu_ids)
			continue;
		/* Not while perf registers it; pairs with snbep_pmu_register() */
		if (smp_load_acquire(&box->pmu->registered))
			perf_pmu_migrate_context(&box->pmu->pmu, from, to);
	}
	hrtimer_cancel(&socket->timer);
	if (to < nr_cpu_ids)
		smp_call_function_single(to, snbep_poll_now, socket, true);
}

/* Return another CPU of the socket of @cpu, if possible not an isolated one. */
static unsigned int snbep_other_cpu(unsigned int cpu)
{
	unsigned int other, isolated = nr_cpu_ids;

	for_each_cpu(other, topology_core_cpumask(cpu)) {
		if (other == cpu)
			continue;
		if (!compat_cpu_isolated(other))
			return other;
		isolated = min(isolated, other);
	}
	return isolated;
}

static int snbep_cpu_online(unsigned int cpu)
{
	struct snbep_socket *socket;

	socket = snbep_socket_get(topology_physical_package_id(cpu));
	if (!socket)
		return 0;
	/* If going offline is rolled back, controls are in use. */
	if (!socket->probed)
		snbep_msr_probe(socket);
	socket->probed = true;
	if (socket->cpu >= nr_cpu_ids ||
	    (compat_cpu_isolated(socket->cpu) && !compat_cpu_isolated(cpu)))
		snbep_socket_set_cpu(socket, cpu);
	return 0;
}

static int snbep_cpu_offline(unsigned int cpu)
{
	struct snbep_socket *socket;

	socket = snbep_socket_get(topology_physical_package_id(cpu));
	if (socket && socket->cpu == cpu)
		snbep_socket_set_cpu(socket, snbep_other_cpu(cpu));
	return 0;
}

/*
 * Suspend and hibernation may clear the registers. Boxes of other sockets have
 * no scheduled events: their CPUs are offline.
 */
static void snbep_for_all_boxes(void (*fn)(struct snbep_box *box))
{
	struct snbep_box *box;
	unsigned int i;

	for (i = 0; i < SNBEP_MAX_SOCKETS; i++) {
		list_for_each_entry_rcu(box, &snbep_sockets[i].boxes, node, true)
			fn(box);
	}
}

static void snbep_on_suspend(void)
{
	snbep_for_all_boxes(snbep_box_suspend);
}

static void snbep_on_resume(void)
{
	snbep_for_all_boxes(snbep_box_resume);
}

COMPAT_DEFINE_SYSCORE(snbep_syscore, snbep_on_suspend, snbep_on_resume);

/* Called before any box is created */
void snbep_sockets_prepare(void)
{
	int pkg;

	for (pkg = 0; pkg < SNBEP_MAX_SOCKETS; pkg++) {
		snbep_sockets[pkg] = (struct snbep_socket){
			.pkg = pkg, .cpu = nr_cpu_ids,
		};
		INIT_LIST_HEAD(&snbep_sockets[pkg].boxes);
		hrtimer_setup(&snbep_sockets[pkg].timer, snbep_poll,
			      CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	}
}

/*
 * The online callbacks select each socket's CPU and probe its MSR boxes. They do
 * not fail: if this function does, it is before the first one, and no timer runs.
 */
int snbep_sockets_init(void)
{
	int ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN,
				    "perf/x86/snbep_uncore:online",
				    snbep_cpu_online, snbep_cpu_offline);

	if (ret < 0)
		return ret;
	snbep_cpuhp = ret;
	compat_register_syscore(&snbep_syscore);
	return 0;
}

void snbep_sockets_exit(void)
{
	int pkg;

	compat_unregister_syscore(&snbep_syscore);
	cpuhp_remove_state_nocalls(snbep_cpuhp);
	for (pkg = 0; pkg < SNBEP_MAX_SOCKETS; pkg++)
		hrtimer_cancel(&snbep_sockets[pkg].timer);
}

static LIST_HEAD(snbep_pmus);
/* Protects snbep_pmus, the lists of boxes and a box's hardware */
static DEFINE_MUTEX(snbep_lock);

/* Of a box that was not added, which is not to pass for a hidden one */
static int snbep_err;

/* Events may be opened: module init is complete and intel_uncore not loaded. */
bool snbep_open;

/*
 * Register @pmu with perf when its first box exists. Called without snbep_lock:
 * perf waits for CPU hotplug, whose callbacks take it.
 */
void snbep_pmu_register(struct snbep_pmu *pmu)
{
	int err;

	if (xchg(&pmu->claimed, true))
		return;
	pmu->pmu = snbep_pmu_ops;
	pmu->pmu.attr_groups = pmu->type->table->groups;
	err = compat_pmu_register(&pmu->pmu, pmu->name, -1);
	if (err) {
		pr_err("%s: not registered: %d\n", pmu->name, err);
		WRITE_ONCE(snbep_err, err);
		return;
	}
	/* Pairs with snbep_socket_set_cpu() */
	smp_store_release(&pmu->registered, true);
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
	len = scnprintf(pmu->name, sizeof(pmu->name), "%s_%s", prefix, type->table->name);
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

static int snbep_box_add(struct snbep_box *box, enum snbep_type_id id,
			 unsigned int instance)
{
	struct snbep_socket *socket = box->socket;
	struct snbep_pmu *pmu;

	lockdep_assert_held(&snbep_lock);
	pmu = snbep_pmu_find(id, instance) ?: snbep_pmu_alloc(id, instance);
	if (!pmu)
		return -ENOMEM;
	if (pmu->box[socket->pkg])
		return snbep_pci_again(pmu->box[socket->pkg], box->pdev);
	box->pmu = pmu;
	list_add_tail_rcu(&box->node, &socket->boxes);
	/* A registered PMU may open events on the box right away. */
	smp_store_release(&pmu->box[socket->pkg], box);
	return 0;
}

/* Add a box to its PMU and socket; -EEXIST if its function was found again. */
struct snbep_box *snbep_box_create(enum snbep_type_id id, unsigned int instance,
				   struct snbep_socket *socket,
				   struct pci_dev *pdev)
{
	struct snbep_box *box;
	int ret;

	box = snbep_box_alloc(&snbep_box_types[id], instance, socket);
	ret = !box ? -ENOMEM : pdev ? snbep_pci_map_box(box, pdev) : 0;
	mutex_lock(&snbep_lock);
	if (!ret)
		ret = snbep_box_add(box, id, instance);
	mutex_unlock(&snbep_lock);
	if (!ret)
		return box;
	if (ret == -ENOMEM)
		WRITE_ONCE(snbep_err, ret);
	if (box)
		snbep_box_free(box);
	return ERR_PTR(ret);
}

/* Log the boxes that a socket lacks: the BIOS may hide PCI functions. */
static void snbep_report_missing(struct snbep_socket *socket)
{
	unsigned int id, i, pci = 0;
	char list[128] = "";
	int len = 0;

	for (id = 0; id < SNBEP_NR_TYPES; id++) {
		const struct snbep_box_type *type = &snbep_box_types[id];
		unsigned int nr = snbep_box_instances(id);

		for (i = 0; i < nr; i++) {
			struct snbep_pmu *pmu = snbep_pmu_find(id, i);

			if (pmu && snbep_live_box(pmu, socket->pkg))
				continue;
			len += scnprintf(list + len, sizeof(list) - len,
					 type->instances > 1 ? " %s_%u" : " %s",
					 type->table->name, i);
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
	ret = READ_ONCE(snbep_err);
	list_for_each_entry(pmu, &snbep_pmus, node)
		found += READ_ONCE(pmu->registered);
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
		pr_info("no uncore box responds: the firmware hides them all\n");
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
