// SPDX-License-Identifier: GPL-2.0-only
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "kselftest.h"
#include "uncore.h"

#define DEVICES	"/sys/bus/event_source/devices"

struct uncore_pmu uncore_pmus[UNCORE_MAX_PMUS];
unsigned int uncore_nr_pmus;
unsigned int uncore_nr_sockets;

static int open_path(int flags, const char *fmt, va_list ap)
{
	char path[512];

	vsnprintf(path, sizeof(path), fmt, ap);
	return open(path, flags);
}

char *read_text(const char *fmt, ...)
{
	char buf[8192];
	va_list ap;
	ssize_t n;
	int fd;

	va_start(ap, fmt);
	fd = open_path(O_RDONLY, fmt, ap);
	va_end(ap);
	if (fd < 0)
		return NULL;
	n = read(fd, buf, sizeof(buf) - 1);
	close(fd);
	if (n < 0)
		return NULL;
	buf[n] = 0;
	if (n && buf[n - 1] == '\n')
		buf[n - 1] = 0;
	return strdup(buf);
}

bool write_text(const char *text, const char *fmt, ...)
{
	va_list ap;
	bool ok;
	int fd;

	va_start(ap, fmt);
	fd = open_path(O_WRONLY, fmt, ap);
	va_end(ap);
	if (fd < 0)
		return false;
	ok = write(fd, text, strlen(text)) == (ssize_t)strlen(text);
	close(fd);
	return ok;
}

/* Packages that had a CPU when the program began, which are the sockets in their order */
static bool packages[UNCORE_MAX_SOCKETS];

static int cpu_package(int cpu)
{
	char *id = read_text("/sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
	int package = id ? atoi(id) : -1;

	free(id);
	return package;
}

/* The socket of a CPU, or -1 */
static int uncore_cpu_socket(int cpu)
{
	static bool known;
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int package, i, n = 0;

	for (i = 0; !known && i < cpus; i++) {
		package = cpu_package(i);
		if (package >= UNCORE_MAX_SOCKETS)
			ksft_exit_fail_msg("CPU %d is in package %d\n", i, package);
		if (package >= 0)
			packages[package] = true;
	}
	known = true;
	package = cpu_package(cpu);
	for (i = 0; i < package; i++)
		n += packages[i];
	return package < 0 || !packages[package] ? -1 : n;
}

int uncore_socket_cpu(unsigned int socket, unsigned int n)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int cpu;

	for (cpu = 0; cpu < cpus; cpu++) {
		if (uncore_cpu_socket(cpu) == (int)socket && !n--)
			return cpu;
	}
	return -1;
}

bool uncore_set_online(int cpu, bool online)
{
	return write_text(online ? "1" : "0", "/sys/devices/system/cpu/cpu%d/online", cpu);
}

void uncore_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		ksft_exit_fail_msg("cannot run on CPU %d\n", cpu);
}

static const char * const words[UNCORE_WORDS] = {
	"config", "config1", "config2", "config3", "config4"
};

/* "config:0-7,21" */
static void parse_format(struct uncore_field *f, const char *text)
{
	const char *s = strchr(text, ':');
	int i;

	for (i = 0; i < UNCORE_WORDS; i++)
		if (!strncmp(text, words[i], strlen(words[i])) && text[strlen(words[i])] == ':')
			break;
	if (!s || i == UNCORE_WORDS)
		ksft_exit_fail_msg("format/%s: '%s' is not understood\n", f->name, text);
	f->word = i;
	while (*s) {
		unsigned long lo = strtoul(s + 1, (char **)&s, 10), hi = lo;

		if (*s == '-')
			hi = strtoul(s + 1, (char **)&s, 10);
		if (hi > 63 || lo > hi || (*s && *s != ','))
			ksft_exit_fail_msg("format/%s: '%s' is not understood\n", f->name, text);
		for (; lo <= hi; lo++)
			f->mask |= 1ull << lo;
	}
}

static void load_formats(struct uncore_pmu *pmu)
{
	struct dirent *d;
	char path[300];
	DIR *dir;

	snprintf(path, sizeof(path), DEVICES "/%s/format", pmu->name);
	dir = opendir(path);
	if (!dir)
		ksft_exit_fail_msg("%s: %s\n", path, strerror(errno));
	while ((d = readdir(dir))) {
		struct uncore_field *f = &pmu->field[pmu->nr_fields];
		char *text;

		if (d->d_name[0] == '.')
			continue;
		if (pmu->nr_fields++ == UNCORE_MAX_FIELDS)
			ksft_exit_fail_msg("%s has too many fields\n", pmu->name);
		snprintf(f->name, sizeof(f->name), "%.31s", d->d_name);
		text = read_text("%s/%s", path, d->d_name);
		if (!text)
			ksft_exit_fail_msg("%s/%s: not read\n", path, d->d_name);
		parse_format(f, text);
		free(text);
	}
	closedir(dir);
}

bool uncore_load(struct uncore_pmu *pmu, const char *name)
{
	char *type = read_text(DEVICES "/%s/type", name);

	memset(pmu, 0, sizeof(*pmu));
	if (!type)
		return false;
	pmu->type = strtoul(type, NULL, 0);
	free(type);
	snprintf(pmu->name, sizeof(pmu->name), "%.31s", name);
	load_formats(pmu);
	return true;
}

static void load_cpumask(struct uncore_pmu *pmu)
{
	char *text = read_text(DEVICES "/%s/cpumask", pmu->name);
	char *save = NULL, *s;
	int i;

	for (i = 0; i < UNCORE_MAX_SOCKETS; i++)
		pmu->cpu[i] = -1;
	if (!text)
		ksft_exit_fail_msg("%s has no cpumask\n", pmu->name);
	for (s = strtok_r(text, ",", &save); s; s = strtok_r(NULL, ",", &save)) {
		int lo = atoi(s), hi = strchr(s, '-') ? atoi(strchr(s, '-') + 1) : lo;

		for (; lo <= hi; lo++) {
			int socket = uncore_cpu_socket(lo);

			if (socket < 0 || socket >= UNCORE_MAX_SOCKETS || pmu->cpu[socket] >= 0)
				ksft_exit_fail_msg("%s: cpumask has no single CPU of each socket\n",
						   pmu->name);
			pmu->cpu[socket] = lo;
			if (socket >= (int)uncore_nr_sockets)
				uncore_nr_sockets = socket + 1;
		}
	}
	free(text);
}

bool uncore_any(const char *prefix)
{
	DIR *dir = opendir(DEVICES);
	bool found = false;
	struct dirent *d;

	while (dir && !found && (d = readdir(dir)))
		found = !strncmp(d->d_name, prefix, strlen(prefix));
	if (dir)
		closedir(dir);
	return found;
}

void uncore_init(const char *prefix)
{
	struct dirent **entry;
	int i, n = scandir(DEVICES, &entry, NULL, alphasort);

	uncore_nr_pmus = 0;
	uncore_nr_sockets = 0;
	if (n < 0)
		ksft_exit_fail_msg(DEVICES ": %s\n", strerror(errno));
	for (i = 0; i < n; i++) {
		struct uncore_pmu *pmu = &uncore_pmus[uncore_nr_pmus];
		const char *name = entry[i]->d_name;
		char *end;

		if (strncmp(name, prefix, strlen(prefix)))
			continue;
		if (uncore_nr_pmus++ == UNCORE_MAX_PMUS)
			ksft_exit_fail_msg("too many PMUs\n");
		if (!uncore_load(pmu, name))
			ksft_exit_fail_msg("%s has no type\n", name);
		snprintf(pmu->box, sizeof(pmu->box), "%.15s", name + strlen(prefix));
		strcpy(pmu->kind, pmu->box);
		end = strrchr(pmu->kind, '_');
		if (end && isdigit(end[1]))
			*end = 0;
		load_cpumask(pmu);
	}
}

const struct uncore_kind *uncore_kind(const struct uncore_pmu *pmu)
{
	static const struct uncore_kind kinds[] = {
		{ "cbox", "event=0x13,umask=0x01", "event=0x00", 4 },
		{ "ha", "event=0x0e", "event=0x00", 4 },
		{ "imc", "event=0x01", "event=0x00", 4 },
		{ "pcu", "event=0x05", "event=0x00", 4 },
		{ "qpi", "event=0x04", "event=0x14", 4 },
		{ "r2pcie", "event=0x12", "event=0x01", 4 },
		{ "r3qpi", "event=0x31", "event=0x01", 3 },
		{ "ubox", "event=0x44", "event=0xff", 2 },
	};
	unsigned int i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (!strcmp(kinds[i].kind, pmu->kind))
			return &kinds[i];
	}
	return NULL;
}

struct uncore_pmu *uncore_pmu(const char *box)
{
	unsigned int i;

	for (i = 0; i < uncore_nr_pmus; i++) {
		if (!strcmp(uncore_pmus[i].box, box))
			return &uncore_pmus[i];
	}
	ksft_exit_fail_msg("no PMU of %s\n", box);
}

static const struct uncore_field *find_field(const struct uncore_pmu *pmu,
					     const char *name, size_t len)
{
	unsigned int i;

	for (i = 0; i < pmu->nr_fields; i++) {
		if (strlen(pmu->field[i].name) == len && !strncmp(pmu->field[i].name, name, len))
			return &pmu->field[i];
	}
	return NULL;
}

/* The low bits of a value go to the low bits of the mask, with its gaps. */
static bool scatter(uint64_t mask, uint64_t val, uint64_t *word)
{
	unsigned int bit;

	for (bit = 0; bit < 64; bit++) {
		if (!(mask & (1ull << bit)))
			continue;
		*word |= (val & 1) << bit;
		val >>= 1;
	}
	return !val;
}

uint64_t uncore_get(const struct uncore_pmu *pmu, const struct uncore_enc *enc, const char *field)
{
	const struct uncore_field *f = find_field(pmu, field, strlen(field));
	unsigned int bit, n = 0;
	uint64_t val = 0;

	for (bit = 0; f && bit < 64; bit++) {
		if (f->mask & (1ull << bit))
			val |= (enc->word[f->word] >> bit & 1) << n++;
	}
	return val;
}

const char *uncore_encode(const struct uncore_pmu *pmu, const char *text, struct uncore_enc *enc)
{
	static char why[128];

	memset(enc, 0, sizeof(*enc));
	while (*text) {
		size_t len = strcspn(text, "=,"), i;
		const struct uncore_field *f = find_field(pmu, text, len);
		uint64_t val = 1;
		char *end;

		/* config=, config1= and so on are perf's own. */
		for (i = 0; i < UNCORE_WORDS; i++)
			if (len == strlen(words[i]) && !strncmp(text, words[i], len))
				break;
		if (!f && i == UNCORE_WORDS) {
			snprintf(why, sizeof(why), "%s has no field '%.*s'",
				 pmu->name, (int)len, text);
			return why;
		}
		if (text[len] == '=') {
			val = strtoull(text + len + 1, &end, 0);
			if (end == text + len + 1 || (*end && *end != ',')) {
				snprintf(why, sizeof(why), "'%s': no value", text);
				return why;
			}
			text = end;
		} else {
			text += len;
		}
		text += *text == ',';
		if (!f) {
			enc->word[i] |= val;
		} else if (!scatter(f->mask, val, &enc->word[f->word])) {
			snprintf(why, sizeof(why), "%s has no room for %#llx",
				 f->name, (unsigned long long)val);
			return why;
		}
	}
	return NULL;
}

char *uncore_alias(const struct uncore_pmu *pmu, const char *alias)
{
	return read_text(DEVICES "/%s/events/%s", pmu->name, alias);
}

/* No .scale, .unit, . or .. */
static int is_alias(const struct dirent *d)
{
	return !strchr(d->d_name, '.');
}

char **uncore_aliases(const struct uncore_pmu *pmu)
{
	struct dirent **entry;
	char path[300], **list;
	int i, n;

	snprintf(path, sizeof(path), DEVICES "/%s/events", pmu->name);
	n = scandir(path, &entry, is_alias, alphasort);
	if (n < 1)
		ksft_exit_fail_msg("%s: no events\n", path);
	list = calloc(n + 1, sizeof(*list));
	for (i = 0; i < n; i++)
		list[i] = entry[i]->d_name;
	return list;
}

struct perf_event_attr uncore_attr(const struct uncore_pmu *pmu, const struct uncore_enc *enc)
{
	return (struct perf_event_attr){
		.type = pmu->type,
		.size = sizeof(struct perf_event_attr),
		.config = enc->word[0],
		.config1 = enc->word[1],
		.config2 = enc->word[2],
		.read_format = UNCORE_READ_FORMAT,
	};
}

int uncore_open_attr(const struct perf_event_attr *attr, int cpu, int group)
{
	int fd = syscall(SYS_perf_event_open, attr, -1, cpu, group, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

int uncore_open_longer(const struct perf_event_attr *attr, uint64_t config3, uint64_t config4,
		       pid_t pid, int cpu)
{
	/* The headers that this is built with may be older. */
	union {
		struct perf_event_attr attr;
		uint64_t word[32];
	} longer = { .attr = *attr };
	int fd;

	longer.word[16] = config3;
	longer.word[17] = config4;
	longer.attr.size = 8 * (config4 ? 18 : config3 ? 17 : 16);
	fd = syscall(SYS_perf_event_open, &longer, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int uncore_try(const struct uncore_pmu *pmu, const char *text, unsigned int socket, int group)
{
	struct perf_event_attr attr;
	struct uncore_enc enc;
	const char *why = uncore_encode(pmu, text, &enc);

	if (why)
		ksft_exit_fail_msg("%s\n", why);
	attr = uncore_attr(pmu, &enc);
	return uncore_open_attr(&attr, pmu->cpu[socket], group);
}

int uncore_open(const struct uncore_pmu *pmu, const char *text, unsigned int socket, int group)
{
	int fd = uncore_try(pmu, text, socket, group);

	if (fd < 0)
		ksft_exit_fail_msg("%s/%s/ on socket %u: %s\n", pmu->name, text, socket,
				   strerror(-fd));
	return fd;
}

void uncore_read_group(int leader, unsigned int n, uint64_t *counts, struct uncore_times *times)
{
	uint64_t buf[3 + 16];
	ssize_t len = read(leader, buf, sizeof(buf));

	if (n > 16 || len < (ssize_t)((3 + n) * sizeof(*buf)) || buf[0] != n)
		ksft_exit_fail_msg("read of a group of %u: %zd bytes of %llu events\n", n, len,
				   len > 0 ? (unsigned long long)buf[0] : 0ull);
	memcpy(counts, buf + 3, n * sizeof(*buf));
	if (times)
		*times = (struct uncore_times){ buf[1], buf[2] };
}

uint64_t uncore_read(int fd)
{
	uint64_t buf[3 + 16];

	if (read(fd, buf, sizeof(buf)) < (ssize_t)(4 * sizeof(*buf)))
		ksft_exit_fail_msg("an event cannot be read: %s\n", strerror(errno));
	return buf[3];
}

bool uncore_ticks(int fd)
{
	uint64_t before = uncore_read(fd), now = before;
	unsigned int i;

	for (i = 0; i < 200 && now == before; i++) {
		usleep(10000);
		now = uncore_read(fd);
	}
	return now > before;
}

int kmsg_open(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);

	if (fd < 0 || lseek(fd, 0, SEEK_END) < 0)
		ksft_exit_fail_msg("/dev/kmsg: %s\n", strerror(errno));
	return fd;
}

bool kmsg_has(int fd, const char *text, char *last, size_t size)
{
	char buf[8192];
	bool found = false;
	ssize_t n;

	if (size)
		*last = 0;
	/* One record for each read; EPIPE: some were overwritten. */
	while ((n = read(fd, buf, sizeof(buf) - 1)) > 0 || errno == EPIPE) {
		bool has;
		char *s;

		if (n <= 0)
			continue;
		buf[n] = 0;
		s = strchr(buf, ';');
		s = s ? s + 1 : buf;
		s[strcspn(s, "\n")] = 0;
		has = text && strstr(s, text);
		/* Keep the line with the text. */
		if (size && (has || !found))
			snprintf(last, size, "%s", s);
		found |= has;
	}
	return found;
}

uint64_t now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ull + ts.tv_nsec;
}
