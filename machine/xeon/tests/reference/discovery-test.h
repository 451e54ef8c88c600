/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Dies with units of discovery tables, and QEMU around them, for discovery-test.c */
#ifndef REFERENCE_DISCOVERY_TEST_H
#define REFERENCE_DISCOVERY_TEST_H

#include "bench.h"
#include "discovery.h"
#include "x86-msr-hook.h"

#define DIES	3
#define UNITS	40
#define REGS	60
#define FIXED	16

/* The reference: a unit, and what a row of the table says of it */
enum { BOX, CONTROL, COUNTER, FILTER };

struct reg {
	unsigned int kind, index, start, size;
};

struct unit {
	unsigned int access, listed, type, id, counters, width, ctl, ctr, step, fixed_ctl,
		fixed_ctr;
	unsigned int mhz, device, first, last;
	/* e5: control bits as before discovery tables; unboxed: without a control of its own */
	unsigned int e5, unboxed, frozen, box_at, filter_at, filters;
	bool second;			/* in the second table */
	uint64_t addr, bits, value;
	char name[40];

	struct reg reg[REGS];
	unsigned int regs, extent;

	uint32_t box;
	uint64_t control[FIXED + 1], counter[FIXED + 1], filter[4], tear, reads, writes;
	int64_t synced;
	int torn;			/* a counter, or -1 */
};

struct die {
	Discovery *disc;
	PCIBus bus;
	uint64_t bar[3];
	unsigned int package;
	struct unit unit[UNITS];
	unsigned int units;
};

extern struct die die[DIES];
extern bool by_msr;

/* The model's devices, MSRs, and regions of each die's BARs: table, units, second table */
extern unsigned int nr_hooks;
#define of_die	bench_class[0]
#define of_fn	bench_class[1]
extern struct region {
	const MemoryRegionOps *ops;
	void *opaque;
	uint64_t size;
} region[DIES][3];

/* The file of units */
extern char table[20000];
void write_table(void);

void clear_machine(void);
/* The device of a die, from the file; whether it is taken */
bool make_die(unsigned int n);
X86MSRResult msr(X86CPU *cpu, uint32_t at, bool write, uint64_t *v);

#endif
