// SPDX-License-Identifier: GPL-2.0-only
/*
 * firmware.c: calls of the firmware. An entry is a bundle or two of code in the range that EFI's
 * memory map has for it: a break, for which the processor calls firmware_call(), and a return. So
 * firmware may be called with translation on or off, and needs neither stack nor registers.
 */
#include <string.h>

#include "platform.h"

/* Instructions, and templates with a stop at the end */
#define NOP_M		(1ULL << 27)
#define NOP_I		(1ULL << 27)
#define BR_COND(b)	(0x20ULL << 27 | 1 << 12 | (b) << 13)	/* br.cond.sptk.many */
#define BR_RET_B0	(0x21ULL << 27 | 1 << 12 | 4 << 6)	/* br.ret.sptk.many b0 */
#define MII_STOP	0x01
#define MIB_STOP	0x11
#define MBB_STOP	0x13

/* PAL's code has two ways to return: this predicate chooses one. */
#define PAL_STACKED	6

static uint64_t break_m(uint64_t immediate)
{
	return (immediate >> 20) << 36 | (immediate & 0xfffff) << 6;
}

static void bundle(uint8_t *at, unsigned int template, uint64_t slot0, uint64_t slot1,
		   uint64_t slot2)
{
	uint64_t words[2] = {
		template | slot0 << 5 | slot1 << 46,
		slot1 >> 18 | slot2 << 23,
	};

	memcpy(at, words, sizeof(words));
}

uint64_t firmware_entry(struct platform *platform, unsigned int nr, bool pal)
{
	uint64_t at = pal ? PAL_BASE : CODE_BASE + platform->code_next;
	uint8_t *code = platform->machine.ram + at;

	if (pal) {
		bundle(code, MII_STOP, break_m(FIRMWARE_BREAK + nr), NOP_I, NOP_I);
		bundle(code + 16, MBB_STOP, NOP_M, BR_RET_B0 | PAL_STACKED, BR_COND(0));
	} else {
		bundle(code, MIB_STOP, break_m(FIRMWARE_BREAK + nr), NOP_I,
		       nr == CALL_RENDEZVOUS ? BR_COND(6) : BR_RET_B0);
		platform->code_next += 16;
	}
	return at;
}

void *firmware_table(struct platform *platform, size_t size, size_t align)
{
	uint64_t at = (platform->tables_next + align - 1) & ~(uint64_t)(align - 1);

	if (at + size > TABLES_BASE + TABLES_SIZE)
		die("firmware's tables are too large");
	platform->tables_next = at + size;
	return memset(platform->machine.ram + at, 0, size);
}

uint8_t firmware_sum(const void *data, size_t n)
{
	const uint8_t *p = data;
	uint8_t sum = 0;

	while (n--)
		sum += *p++;
	return -sum;
}

/*
 * Linux maps memory one to one in regions 6 and 7 on first access, so an address there is known
 * even if the processor has no translation for it.
 */
void *firmware_pointer(struct cpu *cpu, uint64_t address, size_t size)
{
	uint64_t physical;

	if (!cpu_data_address(cpu, address, &physical)) {
		if (address >> 61 < 6)
			return NULL;
		physical = address & PHYS_MASK;
	}
	return phys_memory(cpu->machine, physical, size);
}

void firmware_return(struct cpu *cpu, int64_t status, uint64_t v0, uint64_t v1, uint64_t v2)
{
	gr_set(cpu, 8, status);
	gr_set(cpu, 9, v0);
	gr_set(cpu, 10, v1);
	gr_set(cpu, 11, v2);
}

void firmware_build(struct platform *platform)
{
	uint64_t rendezvous;
	unsigned int nr;

	platform->tables_next = TABLES_BASE;
	platform->machine.firmware_base = CODE_BASE;
	platform->machine.firmware_size = PAL_BASE + PAL_SIZE - CODE_BASE;
	efi_build(platform, sal_build(platform), acpi_build(platform));
	rendezvous = firmware_entry(platform, CALL_RENDEZVOUS, false);
	for (nr = 1; nr < platform->machine.cpus; nr++)
		platform->machine.cpu[nr].ip = rendezvous;
}

void firmware_call(struct cpu *cpu, unsigned int nr)
{
	if (nr == CALL_PAL) {
		/*
		 * Procedures 256 to 511 use the calling convention of functions, all others static
		 * registers.
		 */
		if (gr_get(cpu, 28) >> 8 == 1)
			cpu->pr |= 1ULL << PAL_STACKED;
		else
			cpu->pr &= ~(1ULL << PAL_STACKED);
		pal_call(cpu);
	} else if (nr == CALL_SAL) {
		sal_call(cpu);
	} else if (nr == CALL_RENDEZVOUS) {
		sal_rendezvous(cpu);
	} else if (nr >= CALL_EFI) {
		efi_call(cpu, nr - CALL_EFI);
	} else {
		/* CALL_RETURN: the program that the boot loader started has returned. */
		machine_stop(cpu->machine, STOP_RESET);
	}
}
