/* SPDX-License-Identifier: GPL-2.0-only */
/* exec.h: registers and memory as instructions access them, and faults */
#ifndef IA64_MACHINE_EXEC_H
#define IA64_MACHINE_EXEC_H

#include <string.h>

#include "cpu.h"
#include "insn.h"

/* Offsets of the interruption vector table. */
enum vector {
	NO_FAULT = -1, VECTOR_VHPT = 0x0000, VECTOR_ITLB = 0x0400, VECTOR_DTLB = 0x0800,
	VECTOR_ALT_ITLB = 0x0c00, VECTOR_ALT_DTLB = 0x1000, VECTOR_NESTED_TLB = 0x1400,
	VECTOR_DIRTY = 0x2000, VECTOR_IACCESS_BIT = 0x2400, VECTOR_DACCESS_BIT = 0x2800,
	VECTOR_BREAK = 0x2c00, VECTOR_EXTERNAL = 0x3000, VECTOR_NOT_PRESENT = 0x5000,
	VECTOR_IACCESS_RIGHTS = 0x5200, VECTOR_DACCESS_RIGHTS = 0x5300, VECTOR_GENERAL = 0x5400,
	VECTOR_DISABLED_FP = 0x5500, VECTOR_NAT = 0x5600, VECTOR_DEBUG = 0x5900,
	VECTOR_UNALIGNED = 0x5a00, VECTOR_UNSUPPORTED = 0x5b00, VECTOR_LOWER_PRIVILEGE = 0x5e00,
	VECTOR_TAKEN_BRANCH = 0x5f00, VECTOR_SINGLE_STEP = 0x6000
};

/* Interruption status. */
#define ISR_X		(1ULL << 32)
#define ISR_W		(1ULL << 33)
#define ISR_R		(1ULL << 34)
#define ISR_NA		(1ULL << 35)
#define ISR_SP		(1ULL << 36)
#define ISR_IR		(1ULL << 38)
#define ISR_NI		(1ULL << 39)
#define ISR_EI_SHIFT	41
#define ISR_ED		(1ULL << 43)
/* With ISR_NA, which instruction it is */
#define ISR_CODE_FC	1
#define ISR_CODE_PROBE	2
#define ISR_CODE_LFETCH	4
#define ISR_CODE_PROBE_FAULT	5

/* Trap codes, which may be combined */
#define TRAP_LOWER_PRIVILEGE	0x2
#define TRAP_TAKEN_BRANCH	0x4
#define TRAP_SINGLE_STEP	0x8

/* Codes of a general exception. */
#define GENERAL_ILLEGAL		0x00
#define GENERAL_PRIVILEGED_OP	0x10
#define GENERAL_PRIVILEGED_REG	0x20
#define GENERAL_RESERVED	0x30

/* Fields of a breakpoint's mask */
#define BREAKPOINT_WRITE	(1ULL << 62)
#define BREAKPOINT_READ		(1ULL << 63)	/* of data; of instructions, execute */

#define DCR_PP	(1ULL << 0)
#define DCR_BE	(1ULL << 1)
#define DCR_DM	(1ULL << 8)
#define DCR_DP	(1ULL << 9)
#define DCR_DR	(1ULL << 12)
#define DCR_DA	(1ULL << 13)
#define DCR_DD	(1ULL << 14)

/* Bits of the processor status that apply to one instruction */
#define PSR_ONCE	(PSR_ID | PSR_IA | PSR_DA | PSR_DD | PSR_ED)
/* Bits that need a check at each instruction */
#define PSR_WATCH	(PSR_ONCE | PSR_SS | PSR_TB | PSR_LP | PSR_DB)

/* interrupt.c */

/*
 * Fault: go to @vector with @isr in cr.isr, which also gets the slot. The current instruction must
 * not have changed anything yet.
 */
void fault(struct cpu *cpu, enum vector vector, uint64_t isr) __attribute__((noreturn));
/* The same, with @address in cr.ifa and its region's page size in cr.itir */
void fault_address(struct cpu *cpu, enum vector vector, uint64_t isr, uint64_t address)
	__attribute__((noreturn));
void illegal_operation(struct cpu *cpu) __attribute__((noreturn));
void reserved_field(struct cpu *cpu) __attribute__((noreturn));
void nat_consumption(struct cpu *cpu, uint64_t isr) __attribute__((noreturn));
void need_privilege(struct cpu *cpu);
/* Print where an instruction is, its unit and encoding, and @what behind its name. */
void cpu_print(const struct cpu *cpu, const struct insn *insn, const char *what);
/* End the machine, as it does not support @insn, and print @why and where. */
void cannot_go_on(struct cpu *cpu, const struct insn *insn, const char *why)
	__attribute__((noreturn));
/*
 * Trap after the instruction at slot @slot of @ip; cpu->ip and cpu->slot are those of the next one.
 */
void deliver_trap(struct cpu *cpu, unsigned int code, uint64_t ip, unsigned int slot);
void deliver_external(struct cpu *cpu);
bool external_pending(const struct cpu *cpu, unsigned int *vector);
uint64_t interrupt_take(struct cpu *cpu);
void interrupt_end(struct cpu *cpu);
/* Replace the processor status, and update banks, translations and checks. */
void psr_write(struct cpu *cpu, uint64_t psr);
uint64_t cpu_itc(const struct cpu *cpu);

/* mmu.c */

/* Kinds of access, in the order of their bits in cr.isr */
#define ACCESS_EXECUTE	1
#define ACCESS_WRITE	2
#define ACCESS_READ	4
#define ACCESS_NON		8	/* probe and its like: isr.na */
#define ACCESS_SPECULATIVE	16	/* a fault may become a NaT */
#define ACCESS_RSE	32	/* of the register stack: its own privilege level and translation */
#define ACCESS_SIZE(size)	((size) << 8)	/* more than one byte */

/* What a translation has found; @iha: where the entry of the VHPT is, if that was not found */
struct found {
	uint64_t pa, iha;
	bool uncacheable;	/* by its memory attribute or bit 63 */
	bool ed;		/* exceptions are deferred */
	uint8_t pl, ar;		/* privilege level of the page, access rights */
};

/*
 * Translate @va for @access at privilege level @cpl. Returns NO_FAULT or the vector of the fault.
 */
enum vector translate(struct cpu *cpu, uint64_t va, unsigned int access, unsigned int cpl,
		      struct found *found);
/*
 * Translate, or raise the fault. Returns false if the access is speculative and its exception is
 * deferred.
 */
bool data_translate(struct cpu *cpu, uint64_t va, unsigned int access, struct found *found);
/* Raise the fault that a load would have, for an instruction that does not access memory. */
void non_access(struct cpu *cpu, uint64_t va, uint64_t code);
bool load_slow(struct cpu *cpu, uint64_t va, unsigned int size, unsigned int access,
	       uint64_t *value);
void store_slow(struct cpu *cpu, uint64_t va, unsigned int size, uint64_t value,
		unsigned int access);
uint64_t rse_read(struct cpu *cpu, uint64_t va);
void rse_write(struct cpu *cpu, uint64_t va, uint64_t value);
void find_code(struct cpu *cpu, uint64_t tag);
/* Decode the bundle at cpu->ip. */
void decode_code(struct cpu *cpu, struct bundle *bundle);
/* Whether breakpoint registers @pairs (address and mask) match an access */
bool breakpoint(const struct cpu *cpu, const uint64_t *pairs, uint64_t va, unsigned int size,
		uint64_t kinds);
uint64_t hash_address(struct cpu *cpu, uint64_t va);
void fast_flush(struct cpu *cpu);
void fast_modes(struct cpu *cpu);
void code_written(struct machine *machine, uint64_t pa, unsigned int size);

/* Protection by advanced loads. @tag is of alat_gr() or alat_fr(). */
void alat_insert(struct cpu *cpu, uint64_t tag, uint64_t pa, unsigned int size);
void alat_remove(struct cpu *cpu, uint64_t tag);
bool alat_holds(struct cpu *cpu, uint64_t tag);
/* For a load of a type: whether it is a check load that hits, so that nothing is loaded */
bool alat_checked(struct cpu *cpu, unsigned int type, uint64_t tag);
/* An advanced load of an aligned value that is not a NaT is entered. */
void alat_advance(struct cpu *cpu, unsigned int type, uint64_t tag, uint64_t va, unsigned int size,
		  bool nat);
void alat_stored(struct cpu *cpu, uint64_t pa, unsigned int size);

/* rse.c */
uint64_t cfm_value(const struct cpu *cpu);
void rse_init(struct cpu *cpu);
void rse_call(struct cpu *cpu);
void rse_return(struct cpu *cpu, uint64_t pfm);
void rse_rfi(struct cpu *cpu);
void rse_load_frame(struct cpu *cpu);
void rse_rotate(struct cpu *cpu);
void rse_set_bspstore(struct cpu *cpu, uint64_t value);
uint64_t rse_skip(uint64_t address, int64_t count);

static inline unsigned int gr_index(const struct cpu *cpu, unsigned int r)
{
	return cpu->gr_map[r];
}

static inline uint64_t rd(const struct cpu *cpu, unsigned int r)
{
	return cpu->gr[gr_index(cpu, r)];
}

static inline bool rd_nat(const struct cpu *cpu, unsigned int r)
{
	return cpu->nat[gr_index(cpu, r)];
}

/* Check a target register: not r0, and in the frame. */
static inline unsigned int target_index(struct cpu *cpu, unsigned int r)
{
	if (r - 1 >= 31u + cpu->cfm.sof)
		illegal_operation(cpu);
	return gr_index(cpu, r);
}

static inline void wr(struct cpu *cpu, unsigned int r, uint64_t value, bool nat)
{
	unsigned int i = target_index(cpu, r);

	cpu->gr[i] = value;
	cpu->nat[i] = nat;
}

/* Value of a register; a NaT faults. */
static inline uint64_t rd_whole(struct cpu *cpu, unsigned int r)
{
	unsigned int i = gr_index(cpu, r);

	if (cpu->nat[i])
		nat_consumption(cpu, 0);
	return cpu->gr[i];
}

static inline unsigned int fr_index(const struct cpu *cpu, unsigned int r)
{
	unsigned int n;

	if (r < 32)
		return r;
	n = r - 32 + cpu->cfm.rrb_fr;
	return 32 + (n >= 96 ? n - 96 : n);
}

/* A floating-point register; faults if its half is disabled */
static inline void fr_check(struct cpu *cpu, unsigned int r)
{
	if (r < 32 ? r >= 2 && cpu->psr & PSR_DFL : cpu->psr & PSR_DFH)
		fault(cpu, VECTOR_DISABLED_FP, r < 32 ? 1 : 2);
}

static inline struct fr fr_read(struct cpu *cpu, unsigned int r)
{
	fr_check(cpu, r);
	return cpu->fr[fr_index(cpu, r)];
}

static inline void fr_write(struct cpu *cpu, unsigned int r, struct fr value)
{
	fr_check(cpu, r);
	if (r < 2)
		illegal_operation(cpu);
	cpu->fr[fr_index(cpu, r)] = value;
	cpu->psr |= r < 32 ? PSR_MFL : PSR_MFH;
}

static inline unsigned int pr_index(const struct cpu *cpu, unsigned int r)
{
	unsigned int n;

	if (r < 16)
		return r;
	n = r - 16 + cpu->cfm.rrb_pr;
	return 16 + (n >= 48 ? n - 48 : n);
}

static inline bool pr_read(const struct cpu *cpu, unsigned int r)
{
	return cpu->pr >> pr_index(cpu, r) & 1;
}

static inline void pr_write(struct cpu *cpu, unsigned int r, bool value)
{
	uint64_t bit = 1ULL << pr_index(cpu, r);

	if (value)
		cpu->pr |= bit;
	else
		cpu->pr &= ~bit;
	cpu->pr |= 1;
}

/* ALAT tag of a register: its place on the register stack, which no other register shares */
static inline uint64_t alat_gr(const struct cpu *cpu, unsigned int r)
{
	if (r < 32)
		return r;
	return cpu->bsp + (gr_index(cpu, r) + STACKED_REGS - 32 - cpu->bof) % STACKED_REGS * 8;
}

static inline uint64_t alat_fr(const struct cpu *cpu, unsigned int r)
{
	return 128 + fr_index(cpu, r);
}

static inline struct fast_page *fast_page(struct cpu *cpu, enum fast_kind kind, uint64_t va)
{
	return &cpu->fast[kind][(va >> 12 ^ va >> 56) % FAST_PAGES];
}

static inline struct fast_code *fast_code(struct cpu *cpu, uint64_t va)
{
	return &cpu->fast_code[(va >> 12 ^ va >> 56) % FAST_CODE];
}

static inline uint64_t code_tag(const struct cpu *cpu)
{
	return (cpu->ip & ~0xfffULL) | cpu->fast_mode[FAST_EXECUTE];
}

/* Fetch the bundle at cpu->ip; may fault. */
static inline struct bundle *fetch(struct cpu *cpu)
{
	uint64_t tag = code_tag(cpu);
	struct bundle *bundle;

	if (__builtin_expect(cpu->code.tag != tag, 0))
		find_code(cpu, tag);
	bundle = &cpu->code.code->bundle[cpu->ip >> 4 & 0xff];
	if (__builtin_expect(!bundle->decoded, 0))
		decode_code(cpu, bundle);
	return bundle;
}

/* Read @size bytes at @va; may fault. */
static inline __attribute__((always_inline))
uint64_t load(struct cpu *cpu, uint64_t va, unsigned int size)
{
	struct fast_page *page = fast_page(cpu, FAST_READ, va);
	uint64_t value = 0;

	if (page->tag == ((va & ~0xfffULL) | cpu->fast_mode[FAST_READ]) && !(va & (size - 1))) {
		uint8_t *host = page->host + (va & 0xfff);

		memcpy(&value, host, size);
		if (cpu->pmu_active)
			pmu_access(cpu, va, host - cpu->machine->ram, size, true, false);
		return value;
	}
	load_slow(cpu, va, size, ACCESS_READ, &value);
	return value;
}

static inline __attribute__((always_inline))
void store(struct cpu *cpu, uint64_t va, unsigned int size, uint64_t value)
{
	struct fast_page *page = fast_page(cpu, FAST_WRITE, va);

	if (page->tag == ((va & ~0xfffULL) | cpu->fast_mode[FAST_WRITE]) && !(va & (size - 1))) {
		uint8_t *host = page->host + (va & 0xfff);

		memcpy(host, &value, size);
		if (cpu->alat_valid)
			alat_stored(cpu, host - cpu->machine->ram, size);
		if (cpu->pmu_active)
			pmu_access(cpu, va, host - cpu->machine->ram, size, false, true);
		return;
	}
	store_slow(cpu, va, size, value, ACCESS_WRITE);
}

/* An operation that moves a value without a NaT to a general register */
#define MOVE(name, value)							\
enum next x_##name(struct cpu *cpu, const struct insn *insn)			\
{										\
	wr(cpu, insn->r1, value, false);					\
	return NEXT_SLOT;							\
}

/* Change the address register after an access. */
static inline void update_base(struct cpu *cpu, const struct insn *insn, bool base_nat)
{
	if (insn->y == UPDATE_IMMEDIATE)
		wr(cpu, insn->r3, rd(cpu, insn->r3) + insn->imm, base_nat);
	else if (insn->y == UPDATE_REGISTER)
		wr(cpu, insn->r3, rd(cpu, insn->r3) + rd(cpu, insn->r2),
		   base_nat | rd_nat(cpu, insn->r2));
}

static inline bool speculative(unsigned int type)
{
	return type == LOAD_S || type == LOAD_SA;
}

/* Functions that execute the operations */
#define OP(id, name, function) insn_run function;
#include "ops.def"
#undef OP

#endif
