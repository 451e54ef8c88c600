// SPDX-License-Identifier: GPL-2.0-only
/* sysfs attributes: format/, events/ and cpumask */
#include <linux/bitfield.h>
#include <linux/sysfs.h>

#include "snbep/event.h"
#include "snbep/regs.h"
#include "snbep_uncore.h"

static struct snbep_pmu *dev_to_snbep_pmu(struct device *dev)
{
	return to_snbep_pmu(dev_get_drvdata(dev));
}

/* Show a file of format/, such as "config:0-7,21". */
ssize_t snbep_format_show(struct device *dev, struct device_attribute *attr,
			  char *buf)
{
	const struct snbep_format *f =
		container_of(attr, const struct snbep_format, attr);
	struct snbep_pmu *pmu = dev_to_snbep_pmu(dev);
	u64 mask = f->mask;
	char sep = ':';
	int len;

	if (pmu->no_ext && f->config == 0)
		mask &= ~(u64)SNBEP_PMON_CTL_EV_SEL_EXT;
	len = sysfs_emit(buf, "%s", snbep_config_names[f->config]);
	while (mask) {
		unsigned int lo = __ffs64(mask);
		unsigned int hi = lo;

		while (hi < 63 && (mask & BIT_ULL(hi + 1)))
			hi++;
		mask &= ~GENMASK_ULL(hi, lo);
		len += sysfs_emit_at(buf, len, "%c%u", sep, lo);
		if (hi != lo)
			len += sysfs_emit_at(buf, len, "-%u", hi);
		sep = ',';
	}
	return len + sysfs_emit_at(buf, len, "\n");
}

/*
 * Show a file of events/. Filters with a default are not part of the alias:
 * perf would OR the default and the user's value.
 */
ssize_t snbep_alias_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	const struct snbep_alias *a =
		container_of(attr, const struct snbep_alias, attr);
	const struct snbep_box_type *type = dev_to_snbep_pmu(dev)->type;
	const struct snbep_umask_desc *u;
	const struct snbep_filter *f;
	int len;

	if (a->row < 0)
		return sysfs_emit(buf, "%s\n", a->text);
	u = &type->table->umasks[a->row];
	len = sysfs_emit(buf, "event=0x%02x", type->table->events[u->event].sel);
	if (!u->plain)
		len += type->occ.sel ?
		       sysfs_emit_at(buf, len, ",occ_sel=%lu",
				     FIELD_GET(SNBEP_PCU_CTL_OCC_SEL,
					       u->umask << 8)) :
		       sysfs_emit_at(buf, len, ",umask=0x%02x", u->umask);
	for (f = type->filters; f < type->filters + type->nr_filters; f++) {
		if ((u->needs & f->flag) && !f->fallback)
			len += sysfs_emit_at(buf, len, ",%s=?", f->name);
	}
	return len + sysfs_emit_at(buf, len, "\n");
}

/* Hide aliases of events that need ev_sel_ext where it is not writable. */
umode_t snbep_alias_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	struct snbep_pmu *pmu = dev_to_snbep_pmu(kobj_to_dev(kobj));
	const struct snbep_alias *a =
		container_of(attr, const struct snbep_alias, attr.attr);
	const struct snbep_table *table = pmu->type->table;

	if (pmu->no_ext && a->row >= 0 &&
	    (table->events[table->umasks[a->row].event].sel & SNBEP_SEL_EXT))
		return 0;
	return attr->mode;
}

static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	struct snbep_pmu *pmu = dev_to_snbep_pmu(dev);
	cpumask_var_t mask;
	unsigned int i;
	ssize_t len;

	if (!zalloc_cpumask_var(&mask, GFP_KERNEL))
		return -ENOMEM;
	for (i = 0; i < SNBEP_MAX_SOCKETS; i++) {
		unsigned int cpu = READ_ONCE(snbep_sockets[i].cpu);

		if (snbep_live_box(pmu, i) && cpu < nr_cpu_ids)
			cpumask_set_cpu(cpu, mask);
	}
	len = sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(mask));
	free_cpumask_var(mask);
	return len;
}
static DEVICE_ATTR_RO(cpumask);

static struct attribute *snbep_cpumask_attrs[] = {
	&dev_attr_cpumask.attr,
	NULL
};

const struct attribute_group snbep_cpumask_group = {
	.attrs = snbep_cpumask_attrs,
};
