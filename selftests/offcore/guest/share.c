// SPDX-License-Identifier: GPL-2.0-only
/*
 * share kernel|direct: events of offcore_rsp among others: groups, tasks
 * and their children, more values than registers, many of them, and CPUs that
 * go. Which value is in a register while a counter runs is the judge's to say.
 */
#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest.h"
#include "lib/model.h"
#include "lib/offcore.h"

static int open_or_die(struct perf_event_attr *attr, int cpu, int group)
{
	int fd = uncore_open_attr(attr, cpu, group);

	if (fd < 0)
		ksft_exit_fail_msg("type %u, config %#llx on CPU %d: %s\n",
				   attr->type, (unsigned long long)attr->config,
				   cpu, strerror(-fd));
	return fd;
}

static struct perf_event_attr attr_of(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr) {
		.type = type,
		.size = sizeof(struct perf_event_attr),
		.config = config,
		.read_format = UNCORE_READ_FORMAT,
	};
}

/* A group of one of ours and another's event, either of them the leader */
static void test_mixed_group(const char *what, uint32_t type, uint64_t config)
{
	struct perf_event_attr other = attr_of(type, config);
	struct perf_event_attr ours =
		offcore_encode("dmnd_data_rd,local_dram");

	for (int lead = 0; lead < 2; lead++) {
		struct uncore_times t;
		uint64_t counts[2];
		int leader, second;

		leader = open_or_die(lead ? &ours : &other, 0, -1);
		second = open_or_die(lead ? &other : &ours, 0, leader);
		local_dram(0, "dmnd_data_rd", 1234);
		uncore_read_group(leader, 2, counts, &t);
		ksft_test_result(counts[!lead] == 1234 && counts[lead] &&
				 t.enabled == t.running && t.running,
				 "%s and an offcore event in one group, %s leads: %llu of 1234, and %llu\n",
				 what, lead ? "offcore" : what,
				 (unsigned long long)counts[!lead],
				 (unsigned long long)counts[lead]);
		close(second);
		close(leader);
	}
}

static void test_groups(void)
{
	test_mixed_group("task-clock", PERF_TYPE_SOFTWARE,
			 PERF_COUNT_SW_CPU_CLOCK);
	if (direct)
		ksft_test_result_skip("no cpu PMU to have a group with\n");
	else
		test_mixed_group("cycles", PERF_TYPE_HARDWARE,
				 PERF_COUNT_HW_CPU_CYCLES);
}

/* A group of ours and of the kernel's own raw events for either register */
static void test_raw_group(void)
{
	static const char *const terms[] = {
		"dmnd_data_rd,local_dram", "dmnd_rfo,local_dram", "wb,any_response",
	};
	struct perf_event_attr raw = offcore_kernels(offcore_value(terms[1]));
	int log = kmsg_open(), leader, ours, third;
	uint64_t counts[2];
	struct uncore_times t;
	char last[256];

	if (direct) {
		ksft_test_result_skip("no cpu PMU to have a group with\n");
		close(log);
		return;
	}
	/* On Nehalem, which has no second register, it is an event of its own. */
	raw.config = 0x1bb;
	if (regs < 2)
		raw.config1 = 0;
	leader = open_or_die(&raw, 0, -1);
	ours = offcore_try(terms[0], 0, leader);
	if (ours >= 0) {
		local_dram(0, "dmnd_data_rd", 12);
		local_dram(0, "dmnd_rfo", 34);
		uncore_read_group(leader, 2, counts, &t);
	}
	ksft_test_result(ours >= 0 && counts[1] == 12 &&
			 counts[0] == (regs > 1 ? 34 : 0) &&
			 t.enabled == t.running,
			 "the kernel's raw 0x1bb and an event of ours in one group\n");
	third = offcore_try(terms[2], 0, leader);
	ksft_test_result(regs > 1 ? third == -EINVAL &&
			 kmsg_has(log, "more values than", last, sizeof(last)) :
			 third == -EINVAL,
			 "and one value more is refused\n");
	if (third >= 0)
		close(third);
	if (ours >= 0)
		close(ours);
	close(leader);
	close(log);
	/* It says that Nehalem has no such register, which we know. */
	if (regs < 2)
		model("core-pmu judge reset");
}

/* LLC-loads and LLC-load-misses have a register each, if there are two. */
static void test_cache_group(void)
{
	static const uint64_t results[] = {
		PERF_COUNT_HW_CACHE_RESULT_ACCESS, PERF_COUNT_HW_CACHE_RESULT_MISS,
	};
	int fd[2] = { -1, -1 }, ours, log = kmsg_open();
	char last[256];

	if (direct) {
		ksft_test_result_skip("no cpu PMU to have a group with\n");
		close(log);
		return;
	}
	for (unsigned int i = 0; i < regs; i++) {
		struct perf_event_attr attr = attr_of(PERF_TYPE_HW_CACHE,
			PERF_COUNT_HW_CACHE_LL | results[i] << 16);

		fd[i] = open_or_die(&attr, 0, i ? fd[0] : -1);
	}
	ours = offcore_try("wb,any_response", 0, fd[0]);
	ksft_test_result(ours == -EINVAL &&
			 kmsg_has(log, "each LLC-* and node-* event takes one", last,
				  sizeof(last)),
			 "beside %u LLC events a value more is refused with a reason\n",
			 regs);
	for (unsigned int i = regs; i--;)
		close(fd[i]);
	close(log);
}

/* More events than counters, all of one value: refused, and the log says so. */
static void test_big_group(void)
{
	int fd[16], log = kmsg_open();
	unsigned int n = 0;
	char last[256];
	uint64_t reg;

	for (char name[16] = "PMC0"; offcore_reg(0, name, &reg); n++)
		snprintf(name, sizeof(name), "PMC%u", n + 1);
	for (unsigned int i = 0; i < n; i++)
		fd[i] = offcore_open("dmnd_data_rd,local_dram", 0,
				     i ? fd[0] : -1);
	fd[n] = offcore_try("dmnd_data_rd,local_dram", 0, fd[0]);
	ksft_test_result(fd[n] == -EINVAL &&
			 kmsg_has(log, "more events than there are free counters",
				  last, sizeof(last)),
			 "a group of %u events on %u counters is refused\n",
			 n + 1, n);
	for (unsigned int i = n; i--;)
		close(fd[i]);
	close(log);
}

static void in_child(void (*fn)(void))
{
	pid_t child = fork();
	int status;

	if (child < 0)
		ksft_exit_fail_msg("fork: %s\n", strerror(errno));
	if (!child) {
		fn();
		_exit(0);
	}
	if (waitpid(child, &status, 0) != child || status)
		ksft_exit_fail_msg("a child failed\n");
}

static void grandchild(void)
{
	local_dram(1, "dmnd_data_rd", 100);
}

static void child(void)
{
	local_dram(1, "dmnd_data_rd", 20);
	in_child(grandchild);
	local_dram(0, "dmnd_data_rd", 3);
}

/* A task's event goes to its children, and comes back with their counts. */
static void test_inherit(void)
{
	struct perf_event_attr attr = offcore_encode("dmnd_data_rd,local_dram");
	uint64_t count;
	int fd;

	attr.inherit = 1;
	attr.read_format = 0;
	fd = offcore_open_task(&attr, 0, -1);
	if (direct) {
		ksft_test_result(fd == -EINVAL,
				 "no event of a task without a core PMU\n");
		return;
	}
	if (fd < 0)
		ksft_exit_fail_msg("an inherited event: %s\n", strerror(-fd));
	local_dram(0, "dmnd_data_rd", 4000);
	in_child(child);
	if (read(fd, &count, sizeof(count)) != sizeof(count))
		ksft_exit_fail_msg("read: %s\n", strerror(errno));
	ksft_test_result(count == 4123,
			 "children's children count for the task: %llu of 4123\n",
			 (unsigned long long)count);
	close(fd);
}

static uint64_t rdpmc(uint32_t counter)
{
	uint32_t low, high;

	asm volatile("rdpmc" : "=a" (low), "=d" (high) : "c" (counter));
	return low | (uint64_t)high << 32;
}

/* The page that a user maps is the core PMU's: reading without a system call */
static void test_user_read(void)
{
	struct perf_event_attr attr = offcore_encode("dmnd_data_rd,local_dram");
	struct perf_event_mmap_page *page;
	int64_t value;
	int fd;

	if (direct) {
		ksft_test_result_skip("no RDPMC without the kernel's core PMU\n");
		return;
	}
	pin(0);
	fd = offcore_open_task(&attr, 0, -1);
	if (fd < 0)
		ksft_exit_fail_msg("a task's event: %s\n", strerror(-fd));
	page = mmap(NULL, sysconf(_SC_PAGESIZE), PROT_READ, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		ksft_exit_fail_msg("mmap: %s\n", strerror(errno));
	local_dram(0, "dmnd_data_rd", 55555);
	for (uint32_t seq = 1, again = 0; seq != again;) {
		seq = page->lock;
		asm volatile("" ::: "memory");
		value = page->offset;
		if (page->cap_user_rdpmc && page->index) {
			unsigned int unused = 64 - page->pmc_width;
			uint64_t raw = rdpmc(page->index - 1);

			value += (int64_t)(raw << unused) >> unused;
		}
		asm volatile("" ::: "memory");
		again = page->lock;
	}
	ksft_test_result(page->cap_user_rdpmc && page->index && value == 55555,
			 "rdpmc by the mapped page: %lld of 55555\n",
			 (long long)value);
	munmap(page, sysconf(_SC_PAGESIZE));
	close(fd);
}

/* Three values whose counters the model can tell apart: by their ring */
static const struct {
	const char *request;
	bool usr, os;
} three[] = {
	{ "dmnd_data_rd", true, true },
	{ "dmnd_rfo", true, false },
	{ "wb", false, true },
};

#define ROUNDS	150

static struct perf_event_attr one_of_three(unsigned int i)
{
	struct perf_event_attr attr;
	char terms[64];

	snprintf(terms, sizeof(terms), "%s,local_dram", three[i].request);
	attr = offcore_encode(terms);
	attr.exclude_user = !three[i].usr;
	attr.exclude_kernel = !three[i].os;
	model("core-pmu expect usr=%d,os=%d,rsp=%#llx", three[i].usr,
	      three[i].os, (unsigned long long)offcore_value(terms));
	return attr;
}

static bool judge_is_silent(void)
{
	const char *answer;

	if (!model_try(&answer, "core-pmu judge"))
		return true;
	ksft_print_msg("%s", answer);
	model("core-pmu judge reset");
	return false;
}

/*
 * Three values on each of the CPUs, more than there are registers: they take
 * turns, and no counter ever runs with the value of another. With one register
 * for two threads @all need not get a turn: neither thread gives way to the
 * other's value.
 */
static void test_multiplex(unsigned int cpus)
{
	unsigned int nr = ARRAY_SIZE(three), waited = 0, counted = 0;
	int fd[2][ARRAY_SIZE(three)];
	bool possible = true, silent;

	judge_is_silent();
	for (unsigned int c = 0; c < cpus; c++) {
		for (unsigned int i = 0; i < nr; i++) {
			struct perf_event_attr attr = one_of_three(i);

			fd[c][i] = open_or_die(&attr, c, -1);
		}
	}
	for (int k = 0; k < ROUNDS; k++) {
		for (unsigned int c = 0; c < cpus; c++) {
			for (unsigned int i = 0; i < nr; i++)
				happen(c, three[i].request,
				       part->local,
				       "snp_miss", 1, !three[i].usr);
		}
		usleep(2000);
	}
	for (unsigned int c = 0; c < cpus; c++) {
		for (unsigned int i = 0; i < nr; i++) {
			struct offcore_reading r = offcore_reading(fd[c][i]);

			waited += r.t.running < r.t.enabled;
			counted += r.count > 0;
			possible &= r.count <= ROUNDS && !!r.count <= !!r.t.running;
			ksft_print_msg("CPU %u, %s: %llu of %u in %llu%% of the time\n",
				       c, three[i].request,
				       (unsigned long long)r.count, ROUNDS,
				       (unsigned long long)(r.t.running * 100 /
							    r.t.enabled));
			close(fd[c][i]);
		}
	}
	silent = judge_is_silent();
	ksft_test_result(waited >= nr - regs && counted >= nr && possible && silent,
			 "three values on each of %u CPU(s), %u register(s): %u of %u waited, %u counted, each with its own value\n",
			 cpus, regs, waited, cpus * nr, counted);
	model("core-pmu expect reset");
}

/* Tasks of one CPU, each with a value of its own: each switch changes it. */
static void task(unsigned int i, int cpu)
{
	struct perf_event_attr attr = one_of_three(i);
	uint64_t expect = 0;
	int fd;

	pin(cpu);
	fd = offcore_open_task(&attr, 0, -1);
	if (fd < 0)
		_exit(2);
	for (unsigned int k = 1; k <= ROUNDS; k++) {
		for (unsigned int j = 0; j < ARRAY_SIZE(three); j++)
			happen(cpu, three[j].request,
			       part->local,
			       "snp_miss", k, !three[j].usr);
		expect += k;
		sched_yield();
	}
	struct offcore_reading r = offcore_reading(fd);

	/* A turn that the other thread did not give is seen in the times. */
	if (r.t.running == r.t.enabled ? r.count != expect : r.count > expect)
		_exit(3);
	_exit(r.t.running ? 0 : 4);
}

static void test_switches(void)
{
	unsigned int ran = 0, bad = 0, cpus = threads;
	pid_t pid[2 * ARRAY_SIZE(three)];

	if (direct) {
		ksft_test_result_skip("no events of tasks\n");
		return;
	}
	judge_is_silent();
	for (unsigned int i = 0; i < cpus * ARRAY_SIZE(three); i++) {
		pid[i] = fork();
		if (pid[i] < 0)
			ksft_exit_fail_msg("fork: %s\n", strerror(errno));
		if (!pid[i])
			task(i % ARRAY_SIZE(three), i / ARRAY_SIZE(three));
	}
	for (unsigned int i = 0; i < cpus * ARRAY_SIZE(three); i++) {
		int status;

		waitpid(pid[i], &status, 0);
		if (!WIFEXITED(status))
			ksft_exit_fail_msg("a task died\n");
		/* 4: its value was never let in, which it said itself */
		ran += WEXITSTATUS(status) == 0;
		bad += WEXITSTATUS(status) != 0 &&
		       (WEXITSTATUS(status) != 4 || threads == 1);
	}
	ksft_test_result(!bad && ran && judge_is_silent(),
			 "tasks with values of their own on %u CPU(s): %u counted, %u wrong\n",
			 cpus, ran, bad);
	model("core-pmu expect reset");
}

/* A thousand events at once, of a few values; afterwards all is as before. */
static void test_many(void)
{
	static const char *const terms[] = {
		"dmnd_data_rd,local_dram", "dmnd_rfo,local_dram",
		"wb,any_response", "any_request,any_response",
	};
	struct rlimit limit = { 2048, 2048 };
	unsigned int opened = 0, good = 0;
	static int fd[1000];
	int one;

	if (setrlimit(RLIMIT_NOFILE, &limit))
		ksft_exit_fail_msg("setrlimit: %s\n", strerror(errno));
	for (unsigned int i = 0; i < ARRAY_SIZE(fd); i++) {
		fd[i] = offcore_try(terms[i % ARRAY_SIZE(terms)], i & 1, -1);
		opened += fd[i] >= 0;
	}
	local_dram(0, "dmnd_data_rd", 7);
	for (unsigned int i = 0; i < ARRAY_SIZE(fd); i++) {
		struct offcore_reading r;

		if (fd[i] < 0)
			continue;
		r = offcore_reading(fd[i]);
		good += r.count == 0 || (r.count == 7 && r.t.running);
		close(fd[i]);
	}
	ksft_test_result(opened == ARRAY_SIZE(fd) && good == opened,
			 "%u events at once, %u of them possible\n", opened,
			 good);
	one = offcore_open("dmnd_data_rd,local_dram", 0, -1);
	local_dram(0, "dmnd_data_rd", 99);
	ksft_test_result(uncore_read(one) == 99, "and then one, exact\n");
	close(one);
}

/* What a CPU counted before it went is not lost. */
static void test_gone(void)
{
	int gone = offcore_open("dmnd_data_rd,local_dram", 1, -1);
	int stays = offcore_open("dmnd_data_rd,local_dram", 0, -1);
	bool good;

	local_dram(1, "dmnd_data_rd", 31);
	local_dram(0, "dmnd_data_rd", 10);
	good = cpu_online(1, false);
	local_dram(0, "dmnd_data_rd", 20);
	ksft_test_result(good && uncore_read(gone) == 31,
			 "an event keeps its count when its CPU goes\n");
	good = offcore_try("dmnd_data_rd,local_dram", 1, -1) == -ENODEV;
	ksft_test_result(good, "a CPU that is gone is refused\n");
	good = cpu_online(1, true);
	local_dram(0, "dmnd_data_rd", 30);
	ksft_test_result(good && uncore_read(stays) == 60,
			 "CPU 1 goes and comes while CPU 0 counts\n");
	close(gone);
	gone = offcore_open("dmnd_data_rd,local_dram", 1, -1);
	local_dram(1, "dmnd_data_rd", 77);
	ksft_test_result(uncore_read(gone) == 77,
			 "CPU 1 counts after it came back\n");
	close(gone);
	close(stays);
}

int main(int argc, char **argv)
{
	ksft_print_header();
	offcore_init(argc, argv);
	test_groups();
	test_raw_group();
	test_cache_group();
	test_big_group();
	test_inherit();
	test_user_read();
	test_multiplex(1);
	test_multiplex(2);
	test_switches();
	test_many();
	test_gone();
	ksft_test_result(judge_is_silent(), "the judge has nothing to say\n");
	ksft_set_plan(ksft_test_num());
	ksft_finished();
}
