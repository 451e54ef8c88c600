// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The uncore's protocol checker beside a reference from the guide: drawn writes, reads and
 * injected writes of each box's registers, on each generation, with drawn rules left out.
 */
#include "uncore-test.h"

#define EXT	(1u << 21)
#define FRZ	0x100u
#define FRZ_EN	0x10000u
#define ROUNDS	1500
#define STEPS	100

/* What the checker reports, by words of its findings */
enum {
	MUST_BE_0, RESERVED, WIDE, NO_EVENT, NO_COUNTER, NO_UMASK, NO_OCCUPANCY, THRESHOLD,
	NO_THRESHOLD, COUNTER_WIDE, WRITE_ONLY, CHANGED, NO_STATE, NO_NODE, NO_OPCODE,
	TWO_CRITERIA, TWO_USERS, COUNTER0, STALE, BAND_0, FINDINGS
};

static const char *const words[FINDINGS] = {
	": SW must write to 0", "\"reserved bits 0x", "the register has 32 bits",
	"is undocumented", "cannot be counted on counter", "has no unit mask", "occ_sel 0 selects",
	"the most that", "thresh must be non-0", "the rest is reserved", "its bits are write-only",
	"changed while counter", "must have a state", "must have a node", "must have an opcode",
	"filters by thread and by more", "by different criteria", "counter 0 has no occupancy",
	"neither reset nor written", "with a band of 0",
};

/*
 * Control registers, tables 2-2 to 2-119, and those of IRP and SBox as Linux writes them; their box
 * controls, tables 2-9 to 2-118: fields, those that are write-only, and bits to be written as 0
 */
static const struct fields fields[UNCORE_KINDS] = {
	[UNCORE_UBOX] = { 0x1fc4ffff, 0x20000, 0x300000 },
	[UNCORE_CBOX] = { 0xffccffff, 0x20000, 0x310000, 0x10103, 0x20000 },
	[UNCORE_HA] = { 0xffc4ffff, 0, 0x330000, 0x10100, 0x20003 },
	[UNCORE_IMC] = { 0xffc4ffff, 0, 0x330000, 0x10100, 0x20003 },
	[UNCORE_PCU] = { 0xdfc4c0ff, 0x20000, 0x20300000, 0x10103, 0x20000 },
	[UNCORE_QPI] = { 0xffe4ffff, 0x20000, 0x110000, 0x10103, 0x20000 },
	[UNCORE_R2PCIE] = { 0xffc4ffff, 0x20000, 0x310000, 0x10103, 0x20000 },
	[UNCORE_R3QPI] = { 0xffc4ffff, 0x20000, 0x310000, 0x10103, 0x20000 },
	[UNCORE_SBOX] = { 0xffccffff, 0x20000, 0x310000, 0x10103, 0x20000 },
	[UNCORE_IRP] = { 0xffc4ffff, 0x20000, 0x310000, 0x10103, 0x20000 },
};

/* Filters from a generation on: their bits, and those that are to be written as 0 */
static const struct {
	UncoreKind kind;
	unsigned int generation, index;
	uint32_t rw, mbz;
} filters[] = {
	{ UNCORE_CBOX, 3, 0, 0x00fe03ff }, { UNCORE_CBOX, 2, 0, 0x007e01ff },
	{ UNCORE_CBOX, 2, 1, 0xfff0ffff }, { UNCORE_CBOX, 1, 0, 0xfffffc1f },
	{ UNCORE_HA, 1, 0, 0xffffffc0 }, { UNCORE_HA, 1, 1, 0x3fff }, { UNCORE_HA, 1, 2, 0x3f },
	{ UNCORE_PCU, 1, 0, ~0u }, { UNCORE_SBOX, 3, 0, ~0u }, { UNCORE_UBOX, 3, 0, 0x3f },
	{ UNCORE_QPI, 1, 0, 0x8003fff8, 0x7ffc0007 }, { UNCORE_QPI, 1, 1, 0xf000f, 0xfff0fff0 },
	{ UNCORE_QPI, 1, 2, 0x8003fff8, 0x7ffc0007 }, { UNCORE_QPI, 1, 3, 0xf000f, 0xfff0fff0 },
};

/* The reference: registers, and what the guest or somebody else has done with them */
static struct {
	uint32_t ctl[UNCORE_FIXED + 1], box_ctl, filter[4];
	bool fresh[UNCORE_FIXED + 1], stale[UNCORE_FIXED + 1];
	bool ctl_poked[UNCORE_FIXED + 1], filter_poked[4];
} ref;
static UncoreBox *box;
static unsigned int found, times[FINDINGS];

static UncoreKind kind(void)
{
	return box->type->kind;
}

struct fields fields_of_box(const UncoreBox *b)
{
	UncoreKind k = b->type->kind;
	struct fields f = fields[k];

	if ((k == UNCORE_HA || k == UNCORE_IMC) && uncore.generation > 1) {
		f.box_wo = 0x10103;
		f.box_mbz = 0x20000;
	}
	return f;
}

struct fields filter_of_box(const UncoreBox *b, unsigned int i)
{
	for (unsigned int n = 0; n < ARRAY_SIZE(filters); n++) {
		if (filters[n].kind == b->type->kind && filters[n].index == i &&
		    filters[n].generation <= uncore.generation)
			return (struct fields){ .rw = filters[n].rw, .mbz = filters[n].mbz };
	}
	return (struct fields){ 0 };
}

static bool rule(UncoreRule r)
{
	return !(uncore.rules_off >> r & 1);
}

static void expect(unsigned int what, bool that)
{
	found |= that << what;
}

static void check_fields(uint64_t v, uint32_t rw, uint32_t wo, uint32_t mbz)
{
	expect(MUST_BE_0, v & mbz);
	expect(RESERVED, (uint32_t)v & ~(rw | wo | mbz));
	expect(WIDE, v >> 32);
}

/* Section 2.6.3.2: bit 7 of the PCU's event combines another one with an occupancy. */
static const UncoreEvent *event_of(uint32_t ctl)
{
	uint8_t code = ctl;
	bool ext = ctl & EXT;
	const UncoreEvent *e = NULL;

	for (const UncoreEvent *x = box->events; x->name; x++) {
		if (x->ext != ext)
			continue;
		if (x->code == code)
			return x;
		if (kind() == UNCORE_PCU && x->code == (code & 0x7f))
			e = x;
	}
	return e;
}

static unsigned int thresh_of(uint32_t ctl)
{
	return ctl >> 24 & (kind() == UNCORE_UBOX || kind() == UNCORE_PCU ? 0x1f : 0xff);
}

static void check_event(unsigned int i, uint32_t ctl)
{
	const UncoreEvent *e = event_of(ctl);
	unsigned int um = ctl >> 8 & 0xff, thresh = thresh_of(ctl);
	bool pcu = kind() == UNCORE_PCU, occ = pcu && ctl & 0x80;

	if (!e) {
		expect(NO_EVENT, kind() != UNCORE_UBOX || ctl & 0xff);
		return;
	}
	expect(NO_COUNTER, !(e->ctrs >> i & 1));
	/* What may be ORed of the CBo's cache events, tests/events/test_model.py compares. */
	if (!pcu && e->umask <= UNCORE_UM_BITS)
		expect(NO_UMASK, um & ~e->umask_bits && um != e->list_umask);
	expect(NO_OCCUPANCY, occ && !(ctl >> 14 & 3));
	if (occ || !e->max_inc_blank)
		expect(THRESHOLD, thresh > (occ ? 8 : e->max_inc) && rule(UNCORE_RULE_THRESHOLD));
	expect(NO_THRESHOLD, !thresh && ctl & (occ ? 3u << 30 : EDGE | INV));
}

static bool frozen(void)
{
	uint32_t bits = uncore.generation > 1 ? FRZ : FRZ | FRZ_EN;

	return (ref.box_ctl & bits) == bits;
}

static bool runs(unsigned int i)
{
	return !frozen() && ref.ctl[i] & EN && !ref.ctl_poked[i];
}

/* Fields of a CBo's filter that a control asks for; table 2-12, sections 2.3.3.3 and 2.3.7 */
enum { TID = 1, STATE = 2, NODE = 4, OPCODE = 8 };

static uint64_t mask_of(unsigned int criteria)
{
	static const uint64_t masks[][4] = {
		{ 0x1f, 0x1full << 18, 0xffull << 10, 0x1ffull << 23 },
		{ 0x1f, 0x3full << 17, 0xffffull << 32, 0x1ffull << 52 },
		{ 0x3f, 0x7full << 17, 0xffffull << 32, 0x1ffull << 52 },
	};
	uint64_t mask = 0;

	for (unsigned int i = 0; i < 4; i++)
		mask |= criteria >> i & 1 ? masks[MIN(uncore.generation, 3u) - 1][i] : 0;
	return mask;
}

static unsigned int criteria_of(uint32_t ctl)
{
	unsigned int code = ctl & 0xff, um = ctl >> 8 & 0xff, by = ctl & TID_EN ? TID : 0;

	if (code >= 0x34 && code <= 0x37)
		by |= um & 0x40 ? NODE : 0;
	if (code == 0x34)
		by |= STATE;
	if (code == 0x35 || code == 0x36)
		by |= um & 1 ? OPCODE : 0;
	return by;
}

/* Bits of filter register @i that a counter's event depends on */
static uint32_t filter_bits(const UncoreEvent *e, uint32_t ctl, unsigned int i)
{
	if (kind() == UNCORE_CBOX)
		return mask_of(criteria_of(ctl)) >> 32 * i;
	if (e->filter >= UNCORE_F_BAND0)
		return 0xffu << 8 * (e->filter - UNCORE_F_BAND0);
	return e->filter ? ~0u : 0;
}

static void check_cbo(unsigned int i)
{
	unsigned int by = criteria_of(ref.ctl[i]);
	uint64_t f = (uint64_t)ref.filter[1] << 32 | ref.filter[0];
	const UncoreEvent *zero = event_of(ref.ctl[0]);

	expect(TWO_CRITERIA, by & TID && by != TID && rule(UNCORE_RULE_ONE_CRITERION));
	for (unsigned int o = 0; o < i; o++) {
		unsigned int also = runs(o) && event_of(ref.ctl[o]) ? criteria_of(ref.ctl[o]) : 0;

		expect(TWO_USERS, by && also && by != also && rule(UNCORE_RULE_ONE_USER));
	}
	expect(COUNTER0, (ref.ctl[i] & 0xff) == 0x1f && rule(UNCORE_RULE_COUNTER0) &&
	       !(zero && zero->max_inc > 1 && ref.ctl[0] & EN));
	if (ref.filter_poked[0])
		return;
	expect(NO_STATE, by & STATE && !(f & mask_of(STATE)));
	expect(NO_NODE, by & NODE && !(f & mask_of(NODE)));
	expect(NO_OPCODE, by & OPCODE && !(f & mask_of(OPCODE)));
}

/* After each write of the guest; section 2.1.1 e */
static void check_running(void)
{
	for (unsigned int i = 0; i <= UNCORE_FIXED; i++) {
		const UncoreEvent *e = i < UNCORE_FIXED && runs(i) ? event_of(ref.ctl[i]) : NULL;
		bool stale = (i == UNCORE_FIXED ? runs(i) : !!e) && !ref.fresh[i];

		expect(STALE, stale && ref.stale[i] && rule(UNCORE_RULE_STALE));
		ref.stale[i] = stale;
		if (!e)
			continue;
		if (kind() == UNCORE_CBOX)
			check_cbo(i);
		if (e->filter >= UNCORE_F_BAND0 && !ref.filter_poked[0])
			expect(BAND_0, !(filter_bits(e, 0, 0) & ref.filter[0]) &&
			       rule(UNCORE_RULE_BAND_0));
	}
}

static void write_box_ctl(uint64_t v, bool poked)
{
	struct fields f = fields_of_box(box);

	if (!poked)
		check_fields(v, 0, f.box_wo, f.box_mbz);
	for (unsigned int i = 0; i < box->type->ctrs; i++) {
		if (v & f.box_wo & 1) {
			ref.ctl[i] = 0;
			ref.ctl_poked[i] = false;
		}
		ref.fresh[i] |= !!(v & f.box_wo & 2);
	}
	ref.box_ctl = v & (FRZ | FRZ_EN);
}

static void write_ctl(unsigned int i, uint64_t v, bool poked)
{
	struct fields f = fields_of_box(box);
	bool sticks = uncore.trait[UNCORE_T_PCU_EXT] == UNCORE_EXT_STICK;
	bool pcu = kind() == UNCORE_PCU;

	if (i == UNCORE_FIXED)
		f = kind() == UNCORE_UBOX ? (struct fields){ EN, 0, 0x300000 } :
			(struct fields){ EN, 1 << 19, 0xb00000 };
	/* Table 2-75 reserves the PCU's extended select: it may be tried, and used if it sticks. */
	if (!poked)
		check_fields(v & ~(uint64_t)(pcu && (sticks || !(v & EN)) ? EXT : 0), f.rw, f.wo,
			     f.mbz);
	if (!poked && i != UNCORE_FIXED && v & EN)
		check_event(i, v);
	ref.ctl[i] = v & (f.rw | (pcu && sticks ? EXT : 0));
	ref.ctl_poked[i] = poked;
	ref.fresh[i] |= !!(v & f.wo);
}

static void write_filter(unsigned int i, uint64_t v, bool poked)
{
	struct fields f = filter_of_box(box, i);
	uint32_t changed = ref.filter[i] ^ v;

	for (unsigned int n = 0; n < box->type->ctrs && !poked && !ref.filter_poked[i]; n++) {
		const UncoreEvent *e = runs(n) ? event_of(ref.ctl[n]) : NULL;

		expect(CHANGED, e && filter_bits(e, ref.ctl[n], i) & changed &&
		       rule(UNCORE_RULE_FILTER_CHANGE));
	}
	if (!poked)
		check_fields(v, f.rw, 0, f.mbz);
	ref.filter[i] = v & f.rw;
	ref.filter_poked[i] = poked;
}

static void access_register(UncoreReg reg, uint64_t v, unsigned int how)
{
	bool poked = how == 1;
	unsigned int width;

	if (how == 2) {
		expect(WRITE_ONLY, reg.kind == UNCORE_R_BOX_CTL && rule(UNCORE_RULE_WO_READ));
		ref.fresh[reg.index] |= reg.kind == UNCORE_R_CTR;
		uncore_reg_read(box, reg);
		return;
	}
	switch (reg.kind) {
	case UNCORE_R_BOX_CTL:
		write_box_ctl(v, poked);
		break;
	case UNCORE_R_CTL:
		write_ctl(reg.index, v, poked);
		break;
	case UNCORE_R_FILTER:
		write_filter(reg.index, v, poked);
		break;
	default:
		width = uncore_ctr_width(box, reg.index) - (reg.high ? 32 : 0);
		if (!poked && (reg.high || box->type->msr))
			expect(COUNTER_WIDE, v >> width);
		ref.fresh[reg.index] = true;
	}
	if (poked) {
		uncore_reg_poke(box, reg, v);
		return;
	}
	check_running();
	uncore_reg_write(box, reg, v);
}

/* Mostly an event that the box has, on a counter or not; now and then any bits */
static uint64_t draw_ctl(void)
{
	unsigned int nr = 0;
	const UncoreEvent *e;
	uint64_t v;

	while (box->events[nr].name)
		nr++;
	e = &box->events[draw_below(nr)];
	v = e->code | e->ext << 21 | (one_in(3) ? draw_below(256) : draw() & e->umask_bits) << 8;
	if (kind() == UNCORE_CBOX && one_in(2))
		v = (one_in(4) ? 0x1f : 0x34 + draw_below(4)) | one_in(4) * TID_EN |
		    (draw_below(256) & draw_below(256)) << 8;
	if (kind() == UNCORE_CBOX && one_in(4))
		v = 0x111;
	if (kind() == UNCORE_PCU && one_in(2))
		v = (v & ~0x3f00ull) | one_in(2) << 7 | draw_below(4) << 14 |
		    one_in(4) * draw_below(4) << 30;
	if (one_in(3))
		v |= draw_below(one_in(2) ? 256 : 24) << 24;
	if (one_in(5))
		v |= draw() & (EDGE | INV);
	if (!one_in(5))
		v |= EN;
	if (one_in(20))
		v ^= 1ull << draw_below(box->type->msr ? 40 : 32);
	return one_in(30) ? draw_bits(32) : v;
}

static uint64_t draw_value(UncoreReg reg)
{
	unsigned int bits = box->type->msr ? 64 : 32;

	switch (reg.kind) {
	case UNCORE_R_BOX_CTL:
		return one_in(9) ? draw_bits(one_in(2) ? bits : 32) :
		       (one_in(2) ? 0 : FRZ) | one_in(2) * FRZ_EN | (one_in(3) ? draw_below(4) : 0);
	case UNCORE_R_CTL:
		return reg.index != UNCORE_FIXED ? draw_ctl() : one_in(4) ? draw_bits(32) : EN;
	case UNCORE_R_FILTER:
		return one_in(3) ? draw_bits(32) : one_in(2) ? 1ull << draw_below(32) : draw();
	default:
		return draw_bits(one_in(3) ? bits : 32);
	}
}

static void compare(UncoreReg reg, uint64_t v, unsigned int how)
{
	static const char *const hows[] = { "write", "poke", "read" };
	g_autofree char *name = uncore_reg_name(box, reg);
	unsigned int got = 0;

	say("checker reset");
	for (char *rest, *line = strtok_r(said, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
		for (unsigned int i = 0; i < FINDINGS; i++)
			got |= (strstr(line, words[i]) &&
				!(i == RESERVED && strstr(line, words[MUST_BE_0]))) << i;
	}
	/* The unit masks that test_model.py has */
	if (kind() == UNCORE_CBOX && reg.kind == UNCORE_R_CTL && (v & 0xfc) == 0x34)
		got &= ~(1 << NO_UMASK);
	for (unsigned int i = 0; i < FINDINGS; i++)
		times[i] += found >> i & 1;
	bench_cases++;
	if (got != found)
		differs("v%u %s: %s of %s, 0x%llx: findings 0x%x, not 0x%x", uncore.generation,
			box->name, hows[how], name, v, got, found);
	found = 0;
}

void test_checker(void)
{
	UncoreReg regs[UNCORE_MAX_REGS];

	uncore_check_init(&uncore);
	for (unsigned int round = 0; round < ROUNDS && !bench_wrong; round++) {
		uncore.generation = 1 + round % 4;
		uncore.trait[UNCORE_T_PCU_EXT] = draw_below(2);
		uncore.rules_off = one_in(2) ? 0 : draw_below(1 << UNCORE_RULES);
		uncore_make_sockets();
		do {
			box = &uncore.socket[0].box[draw_below(uncore.socket[0].boxes)];
		} while (box->instance && !one_in(20));
		memset(&ref, 0, sizeof(ref));
		say("checker reset");
		for (unsigned int i = 0, n = uncore_box_regs(box, regs); i < STEPS; i++) {
			unsigned int how = one_in(8) ? 1 : one_in(6) ? 2 : 0;
			uint64_t v;

			UncoreReg reg = regs[draw_below(n)];
			/* Half of a counter in configuration space */
			reg.high = reg.kind == UNCORE_R_CTR && !box->type->msr && how != 1 &&
				   one_in(2);
			v = draw_value(reg);
			access_register(reg, v, how);
			compare(reg, v, how);
		}
	}
	uncore.rules_off = 0;
	uncore.trait[UNCORE_T_PCU_EXT] = UNCORE_EXT_STICK;
	for (unsigned int i = 0; i < FINDINGS; i++) {
		printf("# %u findings \"%s\"\n", times[i], words[i]);
		if (times[i] < 20)
			differs("%u findings \"%s\"", times[i], words[i]);
	}
	bench_test("what the protocol checker finds in drawn accesses of each box");
}
