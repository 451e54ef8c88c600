// SPDX-License-Identifier: GPL-2.0-only
/* Another user of the counters in the kernel, for tests: reserves some of CPU 0, and counts */
#include <linux/module.h>

#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>

/* Before 6.16 an MSR was a long and not a quadword. */
#ifndef rdmsrq
#define wrmsrq_on_cpu	wrmsrl_on_cpu
#endif

/* LLC misses of user mode, which the tests make happen */
#define HOLDER_SELECT	(ARCH_PERFMON_EVENTSEL_ENABLE |			\
			 ARCH_PERFMON_EVENTSEL_USR | 0x412e)

static unsigned int ctrs;
module_param(ctrs, uint, 0444);
MODULE_PARM_DESC(ctrs, "Counters to reserve and use on CPU 0, as a mask");

static void holder_release(unsigned int i)
{
	wrmsrq_on_cpu(0, MSR_ARCH_PERFMON_EVENTSEL0 + i, 0);
	release_perfctr_nmi(MSR_ARCH_PERFMON_PERFCTR0 + i);
	release_evntsel_nmi(MSR_ARCH_PERFMON_EVENTSEL0 + i);
}

static int holder_reserve(unsigned int i)
{
	if (!reserve_evntsel_nmi(MSR_ARCH_PERFMON_EVENTSEL0 + i))
		return -EBUSY;
	if (!reserve_perfctr_nmi(MSR_ARCH_PERFMON_PERFCTR0 + i)) {
		release_evntsel_nmi(MSR_ARCH_PERFMON_EVENTSEL0 + i);
		return -EBUSY;
	}
	wrmsrq_on_cpu(0, MSR_ARCH_PERFMON_PERFCTR0 + i, 0x1000);
	wrmsrq_on_cpu(0, MSR_ARCH_PERFMON_EVENTSEL0 + i, HOLDER_SELECT);
	return 0;
}

static void holder_exit(void)
{
	unsigned long mask = ctrs;
	unsigned int i;

	for_each_set_bit(i, &mask, 8)
		holder_release(i);
}
module_exit(holder_exit);

static int __init holder_init(void)
{
	unsigned long mask = ctrs;
	unsigned int i;
	int ret;

	for_each_set_bit(i, &mask, 8) {
		ret = holder_reserve(i);
		if (ret) {
			ctrs &= BIT(i) - 1;
			holder_exit();
			return ret;
		}
	}
	return 0;
}
module_init(holder_init);

MODULE_DESCRIPTION("Holds counters, for tests of offcore_rsp");
MODULE_LICENSE("GPL");
