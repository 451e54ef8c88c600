// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Units of discovery tables beside a reference model from Documentation/model-discovery.rst and
 * the table's layout in Linux: which rows are taken, the table, every access, counting, checker.
 */
#include "discovery-test.h"

#define ROUNDS	60
#define STEPS	1500

static unsigned int dies;
/* Where the global control is, if the table has one */
static enum { NO_GLOBAL, BY_MSR, BY_MMIO } global;
/* Whether units from some row on are in a second table, behind an MSR, with a global control */
static bool second;
#define SECOND_MSR	0x710
#define SECOND_GLOBAL	0x1ffd
#define SECOND_ROW	6

#define GLOBAL_MSR	0x1fff
#define GLOBAL_MMIO	0xfff8000

static uint64_t mask(const struct unit *u)
{
	return u->width ? ~0ull >> (64 - u->width) : 0;
}

static void add_reg(struct unit *u, unsigned int kind, unsigned int index, unsigned int start,
		    unsigned int size)
{
	u->reg[u->regs++] = (struct reg){ kind, index, start, u->access == DISC_MSR ? 1 : size };
	u->extent = MAX(u->extent, start + u->reg[u->regs - 1].size);
}

/* Each register with its place in bytes, or MSRs */
static void add_regs(struct unit *u)
{
	unsigned int ctr_step = u->access == DISC_MSR ? 1 : 8;

	u->regs = u->extent = 0;
	if (u->listed && !u->unboxed)
		add_reg(u, BOX, 0, u->box_at, 4);
	for (unsigned int i = 0; i < u->filters; i++)
		add_reg(u, FILTER, i, u->filter_at + i * (u->access == DISC_MSR ? 1 : 4), 4);
	for (unsigned int i = 0; i < u->counters; i++) {
		if (u->listed)
			add_reg(u, CONTROL, i, u->ctl + i * u->step, u->step);
		add_reg(u, COUNTER, i, u->ctr + i * ctr_step, 8);
	}
	if (u->fixed_ctr) {
		add_reg(u, CONTROL, FIXED, u->fixed_ctl, 4);
		add_reg(u, COUNTER, FIXED, u->fixed_ctr, 8);
	}
}

static bool meet(uint64_t a, uint64_t na, uint64_t b, uint64_t nb)
{
	return a < b + nb && b < a + na;
}

/* Whether a unit may stand in a die's table */
static bool fits(const struct die *d, const struct unit *u)
{
	uint64_t end = u->addr + u->extent;

	for (unsigned int i = 0; i < u->regs; i++) {
		for (unsigned int j = 0; j < i; j++) {
			if (meet(u->reg[i].start, u->reg[i].size, u->reg[j].start, u->reg[j].size))
				return false;
		}
	}
	if (u->access != DISC_MSR && u->addr % 4)
		return false;
	if (u->access == DISC_PCI) {
		if (u->extent &&
		    ((u->addr & 0xfff) < 0x80 || (u->addr & 0xfff) + u->extent > 0x1000))
			return false;
		/* The last of 256 functions */
		if (u->addr >> 12 > 255)
			return false;
	} else if (!u->extent ||
		   end > (u->access == DISC_MSR ? 1ull << 32 : (256u << 20) - 0x4000)) {
		return false;
	}
	if ((u->counters || u->fixed_ctr) && !u->width)
		return false;
	for (const struct unit *o = d->unit; o < d->unit + d->units; o++) {
		if (u->extent && !strcmp(o->name, u->name))
			return false;
		for (unsigned int i = 0; o->access == u->access && i < o->regs * u->regs; i++) {
			const struct reg *r = &o->reg[i % o->regs], *s = &u->reg[i / o->regs];

			if (meet(o->addr + r->start, r->size, u->addr + s->start, s->size))
				return false;
		}
	}
	return d->units < UNITS;
}

static bool runs(const struct unit *u, unsigned int i)
{
	if (u->frozen || u->box & (u->e5 ? 0x100 : 1))
		return false;
	if (i == FIXED || (u->e5 && u->listed))
		return u->control[i] >> 22 & 1;
	return !u->listed || u->control[i];
}

/* What a cycle with so many increments adds; 18 is edge, 23 invert, 31:24 the threshold. */
static uint64_t adds(uint64_t c, uint64_t inc)
{
	bool edge = c >> 18 & 1, invert = c >> 23 & 1;
	unsigned int thresh = c >> 24 & 0xff;

	if (!thresh)
		return edge || invert ? 0 : inc;
	return invert && !edge ? inc < thresh : inc >= thresh;
}

static void reset(struct unit *u)
{
	u->box = 0;
	memset(u->control, 0, sizeof(u->control));
	memset(u->counter, 0, sizeof(u->counter));
	memset(u->filter, 0, sizeof(u->filter));
	for (unsigned int i = 0; i < u->counters; i++)
		u->counter[i] = u->value & mask(u);
	u->torn = -1;
	u->frozen = u->listed && global;
	u->synced = shim_now;
}

static void pass(struct unit *u)
{
	uint64_t cycles = (__uint128_t)shim_now * u->mhz / 1000 -
			  (__uint128_t)u->synced * u->mhz / 1000;

	u->synced = shim_now;
	for (unsigned int i = 0; i < u->counters; i++) {
		uint64_t c = u->control[i];

		if (runs(u, i) && (!u->listed || ((c & 0xff) == !u->e5 && !(c >> 18 & 1) &&
						  adds(c, 1))))
			u->counter[i] = (u->counter[i] + cycles) & mask(u);
	}
	if (u->fixed_ctr && runs(u, FIXED))
		u->counter[FIXED] = (u->counter[FIXED] + cycles) & mask(u);
}

/* What the checker reports */
enum { NONE = 1, RESERVED = 2, COUNTS = 4, READ_ONLY = 8 };

static unsigned int reported(void)
{
	static const char *const words[] = {
		"no register at", "reserved bits", "while it counts", "read-only",
	};
	unsigned int found = 0;

	say("checker reset");
	for (unsigned int i = 0; i < ARRAY_SIZE(words); i++)
		found |= !!strstr(said, words[i]) << i;
	return found;
}

/* The unit with a register there, or the first one whose registers lie around it */
static struct unit *unit_at(struct die *d, unsigned int access, uint64_t addr)
{
	struct unit *around = NULL;

	for (struct unit *u = d->unit; u < d->unit + d->units; u++) {
		if (u->access != access || addr < u->addr || addr - u->addr >= u->extent)
			continue;
		for (const struct reg *r = u->reg; r < u->reg + u->regs; r++) {
			if (meet(addr - u->addr, 1, r->start, r->size))
				return u;
		}
		around = around ?: u;
	}
	return around;
}

/* The register that has all bytes of an access */
static const struct reg *reg_at(const struct unit *u, unsigned int off, unsigned int size)
{
	for (const struct reg *r = u->reg; r < u->reg + u->regs; r++) {
		if (off >= r->start && off + size <= r->start + r->size)
			return r;
	}
	return NULL;
}

/* An access of @size bytes, 1 for an MSR; what it finds. Reads give *v. */
static unsigned int access_ref(struct die *d, unsigned int access, uint64_t addr, unsigned int size,
			       bool write, uint64_t *v)
{
	struct unit *u = unit_at(d, access, addr);
	const struct reg *r = u ? reg_at(u, addr - u->addr, size) : NULL;
	unsigned int bytes = access == DISC_MSR ? 8 : size, shift, found = 0;
	uint64_t part, *at, was, valid;

	if (!r) {
		*v = write ? *v : 0;
		return NONE;
	}
	shift = access == DISC_MSR ? 0 : 8 * (addr - u->addr - r->start);
	part = ~0ull >> (64 - 8 * bytes);
	pass(u);
	at = r->kind == CONTROL ? &u->control[r->index] :
	     r->kind == FILTER ? &u->filter[r->index] : &u->counter[r->index];
	was = r->kind == BOX ? u->box : *at;
	if (!write) {
		u->reads++;
		*v = was >> shift & part;
		if (r->kind == COUNTER && u->torn == r->index && !shift) {
			*at = u->tear;
			u->torn = -1;
		}
		return 0;
	}
	u->writes++;
	was = (was & ~(part << shift)) | (*v & part) << shift;
	if (r->kind == BOX) {
		if (was & (u->e5 ? 1 : 0x100))
			memset(u->control, 0, sizeof(u->control));
		if (was & (u->e5 ? 2 : 0x200))
			memset(u->counter, 0, sizeof(u->counter));
		u->box = was & (u->e5 ? 0x100 : 1);
		return was & (u->e5 ? ~0x103ull : ~0x301ull) ? RESERVED : 0;
	}
	if (r->kind == FILTER) {
		*at = access == DISC_MSR ? was : (uint32_t)was;
		return 0;
	}
	valid = r->kind == COUNTER ? mask(u) : r->index == FIXED ? 1 << 22 : u->bits;
	found = was & ~valid ? RESERVED : 0;
	if (r->kind == COUNTER && runs(u, r->index))
		found |= COUNTS;
	*at = was & valid;
	return found;
}

/* Free-running, fixed, or at the end of its space: a row that may be right */
static struct unit draw_unit(unsigned int n)
{
	static const uint16_t ends[] = { 0, 0, 0, 1, 2 };
	struct unit u = {
		.access = draw_below(3),
		.listed = !one_in(5),
		.type = draw_bits(16),
		.id = draw_below(4),
		.counters = one_in(8) ? 16 : draw_below(9),
		.width = one_in(4) ? 64 : 1 + draw_below(64),
		.bits = 0xff84ffff,
		.mhz = one_in(2) ? 0 : 1 + draw_below(3000),
		.last = 7,
		.torn = -1,
	};
	bool msr = u.access == DISC_MSR;
	unsigned int at = msr ? 1 + draw_below(3) : 4 + 4 * draw_below(6);

	u.step = msr ? 1 : one_in(2) ? 4 : 8;
	if (one_in(2))
		u.bits = draw() | 0xff84ffff;
	u.ctl = u.listed ? at : 0;
	at += u.listed ? u.counters * u.step : 0;
	u.ctr = at + (msr ? 1 : 4) * draw_below(3);
	at = u.ctr + u.counters * (msr ? 1 : 8);
	if (one_in(3) && at < 240) {
		u.fixed_ctl = at + (msr ? 0 : 4 * draw_below(2));
		u.fixed_ctr = u.fixed_ctl + (msr ? 1 : 4 + 4 * draw_below(2));
	}
	if (u.listed && one_in(3)) {
		u.e5 = true;
		u.bits |= 1 << 22;
	}
	if (u.listed && one_in(5))
		u.unboxed = true;
	at = u.fixed_ctr ? u.fixed_ctr + (msr ? 1 : 8) : u.ctr + u.counters * (msr ? 1 : 8);
	if (one_in(4) && at < 220) {
		u.filter_at = at;
		u.filters = 1 + draw_below(4);
		at += u.filters * (msr ? 1 : 4);
	}
	if (u.listed && !u.unboxed && one_in(4) && at < 250)
		u.box_at = at;
	if (one_in(4))
		u.value = draw();
	/* Sometimes what lies over something else */
	if (one_in(12))
		u.ctr = draw_below(256);
	snprintf(u.name, sizeof(u.name), "unit_%u_%u", n, u.id);
	if (one_in(12))
		snprintf(u.name, sizeof(u.name), "unit_0_%u", u.id);
	add_regs(&u);
	if (one_in(4)) {
		u.first = draw_below(3);
		u.last = u.first + draw_below(3);
	}
	switch (u.access) {
	case DISC_MSR:
		u.addr = one_in(6) ? (1ull << 32) - u.extent - 1 + draw_of(ends)
				   : 0x2020 + draw_bits(14);
		break;
	case DISC_MMIO:
		u.addr = one_in(6) ? (256u << 20) - 0x4000 - u.extent - 1 + draw_of(ends) :
			 one_in(6) ? (2u << (20 + draw_below(7))) - 8 * draw_below(0x800) :
			 8 * draw_bits(16);
		break;
	default:
		u.addr = (draw_below(40) + (one_in(6) ? 216 : 0)) << 12 |
			 (one_in(4) ? 0x1000 - u.extent - 1 + draw_of(ends)
				    : 0x80 + 4 * draw_below(800));
		if ((u.addr & ~7ull << 12) == 0x1e << 15)
			u.addr = 1 << 15 | (u.addr & 0xfff);
	}
	return u;
}

static void row_text(const struct unit *u, char *to, size_t size)
{
	static const char *const access[] = { "msr", "mmio", "pci" };
	char addr[60], kind[20] = "-", ctl[20] = "-";

	if (u->access == DISC_PCI)
		snprintf(addr, sizeof(addr), "%u.%u:0x%x", (unsigned int)(u->addr >> 15),
			 (unsigned int)(u->addr >> 12 & 7), (unsigned int)(u->addr & 0xfff));
	else
		snprintf(addr, sizeof(addr), "0x%llx", u->addr);
	if (u->listed) {
		snprintf(kind, sizeof(kind), "%u", u->type);
		snprintf(ctl, sizeof(ctl), "0x%x", u->ctl);
	}
	snprintf(to, size, "%s\t%s %u %u-%u %s %u %u %s 0x%x name=%.*s clock=%u bits=0x%llx", access[u->access],
		 kind, u->id, u->first, u->last, addr, u->counters, u->width, ctl, u->ctr,
		 (int)(strrchr(u->name, '_') - u->name), u->name, u->mhz, u->bits);
	if (u->access != DISC_MSR)
		snprintf(to + strlen(to), size - strlen(to), " step=%u", u->step);
	snprintf(to + strlen(to), size - strlen(to), "%s%s", u->e5 ? " e5" : "",
		 u->unboxed ? " box=-" : "");
	if (u->box_at)
		snprintf(to + strlen(to), size - strlen(to), " box=%u", u->box_at);
	if (u->filters)
		snprintf(to + strlen(to), size - strlen(to), " filter=%u:%u", u->filter_at, u->filters);
	if (u->value)
		snprintf(to + strlen(to), size - strlen(to), " value=0x%llx", u->value);
	if (u->fixed_ctr)
		snprintf(to + strlen(to), size - strlen(to), " fixed=%u:%u", u->fixed_ctl, u->fixed_ctr);
	if (u->device)
		snprintf(to + strlen(to), size - strlen(to), " device=0x%x", u->device);
	g_strlcat(to, "\n", size);
}

/* A unit of each access for all dies, so that each has a window; then drawn rows */
static bool new_machine(void)
{
	static const unsigned int packages[][DIES] = {
		{ 0, 1, 2 }, { 0, 7, 3 }, { 7, 0, 1 }, { 1, 2, 0 }, { 5, 6, 4 },
	};
	const unsigned int *package = draw_of(packages);
	char row[400];

	clear_machine();
	dies = 1 + draw_below(DIES);
	by_msr = one_in(2);
	global = draw_below(3);
	if (global)
		sprintf(table, "table pci 0x9a7 global=%s\n",
			global == BY_MSR ? "msr:0x1fff" : "mmio:0xfff8000");
	second = global && one_in(2);
	for (unsigned int n = 0; n < dies; n++)
		die[n].package = package[n];
	for (unsigned int i = 0; i < 12; i++) {
		struct unit u = draw_unit(i);
		bool good = u.addr <= UINT32_MAX;

		if (second && i == SECOND_ROW)
			sprintf(table + strlen(table), "table msr 0x%x global=msr:0x%x\n", SECOND_MSR,
				SECOND_GLOBAL);
		/* Firmware's registers, a window for all, and a unit of the second table */
		if (i < 2 || (second && i == SECOND_ROW)) {
			u = (struct unit) { .access = i ? DISC_PCI : DISC_MMIO,
					    .listed = true,
					    .type = i,
					    .counters = 2,
					    .width = 48,
					    .ctl = 0x10,
					    .ctr = 0x30,
					    .step = 8,
					    .last = 7,
					    .bits = 0xff84ffff,
					    .torn = -1,
					    .addr = i > 1 ? 0x64fc0 : i ? 0x11fc0 : 0x100000 };
			snprintf(u.name, sizeof(u.name), "first_%u_0", i);
			add_regs(&u);
			good = true;
		}
		u.second = second && i >= SECOND_ROW;
		row_text(&u, row, sizeof(row));
		for (unsigned int n = 0; n < dies && good; n++)
			good = n < u.first || n > u.last || fits(&die[n], &u);
		strcat(table, row);
		write_table();
		if (!good) {
			bool taken = true;

			for (unsigned int n = 0; n < dies && taken; n++) {
				PCIBus bus = die[n].bus;

				taken = make_die(n);
				die[n].bus = bus;
				disc_die[n] = NULL;
			}
			bench_cases++;
			if (taken)
				differs("taken: %s", row);
			nr_hooks = 0;
			table[strlen(table) - strlen(row)] = 0;
			continue;
		}
		for (unsigned int n = 0; n < dies; n++) {
			if (n >= u.first && n <= u.last)
				die[n].unit[die[n].units++] = u;
		}
	}
	write_table();
	for (unsigned int n = 0; n < dies; n++) {
		memset(&die[n].bus, 0, sizeof(die[n].bus));
		bench_cases++;
		if (!make_die(n)) {
			differs("refused: %s\n%s", said, table);
			return false;
		}
		of_die.reset((DeviceState *)die[n].disc);
		for (struct unit *u = die[n].unit; u < die[n].unit + die[n].units; u++)
			reset(u);
	}
	return true;
}

/* A table's 64-bit words as Linux reads them (uncore_discovery.h) */
static void check_table(bool other)
{
	for (unsigned int n = 0; n < dies; n++) {
		const struct region *r = &region[n][other ? 2 : 0];
		uint64_t want[3 * (UNITS + 2)] = { 0 };
		const struct die *d = &die[n];
		unsigned int units = 0;

		for (const struct unit *u = d->unit; u < d->unit + d->units; u++) {
			uint64_t *q = want + 3 * (units + 1);

			if (!u->listed || u->second != other)
				continue;
			q[0] = u->counters | u->ctl << 8 | u->width << 16 | (uint64_t)u->ctr << 24 |
			       (uint64_t)u->access << 62;
			q[1] = u->addr;
			if (u->access == DISC_MMIO)
				q[1] += d->bar[1];
			if (u->access == DISC_PCI)
				q[1] |= (uint64_t)d->bus.number << 20;
			q[2] = u->type | u->id << 16;
			units++;
		}
		want[0] = 0x23 | 3 << 8 | units << 16 |
			  (uint64_t)(global == BY_MMIO && !other) << 62;
		want[1] = other ? SECOND_GLOBAL :
			  global == BY_MSR ? GLOBAL_MSR : d->bar[1] + GLOBAL_MMIO;
		for (unsigned int off = 0; off < 24 * (units + 2); off++) {
			for (unsigned int size = 1; size <= 8; size *= 2) {
				uint64_t got, w = want[off / 8] >> 8 * (off % 8);

				if (off % size || (off / 8 == 1 && !global))
					continue;
				w &= ~0ull >> (64 - 8 * size);
				got = r->ops->read(r->opaque, off, size);
				bench_cases++;
				if (got != w)
					differs("die %u, table at 0x%x, %u bytes: 0x%llx, not 0x%llx", n, off,
						size, got, w);
			}
		}
		if (r->size < 24 * (units + 1) || r->size & (r->size - 1))
			differs("die %u: a table of %llu bytes for %u units", n,
				r->size, units);
		for (const struct unit *u = d->unit; u < d->unit + d->units; u++) {
			bench_cases++;
			if ((u->access == DISC_MMIO && u->addr + 0x4000 > region[n][1].size) ||
			    (global == BY_MMIO && GLOBAL_MMIO + 0x4000 > region[n][1].size))
				differs("die %u: the window of 0x%llx bytes ends within what Linux maps of 0x%llx",
					n, region[n][1].size, u->addr);
			if (u->access == DISC_PCI && (!d->bus.devices[u->addr >> 12] ||
						      !d->bus.devices[u->addr >> 12 & ~7u]))
				differs("die %u: no function 0x%x, or no function 0 of the device", n,
					(unsigned int)(u->addr >> 12));
		}
	}
}

static uint64_t draw_value(const struct unit *u, const struct reg *r)
{
	static const uint8_t events[] = { 1, 1, 2, 2, 0, 0xff };
	uint64_t v;

	if (r && r->kind == BOX)
		return one_in(9) ? draw_bits(64) : one_in(4) ? draw() & 0x303 :
		       draw_below(2) << (u->e5 ? 8 : 0);
	if (r && r->kind == COUNTER)
		return one_in(2) ? mask(u) - draw_below(20)
				 : draw_bits(one_in(9) ? 64 : MAX(u->width, 1));
	if (r && r->kind == FILTER)
		return draw_bits(64);
	if (r && r->index == FIXED)
		return one_in(5) ? draw_bits(64) : one_in(3) ? 0 : 1 << 22;
	v = draw_of(events) | draw_bits(8) << 8;
	if (one_in(3))
		v |= draw() & (1ull << 18 | 1ull << 23 | 3ull << 24);
	if (one_in(3))
		v |= draw() << 32;
	if (u->e5 && !one_in(4))
		v |= 1 << 22;
	if (one_in(5))
		v = 0;
	return one_in(20) ? draw_bits(64) : v;
}

static uint64_t draw_addr(const struct unit *u, unsigned int size, const struct reg **r)
{
	uint64_t addr;

	*r = NULL;
	if (!u->regs || one_in(10))
		return u->addr - MIN(u->addr, 2 * size) + draw_below(u->extent + 4 * size);
	*r = &u->reg[draw_below(u->regs)];
	addr = u->addr + (*r)->start;
	if (u->access != DISC_MSR && one_in(2))
		addr += one_in(3) ? draw_below((*r)->size) : (*r)->size / 2;
	return addr;
}

static void compare(const char *what, const struct die *d, uint64_t addr, unsigned int size,
		    bool write, uint64_t got, uint64_t want, unsigned int found)
{
	unsigned int said_so = reported();

	bench_cases++;
	if (!write && got != want)
		differs("die %u: %s 0x%llx, %u bytes, reads 0x%llx, not 0x%llx", (unsigned int)(d - die), what,
			addr, size, got, want);
	if (said_so != found)
		differs("die %u: %s 0x%llx, %u bytes, %s 0x%llx: findings %u, not %u", (unsigned int)(d - die), what,
			addr, size, write ? "write" : "read", want,
			said_so, found);
}

static void access_mmio(struct die *d, const struct unit *u, bool write)
{
	unsigned int n = d - die, size = 1u << draw_below(4);
	const struct reg *r;
	uint64_t addr = draw_addr(u, size, &r) & -(uint64_t)size, v = draw_value(u, r), got;
	unsigned int found;

	if (addr + size > region[n][1].size)
		return;
	v &= ~0ull >> (64 - 8 * size);
	got = v;
	found = access_ref(d, DISC_MMIO, addr, size, write, &v);
	if (write)
		region[n][1].ops->write(region[n][1].opaque, addr, got, size);
	else
		got = region[n][1].ops->read(region[n][1].opaque, addr, size);
	compare("MMIO", d, addr, size, write, got, v, found);
}

static void access_pci(struct die *d, const struct unit *u, bool write)
{
	unsigned int size = 1u << draw_below(3);
	const struct reg *r;
	uint64_t addr = draw_addr(u, size, &r), v;
	PCIDevice *dev;
	uint32_t got;
	unsigned int found;

	/* Within the function, behind the header and the capability */
	if (addr >> 12 != u->addr >> 12 || (addr & 0xfff) < 0x80 || (addr & 0xfff) + size > 0x1000)
		return;
	dev = d->bus.devices[addr >> 12];
	v = draw_value(u, r) & ~0ull >> (64 - 8 * size);
	got = v;
	/* A read elsewhere in a function reads what QEMU has of it. */
	if (!write && !unit_at(d, DISC_PCI, addr)) {
		v = 0;
		found = 0;
	} else {
		found = access_ref(d, DISC_PCI, addr, size, write, &v);
	}
	if (write)
		of_fn.config_write(dev, addr & 0xfff, got, size);
	else
		got = of_fn.config_read(dev, addr & 0xfff, size);
	compare("configuration", d, addr, size, write, got, v, found);
}

static void access_msr(const struct unit *u, bool write)
{
	X86CPU *cpu = X86_CPU(first_cpu);
	const struct reg *r;
	uint64_t where = second && one_in(2) ? SECOND_MSR : 0x201e;
	uint64_t addr = one_in(40) ? where : draw_addr(u, 1, &r), v, got;
	X86MSRResult want = X86_MSR_PASS, result;
	struct die *own = NULL;
	unsigned int found = 0;

	if (addr >> 32)
		return;
	r = unit_at(&die[0], DISC_MSR, addr) && addr >= u->addr ? reg_at(u, addr - u->addr, 1)
								: NULL;
	v = got = draw_value(u, r);
	cpu->socket_id = one_in(5) ? draw_below(9) : die[draw_below(dies)].package;
	for (unsigned int n = 0; n < dies; n++) {
		if (die[n].package == cpu->socket_id)
			own = &die[n];
		if (unit_at(&die[n], DISC_MSR, addr))
			want = X86_MSR_FAULT;
	}
	if (own && by_msr && addr == 0x201e && !write) {
		want = X86_MSR_DONE;
		v = own->bar[0];
	} else if (own && second && addr == SECOND_MSR && !write) {
		want = X86_MSR_DONE;
		v = own->bar[2];
	} else if (own && unit_at(own, DISC_MSR, addr)) {
		found = access_ref(own, DISC_MSR, addr, 1, write, &v);
		want = found & NONE ? X86_MSR_FAULT : X86_MSR_DONE;
	}
	result = msr(cpu, addr, write, &got);
	if (result != want)
		differs("package %u, MSR 0x%llx, %s: %d, not %d", cpu->socket_id, addr,
			write ? "write" : "read", result, want);
	if (want == X86_MSR_DONE)
		compare("MSR", own, addr, 8, write, got, v, found);
	else
		compare("MSR", die, addr, 8, true, 0, 0, found);
}

/* Bit 0 of a global control freezes the units of its table alone. */
static void access_global(struct die *d, bool write)
{
	uint64_t was = 1, v = draw_below(4), got = v;
	X86CPU *cpu = X86_CPU(first_cpu);
	struct region *r = &region[d - die][1];
	bool other = second && one_in(2);

	for (struct unit *u = d->unit; u < d->unit + d->units; u++) {
		pass(u);
		if (!u->listed || u->second != other)
			continue;
		was = u->frozen;
		if (write)
			u->frozen = v & 1;
	}
	cpu->socket_id = d->package;
	if (other || global == BY_MSR)
		msr(cpu, other ? SECOND_GLOBAL : GLOBAL_MSR, write, &got);
	else if (write)
		r->ops->write(r->opaque, GLOBAL_MMIO, v, 8);
	else
		got = r->ops->read(r->opaque, GLOBAL_MMIO, 8);
	compare("global control", d, 0, 8, write, got, was, write && v & 2 ? RESERVED : 0);
}

static void inject(struct die *d, struct unit *u)
{
	static const uint8_t events[] = { 0, 1, 2, 2, 2, 0xff };
	unsigned int event = draw_of(events), inc = one_in(3) ? draw_below(256) : 1, i;
	uint64_t umask = one_in(3) ? 0 : one_in(2) ? draw_bits(40) : 1ull << draw_below(40);
	uint64_t n = one_in(4) ? draw_bits(64) : draw_below(30);
	bool clock = u->mhz && event == !u->e5;

	if (!u->listed) {
		i = draw_below(u->counters + 1);
		bench_cases++;
		if ((say("stim %u %s ctr=%u,count=%llu", (unsigned int)(d - die), u->name, i,
			 n) == MODEL_STATUS_OK) != (i < u->counters))
			differs("%s: %s", u->name, said);
		if (i < u->counters) {
			pass(u);
			u->counter[i] = (u->counter[i] + n) & mask(u);
		}
		return;
	}
	bench_cases++;
	if ((say("stim %u %s event=%u,umask=0x%llx,count=%llu,inc=%u", (unsigned int)(d - die), u->name, event,
		 umask, n, inc) == MODEL_STATUS_OK) == clock)
		differs("%s, event %u: %s", u->name, event, said);
	if (clock)
		return;
	pass(u);
	for (i = 0; i < u->counters; i++) {
		uint64_t c = u->control[i], selects = (c >> 8 & 0xff) | (c >> 32) << 8;

		if (runs(u, i) && (c & 0xff) == event && (!umask || umask & selects))
			u->counter[i] = (u->counter[i] + n * adds(c, inc)) & mask(u);
	}
}

static void set(struct die *d, struct unit *u, bool tear)
{
	bool fixed = one_in(4);
	unsigned int ctr = fixed ? FIXED : draw_below(u->counters + 1);
	uint64_t v = draw_bits(one_in(9) ? 64 : MAX(u->width, 1));
	bool good = (fixed ? u->fixed_ctr : ctr < u->counters) && !(v & ~mask(u)) &&
		    !(tear && u->access == DISC_MSR);
	char name[12] = "fixed";

	if (!fixed)
		sprintf(name, "%u", ctr);
	bench_cases++;
	if ((say("%s %u %s ctr=%s,value=%llu%s", tear ? "tear" : "set", (unsigned int)(d - die), u->name,
		 name, v, tear ? ",after=lo" : "") == MODEL_STATUS_OK) != good)
		differs("%s of %u counters: %s", u->name, u->counters, said);
	pass(u);
	if (good && tear) {
		u->torn = ctr;
		u->tear = v;
	} else if (good) {
		u->counter[ctr] = v;
	}
}

static void get(struct die *d, struct unit *u)
{
	char want[4000] = "";
	size_t at = 0;

	pass(u);
	/* The beginning of a name is none. */
	bench_cases++;
	if (say("get %u %.*s", (unsigned int)(d - die), (int)strlen(u->name) - 1, u->name) !=
	    MODEL_STATUS_ERROR)
		differs("%.*s is a name", (int)strlen(u->name) - 1, u->name);
	if (u->listed && !u->unboxed)
		at += sprintf(want + at, "%s_BOX_CTL=0x%08x\n", u->name, u->box);
	for (unsigned int i = 0; i < u->counters; i++) {
		if (u->listed)
			at += sprintf(want + at, "%s_CTL%u=0x%08llx\n", u->name, i,
				      u->control[i]);
		at += sprintf(want + at, "%s_CTR%u=0x%012llx\n", u->name, i, u->counter[i]);
	}
	for (unsigned int i = 0; i < u->filters; i++)
		at += sprintf(want + at, "%s_FILTER%u=0x%08llx\n", u->name, i, u->filter[i]);
	bench_cases++;
	if (say("get %u %s", (unsigned int)(d - die), u->name) != MODEL_STATUS_OK || strcmp(said, want))
		differs("get: %s instead of %s", said, want);
}

static void accesses(void)
{
	static const char *const kinds[] = { "msr", "mmio", "pci" };
	static char want[20000];
	size_t at = 0;

	for (struct die *d = die; d < die + dies; d++) {
		for (struct unit *u = d->unit; u < d->unit + d->units; u++) {
			at += sprintf(want + at, "socket=%u box=%s kind=%s reads=%llu writes=%llu\n",
				      (unsigned int)(d - die), u->name, kinds[u->access],
				      u->reads, u->writes);
			u->reads = u->writes = 0;
		}
	}
	bench_cases++;
	if (say("accesses reset") != MODEL_STATUS_OK || strcmp(said, want))
		differs("accesses: %s instead of %s", said, want);
}

static void step(void)
{
	struct die *d = &die[draw_below(dies)];
	struct unit *u = &d->unit[draw_below(d->units)];

	switch (draw_below(40)) {
	case 0 ... 24:
		if (u->access == DISC_MMIO)
			access_mmio(d, u, one_in(2));
		else if (u->access == DISC_PCI)
			access_pci(d, u, one_in(2));
		else
			access_msr(u, one_in(2));
		break;
	case 25 ... 30:
		inject(d, u);
		break;
	case 31:
		set(d, u, false);
		break;
	case 32:
		if (u->counters)
			set(d, u, true);
		break;
	case 33:
		accesses();
		break;
	case 34:
		if (!one_in(10))
			break;
		of_die.reset((DeviceState *)d->disc);
		for (u = d->unit; u < d->unit + d->units; u++)
			reset(u);
		break;
	case 35:
		region[d - die][0].ops->write(region[d - die][0].opaque, 8, 1, 4);
		compare("table", d, 8, 4, true, 0, 0, READ_ONLY);
		break;
	case 36:
		get(d, u);
		break;
	case 37:
		if (global)
			access_global(d, one_in(2));
		break;
	default:
		shim_advance(shim_now + (one_in(2) ? draw_below(20) : draw_bits(40)));
	}
}

/* Rows at the edge of what a column takes; whether a table of this row alone is right */
#include "discovery-rows.h"

static void test_rows(void)
{
	for (const struct row *r = rows; r < rows + ARRAY_SIZE(rows); r++) {
		clear_machine();
		snprintf(table, sizeof(table), "%s", r->text);
		write_table();
		bench_cases++;
		if (make_die(0) != r->good || (r->why && !strstr(said, r->why)))
			differs("'%s': '%s', not '%s'", r->text, said, r->why ?: "");
	}
	bench_test("rows at the edge of what they may be");
}

/* As many units as the table counts, and one more */
static void test_number(void)
{
	for (unsigned int units = 1022; units <= 1024; units++) {
		clear_machine();
		snprintf(table, sizeof(table), "msr 1 0-%u * 0x2000+0x10 1 48 1 2\n", units - 1);
		write_table();
		bench_cases++;
		if (make_die(0) != (units <= 1023))
			differs("%u units: '%s'", units, said);
	}
	bench_test("as many units as the table can have");
}

/* What Linux reads of Sapphire Rapids: the node of a bus, the memory controllers' addresses */
static void test_firmware(void)
{
	clear_machine();
	strcpy(table, "pci - 0 * 0.1:0 0 - - - name=node device=0x3250 node\n"
	       "pci - 0 * 26.0:0 0 - - - name=mc device=0x3251 mc\nmmio 6 0 * 0x22800 4 48 0x40 8\n");
	write_table();
	dies = DIES;
	for (unsigned int n = 0; n < DIES; n++) {
		static const unsigned int packages[] = { 7, 0, 3 };
		struct die *d = &die[n];
		PCIDevice *node, *mc;

		d->package = packages[n];
		if (!make_die(n)) {
			differs("%s", said);
			continue;
		}
		node = d->bus.devices[1];
		mc = d->bus.devices[26 << 3];
		bench_cases++;
		if (of_fn.config_read(node, 2, 2) != 0x3250 ||
		    of_fn.config_read(node, 0xc0, 4) != d->package ||
		    (of_fn.config_read(node, 0xd4, 4) >> 3 * d->package & 7) != d->package)
			differs("die %u: its bus is not package %u's", n, d->package);
		for (unsigned int i = 0; i < 4; i++) {
			uint64_t at = (of_fn.config_read(mc, 0xd0, 4) & 0x1fffffffull) << 23 |
				      (of_fn.config_read(mc, 0xd8 + 4 * i, 4) & 0x7ff) << 12;

			bench_cases++;
			if (at != d->bar[1] + 0x40000 * i)
				differs("die %u, controller %u: 0x%llx", n, i, at);
		}
		/* After suspend, Linux reads the addresses before it sets them again. */
		region[n][0].ops->read(region[n][0].opaque, 32, 8);
		d->bar[1] = PCI_BAR_UNMAPPED;
		bench_cases++;
		if (region[n][0].ops->read(region[n][0].opaque, 32, 8) !=
		    0xc0022800 + 0x10000000ull * n)
			differs("die %u: the address is lost while it is not mapped", n);
	}
	bench_test("firmware's registers");
}

int main(int argc, char **argv)
{
	bench_begin(argc, argv);
	shim_types();
	bench_cpu(0, 0, 0);
	test_rows();
	test_number();
	test_firmware();
	for (unsigned int round = 0; round < ROUNDS && !bench_wrong; round++) {
		if (!new_machine())
			break;
		check_table(false);
		if (second)
			check_table(true);
		for (unsigned int i = 0; i < STEPS && !bench_wrong; i++)
			step();
	}
	bench_test("drawn units, accesses, events and times");
	return bench_done();
}
