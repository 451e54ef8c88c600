// SPDX-License-Identifier: GPL-2.0-only
/* Sockets and CPU hotplug: selection of the CPU that owns a socket's boxes */
#define pr_fmt(fmt) "snbep_uncore: " fmt

#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
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

static int snbep_cpu_online(unsigned int cpu)
{
	struct snbep_socket *socket;
	struct snbep_box *box;

	socket = snbep_socket_get(topology_physical_package_id(cpu));
	if (!socket || socket->cpu < nr_cpu_ids)
		return 0;
	snbep_msr_probe(socket);
	mutex_lock(&snbep_lock);
	list_for_each_entry(box, &socket->boxes, node)
		WRITE_ONCE(box->cpu, cpu);
	/* Events can be opened in this socket from here on. */
	WRITE_ONCE(socket->cpu, cpu);
	mutex_unlock(&snbep_lock);
	return 0;
}

/*
 * Call perf_pmu_migrate_context() only for boxes with open events, as each
 * call waits for an RCU grace period.
 */
static void snbep_change_cpu(struct snbep_box *box, unsigned int from,
			     unsigned int to)
{
	local_irq_disable();
	snbep_box_update_owner(box);
	local_irq_enable();
	if (atomic_read(&box->events))
		perf_pmu_migrate_context(&box->pmu->pmu, from, to);
}

static int snbep_cpu_offline(unsigned int cpu)
{
	struct snbep_socket *socket;
	struct snbep_box *box;
	unsigned int to;
	bool late;

	socket = snbep_socket_get(topology_physical_package_id(cpu));
	if (!socket || socket->cpu != cpu)
		return 0;
	to = cpumask_any_but(topology_core_cpumask(cpu), cpu);
	mutex_lock(&snbep_lock);
	WRITE_ONCE(socket->cpu, to);
	if (to >= nr_cpu_ids) {
		/* perf removes the events of an offline CPU. */
		pr_notice("socket %d has no online CPU; its events stopped counting\n",
			  socket->pkg);
	} else {
		list_for_each_entry(box, &socket->boxes, node)
			snbep_change_cpu(box, cpu, to);
		/*
		 * Events that perf added on @cpu after their box had left it.
		 * Migration makes those who open events wait: give them time.
		 */
		do {
			late = false;
			synchronize_rcu();
			list_for_each_entry(box, &socket->boxes, node) {
				if (!xchg(&box->late, false))
					continue;
				snbep_change_cpu(box, cpu, to);
				late = true;
			}
		} while (late);
	}
	mutex_unlock(&snbep_lock);
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
	}
}

/* The online callbacks select each socket's CPU and probe its MSR boxes. */
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
