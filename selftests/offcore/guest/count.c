// SPDX-License-Identifier: GPL-2.0-only
/*
 * count kernel|direct: the PMU offcore_rsp on the model's cores, with
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
#include "lib/offcore.h"

/*
 * Every transaction that the processor tells apart, each another number of
 * times. Returns how many of them @n should count.
 */
static uint64_t everything(int cpu, const struct offcore_names *n)
{
	static const char *const none[] = { "none", NULL };
	const char *const *snoops = part->snoops[0] ? part->snoops : none;
	uint64_t expect = 0;
	unsigned int k = 0;

	for (const char *const *r = part->requests; *r; r++) {
		for (const char *const *s = part->suppliers; *s; s++) {
			for (const char *const *p = snoops; *p; p++) {
				unsigned int count = 1 + ++k * 7919 % 1009;
				bool match = offcore_has(n, *s) && (snoops == none ||
							    offcore_has(n, *p));

				happen(cpu, *r, *s, *p, count, false);
				if ((match || offcore_has(n, "any_response")) &&
				    offcore_has(n, *r))
					expect += count;
			}
		}
	}
	return expect;
}

static void check_count(const char *terms, const char *what)
{
	struct offcore_names n;
	uint64_t expect, got;
	int fd;

	offcore_expand(&n, terms);
	fd = offcore_open(terms, 0, -1);
	expect = everything(0, &n);
	got = uncore_read(fd);
	close(fd);
	ksft_test_result(got == expect && expect, "%s (%s): %llu of %llu\n",
			 what, terms, (unsigned long long)got,
			 (unsigned long long)expect);
}

static void test_aliases(void)
{
	DIR *d = opendir(OFFCORE_DIR "/events");
	struct dirent *e;

	if (!d)
		ksft_exit_fail_msg("no " OFFCORE_DIR "/events\n");
	while ((e = readdir(d))) {
		char *terms;

		if (e->d_name[0] == '.')
			continue;
		terms = read_text(OFFCORE_DIR "/events/%s", e->d_name);
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

/* Names for several that no alias has, and a supplier without a snoop */
static void test_sets(void)
{
	check_count("any_data_rd,llc_hit", "set");
	check_count("any_rfo,llc_miss", "set");
	check_count("any_ifetch,local_dram", "set");
	check_count("any_read,any_response", "set");
	if (part->snoops[0])
		check_count("dmnd_rfo,local", "any snoop");
}

static void refused_attr(int log, const struct perf_event_attr *attr,
			 const char *terms, int group, int err, const char *text)
{
	uint64_t before = offcore_writes(false);
	char last[256] = "";
	int fd = uncore_open_attr(attr, 0, group);
	bool said = kmsg_has(log, text, last, sizeof(last));

	ksft_test_result(fd == -err && said && offcore_writes(false) == before,
			 "%s is refused: %s\n", terms, text);
	if (fd != -err || !said || offcore_writes(false) != before)
		ksft_print_msg("%s, %llu writes, log: %s\n",
			       fd < 0 ? strerror(-fd) : "taken",
			       (unsigned long long)(offcore_writes(false) - before), last);
	if (fd >= 0)
		close(fd);
}

static void refused(int log, const char *terms, int group, int err,
		    const char *text)
{
	struct perf_event_attr attr = offcore_encode(terms);

	refused_attr(log, &attr, terms, group, err, text);
}

/*
 * A word that newer kernels have in the structure, at @offset. The headers that
 * this is built with may be older.
 */
static void test_longer(int log, const char *word, size_t offset)
{
	struct {
		struct perf_event_attr attr;
		uint64_t more[4];
	} big = { .attr = offcore_encode("dmnd_data_rd,local_dram") };
	uint64_t *value = (void *)&big + offset;
	int fd;

	big.attr.size = offset + sizeof(*value);
	*value = 1;
	fd = uncore_open_attr(&big.attr, 0, -1);
	/* A kernel that does not have the word says E2BIG by itself. */
	if (fd == -E2BIG)
		ksft_test_result_skip("this kernel has no %s\n", word);
	else
		refused_attr(log, &big.attr, word, -1, EINVAL, word);
	if (fd >= 0)
		close(fd);
	*value = 0;
	fd = uncore_open_attr(&big.attr, 0, -1);
	ksft_test_result(fd >= 0, "a %s of 0 is taken\n", word);
	if (fd >= 0)
		close(fd);
}

/* What is wrong with an event whose terms are right */
static void test_refused_attrs(void)
{
	const struct perf_event_attr good = offcore_encode("dmnd_data_rd,local_dram");
	struct perf_event_attr attr;
	int log = kmsg_open();
	int fd;

	attr = good;
	attr.exclude_user = 1;
	attr.exclude_kernel = 1;
	refused_attr(log, &attr, "exclude_user with exclude_kernel", -1, EINVAL,
		     "nothing is left to count");

	test_longer(log, "config3", 128);
	test_longer(log, "config4", 136);

	if (!direct) {
		close(log);
		return;
	}
	attr = good;
	attr.exclude_host = 1;
	refused_attr(log, &attr, "exclude_host", -1, EINVAL, "exclude_host");
	attr = good;
	attr.exclude_idle = 1;
	refused_attr(log, &attr, "exclude_idle", -1, EINVAL, "exclude_idle");
	attr = good;
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY | PERF_SAMPLE_BRANCH_USER;
	refused_attr(log, &attr, "a branch stack", -1, EOPNOTSUPP,
		     "no branch stack");
	attr = good;
	attr.exclude_guest = 1;
	attr.exclude_hv = 1;
	fd = uncore_open_attr(&attr, 0, -1);
	ksft_test_result(fd >= 0, "exclude_guest and exclude_hv are taken: perf sets them\n");
	close(fd);
	close(log);
}

static bool has_remote(void)
{
	for (const char *const *s = part->suppliers; *s; s++) {
		if (!strcmp(*s, "remote"))
			return true;
	}
	return false;
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
	refused(log, part->snoops[0] ? "rsp=0x11001" : "rsp=0x104001", -1, EINVAL,
		part->snoops[0] ? "0x1000 of the response register are reserved" :
				"0x100000 of the response register are reserved");
	refused(log, "dmnd_data_rd,any_response,local_dram", -1, EINVAL,
		"beside any_response");
	refused(log, "dmnd_data_rd,any_response,llc_hit", -1, EINVAL,
		"beside any_response");
	snprintf(terms, sizeof(terms), "rsp=%#llx",
		 part->snoops[0] ? 1ull << 38 | 0x10001 : 0x14001);
	refused(log, terms, -1, EINVAL, "are reserved");
	refused(log, "dmnd_data_rd,any_response,config1=0x8000", -1, EINVAL,
		"bits 0x8000 of config1");
	refused(log, "dmnd_data_rd,any_response,config2=1", -1, EINVAL,
		"config2");
	if (part->snoops[0]) {
		refused(log, "dmnd_data_rd,any_response,hitm", -1, EINVAL,
			"beside any_response");
		refused(log, "dmnd_data_rd,hitm", -1, EINVAL,
			"without a supplier");
		refused(log, "dmnd_data_rd,local_dram,llc_hit", -1, EINVAL,
			"counts more than its responses");
		refused(log, "dmnd_data_rd,local_dram,hitm", -1, EINVAL,
			"counts more than its responses");
	}
	if (part->snoops[0] && has_remote()) {
		refused(log, "rsp=0x3f80800001", -1, EINVAL,
			"remote is all of the bits");
		refused(log, "rsp=0x7f810001", -1, EINVAL,
			"beside any_response");
		refused(log, "dmnd_data_rd,local_dram,remote_cache_hitm", -1, EINVAL,
			"counts more than its responses");
	}
	/* One value more than there are registers */
	for (unsigned int i = 0; i < regs; i++)
		fd[i] = offcore_open(values[i], 0, i ? fd[0] : -1);
	refused(log, values[regs], fd[0], EINVAL, "more values than");
	for (unsigned int i = regs; i--;)
		close(fd[i]);
	close(log);
}

/* The errno of a wrong event in a child without rights, and whether it ended well */
static bool refused_to_nobody(void)
{
	pid_t child = fork();
	int status;

	if (child < 0)
		ksft_exit_fail_msg("fork: %s\n", strerror(errno));
	if (!child) {
		if (setgid(65534) || setuid(65534))
			_exit(2);
		_exit(offcore_try("dmnd_data_rd", 0, -1) == -EINVAL ? 0 : 1);
	}
	return waitpid(child, &status, 0) == child && !status;
}

/* Who is told why: those who may count, as often as log_burst says */
static void test_log(void)
{
	const char *burst = "/sys/module/offcore_rsp/parameters/log_burst";
	const char *paranoid = "/proc/sys/kernel/perf_event_paranoid";
	char *before = read_text("%s", burst), *after, last[256];
	char *level = read_text("%s", paranoid);
	int log = kmsg_open();
	bool said, wrote;

	if (!before || !level || !write_text("-1", "%s", paranoid))
		ksft_exit_fail_msg("no %s, or no %s\n", burst, paranoid);
	wrote = write_text("-1", "%s", burst);
	after = read_text("%s", burst);
	ksft_test_result(!wrote && after && !strcmp(before, after),
			 "a negative log_burst is refused\n");
	wrote = refused_to_nobody();
	said = kmsg_has(log, "offcore_rsp:", last, sizeof(last));
	ksft_test_result(wrote && !said,
			 "a user without CAP_PERFMON is refused without a line in the log\n");
	wrote = write_text("0", "%s", burst);
	offcore_try("dmnd_data_rd", 0, -1);
	said = kmsg_has(log, "offcore_rsp: ", last, sizeof(last));
	ksft_test_result(wrote && !said, "log_burst=0: no line\n");
	write_text(before, "%s", burst);
	write_text(level, "%s", paranoid);
	free(level);
	free(before);
	free(after);
	close(log);
}

static void test_tasks_and_samples(void)
{
	struct perf_event_attr attr = offcore_encode("dmnd_data_rd,local_dram");
	int log = kmsg_open(), fd;
	char last[256];

	/* This task, on any CPU */
	fd = offcore_open_task(&attr, 0, -1);
	if (direct) {
		ksft_test_result(fd == -EINVAL &&
				 kmsg_has(log, "no counting of a task", last,
					  sizeof(last)),
				 "a task is refused without a core PMU\n");
		/* So perf 6.13 and later ask what a refused event may lack. */
		attr.exclude_guest = 1;
		fd = offcore_open_task(&attr, 0, -1);
		ksft_test_result(fd == -EINVAL &&
				 !kmsg_has(log, "offcore_rsp", last,
					   sizeof(last)),
				 "with exclude_guest it is refused without a line in the log\n");
		attr.exclude_guest = 0;
	} else {
		local_dram(0, "dmnd_data_rd", 4711);
		local_dram(1, "dmnd_data_rd", 11);
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

	/* The machine's core PMU has no PEBS either. */
	attr.sample_period = 0;
	attr.precise_ip = 1;
	fd = uncore_open_attr(&attr, 0, -1);
	ksft_test_result(fd == -EOPNOTSUPP &&
			 (!direct || kmsg_has(log, "no precise event", last, sizeof(last))),
			 "a precise event is refused\n");
	if (fd >= 0)
		close(fd);
	close(log);
}

/* Our event and the kernel's own at the same time, by the same transactions */
static void test_kernels_own(void)
{
	struct perf_event_attr attr;
	uint64_t a, b;
	int ours, own;

	if (direct) {
		ksft_test_result_skip("no cpu PMU to compare with\n");
		return;
	}
	ours = offcore_open("dmnd_data_rd,any_response", 0, -1);
	attr = offcore_kernels(offcore_value("dmnd_data_rd,any_response"));
	own = uncore_open_attr(&attr, 0, -1);
	if (own < 0)
		ksft_exit_fail_msg("the kernel's own event: %s\n",
				   strerror(-own));
	local_dram(0, "dmnd_data_rd", 12345);
	a = uncore_read(ours);
	b = uncore_read(own);
	ksft_test_result(a == b && a == 12345,
			 "ours and the kernel's own: %llu and %llu\n",
			 (unsigned long long)a, (unsigned long long)b);
	close(ours);
	close(own);
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
		fd[i] = offcore_open(terms[regs > 1 ? i : 0], 0, -1);
	local_dram(0, "dmnd_data_rd", 100);
	usleep(50000);
	for (int i = 0; i < 3; i++) {
		struct offcore_reading r = offcore_reading(fd[i]);

		good &= r.t.enabled == r.t.running &&
			r.count == (regs > 1 && i == 1 ? 0 : 100);
	}
	ksft_test_result(good, "three events of %u value(s) count at once\n",
			 regs > 1 ? 2 : 1);
	for (int i = 0; i < 3; i++)
		close(fd[i]);
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
	int fd = offcore_open("dmnd_data_rd,local_dram", 0, -1);
	char *text = read_text("/sys/kernel/debug/offcore_rsp/registers");

	ksft_test_result(text && strstr(text, "dmnd_data_rd,") &&
			 strstr(text, " counters "),
			 "debugfs shows the register and its counters\n");
	free(text);
	close(fd);
	if (direct)
		ksft_test_result(registers_clear(0),
				 "a released register is cleared\n");
	else
		ksft_test_result_skip("the kernel's PMU leaves a released register as it is\n");
}

/* Open and close of one event, for the least of some tries: others write, too */
static unsigned int cost(const struct perf_event_attr *attr)
{
	uint64_t before, least = -1;

	pin(0);
	for (int i = 0; i < 20; i++) {
		int fd;

		before = offcore_writes(true);
		fd = uncore_open_attr(attr, 0, -1);
		if (fd < 0)
			ksft_exit_fail_msg("an event to measure: %s\n",
					   strerror(-fd));
		close(fd);
		if (offcore_writes(true) - before < least)
			least = offcore_writes(true) - before;
	}
	return least;
}

static void test_cost(void)
{
	struct perf_event_attr ours = offcore_encode("dmnd_data_rd,any_response");
	struct perf_event_attr own =
		offcore_kernels(offcore_value("dmnd_data_rd,any_response"));
	/*
	 * What the kernel writes is measured where its core PMU is. Elsewhere,
	 * these are its numbers: PMC, RSP, 2 PERFEVTSEL, 4 GLOBAL_CTRL; on
	 * Nehalem and Westmere it resets the counters for their errata.
	 */
	unsigned int a = cost(&ours);
	unsigned int b = !direct ? cost(&own) : part->snoops[0] ? 8 : 24;

	ksft_test_result(a && a <= b,
			 "opening and closing writes %u registers, the kernel's own %u\n",
			 a, b);
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

/* Writes for a switch away and back: the least of many, as ticks add some */
static unsigned int switch_cost(int fd)
{
	unsigned int least = -1;

	if (fd < 0)
		ksft_exit_fail_msg("an event to measure: %s\n", strerror(-fd));
	for (int i = 0; i < 100; i++) {
		uint64_t before = offcore_writes(true);

		ping_pong();
		if (offcore_writes(true) - before < least)
			least = offcore_writes(true) - before;
	}
	close(fd);
	return least;
}

static void test_switch_cost(void)
{
	struct perf_event_attr ours = offcore_encode("dmnd_data_rd,any_response");
	struct perf_event_attr own =
		offcore_kernels(offcore_value("dmnd_data_rd,any_response"));
	unsigned int a, b;

	pin(0);
	ping_pong_start();
	a = switch_cost(uncore_open_attr(&ours, 0, -1));
	ksft_test_result(!a, "a context switch under a CPU's event writes %u registers\n",
			 a);
	if (direct) {
		ksft_test_result_skip("there are no task's events to switch\n");
	} else {
		a = switch_cost(offcore_open_task(&ours, 0, -1));
		b = switch_cost(offcore_open_task(&own, 0, -1));
		ksft_test_result(a && a <= b,
				 "a context switch of a task's event writes %u registers, with the kernel's own %u\n",
				 a, b);
	}
	ping_pong_end();
}

static void test_privilege(void)
{
	struct perf_event_attr user = offcore_encode("dmnd_data_rd,local_dram");
	struct perf_event_attr kernel = user;
	int u, k;

	user.exclude_kernel = 1;
	kernel.exclude_user = 1;
	u = uncore_open_attr(&user, 0, -1);
	k = uncore_open_attr(&kernel, 0, -1);
	if (u < 0 || k < 0)
		ksft_exit_fail_msg("exclude_kernel, exclude_user: %s\n",
				   strerror(-(u < 0 ? u : k)));
	local_dram(0, "dmnd_data_rd", 300);
	ksft_test_result(uncore_read(u) == 300 && uncore_read(k) == 0,
			 "user and kernel are told apart\n");
	close(u);
	close(k);
}

/* The judge itself: somebody else writes a register that is being counted. */
static void test_judge(void)
{
	uint64_t other = part->snoops[0] ? 0x10008 : 0x4008, bad = 1ull << 62;
	int fd = offcore_open("dmnd_data_rd,local_dram", 0, -1);
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
	const char *answer;
	char *text;

	ksft_print_header();
	offcore_init(argc, argv);
	text = read_text(OFFCORE_DIR "/caps/mode");
	ksft_test_result(text && !strcmp(text, argv[1]), "mode is %s\n", text);
	test_aliases();
	test_fields();
	test_sets();
	test_refusals();
	test_refused_attrs();
	test_log();
	test_tasks_and_samples();
	test_kernels_own();
	test_privilege();
	test_sharing();
	test_release();
	test_cost();
	test_switch_cost();

	ksft_test_result(!model_try(&answer, "core-pmu judge"),
			 "the judge has nothing to say\n");
	if (*answer)
		ksft_print_msg("%s", answer);
	test_judge();
	ksft_set_plan(ksft_test_num());
	ksft_finished();
}
