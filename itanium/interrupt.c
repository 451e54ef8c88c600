// SPDX-License-Identifier: GPL-2.0-only
/* The overflow interrupt: which events have overflowed, and their samples */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>

#include "common/compat_perf.h"
#include "pmu.h"

static DEFINE_PER_CPU(struct itanium_capture, itanium_captures);
atomic_long_t itanium_dropped;

/*
 * The registers that a sample of @event may show: of a privilege level that it
 * counts, or zeroes. The interrupt is maskable and may be late: one that was due to
 * the program comes in the kernel, and the program's registers are at hand. In a
 * light system call of ia64 these are the interrupt's, and the kernel's.
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

/* An event has overflowed and has no sample. */
void itanium_count_dropped(struct perf_event *event)
{
	atomic_long_inc(&itanium_dropped);
	compat_count_lost(event);
}

/* An overflow that gives no sample is still an interrupt, which perf may throttle. */
static void itanium_drop(struct perf_event *event)
{
	itanium_count_dropped(event);
	if (itanium_ops->account && itanium_ops->account(event))
		itanium_event_stop(event);
}

static void itanium_overflow(struct itanium_capture *cap,
			     struct perf_event *event, struct pt_regs *regs)
{
	struct hw_perf_event *hwc = &event->hw;
	struct perf_sample_data data;
	struct pt_regs at;
	u64 period;

	itanium_event_update(event);
	period = hwc->last_period;
	/* A long period takes many overflows. */
	if (!itanium_event_set_period(event) || !is_sampling_event(event))
		return;

	perf_sample_data_init(&data, 0, period);
	itanium_pick_regs(event, regs, &at);
	if (!itanium_capture_sample(cap, event, itanium_req_of(event), &data, &at))
		itanium_drop(event);
	else if (itanium_ops->overflow(event, &data, &at))
		itanium_event_stop(event);
}

/* @regs are those of the interrupted instruction, or NULL. */
void itanium_pmu_interrupt(struct pt_regs *regs)
{
	struct itanium_cpu *cpu = this_cpu_ptr(&itanium_cpus);
	struct itanium_capture *cap = this_cpu_ptr(&itanium_captures);
	bool enabled = cpu->enabled;
	u32 overflows = 0, units = 0;
	int i;

	/* What perf stops because of a sample finds the PMU frozen. */
	cpu->enabled = false;
	itanium_ops->write_pmc(PMC0, PMC0_FR);
	itanium_ops->sync();
	for (i = 0; i < cpu->n; i++) {
		if (!itanium_overflowed(cpu->event[i]))
			continue;
		overflows |= BIT(i);
		units |= itanium_units(itanium_req_of(cpu->event[i]));
	}
	/* Since 6.16 perf stops the whole group of an event that it throttles. */
	for (i = 0; i < cpu->n; i++)
		if (overflows & BIT(i) &&
		    !(cpu->event[i]->hw.state & PERF_HES_STOPPED))
			itanium_overflow(cap, cpu->event[i], regs);
	itanium_capture_rearm(units);

	itanium_ops->write_pmc(PMC0, enabled ? 0 : PMC0_FR);
	itanium_ops->sync();
	cpu->enabled = enabled;
}
