// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open every alias of every PMU on every socket as perf does, inject its event, and read the exact
 * count. Events that must not count (other unit mask, filter value or socket) are injected, too.
 * Where events cannot be injected, the aliases only have to open. count NUMBER: check the number of
 * PMUs.
 */
#include <fcntl.h>
#include <glob.h>
#include <stdarg.h>
#include <string.h>

#include "api/model.h"
#include "api/test.h"
#include "api/uncore.h"

/* Clock events, which count time and not injections */
static const struct clock {
	const char *kind;
	unsigned int code;
} clocks[] = {
	{ "cbox", 0x00 }, { "ha", 0x00 }, { "imc", 0xff }, { "imc", 0x00 }, { "pcu", 0x00 },
	{ "qpi", 0x14 }, { "r2pcie", 0x01 }, { "r3qpi", 0x01 }, { "ubox", 0xff },
};

/* The alias under test: its encoding, as text with nothing left to ask, and in numbers */
static const struct uncore_pmu *pmu;
static char text[256];
static struct uncore_enc enc;
/* Event select, with ext in bit 8; unit mask, or the occupancy select in its place */
static unsigned int code, umask;

/* By event select, all unit mask bits that aliases have */
static unsigned int umasks[0x200];

/* The expected count of each socket, and the number of stimuli */
static uint64_t expect[UNCORE_MAX_SOCKETS];
static unsigned int hits, misses;

static void stimulate(bool hit, const char *fmt, ...)
{
	static uint64_t n = 1000;
	char event[128];
	unsigned int s;
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(event, sizeof(event), fmt, ap);
	va_end(ap);
	for (s = 0; s < uncore_nr_sockets; s++) {
		uint64_t count = 1000000;

		/* Each differs, and every third reaches the high half of a counter in PCI space. */
		if (hit) {
			n += 1 + n % 7;
			count = n % 3 ? n : n + (1ull << 32);
			expect[s] += count;
		}
		model("stim %u %s %s,count=%llu", s, pmu->box, event, (unsigned long long)count);
	}
	*(hit ? &hits : &misses) += 1;
}

#define HIT(...)	stimulate(true, __VA_ARGS__)
#define MISS(...)	stimulate(false, __VA_ARGS__)

static unsigned int field(const char *name)
{
	return uncore_get(pmu, &enc, name);
}

/* Values for =? fields, with 0 and 1 bits */
static const char *parameter(const char *name)
{
	if (!strcmp(name, "filter_nid"))
		return "0x05";
	if (!strcmp(name, "filter_addr"))
		return "0x923456789";
	if (!strcmp(name, "filter_opc"))
		return strcmp(pmu->kind, "ha") ? "0x182" : "0x15";
	if (!strcmp(name, "filter_tid"))
		return "0x0b";
	return strncmp(name, "filter_band", 11) ? NULL : "0x0d";
}

/* Read the alias, with values for "filter_nid=?"; returns an error text or NULL */
static const char *read_alias(const char *alias)
{
	char *all = uncore_alias(pmu, alias), *save = NULL, *item;
	const char *why;
	size_t len = 0;

	text[0] = 0;
	if (!all)
		return "not read";
	for (item = strtok_r(all, ",", &save); item; item = strtok_r(NULL, ",", &save)) {
		char *ask = strstr(item, "=?");
		const char *value = "";

		if (ask) {
			*ask = 0;
			value = parameter(item);
			if (!value)
				return "asks for something unknown";
		}
		len += snprintf(text + len, sizeof(text) - len, "%s%s%s%s",
				len ? "," : "", item, ask ? "=" : "", value);
	}
	free(all);
	why = uncore_encode(pmu, text, &enc);
	code = field("event");
	umask = strcmp(pmu->kind, "pcu") ? field("umask") : field("occ_sel") << 6;
	return why;
}

/* A unit mask whose bits are independent events */
static void happen_bits(void)
{
	unsigned int others = umasks[code] & ~umask, bit;
	char event[32];

	snprintf(event, sizeof(event), "event=0x%02x%s", code & 0xff, code >> 8 ? ",ext=1" : "");
	if (!umask) {
		HIT("%s", event);
		return;
	}
	for (bit = 1; bit < 0x100; bit <<= 1) {
		if (umask & bit)
			HIT("%s,umask=0x%02x", event, bit);
		if (others & bit)
			MISS("%s,umask=0x%02x", event, bit);
	}
}

/* Target nodes: those of the filter and the others */
static void happen_nids(const char *event)
{
	unsigned int nid;

	if (!(umask & 0x40)) {
		HIT("%s,nid=3", event);
		return;
	}
	for (nid = 0; nid < 4; nid++)
		stimulate(field("filter_nid") & 1u << nid, "%s,nid=%u", event, nid);
}

/* Table 2-16: bits 1 to 3 are the kind of request, 6 the node */
static void happen_lookup(void)
{
	/* none stands for all five */
	unsigned int states = field("filter_state") ?: 0x1f, types = umask & 0x0e, state;
	char event[64];

	for (state = 1; state <= 0x10; state <<= 1) {
		snprintf(event, sizeof(event), "event=0x34,umask=0x%02x,state=0x%02x",
			 types ?: 0x02, state);
		if (states & state)
			happen_nids(event);
		else
			MISS("%s", event);
	}
	if (types && types != 0x0e)
		MISS("event=0x34,umask=0x%02x", 0x0e & ~types);
}

/* Tables 2-30 and 2-31 */
static void happen_tor(void)
{
	unsigned int opc = field("filter_opc"), happens = umask & 0x17;
	const char *at = umask & 0x40 ? ",nid=0" : "";
	char event[64];

	snprintf(event, sizeof(event), "event=0x%02x,umask=0x%02x,opc=0x%03x", code, happens,
		 opc ?: 0x187);
	happen_nids(event);
	if (umask & 0x01) {
		MISS("event=0x%02x,umask=0x%02x,opc=0x%03x%s", code, happens, opc ^ 1, at);
		/* an entry that did not come from the IRQ has no opcode */
		MISS("event=0x%02x,umask=0x%02x,opc=0x%03x%s", code, happens & ~1u, opc, at);
	}
	if (umask & 0x02)
		MISS("event=0x%02x,umask=0x%02x,opc=0x%03x%s", code, happens & ~2u,
		     opc ?: 0x187, at);
	if (umask & 0x14)
		MISS("event=0x%02x,umask=0x03%s", code, at);
}

/* Tables 2-37 to 2-39: the address is compared from bit 12 on. */
static void happen_addr(void)
{
	unsigned long long addr = uncore_get(pmu, &enc, "filter_addr") << 6;
	unsigned int opc = field("filter_opc");

	HIT("event=0x20,addr=%#llx,opc=%#x", addr, opc);
	HIT("event=0x20,addr=%#llx,opc=%#x", addr ^ 0xfff, opc);
	MISS("event=0x20,addr=%#llx,opc=%#x", addr ^ 1 << 12, opc);
	MISS("event=0x20,addr=%#llx,opc=%#x", addr ^ 1ull << 45, opc);
	MISS("event=0x20,addr=%#llx,opc=%#x", addr, opc ^ 0x20);
	MISS("event=0x20,addr=%#llx,opc=%#x", addr, opc ^ 1);
}

/* The ready-made events of Table 2-80 */
static bool happen_ready_made(const char *alias)
{
	static const struct {
		const char *alias, *hit[2], *miss[3];
	} ready_made[] = {
		{ "cores_c0_over4_",
		  { "event=0x80,umask=0x40,inc=5", "event=0x80,umask=0x40,inc=8" },
		  { "event=0x80,umask=0x40,inc=4", "event=0x80,umask=0x80,inc=5" } },
		{ "volt_trans_cores_c0_over4_cycles", { "event=0x03,c0=5" },
		  { "event=0x03,c0=4", "event=0x03,c3=5", "event=0x02,c0=5" } },
		{ "below_2ghz_cores_c0_under4_cycles", { "event=0x0b,freq=1900,c0=3" },
		  { "event=0x0b,freq=2000,c0=3", "event=0x0b,freq=1900,c0=4" } },
	};
	unsigned int i, j;

	for (i = 0; i < ARRAY_SIZE(ready_made); i++) {
		if (strncmp(alias, ready_made[i].alias, strlen(ready_made[i].alias)))
			continue;
		for (j = 0; j < 2 && ready_made[i].hit[j]; j++)
			HIT("%s", ready_made[i].hit[j]);
		for (j = 0; j < 3 && ready_made[i].miss[j]; j++)
			MISS("%s", ready_made[i].miss[j]);
		return true;
	}
	return false;
}

static void happen_pcu(const char *alias)
{
	unsigned int sel, band;
	char name[16];

	if (happen_ready_made(alias))
		return;
	if (code == 0x80) {
		for (sel = 1; sel < 4; sel++)
			stimulate(sel << 6 == umask, "event=0x80,umask=0x%02x", sel << 6);
		return;
	}
	if (code < 0x0b || code > 0x0e) {
		happen_bits();
		return;
	}
	/* Table 2-77: at or above the band's frequency, in 100 MHz */
	snprintf(name, sizeof(name), "filter_band%u", code - 0x0b);
	band = field(name);
	HIT("event=0x%02x,freq=%u", code, 100 * band);
	HIT("event=0x%02x,freq=%u", code, 100 * band + 700);
	MISS("event=0x%02x,freq=%u", code, 100 * band - 1);
}

/* Tables 2-88 to 2-91: a packet, of which the mask selects fields */
static const struct {
	const char *name;
	unsigned int all;
} packet_fields[] = {
	{ "rds", 0xf }, { "rnid", 0x1f }, { "dnid", 0x1f }, { "mc", 0xf }, { "opc", 0xf },
	{ "vnw", 3 },
};

static unsigned int packet_field(const char *word, const char *name)
{
	char full[32];

	snprintf(full, sizeof(full), "%s_%s", word, name);
	if (strcmp(name, "rnid"))
		return field(full);
	strcat(full, "4");
	return field(full) << 4 | packet_field(word, "rnid30");
}

/* Inject a packet whose field @wrong, if any, does not match. */
static void happen_packet(unsigned int wrong)
{
	char event[128] = "event=0x38,ext=1";
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(packet_fields); i++) {
		unsigned int mask = packet_field("mask", packet_fields[i].name);
		/* what is not looked at is all ones */
		unsigned int val = packet_field("match", packet_fields[i].name) |
				   (packet_fields[i].all & ~mask);

		if (i == wrong && !mask)
			return;
		if (i == wrong)
			val ^= mask & -mask;
		sprintf(event + strlen(event), ",%s=%#x", packet_fields[i].name, val);
	}
	stimulate(wrong == ARRAY_SIZE(packet_fields), "%s", event);
}

/* Whether the port's packet filter, function 6, is hidden, or has no registers above 0x100 */
static bool no_packets(void)
{
	glob_t found = { };
	off_t size = 0;
	int fd;

	if (!glob(strcmp(pmu->box, "qpi_1") ? "/sys/bus/pci/devices/*:08.6/config" :
		  "/sys/bus/pci/devices/*:09.6/config", 0, NULL, &found)) {
		fd = open(found.gl_pathv[0], O_RDONLY);
		size = lseek(fd, 0, SEEK_END);
		close(fd);
	}
	globfree(&found);
	return size <= 0x100;
}

static bool is_clock(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(clocks); i++) {
		if (!strcmp(clocks[i].kind, pmu->kind) && clocks[i].code == code)
			return true;
	}
	return false;
}

static void happen(const char *alias)
{
	bool cbox = !strcmp(pmu->kind, "cbox");
	unsigned int i;

	if (cbox && code == 0x34) {
		happen_lookup();
	} else if (cbox && (code == 0x35 || code == 0x36)) {
		happen_tor();
	} else if (cbox && code == 0x37 && (umask & 0x40)) {
		happen_nids("event=0x37,umask=0x01");	/* Table 2-17 */
	} else if (!strcmp(pmu->kind, "ha") && code == 0x20) {
		happen_addr();
	} else if (!strcmp(pmu->kind, "pcu")) {
		happen_pcu(alias);
	} else if (!strcmp(pmu->kind, "qpi") && code == 0x138) {
		for (i = 0; i <= ARRAY_SIZE(packet_fields); i++)
			happen_packet(i);
	} else {
		happen_bits();
	}
}

/* A board may lack a box in one of its sockets; the machine lacks it in all. */
static bool has_box(unsigned int socket)
{
	return model_present() || pmu->cpu[socket] >= 0;
}

/* Count an alias on all sockets; @clock: it is one, and @running then whether it runs */
static bool count_alias(const char *alias, bool clock, bool *running)
{
	int fd[UNCORE_MAX_SOCKETS];
	bool good = true;
	unsigned int s;

	memset(expect, 0, sizeof(expect));
	for (s = 0; s < uncore_nr_sockets; s++)
		fd[s] = has_box(s) ? uncore_open(pmu, text, s, -1) : -1;
	if (!clock && model_present())
		happen(alias);
	for (s = 0; s < uncore_nr_sockets; s++) {
		uint64_t n;

		if (!has_box(s))
			continue;
		n = uncore_read(fd[s]);
		close(fd[s]);
		*running |= clock && n;
		if (clock ? n > 0 : !model_present() || (n == expect[s] && n))
			continue;
		ksft_print_msg("%s/%s/ (%s) on socket %u: counted %llu of %llu\n", pmu->name,
			       alias, text, s, (unsigned long long)n,
			       (unsigned long long)expect[s]);
		good = false;
	}
	return good;
}

static void count_pmu(void)
{
	char **aliases = uncore_aliases(pmu), **alias;
	bool good = true, running = false;
	unsigned int n = 0;

	memset(umasks, 0, sizeof(umasks));
	for (alias = aliases; *alias; alias++) {
		const char *why = read_alias(*alias);

		if (why)
			ksft_print_msg("%s/%s/ = '%s': %s\n", pmu->name, *alias, text, why);
		good &= !why;
		umasks[code] |= umask;
	}
	hits = 0;
	misses = 0;
	for (alias = aliases; good && *alias; alias++) {
		read_alias(*alias);
		/*
		 * One looks at what another counter counts: see tests/drivers/uncore/group.c.
		 * Others are refused where the filter cannot be reached.
		 */
		if ((!strcmp(pmu->kind, "cbox") && code == 0x1f) ||
		    (!strcmp(pmu->kind, "qpi") && code == 0x138 && no_packets()))
			continue;
		good &= count_alias(*alias, is_clock(), &running);
		n++;
	}
	if (model_present())
		test_result(good && hits && misses,
			    "%s: each alias counts its stimuli exactly, and no others | %u aliases on %u sockets, %u stimuli, %u others\n",
			    pmu->box, n, uncore_nr_sockets, hits, misses);
	else
		test_result(good && n, "%s: each alias opens and is read | %u aliases on %u sockets\n",
			    pmu->box, n, uncore_nr_sockets);
	ksft_test_result(running, "%s: its clock runs\n", pmu->box);
}

int main(int argc, char **argv)
{
	unsigned int want = argc > 1 ? atoi(argv[1]) : 0;

	test_begin("snbep_uncore_", "checker");
	uncore_init("snbep_uncore_");
	test_plan(!!want + 2 * uncore_nr_pmus);
	if (want)
		test_result(uncore_nr_pmus == want, "all PMUs are there | %u of %u\n",
			    uncore_nr_pmus, want);
	for (pmu = uncore_pmus; pmu < uncore_pmus + uncore_nr_pmus; pmu++)
		count_pmu();
	test_end();
}
