// SPDX-License-Identifier: GPL-2.0-only
/*
 * Translation of the emulated Itanium: where an access goes, or which fault it has and what that
 * says; which translations it keeps, which encodings are reserved, and when it stops.
 */
#include "ia64-bare.h"

#define PAGE	14		/* of the region, 16 KB */
#define RID	0x1234
#define REGION	(5ULL << 61)
#define VA	(REGION | 0x123450000ULL | 0x18)
#define PA	0x40000

#define PTE(pa, ar, pl)	((pa) | 1 | 1 << 5 | 1 << 6 | (uint64_t)(ar) << 9 | (uint64_t)(pl) << 7)
#define PTE_A	(1ULL << 5)
#define PTE_D	(1ULL << 6)
#define PTE_ED	(1ULL << 52)
#define MA(ma)	((ma) << 2)

/* Instructions of r8, r9, r10 */
#define LD8	0x080c0900200ULL	/* ld8 r8=[r9] */
#define ST8	0x08cc0914000ULL	/* st8 [r9]=r10 */
#define ITC_D	0x02170014000ULL	/* itc.d r10 */
#define EPC	0x00080000000ULL
#define PTC_L	0x02048914000ULL	/* ptc.l r9,r10 */
#define LD8_S	0x081c0900200ULL	/* ld8.s r8=[r9] */
#define MOV_RR	0x02000914000ULL	/* mov rr[r9]=r10 */
#define FLUSHRS	0x00060000000ULL

/* Run one instruction; return the vector of its fault, or NO_FAULT. */
static enum vector try(uint64_t code)
{
	uint64_t slots[3] = { code, NOP, NOP };

	put_handlers();
	put_bundle(CODE, TEMPLATE_MII, slots);
	put_end(CODE + 16);
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

/* Insert a translation with interruption collection off, as the kernel does. */
static void insert(uint64_t va, uint64_t pte, unsigned int ps)
{
	uint64_t psr = cpu->psr;
	uint64_t r10 = gr_get(cpu, 10);

	psr_write(cpu, psr & ~(PSR_IC | PSR_CPL));
	cpu->ifa = va;
	cpu->itir = ps << 2;
	gr_set(cpu, 10, pte);
	if (try(ITC_D) != NO_FAULT)
		tap(0, "a translation is inserted");
	gr_set(cpu, 10, r10);
	psr_write(cpu, psr);
}

/* The processor of start(), with a page at VA */
static void start_with(uint64_t pte)
{
	start(0);
	insert(VA, pte, PAGE);
}

static void test_found(void)
{
	start_with(PTE(PA, 2, 0));
	tap(try(ST8) == NO_FAULT && ram[PA + 0x18] == 0x88, "a store with a translation");
	gr_set(cpu, 9, VA + 0x3fe0);
	tap(try(ST8) == NO_FAULT && ram[PA + 0x3ff8] == 0x88, "another one at the page's end");
	gr_set(cpu, 9, VA + 0x4000);
	tap(try(ST8) == VECTOR_ALT_DTLB, "and the next page has none");
	start_with(PTE(PA, 2, 0));
	try(LD8);
	gr_set(cpu, 10, cpu->rr[5] + (1 << 8));
	try(MOV_RR);
	tap(try(LD8) == VECTOR_ALT_DTLB, "nor has another region");
	start_with(PTE(PA, 2, 0));
	try(LD8);
	gr_set(cpu, 9, VA + 0x1000);
	gr_set(cpu, 10, 12 << 2);
	try(PTC_L);
	gr_set(cpu, 9, VA);
	tap(try(LD8) == VECTOR_ALT_DTLB, "nor has one of which a part was purged");
	/* A larger one takes the place of what it overlaps. */
	start_with(PTE(PA, 2, 0));
	try(ST8);
	insert(VA, PTE(0, 2, 0), 20);
	gr_set(cpu, 10, 0x99);
	tap(try(ST8) == NO_FAULT && ram[0x50018] == 0x99 && ram[PA + 0x18] == 0x88,
	    "a larger page goes to where it says");
}

/* Rows: access rights; strings: the page's privilege level; digits, as of chmod: levels 3 to 0. */
static void test_rights(void)
{
	static const char table[8][4][5] = {
		{ "0004", "0044", "0444", "4444" }, { "0005", "0055", "0555", "5555" },
		{ "0006", "0066", "0666", "6666" }, { "0007", "0077", "0777", "7777" },
		{ "0006", "0046", "0466", "4666" }, { "0007", "0057", "0557", "5557" },
		{ "0006", "0076", "0766", "7666" }, { "1115", "1115", "1115", "1115" },
	};
	static const unsigned int kinds[3] = { ACCESS_EXECUTE, ACCESS_WRITE, ACCESS_READ };
	unsigned int i, right = 0;

	for (i = 0; i < 8 * 4 * 4 * 3; i++) {
		unsigned int ar = i / 48, pl = i / 12 % 4, cpl = i / 3 % 4, kind = i % 3;
		struct found found;

		start_with(PTE(PA, ar, pl));
		cpu->tc[0][0] = cpu->tc[1][0];
		psr_write(cpu, cpu->psr | PSR_IT);
		if ((translate(cpu, VA, kinds[kind], cpl, &found) == NO_FAULT) ==
		    (table[ar][pl][3 - cpl] >> kind & 1))
			right++;
		else
			printf("# ar %u, pl %u, cpl %u: %u\n", ar, pl, cpl, kinds[kind]);
	}
	tap(right == i, "access rights: %u of %u", right, i);
}

static uint64_t device_read(void *opaque, uint64_t offset, unsigned int size)
{
	return offset + size;
}

/* Whether the next access to the page of @va does not look for a translation */
static bool cached(enum fast_kind kind, uint64_t va)
{
	return fast_page(cpu, kind, va)->tag == ((va & ~0xfffULL) | cpu->fast_mode[kind]);
}

static void test_cached(void)
{
	uint64_t at = VA & ~0xfffULL, value;
	bool right;

	start_with(PTE(PA, 2, 0));
	try(LD8);
	right = cached(FAST_READ, VA) && !cached(FAST_WRITE, VA);
	try(ST8);
	tap(right && cached(FAST_WRITE, VA), "a load and a store cache their translations");
	value = rse_read(cpu, VA);
	alat_insert(cpu, 8, PA + 0x18, 8);
	rse_write(cpu, VA, 5);
	right = value == 0x1122334455667788 && ram[PA + 0x18] == 5 && !cpu->alat_valid;
	psr_write(cpu, cpu->psr & ~PSR_RT);
	rse_write(cpu, VA, 6);
	tap(right && ram[PA + 0x18] == 5,
	    "the register stack uses cached translations if psr.rt is 1");
	cpu->rsc = 3 << 2;
	cpu->bspstore = at;
	cpu->dirty = 1;
	psr_write(cpu, cpu->psr | PSR_RT);
	tap(try(FLUSHRS) == VECTOR_DACCESS_RIGHTS,
	    "the register stack has its own privilege level");
	start_with(PTE(PA, 2, 0) & ~PTE_D);
	psr_write(cpu, cpu->psr | PSR_DA);
	tap(try(ST8) == NO_FAULT && try(ST8) == VECTOR_DIRTY, "psr.da lets one store through");
	start_with(PTE(PA, 2, 0) | MA(4));
	try(LD8);
	try(ST8);
	tap(!cached(FAST_READ, VA) && !cached(FAST_WRITE, VA),
	    "uncacheable accesses are not cached");
}

/* The second of three pages is a device's. */
static void test_cached_device(void)
{
	static const uint16_t offset[] = { 0, 0x1000, 0x1ff8, 0x2000 };
	uint64_t at = VA & ~0xfffULL;
	bool right = true;
	unsigned int i;

	start_with(PTE(PA, 2, 0));
	machine->mmio[0] = (struct mmio){ PA + 0x1000, 0x1000, .read = device_read };
	machine->mmio_count = 1;
	for (i = 0; i < ARRAY_SIZE(offset); i++) {
		bool device = i == 1 || i == 2;

		gr_set(cpu, 9, at + offset[i]);
		try(LD8);
		right &= cached(FAST_READ, at + offset[i]) != device &&
			 gr_get(cpu, 8) == (device ? offset[i] - 0xff8u : 0);
	}
	tap(right, "a device is read, and not cached");
	for (i = 0; i < 256; i++)
		fast_flush(cpu);
	tap(!cached(FAST_READ, at), "256 flushes leave no cached translation");
}

/* Physical addresses: where code is, and where memory ends */
static void test_cached_physical(void)
{
	struct bundle *code;
	unsigned int i;
	uint64_t value;
	bool right;

	reset();
	gr_set(cpu, 9, DATA);
	try(ST8);
	right = cached(FAST_WRITE, DATA);
	for (i = 0; i < 2; i++) {
		put_end(DATA);
		cpu->ip = DATA;
		run();
		code = machine->code[DATA >> 12]->bundle;
		right &= !cached(FAST_WRITE, DATA) && code->decoded;
		if (i)
			phys_write(machine, DATA - 4, 8, 0);
		else
			try(ST8);
		right &= !cached(FAST_WRITE, DATA) && !code->decoded;
	}
	tap(right, "code that is stored to is decoded again");
	gr_set(cpu, 9, RAM_SIZE);
	try(LD8);
	tap(gr_get(cpu, 8) == ~0ULL && !cached(FAST_READ, RAM_SIZE) &&
	    phys_write(machine, 1ULL << 63 | (RAM_SIZE - 8), 8, 5) &&
	    phys_read(machine, 1ULL << 63 | (RAM_SIZE - 8), 8, &value) && value == 5 &&
	    !phys_write(machine, RAM_SIZE - 4, 8, 5) &&
	    !phys_read(machine, RAM_SIZE - 4, 8, &value) &&
	    phys_memory(machine, 1ULL << 63 | (RAM_SIZE - 16), 16) == ram + RAM_SIZE - 16 &&
	    !phys_memory(machine, RAM_SIZE, 0) && !phys_memory(machine, RAM_SIZE - 8, 16),
	    "accesses beyond the end of memory fail");
}

/* Where a program comes to its end that goes on at @ip; firmware's break is for the kernel. */
static uint64_t end_from(uint64_t ip, unsigned int slot)
{
	psr_write(cpu, cpu->psr | PSR_IC | PSR_IT | PSR_CPL);
	cpu->ip = ip;
	cpu->slot = slot;
	return run() ? cpu->ip : 0;
}

/* Handlers are where they are. */
static void map_handlers(void)
{
	cpu->tr[0][0] = (struct translation){ true, .ps = 20, .ar = 1, .p = true, .a = true };
}

/* A page that is executed may have left the translation cache. */
static void test_code(void)
{
	static const uint64_t enter[3] = { NOP, NOP, EPC };
	uint64_t page = VA & ~0xffULL, ip[3];
	unsigned int i;

	start(3);
	insert(VA, PTE(CODE, 7, 0), PAGE);
	cpu->tc[0][0] = cpu->tc[1][0];
	map_handlers();
	put_bundle(CODE, TEMPLATE_MIB, enter);
	put_end(CODE + 16);
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
	psr_write(cpu, PSR_BN);
	put_bundle(RAM_SIZE - 16, TEMPLATE_MIB, enter);
	cpu->ip = RAM_SIZE - 16;
	tap(cpu_run(machine, LIMIT) == STOP_FAILURE && cpu->ip == RAM_SIZE,
	    "code beyond the end of memory ends the machine");
}

/* An instruction on a page, or on none but that of the data TLB, and the fault that it has */
static const struct {
	uint64_t code, pte, psr, vector, isr;
} faults[] = {
	{ LD8_S, PTE(CODE, 1, 0), 0, VECTOR_ALT_DTLB, ISR_R | ISR_SP },
	{ LD8_S, PTE(CODE, 1, 0) | PTE_ED, 0, NO_FAULT, 0 },
	{ LD8_S, PTE(CODE, 1, 0) | PTE_ED, PSR_AC, VECTOR_ALT_DTLB, ISR_R | ISR_SP | ISR_ED },
	{ LD8, PTE(CODE, 1, 0) | PTE_ED, 0, VECTOR_ALT_DTLB, ISR_R },
	{ NOP, PTE(CODE, 1, 0) | MA(7), 0, VECTOR_NAT, ISR_X | 0x20 },
	{ NOP, PTE(CODE, 1, 0) - PTE_A, 0, VECTOR_IACCESS_BIT, ISR_X },
	{ NOP, PTE(CODE, 1, 0) - PTE_A, PSR_IA, VECTOR_IACCESS_BIT, ISR_X },
	{ PTC_L, PTE(CODE, 1, 0), 0, VECTOR_ALT_ITLB, ISR_X },
	{ NOP, 0, 0, VECTOR_VHPT, ISR_X },
	{ NOP, 0, PSR_DT, VECTOR_ALT_ITLB, ISR_X },
	{ NOP, 0, PSR_IC, VECTOR_ALT_ITLB, ISR_X | ISR_NI },
};

static void test_code_faults(void)
{
	uint64_t page = VA & ~0xffULL;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(faults); i++) {
		uint64_t code[3] = { faults[i].code, NOP, NOP };
		enum vector vector;

		start_with(faults[i].pte);
		/* Data TR 0 is right behind the instruction TRs. */
		*(faults[i].pte ? cpu->tc[0] : cpu->tr[1]) = cpu->tc[1][0];
		cpu->tc[1][0].valid = false;
		map_handlers();
		cpu->rr[5] |= 1;
		cpu->pta = 15 << 2 | !faults[i].pte;
		cpu->dcr = faults[i].psr ? 0 : DCR_DM;
		gr_set(cpu, 9, page);
		gr_set(cpu, 10, PAGE << 2);
		put_bundle(CODE, TEMPLATE_MII, code);
		phys_memory(machine, CODE, 16);
		psr_write(cpu, (cpu->psr | PSR_IT) ^ faults[i].psr);
		cpu->ip = page;
		run();
		vector = cpu->ip == page + 32 ? NO_FAULT : (int)(cpu->ip - 16 - IVA);
		tap(vector == (enum vector)faults[i].vector && cpu->isr == faults[i].isr,
		    "%011" PRIx64 " as code: %x (isr %" PRIx64 ")", code[0], vector, cpu->isr);
	}
}

/* Bit N of @defined: with N from bit @at of an encoding on, there is an instruction. */
static const struct {
	char unit;
	uint64_t at, code, defined;
} encodings[] = {
	/* Multimedia by za and x2a (zb, ve, x2c, x2b); A1 to A4 and A9 (x4, x2b) */
	{ 'I', 28, 0xe000000000, 0xaabf00000000 }, { 'I', 28, 0xe400000000, 0x020a00000000 },
	{ 'I', 28, 0xe800000000, 0xa5dd00000d72 }, { 'I', 28, 0xec00000000, 0x042000000400 },
	{ 'I', 28, 0xf000000000, 0x001500000015 }, { 'I', 28, 0xf400000000, 0xa },
	{ 'I', 28, 0xf800000000, 0x554 }, { 'I', 28, 0xfc00000000, 0x20 },
	{ 'A', 27, 0x10000000000, 0xf0200f0ff133 }, { 'A', 27, 0x10400000000, 0x3000004cff },
	{ 'A', 27, 0x10600000000, 0x300f0f4cff }, { 'A', 27, 0x11400000000, 0x3000000011 },
	{ 'A', 27, 0x11600000000, 0 },
	/* M20 to M47 and I18 to I29 (x6) */
	{ 'M', 27, 0, 0x00fb01fd00fd14f3 }, { 'M', 27, 0x2000000000, 0x031ff636cfbffe3f },
	{ 'I', 27, 0, 0x000f040033770403 },
	/* B (x6, btype, or the predicate of a counted loop) */
	{ 'B', 27, 0x100, 0x203013135 }, { 'B', 27, 0x4000000000, 0x30003 },
	{ 'B', 6, 0x100000000, 0x0303030303030303 }, { 'B', 0, 0x8000000140, 1 },
	{ 'B', 6, 0x108000000, 0x1010101010101010 },
	{ 'B', 6, 0x8000000000, 0xedededededededed },
};

static void test_encodings(void)
{
	unsigned int i, n;

	for (i = 0; i < ARRAY_SIZE(encodings); i++) {
		char unit = encodings[i].unit;
		uint64_t defined = 0;

		for (n = 0; n < 64; n++) {
			uint64_t code = encodings[i].code | (uint64_t)n << encodings[i].at;
			struct insn insn = { .code = code, .qp = BITS(code, 5, 0) };

			(unit == 'I' ? decode_i : unit == 'M' ? decode_m :
			 unit == 'B' ? decode_b : decode_a)(&insn);
			defined |= (uint64_t)(insn.op != OP_ILLEGAL) << n;
		}
		tap(defined == encodings[i].defined,
		    "encodings from %c %011" PRIx64 " on: %" PRIx64,
		    unit, encodings[i].code, defined);
	}
}

/* Limits, events and the timer come at their time. */
static void test_time(void)
{
	static const uint64_t loop[3] = { NOP, NOP, 4ULL << 37 };
	unsigned int i;
	bool right;

	reset();
	put_bundle(CODE, TEMPLATE_MIB, loop);
	put_end(IVA + VECTOR_EXTERNAL);
	cpu->iva = IVA;
	machine->next_event = 500;
	right = cpu_run(machine, 499) == STOP_LIMIT && machine->next_event == 500;
	right &= cpu_run(machine, 500) == STOP_LIMIT && cpu->cycles == 500;
	tap(right && machine->next_event == ~0ULL, "a limit and an event: %" PRIu64, cpu->cycles);
	for (i = 1; i < 4; i++) {
		/* It runs, with breakpoints or without, or is halted. */
		psr_write(cpu, PSR_BN | PSR_I | PSR_IC | (i == 2 ? PSR_DB : 0));
		cpu->halted = i == 3;
		cpu->ip = CODE;
		cpu->irr[1] = 0;
		cpu->itv = 0x41;
		cpu->itm = 3000 * i;
		cpu->itm_pending = true;
		tap(run() && cpu->cycles == 3000 * i + 1 && !cpu->itm_pending && !cpu->halted,
		    "the timer is on time: %" PRIu64, cpu->cycles);
	}
}

int main(void)
{
	test_found();
	test_rights();
	test_cached();
	test_cached_device();
	test_cached_physical();
	test_code();
	test_code_faults();
	test_encodings();
	test_time();
	return tap_done();
}
