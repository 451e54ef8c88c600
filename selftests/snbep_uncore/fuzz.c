// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz [-n OPENS] [-s SEED]: open events of all our loaded modules from several threads, alone, in
 * groups, of CPUs and tasks, with flags of perf_event_attr changed, and read, map, inherit and
 * close them, while CPUs go offline and online. No count decreases; afterwards no module is in use,
 * the protocol checker reports nothing, and a new event of each module counts exactly.
 *
 * A thread's operations follow from the seed and what became of its events. Encodings are for
 * tests/drivers/, which are faster.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "api/canary.h"
#include "api/model.h"
#include "api/offcore.h"
#include "api/test.h"
#include "api/uncore.h"

#define DEVICES		"/sys/bus/event_source/devices"
#define WORKERS		3
#define MAX_EVENTS	24	/* of a worker, at a time */
#define MAX_PMUS	32

static const char * const modules[] = { "snbep_uncore", "offcore_rsp", "itanium_pmu" };

static struct uncore_pmu pmus[MAX_PMUS];
static char **aliases[MAX_PMUS];
static unsigned int nr_pmus, nr_cpus;
/* Before Linux 6.2, itanium_pmu cannot be unloaded once it has counted a task. */
static bool old_kernel;
static unsigned long long opens = 10000;
static atomic_ullong opened, refused;
static atomic_uint backward;
static atomic_bool working = true;

struct event {
	int fd, leader;		/* its own leader, or the group's */
	uint64_t last;
	bool plain;		/* read() returns its count alone */
	const struct uncore_pmu *pmu;
	int cpu;
};

struct worker {
	pthread_t thread;
	uint64_t state;
	struct event event[MAX_EVENTS];
	unsigned int nr;
};

/* xorshift64*: return a number below @n. */
static uint32_t rnd(struct worker *w, uint32_t n)
{
	w->state ^= w->state >> 12;
	w->state ^= w->state << 25;
	w->state ^= w->state >> 27;
	return (w->state * 2685821657736338717ull >> 32) % n;
}

static void find_pmus(void)
{
	struct dirent *d;
	DIR *dir = opendir(DEVICES);

	while ((d = readdir(dir)) && nr_pmus < MAX_PMUS) {
		if (strncmp(d->d_name, "snbep_uncore_", 13) && strcmp(d->d_name, "offcore_rsp") &&
		    strcmp(d->d_name, "itanium"))
			continue;
		if (uncore_load(&pmus[nr_pmus], d->d_name))
			aliases[nr_pmus] = uncore_aliases(&pmus[nr_pmus]);
		nr_pmus += !!aliases[nr_pmus];
	}
	closedir(dir);
}

/* An alias that needs no value */
static struct uncore_enc draw_alias(struct worker *w, const struct uncore_pmu *pmu)
{
	char **names = aliases[pmu - pmus], *text;
	struct uncore_enc enc;
	unsigned int n = 0;
	bool ask;

	while (names[n])
		n++;
	do {
		text = uncore_alias(pmu, names[rnd(w, n)]);
		ask = strchr(text, '?');
		if (!ask)
			uncore_encode(pmu, text, &enc);
		free(text);
	} while (ask);
	return enc;
}

/* The flags after read_format, from disabled to remove_on_exec; sigtrap would kill us. */
#define FLAGS	37

static void change_attr(struct worker *w, struct perf_event_attr *attr)
{
	switch (rnd(w, 6)) {
	case 0:
		attr->sample_period = 100 + rnd(w, 100000);
		break;
	case 1:
		attr->read_format = rnd(w, 64);
		break;
	case 2:
		attr->sample_type = rnd(w, 1u << 25);
		break;
	case 3:
		attr->branch_sample_type = rnd(w, 1u << 18);
		break;
	default:
		(&attr->read_format)[1] ^= 1ull << rnd(w, FLAGS);
		break;
	}
}

static void open_one(struct worker *w)
{
	const struct uncore_pmu *pmu = &pmus[rnd(w, nr_pmus)];
	struct perf_event_attr attr = { .size = sizeof(attr), .disabled = rnd(w, 2) };
	int cpu = rnd(w, nr_cpus), pid = -1, group = -1, fd;
	struct uncore_enc enc;

	/*
	 * Linux breaks up the groups of a CPU that goes offline, and takes new members all the same
	 * (regroup.c), so groups are on CPU 0, which stays.
	 */
	if (w->nr && rnd(w, 2)) {
		const struct event *member = &w->event[rnd(w, w->nr)];

		pmu = member->pmu;
		cpu = member->cpu;
		group = cpu ? -1 : member->leader;
	}
	enc = draw_alias(w, pmu);
	attr.type = pmu->type;
	attr.config = enc.word[0];
	attr.config1 = enc.word[1];
	attr.config2 = enc.word[2];
	while (!rnd(w, 3))
		change_attr(w, &attr);
	/* Before 6.2, a task's events of two core PMUs share one context. */
	if (!rnd(w, 4) && !(old_kernel && !strcmp(pmu->name, "itanium")))
		pid = 0;
	fd = syscall(SYS_perf_event_open, &attr, pid, cpu, group, 0);
	if (fd < 0) {
		refused++;
		return;
	}
	opened++;
	w->event[w->nr++] = (struct event){
		.fd = fd, .leader = group < 0 ? fd : group, .pmu = pmu, .cpu = cpu,
		.plain = !attr.read_format && !attr.inherit,
	};
}

static void read_one(struct event *e)
{
	uint64_t buf[8 + 3 * MAX_EVENTS];

	/* An event in error state (pinned without room) reads as end of file. */
	if (read(e->fd, buf, sizeof(buf)) <= 0 || !e->plain)
		return;
	backward += buf[0] < e->last;
	e->last = buf[0];
}

static void close_one(struct worker *w, struct event *e)
{
	unsigned int i;

	/* Members of a closed leader become leaders themselves. */
	for (i = 0; i < w->nr; i++) {
		if (w->event[i].leader == e->fd)
			w->event[i].leader = w->event[i].fd;
	}
	close(e->fd);
	*e = w->event[--w->nr];
}

/* A child reads and closes inherited events. */
static void fork_one(struct worker *w)
{
	pid_t child = fork();
	uint64_t val[64];
	unsigned int i;

	for (i = 0; !child && i < w->nr; i++) {
		if (read(w->event[i].fd, val, sizeof(val)) < 0 || i % 2)
			close(w->event[i].fd);
	}
	if (!child)
		_exit(0);
	waitpid(child, NULL, 0);
}

static void *work(void *arg)
{
	struct worker *w = arg;

	while (opened + refused < opens) {
		struct event *e = w->nr ? &w->event[rnd(w, w->nr)] : NULL;
		unsigned int what = rnd(w, 32);
		void *map;

		if (!e || (what < 12 && w->nr < MAX_EVENTS)) {
			open_one(w);
		} else if (what < 18) {
			close_one(w, e);
		} else if (what < 23) {
			read_one(e);
		} else if (what < 29) {
			ioctl(e->fd, what & 1 ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
			      rnd(w, 2) ? PERF_IOC_FLAG_GROUP : 0);
		} else if (what < 31) {
			map = mmap(NULL, 2 * sysconf(_SC_PAGESIZE), PROT_READ,
				   MAP_SHARED, e->fd, 0);
			if (map != MAP_FAILED)
				munmap(map, 2 * sysconf(_SC_PAGESIZE));
		} else if (!rnd(w, 8)) {
			fork_one(w);
		}
	}
	while (w->nr)
		close_one(w, &w->event[0]);
	return NULL;
}

static void *hotplug(void *arg)
{
	struct worker *w = arg;

	while (working) {
		/* CPU 0 stays online. */
		int cpu = 1 + rnd(w, nr_cpus - 1);

		if (uncore_set_online(cpu, false)) {
			usleep(rnd(w, 20000));
			uncore_set_online(cpu, true);
		}
		usleep(rnd(w, 200000));
	}
	return NULL;
}

/* perf frees some events a moment after close() has returned. */
static bool in_use(const char *module)
{
	unsigned int i;
	bool used = true;

	for (i = 0; used && i < 500; i++) {
		char *n = read_text("/sys/module/%s/refcnt", module);

		used = n && strcmp(n, "0");
		free(n);
		if (used)
			usleep(10000);
	}
	return used;
}

int main(int argc, char **argv)
{
	static struct worker workers[WORKERS + 1];
	unsigned int major, minor, i, used = 0;
	uint64_t seed = now_ns();
	bool exact = true;
	struct utsname os;
	int opt;

	while ((opt = getopt(argc, argv, "n:s:")) != -1) {
		if (opt == 'n')
			opens = strtoull(optarg, NULL, 0);
		else if (opt == 's')
			seed = strtoull(optarg, NULL, 0);
		else
			ksft_exit_fail_msg("usage: fuzz [-n OPENS] [-s SEED]\n");
	}
	test_begin(uncore_any("offcore_rsp") ? "offcore_rsp" :
		   uncore_any("itanium") ? "itanium" : "snbep_uncore_", "checker");
	test_needs_model();
	test_plan(4);
	uname(&os);
	old_kernel = sscanf(os.release, "%u.%u", &major, &minor) == 2 && major * 100 + minor < 602;
	/* Every CPU is online now; possible CPUs may be more. */
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	/* Threads do not agree on the filters of a box. */
	model("checker off one-filter-user:one-criterion:threshold:counter0");
	find_pmus();
	ksft_print_msg("seed %#llx\n", (unsigned long long)seed);
	for (i = 0; i <= WORKERS; i++) {
		workers[i].state = (seed + i + 1) * 0x9e3779b97f4a7c15ull ?: 1;
		if (pthread_create(&workers[i].thread, NULL, i < WORKERS ? work : hotplug,
				   &workers[i]))
			ksft_exit_fail_msg("a thread does not start\n");
	}
	for (i = 0; i <= WORKERS; i++) {
		working = i < WORKERS;
		pthread_join(workers[i].thread, NULL);
	}
	test_result(opened && refused, "perf_event_open() takes changed events and refuses others | %llu and %llu\n",
		    (unsigned long long)opened, (unsigned long long)refused);
	ksft_test_result(!backward, "no count decreases\n");
	for (i = 0; i < ARRAY_SIZE(modules); i++)
		used += !(i == 2 && old_kernel) && in_use(modules[i]);
	test_result(!used, "no module is in use when all events are closed | %u are\n", used);
	if (uncore_any("snbep_uncore_")) {
		uncore_init("snbep_uncore_");
		for (i = 0; i < uncore_nr_pmus; i++)
			exact &= canary_uncore(&uncore_pmus[i], i % uncore_nr_sockets, 1000 + i);
	}
	if (uncore_any("itanium"))
		exact &= canary_itanium(1, 1234);
	if (uncore_any("offcore_rsp")) {
		canary_init_offcore();
		exact &= canary_offcore(1, 1234);
	}
	ksft_test_result(exact, "a new event of each PMU counts exactly\n");
	test_end();
}
