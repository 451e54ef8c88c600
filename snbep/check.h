/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks of an event against the rules of Intel's guide */
#ifndef SNBEP_CHECK_H
#define SNBEP_CHECK_H

#include <linux/types.h>

struct perf_event;
struct snbep_enc;
struct snbep_event;
struct snbep_pmu;

int snbep_check_attr(struct snbep_pmu *pmu, struct perf_event *event);
int snbep_check_reserved(struct snbep_enc *e);
int snbep_check_event(struct snbep_enc *e);
int snbep_check_fixed(struct snbep_enc *e);
int snbep_check_fields(struct snbep_enc *e);
int snbep_check_filter_access(struct snbep_event *se);
int snbep_check_group(struct snbep_event *se);

#endif /* SNBEP_CHECK_H */
