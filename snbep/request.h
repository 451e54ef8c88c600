/* SPDX-License-Identifier: GPL-2.0-only */
/* From a perf_event_attr to a box and what the event wants of it, or a refusal */
#ifndef SNBEP_REQUEST_H
#define SNBEP_REQUEST_H

#include "snbep/types.h"

struct perf_event;
struct snbep_pmu;

/* An encoding taken apart */
struct snbep_enc {
	struct snbep_pmu *pmu;
	u64 word[SNBEP_NR_WORDS];
	u16 code;	/* event select, as the user gave it */
	u16 sel;	/* as events/ has it: without the PCU's occupancy bit */
	u8 umask;
	bool unlisted;	/* the guide need not have event and unit mask */
	const struct snbep_event_desc *event;
	u8 covered;	/* bits of @umask that are in rows of the event */
	bool plain;	/* the event has no unit masks */
	u16 needs;	/* filters that it needs with this unit mask */
	u16 takes;	/* filters that it may have besides */
};

int snbep_request(struct snbep_pmu *pmu, struct perf_event *event);

#endif /* SNBEP_REQUEST_H */
