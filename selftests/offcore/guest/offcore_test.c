// SPDX-License-Identifier: GPL-2.0-only
/*
 * offcore_test kernel|direct: the PMU offcore_rsp on the model's cores, with
 * the kernel's core PMU or without one. What a name means is said here once
 * more, by the manual and not by the module's tables.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest.h"
#include "lib/model.h"
#include "lib/uncore.h"

#define PMU_DIR		"/sys/bus/event_source/devices/offcore_rsp"
#define MAX_NAMES	32

/* A name for several: those of @of, and all of a kind */
struct set {
	const char *name;
	const char *of[5];
	bool requests, suppliers, snoops;
};

/* A processor by its names */
static const struct part {
	const char *has;		/* a format that only it has */
	const char *requests[MAX_NAMES];
	const char *suppliers[MAX_NAMES];
	const char *snoops[MAX_NAMES];
	struct set sets[8];
} parts[] = {
	{ "uncore_hit",
	  { "dmnd_data_rd", "dmnd_rfo", "dmnd_ifetch", "wb", "pf_data_rd",
	    "pf_rfo", "pf_ifetch", "other" },
	  { "uncore_hit", "other_core_hit_snp", "other_core_hitm",
	    "remote_cache_fwd", "remote_dram", "local_dram", "non_dram" },
	  { },
	  { { "any_response", .suppliers = true },
	    { "any_dram", .of = { "remote_dram", "local_dram" } },
	    { "llc_miss", .of = { "remote_cache_fwd", "remote_dram",
				  "local_dram", "non_dram" } },
	    { "any_request", .requests = true } } },
	{ "llc_hitm",
	  { "dmnd_data_rd", "dmnd_rfo", "dmnd_ifetch", "wb", "pf_data_rd",
	    "pf_rfo", "pf_ifetch", "pf_llc_data_rd", "pf_llc_rfo",
	    "pf_llc_ifetch", "bus_locks", "strm_st", "other" },
	  { "no_supp", "llc_hitm", "llc_hite", "llc_hits", "llc_hitf",
	    "local", "remote" },
	  { "snp_none", "snp_not_needed", "snp_miss", "snp_no_fwd",
	    "snp_fwd", "hitm", "non_dram" },
	  { { "local_dram", .of = { "local" }, .snoops = true },
	    { "remote_dram", .of = { "remote" }, .snoops = true },
	    { "llc_hit", .of = { "llc_hitm", "llc_hite", "llc_hits",
				 "llc_hitf" } },
	    { "snp_any", .snoops = true },
	    { "any_request", .requests = true } } },
};

static const struct part *part;
static unsigned int regs;
static bool direct;
static uint32_t pmu_type;

struct names {
	char text[1024];
	const char *name[MAX_NAMES];
	unsigned int nr;
};

static void add_name(struct names *n, const char *name)
{
	if (n->nr == MAX_NAMES)
		ksft_exit_fail_msg("more than %d names\n", MAX_NAMES);
	n->name[n->nr++] = name;
}

static void add_names(struct names *n, const char *const *names)
{
	while (*names)
		add_name(n, *names++);
}

/* Terms of an event, as they stand */
static void split(struct names *n, const char *terms)
{
	snprintf(n->text, sizeof(n->text), "%s", terms);
	n->nr = 0;
	for (char *w = strtok(n->text, ","); w; w = strtok(NULL, ","))
		add_name(n, w);
}

static bool has(const struct names *n, const char *name)
{
	for (unsigned int i = 0; i < n->nr; i++) {
		if (!strcmp(n->name[i], name))
			return true;
	}
	return false;
}

/* Terms of an event, sets written out as well */
static void expand(struct names *n, const char *terms)
{
	unsigned int given;

	split(n, terms);
	given = n->nr;
	for (unsigned int i = 0; i < given; i++) {
		for (const struct set *s = part->sets; s->name; s++) {
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
}

static bool file_exists(const char *fmt, ...)
{
	char path[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(path, sizeof(path), fmt, ap);
	va_end(ap);
	return !access(path, F_OK);
}

/* From terms to config and config1, as perf does it with format/ */
static struct perf_event_attr encode(const char *terms)
{
	struct perf_event_attr attr = {
		.type = pmu_type,
		.size = sizeof(attr),
		.read_format = UNCORE_READ_FORMAT,
	};
	struct names n;

	split(&n, terms);
	for (unsigned int i = 0; i < n.nr; i++) {
		const char *eq = strchr(n.name[i], '=');
		char *format;
		unsigned int bit;

		if (eq && !strncmp(n.name[i], "rsp=", 4)) {
			attr.config |= strtoull(eq + 1, NULL, 0);
			continue;
		}
		if (eq && !strncmp(n.name[i], "config", 6)) {
			uint64_t v = strtoull(eq + 1, NULL, 0);

			if (n.name[i][6] == '1')
				attr.config1 |= v;
			else
				attr.config2 |= v;
			continue;
		}
		format = read_text(PMU_DIR "/format/%s", n.name[i]);
		if (format && sscanf(format, "config:%u", &bit) == 1)
			attr.config |= 1ull << bit;
		else if (format && sscanf(format, "config1:%u", &bit) == 1)
			attr.config1 |= 1ull << bit;
		else
			ksft_exit_fail_msg("no format %s\n", n.name[i]);
		free(format);
	}
	return attr;
}

static int try_terms(const char *terms, int cpu, int group)
{
	struct perf_event_attr attr = encode(terms);

	return uncore_open_attr(&attr, cpu, group);
}

static int open_terms(const char *terms, int cpu, int group)
{
	int fd = try_terms(terms, cpu, group);

	if (fd < 0)
		ksft_exit_fail_msg("%s on CPU %d: %s\n", terms, cpu,
				   strerror(-fd));
	return fd;
}

/* The kernel's own way to the same register value */
static int open_kernels(uint64_t rsp, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = 0x1b7,
		.config1 = rsp,
		.read_format = UNCORE_READ_FORMAT,
	};

	return uncore_open_attr(&attr, cpu, -1);
}

/* This task runs there from now on. */
static void pin(int cpu)
{
	static int now = -1;
	cpu_set_t one;

	if (cpu == now)
		return;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	if (sched_setaffinity(0, sizeof(one), &one))
		ksft_exit_fail_msg("cannot pin to CPU %d: %s\n", cpu,
				   strerror(errno));
	now = cpu;
}

/*
 * The CPU that counts makes its transactions itself: its counters stand still
 * while it is in an NMI or perf changes its events, and what another CPU made
 * for it meanwhile would be lost.
 */
static void happen(int cpu, const char *request, const char *supplier,
		   const char *snoop, unsigned int count)
{
	pin(cpu);
	if (part->snoops[0])
		model("offcore cpu=%d,request=%s,supplier=%s,snoop=%s,count=%u",
		      cpu, request, supplier, snoop, count);
	else
		model("offcore cpu=%d,request=%s,response=%s,count=%u", cpu,
		      request, supplier, count);
}

/* Data reads from local DRAM: what most of the tests count */
static void local_reads(int cpu, unsigned int count)
{
	happen(cpu, "dmnd_data_rd", part->snoops[0] ? "local" : "local_dram",
	       "snp_miss", count);
}

/*
 * Every transaction that the processor tells apart, each another number of
 * times. Returns how many of them @n should count.
 */
static uint64_t everything(int cpu, const struct names *n)
{
	static const char *const none[] = { "none", NULL };
	const char *const *snoops = part->snoops[0] ? part->snoops : none;
	uint64_t expect = 0;
	unsigned int k = 0;

	for (const char *const *r = part->requests; *r; r++) {
		for (const char *const *s = part->suppliers; *s; s++) {
			for (const char *const *p = snoops; *p; p++) {
				unsigned int count = 1 + ++k * 7919 % 1009;
				bool match = has(n, *s) && (snoops == none ||
							    has(n, *p));

				happen(cpu, *r, *s, *p, count);
				if ((match || has(n, "any_response")) &&
				    has(n, *r))
					expect += count;
			}
		}
	}
	return expect;
}

static void check_count(const char *terms, const char *what)
{
	struct names n;
	uint64_t expect, got;
	int fd;

	expand(&n, terms);
	fd = open_terms(terms, 0, -1);
	expect = everything(0, &n);
	got = uncore_read(fd);
	close(fd);
	ksft_test_result(got == expect && expect, "%s (%s): %llu of %llu\n",
			 what, terms, (unsigned long long)got,
			 (unsigned long long)expect);
}

static void test_aliases(void)
{
	DIR *d = opendir(PMU_DIR "/events");
	struct dirent *e;

	if (!d)
		ksft_exit_fail_msg("no " PMU_DIR "/events\n");
	while ((e = readdir(d))) {
		char *terms;

		if (e->d_name[0] == '.')
			continue;
		terms = read_text(PMU_DIR "/events/%s", e->d_name);
		check_count(terms, e->d_name);
		free(terms);
	}
	closedir(d);
}

/* Each request and each response by itself */
static void test_fields(void)
{
	char terms[128];

	for (const char *const *r = part->requests; *r; r++) {
		snprintf(terms, sizeof(terms), "%s,any_response", *r);
		check_count(terms, "request");
	}
	for (const char *const *s = part->suppliers; *s; s++) {
		snprintf(terms, sizeof(terms), "dmnd_rfo,%s%s", *s,
			 part->snoops[0] ? ",snp_any" : "");
		check_count(terms, "response");
	}
	for (const char *const *p = part->snoops; *p; p++) {
		snprintf(terms, sizeof(terms), "dmnd_rfo,local,%s", *p);
		check_count(terms, "snoop");
	}
}

/* Writes to the registers that an offcore event needs */
static uint64_t writes(bool with_ctrl)
{
	const char *line = model("core-pmu tally");
	uint64_t sum = 0;

	while (line && *line) {
		unsigned long long n;
		char reg[32];

		/* The watchdog has a fixed counter, at any time. */
		if (sscanf(line, "cpu %*u %31s reads=%*u writes=%llu", reg,
			   &n) == 2 &&
		    (!strcmp(reg, "OFFCORE_RSP") || !strcmp(reg, "PMC") ||
		     !strcmp(reg, "PERFEVTSEL") ||
		     (with_ctrl && !strcmp(reg, "GLOBAL_CTRL"))))
			sum += n;
		line = strchr(line, '\n');
		line += !!line;
	}
	return sum;
}

static void refused(int log, const char *terms, int group, int err,
		    const char *text)
{
	uint64_t before = writes(false);
	char last[256] = "";
	int fd = try_terms(terms, 0, group);
	bool said = kmsg_has(log, text, last, sizeof(last));

	ksft_test_result(fd == -err && said && writes(false) == before,
			 "%s is refused: %s\n", terms, text);
	if (fd != -err || !said || writes(false) != before)
		ksft_print_msg("%s, %llu writes, log: %s\n",
			       fd < 0 ? strerror(-fd) : "taken",
			       (unsigned long long)(writes(false) - before), last);
	if (fd >= 0)
		close(fd);
}

static void test_refusals(void)
{
	static const char *const values[] = {
		"dmnd_data_rd,any_response", "dmnd_rfo,any_response",
		"wb,any_response",
	};
	char terms[64];
	int log = kmsg_open(), fd[3] = { -1, -1, -1 };

	refused(log, "dmnd_data_rd", -1, EINVAL, "without a response");
	refused(log, "any_response", -1, EINVAL, "without a request");
	refused(log, "rsp=0", -1, EINVAL, "without a request");
	refused(log, "rsp=0x8000000000000000", -1, EINVAL, "are reserved");
	refused(log, part->snoops[0] ? "rsp=0x11001" : "rsp=0x4801", -1, EINVAL,
		part->snoops[0] ? "0x1000 of the response register are reserved" :
				"0x800 of the response register are reserved");
	snprintf(terms, sizeof(terms), "rsp=%#llx",
		 part->snoops[0] ? 1ull << 38 | 0x10001 : 0x14001);
	refused(log, terms, -1, EINVAL, "are reserved");
	refused(log, "dmnd_data_rd,any_response,config1=0x8000", -1, EINVAL,
		"bits 0x8000 of config1");
	refused(log, "dmnd_data_rd,any_response,config2=1", -1, EINVAL,
		"config2");
	if (part->snoops[0]) {
		refused(log, "dmnd_data_rd,local", -1, EINVAL,
			"without the result of a snoop");
		refused(log, "dmnd_data_rd,hitm", -1, EINVAL,
			"without a supplier");
		refused(log, "rsp=0x3f80800001", -1, EINVAL,
			"remote is all of the bits");
	}
	/* One value more than there are registers */
	for (unsigned int i = 0; i < regs; i++)
		fd[i] = open_terms(values[i], 0, i ? fd[0] : -1);
	refused(log, values[regs], fd[0], EINVAL, "more values than");
	for (unsigned int i = regs; i--;)
		close(fd[i]);
	close(log);
}

static void test_tasks_and_samples(void)
{
	struct perf_event_attr attr = encode("dmnd_data_rd,local_dram");
	int log = kmsg_open(), fd;
	char last[256];

	/* This task, on any CPU */
	fd = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0);
	if (fd < 0)
		fd = -errno;
	if (direct) {
		ksft_test_result(fd == -EINVAL &&
				 kmsg_has(log, "no counting of a task", last,
					  sizeof(last)),
				 "a task is refused without a core PMU\n");
	} else {
		local_reads(0, 4711);
		local_reads(1, 11);
		ksft_test_result(fd >= 0 && uncore_read(fd) == 4722,
				 "a task is counted exactly on two CPUs\n");
	}
	if (fd >= 0)
		close(fd);

	attr.sample_period = 1000;
	fd = uncore_open_attr(&attr, 0, -1);
	ksft_test_result(direct ? fd == -EOPNOTSUPP &&
			 kmsg_has(log, "no sampling", last, sizeof(last)) :
			 fd >= 0, direct ?
			 "sampling is refused without a core PMU\n" :
			 "sampling is taken\n");
	if (fd >= 0)
		close(fd);
	close(log);
}

/* Our event and the kernel's own at the same time, by the same transactions */
static void test_kernels_own(void)
{
	uint64_t rsp = encode("dmnd_data_rd,any_response").config;
	uint64_t a, b;
	int ours, own;

	if (!part->snoops[0])
		rsp |= 0xf700;		/* any_response is a set there */
	if (direct) {
		ksft_test_result_skip("no cpu PMU to compare with\n");
		return;
	}
	ours = open_terms("dmnd_data_rd,any_response", 0, -1);
	own = open_kernels(rsp, 0);
	if (own < 0)
		ksft_exit_fail_msg("the kernel's own event: %s\n",
				   strerror(-own));
	local_reads(0, 12345);
	a = uncore_read(ours);
	b = uncore_read(own);
	ksft_test_result(a == b && a == 12345,
			 "ours and the kernel's own: %llu and %llu\n",
			 (unsigned long long)a, (unsigned long long)b);
	close(ours);
	close(own);
}

struct reading {
	uint64_t count;
	struct uncore_times t;
};

static struct reading reading(int fd)
{
	struct reading r;

	uncore_read_group(fd, 1, &r.count, &r.t);
	return r;
}

/* Three events with as many values as there are registers: all of the time */
static void test_sharing(void)
{
	static const char *const terms[] = {
		"dmnd_data_rd,local_dram", "dmnd_rfo,local_dram",
		"dmnd_data_rd,local_dram",
	};
	int fd[3];
	bool good = true;

	for (int i = 0; i < 3; i++)
		fd[i] = open_terms(terms[regs > 1 ? i : 0], 0, -1);
	local_reads(0, 100);
	usleep(50000);
	for (int i = 0; i < 3; i++) {
		struct reading r = reading(fd[i]);

		good &= r.t.enabled == r.t.running &&
			r.count == (regs > 1 && i == 1 ? 0 : 100);
	}
	ksft_test_result(good, "three events of %u value(s) count at once\n",
			 regs > 1 ? 2 : 1);
	for (int i = 0; i < 3; i++)
		close(fd[i]);
}

/*
 * More values than registers, on one thread and on all threads of its core:
 * they take turns, and none counts what another asked for.
 */
static void test_multiplex(unsigned int cpus)
{
	static const char *const terms[] = {
		"dmnd_data_rd,local_dram", "dmnd_rfo,local_dram",
		"wb,local_dram",
	};
	unsigned int nr = regs + 1, waited = 0, right = 0, wrong = 0;
	int fd[3];

	for (unsigned int i = 0; i < nr; i++)
		fd[i] = open_terms(terms[i], i % cpus, -1);
	for (int k = 0; k < 200; k++) {
		for (unsigned int c = 0; c < cpus; c++)
			local_reads(c, 1);
		usleep(2000);
	}
	for (unsigned int i = 0; i < nr; i++) {
		struct reading r = reading(fd[i]);

		waited += r.t.running < r.t.enabled;
		if (i == 0)
			right = r.count;
		else
			wrong += r.count;
		close(fd[i]);
	}
	ksft_test_result(waited && right && right <= 200 && !wrong,
			 "%u values on %u register(s) of %u thread(s): %u waited, %u counted, %u of the wrong value\n",
			 nr, regs, cpus, waited, right, wrong);
}

static bool registers_clear(unsigned int cpu)
{
	const char *text = model("core-pmu get cpu=%u", cpu);

	for (unsigned int i = 0; i < regs; i++) {
		char name[32], *at;

		snprintf(name, sizeof(name), "OFFCORE_RSP_%u=", i);
		at = strstr(text, name);
		if (!at || strtoull(at + strlen(name), NULL, 0))
			return false;
	}
	return true;
}

static void test_release(void)
{
	int fd = open_terms("dmnd_data_rd,local_dram", 0, -1);
	char *text = read_text("/sys/kernel/debug/offcore_rsp/registers");

	ksft_test_result(text && strstr(text, "dmnd_data_rd,") &&
			 strstr(text, " counters ") &&
			 (!direct || strstr(text, "offcore_test/")),
			 "debugfs shows who holds the register\n");
	free(text);
	close(fd);
	if (direct)
		ksft_test_result(registers_clear(0),
				 "a released register is cleared\n");
	else
		ksft_test_result_skip("the kernel's PMU leaves a released register as it is\n");
}

/* Open and close of one event, for the least of some tries: others write, too */
static unsigned int cost(bool own)
{
	uint64_t rsp = part->snoops[0] ? 0x10001 : 0xf701, before, least = -1;

	for (int i = 0; i < 20; i++) {
		int fd;

		before = writes(true);
		fd = own ? open_kernels(rsp, 0) :
			   open_terms("dmnd_data_rd,any_response", 0, -1);
		close(fd);
		if (writes(true) - before < least)
			least = writes(true) - before;
	}
	return least;
}

static void test_cost(void)
{
	/* The kernel's own event: PMC, RSP, 2 PERFEVTSEL, 4 GLOBAL_CTRL */
	unsigned int ours = cost(false), kernels = direct ? 8 : cost(true);

	ksft_test_result(ours && ours <= kernels,
			 "opening and closing writes %u registers, the kernel's own %u\n",
			 ours, kernels);
}

/* Another task of this CPU, which answers each byte with one */
static int there[2], back[2];
static pid_t partner;

static void ping_pong_start(void)
{
	char c;

	if (pipe(there) || pipe(back))
		ksft_exit_fail_msg("pipe: %s\n", strerror(errno));
	partner = fork();
	if (partner < 0)
		ksft_exit_fail_msg("fork: %s\n", strerror(errno));
	if (!partner) {
		close(there[1]);
		while (read(there[0], &c, 1) == 1)
			if (write(back[1], &c, 1) != 1)
				_exit(1);
		_exit(0);
	}
}

/* One byte there and back: one switch away from this task, and one to it */
static void ping_pong(void)
{
	char c = 0;

	if (write(there[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
		ksft_exit_fail_msg("ping pong: %s\n", strerror(errno));
}

static void ping_pong_end(void)
{
	close(there[0]);
	close(there[1]);
	close(back[0]);
	close(back[1]);
	waitpid(partner, NULL, 0);
}

/*
 * Writes of a task's event for a switch away and back: the least of many, as
 * ticks and other tasks add to the others.
 */
static unsigned int switch_cost(struct perf_event_attr *attr)
{
	int fd = syscall(SYS_perf_event_open, attr, 0, -1, -1, 0);
	unsigned int least = -1;

	if (fd < 0)
		ksft_exit_fail_msg("event of a task: %s\n", strerror(errno));
	for (int i = 0; i < 100; i++) {
		uint64_t before = writes(true);

		ping_pong();
		if (writes(true) - before < least)
			least = writes(true) - before;
	}
	close(fd);
	return least;
}

static void test_switch_cost(void)
{
	struct perf_event_attr ours = encode("dmnd_data_rd,any_response");
	struct perf_event_attr own = ours;
	unsigned int a, b;

	if (direct) {
		ksft_test_result_skip("no task's events to switch\n");
		return;
	}
	own.type = PERF_TYPE_RAW;
	own.config1 = part->snoops[0] ? 0x10001 : 0xf701;
	own.config = 0x1b7;
	pin(0);
	ping_pong_start();
	a = switch_cost(&ours);
	b = switch_cost(&own);
	ping_pong_end();
	ksft_test_result(a && a <= b,
			 "a context switch writes %u registers, with the kernel's own %u\n",
			 a, b);
}

static bool online(unsigned int cpu, bool on)
{
	return write_text(on ? "1" : "0",
			  "/sys/devices/system/cpu/cpu%u/online", cpu);
}

static void test_hotplug(void)
{
	int fd = open_terms("dmnd_data_rd,local_dram", 0, -1);
	int gone = open_terms("dmnd_rfo,local_dram", 1, -1);
	bool good;

	local_reads(0, 10);
	good = online(1, false);
	local_reads(0, 20);
	good &= online(1, true);
	local_reads(0, 30);
	ksft_test_result(good && uncore_read(fd) == 60,
			 "CPU 1 goes and comes while CPU 0 counts\n");
	close(gone);
	gone = open_terms("dmnd_data_rd,local_dram", 1, -1);
	local_reads(1, 77);
	ksft_test_result(uncore_read(gone) == 77,
			 "CPU 1 counts after it came back\n");
	close(gone);
	close(fd);
}

static void test_privilege(void)
{
	struct perf_event_attr user = encode("dmnd_data_rd,local_dram");
	struct perf_event_attr kernel = user;
	int u, k;

	user.exclude_kernel = 1;
	kernel.exclude_user = 1;
	u = uncore_open_attr(&user, 0, -1);
	k = uncore_open_attr(&kernel, 0, -1);
	if (u < 0 || k < 0)
		ksft_exit_fail_msg("exclude_kernel, exclude_user: %s\n",
				   strerror(-(u < 0 ? u : k)));
	local_reads(0, 300);
	ksft_test_result(uncore_read(u) == 300 && uncore_read(k) == 0,
			 "user and kernel are told apart\n");
	close(u);
	close(k);
}

/* The judge itself: somebody else writes a register that is being counted. */
static void test_judge(void)
{
	uint64_t other = part->snoops[0] ? 0x10008 : 0x4008, bad = 1ull << 62;
	int fd = open_terms("dmnd_data_rd,local_dram", 0, -1);
	int msr = open("/dev/cpu/0/msr", O_WRONLY);
	const char *answer;
	bool wrote, fault;

	if (msr < 0)
		ksft_exit_fail_msg("/dev/cpu/0/msr: %s\n", strerror(errno));
	wrote = pwrite(msr, &other, sizeof(other), 0x1a6) == sizeof(other);
	ksft_test_result(wrote && model_try(&answer, "core-pmu judge") == 1 &&
			 strstr(answer, "while counter"),
			 "the judge sees a register change under its counter\n");
	model("core-pmu judge reset");
	fault = pwrite(msr, &bad, sizeof(bad), 0x1a6) < 0;
	ksft_test_result(fault && model_try(&answer, "core-pmu judge") == 1 &&
			 strstr(answer, "faults"),
			 "a reserved bit faults, and the judge says so\n");
	model("core-pmu judge reset");
	close(msr);
	close(fd);
}

int main(int argc, char **argv)
{
	unsigned int threads;
	const char *answer;
	char *text;

	if (argc != 2 || (strcmp(argv[1], "kernel") && strcmp(argv[1], "direct")))
		ksft_exit_fail_msg("usage: offcore_test kernel|direct\n");
	direct = !strcmp(argv[1], "direct");
	ksft_print_header();
	model_init();

	text = read_text(PMU_DIR "/type");
	if (!text)
		ksft_exit_fail_msg("no PMU offcore_rsp\n");
	pmu_type = strtoul(text, NULL, 0);
	for (unsigned int i = 0; i < ARRAY_SIZE(parts); i++) {
		if (file_exists(PMU_DIR "/format/%s", parts[i].has))
			part = &parts[i];
	}
	if (!part)
		ksft_exit_fail_msg("a processor that this test does not know\n");
	answer = model("core-pmu get cpu=0");
	regs = strstr(answer, "OFFCORE_RSP_1") ? 2 : 1;
	text = read_text("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list");
	threads = text && strpbrk(text, ",-") ? 2 : 1;

	ksft_print_msg("%u register(s), %u thread(s) of a core\n", regs, threads);
	text = read_text(PMU_DIR "/caps/mode");
	ksft_test_result(text && !strcmp(text, argv[1]), "mode is %s\n", text);
	test_aliases();
	test_fields();
	test_refusals();
	test_tasks_and_samples();
	test_kernels_own();
	test_privilege();
	test_sharing();
	test_multiplex(1);
	if (threads > 1)
		test_multiplex(2);
	test_release();
	test_cost();
	test_switch_cost();
	test_hotplug();

	ksft_test_result(!model_try(&answer, "core-pmu judge"),
			 "the judge has nothing to say\n");
	if (*answer)
		ksft_print_msg("%s", answer);
	test_judge();
	ksft_set_plan(ksft_test_num());
	ksft_finished();
}
