// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Boxes of the uncore beside a reference from the guide: all sequences of four writes and events on
 * each box of each generation; drawn controls, filters and events on those with filters.
 */
#include "uncore-test.h"

#define STEPS	4
#define ROUNDS	300000

static UncoreBox *box;

static void quiet(UncoreBox *b, UncoreStage stage, UncoreReg reg, uint64_t value)
{
}

static void put(UncoreRegKind kind, unsigned int index, uint64_t v)
{
	uncore_reg_poke(box, (UncoreReg){ kind, index }, v);
}

static uint64_t get(UncoreRegKind kind, unsigned int index)
{
	return uncore_reg_peek(box, (UncoreReg){ kind, index });
}

/* Sequences: what a box does between reset and reset */
enum {
	ON, OFF, ON_RST, EVENTS, FREEZE, FRZ, FRZ_EN, THAW, RST_CTRS, RST_CTRL, NEAR_WRAP, RESET,
	OPS
};

static const char *const ops[OPS] = {
	"on", "off", "on|rst", "events", "freeze", "frz", "frz_en", "thaw", "rst_ctrs", "rst_ctrl",
	"near wrap", "reset",
};

/* Counter 0, and the value of the last one and its control, which does not run */
struct state {
	bool on, frozen, last_ctl;
	uint64_t ctr, last;
};

/* An event of counter 0 that nothing filters */
static const UncoreEvent *plain_event(void)
{
	const UncoreEvent *e = box->events;

	while (!e->name || e->clock || !(e->ctrs & 1) || e->filter || e->umask > UNCORE_UM_BITS)
		e++;
	return e;
}

static void step(struct state *s, unsigned int op, const UncoreEvent *e)
{
	uint32_t ctl = e->code | e->ext << 21 | e->umask_bits << 8;
	uint32_t resets = box->type->box_ctl.wo;
	UncoreStim stim = { .event = e, .umask = e->umask_bits, .count = 5, .inc = 1, .mhz = 2000 };

	switch (op) {
	case ON:
	case OFF:
	case ON_RST:
		s->on = op != OFF;
		if (op == ON_RST && box->type->ctl.wo)
			s->ctr = 0;
		put(UNCORE_R_CTL, 0, op == OFF ? 0 : ctl | EN | (op == ON_RST ? 1 << 17 : 0));
		break;
	case EVENTS:
		if (s->on && !s->frozen)
			s->ctr = (s->ctr + 5) & (~0ull >> (64 - box->type->width));
		uncore_pmon_happen(box, &stim);
		break;
	case NEAR_WRAP:
		s->ctr = ~0ull >> (64 - box->type->width);
		put(UNCORE_R_CTR, 0, ~0ull);
		break;
	case RESET:
		*s = (struct state){ 0 };
		uncore_socket_reset(box->socket);
		break;
	default:
		if (!box->type->box_ctl_addr)
			break;
		/* Section 2.1.1: frz needs frz_en; on v2 and later, Linux writes frz alone. */
		s->frozen = op == FREEZE || (op == FRZ && uncore.generation > 1);
		if (op == RST_CTRS && resets & 2)
			s->ctr = s->last = 0;
		if (op == RST_CTRL && resets & 1)
			s->on = s->last_ctl = false;
		put(UNCORE_R_BOX_CTL, 0, op == FREEZE ? 0x10100 : op == FRZ ? 0x100 :
		    op == FRZ_EN ? 0x10000 : op == RST_CTRS ? 2 : op == RST_CTRL);
	}
}

static void test_sequences(void)
{
	const UncoreEvent *e = plain_event();
	unsigned int n = 1;

	for (unsigned int i = 0; i < STEPS; i++)
		n *= OPS;
	while (n--) {
		unsigned int last = box->type->ctrs - 1;
		struct state s = { .last_ctl = true, .last = 77 };

		uncore_pmon_reset(box);
		put(UNCORE_R_CTL, last, e->code);
		put(UNCORE_R_CTR, last, 77);
		for (unsigned int i = 0, rest = n; i < STEPS; i++, rest /= OPS) {
			step(&s, rest % OPS, e);
			bench_cases++;
			if (get(UNCORE_R_CTR, 0) != s.ctr ||
			    !!(get(UNCORE_R_CTL, 0) & EN) != s.on ||
			    get(UNCORE_R_CTR, last) != s.last ||
			    get(UNCORE_R_CTL, last) != (s.last_ctl ? e->code : 0) ||
			    uncore_box_frozen(box) != s.frozen)
				differs("v%u %s, sequence %u, step %u, %s: 0x%llx, not 0x%llx",
					uncore.generation, box->name, n, i, ops[rest % OPS],
					get(UNCORE_R_CTR, 0), s.ctr);
		}
	}
}

/* Section 1.4: threshold, then invert, then edge */
static uint64_t adds(unsigned int thresh, bool edge, bool inv, uint32_t inc)
{
	if (!thresh)
		return edge || inv ? 0 : inc;
	return inv && !edge ? inc < thresh : inc >= thresh;
}

/*
 * Tables 2-12, 2-16, 2-17, 2-30 and 2-31: node is a unit mask's bit 6. From v2 on, the filter has
 * two registers, and a unit mask local and remote memory.
 */
static bool cbo_matches(uint32_t ctl, const uint32_t *filter, const UncoreStim *s)
{
	static const struct {
		unsigned int tid, state, nid, opc;
	} at[] = { { 0x1f, 18, 10, 23 }, { 0x1f, 17, 32, 52 }, { 0x3f, 17, 32, 52 } };
	unsigned int v = MIN(uncore.generation - 1, 2u), um = ctl >> 8 & 0xff, types;
	uint64_t f = (uint64_t)filter[1] << 32 | filter[0];
	unsigned int state = f >> at[v].state & ((0x20u << v) - 1), homes = um & (v ? 0xa0 : 0);
	bool node = !(um & 0x40) || f >> at[v].nid >> s->nid & 1;
	bool opcode = (f >> at[v].opc & 0x1ff) == s->opc && (!v || !(f >> 62 & 1) || s->nc);

	homes &= s->event->umask_bits;
	if (ctl & TID_EN && (f & at[v].tid) != s->tid)
		return false;
	switch (s->event->code) {
	case 0x34:
		types = um & 0x3e;
		return um & 1 && (types || um & 0x40) && (!types || types & s->umask) &&
		       state & s->state && node;
	case 0x37:
		types = um & 0x1f;
		return (types || um & 0x40) && (!types || types & s->umask) && node;
	case 0x35:
	case 0x36:
		return (um & 8 || um & s->umask & 0x14 || (um & s->umask & 1 && opcode)) &&
		       (!(um & 2) || s->umask & 2) && (!homes || homes & s->umask) && node;
	default:
		return s->event->umask == UNCORE_UM_NONE || um & s->umask;
	}
}

/* Tables 2-75 and 2-80, section 2.6.7 */
static uint64_t pcu_adds(uint32_t ctl, uint32_t bands, const UncoreStim *s)
{
	unsigned int code = s->event->code, sel = ctl >> 14 & 3, thresh = ctl >> 24 & 0x1f;
	bool edge = ctl & EDGE, inv = ctl & INV, occ_inv = ctl >> 30 & 1, occ_edge = ctl >> 31;
	uint32_t inc = s->inc;

	if (!s->event->ext && code >= 0x0b && code <= 0x0e &&
	    s->mhz < 100 * (bands >> 8 * (code - 0x0b) & 0xff))
		inc = 0;
	if (!(ctl & 0x80))
		return adds(thresh, edge, inv, inc);
	if (!sel || (code == 0x80 || inc) == inv)
		return 0;
	if (!thresh)
		return occ_edge || occ_inv ? 0 : edge ? s->occ[sel] > 0 : s->occ[sel];
	return adds(thresh, occ_edge, occ_inv, s->occ[sel]);
}

/* Tables 2-37 to 2-39, 2-88 to 2-91 */
static bool pci_matches(uint32_t ctl, const uint32_t *filter, const UncoreStim *s)
{
	uint64_t addr = (uint64_t)filter[1] << 32 | filter[0];

	if (s->event->umask != UNCORE_UM_NONE && !(ctl >> 8 & s->umask))
		return false;
	if (s->event->filter == UNCORE_F_HA_MATCH)
		return (addr >> 12 & 0x3ffffffff) == (s->addr >> 12 & 0x3ffffffff) &&
		       filter[2] == s->opc;
	if (s->event->filter == UNCORE_F_QPI_MATCH)
		return !((filter[0] ^ s->packet[0]) & filter[2]) &&
		       !((filter[1] ^ s->packet[1]) & filter[3]);
	return true;
}

static void draw_case(const UncoreEvent *const *events, unsigned int nr)
{
	const UncoreEvent *e = events[draw_below(nr)];
	uint32_t ctl = e->code | e->ext << 21 | draw_below(256) << 8 | draw_below(4) << 18 | EN;
	UncoreStim s = {
		.event = e, .count = 1 + draw_below(9), .inc = draw_below(e->max_inc + 1),
		.umask = 1 << draw_below(8) | draw_below(2) << draw_below(3), .tid = draw_below(32),
		.nid = draw_below(8), .state = 1 << draw_below(7), .nc = one_in(2),
		.opc = draw_bits(6),
		.addr = draw_bits(48), .packet = { draw_bits(32), draw_bits(32) },
		.mhz = 100 * draw_below(40) + draw_below(3),
		.occ = { 0, draw_below(9), draw_below(9), draw_below(9) },
	};
	uint32_t filter[4] = { 0 };
	uint64_t want;

	ctl |= one_in(2) ? 0 : draw_below(24) << 24 | draw_below(2) << 23;
	if (box->type->kind == UNCORE_PCU)
		ctl = (ctl & ~0x3f80u) | (one_in(2) ? 0x80 : ctl & 0x80) | draw_below(4) << 30;
	if (box->type->kind != UNCORE_CBOX)
		ctl &= ~TID_EN;
	for (unsigned int i = 0; i < box->type->nr_filters; i++) {
		filter[i] = draw() & box->type->filter[i].fields.rw;
		/* Often what matches */
		if (box->type->kind == UNCORE_QPI && !one_in(3))
			filter[i] &= i < 2 ? s.packet[i] : draw_bits(32);
		if (box->type->kind == UNCORE_HA && !one_in(3))
			filter[i] = (i == 2 ? s.opc : s.addr >> 32 * i) &
				    box->type->filter[i].fields.rw;
		/* And what differs in one bit */
		if (box->type->kind != UNCORE_CBOX && box->type->kind != UNCORE_PCU && one_in(5))
			filter[i] ^= 1u << draw_below(32) & box->type->filter[i].fields.rw;
		if (box->type->kind == UNCORE_CBOX && !i && one_in(2))
			filter[i] = (filter[i] & ~0x1fu) | s.tid;
		if (box->type->kind == UNCORE_CBOX && i == (uncore.generation > 1) && !one_in(3))
			filter[i] = i ? (filter[i] & ~(0x1ffu << 20)) | (uint32_t)s.opc << 20 :
				    (filter[i] & 0x7fffff) | (uint32_t)s.opc << 23;
		put(UNCORE_R_FILTER, i, filter[i]);
	}
	put(UNCORE_R_CTL, 0, ctl);
	put(UNCORE_R_CTR, 0, 0);
	uncore_pmon_happen(box, &s);
	if (box->type->kind == UNCORE_PCU)
		want = pcu_adds(ctl, filter[0], &s);
	else if (box->type->kind == UNCORE_CBOX ? cbo_matches(ctl, filter, &s) :
		 pci_matches(ctl, filter, &s))
		want = adds(ctl >> 24, ctl & EDGE, ctl & INV, s.inc);
	else
		want = 0;
	bench_cases++;
	if (get(UNCORE_R_CTR, 0) != want * s.count)
		differs("%s %s: control 0x%x, filters 0x%x 0x%x 0x%x 0x%x, umask 0x%x, %u: %llu, not %llu",
			box->name, e->name, ctl, filter[0], filter[1], filter[2], filter[3],
			s.umask,
			s.inc, get(UNCORE_R_CTR, 0), want * s.count);
}

static void test_drawn(const char *name)
{
	const UncoreEvent *events[256];
	unsigned int nr = 0;

	box = uncore_box_by_name(&uncore.socket[0], name);
	uncore_pmon_reset(box);
	for (const UncoreEvent *e = box->events; e->name; e++) {
		if (!e->clock && e->ctrs & 1)
			events[nr++] = e;
	}
	for (unsigned int i = 0; i < ROUNDS; i++)
		draw_case(events, nr);
	bench_test(g_strdup_printf("v%u %s", uncore.generation, name));
}

/* The clock that a counter of the box counts, or the fixed counter, in MHz */
static unsigned int mhz_of_box(void)
{
	switch (box->type->kind) {
	case UNCORE_IMC:
	case UNCORE_PCU:
		return 800;
	case UNCORE_QPI:
		return box->instance ? 900 : 1000;
	default:
		return 2000;
	}
}

/* Clocks on counter 0 and on the fixed counter, to the cycle, over spans of time, some frozen */
static void test_clocks(void)
{
	const UncoreEvent *e = box->events;

	while (e->name && !e->clock)
		e++;
	for (unsigned int i = 0; i < 200; i++) {
		uint32_t ctl = e->code | e->ext << 21 | draw_below(4) << 24 |
			       (draw() & (EDGE | INV));
		bool fixed = one_in(4), frozen = box->type->box_ctl_addr && one_in(3);
		uint64_t mask = ~0ull >> (64 - box->type->width), want[2], passed;
		uint64_t adds_one = !(ctl & EDGE) && adds(ctl >> 24, false, ctl & INV, 1);

		want[0] = mask - draw_below(1 << 20);
		want[1] = draw_below(1 << 20);
		shim_now += draw_below(1000);
		if (box->type->box_ctl_addr)
			put(UNCORE_R_BOX_CTL, 0, frozen ? 0x10100 : 0);
		if (e->name) {
			put(UNCORE_R_CTL, 0, ctl | (fixed ? 0 : EN));
			put(UNCORE_R_CTR, 0, want[0]);
		}
		if (box->type->fixed_ctl_addr) {
			put(UNCORE_R_CTL, UNCORE_FIXED, fixed ? EN : 0);
			put(UNCORE_R_CTR, UNCORE_FIXED, want[1]);
		}
		passed = -(shim_now * mhz_of_box() / 1000);
		shim_now += draw_bits(30);
		passed += shim_now * mhz_of_box() / 1000;
		want[0] = (want[0] + (fixed || frozen ? 0 : passed * adds_one)) & mask;
		want[1] += fixed && !frozen ? passed : 0;
		bench_cases++;
		if ((e->name && get(UNCORE_R_CTR, 0) != want[0]) ||
		    (box->type->fixed_ctl_addr && get(UNCORE_R_CTR, UNCORE_FIXED) != want[1]))
			differs("v%u %s: control 0x%x, %lld ns: %llu and %llu, not %llu and %llu",
				uncore.generation, box->name, ctl, (long long)shim_now, box->ctr[0],
				box->ctr[UNCORE_FIXED], want[0], want[1]);
	}
}

/* The unit masks of tables 2-16, 2-17, 2-30 and 2-31 that the checker knows, as rows */
static void print_umasks(void)
{
	for (unsigned int code = 0x34; code <= 0x37; code++) {
		printf("cbox 0x%02x", code);
		for (unsigned int um = 0; um < 256; um++) {
			say("checker reset");
			uncore_reg_write(uncore_box_by_name(&uncore.socket[0], "cbox_0"),
					 (UncoreReg){ UNCORE_R_CTL }, code | um << 8 | EN);
			say("checker");
			if (!strstr(said, "has no unit mask"))
				printf(" %02x", um);
		}
		printf("\n");
	}
}

/* @argv: a seed; or events GENERATION, or umasks, which are printed */
int main(int argc, char **argv)
{
	uncore_stim_init(&uncore);
	uncore_poke_init(&uncore);
	uncore.subscriber = quiet;
	uncore_make_sockets();
	if (argc > 1 && !strcmp(argv[1], "umasks")) {
		uncore_check_init(&uncore);
		print_umasks();
		return 0;
	}
	if (argc > 1 && !strcmp(argv[1], "events")) {
		uncore.generation = argc > 2 ? atoi(argv[2]) : 1;
		say("events");
		fputs(said, stdout);
		return 0;
	}
	bench_begin(argc, argv);
	test_drawn("ha");
	test_drawn("pcu");
	test_drawn("qpi_0");
	for (uncore.generation = 1; uncore.generation <= 4; uncore.generation++) {
		uncore_make_sockets();
		test_drawn("cbox_0");
	}
	for (uncore.generation = 1; uncore.generation <= 4; uncore.generation++) {
		uncore_make_sockets();
		for (unsigned int i = 0; i < uncore.socket[0].boxes; i++) {
			box = &uncore.socket[0].box[i];
			test_clocks();
		}
	}
	bench_test("clocks");
	for (uncore.generation = 1; uncore.generation <= 4; uncore.generation++) {
		uncore_make_sockets();
		for (unsigned int i = 0; i < uncore.socket[0].boxes; i++) {
			box = &uncore.socket[0].box[i];
			if (!box->instance)
				test_sequences();
		}
	}
	bench_test("all sequences of four on each box of each generation");
	uncore.generation = 1;
	uncore_make_sockets();
	test_console();
	test_checker();
	test_variants();
	return bench_done();
}
