// SPDX-License-Identifier: GPL-2.0-only
/*
 * Offcore events on general counters that no core PMU drives: reserved through
 * the kernel's counter reservation while an event exists, programmed here.
 *
 * There is no overflow interrupt. A counter starts at 0 and is looked at often
 * enough that it cannot wrap twice unseen.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/hrtimer.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/suspend.h>
#include <linux/topology.h>

#include <asm/nmi.h>
#include <asm/perf_event.h>

#include "alloc.h"
#include "common/compat.h"
#include "common/refuse.h"
#include "direct.h"
#include "group.h"
#include "model.h"

/**
 * struct offcore_event - what the driver keeps of a perf event
 * @want: what it asks of its core, and what it got
 * @event: the perf event
 * @hw: it is programmed
 * @pid: who opened it
 * @comm: the same by name
 */
struct offcore_event {
	struct offcore_want want;
	struct perf_event *event;
	bool hw;
	pid_t pid;
	char comm[TASK_COMM_LEN];
};

/**
 * struct offcore_set - response registers and the threads that share them
 * @node: in offcore_sets
 * @package: whose core they are of
 * @die: the same; a core's number may be of its die alone
 * @id: that core
 * @lock: for @core, @hw_rsp and the registers. An access to a register is a
 *	tracepoint, and whoever is called by one may read an event of this CPU:
 *	reads do without the lock, and so does the timer. They need only what a CPU
 *	changes of itself.
 * @core: what perf wants on them
 * @hw_rsp: what the registers hold
 * @cpu: the threads, nr_cpu_ids for none; only hotplug looks at it
 */
struct offcore_set {
	struct list_head node;
	int package;
	int die;
	int id;
	raw_spinlock_t lock;
	struct offcore_core core;
	u64 hw_rsp[OFFCORE_NR_REGS];
	unsigned int cpu[OFFCORE_NR_THREADS];
};

/**
 * struct offcore_cpu - a CPU's counters
 * @set: its response registers
 * @thread: which thread of the set it is
 * @active: @timer runs
 * @asleep: nothing counts, from before the machine sleeps until it is awake.
 *	Only the CPU itself changes it: perf may start an event on one CPU when
 *	another one has woken.
 * @dirty: the hardware has to be made what the allocator says
 * @events: how many are on its counters
 * @ctrl: the bits of IA32_PERF_GLOBAL_CTRL that were set for them
 * @timer: looks at the counters
 */
struct offcore_cpu {
	struct offcore_set *set;
	u8 thread;
	bool active;
	bool asleep;
	bool dirty;
	unsigned int events;
	u8 ctrl;
	struct hrtimer timer;
};

bool offcore_direct;
unsigned int offcore_nr_ctrs;

static DEFINE_PER_CPU(struct offcore_cpu, offcore_cpus);
static LIST_HEAD(offcore_sets);			/* changed by hotplug alone */
static DEFINE_MUTEX(offcore_reserve_lock);	/* offcore_users, offcore_ctrs */
static unsigned int offcore_users;
static u8 offcore_ctrs;				/* reserved, as a mask */
static u64 offcore_ctr_mask;
static ktime_t offcore_poll_time;
static bool offcore_asleep;			/* what every CPU is to be */
static enum cpuhp_state offcore_cpuhp;

static struct offcore_event *to_oe(struct perf_event *event)
{
	return event->pmu_private;
}

/* The first event reserves every counter that nobody else has. */
static int offcore_reserve(void)
{
	unsigned int i;
	int ret = 0;

	mutex_lock(&offcore_reserve_lock);
	if (!offcore_users) {
		for (i = 0; i < offcore_nr_ctrs; i++) {
			if (!reserve_perfctr_nmi(MSR_ARCH_PERFMON_PERFCTR0 + i))
				continue;
			if (reserve_evntsel_nmi(MSR_ARCH_PERFMON_EVENTSEL0 + i))
				offcore_ctrs |= BIT(i);
			else
				release_perfctr_nmi(MSR_ARCH_PERFMON_PERFCTR0 + i);
		}
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

static void offcore_release(void)
{
	unsigned int i;

	mutex_lock(&offcore_reserve_lock);
	if (!--offcore_users) {
		for (i = 0; i < offcore_nr_ctrs; i++) {
			if (!(offcore_ctrs & BIT(i)))
				continue;
			release_evntsel_nmi(MSR_ARCH_PERFMON_EVENTSEL0 + i);
			release_perfctr_nmi(MSR_ARCH_PERFMON_PERFCTR0 + i);
		}
		offcore_ctrs = 0;
	}
	mutex_unlock(&offcore_reserve_lock);
}

/*
 * Bring a count up to date, on the event's own CPU. If another read came in the
 * middle, as one that the access itself has caused, that one has added it.
 */
static void offcore_update(struct offcore_event *oe)
{
	struct hw_perf_event *hwc = &oe->event->hw;
	u64 now, prev = local64_read(&hwc->prev_count);

	rdmsrq(MSR_ARCH_PERFMON_PERFCTR0 + oe->want.ctr, now);
	if (local64_cmpxchg(&hwc->prev_count, prev, now) == prev)
		local64_add((now - prev) & offcore_ctr_mask, &oe->event->count);
}

static void offcore_hw_stop(struct offcore_event *oe)
{
	wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + oe->want.ctr, 0);
	offcore_update(oe);
	WRITE_ONCE(oe->hw, false);
}

static void offcore_hw_start(struct offcore_event *oe)
{
	const struct perf_event_attr *attr = &oe->event->attr;
	u64 sel = OFFCORE_CONFIG(oe->want.reg) | ARCH_PERFMON_EVENTSEL_ENABLE;

	if (!attr->exclude_user)
		sel |= ARCH_PERFMON_EVENTSEL_USR;
	if (!attr->exclude_kernel)
		sel |= ARCH_PERFMON_EVENTSEL_OS;
	local64_set(&oe->event->hw.prev_count, 0);
	wrmsrq(MSR_ARCH_PERFMON_PERFCTR0 + oe->want.ctr, 0);
	/* A read may come from here on, of a counter that stands at 0. */
	WRITE_ONCE(oe->hw, true);
	wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + oe->want.ctr, sel);
}

/* The event on counter @i of a CPU or on the first one after it that has one */
static struct offcore_event *offcore_event_from(const struct offcore_cpu *c,
						unsigned int *i)
{
	struct offcore_want *want;

	for (; *i < OFFCORE_NR_CTRS; (*i)++) {
		want = c->set->core.on[c->thread][*i];
		if (want)
			return container_of(want, struct offcore_event, want);
	}
	return NULL;
}

#define for_each_offcore_event(oe, c, i)				\
	for ((i) = 0; ((oe) = offcore_event_from(c, &(i))); (i)++)

/* Is there an event that is to count, and does not yet? */
static bool offcore_has_new(struct offcore_cpu *c)
{
	struct offcore_event *oe;
	unsigned int i;

	if (c->asleep)
		return false;
	for_each_offcore_event(oe, c, i) {
		if (!oe->hw)
			return true;
	}
	return false;
}

/*
 * Errata AAK100, AAP53 and BD53 of Nehalem and Westmere: before a counter gets
 * another event, the counters are to be reset by letting three events run that
 * mean nothing, one after the other on one counter or on several at once. As
 * Linux found that four are needed, there are four. Only our counters are used,
 * and only their bits of IA32_PERF_GLOBAL_CTRL change: others go on counting.
 *
 * On entry and on return our counters are off in @ctrl's register.
 */
static void offcore_reset_counters(struct offcore_cpu *c, u64 ctrl)
{
	static const u32 resets[] = { 0x4300b5, 0x4300d2, 0x4300b1, 0x4300b1 };
	struct offcore_event *oe;
	unsigned int i, n = 0;
	u8 unused = offcore_ctrs;

	for_each_offcore_event(oe, c, i) {
		if (oe->hw)
			offcore_hw_stop(oe);
		unused &= ~BIT(i);
	}
	while (n < ARRAY_SIZE(resets)) {
		for (i = 0; i < offcore_nr_ctrs && n < ARRAY_SIZE(resets); i++) {
			if (!(offcore_ctrs & BIT(i)))
				continue;
			wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + i, resets[n++]);
			wrmsrq(MSR_ARCH_PERFMON_PERFCTR0 + i, 0);
		}
		wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, ctrl | offcore_ctrs);
		wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, ctrl & ~(u64)offcore_ctrs);
	}
	for (i = 0; i < offcore_nr_ctrs; i++) {
		if (unused & BIT(i))
			wrmsrq(MSR_ARCH_PERFMON_EVENTSEL0 + i, 0);
	}
}

/* Our counters' bits in the global control are set while events are there. */
static void offcore_ctrl_on(struct offcore_cpu *c)
{
	u64 ctrl;

	rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL, ctrl);
	c->ctrl = offcore_ctrs & ~ctrl;
	if (c->ctrl)
		wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, ctrl | c->ctrl);
}

/* Those that were not set before are cleared; what others have set stays. */
static void offcore_ctrl_off(struct offcore_cpu *c)
{
	u64 ctrl;

	if (!c->ctrl)
		return;
	rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL, ctrl);
	wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, ctrl & ~(u64)c->ctrl);
	c->ctrl = 0;
}

static void offcore_first_event(struct offcore_cpu *c)
{
	c->active = true;
	/* Of a CPU that is asleep offcore_wake() does it. */
	if (!c->asleep)
		offcore_ctrl_on(c);
	hrtimer_start(&c->timer, offcore_poll_time,
		      HRTIMER_MODE_REL_PINNED_HARD);
}

static void offcore_last_event(struct offcore_cpu *c)
{
	c->active = false;
	hrtimer_try_to_cancel(&c->timer);
	offcore_ctrl_off(c);
}

/* Make the hardware what the allocator says. Nothing of ours moves meanwhile. */
static void offcore_apply(struct offcore_cpu *c)
{
	struct offcore_set *set = c->set;
	bool start = offcore_has_new(c);
	bool reset = start && offcore_model->resets;
	struct offcore_event *oe;
	unsigned int i;
	u64 ctrl = 0;

	c->dirty = false;
	if (c->events && !c->active)
		offcore_first_event(c);
	if (reset) {
		rdmsrq(MSR_CORE_PERF_GLOBAL_CTRL, ctrl);
		wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, ctrl & ~(u64)offcore_ctrs);
		offcore_reset_counters(c, ctrl);
	}
	for (i = 0; i < offcore_model->nr_regs; i++) {
		if (set->hw_rsp[i] == set->core.rsp[i])
			continue;
		wrmsrq(MSR_OFFCORE_RSP_0 + i, set->core.rsp[i]);
		set->hw_rsp[i] = set->core.rsp[i];
	}
	for_each_offcore_event(oe, c, i) {
		if (start && !oe->hw)
			offcore_hw_start(oe);
	}
	if (reset)
		wrmsrq(MSR_CORE_PERF_GLOBAL_CTRL, ctrl | offcore_ctrs);
	if (!c->events && c->active)
		offcore_last_event(c);
}

static enum hrtimer_restart offcore_poll(struct hrtimer *timer)
{
	struct offcore_cpu *c = container_of(timer, struct offcore_cpu, timer);
	struct offcore_event *oe;
	unsigned int i;

	for_each_offcore_event(oe, c, i) {
		if (oe->hw)
			offcore_update(oe);
	}
	if (!c->events)
		return HRTIMER_NORESTART;
	hrtimer_forward_now(timer, offcore_poll_time);
	return HRTIMER_RESTART;
}

/**
 * offcore_direct_disable - pmu->pmu_disable: perf is about to change events
 * @pmu: the PMU
 *
 * Events go on counting. What perf changes now is written when it is done.
 */
void offcore_direct_disable(struct pmu *pmu)
{
}

/**
 * offcore_direct_enable - pmu->pmu_enable: perf is done
 * @pmu: the PMU
 */
void offcore_direct_enable(struct pmu *pmu)
{
	struct offcore_cpu *c = this_cpu_ptr(&offcore_cpus);

	if (!c->dirty)
		return;
	raw_spin_lock(&c->set->lock);
	offcore_apply(c);
	raw_spin_unlock(&c->set->lock);
}

/**
 * offcore_direct_add - pmu->add: put an event on a counter of this CPU
 * @event: the perf event
 * @flags: PERF_EF_*
 *
 * Return: 0; -EAGAIN if register or counter is taken, -ENODEV if the CPU has
 * none.
 */
int offcore_direct_add(struct perf_event *event, int flags)
{
	struct offcore_cpu *c = this_cpu_ptr(&offcore_cpus);
	struct offcore_event *oe = to_oe(event);
	enum offcore_result result;

	if (!c->set)
		return -ENODEV;
	oe->want.thread = c->thread;

	raw_spin_lock(&c->set->lock);
	result = offcore_alloc_add(&c->set->core, offcore_model->nr_regs,
				   offcore_ctrs, &oe->want);
	if (result == OFFCORE_OK) {
		c->events++;
		c->dirty = true;
	}
	raw_spin_unlock(&c->set->lock);
	if (result != OFFCORE_OK)
		return -EAGAIN;
	event->hw.state = 0;
	return 0;
}

/**
 * offcore_direct_del - pmu->del: take it off
 * @event: the perf event
 * @flags: PERF_EF_*
 */
void offcore_direct_del(struct perf_event *event, int flags)
{
	struct offcore_cpu *c = this_cpu_ptr(&offcore_cpus);
	struct offcore_event *oe = to_oe(event);

	raw_spin_lock(&c->set->lock);
	if (oe->hw)
		offcore_hw_stop(oe);
	offcore_alloc_del(&c->set->core, &oe->want);
	c->events--;
	c->dirty = true;
	raw_spin_unlock(&c->set->lock);
	event->hw.state = PERF_HES_STOPPED | PERF_HES_UPTODATE;
}

/**
 * offcore_direct_throttle - pmu->start and pmu->stop: nothing
 * @event: the perf event
 * @flags: PERF_EF_*
 *
 * For an event that only counts perf calls these since 6.16, when the leader of its
 * group takes too many samples. The event counts on, as it does on older kernels.
 * Like a read this may come in the middle of an access, with the lock held.
 */
void offcore_direct_throttle(struct perf_event *event, int flags)
{
}

/**
 * offcore_direct_read - pmu->read: bring its count up to date
 * @event: the perf event
 *
 * Without the lock, which this CPU may hold: see struct offcore_set.
 */
void offcore_direct_read(struct perf_event *event)
{
	struct offcore_event *oe = to_oe(event);

	if (READ_ONCE(oe->hw))
		offcore_update(oe);
}

static void offcore_event_destroy(struct perf_event *event)
{
	kfree(event->pmu_private);
	offcore_release();
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

/**
 * offcore_direct_event_init - take an event
 * @event: the perf event
 * @rsp: the register value that it wants
 *
 * Return: 0, or an error after a line in the log that says why.
 */
int offcore_direct_event_init(struct perf_event *event, u64 rsp)
{
	struct offcore_event *oe;
	int ret;

	ret = offcore_check_attr(event);
	if (ret)
		return ret;
	oe = kzalloc(sizeof(*oe), GFP_KERNEL);
	if (!oe)
		return -ENOMEM;
	ret = offcore_reserve();
	if (ret)
		goto err_reserve;
	/* While it is reserved, the set of free counters stays as it is. */
	ret = offcore_check_group(event, rsp, offcore_ctrs);
	if (ret)
		goto err_group;
	oe->event = event;
	offcore_want_init(&oe->want, rsp);
	oe->pid = task_pid_nr(current);
	get_task_comm(oe->comm, current);
	event->pmu_private = oe;
	event->destroy = offcore_event_destroy;
	return 0;

err_group:
	offcore_release();
err_reserve:
	kfree(oe);
	return ret;
}

/**
 * offcore_direct_rsp - what an event of ours wants
 * @event: the perf event
 *
 * Return: the register value.
 */
u64 offcore_direct_rsp(struct perf_event *event)
{
	return to_oe(event)->want.rsp;
}

/**
 * offcore_direct_show_holders - who has a register
 * @m: where to write it
 * @cpu: the CPU
 * @reg: the register
 */
void offcore_direct_show_holders(struct seq_file *m, unsigned int cpu,
				 unsigned int reg)
{
	struct offcore_cpu *c = per_cpu_ptr(&offcore_cpus, cpu);
	struct offcore_event *oe;
	unsigned long flags;
	unsigned int i;

	if (!c->set)
		return;
	raw_spin_lock_irqsave(&c->set->lock, flags);
	for_each_offcore_event(oe, c, i) {
		if (oe->want.reg == reg)
			seq_printf(m, " %s/%d", oe->comm, oe->pid);
	}
	raw_spin_unlock_irqrestore(&c->set->lock, flags);
}

/*
 * The set of this CPU's core, or a new one. Threads of a core need not be online
 * at one time for it: whoever comes later finds the set of who was there before.
 */
static struct offcore_set *offcore_find_set(unsigned int cpu)
{
	int package = topology_physical_package_id(cpu);
	int die = topology_die_id(cpu);
	int id = topology_core_id(cpu);
	struct offcore_set *set;
	unsigned int i;

	if (offcore_model->shared) {
		list_for_each_entry(set, &offcore_sets, node) {
			if (set->package == package && set->die == die &&
			    set->id == id)
				return set;
		}
	}
	set = kzalloc(sizeof(*set), GFP_KERNEL);
	if (!set)
		return NULL;
	set->package = package;
	set->die = die;
	set->id = id;
	raw_spin_lock_init(&set->lock);
	for (i = 0; i < OFFCORE_NR_THREADS; i++)
		set->cpu[i] = nr_cpu_ids;
	list_add_tail(&set->node, &offcore_sets);
	/* Nobody uses them now: what firmware left is not to stay. */
	for (i = 0; i < offcore_model->nr_regs; i++)
		wrmsrq_safe(MSR_OFFCORE_RSP_0 + i, 0);
	return set;
}

/* Sets stay with their CPUs until the module goes. */
static int offcore_join_set(unsigned int cpu)
{
	struct offcore_cpu *c = per_cpu_ptr(&offcore_cpus, cpu);
	struct offcore_set *set;
	unsigned int i;

	set = offcore_find_set(cpu);
	if (!set)
		return -ENOMEM;
	for (i = 0; i < OFFCORE_NR_THREADS && set->cpu[i] < nr_cpu_ids; i++)
		;
	if (i == OFFCORE_NR_THREADS) {
		pr_notice(OFFCORE_NAME ": CPU %u is left out: its core has more than two threads\n",
			  cpu);
		return 0;
	}
	set->cpu[i] = cpu;
	hrtimer_setup(&c->timer, offcore_poll, CLOCK_MONOTONIC,
		      HRTIMER_MODE_REL_PINNED_HARD);
	c->thread = i;
	c->set = set;
	return 0;
}

/* Before the machine sleeps: counters lose their counts in there. */
static void offcore_sleep(struct offcore_cpu *c)
{
	struct offcore_event *oe;
	unsigned int i;

	for_each_offcore_event(oe, c, i) {
		if (oe->hw)
			offcore_hw_stop(oe);
	}
	/*
	 * The register may be kept. Our bits are not to be in it when
	 * offcore_wake() looks for those that were set by others.
	 */
	offcore_ctrl_off(c);
}

/* Afterwards: the registers may hold anything. */
static void offcore_wake(struct offcore_cpu *c)
{
	unsigned int i;

	for (i = 0; i < offcore_model->nr_regs; i++)
		rdmsrq(MSR_OFFCORE_RSP_0 + i, c->set->hw_rsp[i]);
	if (c->active)
		offcore_ctrl_on(c);
	offcore_apply(c);
}

/*
 * On a CPU, with its interrupts off: be asleep or awake, as every CPU is to be. perf
 * may have changed events here since that was said, and it may be so already.
 */
static void offcore_sleep_or_wake(void *unused)
{
	struct offcore_cpu *c = this_cpu_ptr(&offcore_cpus);

	if (!c->set || c->asleep == offcore_asleep)
		return;
	raw_spin_lock(&c->set->lock);
	c->asleep = offcore_asleep;
	if (c->asleep)
		offcore_sleep(c);
	else
		offcore_wake(c);
	raw_spin_unlock(&c->set->lock);
}

static int offcore_cpu_online(unsigned int cpu)
{
	int ret = 0;

	if (!per_cpu(offcore_cpus.set, cpu))
		ret = offcore_join_set(cpu);
	/* While it was away the others may have gone to sleep, or have woken. */
	local_irq_disable();
	offcore_sleep_or_wake(NULL);
	local_irq_enable();
	return ret;
}

static void offcore_all_cpus(bool asleep)
{
	/* No CPU comes in between. One that comes later looks at it then. */
	cpus_read_lock();
	offcore_asleep = asleep;
	on_each_cpu(offcore_sleep_or_wake, NULL, 1);
	cpus_read_unlock();
}

static int offcore_pm_notify(struct notifier_block *nb, unsigned long action,
			     void *unused)
{
	switch (action) {
	case PM_SUSPEND_PREPARE:
	case PM_HIBERNATION_PREPARE:
		offcore_all_cpus(true);
		break;
	case PM_POST_SUSPEND:
	case PM_POST_HIBERNATION:
		offcore_all_cpus(false);
		break;
	}
	return NOTIFY_OK;
}

static struct notifier_block offcore_pm_nb = {
	.notifier_call = offcore_pm_notify,
};

static void offcore_free_sets(void)
{
	struct offcore_set *set, *next;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		per_cpu(offcore_cpus.set, cpu) = NULL;
	list_for_each_entry_safe(set, next, &offcore_sets, node) {
		list_del(&set->node);
		kfree(set);
	}
}

/**
 * offcore_direct_probe - do the registers answer?
 * @counter: the mask of a counter's bits
 *
 * Return: 0, or -ENODEV after a line in the log, or another negative errno;
 * offcore_direct_exit() then need not be called.
 */
int offcore_direct_probe(u64 counter)
{
	unsigned int i;
	u64 val;
	int ret;

	offcore_ctr_mask = counter;
	/*
	 * At most an event per cycle, and less than 4 GHz: half of the time in
	 * which it wraps, 9 hours and 46 minutes for 48 bits.
	 */
	offcore_poll_time = ns_to_ktime(offcore_ctr_mask / 8);
	for (i = 0; i < offcore_model->nr_regs; i++) {
		if (!rdmsrq_safe(MSR_OFFCORE_RSP_0 + i, &val))
			continue;
		pr_info(OFFCORE_NAME ": MSR_OFFCORE_RSP_%u does not answer\n", i);
		return -ENODEV;
	}
	ret = cpuhp_setup_state(CPUHP_AP_ONLINE_DYN, "perf/x86/offcore_rsp:online",
				offcore_cpu_online, NULL);
	if (ret < 0) {
		offcore_free_sets();
		return ret;
	}
	offcore_cpuhp = ret;
	ret = register_pm_notifier(&offcore_pm_nb);
	if (ret) {
		offcore_direct_exit();
		return ret;
	}
	return 0;
}

/** offcore_direct_exit - after the PMU and its events are gone */
void offcore_direct_exit(void)
{
	unregister_pm_notifier(&offcore_pm_nb);
	cpuhp_remove_state_nocalls(offcore_cpuhp);
	offcore_free_sets();
}
