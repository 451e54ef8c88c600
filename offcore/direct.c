// SPDX-License-Identifier: GPL-2.0-only
/*
 * Direct mode, for systems without a core PMU: reserves general counters while
 * events are open, and programs them. There is no overflow interrupt; a timer
 * reads each counter before it wraps twice.
 */
#include <linux/bitops.h>
#include <linux/cpuhotplug.h>
#include <linux/hrtimer.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/string.h>
#include <linux/topology.h>

#include <asm/nmi.h>
#include <asm/perf_event.h>

#include "common/compat.h"
#include "common/refuse.h"
#include "offcore/alloc.h"
#include "offcore/direct.h"
#include "offcore/model.h"

/**
 * struct offcore_set - response registers, which threads of a core may share
 * @lock: protects @regs and the registers. ->read must not take it: MSR accesses
 *	are tracepoints, whose handlers may read events.
 * @regs: allocation of the registers
 */
struct offcore_set {
	raw_spinlock_t lock;
	struct offcore_regs regs;
};

/**
 * struct offcore_cpu - counters of a CPU, only modified on that CPU
 * @own: response registers, unless shared with another CPU
 * @set: &own or the other CPU's; NULL until first online
 * @core: package, die and core, saved as topology is unavailable while offline
 * @events: event of each counter
 * @nr: number of events
 * @timer: reads the counters before they wrap
 */
struct offcore_cpu {
	struct offcore_set own;
	struct offcore_set *set;
	int core[3];
	struct perf_event *events[OFFCORE_NR_CTRS];
	unsigned int nr;
	struct hrtimer timer;
};

bool offcore_direct;
unsigned int offcore_nr_ctrs;

static DEFINE_PER_CPU(struct offcore_cpu, offcore_cpus);
static DEFINE_MUTEX(offcore_reserve_lock);	/* for the next two */
static unsigned int offcore_users;		/* open events */
static unsigned long offcore_ctrs;		/* mask of reserved counters */
static u64 offcore_ctr_mask;
static ktime_t offcore_poll_time;
static enum cpuhp_state offcore_cpuhp;

#define for_each_offcore_ctr(i)						\
	for_each_set_bit(i, &offcore_ctrs, OFFCORE_NR_CTRS)

/* The first event reserves all counters that are free. */
static int offcore_reserve(void)
{
	unsigned int i;
	int ret = 0;

	mutex_lock(&offcore_reserve_lock);
	for (i = 0; !offcore_users && i < offcore_nr_ctrs; i++) {
		if (!reserve_perfctr_nmi(MSR_ARCH_PERFMON_PERFCTR0 + i))
			continue;
		if (reserve_evntsel_nmi(MSR_ARCH_PERFMON_EVENTSEL0 + i))
			offcore_ctrs |= BIT(i);
		else
			release_perfctr_nmi(MSR_ARCH_PERFMON_PERFCTR0 + i);
	}
	if (offcore_ctrs)
		offcore_users++;
	else
		ret = refuse(OFFCORE_NAME, -EBUSY,
			     "all %u counters are reserved by other users",
			     offcore_nr_ctrs);
	mutex_unlock(&offcore_reserve_lock);
	return ret;
}

static void offcore_release(struct perf_event *event)
{
	unsigned int i;

	mutex_lock(&offcore_reserve_lock);
	if (!--offcore_users) {
		for_each_offcore_ctr(i) {
			release_evntsel_nmi(MSR_ARCH_PERFMON_EVENTSEL0 + i);
			release_perfctr_nmi(MSR_ARCH_PERFMON_PERFCTR0 + i);
		}
		offcore_ctrs = 0;
	}
	mutex_unlock(&offcore_reserve_lock);
}

/*
 * Update the count, unless a nested read did. hw.idx is the counter, hw.extra_reg
 * the response register; extra_reg.alloc is set while both are programmed.
 */
static void offcore_update(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 now, prev = local64_read(&hwc->prev_count);

	rdmsrq(MSR_ARCH_PERFMON_PERFCTR0 + hwc->idx, now);
	if (local64_cmpxchg(&hwc->prev_count, prev, now) == prev)
		local64_add((now - prev) & offcore_ctr_mask, &event->count);
}

void offcore_direct_read(struct perf_event *event)
{
	if (READ_ONCE(event->hw.extra_reg.alloc))
		offcore_update(event);
}

static void offcore_stop(struct perf_event *event)
{
	wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + event->hw.idx, 0);
	offcore_update(event);
	WRITE_ONCE(event->hw.extra_reg.alloc, false);
}

static void offcore_stop_all(struct offcore_cpu *c)
{
	unsigned int i;

	for_each_offcore_ctr(i) {
		if (c->events[i] && c->events[i]->hw.extra_reg.alloc)
			offcore_stop(c->events[i]);
	}
}

static void offcore_start(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 sel = OFFCORE_CONFIG(hwc->extra_reg.idx) | ARCH_PERFMON_EVENTSEL_ENABLE;

	if (!event->attr.exclude_user)
		sel |= ARCH_PERFMON_EVENTSEL_USR;
	if (!event->attr.exclude_kernel)
		sel |= ARCH_PERFMON_EVENTSEL_OS;
	local64_set(&hwc->prev_count, 0);
	wrmsrq(MSR_ARCH_PERFMON_PERFCTR0 + hwc->idx, 0);
	/* From here on, a nested read finds the counter at 0. */
	WRITE_ONCE(hwc->extra_reg.alloc, true);
	wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + hwc->idx, sel);
}

/*
 * Errata AAK100, AAP53 and BD53: before a counter changes its event, disable all
 * counters and run three dummy events; four according to intel_pmu_nhm_workaround().
 * Leaves our counters disabled and those of others as they are in @ctrl.
 */
static void offcore_reset_counters(struct offcore_cpu *c, u64 ctrl)
{
	static const u32 resets[] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };
	unsigned int i, n = 0;

	offcore_stop_all(c);
	while (n < ARRAY_SIZE(resets)) {
		for_each_offcore_ctr(i) {
			if (n == ARRAY_SIZE(resets))
				break;
			wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + i, resets[n++]);
			wrmsrq(MSR_ARCH_PERFMON_PERFCTR0 + i, 0);
		}
		wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, ctrl | offcore_ctrs);
		wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, ctrl);
	}
	for_each_offcore_ctr(i) {
		if (!c->events[i])
			wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + i, 0);
	}
}

/* Start all events that are not active, and enable the counters globally. */
static void offcore_start_all(struct offcore_cpu *c)
{
	unsigned int i;
	u64 ctrl;

	rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL, ctrl);
	if (offcore_model->resets) {
		ctrl &= ~offcore_ctrs;
		wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, ctrl);
		offcore_reset_counters(c, ctrl);
	}
	for_each_offcore_ctr(i) {
		if (c->events[i] && !c->events[i]->hw.extra_reg.alloc)
			offcore_start(c->events[i]);
	}
	if (offcore_ctrs & ~ctrl)
		wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, ctrl | offcore_ctrs);
}

static enum hrtimer_restart offcore_poll(struct hrtimer *timer)
{
	struct offcore_cpu *c = container_of(timer, struct offcore_cpu, timer);
	unsigned int i;

	for_each_offcore_ctr(i) {
		if (c->events[i])
			offcore_direct_read(c->events[i]);
	}
	hrtimer_forward_now(timer, offcore_poll_time);
	return HRTIMER_RESTART;
}

/* Assign a counter and a response register to @event, or return -EAGAIN. */
static int offcore_assign(struct offcore_cpu *c, struct perf_event *event)
{
	struct hw_perf_event_extra *extra = &event->hw.extra_reg;
	struct offcore_set *set = c->set;
	unsigned int i;

	for_each_offcore_ctr(i) {
		if (!c->events[i])
			break;
	}
	if (i == OFFCORE_NR_CTRS)
		return -EAGAIN;
	raw_spin_lock(&set->lock);
	extra->idx = offcore_get_reg(&set->regs, offcore_model->nr_regs,
				     extra->config);
	if (extra->idx >= 0 && set->regs.users[extra->idx] == 1)
		wrmsrq(MSR_OFFCORE_RSP_0 + extra->idx, extra->config);
	raw_spin_unlock(&set->lock);
	if (extra->idx < 0)
		return -EAGAIN;
	event->hw.idx = i;
	return 0;
}

int offcore_direct_add(struct perf_event *event, int flags)
{
	struct offcore_cpu *c = this_cpu_ptr(&offcore_cpus);
	int ret;

	if (!c->set)
		return -ENODEV;
	ret = offcore_assign(c, event);
	if (ret)
		return ret;
	event->hw.state = 0;
	c->events[event->hw.idx] = event;
	if (!c->nr++)
		hrtimer_start(&c->timer, offcore_poll_time,
			      HRTIMER_MODE_REL_PINNED_HARD);
	offcore_start_all(c);
	return 0;
}

void offcore_direct_del(struct perf_event *event, int flags)
{
	struct offcore_cpu *c = this_cpu_ptr(&offcore_cpus);
	unsigned int reg = event->hw.extra_reg.idx;
	struct offcore_set *set = c->set;

	offcore_stop(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	c->events[event->hw.idx] = NULL;
	if (!--c->nr)
		hrtimer_try_to_cancel(&c->timer);
	raw_spin_lock(&set->lock);
	if (!--set->regs.users[reg])
		wrmsrq(MSR_OFFCORE_RSP_0 + reg, 0);
	raw_spin_unlock(&set->lock);
}

/*
 * ->start and ->stop: since 6.16, perf calls them for group members when it
 * throttles the leader. Keep counting, as before 6.16.
 */
void offcore_direct_throttle(struct perf_event *event, int flags)
{
}

static int offcore_check_attr(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (is_sampling_event(event))
		return refuse(OFFCORE_NAME, -EOPNOTSUPP,
			      "no sampling without the kernel's core PMU, which handles the overflow interrupt");
	if (event->cpu < 0 || (event->attach_state & PERF_ATTACH_TASK))
		return refuse(OFFCORE_NAME, -EINVAL,
			      "no counting of a task without the kernel's core PMU: count CPUs (perf stat -a)");
	if (has_branch_stack(event))
		return refuse(OFFCORE_NAME, -EOPNOTSUPP, "no branch stack");
	if (attr->exclude_host)
		return refuse(OFFCORE_NAME, -EINVAL,
			      "no exclude_host (:G) without the kernel's core PMU");
	if (!cpu_online(event->cpu))
		return refuse(OFFCORE_NAME, -ENODEV, "CPU %d is not online",
			      event->cpu);
	return 0;
}

/* Initialize @event with the response register value @rsp; logs refusals. */
int offcore_direct_event_init(struct perf_event *event, u64 rsp)
{
	int ret;

	ret = offcore_check_attr(event) ?: offcore_reserve();
	if (ret)
		return ret;
	/* offcore_ctrs does not change while this event holds the reservation. */
	ret = offcore_check_group(event, rsp, hweight8(offcore_ctrs));
	if (ret) {
		offcore_release(event);
		return ret;
	}
	event->hw.extra_reg.reg = MSR_OFFCORE_RSP_0;
	event->hw.extra_reg.config = rsp;
	event->destroy = offcore_release;
	return 0;
}

/* Set up a CPU at its first online; it keeps c->set until module exit. */
static int offcore_cpu_online(unsigned int cpu)
{
	struct offcore_cpu *c = per_cpu_ptr(&offcore_cpus, cpu), *other;
	unsigned int i;

	if (c->set)
		return 0;
	c->core[0] = topology_physical_package_id(cpu);
	c->core[1] = topology_die_id(cpu);
	c->core[2] = topology_core_id(cpu);
	hrtimer_setup(&c->timer, offcore_poll, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	raw_spin_lock_init(&c->own.lock);
	for_each_possible_cpu(i) {
		other = per_cpu_ptr(&offcore_cpus, i);
		if (offcore_model->shared && other->set &&
		    !memcmp(c->core, other->core, sizeof(c->core))) {
			c->set = other->set;
			return 0;
		}
	}
	/* Clear stale firmware values. */
	for (i = 0; i < offcore_model->nr_regs; i++)
		wrmsrq_safe(MSR_OFFCORE_RSP_0 + i, 0);
	c->set = &c->own;
	return 0;
}

/* Called on the last online CPU; perf has removed the events of all others. */
static void offcore_suspend(void)
{
	offcore_stop_all(this_cpu_ptr(&offcore_cpus));
}

static void offcore_resume(void)
{
	struct offcore_cpu *c = this_cpu_ptr(&offcore_cpus);
	const struct offcore_regs *regs = &c->set->regs;
	unsigned int i;

	if (!c->nr)
		return;
	raw_spin_lock(&c->set->lock);
	for (i = 0; i < offcore_model->nr_regs; i++)
		wrmsrq(MSR_OFFCORE_RSP_0 + i, regs->users[i] ? regs->rsp[i] : 0);
	raw_spin_unlock(&c->set->lock);
	offcore_start_all(c);
}

COMPAT_DEFINE_SYSCORE(offcore_syscore, offcore_suspend, offcore_resume);

/* Probe the response registers and prepare all CPUs. */
int offcore_direct_init(unsigned int width)
{
	unsigned int i;
	u64 val;
	int ret;

	offcore_ctr_mask = GENMASK_ULL(width - 1, 0);
	/* Half of the time to wrap at one event per cycle and 4 GHz */
	offcore_poll_time = ns_to_ktime(offcore_ctr_mask / 8);
	for (i = 0; i < offcore_model->nr_regs; i++) {
		if (!rdmsrq_safe(MSR_OFFCORE_RSP_0 + i, &val))
			continue;
		pr_info(OFFCORE_NAME ": MSR_OFFCORE_RSP_%u is not accessible\n", i);
		return -ENODEV;
	}
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/x86/offcore_rsp:online",
				offcore_cpu_online, NULL);
	if (ret < 0)
		return ret;
	offcore_cpuhp = ret;
	compat_register_syscore(&offcore_syscore);
	return 0;
}

void offcore_direct_exit(void)
{
	compat_unregister_syscore(&offcore_syscore);
	cpuhp_remove_state_nocalls(offcore_cpuhp);
}
