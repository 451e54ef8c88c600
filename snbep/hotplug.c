// SPDX-License-Identifier: GPL-2.0-only
/*
 * Sockets, and the CPU of each that does the work for its boxes: which one it
 * is as CPUs come and go, and its look at the counters once a minute.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/rculist.h>
#include <linux/topology.h>

#include "common/compat.h"
#include "common/compat_rotate.h"
#include "snbep/box.h"
#include "snbep/hotplug.h"

/*
 * No counter gets half round in this time, so that a leap can be told from it: the
 * fastest of those whose increment the guide has is 44 bits wide and counts 32 a
 * cycle (Table 2-122), which at 4 GHz takes 68 s for half of them.
 */
#define SNBEP_POLL_NS	(60 * NSEC_PER_SEC)

struct snbep_socket snbep_sockets[SNBEP_MAX_SOCKETS];
DEFINE_PER_CPU(unsigned int, snbep_cpu_pkg);
static enum cpuhp_state snbep_cpuhp;

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

static enum hrtimer_restart snbep_poll(struct hrtimer *timer)
{
	struct snbep_socket *socket = container_of(timer, struct snbep_socket,
						   timer);
	struct snbep_box *box;
	bool again = false;

	list_for_each_entry_rcu(box, &socket->boxes, node, true)
		again |= snbep_box_poll(box);
	if (!again) {
		socket->polled = false;
		return HRTIMER_NORESTART;
	}
	hrtimer_forward_now(timer, ns_to_ktime(SNBEP_POLL_NS));
	return HRTIMER_RESTART;
}

/**
 * snbep_start_poll - have the counters of a socket looked at
 * @box: a box of it with counters in use; this is its CPU, interrupts are off
 *
 * A CPU that is going leaves it to the one that takes over.
 */
void snbep_start_poll(struct snbep_box *box)
{
	struct snbep_socket *socket = box->socket;

	if (socket->polled || box->cpu != READ_ONCE(socket->cpu))
		return;
	socket->polled = true;
	hrtimer_start(&socket->timer, ns_to_ktime(SNBEP_POLL_NS),
		      HRTIMER_MODE_REL_PINNED_HARD);
}

static void snbep_migrate_end_here(void *box)
{
	snbep_box_migrate_end(box);
}

/*
 * Move the events of a socket's boxes from this CPU to another. The registers
 * stay as they are meanwhile, so that nothing goes uncounted. perf takes a grace
 * period for each PMU, so one without events in the socket is left out.
 */
static void snbep_migrate_events(struct snbep_socket *socket, unsigned int from,
				 unsigned int to)
{
	struct snbep_box *box;

	lockdep_assert_held(&snbep_lock);
	list_for_each_entry(box, &socket->boxes, node) {
		/* Pairs with snbep_place_event(), which writes it first. */
		bool events = box->pmu->registered && atomic_read(&box->events);

		if (to >= nr_cpu_ids)
			continue;
		local_irq_disable();
		snbep_box_migrate_begin(box, events);
		local_irq_enable();
		if (!events)
			continue;
		perf_pmu_migrate_context(&box->pmu->pmu, from, to);
		smp_call_function_single(to, snbep_migrate_end_here, box, true);
	}
}

/**
 * snbep_socket_settle - wait while the events of a socket migrate
 * @socket: the socket
 *
 * An event that is added meanwhile finds no room. perf tries again later, but
 * gives a pinned one up for good.
 */
void snbep_socket_settle(struct snbep_socket *socket)
{
	if (!READ_ONCE(socket->migrating))
		return;
	mutex_lock(&snbep_lock);
	mutex_unlock(&snbep_lock);
}

/* The boxes of a socket that had no CPU belong to this one now. */
static void snbep_take_socket(struct snbep_socket *socket, unsigned int cpu)
{
	struct snbep_box *box;

	mutex_lock(&snbep_lock);
	list_for_each_entry(box, &socket->boxes, node)
		WRITE_ONCE(box->cpu, cpu);
	WRITE_ONCE(socket->cpu, cpu);
	mutex_unlock(&snbep_lock);
}

/* What perf has left behind for a CPU that went, and whose events then were moved */
static void snbep_end_rotation(struct snbep_socket *socket, unsigned int cpu)
{
	struct snbep_box *box;

	mutex_lock(&snbep_lock);
	list_for_each_entry(box, &socket->boxes, node) {
		if (box->pmu->registered)
			compat_end_rotation(&box->pmu->pmu, cpu, false);
	}
	mutex_unlock(&snbep_lock);
}

static int snbep_cpu_online(unsigned int cpu)
{
	struct snbep_socket *socket;

	socket = snbep_socket_get(topology_physical_package_id(cpu));
	if (IS_ERR(socket))
		return 0;
	per_cpu(snbep_cpu_pkg, cpu) = socket->pkg;
	/* No event is there before this CPU is a socket's. */
	snbep_end_rotation(socket, cpu);
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
	if (to >= nr_cpu_ids)
		pr_notice("snbep_uncore: socket %d has no CPU left to count it from\n",
			  socket->pkg);
	mutex_lock(&snbep_lock);
	WRITE_ONCE(socket->migrating, true);
	WRITE_ONCE(socket->cpu, to);
	/*
	 * Pairs with snbep_place_event(), which counts its event in and then looks
	 * for the CPU: the event is found below, or it has found @to.
	 */
	smp_mb();
	hrtimer_cancel(&socket->timer);
	socket->polled = false;
	snbep_migrate_events(socket, cpu, to);
	WRITE_ONCE(socket->migrating, false);
	mutex_unlock(&snbep_lock);
	return 0;
}

/* Do something to each box that belongs to this CPU. */
static void snbep_for_boxes_here(void (*what)(struct snbep_box *box))
{
	struct snbep_box *box;
	unsigned int i;

	for (i = 0; i < SNBEP_MAX_SOCKETS; i++) {
		if (snbep_sockets[i].cpu != smp_processor_id())
			continue;
		list_for_each_entry_rcu(box, &snbep_sockets[i].boxes, node,
					true)
			what(box);
	}
}

/*
 * A machine that sleeps loses the registers. Only the last CPU still has events
 * then: those of the other sockets went with their CPUs.
 */
static void snbep_suspend(void)
{
	snbep_for_boxes_here(snbep_box_suspend);
}

static void snbep_resume(void)
{
	snbep_for_boxes_here(snbep_box_resume);
}

SNBEP_DEFINE_SLEEP(snbep_sleep, snbep_suspend, snbep_resume);

static void snbep_socket_init(struct snbep_socket *socket, int pkg)
{
	*socket = (struct snbep_socket){ .pkg = pkg, .cpu = nr_cpu_ids };
	INIT_LIST_HEAD(&socket->boxes);
	hrtimer_setup(&socket->timer, snbep_poll, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
}

/**
 * snbep_hotplug_prepare - before the first box is found
 */
void snbep_hotplug_prepare(void)
{
	unsigned int i;

	for (i = 0; i < SNBEP_MAX_SOCKETS; i++)
		snbep_socket_init(&snbep_sockets[i], i);
}

/**
 * snbep_hotplug_init - choose each socket's CPU, and find its MSR boxes
 *
 * Return: 0, or a negative errno.
 */
int snbep_hotplug_init(void)
{
	int ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN,
				    "perf/x86/snbep_uncore:online",
				    snbep_cpu_online, snbep_cpu_offline);

	if (ret < 0)
		return ret;
	snbep_cpuhp = ret;
	snbep_register_sleep(&snbep_sleep);
	return 0;
}

/** snbep_hotplug_exit - after the last event is gone */
void snbep_hotplug_exit(void)
{
	unsigned int i;

	snbep_unregister_sleep(&snbep_sleep);
	cpuhp_remove_state_nocalls(snbep_cpuhp);
	for (i = 0; i < SNBEP_MAX_SOCKETS; i++)
		hrtimer_cancel(&snbep_sockets[i].timer);
}
