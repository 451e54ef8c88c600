/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * cpu.h: state of the emulated Itanium, and the interfaces between processor (decoder, execution,
 * translation, interruptions) and platform (firmware, devices, performance monitors)
 */
#ifndef IA64_MACHINE_CPU_H
#define IA64_MACHINE_CPU_H

#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARRAY_SIZE(a)	(sizeof(a) / sizeof((a)[0]))

/* Bits of the processor status register. */
#define PSR_BE		(1ULL << 1)
#define PSR_UP		(1ULL << 2)
#define PSR_AC		(1ULL << 3)
#define PSR_MFL		(1ULL << 4)
#define PSR_MFH		(1ULL << 5)
#define PSR_IC		(1ULL << 13)
#define PSR_I		(1ULL << 14)
#define PSR_PK		(1ULL << 15)
#define PSR_DT		(1ULL << 17)
#define PSR_DFL		(1ULL << 18)
#define PSR_DFH		(1ULL << 19)
#define PSR_SP		(1ULL << 20)
#define PSR_PP		(1ULL << 21)
#define PSR_SI		(1ULL << 23)
#define PSR_DB		(1ULL << 24)
#define PSR_LP		(1ULL << 25)
#define PSR_TB		(1ULL << 26)
#define PSR_RT		(1ULL << 27)
#define PSR_CPL_SHIFT	32
#define PSR_CPL		(3ULL << PSR_CPL_SHIFT)
#define PSR_MC		(1ULL << 35)
#define PSR_IT		(1ULL << 36)
#define PSR_ID		(1ULL << 37)
#define PSR_DA		(1ULL << 38)
#define PSR_DD		(1ULL << 39)
#define PSR_SS		(1ULL << 40)
#define PSR_RI_SHIFT	41
#define PSR_RI		(3ULL << PSR_RI_SHIFT)
#define PSR_ED		(1ULL << 43)
#define PSR_BN		(1ULL << 44)
#define PSR_IA		(1ULL << 45)

#define PHYS_BITS	50	/* of a physical address, as of Montecito */
#define PHYS_MASK	((1ULL << PHYS_BITS) - 1)
#define IMPL_VA_MSB	60	/* all bits of a region's offset are implemented, as of Montecito */
#define RID_BITS	24

#define LID_ID_SHIFT	24	/* of cr.lid: a processor's id, and 8 bits below it its eid */

#define STACKED_REGS	96	/* physical stacked general registers: PAL_RSE_INFO */
#define ITR_COUNT	32	/* translation registers of each kind: PAL_VM_SUMMARY */
#define TC_COUNT	128	/* translation cache of each kind: PAL_VM_INFO */
#define RR_COUNT	8

/*
 * A floating-point register: the top bit of @sig is the explicit one before the point; @exp is
 * biased. Exponent 0x1fffe with significand 0 is NaTVal, 0x1003e is an integer's.
 */
struct fr {
	uint64_t sig;
	uint32_t exp;
	bool sign;
};

/* An entry of a translation register or of the translation cache */
struct translation {
	bool valid;
	uint64_t va, pa;	/* of the page; va without the region's number in bits 63:61 */
	uint32_t rid;
	uint8_t ps, ar, pl, ma;	/* page size (a logarithm), rights, level, memory attribute */
	bool p, a, d;		/* present, accessed, dirty */
	bool ed;		/* exceptions of speculative loads are deferred */
};

/* A cached translation of a page of 4 KB. The tag has the page, the mode and the generation. */
struct fast_page {
	uint64_t tag;
	uint8_t *host;		/* of the page's first byte */
};

/* A cached translation of a page of code */
struct fast_code {
	uint64_t tag;
	struct code_page *code;
	uint64_t pa;
	bool ed;		/* its translation defers exceptions of speculative loads */
	uint8_t pl;		/* privilege level after an epc there */
};

/* An entry of the ALAT: register and address of an advanced load */
struct alat {
	uint64_t tag;
	uint64_t pa;
	uint32_t size;
};

#define ALAT_COUNT	8	/* Montecito has 32; compilers use few at a time */

#define FAST_PAGES	2048
#define FAST_CODE	512

enum fast_kind { FAST_READ, FAST_WRITE, FAST_DATA, FAST_EXECUTE = FAST_DATA, FAST_KINDS };

/* The fields of the current frame marker; sor in registers, not eighths */
struct cfm {
	uint8_t sof, sol, sor;
	uint8_t rrb_gr, rrb_fr, rrb_pr;
};

struct machine;
struct insn;

/**
 * struct cpu - a processor
 * @machine: where it is in
 * @sibling: the other thread of its core, or NULL
 * @nr: its number
 * @gr_map: where each register of the current frame is in @gr; rse.c keeps it
 * @gr: r0 to r31 (of the current bank), then the physical stacked registers; use gr_get() and
 *	gr_set()
 * @nat: their NaT bits
 * @bank: r16 to r31 of the other bank
 * @bank_nat: their NaT bits
 * @fr: floating-point registers, not renamed
 * @pr: predicates, bit n for pn, not renamed; bit 0 is always 1
 * @ip: address of the current bundle
 * @slot: slot of the current instruction; psr.ri is not kept
 * @cfm: the current frame
 * @bof: number of r32 among the physical stacked registers (without rotation)
 * @dirty: stacked registers below the frame that are not in memory yet, with no NaT collections
 *	counted; if negative, as many of the frame's first registers are still to be loaded
 * @cycles: time; one for each bundle
 * @itc_offset: ar.itc is @cycles and this
 * @pmu_wanted: a monitor wants to be told of instructions; the platform sets it
 * @pmu_active: it is, from the next bundle on, so that each access and branch has its pmu_retire()
 * @next_check: value of @cycles at which something is due before the next bundle, or 0: an
 *	interrupt, a device, the end, the rest of a frame, or other translation or tracing of code
 * @halted: PAL_HALT_LIGHT: nothing is executed up to the next interrupt
 * @stopped: for good: PAL_HALT, or waiting for SAL's wake-up interrupt
 * @irr: external interrupts that are requested, bit n for vector n
 * @in_service: interrupts that were taken with cr.ivr and have not ended
 */
struct cpu {
	struct machine *machine;
	struct cpu *sibling;
	unsigned int nr;

	uint8_t gr_map[128];
	uint64_t gr[32 + STACKED_REGS];
	uint8_t nat[32 + STACKED_REGS];
	uint64_t bank[16];
	uint8_t bank_nat[16];
	struct fr fr[128];
	uint64_t pr;
	uint64_t br[8];
	uint64_t ip;
	uint8_t slot;
	uint64_t psr;
	struct cfm cfm;
	uint32_t bof;
	int32_t dirty;

	/* Application registers. */
	uint64_t kr[8];
	uint64_t rsc, bsp, bspstore, rnat;
	uint64_t ccv, unat, fpsr, csd, ssd;
	uint64_t pfs, lc, ec;

	/* Control registers. */
	uint64_t dcr, itm, iva, pta;
	uint64_t ipsr, isr, iip, ifa, itir, iipa, ifs, iim, iha;
	uint64_t lid, tpr, itv, pmv, cmcv;
	uint64_t lrr[2];
	uint64_t irr[4];
	uint64_t in_service[4];

	uint64_t rr[RR_COUNT];
	uint64_t ibr[8];
	uint64_t dbr[8];
	uint64_t cpuid[5];

	struct translation tr[2][ITR_COUNT];	/* 0: instructions, 1: data */
	struct translation tc[2][TC_COUNT];
	uint32_t tc_next[2];

	uint64_t cycles;
	uint64_t itc_offset;
	bool pmu_wanted, pmu_active;
	bool halted, stopped;
	bool itm_pending;	/* itm was written, and its time has not come */

	/* For execution. */
	uint64_t last_ip;		/* of the previous bundle, for iipa */
	bool load_frame;		/* after br.ret or rfi */
	uint64_t target;		/* target of a taken branch */
	uint64_t next_check;
	struct alat alat[ALAT_COUNT];
	uint32_t alat_valid;		/* bit n for entry n */
	uint32_t alat_next;
	uint64_t fast_generation;
	uint64_t fast_mode[FAST_KINDS];	/* mode and generation of the tags */
	struct fast_page fast[FAST_DATA][FAST_PAGES];
	struct fast_code fast_code[FAST_CODE];
	struct fast_code code;		/* the page that is executed */
	jmp_buf fault;			/* where a fault jumps to */
	bool trace;
};

/* A range of physical addresses with registers of a device; @opaque is passed to its functions. */
struct mmio {
	uint64_t base;
	uint64_t size;
	uint64_t (*read)(void *opaque, uint64_t offset, unsigned int size);
	void (*write)(void *opaque, uint64_t offset, uint64_t value, unsigned int size);
	void *opaque;
};

#define MMIO_COUNT 16
#define MAX_CPUS 4

/* Why cpu_run() returned. */
enum stop { STOP_NONE, STOP_POWER_OFF, STOP_RESET, STOP_LIMIT, STOP_FAILURE };

/**
 * struct machine - all there is
 * @ram: memory from physical address 0
 * @ram_size: bytes, whole pages
 * @mmio: ranges of devices; those with @base below @ram_size take precedence over memory
 * @mmio_count: how many
 * @firmware_base: range of physical addresses in which ``break.m`` is a call of the firmware
 * @firmware_size: its size
 * @next_event: value of cpu.cycles at which platform_event() is to be called, or ~0
 * @until: value of cpu.cycles at which it is the next processor's turn
 * @stop: set to end cpu_run(), after which cpu.next_check of the running processor is cleared
 * @code: decoded bundles of each page of 4 KB, or NULL
 * @cpus: number of processors
 * @threads: number of threads of each core
 * @running: the processor whose turn it is
 * @cpu: processors; those of a core follow each other
 */
struct machine {
	uint8_t *ram;
	uint64_t ram_size;
	struct mmio mmio[MMIO_COUNT];
	unsigned int mmio_count;
	uint64_t firmware_base, firmware_size;
	uint64_t next_event, until;
	enum stop stop;
	struct code_page **code;
	unsigned int cpus, threads;
	struct cpu *running;
	struct cpu cpu[MAX_CPUS];
};

/* Functions of the processor for the platform */

/*
 * Reset: registers are as PAL leaves them, psr is 0 (physical mode, bank 1, interruption collection
 * off). Needs machine->ram, cpus and threads.
 */
void cpu_init(struct machine *machine);

/*
 * Run all processors until machine->stop is set or their cycles reach @limit, where STOP_LIMIT is
 * returned.
 */
enum stop cpu_run(struct machine *machine, uint64_t limit);

/* Request external interrupt @vector. */
void cpu_raise(struct cpu *cpu, unsigned int vector);

/* General register @r (0 to 127) of the current frame. gr_set() clears the NaT bit. */
uint64_t gr_get(const struct cpu *cpu, unsigned int r);
void gr_set(struct cpu *cpu, unsigned int r, uint64_t value);

/*
 * Access physical memory and devices; bit 63 (uncacheable) is ignored. Returns false for an address
 * without either, which reads as all ones.
 */
bool phys_read(struct machine *machine, uint64_t address, unsigned int size, uint64_t *value);
bool phys_write(struct machine *machine, uint64_t address, unsigned int size, uint64_t value);

/*
 * Host address of @size bytes of memory, or NULL; for firmware's tables. Invalidates decoded
 * instructions there.
 */
void *phys_memory(struct machine *machine, uint64_t address, uint64_t size);

/*
 * Translate a data address with the current translation and without a fault; returns false if it is
 * not mapped.
 */
bool cpu_data_address(struct cpu *cpu, uint64_t address, uint64_t *physical);

/* Current privilege level. */
static inline unsigned int cpu_cpl(const struct cpu *cpu)
{
	return cpu->psr >> PSR_CPL_SHIFT & 3;
}

/* Print registers and the current instruction on standard error. */
void cpu_dump(struct cpu *cpu);

/* Functions of the platform for the processor */

/*
 * ``break.m FIRMWARE_BREAK + nr`` was executed in the range of the firmware. cpu->ip is its bundle;
 * the other slots are executed after it, so the bundle returns by a br.ret or a br in its last
 * slot.
 */
#define FIRMWARE_BREAK	0x1fff00
#define FIRMWARE_CALLS	0x100
void firmware_call(struct cpu *cpu, unsigned int nr);

/* All processors have reached machine->next_event: handle what is due, and set the next one. */
void platform_event(struct machine *machine);

/* Performance monitors. Indices are the instruction's; privileges have been checked. */
uint64_t pmu_pmc_read(struct cpu *cpu, unsigned int index);
void pmu_pmc_write(struct cpu *cpu, unsigned int index, uint64_t value);
uint64_t pmu_pmd_read(struct cpu *cpu, unsigned int index);
void pmu_pmd_write(struct cpu *cpu, unsigned int index, uint64_t value);

/*
 * srlz.d, or srlz.i or rfi, which serialize @fetch, too: earlier writes of PMCs, PMDs and DBRs,
 * or of IBRs as well, take effect for the monitors.
 */
void pmu_serialize(struct cpu *cpu, bool fetch);

/* An instruction that was retired; @psr: the processor status when it began */
struct retired {
	uint64_t ip;
	uint8_t slot;
	char unit;		/* M, I, F, B, X */
	bool executed;		/* its predicate was true */
	uint64_t code, psr;
};

/* Called only while cpu->pmu_active. pmu_retire() is the last call for an instruction. */
void pmu_retire(struct cpu *cpu, const struct retired *retired);

enum branch_kind {
	BRANCH_RELATIVE, BRANCH_RETURN, BRANCH_INDIRECT, BRANCH_RFI, BRANCH_EXCEPTION,
	BRANCH_INTERRUPT,
};

/*
 * The current instruction branches to @target if @taken and else to the next one; an interrupt,
 * between two instructions, to its handler.
 */
void pmu_branch(struct cpu *cpu, enum branch_kind kind, uint64_t target, bool taken);

/*
 * It loads or stores @size bytes, or does both as a semaphore. An access in several parts, from
 * the first byte on, is one.
 */
void pmu_access(struct cpu *cpu, uint64_t address, uint64_t physical, unsigned int size, bool load,
		bool store);
/* The register stack engine stores or loads a word. */
void pmu_stack_access(struct cpu *cpu, uint64_t address, uint64_t physical, bool store);

#endif
