/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the kernels that the drivers are built for. The drivers
 * use the newest names, and older kernels get them here. What is there decides
 * and not the version: distributions backport. KERNEL_HAS_... comes from Kbuild, which
 * looks into the kernel's headers where no macro tells.
 */
#ifndef SNBEP_COMPAT_H
#define SNBEP_COMPAT_H

#include <linux/atomic.h>
#include <linux/hrtimer.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/syscore_ops.h>

#ifdef CONFIG_X86
#include <asm/cpu_device_id.h>
#include <asm/intel-family.h>
#include <asm/msr.h>
#include <asm/processor.h>
#if __has_include(<asm/cpuid/api.h>)
#include <asm/cpuid/api.h>	/* cpuid_eax() was in asm/processor.h */
#endif

/* An MSR is a quadword and not a long since 6.16 */
#ifndef rdmsrq
#define rdmsrq			rdmsrl
#define wrmsrq			wrmsrl
#define rdmsrq_safe		rdmsrl_safe
#define wrmsrq_safe		wrmsrl_safe
#define rdmsrq_safe_on_cpu	rdmsrl_safe_on_cpu
#endif

/* Vendor, family and model are one number, with a name, since 6.10 */
#ifndef INTEL_SANDYBRIDGE_X
#define INTEL_NEHALEM		INTEL_FAM6_NEHALEM
#define INTEL_NEHALEM_G		INTEL_FAM6_NEHALEM_G
#define INTEL_NEHALEM_EP	INTEL_FAM6_NEHALEM_EP
#define INTEL_NEHALEM_EX	INTEL_FAM6_NEHALEM_EX
#define INTEL_WESTMERE		INTEL_FAM6_WESTMERE
#define INTEL_WESTMERE_EP	INTEL_FAM6_WESTMERE_EP
#define INTEL_WESTMERE_EX	INTEL_FAM6_WESTMERE_EX
#define INTEL_SANDYBRIDGE	INTEL_FAM6_SANDYBRIDGE
#define INTEL_SANDYBRIDGE_X	INTEL_FAM6_SANDYBRIDGE_X
#undef X86_MATCH_VFM
#define X86_MATCH_VFM(model, data)					\
	X86_MATCH_VENDOR_FAM_MODEL(INTEL, 6, model, data)
#endif
#endif /* CONFIG_X86 */

/* 5.12; this header comes after linux/pci-ecam.h, as all of linux/ does. */
#ifndef PCIE_ECAM_OFFSET
#define PCIE_ECAM_OFFSET(bus, devfn, where)				\
	(((bus) & 0xff) << 20 | ((devfn) & 0xff) << 12 | ((where) & 0xfff))
#endif

/* 5.10 has the plain one, which takes every size, on x86 */
#ifndef try_cmpxchg64
#define try_cmpxchg64		try_cmpxchg
#endif

/* 6.13 */
#ifndef KERNEL_HAS_HRTIMER_SETUP
static inline void hrtimer_setup(struct hrtimer *timer,
				 enum hrtimer_restart (*function)(struct hrtimer *),
				 clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/*
 * What to do when the machine goes to sleep and wakes up, on its last CPU and
 * with interrupts off. Callbacks take data since 6.19, and in stable kernels
 * that took this over.
 */
#ifdef KERNEL_HAS_SYSCORE
#define SNBEP_DEFINE_SLEEP(name, on_suspend, on_resume)			\
static int name ## _suspend(void *data)					\
{									\
	on_suspend();							\
	return 0;							\
}									\
									\
static void name ## _resume(void *data)					\
{									\
	on_resume();							\
}									\
									\
static const struct syscore_ops name ## _ops = {			\
	.suspend = name ## _suspend,					\
	.resume = name ## _resume,					\
};									\
									\
static struct syscore name = { .ops = &name ## _ops }

#define snbep_register_sleep(s)		register_syscore(s)
#define snbep_unregister_sleep(s)	unregister_syscore(s)
#else
#define SNBEP_DEFINE_SLEEP(name, on_suspend, on_resume)			\
static int name ## _suspend(void)					\
{									\
	on_suspend();							\
	return 0;							\
}									\
									\
static struct syscore_ops name = {					\
	.suspend = name ## _suspend,					\
	.resume = on_resume,						\
}

#define snbep_register_sleep(s)		register_syscore_ops(s)
#define snbep_unregister_sleep(s)	unregister_syscore_ops(s)
#endif

/**
 * compat_attr_unknown() - the words of an event that no driver here has a field in
 * @attr: what perf was asked for
 *
 * Return: config3 and config4 in one, as far as this kernel knows them: 0 where
 * nothing is set. The kernel refuses what it does not know.
 */
static inline u64 compat_attr_unknown(const struct perf_event_attr *attr)
{
	u64 rest = 0;

#ifdef PERF_ATTR_SIZE_VER8	/* 6.3 */
	rest |= attr->config3;
#endif
#ifdef PERF_ATTR_SIZE_VER9
	rest |= attr->config4;
#endif
	return rest;
}

/* Samples say what they have in them since 6.1 */
#ifdef KERNEL_HAS_SAMPLE_FLAGS
#define compat_sample_has(data, flag)	((data)->sample_flags |= (flag))
#else
#define compat_sample_has(data, flag)	do { } while (0)
#endif

/* One of several weights since 5.12 */
#ifdef PERF_SAMPLE_WEIGHT_TYPE
#define compat_sample_weight(data)	((data)->weight.full)
#else
#define PERF_SAMPLE_WEIGHT_TYPE		PERF_SAMPLE_WEIGHT
#define compat_sample_weight(data)	((data)->weight)
#endif

/* Functions that count the sample's size with it, with these arguments since 6.12 */
#ifndef KERNEL_HAS_SAMPLE_SAVE
static inline void perf_sample_save_brstack(struct perf_sample_data *data,
					    struct perf_event *event,
					    struct perf_branch_stack *brs,
					    u64 *counters)
{
	data->br_stack = brs;
	compat_sample_has(data, PERF_SAMPLE_BRANCH_STACK);
}

static inline void perf_sample_save_raw_data(struct perf_sample_data *data,
					     struct perf_event *event,
					     struct perf_raw_record *raw)
{
	data->raw = raw;
	compat_sample_has(data, PERF_SAMPLE_RAW);
}
#endif

/* Samples that there should have been are counted since 6.0 */
static inline void compat_count_lost(struct perf_event *event)
{
#ifdef KERNEL_HAS_LOST_SAMPLES
	if (event->parent)
		event = event->parent;
	atomic64_inc(&event->lost_samples);
#endif
}

/*
 * Until 6.2 all PMUs of the hardware context were one per processor, and a second
 * one beside the processor's own had to say that it is meant. Now each has its
 * own context.
 */
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
#define COMPAT_PMU_CAPS		PERF_PMU_CAP_HETEROGENEOUS_CPUS
#else
#define COMPAT_PMU_CAPS		0
#endif

/*
 * With the shared context a task that has ever had an event keeps one that points
 * to the event's PMU, and looks at it in every context switch until it exits. A
 * PMU in a module then has to stay.
 */
static inline void compat_keep_for_tasks(struct perf_event *event)
{
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
	static atomic_t kept = ATOMIC_INIT(0);

	if ((event->attach_state & PERF_ATTACH_TASK) &&
	    !atomic_xchg(&kept, 1)) {
		__module_get(THIS_MODULE);
		pr_info(KBUILD_MODNAME ": a task is counted: the module stays until the next boot, as tasks of kernels before 6.2 keep the PMUs that they had\n");
	}
#endif
}

/*
 * Two tasks whose events are inherited from the same ones make way for each other:
 * perf only exchanges their contexts. COMPAT_DEFINE_SWAP(name, on_swap) has
 * on_swap() called then, for a PMU with COMPAT_SWAP(name) in its structure.
 * An event that needs it has COMPAT_SWAP_ATTACH in its attach_state, and says
 * compat_watch_swaps() when it is added to a processor and when it is deleted.
 */
#ifdef KERNEL_HAS_SWAP_TASK_CTX
#ifdef PERF_PMU_CAP_HETEROGENEOUS_CPUS
#define compat_swap_ctx		perf_event_context
#define COMPAT_SWAP_ATTACH	0
#else
/* This is called only where an event has data of its task. */
#define compat_swap_ctx		perf_event_pmu_context
#define COMPAT_SWAP_ATTACH	PERF_ATTACH_TASK_DATA
#endif

#define COMPAT_DEFINE_SWAP(name, on_swap)				\
static void name(struct compat_swap_ctx *prev, struct compat_swap_ctx *next) \
{									\
	swap(prev->task_ctx_data, next->task_ctx_data);			\
	on_swap();							\
}

#define COMPAT_SWAP(name)	.swap_task_ctx = name

static inline void compat_watch_swaps(struct pmu *pmu, int by)
{
}
#else
#define COMPAT_SWAP_ATTACH	0

/* In an exchange the context is already the other task's. */
#define COMPAT_DEFINE_SWAP(name, on_swap)				\
static void name(struct perf_event_pmu_context *epc, struct task_struct *task, \
		 bool sched_in)						\
{									\
	if (!sched_in && epc->ctx->task != task)			\
		on_swap();						\
}

#define COMPAT_SWAP(name)	.sched_task = name

/* What perf_sched_cb_inc() and _dec() would do, which are not for modules */
static inline void compat_watch_swaps(struct pmu *pmu, int by)
{
	(*this_cpu_ptr(pmu->cpu_pmu_context))->sched_cb_usage += by;
}
#endif

#endif /* SNBEP_COMPAT_H */
