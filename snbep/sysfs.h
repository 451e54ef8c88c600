/* SPDX-License-Identifier: GPL-2.0-only */
/* sysfs attributes of the PMUs */
#ifndef SNBEP_SYSFS_H
#define SNBEP_SYSFS_H

#include <linux/device.h>
#include <linux/sysfs.h>

ssize_t snbep_format_show(struct device *dev, struct device_attribute *attr,
			  char *buf);
ssize_t snbep_alias_show(struct device *dev, struct device_attribute *attr,
			 char *buf);
umode_t snbep_alias_visible(struct kobject *kobj, struct attribute *attr,
			    int n);
extern const struct attribute_group snbep_cpumask_group;

#endif /* SNBEP_SYSFS_H */
