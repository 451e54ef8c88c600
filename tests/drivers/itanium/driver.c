// SPDX-License-Identifier: GPL-2.0-only
/*
 * itanium_pmu on registers that check each access: load, refusals, counts, samples, sysfs and
 * unload
 *
 * driver [SEED]: only the random operations, with that seed
 * explore [deep|SCENARIO]: see mock-kernel/explore.h
 */
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "itanium/pmu.h"
#include "tests.h"

struct pmu *pmu;
int open_errno;
unsigned int row;
const struct itanium_ops *backend_ops;
/* Number of events per CPU that need ->sched_task */
static unsigned int watched[MOCK_CPUS];

static struct task_struct idle = { .flags = PF_KTHREAD };

const char *where(void)
{
	static char text[32];

	snprintf(text, sizeof(text), "row %u", row);
	return text;
}

void in_process(void (*test)(unsigned int n), unsigned int n)
{
	int status = 0;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (!pid) {
		unsigned int i;

		/* A test takes a fraction of a second. */
		setrlimit(RLIMIT_CPU, &(struct rlimit){ 10, 10 });
		mock_reset();
		for (i = 0; i < MOCK_CPUS; i++)
			mock_task[i] = &idle;
		faults = 0;
		checks = 0;
		test(n);
		if (!checks)
			fault("nothing was checked");
		fflush(NULL);
		_exit(!!faults);
	}
	if (wrong(pid < 0 || waitpid(pid, &status, 0) != pid || status))
		fault("status %#x", status);
}

static void sched_task(struct perf_event_context *ctx, bool sched_in)
{
	if (sched_in)
		itanium_capture_rearm(ITANIUM_CAPTURES);
}

void perf_sched_cb_inc(struct pmu *itanium)
{
	watched[mock_cpu]++;
}

void perf_sched_cb_dec(struct pmu *itanium)
{
	if (!watched[mock_cpu]--)
		fault("nobody watches the tasks of CPU %u", mock_cpu);
}

int itanium_backend_init(void)
{
	return on_ia64 ? backend_ia64_init() : backend_model_init();
}

void itanium_backend_exit(void)
{
	if (on_ia64)
		backend_ia64_exit();
	else
		backend_model_exit();
}

/* The driver may use only perf functions that ia64's kernel exports. */
int load(void)
{
	static struct itanium_ops ops;
	int ret = mock_init();

	pmu = mock_pmu("itanium");
	if (!pmu || on_ia64)
		return ret;
	backend_ops = itanium_ops;
	ops = *itanium_ops;
	ops.overflow = perf_event_overflow;
	ops.account = perf_event_account_interrupt;
	ops.sched_inc = perf_sched_cb_inc;
	ops.sched_dec = perf_sched_cb_dec;
	itanium_ops = &ops;
	pmu->sched_task = sched_task;
	return ret;
}

void task_comes(unsigned int cpu, struct task_struct *next)
{
	mock_task[cpu] = next;
	if (!watched[cpu])
		return;
	mock_disable(pmu, cpu);
	pmu->sched_task(NULL, true);
	mock_enable(pmu, cpu);
}

void unload(void)
{
	mock_exit();
	for (row = 0; row < MOCK_CPUS; row++)
		EXPECT(watched[row], 0);
	mock_check_left();
}

struct perf_event *open_attr(unsigned int cpu, const struct perf_event_attr *attr,
			     struct perf_event *leader)
{
	return mock_open(pmu, attr, cpu, leader, &open_errno);
}

struct perf_event *open_on(unsigned int cpu, u64 config)
{
	struct perf_event_attr attr = { .config = config };
	struct perf_event *event = open_attr(cpu, &attr, NULL);

	if (wrong(!event))
		fault("event %#llx is refused: %d", (unsigned long long)config, open_errno);
	return event;
}

u64 want_control(const struct perf_event_attr *attr)
{
	u64 c = attr->config;
	u64 mesi = c >> 16 & 0xf;
	bool has_mesi = (c & 0xff) == 0xdd || (c & 0xff) == 0xde ||
			(c & 0xff) == 0xda || (c & 0xff) == 0xdf;

	if (has_mesi && !mesi)
		mesi = 0xf;
	return (attr->exclude_kernel ? 0 : 1) | (attr->exclude_user ? 0 : 8) |
	       OI | 1 << 6 | (c & 0xff) << 8 | (c >> 8 & 0xf) << 16 |
	       (c >> 12 & 7) << 20 | 2 << 24 | (c >> 15 & 1) << 26 | mesi << 27;
}

static void run(const char *what, void (*test)(unsigned int n), unsigned int n)
{
	in_process(test, n);
	if (n)
		result("%s (seed %u)", what, n);
	else
		result("%s", what);
}

/* With either backend */
static void both(const char *what, void (*test)(unsigned int n), unsigned int n)
{
	on_ia64 = true;
	in_process(test, n);
	on_ia64 = false;
	run(what, test, n);
}

/* Half of the seeds draw a level. */
static void random_operations(unsigned int seed)
{
	level = seed & 2;
	both("whatever perf does, events count exactly", test_random, seed);
}

#define ROW_BOTH(name, what)	{ test_##name, what, true },
#define ROW_X86(name, what)	{ test_##name, what, false },
static const struct {
	void (*test)(unsigned int n);
	const char *what;
	bool both;
} tests[] = { TESTS(ROW_BOTH, ROW_X86) };

int main(int argc, char **argv)
{
	unsigned int i;

	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(program_invocation_short_name, "explore")) {
		test_explore(argv[1]);
		return tests_done(false);
	}
	if (argc > 1) {
		random_operations(atoi(argv[1]));
		return tests_done(false);
	}
	for (i = 0; i < ARRAY_SIZE(tests); i++) {
		/* Both readings of 3.3.11 */
		level = true;
		in_process(tests[i].test, 0);
		level = false;
		(tests[i].both ? both : run)(tests[i].what, tests[i].test, 0);
	}
	for (i = 1; i <= 16; i++)
		random_operations(i);
	return tests_done(true);
}
