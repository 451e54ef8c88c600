/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What each processor's offcore response registers have, as data.
 *
 * Table and section numbers are those of the Intel 64 and IA-32 Architectures
 * Software Developer's Manual (SDM), volume 3B, chapter 18.
 */
#ifndef OFFCORE_MODEL_H
#define OFFCORE_MODEL_H

#include <linux/bits.h>
#include <linux/types.h>

/* The PMU's name, and the beginning of what it says in the log */
#define OFFCORE_NAME		"offcore_rsp"

/* Event codes of the two registers, and their unit mask: Table 18-25 */
#define OFFCORE_EVENT_RSP_0	0xb7
#define OFFCORE_EVENT_RSP_1	0xbb
#define OFFCORE_UMASK		0x01
#define OFFCORE_CONFIG(reg)						\
	(((reg) ? OFFCORE_EVENT_RSP_1 : OFFCORE_EVENT_RSP_0) | OFFCORE_UMASK << 8)

/*
 * Processors whose registers differ. The first column of events/offcore_*.def is
 * a mask of these.
 */
#define OFFCORE_NHM		BIT(0)	/* Nehalem, and Westmere-EX */
#define OFFCORE_WSM		BIT(1)	/* Westmere with graphics, model 0x25 */
#define OFFCORE_WSM_EP		BIT(2)	/* Westmere-EP, model 0x2c */
#define OFFCORE_SNB		BIT(3)	/* Sandy Bridge */
#define OFFCORE_SNB_EP		BIT(4)	/* Sandy Bridge-EP: the E5-2600 and its like */
#define OFFCORE_NHMS		(OFFCORE_NHM | OFFCORE_WSM | OFFCORE_WSM_EP)
#define OFFCORE_SNBS		(OFFCORE_SNB | OFFCORE_SNB_EP)
#define OFFCORE_ALL		(OFFCORE_NHMS | OFFCORE_SNBS)

/* What a field or a set of fields selects. A set may do two things. */
#define OFFCORE_KIND_REQUEST		BIT(0)
#define OFFCORE_KIND_RESPONSE		BIT(1)	/* with snoops: the supplier */
#define OFFCORE_KIND_SNOOP		BIT(2)
#define OFFCORE_KIND_ANY		BIT(3)	/* every response; goes with no other */
#define OFFCORE_KIND_RESPONSE_SNOOP					\
	(OFFCORE_KIND_RESPONSE | OFFCORE_KIND_SNOOP)

/**
 * struct offcore_field - a name that selects bits of the register
 * @name: the manual's name in lower case
 * @cpus: processors that have it, as a mask of OFFCORE_NHM and so on
 * @kind: OFFCORE_KIND_*
 * @word: 0 if it is a bit of config, 1 if it is one of config1
 * @bit: which bit
 * @rsp: what it sets in the register
 */
struct offcore_field {
	const char *name;
	u8 cpus;
	u8 kind;
	u8 word;
	u8 bit;
	u64 rsp;
};

/**
 * struct offcore_model - a processor
 * @name: for messages
 * @cpu: one of OFFCORE_NHM and so on
 * @nr_regs: response registers
 * @shared: there is one set of them for the threads of a core
 * @resets: counters are reset before they get another event, for an erratum
 * @whole: bits that are all ones or all zeros
 * @probe: a value that any processor of the kind takes
 */
struct offcore_model {
	const char *name;
	u8 cpu;
	u8 nr_regs;
	bool shared;
	bool resets;
	u64 whole;
	u64 probe;
};

extern const struct offcore_model offcore_nehalem;
extern const struct offcore_model offcore_westmere;
extern const struct offcore_model offcore_westmere_ep;
extern const struct offcore_model offcore_westmere_ex;
extern const struct offcore_model offcore_sandybridge;
extern const struct offcore_model offcore_sandybridge_ep;

/* The processor that this is */
extern const struct offcore_model *offcore_model;

const struct offcore_field *offcore_next_field(const struct offcore_field *f);

/* The names of this processor */
#define for_each_offcore_field(f)					\
	for ((f) = offcore_next_field(NULL); (f); (f) = offcore_next_field(f))

#endif /* OFFCORE_MODEL_H */
