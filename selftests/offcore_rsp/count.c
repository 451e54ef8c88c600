// SPDX-License-Identifier: GPL-2.0-only
/*
 * count [kernel|direct]: every name of offcore_rsp counts the transactions that the model's cores
 * call the same; refusals and counts that need a real kernel
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "api/model.h"
#include "api/offcore.h"
#include "api/test.h"

#define TERMS	"dmnd_data_rd,any_response"

static const struct offcore_names *const names = &offcore_names;

static bool match(const char *wanted, const char *name)
{
	return !wanted || !strcmp(wanted, name);
}

/*
 * Inject each transaction that the processor distinguishes, each a different number of times.
 * Returns how many match this kind; NULL matches any.
 */
static uint64_t everything(const char *request, const char *supplier, const char *snoop)
{
	static const char *const none[] = { "none", NULL };
	const char *const *snoops = names->snoop[0] ? names->snoop : none;
	uint64_t expect = 0;
	unsigned int k = 0;

	for (const char *const *r = names->request; *r; r++) {
		for (const char *const *s = names->supplier; *s; s++) {
			for (const char *const *p = snoops; *p; p++) {
				unsigned int count = 1 + ++k * 7919 % 1009;

				offcore_inject(0, *r, *s, names->snoop[0] ? *p : NULL, count,
					       false);
				if (match(request, *r) && match(supplier, *s) && match(snoop, *p))
					expect += count;
			}
		}
	}
	return expect;
}

static void check_count(const char *request, const char *supplier, const char *snoop)
{
	uint64_t expect, got;
	char terms[128];
	int fd;

	snprintf(terms, sizeof(terms), "%s,%s%s%s", request, supplier ?: "any_response",
		 snoop ? "," : "", snoop ?: "");
	fd = offcore_open(terms, 0, -1);
	if (!model_present()) {
		uncore_read(fd);
		close(fd);
		ksft_test_result_pass("%s opens and is read\n", terms);
		return;
	}
	expect = everything(request, supplier, snoop);
	got = uncore_read(fd);
	close(fd);
	test_result(got == expect && expect, "%s counts | %llu of %llu\n", terms,
		    (unsigned long long)got, (unsigned long long)expect);
}

/* Each name alone */
static void test_fields(void)
{
	for (const char *const *r = names->request; *r; r++)
		check_count(*r, NULL, NULL);
	for (const char *const *s = names->supplier; *s; s++)
		check_count("dmnd_rfo", *s, NULL);
	for (const char *const *p = names->snoop; *p; p++)
		check_count("dmnd_rfo", "local", *p);
}

/* test_offcore_names.py compares the aliases with Intel's lists. */
static void test_aliases(void)
{
	struct uncore_pmu pmu;
	char **alias;

	uncore_load(&pmu, "offcore_rsp");
	for (alias = uncore_aliases(&pmu); *alias; alias++) {
		int fd = offcore_open(uncore_alias(&pmu, *alias), 0, -1);

		if (model_present())
			everything(NULL, NULL, NULL);
		ksft_test_result(uncore_read(fd) || !model_present(), "%s %s\n", *alias,
				 model_present() ? "counts" : "opens and is read");
		close(fd);
	}
}

/* Refused with this log line */
static void refused(int log, int fd, const char *what, const char *text)
{
	char last[256] = "";

	ksft_test_result(fd == -EINVAL && kmsg_has(log, text, last, sizeof(last)),
			 "%s is refused: %s\n", what, text);
	close(fd);
}

static void test_longer(int log, const char *word, uint64_t config3, uint64_t config4)
{
	struct perf_event_attr attr = offcore_encode(TERMS);
	int fd = uncore_open_longer(&attr, config3, config4, -1, 0);

	if (fd == -E2BIG)
		ksft_test_result_skip("this kernel has no %s\n", word);
	else
		refused(log, fd, word, word);
}

/* tests/drivers/offcore has the other rules. */
static void test_refusals(void)
{
	int log = kmsg_open();

	refused(log, offcore_try("dmnd_data_rd", 0, -1), "a request alone", "without a response");
	test_longer(log, "config3", 1, 0);
	test_longer(log, "config4", 0, 1);
	close(log);
}

/*
 * Five events of one value: without hyper-threading a core has eight counters, of which four count
 * offcore responses. Who waits is not asked of the times, as a guest's clock may stand still from
 * tick to tick; whoever waited has missed all.
 */
static void test_counters(void)
{
	uint64_t count[5] = { 0 }, sum = 0;
	int fd[5], log = kmsg_open();
	bool whole = true;
	unsigned int i;

	for (i = 0; i < 5; i++)
		fd[i] = offcore_open(TERMS, 0, -1);
	offcore_inject_any(0, "dmnd_data_rd", 1000, false);
	for (i = 0; i < 5; i++) {
		count[i] = uncore_read(fd[i]);
		whole &= !count[i] || count[i] == 1000;
		sum += count[i];
		close(fd[i]);
	}
	test_result(whole && sum == 4000, "of five events four count and one waits | %llu %llu %llu %llu %llu of 1000\n",
		    (unsigned long long)count[0], (unsigned long long)count[1],
		    (unsigned long long)count[2], (unsigned long long)count[3],
		    (unsigned long long)count[4]);
	fd[0] = offcore_open(TERMS, 0, -1);
	for (i = 1; i < 4; i++)
		fd[i] = offcore_open(TERMS, 0, fd[0]);
	refused(log, offcore_try(TERMS, 0, fd[0]), "a group of five", "free counters (4)");
	while (i--)
		close(fd[i]);
	close(log);
}

/* Tasks and samples, which only the core PMU supports; its own event counts the same. */
static void test_core_pmu(void)
{
	struct perf_event_attr attr = offcore_encode(TERMS), raw = {
		.type = PERF_TYPE_RAW, .size = sizeof(raw), .config = 0x1b7,
		.config1 = offcore_value("dmnd_data_rd"), .read_format = UNCORE_READ_FORMAT,
	};
	int task = syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0), sampling, own;

	attr.sample_period = 1000;
	sampling = uncore_open_attr(&attr, 0, -1);
	if (offcore_direct) {
		ksft_test_result(task < 0 && sampling == -EOPNOTSUPP,
				 "without a core PMU tasks and samples are refused\n");
		return;
	}
	if (!model_present()) {
		ksft_test_result(task >= 0 && sampling >= 0, "tasks and samples are accepted\n");
		ksft_test_result_skip("an event counts what the kernel's own raw event does: needs injection\n");
		return;
	}
	own = uncore_open_attr(&raw, 0, -1);
	offcore_inject_any(0, "dmnd_data_rd", 4711, false);
	offcore_inject_any(1, "dmnd_data_rd", 11, false);
	ksft_test_result(task >= 0 && sampling >= 0 && uncore_read(task) == 4722,
			 "a task is counted exactly on two CPUs, and samples are taken\n");
	ksft_test_result(own >= 0 && uncore_read(own) == 4711 && uncore_read(sampling) == 4711,
			 "an event counts what the kernel's own raw event does\n");
	close(own);
	close(task);
	close(sampling);
}

static unsigned int nr_names(void)
{
	struct uncore_pmu pmu;
	unsigned int n = 0;

	for (const char *const *r = names->request; *r; r++)
		n++;
	for (const char *const *s = names->supplier; *s; s++)
		n++;
	for (const char *const *p = names->snoop; *p; p++)
		n++;
	uncore_load(&pmu, "offcore_rsp");
	for (char **alias = uncore_aliases(&pmu); *alias; alias++)
		n++;
	return n;
}

int main(int argc, char **argv)
{
	const char *mode;
	char *text;

	test_begin("offcore_rsp", "core-pmu checker");
	offcore_init(argc, argv);
	test_plan(nr_names() + (offcore_direct ? 5 : 6) + (model_present() ? 3 : 0));
	mode = offcore_direct ? "direct" : "kernel";
	text = read_text(OFFCORE_DIR "/caps/mode");
	ksft_test_result(text && !strcmp(text, mode), "mode is %s\n", text);
	test_fields();
	test_aliases();
	test_refusals();
	if (model_present())
		test_counters();
	test_core_pmu();
	if (model_present())
		ksft_test_result(model_silent(test_checker),
				 "the protocol checker has nothing to say about any name\n");
	test_end();
}
