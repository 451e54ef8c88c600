/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * ia64-bare.h: the processor of the emulated Itanium and its monitors, with a megabyte of memory
 * and nothing else, for tests of what it does. A program is at CODE, and ends with the only call
 * of firmware there is.
 */
#ifndef IA64_BARE_H
#define IA64_BARE_H

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "scripts/tap.h"
#include "ia64/emulator/exec.h"
#include "ia64/emulator/platform.h"

#define RAM_SIZE	(1 << 20)
#define CODE		0x10000
#define IVA		0x8000
#define STACK		0x80000
#define DATA		0x40000
#define LIMIT		100000

#define NOP		(1ULL << 27)	/* of M, I and F */
#define TEMPLATE_MII	0x01
#define TEMPLATE_MLX	0x05
#define TEMPLATE_MFI	0x0d
#define TEMPLATE_MIB	0x10
#define BREAK		(1ULL << 36 | (FIRMWARE_BREAK & 0xfffff) << 6)

static uint8_t ram[RAM_SIZE];
static struct platform platform;
static struct machine *const machine = &platform.machine;
static struct cpu *const cpu = platform.machine.cpu;

/* The platform's callbacks. The only firmware call ends a program. */
void firmware_call(struct cpu *of, unsigned int nr)
{
	of->machine->stop = STOP_POWER_OFF;
	of->next_check = 0;
}

void platform_event(struct machine *of)
{
	of->next_event = ~0ULL;
}

void die(const char *format, ...)
{
	abort();
}

static void put_bundle(uint64_t at, unsigned int template, const uint64_t code[3])
{
	uint64_t words[2] = {
		template | code[0] << 5 | code[1] << 46, code[1] >> 18 | code[2] << 23
	};

	memcpy(ram + at, words, sizeof(words));
}

/* The end of a program */
static void put_end(uint64_t at)
{
	put_bundle(at, TEMPLATE_MII, (const uint64_t[]){ BREAK, NOP, NOP });
}

/* Handlers of all faults, where the program ends */
static void put_handlers(void)
{
	unsigned int at;

	for (at = 0; at < 0x6100; at += 0x100)
		put_end(IVA + at);
}

static void reset(void)
{
	unsigned int i;

	if (machine->code)
		for (i = 0; i < RAM_SIZE >> 12; i++)
			free(machine->code[i]);
	free(machine->code);
	memset(ram, 0, sizeof(ram));
	*machine = (struct machine){
		.ram = ram, .ram_size = RAM_SIZE, .firmware_size = RAM_SIZE, .next_event = ~0ULL,
		.cpus = 1, .threads = 1,
	};
	cpu_init(machine);
	pmu_init(cpu, 0);
	cpu->bspstore = STACK;
	cpu->bsp = STACK;
	cpu->ip = CODE;
}

/* Whether the program at CODE came to its end. */
static bool run(void)
{
	return cpu_run(machine, LIMIT) == STOP_POWER_OFF;
}

#endif
