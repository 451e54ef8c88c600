// SPDX-License-Identifier: GPL-2.0-only
/* sysfs attributes: format/, events/ and cpus */
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/perf_event.h>
#include <linux/sysfs.h>

#include "pmu.h"

/* "config:0-7", or "config:15" for a single bit */
#define FORMAT_TEXT(word, lo, hi)					\
	((lo) == (hi) ? #word ":" #lo : #word ":" #lo "-" #hi)

static ssize_t itanium_format_show(struct device *dev,
				   struct device_attribute *attr, char *buf)
{
	const struct dev_ext_attribute *format =
		container_of(attr, struct dev_ext_attribute, attr);

	return sysfs_emit(buf, "%s\n", (const char *)format->var);
}

static struct attribute *itanium_format_attrs[] = {
#define FORMAT(name)							\
	&((struct dev_ext_attribute[]) { {				\
		.attr = __ATTR(name, 0444, itanium_format_show, NULL),	\
		.var = ITANIUM_ROW(FORMAT_TEXT, ITANIUM_FLD_##name),	\
	} })[0].attr.attr,
	ITANIUM_FIELDS(FORMAT)
	NULL
};

static const struct attribute_group itanium_format_group = {
	.name = "format",
	.attrs = itanium_format_attrs,
};

/* A file in events/ */
struct itanium_alias {
	struct device_attribute attr;
	u8 event;	/* PMC.es */
	u8 umask;	/* umask= or ear_umask= */
	u8 ear;		/* enum itanium_ear */
};

static ssize_t itanium_alias_show(struct device *dev,
				  struct device_attribute *attr, char *buf)
{
	const struct itanium_alias *a =
		container_of(attr, struct itanium_alias, attr);

	if (a->ear == ITANIUM_EAR_NONE)
		return sysfs_emit(buf, "event=0x%02x,umask=0x%x\n", a->event,
				  a->umask);
	return sysfs_emit(buf, "event=0x%02x,ear=%u,ear_umask=0x%x\n", a->event,
			  a->ear, a->umask);
}

static struct attribute *itanium_event_attrs[] = {
#define ALIAS(name_, event_, umask_, ear_)				\
	&((struct itanium_alias[]) { {					\
		.attr = __ATTR(name_, 0444, itanium_alias_show, NULL),	\
		.event = event_, .umask = umask_, .ear = ear_,		\
	} })[0].attr.attr,
#define PLAIN(event)							\
	ALIAS(event, itanium_code_##event, 0, ITANIUM_EAR_NONE)
#define UMASK(event, name, umask, desc)					\
	ALIAS(event##_##name, itanium_code_##event, umask, ITANIUM_EAR_NONE)
#define DEAR_CACHE	itanium_code_data_ear_events, ITANIUM_EAR_DEAR_CACHE
#define DEAR_TLB	itanium_code_data_ear_events, ITANIUM_EAR_DEAR_TLB
#define DEAR_ALAT	itanium_code_data_ear_events, ITANIUM_EAR_DEAR_ALAT
#define IEAR_CACHE	itanium_code_l1i_ear_events, ITANIUM_EAR_IEAR_CACHE
#define IEAR_TLB	itanium_code_l1i_ear_events, ITANIUM_EAR_IEAR_TLB
#define EAR(name, unit, umask, desc)	EAR_ROW(name, umask, unit)
#define EAR_ROW(...)	EAR_ALIAS(__VA_ARGS__)
#define EAR_ALIAS(name, umask, event, ear)	ALIAS(name, event, umask, ear)
#include "events/montecito.def"
	/* Last retired instructions, sampled by cycles, 3.3.10.2 */
	ALIAS(ip_ear, itanium_code_cpu_op_cycles, 0, ITANIUM_EAR_IP)
	NULL
};

static const struct attribute_group itanium_event_group = {
	.name = "events",
	.attrs = itanium_event_attrs,
};

static ssize_t cpus_show(struct device *dev, struct device_attribute *attr,
			 char *buf)
{
	return sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(cpu_online_mask));
}
static DEVICE_ATTR_RO(cpus);

static struct attribute *itanium_pmu_attrs[] = {
	&dev_attr_cpus.attr,
	NULL
};

/* Since 6.4, perf knows by this file that a PMU is the cores' and not the system's. */
static umode_t itanium_pmu_visible(struct kobject *kobj, struct attribute *attr, int n)
{
	return itanium_ops->type == PERF_TYPE_RAW ? attr->mode : 0;
}

static const struct attribute_group itanium_pmu_group = {
	.attrs = itanium_pmu_attrs,
	.is_visible = itanium_pmu_visible,
};

const struct attribute_group *itanium_attr_groups[] = {
	&itanium_format_group,
	&itanium_event_group,
	&itanium_pmu_group,
	NULL
};
