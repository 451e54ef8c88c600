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

static void test_bits(void)
{
	for (const struct box *x = boxes; x < boxes + NR_BOXES; x++) {
		bool bits = true, wide = true;

		for (unsigned int i = 0; i < x->ctrs; i++) {
			cmd("checker reset");
			set_ctl(x, i, 0xffffffff & ~EN);
			bits &= rd32(x, ctl_reg(x, i)) == (x->ctl_bits & ~EN);
			bits &= cmd("checker") == MODEL_STATUS_FOUND && answered("reserved bits");
			cmd("checker reset");
			set_ctl(x, i, x->ctl_bits & ~(EN | EXT));
			bits &= cmd("checker") == MODEL_STATUS_OK;
			set_ctr(x, i, ~(uint64_t)0);
			wide &= ctr(x, i) == width_mask(x->width);
			wide &= cmd("checker") == MODEL_STATUS_FOUND &&
				answered("the rest is reserved");
		}
		ok(bits, "%s: control registers hold their fields only", x->name);
		ok(wide, "%s: counters are %u bits wide", x->name, x->width);
		clean(x);
	}
	/* BOX_CTL: frz and frz_en read back, resets do not */
	for (const struct box *x = boxes + 1; x < boxes + NR_BOXES; x++) {
		wr32(x, x->box_ctl, FROZEN | x->resets);
		ok(rd32(x, x->box_ctl) == FROZEN && cmd("checker") == MODEL_STATUS_OK,
		   "%s: box control reads frz and frz_en back", x->name);
		wr32(x, x->box_ctl, 0xffffffff);
		ok(rd32(x, x->box_ctl) == FROZEN && cmd("checker") == MODEL_STATUS_FOUND,
		   "%s: box control's other bits are reserved", x->name);
		clean(x);
		if (!x->resets) {
			wr32(x, x->box_ctl, 0x10003);
			ok(cmd("checker") == MODEL_STATUS_FOUND &&
			   answered("reserved bits 0x00000003: SW must write to 0"),
			   "%s: has no reset bits", x->name);
			clean(x);
		}
	}
}

static void test_each_box(void)
{
	for (const struct box *x = boxes; x < boxes + NR_BOXES; x++) {
		uint32_t ev = x->event | x->umask << 8;

		clean(x);
		stim_box(x, 0, 5);
		ok(!ctr(x, 0), "%s: a disabled counter does not count", x->name);
		set_ctl(x, 0, ev | EN);
		stim_box(x, 0, 12345);
		stim_box(x, 1, 100);
		ok(ctr(x, 0) == 12345, "%s: counts exactly, and its own socket", x->name);
		set_ctr(x, 0, width_mask(x->width) - 1);
		stim_box(x, 0, 5);
		ok(ctr(x, 0) == 3, "%s: wraps at %u bits", x->name, x->width);
		if (cmd("set 0 %s ctr=0,value=0x%llx", x->name, width_mask(x->width)))
			note("%s", cmd_answer);
		stim_box(x, 0, 1);
		ok(ctr(x, 0) == 0, "%s: wraps after set", x->name);
		ok(cmd("checker") == MODEL_STATUS_OK, "%s: the checker has nothing to say",
		   x->name);
		if (x->box_ctl) {
			wr32(x, x->box_ctl, 0x100);
			stim_box(x, 0, 2);
			ok(ctr(x, 0) == 2, "%s: frz without frz_en does not freeze", x->name);
			wr32(x, x->box_ctl, 0x10000);
			stim_box(x, 0, 2);
			ok(ctr(x, 0) == 4, "%s: frz_en without frz does not freeze", x->name);
			wr32(x, x->box_ctl, FROZEN);
			stim_box(x, 0, 2);
			ok(ctr(x, 0) == 4, "%s: freezes", x->name);
		}
		if (x->resets) {
			wr32(x, x->box_ctl, 0x10000 | 2);
			ok(!ctr(x, 0) && rd32(x, ctl_reg(x, 0)) == (ev | EN),
			   "%s: rst_ctrs resets counters only", x->name);
			set_ctr(x, 0, 77);
			wr32(x, x->box_ctl, 0x10000 | 1);
			ok(ctr(x, 0) == 77 && !rd32(x, ctl_reg(x, 0)),
			   "%s: rst_ctrl resets controls only", x->name);
		}
		if (x != HA && (x->msr || x->resets)) {
			set_ctr(x, 0, 77);
			set_ctr(x, 1, 78);
			set_ctl(x, 1, RST);
			ok(ctr(x, 0) == 77 && !ctr(x, 1) && !rd32(x, ctl_reg(x, 1)),
			   "%s: rst clears its counter alone", x->name);
		}
		clean(x);
	}
}

/* What counts with which thresholds and filters: reference/uncore-test.c */
static void test_findings(void)
{
	static const char five[] = "event=0x11,umask=0x1,inc=5,count=10";
	static const char read_m[] = "event=0x34,umask=0x3,state=M,nid=2,count=9";
	static const char drd[] = "event=0x35,umask=0x3,opc=0x182,nid=1,tid=5,count=9";

	clean(CBOX0);
	ALLOWS(COUNTS(CBOX0, 0x0111 | THRESH(6) | EDGE | INV, five, 0), "thresholds");
	FINDS(COUNTS(CBOX0, 0x0111 | EDGE, five, 0), "thresh must be non-0",
	      "edge without a threshold");
	FINDS(COUNTS(CBOX0, 0x0111 | INV, five, 0), "thresh must be non-0",
	      "invert without a threshold");
	ok(cmd("stim 0 cbox_0 event=0x11,umask=1,inc=21") == MODEL_STATUS_ERROR &&
	   answered("at most 20"), "more than the guide's Max Inc/Cyc is refused");
	FINDS(COUNTS(CBOX0, 0x0334, read_m, 0), "LLC_LOOKUP must have a state",
	      "a lookup without a state");
	COUNTS(CBOX0, 0x4335, drd, 0);
	ok(cmd("checker reset") == MODEL_STATUS_FOUND &&
	   answered("TOR_INSERTS with a node match must") &&
	   answered("TOR_INSERTS with an opcode match must"), "a match without a value");
	msr_write(CBO_FILTER, STATE(0x1f) | NID(4) | OPC(0x182), NULL);
	ALLOWS(COUNTS(CBOX0, 0x4334, read_m, 9), "lookups");
	ALLOWS(COUNTS(CBOX0, 0x4335, drd, 0), "TOR");
	FINDS(COUNTS(CBOX0, 0x0234, read_m, 0), "LLC_LOOKUP has no unit mask 0x02",
	      "a lookup without bit 0");
	msr_write(CBO_FILTER, 0x3e0, NULL);
	ok(!msr_read(CBO_FILTER, NULL) && cmd("checker") == MODEL_STATUS_FOUND,
	   "CBo filter: bits 9:5 are reserved");
	clean(CBOX0);
}

static void test_counter0_occupancy(void)
{
	clean(CBOX0);
	set_ctl(CBOX0, 0, 0x0111 | THRESH(9) | EN);
	set_ctl(CBOX0, 1, 0x1f | EN);
	set_ctl(CBOX0, 2, 0x1f | THRESH(4) | EN);
	set_ctl(CBOX0, 3, 0x1f | THRESH(8) | EDGE | EN);
	cmd("stim 0 cbox_0 event=0x11,umask=1,inc=5,count=10");
	cmd("stim 0 cbox_0 event=0x11,umask=1,inc=9,count=2");
	cmd("stim 0 cbox_0 event=0x11,umask=4,inc=9,count=100");
	ok(ctr(CBOX0, 0) == 2 && ctr(CBOX0, 1) == 68 && ctr(CBOX0, 2) == 12 &&
	   ctr(CBOX0, 3) == 2, "COUNTER0_OCCUPANCY sees counter 0's occupancy");
	keeps("COUNTER0_OCCUPANCY beside an occupancy");
	set_ctl(CBOX0, 0, 0x0239 | EN);
	set_ctr(CBOX0, 1, 0);
	cmd("stim 0 cbox_0 event=0x39,umask=2,count=10");
	ok(!ctr(CBOX0, 1), "and no event that is not an occupancy");
	set_ctl(CBOX0, 0, 0x0111);
	cmd("stim 0 cbox_0 event=0x11,umask=1,inc=5,count=10");
	ok(!ctr(CBOX0, 1), "nor one that counter 0 does not capture");
	clean(CBOX0);
}

static void ha_filter(uint32_t low, uint32_t high, uint32_t opcode)
{
	wr32(HA, 0x40, low);
	wr32(HA, 0x44, high);
	wr32(HA, 0x48, opcode);
}

static void test_ha_filter(void)
{
	clean(HA);
	ha_filter(0x56789000, 0x1234, 0x2a);
	ALLOWS(COUNTS(HA, 0x0320, "event=0x20,umask=3,addr=0x123456789abc,opc=0x2a,count=9", 9),
	       "HA match");
	ha_filter(~0u, ~0u, ~0u);
	ok(rd32(HA, 0x40) == 0xffffffc0 && rd32(HA, 0x44) == 0x3fff && rd32(HA, 0x48) == 0x3f,
	   "HA match registers hold their fields only");
	ha_filter(0, 0, 0);
	clean(HA);
}

static void qpi_filter(uint32_t match0, uint32_t match1, uint32_t mask0, uint32_t mask1)
{
	pci_write(BUS(0), 8, 6, 0x228, match0);
	pci_write(BUS(0), 8, 6, 0x22c, match1);
	pci_write(BUS(0), 8, 6, 0x238, mask0);
	pci_write(BUS(0), 8, 6, 0x23c, mask1);
}

static void test_qpi_filter(void)
{
	/* Table 2-92: DRS.DataC_M */
	static const char data_m[] =
		"event=0x38,ext=1,mc=0xe,opc=0,rds=8,dnid=3,rnid=0x12,vnw=2,count=9";

	clean(QPI0);
	COUNTS(QPI0, 0x38 | EXT, data_m, 9);
	qpi_filter(0x1c00, 0x80000, 0x1fe0, 0xf0000);
	ALLOWS(COUNTS(QPI0, 0x38 | EXT, data_m, 9), "QPI match");
	FINDS(COUNTS(QPI0, 0x38, data_m, 0), "event 0x38 is undocumented",
	      "CTO_COUNT without ev_sel_ext");
	qpi_filter(0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff);
	ok(pci_read(BUS(0), 8, 6, 0x228) == 0x8003fff8 &&
	   pci_read(BUS(0), 8, 6, 0x22c) == 0xf000f &&
	   pci_read(BUS(0), 8, 6, 0x238) == 0x8003fff8 &&
	   pci_read(BUS(0), 8, 6, 0x23c) == 0xf000f,
	   "QPI match and mask hold their fields only");
	ok(!pci_read(BUS(0), 9, 6, 0x228) && !pci_read(BUS(1), 8, 6, 0x228),
	   "each port of each socket has its own");
	qpi_filter(0, 0, 0, 0);
	clean(QPI0);
}

static void test_pcu(void)
{
	static const char c0_6[] = "event=0x80,umask=0x40,inc=6,count=10";

	clean(PCU);
	ALLOWS(COUNTS(PCU, 0x80 | OCC(1) | THRESH(5) | OCC_EDGE, c0_6, 10), "PCU");
	FINDS(COUNTS(PCU, 0x80 | THRESH(2) | OCC_INV, c0_6, 0), "occ_sel 0", "occ_sel 0");
	FINDS(COUNTS(PCU, 0x80 | OCC(1) | OCC_INV, c0_6, 0), "thresh must be non-0",
	      "occ_invert without a threshold");

	clean(PCU);
}

/* test_model.py compares the counters of each event with the driver's tables and Intel's list. */
static void test_restrictions(void)
{
	clean(CBOX0);
	FINDS(set_ctl(CBOX0, 1, 0x0111 | EN), "RxR_OCCUPANCY cannot be counted on counter 1",
	      "a wrong counter");
	cmd("stim 0 cbox_0 event=0x11,umask=1,count=3");
	ok(!ctr(CBOX0, 1), "which does not count");
	FINDS(set_ctl(CBOX0, 2, 0x0811b | EN), "RING_AD_USED has no unit mask 0x81",
	      "a wrong unit mask");
	clean(CBOX0);
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

/* 2000, 800, 800 and 1000 MHz: is v num/den of uclk, to a twentieth? */
static bool near(uint64_t v, uint64_t uclk, unsigned int num, unsigned int den)
{
	return v * den * 20 > uclk * num * 19 && v * den * 20 < uclk * num * 21;
}

static void control_clocks(uint32_t v)
{
	wr32(QPI0, QPI0->box_ctl, v);
	wr32(PCU, PCU->box_ctl, v);
	wr32(IMC0, IMC0->box_ctl, v);
}

static uint64_t dclk_ticks(void)
{
	return (uint64_t)rd32(IMC0, 0xd4) << 32 | rd32(IMC0, 0xd0);
}

/*
 * Let all clocks run for a while. They start and stop one by one, and the host may delay the guest
 * in between, so the caller retries.
 */
static bool clocks_in_step(void)
{
	static const uint32_t pci_fixed = 0xd0;
	uint64_t uclk, dclk, pclk, qfclk;
	bool right;

	control_clocks(FROZEN);
	wr32(QPI0, QPI0->box_ctl, FROZEN | 3);
	wr32(PCU, PCU->box_ctl, FROZEN | 3);
	wr32(IMC0, pci_fixed, 0);
	wr32(IMC0, pci_fixed + 4, 0);
	msr_write(0xc09, 0, NULL);
	set_ctl(PCU, 0, EN);
	set_ctl(PCU, 1, EN | THRESH(1));
	set_ctl(PCU, 2, EN | THRESH(2) | INV);
	set_ctl(PCU, 3, EN | THRESH(2));
	set_ctl(QPI0, 0, 0x14 | EN);
	set_ctl(QPI0, 1, 0x14 | THRESH(1) | EDGE | EN);

	msr_write(0xc08, EN, NULL);
	control_clocks(0);
	while (msr_read(0xc09, NULL) < 400000000)
		spin(100);
	control_clocks(FROZEN);
	msr_write(0xc08, 0, NULL);

	uclk = msr_read(0xc09, NULL) >> 10;
	dclk = dclk_ticks() >> 10;
	pclk = ctr(PCU, 0) >> 10;
	qfclk = ctr(QPI0, 0) >> 10;
	right = near(dclk, uclk, 2, 5) && near(pclk, uclk, 2, 5) && near(qfclk, uclk, 1, 2);
	if (!right)
		note("Ki: uclk %u dclk %u pclk %u qfclk %u", (uint32_t)uclk, (uint32_t)dclk,
		     (uint32_t)pclk, (uint32_t)qfclk);
	return right;
}

static void test_clocks(void)
{
	static const uint32_t pci_fixed_ctl = 0xf0, pci_fixed = 0xd0;
	uint64_t uclk, pclk, qfclk, again;
	bool right = false;

	clean(PCU);
	clean(QPI0);
	clean(IMC0);
	msr_write(0xc09, ~(uint64_t)0, NULL);
	wr32(IMC0, pci_fixed, 0xffffffff);
	wr32(IMC0, pci_fixed + 4, 0xffffffff);
	ok(msr_read(0xc09, NULL) == width_mask(48) && rd32(IMC0, pci_fixed) == 0xffffffff &&
	   rd32(IMC0, pci_fixed + 4) == 0xffff, "fixed counters are 48 bits wide");
	/* a millisecond before it wraps */
	msr_write(0xc09, width_mask(48) - 2000000, NULL);
	msr_write(0xc08, EN, NULL);
	do
		uclk = msr_read(0xc09, NULL);
	while (uclk > width_mask(48) - 2000000);
	msr_write(0xc08, 0, NULL);
	ok(uclk < width_mask(47), "a clock wraps");
	cmd("checker reset");
	msr_write(0xc09, 0, NULL);
	wr32(IMC0, pci_fixed_ctl, 1 << 19);
	ok(rd32(IMC0, pci_fixed) == 0 && rd32(IMC0, pci_fixed_ctl) == 0, "imc: fixed rst clears");
	wr32(IMC0, pci_fixed_ctl, EN);
	for (unsigned int i = 0; i < 100 && !right; i++)
		right = clocks_in_step();
	ok(right, "dclk and pclk run at 2/5 of uclk, qfclk at 1/2");
	/* one write starts, and one stops it */
	ok(ctr(PCU, 1) == ctr(PCU, 0) && ctr(PCU, 2) == ctr(PCU, 0),
	   "a clock passes threshold 1, and 2 inverted");
	ok(!ctr(PCU, 3) && !ctr(QPI0, 1), "and not threshold 2, and it has no edges");
	pclk = ctr(PCU, 0);
	qfclk = ctr(QPI0, 0);
	again = msr_read(0xc09, NULL);
	spin(1000);
	ok(again == msr_read(0xc09, NULL) && pclk == ctr(PCU, 0) && qfclk == ctr(QPI0, 0),
	   "frozen and disabled clocks have stopped counting");
	/* While it is frozen, and all of it: the low half wraps every 5 s. */
	again = dclk_ticks();
	wr32(IMC0, IMC0->box_ctl, 0);
	spin(1000);
	wr32(IMC0, IMC0->box_ctl, FROZEN);
	ok(dclk_ticks() > again, "an unfrozen clock goes on");
	keeps("clocks");
	ok(cmd("stim 0 pcu event=0") == MODEL_STATUS_ERROR && answered("is a clock"),
	   "a clock takes no stimulus");
	wr32(IMC0, pci_fixed_ctl, 0);
	clean(QPI0);
	clean(PCU);
	clean(IMC0);
}

/* The UBox has no freeze: its clock runs at least as long as the PCU's does. */
static void test_frozen_clock(void)
{
	uint64_t before;

	clean(PCU);
	set_ctl(PCU, 0, EN);
	wr32(PCU, PCU->box_ctl, FROZEN);
	before = ctr(PCU, 0);
	spin(100000);
	msr_write(0xc09, 0, NULL);
	msr_write(0xc08, EN, NULL);
	wr32(PCU, PCU->box_ctl, 0x10000);
	wr32(PCU, PCU->box_ctl, FROZEN);
	msr_write(0xc08, 0, NULL);
	ok(ctr(PCU, 0) > before && ctr(PCU, 0) - before <= msr_read(0xc09, NULL),
	   "an unfrozen clock has not counted the time before");
	clean(PCU);
}

/* Tests that need only the machine's boxes: test_checker.py runs them on the host. */
SET("registers", test_registers)
{
	test_bits();
	test_each_box();
	test_findings();
	test_counter0_occupancy();
	test_ha_filter();
	test_qpi_filter();
	test_pcu();
	test_frozen_clock();
	test_restrictions();
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
	ok(run_set("residency") && run_set("accesses") && run_set("bytes") &&
	   run_set("second-socket"), "all sets are there");
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

SET("pcu-drop", test_pcu_drop)
{
	bool fault;

	msr_write(0xc30, 0x03 | EXT, &fault);
	ok(!fault && msr_read(0xc30, NULL) == 3, "bit 21 of the PCU's control is dropped");
	keeps("bit 21 of the PCU's control is tried");
	COUNTS(PCU, 0x03 | EXT, "event=0x03,ext=1,count=4", 0);
	ok(cmd("checker") == MODEL_STATUS_FOUND, "relying on it is");
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

/* @args: a set of tests, or a command to print the rows of, as test_model.py does */
void test_main(const char *args)
{
	/* These tests read box controls, and use thresholds that nothing reaches. */
	if (!same(args, "rules") && !same(args, "rules-off"))
		cmd("checker off wo-read:threshold");
	if (!run_set(args))
		print_rows(args);
}
