// SPDX-License-Identifier: GPL-2.0-only
/*
 * rse.c: the register stack engine. It is lazy: it stores registers only to make room for a frame,
 * and loads them only when a return needs them. There is no clean partition.
 *
 * The physical registers are a ring. The frame begins at cpu->bof. Below it are cpu->dirty
 * registers of earlier frames, the lowest of which goes to cpu->bspstore. If a return lacks
 * registers, cpu->dirty is negative: the first ones of the frame are in memory below bspstore.
 */
#include "exec.h"

/* Index of an address in its collection; 63 is the word of NaT bits */
static unsigned int word_of(uint64_t address)
{
	return address >> 3 & 63;
}

/* Address of the register @count registers after the one at @address */
uint64_t rse_skip(uint64_t address, int64_t count)
{
	int64_t delta = word_of(address) + count;

	if (count < 0)
		delta -= 62;
	return address + 8 * (count + delta / 63);
}

static unsigned int ring(const struct cpu *cpu, int32_t from_frame)
{
	return 32 + (cpu->bof + 2 * STACKED_REGS + from_frame) % STACKED_REGS;
}

/* The stacked registers' places in cpu->gr, twice around */
static uint8_t places[2 * STACKED_REGS];

/* The frame begins at another register, or it rotates. */
static void map_frame(struct cpu *cpu)
{
	unsigned int sor = cpu->cfm.sor, rrb = cpu->cfm.rrb_gr;
	const uint8_t *first = places + cpu->bof;
	uint8_t *map = cpu->gr_map + 32;

	memcpy(map, first, STACKED_REGS);
	if (rrb) {
		memcpy(map, first + rrb, sor - rrb);
		memcpy(map + sor - rrb, first, rrb);
	}
}

void rse_init(struct cpu *cpu)
{
	unsigned int i;

	for (i = 0; i < 2 * STACKED_REGS; i++)
		places[i] = 32 + i % STACKED_REGS;
	for (i = 0; i < 32; i++)
		cpu->gr_map[i] = i;
	map_frame(cpu);
}

uint64_t cfm_value(const struct cpu *cpu)
{
	return cpu->cfm.sof | (uint64_t)cpu->cfm.sol << 7 | (uint64_t)(cpu->cfm.sor >> 3) << 14 |
	       (uint64_t)cpu->cfm.rrb_gr << 18 | (uint64_t)cpu->cfm.rrb_fr << 25 |
	       (uint64_t)cpu->cfm.rrb_pr << 32;
}

static bool frame_valid(uint64_t value)
{
	unsigned int sof = BITS(value, 6, 0);
	unsigned int sor = BITS(value, 17, 14) << 3;
	unsigned int rrb_gr = BITS(value, 24, 18);

	return sof <= STACKED_REGS && BITS(value, 13, 7) <= sof && sor <= sof &&
	       (rrb_gr < sor || !rrb_gr) && BITS(value, 31, 25) < 96 && BITS(value, 37, 32) < 48;
}

/* Treat an invalid frame, which a program may have put into ar.pfs, as empty. */
static void cfm_set(struct cpu *cpu, uint64_t value)
{
	cpu->cfm = (struct cfm){ 0 };
	if (frame_valid(value))
		cpu->cfm = (struct cfm){
			.sof = BITS(value, 6, 0),
			.sol = BITS(value, 13, 7),
			.sor = BITS(value, 17, 14) << 3,
			.rrb_gr = BITS(value, 24, 18),
			.rrb_fr = BITS(value, 31, 25),
			.rrb_pr = BITS(value, 37, 32),
		};
	map_frame(cpu);
}

/* Store the lowest dirty register. */
static void store_one(struct cpu *cpu)
{
	unsigned int i = ring(cpu, -cpu->dirty);
	uint64_t bit = 1ULL << word_of(cpu->bspstore);

	if (word_of(cpu->bspstore) == 63) {
		rse_write(cpu, cpu->bspstore, cpu->rnat & ~(1ULL << 63));
		cpu->bspstore += 8;
		return;
	}
	/* Write both before changing any state, as either may fault. */
	rse_write(cpu, cpu->bspstore, cpu->gr[i]);
	cpu->rnat = cpu->nat[i] ? cpu->rnat | bit : cpu->rnat & ~bit;
	if (word_of(cpu->bspstore) == 62) {
		rse_write(cpu, cpu->bspstore + 8, cpu->rnat & ~(1ULL << 63));
		cpu->bspstore += 8;
	}
	cpu->bspstore += 8;
	cpu->dirty--;
}

/* Load the register below the lowest one. */
static void load_one(struct cpu *cpu)
{
	uint64_t address = cpu->bspstore - 8;
	uint64_t rnat = cpu->rnat;
	uint64_t value;
	unsigned int i;

	if (word_of(address) == 63) {
		rnat = rse_read(cpu, address);
		address -= 8;
	}
	value = rse_read(cpu, address);
	i = ring(cpu, -cpu->dirty - 1);
	cpu->gr[i] = value;
	cpu->nat[i] = rnat >> word_of(address) & 1;
	cpu->rnat = rnat;
	cpu->bspstore = address;
	cpu->dirty++;
}

static void make_room(struct cpu *cpu, unsigned int frame)
{
	while (cpu->dirty + (int)frame > STACKED_REGS)
		store_one(cpu);
}

/* After br.ret and rfi, at their target: load the rest of the frame. */
void rse_load_frame(struct cpu *cpu)
{
	while (cpu->dirty < 0)
		load_one(cpu);
	make_room(cpu, cpu->cfm.sof);
	cpu->load_frame = false;
}

static void move_frame(struct cpu *cpu, int32_t count)
{
	cpu->bof = (cpu->bof + STACKED_REGS + count) % STACKED_REGS;
	cpu->bsp = rse_skip(cpu->bsp, count);
	cpu->dirty += count;
}

void rse_call(struct cpu *cpu)
{
	unsigned int sol = cpu->cfm.sol;

	cpu->pfs = cfm_value(cpu) | cpu->ec << 52 | (uint64_t)cpu_cpl(cpu) << 62;
	move_frame(cpu, sol);
	cpu->cfm = (struct cfm){ .sof = cpu->cfm.sof - sol };
	map_frame(cpu);
}

/* Adjust the state only; the loads happen before the next instruction. */
void rse_return(struct cpu *cpu, uint64_t pfm)
{
	unsigned int sol = frame_valid(pfm) ? BITS(pfm, 13, 7) : 0;

	move_frame(cpu, -(int)sol);
	cfm_set(cpu, pfm);
	cpu->load_frame = cpu->dirty < 0 || cpu->dirty + cpu->cfm.sof > STACKED_REGS;
	if (cpu->load_frame)
		cpu->next_check = 0;
}

void rse_rfi(struct cpu *cpu)
{
	if (cpu->ifs >> 63) {
		if (frame_valid(cpu->ifs))
			move_frame(cpu, -(int)BITS(cpu->ifs, 6, 0));
		cfm_set(cpu, cpu->ifs);
	}
	cpu->load_frame = cpu->dirty < 0 || cpu->dirty + cpu->cfm.sof > STACKED_REGS;
	if (cpu->load_frame)
		cpu->next_check = 0;
}

/* Rotate registers by one. */
void rse_rotate(struct cpu *cpu)
{
	struct cfm *cfm = &cpu->cfm;

	if (cfm->sor) {
		cfm->rrb_gr = (cfm->rrb_gr ?: cfm->sor) - 1;
		map_frame(cpu);
	}
	cfm->rrb_fr = (cfm->rrb_fr ?: 96) - 1;
	cfm->rrb_pr = (cfm->rrb_pr ?: 48) - 1;
}

void rse_set_bspstore(struct cpu *cpu, uint64_t value)
{
	cpu->bspstore = value & ~7ULL;
	cpu->bsp = rse_skip(cpu->bspstore, cpu->dirty);
}

enum next x_alloc(struct cpu *cpu, const struct insn *insn)
{
	unsigned int sof = insn->r2;
	unsigned int sol = insn->r3;
	unsigned int sor = insn->r4;
	struct cfm *cfm = &cpu->cfm;
	uint64_t pfs = cpu->pfs;

	if (insn->qp || sof > 96 || sol > sof || sor > sof || insn->r1 == 0 || insn->r1 >= 32 + sof)
		illegal_operation(cpu);
	if (sor != cfm->sor && (cfm->rrb_gr || cfm->rrb_fr || cfm->rrb_pr))
		reserved_field(cpu);
	make_room(cpu, sof);
	cfm->sof = sof;
	cfm->sol = sol;
	cfm->sor = sor;
	wr(cpu, insn->r1, pfs, false);
	return NEXT_SLOT;
}

enum next x_flushrs(struct cpu *cpu, const struct insn *insn)
{
	while (cpu->dirty > 0)
		store_one(cpu);
	return NEXT_SLOT;
}

/* loadrs: keep as many bytes below the frame in registers as ar.rsc says; drop others. */
enum next x_loadrs(struct cpu *cpu, const struct insn *insn)
{
	uint64_t lowest = cpu->bsp - (cpu->rsc >> 16 & 0x3ff8);

	if (cpu->rsc & 3 || (cpu->cfm.sof && cpu->rsc >> 16 & 0x3ff8))
		illegal_operation(cpu);
	while (cpu->bspstore > lowest) {
		if (word_of(cpu->bspstore - 8) == 63 && cpu->bspstore - 8 == lowest) {
			cpu->rnat = rse_read(cpu, lowest);
			cpu->bspstore = lowest;
			break;
		}
		if (cpu->dirty >= STACKED_REGS)
			illegal_operation(cpu);
		load_one(cpu);
	}
	if (cpu->bspstore < lowest) {
		cpu->bspstore = lowest;
		for (cpu->dirty = 0; rse_skip(lowest, cpu->dirty) < cpu->bsp;)
			cpu->dirty++;
	}
	return NEXT_SLOT;
}

enum next x_cover(struct cpu *cpu, const struct insn *insn)
{
	if (!(cpu->psr & PSR_IC))
		cpu->ifs = cfm_value(cpu) | 1ULL << 63;
	move_frame(cpu, cpu->cfm.sof);
	cfm_set(cpu, 0);
	return NEXT_SLOT;
}

enum next x_clrrrb(struct cpu *cpu, const struct insn *insn)
{
	if (insn->op == OP_CLRRRB) {
		cpu->cfm.rrb_gr = 0;
		cpu->cfm.rrb_fr = 0;
		map_frame(cpu);
	}
	cpu->cfm.rrb_pr = 0;
	return NEXT_SLOT;
}
