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
	uint64_t pa;

	if (speculative(type)) {
		nat = base_nat || !load_slow(cpu, va, size, ACCESS_READ | ACCESS_SPECULATIVE,
					     &value);
	} else if (type >= LOAD_C_CLR) {
		bool held = alat_holds(cpu, tag);

		if (type != LOAD_C_NC)
			alat_remove(cpu, tag);
		if (held) {
			update_base(cpu, insn, base_nat);
			return NEXT_SLOT;
		}
		value = load(cpu, va, size);
	} else {
		value = load(cpu, va, size);
	}
	if (type == LOAD_A || type == LOAD_SA || type == LOAD_C_NC) {
		if (!nat && !(va & (size - 1)) && cpu_data_address(cpu, va, &pa))
			alat_insert(cpu, tag, pa, size);
		else
			alat_remove(cpu, tag);
	}
	wr(cpu, insn->r1, nat ? 0 : value, nat);
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

enum next x_ld1(struct cpu *cpu, const struct insn *insn)
{
	return load_integer(cpu, insn, 1);
}

enum next x_ld2(struct cpu *cpu, const struct insn *insn)
{
	return load_integer(cpu, insn, 2);
}

enum next x_ld4(struct cpu *cpu, const struct insn *insn)
{
	return load_integer(cpu, insn, 4);
}

enum next x_ld8(struct cpu *cpu, const struct insn *insn)
{
	return load_integer(cpu, insn, 8);
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

enum next x_st1(struct cpu *cpu, const struct insn *insn)
{
	return store_integer(cpu, insn, 1);
}

enum next x_st2(struct cpu *cpu, const struct insn *insn)
{
	return store_integer(cpu, insn, 2);
}

enum next x_st4(struct cpu *cpu, const struct insn *insn)
{
	return store_integer(cpu, insn, 4);
}

enum next x_st8(struct cpu *cpu, const struct insn *insn)
{
	return store_integer(cpu, insn, 8);
}

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

/* Host address of a semaphore's memory */
static uint64_t semaphore_address(struct cpu *cpu, const struct insn *insn, unsigned int size,
				  uint64_t *va)
{
	struct found found;

	*va = address(cpu, insn, ISR_R | ISR_W);
	target_index(cpu, insn->r1);
	if (*va & (size - 1))
		fault_address(cpu, VECTOR_UNALIGNED, ISR_R | ISR_W, *va);
	data_translate(cpu, *va, ACCESS_READ | ACCESS_WRITE | ACCESS_SIZE(size), &found);
	if (found.uncacheable)
		fault_address(cpu, VECTOR_UNSUPPORTED, ISR_R | ISR_W, *va);
	return found.pa;
}

static void semaphore_done(struct cpu *cpu, uint64_t va, uint64_t pa, unsigned int size)
{
	if (cpu->pmu_active)
		pmu_access(cpu, va, pa, size, true, true);
}

/* Translate a semaphore and return its old value; cached pages take the fast path. */
static uint64_t semaphore_begin(struct cpu *cpu, const struct insn *insn, unsigned int size,
				uint64_t *va, uint64_t *pa)
{
	unsigned int base = gr_index(cpu, insn->r3);
	struct fast_page *page = fast_page(cpu, FAST_WRITE, cpu->gr[base]);
	uint64_t old = 0;

	*va = cpu->gr[base];
	if (!cpu->nat[base] && !(*va & (size - 1)) &&
	    page->tag == ((*va & ~0xfffULL) | cpu->fast_mode[FAST_WRITE])) {
		target_index(cpu, insn->r1);
		*pa = page->host - cpu->machine->ram + (*va & 0xfff);
	} else {
		*pa = semaphore_address(cpu, insn, size, va);
	}
	phys_read(cpu->machine, *pa, size, &old);
	return old;
}

enum next x_cmpxchg(struct cpu *cpu, const struct insn *insn)
{
	unsigned int size = 1 << (insn->op - OP_CMPXCHG1);
	uint64_t value = rd_whole(cpu, insn->r2);
	uint64_t va, pa;
	uint64_t old = semaphore_begin(cpu, insn, size, &va, &pa);

	/* Compare all of ar.ccv with the value read, zero-extended. */
	if (old == cpu->ccv)
		phys_write(cpu->machine, pa, size, value);
	wr(cpu, insn->r1, old, false);
	semaphore_done(cpu, va, pa, size);
	return NEXT_SLOT;
}

enum next x_xchg(struct cpu *cpu, const struct insn *insn)
{
	unsigned int size = 1 << (insn->op - OP_XCHG1);
	uint64_t value = rd_whole(cpu, insn->r2);
	uint64_t va, pa;
	uint64_t old = semaphore_begin(cpu, insn, size, &va, &pa);

	phys_write(cpu->machine, pa, size, value);
	wr(cpu, insn->r1, old, false);
	semaphore_done(cpu, va, pa, size);
	return NEXT_SLOT;
}

enum next x_fetchadd(struct cpu *cpu, const struct insn *insn)
{
	unsigned int size = insn->op == OP_FETCHADD4 ? 4 : 8;
	uint64_t va, pa;
	uint64_t old = semaphore_begin(cpu, insn, size, &va, &pa);

	phys_write(cpu->machine, pa, size, old + insn->imm);
	wr(cpu, insn->r1, old, false);
	semaphore_done(cpu, va, pa, size);
	return NEXT_SLOT;
}

enum next x_cmp8xchg16(struct cpu *cpu, const struct insn *insn)
{
	uint64_t value = rd_whole(cpu, insn->r2);
	uint64_t va, pa;
	uint64_t old = semaphore_begin(cpu, insn, 8, &va, &pa);

	if (old == cpu->ccv) {
		phys_write(cpu->machine, pa & ~8ULL, 8, value);
		phys_write(cpu->machine, pa | 8, 8, cpu->csd);
	}
	wr(cpu, insn->r1, old, false);
	semaphore_done(cpu, va, pa, 16);
	return NEXT_SLOT;
}

enum next x_fc(struct cpu *cpu, const struct insn *insn)
{
	uint64_t va = address(cpu, insn, ISR_R | ISR_NA);
	struct found found;

	data_translate(cpu, va, ACCESS_READ | ACCESS_NON, &found);
	return NEXT_SLOT;
}

/* Only lfetch.fault may fault; the others are hints. */
enum next x_lfetch(struct cpu *cpu, const struct insn *insn)
{
	bool nat = rd_nat(cpu, insn->r3);

	if (insn->y)
		target_index(cpu, insn->r3);
	if (insn->x & 2) {
		struct found found;
		uint64_t va = address(cpu, insn, ISR_R | ISR_NA);

		data_translate(cpu, va, ACCESS_READ | ACCESS_NON, &found);
	}
	update_base(cpu, insn, nat);
	return NEXT_SLOT;
}
