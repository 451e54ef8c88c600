// SPDX-License-Identifier: GPL-2.0-only
/*
 * The order in which the driver accesses an Itanium's registers: its own code for
 * ia64, run on a processor that only watches. What the architecture asks for
 * (volume 2, 7.2) is asked of every access:
 *
 * - A move to a PMC or PMD takes effect with a data serialization. Before that
 *   nothing may be read that depends on it, and no counter may get a value that
 *   its PMC has not been set up for.
 * - While anything is changed the monitors are frozen, and the freeze itself is
 *   serialized first.
 * - PMC0 is written last, when all the rest has taken effect; breakpoint
 *   registers for instructions want an instruction serialization.
 * - What is changed in the psr is changed back.
 */
#include "mock.h"

#include "itanium/pmu.h"
#include "lib/tap.h"

#define NR_REGS	64

static u64 pmc[NR_REGS], pmd[NR_REGS];
static bool dirty_pmc[NR_REGS], dirty_pmd[NR_REGS], dirty_ibr, dirty_dbr, dirty_pmv;
static int psr_depth, faults, accesses;
static const char *doing = "";
static u64 cpuid3;
static struct pt_regs *irq_regs;
static irqreturn_t (*pmi)(int irq, void *dev_id);
static int overflows, accounted, throttle;
/* Overflows whose later work was done, and how often it was asked for */
static int worked, asked;

const struct itanium_ops *itanium_ops;
static struct task_struct task = {
	.pid = 1, .regs = { .cr_ipsr = 3 << 2, .cr_iip = 0x2000000000002000ULL },
};

struct task_struct *current = &task;
struct cpuinfo_ia64 cpu_info;

static void fault(const char *rule, const char *reg, unsigned int n)
{
	if (faults++ < 10)
		printf("# %s: %s%u: %s\n", doing, reg, n, rule);
}

bool mock_warn(bool x)
{
	if (x)
		fault("the driver warns", "", 0);
	return x;
}

static bool frozen(void)
{
	return pmc[0] & 1;
}

static bool any_dirty(void)
{
	int n;

	for (n = 0; n < NR_REGS; n++)
		if (dirty_pmc[n] || dirty_pmd[n])
			return true;
	return dirty_ibr || dirty_dbr || dirty_pmv;
}

u64 ia64_get_pmc(unsigned int n)
{
	accesses++;
	if (dirty_pmc[n] || dirty_pmc[0])
		fault("read before what it depends on is serialized", "PMC", n);
	return pmc[n];
}

u64 ia64_get_pmd(unsigned int n)
{
	accesses++;
	if (dirty_pmd[n] || dirty_pmc[0] || (n < 16 && dirty_pmc[n]))
		fault("read before what it depends on is serialized", "PMD", n);
	if (n >= 32 && !frozen())
		fault("read while the monitors run", "PMD", n);
	return pmd[n];
}

void ia64_set_pmc(unsigned int n, u64 v)
{
	accesses++;
	if (!n && !(v & 1) && any_dirty())
		fault("released before the rest has taken effect", "PMC", n);
	if (n && (!frozen() || dirty_pmc[0]))
		fault("written while the monitors may run", "PMC", n);
	pmc[n] = v;
	dirty_pmc[n] = true;
}

void ia64_set_pmd(unsigned int n, u64 v)
{
	accesses++;
	if (!frozen() || dirty_pmc[0])
		fault("written while the monitors may run", "PMD", n);
	if (n < 16 && dirty_pmc[n] && pmc[n] & 0xf)
		fault("gets its value before its PMC is set up", "PMD", n);
	pmd[n] = v;
	dirty_pmd[n] = true;
}

void ia64_set_ibr(unsigned int n, u64 v)
{
	(void)n;
	(void)v;
	accesses++;
	dirty_ibr = true;
}

void ia64_set_dbr(unsigned int n, u64 v)
{
	(void)n;
	(void)v;
	accesses++;
	dirty_dbr = true;
}

void ia64_srlz_d(void)
{
	memset(dirty_pmc, 0, sizeof(dirty_pmc));
	memset(dirty_pmd, 0, sizeof(dirty_pmd));
	dirty_dbr = false;
	dirty_pmv = false;
}

void ia64_srlz_i(void)
{
	ia64_srlz_d();
	dirty_ibr = false;
}

void ia64_ssm(u64 mask)
{
	(void)mask;
	psr_depth++;
}

void ia64_rsm(u64 mask)
{
	(void)mask;
	psr_depth--;
}

void ia64_setreg(int reg, u64 v)
{
	if (reg != _IA64_REG_CR_PMV || (v != IA64_PERFMON_VECTOR && v != 1 << 16))
		fault("no value for it", "cr", reg - 4096);
	dirty_pmv = true;
}

u64 ia64_get_cpuid(unsigned int n)
{
	return n == 3 ? cpuid3 : 0;
}

struct pt_regs *get_irq_regs(void)
{
	return irq_regs;
}

int ia64_pmi_register(irqreturn_t (*handler)(int irq, void *dev_id))
{
	pmi = handler;
	return 0;
}

void ia64_pmi_unregister(void)
{
	pmi = NULL;
}

bool ia64_dbregs_get_pmu(struct task_struct *task)
{
	return true;
}

void ia64_dbregs_put_pmu(struct task_struct *task)
{
}

/* What perf puts off in an overflow: with the monitors as the interrupt leaves them */
void irq_work_run(void)
{
	asked++;
	worked = overflows;
	if (any_dirty() || frozen())
		fault("not written and serialized before what perf put off", "PMC", 0);
}

static int watched;

void perf_sched_cb_inc(struct pmu *pmu)
{
	watched++;
}

void perf_sched_cb_dec(struct pmu *pmu)
{
	watched--;
}

int perf_event_overflow(struct perf_event *event, struct perf_sample_data *data,
			struct pt_regs *regs)
{
	/* What a group's sample reads: the others' counters */
	itanium_pmu_read(event);
	overflows++;
	return throttle;
}

int perf_event_account_interrupt(struct perf_event *event)
{
	(void)event;
	accounted++;
	return throttle;
}

/* The front door's part */
int itanium_pmu_init(const struct itanium_ops *ops)
{
	itanium_ops = ops;
	return 0;
}

void itanium_pmu_exit(void)
{
}

static struct itanium_req reqs[8];

static struct perf_event event_of(int slot, u64 config, u64 etb, u64 period)
{
	struct itanium_attr attr = {
		.config = config, .etb = etb, .plm = 9, .config1 = 0, .config2 = 0xfff,
	};
	const char *why = "";

	if (!(config >> 40 & 7))
		attr.config2 = 0;
	if (itanium_encode(&attr, &reqs[slot], &why))
		printf("Bail out! %#llx: %s\n", (unsigned long long)config, why);
	return (struct perf_event){
		.attr = { .config = config, .sample_period = period,
			  .sample_type = etb ? PERF_SAMPLE_BRANCH_STACK | PERF_SAMPLE_RAW :
				  PERF_SAMPLE_IP },
		.hw = { .idx = -1, .sample_period = period, .last_period = period,
			.period_left = { period } },
		.attach_state = PERF_ATTACH_TASK,
		.pmu_private = &reqs[slot],
	};
}

/* The end of perf's call, or of the interrupt */
static void done(void)
{
	if (dirty_pmc[0])
		fault("not serialized at the end", "PMC", 0);
	if (psr_depth)
		fault("changed and not changed back", "psr", 0);
}

static void enable(void)
{
	itanium_pmu_enable(NULL);
	done();
}

static void disable(void)
{
	itanium_pmu_disable(NULL);
	done();
}

/* The hardware's part of an overflow: the counter wraps and the PMU freezes. */
static void wrap(const struct perf_event *event)
{
	pmd[event->hw.idx] = 0;
	pmc[0] |= 1 | BIT_ULL(event->hw.idx);
}

static void run(const char *what, void (*test)(void))
{
	int before = faults, from = accesses;

	doing = what;
	test();
	tap(faults == before && accesses > from, "%s: %d accesses, %d out of order", what,
	    accesses - from, faults - before);
}

static struct perf_event many[6];

static void test_reset(void)
{
	itanium_cpu_reset(&itanium_cpus);
	done();
}

/* Counters, both EARs, the trace buffer, a code and a data range, one by one */
static void test_add(void)
{
	unsigned int i;

	many[0] = event_of(0, 0x08, 0x3e00, 100);
	many[1] = event_of(1, 0xc8 | 1 << 20, 0, 7);
	many[2] = event_of(2, 0x43 | 4 << 20 | 0xffULL << 24, 0, 9);
	many[3] = event_of(3, 0x44 | 2ULL << 40, 0, 0);
	many[4] = event_of(4, 0xdc, 0, 5);
	many[5] = event_of(5, 0x00, 0, 0);
	many[5].hw.sample_period = ITANIUM_MAX_COUNT;
	many[3].hw.sample_period = ITANIUM_MAX_COUNT;
	for (i = 0; i < ARRAY_SIZE(many); i++) {
		disable();
		if (itanium_pmu_add(&many[i], PERF_EF_START))
			fault("no room", "event ", i);
		enable();
	}
}

static void test_interrupt(void)
{
	struct pt_regs user = { .cr_ipsr = 3 << 2, .cr_iip = 0x2000000000001000ULL };
	unsigned int i;

	irq_regs = &user;
	for (i = 0; i < 5; i++) {
		if (i == 3)
			continue;
		wrap(&many[i]);
		pmd[33] = 0x4028;
		pmd[36] = 0x200000000000101aULL;
		pmd[34] = 0x2000000000001021ULL;
		pmd[35] = 40;
		pmd[38] = 6;
		pmi(0, NULL);
		done();
		/* ia64 has no interrupt for it. */
		if (!asked || worked != overflows)
			fault("what perf put off is not done", "event ", i);
	}
	irq_regs = NULL;
	if (overflows != 4 || asked != 4)
		fault("other samples than 4", "samples ", overflows);
}

/* An event that is throttled is stopped in its own interrupt. */
static void test_throttled(void)
{
	struct pt_regs user = { .cr_ipsr = 3 << 2, .cr_iip = 0x2000000000001000ULL };

	irq_regs = &user;
	throttle = 1;
	wrap(&many[4]);
	pmi(0, NULL);
	done();
	/* ... and one whose record is not valid as well */
	wrap(&many[1]);
	pmd[33] = 0;
	pmd[36] = 0;
	pmi(0, NULL);
	done();
	throttle = 0;
	irq_regs = NULL;
	if (!(many[4].hw.state & PERF_HES_STOPPED) || !(many[1].hw.state & PERF_HES_STOPPED) ||
	    accounted != 1)
		fault("not stopped", "event ", 4);
	disable();
	itanium_pmu_start(&many[4], 0);
	itanium_pmu_start(&many[1], 0);
	enable();
}

/* A software event of its group is throttled: perf does not freeze the monitors. */
static void test_running(void)
{
	itanium_pmu_stop(&many[4], 0);
	done();
	itanium_pmu_start(&many[4], 0);
	done();
	if (many[4].hw.state || frozen())
		fault("not started", "event ", 4);
}

/* Without registers, as where pending interrupts of a processor that goes are taken */
static void test_no_regs(void)
{
	long before = overflows, dropped = itanium_dropped.v;

	wrap(&many[4]);
	pmi(0, NULL);
	done();
	if (overflows != before || itanium_dropped.v != dropped + 1)
		fault("a sample of nowhere", "registers ", 0);
}

static void test_switch(void)
{
	disable();
	itanium_pmu_del(&many[0], 0);
	itanium_pmu_del(&many[4], 0);
	enable();
	task.pid = 2;
	disable();
	if (itanium_pmu_add(&many[4], PERF_EF_START))
		fault("no room", "event ", 4);
	itanium_ops->sched_task(NULL, true);
	enable();
	if (watched != 2)
		fault("other events that watch tasks than 2", "events ", watched);
}

/* Events that have to move for another: L1D events want PMC5. */
static void test_move(void)
{
	static struct perf_event more[2];

	more[0] = event_of(6, 0xc1, 0, 50);
	more[1] = event_of(7, 0x1e6, 0, 50);
	disable();
	if (itanium_pmu_add(&more[0], PERF_EF_START) || itanium_pmu_add(&more[1], PERF_EF_START))
		fault("no room", "event ", 6);
	enable();
	disable();
	itanium_pmu_del(&more[0], 0);
	enable();
	itanium_pmu_read(&more[1]);
	disable();
	itanium_pmu_del(&more[1], 0);
	enable();
}

/* Counters only: no capture unit has to be made ready. */
static void test_plain(void)
{
	static struct perf_event plain[2];

	itanium_cpu_reset(&itanium_cpus);
	plain[0] = event_of(6, 0xdc, 0, 50);
	plain[1] = event_of(7, 0x08, 0, 50);
	disable();
	if (itanium_pmu_add(&plain[0], PERF_EF_START) || itanium_pmu_add(&plain[1], PERF_EF_START))
		fault("no room", "event ", 6);
	enable();
	disable();
	itanium_pmu_del(&plain[0], 0);
	enable();
	itanium_pmu_read(&plain[1]);
	disable();
	itanium_pmu_del(&plain[1], 0);
	enable();
}

static void test_cpus(void)
{
	static const struct {
		unsigned int family, model;
		bool ok;
	} cpus[] = {
		{ 0x20, 0, true }, { 0x20, 1, true }, { 0x20, 2, false }, { 0x1f, 0, false },
		{ 0x21, 0, false },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cpus); i++) {
		int err;

		cpuid3 = cpus[i].family << 24 | cpus[i].model << 16 | 0x104;
		err = itanium_backend_init();
		tap(!err == cpus[i].ok, "family %#x model %u: %s", cpus[i].family, cpus[i].model,
		    err ? "refused" : "taken");
		if (!err)
			itanium_backend_exit();
	}
}

/* The driver takes PAL's word for how many threads a core has. */
static void test_threads(void)
{
	bool one, two;

	cpu_info.threads_per_core = 1;
	one = itanium_ops->threads();
	cpu_info.threads_per_core = 2;
	two = itanium_ops->threads();
	tap(!one && two, "threads of a core: one %s, two %s", one ? "are both in use" : "is alone",
	    two ? "are both in use" : "are not");
}

/* A processor that goes must not take an interrupt after this. */
static void test_vector(void)
{
	bool on, off;

	itanium_ops->irq_on();
	on = !dirty_pmv;
	itanium_ops->irq_off();
	off = !dirty_pmv;
	tap(on && off, "the vector is %s at once and %s at once", on ? "there" : "not there",
	    off ? "gone" : "not gone");
}

static void test_addresses(void)
{
	static const struct {
		u64 addr;
		bool user;
	} cases[] = {
		{ 0x4000000000001000ULL, true }, { 0x9fffffffffffffffULL, true },
		{ FIXADDR_USER_START, true }, { FIXADDR_USER_END - 16, true },
		{ FIXADDR_USER_END, false }, { 0xa000000100000000ULL, false },
		{ 0xe000000000000000ULL, false },
	};
	struct pt_regs regs;
	unsigned int i;
	bool ok = true;

	for (i = 0; i < ARRAY_SIZE(cases); i++) {
		memset(&regs, 0, sizeof(regs));
		itanium_ops->sample_regs(&regs, (cases[i].addr & ~0xfULL) + 2);
		ok &= itanium_user_addr(cases[i].addr) == cases[i].user &&
		      user_mode(&regs) == cases[i].user &&
		      instruction_pointer(&regs) == (cases[i].addr & ~0xfULL) + 2;
	}
	tap(ok, "programs' addresses, the gate page's among them, and the kernel's");
}

int main(void)
{
	test_cpus();
	cpuid3 = 0x20 << 24;
	if (itanium_backend_init())
		printf("Bail out! no backend\n");
	test_addresses();
	test_threads();
	test_vector();
	run("reset", test_reset);
	run("events come", test_add);
	run("overflows", test_interrupt);
	run("overflows that throttle", test_throttled);
	run("stopped and started as they run", test_running);
	run("overflows without registers", test_no_regs);
	run("tasks change", test_switch);
	run("events move", test_move);
	run("counters only", test_plain);
	return tap_done();
}
