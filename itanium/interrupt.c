// SPDX-License-Identifier: GPL-2.0-only
/*
 * Overflows: in their interrupt, or when perf changes something before the
 * interrupt has come.
 *
 * An overflow freezes the PMU and leaves a bit in PMC0, so that PMC0 is only
 * cleared where that bit has been seen.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>

#include <asm/irq_regs.h>

#include "common/compat_perf.h"
#include "pmu.h"

static DEFINE_PER_CPU(struct itanium_capture, itanium_captures);
atomic_long_t itanium_dropped;

/*
 * The registers that a sample of @event may show: always some of a privilege
 * level that the event counts.
 *
 * The interrupt is maskable, so that it may come long after the overflow, and
 * then at another level: one that was due to the program comes in the kernel,
 * which had interrupts off. The program's registers are at hand there. One that
 * was due to the kernel may come when the program runs again. Where the kernel
 * was is not known then, and the program's address would be a lie. In a light system
 * call of ia64 the task's registers are the interrupt's, and the kernel's.
 *
 * @regs are those of the interrupt, or NULL if there is none: perf, or ia64's
 * processing of interrupts that have no registers, came first.
 */
static void itanium_pick_regs(const struct perf_event *event,
			      struct pt_regs *regs, struct pt_regs *at)
{
	bool user = !event->attr.exclude_user;
	bool kernel = !event->attr.exclude_kernel;

	memset(at, 0, sizeof(*at));
	if (!regs && kernel)
		itanium_ops->here_regs(at, _THIS_IP_);
	else if (regs && (user_mode(regs) ? user : kernel))
		*at = *regs;
	else if (user && !(current->flags & PF_KTHREAD) &&
		 user_mode(task_pt_regs(current)))
		*at = *task_pt_regs(current);
}

static void itanium_count_dropped(struct perf_event *event)
{
	atomic_long_inc(&itanium_dropped);
	compat_count_lost(event);
}

/* An overflow that gives no sample is still an interrupt, which perf may throttle. */
static void itanium_drop(struct perf_event *event)
{
	itanium_count_dropped(event);
	if (itanium_ops->account(event))
		itanium_event_stop(event);
}

/*
 * Since 6.16 perf stops a whole group when it throttles one event. Another one of the
 * group may have overflowed together with that one: its count has the overflow by
 * now, and there is no sample of an event that perf has stopped.
 */
static void itanium_drop_stopped(struct perf_event *event)
{
	if (is_sampling_event(event) && local64_read(&event->hw.period_left) <= 0)
		itanium_count_dropped(event);
}

static void itanium_overflow(struct itanium_capture *cap,
			     struct perf_event *event, struct pt_regs *regs)
{
	struct hw_perf_event *hwc = &event->hw;
	struct perf_sample_data data;
	struct pt_regs at;
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
	itanium_pick_regs(event, regs, &at);
	if (!itanium_capture_sample(cap, event, itanium_req_of(event), &data, &at))
		itanium_drop(event);
	else if (itanium_ops->overflow(event, &data, &at))
		itanium_event_stop(event);
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

	cap->ops = itanium_ops;
	cap->have = 0;
	cap->foreign = !itanium_cpu_same_run(cpu);
	for (i = 0; i < cpu->n; i++) {
		struct perf_event *event = cpu->event[i];

		if (!(overflow & BIT_ULL(event->hw.idx)))
			continue;
		units |= itanium_units(itanium_req_of(event));
		if (event->hw.state & PERF_HES_STOPPED)
			itanium_drop_stopped(event);
		else
			itanium_overflow(cap, event, regs);
	}
	itanium_cpu_rearm(cpu, units);
}

/*
 * Freeze the PMU if no overflow has.
 *
 * If a counter overflows between the read of PMC0 and the write, the write clears
 * the bit that says so. The counter itself tells then: all are preloaded with bit
 * 46 set, so one that has it clear has wrapped.
 *
 * Return: the counters that have overflowed, one bit each.
 */
static u64 itanium_freeze(struct itanium_cpu *cpu)
{
	u64 pmc0 = itanium_ops->read_pmc(PMC0), overflow = 0;
	int i;

	if (pmc0 & PMC0_FR)
		return pmc0 & PMC0_OVERFLOW;
	itanium_ops->write_pmc(PMC0, PMC0_FR);
	itanium_ops->sync();
	for (i = 0; i < cpu->n; i++) {
		struct hw_perf_event *hwc = &cpu->event[i]->hw;

		if (!(hwc->state & PERF_HES_STOPPED) &&
		    !(itanium_ops->read_pmd(hwc->idx) & BIT_ULL(PMD_COUNT_WIDTH - 1)))
			overflow |= BIT_ULL(hwc->idx);
	}
	return overflow;
}

/**
 * itanium_pmu_interrupt() - the overflow interrupt
 * @regs: those of the interrupted instruction, or NULL
 *
 * Reads PMC0, the counters that overflowed, and of the capture registers what
 * an event that overflowed asks for.
 */
void itanium_pmu_interrupt(struct pt_regs *regs)
{
	struct itanium_cpu *cpu = this_cpu_ptr(&itanium_cpus);
	bool enabled = cpu->enabled;

	/* What perf stops because of a sample finds the PMU frozen. */
	cpu->enabled = false;
	itanium_take(cpu, itanium_freeze(cpu), regs);

	/* Frozen by pmu_disable it stays frozen, with the overflow taken. */
	itanium_ops->write_pmc(PMC0, enabled ? 0 : PMC0_FR);
	itanium_ops->sync();
	cpu->enabled = enabled;
}

/**
 * itanium_pmu_disable() - perf's ->pmu_disable: nothing counts until enabled
 * @pmu: unused; there is only one
 *
 * An overflow whose interrupt is still on its way is taken here, because its
 * event may be about to leave.
 */
void itanium_pmu_disable(struct pmu *pmu)
{
	struct itanium_cpu *cpu = this_cpu_ptr(&itanium_cpus);
	u64 overflow;

	if (!cpu->enabled)
		return;
	cpu->enabled = false;
	overflow = itanium_freeze(cpu);
	if (!overflow)
		return;
	itanium_take(cpu, overflow, get_irq_regs());
	itanium_ops->write_pmc(PMC0, PMC0_FR);
	itanium_ops->sync();
}
