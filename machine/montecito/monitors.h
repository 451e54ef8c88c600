/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Montecito's performance monitors, from chapters 3 and 4 of its reference manual (Intel
 * 308065-001), whose sections and tables are cited. A machine reads and writes the registers,
 * and tells them what happens: an emulated processor what its instructions do, a device model
 * what its user injects.
 *
 * They are as adversarial as the manual allows: a write takes effect when it is serialized, and
 * what the manual leaves undefined reads as noise. The protocol checker reports what it forbids.
 */
#ifndef MONTECITO_MONITORS_H
#define MONTECITO_MONITORS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MONT_PMCS	43
#define MONT_PMDS	64
#define MONT_FIRST	4		/* counters */
#define MONT_LAST	15

/* Table 3-8 */
#define MONT_FREEZE	1ULL

/* Tables 3-5 and 3-6: a counter's PMC, and fields of others at the same place */
#define MONT_PLM(v)		((v) & 0xf)
#define MONT_OI			(1ULL << 5)
#define MONT_PM			(1ULL << 6)
#define MONT_ES(v)		((v) >> 8 & 0xff)
#define MONT_UMASK(v)		((v) >> 16 & 0xf)
#define MONT_THRESHOLD(v)	((v) >> 20 & 7)
#define MONT_ISM(v)		((v) >> 24 & 3)
#define MONT_ISM_IA64		2
#define MONT_ALL(v)		((v) >> 26 & 1)
#define MONT_MESI(v)		((v) >> 27 & 0xf)

/* Table 3-7: 47 bits count; the others read as the highest of them. */
#define MONT_COUNT_BITS		47
#define MONT_COUNT		((1ULL << MONT_COUNT_BITS) - 1)

/* Other registers */
enum {
	PMC_OPCODE0 = 32, PMC_OPCODE_CONFIG = 36, PMC_IEAR = 37, PMC_IBR = 38, PMC_ETB = 39,
	PMC_DEAR = 40, PMC_DBR = 41, PMC_IPEAR = 42,
	PMD_DEAR_ADDRESS = 32, PMD_DEAR_LATENCY = 33, PMD_IEAR_ADDRESS = 34, PMD_IEAR_LATENCY = 35,
	PMD_DEAR_IP = 36, PMD_ETB_INDEX = 38, PMD_ETB_EXTENSION = 39, PMD_ETB = 48,
};

#define MONT_DEAR_MODE(v)	((v) >> 7 & 3)		/* table 3-20 */
#define MONT_IEAR_CACHE		(1ULL << 13)		/* table 3-15 */
#define MONT_IPEAR_MODE(v)	((v) >> 8 & 7)		/* table 3-30 */
#define MONT_IPEAR_ON		4
#define MONT_IPEAR_DELAY(v)	((v) >> 11 & 0xff)
#define MONT_FINE		(1ULL << 13)		/* table 3-10 */

/* The processor status register */
#define MONT_PSR_UP		(1ULL << 2)
#define MONT_PSR_PP		(1ULL << 21)
#define MONT_PSR_CPL_SHIFT	32
#define MONT_PSR_CPL(v)		((v) >> MONT_PSR_CPL_SHIFT & 3)

/* Event codes that mean more than a row of the table */
enum {
	MONT_INST_RETIRED = 0x08, MONT_BRANCH_EVENT = 0x11, MONT_CYCLES = 0x12,
	MONT_IEAR_EVENTS = 0x43, MONT_DEAR_EVENTS = 0xc8,
	MONT_L2D_OZQ_CANCELS0 = 0xe0, MONT_L2D_OZQ_CANCELS1 = 0xe2,
};

/* Instruction types that PMC32 matches, bits 48 to 51 */
enum { MONT_UNIT_B = 1, MONT_UNIT_F = 2, MONT_UNIT_I = 4, MONT_UNIT_M = 8 };

enum { MONT_MISS_CACHE, MONT_MISS_TLB, MONT_MISS_ALAT };

#define MONT_ANY	~0ULL

/**
 * struct mont_event - something that happens
 * @psr: processor status
 * @umask: unit mask of an event of chapter 4; MONT_ANY: any unit mask
 * @mesi: state of the line
 * @other: by the core's other thread
 * @filters: the monitors of that thread, whose filters hold for it (table 3-6), or NULL
 * @ip: address of the instruction's bundle
 * @slot: its slot
 * @opcode: its 41 bits
 * @unit: MONT_UNIT_*
 * @data: address of its data
 * @mode: kind of miss, MONT_MISS_*
 * @latency: latency of the miss
 * @hit: TLB: found in the second level (1), the VHPT (2) or by a fault (3)
 * @rab: found in the request address buffer
 * @vl: the record has the instruction, whose address is undefined if not
 * @to: target of a branch
 * @type: kind of branch (table 3-26): IP-relative (1), return (2), indirect (3); 0: rfi, exception
 * @taken: branch is taken
 * @target_ok: its target was predicted
 * @path_ok: whether it is taken was predicted
 * @flush: the pipeline was flushed since the last IP
 * @cycles: since the last IP
 * @early: IP-EAR: what is left of the delay, with @ef
 * @ef: the IP-EAR froze early
 * @ranges: channels whose address range has the instruction: mont_tag()
 * @opcodes: channels whose opcode matcher has it
 */
struct mont_event {
	uint64_t psr, umask, mesi, other;
	uint64_t ip, slot, opcode, unit, data;
	uint64_t mode, latency, hit, rab, vl;
	uint64_t to, type, taken, target_ok, path_ok;
	uint64_t flush, cycles, early, ef;
	unsigned int ranges, opcodes;
	const struct mont *filters;
};

/**
 * struct mont - the monitors of a processor
 * @pmc: control registers
 * @pmd: data registers
 * @next_pmc: written, and not serialized
 * @next_pmd: likewise
 * @pmc_written: bit n: @next_pmc n is valid
 * @pmd_written: bit n: @next_pmd n is valid
 * @ibr: the processor's breakpoint registers
 * @dbr: likewise
 * @noise: state of the generator of noise
 * @last_target: bundle in the newest entry of the trace buffer
 * @last_target_valid: a branch of that bundle may replace the entry
 * @level: hardware variant: the interrupt is a level, which a write of PMD or PMC.oi takes back,
 *	as 3.3.11 may be read; else it is latched
 * @asking: bit n: PMDn has overflowed with PMC.oi, and neither was written since
 */
struct mont {
	uint64_t pmc[MONT_PMCS], pmd[MONT_PMDS];
	uint64_t next_pmc[MONT_PMCS], next_pmd[MONT_PMDS];
	uint64_t pmc_written, pmd_written;
	const uint64_t *ibr, *dbr;
	uint64_t noise;
	uint64_t last_target;
	bool last_target_valid;
	bool level;
	uint64_t asking;
};

/* Each machine implements these three. mont_found() reports a finding of the protocol checker. */
void mont_found(struct mont *m, const char *rule, ...) __attribute__((format(printf, 2, 3)));
/* A counter with PMC.oi overflowed: request the interrupt. @froze: monitoring ran until then */
void mont_overflow(struct mont *m, bool froze);
/* Called with @m->level set: no overflow asks for the interrupt any more, which may be pending. */
void mont_withdraw(struct mont *m);

/*
 * monitors.c: registers and counters. Set @m->ibr and @m->dbr after a reset, which draws the
 * variant from the seed: latched for 0.
 */
void mont_reset(struct mont *m, uint64_t seed);
bool mont_pmc_exists(unsigned int n);
bool mont_pmd_exists(unsigned int n);
uint64_t mont_read_pmc(struct mont *m, unsigned int n);
uint64_t mont_read_pmd(struct mont *m, unsigned int n);
void mont_write_pmc(struct mont *m, unsigned int n, uint64_t v);
void mont_write_pmd(struct mont *m, unsigned int n, uint64_t v);
/* Earlier writes take effect. */
void mont_serialize(struct mont *m);
uint64_t mont_noise(struct mont *m);

static inline bool mont_is_counter(unsigned int n)
{
	return n >= MONT_FIRST && n <= MONT_LAST;
}

static inline bool mont_frozen(const struct mont *m)
{
	return m->pmc[0] & MONT_FREEZE;
}

/* Whether the interrupt's level is high: request it when PMV is unmasked, and after its handler */
static inline bool mont_asks(const struct mont *m)
{
	return m->level && m->asking;
}

/* Whether the monitor of PMC @n is a privileged one */
bool mont_privileged(const struct mont *m, unsigned int n);
/* 3.3.1: whether it is enabled with processor status @psr, frozen or not */
bool mont_enabled(const struct mont *m, unsigned int n, uint64_t psr);
/* Whether counter @n counts @e, tagged, as an occurrence of its event */
bool mont_counts(struct mont *m, unsigned int n, const struct mont_event *e);
void mont_add(struct mont *m, unsigned int n, uint64_t amount);

/* monitors-filter.c: address ranges and opcodes, 3.3.5 to 3.3.7 */
void mont_tag(const struct mont *m, struct mont_event *e);
/* Whether there is a filter: without one, all events are qualified. */
bool mont_filtered(const struct mont *m);
/* Whether tags and data ranges pass an event of @code */
bool mont_qualified(const struct mont *m, const struct mont_event *e, unsigned int code,
		    unsigned int umask);
/* Whether address range @pair is in use */
bool mont_ibrp_on(const struct mont *m, unsigned int pair);

/*
 * monitors-capture.c: event address registers and trace buffer, 3.3.8 to 3.3.10. Each returns
 * whether the tagged @e was captured.
 */
bool mont_capture_data(struct mont *m, const struct mont_event *e);
bool mont_capture_code(struct mont *m, const struct mont_event *e);
bool mont_capture_branch(struct mont *m, const struct mont_event *e);
/* 3.3.10.1.3: an interrupt was taken at the newest target, and its handler is captured there. */
void mont_capture_handler(struct mont *m, uint64_t handler);
/* Whether this branch would be */
bool mont_branch_wanted(const struct mont *m, const struct mont_event *e);
bool mont_capture_ip(struct mont *m, const struct mont_event *e);
/* Table 3-16: least latency, 0 for other unit masks */
unsigned int mont_iear_latency(unsigned int umask);

/* monitors-events.c: the events of chapter 4 */
#define MONT_IAR	(1 << 0)	/* qualified by instruction address */
#define MONT_OPC	(1 << 1)	/* by opcode */
#define MONT_DAR	(1 << 2)	/* by data address */
#define MONT_HAS_MESI	(1 << 3)
#define MONT_IBRP1	(1 << 4)	/* the instruction range is IBRP1 */
#define MONT_L1D(n)	(0x10 | (n))
#define MONT_L2D(n)	(0x20 | (n))

/**
 * struct mont_code - an event code
 * @counters: bit n: PMDn supports it; 0: no such event
 * @set: MONT_L1D(), MONT_L2D() or 0
 * @quals: MONT_IAR and so on
 * @no_all: does not support .all (table 4-19)
 */
struct mont_code {
	uint16_t counters;
	uint8_t set, quals, no_all;
};

extern const struct mont_code mont_codes[256];

/* PMC4 or 6, whose set and unit mask hold for an L2D event of counter @n; or 0 */
unsigned int mont_l2d_master(unsigned int n);
/* Whether the count of counter @n is defined */
bool mont_defined(const struct mont *m, unsigned int n);

/*
 * monitors-check.c: the protocol checker. The registers call it before each access, and when
 * monitoring has been released, where @n and @v are unused.
 */
enum mont_access {
	MONT_READ_PMC, MONT_WRITE_PMC, MONT_READ_PMD, MONT_WRITE_PMD, MONT_RELEASE,
};

void mont_check(struct mont *m, enum mont_access access, unsigned int n, uint64_t v);

#endif
