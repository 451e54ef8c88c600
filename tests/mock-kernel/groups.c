// SPDX-License-Identifier: GPL-2.0-only
/* Random operations on groups of events, and what the events should count */
#include "groups.h"

struct group groups[MAX_GROUPS];
const struct group_rules *group_rules;

struct member *groups_next(struct group **g, struct member *m)
{
	while (m == (*g)->m + (*g)->n) {
		if (++*g == groups + group_rules->nr)
			return NULL;
		m = (*g)->m;
	}
	return m;
}

void groups_tick(u64 ticks)
{
	struct group *g;
	struct member *m;

	for_each_member(g, m) {
		if (m->event->on && (!m->stopped || group_rules->goes_on))
			m->expect += ticks * group_rules->rate(m);
	}
}

void check_count(struct member *m, const char *what)
{
	u64 is = count_of(m->event), want = m->expect;

	if (wrong(is != want))
		fault("%s: event %#llx on CPU %d, %s: counted %lld, not %lld",
		      where(), (unsigned long long)m->event->attr.config,
		      m->event->cpu, what, (long long)is, (long long)want);
}

static bool sure(const struct group *g)
{
	return !group_rules->unsure || !group_rules->unsure(g);
}

void group_sched_in(struct group *g)
{
	bool want = group_rules->has_room(g), check = sure(g), got;
	unsigned int i;

	if (g->m[0].event->on)
		return;
	got = mock_sched_in(g->m[0].event);
	if (wrong(check && want != got))
		fault("%s: a group of %u is %s", where(), g->n,
		      got ? "taken where there is no room" : "rejected");
	for (i = 0; i < g->n; i++)
		g->m[i].stopped = false;
}

void group_start_stop(struct group *g)
{
	struct member *m = &g->m[draw(g->n)];
	struct pmu *pmu = m->event->pmu;

	if (!m->event->on)
		return;
	mock_cpu = m->event->cpu;
	if (group_rules->disable)
		mock_disable(pmu, mock_cpu);
	if (group_rules->goes_on)
		mock_throttle(m->event, !m->stopped);
	else if (m->stopped)
		mock_start(m->event);
	else
		mock_stop(m->event);
	if (group_rules->disable)
		mock_enable(pmu, mock_cpu);
	m->stopped = !m->stopped;
	if (m->stopped && !group_rules->goes_on)
		check_count(m, "when stopped");
}

void group_close(struct group *g)
{
	unsigned int i;

	mock_sched_out(g->m[0].event);
	for (i = 0; i < g->n; i++)
		check_count(&g->m[i], "at the end");
	mock_close(g->m[0].event);
	g->n = 0;
}

void groups_close(void)
{
	struct group *g;

	for_each_group(g) {
		if (g->n)
			group_close(g);
	}
}

static void operate(void)
{
	group_rules->operation();
	group_rules->check();
}

static void end(unsigned int use)
{
	groups_close();
	group_rules->end(use);
}

void groups_random(const struct group_rules *rules)
{
	unsigned int use, round, i;

	group_rules = rules;
	for (use = 0; use < rules->uses; use++) {
		for (round = 0; round < rules->rounds && !faults; round++) {
			rules->begin(use, round);
			for (i = 0; i < 400; i++)
				operate();
			end(use);
			if (faults)
				printf("# in round %u\n", round);
		}
		result("%s: whatever perf does, events count exactly (%u operations)",
		       where(), round * 400);
	}
}

void groups_fuzz(const struct group_rules *rules)
{
	unsigned int use = draw(rules->uses);

	group_rules = rules;
	rules->begin(use, draw(2));
	while (!draw_over())
		operate();
	end(use);
}
