// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random perf operations on boxes of a type: each event counts exactly while it is scheduled, on an
 * allowed counter and with its own filter, and an event is rejected only if no assignment exists.
 * Randomly changed events are refused, or count as requested.
 */
#include "fuzzing/fuzz.h"
#include "mock-kernel/groups.h"
#include "snbep_uncore.h"
#include "tests.h"

#define ANY	0xf
#define NR_GROUPS	6

/*
 * Events of the guide's tables, and their constraints. The counters of randomly changed events are
 * unknown: 0.
 */
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
	/* Two filters, one of which has a default */
	{ "cbox", { 1 << 19 | 0x335, 0x182u << 23 | 9 }, { 0xc1000009 }, 0x3 },
	{ "cbox", { 1 << 19 | 0x0334, 9 }, { 0x1f << 18 | 9 }, 0x3 },
	{ "cbox", { 1 << 19 | 0x0334 }, { 0x1f << 18 }, 0x3 },
	{ "cbox", { 0x4135, 0x182u << 23 | 5 << 10 }, { 0xc1000000 | 5 << 10 }, 0x3 },
	{ "ha", { 0x0e }, { }, ANY }, { "ha", { 0x00 }, { }, ANY },
	{ "ha", { 0x03000301 }, { }, ANY },
	{ "ha", { 0x320, 0x123456789a40, 0x15 }, { 0x56789a40, 0x1234, 0x15 }, ANY },
	{ "ha", { 0x320, 0x3fffffffffc0, 0x3f }, { 0xffffffc0, 0x3fff, 0x3f }, ANY },
	{ "ha", { 0x320, 0x40 }, { 0x40 }, ANY },
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

static struct pmu *pmu;

static bool is_here(const struct sample *s)
{
	return !strcmp(s->kind, box->kind);
}

/* Events of a type are adjacent. */
static const struct sample *draw_sample(void)
{
	unsigned int first, n = 0;

	for (first = 0; !is_here(&samples[first]); first++)
		;
	while (first + n < ARRAY_SIZE(samples) && is_here(&samples[first + n]))
		n++;
	return &samples[first + draw(n)];
}

static u32 control(const struct sample *s)
{
	return s->ctrs == 1 << FIXED ? EN : (u32)s->config[0] | EN;
}

static u64 rate(const struct member *m)
{
	const struct sample *s = m->sample;

	return machine_rate(box, s->ctrs == 1 << FIXED ? FIXED : 0, control(s), s->filter);
}

/* Whether an assignment for all exists, and their filters agree */
static bool place(const struct sample **s, unsigned int n, unsigned int taken)
{
	unsigned int i;

	if (!n)
		return true;
	for (i = 0; i <= FIXED; i++) {
		if (((s[0]->ctrs ?: ANY) & ~taken & BIT(i)) && (i == FIXED || i < box->counters) &&
		    place(s + 1, n - 1, taken | BIT(i)))
			return true;
	}
	return false;
}

static bool agree(const struct sample *a, const struct sample *b)
{
	unsigned int r;

	for (r = 0; r < box->filters; r++) {
		if ((a->filter[r] ^ b->filter[r]) & machine_looks_at(box, control(a), r) &
		    machine_looks_at(box, control(b), r))
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

static bool any_unknown(const struct sample **s, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++) {
		if (!s[i]->ctrs)
			return true;
	}
	return false;
}

/* The scheduled events and a new group; @alone: only that */
static bool together(const struct group *g, const struct sample **s, unsigned int *n)
{
	struct group *other;
	struct member *m;

	*n = 0;
	for_each_member(other, m) {
		if (m->event->on || other == g)
			s[(*n)++] = m->sample;
	}
	return *n == g->n;
}

static bool has_room(const struct group *g)
{
	const struct sample *s[MAX_MEMBERS * MAX_GROUPS];
	unsigned int n;

	/* An opened group can be scheduled alone. */
	return together(g, s, &n) || fits(s, n);
}

static bool unsure(const struct group *g)
{
	const struct sample *s[MAX_MEMBERS * MAX_GROUPS];
	unsigned int n;

	return !together(g, s, &n) && any_unknown(s, n);
}

static void tick(u64 n)
{
	mock_cycles += n * TICK;
	machine_tick(box, n);
	groups_tick(n);
}

/* Another program has changed the idle box. */
static bool scrambled;

/* Each scheduled event has an allowed counter that runs, and no other counter runs. */
static void check_counters(void)
{
	unsigned int c, on = 0, running = 0;
	struct member *m;
	struct group *g;

	for_each_member(g, m) {
		if (!m->event->on)
			continue;
		on++;
		for (c = 0; c <= FIXED; c++) {
			if (((m->sample->ctrs ?: ~0u) & BIT(c)) && !machine_frozen(box) &&
			    *box->ctl[c] == control(m->sample))
				break;
		}
		CHECK(c <= FIXED);
	}
	for (c = 0; c <= FIXED; c++)
		running += !!(*box->ctl[c] & EN);
	CHECK(!on || mock_timer_on(snbep_sockets[box->socket].cpu));
	if (on)
		scrambled = false;
	CHECK(!(running != on && !scrambled));
}

static unsigned int any_cpu(void)
{
	unsigned int cpu = 2 * box->socket + draw(2);

	return cpu_online(cpu) ? cpu : cpu ^ 1;
}

/* A randomly changed event */
static void change(struct sample *s)
{
	static const u8 shift[] = { 0, 8, 24 };
	unsigned int n;

	for (n = 1 + draw(3); n; n--) {
		u64 *word = &s->config[draw(3)];

		switch (draw(8)) {
		case 0:
		case 1:
			*word ^= BIT_ULL(draw(64));
			break;
		case 2:		/* The event, the unit mask or the threshold */
		case 3:
		case 4:
			s->config[0] ^= (u64)draw(256) << shift[draw(3)];
			break;
		case 5:
			*word = draw_bits();
			break;
		case 6:		/* A part of another event, or all of it */
			*word = draw_sample()->config[word - s->config];
			break;
		case 7:		/* An opcode of two bits and seven more, and a node */
			s->config[1] = (u64)(0x180 | draw(128)) << 23 | (u64)draw(256) << 10;
			break;
		}
	}
}

/* Constraints of the changed event; whether all its fields have an effect on it */
static bool has_effect(struct sample *s)
{
	u32 word[4] = {
		s->config[1], s->config[1] >> 32, s->config[2], s->config[2] >> 32
	};
	u32 ctl = s->config[0];
	unsigned int i;

	s->ctrs = 0;
	for (i = 0; i < ARRAY_SIZE(samples); i++) {
		/* The unit mask does not change the counters. */
		if (is_here(&samples[i]) && !((samples[i].config[0] ^ s->config[0]) & 0x2000ff))
			s->ctrs = samples[i].ctrs;
	}
	/* A fixed counter has only its enable bit. */
	if (s->ctrs == 1 << FIXED)
		return s->config[0] == 0xff && !s->config[1] && !s->config[2];
	for (i = 0; i < 4; i++) {
		s->filter[i] = word[i];
		if (word[i] & ~machine_looks_at(box, ctl | EN, i))
			return false;
	}
	/* State 0 stands for all states. */
	if (!strcmp(s->kind, "cbox") && (ctl & 0xff) == 0x34 && !(word[0] & 0x1f << 18))
		s->filter[0] |= 0x1f << 18;
	return !(s->config[0] & ~(u64)box->ctl_bits);
}

/* An event, or a changed one, which is refused with a reason or counts */
static bool open_member(struct group *g, struct sample *changed)
{
	struct perf_event *leader = g->n ? g->m[0].event : NULL;
	struct member *m = &g->m[g->n];
	const struct sample *s = draw_sample();
	struct perf_event_attr attr;
	bool effect = true;
	int err;

	if (!draw(4)) {
		*changed = *s;
		change(changed);
		effect = has_effect(changed);
		s = changed;
	}
	attr = (struct perf_event_attr){
		.config = s->config[0], .config1 = s->config[1], .config2 = s->config[2],
	};
	CHECK(!log_has("not respond"));
	log_clear();
	mock_window();
	*m = (struct member){ .sample = s };
	m->event = mock_open(pmu, &attr, any_cpu(), leader, &err);
	if (wrong((err && err != -EINVAL) || log_has(":") != !!err || (!err && !effect)))
		fault("%s: event %#llx, %#llx, %#llx: error %d, %s in the log; %s of it counts",
		      box->name, s->config[0], s->config[1], s->config[2], err,
		      log_has(":") ? "a line" : "nothing", effect ? "all" : "not all");
	log_clear();
	return m->event;
}

static void open_group(struct group *g)
{
	static struct sample changed[MAX_GROUPS][MAX_MEMBERS];
	const struct sample *s[MAX_MEMBERS];
	unsigned int i, n = 1 + draw(3);

	/* Now and then a group with one event too many */
	if (!draw(8))
		n = box->counters + 1;
	for (i = 0; i < n; i++) {
		struct sample *other = &changed[g - groups][i];
		bool taken = open_member(g, other);

		s[i] = g->m[i].sample;
		/* A changed event may be refused for another reason. */
		CHECK(any_unknown(s, i + 1) || taken == fits(s, i + 1) ||
		      (!taken && s[i] == other));
		if (!taken)
			break;
		g->n = i + 1;
	}
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

/* The CPU that owns the socket */
static unsigned int owner(void)
{
	struct group *g;

	for_each_group(g) {
		if (g->n)
			return g->m[0].event->cpu;
	}
	return any_cpu();
}

/* perf stops or starts an event from a sample, without register access. */
static void throttle(struct group *g)
{
	machine_tally(box);
	group_start_stop(g);
	CHECK(!(box->writes + box->reads));
}

/* perf removes all events and adds these or others: each register is written at most once. */
static void rotate(bool same)
{
	unsigned int i, first = draw(NR_GROUPS), cpu = owner();
	bool was_on[MAX_GROUPS];

	machine_tally(box);
	mock_disable(pmu, cpu);
	for (i = 0; i < NR_GROUPS; i++) {
		was_on[i] = groups[i].n && groups[i].m[0].event->on;
		if (was_on[i])
			mock_sched_out(groups[i].m[0].event);
	}
	CHECK(!(box->writes + box->reads));
	/* Add another event in the same transaction. */
	if (!same && groups[first].n && !was_on[first])
		group_sched_in(&groups[first]);
	for (i = 0; i < NR_GROUPS; i++) {
		struct group *g = &groups[(first + i) % NR_GROUPS];

		if (g->n && (!same || was_on[g - groups]))
			group_sched_in(g);
	}
	mock_enable(pmu, cpu);
	CHECK(!(same && box->writes + box->reads));
}

static bool any_on(void)
{
	struct member *m;
	struct group *g;

	for_each_member(g, m) {
		if (m->event->on)
			return true;
	}
	return false;
}

/* Move the socket's events to its other CPU, and perhaps back. */
static void hotplug(void)
{
	unsigned int cpu = 2 * box->socket + draw(2);
	bool was_on = any_on();

	if (!cpu_online(cpu)) {
		mock_cpu_up(cpu);
	} else if (cpu_online(cpu ^ 1)) {
		machine_tally(box);
		mock_cpu_down(cpu);
		CHECK(was_on || !(box->writes + box->reads));
	}
}

/* Whether a scheduled event uses a filter register */
static bool in_use(unsigned int reg)
{
	struct member *m;
	struct group *g;

	for_each_member(g, m) {
		if (m->event->on && machine_looks_at(box, control(m->sample), reg))
			return true;
	}
	return false;
}

/* Suspend leaves noise in the registers of a box in use; those that no event needs are reset. */
static void sleep_and_wake(void)
{
	unsigned long online = mock_online;
	unsigned int i;
	u32 on = 0;

	for (i = 0; i <= FIXED; i++)
		on |= (*box->ctl[i] & EN) ? BIT(i) : 0;
	if (!on)
		return;
	/* The last CPU online is in this socket. */
	mock_online = BIT(owner());
	mock_suspend();
	machine_scramble(box);
	for (i = 0; i <= FIXED; i++)
		*box->ctl[i] &= on & BIT(i) ? ~0u : ~EN;
	for (i = 0; i < 4; i++)
		box->filter[i] &= in_use(i) ? ~0u : 0;
	mock_resume();
	mock_online = online;
	mock_cpu = owner();
}

/*
 * Another program changes an idle box. Where no reset bit clears them, it has stopped its counters.
 */
static void scramble(void)
{
	unsigned int i;

	if (any_on())
		return;
	machine_scramble(box);
	if (box->resets)
		scrambled = true;
	for (i = 0; i <= FIXED && !scrambled; i++)
		*box->ctl[i] &= ~EN;
}

static void operation(void)
{
	struct group *g = &groups[draw(NR_GROUPS)];

	tick(1 + draw(5));
	if (!draw(64))
		tick(1 << (10 + draw(17)));
	if (!g->n) {
		open_group(g);
		return;
	}
	switch (draw(15)) {
	case 0:
		group_close(g);
		break;
	case 1:
	case 2:
	case 3:
		group_sched_in(g);
		break;
	case 4:
		mock_sched_out(g->m[0].event);
		break;
	case 5:
		throttle(g);
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
	case 14:
		scramble();
		break;
	}
}

static const char * const boxes[] = {
	"cbox_2", "ha", "imc_1", "pcu", "qpi_1", "r2pcie", "r3qpi_0", "ubox",
};

static void begin_round(unsigned int use, unsigned int round)
{
	mock_reset();
	box = machine_box(use % 2, boxes[use]);
	/* Without memory-mapped configuration space QPI's filters are refused. */
	machine.nommconf = round % 2 && strcmp(box->kind, "qpi");
	CHECK(!mock_init());
	pmu = pmu_of(boxes[use]);
	log_clear();
	scrambled = false;
}

static void end_round(unsigned int use)
{
	check_counters();
	CHECK(!log_has("not respond"));
	mock_exit();
	mock_check_left();
}

static const struct group_rules rules = {
	.rate = rate, .has_room = has_room, .unsure = unsure,
	.nr = NR_GROUPS, .goes_on = true, .uses = ARRAY_SIZE(boxes), .rounds = 40,
	.begin = begin_round, .operation = operation, .check = check_counters, .end = end_round,
};

void test_random(void)
{
	groups_random(&rules);
}

void fuzz_input(void)
{
	mock_no_hes = true;
	groups_fuzz(&rules);
}
