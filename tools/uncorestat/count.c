// SPDX-License-Identifier: GPL-2.0-only
#include "count.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "clock.h"
#include "util.h"

__attribute__((format(printf, 5, 6)))
static void refuse(struct counting *c, struct pmu *pmu, unsigned int socket, unsigned int event,
		   const char *fmt, ...)
{
	struct refused *r;
	va_list ap;

	c->refused = grow(c->refused, c->nr_refused, sizeof(*c->refused));
	r = &c->refused[c->nr_refused++];
	r->pmu = pmu;
	r->socket = socket;
	r->event = event;
	va_start(ap, fmt);
	vsnprintf(r->why, sizeof(r->why), fmt, ap);
	va_end(ap);
}

/* Exit on errors that do not depend on the event. */
static void fatal(const struct pmu *pmu, int error)
{
	switch (error) {
	case EACCES:
	case EPERM:
	case ENOSYS:
		die("%s", denial(error));
	case EMFILE:
	case ENFILE:
		die("too many open files: raise the limit (ulimit -n)");
	case ENOENT:
		die("%s is gone: was the driver unloaded just now?", pmu->name);
	}
}

/* Add an event to the group; returns false if it is refused. */
static bool open_event(struct counting *c, struct counted *g, unsigned int event, bool say)
{
	struct counter *counter = &g->counters[g->nr];
	uint64_t config[3];
	const char *term;
	int error;

	term = pmu_encode(g->pmu, events[event].encoding, config);
	if (term) {
		refuse(c, g->pmu, g->socket, event, "its driver cannot express %s", term);
		return false;
	}
	if (g->pmu->group && !resctrl_has(g->pmu, g->socket, events[event].name)) {
		refuse(c, g->pmu, g->socket, event, "this processor does not count %s (info/L3_MON)",
		       events[event].name);
		return false;
	}
	if (g->pmu->group) {
		counter->fd = -1;
		counter->event = event;
		g->nr++;
		return true;
	}
	counter->fd = event_open(g->pmu, g->pmu->cpu[g->socket], config,
				 g->nr ? g->counters[0].fd : -1, false);
	if (counter->fd < 0) {
		error = errno;
		if (!g->pmu->hwmon)
			fatal(g->pmu, error);
		if (error == ENODEV)
			refuse(c, g->pmu, g->socket, event,
			       "the box is no longer there; if it comes back and does not count, reload the driver");
		else if (say && error == EINVAL && !strcmp(g->pmu->name, "msr"))
			refuse(c, g->pmu, g->socket, event, "this processor has no %s",
			       events[event].name);
		else if (say)
			refuse(c, g->pmu, g->socket, event, "%s is refused: %s%s",
			       events[event].name, strerror(error),
			       error == EINVAL && !strcmp(c->machine->driver, "snbep_uncore") ?
			       " (dmesg says why)" : "");
		return false;
	}
	counter->event = event;
	g->nr++;
	return true;
}

static struct counted *new_group(struct counting *c, struct pmu *pmu, unsigned int socket)
{
	struct counted *g;

	c->list = grow(c->list, c->nr, sizeof(*c->list));
	g = &c->list[c->nr++];
	g->pmu = pmu;
	g->socket = socket;
	return g;
}

/* Open a set; events that the driver refuses as members get their own group. */
static void open_set(struct counting *c, struct pmu *pmu, unsigned int socket,
		     const struct set *set)
{
	struct counted *g;
	unsigned int i, at = c->nr;

	new_group(c, pmu, socket);
	for (i = 0; i < set->nr; i++) {
		unsigned int refused = c->nr_refused;

		g = &c->list[at];
		if (open_event(c, g, set->events[i], !g->nr) || !g->nr ||
		    c->nr_refused != refused)
			continue;
		g = new_group(c, pmu, socket);
		if (!open_event(c, g, set->events[i], true))
			c->nr--;
	}
	if (!c->list[at].nr)
		c->list[at] = c->list[--c->nr];
}

static void open_box(struct counting *c, struct pmu *pmu, unsigned int socket,
		     const struct plan *plan, unsigned int place, unsigned int present)
{
	unsigned int i;

	for (i = 0; i < plan->nr; i++)
		if (plan->sets[i].type == pmu->type && plan_counts(plan, i, place, present))
			open_set(c, pmu, socket, &plan->sets[i]);
}

/* Open the groups of PMUs from the @first on. */
static void open_pmus(struct counting *c, const struct plan *plan, unsigned int first)
{
	unsigned int socket, i, place, present;
	struct machine *m = c->machine;

	for (socket = 0; socket < m->nr_sockets; socket++) {
		for (i = first; i < m->nr_pmus; i++) {
			struct pmu *pmu = &m->pmus[i], *other;

			if (pmu->cpu[socket] < 0)
				continue;
			place = 0;
			present = 0;
			for (other = m->pmus; other < m->pmus + m->nr_pmus; other++) {
				if (other->type != pmu->type || other->cpu[socket] < 0)
					continue;
				place += other < pmu;
				present++;
			}
			open_box(c, pmu, socket, plan, place, present);
		}
	}
}

void count_open(struct counting *c, struct machine *m, const struct plan *plan)
{
	struct rlimit files;

	c->machine = m;
	if (!getrlimit(RLIMIT_NOFILE, &files)) {
		files.rlim_cur = files.rlim_max;
		/* Ignore errors: opens would fail with a message. */
		setrlimit(RLIMIT_NOFILE, &files);
	}
	open_pmus(c, plan, 0);
}

void count_close(struct counting *c)
{
	unsigned int i, j;

	for (i = 0; i < c->nr; i++)
		for (j = 0; j < c->list[i].nr; j++)
			close(c->list[i].counters[j].fd);
	free(c->list);
	free(c->refused);
	memset(c, 0, sizeof(*c));
}

/* Format of read() with the read_format of event_open() */
struct values {
	uint64_t nr;
	uint64_t enabled;
	uint64_t running;
	uint64_t value[MAX_GROUP_EVENTS];
};

/* Return the time in whole microseconds, by which levels are multiplied. */
static uint64_t time_of_read(void)
{
	return now_ns() / 1000 * 1000;
}

/* Count millidegrees times microseconds, so that the rate is the average. */
static bool temperature_read(const struct counted *g, struct values *v)
{
	char text[20] = "";
	int degrees, end = 0;

	if (pread(g->counters[0].fd, text, sizeof(text) - 1, 0) <= 0 ||
	    sscanf(text, "%8d%n", &degrees, &end) != 1 || text[end] != '\n')
		return false;
	if (degrees < 0)
		degrees = 0;
	v->running = time_of_read();
	v->enabled = v->running;
	v->value[0] = g->counters[0].prev + degrees * ((v->running - g->running) / 1000);
	return true;
}

/* Bytes that were transferred are a sum, and those in the cache a level, in KiB here. */
static bool resctrl_values(const struct machine *m, const struct counted *g, struct values *v)
{
	unsigned int i;

	v->running = time_of_read();
	v->enabled = v->running;
	for (i = 0; i < g->nr; i++) {
		const char *file = events[g->counters[i].event].name;

		if (!resctrl_read(m, g->pmu, g->socket, file, &v->value[i]))
			return false;
		if (!strncmp(file, "llc", 3))
			v->value[i] = g->counters[i].prev +
				v->value[i] / 1024 * ((v->running - g->running) / 1000);
	}
	return true;
}

static bool group_read(const struct machine *m, const struct counted *g, struct values *v)
{
	ssize_t want = (3 + g->nr) * sizeof(uint64_t);

	if (g->pmu->group)
		return resctrl_values(m, g, v);
	if (g->pmu->hwmon)
		return temperature_read(g, v);
	return read(g->counters[0].fd, v, sizeof(*v)) == want && v->nr == g->nr;
}

static void keep(struct counted *g, const struct values *v)
{
	unsigned int i;

	g->enabled = v->enabled;
	g->running = v->running;
	for (i = 0; i < g->nr; i++)
		g->counters[i].prev = v->value[i];
}

static void start(struct counting *c, unsigned int first)
{
	struct values v;
	unsigned int i;

	for (i = first; i < c->nr; i++) {
		if (!group_read(c->machine, &c->list[i], &v)) {
			v = (struct values){ .running = time_of_read() };
			v.enabled = v.running;
			/* What a group of resctrl had before is not of this run. */
			if (c->list[i].pmu->group)
				memset(v.value, 0xff, sizeof(v.value));
			else if (!c->list[i].pmu->hwmon)
				continue;
		}
		keep(&c->list[i], &v);
	}
}

void count_start(struct counting *c)
{
	start(c, 0);
}

bool count_more(struct counting *c, const struct plan *plan)
{
	unsigned int groups = c->nr, pmus = c->machine->nr_pmus;

	if (!c->machine->groups_type || !resctrl_find(c->machine, c->machine->groups_type))
		return false;
	open_pmus(c, plan, pmus);
	start(c, groups);
	return true;
}

/* Reopen a stopped group if stopped_state() found an online CPU for its box. */
static void reopen_group(const struct machine *m, struct counted *g)
{
	struct counter old[MAX_GROUP_EVENTS];
	unsigned int i, nr = g->nr;
	struct values v;

	if (g->pmu->cpu[g->socket] < 0 || g->pmu->group)
		return;
	memcpy(old, g->counters, sizeof(old));
	g->nr = 0;
	for (i = 0; i < nr; i++) {
		uint64_t config[3];

		pmu_encode(g->pmu, events[old[i].event].encoding, config);
		g->counters[i].fd = event_open(g->pmu, g->pmu->cpu[g->socket], config,
					       i ? g->counters[0].fd : -1, false);
		if (g->counters[i].fd < 0)
			break;
		g->nr++;
	}
	if (g->nr == nr && group_read(m, g, &v)) {
		for (i = 0; i < nr; i++)
			close(old[i].fd);
		/* The next temperature stands for the time without one. */
		if (!g->pmu->hwmon)
			keep(g, &v);
		return;
	}
	for (i = 0; i < g->nr; i++)
		close(g->counters[i].fd);
	memcpy(g->counters, old, sizeof(old));
	g->nr = nr;
}

/*
 * Tell a box that is gone from an idle one, as both keep their last values: opening
 * another event fails. It is disabled, so no register is accessed.
 */
static bool is_gone(const struct counted *g)
{
	uint64_t config[3];
	int fd;

	if (g->pmu->group)
		return false;
	pmu_encode(g->pmu, events[g->counters[0].event].encoding, config);
	fd = event_open(g->pmu, g->pmu->cpu[g->socket], config, -1, true);
	if (fd >= 0)
		close(fd);
	return fd < 0 && errno == ENODEV;
}

/* Check idle boxes in the first and then in every eighth interval. */
#define PROBE_EVERY	8

static enum count_state idle_state(struct counting *c, struct counted *g)
{
	if (g->idle++ % PROBE_EVERY)
		return g->state == COUNT_GONE ? COUNT_GONE : COUNT_OK;
	machine_update(c->machine, g->pmu);
	return g->pmu->cpu[g->socket] < 0 || is_gone(g) ? COUNT_GONE : COUNT_OK;
}

/* Return the reason why a group did not run. */
static enum count_state stopped_state(struct counting *c, struct counted *g)
{
	unsigned int i;

	machine_update(c->machine, g->pmu);
	if (g->pmu->cpu[g->socket] >= 0)
		return COUNT_NOT_RUN;
	for (i = 0; i < c->machine->nr_pmus; i++) {
		machine_update(c->machine, &c->machine->pmus[i]);
		if (c->machine->pmus[i].cpu[g->socket] >= 0)
			return COUNT_GONE;
	}
	return COUNT_OFFLINE;
}

#define MAX_TURN	UINT64_C(1000000000)

static void read_group(struct counting *c, struct counted *g)
{
	uint64_t enabled, running, any = 0;
	struct values v;
	unsigned int i;

	g->share = 0;
	if (!group_read(c->machine, g, &v)) {
		g->state = stopped_state(c, g);
		if (g->state == COUNT_NOT_RUN)
			g->state = COUNT_UNREAD;
		/* A group of resctrl with the name of one that is gone counts from 0. */
		for (i = 0; g->pmu->group && g->state != COUNT_UNREAD && i < g->nr; i++)
			g->counters[i].prev = UINT64_MAX;
		reopen_group(c->machine, g);
		return;
	}
	/* A group of resctrl is there again. */
	if (g->pmu->group && g->pmu->cpu[g->socket] < 0)
		machine_update(c->machine, g->pmu);
	enabled = v.enabled - g->enabled;
	running = v.running - g->running;
	for (i = 0; i < g->nr; i++) {
		any |= v.value[i] - g->counters[i].prev;
		g->counters[i].backward = v.value[i] < g->counters[i].prev;
	}
	if (any)
		g->idle = 0;
	if (!running) {
		g->state = stopped_state(c, g);
		if (!enabled)
			reopen_group(c->machine, g);
	} else {
		g->state = any ? COUNT_OK : idle_state(c, g);
	}
	if (g->state == COUNT_OK) {
		g->share = enabled > running ? (double)running / enabled : 1;
		g->seconds = (enabled > running ? enabled : running) / 1e9;
		for (i = 0; i < g->nr; i++)
			g->counters[i].rate = (v.value[i] - g->counters[i].prev) * 1e9 / running;
	}
	/*
	 * Multiplexed groups take turns of milliseconds: the next interval stands for what was not
	 * scheduled before. Longer is a gap, as the counters are somebody else's.
	 */
	if (g->state != COUNT_NOT_RUN || enabled >= MAX_TURN)
		keep(g, &v);
}

void count_read(struct counting *c)
{
	unsigned int i;

	for (i = 0; i < c->nr; i++)
		read_group(c, &c->list[i]);
}
