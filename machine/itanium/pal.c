// SPDX-License-Identifier: GPL-2.0-only
/*
 * pal.c: the Processor Abstraction Layer, which describes the processor (Itanium Architecture
 * Software Developer's Manual, volume 2, chapter 11). Cache sizes are those of Montecito; the
 * emulator has no caches except those of the data EAR's model.
 */
#include <string.h>

#include "platform.h"

enum {
	PAL_CACHE_FLUSH = 1,
	PAL_CACHE_INFO,
	PAL_CACHE_INIT,
	PAL_CACHE_SUMMARY,
	PAL_MEM_ATTRIB,
	PAL_PTCE_INFO,
	PAL_VM_INFO,
	PAL_VM_SUMMARY,
	PAL_BUS_GET_FEATURES,
	PAL_BUS_SET_FEATURES,
	PAL_DEBUG_INFO,
	PAL_FIXED_ADDR,
	PAL_FREQ_BASE,
	PAL_FREQ_RATIOS,
	PAL_PERF_MON_INFO,
	PAL_PLATFORM_ADDR,
	PAL_PROC_GET_FEATURES,
	PAL_PROC_SET_FEATURES,
	PAL_RSE_INFO,
	PAL_VERSION,
	PAL_MC_CLEAR_LOG,
	PAL_MC_DRAIN,
	PAL_MC_REGISTER_MEM = 27,
	PAL_HALT,
	PAL_HALT_LIGHT,
	PAL_PMI_ENTRYPOINT = 32,
	PAL_VM_PAGE_SIZE = 34,
	PAL_REGISTER_INFO = 39,
	PAL_PREFETCH_VISIBILITY = 41,
	PAL_LOGICAL_TO_PHYSICAL,
	PAL_CACHE_SHARED_INFO,
	PAL_HALT_INFO = 257,
	PAL_VM_TR_READ = 261,
	PAL_BRAND_INFO = 274,
};

enum {
	PAL_NO_SUCH_SET = 1, PAL_OK = 0, PAL_NOT_IMPLEMENTED = -1, PAL_INVALID = -2,
	PAL_NO_MORE_SETS = -8,
};

#define CACHE_LEVELS	3
#define CR_IVR		65
#define CACHES		5
#define TYPE_CODE	1
#define TYPE_DATA	2	/* or both */

/* Pages of 4, 8, 16, 64 and 256 KB, 1, 4, 16, 64 and 256 MB, 1 and 4 GB */
#define PAGE_SIZES	0x115557000ULL

/* Supported memory attributes: WB, UC, UCE, WC, NaTPage, a bit for each encoding */
#define MEMORY_ATTRIBUTES	(1 << 0 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 7)

static const struct cache {
	uint8_t level, type, unified, ways, line, store_latency, load_latency;
	uint32_t size;
} caches[CACHES] = {
	{ .level = 0, .type = TYPE_CODE, .ways = 4, .line = 6, .load_latency = 1,
	  .size = 16 << 10 },
	{ .level = 0, .type = TYPE_DATA, .ways = 4, .line = 6, .load_latency = 1,
	  .size = 16 << 10 },
	{ .level = 1, .type = TYPE_CODE, .ways = 8, .line = 7, .load_latency = 7, .size = 1 << 20 },
	{ .level = 1, .type = TYPE_DATA, .ways = 8, .line = 7, .load_latency = 5,
	  .size = 256 << 10 },
	{ .level = 2, .type = TYPE_DATA, .unified = 1, .ways = 12, .line = 7, .load_latency = 14,
	  .size = 12 << 20 },
};

static void cache_info(struct cpu *cpu, uint64_t level, uint64_t type)
{
	size_t i;

	for (i = 0; i < CACHES; i++) {
		const struct cache *c = &caches[i];
		uint64_t info1, info2;

		if (c->level != level || c->type != type)
			continue;
		/* Write-back; a flush has the stride of a line. */
		info1 = c->unified | 1 << 1 | c->ways << 8 | c->line << 16 |
			(uint64_t)c->line << 24 | (uint64_t)c->store_latency << 32 |
			(uint64_t)c->load_latency << 40;
		info2 = c->size | (uint64_t)c->line << 40 | (uint64_t)(PHYS_BITS - 1) << 48;
		firmware_return(cpu, PAL_OK, info1, info2, 0);
		return;
	}
	firmware_return(cpu, PAL_INVALID, 0, 0, 0);
}

/* Four masks of 256 bits: PMCs and PMDs there are, counters for cycles and for instructions */
static void perf_mon_info(struct cpu *cpu, uint64_t buffer)
{
	uint64_t *mask = firmware_pointer(cpu, buffer, 16 * sizeof(*mask));

	if (!mask) {
		firmware_return(cpu, PAL_INVALID, 0, 0, 0);
		return;
	}
	memset(mask, 0, 16 * sizeof(*mask));
	mask[0] = 0xffffULL | 0x7ffULL << 32;
	mask[4] = 0xfff0ULL | 0xdfULL << 32 | 0xffffULL << 48;
	mask[8] = 0xfff0;
	mask[12] = 0xfff0;
	/* Twelve counters; with the overflow bit they are 48 bits wide; events 0x12 and 0x08 */
	firmware_return(cpu, PAL_OK, 12 | 48 << 8 | 0x12 << 16 | 0x08 << 24, 0, 0);
}

static void brand_info(struct cpu *cpu)
{
	static const char brand[128] = "Montecito of ia64-machine";
	char *text = firmware_pointer(cpu, gr_get(cpu, 34), sizeof(brand));

	/* Only request 0, the text, is supported. */
	if (gr_get(cpu, 33) || !text) {
		firmware_return(cpu, PAL_INVALID, 0, 0, 0);
		return;
	}
	memcpy(text, brand, sizeof(brand));
	firmware_return(cpu, PAL_OK, strlen(brand), 0, 0);
}

/* One state, entered by PAL_HALT_LIGHT: coherent, implemented, one watt */
static void halt_info(struct cpu *cpu)
{
	uint64_t *state = firmware_pointer(cpu, gr_get(cpu, 33), 8 * sizeof(*state));

	if (!state) {
		firmware_return(cpu, PAL_INVALID, 0, 0, 0);
		return;
	}
	memset(state, 0, 8 * sizeof(*state));
	state[0] = 1000ULL << 32 | 1ULL << 60 | 1ULL << 61;
	firmware_return(cpu, PAL_OK, 0, 0, 0);
}

/*
 * Bit maps of implemented application (0) and control registers (2), and of those whose read has
 * side effects (1, 3), such as cr.ivr.
 */
static void register_info(struct cpu *cpu, uint64_t request)
{
	static const uint8_t ar[] = {
		0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 21, 24, 25, 26, 27, 28, 29, 30, 32, 36, 40,
		44, 64, 65, 66,
	};
	static const uint8_t cr[] = {
		0, 1, 2, 8, 16, 17, 19, 20, 21, 22, 23, 24, 25, 64, 65, 66, 67, 68, 69, 70, 71, 72,
		73, 74, 80, 81,
	};
	const uint8_t *list = request & 2 ? cr : ar;
	size_t n = request & 2 ? sizeof(cr) : sizeof(ar), i;
	uint64_t mask[2] = { 0, 0 };

	if (request > 3) {
		firmware_return(cpu, PAL_INVALID, 0, 0, 0);
		return;
	}
	for (i = 0; i < n; i++)
		if (!(request & 1) || (request == 3 && list[i] == CR_IVR))
			mask[list[i] / 64] |= 1ULL << list[i] % 64;
	firmware_return(cpu, PAL_OK, mask[0], mask[1], 0);
}

/* Sets 0 and 16 exist, without any feature. */
static void proc_get_features(struct cpu *cpu, uint64_t set)
{
	if (set > 16)
		firmware_return(cpu, PAL_NO_MORE_SETS, 0, 0, 0);
	else
		firmware_return(cpu, set && set < 16 ? PAL_NO_SUCH_SET : PAL_OK, 0, 0, 0);
}

/* A translation register in the form in which it was inserted: entry, cr.itir, cr.ifa and rr */
static void tr_read(struct cpu *cpu, uint64_t nr, uint64_t type, uint64_t buffer)
{
	uint64_t *out = firmware_pointer(cpu, buffer, 4 * sizeof(*out));
	const struct translation *t;
	uint64_t region;

	if (!out || type > 1 || nr >= ITR_COUNT) {
		firmware_return(cpu, PAL_INVALID, 0, 0, 0);
		return;
	}
	t = &cpu->tr[type][nr];
	memset(out, 0, 4 * sizeof(*out));
	if (!t->valid) {
		firmware_return(cpu, PAL_OK, 0, 0, 0);
		return;
	}
	for (region = 0; region < RR_COUNT - 1; region++)
		if ((cpu->rr[region] >> 8 & ((1 << RID_BITS) - 1)) == t->rid)
			break;
	out[0] = t->p | t->ma << 2 | t->a << 5 | t->d << 6 | t->pl << 7 | t->ar << 9 | t->pa |
		 (uint64_t)t->ed << 52;
	out[1] = t->ps << 2 | (uint64_t)t->key << 8;
	out[2] = region << 61 | t->va | 1;
	out[3] = (uint64_t)t->rid << 8;
	/* Rights, level, dirty bit and attribute are valid. */
	firmware_return(cpu, PAL_OK, 0xf, 0, 0);
}

/* Procedures that always return the same */
static const struct {
	unsigned int nr;
	uint64_t value[3];
} constants[] = {
	{ PAL_CACHE_SUMMARY, { CACHE_LEVELS, CACHES } },
	{ PAL_CACHE_SHARED_INFO, { 1 } },
	{ PAL_MEM_ATTRIB, { MEMORY_ATTRIBUTES } },
	/* One ptc.e purges all. */
	{ PAL_PTCE_INFO, { 0, 1ULL << 32 | 1 } },
	/*
	 * A VHPT walker; hash functions named 7; translation caches for code and data, in one level
	 */
	{ PAL_VM_SUMMARY, { 1 | PHYS_BITS << 1 | KEY_BITS << 8 | (PKR_COUNT - 1) << 16 |
			    7ULL << 24 | (ITR_COUNT - 1ULL) << 32 | (ITR_COUNT - 1ULL) << 40 |
			    2ULL << 48 | 1ULL << 56, IMPL_VA_MSB | RID_BITS << 8 | 1 << 16 } },
	{ PAL_VM_PAGE_SIZE, { PAGE_SIZES, PAGE_SIZES } },
	{ PAL_DEBUG_INFO, { 4, 4 } },
	/* All clocks run at the platform's rate. */
	{ PAL_FREQ_RATIOS, { 1ULL << 32 | 1, 1ULL << 32 | 1, 1ULL << 32 | 1 } },
	{ PAL_RSE_INFO, { STACKED_REGS } },
	/* Least and actual: PAL_B and PAL_A 1.00 of vendor 0 */
	{ PAL_VERSION, { 0x0000010000000100, 0x0000010000000100 } },
};

/* Procedure number in r28; arguments in r29 to r31, or stacked in r33 to r35 */
void pal_call(struct cpu *cpu)
{
	uint64_t nr = gr_get(cpu, 28), first = gr_get(cpu, 29), second = gr_get(cpu, 30);
	size_t i;

	for (i = 0; i < ARRAY_SIZE(constants); i++) {
		const uint64_t *value = constants[i].value;

		if (constants[i].nr == nr) {
			firmware_return(cpu, PAL_OK, value[0], value[1], value[2]);
			return;
		}
	}
	switch (nr) {
	case PAL_CACHE_FLUSH:
	case PAL_CACHE_INIT:
	case PAL_FIXED_ADDR:
	case PAL_PLATFORM_ADDR:
	case PAL_MC_CLEAR_LOG:
	case PAL_MC_DRAIN:
	case PAL_MC_REGISTER_MEM:
	case PAL_PMI_ENTRYPOINT:
	case PAL_PREFETCH_VISIBILITY:
	case PAL_BUS_GET_FEATURES:
	case PAL_BUS_SET_FEATURES:
	case PAL_PROC_SET_FEATURES:
		firmware_return(cpu, PAL_OK, 0, 0, 0);
		break;
	case PAL_PROC_GET_FEATURES:
		proc_get_features(cpu, second);
		break;
	case PAL_REGISTER_INFO:
		register_info(cpu, first);
		break;
	case PAL_VM_TR_READ:
		tr_read(cpu, gr_get(cpu, 33), gr_get(cpu, 34), gr_get(cpu, 35));
		break;
	case PAL_CACHE_INFO:
		cache_info(cpu, first, second);
		break;
	case PAL_VM_INFO:
		if (first || (second != TYPE_CODE && second != TYPE_DATA))
			firmware_return(cpu, PAL_INVALID, 0, 0, 0);
		else
			firmware_return(cpu, PAL_OK,
					1 | (uint64_t)TC_COUNT << 8 | (uint64_t)TC_COUNT << 16,
					PAGE_SIZES, 0);
		break;
	case PAL_PERF_MON_INFO:
		perf_mon_info(cpu, first);
		break;
	case PAL_HALT:
		/* Never wakes up: an operating system calls this at its end. */
		machine_stop(cpu->machine, STOP_POWER_OFF);
		break;
	case PAL_HALT_LIGHT:
		cpu->halted = true;
		cpu->next_check = 0;
		pmu_halt(cpu);
		firmware_return(cpu, PAL_OK, 0, 0, 0);
		break;
	case PAL_LOGICAL_TO_PHYSICAL:
		/* One processor with one core of one thread */
		if (first != ~0ULL && first != 0)
			firmware_return(cpu, PAL_INVALID, 0, 0, 0);
		else
			firmware_return(cpu, PAL_OK, 1 | 1ULL << 16 | 1ULL << 32, 0, 0);
		break;
	case PAL_HALT_INFO:
		halt_info(cpu);
		break;
	case PAL_BRAND_INFO:
		brand_info(cpu);
		break;
	default:
		firmware_return(cpu, PAL_NOT_IMPLEMENTED, 0, 0, 0);
	}
}
