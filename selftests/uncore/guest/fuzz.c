// SPDX-License-Identifier: GPL-2.0-only
/*
 * fuzz [SECONDS [SEED]]: perf_event_open() with encodings that are
 * half right, and whatever can be done with the events that come of it, from
 * several processes at once, while CPUs come and go. What was counted is not
 * looked at here, but that no read fails or goes back, that the judge has
 * nothing to say, and that everything is as before at the end.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kselftest.h"
#include "lib/model.h"
#include "lib/uncore.h"

#define PROCESSES	3
#define WANTED		20
#define OVERTIME	60000000000ull	/* ns */
#define MAX_EVENTS	24

static uint64_t state;

static uint32_t rnd(uint32_t n)
{
	/* xorshift64*: the same from the same seed */
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return (state * 2685821657736338717ull >> 32) % n;
}

static char **aliases[UNCORE_MAX_PMUS];
static unsigned int nr_aliases[UNCORE_MAX_PMUS];

/* What the processes tell their parent */
static struct report {
	uint64_t opened, refused, ops, backward, failed_reads;
} *reports;

struct event {
	int fd;
	int leader;	/* its own, or that of the group */
	uint64_t last;
	bool disabled;
};

static struct event events[MAX_EVENTS];
static unsigned int nr_events;

/* An alias with numbers for what it asks, and some of them wrong */
static bool alias_text(unsigned int u, char *out, size_t size)
{
	char *text = uncore_alias(&uncore_pmus[u],
				  aliases[u][rnd(nr_aliases[u])]);
	char *save = NULL, *item;
	size_t len = 0;

	if (!text)
		return false;
	for (item = strtok_r(text, ",", &save); item;
	     item = strtok_r(NULL, ",", &save)) {
		char *ask = strstr(item, "=?");
		char number[16] = "";

		if (ask) {
			ask[1] = 0;
			snprintf(number, sizeof(number), "%#x",
				 strstr(item, "opc") ?
				 rnd(2) ? 0x182 : 0x180 : 1 + rnd(3));
		}
		len += snprintf(out + len, size - len, "%s%s%s",
				len ? "," : "", item, number);
	}
	free(text);
	return true;
}

static void random_encoding(unsigned int u, struct uncore_enc *enc)
{
	const struct uncore_pmu *pmu = &uncore_pmus[u];
	char text[256];
	unsigned int n;

	memset(enc, 0, sizeof(*enc));
	if (alias_text(u, text, sizeof(text)))
		uncore_encode(pmu, text, enc);
	if (rnd(3))
		return;
	for (n = 1 + rnd(3); n--;) {
		const struct uncore_field *f =
			&pmu->field[rnd(pmu->nr_fields)];
		unsigned int word = rnd(4) ? f->word : rnd(3);
		uint64_t bits = (uint64_t)rnd(1u << 31) << 33 ^ rnd(1u << 31);

		if (rnd(4))
			bits &= f->mask;
		enc->word[word] ^= bits;
	}
}

static void random_attr(struct perf_event_attr *attr)
{
	attr->disabled = rnd(2);
	if (rnd(8))
		return;
	switch (rnd(10)) {
	case 0:
		attr->sample_period = 1 + rnd(100000);
		break;
	case 1:
		attr->exclude_user = 1;
		break;
	case 2:
		attr->inherit = 1;
		break;
	case 3:
		attr->pinned = 1;
		break;
	case 4:
		attr->exclusive = 1;
		break;
	case 5:
		attr->read_format |= PERF_FORMAT_ID;
		break;
	case 6:
		attr->exclude_guest = 1;
		break;
	case 7:
		attr->freq = 1;
		attr->sample_freq = rnd(10000);
		break;
	case 8:
		attr->config = (uint64_t)rnd(1u << 31) << 32 | rnd(1u << 31);
		break;
	case 9:
		attr->sample_type = rnd(1u << 20);
		break;
	}
}

static void open_one(struct report *r)
{
	unsigned int u = rnd(uncore_nr_pmus);
	struct perf_event_attr attr;
	struct uncore_enc enc;
	int cpu, pid, group = -1, fd;

	if (nr_events == MAX_EVENTS)
		return;
	/* Often the same box: that is where events meet. */
	if (rnd(2))
		u = (getpid() + rnd(2)) % uncore_nr_pmus;
	random_encoding(u, &enc);
	attr = uncore_attr(&uncore_pmus[u], &enc);
	random_attr(&attr);
	cpu = rnd(16) ? (int)rnd(sysconf(_SC_NPROCESSORS_CONF)) :
	      (int)rnd(64) - 1;
	pid = rnd(32) ? -1 : 0;
	if (nr_events && rnd(2))
		group = events[rnd(nr_events)].leader;
	fd = syscall(SYS_perf_event_open, &attr, pid, cpu, group,
		     rnd(16) ? 0 : PERF_FLAG_FD_CLOEXEC);
	if (fd < 0) {
		r->refused++;
		return;
	}
	r->opened++;
	events[nr_events++] = (struct event){
		.fd = fd, .leader = group < 0 ? fd : group,
	};
}

static void read_one(struct report *r, struct event *e)
{
	uint64_t buf[3 + 2 * MAX_EVENTS];
	ssize_t n = read(e->fd, buf, sizeof(buf));

	/* An event that is in error (pinned, and no room) reads as nothing. */
	if (n < 0 || (n && n < (ssize_t)(4 * sizeof(*buf)))) {
		r->failed_reads++;
		return;
	}
	if (!n)
		return;
	if (buf[3] < e->last)
		r->backward++;
	e->last = buf[3];
}

static void close_one(struct event *e)
{
	unsigned int i;

	/*
	 * Those that had it as their leader are on their own now, and what is
	 * read of them is no longer its count.
	 */
	for (i = 0; i < nr_events; i++) {
		if (events[i].leader != e->fd || &events[i] == e)
			continue;
		events[i].leader = events[i].fd;
		events[i].last = 0;
	}
	close(e->fd);
	*e = events[--nr_events];
}

static void stimulate(void)
{
	const struct uncore_pmu *pmu = &uncore_pmus[rnd(uncore_nr_pmus)];

	model_try(NULL, "stim %u %s event=%#x,umask=%#x,count=%u",
		  rnd(uncore_nr_sockets), pmu->box, rnd(0x40), rnd(0x20),
		  rnd(1000000));
}

static void other_cpu(void)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(rnd(sysconf(_SC_NPROCESSORS_CONF)), &set);
	/* It may be offline just now: then we stay where we are. */
	sched_setaffinity(0, sizeof(set), &set);
}

/* Enough events of both kinds, by all processes together */
static bool enough(void)
{
	uint64_t opened = 0, refused = 0;
	unsigned int i;

	for (i = 0; i < PROCESSES; i++) {
		opened += reports[i].opened;
		refused += reports[i].refused;
	}
	return opened > WANTED && refused > WANTED;
}

/* A machine too slow to do much in the time goes on for a while. */
static void fuzz(struct report *r, uint64_t end)
{
	while (now_ns() < end || (!enough() && now_ns() < end + OVERTIME)) {
		struct event *e = nr_events ? &events[rnd(nr_events)] : NULL;
		unsigned int what = rnd(20);

		r->ops++;
		if (!e || what < 6)
			open_one(r);
		else if (what < 10)
			read_one(r, e);
		else if (what < 12)
			ioctl(e->fd, PERF_EVENT_IOC_ENABLE,
			      rnd(2) ? PERF_IOC_FLAG_GROUP : 0);
		else if (what < 14)
			ioctl(e->fd, PERF_EVENT_IOC_DISABLE,
			      rnd(2) ? PERF_IOC_FLAG_GROUP : 0);
		else if (what < 15)
			stimulate();
		else if (what < 16)
			other_cpu();
		else if (what < 17 && !rnd(4))
			usleep(rnd(8000));
		else
			close_one(e);
	}
	while (nr_events)
		close_one(&events[0]);
}

/* CPUs of the last socket come and go meanwhile. */
static void hotplug(uint64_t end)
{
	unsigned int socket = uncore_nr_sockets - 1;
	int cpu[2] = { uncore_socket_cpu(socket, 0),
		       uncore_socket_cpu(socket, 1) };
	unsigned int i;

	while (now_ns() < end) {
		i = rnd(2);
		usleep(50000 + rnd(200000));
		if (cpu[i] <= 0)
			continue;
		write_text("0", "/sys/devices/system/cpu/cpu%d/online", cpu[i]);
		usleep(rnd(50000));
		write_text("1", "/sys/devices/system/cpu/cpu%d/online", cpu[i]);
	}
}

/* Every control register of every box, and its filters */
static unsigned int enabled_counters(void)
{
	unsigned int i, s, n = 0;

	for (i = 0; i < uncore_nr_pmus; i++) {
		for (s = 0; s < uncore_nr_sockets; s++) {
			const char *line = model("get %u %s", s,
						 uncore_pmus[i].box);
			char *copy = strdup(line), *save = NULL, *l;

			for (l = strtok_r(copy, "\n", &save); l;
			     l = strtok_r(NULL, "\n", &save)) {
				uint64_t val = strtoull(strchr(l, '=') + 1,
							NULL, 0);
				bool ctl = strstr(l, "_CTL") &&
					   !strstr(l, "BOX_CTL");
				bool filter = strstr(l, "FILTER") ||
					      strstr(l, "MATCH") ||
					      strstr(l, "MASK");

				if ((ctl && (val & 1u << 22)) ||
				    (filter && val)) {
					ksft_print_msg("left on socket %u: %s\n",
						       s, l);
					n++;
				}
			}
			free(copy);
		}
	}
	return n;
}

int main(int argc, char **argv)
{
	unsigned int seconds = argc > 1 ? atoi(argv[1]) : 10, i;
	uint64_t seed = argc > 2 ? strtoull(argv[2], NULL, 0) : now_ns();
	struct report sum = { };
	bool died = false;
	uint64_t end;

	ksft_print_header();
	model_init();
	uncore_init("snbep_uncore_");
	ksft_set_plan(6);
	ksft_print_msg("fuzz %u %#llx\n", seconds,
		       (unsigned long long)seed);
	for (i = 0; i < uncore_nr_pmus; i++) {
		aliases[i] = uncore_aliases(&uncore_pmus[i]);
		while (aliases[i][nr_aliases[i]])
			nr_aliases[i]++;
	}
	reports = mmap(NULL, sizeof(*reports) * PROCESSES,
		       PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		       0);
	if (reports == MAP_FAILED)
		ksft_exit_fail_msg("no memory\n");
	end = now_ns() + seconds * 1000000000ull;
	for (i = 0; i <= PROCESSES; i++) {
		pid_t child = fork();

		if (child < 0)
			ksft_exit_fail_msg("fork: %s\n", strerror(errno));
		if (child)
			continue;
		state = seed + i * 0x9e3779b97f4a7c15ull ?: 1;
		if (i == PROCESSES)
			hotplug(end);
		else
			fuzz(&reports[i], end);
		_exit(0);
	}
	for (i = 0; i <= PROCESSES; i++) {
		int status;

		if (wait(&status) < 0 || status) {
			ksft_print_msg("a process ended with %#x\n", status);
			died = true;
		}
	}
	for (i = 0; i < PROCESSES; i++) {
		sum.opened += reports[i].opened;
		sum.refused += reports[i].refused;
		sum.ops += reports[i].ops;
		sum.backward += reports[i].backward;
		sum.failed_reads += reports[i].failed_reads;
	}
	ksft_test_result(!died, "every process ran to its end\n");
	ksft_test_result(sum.opened > WANTED && sum.refused > WANTED,
			 "%llu operations, %llu events opened, %llu refused\n",
			 (unsigned long long)sum.ops,
			 (unsigned long long)sum.opened,
			 (unsigned long long)sum.refused);
	ksft_test_result(!sum.backward, "no count went back (%llu did)\n",
			 (unsigned long long)sum.backward);
	ksft_test_result(!sum.failed_reads, "no read failed (%llu did)\n",
			 (unsigned long long)sum.failed_reads);
	/* Filters stay until the driver goes. */
	system("rmmod snbep_uncore");
	ksft_test_result(!enabled_counters(),
			 "no counter and no filter is left on\n");
	system("modprobe snbep_uncore");
	ksft_test_result(model_judge(), "the judge has nothing to say\n");
	ksft_finished();
}
