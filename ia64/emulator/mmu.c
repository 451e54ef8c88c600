// SPDX-License-Identifier: GPL-2.0-only
/*
 * mmu.c: address translation (registers, caches, the walker of a short-format VHPT), access rights,
 * and access to memory
 */
#include <stdlib.h>

#include "exec.h"

/* Fields of a page table entry. */
#define PTE_P	(1ULL << 0)
#define PTE_A	(1ULL << 5)
#define PTE_D	(1ULL << 6)
#define PTE_ED	(1ULL << 52)

#define MA_WB		0
#define MA_NATPAGE	7

#define REGION_OFFSET	(~0ULL >> 3)

#define ITC	0	/* translation array of instructions */
#define DTC	1

static uint64_t page_mask(unsigned int ps)
{
	return ~((1ULL << ps) - 1);
}

static uint32_t region_id(const struct cpu *cpu, uint64_t va)
{
	return cpu->rr[va >> 61] >> 8 & ((1u << RID_BITS) - 1);
}

/* Invalidate all cached translations. */
void fast_flush(struct cpu *cpu)
{
	cpu->fast_generation = (cpu->fast_generation + 1) & 0xff;
	if (!cpu->fast_generation) {
		memset(cpu->fast, 0, sizeof(cpu->fast));
		memset(cpu->fast_code, 0, sizeof(cpu->fast_code));
	}
	cpu->code.tag = 0;
	fast_modes(cpu);
}

/* Tags depend on the privilege level, and on whether translation is on. */
void fast_modes(struct cpu *cpu)
{
	uint64_t mode = cpu->fast_generation << 4 | cpu_cpl(cpu) << 2 | 1;

	cpu->next_check = 0;
	cpu->fast_mode[FAST_READ] = mode | (cpu->psr & PSR_DT ? 2 : 0);
	cpu->fast_mode[FAST_WRITE] = cpu->fast_mode[FAST_READ];
	cpu->fast_mode[FAST_EXECUTE] = mode | (cpu->psr & PSR_IT ? 2 : 0);
}

static void fast_forget(struct cpu *cpu, uint64_t va, unsigned int ps)
{
	uint64_t n;
	int kind;

	if (ps > 16) {
		fast_flush(cpu);
		return;
	}
	va &= page_mask(ps);
	for (n = 0; n < 1ULL << ps; n += 0x1000) {
		for (kind = 0; kind < FAST_DATA; kind++)
			fast_page(cpu, kind, va + n)->tag = 0;
		fast_code(cpu, va + n)->tag = 0;
	}
	cpu->code.tag = 0;
	cpu->next_check = 0;
}

static const struct translation *find(struct cpu *cpu, int which, uint64_t va)
{
	uint32_t rid = region_id(cpu, va);
	uint64_t offset = va & REGION_OFFSET;
	const struct translation *t;

	for (t = cpu->tr[which]; t < cpu->tr[which] + ITR_COUNT; t++)
		if (t->valid && t->rid == rid && t->va == (offset & page_mask(t->ps)))
			return t;
	for (t = cpu->tc[which]; t < cpu->tc[which] + TC_COUNT; t++)
		if (t->valid && t->rid == rid && t->va == (offset & page_mask(t->ps)))
			return t;
	return NULL;
}

static bool overlap(const struct translation *t, uint32_t rid, uint64_t offset, unsigned int ps)
{
	unsigned int larger = t->ps > ps ? t->ps : ps;

	return t->valid && t->rid == rid && !((t->va ^ offset) & page_mask(larger));
}

/* Purge what overlaps a page; returns the largest page size that it had. */
static unsigned int purge_array(struct translation *t, unsigned int count, uint32_t rid,
				uint64_t offset, unsigned int ps)
{
	unsigned int i, largest = ps;

	for (i = 0; i < count; i++) {
		if (!overlap(&t[i], rid, offset, ps))
			continue;
		t[i].valid = false;
		if (t[i].ps > largest)
			largest = t[i].ps;
	}
	return largest;
}

static void purge(struct cpu *cpu, struct translation *t, unsigned int count, uint64_t va,
		  unsigned int ps)
{
	fast_forget(cpu, va, purge_array(t, count, region_id(cpu, va), va & REGION_OFFSET, ps));
}

/* Purge a page of @cpu's caches, whatever region it has @rid in. */
static void purge_remote(struct cpu *cpu, uint32_t rid, uint64_t offset, unsigned int ps)
{
	unsigned int largest = purge_array(cpu->tc[0], 2 * TC_COUNT, rid, offset, ps);
	uint64_t region;

	for (region = 0; region < RR_COUNT; region++)
		if (region_id(cpu, region << 61) == rid)
			fast_forget(cpu, region << 61 | offset, largest);
}

static void purge_others(struct cpu *cpu, uint64_t va, unsigned int ps)
{
	struct cpu *other = cpu->machine->cpu;

	for (; other < cpu->machine->cpu + cpu->machine->cpus; other++)
		if (other != cpu)
			purge_remote(other, region_id(cpu, va), va & REGION_OFFSET, ps);
}

static struct translation from_pte(struct cpu *cpu, uint64_t va, uint64_t pte, uint64_t itir)
{
	unsigned int ps = itir >> 2 & 63;

	return (struct translation) {
		.valid = true,
		.va = va & REGION_OFFSET & page_mask(ps),
		.pa = pte & PHYS_MASK & page_mask(ps) & ~0xfffULL,
		.rid = region_id(cpu, va),
		.ps = ps,
		.ar = pte >> 9 & 7,
		.pl = pte >> 7 & 3,
		.ma = pte >> 2 & 7,
		.p = pte & PTE_P,
		.a = pte & PTE_A,
		.d = pte & PTE_D,
		.ed = pte & PTE_ED,
	};
}

static void tc_insert(struct cpu *cpu, int which, uint64_t va, uint64_t pte, uint64_t itir)
{
	struct translation t = from_pte(cpu, va, pte, itir);

	purge(cpu, cpu->tc[which], TC_COUNT, va, t.ps);
	cpu->tc[which][cpu->tc_next[which]++ % TC_COUNT] = t;
}

uint64_t hash_address(struct cpu *cpu, uint64_t va)
{
	unsigned int ps = cpu->rr[va >> 61] >> 2 & 63;
	uint64_t mask = (1ULL << (cpu->pta >> 2 & 63)) - 1;
	uint64_t offset = (va & REGION_OFFSET) >> ps << 3;

	return (va & ~REGION_OFFSET) | (cpu->pta & REGION_OFFSET & ~0x7fffULL & ~mask) |
	       (offset & mask);
}

/* ACCESS_ flags that a page allows at @cpl */
static unsigned int rights(unsigned int ar, unsigned int pl, unsigned int cpl)
{
	static const uint8_t same[7] = {
		ACCESS_READ, ACCESS_READ | ACCESS_EXECUTE, ACCESS_READ | ACCESS_WRITE,
		ACCESS_READ | ACCESS_WRITE | ACCESS_EXECUTE, ACCESS_READ,
		ACCESS_READ | ACCESS_EXECUTE, ACCESS_READ | ACCESS_WRITE | ACCESS_EXECUTE
	};

	if (ar == 7)
		return cpl == 0 ? ACCESS_READ | ACCESS_EXECUTE : ACCESS_EXECUTE;
	if (cpl > pl)
		return 0;
	/* The last three allow inner levels more, or something else. */
	switch (ar) {
	case 4:
	case 6:
		return cpl < pl || !cpl ? ACCESS_READ | ACCESS_WRITE : same[ar];
	case 5:
		return cpl ? same[ar] : same[ar] | ACCESS_WRITE;
	}
	return same[ar];
}

static enum vector check_page(struct cpu *cpu, const struct translation *t, unsigned int access,
			      unsigned int cpl)
{
	bool execute = access & ACCESS_EXECUTE;
	unsigned int wanted = access & (ACCESS_READ | ACCESS_WRITE | ACCESS_EXECUTE);

	if (!t->p)
		return VECTOR_NOT_PRESENT;
	if (t->ma == MA_NATPAGE)
		return VECTOR_NAT;
	if (!wanted)
		return NO_FAULT;	/* tpa */
	if (wanted & ~rights(t->ar, t->pl, cpl))
		return execute ? VECTOR_IACCESS_RIGHTS : VECTOR_DACCESS_RIGHTS;
	if (access & ACCESS_WRITE && !t->d && !(cpu->psr & PSR_DA))
		return VECTOR_DIRTY;
	if (!t->a && !(cpu->psr & (execute ? PSR_IA : PSR_DA)))
		return execute ? VECTOR_IACCESS_BIT : VECTOR_DACCESS_BIT;
	return NO_FAULT;
}

/* Walk the VHPT: NO_FAULT if @va is now in the translation cache */
static enum vector walk(struct cpu *cpu, uint64_t va, unsigned int access, uint64_t *iha)
{
	bool execute = access & ACCESS_EXECUTE;
	uint64_t rr = cpu->rr[va >> 61];
	const struct translation *t;
	uint64_t pa, pte;

	if (!(cpu->psr & PSR_IC) && !execute)
		return VECTOR_NESTED_TLB;
	if (!(cpu->pta & 1) || !(rr & 1) || !(cpu->psr & PSR_IC) || !(cpu->psr & PSR_DT))
		return execute ? VECTOR_ALT_ITLB : VECTOR_ALT_DTLB;
	*iha = hash_address(cpu, va);
	t = find(cpu, DTC, *iha);
	if (!t)
		return VECTOR_VHPT;
	pa = t->pa | (*iha & ~page_mask(t->ps));
	if (check_page(cpu, t, ACCESS_READ, 0) != NO_FAULT ||
	    !phys_read(cpu->machine, pa, 8, &pte))
		return execute ? VECTOR_ITLB : VECTOR_DTLB;
	if (!(pte & PTE_P))
		return VECTOR_NOT_PRESENT;
	tc_insert(cpu, execute ? ITC : DTC, va, pte, rr);
	return NO_FAULT;
}

enum vector translate(struct cpu *cpu, uint64_t va, unsigned int access, unsigned int cpl,
		      struct found *found)
{
	bool execute = access & ACCESS_EXECUTE;
	uint64_t on = execute ? PSR_IT : access & ACCESS_RSE ? PSR_RT : PSR_DT;
	const struct translation *t;
	enum vector vector;

	if (!(cpu->psr & on)) {
		*found = (struct found){ .pa = va & PHYS_MASK, .uncacheable = va >> 63 };
		return NO_FAULT;
	}
	t = find(cpu, execute ? ITC : DTC, va);
	if (!t) {
		vector = walk(cpu, va, access, &found->iha);
		if (vector != NO_FAULT)
			return vector;
		t = find(cpu, execute ? ITC : DTC, va);
	}
	*found = (struct found){
		.pa = t->pa | (va & ~page_mask(t->ps)), .uncacheable = t->ma != MA_WB,
		.ed = t->ed, .ar = t->ar, .pl = t->pl,
	};
	return check_page(cpu, t, access, cpl);
}

/* Whether the code page defers exceptions of speculative loads (its .ed) */
static bool defers(const struct cpu *cpu)
{
	return !(cpu->psr & PSR_IC) || (cpu->psr & PSR_IT && cpu->code.ed);
}

/* Whether the fault of a speculative load is deferred as a NaT */
static bool deferred(const struct cpu *cpu, enum vector vector)
{
	static const uint16_t dcr[(VECTOR_DEBUG >> 8) + 1] = {
		[VECTOR_VHPT >> 8] = DCR_DM, [VECTOR_DTLB >> 8] = DCR_DM,
		[VECTOR_ALT_DTLB >> 8] = DCR_DM, [VECTOR_NESTED_TLB >> 8] = DCR_DM,
		[VECTOR_NOT_PRESENT >> 8] = DCR_DP, [VECTOR_DACCESS_RIGHTS >> 8] = DCR_DR,
		[VECTOR_DACCESS_BIT >> 8] = DCR_DA, [VECTOR_DEBUG >> 8] = DCR_DD,
	};

	return vector == VECTOR_NAT || !(cpu->psr & PSR_IC) ||
	       (defers(cpu) && cpu->dcr & dcr[vector >> 8]);
}

static uint64_t access_isr(const struct cpu *cpu, unsigned int access)
{
	uint64_t isr = (access & 0x3fULL) << 32;

	if (cpu->load_frame)
		isr |= ISR_IR;
	if (cpu->code.ed && cpu->psr & PSR_IT && access & ACCESS_SPECULATIVE)
		isr |= ISR_ED;
	return isr;
}

/* Fault of a translation that has ended with @vector */
static __attribute__((noreturn))
void translation_fault(struct cpu *cpu, enum vector vector, uint64_t isr, uint64_t va,
		       const struct found *found)
{
	if (vector == VECTOR_VHPT)
		cpu->iha = found->iha;
	fault_address(cpu, vector, isr | (vector == VECTOR_NAT ? 0x20 : 0), va);
}

bool breakpoint(const struct cpu *cpu, const uint64_t *pairs, uint64_t va, unsigned int size,
		uint64_t kinds)
{
	unsigned int i;

	for (i = 0; i < 8; i += 2) {
		uint64_t mask = pairs[i + 1] | 0xffULL << 56;

		if (!(pairs[i + 1] & kinds) || !(pairs[i + 1] >> 56 >> cpu_cpl(cpu) & 1))
			continue;
		/* An access matches by any of its bytes; it is aligned here. */
		if (!((va ^ pairs[i]) & mask & ~(uint64_t)(size - 1)))
			return true;
	}
	return false;
}

static bool data_breakpoint(const struct cpu *cpu, uint64_t va, unsigned int access)
{
	uint64_t kinds = (access & ACCESS_READ ? BREAKPOINT_READ : 0) |
			 (access & ACCESS_WRITE ? BREAKPOINT_WRITE : 0);

	if (!(cpu->psr & PSR_DB) || cpu->psr & PSR_DD)
		return false;
	return breakpoint(cpu, cpu->dbr, va, access >> 8 ?: 1, kinds);
}

bool data_translate(struct cpu *cpu, uint64_t va, unsigned int access, struct found *found)
{
	unsigned int cpl = access & ACCESS_RSE ? cpu->rsc >> 2 & 3 : cpu_cpl(cpu);
	enum vector vector = translate(cpu, va, access & 0xff, cpl, found);

	if (vector == NO_FAULT && data_breakpoint(cpu, va, access))
		vector = VECTOR_DEBUG;
	if (vector == NO_FAULT)
		return true;
	if (access & ACCESS_SPECULATIVE && deferred(cpu, vector))
		return false;
	translation_fault(cpu, vector, access_isr(cpu, access), va, found);
}

void non_access(struct cpu *cpu, uint64_t va, uint64_t code)
{
	struct found found;
	enum vector vector = translate(cpu, va, ACCESS_READ, cpu_cpl(cpu), &found);

	if (vector != NO_FAULT)
		translation_fault(cpu, vector, ISR_R | ISR_NA | code, va, &found);
}

/* Cache the translation of a page of memory. */
static void remember(struct cpu *cpu, enum fast_kind kind, uint64_t va, uint64_t pa)
{
	struct machine *machine = cpu->machine;
	struct fast_page *page = fast_page(cpu, kind, va);
	unsigned int i;

	pa &= ~0xfffULL;
	if (pa >= machine->ram_size || cpu->psr & (PSR_DB | PSR_DA))
		return;
	for (i = 0; i < machine->mmio_count; i++)
		if (pa + 0x1000 > machine->mmio[i].base &&
		    pa < machine->mmio[i].base + machine->mmio[i].size)
			return;
	/* Stores to a page with decoded instructions must take the slow path. */
	if (kind == FAST_WRITE && machine->code[pa >> 12])
		return;
	page->tag = (va & ~0xfffULL) | cpu->fast_mode[kind];
	page->host = machine->ram + pa;
}

static bool crosses(uint64_t va, unsigned int size)
{
	return (va & 0xfff) + size > 0x1000;
}

static void check_alignment(struct cpu *cpu, uint64_t va, unsigned int size, unsigned int access)
{
	if (va & (size - 1) && cpu->psr & PSR_AC)
		fault_address(cpu, VECTOR_UNALIGNED, access_isr(cpu, access), va);
}

/* Tell the monitors, for whom bit 63 of a physical address is the memory attribute. */
static void report_access(struct cpu *cpu, uint64_t va, const struct found *found,
			  unsigned int size, unsigned int access)
{
	uint64_t pa = found->pa | (uint64_t)found->uncacheable << 63;
	bool store = access & ACCESS_WRITE;

	if (!cpu->pmu_active)
		return;
	if (access & ACCESS_RSE)
		pmu_stack_access(cpu, va, pa, store);
	else
		pmu_access(cpu, va, pa, size, !store, store);
}

bool load_slow(struct cpu *cpu, uint64_t va, unsigned int size, unsigned int access,
	       uint64_t *value)
{
	struct found found;

	*value = 0;
	if (access & ACCESS_SPECULATIVE &&
	    (cpu->psr & PSR_ED || (va & (size - 1) && cpu->psr & PSR_AC && defers(cpu))))
		return false;
	check_alignment(cpu, va, size, access);
	if (crosses(va, size)) {
		unsigned int i;

		for (i = 0; i < size; i++) {
			uint64_t byte;

			if (!load_slow(cpu, va + i, 1, access, &byte))
				return false;
			*value |= byte << (8 * i);
		}
		return true;
	}
	if (!data_translate(cpu, va, access | ACCESS_SIZE(size), &found))
		return false;
	if (access == ACCESS_READ && !found.uncacheable)
		remember(cpu, FAST_READ, va, found.pa);
	phys_read(cpu->machine, found.pa, size, value);
	report_access(cpu, va, &found, size, access);
	return true;
}

void store_slow(struct cpu *cpu, uint64_t va, unsigned int size, uint64_t value,
		unsigned int access)
{
	struct found found;

	check_alignment(cpu, va, size, access);
	if (crosses(va, size)) {
		unsigned int i;

		/* Write the second page first, so that a fault comes before any change. */
		data_translate(cpu, va + size - 1, access, &found);
		for (i = 0; i < size; i++)
			store_slow(cpu, va + i, 1, value >> (8 * i), access);
		return;
	}
	data_translate(cpu, va, access | ACCESS_SIZE(size), &found);
	if (access == ACCESS_WRITE && !found.uncacheable)
		remember(cpu, FAST_WRITE, va, found.pa);
	phys_write(cpu->machine, found.pa, size, value);
	report_access(cpu, va, &found, size, access);
}

/*
 * Host address of an entry of the register stack, or NULL for the slow path: the stack has its own
 * privilege level, while cached translations are the program's.
 */
static uint8_t *rse_host(struct cpu *cpu, enum fast_kind kind, uint64_t va)
{
	struct fast_page *page = fast_page(cpu, kind, va);

	if ((cpu->rsc >> 2 & 3) != cpu_cpl(cpu) || !(cpu->psr & PSR_DT) != !(cpu->psr & PSR_RT) ||
	    page->tag != ((va & ~0xfffULL) | cpu->fast_mode[kind]))
		return NULL;
	return page->host + (va & 0xfff);
}

uint64_t rse_read(struct cpu *cpu, uint64_t va)
{
	const uint8_t *host = rse_host(cpu, FAST_READ, va);
	uint64_t value;

	if (!host) {
		load_slow(cpu, va, 8, ACCESS_READ | ACCESS_RSE, &value);
		return value;
	}
	memcpy(&value, host, 8);
	if (cpu->pmu_active)
		pmu_stack_access(cpu, va, host - cpu->machine->ram, false);
	return value;
}

void rse_write(struct cpu *cpu, uint64_t va, uint64_t value)
{
	uint8_t *host = rse_host(cpu, FAST_WRITE, va);

	if (!host) {
		store_slow(cpu, va, 8, value, ACCESS_WRITE | ACCESS_RSE);
		return;
	}
	memcpy(host, &value, 8);
	if (cpu->alat_valid)
		alat_stored(cpu, host - cpu->machine->ram, 8);
	if (cpu->pmu_active)
		pmu_stack_access(cpu, va, host - cpu->machine->ram, true);
}

static struct mmio *find_mmio(struct machine *machine, uint64_t address, unsigned int size)
{
	unsigned int i;

	for (i = 0; i < machine->mmio_count; i++) {
		struct mmio *mmio = &machine->mmio[i];

		if (address >= mmio->base && address + size <= mmio->base + mmio->size)
			return mmio;
	}
	return NULL;
}

bool phys_read(struct machine *machine, uint64_t address, unsigned int size, uint64_t *value)
{
	struct mmio *mmio;

	address &= PHYS_MASK;
	mmio = find_mmio(machine, address, size);
	*value = 0;
	if (mmio) {
		*value = mmio->read(mmio->opaque, address - mmio->base, size);
	} else if (address + size <= machine->ram_size) {
		memcpy(value, machine->ram + address, size);
	} else {
		memset(value, 0xff, size);
		return false;
	}
	return true;
}

bool phys_write(struct machine *machine, uint64_t address, unsigned int size, uint64_t value)
{
	struct mmio *mmio;

	address &= PHYS_MASK;
	mmio = find_mmio(machine, address, size);
	if (mmio) {
		mmio->write(mmio->opaque, address - mmio->base, value, size);
	} else if (address + size <= machine->ram_size) {
		memcpy(machine->ram + address, &value, size);
		code_written(machine, address, size);
		if (machine->running->alat_valid)
			alat_stored(machine->running, address, size);
	} else {
		return false;
	}
	return true;
}

/* Invalidate decoded instructions that were overwritten. */
void code_written(struct machine *machine, uint64_t pa, unsigned int size)
{
	uint64_t last = pa + size - 1;
	struct code_page *page = machine->code[pa >> 12];

	if (page)
		page->bundle[pa >> 4 & 0xff].decoded = false;
	page = machine->code[last >> 12];
	if (page)
		page->bundle[last >> 4 & 0xff].decoded = false;
}

void *phys_memory(struct machine *machine, uint64_t address, uint64_t size)
{
	uint64_t page;

	address &= PHYS_MASK;
	if (address >= machine->ram_size || size > machine->ram_size - address)
		return NULL;
	for (page = address & ~0xfULL; machine->code && page < address + size; page += 16)
		code_written(machine, page, 16);
	return machine->ram + address;
}

bool cpu_data_address(struct cpu *cpu, uint64_t address, uint64_t *physical)
{
	const struct translation *t;

	if (!(cpu->psr & PSR_DT)) {
		*physical = address & PHYS_MASK;
		return true;
	}
	t = find(cpu, DTC, address);
	if (!t)
		return false;
	*physical = t->pa | (address & ~page_mask(t->ps));
	return true;
}

/*
 * Make the page of cpu->ip, with tag @tag, the current code page; may fault. After an rfi into the
 * middle of a bundle the fault comes for that slot.
 */
void find_code(struct cpu *cpu, uint64_t tag)
{
	struct fast_code *fast = fast_code(cpu, cpu->ip);
	struct machine *machine = cpu->machine;
	struct code_page **code;
	struct found found;
	enum vector vector;
	unsigned int nr;

	if (fast->tag == tag) {
		cpu->code = *fast;
		return;
	}
	vector = translate(cpu, cpu->ip, ACCESS_EXECUTE, cpu_cpl(cpu), &found);
	if (vector != NO_FAULT)
		translation_fault(cpu, vector, ISR_X, cpu->ip, &found);
	if (found.pa >= machine->ram_size) {
		cpu_dump(cpu);
		machine->stop = STOP_FAILURE;
		cpu->next_check = 0;
		longjmp(cpu->fault, 1);
	}
	code = &machine->code[found.pa >> 12];
	if (!*code) {
		*code = calloc(1, sizeof(**code));
		if (!*code)
			abort();
		/* Stores to it take the slow path from now on. */
		for (nr = 0; nr < machine->cpus; nr++)
			fast_flush(&machine->cpu[nr]);
	}
	*fast = (struct fast_code) {
		.tag = cpu->psr & PSR_IA ? 0 : code_tag(cpu), .code = *code,
		.pa = found.pa & ~0xfffULL, .ed = found.ed, .pl = found.ar == 7 ? found.pl : 3
	};
	cpu->code = *fast;
}

void decode_code(struct cpu *cpu, struct bundle *bundle)
{
	uint64_t words[2];

	memcpy(words, cpu->machine->ram + cpu->code.pa + (cpu->ip & 0xff0), 16);
	decode_bundle(words[0], words[1], bundle);
}

/* Instructions for translations. */

enum next x_insert(struct cpu *cpu, const struct insn *insn)
{
	int which = insn->op == OP_ITR_D || insn->op == OP_ITC_D ? DTC : ITC;
	bool tr = insn->op == OP_ITR_D || insn->op == OP_ITR_I;
	struct translation t;
	uint64_t slot, pte;

	if (cpu->psr & PSR_IC)
		illegal_operation(cpu);
	need_privilege(cpu);
	pte = rd_whole(cpu, insn->r2);
	if (!tr) {
		tc_insert(cpu, which, cpu->ifa, pte, cpu->itir);
		return NEXT_SLOT;
	}
	slot = rd_whole(cpu, insn->r3) & 0xff;
	if (slot >= ITR_COUNT)
		reserved_field(cpu);
	t = from_pte(cpu, cpu->ifa, pte, cpu->itir);
	purge(cpu, cpu->tc[which], TC_COUNT, cpu->ifa, t.ps);
	cpu->tr[which][slot] = t;
	fast_flush(cpu);
	return NEXT_SLOT;
}

enum next x_purge(struct cpu *cpu, const struct insn *insn)
{
	bool tr = insn->op == OP_PTR_D || insn->op == OP_PTR_I;
	unsigned int ps;
	uint64_t va;
	int which;

	need_privilege(cpu);
	va = rd_whole(cpu, insn->r3);
	ps = rd_whole(cpu, insn->r2) >> 2 & 63;
	for (which = ITC; which <= DTC; which++) {
		if (insn->op == (which == ITC ? OP_PTR_D : OP_PTR_I))
			continue;
		purge(cpu, cpu->tc[which], TC_COUNT, va, ps);
		if (tr)
			purge(cpu, cpu->tr[which], ITR_COUNT, va, ps);
	}
	if (insn->op == OP_PTC_G || insn->op == OP_PTC_GA)
		purge_others(cpu, va, ps);
	/* The other processors' ALATs are empty. */
	if (insn->op == OP_PTC_GA)
		cpu->alat_valid = 0;
	return NEXT_SLOT;
}

static void purge_all(struct cpu *cpu)
{
	memset(cpu->tc, 0, sizeof(cpu->tc));
	fast_flush(cpu);
}

enum next x_ptc_e(struct cpu *cpu, const struct insn *insn)
{
	need_privilege(cpu);
	rd_whole(cpu, insn->r3);
	purge_all(cpu);
	/* 2.4.3.1 of the manual of Montecito: threads share their translation caches. */
	if (cpu->sibling)
		purge_all(cpu->sibling);
	return NEXT_SLOT;
}

/* Whether an access at a privilege level is allowed; faults if there is no translation */
enum next x_probe(struct cpu *cpu, const struct insn *insn)
{
	static const uint8_t kinds[] = {
		ACCESS_READ, ACCESS_WRITE, ACCESS_READ, ACCESS_WRITE, ACCESS_READ | ACCESS_WRITE,
		ACCESS_READ, ACCESS_WRITE,
	};
	bool imm = insn->op >= OP_PROBE_R_IMM, faults = insn->op >= OP_PROBE_RW_FAULT;
	unsigned int level = (imm ? insn->imm : rd(cpu, insn->r2)) & 3;
	unsigned int cpl = cpu_cpl(cpu) > level ? cpu_cpl(cpu) : level;
	unsigned int access = kinds[insn->op - OP_PROBE_R];
	uint64_t isr = access_isr(cpu, access | ACCESS_NON) |
		       (faults ? ISR_CODE_PROBE_FAULT : ISR_CODE_PROBE);
	uint64_t va = rd(cpu, insn->r3);
	struct found found;
	enum vector vector;

	if (!faults)
		target_index(cpu, insn->r1);
	if (rd_nat(cpu, insn->r3) || (!imm && rd_nat(cpu, insn->r2)))
		nat_consumption(cpu, isr);
	vector = translate(cpu, va, access, cpl, &found);
	if (faults && vector == NO_FAULT)
		return NEXT_SLOT;
	if (!faults) {
		switch (vector) {
		case NO_FAULT:
		case VECTOR_DIRTY:
		case VECTOR_DACCESS_BIT:
			wr(cpu, insn->r1, 1, false);
			return NEXT_SLOT;
		case VECTOR_DACCESS_RIGHTS:
			wr(cpu, insn->r1, 0, false);
			return NEXT_SLOT;
		default:
			break;
		}
	}
	translation_fault(cpu, vector, isr, va, &found);
}

enum next x_thash(struct cpu *cpu, const struct insn *insn)
{
	wr(cpu, insn->r1, hash_address(cpu, rd(cpu, insn->r3)), rd_nat(cpu, insn->r3));
	return NEXT_SLOT;
}

enum next x_tpa(struct cpu *cpu, const struct insn *insn)
{
	uint64_t va = rd(cpu, insn->r3);
	struct found found;
	enum vector vector;

	target_index(cpu, insn->r1);
	need_privilege(cpu);
	if (rd_nat(cpu, insn->r3))
		nat_consumption(cpu, ISR_NA);
	vector = translate(cpu, va, 0, 0, &found);
	if (vector != NO_FAULT)
		translation_fault(cpu, vector, ISR_NA, va, &found);
	wr(cpu, insn->r1, found.pa, false);
	return NEXT_SLOT;
}

/* Advanced loads. */

/* The entry of a register, or -1: there is at most one. */
static int alat_find(const struct cpu *cpu, uint64_t tag)
{
	uint32_t valid;

	for (valid = cpu->alat_valid; valid; valid &= valid - 1)
		if (cpu->alat[__builtin_ctz(valid)].tag == tag)
			return __builtin_ctz(valid);
	return -1;
}

void alat_remove(struct cpu *cpu, uint64_t tag)
{
	int i = alat_find(cpu, tag);

	if (i >= 0)
		cpu->alat_valid &= ~(1u << i);
}

void alat_insert(struct cpu *cpu, uint64_t tag, uint64_t pa, unsigned int size)
{
	unsigned int i;

	alat_remove(cpu, tag);
	i = __builtin_ctz(~cpu->alat_valid);
	if (i >= ALAT_COUNT)
		i = cpu->alat_next++ % ALAT_COUNT;
	cpu->alat[i] = (struct alat){ tag, pa, size };
	cpu->alat_valid |= 1u << i;
}

bool alat_holds(struct cpu *cpu, uint64_t tag)
{
	return alat_find(cpu, tag) >= 0;
}

bool alat_checked(struct cpu *cpu, unsigned int type, uint64_t tag)
{
	bool held = type >= LOAD_C_CLR && alat_holds(cpu, tag);

	if (type >= LOAD_C_CLR && type != LOAD_C_NC)
		alat_remove(cpu, tag);
	return held;
}

void alat_advance(struct cpu *cpu, unsigned int type, uint64_t tag, uint64_t va, unsigned int size,
		  bool nat)
{
	uint64_t pa;

	if (type != LOAD_A && type != LOAD_SA && type != LOAD_C_NC)
		return;
	if (!nat && !(va & (size - 1)) && cpu_data_address(cpu, va, &pa))
		alat_insert(cpu, tag, pa, size);
	else
		alat_remove(cpu, tag);
}

void alat_stored(struct cpu *cpu, uint64_t pa, unsigned int size)
{
	uint32_t valid;

	for (valid = cpu->alat_valid; valid; valid &= valid - 1) {
		int i = __builtin_ctz(valid);
		const struct alat *alat = &cpu->alat[i];

		if (pa < alat->pa + alat->size && alat->pa < pa + size)
			cpu->alat_valid &= ~(1u << i);
	}
}
