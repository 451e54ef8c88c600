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
	PAL_PREFETCH_VISIBILITY = 41,
	PAL_LOGICAL_TO_PHYSICAL,
	PAL_CACHE_SHARED_INFO,
	PAL_HALT_INFO = 257,
	PAL_BRAND_INFO = 274,
};

enum {
	PAL_NO_SUCH_SET = 1, PAL_OK = 0, PAL_NOT_IMPLEMENTED = -1, PAL_INVALID = -2,
	PAL_NO_MORE_SETS = -8,
};

#define CACHE_LEVELS	3
#define CACHES		5
#define TYPE_CODE	1
#define TYPE_DATA	2	/* or unified */

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

static int64_t cache_info(uint64_t level, uint64_t type, uint64_t *out)
{
	const struct cache *c;

	for (c = caches; c < caches + CACHES; c++) {
		if (c->level != level || c->type != type)
			continue;
		/* Write-back; a flush has the stride of a line. */
		out[0] = c->unified | 1 << 1 | c->ways << 8 | c->line << 16 |
			 (uint64_t)c->line << 24 | (uint64_t)c->store_latency << 32 |
			 (uint64_t)c->load_latency << 40;
		out[1] = c->size | (uint64_t)c->line << 40 | (uint64_t)(PHYS_BITS - 1) << 48;
		return PAL_OK;
	}
	return PAL_INVALID;
}

/* Only request 0, the text, is supported. */
static int64_t brand_info(struct cpu *cpu, uint64_t request, uint64_t address, uint64_t *out)
{
	static const char brand[128] = "Montecito of ia64-machine";
	char *text = firmware_pointer(cpu, address, sizeof(brand));

	if (request || !text)
		return PAL_INVALID;
	memcpy(text, brand, sizeof(brand));
	out[0] = strlen(brand);
	return PAL_OK;
}

/* One state, entered by PAL_HALT_LIGHT: coherent, implemented, one watt */
static int64_t halt_info(struct cpu *cpu, uint64_t buffer)
{
	static const uint64_t states[8] = { 1000ULL << 32 | 1ULL << 60 | 1ULL << 61 };
	uint64_t *state = firmware_pointer(cpu, buffer, sizeof(states));

	if (!state)
		return PAL_INVALID;
	memcpy(state, states, sizeof(states));
	return PAL_OK;
}

/* Thread, core, and logical address of a processor */
static void place(const struct machine *machine, unsigned int nr, uint64_t *out)
{
	out[0] = nr % machine->threads | (uint64_t)(nr / machine->threads) << 32;
	out[1] = machine->cpu[nr].lid >> 16 & 0xffff;
}

/* Processors, threads of a core, cores; @nr: one of them, or -1 for the caller */
static int64_t logical_to_physical(const struct cpu *cpu, uint64_t nr, uint64_t *out)
{
	const struct machine *machine = cpu->machine;

	if (nr == ~0ULL)
		nr = cpu->nr;
	if (nr >= machine->cpus)
		return PAL_INVALID;
	out[0] = machine->cpus | machine->threads << 16 |
		 (uint64_t)(machine->cpus / machine->threads) << 32;
	place(machine, nr, out + 1);
	return PAL_OK;
}

/* Procedures that return constants */
static const struct {
	unsigned int nr;
	uint64_t value[3];
} constants[] = {
	{ PAL_CACHE_SUMMARY, { CACHE_LEVELS, CACHES } },
	{ PAL_MEM_ATTRIB, { MEMORY_ATTRIBUTES } },
	{ .nr = PAL_CACHE_FLUSH }, { .nr = PAL_CACHE_INIT }, { .nr = PAL_PREFETCH_VISIBILITY },
	{ .nr = PAL_FIXED_ADDR }, { .nr = PAL_PLATFORM_ADDR }, { .nr = PAL_PMI_ENTRYPOINT },
	{ .nr = PAL_MC_CLEAR_LOG }, { .nr = PAL_MC_DRAIN }, { .nr = PAL_MC_REGISTER_MEM },
	{ .nr = PAL_BUS_GET_FEATURES }, { .nr = PAL_BUS_SET_FEATURES },
	{ .nr = PAL_PROC_SET_FEATURES },
	/* One ptc.e purges all. */
	{ PAL_PTCE_INFO, { 0, 1ULL << 32 | 1 } },
	/* A VHPT walker; hash tag 7; one level of translation caches, for code and for data */
	{ PAL_VM_SUMMARY, { 1 | PHYS_BITS << 1 | 24 << 8 | 15 << 16 |
			    7ULL << 24 | (ITR_COUNT - 1ULL) << 32 | (ITR_COUNT - 1ULL) << 40 |
			    2ULL << 48 | 1ULL << 56, IMPL_VA_MSB | RID_BITS << 8 | 1 << 16 } },
	{ PAL_VM_PAGE_SIZE, { PAGE_SIZES, PAGE_SIZES } },
	{ PAL_DEBUG_INFO, { 4, 4 } },
	/* All clocks run at the platform's rate. */
	{ PAL_FREQ_RATIOS, { 1ULL << 32 | 1, 1ULL << 32 | 1, 1ULL << 32 | 1 } },
	{ PAL_RSE_INFO, { STACKED_REGS } },
	/* Minimum and current version: PAL_B and PAL_A 1.00 of vendor 0 */
	{ PAL_VERSION, { 0x0000010000000100, 0x0000010000000100 } },
};

static int64_t procedure(struct cpu *cpu, uint64_t nr, uint64_t first, uint64_t second,
			 uint64_t *out)
{
	const struct machine *machine = cpu->machine;
	size_t i;

	for (i = 0; i < ARRAY_SIZE(constants); i++)
		if (constants[i].nr == nr) {
			memcpy(out, constants[i].value, sizeof(constants[i].value));
			return PAL_OK;
		}
	switch (nr) {
	case PAL_PROC_GET_FEATURES:
		/* Sets 0 and 16 exist, without any feature. */
		if (second > 16)
			return PAL_NO_MORE_SETS;
		return second && second < 16 ? PAL_NO_SUCH_SET : PAL_OK;
	case PAL_CACHE_INFO:
		return cache_info(first, second, out);
	case PAL_VM_INFO:
		if (first || (second != TYPE_CODE && second != TYPE_DATA))
			return PAL_INVALID;
		out[0] = 1 | (uint64_t)TC_COUNT << 8 | (uint64_t)TC_COUNT << 16;
		out[1] = PAGE_SIZES;
		return PAL_OK;
	case PAL_HALT:
		/* Linux calls this at its end. */
		machine_stop_cpu(cpu);
		return PAL_OK;
	case PAL_HALT_LIGHT:
		cpu->halted = true;
		cpu->next_check = 0;
		pmu_halt(cpu);
		return PAL_OK;
	case PAL_LOGICAL_TO_PHYSICAL:
		return logical_to_physical(cpu, first, out);
	case PAL_CACHE_SHARED_INFO:
		/* All caches are a core's: the argument in r31 is a number among its threads. */
		if (gr_get(cpu, 31) >= machine->threads)
			return PAL_INVALID;
		out[0] = machine->threads;
		place(machine, cpu->nr - cpu->nr % machine->threads + gr_get(cpu, 31), out + 1);
		return PAL_OK;
	case PAL_HALT_INFO:
		return halt_info(cpu, gr_get(cpu, 33));
	case PAL_BRAND_INFO:
		return brand_info(cpu, gr_get(cpu, 33), gr_get(cpu, 34), out);
	}
	return PAL_NOT_IMPLEMENTED;
}

/* Procedure number in r28; arguments in r29 to r31, or stacked in r33 to r35 */
void pal_call(struct cpu *cpu)
{
	uint64_t out[3] = { 0, 0, 0 };
	int64_t status = procedure(cpu, gr_get(cpu, 28), gr_get(cpu, 29), gr_get(cpu, 30), out);

	firmware_return(cpu, status, out[0], out[1], out[2]);
}
