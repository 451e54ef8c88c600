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

static void msr_unit(void)
{
	msr_write(0x2002, 0x0135, NULL);
	msr_write(0x2003, 0x02000135 | EDGE, NULL);
	cmd("stim 0 type_7_0 event=0x35,umask=1,count=5,inc=3");
	cmd("stim 0 type_7_0 event=0x35,umask=2,count=100");
	cmd("stim 0 type_7_1 event=0x35,umask=1,count=100");
	cmd("stim 1 type_7_0 event=0x35,umask=1,count=100");
	ok(msr_read(0x2008, NULL) == 15, "event, unit mask and increment, of this unit alone");
	ok(msr_read(0x2009, NULL) == 5, "threshold and edge");
	msr_write(0x2000, 1, NULL);
	cmd("stim 0 type_7_0 event=0x35,count=5");
	ok(msr_read(0x2008, NULL) == 15, "frozen");
	msr_write(0x2000, 0x300, NULL);
	ok(!msr_read(0x2002, NULL) && !msr_read(0x2008, NULL), "both resets");
	msr_write(0x2002, 1, NULL);
	spin(100000);
	ok(msr_read(0x2008, NULL) > 0, "event 1 is the clock");
	msr_write(0x2002, 0, NULL);
}

static void mmio_and_pci_units(void)
{
	uint32_t mmio = bar(BUS(0), 1) + 0x1000;

	cmd("set 0 type_9_0 ctr=3,value=0xfffffffe");
	RW(mmio, 0x4c) = 0x800507 | THRESH(2);
	cmd("stim 0 type_9_0 event=7,umask=4,inc=1,count=3");
	cmd("stim 0 type_9_0 event=7,umask=4,inc=2,count=3");
	ok(RW(mmio, 0x20) == 1 && !RW(mmio, 0x24), "inverted, and across a wrap at 32 bits");
	RW(mmio, 0x4c) = 0;

	cmd("set 0 type_10_0 ctr=1,value=0xffffffff");
	cmd("tear 0 type_10_0 ctr=1,value=0x100000000,after=lo");
	ok(pci_read(BUS(0), 12, 1, 0x448) == 0xffffffff && pci_read(BUS(0), 12, 1, 0x44c) == 1,
	   "a torn counter");
	pci_write(BUS(1), 12, 1, 0x468, 9);
	cmd("stim 1 type_10_0 event=9,count=6");
	ok(pci_read(BUS(1), 12, 1, 0x440) == 6, "a PCI unit of the other die");
}

static void findings(void)
{
	uint32_t mmio = bar(BUS(0), 1) + 0x1000;

	FINDS(msr_write(0x2002, 0x400135, NULL), "bits 0x400000 of a control", "a control");
	msr_write(0x2002, 0, NULL);
	FINDS(msr_write(0x2000, 2, NULL), "reserved bits 0x2 of a unit's control", "a unit");
	FINDS(pci_write(BUS(0), 12, 1, 0x444, 0x100), "bits 0x10000000000 of a counter", "40 bits");
	pci_write(BUS(0), 12, 1, 0x468, 9);
	FINDS(pci_write(BUS(0), 12, 1, 0x440, 5), "while it counts", "a counter that counts");
	FINDS(RW(mmio, 0x50) = 1, "no register", "behind the last control");
	FINDS(pci_write(BUS(0), 12, 1, 0x900, 1), "no register", "the rest of a function");
	FINDS(RW(bar(BUS(0), 0), 8) = 1, "the table is read-only", "the table");
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

	msr_unit();
	mmio_and_pci_units();
	cmd("stim 0 free_0 ctr=1,count=8");
	ok(msr_read(0x3801, NULL) == 8 && !msr_read(0x3800, NULL), "a counter that always runs");
	msr_write(0x3000, 0, &fault);
	ok(fault, "a unit of the other die faults");
	ap_msr_write(0x3000, 0, &fault);
	ok(!fault, "and is there");
	msr_read(0x2006, &fault);
	ok(fault, "and so does an MSR between registers");
	breaks("no register at this address", "the checker reports that");

	findings();
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
