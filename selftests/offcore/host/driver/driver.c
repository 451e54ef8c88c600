// SPDX-License-Identifier: GPL-2.0-only
/*
 * offcore_rsp where there is no core PMU: whatever perf does, on all threads of
 * two cores, events count exactly, and others keep their bits and counters.
 */
#include <stdarg.h>

#include "lib/tap.h"
#include "tests.h"

#define NR	10		/* groups at a time */
#define ANY	0x10000		/* any_response of Sandy Bridge */

struct member {
	struct perf_event *event;
	u64 rsp, levels, expect;
	bool stopped;
};

static struct group {
	struct member m[5];
	unsigned int n;
} groups[NR];
static struct pmu *pmu;
static unsigned int operations;

static u64 noise(void)
{
	static u64 state = 88172645463325252ULL;

	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state;
}

static unsigned int draw(unsigned int n)
{
	return (noise() >> 24) % n;
}

void result(const char *fmt, ...)
{
	char text[256];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	tap(!faults, "%s", text);
	faults = 0;
}

static void loads(void)
{
	int ret;

	mock_interval = (BIT_ULL(machine.width) - 1) / 8;
	ret = mock_init();
	if (ret)
		fault("model %u: the driver does not load: %d", machine.model,
		      ret);
	pmu = mock_pmu("offcore_rsp");
}

static void unload(void)
{
	mock_exit();
	mock_check_left();
}

/* Requests with a response that the processor has: Tables 18-26, 18-36 */
static u64 value(unsigned int i)
{
	return BIT_ULL(i % 4) | (machine.nr_rsp && machine.shared ? 0x100 : ANY);
}

static struct perf_event *open_on(unsigned int cpu, u64 rsp, u64 levels,
				  struct perf_event *leader, int *err)
{
	struct perf_event_attr attr = {
		.config = rsp, .exclude_user = !(levels & USR),
		.exclude_kernel = !(levels & OS),
	};

	return mock_open(pmu, &attr, cpu, leader, err);
}

static bool same_set(unsigned int a, unsigned int b)
{
	return machine_rsp(a, 0) == machine_rsp(b, 0);
}

static unsigned int free_ctrs(void)
{
	return __builtin_popcount(0xf & ~(machine.held_ctr | machine.held_sel));
}

/* Whether what is on has room for one group more */
static bool has_room(const struct group *g)
{
	unsigned int cpu = g->m[0].event->cpu, i, j, k, n = 0, used = 0;
	u64 rsp[5 * NR];

	for (i = 0; i < NR; i++) {
		for (j = 0; j < groups[i].n; j++) {
			const struct member *m = &groups[i].m[j];

			if ((!m->event->on && &groups[i] != g) ||
			    !same_set(m->event->cpu, cpu))
				continue;
			used += m->event->cpu == (int)cpu;
			for (k = 0; k < n && rsp[k] != m->rsp; k++)
				;
			if (k == n)
				rsp[n++] = m->rsp;
		}
	}
	return n <= machine.nr_rsp && used <= free_ctrs();
}

static void tick(u64 n)
{
	unsigned int cpu, i, j;

	for (cpu = 0; cpu < MOCK_CPUS; cpu++)
		machine_tick(cpu, n);
	for (i = 0; i < NR; i++) {
		for (j = 0; j < groups[i].n; j++) {
			struct member *m = &groups[i].m[j];

			if (m->event->on && !m->stopped)
				m->expect += n * machine_rate(m->rsp, m->levels);
		}
	}
}

static void check_count(struct member *m, const char *what)
{
	if (m->event->count.a.a.v != (long)m->expect)
		fault("model %u, CPU %d, %#llx, %s: counted %ld, not %llu",
		      machine.model, m->event->cpu, (unsigned long long)m->rsp,
		      what, m->event->count.a.a.v,
		      (unsigned long long)m->expect);
}

static void open_group(struct group *g)
{
	unsigned int cpu = draw(MOCK_CPUS), i, j, k, n = 1 + draw(3), values = 0;
	static const u64 levels[] = { OS | USR, OS, USR };
	int err;

	if (!draw(8))
		n = 5;
	for (i = 0; i < n; i++) {
		struct member *m = &g->m[i];
		bool want;

		*m = (struct member){
			.rsp = value(draw(4)), .levels = levels[draw(3)],
		};
		for (j = 0, k = 0; j < i; j++)
			k += g->m[j].rsp == m->rsp;
		values += !k;
		want = values <= machine.nr_rsp && i < free_ctrs();
		m->event = open_on(cpu, m->rsp, m->levels,
				   i ? g->m[0].event : NULL, &err);
		if (!m->event == want || (err && err != -EINVAL))
			fault("model %u: member %u with value %u: error %d",
			      machine.model, i, values, err);
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
		fault("model %u: a group of %u is %s", machine.model, g->n,
		      got ? "taken where there is no room" : "turned away");
	for (i = 0; i < g->n; i++)
		g->m[i].stopped = false;
}

static void start_stop(struct group *g)
{
	struct member *m = &g->m[draw(g->n)];

	if (!m->event->on)
		return;
	mock_disable(pmu, m->event->cpu);
	mock_irqs_off++;
	if (m->stopped)
		pmu->start(m->event, 0);
	else
		pmu->stop(m->event, 0);
	mock_irqs_off--;
	mock_enable(pmu, m->event->cpu);
	m->stopped = !m->stopped;
	if (m->stopped)
		check_count(m, "when stopped");
}

static void rotate(void)
{
	unsigned int cpu = draw(MOCK_CPUS), i, first = draw(NR);

	mock_disable(pmu, cpu);
	for (i = 0; i < NR; i++) {
		if (groups[i].n && groups[i].m[0].event->cpu == (int)cpu)
			mock_sched_out(groups[i].m[0].event);
	}
	for (i = 0; i < NR; i++) {
		struct group *g = &groups[(first + i) % NR];

		if (g->n && g->m[0].event->cpu == (int)cpu)
			sched_in(g);
	}
	mock_enable(pmu, cpu);
}

/* The registers lose what they hold, and nothing counts in the meantime. */
static void sleep_and_wake(void)
{
	bool hibernates = draw(2);
	unsigned int cpu, i;

	mock_pm(hibernates ? PM_HIBERNATION_PREPARE : PM_SUSPEND_PREPARE);
	for (cpu = 0; cpu < MOCK_CPUS; cpu++)
		machine_tick(cpu, 3);
	for (i = 0; i < NR; i++) {
		if (groups[i].n && draw(2))
			mock_read(groups[i].m[0].event,
				  groups[i].m[0].event->cpu);
		if (groups[i].n && !draw(4))
			sched_in(&groups[i]);
	}
	for (cpu = 0; cpu < MOCK_CPUS; cpu++) {
		for (i = 0; i < NR_CTRS; i++) {
			hw[cpu].pmc[i] = noise() & (BIT_ULL(machine.width) - 1);
			hw[cpu].sel[i] &= ~(u64)EN;
		}
		*machine_rsp(cpu, 0) = draw(2) ? value(draw(4)) : 0;
		hw[cpu].ctrl &= ~(u64)machine.our_ctr;
	}
	mock_pm(hibernates ? PM_POST_HIBERNATION : PM_POST_SUSPEND);
}

static void operation(void)
{
	struct group *g = &groups[draw(NR)];

	operations++;
	tick(1 + draw(5));
	if (!g->n) {
		open_group(g);
		return;
	}
	switch (draw(10)) {
	case 0:
		close_group(g);
		break;
	case 1:
	case 2:
		sched_in(g);
		break;
	case 3:
		mock_sched_out(g->m[0].event);
		break;
	case 4:
		start_stop(g);
		break;
	case 5:
	case 6:
		if (!g->m[0].event->on)
			break;
		mock_read(g->m[0].event, g->m[0].event->cpu);
		check_count(&g->m[0], "when read");
		break;
	case 7:
		rotate();
		break;
	case 8:
		mock_timers();
		break;
	case 9:
		sleep_and_wake();
		break;
	}
}

/* A CPU is looked at now and then while it has events, and not without. */
static void check_timers(void)
{
	unsigned int cpu, i, j;

	for (cpu = 0; cpu < MOCK_CPUS; cpu++) {
		bool on = false;

		for (i = 0; i < NR; i++) {
			for (j = 0; j < groups[i].n; j++)
				on |= groups[i].m[j].event->on &&
				      groups[i].m[j].event->cpu == (int)cpu;
		}
		if (on != mock_timer_on(cpu))
			fault("model %u: CPU %u is %slooked at", machine.model,
			      cpu, on ? "not " : "");
	}
}

static void run(unsigned int model, unsigned int held, u64 ctrl)
{
	unsigned int round, i;
	u64 was[MOCK_CPUS];

	for (round = 0; round < 12; round++) {
		mock_reset();
		machine_choose(model);
		machine.width = round % 2 ? 48 : 32;
		machine.held_ctr = held & 3;
		machine.held_sel = held & 12;
		for (i = 0; i < MOCK_CPUS; i++) {
			was[i] = i ? ctrl : ctrl ^ 0x5;
			hw[i].ctrl = was[i];
			/* What firmware left */
			*machine_rsp(i, 0) = 0x101;
		}
		loads();
		for (i = 0; i < 400; i++) {
			operation();
			check_timers();
		}
		for (i = 0; i < NR; i++) {
			if (groups[i].n)
				close_group(&groups[i]);
		}
		for (i = 0; i < MOCK_CPUS; i++) {
			if (hw[i].ctrl & ~was[i] || (~hw[i].ctrl & was[i] &
						     ~(u64)0xf))
				fault("model %u: the global control of CPU %u is %#llx, and was %#llx",
				      model, i, (unsigned long long)hw[i].ctrl,
				      (unsigned long long)was[i]);
		}
		unload();
		if (faults) {
			printf("# in round %u\n", round);
			break;
		}
	}
}

static void test_random(void)
{
	static const struct {
		unsigned int model, held;
		u64 ctrl;
	} uses[] = {
		{ 26, 0, 0 }, { 37, 0, 0x70000000f }, { 44, 1, 0x700000001 },
		{ 47, 8, 0x9 }, { 45, 0, 0 }, { 42, 6, 0x30000000a },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(uses); i++) {
		run(uses[i].model, uses[i].held, uses[i].ctrl);
		result("model %u, held counters %#x: events count exactly (%u operations)",
		       uses[i].model, uses[i].held, operations);
		operations = 0;
	}
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	test_load();
	test_random();
	return tap_done();
}
