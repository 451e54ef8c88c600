// SPDX-License-Identifier: GPL-2.0-or-later
/* Hardware variants, each alone; and MSRs, which fault or belong to a package */
#include <sys/wait.h>
#include <unistd.h>

#include "uncore-test.h"
#include "x86-msr-hook.h"

#define READS	100
#define EXT	(1u << 21)
#define FROZEN	0x10100u
#define SOME	0xaaaaaaaaaaaaaaaaull

static const UncoreReg box_ctl = { UNCORE_R_BOX_CTL }, ctl0 = { UNCORE_R_CTL },
		       fixed_ctl = { UNCORE_R_CTL, UNCORE_FIXED };
static X86CPU *cpus[2];

/* What the command variant prints, which test_variants.py has from QEMU */
MachineState *current_machine;

void uncore_print_hidden(const UncoreModel *u, GString *out)
{
}

static void is(const char *what, uint64_t got, uint64_t want)
{
	bench_cases++;
	if (got != want)
		differs("%s: 0x%llx, not 0x%llx", what, got, want);
}

/* Bits that a register always has, and those that it ever has */
static void sees(UncoreBox *box, UncoreReg reg, uint64_t always, uint64_t ever)
{
	g_autofree char *name = uncore_reg_name(box, reg);
	uint64_t all = ~0ull, any = 0;

	for (unsigned int i = 0; i < READS; i++) {
		uint64_t v = uncore_reg_read(box, reg);

		all &= v;
		any |= v;
	}
	is(name, all, always);
	is(name, any, ever);
}

static void set(UncoreTrait trait, unsigned int value)
{
	memset(uncore.trait, 0, sizeof(uncore.trait));
	uncore.trait[trait] = value;
	uncore_make_sockets();
	uncore_variant_boot(&uncore);
	say("checker reset");
}

static void test_noise(void)
{
	set(UNCORE_T_NOISE, 1);
	for (unsigned int b = 0; b < uncore.socket[0].boxes; b++) {
		UncoreBox *box = &uncore.socket[0].box[b];
		bool msr = box->type->msr;
		uint64_t all = msr ? ~0ull : 0xffffffff, above = ~0ull << box->type->width;
		struct fields f = fields_of_box(box);
		uint64_t ctl = f.rw | f.wo | (box->type->kind == UNCORE_PCU ? EXT : 0);
		UncoreReg ctr = { UNCORE_R_CTR, 1, .high = !msr };

		uncore_reg_poke(box, ctl0, f.rw & ~EN);
		sees(box, ctl0, f.rw & ~EN, (f.rw & ~EN) | (all & ~ctl));
		uncore_reg_poke(box, ctr, 0x123456789ab);
		sees(box, ctr, msr ? 0x123456789ab : 0x123,
		     msr ? 0x123456789ab | above : 0x123 | above >> 32);
		if (box->type->box_ctl_addr) {
			uncore_reg_poke(box, box_ctl, FROZEN);
			sees(box, box_ctl, FROZEN, FROZEN | (all & ~(uint64_t)f.box_wo));
		}
		for (unsigned int i = 0; i < box->type->nr_filters; i++) {
			UncoreReg reg = { UNCORE_R_FILTER, i };
			uint64_t rw = filter_of_box(box, i).rw;

			uncore_reg_poke(box, reg, SOME);
			sees(box, reg, rw & SOME, (rw & SOME) | (all & ~rw));
		}
	}
	sees(uncore_box_by_name(&uncore.socket[0], "imc_0"), fixed_ctl, 0, ~(EN | 1 << 19));
	bench_test("noise is in what registers reserve, and in nothing else");
}

static void test_write_only(void)
{
	for (unsigned int wo = UNCORE_WO_BACK; wo <= UNCORE_WO_NOISE; wo++) {
		set(UNCORE_T_WO, wo);
		for (unsigned int b = 0; b < uncore.socket[0].boxes; b++) {
			UncoreBox *box = &uncore.socket[0].box[b];
			struct fields f = fields_of_box(box);
			bool back = wo == UNCORE_WO_BACK, noise = wo == UNCORE_WO_NOISE;

			uncore_reg_poke(box, ctl0, f.rw);
			sees(box, ctl0, f.rw, f.rw | (noise ? f.wo : 0));
			if (!box->type->box_ctl_addr)
				continue;
			uncore_reg_poke(box, box_ctl, FROZEN);
			sees(box, box_ctl, back ? FROZEN : 0, back ? FROZEN : noise ? f.box_wo : 0);
		}
		sees(uncore_box_by_name(&uncore.socket[0], "imc_0"), fixed_ctl, 0,
		     wo == UNCORE_WO_NOISE ? 1 << 19 : 0);
	}
	bench_test("write-only bits read as written, as 0 or as noise");
}

/* Tables 1-2, 2-1, 2-8 and 2-74: CBos and the PCU have their registers at the same distances. */
static bool has_msr(uint32_t msr, unsigned int cbos)
{
	bool box = msr < 0xc40 || (msr >= 0xd00 && msr < 0xd00 + 0x20 * cbos);

	return (msr < 0xc20 ? 0xc30300 : box ? 0x3df0010 : 0) >> (msr & 31) & 1;
}

static X86MSRResult write_msr(unsigned int cpu, uint32_t msr, uint64_t value)
{
	return x86_msr_hook_write(cpus[cpu], msr, value);
}

static void test_msrs(void)
{
	for (unsigned int zero = 0; zero < 2; zero++) {
		uncore.cbos = 6;
		set(UNCORE_T_MISSING_CBOS, zero);
		for (uint32_t msr = 0xc00; msr < 0xe00; msr++) {
			bool ours = msr < 0xc40 || msr >= 0xd00;
			X86MSRResult want = !ours ? X86_MSR_PASS : has_msr(msr, zero ? 8 : 6) ?
					    X86_MSR_DONE : X86_MSR_FAULT;
			char name[16];
			uint64_t v;

			snprintf(name, sizeof(name), "MSR %x", msr);
			is(name, write_msr(0, msr, 0x10100), want);
			is(name, x86_msr_hook_read(cpus[0], msr, &v), want);
			if (want == X86_MSR_DONE && !has_msr(msr, 6))
				is(name, v, 0);
		}
		is("an injected write of a CBo that is not there", say("poke 0 msr 0xdd0=0"),
		   MODEL_STATUS_ERROR);
		is("an event of a CBo that is not there", say("stim 0 cbox_6 event=5,umask=2"),
		   MODEL_STATUS_ERROR);
	}
	uncore.cbos = 8;
	set(UNCORE_T_PCU_EXT, UNCORE_EXT_FAULT);
	say("accesses reset");
	is("bit 21 of the PCU's control", write_msr(0, 0xc30, EXT | 3), X86_MSR_FAULT);
	is("the others", write_msr(1, 0xc30, 3), X86_MSR_DONE);
	is("an injected bit 21", say("poke 0 pcu ctl0=0x200000"), MODEL_STATUS_ERROR);
	is("its socket", uncore.socket[1].box[uncore_box_by_name(&uncore.socket[0], "pcu") -
					      uncore.socket[0].box].ctl[0], 3);
	say("accesses");
	is("an access for each", !!strstr(said, "0 box=pcu kind=msr reads=0 writes=1\n") +
	   !!strstr(said, "1 box=pcu kind=msr reads=0 writes=1\n"), 2);
	cpus[1]->socket_id = 1;
	is("a package that is not there", write_msr(1, 0xc30, 3), X86_MSR_FAULT);
	bench_test("MSRs of the guide's tables answer, and all others fault");
}

static void test_firmware(void)
{
	unsigned int frozen = 0, on = 0, off = 0, values = 0, ticking = 0;

	set(UNCORE_T_FIRMWARE, 1);
	for (unsigned int b = 0; b < uncore.socket[0].boxes; b++) {
		UncoreBox *box = &uncore.socket[0].box[b];

		frozen += box->box_ctl == FROZEN;
		for (unsigned int i = 0; i < box->type->ctrs; i++) {
			uint64_t before = box->ctr[i];

			*(box->ctl[i] & EN ? &on : &off) += 1;
			values += !!before;
			shim_now += 1000;
			ticking += uncore_reg_peek(box, (UncoreReg){ UNCORE_R_CTR, i }) != before;
		}
	}
	is("boxes are frozen", frozen > 2 && frozen < 18, true);
	is("counters are enabled", on > 10 && off > 10 && ticking, true);
	is("counters have values", values > 50, true);
	is("the protocol checker", say("checker"), MODEL_STATUS_OK);
	say("reset-all");
	is("after a reset", uncore_box_by_name(&uncore.socket[0], "ha")->ctl[0], 0);
	bench_test("careless firmware leaves boxes frozen and counters enabled");
}

/* All of each generation's registers, in a process of its own: hooks stay. */
static void test_ranges(void)
{
	for (unsigned int generation = 1; generation <= 4; generation++) {
		unsigned int missing = 0;
		int status;

		if (fork()) {
			wait(&status);
			is("registers that no access reaches", status, 0);
			continue;
		}
		uncore.generation = generation;
		uncore.cbos = 24;	/* the most of any */
		set(UNCORE_T_NOISE, 0);
		uncore_msr_init(&uncore);
		for (unsigned int b = 0; b < uncore.socket[0].boxes; b++) {
			const UncoreBoxType *t = uncore.socket[0].box[b].type;
			unsigned int step = t->step * uncore.socket[0].box[b].instance;
			uint64_t v;

			for (unsigned int i = 0; t->msr && i < t->ctrs; i++)
				missing += x86_msr_hook_read(cpus[0], t->ctr_addr + step + i, &v) !=
					   X86_MSR_DONE;
		}
		_exit(missing > 0);
	}
	bench_test("accesses reach the registers of all boxes of each generation");
}

static uint64_t band_0(const char *mhz)
{
	UncoreBox *pcu = uncore_box_by_name(&uncore.socket[0], "pcu");

	uncore_reg_poke(pcu, ctl0, 0x0b | EN);
	uncore_reg_poke(pcu, (UncoreReg){ UNCORE_R_CTR }, 0);
	say("stim 0 pcu event=0xb,count=4%s", mhz);
	return uncore_reg_peek(pcu, (UncoreReg){ UNCORE_R_CTR });
}

static void test_others(void)
{
	UncoreBox *ubox = uncore_box_by_name(&uncore.socket[0], "ubox");
	UncoreReg fixed = { UNCORE_R_CTR, UNCORE_FIXED };

	set(UNCORE_T_PCU_FILTER, 1);
	say("poke 0 pcu filter=25");
	/* 2000 MHz as at reset, with a band of 0 */
	is("before a transition", band_0(",freq=2000") + band_0(""), 8);
	say("stim 0 pcu freq=1000");
	is("below the band", band_0(",freq=2000"), 0);
	is("in the band", band_0(",freq=2500"), 4);
	say("poke 0 pcu filter=30");
	is("before the next transition", band_0(",freq=2500"), 4);
	is("after it", band_0(",freq=2600"), 0);
	bench_test("the PCU's filter takes effect as the frequency changes");
	set(UNCORE_T_UBOX_FIXED, 1);
	uncore_reg_write(ubox, fixed, ~0ull >> 20);
	is("44 bits", say("checker"), MODEL_STATUS_OK);
	uncore_reg_write(ubox, fixed, ~0ull >> 16);
	is("48 bits", say("checker"), MODEL_STATUS_FOUND);
	is("44 of them", uncore_reg_read(ubox, fixed), ~0ull >> 20);
	uncore_reg_write(ubox, fixed_ctl, EN);
	shim_now += 1000;
	is("the counter after a microsecond", uncore_reg_read(ubox, fixed), 1999);
	set(UNCORE_T_CTL_EN, 1);
	uncore_reg_write(ubox, ctl0, 0x0142 | EN);
	is("an enable bit that reads as 0", uncore_reg_read(ubox, ctl0), 0x0142);
	bench_test("the UBox's fixed counter has 44 bits, an enable bit reads as 0");
	set(UNCORE_T_NOISE, 0);
}

void test_variants(void)
{
	uncore.generation = 1;
	uncore.package[1] = 2;
	cpus[0] = bench_cpu(0, 0, 0);
	cpus[1] = bench_cpu(2, 0, 0);
	test_ranges();
	uncore_msr_init(&uncore);
	test_noise();
	test_write_only();
	test_msrs();
	test_firmware();
	test_others();
}
