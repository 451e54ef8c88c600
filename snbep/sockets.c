// SPDX-License-Identifier: GPL-2.0-only
/* Sockets and CPU hotplug: which CPU counts for a socket */
#define pr_fmt(fmt) "snbep_uncore: " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/perf_event.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>
#include <linux/topology.h>

#include "common/compat.h"
#include "snbep/box.h"
#include "snbep/msr.h"
#include "snbep/pmus.h"
#include "snbep/sockets.h"

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
 * Protects snbep_box.events. Not held in perf_pmu_migrate_context(), which takes
 * a ctx->mutex: event_init() of a member is called with one.
 */
static DEFINE_MUTEX(snbep_events_lock);

/*
 * Move @event to the CPU that counts for its socket, where perf then opens it.
 * A member of a group of ours joins its leader, which may have yet to migrate.
 */
int snbep_socket_add_event(struct perf_event *event)
{
	struct perf_event *leader = event->group_leader;
	struct snbep_box *box = to_snbep_event(event)->box;
	unsigned int cpu;
	bool elsewhere;

	mutex_lock(&snbep_events_lock);
	cpu = leader != event && leader->pmu == event->pmu ?
	      leader->cpu : READ_ONCE(box->socket->cpu);
	elsewhere = leader != event && leader->cpu != cpu;
	if (cpu < nr_cpu_ids && !elsewhere) {
		event->cpu = cpu;
		list_add_tail(&event->active_entry, &box->events);
	}
	mutex_unlock(&snbep_events_lock);
	if (cpu >= nr_cpu_ids)
		return snbep_refuse(box->pmu, -ENODEV, "CPU %d is not online",
				    event->cpu);
	if (elsewhere)
		return snbep_refuse(box->pmu, -EINVAL, "its group is on CPU %d, but CPU %u counts for socket %d: open the whole group there",
				    leader->cpu, cpu, box->socket->pkg);
	return 0;
}

void snbep_socket_remove_event(struct perf_event *event)
{
	mutex_lock(&snbep_events_lock);
	list_del(&event->active_entry);
	mutex_unlock(&snbep_events_lock);
}

/*
 * Return whether @box has events on @cpu. With @opening, only look for those
 * that perf has yet to install there: event_init() has returned, and perf will
 * set event->ctx before it gives up the ctx->mutex that migration waits for.
 */
static bool snbep_box_has_events(struct snbep_box *box, unsigned int cpu,
				 bool opening)
{
	struct perf_event *event;
	bool found = false;

	mutex_lock(&snbep_events_lock);
	list_for_each_entry(event, &box->events, active_entry)
		found |= event->cpu == cpu &&
			 !(opening && READ_ONCE(event->ctx));
	mutex_unlock(&snbep_events_lock);
	return found;
}

/*
 * Events that are being opened on @from cannot migrate yet. They take a moment;
 * if the opener does not get to run, perf will find @from offline.
 */
static void snbep_move_events(struct snbep_socket *socket, unsigned int from,
			      unsigned int to)
{
	unsigned long timeout = jiffies + HZ;
	struct snbep_box *box;
	bool left = false;

	list_for_each_entry_rcu(box, &socket->boxes, node, true) {
		while (snbep_box_has_events(box, from, true) &&
		       time_before(jiffies, timeout))
			usleep_range(1000, 2000);
		if (!snbep_box_has_events(box, from, false))
			continue;
		if (to < nr_cpu_ids)
			perf_pmu_migrate_context(&box->pmu->pmu, from, to);
		else
			left = true;
	}
	/* perf removes the events of an offline CPU. Another callback may fail yet. */
	if (left)
		pr_notice("socket %d: events end when CPU %u, its last one, goes offline\n",
			  socket->pkg, from);
}

/* 44 bits at up to 32 per cycle (Table 2-122) wrap after 137 s at 4 GHz. */
#define SNBEP_POLL_NS	(60 * NSEC_PER_SEC)

static enum hrtimer_restart snbep_poll(struct hrtimer *timer)
{
	struct snbep_socket *socket =
		container_of(timer, struct snbep_socket, timer);
	struct snbep_box *box;

	list_for_each_entry_rcu(box, &socket->boxes, node, true)
		snbep_box_poll(box);
	hrtimer_forward_now(timer, ns_to_ktime(SNBEP_POLL_NS));
	return HRTIMER_RESTART;
}

/* Called on the CPU that counts; counters may not have been read for a while. */
static void snbep_start_timer(void *data)
{
	struct snbep_socket *socket = data;

	hrtimer_start(&socket->timer, 0, HRTIMER_MODE_REL_PINNED_HARD);
}

static int snbep_cpu_online(unsigned int cpu)
{
	struct snbep_socket *socket;

	socket = snbep_socket_get(topology_physical_package_id(cpu));
	if (!socket || socket->cpu < nr_cpu_ids)
		return 0;
	/* If going offline is rolled back, controls are in use. */
	if (!socket->probed)
		snbep_msr_probe(socket);
	socket->probed = true;
	snbep_start_timer(socket);
	/* Events can be opened in this socket from here on. */
	WRITE_ONCE(socket->cpu, cpu);
	return 0;
}

static int snbep_cpu_offline(unsigned int cpu)
{
	struct snbep_socket *socket;
	unsigned int to;

	socket = snbep_socket_get(topology_physical_package_id(cpu));
	if (!socket)
		return 0;
	to = socket->cpu;
	if (to == cpu) {
		to = cpumask_any_but(topology_core_cpumask(cpu), cpu);
		WRITE_ONCE(socket->cpu, to);
		hrtimer_cancel(&socket->timer);
		smp_call_function_single(to, snbep_start_timer, socket, true);
	}
	snbep_move_events(socket, cpu, to);
	return 0;
}

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
	return 0;
}

void snbep_sockets_exit(void)
{
	int pkg;

	cpuhp_remove_state_nocalls(snbep_cpuhp);
	for (pkg = 0; pkg < SNBEP_MAX_SOCKETS; pkg++)
		hrtimer_cancel(&snbep_sockets[pkg].timer);
}
