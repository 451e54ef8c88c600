// SPDX-License-Identifier: GPL-2.0-or-later
/* Units of the table of test_discovery.py: the table, registers, counting, the checker */

#include "boxes.h"

#define RW(bar, off)	(*(volatile uint32_t *)((bar) + (off)))

/* The table of a die */
static uint32_t bar(unsigned int bus, unsigned int n)
{
	return pci_read(bus, 0x1e, 0, 0x10 + 4 * n) & ~0xfu;
}

static void is(uint32_t table, unsigned int quadword, uint64_t value, const char *name)
{
	uint64_t got = RW(table, 8 * quadword) | (uint64_t)RW(table, 8 * quadword + 4) << 32;

	ok(got == value, "%s", name);
	if (got != value)
		note("got 0x%llx", got);
}

/* The table's type, stride and number of units; of each unit registers, address, type and id */
static void check_table(uint32_t table, unsigned int bus)
{
	is(table, 0, 0x23 | 3 << 8 | 4 << 16, "a table of four units");
	is(table, 3, 2 | 2 << 8 | 48 << 16 | 0x8ull << 24, "an MSR unit");
	is(table, 4, 0x2000, "its MSR");
	is(table, 7, 0x2010, "the next one's");
	is(table, 8, 7 | 1 << 16, "its type and id");
	is(table, 9, 4 | 0x40 << 8 | 32 << 16 | 0x8ull << 24 | 1ull << 62, "a memory-mapped unit");
	is(table, 10, bar(bus, 1) + 0x1000, "its address");
	is(table, 12, 2 | 0x30 << 8 | 40 << 16 | 0x8ull << 24 | 2ull << 62, "a PCI unit");
	is(table, 13, bus << 20 | 12 << 15 | 1 << 12 | 0x438, "its bus, function and offset");
}

SET("discovery-msr", test_by_msr)
{
	bool fault;

	ok(pci_read(BUS(0), 0x1e, 0, 0x100) == 0, "no capability");
	ok(ap_start(), "the second processor");
	check_table(msr_read(0x201e, &fault), BUS(0));
	ok(!fault && ap_msr_read(0x201e, NULL) == bar(BUS(1), 0), "each package has its own MSR");
}

/* What QEMU adds: accesses by MSR, configuration space and a BAR reach the units of their die. */
static void units(void)
{
	uint32_t mmio = bar(BUS(0), 1) + 0x1000;

	msr_write(0x2002, 0x0135, NULL);
	cmd("stim 0 type_7_0 event=0x35,umask=1,count=5,inc=3");
	ok(msr_read(0x2008, NULL) == 15, "an MSR unit counts");
	msr_write(0x2000, 0x300, NULL);
	ok(!msr_read(0x2002, NULL) && !msr_read(0x2008, NULL), "and is reset");
	RW(mmio, 0x4c) = 7;
	cmd("stim 0 type_9_0 event=7,count=3");
	ok(RW(mmio, 0x20) == 3, "a memory-mapped unit counts");
	RW(mmio, 0x4c) = 0;
	pci_write(BUS(1), 12, 1, 0x468, 9);
	cmd("stim 1 type_10_0 event=9,count=6");
	ok(pci_read(BUS(1), 12, 1, 0x440) == 6 && !pci_read(BUS(0), 12, 1, 0x440),
	   "a PCI unit of the other die counts");
}

SET("discovery", test_discovery)
{
	bool fault;

	ok((pci_read(BUS(0), 0x1e, 0, 0x100) & 0xfffff) == 0x10023 &&
	   pci_read(BUS(0), 0x1e, 0, 0x108) == 1, "the capability");
	check_table(bar(BUS(0), 0), BUS(0));
	is(bar(BUS(1), 0), 0, 0x23 | 3 << 8 | 5 << 16, "the other die has one unit more");
	ok(ap_start(), "the second processor");
	cmd("checker reset");

	units();
	cmd("stim 0 free_0 ctr=1,count=8");
	ok(msr_read(0x3801, NULL) == 8 && !msr_read(0x3800, NULL), "a counter that always runs");
	msr_write(0x3000, 0, &fault);
	ok(fault, "a unit of the other die faults");
	ap_msr_write(0x3000, 0, &fault);
	ok(!fault, "and is there");
	msr_read(0x2006, &fault);
	ok(fault, "and so does an MSR between registers");
	breaks("no register at this address", "the checker reports that");

	FINDS(RW(bar(BUS(0), 0), 8) = 1, "the table is read-only", "the table");
	cmd("accesses reset");
	msr_write(0x2012, 0, NULL);
	(void)RW(bar(BUS(0), 1) + 0x1000, 8);
	cmd("accesses");
	ok(answered("socket=0 box=type_7_1 kind=msr reads=0 writes=1\n") &&
	   answered("socket=0 box=type_9_0 kind=mmio reads=1 writes=0\n"), "accesses");
	ok(cmd("stim 0 type_7_9 event=1") == MODEL_STATUS_ERROR &&
	   answered("has no unit 'type_7_9', but type_7_0 type_7_1"), "a wrong name lists them");
	ok(cmd("stim 0 type_7_0 event=1") == MODEL_STATUS_ERROR && answered("is a clock"),
	   "the clock cannot be injected");
	ok(cmd("stim 2 type_7_0 event=2") == MODEL_STATUS_ERROR, "no third die");
	keeps("nothing else");
}
