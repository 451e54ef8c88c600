// SPDX-License-Identifier: GPL-2.0-only
/*
 * The second mode: general counters that no core PMU drives, reserved through the
 * kernel's counter reservation while an event exists, and programmed here. There is
 * no overflow interrupt: a timer reads each counter before it can wrap twice.
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
#include "offcore/group.h"
#include "offcore/model.h"

/**
 * struct offcore_set - response registers
 * @lock: for @regs and the registers, which the threads of a core may share. Reads
 *	take no lock: an access to an MSR is a tracepoint, whose users read events.
 * @regs: who has them
 */
struct offcore_set {
	raw_spinlock_t lock;
	struct offcore_regs regs;
};

/**
 * struct offcore_cpu - a CPU's counters; only the CPU itself changes them
 * @own: its response registers, unless it shares another's
 * @set: those that it has; NULL until it was online
 * @core: package, die and core, which are gone while it is offline
 * @on: event of each counter
 * @nr: how many there are
 * @timer: reads them
 */
struct offcore_cpu {
	struct offcore_set own;
	struct offcore_set *set;
	int core[3];
	struct perf_event *on[OFFCORE_NR_CTRS];
	unsigned int nr;
	struct hrtimer timer;
};

bool offcore_direct;
unsigned int offcore_nr_ctrs;

static DEFINE_PER_CPU(struct offcore_cpu, offcore_cpus);
static DEFINE_MUTEX(offcore_reserve_lock);	/* the next two */
static unsigned int offcore_users;
static unsigned long offcore_ctrs;		/* reserved, as a mask */
static u64 offcore_ctr_mask;
static ktime_t offcore_poll_time;
static enum cpuhp_state offcore_cpuhp;

#define for_each_offcore_ctr(i)						\
	for_each_set_bit(i, &offcore_ctrs, OFFCORE_NR_CTRS)

/* The first event reserves every counter that nobody else has. */
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
			     "all %u counters are reserved by somebody else",
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
 * Add what is new, unless a read that came in between has added it. hw.idx is the
 * event's counter; hw.extra_reg is its register, with .alloc if it is programmed.
 */
static void offcore_update(struct perf_event *event)
{
	struct hw_perf_event *hwc = &event->hw;
	u64 now, prev = local64_read(&hwc->prev_count);

	rdmsrq(MSR_ARCH_PERFMON_PERFCTR0 + hwc->idx, now);
	if (local64_cmpxchg(&hwc->prev_count, prev, now) == prev)
		local64_add((now - prev) & offcore_ctr_mask, &event->count);
}

static void offcore_read(struct perf_event *event)
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
		if (c->on[i] && c->on[i]->hw.extra_reg.alloc)
			offcore_stop(c->on[i]);
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
	/* A read may come from here on, of a counter that stands at 0. */
	WRITE_ONCE(hwc->extra_reg.alloc, true);
	wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + hwc->idx, sel);
}

/*
 * Errata AAK100, AAP53 and BD53: before a counter gets another event, all counters
 * are off, and run three events that count nothing. Linux found that four are
 * needed. Other owners' counters go on. Ours are off in @ctrl, and afterwards.
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
		if (!c->on[i])
			wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + i, 0);
	}
}

/* Start what does not count yet, with our bits in the global control set. */
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
		if (c->on[i] && !c->on[i]->hw.extra_reg.alloc)
			offcore_start(c->on[i]);
	}
	if (offcore_ctrs & ~ctrl)
		wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, ctrl | offcore_ctrs);
}

static enum hrtimer_restart offcore_poll(struct hrtimer *timer)
{
	struct offcore_cpu *c = container_of(timer, struct offcore_cpu, timer);
	unsigned int i;

	for_each_offcore_ctr(i) {
		if (c->on[i])
			offcore_read(c->on[i]);
	}
	hrtimer_forward_now(timer, offcore_poll_time);
	return HRTIMER_RESTART;
}

/* The register and the counter of an event that comes, or -EAGAIN */
static int offcore_place(struct offcore_cpu *c, struct perf_event *event)
{
	struct hw_perf_event_extra *extra = &event->hw.extra_reg;
	struct offcore_set *set = c->set;
	unsigned int i;

	for_each_offcore_ctr(i) {
		if (!c->on[i])
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

static int offcore_add(struct perf_event *event, int flags)
{
	struct offcore_cpu *c = this_cpu_ptr(&offcore_cpus);
	int ret;

	if (!c->set)
		return -ENODEV;
	ret = offcore_place(c, event);
	if (ret)
		return ret;
	event->hw.state = 0;
	c->on[event->hw.idx] = event;
	if (!c->nr++)
		hrtimer_start(&c->timer, offcore_poll_time,
			      HRTIMER_MODE_REL_PINNED_HARD);
	offcore_start_all(c);
	return 0;
}

static void offcore_del(struct perf_event *event, int flags)
{
	struct offcore_cpu *c = this_cpu_ptr(&offcore_cpus);
	unsigned int reg = event->hw.extra_reg.idx;
	struct offcore_set *set = c->set;

	offcore_stop(event);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
	c->on[event->hw.idx] = NULL;
	if (!--c->nr)
		hrtimer_try_to_cancel(&c->timer);
	raw_spin_lock(&set->lock);
	if (!--set->regs.users[reg])
		wrmsrq(MSR_OFFCORE_RSP_0 + reg, 0);
	raw_spin_unlock(&set->lock);
}

/*
 * pmu->start and pmu->stop: perf calls them since 6.16 when the leader of a group
 * takes too many samples: the event counts on, as it does on older kernels.
 */
static void offcore_throttle(struct perf_event *event, int flags)
{
}

static int offcore_check_attr(struct perf_event *event)
{
	const struct perf_event_attr *attr = &event->attr;

	if (is_sampling_event(event))
		return refuse(OFFCORE_NAME, -EOPNOTSUPP,
			      "no sampling without the kernel's core PMU: its overflow interrupt is not ours");
	if (event->cpu < 0 || (event->attach_state & PERF_ATTACH_TASK))
		return refuse(OFFCORE_NAME, -EINVAL,
			      "no counting of a task without the kernel's core PMU: count CPUs (perf stat -a)");
	if (has_branch_stack(event))
		return refuse(OFFCORE_NAME, -EOPNOTSUPP, "no branch stack");
	if (attr->precise_ip)
		return refuse(OFFCORE_NAME, -EOPNOTSUPP,
			      "no precise event (:p) without the kernel's core PMU");
	if (attr->exclude_host || attr->exclude_idle)
		return refuse(OFFCORE_NAME, -EINVAL,
			      "exclude_host and exclude_idle (:G, :I) cannot be told apart by the counters");
	if (!cpu_online(event->cpu))
		return refuse(OFFCORE_NAME, -ENODEV, "CPU %d is not online",
			      event->cpu);
	return 0;
}

/* @event wants the register value @rsp: 0, or an error after a line in the log */
int offcore_direct_event_init(struct perf_event *event, u64 rsp)
{
	int ret;

	ret = offcore_check_attr(event) ?: offcore_reserve();
	if (ret)
		return ret;
	/* While it is reserved, the set of free counters stays as it is. */
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

/* On the CPU, the first time that it is online. It keeps its set until we go. */
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

/* On the last CPU that is online: perf has taken the others' events off. */
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

SNBEP_DEFINE_SLEEP(offcore_syscore, offcore_suspend, offcore_resume);

/* Give @pmu its callbacks, for counters of @width bits, if the registers answer. */
int offcore_direct_init(struct pmu *pmu, unsigned int width)
{
	unsigned int i;
	u64 val;
	int ret;

	offcore_ctr_mask = GENMASK_ULL(width - 1, 0);
	/* An event per cycle, at less than 4 GHz: half of the time to a wrap */
	offcore_poll_time = ns_to_ktime(offcore_ctr_mask / 8);
	for (i = 0; i < offcore_model->nr_regs; i++) {
		if (!rdmsrq_safe(MSR_OFFCORE_RSP_0 + i, &val))
			continue;
		pr_info(OFFCORE_NAME ": MSR_OFFCORE_RSP_%u does not answer\n", i);
		return -ENODEV;
	}
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/x86/offcore_rsp:online",
				offcore_cpu_online, NULL);
	if (ret < 0)
		return ret;
	offcore_cpuhp = ret;
	snbep_register_sleep(&offcore_syscore);
	pmu->add = offcore_add;
	pmu->del = offcore_del;
	pmu->start = offcore_throttle;
	pmu->stop = offcore_throttle;
	pmu->read = offcore_read;
	return 0;
}

void offcore_direct_exit(void)
{
	snbep_unregister_sleep(&offcore_syscore);
	cpuhp_remove_state_nocalls(offcore_cpuhp);
}
