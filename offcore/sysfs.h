/* SPDX-License-Identifier: GPL-2.0-only */
/* The PMU's files: format/, events/ and caps/ */
#ifndef OFFCORE_SYSFS_H
#define OFFCORE_SYSFS_H

struct attribute_group;

extern const struct attribute_group *offcore_groups[];

#endif /* OFFCORE_SYSFS_H */
