// SPDX-License-Identifier: GPL-2.0-only
/*
 * offcore_rsp without a core PMU: random operations on all threads of two cores; events count
 * exactly, and other users keep their bits and counters.
 *
 * driver [SEED]: only the random operations, with that seed
 * explore [deep|SCENARIO]: see mock-kernel/explore.h
 */
#include "fuzzing/fuzz.h"
#include "mock-kernel/groups.h"
#include "tests.h"

#define NR_GROUPS	10
#define ANY	0x10000		/* any_response of Sandy Bridge */
#define SNOOPS	GENMASK_ULL(37, 31)	/* its snoop results */

/* Values at each combination of levels. @rsp: the register of an event that is none of the four */
static const struct sample {
	unsigned int request;
	u64 levels, rsp;
} samples[] = {
	{ 0, OS | USR }, { 1, OS | USR }, { 2, OS | USR }, { 3, OS | USR },
	{ 0, OS }, { 1, OS }, { 2, OS }, { 3, OS },
	{ 0, USR }, { 1, USR }, { 2, USR }, { 3, USR },
};

static struct pmu *pmu;
/* Bits of other users in each CPU's global control */
static u64 others_ctrl[MOCK_CPUS];

static u64 rsp_of(const struct sample *s)
{
	return s->rsp ?: value(s->request);
}

static struct perf_event_attr attr_of(const struct sample *s)
{
	return (struct perf_event_attr){
		.config = rsp_of(s), .exclude_user = !(s->levels & USR),
		.exclude_kernel = !(s->levels & OS),
	};
}

static bool same_set(unsigned int a, unsigned int b)
{
	return machine_rsp(a, 0) == machine_rsp(b, 0);
}

/* Mask of the counters that count offcore events */
static unsigned int offcore_ctrs(void)
{
	return BIT(min(machine.ctrs, OFFCORE_CTRS)) - 1;
}

static unsigned int free_ctrs(void)
{
	return __builtin_popcount(offcore_ctrs() & ~(machine.held_ctr | machine.held_sel));
}

/* Number of different values among these */
static unsigned int values(const struct sample *const *s, unsigned int n)
{
	unsigned int i, j, different = 0;

	for (i = 0; i < n; i++) {
		for (j = 0; j < i && rsp_of(s[j]) != rsp_of(s[i]); j++)
			;
		different += j == i;
	}
	return different;
}

/* Whether another group can be scheduled */
static bool has_room(const struct group *g)
{
	const struct sample *s[MAX_GROUPS * MAX_MEMBERS];
	unsigned int cpu = g->m[0].event->cpu, used = 0, n = 0;
	struct group *other;
	struct member *m;

	for_each_member(other, m) {
		if ((!m->event->on && other != g) || !same_set(m->event->cpu, cpu))
			continue;
		used += m->event->cpu == (int)cpu;
		s[n++] = m->sample;
	}
	return cpu_online(cpu) && values(s, n) <= machine.nr_rsp && used <= free_ctrs();
}

static u64 rate(const struct member *m)
{
	return machine_rate(rsp_of(m->sample), m->sample->levels);
}

const char *where(void)
{
	static char text[32];

	snprintf(text, sizeof(text), "model %u, %u counters", machine.model, machine.ctrs);
	return text;
}

static void tick(u64 n)
{
	unsigned int cpu;

	for (cpu = 0; cpu < MOCK_CPUS; cpu++)
		machine_tick(cpu, n);
	groups_tick(n);
}

/*
 * Values of bits 0 to 7 of config1, from Intel's event lists: Nehalem and Westmere, Sandy Bridge,
 * Sandy Bridge-EP
 */
static u64 set_of(unsigned int bit)
{
	static const u64 nehalem[] = {
		0xff00, 0x6000, 0xf800, 0xff, 0x700, 0x1800, 0x11, 0x22,
	}, sandy_bridge[] = {
		0x300400000, 0x3c0000, 0x3f80000000, 0x8fff, 0, 0, 0x91, 0x122,
	}, sandy_bridge_ep[] = {
		0x600400000, 0x3c0000, 0x3f80000000, 0x8fff, 0x7f800000,
		0x67f800000, 0x91, 0x122,
	};

	switch (machine.model) {
	case 42:
		return sandy_bridge[bit];
	case 45:
		return sandy_bridge_ep[bit];
	default:
		return nehalem[bit];
	}
}

/* Expected register value of an accepted event */
static u64 rsp_wanted(const struct perf_event_attr *attr)
{
	u64 rsp = attr->config;
	unsigned int bit;

	for (bit = 0; bit < 8; bit++) {
		if (attr->config1 & BIT_ULL(bit))
			rsp |= set_of(bit);
	}
	/* 18.9.5: a supplier without a snoop result counts all. */
	if (!machine.shared && !(rsp & (ANY | SNOOPS)))
		rsp |= SNOOPS;
	return rsp;
}

/* A randomly changed register value */
static void change(struct perf_event_attr *attr)
{
	unsigned int n;

	for (n = 1 + draw(3); n; n--) {
		switch (draw(6)) {
		case 0:
		case 1:
			attr->config ^= BIT_ULL(draw(64));
			break;
		case 2:
			attr->config1 ^= BIT_ULL(draw(8));
			break;
		case 3:
			attr->config = draw_bits() & GENMASK_ULL(37, 0);
			break;
		case 4:
			attr->config = 0;
			break;
		case 5:
			attr->config2 ^= BIT_ULL(draw(64));
			break;
		}
	}
}

/* A changed event is refused with a reason, or counts as an event. */
static void open_changed(struct member *m, struct sample *s, unsigned int cpu,
			 struct perf_event *leader)
{
	struct perf_event_attr attr;
	int err = 0;

	*s = samples[draw(ARRAY_SIZE(samples))];
	attr = attr_of(s);
	change(&attr);
	log_clear();
	mock_window();
	m->event = mock_open(pmu, &attr, cpu, leader, &err);
	EXPECT(err, !err ? 0 : cpu_online(cpu) ? -EINVAL : err == -ENODEV ? err : -EINVAL);
	EXPECT(log_has(":"), !!err);
	if (err)
		return;
	s->rsp = rsp_wanted(&attr);
	EXPECT(attr.config2 | (attr.config1 & ~GENMASK_ULL(7, 0)), 0);
	EXPECT(m->event->hw.extra_reg.config, s->rsp);
}

static void open_group(struct group *g)
{
	static struct sample changed[MAX_GROUPS][MAX_MEMBERS];
	const struct sample *s[MAX_MEMBERS];
	unsigned int cpu = draw(MOCK_CPUS), i, n = 1 + draw(3);
	int err = 0;

	if (!draw(8))
		n = MAX_MEMBERS;
	for (i = 0; i < n; i++) {
		struct perf_event *leader = i ? g->m[0].event : NULL;
		bool is_changed = !draw(4), want;
		struct perf_event_attr attr;
		struct member *m = &g->m[i];

		s[i] = is_changed ? &changed[g - groups][i] : &samples[draw(ARRAY_SIZE(samples))];
		*m = (struct member){ .sample = s[i] };
		if (is_changed) {
			open_changed(m, &changed[g - groups][i], cpu, leader);
		} else {
			attr = attr_of(s[i]);
			m->event = mock_open(pmu, &attr, cpu, leader, &err);
		}
		if (is_changed && !m->event)
			break;
		want = values(s, i + 1) <= machine.nr_rsp && i < free_ctrs() && cpu_online(cpu);
		EXPECT(!m->event, !want);
		EXPECT(err, want ? 0 : cpu_online(cpu) ? -EINVAL : -ENODEV);
		if (!m->event)
			break;
		g->n = i + 1;
	}
}

static void rotate(void)
{
	unsigned int cpu = draw(MOCK_CPUS), i, first = draw(NR_GROUPS);
	struct group *g;

	if (!cpu_online(cpu))
		return;
	mock_disable(pmu, cpu);
	for_each_group(g) {
		if (g->n && g->m[0].event->cpu == (int)cpu)
			mock_sched_out(g->m[0].event);
	}
	for (i = 0; i < NR_GROUPS; i++) {
		g = &groups[(first + i) % NR_GROUPS];
		if (g->n && g->m[0].event->cpu == (int)cpu)
			group_sched_in(g);
	}
	mock_enable(pmu, cpu);
}

/* A CPU goes offline, after perf has removed its events, or online. */
static void plug(unsigned int cpu)
{
	if (!cpu_online(cpu))
		mock_cpu_up(cpu);
	else if (mock_online != BIT(cpu))
		mock_cpu_down(cpu);
}

/* S3: all CPUs but one go offline first, and registers are lost. */
static void sleep_and_wake(void)
{
	unsigned int cpu, stays = __builtin_ctzl(mock_online), i;
	unsigned long online = mock_online;

	for (cpu = 0; cpu < MOCK_CPUS; cpu++) {
		if (cpu != stays && cpu_online(cpu))
			mock_cpu_down(cpu);
	}
	mock_suspend();
	for (cpu = 0; cpu < MOCK_CPUS; cpu++) {
		machine_tick(cpu, 3);
		for (i = 0; i < machine.ctrs; i++) {
			EXPECT(hw[cpu].sel[i] & EN, 0);
			hw[cpu].pmc[i] = noise() & (BIT_ULL(machine.width) - 1);
		}
		for (i = 0; i < machine.nr_rsp; i++)
			*machine_rsp(cpu, i) = 0;
		hw[cpu].ctrl &= ~(u64)machine.our_ctr;
		hw[cpu].resets = 0;
	}
	mock_resume();
	for (cpu = 0; cpu < MOCK_CPUS; cpu++) {
		if (online & ~mock_online & BIT(cpu))
			mock_cpu_up(cpu);
	}
}

/* Other users start and stop their counters. */
static void others_turn(unsigned int cpu)
{
	u64 bit = BIT_ULL(draw(2) ? draw(machine.ctrs) : 32 + draw(3));

	if (machine.our_ctr & bit)
		return;
	hw[cpu].ctrl ^= bit;
	others_ctrl[cpu] ^= bit;
}

static void operation(void)
{
	struct group *g = &groups[draw(NR_GROUPS)];

	tick(1 + draw(5));
	if (!g->n) {
		open_group(g);
		return;
	}
	switch (draw(12)) {
	case 0:
		group_close(g);
		break;
	case 1:
	case 2:
		group_sched_in(g);
		break;
	case 3:
		mock_sched_out(g->m[0].event);
		break;
	case 4:
		group_start_stop(g);
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
	case 10:
		plug(draw(MOCK_CPUS));
		break;
	case 11:
		others_turn(draw(MOCK_CPUS));
		break;
	}
}

/* The hrtimer of a CPU runs only while it has events. */
static void check_timers(void)
{
	struct member *m;
	struct group *g;
	unsigned int cpu;

	for (cpu = 0; cpu < MOCK_CPUS; cpu++) {
		bool on = false;

		for_each_member(g, m)
			on |= m->event->on && m->event->cpu == (int)cpu;
		EXPECT(mock_timer_on(cpu), on);
	}
}

static const struct use {
	unsigned int model, ctrs, held;
	u64 ctrl;
} uses[] = {
	{ 26, 4, 0, 0 }, { 37, 4, 0, 0x70000000f }, { 44, 4, 1, 0x700000001 },
	{ 47, 4, 8, 0x9 }, { 45, 4, 0, 0 }, { 42, 4, 6, 0x30000000a },
	/* Without hyper-threading; a hypervisor that offers two */
	{ 45, 8, 0, 0x7000000ff }, { 42, 8, 9, 0x50 }, { 45, 2, 0, 0 },
};

static void begin_round(unsigned int n, unsigned int round)
{
	const struct use *use = &uses[n];
	unsigned int i;

	processor(use->model);
	machine.ctrs = use->ctrs;
	machine.width = round % 2 ? 48 : 32;
	machine.held_ctr = use->held & 3;
	machine.held_sel = use->held & 12;
	for (i = 0; i < MOCK_CPUS; i++) {
		others_ctrl[i] = i ? use->ctrl : use->ctrl ^ 0x5;
		hw[i].ctrl = others_ctrl[i];
		/* Firmware left a value in the register. */
		*machine_rsp(i, 0) = 0x101;
	}
	EXPECT(load(), 0);
	pmu = mock_pmu("offcore_rsp");
}

static void end_round(unsigned int n)
{
	unsigned int i;

	for (i = 0; i < MOCK_CPUS; i++)
		EXPECT((hw[i].ctrl ^ others_ctrl[i]) & ~(u64)(offcore_ctrs() & ~uses[n].held), 0);
	unload();
}

static const struct group_rules rules = {
	.rate = rate, .has_room = has_room, .nr = NR_GROUPS, .goes_on = true,
	.uses = ARRAY_SIZE(uses), .rounds = 12, .begin = begin_round, .operation = operation,
	.check = check_timers, .end = end_round,
};

void fuzz_input(void)
{
	groups_fuzz(&rules);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!strcmp(program_invocation_short_name, "explore")) {
		test_explore(argv[1]);
		return tests_done(false);
	}
	if (argc > 1) {
		noise_seed(atoi(argv[1]));
		groups_random(&rules);
		return tests_done(false);
	}
	test_load();
	test_rules();
	test_core_pmu();
	groups_random(&rules);
	return tests_done(true);
}
