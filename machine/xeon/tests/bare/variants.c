// SPDX-License-Identifier: GPL-2.0-or-later
/* Test each hardware variant alone, on a machine that has it. */

#include "boxes.h"

#define READS	100

/* AND and OR of 100 reads of a register */
struct seen {
	uint64_t all, any;
};

#define SEE(read) ({							\
	struct seen s_ = { ~(uint64_t)0, 0 };				\
									\
	for (unsigned int i_ = 0; i_ < READS; i_++) {			\
		uint64_t v_ = read;					\
									\
		s_.all &= v_;						\
		s_.any |= v_;						\
	}								\
	s_;								\
})

/* Read a box's register at its width. */
static struct seen see_reg(const struct box *b, unsigned int reg)
{
	return b->msr ? SEE(msr_read(reg, NULL)) : SEE(pci_read(BUS(0), b->dev, b->fn, reg));
}

static uint64_t all_bits(const struct box *b)
{
	return b->msr ? ~(uint64_t)0 : 0xffffffff;
}

/* Whether all bits are noise except those in @defined, which are @value */
static bool noisy(struct seen s, uint64_t all, uint64_t defined, uint64_t value)
{
	bool right = s.all == value && s.any == (value | (all & ~defined));

	if (!right)
		note("always 0x%llx, ever 0x%llx", s.all, s.any);
	return right;
}

/* noise=on */
SET("noise", test_noise)
{
	for (const struct box *x = boxes; x < boxes + NR_BOXES; x++) {
		/* where bit 17 is rst, it is write-only, not reserved */
		uint64_t ctl = x->ctl_bits & ~EN;
		bool rst = x->msr || x->resets;
		struct seen s;

		set_ctl(x, 0, ctl & ~EXT);
		ok(noisy(see_reg(x, ctl_reg(x, 0)), all_bits(x), ctl | (rst ? RST : 0) | EN |
			 (x == PCU ? EXT : 0), ctl & ~EXT),
		   "%s: noise in what a control register reserves", x->name);
		set_ctr(x, 0, 0x123456789ab);
		s = see_reg(x, x->msr ? x->ctr : x->ctr + 4);
		ok(x->msr ? (s.all & 0xfffffffffff) == 0x123456789ab && s.any >> 48 == 0xffff :
		   (s.all & 0xfff) == 0x123 && s.any >> 16 == 0xffff &&
		   rd32(x, x->ctr) == 0x456789ab,
		   "%s: noise above a counter", x->name);
		if (x->box_ctl) {
			wr32(x, x->box_ctl, FROZEN);
			ok(noisy(see_reg(x, x->box_ctl), all_bits(x), FROZEN | x->resets, FROZEN),
			   "%s: noise in what the box control reserves", x->name);
		}
		clean(x);
	}
	msr_write(CBO_FILTER, 0xaaaaa80a, NULL);
	ok(noisy(see_reg(CBOX0, CBO_FILTER), ~(uint64_t)0, 0xfffffc1f, 0xaaaaa80a),
	   "noise in the CBo's filter");
	msr_write(CBO_FILTER, 0, NULL);
	wr32(HA, 0x44, 0x1234);
	ok(noisy(see_reg(HA, 0x44), 0xffffffff, 0x3fff, 0x1234), "noise in the HA's match");
	wr32(HA, 0x44, 0);
	ok(noisy(SEE(pci_read(BUS(0), 8, 6, 0x22c)), 0xffffffff, 0xf000f, 0),
	   "noise in QPI's match");
	ok(noisy(SEE(pci_read(BUS(0), 11, 0, 0x40)), 0xffffffff, 0x7, 0),
	   "noise above the node id");
	ok(noisy(SEE(pci_read(BUS(0), 11, 0, 0x54)), 0xffffffff, 0xffffff, 0xfac688),
	   "noise above the node id map");
	ok(noisy(SEE(pci_read(BUS(0), 8, 0, 0xd4)), 0xffffffff, 0x17, 5), "noise about QPI's rate");
	ok(noisy(SEE(pci_read(BUS(0), 16, 0, 0xf0)), 0xffffffff, EN | 1 << 19, 0),
	   "noise in what the iMC's fixed control reserves");
	cmd("checker reset");
	set_ctl(HA, 0, 0x0301 | EN);
	cmd("stim 0 ha event=1,umask=3,count=12345");
	ok((ctr(HA, 0) & width_mask(48)) == 12345, "and what is defined is exact");
	keeps("a box whose registers are noisy");
	cmd("peek 0 ha ctr0");
	ok(answered("CTR0=0x000000003039\n"), "uncore-stim sees no noise");
	clean(HA);
}

/* wo=zero and wo=noise: reads of write-only bits, of BOX_CTL and of the counters' controls */
static void write_only(bool noise)
{
	for (const struct box *x = boxes + 1; x < boxes + NR_BOXES; x++) {
		uint64_t wo = FROZEN | x->resets;

		set_ctl(x, 0, x->event | x->umask << 8 | EN);
		wr32(x, x->box_ctl, FROZEN);
		stim_box(x, 0, 1);
		ok(!ctr(x, 0), "%s: freezes", x->name);
		ok(noisy(see_reg(x, x->box_ctl), noise ? wo : 0, 0, 0),
		   "%s: the box control does not read back", x->name);
		if (x->resets)
			ok(noisy(see_reg(x, ctl_reg(x, 0)), noise ? RST : 0, 0,
				 x->event | x->umask << 8 | EN), "%s: nor does rst", x->name);
		clean(x);
	}
}

SET("wo-zero", test_wo_zero)
{
	write_only(false);
}

SET("wo-noise", test_wo_noise)
{
	write_only(true);
	ok(noisy(SEE(pci_read(BUS(0), 16, 0, 0xf0)), 1 << 19, 0, 0),
	   "imc: nor does the fixed counter's rst");
}

/* cores=4 missing-cbos=zero */
SET("missing-zero", test_missing_zero)
{
	static const uint8_t there[] = {
		0x04, 0x10, 0x11, 0x12, 0x13, 0x14, 0x16, 0x17, 0x18, 0x19,
	};
	bool fault, quiet = true;

	for (uint32_t base = 0xd80; base <= 0xde0; base += 0x20) {
		for (unsigned int i = 0; i < sizeof(there); i++) {
			msr_write(base + there[i], 0x10100, &fault);
			quiet &= !fault && !msr_read(base + there[i], &fault) && !fault;
		}
	}
	ok(quiet, "CBos that are not there read 0 and drop what is written");
	ok(cmd("stim 0 cbox_4 event=5,umask=2") == MODEL_STATUS_ERROR &&
	   cmd("poke 0 msr 0xd84=0") == MODEL_STATUS_ERROR, "nobody else can write them");
	msr_read(0xd85, &fault);
	ok(fault, "what is no register still faults");
	msr_write(0xd64, FROZEN, &fault);
	ok(!fault && msr_read(0xd64, NULL) == FROZEN, "the last CBo that is there answers");
}

/* firmware=careless */
SET("firmware", test_firmware)
{
	unsigned int frozen = 0, on = 0, off = 0, values = 0, filters = 0, ticking = 0;
	uint64_t before;

	keeps("what the firmware did");
	for (const struct box *x = boxes; x < boxes + NR_BOXES; x++) {
		if (x->box_ctl)
			frozen += rd32(x, x->box_ctl) == FROZEN;
		for (unsigned int i = 0; i < x->ctrs; i++) {
			uint32_t ctl = rd32(x, ctl_reg(x, i));

			on += !!(ctl & EN);
			off += !(ctl & EN);
			before = ctr(x, i);
			values += !!before;
			spin(10);
			ticking += ctr(x, i) != before;
		}
	}
	for (unsigned int i = 0; i < 8; i++)
		filters += !!msr_read(CBO_FILTER + 0x20 * i, NULL);
	note("%u boxes frozen, %u counters enabled, %u not, %u with a value, %u ticking, %u filters",
	     frozen, on, off, values, ticking, filters);
	ok(frozen > 2 && frozen < 18, "boxes are left frozen");
	ok(on > 10 && off > 10, "counters are left enabled");
	ok(values > 50, "counters are left as they were");
	ok(filters > 4, "filters are left");
	ok(ticking, "and counters count");
	cmd("checker reset");
	for (const struct box *x = boxes; x < boxes + NR_BOXES; x++)
		clean(x);
	ALLOWS(msr_write(0xc08, 0, NULL), "what the firmware left is cleaned up");
	cmd("poke 0 ha ctl0=0x400301");
	cmd("reset-all");
	ok(!rd32(HA, HA->ctl) && !msr_read(CBO_FILTER + 0x20, NULL), "S3 leaves nothing");
}

/* pcu-filter=transition */
SET("pcu-filter", test_pcu_filter)
{
	msr_write(PCU_FILTER, 25, NULL);
	/* frequency 2000 MHz, as at reset, with a band of 0 MHz */
	COUNTS(PCU, 0x0b, "event=0xb,freq=2000,count=4", 4);
	COUNTS(PCU, 0x0b, "event=0xb,count=4", 4);
	ok(msr_read(PCU_FILTER, NULL) == 25, "the filter reads back before it is in effect");
	cmd("stim 0 pcu freq=1000");
	COUNTS(PCU, 0x0b, "event=0xb,freq=2000,count=4", 0);
	COUNTS(PCU, 0x0b, "event=0xb,freq=2500,count=4", 4);
	msr_write(PCU_FILTER, 30, NULL);
	COUNTS(PCU, 0x0b, "event=0xb,freq=2500,count=4", 4);
	COUNTS(PCU, 0x0b, "event=0xb,freq=2600,count=4", 0);
	clean(PCU);
}

/* ubox-fixed=44 */
SET("ubox-fixed", test_ubox_fixed)
{
	msr_write(0xc09, ~(uint64_t)0, NULL);
	ok(msr_read(0xc09, NULL) == width_mask(44), "the fixed counter has 44 bits");
	breaks("the counter has 44 bits", "48 bits are written to the UBox's fixed counter");
	msr_write(0xc09, width_mask(44) - 100, NULL);
	msr_write(0xc08, EN, NULL);
	spin(1000);
	msr_write(0xc08, 0, NULL);
	ok(msr_read(0xc09, NULL) < (uint64_t)20000000000, "it wraps at 44 bits");
	pci_write(BUS(0), 16, 0, 0xd4, 0xffffffff);
	ok(pci_read(BUS(0), 16, 0, 0xd4) == 0xffff, "the iMC's has 48");
}

/* qpi-rate=7,3s */
SET("qpi-rates", test_qpi_rates)
{
	const struct box *p0 = QPI0, *p1 = QPI0 + 1;
	uint64_t c0, c1;
	bool right = false;

	ok(pci_read(BUS(0), 8, 0, 0xd4) == 7 && pci_read(BUS(1), 9, 0, 0xd4) == 0x13,
	   "QPI_RATE_STATUS is each port's own");
	for (unsigned int i = 0; i < 10 && !right; i++) {
		set_ctr(p0, 0, 0);
		set_ctr(p1, 0, 0);
		set_ctl(p0, 0, 0x14 | EN);
		set_ctl(p1, 0, 0x14 | EN);
		while (ctr(p0, 0) < 100000000)
			spin(100);
		set_ctl(p0, 0, 0);
		set_ctl(p1, 0, 0);
		c0 = ctr(p0, 0) >> 10;
		c1 = ctr(p1, 0) >> 10;
		/* 1200 and 800 MHz, to a twentieth */
		right = c0 * 2 * 20 > c1 * 3 * 19 && c0 * 2 * 20 < c1 * 3 * 21;
	}
	ok(right, "and so is its clock");
	if (!right)
		note("Ki: port 0 %u port 1 %u", (uint32_t)c0, (uint32_t)c1);
}

/* packages=0,2 nodes=5,1 buses=3f,1f */
SET("buses", test_buses)
{
	ok(ap_start(), "the second socket's processor runs");
	ok(pci_read(0x3f, 11, 0, 0x40) == 5 && pci_read(0x1f, 11, 0, 0x40) == 1,
	   "each bus has its socket's node id");
	ok(pci_read(0x3f, 11, 0, 0x54) == (5 | 1 << 6) &&
	   pci_read(0x1f, 11, 0, 0x54) == (5 | 1 << 6),
	   "the map has them by package");
	pci_write(0x1f, 14, 1, 0xd8, 0x0301 | EN);
	cmd("stim 1 ha event=1,umask=3,count=6");
	ok(pci_read(0x1f, 14, 1, 0xa0) == 6 && !pci_read(0x3f, 14, 1, 0xa0),
	   "each bus has its socket's functions");
	ap_msr_write(0xd10, 0x0435 | EN, NULL);
	cmd("stim 1 cbox_0 event=0x35,umask=4,count=3");
	ok(ctr_of(CBOX0, 1, 0) == 3 && !ctr(CBOX0, 0),
	   "the package without a neighbour has its MSRs");
	ok(pci_read(BUS(0), 11, 0, 0) == 0xffffffff && pci_read(BUS(1), 11, 0, 0) == 0xffffffff,
	   "and nothing is on other buses");
}
