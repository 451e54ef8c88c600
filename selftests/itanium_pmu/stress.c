// SPDX-License-Identifier: GPL-2.0-only
/*
 * The itanium PMU with many users, CPU hotplug, and overflows at any time. Afterwards events count
 * exactly.
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/wait.h>

#include "ring.h"

static bool exited_well(pid_t child)
{
	int status;

	return waitpid(child, &status, 0) == child && !status;
}

/* Up to two */
static int cpus;

static bool multiplexed(int fd)
{
	struct reading r = event_read(fd);

	return r.running && r.running < r.enabled;
}

/* Size of two inherited groups that are multiplexed */
static void test_groups(void)
{
	static const uint64_t config[2][3] = {
		{ 0xc8 | EAR(1, 0), LOADS, LOADS },
		{ 0xc8 | EAR(1, 4), LOADS, LOADS },
	};
	/* Longer than perf's turns; on x86 its commands take long by themselves. */
	const int each = HAS_MODEL ? 10 : 4000;
	unsigned long long v[2][3], most = 3 * 400 * each;
	int fd[2][3], g, i, bad = 0;
	pid_t child[3];

	for (g = 0; g < 2; g++) {
		for (i = 0; i < 3; i++) {
			struct perf_event_attr attr = loop_attr(config[g][i]);

			attr.inherit = 1;
			fd[g][i] = event_open(&attr, 0, -1, i ? fd[g][0] : -1);
		}
	}
	for (i = 0; i < ARRAY(child); i++) {
		child[i] = fork();
		if (!child[i]) {
			int k, tries = 100000;

			for (k = 0; k < 400; k++) {
				/* perf multiplexes in a tick, which a busy host makes late. */
				while (k == 200 && tries-- &&
				       !(multiplexed(fd[0][0]) && multiplexed(fd[1][0])))
					;
				pin(k / 50 % cpus);
				loads(each);
			}
			_exit(0);
		}
	}
	for (i = 0; i < ARRAY(child); i++)
		bad += !exited_well(child[i]);
	pin(0);
	for (g = 0; g < 2; g++) {
		bad += !multiplexed(fd[g][0]);
		for (i = 0; i < 3; i++) {
			v[g][i] = count_of(fd[g][i]);
			close(fd[g][i]);
		}
	}
	/* Each injection hits one of the two groups, or none. */
	test_result(!bad && v[0][1] == v[0][2] && v[1][1] == v[1][2] &&
		    v[0][1] + v[1][1] <= most && v[0][1] + v[1][1],
		    "inherited groups that are multiplexed | %llu and %llu, %llu and %llu, of %llu\n",
		    v[0][1], v[0][2], v[1][1], v[1][2], most);
}

static struct perf_event_attr loop_samples(uint64_t period)
{
	struct perf_event_attr attr = loop_attr(LOADS);

	attr.sample_period = period;
	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_PERIOD;
	return attr;
}

/*
 * A task samples itself on any CPU while CPU 1 goes offline and online. If an event leaves its CPU
 * between its overflow and the interrupt, the sample comes with the next event: one may be due.
 */
static void test_hotplug(int times)
{
	struct perf_event_attr attr = loop_samples(10);
	int stop[2], i, k, bad = 0;
	pid_t child[2];
	char c;

	if (pipe(stop))
		return;
	for (i = 0; i < ARRAY(child); i++) {
		child[i] = fork();
		if (!child[i]) {
			struct ring r = ring_open(&attr);
			unsigned long long asked = 0, got = 0;
			cpu_set_t set;

			close(stop[1]);
			fcntl(stop[0], F_SETFL, O_NONBLOCK);
			while (read(stop[0], &c, 1) < 0) {
				CPU_ZERO(&set);
				CPU_SET(asked / 30 % 2, &set);
				/* Fails while CPU 1 is offline */
				sched_setaffinity(0, sizeof(set), &set);
				for (k = 0; k < 3; k++)
					loads(10);
				asked += 30;
				got += ring_take(&r);
			}
			bad = count_of(r.fd) != asked || asked / 10 - got > 1;
			if (bad)
				ksft_print_msg("task %d: %lld of %llu, %llu samples\n", i,
					       (long long)count_of(r.fd), asked, got);
			_exit(bad);
		}
	}
	close(stop[0]);
	for (k = 0; k < times; k++) {
		struct ring all = ring_open_on(&attr, -1, 1);
		int counting = event_open(&attr, -1, 1, -1);

		usleep(20000);
		write_file("/sys/devices/system/cpu/cpu1/online", 0);
		/* One is closed while its CPU is offline, and one comes back first. */
		ring_close(&all);
		write_file("/sys/devices/system/cpu/cpu1/online", 1);
		close(counting);
	}
	close(stop[1]);
	for (i = 0; i < ARRAY(child); i++)
		bad += !exited_well(child[i]);
	test_result(!bad, "two tasks that sample while a CPU goes offline | %d times, %d wrong\n", times,
		    bad);
}

/*
 * Causes events on @cpu until it is killed. A CPU that goes offline loses its tasks, even if it
 * stays. The model takes 10000 injections while a CPU has not ended its interrupt: pause, as that
 * takes its time.
 */
static pid_t run_on(int cpu)
{
	pid_t child = fork();
	cpu_set_t set;

	if (child)
		return child;
	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	for (;;) {
#ifdef __ia64__
		if (!sched_setaffinity(0, sizeof(set), &set))
			loads(7);
#else
		model_try(NULL, "montecito cpu=%d event event=0xcd,ip=%p,count=7", cpu, work_start);
#endif
		usleep(500);
	}
}

/* The number of a state of CPU hotplug */
static int hotplug_state(const char *name)
{
	FILE *in = fopen("/sys/devices/system/cpu/hotplug/states", "r");
	int state = -1, number;
	char text[100];

	while (in && state < 0 && fscanf(in, "%d: %99s", &number, text) == 2)
		if (!strcmp(text, name))
			state = number;
	if (in)
		fclose(in);
	return state;
}

/* perf's own callback keeps CPU 1 online after the driver's has masked its interrupt. */
static void test_stays_online(int times)
{
	struct perf_event_attr attr = loop_samples(10);
	struct ring r = ring_open_on(&attr, -1, 1);
	int state = hotplug_state("perf:online"), k, tries, refused = 0, stuck = 0;
	pid_t child = run_on(1);

	for (k = 0; k < times && !stuck; k++) {
		unsigned long long before;

		write_file("/sys/devices/system/cpu/cpu1/hotplug/fail", state);
		refused += !write_text("0", "/sys/devices/system/cpu/cpu1/online");
		before = count_of(r.fd);
		for (tries = 0; tries < 200 && count_of(r.fd) == before; tries++) {
			ring_take(&r);
			usleep(10000);
		}
		stuck = tries == 200;
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	ring_close(&r);
	test_result(!stuck && refused == times, "a CPU that stays online counts on | %d times%s\n",
		    refused, stuck ? ", then no more" : "");
}

/*
 * Another CPU causes events while this one's is stopped and started all the time: sampling goes
 * on, with at most a sample for each period. On an Itanium it is the other thread of the core.
 */
static void test_race(int rounds)
{
	int *round = mmap(NULL, sizeof(*round), PROT_READ | PROT_WRITE,
			  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	/* On an Itanium, what reads a sample has to be shorter than a period. */
	const unsigned int period = HAS_MODEL ? 5 : 20000;
	struct perf_event_attr attr = sample_attr(0x08 | (HAS_MODEL ? 0 : ALL_THREADS), period);
	struct ring r;
	unsigned long long got = 0, counted;
	int i, seen = 0;
	pid_t child;

	attr.exclude_kernel = !HAS_MODEL;
	r = ring_open_on(&attr, -1, 0);
	if (round == MAP_FAILED)
		ksft_exit_fail_msg("memory to share: %s\n", strerror(errno));
	child = fork();
	if (!child) {
		pin(1);
		for (;;) {
			while (__atomic_load_n(round, __ATOMIC_RELAXED) == seen)
				sched_yield();
			seen = __atomic_load_n(round, __ATOMIC_RELAXED);
			if (HAS_MODEL)
				model("montecito cpu=0 event event=8,count=1");
			else
				loads(10000);
		}
	}
	/* The other CPU may get little of the host's time, and so cause few events. */
	for (i = 1; i <= rounds || (!got && i <= 100 * rounds); i++) {
		__atomic_store_n(round, i, __ATOMIC_RELAXED);
		ioctl(r.fd, PERF_EVENT_IOC_DISABLE, 0);
		ioctl(r.fd, PERF_EVENT_IOC_ENABLE, 0);
		got += ring_take(&r);
	}
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	counted = count_of(r.fd);
	got += ring_take(&r);
	/* Overflows that are put off for a whole period share a sample. */
	test_result(got && got <= counted / period + 1,
		    "overflows while the event is stopped and started | %llu samples of %llu events\n",
		    got, counted);
	ring_close(&r);
}

static int threads_of_core(void)
{
	char *list = read_text("/sys/devices/system/cpu/cpu0/topology/thread_siblings_list");
	int threads = list && strpbrk(list, ",-") ? 2 : 1;

	free(list);
	return threads;
}

int main(int argc, char **argv)
{
	int times = argc > 1 ? atoi(argv[1]) : 20;

	cpus = sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 2 : 1;
	begin(4);
	sample_rate(RATE);
	test_groups();
	if (can_run("CPU hotplug", cpus > 1, "there is one processor"))
		test_hotplug(times);
	if (can_run("a CPU that stays online", cpus > 1, "there is one processor"))
		test_stays_online(times);
	if (can_run("overflows by another CPU", HAS_MODEL || threads_of_core() > 1,
		    "the core has one thread"))
		test_race(times * (HAS_MODEL ? 1000 : 100));
	finish();
}
