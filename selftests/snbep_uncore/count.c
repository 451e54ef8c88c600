// SPDX-License-Identifier: GPL-2.0-only
/*
 * Open every alias of every PMU on every socket as perf does, inject its event, and read the exact
 * count. Events that must not count (other unit masks, other sockets) are injected, too. Aliases
 * with a filter or a threshold only have to open, as have all where events cannot be injected: what
 * these count is in tests/drivers/uncore. count NUMBER: check the number of PMUs.
 */
#include <fcntl.h>
#include <glob.h>
#include <stdarg.h>
#include <string.h>

#include "api/model.h"
#include "api/test.h"
#include "api/uncore.h"

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

/* What the alias counts, and what it does not: the bits of a unit mask are independent events. */
static void happen(void)
{
	unsigned int others = umasks[code] & ~umask, bit;
	char event[32];

	/* Of cores in C0, C3 and C6 */
	for (bit = 0x40; !strcmp(pmu->kind, "pcu") && code == 0x80 && bit <= 0xc0; bit += 0x40)
		stimulate(bit == umask, "event=0x80,umask=0x%02x", bit);
	if (bit > 0x40)
		return;
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

/* Whether the alias is an event with nothing to filter or to compare it with */
static bool is_plain(void)
{
	static const char * const fields[] = { "event=", "umask=", "occ_sel=" };
	const char *item = text;
	unsigned int i;

	/* Unit masks of requests and of TOR entries are no independent events. */
	if (!strcmp(pmu->kind, "cbox") && code >= 0x34 && code <= 0x36)
		return false;
	do {
		for (i = 0; i < ARRAY_SIZE(fields); i++) {
			if (!strncmp(item, fields[i], strlen(fields[i])))
				break;
		}
		item = strchr(item, ',');
	} while (i < ARRAY_SIZE(fields) && item++);
	return i < ARRAY_SIZE(fields);
}

/* The fixed counters' as well: they count time and not injections. */
static bool is_clock(const char *alias)
{
	return code == 0xff || strstr(alias, "clockticks");
}

/* A board may lack a box in one of its sockets; the machine lacks it in all. */
static bool has_box(unsigned int socket)
{
	return model_present() || pmu->cpu[socket] >= 0;
}

/* Count an alias on all sockets; @running: whether it is a clock, and runs */
static bool count_alias(const char *alias, bool *running)
{
	bool good = true, clock = is_clock(alias), exact = !clock && is_plain() && model_present();
	int fd[UNCORE_MAX_SOCKETS];
	unsigned int s;

	memset(expect, 0, sizeof(expect));
	for (s = 0; s < uncore_nr_sockets; s++)
		fd[s] = has_box(s) ? uncore_open(pmu, text, s, -1) : -1;
	if (exact)
		happen();
	for (s = 0; s < uncore_nr_sockets; s++) {
		uint64_t n;

		if (!has_box(s))
			continue;
		n = uncore_read(fd[s]);
		close(fd[s]);
		*running |= clock && n;
		if (clock ? n > 0 : !exact || (n == expect[s] && n))
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
		good &= count_alias(*alias, &running);
		n++;
	}
	if (model_present())
		test_result(good && hits && misses,
			    "%s: each alias opens, and without a filter counts its stimuli exactly, and no others | %u aliases on %u sockets, %u stimuli, %u others\n",
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
