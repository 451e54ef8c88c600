/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What differs between the kernels that the drivers are built for. The drivers
 * use the newest names, and older kernels get them here. What is there decides
 * and not the version: distributions backport. KERNEL_HAS_... comes from Kbuild, which
 * looks into the kernel's headers where no macro tells. What is perf's is in
 * compat_perf.h.
 */
#ifndef SNBEP_COMPAT_H
#define SNBEP_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/ratelimit.h>
#include <linux/syscore_ops.h>

#ifdef CONFIG_X86
#include <asm/cpu_device_id.h>
#include <asm/intel-family.h>
#include <asm/msr.h>
#include <asm/processor.h>
#ifdef KERNEL_HAS_CPUID_API
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
#define COMPAT_MATCH_PERFMON(model, data)				\
	X86_MATCH_VENDOR_FAM_MODEL_FEATURE(INTEL, 6, model,		\
					   X86_FEATURE_ARCH_PERFMON, data)
#else
#define COMPAT_MATCH_PERFMON(vfm, data)					\
	X86_MATCH_VFM_FEATURE(vfm, X86_FEATURE_ARCH_PERFMON, data)
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

/* Since 6.16 a limit of another height counts only when the interval is over. */
static inline void compat_ratelimit_changed(struct ratelimit_state *rs)
{
#ifdef KERNEL_HAS_RATELIMIT_RESET
	ratelimit_state_reset_interval(rs, rs->interval);
#endif
}

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

#endif /* SNBEP_COMPAT_H */
