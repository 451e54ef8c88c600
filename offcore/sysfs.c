// SPDX-License-Identifier: GPL-2.0-only
/* Files of the PMU: format/, events/, caps/, and the registers in debugfs */
#include <linux/cpu.h>
#include <linux/debugfs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sysfs.h>

#include <asm/msr.h>
#include <asm/perf_event.h>

#include "offcore.h"

ssize_t offcore_format_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	struct offcore_field *f = container_of(attr, struct offcore_field, attr);

	return sysfs_emit(buf, "%s:%u\n", f->word ? "config1" : "config",
			  f->bit);
}

ssize_t offcore_alias_show(struct device *dev, struct device_attribute *attr,
			   char *buf)
{
	struct offcore_alias *a = container_of(attr, struct offcore_alias, attr);

	return sysfs_emit(buf, "%s\n", a->terms);
}

/* The register as a whole; its reserved bits are refused when used. */
static ssize_t rsp_show(struct device *dev, struct device_attribute *attr,
			char *buf)
{
	return sysfs_emit(buf, "config:0-63\n");
}
static DEVICE_ATTR_RO(rsp);

/* caps/mode: whose the counters are */
static ssize_t mode_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	return sysfs_emit(buf, "%s\n", offcore_direct ? "direct" : "kernel");
}
static DEVICE_ATTR_RO(mode);

static struct attribute *offcore_caps_attrs[] = {
	&dev_attr_mode.attr,
	NULL
};

static const struct attribute_group offcore_caps_group = {
	.name = "caps",
	.attrs = offcore_caps_attrs,
};

static struct attribute_group offcore_format_group = { .name = "format" };
static struct attribute_group offcore_events_group = { .name = "events" };

static const struct attribute_group *offcore_groups[] = {
	&offcore_format_group,
	&offcore_events_group,
	&offcore_caps_group,
	NULL
};

/**
 * offcore_sysfs_init - make the tables of files for this processor
 *
 * Return: what perf_pmu_register() is to make, or NULL without memory;
 * offcore_sysfs_exit() cleans up after both.
 */
const struct attribute_group **offcore_sysfs_init(void)
{
	const struct offcore_model *m = offcore_model;
	struct attribute **format, **events;
	unsigned int i;

	format = kcalloc(m->nr_fields + 2, sizeof(*format), GFP_KERNEL);
	events = kcalloc(m->nr_aliases + 1, sizeof(*events), GFP_KERNEL);
	offcore_format_group.attrs = format;
	offcore_events_group.attrs = events;
	if (!format || !events)
		return NULL;

	format[0] = &dev_attr_rsp.attr;
	for (i = 0; i < m->nr_fields; i++) {
		sysfs_attr_init(&m->fields[i].attr.attr);
		format[i + 1] = &m->fields[i].attr.attr;
	}
	for (i = 0; i < m->nr_aliases; i++) {
		sysfs_attr_init(&m->aliases[i].attr.attr);
		events[i] = &m->aliases[i].attr.attr;
	}
	return offcore_groups;
}

/** offcore_sysfs_exit - after the PMU is gone */
void offcore_sysfs_exit(void)
{
	kfree(offcore_format_group.attrs);
	kfree(offcore_events_group.attrs);
}

static struct dentry *offcore_debugfs;

static void offcore_show_names(struct seq_file *m, u64 rsp)
{
	const struct offcore_field *f = offcore_model->fields;
	char sep = ' ';
	unsigned int i;

	for (i = 0; i < offcore_model->nr_fields; i++, f++) {
		if (f->word != 0 || !(rsp & f->rsp))
			continue;
		seq_printf(m, "%c%s", sep, f->attr.attr.name);
		sep = ',';
	}
	if (rsp & offcore_model->whole)
		seq_printf(m, "%cremote", sep);
}

static void offcore_show_register(struct seq_file *m, unsigned int cpu,
				  unsigned int reg, unsigned int counters)
{
	bool used = false;
	unsigned int i;
	u64 rsp, sel;

	if (rdmsrl_safe_on_cpu(cpu, MSR_OFFCORE_RSP_0 + reg, &rsp)) {
		seq_printf(m, "cpu %u OFFCORE_RSP_%u does not answer\n", cpu,
			   reg);
		return;
	}
	seq_printf(m, "cpu %u OFFCORE_RSP_%u=%#llx", cpu, reg, rsp);
	offcore_show_names(m, rsp);
	for (i = 0; i < counters; i++) {
		if (rdmsrl_safe_on_cpu(cpu, MSR_ARCH_PERFMON_EVENTSEL0 + i,
				       &sel))
			continue;
		if (!(sel & ARCH_PERFMON_EVENTSEL_ENABLE) ||
		    (sel & (ARCH_PERFMON_EVENTSEL_EVENT |
			    ARCH_PERFMON_EVENTSEL_UMASK)) != OFFCORE_CONFIG(reg))
			continue;
		seq_printf(m, "%s %u", used ? "" : " counters", i);
		used = true;
	}
	if (!used)
		seq_puts(m, " free");
	if (offcore_direct)
		offcore_direct_show_holders(m, cpu, reg);
	seq_putc(m, '\n');
}

/*
 * What each register holds and which counters of the CPU use it, read from the
 * hardware: the kernel's own events are in it, too.
 */
static int registers_show(struct seq_file *m, void *data)
{
	struct x86_pmu_capability cap;
	unsigned int counters, cpu, reg;

	perf_get_x86_pmu_capability(&cap);
	counters = offcore_direct ? offcore_direct_counters() :
				    cap.num_counters_gp;
	seq_printf(m, "%s: %s counters, %u of each CPU; registers %s\n",
		   offcore_model->name, offcore_direct ? "our own" : "the kernel's",
		   counters, offcore_model->shared ?
		   "shared by the threads of a core" : "of each thread");
	cpus_read_lock();
	for_each_online_cpu(cpu) {
		for (reg = 0; reg < offcore_model->nr_regs; reg++)
			offcore_show_register(m, cpu, reg, counters);
	}
	cpus_read_unlock();
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(registers);

/** offcore_debugfs_init - offcore_rsp/registers; optional, as all of debugfs */
void offcore_debugfs_init(void)
{
	offcore_debugfs = debugfs_create_dir("offcore_rsp", NULL);
	debugfs_create_file("registers", 0400, offcore_debugfs, NULL,
			    &registers_fops);
}

/** offcore_debugfs_exit - take it away */
void offcore_debugfs_exit(void)
{
	debugfs_remove_recursive(offcore_debugfs);
}
