// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "model.h"
#include "offcore.h"

/* Requests of SDM table 18-26 and names for several of them */
#define NEHALEM_REQUESTS						\
	{ "dmnd_data_rd", "dmnd_rfo", "dmnd_ifetch", "wb", "pf_data_rd",	\
	  "pf_rfo", "pf_ifetch", "other" }
#define NEHALEM_SETS							\
	{ "any_response", .suppliers = true },				\
	{ "llc_hit", .of = { "uncore_hit", "other_core_hit_snp",	\
			     "other_core_hitm" } },			\
	{ "any_request", .requests = true },				\
	{ "any_data_rd", .of = { "dmnd_data_rd", "pf_data_rd" } },	\
	{ "any_rfo", .of = { "dmnd_rfo", "pf_rfo" } },			\
	{ "any_ifetch", .of = { "dmnd_ifetch", "pf_ifetch" } },		\
	{ "any_read", .of = { "dmnd_data_rd", "pf_data_rd", "dmnd_rfo",	\
			      "pf_rfo", "dmnd_ifetch", "pf_ifetch" } }
#define NEHALEM_DRAM_SETS						\
	{ "any_dram", .of = { "remote_dram", "local_dram" } },		\
	{ "remote_cache", .of = { "remote_cache_hitm", "remote_cache_fwd" } }, \
	{ "llc_miss", .of = { "remote_cache_hitm", "remote_cache_fwd",	\
			      "remote_dram", "local_dram", "non_dram" } }

/* SDM tables 18-36 to 18-38 and names for several */
#define SANDY_BRIDGE_REQUESTS						\
	{ "dmnd_data_rd", "dmnd_rfo", "dmnd_ifetch", "wb", "pf_data_rd",	\
	  "pf_rfo", "pf_ifetch", "pf_llc_data_rd", "pf_llc_rfo",	\
	  "pf_llc_ifetch", "bus_locks", "strm_st", "other" }
#define SANDY_BRIDGE_SUPPLIERS						\
	"no_supp", "llc_hitm", "llc_hite", "llc_hits", "llc_hitf", "local"
#define SANDY_BRIDGE_SNOOPS						\
	{ "snp_none", "snp_not_needed", "snp_miss", "snp_no_fwd",	\
	  "snp_fwd", "hitm", "non_dram" }
#define SANDY_BRIDGE_SETS						\
	{ "llc_hit", .of = { "llc_hitm", "llc_hite", "llc_hits",	\
			     "llc_hitf" } },				\
	{ "snp_any", .snoops = true },					\
	{ "any_request", .requests = true },				\
	{ "any_data_rd", .of = { "dmnd_data_rd", "pf_data_rd",		\
				 "pf_llc_data_rd" } },			\
	{ "any_rfo", .of = { "dmnd_rfo", "pf_rfo", "pf_llc_rfo" } },	\
	{ "any_ifetch", .of = { "dmnd_ifetch", "pf_ifetch",		\
				"pf_llc_ifetch" } },			\
	{ "any_read", .of = { "dmnd_data_rd", "pf_data_rd",		\
			      "pf_llc_data_rd", "dmnd_rfo", "pf_rfo",	\
			      "pf_llc_rfo", "dmnd_ifetch", "pf_ifetch",	\
			      "pf_llc_ifetch" } }

static const struct offcore_part parts[] = {
	/* Nehalem, Westmere and Westmere-EX differ in the places of the bits. */
	{ { 26, 30, 31, 46, 37, 47 }, NEHALEM_REQUESTS,
	  { "uncore_hit", "other_core_hit_snp", "other_core_hitm",
	    "remote_cache_hitm", "remote_cache_fwd", "remote_dram",
	    "local_dram", "non_dram" },
	  { }, { NEHALEM_SETS, NEHALEM_DRAM_SETS }, "local_dram" },
	{ { 44 }, NEHALEM_REQUESTS,
	  { "uncore_hit", "other_core_hit_snp", "other_core_hitm",
	    "remote_cache_hitm", "local_dram_and_remote_cache_hit",
	    "remote_dram", "other_local_dram", "non_dram" },
	  { }, { NEHALEM_SETS,
		 { "llc_miss", .of = { "remote_cache_hitm", "remote_dram",
				       "local_dram_and_remote_cache_hit",
				       "other_local_dram", "non_dram" } } },
	  "other_local_dram" },
	{ { 42 }, SANDY_BRIDGE_REQUESTS, { SANDY_BRIDGE_SUPPLIERS },
	  SANDY_BRIDGE_SNOOPS,
	  { SANDY_BRIDGE_SETS,
	    { "local_dram", .of = { "local", "snp_not_needed", "snp_miss" } },
	    { "any_dram", .of = { "local", "snp_not_needed", "snp_miss" } },
	    { "llc_miss", .of = { "local" }, .snoops = true } },
	  "local" },
	{ { 45 }, SANDY_BRIDGE_REQUESTS, { SANDY_BRIDGE_SUPPLIERS, "remote" },
	  SANDY_BRIDGE_SNOOPS,
	  { SANDY_BRIDGE_SETS,
	    { "local_dram", .of = { "local", "snp_miss", "snp_no_fwd" } },
	    { "remote_dram", .of = { "remote", "snp_miss", "snp_no_fwd" } },
	    { "any_dram", .of = { "local", "remote", "snp_miss", "snp_no_fwd" } },
	    { "remote_cache_hitm", .of = { "local", "remote", "hitm" } },
	    { "remote_cache_fwd", .of = { "remote", "no_supp", "snp_fwd" } },
	    { "remote_cache", .of = { "local", "remote", "no_supp", "hitm",
				      "snp_fwd" } },
	    { "llc_miss", .of = { "local", "remote", "no_supp" },
	      .snoops = true } },
	  "local" },
};

const struct offcore_part *part;
unsigned int regs, threads;
bool direct;
static struct uncore_pmu pmu;

static __attribute__((format(printf, 1, 2), noreturn))
void die(const char *fmt, ...)
{
	va_list ap;

	printf("Bail out! ");
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	fflush(stdout);
	exit(1);
}

static void add_name(struct offcore_names *n, const char *name)
{
	if (n->nr == OFFCORE_MAX_NAMES)
		die("more than %d names\n", OFFCORE_MAX_NAMES);
	n->name[n->nr++] = name;
}

static void add_names(struct offcore_names *n, const char *const *names)
{
	while (*names)
		add_name(n, *names++);
}

/* Terms of an event, as they stand */
static void split(struct offcore_names *n, const char *terms)
{
	snprintf(n->text, sizeof(n->text), "%s", terms);
	n->nr = 0;
	for (char *w = strtok(n->text, ","); w; w = strtok(NULL, ",")) {
		bool none = !part->snoops[0] && !strcmp(w, "local_dram");

		add_name(n, none ? part->local : w);
	}
}

bool offcore_has(const struct offcore_names *n, const char *name)
{
	for (unsigned int i = 0; i < n->nr; i++) {
		if (!strcmp(n->name[i], name))
			return true;
	}
	return false;
}

void offcore_expand(struct offcore_names *n, const char *terms)
{
	unsigned int given;

	split(n, terms);
	given = n->nr;
	for (unsigned int i = 0; i < given; i++) {
		for (const struct offcore_set *s = part->sets; s->name; s++) {
			if (strcmp(n->name[i], s->name))
				continue;
			add_names(n, s->of);
			if (s->requests)
				add_names(n, part->requests);
			if (s->suppliers)
				add_names(n, part->suppliers);
			if (s->snoops)
				add_names(n, part->snoops);
		}
	}
	for (const char *const *p = part->snoops; *p; p++) {
		if (offcore_has(n, *p))
			return;
	}
	if (!offcore_has(n, "any_response"))
		add_names(n, part->snoops);
}

/* CPUID leaf 1: the model of family 6, or 0 */
static unsigned int cpu_model(void)
{
	uint32_t eax = 1, ebx, ecx = 0, edx;

	asm volatile("cpuid" : "+a" (eax), "=b" (ebx), "+c" (ecx), "=d" (edx));
	if ((eax >> 8 & 0xf) != 6)
		return 0;
	return (eax >> 12 & 0xf0) | (eax >> 4 & 0xf);
}

struct perf_event_attr offcore_encode(const char *terms)
{
	struct offcore_names n;
	struct uncore_enc enc;
	char text[1024] = "";
	const char *why;

	split(&n, terms);
	for (unsigned int i = 0; i < n.nr; i++) {
		strcat(text, i ? "," : "");
		strcat(text, n.name[i]);
	}
	why = uncore_encode(&pmu, text, &enc);
	if (why)
		die("%s\n", why);
	return uncore_attr(&pmu, &enc);
}

int offcore_try(const char *terms, int cpu, int group)
{
	struct perf_event_attr attr = offcore_encode(terms);

	return uncore_open_attr(&attr, cpu, group);
}

int offcore_open(const char *terms, int cpu, int group)
{
	int fd = offcore_try(terms, cpu, group);

	if (fd < 0)
		die("%s on CPU %d: %s\n", terms, cpu, strerror(-fd));
	return fd;
}

uint64_t offcore_value(const char *terms)
{
	struct offcore_names n;
	uint64_t rsp = 0;

	offcore_expand(&n, terms);
	for (unsigned int i = 0; i < n.nr; i++) {
		struct uncore_enc enc;

		if (!strcmp(n.name[i], "remote"))
			rsp |= 0xffull << 23;
		else if (!uncore_encode(&pmu, n.name[i], &enc))
			rsp |= enc.word[0];
	}
	return rsp;
}

struct perf_event_attr offcore_kernels(uint64_t rsp)
{
	return (struct perf_event_attr) {
		.type = PERF_TYPE_RAW,
		.size = sizeof(struct perf_event_attr),
		.config = 0x1b7,
		.config1 = rsp,
		.read_format = UNCORE_READ_FORMAT,
	};
}

int offcore_open_task(const struct perf_event_attr *attr, int pid, int group)
{
	int fd = syscall(SYS_perf_event_open, attr, pid, -1, group, 0);

	return fd < 0 ? -errno : fd;
}

void pin(int cpu)
{
	static int now = -1;
	cpu_set_t one;

	if (cpu == now)
		return;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		die("cannot pin to CPU %d: %s\n", cpu, strerror(errno));
	now = cpu;
}

void happen(int cpu, const char *request, const char *supplier,
	    const char *snoop, unsigned int count, bool kernel)
{
	pin(cpu);
	if (part->snoops[0])
		model("offcore cpu=%d,request=%s,supplier=%s,snoop=%s,count=%u,kernel=%d",
		      cpu, request, supplier, snoop, count, kernel);
	else
		model("offcore cpu=%d,request=%s,response=%s,count=%u,kernel=%d",
		      cpu, request, supplier, count, kernel);
}

void local_dram(int cpu, const char *request, unsigned int count)
{
	happen(cpu, request, part->local, "snp_miss", count, false);
}

uint64_t offcore_writes(void)
{
	const char *line = model("core-pmu tally");
	uint64_t sum = 0;

	while (line && *line) {
		unsigned long long n;
		char reg[32];

		/* The watchdog writes the global control at any time. */
		if (sscanf(line, "cpu %*u %31s reads=%*u writes=%llu", reg,
			   &n) == 2 &&
		    (!strcmp(reg, "OFFCORE_RSP") || !strcmp(reg, "PMC") ||
		     !strcmp(reg, "PERFEVTSEL")))
			sum += n;
		line = strchr(line, '\n');
		line += !!line;
	}
	return sum;
}

struct offcore_reading offcore_reading(int fd)
{
	struct offcore_reading r;

	uncore_read_group(fd, 1, &r.count, &r.t);
	return r;
}

bool offcore_reg(unsigned int cpu, const char *name, uint64_t *value)
{
	const char *line = model("core-pmu get cpu=%u", cpu);
	size_t len = strlen(name);

	while (line && *line) {
		if (!strncmp(line, name, len) && line[len] == '=') {
			*value = strtoull(line + len + 1, NULL, 0);
			return true;
		}
		line = strchr(line, '\n');
		line += !!line;
	}
	return false;
}

void offcore_init(int argc, char **argv)
{
	unsigned int number;
	uint64_t value;
	char *text;

	if (argc != 2 || (strcmp(argv[1], "kernel") && strcmp(argv[1], "direct")))
		die("usage: %s kernel|direct\n", argv[0]);
	direct = !strcmp(argv[1], "direct");
	model_init();

	if (!uncore_load(&pmu, "offcore_rsp"))
		die("no PMU offcore_rsp\n");
	number = cpu_model();
	for (unsigned int i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		for (unsigned int k = 0; k < 6; k++) {
			if (number && parts[i].models[k] == number)
				part = &parts[i];
		}
	}
	if (!part)
		die("a processor that this test does not know\n");
	regs = offcore_reg(0, "OFFCORE_RSP_1", &value) ? 2 : 1;
	text = read_text("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list");
	threads = text && strpbrk(text, ",-") ? 2 : 1;
	printf("# %u register(s), %u thread(s) of a core\n", regs, threads);
}
