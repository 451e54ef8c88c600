// SPDX-License-Identifier: GPL-2.0-only
/*
 * perf events on the performance monitors of Montecito, the dual-core Itanium
 * 2: where perf meets the registers.
 *
 * All monitors are privileged ones that interrupt on overflow. While anything
 * is changed the PMU is frozen by PMC0.fr. An overflow freezes it too, and
 * leaves a bit in PMC0, so PMC0 is only cleared where that bit has been seen.
 */
#define pr_fmt(fmt) "itanium: " fmt

#include <linux/bitfield.h>
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/ratelimit.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include <asm/irq_regs.h>
#include <asm/ptrace.h>

#include "itanium/compat.h"
#include "itanium/pmu.h"
#include "itanium/sched.h"

#define NR		ITANIUM_NR_COUNTERS
/*
 * What a counter is preloaded with has to tell by bit 46 whether it wrapped. A
 * longer period takes more than one overflow.
 */
#define MAX_COUNT	BIT_ULL(PMD_COUNT_WIDTH - 1)
/* A counter that nobody uses; .ism has no other legal value */
#define PMC_IDLE	FIELD_PREP(PMC_ISM, PMC_ISM_IA64)

static bool threads = true;
module_param(threads, bool, 0444);
MODULE_PARM_DESC(threads, "Both hardware threads of the cores are in use: events that may happen in the background are kept to PMC4-9 (default: true)");

/**
 * struct itanium_cpu - the events of one processor
 * @event: those that are scheduled, in no order
 * @n: how many there are
 * @ready: its registers have defined values
 * @enabled: between pmu_enable and pmu_disable
 * @stale: the shared registers do not hold what @event needs
 * @setup: what the shared registers hold
 */
struct itanium_cpu {
	struct perf_event *event[NR];
	int n;
	bool ready;
	bool enabled;
	bool stale;
	struct itanium_setup setup;
};

static DEFINE_PER_CPU(struct itanium_cpu, itanium_cpus);
static DEFINE_PER_CPU(struct itanium_capture, itanium_captures);
static const struct itanium_ops *ops;
/* perf_pmu_register() shows a PMU before it can take events; hardware may go */
static bool itanium_usable;
static enum cpuhp_state itanium_hp_prepare, itanium_hp_online;
/* For refusals: a perf script tries many events, a loop gone wild is shut up */
static DEFINE_RATELIMIT_STATE(itanium_log, HZ, 20);
atomic_long_t itanium_dropped;

static struct itanium_req *to_req(struct perf_event *event)
{
	return event->pmu_private;
}

/* The units that an event has set up: bits enum itanium_res */
static u32 itanium_units(const struct itanium_req *req)
{
	u32 units = 0;
	int r;

	for (r = 0; r < ITANIUM_RES_NR; r++)
		if (req->res[r].v[1] & ITANIUM_RES_ON)
			units |= BIT(r);
	return units;
}

/*
 * Branch filters that PMC39 can do. Indirect branches that are no returns are
 * one class to the hardware: calls and jumps come together.
 */
static const struct {
	u64 type;
	u64 brt;
} itanium_branches[] = {
	{ PERF_SAMPLE_BRANCH_ANY, PMC39_BRT_ALL },
	{ PERF_SAMPLE_BRANCH_ANY_RETURN, PMC39_BRT_RETURN },
	{ PERF_SAMPLE_BRANCH_IND_CALL, PMC39_BRT_INDIRECT },
	{ PERF_SAMPLE_BRANCH_IND_CALL | PERF_SAMPLE_BRANCH_IND_JUMP,
	  PMC39_BRT_INDIRECT },
};

#define BRANCH_IGNORED	(PERF_SAMPLE_BRANCH_PLM_ALL |		\
			 PERF_SAMPLE_BRANCH_NO_FLAGS |		\
			 PERF_SAMPLE_BRANCH_NO_CYCLES)

/* PMC39 of a branch stack: taken branches, right or wrong predicted */
static int itanium_branch_filter(const struct perf_event_attr *attr, u64 *pmc39,
				 const char **why)
{
	u64 type = attr->branch_sample_type & ~BRANCH_IGNORED;
	u64 plm = attr->branch_sample_type & PERF_SAMPLE_BRANCH_PLM_ALL;
	size_t i;

	if ((attr->exclude_user ? 0 : PERF_SAMPLE_BRANCH_USER) !=
	    (plm & PERF_SAMPLE_BRANCH_USER) ||
	    (attr->exclude_kernel ? 0 : PERF_SAMPLE_BRANCH_KERNEL) !=
	    (plm & PERF_SAMPLE_BRANCH_KERNEL)) {
		*why = "branches are recorded at the privilege levels of the event, no others";
		return -EOPNOTSUPP;
	}
	for (i = 0; i < ARRAY_SIZE(itanium_branches); i++) {
		if (itanium_branches[i].type != type)
			continue;
		*pmc39 = FIELD_PREP(PMC39_TM, PMC39_TM_TAKEN) |
			 FIELD_PREP(PMC39_PTM, PMC39_ANY) |
			 FIELD_PREP(PMC39_PPM, PMC39_ANY) |
			 FIELD_PREP(PMC39_BRT, itanium_branches[i].brt);
		return 0;
	}
	*why = "no such branch filter: any, any_ret, ind_call, ind_call with ind_jmp (table 3-26)";
	return -EOPNOTSUPP;
}

/* What perf offers and this PMU does not have */
static int itanium_check_attr(const struct perf_event_attr *attr, u8 ear,
			      const char **why)
{
	if (itanium_attr_config3(attr)) {
		*why = "config3 has no field";
		return -EINVAL;
	}
	if (attr->exclude_host || attr->exclude_idle) {
		*why = "the PMU cannot tell a host or idle time apart";
		return -EOPNOTSUPP;
	}
	if (attr->precise_ip && ear == ITANIUM_EAR_NONE) {
		*why = "only the event address registers know the exact instruction";
		return -EOPNOTSUPP;
	}
	return 0;
}

static int itanium_encode_event(struct perf_event *event,
				struct itanium_req *req, const char **why)
{
	const struct perf_event_attr *attr = &event->attr;
	struct itanium_attr want = {
		.config = attr->config,
		.config1 = attr->config1,
		.config2 = attr->config2,
		.plm = (attr->exclude_kernel ? 0 : BIT(0)) |
		       (attr->exclude_user ? 0 : BIT(3)),
		.threads = threads,
	};
	u8 ear = FIELD_GET(ITANIUM_CFG_EAR, attr->config);
	s64 generic;
	int err;

	if (attr->type == PERF_TYPE_HARDWARE ||
	    attr->type == PERF_TYPE_HW_CACHE) {
		generic = itanium_generic(attr->type, attr->config);
		if (generic < 0)
			return generic;
		want.config = generic;
		want.config1 = 0;
		want.config2 = 0;
		ear = ITANIUM_EAR_NONE;
	}
	err = itanium_check_attr(attr, ear, why);
	if (err)
		return err;
	/* The IP-EAR's record is shown as a branch stack too. */
	if (has_branch_stack(event) && ear != ITANIUM_EAR_IP) {
		err = itanium_branch_filter(attr, &want.etb, why);
		if (err)
			return err;
	}
	return itanium_encode(&want, req, why);
}

/* Whether the events of a group can be counted together */
static int itanium_check_group(struct perf_event *event,
			       const struct itanium_req *own, const char **why)
{
	const struct itanium_req *req[NR + 1] = { own };
	struct perf_event *leader = event->group_leader, *sibling;
	s8 counter[NR + 1] = { -1 };
	int i, n = 1;

	/* Only the leader of others has a context already, whose lock is held. */
	if (leader == event)
		return itanium_assign(req, n, counter, why) ? -EINVAL : 0;

	if (leader->pmu == event->pmu)
		req[n++] = to_req(leader);
	for_each_sibling_event(sibling, leader) {
		if (n > NR)
			break;
		if (sibling->pmu == event->pmu)
			req[n++] = to_req(sibling);
	}
	for (i = 0; i < n; i++)
		counter[i] = -1;
	return itanium_assign(req, n, counter, why) ? -EINVAL : 0;
}

/* Address ranges are in the breakpoint registers, which are debuggers' too. */
static bool itanium_shares_ranges(const struct itanium_req *req)
{
	return ops->get_ranges &&
	       itanium_units(req) & (GENMASK(ITANIUM_RES_IBRP3, ITANIUM_RES_IBRP0) |
				     BIT(ITANIUM_RES_DBRP0));
}

static int itanium_get_ranges(const struct itanium_req *req, const char **why)
{
	if (!itanium_shares_ranges(req) || ops->get_ranges())
		return 0;
	*why = "address ranges need the breakpoint registers, which a debugged thread has";
	return -EBUSY;
}

static void itanium_event_destroy(struct perf_event *event)
{
	if (itanium_shares_ranges(to_req(event)))
		ops->put_ranges();
	kfree(to_req(event));
}

static int itanium_event_init(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	struct itanium_req *req;
	const char *why = NULL;
	int err;

	if (event->attr.type != event->pmu->type &&
	    !(ops->type == PERF_TYPE_RAW &&
	      (event->attr.type == PERF_TYPE_HARDWARE ||
	       event->attr.type == PERF_TYPE_HW_CACHE)))
		return -ENOENT;
	/* Pairs with the release after perf_pmu_register() */
	if (!smp_load_acquire(&itanium_usable))
		return -ENODEV;

	req = kzalloc(sizeof(*req), GFP_KERNEL);
	if (!req)
		return -ENOMEM;
	err = itanium_encode_event(event, req, &why);
	if (!err)
		err = itanium_check_group(event, req, &why);
	if (!err)
		err = itanium_get_ranges(req, &why);
	if (err) {
		if (why && __ratelimit(&itanium_log))
			pr_info("event=0x%llx refused: %s\n",
				event->attr.config, why);
		kfree(req);
		return err;
	}

	itanium_keep_for_tasks(event);
	event->pmu_private = req;
	event->destroy = itanium_event_destroy;
	if (itanium_units(req) & (BIT(ITANIUM_RES_ETB) | BIT(ITANIUM_RES_IP)))
		event->attach_state |= ITANIUM_TELL_OF_SWAP;
	hwc->idx = -1;
	if (!hwc->sample_period) {
		hwc->sample_period = MAX_COUNT;
		hwc->last_period = hwc->sample_period;
		local64_set(&hwc->period_left, hwc->sample_period);
	}
	return 0;
}

static void itanium_event_update(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 prev, now, delta;

	do {
		prev = local64_read(&hwc->prev_count);
		now = ops->read_pmd(hwc->idx) & PMD_COUNT;
	} while (local64_cmpxchg(&hwc->prev_count, prev, now) != prev);

	delta = (now - prev) & PMD_COUNT;
	local64_add(delta, &event->count);
	local64_sub(delta, &hwc->period_left);
}

/*
 * Preload the counter, so that it wraps when the period has passed.
 *
 * Return: whether a period has passed and the next one starts.
 */
static bool itanium_event_set_period(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left = local64_read(&hwc->period_left);
	s64 period = hwc->sample_period;
	bool passed = left <= 0;

	if (passed) {
		left = left <= -period ? period : left + period;
		local64_set(&hwc->period_left, left);
		hwc->last_period = period;
	}
	left = min_t(s64, left, MAX_COUNT);

	local64_set(&hwc->prev_count, -left & PMD_COUNT);
	ops->write_pmd(hwc->idx, -left & PMD_COUNT);
	perf_event_update_userpage(event);
	return passed;
}

/* Called with the PMU frozen, as all of perf's calls but ->read are. */
static void itanium_pmu_start(struct perf_event *event, int flags)
{
	struct hw_perf_event *hwc = &event->hw;

	if (!READ_ONCE(itanium_usable))
		return;
	if (WARN_ON_ONCE(!(hwc->state & PERF_HES_STOPPED)))
		return;
	hwc->state = 0;
	/* A counter without a privilege level keeps no value: PMC before PMD. */
	ops->write_pmc(hwc->idx, to_req(event)->pmc | PMC_OI);
	ops->sync();
	itanium_event_set_period(event);
	ops->sync();
}

/*
 * The privilege mask stops a monitor. Its event select stays, because other
 * counters may depend on it: PMC5 selects the L1D set, PMC4 and 6 L2D sets.
 */
static void itanium_pmu_stop(struct perf_event *event, int flags)
{
	struct hw_perf_event *hwc = &event->hw;

	if (hwc->state & PERF_HES_STOPPED)
		return;
	/* With its mask gone the counter loses its value. */
	itanium_event_update(event);
	ops->write_pmc(hwc->idx, to_req(event)->pmc & ~PMC_PLM);
	ops->sync();
	hwc->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

static void itanium_pmu_read(struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		itanium_event_update(event);
}

/*
 * Give the events of a processor their counters; those that move are carried
 * over. Called with the PMU frozen.
 */
static int itanium_reassign(struct itanium_cpu *cpu)
{
	const struct itanium_req *req[NR];
	bool running[NR];
	s8 counter[NR];
	const char *why;
	int i, err;

	for (i = 0; i < cpu->n; i++) {
		req[i] = to_req(cpu->event[i]);
		counter[i] = cpu->event[i]->hw.idx;
	}
	err = itanium_assign(req, cpu->n, counter, &why);
	if (err)
		return err;

	for (i = 0; i < cpu->n; i++) {
		struct hw_perf_event *hwc = &cpu->event[i]->hw;

		running[i] = false;
		if (hwc->idx < 0 || hwc->idx == counter[i])
			continue;
		running[i] = !(hwc->state & PERF_HES_STOPPED);
		itanium_pmu_stop(cpu->event[i], PERF_EF_UPDATE);
		ops->write_pmc(hwc->idx, PMC_IDLE);
	}
	for (i = 0; i < cpu->n; i++) {
		struct hw_perf_event *hwc = &cpu->event[i]->hw;

		if (hwc->idx == counter[i])
			continue;
		hwc->idx = counter[i];
		ops->write_pmc(hwc->idx, req[i]->pmc & ~PMC_PLM);
		if (running[i])
			itanium_pmu_start(cpu->event[i], 0);
	}
	cpu->stale = true;
	return 0;
}

/*
 * What the monitors hold after reset is undefined, but for a few: give all of
 * them a value, frozen. Called with interrupts disabled.
 */
static void itanium_cpu_reset(struct itanium_cpu *cpu)
{
	int i;

	ops->write_pmc(PMC0, PMC0_FR);
	ops->sync();
	for (i = ITANIUM_FIRST_COUNTER; i < ITANIUM_FIRST_COUNTER + NR; i++) {
		ops->write_pmc(i, PMC_IDLE);
		ops->write_pmd(i, 0);
	}
	itanium_setup(NULL, 0, &cpu->setup);
	for (i = 0; i < ITANIUM_NR_SHARED; i++)
		ops->write_pmc(ITANIUM_FIRST_SHARED + i, cpu->setup.pmc[i]);
	itanium_capture_rearm(ops, ~0U);
	ops->sync();
	cpu->n = 0;
	cpu->enabled = false;
	cpu->stale = false;
	cpu->ready = true;
}

static int itanium_pmu_add(struct perf_event *event, int flags)
{
	struct itanium_cpu *cpu = this_cpu_ptr(&itanium_cpus);
	struct hw_perf_event *hwc = &event->hw;

	if (!READ_ONCE(itanium_usable))
		return -ENODEV;
	/* perf may be at a new processor before its online callback is. */
	if (!cpu->ready)
		itanium_cpu_reset(cpu);
	if (cpu->n == NR)
		return -EAGAIN;
	hwc->idx = -1;
	hwc->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	cpu->event[cpu->n++] = event;
	if (itanium_reassign(cpu)) {
		cpu->n--;
		return -EAGAIN;
	}
	if (flags & PERF_EF_START)
		itanium_pmu_start(event, 0);
	perf_event_update_userpage(event);
	return 0;
}

static void itanium_pmu_del(struct perf_event *event, int flags)
{
	struct itanium_cpu *cpu = this_cpu_ptr(&itanium_cpus);
	struct hw_perf_event *hwc = &event->hw;
	int i;

	itanium_pmu_stop(event, PERF_EF_UPDATE);
	ops->write_pmc(hwc->idx, PMC_IDLE);
	hwc->idx = -1;
	for (i = 0; i < cpu->n; i++)
		if (cpu->event[i] == event)
			break;
	cpu->event[i] = cpu->event[--cpu->n];
	/* It may have been what selected a set for others: they take its place. */
	if (WARN_ON_ONCE(itanium_reassign(cpu)))
		pr_warn("events lost their counters\n");
	perf_event_update_userpage(event);
}

/*
 * A pair that comes into use is written whole, because a debugger may have had
 * it. One that goes out of use keeps its values: nothing heeds them.
 */
static void itanium_write_ranges(void (*set)(unsigned int n, u64 v),
				 const u64 *new, const u64 *old, int n)
{
	int i;

	for (i = 0; i < n; i += 2) {
		bool fresh = !old[i + 1];

		if (!new[i + 1])
			continue;
		if (fresh || new[i] != old[i])
			set(i, new[i]);
		if (fresh || new[i + 1] != old[i + 1])
			set(i + 1, new[i + 1]);
	}
}

/* Write what differs of the shared registers. Called with the PMU frozen. */
static void itanium_write_setup(struct itanium_cpu *cpu)
{
	const struct itanium_req *req[NR];
	struct itanium_setup new;
	u32 started = 0;
	int i;

	for (i = 0; i < cpu->n; i++)
		req[i] = to_req(cpu->event[i]);
	itanium_setup(req, cpu->n, &new);

	itanium_write_ranges(ops->set_ibr, new.ibr, cpu->setup.ibr,
			     ITANIUM_NR_IBR);
	itanium_write_ranges(ops->set_dbr, new.dbr, cpu->setup.dbr,
			     ITANIUM_NR_DBR);
	for (i = 0; i < ITANIUM_NR_SHARED; i++)
		if (new.pmc[i] != cpu->setup.pmc[i])
			ops->write_pmc(ITANIUM_FIRST_SHARED + i, new.pmc[i]);

	/* A unit that is set up anew must not show what it had. */
	if (new.pmc[PMC40 - PMC32] != cpu->setup.pmc[PMC40 - PMC32])
		started |= BIT(ITANIUM_RES_DEAR);
	if (new.pmc[PMC37 - PMC32] != cpu->setup.pmc[PMC37 - PMC32])
		started |= BIT(ITANIUM_RES_IEAR);
	if (new.pmc[PMC39 - PMC32] != cpu->setup.pmc[PMC39 - PMC32] ||
	    new.pmc[PMC42 - PMC32] != cpu->setup.pmc[PMC42 - PMC32])
		started |= BIT(ITANIUM_RES_ETB);
	itanium_capture_rearm(ops, started);

	cpu->setup = new;
	cpu->stale = false;
}

static void itanium_overflow(struct itanium_capture *cap,
			     struct perf_event *event, struct pt_regs *regs)
{
	struct hw_perf_event *hwc = &event->hw;
	struct perf_sample_data data;
	struct pt_regs at = *regs;
	u64 period;

	/*
	 * Without a period that has passed the overflow is one of many in a long
	 * period, or that of an event which left before this interrupt.
	 */
	itanium_event_update(event);
	period = hwc->last_period;
	if (!itanium_event_set_period(event) || !is_sampling_event(event))
		return;

	perf_sample_data_init(&data, 0, period);
	if (!itanium_capture_sample(cap, event, to_req(event), &data, &at)) {
		atomic_long_inc(&itanium_dropped);
		return;
	}
	if (ops->overflow(event, &data, &at))
		itanium_pmu_stop(event, 0);
}

/*
 * Take the overflows that have happened, all at once and with the PMU frozen.
 * The capture registers are read as far as an event asks for them.
 */
static void itanium_take(struct itanium_cpu *cpu, u64 overflow,
			 struct pt_regs *regs)
{
	struct itanium_capture *cap = this_cpu_ptr(&itanium_captures);
	u32 units = 0;
	int i;

	cap->ops = ops;
	cap->have = 0;
	for (i = 0; i < cpu->n; i++) {
		struct perf_event *event = cpu->event[i];

		if (!(overflow & BIT_ULL(event->hw.idx)) ||
		    (event->hw.state & PERF_HES_STOPPED))
			continue;
		units |= itanium_units(to_req(event));
		itanium_overflow(cap, event, regs);
	}
	itanium_capture_rearm(ops, units);
}

/*
 * Freeze the PMU if no overflow has.
 *
 * The write of PMC0 takes the bit of an overflow that comes between the read and
 * it. The counters tell then: all are preloaded with bit 46 set.
 *
 * Return: the counters that have overflowed, one bit each.
 */
static u64 itanium_freeze(struct itanium_cpu *cpu)
{
	u64 pmc0 = ops->read_pmc(PMC0), overflow = 0;
	int i;

	if (pmc0 & PMC0_FR)
		return pmc0 & PMC0_OVERFLOW;
	ops->write_pmc(PMC0, PMC0_FR);
	ops->sync();
	for (i = 0; i < cpu->n; i++) {
		struct hw_perf_event *hwc = &cpu->event[i]->hw;

		if (!(hwc->state & PERF_HES_STOPPED) &&
		    !(ops->read_pmd(hwc->idx) & BIT_ULL(PMD_COUNT_WIDTH - 1)))
			overflow |= BIT_ULL(hwc->idx);
	}
	return overflow;
}

/**
 * itanium_pmu_interrupt() - the overflow interrupt
 * @regs: those of the interrupted instruction
 *
 * Reads PMC0, the counters that overflowed, and of the capture registers what
 * an event that overflowed asks for.
 */
void itanium_pmu_interrupt(struct pt_regs *regs)
{
	struct itanium_cpu *cpu = this_cpu_ptr(&itanium_cpus);

	itanium_take(cpu, itanium_freeze(cpu), regs);

	/* Frozen by pmu_disable it stays frozen, with the overflow taken. */
	ops->write_pmc(PMC0, cpu->enabled ? 0 : PMC0_FR);
	ops->sync();
}

/* What ran before an overflow whose interrupt has not come yet */
static struct pt_regs *itanium_late_regs(struct pt_regs *here)
{
	struct pt_regs *regs = get_irq_regs();

	if (regs)
		return regs;
	if (!(current->flags & PF_KTHREAD))
		return task_pt_regs(current);
	perf_fetch_caller_regs(here);
	return here;
}

/*
 * An overflow whose interrupt is still on its way is taken here: its event may
 * be about to leave.
 */
static void itanium_pmu_disable(struct pmu *pmu)
{
	struct itanium_cpu *cpu = this_cpu_ptr(&itanium_cpus);
	struct pt_regs here;
	u64 overflow;

	if (!cpu->enabled)
		return;
	cpu->enabled = false;
	overflow = itanium_freeze(cpu);
	if (!overflow)
		return;
	itanium_take(cpu, overflow, itanium_late_regs(&here));
	ops->write_pmc(PMC0, PMC0_FR);
	ops->sync();
}

static void itanium_pmu_enable(struct pmu *pmu)
{
	struct itanium_cpu *cpu = this_cpu_ptr(&itanium_cpus);

	if (cpu->enabled)
		return;
	cpu->enabled = true;
	if (cpu->stale) {
		itanium_write_setup(cpu);
		ops->sync();
	}
	if (!cpu->n)
		return;
	ops->write_pmc(PMC0, 0);
	ops->sync();
}

/*
 * Two tasks whose events are inherited from the same ones: nothing is stopped or
 * set up between them. The branches of the first are none of the second. Called
 * with the PMU frozen. The data is perf's reason to call, see itanium_compat.h.
 */
static void itanium_pmu_swap_task_ctx(struct itanium_task_ctx *prev,
				      struct itanium_task_ctx *next)
{
	const struct itanium_setup *setup = &this_cpu_ptr(&itanium_cpus)->setup;

	swap(prev->task_ctx_data, next->task_ctx_data);
	if (setup->pmc[PMC39 - PMC32] || setup->pmc[PMC42 - PMC32])
		itanium_capture_rearm(ops, BIT(ITANIUM_RES_ETB));
}

static struct pmu itanium_pmu = {
	.module		= THIS_MODULE,
	.task_ctx_nr	= perf_hw_context,
	.attr_groups	= itanium_attr_groups,
	.capabilities	= ITANIUM_PMU_CAPS,
	.pmu_enable	= itanium_pmu_enable,
	.pmu_disable	= itanium_pmu_disable,
	.event_init	= itanium_event_init,
	.add		= itanium_pmu_add,
	.del		= itanium_pmu_del,
	.start		= itanium_pmu_start,
	.stop		= itanium_pmu_stop,
	.read		= itanium_pmu_read,
	.swap_task_ctx	= itanium_pmu_swap_task_ctx,
};

static int itanium_cpu_prepare(unsigned int cpu)
{
	per_cpu(itanium_cpus, cpu).ready = false;
	return 0;
}

static int itanium_cpu_online(unsigned int cpu)
{
	struct itanium_cpu *c = this_cpu_ptr(&itanium_cpus);
	unsigned long flags;

	local_irq_save(flags);
	if (!c->ready)
		itanium_cpu_reset(c);
	local_irq_restore(flags);
	ops->irq_on();
	return 0;
}

/*
 * The events that are still here leave with perf's own callback, which freezes
 * the PMU and takes what has overflowed until then.
 */
static int itanium_cpu_offline(unsigned int cpu)
{
	ops->irq_off();
	return 0;
}

/**
 * itanium_pmu_init() - register the PMU
 * @o: how its registers are reached
 *
 * Return: 0 or an errno.
 */
int itanium_pmu_init(const struct itanium_ops *o)
{
	int state, err;

	ops = o;
	itanium_sysfs_init();
	itanium_pmu.task_ctx_cache = kmem_cache_create("itanium_pmu",
						       sizeof(long), 0, 0, NULL);
	if (!itanium_pmu.task_ctx_cache)
		return -ENOMEM;
	state = cpuhp_setup_state(CPUHP_BP_PREPARE_DYN, "perf/itanium:prepare",
				  itanium_cpu_prepare, NULL);
	if (state < 0) {
		err = state;
		goto out_cache;
	}
	itanium_hp_prepare = state;
	state = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/itanium:online",
				  itanium_cpu_online, itanium_cpu_offline);
	if (state < 0) {
		err = state;
		goto out_prepare;
	}
	itanium_hp_online = state;

	err = perf_pmu_register(&itanium_pmu, ITANIUM_PMU_NAME, ops->type);
	if (err)
		goto out_online;
	/* Pairs with event_init's: perf's part of the PMU is complete. */
	smp_store_release(&itanium_usable, true);
	return 0;

out_online:
	cpuhp_remove_state(itanium_hp_online);
out_prepare:
	cpuhp_remove_state(itanium_hp_prepare);
out_cache:
	kmem_cache_destroy(itanium_pmu.task_ctx_cache);
	return err;
}

static void itanium_cpu_gone(void *unused)
{
	struct itanium_cpu *cpu = this_cpu_ptr(&itanium_cpus);
	int i;

	itanium_pmu_disable(&itanium_pmu);
	for (i = 0; i < cpu->n; i++)
		itanium_pmu_stop(cpu->event[i], PERF_EF_UPDATE);
	ops->irq_off();
}

/**
 * itanium_pmu_gone() - the registers are about to go, and the PMU cannot
 * @nothing: ops that access no register
 *
 * The PMU stays until no event has it. Those that are open keep what they have
 * counted, and are no longer scheduled; new ones are refused. On return nobody
 * has the registers any more.
 */
void itanium_pmu_gone(const struct itanium_ops *nothing)
{
	/* No processor comes or goes: the others access with interrupts off. */
	cpus_read_lock();
	WRITE_ONCE(itanium_usable, false);
	on_each_cpu(itanium_cpu_gone, NULL, 1);
	WRITE_ONCE(ops, nothing);
	synchronize_rcu();
	cpus_read_unlock();
}

/** itanium_pmu_exit() - no event has the PMU */
void itanium_pmu_exit(void)
{
	perf_pmu_unregister(&itanium_pmu);
	cpuhp_remove_state(itanium_hp_online);
	cpuhp_remove_state(itanium_hp_prepare);
	/* perf frees what is from it after a grace period. */
	rcu_barrier();
	kmem_cache_destroy(itanium_pmu.task_ctx_cache);
}

static int __init itanium_module_init(void)
{
	return itanium_backend_init();
}
module_init(itanium_module_init);

static void __exit itanium_module_exit(void)
{
	itanium_backend_exit();
}
module_exit(itanium_module_exit);

MODULE_DESCRIPTION("Performance monitors of Montecito, the dual-core Itanium 2");
MODULE_LICENSE("GPL");
