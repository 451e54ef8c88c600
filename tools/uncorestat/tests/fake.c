// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fake uncore PMUs, by LD_PRELOAD. /sys and /proc are below $FAKE/.
 * perf_event_open() and read() follow $FAKE/rules, which may change at any time:
 *
 *	rate TYPE CPU CONFIG CONFIG1 N	the event counts N a second
 *	share TYPE CPU S		the group runs for this part of the time
 *	still TYPE CPU			the group is stopped from now on
 *	revoke TYPE CPU			the group can no longer be read
 *	lose TYPE CPU [CONFIG]		its counts, or those of one event, decrease by one
 *	refuse TYPE CONFIG ERRNO	the event cannot be opened
 *	alone TYPE CONFIG ERRNO		the event cannot join a group
 *
 * -1 matches any number; the last matching rule holds. From one read() to the next,
 * a second passes, or with $REAL the time that does. A refusal appends $FAKE/reason to
 * /dev/kmsg, which is $FAKE/kmsg.
 * Each counting event is a line in $FAKE/opened, each temporary file one in
 * $FAKE/temporary; FILE.last is a removed one. The file $FAKE/deaf exists if the
 * program ever ignored SIGTSTP, which drops a pending one. The first $QUICK timers
 * expire at once, and the clocks have their time; then there is $FAKE/slow. $ASLEEP:
 * the first one expires after a suspend of so many seconds; $SLEPT: the machine has
 * been suspended for so many before.
 */
#define FAKE_ROOTS "/sys/", "/proc/"
#include "../../lib/tests/fake.h"

#include <signal.h>
#include <sys/utsname.h>
#include <sys/timerfd.h>

#define MAX_FDS		65536
#define MAX_MEMBERS	8
#define SECOND		1000000000ull

/* An event; a leader is its own first member */
struct event {
	struct perf_event_attr attr;
	int cpu;
	uint64_t value;
	struct event *member[MAX_MEMBERS];
	unsigned int nr;
	uint64_t enabled, running, last;
	int still, revoked;
};

static struct event *fds[MAX_FDS];
static int64_t skipped;

int sigaction(int sig, const struct sigaction *new, struct sigaction *old)
{
	if (sig == SIGTSTP && new && new->sa_handler == SIG_IGN)
		fclose(file("deaf", "w"));
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
	if (getenv("FAKE") && !strcmp(path, "/dev/kmsg")) {
		snprintf(buf, sizeof(buf), "%s/kmsg", getenv("FAKE"));
		path = buf;
	} else {
		path = fake_path(path, buf, sizeof(buf));
	}
	return REAL(open)(path, flags, mode);
}

/* The release is $KERNEL_RELEASE, or else a new one. */
int uname(struct utsname *name)
{
	int ret = REAL(uname)(name);

	snprintf(name->release, sizeof(name->release), "%s", getenv("KERNEL_RELEASE") ?: "7.0.0");
	return ret;
}

int clock_gettime(clockid_t id, struct timespec *t)
{
	int ret = REAL(clock_gettime)(id, t);
	int64_t now;

	if (id == CLOCK_BOOTTIME && getenv("SLEPT"))
		t->tv_sec += atoi(getenv("SLEPT"));
	now = t->tv_sec * (int64_t)SECOND + t->tv_nsec + skipped;
	if (skipped && id == CLOCK_BOOTTIME && getenv("ASLEEP"))
		now += atoi(getenv("ASLEEP")) * (int64_t)SECOND;
	if (skipped && id != CLOCK_REALTIME) {
		t->tv_sec = now / SECOND;
		t->tv_nsec = now % SECOND;
	}
	return ret;
}

int timerfd_settime(int fd, int flags, const struct itimerspec *when, struct itimerspec *old)
{
	int64_t at = when->it_value.tv_sec * (int64_t)SECOND + when->it_value.tv_nsec;
	static int quick = -1;
	struct timespec now;

	if (quick < 0)
		quick = getenv("QUICK") ? atoi(getenv("QUICK")) : 0;
	clock_gettime(CLOCK_MONOTONIC, &now);
	at -= now.tv_sec * (int64_t)SECOND + now.tv_nsec;
	if (!quick || !(flags & TFD_TIMER_ABSTIME) || at <= 0)
		return REAL(timerfd_settime)(fd, flags, when, old);
	if (!--quick)
		fclose(file("slow", "w"));
	skipped += at;
	when = &(struct itimerspec){ .it_value = { .tv_nsec = 1 } };
	return REAL(timerfd_settime)(fd, 0, when, old);
}

/* Keep a removed file, as FILE.last */
int unlink(const char *path)
{
	char last[512];

	if (!getenv("FAKE"))
		return REAL(unlink)(path);
	snprintf(last, sizeof(last), "%s.last", path);
	return rename(path, last);
}

int mkostemp(char *template, int flags)
{
	int fd = REAL(mkostemp)(template, flags);
	FILE *out = getenv("FAKE") ? file("temporary", "a") : NULL;

	if (out) {
		fprintf(out, "%s\n", template);
		fclose(out);
	}
	return fd;
}

/* Nanoseconds since the last read() */
static uint64_t passed(struct event *e)
{
	uint64_t last = e->last;
	struct timespec t;

	if (!getenv("REAL"))
		return SECOND;
	clock_gettime(CLOCK_MONOTONIC, &t);
	e->last = t.tv_sec * SECOND + t.tv_nsec;
	return last ? e->last - last : 0;
}

/* $FAKE/rules, read again when it has changed */
static const char *rules(void)
{
	static char text[65536];
	static struct stat last;
	struct stat now;
	char path[512];
	FILE *in;

	snprintf(path, sizeof(path), "%s/rules", getenv("FAKE"));
	if (stat(path, &now) || (now.st_ino == last.st_ino && now.st_size == last.st_size &&
				 !memcmp(&now.st_mtim, &last.st_mtim, sizeof(now.st_mtim))))
		return text;
	in = fopen(path, "r");
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
		FILE *from = file("reason", "r");

		if (from && fgets(reason, sizeof(reason), from)) {
			out = file("kmsg", "a");
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
	fds[fd] = e;
	leader = group < 0 ? e : fds[group];
	leader->member[leader->nr++] = e;
	/* Disabled events only probe. */
	if (attr->disabled)
		return fd;
	if (!opened) {
		opened = file("opened", "a");
		setlinebuf(opened);
	}
	fprintf(opened, "%d %d 0x%llx 0x%llx %d\n", attr->type, cpu, attr->config, attr->config1,
		group < 0 ? fd : group);
	return fd;
}

static bool fake_syscall(long number, const long a[6], long *ret)
{
	if (number != __NR_perf_event_open)
		return false;
	*ret = event_open((struct perf_event_attr *)a[0], a[2], a[3]);
	return true;
}

static ssize_t read_group(struct event *leader, uint64_t *buf)
{
	const int64_t box[] = { leader->attr.type, leader->cpu };
	double share = 1, ignored;
	uint64_t time = passed(leader);
	unsigned int i;

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
		double rate = 0, lost;

		rule("rate", key, 4, &rate);
		e->value += rate * share * time / SECOND;
		if (rule("lose", box, 2, &lost) && (!lost || lost == e->attr.config))
			e->value -= (uint64_t)(rate * share) + 1;
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
