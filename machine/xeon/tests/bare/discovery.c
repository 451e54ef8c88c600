// SPDX-License-Identifier: GPL-2.0-or-later
/* Units of the table of test_discovery.py, whose address is in an MSR; Linux reads it elsewhere. */

#include "boxes.h"

/* The address of a die's table */
static uint32_t bar(unsigned int bus)
{
	return pci_read(bus, 0x1e, 0, 0x10) & ~0xfu;
}

SET("discovery-msr", test_by_msr)
{
	bool fault;

	ok(pci_read(BUS(0), 0x1e, 0, 0x100) == 0, "no capability");
	ok(ap_start(), "the second processor");
	ok(msr_read(0x201e, &fault) == bar(BUS(0)) && !fault &&
	   ap_msr_read(0x201e, NULL) == bar(BUS(1)), "each package has its own MSR");
	ok(*(volatile uint32_t *)bar(BUS(0)) == (0x23 | 3 << 8 | 4 << 16), "a table of four units");
}
