// SPDX-License-Identifier: GPL-2.0-only
/*
 * Translation of the emulated Itanium: where an access goes, or which fault it has and what that
 * says. Instructions are at physical addresses, data at virtual ones.
 */
#include "ia64-bare.h"

#define PAGE	14		/* of the region, 16 KB */
#define RID	0x1234
#define KEY	0x77
#define REGION	(5ULL << 61)
#define VA	(REGION | 0x123450000ULL | 0x18)
#define PA	0x40000
#define VHPT	(REGION | 0x1ffffff0000000ULL)
#define TABLE	0x60000		/* where the page of the VHPT for VA is */

#define PTE(pa, ar, pl)	((pa) | 1 | 1 << 5 | 1 << 6 | (uint64_t)(ar) << 9 | (uint64_t)(pl) << 7)
#define PTE_P	1ULL
#define PTE_A	(1ULL << 5)
#define PTE_D	(1ULL << 6)

/* Instructions of r8, r9, r10 */
#define LD8	0x080c0900200ULL	/* ld8 r8=[r9] */
#define ST8	0x08cc0914000ULL	/* st8 [r9]=r10 */
#define ITC_D	0x02170014000ULL	/* itc.d r10 */
#define EPC	0x00080000000ULL
#define PTC_L	0x02048914000ULL	/* ptc.l r9,r10 */

/* What came of one instruction: its vector, or NO_FAULT. */
static enum vector try(uint64_t code)
{
	static const uint64_t end[3] = { BREAK, NOP, NOP };
	uint64_t slots[3] = { code, NOP, NOP };
	unsigned int at;

	for (at = 0; at < 0x6100; at += 0x100)
		put_bundle(IVA + at, TEMPLATE_MII, end);
	put_bundle(CODE, TEMPLATE_MII, slots);
	put_bundle(CODE + 16, TEMPLATE_MII, end);
	/* phys_write() would have told of it. */
	phys_memory(machine, CODE, 32);
	cpu->ip = CODE;
	cpu->slot = 0;
	if (!run())
		return 0x7fff;
	return cpu->ip == CODE + 32 ? NO_FAULT : (int)(cpu->ip - 16 - IVA);
}

/* A processor whose data is at virtual addresses, at privilege level @cpl */
static void start(unsigned int cpl)
{
	reset();
	cpu->iva = IVA;
	cpu->rr[5] = RID << 8 | PAGE << 2;
	psr_write(cpu, cpu->psr | PSR_IC | PSR_DT | PSR_RT | (uint64_t)cpl << PSR_CPL_SHIFT);
	gr_set(cpu, 9, VA);
	gr_set(cpu, 10, 0x1122334455667788);
}

/* As the kernel inserts a translation: with interruption collection off */
static void insert(uint64_t va, uint64_t pte, unsigned int ps)
{
	uint64_t psr = cpu->psr;
	uint64_t r10 = gr_get(cpu, 10);

	psr_write(cpu, psr & ~(PSR_IC | PSR_CPL));
	cpu->ifa = va;
	cpu->itir = ps << 2 | KEY << 8;
	gr_set(cpu, 10, pte);
	if (try(ITC_D) != NO_FAULT)
		tap(0, "a translation is inserted");
	gr_set(cpu, 10, r10);
	psr_write(cpu, psr);
}

static void say(enum vector vector, enum vector wanted, uint64_t isr, const char *what)
{
	bool right = vector == wanted;

	if (right && wanted != NO_FAULT && wanted != VECTOR_NESTED_TLB)
		right = cpu->isr == isr && cpu->ifa == VA && cpu->itir == (RID << 8 | PAGE << 2) &&
			cpu->iip == CODE;
	tap(right, "%s: %x (isr %" PRIx64 ", ifa %" PRIx64 ")", what, vector, cpu->isr, cpu->ifa);
}

static void test_found(void)
{
	start(0);
	insert(VA, PTE(PA, 2, 0), PAGE);
	tap(try(ST8) == NO_FAULT && ram[PA + 0x18] == 0x88, "a store with a translation");
	gr_set(cpu, 9, VA + 0x3fe0);
	tap(try(ST8) == NO_FAULT && ram[PA + 0x3ff8] == 0x88, "another one at the page's end");
	gr_set(cpu, 9, VA + 0x4000);
	tap(try(ST8) == VECTOR_ALT_DTLB, "and the next page has none");
	start(0);
	insert(VA, PTE(PA, 2, 0), PAGE);
	try(LD8);
	cpu->rr[5] += 1 << 8;
	fast_flush(cpu);
	tap(try(LD8) == VECTOR_ALT_DTLB, "nor has another region");
	start(0);
	insert(VA, PTE(PA, 2, 0), PAGE);
	try(LD8);
	gr_set(cpu, 9, VA + 0x1000);
	gr_set(cpu, 10, 12 << 2);
	try(PTC_L);
	gr_set(cpu, 9, VA);
	tap(try(LD8) == VECTOR_ALT_DTLB, "nor has one of which a part was purged");
	/* A larger one takes the place of what it overlaps. */
	start(0);
	insert(VA, PTE(PA, 2, 0), PAGE);
	try(ST8);
	insert(VA, PTE(0, 2, 0), 20);
	gr_set(cpu, 10, 0x99);
	tap(try(ST8) == NO_FAULT && ram[0x50018] == 0x99 && ram[PA + 0x18] == 0x88,
	    "a larger page goes to where it says");
}

/* Whether the word for @cpl in @row, of which the first is for level 3, has @letter */
static bool may(const char *row, unsigned int cpl, char letter)
{
	for (; cpl < 3; cpl++)
		row = strchr(row, ',') + 1;
	return memchr(row, letter, strcspn(row, ","));
}

/* Rows: access rights and the page's privilege level; words: what the levels 3 to 0 may. */
static void test_rights(void)
{
	static const char *const table[8][4] = {
		{ "-,-,-,r", "-,-,r,r", "-,r,r,r", "r,r,r,r" },
		{ "-,-,-,rx", "-,-,rx,rx", "-,rx,rx,rx", "rx,rx,rx,rx" },
		{ "-,-,-,rw", "-,-,rw,rw", "-,rw,rw,rw", "rw,rw,rw,rw" },
		{ "-,-,-,rwx", "-,-,rwx,rwx", "-,rwx,rwx,rwx", "rwx,rwx,rwx,rwx" },
		{ "-,-,-,rw", "-,-,r,rw", "-,r,rw,rw", "r,rw,rw,rw" },
		{ "-,-,-,rwx", "-,-,rx,rwx", "-,rx,rx,rwx", "rx,rx,rx,rwx" },
		{ "-,-,-,rw", "-,-,rwx,rw", "-,rwx,rw,rw", "rwx,rw,rw,rw" },
		{ "x,x,x,rx", "x,x,x,rx", "x,x,x,rx", "x,x,x,rx" },
	};
	unsigned int ar, pl, cpl, right = 0, all = 0;

	for (ar = 0; ar < 8; ar++)
		for (pl = 0; pl < 4; pl++) {
			const char *row = table[ar][pl];

			for (cpl = 0; cpl < 4; cpl++) {
				struct found found;
				bool read, write, execute;

				start(cpl);
				insert(VA, PTE(PA, ar, pl), PAGE);
				cpu->tc[0][0] = cpu->tc[1][0];
				psr_write(cpu, cpu->psr | PSR_IT);
				read = translate(cpu, VA, ACCESS_READ, cpl, &found) == NO_FAULT;
				write = translate(cpu, VA, ACCESS_WRITE, cpl, &found) == NO_FAULT;
				execute = translate(cpu, VA, ACCESS_EXECUTE, cpl, &found) ==
					  NO_FAULT;
				all++;
				if (read == may(row, cpl, 'r') &&
				    write == may(row, cpl, 'w') &&
				    execute == may(row, cpl, 'x'))
					right++;
				else
					printf("# ar %u, pl %u, cpl %u: %d %d %d\n", ar, pl, cpl,
					       read, write, execute);
			}
		}
	tap(right == all, "access rights: %u of %u", right, all);
	start(3);
	insert(VA, PTE(PA, 2, 0), PAGE);
	/* The handler's break is one of firmware at privilege level 0 again. */
	say(try(LD8), VECTOR_DACCESS_RIGHTS, ISR_R, "a load of the kernel's page");
	start(0);
	insert(VA, PTE(PA, 0, 0), PAGE);
	say(try(ST8), VECTOR_DACCESS_RIGHTS, ISR_W, "a store to one that is for reading");
}

static void walker(bool long_form)
{
	uint64_t iha;

	start(0);
	cpu->rr[5] |= 1;
	cpu->pta = VHPT | (long_form ? 1 << 8 : 0) | 28 << 2 | 1;
	iha = hash_address(cpu, VA);
	insert(iha, PTE(TABLE & ~0x3fffULL, 2, 0), PAGE);
	memset(ram + TABLE, 0, 0x4000);
}

static void set_entry(unsigned int offset, uint64_t value)
{
	memcpy(ram + TABLE + (hash_address(cpu, VA) & 0x3fff) + offset, &value, sizeof(value));
}

static void test_walker(void)
{
	start(0);
	cpu->rr[5] |= 1;
	cpu->pta = VHPT | 28 << 2 | 1;
	say(try(LD8), VECTOR_VHPT, ISR_R, "a walker whose table is not mapped");
	tap(cpu->iha == (VHPT | (VA & ~REGION) >> PAGE << 3),
	    "and where it would have looked: %" PRIx64,
	    cpu->iha);
	walker(false);
	set_entry(0, PTE(PA, 2, 0));
	ram[PA + 0x18] = 0x42;
	tap(try(LD8) == NO_FAULT && gr_get(cpu, 8) == 0x42, "a walker that finds a page");
	set_entry(0, 0);
	tap(try(LD8) == NO_FAULT, "which is not looked for again");
	walker(false);
	say(try(LD8), VECTOR_NOT_PRESENT, ISR_R, "one that finds a page that is not present");
	walker(true);
	set_entry(0, PTE(PA, 2, 0));
	set_entry(8, PAGE << 2 | KEY << 8);
	set_entry(16, hash_tag(cpu, VA + (1ULL << 40)));
	say(try(LD8), VECTOR_DTLB, ISR_R, "one that finds another address's, in the long form");
	walker(true);
	set_entry(0, PTE(PA, 2, 0));
	set_entry(8, PAGE << 2 | KEY << 8);
	set_entry(16, hash_tag(cpu, VA));
	tap(try(LD8) == NO_FAULT, "and its own");
}

/* Where a program comes to its end that goes on at @ip; firmware's break is for the kernel. */
static uint64_t end_from(uint64_t ip, unsigned int slot)
{
	psr_write(cpu, cpu->psr | PSR_IC | PSR_IT | PSR_CPL);
	cpu->ip = ip;
	cpu->slot = slot;
	return run() ? cpu->ip : 0;
}

/* A page that is executed may have left the translation cache. */
static void test_code(void)
{
	static const uint64_t enter[3] = { NOP, NOP, EPC }, end[3] = { BREAK, NOP, NOP };
	uint64_t page = VA & ~0xffULL, ip[3];
	unsigned int i;

	start(3);
	insert(VA, PTE(CODE, 7, 0), PAGE);
	cpu->tc[0][0] = cpu->tc[1][0];
	/* Handlers are where they are. */
	cpu->tr[0][0] = (struct translation){
		.valid = true, .ps = 20, .ar = 1, .p = true, .a = true
	};
	put_bundle(CODE, TEMPLATE_MIB, enter);
	put_bundle(CODE + 16, TEMPLATE_MII, end);
	phys_memory(machine, CODE, 32);
	cpu->pfs = 3ULL << 62;
	/* The first time, pages of code are found, and others forgotten. */
	for (i = 0; i < 2; i++) {
		ip[0] = end_from(page, 0);
		ip[1] = end_from(page + 16, 0);
	}
	tap(ip[0] == page + 32 && ip[1] == IVA + VECTOR_BREAK + 16,
	    "epc enters the kernel: %" PRIx64 ", %" PRIx64, ip[0], ip[1]);
	cpu->tc[0][0].valid = false;
	ip[2] = end_from(page, 0);
	tap(ip[2] == IVA + VECTOR_ALT_ITLB + 16 && cpu->iip == page + 16 &&
	    !(cpu->ipsr & PSR_CPL), "and so where the translation is lost: %" PRIx64, ip[2]);
	ip[2] = end_from(page + 0x1000, 1);
	tap(ip[2] == IVA + VECTOR_ALT_ITLB + 16 && (cpu->ipsr >> PSR_RI_SHIFT & 3) == 1,
	    "code that is not there continues where it was: %" PRIx64, cpu->ipsr);
}

int main(void)
{
	test_found();
	test_rights();
	test_walker();
	test_code();
	return tap_done();
}
