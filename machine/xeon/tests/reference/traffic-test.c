// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Traffic mode beside a reference model from Documentation/model-traffic.rst and the uncore guide:
 * caches as lists in the order of use, coherence, who sends what to whom, and each event with all
 * that a filter can ask for, after each access.
 */
#include "traffic-test.h"

#define ROUNDS	45
#define STEPS	3000
#define LINE	64
/* Guest memory is here in the host, and 64 KiB below that for the guest. */
#define HOST	0x7e0000000000ull
#define ADDEND	0x10000ull

/* The reference: a cache's set is a list, the line that was used last first. */
enum { I, S, F, E, M };
enum { READ, CODE, OWN };

struct core core[SOCKETS][CORES];
static struct set llc[SOCKETS][8][2048];
static uint64_t open_page[SOCKETS][4][16];
unsigned int sockets, cores;
static unsigned int slices;
static uint64_t lines[SOCKETS];

struct count got[400], want[400];
unsigned int nr_got, nr_want;

void happens(struct count *counts, unsigned int *nr, struct event e, uint64_t n)
{
	unsigned int i;

	for (i = 0; i < *nr && memcmp(&counts[i].e, &e, sizeof(e)); i++)
		;
	if (i == *nr) {
		counts[(*nr)++] = (struct count){ .e = e };
		assert(*nr < ARRAY_SIZE(got));
	}
	counts[i].n += n;
}

/* QEMU's part, and the uncore's */
void uncore_pmon_happen(UncoreBox *box, const UncoreStim *stim)
{
	struct event e;

	memset(&e, 0, sizeof(e));
	e.socket = box->socket->id;
	e.kind = box->type->kind;
	e.instance = box->instance;
	e.code = stim->event->code;
	e.umask = stim->umask;
	e.state = stim->state;
	e.nid = stim->nid;
	e.tid = stim->tid;
	e.opc = stim->opc;
	e.mhz = stim->mhz;
	e.c0 = stim->occ[1];
	e.c3 = stim->occ[2];
	e.c6 = stim->occ[3];
	happens(got, &nr_got, e, stim->count * stim->inc);
}

uint64_t uncore_clock_cycles(const UncoreBox *box, UncoreClock clock, int64_t ns)
{
	return ns * 8 / 10;
}

void uncore_socket_reset(UncoreSocket *s)
{
}

UncoreSocket *uncore_socket_of_package(UncoreModel *u, int package)
{
	for (unsigned int s = 0; s < u->sockets; s++) {
		if (u->package[s] == package)
			return &u->socket[s];
	}
	return NULL;
}

static MemoryRegion memory[SOCKETS + 1];
static MachineState machine;
static NumaState numa;
static CPUArchIdList ids;
static bool page_is_lost;

static const CPUArchIdList *possible(void *ms)
{
	return &ids;
}

void *qdev_get_machine(void)
{
	return &machine;
}

uint64_t memory_region_size(MemoryRegion *mr)
{
	return (mr == &memory[SOCKETS] ? lines[0] : lines[mr - memory]) * LINE;
}

void *memory_region_get_ram_ptr(MemoryRegion *mr)
{
	/* The second socket's memory is before the first one's in the host. */
	return (void *)(uintptr_t)(HOST - (mr == &memory[1] ? lines[1] * LINE : 0));
}

CPUTLBEntry *tlb_entry(CPUArchState *env, uintptr_t idx, target_ulong addr)
{
	static CPUTLBEntry e;

	e.addr_read = e.addr_write = page_is_lost ? 0 : addr & TARGET_PAGE_MASK;
	e.addend = ADDEND;
	return &e;
}

/* Lists */
static struct way *look(struct set *set, uint64_t line)
{
	for (unsigned int i = 0; i < set->n; i++) {
		if (set->way[i].line == line)
			return &set->way[i];
	}
	return NULL;
}

static struct way *use(struct set *set, struct way *w)
{
	struct way its = *w;

	memmove(set->way + 1, set->way, (w - set->way) * sizeof(its));
	set->way[0] = its;
	return set->way;
}

static void forget(struct set *set, uint64_t line)
{
	struct way *w = look(set, line);

	if (w)
		memmove(w, w + 1, (set->way + --set->n - w) * sizeof(*w));
}

/* Put a line in front; what falls out, in state I if nothing does */
static struct way put(struct set *set, unsigned int ways, uint64_t line, unsigned int state)
{
	struct way out = { 0 };

	if (set->n == ways)
		out = set->way[--set->n];
	memmove(set->way + 1, set->way, set->n++ * sizeof(out));
	set->way[0] = (struct way){ line, state, 0 };
	return out;
}

/* Places */
static unsigned int home_of(uint64_t line)
{
	return line >= lines[0];
}

static uint64_t host_line_of(uint64_t line)
{
	return HOST / LINE + line - (home_of(line) ? lines[0] + lines[1] : 0);
}

static bool line_of(uint64_t host_line, uint64_t *line)
{
	if (host_line >= HOST / LINE)
		*line = host_line - HOST / LINE;
	else
		*line = lines[0] + (host_line - (HOST / LINE - lines[1]));
	if (host_line >= HOST / LINE)
		return *line < lines[0];
	return sockets > 1 && host_line >= HOST / LINE - lines[1];
}

static unsigned int slice_of(uint64_t line)
{
	return (line % 2048 + line / 2048) % slices;
}

static struct set *llc_set(unsigned int s, uint64_t line)
{
	return &llc[s][slice_of(line)][line % 2048];
}

/* Events of the guide's tables */
static void box_event(unsigned int s, unsigned int kind, unsigned int instance, unsigned int code,
		      unsigned int umask, uint64_t n)
{
	struct event e;

	memset(&e, 0, sizeof(e));
	e.socket = s;
	e.kind = kind;
	e.instance = instance;
	e.code = code;
	e.umask = umask;
	happens(want, &nr_want, e, n);
}

enum { LOOKUP = 0x34, INSERTS = 0x35, OCCUPANCY = 0x36, VICTIMS = 0x37 };
enum { DEVICE = 8, NOBODY };

static void cbo_event(unsigned int s, uint64_t line, unsigned int state, unsigned int who,
		      unsigned int opc, unsigned int code, unsigned int umask, uint64_t n)
{
	/* Table 2-12, LLC_LOOKUP's filter: I, S, E, M, F from bit 0 */
	static const unsigned int bits[] = { [I] = 1, [S] = 2, [E] = 4, [M] = 8, [F] = 16 };
	struct event e;

	memset(&e, 0, sizeof(e));
	e.socket = s;
	e.kind = UNCORE_CBOX;
	e.instance = slice_of(line);
	e.code = code;
	e.umask = umask;
	e.state = bits[state];
	e.nid = uncore.node[home_of(line)];
	e.tid = who == DEVICE ? 0x1e : who == NOBODY ? 0xf : 2 * who;
	e.opc = opc;
	happens(want, &nr_want, e, n);
}

/* Entries of the TOR and the time that they are in it */
static void tor(unsigned int s, uint64_t line, unsigned int state, unsigned int who,
		unsigned int opc, unsigned int umask, unsigned int clocks)
{
	cbo_event(s, line, state, who, opc, INSERTS, umask, 1);
	cbo_event(s, line, state, who, opc, OCCUPANCY, umask, clocks);
}

static unsigned int memory_clocks(unsigned int s, uint64_t line)
{
	return home_of(line) == s ? 160 : 260;
}

/* A read, or a request for ownership, of a core or a device */
static void lookup(unsigned int s, uint64_t line, unsigned int state, unsigned int who,
		   unsigned int opc, bool owns)
{
	bool hit = owns ? state >= E : state != I;

	cbo_event(s, line, state, who, opc, LOOKUP, opc == 0x19c ? 4 : 2, 1);
	tor(s, line, state, who, opc, hit ? 1 : 3, hit ? 30 : memory_clocks(s, line));
}

/* Messages between sockets: flits of data and others, on the port of the line's channel */
static void flits(unsigned int from, unsigned int to, uint64_t line, unsigned int data,
		  unsigned int others)
{
	unsigned int port = line % 4 % 2;

	if (from == to)
		return;
	if (data) {
		box_event(from, UNCORE_QPI, port, 0, 2, data);
		box_event(to, UNCORE_QPI, port, 1, 2, data);
	}
	if (others) {
		box_event(from, UNCORE_QPI, port, 0, 4, others);
		box_event(to, UNCORE_QPI, port, 1, 4, others);
	}
}

enum { REGULAR = 1, UNDERFILL = 2, WRITE = 4 };

static void dram(uint64_t line, unsigned int cas)
{
	unsigned int home = home_of(line), channel = line % 4;
	uint64_t page = (line - (home ? lines[0] : 0)) / 4 / 128,
		 *open = &open_page[home][channel][page % 16];

	box_event(home, UNCORE_IMC, channel, 4, cas, 1);
	if (*open == page + 1)
		return;
	box_event(home, UNCORE_IMC, channel, 1, 0, 1);
	if (*open)
		box_event(home, UNCORE_IMC, channel, 2, 1, 1);
	*open = page + 1;
}

/* A socket writes a line to its home, asked to by a snoop or not. */
static void write_home(unsigned int s, uint64_t line, bool snooped, bool part)
{
	unsigned int home = home_of(line);

	box_event(home, UNCORE_HA, 0, 1, 0xc, 1);
	if (snooped) {
		flits(s, home, line, 8, 1);
	} else {
		flits(s, home, line, 0, 1);
		flits(s, home, line, 8, part ? 3 : 1);
		flits(home, s, line, 0, 1);
	}
	if (part)
		dram(line, UNDERFILL);
	dram(line, WRITE);
}

/* Caches of a core */
static unsigned int snoop_core(struct core *c, uint64_t line, unsigned int to)
{
	uint64_t host = host_line_of(line);
	struct set *sets[] = { &c->l1d[host % 64], &c->l2[line % 512], &c->l1i[host % 64] };
	unsigned int had = I;

	for (unsigned int i = 0; i < (to == I ? 3 : 2); i++) {
		struct way *w = look(sets[i], i == 1 ? line : host);

		if (!w)
			continue;
		had = MAX(had, w->state);
		w->state = to;
		if (to == I)
			forget(sets[i], i == 1 ? line : host);
	}
	return had;
}

/* Snoop the cores of a mask: what one has modified makes the LLC's line so. */
static void snoop_cores(unsigned int s, struct way *w, unsigned int mask, unsigned int to)
{
	for (unsigned int i = 0; i < CORES; i++) {
		if (mask >> i & 1 && snoop_core(&core[s][i], w->line, to) == M)
			w->state = M;
	}
	if (to == I)
		w->cores &= ~mask;
}

/* The other socket is asked: what it had */
static unsigned int snoop_other(unsigned int s, uint64_t line, bool owns)
{
	unsigned int other = !s, had;
	struct way *w;

	if (sockets == 1)
		return I;
	w = look(llc_set(other, line), line);
	cbo_event(other, line, w ? w->state : I, NOBODY, 0, LOOKUP, 8, 1);
	flits(s, other, line, 0, 1);
	/* The answer goes to the home. */
	flits(other, home_of(line), line, 0, 1);
	if (!w)
		return I;
	if (owns || w->state >= E)
		snoop_cores(other, w, w->cores, owns ? I : S);
	had = w->state;
	w->state = S;
	if (owns)
		forget(llc_set(other, line), line);
	return had;
}

static unsigned int fetch(unsigned int s, uint64_t line, bool owns)
{
	unsigned int home = home_of(line), had = snoop_other(s, line, owns);
	bool forwards = had == F || had == E || (had == M && owns);

	/* The request; home reads memory in any case. */
	flits(s, home, line, 0, 1);
	box_event(home, UNCORE_HA, 0, 1, 3, 1);
	dram(line, REGULAR);
	if (forwards) {
		flits(!s, s, line, 8, 1);
		flits(home, s, line, 0, 1);
	} else {
		flits(home, s, line, 8, 1);
		box_event(home, UNCORE_HA, 0, 0x10, home == s ? 1 : 4, 1);
	}
	if (had == M && !owns)
		write_home(!s, line, true, false);
	return owns ? had == M ? M : E : had == I ? E : F;
}

/* Ownership without data */
static void take(unsigned int s, uint64_t line)
{
	unsigned int home = home_of(line), had = snoop_other(s, line, true);

	flits(s, home, line, 0, 1);
	flits(home, s, line, 0, 1);
	if (had == M)
		write_home(!s, line, true, false);
}

static struct way *fill(unsigned int s, uint64_t line, unsigned int state)
{
	struct set *set = llc_set(s, line);

	if (set->n == 20) {
		struct way *out = &set->way[19];
		static const unsigned int umasks[] = { [S] = 4, [F] = 0, [E] = 2, [M] = 1 };

		snoop_cores(s, out, out->cores, I);
		cbo_event(s, out->line, out->state, NOBODY, 0, VICTIMS, umasks[out->state], 1);
		tor(s, out->line, out->state, NOBODY, 0, out->state == M ? 6 : 4,
		    out->state == M ? memory_clocks(s, out->line) : 30);
		if (out->state == M)
			write_home(s, out->line, false, false);
	}
	put(set, 20, line, state);
	return set->way;
}

static unsigned int get(struct core *c, uint64_t line, unsigned int req)
{
	/* Table 2-13 */
	static const unsigned int opcodes[] = { [READ] = 0x182, [CODE] = 0x181, [OWN] = 0x180 };
	struct set *set = llc_set(c->socket, line);
	struct way *w = look(set, line);
	unsigned int others;

	lookup(c->socket, line, w ? w->state : I, c->id, opcodes[req], req == OWN);
	if (w)
		w = use(set, w);
	else
		w = fill(c->socket, line, fetch(c->socket, line, req == OWN));
	others = w->cores & ~(1 << c->id);
	if (req == OWN) {
		snoop_cores(c->socket, w, others, I);
		if (w->state < E) {
			take(c->socket, line);
			w->state = E;
		}
		w->cores = 1 << c->id;
		return E;
	}
	if (w->state >= E)
		snoop_cores(c->socket, w, others, S);
	w->cores |= 1 << c->id;
	return others || w->state < E ? S : E;
}

static void write_back(struct core *c, uint64_t line)
{
	struct set *set = llc_set(c->socket, line);
	struct way *w = look(set, line);

	if (!w) {
		differs("the reference's LLC lacks 0x%llx", line);
		return;
	}
	cbo_event(c->socket, line, w->state, c->id, 0x1c4, LOOKUP, 4, 1);
	tor(c->socket, line, w->state, c->id, 0x1c4, 0x11, 20);
	w->state = M;
	use(set, w);
}

static void fill_l2(struct core *c, uint64_t line, unsigned int state)
{
	struct way out = put(&c->l2[line % 512], 8, line, state);

	if (out.state == M)
		write_back(c, out.line);
}

static void take_l2(struct core *c, uint64_t line)
{
	struct way *w = look(&c->l2[line % 512], line);

	if (w)
		use(&c->l2[line % 512], w)->state = M;
	else
		fill_l2(c, line, M);
}

static void access_core(struct core *c, uint64_t host_line, unsigned int req)
{
	struct set *l1 = req == CODE ? &c->l1i[host_line % 64] : &c->l1d[host_line % 64], *l2;
	struct way *w = look(l1, host_line), out = { 0 };
	unsigned int state = I;
	uint64_t line;

	if (w)
		w = use(l1, w);
	if (w && (req != OWN || w->state >= E)) {
		w->state = req == OWN ? M : w->state;
		return;
	}
	if (!line_of(host_line, &line))
		return;
	l2 = &c->l2[line % 512];
	w = look(l2, line);
	if (w)
		state = use(l2, w)->state;
	if (state == I || (req == OWN && state == S)) {
		state = get(c, line, req);
		w = look(l2, line);
		if (w)
			use(l2, w)->state = state;
		else
			fill_l2(c, line, state);
	}
	state = req == CODE ? S : req == OWN ? M : state == M ? E : state;
	w = look(l1, host_line);
	if (w)
		use(l1, w)->state = state;
	else
		out = put(l1, 8, host_line, state);
	if (out.state == M && line_of(out.line, &line))
		take_l2(c, line);
}

static void stream_line(struct core *c, uint64_t host_line, bool whole)
{
	struct way *w;
	uint64_t line;
	unsigned int state;

	if (!line_of(host_line, &line))
		return;
	w = look(llc_set(c->socket, line), line);
	if (w)
		snoop_cores(c->socket, w, w->cores, I);
	state = w ? w->state : I;
	cbo_event(c->socket, line, state, c->id, whole ? 0x18c : 0x18d, LOOKUP, 4, 1);
	tor(c->socket, line, state, c->id, whole ? 0x18c : 0x18d, 0x13,
	    memory_clocks(c->socket, line));
	forget(llc_set(c->socket, line), line);
	if (state == M)
		write_home(c->socket, line, false, false);
	if (snoop_other(c->socket, line, true) == M)
		write_home(!c->socket, line, true, false);
	write_home(c->socket, line, false, !whole);
}

static void stream(struct core *c, uint64_t host, unsigned int size)
{
	unsigned int i, first = host % LINE;

	for (i = 0; i < 10 && c->wc[i].host_line != host / LINE; i++)
		;
	if (i == 10) {
		i = c->next;
		c->next = (c->next + 1) % 10;
		if (c->wc[i].host_line)
			stream_line(c, c->wc[i].host_line, false);
		c->wc[i].host_line = host / LINE;
		c->wc[i].bytes = 0;
	}
	for (unsigned int b = first; b < first + size; b++)
		c->wc[i].bytes |= 1ull << b;
	if (c->wc[i].bytes == ~0ull) {
		stream_line(c, c->wc[i].host_line, true);
		c->wc[i].host_line = 0;
	}
}

static void dma_line(uint64_t line, bool write, bool whole)
{
	struct set *set = llc_set(0, line);
	struct way *w = look(set, line);

	lookup(0, line, w ? w->state : I, DEVICE, !write ? 0x19e : whole ? 0x19c : 0x180, write);
	if (!write) {
		if (!w)
			fetch(0, line, false);
		else if (w->state >= E)
			snoop_cores(0, w, w->cores, S);
		return;
	}
	if (w) {
		w = use(set, w);
		snoop_cores(0, w, w->cores, I);
		if (w->state < E)
			take(0, line);
	} else if (whole) {
		take(0, line);
		w = fill(0, line, M);
	} else {
		w = fill(0, line, fetch(0, line, true));
	}
	w->state = M;
}

void compare(const char *what, const struct core *c, uint64_t line)
{
	traffic_drain();
	bench_cases++;
	for (unsigned int i = 0; i < nr_got + nr_want; i++) {
		const struct count *x = i < nr_got ? &got[i] : &want[i - nr_got];
		const struct count *other = i < nr_got ? want : got;
		unsigned int n = i < nr_got ? nr_want : nr_got, j;
		const struct event *e = &x->e;

		for (j = 0; j < n && memcmp(&other[j].e, e, sizeof(*e)); j++)
			;
		if (j < n && (other[j].n == x->n || i >= nr_got))
			continue;
		if (j == n && !x->n)
			continue;
		differs("%s of line 0x%llx by core %u of socket %u: socket %u box %u.%u event 0x%x umask 0x%x "
			"state 0x%x nid %u tid 0x%x opc 0x%x (%u MHz, cores %u %u %u): %llu times, not %llu",
			what, line, c ? c->id : 0, c ? c->socket : 0, e->socket, e->kind,
			e->instance, e->code, e->umask, e->state, e->nid, e->tid, e->opc, e->mhz,
			e->c0, e->c3, e->c6, (i < nr_got ? x->n : 0),
			(i < nr_got ? j < n ? other[j].n : 0 : x->n));
	}
	nr_got = nr_want = 0;
}

/*
 * A load or store of the guest, as generated code makes it: what repeats the last one of its kind
 * calls nothing.
 */
static void access_guest(struct core *c, uint64_t host, unsigned int op, bool write, bool streams)
{
	TrafficCore *t = CPU(c->cpu)->opaque;
	TrafficLast *last = &t->l1d.last[host / LINE % 64];
	unsigned int size = 1 << op;

	if (!streams && (last->host[write] ^ host) <= LINE - size) {
		last->write = write;
		return;
	}
	traffic_mem(&c->cpu->env, host - ADDEND,
		    make_memop_idx(op | (streams ? TRAFFIC_MO_STREAM : 0), 0), write);
}

static void fetch_guest(struct core *c, uint64_t host_line)
{
	TrafficCore *t = CPU(c->cpu)->opaque;

	if (t->l1i.last[host_line % 64].host[0] != host_line * LINE)
		helper_traffic_fetch(&c->cpu->env, host_line);
}

/* Lines that meet in a few sets of all caches; in both sockets' memory */
static uint64_t pool[400];

static void draw_pool(void)
{
	unsigned int near = one_in(2), base = draw_below(2048);

	for (unsigned int i = 0; i < ARRAY_SIZE(pool); i++) {
		unsigned int s = draw_below(sockets);
		uint64_t n = base + draw_below(near ? 2 : 600) +
			     2048 * draw_below(near ? 40 * slices : 4);

		/* Mostly one slice; sometimes the end of the memory */
		if (near && !one_in(4))
			n = base + 2048 * slices * draw_below(60);
		n %= lines[s];
		if (one_in(20))
			n = lines[s] - 1 - draw_below(3);
		pool[i] = n + (s ? lines[0] : 0);
	}
}

static uint64_t draw_line(unsigned int few)
{
	return pool[draw_below(one_in(3) ? few : ARRAY_SIZE(pool))];
}

static void step(void)
{
	struct core *c = &core[draw_below(sockets)][draw_below(cores)];
	uint64_t line = draw_line(12), host = host_line_of(line) * LINE, at, next, len, n;
	unsigned int op = draw_below(4), size = 1 << op, off, kind = draw_below(32);
	bool write = one_in(3);

	off = draw_below(LINE / size) * size;
	switch (kind) {
	case 0 ... 18:
		/* Some across the ends of lines and pages, some of one that was used just now */
		if (one_in(12))
			off = LINE - size + draw_below(size);
		for (n = one_in(3) ? 1 + draw_below(4) : 1; n--; write = one_in(3)) {
			access_guest(c, host + off, op, write, false);
			access_core(c, host / LINE, write ? OWN : READ);
			if (off + size > LINE)
				access_core(c, host / LINE + 1, write ? OWN : READ);
		}
		compare(write ? "store" : "load", c, line);
		break;
	case 19 ... 22:
		fetch_guest(c, host / LINE);
		access_core(c, host / LINE, CODE);
		compare("fetch", c, line);
		break;
	case 23 ... 26:
		/* A whole line, all but its last bytes, or a store */
		if (one_in(3)) {
			len = LINE - (one_in(2) ? size : 0);
			for (off = 0; off < len; off += size) {
				access_guest(c, host + off, op, true, true);
				stream(c, host + off, size);
			}
		} else {
			if (one_in(8))
				off = LINE - size + draw_below(size);
			access_guest(c, host + off, op, true, true);
			stream(c, host + off, MIN(size, LINE - off));
			if (off + size > LINE)
				stream(c, host + LINE, off + size - LINE);
		}
		compare("stream", c, line);
		break;
	case 27 ... 29:
		at = host + (one_in(2) ? 0 : draw_below(LINE));
		len = one_in(3) ? draw_below(300) : one_in(2) ? LINE : 4 * LINE;
		traffic_dma((void *)(uintptr_t)at, len, write);
		for (n = at; n < at + len; n = next) {
			next = MIN((n / LINE + 1) * LINE, at + len);
			if (line_of(n / LINE, &line))
				dma_line(line, write, next - n == LINE);
		}
		compare(write ? "DMA write" : "DMA read", NULL, line);
		break;
	case 30:
		/* The TLB has lost the page: nothing is accounted. */
		page_is_lost = true;
		traffic_mem(&c->cpu->env, host - ADDEND, make_memop_idx(op, 0), write);
		page_is_lost = false;
		compare("lost page", c, line);
		break;
	default:
		if (!one_in(400))
			break;
		say("traffic empty");
		memset(llc, 0, sizeof(llc));
		memset(open_page, 0, sizeof(open_page));
		for (unsigned int i = 0; i < SOCKETS * CORES; i++) {
			c = &core[i / CORES][i % CORES];
			memset(c->l1d, 0, sizeof(c->l1d));
			memset(c->l1i, 0, sizeof(c->l1i));
			memset(c->l2, 0, sizeof(c->l2));
			memset(c->wc, 0, sizeof(c->wc));
		}
	}
}

void shape(unsigned int nr_sockets, unsigned int nr_cores, unsigned int threads)
{
	static const unsigned int packages[][3] = {
		{ 0, 1, 2 }, { 1, 0, 2 }, { 0, 7, 3 }, { 5, 2, 0 }
	};
	const unsigned int *package = draw_of(packages);
	static CpuInstanceProperties props[3];

	if (traffic.uncore)
		say("traffic off");
	else
		traffic_init(&uncore);
	traffic.cores = NULL;
	first_cpu = NULL;
	sockets = nr_sockets;
	cores = nr_cores;
	slices = uncore.cbos;
	uncore.sockets = sockets;
	uncore.generation = 1;
	ids.cpus = (void *)props;
	ids.len = sockets;
	numa = (NumaState){ .num_nodes = sockets > 1 ? sockets : 0 };
	machine = (MachineState){ &memory[SOCKETS], &numa, possible };
	memset(core, 0, sizeof(core));
	memset(llc, 0, sizeof(llc));
	memset(open_page, 0, sizeof(open_page));
	for (unsigned int s = 0; s < sockets; s++) {
		uncore.package[s] = package[s];
		uncore.node[s] = (package[s] + 3) & 7;
		props[s] = (CpuInstanceProperties){ true, true, package[s], s };
		lines[s % SOCKETS] = one_in(3) ? TRAFFIC_MEMORY / LINE
					       : (2048 * 8 * 64 + draw_below(5000));
		/* An odd number of pages */
		lines[s % SOCKETS] &= ~63ull;
		numa.nodes[s].node_memdev = &memory[s % SOCKETS];
		for (unsigned int i = 0; i < cores; i++) {
			struct core *c = &core[s % SOCKETS][i];

			for (unsigned int t = 0; t < threads; t++)
				c->cpu = bench_cpu(package[s], 0, i);
			c->socket = s;
			c->id = i;
		}
	}
	uncore_make_sockets();
}

static void test_caches(void)
{
	for (unsigned int round = 0; round < ROUNDS && !bench_wrong; round++) {
		uncore.cbos = round ? 8 - draw_below(3) * draw_below(4) : 8;
		shape(1 + !one_in(3), round % 4 ? 1 + draw_below(4) : CORES, 1);
		if (say("traffic on") != MODEL_STATUS_OK) {
			differs("traffic on: %s", said);
			break;
		}
		nr_got = nr_want = 0;
		draw_pool();
		for (unsigned int i = 0; i < STEPS && !bench_wrong; i++) {
			if (one_in(1000))
				draw_pool();
			step();
		}
	}
	bench_test("drawn loads, stores, fetches, streams and DMA");
}

static void test_messages(void)
{
	static const unsigned int umasks[] = {
		[TRAFFIC_VLW] = 1, [TRAFFIC_MSI] = 2, [TRAFFIC_IPI] = 4
	};

	shape(2, 2, 1);
	say("traffic on");
	nr_got = nr_want = 0;
	for (unsigned int what = 0; what < TRAFFIC_MESSAGES; what++) {
		for (unsigned int mask = 0; mask < 4; mask++) {
			traffic_message(what, mask);
			for (unsigned int s = 0; s < 2; s++) {
				if (mask >> s & 1)
					box_event(s, UNCORE_UBOX, 0, 0x42, umasks[what], 1);
			}
			compare("message", NULL, what);
		}
	}
	bench_cases++;
	for (unsigned int s = 0; s < 2; s++) {
		if (traffic_sockets_of(CPU(core[s][1].cpu)) != 1u << s)
			differs("socket %u's CPUs are of 0x%x", s, traffic_sockets_of(CPU(core[s][1].cpu)));
	}
	bench_test("interrupts");
}

static void refused(const char *why)
{
	bench_cases++;
	if (say("traffic on") != MODEL_STATUS_ERROR || !strstr(said, why))
		differs("'%s' instead of '%s'", said, why);
}

static void test_refusals(void)
{
	uncore.cbos = 8;
	shape(3, 1, 1);
	refused("at most 2 sockets, not 3");
	shape(1, 1, 2);
	refused("a core has one thread");
	shape(2, 1, 1);
	numa.num_nodes = 1;
	refused("2 memory nodes, not 1");
	numa.num_nodes = 2;
	ids.cpus[0].props.node_id = 1;
	refused("needs memory node 0");
	ids.cpus[0].props.node_id = 0;
	numa.nodes[1].node_memdev = NULL;
	refused("socket 1 needs memory node 1");
	numa.nodes[1].node_memdev = &memory[1];
	lines[1] = TRAFFIC_MEMORY / LINE + 1;
	refused("at most 16 GiB");
	lines[1] = TRAFFIC_MEMORY / LINE;
	core[1][0].cpu->core_id = UNCORE_MAX_CORES;
	refused("is in no socket");
	core[1][0].cpu->core_id = 0;
	core[1][0].cpu->socket_id = 6;
	refused("is in no socket");
	core[1][0].cpu->socket_id = uncore.package[1];
	uncore.generation = 2;
	refused("no mode of generation 2");
	uncore.generation = 1;
	bench_cases++;
	if (say("traffic sideways") != MODEL_STATUS_ERROR || say("traffic on") != MODEL_STATUS_OK ||
	    say("traffic") != MODEL_STATUS_OK || strcmp(said, "traffic=on\n"))
		differs("'%s'", said);
	bench_test("machines without traffic mode");
}

int main(int argc, char **argv)
{
	bench_begin(argc, argv);
	test_refusals();
	test_messages();
	test_caches();
	test_power();
	return bench_done();
}
