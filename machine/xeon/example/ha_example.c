// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * An uncore PMU to start from: counter 0 of each socket's Home Agent, one
 * event at a time and no filters. Registers are those of Intel's uncore guide
 * for the Xeon E5-2600.
 */

#include <linux/bitfield.h>
#include <linux/module.h>
#include <linux/pci.h>
#include <linux/perf_event.h>
#include <linux/topology.h>

#define HA_DEVICE		0x3c46		/* section 2.4 */
#define HA_DEVFN		PCI_DEVFN(14, 1)
#define HA_CTL0			0xd8
#define HA_CTR0			0xa0		/* 48 bits, low word first */

#define CTL_EN			BIT(22)
#define CTL_EVENT		GENMASK(7, 0)
#define CTL_UMASK		GENMASK(15, 8)

#define MAX_SOCKETS		8

static struct pci_dev *ha_dev[MAX_SOCKETS];
static struct perf_event *ha_owner[MAX_SOCKETS];
static cpumask_t ha_cpus;

PMU_FORMAT_ATTR(event, "config:0-7");
PMU_FORMAT_ATTR(umask, "config:8-15");

static struct attribute *format_attrs[] = {
	&format_attr_event.attr,
	&format_attr_umask.attr,
	NULL
};

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr, char *buf)
{
	return cpumap_print_to_pagebuf(true, buf, &ha_cpus);
}
static DEVICE_ATTR_RO(cpumask);

static struct attribute *cpumask_attrs[] = {
	&dev_attr_cpumask.attr,
	NULL
};

static const struct attribute_group format_group = { .name = "format", .attrs = format_attrs };
static const struct attribute_group cpumask_group = { .attrs = cpumask_attrs };

static const struct attribute_group *ha_groups[] = {
	&format_group,
	&cpumask_group,
	NULL
};

static u64 ha_read_counter(struct pci_dev *dev)
{
	u32 low, high, again;

	pci_read_config_dword(dev, HA_CTR0 + 4, &again);
	do {
		high = again;
		pci_read_config_dword(dev, HA_CTR0, &low);
		pci_read_config_dword(dev, HA_CTR0 + 4, &again);
	} while (high != again);
	return (u64)high << 32 | low;
}

static void ha_read(struct perf_event *event)
{
	u64 now = ha_read_counter(event->pmu_private);
	u64 before = local64_xchg(&event->hw.prev_count, now);

	local64_add((now - before) & GENMASK_ULL(47, 0), &event->count);
}

static void ha_start(struct perf_event *event, int flags)
{
	struct pci_dev *dev = event->pmu_private;

	event->hw.state = 0;
	local64_set(&event->hw.prev_count, ha_read_counter(dev));
	pci_write_config_dword(dev, HA_CTL0, event->attr.config | CTL_EN);
}

static void ha_stop(struct perf_event *event, int flags)
{
	if (event->hw.state & PERF_HES_STOPPED)
		return;
	pci_write_config_dword(event->pmu_private, HA_CTL0, 0);
	ha_read(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static int ha_add(struct perf_event *event, int flags)
{
	int socket = topology_physical_package_id(event->cpu);

	if (ha_owner[socket])
		return -EAGAIN;
	ha_owner[socket] = event;
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (flags & PERF_EF_START)
		ha_start(event, flags);
	return 0;
}

static void ha_del(struct perf_event *event, int flags)
{
	ha_stop(event, PERF_EF_UPDATE);
	ha_owner[topology_physical_package_id(event->cpu)] = NULL;
}

static int ha_event_init(struct perf_event *event)
{
	if (event->attr.type != event->pmu->type)
		return -ENOENT;
	if (is_sampling_event(event) || event->cpu < 0 || !cpumask_test_cpu(event->cpu, &ha_cpus))
		return -EINVAL;
	if (event->attr.config & ~(u64)(CTL_EVENT | CTL_UMASK))
		return -EINVAL;
	event->pmu_private = ha_dev[topology_physical_package_id(event->cpu)];
	return 0;
}

static struct pmu ha_pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_invalid_context,
	.capabilities	= PERF_PMU_CAP_NO_EXCLUDE,
	.attr_groups	= ha_groups,
	.event_init	= ha_event_init,
	.add		= ha_add,
	.del		= ha_del,
	.start		= ha_start,
	.stop		= ha_stop,
	.read		= ha_read,
};

static void ha_put_devices(void)
{
	for (int i = 0; i < MAX_SOCKETS; i++)
		pci_dev_put(ha_dev[i]);
}

static int __init ha_init(void)
{
	int sockets = 0, bus, cpu, ret;

	/* A bus for each socket, in ascending order. */
	for (bus = 0; bus < 256 && sockets < MAX_SOCKETS; bus++) {
		struct pci_dev *dev = pci_get_domain_bus_and_slot(0, bus, HA_DEVFN);

		if (dev && dev->vendor == PCI_VENDOR_ID_INTEL && dev->device == HA_DEVICE)
			ha_dev[sockets++] = dev;
		else
			pci_dev_put(dev);
	}
	/* One CPU of each socket counts for all of it; a driver that lasts follows CPU hotplug. */
	for_each_online_cpu(cpu) {
		if (topology_physical_package_id(cpu) < sockets &&
		    cpumask_first(topology_core_cpumask(cpu)) == cpu)
			cpumask_set_cpu(cpu, &ha_cpus);
	}
	if (cpumask_empty(&ha_cpus)) {
		ha_put_devices();
		return -ENODEV;
	}
	ret = perf_pmu_register(&ha_pmu, "ha_example", -1);
	if (ret)
		ha_put_devices();
	return ret;
}
module_init(ha_init);

static void __exit ha_exit(void)
{
	perf_pmu_unregister(&ha_pmu);
	ha_put_devices();
}
module_exit(ha_exit);

MODULE_DESCRIPTION("Home Agent counters of the Xeon E5-2600, as an example");
MODULE_LICENSE("GPL");
