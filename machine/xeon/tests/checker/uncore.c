// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Host-side unit tests of the uncore's model: its registers, counters and checker,
 * compiled as they are, under the bare machine's tests. Stands in for QEMU and the
 * machine: two permissive sockets, a clock, a list of commands.
 *
 * uncore SET: a set of tests that ../bare/model.c names
 */
#include <glib.h>

#include "qemu/osdep.h"
#include "qemu/cutils.h"
#include "qemu/timer.h"
#include "machine/xeon/console/model-console.h"
#include "machine/xeon/console/model-findings.h"
#include "scripts/tap.h"
#include "bare/boxes.h"
#include "uncore-model.h"

/* QEMU's part */
static int64_t now;

int64_t qemu_clock_get_ns(int clock)
{
	return now += 100;
}

void spin(unsigned int rounds)
{
	now += rounds;
}

/* The rest of the model: what depends on QEMU's processors and buses */
bool uncore_write_faults(const UncoreBox *box, UncoreReg reg, uint64_t value)
{
	return false;
}

uint64_t uncore_noisy(UncoreModel *u, uint64_t value, uint64_t defined)
{
	return value & defined;
}

uint64_t uncore_write_only(UncoreModel *u, uint64_t held, uint64_t wo)
{
	return held;
}

/* The bare machine's part; tests of what takes processors or buses are not here. */
bool ap_start(void)
{
	return true;
}

char cmd_answer[65536];

static struct command {
	const char *word;
	ModelCommand *fn;
	void *opaque;
} commands[20];

void model_console_register(const char *word, ModelCommand *fn, void *opaque)
{
	struct command *c = commands;

	while (c->word)
		c++;
	*c = (struct command){ word, fn, opaque };
}

int cmd(const char *fmt, ...)
{
	GString *out = g_string_new(NULL);
	char line[1024], *args = line;
	const struct command *c;
	ModelStatus status = MODEL_STATUS_ERROR;
	bool failed;
	Error *err = NULL;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	args += strcspn(line, " ");
	if (*args)
		*args++ = 0;
	for (c = commands; c->word && strcmp(c->word, line); c++)
		;
	if (c->word)
		status = c->fn(c->opaque, args, out, &err);
	else
		error_setg(&err, "no command '%s' in this machine", line);
	snprintf(cmd_answer, sizeof(cmd_answer), "%s", err ? err->text : out->str);
	g_string_free(out, true);
	failed = status == MODEL_STATUS_ERROR;
	if (failed != !!err)
		ok(false, "'%s' sets an error only if it returns one", line);
	if (err) {
		g_free(err->text);
		g_free(err);
	}
	return status;
}

bool answered(const char *what)
{
	return strstr(cmd_answer, what);
}

void ok(bool passed, const char *fmt, ...)
{
	char text[512];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tap(passed, "%s", text);
}

void note(const char *fmt, ...)
{
	va_list ap;

	printf("# ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	printf("\n");
}

bool same(const char *a, const char *b)
{
	return !strcmp(a, b);
}

/* A box's register, or NULL */
static UncoreBox *find_msr(unsigned int s, uint32_t msr, UncoreReg *reg, bool *fault)
{
	UncoreBox *box;
	bool there = uncore_find_msr(&uncore.socket[s], msr, &box, reg);

	if (fault)
		*fault = !there;
	return there ? box : NULL;
}

uint64_t msr_read_on(unsigned int cpu, uint32_t msr, bool *fault)
{
	UncoreReg reg;
	UncoreBox *box = find_msr(cpu, msr, &reg, fault);

	if (!box)
		return 0;
	box->reads[UNCORE_MSR]++;
	return uncore_reg_read(box, reg);
}

void msr_write_on(unsigned int cpu, uint32_t msr, uint64_t value, bool *fault)
{
	UncoreReg reg;
	UncoreBox *box = find_msr(cpu, msr, &reg, fault);

	if (!box)
		return;
	box->writes[UNCORE_MSR]++;
	uncore_reg_write(box, reg, value);
}

static UncoreBox *find_pci(unsigned int bus, unsigned int dev, unsigned int fn, unsigned int addr,
			   UncoreReg *reg)
{
	UncoreSocket *s = &uncore.socket[bus == BUS(1)];
	bool filter_fn;
	UncoreBox *box = uncore_box_at(s, dev << 3 | fn, &filter_fn);

	return box && uncore_find_pci(box, filter_fn, addr, reg) ? box : NULL;
}

static UncoreSpace space_of(unsigned int reg)
{
	return reg < 0x100 ? UNCORE_PCI : UNCORE_EXT;
}

uint32_t mmio_read(unsigned int bus, unsigned int dev, unsigned int fn, unsigned int reg)
{
	UncoreReg r;
	UncoreBox *box = find_pci(bus, dev, fn, reg, &r);

	if (!box)
		return 0;
	box->reads[space_of(reg)]++;
	return uncore_reg_read(box, r);
}

uint32_t pci_read(unsigned int bus, unsigned int dev, unsigned int fn, unsigned int reg)
{
	UncoreReg r;
	UncoreBox *box = find_pci(bus, dev, fn, reg, &r);

	if (box && reg < 0x100)
		box->ports[UNCORE_PCI]++;
	return mmio_read(bus, dev, fn, reg);
}

void pci_write8(unsigned int bus, unsigned int dev, unsigned int fn, unsigned int reg,
		uint8_t value)
{
	ok(false, "bytes are for the machine");
}

void pci_write(unsigned int bus, unsigned int dev, unsigned int fn, unsigned int reg,
	       uint32_t value)
{
	UncoreReg r;
	UncoreBox *box = find_pci(bus, dev, fn, reg, &r);

	if (!box)
		return;
	box->writes[space_of(reg)]++;
	box->ports[space_of(reg)] += reg < 0x100;
	uncore_reg_write(box, r, value);
}

static bool reported(const char *what)
{
	bool found = cmd("checker") == MODEL_STATUS_FOUND && answered(what);

	cmd("checker reset");
	return found;
}

/* A finding names its socket: the MSRs of both have the same numbers. */
static void test_socket(void)
{
	cmd("checker reset");
	ap_msr_write(0xc30, 1u << 31 | 1 << 19, NULL);
	ok(reported("socket=1 box=pcu"), "a finding names the socket");
}

/* Table 2-75 reserves the PCU's extended select: it may be tried, and relied on where it sticks. */
static void test_extended(void)
{
	unsigned int was = uncore.trait[UNCORE_T_PCU_EXT];

	uncore.trait[UNCORE_T_PCU_EXT] = UNCORE_EXT_DROP;
	msr_write(0xc30, EXT, NULL);
	ok(!reported("reserved bits"), "the extended select is tried");
	msr_write(0xc30, 3 | EXT | EN, NULL);
	ok(reported("reserved bits 0x00200000"), "and relied on, where it does not stick");
	uncore.trait[UNCORE_T_PCU_EXT] = UNCORE_EXT_STICK;
	msr_write(0xc30, 3 | EXT | EN, NULL);
	ok(!reported("reserved bits"), "and where it does");
	msr_write(0xc30, 0, NULL);
	uncore.trait[UNCORE_T_PCU_EXT] = was;
}

/* A node that is matched has to be in the filter, also where no opcode is. */
static void test_node(void)
{
	msr_write(0xd04, 0, NULL);
	msr_write(0xd14, 0, NULL);
	msr_write(0xd10, 0x4435 | EN, NULL);
	ok(reported("must have a node in the filter"), "evictions to a node, and no node");
	msr_write(0xd10, 0, NULL);
	msr_write(0xd14, 1 << 10, NULL);
	msr_write(0xd10, 0x4435 | EN, NULL);
	ok(!reported("must have a node"), "evictions to a node");
	msr_write(0xd10, 0, NULL);
}

/* Rules by name, as a machine's property has them */
static void test_named(void)
{
	Error *err = NULL;
	bool set = uncore_rules_set(&uncore, "band-0:counter0", false, &err);

	ok(set && !err && !uncore_rule(&uncore, UNCORE_RULE_BAND_0) &&
	   !uncore_rule(&uncore, UNCORE_RULE_COUNTER0) &&
	   uncore_rule(&uncore, UNCORE_RULE_STALE), "rules are left out by name");
	set = uncore_rules_set(&uncore, "band-0:none", true, &err);
	ok(!set && err && uncore_rule(&uncore, UNCORE_RULE_BAND_0) &&
	   !uncore_rule(&uncore, UNCORE_RULE_COUNTER0), "up to a name that there is not");
	if (err)
		g_free(err->text);
	g_free(err);
}

/* Filters of slice 7 */
static const struct later {
	unsigned int filter, second, fields;
} later[] = {
	{ 0xdf4, 0xdfa, 0x007e01ff }, { 0xe75, 0xe76, 0x00fe03ff }, { 0xe75, 0xe76, 0x00fe03ff },
};

/* The fields of a control of the IRP and of the last SBox, and of their box control */
static void test_fields(const char *box, unsigned int ctl, unsigned int box_ctl, uint32_t fields,
			void (*write)(unsigned int reg, uint32_t value),
			uint64_t (*read)(unsigned int reg))
{
	cmd("checker reset");
	write(ctl, ~EN);
	ok(read(ctl) == (fields & ~EN) && cmd("checker") == MODEL_STATUS_FOUND &&
	   answered("reserved bits 0x00310000: SW must write to 0"),
	   "%s: fields and reserved bits of a control", box);
	cmd("checker reset");
	write(box_ctl, ~0u);
	ok(cmd("checker") == MODEL_STATUS_FOUND &&
	   answered("reserved bits 0x00020000: SW must write to 0") &&
	   answered("reserved bits 0xfffcfefc\""), "%s: and of the box control", box);
	write(box_ctl, 0);
	write(ctl, 0);
	cmd("checker reset");
}

static void irp_write(unsigned int reg, uint32_t value)
{
	pci_write(BUS(0), 5, 6, reg, value);
}

static uint64_t irp_read(unsigned int reg)
{
	return pci_read(BUS(0), 5, 6, reg);
}

static void sbox_write(unsigned int reg, uint32_t value)
{
	msr_write(reg, value, NULL);
}

static uint64_t sbox_read(unsigned int reg)
{
	return msr_read(reg, NULL);
}

static void become(unsigned int generation)
{
	uncore.generation = generation;
	uncore_make_sockets();
}

/* v2 to v4: ../reference/uncore-test.c has what they count, and test_model.py their addresses. */
static void test_later(unsigned int generation)
{
	const struct later *l = &later[generation - 2];

	become(generation);
	test_fields("irp", 0xdc, 0xf4, 0xffc4ffff, irp_write, irp_read);
	if (generation >= 3) {
		test_fields("sbox_3", 0x73f, 0x73e, 0xffccffff, sbox_write, sbox_read);
		msr_write(0x743, ~0ull, NULL);
		msr_write(0x707, ~0ull, NULL);
		msr_write(0x715, ~0ull, NULL);
		ok(msr_read(0x743, NULL) == 0xffffffff && msr_read(0x707, NULL) == 0x3f &&
		   msr_read(0x715, NULL) == 0xffffffff,
		   "v%u: filters of the last SBox, the UBox and the PCU", generation);
	}
	msr_write(l->filter, ~0ull, NULL);
	msr_write(l->second, ~0ull, NULL);
	ok(msr_read(l->filter, NULL) == l->fields && msr_read(l->second, NULL) == 0xfff0ffff,
	   "v%u: the fields of a CBo's filters", generation);
}

/* The smallest die: two SBoxes on v3, and none on v4 */
static void test_dies(void)
{
	uncore.trait[UNCORE_T_SBOXES] = 1;
	become(3);
	ok(cmd("get 0 sbox_1") == MODEL_STATUS_OK && cmd("get 0 sbox_2") == MODEL_STATUS_ERROR,
	   "two SBoxes");
	become(4);
	ok(cmd("get 0 sbox_0") == MODEL_STATUS_ERROR, "no SBox");
	uncore.trait[UNCORE_T_SBOXES] = 0;
	become(2);
	ok(cmd("get 0 irp") == MODEL_STATUS_OK && cmd("get 0 sbox_0") == MODEL_STATUS_ERROR,
	   "v2 has an IRP and no SBoxes");
	become(1);
	ok(cmd("get 0 irp") == MODEL_STATUS_ERROR, "v1 has no IRP that counts");
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
	ok(model_findings_answer(f, "reset", out, NULL) == MODEL_STATUS_FOUND &&
	   strstr(out->str, "here count=2 rule=\"0\"\n") &&
	   strstr(out->str,
		  "rule=\"4095\"\nlost=1\n"), "4096 findings are kept, and others counted");
	g_string_truncate(out, 0);
	model_findings_add(f, "there", "once");
	ok(model_findings_answer(f, "", out, NULL) == MODEL_STATUS_FOUND &&
	   !strcmp(out->str, "there count=1 rule=\"once\"\n"),
	   "reset forgets both");
	g_string_free(out, true);
}

/* The unit masks of tables 2-16, 2-17, 2-30 and 2-31 that the checker knows, as rows */
static void print_umasks(void)
{
	for (unsigned int code = 0x34; code <= 0x37; code++) {
		printf("# row cbox 0x%02x", code);
		for (unsigned int um = 0; um < 256; um++) {
			cmd("checker reset");
			set_ctl(CBOX0, 0, code | um << 8 | EN);
			cmd("checker");
			if (!answered("has no unit mask"))
				printf(" %02x", um);
		}
		printf("\n");
	}
}

/* @argv: a set of tests, or a command to print the rows of, and perhaps of which generation */
int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	uncore_make_sockets();
	uncore_check_init(&uncore);
	uncore_stim_init(&uncore);
	uncore_poke_init(&uncore);
	if (argc == 2 && same(argv[1], "umasks")) {
		print_umasks();
		return 0;
	}
	if (argc > 2) {
		become(argv[2][0] - '0');
		print_rows(argv[1]);
		return tap_done();
	}
	test_main(argc > 1 ? argv[1] : "host");
	test_socket();
	test_extended();
	test_node();
	test_named();
	test_findings();
	test_later(2);
	test_later(3);
	test_later(4);
	test_dies();
	return tap_done();
}
