// SPDX-License-Identifier: GPL-2.0-only
/*
 * count kernel|direct: every name of offcore_rsp counts what lib/offcore.c says of it,
 * by the manual, on the model's cores; what a real kernel refuses, or has counted
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Refused with this line in the log, and without a write to a register */
static void refused(int log, const struct perf_event_attr *attr, int group,
		    const char *what, const char *text)
{
	uint64_t before = offcore_writes();
	char last[256] = "";
	int fd = uncore_open_attr(attr, 0, group);

	ksft_test_result(fd == -EINVAL && kmsg_has(log, text, last, sizeof(last)) &&
			 offcore_writes() == before,
			 "%s is refused: %s\n", what, text);
	if (fd >= 0)
		close(fd);
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
		refused(log, &big.attr, -1, word, word);
	if (fd >= 0)
		close(fd);
	*value = 0;
	fd = uncore_open_attr(&big.attr, 0, -1);
	ksft_test_result(fd >= 0, "a %s of 0 is taken\n", word);
	if (fd >= 0)
		close(fd);
}

static void test_refusals(void)
{
	static const char *const values[] = {
		"dmnd_data_rd,any_response", "dmnd_rfo,any_response",
		"wb,any_response",
	};
	static const struct {
		const char *terms, *text;
	} bad[] = {
		{ "dmnd_data_rd", "without a response" },
		{ "rsp=0", "without a request" },
		{ "rsp=0x8000000000000000", "are reserved" },
		{ "dmnd_data_rd,any_response,llc_hit", "beside any_response" },
		{ "dmnd_data_rd,any_response,config1=0x8000", "bits 0x8000 of config1" },
		{ "dmnd_data_rd,any_response,config2=1", "config2" },
	};
	int log = kmsg_open(), fd[3] = { -1, -1, -1 };
	struct perf_event_attr attr;

	for (unsigned int i = 0; i < ARRAY_SIZE(bad); i++) {
		attr = offcore_encode(bad[i].terms);
		refused(log, &attr, -1, bad[i].terms, bad[i].text);
	}
	/* One value more than there are registers */
	for (unsigned int i = 0; i < regs; i++)
		fd[i] = offcore_open(values[i], 0, i ? fd[0] : -1);
	attr = offcore_encode(values[regs]);
	refused(log, &attr, fd[0], values[regs], "more values than");
	for (unsigned int i = regs; i--;)
		close(fd[i]);
	test_longer(log, "config3", 128);
	test_longer(log, "config4", 136);
	close(log);
}

/* What only the core PMU can do */
static void test_tasks_and_samples(void)
{
	struct perf_event_attr attr = offcore_encode("dmnd_data_rd,local_dram");
	int task = offcore_open_task(&attr, 0, -1), sampling;

	attr.sample_period = 1000;
	sampling = uncore_open_attr(&attr, 0, -1);
	if (direct) {
		ksft_test_result(task == -EINVAL && sampling == -EOPNOTSUPP,
				 "without a core PMU tasks and samples are refused\n");
		return;
	}
	local_dram(0, "dmnd_data_rd", 4711);
	local_dram(1, "dmnd_data_rd", 11);
	ksft_test_result(task >= 0 && sampling >= 0 && uncore_read(task) == 4722,
			 "a task is counted exactly on two CPUs, and samples are taken\n");
	close(task);
	close(sampling);
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

/* The protocol checker: a register that is counted changes, or gets a reserved bit */
static void test_checker(void)
{
	const uint64_t other = part->snoops[0] ? 0x10008 : 0x4008, bad = 1ull << 62;
	int fd = offcore_open("dmnd_data_rd,local_dram", 0, -1);
	int msr = open("/dev/cpu/0/msr", O_WRONLY);
	const char *answer;

	ksft_test_result(pwrite(msr, &other, sizeof(other), 0x1a6) == sizeof(other) &&
			 model_try(&answer, "core-pmu judge") == 1 &&
			 strstr(answer, "while counter"),
			 "the protocol checker sees a register change under its counter\n");
	model("core-pmu judge reset");
	ksft_test_result(pwrite(msr, &bad, sizeof(bad), 0x1a6) < 0 &&
			 model_try(&answer, "core-pmu judge") == 1 &&
			 strstr(answer, "faults"),
			 "a reserved bit faults, and the protocol checker says so\n");
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
	if (part->snoops[0])
		check_count("dmnd_rfo,local", "any snoop");
	test_refusals();
	test_tasks_and_samples();
	test_kernels_own();
	test_privilege();
	ksft_test_result(!model_try(&answer, "core-pmu judge"),
			 "the protocol checker has nothing to say\n");
	if (*answer)
		ksft_print_msg("%s", answer);
	test_checker();
	ksft_set_plan(ksft_test_num());
	ksft_finished();
}
