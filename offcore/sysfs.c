// SPDX-License-Identifier: GPL-2.0-only
/*
 * sysfs attributes. The arrays have the files of all processors; is_visible()
 * selects those of this one.
 */
#include <linux/cpumask.h>
#include <linux/device.h>
#include <linux/sysfs.h>

#include "offcore/direct.h"
#include "offcore/model.h"

/* A file in format/ or events/ */
struct offcore_file {
	struct device_attribute attr;
	u8 cpus;		/* OFFCORE_NHM, ...: processors with the file */
	const char *text;
};

static ssize_t offcore_file_show(struct device *dev,
				 struct device_attribute *attr, char *buf)
{
	struct offcore_file *f = container_of(attr, struct offcore_file, attr);

	return sysfs_emit(buf, "%s\n", f->text);
}

static umode_t offcore_is_visible(struct kobject *kobj, struct attribute *attr,
				  int unused)
{
	struct offcore_file *f = container_of(attr, struct offcore_file,
					      attr.attr);

	return f->cpus & offcore_model->cpu ? attr->mode : 0;
}

#define OFFCORE_FILE(on, file, content)					\
	(&((struct offcore_file[]) { {					\
		.attr = __ATTR(file, 0444, offcore_file_show, NULL),	\
		.cpus = on, .text = content,				\
	} })[0].attr.attr)

static struct attribute *offcore_format_attrs[] = {
	/* The whole register; offcore_encode() rejects reserved bits. */
	OFFCORE_FILE(OFFCORE_ALL, rsp, "config:0-63"),
#define FIELD(on, field, kind, n, desc)		OFFCORE_FILE(on, field, "config:" #n),
#define SET(on, field, kind, n, bits, desc)	OFFCORE_FILE(on, field, "config1:" #n),
#define ALIAS(on, event, terms, intel, desc)
#include "events/offcore_nehalem.def"
#include "events/offcore_sandybridge.def"
#undef FIELD
#undef SET
#undef ALIAS
	NULL
};

static struct attribute *offcore_events_attrs[] = {
#define FIELD(on, field, kind, n, desc)
#define SET(on, field, kind, n, bits, desc)
#define ALIAS(on, event, terms, intel, desc)	OFFCORE_FILE(on, event, terms),
#include "events/offcore_nehalem.def"
#include "events/offcore_sandybridge.def"
#undef FIELD
#undef SET
#undef ALIAS
	NULL
};

static const struct attribute_group offcore_format_group = {
	.name = "format",
	.attrs = offcore_format_attrs,
	.is_visible = offcore_is_visible,
};

static const struct attribute_group offcore_events_group = {
	.name = "events",
	.attrs = offcore_events_attrs,
	.is_visible = offcore_is_visible,
};

/* caps/mode: "kernel" (core PMU) or "direct" */
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

/* In direct mode, makes perf open events on all CPUs, also without -a. */
static ssize_t cpumask_show(struct device *dev, struct device_attribute *attr,
			    char *buf)
{
	return sysfs_emit(buf, "%*pbl\n", cpumask_pr_args(cpu_online_mask));
}
static DEVICE_ATTR_RO(cpumask);

static struct attribute *offcore_cpumask_attrs[] = {
	&dev_attr_cpumask.attr,
	NULL
};

static umode_t offcore_is_direct(struct kobject *kobj, struct attribute *attr,
				 int unused)
{
	return offcore_direct ? attr->mode : 0;
}

static const struct attribute_group offcore_cpumask_group = {
	.attrs = offcore_cpumask_attrs,
	.is_visible = offcore_is_direct,
};

const struct attribute_group *offcore_groups[] = {
	&offcore_cpumask_group,
	&offcore_format_group,
	&offcore_events_group,
	&offcore_caps_group,
	NULL
};
