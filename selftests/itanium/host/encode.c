// SPDX-License-Identifier: GPL-2.0-only
/*
 * One request to register values, case by case: values worked out by hand from
 * the manual's tables, and a refusal for each rule that one event alone can
 * break. Then what two events cannot have together.
 */
#include <linux/errno.h>
#include <linux/perf_event.h>
#include <string.h>

#include "itanium/sched.h"
#include "itanium/setup.h"
#include "lib/tap.h"
#include "itanium/guest/wrong.h"

#define ARRAY(a)	(int)(sizeof(a) / sizeof((a)[0]))

/* Registers at reset, section 3.3.12 */
#define P32	0x030f01ffffffffffULL
#define P33	0x000001ffffffffffULL
#define P36	0xfffffff0ULL
#define P38	0xdb6ULL
#define P41	0x2078fefefefeULL

#define OPCODE	.config1 = 0x123ULL | 9ULL << 41, .config2 = 0x1fffffff000ULL

static const struct {
	const char *what;
	struct itanium_attr attr;
	u16 counters;
	u64 pmc;
	int reg;	/* a shared PMC, and its value */
	u64 val;
} good[] = {
	{ "CPU_OP_CYCLES.ALL, user", { .config = 0x0012, .plm = 8, .threads = true },
	  0xfff0, 0x2001248, 32, P32 },
	{ "causal event with both threads in use",
	  { .config = 0x007f, .plm = 9, .threads = true }, 0x03f0, 0x2007f49, 33, P33 },
	{ "causal event with one thread in use", { .config = 0x007f, .plm = 9 },
	  0xfff0, 0x2007f49, 36, P36 },
	{ "L3_MISSES floats", { .config = 0x00dc, .plm = 9, .threads = true },
	  0x03f0, 0x200dc49, 38, P38 },
	{ "self-floating with any umask",
	  { .config = 0x0287, .plm = 9, .threads = true }, 0x03f0, 0x2028749, 41, P41 },
	{ "bus event with one thread in use", { .config = 0x0287, .plm = 9 },
	  0x03f0, 0x2028749, 34, P32 },
	{ "CYCLES_HALTED", { .config = 0x0018, .plm = 9, .threads = true },
	  0x0400, 0x2001849, 35, P33 },
	{ "both threads", { .config = 0x8000, .plm = 9 }, 0x03f0, 0x6000049, 37, 0 },
	{ "threshold 5 of 6", { .config = 0x5008, .plm = 9 }, 0xfff0, 0x2500849, 39, 0 },
	{ "L3_READS.ALL.ALL in all states",
	  { .config = 0x0fdd, .plm = 9 }, 0xfff0, 0x7a0fdd49, 40, 0x2000000 },
	{ "L3_READS.ALL.ALL, modified",
	  { .config = 0x80fdd, .plm = 9 }, 0xfff0, 0x420fdd49, 42, 0 },
	{ "data_ear_cache_lat4", { .config = 0xc8 | EAR(1, 0), .plm = 9 },
	  0xfff0, 0x200c849, 40, 0x2000049 },
	{ "data_ear_cache_lat4096", { .config = 0xc8 | EAR(1, 0xa), .plm = 8 },
	  0xfff0, 0x200c848, 40, 0x20a0048 },
	{ "data_ear_tlb_all", { .config = 0xc8 | EAR(2, 0xe), .plm = 9 },
	  0xfff0, 0x200c849, 40, 0x20e00c9 },
	{ "data_ear_alat", { .config = 0xc8 | EAR(3, 0), .plm = 9 },
	  0xfff0, 0x200c849, 40, 0x2000149 },
	{ "instruction_ear_cache_lat4", { .config = 0x43 | EAR(4, 0xff), .plm = 9 },
	  0xfff0, 0x2004349, 37, 0x3ff9 },
	{ "instruction_ear_cache_lat0", { .config = 0x43 | EAR(4, 0x40), .plm = 9 },
	  0xfff0, 0x2004349, 37, 0x2819 },
	{ "instruction_ear_cache_rab", { .config = 0x43 | EAR(4, 0), .plm = 9 },
	  0xfff0, 0x2004349, 37, 0x2019 },
	{ "instruction_ear_tlb_all", { .config = 0x43 | EAR(5, 7), .plm = 9 },
	  0xfff0, 0x2004349, 37, 0xf9 },
	{ "IP-EAR, frozen 16 cycles later",
	  { .config = 0x12 | EAR(6, 0) | 16ULL << 32, .plm = 9 },
	  0xfff0, 0x2001249, 42, 0x8449 },
	{ "branch stack of any branch", { .config = 0x12, .plm = 9, .etb = 0x3f00 },
	  0xfff0, 0x2001249, 39, 0x3f49 },
	{ "branch stack of mispredicted paths",
	  { .config = 0x12 | PPM(1), .plm = 9, .etb = 0x3e00 }, 0xfff0, 0x2001249, 39, 0x1e49 },
	{ "branch stack of taken and not taken, right targets",
	  { .config = 0x12 | TM(3) | PTM(2), .plm = 9, .etb = 0x7e00 },
	  0xfff0, 0x2001249, 39, 0x7b49 },
	{ "BRANCH_EVENT of branches not taken", { .config = 0x11 | TM(1), .plm = 9 },
	  0xfff0, 0x2001149, 39, 0x3d49 },
	{ "BRANCH_EVENT sets up the trace buffer", { .config = 0x11, .plm = 9 },
	  0xfff0, 0x2001149, 39, 0x3f49 },
	{ "data EAR cache mode with a branch stack",
	  { .config = 0xc8 | EAR(1, 0), .plm = 9, .etb = 0x3f00 },
	  0xfff0, 0x200c849, 39, 0x3f49 },
	{ "opcode: matcher",
	  { .config = 8 | FILTER(1), .config1 = 0x123ULL | 9ULL << 41,
	    .config2 = 0x1fffffff000ULL, .plm = 9 },
	  0xfff0, 0x2000849, 32, 0x000901fffffff000ULL },
	{ "opcode: value",
	  { .config = 8 | FILTER(1), .config1 = 0x123ULL | 9ULL << 41,
	    .config2 = 0x1fffffff000ULL, .plm = 9 },
	  0xfff0, 0x2000849, 33, 0x123 },
	{ "opcode: channel 2 is left alone",
	  { .config = 8 | FILTER(1), .config1 = 15ULL << 41, .plm = 9 },
	  0xfff0, 0x2000849, 36, 0xfffffff4ULL },
	{ "opcode: data side uses the tag",
	  { .config = 8 | FILTER(1), .config1 = 15ULL << 41, .plm = 9 },
	  0xfff0, 0x2000849, 41, 0x2078fefefeeeULL },
	{ "instruction range: address check on, not inverted",
	  { .config = 8 | FILTER(2), .config1 = 0x4000, .config2 = 0xfff, .plm = 9 },
	  0xfff0, 0x2000849, 32, 0x000f01ffffffffffULL },
	{ "instruction range: IBRP0",
	  { .config = 8 | FILTER(2), .config1 = 0x4000, .config2 = 0xfff, .plm = 9 },
	  0xfff0, 0x2000849, 38, 0xdb4 },
	{ "instruction range: no opcode",
	  { .config = 8 | FILTER(2), .config1 = 0x4000, .config2 = 0xfff, .plm = 9 },
	  0xfff0, 0x2000849, 36, 0xfffffff1ULL },
	{ "prefetch range: IBRP1",
	  { .config = 0x44 | FILTER(2), .config1 = 0x4000, .config2 = 0xfff, .plm = 9 },
	  0xfff0, 0x2004449, 38, 0xda6 },
	{ "data range", { .config = 0xc7 | FILTER(4), .config1 = 0x8000,
			  .config2 = 0x7fff, .plm = 9 },
	  0xfff0, 0x200c749, 41, 0x2078fefefef6ULL },
	{ "data range leaves the instruction side alone",
	  { .config = 0xc7 | FILTER(4), .config1 = 0x8000, .config2 = 0x7fff, .plm = 9 },
	  0xfff0, 0x200c749, 32, P32 },
	{ "tag channel 1: range", { .config = 0x108 | FILTER(2), .config1 = 0x4000, .plm = 9 },
	  0xfff0, 0x2010849, 38, 0xda6 },
	{ "tag channel 1: its range without opcode",
	  { .config = 0x108 | FILTER(2), .config1 = 0x4000, .plm = 9 },
	  0xfff0, 0x2010849, 36, 0xfffffff2ULL },
	{ "tag channel 1 leaves channel 0 alone",
	  { .config = 0x108 | FILTER(2), .config1 = 0x4000, .plm = 9 },
	  0xfff0, 0x2010849, 32, P32 },
	{ "tag channel 2: range", { .config = 0x208 | FILTER(2), .config1 = 0x4000, .plm = 9 },
	  0xfff0, 0x2020849, 38, 0xd36 },
	{ "tag channel 3: range", { .config = 0x308 | FILTER(2), .config1 = 0x4000, .plm = 9 },
	  0xfff0, 0x2030849, 38, 0x9b6 },
	{ "tag channel 3: matcher 1",
	  { .config = 0x308 | FILTER(1), .config1 = 0x123ULL | 1ULL << 41,
	    .config2 = 0x1fffffff000ULL, .plm = 9 },
	  0xfff0, 0x2030849, 34, 0x030101fffffff000ULL },
	{ "tag channel 3: value",
	  { .config = 0x308 | FILTER(1), .config1 = 0x123ULL | 1ULL << 41,
	    .config2 = 0x1fffffff000ULL, .plm = 9 },
	  0xfff0, 0x2030849, 35, 0x123 },
	{ "tag channel 3: channel 1 is left alone",
	  { .config = 0x308 | FILTER(1), .config1 = 15ULL << 41, .plm = 9 },
	  0xfff0, 0x2030849, 36, 0xfffffff2ULL },
	{ "tag channel 2: channel 0 is left alone",
	  { .config = 0x208 | FILTER(1), .config1 = 2ULL << 41, .plm = 9 },
	  0xfff0, 0x2020849, 36, 0xfffffff1ULL },
	{ "tag channel 2: matcher 0, which channel 0 ignores",
	  { .config = 0x208 | FILTER(1), .config1 = 2ULL << 41, .plm = 9 },
	  0xfff0, 0x2020849, 32, 0x0302000000000000ULL },
	{ "fine range: IBRP0 and IBRP2",
	  { .config = 8 | FILTER(2) | FINE, .config1 = 0x4020, .config2 = 0x4080, .plm = 9 },
	  0xfff0, 0x2000849, 38, 0x2d34 },
	{ "fine range of prefetches: IBRP1 and IBRP3",
	  { .config = 0x44 | FILTER(2) | FINE, .config1 = 0x4020, .config2 = 0x4080, .plm = 9 },
	  0xfff0, 0x2004449, 38, 0x29a6 },
	{ "instruction and data range",
	  { .config = 0xc7 | FILTER(6) | ADDR_BITS(12) | DATA_BITS(3), .config1 = 0x4000,
	    .config2 = 0x8008, .plm = 9 },
	  0xfff0, 0x200c749, 41, 0x2078fefefee6ULL },
	{ "opcode: matcher, and the address check on",
	  { .config = 0xcd | FILTER(1), OPCODE, .plm = 9 },
	  0xfff0, 0x200cd49, 32, 0x000901fffffff000ULL },
	{ "opcode: value", { .config = 0xcd | FILTER(1), OPCODE, .plm = 9 },
	  0xfff0, 0x200cd49, 33, 0x123 },
	{ "opcode: the channel minds its matcher",
	  { .config = 0xcd | FILTER(1), OPCODE, .plm = 9 },
	  0xfff0, 0x200cd49, 36, 0xfffffff4ULL },
	{ "qualified cycles in a range",
	  { .config = 0x112 | FILTER(2), .config1 = 0x4000, .config2 = 0xfff, .plm = 9 },
	  0xfff0, 0x2011249, 38, 0xdb4 },
	{ "qualified cycles of an opcode",
	  { .config = 0x112 | FILTER(1), .config1 = 15ULL << 41, .plm = 9 },
	  0xfff0, 0x2011249, 36, 0xfffffff4ULL },
	{ "jitter is no register's", { .config = 0x12 | JITTER, .period = 8, .plm = 9 },
	  0xfff0, 0x2001249, 32, P32 },
};

static const struct {
	const char *rule;	/* a word of the reason */
	struct itanium_attr attr;
} bad[] = {
	{ "jitter=", { .config = 0x12 | JITTER, .period = 7 } },
	{ "no room for an address", { .config = 0x08 | FILTER(3), OPCODE } },
	{ "no branch stack", { .config = 0xc8 | EAR(2, 2), .etb = 0x3f00 } },
	{ "no branch stack", { .config = 0xc8 | EAR(3, 0), .etb = 0x3f00 } },
	{ "no branch stack", { .config = 0x12 | EAR(6, 0), .etb = 0x3f00 } },
	{ "captures nothing (3.3.10", { .config = 0x12, .etb = 0x3c00 } },
	{ "captures nothing (3.3.10", { .config = 0x12, .etb = 0x3300 } },
	{ "captures nothing (3.3.10", { .config = 0x12, .etb = 0x0f00 } },
	{ "captures nothing (3.3.10", { .config = 0x12, .etb = 0x1700 } },
};

static const struct {
	const char *rule;	/* NULL: they may be counted together */
	struct itanium_attr a, b;
} pairs[] = {
	{ NULL, { .config = 0xc8 | EAR(1, 2) }, { .config = 0xc8 | EAR(1, 2) } },
	{ "one data EAR", { .config = 0xc8 | EAR(1, 2) }, { .config = 0xc8 | EAR(1, 3) } },
	{ "one data EAR", { .config = 0xc8 | EAR(1, 2) }, { .config = 0xc8 | EAR(2, 2) } },
	{ "one instruction EAR", { .config = 0x43 | EAR(4, 0xff) },
	  { .config = 0x43 | EAR(5, 7) } },
	{ NULL, { .config = 0xc8 | EAR(1, 2) }, { .config = 0x43 | EAR(5, 7) } },
	{ NULL, { .config = 0xc8 | EAR(1, 2) }, { .config = 0x12, .etb = 0x3f00 } },
	{ "trace buffer", { .config = 0xc8 | EAR(2, 2) }, { .config = 0x12, .etb = 0x3f00 } },
	{ "trace buffer", { .config = 0xc8 | EAR(3, 0) }, { .config = 0x12, .etb = 0x3f00 } },
	{ "trace buffer", { .config = 0x12, .etb = 0x3f00 }, { .config = 0x12, .etb = 0xbf00 } },
	{ "trace buffer", { .config = 0x12 | EAR(6, 0) }, { .config = 0x12, .etb = 0x3f00 } },
	{ "IP-EAR", { .config = 0x12 | EAR(6, 0) }, { .config = 0x08 | EAR(6, 0) | 1ULL << 32 } },
	{ NULL, { .config = 0x12 | EAR(6, 0) }, { .config = 0x08 | EAR(6, 0) } },
	{ NULL, { .config = 0x12 | EAR(6, 0) }, { .config = 0xc8 | EAR(1, 2) } },
	/* What is in the trace buffer is qualified, whatever event it is for. */
	{ "instruction range", { .config = 0x08 | FILTER(2) }, { .config = 0x00, .etb = 0x3f00 } },
	{ "opcode filter", { .config = 0x08 | FILTER(1), .config1 = 15ULL << 41 },
	  { .config = 0x00, .etb = 0x3f00 } },
	{ NULL, { .config = 0x44 | FILTER(2) }, { .config = 0x00, .etb = 0x3f00 } },
	{ NULL, { .config = 0x08 | FILTER(2), .etb = 0x3f00 },
	  { .config = 0x08 | FILTER(2), .etb = 0x3f00 } },
	{ "opcode filter", { .config = 0x08 | FILTER(1), .config1 = 15ULL << 41 },
	  { .config = 0x08 } },
	{ "one opcode", { .config = 0x08 | FILTER(1), .config1 = 15ULL << 41 },
	  { .config = 0x08 | FILTER(1), .config1 = 7ULL << 41 } },
	{ NULL, { .config = 0x08 | FILTER(1), .config1 = 15ULL << 41 },
	  { .config = 0x50 | FILTER(1), .config1 = 15ULL << 41 } },
	{ NULL, { .config = 0x08 | FILTER(1), .config1 = 15ULL << 41 }, { .config = 0x49 } },
	{ NULL, { .config = 0x08 | FILTER(1), .config1 = 15ULL << 41 }, { .config = 0x208 } },
	{ "instruction range", { .config = 0x08 | FILTER(2) }, { .config = 0x40 } },
	{ NULL, { .config = 0x08 | FILTER(2) }, { .config = 0x44 } },
	{ NULL, { .config = 0x08 | FILTER(2) }, { .config = 0x44 | FILTER(2) } },
	{ "tag channel", { .config = 0x44 | FILTER(2) }, { .config = 0x45 } },
	{ "tag channel", { .config = 0x44 | FILTER(2) }, { .config = 0x41 } },
	{ "tag channel", { .config = 0x44 | FILTER(2) }, { .config = 0x108 } },
	{ NULL, { .config = 0x44 | FILTER(2) }, { .config = 0x108 | FILTER(2) } },
	/* CPU_OP_CYCLES.ALL counts all; .QUAL is no good while range 2 is in use. */
	{ NULL, { .config = 0x08 | FILTER(2) }, { .config = 0x12 } },
	{ NULL, { .config = 0x08 | FILTER(1), .config1 = 15ULL << 41 }, { .config = 0x12 } },
	{ NULL, { .config = 0x44 | FILTER(2) }, { .config = 0x12 } },
	{ "instruction range", { .config = 0x08 | FILTER(2) }, { .config = 0x112 } },
	{ "opcode filter", { .config = 0x08 | FILTER(1), .config1 = 15ULL << 41 },
	  { .config = 0x112 } },
	{ "tag channel", { .config = 0x44 | FILTER(2) }, { .config = 0x112 } },
	{ "tag channel", { .config = 0x44 | FILTER(2) }, { .config = 0x112 | FILTER(2) } },
	{ "instruction range", { .config = 0x08 | FILTER(2) }, { .config = 0x12, .etb = 0x3f00 } },
	/* Each channel has its own range, two have one matcher. */
	{ NULL, { .config = 0x008 | FILTER(2) }, { .config = 0x208 | FILTER(2), .config1 = 16 } },
	{ NULL, { .config = 0x108 | FILTER(2) }, { .config = 0x308 | FILTER(2), .config1 = 16 } },
	{ "channels 0 and 2", { .config = 0x008 | FILTER(1), .config1 = 15ULL << 41 },
	  { .config = 0x208 | FILTER(1), .config1 = 7ULL << 41 } },
	{ "channels 1 and 3", { .config = 0x108 | FILTER(1), .config1 = 15ULL << 41 },
	  { .config = 0x308 | FILTER(1), .config1 = 7ULL << 41 } },
	{ NULL, { .config = 0x108 | FILTER(1), .config1 = 15ULL << 41 },
	  { .config = 0x208 | FILTER(1), .config1 = 7ULL << 41 } },
	{ NULL, { .config = 0x308 | FILTER(1), .config1 = 15ULL << 41 }, { .config = 0x108 } },
	{ NULL, { .config = 0x208 | FILTER(1), .config1 = 15ULL << 41 },
	  { .config = 0x008 | FILTER(2) } },
	{ NULL, { .config = 0x08 | FILTER(2) | FINE, .config1 = 32, .config2 = 64 },
	  { .config = 0x44 | FILTER(2) | FINE, .config1 = 96, .config2 = 128 } },
	{ NULL, { .config = 0x08 | FILTER(2) | FINE, .config1 = 32, .config2 = 64 },
	  { .config = 0x44 } },
	{ NULL, { .config = 0x08 | FILTER(2) | FINE, .config1 = 32, .config2 = 64 },
	  { .config = 0x108 } },
	{ "fine=1", { .config = 0x08 | FILTER(2) | FINE, .config1 = 32, .config2 = 64 },
	  { .config = 0x44 | FILTER(2) } },
	{ "fine=1", { .config = 0x08 | FILTER(2) | FINE, .config1 = 32, .config2 = 64 },
	  { .config = 0x208 } },
	{ "fine=1", { .config = 0x44 | FILTER(2) | FINE, .config1 = 32, .config2 = 64 },
	  { .config = 0x308 | FILTER(1), .config1 = 15ULL << 41 } },
	{ "data range", { .config = 0xc7 | FILTER(6) | ADDR_BITS(4) | DATA_BITS(4) },
	  { .config = 0xc7 | FILTER(2), .config2 = 15 } },
	{ NULL, { .config = 0xc7 | FILTER(6) | ADDR_BITS(4) | DATA_BITS(4) },
	  { .config = 0x08 | FILTER(2), .config2 = 15 } },
	{ "data range", { .config = 0xc7 | FILTER(4) }, { .config = 0xc5 } },
	{ NULL, { .config = 0xc7 | FILTER(4) }, { .config = 0x08 } },
	{ "opcode filter", { .config = 0xc7 | FILTER(4) },
	  { .config = 0x08 | FILTER(1), .config1 = 15ULL << 41 } },
	{ "one set", { .config = 0xc0 }, { .config = 0xc4 } },
	{ "CANCELS", { .config = 0xe0 }, { .config = 0xe2 } },
	{ "CANCELS", { .config = 0xe0 }, { .config = 0xe0 } },
	{ "CYCLES_HALTED", { .config = 0x18 }, { .config = 0x18 } },
	{ NULL, { .config = 0xe6 | 1 << 8 }, { .config = 0xf3 } },
	{ NULL, { .config = 0xe6 | 1 << 8 }, { .config = 0xe6 | 2 << 8 } },
};

static bool fine_ok(const u64 *ibr)
{
	return ibr[0] >> 16 == ibr[4] >> 16 && ibr[0] < ibr[4] && ibr[1] == ibr[5];
}

/* What section 15 of the manual's rules forbids, over the shared registers */
static bool legal(const struct itanium_setup *s)
{
	u64 p32 = s->pmc[0], p36 = s->pmc[4], p37 = s->pmc[5], p38 = s->pmc[6];
	u64 p39 = s->pmc[7], p40 = s->pmc[8], p41 = s->pmc[9], p42 = s->pmc[10];

	return (p32 & ~P32) == 0 && (s->pmc[1] & ~P33) == 0 &&
	       (p36 & ~0xfULL) == P36 && (p37 & ~0x3fffULL) == 0 &&
	       (p38 & ~0x2492ULL) == (P38 & ~0x2492ULL) &&
	       (p39 & ~0xff4fULL) == 0 &&
	       (p40 & ~0xf01cfULL) == 0x2000000 &&
	       (p41 & ~0x1e00018181818ULL) == (P41 & ~0x1e00018181818ULL) &&
	       (p42 & ~0x7ff4fULL) == 0 &&
	       /* inverted only where it is ignored */
	       ((p32 >> 57 & 1) || !(p32 >> 56 & 1)) &&
	       ((p41 >> 45 & 0xf) || (p32 >> 57 & 1) ||
		((p38 & 2) && (p38 & 0x10))) &&
	       !(p39 && (p40 & 0x180)) && !(p39 && (p42 & 0x700)) &&
	       /* fine ranges: both pairs, one page, in order */
	       (!(p38 & 0x2000) ||
		((p38 >> 1 & 0x9) == (p38 >> 7 & 0x9) &&
		 ((p38 & 0x2) || fine_ok(&s->ibr[0])) &&
		 ((p38 & 0x10) || fine_ok(&s->ibr[2])))) &&
	       !((s->ibr[1] | s->ibr[3] | s->ibr[5] | s->ibr[7]) >> 63) &&
	       !(s->dbr[1] >> 62);
}

/*
 * The events that perf's generic ones are, by the manual's name and code (tables
 * 4-1 to 4-38) and libpfm4's unit mask
 */
static const struct {
	u32 type;
	u64 generic;
	const char *name;
	u8 code, umask;
} means[] = {
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES, "cpu_op_cycles", 0x12, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, "ia64_inst_retired", 0x08, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES, "l3_references", 0xdb, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES, "l3_misses", 0xdc, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, "br_mispred_detail", 0x5b, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES, "si_cycles", 0x8e, 0 },
	{ PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND, "back_end_bubble", 0, 1 },
	/* cache, operation << 8, result << 16 */
	{ PERF_TYPE_HW_CACHE, 0x000000, "l1d_reads_set1", 0xc4, 0 },
	{ PERF_TYPE_HW_CACHE, 0x010000, "l1d_read_misses", 0xc7, 0 },
	{ PERF_TYPE_HW_CACHE, 0x000100, "stores_retired", 0xd1, 0 },
	{ PERF_TYPE_HW_CACHE, 0x000001, "l1i_reads", 0x40, 0 },
	{ PERF_TYPE_HW_CACHE, 0x010001, "l2i_demand_reads", 0x42, 0 },
	{ PERF_TYPE_HW_CACHE, 0x000201, "l1i_prefetches", 0x44, 0 },
	{ PERF_TYPE_HW_CACHE, 0x010201, "l2i_prefetches", 0x45, 0 },
	{ PERF_TYPE_HW_CACHE, 0x000002, "l3_reads", 0xdd, 0xf },
	{ PERF_TYPE_HW_CACHE, 0x010002, "l3_reads", 0xdd, 0xe },
	{ PERF_TYPE_HW_CACHE, 0x000102, "l3_writes", 0xde, 0xf },
	{ PERF_TYPE_HW_CACHE, 0x010102, "l3_writes", 0xde, 0xe },
	{ PERF_TYPE_HW_CACHE, 0x000004, "l1i_reads", 0x40, 0 },
	{ PERF_TYPE_HW_CACHE, 0x010004, "itlb_misses_fetch", 0x47, 3 },
	{ PERF_TYPE_HW_CACHE, 0x000005, "br_mispred_detail", 0x5b, 0 },
};

/* Each generic event can be counted, and what perf stat -d pairs together. */
static void test_generic(void)
{
	static const struct {
		u64 a, b;
	} cases[] = {
		{ 0x000000, 0x010000 },	/* L1D reads and misses */
		{ 0x000001, 0x010001 },	/* L1I */
		{ 0x000002, 0x010002 },	/* last level */
		{ 0x000102, 0x010102 },	/* ... writes */
		{ 0x000004, 0x010004 },	/* ITLB */
	};
	const struct itanium_req *both[2];
	struct itanium_req a, b;
	struct itanium_attr attr = { .plm = 9, .threads = true };
	int i, n[2] = { 0 }, bad = 0, err;
	const char *why;
	s64 config;
	u64 g;

	for (i = 0; i < 2; i++) {
		for (g = 0; g < 0x30000; g++) {
			config = itanium_generic(i ? PERF_TYPE_HW_CACHE : PERF_TYPE_HARDWARE, g);
			if (config < 0)
				continue;
			n[i]++;
			attr.config = config;
			if (itanium_encode(&attr, &a, &why)) {
				printf("# %#llx: %s\n", (unsigned long long)g, why);
				bad++;
			}
		}
	}
	tap(n[0] == 7 && n[1] == 14 && !bad, "%d and %d generic events, %d wrong", n[0],
	    n[1], bad);
	for (i = 0; i < ARRAY(means); i++) {
		const struct itanium_event *ev;

		config = itanium_generic(means[i].type, means[i].generic);
		ev = config < 0 ? NULL : itanium_event(config & 0xff);
		tap(ev && (config & 0xff) == means[i].code && config >> 8 == means[i].umask &&
		    !strcmp(ev->name, means[i].name), "generic event %u:%#llx is %s, umask %#x",
		    means[i].type, (unsigned long long)means[i].generic, means[i].name,
		    means[i].umask);
	}
	tap(i == n[0] + n[1], "all %d generic events are looked at", i);
	tap(itanium_generic(PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND) < 0 &&
	    itanium_generic(PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES) < 0 &&
	    itanium_generic(PERF_TYPE_HW_CACHE, PERF_COUNT_HW_CACHE_DTLB) < 0,
	    "what no single event counts is not there");

	for (i = 0; i < ARRAY(cases); i++) {
		s8 counter[2] = { -1, -1 };

		attr.config = itanium_generic(PERF_TYPE_HW_CACHE, cases[i].a);
		err = itanium_encode(&attr, &a, &why);
		attr.config = itanium_generic(PERF_TYPE_HW_CACHE, cases[i].b);
		if (!err)
			err = itanium_encode(&attr, &b, &why);
		both[0] = &a;
		both[1] = &b;
		if (!err)
			err = itanium_assign(both, 2, counter, &why);
		if (!err)
			why = "counted";
		tap(!err, "cache events %#llx and %#llx together: %s",
		    (unsigned long long)cases[i].a, (unsigned long long)cases[i].b, why);
	}
}

/* Where users and their scripts put each field: this is not to change. */
#define TEXT(name)		ITANIUM_ROW(TEXT_ROW, ITANIUM_FLD_##name)
#define TEXT_ROW(word, lo, hi)	#word ":" #lo "-" #hi

static const struct {
	const char *name, *is, *was;
} fields[] = {
	{ "event", TEXT(event), "config:0-7" },
	{ "umask", TEXT(umask), "config:8-11" },
	{ "threshold", TEXT(threshold), "config:12-14" },
	{ "all", TEXT(all), "config:15-15" },
	{ "mesi", TEXT(mesi), "config:16-19" },
	{ "ear", TEXT(ear), "config:20-23" },
	{ "ear_umask", TEXT(ear_umask), "config:24-31" },
	{ "ip_delay", TEXT(ip_delay), "config:32-39" },
	{ "filter", TEXT(filter), "config:40-42" },
	{ "fine", TEXT(fine), "config:43-43" },
	{ "addr_bits", TEXT(addr_bits), "config:44-49" },
	{ "data_bits", TEXT(data_bits), "config:50-55" },
	{ "tm", TEXT(tm), "config:56-57" },
	{ "ptm", TEXT(ptm), "config:58-59" },
	{ "ppm", TEXT(ppm), "config:60-61" },
	{ "jitter", TEXT(jitter), "config:62-62" },
	{ "opc_match", TEXT(opc_match), "config1:0-40" },
	{ "opc_type", TEXT(opc_type), "config1:41-44" },
	{ "opc_mask", TEXT(opc_mask), "config2:0-40" },
	{ "addr", TEXT(addr), "config1:0-63" },
	{ "addr_mask", TEXT(addr_mask), "config2:0-55" },
	{ "addr_end", TEXT(addr_end), "config2:0-63" },
	{ "data", TEXT(data), "config2:0-63" },
};

static void test_fields(void)
{
	int i;

	for (i = 0; i < ARRAY(fields); i++)
		tap(!strcmp(fields[i].is, fields[i].was), "%s is in %s",
		    fields[i].name, fields[i].is);
}

/* What can never be together, and what has no room for one more */
static void test_errno(void)
{
	static const struct {
		int n, err;
		u64 config[13];
	} sets[] = {
		{ 2, -EINVAL, { 0xc0, 0xc4 } },
		{ 2, -EINVAL, { 0xe0, 0xe2 } },
		{ 2, -EINVAL, { 0xc8 | EAR(1, 2), 0xc8 | EAR(1, 3) } },
		{ 2, -ENOSPC, { 0x18, 0x18 } },
		{ 3, -ENOSPC, { 0xe6, 0x1e6, 0x2e6 } },
		{ 7, -ENOSPC, { 0x87, 0x87, 0x87, 0x87, 0x87, 0x87, 0x87 } },
		{ 13, -ENOSPC, { 0x49, 0x49, 0x49, 0x49, 0x49, 0x49, 0x49, 0x49,
				 0x49, 0x49, 0x49, 0x49, 0x49 } },
	};
	struct itanium_req reqs[13];
	const struct itanium_req *req[13];
	const char *why;
	s8 counter[13];
	int i, j, err;

	for (i = 0; i < ARRAY(sets); i++) {
		for (j = 0; j < sets[i].n; j++) {
			struct itanium_attr attr = {
				.config = sets[i].config[j], .plm = 9,
			};

			if (itanium_encode(&attr, &reqs[j], &why)) {
				tap(0, "%#llx is one that there is: %s",
				    (unsigned long long)sets[i].config[j], why);
				return;
			}
			req[j] = &reqs[j];
			counter[j] = -1;
		}
		err = itanium_assign(req, sets[i].n, counter, &why);
		tap(err == sets[i].err, "%d of %#llx: error %d", sets[i].n,
		    (unsigned long long)sets[i].config[0], err);
	}
}

int main(void)
{
	const struct itanium_req *both[2];
	struct itanium_req a, b;
	struct itanium_setup s;
	struct itanium_attr attr;
	s8 counter[2];
	const char *why;
	int i, err;

	for (i = 0; i < ARRAY(good); i++) {
		u64 val = 0;

		why = "";
		err = itanium_encode(&good[i].attr, &a, &why);
		both[0] = &a;
		if (!err) {
			itanium_setup(both, 1, &s);
			val = s.pmc[good[i].reg - 32];
		}
		tap(!err && a.pmc == good[i].pmc && a.counters == good[i].counters &&
		    val == good[i].val && legal(&s),
		    "%s: counters %#x PMC %#llx PMC%d %#llx%s%s", good[i].what,
		    a.counters, (unsigned long long)a.pmc, good[i].reg,
		    (unsigned long long)val, *why ? ": " : "", why);
	}

	/* Ranges reach the breakpoint registers, compared bits as ones */
	attr = (struct itanium_attr){ .config = 8 | FILTER(2), .config1 = 0x4000,
				      .config2 = 0xfff, .plm = 9 };
	err = itanium_encode(&attr, &a, &why);
	both[0] = &a;
	itanium_setup(both, 1, &s);
	tap(!err && s.ibr[0] == 0x4000 && s.ibr[1] == 0x0ffffffffffff000ULL &&
	    !s.ibr[2] && !s.dbr[1], "instruction range in IBR0 and IBR1");
	attr.config = 0x44 | FILTER(2);
	err = itanium_encode(&attr, &a, &why);
	itanium_setup(both, 1, &s);
	tap(!err && s.ibr[2] == 0x4000 && s.ibr[3] == 0x0ffffffffffff000ULL &&
	    !s.ibr[1], "prefetch range in IBR2 and IBR3");
	attr.config = 0x08 | FILTER(2) | FINE;
	attr.config1 = 0xa000000100014020ULL;
	attr.config2 = 0xa000000100020000ULL;
	err = itanium_encode(&attr, &a, &why);
	itanium_setup(both, 1, &s);
	tap(!err && s.ibr[0] == 0xa000000100014010ULL && s.ibr[4] == 0xa00000010001fff0ULL &&
	    s.ibr[1] == 0x0fffffffffffffffULL && s.ibr[5] == s.ibr[1] && !s.ibr[3],
	    "fine range, limits within pairs of bundles, in IBR0, 1, 4 and 5");
	attr.config = 0xc7 | FILTER(4);
	attr.config1 = 0x4000;
	attr.config2 = 0xfff;
	err = itanium_encode(&attr, &a, &why);
	itanium_setup(both, 1, &s);
	tap(!err && s.dbr[0] == 0x4000 && s.dbr[1] == 0x0ffffffffffff000ULL &&
	    !s.ibr[1], "data range in DBR0 and DBR1");

	for (i = 0; i < ARRAY(wrong); i++) {
		attr = (struct itanium_attr){
			.config = wrong[i].config, .config1 = wrong[i].config1,
			.config2 = wrong[i].config2, .plm = 9,
		};
		why = "";
		err = itanium_encode(&attr, &a, &why);
		tap(err && strstr(why, wrong[i].rule), "refused: %#llx: %s",
		    (unsigned long long)attr.config, why);
	}
	for (i = 0; i < ARRAY(bad); i++) {
		attr = bad[i].attr;
		attr.plm = 9;
		why = "";
		err = itanium_encode(&attr, &a, &why);
		tap(err && strstr(why, bad[i].rule), "refused: %#llx: %s",
		    (unsigned long long)attr.config, why);
	}
	attr = (struct itanium_attr){ .config = 0x12 };
	err = itanium_encode(&attr, &a, &why);
	tap(err && strstr(why, "privilege"), "refused: no privilege level: %s", why);

	for (i = 0; i < ARRAY(pairs); i++) {
		struct itanium_attr one = pairs[i].a, two = pairs[i].b;
		bool ok = true;

		one.plm = 9;
		two.plm = 9;
		why = "";
		both[0] = &a;
		both[1] = &b;
		counter[0] = -1;
		counter[1] = -1;
		if (itanium_encode(&one, &a, &why) || itanium_encode(&two, &b, &why)) {
			tap(0, "pair %d: %s", i, why);
			continue;
		}
		err = itanium_assign(both, 2, counter, &why);
		if (pairs[i].rule) {
			ok = err && strstr(why, pairs[i].rule);
		} else {
			itanium_setup(both, 2, &s);
			ok = !err && legal(&s);
		}
		tap(ok, "%#llx with %#llx: %s", (unsigned long long)one.config,
		    (unsigned long long)two.config, err ? why : "counted");
	}
	test_errno();
	test_generic();
	test_fields();
	return tap_done();
}
