/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Kernel API differences from 5.10 on. The drivers use the latest names; this
 * header defines them for older kernels. It tests for features, not versions,
 * as distributions backport; Kbuild sets KERNEL_HAS_* from the kernel's headers.
 */
#ifndef SNBEP_COMPAT_H
#define SNBEP_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/ratelimit.h>
#include <linux/rcupdate.h>
#include <linux/sched/isolation.h>
#include <linux/syscore_ops.h>

#ifdef CONFIG_X86
#include <asm/cpu_device_id.h>
#include <asm/intel-family.h>
#include <asm/msr.h>
#include <asm/processor.h>
#ifdef KERNEL_HAS_CPUID_API
#include <asm/cpuid/api.h>	/* cpuid_eax() */
#endif

/* Renamed in 6.16 */
#ifndef rdmsrq
#define rdmsrq			rdmsrl
#define wrmsrq			wrmsrl
#define rdmsrq_safe		rdmsrl_safe
#define wrmsrq_safe		wrmsrl_safe
#endif

/* 6.10 replaced model numbers with vendor-family-model values */
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
#define COMPAT_MATCH_PERFMON(model, data)				\
	X86_MATCH_VENDOR_FAM_MODEL_FEATURE(INTEL, 6, model,		\
					   X86_FEATURE_ARCH_PERFMON, data)
#else
#define COMPAT_MATCH_PERFMON(vfm, data)					\
	X86_MATCH_VFM_FEATURE(vfm, X86_FEATURE_ARCH_PERFMON, data)
#endif
#endif /* CONFIG_X86 */

/* 5.12, in linux/pci-ecam.h, which must be included before this header */
#ifndef PCIE_ECAM_OFFSET
#define PCIE_ECAM_OFFSET(bus, devfn, where)				\
	(((bus) & 0xff) << 20 | ((devfn) & 0xff) << 12 | ((where) & 0xfff))
#endif

/* 5.17, in linux/pci.h, the same; also in stable 5.10 */
#ifndef PCI_POSSIBLE_ERROR
#define PCI_POSSIBLE_ERROR(val)		((val) == (typeof(val))~0ULL)
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

/* Whether isolcpus, nohz_full or a cpuset keeps the kernel's work off a CPU */
static inline bool compat_cpu_isolated(unsigned int cpu)
{
	bool isolated;

	rcu_read_lock();	/* since 7.x, a cpuset may replace the mask */
#ifdef KERNEL_HAS_HK_TYPE	/* 5.18 */
	isolated = !housekeeping_cpu(cpu, HK_TYPE_DOMAIN) ||
		   !housekeeping_cpu(cpu, HK_TYPE_TIMER);
#else
	isolated = !housekeeping_cpu(cpu, HK_FLAG_DOMAIN) ||
		   !housekeeping_cpu(cpu, HK_FLAG_TIMER);
#endif
	rcu_read_unlock();
	return isolated;
}

/* Since 6.16, a new burst only takes effect with the next interval. */
static inline void compat_ratelimit_changed(struct ratelimit_state *rs)
{
#ifdef KERNEL_HAS_RATELIMIT_RESET
	ratelimit_state_reset_interval(rs, rs->interval);
#endif
}

/*
 * Suspend and resume callbacks, called on the last online CPU with interrupts
 * disabled. They take a data argument since 6.19, and in some stable kernels.
 */
#ifdef KERNEL_HAS_SYSCORE
#define COMPAT_DEFINE_SYSCORE(name, on_suspend, on_resume)			\
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

#define compat_register_syscore(s)		register_syscore(s)
#define compat_unregister_syscore(s)	unregister_syscore(s)
#else
#define COMPAT_DEFINE_SYSCORE(name, on_suspend, on_resume)			\
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

#define compat_register_syscore(s)		register_syscore_ops(s)
#define compat_unregister_syscore(s)	unregister_syscore_ops(s)
#endif

#endif /* SNBEP_COMPAT_H */
