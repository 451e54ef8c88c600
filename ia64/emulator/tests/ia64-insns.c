// SPDX-License-Identifier: GPL-2.0-only
/*
 * Instructions of the emulated Itanium, without a platform: those of a list, one by one
 * (ia64-insns.txt says what a line has), and what takes several: the register stack, a debugger,
 * the monitors.
 */
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ia64-bare.h"
#include "ia64/emulator/fp.h"

/* An instruction of the list */
struct line {
	char unit;
	uint64_t code, flags;
	struct fr a, b, c, result;
	char text[80];
};

#define ANY		~0ULL	/* flags */
#define MAX_LINES	4000
#define MAX_OPERANDS	32

static struct line lines[MAX_LINES];
static unsigned int nr_lines;
/* The first failure tells enough: of a changed table. */
static bool stop_at_failure;

static void put_line(const struct line *line)
{
	uint64_t code[3] = { NOP, NOP, NOP };
	unsigned int template = TEMPLATE_MII;

	switch (line->unit) {
	case 'M':
		code[0] = line->code;
		break;
	case 'I':
		code[1] = line->code;
		break;
	case 'X':
		template = TEMPLATE_MLX;
		code[1] = line->c.sig;
		code[2] = line->code;
		break;
	default:
		template = TEMPLATE_MFI;
		code[1] = line->code;
	}
	put_bundle(CODE, template, code);
	put_end(CODE + 16);
}

static void set_operands(const struct line *line)
{
	const char *fpsr = strstr(line->text, "fpsr=");

	cpu->fr[9] = line->a;
	cpu->fr[10] = line->b;
	cpu->fr[11] = line->c;
	gr_set(cpu, 9, line->a.sig);
	gr_set(cpu, 10, line->b.sig);
	cpu->pr = 0x101 | (line->c.sig & 3) << 6;
	if (fpsr)
		cpu->fpsr = strtoull(fpsr + 5, NULL, 16);
}

static struct fr result_of(const struct line *line)
{
	if (strstr(line->text, "p6,p7"))
		return fp_from_integer(cpu->pr >> 6 & 3);
	return line->unit == 'F' ? cpu->fr[8] : fp_from_integer(gr_get(cpu, 8));
}

/* Whether @line does what it should. */
static bool try_line(const struct line *line)
{
	uint64_t fpsr, flags;
	struct fr result;
	bool ended;

	reset();
	put_line(line);
	set_operands(line);
	fpsr = cpu->fpsr;
	ended = run();
	result = result_of(line);
	flags = (fpsr ^ cpu->fpsr) >> 13 | (~cpu->pr & 0x100);
	if (ended && result.sig == line->result.sig && result.exp == line->result.exp &&
	    result.sign == line->result.sign && (line->flags == ANY || line->flags == flags))
		return true;
	printf("# %s, %" PRIx64 " %" PRIx64 " %" PRIx64 ": %d %x %" PRIx64 ",%" PRIx64 "%s\n",
	       line->text, line->a.sig, line->b.sig, line->c.sig, result.sign, result.exp,
	       result.sig, flags, ended ? "" : ", and it faulted");
	return false;
}

/*
 * A test of an instruction is "! UNIT ENCODING TEXT; STATE ... -> STATE ...; ...". A STATE is
 * NAME=VALUE of these, of r, n (its NaT), f, e and s (significand, exponent, sign), m (memory),
 * cfm and psr; after the instruction also ip, a branch's target, or vector, that of a fault.
 */
#define FIELD(name, field)							\
	{ name, offsetof(struct cpu, field), sizeof(((struct cpu *)0)->field) }

static const struct {
	const char *name;
	size_t offset, size;
} fields[] = {
	FIELD("psr", psr), FIELD("slot", slot), FIELD("pr", pr), FIELD("b", br[0]),
	FIELD("kr", kr[0]), FIELD("lc", lc), FIELD("ec", ec), FIELD("pfs", pfs),
	FIELD("unat", unat), FIELD("ccv", ccv), FIELD("csd", csd),
	FIELD("ssd", ssd), FIELD("itc", itc_offset), FIELD("fpsr", fpsr),
	FIELD("rsc", rsc), FIELD("bsp", bsp), FIELD("bspstore", bspstore), FIELD("rnat", rnat),
	FIELD("dirty", dirty), FIELD("rrbg", cfm.rrb_gr), FIELD("rrbf", cfm.rrb_fr),
	FIELD("rrbp", cfm.rrb_pr), FIELD("dcr", dcr), FIELD("itm", itm), FIELD("iva", iva),
	FIELD("pta", pta), FIELD("ipsr", ipsr), FIELD("isr", isr), FIELD("iip", iip),
	FIELD("ifa", ifa), FIELD("itir", itir), FIELD("iipa", iipa), FIELD("ifs", ifs),
	FIELD("iim", iim), FIELD("iha", iha), FIELD("lid", lid), FIELD("tpr", tpr),
	FIELD("itv", itv), FIELD("pmv", pmv), FIELD("cmcv", cmcv), FIELD("lrr", lrr[0]),
	FIELD("irr", irr[0]), FIELD("service", in_service[0]), FIELD("rr", rr[0]),
	FIELD("ibr", ibr[0]), FIELD("dbr", dbr[0]), FIELD("cpuid", cpuid[0]),
	FIELD("alat", alat_valid), FIELD("pending", itm_pending), FIELD("tvalid", tr[1][0].valid),
	FIELD("tpa", tr[1][0].pa), FIELD("tar", tr[1][0].ar),
	FIELD("tpl", tr[1][0].pl), FIELD("tma", tr[1][0].ma), FIELD("tp", tr[1][0].p),
	FIELD("ta", tr[1][0].a), FIELD("td", tr[1][0].d), FIELD("atag", alat[0].tag),
	FIELD("apa", alat[0].pa), FIELD("asize", alat[0].size), FIELD("dtrv", tr[1][1].valid),
	FIELD("dtr", tr[1][1].va), FIELD("dtcv", tc[1][0].valid), FIELD("dtc", tc[1][0].va),
	FIELD("itcv", tc[0][0].valid), FIELD("dp", tc[1][0].p), FIELD("da", tc[1][0].a),
	FIELD("dd", tc[1][0].d), FIELD("ded", tc[1][0].ed),
	FIELD("bank", bank[0]), FIELD("banknat", bank_nat[0]),
};

static void *place(const char *name, unsigned int n, size_t *size)
{
	static uint64_t cfm;
	unsigned int i;

	*size = 8;
	switch (name[1] ? 0 : *name) {
	case 'r':
		return &cpu->gr[cpu->gr_map[n]];
	case 'n':
		*size = 1;
		return &cpu->nat[cpu->gr_map[n]];
	case 'f':
		return &cpu->fr[n].sig;
	case 'e':
		*size = 4;
		return &cpu->fr[n].exp;
	case 's':
		*size = 1;
		return &cpu->fr[n].sign;
	case 'm':
		return ram + n;
	}
	for (i = 0; i < ARRAY_SIZE(fields) && strcmp(fields[i].name, name); i++)
		;
	if (i < ARRAY_SIZE(fields)) {
		*size = fields[i].size;
		return (char *)cpu + fields[i].offset + n * *size;
	}
	cfm = cfm_value(cpu);
	return &cfm;
}

/* Set what @words say, or tell what is not so. Return: how many of the latter */
static unsigned int states(char *words, bool set)
{
	unsigned int wrong = 0, n;
	char *word, *value_at, name[12];

	for (word = strtok(words, " "); word; word = strtok(NULL, " ")) {
		uint64_t value = strtoull(strchr(word, '=') + 1, NULL, 16), is = 0;
		size_t size;
		void *at;

		snprintf(name, 1 + strcspn(word, "0123456789="), "%s", word);
		n = strtoul(word + strlen(name), &value_at, *name == 'm' ? 16 : 10);
		if (!strcmp(name, "ip") || !strcmp(name, "vector"))
			continue;
		at = place(name, n, &size);
		if (set && !strcmp(name, "psr")) {
			psr_write(cpu, value);
		} else if (set && !strcmp(name, "cfm")) {
			cpu->ifs = value | 1ULL << 63;
			rse_rfi(cpu);
			rse_set_bspstore(cpu, STACK);
			cpu->dirty = 0;
			cpu->bsp = STACK;
			cpu->load_frame = false;
		} else if (set) {
			memcpy(at, &value, size);
		} else {
			memcpy(&is, at, size);
			if (is == value)
				continue;
			printf("# %s: %" PRIx64 "\n", word, is);
			wrong++;
		}
	}
	return wrong;
}

/* Try a bundle of @template from a state @before to one @after. */
static void test_state(const char *text, unsigned int template, const uint64_t code[3],
		       char *before, char *after)
{
	const char *to = strstr(after, " ip="), *vector = strstr(after, " vector=");
	uint64_t ip = to ? strtoull(to + 4, NULL, 16) :
		      vector ? IVA + strtoull(vector + 8, NULL, 16) : CODE + 16;
	unsigned int wrong;
	char name[200];

	snprintf(name, sizeof(name), "%s:%s->%s", text, before, after);
	reset();
	put_handlers();
	put_bundle(CODE, template, code);
	put_end(ip);
	psr_write(cpu, PSR_IC | PSR_BN);
	cpu->iva = IVA;
	cpu->last_ip = 0x111110;
	cpu->tr[1][0] = (struct translation){
		.valid = true, .va = 0x40000, .pa = 0x40000, .ps = 16, .ar = 2, .pl = 3,
		.p = true, .a = true, .d = true,
	};
	states(before, true);
	wrong = !run();
	/* A program's end is a break for the kernel. */
	if (cpu->ip != ip + 16 && !(cpu->ip == IVA + VECTOR_BREAK + 16 && cpu->iip == ip)) {
		printf("# ends at %" PRIx64 "\n", cpu->ip - 16);
		wrong++;
	}
	wrong += states(after, false);
	tap(!wrong, "%s", name);
}

/* A row of the list: an instruction, and states before and after it */
static void test_states(char *row)
{
	static const struct {
		char unit;
		unsigned int template, slot;
	} units[] = {
		{ 'M', TEMPLATE_MII, 0 }, { 'I', TEMPLATE_MII, 1 }, { 'F', TEMPLATE_MFI, 1 },
		{ 'B', TEMPLATE_MIB, 2 }, { 'X', TEMPLATE_MLX, 2 },
	};
	char *text, *state, *after, *next;
	uint64_t code[3] = { NOP, NOP, NOP };
	unsigned int i;

	for (i = 0; units[i].unit != row[2]; i++)
		;
	code[units[i].slot] = strtoull(row + 4, &text, 16);
	if (*text == ':')
		code[1] = strtoull(text + 1, &text, 16);
	row[strlen(row) - 1] = 0;
	for (state = strchr(row, ';'); state; state = next) {
		*state++ = 0;
		next = strchr(state, ';');
		if (next)
			*next = 0;
		after = strstr(state, "->");
		*after = 0;
		test_state(text + 1, units[i].template, code, state, after + 2);
		if (next)
			*next = ';';
	}
}

/* A number, as the list has it */
static struct fr read_value(char *text, char **end)
{
	struct fr value = fp_from_integer(strtoull(text, end, 16));
	char digits[] = "0000000000000000";
	size_t len;

	len = **end == '.' ? strspn(*end + 1, "0123456789abcdef") : sizeof(digits);
	if (len >= sizeof(digits))
		return value;
	memcpy(digits, *end + 1, len);
	*end += 1 + len;
	return fp_make(value.sig >> 17, value.sig & FP_EXP_MAX, strtoull(digits, NULL, 16));
}

/* Operands of what follows, from a line's words */
static unsigned int read_operands(struct line *operands, unsigned int nr, char *words)
{
	char *word = strtok(words, "\n ");

	for (; word && nr < MAX_OPERANDS; word = strtok(NULL, "\n "), nr++) {
		operands[nr].a = read_value(word, &word);
		operands[nr].b = read_value(word + (*word == ','), &word);
		operands[nr].c = read_value(word + (*word == ','), &word);
		if (*word)
			return 0;
	}
	return nr;
}

/* The list, one struct line for each result. Return: whether it is right */
static bool read_list(const char *path)
{
	static struct line operands[MAX_OPERANDS];
	unsigned int nr_operands = 0, of = 0;
	FILE *file = fopen(path, "r");
	bool right = file, of_operands = false;
	char buffer[500], *word, *end;
	struct line line = { 0 };

	while (file && right && fgets(buffer, sizeof(buffer), file)) {
		word = buffer + 1;
		if (stop_at_failure && tap_failed)
			_exit(1);
		if (*buffer == '!' && right)
			test_states(buffer);
		if (*buffer == '#' || *buffer == '!')
			continue;
		if (*buffer != '+')
			of_operands = *buffer == '=';
		if (of_operands) {
			right = of == nr_operands;
			nr_operands = read_operands(operands, *buffer == '=' ? 0 : nr_operands,
						    word);
			of = nr_operands;
			continue;
		}
		if (*buffer != '+') {
			right = of == nr_operands &&
				sscanf(buffer, "%c %" SCNx64 " %79[^:]", &line.unit, &line.code,
				       line.text) == 3;
			word = strchr(buffer, ':') + 1;
			of = 0;
		}
		for (; right && of < nr_operands && nr_lines < MAX_LINES; word = end, of++) {
			line.a = operands[of].a;
			line.b = operands[of].b;
			line.c = operands[of].c;
			line.result = read_value(word, &end);
			if (end == word)
				break;
			line.flags = *end == ',' ? strtoull(end + 1, &end, 16) : ANY;
			lines[nr_lines++] = line;
		}
	}
	if (file)
		fclose(file);
	return right && nr_lines && of == nr_operands;
}

static void test_list(void)
{
	unsigned int i, first = 0, right = 0;

	for (i = 0; i < nr_lines; i++) {
		right += try_line(&lines[i]);
		if (stop_at_failure && right < i + 1 - first)
			_exit(1);
		if (i + 1 < nr_lines && !strcmp(lines[i].text, lines[i + 1].text))
			continue;
		tap(right == i + 1 - first, "%s: %u of %u", lines[i].text, right, i + 1 - first);
		first = i + 1;
		right = 0;
	}
}

/* The machine stops at unimplemented instructions and at exceptions that ar.fpsr enables. */
static void test_missing(void)
{
	/* fpmin.s0 f8=f9,f10 */
	static const uint64_t missing[3] = {
		NOP, 1ULL << 37 | 0x14ULL << 27 | 10 << 20 | 9 << 13 | 8 << 6, NOP
	};
	/* fma.s0 f8=f9,f10,f11 */
	static const uint64_t fma[3] = {
		NOP, 8ULL << 37 | 10ULL << 27 | 9 << 20 | 11 << 13 | 8 << 6, NOP
	};

	reset();
	put_bundle(CODE, TEMPLATE_MFI, missing);
	tap(cpu_run(machine, LIMIT) == STOP_FAILURE && cpu->ip == CODE && cpu->slot == 1,
	    "an instruction that is missing: ends at %" PRIx64 ".%u", cpu->ip, cpu->slot);
	/* Infinity times 0 is invalid. */
	reset();
	put_bundle(CODE, TEMPLATE_MFI, fma);
	cpu->fr[9] = fp_from_double(0x7ff0000000000000);
	cpu->fpsr &= ~(uint64_t)FP_INVALID;
	tap(cpu_run(machine, LIMIT) == STOP_FAILURE && cpu->ip == CODE,
	    "an exception that is enabled ends the machine");
}

/* A program, each bundle below what it was made of, but for nops */
static const uint64_t stack_code[][2] = {
	/* alloc r32=ar.pfs,0,3,1,0; mov r9=8; mov r35=60 */
	{ 0x4090058006110009, 0x900003c460480000 },
	/* mov.m ar.rsc=3; st8 [r10]=r9; br.call.sptk.many b0=sum */
	{ 0x48000028200c0019, 0x5000002800233028 },
	/* break.m 0x1fff00; br.cond.sptk.few .+0 */
	{ 0x000002007ff80011, 0x4000000000000200 },
	/* sum: alloc r33=ar.pfs,1,12,1,0; mov r15=-1; mov r34=b0 */
	{ 0xf8f005801a390809, 0x00c40004404ffff3 },
	/* mov.m ar.unat=r15; adds r35=100,r32; mov r8=0 */
	{ 0x2230042a483c0008, 0x9000000100420083 },
	/* cmp.eq p6,p0=0,r32; (p6) br.ret.dpnt.many b0 */
	{ 0x0060000100000011, 0x0384000883720080 },
	/* adds r45=-1,r32; tbit.nz p7,p8=r32,0; xor r42=-1,r32 */
	{ 0x0080233f41fd6801, 0x88bd07f540280e80 },
	/* (p7) ld8.fill r42=[r10]; br.call.sptk.many b0=sum */
	{ 0x000010d8140150f1, 0x58ffffc800000200 },
	/* add r8=r8,r32; tbit.nz p7,p8=r32,0; mov b0=r34 */
	{ 0x0080200040204001, 0x07000a2000280e80 },
	/* adds r16=100,r32; (p7) tnat.z.unc p11,p0=r42; mov.i ar.pfs=r33 */
	{ 0x0cb1e10041908001, 0x00aa0210002800a8 },
	/* (p8) xor r17=-1,r42; (p8) tnat.nz.unc p12,p0=r42 */
	{ 0x0c02222f55fc8901, 0x00040000002818a8 },
	/* cmp.eq.unc p0,p14=r35,r16; (p8) cmp.eq.unc p0,p13=r17,r32 */
	{ 0x8c02380e208e0009, 0x0004000000701a80 },
	/* (p11) adds r8=1000,r8; (p14) adds r9=1,r0 */
	{ 0x0893a10711a04169, 0x0004000000420000 },
	/* (p14) adds r8=2000,r8; (p12) adds r8=3000,r8 */
	{ 0xc083210f114041cb, 0x0004000000422e21 },
	/* (p13) adds r8=4000,r8; br.ret.sptk.many b0 */
	{ 0x0000211f108041b1, 0x0084000880000200 },
};

/*
 * 60 frames of 13 registers are more than there are, and more than one collection of NaT bits. The
 * sum is wrong by thousands if a frame does not find what it had, or not the NaT that each second
 * one has.
 */
static void test_stack(void)
{
	bool ended;

	reset();
	memcpy(ram + CODE, stack_code, sizeof(stack_code));
	gr_set(cpu, 10, DATA);
	ended = run();
	tap(ended && gr_get(cpu, 8) == 60 * 61 / 2, "a recursion: %" PRId64, gr_get(cpu, 8));
	tap(cpu->bsp == STACK && cpu->cfm.sof == 4, "the stack is where it was");
	/* The first frame's out register is the argument, the first word of the second frame's. */
	tap(ram[STACK + 3 * 8] == 60, "and was in memory: %d", ram[STACK + 3 * 8]);
}

#define TEMPLATE_MMI	0x08
#define LD8		0x080c0900200ULL	/* ld8 r8=[r9] */
#define SRLZ_D		0x00180000000ULL
#define RFI		0x00040000000ULL
#define KERNEL		(2 << 24 | 1 << 6 | 1)	/* of a PMC: privilege level 0, if psr.pp */

/* Count @event in PMD5. */
static void monitor(uint64_t event)
{
	unsigned int i;

	cpu->psr |= PSR_PP;
	pmu_pmc_write(cpu, 0, 1);
	pmu_serialize(cpu, true);
	for (i = 4; i <= 15; i++)
		pmu_pmc_write(cpu, i, 2 << 24);
	pmu_pmc_write(cpu, 5, KERNEL | event << 8);
	pmu_pmc_write(cpu, 39, (KERNEL & 0x4f) | 0x3f00);
	pmu_pmc_write(cpu, 40, KERNEL);
	pmu_pmc_write(cpu, 42, 0);
	pmu_serialize(cpu, true);
	pmu_pmd_write(cpu, 5, 0);
	pmu_serialize(cpu, true);
	pmu_pmc_write(cpu, 0, 0);
}

static uint64_t counted(void)
{
	pmu_pmc_write(cpu, 0, 1);
	pmu_serialize(cpu, true);
	return pmu_pmd_read(cpu, 5);
}

/*
 * Count @event in a program that serializes the release of the monitors with srlz.d or rfi, and
 * loads once in that bundle and once in the third
 */
static uint64_t count(uint64_t event, bool by_rfi)
{
	/* br.few to the next bundle */
	static const uint64_t loads[3] = { LD8, NOP, 4ULL << 37 | 1 << 13 };
	/* (p6) brl */
	static const uint64_t untaken[3] = { NOP, 0, 0xcULL << 37 | 6 };
	static const uint64_t srlz[3] = { SRLZ_D, LD8, NOP };
	static const uint64_t rfi[3] = { LD8, NOP, RFI };

	reset();
	monitor(event);
	cpu->iip = CODE + 16;
	cpu->ipsr = cpu->psr;
	gr_set(cpu, 9, DATA + 0xffc);
	put_bundle(CODE, by_rfi ? TEMPLATE_MIB : TEMPLATE_MMI, by_rfi ? rfi : srlz);
	put_bundle(CODE + 16, TEMPLATE_MLX, untaken);
	put_bundle(CODE + 32, TEMPLATE_MIB, loads);
	put_end(CODE + 48);
	run();
	return counted();
}

/* 4.8.2: spills and fills of the register stack, and a load by an uncacheable address */
static uint64_t count_stack(uint64_t event)
{
	static const uint64_t load[3] = { LD8, NOP, NOP };

	reset();
	monitor(event);
	pmu_serialize(cpu, true);
	cpu->pmu_active = cpu->pmu_wanted;
	cpu->bsp += 5 * 8;
	cpu->dirty = 5;
	x_flushrs(cpu, NULL);
	cpu->dirty = -5;
	rse_load_frame(cpu);
	put_bundle(CODE, TEMPLATE_MII, load);
	put_end(CODE + 16);
	gr_set(cpu, 9, DATA | 1ULL << 63);
	run();
	return counted();
}

static void test_monitors(void)
{
	static const struct {
		uint64_t event;
		unsigned int want;
		const char *what;
	} row[] = {
		{ 0x08, 8, "instructions, from the next bundle on" },
		{ 0x11, 2, "branches, of which one is not taken" },
		{ 0xcd, 1, "loads" },
		{ 0xc5, 1, "references" },
		{ 0xce, 1, "misaligned loads, of which one crosses a page" },
		{ 0xc8, 1, "loads that the data EAR captures" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(row); i++) {
		unsigned int srlz = count(row[i].event, false), rfi = count(row[i].event, true);

		tap(srlz == row[i].want && rfi == row[i].want, "%s after srlz.d and rfi: %u and %u",
		    row[i].what, srlz, rfi);
	}
	tap(pmu_pmd_read(cpu, 32) == DATA + 0xffc && (pmu_pmd_read(cpu, 36) & ~15) == CODE + 32,
	    "its address is that of its first byte: %" PRIx64, pmu_pmd_read(cpu, 32));
	i = count_stack(0xc4);
	tap(i == 5 && count_stack(0xc5) == 11,
	    "monitors of the data cache see the register stack: %u reads", i);
}

static int test_all(const char *list)
{
	tap(read_list(list), "the list of instructions is read");
	test_list();
	test_missing();
	test_stack();
	test_monitors();
	return tap_done();
}

static const char *const rows[OP_COUNT] = {
#define OP(id, name, function) #id,
#include "ia64/emulator/ops.def"
};

/* Whether the tests notice a row of ops.def with the function of the next row that has another */
static bool noticed(unsigned int row, const char *list)
{
	insn_run **runs = (insn_run **)op_runs, *was = op_runs[row];
	unsigned int next = row;
	int status;

	/* What does nothing becomes illegal. */
	if (was == x_nop)
		next = OP_ILLEGAL;
	while (op_runs[next] == was)
		next = (next + 1) % OP_COUNT;
	fflush(stdout);
	if (!fork()) {
		runs[row] = op_runs[next];
		stop_at_failure = true;
		alarm(20);
		if (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))
			_exit(0);
		_exit(test_all(list));
	}
	return wait(&status) > 0 && status;
}

static int test_rows(const char *list)
{
	uintptr_t page = sysconf(_SC_PAGESIZE), from = (uintptr_t)op_runs & -page;
	unsigned int row, n = 0;

	tap(!mprotect((void *)from, (uintptr_t)(op_runs + OP_COUNT) - from, PROT_READ | PROT_WRITE),
	    "the table of operations can be changed");
	for (row = 0; row < OP_COUNT; row++) {
		bool seen = noticed(row, list);

		n += seen;
		if (!seen)
			printf("# %s\n", rows[row]);
	}
	tap(n == row, "%u of %u rows of ops.def are noticed", n, row);
	return tap_done();
}

int main(int argc, char **argv)
{
	/* What the machine prints on standard error stands between lines. */
	setlinebuf(stdout);
	if (argc == 3 && !strcmp(argv[2], "rows"))
		return test_rows(argv[1]);
	return argc == 2 ? test_all(argv[1]) : 2;
}
