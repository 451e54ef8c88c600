// SPDX-License-Identifier: GPL-2.0-or-later
/* The console: torn reads, accesses, concurrent register access, the checker, refusals */

#include "boxes.h"

static void test_tear(void)
{
	clean(HA);
	set_ctr(HA, 1, 0x1ffffffff);
	cmd("tear 0 ha ctr=1,value=0x200000001,after=lo");
	ok(rd32(HA, HA->ctr + 8) == 0xffffffff && rd32(HA, HA->ctr + 12) == 2 &&
	   rd32(HA, HA->ctr + 8) == 1, "a counter torn after its low half");
	set_ctr(HA, 1, 0x1ffffffff);
	cmd("tear 0 ha ctr=1,value=0x200000001,after=hi");
	ok(rd32(HA, HA->ctr + 8) == 0xffffffff && rd32(HA, HA->ctr + 12) == 1 &&
	   rd32(HA, HA->ctr + 8) == 1 && rd32(HA, HA->ctr + 12) == 2,
	   "a counter torn after its high half");
	ok(cmd("tear 0 pcu ctr=0,value=1,after=lo") == MODEL_STATUS_ERROR, "an MSR cannot tear");
	clean(HA);
}

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
	ok(cmd("accesses all") == MODEL_STATUS_ERROR && answered("only 'reset'"),
	   "accesses: nothing else is understood");
}

static void poke_and_peek(void)
{
	clean(HA);
	clean(CBOX0);
	clean(PCU);
	cmd("accesses reset");
	set_ctl(HA, 0, 0x0301 | EN);
	cmd("poke 0 ha box_ctl=0x10100");
	cmd("stim 0 ha event=1,umask=3,count=5");
	ok(rd32(HA, HA->box_ctl) == FROZEN && !ctr(HA, 0), "poke: a box is frozen");
	cmd("poke 0 ha BOX_CTL=0,HA_PCI_PMON_CTL1=0x400301,ctr1=0x123456789abc");
	cmd("stim 0 ha event=1,umask=3,count=5");
	ok(ctr(HA, 0) == 5 && ctr(HA, 1) == 0x123456789ac1, "poke: thaws it, starts a counter");
	cmd("poke 0 0e.1 0xf4=0x10100,0xac=0x1111");
	ok(rd32(HA, HA->box_ctl) == FROZEN && ctr(HA, 1) == 0x111156789ac1,
	   "poke: by function and offset");
	cmd("poke 0 msr 0xd16=0x12345678901,0xd14=0x7c0000");
	ok(ctr(CBOX0, 0) == 0x12345678901 && msr_read(CBO_FILTER, NULL) == STATE(0x1f),
	   "poke: by number");
	cmd("poke 0 cbox_0 box_ctl=2");
	ok(!ctr(CBOX0, 0) && !rd32(CBOX0, CBOX0->box_ctl), "poke: does what a write does");
	cmd("poke 1 qpi_1 pkt_mask1=0xf000f");
	ok(pci_read(BUS(1), 9, 6, 0x23c) == 0xf000f, "poke: QPI's packet filter");
	cmd("poke 1 9.6 0x23c=0");
	ok(!pci_read(BUS(1), 9, 6, 0x23c), "poke: and by offset");
	cmd("peek 0 ha box_ctl,ctr1");
	ok(answered("HA_PCI_PMON_BOX_CTL=0x00010100\nHA_PCI_PMON_CTR1=0x111156789ac1\n"),
	   "peek: by name");
	cmd("peek 0 0e.1 0xac");
	ok(answered("HA_PCI_PMON_CTR1=0x111156789ac1\n"), "peek: by offset");
	cmd("peek 0 msr 0xd14");
	ok(answered("C0_MSR_PMON_BOX_FILTER=0x007c0000\n"), "peek: by number");
}

/* Pokes after those of poke_and_peek() are neither checked nor counted as accesses. */
static void poke_unseen(void)
{
	/* everything that the checker would name, and a running counter without its filter */
	ok(cmd("poke 0 ha ctl0=0xffffffff,box_ctl=0xffffffff,ctr0=0xffffffffffffffff") ==
	   MODEL_STATUS_OK, "poke: any value");
	cmd("poke 0 cbox_0 filter=0,ctl0=0x400334");
	ok(cmd("checker") == MODEL_STATUS_OK, "poke: no offence of the driver");
	msr_write(CBOX0->ctl + 1, 0, NULL);
	ok(cmd("checker") == MODEL_STATUS_OK, "poke: no offence at the driver's next write");
	ALLOWS(msr_write(CBOX0->ctl, 0x400334, NULL), "poke: the driver trusts a poked filter");
	FINDS(msr_write(CBO_FILTER, 0, NULL), "must have a state",
	      "poke: the driver writes the filter itself");
	msr_write(CBOX0->ctl, 0, NULL);
	cmd("accesses");
	ok(answered("socket=0 box=ha kind=pci reads=10 writes=1 ") &&
	   answered("socket=1 box=qpi_1 kind=ext reads=2 writes=0 "), "poke: not counted as accesses");
	ok(cmd("poke 0 ha box_ctl=0,ctl9=1") == MODEL_STATUS_ERROR &&
	   rd32(HA, HA->box_ctl) == FROZEN, "poke: all or nothing");
}

static void reset_all(void)
{
	bool fault;

	cmd("poke 0 pcu filter=0x12345678,ctr3=9");
	cmd("residency cpu=0,c3=7");
	ok(msr_read(PCU_FILTER, NULL) == 0x12345678, "poke: the PCU's filter");
	cmd("poke 1 ha ctl0=0x400301");
	cmd("reset-all 0");
	ok(!rd32(HA, HA->box_ctl) && !rd32(HA, HA->ctl) && !ctr(HA, 1) &&
	   !msr_read(PCU_FILTER, NULL) && !msr_read(0x3fc, NULL) && !ctr(PCU, 3),
	   "reset-all: a socket");
	ok(pci_read(BUS(1), 14, 1, 0xd8) == 0x400301, "reset-all: and not the other");
	cmd("reset-all");
	ok(!pci_read(BUS(1), 14, 1, 0xd8), "reset-all: all sockets");
	cmd("stim 1 ha event=1,umask=3");
	ok(!ctr_of(HA, 1, 0), "reset-all: nothing counts");
	cmd("accesses");
	ok(!answered("socket=0 box=ha kind=pci reads=0 "),
	   "reset-all: leaves the counts of accesses alone");
	msr_read(0xc09, &fault);
	ok(!fault, "reset-all: registers still answer");
	clean(CBOX0);
}

/* poke, peek and reset-all: concurrent register access, which leaves no trace */
SET("poke", test_poke)
{
	test_tear();
	poke_and_peek();
	poke_unseen();
	reset_all();
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

SET("refusals", test_refusals)
{
	static const struct {
		const char *line, *why;
	} bad[] = {
		{ "stim 0 cbox_9 event=0", "no box 'cbox_9'" },
		{ "stim 2 ha event=1", "no socket 2" },
		{ "stim 0 ha", "no event given" },
		{ "stim 0 ha event=0x77", "is undocumented" },
		{ "stim 0 ha event=1,event=1", "given twice" },
		{ "stim 0 ha event=1,umask=0x80", "no unit mask bits 0x80" },
		{ "stim 0 ha event=1,nid=1", "knows no 'nid'" },
		{ "stim 0 ha event=1,inc=2", "at most 1 per cycle" },
		{ "stim 0 ha event=0x101", "0 to 0xff" },
		{ "stim 0 cbox_0 event=0x34", "needs a umask" },
		{ "stim 0 cbox_0 event=0x34,umask=3,state=0x3", "in one state" },
		{ "stim 0 cbox_0 event=0x35,umask=3,opc=0x200", "at most 0x1ff" },
		{ "set 0 ha ctr=0,value=0x1000000000000", "48 bits" },
		{ "checker everything", "only 'reset'" },
		{ "poke 0 ha", "REG=VALUE is missing" },
		{ "poke 0 ha ctl4=0", "no register 'ctl4'" },
		{ "poke 0 imc_0 ctl=0", "may be several" },
		{ "poke 0 ha ctl0", "no value" },
		{ "poke 0 ha ctl0=0x100000000", "32 bits" },
		{ "poke 0 14.1 0xf4=0", "the device's number is hexadecimal" },
		{ "poke 0 0e.9 0xf4=0", "no PMON registers" },
		{ "poke 0 48.0 0xf4=0", "no PMON registers" },
		{ "poke 0 msr ctl0=0", "'ctl0' is no address" },
		{ "poke 0 msr 0xd05=0", "no register at 0xd05" },
		{ "peek 0 ha", "which register" },
		{ "reset-all x", "socket" },
		{ "reset-all 0 x", "a socket and nothing else" },
		{ "stim 0 ha event=1,umask=3,count=-1", "no value of count" },
		{ "stim -0 ha event=1,umask=3", "socket and box are missing" },
		{ "set 0 ha ctr=-4294967295,value=1", "no counter '-4294967295'" },
		{ "poke 0 msr 0xd10=-1", "no value" },
		{ "nonsense", "no command 'nonsense'" },
	};

	cmd("poke 0 ha ctl0=0x400301");
	for (unsigned int i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		int r = cmd("%s", bad[i].line);

		ok(r == MODEL_STATUS_ERROR && answered(bad[i].why), "refused: %s", bad[i].line);
		if (r != MODEL_STATUS_ERROR || !answered(bad[i].why))
			note("status %d, %s", r, cmd_answer);
	}
	ok(rd32(HA, HA->ctl) == 0x400301, "refused commands change nothing");
	clean(HA);
}

SET("second-socket", test_second_socket)
{
	bool fault;

	ap_msr_write(0xd10, 0x0435 | EN, NULL);
	cmd("stim 0 cbox_0 event=0x35,umask=4,count=3");
	cmd("stim 1 cbox_0 event=0x35,umask=4,count=4");
	ok(ctr_of(CBOX0, 1, 0) == 4 && !ctr(CBOX0, 0) && !rd32(CBOX0, 0xd10),
	   "its MSRs are those of its own socket");
	ap_msr_write(0xd10, 0, NULL);
	ap_msr_read(0xc00, &fault);
	ok(fault, "and fault there, too");
	pci_write(BUS(1), 14, 1, 0xd8, 0x0301 | EN);
	cmd("stim 1 ha event=1,umask=3,count=6");
	ok(ctr_of(HA, 1, 0) == 6 && !ctr(HA, 0), "PCI functions are those of their bus");
	pci_write(BUS(1), 14, 1, 0xd8, 0);
}
