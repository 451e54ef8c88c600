/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Offcore response registers of Nehalem, Westmere and Sandy Bridge.
 *
 * Table and section numbers are those of the Intel 64 and IA-32 Architectures
 * Software Developer's Manual (SDM), volume 3B, chapter 18.
 */
#ifndef OFFCORE_RSP_H
#define OFFCORE_RSP_H

#include <linux/bits.h>
#include <linux/device.h>
#include <linux/perf_event.h>

#include "alloc.h"

struct seq_file;

/* Event codes of the two registers, and their unit mask: Table 18-25 */
#define OFFCORE_EVENT_RSP_0	0xb7
#define OFFCORE_EVENT_RSP_1	0xbb
#define OFFCORE_UMASK		0x01
#define OFFCORE_CONFIG(reg)						\
	(((reg) ? OFFCORE_EVENT_RSP_1 : OFFCORE_EVENT_RSP_0) | OFFCORE_UMASK << 8)

/* What a field or a set of fields selects; a set may do two things */
#define OFFCORE_KIND_REQUEST		BIT(0)
#define OFFCORE_KIND_RESPONSE		BIT(1)	/* with snoops: the supplier */
#define OFFCORE_KIND_SNOOP		BIT(2)
#define OFFCORE_KIND_ANY		BIT(3)	/* a response by itself */
#define OFFCORE_KIND_RESPONSE_SNOOP					\
	(OFFCORE_KIND_RESPONSE | OFFCORE_KIND_SNOOP)

/**
 * struct offcore_field - one file of the PMU's format/ directory
 * @attr: the file, under the manual's name in lower case
 * @kind: OFFCORE_KIND_*
 * @word: 0 for a bit of config, 1 for one of config1
 * @bit: which
 * @rsp: what it sets in the register
 */
struct offcore_field {
	struct device_attribute attr;
	u8 kind;
	u8 word;
	u8 bit;
	u64 rsp;
};

/**
 * struct offcore_alias - one file of the PMU's events/ directory
 * @attr: the file
 * @terms: what it holds
 */
struct offcore_alias {
	struct device_attribute attr;
	const char *terms;
};

/**
 * struct offcore_model - what a processor has
 * @name: for messages
 * @nr_regs: response registers
 * @shared: one set of them for the threads of a core
 * @whole: bits that are all ones or all zeros
 * @probe: a value that any processor of the kind takes
 * @fields: names
 * @nr_fields: entries in @fields
 * @aliases: events
 * @nr_aliases: entries in @aliases
 */
struct offcore_model {
	const char *name;
	u8 nr_regs;
	bool shared;
	u64 whole;
	u64 probe;
	struct offcore_field *fields;
	unsigned int nr_fields;
	struct offcore_alias *aliases;
	unsigned int nr_aliases;
};

/* Say why an event is refused, in the user's terms; evaluates to @err */
#define offcore_refuse(err, fmt, ...)					\
({									\
	if (offcore_may_log())						\
		pr_notice("offcore_rsp: " fmt "\n", ##__VA_ARGS__);	\
	(err);								\
})

/* offcore_rsp.c */
bool offcore_may_log(void);
int offcore_check_group(struct perf_event *event, u64 rsp, u8 ctrs);
extern const struct offcore_model *offcore_model;
extern struct pmu offcore_pmu;
extern bool offcore_direct;	/* no core PMU: the counters are ours */

/* tables.c */
extern const struct offcore_model offcore_nehalem;
extern const struct offcore_model offcore_westmere;
extern const struct offcore_model offcore_sandybridge;
extern const struct offcore_model offcore_sandybridge_ep;

/* encode.c */
u64 offcore_kind_mask(unsigned int kind);
int offcore_encode(const struct perf_event_attr *attr, u64 *rsp);

/* direct.c */
int offcore_direct_probe(void);
void offcore_direct_exit(void);
int offcore_direct_event_init(struct perf_event *event, u64 rsp);
unsigned int offcore_direct_counters(void);
int offcore_direct_add(struct perf_event *event, int flags);
void offcore_direct_del(struct perf_event *event, int flags);
void offcore_direct_start(struct perf_event *event, int flags);
void offcore_direct_stop(struct perf_event *event, int flags);
void offcore_direct_read(struct perf_event *event);
void offcore_direct_show_holders(struct seq_file *m, unsigned int cpu,
				 unsigned int reg);

/* sysfs.c */
ssize_t offcore_format_show(struct device *dev, struct device_attribute *attr,
			    char *buf);
ssize_t offcore_alias_show(struct device *dev, struct device_attribute *attr,
			   char *buf);
const struct attribute_group **offcore_sysfs_init(void);
void offcore_sysfs_exit(void);
void offcore_debugfs_init(void);
void offcore_debugfs_exit(void);

#endif /* OFFCORE_RSP_H */
