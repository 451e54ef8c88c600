/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef OFFCORE_GROUP_H
#define OFFCORE_GROUP_H

#include <linux/types.h>

struct perf_event;

int offcore_check_group(struct perf_event *event, u64 rsp, unsigned int ctrs);

#endif /* OFFCORE_GROUP_H */
