// SPDX-License-Identifier: GPL-2.0-only
/*
 * exec-m.c: loads, stores and semaphores of general registers.
 */
#include "exec.h"

/* Speculative, advanced and check loads */
static enum next load_special(struct cpu *cpu, const struct insn *insn, unsigned int size,
			      uint64_t va, bool base_nat)
{
	unsigned int type = insn->x & 15;
	uint64_t tag = alat_gr(cpu, insn->r1);
	uint64_t value = 0;
	bool nat = false;

	if (!alat_checked(cpu, type, tag)) {
		if (speculative(type))
			nat = base_nat || !load_slow(cpu, va, size,
						     ACCESS_READ | ACCESS_SPECULATIVE, &value);
		else
			value = load(cpu, va, size);
		alat_advance(cpu, type, tag, va, size, nat);
		wr(cpu, insn->r1, nat ? 0 : value, nat);
	}
	update_base(cpu, insn, base_nat);
	return NEXT_SLOT;
}

/* Inlined, so that the size is a constant */
static inline __attribute__((always_inline))
enum next load_integer(struct cpu *cpu, const struct insn *insn, unsigned int size)
{
	unsigned int base = gr_index(cpu, insn->r3);
	unsigned int type = insn->x & 15;
	uint64_t va = cpu->gr[base];
	unsigned int target = target_index(cpu, insn->r1);
	bool nat = cpu->nat[base];

	if (insn->y)
		target_index(cpu, insn->r3);
	if (nat && !speculative(type))
		nat_consumption(cpu, ISR_R);
	if (type != LOAD_PLAIN && type != LOAD_ACQ && type != LOAD_BIAS)
		return load_special(cpu, insn, size, va, nat);
	cpu->gr[target] = load(cpu, va, size);
	cpu->nat[target] = false;
	if (insn->y)
		update_base(cpu, insn, false);
	return NEXT_SLOT;
}

/* The address of an access that is not speculative. */
static inline uint64_t address(struct cpu *cpu, const struct insn *insn, uint64_t isr)
{
	unsigned int base = gr_index(cpu, insn->r3);

	if (cpu->nat[base])
		nat_consumption(cpu, isr);
	return cpu->gr[base];
}

enum next x_ld8_fill(struct cpu *cpu, const struct insn *insn)
{
	uint64_t va = address(cpu, insn, ISR_R);
	uint64_t value;

	target_index(cpu, insn->r1);
	if (insn->y)
		target_index(cpu, insn->r3);
	value = load(cpu, va, 8);
	wr(cpu, insn->r1, value, cpu->unat >> (va >> 3 & 63) & 1);
	update_base(cpu, insn, false);
	return NEXT_SLOT;
}

static inline __attribute__((always_inline))
enum next store_integer(struct cpu *cpu, const struct insn *insn, unsigned int size)
{
	unsigned int source = gr_index(cpu, insn->r2);
	uint64_t va = address(cpu, insn, ISR_W);

	if (cpu->nat[source])
		nat_consumption(cpu, ISR_W);
	if (insn->y)
		target_index(cpu, insn->r3);
	store(cpu, va, size, cpu->gr[source]);
	if (insn->y)
		wr(cpu, insn->r3, va + insn->imm, false);
	return NEXT_SLOT;
}

#define SIZED(size)									\
enum next x_ld##size(struct cpu *cpu, const struct insn *insn)				\
{											\
	return load_integer(cpu, insn, size);						\
}											\
											\
enum next x_st##size(struct cpu *cpu, const struct insn *insn)				\
{											\
	return store_integer(cpu, insn, size);						\
}

SIZED(1)
SIZED(2)
SIZED(4)
SIZED(8)

enum next x_st8_spill(struct cpu *cpu, const struct insn *insn)
{
	unsigned int source = gr_index(cpu, insn->r2);
	uint64_t va = address(cpu, insn, ISR_W);
	uint64_t bit = 1ULL << (va >> 3 & 63);

	if (insn->y)
		target_index(cpu, insn->r3);
	store(cpu, va, 8, cpu->gr[source]);
	cpu->unat = cpu->nat[source] ? cpu->unat | bit : cpu->unat & ~bit;
	if (insn->y)
		wr(cpu, insn->r3, va + insn->imm, false);
	return NEXT_SLOT;
}

enum next x_ld16(struct cpu *cpu, const struct insn *insn)
{
	uint64_t va = address(cpu, insn, ISR_R);
	uint64_t low;

	target_index(cpu, insn->r1);
	if (va & 15)
		fault_address(cpu, VECTOR_UNALIGNED, ISR_R, va);
	low = load(cpu, va, 8);
	cpu->csd = load(cpu, va + 8, 8);
	wr(cpu, insn->r1, low, false);
	return NEXT_SLOT;
}

enum next x_st16(struct cpu *cpu, const struct insn *insn)
{
	uint64_t va = address(cpu, insn, ISR_W);
	uint64_t low = rd_whole(cpu, insn->r2);

	if (va & 15)
		fault_address(cpu, VECTOR_UNALIGNED, ISR_W, va);
	store(cpu, va, 8, low);
	store(cpu, va + 8, 8, cpu->csd);
	return NEXT_SLOT;
}

/* Translate a semaphore and return its physical address; cached pages take the fast path. */
static uint64_t semaphore_address(struct cpu *cpu, const struct insn *insn, unsigned int size)
{
	uint64_t va = rd(cpu, insn->r3);
	struct fast_page *page = fast_page(cpu, FAST_WRITE, va);
	struct found found;

	if (rd_nat(cpu, insn->r3))
		nat_consumption(cpu, ISR_R | ISR_W);
	target_index(cpu, insn->r1);
	if (va & (size - 1))
		fault_address(cpu, VECTOR_UNALIGNED, ISR_R | ISR_W, va);
	if (page->tag == ((va & ~0xfffULL) | cpu->fast_mode[FAST_WRITE]))
		return page->host - cpu->machine->ram + (va & 0xfff);
	data_translate(cpu, va, ACCESS_READ | ACCESS_WRITE | ACCESS_SIZE(size), &found);
	if (found.uncacheable)
		fault_address(cpu, VECTOR_UNSUPPORTED, ISR_R | ISR_W, va);
	return found.pa;
}

enum next x_semaphore(struct cpu *cpu, const struct insn *insn)
{
	static const uint8_t sizes[] = { 1, 2, 4, 8, 8, 1, 2, 4, 8, 4, 8 };
	unsigned int op = insn->op, size = sizes[op - OP_CMPXCHG1];
	bool wide = op == OP_CMP8XCHG16, add = op >= OP_FETCHADD4;
	uint64_t value = add ? insn->imm : rd_whole(cpu, insn->r2);
	uint64_t pa = semaphore_address(cpu, insn, size), va = rd(cpu, insn->r3), old;

	phys_read(cpu->machine, pa, size, &old);
	/* Compare all of ar.ccv with the value read, zero-extended. */
	if (op >= OP_XCHG1 || old == cpu->ccv) {
		phys_write(cpu->machine, wide ? pa & ~8ULL : pa, size, add ? old + value : value);
		if (wide)
			phys_write(cpu->machine, pa | 8, 8, cpu->csd);
	}
	wr(cpu, insn->r1, old, false);
	if (cpu->pmu_active)
		pmu_access(cpu, va, pa, wide ? 16 : size, true, true);
	return NEXT_SLOT;
}

enum next x_fc(struct cpu *cpu, const struct insn *insn)
{
	non_access(cpu, address(cpu, insn, ISR_R | ISR_NA | ISR_CODE_FC), ISR_CODE_FC);
	return NEXT_SLOT;
}

/* Only lfetch.fault may fault, unless psr.ed cancels it; the others are hints. */
enum next x_lfetch(struct cpu *cpu, const struct insn *insn)
{
	bool nat = rd_nat(cpu, insn->r3);

	if (insn->y)
		target_index(cpu, insn->r3);
	if (insn->x & 2 && !(cpu->psr & PSR_ED))
		non_access(cpu, address(cpu, insn, ISR_R | ISR_NA | ISR_CODE_LFETCH),
			   ISR_CODE_LFETCH);
	update_base(cpu, insn, nat);
	return NEXT_SLOT;
}
