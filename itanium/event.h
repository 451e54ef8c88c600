/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Encoding of Montecito events, and their counters and registers. Also compiles in
 * userspace.
 * Sections and tables are those of the manual, 308065-001.
 */
#ifndef ITANIUM_EVENT_H
#define ITANIUM_EVENT_H

#include <linux/bits.h>
#include <linux/types.h>

#include "fields.h"
#include "regs.h"

/* Generic counters: PMC4-15 with PMD4-15, 3.3.2 */
#define ITANIUM_FIRST_COUNTER	4
#define ITANIUM_NR_COUNTERS	12
#define ITANIUM_COUNTERS_DUP	GENMASK(9, 4)	/* duplicated per thread */
#define ITANIUM_COUNTERS_10	BIT(10)

/* Values of ear=: capture unit and mode */
enum itanium_ear {
	ITANIUM_EAR_NONE,
	ITANIUM_EAR_DEAR_CACHE,
	ITANIUM_EAR_DEAR_TLB,
	ITANIUM_EAR_DEAR_ALAT,
	ITANIUM_EAR_IEAR_CACHE,
	ITANIUM_EAR_IEAR_TLB,
	ITANIUM_EAR_IP,
	ITANIUM_EAR_NR
};

/* Bits of filter= */
#define ITANIUM_FILTER_OPCODE	BIT(0)
#define ITANIUM_FILTER_INST	BIT(1)
#define ITANIUM_FILTER_DATA	BIT(2)

/* Tag channels: one instruction range each, one opcode matcher per two */
#define ITANIUM_CHANNELS	4
#define ITANIUM_MATCHERS	2

/* Sets of which a master selects one; 0: none */
#define ITANIUM_L1D(n)		(0x10 | (n))
#define ITANIUM_L2D(n)		(0x20 | (n))
#define ITANIUM_SET_KIND	0xf0

enum itanium_type {
	ITANIUM_TYPE_A,		/* active */
	ITANIUM_TYPE_F,		/* floating */
	ITANIUM_TYPE_C,		/* causal */
	ITANIUM_TYPE_S,		/* self-floating */
};

enum itanium_all {
	ITANIUM_A_YES,
	ITANIUM_A_NO,
	ITANIUM_A_UNKNOWN,
};

#define Q_IAR		BIT(0)
#define Q_OPC		BIT(1)
#define Q_DAR		BIT(2)
#define Q_MESI		BIT(3)
#define Q_IBRP1		BIT(4)
#define Q_IBRP01	BIT(5)
#define Q_IBRP_ALL	BIT(6)
#define Q_CANCEL	BIT(7)
#define Q_NO_IBRP1	BIT(8)
#define Q_SELF_BUS	BIT(9)
#define Q_SELF_SI	BIT(10)
#define Q_CLOCK		BIT(11)

/* Event codes by name */
enum {
#define EVENT(name, code, ...)	itanium_code_##name = code,
#include "events/montecito.def"
};

struct itanium_event {
	u16 counters;		/* bit n: PMCn/PMDn supports the event */
	u16 flags;		/* Q_* */
	u8 code;		/* PMC.es */
	u8 type;		/* enum itanium_type */
	u8 all;			/* enum itanium_all */
	u8 set;			/* ITANIUM_L1D(), ITANIUM_L2D() or 0 */
	u8 max_inc;		/* largest increment in a cycle */
};

/*
 * Resources that exist once per thread. An event may use a resource, require it to
 * be off, or neither.
 */
enum itanium_res {
	ITANIUM_RES_DEAR,	/* PMC40 */
	ITANIUM_RES_IEAR,	/* PMC37 */
	ITANIUM_RES_ETB,	/* PMC39 */
	ITANIUM_RES_IP,		/* PMC42 */
	ITANIUM_RES_OPCM0,	/* PMC32 and 33 */
	ITANIUM_RES_OPCM1,	/* PMC34 and 35 */
	ITANIUM_RES_OPC0,	/* PMC36: opcode matching of channel 0 */
	ITANIUM_RES_OPC3 = ITANIUM_RES_OPC0 + ITANIUM_CHANNELS - 1,
	ITANIUM_RES_IBRP0,
	ITANIUM_RES_IBRP3 = ITANIUM_RES_IBRP0 + ITANIUM_CHANNELS - 1,
	ITANIUM_RES_FINE,	/* PMC38.fine */
	ITANIUM_RES_DBRP0,
	ITANIUM_RES_L1D,	/* set of PMC5 */
	ITANIUM_RES_NR
};

/* Users of the trace buffer, and all capture units */
#define ITANIUM_TRACE		(BIT(ITANIUM_RES_ETB) | BIT(ITANIUM_RES_IP))
#define ITANIUM_CAPTURES	(BIT(ITANIUM_RES_DEAR) | BIT(ITANIUM_RES_IEAR) | \
				 ITANIUM_TRACE)

/* Flags in v[1] of a use: not "off" */
#define ITANIUM_RES_ON		BIT_ULL(63)
/* Range with limits (fine mode) instead of a mask */
#define ITANIUM_RES_LIMITS	BIT_ULL(62)

struct itanium_use {
	u64 v[2];
};

/* The encoding of an event */
struct itanium_req {
	u64 pmc;	/* PMC4-15 value without .oi */
	u32 needs;	/* bit n: @res[n] is a requirement */
	struct itanium_use res[ITANIUM_RES_NR];	/* 0: off */
	u16 counters;
	u16 flags;	/* Q_* */
	u8 set;
	u8 umask;
	u8 all;
	bool others;	/* also counts what other threads, cores or devices do */
};

/* Input of itanium_encode(), from perf_event_attr */
struct itanium_attr {
	u64 config;
	u64 config1;
	u64 config2;
	u64 etb;	/* PMC39 of a branch stack, without .plm and .pm; or 0 */
	u8 plm;
	bool threads;	/* both threads of the core are in use */
};

/* Set the violated rule, and return the errno of a refusal. */
static inline int itanium_refuse(const char **why, int err, const char *rule)
{
	*why = rule;
	return err;
}

s64 itanium_generic(u32 type, u64 config);
u32 itanium_units(const struct itanium_req *req);
int itanium_encode(const struct itanium_attr *attr, struct itanium_req *req,
		   const char **why);

/* sched.c: assignment of counters */
int itanium_assign(const struct itanium_req *const *req, int n, s8 *counter,
		   const char **why);

/* shared.c: registers that events share */
#define ITANIUM_FIRST_SHARED	PMC32
#define ITANIUM_NR_SHARED	(PMC42 - PMC32 + 1)
#define ITANIUM_NR_IBR		8
#define ITANIUM_NR_DBR		2	/* DBRP0 */

/* The second register of a pair is 0 if and only if it is unused. */
struct itanium_shared {
	u64 pmc[ITANIUM_NR_SHARED];
	u64 ibr[ITANIUM_NR_IBR];
	u64 dbr[ITANIUM_NR_DBR];
};

void itanium_shared_values(const struct itanium_req *const *req, int n,
			   struct itanium_shared *s);

#endif /* ITANIUM_EVENT_H */
