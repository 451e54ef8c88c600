// SPDX-License-Identifier: GPL-2.0-only
/*
 * Groups of Linux's resctrl as boxes: their files have what the cores of a socket, or rather of an
 * L3 cache, transfer and occupy for the tasks of a group. Groups come and go at any time.
 */
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "machine.h"
#include "util.h"

#define ROOT		"/sys/fs/resctrl"
/* Groups that a run can have */
#define MAX_GROUPS	512
#define MAX_L3		4096
#define MAX_PATH	1300

/* Return the index of the socket that has an L3 cache, or -1. */
static int l3_socket(const struct machine *m, unsigned int id)
{
	static int known[MAX_L3];	/* index + 1 */
	char path[100], line[4096], text[20];
	const char *p = line;
	uint64_t other;
	int lo, hi;

	if (id >= MAX_L3 || (!known[id] && !read_line(CPUS "/online", line, sizeof(line))))
		return -1;
	while (!known[id] && next_range(CPUS "/online", &p, MAX_CPU, &lo, &hi)) {
		for (; lo <= hi; lo++) {
			snprintf(path, sizeof(path), CPUS "/cpu%d/cache/index3/id", lo);
			if (read_line(path, text, sizeof(text)) &&
			    parse_number(text, strlen(text), &other) && other == id)
				known[id] = socket_index(m, cpu_topology(lo, "physical_package_id")) + 1;
		}
	}
	return known[id] - 1;
}

/* Open the directory of the L3 caches in which a group is counted. */
static DIR *open_domains(const struct pmu *pmu)
{
	char path[MAX_PATH];

	snprintf(path, sizeof(path), ROOT "%s/mon_data", pmu->group);
	return opendir(path);
}

/* Return the next L3 cache of a socket, or -1. */
static int next_domain(DIR *domains, const struct machine *m, unsigned int socket)
{
	struct dirent *entry;
	unsigned int id;
	char rest;

	while ((entry = readdir(domains)))
		if (sscanf(entry->d_name, "mon_L3_%4u%c", &id, &rest) == 1 &&
		    l3_socket(m, id) == (int)socket)
			return id;
	return -1;
}

void resctrl_update(const struct machine *m, struct pmu *pmu)
{
	DIR *domains;
	unsigned int s;

	for (s = 0; s < m->nr_sockets; s++) {
		domains = open_domains(pmu);
		pmu->cpu[s] = domains ? next_domain(domains, m, s) : -1;
		if (domains)
			closedir(domains);
	}
}

/* Return the sum over the socket's caches. "Unavailable" and "Error" are no numbers. */
bool resctrl_read(const struct machine *m, const struct pmu *pmu, unsigned int socket,
		  const char *file, uint64_t *sum)
{
	DIR *domains = open_domains(pmu);
	char path[MAX_PATH], line[24];
	bool any = false, all = true;
	uint64_t value;
	int id;

	*sum = 0;
	while (domains && all && (id = next_domain(domains, m, socket)) >= 0) {
		snprintf(path, sizeof(path), ROOT "%s/mon_data/mon_L3_%02d/%s", pmu->group, id, file);
		any = true;
		all = read_line(path, line, sizeof(line)) &&
		      parse_number(line, strlen(line), &value);
		*sum += all ? value : 0;
	}
	if (domains)
		closedir(domains);
	return any && all;
}

bool resctrl_has(const struct pmu *pmu, unsigned int socket, const char *file)
{
	char path[MAX_PATH], line[24];

	snprintf(path, sizeof(path), ROOT "%s/mon_data/mon_L3_%02d/%s", pmu->group,
		 pmu->cpu[socket], file);
	return read_line(path, line, sizeof(line));
}

/* Return a name without what ends a field or a line of some output, %22 for a quote. */
static char *plain_name(const char *name)
{
	char *plain = zalloc(3 * strlen(name) + 1, 1), *p = plain;

	for (; *name; name++)
		p += sprintf(p, *name > ' ' && *name < 127 && !strchr("%\"\\,;{}<>&", *name) ? "%c" :
			     "%%%02x", (unsigned char)*name);
	return plain;
}

static void add_group(struct machine *m, unsigned int type, const char *path, bool part)
{
	struct pmu *pmu, *first = m->pmus;

	while (first < m->pmus + m->nr_pmus && first->type != type)
		first++;
	for (pmu = first; pmu < m->pmus + m->nr_pmus; pmu++)
		if (!strcmp(pmu->group, path))
			return;
	if (pmu - first == MAX_GROUPS) {
		m->more_groups = true;
		return;
	}
	*pmu = (struct pmu){
		.name = "resctrl", .type = type, .instance = pmu - first, .part = part,
		.group = format("%s", path), .box = plain_name(*path ? path : "/"),
	};
	resctrl_update(m, pmu);
	m->nr_pmus++;
}

/* Add the groups in a directory; those of @part are counted in another one, too. */
static void find_groups(struct machine *m, unsigned int type, const char *path, bool part)
{
	char child[MAX_PATH];
	struct dirent *entry;
	DIR *dir;

	snprintf(child, sizeof(child), ROOT "%s", path);
	dir = opendir(child);
	while (dir && (entry = readdir(dir))) {
		const char *name = entry->d_name;

		if (entry->d_type != DT_DIR || !strcmp(name, ".") || !strcmp(name, "..") ||
		    (!part && (!strcmp(name, "info") || !strcmp(name, "mon_data") ||
			       !strcmp(name, "mon_groups"))))
			continue;
		snprintf(child, sizeof(child), "%s/%s", path, name);
		add_group(m, type, child, part);
		if (!part) {
			snprintf(child, sizeof(child), "%s/%s/mon_groups", path, name);
			find_groups(m, type, child, true);
		}
	}
	if (dir)
		closedir(dir);
}

unsigned int resctrl_find(struct machine *m, unsigned int type)
{
	unsigned int before = m->nr_pmus;
	DIR *dir = opendir(ROOT "/info");

	if (!dir)
		return 0;
	closedir(dir);
	/* Pointers to PMUs stay valid, as all have their room from the start. */
	if (!m->groups_type) {
		m->groups_type = type;
		m->pmus = realloc(m->pmus, (m->nr_pmus + MAX_GROUPS) * sizeof(*m->pmus));
		if (!m->pmus)
			die("out of memory");
	}
	add_group(m, type, "", false);
	find_groups(m, type, "/mon_groups", true);
	find_groups(m, type, "", false);
	return m->nr_pmus - before;
}

bool resctrl_forget(struct machine *m)
{
	unsigned int i, s, kept = 0, before = m->nr_pmus;

	for (i = 0; i < before; i++) {
		struct pmu *pmu = &m->pmus[i];

		for (s = 0; s < m->nr_sockets && pmu->cpu[s] < 0; )
			s++;
		if (pmu->group && s == m->nr_sockets) {
			free((char *)pmu->group);
			free((char *)pmu->box);
		} else {
			m->pmus[kept++] = *pmu;
		}
	}
	m->nr_pmus = kept;
	m->more_groups = kept == before;
	if (kept < before)
		resctrl_find(m, m->groups_type);
	return kept < before;
}

const char *resctrl_hidden(void)
{
	DIR *dir = opendir(ROOT);

	if (dir)
		closedir(dir);
	return dir ? "mount it (mount -t resctrl resctrl " ROOT ")" :
		"the kernel has none (CONFIG_X86_CPU_RESCTRL), or this processor none (cqm_llc in /proc/cpuinfo)";
}
