// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Test the model of the E5-2600 uncore against the guide, without a driver or an operating system.
 * The command line describes the machine.
 */

#include "boxes.h"

static void test_reset_values(void)
{
	for (const struct box *x = boxes; x < boxes + NR_BOXES; x++) {
		uint64_t any = x->box_ctl ? rd32(x, x->box_ctl) : 0;

		for (unsigned int i = 0; i < x->ctrs; i++)
			any |= rd32(x, ctl_reg(x, i)) | ctr(x, i);
		ok(!any, "%s: 0 after reset", x->name);
	}
	ok(!(msr_read(0xc08, NULL) | msr_read(0xc09, NULL)), "ubox: fixed counter 0 after reset");
	ok(!(msr_read(CBO_FILTER, NULL) | msr_read(PCU_FILTER, NULL)), "filters 0 after reset");
	ok(pci_read(BUS(0), 8, 0, 0xd4) == 5 && pci_read(BUS(1), 9, 0, 0xd4) == 5,
	   "QPI_RATE_STATUS says 8 GT/s");
	ok(pci_read(BUS(0), 11, 0, 0x40) == 0 && pci_read(BUS(1), 11, 0, 0x40) == 1, "node ids");
	ok(pci_read(BUS(0), 11, 0, 0x54) == 0xfac688, "node id map");
}

static void ha_filter(uint32_t low, uint32_t high, uint32_t opcode)
{
	wr32(HA, 0x40, low);
	wr32(HA, 0x44, high);
	wr32(HA, 0x48, opcode);
}

/* The registers of each box at their addresses; reference/ has what they do. */
static void test_each_box(void)
{
	for (const struct box *x = boxes; x < boxes + NR_BOXES; x++) {
		clean(x);
		set_ctr(x, 1, 0x12345678901);
		set_ctl(x, 0, x->event | x->umask << 8 | EN);
		stim_box(x, 0, 12345);
		stim_box(x, 1, 100);
		ok(ctr(x, 0) == 12345 && ctr(x, 1) == 0x12345678901,
		   "%s: counts exactly, and its own socket", x->name);
		keeps(x->name);
		if (x->box_ctl) {
			wr32(x, x->box_ctl, FROZEN);
			stim_box(x, 0, 2);
			ok(ctr(x, 0) == 12345 && rd32(x, x->box_ctl) == FROZEN, "%s: freezes", x->name);
		}
		clean(x);
	}
	ha_filter(0x56789000, 0x1234, 0x2a);
	COUNTS(HA, 0x0320, "event=0x20,umask=3,addr=0x123456789abc,opc=0x2a,count=9", 9);
	ha_filter(0, 0, 0);
	pci_write(BUS(0), 8, 6, 0x23c, 0xf0000);
	COUNTS(QPI0, 0x38 | EXT, "event=0x38,ext=1,rds=8,count=9", 0);
	ok(!pci_read(BUS(0), 9, 6, 0x23c) && !pci_read(BUS(1), 8, 6, 0x23c),
	   "each port of each socket has its own packet filter");
	pci_write(BUS(0), 8, 6, 0x23c, 0);
	clean(HA);
	clean(QPI0);
}

/* @cbos: number of CBos */
static void test_msr_faults(unsigned int cbos)
{
	unsigned int wrong = 0, faults = 0;

	for (uint32_t msr = 0xc00; msr < 0xe00; msr++) {
		bool there = msr == 0xc08 || msr == 0xc09, rd, wr;

		if (msr >= 0xc40 && msr < 0xd00)
			continue;
		for (unsigned int b = 0; b < 15; b++) {
			const struct box *x = &boxes[b];

			if (!x->msr || (b >= 1 + cbos && b <= 8))
				continue;
			there |= (x->box_ctl && msr == x->box_ctl) ||
				 (msr >= x->ctl && msr < x->ctl + x->ctrs) ||
				 (msr >= x->ctr && msr < x->ctr + x->ctrs);
			there |= b >= 1 && b <= 8 && msr == x->box_ctl + 0x10u;
		}
		there |= msr == PCU_FILTER;
		msr_read(msr, &rd);
		msr_write(msr, 0, &wr);
		wrong += rd == there || wr == there;
		faults += rd;
	}
	ok(!wrong, "MSRs of the guide's tables answer, with %u CBos, and all others fault", cbos);
	if (wrong)
		note("%u differ, %u fault", wrong, faults);
	keeps("accesses that fault");
}

/* Clocks follow the virtual time; reference/uncore-test.c has their rates. */
static void test_clocks(void)
{
	uint64_t uclk, dclk;

	wr32(IMC0, 0xf0, EN);
	msr_write(0xc09, 0, NULL);
	msr_write(0xc08, EN, NULL);
	while (msr_read(0xc09, NULL) < 1000000)
		spin(100);
	msr_write(0xc08, 0, NULL);
	wr32(IMC0, 0xf0, 0);
	uclk = msr_read(0xc09, NULL);
	dclk = rd32(IMC0, 0xd0);
	spin(1000);
	ok(dclk > uclk / 4 && msr_read(0xc09, NULL) == uclk && rd32(IMC0, 0xd0) == dclk,
	   "clocks count while they are enabled");
	keeps("clocks");
	clean(IMC0);
}

static bool run_set(const char *name)
{
	for (const struct set *s = __start_sets; s < __stop_sets; s++) {
		if (same(name, s->name)) {
			s->run();
			return true;
		}
	}
	return false;
}

SET("all", test_all)
{
	ok(ap_start(), "the second socket's processor runs");
	test_reset_values();
	test_each_box();
	test_msr_faults(8);
	test_clocks();
	ok(run_set("accesses") && run_set("bytes"), "all sets are there");
}

static bool pci_there(unsigned int dev, unsigned int fn)
{
	return pci_read(BUS(0), dev, fn, 0) != 0xffffffff;
}

/* cbos=6,no-qpi,hide=0e.1 */
SET("left-out", test_left_out)
{
	test_msr_faults(6);
	ok(cmd("stim 0 cbox_6 event=5,umask=2") == MODEL_STATUS_ERROR, "cbox_6 is not there");
	ok(!pci_there(8, 2) && !pci_there(8, 6) && !pci_there(9, 2) && !pci_there(9, 6),
	   "QPI's counters and filters are not there");
	ok(pci_there(8, 0) && pci_there(9, 0) && pci_there(19, 5) && pci_there(19, 6),
	   "its links are, and R3QPI");
	ok(!pci_there(14, 1) && pci_there(14, 0), "the Home Agent's PMON is hidden");
	ok(pci_there(19, 1) && pci_there(16, 5), "the rest is there");
}

SET("pcu-fault", test_pcu_fault)
{
	bool fault;

	msr_write(0xc30, 0x03 | EXT, &fault);
	ok(fault && !msr_read(0xc30, NULL), "bit 21 of the PCU's control faults");
	msr_write(0xc30, 0x03, &fault);
	ok(!fault && msr_read(0xc30, NULL) == 3, "the others do not");
	ok(cmd("poke 0 pcu ctl0=0x200000") == MODEL_STATUS_ERROR && answered("faults"),
	   "nor can poke set it");
}

void print_rows(const char *command)
{
	char *row = cmd_answer, *end;

	ok(cmd("%s", command) == MODEL_STATUS_OK, "the model answers to %s", command);
	for (end = row; *end; end++) {
		if (*end == '\n') {
			*end = 0;
			note("row %s", row);
			row = end + 1;
		}
	}
}

/* checker-off=wo-read,counter0 */
SET("rules-off", test_rules_off)
{
	cmd("checker rules");
	ok(answered("wo-read off: ") && answered("counter0 off: ") &&
	   answered("stale-counter on: ") && answered("threshold on: "),
	   "the machine's checker is told what to leave out, and what not");
	ALLOWS(rd32(HA, HA->box_ctl), "what it leaves out");
}

/* Both vCPUs are cores of one socket. */
SET("cores", test_cores)
{
	ok(ap_start(), "the second core runs");
	ap_msr_write(0xc30, 3, NULL);
	ok(msr_read(0xc30, NULL) == 3, "the PCU is one");
}

/* @args: a set of tests, or a command to print the rows of */
void test_main(const char *args)
{
	/* These tests read box controls, and use thresholds that nothing reaches. */
	if (!same(args, "rules-off"))
		cmd("checker off wo-read:threshold");
	if (!run_set(args))
		print_rows(args);
}
