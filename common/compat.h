/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between the kernels that the drivers are built for */
#ifndef SNBEP_COMPAT_H
#define SNBEP_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/perf_event.h>
#include <linux/syscore_ops.h>
#include <linux/version.h>

#include <asm/cpu_device_id.h>
#include <asm/intel-family.h>
#include <asm/msr.h>

/* config3 came with 6.3 */
static inline u64 snbep_attr_config3(const struct perf_event_attr *attr)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	return attr->config3;
#else
	return 0;
#endif
}

/* rdmsrl() and its relatives are called rdmsrq() since 6.16. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
#define rdmsrq(msr, val)	rdmsrl(msr, val)
#define wrmsrq(msr, val)	wrmsrl(msr, val)
#define rdmsrq_safe(msr, val)	rdmsrl_safe(msr, val)
#define wrmsrq_safe(msr, val)	wrmsrl_safe(msr, val)
#endif

/*
 * What to do when the machine goes to sleep and wakes up, on its last CPU and
 * with interrupts off. Callbacks take data since 6.19, and in stable kernels
 * that took this over; Kbuild has looked.
 */
#ifdef HAVE_REGISTER_SYSCORE
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

/* hrtimer_setup() came with 6.13, and hrtimer_init() went with 6.15 */
static inline void
snbep_hrtimer_setup(struct hrtimer *timer,
		    enum hrtimer_restart (*function)(struct hrtimer *),
		    clockid_t clock, enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, function, clock, mode);
#else
	hrtimer_init(timer, clock, mode);
	timer->function = function;
#endif
}

/* Vendor, family and model became one number with 6.10 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 10, 0)
#define SNBEP_MATCH_INTEL(model, data)					\
	X86_MATCH_VFM(INTEL_ ## model, data)
#else
#define SNBEP_MATCH_INTEL(model, data)					\
	X86_MATCH_INTEL_FAM6_MODEL(model, data)
#endif
#define SNBEP_MATCH_CPU	SNBEP_MATCH_INTEL(SANDYBRIDGE_X, NULL)

#endif /* SNBEP_COMPAT_H */
