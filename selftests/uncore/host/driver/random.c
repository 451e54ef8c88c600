// SPDX-License-Identifier: GPL-2.0-only
/*
 * Operations of perf in any order on the boxes of a kind: every event counts
 * exactly what happens while it is on, on a counter that may count it, with its
 * own filter, and what has no room is what no arrangement has room for.
 */
#include "snbep/counters.h"
#include "snbep/pmus.h"
#include "tests.h"

#define ANY	0xf
#define NR	6		/* groups at a time */

/* Events as the guide's tables have them, and what they want of a box */
static const struct sample {
	const char *kind;
	u64 config[3];
	u32 filter[4];
	unsigned int ctrs;
} samples[] = {
	{ "cbox", { 0x00 }, { }, ANY },
	{ "cbox", { 0x113 }, { }, 0x3 },
	{ "cbox", { 0x11b }, { }, 0xc },
	{ "cbox", { 0x836 }, { }, 0x1 },
	{ "cbox", { 0x0100041b }, { }, 0xc },
	{ "cbox", { 0x335, 0x182u << 23 }, { 0xc1000000 }, 0x3 },
	{ "cbox", { 0x335, 0x1c8u << 23 }, { 0xe4000000 }, 0x3 },
	{ "cbox", { 0x0334, 1 << 18 }, { 1 << 18 }, 0x3 },
	{ "cbox", { 0x0334 }, { 0x1f << 18 }, 0x3 },
	{ "cbox", { 0x4037, 5 << 10 }, { 5 << 10 }, 0x3 },
	{ "cbox", { 1 << 19, 3 }, { 3 }, ANY },
	{ "cbox", { 1 << 19 }, { 0 }, ANY },
	{ "ha", { 0x0e }, { }, ANY }, { "ha", { 0x00 }, { }, ANY },
	{ "ha", { 0x03000301 }, { }, ANY },
	{ "ha", { 0x320, 0x123456789a40, 0x15 },
	  { 0x56789a40, 0x1234, 0x15 }, ANY },
	{ "ha", { 0x320, 0x3fffffffffc0, 0x3f },
	  { 0xffffffc0, 0x3fff, 0x3f }, ANY },
	{ "ha", { 0x320 }, { }, ANY },
	{ "imc", { 0x01 }, { }, ANY }, { "imc", { 0x304 }, { }, ANY },
	{ "imc", { 0xff }, { }, 1 << FIXED }, { "imc", { 0x00 }, { }, ANY },
	{ "imc", { 0x05840081 }, { }, ANY },
	{ "pcu", { 0x01 }, { }, ANY }, { "pcu", { 0x200003 }, { }, ANY },
	{ "pcu", { 0x0b, 12 }, { 12 }, ANY },
	{ "pcu", { 0x0b, 13 }, { 13 }, ANY },
	{ "pcu", { 0x0c, 14 << 8 }, { 14 << 8 }, ANY },
	{ "pcu", { 0x0d, 15 << 16 }, { 15 << 16 }, ANY },
	{ "pcu", { 0x0e, 0xc8u << 24 }, { 0xc8000000 }, ANY },
	{ "pcu", { 0x1e }, { 0 }, ANY }, { "pcu", { 0x4080 }, { }, ANY },
	{ "pcu", { 0x4400808b, 12 }, { 12 }, ANY },
	{ "qpi", { 0x04 }, { }, ANY }, { "qpi", { 0x14 }, { }, ANY },
	{ "qpi", { 0x200802 }, { }, ANY },
	{ "qpi", { 0x200038, 0x000a000580020108, 0x000f000f8003ffff & ~7ull },
	  { 0x80020108, 0x000a0005, 0x8003fff8, 0x000f000f }, ANY },
	{ "qpi", { 0x200038 }, { }, ANY },
	{ "r2pcie", { 0x12 }, { }, 0x1 }, { "r2pcie", { 0x01 }, { }, ANY },
	{ "r2pcie", { 0x810 }, { }, 0x3 }, { "r2pcie", { 0x24 }, { }, 0x1 },
	{ "r3qpi", { 0x01 }, { }, 0x7 }, { "r3qpi", { 0x113 }, { }, 0x1 },
	{ "r3qpi", { 0x111 }, { }, 0x3 },
	{ "ubox", { 0x44 }, { }, 0x3 }, { "ubox", { 0x142 }, { }, 0x3 },
	{ "ubox", { 0xff }, { }, 1 << FIXED },
};

struct member {
	struct perf_event *event;
	const struct sample *sample;
	u64 expect;
	bool stopped;
};

static struct group {
	struct member m[5];
	unsigned int n;
} groups[NR];
static struct hw_box *box;
static struct pmu *pmu;
static unsigned int operations;

static unsigned int draw(unsigned int n)
{
	return (noise() >> 24) % n;
}

static const struct sample *draw_sample(void)
{
	const struct sample *s;

	do
		s = &samples[(noise() >> 16) % ARRAY_SIZE(samples)];
	while (strcmp(s->kind, box->kind->name));
	return s;
}

static u32 control(const struct sample *s)
{
	return s->ctrs == 1 << FIXED ? EN : (u32)s->config[0] | EN;
}

static u64 rate(const struct sample *s)
{
	return machine_rate(box->kind, s->ctrs == 1 << FIXED ? FIXED : 0,
			    control(s), s->filter);
}

/* Whether some arrangement has room for all, and their filters agree */
static bool place(const struct sample **s, unsigned int n, unsigned int taken)
{
	unsigned int i;

	if (!n)
		return true;
	for (i = 0; i <= FIXED; i++) {
		if ((s[0]->ctrs & ~taken & BIT(i)) &&
		    (i == FIXED || i < box->kind->counters) &&
		    place(s + 1, n - 1, taken | BIT(i)))
			return true;
	}
	return false;
}

static bool agree(const struct sample *a, const struct sample *b)
{
	unsigned int r;

	for (r = 0; r < box->kind->filters; r++) {
		if ((a->filter[r] ^ b->filter[r]) &
		    machine_looks_at(box->kind, control(a), r) &
		    machine_looks_at(box->kind, control(b), r))
			return false;
	}
	return true;
}

static bool fits(const struct sample **s, unsigned int n)
{
	unsigned int i, j;

	for (i = 0; i < n; i++) {
		for (j = 0; j < i; j++) {
			if (!agree(s[i], s[j]))
				return false;
		}
	}
	return place(s, n, 0);
}

/* What is on, and a group that is to come */
static bool has_room(const struct group *g)
{
	const struct sample *s[5 * NR];
	unsigned int i, j, n = 0;

	for (i = 0; i < NR; i++) {
		if (!groups[i].n || (!groups[i].m[0].event->on &&
				     &groups[i] != g))
			continue;
		for (j = 0; j < groups[i].n; j++)
			s[n++] = groups[i].m[j].sample;
	}
	return fits(s, n);
}

static void tick(u64 n)
{
	unsigned int i, j;

	mock_cycles += n << 20;
	machine_tick(box, n);
	for (i = 0; i < NR; i++) {
		for (j = 0; j < groups[i].n; j++) {
			struct member *m = &groups[i].m[j];

			if (m->event->on && !m->stopped)
				m->expect += n * rate(m->sample);
		}
	}
}

static void check_count(struct member *m, const char *what)
{
	if (m->event->count.a.a.v != (long)m->expect)
		fault("%s: event %#llx, %s: counted %ld, not %lld", box->name,
		      (unsigned long long)m->sample->config[0], what,
		      m->event->count.a.a.v, (long long)m->expect);
}

/* As many counters run as events are on, each where its event may be. */
static void check_counters(void)
{
	struct snbep_counters *inside =
		to_counters(to_snbep_pmu(pmu)->box[box->socket]);
	unsigned int i, j, c, on = 0, running = 0;

	for (i = 0; i < NR; i++) {
		for (j = 0; j < groups[i].n; j++) {
			const struct member *m = &groups[i].m[j];

			if (!m->event->on || m->stopped)
				continue;
			on++;
			for (c = 0; c <= FIXED; c++) {
				if ((m->sample->ctrs & BIT(c)) &&
				    machine_counts(box, c) &&
				    box->ctl[c] == control(m->sample))
					break;
			}
			if (c > FIXED)
				fault("%s: event %#llx is on no counter that may count it",
				      box->name,
				      (unsigned long long)m->sample->config[0]);
		}
	}
	for (c = 0; c <= FIXED; c++)
		running += !!(box->ctl[c] & EN);
	/* Nobody else reads without the lock. */
	if (inside->fast_cpu != -1 && inside->fast_cpu != inside->box.cpu)
		fault("%s: CPU %d reads without the lock, and CPU %d changes it",
		      box->name, inside->fast_cpu, inside->box.cpu);
	if (on && !mock_timer_set(box->socket))
		fault("%s: nobody looks at its counters", box->name);
	if (running != on)
		fault("%s: %u counters are enabled, %u events are on",
		      box->name, running, on);
}

static unsigned int any_cpu(void)
{
	unsigned int cpu = 2 * box->socket + draw(2);

	return cpu_online(cpu) ? cpu : cpu ^ 1;
}

static void open_group(struct group *g)
{
	const struct sample *s[5];
	unsigned int i, n = 1 + draw(3);
	int err;

	/* A group of one more than there are counters, now and then */
	if (!draw(8))
		n = box->kind->counters + 1;
	for (i = 0; i < n; i++) {
		struct perf_event_attr attr;
		struct member *m = &g->m[i];

		s[i] = draw_sample();
		attr = (struct perf_event_attr){
			.config = s[i]->config[0], .config1 = s[i]->config[1],
			.config2 = s[i]->config[2],
		};
		*m = (struct member){ .sample = s[i] };
		m->event = mock_open(pmu, &attr, any_cpu(),
				     i ? g->m[0].event : NULL, &err);
		if (!m->event != !fits(s, i + 1))
			fault("%s: member %u, event %#llx: %d", box->name, i,
			      (unsigned long long)s[i]->config[0], err);
		if (err && err != -EINVAL)
			fault("%s: error %d", box->name, err);
		if (!m->event)
			break;
		g->n = i + 1;
	}
}

static void close_group(struct group *g)
{
	unsigned int i;

	mock_sched_out(g->m[0].event);
	for (i = 0; i < g->n; i++)
		check_count(&g->m[i], "at the end");
	mock_close(g->m[0].event);
	g->n = 0;
}

static void sched_in(struct group *g)
{
	bool want = has_room(g), got;
	unsigned int i;

	if (g->m[0].event->on)
		return;
	got = mock_sched_in(g->m[0].event);
	if (want != got)
		fault("%s: a group of %u is %s", box->name, g->n,
		      got ? "taken where there is no room" : "turned away");
	for (i = 0; i < g->n; i++)
		g->m[i].stopped = false;
}

static void start_stop(struct group *g)
{
	struct member *m = &g->m[draw(g->n)];

	if (!m->event->on)
		return;
	mock_cpu = m->event->cpu;
	mock_irqs_off++;
	if (m->stopped)
		pmu->start(m->event, 0);
	else
		pmu->stop(m->event, 0);
	mock_irqs_off--;
	m->stopped = !m->stopped;
	if (m->stopped)
		check_count(m, "when stopped");
}

static void read_some(struct group *g)
{
	unsigned int i = draw(g->n);

	if (draw(2)) {
		mock_read(g->m[i].event, any_cpu());
		check_count(&g->m[i], "when read");
		return;
	}
	mock_read_group(g->m[0].event, any_cpu());
	for (i = 0; i < g->n; i++)
		check_count(&g->m[i], "read with its group");
}

/* The CPU of the socket that all events are on */
static unsigned int owner(void)
{
	unsigned int i;

	for (i = 0; i < NR; i++) {
		if (groups[i].n)
			return groups[i].m[0].event->cpu;
	}
	return any_cpu();
}

static bool any_stopped(void)
{
	unsigned int i, j;

	for (i = 0; i < NR; i++) {
		for (j = 0; j < groups[i].n; j++) {
			if (groups[i].m[j].event->on && groups[i].m[j].stopped)
				return true;
		}
	}
	return false;
}

/* perf takes all off and puts them or others on: written once, if at all */
static void rotate(bool same)
{
	unsigned int i, first = draw(NR), cpu = owner();
	bool was_on[NR], stopped = any_stopped();

	machine_tally(box);
	mock_disable(pmu, cpu);
	for (i = 0; i < NR; i++) {
		was_on[i] = groups[i].n && groups[i].m[0].event->on;
		if (was_on[i])
			mock_sched_out(groups[i].m[0].event);
	}
	if (box->writes + box->reads)
		fault("%s: accessed before all changes were made", box->name);
	/* Others are started or stopped on this occasion. */
	if (!same && groups[first].n && !was_on[first])
		sched_in(&groups[first]);
	if (!same && groups[first].n)
		start_stop(&groups[first]);
	for (i = 0; i < NR; i++) {
		struct group *g = &groups[(first + i) % NR];

		if (g->n && (!same || was_on[(first + i) % NR]))
			sched_in(g);
	}
	mock_enable(pmu, cpu);
	if (same && !stopped && box->writes + box->reads)
		fault("%s: %u reads and %u writes for events that stay",
		      box->name, box->reads, box->writes);
}

/* A third CPU reads while events migrate; those that are off stand still. */
static void read_meanwhile(void)
{
	unsigned int i, j, cpu, back = mock_cpu;

	for (cpu = 2 * box->socket; cpu < 2 * box->socket + 2; cpu++) {
		for (i = 0; cpu_online(cpu) && i < NR; i++) {
			if (groups[i].n && groups[i].m[0].event->on)
				mock_read_group(groups[i].m[0].event, cpu);
			for (j = 0; j < groups[i].n; j++) {
				if (groups[i].m[j].event->on)
					check_count(&groups[i].m[j],
						    "while it migrates");
			}
		}
	}
	mock_cpu = back;
}

/* The socket's events go to its other CPU, and perhaps back. */
static void hotplug(void)
{
	unsigned int cpu = 2 * box->socket + draw(2);

	hooks.migrating = draw(2) ? read_meanwhile : NULL;
	if (!cpu_online(cpu)) {
		mock_cpu_up(cpu);
	} else if (cpu_online(cpu ^ 1)) {
		machine_tally(box);
		if (any_stopped())
			return;
		mock_cpu_down(cpu);
		if (hooks.migrating)
			read_meanwhile();
		else if (box->writes + box->reads)
			fault("%s: %u reads and %u writes while its events migrate",
			      box->name, box->reads, box->writes);
	}
}

/* Whether an event that is on looks at a filter register */
static bool in_use(unsigned int reg)
{
	unsigned int i, j;

	for (i = 0; i < NR; i++) {
		for (j = 0; j < groups[i].n; j++) {
			const struct member *m = &groups[i].m[j];

			if (m->event->on &&
			    machine_looks_at(box->kind, control(m->sample), reg))
				return true;
		}
	}
	return false;
}

/*
 * A sleep leaves anything in the registers of a box that is in use. What no
 * event needs is as after a reset.
 */
static void sleep_and_wake(void)
{
	unsigned long online = mock_online;
	unsigned int i;
	u32 on = 0;

	for (i = 0; i <= FIXED; i++)
		on |= (box->ctl[i] & EN) ? BIT(i) : 0;
	if (!on || any_stopped())
		return;
	/* The last CPU that is awake is one of this socket. */
	mock_online = BIT(owner());
	mock_suspend();
	machine_scramble(box);
	for (i = 0; i <= FIXED; i++)
		box->ctl[i] &= on & BIT(i) ? ~0u : ~EN;
	for (i = 0; i < 4; i++)
		box->filter[i] &= in_use(i) ? ~0u : 0;
	mock_resume();
	mock_online = online;
	mock_cpu = owner();
}

static void operation(void)
{
	struct group *g = &groups[draw(NR)];

	operations++;
	tick(1 + draw(5));
	if (!draw(64))
		tick(1 << (10 + draw(17)));
	if (!g->n) {
		open_group(g);
		return;
	}
	switch (draw(14)) {
	case 0:
		close_group(g);
		break;
	case 1:
	case 2:
	case 3:
		sched_in(g);
		break;
	case 4:
		mock_sched_out(g->m[0].event);
		break;
	case 5:
		start_stop(g);
		break;
	case 6:
	case 7:
	case 8:
		read_some(g);
		break;
	case 9:
		rotate(true);
		break;
	case 10:
		rotate(false);
		break;
	case 11:
		hotplug();
		break;
	case 12:
		mock_timers();
		break;
	case 13:
		sleep_and_wake();
		break;
	}
	mock_interrupts();
}

/* After the driver has gone nothing counts, is frozen or filters. */
static void check_clean(void)
{
	unsigned int i;

	for (i = 0; i <= FIXED; i++) {
		if (box->ctl[i] & EN)
			fault("%s: counter %u is left enabled", box->name, i);
	}
	if (box->kind->reset >= 0 && (box->box_ctl & FRZ))
		fault("%s: it is left frozen", box->name);
	for (i = 0; i < box->kind->filters; i++) {
		if (box->filter[i])
			fault("%s: filter %u is left as %#x", box->name, i,
			      box->filter[i]);
	}
}

static void run(unsigned int socket, const char *name)
{
	unsigned int round, i;
	char full[32];

	snprintf(full, sizeof(full), "snbep_uncore_%s", name);
	for (round = 0; round < 40; round++) {
		mock_reset();
		machine.no_ecam = round % 8 == 7 && strcmp(name, "qpi_1");
		box = machine_box(socket, name);
		if (mock_init())
			fault("the driver does not load");
		pmu = mock_pmu(full);
		for (i = 0; i < 400; i++) {
			operation();
			check_counters();
		}
		for (i = 0; i < NR; i++) {
			if (groups[i].n)
				close_group(&groups[i]);
		}
		check_counters();
		mock_timers();
		if (mock_timer_set(socket))
			fault("%s: unused, and still looked at", name);
		if (log_has("another program") || log_has("not answer"))
			fault("%s: the log has a warning", name);
		mock_exit();
		check_clean();
		mock_check_left();
		if (faults) {
			printf("# in round %u\n", round);
			break;
		}
	}
}

void test_random(void)
{
	static const char * const boxes[] = {
		"cbox_2", "ha", "imc_1", "pcu", "qpi_1", "r2pcie", "r3qpi_0",
		"ubox",
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(boxes); i++) {
		run(i % 2, boxes[i]);
		result("%s: whatever perf does, events count exactly (%u operations)",
		       boxes[i], operations);
		operations = 0;
	}
}
