/* SPDX-License-Identifier: GPL-2.0-only */
/* sysfs attributes of the PMU */
#ifndef OFFCORE_SYSFS_H
#define OFFCORE_SYSFS_H

struct attribute_group;

extern const struct attribute_group *offcore_groups[];

#endif /* OFFCORE_SYSFS_H */
