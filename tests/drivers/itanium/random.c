// SPDX-License-Identifier: GPL-2.0-only
/*
 * Random operations: events are opened and closed, tasks switched, CPUs go offline, and overflow
 * interrupts come in time or late. After each one the registers match the scheduled events, counts
 * and numbers of samples are exact, and no sample shows another task or level.
 */
#include "fuzzing/fuzz.h"
#include "mock-kernel/groups.h"
#include "tests.h"

#define OPCODE		(0x123ULL | 9ULL << 41)
#define MODES		0x180ULL		/* of PMC40: TLB, ALAT */
#define TLB_OR_ALAT(s)	((s)->dear & MODES)

/**
 * struct sample - an event, and what the manual says it needs
 * @counters: any, d: PMC4-9, h: PMC10
 * @threaded: PMC4-9 with both threads in use (4.2.1)
 * @l1d: its L1D set + 1 (4.8.2)
 * @l2d: a number for its L2D set and unit mask (4.8.4)
 * @cancel: one of these at a time
 * @dear: PMC40 less .plm, or 0; likewise @iear: PMC37, @etb: PMC39, @ip: PMC42
 * @by: letters of what would filter it: i, o: tag channel 0, p: 1, d: data
 * @filter: the letter of what it sets up, f: a fine range
 */
struct sample {
	u64 config, config1, config2;
	char counters;
	bool threaded, cancel;
	u8 l1d, l2d;
	u64 dear, iear, etb, ip;
	const char *by;
	char filter;
};

static const struct sample kinds[] = {
	{ 0x12, .by = "" },
	{ 0x112, .by = "iop" },
	{ 0x5008, .by = "io" },
	{ 0x49, .by = "" },
	{ 0x8000, .counters = 'd', .by = "" },
	{ 0x18, .counters = 'h', .by = "" },
	{ 0x287, .counters = 'd', .by = "" },
	{ 0xc0, .l1d = 1, .by = "iod" },
	{ 0xc3, .l1d = 1, .by = "iod" },
	{ 0x80c0, .counters = 'd', .l1d = 1, .by = "iod" },
	{ 0xc4, .l1d = 2, .by = "iod" },
	{ 0x1e6, .counters = 'd', .l2d = 1, .by = "iod" },
	{ 0x2e6, .counters = 'd', .l2d = 2, .by = "iod" },
	{ 0x80f3, .counters = 'd', .l2d = 3, .by = "" },
	{ 0xe0, .counters = 'd', .l2d = 4, .cancel = true, .by = "iod" },
	{ 0xc8 | EAR(1, 2), .threaded = true, .dear = 0x2020040, .by = "iod" },
	{ 0xc8 | EAR(2, 6), .threaded = true, .dear = 0x20600c0, .by = "iod" },
	{ 0xc8 | EAR(3, 0), .threaded = true, .dear = 0x2000140, .by = "iod" },
	{ 0x43 | EAR(4, 0xf8), .threaded = true, .iear = 0x3f10, .by = "i" },
	{ 0x43 | EAR(5, 5), .threaded = true, .iear = 0xb0, .by = "i" },
	{ 0x12 | EAR(6, 0) | IP_DELAY(16), .ip = 0x8440, .by = "" },
	{ 0x11, .etb = 0x3f40, .by = "io" },
	{ 0x11 | TM(2) | PTM(1), .etb = 0x3640, .by = "io" },
	{ 0x08 | FILTER(1), OPCODE, 0x1fffffff000, .by = "io", .filter = 'o' },
	{ 0x08 | FILTER(2), 0x8000, 0xff, .by = "io", .filter = 'i' },
	{ 0x08 | FILTER(2) | FINE, 0x4020, 0x4080, .by = "io", .filter = 'f' },
	{ 0x44 | FILTER(2), 0x6000, 0xfff, .by = "p", .filter = 'p' },
	{ 0x44, .by = "p" },
	{ 0xc7 | FILTER(4), 0x9000, 0x7, .l1d = 2, .by = "iod", .filter = 'd' },
	{ 0x80fdd, .threaded = true, .by = "iod" },
	{ 0xdc, .threaded = true, .by = "iod" },
};

static bool threads;
static bool calm;	/* No sample throttles its event. */
/* Samples of each member */
static unsigned int samples[MAX_GROUPS][MAX_MEMBERS];

/* Owner of each group: 0 for a CPU, or a task */
static unsigned int owner[MAX_GROUPS];
static struct task_struct runners[3] = {
	{ .pid = 0, .flags = PF_KTHREAD }, { .pid = 1 }, { .pid = 2 },
};

static unsigned int *samples_of(const struct group *g, const struct member *m)
{
	return &samples[g - groups][m - g->m];
}

static u64 plm_of(const struct member *m)
{
	return want_control(&m->event->attr) & PLM;
}

static bool differ(u64 a, u64 b, const struct member *m, const struct member *k)
{
	return a && b && (a | plm_of(m)) != (b | plm_of(k));
}

static bool is_by(const struct sample *s, char what)
{
	return strchr(s->by, what) && s->filter != what;
}

/* Whether the settings of @a exclude @b */
static bool spoils(const struct sample *a, const struct sample *b)
{
	bool trace = b->etb;

	switch (a->filter) {
	case 'o':
		return is_by(b, 'o') || trace;
	case 'i':
		return (is_by(b, 'i') && b->filter != 'i') || trace || b->filter == 'f';
	case 'f':
		return (strchr(b->by, 'i') && b->filter != 'f') || trace ||
		       b->filter == 'i' || b->filter == 'p';
	case 'p':
		return is_by(b, 'p') || b->filter == 'f';
	case 'd':
		return is_by(b, 'd');
	}
	return false;
}

static bool conflict(const struct member *m, const struct member *k)
{
	const struct sample *a = m->sample, *b = k->sample;

	return spoils(a, b) || spoils(b, a) || differ(a->dear, b->dear, m, k) ||
	       differ(a->iear, b->iear, m, k) || differ(a->etb, b->etb, m, k) ||
	       differ(a->ip, b->ip, m, k) || (a->ip && b->etb) ||
	       (a->etb && b->ip) || (TLB_OR_ALAT(a) && b->etb) ||
	       (a->etb && TLB_OR_ALAT(b)) || (a->cancel && b->cancel) ||
	       (a->l1d && b->l1d && a->l1d != b->l1d);
}

/*
 * Whether there are counters for all: 4.8.2 and 4.8.4. L2D events have PMC4, 5 and 8 under one
 * master and PMC6, 7 and 9 under the other; PMC5 is an L1D event's if there is one.
 */
static bool fit(const struct member *const *list, unsigned int n)
{
	unsigned int l2d[5] = { 0 }, dup = 0, ten = 0, kinds = 0, most = 0, i, j;
	bool l1d = false, l1d_dup = false;

	for (i = 0; i < n; i++) {
		const struct sample *s = list[i]->sample;
		bool is_dup = s->counters == 'd' || (s->threaded && threads);

		for (j = 0; j < i; j++) {
			if (conflict(list[i], list[j]))
				return false;
		}
		dup += is_dup;
		ten += s->counters == 'h';
		l1d |= s->l1d;
		l1d_dup |= s->l1d && is_dup;
		kinds += s->l2d && !l2d[s->l2d]++;
		if (s->l2d && l2d[s->l2d] > most)
			most = l2d[s->l2d];
	}
	/* One of PMC4-9 is for an L1D event. */
	if (n > 12 || ten > 1 || dup + (l1d && !l1d_dup) > 6 || kinds > 2)
		return false;
	if (kinds == 2) {
		unsigned int all = 0;

		for (i = 1; i < 5; i++)
			all += l2d[i];
		return most <= 3 && (!l1d || all - most <= 2);
	}
	return true;
}

static bool has_room(const struct group *g)
{
	const struct member *list[MAX_GROUPS * MAX_MEMBERS];
	unsigned int cpu = g->m[0].event->cpu, n = 0;
	struct group *other;
	struct member *m;

	for_each_member(other, m) {
		if (m->event->cpu == (int)cpu && (m->event->on || other == g))
			list[n++] = m;
	}
	return cpu_online(cpu) && fit(list, n);
}

static u64 rate(const struct member *m)
{
	return machine_rate(want_control(&m->event->attr));
}

static struct group_rules rules = {
	.rate = rate, .has_room = has_room, .nr = MAX_GROUPS,
};

/* The last group is here for a moment, of events that are changed by chance. */
#define VISITORS	(&groups[MAX_GROUPS - 1])
static const struct sample visitor = { .by = "" };

static void interrupt(unsigned int cpu);

static void tick(unsigned int cpu, unsigned int n)
{
	struct group *g;
	struct member *m;
	u64 ran;

	/* While the monitors run, no interrupt waits. */
	if (!mock_irqs_off && !(hw[cpu].mont.pmc[0] & FR))
		interrupt(cpu);
	ran = machine_tick(cpu, n);
	for_each_member(g, m) {
		if (m->event->cpu == (int)cpu && m->event->on && !m->stopped)
			m->expect += ran * rate(m);
	}
}

/* In the middle of a freeze */
static void tick_late(unsigned int cpu)
{
	machine_hooks.read_pmc0 = NULL;
	tick(cpu, 1 + draw(3));
}

/* Addresses that encode their task and privilege level */
static u64 address(void)
{
	u64 base = draw(2) ? 0x400000 : 0xffff800000000000ULL;

	return base | (u64)current->pid << 32 | (noise() & 0xffff0);
}

static bool is_mine(u64 addr)
{
	return (addr >> 32 & 0xf) == (u64)current->pid;
}

/* Records of the enabled units when a counter overflows */
static void capture(unsigned int cpu)
{
	struct hw_cpu *c = &hw[cpu];
	unsigned int i, n = draw(17);
	bool ip = c->mont.pmc[42] & PLM;

	if (c->mont.pmc[40] & PLM) {
		c->mont.pmd[32] = address();
		c->mont.pmd[33] = draw(4) << 14 | draw(0x4000);
		c->mont.pmd[36] = address() | draw(16);
	}
	if (c->mont.pmc[37] & PLM) {
		c->mont.pmd[34] = address() | draw(4);
		c->mont.pmd[35] = draw(0x2000);
	}
	if (!(c->mont.pmc[39] & PLM) && !ip)
		return;
	for (i = 0; i < n; i++) {
		unsigned int k = c->mont.pmd[38] & 0xf;

		c->mont.pmd[48 + k] = ip ? (address() >> 4 & GENMASK_ULL(59, 0)) :
				      address() | draw(16);
		c->mont.pmd[38] = (k + 1) % 16 | (c->mont.pmd[38] & 0x20) | (k == 15 ? 0x20 : 0);
	}
	c->mont.pmd[39] = noise() & ~0x1111111111111111ULL;
}

static struct member *member_of(const struct perf_event *event, struct group **of)
{
	struct member *m;
	struct group *g;

	for_each_member(g, m) {
		*of = g;
		if (m->event == event)
			return m;
	}
	fault("%s: a sample of an event that is closed", where());
	return NULL;
}

static bool is_counted(const struct perf_event *event, u64 addr)
{
	return addr < USER_END ? !event->attr.exclude_user : !event->attr.exclude_kernel;
}

static bool is_allowed(const struct perf_event *event, u64 addr, bool whose)
{
	return is_counted(event, addr) && (!whose || is_mine(addr));
}

static int throttle(struct group *g, struct member *m)
{
	if (calm || g == VISITORS || draw(16))
		return 0;
	m->stopped = true;
	return 1;
}

/* Checks of every sample */
static void check_sample(const struct perf_event *event, const struct perf_sample_data *data,
			 const struct pt_regs *regs)
{
	unsigned int i;

	EXPECT(regs->ip && is_counted(event, regs->ip), 1);
	if (!(data->sample_flags & PERF_SAMPLE_BRANCH_STACK))
		return;
	for (i = 0; i < data->br_stack->nr; i++) {
		EXPECT(is_allowed(event, data->br_stack->entries[i].from, true), 1);
		EXPECT(is_allowed(event, data->br_stack->entries[i].to, true), 1);
	}
}

static int take(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct group *g;
	struct member *m = member_of(event, &g);

	check_sample(event, data, regs);
	if (!m)
		return 0;
	check_count(m, "when sampled");
	if (g == VISITORS)
		return 0;
	++*samples_of(g, m);
	EXPECT(data->period, event->attr.sample_period);
	if (m->sample->dear || m->sample->iear)
		EXPECT(is_allowed(event, regs->ip, owner[g - groups]), 1);
	EXPECT(data->sample_flags & PERF_SAMPLE_ADDR && m->sample->dear &&
	       event->attr.exclude_kernel && data->addr >= USER_END, 0);
	return throttle(g, m);
}

static int drop(struct perf_event *event)
{
	struct group *g;
	struct member *m = member_of(event, &g);

	return m ? throttle(g, m) : 0;
}

static void interrupt(unsigned int cpu)
{
	struct pt_regs user = { 0x1000, __USER_CS, 0 };
	struct pt_regs kernel = { KERNEL_IP, __KERNEL_CS, 0 };

	mock_task[cpu]->regs = (struct pt_regs){ 0x2000, __USER_CS, 0 };
	machine_interrupts(cpu, draw(2) && current->pid ? &user : &kernel);
}

static struct perf_event_attr draw_attr(const struct sample *s)
{
	static const u64 periods[] = { 0, 0, 100, 333, 1000 };
	struct perf_event_attr attr = {
		.config = s->config, .config1 = s->config1, .config2 = s->config2,
		.sample_period = periods[draw(ARRAY_SIZE(periods))], .exclude_kernel = !draw(4),
	};

	attr.exclude_user = !attr.exclude_kernel && !draw(4);
	if (!(s->etb || s->ip) || draw(2))
		return attr;
	attr.sample_type = PERF_SAMPLE_BRANCH_STACK;
	attr.branch_sample_type = PERF_SAMPLE_BRANCH_ANY |
		(attr.exclude_user ? 0 : PERF_SAMPLE_BRANCH_USER) |
		(attr.exclude_kernel ? 0 : PERF_SAMPLE_BRANCH_KERNEL);
	/* The stack's own setting, which needs taken branches */
	if (s->etb == 0x3f40)
		attr.config |= TM(3);
	return attr;
}

static void open_group(struct group *g)
{
	const struct member *list[MAX_MEMBERS];
	unsigned int cpu = draw(MOCK_CPUS), i, n = 1 + draw(MAX_MEMBERS);
	unsigned int task = draw(3);

	owner[g - groups] = task;
	for (i = 0; i < n; i++) {
		const struct sample *s = &kinds[draw(ARRAY_SIZE(kinds))];
		struct perf_event probe = { .attr = draw_attr(s) };
		struct member *m = &g->m[i];
		bool want;

		*m = (struct member){ .sample = s, .event = &probe };
		*samples_of(g, m) = 0;
		list[i] = m;
		mock_attach = task ? PERF_ATTACH_TASK : 0;
		want = fit(list, i + 1);
		m->event = open_attr(cpu, &probe.attr, i ? g->m[0].event : NULL);
		mock_attach = 0;
		EXPECT(open_errno, !want ? -EINVAL : task || cpu_online(cpu) ? 0 : -ENODEV);
		if (!m->event)
			break;
		EXPECT(!!(m->event->attach_state & PERF_ATTACH_SCHED_CB),
		       on_ia64 && (s->dear || s->iear || s->etb || s->ip));
		g->n = i + 1;
	}
}

static bool may_run(const struct group *g)
{
	unsigned int cpu = g->m[0].event->cpu;

	return !owner[g - groups] || mock_task[cpu] == &runners[owner[g - groups]];
}

static void look(unsigned int cpu)
{
	mock_disable(pmu, cpu);
	tick(cpu, 1);
	mock_enable(pmu, cpu);
}

/* Both tasks have the same events, and what is on stays: it is the other one's. */
static void exchange(unsigned int cpu, struct task_struct *next)
{
	unsigned int was = mock_task[cpu] - runners, is = next - runners;
	struct group *g;

	if (draw(2))
		look(cpu);
	task_comes(cpu, next);
	for_each_group(g) {
		unsigned int *o = &owner[g - groups];

		if (!g->n || g->m[0].event->cpu != (int)cpu)
			continue;
		if (*o == was || *o == is)
			*o = was + is - *o;
	}
}

/* Switch to another task and its events. */
static void change_task(unsigned int cpu)
{
	struct task_struct *next = &runners[draw(3)];
	struct group *g;
	bool seen = false;

	if (!cpu_online(cpu) || next == mock_task[cpu])
		return;
	if (mock_task[cpu]->pid && next->pid && !draw(3)) {
		exchange(cpu, next);
		return;
	}
	if (draw(2))
		look(cpu);
	for_each_group(g) {
		if (g->n && g->m[0].event->cpu == (int)cpu && owner[g - groups] &&
		    g->m[0].event->on) {
			if (!seen)
				mock_disable(pmu, cpu);
			seen = true;
			mock_sched_out(g->m[0].event);
		}
	}
	if (seen)
		mock_enable(pmu, cpu);
	task_comes(cpu, next);
	for_each_group(g) {
		if (g->n && g->m[0].event->cpu == (int)cpu &&
		    next == &runners[owner[g - groups]] && next->pid)
			group_sched_in(g);
	}
}

static void tick_once(unsigned int cpu)
{
	tick(cpu, 1 + draw(200));
}

static void plug(unsigned int cpu)
{
	if (cpu_online(cpu)) {
		if (!draw(3)) {
			mock_cpu_stays(cpu, tick_once);
			return;
		}
		if (mock_online == BIT(cpu))
			return;
		mock_cpu_down(cpu);
		EXPECT(hw[cpu].pmv & BIT(16), BIT(16));
		machine_cpu_reset(cpu);
	} else {
		mock_cpu_up(cpu);
	}
}

/* A randomly changed event */
static void change(struct perf_event_attr *attr)
{
	const struct sample *s = &kinds[draw(ARRAY_SIZE(kinds))];

	switch (draw(9)) {
	case 0:
		attr->config ^= BIT_ULL(draw(64));
		break;
	case 1:		/* Another event, with the same fields */
		attr->config = (attr->config & ~0xffULL) | draw(256);
		break;
	case 2:
		attr->config ^= (u64)draw(256) << 8 * draw(8);
		break;
	case 3:
		*(draw(2) ? &attr->config1 : &attr->config2) ^= BIT_ULL(draw(64));
		break;
	case 4:
		attr->config1 = draw_bits();
		attr->config2 = draw_bits();
		break;
	case 5:		/* The fields of another, with the same event */
		attr->config = (attr->config & 0xff) | (s->config & ~0xffULL);
		attr->config1 = s->config1;
		attr->config2 = s->config2;
		break;
	case 6:
		attr->exclude_kernel = draw(2);
		attr->exclude_user = draw(2);
		attr->exclude_idle = !draw(4);
		attr->exclude_host = !draw(4);
		break;
	case 7:
		attr->sample_type = PERF_SAMPLE_BRANCH_STACK;
		attr->branch_sample_type = draw(2) ? draw_bits() :
			PERF_SAMPLE_BRANCH_USER | PERF_SAMPLE_BRANCH_KERNEL | BIT_ULL(draw(20));
		break;
	case 8:
		attr->sample_period = draw(2) ? 1 + draw(1 << 16) : draw_bits() >> 1;
		attr->precise_ip = draw(4);
		attr->freq = draw(2);
		break;
	}
}

/* The event is refused with a reason, or counts. */
static struct perf_event *open_changed(unsigned int cpu, struct perf_event *leader)
{
	const struct sample *s = &kinds[draw(ARRAY_SIZE(kinds))];
	struct perf_event_attr attr = {
		.config = s->config, .config1 = s->config1, .config2 = s->config2,
	};
	struct perf_event *event;
	unsigned int n = draw(5);

	while (n--)
		change(&attr);
	log_clear();
	mock_window();
	event = open_attr(cpu, &attr, leader);
	EXPECT(!open_errno || open_errno == -EINVAL || open_errno == -EOPNOTSUPP, 1);
	EXPECT(log_has(":"), !event);
	return event;
}

static bool is_busy(unsigned int cpu)
{
	struct member *m;
	struct group *g;

	for_each_member(g, m) {
		if (m->event->on && m->event->cpu == (int)cpu)
			return true;
	}
	return false;
}

/* A group of events that are changed by chance comes, counts and goes. */
static void visit(unsigned int cpu)
{
	unsigned int n = 1 + draw(4), i;
	struct group *g = VISITORS;
	struct perf_event *leader;

	if (!cpu_online(cpu))
		return;
	mock_cpu = cpu;
	/* Attach to the running task, or to the processor. */
	mock_attach = draw(2) && mock_task[cpu]->pid ? PERF_ATTACH_TASK : 0;
	for (g->n = 0; g->n < n; g->n++) {
		leader = g->n ? g->m[0].event : NULL;
		g->m[g->n] = (struct member){ .event = open_changed(cpu, leader),
					      .sample = &visitor };
		if (!g->m[g->n].event)
			break;
	}
	mock_attach = 0;
	if (!g->n)
		return;
	leader = g->m[0].event;
	EXPECT(mock_sched_in(leader) || is_busy(cpu), 1);
	for (i = draw(4); i; i--) {
		tick(cpu, 1 + draw(6));
		interrupt(cpu);
	}
	for (i = 0; i < g->n && leader->on; i++) {
		mock_read(g->m[i].event, cpu);
		check_count(&g->m[i], "when read");
	}
	group_close(g);
}

static void operation(void)
{
	struct group *g = &groups[draw(MAX_GROUPS - 1)];
	unsigned int cpu;

	row++;
	for (cpu = 0; cpu < MOCK_CPUS; cpu++) {
		if (!cpu_online(cpu))
			continue;
		mock_cpu = cpu;
		tick(cpu, 1 + draw(6));
		if (draw(4))
			interrupt(cpu);
	}
	if (!draw(6))
		machine_hooks.read_pmc0 = tick_late;
	mock_cpu = mock_first(mock_online);
	if (!g->n) {
		open_group(g);
		machine_hooks.read_pmc0 = NULL;
		return;
	}
	cpu = g->m[0].event->cpu;
	mock_cpu = cpu;
	switch (draw(14)) {
	case 0:
		group_close(g);
		break;
	case 1 ... 3:
		if (may_run(g))
			group_sched_in(g);
		break;
	case 4:
		mock_sched_out(g->m[0].event);
		break;
	case 5 ... 6:
		/* Frozen, or as they count */
		rules.disable = draw(2);
		calm = !rules.disable;
		group_start_stop(g);
		calm = false;
		break;
	case 7 ... 8:
		if (!g->m[0].event->on)
			break;
		mock_read(g->m[0].event, cpu);
		check_count(&g->m[0], "when read");
		break;
	case 9 ... 10:
		change_task(cpu);
		break;
	case 11:
		if (!draw(4))
			plug(draw(MOCK_CPUS));
		break;
	default:
		visit(draw(MOCK_CPUS));
	}
	machine_hooks.read_pmc0 = NULL;
}

static void expect_pair(const u64 *reg, u64 addr, u64 mask)
{
	EXPECT(reg[0], addr);
	EXPECT(reg[1], 0x0fffffffffffffffULL & ~mask);
}

/* Expected values of the shared registers, by table 3-3 and 3.3.5.4 */
static void check_shared(unsigned int cpu)
{
	u64 p[11] = { P32, P33, P32, P33, P36, 0, P38, 0, P40, P41, 0 };
	bool channel0 = false, opcode = false, range = false, data = false;
	const struct hw_cpu *c = &hw[cpu];
	struct member *m;
	struct group *g;
	unsigned int i;

	for_each_member(g, m) {
		const struct sample *s = m->sample;
		u64 plm = plm_of(m);

		if (!m->event->on || m->event->cpu != (int)cpu)
			continue;
		if (s->iear)
			p[5] = s->iear | plm;
		if (s->etb)
			p[7] = s->etb | plm;
		if (s->dear)
			p[8] = s->dear | plm;
		if (s->ip)
			p[10] = s->ip | plm;
		if (s->filter == 'p') {
			p[6] &= ~0x10ULL;
			p[4] |= 2;
			expect_pair(c->ibr + 2, s->config1, s->config2);
		}
		opcode |= s->filter == 'o';
		range |= s->filter == 'i' || s->filter == 'f';
		data |= s->filter == 'd';
		if (s->filter == 'i') {
			p[6] &= ~2ULL;
			expect_pair(c->ibr, s->config1, s->config2);
		}
		if (s->filter == 'f') {
			p[6] = (p[6] & ~0x82ULL) | 0x2000;
			/* On the second bundle of a pair */
			expect_pair(c->ibr, s->config1 - 16, 0);
			expect_pair(c->ibr + 4, s->config2 - 16, 0);
		}
		if (s->filter == 'd')
			expect_pair(c->dbr, s->config1, s->config2);
	}
	channel0 = opcode || range;
	if (opcode) {
		p[0] = 0x1fffffff000ULL | 9ULL << 48;
		p[1] = 0x123;
		p[4] |= 4;
	} else if (range) {
		p[0] = 0x000f01ffffffffffULL;
		p[4] |= 1;
	}
	p[9] = (p[9] & ~0x18ULL) | (data ? (channel0 ? 0 : 0x10) : (channel0 ? 0x08 : 0x18));
	for (i = 0; i < ARRAY_SIZE(p); i++)
		EXPECT(c->mont.pmc[32 + i], p[i]);
}

static void check_cpu(unsigned int cpu)
{
	u64 want[16] = { 0 };
	struct member *m;
	struct group *g;
	unsigned int i, n = 0;

	for_each_member(g, m) {
		int idx = m->event->hw.idx;

		if (!m->event->on || m->event->cpu != (int)cpu)
			continue;
		n++;
		EXPECT(idx >= FIRST_COUNTER && idx <= LAST_COUNTER && !want[idx & 15], 1);
		idx &= 15;
		want[idx] = want_control(&m->event->attr);
		if (m->stopped)
			want[idx] &= ~(OI | PLM);
	}
	for (i = FIRST_COUNTER; i <= LAST_COUNTER; i++)
		EXPECT(hw[cpu].mont.pmc[i], want[i] ?: IDLE);
	/* Without events the monitors may be frozen or not. */
	if (!n && !hw[cpu].interrupt)
		EXPECT(hw[cpu].mont.pmc[0] & ~FR, 0);
	else if (n)
		EXPECT(hw[cpu].mont.pmc[0] & FR ? !hw[cpu].interrupt : hw[cpu].mont.pmc[0], 0);
	check_shared(cpu);
}

/* A sample for each period, if no overflow waits for its interrupt or for one more event */
static void check_samples(void)
{
	struct member *m;
	struct group *g;

	for_each_member(g, m) {
		u64 period = m->event->attr.sample_period;
		unsigned int n = *samples_of(g, m) + m->event->lost_samples.v;

		if (period && m->event->on && !m->stopped &&
		    !(hw[m->event->cpu].mont.pmd[m->event->hw.idx] & BIT_ULL(46)))
			continue;
		n += period && m->event->hw.period_left.a.a.v <= 0;
		EXPECT(n, period ? m->expect / period : 0);
	}
}

static void begin_random(bool both_threads)
{
	unsigned int i;

	group_rules = &rules;
	threads = both_threads;
	*mock_param_threads = threads;
	for (i = 0; i < MOCK_CPUS; i++)
		mock_task[i] = &runners[draw(3)];
	load();
	machine_hooks.capture = capture;
	machine_hooks.sample = take;
	machine_hooks.account = drop;
}

static void check_cpus(void)
{
	unsigned int cpu;

	for (cpu = 0; cpu < MOCK_CPUS; cpu++) {
		if (cpu_online(cpu))
			check_cpu(cpu);
	}
}

static void end_random(void)
{
	groups_close();
	check_cpus();
	unload();
}

static void step(void)
{
	operation();
	check_cpus();
	check_samples();
}

void test_random(unsigned int seed)
{
	unsigned int i;

	noise_seed(seed);
	begin_random(seed % 2);
	for (i = 0; i < 3000 && !faults; i++)
		step();
	end_random();
}

void fuzz_input(void)
{
	on_ia64 = draw(2);
	mock_reset();
	begin_random(draw(2));
	while (!draw_over())
		step();
	end_random();
}
