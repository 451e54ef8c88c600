// SPDX-License-Identifier: GPL-2.0-only
/*
 * Overflows: in their interrupt, or when perf changes something before the
 * interrupt has come.
 *
 * An overflow freezes the PMU and leaves a bit in PMC0, so that PMC0 is only
 * cleared where that bit has been seen.
 */
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/sched.h>

#include <asm/irq_regs.h>
#include <asm/ptrace.h>

#include "pmu.h"

static DEFINE_PER_CPU(struct itanium_capture, itanium_captures);
atomic_long_t itanium_dropped;

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
	if (!itanium_capture_sample(cap, event, itanium_req_of(event), &data, &at)) {
		atomic_long_inc(&itanium_dropped);
		return;
	}
	if (itanium_ops->overflow(event, &data, &at))
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

	cap->ops = itanium_ops;
	cap->have = 0;
	for (i = 0; i < cpu->n; i++) {
		struct perf_event *event = cpu->event[i];

		if (!(overflow & BIT_ULL(event->hw.idx)) ||
		    (event->hw.state & PERF_HES_STOPPED))
			continue;
		units |= itanium_units(itanium_req_of(event));
		itanium_overflow(cap, event, regs);
	}
	itanium_capture_rearm(itanium_ops, units);
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
	itanium_ops->write_pmc(PMC0, cpu->enabled ? 0 : PMC0_FR);
	itanium_ops->sync();
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

/**
 * itanium_pmu_disable() - perf's ->pmu_disable: nothing counts until enabled
 * @pmu: there is one
 *
 * An overflow whose interrupt is still on its way is taken here, because its
 * event may be about to leave.
 */
void itanium_pmu_disable(struct pmu *pmu)
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
	itanium_ops->write_pmc(PMC0, PMC0_FR);
	itanium_ops->sync();
}
