// SPDX-License-Identifier: GPL-2.0-or-later
/* Break and keep each of the checker's rules about registers and their order. */

#include "boxes.h"

#define UM(u)		((u) << 8)
#define LOOKUP		(0x34 | UM(0x03))
#define LOOKUP_NID	(0x34 | UM(0x43))
#define OPCODE		(0x35 | UM(0x01))
#define NID_OPCODE	(0x35 | UM(0x41))
#define VICTIMS		(0x37 | UM(0x01))
#define OCCUPANCY	(0x11 | UM(0x01))
#define COMPANION	0x1f
#define BANDS(b)	((uint32_t)(b))

/* Stop, freeze and reset everything, and reset the checker. */
static void fresh(const struct box *b)
{
	if (b->box_ctl)
		wr32(b, b->box_ctl, FROZEN);
	clean(b);
	if (b == CBOX0)
		msr_write(CBO_FILTER, 0, NULL);
	if (b == PCU)
		msr_write(PCU_FILTER, 0, NULL);
	if (b->box_ctl)
		wr32(b, b->box_ctl, FROZEN);
	cmd("checker reset");
}

static void go(const struct box *b)
{
	wr32(b, b->box_ctl, 0);
}

static void test_wo_read(void)
{
	for (const struct box *x = boxes + 1; x < boxes + NR_BOXES; x++) {
		fresh(x);
		rd32(x, x->box_ctl);
		if (cmd("checker") != MODEL_STATUS_FOUND || !answered("op=read") ||
		    !answered("its bits are write-only"))
			ok(false, "checked: %s: the box control is read", x->name);
		cmd("checker reset");
		rd32(x, x->ctl);
		ctr(x, 0);
		if (cmd("checker") != MODEL_STATUS_OK)
			ok(false, "not checked: %s: controls and counters are read", x->name);
	}
	fresh(HA);
	FINDS(rd32(HA, HA->box_ctl), "reg=HA_PCI_PMON_BOX_CTL op=read",
	      "the box control is read, by PCI");
	fresh(CBOX0);
	FINDS(rd32(CBOX0, CBOX0->box_ctl), "reg=C0_MSR_PMON_BOX_CTL op=read",
	      "the box control is read, by MSR");
	cmd("peek 0 ha box_ctl");
	ALLOWS(cmd("get 0 ha"), "uncore-stim reads it");
}

static void test_stale(void)
{
	cmd("reset-all");
	cmd("checker reset");
	ALLOWS(wr32(HA, HA->ctl, 0x0301 | EN),
	       "a counter of the HA that was never reset, and may still be read");
	FINDS(wr32(HA, HA->ctl, 0x0301 | EN), "2.1.1 e", "something else is written first");
	wr32(HA, HA->ctl, 0);
	set_ctr(HA, 0, 0);
	wr32(HA, HA->ctl, 0x0301 | EN);
	ALLOWS(wr32(HA, HA->ctl, 0x0301 | EN), "one that was written");
	wr32(HA, HA->ctl + 4, 0x0301 | EN);
	rd32(HA, HA->ctr + 8);
	ALLOWS(wr32(HA, HA->ctl + 4, 0x0301 | EN), "another that is read at its start");
	wr32(HA, HA->ctl + 8, 0x0301 | EN);
	FINDS(wr32(HA, HA->ctl + 8, 0x0301 | EN), "reg=HA_PCI_PMON_CTL2", "a third that is not");
	wr32(CBOX0, CBOX0->box_ctl, FROZEN);
	wr32(CBOX0, CBOX0->ctl + 1, VICTIMS | EN);
	ALLOWS(wr32(CBOX0, CBOX0->ctl + 1, VICTIMS | EN), "one that is frozen");
	wr32(CBOX0, CBOX0->box_ctl, 0);
	FINDS(wr32(CBOX0, CBOX0->box_ctl, 0), "reg=C0_MSR_PMON_CTL1", "until it is thawed");
	wr32(CBOX0, CBOX0->box_ctl, FROZEN | 2);
	ALLOWS(wr32(CBOX0, CBOX0->box_ctl, 0), "counters of a box that was reset");
	ALLOWS(wr32(PCU, PCU->ctl + 2, 5 | RST | EN), "a counter that its control resets");
	ALLOWS(wr32(PCU, PCU->ctl + 2, 5 | EN), "also later");
	msr_write(0xc10, 0x0142 | EN, NULL);
	FINDS(msr_write(0xc10, 0x0142 | EN, NULL), "reg=U_MSR_PMON_CTL0", "the UBox's");
	msr_write(0xc10, 0, NULL);
	msr_write(0xc11, EN, NULL);
	ALLOWS(msr_write(0xc11, EN, NULL), "a UBox's that idles with event 0");
	msr_write(0xc08, EN, NULL);
	FINDS(msr_write(0xc08, EN, NULL), "reg=U_MSR_PMON_UCLK_FIXED_CTL", "the fixed counter");
	msr_write(0xc08, 0, NULL);
	msr_write(0xc09, 0, NULL);
	msr_write(0xc08, EN, NULL);
	ALLOWS(msr_write(0xc08, EN, NULL), "a fixed counter that was written");
	msr_write(0xc08, 0, NULL);
	pci_write(BUS(0), 16, 0, 0xf0, EN | 1 << 19);
	ALLOWS(pci_write(BUS(0), 16, 0, 0xf0, EN), "a fixed counter that its control resets");
	pci_write(BUS(0), 16, 0, 0xf0, 0);
	cmd("reset-all 0");
	cmd("poke 0 ha ctl0=0x400301");
	ALLOWS(wr32(HA, HA->ctl + 4, 0), "a counter that somebody else started");
	cmd("reset-all 0");
	cmd("checker reset");
}

static void test_filter_change(void)
{
	fresh(CBOX0);
	msr_write(CBO_FILTER, STATE(1), NULL);
	set_ctl(CBOX0, 0, LOOKUP | EN);
	ALLOWS(msr_write(CBO_FILTER, STATE(2), NULL),
	       "the CBo's filter changes while the box is frozen");
	go(CBOX0);
	ALLOWS(msr_write(CBO_FILTER, STATE(2), NULL), "it is written and does not change");
	ALLOWS(msr_write(CBO_FILTER, STATE(2) | OPC(0x182) | NID(1) | 3, NULL),
	       "what changes is nobody's");
	msr_write(CBO_FILTER, STATE(3) | OPC(0x182) | NID(1) | 3, NULL);
	breaks("changed while counter 0 runs, whose LLC_LOOKUP",
	       "the state changes under a lookup");
	set_ctl(CBOX0, 0, 0);
	set_ctl(CBOX0, 1, NID_OPCODE | EN);
	msr_write(CBO_FILTER, STATE(3) | OPC(0x180) | NID(1) | 3, NULL);
	breaks("counter 1 runs, whose TOR_INSERTS", "the opcode changes under a match");
	FINDS(msr_write(CBO_FILTER, STATE(3) | OPC(0x180) | NID(2) | 3, NULL), "counter 1 runs",
	      "the node changes under a match");
	set_ctl(CBOX0, 1, VICTIMS | TID_EN | EN);
	FINDS(msr_write(CBO_FILTER, STATE(3) | OPC(0x180) | NID(2) | 4, NULL), "whose LLC_VICTIMS",
	      "the thread changes under its counter");
	set_ctl(CBOX0, 1, VICTIMS | EN);
	ALLOWS(msr_write(CBO_FILTER, 0, NULL), "a filter changes that no counter uses");
	fresh(CBOX0);

	fresh(PCU);
	msr_write(PCU_FILTER, BANDS(0x1020304), NULL);
	set_ctl(PCU, 3, 0x0c | EN);
	go(PCU);
	ALLOWS(msr_write(PCU_FILTER, BANDS(0x2030305), NULL), "other bands change");
	FINDS(msr_write(PCU_FILTER, BANDS(0x2030405), NULL),
	      "counter 3 runs, whose FREQ_BAND1_CYCLES", "a band changes under its event");
	ALLOWS(cmd("poke 0 pcu filter=0"), "somebody else changes it");
	ALLOWS(msr_write(PCU_FILTER, BANDS(0x2030405), NULL), "and it is set right again");
	fresh(PCU);

	fresh(HA);
	set_ctl(HA, 2, 0x0320 | EN);
	go(HA);
	FINDS(wr32(HA, 0x44, 1), "reg=HA_PCI_PMON_BOX_ADDRMATCH1",
	      "the HA's address changes under a match");
	set_ctl(HA, 2, 0x0301 | EN);
	ALLOWS(wr32(HA, 0x44, 0), "without a match");
	fresh(HA);

	fresh(QPI0);
	set_ctl(QPI0, 1, 0x38 | EXT | EN);
	go(QPI0);
	FINDS(pci_write(BUS(0), 8, 6, 0x23c, 1), "whose CTO_COUNT",
	      "QPI's mask changes under a match");
	set_ctl(QPI0, 1, 0);
	ALLOWS(pci_write(BUS(0), 8, 6, 0x23c, 0), "before it runs");
	fresh(QPI0);
}

static void test_criteria(void)
{
	fresh(CBOX0);
	msr_write(CBO_FILTER, STATE(1) | NID(1) | OPC(0x182) | 1, NULL);
	ALLOWS(set_ctl(CBOX0, 0, LOOKUP | TID_EN | EN), "two criteria in a frozen box");
	FINDS(go(CBOX0), "LLC_LOOKUP filters by thread and by more", "thread and state");
	FINDS(set_ctl(CBOX0, 0, OPCODE | TID_EN | EN), "TOR_INSERTS filters by thread and by more",
	      "thread and opcode");
	ALLOWS(set_ctl(CBOX0, 0, VICTIMS | TID_EN | EN), "thread alone");
	ALLOWS(set_ctl(CBOX0, 0, NID_OPCODE | EN),
	       "node and opcode, by a unit mask of the guide's");
	ALLOWS(set_ctl(CBOX0, 0, LOOKUP_NID | EN), "node and state, too");
	FINDS(set_ctl(CBOX0, 1, OPCODE | EN), "counter 0's LLC_LOOKUP filter by different",
	      "one counter by state, one by opcode");
	ALLOWS(set_ctl(CBOX0, 1, LOOKUP_NID | EN), "two by the same");
	ALLOWS(set_ctl(CBOX0, 1, VICTIMS | EN), "one that does not filter");
	fresh(CBOX0);
}

static void test_companion(void)
{
	fresh(CBOX0);
	ALLOWS(set_ctl(CBOX0, 1, COMPANION | EN), "COUNTER0_OCCUPANCY first, in a frozen box");
	set_ctl(CBOX0, 0, OCCUPANCY | EN);
	ALLOWS(go(CBOX0), "COUNTER0_OCCUPANCY beside an occupancy");
	FINDS(set_ctl(CBOX0, 0, OCCUPANCY), "counter 0 has no occupancy event", "counter 0 is off");
	FINDS(set_ctl(CBOX0, 0, VICTIMS | EN), "counter 0 has no occupancy event",
	      "counter 0 counts something else");
	set_ctr(CBOX0, 1, 0);
	cmd("stim 0 cbox_0 event=0x37,umask=1,count=5");
	ok(!ctr(CBOX0, 1) && ctr(CBOX0, 0) == 5, "and it counts nothing");
	fresh(CBOX0);
}

static void test_band_0(void)
{
	fresh(PCU);
	msr_write(PCU_FILTER, BANDS(0x12001234), NULL);
	ALLOWS(set_ctl(PCU, 0, 0x0d | EN), "a band of 0 in a frozen box");
	FINDS(go(PCU), "FREQ_BAND2_CYCLES with a band of 0", "a band of 0");
	FINDS(set_ctl(PCU, 0, 0x8d | OCC(1) | EN), "FREQ_BAND2_CYCLES with a band of 0",
	      "also with an occupancy");
	ALLOWS(set_ctl(PCU, 0, 0x0e | EN), "the band of another event");
	fresh(PCU);
}

static void test_thresholds(void)
{
	fresh(CBOX0);
	ALLOWS(set_ctl(CBOX0, 0, OCCUPANCY | THRESH(20) | EN),
	       "a threshold that an occupancy can reach");
	set_ctl(CBOX0, 0, OCCUPANCY | THRESH(21) | EN);
	breaks("thresh 21 is above 20, the most that RxR_OCCUPANCY adds", "one that it cannot");
	ALLOWS(set_ctl(CBOX0, 0, OCCUPANCY | THRESH(21)), "before it is enabled");
	fresh(CBOX0);
	fresh(IMC0);
	ALLOWS(set_ctl(IMC0, 0, 0x43 | THRESH(2) | EN), "where the guide does not say how much");
	FINDS(set_ctl(IMC0, 0, 0x01 | THRESH(2) | EN),
	      "thresh 2 is above 1, the most that ACT_COUNT", "events that come one by one");
	fresh(IMC0);
	ALLOWS(set_ctl(PCU, 0, 0x80 | OCC(1) | THRESH(8) | EN), "eight cores");
	FINDS(set_ctl(PCU, 0, 0x83 | OCC(1) | THRESH(9) | EN), "thresh 9 is above 8", "nine cores");
	fresh(PCU);
}

/* Reserved bits that can be tested alone: tables 2-3 to 2-126 */
static void test_reserved(void)
{
	for (const struct box *x = boxes; x < boxes + NR_BOXES; x++) {
		bool extended = x == PCU || x == QPI0 || x == QPI0 + 1;

		cmd("checker reset");
		set_ctl(x, 0, EXT);
		if (cmd("checker") != (extended ? MODEL_STATUS_OK : MODEL_STATUS_FOUND) ||
		    (!extended && !answered("reserved bits 0x00200000")))
			ok(false, "%s: bit 21 alone: %s", x->name, cmd_answer);
		set_ctl(x, 0, 0);
		cmd("checker reset");
	}
	FINDS(msr_write(0xc08, 1, NULL), "reg=U_MSR_PMON_UCLK_FIXED_CTL op=write",
	      "bit 0 of the UBox's fixed control");
	msr_write(0xc08, 0, NULL);
	FINDS(pci_write(BUS(0), 16, 0, 0xf0, 1), "reg=MC_CH0_PCI_PMON_FIXED_CTL op=write",
	      "and of a memory channel's");
	pci_write(BUS(0), 16, 0, 0xf0, 0);
	FINDS(msr_write(0xc10, 0x77 | EN, NULL), "event 0x77 is undocumented",
	      "an event that the UBox does not have");
	msr_write(0xc10, 0, NULL);
	ALLOWS(msr_write(CBO_FILTER, 1u << 31, NULL), "all of the opcode's field");
	FINDS(wr32(HA, 0x40, 1), "reg=HA_PCI_PMON_BOX_ADDRMATCH0 op=write",
	      "an address of less than a page");
	wr32(HA, 0x40, 0);
	msr_write(CBO_FILTER, 0, NULL);
	cmd("checker reset");
}

static void test_switches(void)
{
	ok(!cmd("checker rules") && answered("wo-read on: ") && answered("threshold on: "),
	   "rules are listed");
	ok(!cmd("checker off wo-read"), "a rule is left out");
	ALLOWS(rd32(HA, HA->box_ctl), "a rule that is off");
	cmd("checker rules");
	ok(answered("wo-read off: ") && answered("stale-counter on: "), "which says so");
	cmd("checker on wo-read");
	FINDS(rd32(HA, HA->box_ctl), "write-only", "and on again");
	ok(cmd("checker off everything") == MODEL_STATUS_ERROR && answered("no rule 'everything'"),
	   "a rule that is not there is refused");
}

SET("rules", test_rules)
{
	cmd("checker rules");
	ok(!answered(" off: "), "all rules are in force");
	test_wo_read();
	test_stale();
	test_filter_change();
	test_criteria();
	test_companion();
	test_band_0();
	test_thresholds();
	test_reserved();
	test_switches();
}

/* checker-off=wo-read,counter0 */
SET("rules-off", test_rules_off)
{
	cmd("checker rules");
	ok(answered("wo-read off: ") && answered("counter0 off: ") &&
	   answered("stale-counter on: ") && answered("threshold on: "),
	   "the machine's checker is told what to leave out, and what not");
	ALLOWS(rd32(HA, HA->box_ctl), "what it leaves out");
	cmd("reset-all 0");
	wr32(HA, HA->ctl, 0x0301 | EN);
	FINDS(wr32(HA, HA->ctl, 0x0301 | EN), "2.1.1 e", "what it does not");
	wr32(HA, HA->ctl, 0);
}
