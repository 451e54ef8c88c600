// SPDX-License-Identifier: GPL-2.0-only
/*
 * Performance monitoring of the Xeon E5-2600 uncore: where perf meets the
 * boxes.
 *
 * One PMU stands for the box of one place in all sockets. A socket's boxes are
 * counted from one of its CPUs, which cpumask names; an event that is opened on
 * another CPU of the socket moves there.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pci.h>
#include <linux/ratelimit.h>
#include <linux/slab.h>

#include <asm/cpu_device_id.h>

#include "common/compat.h"
#include "snbep_uncore.h"

static bool uncore_names;
module_param(uncore_names, bool, 0444);
MODULE_PARM_DESC(uncore_names,
		 "Name the PMUs uncore_*, as intel_uncore does, for tools that look for those (default: snbep_uncore_*)");

/* Refusals in the log: so many in five seconds */
static DEFINE_RATELIMIT_STATE(snbep_refusals, 5 * HZ, 50);

static int snbep_set_burst(const char *val, const struct kernel_param *kp)
{
	return param_set_uint_minmax(val, kp, 0, INT_MAX);
}

static const struct kernel_param_ops snbep_burst_ops = {
	.set = snbep_set_burst,
	.get = param_get_uint,
};
module_param_cb(log_burst, &snbep_burst_ops, &snbep_refusals.burst, 0644);
MODULE_PARM_DESC(log_burst,
		 "Refused events that may be explained in the kernel log within 5 s; 0 for none (default: 50)");

struct snbep_socket snbep_sockets[SNBEP_MAX_SOCKETS];

static LIST_HEAD(snbep_pmus);
/* snbep_pmus, boxes being added, and to which CPU a socket's boxes belong */
static DEFINE_MUTEX(snbep_lock);
static DEFINE_PER_CPU(unsigned int, snbep_cpu_pkg);
static DEFINE_PER_CPU(unsigned int, snbep_txn);	/* what perf is in, PERF_PMU_TXN_* */
static enum cpuhp_state snbep_cpuhp;
static bool snbep_live;			/* PMUs take events, and are registered as they appear */

bool snbep_may_log(void)
{
	return __ratelimit(&snbep_refusals);
}

/* The box of @pmu that this CPU may read */
static struct snbep_box *snbep_near_box(struct pmu *pmu)
{
	return to_snbep_pmu(pmu)->box[this_cpu_read(snbep_cpu_pkg)];
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
		snbep_box_apply(box);
}

static void snbep_pmu_disable(struct pmu *pmu)
{
	struct snbep_box *box = snbep_this_box(pmu);

	if (box)
		snbep_box_defer(box);
}

static int snbep_event_add(struct perf_event *event, int flags)
{
	struct snbep_event *se = to_snbep_event(event);
	int ret;

	ret = snbep_box_add(se->box, se, flags & PERF_EF_START);
	if (ret)
		return ret;
	event->hw.state = flags & PERF_EF_START ? 0 : PERF_HES_STOPPED;
	return 0;
}

static void snbep_event_del(struct perf_event *event, int flags)
{
	struct snbep_event *se = to_snbep_event(event);

	snbep_box_del(se->box, se);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static void snbep_event_start(struct perf_event *event, int flags)
{
	struct snbep_event *se = to_snbep_event(event);

	event->hw.state = 0;
	snbep_box_run(se->box, se, true);
}

static void snbep_event_stop(struct perf_event *event, int flags)
{
	struct snbep_event *se = to_snbep_event(event);

	snbep_box_run(se->box, se, false);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
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

/* An empty box, and copies of what its events would want */
struct snbep_group_check {
	struct snbep_sched sched;
	struct snbep_want want[SNBEP_NR_CTRS];
	unsigned int nr;
};

/* Put an event of the group that is being opened on the scratch box */
static int snbep_check_member(struct snbep_group_check *check,
			      struct snbep_event *se, struct perf_event *event)
{
	struct snbep_event *other = to_snbep_event(event);
	const struct snbep_box_type *type = se->box->pmu->type;
	struct snbep_want *want;

	if (is_software_event(event))
		return 0;
	if (event->pmu != to_perf_event(se)->pmu)
		return snbep_refuse(se->box->pmu, -EINVAL,
				    "a group cannot hold events of other boxes, such as %s",
				    event->pmu->name);
	if (other->box != se->box)
		return snbep_refuse(se->box->pmu, -EINVAL,
				    "a group cannot hold events of two sockets");
	if (other->free)
		return 0;
	if (check->nr == ARRAY_SIZE(check->want))
		goto no_counter;
	want = &check->want[check->nr++];
	*want = other->want;
	want->ctr = SNBEP_NO_CTR;

	switch (snbep_sched_add(&check->sched, type->filters, type->nr_filters,
				want)) {
	case SNBEP_SCHED_OK:
		return 0;
	case SNBEP_SCHED_FILTER_TAKEN:
		return snbep_refuse(se->box->pmu, -EINVAL,
				    "the group can never be counted: two of its events want different values of one filter");
	case SNBEP_SCHED_NO_COUNTER:
		break;
	}
no_counter:
	return snbep_refuse(se->box->pmu, -EINVAL,
			    "the group can never be counted: its events need more counters than may count them");
}

/* A group counts as a whole or not at all: refuse one that never can. */
static int snbep_check_group(struct snbep_event *se)
{
	struct perf_event *self = to_perf_event(se);
	struct perf_event *leader = self->group_leader;
	struct snbep_group_check check = { };
	struct perf_event *event;
	int ret;

	if (leader == self)
		return 0;
	ret = snbep_check_member(&check, se, leader);
	for_each_sibling_event(event, leader) {
		if (!ret)
			ret = snbep_check_member(&check, se, event);
	}
	return ret ?: snbep_check_member(&check, se, self);
}

/* What the uncore can do for no event at all */
static int snbep_check_attr(struct snbep_pmu *pmu, struct perf_event *event)
{
	struct perf_event_attr *attr = &event->attr;

	if (is_sampling_event(event))
		return snbep_refuse(pmu, -EOPNOTSUPP,
				    "the uncore has no overflow interrupt: it counts, but cannot sample");
	if (event->cpu < 0 || (event->attach_state & PERF_ATTACH_TASK))
		return snbep_refuse(pmu, -EINVAL,
				    "the uncore is shared by all tasks of a socket: count a CPU (perf stat -a), not a task");
	if (attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	    attr->exclude_idle || attr->exclude_host)
		return snbep_refuse(pmu, -EINVAL,
				    "the uncore does not know who caused an event: leave out :u, :k, :h and :G");
	if (has_branch_stack(event))
		return snbep_refuse(pmu, -EOPNOTSUPP,
				    "the uncore has no branch stack");
	/* Not worth a line: perf sets it unasked, and tries again without. */
	return attr->exclude_guest ? -EINVAL : 0;
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
	if (!socket || socket->cpu >= nr_cpu_ids)
		return snbep_refuse(pmu, -ENODEV, "CPU %u is not online", cpu);
	se->box = pmu->box[socket->pkg];
	if (!se->box || se->box->gone)
		return snbep_refuse(pmu, -ENODEV,
				    "socket %d has no such box, or it does not answer",
				    socket->pkg);
	return 0;
}

static int snbep_check_reach(struct snbep_event *se)
{
	struct snbep_pmu *pmu = se->box->pmu;
	u64 val;

	if (se->want.filters && pmu->type->backend == &snbep_pci_backend &&
	    !snbep_pci_filter_reachable(se->box))
		return snbep_refuse(pmu, -EOPNOTSUPP,
				    "the packet filters of socket %d cannot be reached: function 6 of the port is hidden, or memory-mapped configuration space (MMCONFIG) is off",
				    se->box->socket->pkg);
	if (se->free && rdmsrl_safe_on_cpu(se->box->socket->cpu, se->addr, &val))
		return snbep_refuse(pmu, -ENODEV, "MSR %#x does not answer",
				    se->addr);
	return 0;
}

static void snbep_forget_here(void *data)
{
	struct snbep_event *se = data;

	snbep_box_forget(se->box, se, true);
}

static void snbep_event_destroy(struct perf_event *event)
{
	struct snbep_event *se = to_snbep_event(event);

	if (!se->live || se->free)
		return;
	if (smp_call_function_single(READ_ONCE(se->box->socket->cpu),
				     snbep_forget_here, se, true))
		snbep_box_forget(se->box, se, false);
}

static int snbep_event_init(struct perf_event *event)
{
	struct snbep_pmu *pmu = to_snbep_pmu(event->pmu);
	struct snbep_event *se = to_snbep_event(event);
	unsigned int cpu;
	int ret;

	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	/* If one PMU fails at load, none may have an event: snbep_register_pmus() */
	if (!smp_load_acquire(&snbep_live))
		return -ENODEV;
	/* perf shows a PMU before it is complete: snbep_pmu_register() */
	if (!smp_load_acquire(&pmu->registered))
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
	if (ret)
		return ret;

	cpu = READ_ONCE(se->box->socket->cpu);
	if (cpu >= nr_cpu_ids)
		return snbep_refuse(pmu, -ENODEV, "CPU %d is not online",
				    event->cpu);
	event->cpu = cpu;
	/* Any CPU of the socket can read: no need to interrupt ours. */
	event->event_caps |= PERF_EV_CAP_READ_ACTIVE_PKG;
	event->destroy = snbep_event_destroy;
	return 0;
}

static int snbep_pmu_register(struct snbep_pmu *pmu)
{
	int ret;

	pmu->pmu = (struct pmu) {
		.module = THIS_MODULE,
		.task_ctx_nr = perf_invalid_context,
		.capabilities = PERF_PMU_CAP_NO_EXCLUDE |
				PERF_PMU_CAP_NO_INTERRUPT,
		.attr_groups = snbep_sysfs_groups(pmu->id),
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
	ret = perf_pmu_register(&pmu->pmu, pmu->name, -1);
	if (ret) {
		pr_err("%s: not registered: %d\n", pmu->name, ret);
		return ret;
	}
	/* Pairs with snbep_event_init() */
	smp_store_release(&pmu->registered, true);
	return 0;
}

static struct snbep_pmu *snbep_pmu_alloc(enum snbep_type_id id,
					 unsigned int instance)
{
	const struct snbep_box_type *type = &snbep_box_types[id];
	const char *prefix = uncore_names ? "uncore" : "snbep_uncore";
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
	/* Events of a PMU that is there already may come at once. */
	smp_store_release(&pmu->box[socket->pkg], box);
	if (pmu->registered)
		snbep_sysfs_box_found(box);
	else if (snbep_live)
		snbep_pmu_register(pmu);
out:
	mutex_unlock(&snbep_lock);
	return box;
}

/**
 * snbep_socket_get - the socket of a package
 * @pkg: physical package id
 *
 * Return: the socket, or an error pointer if there cannot be such a one: the
 * UBox maps eight nodes.
 */
struct snbep_socket *snbep_socket_get(int pkg)
{
	if (pkg < 0 || pkg >= SNBEP_MAX_SOCKETS)
		return ERR_PTR(-ENODEV);
	return &snbep_sockets[pkg];
}

static void snbep_box_move_end_here(void *box)
{
	snbep_box_move_end(box);
}

/*
 * Move the events of a socket's boxes from this CPU to another. The registers
 * stay as they are meanwhile, so that nothing goes uncounted.
 */
static void snbep_move_events(struct snbep_socket *socket, unsigned int from,
			      unsigned int to)
{
	struct snbep_pmu *pmu;

	lockdep_assert_held(&snbep_lock);
	list_for_each_entry(pmu, &snbep_pmus, node) {
		struct snbep_box *box = pmu->box[socket->pkg];

		if (!box || !pmu->registered)
			continue;
		snbep_box_stop_poll(box);
		if (to >= nr_cpu_ids)
			continue;
		local_irq_disable();
		snbep_box_move_begin(box);
		local_irq_enable();
		perf_pmu_migrate_context(&pmu->pmu, from, to);
		smp_call_function_single(to, snbep_box_move_end_here, box,
					 true);
	}
}

/* The boxes of a socket that had no CPU belong to this one now. */
static void snbep_take_socket(struct snbep_socket *socket, unsigned int cpu)
{
	struct snbep_pmu *pmu;

	mutex_lock(&snbep_lock);
	list_for_each_entry(pmu, &snbep_pmus, node) {
		if (pmu->box[socket->pkg])
			pmu->box[socket->pkg]->cpu = cpu;
	}
	WRITE_ONCE(socket->cpu, cpu);
	mutex_unlock(&snbep_lock);
}

static int snbep_cpu_online(unsigned int cpu)
{
	struct snbep_socket *socket;

	socket = snbep_socket_get(topology_physical_package_id(cpu));
	if (IS_ERR(socket))
		return 0;
	per_cpu(snbep_cpu_pkg, cpu) = socket->pkg;
	if (socket->cpu < nr_cpu_ids)
		return 0;
	/* No event is opened here before the boxes have been tried. */
	if (!socket->msr_probed)
		snbep_msr_probe(socket);
	socket->msr_probed = true;
	snbep_take_socket(socket, cpu);
	return 0;
}

static int snbep_cpu_offline(unsigned int cpu)
{
	struct snbep_socket *socket;
	unsigned int to;

	socket = snbep_socket_get(topology_physical_package_id(cpu));
	if (IS_ERR(socket) || socket->cpu != cpu)
		return 0;
	to = cpumask_any_but(topology_core_cpumask(cpu), cpu);
	if (to >= nr_cpu_ids) {
		to = nr_cpu_ids;
		pr_notice("snbep_uncore: socket %d has no CPU left to count it from\n",
			  socket->pkg);
	}
	mutex_lock(&snbep_lock);
	WRITE_ONCE(socket->cpu, to);
	snbep_move_events(socket, cpu, to);
	mutex_unlock(&snbep_lock);
	return 0;
}

/*
 * intel_uncore programs the same registers without asking; whoever comes
 * second would count what the other one set up.
 */
static int snbep_module_event(struct notifier_block *nb, unsigned long action,
			      void *data)
{
	struct module *mod = data;

	if (action != MODULE_STATE_COMING || strcmp(mod->name, "intel_uncore"))
		return NOTIFY_DONE;
	pr_warn("snbep_uncore: intel_uncore not loaded: the uncore is in use; unload snbep_uncore first\n");
	return notifier_from_errno(-EBUSY);
}

static struct notifier_block snbep_module_nb = {
	.notifier_call = snbep_module_event,
};

/* Tell which boxes a socket lacks: the BIOS may hide those in PCI space. */
static void snbep_report_missing(struct snbep_socket *socket)
{
	char list[128] = "";
	unsigned int id, i;
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
		}
	}
	if (len)
		pr_notice("snbep_uncore: socket %d: not there or hidden by the BIOS:%s\n",
			  socket->pkg, list);
}

static int snbep_register_pmus(void)
{
	unsigned int i, found = 0;
	struct snbep_pmu *pmu;
	int ret = 0;

	mutex_lock(&snbep_lock);
	list_for_each_entry(pmu, &snbep_pmus, node) {
		if (!ret)
			ret = snbep_pmu_register(pmu);
		found++;
	}
	/* Pairs with snbep_event_init() */
	smp_store_release(&snbep_live, !ret);
	for (i = 0; !ret && found && i < SNBEP_MAX_SOCKETS; i++) {
		if (snbep_sockets[i].cpu < nr_cpu_ids)
			snbep_report_missing(&snbep_sockets[i]);
	}
	mutex_unlock(&snbep_lock);
	if (ret)
		return ret;
	if (!found) {
		pr_info("snbep_uncore: no box of the uncore answers; virtual machines have none\n");
		return -ENODEV;
	}
	pr_info("snbep_uncore: %u PMUs\n", found);
	return 0;
}

static void snbep_free_pmus(void)
{
	struct snbep_pmu *pmu, *next;
	unsigned int i;

	list_for_each_entry_safe(pmu, next, &snbep_pmus, node) {
		for (i = 0; i < SNBEP_MAX_SOCKETS; i++) {
			if (pmu->box[i])
				snbep_box_free(pmu->box[i]);
		}
		list_del(&pmu->node);
		kfree(pmu);
	}
}

static void snbep_release_here(void *box)
{
	snbep_box_release(box);
}

static void snbep_release_boxes(struct snbep_pmu *pmu)
{
	unsigned int i;

	for (i = 0; i < SNBEP_MAX_SOCKETS; i++) {
		if (pmu->box[i] && snbep_sockets[i].cpu < nr_cpu_ids)
			smp_call_function_single(snbep_sockets[i].cpu,
						 snbep_release_here,
						 pmu->box[i], true);
	}
}

/* CPUs that want to go wait for the lock, so a socket's CPU stays meanwhile. */
static void snbep_unregister_pmus(void)
{
	struct snbep_pmu *pmu;

	mutex_lock(&snbep_lock);
	snbep_live = false;
	list_for_each_entry(pmu, &snbep_pmus, node) {
		if (!pmu->registered)
			continue;
		perf_pmu_unregister(&pmu->pmu);
		pmu->registered = false;
		snbep_release_boxes(pmu);
	}
	mutex_unlock(&snbep_lock);
}

static const struct x86_cpu_id snbep_cpu_ids[] = {
	SNBEP_MATCH_CPU,
	{ }
};
MODULE_DEVICE_TABLE(x86cpu, snbep_cpu_ids);

static int __init snbep_init(void)
{
	unsigned int i;
	int ret;

	if (!x86_match_cpu(snbep_cpu_ids)) {
		pr_info("snbep_uncore: not a Xeon E5-2600 (family 6, model 45)\n");
		return -ENODEV;
	}
	/* First keep intel_uncore out, then see whether it is in. */
	ret = register_module_notifier(&snbep_module_nb);
	if (ret)
		return ret;
	/* intel_uncore's PCI driver has this name */
	if (driver_find("snbep_uncore", &pci_bus_type)) {
		pr_err("snbep_uncore: intel_uncore holds the uncore: unload it first (modprobe -r intel_uncore)\n");
		ret = -EBUSY;
		goto err_notifier;
	}
	for (i = 0; i < SNBEP_MAX_SOCKETS; i++) {
		snbep_sockets[i].pkg = i;
		snbep_sockets[i].cpu = nr_cpu_ids;
	}

	snbep_boxes_init();
	snbep_events_init();
	ret = snbep_sysfs_init();
	if (ret)
		goto err_sysfs;
	ret = snbep_pci_init();
	if (ret)
		goto err_sysfs;
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/x86/snbep_uncore:online",
				snbep_cpu_online, snbep_cpu_offline);
	if (ret < 0)
		goto err_pci;
	snbep_cpuhp = ret;
	ret = snbep_register_pmus();
	if (ret)
		goto err_pmus;
	return 0;

err_pmus:
	snbep_unregister_pmus();
	cpuhp_remove_state_nocalls(snbep_cpuhp);
err_pci:
	snbep_pci_exit();
err_sysfs:
	snbep_free_pmus();
	snbep_sysfs_exit();
err_notifier:
	unregister_module_notifier(&snbep_module_nb);
	return ret;
}
module_init(snbep_init);

static void __exit snbep_exit(void)
{
	snbep_unregister_pmus();
	cpuhp_remove_state_nocalls(snbep_cpuhp);
	snbep_pci_exit();
	snbep_free_pmus();
	snbep_sysfs_exit();
	unregister_module_notifier(&snbep_module_nb);
}
module_exit(snbep_exit);

MODULE_DESCRIPTION("Performance monitoring of the Xeon E5-2600 uncore");
MODULE_LICENSE("GPL");
