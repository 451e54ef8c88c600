/* SPDX-License-Identifier: GPL-2.0-only */
/* What differs between the kernels that the drivers are built for */
#ifndef SNBEP_COMPAT_H
#define SNBEP_COMPAT_H

#include <linux/hrtimer.h>
#include <linux/perf_event.h>
#include <linux/version.h>

#include <asm/cpu_device_id.h>
#include <asm/intel-family.h>

/* config3 came with 6.3 */
static inline u64 snbep_attr_config3(const struct perf_event_attr *attr)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 3, 0)
	return attr->config3;
#else
	return 0;
#endif
}

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
