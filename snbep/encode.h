/* SPDX-License-Identifier: GPL-2.0-only */
/* From a perf_event_attr to what an event wants of its box */
#ifndef SNBEP_ENCODE_H
#define SNBEP_ENCODE_H

#include "snbep/types.h"

struct perf_event_attr;
struct snbep_event;
struct snbep_pmu;

/**
 * struct snbep_enc - an encoding taken apart
 * @pmu: the PMU
 * @word: config, config1 and config2
 * @code: event select, as the user gave it
 * @sel: event select, as events/ has it: without the bit that makes it go by an
 *	occupancy
 * @umask: unit mask
 * @unlisted: the event or the unit mask need not be in the guide
 * @event: row of the event
 * @covered: bits of @umask that are in rows of the event which it takes
 * @plain: the event has no unit masks
 * @needs: filters that the event needs with this unit mask
 * @takes: filters that it may have besides
 */
struct snbep_enc {
	struct snbep_pmu *pmu;
	u64 word[SNBEP_NR_WORDS];
	u16 code;
	u16 sel;
	u8 umask;
	bool unlisted;
	const struct snbep_event_desc *event;
	u8 covered;
	bool plain;
	u16 needs;
	u16 takes;
};

int snbep_encode(struct snbep_pmu *pmu, const struct perf_event_attr *attr,
		 struct snbep_event *se);

#endif /* SNBEP_ENCODE_H */
