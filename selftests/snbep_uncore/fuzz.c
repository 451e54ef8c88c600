// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz [-n OPENS] [-s SEED] [-r ROUND]
 *
 * Open changed valid events on all PMUs of our loaded modules from several threads, and use them in
 * random ways; in some rounds CPUs go offline and online. After each round of a thousand opens all
 * events are closed, no counter is on, no module is in use, the protocol checker reports nothing,
 * and a new event of each module counts exactly.
 *
 * A thread's operations follow from the seed, the round, and what became of its events. The first
 * round that fails ends the program, and prints how to repeat it.
 */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "api/canary.h"
#include "api/model.h"
#include "api/offcore.h"
#include "api/test.h"
#include "api/uncore.h"

#define DEVICES		"/sys/bus/event_source/devices"
#define WORKERS		3
#define ROUND		1000	/* opens */
#define MAX_EVENTS	24	/* of a worker, at a time */
#define MAX_PMUS	32

/* Reload the modules after this many rounds. */
#define RELOAD		16

static const struct module {
	const char *name, *pmu;
} modules[] = {
	{ "snbep_uncore", "snbep_uncore_" },
	{ "offcore_rsp", "offcore_rsp" },
	{ "itanium_pmu", "itanium" },
};

enum { UNCORE, OFFCORE, ITANIUM, MODULES };

static struct fuzz_pmu {
	struct uncore_pmu pmu;
	unsigned int module, nr_aliases;
	struct uncore_enc *alias;
} pmus[MAX_PMUS];

static unsigned int nr_pmus, of_module[MODULES];
static int nr_cpus;
/* Before Linux 6.2, itanium_pmu cannot be unloaded once it has counted a task. */
static bool itanium_stays;

/* CPU hotplug in this round */
static bool plugged;

/* Findings of this round, and totals */
static atomic_uint backward, failed_reads;
static atomic_ullong opened, refused;

/* Threads share the model's port. */
static pthread_mutex_t port = PTHREAD_MUTEX_INITIALIZER;

/* xorshift64*: return a number below @n. Each thread has its own state in each round. */
static uint32_t rnd(uint64_t *state, uint32_t n)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (*state * 2685821657736338717ull >> 32) % n;
}

static uint64_t bits(uint64_t *state)
{
	return (uint64_t)rnd(state, 1u << 31) << 33 ^ rnd(state, 1u << 31);
}

static uint64_t state_of(uint64_t seed, unsigned int round, unsigned int who)
{
	uint64_t x = seed + (round * 16ull + who + 1) * 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	x = (x ^ x >> 27) * 0x94d049bb133111ebull;
	return (x ^ x >> 31) ?: 1;
}

/* "event=0x35,umask=0x3,filter_opc=?": perf asks its user for a value. */
static void add_alias(struct fuzz_pmu *p, const char *name)
{
	char *text = uncore_alias(&p->pmu, name), *ask, *given;

	while ((ask = strchr(text, '?'))) {
		/* A read, as the CBo has it; 1 fits into any field. */
		const char *value = strstr(p->pmu.name, "cbox") &&
				    !strncmp(ask - 4, "opc=", 4) ? "0x182" : "1";

		if (asprintf(&given, "%.*s%s%s", (int)(ask - text), text, value, ask + 1) < 0)
			ksft_exit_fail_msg("no memory\n");
		free(text);
		text = given;
	}
	p->alias = realloc(p->alias, (p->nr_aliases + 1) * sizeof(*p->alias));
	if (uncore_encode(&p->pmu, text, &p->alias[p->nr_aliases++]))
		ksft_exit_fail_msg("%s: alias %s: %s\n", p->pmu.name, name, text);
	free(text);
}

static void find_pmus(void)
{
	struct dirent *d;
	DIR *dir = opendir(DEVICES);
	unsigned int i, m;

	for (i = 0; i < nr_pmus; i++)
		free(pmus[i].alias);
	memset(pmus, 0, sizeof(pmus));
	memset(of_module, 0, sizeof(of_module));
	nr_pmus = 0;
	while ((d = readdir(dir))) {
		struct fuzz_pmu *p = &pmus[nr_pmus];
		char **names;

		for (m = 0;
		     m < MODULES && strncmp(d->d_name, modules[m].pmu, strlen(modules[m].pmu)); m++)
			;
		if (m == MODULES || nr_pmus == MAX_PMUS || !uncore_load(&p->pmu, d->d_name))
			continue;
		p->module = m;
		for (names = uncore_aliases(&p->pmu); *names; names++)
			add_alias(p, *names);
		of_module[m]++;
		nr_pmus++;
	}
	closedir(dir);
	if (of_module[UNCORE])
		uncore_init(modules[UNCORE].pmu);
}

/* Draw the module first: snbep_uncore has many PMUs, the others one each. */
static const struct fuzz_pmu *draw_pmu(uint64_t *state, unsigned int near)
{
	unsigned int m, n, i;

	do
		m = rnd(state, MODULES);
	while (!of_module[m]);
	/* Often the same box, so that events compete. */
	n = rnd(state, 2) ? (near + rnd(state, 2)) % of_module[m] :
			    rnd(state, of_module[m]);
	for (i = 0; pmus[i].module != m || n--; i++)
		;
	return &pmus[i];
}

struct event {
	const struct fuzz_pmu *pmu;
	int fd, cpu;
	int leader;		/* its own leader, or the group's */
	uint64_t last;
	bool plain;		/* read() returns its count alone */
	void *map;
	size_t mapped;
};

struct worker {
	pthread_t thread;
	unsigned int number;
	uint64_t state;
	struct event event[MAX_EVENTS];
	unsigned int nr, opens;
};

static void change_words(uint64_t *s, const struct fuzz_pmu *p, struct uncore_enc *e)
{
	unsigned int n = 1 + rnd(s, 3);

	while (n--) {
		const struct uncore_field *f = &p->pmu.field[rnd(s, p->pmu.nr_fields)];

		switch (rnd(s, 5)) {
		case 0:
			e->word[rnd(s, UNCORE_WORDS)] ^= 1ull << rnd(s, 64);
			break;
		case 1:
			e->word[rnd(s, UNCORE_WORDS)] ^= bits(s);
			break;
		case 2:
			e->word[f->word] &= ~f->mask;
			break;
		default:
			e->word[f->word] ^= f->mask & bits(s);
			break;
		}
	}
}

/* The flags after read_format, from disabled to remove_on_exec; sigtrap would kill us. */
#define FLAGS	37

static void change_attr(uint64_t *s, struct perf_event_attr *attr)
{
	static const uint32_t sizes[] = { 0, 8, 64, 72, 96, 112, 120, 65536 };

	switch (rnd(s, 10)) {
	case 0:
		attr->sample_period = 1 + (bits(s) >> (1 + rnd(s, 62)));
		break;
	case 1:
		attr->freq = 1;
		attr->sample_freq = rnd(s, 20000);
		break;
	case 2:
		attr->read_format = rnd(s, 64);
		break;
	case 3:
		attr->sample_type = rnd(s, 1u << 25);
		attr->sample_period = 1 + rnd(s, 1u << 20);
		break;
	case 4:
		attr->sample_type |= PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = rnd(s, 1u << 18);
		break;
	case 5:
		attr->size = sizes[rnd(s, 8)];
		break;
	case 6:
		attr->type = pmus[rnd(s, nr_pmus)].pmu.type;
		break;
	default:
		(&attr->read_format)[1] ^= 1ull << rnd(s, FLAGS);
		break;
	}
}

/* Open an event that is valid or wrong in a few ways, alone, in a group, of a CPU or of a task. */
static void open_one(struct worker *w)
{
	const struct fuzz_pmu *p = draw_pmu(&w->state, w->number);
	uint64_t *s = &w->state;
	struct perf_event_attr attr = {
		.size = sizeof(attr), .disabled = rnd(s, 2),
	};
	int cpu = rnd(s, nr_cpus), pid = -1, group = -1, fd;
	unsigned long flags = 0;
	struct uncore_enc e;

	if (w->nr && rnd(s, 2)) {
		const struct event *member = &w->event[rnd(s, w->nr)];

		group = member->leader;
		/* Valid groups: mostly of one PMU and one CPU */
		if (rnd(s, 8)) {
			p = member->pmu;
			cpu = member->cpu;
		}
	}
	attr.type = p->pmu.type;
	e = p->alias[rnd(s, p->nr_aliases)];
	if (!rnd(s, 3))
		change_words(s, p, &e);
	attr.config = e.word[0];
	attr.config1 = e.word[1];
	attr.config2 = e.word[2];
	if (p->module == ITANIUM && rnd(s, 2))
		attr.sample_period = 100 + rnd(s, 100000);
	while (!rnd(s, 4))
		change_attr(s, &attr);
	/*
	 * Count a task where possible, on any CPU or on one. Before 6.2 a task's events of two PMUs
	 * share a context, and the transaction of the first one's PMU, so itanium_pmu counts no
	 * task beside another core PMU.
	 */
	if (!rnd(s, p->module == UNCORE ? 32 : 3) && !(p->module == ITANIUM && itanium_stays)) {
		pid = 0;
		cpu = rnd(s, 2) ? -1 : cpu;
	}
	if (!rnd(s, 32))
		cpu = (int)rnd(s, 64) - 2;
	if (!rnd(s, 16))
		flags = rnd(s, 16);
	/*
	 * Linux breaks up the groups of a CPU that goes offline. New members may still join them
	 * (machine/regroup), and before 6.1 old ones keep a freed leader. CPU 0 stays online.
	 */
	if (plugged && cpu > 0)
		group = -1;
	w->opens++;
	fd = syscall(SYS_perf_event_open, &attr, pid, cpu, group, flags);
	if (fd < 0) {
		refused++;
		return;
	}
	opened++;
	if (flags & PERF_FLAG_FD_NO_GROUP)
		group = -1;
	w->event[w->nr++] = (struct event){
		.pmu = p, .fd = fd, .cpu = cpu,
		.leader = group < 0 ? fd : group,
		.plain = !attr.read_format && !attr.inherit,
	};
}

static void read_one(struct event *e)
{
	uint64_t buf[8 + 3 * MAX_EVENTS];
	ssize_t n = read(e->fd, buf, sizeof(buf));

	/* An event in error state (pinned without room) reads as end of file. */
	if (n < 0) {
		ksft_print_msg("read: %s\n", strerror(errno));
		failed_reads++;
	}
	if (n <= 0 || !e->plain)
		return;
	if (buf[0] < e->last) {
		ksft_print_msg("read %llu after %llu\n", (unsigned long long)buf[0], (unsigned long long)e->last);
		backward++;
	}
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
	if (e->map)
		munmap(e->map, e->mapped);
	close(e->fd);
	*e = w->event[--w->nr];
}

static void map_one(struct worker *w, struct event *e)
{
	size_t size = (1 + (1u << rnd(&w->state, 3))) * sysconf(_SC_PAGESIZE);
	void *map;

	if (e->map)
		return;
	map = mmap(NULL, size, PROT_READ | (rnd(&w->state, 2) ? PROT_WRITE : 0), MAP_SHARED, e->fd,
		   0);
	if (map == MAP_FAILED)
		return;
	e->map = map;
	e->mapped = size;
}

static void other_ioctl(struct worker *w, struct event *e)
{
	uint64_t *s = &w->state, val = 1 + (bits(s) >> (1 + rnd(s, 62)));
	const struct {
		unsigned long request, arg;
	} calls[] = {
		{ PERF_EVENT_IOC_RESET, rnd(s, 2) ? PERF_IOC_FLAG_GROUP : 0 },
		{ PERF_EVENT_IOC_REFRESH, rnd(s, 4) },
		{ PERF_EVENT_IOC_PERIOD, (unsigned long)&val },
		{ PERF_EVENT_IOC_SET_OUTPUT, rnd(s, 4) ? w->event[rnd(s, w->nr)].fd : -1 },
		{ PERF_EVENT_IOC_PAUSE_OUTPUT, rnd(s, 2) },
		{ PERF_EVENT_IOC_ID, (unsigned long)&val },
	};
	unsigned int i, what = rnd(s, 6);

	ioctl(e->fd, calls[what].request, calls[what].arg);
	for (i = 0; !what && i < w->nr; i++)
		w->event[i].last = 0;
}

/* A child reads inherited events, and closes some of them first. */
static void fork_one(struct worker *w)
{
	pid_t child = fork();
	uint64_t val[64];
	unsigned int i;

	if (child > 0) {
		waitpid(child, NULL, 0);
		return;
	}
	if (child)
		return;
	for (i = 0; i < w->nr; i++) {
		if (read(w->event[i].fd, val, sizeof(val)) < 0 || i % 2)
			close(w->event[i].fd);
	}
	_exit(0);
}

static void stimulate(struct worker *w)
{
	uint64_t *s = &w->state;
	const struct fuzz_pmu *p = draw_pmu(s, w->number);

	pthread_mutex_lock(&port);
	if (p->module == UNCORE)
		model_try(NULL, "stim %u %s event=%#x,umask=%#x,count=%u",
			  rnd(s, uncore_nr_sockets),
			  p->pmu.name + strlen(modules[UNCORE].pmu), rnd(s, 0x40),
			  rnd(s, 0x20), rnd(s, 1000000));
	else if (p->module == ITANIUM)
		model_try(NULL, "montecito event event=%#x,umask=%#x,count=%u", rnd(s, 0x100), rnd(s, 0x10), rnd(s, 2000));
	else
		model_try(NULL, "offcore cpu=%u,request=dmnd_data_rd,supplier=llc_hitm,snoop=snp_none,count=%u",
			  rnd(s, nr_cpus), rnd(s, 100000));
	pthread_mutex_unlock(&port);
}

static void other_cpu(struct worker *w)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(rnd(&w->state, nr_cpus), &set);
	/* If the CPU is offline, stay. */
	sched_setaffinity(0, sizeof(set), &set);
}

static void operation(struct worker *w)
{
	struct event *e = w->nr ? &w->event[rnd(&w->state, w->nr)] : NULL;
	unsigned int what = rnd(&w->state, 32);

	if (!e || (what < 12 && w->nr < MAX_EVENTS))
		open_one(w);
	else if (what < 18)
		close_one(w, e);
	else if (what < 22)
		read_one(e);
	else if (what < 26)
		ioctl(e->fd, what & 1 ? PERF_EVENT_IOC_ENABLE : PERF_EVENT_IOC_DISABLE,
		      rnd(&w->state, 2) ? PERF_IOC_FLAG_GROUP : 0);
	else if (what < 28)
		other_ioctl(w, e);
	else if (what < 29)
		map_one(w, e);
	else if (what < 30)
		stimulate(w);
	else if (what < 31)
		other_cpu(w);
	else if (!rnd(&w->state, 8))
		fork_one(w);
	else
		prctl(rnd(&w->state, 2) ? PR_TASK_PERF_EVENTS_DISABLE : PR_TASK_PERF_EVENTS_ENABLE);
}

static void *work(void *arg)
{
	struct worker *w = arg;

	while (w->opens < ROUND / WORKERS + 1)
		operation(w);
	while (w->nr)
		close_one(w, &w->event[0]);
	return NULL;
}

/* The workers of this round run: go on with hotplug */
static atomic_bool working;

static void *hotplug(void *arg)
{
	struct worker *w = arg;

	do {
		/* CPU 0 stays online. */
		int cpu = 1 + rnd(&w->state, nr_cpus - 1);

		if (uncore_set_online(cpu, false)) {
			usleep(rnd(&w->state, 20000));
			uncore_set_online(cpu, true);
		}
		usleep(rnd(&w->state, 50000));
	} while (working);
	return NULL;
}

/* Checks between two rounds */
static bool in_use(unsigned int m)
{
	char *n = read_text("/sys/module/%s/refcnt", modules[m].name);
	bool used = n && strcmp(n, "0");

	free(n);
	return used;
}

static bool not_in_use(void)
{
	unsigned int m, i;
	bool good = true;

	for (m = 0; m < MODULES; m++) {
		if (!of_module[m] || (m == ITANIUM && itanium_stays))
			continue;
		/* perf frees some events a moment after close() has returned. */
		for (i = 0; i < 500 && in_use(m); i++)
			usleep(10000);
		if (i < 500)
			continue;
		ksft_print_msg("%s is used\n", modules[m].name);
		good = false;
	}
	return good;
}

static bool left(const char *where, unsigned int n, const char *name, uint64_t val)
{
	if (val)
		ksft_print_msg("left on %s %u: %s = %#llx\n", where, n, name, (unsigned long long)val);
	return val;
}

/* Check every control register of every box. */
static bool all_off(void)
{
	static const char * const regs[] = {
		"PERFEVTSEL0", "PERFEVTSEL1", "PERFEVTSEL2",
		"PERFEVTSEL3", "OFFCORE_RSP_0", "OFFCORE_RSP_1",
	};
	unsigned int i, s;
	bool good = true;
	uint64_t val;

	for (i = 0; of_module[UNCORE] && i < uncore_nr_pmus * uncore_nr_sockets; i++) {
		char *copy, *save = NULL, *l;

		s = i % uncore_nr_sockets;
		copy = strdup(model("get %u %s", s, uncore_pmus[i / uncore_nr_sockets].box));
		for (l = strtok_r(copy, "\n", &save); l; l = strtok_r(NULL, "\n", &save)) {
			char *value = strchr(l, '=');

			*value++ = '\0';
			val = strtoull(value, NULL, 0);
			if (strstr(l, "_CTL") && !strstr(l, "BOX_CTL"))
				good &= !left("socket", s, l, val & 1u << 22);
		}
		free(copy);
	}
	/* Ignore counters of the kernel's core PMU. */
	for (i = 0; of_module[OFFCORE] && offcore_direct && i < (unsigned int)nr_cpus; i++) {
		for (s = 0; s < sizeof(regs) / sizeof(*regs); s++) {
			if (offcore_reg(i, regs[s], &val))
				good &= !left("CPU", i, regs[s], val);
		}
	}
	return good;
}

/* Check that a new event of each module counts exactly, on the next box in each round. */
static bool canaries(unsigned int round)
{
	unsigned int want = 1000 + round % 1000;
	bool good = true;

	if (of_module[UNCORE])
		good &= canary_uncore(&uncore_pmus[round % uncore_nr_pmus],
				      round / uncore_nr_pmus % uncore_nr_sockets, want);
	if (of_module[ITANIUM])
		good &= canary_itanium(round % nr_cpus, want);
	if (of_module[OFFCORE])
		good &= canary_offcore(round % nr_cpus, want);
	return good;
}

static bool command(const char *what, unsigned int m)
{
	char line[64];

	snprintf(line, sizeof(line), "%s %s", what, modules[m].name);
	return !system(line);
}

/* Reload all modules. */
static bool reload(void)
{
	bool was[MODULES], good = true;
	unsigned int m;

	for (m = 0; m < MODULES; m++) {
		was[m] = of_module[m] && !(m == ITANIUM && itanium_stays);
		good &= !was[m] || command("rmmod", m);
	}
	good &= all_off();
	for (m = 0; m < MODULES; m++)
		good &= !was[m] || command("modprobe", m);
	find_pmus();
	return good;
}

static const char *run_round(uint64_t seed, unsigned int round)
{
	static struct worker workers[WORKERS];
	struct worker beside = { .state = state_of(seed, round, WORKERS) };
	unsigned int i;

	plugged = round % 4 == 3;
	backward = 0;
	failed_reads = 0;
	working = true;
	if (plugged && pthread_create(&beside.thread, NULL, hotplug, &beside))
		return "a thread does not start";
	for (i = 0; i < WORKERS; i++) {
		workers[i] = (struct worker){
			.number = i, .state = state_of(seed, round, i),
		};
		if (pthread_create(&workers[i].thread, NULL, work, &workers[i]))
			return "a thread does not start";
	}
	for (i = 0; i < WORKERS; i++)
		pthread_join(workers[i].thread, NULL);
	working = false;
	if (plugged)
		pthread_join(beside.thread, NULL);

	if (failed_reads)
		return "a read failed";
	if (backward)
		return "a count went back";
	if (!not_in_use())
		return "a module is in use although all events are closed";
	if (!all_off())
		return "a counter is left on";
	if (!model_silent("checker"))
		return "the checker has found something";
	if (!canaries(round))
		return "an event does not count exactly";
	if (round % RELOAD == RELOAD - 1 && !reload())
		return "a module cannot be unloaded or loaded again, or leaves a counter on";
	return NULL;
}

int main(int argc, char **argv)
{
	unsigned long long opens = 10000;
	unsigned int round = 0, major, minor;
	uint64_t seed = now_ns();
	const char *found = NULL;
	struct utsname os;
	bool one = false;
	int opt;

	while ((opt = getopt(argc, argv, "n:r:s:")) != -1) {
		if (opt == 'n')
			opens = strtoull(optarg, NULL, 0);
		else if (opt == 's')
			seed = strtoull(optarg, NULL, 0);
		else if (opt == 'r')
			round = strtoul(optarg, NULL, 0);
		else
			ksft_exit_fail_msg("usage: fuzz [-n OPENS] [-s SEED] [-r ROUND]\n");
		one |= opt == 'r';
	}
	test_begin(uncore_any("offcore_rsp") ? "offcore_rsp" :
		   uncore_any("itanium") ? "itanium" : "snbep_uncore_", "checker");
	test_needs_model();
	test_plan(2);
	uname(&os);
	itanium_stays = sscanf(os.release, "%u.%u", &major, &minor) == 2 &&
			major * 100 + minor < 602;
	/* Every CPU is online now; possible CPUs may be more. */
	nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
	/* Allow any encoding that the driver accepts, which may break rules that bind users. */
	model("checker off one-filter-user:one-criterion:threshold:counter0");
	find_pmus();
	if (of_module[OFFCORE])
		canary_init_offcore();
	ksft_print_msg("seed %#llx; %u PMUs of snbep_uncore, %u of offcore_rsp, %u of itanium_pmu; %d CPUs\n",
		       (unsigned long long)seed, of_module[UNCORE],
		       of_module[OFFCORE], of_module[ITANIUM], nr_cpus);
	do {
		found = run_round(seed, round);
		if (found)
			ksft_print_msg("round %u: %s; again: fuzz -s %#llx -r %u\n",
				       round, found, (unsigned long long)seed, round);
		round++;
	} while (!found && !one && opened + refused < opens);
	ksft_test_result(opened && refused,
			 "perf_event_open() takes %llu changed events and refuses %llu\n",
			 (unsigned long long)opened, (unsigned long long)refused);
	ksft_test_result(!found, "after each round no counter is on, no module is in use, and events count exactly\n");
	test_end();
}
