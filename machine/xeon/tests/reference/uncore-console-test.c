// SPDX-License-Identifier: GPL-2.0-or-later
/* The guest's commands, and what finds a register by its address */
#include "uncore-test.h"
#include "machine/xeon/console/model-findings.h"

#define ERR	MODEL_STATUS_ERROR
#define FOUND	MODEL_STATUS_FOUND

/* Commands one after the other, and what each answers, or a part of why it is refused */
static const struct {
	const char *line, *says;
	ModelStatus status;
} rows[] = {
	/* poke does what a write does, and the checker does not see it. */
	{ "poke 0 ha ctl0=0x400301,box_ctl=0x10100" }, { "stim 0 ha event=1,umask=3,count=5" },
	{ "peek 0 ha ctr0", "HA_PCI_PMON_CTR0=0x000000000000\n" },
	{ "poke 0 ha BOX_CTL=0,HA_PCI_PMON_CTL1=0x400301,ctr1=0x123456789abc" },
	{ "stim 0 ha event=1,umask=3,count=5" },
	{ "peek 0 ha ctr0,ctr1", "HA_PCI_PMON_CTR0=0x000000000005\nHA_PCI_PMON_CTR1=0x123456789ac1\n" },
	{ "poke 0 0e.1 0xf4=0x10100,0xac=0x1111" },
	{ "peek 0 ha box_ctl,ctr1", "HA_PCI_PMON_BOX_CTL=0x00010100\nHA_PCI_PMON_CTR1=0x111156789ac1\n" },
	{ "poke 0 0e.1 0xa8=0x2222" }, { "peek 0 0e.1 0xac", "HA_PCI_PMON_CTR1=0x111100002222\n" },
	{ "poke 0 msr 0xd16=0x12345678901,0xd14=0x7c0000" },
	{ "peek 0 cbox_0 ctr0", "C0_MSR_PMON_CTR0=0x012345678901\n" },
	{ "peek 0 msr 0xd14", "C0_MSR_PMON_BOX_FILTER=0x007c0000\n" }, { "poke 0 cbox_0 box_ctl=2" },
	{ "peek 0 msr 0xd16", "C0_MSR_PMON_CTR0=0x000000000000\n" },
	{ "poke 1 qpi_1 pkt_mask1=0xf000f" },
	{ "peek 1 9.6 0x23c", "Q_P1_PCI_PMON_PKT_MASK1=0x000f000f\n" },
	{ "peek 0 qpi_1 pkt_mask1", "Q_P1_PCI_PMON_PKT_MASK1=0x00000000\n" },
	{ "poke 0 ubox fixed_ctl=0x400000" }, { "peek 0 msr 0xc08", "U_MSR_PMON_UCLK_FIXED_CTL=0x00400000\n" },
	{ "poke 0 ha ctl0=0xffffffff,box_ctl=0xffffffff,ctr0=0xffffffffffffffff" },
	{ "poke 0 cbox_0 filter=0,ctl0=0x400334" }, { "checker" },
	{ "poke 0 ha box_ctl=0,ctl9=1", "no register 'ctl9'", ERR },
	{ "peek 0 ha box_ctl,ctr0", "HA_PCI_PMON_BOX_CTL=0x00010100\nHA_PCI_PMON_CTR0=0xffffffffffff\n" },
	{ "set 0 imc_3 ctr=fixed,value=0x123456789abc" }, { "set 0 imc_3 ctr=2,value=7" },
	{ "get 0 imc_3", "MC_CH3_PCI_PMON_BOX_CTL=0x00000000\nMC_CH3_PCI_PMON_CTL0=0x00000000\n"
	  "MC_CH3_PCI_PMON_CTL1=0x00000000\nMC_CH3_PCI_PMON_CTL2=0x00000000\n"
	  "MC_CH3_PCI_PMON_CTL3=0x00000000\nMC_CH3_PCI_PMON_CTR0=0x000000000000\n"
	  "MC_CH3_PCI_PMON_CTR1=0x000000000000\nMC_CH3_PCI_PMON_CTR2=0x000000000007\n"
	  "MC_CH3_PCI_PMON_CTR3=0x000000000000\nMC_CH3_PCI_PMON_FIXED_CTL=0x00000000\n"
	  "MC_CH3_PCI_PMON_FIXED_CTR=0x123456789abc\n" },
	/* An event has all of its unit masks' bits, where those are bits. */
	{ "poke 0 ubox ctl0=0x400842,ctr0=0" }, { "stim 0 ubox event=0x42,count=3" },
	{ "peek 0 ubox ctr0", "U_MSR_PMON_CTR0=0x000000000003\n" },
	{ "stim 0 pcu freq=1000" }, { "stim 0 pcu event=0x80,umask=0x40,inc=8" },
	{ "poke 1 ha ctl0=0x400301" }, { "poke 0 pcu filter=0x12345678,ctr3=9" }, { "reset-all 0" },
	{ "peek 0 pcu filter,ctr3", "PCU_MSR_PMON_BOX_FILTER=0x00000000\nPCU_MSR_PMON_CTR3=0x000000000000\n" },
	{ "peek 1 ha ctl0", "HA_PCI_PMON_CTL0=0x00400301\n" }, { "reset-all" },
	{ "peek 1 ha ctl0", "HA_PCI_PMON_CTL0=0x00000000\n" },
	/* Rules by name, up to one that there is not */
	{ "checker off band-0:counter0" }, { "checker on band-0:none", "no rule 'none'", ERR },
	{ "checker rules", "\ncounter0 off: " }, { "checker rules", "\nband-0 on: " },
	{ "checker on counter0" }, { "checker rules", "\ncounter0 on: " },
	/* Refused */
	{ "stim 0 cbox_9 event=0", "no box 'cbox_9'", ERR }, { "stim 2 ha event=1", "no socket 2", ERR },
	{ "stim 0 ha", "no event given", ERR }, { "stim 0 ha event=0x77", "is undocumented", ERR },
	{ "stim 0 ha event=1,event=1", "given twice", ERR },
	{ "stim 0 ha event=1,umask=0x80", "no unit mask bits 0x80", ERR },
	{ "stim 0 ha event=1,nid=1", "knows no 'nid'", ERR },
	{ "stim 0 ha event=1,inc=2", "at most 1 per cycle", ERR },
	{ "stim 0 cbox_0 event=0x11,umask=1,inc=21", "at most 20", ERR },
	{ "stim 0 pcu event=0x85,umask=0x40,inc=9", "at most 8 per cycle", ERR },
	{ "stim 0 pcu event=0", "is a clock", ERR }, { "stim 0 ha event=0x101", "0 to 0xff", ERR },
	{ "stim 0 cbox_0 event=0x34", "needs a umask", ERR },
	{ "stim 0 cbox_0 event=0x34,umask=3,state=0x3", "in one state", ERR },
	{ "stim 0 cbox_0 event=0x35,umask=3,opc=0x200", "at most 0x1ff", ERR },
	{ "stim 0 ha event=1,umask=3,count=-1", "no value of count", ERR },
	{ "stim -0 ha event=1,umask=3", "socket and box are missing", ERR },
	{ "set 0 ha ctr=0,value=0x1000000000000", "48 bits", ERR },
	{ "set 0 ha ctr=-4294967295,value=1", "no counter '-4294967295'", ERR },
	{ "tear 0 pcu ctr=0,value=1,after=lo", "an MSR is read whole", ERR },
	{ "checker everything", "only 'reset'", ERR }, { "accesses all", "only 'reset'", ERR },
	{ "poke 0 ha", "REG=VALUE is missing", ERR }, { "poke 0 ha ctl4=0", "no register 'ctl4'", ERR },
	{ "poke 0 imc_0 ctl=0", "may be several", ERR }, { "poke 0 ha ctl0", "no value", ERR },
	{ "poke 0 ha ctl0=0x100000000", "32 bits", ERR },
	{ "poke 0 14.1 0xf4=0", "the device's number is hexadecimal", ERR },
	{ "poke 0 0e.9 0xf4=0", "no PMON registers", ERR }, { "poke 0 48.0 0xf4=0", "no PMON registers", ERR },
	{ "poke 0 msr ctl0=0", "'ctl0' is no address", ERR },
	{ "poke 0 msr 0xd05=0", "no register at 0xd05", ERR }, { "poke 0 msr 0xd10=-1", "no value", ERR },
	{ "peek 0 ha", "which register", ERR }, { "reset-all x", "socket", ERR },
	{ "reset-all 0 x", "a socket and nothing else", ERR },
};

static void test_rows(void)
{
	for (unsigned int i = 0; i < ARRAY_SIZE(rows); i++) {
		ModelStatus status = say("%s", rows[i].line);

		bench_cases++;
		if (status != rows[i].status || !strstr(said, rows[i].says ?: ""))
			differs("%s: status %d, '%s'", rows[i].line, status, said);
	}
	bench_test("commands and refusals");
}

static void is(bool right, const char *what)
{
	bench_cases++;
	if (!right)
		differs("%s: %s", what, said);
}

/* A counter that becomes another value after a read of one half */
static void test_tear(void)
{
	UncoreBox *ha = uncore_box_by_name(&uncore.socket[0], "ha");

	for (int first = 0; first < 2; first++) {
		UncoreReg half = { UNCORE_R_CTR, 1, first }, other = { UNCORE_R_CTR, 1, !first };

		say("set 0 ha ctr=1,value=0x1ffffffff");
		say("tear 0 ha ctr=1,value=0x200000001,after=%s", first ? "hi" : "lo");
		is(uncore_reg_read(ha, half) == (first ? 1 : ~0u) &&
		   uncore_reg_read(ha, other) == (first ? 1 : 2) &&
		   uncore_reg_read(ha, half) == (first ? 2 : 1), "a torn counter");
	}
	/* Clocks before it was set are not in it. */
	say("poke 0 ha ctl0=0x400000");
	shim_now += 1000;
	say("set 0 ha ctr=0,value=5");
	is(!say("peek 0 ha ctr0") && strstr(said, "=0x000000000005\n"), "a clock that is set");
	bench_test("torn reads, and counters that are set");
}

/* Each register has its address, by steps from the first one of its kind, and no other one. */
static void find_registers(UncoreBox *box)
{
	const UncoreBoxType *t = box->type;
	UncoreReg reg;
	UncoreBox *at;

	for (unsigned int i = 0; i < t->ctrs; i++) {
		unsigned int at_ctr = i + (t->ctr_gap && i >= t->ctr_gap);
		unsigned int ctr = t->ctr_addr + (t->msr ? 1 : 8) * at_ctr;
		unsigned int ctl = t->ctl_addr + (t->msr ? 1 : 4) * i;
		unsigned int step = t->step * box->instance;
		uint64_t value = (0x11ull * (i + 1) + 1) << 32 | 0x11 * (i + 1);

		for (int high = 0; high < (t->msr ? 1 : 2); high++) {
			bool there = t->msr ? uncore_find_msr(box->socket, ctr + step, &at, &reg) :
				uncore_find_pci(at = box, false, ctr + 4 * high, &reg);

			is(there && at == box && reg.kind == UNCORE_R_CTR && reg.index == i &&
			   reg.high == high, box->name);
			uncore_reg_write(box, reg, 0x11 * (i + 1) + high);
		}
		is(t->msr || uncore_reg_peek(box, reg) == value, "halves of a counter");
		is((t->msr ? uncore_find_msr(box->socket, ctl + step, &at, &reg) :
		    uncore_find_pci(box, false, ctl, &reg)) && reg.kind == UNCORE_R_CTL &&
		   reg.index == i, box->name);
	}
	is(t->msr || !uncore_find_pci(box, false, t->ctl_addr + 1, &reg), "no register within another");
}

static void test_generations(void)
{
	static const struct {
		unsigned int generation, smallest;
		const char *line;
		ModelStatus status;
	} dies[] = {
		{ 1, 0, "get 0 irp", ERR }, { 2, 0, "get 0 irp", 0 }, { 2, 0, "get 0 sbox_0", ERR },
		{ 3, 0, "get 0 sbox_3", 0 }, { 3, 1, "get 0 sbox_1", 0 }, { 3, 1, "get 0 sbox_2", ERR },
		{ 4, 0, "get 0 sbox_3", 0 }, { 4, 1, "get 0 sbox_0", ERR },
	};

	for (unsigned int i = 0; i < ARRAY_SIZE(dies); i++) {
		uncore.generation = dies[i].generation;
		uncore.trait[UNCORE_T_SBOXES] = dies[i].smallest;
		uncore_make_sockets();
		is(say("%s", dies[i].line) == dies[i].status, dies[i].line);
		for (unsigned int b = 0; b < uncore.socket[0].boxes; b++)
			find_registers(&uncore.socket[0].box[b]);
	}
	uncore.trait[UNCORE_T_SBOXES] = 0;
	uncore.generation = 1;
	uncore_make_sockets();
	bench_test("boxes of each generation and die, and their registers by address");
}

/* The table of findings: what repeats is counted, what does not fit, too */
static void test_findings(void)
{
	static ModelFindings *f;
	GString *out = g_string_new(NULL);
	char rule[8];

	f = model_findings_new();
	for (int i = 0; i < 4098; i++) {
		snprintf(rule, sizeof(rule), "%d", i % 4097);
		model_findings_add(f, "here", rule);
	}
	is(model_findings_answer(f, "reset", out, NULL) == FOUND &&
	   strstr(out->str, "here count=2 rule=\"0\"\n") &&
	   strstr(out->str, "rule=\"4095\"\nlost=1\n"), "4096 findings are kept, and others counted");
	g_string_truncate(out, 0);
	model_findings_add(f, "there", "once");
	is(model_findings_answer(f, "", out, NULL) == FOUND &&
	   !strcmp(out->str, "there count=1 rule=\"once\"\n"), "reset forgets both");
	g_string_free(out, true);
	/* A finding names its socket: the MSRs of both have the same numbers. */
	say("checker reset");
	uncore_reg_write(uncore_box_by_name(&uncore.socket[1], "pcu"), (UncoreReg){ UNCORE_R_CTL },
			 1u << 19);
	is(say("checker") == FOUND && strstr(said, "socket=1 box=pcu reg=PCU_MSR_PMON_CTL0 op=write"),
	   "a finding names its place");
	bench_test("the list of findings");
}

void test_console(void)
{
	uncore_check_init(&uncore);
	test_rows();
	test_tear();
	test_generations();
	test_findings();
}
