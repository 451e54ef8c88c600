// SPDX-License-Identifier: GPL-2.0-only
/*
 * Fake uncore for uncore-hwtest-measure, by LD_PRELOAD. /sys, /proc/cpuinfo and /dev/cpu are below
 * $FAKE/. An event counts what these files say, added up:
 *
 *	$FAKE/rates	TYPE CPU CONFIG MHZ: so many a microsecond; -1 matches any
 *			number, the last matching line holds
 *	$FAKE/stim	SOCKET BOX EVENT UMASK NODE CODE COUNT, which the fake uncore-stim appends:
 *			events of the N-th socket, whose boxes CPU 10 * N counts
 *
 *	$FAKE/moving	PATH OFFSET BITS: a counter at this offset of a file, which advances by
 *			0x1800 at each access; what is above its bits reads otherwise each time
 *
 *	$FAKE/fixed	PATH OFFSET VALUE: a register of 64 bits, for MSRs that overlap in a file
 *
 * If there is $FAKE/any-node, the node filter lets everything through.
 * $FAKE/log gets the CPU and the nodes of each mbind(), and whether it has no effect, as there are
 * pages already. Other writes of /sys and /dev/cpu fail.
 */
#define FAKE_ROOTS "/sys/", "/dev/cpu/", "/proc/cpuinfo"
/* Loops that wait for a time end. */
#define FAKE_TICK 1000
#include "../../lib/tests/fake.h"

#include <sched.h>
#include <sys/mman.h>

#define MAX_FDS 1024

static struct event {
	struct perf_event_attr attr;
	int cpu;
	double mhz;
	uint64_t start_ns, start_stim;
	/* How much of $FAKE/stim is read, and the sum of that */
	off_t size;
	uint64_t stim;
} *fds[MAX_FDS];

static int cpu_now = -1;

int access(const char *path, int mode)
{
	char buf[512];

	return REAL(access)(fake_path(path, buf, sizeof(buf)), mode);
}

int open(const char *path, int flags, ...)
{
	char buf[512];
	va_list ap;
	int mode;

	va_start(ap, flags);
	mode = va_arg(ap, int);
	va_end(ap);
	path = fake_path(path, buf, sizeof(buf));
	return REAL(open)(path, path == buf ? O_RDONLY : flags, mode);
}

static struct moving {
	char path[96];
	unsigned int at, bits;
	uint64_t count, accesses;
} moving[32];

/* Return whether $FAKE/fixed has the register, and its value. */
static int fixed(int fd, off_t at, uint64_t *val)
{
	char link[32], path[512] = "", name[96];
	FILE *in = file("fixed", "r");
	int found = 0, offset;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (readlink(link, path, sizeof(path) - 1) < 0)
		*path = 0;
	while (in && !found && fscanf(in, "%95s %i %li", name, &offset, (long *)val) == 3)
		found = offset == at && strstr(path, name);
	if (in)
		fclose(in);
	return found;
}

/* Advance the counter that an access of a file goes to; NULL if it goes to no counter. */
static struct moving *move(int fd, off_t at)
{
	static FILE *in;
	char link[32], path[512] = "";
	struct moving *m = moving;

	if (!in) {
		in = file("moving", "r");
		while (in && m < moving + 32 &&
		       fscanf(in, "%95s %i %u", m->path, (int *)&m->at, &m->bits) == 3)
			m++;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	if (readlink(link, path, sizeof(path) - 1) < 0)
		return NULL;
	for (m = moving; m < moving + 32 && *m->path; m++) {
		unsigned int bytes = strstr(path, "/msr") ? 1 : 8;

		if (strstr(path, m->path) && at >= m->at && at < m->at + bytes) {
			m->count += 0x1800;
			m->accesses++;
			return m;
		}
	}
	return NULL;
}

ssize_t pread(int fd, void *buf, size_t size, off_t at)
{
	struct moving *m;
	uint64_t val;

	if (size == sizeof(val) && fixed(fd, at, &val)) {
		memcpy(buf, &val, size);
		return size;
	}
	m = move(fd, at);
	if (!m)
		return REAL(pread)(fd, buf, size, at);
	val = m->count & ((1ull << m->bits) - 1);
	if (m->accesses / 2 % 2)
		val |= -1ull << m->bits;
	memcpy(buf, (char *)&val + (at - m->at), size);
	return size;
}

ssize_t pwrite(int fd, const void *buf, size_t size, off_t at)
{
	struct moving *m = move(fd, at);

	if (!m) {
		errno = EACCES;
		return -1;
	}
	memcpy((char *)&m->count + (at - m->at), buf, size);
	return size;
}

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static double rate(const struct event *e)
{
	FILE *in = file("rates", "r");
	long type, cpu, config;
	double mhz, found = 0;

	while (in && fscanf(in, "%ld %ld %li %lf", &type, &cpu, &config, &mhz) == 4)
		if ((type == -1 || type == e->attr.type) && (cpu == -1 || cpu == e->cpu) &&
		    (config == -1 || config == (long)e->attr.config))
			found = mhz;
	if (in)
		fclose(in);
	return found;
}

static uint32_t type_of(const char *box)
{
	char path[512];
	uint32_t type = 0;
	FILE *in;

	snprintf(path, sizeof(path), "sys/bus/event_source/devices/snbep_uncore_%s/type", box);
	in = file(path, "r");
	if (!in || fscanf(in, "%u", &type) != 1)
		type = 0;
	if (in)
		fclose(in);
	return type;
}

/* Whether the filters of a CBo, the Home Agent or a QPI port let an event through */
static int passes(const struct perf_event_attr *a, unsigned int node, unsigned int opc)
{
	unsigned int mask = a->config2 >> 9 & 0xf;
	char path[512];

	switch (a->config & 0xff) {
	case 0x35:
		snprintf(path, sizeof(path), "%s/any-node", getenv("FAKE"));
		return (a->config1 >> 23 & 0x1ff) == opc &&
		       (!(a->config & 0x4000) || (a->config1 >> 10 & 1 << node) ||
			!access(path, F_OK));
	case 0x20:
		return (a->config2 & 0x3f) == opc;
	case 0x38:
		return (opc & mask) == (a->config1 >> 9 & mask);
	}
	return 1;
}

/* Add up the injections; only new ones take time. */
static uint64_t stimulated(struct event *e)
{
	unsigned int umask = e->attr.config >> 8 & 0xff;
	unsigned int code = (e->attr.config & 0xff) | (e->attr.config >> 21 & 1) << 8;
	unsigned int socket, event, mask, node, opc;
	uint64_t count;
	char path[512], box[20];
	struct stat now;
	FILE *in;

	snprintf(path, sizeof(path), "%s/stim", getenv("FAKE"));
	if (stat(path, &now) || now.st_size == e->size)
		return e->stim;
	in = fopen(path, "r");
	if (in)
		fseek(in, e->size, SEEK_SET);
	while (in && fscanf(in, "%u %19s %i %i %u %i %lu", &socket, box, (int *)&event,
			    (int *)&mask, &node, (int *)&opc, &count) == 7) {
		if ((int)socket * 10 == e->cpu && event == code && (!umask || (mask & umask)) &&
		    type_of(box) == e->attr.type && passes(&e->attr, node, opc))
			e->stim += count;
	}
	if (in)
		fclose(in);
	e->size = now.st_size;
	return e->stim;
}

static int event_open(const struct perf_event_attr *attr, int cpu)
{
	int fd = dup(STDERR_FILENO);
	struct event *e;

	if (fd < 0 || fd >= MAX_FDS || cpu < 0) {
		errno = EINVAL;
		return -1;
	}
	e = calloc(1, sizeof(*e));
	e->attr = *attr;
	e->cpu = cpu;
	e->mhz = rate(e);
	e->start_stim = stimulated(e);
	e->start_ns = now();
	fds[fd] = e;
	return fd;
}

ssize_t read(int fd, void *buf, size_t size)
{
	uint64_t *values = buf;
	struct event *e = fd >= 0 && fd < MAX_FDS ? fds[fd] : NULL;

	if (!e)
		return REAL(read)(fd, buf, size);
	values[0] = 1;
	values[3] = stimulated(e) - e->start_stim;
	values[1] = now() - e->start_ns;
	values[2] = values[1];
	values[3] += (uint64_t)(e->mhz * (double)values[1] / 1000);
	return 4 * sizeof(*values);
}

int close(int fd)
{
	if (fd >= 0 && fd < MAX_FDS) {
		free(fds[fd]);
		fds[fd] = NULL;
	}
	return REAL(close)(fd);
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	char path[64];
	int cpu = 0;

	(void)pid;
	while (cpu < (int)size * 8 && !CPU_ISSET_S(cpu, size, set))
		cpu++;
	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", cpu);
	if (access(path, F_OK)) {
		errno = EINVAL;
		return -1;
	}
	cpu_now = cpu;
	return 0;
}

/* Whether memory has pages, which mbind() leaves where they are */
static bool touched(long at, size_t bytes)
{
	size_t pages = (bytes + 4095) / 4096, i;
	unsigned char *there = calloc(pages, 1);
	bool any = !there || mincore((void *)at, bytes, there);

	for (i = 0; !any && i < pages; i++)
		any = there[i] & 1;
	free(there);
	return any;
}

static bool fake_syscall(long number, const long a[6], long *ret)
{
	FILE *log;

	if (number == __NR_perf_event_open) {
		*ret = event_open((struct perf_event_attr *)a[0], a[2]);
	} else if (number == __NR_mbind) {
		log = file("log", "a");
		fprintf(log, "CPU %d, nodes %#lx%s\n", cpu_now, *(unsigned long *)a[3],
			touched(a[0], a[1]) ? ", too late" : "");
		fclose(log);
		*ret = 0;
	} else {
		return false;
	}
	return true;
}
