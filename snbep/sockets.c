// SPDX-License-Identifier: GPL-2.0-only
/* Sockets, and the CPU of each that owns its boxes, as CPUs come and go */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/perf_event.h>
#include <linux/topology.h>

#include "snbep/box.h"
#include "snbep/msr.h"
#include "snbep/pmus.h"
#include "snbep/sockets.h"

struct snbep_socket snbep_sockets[SNBEP_MAX_SOCKETS];
static enum cpuhp_state snbep_cpuhp;

/* The socket of a package; NULL if the UBox has no number for it */
struct snbep_socket *snbep_socket_get(int pkg)
{
	return pkg >= 0 && pkg < SNBEP_MAX_SOCKETS ? &snbep_sockets[pkg] : NULL;
}

bool snbep_package_is_online(int pkg)
{
	unsigned int cpu;

	for_each_online_cpu(cpu) {
		if (topology_physical_package_id(cpu) == pkg)
			return true;
	}
	return false;
}

static int snbep_cpu_online(unsigned int cpu)
{
	struct snbep_socket *socket;
	struct snbep_box *box;

	socket = snbep_socket_get(topology_physical_package_id(cpu));
	if (!socket || socket->cpu < nr_cpu_ids)
		return 0;
	if (!socket->msr_probed)
		snbep_msr_probe(socket);
	socket->msr_probed = true;
	mutex_lock(&snbep_lock);
	list_for_each_entry(box, &socket->boxes, node)
		WRITE_ONCE(box->cpu, cpu);
	/* From now on events are opened in this socket. */
	WRITE_ONCE(socket->cpu, cpu);
	mutex_unlock(&snbep_lock);
	return 0;
}

/*
 * perf waits for a grace period for each PMU, so one without events in this
 * socket is left out.
 */
static void snbep_change_cpu(struct snbep_box *box, unsigned int from,
			     unsigned int to)
{
	local_irq_disable();
	snbep_box_leave(box);
	local_irq_enable();
	if (atomic_read(&box->events))
		perf_pmu_migrate_context(&box->pmu->pmu, from, to);
}

static int snbep_cpu_offline(unsigned int cpu)
{
	struct snbep_socket *socket;
	struct snbep_box *box;
	unsigned int to;

	socket = snbep_socket_get(topology_physical_package_id(cpu));
	if (!socket || socket->cpu != cpu)
		return 0;
	to = cpumask_any_but(topology_core_cpumask(cpu), cpu);
	mutex_lock(&snbep_lock);
	WRITE_ONCE(socket->cpu, to);
	if (to >= nr_cpu_ids) {
		/* perf stops the events. */
		pr_notice("snbep_uncore: socket %d has no CPU left to count it from\n",
			  socket->pkg);
	} else {
		list_for_each_entry(box, &socket->boxes, node)
			snbep_change_cpu(box, cpu, to);
	}
	mutex_unlock(&snbep_lock);
	return 0;
}

/* Before the first box is found */
void snbep_sockets_prepare(void)
{
	int pkg;

	for (pkg = 0; pkg < SNBEP_MAX_SOCKETS; pkg++) {
		snbep_sockets[pkg] = (struct snbep_socket){
			.pkg = pkg, .cpu = nr_cpu_ids,
		};
		INIT_LIST_HEAD(&snbep_sockets[pkg].boxes);
	}
}

/* Choose each socket's CPU, and find its MSR boxes */
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
	cpuhp_remove_state_nocalls(snbep_cpuhp);
}
