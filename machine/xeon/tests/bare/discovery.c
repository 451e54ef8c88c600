// SPDX-License-Identifier: GPL-2.0-or-later
/* Units of the table of test_discovery.py, whose address is in an MSR; Linux reads it elsewhere. */

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
