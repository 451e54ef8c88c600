// SPDX-License-Identifier: GPL-2.0-only
/*
 * Another user of the counters in the kernel, for tests: holds counters by the
 * kernel's reservation, and uses them, or has counters of the core PMU.
 */
#include <linux/module.h>
#include <linux/perf_event.h>

#include <asm/msr.h>
#include <asm/nmi.h>
#include <asm/perf_event.h>

/* Before 6.16 an MSR was a long and not a quadword. */
#ifndef rdmsrq
#define wrmsrq_on_cpu	wrmsrl_on_cpu
#endif

#define HOLDER_CPU	0
/* LLC misses of user mode, which the tests make happen */
#define HOLDER_SELECT	(ARCH_PERFMON_EVENTSEL_ENABLE |			\
			 ARCH_PERFMON_EVENTSEL_USR | 0x412e)
#define HOLDER_START	0x1000

static unsigned int ctrs;
module_param(ctrs, uint, 0444);
MODULE_PARM_DESC(ctrs, "Counters to reserve and use on CPU 0, as a mask");

static unsigned int selects;
module_param(selects, uint, 0444);
MODULE_PARM_DESC(selects, "Counters of which to reserve only the event select, as a mask");

static unsigned long long rsp[3];
static unsigned int nr_rsp;
module_param_array(rsp, ullong, &nr_rsp, 0444);
MODULE_PARM_DESC(rsp, "Offcore response values to count on CPU 0 with kernel counters");

static struct perf_event *events[ARRAY_SIZE(rsp)];

/* Each of @rsp: its count, the time that it wants and the time that it has */
static int counts_get(char *buf, const struct kernel_param *kp)
{
	unsigned int i;
	int len = 0;

	for (i = 0; i < nr_rsp && events[i]; i++) {
		u64 enabled, running, count;

		count = perf_event_read_value(events[i], &enabled, &running);
		len += scnprintf(buf + len, PAGE_SIZE - len, "%llu %llu %llu\n",
				 count, enabled, running);
	}
	return len;
}

static const struct kernel_param_ops counts_ops = { .get = counts_get };
module_param_cb(counts, &counts_ops, NULL, 0444);

static void holder_release(unsigned int upto)
{
	unsigned int i;

	for (i = 0; i < upto; i++) {
		if (!((ctrs | selects) & BIT(i)))
			continue;
		if (ctrs & BIT(i)) {
			wrmsrq_on_cpu(HOLDER_CPU,
				      MSR_ARCH_PERFMON_EVENTSEL0 + i, 0);
			release_perfctr_nmi(MSR_ARCH_PERFMON_PERFCTR0 + i);
		}
		release_evntsel_nmi(MSR_ARCH_PERFMON_EVENTSEL0 + i);
	}
}

static int holder_reserve(unsigned int i)
{
	if (!((ctrs | selects) & BIT(i)))
		return 0;
	if (!reserve_evntsel_nmi(MSR_ARCH_PERFMON_EVENTSEL0 + i))
		return -EBUSY;
	if (!(ctrs & BIT(i)))
		return 0;
	if (!reserve_perfctr_nmi(MSR_ARCH_PERFMON_PERFCTR0 + i)) {
		release_evntsel_nmi(MSR_ARCH_PERFMON_EVENTSEL0 + i);
		return -EBUSY;
	}
	wrmsrq_on_cpu(HOLDER_CPU, MSR_ARCH_PERFMON_PERFCTR0 + i, HOLDER_START);
	wrmsrq_on_cpu(HOLDER_CPU, MSR_ARCH_PERFMON_EVENTSEL0 + i, HOLDER_SELECT);
	return 0;
}

static void holder_close(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(events); i++) {
		if (events[i])
			perf_event_release_kernel(events[i]);
	}
}

static int __init holder_init(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_RAW,
		.size = sizeof(attr),
		.config = 0x1b7,
	};
	unsigned int i;
	int ret;

	for (i = 0; i < 8; i++) {
		ret = holder_reserve(i);
		if (ret) {
			holder_release(i);
			return ret;
		}
	}
	for (i = 0; i < nr_rsp; i++) {
		struct perf_event *event;

		attr.config1 = rsp[i];
		event = perf_event_create_kernel_counter(&attr, HOLDER_CPU,
							 NULL, NULL, NULL);
		if (IS_ERR(event)) {
			holder_close();
			holder_release(8);
			return PTR_ERR(event);
		}
		events[i] = event;
	}
	return 0;
}
module_init(holder_init);

static void __exit holder_exit(void)
{
	holder_close();
	holder_release(8);
}
module_exit(holder_exit);

MODULE_DESCRIPTION("Holds counters, for tests of offcore_rsp");
MODULE_LICENSE("GPL");
