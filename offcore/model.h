/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Offcore response registers of each processor, as data
 *
 * Table and section numbers are those of the Intel 64 and IA-32 Architectures
 * Software Developer's Manual (SDM), volume 3B, chapter 18.
 */
#ifndef OFFCORE_MODEL_H
#define OFFCORE_MODEL_H

#include <linux/bits.h>
#include <linux/types.h>

/* Name of the PMU, and prefix of log messages */
#define OFFCORE_NAME		"offcore_rsp"

/* Event codes and unit mask of the two registers, Table 18-25 */
#define OFFCORE_EVENT_RSP_0	0xb7
#define OFFCORE_EVENT_RSP_1	0xbb
#define OFFCORE_UMASK		0x01
#define OFFCORE_CONFIG(reg)						\
	(((reg) ? OFFCORE_EVENT_RSP_1 : OFFCORE_EVENT_RSP_0) | OFFCORE_UMASK << 8)

/* Processors with different registers; first column of events/offcore_*.def */
#define OFFCORE_NHM		BIT(0)	/* Nehalem, and Westmere-EX */
#define OFFCORE_WSM		BIT(1)	/* Westmere with graphics, model 0x25 */
#define OFFCORE_WSM_EP		BIT(2)	/* Westmere-EP, model 0x2c */
#define OFFCORE_SNB		BIT(3)	/* Sandy Bridge */
#define OFFCORE_SNB_EP		BIT(4)	/* Sandy Bridge-EP, such as the E5-2600 */
#define OFFCORE_NHMS		(OFFCORE_NHM | OFFCORE_WSM | OFFCORE_WSM_EP)
#define OFFCORE_SNBS		(OFFCORE_SNB | OFFCORE_SNB_EP)
#define OFFCORE_ALL		(OFFCORE_NHMS | OFFCORE_SNBS)

/* Kinds of fields; a field of config1 may be of two */
#define OFFCORE_KIND_REQUEST		BIT(0)
#define OFFCORE_KIND_RESPONSE		BIT(1)	/* supplier */
#define OFFCORE_KIND_SNOOP		BIT(2)
#define OFFCORE_KIND_ANY		BIT(3)	/* excludes other responses */
#define OFFCORE_KIND_RESPONSE_SNOOP					\
	(OFFCORE_KIND_RESPONSE | OFFCORE_KIND_SNOOP)
#define OFFCORE_KINDS			16

/* A format field: a name for bits of the register */
struct offcore_field {
	const char *name;	/* the SDM's, in lower case */
	u8 cpus;		/* OFFCORE_NHM, ...: processors with the field */
	u8 kind;		/* OFFCORE_KIND_* */
	u8 word;		/* 0: config, 1: config1 */
	u8 bit;			/* bit in config or config1 */
	u64 rsp;		/* bits in the register */
};

/* A processor */
struct offcore_model {
	const char *name;	/* for messages */
	u8 cpu;			/* OFFCORE_NHM, ... */
	u8 nr_regs;		/* response registers */
	bool shared;		/* threads of a core share the registers */
	bool resets;		/* errata AAK100, AAP53 and BD53 */
	u64 whole;		/* bits that must be set together ("remote") */
	u64 probe;		/* a valid value */
};

extern const struct offcore_model offcore_nehalem;
extern const struct offcore_model offcore_westmere;
extern const struct offcore_model offcore_westmere_ep;
extern const struct offcore_model offcore_westmere_ex;
extern const struct offcore_model offcore_sandybridge;
extern const struct offcore_model offcore_sandybridge_ep;

/* The model of the boot CPU */
extern const struct offcore_model *offcore_model;

const struct offcore_field *offcore_next_field(const struct offcore_field *f);

/* Iterate over the fields of this processor. */
#define for_each_offcore_field(f)					\
	for ((f) = offcore_next_field(NULL); (f); (f) = offcore_next_field(f))

/* encode.c: the response register's value */
int offcore_encode(u64 config, u64 config1, u64 *rsp);
/* group.c */
struct perf_event;
int offcore_check_group(struct perf_event *event, u64 rsp, unsigned int ctrs);
/* sysfs.c */
struct attribute_group;
extern const struct attribute_group *offcore_groups[];

#endif /* OFFCORE_MODEL_H */
