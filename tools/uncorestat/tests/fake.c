// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fake uncore PMUs, by LD_PRELOAD. /sys and /proc are below $FAKE/.
 * perf_event_open() and read() follow $FAKE/rules, which may change at any time:
 *
 *	rate TYPE CPU CONFIG CONFIG1 N	the event counts N a second
 *	drawn TYPE SEED			each event counts a number of its own, by a hash
 *	share TYPE CPU S		the group runs for this part of the time
 *	still TYPE CPU			the group is stopped from now on
 *	revoke TYPE CPU			the group can no longer be read
 *	lose TYPE CPU [CONFIG]		its counts, or those of one event, decrease by one
 *	refuse TYPE CONFIG ERRNO	the event cannot be opened
 *	alone TYPE CONFIG ERRNO		the event cannot join a group
 *
 * -1 matches any number; the last matching rule holds. Events count by the fake clock, which goes
 * where the program waits: to the end of the interval, and by a second in a wait without an end.
 * With a FIFO $FAKE/step it goes where the test sets it, and the program waits for that:
 *
 *	+SECONDS	time passes, with all intervals that end meanwhile
 *	jSECONDS	the program sleeps through that time
 *	sSECONDS	the machine is suspended
 *
 * $FAKE/stepped gets a line when the program waits for more. $REAL: time is the machine's. A
 * refusal appends $FAKE/reason to $FAKE/dev/kmsg. Each counting event is a line in $FAKE/opened,
 * each temporary file one in $FAKE/temporary. The file $FAKE/deaf exists if the program ever
 * ignored SIGTSTP, which drops a pending one.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#define MAX_FDS		65536
#define MAX_MEMBERS	8
#define SECOND		INT64_C(1000000000)

/* An event; a leader is its own first member */
struct event {
	struct perf_event_attr attr;
	int cpu;
	double value, enabled, running;
	struct event *member[MAX_MEMBERS];
	unsigned int nr;
	int64_t last;
	int still, revoked;
};

static struct event *fds[MAX_FDS];

/* The C library's function */
#define REAL(name)	((__typeof__(name) *)dlsym(RTLD_NEXT, #name))

/* The path of a file of the test itself, $FAKE/NAME */
static const char *own(const char *name)
{
	static char path[1024];

	snprintf(path, sizeof(path), "%s/%s", getenv("FAKE"), name);
	return path;
}

static const char *fake_path(const char *path, char *buf, size_t size)
{
	if (!getenv("FAKE") || (strncmp(path, "/sys/", 5) && strncmp(path, "/proc/", 6) &&
				strcmp(path, "/dev/kmsg")))
		return path;
	snprintf(buf, size, "%s%s", getenv("FAKE"), path);
	return buf;
}

FILE *fopen(const char *path, const char *mode)
{
	char buf[512];

	return REAL(fopen)(fake_path(path, buf, sizeof(buf)), mode);
}

DIR *opendir(const char *path)
{
	char buf[512];

	return REAL(opendir)(fake_path(path, buf, sizeof(buf)));
}

static int64_t fake_now = SECOND, fake_suspended;

/* From CLOCK_MONOTONIC to the time of day: 2026-01-01 00:00:00 UTC is where it begins. */
#define FAKE_DAY	(INT64_C(1767225600) - 1)

int clock_gettime(clockid_t id, struct timespec *t)
{
	int64_t now = fake_now + (id == CLOCK_BOOTTIME ? fake_suspended : 0);

	if (!getenv("FAKE") || getenv("REAL"))
		return REAL(clock_gettime)(id, t);
	t->tv_sec = now / SECOND + (id == CLOCK_REALTIME ? FAKE_DAY : 0);
	t->tv_nsec = now % SECOND;
	return 0;
}

int nanosleep(const struct timespec *t, struct timespec *left)
{
	if (!getenv("FAKE") || getenv("REAL"))
		return REAL(nanosleep)(t, left);
	fake_now += t->tv_sec * SECOND + t->tv_nsec;
	return 0;
}

int sigaction(int sig, const struct sigaction *new, struct sigaction *old)
{
	if (sig == SIGTSTP && new && new->sa_handler == SIG_IGN)
		fclose(fopen(own("deaf"), "w"));
	return REAL(sigaction)(sig, new, old);
}

int open(const char *path, int flags, ...)
{
	char buf[512];
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	return REAL(open)(fake_path(path, buf, sizeof(buf)), flags, mode);
}

/* The release is $KERNEL_RELEASE, or else a new one. */
int uname(struct utsname *name)
{
	int ret = REAL(uname)(name);

	snprintf(name->release, sizeof(name->release), "%s", getenv("KERNEL_RELEASE") ?: "7.0.0");
	return ret;
}

/* The next step of the test: returns where time goes, in one leap or not. */
static int64_t read_step(int fd, bool *leap)
{
	char line[40] = "";
	int64_t length;
	size_t len = 0;

	while (len < sizeof(line) - 1 && REAL(read)(fd, line + len, 1) == 1 && line[len] != '\n')
		len++;
	length = strtod(line + 1, NULL) * SECOND + 0.5;
	*leap = *line == 'j';
	if (*line == 's')
		fake_suspended += length;
	return fake_now + (*line == 's' ? 0 : length);
}

/* Wait as the test has it; what is there goes first. */
static int wait_for_steps(struct pollfd *files, nfds_t nr, int64_t end, int step)
{
	static int64_t target = -1;
	struct pollfd all[8];
	static int stepped;
	static bool leap;
	int found;

	memcpy(all, files, nr * sizeof(*files));
	all[nr] = (struct pollfd){ .fd = step, .events = POLLIN };
	stepped = stepped ?: REAL(open)(own("stepped"), O_RDWR | O_CLOEXEC);
	while (!(found = poll(files, nr, 0))) {
		if (target < 0) {
			poll(all, nr + 1, -1);
			if (all[nr].revents)
				target = read_step(step, &leap);
			continue;
		}
		if (end <= target) {
			fake_now = leap ? target : end;
			return 0;
		}
		fake_now = target;
		target = -1;
		found = write(stepped, "\n", 1);
	}
	return found;
}

int ppoll(struct pollfd *files, nfds_t nr, const struct timespec *timeout, const sigset_t *set)
{
	int64_t end = timeout ? fake_now + timeout->tv_sec * SECOND + timeout->tv_nsec : INT64_MAX;
	static int step;
	int found;

	if (getenv("REAL") || !getenv("FAKE"))
		return REAL(ppoll)(files, nr, timeout, set);
	step = step ?: REAL(open)(own("step"), O_RDWR | O_CLOEXEC);
	if (step >= 0)
		return wait_for_steps(files, nr, end, step);
	found = poll(files, nr, timeout ? 0 : -1);
	if (!timeout)
		fake_now += SECOND;
	else if (!found)
		fake_now = end;
	return found;
}

int mkostemp(char *template, int flags)
{
	int fd = REAL(mkostemp)(template, flags);
	FILE *out = getenv("FAKE") ? fopen(own("temporary"), "a") : NULL;

	if (out) {
		fprintf(out, "%s\n", template);
		fclose(out);
	}
	return fd;
}

static int64_t clock_now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * SECOND + t.tv_nsec;
}

/* $FAKE/rules, read again when it has changed */
static const char *rules(void)
{
	static char text[65536];
	static struct stat last;
	struct stat now;
	FILE *in;

	if (stat(own("rules"), &now) ||
	    (now.st_ino == last.st_ino && now.st_size == last.st_size &&
	     !memcmp(&now.st_mtim, &last.st_mtim, sizeof(now.st_mtim))))
		return text;
	in = fopen(own("rules"), "r");
	text[in ? fread(text, 1, sizeof(text) - 1, in) : 0] = 0;
	if (in)
		fclose(in);
	last = now;
	return text;
}

/* Find the last rule of this kind whose numbers match @key; @rest is the number after them. */
static int rule(const char *kind, const int64_t *key, int nr, double *rest)
{
	size_t len = strlen(kind);
	const char *line;
	int found = 0;

	for (line = rules(); *line; line += strcspn(line, "\n"), line += *line == '\n') {
		const char *p = line + len;
		char *end;
		int i;

		if (strncmp(line, kind, len) || *p != ' ')
			continue;
		for (i = 0; i < nr; i++, p = end) {
			int64_t want = strtoll(p, &end, 0);

			if (want != -1 && want != key[i])
				break;
		}
		if (i < nr)
			continue;
		found = 1;
		*rest = strtod(p, NULL);
	}
	return found;
}

static int event_open(const struct perf_event_attr *attr, int cpu, int group)
{
	static FILE *opened;
	const int64_t key[] = { attr->type, attr->config };
	struct event *e, *leader;
	double error;
	FILE *out;
	int fd;

	/* perf's PERF_PMU_CAP_NO_EXCLUDE, which every uncore PMU has */
	if (cpu < 0 || attr->exclude_user || attr->exclude_kernel || attr->exclude_hv ||
	    attr->exclude_idle || attr->exclude_host || attr->exclude_guest) {
		errno = EINVAL;
		return -1;
	}
	if (rule("refuse", key, 2, &error) || (group >= 0 && rule("alone", key, 2, &error))) {
		char reason[200] = "";
		FILE *from = fopen(own("reason"), "r");

		if (from && fgets(reason, sizeof(reason), from)) {
			out = fopen(own("dev/kmsg"), "a");
			fputs(reason, out);
			fclose(out);
		}
		if (from)
			fclose(from);
		errno = error;
		return -1;
	}
	fd = dup(STDERR_FILENO);
	if (fd < 0 || fd >= MAX_FDS) {
		errno = EMFILE;
		return -1;
	}
	e = calloc(1, sizeof(*e));
	e->attr = *attr;
	e->cpu = cpu;
	e->last = clock_now();
	fds[fd] = e;
	leader = group < 0 ? e : fds[group];
	leader->member[leader->nr++] = e;
	/* Disabled events only probe. */
	if (attr->disabled)
		return fd;
	if (!opened) {
		opened = fopen(own("opened"), "a");
		setlinebuf(opened);
	}
	fprintf(opened, "%d %d 0x%llx 0x%llx %d\n", attr->type, cpu, attr->config, attr->config1,
		group < 0 ? fd : group);
	return fd;
}

/* Of perf_event_open() alone: the C library has functions for the others. */
long syscall(long number, ...)
{
	va_list ap;
	long a[6];
	int i;

	va_start(ap, number);
	for (i = 0; i < 6; i++)
		a[i] = va_arg(ap, long);
	va_end(ap);
	if (getenv("FAKE") && number == __NR_perf_event_open)
		return event_open((struct perf_event_attr *)a[0], a[2], a[3]);
	return REAL(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

/* fake_pmus.drawn() */
static double drawn(const struct event *e, double seed)
{
	const uint64_t parts[] = { e->attr.type, e->cpu, e->attr.config, e->attr.config1,
		e->attr.config2 };
	uint64_t hash = seed;
	unsigned int i;

	for (i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		hash = (hash ^ parts[i]) * 0x9e3779b97f4a7c15;
		hash ^= hash >> 29;
	}
	return 1000 + hash % 1000000;
}

static ssize_t read_group(struct event *leader, uint64_t *buf)
{
	const int64_t box[] = { leader->attr.type, leader->cpu };
	double share = 1, ignored;
	int64_t now = clock_now(), time = now - leader->last;
	unsigned int i;

	leader->last = now;
	leader->revoked |= rule("revoke", box, 2, &ignored);
	if (leader->revoked) {
		errno = ENODEV;
		return -1;
	}
	/* perf does not restart events after CPU offline. */
	leader->still |= rule("still", box, 2, &ignored);
	if (!leader->still) {
		rule("share", box, 2, &share);
		leader->enabled += time;
		leader->running += time * share;
	} else {
		share = 0;
	}
	buf[0] = leader->nr;
	buf[1] = leader->enabled;
	buf[2] = leader->running;
	for (i = 0; i < leader->nr; i++) {
		struct event *e = leader->member[i];
		const int64_t key[] = { e->attr.type, e->cpu, e->attr.config, e->attr.config1 };
		double rate = 0, lost, seed;

		if (rule("drawn", box, 1, &seed))
			rate = drawn(e, seed);
		rule("rate", key, 4, &rate);
		e->value += rate * share * time / SECOND;
		if (rule("lose", box, 2, &lost) && (!lost || lost == e->attr.config))
			e->value = e->value > 2 * rate ? e->value - 2 * rate - 1 : 0;
		buf[3 + i] = e->value;
	}
	return (3 + leader->nr) * sizeof(*buf);
}

ssize_t read(int fd, void *buf, size_t size)
{
	if (fd >= 0 && fd < MAX_FDS && fds[fd])
		return read_group(fds[fd], buf);
	return REAL(read)(fd, buf, size);
}

int close(int fd)
{
	if (fd >= 0 && fd < MAX_FDS)
		fds[fd] = NULL;
	return REAL(close)(fd);
}
