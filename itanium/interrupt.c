// SPDX-License-Identifier: GPL-2.0-only
/* Overflow interrupt handler */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>

#include "compat.h"
#include "pmu.h"

static DEFINE_PER_CPU(struct itanium_capture, itanium_captures);

/*
 * Set @at to registers at a privilege level that @event counts, or to 0. The interrupt is
 * maskable: if it was delayed until the kernel, use the task's user registers. In fsyscalls
 * of ia64, task_pt_regs() are the kernel registers of the interrupt, hence the check.
 */
static void itanium_pick_regs(const struct perf_event *event,
			      struct pt_regs *regs, struct pt_regs *at)
{
	if (regs && !user_mode(regs) && event->attr.exclude_kernel)
		regs = current->flags & PF_KTHREAD ? NULL : task_pt_regs(current);
	if (regs && (user_mode(regs) ? !event->attr.exclude_user :
				       !event->attr.exclude_kernel))
		*at = *regs;
	else
		memset(at, 0, sizeof(*at));
}

static void itanium_overflow(struct itanium_capture *cap,
			     struct perf_event *event, struct pt_regs *regs)
{
	struct hw_perf_event *hwc = &event->hw;
	struct perf_sample_data data;
	struct pt_regs at;
	u64 period;
	bool stop;

	itanium_event_update(event);
	period = hwc->last_period;
	/* Periods beyond ITANIUM_MAX_COUNT take several overflows. */
	if (!itanium_event_set_period(event) || !is_sampling_event(event))
		return;

	perf_sample_data_init(&data, 0, period);
	itanium_pick_regs(event, regs, &at);
	if (itanium_capture_sample(cap, event, itanium_req_of(event), &data, &at)) {
		stop = itanium_ops->overflow(event, &data, &at);
	} else {
		/* Overflows without a sample still count for throttling. */
		compat_count_lost(event);
		stop = itanium_ops->account && itanium_ops->account(event);
	}
	if (stop)
		itanium_event_stop(event);
}

/* @regs: registers of the interrupted context, or NULL */
void itanium_pmu_interrupt(struct pt_regs *regs)
{
	struct itanium_cpu *cpu = this_cpu_ptr(&itanium_cpus);
	struct itanium_capture *cap = this_cpu_ptr(&itanium_captures);
	bool enabled = cpu->enabled;
	u32 overflows = 0, units = 0;
	int i;

	/* perf may call ->stop from the overflow handler: freeze the PMU. */
	cpu->enabled = false;
	itanium_ops->write(PMC0, PMC0_FR);
	itanium_ops->sync();
	for (i = 0; i < cpu->n; i++) {
		if (!itanium_overflowed(cpu->event[i]))
			continue;
		overflows |= BIT(i);
		units |= itanium_units(itanium_req_of(cpu->event[i]));
	}
	/* Since 6.16, throttling one event stops its whole group. */
	for (i = 0; i < cpu->n; i++)
		if (overflows & BIT(i) &&
		    !(cpu->event[i]->hw.state & PERF_HES_STOPPED))
			itanium_overflow(cap, cpu->event[i], regs);
	itanium_capture_rearm(units);
	/* Before the PMU is unfrozen: a late write could clear a new record. */
	itanium_ops->sync();

	itanium_ops->write(PMC0, enabled ? 0 : PMC0_FR);
	itanium_ops->sync();
	cpu->enabled = enabled;
}
