// SPDX-License-Identifier: GPL-2.0-or-later
/* Accesses of the guest as the checker and their counts have them */

#include "boxes.h"

SET("accesses", test_accesses)
{
	clean(HA);
	clean(CBOX0);
	cmd("accesses reset");
	rd32(HA, 0xa0);
	rd32(HA, 0xa4);
	wr32(HA, 0xd8, 0);
	rd32(HA, 0);			/* vendor id: no PMON register */
	msr_read(0xd16, NULL);
	pci_write(BUS(1), 9, 6, 0x228, 0);
	mmio_read(BUS(1), 14, 1, 0xa0);
	cmd("accesses");
	ok(answered("socket=0 box=ha kind=pci reads=2 writes=1 ports=3\n"), "accesses: PCI");
	ok(answered("socket=0 box=cbox_0 kind=msr reads=1 writes=0\n"), "accesses: MSR");
	ok(answered("socket=1 box=qpi_1 kind=ext reads=0 writes=1 ports=0\n") &&
	   answered("socket=1 box=qpi_1 kind=pci reads=0 writes=0 ports=0\n"), "accesses: extended");
	ok(answered("socket=1 box=ha kind=pci reads=1 writes=0 ports=0\n"),
	   "accesses: by socket, and not through the ports");
	cmd("accesses reset");
	ok(cmd("accesses") == MODEL_STATUS_OK &&
	   answered("socket=0 box=ha kind=pci reads=0 writes=0 ports=0\n"), "accesses: reset");
	ok(!answered("box=ha kind=ext") && !answered("box=imc_0 kind=ext") &&
	   !answered("box=cbox_0 kind=pci"), "accesses: spaces that a box has");
}

/* Accesses of other sizes, and beside registers */
SET("bytes", test_bytes)
{
	cmd("checker reset");
	msr_write(CBOX0->ctl, (uint64_t)1 << 40, NULL);
	ok(cmd("checker") == MODEL_STATUS_FOUND && answered("reg=C0_MSR_PMON_CTL0 op=write") &&
	   answered("the register has 32 bits"), "checker: upper half of a 32-bit MSR");
	cmd("checker reset");
	FINDS(pci_write8(BUS(0), 14, 1, 0xd8, 1), "1 bytes written",
	      "checker: a byte of a register");
	FINDS(pci_read(BUS(0), 19, 5, 0xe4), "box=r3qpi_0 reg=offset_0xe4 op=read",
	      "checker: R3QPI has no fourth counter");
	set_ctl(IMC0, 0, 0x03 | EN);
	FINDS(set_ctl(IMC0, 0, 0x03 | EN), "count=2 rule=\"event 0x03 is undocumented\"",
	      "checker: an event that no list has, counted");
	ok(cmd("checker") == MODEL_STATUS_OK && !cmd_answer[0], "checker: reset");
	clean(CBOX0);
	clean(HA);
	clean(IMC0);
}

/* The address of a die's table of units */
static uint32_t bar(unsigned int bus)
{
	return pci_read(bus, 0x1e, 0, 0x10) & ~0xfu;
}

/* discovery=msr, which Linux does not read, and the units of test_discovery.py */
SET("discovery-msr", test_by_msr)
{
	bool fault;

	ok(pci_read(BUS(0), 0x1e, 0, 0x100) == 0, "no capability");
	ok(ap_start(), "the second processor");
	ok(msr_read(0x201e, &fault) == bar(BUS(0)) && !fault &&
	   ap_msr_read(0x201e, NULL) == bar(BUS(1)), "each package has its own MSR");
	ok(*(volatile uint32_t *)bar(BUS(0)) == (0x23 | 3 << 8 | 4 << 16), "a table of four units");
}
