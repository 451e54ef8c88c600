/* SPDX-License-Identifier: GPL-2.0-only */
/* Translation of a perf_event_attr to a box and register values */
#ifndef SNBEP_REQUEST_H
#define SNBEP_REQUEST_H

#include "snbep/types.h"

struct perf_event;
struct snbep_pmu;

/* A decoded perf_event_attr */
struct snbep_enc {
	struct snbep_pmu *pmu;
	struct perf_event *self;
	u64 config[SNBEP_NR_CONFIGS];
	u16 code;	/* event select from config */
	u16 sel;	/* @code without the PCU's occupancy bit */
	u8 umask;
	bool unlisted;	/* allow undocumented events and unit masks */
	const struct snbep_event_desc *event;
	u8 covered;	/* bits of @umask that unit masks of the event have */
	bool plain;	/* the event has no unit masks */
	u16 needs;	/* required filters of event and unit mask */
	u16 takes;	/* optional filters */
};

int snbep_request(struct snbep_pmu *pmu, struct perf_event *event);

#endif /* SNBEP_REQUEST_H */
