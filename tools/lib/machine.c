// SPDX-License-Identifier: GPL-2.0-only
#include "machine.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "util.h"

#define DEVICES	"/sys/bus/event_source/devices"
#define HWMON	"/sys/class/hwmon/hwmon"
#define PCI	"/sys/bus/pci/devices"
#define MAX_HWMON	256

/* Prefixes of PMU names: snbep_uncore, and intel_uncore or uncore_names=1 */
static const char * const prefixes[] = { "snbep_uncore_", "uncore_" };

bool read_line(const char *path, char *buf, int size)
{
	FILE *in = fopen(path, "re");
	bool ok;

	if (!in)
		return false;
	ok = fgets(buf, size, in);
	fclose(in);
	if (ok)
		buf[strcspn(buf, "\n")] = 0;
	return ok;
}

bool parse_number(const char *text, size_t len, uint64_t *value)
{
	int base = len > 2 && text[0] == '0' && text[1] == 'x' ? 16 : 10;
	const char *digits = base == 16 ? text + 2 : text;
	char *end;

	/* strtoull() takes blanks and a sign. */
	if (!len || !isxdigit((unsigned char)*digits))
		return false;
	errno = 0;
	*value = strtoull(digits, &end, base);
	return end == text + len && !errno;
}

/* Read the type of a PMU, none of perf's own ones; returns false without one. */
static bool read_type(const char *name, uint32_t *type)
{
	char path[400], line[20];
	uint64_t value;

	snprintf(path, sizeof(path), DEVICES "/%s/type", name);
	if (!read_line(path, line, sizeof(line)) || !parse_number(line, strlen(line), &value) ||
	    value < PERF_TYPE_MAX || value > UINT32_MAX)
		return false;
	*type = value;
	return true;
}

bool next_range(const char *path, const char **list, long most, int *lo, int *hi)
{
	long first, last;
	char *end;

	if (!**list)
		return false;
	first = strtol(*list, &end, 10);
	last = *end == '-' ? strtol(end + 1, &end, 10) : first;
	if (end == *list || first < 0 || last < first || last > most || (*end && *end != ','))
		die("%s: no list of numbers up to %ld: %s", path, most, *list);
	*lo = first;
	*hi = last;
	*list = end + (*end == ',');
	return true;
}

int cpu_topology(int cpu, const char *what)
{
	char path[100], line[20];

	snprintf(path, sizeof(path), CPUS "/cpu%d/topology/%s", cpu, what);
	return read_line(path, line, sizeof(line)) ? atoi(line) : -1;
}

int socket_index(const struct machine *m, int package)
{
	unsigned int i;

	for (i = 0; i < m->nr_sockets; i++)
		if (m->sockets[i] == package)
			return i;
	return -1;
}

static int compare_ints(const void *a, const void *b)
{
	return *(const int *)a - *(const int *)b;
}

static void find_sockets(struct machine *m)
{
	const char *path = CPUS "/online";
	char online[4096];
	const char *p = online;
	int lo, hi, package;

	if (!read_line(path, online, sizeof(online)))
		die("no %s: mount sysfs", path);
	while (next_range(path, &p, MAX_CPU, &lo, &hi)) {
		for (; lo <= hi; lo++) {
			package = cpu_topology(lo, "physical_package_id");
			if (package >= 0 && socket_index(m, package) < 0 &&
			    m->nr_sockets < MAX_SOCKETS)
				m->sockets[m->nr_sockets++] = package;
		}
	}
	qsort(m->sockets, m->nr_sockets, sizeof(m->sockets[0]), compare_ints);
}

static bool known, virtual, no_qpi;

/* Return the name of a PCI device with one of these IDs, or NULL. */
static const char *find_pci(const char *ids)
{
	static char name[60];
	char path[400], id[20];
	struct dirent *entry;
	DIR *dir = opendir(PCI);
	bool found = false;

	while (dir && !found && (entry = readdir(dir))) {
		snprintf(path, sizeof(path), PCI "/%s/vendor", entry->d_name);
		if (!read_line(path, id, sizeof(id)) || strcmp(id, "0x8086"))
			continue;
		snprintf(path, sizeof(path), PCI "/%s/device", entry->d_name);
		found = read_line(path, id, sizeof(id)) && strlen(id) == 6 && strstr(ids, id + 2);
		snprintf(name, sizeof(name), "%.50s", entry->d_name);
	}
	if (dir)
		closedir(dir);
	return found ? name : NULL;
}

const char *box_hidden(unsigned int type, bool some)
{
	const char *name = box_types[type].name, *ids = box_pci(name);
	const char *device = some ? NULL : find_pci(ids);
	static char hidden[120];
	bool qpi = !strcmp(name, "qpi");

	if (!strcmp(name, "coretemp"))
		return "load Linux's driver (modprobe coretemp)";
	if (!strcmp(name, "resctrl"))
		return resctrl_hidden();
	if (!strcmp(name, "power"))
		return "load Linux's driver (modprobe rapl)";
	if (device) {
		snprintf(hidden, sizeof(hidden),
			 "PCI device %s is there, but not to the driver (dmesg)", device);
		return hidden;
	}
	if (qpi && no_qpi)
		return "processors for one socket have no QPI port";
	if (!*ids)
		return "the driver has none";
	return qpi ? "absent or hidden by the BIOS, as on most boards" : "absent or hidden by the BIOS";
}

bool box_parse(struct pmu *pmu)
{
	size_t len = strcspn(pmu->box, "_");
	const char *number = pmu->box + len + (pmu->box[len] == '_');
	size_t digits = strspn(number, "0123456789");
	unsigned int i;

	/* A name goes into every output as it is. */
	if (number[digits] || digits > 4 || !digits != !pmu->box[len])
		return false;

	for (i = 0; i < nr_box_types; i++) {
		if (strlen(box_types[i].name) != len || memcmp(box_types[i].name, pmu->box, len))
			continue;
		pmu->type = i;
		pmu->instance = atoi(number);
		return true;
	}
	return false;
}

/* Parse "config:0-7,21". */
static void add_field(struct pmu *pmu, const char *name)
{
	char path[400], line[100];
	struct field f = { .word = 0 };
	const char *p;
	int lo, hi;

	snprintf(path, sizeof(path), DEVICES "/%s/format/%s", pmu->name, name);
	if (strlen(name) >= sizeof(f.name) || !read_line(path, line, sizeof(line)) ||
	    strncmp(line, "config", 6))
		return;
	strcpy(f.name, name);
	p = line + 6;
	if (isdigit((unsigned char)*p))
		f.word = *p++ - '0';
	if (*p++ != ':' || f.word > 2)
		return;
	while (next_range(path, &p, 63, &lo, &hi))
		for (; lo <= hi; lo++)
			f.mask |= 1ull << lo;
	if (!f.mask)
		return;
	pmu->fields = grow(pmu->fields, pmu->nr_fields, sizeof(f));
	pmu->fields[pmu->nr_fields++] = f;
}

static void find_fields(struct pmu *pmu)
{
	char path[400];
	struct dirent *entry;
	DIR *dir;

	snprintf(path, sizeof(path), DEVICES "/%s/format", pmu->name);
	dir = opendir(path);
	while (dir && (entry = readdir(dir)))
		if (entry->d_name[0] != '.')
			add_field(pmu, entry->d_name);
	if (dir)
		closedir(dir);
}

/* Whether Linux numbers packages in the order of their IDs, not in that of its CPUs: from 6.9 on */
static bool numbers_by_id(void)
{
	struct utsname kernel;
	int major, minor;

	if (uname(&kernel) || sscanf(kernel.release, "%d.%d", &major, &minor) != 2)
		return true;
	return major > 6 || (major == 6 && minor >= 9);
}

/*
 * Find coretemp's device of each socket. Its label has Linux's own number of the package, without
 * gaps where IDs have some, so only the order counts. @pmu->cpu has the first CPU of each socket.
 */
static void find_coretemp(const struct machine *m, struct pmu *pmu)
{
	int found[MAX_SOCKETS], n, first[MAX_SOCKETS];
	char path[100], name[20], label[40];
	unsigned int nr = 0, s, i, place;
	uint64_t package;

	for (n = 0; n < MAX_HWMON && nr < MAX_SOCKETS; n++) {
		snprintf(path, sizeof(path), HWMON "%d/name", n);
		if (!read_line(path, name, sizeof(name)) || strcmp(name, pmu->name))
			continue;
		snprintf(path, sizeof(path), HWMON "%d/temp1_label", n);
		if (read_line(path, label, sizeof(label)) &&
		    !strncmp(label, "Package id ", 11) &&
		    parse_number(label + 11, strlen(label + 11), &package) && package <= MAX_CPU)
			found[nr++] = package * MAX_HWMON + n;
	}
	qsort(found, nr, sizeof(found[0]), compare_ints);
	memcpy(first, pmu->cpu, sizeof(first));
	memset(pmu->cpu, 0xff, sizeof(pmu->cpu));
	for (s = 0; s < m->nr_sockets; s++)
		if (first[s] < 0 || nr != m->nr_sockets)
			return;
	for (s = 0; s < nr; s++) {
		for (i = 0, place = 0; i < nr; i++)
			place += numbers_by_id() ? i < s : first[i] < first[s];
		pmu->cpu[s] = found[place] % MAX_HWMON;
	}
}

void machine_update(struct machine *m, struct pmu *pmu)
{
	unsigned int nth[MAX_SOCKETS] = { 0 };
	bool online = pmu->hwmon || !strcmp(pmu->name, "msr");
	char path[400], line[4096];
	const char *p = line;
	int lo, hi, socket;

	if (pmu->group) {
		resctrl_update(m, pmu);
		return;
	}
	memset(pmu->cpu, 0xff, sizeof(pmu->cpu));
	snprintf(path, sizeof(path), online ? CPUS "/online" : DEVICES "/%s/cpumask", pmu->name);
	if (!read_line(path, line, sizeof(line)))
		return;
	while (next_range(path, &p, MAX_CPU, &lo, &hi)) {
		for (; lo <= hi; lo++) {
			socket = socket_index(m, cpu_topology(lo, "physical_package_id"));
			if (socket >= 0 && !(pmu->silent >> socket & 1) &&
			    (!online || nth[socket]++ == pmu->instance))
				pmu->cpu[socket] = lo;
		}
	}
	if (pmu->hwmon)
		find_coretemp(m, pmu);
}

static int compare_pmus(const void *a, const void *b)
{
	const struct pmu *p = a, *q = b;

	if (p->type != q->type)
		return p->type < q->type ? -1 : 1;
	return (p->instance > q->instance) - (p->instance < q->instance);
}

static void find_pmus(struct machine *m, const char *prefix)
{
	struct dirent *entry;
	struct pmu pmu;
	DIR *dir;

	dir = opendir(DEVICES);
	while (dir && (entry = readdir(dir))) {
		if (strncmp(entry->d_name, prefix, strlen(prefix)) ||
		    strlen(entry->d_name) >= sizeof(pmu.name))
			continue;
		memset(&pmu, 0, sizeof(pmu));
		strcpy(pmu.name, entry->d_name);
		/* Not in @pmu, which moves when the array grows and is sorted */
		pmu.box = format("%s", entry->d_name + strlen(prefix));
		/* With @all, boxes of types that are in no table, too */
		pmu.type = nr_box_types;
		if ((!box_parse(&pmu) && !m->all) || !read_type(pmu.name, &pmu.perf_type))
			continue;
		find_fields(&pmu);
		machine_update(m, &pmu);
		m->pmus = grow(m->pmus, m->nr_pmus, sizeof(pmu));
		m->pmus[m->nr_pmus++] = pmu;
	}
	if (dir)
		closedir(dir);
	if (m->nr_pmus)
		qsort(m->pmus, m->nr_pmus, sizeof(m->pmus[0]), compare_pmus);
}

void machine_find_linux(struct machine *m, unsigned int type)
{
	const char *name = box_types[type].name;
	struct pmu pmu = { .type = type, .hwmon = !strcmp(name, "coretemp") };
	unsigned int s;
	bool any, msr = !strcmp(name, "msr");

	if (!strcmp(name, "resctrl"))
		resctrl_find(m, type);
	if (!pmu.hwmon && !read_type(name, &pmu.perf_type))
		return;
	strcpy(pmu.name, name);
	find_fields(&pmu);
	do {
		machine_update(m, &pmu);
		for (s = 0, any = false; s < m->nr_sockets; s++)
			any |= pmu.cpu[s] >= 0;
		pmu.box = msr ? format("msr_%u", pmu.instance) : name;
		if (any) {
			m->pmus = grow(m->pmus, m->nr_pmus, sizeof(pmu));
			m->pmus[m->nr_pmus++] = pmu;
			pmu.instance++;
		}
	} while (any && msr);
}

void machine_generation(void)
{
	FILE *in = fopen("/proc/cpuinfo", "re");
	const struct generation *g = generations;
	unsigned int family = 0, model = 0;
	char line[4096];

	while (in && fgets(line, sizeof(line), in)) {
		if (sscanf(line, "cpu family : %u", &family) != 1)
			sscanf(line, "model : %u", &model);
		if (!strncmp(line, "model name", 10))
			no_qpi = strstr(line, "E5-16") || strstr(line, " i7-");
		if (strncmp(line, "flags", 5))
			continue;
		virtual = strstr(line, " hypervisor");
		break;
	}
	if (in)
		fclose(in);
	while (g < generations + nr_generations && (family != 6 || model != g->model))
		g++;
	known = g < generations + nr_generations;
	stat_init(known ? g : generations);
}

unsigned int metric_index(const char *name)
{
	unsigned int i;

	for (i = 0; i < nr_metrics; i++)
		if (!strcmp(metrics[i].name, name))
			return i;
	die("no metric %s: see --list", name);
}

void machine_find(struct machine *m)
{
	char line[20];
	unsigned int i;

	if (!known) {
		/* EX_CONFIG: a service need not try again. */
		die_status = 78;
		die("this processor is no Xeon E5-2600, v2, v3 or v4 (family 6, model 45, 62, 63 or 79)");
	}
	find_sockets(m);
	for (i = 0; i < ARRAY_SIZE(prefixes) && !m->nr_pmus; i++)
		find_pmus(m, prefixes[i]);
	/* With uncore_names=1, snbep_uncore takes intel_uncore's names. */
	m->driver = read_line("/sys/module/snbep_uncore/initstate", line, sizeof(line)) || i == 1 ?
		"snbep_uncore" : "intel_uncore";
	if (m->nr_pmus)
		return;
	if (virtual)
		die("this virtual machine shows no uncore: run it on the host");
	die("there is no uncore PMU: load a driver (modprobe %.*s)",
	    (int)strcspn(generation->drivers, ","), generation->drivers);
}

const char *pmu_encode(const struct pmu *pmu, const char *text, uint64_t config[3])
{
	static char term[64];
	const struct field *f;
	unsigned int bit;
	uint64_t value;

	memset(config, 0, 3 * sizeof(*config));
	while (*text) {
		size_t len = strcspn(text, ","), name = strcspn(text, "=,");

		snprintf(term, sizeof(term), "%.*s", (int)len, text);
		value = 1;
		if (name < len && !parse_number(text + name + 1, len - name - 1, &value))
			return term;
		for (f = pmu->fields; f < pmu->fields + pmu->nr_fields; f++)
			if (strlen(f->name) == name && !memcmp(f->name, text, name))
				break;
		/* A value of 0 needs no field. */
		if (f == pmu->fields + pmu->nr_fields && value)
			return term;
		for (bit = 0; value && bit < 64; bit++) {
			if (!(f->mask >> bit & 1))
				continue;
			config[f->word] |= (uint64_t)(value & 1) << bit;
			value >>= 1;
		}
		if (value)
			return term;
		text += len + (text[len] == ',');
	}
	return NULL;
}

struct perf_event_attr event_attr(const struct pmu *pmu, const uint64_t config[3])
{
	return (struct perf_event_attr){
		.size = sizeof(struct perf_event_attr),
		.type = pmu->perf_type,
		.config = config[0],
		.config1 = config[1],
		.config2 = config[2],
		.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			       PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

int event_open_attr(const struct perf_event_attr *attr, int cpu, int group)
{
	return syscall(__NR_perf_event_open, attr, -1, cpu, group, PERF_FLAG_FD_CLOEXEC);
}

int event_open(const struct pmu *pmu, int cpu, const uint64_t config[3], int group,
	       bool disabled)
{
	struct perf_event_attr attr = event_attr(pmu, config);
	char path[100];

	if (pmu->hwmon) {
		snprintf(path, sizeof(path), HWMON "%d/temp1_input", cpu);
		return open(path, O_RDONLY | O_CLOEXEC);
	}
	attr.disabled = disabled;
	return event_open_attr(&attr, cpu, group);
}

const char *denial(int error)
{
	FILE *in = fopen("/proc/self/status", "re");
	unsigned long long held = 0;
	char line[200] = "";
	static char text[320];
	bool admin;

	while (in && fgets(line, sizeof(line), in) && sscanf(line, "CapEff: %llx", &held) != 1)
		;
	if (in)
		fclose(in);
	if (!read_line("/proc/sys/kernel/perf_event_paranoid", line, sizeof(line)))
		strcpy(line, "2");
	/* Above 2, which Debian and Ubuntu have, their kernels want CAP_SYS_ADMIN. */
	admin = atoi(line) > 2;
	if (error == ENOSYS)
		return "this kernel has no perf events, or a container's seccomp filter hides them";
	if (held & (1ull << CAP_SYS_ADMIN | (admin ? 0 : 1ull << CAP_PERFMON)))
		return "the container denies perf events (seccomp filter, or no root outside of it): run on the host";
	snprintf(text, sizeof(text),
		 "not allowed to count: be root, have %s, or set kernel.perf_event_paranoid, which is %s, to 0 (sysctl)",
		 admin ? "CAP_SYS_ADMIN" : "CAP_PERFMON", line);
	return text;
}

bool pmu_alias(const struct pmu *pmu, const char *alias, char *text, int size)
{
	char path[400], *p;

	snprintf(path, sizeof(path), DEVICES "/%s/events/%s", pmu->name, alias);
	/* perf does not distinguish upper and lower case here. */
	for (p = strrchr(path, '/'); *p; p++)
		*p = tolower((unsigned char)*p);
	return read_line(path, text, size);
}
