// SPDX-License-Identifier: GPL-2.0-only
/*
 * Scheduling and programming of the events of a CPU.
 *
 * All counters are privileged monitors that interrupt on overflow. PMC0.fr freezes
 * the PMU while registers are changed. The hardware also sets it on overflow, until
 * the interrupt handler clears it, or itanium_pmu_enable() if the interrupt was lost.
 */
#include <linux/bitfield.h>
#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>

#include "compat.h"
#include "pmu.h"

#define NR		ITANIUM_NR_COUNTERS
/* An unused counter; .ism has no other valid value */
#define PMC_IDLE	FIELD_PREP(PMC_ISM, PMC_ISM_IA64)
/* Of a stopped event: it has overflowed, and its sample is due */
#define ITANIUM_HES_DUE	PERF_HES_ARCH

DEFINE_PER_CPU(struct itanium_cpu, itanium_cpus);

/* Update the count and the remaining period of an event. */
void itanium_event_update(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 prev, now, delta;

	do {
		prev = local64_read(&hwc->prev_count);
		now = itanium_ops->read(ITANIUM_PMD(hwc->idx)) & PMD_COUNT;
	} while (local64_cmpxchg(&hwc->prev_count, prev, now) != prev);

	delta = (now - prev) & PMD_COUNT;
	local64_add(delta, &event->count);
	local64_sub(delta, &hwc->period_left);
}

/* Let the counter overflow after @left events, or ITANIUM_MAX_COUNT if that is less. */
static void itanium_preload(struct perf_event *event, s64 left)
{
	struct hw_perf_event *hwc = &event->hw;

	left = min_t(s64, left, ITANIUM_MAX_COUNT);
	local64_set(&hwc->prev_count, -left & PMD_COUNT);
	itanium_ops->write(ITANIUM_PMD(hwc->idx), -left & PMD_COUNT);
	/* Throttling and PERF_SAMPLE_READ read the counter right after this. */
	itanium_ops->sync();
	perf_event_update_userpage(event);
}

/* Preload the counter. Returns whether a period has expired. */
bool itanium_event_set_period(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	s64 left = local64_read(&hwc->period_left);
	bool passed = left <= 0;

	if (passed) {
		s64 period = hwc->sample_period;

		left = left <= -period ? period : left + period;
		local64_set(&hwc->period_left, left);
		hwc->last_period = period;
	}
	itanium_preload(event, left);
	return passed;
}

static void itanium_event_start(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	bool due = hwc->state & ITANIUM_HES_DUE;

	if (WARN_ON_ONCE(!(hwc->state & PERF_HES_STOPPED)))
		return;
	hwc->state = 0;
	/* PMC before PMD: without a privilege level, PMD does not keep its value. */
	itanium_ops->write(hwc->idx, itanium_req_of(event)->pmc | PMC_OI);
	itanium_ops->sync();
	if (due)
		itanium_preload(event, 1);
	else
		itanium_event_set_period(event);
}

/*
 * Return whether bit 46, which is set in all preloaded values, is clear. PMC0 cannot
 * tell: the write that freezes the PMU clears the bits of overflows before it.
 */
bool itanium_overflowed(struct perf_event *event)
{
	return !(event->hw.state & PERF_HES_STOPPED) &&
	       !(itanium_ops->read(ITANIUM_PMD(event->hw.idx)) &
		 BIT_ULL(PMD_COUNT_WIDTH - 1));
}

/*
 * Stop a counter by clearing .plm and .oi only: PMC4, 5 and 6 may still select the L1D or
 * L2D set of other counters. This may take back the interrupt of an overflow (3.3.11): its
 * sample is then due with the next event. Called with the PMU frozen.
 */
void itanium_event_stop(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;

	if (hwc->state & PERF_HES_STOPPED)
		return;
	/* Before the write: without .plm, the counter loses its value. */
	itanium_event_update(event);
	itanium_ops->write(hwc->idx, itanium_req_of(event)->pmc & ~PMC_PLM);
	itanium_ops->sync();
	hwc->state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	if (local64_read(&hwc->period_left) <= 0)
		hwc->state |= ITANIUM_HES_DUE;
}

/*
 * Freeze the PMU for ->start and ->stop: since 6.16, perf calls them for all members of
 * a throttled event's group, but disables that event's PMU only.
 */
static void itanium_call_frozen(struct perf_event *event,
				void (*call)(struct perf_event *event))
{
	bool enabled = this_cpu_ptr(&itanium_cpus)->enabled;

	if (enabled)
		itanium_pmu_disable(event->pmu);
	call(event);
	if (enabled)
		itanium_pmu_enable(event->pmu);
}

void itanium_pmu_start(struct perf_event *event, int flags)
{
	itanium_call_frozen(event, itanium_event_start);
}

void itanium_pmu_stop(struct perf_event *event, int flags)
{
	itanium_call_frozen(event, itanium_event_stop);
}

void itanium_pmu_read(struct perf_event *event)
{
	if (!(event->hw.state & PERF_HES_STOPPED))
		itanium_event_update(event);
}

/*
 * Assign counters to the events of a CPU, and restart events that move. Called with
 * the PMU frozen.
 */
static int itanium_reassign(struct itanium_cpu *cpu)
{
	const struct itanium_req *req[NR];
	bool running[NR];
	s8 counter[NR];
	const char *why;
	int i, err;

	for (i = 0; i < cpu->n; i++) {
		req[i] = itanium_req_of(cpu->event[i]);
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
		itanium_event_stop(cpu->event[i]);
		itanium_ops->write(hwc->idx, PMC_IDLE);
	}
	for (i = 0; i < cpu->n; i++) {
		struct hw_perf_event *hwc = &cpu->event[i]->hw;

		if (hwc->idx == counter[i])
			continue;
		hwc->idx = counter[i];
		itanium_ops->write(hwc->idx, req[i]->pmc & ~PMC_PLM);
		if (running[i])
			itanium_event_start(cpu->event[i]);
	}
	return 0;
}

/*
 * Initialize all registers, most of which are undefined after reset, and leave the PMU
 * frozen. Called with interrupts disabled.
 */
void itanium_cpu_reset(struct itanium_cpu *cpu)
{
	int i;

	itanium_ops->write(PMC0, PMC0_FR);
	itanium_ops->sync();
	for (i = ITANIUM_FIRST_COUNTER; i < ITANIUM_FIRST_COUNTER + NR; i++) {
		itanium_ops->write(i, PMC_IDLE);
		itanium_ops->write(ITANIUM_PMD(i), 0);
	}
	itanium_shared_values(NULL, 0, &cpu->shared);
	for (i = 0; i < ITANIUM_NR_SHARED; i++)
		itanium_ops->write(ITANIUM_FIRST_SHARED + i, cpu->shared.pmc[i]);
	itanium_capture_rearm(~0U);
	itanium_ops->sync();
	itanium_ops->irq(true);
	cpu->ready = true;
}

int itanium_pmu_add(struct perf_event *event, int flags)
{
	struct itanium_cpu *cpu = this_cpu_ptr(&itanium_cpus);
	struct hw_perf_event *hwc = &event->hw;
	u32 captures;

	/* perf may schedule events before our online callback has run. */
	if (!cpu->ready)
		itanium_cpu_reset(cpu);
	if (cpu->n == NR)
		return -EAGAIN;
	hwc->idx = -1;
	hwc->state |= PERF_HES_STOPPED | PERF_HES_UPTODATE;
	cpu->event[cpu->n++] = event;
	if (itanium_reassign(cpu)) {
		cpu->n--;
		return -EAGAIN;
	}
	/* The units may hold records of other tasks. */
	captures = itanium_units(itanium_req_of(event)) & ITANIUM_CAPTURES;
	cpu->stale |= captures;
	if (captures && itanium_ops->sched_inc)
		itanium_ops->sched_inc(event->pmu);
	if (flags & PERF_EF_START)
		itanium_event_start(event);
	perf_event_update_userpage(event);
	return 0;
}

void itanium_pmu_del(struct perf_event *event, int flags)
{
	struct itanium_cpu *cpu = this_cpu_ptr(&itanium_cpus);
	int i;

	itanium_event_stop(event);
	if (itanium_ops->sched_dec &&
	    itanium_units(itanium_req_of(event)) & ITANIUM_CAPTURES)
		itanium_ops->sched_dec(event->pmu);
	itanium_ops->write(event->hw.idx, PMC_IDLE);
	for (i = 0; i < cpu->n; i++)
		if (cpu->event[i] == event)
			break;
	cpu->event[i] = cpu->event[--cpu->n];
	/* If it was a master, another event has to take its place. */
	WARN_ON_ONCE(itanium_reassign(cpu));
	perf_event_update_userpage(event);
}

/* Write changed pairs of breakpoint registers; an unused one keeps its values. */
static void itanium_write_ranges(unsigned int reg, const u64 *new, const u64 *old, int n)
{
	int i;

	for (i = 0; i < n; i += 2) {
		if (!new[i + 1] || (new[i] == old[i] && new[i + 1] == old[i + 1]))
			continue;
		itanium_ops->write(reg + i, new[i]);
		itanium_ops->write(reg + i + 1, new[i + 1]);
	}
}

/* Write the shared registers that changed. Called with the PMU frozen. */
static void itanium_write_shared(struct itanium_cpu *cpu)
{
	const struct itanium_req *req[NR];
	struct itanium_shared new;
	int i;

	for (i = 0; i < cpu->n; i++)
		req[i] = itanium_req_of(cpu->event[i]);
	itanium_shared_values(req, cpu->n, &new);

	itanium_write_ranges(ITANIUM_IBR(0), new.ibr, cpu->shared.ibr, ITANIUM_NR_IBR);
	itanium_write_ranges(ITANIUM_DBR(0), new.dbr, cpu->shared.dbr, ITANIUM_NR_DBR);
	for (i = 0; i < ITANIUM_NR_SHARED; i++)
		if (new.pmc[i] != cpu->shared.pmc[i])
			itanium_ops->write(ITANIUM_FIRST_SHARED + i, new.pmc[i]);
	cpu->shared = new;
}

/*
 * Unfreeze the PMU. The interrupt of an overflow may have been discarded while PMV was
 * masked, or taken back (3.3.11): do not wait for it, but let the next event overflow.
 */
void itanium_pmu_enable(struct pmu *pmu)
{
	struct itanium_cpu *cpu = this_cpu_ptr(&itanium_cpus);
	int i;

	if (cpu->enabled)
		return;
	for (i = 0; i < cpu->n; i++) {
		if (!itanium_overflowed(cpu->event[i]))
			continue;
		itanium_event_stop(cpu->event[i]);
		itanium_event_start(cpu->event[i]);
	}
	itanium_write_shared(cpu);
	itanium_capture_rearm(cpu->stale);
	cpu->stale = 0;
	itanium_ops->sync();
	if (cpu->n) {
		itanium_ops->write(PMC0, 0);
		itanium_ops->sync();
	}
	cpu->enabled = true;
}

void itanium_pmu_disable(struct pmu *pmu)
{
	struct itanium_cpu *cpu = this_cpu_ptr(&itanium_cpus);

	if (!cpu->enabled)
		return;
	cpu->enabled = false;
	itanium_ops->write(PMC0, PMC0_FR);
	itanium_ops->sync();
}
